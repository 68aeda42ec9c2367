"""Parameters: numbers of a model that have a name, bounds and a meaning, and the variants that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from particlemech.errors import Expressed, ModelError
from particlemech.model.quantity import Quantity
from particlemech.model.spec import FrozenMapping, Spec, key, name, number, shown, text, unknown_key


@dataclass(frozen=True, kw_only=True)
class Parameter(Spec):
    """A number with a name, which expressions of the model use; where it is all there is, just the number or text.

    Without a unit nothing is known of its dimension: it goes wherever a number goes.
    """

    value: float = key(number, 'a number, or an expression such as "50 mm" or "3 * crank"', dimension="any")
    min: float | None = key(number, "the least that makes sense; what is below is refused", None, dimension="any")
    max: float | None = key(number, "the most that makes sense; what is above is refused", None, dimension="any")
    about: str = key(text, "what it is, in one line", "")

    def verify(self) -> None:
        """Check that it is within its bounds."""
        if self.min is not None and self.max is not None and not self.min < self.max:
            raise ModelError(f'key "min": {_written(self.min)} is not below max = {_written(self.max)}')
        if self.min is not None and self.value < self.min:
            raise ModelError(f"{_written(self.value)} is below its min {_written(self.min)}; change one of them")
        if self.max is not None and self.value > self.max:
            raise ModelError(f"{_written(self.value)} is above its max {_written(self.max)}; change one of them")


def _written(number: float) -> str:
    """Return a number as it is written: with its unit if it has one; what an expression comes to beside its text."""
    said = getattr(number, "said", None)
    if said is None:
        return f"{number:.6g}"
    return said.text if not said.names else f"{number:.6g} ({said.text})"


def parameter(value: Any) -> Parameter:
    """A number, an expression such as "3 * crank", or a table {value, min, max, about}."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, Mapping):
        known = ("value", "min", "max", "about")
        for word in value:
            if word not in known:
                raise unknown_key(word, known)
        if "value" not in value:
            raise ModelError('key "value" is missing; add it (a number, or an expression such as "50 mm")')
        return Parameter(**value)
    if isinstance(value, (str, int, float)) or hasattr(value, "__float__"):
        return Parameter(value=value)
    raise ModelError(f"expected a number, an expression or a table {{value, min, max, about}}, got {shown(value)}")


def parameters(value: Any) -> FrozenMapping[Parameter]:
    """A table of names; each: a number, an expression such as "3 * crank", or a table {value, min, max, about}."""
    if isinstance(value, FrozenMapping) and not value:
        return value  # most mechanisms have none
    if not isinstance(value, Mapping):
        raise ModelError(f"expected a table of names, got {shown(value)}")
    result = {}
    for word, given in value.items():
        try:
            result[name(word)] = parameter(given)
        except ModelError as error:
            raise ModelError(f'"{word}": {error}') from None
    texts = any(isinstance(bound, str) for one in result.values() for bound in (one.min, one.max))
    if texts or any(not isinstance(one.value, Quantity) for one in result.values()):
        raise Expressed("parameters are evaluated with their mechanism")
    return FrozenMapping(result)
