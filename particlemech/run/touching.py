"""What happens at an instant to elements that only push: who is struck, and who stays in touch.

In the system in which every side of every element has its row, and all forces but theirs are known:

    g = s phi,   g' = s (phi_q v + phi_t)                s the sign of a side; g >= 0 where it may be         (1)
    g'' = g''_0 + W f,   f >= 0,  g'' >= 0,  f.g'' = 0   accelerations and forces of those in touch           (2)
    g'+ = g'- + W p,     p >= 0,  g'+ + e g'- >= 0, p.(g'+ + e g'-) = 0    speeds and impulses, Newton's e    (3)

W is what unit forces do to the gaps while all other rows hold: those of joints and drivers, solved first. The work of
the impulses is

    sum p (g'+ + g'-)/2 - sum L phi_t                    L: impulses of drivers, phi_t their speeds           (4)

With one e for all (3) never gives energy; with several it might, and then the least of them is taken for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array, Row
from particlemech.model.joint import OneSided
from particlemech.run.complementarity import complementary


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


class Gaps(NamedTuple):
    """(1) of all elements."""

    gap: Array  # (n_e,)
    rate: Array  # (n_e,)


class Measuring:
    """Tells the gaps of elements from the system in which all have rows."""

    def __init__(self, system: Any) -> None:
        self.system = system
        self.elements = elements(system.mechanism, system.layout.rows)
        self.rows = np.array([e.row for e in self.elements], dtype=int)
        self.signs = np.array([e.side.sign for e in self.elements])
        lams = [row.lam for row in system.layout.rows]
        self.lams = np.array([lams[k] for k in self.rows], dtype=int)
        self.angle = np.array([system.layout.rows[k].angle for k in self.rows], dtype=bool)
        n_A = system.n_v + system.n_lam
        own = n_A - system.n_row + self.rows, system.n_v + self.lams
        self.own, keep, columns = own, *(np.delete(np.arange(n_A), of) for of in own)
        self.keep, self.base = keep, np.ix_(keep, columns)
        # rows with a multiplier that always hold, in the order of these
        by_lam = {lam: k for k, lam in enumerate(lams) if lam >= 0}
        self.driven = np.array([by_lam[c - system.n_v] for c in columns if c >= system.n_v], dtype=int)
        # of each gap: what counts as its size
        self.sizes = np.where(self.angle, 1.0, system.scale.length)

    def gaps(self, t: float, q: Array, v: Array, x: Array) -> Gaps:
        """Return (1)."""
        at = counted_levels(self.system, t, q, v, x)
        phi_q = at.phi_q[self.rows]
        return Gaps(self.signs * at.phi[self.rows], self.signs * (phi_q @ v + at.phi_t[self.rows]))


def counted_levels(system: Any, t: float, q: Array, v: Array, x: Array) -> Any:
    """Return the rows on all levels, on the turn that extra states say."""
    return system.levels(t, q, v, x) if getattr(system, "counting", False) else system.levels(t, q, v)


class Touch:
    """The algebra of some elements at one place: W is the same before and after impulses."""

    def __init__(self, of: Measuring, which: Any, t: float, q: Array, v: Array, x: Array) -> None:
        system = of.system
        self.of, self.which, self.at = of, np.array(which, dtype=int), (t, q, x)
        A, b = system.dynamics(t, q, v, x)
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
        self._take(b)

    def _solved(self, right: Array) -> Array:
        """Return accelerations and multipliers for right sides (n, m) or (n,)."""
        scaled = right / (self.rows[:, None] if right.ndim == 2 else self.rows)
        found = self.inverse @ scaled
        found = found + self.inverse @ (scaled - self.scaled @ found)
        return np.asarray(found / (self.sizes[:, None] if right.ndim == 2 else self.sizes))

    def _take(self, b: Array) -> None:
        """Take the right side of a state."""
        free = self._solved(b[self.of.keep])
        # the rows say G a = -gamma, so that b there is minus what is to be added
        self.free = self.G @ free[: self.n_v] - self.of.signs[self.which] * b[self.of.own[0][self.which]]

    def moving(self, v: Array) -> None:
        """Take other speeds at the same place."""
        t, q, x = self.at
        self._take(self.of.system.dynamics(t, q, v, x)[1])

    def forces(self, some: Array) -> tuple[Array, Array]:
        """Return f and g'' of (2), (n,) each, of those in touch (n,) bool; the others exert none."""
        f, open_ = np.zeros(len(self.which)), np.array(self.free)
        f[some], _ = complementary(self.W[np.ix_(some, some)], self.free[some])
        return f, open_ + self.W @ f

    def impulses(self, rate: Array, restitution: Array, hit: Array) -> tuple[Array, Array]:
        """Return p and g'+ of (3), (n,) each, of those that may be `hit` (n,) bool."""
        p = np.zeros(len(rate))
        target = rate + restitution * np.minimum(rate, 0.0)
        p[hit], _ = complementary(self.W[np.ix_(hit, hit)], target[hit])
        return p, rate + self.W @ p

    def jump(self, p: Array) -> tuple[Array, Array]:
        """Return the change of the speeds (n_v,) and the impulses of the rows that always hold, by impulses p."""
        found = self.reply @ p
        return found[: self.n_v], found[self.n_v :]
