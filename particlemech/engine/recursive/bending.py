"""Bodies that bend: where their places and sections are, what they weigh, and how their modes are eliminated.

A part of a bending body has modal coordinates x_j, stages of the kind MODE. A place moves in axes of the part by

    r   = X + delta x - 1/2 e (x^T S x)                                                                 (1)
    r'  = sum shift_j x_j',   shift_j = delta_j - e (S x)_j                                             (2)
    r'' = sum shift_j x_j'' - e (x'^T S x')                                                             (3)

    E     = exp(theta~) = 1 + (1 - zB) theta~ + A theta~^2,   theta = psi x,   z = theta.theta          (4)
    w     = Gamma theta' = sum spin_j x_j'                    angular velocity of a section             (5)
    Gamma = 1 + A theta~ + B theta~^2                         the left Jacobian of rotations            (6)
    w'    = sum spin_j x_j'' + A' theta x theta' + B' theta x (theta x theta') + B theta' x (theta x theta')    (7)

    A = (1 - cos)/z,   B = (1 - sin/sqrt(z))/z,   A' = 2 A_z theta.theta',   B' = 2 B_z theta.theta'    (8)

e is the unit vector along the part and S_jk(X) the integral of delta_j'.delta_k' up to X: the axis keeps its length. In
(1) to first order in x, and in (4) E = 1 + theta~, they are [G88] (2.1-8), (2.1-3). Not used: 1 + theta~ itself, which
is a rotation for small theta only, so that energy would not be kept.

Range of validity: (1) is right to the second order of x, so forces are to the first and the stiffness of tension is
there. Of a cantilever under a force at its end, one part with the two cubics puts the end within 4e-5 of its length
where it is turned by 3 degrees, 1e-3 by 8, 5e-3 by 14, 3e-2 by 26; two parts are 7 times nearer, four 60 times.

What inertia needs, with m, J of stations at r and the rigid remainder, [G88] (A-61..63):

    F = sum m a_s,   M = sum r x m a_s + J (alpha + psi x'') + omega x J (omega + psi x')                (9)
    Q_j = sum m a_s.shift_j + psi_j.J (alpha + psi x'')                                                 (10)

A section with twists t_j = (spin_j, shift_j) hands what hangs on it, I a + p, over to the part and to its modes:

    U_j += X I t_j,   C_jk += t_j.I t_k,   bias_j += t_j.p       X moves a wrench from the section to O      (11)

Then modes go, the last first, as stages do in articulated.py, but for their inertia C among each other:

    x_j'' = (tau_j - bias_j - U_j.a - sum over k < j of C_jk x_k'')/D_j,   D_j = C_jj                        (12)
    I <- I - U_j U_j^T/D_j,   p <- p + U_j c,   bias_k <- bias_k + C_kj c,   c = (tau_j - bias_j)/D_j        (13)
    U_k <- U_k - C_kj U_j/D_j,   C_kl <- C_kl - C_kj C_jl/D_j                                               (14)
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, back, cross, dot, put, shifted

Five = tuple[float, float, float, float, float]


@kernel
def coefficients(z: float) -> Five:
    """Return 1 - zB, A, B, 2 A_z, 2 B_z of (4) to (8)."""
    if z > 1.0:
        A = (1.0 - math.cos(math.sqrt(z))) / z
        B = (1.0 - math.sin(math.sqrt(z)) / math.sqrt(z)) / z
        return 1.0 - z * B, A, B, (1.0 - 2.0 * A - z * B) / z, (A - 3.0 * B) / z
    A = B = A_z = B_z = 0.0
    # (-z)^k/(2k+2)! and (-z)^k/(2k+3)!: the closed forms lose digits here
    term, before = 0.5, 0.0
    for k in range(10):
        A += term
        B += term / (2 * k + 3)
        if k > 0:
            A_z -= k * before
            B_z -= k * before / (2 * k + 3)
        before = term / ((2 * k + 3) * (2 * k + 4))
        term = -z * before
    return 1.0 - z * B, A, B, 2.0 * A_z, 2.0 * B_z


# -- places and sections -----------------------------------------------------------------------------------------------


@noinline
def put_place(k: int, m: Tables, s: WorkArrays) -> None:
    """Fill at, at_dot, shift, left of a place; S and omega of its part, and its modal coordinates, are known."""
    p = m.place[k]
    b = m.body[p.body]
    g = m.link[b.link]
    n, e = b.modes, g.along
    x, y, z = p.x[0], p.x[1], p.x[2]
    vx = vy = vz = shortened = rate = 0.0
    for j in range(n):
        q, u, row = s.x[b.mode + j, 0], s.x[b.mode + j, 1], p.at + j
        Sq = Su = 0.0
        for i in range(n if g.stiffens else 0):
            S = m.short[p.pairs + j * n + i]
            Sq += S * s.x[b.mode + i, 0]
            Su += S * s.x[b.mode + i, 1]
        d = m.delta[row]
        put(s.shift[row], d[0] - e[0] * Sq, d[1] - e[1] * Sq, d[2] - e[2] * Sq)  # (2)
        shift = s.shift[row]
        x, y, z = x + d[0] * q, y + d[1] * q, z + d[2] * q
        vx, vy, vz = vx + shift[0] * u, vy + shift[1] * u, vz + shift[2] * u
        shortened += 0.5 * q * Sq
        rate += u * Su
    x, y, z = x - e[0] * shortened, y - e[1] * shortened, z - e[2] * shortened
    put(s.at[k], x, y, z)  # (1)
    put(s.at_dot[k], vx, vy, vz)
    o = s.omega[p.body]
    wx, wy, wz = back(s.S[p.body], o[0], o[1], o[2])
    tx, ty, tz = cross(wx, wy, wz, x, y, z)
    cx, cy, cz = cross(wx, wy, wz, tx + 2.0 * vx, ty + 2.0 * vy, tz + 2.0 * vz)
    put(s.left[k], cx - e[0] * rate, cy - e[1] * rate, cz - e[2] * rate)  # (3)


@noinline
def put_section(k: int, m: Tables, s: WorkArrays) -> None:
    """Fill E, w, w_left, spin of a place."""
    p = m.place[k]
    b = m.body[p.body]
    x = y = z = u = v = w = 0.0  # theta and theta'
    for j in range(b.modes):
        psi = m.psi[p.at + j]
        q, rate = s.x[b.mode + j, 0], s.x[b.mode + j, 1]
        x, y, z = x + psi[0] * q, y + psi[1] * q, z + psi[2] * q
        u, v, w = u + psi[0] * rate, v + psi[1] * rate, w + psi[2] * rate
    sine, A, B, A_z, B_z = coefficients(x * x + y * y + z * z)
    E = s.E[k]
    put(E[0:3], 1.0 - A * (y * y + z * z), A * x * y - sine * z, A * x * z + sine * y)  # (4)
    put(E[3:6], A * x * y + sine * z, 1.0 - A * (x * x + z * z), A * y * z - sine * x)
    put(E[6:9], A * x * z - sine * y, A * y * z + sine * x, 1.0 - A * (x * x + y * y))
    wx = wy = wz = 0.0
    for j in range(b.modes):
        row, rate = p.at + j, s.x[b.mode + j, 1]
        psi = m.psi[row]
        ax, ay, az = cross(x, y, z, psi[0], psi[1], psi[2])
        bx, by, bz = cross(x, y, z, ax, ay, az)
        spin = s.spin[row]
        put(spin, psi[0] + A * ax + B * bx, psi[1] + A * ay + B * by, psi[2] + A * az + B * bz)  # (6)
        wx, wy, wz = wx + spin[0] * rate, wy + spin[1] * rate, wz + spin[2] * rate
    put(s.w[k], wx, wy, wz)  # (5)
    ax, ay, az = cross(x, y, z, u, v, w)
    bx, by, bz = cross(x, y, z, ax, ay, az)
    cx, cy, cz = cross(u, v, w, ax, ay, az)
    along = x * u + y * v + z * w
    fA, fB = A_z * along, B_z * along
    put(s.w_left[k], fA * ax + fB * bx + B * cx, fA * ay + fB * by + B * cy, fA * az + fB * bz + B * cz)  # (7)


@noinline
def bend(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill the stations of a part; its frame and modal coordinates are known."""
    g = m.link[m.body[i].link]
    for k in range(g.first, g.last):
        put_place(k, m, s)


@noinline
def stand(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill the frame of a section, and its twists in global axes, from the part that it is on."""
    b = m.body[i]
    k, j = b.place, b.parent
    put_place(k, m, s)
    put_section(k, m, s)
    K, E, S, o = s.S[j], s.E[k], s.S[i], s.omega[j]
    for c in range(3):
        for e in range(3):
            S[3 * c + e] = K[3 * c] * E[e] + K[3 * c + 1] * E[3 + e] + K[3 * c + 2] * E[6 + e]
    dx, dy, dz = shifted(K, s.at[k, 0], s.at[k, 1], s.at[k, 2])
    put(s.d[i], dx, dy, dz)
    put(s.O[i], s.O[j, 0] + dx, s.O[j, 1] + dy, s.O[j, 2] + dz)
    put(s.r[i], 0.0, 0.0, 0.0)
    ux, uy, uz = shifted(K, s.w[k, 0], s.w[k, 1], s.w[k, 2])
    put(s.omega[i], o[0] + ux, o[1] + uy, o[2] + uz)
    vx, vy, vz = cross(o[0], o[1], o[2], dx, dy, dz)
    x, y, z = shifted(K, s.at_dot[k, 0], s.at_dot[k, 1], s.at_dot[k, 2])
    put(s.v[i], s.v[j, 0] + vx + x, s.v[j, 1] + vy + y, s.v[j, 2] + vz + z)
    x, y, z = cross(o[0], o[1], o[2], ux, uy, uz)
    ux, uy, uz = shifted(K, s.w_left[k, 0], s.w_left[k, 1], s.w_left[k, 2])
    put(s.c[i, 0:3], x + ux, y + uy, z + uz)
    x, y, z = shifted(K, s.left[k, 0], s.left[k, 1], s.left[k, 2])
    put(s.c[i, 3:6], x, y, z)
    for n in range(b.modes):
        row = m.place[k].at + n
        x, y, z = shifted(K, s.spin[row, 0], s.spin[row, 1], s.spin[row, 2])
        put(s.twist[row, 0:3], x, y, z)
        x, y, z = shifted(K, s.shift[row, 0], s.shift[row, 1], s.shift[row, 2])
        put(s.twist[row, 3:6], x, y, z)


# -- inertia -----------------------------------------------------------------------------------------------------------


@noinline
def own_bending_inertia(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill inertia, U and coupling of a part by itself."""
    b, I = m.body[i], s.inertia[i]
    g, n, S = m.link[b.link], b.modes, s.S[i]
    mass, cx, cy, cz = g.mass, g.moment[0], g.moment[1], g.moment[2]
    J = g.inertia
    xx, yy, zz, xy, xz, yz = J[0], J[4], J[8], J[1], J[2], J[5]
    for k in range(n * n):
        s.coupling[g.pairs + k] = 0.0
    for j in range(n):
        s.U[b.mode + j, :] = 0.0
    for k in range(g.first, g.last):
        p, r = m.place[k], s.at[k]
        x, y, z = r[0], r[1], r[2]
        mass, cx, cy, cz = mass + p.mass, cx + p.mass * x, cy + p.mass * y, cz + p.mass * z
        T = p.inertia
        xx, yy, zz = xx + T[0] + p.mass * (y * y + z * z), yy + T[4] + p.mass * (x * x + z * z), zz + T[8]
        zz += p.mass * (x * x + y * y)
        xy, xz, yz = xy + T[1] - p.mass * x * y, xz + T[2] - p.mass * x * z, yz + T[5] - p.mass * y * z
        for j in range(n):
            shift, psi, U = s.shift[p.at + j], m.psi[p.at + j], s.U[b.mode + j]
            hx, hy, hz = shifted(T, psi[0], psi[1], psi[2])
            fx, fy, fz = p.mass * shift[0], p.mass * shift[1], p.mass * shift[2]
            tx, ty, tz = cross(x, y, z, fx, fy, fz)
            put(U[0:3], U[0] + tx + hx, U[1] + ty + hy, U[2] + tz + hz)
            put(U[3:6], U[3] + fx, U[4] + fy, U[5] + fz)
            for l in range(j + 1):
                u, t = s.shift[p.at + l], m.psi[p.at + l]
                value = dot(fx, fy, fz, u[0], u[1], u[2]) + dot(hx, hy, hz, t[0], t[1], t[2])
                s.coupling[g.pairs + j * n + l] += value
    for j in range(n):
        U = s.U[b.mode + j]
        s.coupling[g.pairs + j * n + j] += s.held[b.mode + j]
        x, y, z = shifted(S, U[0], U[1], U[2])
        put(U[0:3], x, y, z)
        x, y, z = shifted(S, U[3], U[4], U[5])
        put(U[3:6], x, y, z)
        for l in range(j):
            s.coupling[g.pairs + l * n + j] = s.coupling[g.pairs + j * n + l]
    # into global axes: the columns of S J S^T are S J of the rows of S
    ax, ay, az = about(S, xx, yy, zz, xy, xz, yz, S[0], S[1], S[2])
    _, by, bz = about(S, xx, yy, zz, xy, xz, yz, S[3], S[4], S[5])
    _, _, dz = about(S, xx, yy, zz, xy, xz, yz, S[6], S[7], S[8])
    I[0], I[1], I[2], I[3], I[4], I[5] = ax, by, dz, ay, az, bz
    cx, cy, cz = shifted(S, cx, cy, cz)
    I[6], I[7], I[8] = 0.0, -cz, cy
    I[9], I[10], I[11] = cz, 0.0, -cx
    I[12], I[13], I[14] = -cy, cx, 0.0
    I[15] = I[16] = I[17] = mass
    I[18] = I[19] = I[20] = 0.0


@kernel
def about(
    S: Array, xx: float, yy: float, zz: float, xy: float, xz: float, yz: float, u: float, v: float, w: float
) -> Triple:
    """Return S J (u, v, w), J in axes of the part."""
    return shifted(S, xx * u + xy * v + xz * w, xy * u + yy * v + yz * w, xz * u + yz * v + zz * w)


@noinline
def bending_needs(i: int, moved: bool, m: Tables, s: WorkArrays, out: Array) -> None:
    """Fill p of a part and what its modes need, out (n_stage,), by (9) and (10); without accelerations unless `moved`.

    Loads on the part are taken off. With accelerations these are a of the frame and x_ddot of its modes.
    """
    b, p, S, o = m.body[i], s.p[i], s.S[i], s.omega[i]
    g, n = m.link[b.link], b.modes
    wx, wy, wz = back(S, o[0], o[1], o[2])
    ax = ay = az = lx = ly = lz = 0.0
    if moved:
        lx, ly, lz = back(S, s.a[i, 0], s.a[i, 1], s.a[i, 2])
        ax, ay, az = back(S, s.a[i, 3], s.a[i, 4], s.a[i, 5])
    for j in range(n):
        out[b.mode + j] = 0.0
    # the rigid remainder
    c = g.moment
    ux, uy, uz = cross(wx, wy, wz, c[0], c[1], c[2])
    vx, vy, vz = cross(wx, wy, wz, ux, uy, uz)
    x, y, z = cross(lx, ly, lz, c[0], c[1], c[2])
    fx, fy, fz = g.mass * ax + x + vx, g.mass * ay + y + vy, g.mass * az + z + vz
    tx, ty, tz = cross(c[0], c[1], c[2], ax, ay, az)
    hx, hy, hz = shifted(g.inertia, wx, wy, wz)
    x, y, z = cross(wx, wy, wz, hx, hy, hz)
    hx, hy, hz = shifted(g.inertia, lx, ly, lz)
    nx, ny, nz = tx + x + hx, ty + y + hy, tz + z + hz
    for k in range(g.first, g.last):
        q, r, left = m.place[k], s.at[k], s.left[k]
        x, y, z = cross(lx, ly, lz, r[0], r[1], r[2])
        x, y, z = ax + x + left[0], ay + y + left[1], az + z + left[2]
        Wx, Wy, Wz, Lx, Ly, Lz = wx, wy, wz, lx, ly, lz
        for j in range(n):
            psi, e = m.psi[q.at + j], b.mode + j
            Wx, Wy, Wz = Wx + psi[0] * s.x[e, 1], Wy + psi[1] * s.x[e, 1], Wz + psi[2] * s.x[e, 1]
            if moved:
                shift, rate = s.shift[q.at + j], s.x[e, 2]
                x, y, z = x + shift[0] * rate, y + shift[1] * rate, z + shift[2] * rate
                Lx, Ly, Lz = Lx + psi[0] * rate, Ly + psi[1] * rate, Lz + psi[2] * rate
        x, y, z = q.mass * x, q.mass * y, q.mass * z
        hx, hy, hz = shifted(q.inertia, Wx, Wy, Wz)
        ux, uy, uz = cross(wx, wy, wz, hx, hy, hz)
        hx, hy, hz = shifted(q.inertia, Lx, Ly, Lz)
        tx, ty, tz = cross(r[0], r[1], r[2], x, y, z)
        fx, fy, fz = fx + x, fy + y, fz + z
        nx, ny, nz = nx + tx + ux + hx, ny + ty + uy + hy, nz + tz + uz + hz
        for j in range(n):
            shift, psi = s.shift[q.at + j], m.psi[q.at + j]
            out[b.mode + j] += dot(x, y, z, shift[0], shift[1], shift[2]) + dot(hx, hy, hz, psi[0], psi[1], psi[2])
    x, y, z = shifted(S, nx, ny, nz)
    put(p[0:3], x - s.load[i, 0], y - s.load[i, 1], z - s.load[i, 2])
    x, y, z = shifted(S, fx, fy, fz)
    put(p[3:6], x - s.load[i, 3], y - s.load[i, 4], z - s.load[i, 5])


@noinline
def bending_energies(i: int, m: Tables, s: WorkArrays) -> tuple[float, float]:
    """Return the kinetic energy of a part and its potential in the field of gravity."""
    b, S, o, u = m.body[i], s.S[i], s.omega[i], s.v[i]
    g, n = m.link[b.link], b.modes
    wx, wy, wz = back(S, o[0], o[1], o[2])
    vx, vy, vz = back(S, u[0], u[1], u[2])
    c, mass = g.moment, g.mass
    tx, ty, tz = cross(wx, wy, wz, c[0], c[1], c[2])
    hx, hy, hz = shifted(g.inertia, wx, wy, wz)
    kinetic = dot(vx, vy, vz, 0.5 * mass * vx + tx, 0.5 * mass * vy + ty, 0.5 * mass * vz + tz)
    kinetic += 0.5 * dot(wx, wy, wz, hx, hy, hz)
    cx, cy, cz = c[0], c[1], c[2]
    for k in range(g.first, g.last):
        q, r, d = m.place[k], s.at[k], s.at_dot[k]
        x, y, z = cross(wx, wy, wz, r[0], r[1], r[2])
        x, y, z = vx + x + d[0], vy + y + d[1], vz + z + d[2]
        Wx, Wy, Wz = wx, wy, wz
        for j in range(n):
            psi, rate = m.psi[q.at + j], s.x[b.mode + j, 1]
            Wx, Wy, Wz = Wx + psi[0] * rate, Wy + psi[1] * rate, Wz + psi[2] * rate
        hx, hy, hz = shifted(q.inertia, Wx, Wy, Wz)
        kinetic += 0.5 * (q.mass * dot(x, y, z, x, y, z) + dot(Wx, Wy, Wz, hx, hy, hz))
        mass, cx, cy, cz = mass + q.mass, cx + q.mass * r[0], cy + q.mass * r[1], cz + q.mass * r[2]
    x, y, z = shifted(S, cx, cy, cz)
    O, G = s.O[i], m.gravity
    return kinetic, -dot(G[0], G[1], G[2], mass * O[0] + x, mass * O[1] + y, mass * O[2] + z)
