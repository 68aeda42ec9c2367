"""A serial manipulator with flexible links and joints: what the user said, and checked.

The links hang on each other in the order in which they stand; one joint carries each. Places are given in the axes of
their link, undeflected, and [initial] says where the coordinates start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from particlemech._spec import FrozenMapping, Vector3, choice, key, shown, text, vector3
from particlemech.description import GROUND, Check, Description, Run, Section, format_one, spec_of, table_of
from particlemech.errors import ModelError, part, suggestion
from particlemech.flexible import forces, joints, local_inertia, stations
from particlemech.flexible.forces import ForceSpec
from particlemech.flexible.forms import truth
from particlemech.flexible.joints import JointSpec
from particlemech.flexible.links import DRIVEN, FIXED, FLOATS, FREE, LOCKED, TRANSLATES, LinkNumbers
from particlemech.flexible.parts import BASE, FITS, NOTHING, Base, Driver, Initial, Link, Point
from particlemech.signals import values
from particlemech.units import Units as Units
from particlemech.units import system

AGREED = 1e-9  # difference of a start and of the motion that prescribes it, as a fraction
MOTIONS = {"fixed": FIXED, "translates": TRANSLATES, "free": FLOATS}  # of the base
GEOMETRIES = {"consistent": True, "report": False}  # whether slopes of bending are passed on


def checked(mechanism: object, asked: str) -> None:
    """Raise where something that is no flexible manipulator is given to a function of them."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(
            f'{asked} takes a flexible manipulator, got {shown(mechanism)}; read one of kind = "flexible" with load'
        )


@dataclass(frozen=True, kw_only=True)
class Mechanism(Description):
    """A base and a chain of links, rigid or flexible; radians, and units of the user's choice."""

    sections = FrozenMapping(
        {
            "points": Section("point", "[points.NAME]", spec=Point),
            "links": Section("link", "[links.NAME]", spec=Link),
            "joints": Section("joint", "[joints.NAME]", kinds=joints.NAMES),
            "drivers": Section("driver", "[drivers.NAME]", spec=Driver),
            "forces": Section("force", "[forces.NAME]", kinds=forces.NAMES),
        }
    )

    format: int = key(format_one, "version of the model format", 1)
    kind: str = key(choice("flexible"), "family of mechanisms", "flexible")
    name: str = key(text, "title", "flexible manipulator")
    about: str = key(text, "one line a reader needs; where the data come from", "")
    units: str = key(system, "system of units of all numbers", "SI")
    gravity: Vector3 = key(vector3, "length/s^2", NOTHING)
    geometry: str = key(
        choice(*GEOMETRIES), "whether bending turns the next link (consistent), or not, as published", "consistent"
    )
    stiffening: bool = key(truth, "whether links shorten as they bend, which stiffens them in tension", True)
    base: Base = key(spec_of(Base), "link 0", Base())
    points: Mapping[str, Point] = key(table_of(Point), "places that results follow", FrozenMapping())
    links: Mapping[str, Link] = key(table_of(Link), "the links, from the base outward")
    joints: Mapping[str, JointSpec] = key(table_of(JointSpec), "what carries each link", FrozenMapping())
    drivers: Mapping[str, Driver] = key(table_of(Driver), "prescribed motions", FrozenMapping())
    forces: Mapping[str, ForceSpec] = key(table_of(ForceSpec), "loads and motors", FrozenMapping())
    initial: Initial = key(spec_of(Initial), "where the coordinates start", Initial())
    run: Run = key(spec_of(Run), "defaults of a run", Run())
    check: Check = key(spec_of(Check), "what must come out", Check())

    def verify(self) -> None:
        """Check that names are known, that the links form a chain and that they can have their inertia."""
        if not self.links:
            raise ModelError('section "links": a manipulator needs at least one link; add [links.NAME]')
        self.check_names()
        self._check_columns()
        self._check_chain()
        self._check_drivers()
        self._check_joints()
        for name, point in self.points.items():
            with part(f'point "{name}"'):
                self.place(point.link, point.at)
        for name, force in self.forces.items():
            with part(f'force "{name}"'):
                force.check(self)
        self._check_initial()
        if self.run.cut:
            raise ModelError('section "run": key "cut" is for mechanisms with loops; take it out of this chain')
        self._check_geometry()
        self.check_columns()
        _ = self.numbers

    def columns_of(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the parts of this name, and how the columns end that a force could have too."""
        yield from super().columns_of(name)
        if name == "momentum":
            yield from (("sum", f"p{axis}") for axis in "xyz")
        if name in self.joints:
            yield from (("joint", f"{letter}{axis}") for letter in "fm" for axis in "xyz")

    # -- parts of the check ------------------------------------------------------------------------------------

    def _check_columns(self) -> None:
        """Check that names of links, joints and points differ, so that columns of a result do."""
        if BASE in self.links:
            raise ModelError(f'link "{BASE}": this name stands for link 0, which is always there; rename it')
        for section, word in (("joints", "joint"), ("points", "point"), ("drivers", "driver")):
            for name in getattr(self, section):
                other = "link" if name in self.links else "joint" if word == "point" and name in self.joints else None
                if name in (BASE, GROUND):
                    raise ModelError(f'{word} "{name}": this name stands for what carries the chain; rename it')
                if other:
                    raise ModelError(
                        f'{word} "{name}": a {other} has the same name, so columns of a result would be ambiguous; '
                        "rename one of them"
                    )

    def _check_chain(self) -> None:
        """Check that exactly one joint carries each link."""
        carrying: dict[str, str] = {}
        for name, joint in self.joints.items():
            with part(f'joint "{name}"'):
                self.known_link(joint.link, base=False)
            first = carrying.setdefault(joint.link, name)
            if first != name:
                raise ModelError(
                    f'joint "{name}": link "{joint.link}" is already carried by joint "{first}"; a chain has one joint '
                    "per link, so take one out, or put a link between them"
                )
        for name in self.links:
            if name not in carrying:
                raise ModelError(f'link "{name}": no joint carries it; add a joint with link = "{name}"')

    def _check_drivers(self) -> None:
        first: dict[str, str] = {}
        for name, driver in self.drivers.items():
            with part(f'driver "{name}"'):
                self.known_joint(driver.joint)
                if self.joints[driver.joint].locked:
                    raise ModelError(f'joint "{driver.joint}" is locked; take out its key "locked", or this driver')
                if driver.joint in first:
                    raise ModelError(f'joint "{driver.joint}" is already driven by driver "{first[driver.joint]}"')
            first[driver.joint] = name

    def _check_joints(self) -> None:
        for name, joint in self.joints.items():
            if self.state(name) == FREE and joint.flexible and joint.rotor == 0.0:
                raise ModelError(
                    f'joint "{name}": is flexible (stiffness {joint.stiffness:g}) and free, so its coordinate moves no '
                    'mass before the deflection; give "rotor" above zero, lock or drive it, or take "stiffness" out'
                )

    def _check_geometry(self) -> None:
        for name, link in self.links.items():
            if link.sublinks > 1 and not GEOMETRIES[self.geometry]:
                raise ModelError(
                    f'link "{name}": key "sublinks": with geometry = "{self.geometry}" bending does not turn what '
                    'comes next, so sub-links would shear off; set geometry = "consistent"'
                )

    def _check_initial(self) -> None:
        start = self.initial
        for word, table, derivative in (("position", start.position, 0), ("rate", start.rate, 1)):
            for name, given in table.items():
                with part(f'section "initial": {word}'):
                    if name == BASE:
                        self._check_base(given, derivative)
                        continue
                    self.known_joint(name)
                    if len(given) != 1:
                        raise ModelError(f'joint "{name}" has one coordinate, got {len(given)} numbers')
                    self._check_agreement(name, given[0], derivative)
        for name, omega in start.omega.items():
            with part('section "initial": omega'):
                if name != BASE:
                    raise ModelError(f'"{name}": only "{BASE}" takes one; links turn by the rates of their joints')
                if any(omega) and MOTIONS[self.base.motion] != FLOATS:
                    raise ModelError(f'the base has motion = "{self.base.motion}"; it turns only if that is "free"')
        for word in ("deflection", "deflection_rate"):
            for name in getattr(start, word):
                with part(f'section "initial": {word}'):
                    self.known_joint(name)
                    if not self.joints[name].flexible:
                        raise ModelError(f'joint "{name}" is stiff and does not deflect; give it "stiffness"')
        for word in ("modes", "mode_rates"):
            for name, given in getattr(start, word).items():
                with part(f'section "initial": {word}'):
                    self.known_link(name, base=False)
                    link = self.links[name]
                    n = link.n_modes * link.sublinks
                    if len(given) != n:
                        raise ModelError(f'link "{name}" has {n} modal coordinates, got {len(given)} numbers')

    def _check_base(self, given: tuple[float, ...], derivative: int) -> None:
        if derivative == 0 and len(given) not in (3, 6):
            raise ModelError(f'"{BASE}" needs 3 numbers (place) or 6 (place and 1-2-3 angles), got {len(given)}')
        if derivative == 1 and len(given) != 3:
            raise ModelError(f'"{BASE}" needs 3 numbers (velocity), got {len(given)}')
        if derivative == 1 and any(given) and MOTIONS[self.base.motion] == FIXED:
            raise ModelError(f"the base is fixed, so its velocity is 0, not {list(given)}; set motion in [base]")

    def _check_agreement(self, joint: str, value: float, derivative: int) -> None:
        """Check that what is said of a driven or locked joint is what it does."""
        state = self.state(joint)
        if state == LOCKED and derivative == 1 and value != 0.0:
            raise ModelError(f'joint "{joint}" is locked, so its rate is 0, not {value:g}; take it out, or unlock it')
        if state != DRIVEN:
            return
        driver = self.driven[joint]
        said = values(self.drivers[driver].motion, 0.0)[derivative]
        if abs(value - said) > AGREED * max(1.0, abs(said)):
            raise ModelError(
                f'joint "{joint}": is {value:g}, but driver "{driver}" prescribes {said:g} at t = 0; write {said:.12g} '
                "there, or change its motion"
            )

    # -- lookups -----------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> Mapping[str, Link]:  # type: ignore[override]
        """The links: what moves."""
        return self.links

    @cached_property
    def carried(self) -> Mapping[str, str]:
        """The joint that carries each link, by name."""
        return FrozenMapping({joint.link: name for name, joint in self.joints.items()})

    @cached_property
    def driven(self) -> Mapping[str, str]:
        """The driver of each driven joint, by name."""
        return FrozenMapping({driver.joint: name for name, driver in self.drivers.items()})

    @cached_property
    def numbers(self) -> Mapping[str, tuple[LinkNumbers, ...]]:
        """The links as numbers, each checked, by name."""
        result = {}
        for name, link in self.links.items():
            with part(f'link "{name}"'):
                made = stations.numbers(name, link, GEOMETRIES[self.geometry], self.stiffening)
                for one in made:
                    local_inertia.check(link, one)
            result[name] = made
        return FrozenMapping(result)

    def state(self, joint: str) -> int:
        """Return whether the coordinate of a joint is locked, free or driven, as links.py numbers it."""
        return LOCKED if self.joints[joint].locked else DRIVEN if joint in self.driven else FREE

    def start(self, joint: str) -> tuple[float, float]:
        """Return where the coordinate of a joint starts, and its rate; a driven one as its motion says."""
        if joint in self.driven:
            position, rate, _ = values(self.drivers[self.driven[joint]].motion, 0.0)
            return position, rate
        return self.initial.position.get(joint, (0.0,))[0], self.initial.rate.get(joint, (0.0,))[0]

    def known_link(self, name: str, base: bool = True) -> None:
        """Check that a name is that of a link, or of the base."""
        if name not in self.links and not (base and name == BASE):
            known = [*self.links, BASE] if base else list(self.links)
            raise ModelError(f'link "{name}" unknown{suggestion(name, known)}')

    def moved_joint(self, name: str) -> None:
        """Check that a name is that of a joint on which an effort can act."""
        self.known_joint(name)
        if self.state(name) == LOCKED:
            raise ModelError(f'joint "{name}" is locked and feels no effort; take out its key "locked"')
        if self.state(name) == DRIVEN:
            raise ModelError(
                f'joint "{name}" is driven by driver "{self.driven[name]}", whose effort is a result; take one of '
                "them out"
            )

    def place(self, link: str, at: str | Vector3 | None) -> Vector3:
        """Return a place of a link in its axes: that of a named point, the place itself, or the end of the link."""
        self.known_link(link)
        spec = self.base if link == BASE else self.links[link]
        if isinstance(at, str):
            self.known_point(at)
            if self.points[at].link != link:
                raise ModelError(f'point "{at}" is on link "{self.points[at].link}", not on "{link}"; name that link')
            at = self.points[at].at
        if at is None:
            return spec.end
        if isinstance(spec, Link) and spec.flexible:
            along = float(np.dot(at, spec.along))
            if not -FITS * spec.length <= along <= (1.0 + FITS) * spec.length:
                raise ModelError(
                    f'place {list(at)} lies at {along:g} along link "{link}", which is flexible and runs from 0 to '
                    f"{spec.length:g}; put it there, or on a rigid link carried by a locked joint"
                )
        return at
