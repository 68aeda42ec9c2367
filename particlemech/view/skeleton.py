"""What a picture of a tree in space consists of, as plain lines and boxes in its units of length; no drawing here.

A body is shown by the lines from its joint to all that hangs on it, and by the box of the same mass and inertia, or by
the disk where it is flat and round:

    a_i^2 = 6 (I_j + I_k - I_i) / m        edges along the principal axes; a slender rod is a line of its length    (1)
    R^2 = 2 I_3 / m                        disk, I_1 = I_2 = I_3/2                                                  (2)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from particlemech.description import GROUND
from particlemech.system import Array
from particlemech.tree.forces import Spring
from particlemech.tree.mechanism import Mechanism
from particlemech.tree.observed import Observed
from particlemech.tree.parts import Body

FLAT = 1e-3  # of the longest edge: what counts as no thickness, and as no difference
ROUND = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)])
CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))  # (8, 3)
FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))  # corners of each


@dataclass(frozen=True)
class Bone:
    """One body at one instant."""

    body: str
    lines: Array  # (n, 2, 3) from its joint to its centre of mass, its points, and the joints that hang on it
    faces: tuple[Array, ...]  # (n, 3) each, of its box or disk; none where that is a mere line


@dataclass(frozen=True)
class Skeleton:
    """A tree at one instant."""

    bones: tuple[Bone, ...]
    joints: Array  # (n, 3) places between bodies
    held: Array  # (n, 3) places on the ground
    springs: Array  # (n, 2, 3)

    @property
    def places(self) -> Array:
        """All ends of lines and corners of boxes, (n, 3)."""
        parts = [part for bone in self.bones for part in (bone.lines.reshape(-1, 3), *bone.faces)]
        return np.vstack([*parts, self.joints, self.held, self.springs.reshape(-1, 3)])


def skeleton(motion: Observed, k: int = -1, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Skeleton:
    """Return a tree at sample k of a motion, moved aside by `shift`."""
    m, aside = motion.mechanism, np.array(shift)

    def place(body: str, drawn: Array) -> Array:
        """Return where places of the drawing, (..., 3), that are fixed on a body are now."""
        if body == GROUND:
            return drawn + aside
        turned = (drawn - np.array(m.bodies[body].com)) @ motion.orientation(body)[k].T
        return motion.com(body)[k] + turned + aside

    bones = tuple(
        Bone(name, place(name, _lines(m, name)), tuple(place(name, face) for face in faces(body)))
        for name, body in m.bodies.items()
    )
    inner = [motion.place(name)[k] + aside for name, j in m.joints.items() if j.parent != GROUND]
    held = [motion.place(name)[k] + aside for name, j in m.joints.items() if j.parent == GROUND and j.dof < 6]
    springs = [
        [place(body, np.array(m.place(at, body))) for body, at in zip(force.bodies, force.points, strict=True)]
        for force in m.forces.values()
        if isinstance(force, Spring)
    ]
    joints, ends = np.reshape(inner, (-1, 3)), np.reshape(springs, (-1, 2, 3))
    return Skeleton(bones, joints, np.reshape(held, (-1, 3)), ends)


def _lines(m: Mechanism, body: str) -> Array:
    """Return the lines of a body in the drawing, (n, 2, 3)."""
    start = np.array(m.place(m.joints[m.inboard[body]].point, body))
    ends = [m.place(j.point, j.child) for j in m.joints.values() if j.parent == body]
    ends += [m.points[p] for p in m.bodies[body].points]
    com = m.bodies[body].com
    to_com = np.array(com) - start
    if not any(_along(to_com, np.array(end) - start) for end in ends):
        ends.append(com)
    return np.array([(start, end) for end in dict.fromkeys(ends)])


def _along(inner: Array, outer: Array) -> bool:
    """Return whether one vector lies on another that starts from the same place."""
    way = float(outer @ outer)
    reach = float(inner @ outer) / way if way > 0.0 else 0.0
    return 0.0 <= reach <= 1.0 and float(np.linalg.norm(inner - reach * outer)) <= FLAT * way**0.5


# -- solids ------------------------------------------------------------------------------------------------------


def faces(body: Body) -> list[Array]:
    """Return the faces of the box or disk with the mass and inertia of a body, in the drawing, (n, 3) each."""
    if body.mass == 0.0:
        return []
    xx, yy, zz, xy, xz, yz = body.tensor
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # smallest first
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / body.mass, 0.0))  # (1), longest first
    if edges[1] <= FLAT * edges[0]:
        return []
    if edges[2] <= FLAT * edges[0] and edges[0] - edges[1] <= FLAT * edges[0]:
        return [np.array(body.com) + np.sqrt(2.0 * moments[2] / body.mass) * ROUND @ axes[:, :2].T]  # (2)
    corners = np.array(body.com) + (CORNERS * edges) @ axes.T
    return [corners[list(face)] for face in FACES]
