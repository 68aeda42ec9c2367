"""Where the places of a bending link are, in its axes, and how a section there is turned.

    r   = x + delta q - 1/2 e (q^T S q)                                                                 (1)
    r'  = sum shift_j q'_j,   shift_j = delta_j - e (S q)_j                                             (2)
    r'' = sum shift_j q''_j - e (q'^T S q')                                                             (3)

    E     = exp(theta~) = 1 + (1 - xB) theta~ + A theta~^2,   theta = psi q,   x = theta.theta          (4)
    w     = Gamma theta' = sum turn_j q'_j                    angular velocity, link axes               (5)
    Gamma = 1 + A theta~ + B theta~^2                         the left Jacobian of rotations            (6)
    w'    = sum turn_j q''_j + A' theta x theta' + B' theta x (theta x theta') + B theta' x (theta x theta')    (7)

    A = (1 - cos)/x,   B = (1 - sin/sqrt(x))/x,   A' = 2 A_x theta.theta',   B' = 2 B_x theta.theta'    (8)

e is the unit vector along the link and S_jk(x) the integral of delta_j'.delta_k' up to x: the axis keeps its length. In
(1) to first order in q, and in (4) E = 1 + theta~, they are [G88] (2.1-8), (2.1-3). Not used: 1 + theta~ itself, which
is a rotation for small theta only, so that energy would not be kept.

Range of validity: (1) is right to the second order of q, so forces are to the first and the stiffness of tension is
there. Of a cantilever under a force at its end, one link with the two cubics puts the end within 4e-5 of its length
where it is turned by 3 degrees, 1e-3 by 8, 5e-3 by 14, 3e-2 by 26; two sub-links are 7 times nearer, four 60 times.
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.vector_kernels import cross, put

Five = tuple[float, float, float, float, float]


@kernel
def coefficients(x: float) -> Five:
    """Return 1 - xB, A, B, 2 A_x, 2 B_x of (4) to (8)."""
    if x > 1.0:
        A = (1.0 - math.cos(math.sqrt(x))) / x
        B = (1.0 - math.sin(math.sqrt(x)) / math.sqrt(x)) / x
        return 1.0 - x * B, A, B, (1.0 - 2.0 * A - x * B) / x, (A - 3.0 * B) / x
    A = B = A_x = B_x = 0.0
    # (-x)^k/(2k+2)! and (-x)^k/(2k+3)!: the closed forms lose digits here
    term, before = 0.5, 0.0
    for k in range(10):
        A += term
        B += term / (2 * k + 3)
        if k > 0:
            A_x -= k * before
            B_x -= k * before / (2 * k + 3)
        before = term / ((2 * k + 3) * (2 * k + 4))
        term = -x * before
    return 1.0 - x * B, A, B, 2.0 * A_x, 2.0 * B_x


@noinline
def place(k: int, m: Tables, s: WorkArrays) -> None:
    """Fill r, r_dot, shift of a place, and c, which holds what turning does besides (3); omega of its link is known."""
    p = m.place[k]
    g = m.link[p.link]
    n, e = g.modes, g.along
    x, y, z = p.x[0], p.x[1], p.x[2]
    vx = vy = vz = shortened = rate = 0.0
    for j in range(n):
        q, u, row = s.q[g.modal + j, 0], s.q[g.modal + j, 1], p.at + j
        Sq = Su = 0.0
        for i in range(n if g.stiffens else 0):
            S = m.short[p.pairs + j * n + i]
            Sq += S * s.q[g.modal + i, 0]
            Su += S * s.q[g.modal + i, 1]
        d = m.delta[row]
        put(s.shift[row], d[0] - e[0] * Sq, d[1] - e[1] * Sq, d[2] - e[2] * Sq)  # (2)
        shift = s.shift[row]
        x, y, z = x + d[0] * q, y + d[1] * q, z + d[2] * q
        vx, vy, vz = vx + shift[0] * u, vy + shift[1] * u, vz + shift[2] * u
        shortened += 0.5 * q * Sq
        rate += u * Su
    x, y, z = x - e[0] * shortened, y - e[1] * shortened, z - e[2] * shortened
    put(s.r[k], x, y, z)  # (1)
    put(s.r_dot[k], vx, vy, vz)
    wx, wy, wz = s.omega[p.link, 0], s.omega[p.link, 1], s.omega[p.link, 2]
    tx, ty, tz = cross(wx, wy, wz, x, y, z)
    cx, cy, cz = cross(wx, wy, wz, tx + 2.0 * vx, ty + 2.0 * vy, tz + 2.0 * vz)
    put(s.c[k], cx - e[0] * rate, cy - e[1] * rate, cz - e[2] * rate)  # (3)


@noinline
def section(k: int, m: Tables, s: WorkArrays) -> None:
    """Fill E, w, b, turn of a place."""
    p = m.place[k]
    g = m.link[p.link]
    x = y = z = u = v = w = 0.0  # theta and theta'
    for j in range(g.modes):
        psi = m.psi[p.at + j]
        q, rate = s.q[g.modal + j, 0], s.q[g.modal + j, 1]
        x, y, z = x + psi[0] * q, y + psi[1] * q, z + psi[2] * q
        u, v, w = u + psi[0] * rate, v + psi[1] * rate, w + psi[2] * rate
    sine, A, B, A_x, B_x = coefficients(x * x + y * y + z * z)
    E = s.E[k]
    put(E[0:3], 1.0 - A * (y * y + z * z), A * x * y - sine * z, A * x * z + sine * y)  # (4)
    put(E[3:6], A * x * y + sine * z, 1.0 - A * (x * x + z * z), A * y * z - sine * x)
    put(E[6:9], A * x * z - sine * y, A * y * z + sine * x, 1.0 - A * (x * x + y * y))
    wx = wy = wz = 0.0
    for j in range(g.modes):
        row, rate = p.at + j, s.q[g.modal + j, 1]
        psi = m.psi[row]
        ax, ay, az = cross(x, y, z, psi[0], psi[1], psi[2])
        bx, by, bz = cross(x, y, z, ax, ay, az)
        turn = s.turn[row]
        put(turn, psi[0] + A * ax + B * bx, psi[1] + A * ay + B * by, psi[2] + A * az + B * bz)  # (6)
        wx, wy, wz = wx + turn[0] * rate, wy + turn[1] * rate, wz + turn[2] * rate
    put(s.w[k], wx, wy, wz)  # (5)
    ax, ay, az = cross(x, y, z, u, v, w)
    bx, by, bz = cross(x, y, z, ax, ay, az)
    cx, cy, cz = cross(u, v, w, ax, ay, az)
    along = x * u + y * v + z * w
    fA, fB = A_x * along, B_x * along
    put(s.b[k], fA * ax + fB * bx + B * cx, fA * ay + fB * by + B * cy, fA * az + fB * bz + B * cz)  # (7)
