"""Bodies that bend and drives that yield, taken as rigid: what motions without forces are those of.

How a mechanism bends depends on the forces in it, so that no position follows from its drivers alone. Cycles, toggles,
assemblies, Jacobians and reach are those of the mechanism as drawn, straight and stiff: its limit for high stiffness.
Mass, centre and inertia of a body are those that it has when it is straight, so that efforts and reactions are those of
the stiff mechanism, too. What bends is simulated, or linearised about such a pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.topology import ordered
from particlemech.errors import ModelError
from particlemech.model.description import Check
from particlemech.model.space.parts import Body

LOOSE = "positive"  # the rule for inertias of measured numbers, which bending bodies may have


def rigid(mechanism: Any, verb: str) -> Any:
    """Return a mechanism in which nothing yields, as drawn."""
    bending, soft = mechanism.yielding
    for name, force in mechanism.forces.items():
        if getattr(force, "body", None) in bending and "place" not in force.quantities(mechanism):
            raise ModelError(
                f'{verb}: body "{force.body}" counts as rigid, as drawn, and force "{name}" is spread along it; take '
                "the force out, or give a load in its place"
            )
    joints = {name: {"drive": _stiff(mechanism.joints[name].drive)} for name in soft}
    for name, joint in mechanism.joints.items():
        if set(bending) & set(joint.bodies) and hasattr(joint, "point") and joint.point is None:
            joints.setdefault(name, {})["point"] = joint.place(mechanism)
    said = {"position": mechanism.initial.position}
    return mechanism.replaced(
        bodies=_straight(mechanism, bending), joints=joints, initial=type(mechanism.initial)(**said), check=Check()
    )


def _stiff(drive: Any) -> dict[str, float] | None:
    """Return a drive without its spring."""
    return {"rotor": drive.rotor} if drive.rotor else None


def _straight(mechanism: Any, bending: Sequence[str]) -> dict[str, Body]:
    """Return rigid bodies with mass, centre and inertia of what bends, while it is straight."""
    if not bending:
        return {}
    topology, found = ordered(mechanism), {}
    origins = np.asarray(tabulate(mechanism, topology).origins)
    for name in bending:
        mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        for i in topology.parts(name):
            link, origin = topology.frames[i - 1].link, origins[i]
            assert link is not None
            mass += link.mass
            moment += link.moment + link.mass * origin
            # about the origin of the drawing, from that of the part
            inertia += link.inertia + link.mass * _square(origin) + _mixed(link.moment, origin)
            for m, J, x in zip(link.station_mass, link.station_inertia, link.stations.x, strict=True):
                mass += float(m)
                moment += m * (x + origin)
                inertia += J + m * _square(x + origin)
        com = moment / mass if mass else np.zeros(3)
        J = inertia - mass * _square(com)
        entries = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        spec = mechanism.bodies[name]
        found[name] = Body(
            points=spec.points,
            mass=mass,
            com=tuple(com.tolist()),
            inertia=tuple(float(x) for x in entries),
            inertia_rule=LOOSE,
        )
    return found


def _square(x: Any) -> Any:
    """Return |x|^2 1 - x x^T, (3, 3): what a unit mass at x resists turning with."""
    return float(x @ x) * np.eye(3) - np.outer(x, x)


def _mixed(p: Any, x: Any) -> Any:
    """Return 2 p.x 1 - p x^T - x p^T, (3, 3): what a first moment p adds where it is moved by x."""
    return 2.0 * float(p @ x) * np.eye(3) - np.outer(p, x) - np.outer(x, p)
