"""A curve of poses, from where a mechanism stands: what Python does with the compiled loop of run/curve.py.

At a fork, where branches cross, rows lose their rank, and nothing can be solved for. What lies beside it is well
determined, and smooth in the length h along the branch: so the fork, and the poses near it, are taken from the
polynomials in h through points on both sides

    sigma(h) = sign of det (C, tau) x least singular value of C,    sigma(h*) = 0                             (1)

that are far enough for rounding, and near enough for all digits. Where an even number of ranks is lost the sign stays,
and it is given another on one side: what (1) says then holds at the fork only if sigma really falls to nothing there.
Branches leave it along t with

    C t = 0,    w.phi_uu(t, t) = 0 for every w C = 0                                                          (2)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from particlemech.analyses.kinematics.driving import NO_FREEDOM
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.run.curve import BEGIN, EVALUATIONS, FORK, LAST, MARCH, POINT, REACHED, SIGN, STEPS, H, S
from particlemech.run.start import moved, weights

RANK = 1e-9  # of the largest singular value: what is smaller is nothing
FLAT = 1e-7  # the same at a fork, whose place is known to rounding
NODES = np.array([0.008, 0.014, 0.02, 0.027, 0.034, 0.04])  # distances from a fork, in units
NEAR = 2e-3  # from a fork, in units: poses nearer are taken from the polynomials
PAST = 0.01  # where a curve goes on behind a fork
TRUE = 1e-5  # part by which sigma may be off the polynomial between its points
SCALES = (1.0, 0.1, 0.01)  # of all distances from a fork: others may be near
TRIES, ALIKE = 60, 1e-6  # searches for branches, and sines of angles between two that are one
MOST = 200_000  # steps of one curve


class Fork(NamedTuple):
    """Where branches cross, on one of them."""

    s: float
    q: Array
    tangent: Array  # (m,) of this branch, in units
    others: list[Array]  # (m,) of the others, where (2) finds them


class Beside(NamedTuple):
    """A branch near a fork as polynomials of the length along it."""

    h: float  # where the fork is
    scale: float  # of distances from it
    s: Polynomial
    q: list[Polynomial]
    tau: list[Polynomial]


class Curve:
    """All poses of a mechanism along one parameter s, from one of them on.

    Parameters
    ----------
    ground
        Where the mechanism stands.
    mechanism
        With the motions of its drivers as functions of s for the time.
    seat
        Coordinates and extra states of a pose near the curve, or None for where it stands.
    s
        Of that pose.
    unit
        What counts as a unit of s.
    verb
        Who asks, for messages.
    """

    def __init__(
        self, ground: Any, mechanism: Description, seat: tuple[Array, Array] | None, s: float, unit: float, verb: str
    ) -> None:
        self.ground, self.mechanism, self.unit, self.verb = ground, mechanism, unit, verb
        self.system = ground.led(mechanism)
        at: tuple[Array, Array] = ground.seat(self.system) if seat is None else seat
        self.q, self.x, self.s = *at, s
        self.spins: Array | None = None
        self.known = mechanism.bodies  # as the user says them
        self._check_driven()

    # -- what is free ----------------------------------------------------------------------------------------------

    def _scaled(self, q: Array, s: float) -> Array:
        """Return C of curve.py in units, (n_row, m)."""
        system = self.system
        at = system.levels(s, q, np.zeros(system.n_v))
        C = np.column_stack([at.phi_q * system.size_v, at.phi_t * self.unit])
        return np.asarray(weights(system)[:, None] / system.scale.length * C)

    def _check_driven(self) -> None:
        """Find what only spins, and refuse a mechanism that has other freedoms than s, or not even that."""
        C = self._scaled(self.q, self.s)
        _, sizes, Vt = np.linalg.svd(C)
        rank, n = int(np.sum(sizes > RANK * sizes.max(initial=1.0))), self.system.n_v
        drivers = ", ".join(f'"{name}"' for name in self.mechanism.drivers)
        if rank > n:
            own = np.array([row.part.startswith("driver ") for row in self.system.layout.rows], dtype=bool)
            if np.linalg.matrix_rank(C[~own, :-1], tol=RANK * sizes.max(initial=1.0)) == n:
                raise ModelError(f"{self.verb}: {NO_FREEDOM}")
            raise ModelError(
                f"{self.verb}: drivers {drivers} ask for more than the joints leave free; take one of them out, or say "
                "which one leads"
            )
        if rank == n:
            return
        free = Vt[rank:, :-1].T  # with the motion along the curve among them
        _, _, back = np.linalg.svd(C[:, :-1])
        held = back[int(np.sum(np.linalg.svd(C[:, :-1])[1] > RANK * sizes.max(initial=1.0))) :].T
        self.spins = self.ground.spins(self.system, self.q, held * self.system.size_v[:, None])
        if self.spins is None:
            left = free.shape[1] - 1
            raise ModelError(
                f"{self.verb}: {'nothing is driven' if not drivers else f'driven by {drivers}'}, the mechanism keeps "
                f"{left} more degree(s) of freedom in this pose: drive as many joints, or simulate it; at a change "
                "point, start beside it"
            )

    @property
    def spinning(self) -> tuple[str, ...]:
        """The bodies that only spin about a line of their own: drivers say nothing of that."""
        if self.spins is None:
            return ()
        frames = self.system.compiled.topology.frames
        return tuple(dict.fromkeys(frames[int(i) - 1].body for i in self.spins[:, 0]))

    # -- along it --------------------------------------------------------------------------------------------------

    def begun(self, wanted: Array, ahead: float, seat: tuple[Array, Array] | None = None) -> Any:
        """Return the place of a march from where the curve stands (or from `seat`), s growing or falling first."""
        q, x = (self.q, self.x) if seat is None else seat
        place = self.ground.place(self.system, q, x, wanted, self.spins)
        w, system = place.w, self.system
        w.row[:] = 1.0
        w.row[: system.n_row] = weights(system) / system.scale.length
        w.size[:-1], w.size[-1] = system.size_v, self.unit
        w.tau[-1] = math.copysign(1.0, ahead)
        if not place.do(BEGIN, self.s):
            raise ModelError(f"{self.verb}: the mechanism does not fit together at {self.s:.9g} near the pose given")
        return place

    @staticmethod
    def march(place: Any, done: int = 0, most: int = MOST) -> tuple[int, int]:
        """Go on; return how it ended and which sample follows."""
        follows, ended = divmod(int(place.do(MARCH, 0.0, most, done)), 16)
        return ended, follows

    @staticmethod
    def stats(place: Any) -> dict[str, int]:
        """Return counters."""
        return {"steps": int(place.w.now[STEPS]), "evaluations": int(place.w.now[EVALUATIONS])}

    def reached(self, s: float) -> Array | None:
        """Return the coordinates at another s to which the curve leads from where it stands; None if it does not."""
        if s == self.s:
            return self.q
        place = self.begun(np.array([s]), s - self.s)
        done = 0
        for _ in range(20):
            ended, done = self.march(place, done)
            if ended == REACHED or done:
                return np.array(place.w.found[0, : self.system.n_q])
            if ended != FORK:
                break
        return None

    # -- forks -----------------------------------------------------------------------------------------------------

    def beside(self, place: Any) -> Beside | None:
        """Return the branch near the fork that the last step has passed; None if branches only come near each other."""
        middle = self._crossing(place)
        return next((at for scale in SCALES if (at := self._fitted(place, middle, scale)) is not None), None)

    @staticmethod
    def _crossing(place: Any) -> float:
        """Return where in the last step the sign of (1) changes, or its middle if it does not."""
        low, high, signs = 0.0, float(place.w.now[LAST]), []
        for h in (low, high):
            place.do(POINT, h)
            signs.append(place.w.now[SIGN])
        for _ in range(30 if signs[0] != signs[1] else 0):
            h = 0.5 * (low + high)
            place.do(POINT, h)
            low, high = (h, high) if place.w.now[SIGN] == signs[0] else (low, h)
        return 0.5 * (low + high)

    def _fitted(self, place: Any, middle: float, scale: float) -> Beside | None:
        """Return the polynomials through points at distances in a scale."""
        w, nodes = place.w, scale * NODES
        points = []
        for h in middle + np.concatenate([-nodes[::-1], nodes]):
            s = place.do(POINT, float(h))
            if not math.isfinite(s):
                return None
            points.append((h, s, self._least(place) * w.now[SIGN], w.trial.copy(), w.null.copy()))
        h, s, sigma = (np.array([point[k] for point in points]) for k in range(3))
        if sigma[0] * sigma[-1] > 0.0:
            sigma[h < middle] *= -1.0
        fit = _through(h, sigma)
        root = middle
        for _ in range(50):
            step = fit(root) / fit.deriv()(root)
            root -= step
            if abs(step) < 1e-15:
                break
        if not abs(root - middle) < nodes[0] or not self._falls(place, fit, root, 0.25 * nodes[0]):
            return None
        q, tau = (np.array([point[k] for point in points]) for k in (3, 4))
        every = [_through(h, s)], [_through(h, c) for c in q.T], [_through(h, c) for c in tau.T]
        return Beside(float(root), scale, every[0][0], *every[1:])

    def _least(self, place: Any) -> float:
        """Return the least singular value of C where the march has evaluated it last."""
        w = place.w
        return float(np.linalg.svd(w.C * w.row[:, None] * w.size, compute_uv=False)[self.system.n_v - 1])

    def _falls(self, place: Any, fit: Polynomial, root: float, beside: float) -> bool:
        """Return whether the least singular value on both sides of a root is what the polynomial says."""
        for h in (root - beside, root + beside):
            if not math.isfinite(place.do(POINT, float(h))):
                return False
            sigma = self._least(place)
            if abs(sigma - abs(float(fit(h)))) > TRUE * sigma:
                return False
        return True

    def fork(self, place: Any, at: Beside) -> Fork:
        """Return the fork itself."""
        q = np.array([of(at.h) for of in at.q])
        tangent = np.array([of(at.h) for of in at.tau])
        s = float(at.s(at.h))
        return Fork(s, self.moved(q), tangent / np.linalg.norm(tangent), self._others(q, s, tangent))

    def moved(self, q: Array, step: Array | None = None) -> Array:
        """Return coordinates a step along the speeds away, quaternions of length 1."""
        return moved(self.system, q, np.zeros(self.system.n_v) if step is None else step)

    def _others(self, q: Array, s: float, t: Array) -> list[Array]:
        """Return the tangents of the other branches, (2), by Newton's method from directions at random."""
        C = self._scaled(q, s)
        U, sizes, Vt = np.linalg.svd(C)
        spins = 0 if self.spins is None else len(self.spins)
        rank = int(np.sum(sizes > FLAT * sizes.max(initial=1.0)))
        N, L = Vt[rank:].T, U[:, rank:]
        if N.shape[1] - spins < 2:
            return []
        e, size, slopes = 1e-5, self.system.size_v, []
        for a in N.T:
            ends = [self._scaled(self.moved(q, k * e * size * a[:-1]), s + k * e * self.unit * a[-1]) for k in (1, -1)]
            slopes.append(L.T @ ((ends[0] - ends[1]) / (2.0 * e)) @ N)
        bent = np.array(slopes)  # w.phi_uu(a, b), (m, k, m)
        bent = 0.5 * (bent + bent.transpose(2, 1, 0))
        rng, found = np.random.default_rng(0), [_unit(N.T @ t)]
        if float(np.abs(bent).max(initial=0.0)) < 1e-6:
            return []
        for _ in range(TRIES if not spins else 0):
            x = _unit(np.asarray(rng.normal(size=N.shape[1])))
            for _ in range(30):
                A = np.einsum("akb,a->kb", bent, x)
                step = np.linalg.lstsq(np.vstack([2.0 * A, x]), np.append(-A @ x, 0.0), rcond=1e-8)[0]
                x = _unit(x + step)
                if np.linalg.norm(step) < 1e-13:
                    break
            gap = float(np.abs(np.einsum("akb,a,b->k", bent, x, x)).max())
            if gap < ALIKE and all(np.linalg.norm(np.outer(x, o) - np.outer(o, x)) > 1e-3 for o in found):
                found.append(x)
        return [N @ x for x in found[1:]] if len(found) <= 2 ** (N.shape[1] - 1) else []

    def passed(self, place: Any, at: Beside, done: int) -> int:
        """Take the march past a fork: samples near it from the polynomials; return which sample follows."""
        w = place.w
        h = at.h + PAST * at.scale
        s = place.do(POINT, h)
        ahead = math.copysign(1.0, w.null[-1])
        first = float(at.s(at.h - NEAR * at.scale))
        n_q, n = self.system.n_q, self.system.n_v
        for k in range(len(w.wanted)):
            if (w.wanted[k] - first) * ahead < 0.0 or (w.wanted[k] - s) * ahead > 0.0:
                continue
            where = at.h + (w.wanted[k] - float(at.s(at.h))) / float(at.s.deriv()(at.h))
            for _ in range(20):
                where -= (float(at.s(where)) - w.wanted[k]) / float(at.s.deriv()(where))
            tau = np.array([of(where) for of in at.tau])
            w.found[k, :n_q] = self.moved(np.array([of(where) for of in at.q]))
            w.found[k, n_q : n_q + n] = tau[:-1] * w.size[:-1] / (tau[-1] * w.size[-1])
            w.found[k, n_q + n :] = w.found[max(k - 1, 0), n_q + n :] if k else place.extra()
            done = max(done, k + 1)
        place.do(POINT, h)
        w.q[:], w.tau[:] = w.trial, w.null
        w.bend[:] = 0.0
        w.now[S], w.now[H] = s, PAST * at.scale
        return done


def _unit(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x))


def _through(x: Array, y: Array) -> Polynomial:
    """Return the polynomial through points."""
    return Polynomial.fit(x, y, len(x) - 1)
