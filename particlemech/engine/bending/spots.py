"""Places of bending bodies, in the drawing: on which part they are, and the shapes there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from particlemech.engine.bending import reduction
from particlemech.engine.bending.links import Shapes
from particlemech.engine.bending.members import member
from particlemech.engine.bending.shapes import Field
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.acting import OnLine
from particlemech.model.description import GROUND
from particlemech.model.space import curves
from particlemech.model.space.forces import Custom, Distributed, ForceSpec, Load, Torque
from particlemech.model.space.forms import Profile, curve
from particlemech.model.space.joints import JointSpec
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import FITS
from particlemech.model.spec import Vector3


def _field(mechanism: Mechanism, body: str) -> Field:
    """Return the shapes of each part of a bending body."""
    bending = mechanism.bending
    return reduction.field(member(mechanism, body), bending.geometry == "consistent", bending.stiffening)


def located(mechanism: Mechanism, body: str, place: Sequence[float]) -> tuple[int, Shapes]:
    """Return the number of the part, from 0, that holds a place of a bending body, and the shapes there (n = 1)."""
    field, n = _field(mechanism, body), mechanism.bodies[body].parts
    x = np.array(place, dtype=float) - mechanism.line(body)[0]
    at, length = float(x @ field.along), n * field.length
    if not -FITS * length <= at <= (1.0 + FITS) * length:
        raise ModelError(
            f'place {list(place)} lies at {at:g} along body "{body}", which bends and runs from 0 to {length:g}; '
            "put it there, or on a rigid body that is welded to it"
        )
    k = 0
    if n > 1:  # a place between two parts is at the end of the first
        k = min(max(int(np.ceil(at / field.length - 1e-9)) - 1, 0), n - 1)
    return k, field.places((x - k * field.length * field.along)[None])


def spread(mechanism: Mechanism, body: str, profile: Profile) -> list[tuple[Vector3, float]]:
    """Return places and weights of a Gauss rule that spreads a load along a bending body."""
    field, n = _field(mechanism, body), mechanism.bodies[body].parts
    first, result = np.array(mechanism.line(body)[0]), []
    for k in range(n):
        weight = curve(profile).part(k / n, (k + 1) / n)
        # every shape, and foreshortening, exactly
        degree = weight.degree + max(1, *(2 * c.degree for c in field.curves), 0)
        xi, w = curves.gauss(curves.together((*field.curves, weight)), degree)
        at: Array = first + np.outer(k + xi, field.length * field.along)
        for (x, y, z), share in zip(at.tolist(), (field.length * w * weight(xi)).tolist(), strict=True):
            result.append(((x, y, z), share))
    return result


def attached(mechanism: Mechanism) -> dict[str, list[Vector3]]:
    """Return the places of bending bodies at which joints, drivers, forces and impulses are attached, by body."""
    found: dict[str, dict[Vector3, None]] = {}
    for named, ends in _attached(mechanism):
        with part(named):
            for body, (x, y, z) in ends:
                if body != GROUND and mechanism.bodies[body].bends:
                    located(mechanism, body, (x, y, z))  # or the part is named
                    found.setdefault(body, {})[float(x), float(y), float(z)] = None
    return {body: list(places) for body, places in found.items()}


def _attached(m: Mechanism) -> Iterator[tuple[str, Iterable[tuple[str, Vector3]]]]:
    """Give each part by name, with bodies and the places on them."""
    for name, joint in m.joints.items():
        yield f'joint "{name}"', ends(m, joint)
    for name, driver in m.drivers.items():
        yield f'driver "{name}"', driver.ends(m)
    for name, force in m.forces.items():
        yield f'force "{name}"', _acting(m, force)
    for name, impulse in m.impulses.items():
        yield f'impulse "{name}"', [(impulse.body, m.place(impulse.point, impulse.body))]


def _acting(m: Mechanism, force: ForceSpec) -> Iterator[tuple[str, Vector3]]:
    """Give the bodies that a force acts on at places, and these."""
    if isinstance(force, Load):
        yield force.body, m.place(force.point, force.body)
    elif isinstance(force, Torque):
        yield from ((body, acting_at(m, force, body)) for body in force.bodies)
    elif isinstance(force, OnLine):
        yield from force.ends(m)
    elif isinstance(force, Custom) and force.body is not None:
        yield force.body, m.place(force.point, force.body)
    elif isinstance(force, Distributed):
        yield from ((force.body, place) for place, _ in spread(m, force.body, force.spread))


def ends(mechanism: Mechanism, joint: JointSpec) -> list[tuple[str, Vector3]]:
    """Return the bodies of a joint, each with the place of the joint on it: one, or that of each end of a rod."""
    points: Any = getattr(joint, "points", None)
    if points is None:
        return [(body, joint.place(mechanism)) for body in joint.bodies]
    return [(body, mechanism.place(point, body)) for point, body in zip(points, joint.bodies, strict=True)]


def acting_at(mechanism: Mechanism, torque: Torque, body: str) -> Vector3:
    """Return where a torque acts on one of its bodies: on the second as said, on a first that bends at its centre."""
    if body == GROUND:
        return 0.0, 0.0, 0.0
    return mechanism.place(torque.point if body == torque.bodies[1] else None, body)
