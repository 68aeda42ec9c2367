"""What holds the centres of wheels: the bodies on which a place of another body is fixed; and what they lose there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from particlemech._tape import dist, hypot
from particlemech.model.freedom import Freedom
from particlemech.model.friction import Friction
from particlemech.model.primitives import GROUND
from particlemech.model.spec import Vector

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

FITS = 1e-6  # relative: by so much radii may miss the drawn distance, they are brought to it


def holding(mechanism: Mechanism, body: str, at: Vector) -> set[str]:
    """Return the bodies on which a place of a body is fixed: through pins at that place, and welds."""
    found, rest = {body}, [body]
    near = 1e-9 * max(1e-30, *(abs(c) for p in mechanism.points.values() for c in p), *(abs(c) for c in at))
    while rest:
        here = rest.pop()
        for joint in mechanism.joints.values():
            pin = joint.dof == 1 and not joint.moment and joint.point is not None
            if here not in joint.bodies or not (pin or joint.dof == 0):
                continue
            if pin and dist(mechanism.drawn(joint.point), at) > near:
                continue
            rest += [b for b in joint.bodies if b not in found]
            found |= {*joint.bodies}
    return found


def carrier_of(mechanism: Mechanism, wheels: Sequence[str], at: Sequence[Vector], wanted: str | None) -> str | None:
    """Return a body that holds the centres of all wheels, the wanted one if any; None if there is none."""
    common = {GROUND, *mechanism.bodies}
    for body, centre in zip(wheels, at, strict=True):
        common &= holding(mechanism, body, centre)
    if wanted is not None:
        mechanism.known_body(wanted)
        return wanted if wanted in common else None
    return next((b for b in (GROUND, *mechanism.bodies) if b in common and b not in wheels), None)


def sliding(mechanism: Mechanism, body: str, axis: Vector) -> set[str]:
    """Return the bodies against which a body moves along a direction at most."""
    found, rest = {body}, [body]
    while rest:
        here = rest.pop()
        for joint in mechanism.joints.values():
            along = joint.axis if joint.dof == 1 and joint.moment else None
            if here not in joint.bodies or (along is None and joint.dof > 0):
                continue
            if along is not None:
                x, y = along
                if abs(x * axis[1] - y * axis[0]) > FITS * hypot(x, y) * hypot(*axis):
                    continue
            rest += [b for b in joint.bodies if b not in found]
            found |= {*joint.bodies}
    return found


def losing(efficiency: float) -> Friction | None:
    """Return what an efficiency is as friction, gears.py (2)."""
    return Friction(mu=(1.0 - efficiency) / (1.0 + efficiency)) if efficiency < 1.0 else None


def ground_first(one: str, other: str) -> tuple[str, str]:
    """Return two bodies, the ground first."""
    return (other, one) if other == GROUND else (one, other)


def turning(carrier: str, body: str) -> Freedom:
    """Return how a wheel turns against its carrier."""
    return Freedom("angle", True, *ground_first(carrier, body))
