"""What the forces of a mechanism do to a chain: loads on links; springs, motors and controllers on coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from particlemech.engine.bending.links import LoadNumbers, Signals3, SpringNumbers
from particlemech.engine.bending.places import Places
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.signals import SignalSpec, signal_vector3
from particlemech.model.space import forces
from particlemech.model.space.mechanism import Mechanism

ZERO = signal_vector3((0.0, 0.0, 0.0))
NOT_YET = "is not there yet where bodies bend or joints have drives"


@dataclass
class OnJoint:
    """What acts on one coordinate of a joint."""

    spring: float = 0.0
    pull: float = 0.0
    stored: float = 0.0
    damper: float = 0.0
    motors: list[tuple[str, SignalSpec]] = field(default_factory=list)
    controllers: list[tuple[str, Callable[..., Any]]] = field(default_factory=list)


class Acting:
    """Collects what acts."""

    def __init__(self, mechanism: Mechanism, places: Places) -> None:
        self.mechanism, self.places = mechanism, places
        self.loads: list[LoadNumbers] = []
        self.springs: list[SpringNumbers] = []
        self.customs: list[tuple[str, int, Callable[..., Any]]] = []
        self.on_joint: dict[tuple[str, str], OnJoint] = {}

    def add(self, name: str) -> None:
        """Add a force of the mechanism."""
        spec = self.mechanism.forces[name]
        LAWS[type(spec)](self, name, spec)

    def coordinate(self, joint: str, coordinate: str | None) -> OnJoint:
        """Return what acts on a coordinate, to be added to."""
        found = self.mechanism.coordinate(joint, coordinate)
        if self.mechanism.joints[joint].spherical and self.mechanism.joints[joint].dof > 3:
            raise ModelError(
                f'acts on {found} of the free joint "{joint}", which {NOT_YET}; give a load on "{self.places.base}"'
            )
        return self.on_joint.setdefault((joint, found), OnJoint())

    def at_place(self, name: str, body: str, place: Any, force: Signals3, moment: Signals3, follows: bool) -> None:
        """Add a force and a moment at a place of a body."""
        at = self.mechanism.place(place, body)
        self.loads.append(LoadNumbers(name, *self.places.on(body, at), np.ones(1), force, moment, follows))


def load(on: Acting, name: str, it: forces.Load) -> None:
    """Add a force at a place of a body."""
    on.at_place(name, it.body, it.point, it.force, ZERO, it.frame == "body")


def torque(on: Acting, name: str, it: forces.Torque) -> None:
    """Add a couple on the second body, and its reaction on the first, which is rigid."""
    first, second = it.bodies
    on.at_place(name, second, it.point, ZERO, it.torque, it.frame == "body")
    if first == GROUND:
        return
    if it.frame == "body" or on.mechanism.bodies[first].bends:
        what = 'frame = "body"' if it.frame == "body" else f'a reaction on "{first}", which bends,'
        raise ModelError(f'{what} {NOT_YET}; let the ground react, or use a "motor" in the joint between them')
    at = on.places.on(first, on.mechanism.centre(first))
    on.loads.append(LoadNumbers(name, *at, -np.ones(1), ZERO, it.torque, False))


def distributed(on: Acting, name: str, it: forces.Distributed) -> None:
    """Add a load along a bending body."""
    for link, at, weight in on.places.along(it.body, it.spread):
        on.loads.append(LoadNumbers(name, link, at, weight, it.force, it.moment, it.frame == "body"))


def motor(on: Acting, name: str, it: forces.Motor) -> None:
    """Add an effort on a coordinate; a moment in the free joint is one on the body that floats."""
    if it.moment is not None:
        if it.joint not in on.mechanism.joints or on.mechanism.joints[it.joint].dof <= 3:
            raise ModelError(f'key "moment": in joint "{it.joint}" {NOT_YET}; give "effort" and "coordinate"')
        on.at_place(name, on.places.base, None, ZERO, it.moment, False)
    elif it.effort is not None:
        on.coordinate(it.joint, it.coordinate).motors.append((name, it.effort))


def torsion(on: Acting, name: str, it: forces.Torsion) -> None:
    """Add a spring and damper on a coordinate."""
    if it.all_round(on.mechanism):
        raise ModelError(f'about all axes of joint "{it.joint}" {NOT_YET}; name a "coordinate"')
    acted = on.coordinate(it.joint, it.coordinate)
    acted.spring += it.stiffness
    acted.pull += it.stiffness * it.free
    acted.stored += 0.5 * it.stiffness * it.free**2
    acted.damper += it.damping


def custom(on: Acting, name: str, it: forces.Custom) -> None:
    """Add a controller on a coordinate, or a force on a rigid body."""
    if it.joint is not None:
        on.coordinate(it.joint, it.coordinate).controllers.append((name, it.function))
    elif it.body is not None:
        if on.mechanism.bodies[it.body].bends:
            raise ModelError(
                f'a Python function on body "{it.body}", which bends, {NOT_YET}; let it act on a rigid body that is '
                'welded to it, which may have mass 0, or on a "joint"'
            )
        link, _ = on.places.on(it.body, on.mechanism.centre(it.body))
        on.customs.append((name, link, it.function))


def spring(on: Acting, name: str, it: forces.Spring) -> None:
    """Add a spring and damper between two places."""
    one, other = (
        on.places.on(body, at) if body != GROUND else np.array(at, dtype=float) for body, at in it.ends(on.mechanism)
    )
    length = it.free(on.mechanism)
    on.springs.append(SpringNumbers(name, (one, other), it.stiffness, it.damping, length))


LAWS: dict[type[forces.ForceSpec], Callable[[Acting, str, Any], None]] = {
    forces.Load: load,
    forces.Torque: torque,
    forces.Distributed: distributed,
    forces.Motor: motor,
    forces.Torsion: torsion,
    forces.Custom: custom,
    forces.Spring: spring,
}
