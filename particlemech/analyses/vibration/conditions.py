"""How a mechanism is held while it vibrates: which joints and bases are locked, which are let go, and what acts.

A coordinate that is locked keeps its value at the start; one that is let go loses its driver and starts where the
driver had it. The base is what floats: bodies on free joints of the ground, and those that no joint carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from particlemech.engine.recursive.compiled import AFLOAT, Coordinate
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND, Check
from particlemech.model.signals import Constant
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown

Joints = str | Mapping[str, str] | None
BASES = FIXED, TRANSLATES, FREE = ("fixed", "translates", "free")
JOINTS = LOCKED, FREE = ("locked", "free")
PLACES = ("x", "y", "z")  # coordinates of a base that translates
FREEDOMS = 6  # of a joint that ties nothing


class Held(NamedTuple):
    """A mechanism, and what of it is locked."""

    mechanism: Mechanism
    joints: frozenset[str]  # whose coordinates are locked
    base: str | None  # how what floats is held; None: as in the model

    def locks(self, coordinate: Coordinate) -> bool:
        """Whether a coordinate is locked; those of deflections never are."""
        if coordinate.deflects:
            return False
        if self.base is not None and floats(self.mechanism, coordinate.joint):
            return self.base == FIXED or (self.base == TRANSLATES and coordinate.name not in PLACES)
        return coordinate.joint in self.joints


def held(mechanism: Any, asked: str, base: str | None = None, joints: Joints = None, loads: bool = True) -> Held:
    """Return a mechanism held otherwise than the model says; without loads and motors if wanted.

    `base` is fixed, translates or free; `joints` is locked or free, for all that follow no motion, or by name.
    """
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"{asked} takes a mechanism in space, got {shown(mechanism)}; read one with load")
    if base is not None:
        _check_base(mechanism, base)
    wanted = _wanted(mechanism, joints)
    let_go = {name: mechanism.joints[name].coordinate_names for name, state in wanted.items() if state == FREE}
    if base in (TRANSLATES, FREE):
        for name, joint in mechanism.joints.items():
            if floats(mechanism, name):
                let_go[name] = joint.coordinate_names if base == FREE else PLACES
    changed = _let_go(mechanism, let_go)
    if not loads and not all(force.elastic for force in changed.forces.values()):
        bare = {name: None for name, force in changed.forces.items() if not force.elastic}
        changed = changed.replaced(forces=bare, check=Check())
    return Held(changed, frozenset(name for name, state in wanted.items() if state == LOCKED), base)


def floats(mechanism: Mechanism, joint: str) -> bool:
    """Whether a joint is that of a base."""
    if joint.endswith(AFLOAT):
        return True
    spec = mechanism.joints[joint]
    return spec.dof == FREEDOMS and GROUND in spec.bodies


def _check_base(mechanism: Mechanism, base: str) -> None:
    if base not in BASES:
        raise ModelError(f'base = "{base}" unknown{suggestion(base, BASES)}')
    if base != FIXED and not any(floats(mechanism, name) for name in mechanism.joints):
        raise ModelError(f'base = "{base}": nothing floats here; carry a body by a "free" joint from the ground')


def _wanted(mechanism: Mechanism, joints: Joints) -> dict[str, str]:
    """Return what is wanted of joints, by name."""
    if joints is None:
        return {}
    named = {name for name, joint in mechanism.joints.items() if joint.coordinate_names and not floats(mechanism, name)}
    if isinstance(joints, Mapping):
        wanted = dict(joints)
    else:
        moving = {of for (of, _), name in mechanism.driven.items() if not _rests(mechanism, name)}
        wanted = dict.fromkeys(named - moving, joints)
    for name, state in wanted.items():
        if name not in named:
            raise ModelError(f'joints: joint "{name}" unknown{suggestion(name, named)}')
        if state not in JOINTS:
            raise ModelError(f'joints: "{state}" unknown{suggestion(state, JOINTS)}')
    return wanted


def _rests(mechanism: Mechanism, driver: str) -> bool:
    return isinstance(mechanism.drivers[driver].motion, Constant)


def _let_go(mechanism: Mechanism, joints: Mapping[str, tuple[str, ...]]) -> Mechanism:
    """Return a mechanism without the drivers of coordinates of joints, which start where the drivers had them."""
    gone = {
        (joint, name): driver for (joint, name), driver in mechanism.driven.items() if name in joints.get(joint, ())
    }
    if not gone:
        return mechanism
    position, rate = dict(mechanism.initial.position), dict(mechanism.initial.rate)
    for joint in {joint for joint, _ in gone}:
        drive = getattr(mechanism.joints[joint], "drive", None)
        if drive is not None and drive.stiffness is not None and drive.rotor == 0.0:
            raise ModelError(f'joint "{joint}": has a drive, so a free one needs a rotor above zero; give it one')
        position[joint] = mechanism.position(joint)
        if any(mechanism.rate(joint).values()):
            rate[joint] = mechanism.rate(joint)
    return mechanism.replaced(
        drivers=dict.fromkeys(gone.values()), initial={"position": position, "rate": rate}, check=Check()
    )
