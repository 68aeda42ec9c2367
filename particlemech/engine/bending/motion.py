"""From coordinates to positions and velocities of all links, outward along the chain.

    R_{i+1} = R_i T,   T = E(Psi_end q) Rx(alpha_i) Rz(theta + phi*)       phi* = phi + dphi              (1)
    O_{i+1} = O_i + R_i (r_end + z travel)                                 z third axis of T              (2)
    omega_end  = omega_i + w_end                                           the frame that carries z       (3)
    omega_{i+1} = omega_end + z phi*'                                      or without the last, sliding   (4)
    v_{i+1} = v_i + omega_i x r_end + r_end' + omega_end x z travel + z travel'                           (5)

[G88] (2.1-6), (2.1-10) (errata). Everything is in axes of link i, and turned into those of link i + 1 at the end.
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.bending.links import FIXED, FLOATS
from particlemech.engine.bending.sections import place, section
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import back, cross, put, shifted, turn_by_quaternion
from particlemech.run.steps import copy


@kernel
def spread(u: Array, level: int, m: Tables, s: WorkArrays) -> None:
    """Write speeds (level 1) or their rates (level 2) of joints and links, (n_v,), to their work arrays."""
    for i in range(1, len(m.link)):
        g = m.joint[i]
        if g.u >= 0:
            s.x[i, level] = u[g.u]
        s.d[i, level] = u[g.du] if g.du >= 0 else 0.0
    for i in range(len(m.link)):
        f = m.link[i]
        for j in range(f.modes):
            s.q[f.modal + j, level] = u[f.u + j]


@kernel
def prescribed(moving: bool, m: Tables, s: WorkArrays) -> None:
    """Write phi of joints that are locked or driven; held still unless `moving`."""
    for i in range(1, len(m.link)):
        g = m.joint[i]
        if g.u < 0:
            s.x[i, 0], s.x[i, 1], s.x[i, 2] = g.position, 0.0, 0.0
        if g.signal >= 0:
            copy(s.sig[g.signal], s.x[i])
            if not moving:
                s.x[i, 1] = s.x[i, 2] = 0.0


@kernel
def coordinates(q: Array, m: Tables, s: WorkArrays) -> None:
    """Write the coordinates of joints and links in the work arrays."""
    for i in range(1, len(m.link)):
        g = m.joint[i]
        if g.q >= 0:
            s.x[i, 0] = q[g.q]
        s.d[i, 0] = q[g.dq] if g.dq >= 0 else 0.0
    for i in range(len(m.link)):
        f = m.link[i]
        for j in range(f.modes):
            s.q[f.modal + j, 0] = q[f.q + j]


@kernel
def ground(q: Array, u: Array, m: Tables, s: WorkArrays) -> None:
    """Fill R, O, omega, v of the base; its speeds are those of its origin and its angular velocity, global axes."""
    b = m.base[0]
    copy(b.turn, s.R[0])
    copy(b.place, s.O[0])
    put(s.omega[0], 0.0, 0.0, 0.0)
    put(s.v[0], 0.0, 0.0, 0.0)
    if b.state == FIXED:
        return
    copy(q[0:3], s.O[0])
    if b.state == FLOATS:
        for k in range(9):
            s.R[0, k] = 1.0 if k % 4 == 0 else 0.0
        turn_by_quaternion(s.R[0], q[3], q[4], q[5], q[6])
        x, y, z = back(s.R[0], u[3], u[4], u[5])
        put(s.omega[0], x, y, z)
    x, y, z = back(s.R[0], u[0], u[1], u[2])
    put(s.v[0], x, y, z)


@kernel
def outward(t: float, q: Array, u: Array, moving: bool, m: Tables, s: WorkArrays) -> None:
    """Fill all frames and places but those of loads and points: (1) to (5); with all rates zero unless `moving`."""
    signals(t, m.segment, m.signal, s.sig)
    prescribed(moving, m, s)
    coordinates(q, m, s)
    spread(u, 1, m, s)
    ground(q, u, m, s)
    frames(m, s)


@kernel
def frames(m: Tables, s: WorkArrays) -> None:
    """Fill the frames of all links beyond the base, and the places of stations and ends."""
    for i in range(len(m.link)):
        f = m.link[i]
        for k in range(f.first, f.last):
            place(k, m, s)
        place(f.end, m, s)
        section(f.end, m, s)
        w = s.w[f.end]
        put(s.end[i, 0], s.omega[i, 0] + w[0], s.omega[i, 1] + w[1], s.omega[i, 2] + w[2])  # (3)
        if i + 1 < len(m.link):
            onward(i, m, s)


@kernel
def product(A: Array, B: Array, out: Array) -> None:
    """Fill out = A B, all (9,), row by row."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j]


@noinline
def onward(i: int, m: Tables, s: WorkArrays) -> None:
    """Fill T of link i, and R, O, omega, v of the next."""
    f, g, T = m.link[i], m.joint[i + 1], s.T[i]
    product(s.E[f.end], f.twist, T)
    value, rate = s.x[i + 1, 0] + s.d[i + 1, 0], s.x[i + 1, 1] + s.d[i + 1, 1]
    if not g.slides:
        c, sine = math.cos(value), math.sin(value)
        for k in range(3):
            x, y = T[3 * k], T[3 * k + 1]
            T[3 * k], T[3 * k + 1] = c * x + sine * y, c * y - sine * x
    product(s.R[i], T, s.R[i + 1])  # (1)
    zx, zy, zz = T[2], T[5], T[8]
    w, r, u, end = s.omega[i], s.r[f.end], s.r_dot[f.end], s.end[i, 0]
    vx, vy, vz = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    vx, vy, vz = s.v[i, 0] + vx + u[0], s.v[i, 1] + vy + u[1], s.v[i, 2] + vz + u[2]
    wx, wy, wz = end[0], end[1], end[2]
    px, py, pz = r[0], r[1], r[2]
    if g.slides:
        px, py, pz = px + value * zx, py + value * zy, pz + value * zz
        x, y, z = cross(wx, wy, wz, zx, zy, zz)
        vx, vy, vz = vx + value * x + rate * zx, vy + value * y + rate * zy, vz + value * z + rate * zz  # (5)
    else:
        wx, wy, wz = wx + rate * zx, wy + rate * zy, wz + rate * zz  # (4)
    x, y, z = shifted(s.R[i], px, py, pz)
    put(s.O[i + 1], s.O[i, 0] + x, s.O[i, 1] + y, s.O[i, 2] + z)  # (2)
    x, y, z = back(T, wx, wy, wz)
    put(s.omega[i + 1], x, y, z)
    x, y, z = back(T, vx, vy, vz)
    put(s.v[i + 1], x, y, z)


@kernel
def rates(q: Array, u: Array, m: Tables, out: Array) -> None:
    """Fill q_dot (n_q,): speeds themselves, and e_dot = (0, omega) e/2 for the quaternion of the base."""
    floats = m.base[0].state == FLOATS
    for k in range(len(u)):
        out[k + 1 if floats and k >= 6 else k] = u[k]
    if floats:
        x, y, z = 0.5 * u[3], 0.5 * u[4], 0.5 * u[5]
        out[3] = -x * q[4] - y * q[5] - z * q[6]
        out[4] = x * q[3] + y * q[6] - z * q[5]
        out[5] = y * q[3] + z * q[4] - x * q[6]
        out[6] = z * q[3] + x * q[5] - y * q[4]


@kernel
def normalise(q: Array, m: Tables) -> None:
    """Bring the quaternion of the base back to length 1."""
    if m.base[0].state == FLOATS:
        n = (q[3] ** 2 + q[4] ** 2 + q[5] ** 2 + q[6] ** 2) ** -0.5
        for k in range(3, 7):
            q[k] *= n
