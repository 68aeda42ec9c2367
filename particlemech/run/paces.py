"""Steps that are noted, and taken again: a run whose numbers have changed a little becomes a smooth function of them.

Explicit steps are chosen by errors that change with every number, and rounding decides which of two sizes it is. Frozen
steps do not ask. A leg from one stop to the next, from a to b, is divided as it was,

    t_k = a + s_k (b - a),        s_k noted in the run that is the model of all                                    (1)

so that stops that move with a number, as where a signal has a jump, take the steps beside them along. What an event
ends goes on with the last step as long as it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.run.explicit import March

LOOSE = 1e3  # times the tolerance of the run whose steps these are: what the same steps may be off by


class _Wrapped:
    """A march that passes on all that it does not do itself."""

    def __init__(self, march: Any) -> None:
        self._march = march

    def __getattr__(self, name: str) -> Any:
        return getattr(self._march, name)


class Noted(_Wrapped):
    """A march that notes how its legs are divided."""

    def __init__(self, march: March, legs: list[list[float]]) -> None:
        super().__init__(march)
        self._legs = legs

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Begin a leg."""
        self._legs.append([0.0])
        self._from, self._long = t, stop - t
        return bool(self._march.begin(t, stop, clamp))

    def go(self, stop: float, most: int, done: int) -> int:
        """Take steps and note them."""
        ends, before = np.empty(most), self._march.steps
        self._march.note(ends)
        code = int(self._march.go(stop, most, done))
        taken = ends[: self._march.steps - before]
        self._legs[-1].extend(((taken - self._from) / self._long).tolist())
        return code


class Frozen(_Wrapped):
    """A march that takes the steps of another run, (1)."""

    def __init__(self, march: March, legs: list[list[float]]) -> None:
        super().__init__(march)
        self._legs = iter(legs)

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Begin the next leg."""
        leg = next(self._legs, [0.0])
        part = np.array(leg if len(leg) > 1 else [0.0, 1.0])
        ends = t + part * (stop - t)
        if part[-1] == 1.0:
            ends[-1] = stop
        self._march.tell(ends)
        return bool(self._march.begin(t, stop, clamp))
