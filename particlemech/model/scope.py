"""Where the names of expressions get their values: parameters and coordinates of points, the time in signals.

Each is evaluated when first asked for, so that the order in which they stand does not matter; cycles are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.model.constructions import built
from particlemech.model.dimensions import FREE, LENGTH, UNITS, Dimension, Powers, fits, refused
from particlemech.model.expressions import TIME, Expression, evaluated, parsed
from particlemech.model.parameters import Parameter
from particlemech.model.quantity import Quantity
from particlemech.model.tapes import TIME as TIME_STEP
from particlemech.model.tapes import Tape

AXES = "xyz"
LONGEST_CHAIN = 100  # names that need each other


class Scope:
    """The names of a mechanism: its parameters and its points, evaluated when first asked for.

    Parameters
    ----------
    given : mapping of Parameter
        As they are written; a value that is a number, or a column of numbers, stands as it is.
    points : mapping
        Places as written: numbers, texts, or constructions.
    system : str
        Of units.
    dimensions : mapping, optional
        Of parameters whose values are given as numbers.
    """

    def __init__(
        self,
        given: Mapping[str, Parameter],
        points: Mapping[str, Any],
        system: str,
        values: Mapping[str, tuple[Any, Dimension]] | None = None,
    ) -> None:
        self.given, self.points, self.system = given, points, system
        self._known: dict[str, tuple[Any, Dimension]] = dict(values or {})
        self._places: dict[tuple[str, int], Any] = {}
        self._built: dict[str, tuple[Any, ...]] = {}
        self._open: list[str] = []  # what is being evaluated, outermost first

    def parameter(self, name: str) -> tuple[Any, Dimension]:
        """Return value and dimension of a parameter."""
        if name not in self._known:
            if name not in self.given:
                raise self._unknown(name)
            self._known[name] = self._within(name, lambda: self._evaluated(name))
        return self._known[name]

    def place(self, point: str) -> tuple[Any, ...]:
        """Return where a point is drawn."""
        if point not in self.points:
            raise ModelError(f'point "{point}" unknown{suggestion(point, self.points)}')
        written = self.points[point]
        if isinstance(written, str):
            return self._within(f"point {point}", lambda: self.construct(parsed(written)))
        return tuple(self._component(point, k) for k in range(len(written)))

    def coordinate(self, point: str, axis: str) -> Any:
        """Return one coordinate of a point; the others need not be known."""
        if point not in self.points:
            raise ModelError(f'"{point}.{axis}": point "{point}" unknown{suggestion(point, self.points)}')
        written, k = self.points[point], AXES.index(axis)
        if isinstance(written, str):
            place = self.place(point)
            if k < len(place):
                return place[k]
        elif hasattr(written, "__len__") and k < len(written):
            return self._component(point, k)
        raise ModelError(f'"{point}.{axis}": a mechanism in the plane has no {axis}; write .x or .y')

    def built(self, tree: Any) -> tuple[Any, ...]:
        """Return the place that a construction gives."""
        return built(tree, self)

    def construct(self, said: Expression) -> tuple[Any, ...]:
        """Return the place that a construction gives."""
        if said.text not in self._built:
            found, _ = evaluated(said, self)
            if not said.vector:
                raise ModelError(f'"{said.text}" is a number, where a point is expected; write [x, y] or mid(A, B)')
            self._built[said.text] = found
        return self._built[said.text]

    def quantity(self, text: str | Expression, wanted: Powers | None) -> tuple[Any, Dimension]:
        """Return value and dimension of an expression where a dimension is wanted; None: any."""
        said = text if isinstance(text, Expression) else parsed(text)
        value, dimension = evaluated(said, self)
        if wanted is not None and not fits(dimension, wanted):
            raise ModelError(f'"{said.text}": {refused(dimension, wanted)}')
        return value, dimension

    def _component(self, point: str, k: int) -> Any:
        if (point, k) not in self._places:
            one = self.points[point][k]
            if isinstance(one, Quantity) and one.component is not None:
                self._places[point, k] = self._within(f"point {point}", lambda: self.construct(one.said))[one.component]
            elif isinstance(one, (str, Quantity)):
                said = one.said if isinstance(one, Quantity) else one
                name = f"{point}.{AXES[k]}"
                self._places[point, k] = self._within(name, lambda: self.quantity(said, LENGTH))[0]
            else:
                self._places[point, k] = float(one)
        return self._places[point, k]

    def _evaluated(self, name: str) -> tuple[Any, Dimension]:
        written: Any = self.given[name].value
        if isinstance(written, Quantity):
            return self.quantity(written.said, None) if written.said is not None else (float(written), FREE)
        if isinstance(written, str):
            return self.quantity(written, None)
        return written, FREE

    def _within(self, name: str, found: Callable[[], Any]) -> Any:
        if name in self._open:
            circle = " -> ".join([*self._open[self._open.index(name) :], name])
            raise ModelError(f"{circle} go round in a circle; give one of them a number")
        if len(self._open) >= LONGEST_CHAIN:
            raise ModelError(f"more than {LONGEST_CHAIN} names need each other in turn; name fewer of them")
        self._open.append(name)
        try:
            return found()
        finally:
            self._open.pop()

    def _unknown(self, name: str) -> ModelError:
        if name == TIME:
            return ModelError("the time t stands in signals only, such as motions, forces and torques")
        if name in UNITS:
            return ModelError(f'"{name}" is a unit, which stands directly after a number, such as 1 {name}')
        if name in self.points:
            return ModelError(f'"{name}" is a point; its coordinates are {name}.x and {name}.y')
        return ModelError(f'parameter "{name}" unknown{suggestion(name, self.given)}')


# -- functions of time -----------------------------------------------------------------------------------------------


class _Timed:
    """A scope in which t is the time."""

    def __init__(self, scope: Scope, tape: Tape) -> None:
        self.scope, self.tape, self.system = scope, tape, scope.system
        self.place, self.coordinate, self.built = scope.place, scope.coordinate, scope.built

    def parameter(self, name: str) -> tuple[Any, Dimension]:
        """Return value and dimension of a parameter, or of the time."""
        return (self.tape.put(TIME_STEP), FREE) if name == TIME else self.scope.parameter(name)


def timed(text: str, scope: Scope, wanted: Powers | None) -> tuple[Any, ...]:
    """Return the steps of an expression in t, with numbers for all other names."""
    tape = Tape()
    said = parsed(text)
    value, dimension = evaluated(said, _Timed(scope, tape))
    if wanted is not None and not fits(dimension, wanted):
        raise ModelError(f'"{text}": {refused(dimension, wanted)}')
    tape.constant(value)
    return tuple(tape.steps)
