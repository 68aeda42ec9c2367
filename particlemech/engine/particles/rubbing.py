"""Friction in explicit steps: efforts that go with reactions that are total, from a few more right sides.

Accelerations and multipliers are linear in the efforts f of friction, so with the factors at hand

    x = x0 + sum_k f_k X_k,    X_k the solution for a unit effort at place k alone, x0 without            (1)

and so are the loads R of all places: engine/friction.py (1) says which f go with them. The load of a joint that keeps
its rows is their multipliers. Where bodies share a particle at a pin there are none; the force of the pin is then what
its body asks of the particle Z_i,

    R = M_i (Z'' - g) - (applied force and rows on Z_i)                                                   (2)

M_i its two rows of the mass matrix of the body, and a wrench is forces on the particles by accelerations.py (2).

Where friction turns bodies, rates come from the angular velocities omega_b and unit efforts are couples:

    rate_k = sum_b e_bk omega_b,    tau_bk = e_bk,    e = 1 on the second body, -1 on the first                    (3)
"""

from __future__ import annotations

import math
from typing import Any

from particlemech._jit import EIGHT, Records, added, bumped, eight, first, inner, kernel, only, put, scaled
from particlemech.engine.friction import EFFORT, RATE, SIGMA, gripped, settled
from particlemech.engine.particles.factors import substitute, substitute_eight
from particlemech.engine.particles.forces.friction import rate_of, rolled, slipping
from particlemech.engine.particles.forces.geometry import place, spin
from particlemech.engine.particles.forces.motor import ROD_1, swung
from particlemech.engine.particles.turns import turned_gradient
from particlemech.engine.system import Array
from particlemech.engine.terms import spread

# what is linear in x of a component of a load, 2 j and 2 j + 1 of place j: c, more where rows pull, times x at a place
# in the order of elimination, which has minus multipliers
ITEM = [("to", "i4"), ("at", "i4"), ("c", "f8")]
# what a row adds to c of an item, its gradient by a body coordinate: a factor times a signal times another of these
PULL = [("to", "i4"), ("s", "i4"), ("z", "i4"), ("c", "f8")]
# what is not, where a balance gives it: minus the weight, minus c times forces on particle coordinate z of a body
PART = [("to", "i4"), ("z", "i4"), ("c", "f8"), ("weight", "f8")]


@kernel
def particle_forces(k: int, length: float, rx: float, ry: float, tau: float, z: Array, col: int, out: Array) -> None:
    """Fill a column of out with the forces on the particles at z[k:] that are a wrench, accelerations.py (2)."""
    couple = (tau - z[k] * ry + z[k + 1] * rx) / (length * length)
    f2x, f2y = -couple * (z[k + 3] - z[k + 1]), couple * (z[k + 2] - z[k])
    out[k, col], out[k + 1, col], out[k + 2, col], out[k + 3, col] = rx - f2x, ry - f2y, f2x, f2y


@kernel
def unit_effort(p: Records, segment: Records, z: Array, col: int, out: Array) -> None:
    """Fill a column of out with the forces on the particles of both bodies that are a unit effort."""
    if p.turn >= ROD_1:
        ux, uy, _, _, _, _ = swung(p, z, z)
        one, other = (-1.0, 0.0) if p.turn == ROD_1 else (0.0, -1.0)
        if p.body1 >= 0:
            x, y = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
            particle_forces(4 * p.body1, p.l1, -ux, -uy, one - x * uy + y * ux, z, col, out)
        if p.body2 >= 0:
            x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
            particle_forces(4 * p.body2, p.l2, ux, uy, other + x * uy - y * ux, z, col, out)
        return
    ux, uy, _, _, _, _, _, _ = slipping(p, segment, z, z)
    x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
    tau = x * uy - y * ux + rolled(p, ux, uy)
    if p.body1 >= 0:
        particle_forces(4 * p.body1, p.l1, -ux, -uy, -tau, z, col, out)
    if p.body2 >= 0:
        particle_forces(4 * p.body2, p.l2, ux, uy, tau, z, col, out)


@kernel
def rubbing_rates(m: Any, s: Any) -> None:
    """Fill the rates of all places: (3) of those where bodies turn, then others."""
    z, vz = s.z[0], s.z[1]
    for a in range(0, s.efforts.shape[1], EIGHT):
        rate = only(0, 0.0)
        for b in range(len(m.sense)):
            rate = added(spin(z, vz, b, m.body[b].length), eight(m.sense, b, a), rate)
        put(s.efforts, RATE, a, rate)
    for e in range(len(m.slips)):
        s.efforts[RATE, m.slips[e]] = rate_of(m.rub[m.slips[e]], m.segment, z, vz)


@kernel
def pushed(m: Any, s: Any) -> None:
    """Fill s.unit with forces on particles: of unit efforts by columns, in column n applied ones; w is minus these."""
    n, z, unit = len(m.rub), s.z[0], s.unit
    for b in range(len(m.sense)):
        k, over = 4 * b, 1.0 / (m.body[b].length * m.body[b].length)
        fx, fy = -over * (z[k + 3] - z[k + 1]), over * (z[k + 2] - z[k])
        for a in range(0, unit.shape[1], EIGHT):
            sense = eight(m.sense, b, a)
            put(unit, k, a, scaled(-fx, sense))
            put(unit, k + 1, a, scaled(-fy, sense))
            put(unit, k + 2, a, scaled(fx, sense))
            put(unit, k + 3, a, scaled(fy, sense))
    for e in range(len(m.slips)):
        unit_effort(m.rub[m.slips[e]], m.segment, z, m.slips[e], unit)
    for e in range(len(m.forced) if len(m.part) else 0):
        b = m.forced[e]
        particle_forces(4 * b, m.body[b].length, -s.w[b, 0], -s.w[b, 1], -s.w[b, 2], z, n, unit)


@kernel
def weigh(m: Any, s: Any) -> None:
    """Fill s.share with the factors of x in the loads of all places."""
    z = s.z[0]
    for e in range(len(m.item)):
        s.share[e] = m.item[e].c
    for e in range(len(m.pulls)):
        p = m.pulls[e]
        s.share[p.to] += p.c * s.sig[p.s, 0] * (z[p.z] if p.z >= 0 else 1.0)
    if len(m.turned):
        turned_gradient(m.turned, m.turned_arms, m.turned_items, m.segment, z, s.share)


@kernel
def respond(m: Any, s: Any) -> None:
    """Fill s.response with the solutions of (1): X_k by columns, x0 in column n."""
    n, response = len(m.rub), s.response
    for a in range(0, response.shape[1], EIGHT):
        for i in range(len(s.x)):
            put(response, i, a, only(n - a, s.x[i]))
        for z in range(len(m.coord)):
            force = first(n - a, eight(s.unit, z, a))
            for e in range(m.coord[z].first, m.coord[z].last):
                at = m.place[m.entry[e].q]
                put(response, at, a, added(m.entry[e].c, force, eight(response, at, a)))
        substitute_eight(s.val, m.column, m.row, a, response)


@kernel
def loads(m: Any, s: Any) -> None:
    """Fill s.load with the loads of all places: of unit efforts by columns, in column n those without friction."""
    n, load = len(m.rub), s.load
    load[:] = 0.0
    for a in range(0, load.shape[1], EIGHT):
        for e in range(len(m.part)):
            p = m.part[e]
            put(load, p.to, a, bumped(added(-p.c, eight(s.unit, p.z, a), eight(load, p.to, a)), n - a, -p.weight))
        for e in range(len(m.item)):
            p = m.item[e]
            put(load, p.to, a, added(s.share[e], eight(s.response, p.at, a), eight(load, p.to, a)))


@kernel
def rubbed(q: Array, v: Array, exact: float, m: Any, s: Any) -> float:
    """Turn the right side x into the solution with friction, and return its power; x is NaN where a joint jams.

    s.w holds minus the applied wrenches, val the factors.
    """
    n, response = len(m.rub), s.response
    z, vz, f, sigma, rate = s.z[0], s.z[1], s.efforts[EFFORT], s.efforts[SIGMA], s.efforts[RATE]
    spread(m.coord, m.entry, q, True, z)
    spread(m.coord, m.entry, v, False, vz)
    moving = False
    rubbing_rates(m, s)
    gripped(m.rub, rate, sigma)
    for k in range(n):
        moving = moving or sigma[k] != 0.0
    if not moving:
        for k in range(n):
            f[k] = 0.0
        substitute(s.val, m.column, m.row, s.x)
        return 0.0
    weigh(m, s)
    pushed(m, s)
    respond(m, s)
    loads(m, s)
    if not settled(m.rub, s.efforts, s.load, exact, s.newton, s.press):
        for k in range(n):
            f[k] = 0.0
        s.x[:] = math.nan
        return 0.0
    power = 0.0
    for k in range(n):
        power += f[k] * rate[k]
    for i in range(len(s.x)):  # (1): f_n is 1
        s.x[i] = 0.0
        for a in range(0, response.shape[1], EIGHT):
            s.x[i] += inner(eight(response, i, a), eight(s.efforts, EFFORT, a))
    return power
