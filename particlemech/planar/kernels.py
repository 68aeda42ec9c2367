"""The two kernels that IDA calls: residual and Jacobian of the stabilised index-2 system.

    y = (q, v, lam, mu, theta, W)

    kinematics   q' - v + phi_q^T mu                                       = 0            (1)
    balance      proj . (outboard sum of rate of momentum - applied - reactions) = 0      (2)  [A00] 2.4
    velocity     phi_q v + phi_t + eps_v lam                               = 0            (3)
    position     phi - eps_p mu                                            = 0            (4)
    angles       theta' - omega                                            = 0            (5)
    work         W' - power of drivers, loads and dampers                  = 0            (6)

Block picture of J = cy dF/dy + cp dF/dy':

             q          v          lam      mu       theta   W
    (1)    cp + bend   -1                  phi_q^T
    (2)    dw/dq       dw/dv + cp M  reach
    (3)    h           phi_q      eps_v
    (4)    phi_q                           -eps_p
    (5)    -omega_q    -omega_v                      cp
    (6)    -P_q        -P_v      -rate                       cp
"""

from __future__ import annotations

from typing import NamedTuple

from particlemech._jit import Records, kernel
from particlemech.planar.chain import momentum, momentum_z, projections, react, sweep
from particlemech.planar.forces import applied, applied_z
from particlemech.planar.forces.geometry import spin, spin_z
from particlemech.planar.rows import gradient, rates, signals, spread
from particlemech.system import Array


class Tables(NamedTuple):
    """What the kernels read; see compiled.Compiled and slots.Places."""

    n: Array  # n_q, n_lam, n_row, n_free, then the addresses in val and D
    body: Records
    coord: Records
    entry: Records
    term: Records
    cell: Records
    row: Records
    free: Records
    segment: Records
    signal: Records
    loads: Records
    torques: Records
    springs: Records
    torsions: Records
    gravity: Array


class Scratch(NamedTuple):
    """What the kernels write while they work; one set per run."""

    extra: Array  # (n_body + 1, 3) wrenches of custom forces and, last, their power
    sig: Array  # (n_signal, 3)
    z: Array  # (5, ...) Z, Z', Z'', and g, h per cell
    phi: Array  # (3, n_row) phi, phi_t, gamma
    w: Array  # (2 n_body, 3) wrench of each body, and of everything outboard
    proj: Array  # (n_free, 3)
    val: Array  # (n_val,)
    D: Array  # (n_D, 3)


@kernel
def evaluate(t: float, y: Array, yp: Array, m: Tables, s: Scratch) -> float:
    """Fill sig, z (all but h), phi (all but gamma), w and proj; return the power of forces, W."""
    n_q, n_lam, n_row, n_body = m.n[0], m.n[1], m.n[2], len(m.body)
    at_lam, at_mu = 2 * n_q, 2 * n_q + n_lam
    lam, theta = y[at_lam:at_mu], y[at_mu + n_row : at_mu + n_row + n_body]
    zz, vz, az, g = s.z[0], s.z[1], s.z[2], s.z[3, : len(m.cell)]
    signals(t, m.segment, m.signal, s.sig)
    spread(m.coord, m.entry, y[:n_q], True, zz)
    spread(m.coord, m.entry, y[n_q : 2 * n_q], False, vz)
    spread(m.coord, m.entry, yp[n_q : 2 * n_q], False, az)
    gradient(m.term, s.sig, zz, s.phi[0], s.phi[1], g)

    # wrench of each body, then of everything outboard, to be projected on the free directions
    wrench = s.w[:n_body]
    momentum(m.body, m.gravity, zz, az, wrench)
    power = applied(m.loads, m.torques, m.springs, m.torsions, s.sig, theta, zz, vz, wrench)
    for b in range(n_body):
        for c in range(3):
            wrench[b, c] -= s.extra[b, c]
    react(m.cell, m.row, lam, g, zz, wrench)
    sweep(m.body, wrench, s.w[n_body:])
    projections(m.free, zz, s.proj)
    return power + s.extra[n_body, 0]


@kernel
def residual(t: float, y: Array, yp: Array, m: Tables, s: Scratch, res: Array) -> None:
    """Fill res (n,) by (1)-(6)."""
    n_q, n_lam, n_row, n_free, n_body = m.n[0], m.n[1], m.n[2], m.n[3], len(m.body)
    at_mu = 2 * n_q + n_lam
    at_theta = at_mu + n_row
    lam, mu = y[2 * n_q : at_mu], y[at_mu:at_theta]
    coord, entry, cell, row, free, phi, proj = m.coord, m.entry, m.cell, m.row, m.free, s.phi, s.proj
    zz, vz, g, outboard = s.z[0], s.z[1], s.z[3], s.w[n_body:]
    power = evaluate(t, y, yp, m, s)

    # balance (2)
    for e in range(n_free):
        b = free[e].body
        res[n_q + e] = proj[e, 0] * outboard[b, 0] + proj[e, 1] * outboard[b, 1] + proj[e, 2] * outboard[b, 2]

    # kinematics (1), velocity (3), position (4)
    velocity, position = n_q + n_free, n_q + n_free + n_row
    for k in range(n_q):
        res[k] = yp[k] - y[n_q + k]
    for r in range(n_row):
        p = row[r]
        res[velocity + r] = phi[1, r]
        if p.lam >= 0:
            res[velocity + r] += p.eps_v * lam[p.lam]
        if p.drive >= 0:
            power += lam[p.lam] * s.sig[p.drive, 1]
        res[position + r] = phi[0, r] - p.eps_p * mu[r]
    for e in range(len(cell)):
        r, k = cell[e].row, cell[e].z
        res[velocity + r] += g[e] * vz[k]
        for i in range(coord[k].first, coord[k].last):
            res[entry[i].q] += entry[i].c * g[e] * mu[r]

    # angles (5) and work (6)
    for b in range(n_body):
        res[at_theta + b] = yp[at_theta + b] - spin(zz, vz, b, m.body[b].length)
    res[at_theta + n_body] = yp[at_theta + n_body] - power


@kernel
def jacobian(
    t: float,
    y: Array,
    yp: Array,
    cy: float,
    cp: float,
    m: Tables,
    s: Scratch,
    scatter: Records,
    pair: Records,
    J: Array,
) -> None:
    """Fill J (flat) with cy dF/dy + cp dF/dy'."""
    n_q, n_lam, n_row, n_free, n_body = m.n[0], m.n[1], m.n[2], m.n[3], len(m.body)
    at_g, at_h, at_bend, at_swing, at_spin, at_power, at_rate = m.n[4], m.n[5], m.n[6], m.n[7], m.n[8], m.n[9], m.n[10]
    at_reach, at_curl, at_force = m.n[11], m.n[12], m.n[13]
    at_mu = 2 * n_q + n_lam
    at_theta = at_mu + n_row
    lam, mu, theta = y[2 * n_q : at_mu], y[at_mu:at_theta], y[at_theta : at_theta + n_body]
    body, term, cell, row, free = m.body, m.term, m.cell, m.row, m.free
    sig, proj, val, D, outboard = s.sig, s.proj, s.val, s.D, s.w[n_body:]
    zz, vz, az, g, h = s.z[0], s.z[1], s.z[2], s.z[3, : len(cell)], s.z[4, : len(cell)]
    evaluate(t, y, yp, m, s)
    rates(term, sig, zz, vz, h, s.phi[2])

    # plain values
    val[0], val[1] = cy, cp
    for r in range(n_row):
        val[2 + r], val[2 + n_row + r] = cy * row[r].eps_v, cy * row[r].eps_p
        val[at_rate + r] = cy * sig[row[r].drive, 1] if row[r].drive >= 0 else 0.0
    for e in range(len(cell)):
        val[at_g + e], val[at_h + e] = cy * g[e], cy * h[e]
    for e in range(n_free):
        p = free[e]
        rx, ry = outboard[p.body, 0], outboard[p.body, 1]
        # d(proj)/dZ on the body that carries the place or direction: columns of (a I + b K) d, and of Z1
        if p.moment:
            fx, fy = -ry, rx
        else:
            fx, fy = rx, ry
        val[at_swing + 4 * e + 2] = cy * (p.a * fx + p.b * fy)
        val[at_swing + 4 * e + 3] = cy * (p.a * fy - p.b * fx)
        val[at_swing + 4 * e] = -val[at_swing + 4 * e + 2] + cy * p.moment * fx
        val[at_swing + 4 * e + 1] = -val[at_swing + 4 * e + 3] + cy * p.moment * fy
    for b in range(n_body):
        for k in range(4):
            val[at_spin + 8 * b + k] = -cy * spin_z(vz, b, body[b].length, k)
            val[at_spin + 8 * b + 4 + k] = cy * spin_z(zz, b, body[b].length, k)

    # derivatives of the wrenches
    momentum_z(body, m.gravity, zz, az, cy, cp, D)
    D[at_reach:] = 0.0
    reach, curl = D[at_reach:at_curl], D[at_curl:at_force]
    for e in range(len(cell)):
        k = cell[e].z
        if row[cell[e].row].lam >= 0:
            lever(k, cy * g[e], zz, reach[e])
            # the arm of a reaction moves with its particle
            f = cy * lam[row[cell[e].row].lam] * g[e]
            if k % 2 == 0:
                D[8 * (k // 4) + k % 4 + 1, 2] += f
            else:
                D[8 * (k // 4) + k % 4 - 1, 2] -= f
    for e in range(len(term)):
        p = term[e]
        if p.i >= 0 and p.j >= 0:
            val[at_bend + e] = cy * p.c * sig[p.s, 0] * mu[p.row]
            if row[p.row].lam >= 0:
                f = cy * p.c * sig[p.s, 0] * lam[row[p.row].lam]
                lever(p.i, f, zz, curl[2 * e])
                lever(p.j, f, zz, curl[2 * e + 1])
    applied_z(m.loads, m.torques, m.springs, m.torsions, sig, theta, zz, vz, cy, D[at_force:], val[at_power:at_rate])

    J[:] = 0.0
    for e in range(len(scatter)):
        J[scatter[e].slot] += scatter[e].c * val[scatter[e].source]
    for e in range(len(pair)):
        p = pair[e]
        J[p.slot] += p.c * (
            proj[p.row, 0] * D[p.source, 0] + proj[p.row, 1] * D[p.source, 1] + proj[p.row, 2] * D[p.source, 2]
        )


@kernel
def lever(k: int, f: float, z: Array, d: Array) -> None:
    """Fill d (3,) with minus the wrench of a force f along body coordinate k."""
    if k % 2 == 0:
        d[0], d[1], d[2] = -f, 0.0, z[k + 1] * f
    else:
        d[0], d[1], d[2] = 0.0, -f, -z[k - 1] * f
