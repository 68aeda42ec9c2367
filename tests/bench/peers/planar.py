"""A planar mechanism of pinned rigid bodies in plain numbers, as the other tools receive it.

A pose is x, y of the centre of mass and the angle turned since the start. Tools with relative coordinates hang the
bodies on a spanning tree from the ground; the pins that are left over close its loops.
"""

from collections import namedtuple

import numpy as np

Tree = namedtuple("Tree", "order parent pin closing")  # bodies; by body: parent (-1 ground), point; (a, b, point)


def turned(angle, vector):
    """Return vectors turned by angles; any leading shape."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = np.asarray(vector, float).T
    return np.array([c * x - s * y, s * x + c * y]).T


class Planar:
    """The numbers of a problem, and what follows from them."""

    def __init__(self, said):
        self.name, self.family, self.size, self.duration = (said[k] for k in ("name", "family", "size", "duration"))
        self.gravity = np.array(said["gravity"])
        self.points = {name: np.array(place) for name, place in said["points"].items()}
        self.bodies = [body["points"] for body in said["bodies"]]
        self.mass, self.inertia, self.com = (
            np.array([body[k] for body in said["bodies"]]) for k in ("mass", "inertia", "com")
        )
        self.pins = [tuple(pin) for pin in said["pins"]]
        self.torques, self.loads, self.springs = said["torques"], said["loads"], said["springs"]
        self.omega = np.array(said["omega"])
        self.n = len(self.bodies)

    def arm(self, body, point):
        """Return where a point lies at the start, seen from the centre of mass of a body; of the ground: its place."""
        return self.points[point] - (self.com[body] if body >= 0 else 0.0)

    @property
    def moving(self):
        """Return the moving points, each with the first body that carries it; in order of the points."""
        grounded = {p for _, b, p in self.pins if b < 0}
        first = {p: b for b in reversed(range(self.n)) for p in self.bodies[b]}
        return {p: first[p] for p in self.points if p in first and p not in grounded}

    def ends(self, poses):
        """Return the moving points in given poses (n, 3), one row x, y each."""
        on = list(self.moving.values())
        arms = [self.arm(b, p) for p, b in self.moving.items()]
        return poses[on, :2] + turned(poses[on, 2], arms)

    # -- relative coordinates --------------------------------------------------------------------------------------

    def tree(self):
        """Return a spanning tree by breadth from the ground."""
        parent, pin, order, left = {}, {}, [], list(self.pins)
        level = [-1]
        while level:
            reached, kept = [], []
            for a, b, p in left:
                child, base = (a, b) if b in level else (b, a)
                if base in level and child not in parent and child >= 0:
                    parent[child], pin[child] = base, p
                    reached.append(child)
                else:
                    kept.append((a, b, p))
            order += reached
            level, left = set(reached), kept
        return Tree(order, [parent[b] for b in range(self.n)], [pin[b] for b in range(self.n)], left)

    def relative_speeds(self, tree):
        """Return the speeds of the tree's joints at the start, by body."""
        return np.array([self.omega[b] - (self.omega[a] if a >= 0 else 0.0) for b, a in enumerate(tree.parent)])

    def poses(self, tree, angles):
        """Return the poses of all bodies from the angles of the tree's joints, by body."""
        poses = np.zeros((self.n, 3))
        for b in tree.order:
            a, p = tree.parent[b], tree.pin[b]
            base = poses[a] if a >= 0 else np.zeros(3)
            angle = base[2] + angles[b]
            poses[b, :2] = base[:2] + turned(base[2], self.arm(a, p)) - turned(angle, self.arm(b, p))
            poses[b, 2] = angle
        return poses

    def velocities(self):
        """Return the velocities of all bodies at the start: x, y of the centre of mass, angular."""
        tree, v = self.tree(), np.zeros((self.n, 3))
        for b in tree.order:
            a, p = tree.parent[b], tree.pin[b]
            x, y = self.arm(b, p)
            v[b] = self.omega[b] * y, -self.omega[b] * x, self.omega[b]
            if a >= 0:
                x, y = self.arm(a, p)
                v[b, :2] += v[a, :2] + v[a, 2] * np.array([-y, x])
        return v
