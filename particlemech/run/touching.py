"""What happens at an instant to elements that only push: who is struck, and who stays in touch.

In the system in which every side of every element has its row, and all forces but theirs are known, those of joints
that rub as they are while all are open:

    g = s phi,   g' = s (phi_q v + phi_t)                s the sign of a side; g >= 0 where it may be         (1)
    g'' = g''_0 + W f,   f >= 0,  g'' >= 0,  f.g'' = 0   accelerations and forces of those in touch           (2)
    g'+ = g'- + W p,     p >= 0,  g'+ + e g'- >= 0, p.(g'+ + e g'-) = 0    speeds and impulses, Newton's e    (3)

W is what unit forces do to the gaps while all other rows hold: those of joints and drivers, solved first. The work of
the impulses is

    sum p (g'+ + g'-)/2 - sum L phi_t                    L: impulses of drivers, phi_t their speeds           (4)

Where drivers prescribe coordinates, which have no rows, it is the change of the kinetic energy.

Where contacts that have friction are struck, or in touch, blows T along their slips go with p: blows.py.
Forces (2) of contacts that slip bring -mu(v) tanh(v/v_s) f along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.plane import rate_row
from particlemech.engine.system import Array, Row
from particlemech.model.one_sided import OneSided
from particlemech.run.blows import blow
from particlemech.run.complementarity import complementary

LEFT = 1e-12  # of the size of a gap: what is no farther from an end is there


class Element(NamedTuple):
    """A side on which something may be struck."""

    part: str  # the joint it belongs to
    side: OneSided
    row: int  # in the system in which all have rows

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return f'joint "{self.part}" ({self.side.name})'


def elements(mechanism: Any, rows: Sequence[Row]) -> tuple[Element, ...]:
    """Return the elements of a mechanism by their rows in the system in which all have some."""
    at: dict[str, list[int]] = {}
    for k, row in enumerate(rows):
        at.setdefault(row.part, []).append(k)
    nth: dict[str, int] = {}
    found = []
    for name, side in mechanism.switching:
        k = nth[name] = nth.get(name, -1) + 1
        found.append(Element(name, side, at[f'joint "{name}"'][k]))
    return tuple(found)


def rubs(mechanism: Any) -> bool:
    """Whether joints rub by their loads, and none sticks: what sticks is decided by sticking.py."""
    dry = (joint.friction is not None and joint.friction.dry for joint in mechanism.joints.values())
    return not mechanism.sticking and any(dry)


class Gaps(NamedTuple):
    """(1) of all elements."""

    gap: Array  # (n_e,)
    rate: Array  # (n_e,)
    beyond: Array  # (n_e,) how far each is beyond its ends, -inf where it has none
    on: Any  # (n_e,) bool, whether it is between them; at one: whether it does not leave


class Measuring:
    """Tells the gaps of elements from the system in which all have rows.

    `open` is that in which none has, where joints rub by their loads: sides that hold what moves load them anyhow.
    """

    def __init__(self, system: Any, open_: Any = None) -> None:
        self.system, self.open = system, open_
        self.elements = elements(system.mechanism, system.layout.rows)
        loaded = any(system.mechanism.joints[e.part].friction is not None for e in self.elements)
        dry = system.dry if loaded or system.mechanism.sticking else ()
        self.rubs = {k: j for k, e in enumerate(self.elements) for j, rub in enumerate(dry) if rub.joint == e.part}
        self.dry = dry
        joints = system.mechanism.joints
        # what gives way has its law in the gap itself
        self.exact = [(k, joints[e.part]) for k, e in enumerate(self.elements) if e.side.law and joints[e.part].curved]
        self.profiles = [(k, joints[e.part]) for k, e in enumerate(self.elements) if joints[e.part].profiled]
        self.ended = np.array([e.side.ends for e in self.elements], dtype=bool)
        self.rows = np.array([e.row for e in self.elements], dtype=int)
        self.signs = np.array([e.side.sign for e in self.elements])
        lams = [row.lam for row in system.layout.rows]
        self.lams = np.array([lams[k] for k in self.rows], dtype=int)
        self.angle = np.array([system.layout.rows[k].angle for k in self.rows], dtype=bool)
        n_A = system.n_v + system.n_lam
        own = n_A - system.n_row + self.rows, system.n_v + self.lams
        self.own, keep, columns = own, *(np.delete(np.arange(n_A), of) for of in own)
        self.keep, self.base = keep, np.ix_(keep, columns)
        self.always = columns[columns >= system.n_v] - system.n_v  # their multipliers
        # rows with a multiplier that always hold, in the order of these
        by_lam = {lam: k for k, lam in enumerate(lams) if lam >= 0}
        self.driven = np.array([by_lam[c - system.n_v] for c in columns if c >= system.n_v], dtype=int)
        # of each gap: what counts as its size
        self.sizes = np.where(self.angle, 1.0, system.scale.length)

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of the system in which all have rows, with the friction of that in which none has."""
        A, b = self.system.dynamics(t, q, v, x)
        if self.open is not None:
            b[self.keep] = self.open.dynamics(t, q, v, x)[1]
        return A, b

    def gaps(self, t: float, q: Array, v: Array, x: Array) -> Gaps:
        """Return (1)."""
        if not self.elements:
            none = np.zeros(0)
            return Gaps(none, none, none, np.zeros(0, dtype=bool))
        at = counted_levels(self.system, t, q, v, x)
        phi_q = at.phi_q[self.rows]
        far, on = np.full(len(self.rows), -np.inf), np.ones(len(self.rows), dtype=bool)
        found = Gaps(self.signs * at.phi[self.rows], self.signs * (phi_q @ v + at.phi_t[self.rows]), far, on)
        if self.exact or self.ended.any():
            seen, joints = self.system.sight(t, q, v, x), self.system.mechanism.joints
            for k, spec in self.exact:
                (found.gap[k],), (found.rate[k],) = spec.open_by(seen)
            for k in np.flatnonzero(self.ended).tolist():
                (far[k],), (leaves,) = joints[self.elements[k].part].beyond(seen)
                on[k] = far[k] < (LEFT if leaves <= 0.0 else -LEFT) * self.sizes[k]
        return found

    def gained(self, before: Any, after: Any, p: Array, rate: Array, rows: Array) -> float:
        """Return (4) without friction: p (n,) at mean rates (n,), and impulses of the other rows; states as `gaps`."""
        system, lay = self.system, self.system.layout
        if getattr(system, "prescribed", False):
            y = np.zeros((2, system.n))
            for one, (_, q, v, x) in zip(y, (before, after), strict=True):
                one[lay.q], one[lay.v], one[lay.x] = q, v, x
            kinetic = system.energies(np.full(2, before.t), y)[0]
            return float(kinetic[1] - kinetic[0])
        phi_t = counted_levels(system, *before).phi_t
        return float(p @ rate - rows @ phi_t[self.driven])

    def swept(self, t: float, q: Array, v: Array, x: Array, closed: frozenset[int]) -> float:
        """Return the fastest turn of profiles past what has lifted off them, turns/s."""
        flying = [spec for k, spec in self.profiles if k not in closed]
        if not flying:
            return 0.0
        seen = self.system.sight(t, q, v, x)
        return max(abs(float(spec.passing(seen)[1][0])) for spec in flying) / (2.0 * np.pi)


def counted_levels(system: Any, t: float, q: Array, v: Array, x: Array) -> Any:
    """Return the rows on all levels, on the turn that extra states say."""
    return system.levels(t, q, v, x) if getattr(system, "counting", False) else system.levels(t, q, v)


class Touch:
    """The algebra of some elements at one place: W is the same before and after impulses."""

    def __init__(self, of: Measuring, which: Any, t: float, q: Array, v: Array, x: Array) -> None:
        system = of.system
        self.of, self.which, self.at = of, np.array(which, dtype=int), (t, q, x)
        A, b = of.dynamics(t, q, v, x)
        self.n_v = n_v = system.n_v
        (own_rows, own_lams), keep = of.own, of.keep
        base = A[of.base]
        rows = np.max(np.abs(base), axis=1, initial=0.0)
        rows[rows == 0.0] = 1.0
        sizes = np.max(np.abs(base / rows[:, None]), axis=0, initial=0.0)
        sizes[sizes == 0.0] = 1.0
        scaled = base / rows[:, None] / sizes
        try:
            inverse = np.linalg.inv(scaled)
            if not np.linalg.norm(scaled, 1) * np.linalg.norm(inverse, 1) < 1e10:
                inverse = np.linalg.pinv(scaled, rcond=1e-11)
        except np.linalg.LinAlgError:
            inverse = np.linalg.pinv(scaled, rcond=1e-11)
        self.inverse, self.rows, self.sizes, self.scaled = inverse, rows, sizes, scaled
        signs = of.signs[self.which]
        self.G = signs[:, None] * A[own_rows[self.which], :n_v]
        self.reply = self._solved(-A[np.ix_(keep, own_lams[self.which])] * signs)  # to unit forces
        self.W = self.G @ self.reply[:n_v]
        self.W = 0.5 * (self.W + self.W.T)
        places = [of.rubs[e] for e in self.which.tolist() if e in of.rubs]
        self.rubs = [(k, of.dry[of.rubs[e]]) for k, e in enumerate(self.which.tolist()) if e in of.rubs]
        self.slips = np.array([rate_row(system, q, rub.of) for _, rub in self.rubs]).reshape(-1, n_v)
        pushed = np.zeros((len(keep), 0))
        if places:
            pushed = self._solved(system.rubbing_columns(q)[keep][:, places])
        self.slid = pushed  # reply to unit forces along slips
        self.brought = self._brought(v)
        self.pushed = np.zeros(len(self.which))  # accelerations by what gives way and is pressed in
        self.speeds: Array | None = None  # that are not taken yet
        self._take(b)

    def _solved(self, right: Array) -> Array:
        """Return accelerations and multipliers for right sides (n, m) or (n,)."""
        scaled = right / (self.rows[:, None] if right.ndim == 2 else self.rows)
        found = self.inverse @ scaled
        found = found + self.inverse @ (scaled - self.scaled @ found)
        return np.asarray(found / (self.sizes[:, None] if right.ndim == 2 else self.sizes))

    def _take(self, b: Array) -> None:
        """Take the right side of a state."""
        free = self.bare = self._solved(b[self.of.keep])  # accelerations and multipliers without forces of elements
        # the rows say G a = -gamma, so that b there is minus what is to be added
        self.free = self.G @ free[: self.n_v] - self.of.signs[self.which] * b[self.of.own[0][self.which]] + self.pushed

    def moving(self, v: Array) -> None:
        """Take other speeds at the same place; what follows from them waits until it is asked for."""
        self.speeds = v

    def push(self, pushed: Array) -> None:
        """Take accelerations (n,) by what gives way, which the system in which all have rows does not know."""
        self.free, self.pushed = self.free + (pushed - self.pushed), pushed

    def _follow(self) -> None:
        """Take forces at the present speeds."""
        if self.speeds is not None:
            t, q, x = self.at
            self.brought = self._brought(self.speeds)
            self._take(self.of.dynamics(t, q, self.speeds, x)[1])
            self.speeds = None

    def _brought(self, v: Array) -> Array:
        """Return what friction adds to W of forces at speeds v."""
        added = np.zeros_like(self.W)
        for (k, rub), slip, slid in zip(self.rubs, self.slips, self.slid.T, strict=True):
            added[:, k] -= rub.grip(float(slip @ v)) * (self.G @ slid[: self.n_v])
        return added

    def forces(self, some: Array) -> tuple[Array, Array]:
        """Return f and g'' of (2), (n,) each, of those in touch (n,) bool; the others exert none."""
        self._follow()
        f, open_, W = np.zeros(len(self.which)), np.array(self.free), self.W + self.brought
        f[some], _ = complementary(W[np.ix_(some, some)], self.free[some])
        return f, open_ + W @ f

    def pressing(self, some: Array, bias: Array, least: Array) -> Array:
        """Return which of those in touch press, (n,) bool; `bias` of the accelerations in play favours opening."""
        self._follow()
        self.free = self.free + bias * (np.max(np.abs(self.free), initial=0.0) + least)
        return np.asarray(self.forces(some)[0] > 0.0)

    def impulses(self, rate: Array, restitution: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return p and g'+ of (3), T along slips, and what T works at each; restitutions fall as blows.py says."""
        n, at = len(rate), np.array([k for k, _ in self.rubs], dtype=int)
        every, replies = np.vstack([self.G, self.slips]), np.column_stack([self.reply, self.slid])[: self.n_v]
        W, slip = every @ replies, self.slips @ v
        W = 0.5 * (W + W.T)
        before, mu = (
            np.concatenate([rate, slip]),
            [rub.coefficient(s) for (_, rub), s in zip(self.rubs, slip, strict=True)],
        )
        restitution[:], p, T = blow(W, before, restitution, np.array(mu), at)
        after, work = before + W @ np.concatenate([p, T]), np.zeros(n)
        work[at] = 0.5 * T * (slip + after[n:])
        return p, after[:n], T, work

    def jump(self, p: Array, along: Array | None = None) -> tuple[Array, Array]:
        """Return the change of speeds (n_v,) and the impulses of rows that always hold, by p and T along slips."""
        found = self.reply @ p if along is None else self.reply @ p + self.slid @ along
        return found[: self.n_v], found[self.n_v :]
