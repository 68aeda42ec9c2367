"""The errors a user meets: one sentence that names the part, the numbers and a cure."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def printable(text: str) -> str:
    """Return a text as it may be shown anywhere: on one line, with what is not to be seen written as an escape."""
    if text.isprintable():
        return text
    # controls, marks that turn text around, half characters, ends of lines, what is no character yet
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class ModelError(ValueError):
    """The description of a mechanism cannot be used as it stands; the message is one printable line."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class Expressed(ModelError):
    """A number is given as an expression, which means something only within a mechanism."""


class ModelWarning(UserWarning):
    """A mechanism can be used as it stands, but may not be what was meant."""


class SimulationError(RuntimeError):
    """A run ended early; `result` holds the samples up to that time."""

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(printable(message))
        self.result = result


@contextmanager
def part(name: str) -> Iterator[None]:
    """Put the name of the part before the message of any ModelError raised inside."""
    try:
        yield
    except ModelError as error:
        raise type(error)(f"{name}: {error}") from None


PART: ContextVar[str] = ContextVar("part", default="")  # of the model that is being read, for warnings


def warn(message: str) -> None:
    """Warn in one line, which begins with the part that is being read."""
    name = PART.get()
    warnings.warn(printable(f"{name}: {message}" if name else message), ModelWarning, stacklevel=2)


def suggestion(word: object, known: Iterable[str]) -> str:
    """Return ' (did you mean "x"?)' for a near miss, else the list of what is known."""
    names = list(dict.fromkeys(str(k) for k in known))
    near = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if near:
        return f' (did you mean "{near[0]}"?)'
    if not names:
        return " (none is defined)"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f" (known: {shown})"
