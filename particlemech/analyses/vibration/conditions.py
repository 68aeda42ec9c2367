"""How a mechanism is held while it moves a little: which joints are locked, which drivers are let go, and what acts.

A coordinate that is locked keeps its value, by a driver that holds it; one that is let go loses its driver and stays
where that had it. The base is what floats in space: bodies on free joints of the ground, and those that no joint
carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from particlemech.engine.recursive.compiled import AFLOAT
from particlemech.engine.recursive.topology import ordered
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND, Check, Description
from particlemech.model.drivers import Coordinate as PlanarDriver
from particlemech.model.signals import Constant, values
from particlemech.model.space import joints as spatial
from particlemech.model.space.drivers import Coordinate as SpatialDriver
from particlemech.model.spec import FrozenMapping, shown

Joints = str | Mapping[str, str] | None
Names = str | Iterable[str] | None
BASES = FIXED, TRANSLATES, FREE = ("fixed", "translates", "free")
JOINTS = LOCKED, FREE = ("locked", "free")
PLACES = ("x", "y", "z")  # coordinates of a base that translates
FREEDOMS = 6  # of a joint that ties nothing
HOLDS: dict[str, Any] = {"particles": PlanarDriver, "recursive": SpatialDriver}

Coordinate = tuple[str, str]  # joint, name


class Held(NamedTuple):
    """A mechanism, and how it is held."""

    before: Any  # as it starts, with all its drivers
    after: Any  # without those that are let go
    locked: tuple[Coordinate, ...]
    forces: Mapping[str, Any]  # of the model, those included that do not act

    def holding(self, values: Mapping[Coordinate, float] | None = None) -> dict[str, Any]:
        """Return the drivers that hold what is locked, by name; values are where, by default where it is said to be."""
        kind, found, m = HOLDS[self.before.engine], {}, self.before
        said = m.initial.position
        if values is None:
            values = {(joint, name): x for joint in said for name, x in m.named(joint, said[joint]).items()}
        for joint, name in self.locked:
            alone = len(self.before.joints[joint].coordinate_names) == 1
            at = values.get((joint, name), 0.0)
            label = f"hold {joint}" if alone else f"hold {joint} {name}"
            found[label] = kind(joint=joint, coordinate=name, motion=Constant(value=at))
        return found

    def begun_at(self, position: Mapping[str, Any]) -> Held:
        """Return the same with coordinates of joints where the start shall have them."""
        for joint in position:
            self.before.known_joint(joint)
        said = {**self.before.initial.position, **position}
        before = self.before.replaced(initial={"position": said}, check=Check())
        return self._replace(before=before, after=self.after.replaced(initial=before.initial, check=Check()))

    def resting(self) -> Held:
        """Return the same without speeds at the start, which what is locked cannot have."""
        before, after = (m.replaced(initial=_at_rest(m.initial), check=Check()) for m in (self.before, self.after))
        return self._replace(before=before, after=after)

    def still(self, t: float) -> Held:
        """Return the same with all drivers held where they are at a time, and nothing else moving."""
        of = self.stopped(t, tuple(self.before.drivers))
        before, after = (m.replaced(initial=_at_rest(m.initial), check=Check()) for m in (of.before, of.after))
        return of._replace(before=before, after=after)

    def stopped(self, t: float, drivers: Iterable[str]) -> Held:
        """Return the same with some drivers held where they are at a time."""
        found = []
        for m in self.before, self.after:
            known = [name for name in drivers if name in m.drivers]
            at = {n: replace(m.drivers[n], motion=Constant(value=values(m.drivers[n].motion, t)[0])) for n in known}
            found.append(m.replaced(drivers=at, check=Check()) if at else m)
        return self._replace(before=found[0], after=found[1])

    @property
    def let_go(self) -> tuple[str, ...]:
        """The drivers that are gone."""
        return tuple(name for name in self.before.drivers if name not in self.after.drivers)


def held(
    mechanism: Any,
    asked: str,
    base: str | None = None,
    joints: Joints = None,
    loads: bool = True,
    hold: Names = None,
    release: Names = None,
    t: float = 0.0,
) -> Held:
    """Return a mechanism held otherwise than the model says; without loads and motors if wanted.

    `base` is fixed, translates or free; `joints` is locked or free, for all that follow no motion, or by name; `hold`
    are joints that are locked besides, driven ones where they are at the time t; `release` drivers that are let go.
    """
    if not isinstance(mechanism, Description):
        raise ModelError(f"{asked} takes a Mechanism, got {shown(mechanism)}; read one with load or models.load")
    if base is not None:
        mechanism = based(mechanism, base)
    driven = driven_by(mechanism)
    wanted = _wanted(mechanism, joints, driven)
    stopped = _listed(asked, "hold", hold)
    for name in stopped:
        mechanism.known_joint(name)
        wanted[name] = LOCKED
    locked = {(joint, name) for joint, state in wanted.items() if state == LOCKED for name in _names(mechanism, joint)}
    gone = {
        driven.get((joint, name))
        for joint, state in wanted.items()
        if state == FREE
        for name in _names(mechanism, joint)
    }
    for joint in mechanism.joints if base is not None else ():
        if floats(mechanism, joint):
            free = _names(mechanism, joint) if base == FREE else PLACES if base == TRANSLATES else ()
            gone |= {driven.get((joint, name)) for name in free}
            locked |= {(joint, name) for name in _names(mechanism, joint) if name not in free}
    for name in _listed(asked, "release", release):
        if name not in mechanism.drivers:
            raise ModelError(f'{asked}: release: driver "{name}" unknown{suggestion(name, mechanism.drivers)}')
        gone.add(name)
    before = mechanism
    if not loads and not all(force.elastic for force in mechanism.forces.values()):
        bare = {name: None for name, force in mechanism.forces.items() if not force.elastic}
        before = mechanism.replaced(forces=bare, check=Check())
    for name, force in before.forces.items():
        if force.sampled:
            raise ModelError(
                f'{asked}: force "{name}" acts at instants of its own, which equations of rest and of small motions do '
                "not know; leave its period out: a continuous controller with the same gains"
            )
    after = _without(before, [name for name in mechanism.drivers if name in gone])
    kept = driven_by(after)
    order = [(j, name) for j in mechanism.joints for name in mechanism.joints[j].coordinate_names]
    found = Held(before, after, tuple(at for at in order if at in locked and at not in kept), mechanism.forces)
    return found.stopped(t, [name for (joint, _), name in kept.items() if joint in stopped])


def _at_rest(initial: Any) -> Any:
    """Return what holds at the start, without speeds."""
    speeds = ("rate", "omega", "velocity", "mode_rates", "deflection_rate")
    return replace(initial, **{word: FrozenMapping() for word in speeds if hasattr(initial, word)})


def driven_by(mechanism: Any) -> dict[Coordinate, str]:
    """Return the drivers of coordinates of joints."""
    every = ((name, getattr(driver, "joint", None), driver) for name, driver in mechanism.drivers.items())
    return {(joint, mechanism.known_coordinate(joint, of.coordinate)): name for name, joint, of in every if joint}


def floats(mechanism: Any, joint: str) -> bool:
    """Whether a joint is that of a base."""
    spec = mechanism.joints[joint]
    return bool(spec.dof == FREEDOMS and GROUND in spec.bodies)


def rests(mechanism: Any, driver: str) -> bool:
    """Whether a driver holds still."""
    return isinstance(mechanism.drivers[driver].motion, Constant)


def _names(mechanism: Any, joint: str) -> tuple[str, ...]:
    return tuple(mechanism.joints[joint].coordinate_names)


def based(mechanism: Any, base: str) -> Any:
    """Return the mechanism with a free joint for what no joint carries."""
    if base not in BASES:
        raise ModelError(f'base = "{base}" unknown{suggestion(base, BASES)}')
    if mechanism.engine == "recursive":
        loose = [frame.body for frame in ordered(mechanism).frames if frame.joint.endswith(AFLOAT)]
        mechanism = mechanism.replaced(
            joints={f"base {body}": spatial.Free(bodies=(GROUND, body)) for body in loose}, check=Check()
        )
    if base != FIXED and not any(floats(mechanism, name) for name in mechanism.joints):
        raise ModelError(f'base = "{base}": nothing floats here; carry a body by a "free" joint from the ground')
    return mechanism


def _listed(asked: str, word: str, names: Names) -> tuple[str, ...]:
    """Return names given as one or as several."""
    if names is None:
        return ()
    found = (names,) if isinstance(names, str) else tuple(names)
    for name in found:
        if not isinstance(name, str):
            raise ModelError(f"{asked}: {word}: expected names, got {shown(name)}")
    return found


def _wanted(mechanism: Any, joints: Joints, driven: Mapping[Coordinate, str]) -> dict[str, str]:
    """Return what is wanted of joints, by name."""
    if joints is None:
        return {}
    named = {name for name, joint in mechanism.joints.items() if joint.coordinate_names and not floats(mechanism, name)}
    if isinstance(joints, Mapping):
        wanted = dict(joints)
    else:
        moving = {of for (of, _), name in driven.items() if not rests(mechanism, name)}
        wanted = {name: joints for name in mechanism.joints if name in named - moving}
    for name, state in wanted.items():
        if name not in named:
            raise ModelError(f'joints: joint "{name}" unknown{suggestion(name, named)}')
        if state not in JOINTS:
            raise ModelError(f'joints: "{state}" unknown{suggestion(state, JOINTS)}')
    return wanted


def _without(mechanism: Any, gone: list[str]) -> Any:
    """Return a mechanism without some of its drivers."""
    if not gone:
        return mechanism
    for (joint, _), name in driven_by(mechanism).items():
        drive = getattr(mechanism.joints[joint], "drive", None)
        if name in gone and drive is not None and drive.stiffness is not None and drive.rotor == 0.0:
            raise ModelError(f'joint "{joint}": has a drive, so a free one needs a rotor above zero; give it one')
    return mechanism.replaced(drivers=dict.fromkeys(gone), check=Check())
