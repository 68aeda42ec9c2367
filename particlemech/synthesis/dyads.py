"""Dyads that hold a body in given poses: a point of the body stays at one distance from a centre; compiled.

Pose j is a place P_j and an angle; against the first pose, as complex numbers,

    D_j = P_j - P_0,   E_j = exp(i (angle_j - angle_0)),   X_j = P_0 + D_j + E_j q                              (1)

is where the point X_0 = P_0 + q of the body is. It stays at its distance from the centre P_0 + G if, for all j,

    |D_j + E_j q - G|^2 = |q - G|^2                                                                              (2)

With s = conj(G) q this is linear in (s, G) and in q: five poses give s and G as affine functions of q and conj(q),

    G = g0 + g1 q + g2 conj(q),   s = s0 + s1 q + s2 conj(q)                                                     (3)

and what is left, conj(G) q = s, is linear in conj(q) = N(q)/D(q); put into its own conjugate it is of fourth degree:

    N D (g0 - conj(s1) + g1 q) + g2 N^2 = (conj(s0) + conj(s2) q) D^2                                            (4)

Those roots at which N/D is the conjugate of q are the up to four Burmester pairs. Three places of a point on one line
have their centre at infinity: with F_j = E_j - 1 this is a circle of slider points,

    k |q|^2 + Im(h q) + m = 0,   k = Im(conj(F_1) F_2),  h = conj(D_1) F_2 - conj(D_2) F_1,  m = Im(conj(D_1) D_2)  (5)

and the circles of four poses meet in a pole, where the first two places are one, and in one slider point.
"""

from __future__ import annotations

import cmath

from particlemech._jit import kernel, noinline
from particlemech.engine.system import Array

FLAT = 1e-11  # pivots smaller than this are none
REAL = 1e-4  # how far N/D may be from the conjugate, before Newton's method, in sizes
SAME = 1e-7  # roots nearer than this are one
ROUNDS = 60  # of the search for roots
MOST = 4  # dyads of five poses


@noinline
def solved(M: Array, n: int, columns: int) -> bool:
    """Solve M[:n, :n] X = M[:n, n:columns] in place, the result in its columns; whether M is regular."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(M[i, k]) > abs(M[best, k]):
                best = i
        if not abs(M[best, k]) > FLAT:
            return False
        for j in range(columns):
            M[k, j], M[best, j] = M[best, j], M[k, j]
        for i in range(n):
            if i != k:
                f = M[i, k] / M[k, k]
                for j in range(k, columns):
                    M[i, j] -= f * M[k, j]
    for k in range(n):
        for j in range(n, columns):
            M[k, j] /= M[k, k]
    return True


@noinline
def roots_of_four(c: Array, z: Array) -> int:
    """Fill z with the roots of c[0] + ... + c[4] z^4, by Weierstrass' iteration; return how many there are."""
    size = 0.0
    for k in range(5):
        size = max(size, abs(c[k]))
    degree = 4
    while degree > 0 and not abs(c[degree]) > 1e-13 * size:
        degree -= 1
    for k in range(degree):
        z[k] = (0.4 + 0.9j) ** k
    for _ in range(ROUNDS):
        moved = 0.0
        for k in range(degree):
            value = c[degree]
            below = c[degree]
            for j in range(degree - 1, -1, -1):
                value = value * z[k] + c[j]
            for j in range(degree):
                if j != k:
                    below = below * (z[k] - z[j])
            if abs(below) > 0.0:
                step = value / below
                z[k] -= step
                moved = max(moved, abs(step) / (1.0 + abs(z[k])))
        if moved < 1e-15:
            break
    return degree


@noinline
def _affine(D: Array, E: Array, M: Array, g: Array) -> bool:
    """Fill g with g0, g1, g2, s0, s1, s2 of (3); whether there are such numbers."""
    for j in range(4):
        e, d = E[j + 1], D[j + 1]
        h = d.conjugate() * e
        M[j, 0], M[j, 1] = -2.0 * (e.real - 1.0), 2.0 * e.imag
        M[j, 2], M[j, 3] = -2.0 * d.real, -2.0 * d.imag
        M[j, 4], M[j, 5] = -2.0 * h.real, 2.0 * h.imag
        M[j, 6] = -(d.real * d.real + d.imag * d.imag)
    if not solved(M, 4, 7):
        return False
    for k in range(2):  # 0: G in rows 2 and 3, 1: s in rows 0 and 1
        r = 2 - 2 * k
        g[3 * k] = complex(M[r, 6], M[r + 1, 6])
        g[3 * k + 1] = 0.5 * complex(M[r, 4] + M[r + 1, 5], M[r + 1, 4] - M[r, 5])
        g[3 * k + 2] = 0.5 * complex(M[r, 4] - M[r + 1, 5], M[r + 1, 4] + M[r, 5])
    return True


@kernel
def _quartic(g: Array, c: Array) -> None:
    """Fill c with the coefficients of (4)."""
    g0, g1, g2, s0, s1, s2 = g[0], g[1], g[2], g[3], g[4], g[5]
    n0, n1, n2 = s0, s1 - g0.conjugate(), -g2.conjugate()
    d0, d1 = -s2, g1.conjugate()
    a0, a1 = g0 - s1.conjugate(), g1
    b0, b1 = s0.conjugate(), s2.conjugate()
    p0, p1, p2, p3 = n0 * d0, n0 * d1 + n1 * d0, n1 * d1 + n2 * d0, n2 * d1
    c[0] = p0 * a0 + g2 * n0 * n0 - b0 * d0 * d0
    c[1] = p1 * a0 + p0 * a1 + 2.0 * g2 * n0 * n1 - b1 * d0 * d0 - 2.0 * b0 * d0 * d1
    c[2] = p2 * a0 + p1 * a1 + g2 * (n1 * n1 + 2.0 * n0 * n2) - b0 * d1 * d1 - 2.0 * b1 * d0 * d1
    c[3] = p3 * a0 + p2 * a1 + 2.0 * g2 * n1 * n2 - b1 * d1 * d1
    c[4] = p3 * a1 + g2 * n2 * n2


@noinline
def _polished(g: Array, q: complex, size: float) -> tuple[complex, bool]:
    """Return the real solution of conj(G) q = s next to q, by Newton's method, and whether it is one."""
    g1, g2, s1, s2 = g[1], g[2], g[4], g[5]
    moved = 1e9
    for _ in range(12):
        w = q.conjugate()
        G = g[0] + g1 * q + g2 * w
        f = G.conjugate() * q - (g[3] + s1 * q + s2 * w)
        # df = A dq + B conj(dq)
        A = G.conjugate() + g2.conjugate() * q - s1
        B = g1.conjugate() * q - s2
        det = abs(A) ** 2 - abs(B) ** 2
        if det == 0.0:
            return q, False
        step = -(A.conjugate() * f - B * f.conjugate()) / det
        q += step
        before, moved = moved, abs(step) / (size + abs(q))
        if moved < 1e-15 or (moved < 1e-12 and moved >= before):
            return q, True
    return q, moved < 1e-10


@noinline
def of_five(D: Array, E: Array, size: float, M: Array, work: Array, q: Array, G: Array) -> int:
    """Fill q and G with the Burmester pairs of five poses; return how many there are, -1 if (3) has no solution.

    D, E are those of (1), (5,), `size` is a length to compare with; M (4, 7) and work (15,) complex are free to use.
    """
    g, c, z = work[:6], work[6:11], work[11:15]
    if not _affine(D, E, M, g):
        return -1
    _quartic(g, c)
    found = 0
    for k in range(roots_of_four(c, z)):
        at = z[k]
        if not abs(at) < 1e6 * size:
            continue
        below = g[1].conjugate() * at - g[5]
        above = g[3] + (g[4] - g[0].conjugate()) * at - g[2].conjugate() * at * at
        if not abs(above - below * at.conjugate()) <= REAL * (size + abs(at)) * abs(below):
            continue
        at, real = _polished(g, at, size)
        for j in range(found):
            real = real and abs(at - q[j]) > SAME * (size + abs(at))
        if real:
            q[found] = at
            G[found] = g[0] + g[1] * at + g[2] * at.conjugate()
            found += 1
    return found


@noinline
def _line(M: Array, order: Array) -> bool:
    """Solve four equations in five unknowns, M (4, 6), in place: unknown order[k] is M[k, 5] + M[k, 4] t, k < 4.

    The last, order[4], is t itself.
    """
    for k in range(5):
        order[k] = k
    for k in range(4):
        row, column, best = k, k, 0.0
        for i in range(k, 4):
            for j in range(k, 5):
                if abs(M[i, j]) > best:
                    row, column, best = i, j, abs(M[i, j])
        if not best > FLAT:
            return False
        for j in range(6):
            M[k, j], M[row, j] = M[row, j], M[k, j]
        for i in range(4):
            M[i, k], M[i, column] = M[i, column], M[i, k]
        order[k], order[column] = order[column], order[k]
        for i in range(4):
            if i != k:
                f = M[i, k] / M[k, k]
                for j in range(k, 6):
                    M[i, j] -= f * M[k, j]
    for k in range(4):
        M[k, 5] /= M[k, k]
        M[k, 4] /= -M[k, k]
    return True


@noinline
def of_slides(D: Array, E: Array, size: float, M: Array, order: Array, work: Array, q: Array, G: Array) -> int:
    """Fill q and G with the pairs of five poses that are moved along x only; return how many, -1 if there is no line.

    (2) then holds the real part of G only: u, v, Re G and q are on a line with the parameter t, and
    Re(s conj(q)) = Re G |q|^2 is of third degree in t.
    """
    for j in range(4):
        e, d = E[j + 1], D[j + 1].real
        M[j, 0], M[j, 1], M[j, 2] = -2.0 * (e.real - 1.0), 2.0 * e.imag, -2.0 * d
        M[j, 3], M[j, 4], M[j, 5] = 2.0 * d * e.real, -2.0 * d * e.imag, -d * d
    if not _line(M, order):
        return -1
    c, z = work[6:11], work[11:15]
    for k in range(5):  # unknown k is work[k] = its value where t = 0, and i times its slope
        work[order[k]] = 1j if k == 4 else complex(M[k, 5], M[k, 4])
        c[k] = 0j
    u, v, g, x, y = work[0], work[1], work[2], work[3], work[4]
    c[0] += u.real * x.real + v.real * y.real
    c[1] += u.real * x.imag + u.imag * x.real + v.real * y.imag + v.imag * y.real
    c[2] += u.imag * x.imag + v.imag * y.imag
    r0, r1, r2 = x.real**2 + y.real**2, 2.0 * (x.real * x.imag + y.real * y.imag), x.imag**2 + y.imag**2
    c[0] -= g.real * r0
    c[1] -= g.real * r1 + g.imag * r0
    c[2] -= g.real * r2 + g.imag * r1
    c[3] -= g.imag * r2
    found = 0
    for k in range(roots_of_four(c, z)):
        t = z[k].real
        if not abs(z[k].imag) < REAL * (1.0 + abs(t)):
            continue
        for _ in range(8):
            slope = c[1].real + t * (2.0 * c[2].real + 3.0 * t * c[3].real)
            t -= (c[0].real + t * (c[1].real + t * (c[2].real + t * c[3].real))) / slope
        at, s = complex(x.real + t * x.imag, y.real + t * y.imag), complex(u.real + t * u.imag, v.real + t * v.imag)
        real = 0.0 < abs(at) < 1e6 * size
        for j in range(found):
            real = real and abs(at - q[j]) > SAME * (size + abs(at))
        if real:
            q[found], G[found] = at, (s / at).conjugate()
            found += 1
    return found


@kernel
def centre(D: Array, E: Array, q: complex) -> tuple[complex, bool]:
    """Return the centre of the circle through the first three places of a point q, and whether there is one."""
    u = D[1] + (E[1] - 1.0) * q
    v = D[2] + (E[2] - 1.0) * q
    area = u.real * v.imag - u.imag * v.real
    if not abs(area) > FLAT * (abs(u) ** 2 + abs(v) ** 2):
        return q, False
    # |c|^2 = |c - u|^2 = |c - v|^2
    uu, vv = 0.5 * abs(u) ** 2, 0.5 * abs(v) ** 2
    return q + complex(uu * v.imag - vv * u.imag, vv * u.real - uu * v.real) / area, True


@kernel
def circle_of_sliders(D: Array, E: Array, i: int, j: int) -> tuple[float, complex, float]:
    """Return k, h, m of (5) for the first pose and poses i and j."""
    Fi, Fj = E[i] - 1.0, E[j] - 1.0
    k = (Fi.conjugate() * Fj).imag
    h = D[i].conjugate() * Fj - D[j].conjugate() * Fi
    return k, h, (D[i].conjugate() * D[j]).imag


@kernel
def slider_of_three(D: Array, E: Array, direction: complex) -> tuple[complex, bool]:
    """Return the slider point of three poses in a direction from the centre of their circle."""
    k, h, m = circle_of_sliders(D, E, 1, 2)
    if not abs(k) > FLAT:
        return direction, False
    middle = -complex(h.imag, h.real) / (2.0 * k)
    r = abs(middle) ** 2 - m / k
    return middle + (max(r, 0.0) ** 0.5) * direction, r >= 0.0


@kernel
def slider_of_four(D: Array, E: Array) -> tuple[complex, bool]:
    """Return the slider point of four poses: on the radical line of two circles, which goes through a pole."""
    first = 1
    for j in range(2, 4):
        if abs(E[j] - 1.0) > abs(E[first] - 1.0):
            first = j
    i = 2 if first == 1 else 1
    j = 6 - first - i
    k1, h1, _ = circle_of_sliders(D, E, first, i)
    k2, h2, _ = circle_of_sliders(D, E, first, j)
    H = k2 * h1 - k1 * h2
    if not (abs(H) > 0.0 and abs(E[first] - 1.0) > FLAT and abs(k1) > FLAT):
        return H, False
    pole = -D[first] / (E[first] - 1.0)
    t = H.conjugate() / abs(H)
    along = 2.0 * (pole.conjugate() * t).real + (h1 * t).imag / k1
    return pole - along * t, True


@kernel
def against_first(P: Array, angle: Array, n: int, D: Array, E: Array) -> None:
    """Fill D and E of (1)."""
    for j in range(n):
        D[j] = P[j] - P[0]
        E[j] = cmath.exp(1j * (angle[j] - angle[0]))
