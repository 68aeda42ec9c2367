"""Who waits for the compiler is told: what is compiled, and how far it is.

At a terminal one line is rewritten and goes away at the end; in a notebook, and where a command wants it, one line
stays. Scripts whose stderr is a file, and processes that another one of ours has started, are silent.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterable
from typing import Any

_always = False


def tell_always() -> None:
    """Let the first compilation be announced though nobody is seen at a terminal: for commands."""
    global _always
    _always = True


def _audience() -> str:
    if sys.stderr is None or multiprocessing.parent_process() is not None:
        return "none"
    if sys.stderr.isatty():
        return "terminal"
    return "line" if _always or "ipykernel" in sys.modules else "none"


class Teller:
    """Tells of one entry after the other, each with the functions that are compiled into it."""

    EVERY = 0.1  # s, at least, between two writings of the line

    def __init__(self) -> None:
        self.name = ""
        self._ahead: set[Any] = set()
        self._of = 0
        self._written = 0.0
        self._announced = False

    def begin(self, function: Any, ahead: Iterable[Any]) -> None:
        """Tell that an entry is compiled, with the functions `ahead`."""
        self.name = f"{function.__module__}.{function.__name__}".removeprefix("particlemech.")
        self._ahead = set(ahead)
        self._of = len(self._ahead)
        if not self._announced and _audience() == "line":
            what = "particlemech: compiling for this computer, once; this takes up to half a minute ..."
            print(what, file=sys.stderr, flush=True)
        self._announced = True
        self._show()

    def step(self, function: Any) -> None:
        """Tell that a function is done as far as it can be by itself; the rest is machine code of all of them."""
        self._ahead.discard(function)
        if time.monotonic() - self._written > self.EVERY or not self._ahead:
            self._show()

    def end(self) -> None:
        """Take the line away."""
        if self.name and _audience() == "terminal":
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self.name = ""

    def _show(self) -> None:
        if self.name and _audience() == "terminal":
            self._written = time.monotonic()
            done = self._of - len(self._ahead)
            how_far = f"function {done + 1} of {self._of}" if self._ahead else "machine code"
            line = f"compiling {self.name} for this computer, once: {how_far}"
            print(f"\r{line[:78]}\x1b[K", end="", file=sys.stderr, flush=True)


TELLER = Teller()
