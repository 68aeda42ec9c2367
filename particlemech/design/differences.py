"""Derivatives of smooth functions by central differences, with the errors that they may have.

    d(h) = (f(x + h) - f(x - h))/(2 h)                                                                             (1)
    order 4:  f' = (4 d(h) - d(2h))/3,      error  20 t^2/|f'| + noise/h,   t = |d(h) - d(2h)|/3, the error of d(h)  (2)
    order 2:  f' = d(h),                    error  8 h^2 f''^2/(6 |f'|) + noise/h                                   (3)

The factors 20 and 8 are what a mechanism that winds itself up needs (Andrews', crank angle by torque after 16 rad: 20
and 8).

A function whose values are right to rounding is known to 9 or 10 digits by (2), from four values, and to 7 or 8 by
(3), from two. Steps are fractions of the size of x: as large as noise and the next term ask for, smaller where a
function fails there, or where its error is not small enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from particlemech.design.asking import Values
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError

ROUNDING = 1e-14  # of a value: what is left of it in a run on frozen steps (seen: 5e-15 of Andrews' crank angle)
GOOD = {2: 1e-7, 4: 1e-8}  # order -> of a derivative: an error that needs no better step
NOISY = 10.0  # times that of rounding: an error that smaller steps would only make larger
NOTHING = 1e-10  # of a value, per size of the variable: a derivative whose error is this small is not looked at again
SHORTER = 0.1
TRIES = 4
NEXT = {2: 8.0, 4: 20.0}  # order -> factor of the next term, (2) and (3)
# order -> first step, of the size: a factor times noise to a power, the balance of both errors; third and fifth
# derivatives of motions are larger than the motions, so factors are below 1
STEPS = {2: (0.5, 1.0 / 3.0), 4: (0.3, 1.0 / 5.0)}
LARGEST = 1e-2  # of the size: a first step


class Derivative(NamedTuple):
    """A derivative of a quantity, and what it may be off by."""

    value: Array  # () or (K,)
    error: float  # the largest


class Differences:
    """Derivatives of functions of one number; counts what they ask for."""

    def __init__(self, order: int, noise: float = ROUNDING, good: float | None = None) -> None:
        if order not in STEPS:
            raise ModelError(f"order must be 2 (two values each) or 4 (four values, with an error), got {order!r}")
        self.order, self.noise, self.asked = order, noise, 0
        self.good = GOOD[order] if good is None else good

    def _first(self, size: float) -> float:
        factor, power = STEPS[self.order]
        return size * min(factor * self.noise**power, LARGEST)

    def around(self, x: float, size: float) -> list[float]:
        """Return where `of` asks first."""
        h = self._first(size)
        return [x + sign * k * h for k in range(1, self.order // 2 + 1) for sign in (1, -1)]

    def of(self, f: Callable[[float], Values], f0: Values, x: float, size: float) -> dict[str, Derivative]:
        """Return the derivatives at x of all that f gives, f0 there; `size` is that of a large change of x.

        Raises
        ------
        ModelError, SimulationError
            As f does, if no step is small enough for it.
        """
        h = self._first(size)
        best: dict[str, Derivative] = {}
        wrong: Exception | None = None
        for _ in range(TRIES):
            try:
                found = self._once(f, f0, x, h)
            except (ModelError, SimulationError) as error:
                wrong, h = error, h * SHORTER
                continue
            for name, one in found.items():
                if name not in best or one.error < best[name].error:
                    best[name] = one
            if all(self._good(one, f0[name], size, h) for name, one in best.items()):
                break
            h *= SHORTER
        if not best and wrong is not None:
            raise wrong
        return best

    def _good(self, one: Derivative, f0: Array, size: float, h: float) -> bool:
        """Whether no other step is needed, or a smaller one could not be better."""
        most, value = float(np.max(np.abs(one.value))), float(np.max(np.abs(f0)))
        return one.error <= max(self.good * most, NOTHING * value / size, NOISY * self.noise * value / h)

    def _once(self, f: Callable[[float], Values], f0: Values, x: float, h: float) -> dict[str, Derivative]:
        pairs = [(self._at(f, f0, x + k * h), self._at(f, f0, x - k * h)) for k in range(1, self.order // 2 + 1)]
        found = {}
        for name, middle in f0.items():
            d = [(up[name] - down[name]) / (2.0 * k * h) for k, (up, down) in enumerate(pairs, 1)]
            noise = self.noise * float(np.max(np.abs(middle))) / h
            if self.order == 4:
                value = (4.0 * d[0] - d[1]) / 3.0
                off = NEXT[4] ** 0.5 * float(np.max(np.abs(d[0] - d[1]))) / 3.0
            else:
                value = d[0]
                up, down = pairs[0]
                bent = float(np.max(np.abs(up[name] - 2.0 * middle + down[name]))) / h**2
                off = h * bent * (NEXT[2] / 6.0) ** 0.5
            most = float(np.max(np.abs(value)))
            found[name] = Derivative(value, (off * off / most if off < most else off) + noise)
        return found

    def _at(self, f: Callable[[float], Values], f0: Values, x: float) -> Values:
        self.asked += 1
        found = f(x)
        for name, one in f0.items():
            if found[name].shape != one.shape:
                raise SimulationError(
                    f'"{name}" has {found[name].size} values where it had {one.size}: '
                    "ask for one number of it, such as its max"
                )
        return found
