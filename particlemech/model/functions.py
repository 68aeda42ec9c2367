"""Signals that are expressions in the time t, such as "0.1 m * sin(20*t)^2"; their derivatives are exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.segments import Segment, SignalSpec, Steps
from particlemech.model.spec import key, text
from particlemech.model.tapes import BENT, as_segment


@dataclass(frozen=True, kw_only=True)
class Expression(SignalSpec):
    """An expression in the time t, s, and in parameters; in a file simply the text, such as "0.1 m * sin(20*t)^2".

    What is a polynomial of up to the third power, with a sine, is the same as the other signals; anything else is
    computed step by step, with exact derivatives. Drivers take no abs, min or max, whose rates jump.
    """

    value: str = key(text, "the expression; t is a plain number, of seconds")

    def verify(self) -> None:
        """Wait for the mechanism, which knows the names in it."""
        object.__setattr__(self, "unsettled", ("value",))

    def bound(self, scope: Any, wanted: Any) -> Expression:
        """Return the same with numbers for all names but t.

        Parameters
        ----------
        scope
            Where names get their values.
        wanted
            The dimension that its values must have; None: any.
        """
        from particlemech.model.scope import timed  # here: mechanisms without expressions need none of it

        steps = timed(self.value, scope, wanted)
        return Bound(value=self.value, steps=steps, wanted=wanted)

    @property
    def _unbound(self) -> ModelError:
        return ModelError(f'"{self.value}" has no numbers before it is part of a mechanism; add it to one')

    def written(self) -> str:
        """Return the text."""
        return self.value

    def segments(self) -> list[Segment]:
        """Say that there is nothing to be computed yet."""
        raise self._unbound


@dataclass(frozen=True, kw_only=True)
class Bound(Expression):
    """An expression of a mechanism, whose names have values."""

    steps: Steps = ()
    wanted: Any = None

    word = "expression"

    def __post_init__(self) -> None:
        self.verify()

    def verify(self) -> None:
        """Check that it has a value to begin with."""
        value, *_ = self.at(0.0)
        if not math.isfinite(value):
            raise ModelError(f'"{self.value}": has no value at t = 0; change it, or begin later')

    @cached_property
    def _segment(self) -> Segment | None:
        return as_segment(self.steps)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether its rate does not jump, and exists at the start."""
        return not any(op in BENT for op, *_ in self.steps) and all(map(math.isfinite, self.at(0.0)))

    def tape(self) -> Steps | None:
        """Return its steps, unless it is a segment."""
        return self.steps if self._segment is None else None

    def segments(self) -> list[Segment]:
        """Return the segment that it is."""
        if self._segment is None:
            raise ModelError(f'"{self.value}" is no polynomial with a sine, which this needs; give a table')
        return [self._segment]

    def bound(self, scope: Any, wanted: Any) -> Expression:
        """Return the same with the values that its names have now; itself where they are as before."""
        made = super().bound(scope, wanted)
        return self if made == self else made
