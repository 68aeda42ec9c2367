"""Partial velocities of a tree and Kane's equations written out, as the report has them.

Only stages on the path from ground to a body have a partial velocity there: *slots* list these pairs (body, stage) one
path after the other, so that nothing runs over zeros.

    w_ij,  V_ij = V_kj + w_kj x d              partial angular velocity and velocity of O  [P72] (2.4), (2.18)      (1)
    w_dot_ij,  V_dot_ij                        their rates                                 [P72] (2.6), (2.22)      (2)
    A_rj = m_i V_ij.V_ir + w_ir.I_i w_ij                                                   [P72] (3.28)             (3)
    f_r = -(m_i a_i.V_ir + (I_i alpha_i + omega_i x I_i omega_i).w_ir)                     [P72] (3.29) (errata)    (4)
          a_i = V_dot_ij x_dot_j,  alpha_i = w_dot_ij x_dot_j                              [P72] (2.26), (2.29) (errata)
    F_r = V_ir.F_i + w_ir.M_i                  loads and gravity                           [P72] (3.7) (errata)     (5)

V and its rate are those of the centres of mass G.
"""

from __future__ import annotations

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.tables import TRAVEL, Paths, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, dot, inertia_times, put

W, V, W_DOT, V_DOT, V_O, V_O_DOT = range(6)  # rows of a slot


@noinline
def partials(m: Tables, s: WorkArrays, ways: Paths) -> None:
    """Fill the slots: w, V of G, their rates, V of O and its rate: (1), (2); after outward."""
    slot = ways.slot
    for i in range(1, len(m.body)):
        b = m.body[i]
        k = b.parent
        at, inner = ways.path_at[i], ways.path_at[k]
        for j in range(ways.path_at[i + 1] - at):
            e, now = ways.path[at + j], slot[at + j]
            if e < b.first:
                carried(i, k, slot[inner + j], s, now)
            else:
                own(e, m.stage[e].does == TRAVEL, s, now)
            at_centre(i, s, now)


@kernel
def carried(i: int, k: int, before: Array, s: WorkArrays, now: Array) -> None:
    """Fill a slot of body i from that of its parent k: w stays, V of O moves on by the arm d."""
    w, w_dot = before[W], before[W_DOT]
    dx, dy, dz = s.d[i, 0], s.d[i, 1], s.d[i, 2]
    put(now[W], w[0], w[1], w[2])
    put(now[W_DOT], w_dot[0], w_dot[1], w_dot[2])
    x, y, z = cross(w[0], w[1], w[2], dx, dy, dz)
    put(now[V_O], before[V_O, 0] + x, before[V_O, 1] + y, before[V_O, 2] + z)  # (1)
    x, y, z = cross(w_dot[0], w_dot[1], w_dot[2], dx, dy, dz)
    ux, uy, uz = cross(w[0], w[1], w[2], s.v[i, 0] - s.v[k, 0], s.v[i, 1] - s.v[k, 1], s.v[i, 2] - s.v[k, 2])
    put(now[V_O_DOT], before[V_O_DOT, 0] + x + ux, before[V_O_DOT, 1] + y + uy, before[V_O_DOT, 2] + z + uz)  # (2)


@kernel
def own(e: int, travel: bool, s: WorkArrays, now: Array) -> None:
    """Fill the slot of a stage of the body's own joint: its axis."""
    for k in range(3):
        now[W, k] = 0.0 if travel else s.axis[e, k]
        now[W_DOT, k] = 0.0 if travel else s.axis_dot[e, k]
        now[V_O, k] = s.axis[e, k] if travel else 0.0
        now[V_O_DOT, k] = s.axis_dot[e, k] if travel else 0.0


@kernel
def at_centre(i: int, s: WorkArrays, now: Array) -> None:
    """Fill V of G and its rate from those of O."""
    r, w, w_dot, omega = s.r[i], now[W], now[W_DOT], s.omega[i]
    x, y, z = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    put(now[V], now[V_O, 0] + x, now[V_O, 1] + y, now[V_O, 2] + z)
    x, y, z = cross(w_dot[0], w_dot[1], w_dot[2], r[0], r[1], r[2])
    rx, ry, rz = cross(omega[0], omega[1], omega[2], r[0], r[1], r[2])
    ux, uy, uz = cross(w[0], w[1], w[2], rx, ry, rz)
    put(now[V_DOT], now[V_O_DOT, 0] + x + ux, now[V_O_DOT, 1] + y + uy, now[V_O_DOT, 2] + z + uz)


@noinline
def equations(m: Tables, s: WorkArrays, ways: Paths) -> None:
    """Fill A, f and F: (3), (4), (5); after partials and the forces."""
    slot, A, f, F = ways.slot, ways.A, ways.f, ways.F
    A[:, :] = 0.0
    for e in range(len(f)):
        f[e], F[e] = 0.0, 0.0
    for i in range(1, len(m.body)):
        b, S, r, omega = m.body[i], s.S[i], s.r[i], s.omega[i]
        ax = ay = az = bx = by = bz = 0.0
        for j in range(ways.path_at[i], ways.path_at[i + 1]):
            rate, now = s.x[ways.path[j], 1], slot[j]
            ax, ay, az = ax + now[V_DOT, 0] * rate, ay + now[V_DOT, 1] * rate, az + now[V_DOT, 2] * rate
            bx, by, bz = bx + now[W_DOT, 0] * rate, by + now[W_DOT, 1] * rate, bz + now[W_DOT, 2] * rate
        hx, hy, hz = inertia_times(S, b.inertia, omega[0], omega[1], omega[2])
        gx, gy, gz = cross(omega[0], omega[1], omega[2], hx, hy, hz)
        bx, by, bz = inertia_times(S, b.inertia, bx, by, bz)
        nx, ny, nz = cross(r[0], r[1], r[2], s.load[i, 3], s.load[i, 4], s.load[i, 5])
        for j in range(ways.path_at[i], ways.path_at[i + 1]):
            e, w, v = ways.path[j], slot[j, W], slot[j, V]
            f[e] -= b.mass * dot(ax, ay, az, v[0], v[1], v[2])  # (4)
            f[e] -= dot(bx + gx, by + gy, bz + gz, w[0], w[1], w[2])
            # (5); the moment of the loads is about O
            F[e] += dot(s.load[i, 0] - nx, s.load[i, 1] - ny, s.load[i, 2] - nz, w[0], w[1], w[2])
            F[e] += dot(s.load[i, 3], s.load[i, 4], s.load[i, 5], v[0], v[1], v[2])
            F[e] += b.mass * dot(m.gravity[0], m.gravity[1], m.gravity[2], v[0], v[1], v[2])
            lx, ly, lz = inertia_times(S, b.inertia, w[0], w[1], w[2])
            for k in range(ways.path_at[i], j + 1):
                other = slot[k]
                A[e, ways.path[k]] += b.mass * dot(v[0], v[1], v[2], other[V, 0], other[V, 1], other[V, 2])  # (3)
                A[e, ways.path[k]] += dot(lx, ly, lz, other[W, 0], other[W, 1], other[W, 2])
    for e in range(len(f)):
        for k in range(e):
            A[k, e] = A[e, k]
