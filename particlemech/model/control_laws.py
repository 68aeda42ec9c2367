"""The laws of elements with states, as plain functions: kernels compile them, results and Python call them.

An element acts on a coordinate c of a joint by an effort f, and may own states z:

    f = h(t, c', y, y', z),   z' = g(t, c', y, y', z)         y: what it measures, s(t): its signal                 (1)

MOTOR, of direct current, n = reduction, k = constant, i = z0; k' is k in N m per ampere, V per rad/s:

    L i' = V - R i - n k' c',   f = n k i                                                                           (2)

CURVE, a table M(w) of moment over speed, both of the motor's shaft; u = s(t) is its throttle, held within -1 ... 1:

    f = n |u| sign(u) M(sign(u) n c')                                                                               (3)

PID, with r = s(t), e = r - y, integral z0, filter z1 (F, its time constant):

    f0 = kp e + z0 + D,   f = min(max(f0, lower), upper)                                                            (4)
    z0' = ki e + (f - f0)/T          back-calculation: T is the time in which the integral comes back               (5)
    D = kd x',  or  D = kd (x - z1)/F, F z1' = x - z1         x = e, or x = -y                                      (6)

A sampled PID holds f = z2 between its instants; at each, h being the time between them:

    D = kd (x - z1)/(F + h),  z1 <- z1 + h (x - z1)/(F + h)                                                         (7)
    z2 <- f of (4),  z0 <- z0 + h (ki e + (f - f0)/T)                                                               (8)
"""

from __future__ import annotations

from typing import Any

MOTOR, CURVE, PID, SAMPLED = range(4)
# numbers of a PID, after the kind
KP, KI, KD, LOWER, UPPER, BACK, FILTER, OF_ERROR, PERIOD = range(9)


def answer(
    kind: int, p: Any, s: float, s_dot: float, rate: float, y: float, y_dot: float, z: Any, first: int, out: Any
) -> float:
    """Return the effort f by (1) and fill the rates of the states, out[first:]; p are the numbers of the element."""
    if kind == MOTOR:
        if p[1] == 0.0:
            return float(p[2] * (s - p[3] * rate) / p[0])  # (2) without L
        out[first] = (s - p[0] * z[first] - p[3] * rate) / p[1]  # (2)
        return float(p[2] * z[first])
    if kind == CURVE:
        throttle = -1.0 if s < -1.0 else 1.0 if s > 1.0 else s
        side = -1.0 if throttle < 0.0 else 1.0
        n, points = p[0], int(p[1])
        w = side * n * rate
        k = 0
        while k < points - 2 and w > p[2 + 2 * (k + 1)]:
            k += 1
        w0, m0, w1, m1 = p[2 + 2 * k], p[3 + 2 * k], p[4 + 2 * k], p[5 + 2 * k]
        share = 0.0 if w < w0 else 1.0 if w > w1 else (w - w0) / (w1 - w0)
        return float(n * throttle * (m0 + share * (m1 - m0)))  # (3)
    if kind == SAMPLED:
        out[first] = out[first + 1] = out[first + 2] = 0.0
        return float(z[first + 2])
    e = s - y
    x, x_dot = (e, s_dot - y_dot) if p[OF_ERROR] > 0.0 else (-y, -y_dot)
    out[first + 1] = 0.0
    D = p[KD] * x_dot
    if p[FILTER] > 0.0:
        out[first + 1] = (x - z[first + 1]) / p[FILTER]
        D = p[KD] * out[first + 1]  # (6)
    f0 = p[KP] * e + z[first] + D
    f = p[LOWER] if f0 < p[LOWER] else p[UPPER] if f0 > p[UPPER] else f0  # (4)
    out[first] = p[KI] * e + (f - f0) * p[BACK]  # (5)
    return float(f)


def sampled(p: Any, s: float, y: float, z: Any) -> tuple[float, float, float]:
    """Return the states of a sampled PID just after one of its instants, (7) and (8)."""
    e = s - y
    x = e if p[OF_ERROR] > 0.0 else -y
    change = (x - z[1]) / (p[FILTER] + p[PERIOD])
    f0 = p[KP] * e + z[0] + p[KD] * change
    f = min(max(f0, p[LOWER]), p[UPPER])
    return z[0] + p[PERIOD] * (p[KI] * e + (f - f0) * p[BACK]), z[1] + p[PERIOD] * change, f
