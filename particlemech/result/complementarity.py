"""What stops and contacts promise, looked at after a run: gap >= 0, force >= 0, and never both.

At all samples, and in the states just before and just after everything that was struck, closed or opened; but for the
force where it is let go, which may jump below zero there, as at the end of a harmonic law, and just before it closes
at a blow, which may take the speed at which a damper had let go:

    rigid, open          gap >= -a                                                                              (1)
    rigid, closed        |gap| <= a,   force >= -b                                                              (2)
    giving way, open     gap >= -a or reported force <= b                                                       (3)
    giving way, closed   gap <= a                                                                               (4)

Between the ends of a line (1) is asked of what came there from above: where it crosses from one sample to the next,
both between them. Gaps are those of the results: from places of bodies, by the definition of each kind. Nothing here is
shared with the rows and guards by which a run decides what is open and what is closed, so that one which misses an
impact is found out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.columns import unit
from particlemech.run.certificate import FINEST
from particlemech.run.trajectory import Status

APART = 100.0  # a: times rtol, of the mechanism's length, or rad: as joints may be open
PULLS = 100.0  # b: times rtol, of the largest force of the element and M L/T^2
ROUNDED = 1e-8  # of the same: what runs pass over where a leg begins, and starts may be off, with a margin
AT_ONCE = 1e-9  # of the mechanism's time: how near counts as the same


class Worst(NamedTuple):
    """The largest violation of one kind, beside what is allowed."""

    size: float  # in the unit of the quantity
    allowed: float
    part: str
    t: float  # s
    unit: str

    @property
    def share(self) -> float:
        """How much of what is allowed it takes."""
        return self.size / self.allowed


class Complementarity(NamedTuple):
    """How well stops and contacts kept (1) to (4)."""

    gap: Worst  # farthest beyond a bound, or away from one that presses
    force: Worst  # largest force that pulls, or that acts across a gap
    states: int  # how many were looked at

    def __str__(self) -> str:
        gap, force = (f"{one.size:.2g} {one.unit}" for one in (self.gap, self.force))
        return f"{gap} and {force} in {self.states} states"

    @property
    def wrong(self) -> str | None:
        """What is wrong, in words, or None."""
        for worst, what in ((self.gap, "is off its bound by"), (self.force, "pulls, or pushes across its gap, with")):
            if not worst.size <= worst.allowed:
                return (
                    f'joint "{worst.part}" {what} {worst.size:.3g} {worst.unit} at t = {worst.t:.6g} s, more than the '
                    f"{worst.allowed:.3g} {worst.unit} that rtol allows; tighten rtol, or give it a stiffness"
                )
        return None


def judged(result: Any, rtol: float) -> Any:
    """Return a result that knows how well its stops and contacts kept (1) to (4); `inaccurate` where they did not."""
    found = looked_at(result, max(rtol, FINEST))
    result.complementarity = found
    if found is not None and found.wrong is not None and result.status is Status.COMPLETED:
        result.status, result.message = Status.INACCURATE, found.wrong
    return result


def looked_at(result: Any, rtol: float) -> Complementarity | None:
    """Return how well all stops and contacts of a run kept (1) to (4), or None where it has none."""
    m, scale = result.system.mechanism, result.system.scale
    gaps, forces, states = list[Worst](), list[Worst](), 0
    for name in dict.fromkeys(name for name, _ in m.switching) if len(result.t) else ():
        words = [m.joints[name].measure(column, m) for column in ("gap", next(iter(m.joints[name].quantities(m))))]
        size = 1.0 if words[0] == "angle" else scale.length
        apart = max(APART * rtol, ROUNDED) * size
        at = [_Seen.of(part, name, apart) for part in (result, *(result.events[n] for n in (name, f"{name}.after")))]
        # just before it closes
        at[1] = at[1]._replace(wrong=np.where(_near(at[1].t, _blows(result, name), scale), 0.0, at[1].wrong))
        seen = _Seen(*(np.concatenate(of) for of in zip(*at, strict=True)))
        opened = [one.t for one in result.switches if one.part == name and one.what == "opens"]
        going = _near(seen.t, opened, scale)
        usual = scale.energy / (1.0 if words[1] == "moment" else scale.length)
        largest = float(np.max(np.abs(seen.force), initial=0.0)) + usual
        states += len(seen.t)
        for every, worst, allowed, word in (
            (gaps, seen.off, apart, words[0]),
            (forces, np.where(going, 0.0, seen.wrong), max(PULLS * rtol, ROUNDED) * largest, words[1]),
        ):
            k = int(np.argmax(worst))
            every.append(Worst(float(worst[k]), allowed, name, float(seen.t[k]), unit(m, word)))
    if not gaps:
        return None
    return Complementarity(max(gaps, key=lambda w: w.share), max(forces, key=lambda w: w.share), states)


def _blows(result: Any, name: str) -> list[float]:
    """Return when something else than an element is struck, locked or changed."""
    others = [one.t for one in result.switches if one.part != name]
    return [*others, *(one.time for one in result.system.mechanism.impulses.values())]


def _near(t: Array, times: list[float], scale: Any) -> Any:
    """Return which of some times are at once with one of others, (K,) bool."""
    return np.min(np.abs(np.subtract.outer(t, [*times, np.inf])), axis=1) <= AT_ONCE * scale.time


class _Seen(NamedTuple):
    """One element in some states, (K,) each."""

    t: Array
    force: Array  # as reported
    off: Array  # by how much (1), (2) or (4) is broken as to the gap; 0 where it is not
    wrong: Array  # as to the force

    @classmethod
    def of(cls, result: Any, name: str, apart: float) -> _Seen:
        """Return an element at the samples of a result; gaps of -`apart` are none."""
        m = result.system.mechanism
        joint = m.joints[name]
        signs = {side.name: side.sign for side in joint.sides(m)}
        soft = any(side.law is not None for side in joint.sides(m))
        force, gap = result.force(name), result.force(name, "gap")
        there, held, sign = (np.zeros(len(gap)) for _ in range(3))
        first = 0
        for phase in result.phases:
            here = slice(first, first + len(phase.t))
            first += len(phase.t)
            own = phase.system.mechanism
            if name not in own.joints:
                continue
            there[here], mode = 1.0, own.joints[name].mode
            held[here] = bool(mode) or name in own.forces
            sign[here] = signs[mode[0]] if mode else 0.0
        force = np.where(np.isnan(force), 0.0, force)  # not determined
        away = np.where(held > 0.0, gap if soft else np.abs(gap), np.zeros(len(gap)) if soft else -gap)
        if any(side.ends for side in joint.sides(m)):
            between = joint.beyond(result._moving)[0] < 0.0
            crossed = np.zeros(len(gap), dtype=bool)
            crossed[1:] = between[1:] & between[:-1] & (gap[:-1] >= -apart) & (np.diff(result.t) > 0.0)
            away = np.where((held > 0.0) | crossed, away, 0.0)
        wrong = np.where(held > 0.0, -sign * force, np.where(gap < -apart, np.abs(force), 0.0))
        # what its joint is taken out of has no gap
        off, wrong = (np.where(there > 0.0, np.maximum(of, 0.0), 0.0) for of in (away, wrong))
        return cls(result.t, force, off, wrong)
