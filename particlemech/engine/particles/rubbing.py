"""Friction in explicit steps: efforts that go with reactions that are total, from a few more right sides.

Accelerations and multipliers are linear in the efforts f of friction, so with the factors at hand

    x = x0 + sum_k f_k X_k,    X_k the solution for a unit effort at place k alone, x0 without            (1)

and so are the loads R of all places: engine/friction.py (1) says which f go with them. The load of a joint that keeps
its rows is their multipliers. Where bodies share a particle at a pin there are none; the force of the pin is then what
its body asks of the particle Z_i,

    R = M_i (Z'' - g) - (applied force and rows on Z_i)                                                   (2)

M_i its two rows of the mass matrix of the body, and a wrench is forces on the particles by accelerations.py (2).
"""

from __future__ import annotations

import math
from typing import Any

from particlemech._jit import Records, kernel
from particlemech.engine.friction import gripped, settled
from particlemech.engine.particles.factors import substitute, substitute_columns
from particlemech.engine.particles.forces.friction import rate_of, rolled, slipping
from particlemech.engine.particles.forces.geometry import place
from particlemech.engine.particles.forces.motor import ROD_1, swung
from particlemech.engine.particles.turns import turned_gradient
from particlemech.engine.system import Array
from particlemech.engine.terms import gradient, spread

# what is linear in x of a component of a load, 2 j and 2 j + 1 of place j: c, times the gradient in a cell of the rows
# in body coordinates where there is one, times x at a place in the order of elimination, which has minus multipliers
ITEM = [("to", "i4"), ("at", "i4"), ("cell", "i4"), ("c", "f8")]
# what is not, where a balance gives it: minus the weight on particle coordinate z, minus c times applied force there
PART = [("to", "i4"), ("z", "i4"), ("body", "i4"), ("forced", "i4"), ("c", "f8"), ("weight", "f8")]
# number `unit` of unit effort `of`, times c: in the right side at a place of the elimination, or in a load
SHARE = [("to", "i4"), ("of", "i4"), ("unit", "i4"), ("c", "f8")]
EFFORT, SIGMA, RATE = range(3)  # rows of WorkArrays.efforts


@kernel
def particle_forces(k: int, length: float, rx: float, ry: float, tau: float, z: Array, out: Array) -> None:
    """Fill out (4,) with the forces on the particles at z[k:] that are a wrench, accelerations.py (2)."""
    couple = (tau - z[k] * ry + z[k + 1] * rx) / (length * length)
    f2x, f2y = -couple * (z[k + 3] - z[k + 1]), couple * (z[k + 2] - z[k])
    out[0], out[1], out[2], out[3] = rx - f2x, ry - f2y, f2x, f2y


@kernel
def unit_effort(p: Records, segment: Records, z: Array, out: Array) -> None:
    """Fill out (8,) with the forces on the particles of both bodies that are a unit effort."""
    out[:] = 0.0
    ux, uy, x, y, tau = 0.0, 0.0, 0.0, 0.0, 1.0
    if p.turn >= ROD_1:
        ux, uy, _, _, _, _ = swung(p, z, z)
        one, other = (-1.0, 0.0) if p.turn == ROD_1 else (0.0, -1.0)
        if p.body1 >= 0:
            x, y = place(z, p.body1, p.a1, p.b1, p.x1, p.y1)
            particle_forces(4 * p.body1, p.l1, -ux, -uy, one - x * uy + y * ux, z, out[:4])
        if p.body2 >= 0:
            x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
            particle_forces(4 * p.body2, p.l2, ux, uy, other + x * uy - y * ux, z, out[4:])
        return
    if not p.turn:
        ux, uy, _, _, _, _, _, _ = slipping(p, segment, z, z)
        x, y = place(z, p.body2, p.a2, p.b2, p.x2, p.y2)
        tau = x * uy - y * ux + rolled(p, ux, uy)
    if p.body1 >= 0:
        particle_forces(4 * p.body1, p.l1, -ux, -uy, -tau, z, out[:4])
    if p.body2 >= 0:
        particle_forces(4 * p.body2, p.l2, ux, uy, tau, z, out[4:])


@kernel
def weigh(m: Any, s: Any) -> None:
    """Fill s.share with the factors of x in the loads of all places, and s.pull with applied forces on particles."""
    for e in range(len(m.item)):
        p = m.item[e]
        s.share[e] = p.c * s.slope[p.cell] if p.cell >= 0 else p.c
    for e in range(len(m.part)):
        b = m.part[e].body
        if m.part[e].forced:  # w is minus the applied wrench
            out = s.pull[4 * b : 4 * b + 4]
            particle_forces(4 * b, m.body[b].length, -s.w[b, 0], -s.w[b, 1], -s.w[b, 2], s.z[0], out)


@kernel
def loads(m: Any, s: Any) -> None:
    """Fill s.load with the loads of all places: of unit efforts row by row, in the last row those without friction."""
    n = len(m.rub)
    s.load[:] = 0.0
    for e in range(len(m.item)):
        to, at, share = m.item[e].to, m.item[e].at, s.share[e]
        for k in range(n):
            s.load[k, to] += share * s.response[at, k]
        s.load[n, to] += share * s.x[at]
    for e in range(len(m.part)):
        p = m.part[e]
        s.load[n, p.to] -= p.weight + (p.c * s.pull[p.z] if p.forced else 0.0)
    for e in range(len(m.borne)):
        p = m.borne[e]
        s.load[p.of, p.to] -= p.c * s.unit[p.of, p.unit]


@kernel
def solved(m: Any, s: Any) -> None:
    """Solve for all unit efforts and for x, which takes a column that is to spare."""
    n, width = len(m.rub), s.response.shape[1]
    for i in range(len(s.x) if width > n else 0):
        s.response[i, n] = s.x[i]
    if width == n:
        substitute(s.val, m.column, m.row, s.x)
    for a in range(0, width, 8):
        if width - a >= 8:
            substitute_columns(s.val, m.column, m.row, a, 8, s.response)
        else:
            substitute_columns(s.val, m.column, m.row, a, 4, s.response)
    for i in range(len(s.x) if width > n else 0):
        s.x[i] = s.response[i, n]


@kernel
def rubbed(q: Array, v: Array, m: Any, s: Any) -> float:
    """Turn the right side x into the solution with friction, and return its power; x is NaN where a joint jams.

    s.w holds minus the applied wrenches, val the factors.
    """
    n = len(m.rub)
    z, vz, f, sigma, rate = s.z[0], s.z[1], s.efforts[EFFORT], s.efforts[SIGMA], s.efforts[RATE]
    spread(m.coord, m.entry, q, True, z)
    spread(m.coord, m.entry, v, False, vz)
    moving = False
    for k in range(n):
        rate[k] = rate_of(m.rub[k], m.segment, z, vz)
    gripped(m.rub, rate, sigma)
    for k in range(n):
        moving = moving or sigma[k] != 0.0
    if not moving:
        f[:] = 0.0
        substitute(s.val, m.column, m.row, s.x)
        return 0.0
    if len(m.part):
        gradient(m.all_terms, s.sig, z, s.levels[0], s.levels[1], s.slope)
        if len(m.all_turns):
            turned_gradient(m.all_turns, m.all_arms, m.all_spots, m.segment, z, s.slope)
    weigh(m, s)
    s.response[:] = 0.0
    for k in range(n):
        unit_effort(m.rub[k], m.segment, z, s.unit[k])
    for e in range(len(m.acts)):
        p = m.acts[e]
        s.response[p.to, p.of] += p.c * s.unit[p.of, p.unit]
    solved(m, s)
    loads(m, s)
    if not settled(m.rub, sigma, s.load[n], s.load[:n], f, s.newton, s.press):
        f[:] = 0.0
        s.x[:] = math.nan
        return 0.0
    power = 0.0
    for k in range(n):
        power += f[k] * rate[k]
    for i in range(len(s.x)):
        x = s.x[i]
        for k in range(n):
            x += f[k] * s.response[i, k]
        s.x[i] = x
    return power
