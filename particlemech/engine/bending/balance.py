"""What inertia needs: accelerations outward, forces and moments inward.

Outward, in axes of link i; gravity is an acceleration of the base, as a falling lift has it:

    a_s = a + alpha x r + omega x (omega x r) + 2 omega x r' + r''         any place of a link              (1)
    alpha_end = alpha + w_end' + omega x w_end                                                              (2)
    alpha_{i+1} = alpha_end + z phi*'' + omega_end x z phi*'               turning                          (3)
    a_{i+1} = a_end + alpha_end x z d + omega_end x (omega_end x z d + 2 z d') + z d''      sliding by d    (4)

Inward, with m, J, c of stations, the remainder and the wrench of the next link:

    F = sum m a_s,   M = sum r x m a_s + J (alpha + psi q'') + omega x J (omega + psi q')                   (5)
    Q_j = sum m a_s.shift_j + psi_j.J (alpha + psi q'') + F_end.shift_end_j + M_end.turn_end_j              (6)

(5), (6) are Lagrange's equations of a link whose sections have the angular velocity omega + psi q' in its axes,
[G88] (A-61..63). The drive of a joint has its inertia about z only, and turns with phi, not with dphi:

    H = rotor (omega_end.z + phi'),   moment on the end frame  z H' + omega_end x z H                       (7)

that of a sliding joint is a mass on the axis, at z phi.
"""

from __future__ import annotations

from particlemech._jit import kernel, noinline
from particlemech.engine.bending.links import FLOATS
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, back, cross, dot, put, shifted


@kernel
def accelerate(heavy: float, m: Tables, s: WorkArrays) -> None:
    """Fill alpha and a of all links from second rates in the work arrays; `heavy` 1 with gravity, 0 without."""
    A, g = s.base[1], m.gravity
    x, y, z = back(s.R[0], s.base[0, 0], s.base[0, 1], s.base[0, 2])
    put(s.alpha[0], x, y, z)
    x, y, z = back(s.R[0], A[0] - heavy * g[0], A[1] - heavy * g[1], A[2] - heavy * g[2])
    put(s.a[0], x, y, z)
    for i in range(len(m.link)):
        f = m.link[i]
        k, at = f.end, m.place[f.end].at
        w, u, b = s.omega[i], s.w[k], s.b[k]
        x, y, z = cross(w[0], w[1], w[2], u[0], u[1], u[2])
        x, y, z = s.alpha[i, 0] + b[0] + x, s.alpha[i, 1] + b[1] + y, s.alpha[i, 2] + b[2] + z
        ax, ay, az = of_place(k, m, s)
        for j in range(f.modes):
            rate, turn = s.q[f.modal + j, 2], s.turn[at + j]
            x, y, z = x + turn[0] * rate, y + turn[1] * rate, z + turn[2] * rate
        put(s.end[i, 1], x, y, z)  # (2)
        put(s.end[i, 2], ax, ay, az)
        if i + 1 < len(m.link):
            hand_on(i, m, s)


@noinline
def of_place(k: int, m: Tables, s: WorkArrays) -> Triple:
    """Return (1) of a place."""
    p = m.place[k]
    f, alpha, a, r, c = m.link[p.link], s.alpha[p.link], s.a[p.link], s.r[k], s.c[k]
    x, y, z = cross(alpha[0], alpha[1], alpha[2], r[0], r[1], r[2])
    x, y, z = x + a[0] + c[0], y + a[1] + c[1], z + a[2] + c[2]
    for j in range(f.modes):
        rate, shift = s.q[f.modal + j, 2], s.shift[p.at + j]
        x, y, z = x + shift[0] * rate, y + shift[1] * rate, z + shift[2] * rate
    return x, y, z


@noinline
def slid(i: int, way: float, speed: float, rate: float, s: WorkArrays) -> Triple:
    """Return (4): the acceleration of what has slid by `way` along the axis at the end of link i."""
    T, w, alpha, a = s.T[i], s.end[i, 0], s.end[i, 1], s.end[i, 2]
    zx, zy, zz = T[2], T[5], T[8]
    x, y, z = cross(alpha[0], alpha[1], alpha[2], zx, zy, zz)
    ux, uy, uz = cross(w[0], w[1], w[2], zx, zy, zz)
    ux, uy, uz = way * ux + 2.0 * speed * zx, way * uy + 2.0 * speed * zy, way * uz + 2.0 * speed * zz
    cx, cy, cz = cross(w[0], w[1], w[2], ux, uy, uz)
    x, y, z = way * x + cx + rate * zx, way * y + cy + rate * zy, way * z + cz + rate * zz
    return a[0] + x, a[1] + y, a[2] + z


@noinline
def hand_on(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill alpha and a of the next link."""
    x, d, T = s.x[i + 1], s.d[i + 1], s.T[i]
    w, alpha, a = s.end[i, 0], s.end[i, 1], s.end[i, 2]
    speed, rate = x[1] + d[1], x[2] + d[2]
    ax, ay, az = a[0], a[1], a[2]
    bx, by, bz = alpha[0], alpha[1], alpha[2]
    if m.joint[i + 1].slides:
        ax, ay, az = slid(i, x[0] + d[0], speed, rate, s)
    else:
        cx, cy, cz = cross(w[0], w[1], w[2], T[2], T[5], T[8])
        bx, by, bz = bx + rate * T[2] + speed * cx, by + rate * T[5] + speed * cy, bz + rate * T[8] + speed * cz  # (3)
    bx, by, bz = back(T, bx, by, bz)
    put(s.alpha[i + 1], bx, by, bz)
    ax, ay, az = back(T, ax, ay, az)
    put(s.a[i + 1], ax, ay, az)


@kernel
def add(p: Array, mx: float, my: float, mz: float, fx: float, fy: float, fz: float) -> None:
    """Add a moment and a force to a wrench (6,)."""
    p[0] += mx
    p[1] += my
    p[2] += mz
    p[3] += fx
    p[4] += fy
    p[5] += fz


@noinline
def remainder(i: int, m: Tables, s: WorkArrays) -> None:
    """Add what the rigid remainder of a link needs to p."""
    f = m.link[i]
    c, w, alpha, a = f.moment, s.omega[i], s.alpha[i], s.a[i]
    ux, uy, uz = cross(w[0], w[1], w[2], c[0], c[1], c[2])
    vx, vy, vz = cross(w[0], w[1], w[2], ux, uy, uz)
    x, y, z = cross(alpha[0], alpha[1], alpha[2], c[0], c[1], c[2])
    tx, ty, tz = cross(c[0], c[1], c[2], a[0], a[1], a[2])
    hx, hy, hz = shifted(f.inertia, w[0], w[1], w[2])
    gx, gy, gz = cross(w[0], w[1], w[2], hx, hy, hz)
    hx, hy, hz = shifted(f.inertia, alpha[0], alpha[1], alpha[2])
    fx, fy, fz = f.mass * a[0] + x + vx, f.mass * a[1] + y + vy, f.mass * a[2] + z + vz
    add(s.p[i], tx + gx + hx, ty + gy + hy, tz + gz + hz, fx, fy, fz)


@noinline
def station(k: int, m: Tables, s: WorkArrays) -> None:
    """Add what the mass at a station needs to p and Q: (5), (6)."""
    p = m.place[k]
    i, J = p.link, p.inertia
    f, w, alpha, r = m.link[i], s.omega[i], s.alpha[i], s.r[k]
    ax, ay, az = of_place(k, m, s)
    fx, fy, fz = p.mass * ax, p.mass * ay, p.mass * az
    wx, wy, wz = w[0], w[1], w[2]
    bx, by, bz = alpha[0], alpha[1], alpha[2]
    for j in range(f.modes):
        psi, u = m.psi[p.at + j], s.q[f.modal + j]
        wx, wy, wz = wx + psi[0] * u[1], wy + psi[1] * u[1], wz + psi[2] * u[1]
        bx, by, bz = bx + psi[0] * u[2], by + psi[1] * u[2], bz + psi[2] * u[2]
    hx, hy, hz = shifted(J, wx, wy, wz)
    bx, by, bz = shifted(J, bx, by, bz)
    gx, gy, gz = cross(w[0], w[1], w[2], hx, hy, hz)
    tx, ty, tz = cross(r[0], r[1], r[2], fx, fy, fz)
    add(s.p[i], tx + bx + gx, ty + by + gy, tz + bz + gz, fx, fy, fz)
    for j in range(f.modes):
        shift, psi = s.shift[p.at + j], m.psi[p.at + j]
        of_mass = dot(fx, fy, fz, shift[0], shift[1], shift[2])
        s.Q[f.modal + j] += of_mass + dot(bx, by, bz, psi[0], psi[1], psi[2])


@noinline
def drive(i: int, m: Tables, s: WorkArrays, out: Array) -> float:
    """Add what the drive of the next joint needs to a wrench on the end of link i (6,); return its part along phi."""
    g, x, T = m.joint[i + 1], s.x[i + 1], s.T[i]
    w, alpha = s.end[i, 0], s.end[i, 1]
    zx, zy, zz = T[2], T[5], T[8]
    if g.slides:
        ax, ay, az = slid(i, x[0], x[1], x[2], s)
        fx, fy, fz = g.rotor * ax, g.rotor * ay, g.rotor * az
        tx, ty, tz = cross(zx, zy, zz, fx, fy, fz)
        add(out, x[0] * tx, x[0] * ty, x[0] * tz, fx, fy, fz)
        return dot(fx, fy, fz, zx, zy, zz)
    H = g.rotor * (dot(w[0], w[1], w[2], zx, zy, zz) + x[1])
    rate = g.rotor * (dot(alpha[0], alpha[1], alpha[2], zx, zy, zz) + x[2])
    tx, ty, tz = cross(w[0], w[1], w[2], zx, zy, zz)
    add(out, rate * zx + H * tx, rate * zy + H * ty, rate * zz + H * tz, 0.0, 0.0, 0.0)  # (7)
    return rate


@noinline
def taken(i: int, m: Tables, s: WorkArrays) -> None:
    """Add what the next link needs to p and Q of link i, and note what its joint needs."""
    f, g, T, p = m.link[i], m.joint[i + 1], s.T[i], s.p[i + 1]
    mx, my, mz = shifted(T, p[0], p[1], p[2])
    fx, fy, fz = shifted(T, p[3], p[4], p[5])
    along = dot(mx, my, mz, T[2], T[5], T[8])
    if g.slides:
        along = dot(fx, fy, fz, T[2], T[5], T[8])
        way = s.x[i + 1, 0] + s.d[i + 1, 0]
        tx, ty, tz = cross(T[2], T[5], T[8], fx, fy, fz)
        mx, my, mz = mx + way * tx, my + way * ty, mz + way * tz
    s.need[i + 1, 0] = s.need[i + 1, 1] = along
    wrench = s.wrench
    put(wrench[0:3], mx, my, mz)
    put(wrench[3:6], fx, fy, fz)
    if g.rotor > 0.0:
        s.need[i + 1, 0] += drive(i, m, s, wrench)
    mx, my, mz, fx, fy, fz = wrench[0], wrench[1], wrench[2], wrench[3], wrench[4], wrench[5]
    r, at = s.r[f.end], m.place[f.end].at
    tx, ty, tz = cross(r[0], r[1], r[2], fx, fy, fz)
    add(s.p[i], mx + tx, my + ty, mz + tz, fx, fy, fz)
    for j in range(f.modes):
        shift, turn = s.shift[at + j], s.turn[at + j]
        of_force = dot(fx, fy, fz, shift[0], shift[1], shift[2])
        s.Q[f.modal + j] += of_force + dot(mx, my, mz, turn[0], turn[1], turn[2])


@kernel
def transmit(m: Tables, s: WorkArrays) -> None:
    """Fill p, Q and need of all links, from the last inward; loads are already in the work arrays."""
    for i in range(len(m.link) - 1, -1, -1):
        f = m.link[i]
        for k in range(6):
            s.p[i, k] = -s.load[i, k]
        for j in range(f.modal, f.modal + f.modes):
            s.Q[j] = -s.pull[j]
        remainder(i, m, s)
        for k in range(f.first, f.last):
            station(k, m, s)
        if i + 1 < len(m.link):
            taken(i, m, s)


@kernel
def gathered(m: Tables, s: WorkArrays, out: Array) -> None:
    """Fill what the free speeds need, (n_v,): in the base, joints and links."""
    b, p = m.base[0], s.p[0]
    if b.state > 0:
        x, y, z = shifted(s.R[0], p[3], p[4], p[5])
        put(out[0:3], x, y, z)
    if b.state == FLOATS:
        x, y, z = shifted(s.R[0], p[0], p[1], p[2])
        put(out[3:6], x, y, z)
    for i in range(len(m.link)):
        f, g = m.link[i], m.joint[i]
        if g.u >= 0:
            out[g.u] = s.need[i, 0]
        if g.du >= 0:
            out[g.du] = s.need[i, 1]
        for j in range(f.modes):
            out[f.u + j] = s.Q[f.modal + j]
