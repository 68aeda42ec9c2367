"""The one place for numba's settings.

Kernels live at module level and are cached on disk: numba cannot cache closures. Its cache does not notice
an edit in another module (a cached caller keeps the old callee), so the cache directory is keyed by a hash
of the sources of all packages that hold kernels.

Unboxing an array costs a quarter of a microsecond, and each one in a signature makes compilation longer. So a kernel
that works on two dozen of them takes one integer: the address of a book that lists the arrays' addresses and shapes.
`Book` writes it, `attachment` reads it back inside compiled code as named tuples of arrays.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numpy.typing import NDArray

Records = Any  # a structured array: one record per element of a kind

Function = TypeVar("Function", bound=Callable[..., Any])

Fields = str | list[tuple[str, str]]  # of a dtype


def _source_hash() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for part in sorted(p for p in package.iterdir() if p.is_dir()):
        sources = [path.read_bytes() for path in sorted(part.rglob("*.py"))]
        if any(b"@kernel" in source or b"@entry" in source or b"@released" in source for source in sources):
            for source in sources:
                digest.update(source)
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    if "PARTICLEMECH_CACHE" in os.environ:
        return Path(os.environ["PARTICLEMECH_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "particlemech"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "particlemech"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "particlemech"


def _cache_directory() -> Path:
    directory = _cache_root() / _source_hash()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    # a fresh directory of our own: kernels are unpickled, so a shared place that others can fill will not do
    return Path(tempfile.mkdtemp(prefix="particlemech-"))


CACHE = _cache_directory()


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


class _LightCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache on disk, but for one thing: a kernel found there is loaded without the registries of the compiler.

    Numba fills them first, whether or not it has to compile, and that takes as long as importing numba.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a kernel from the disk, or None: then numba compiles it."""
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        if found is None:
            _ask_no_blas()
        return found


def compiled_before() -> bool:
    """Return whether kernels of just these sources are on the disk already."""
    return any(CACHE.rglob("*.nbc")) or numba.config.DISABLE_JIT


def kernel(function: Function) -> Function:
    """Compile a module-level function that other kernels call."""
    return _compiled(function)


def entry(function: Function) -> Function:
    """Compile a module-level function that Python calls; with all it calls it lies on the disk, in our directory."""
    return _cached(_compiled(function))


def released(function: Function) -> Function:
    """Compile an entry that lets other threads run meanwhile: for whole runs, not for short calls."""
    return _cached(_compiled(function, nogil=True))


def _compiled(function: Function, nogil: bool = False) -> Function:
    # _nrt: kernels allocate nothing, so references to arrays need no counting (a third of the time of a small one);
    # a kernel that would allocate does not compile
    return numba.njit(error_model="numpy", nogil=nogil, _nrt=False)(function)


def _cached(dispatcher: Any) -> Any:
    if numba.config.DISABLE_JIT:
        return dispatcher
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        dispatcher._cache = _LightCache(dispatcher.py_func)
    finally:
        numba.config.CACHE_DIR = before
    return dispatcher


def table(rows: list[tuple[Any, ...]], fields: list[tuple[str, str]]) -> Records:
    """Return a read-only structured array; a recarray where numba is switched off."""
    result = np.array([tuple(row) for row in rows], dtype=fields)
    if numba.config.DISABLE_JIT:
        result = result.view(np.recarray)
    result.setflags(write=False)
    return result


def readonly(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: IDA passes such arrays, and a second kind would be a second compilation."""
    view = array.view()
    view.setflags(write=False)
    return view


# -- books: many arrays behind one integer ---------------------------------------------------------------------------


class Member(NamedTuple):
    """What a kernel must know of an array that it finds in a book; metadata of the fields of a named tuple."""

    dtype: np.dtype[Any]
    ndim: int
    writable: bool


def read(fields: Fields, ndim: int = 1) -> Member:
    """Return the description of an array that kernels read."""
    return Member(np.dtype(fields), ndim, False)


def written(ndim: int = 1) -> Member:
    """Return the description of an array of floats that kernels write."""
    return Member(np.dtype("f8"), ndim, True)


@functools.cache
def members(kind: Any) -> dict[str, Member]:
    """Return the descriptions of the fields of a named tuple, `name: Annotated[Array, read("f8")]`."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(kind, include_extras=True).items()}


class Book:
    """Addresses and shapes of the arrays of some named tuples, in one array of integers.

    It keeps the arrays alive, and `address` is good as long as the book lives: who holds an address holds its book.
    """

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        entries: list[int] = []
        for part in parts:
            for (name, member), array in zip(members(part.__class__).items(), part, strict=True):
                right = array.dtype == member.dtype and array.ndim == member.ndim and array.flags.c_contiguous
                if not right or array.flags.writeable < member.writable:
                    raise TypeError(f"{type(part).__name__}.{name}: {array.dtype} {array.shape}, expected {member}")
                entries += [array.ctypes.data, *array.shape]
        self._entries = np.array(entries, dtype=np.int64)
        self.address: Any = self if numba.config.DISABLE_JIT else self._entries.ctypes.data


def attachment(*kinds: Any) -> Callable[[Any], Any]:
    """Return a function for kernels: the address of a book -> the named tuples of these kinds that it begins with."""
    if numba.config.DISABLE_JIT:
        return lambda book: book.parts[: len(kinds)]
    types, described = numba.types, [list(members(kind).values()) for kind in kinds]

    def array_type(member: Member) -> Any:
        element = numba.np.numpy_support.from_dtype(member.dtype)
        return types.Array(element, member.ndim, "C", readonly=not member.writable)

    def attached(typing_context: Any, address: Any) -> Any:
        parts = [
            types.BaseTuple.from_types([array_type(member) for member in fields], kind)
            for kind, fields in zip(kinds, described, strict=True)
        ]

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = context.get_value_type(types.int64)
            book = builder.inttoptr(arguments[0], word.as_pointer())
            at = 0

            def entry() -> Any:
                nonlocal at
                at += 1
                return builder.load(builder.gep(book, [word(at - 1)]))

            def array(kind: Any) -> Any:
                result = context.make_array(kind)(context, builder)
                item = word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
                data = builder.inttoptr(entry(), result.data.type)
                shape = [entry() for _ in range(kind.ndim)]
                strides = [item]
                for extent in reversed(shape[1:]):
                    strides.insert(0, builder.mul(strides[0], extent))
                fill = numba.np.arrayobj.populate_array
                fill(result, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
                return result._getvalue()

            values = [context.make_tuple(builder, part, [array(kind) for kind in part]) for part in parts]
            return context.make_tuple(builder, signature.return_type, values)

        return types.Tuple(parts)(types.int64), build

    result: Callable[[Any], Any] = numba.extending.intrinsic(attached)
    return result
