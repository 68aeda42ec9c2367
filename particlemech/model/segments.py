"""What all signals are: lists of segments of one common form, with exact derivatives; see signals.py (1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from particlemech.model.spec import Spec
from particlemech.model.tapes import Segment as Segment
from particlemech.model.tapes import Step, piece, run

Steps = tuple[Step, ...]  # of a tape, tapes.py (1)


class SignalSpec(Spec):
    """Base of the signals."""

    smooth: ClassVar[bool] = True  # twice differentiable: fit for a driver

    def segments(self) -> list[Segment]:
        """Return the segments of (1), in order of their start."""
        raise TypeError(f"{type(self).__name__} does not list its segments")

    def breaks(self) -> tuple[float, ...]:
        """Return the times at which the integrator must restart."""
        return ()

    def until(self) -> float:
        """Return the time up to which the signal is defined."""
        return math.inf

    def followed(self) -> SignalSpec:
        """Return the signal as drivers take it."""
        return self

    def taken(self) -> SignalSpec:
        """Return the signal that a part of a mechanism takes in its place: itself, unless it is only read."""
        return self

    def written(self) -> float | str | None:
        """Return how a file says it in short; None: by a table of its keys."""
        return None

    def tape(self) -> Steps | None:
        """Return the steps of a function of time that has no segments; None: it has some."""
        return None

    def at(self, t: float) -> tuple[float, float, float]:
        """Return value, first and second derivative at one time, by signals.py (1) or by its tape."""
        if (steps := self.tape()) is not None:
            return run(steps, t)
        return piece(self.segments(), t)

    def over(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values at times (K,), (K,)."""
        if (steps := self.tape()) is not None:
            return np.array([run(steps, float(now))[0] for now in t])
        table = np.array(self.segments())  # (n, 8)
        chosen = table[np.maximum(np.searchsorted(table[:, 0], t, side="right") - 1, 0)]
        start, c0, c1, c2, c3, a, w, phase = chosen.T
        tau = t - np.where(np.isfinite(start), start, t)
        return c0 + tau * (c1 + tau * (c2 + tau * c3)) + a * np.sin(w * tau + phase)


def values(spec: SignalSpec, t: float) -> tuple[float, float, float]:
    """Return value, first and second derivative of a signal at one time."""
    return spec.at(t)


def course(specs: Sequence[SignalSpec], t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of some signals at times (K,), (K, n)."""
    return np.stack([spec.over(t) for spec in specs], axis=1)
