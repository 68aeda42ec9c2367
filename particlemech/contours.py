"""Contours of cams, and how far what touches them is off: plain functions of numbers, from which kernels are compiled.

A follower is seen from its cam in polar coordinates: a roller's centre at the distance x and the angle phi from the
centre of the cam; a flat face by its distance x from there and the angle phi of its normal. The cam is made for one
follower: it moves by the lift S where the cam has turned by u. That follower is at A(x) along its way, in a direction
that leads its guide by B(x), so that for any pose

    u = sense (alpha + B(x) - phi),        gap = A(x) - S(u) = 0 where it touches                            (1)

    plain     A = p x                       B = 0                          a contour x = S(phi), or a face that slides
    offset    A^2 = x^2 - p^2               tan B = p/A                    a roller that slides, p to its left
    arm       cos(A/l) = (c^2 + l^2 - x^2)/(2 c l),  cos|B| = (c^2 + x^2 - l^2)/(2 c x)      a roller on an arm l
    face      cos(A/c) = (x - p)/c, A < 0   |B| = -A/c                     a face at p from its pivot

c is the distance of the pivot. The gap is a length whose gradient is the common normal, times a factor: so the
multiplier of (1) acts as the force at the contact does. S(u) is made of pieces from u_i on,

    S = c0 + c1 tau + ... + c7 tau^7 + a sin(w tau + phase),        tau = u - u_i                            (2)
"""

from __future__ import annotations

import math

PLAIN, OFFSET, ARM, FACE = range(4)  # forms of (1)
# plain comparisons in place of max: compiled into kernels that are called from several sides, it is not always linked
LEAST = 1e-16  # beside the whole: keeps roots of what Newton's method tries out from vanishing

Way = tuple[float, float, float, float, float, float]


def reached(form: int, p: float, length: float, c: float, side: float, x: float) -> Way:
    """Return A, A', A'', B, B', B'' of (1); side is the sign of B."""
    if form == OFFSET:
        s, least = x * x - p * p, LEAST * x * x
        A = math.sqrt(s if s > least else least)
        return A, x / A, -p * p / A**3, math.atan2(p, A), -p / (x * A), p * (A * A + x * x) / (x * x * A**3)
    if form == ARM:
        k = (c * c + length * length - x * x) / (2.0 * c * length)
        s = 1.0 - k * k
        s = math.sqrt(s if s > LEAST else LEAST)
        k1 = x / (c * length * s)
        j, j1 = (c * c + x * x - length * length) / (2.0 * c * x), (x * x - c * c + length * length) / (2.0 * c * x * x)
        r = 1.0 - j * j
        r = math.sqrt(r if r > LEAST else LEAST)
        b1, j2 = -j1 / r, (c * c - length * length) / (c * x**3)
        bend = (1.0 / (c * length) - k * k1 * k1) / s
        return (
            *(length * math.atan2(s, k), length * k1, length * bend),
            *(side * math.atan2(r, j), side * b1, -side * (j2 + j * b1 * b1) / r),
        )
    if form == FACE:
        k = (x - p) / c
        s = 1.0 - k * k
        s = math.sqrt(s if s > LEAST else LEAST)
        b, b1 = math.atan2(s, k), -1.0 / (c * s)
        b2 = -k * b1 * b1 / s
        return -c * b, -c * b1, -c * b2, side * b, side * b1, side * b2
    return p * x, p, 0.0, 0.0, 0.0, 0.0


def combined(way: Way, sense: float, S: float, S1: float, S2: float) -> Way:
    """Return the gap (1) and its derivatives by x, phi, x x, x phi and phi phi."""
    A, A1, A2, _, B1, B2 = way
    turn = sense * S1
    return A - S, A1 - turn * B1, turn, A2 - S2 * B1 * B1 - turn * B2, S2 * B1, -S2


def swept(u: float) -> float:
    """Return an angle within one turn, from 0 on."""
    return u - 2.0 * math.pi * math.floor(u / (2.0 * math.pi))


def raised(
    tau: float, c0: float, c1: float, c2: float, c3: float, c4: float, c5: float, c6: float, c7: float,
    a: float, w: float, phase: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Return (2) and its first and second derivative."""
    s, k = 0.0, 0.0
    if a != 0.0:
        s, k = a * math.sin(w * tau + phase), a * math.cos(w * tau + phase)
    value = c3 + tau * (c4 + tau * (c5 + tau * (c6 + tau * c7)))
    slope = 3.0 * c3 + tau * (4.0 * c4 + tau * (5.0 * c5 + tau * (6.0 * c6 + tau * 7.0 * c7)))
    bend = 6.0 * c3 + tau * (12.0 * c4 + tau * (20.0 * c5 + tau * (30.0 * c6 + tau * 42.0 * c7)))
    return (
        c0 + tau * (c1 + tau * (c2 + tau * value)) + s,
        c1 + tau * (2.0 * c2 + tau * slope) + w * k,
        2.0 * c2 + tau * bend - w * w * s,
    )


# -- in the plane: the way d from centre to follower, the normal n of a flat face, the x axis e of the cam -------------

Six = tuple[float, float, float, float, float, float]  # components of d, n and e, or derivatives by these


def sighted(flat: bool, at: Six) -> tuple[float, float, Six, Six]:
    """Return x and phi of (1), and their gradients by d, n and e.

    roller    x = |d|,   phi = angle(d) - angle(e)
    flat      x = n.d,   phi = angle(n) - angle(e)
    """
    dx, dy, nx, ny, ex, ey = at
    e2 = ex * ex + ey * ey
    if flat:
        n2 = nx * nx + ny * ny
        phi = math.atan2(ny, nx) - math.atan2(ey, ex)
        by_phi = (0.0, 0.0, -ny / n2, nx / n2, ey / e2, -ex / e2)
        return nx * dx + ny * dy, phi, (nx, ny, dx, dy, 0.0, 0.0), by_phi
    x = math.sqrt(dx * dx + dy * dy)
    phi = math.atan2(dy, dx) - math.atan2(ey, ex)
    by_phi = (-dy / (x * x), dx / (x * x), 0.0, 0.0, ey / e2, -ex / e2)
    return x, phi, (dx / x, dy / x, 0.0, 0.0, 0.0, 0.0), by_phi


def angled(x: float, y: float, ux: float, uy: float) -> tuple[float, float]:
    """Return how the gradient of the angle of (x, y) changes as it moves by u."""
    n = x * x + y * y
    xx, xy = 2.0 * x * y / (n * n), (y * y - x * x) / (n * n)
    return xx * ux + xy * uy, xy * ux - xx * uy


def inner(a: Six, b: Six) -> float:
    """Return the sum of products."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


def weighed(a: float, x: Six, b: float, y: Six) -> Six:
    """Return a x + b y."""
    return (
        *(a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]),
        *(a * x[3] + b * y[3], a * x[4] + b * y[4], a * x[5] + b * y[5]),
    )
