"""Which driver leads a mechanism over its range, and the copies of the mechanism in which it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

from particlemech.errors import ModelError, suggestion
from particlemech.model.description import Description
from particlemech.model.signals import SignalSpec, motion, steady, values
from particlemech.model.spec import FrozenMapping

WORLDS = {  # engine of a mechanism -> what knows its systems
    "particles": "particlemech.analyses.kinematics.plane",
    "recursive": "particlemech.analyses.kinematics.space",
}

MOBILITY = {"particles": "particlemech.result.mobility.plane", "recursive": "particlemech.result.mobility.space"}
NO_FREEDOM = "its joints leave nothing to be driven, it is a structure; ask for the forces in it by equilibrium"


def world(mechanism: Description) -> Any:
    """Return what knows the systems of a mechanism."""
    return import_module(WORLDS[mechanism.engine])


def bare(mechanism: Description) -> Description:
    """Return the mechanism without impulses and initial speeds, which a prescribed motion does not ask."""
    said = {"position": mechanism.initial.position}
    gone = dict.fromkeys(getattr(mechanism, "impulses", {}))
    return mechanism.replaced(initial=type(mechanism.initial)(**said), impulses=gone)


def yielding(mechanism: Description) -> str:
    """Return the bodies that bend and the drives that yield, in words; nothing where there are none."""
    bodies, joints = mechanism.yielding
    return ", ".join([*(f'body "{name}"' for name in bodies), *(f'the drive of joint "{name}"' for name in joints)])


def stiff(mechanism: Any, verb: str) -> Any:
    """Return the mechanism as drawn, straight, where something in it yields; see rigid.py."""
    if not any(mechanism.yielding):
        return mechanism
    from particlemech.analyses.kinematics.rigid import rigid

    return rigid(mechanism, verb)


class Drive(NamedTuple):
    """One driver that leads, and all others, which rest."""

    name: str
    turns: bool  # an angle, rad; else a length
    rate: float  # at which it goes, 1/s
    value: float  # where it is at t = 0, if its motion says so; else where [initial] says
    end: tuple[str, str] | None  # joint and coordinate, of one that the mechanism does not have
    mechanism: Description  # with this driver, others as they are

    def moving(self, offset: float, rate: float, shift: float = 0.0) -> Description:
        """Return the mechanism with this driver at shift + offset + rate t, and all others at rest."""
        rest = {name: values(driver.motion, 0.0)[0] for name, driver in self.mechanism.drivers.items()}
        return led_by(self.mechanism, rest, self.name, shift + offset, rate)


def led_by(
    mechanism: Description, rest: Mapping[str, float], lead: str = "", offset: float = 0.0, rate: float = 1.0
) -> Description:
    """Return the mechanism with its drivers at rest, but for one that goes at offset + rate t.

    No expression depends on a motion, so that none is evaluated again: maps have hundreds of such mechanisms.
    """
    drivers: dict[str, Any] = dict(mechanism.drivers)
    for name, value in rest.items():
        drivers[name] = replace(drivers[name], motion=motion(value))
    if lead:
        drivers[lead] = replace(drivers[lead], motion=steady(rate, offset))
    return mechanism.changed({"drivers": FrozenMapping(drivers), "initial": type(mechanism.initial)()})


def coordinates(mechanism: Description) -> list[str]:
    """Return the coordinates of all joints that could well be driven, as users write them; no angles of balls."""
    found = []
    for name, joint in mechanism.joints.items():
        if joint.bodies and not getattr(joint, "spherical", False):
            names = joint.coordinate_names
            found += [name] if len(names) == 1 else [f"{name}.{of}" for of in names]
    return found


def drive(mechanism: Description, driver: str | None, verb: str) -> Drive:
    """Return the driver that a user names, or the only one; a joint gets one."""
    m, known = mechanism, list(mechanism.drivers)
    if driver is None:
        if len(known) != 1:
            raise ModelError(_unsaid(m, known, verb))
        driver = known[0]
    if not isinstance(driver, str):
        raise ModelError(f"{verb}: driver must be the name of a driver or of a joint, got {driver!r}")
    end = None
    if driver not in m.drivers:
        driver, end, m = _added(m, driver, verb)
    spec = m.drivers[driver]
    return Drive(driver, bool(spec.turns(m)), _rate(spec.motion), values(spec.motion, 0.0)[0], end, m)


def _rate(motion: SignalSpec) -> float:
    """Return the rate of a motion that has one, else 1."""
    if motion.tape() is not None:
        return 1.0
    (_, _, rate, *others, _, _), *more = motion.segments()
    return rate if rate and not more and not any(others) else 1.0


def _unsaid(mechanism: Description, known: list[str], verb: str) -> str:
    """Return what to say where it is not clear what drives."""
    if known:
        names = ", ".join(f'"{name}"' for name in known)
        return f"{verb}: the mechanism has {len(known)} drivers; say which one leads, driver = one of {names}"
    if not coordinates(mechanism):
        return f"{verb}: nothing drives the mechanism, and no joint of it has a coordinate that could be driven"
    if not mechanism.massless and not import_module(MOBILITY[mechanism.engine]).judged(mechanism).by_rank:
        return f"{verb}: {NO_FREEDOM}"
    names = ", ".join(f'"{name}"' for name in coordinates(mechanism)[:8])
    return f"{verb}: nothing drives the mechanism; name a joint to be driven, driver = one of {names}"


def _added(mechanism: Description, said: str, verb: str) -> tuple[str, tuple[str, str] | None, Description]:
    """Return the driver of a joint's coordinate, its end if it is new, and the mechanism with it."""
    joint, _, name = said.partition(".")
    if joint not in mechanism.joints:
        known = [*mechanism.drivers, *coordinates(mechanism)]
        raise ModelError(f'{verb}: no driver or joint "{said}"{suggestion(said, known)}')
    name = mechanism.known_coordinate(joint, name or None)
    plain: Any = type(mechanism).sections["drivers"].plain
    for other, driver in mechanism.drivers.items():
        if getattr(driver, "joint", None) == joint:
            if mechanism.known_coordinate(joint, driver.coordinate) == name:
                return other, None, mechanism
    own = f"{joint} driven"
    while own in mechanism.joints or own in mechanism.drivers:
        own += "'"
    given = mechanism.initial.position.get(joint, {})
    start = mechanism.named(joint, given).get(name, 0.0) if given else 0.0
    spec = plain(joint=joint, coordinate=name, motion=start)
    return own, (joint, name), mechanism.replaced(drivers={own: spec})
