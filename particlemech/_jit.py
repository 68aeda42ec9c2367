"""The one place for numba's settings.

Kernels live at module level and are cached on disk: numba cannot cache closures. Its cache does not notice
an edit in another module (a cached caller keeps the old callee), so the cache directory is keyed by a hash
of the sources of all packages and modules that hold kernels, or numbers that these have compiled in.

Unboxing an array costs a quarter of a microsecond, and each one in a signature makes compilation longer. So a kernel
that works on two dozen of them takes one integer: the address of a book that lists the arrays' addresses and shapes.
`Book` writes it, `attachment` reads it back inside compiled code as named tuples of arrays.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import itertools
import math
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba.core.caching import FunctionCache
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numpy.typing import NDArray

Records = Any  # a structured array: one record per element of a kind

Function = TypeVar("Function", bound=Callable[..., Any])

Fields = Any  # of a dtype: str | list[tuple[str, str]], or with shapes


_MARKS = (b"@kernel", b"@woven", b"@apart", b"@entry", b"@released")


def _source_hash(package: Path) -> str:
    digest = hashlib.sha256()
    parts = [sorted(p.rglob("*.py")) for p in sorted(package.iterdir()) if p.is_dir()]
    for part in [*parts, *([p] for p in sorted(package.glob("*.py")))]:
        sources = [path.read_bytes() for path in part]
        if any(mark in source for mark in _MARKS for source in sources) or part == [package / "_dop853.py"]:
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
    directory = _cache_root() / _source_hash(Path(__file__).parent)
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


class _Later:
    """A function that is handed to numba when it is first called or compiled into another.

    Entries that lie on the disk contain all they call: then none of this is ever needed.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._options = function, options

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Return numba's object for the function."""
        return _compiled(self._function, **self._options)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)


def kernel(function: Function) -> Function:
    """Compile a module-level function that other kernels call."""
    inner: Function = _later(function)
    return inner


def _later(function: Any, **options: Any) -> Any:
    return function if numba.config.DISABLE_JIT else _Later(function, options)


def entry(function: Function) -> Function:
    """Compile a module-level function that Python calls; with all it calls it lies on the disk, in our directory."""
    return _cached(_compiled(function))


def released(function: Function) -> Function:
    """Compile an entry that lets other threads run meanwhile: for whole runs, not for short calls."""
    return _cached(_compiled(function, nogil=True))


def woven(function: Function) -> Function:
    """Compile a function as a part of the one kernel that calls it: a layer of calls less to optimise."""
    woven_in: Function = _later(function, inline="always")
    return woven_in


def apart(function: Function) -> Function:
    """Compile a function that other kernels call and that keeps to itself.

    A kernel is copied into each place that calls it, which makes short ones fast; a long one that is called in many
    places would take minutes to compile.
    """
    if numba.config.DISABLE_JIT:
        return function
    inner: Any = kernel(function)

    def called(typing_context: Any, *arguments: Any) -> Any:
        dispatcher = inner.dispatcher
        signature = typing_context.resolve_function_type(inner._numba_type_, arguments, {})

        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            made = dispatcher.get_compile_result(signature)
            described = made.fndesc
            callee = context.declare_function(builder.module, described)
            context.active_code_library.add_linking_library(made.library)
            call = context.call_conv.call_function
            status, result = call(builder, callee, described.restype, described.argtypes, values, attrs=("noinline",))
            with numba.core.cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return signature, build

    own = inspect.signature(function).parameters.values()
    context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    called.__name__, called.__doc__ = function.__name__, function.__doc__
    called.__signature__ = inspect.Signature([context, *own])  # type: ignore[attr-defined]  # numba reads the names
    result: Function = numba.extending.intrinsic(called)
    return result


def _compiled(function: Function, **options: Any) -> Function:
    # _nrt: kernels allocate nothing, so references to arrays need no counting (a third of the time of a small one);
    # a kernel that would allocate does not compile
    compiled: Function = numba.njit(error_model="numpy", _nrt=False, no_cfunc_wrapper=True, **options)(function)
    return compiled


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


def table(rows: list[tuple[Any, ...]], fields: Fields) -> Records:
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


class Page(NamedTuple):
    """A named tuple of arrays, and what a book says of them: where the data of each are, and its shape."""

    part: Any
    entries: NDArray[np.int64]


def described(part: Any) -> Page:
    """Return the page of a named tuple whose arrays exist, after a check that they are what kernels expect."""
    entries: list[int] = []
    for (name, member), array in zip(members(part.__class__).items(), part, strict=True):
        flags = array.flags
        right = array.dtype == member.dtype and array.ndim == member.ndim and flags.c_contiguous
        if not right or flags.writeable < member.writable:
            raise TypeError(f"{type(part).__name__}.{name}: {array.dtype} {array.shape}, expected {member}")
        entries += [array.ctypes.data, *array.shape]
    return Page(part, np.array(entries, dtype=np.int64))


def fresh(kind: Any, *shapes: tuple[int, ...]) -> Page:
    """Return a page of arrays of zeros, cut from one array: an address for all of them, and twenty times faster."""
    total, cuts, entries, where = _cuts(kind, shapes)
    zeros = np.zeros(total)
    entries = entries.copy()
    entries[where] += zeros.ctypes.data
    return Page(kind(*[zeros[first:last].reshape(shape) for first, last, shape in cuts]), entries)


@functools.lru_cache(maxsize=256)
def _cuts(kind: Any, shapes: tuple[tuple[int, ...], ...]) -> Any:
    if any(member.dtype != np.dtype("f8") for member in members(kind).values()):
        raise TypeError(f"{kind.__name__}: only arrays of floats can be cut from one")
    at, cuts, where = 0, [], []
    entries: list[int] = []
    for shape in shapes:
        size = math.prod(shape)
        cuts.append((at, at + size, shape))
        where.append(len(entries))
        entries += [8 * at, *shape]
        at += size
    return at, cuts, np.array(entries, dtype=np.int64), np.array(where)


class Book:
    """Pages one after the other, in one array of integers.

    It keeps the arrays alive, and `address` is good as long as the book lives: who holds an address holds its book.
    """

    def __init__(self, *parts: Any) -> None:
        pages = [part if isinstance(part, Page) else described(part) for part in parts]
        self.parts = tuple(page.part for page in pages)
        self._pages = pages
        self._entries = np.concatenate([page.entries for page in pages])
        self.address: Any = self if numba.config.DISABLE_JIT else self._entries.ctypes.data


class View(numba.types.Type):  # type: ignore[misc]
    """The type of a named tuple in a book, for kernels: an address; its arrays are looked up where they are used.

    A named tuple of real arrays would be copied around as a whole, which takes minutes to compile.
    """

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(name=f"View({kind.__module__}.{kind.__qualname__})")


@numba.extending.register_model(View)
class _ViewModel(numba.extending.models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


def _array_type(member: Member) -> Any:
    element = numba.np.numpy_support.from_dtype(member.dtype)
    return numba.types.Array(element, member.ndim, "C", readonly=not member.writable)


@infer_getattr
class _ViewAttributes(AttributeTemplate):  # type: ignore[misc]
    key = View

    def generic_resolve(self, view: Any, name: str) -> Any:
        """Return the type of an array."""
        return _array_type(members(view.kind)[name])


@lower_getattr_generic(View)  # type: ignore[untyped-decorator]
def _looked_up(context: Any, builder: Any, view: Any, address: Any, name: str) -> Any:
    """Build an array from its entries in the book: where its data are, and its shape."""
    described = members(view.kind)
    before = itertools.takewhile(lambda other: other != name, described)
    at = sum(1 + described[other].ndim for other in before)
    word, kind = ir.IntType(64), _array_type(described[name])
    book = builder.inttoptr(address, word.as_pointer())

    def entry(k: int) -> Any:
        return builder.load(builder.gep(book, [word(k)]))

    result = context.make_array(kind)(context, builder)
    item = word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape = [entry(at + 1 + k) for k in range(kind.ndim)]
    strides = [item]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    data = builder.inttoptr(entry(at), result.data.type)
    fill = numba.np.arrayobj.populate_array
    fill(result, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
    return result._getvalue()


def attachment(*kinds: Any) -> Callable[[Any], Any]:
    """Return a function for kernels: the address of a book -> views of the named tuples that it begins with."""
    if numba.config.DISABLE_JIT:
        return lambda book: book.parts[: len(kinds)]
    sizes = [sum(1 + member.ndim for member in members(kind).values()) for kind in kinds]
    starts = [8 * sum(sizes[:k]) for k in range(len(kinds))]

    def attached(typing_context: Any, address: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            views = [builder.add(arguments[0], ir.IntType(64)(start)) for start in starts]
            return context.make_tuple(builder, signature.return_type, views)

        return numba.types.Tuple([View(kind) for kind in kinds])(numba.types.int64), build

    result: Callable[[Any], Any] = numba.extending.intrinsic(attached)
    return result
