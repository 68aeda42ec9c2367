"""Residual and Jacobian of mechanisms in space: the stabilised, regularised index-2 system.

    y = (q, v, lam, mu, theta, z, W)         z: states of motors and controllers, see laws/custom.py

    kinematics   q' - v + phi_q^T mu                  = 0                                  (1)
    momentum     M v' - f(t, q, v) - phi_q^T lam      = 0        M constant                (2)
    velocity     phi_q v + phi_t + eps_v lam          = 0                                  (3)
    position     phi - eps_p mu                       = 0                                  (4)
    angles       theta' - rate of the angle           = 0        of joints that turn       (5)
    work         W' - power of loads, dampers, motors and drivers = 0                      (6)

A driver's row has phi_t = -(rate of its motion), so its power is -lam phi_t.

Block picture of J = dF/dy + cj dF/dy':

             q                v             lam        mu         theta     W
    (1)    cj + mu.phi_qq    -1                       phi_q^T
    (2)    -f_q - lam.phi_qq  cj M - f_v   -phi_q^T
    (3)    h                  phi_q         eps_v
    (4)    phi_q                                      -eps_p
    (5)                                                            cj
    (6)    -P_q + lam.phi_qt  -P_v          phi_t                            cj

J is exact but for (5) and for forces: angles only tell which turn is meant, nothing depends on their digits, and they
take no part in the control of errors. Rows are quadratic but for those of screws (screw_kernels.py). Derivatives of
forces are central difference quotients, column by column. Where each value goes is in sparsity.py: into a dense matrix
or compressed columns.
"""

from __future__ import annotations

import math

from particlemech._jit import attachment, entry, kernel
from particlemech.engine.natural.laws import applied, potential
from particlemech.engine.natural.laws.freedom import speed
from particlemech.engine.natural.screw_kernels import outer, passed_on, wind, wind_rates
from particlemech.engine.natural.tables import NaturalTables, NaturalWorkArrays, Rows, RowWorkArrays, Targets
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.engine.terms import gradient, rates, spread

STEP = 1e-5  # in units of a coordinate: the error of a quotient, about STEP^2, is far below what a Jacobian needs

attached_rows = attachment(Rows, RowWorkArrays)
attached = attachment(Rows, RowWorkArrays, NaturalTables, NaturalWorkArrays)
attached_targets = attachment(Rows, RowWorkArrays, NaturalTables, NaturalWorkArrays, Targets)


@kernel
def push(m: NaturalTables, s: NaturalWorkArrays, sig: Array, theta: Array, q: Array, v: Array) -> float:
    """Fill out: all forces on q, and rates of angles; return the power of what has no potential."""
    n_q = m.n[0]
    for k in range(n_q):
        s.out[k] = m.weight[k]
    if m.n[1] == 0 and len(m.counted) == 0:
        return 0.0
    spread(m.coord, m.entry, q, True, s.z[0])
    spread(m.coord, m.entry, v, False, s.z[1])
    for e in range(len(m.counted)):
        s.out[n_q + e] = speed(m.counted[e], s.z[0], s.z[1])
    if m.n[1] == 0:
        return 0.0
    power = applied(m, sig, theta, s.z[0], s.z[1], s.f[0]) + s.custom[len(s.custom) - 1]
    for k in range(len(m.coord)):
        s.f[0, k] += s.custom[k]
    gather(m, s.f[0], s.out)
    return power


@kernel
def gather(m: NaturalTables, f: Array, out: Array) -> None:
    """Add T^T f to out."""
    for k in range(len(m.coord)):
        if f[k] != 0.0:
            for e in range(m.coord[k].first, m.coord[k].last):
                out[m.entry[e].q] += m.entry[e].c * f[k]


@entry
def residual(t: float, y: Array, yp: Array, res: Array, address: int) -> bool:
    """Fill res (n,) by (1) to (6); return whether it is finite."""
    rows, r, m, s = attached(address)
    n_q, n_row = m.n[0], rows.n[0]
    at_lam, at_mu, at_theta, at_W = 2 * n_q, 2 * n_q + n_row, 2 * n_q + 2 * n_row, len(y) - 1
    q, v = y[:n_q], y[n_q:at_lam]
    signals(t, rows.segment, rows.signal, r.sig)
    gradient(rows.term, r.sig, q, r.phi[0], r.phi[1], r.g)
    wind(rows.thread, r.phi, r.g)
    power = push(m, s, r.sig, y[at_theta:at_W], q, v)
    for k in range(n_q):
        res[k] = yp[k] - v[k]
        res[n_q + k] = -s.out[k]
    for e in range(len(m.mass)):
        res[n_q + m.mass[e].i] += m.mass[e].c * yp[n_q + m.mass[e].j]
    for k in range(n_row):
        res[at_lam + k] = r.phi[1, k] + m.row[k].eps_v * y[at_lam + k]
        res[at_mu + k] = r.phi[0, k] - m.row[k].eps_p * y[at_mu + k]
        power -= y[at_lam + k] * r.phi[1, k]
    for e in range(rows.n[1]):
        k, z, g = rows.cell[e].row, rows.cell[e].z, r.g[e]
        res[z] += g * y[at_mu + k]
        res[n_q + z] -= g * y[at_lam + k]
        res[at_lam + k] += g * v[z]
    for e in range(at_W - at_theta):
        res[at_theta + e] = yp[at_theta + e] - s.out[n_q + e]
    res[at_W] = yp[at_W] - power
    total = 0.0
    for k in range(len(res)):
        total += res[k]
    return math.isfinite(total)


@kernel
def plain_values(y: Array, cj: float, address: int) -> None:
    """Fill val: all but the derivatives of forces; see sparsity.NaturalPlaces."""
    rows, r, m, s = attached(address)
    n_q, n_row, n_cell, n_term = m.n[0], rows.n[0], rows.n[1], len(rows.term)
    at_g, at_h, at_bend, at_drive, at_rate, at_outer = m.n[2], m.n[3], m.n[4], m.n[5], m.n[6], m.n[7]
    at_lam, at_mu, val = 2 * n_q, 2 * n_q + n_row, s.val
    val[0], val[1] = 1.0, cj
    for k in range(n_row):
        val[2 + k], val[2 + n_row + k] = m.row[k].eps_v, m.row[k].eps_p
        val[at_rate + k] = r.phi[1, k]
        s.w[0, k], s.w[1, k] = y[at_mu + k], y[at_lam + k]
    passed_on(rows.thread, r.phi, s.w)
    for e in range(n_cell):
        val[at_g + e], val[at_h + e] = r.g[e], r.h[e]
    for e in range(n_term):
        p = rows.term[e]
        c = p.c * r.sig[p.s, 0]
        val[at_bend + e], val[at_bend + n_term + e] = c * s.w[0, p.row], c * s.w[1, p.row]
        driven = p.c * r.sig[p.s, 1] * s.w[1, p.row]
        val[at_drive + e] = driven * (y[p.j] if p.j >= 0 else 1.0)
        val[at_drive + n_term + e] = driven * (y[p.i] if p.i >= 0 else 1.0)
    outer(rows.thread, r.phi, r.g, s.w, val[at_outer:])


@entry
def jacobian(t: float, y: Array, cj: float, J: Array, address: int) -> None:
    """Fill J, flat: (n n,) or (nnz,)."""
    rows, r, m, s, to = attached_targets(address)
    n_q = m.n[0]
    q, v = y[:n_q], y[n_q : 2 * n_q]
    signals(t, rows.segment, rows.signal, r.sig)
    rates(rows.term, r.sig, q, v, r.h, r.phi[2])
    gradient(rows.term, r.sig, q, r.phi[0], r.phi[1], r.g)
    wind_rates(rows.thread, rows.cell, v, r.phi, r.g, r.h)
    wind(rows.thread, r.phi, r.g)
    plain_values(y, cj, address)
    J[:] = 0.0
    for e in range(len(to.scatter)):
        p = to.scatter[e]
        J[p.slot] += p.c * s.val[p.source]
    if m.n[1] > 0:
        pushes(y, J, address)


@kernel
def pushes(y: Array, J: Array, address: int) -> None:
    """Take the derivatives of forces and power from J, column by column of what is perturbed."""
    rows, r, m, s, to = attached_targets(address)
    n_q = m.n[0]
    at_theta = 2 * n_q + 2 * rows.n[0]
    theta = y[at_theta : at_theta + len(m.counted)]
    for k in range(0, 4, 2):  # here, and to be moved aside
        spread(m.coord, m.entry, y[:n_q], True, s.z[k])
        spread(m.coord, m.entry, y[n_q : 2 * n_q], False, s.z[k + 1])
    for c in range(len(to.perturbed)):
        p = to.perturbed[c]
        for level in range(2):
            # forces are at most quadratic in speeds: of these any step is exact
            step = p.step * STEP if level == 0 else p.step
            power = 0.0
            for side in range(2):
                for e in range(p.first, p.last):
                    k = m.column[e].q
                    s.z[2 + level, k] = s.z[level, k] + (step if side == 0 else -step) * m.column[e].c
                found = applied(m, r.sig, theta, s.z[2], s.z[3], s.f[side])
                power += found if side == 0 else -found
            for e in range(p.first, p.last):
                s.z[2 + level, m.column[e].q] = s.z[level, m.column[e].q]
            for k in range(len(m.coord)):
                s.f[0, k] = (s.f[0, k] - s.f[1, k]) / (2.0 * step)
            s.out[:] = 0.0
            s.out[len(s.out) - 1] = power / (2.0 * step)
            gather(m, s.f[0], s.out)
            for e in range(p.mid if level else to.perturbed[c - 1].end if c else 0, p.end if level else p.mid):
                J[to.landing[e].slot] -= s.out[to.landing[e].row]


@entry
def levels(t: float, q: Array, v: Array, phi_q: Array, address: int) -> None:
    """Fill phi_q (n_row, n_q) and, in the work arrays, phi, phi_t and gamma."""
    rows, r = attached_rows(address)
    signals(t, rows.segment, rows.signal, r.sig)
    rates(rows.term, r.sig, q, v, r.h, r.phi[2])
    gradient(rows.term, r.sig, q, r.phi[0], r.phi[1], r.g)
    wind_rates(rows.thread, rows.cell, v, r.phi, r.g, r.h)
    wind(rows.thread, r.phi, r.g)
    phi_q[:, :] = 0.0
    for e in range(rows.n[1]):
        phi_q[rows.cell[e].row, rows.cell[e].z] += r.g[e]


@entry
def forces(t: float, theta: Array, q: Array, v: Array, address: int) -> float:
    """Fill out with all forces on q and the rates of theta, f[0] with forces on Z; return the power."""
    rows, r, m, s = attached(address)
    signals(t, rows.segment, rows.signal, r.sig)
    s.f[0, :] = 0.0
    return push(m, s, r.sig, theta, q, v)


@entry
def springs(theta: Array, z: Array, address: int) -> float:
    """Return the potential of springs."""
    _, _, m, _ = attached(address)
    return potential(m, theta, z)
