"""The decorators of kernels: lean, or with nothing but what numba promises."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.registry import cpu_target

from particlemech._jit import places, probe
from particlemech._jit.telling import TELLER

Function = TypeVar("Function", bound=Callable[..., Any])

OFF = bool(numba.config.DISABLE_JIT)
LEAN = not OFF and probe.lean()

# kernels with and without counted references do not mix: each kind has a directory
CACHE = places.directory(f"{places.source_hash()}-numba-{numba.__version__}{'' if LEAN else '-ordinary'}")

ENTRIES: list[Any] = []  # of the modules imported so far


def kernel(function: Function) -> Function:
    """Compile a module-level function that other kernels call; LLVM copies short ones into their callers."""
    return _part(function, copied=True)


def noinline(function: Function) -> Function:
    """Compile a function that other kernels call and that keeps to itself.

    A long one that is called in many places would take long to compile if it were copied there.
    """
    return _part(function, copied=False)


def entry(function: Function) -> Function:
    """Compile a module-level function that Python calls; with all it calls it lies on the disk, in our directory."""
    return _entry(function)


def released(function: Function) -> Function:
    """Compile an entry that lets other threads run meanwhile: for whole runs, not for short calls."""
    return _entry(function, nogil=True)


def _part(function: Any, copied: bool) -> Any:
    if OFF:
        return function
    if LEAN:
        from particlemech._jit.lean import Part

        return Part(function, copied)
    return _Later(function)


def _entry(function: Any, **options: Any) -> Any:
    if OFF:
        return function
    _collect_later()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        if LEAN:
            from particlemech._jit.lean import OPTIONS, Cache, Compiler

            dispatcher = numba.njit(**OPTIONS, **options, pipeline_class=Compiler)(function)
            dispatcher._cache = Cache(function)
        else:
            _listen()
            dispatcher = numba.njit(error_model="numpy", cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
    ENTRIES.append(dispatcher)
    return dispatcher


@functools.cache
def _collect_later() -> None:
    """Keep the garbage collector from looking through the compiler's objects: a tenth of its time, for nothing.

    Those that are left after a compilation are set aside for good: most of them are kept anyway.
    """
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        """Switches the collector off with the outermost function that is compiled, and on again after it."""

        depth = 0
        before = False

        def on_start(self, event: Any) -> None:
            """A function begins; those within it follow before it ends."""
            if self.depth == 0:
                self.before = gc.isenabled()
                gc.disable()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            """A function is done, or was given up."""
            self.depth -= 1
            if self.depth == 0 and self.before:
                gc.freeze()
                gc.enable()

    event.register("numba:compile", Listener())


# -- nothing but what numba promises ---------------------------------------------------------------------------------


class _Later:
    """A function that is handed to numba when it is first called or compiled into another.

    Entries that lie on the disk contain all they call: then none of this is ever needed.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    @functools.cached_property
    def _dispatcher(self) -> Any:
        return numba.njit(error_model="numpy")(self._function)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        # not that of the dispatcher: a kernel that hands a dispatcher on as an argument cannot be kept on disk, because
        # it would hold the place of that in memory
        # and with its module in its name: kernels that are given this one carry that in theirs
        self._function.__qualname__ = f"{self._function.__module__}.{self._function.__qualname__}"
        numba.extending.register_jitable(error_model="numpy")(self._function)
        typing_context = cpu_target.typing_context
        typing_context.refresh()  # so that it is known there
        return typing_context.resolve_value_type(self._function)

    def __call__(self, *arguments: Any) -> Any:
        return self._dispatcher(*arguments)


@functools.cache
def _listen() -> None:
    """Have numba report what it compiles."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        """Tells of the outermost function that is compiled."""

        depth = 0

        def on_start(self, event: Any) -> None:
            """A function begins; those within it follow before it ends."""
            function = event.data["dispatcher"].py_func
            if self.depth == 0 and function.__module__.startswith("particlemech"):
                TELLER.begin(function, [])
            self.depth += 1

        def on_end(self, event: Any) -> None:
            """A function is done."""
            self.depth -= 1
            TELLER.step(event.data["dispatcher"])
            if self.depth == 0:
                TELLER.end()

    event.register("numba:compile", Listener())
