"""Friction of joints from their own loads, in space; model/friction.py has the law, model/space/friction.py its places.

With slip v between the surfaces of a joint, and the load P that they carry, its stages feel

    tau_e = P d_e,   d_e = -mu(v) tanh(v/v_s)/v q_e,   v^2 = sum q_e x_e'                                        (1)
    q_e   = x_e'  of a travel,   radius^2 x_e'  of an angle,   radius^2 omega.a_e  of a ball                     (2)

P is a sum of lengths of vectors h that are linear in the wrench (M, F) which the joint transmits, about its point:

    axle      h = F/2 -+ a x M/length across the axis a, at the two ends of its bearing;  collar/radius F.a      (3)
    ball      h = F                                                                                              (4)
    thread    h = lam sqrt(1 + (pitch/radius)^2)       lam: the force of its row along the axis                  (5)

In a plane the first two of (3) add up to max(|F|, 2 |M|/length). Without a length there is one bearing, h = F across a.

Wrenches are total, friction included. Where accelerations and multipliers are known, as IDA has them, P is known, and
nothing is solved for. Where forces cause the motion wrenches are affine in the loads,

    h_k = h_k0 + sum over j of B_kj P_j,      P_k = sum |h_k|                                                    (6)

with B_kj by one sweep per joint, which reuses the factors of `inward`. engine/jamming.py says which solution of (6) is
taken, and when a joint jams: then accelerations are not numbers.
"""

from __future__ import annotations

import math

from particlemech._jit import noinline
from particlemech.engine.friction import grip
from particlemech.engine.jamming import least, length
from particlemech.engine.recursive.articulated import add_rate_of_momentum, hand_in, needed_alone
from particlemech.engine.recursive.bending import bending_needs
from particlemech.engine.recursive.forms import BALL, THREAD
from particlemech.engine.recursive.rows import forget, respond, take_off
from particlemech.engine.recursive.tables import TRAVEL, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import cross, dot, put, shifted
from particlemech.run.steps import copy

SMALL = 1e-6  # v/v_s below which tanh(x)/x is its slope


@noinline
def slip(m: Tables, s: WorkArrays) -> None:
    """Fill d of all that rubs, (1) and (2), after outward."""
    for k in range(len(m.friction)):
        p, d = m.friction[k], s.drag[k]
        square, r = 0.0, p.radius * p.radius
        for e in range(p.first, p.last):
            rate, c = s.x[e, 1], 1.0 if m.stage[e].does == TRAVEL else r
            if p.form == BALL:
                w, v, a = s.omega[p.child], s.omega[p.parent], s.axis[e]
                rate = dot(w[0] - v[0], w[1] - v[1], w[2] - v[2], a[0], a[1], a[2])
            d[e - p.first] = c * rate
            square += c * rate * s.x[e, 1]
        v = math.sqrt(max(square, 0.0))
        if p.slip != 0.0:  # Coulomb's sign as it is
            x = v * p.over_stribeck
            pull = -p.slip * (p.mu + p.more * math.exp(-x * x))
            if p.form == THREAD:  # along its helix, as (1) has it
                d[0], d[1] = pull * m.row[p.row].c / (p.radius * p.ends), pull * p.radius / p.ends
            else:
                d[0] = pull * (1.0 if m.stage[p.first].does == TRAVEL else p.radius)
            continue
        force, slope = grip(p, v)
        factor = -force / v if v * p.over_velocity > SMALL else -slope
        for e in range(p.last - p.first):
            d[e] *= factor


@noinline
def press(k: int, m: Tables, s: WorkArrays, h: Array) -> None:
    """Fill the vectors h (9,) of what rubs as number k, from the wrenches p and the multipliers: (3) to (5)."""
    p = m.friction[k]
    for c in range(9):
        h[c] = 0.0
    if p.form == THREAD:
        h[0] = s.lam[p.row] * p.ends
        return
    f, a = s.p[p.child], s.axis[p.axis]
    if p.form == BALL:
        put(h, f[3], f[4], f[5])
        return
    along = dot(a[0], a[1], a[2], f[3], f[4], f[5])
    x, y, z = f[3] - along * a[0], f[4] - along * a[1], f[5] - along * a[2]
    h[6] = p.ends * along
    if p.over_length == 0.0:
        put(h, x, y, z)
        return
    ax, ay, az = shifted(s.S[p.on], p.at[0], p.at[1], p.at[2])
    O, C = s.O[p.on], s.O[p.child]
    u, v, w = cross(C[0] - O[0] - ax, C[1] - O[1] - ay, C[2] - O[2] - az, f[3], f[4], f[5])
    u, v, w = cross(a[0], a[1], a[2], f[0] + u, f[1] + v, f[2] + w)
    c = p.over_length
    h[0], h[1], h[2] = 0.5 * x - c * u, 0.5 * y - c * v, 0.5 * z - c * w
    h[3], h[4], h[5] = x - h[0], y - h[1], z - h[2]


@noinline
def drag(m: Tables, s: WorkArrays) -> float:
    """Add friction to `tau`, after `slip`, where `loads` are known; return its power."""
    power = 0.0
    for k in range(len(m.friction)):
        p = m.friction[k]
        for e in range(p.first, p.last):
            effort = s.loads[k] * s.drag[k, e - p.first]
            s.tau[e, 0] += effort
            power += effort * s.x[e, 1]
    return power


@noinline
def known(m: Tables, s: WorkArrays) -> float:
    """Add friction to `tau` for known wrenches p and multipliers lam; return its power."""
    slip(m, s)
    for k in range(len(m.friction)):
        press(k, m, s, s.press[0, k])
        s.loads[k] = length(s.press[0, k])
    return drag(m, s)


# -- where forces cause the motion -------------------------------------------------------------------------------------


@noinline
def rub(m: Tables, s: WorkArrays) -> float:
    """Add friction and what it does to `tau`, x_ddot and lam, after accelerations without it; return its power."""
    n, n_f = len(m.stage), len(m.friction)
    slip(m, s)
    needed_alone(m, s)
    take_off(s.lam, m, s)
    hand_in(m, s)
    note(0, m, s)
    for e in range(n):
        s.tau_before[e] = s.tau[e, 0]
    for i in range(len(m.body)):
        copy(s.c[i], s.steady[i])
    for j in range(n_f):
        forget(m, s)
        for e in range(m.friction[j].first, m.friction[j].last):
            s.tau[e, 0] = s.drag[j, e - m.friction[j].first]
        respond(m, s)
        weigh(m, s)
        note(1 + j, m, s)
    for i in range(len(m.body)):
        copy(s.steady[i], s.c[i])
    for k in range(3):
        s.a[0, k], s.a[0, k + 3] = 0.0, -m.gravity[k]
    settle(m, s)
    for e in range(n):
        s.tau[e, 0] = s.tau_before[e]
        s.x[e, 2] = together(e, s) if m.stage[e].u >= 0 else s.answer[0, e]
        s.tau[e, 1] = together(n + e, s)
    for r in range(len(m.row)):
        s.lam[r] = together(2 * n + r, s)
    return drag(m, s)


@noinline
def together(c: int, s: WorkArrays) -> float:
    """Return what friction makes of a number of `answer`."""
    total = s.answer[0, c]
    for j in range(len(s.loads)):
        total += s.loads[j] * s.answer[1 + j, c]
    return total


@noinline
def note(j: int, m: Tables, s: WorkArrays) -> None:
    """Keep accelerations, efforts of drivers, multipliers and vectors h as number j."""
    n = len(m.stage)
    for e in range(n):
        s.answer[j, e], s.answer[j, n + e] = s.x[e, 2], s.tau[e, 1]
    for r in range(len(m.row)):
        s.answer[j, 2 * n + r] = s.lam[r]
    for k in range(len(m.friction)):
        press(k, m, s, s.press[j, k])


@noinline
def weigh(m: Tables, s: WorkArrays) -> None:
    """Fill the wrenches p of what `respond` found: of accelerations and multipliers alone."""
    for i in range(1, len(m.body)):
        for c in range(6):
            s.p[i, c] = 0.0
        if m.body[i].link >= 0:  # linear in accelerations, but for what velocities and loads need
            bending_needs(i, False, m, s, s.need)
            copy(s.p[i], s.wrench)
            bending_needs(i, True, m, s, s.need)
            for c in range(6):
                s.p[i, c] -= s.wrench[c]
        else:
            add_rate_of_momentum(i, m, s)
    take_off(s.lam, m, s)
    hand_in(m, s)


@noinline
def settle(m: Tables, s: WorkArrays) -> None:
    """Fill `loads`, (6); they are not numbers where something jams."""
    if least(s.press, s.loads, s.newton) < 1.0:
        for k in range(len(m.friction)):
            s.loads[k] = math.nan
