"""Random mechanisms in space with loops: all kinds of joints, drivers and forces, some over-constrained, some bending.

Bodies hang on each other at random, closing joints tie them into one to three loops, and joints of the loops are made
looser or stiffer until one to five freedoms are left. Some get what holds more than needed (a second hinge in line, a
plane four-bar), a coupling, a rotor on a joint, a body afloat. Every third has bodies that bend, with joints at either
end or between. They start as drawn and move: as velocities, impulses or the rate of one joint say.

What is nearly singular as drawn is not made: there the accelerations themselves, not their computation, lose digits.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

import particlemech as pm
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import unstruck_state
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.space import Body, Impulse, Mechanism, drivers, forces, joints
from particlemech.run.start import projected, weights
from tests.support.random_loops import body, direction, start_of, vector, wave, waves

TRIES = 200  # drawings
HELD, REDUNDANT = 0.02, 1e-12  # singular values of the rows between these parts of the largest are no clear case
FREEDOMS = (1, 8)  # least and most
MOVES = 0.02  # of the largest velocity: every body in a loop has at least this
IN_LOOPS = {  # how often they are drawn
    joints.Revolute: 6, joints.Prismatic: 2, joints.Cylindrical: 3, joints.Spherical: 4, joints.Universal: 3,
    joints.Screw: 2, joints.Slot: 2, joints.Weld: 1, joints.Distance: 3, joints.Free: 1,
}  # fmt: skip
SIDEWAYS = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))  # powers of x/L
FORCES = tuple(kind for kind in forces.KINDS if kind.in_file and not kind.called)
STARTS = ("velocities", "impulses", "rate", "at rest")


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


def numbers(place):
    return tuple(float(x) for x in place)


class Sketch:
    """A mechanism while it is being drawn."""

    def __init__(self, rng, bends):
        self.rng = rng
        self.points, self.bodies, self.joints, self.drivers, self.forces = {}, {}, {}, {}, {}
        self.centre = {GROUND: np.zeros(3)}
        self.line = {}  # of bending bodies
        self.loops = []  # joints in loops that may be looser or stiffer
        self.closing = 0
        for k in range(int(rng.integers(2, 5 if bends else 7))):
            self.hang(f"b{k}", bends and rng.random() < 0.5)

    def pick(self, of, weights=None):
        of = list(of)
        p = None if weights is None else np.array(list(weights)) / sum(weights)
        return of[int(self.rng.choice(len(of), p=p))]

    def on(self, name, near=0.3):
        """Return a place on a body: on the line of one that bends."""
        if name in self.line:
            one, other = self.line[name]
            return numbers(one + self.pick([0.0, 0.5, 1.0], [1, 1, 3]) * (other - one))
        return numbers(self.centre[name] + near * self.rng.normal(size=3))

    # -- bodies and joints ---------------------------------------------------------------------------------------------

    def hang(self, name, bends):
        """Add a body on another."""
        rng, parents = self.rng, list(self.centre)
        parent = parents[-1] if rng.random() < 0.6 else self.pick(parents)
        place = self.on(parent)
        if bends:
            end = np.array(place) + rng.uniform(0.4, 0.8) * np.array(direction(rng))
            self.bending(name, np.array(place), end)
        else:
            at = numbers(np.array(place) + 0.35 * rng.normal(size=3))
            self.points[f"G_{name}"], self.bodies[name], self.centre[name] = at, body(rng, name, at), np.array(at)
        if rng.random() > 0.04:  # or else it floats
            self.join(parent, name, place)

    def bending(self, name, one, other, across=None):
        """Add a bending body; `across` are the directions in which it does, default two."""
        rng = self.rng
        along = unit(other - one)
        if across is None:
            first = unit(np.cross(along, direction(rng)))
            across = (first, np.cross(along, first))
        modes = [{"along": numbers(u), "shape": shape} for u in across for shape in SIDEWAYS[: rng.integers(1, 3)]]
        given = {"density": float(rng.uniform(0.5, 2.0)), "EI": float(rng.uniform(10.0, 40.0))}
        given["rotary"] = (0.004, 0.005, 0.006)
        if len(across) > 1 and rng.random() < 0.4:
            modes.append({"about": numbers(along), "shape": (0.0, 1.0)})
            given["GJ"] = float(rng.uniform(5.0, 20.0))
        if rng.random() < 0.5:
            given["damping"] = (0.0, float(rng.uniform(1e-4, 1e-3)))
        if rng.random() < 0.3:
            given["sublinks"] = 2
            if rng.random() < 0.3:
                given["keep"] = 3
        if rng.random() < 0.2:
            given["lumps"] = [{"x": float(rng.uniform(0.2, 0.8) * np.linalg.norm(other - one)), "mass": 0.3}]
        self.points |= {f"A_{name}": numbers(one), f"G_{name}": numbers(0.5 * (one + other))}
        self.points[f"B_{name}"] = numbers(other)
        self.bodies[name] = Body(points=(f"A_{name}", f"B_{name}", f"G_{name}"), modes=modes, **given)
        self.line[name], self.centre[name] = (one, other), 0.5 * (one + other)

    def joint(self, kind, bodies, place):
        rng = self.rng
        given = {
            "point": place, "axis": direction(rng), "axes": (direction(rng), direction(rng)), "points": (place, place),
            "pitch": float(self.pick([-1.0, 1.0]) * rng.uniform(0.05, 0.2)),
            "coordinates": self.pick(["quaternion", "angles"], [2, 1]),
        }  # fmt: skip
        if kind is joints.Distance:
            given["points"] = tuple(self.on(b) for b in bodies)
        keys = {field.name for field in fields(kind)}
        return kind(bodies=bodies, **{key: value for key, value in given.items() if key in keys})

    def join(self, one, other, place, kind=None):
        """Add a joint, either way round."""
        kind = kind or self.pick(IN_LOOPS, IN_LOOPS.values())
        bodies = (one, other) if self.rng.random() < 0.7 else (other, one)
        name = f"j{len(self.joints)}"
        self.joints[name] = self.joint(kind, bodies, place)
        return name

    def close(self):
        """Close a loop."""
        for _ in range(20):
            one, other = (self.pick(self.centre) for _ in range(2))
            if one == other:
                continue
            if one in self.line and other in self.line:
                self.join(one, other, None, joints.Distance)
            else:
                bent = [b for b in (one, other) if b in self.line]
                middle = numbers(0.5 * (self.centre[one] + self.centre[other]) + 0.2 * self.rng.normal(size=3))
                self.join(one, other, self.on(bent[0]) if bent else middle)
            self.closing += 1
            return

    def four_bar(self):
        """Add a plane four-bar on a body, which moves although its joints hold more than needed."""
        rng = self.rng
        base = self.pick([b for b in self.centre if b not in self.line])
        x, z = unit(direction(rng)), None
        z = unit(np.cross(x, direction(rng)))
        y, o = np.cross(z, x), np.array(self.on(base))
        names, corners = ["crank", "coupler", "rocker"], ((0.0, 0.0), (0.1, 0.3), (0.7, 0.5), (0.6, 0.0))
        at = [o + (p + 0.05 * rng.normal()) * x + (q + 0.05 * rng.normal()) * y for p, q in corners]
        for k, name in enumerate(names):
            if name == "coupler" and self.line:
                self.bending(name, at[1], at[2], (np.cross(z, at[2] - at[1]),))
                continue
            g = numbers(0.5 * (at[k] + at[k + 1]) + 0.1 * rng.normal(size=3))
            self.points[f"G_{name}"], self.bodies[name], self.centre[name] = g, body(rng, name, g), np.array(g)
        for k, bodies in enumerate(zip([base, *names], [*names, base], strict=True)):
            self.joints[f"bar{k}"] = joints.Revolute(bodies=bodies, point=numbers(at[k]), axis=numbers(z))

    def in_line(self):
        """Add a second hinge in line with another, if there is one between rigid bodies."""
        found = [
            j for j in self.joints.values() if isinstance(j, joints.Revolute) and not {*j.bodies} & self.line.keys()
        ]
        if found:
            first = self.pick(found)
            apart = numbers(np.array(first.point) + 0.3 * np.array(first.direction))
            self.joints[f"j{len(self.joints)}"] = replace(first, point=apart)

    def eased(self, least, most):
        """Make joints looser or stiffer until there are as many freedoms as asked."""
        for _ in range(100):
            floating = 6 * len([b for b in self.bodies if b.startswith("b")])
            left = floating - sum(6 - j.dof for name, j in self.joints.items() if name.startswith("j"))
            if least <= left <= most:
                return
            own = [name for name in self.joints if name.startswith("j")]
            name = self.pick(own)
            old = self.joints[name]
            kind = self.pick(IN_LOOPS, IN_LOOPS.values())
            if kind.dof != old.dof and (kind.dof > old.dof) == (left < least):
                if isinstance(old, joints.Distance):
                    if all(b in self.line for b in old.bodies):
                        continue
                    place = next((p for p, b in zip(old.points, old.bodies, strict=True) if b in self.line), None)
                    place = place or old.points[0]
                else:
                    place = old.point
                self.joints[name] = self.joint(kind, old.bodies, place)

    def coordinates(self, countable=False):
        """Return joints with the coordinates on which something can act."""
        return [
            (name, x)
            for name, j in self.joints.items()
            for x in j.coordinate_names
            if not (j.spherical and x.startswith("angle") and (countable or getattr(j, "quaternion", False)))
        ]

    def coupled(self):
        """Couple two joints."""
        found = self.coordinates(countable=True)
        if len({name for name, _ in found}) > 1:
            one = self.pick(found)
            other = self.pick([end for end in found if end[0] != one[0]])
            ratio = float(self.pick([-1.0, 1.0]) * self.rng.uniform(0.4, 1.5))
            both = {"joints": (one[0], other[0]), "coordinates": (one[1], other[1])}
            self.joints["gear"] = joints.Coupling(ratio=ratio, **both)

    # -- what acts -----------------------------------------------------------------------------------------------------

    def drive(self):
        """Add a driver."""
        rng, kind = self.rng, self.pick(drivers.KINDS, [4, 1, 1])
        name, motion = f"d{len(self.drivers)}", start_of(wave(rng, 0.3))
        if kind is drivers.Coordinate:
            found = [(j, x) for j, spec in self.joints.items() for x in spec.coordinate_names]
            if found:
                joint, coordinate = self.pick(found)
                self.drivers[name] = kind(joint=joint, coordinate=coordinate, motion=motion)
            return
        b = self.pick(self.bodies)
        if kind is drivers.Position:
            point = self.pick(self.bodies[b].points)
            self.drivers[name] = kind(point=point, axis=self.pick("xyz"), motion=motion)
            return
        other = self.pick([c for c in self.centre if c != b])
        self.drivers[name] = kind(points=(self.on(other), self.on(b)), bodies=(other, b), motion=motion)

    def push(self):
        """Add a force."""
        rng, kind = self.rng, self.pick(FORCES)
        name, frame = f"f{len(self.forces)}", self.pick(["global", "body"])
        b = self.pick(self.bodies)
        other = self.pick([c for c in self.centre if c != b])
        law = {"stiffness": float(rng.uniform(0.5, 20.0)), "damping": float(rng.uniform(0.0, 0.5))}
        if kind is forces.Load:
            made = kind(body=b, point=self.on(b), force=waves(rng, 3.0), frame=frame)
        elif kind is forces.Torque:
            made = kind(bodies=(other, b), torque=waves(rng, 0.3), frame=frame)
        elif kind is forces.Spring:
            rest = float(rng.uniform(0.1, 0.8))
            made = kind(bodies=(other, b), points=(self.on(other, 0.6), self.on(b)), length=rest, **law)
        elif kind is forces.Cylinder:
            pressures = {
                "pressure": waves(rng, 3.0)[0],
                "rod_pressure": waves(rng, 3.0)[1],
                "area": 1.0,
                "rod_area": 0.3,
            }
            made = kind(
                bodies=(other, b), points=(self.on(other, 0.6), self.on(b)), damping=law["damping"], **pressures
            )
        elif kind is forces.Distributed:
            if not self.line:
                return
            made = kind(body=self.pick(self.line), force=waves(rng, 3.0), frame=frame)
        else:
            made = self.in_joint(kind, law)
            if made is None:
                return
        self.forces[name] = made

    def in_joint(self, kind, law):
        """Return a force in a joint, or None."""
        rng = self.rng
        balls = [name for name, j in self.joints.items() if j.spherical and j.dof == 3]
        if balls and rng.random() < 0.4:
            joint = self.pick(balls)
            return kind(joint=joint, moment=waves(rng, 0.3)) if kind is forces.Motor else kind(joint=joint, **law)
        found = self.coordinates()
        if not found:
            return None
        joint, coordinate = self.pick(found)
        if kind is forces.Motor:
            return kind(joint=joint, coordinate=coordinate, effort=wave(rng, 1.0))
        rest = {"angle" if coordinate.startswith("angle") else "length": float(rng.uniform(-1.0, 1.0))}
        return kind(joint=joint, coordinate=coordinate, **rest, **law)

    def mechanism(self, seed):
        """Return what has been drawn, at rest."""
        order = [str(name) for name in self.rng.permutation(list(self.joints))]
        return Mechanism(
            name=f"space {seed}", points=self.points, drivers=self.drivers, forces=self.forces,
            gravity=(0.3, -0.5, -9.81) if self.rng.random() < 0.8 else (0.0, 0.0, 0.0),
            bodies={str(name): self.bodies[name] for name in self.rng.permutation(list(self.bodies))},
            joints={name: self.joints[name] for name in order},
        )  # fmt: skip


def drawing(rng, seed):
    """Return a mechanism at rest."""
    s = Sketch(rng, bends=seed % 3 == 0)
    for _ in range(int(rng.integers(1, 4))):
        s.close()
    driven = int(rng.choice([0, 1, 2], p=[0.6, 0.3, 0.1]))
    s.eased(1 + driven, 5 + driven)
    if rng.random() < 0.15:
        s.in_line()
    if rng.random() < 0.12:
        s.four_bar()
    if rng.random() < 0.15:
        s.coupled()
    for _ in range(driven):
        s.drive()
    for _ in range(int(rng.integers(0, 6))):
        s.push()
    if rng.random() < 0.15 and (found := [n for n, j in s.joints.items() if hasattr(j, "drive")]):
        name, yields = s.pick(found), {"stiffness": 30.0, "damping": 0.1} if rng.random() < 0.5 else {}
        s.joints[name] = replace(s.joints[name], drive=joints.Drive(rotor=0.05, **yields))
    if seed % 3 == 0 and not s.line:
        raise ModelError("nothing bends")
    return s.mechanism(seed)


def clear(made, q):
    """Whether all rows either hold by far or follow from others, and as many freedoms are left as asked."""
    G = weights(made)[:, None] * made.levels(0.0, q, np.zeros(made.n_v)).phi_q * made.size_v / made.scale.length
    for row, along in zip(made.layout.rows, G, strict=True):
        joint = made.mechanism.joints.get(row.part.split('"')[1])
        if isinstance(joint, joints.Distance) and np.linalg.norm(along) < HELD:
            return False  # a rod along what is stiff already
    sizes = np.linalg.svd(G, compute_uv=False)
    largest = sizes.max(initial=1.0)
    held = sizes > HELD * largest
    modal = sum(b.n_coordinates for b in made.mechanism.bodies.values() if b.bends)
    inside = FREEDOMS[0] <= made.n_v - np.sum(held) - modal <= FREEDOMS[1] or len(made.mechanism.drivers) > 0
    # along a beam that cannot stretch, rows that follow as drawn do so no longer once it bends; a plane one keeps them
    if made.mechanism.bends and "crank" not in made.mechanism.bodies:
        return inside and bool(held.all())
    return inside and bool(np.all(held | (sizes < REDUNDANT * largest)))


def started(rng, mechanism):
    """Return the mechanism in motion, or None where not every body takes part or it is nearly singular."""
    made = system(mechanism)
    if not made.n_row:
        return None
    y, lay = unstruck_state(made), made.layout
    if not clear(made, y[lay.q]):
        return None
    y[lay.v] = projected(made, 0.0, y[lay.q], rng.normal(size=made.n_v))
    seen = made.observed(np.zeros(1), y[None], np.zeros((1, len(made.compiled.coordinates))), told=False)
    at = {b: ("A_" if spec.bends else "G_") + b for b, spec in mechanism.bodies.items()}
    turns = {b: numbers(seen.omega(b)[0]) for b in at}
    speeds = {p: numbers(seen.velocity(p)[0]) for p in at.values()}
    way = [np.linalg.norm(turns[b]) + np.linalg.norm(speeds[p]) for b, p in at.items()]
    if min(way) < MOVES * max(way):
        return None
    bends = {b: numbers(seen.modal_rate(b)[0]) for b, spec in mechanism.bodies.items() if spec.bends}
    how = rng.choice(STARTS, p=[0.5, 0.3, 0.1, 0.1])
    yields = any(getattr(j, "drive", None) and j.drive.stiffness for j in mechanism.joints.values())
    if how == "velocities" and not yields:
        return mechanism.replaced(initial={"omega": turns, "velocity": speeds, "mode_rates": bends})
    if how == "impulses":
        hits = {
            f"hit {b}": Impulse(body=b, impulse=vector(rng, 0.5), moment=vector(rng, 0.05))
            for b, spec in mechanism.bodies.items()
        }
        return mechanism.replaced(impulses=hits)
    free = [(j, x) for j, spec in mechanism.joints.items() for x in spec.coordinate_names if not spec.spherical]
    free = [end for end in free if end not in mechanism.driven]
    if how == "rate" and free:
        joint, coordinate = free[int(rng.integers(len(free)))]
        return mechanism.replaced(initial={"rate": {joint: {coordinate: float(rng.uniform(0.5, 2.0))}}})
    return mechanism if mechanism.drivers or mechanism.forces or any(mechanism.gravity) else None


def drawn_in_space(seed):
    """Return the mechanism of a seed."""
    rng = np.random.default_rng([23, seed])
    for _ in range(TRIES):
        try:
            found = started(rng, drawing(rng, seed))
            if found is None:
                continue
            pm.simulate(found, duration=1e-9, samples=2, rtol=1e-6)
        except ModelError:
            continue  # what cannot be written down, or not start, is not judged here
        return found
    raise LookupError(f"seed {seed} draws no mechanism")
