"""What happens between two stretches of a run: impacts, and who holds after them; see switching.py (1) to (3).

What bounces for the last time is held at once: the impulses of all further bounces are those of the force that holds it
for the time left, so the motion is the same to second order in that time, and rest is told for its end.

A blow on one foot may part another, which strikes in turn: feet of e = 0 rock ever faster, and rest after a finite time
too. What a blow parts for less than REST is held with what was struck, by impulses that take its speed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.jamming import Limit, said
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.run.sticking import Sticking
from particlemech.run.touching import Element, Measuring, Touch
from particlemech.run.trajectory import Switch

REST = 1e-6  # of the mechanism's time: bounces that last no longer all together are rest
LOW = 1e-12  # of the size of a gap: rounding hides bounces that are lower
BESIDE = 1e-6  # of the size of a gap: what is farther below a line with ends came from beside it
TOUCH = 1e-9  # of the size of a gap: what is nearer is in touch
STILL = 1e-11  # of the speeds in play: what parts more slowly stays in touch
BIAS = 1e-9  # of the accelerations in play: what is less does not say who is held
FAR = 1e-9  # of the size of a gap: how far beyond a stop the start may be
FAR_OFF = 1e3  # times what makes a bounce the last: what is so much more is not, whatever accelerates after it
FITS = 1e-11  # of W: what is redundant
FIXED = 1e-9  # of 1/M: what unit forces move less does not move
Closed = frozenset[int]


class Jammed(Exception):
    """A run cannot go on: something is moved into what stands in its way, or cannot be locked where it is."""

    @classmethod
    def by(cls, element: Element, t: float) -> Jammed:
        """Return that a driver, or a lock, moves something into an element."""
        return cls(
            f"{element.name} stands in the way of drivers or locks at t = {t:.6g} s, which nothing gives way to; "
            "change the motion, or give it a stiffness"
        )


class State(NamedTuple):
    """Where a run is."""

    t: float
    q: Array
    v: Array
    x: Array

    @classmethod
    def of(cls, system: Any, t: float, y: Array) -> State:
        """Return a state (n,) of a system."""
        lay = system.layout
        return cls(t, y[lay.q].copy(), y[lay.v].copy(), y[lay.x].copy())

    def within(self, system: Any) -> Array:
        """Return it as a state (n,) of a system in the same coordinates; multipliers are left 0."""
        y, lay = np.zeros(system.n), system.layout
        y[lay.q], y[lay.v], y[lay.x] = self.q, self.v, self.x
        return y


class Switching:
    """What happens at the instants between stretches."""

    def __init__(self, of: Measuring, sticking: Sticking) -> None:
        self.sticking = sticking
        self.of, self.elements = of, of.elements
        self.rigid = np.array([e.side.law is None for e in of.elements], dtype=bool)
        self.restitution = np.array([e.side.restitution for e in of.elements])
        self.stiff = np.array([e.side.law[0] if e.side.law else 0.0 for e in of.elements])
        self.low = LOW

    def next(
        self, at: State, closed: Closed, fired: list[int], scale: Any, turned: Collection[str] = ()
    ) -> tuple[State, Closed, list[Switch]]:
        """Return what follows where guards have fired: the state, which are closed, and what happened to these.

        `turned` are joints that stick and have come to rest, or cannot hold: `sticking` says afterwards what they do.
        """
        gap, rate, _, on = self.of.gaps(*at)
        n = len(gap)
        was = np.array([e in closed for e in range(n)], dtype=bool)
        on = on & (was | ~self.of.ended | (gap > -BESIDE * self.of.sizes))
        touching = self.rigid & on & (was | (gap <= TOUCH * self.of.sizes))
        # those that give way are entered where their gap closes and left where their force ends
        pressed = np.array([not self.rigid[e] and was[e] != (e in fired) for e in range(n)], dtype=bool)
        # a damper lets go before its spring does, which keeps what is left in it
        kept = 0.5 * self.stiff * gap**2 * (pressed.astype(float) - (was & ~self.rigid))
        if np.any(kept):
            at = at._replace(x=np.append(at.x[:-1], at.x[-1] + np.sum(kept)))
        rates, pushed, left, rubbed = rate.copy(), np.zeros(n), np.zeros(n), np.zeros(n)
        if not touching.any():
            if self.sticking:
                self._with_friction(np.zeros(0, int), np.zeros(0, bool), np.zeros(0), pressed, at, turned)
            told = self._told(at.t + left, was, pressed, rate, rates, pushed, -kept)
            return at, frozenset(np.flatnonzero(pressed).tolist()), told
        which = np.flatnonzero(touching)
        touch = Touch(self.of, which, *at)
        soft = np.flatnonzero(pressed)
        if len(soft):
            touch.push(self._pushed(which, soft, at))
        before, bounce = rate[which], self.restitution[which].copy()
        least = STILL * (self.of.sizes[which] / scale.time + np.max(np.abs(before), initial=0.0))
        hit, unit = before < -least, (self.of.sizes[which] / scale.length) ** 2 / scale.mass
        fixed = np.diag(touch.W) < FIXED * unit  # by joints and drivers: nothing can press it
        if np.any(hit & fixed):
            raise Jammed.by(self.elements[which[int(np.argmax(hit & fixed))]], at.t)
        if hit.any():
            at, pushed[which], rates[which], left[which], rubbed[which] = self._impact(touch, at, before, bounce, scale)
        near, now = (np.abs(rates[which]) <= least) & ~fixed, pressed.copy()
        # a force that has just vanished is let go, a gap that has just closed is held, where nothing else says which
        let_go = BIAS * np.array([(1.0 if was[e] else -1.0) if e in fired else 0.0 for e in which])
        if self.sticking:
            now[which] |= self._with_friction(which, near, let_go, pressed, at, turned)
        elif near.any():
            usual = self.of.sizes[which] / scale.time**2
            if len(soft) and hit.any():
                touch.push(self._pushed(which, soft, at))
            now[which] |= touch.pressing(near, let_go, usual) & near
            self._check_friction(touch, near, usual, at)
        told = self._told(at.t + left, was, now, rate, rates, pushed, -kept - rubbed)
        return at, frozenset(np.flatnonzero(now).tolist()), told

    def _with_friction(
        self, which: Any, near: Array, let_go: Array, pressed: Array, at: State, turned: Collection[str]
    ) -> Array:
        """Return which of those in touch press, (n_c,), where joints stick, and let these decide what they do."""
        soft = np.flatnonzero(pressed)
        given = self._given(soft, at)
        none, no = np.zeros(len(which)), np.zeros(len(soft))
        both = np.concatenate([which, soft])
        presses = self.sticking.decided(
            self.of, both, np.append(none, given), np.append(near, no > 0.0), np.append(let_go, no), at, turned
        )
        return presses[: len(which)]

    def _given(self, soft: Any, at: State) -> Array:
        """Return the forces of what gives way and is pressed in, (n_s,)."""
        gap, rate, *_ = self.of.gaps(*at)
        laws = np.array([self.elements[e].side.law or (0.0, 0.0) for e in soft]).reshape(-1, 2)
        return np.asarray(np.maximum(-laws[:, 0] * gap[soft] - laws[:, 1] * rate[soft], 0.0))

    def _pushed(self, which: Any, soft: Any, at: State) -> Array:
        """Return the accelerations of gaps (n_c,) by what gives way and is pressed in."""
        both, n = Touch(self.of, np.concatenate([which, soft]), *at), len(which)
        return np.asarray(both.W[:n, n:] @ self._given(soft, at))

    def _check_friction(self, touch: Touch, near: Array, least: Array, at: State) -> None:
        """Raise where a contact rubs so hard that no normal force keeps it from closing: engine/jamming.py, of one."""
        if not touch.rubs:
            return
        _, opening = touch.forces(near)
        closing = near & (opening < -BIAS * (np.max(np.abs(touch.free), initial=0.0) + least))
        for k, rub in touch.rubs:
            if closing[k] and touch.W[k, k] + touch.brought[k, k] <= 0.0:
                factor = float(-touch.W[k, k] / touch.brought[k, k])
                raise Jammed(said(rub, at.t, Limit(k, factor, factor)))

    def _impact(
        self, touch: Touch, at: State, before: Array, bounce: Array, scale: Any
    ) -> tuple[State, Array, Array, Array, Array]:
        """Return the state after (1), impulses, rates of the gaps, times left by (2), and the works of friction."""
        left = np.zeros(len(before))
        for _ in range(len(before) + 1):
            p, after, along, rubbed = touch.impulses(before, bounce, at.v)
            speeds, rows = touch.jump(p, along)
            after[p > 0.0] = (-bounce * before)[p > 0.0]  # to the last digit, and 0 of those that stay
            at_rest = (p > 0.0) & (before >= 0.0)
            after[at_rest] = 0.0
            if self._goes_on(touch, after, bounce, p, scale):
                touch.moving(at.v + speeds)
                break
            touch.moving(at.v + speeds)
            ahead, height = self._ahead(touch, after, bounce, p)
            short = (ahead < REST * scale.time) | (height < self.low * self.of.sizes[touch.which])
            if not short.any():
                break
            bounce[short], left[short] = 0.0, ahead[short]
        if len(p) > 1 and len(held := self._rocking(touch, before, after, p, scale)):
            more = np.zeros(len(p))
            more[held] = -np.linalg.lstsq(touch.W[np.ix_(held, held)], after[held], rcond=FITS)[0]
            (also, others), after[held] = touch.jump(more), 0.0
            p, speeds, rows = p + more, speeds + also, rows + others
            touch.moving(at.v + speeds)
        struck = State(at.t, at.q, at.v + speeds, at.x.copy())
        struck.x[-1] += self.of.gained(at, struck, p, 0.5 * (before + after), rows) + float(np.sum(rubbed))
        return struck, p, after, left, rubbed

    def _rocking(self, touch: Touch, before: Array, after: Array, p: Array, scale: Any) -> Any:
        """Return who stays where a blow on one parts another for less than REST, as two feet that rock come to rest."""
        parts = (p <= 0.0) & (after > 0.0) & (np.abs(before) < STILL * self.of.sizes[touch.which] / scale.time)
        if not parts.any():
            return np.zeros(0, dtype=int)
        _, falling = touch.forces(~parts & (after == 0.0))
        short = parts & (2.0 * after < -falling * REST * scale.time)
        return np.flatnonzero(short | ((p > 0.0) & (after == 0.0))) if short.any() else np.zeros(0, dtype=int)

    def _goes_on(self, touch: Touch, after: Array, bounce: Array, p: Array, scale: Any) -> bool:
        """Whether, by what accelerates before the impact, no bounce is the last by far: most need no second look."""
        r, e, g = after, bounce, np.abs(touch.free)
        far = (2.0 * r > FAR_OFF * REST * scale.time * g * (1.0 - e)) & (
            0.5 * r * r > FAR_OFF * self.low * self.of.sizes[touch.which] * g
        )
        return bool(np.all(far | (p <= 0.0) | (e == 1.0)) and np.all(p > 0.0))

    def _ahead(self, touch: Touch, after: Array, bounce: Array, p: Array) -> tuple[Array, Array]:
        """Return how long bounces would last all together, and how high the next is; inf of what does not bounce."""
        up = (p > 0.0) & (bounce > 0.0) & (bounce < 1.0) & (after > 0.0)
        last = np.full((2, len(p)), np.inf)
        if up.any():
            _, falling = touch.forces(~up & (after == 0.0))
            up &= falling < 0.0
            g, r, e = -falling[up], after[up], bounce[up]
            last[:, up] = 2.0 * r / g / (1.0 - e), 0.5 * r * r / g
        return last[0], last[1]

    def _told(
        self, t: Array, was: Array, now: Array, before: Array, after: Array, p: Array, taken: Array
    ) -> list[Switch]:
        """Return what happened to which, where friction and springs have `taken` energy besides what blows did."""
        found = []
        for e, element in enumerate(self.elements):
            struck = p[e] > 0.0 and before[e] < 0.0 and not was[e]
            if struck or was[e] != now[e]:
                what = "impact" if struck and not now[e] else "closes" if now[e] else "opens"
                lost = -0.5 * p[e] * (before[e] + after[e]) + taken[e]
                numbers = float(before[e]), float(after[e]), float(p[e]), float(lost)
                found.append(Switch(float(t[e]), element.part, element.side.name, what, *numbers))
        return found

    def begun(self, at: State, scale: Any, goes_on: bool = False) -> tuple[State, Closed, list[Switch]]:
        """Return how a run begins: nothing may be beyond a stop, what moves towards one strikes it before the run.

        One that goes on from elsewhere may press on what gives way.
        """
        gap, rate, _, on = self.of.gaps(*at)
        pressed = ~self.rigid & on & (gap < 0.0) & goes_on
        check_open(self.of, at, gap, on & ~pressed)
        near = [e for e in np.flatnonzero((gap <= TOUCH * self.of.sizes) & ~self.rigid & on & ~pressed).tolist()]
        damped = np.array([e.side.law[1] if e.side.law else 0.0 for e in self.elements])
        held = frozenset(np.flatnonzero(pressed & (-self.stiff * gap - damped * rate > 0.0)).tolist())
        state, closed, told = self.next(at, held, near, scale)
        x = state.x.copy()
        x[-1] = at.x[-1]  # work counts from then on
        return state._replace(x=x), closed, told


def check_open(of: Measuring, at: State, gap: Array, some: Any) -> None:
    """Raise where the gap (n_e,) of some elements (n_e,) bool is below zero in a state."""
    mechanism = of.system.mechanism
    for e, element in enumerate(of.elements):
        if gap[e] < -FAR * of.sizes[e] and some[e]:
            spec = mechanism.joints[element.part]
            far = spec.open_by(of.system.sight(*at))[0][0] if spec.curved else gap[e]
            raise ModelError(f'joint "{element.part}": {spec.said(element.side.name, float(far), mechanism)}')
