"""Springs and dampers along the line between two places of a chain, or one of it and one of the ground.

A spring pulls its ends together with f along d:

    d = x_2 - x_1,   l = |d|,   l' = d.d'/l                                                                   (1)
    f = k (l - l0) + c l'               on the first end f d/l, on the second -f d/l                          (2)
    a force F at a place r of a link: moment r x F about its origin, F.shift_j on q_j                         (3)

At l = 0 the line has no direction, and the spring exerts nothing.
"""

from __future__ import annotations

import math

from particlemech._jit import noinline
from particlemech.engine.bending.balance import add
from particlemech.engine.bending.sections import place
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.vector_kernels import back, cross, dot, shifted


@noinline
def stretched(e: int, m: Tables, s: WorkArrays) -> float:
    """Fill the line of spring e, and its rate, length and rate of length; return its potential."""
    g, line = m.spring[e], s.line
    for c in range(6):
        line[c] = 0.0
    for n in range(2):
        sign = 2.0 * n - 1.0
        k = g.place[n]
        x, y, z = g.fixed[3 * n], g.fixed[3 * n + 1], g.fixed[3 * n + 2]
        vx = vy = vz = 0.0
        if k >= 0:
            i = m.place[k].link
            place(k, m, s)
            r, u, w, v, O = s.r[k], s.r_dot[k], s.omega[i], s.v[i], s.O[i]
            x, y, z = shifted(s.R[i], r[0], r[1], r[2])
            x, y, z = O[0] + x, O[1] + y, O[2] + z
            vx, vy, vz = cross(w[0], w[1], w[2], r[0], r[1], r[2])
            vx, vy, vz = shifted(s.R[i], v[0] + vx + u[0], v[1] + vy + u[1], v[2] + vz + u[2])
        add(line, sign * x, sign * y, sign * z, sign * vx, sign * vy, sign * vz)
    line[6] = math.sqrt(dot(line[0], line[1], line[2], line[0], line[1], line[2]))
    line[7] = 0.0
    if line[6] > 0.0:  # at length 0 the line has no direction
        line[7] = dot(line[0], line[1], line[2], line[3], line[4], line[5]) / line[6]
    return 0.5 * g.stiffness * (line[6] - g.length) ** 2


@noinline
def sprung(e: int, m: Tables, s: WorkArrays) -> float:
    """Add spring e to load and pull: (2), (3); return what its damper takes."""
    stretched(e, m, s)
    g, line = m.spring[e], s.line
    if line[6] == 0.0:
        return 0.0
    f = (g.stiffness * (line[6] - g.length) + g.damping * line[7]) / line[6]
    for n in range(2):
        k = g.place[n]
        if k < 0:
            continue
        i, at = m.place[k].link, m.place[k].at
        way, r, link = f * (1.0 - 2.0 * n), s.r[k], m.link[i]
        fx, fy, fz = back(s.R[i], way * line[0], way * line[1], way * line[2])
        tx, ty, tz = cross(r[0], r[1], r[2], fx, fy, fz)
        add(s.load[i], tx, ty, tz, fx, fy, fz)
        for j in range(link.modes):
            shift = s.shift[at + j]
            s.pull[link.modal + j] += dot(fx, fy, fz, shift[0], shift[1], shift[2])
    return g.damping * line[7] * line[7]
