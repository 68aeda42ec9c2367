"""Argument blocks: many arrays behind one integer.

Unboxing an array costs a quarter of a microsecond, and each one in a signature makes compilation longer. So a kernel
that works on two dozen of them takes one integer: the address of a block that lists the arrays' addresses and shapes.
`ArgumentBlock` writes it, `attachment` reads it back inside compiled code as named tuples of arrays.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic
from numpy.typing import NDArray

from particlemech._tape import filled

Records = Any  # a structured array: one record per element of a kind

Fields = Any  # of a dtype: str | list[tuple[str, str]], or with shapes


_known: dict[int, tuple[Fields, np.dtype[Any], Records]] = {}  # by identity of the fields, which are kept for that


def _kind(fields: Fields) -> tuple[np.dtype[Any], Records]:
    """Return the type of records with these fields and their empty table, each one object: to compare takes no time."""
    if id(fields) not in _known:
        kind = np.dtype(fields)
        _known[id(fields)] = fields, kind, _finished(np.zeros(0, kind))
    return _known[id(fields)][1:]


def table(rows: list[tuple[Any, ...]], fields: Fields) -> Records:
    """Return a read-only structured array, the same whenever it is empty; a recarray where numba is switched off."""
    kind, empty = _kind(fields)
    return _finished(filled([tuple(row) for row in rows], kind)) if rows else empty


def _finished(result: Records) -> Records:
    if numba.config.DISABLE_JIT:
        result = result.view(np.recarray)
    result.setflags(write=False)
    return result


def readonly(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: IDA passes such arrays, and a second kind would be a second compilation."""
    view = array.view()
    view.setflags(write=False)
    return view


class Member(NamedTuple):
    """What a kernel must know of an array that it finds in a block; metadata of the fields of a named tuple."""

    dtype: np.dtype[Any]
    ndim: int
    writable: bool


def read(fields: Fields, ndim: int = 1) -> Member:
    """Return the description of an array that kernels read."""
    return Member(_kind(fields)[0], ndim, False)


def written(ndim: int = 1, fields: Fields = "f8") -> Member:
    """Return the description of an array that kernels write, of floats or of integers ("i8")."""
    return Member(np.dtype(fields), ndim, True)


@functools.cache
def members(kind: Any) -> dict[str, Member]:
    """Return the descriptions of the fields of a named tuple, `name: Annotated[Array, read("f8")]`."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(kind, include_extras=True).items()}


def _by_ctypes(array: NDArray[Any]) -> int:
    """Return where the data of an array lie."""
    found: int = array.ctypes.data
    return found


def _by_layout(array: NDArray[Any]) -> int:
    """Return the same from the first field of numpy's PyArrayObject: 0.1 instead of 0.8 microseconds."""
    found: int | None = ctypes.c_void_p.from_address(id(array) + object.__basicsize__).value
    return found or 0


_TRIED = np.ones(1)
location = _by_layout if _by_layout(_TRIED) == _by_ctypes(_TRIED) else _by_ctypes


class ArgumentGroup(NamedTuple):
    """A named tuple of arrays, and what an argument block says of them: where the data of each are, and its shape."""

    part: Any
    entries: NDArray[np.int64]


def described(part: Any) -> ArgumentGroup:
    """Return the page of a named tuple whose arrays exist, after a check that they are what kernels expect."""
    entries: list[int] = []
    for (name, member), array in zip(members(part.__class__).items(), part, strict=True):
        (dtype, ndim, writable), flags = member, array.flags
        if array.dtype != dtype or array.ndim != ndim or not flags.c_contiguous or flags.writeable < writable:
            raise TypeError(f"{type(part).__name__}.{name}: {array.dtype} {array.shape}, expected {member}")
        entries += [location(array), *array.shape]
    return ArgumentGroup(part, np.array(entries, dtype=np.int64))


EIGHT = 8  # numbers in a line of the cache


def fresh(kind: Any, *shapes: tuple[int, ...]) -> ArgumentGroup:
    """Return a page of arrays of zeros, cut from one array: an address for all of them, and twenty times faster."""
    total, cuts, entries, where = _cuts(kind, shapes)
    zeros = np.zeros(total + EIGHT)
    zeros = zeros[-(location(zeros) // 8) % EIGHT :]
    entries = entries.copy()
    entries[where] += location(zeros)
    return ArgumentGroup(Cut(kind, zeros, cuts), entries)


class Cut:
    """The arrays of a named tuple, cut from one: by name, each made when Python first asks for it."""

    def __init__(self, kind: Any, whole: NDArray[Any], cuts: dict[str, tuple[Any, ...]]) -> None:
        self.kind, self._whole, self._cuts = kind, whole, cuts

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_") or name not in self._cuts:  # copies ask before they have any
            raise AttributeError(name)
        shape, dtype, at = self._cuts[name]
        found: NDArray[Any] = np.ndarray(shape, dtype, self._whole, at)
        self.__dict__[name] = found
        return found

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (getattr(self, name) for name in self._cuts)


@functools.lru_cache(maxsize=256)
def _cuts(kind: Any, shapes: tuple[tuple[int, ...], ...]) -> Any:
    if any(member.dtype not in ("f8", "i8") for member in members(kind).values()):
        raise TypeError(f"{kind.__name__}: only arrays of floats and of integers can be cut from one")
    at, cuts, where = 0, {}, []
    entries: list[int] = []
    for shape, (name, member) in zip(shapes, members(kind).items(), strict=True):
        cuts[name] = shape, member.dtype, 8 * at
        where.append(len(entries))
        entries += [8 * at, *shape]
        at += EIGHT * -(-math.prod(shape) // EIGHT)
    return at, cuts, np.array(entries, dtype=np.int64), np.array(where)


class ArgumentBlock:
    """Pages one after the other, in one array of integers.

    It keeps the arrays alive, and `address` is good as long as the block lives: who holds an address holds its block.
    """

    def __init__(self, *parts: Any) -> None:
        groups = [part if isinstance(part, ArgumentGroup) else described(part) for part in parts]
        self.parts = tuple(group.part for group in groups)
        self._groups = groups
        self._entries = np.concatenate([group.entries for group in groups])
        self.address: Any = self if numba.config.DISABLE_JIT else location(self._entries)

    def put(self, kind: Any, name: str, array: NDArray[Any]) -> None:
        """Put an array, of any length, in the place of one that is cut from others with those of a named tuple."""
        which = next(k for k, part in enumerate(self.parts) if isinstance(part, Cut) and part.kind is kind)
        before = list(members(kind))[: list(members(kind)).index(name)]
        first = sum(len(group.entries) for group in self._groups[:which])
        first += sum(1 + members(kind)[other].ndim for other in before)
        self._entries[first : first + 1 + array.ndim] = [location(array), *array.shape]
        setattr(self.parts[which], name, array)


class View(numba.types.Type):  # type: ignore[misc]
    """The type of a named tuple in a block, for kernels: an address; its arrays are looked up where they are used.

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
    """Build an array from its entries in the argument block: where its data are, and its shape."""
    described = members(view.kind)
    before = itertools.takewhile(lambda other: other != name, described)
    at = sum(1 + described[other].ndim for other in before)
    word, kind = ir.IntType(64), _array_type(described[name])
    argument_block = builder.inttoptr(address, word.as_pointer())

    def entry(k: int) -> Any:
        found = builder.load(builder.gep(argument_block, [word(k)]))
        found.set_metadata("invariant.load", builder.module.add_metadata([]))  # whatever kernels write elsewhere
        return found

    from particlemech._jit.terse import array_of  # the compiler's registries are not loaded before they are needed

    data = builder.inttoptr(entry(at), context.get_data_type(kind.dtype).as_pointer())
    return array_of(context, builder, kind, data, [entry(at + 1 + k) for k in range(kind.ndim)])


def attachment(*kinds: Any) -> Callable[[Any], Any]:
    """Return a function for kernels: the address of a block -> views of the named tuples that it begins with."""
    if numba.config.DISABLE_JIT:
        return lambda block: (*block.parts, *[None] * len(kinds))[: len(kinds)]  # the last may not be needed
    sizes = [sum(1 + member.ndim for member in members(kind).values()) for kind in kinds]
    starts = [8 * sum(sizes[:k]) for k in range(len(kinds))]

    def attached(typing_context: Any, address: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            views = [builder.add(arguments[0], ir.IntType(64)(start)) for start in starts]
            return context.make_tuple(builder, signature.return_type, views)

        return numba.types.Tuple([View(kind) for kind in kinds])(numba.types.int64), build

    result: Callable[[Any], Any] = numba.extending.intrinsic(attached)
    return result
