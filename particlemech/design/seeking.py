"""The methods that look for the best variant: those of scipy.optimize, each given a problem as it likes it.

slsqp, trust-constr                   with derivatives; extremes in pieces, z >= each                           (1)
cobyla                                without derivatives; conditions as they are
nelder-mead, powell                   without; what breaks a condition counts as worse than all that does not
differential-evolution                the same, over all the room between the bounds, then slsqp
auto                                  slsqp, again from where it ends until nothing is gained
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize
from scipy.stats import qmc

from particlemech.engine.system import Array
from particlemech.errors import ModelError

AGAIN = 4  # times slsqp begins again from where it ended
STEPS = 150  # of one search with derivatives
BROKEN = 1e3  # merit of what breaks a condition, in aims as the first
NONE = 1e6  # of what is no mechanism
ENDED = "nothing better nearby"


def sought(problem: Any, method: str, starts: int, seed: int, tolerance: float) -> str:
    """Search; return how it ended. The problem keeps the best."""
    search = METHODS[method]
    said = search(problem, problem.start, seed, tolerance)
    if starts > 1:
        _check_bounds(problem, "starts")
        room = qmc.Sobol(len(problem.start), seed=seed).random(2 ** int(np.ceil(np.log2(starts - 1 or 1))))
        for u in room[: starts - 1]:
            if problem.at(u).whole:
                said = search(problem, u, seed, tolerance)
    return said


def _check_bounds(problem: Any, what: str) -> None:
    for one in problem.chosen:
        if not one.bounded:
            raise ModelError(f'optimise: {what} needs bounds, and parameter "{one.name}" has none; give (low, high)')


# -- with derivatives, (1) -----------------------------------------------------------------------------------------


class Smoothed:
    """A problem with one variable more, z, in units of the aim, where the aim has several pieces."""

    def __init__(self, problem: Any, u: Array) -> None:
        self.problem, self.n = problem, len(u)
        self.wide = len(problem.at(u).pieces) > 1

    def begun(self, u: Array) -> Array:
        """Return the variables of a start."""
        top = float(np.max(self.problem.at(u).pieces)) / self.problem.scale
        return np.append(u, top) if self.wide else u

    @property
    def bounds(self) -> optimize.Bounds:
        """Bounds of all variables."""
        low, high = self.problem.low, self.problem.high
        return optimize.Bounds(
            np.append(low, -np.inf) if self.wide else low, np.append(high, np.inf) if self.wide else high
        )

    def aim(self, w: Array) -> float:
        """Return z, or the aim."""
        return float(w[-1]) if self.wide else float(self.problem.at(w).pieces[0]) / self.problem.scale

    def aim_slope(self, w: Array) -> Array:
        """Return the derivative of `aim`."""
        if self.wide:
            return np.append(np.zeros(self.n), 1.0)
        return np.asarray(self.problem.slopes(w)[0][0]) / self.problem.scale

    def least(self, w: Array) -> Array:
        """Return what must not be negative."""
        seen = self.problem.at(w[: self.n])
        return np.concatenate([w[-1] - seen.pieces / self.problem.scale, seen.margins]) if self.wide else seen.margins

    def least_slope(self, w: Array) -> Array:
        """Return the derivative of `least`."""
        pieces, margins, _ = self.problem.slopes(w[: self.n])
        if not self.wide:
            return margins
        above = np.hstack([-pieces / self.problem.scale, np.ones((len(pieces), 1))])
        return np.vstack([above, self._widened(margins)])

    def equal(self, w: Array) -> Array:
        """Return what must be zero."""
        return np.asarray(self.problem.at(w[: self.n]).equal)

    def equal_slope(self, w: Array) -> Array:
        """Return the derivative of `equal`."""
        return self._widened(self.problem.slopes(w[: self.n])[2])

    def _widened(self, slope: Array) -> Array:
        return np.hstack([slope, np.zeros((len(slope), 1))]) if self.wide else slope


def _rank(problem: Any) -> tuple[float, float]:
    return problem.best[0], problem.best[1] / problem.scale


def slsqp(problem: Any, u: Array, seed: int, tolerance: float) -> str:
    """Search by sequential quadratic programmes, again from the best until nothing is gained."""
    smooth = Smoothed(problem, u)
    some = problem.at(u)
    wanted = [("ineq", smooth.least, smooth.least_slope, smooth.wide or len(some.margins))]
    wanted += [("eq", smooth.equal, smooth.equal_slope, len(some.equal))]
    demands = [{"type": kind, "fun": fun, "jac": jac} for kind, fun, jac, any_ in wanted if any_]
    said, options = "", {"ftol": tolerance, "maxiter": STEPS}
    for _ in range(AGAIN):
        before = _rank(problem)
        w, bounds = smooth.begun(u), smooth.bounds
        found = optimize.minimize(
            smooth.aim, w, jac=smooth.aim_slope, method="SLSQP", bounds=bounds, constraints=demands, options=options
        )
        said = ENDED if found.success else f"slsqp: {found.message.lower()}"
        after = _rank(problem)
        if before[0] - after[0] <= tolerance and before[1] - after[1] <= tolerance:
            break
        u = problem.best[2]
    return said


def trust_constr(problem: Any, u: Array, seed: int, tolerance: float) -> str:
    """Search by a trust region and inner points."""
    smooth = Smoothed(problem, u)
    some, demands = problem.at(u), []
    if smooth.wide or len(some.margins):
        demands.append(
            optimize.NonlinearConstraint(smooth.least, 0.0, np.inf, jac=smooth.least_slope, hess=optimize.BFGS())
        )
    if len(some.equal):
        demands.append(
            optimize.NonlinearConstraint(smooth.equal, 0.0, 0.0, jac=smooth.equal_slope, hess=optimize.BFGS())
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # where an aim or a condition is linear
        found = optimize.minimize(
            smooth.aim, smooth.begun(u), jac=smooth.aim_slope, hess=optimize.BFGS(), method="trust-constr",
            bounds=smooth.bounds, constraints=demands,
            options={"gtol": tolerance, "xtol": tolerance, "maxiter": 4 * STEPS},
        )  # fmt: skip
    return ENDED if found.status in (1, 2) else str(found.message).lower()


# -- without derivatives -------------------------------------------------------------------------------------------


def _merit(problem: Any) -> Callable[[Array], float]:
    """Return one number for each variant: its aim, or more than any where it breaks a condition."""

    def merit(u: Array) -> float:
        seen = problem.at(u)
        if not seen.whole:
            return NONE * (1.0 + seen.violation)
        top = float(np.max(seen.pieces)) / problem.scale
        return top if seen.violation <= 1e-6 else BROKEN * (1.0 + seen.violation) + min(top, BROKEN)

    return merit


def _limits(problem: Any) -> optimize.Bounds:
    return optimize.Bounds(problem.low, problem.high)


def _directly(method: str, **options: Any) -> Callable[[Any, Array, int, float], str]:
    """Return a search by a method of scipy that asks for one number only."""

    def search(problem: Any, u: Array, seed: int, tolerance: float) -> str:
        said = {key: tolerance for key in options}
        found = optimize.minimize(_merit(problem), u, method=method, bounds=_limits(problem), options=said)
        return ENDED if found.success else str(found.message).lower()

    return search


def cobyla(problem: Any, u: Array, seed: int, tolerance: float) -> str:
    """Search by linear models."""

    def least(u: Array) -> Array:
        seen = problem.at(u)
        return np.concatenate([seen.margins, seen.equal, -seen.equal])

    found = optimize.minimize(
        lambda u: float(np.max(problem.at(u).pieces)) / problem.scale, u, method="COBYLA", bounds=_limits(problem),
        constraints=[{"type": "ineq", "fun": least}], tol=tolerance, options={"maxiter": problem.most},
    )  # fmt: skip
    return ENDED if found.success else str(found.message).lower()


def evolution(problem: Any, u: Array, seed: int, tolerance: float) -> str:
    """Search everywhere between the bounds, then nearby."""
    _check_bounds(problem, "differential-evolution")
    optimize.differential_evolution(
        _merit(problem), _limits(problem), x0=u, seed=seed, tol=1e-3, polish=False, init="sobol", maxiter=60
    )
    return slsqp(problem, problem.best[2], seed, tolerance)


METHODS: dict[str, Callable[[Any, Array, int, float], str]] = {
    "auto": slsqp,
    "slsqp": slsqp,
    "trust-constr": trust_constr,
    "cobyla": cobyla,
    "nelder-mead": _directly("Nelder-Mead", xatol=0.0, fatol=0.0),
    "powell": _directly("Powell", xtol=0.0, ftol=0.0),
    "differential-evolution": evolution,
}
