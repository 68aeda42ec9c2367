"""What is wrong with a linkage that meets its task: branch, circuit, order, and what else was asked for; compiled.

All follows from (1) of linkage.py. With a crank that turns round, the two assemblies are circuits of their own, and it
goes from one to the other only taken apart; one that cannot turn has one circuit, or one for each of its two arcs, and
changes from one assembly to the other, its branches, at the ends of an arc, where it locks.
"""

from __future__ import annotations

import math

from particlemech._jit import noinline
from particlemech.engine.system import Array
from particlemech.synthesis.linkage import CX, CY, OX, OY, A, B, C, E, ends, least_transmission, span, wrapped

REASONS = (
    "no defect",
    "no closed form",  # of a start: no dyads with real numbers
    "cannot be assembled",
    "misses the task",
    "circuit",
    "branch",
    "order",
    "crank does not turn",
    "Grashof",
    "transmission angle",
    "length of a link",
    "pivot out of its region",
)
FINE, CLOSED_FORM, APART, MISSED, CIRCUIT, BRANCH, ORDER, TURNING, GRASHOF, TRANSMISSION, LENGTH, REGION = range(12)
ORDERED, TURNS, CLASS, LEAST_ANGLE, SHORTEST, LONGEST, TOLERANCE = range(7)  # of what is asked
ROUNDING = 1e-9


@noinline
def _course(x: Array, slider: bool, theta: Array, n: int, turns: bool, both: bool, inner: bool) -> tuple[float, bool]:
    """Return how far the crank goes from the first place to the last, and whether all are in order."""
    centre, _, _ = span(x, slider)
    if turns:
        forward = backward = 0.0
        for i in range(n - 1):
            step = wrapped(theta[i + 1] - theta[i])
            forward += step if step >= 0.0 else step + 2.0 * math.pi
            backward += -step if step <= 0.0 else 2.0 * math.pi - step
        whole = 2.0 * math.pi + ROUNDING
        if forward <= backward:
            return forward, forward <= whole
        return -backward, backward <= whole
    # within an arc: tau about 0, or about half a turn
    shift = math.pi if inner and not both else 0.0
    first = wrapped(theta[0] - centre - shift)
    last, up, down = first, True, True
    for i in range(1, n):
        at = wrapped(theta[i] - centre - shift)
        up = up and at >= last
        down = down and at <= last
        last = at
    return last - first, up or down


@noinline
def mobile(x: Array, slider: bool, theta: Array, sides: Array, n: int) -> int:
    """Return whether n places are on one circuit and one branch: FINE, CIRCUIT or BRANCH."""
    centre, k0, k1 = span(x, slider)
    inner, outer = ends(k0, k1)
    one_side = True
    for i in range(1, n):
        one_side = one_side and sides[i] == sides[0]
    if inner and outer:
        above = math.sin(theta[0] - centre) > 0.0
        for i in range(1, n):
            if (math.sin(theta[i] - centre) > 0.0) != above:
                return CIRCUIT
    elif not (inner or outer):
        return FINE if one_side else CIRCUIT
    return FINE if one_side else BRANCH


@noinline
def grashof(x: Array, slider: bool) -> bool:
    """Whether a link turns round against the others: s + l <= p + q; of a slider-crank, |e| <= |a - b|."""
    if slider:
        return abs(x[E]) <= abs(x[A] - x[B])
    d = math.hypot(x[CX] - x[OX], x[CY] - x[OY])
    low = min(min(x[A], x[B]), min(x[C], d))
    high = max(max(x[A], x[B]), max(x[C], d))
    return 2.0 * (low + high) <= x[A] + x[B] + x[C] + d


@noinline
def _bounded(x: Array, slider: bool, asked: Array, planes: Array) -> int:
    """Return FINE, LENGTH or REGION."""
    low, high = asked[SHORTEST] * (1.0 - ROUNDING), asked[LONGEST] * (1.0 + ROUNDING)
    d = math.hypot(x[CX] - x[OX], x[CY] - x[OY])
    for k in range(2 if slider else 4):
        length = x[A] if k == 0 else (x[B] if k == 1 else (x[C] if k == 2 else d))
        if not low <= length <= high:
            return LENGTH
    if slider and abs(x[E]) > high:
        return LENGTH
    for p in range(1 if slider else 2):
        first = OX if p == 0 else CX
        for k in range(len(planes)):
            if planes[k, 0] * x[first] + planes[k, 1] * x[first + 1] > planes[k, 2] + ROUNDING:
                return REGION
    return FINE


@noinline
def judged(
    x: Array, slider: bool, theta: Array, sides: Array, n: int, asked: Array, planes: Array
) -> tuple[int, float, float]:
    """Return what is wrong first, how far the crank goes from the first place to the last, and least transmission.

    Where the crank turns round and is asked to, the transmission is that of all the turn.
    """
    fault = mobile(x, slider, theta, sides, n)
    if fault != FINE:
        return fault, 0.0, 0.0
    centre, k0, k1 = span(x, slider)
    inner, outer = ends(k0, k1)
    turns = not (inner or outer)
    way, ordered = _course(x, slider, theta, n, turns, inner and outer, inner)
    if asked[ORDERED] > 0.0 and not ordered:
        return ORDER, way, 0.0
    if asked[TURNS] > 0.0 and not turns:
        return TURNING, way, 0.0
    if asked[CLASS] >= 0.0 and grashof(x, slider) != (asked[CLASS] > 0.0):
        return GRASHOF, way, 0.0
    first, last = theta[0] - centre, theta[0] - centre + way
    if turns and (asked[TURNS] > 0.0 or not ordered):
        first, last = 0.0, 2.0 * math.pi
    elif not ordered:  # to and fro within the arc
        shift = math.pi if inner and not outer else 0.0
        low = high = wrapped(first - shift)
        for i in range(1, n):
            at = wrapped(theta[i] - centre - shift)
            low, high = min(low, at), max(high, at)
        first, last = low + shift, high + shift
    least = least_transmission(k0, k1, first, last)
    if least < asked[LEAST_ANGLE]:
        return TRANSMISSION, way, least
    return _bounded(x, slider, asked, planes), way, least
