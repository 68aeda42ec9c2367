"""Rest where stops, contacts and cams press: gap >= 0, force >= 0, and never both.

    r(z) = G^T f,     g >= 0,   f >= 0,   f.g = 0                          G = dg/dz of rigid sides in touch     (1)
    w = G G^T f - G r >= 0,   f >= 0,   f.w = 0                            who presses in a pose                 (2)

with r of chart.py and z in units of its coordinates. (2) is the force along the freedoms that is nearest to what lets
nothing close: at rest what it leaves is zero and f are the forces of (1), elsewhere it says who holds on the way on.
Sides that give way act by their laws where they are pressed in.

Rest is looked for with a guess of who presses, whose sides hold by rows: there Newton's method finds a balance, which
is one if nothing else is closed and nobody pulls. Else the way leads downhill, balance.py (2), until something comes
into touch or is let go, and (2) or what was struck says who presses from there on.

What touches without any force, and could give way, is no part of either: small motions about it have two sides. It is
named, and stability beside it is told where it is the same whether it holds or not.

Not used: Newton's method on (1) with exchanges of who presses, which has no step where nothing holds yet what falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.vibration.balance import REST, Balance, Below
from particlemech.analyses.vibration.chart import OPEN, Chart, Motion, Pose
from particlemech.analyses.vibration.stands import Stand
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.columns import unit
from particlemech.run.complementarity import complementary
from particlemech.run.touching import LEFT, Gaps, Measuring, Touch, rubs
from particlemech.run.transitions import BESIDE, STILL, TOUCH, State, check_open

LEAST = 1e-3  # of M L^2/T^2: a force in play is no less
PRESSES = 1e-8  # of the largest force that acts: what presses less does so with none
MOVES = 1e-9  # of a row of G: what sides that press leave of it
PARTS = 4  # of a step downhill: where it is looked whether something was passed
PAST = 1e-6  # of a step downhill: how far it goes past where a law or a line ends
FACES = 30  # sets of who presses, from one pose
Closed = frozenset[int]


class Grazing(NamedTuple):
    """What touches without pressing."""

    part: str
    side: str
    gap: float
    force: float


class Held(NamedTuple):
    """A balance as it was found."""

    chart: Chart
    closed: Closed
    grazing: tuple[int, ...]


class Pressing(Balance):
    """A chart of a stand with nothing in touch, and all that may come into touch."""

    def __init__(self, stand: Stand) -> None:
        super().__init__(stand.in_mode(()))
        self.of = Measuring(stand.measured, self.stand.system if rubs(stand.mechanism) else None)
        self.laws = np.array([e.side.law is not None for e in self.of.elements], dtype=bool)
        self.modes: dict[Closed, Stand] = {frozenset(): self.stand}
        self.found: dict[int, Held] = {}  # by the identity of their charts
        every = [(e.part, e.side.name) for e in self.of.elements]
        self.begun = frozenset(every.index(side) for side in stand.closed or ())  # as a run has them
        gaps = self.gaps(self.chart.home)
        free = np.array([e not in self.begun for e in range(len(every))], dtype=bool)
        home = self._state(self.chart.home)
        check_open(self.of, home, gaps.gap, gaps.on & free & ~self.laws)

    # -- what is where -------------------------------------------------------------------------------------------------

    def gaps(self, pose: Pose) -> Gaps:
        """Return the gaps of all sides in a pose."""
        return self.of.gaps(*self._state(pose))

    def _state(self, pose: Pose) -> State:
        """Return a pose at rest."""
        return State(self.stand.t, pose.q, np.zeros(self.stand.system.n_v), pose.x)

    def within(self, pose: Pose) -> bool:
        """Whether nothing rigid is passed."""
        gaps = self.gaps(pose)
        return not np.any(~self.laws & gaps.on & (gaps.gap < -TOUCH * self.of.sizes))

    def _touching(self, gaps: Gaps) -> Any:
        """Return which rigid sides touch, (n_e,) bool."""
        return ~self.laws & gaps.on & (np.abs(gaps.gap) <= TOUCH * self.of.sizes)

    def _soft(self, gaps: Gaps) -> Closed:
        """Return what gives way and is pressed in."""
        return frozenset(np.flatnonzero(self.laws & gaps.on & (gaps.gap < 0.0)).tolist())

    def face(self, closed: Closed, pose: Pose, v: Array | None = None) -> Balance:
        """Return the balance of what moves while some sides hold, at a pose, at rest unless speeds are given."""
        if closed not in self.modes:
            sides = tuple((self.of.elements[e].part, self.of.elements[e].side.name) for e in sorted(closed))
            self.modes[closed] = self.stand.in_mode(sides)
        stand = self.modes[closed]
        return _Face(self, closed, stand.put(pose.q, np.zeros(stand.system.n_v) if v is None else v, pose.x))

    def _pushes(self, soft: Closed, pose: Pose, which: Any, v: Array | None = None) -> tuple[Array, Array, Array]:
        """Return f of (2) of sides (n,), their G (n, f), and what is left of -r (f,), all in units of coordinates."""
        chart = self.face(soft, pose, v).chart
        here = chart.motion(chart.home, chart.rates)
        F, N = -chart.unit * chart.missing(here), here.N * chart.unit
        system, at = self.of.system, chart.home
        speeds = np.zeros(system.n_v)
        counting = getattr(system, "counting", False)
        rows = (system.levels(chart.t, at.q, speeds, at.x) if counting else system.levels(chart.t, at.q, speeds)).phi_q
        G = (self.of.signs[:, None] * rows[self.of.rows])[which] @ N
        f, _ = complementary(G @ G.T, G @ F)
        return f, G, F + G.T @ f

    def _pressed(self, pose: Pose) -> Closed:
        """Return who presses in a pose by (2)."""
        gaps = self.gaps(pose)
        which, soft = np.flatnonzero(self._touching(gaps)), self._soft(gaps)
        if not len(which):
            return soft
        f, _, _ = self._pushes(soft, pose, which)
        return soft | frozenset(which[f > 0.0].tolist())

    # -- rest ----------------------------------------------------------------------------------------------------------

    def settled(self, chart: Chart, everything: bool, known: tuple[Chart, ...] = ()) -> Chart | None:
        """Return a chart whose home is in balance by (1); None where there is none on the way."""
        return next(self._rests(chart, known), None)

    def below(self, chart: Chart) -> Iterator[Chart]:
        """Give the charts whose homes are in balance by (1) with those who press on the way downhill."""
        return self._rests(chart, ())

    def _rests(self, chart: Chart, known: tuple[Chart, ...]) -> Iterator[Chart]:
        if not self.within(chart.home):
            return
        pose, closed = chart.home, self._pressed(chart.home)
        for _ in range(FACES):
            face = self.face(closed, pose)
            found = face.settled(face.chart, True, known) if known else face.nearby(face.chart)
            if found is not None and (rest := self._held(face, found, closed)) is not None:
                yield rest
            if known or not face.chart.f:
                return
            below = face.downhill(face.chart)
            if below is None:
                return
            pose = below.pose
            if below.struck is None:
                found = face.nearby(face.chart.rehomed(pose, anew=True))
                if found is not None and (rest := self._held(face, found, closed)) is not None:
                    yield rest
                    return
            then = self._pressed(pose)
            if below.struck is not None and not self.laws[below.struck] and self.gaps(pose).on[below.struck]:
                then |= {below.struck}
            elif then == closed:
                return
            closed = then

    def _held(self, face: Balance, found: Chart, closed: Closed) -> Chart | None:
        """Return a chart of what moves about a balance with these sides closed, if (1) holds there."""
        pose, sizes = found.home, TOUCH * self.of.sizes
        gaps = self.gaps(pose)
        on = np.array([e in closed for e in range(len(sizes))], dtype=bool)
        beyond = np.where(self.laws & on, gaps.gap > sizes, gaps.on & ~on & (gaps.gap < -sizes))
        if np.any(beyond) or np.any(on & ~self.laws & ~gaps.on):
            return None
        which, soft = (
            np.flatnonzero(self._touching(gaps) | (on & ~self.laws)),
            frozenset(np.flatnonzero(on & self.laws).tolist()),
        )
        f, G, left = self._pushes(soft, pose, which)
        largest = _acting(found, found.motion(pose), f)
        if np.any(np.abs(left) > REST * largest):
            return None
        presses = f > PRESSES * largest
        follows = _follows(G, presses)
        true = soft | frozenset(which[presses | follows].tolist())
        zero = self.laws & gaps.on & (np.abs(gaps.gap) <= sizes)
        grazing = (*which[~presses & ~follows].tolist(), *np.flatnonzero(zero).tolist())
        if true != closed:
            again = self.face(true, pose)
            found = again.chart.rehomed(again.chart.home, anew=True)
            if np.any(np.abs(found.unit * found.missing(found.motion(found.home))) > REST * largest):
                return None
        self.found[id(found)] = Held(found, true, grazing)
        return found

    def stand_of(self, found: Chart) -> Stand:
        """Return the mechanism while those hold who press in the home of a chart."""
        return self.modes[self.found[id(found)].closed] if id(found) in self.found else self.stand

    def grazing(self, found: Chart) -> tuple[str, ...]:
        """Return the joints that touch without any force in the home of a chart."""
        return tuple(dict.fromkeys(self.of.elements[e].part for e in self.found[id(found)].grazing))

    def pressing(self, found: Chart) -> tuple[str, ...]:
        """Return the joints that press in the home of a chart; one that rubs is refused."""
        self.check_rubbing(self.found[id(found)].closed)
        return tuple(dict.fromkeys(self.of.elements[e].part for e in sorted(self.found[id(found)].closed)))

    def check_rubbing(self, closed: Closed) -> None:
        """Refuse what presses and rubs: how much of it friction carries at rest, nothing says."""
        for element in (self.of.elements[e] for e in sorted(closed)):
            friction = self.of.system.mechanism.joints[element.part].friction
            if friction is not None and friction.dry:
                raise ModelError(
                    f'joint "{element.part}" presses here and has dry friction, whose part at rest nothing determines; '
                    "take the friction out, or run to rest"
                )

    def holding(self, found: Chart) -> Chart:
        """Return a chart of what moves while that holds as well which touches without any force."""
        of = self.found[id(found)]
        return self.face(of.closed | frozenset(of.grazing), found.home).chart

    # -- small motions -------------------------------------------------------------------------------------------------

    def as_it_stands(self, settle: bool) -> Balance:
        """Return the balance of what moves while those hold that touch; who moves so must press: `check_pressing`."""
        chart = self.chart
        gaps = self.gaps(chart.home)
        closed = self._soft(gaps) | self.begun | frozenset(np.flatnonzero(self._touching(gaps)).tolist())
        if not settle:
            closed = self._soft(gaps) | self._pushed(closed)
        self.check_rubbing(closed)
        return self.face(closed, chart.home, chart.v)

    def _pushed(self, closed: Closed) -> Closed:
        """Return which rigid sides in touch press as the mechanism moves; one that does not is refused."""
        stand = self.chart.home
        which = np.array([e for e in sorted(closed) if not self.laws[e]], dtype=int)
        if not len(which):
            return frozenset()
        at = self.stand.t, stand.q, self.chart.v, stand.x
        rate, scale = self.of.gaps(*at).rate[which], self.stand.system.scale
        still = np.abs(rate) <= STILL * (self.of.sizes[which] / scale.time + np.max(np.abs(rate), initial=0.0)) * 1e3
        f, _ = Touch(self.of, which, *at).forces(still)
        for k, e in enumerate(which.tolist()):
            if not f[k] > PRESSES * max(float(np.abs(f).max()), scale.energy / scale.length):
                raise self.grazes(e, float(self.gaps(stand).gap[e]), float(f[k]))
        return frozenset(which.tolist())

    def check_pressing(self, of: Balance) -> None:
        """Refuse rest in which something in touch does not press, or rubs."""
        pose = of.chart.home
        gaps = self.gaps(pose)
        which, soft = np.flatnonzero(self._touching(gaps)), self._soft(gaps)
        f, G, _ = self._pushes(soft, pose, which, of.chart.v)
        largest = _acting(of.chart, of.motion, f)
        presses = f > PRESSES * largest
        loose = ~presses & ~_follows(G, presses)
        zero = self.laws & gaps.on & (np.abs(gaps.gap) <= TOUCH * self.of.sizes)
        self.check_rubbing(soft | frozenset(which[presses].tolist()))
        touching = {e: float(f[k]) for k, e in enumerate(which.tolist()) if loose[k]}
        for e, force in (touching | dict.fromkeys(np.flatnonzero(zero).tolist(), 0.0)).items():
            raise self.grazes(e, float(gaps.gap[e]), force)

    def grazes(self, e: int, gap: float, force: float) -> ModelError:
        """Return the error of what touches and does not press."""
        element, m = self.of.elements[e], self.of.system.mechanism
        spec = m.joints[element.part]
        words = [unit(m, spec.measure(column, m)) for column in ("gap", next(iter(spec.quantities(m))))]
        return ModelError(
            f'joint "{element.part}" ({element.side.name}) touches here and does not press (gap {gap:.3g} {words[0]}, '
            f"force {force:.3g} {words[1]}), so small motions to its two sides differ; start where it is open or "
            "presses, or take it out"
        )


def _acting(chart: Chart, at: Motion, f: Array) -> float:
    """Return the largest force in play about a balance, in units of coordinates; f of those in touch."""
    K = chart.stiffness(fine=False)
    own = float(np.max(np.abs(K * np.outer(chart.unit, chart.unit)), initial=0.0))
    return max(chart.largest(at), own, float(np.max(f, initial=0.0)), LEAST * chart.system.scale.energy)


def _follows(G: Array, presses: Any) -> Any:
    """Return which rows of G (n, f) cannot open while those that press hold, (n,) bool."""
    sizes = np.linalg.norm(G, axis=1)
    left = G
    if presses.any():
        held = G[presses]
        left = G - np.linalg.lstsq(held.T, G.T, rcond=MOVES)[0].T @ held
    return np.linalg.norm(left, axis=1) <= MOVES * np.maximum(sizes, 1e-300)


def balanced(stand: Stand) -> Balance:
    """Return the balance of a stand, in which things may come into touch or not."""
    return Pressing(stand) if getattr(stand.mechanism, "switching", ()) else Balance(stand)


class _Face(Balance):
    """The balance of what moves while some sides hold."""

    def __init__(self, pressing: Pressing, closed: Closed, stand: Stand) -> None:
        super().__init__(stand)
        self.whole, self.closed = pressing, closed

    def within(self, pose: Pose) -> bool:
        """Whether nothing rigid is passed."""
        return self.whole.within(pose)

    def _values(self, pose: Pose) -> tuple[Array, Array]:
        """Return what is above zero while a side stays as it is, (n_e,), and which of these go past their zero."""
        of, p = self.whole.of, self.whole
        gaps = p.gaps(pose)
        on = np.array([e in self.closed for e in range(len(of.elements))], dtype=bool)
        value = np.where(on, np.where(p.laws, -gaps.gap, -gaps.beyond), np.where(gaps.on, gaps.gap, np.inf))
        return value, p.laws | (on & of.ended)

    def _cut(self, at: Chart, step: Array, pose: Pose) -> Below | None:
        """Return where a step ends as something comes into touch or is let go."""
        of = self.whole.of
        tol = (
            np.where(np.array([e in self.closed for e in range(len(of.elements))], dtype=bool), LEFT, TOUCH) * of.sizes
        )
        before, first = self._values(at.home)[0], 0.0
        for n in range(1, PARTS + 1):
            s = n / PARTS
            now, past = self._values(pose if n == PARTS else at.pose(s * step))
            new = np.flatnonzero((now < -tol) & (before > -BESIDE * of.sizes))
            if len(new):
                ends = [self._zero(int(e), at, step, first, s) for e in new]
                k = int(np.argmin(ends))
                e, far = int(new[k]), ends[k]
                if past[e]:
                    far = min(far + PAST, s)
                end = at.pose(far * step) if far > 0.0 else at.home
                return Below(end, e) if at.gap(end) < OPEN else None
            before, first = now, s
        return None

    def _zero(self, e: int, at: Chart, step: Array, first: float, last: float) -> float:
        """Return the part of a step at which the value of a side falls through zero."""
        from scipy.optimize import brentq

        def value(s: float) -> float:
            return float(self._values(at.pose(s * step) if s else at.home)[0][e])

        if not 0.0 < value(first) < np.inf:
            return first
        found: float = brentq(value, first, last, xtol=1e-15, rtol=1e-14)
        return found
