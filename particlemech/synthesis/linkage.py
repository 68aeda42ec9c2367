"""Four-bars and slider-cranks as twelve numbers: where they are at an angle of the crank, and derivatives; compiled.

    O        pivot of the crank, A = O + a e(theta) its end; B the end of the rod, |B - A| = b
    C, c     of a four-bar: the other pivot, |B - C| = c
    delta, e of a slider-crank: B is on the line with this direction, at the distance e on its left from O
    u, v     the point P of the coupler, from A along AB and to the left of it
    theta0   crank angle where that of the task is 0; beta0, psi0: the same of the coupler and of the output

`side` is the assembly: of a four-bar +1 where B is on the left of A -> C, of a slider-crank where it is ahead of A
along the line. With tau, the angle of the crank since it points to C (or is most on the left of the line), mu, the
angle of transmission, follows from

    cos mu = k0 + k1 cos tau,    k1 > 0                                                                         (1)
    four-bar: k0 = (b^2 + c^2 - a^2 - d^2) / 2bc, k1 = ad / bc;   slider-crank: k0 = -e/b, k1 = a/b            (2)

and the crank can be where |cos mu| <= 1: all round, in one arc, or in two that are apart.
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.system import Array

OX, OY, CX, CY, A, B, C, U, V, THETA0, PSI0, BETA0 = range(12)
DELTA, E = CX, CY  # of a slider-crank
SIZE = 12  # numbers of a linkage; in derivatives the next column is that by the angle of the crank
NEAR = 1e-12  # of a square: rounding at the end of an arc

Place = tuple[bool, float, float, float, float, float, float]


@kernel
def place(x: Array, slider: bool, side: float, theta: float) -> Place:
    """Return whether it can be assembled, A, B, and the direction of the row that B has beside the rod's."""
    ax, ay = x[OX] + x[A] * math.cos(theta), x[OY] + x[A] * math.sin(theta)
    if slider:
        dx, dy = math.cos(x[DELTA]), math.sin(x[DELTA])
        rx, ry = ax - x[OX], ay - x[OY]
        across, along = -dy * rx + dx * ry, dx * rx + dy * ry
        rest = x[B] ** 2 - (across - x[E]) ** 2
        if rest < 0.0:
            return False, ax, ay, 0.0, 0.0, 0.0, 0.0
        s = along + side * math.sqrt(rest)
        return True, ax, ay, x[OX] + s * dx - x[E] * dy, x[OY] + s * dy + x[E] * dx, -dy, dx
    rx, ry = x[CX] - ax, x[CY] - ay
    rr = rx * rx + ry * ry
    k = 0.5 * (1.0 + (x[B] ** 2 - x[C] ** 2) / rr)
    rest = x[B] ** 2 / rr - k * k
    if not rest >= 0.0:
        return False, ax, ay, 0.0, 0.0, 0.0, 0.0
    h = side * math.sqrt(rest)
    bx, by = ax + k * rx - h * ry, ay + k * ry + h * rx
    return True, ax, ay, bx, by, bx - x[CX], by - x[CY]


@kernel
def side_of(x: Array, slider: bool, ax: float, ay: float, bx: float, by: float) -> float:
    """Return on which assembly A and B are."""
    if slider:
        value = math.cos(x[DELTA]) * (bx - ax) + math.sin(x[DELTA]) * (by - ay)
    else:
        value = (x[CX] - ax) * (by - ay) - (x[CY] - ay) * (bx - ax)
    return 1.0 if value >= 0.0 else -1.0


@kernel
def coupler(x: Array, ax: float, ay: float, bx: float, by: float) -> tuple[float, float, float]:
    """Return P and the angle of the coupler."""
    cx, sx = (bx - ax) / x[B], (by - ay) / x[B]
    return ax + x[U] * cx - x[V] * sx, ay + x[U] * sx + x[V] * cx, math.atan2(sx, cx)


@kernel
def output(x: Array, slider: bool, bx: float, by: float) -> float:
    """Return the angle of the rocker, or the travel of the slider."""
    if slider:
        return math.cos(x[DELTA]) * (bx - x[OX]) + math.sin(x[DELTA]) * (by - x[OY])
    return math.atan2(by - x[CY], bx - x[CX])


@kernel
def wrapped(angle: float) -> float:
    """Return an angle within half a turn either way."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@noinline
def differentiated(x: Array, slider: bool, side: float, theta: float, value: Array, J: Array) -> bool:
    """Fill value (4,) with P, the angle of the coupler and the output, and J (4, 13) with their derivatives.

    B follows from (B - A).(dB - dA) = b db and (B - C).(dB - dC) = c dc, or n.(dB - dO) = de + s d(delta).
    """
    there, ax, ay, bx, by, mx, my = place(x, slider, side, theta)
    ux, uy = bx - ax, by - ay
    det = ux * my - uy * mx
    if not there or abs(det) < 1e-14 * x[B] * x[B]:
        return False
    value[0], value[1], value[2] = coupler(x, ax, ay, bx, by)
    value[3] = output(x, slider, bx, by)
    ex, ey = math.cos(theta), math.sin(theta)
    dx, dy = math.cos(x[DELTA]), math.sin(x[DELTA])
    cx, sx = ux / x[B], uy / x[B]
    wx, wy = x[U] * cx - x[V] * sx, x[U] * sx + x[V] * cx  # P - A
    for k in range(SIZE + 1):
        px, py = 0.0, 0.0  # dA
        if k == OX:
            px = 1.0
        elif k == OY:
            py = 1.0
        elif k == A:
            px, py = ex, ey
        elif k == SIZE:
            px, py = -x[A] * ey, x[A] * ex
        f, g = ux * px + uy * py, 0.0
        if k == B:
            f += x[B]
        if slider:
            if k == OX:
                g = mx
            elif k == OY:
                g = my
            elif k == DELTA:
                g = value[3]
            elif k == E:
                g = 1.0
        elif k == CX:
            g = mx
        elif k == CY:
            g = my
        elif k == C:
            g = x[C]
        qx, qy = (my * f - uy * g) / det, (ux * g - mx * f) / det  # dB
        turn = (ux * (qy - py) - uy * (qx - px)) / (x[B] * x[B])
        J[0, k], J[1, k], J[2, k] = px - wy * turn, py + wx * turn, turn
        if slider:
            J[3, k] = dx * qx + dy * qy
            if k == OX:
                J[3, k] -= dx
            elif k == OY:
                J[3, k] -= dy
            elif k == DELTA:
                J[3, k] += x[E]
        else:
            if k == CX:
                qx -= 1.0
            elif k == CY:
                qy -= 1.0
            J[3, k] = (mx * qy - my * qx) / (mx * mx + my * my)
    # the length of the rod scales B - A, not the frame in which u and v are measured
    J[0, U], J[1, U], J[0, V], J[1, V] = cx, sx, -sx, cx
    return True


@kernel
def span(x: Array, slider: bool) -> tuple[float, float, float]:
    """Return the crank angle from which tau counts, k0 and k1 of (1)."""
    if slider:
        return x[DELTA] + 0.5 * math.pi, -x[E] / x[B], x[A] / x[B]
    rx, ry = x[CX] - x[OX], x[CY] - x[OY]
    dd, bc = rx * rx + ry * ry, 2.0 * x[B] * x[C]
    k0 = (x[B] ** 2 + x[C] ** 2 - x[A] ** 2 - dd) / bc
    return math.atan2(ry, rx), k0, 2.0 * x[A] * math.sqrt(dd) / bc


@kernel
def ends(k0: float, k1: float) -> tuple[bool, bool]:
    """Return whether the crank cannot be where tau is 0, and where it is half a turn."""
    return k0 + k1 > 1.0 + NEAR, k0 - k1 < -1.0 - NEAR


@kernel
def least_transmission(k0: float, k1: float, first: float, last: float) -> float:
    """Return the least angle of transmission, at most 90 degrees, for tau from first to last."""
    low, high = min(first, last), max(first, last)
    one, two = k0 + k1 * math.cos(low), k0 + k1 * math.cos(high)
    worst = max(abs(one), abs(two))
    if math.floor(high / (2.0 * math.pi)) >= math.ceil(low / (2.0 * math.pi)):
        worst = max(worst, abs(k0 + k1))
    if math.floor(high / (2.0 * math.pi) - 0.5) >= math.ceil(low / (2.0 * math.pi) - 0.5):
        worst = max(worst, abs(k0 - k1))
    return math.acos(min(worst, 1.0))
