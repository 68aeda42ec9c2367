"""What acts on a chain: loads on links, motors, springs and dampers in joints, stiffness and damping of links.

    load at a place:  force F, moment r x F + M about the origin of the link, F.shift_j + M.turn_j on q_j     (1)
    on phi            motors + controllers - (k phi - p) - c phi'           springs on its coordinate         (2)
    on dphi           -k dphi - c dphi'                                     of a drive                        (3)
    on q              -K q - C q'                                           [G88] (2.3-22)                    (4)

(1) is [G88] (2.3-38), and (2.3-39) where a load has many places.
"""

from __future__ import annotations

from particlemech._jit import kernel, noinline
from particlemech.engine.bending.balance import add
from particlemech.engine.bending.sections import place, section
from particlemech.engine.bending.springs import sprung
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, back, cross, dot, shifted


@kernel
def unloaded(s: WorkArrays) -> None:
    """Take all loads from the work arrays."""
    s.load[:, :] = 0.0
    s.pull[:] = 0.0


@kernel
def wanted(signals: Array, weight: float, s: WorkArrays) -> Triple:
    """Return the values of three signals, times a weight."""
    sig = s.sig
    return weight * sig[signals[0], 0], weight * sig[signals[1], 0], weight * sig[signals[2], 0]


@kernel
def into_link(k: int, i: int, follows: bool, x: float, y: float, z: float, m: Tables, s: WorkArrays) -> Triple:
    """Return a vector in link axes, from global ones or from those of the body at section k."""
    if follows:
        x, y, z = shifted(m.link[i].drawn, x, y, z)
        return shifted(s.E[k], x, y, z)
    return back(s.R[i], x, y, z)


@kernel
def loads(m: Tables, s: WorkArrays) -> float:
    """Fill load and pull with (1), and with what springs between places do; return the power, potentials aside."""
    unloaded(s)
    power = 0.0
    for e in range(len(m.load)):
        g = m.load[e]
        k = g.place
        i, at = m.place[k].link, m.place[k].at
        f, r, u, w, v = m.link[i], s.r[k], s.r_dot[k], s.omega[i], s.v[i]
        place(k, m, s)
        section(k, m, s)
        x, y, z = wanted(g.force, g.weight, s)
        fx, fy, fz = into_link(k, i, g.follows, x, y, z, m, s)
        x, y, z = wanted(g.moment, g.weight, s)
        mx, my, mz = into_link(k, i, g.follows, x, y, z, m, s)
        tx, ty, tz = cross(r[0], r[1], r[2], fx, fy, fz)
        add(s.load[i], mx + tx, my + ty, mz + tz, fx, fy, fz)
        for j in range(f.modes):
            shift, turn = s.shift[at + j], s.turn[at + j]
            of_force = dot(fx, fy, fz, shift[0], shift[1], shift[2])
            s.pull[f.modal + j] += of_force + dot(mx, my, mz, turn[0], turn[1], turn[2])
        x, y, z = cross(w[0], w[1], w[2], r[0], r[1], r[2])
        power += dot(fx, fy, fz, v[0] + x + u[0], v[1] + y + u[1], v[2] + z + u[2])
        power += dot(mx, my, mz, w[0] + s.w[k, 0], w[1] + s.w[k, 1], w[2] + s.w[k, 2])
    for e in range(len(m.spring)):
        power -= sprung(e, m, s)
    for i in range(len(m.link)):
        o, w, v = s.outer[i], s.omega[i], s.v[i]
        add(s.load[i], o[0], o[1], o[2], o[3], o[4], o[5])
        power += dot(o[0], o[1], o[2], w[0], w[1], w[2]) + dot(o[3], o[4], o[5], v[0], v[1], v[2])
    return power


@noinline
def joints(m: Tables, s: WorkArrays) -> float:
    """Fill tau with (2) and (3); return the power of motors, controllers and dampers."""
    power = 0.0
    for i in range(1, len(m.link)):
        g, x, d = m.joint[i], s.x[i], s.d[i]
        effort = s.given[i]
        for k in range(g.first, g.last):
            effort += s.sig[m.motor[k], 0]
        power += effort * x[1]
        s.tau[i, 0] = effort + g.pull - g.spring * x[0] - g.damper * x[1]  # (2)
        s.tau[i, 1] = 0.0
        power -= g.damper * x[1] * x[1]
        if g.dq >= 0:
            s.tau[i, 1] = -g.stiffness * d[0] - g.damping * d[1]  # (3)
            power -= g.damping * d[1] * d[1]
    return power


@noinline
def elastic(i: int, level: int, table: Array, m: Tables, s: WorkArrays, out: Array) -> float:
    """Add K q (level 0) or C q' (level 1) of a link to out (m,); return q.K q or q'.C q'."""
    f, total = m.link[i], 0.0
    for j in range(f.modes):
        line = 0.0
        for k in range(f.modes):
            line += table[f.pairs + j * f.modes + k] * s.q[f.modal + k, level]
        out[j] += line
        total += line * s.q[f.modal + j, level]
    return total


@kernel
def applied(m: Tables, s: WorkArrays, res: Array) -> float:
    """Subtract what acts on the free speeds from res (n_v,), loads aside; return the power of dampers and motors."""
    power = joints(m, s)
    for i in range(len(m.link)):
        f, g = m.link[i], m.joint[i]
        if g.u >= 0:
            res[g.u] -= s.tau[i, 0]
        if g.du >= 0:
            res[g.du] -= s.tau[i, 1]
        if f.modes > 0:
            part = res[f.u : f.u + f.modes]
            elastic(i, 0, m.K, m, s, part)
            power -= elastic(i, 1, m.C, m, s, part)  # (4)
    return power
