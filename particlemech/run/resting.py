"""What joints that stick do at an instant: which rest, which slip and whereto, together with who is in touch.

With f the forces of contacts and the efforts of friction in all joints, accelerations and loads are linear in them:

    w = W f + b,    w: second rates of gaps and of coordinates          R = R_0 + sum_k R_k f_k               (1)

    contacts in touch     f >= 0,  w >= 0,  f w = 0
    what slides           f = -h mu(v) s P(R)                                                                 (2)
    joints at rest        |f| <= h mu_s P(R),  and where w is not 0  f = -h mu_s P(R) sign w                  (3)

For given limits (3) is one problem with the contacts (complementarity.py), which has one w even where joints depend on
each other; limits and (2) follow from its f until they stay. What can rest does: it is tried without limits first. What
slips has mu for mu_s, and the rest is asked again. A joint whose coordinate nothing can move (at a dead centre, or with
a driver) slips the way it must. Of a system, in the plane or in space, it asks what engine/dry_friction.py lists.

Of those that rest, independent ones are held by locks of their own; the others rest with them, or because drivers,
events or closed sides hold them: then these carry it all. Their shares are those of engine/holding.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from particlemech.engine.dry_friction import norms
from particlemech.engine.system import Array
from particlemech.model.modes import Slip
from particlemech.run.complementarity import complementary
from particlemech.run.touching import Touch

YIELDS = 1e-8  # of 1/M: friction gives way by this beside what is rigid, which carries what it can
ROUNDS = 500  # of limits and forces that go with each other
EXACT = 1e-13  # of the largest force: they do
BIAS = 1e-6  # of its limit: what has just been overcome holds less
MOVED = 1e-9  # of the accelerations in play: what is less does not slip
# times YIELDS, of the accelerations that friction gives: so does not what joints at rest that yield bring along (a
# five-bar: the fifth joint at its limit); less than BIAS, for what has been overcome slips
BROUGHT = 20.0
FIXED = 1e-9  # of 1/M: what unit efforts move less does not move
FOLLOWS = 1e-9  # of its own 1/M: what is left of a joint that follows from others


class Resting:
    """(1) at one instant: of contacts in touch, then of all places where joints rub."""

    def __init__(self, touch: Touch, laws: Mapping[Any, Any], t: float, q: Array, v: Array, x: Array) -> None:
        system, of, at = touch.of.system, touch.of, (t, q, v, x)
        which = [k for k, rub in enumerate(of.dry) if rub.bears(system.mechanism)]
        self.rubs = [laws[of.dry[k].place] for k in which]
        self.touch, self.scale, n_v, n_c = touch, system.scale, system.n_v, len(touch.which)
        own = system.dry_places(*at, touch.bare[:n_v], which)
        answers = np.hstack([touch.reply, touch._solved(own.columns[of.keep])])
        f = np.zeros((len(of.dry), 1 + n_c + len(which)))
        f[which, 1 + n_c + np.arange(len(which))] = 1.0
        for (k, rub), slip, slid in zip(touch.rubs, touch.slips, touch.slid.T, strict=True):
            f[of.rubs[touch.which[k]], 1 + k] = grip = -rub.grip(float(slip @ v))
            answers[:, k] += grip * slid
        G = np.vstack([touch.G, own.rows])
        self.W = G @ answers[:n_v]
        self.W[:n_c, :n_c] = touch.W + touch.brought
        self.b, self.rates = np.concatenate([touch.free, own.seconds]), own.rates
        self.sizes = np.array([1.0 if rub.turn else self.scale.length for rub in self.rubs])
        self.unit = (np.concatenate([of.sizes[touch.which], self.sizes]) / self.scale.length) ** 2 / self.scale.mass
        every = np.column_stack([touch.bare, answers])
        lam = np.zeros((system.n_lam, every.shape[1]))
        lam[of.always] = every[n_v:]
        lam[of.lams[touch.which], 1 + np.arange(n_c)] = of.signs[touch.which]
        self.loads = system.pressed(*at, every[:n_v], lam, f, which)  # (n_p, k, 1 + n), of a state and of unit forces

    def load(self, f: Array) -> Array:
        """Return P(R) of all places, (n_p,)."""
        return norms(self.rubs, (self.loads @ np.append(1.0, f))[..., None])[:, 0]

    def forces(self, near: Any, given: Array, let_go: Array, rest: Array, most: Array) -> tuple[Array, Array]:
        """Return f and w of (1) to (3), (n,) each.

        Parameters
        ----------
        near
            (n_c,) bool: contacts that may press.
        given
            (n_c,) forces of those that give way.
        let_go
            (n_c,) what is added to second rates of gaps, so that these part or stay.
        rest
            (n_p,) bool: joints at rest that stick.
        most
            (n_p,) their limits under unit loads; of all others what (2) is under unit loads.
        """
        n_c, n = len(near), len(self.b)
        some = np.concatenate([near, rest])
        b = self.b + np.concatenate([let_go, np.zeros(n - n_c)])
        W = self.W + np.diag(np.where(np.arange(n) < n_c, 0.0, YIELDS * self.unit))
        f, size, movable = np.zeros(n), np.sqrt(self.unit), np.diag(self.W)[n_c:] > FIXED * self.unit[n_c:]
        W = W / np.outer(size, size)
        for free in (True, False):
            for _ in range(ROUNDS):
                P = self.load(f)
                slides = np.concatenate([given, np.where(rest, 0.0, -most * P)])
                limits = np.where(rest, np.where(free & movable, np.inf, most * P), 0.0)
                low = np.concatenate([np.zeros(n_c), -limits])[some]
                high = np.concatenate([np.full(n_c, np.inf), limits])[some]
                ahead = (b + self.W @ slides)[some] / size[some]
                new = slides
                found = complementary(W[np.ix_(some, some)], ahead, low * size[some], high * size[some])[0]
                new[some] = found / size[some]
                off = float(np.max(np.abs(new - f), initial=0.0))
                f = new
                if off <= EXACT * float(np.max(np.abs(f), initial=0.0)):
                    break
            if free and np.all(np.abs(f[n_c:]) <= np.where(rest, most * self.load(f), np.inf)):
                break
        return f, self.W @ f + b

    def decided(
        self,
        near: Any,
        given: Array,
        let_go: Array,
        before: Mapping[str, Slip],
        fired: Collection[str],
        still: float,
    ) -> tuple[Array, dict[str, Slip]]:
        """Return which contacts press, (n_c,), and what joints that stick do now; `slow` are those that were at rest.

        Parameters
        ----------
        near, given, let_go
            As in `forces`.
        before
            What these joints did.
        fired
            Those that have just come to rest, or could not hold.
        still
            Rates, of their sizes over the mechanism's time, that count as rest.
        """
        n_c, rubs = len(near), self.rubs
        slow = np.abs(self.rates) <= still * self.sizes / self.scale.time
        rest = np.array([r.joint in before and bool(s) for r, s in zip(rubs, slow, strict=True)], dtype=bool)
        # what rubs under a unit load as it slides, with its sense, and at the most at rest
        gliding = [
            rub.arm * (rub.coefficient(v) * np.sign(v) if rub.joint in before else rub.grip(v))
            for rub, v in zip(rubs, [rub.arm * rate for rub, rate in zip(rubs, self.rates, strict=True)], strict=True)
        ]
        most = np.array(gliding).reshape(-1)
        loose = np.zeros(len(rubs), dtype=bool)
        for k in np.flatnonzero(rest):
            was = before[rubs[k].joint].sense
            loose[k] = was != 0.0 and rubs[k].joint not in fired
            overcome = was == 0.0 and rubs[k].joint in fired
            most[k] = rubs[k].arm * rubs[k].hold * (1.0 - BIAS if overcome else 1.0)
        slips, no = np.zeros(len(rubs), dtype=bool), np.zeros(n_c)
        presses = near & (self.forces(near, given, let_go, rest, most)[0][:n_c] > 0.0) if near.any() else near
        for _ in range(len(rubs) + 1):
            most[loose] = [(1.0 - BIAS) * rubs[k].arm * rubs[k].coefficient(0.0) for k in np.flatnonzero(loose)]
            f, w = self.forces(presses, given, no, rest, most)
            limits = most * self.load(f)
            usual = np.max(np.abs(self.b) / np.sqrt(self.unit), initial=0.0) * np.sqrt(self.unit[n_c:])
            size = np.sqrt(self.unit[n_c:])
            brought = BROUGHT * YIELDS * np.max(size * np.abs(f[n_c:]), initial=0.0) * size
            at_limit = np.abs(f[n_c:]) >= limits * (1.0 - 1e-12)
            slips = rest & at_limit & (np.abs(w[n_c:]) > np.maximum(MOVED * usual, brought))
            if not np.any(slips & ~loose):
                break
            loose |= slips
        self.slow = {rubs[k].joint for k in np.flatnonzero(rest)}
        found = dict(before)
        for place, rub in enumerate(rubs):
            if rub.joint in before and not rest[place]:
                found[rub.joint] = Slip(float(np.sign(self.rates[place])))
            elif slips[place]:
                found[rub.joint] = Slip(float(np.sign(w[n_c + place])))
        found |= self._locked(np.flatnonzero(rest & ~slips), np.flatnonzero(presses))
        return presses, found

    def _locked(self, rest: Any, pressing: Any) -> dict[str, Slip]:
        """Return which of those at rest get locks of their own; `pressing` are the contacts that hold by rows."""
        n_c, found = len(self.touch.which), {}
        size = np.sqrt(self.unit)
        W = self.W / np.outer(size, size)
        own, C = n_c + rest, np.linalg.pinv(W[np.ix_(pressing, pressing)], rcond=1e-10)
        left = W[np.ix_(own, own)] - W[np.ix_(own, pressing)] @ C @ W[np.ix_(pressing, own)]
        least = np.maximum(FOLLOWS * np.diag(W)[own], FIXED)
        led = np.diag(left) <= least
        held: list[int] = []
        while len(held) < len(rest):
            open_ = np.where(np.diag(left) > least, np.diag(left), 0.0)
            open_[held] = 0.0
            top = int(np.argmax(open_))
            if open_[top] == 0.0:
                break
            held.append(top)
            left = left - np.outer(left[:, top], left[top]) / left[top, top]
        for i, place in enumerate(rest):
            found[self.rubs[place].joint] = Slip(0.0, 0.0 if i in held else None, bool(led[i]))
        return found
