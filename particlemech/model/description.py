"""What the descriptions of all families of mechanisms share: runs, checks, named parts, changed copies.

A family is one class derived from `Description`. Its fields are the top-level keys of the model file, and `sections`
says how the parts inside them are read, so reader and writer know nothing of any family.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from particlemech.errors import ModelError, part, suggestion
from particlemech.model.columns import has_column
from particlemech.model.comments import Source
from particlemech.model.parameters import Parameter
from particlemech.model.primitives import GROUND as GROUND
from particlemech.model.quantity import plain
from particlemech.model.spec import (
    Form,
    FrozenMapping,
    Given,
    Spec,
    choice,
    key,
    kind_name,
    mapping_of,
    names,
    number,
    positive,
    unknown_key,
    whole,
)
from particlemech.model.units import SYSTEMS, Units

KINDS = {  # worlds of mechanisms, by their key "kind", in words
    "planar": "a mechanism in the plane",
    "spatial": "a mechanism in space",
}
ENGINES = {  # what runs them, in words
    "particles": "a mechanism in the plane",
    "recursive": "a mechanism in space",
}
NAME = re.compile(r"[^.,\"']*").fullmatch
SHORTEST = 1e-12  # s, of a run
AGREED = 1e-9  # difference of a start and of the motion that prescribes it, as a fraction
FOLDER: ContextVar[Path] = ContextVar("folder", default=Path())  # of the model file that is being read


@dataclass(frozen=True, kw_only=True)
class Run(Spec):
    """Defaults of a run."""

    duration: float = key(positive, "s", 1.0, dimension="time")
    samples: int = key(whole(2), "number of output times, first and last included", 501)
    rtol: float = key(positive, "relative tolerance of the integrator", 1e-8, dimension="number")
    integrator: str = key(choice("ida", "explicit", "auto"), "the integrator", "auto")
    max_steps: int = key(whole(1), "steps of the integrator after which a run gives up", 1_000_000)
    cut: tuple[str, ...] = key(names(0), "joints to cut, by name", ())

    def verify(self) -> None:
        """Check that the tolerance can be met in double precision."""
        if self.duration < SHORTEST:
            raise ModelError(f'key "duration": must be at least {SHORTEST:g} s, got {self.duration:g}')
        if not 1e-13 <= self.rtol <= 1e-2:
            raise ModelError(f'key "rtol": must lie between 1e-13 and 1e-2, got {self.rtol:g}')


@dataclass(frozen=True, kw_only=True)
class Check(Spec):
    """What must come out; `run` and the tests hold it."""

    dof: int | None = key(whole(0), "degrees of freedom by rank, drivers left out", None)
    energy: float | None = key(positive, "largest energy error, as a fraction of its scale", None, dimension="number")
    end: Mapping[str, float] = key(
        mapping_of(number), "last value of result columns, by column name", FrozenMapping(), dimension="column"
    )
    tolerance: float = key(positive, "largest difference of the values in `end`", 1e-6, dimension="any")


class Section(NamedTuple):
    """How the named parts of one section are read and called."""

    part: str  # what one of them is called in a message
    example: str  # how one is written
    form: Form | None = None  # of parts that are plain values
    spec: type[Spec] | None = None  # of parts that are all of one kind
    kinds: Mapping[str, type[Spec]] = FrozenMapping()  # of parts whose key "type" names their kind
    plain: type[Spec] | None = None  # the kind of those that have no "type"


class Description(Spec):
    """Base of what the user said, in names only; frozen, comparable, checked as far as no numerics are needed."""

    sections: ClassVar[Mapping[str, Section]]  # the keys that hold named parts
    reserved: ClassVar[tuple[str, ...]] = ("contacts", "sensors")  # for later versions

    source: ClassVar[Source | None] = None  # the file it came from, of one that has one

    format: int
    kind: str
    name: str
    about: str
    units: str
    gravity: tuple[float, ...]
    parameters: Mapping[str, Parameter]
    points: Mapping[str, Any]
    bodies: Mapping[str, Any]
    joints: Mapping[str, Any]
    impulses: Mapping[str, Any]
    drivers: Mapping[str, Any]
    forces: Mapping[str, Any]
    initial: Any
    run: Run
    check: Check

    @property
    def engine(self) -> str:
        """What runs the mechanism, one of ENGINES."""
        raise TypeError(f"{type(self).__name__} does not say what runs it")

    def _repr_html_(self) -> str:
        """Return the page of the mechanism as drawn, in a frame: what notebooks show."""
        # by name: views stand above what they show, and are loaded only if someone looks
        framed: str = import_module("particlemech.view.page").framed(self)
        return framed

    @property
    def unit(self) -> Units:
        """The system of units: labels, and what they are in SI."""
        return SYSTEMS[self.units]

    @property
    def massless(self) -> tuple[str, ...]:
        """The bodies whose mass is not known: they can be moved, but not asked for forces."""
        bodies = self.bodies.items()
        return tuple([name for name, body in bodies if body.mass is None and not getattr(body, "bends", False)])

    @property
    def yielding(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The bodies that bend, and the joints whose drives yield: with them no motion follows from drivers alone."""
        bodies = tuple(name for name, body in self.bodies.items() if getattr(body, "bends", False))
        drives = ((name, getattr(joint, "drive", None)) for name, joint in self.joints.items())
        return bodies, tuple(name for name, drive in drives if getattr(drive, "stiffness", None) is not None)

    def check_masses(self, verb: str) -> None:
        """Raise where a mass that is needed is not known."""
        if self.massless:
            names = ", ".join(f'"{name}"' for name in self.massless[:6])
            which = f"body {names} a mass" if len(self.massless) == 1 else f"bodies {names} masses"
            raise ModelError(f"{verb} needs masses: give {which} (cycle, toggles and assemblies need none)")

    def run_with(self, changes: Mapping[str, Any]) -> Run:
        """Return the defaults of a run with some keys changed."""
        options: Run = _changed(self.run, changes, 'section "run"')
        return options

    def replaced(self, **changes: Any) -> Self:
        """Return a changed copy.

        Each keyword is a key of the mechanism. For a section of named parts, give a mapping of names to a new
        spec, to a mapping of changed keys, or to None, which takes the part out. A number that was taken from an
        expression elsewhere is a number here; give a text to have an expression.

        Examples
        --------
        >>> from particlemech import models
        >>> heavy = models.load("four_bar").replaced(bodies={"crank": {"mass": 3.0}})
        >>> heavy.bodies["crank"].mass
        3.0
        """
        known = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        new: dict[str, Any] = {}
        for section, change in changes.items():
            if section not in known:
                raise unknown_key(section, known)
            old = getattr(self, section)
            if section == "parameters" and isinstance(change, Mapping):
                from particlemech.model.evaluation import revalued

                change = revalued(self, change)
            if isinstance(old, FrozenMapping) and isinstance(change, Mapping):
                new[section] = _merged(old, change, section)
            elif isinstance(old, Spec) and isinstance(change, Mapping):
                new[section] = _changed(old, change, f'section "{section}"')
            else:
                new[section] = change
        made = self.changed(new)
        if self.parameters or "points" in new:  # what is said by expressions follows
            from particlemech.model.evaluation import anew_all

            made = made.changed(anew_all(made))
        taken_out = any(None in change.values() for change in changes.values() if isinstance(change, Mapping))
        if taken_out and made.check.end and "check" not in changes:  # what is said of these goes too
            left = {name: value for name, value in made.check.end.items() if has_column(made, name)}
            made = made.changed({"check": dataclasses.replace(made.check, end=left)})
        return made

    def changed(self, new: Mapping[str, Any]) -> Self:
        """Return a copy with new values of its fields, which knows the file it came from."""
        if not new:
            return self
        made: Self = dataclasses.replace(self, **new)  # type: ignore[type-var]
        if self.source is not None:
            object.__setattr__(made, "source", self.source)
        return made

    def with_parameters(self, **values: Any) -> Self:
        """Return the variant with other values of some parameters; all that depends on them follows.

        Parameters
        ----------
        **values
            By name: a number in the units of the mechanism, or an expression such as "60 mm" or "3 * crank".

        Returns
        -------
        Mechanism
            Points that are drawn by expressions and constructions are where these say; where a `length` has changed,
            the start is found by assembly on the same branch. Plain numbers in [check] end, which are of the values as
            they were, are left out.

        Raises
        ------
        ModelError
            If a parameter is unknown, of another dimension or beyond its bounds, or no such mechanism can be drawn.

        Examples
        --------
        >>> from particlemech import models
        >>> wide = models.load("four_bar").with_parameters(crank=0.12)
        >>> wide.points["A"]
        (0.0, 0.12)
        """
        from particlemech.model.evaluation import with_parameters

        return self.changed(with_parameters(self, values))

    def settle(self) -> None:
        """Give numbers to all that is said by expressions."""
        from particlemech.model.evaluation import settled

        if "_again" in vars(self):
            raise ModelError(f'key "{self.unsettled[0]}" takes no expression; write numbers')
        for name, value in settled(self).items():
            object.__setattr__(self, name, value)
        object.__delattr__(self, "unsettled")
        object.__setattr__(self, "_again", True)
        self.__post_init__()
        object.__delattr__(self, "_again")

    # -- checks that all families need -------------------------------------------------------------------------

    def check_names(self) -> None:
        """Check that columns of a result can be called by the names, and that no two would be called the same."""
        if not self.bodies:
            raise ModelError('section "bodies": a mechanism needs at least one body; add [bodies.NAME]')
        for section in self.sections:
            for name in getattr(self, section):
                if not NAME(name) or not name.isprintable() or name != name.strip():
                    raise ModelError(
                        f'section "{section}": the name "{name}" holds a dot, comma, quote, control character or a '
                        "space at an end, which the columns of a result cannot carry; rename it"
                    )
        if GROUND in self.bodies:
            raise ModelError(f'body "{GROUND}": this name stands for the fixed frame, which is always there; rename it')
        for name in self.bodies:
            if name in self.points:
                raise ModelError(
                    f'body "{name}": a point has the same name, so columns such as "{name}.x" would be ambiguous; '
                    "rename one of them"
                )
        for name in self.joints:
            if name in self.drivers:
                raise ModelError(f'driver "{name}": a joint has the same name; rename one of them')

    def check_parts(self) -> None:
        """Let all parts check what they mention, and check the joints to cut."""
        for section in ("joints", "drivers", "forces", "impulses"):
            for name, spec in getattr(self, section).items():
                with part(f'{self.sections[section].part} "{name}"'):
                    spec.check(self)
        for cut in self.run.cut:
            if cut not in self.joints:
                raise ModelError(f'section "run": cut names no joint "{cut}"{suggestion(cut, self.joints)}')

    def check_agreed(self, joint: str, coordinate: str, value: float, driver: str, said: float) -> None:
        """Check that what [initial] says of a driven coordinate, or of its rate, is what the driver has said."""
        if abs(value - said) > AGREED * max(1.0, abs(said)):
            raise ModelError(
                f'joint "{joint}": {coordinate} is {value:g}, but driver "{driver}" prescribes {said:g} at t = 0; '
                f"write {said:.12g} there, or change its motion"
            )

    def check_struck(self) -> None:
        """Refuse impulses where joints have friction that depends on its load."""
        dry = [name for name, joint in self.joints.items() if joint.friction is not None and joint.friction.dry]
        if dry and getattr(self, "impulses", None):
            raise ModelError(
                f'section "impulses": joint "{dry[0]}" has friction, whose impulse under a blow is not known here; '
                "take the impulses out, or the friction, or write the blow as a short force"
            )

    def check_columns(self) -> None:
        """Check that columns of forces differ from those of other parts; asked when all parts are known to be right."""
        for name, force in self.forces.items():
            tails = {tail for every in force.quantities(self).values() for tail in every}
            for word, tail in self.columns_of(name):
                if tail in tails:
                    raise ModelError(
                        f'force "{name}": a {word} has the same name, so column "{name}.{tail}" would be ambiguous; '
                        "rename one of them"
                    )

    def columns_of(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the parts of this name, and how the columns end that a force could have too."""
        if name in self.drivers:
            yield "driver", "effort"

    def known_body(self, b: str) -> None:
        """Check that a name is that of a body or of the ground."""
        if b != GROUND and b not in self.bodies:
            raise ModelError(f'body "{b}" unknown{suggestion(b, [*self.bodies, GROUND])}')

    def known_point(self, p: str) -> None:
        """Check that a name is that of a point."""
        if p not in self.points:
            raise ModelError(f'point "{p}" unknown{suggestion(p, self.points)}')

    def moving_body(self, b: str) -> None:
        """Check that a name is that of a body, not of the ground."""
        if b == GROUND:
            raise ModelError("the ground does not move; name a body")
        self.known_body(b)

    @cached_property
    def carriers(self) -> Mapping[str, tuple[str, ...]]:
        """The bodies that list each point, by name; none: it is fixed to ground."""
        found: dict[str, list[str]] = {p: [] for p in self.points}
        for b, body in self.bodies.items():
            for p in body.points:
                found[p].append(b)
        return {p: tuple(on) for p, on in found.items()}

    def carrier(self, point: Any) -> str:
        """Return the first body that lists a point, or "ground"."""
        return next(iter(self.carriers.get(point, ())), GROUND)

    def drawn(self, point: Any) -> Any:
        """Return where a point is drawn, global: that of the name, or the numbers themselves."""
        if not isinstance(point, str):
            return point
        self.known_point(point)
        return self.points[point]

    def carried(self, point: Any, body: str) -> None:
        """Check that a body carries a point: one with a name must be on its list, a place may be anywhere."""
        self.drawn(point)
        self.known_body(body)
        if isinstance(point, str) and body != GROUND and point not in self.bodies[body].points:
            raise ModelError(f'point "{point}" is not on body "{body}"; add it to the points of that body')

    def known_joint(self, j: str) -> None:
        """Check that a name is that of a joint."""
        if j not in self.joints:
            raise ModelError(f'joint "{j}" unknown{suggestion(j, self.joints)}')

    def known_coordinate(self, joint: str, name: str | None) -> str:
        """Return the name of a coordinate of a joint; it may be left out where there is one."""
        self.known_joint(joint)
        known = self.joints[joint].coordinate_names
        if not known:
            kind = kind_name(type(self.joints[joint]))
            raise ModelError(f'joint "{joint}" is a {kind}, which has no coordinate; name another joint')
        if name is None and len(known) > 1:
            raise ModelError(f'joint "{joint}" has several coordinates; add coordinate = one of {", ".join(known)}')
        if name is not None and name not in known:
            raise ModelError(f'joint "{joint}" has no coordinate "{name}"{suggestion(name, known)}')
        return str(known[0]) if name is None else name

    def is_angle(self, joint: str, name: str | None) -> bool:
        """Whether a coordinate of a joint is an angle; the others are travels."""
        return self.known_coordinate(joint, name).startswith("angle")

    def named(self, joint: str, given: Given) -> Mapping[str, float]:
        """Return values of coordinates of a joint by name; a list must have one for each."""
        self.known_joint(joint)
        known = self.joints[joint].coordinate_names
        if isinstance(given, Mapping):
            return {self.known_coordinate(joint, name): value for name, value in given.items()}
        if len(given) != len(known):
            raise ModelError(
                f'joint "{joint}" needs {len(known)} number(s) ({", ".join(known) or "none"}), got {len(given)}'
            )
        return dict(zip(known, given, strict=True))


def at_bodies(joints: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the joints of each body."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for joint in joints:
        for body in joint.bodies:
            found[body].append(joint)
    return found


def parted(on: Sequence[str], around: Callable[[str], Sequence[Any]]) -> str | None:
    """Return the first of some bodies that joints do not join to the first, or None; `around` gives those of each."""
    reached, ahead = {on[0]}, [on[0]]
    while ahead and not reached.issuperset(on):
        for joint in around(ahead.pop()):
            ahead += [b for b in joint.bodies if b not in reached]
            reached.update(joint.bodies)
    return next((b for b in on if b not in reached), None)


# -- changed copies ------------------------------------------------------------------------------------------------


def _merged(old: FrozenMapping[Any], change: Mapping[str, Any], section: str) -> FrozenMapping[Any]:
    result = dict(old)
    for name, value in change.items():
        if value is None:
            if name not in result:
                raise ModelError(f'section "{section}": no "{name}" to take out{suggestion(name, result)}')
            del result[name]
        elif isinstance(value, Mapping):
            if name not in result:
                raise ModelError(f'section "{section}": no "{name}" to change{suggestion(name, result)}')
            result[name] = _changed(result[name], plain(value), f'{section} "{name}"')
        elif value is not old.get(name):
            result[name] = plain(value)
    return FrozenMapping(result)


def _changed(old: Any, change: Mapping[str, Any], where: str) -> Any:
    known = [f.name for f in dataclasses.fields(old)]
    with part(where):
        for k in change:
            if k not in known:
                raise unknown_key(k, known)
        return dataclasses.replace(old, **change)
