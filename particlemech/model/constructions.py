"""Constructions of points, as a draughtsman makes them: in expressions wherever a point is expected.

    mid(A, B)                           halfway from A to B
    polar(A, length, angle)             from A, the angle counted from the x axis, counter-clockwise
    polar(A, length, angle, B)          the angle counted from the line from A to B
    on_circles(A, a, B, b, left)        at distance a from A and b from B, to the left (or right) of the way from A to B
    mirror(P, A, B)                     P on the other side of the line through A and B
    mirror(P, A, B, C)                  in space: of the plane through A, B and C

The point of two circles, with d = |B - A| and the unit vectors e along B - A and n to its left:

    x = (d^2 + a^2 - b^2)/(2 d),   y^2 = a^2 - x^2,   P = A + x e + y n (left), A + x e - y n (right)        (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.model.dimensions import ANGLE, LENGTH, Dimension, called, fits
from particlemech.model.expressions import CONSTRUCTIONS, SIDES, Scope, applied, value_of

TOUCHING = 1e-12  # of the square of a distance: circles that miss each other by less touch


def built(tree: Any, scope: Scope) -> tuple[Any, ...]:
    """Return the place that a construction gives."""
    word, *given = tree
    return BUILDERS[word](given, scope)


def _place(tree: Any, scope: Scope) -> tuple[Any, ...]:
    if tree[0] == "name":
        return scope.place(tree[1])
    if tree[0] in CONSTRUCTIONS:
        return built(tree, scope)
    raise ModelError("expected a point by name or a construction such as mid(A, B), got a number or a coordinate")


def _quantity(tree: Any, scope: Scope, wanted: tuple[float, ...], what: str) -> Any:
    value, dimension = value_of(tree, scope)
    if not _right(dimension, wanted):
        raise ModelError(f"{what} must be {called(wanted)}, got {called(dimension)}")  # type: ignore[arg-type]
    return value


def _right(dimension: Dimension, wanted: Any) -> bool:
    return fits(dimension, wanted)


def _mid(given: Sequence[Any], scope: Scope) -> tuple[Any, ...]:
    a, b = (_place(one, scope) for one in given)
    return tuple(0.5 * (x + y) for x, y in zip(a, b, strict=True))


def _polar(given: Sequence[Any], scope: Scope) -> tuple[Any, ...]:
    x, y = _in_plane("polar", _place(given[0], scope))
    length = _quantity(given[1], scope, LENGTH, "the length of polar")
    angle = _quantity(given[2], scope, ANGLE, "the angle of polar")
    if len(given) > 3:
        u, v = _place(given[3], scope)
        angle = angle + applied("atan2", v - y, u - x)
    return x + length * applied("cos", angle), y + length * applied("sin", angle)


def _on_circles(given: Sequence[Any], scope: Scope) -> tuple[Any, ...]:
    (ax, ay), (bx, by) = (_in_plane("on_circles", _place(given[k], scope)) for k in (0, 2))
    a, b = (_quantity(given[k], scope, LENGTH, "a radius of on_circles") for k in (1, 3))
    side = given[4][1] if given[4][0] == "name" else None
    if side not in SIDES:
        raise ModelError(f"the side of on_circles is left or right, seen from the first point{suggestion(side, SIDES)}")
    u, v = bx - ax, by - ay
    d2 = u * u + v * v
    if type(d2) is float and d2 == 0.0:
        raise ModelError("the two centres of on_circles lie at one place; move one")
    x = (d2 + a * a - b * b) / (2.0 * d2)  # (1), as parts of d
    y2 = a * a / d2 - x * x
    if type(y2) is float and y2 <= 0.0:
        if y2 < -TOUCHING:
            apart = applied("sqrt", d2)
            why = "do not reach each other" if a + b < apart else "lie one within the other"
            raise ModelError(
                f"circles of radius {a:.6g} and {b:.6g} with centres {apart:.6g} apart {why}; "
                f"the radii must add up to {apart:.6g} at least and differ by no more"
            )
        y2 = 0.0
    y = applied("sqrt", y2) * (1.0 if side == "left" else -1.0)
    return ax + x * u - y * v, ay + x * v + y * u


def _mirror(given: Sequence[Any], scope: Scope) -> tuple[Any, ...]:
    p, a, *others = (_place(one, scope) for one in given)
    if len(p) != len(others) + 1:  # a line in the plane, a plane in space
        wanted = "mirror(P, A, B) takes a line in the plane" if len(p) == 2 else "mirror(P, A, B, C) takes a plane"
        raise ModelError(f"{wanted}; give {'two' if len(p) == 2 else 'three'} points after the first")
    if len(p) == 2:
        (b,) = others
        n: tuple[Any, ...] = (a[1] - b[1], b[0] - a[0])
    else:
        r, s = (tuple(x - y for x, y in zip(q, a, strict=True)) for q in others)
        n = (r[1] * s[2] - r[2] * s[1], r[2] * s[0] - r[0] * s[2], r[0] * s[1] - r[1] * s[0])
    square = sum(x * x for x in n)
    if type(square) is float and square == 0.0:
        raise ModelError("the points of the mirror lie at one place or on one line; move one")
    twice = 2.0 * sum((x - y) * z for x, y, z in zip(p, a, n, strict=True)) / square
    return tuple(x - twice * z for x, z in zip(p, n, strict=True))


def _in_plane(word: str, place: tuple[Any, ...]) -> tuple[Any, Any]:
    if len(place) != 2:
        raise ModelError(f"{word} is for mechanisms in the plane; in space write the three coordinates")
    return place[0], place[1]


BUILDERS: dict[str, Callable[[Sequence[Any], Scope], tuple[Any, ...]]] = {
    "mid": _mid,
    "polar": _polar,
    "on_circles": _on_circles,
    "mirror": _mirror,
}
