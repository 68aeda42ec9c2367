"""How kernels find the elements of arrays: fewer lines for LLVM than numba writes.

Most of what numba writes about a kernel is how `s.x[e, 1]` or `m.stage[e].axis` is found: each array that is met on the
way is put into memory, field by field, and taken out again. All of that vanishes when LLVM is done, but first it has to
be written, read and gone through. Here arrays stay values: 87 000 lines for the sweeps in space instead of 141 000, and
a sixth of the time of a first run. What does not stand here is done by numba.

Indices count from the front: numba would ask of each whether it is negative and counts from the end, which takes a
sixth of the time of a march in space. With NUMBA_BOUNDSCHECK=1 an index that leaves its array, or is negative, raises
an IndexError.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
from numba.core.types.containers import BaseTuple
from numba.np import arrayobj

WORD = ir.IntType(64)


def position(context: Any, kind: Any, name: str) -> int:
    """Return where a field stands in the value of an array."""
    return int(context.data_model_manager[kind].get_field_position(name))


def field(context: Any, builder: Any, kind: Any, array: Any, name: str, *k: int) -> Any:
    """Return a field of an array, or its k-th number."""
    return builder.extract_value(array, [position(context, kind, name), *k])


def array_of(context: Any, builder: Any, kind: Any, data: Any, shape: Sequence[Any]) -> Any:
    """Return an array without gaps as a value; `shape` are numbers of LLVM."""
    item = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides, total = [item], WORD(1)
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    for extent in shape:
        total = builder.mul(total, extent, flags=["nsw"]) if total != WORD(1) else extent
    fields: list[tuple[str, tuple[int, ...], Any]] = [("nitems", (), total), ("itemsize", (), item), ("data", (), data)]
    fields += [("shape", (k,), extent) for k, extent in enumerate(shape)]
    fields += [("strides", (k,), stride) for k, stride in enumerate(strides)]
    value = context.get_value_type(kind)(None)
    for name, k, number in fields:
        value = builder.insert_value(value, number, [position(context, kind, name), *k])
    return value


def place(context: Any, builder: Any, kind: Any, array: Any, index_types: Any, indices: Any) -> tuple[Any, list[Any]]:
    """Return where a[i, j, ...] is, and the extents that are left."""
    shape = [field(context, builder, kind, array, "shape", k) for k in range(kind.ndim)]
    at = None
    for k, extent in enumerate(shape):
        if at is not None:
            at = builder.mul(at, extent, flags=["nsw"])
        if k < len(indices):
            index = context.cast(builder, indices[k], index_types[k], types.intp)
            if numba.config.BOUNDSCHECK:
                with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", index, extent)):
                    context.call_conv.return_user_exc(builder, IndexError, (f"an index of {kind} leaves it",))
            at = index if at is None else builder.add(at, index, flags=["nsw"])
    return builder.gep(field(context, builder, kind, array, "data"), [at], inbounds=True), shape[len(indices) :]


def indexed(builder: Any, kind: Any, index: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the types of the indices, and themselves."""
    if isinstance(kind, BaseTuple):
        return kind.types, [builder.extract_value(index, k) for k in range(len(kind))]
    return [kind], [index]


def get_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return a[i], a[i, j], ..., an element or a row."""
    kind, index_type = signature.args
    where, left = place(context, builder, kind, arguments[0], *indexed(builder, index_type, arguments[1]))
    if left:
        return array_of(context, builder, signature.return_type, where, left)
    return arrayobj.load_item(context, builder, kind, where)


def set_item(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
    """Write an element."""
    kind, index_type, of = signature.args
    where, _ = place(context, builder, kind, arguments[0], *indexed(builder, index_type, arguments[1]))
    arrayobj.store_item(context, builder, kind, context.cast(builder, arguments[2], of, kind.dtype), where)


def length(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return len(a)."""
    return field(context, builder, signature.args[0], arguments[0], "shape", 0)


def nested(context: Any, builder: Any, kind: Any, record: Any, name: str) -> Any:
    """Return an array within a record."""
    inner = kind.typeof(name)
    data = builder.gep(record, [ir.IntType(32)(0), ir.IntType(32)(kind.offset(name))], inbounds=True)
    data = builder.bitcast(data, context.get_data_type(inner.dtype).as_pointer())
    return array_of(context, builder, inner, data, [WORD(extent) for extent in inner.shape])


def plain(kind: Any) -> bool:
    """Return whether this is an array without gaps."""
    return isinstance(kind, types.Array) and kind.layout == "C" and kind.ndim > 0 and kind.aligned


def by_numbers(signature: Any, elements: bool) -> bool:
    """Return whether an array without gaps is indexed by integers, as many as lead to an element if that is asked."""
    kind, index = signature.args[:2]
    several = list(index.types) if isinstance(index, BaseTuple) else [index]
    whole = len(several) == kind.ndim if elements else 0 < len(several) <= kind.ndim
    return whole and all(isinstance(one, types.Integer) for one in several)


class Context(type(cpu_target.target_context)):  # type: ignore[misc]
    """Numba's target with this way to find elements; for kernels alone."""

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """Return what writes an operation, as numba has it or as it stands here."""
        if sig.args and plain(sig.args[0]):
            if fn in ("static_getitem", "static_setitem"):
                raise NotImplementedError  # then it is tried without static_
            key = fn.get_impl_key(sig) if isinstance(fn, types.Callable) else fn
            if key is len:
                return self._writes(length, sig)
            if key is operator.getitem and by_numbers(sig, False):
                return self._writes(get_item, sig)
            if key is operator.setitem and by_numbers(sig, True):
                return self._writes(set_item, sig)
        return super().get_function(fn, sig, _firstcall)

    def _writes(self, function: Callable[..., Any], signature: Any) -> Callable[..., Any]:
        return lambda builder, arguments, loc=None: function(self, builder, signature, arguments)

    def get_getattr(self, typ: Any, attr: str) -> Any:
        """Return what writes an attribute."""
        if isinstance(typ, types.Record) and isinstance(typ.typeof(attr), types.NestedArray):
            return lambda context, builder, kind, record, name: nested(self, builder, kind, record, name)
        return super().get_getattr(typ, attr)

    def get_abi_sizeof(self, ty: Any) -> int:
        """Return the size of a type in bytes; numba asks LLVM, which reads a module for it."""
        key = str(ty)
        if key not in SIZES:
            SIZES[key] = int(super().get_abi_sizeof(ty))
        return SIZES[key]


SIZES: dict[str, int] = {}


class Library(JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a kernel, without the round of passes that brings counted references together."""

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


@functools.cache
def context() -> Context:
    """Return the target of kernels."""
    own = copy.copy(cpu_target.target_context)
    own.__class__ = Context
    own._internal_codegen = copy.copy(own._internal_codegen)
    own._internal_codegen._library_class = Library
    return own
