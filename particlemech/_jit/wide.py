"""What eights.py is to LLVM: values of eight numbers. Numba knows no such type, but how to be told of one."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from particlemech._jit.argument_blocks import EIGHT

NUMBER, WHOLE, LONG = ir.DoubleType(), ir.IntType(32), ir.IntType(64)
VECTOR = ir.VectorType(NUMBER, EIGHT)
NOTHING = ir.Constant(VECTOR, [0.0] * EIGHT)


class EightType(types.Type):
    """Eight numbers."""

    def __init__(self) -> None:
        super().__init__(name="Eight")


@register_model(EightType)
class EightModel(models.PrimitiveModel):  # type: ignore[misc]
    """Eight numbers as LLVM keeps them."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


EIGHT_TYPE = EightType()


def _where(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the place of x[r, a : a + 8] in memory; x, r and a are the first arguments."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    r, a = (context.cast(builder, arguments[k], signature.args[k], types.intp) for k in (1, 2))
    if numba.config.BOUNDSCHECK:
        last = builder.add(a, LONG(EIGHT - 1))
        cgutils.get_item_pointer(context, builder, signature.args[0], array, [r, last], boundscheck=True)
    where = cgutils.get_item_pointer(context, builder, signature.args[0], array, [r, a])
    return builder.bitcast(where, VECTOR.as_pointer())


def _eightfold(builder: Any, number: Any) -> Any:
    """Return a number eight times."""
    none = ir.Constant(VECTOR, ir.Undefined)
    return builder.shuffle_vector(builder.insert_element(none, number, WHOLE(0)), none, _picked([0] * EIGHT))


def _compared(context: Any, builder: Any, how: str, number: Any, kind: Any) -> Any:
    """Return whether 0 ... 7 are less than a number, or which of them it is."""
    wide = ir.VectorType(LONG, EIGHT)
    none = ir.Constant(wide, ir.Undefined)
    one = builder.insert_element(none, context.cast(builder, number, kind, types.intp), WHOLE(0))
    every = builder.shuffle_vector(one, none, _picked([0] * EIGHT))
    return builder.icmp_signed(how, ir.Constant(wide, list(range(EIGHT))), every)


def _sum(builder: Any, total: Any) -> Any:
    """Return the sum of eight numbers, by halves."""
    n = EIGHT
    while n > 1:
        n //= 2
        none = ir.Constant(total.type, ir.Undefined)
        halves = [builder.shuffle_vector(total, none, _picked(list(range(k, k + n)))) for k in (0, n)]
        total = builder.fadd(*halves)
    return builder.extract_element(total, WHOLE(0))


def _picked(which: list[int]) -> Any:
    return ir.Constant(ir.VectorType(WHOLE, len(which)), which)


@intrinsic  # type: ignore[untyped-decorator]
def eight(typing_context: Any, x: Any, r: Any, a: Any) -> Any:
    """Load."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_where(context, builder, signature, arguments), align=8)

    return EIGHT_TYPE(x, r, a), build


@intrinsic  # type: ignore[untyped-decorator]
def put(typing_context: Any, x: Any, r: Any, a: Any, t: Any) -> Any:
    """Store."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[3], _where(context, builder, signature, arguments), align=8)
        return context.get_dummy_value()

    return types.void(x, r, a, t), build


@intrinsic  # type: ignore[untyped-decorator]
def scaled(typing_context: Any, c: Any, t: Any) -> Any:
    """Multiply by a number."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fmul(_eightfold(builder, arguments[0]), arguments[1])

    return t(types.float64, t), build


@intrinsic  # type: ignore[untyped-decorator]
def added(typing_context: Any, c: Any, t: Any, u: Any) -> Any:
    """Multiply by a number and add."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        three = ir.FunctionType(VECTOR, [VECTOR] * 3)
        fused = cgutils.get_or_insert_function(builder.module, three, f"llvm.fmuladd.v{EIGHT}f64")
        return builder.call(fused, [_eightfold(builder, arguments[0]), arguments[1], arguments[2]])

    return t(types.float64, t, u), build


@intrinsic  # type: ignore[untyped-decorator]
def only(typing_context: Any, j: Any, c: Any) -> Any:
    """Make one."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there = _compared(context, builder, "==", arguments[0], signature.args[0])
        return builder.select(there, _eightfold(builder, arguments[1]), NOTHING)

    return EIGHT_TYPE(j, types.float64), build


@intrinsic  # type: ignore[untyped-decorator]
def bumped(typing_context: Any, t: Any, j: Any, c: Any) -> Any:
    """Add to one."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there = _compared(context, builder, "==", arguments[1], signature.args[1])
        more = builder.fadd(arguments[0], _eightfold(builder, arguments[2]))
        return builder.select(there, more, arguments[0])

    return t(t, j, types.float64), build


@intrinsic  # type: ignore[untyped-decorator]
def first(typing_context: Any, n: Any, t: Any) -> Any:
    """Leave out the last."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there = _compared(context, builder, "<", arguments[0], signature.args[0])
        return builder.select(there, arguments[1], NOTHING)

    return t(n, t), build


@intrinsic  # type: ignore[untyped-decorator]
def size(typing_context: Any, t: Any) -> Any:
    """Sum sizes."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = ir.FunctionType(VECTOR, [VECTOR])
        positive = cgutils.get_or_insert_function(builder.module, one, f"llvm.fabs.v{EIGHT}f64")
        return _sum(builder, builder.call(positive, arguments))

    return types.float64(t), build


@intrinsic  # type: ignore[untyped-decorator]
def inner(typing_context: Any, t: Any, u: Any) -> Any:
    """Multiply and sum."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _sum(builder, builder.fmul(*arguments))

    return types.float64(t, u), build
