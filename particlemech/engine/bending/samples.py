"""Samples of a motion: the work arrays in global axes, named points, energies and momenta.

kinetic energy     sum m v.v/2 + Omega.J Omega/2 over stations, remainders and drives                  (1)
momenta            sum m v,  sum x cross m v + J Omega about the global origin,  sum m x               (2)
"""

from __future__ import annotations

from particlemech._jit import attachment, kernel, noinline, released
from particlemech.engine.bending.applied import elastic
from particlemech.engine.bending.balance import of_place
from particlemech.engine.bending.entry_points import forward
from particlemech.engine.bending.motion import frames, outward, product
from particlemech.engine.bending.sections import place, section
from particlemech.engine.bending.springs import stretched
from particlemech.engine.bending.tables import SampledMotion, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, cross, dot, put, shifted
from particlemech.run.steps import copy

attached = attachment(Tables, WorkArrays, SampledMotion)

KINETIC, GRAVITY, STRAIN, SPRINGS = range(4)


@released
def observe(moved: bool, address: int) -> None:
    """Fill a record from its times and states; without accelerations and forces unless `moved` by them."""
    m, s, keep = attached(address)
    n_v = len(s.A)
    n_q = keep.y.shape[1] - n_v - 1
    for k in range(len(keep.t)):
        t, q, u = keep.t[k], keep.y[k, :n_q], keep.y[k, n_q : n_q + n_v]
        copy(keep.given[k], s.given)
        for i in range(len(m.link)):
            copy(keep.outer[k, i], s.outer[i])
        if moved:
            forward(t, q, u, True, m, s, s.f[2])
        else:
            outward(t, q, u, True, m, s)
        noted(k, m, s, keep)
        pointed(k, m, s, keep)
        weighed(m, s, keep.energy[k], keep.momentum[k])
        stored(m, s, keep.energy[k])
        # once more with all deflections zero
        s.q[:, 0] = 0.0
        s.d[:, 0] = 0.0
        frames(m, s)
        for i in range(len(m.link)):
            copy(s.O[i], keep.rigid[k, i])
        for n in range(len(m.point)):
            p = m.place[m.point[n]]
            x, y, z = shifted(s.R[p.link], p.x[0], p.x[1], p.x[2])
            O = s.O[p.link]
            put(keep.point[k, n, 3], O[0] + x, O[1] + y, O[2] + z)


@kernel
def into_global(i: int, vector: Array, s: WorkArrays, out: Array) -> None:
    """Write a vector of link axes in global ones."""
    x, y, z = shifted(s.R[i], vector[0], vector[1], vector[2])
    put(out, x, y, z)


@kernel
def noted(k: int, m: Tables, s: WorkArrays, keep: SampledMotion) -> None:
    """Copy the work arrays into sample k."""
    g = m.gravity
    for i in range(len(m.link)):
        copy(s.x[i], keep.x[k, i])
        copy(s.d[i], keep.d[k, i])
        copy(s.R[i], keep.R[k, i])
        copy(s.O[i], keep.O[k, i])
        into_global(i, s.omega[i], s, keep.omega[k, i])
        into_global(i, s.v[i], s, keep.v[k, i])
        into_global(i, s.alpha[i], s, keep.alpha[k, i])
        into_global(i, s.a[i], s, keep.a[k, i])
        for c in range(3):
            keep.a[k, i, c] += g[c]
        into_global(i, s.p[i, 0:3], s, keep.p[k, i, 0:3])
        into_global(i, s.p[i, 3:6], s, keep.p[k, i, 3:6])
        if i > 0:
            joint = m.joint[i]
            sprung = joint.pull - joint.spring * s.x[i, 0] - joint.damper * s.x[i, 1]
            keep.tau[k, i, 0], keep.tau[k, i, 1] = s.tau[i, 0] - sprung, sprung
            keep.tau[k, i, 2] = s.need[i, 0] - s.tau[i, 0] if joint.u < 0 else 0.0
    for j in range(len(s.q)):
        copy(s.q[j], keep.q[k, j])


@kernel
def pointed(k: int, m: Tables, s: WorkArrays, keep: SampledMotion) -> None:
    """Fill the named points of sample k."""
    g = m.gravity
    for n in range(len(m.point)):
        e = m.point[n]
        i, at = m.place[e].link, m.place[e].at
        f = m.link[i]
        place(e, m, s)
        section(e, m, s)
        out, spin = keep.point[k, n], keep.spin[k, n]
        into_global(i, s.r[e], s, out[0])
        x, y, z = velocity(i, e, s)
        put(s.wrench[0:3], x, y, z)
        into_global(i, s.wrench[0:3], s, out[1])
        x, y, z = of_place(e, m, s)
        put(s.wrench[0:3], x, y, z)
        into_global(i, s.wrench[0:3], s, out[2])
        for c in range(3):
            out[0, c] += s.O[i, c]
            out[2, c] += g[c]
        product(s.R[i], s.E[e], keep.section[k, n])
        w, u, b, alpha = s.omega[i], s.w[e], s.b[e], s.alpha[i]
        put(s.wrench[0:3], w[0] + u[0], w[1] + u[1], w[2] + u[2])
        into_global(i, s.wrench[0:3], s, spin[0])
        x, y, z = cross(w[0], w[1], w[2], u[0], u[1], u[2])
        x, y, z = x + alpha[0] + b[0], y + alpha[1] + b[1], z + alpha[2] + b[2]
        for j in range(f.modes):
            rate, turn = s.q[f.modal + j, 2], s.turn[at + j]
            x, y, z = x + turn[0] * rate, y + turn[1] * rate, z + turn[2] * rate
        put(s.wrench[0:3], x, y, z)
        into_global(i, s.wrench[0:3], s, spin[1])


@kernel
def velocity(i: int, k: int, s: WorkArrays) -> Triple:
    """Return the velocity of a place, link axes."""
    w, v, r, u = s.omega[i], s.v[i], s.r[k], s.r_dot[k]
    x, y, z = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    return v[0] + x + u[0], v[1] + y + u[1], v[2] + z + u[2]


@noinline
def argument_block(i: int, mass: float, r: Triple, v: Triple, h: Triple, s: WorkArrays, out: Array) -> None:
    """Add m v, x cross m v + h and m x of a mass at r in link i to momenta (9,); r, v, h in link axes."""
    x, y, z = shifted(s.R[i], r[0], r[1], r[2])
    x, y, z = s.O[i, 0] + x, s.O[i, 1] + y, s.O[i, 2] + z
    px, py, pz = shifted(s.R[i], mass * v[0], mass * v[1], mass * v[2])
    hx, hy, hz = shifted(s.R[i], h[0], h[1], h[2])
    tx, ty, tz = cross(x, y, z, px, py, pz)
    for k, value in enumerate((px, py, pz, tx + hx, ty + hy, tz + hz, mass * x, mass * y, mass * z)):
        out[k] += value


@kernel
def weighed(m: Tables, s: WorkArrays, energy: Array, momentum: Array) -> None:
    """Fill the kinetic energy (1), the potential of gravity, and the momenta (2)."""
    energy[KINETIC] = 0.0
    momentum[:] = 0.0
    for i in range(len(m.link)):
        f = m.link[i]
        energy[KINETIC] += lumped(i, m, s, momentum)
        for k in range(f.first, f.last):
            energy[KINETIC] += particle(i, k, m, s, momentum)
        if i + 1 < len(m.link) and m.joint[i + 1].rotor > 0.0:
            energy[KINETIC] += drives(i, m, s, momentum)
    g = m.gravity
    energy[GRAVITY] = -dot(g[0], g[1], g[2], momentum[6], momentum[7], momentum[8])


@noinline
def particle(i: int, k: int, m: Tables, s: WorkArrays, momentum: Array) -> float:
    """Add up the momenta of a station; return its kinetic energy."""
    f, p, w, r = m.link[i], m.place[k], s.omega[i], s.r[k]
    vx, vy, vz = velocity(i, k, s)
    wx, wy, wz = w[0], w[1], w[2]
    for j in range(f.modes):
        psi, u = m.psi[p.at + j], s.q[f.modal + j, 1]
        wx, wy, wz = wx + psi[0] * u, wy + psi[1] * u, wz + psi[2] * u
    hx, hy, hz = shifted(p.inertia, wx, wy, wz)
    argument_block(i, p.mass, (r[0], r[1], r[2]), (vx, vy, vz), (hx, hy, hz), s, momentum)
    return 0.5 * (p.mass * dot(vx, vy, vz, vx, vy, vz) + dot(wx, wy, wz, hx, hy, hz))


@noinline
def lumped(i: int, m: Tables, s: WorkArrays, momentum: Array) -> float:
    """Add up the momenta of the rigid remainder of a link; return its kinetic energy."""
    f, w, v = m.link[i], s.omega[i], s.v[i]
    c = f.moment
    tx, ty, tz = cross(w[0], w[1], w[2], c[0], c[1], c[2])
    hx, hy, hz = shifted(f.inertia, w[0], w[1], w[2])
    ux, uy, uz = cross(c[0], c[1], c[2], v[0], v[1], v[2])
    # momentum m v + omega x mc, and about the link's origin mc x v + I omega
    px, py, pz = f.mass * v[0] + tx, f.mass * v[1] + ty, f.mass * v[2] + tz
    qx, qy, qz = shifted(s.R[i], px, py, pz)
    gx, gy, gz = shifted(s.R[i], hx + ux, hy + uy, hz + uz)
    cx, cy, cz = shifted(s.R[i], c[0], c[1], c[2])
    O = s.O[i]
    ax, ay, az = cross(O[0], O[1], O[2], qx, qy, qz)
    for k, value in enumerate((qx, qy, qz, ax + gx, ay + gy, az + gz)):
        momentum[k] += value
    momentum[6] += f.mass * O[0] + cx
    momentum[7] += f.mass * O[1] + cy
    momentum[8] += f.mass * O[2] + cz
    along = dot(v[0], v[1], v[2], 0.5 * f.mass * v[0] + tx, 0.5 * f.mass * v[1] + ty, 0.5 * f.mass * v[2] + tz)
    return along + 0.5 * dot(w[0], w[1], w[2], hx, hy, hz)


@noinline
def drives(i: int, m: Tables, s: WorkArrays, momentum: Array) -> float:
    """Add up the momenta of the drive of the next joint; return its kinetic energy."""
    g, x, T, w = m.joint[i + 1], s.x[i + 1], s.T[i], s.end[i, 0]
    zx, zy, zz = T[2], T[5], T[8]
    r = s.r[m.link[i].end]
    if not g.slides:
        H = g.rotor * (dot(w[0], w[1], w[2], zx, zy, zz) + x[1])
        argument_block(i, 0.0, (r[0], r[1], r[2]), (0.0, 0.0, 0.0), (H * zx, H * zy, H * zz), s, momentum)
        return 0.5 * H * H / g.rotor
    vx, vy, vz = velocity(i, m.link[i].end, s)
    tx, ty, tz = cross(w[0], w[1], w[2], zx, zy, zz)
    vx, vy, vz = vx + x[0] * tx + x[1] * zx, vy + x[0] * ty + x[1] * zy, vz + x[0] * tz + x[1] * zz
    at = (r[0] + x[0] * zx, r[1] + x[0] * zy, r[2] + x[0] * zz)
    argument_block(i, g.rotor, at, (vx, vy, vz), (0.0, 0.0, 0.0), s, momentum)
    return 0.5 * g.rotor * dot(vx, vy, vz, vx, vy, vz)


@kernel
def stored(m: Tables, s: WorkArrays, energy: Array) -> None:
    """Fill the strain energy of links and that of drives and springs."""
    energy[STRAIN] = energy[SPRINGS] = 0.0
    for e in range(len(m.spring)):
        energy[SPRINGS] += stretched(e, m, s)
    for i in range(len(m.link)):
        f, g = m.link[i], m.joint[i]
        if f.modes > 0:
            energy[STRAIN] += 0.5 * elastic(i, 0, m.K, m, s, s.f[1, f.u : f.u + f.modes])
        if g.dq >= 0:
            energy[SPRINGS] += 0.5 * g.stiffness * s.d[i, 0] ** 2
        energy[SPRINGS] += g.stored - g.pull * s.x[i, 0] + 0.5 * g.spring * s.x[i, 0] ** 2
