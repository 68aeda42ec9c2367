"""From coordinates to positions and velocities of all bodies, outward along the chains.

S0I = S0K SKI                              shifters, the chain rule [P72] (1.13), (1.18)             (1)
O_i = O_k + d,  d = S0K xi + sum a x       point of the joint; the travel of its sliding stages      (2)
omega_i = omega_k + sum a x_dot            [P72] (1.24), (2.2) (errata)                              (3)
v_i = v_k + omega_k x d + sum a x_dot      of O                                                      (4)
a_dot = omega_carrier x a                  an axis turns with the frame that carries it              (5)
c     = what is left of the relative acceleration when all speeds are steady                         (6)
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.bending import bend, stand
from particlemech.engine.recursive.tables import SPIN, TRAVEL, Tables, WorkArrays
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, put, shifted, turn, turn_by_quaternion
from particlemech.run.steps import copy


@kernel
def ground(m: Tables, s: WorkArrays) -> None:
    """Fill row 0, the inertial frame; gravity is an acceleration of the frame, as a falling lift has it."""
    for k in range(9):
        s.S[0, k] = 1.0 if k % 4 == 0 else 0.0
    for k in range(3):
        s.O[0, k] = s.omega[0, k] = s.v[0, k] = s.r[0, k] = 0.0
        s.a[0, k], s.a[0, k + 3] = 0.0, -m.gravity[k]


@noinline
def outward(t: float, q: Array, u: Array, m: Tables, s: WorkArrays) -> None:
    """Fill S, O, d, r, omega, v, c of all bodies and axis, axis_dot, x of all stages: (1) to (6)."""
    signals(t, m.segment, m.signal, s.sig)
    ground(m, s)
    for i in range(1, len(m.body)):
        b = m.body[i]
        if b.place >= 0:
            stand(i, m, s)
            continue
        k = b.parent
        S, K = s.S[i], s.S[k]
        copy(K, S)
        kx, ky, kz = s.omega[k, 0], s.omega[k, 1], s.omega[k, 2]
        wx, wy, wz = kx, ky, kz
        dx, dy, dz = shifted(K, b.xi[0], b.xi[1], b.xi[2])
        tx = ty = tz = 0.0  # sum of the travelling speeds
        cx = cy = cz = 0.0
        for e in range(b.first, b.last):
            g = m.stage[e]
            x = q[g.q] if g.q >= 0 else 0.0
            rate = u[g.u] if g.u >= 0 else 0.0
            if g.signal >= 0:
                x, rate, s.x[e, 2] = s.sig[g.signal, 0], s.sig[g.signal, 1], s.sig[g.signal, 2]
            s.x[e, 0], s.x[e, 1] = x, rate
            ax, ay, az = shifted(S, g.axis[0], g.axis[1], g.axis[2])
            put(s.axis[e], ax, ay, az)
            if g.does == SPIN:
                px, py, pz = cross(kx, ky, kz, ax, ay, az)
            else:
                px, py, pz = cross(wx, wy, wz, ax, ay, az)
            put(s.axis_dot[e], px, py, pz)  # (5)
            if g.does == TRAVEL:
                dx, dy, dz = dx + ax * x, dy + ay * x, dz + az * x
                tx, ty, tz = tx + ax * rate, ty + ay * rate, tz + az * rate
                continue
            wx, wy, wz = wx + ax * rate, wy + ay * rate, wz + az * rate  # (3)
            cx, cy, cz = cx + px * rate, cy + py * rate, cz + pz * rate
            if g.does != SPIN:
                turn(S, g.axis[0], g.axis[1], g.axis[2], x)  # (1)
        if b.quaternion >= 0:
            e = b.quaternion
            turn_by_quaternion(S, q[e], q[e + 1], q[e + 2], q[e + 3])
        place(i, k, dx, dy, dz, tx, ty, tz, s)
        put(s.omega[i], wx, wy, wz)
        put(s.c[i], cx, cy, cz)
        rx, ry, rz = shifted(S, b.r[0], b.r[1], b.r[2])
        put(s.r[i], rx, ry, rz)
        if b.link >= 0:
            for e in range(b.mode, b.mode + b.modes):
                s.x[e, 0], s.x[e, 1] = q[m.stage[e].q], u[m.stage[e].u]
            bend(i, m, s)


@kernel
def place(i: int, k: int, dx: float, dy: float, dz: float, tx: float, ty: float, tz: float, s: WorkArrays) -> None:
    """Fill d, O, v of body i and the linear part of c, from the arm d and the travelling speed t."""
    kx, ky, kz = s.omega[k, 0], s.omega[k, 1], s.omega[k, 2]
    put(s.d[i], dx, dy, dz)
    put(s.O[i], s.O[k, 0] + dx, s.O[k, 1] + dy, s.O[k, 2] + dz)  # (2)
    vx, vy, vz = cross(kx, ky, kz, dx, dy, dz)
    put(s.v[i], s.v[k, 0] + vx + tx, s.v[k, 1] + vy + ty, s.v[k, 2] + vz + tz)  # (4)
    ax, ay, az = cross(kx, ky, kz, vx + 2.0 * tx, vy + 2.0 * ty, vz + 2.0 * tz)
    s.c[i, 3], s.c[i, 4], s.c[i, 5] = ax, ay, az


@kernel
def rates(q: Array, u: Array, m: Tables, out: Array) -> None:
    """Fill q_dot (n_q,): speeds themselves, and e_dot = (0, omega) e/2 for quaternions, omega in parent axes."""
    for e in range(len(m.stage)):
        g = m.stage[e]
        if g.q >= 0:
            out[g.q] = u[g.u]
    for i in range(1, len(m.body)):
        e = m.body[i].quaternion
        if e >= 0:
            k = m.stage[m.body[i].last - 3].u
            x, y, z = 0.5 * u[k], 0.5 * u[k + 1], 0.5 * u[k + 2]
            out[e] = -x * q[e + 1] - y * q[e + 2] - z * q[e + 3]
            out[e + 1] = x * q[e] + y * q[e + 3] - z * q[e + 2]
            out[e + 2] = y * q[e] + z * q[e + 1] - x * q[e + 3]
            out[e + 3] = z * q[e] + x * q[e + 2] - y * q[e + 1]


@kernel
def normalise(q: Array, m: Tables) -> None:
    """Bring the quaternions back to length 1; the motion does not depend on their length, the next step's size does."""
    for i in range(1, len(m.body)):
        e = m.body[i].quaternion
        if e >= 0:
            n = (q[e] ** 2 + q[e + 1] ** 2 + q[e + 2] ** 2 + q[e + 3] ** 2) ** -0.5
            for k in range(4):
                q[e + k] *= n


@kernel
def move(q: Array, u: Array, m: Tables) -> None:
    """Move coordinates (n_q,) by a step along the speeds, (n_v,): quaternions by the rotation vector of theirs."""
    for e in range(len(m.stage)):
        g = m.stage[e]
        if g.q >= 0:
            q[g.q] += u[g.u]
    for i in range(1, len(m.body)):
        e = m.body[i].quaternion
        if e >= 0:
            k = m.stage[m.body[i].last - 3].u
            x, y, z = 0.5 * u[k], 0.5 * u[k + 1], 0.5 * u[k + 2]
            half = math.sqrt(x * x + y * y + z * z)
            f = math.sin(half) / half if half > 0.0 else 1.0
            c, x, y, z = math.cos(half), f * x, f * y, f * z
            w, i1, i2, i3 = q[e], q[e + 1], q[e + 2], q[e + 3]
            q[e] = c * w - x * i1 - y * i2 - z * i3
            q[e + 1] = c * i1 + x * w + y * i3 - z * i2
            q[e + 2] = c * i2 + y * w + z * i1 - x * i3
            q[e + 3] = c * i3 + z * w + x * i2 - y * i1


@kernel
def steepest(m: Tables, s: WorkArrays) -> float:
    """Return the largest turn of the end of a part of a bending body against its beginning, rad; after outward."""
    largest = 0.0
    for i in range(1, len(m.body)):
        b = m.body[i]
        if b.link < 0:
            continue
        x, y, z = 0.0, 0.0, 0.0
        for e in range(b.mode, b.mode + b.modes):
            psi = m.stage[e].axis
            x, y, z = x + s.x[e, 0] * psi[0], y + s.x[e, 0] * psi[1], z + s.x[e, 0] * psi[2]
        largest = max(largest, math.sqrt(x * x + y * y + z * z))
    return largest
