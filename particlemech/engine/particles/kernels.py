"""The two kernels that IDA calls: residual and Jacobian of the stabilised index-2 system.

All tables and all scratch come behind one address, see _jit.ArgumentBlock.

    y = (q, v, lam, mu, theta, z, W)         z: states of motors and controllers, see forces/custom.py

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

import math
from typing import Annotated, NamedTuple

from particlemech._jit import Records, attachment, entry, kernel, read, written
from particlemech.engine.particles.chain import BODY, FREE, momentum, momentum_z, projections, react, sweep
from particlemech.engine.particles.forces import KINDS, applied, applied_z, friction
from particlemech.engine.particles.forces.geometry import spin, spin_z
from particlemech.engine.particles.turns import (
    ARM,
    SPOT,
    TURN,
    along,
    turned_gradient,
    turned_rates,
    turned_rows,
    twist,
)
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, signals
from particlemech.engine.system import Array
from particlemech.engine.terms import CELL, COORD, ENTRY, TERM, gradient, rates, spread

ROW = [("lam", "i4"), ("drive", "i4"), ("eps_v", "f8"), ("eps_p", "f8")]
SCATTER = [("slot", "i4"), ("source", "i4"), ("c", "f8")]
PAIR = [("slot", "i4"), ("row", "i4"), ("source", "i4"), ("c", "f8")]
LOADS, TORQUES, SPRINGS, MOTORS = (kind.TABLE for kind in KINDS)
_rubbed, _rubbed_z = friction.applied, friction.applied_z


class Tables(NamedTuple):
    """What the kernels read; see compiled.Compiled and slots.Places."""

    n: Annotated[Array, read("i8")]  # n_q, n_lam, n_row, n_free, then the addresses in val and D
    body: Annotated[Records, read(BODY)]
    coord: Annotated[Records, read(COORD)]
    entry: Annotated[Records, read(ENTRY)]
    term: Annotated[Records, read(TERM)]
    cell: Annotated[Records, read(CELL)]
    turn: Annotated[Records, read(TURN)]
    arm: Annotated[Records, read(ARM)]
    spot: Annotated[Records, read(SPOT)]
    row: Annotated[Records, read(ROW)]
    free: Annotated[Records, read(FREE)]
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]
    loads: Annotated[Records, read(LOADS)]
    torques: Annotated[Records, read(TORQUES)]
    springs: Annotated[Records, read(SPRINGS)]
    motors: Annotated[Records, read(MOTORS)]
    rub: Annotated[Records, read(friction.TABLE)]
    gravity: Annotated[Array, read("f8")]


class Scratch(NamedTuple):
    """What the kernels write while they work; one set per run."""

    extra: Annotated[Array, written(2)]  # (n_body + 1, 3) wrenches of custom forces and, last, their power
    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    z: Annotated[Array, written(2)]  # (5, ...) Z, Z', Z'', and g, h per cell
    phi: Annotated[Array, written(2)]  # (3, n_row) phi, phi_t, gamma
    w: Annotated[Array, written(2)]  # (2 n_body, 3) wrench of each body, and of everything outboard
    proj: Annotated[Array, written(2)]  # (n_free, 3)
    val: Annotated[Array, written()]  # (n_val,)
    D: Annotated[Array, written(2)]  # (n_D, 3)


class Targets(NamedTuple):
    """Where the Jacobian's values go; see slots.Slots."""

    scatter: Annotated[Records, read(SCATTER)]
    pair: Annotated[Records, read(PAIR)]


attached = attachment(Tables, Scratch)
attached_targets = attachment(Tables, Scratch, Targets)


@kernel
def evaluate(t: float, y: Array, yp: Array, address: int) -> float:
    """Fill sig, z (all but h), phi (all but gamma), w and proj; return the power of forces, W."""
    m, s = attached(address)
    n_q, n_lam, n_row, n_body = m.n[0], m.n[1], m.n[2], len(m.body)
    at_lam, at_mu = 2 * n_q, 2 * n_q + n_lam
    lam, theta = y[at_lam:at_mu], y[at_mu + n_row : at_mu + n_row + n_body]
    zz, vz, az, g = s.z[0], s.z[1], s.z[2], s.z[3, : len(m.cell)]
    signals(t, m.segment, m.signal, s.sig)
    spread(m.coord, m.entry, y[:n_q], True, zz)
    spread(m.coord, m.entry, y[n_q : 2 * n_q], False, vz)
    spread(m.coord, m.entry, yp[n_q : 2 * n_q], False, az)
    gradient(m.term, s.sig, zz, s.phi[0], s.phi[1], g)
    if len(m.turn):
        turned_rows(m.turn, m.arm, m.segment, theta, zz, s.phi[0])
        turned_gradient(m.turn, m.arm, m.spot, m.segment, zz, g)

    # wrench of each body, then of everything outboard, to be projected on the free directions
    wrench = s.w[:n_body]
    momentum(m.body, m.gravity, zz, az, wrench)
    power = applied(m.loads, m.torques, m.springs, m.motors, s.sig, theta, zz, vz, wrench)
    for b in range(n_body):
        for c in range(3):
            wrench[b, c] -= s.extra[b, c]
    if len(m.rub):
        power += _rubbed(m.rub, m.segment, lam, zz, vz, wrench)
    react(m.cell, m.row, lam, g, zz, wrench)
    sweep(m.body, wrench, s.w[n_body:])
    projections(m.free, zz, s.proj)
    return power + s.extra[n_body, 0]


@entry
def residual(t: float, y: Array, yp: Array, address: int, res: Array) -> bool:
    """Fill res (n,) by (1)-(6); return whether it is finite."""
    m, s = attached(address)
    n_q, n_lam, n_row, n_free, n_body = m.n[0], m.n[1], m.n[2], m.n[3], len(m.body)
    at_mu = 2 * n_q + n_lam
    at_theta = at_mu + n_row
    lam, mu = y[2 * n_q : at_mu], y[at_mu:at_theta]
    coord, entry, cell, row, free, phi, proj = m.coord, m.entry, m.cell, m.row, m.free, s.phi, s.proj
    zz, vz, g, outboard = s.z[0], s.z[1], s.z[3], s.w[n_body:]
    power = evaluate(t, y, yp, address)

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
    for k in range(at_theta + n_body, len(res)):  # states of elements come from Python
        res[k] = 0.0
    res[len(res) - 1] = yp[len(res) - 1] - power
    total = 0.0
    for k in range(len(res)):
        total += res[k] * res[k]
    return math.isfinite(total)


@kernel
def plain_values(cy: float, cp: float, address: int) -> None:
    """Fill val: constants, gradients of rows, derivatives of the projections and of omega; see slots.Places."""
    m, s = attached(address)
    n_row, n_body, val = m.n[2], len(m.body), s.val
    at_g, at_h, at_swing, at_spin, at_rate = m.n[4], m.n[5], m.n[7], m.n[8], m.n[10]
    val[0], val[1] = cy, cp
    for r in range(n_row):
        val[2 + r], val[2 + n_row + r] = cy * m.row[r].eps_v, cy * m.row[r].eps_p
        val[at_rate + r] = cy * s.sig[m.row[r].drive, 1] if m.row[r].drive >= 0 else 0.0
    for e in range(len(m.cell)):
        val[at_g + e], val[at_h + e] = cy * s.z[3, e], cy * s.z[4, e]
    for e in range(len(m.free)):
        p = m.free[e]
        rx, ry = s.w[n_body + p.body, 0], s.w[n_body + p.body, 1]
        # d(proj)/dZ on the body that carries the place or direction: columns of (a I + b K) d, and of Z1
        fx, fy = (-ry, rx) if p.moment else (rx, ry)
        val[at_swing + 4 * e + 2] = cy * (p.a * fx + p.b * fy)
        val[at_swing + 4 * e + 3] = cy * (p.a * fy - p.b * fx)
        val[at_swing + 4 * e] = -val[at_swing + 4 * e + 2] + cy * p.moment * fx
        val[at_swing + 4 * e + 1] = -val[at_swing + 4 * e + 3] + cy * p.moment * fy
    for b in range(n_body):
        for k in range(4):
            val[at_spin + 8 * b + k] = -cy * spin_z(s.z[1], b, m.body[b].length, k)
            val[at_spin + 8 * b + 4 + k] = cy * spin_z(s.z[0], b, m.body[b].length, k)


@kernel
def reactions_z(lam: Array, mu: Array, cy: float, address: int) -> None:
    """Fill the derivatives of the reactions into D, and the curvature of rows times mu into val."""
    m, s = attached(address)
    at_bend, at_reach, at_curl = m.n[6], m.n[11], m.n[12]
    zz, D = s.z[0], s.D
    for e in range(len(m.cell)):
        k, r = m.cell[e].z, m.row[m.cell[e].row].lam
        if r >= 0:
            lever(k, cy * s.z[3, e], zz, D[at_reach + e])
            # the arm of a reaction moves with its particle
            f = cy * lam[r] * s.z[3, e]
            if k % 2 == 0:
                D[8 * (k // 4) + k % 4 + 1, 2] += f
            else:
                D[8 * (k // 4) + k % 4 - 1, 2] -= f
    for e in range(len(m.term)):
        p = m.term[e]
        if p.i >= 0 and p.j >= 0:
            curvature = cy * p.c * s.sig[p.s, 0]
            s.val[at_bend + e] = curvature * mu[p.row]
            r = m.row[p.row].lam
            if r >= 0:
                lever(p.i, curvature * lam[r], zz, D[at_curl + 2 * e])
                lever(p.j, curvature * lam[r], zz, D[at_curl + 2 * e + 1])
    turns_z(lam, mu, cy, address)


@kernel
def turns_z(lam: Array, mu: Array, cy: float, address: int) -> None:
    """Fill the same of the angles and strands that rows hold, turns.py (3)."""
    m, s = attached(address)
    at_coil, at_twist, zz, D = m.n[14], m.n[15], s.z[0], s.D
    for e in range(len(m.turn)):
        p = m.turn[e]
        r, n = m.row[p.row].lam, p.arms - p.arm
        for i in range(n):
            one, by = m.arm[p.arm + i], twist(p, m.arm, m.segment, p.arm + i, zz)
            for j in range(n):
                other = m.arm[p.arm + j]
                curvature = cy * p.c * along(other.of, other.x, other.y, by)
                s.val[at_coil + p.bend + n * i + j] = curvature * mu[p.row]
                if r >= 0:
                    lever(one.z, curvature * lam[r], zz, D[at_twist + p.bend + n * i + j])


@entry
def jacobian(t: float, y: Array, yp: Array, cy: float, cp: float, address: int, J: Array) -> None:
    """Fill J (flat) with cy dF/dy + cp dF/dy'."""
    m, s, to = attached_targets(address)
    n_q, n_row, n_body = m.n[0], m.n[2], len(m.body)
    at_power, at_rate, at_reach, at_force = m.n[9], m.n[10], m.n[11], m.n[13]
    at_mu = 2 * n_q + m.n[1]
    at_theta = at_mu + n_row
    theta = y[at_theta : at_theta + n_body]
    zz, vz, val, D, proj = s.z[0], s.z[1], s.val, s.D, s.proj
    evaluate(t, y, yp, address)
    rates(m.term, s.sig, zz, vz, s.z[4, : len(m.cell)], s.phi[2])
    turned_rates(m.turn, m.arm, m.spot, m.segment, zz, vz, s.z[4, : len(m.cell)], s.phi[2])

    # plain values and derivatives of the wrenches
    plain_values(cy, cp, address)
    momentum_z(m.body, m.gravity, zz, s.z[2], cy, cp, D)
    D[at_reach:] = 0.0
    reactions_z(y[2 * n_q : at_mu], y[at_mu:at_theta], cy, address)
    own = val[at_power:at_rate]
    applied_z(m.loads, m.torques, m.springs, m.motors, s.sig, theta, zz, vz, cy, D[at_force:], own)

    if len(m.rub):
        _rubbed_z(m.rub, m.segment, y[2 * n_q : at_mu], zz, vz, cy, D[at_force:], own)

    # to their places, see sparsity.py (1), (2)
    scatter, pair = to.scatter, to.pair
    J[:] = 0.0
    for e in range(len(scatter)):
        J[scatter[e].slot] += scatter[e].c * val[scatter[e].source]
    for e in range(len(pair)):
        p = pair[e]
        r, k = p.row, p.source
        J[p.slot] += p.c * (proj[r, 0] * D[k, 0] + proj[r, 1] * D[k, 1] + proj[r, 2] * D[k, 2])


@kernel
def lever(k: int, f: float, z: Array, d: Array) -> None:
    """Fill d (3,) with minus the wrench of a force f along body coordinate k."""
    if k % 2 == 0:
        d[0], d[1], d[2] = -f, 0.0, z[k + 1] * f
    else:
        d[0], d[1], d[2] = 0.0, -f, -z[k - 1] * f
