"""Root loci: how the eigenvalues of small motions wander while a number of the mechanism grows.

Eigenvalues have no names. From one value to the next each is taken for the one that its own course leads to: the sum
of the distances from where the last two values point is least over all ways to pair them.                       (1)
Where one crosses the imaginary axis, stability is won or lost; the value is found by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from particlemech.analyses.text_table import table
from particlemech.analyses.verbs_of_vibration import modes
from particlemech.design.variables import Variable, variables, varied
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import Description
from particlemech.model.spec import shown

NUMBER = 41  # values between bounds
ON_AXIS = 1e-9  # of the largest eigenvalue: a real part that is zero
EXACT = 1e-11  # of the step in which it lies: how exactly a crossing is found


class Crossing(NamedTuple):
    """Where an eigenvalue crosses the imaginary axis."""

    value: float  # of the parameter
    eigenvalue: complex
    stable: bool  # whether its motion dies out beyond it


def _growing(each: Array, size: float) -> int:
    """Return how many motions grow."""
    return int(np.sum(each.real > size))


class RootLocus:
    """Eigenvalues over a parameter.

    Attributes
    ----------
    parameter : str
    unit : str
        Of the parameter.
    values : array, shape (N,)
        Of the parameter.
    eigenvalues : array of complex, shape (N, n)
        rad/s; each column is one eigenvalue on its course. NaN where the mechanism has no small motions.
    said : dict
        By value: why it has none.
    """

    def __init__(self, mechanism: Description, one: Variable, values: Array, options: Mapping[str, Any]) -> None:
        self.mechanism, self.parameter, self.unit, self.values = mechanism, one.name, one.unit, values
        self._variable, self._options = one, dict(options)
        self.said: dict[float, str] = {}
        found = [self._tried(float(value)) for value in values]
        known = [each for each in found if each is not None]
        if not known:
            raise ModelError(f"root locus: no value has small motions: {next(iter(self.said.values()))}")
        size = max(len(each) for each in known)
        self.eigenvalues = np.full((len(values), size), np.nan + 0j)
        for k, each in enumerate(found):
            if each is not None and len(each) == size:
                self.eigenvalues[k] = self._paired(each, k)

    def at(self, value: float) -> Array:
        """Return the eigenvalues at a value of the parameter, in no order, (n,) of complex."""
        variant = varied(self.mechanism, (self._variable,), (value,))
        return np.asarray(modes(variant, **self._options).eigenvalues, dtype=complex)

    def _tried(self, value: float) -> Array | None:
        try:
            return self.at(value)
        except (ModelError, SimulationError) as error:
            self.said[value] = str(error)
            return None

    def _paired(self, found: Array, k: int) -> Array:
        """Return eigenvalues in the order of those before, (1)."""
        before = self.eigenvalues[:k][np.isfinite(self.eigenvalues[:k]).all(axis=1)]
        if not len(before):
            return found[np.lexsort((found.imag, found.real))]
        ahead = 2.0 * before[-1] - before[-2] if len(before) > 1 else before[-1]
        _, order = linear_sum_assignment(np.abs(ahead[:, None] - found[None, :]))
        return found[order]

    @property
    def frequency(self) -> Array:
        """Frequencies of the motions, (N, n), Hz: imaginary parts by 2 pi."""
        return self.eigenvalues.imag / (2.0 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping as part of the critical one, (N, n); negative where a motion grows."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return -self.eigenvalues.real / np.abs(self.eigenvalues)

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """Where eigenvalues cross the imaginary axis, in the order of the values: stability is won or lost there."""
        known = np.flatnonzero(np.isfinite(self.eigenvalues).all(axis=1))
        size = ON_AXIS * float(np.nanmax(np.abs(self.eigenvalues)))
        growing = [_growing(self.eigenvalues[k], size) for k in known]
        found = []
        for k, (one, other) in enumerate(pairwise(growing)):
            if one != other:
                ends = float(self.values[known[k]]), float(self.values[known[k + 1]])
                found.append(self._crossing(*ends, one, size, other < one))
        return tuple(found)

    def _crossing(self, first: float, last: float, growing: int, size: float, stable: bool) -> Crossing:
        near = EXACT * abs(last - first)
        while abs(last - first) > near:
            middle = 0.5 * (first + last)
            if _growing(self.at(middle), size) == growing:
                first = middle
            else:
                last = middle
        each = self.at(last)
        nearest = each[np.argmin(np.abs(each.real))]
        return Crossing(0.5 * (first + last), complex(nearest.real, abs(nearest.imag)), stable)

    def __repr__(self) -> str:
        n, size = self.eigenvalues.shape
        return f"<RootLocus: {size} eigenvalues at {n} values of {self.parameter}>"

    def __str__(self) -> str:
        rows = []
        for value, each in zip(self.values, self.eigenvalues, strict=True):
            upper = sorted(each[each.imag >= 0.0], key=lambda one: (one.imag, one.real))
            told = ", ".join(f"{one + 0.0:.6g}" for one in upper)  # no "-0"
            rows.append((f"{value:.6g}", self.said.get(float(value), told)))
        lines = list(table("", (self.parameter, "eigenvalues, rad/s (the upper half)"), rows))[1:]
        for one in self.crossings:
            lines.append(
                f"{'stable' if one.stable else 'unstable'} beyond {one.value:.9g} {self.unit}".rstrip()
                + f", at {abs(one.eigenvalue.imag):.6g} rad/s"
            )
        return "\n".join(lines)


def root_locus(
    mechanism: Description, parameter: Any, values: Any = None, options: Mapping[str, Any] | None = None
) -> RootLocus:
    """Return how eigenvalues wander; see verbs_of_design.py."""
    if not isinstance(parameter, str):
        raise ModelError(f"root_locus: parameter is the name of one number, got {shown(parameter)}")
    (one,) = variables("root_locus", mechanism, parameter)
    return RootLocus(mechanism, one, _values(one, values), options or {})


def _values(one: Variable, values: Any) -> Array:
    if values is None:
        if not one.bounded:
            raise ModelError(f'root_locus: parameter "{one.name}" has no min and max; give values')
        return np.linspace(one.low, one.high, NUMBER)
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.full((), np.nan)
    steps = np.diff(found) if found.ndim == 1 else np.zeros(1)
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all() or np.any(steps * steps[0] <= 0.0):
        raise ModelError(f"root_locus: values are at least two finite numbers that grow or fall, got {shown(values)}")
    if found.min() < one.low or found.max() > one.high:
        raise ModelError(
            f'root_locus: parameter "{one.name}" goes from {one.low:.6g} to {one.high:.6g}, values from '
            f"{found.min():.6g} to {found.max():.6g}; change one of them"
        )
    return found
