"""The problems of the benchmark, as mechanisms of the library and as plain numbers for other tools.

All of them ship with the library: Andrews' squeezer and the 3-RRR platform as files, the chain and the N-four-bar as
families of any size. A problem of a family is written with its size, such as "chain-10".
"""

from dataclasses import dataclass

import particlemech as pm
from particlemech.model.description import GROUND
from particlemech.model.forces import Load, Torque
from particlemech.model.mechanism import Mechanism

SMALL = ("andrews", "platform", "chain-10", "n_four_bar-2")
CHAINS = tuple(f"chain-{n}" for n in (10, 30, 100, 300, 1000))
FOUR_BARS = tuple(f"n_four_bar-{n}" for n in (2, 10, 40, 160, 640))
FILES = {"andrews": "andrews_squeezer", "platform": "platform_manipulator"}
FAMILIES = {"chain": pm.models.chain, "n_four_bar": pm.models.n_four_bar}


@dataclass(frozen=True)
class Problem:
    """A mechanism with its name here and, in a family, its size."""

    name: str
    family: str
    size: int
    mechanism: Mechanism

    @property
    def omega(self):
        """Return the angular velocities at the start, by body, rad/s; only the N-four-bar does not start from rest."""
        turning = (b for b in self.mechanism.bodies if b.startswith("crank")) if self.family == "n_four_bar" else ()
        return dict.fromkeys(turning, -1.0)


def problem(name):
    """Return a problem by name."""
    family, _, size = name.partition("-")
    if family in FILES:
        return Problem(name, family, 0, pm.models.load(FILES[family]))
    return Problem(name, family, int(size), FAMILIES[family](int(size)))


def plain(problem):
    """Return a problem as numbers, lists and names only: what a tool that knows nothing of the library needs."""
    mechanism = problem.mechanism
    number = {name: i for i, name in enumerate(mechanism.bodies)} | {GROUND: -1}
    pins = [(number[b], number[j.bodies[0]], j.point) for j in mechanism.joints.values() for b in j.bodies[1:]]
    return {
        "name": problem.name,
        "family": problem.family,
        "size": problem.size,
        "duration": mechanism.run.duration,
        "gravity": mechanism.gravity,
        "points": dict(mechanism.points),
        "bodies": [_body(mechanism, body) for body in mechanism.bodies.values()],
        # a pin holds a body to another one, or to the ground, which is -1
        "pins": [(a, b, p) if a >= 0 else (b, a, p) for a, b, p in pins],
        "omega": [problem.omega.get(b, 0.0) for b in mechanism.bodies],
        **_forces(mechanism, number),
    }


def _body(mechanism, body):
    """Return points, mass, centre of mass and inertia; two points without the last two make a uniform rod."""
    places = [mechanism.points[p] for p in body.points]
    com, inertia = body.com, body.inertia
    if com is None:
        com = tuple(sum(xs) / len(xs) for xs in zip(*places, strict=True))
    if inertia is None:
        (ax, ay), (bx, by) = places
        inertia = body.mass * ((bx - ax) ** 2 + (by - ay) ** 2) / 12.0
    return {"points": body.points, "mass": body.mass, "com": com, "inertia": inertia}


def _forces(mechanism, number):
    """Return the constant torques and loads, and the springs between the ground and a body."""
    found = {"torques": [], "loads": [], "springs": []}
    for force in mechanism.forces.values():
        if isinstance(force, Torque):
            found["torques"].append((number[force.bodies[1]], force.torque.value))
        elif isinstance(force, Load):
            found["loads"].append((number[force.body], force.point, [f.value for f in force.force]))
        else:
            ground, point = force.points
            found["springs"].append((number[force.bodies[1]], point, ground, force.stiffness, force.length))
    return found
