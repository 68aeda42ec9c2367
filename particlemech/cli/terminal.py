"""What all commands share: exit codes, words and their bounds, how a model is read and run, what a terminal sees."""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from particlemech.errors import ModelError, ModelWarning, printable

if TYPE_CHECKING:
    from particlemech.model.description import Description

Number = TypeVar("Number", int, float)
OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def say(message: str, code: int) -> int:
    """Print one line for people, and return the exit code."""
    print("particlemech: " + printable(" ".join(message.split())), file=sys.stderr)
    return code


@contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Print warnings about a model as people read them: one line each, without the place in the program."""

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        say(f"warning: {message}", OK)

    with warnings.catch_warnings():
        warnings.simplefilter("default", ModelWarning)
        warnings.showwarning = show
        yield


def positive(text: str) -> float:
    """Return a number above zero from the command line."""
    return _number(text, float, lambda value: 0.0 < value < math.inf, "a number above zero")


def time(text: str) -> float:
    """Return a time, s, from the command line."""
    return _number(text, float, lambda value: 0.0 <= value < math.inf, "a time from 0 on")


def samples(text: str) -> int:
    """Return a number of samples from the command line."""
    return _number(text, int, lambda value: value >= 2, "a whole number, at least 2")


def numbers(text: str | None) -> str | float | tuple[float, ...] | None:
    """Return a number or several, with commas between, from the command line; anything else is a name."""
    try:
        found = tuple(float(word) for word in (text or "").split(","))
    except ValueError:
        return text
    return found[0] if len(found) == 1 else found


def words(text: str | None) -> list[str] | None:
    """Return names with commas between."""
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def _number(text: str, kind: Callable[[str], Number], fits: Callable[[Number], bool], what: str) -> Number:
    """Return a number from the command line, or say what it must be."""
    try:
        value = kind(text)
        if fits(value):
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f'must be {what}, got "{text}"')


def named(model: str) -> Description:
    """Return the model of a file, or the shipped one of a bare name."""
    from particlemech.model import models, toml

    bare = Path(model).suffix.lower() not in toml.SUFFIXES and Path(model).name == model and not Path(model).is_file()
    return models.load(model) if bare else toml.load(model)


def read(chosen: argparse.Namespace) -> Description:
    """Return the model of a command, with the values of parameters that were set."""
    mechanism = named(chosen.model)
    values = {}
    for text in chosen.set or ():
        name, mark, value = (word.strip() for word in text.partition("="))
        if not (name and mark and value):
            raise ModelError(f'--set takes NAME=VALUE, such as crank=60mm, got "{text}"')
        values[name] = value
    return mechanism.with_parameters(**values) if values else mechanism


def loaded(chosen: argparse.Namespace) -> Any:
    """Return the model of a command that runs it, with its options held to the rules."""
    mechanism = read(chosen)
    # options are held to the rules of the model's own [run], before anything costly
    options = {key: getattr(chosen, key, None) for key in ("duration", "samples", "rtol", "integrator")}
    run = mechanism.run_with({key: value for key, value in options.items() if value is not None})
    from particlemech.run.options import check_options

    loops = bool(getattr(mechanism, "loops", True))
    check_options(mechanism.engine, options, run.integrator, getattr(chosen, "formulation", None), loops=loops)
    return mechanism


def announce_compilation() -> None:
    """Explain the wait of a run that has to compile first, also where stderr is no terminal."""
    from particlemech import _jit

    _jit.tell_always()


def simulated(mechanism: Any, chosen: argparse.Namespace) -> Any:
    """Return the result of a run as its options say, with a progress bar."""
    from particlemech.run.simulate import simulate

    announce_compilation()
    with Progress(chosen.duration or mechanism.run.duration) as progress:
        return simulate(
            mechanism,
            duration=chosen.duration,
            samples=chosen.samples,
            rtol=chosen.rtol,
            formulation=chosen.formulation,
            integrator=chosen.integrator,
            throw=False,
            progress=progress,
        )


# -- looks ---------------------------------------------------------------------------------------------------


def at_terminal() -> bool:
    """Return whether somebody watches."""
    return sys.stderr is not None and sys.stderr.isatty()


class Progress:
    """A plain bar on stderr, on a terminal only; gone when the run ends."""

    WIDTH = 40

    def __init__(self, duration: float, what: str = "") -> None:
        self.duration, self.what = duration, what
        self.shown = -1
        self.on = at_terminal()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, t: float) -> None:
        """Show how far it is."""
        done = int(self.WIDTH * min(max(t / self.duration, 0.0), 1.0))
        if not self.on or done == self.shown:
            return
        self.shown = done
        bar = "#" * done + "." * (self.WIDTH - done)
        said = f"{t:.0%} of the {self.what}" if self.what else f"t = {t:.4g} of {self.duration:g} s"
        print(f"\r[{bar}] {said} ", end="", file=sys.stderr, flush=True)

    def __exit__(self, *error: Any) -> None:
        if self.shown >= 0:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
