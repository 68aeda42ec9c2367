"""Signals that take the place of others while a mechanism moves, as events say.

The part `of` follows its signal up to the event at the time T, and from there on what the event says in `to`:

    s(t) = before(t),  t < T;       then(t - T) + c,  t >= T                                                      (1)

so that the time of the new signal counts from the event. c is 0, but for motions of drivers, which go on from where
they are: c = before(T) - then(0). Of signals that are no lists of segments each is held where it does not count:

    s = before(min(t, T)) + then(max(t - T, 0)) + j,    j = -then(0) before T, c - before(T) from there on         (2)
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from particlemech.errors import ModelError, suggestion
from particlemech.model.composed import Composed, joined, mapped, put_off, started, steps_of
from particlemech.model.segments import Segment, SignalSpec, Steps
from particlemech.model.signals import motion, signal, signal_vector, signal_vector3
from particlemech.model.spec import FrozenMapping, key, kind_name, number
from particlemech.model.tapes import PIECES, piece

FORMS = (signal, motion, signal_vector, signal_vector3)  # of the keys that are signals
ALIKE = 1e-9  # of the rates of two motions: what differs by less goes on


@dataclass(frozen=True, kw_only=True)
class Succession(Composed):
    """A signal up to a time and another one from there on, (1); made by runs, no file has it."""

    before: SignalSpec = key(signal, "up to the time")
    then: SignalSpec = key(signal, "from there on, its time counted from there")
    begin: float = key(number, "s, the time T")
    shift: float = key(number, "c", 0.0)

    def steps(self) -> Steps:
        """Return (1) of two lists of segments, else (2)."""
        first, then = steps_of(self.before), steps_of(self.then)
        if first[0][0] == PIECES and then[0][0] == PIECES:
            return ((PIECES, 0, 0, self._spliced(first[0][3], then[0][3])),)
        levels = (-math.inf, -self.then.at(0.0)[0]), (self.begin, self.shift - self.before.at(self.begin)[0])
        jump = tuple((t, level, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for t, level in levels)
        held, later = mapped(first, self._held), mapped(then, lambda segments: put_off(segments, self.begin))
        return joined("add", [held, later, ((PIECES, 0, 0, jump),)])

    def _spliced(self, first: Sequence[Segment], then: Sequence[Segment]) -> tuple[Segment, ...]:
        later = [started(then, 0.0), *(s for s in then if s[0] > 0.0)]
        return (
            *(s for s in first if s[0] < self.begin),
            *((s[0] + self.begin, s[1] + self.shift, *s[2:]) for s in later),
        )

    def _held(self, segments: Sequence[Segment]) -> tuple[Segment, ...]:
        level = piece(segments, self.begin)[0]
        return (*(s for s in segments if s[0] < self.begin), (self.begin, level, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    def breaks(self) -> tuple[float, ...]:
        """Return those before the time, the time, and those of the second signal."""
        first = (b for b in self.before.breaks() if b < self.begin)
        return (*first, self.begin, *(b + self.begin for b in self.then.breaks() if b > 0.0))

    def until(self) -> float:
        """Return the end of the second signal, or of the first where that is before the time."""
        first = self.before.until()
        return first if first < self.begin else self.begin + self.then.until()


# -- parts that follow signals ---------------------------------------------------------------------------------------


class Followed(NamedTuple):
    """A key of a driver or a force that is a signal."""

    dimension: str  # of its values, as the key says it
    spec: Any
    section: str  # "drivers" or "forces"
    part: str
    key: str

    @classmethod
    def of(cls, mechanism: Any, part: str, named: str | None) -> Followed:
        """Return the signal of a part by the name of its key, which may be left out where it has one."""
        found = [section for section in ("drivers", "forces") if part in getattr(mechanism, section)]
        if len(found) != 1:
            known = [*mechanism.drivers, *mechanism.forces]
            if found:
                raise ModelError(f'key "of": a driver and a force are both called "{part}"; rename one of them')
            raise ModelError(f'key "of": no driver or force is called "{part}"{suggestion(part, known)}')
        spec = getattr(mechanism, found[0])[part]
        fields = [
            f for f in dataclasses.fields(spec) if f.metadata["form"] in FORMS and getattr(spec, f.name) is not None
        ]
        known = [f.name for f in fields]
        word = f'{found[0][:-1]} "{part}" is a {kind_name(type(spec))}'
        if not known:
            raise ModelError(f'key "of": {word}, which follows no signal; name a driver, load, torque or motor')
        if named is None and len(known) > 1:
            raise ModelError(f"{word} with several signals; add signal = one of {', '.join(known)}")
        if named is not None and named not in known:
            raise ModelError(f'key "signal": {word}, it has no signal "{named}"; it has {", ".join(known)}')
        field = fields[0 if named is None else known.index(named)]
        return cls(field.metadata["dimension"], spec, found[0], part, field.name)

    @property
    def now(self) -> tuple[SignalSpec, ...]:
        """The signal, or its components."""
        value = getattr(self.spec, self.key)
        return value if isinstance(value, tuple) else (value,)

    def given(self, to: Any) -> tuple[SignalSpec, ...]:
        """Return a new signal, or its components, as the part takes it."""
        several = isinstance(getattr(self.spec, self.key), tuple)
        if several != isinstance(to, tuple):
            why = "is a list of signals, one for each axis, got one" if several else "is one signal, got a list of them"
            raise ModelError(f'key "to": {self.key} of "{self.part}" {why}')
        taken = getattr(dataclasses.replace(self.spec, **{self.key: to}), self.key)
        return taken if several else (taken,)


def switched(mechanism: Any, of: Followed, to: Any, t: float) -> Any:
    """Return the same mechanism in which a signal takes the place of that of a part at a time, (1)."""
    made = []
    for before, then in zip(of.now, of.given(to), strict=True):
        shift = before.at(t)[0] - then.at(0.0)[0] if of.section == "drivers" else 0.0
        made.append(Succession(before=before, then=then, begin=t, shift=shift))
    spec, changed = copy.copy(of.spec), copy.copy(mechanism)  # checked already
    object.__setattr__(spec, of.key, tuple(made) if isinstance(to, tuple) else made[0])
    parts = {**getattr(mechanism, of.section), of.part: spec}
    object.__setattr__(changed, of.section, FrozenMapping(parts))
    return changed


def rates(of: Followed, to: Any, t: float) -> tuple[float, float]:
    """Return the rates of a driver just before and after its motion is switched; 0 where they do not jump."""
    (before,), (then,) = of.now, of.given(to)
    old, new = before.at(t)[1], then.at(0.0)[1]
    return (old, new) if abs(new - old) > ALIKE * max(abs(old), abs(new)) else (0.0, 0.0)


def signals(value: Any) -> SignalSpec | tuple[SignalSpec, ...]:
    """A signal; or a list of signals, one for each axis."""
    return tuple(signal(one) for one in value) if isinstance(value, (list, tuple)) else signal(value)


signals.takes_time = signal.takes_time  # type: ignore[attr-defined]
signals.of_signals = signal  # type: ignore[attr-defined]
