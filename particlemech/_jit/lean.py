"""Parts of numba that are not public, and what they buy. All of them are used, or none: see probe.py.

- Numba makes machine code of every function by itself, and again of every function that it is copied into. Here a
  function that only other kernels call is typed and lowered, no more; LLVM sees it once, in the module of the entry
  that Python calls. The entry of the planar march takes a third of the time to compile, and runs no slower.
- Passes of numba for what no kernel has are skipped: a tenth of the time.
- Kernels allocate nothing, so references to arrays need no counting (`_nrt`; a third of the time of a small one); a
  kernel that would allocate does not compile.
- A kernel from the disk is loaded without the registries of the compiler, which take as long as importing numba.
  These also start the counting of references: with `_nrt` on, each kernel from the disk would end the process.
- Elements of arrays are found in few lines of LLVM, and LLVM's passes run once less: see terse.py.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numba
from numba.core import caching, compiler, types
from numba.core.registry import cpu_target

from particlemech._jit.telling import TELLER

OPTIONS = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


# passes of the compiler for what no kernel has: closures, `with`, array expressions, branches on None or on types
SKIPPED = {
    "with_lifting",
    "inline_closure_likes",
    "make_function_op_code_to_jit_function",
    "inline_inlinables",
    "inline_overloads",
    "literal_unroll",
    "dead_branch_prune",
    "nopython_rewrites",
}


class Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler for kernels: without the passes that find nothing to do in them, and to terse.py's target."""

    def __init__(self, typing_context: Any, target_context: Any, *others: Any) -> None:
        # not before it is needed: it loads the compiler's registries, in which those of types must be the first
        typing_context.refresh()
        from particlemech._jit.terse import context

        super().__init__(typing_context, context(), *others)

    def define_pipelines(self) -> list[Any]:
        """Return the one list of passes."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [one for one in passes.passes if one[0].name() not in SKIPPED]
        passes.finalize()
        return [passes]


class Part:
    """A function that other kernels call; nothing is done before one of them is compiled, or Python calls it."""

    def __init__(self, function: Callable[..., Any], copied: bool) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._attributes = () if copied else ("noinline",)
        self.made: dict[Any, Any] = {}  # types of arguments -> result of the compiler, without machine code

    @functools.cached_property
    def _by_itself(self) -> Any:
        return numba.njit(**OPTIONS, pipeline_class=Compiler)(self.function)

    def __call__(self, *arguments: Any) -> Any:
        return self._by_itself(*arguments)

    def lowered(self, arguments: tuple[Any, ...]) -> Any:
        """Return the function for arguments of these types: typed, and in the language of LLVM."""
        if arguments not in self.made:
            flags = compiler.Flags()
            cpu_target.options.parse_as_flags(flags, {"nopython": True, "no_cpython_wrapper": True, **OPTIONS})
            flags.no_compile = True
            contexts = cpu_target.typing_context, cpu_target.target_context
            result = compiler.compile_extra(
                *contexts, self.function, arguments, None, flags, {}, pipeline_class=Compiler
            )
            # nothing comes to this library any more, and it is for others to link: no machine code
            result.library._finalized = True
            self.made[arguments] = result
            TELLER.step(self)
        return self.made[arguments]

    @functools.cached_property
    def _numba_type_(self) -> Any:
        def called(typing_context: Any, *arguments: Any) -> Any:
            # a number that is written out makes no function of its own
            made = self.lowered(tuple(map(types.misc.unliteral, arguments)))

            def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                described, library, own = made.fndesc, context.active_code_library, made.library
                # LLVM takes from a library what is asked for when it is linked: each comes after all that call it
                for other in (own, *own._linking_libraries):
                    if other in library._linking_libraries:
                        library._linking_libraries.remove(other)
                    library.add_linking_library(other)
                callee = context.declare_function(builder.module, described)
                call = functools.partial(context.call_conv.call_function, builder, callee)
                status, result = call(described.restype, described.argtypes, values, attrs=self._attributes)
                with numba.core.cgutils.if_unlikely(builder, status.is_error):
                    context.call_conv.return_status_propagate(builder, status)
                return result

            return made.signature, build

        own = inspect.signature(self.function).parameters.values()
        context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        # kernels that are given this one carry its name in theirs, and whichever of one name is loaded first serves all
        called.__name__ = f"{self.function.__module__}.{self.function.__qualname__}"
        called.__doc__ = self.function.__doc__
        called.__signature__ = inspect.Signature([context, *own])  # type: ignore[attr-defined]  # numba reads the names
        intrinsic = numba.extending.intrinsic(called)
        cpu_target.typing_context.refresh()  # so that it is known there
        return cpu_target.typing_context.resolve_value_type(intrinsic)


def parts(function: Callable[..., Any]) -> Iterator[Part]:
    """Yield the parts that a function calls, by name, as members of modules or in tuples."""
    names = function.__code__.co_names
    for name in names:
        value = function.__globals__.get(name)
        members = [vars(value).get(other) for other in names] if isinstance(value, ModuleType) else [value]
        members = list(value) if isinstance(value, tuple) else members
        yield from (member for member in members if isinstance(member, Part))


def all_parts(function: Callable[..., Any]) -> set[Part]:
    """Return the parts that a function calls, and those that these call."""
    found: set[Part] = set()
    ahead = list(parts(function))
    while ahead:
        part = ahead.pop()
        if part not in found:
            found.add(part)
            ahead += parts(part.function)
    return found


# -- the cache on disk -----------------------------------------------------------------------------------------------


def _ask_no_blas() -> None:
    """Let numba believe in scipy's BLAS without importing it.

    Before its first compilation numba asks for it by importing scipy.linalg, which takes half as long as numba itself.
    It asks again, and then needs it, where a kernel uses linear algebra: ours do not.
    """
    name = "scipy.linalg.cython_blas"
    if "scipy.linalg" in sys.modules or importlib.util.find_spec("scipy") is None:
        return
    sys.modules[name] = ModuleType(name)
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[name]


def _locator_class() -> Any:
    return getattr(caching, "UserProvidedCacheLocator", None) or caching._UserProvidedCacheLocator


class _Locator(_locator_class()):  # type: ignore[misc]
    """The directory that numba is told to use, also where it may only be read."""

    def ensure_cache_path(self) -> None:
        """Make the directory if that can be done."""
        if os.access(numba.config.CACHE_DIR or self.get_cache_path(), os.W_OK):
            super().ensure_cache_path()


class _Contents(caching.FunctionCache._impl_class):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class Cache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's cache, but for two things.

    A kernel found there is loaded without the registries of the compiler: numba fills them first, whether or not it
    has to compile. And a directory that cannot be written to is no error.
    """

    _impl_class = _Contents

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a kernel from the disk, or None: then numba compiles it."""
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        if found is None:
            _ask_no_blas()
            TELLER.begin(self._py_func, [part for part in all_parts(self._py_func) if not part.made])
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a kernel to the disk."""
        try:
            super().save_overload(sig, data)
        except OSError:
            pass  # a full disk, or one that is read only: the kernel works, and is compiled again next time
        TELLER.end()
