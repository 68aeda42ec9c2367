"""The mass matrix of a chain, from the last link inward.

All that hangs on the end of a link, moving as one with it, has an inertia I there, (6, 6): wrench = I (alpha, a). What
a unit acceleration of a speed k outboard needs is a wrench W_k at that end. With the twists that speeds of the link and
of its joint give to what they carry,

    s_j = (turn_j, shift_j) of its end, modal;    s = (z, 0) or (0, z) of a joint                           (1)

    W_j = B_j + X I s_j,   A_jk = (I_qq)_jk + s_j.I s_k           speeds of one link; B, I_qq its own       (2)
    A_jk = s_j.W_k                                                k outboard of j                           (3)
    I <- local inertia + X I X^T,   W_k <- X W_k                  from the end to the origin of the link    (4)

X moves a wrench from one point to another. Frames only need coordinates: sections.py, motion.py come first. Not used:
columns by sweeps with unit accelerations, 30 times slower on an arm with 13 speeds; tests compare both.
"""

from __future__ import annotations

from particlemech._jit import kernel, noinline
from particlemech.engine.bending.links import FLOATS
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, dot, put, shifted


@kernel
def masses(m: Tables, s: WorkArrays) -> None:
    """Fill A; the frames are in the work arrays."""
    n = len(s.A)
    for i in range(len(m.link) - 1, -1, -1):
        s.I[:, :] = 0.0
        if i + 1 < len(m.link):
            hung(i, n, m, s)
        columns(i, n, m, s)
        local(i, m, s)
        copied(s.I, s.J)
    b = m.base[0]
    if b.state > 0:
        grounded(6 if b.state == FLOATS else 3, n, m, s)


@kernel
def copied(source: Array, target: Array) -> None:
    """Copy an inertia (6, 6)."""
    for j in range(6):
        for k in range(6):
            target[j, k] = source[j, k]


@kernel
def times(A: Array, x: Array, y: Array, out: Array) -> None:
    """Fill out = A (x, y), A (6, 6), x and y (3,)."""
    for k in range(6):
        line = A[k]
        out[k] = line[0] * x[0] + line[1] * x[1] + line[2] * x[2] + line[3] * y[0] + line[4] * y[1] + line[5] * y[2]


@kernel
def move(W: Array, x: float, y: float, z: float) -> None:
    """Move a wrench (6,) that acts at (x, y, z) to the origin."""
    tx, ty, tz = cross(x, y, z, W[3], W[4], W[5])
    put(W[0:3], W[0] + tx, W[1] + ty, W[2] + tz)


@kernel
def turned(T: Array, W: Array) -> None:
    """Write a wrench (6,) of the next link in axes of this one."""
    x, y, z = shifted(T, W[0], W[1], W[2])
    put(W[0:3], x, y, z)
    x, y, z = shifted(T, W[3], W[4], W[5])
    put(W[3:6], x, y, z)


@noinline
def carried(T: Array, turns: bool, x: float, y: float, z: float, scratch: Array, A: Array) -> None:
    """Take an inertia A (6, 6) that is at (x, y, z) to the origin, first turned by T if `turns`; scratch (6, 6)."""
    # columns, and then rows, which are the columns of its transpose: A <- X T A T^T X^T
    for _ in range(2):
        for j in range(6):
            for k in range(6):
                scratch[j, k] = A[k, j]
        for j in range(6):
            if turns:
                turned(T, scratch[j])
            move(scratch[j], x, y, z)
        copied(scratch, A)


@noinline
def hung(i: int, n: int, m: Tables, s: WorkArrays) -> None:
    """Fill I and W at the end of link i, in its axes, and the entries of A that belong to the joint there."""
    g, T, I, first = m.joint[i + 1], s.T[i], s.I, first_of(i + 1, m)
    x = y = z = 0.0
    if g.slides:
        way = s.x[i + 1, 0] + s.d[i + 1, 0]
        x, y, z = way * T[2], way * T[5], way * T[8]
    copied(s.J, I)
    carried(T, True, x, y, z, s.K, I)
    for k in range(first, n):
        turned(T, s.W[k])
        move(s.W[k], x, y, z)
    zero, axis = s.wrench[0:3], s.wrench[3:6]
    put(zero, 0.0, 0.0, 0.0)
    put(axis, T[2], T[5], T[8])
    at = 3 if g.slides else 0
    if g.slides:
        times(I, zero, axis, s.K[0])
    else:
        times(I, axis, zero, s.K[0])
    own = dot(axis[0], axis[1], axis[2], s.K[0, at], s.K[0, at + 1], s.K[0, at + 2])
    for k in range(first, n):
        W = s.W[k]
        along = dot(axis[0], axis[1], axis[2], W[at], W[at + 1], W[at + 2])
        if g.u >= 0:
            s.A[g.u, k] = s.A[k, g.u] = along
        if g.du >= 0:
            s.A[g.du, k] = s.A[k, g.du] = along
    for u in (g.du, g.u):
        if u >= 0:
            s.A[u, u] = own
            for k in range(6):
                s.W[u, k] = s.K[0, k]
    if g.u >= 0 and g.du >= 0:
        s.A[g.u, g.du] = s.A[g.du, g.u] = own
    if g.rotor > 0.0:
        geared(i, m, s)


@noinline
def geared(i: int, m: Tables, s: WorkArrays) -> None:
    """Add the drive of the next joint: to phi, to its wrench, and to what hangs on the end of link i."""
    g, T, I, axis = m.joint[i + 1], s.T[i], s.I, s.wrench[3:6]
    at = 3 if g.slides else 0
    if g.u >= 0:
        s.A[g.u, g.u] += g.rotor
        for k in range(3):
            s.W[g.u, at + k] += g.rotor * axis[k]
    if not g.slides:
        for j in range(3):
            for k in range(3):
                I[j, k] += g.rotor * axis[j] * axis[k]
        return
    way = s.x[i + 1, 0]
    s.K[:, :] = 0.0
    for k in range(3):
        s.K[3 + k, 3 + k] = g.rotor
    carried(T, False, way * axis[0], way * axis[1], way * axis[2], s.J, s.K)
    for j in range(6):
        for k in range(6):
            I[j, k] += s.K[j, k]


@kernel
def first_of(i: int, m: Tables) -> int:
    """Return the first speed that does not move link i: its own modal coordinates, or what comes after."""
    return m.link[i].u


@noinline
def columns(i: int, n: int, m: Tables, s: WorkArrays) -> None:
    """Fill the rows of A that belong to the modal coordinates of a link, its own W, and take all W to its origin."""
    f = m.link[i]
    at, r = m.place[f.end].at, s.r[f.end]
    beyond = f.u + f.modes
    for j in range(f.modes):
        shift, turn = s.shift[at + j], s.turn[at + j]
        for k in range(beyond, n):
            W = s.W[k]
            value = dot(turn[0], turn[1], turn[2], W[0], W[1], W[2])
            value += dot(shift[0], shift[1], shift[2], W[3], W[4], W[5])
            s.A[f.u + j, k] = s.A[k, f.u + j] = value  # (3)
        times(s.I, turn, shift, s.W[f.u + j])
        W = s.W[f.u + j]
        for k in range(j + 1):
            u, t = s.shift[at + k], s.turn[at + k]
            value = dot(t[0], t[1], t[2], W[0], W[1], W[2]) + dot(u[0], u[1], u[2], W[3], W[4], W[5])
            s.A[f.u + j, f.u + k] = s.A[f.u + k, f.u + j] = value  # (2)
    for k in range(f.u, n):
        move(s.W[k], r[0], r[1], r[2])  # (4)
    carried(s.R[0], False, r[0], r[1], r[2], s.K, s.I)


@noinline
def local(i: int, m: Tables, s: WorkArrays) -> None:
    """Add the inertia of the link itself to I, to W and A of its modal coordinates."""
    f, I = m.link[i], s.I
    mass, cx, cy, cz = f.mass, f.moment[0], f.moment[1], f.moment[2]
    for j in range(3):
        for k in range(3):
            I[j, k] += f.inertia[3 * j + k]
    for e in range(f.first, f.last):
        p, r = m.place[e], s.r[e]
        mass, cx, cy, cz = mass + p.mass, cx + p.mass * r[0], cy + p.mass * r[1], cz + p.mass * r[2]
        square = p.mass * dot(r[0], r[1], r[2], r[0], r[1], r[2])
        for j in range(3):
            I[j, j] += square
            for k in range(3):
                I[j, k] += p.inertia[3 * j + k] - p.mass * r[j] * r[k]
        for j in range(f.modes):
            shift, psi, W = s.shift[p.at + j], m.psi[p.at + j], s.W[f.u + j]
            hx, hy, hz = shifted(p.inertia, psi[0], psi[1], psi[2])
            fx, fy, fz = p.mass * shift[0], p.mass * shift[1], p.mass * shift[2]
            tx, ty, tz = cross(r[0], r[1], r[2], fx, fy, fz)
            put(W[0:3], W[0] + tx + hx, W[1] + ty + hy, W[2] + tz + hz)
            put(W[3:6], W[3] + fx, W[4] + fy, W[5] + fz)
            for k in range(j + 1):
                u, t = s.shift[p.at + k], m.psi[p.at + k]
                value = dot(fx, fy, fz, u[0], u[1], u[2]) + dot(hx, hy, hz, t[0], t[1], t[2])
                s.A[f.u + j, f.u + k] += value
                if k < j:
                    s.A[f.u + k, f.u + j] += value
    # the coupling of turning and travelling: mc cross a, and -mc cross alpha
    for k in range(3):
        I[3 + k, 3 + k] += mass
    for j, k, value in ((0, 1, -cz), (0, 2, cy), (1, 2, -cx)):
        I[j, 3 + k] += value
        I[k, 3 + j] -= value
        I[3 + k, j] += value
        I[3 + j, k] -= value


@noinline
def grounded(free: int, n: int, m: Tables, s: WorkArrays) -> None:
    """Fill the rows of A that belong to the base: its travel, and its turning, in global axes."""
    R = s.R[0]
    for k in range(free, n):
        turned(R, s.W[k])
        for j in range(free):
            s.A[j, k] = s.A[k, j] = s.W[k, (j + 3) % 6]
    copied(s.J, s.I)
    carried(R, True, 0.0, 0.0, 0.0, s.K, s.I)
    for j in range(free):
        for k in range(free):
            s.A[j, k] = s.I[(j + 3) % 6, (k + 3) % 6]
