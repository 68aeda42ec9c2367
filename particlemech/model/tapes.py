"""Functions of time as tapes: one operation after the other, each with its exact first and second derivative in t.

    step k = operation(step i, step j)        i, j < k; or a constant, the time t, or a list of segments   (1)

For s = f(x), of a step x(t):

    s' = f_x x',    s'' = f_xx x'^2 + f_x x''                                                              (2)

The function `jet` is (1) with (2) for every operation; the kernels of all formulations are compiled from it.
"""

from __future__ import annotations

import cmath
import math
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from particlemech.errors import ModelError

Jet = tuple[float, float, float]  # value, first and second derivative in t
Segment = tuple[float, float, float, float, float, float, float, float]  # start c0 c1 c2 c3 a w phase
Step = tuple[int, int, int, Any]  # operation, i, j, constant or segments

CONSTANT, TIME = 0, 1
WORDS: tuple[str, ...] = (
    "constant",
    "t",
    "neg",
    "add",
    "sub",
    "mul",
    "div",
    "pow",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
)
WORDS = (*WORDS, "atan2", "sqrt", "exp", "log", "abs", "min", "max", "hypot")
NUMBER = {word: k for k, word in enumerate(WORDS)}
PIECES = len(WORDS)  # a list of segments, signals.py (1)
BENT = frozenset(NUMBER[word] for word in ("abs", "min", "max"))  # their rates jump
LONGEST = 400  # steps
NOTHING = (math.nan, math.nan, math.nan)


def jet(op: int, x: float, x1: float, x2: float, y: float, y1: float, y2: float) -> Jet:
    """Return value and derivatives of an operation on two steps, by (2); of one step, y is not looked at."""
    if op == 2:
        return -x, -x1, -x2
    if op == 3:
        return x + y, x1 + y1, x2 + y2
    if op == 4:
        return x - y, x1 - y1, x2 - y2
    if op == 5:
        return x * y, x1 * y + x * y1, x2 * y + 2.0 * x1 * y1 + x * y2
    if op == 6:
        q = x / y
        q1 = (x1 - q * y1) / y
        return q, q1, (x2 - 2.0 * q1 * y1 - q * y2) / y
    if op == 14:
        r = x * x + y * y
        a1 = (y * x1 - x * y1) / r
        return math.atan2(x, y), a1, (y * x2 - x * y2 - 2.0 * a1 * (x * x1 + y * y1)) / r
    if op == 19 or op == 20:
        first = x <= y if op == 19 else x >= y
        return (x, x1, x2) if first else (y, y1, y2)
    if op == 21:
        h = math.sqrt(x * x + y * y)
        h1 = (x * x1 + y * y1) / h
        return h, h1, (x1 * x1 + x * x2 + y1 * y1 + y * y2 - h1 * h1) / h
    f, fx, fxx = 0.0, 0.0, 0.0
    if op == 7:  # the power is a constant
        f, fx, fxx = x**y, 0.0, 0.0
        if y != 0.0:
            fx = y * x ** (y - 1.0)
        if y != 0.0 and y != 1.0:
            fxx = y * (y - 1.0) * x ** (y - 2.0)
    elif op == 8:
        f, fx = math.sin(x), math.cos(x)
        fxx = -f
    elif op == 9:
        f, fx = math.cos(x), -math.sin(x)
        fxx = -f
    elif op == 10:
        f = math.tan(x)
        fx = 1.0 + f * f
        fxx = 2.0 * f * fx
    elif op == 11 or op == 12:
        sign = 1.0 if op == 11 else -1.0
        f = math.asin(x) if op == 11 else math.acos(x)
        fx = sign / math.sqrt(1.0 - x * x)
        fxx = sign * x * (sign * fx) ** 3
    elif op == 13:
        f, fx = math.atan(x), 1.0 / (1.0 + x * x)
        fxx = -2.0 * x * fx * fx
    elif op == 15:
        f = math.sqrt(x)
        fx = 0.5 / f
        fxx = -0.5 * fx / x
    elif op == 16:
        f = math.exp(x)
        fx, fxx = f, f
    elif op == 17:
        f, fx = math.log(x), 1.0 / x
        fxx = -fx * fx
    elif op == 18:
        f, fx, fxx = abs(x), 1.0 if x >= 0.0 else -1.0, 0.0
    return f, fx * x1, fxx * x1 * x1 + fx * x2


def piece(segments: Sequence[Segment], t: float) -> Jet:
    """Return value, first and second derivative of the segment that has begun, by signals.py (1)."""
    start, c0, c1, c2, c3, a, w, phase = segments[max(bisect_right(segments, t, key=itemgetter(0)) - 1, 0)]
    tau = t - start if math.isfinite(start) else 0.0
    s, c = math.sin(w * tau + phase), math.cos(w * tau + phase)
    return (
        c0 + tau * (c1 + tau * (c2 + tau * c3)) + a * s,
        c1 + tau * (2.0 * c2 + tau * 3.0 * c3) + a * w * c,
        2.0 * c2 + 6.0 * c3 * tau - a * w * w * s,
    )


def run(steps: Sequence[Step], t: float) -> Jet:
    """Return value, first and second derivative at a time; not a number where there are none."""
    found: list[Jet] = []
    for op, i, j, c in steps:
        if op == CONSTANT:
            found.append((c, 0.0, 0.0))
        elif op == TIME:
            found.append((t, 1.0, 0.0))
        elif op == PIECES:
            found.append(piece(c, t))
        else:
            found.append(combined(op, found[i], found[j]))
    return found[-1]


def combined(op: int, x: Jet, y: Jet) -> Jet:
    """Return what `jet` does; not a number where there is none, as in kernels."""
    try:
        found = jet(op, *x, *y)
    except (ValueError, ZeroDivisionError, OverflowError):
        return NOTHING
    return NOTHING if any(isinstance(one, complex) for one in found) else found


class Tape:
    """Collects the steps of a function of time; equal ones are taken once."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._known: dict[Step, int] = {}

    def put(self, op: int, i: int = 0, j: int = 0, c: float = 0.0) -> Traced:
        """Return a step."""
        step = op, i, j, c
        if step not in self._known:
            if len(self.steps) >= LONGEST:
                raise ModelError(f"a function of time may have {LONGEST} operations; give a table")
            self._known[step] = len(self.steps)
            self.steps.append(step)
        return Traced(self, self._known[step])

    def constant(self, value: Any) -> Traced:
        """Return a value as a step."""
        return value if isinstance(value, Traced) else self.put(CONSTANT, c=float(value))


class Traced:
    """The result of a step, which records what is done to it."""

    def __init__(self, tape: Tape, at: int) -> None:
        self.tape, self.at = tape, at

    def applied(self, operation: str, values: Sequence[Any]) -> Traced:
        """Return the result of an operation on values, one of which is traced."""
        x, *others = (self.tape.constant(v) for v in values)
        if not others:
            return self.tape.put(NUMBER[operation], x.at, x.at)
        if operation == "pow" and isinstance(values[1], Traced):  # x^y = exp(y log x)
            log = self.applied("log", [x])
            return self.applied("exp", [self.applied("mul", [others[0], log])])
        for y in others:
            x = self.tape.put(NUMBER[operation], x.at, y.at)
        return x


# -- what is a segment already -----------------------------------------------------------------------------------------

Curve = tuple[tuple[float, ...], complex, float]  # c0 ... c3 of powers of t, and the sine Im(A exp(i w t)): A, w


def as_segment(steps: Sequence[Step]) -> Segment | None:
    """Return a tape as c0 + c1 t + c2 t^2 + c3 t^3 + a sin(w t + phase) where it is one; None: it is not."""
    curves: list[Curve | None] = []
    for op, i, j, c in steps:
        if op == CONSTANT:
            curves.append(((c,), 0j, 0.0))
        elif op == TIME:
            curves.append(((0.0, 1.0), 0j, 0.0))
        else:
            x, y = curves[i], curves[j]
            curves.append(None if x is None or y is None else _combined(WORDS[op], x, y))
    if curves[-1] is None:
        return None
    powers, a, w = curves[-1]
    c0, c1, c2, c3 = (*powers, 0.0, 0.0, 0.0, 0.0)[:4]
    return (0.0, c0, c1, c2, c3, abs(a), w if a else 0.0, cmath.phase(a) if a else 0.0)


def _combined(word: str, x: Curve, y: Curve) -> Curve | None:
    p, a, w = x
    q, b, v = y
    if word == "neg":
        return tuple(-c for c in p), -a, w
    if word in ("add", "sub"):
        sign = 1.0 if word == "add" else -1.0
        if a and b and w != v:
            return None
        n = max(len(p), len(q))
        total = tuple((p[k] if k < len(p) else 0.0) + sign * (q[k] if k < len(q) else 0.0) for k in range(n))
        return total, a + sign * b, w if a else v
    if word == "mul" and len(q) == 1 and not b:
        return tuple(c * q[0] for c in p), a * q[0], w
    if word == "mul" and len(p) == 1 and not a:
        return tuple(c * p[0] for c in q), b * p[0], v
    if word == "div" and len(q) == 1 and not b and q[0]:
        return tuple(c / q[0] for c in p), a / q[0], w
    if word == "mul" and not a and not b and len(p) + len(q) <= 5:
        return (
            tuple(
                math.fsum(p[k] * q[n - k] for k in range(len(p)) if 0 <= n - k < len(q))
                for n in range(len(p) + len(q) - 1)
            ),
            0j,
            0.0,
        )
    if word == "pow" and not a and len(p) == 2 and len(q) == 1 and q[0] in (2.0, 3.0):
        c0, c1 = p
        if q[0] == 2.0:
            return (c0 * c0, 2.0 * c0 * c1, c1 * c1), 0j, 0.0
        return (c0**3, 3.0 * c0 * c0 * c1, 3.0 * c0 * c1 * c1, c1**3), 0j, 0.0
    if word in ("sin", "cos") and not a and len(p) == 2:
        return (0.0,), cmath.rect(1.0, p[0] + (0.5 * math.pi if word == "cos" else 0.0)), p[1]
    return None
