"""The full cycles of a motion: the spans after which everything stands and moves as before.

Let S(t) be places, directions and rates of all parts, each beside the range of its kind. A cycle ends with the run, and
began at the last time t before at which

    |S(t) - S(end)| is least, (S(t) - S(end)) . S'(t) = 0, and no larger than RECURS                             (1)

Loads and efforts are not asked: they may have a period of their own. What does not recur, such as an engine that still
gathers speed, has cycles only by the full turns of an angle, or as the user says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq

from particlemech.analyses.measures.curves import SAME, Span, spline
from particlemech.analyses.measures.poles import anchored
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import shown

RECURS = 1e-4  # of the ranges: what has come back so far has come back; a spline of 30 samples per turn is that good
EXACT = 1e-7  # of the ranges: at a sample that is so near, the cycle begins there
STAYS = 1e-9  # of the farthest place from the origin, or the mechanism: ranges of places below it are rounding
GONE = 0.02  # of the farthest: it must have moved so far before it can come back


def whole(t: Array) -> Span:
    """Return the whole run as a span without cycles."""
    return Span(float(t[0]), float(t[-1]), 0, math.nan)


def recurring(result: Any) -> Span | None:
    """Return the span of all full cycles up to the end of a run, or None where it does not come back; (1)."""
    t = result.t
    if len(t) < 8:
        return None
    S = _states(result)
    gap = np.sqrt(np.max((S - S[-1]) ** 2, axis=1, initial=0.0))
    far = gap > GONE * max(float(gap.max()), 1e-300)
    if not far.any() or float(gap.max()) <= STAYS:
        return None
    curve: Any = spline(t, S)
    last = int(np.flatnonzero(far)[-1])
    minima = [k for k in range(last - 1, -1, -1) if gap[k] <= gap[k + 1] and (k == 0 or gap[k] < gap[k - 1])]
    for k in minima:
        if (at := _back(t, S, curve, k)) is not None:
            return _counted(t, S, curve, float(t[-1]) - at)
    return None


def _counted(t: Array, S: Array, curve: Any, period: float) -> Span:
    """Return the span of all cycles before the end that come back too."""
    end, start, cycles = float(t[-1]), float(t[-1]) - period, 1
    while end - (cycles + 1) * period >= t[0] - 1e-6 * period:
        k = int(np.argmin(np.abs(t - (start - period))))
        at = _back(t, S, curve, k)
        if at is None or abs(at - (start - period)) > 1e-3 * period:
            break
        start, cycles = at, cycles + 1
    return Span(start, end, cycles, (end - start) / cycles)


def _back(t: Array, S: Array, curve: Any, k: int) -> float | None:
    """Return the time near sample k at which all is as it is in the end, or None."""
    if float(np.max(np.abs(S[k] - S[-1]))) <= EXACT:
        return float(t[k])
    slope = curve.derivative()

    def along(at: float) -> float:
        return float((curve(at) - S[-1]) @ slope(at))

    low, high = float(t[max(k - 1, 0)]), float(t[min(k + 1, len(t) - 1)])
    if not along(low) < 0.0 < along(high):
        return None
    at = float(brentq(along, low, high, xtol=1e-15, rtol=1e-14))
    return at if float(np.max(np.abs(curve(at) - S[-1]))) <= RECURS else None


def _states(result: Any) -> Array:
    """Return places, speeds, directions and spins of all parts at the samples, each beside the range of its kind."""
    m, n = result.system.mechanism, len(result.t)
    places = [*(result[p] for p in m.points), *(anchored(result, b, 0) for b in m.bodies)]
    speeds = [*(result.velocity(p) for p in m.points), *(anchored(result, b, 1) for b in m.bodies)]
    if m.kind == "planar":
        angles = [result.angle(b) for b in m.bodies]
        directions = [np.stack([np.cos(a), np.sin(a)], axis=1) for a in angles]
    else:
        directions = [result.orientation(b).reshape(n, 9) for b in m.bodies]
    spins = [result.omega(b).reshape(n, -1) for b in m.bodies]
    kinds = [np.concatenate(kind, axis=1) for kind in (places, speeds, directions, spins)]
    ranges = [float(np.max(np.ptp(kind, axis=0), initial=0.0)) for kind in kinds]
    # and what stays where it is, as wheels on fixed centres, has places of no range but rounding
    farthest = float(np.max(np.abs(kinds[0]), initial=0.0))
    ranges[0] = max(ranges[0], STAYS * max(farthest, result.system.scale.length))
    # rates are compared with the way: what turns evenly has rates of no range but rounding
    ways = [ranges[0], max(ranges[1], ranges[0] / float(np.ptp(result.t))), 1.0]
    ways.append(max(ranges[3], 1.0 / float(np.ptp(result.t))))
    return np.concatenate([kind / max(way, 1e-300) for kind, way in zip(kinds, ways, strict=True)], axis=1)


def turned(t: Array, angle: Array, name: str) -> Span:
    """Return the span of all full turns of an angle (K,) before the end of a run."""
    sense = math.copysign(1.0, float(angle[-1] - angle[0]))
    turns = int(abs(float(angle[-1] - angle[0])) / math.tau + 1e-9)
    if not turns:
        raise ModelError(
            f'cycle: "{name}" makes {abs(float(angle[-1] - angle[0])) / math.tau:.4g} of a turn in this run, so there '
            "is no full cycle; run longer, or give the period or (start, end), s"
        )
    begin = float(angle[-1]) - sense * turns * math.tau
    k = int(np.argmin(np.abs(angle - begin)))
    if abs(float(angle[k]) - begin) <= 1e-9:
        start = float(t[k])
    else:
        curve: Any = spline(t, angle - begin)
        k = int(np.flatnonzero(sense * (angle - begin) > 0.0)[0])
        start = float(brentq(curve, t[k - 1], t[k], xtol=1e-15, rtol=1e-14))
    return Span(start, float(t[-1]), turns, (float(t[-1]) - start) / turns)


def said(t: Array, cycle: Any) -> Span:
    """Return the span of a period, s, or from a start to an end, s, as the user says."""
    wanted = f"the name of a driver or of an angle, a period or (start, end), s, got {shown(cycle)}"
    numbers = [cycle] if isinstance(cycle, (int, float)) else cycle
    if isinstance(cycle, bool) or not isinstance(numbers, Sequence) or isinstance(numbers, str):
        raise ModelError(f"cycle: expected {wanted}")
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in numbers) or len(numbers) not in (1, 2):
        raise ModelError(f"cycle: expected {wanted}")
    first, last = float(t[0]), float(t[-1])
    near = SAME * max(last - first, 1e-300)
    if len(numbers) == 1:
        period = float(numbers[0])
        if not period > 0.0:
            raise ModelError(f"cycle: expected {wanted}")
        count = int((last - first) / period + 1e-9)
        if not count:
            raise ModelError(f"cycle: a period of {period:g} s does not fit into the run of {last - first:g} s")
        return Span(last - count * period, last, count, period)
    start, end = (float(x) for x in numbers)
    if not first - near <= start < end <= last + near:
        raise ModelError(f"cycle: from {start:g} to {end:g} s is no part of the run from {first:g} to {last:g} s")
    return Span(max(start, first), min(end, last), 1, end - start)
