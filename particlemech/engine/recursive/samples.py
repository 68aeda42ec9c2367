"""The motion of a mechanism in space at samples, and its energies."""

from __future__ import annotations

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.articulated import transmitted, transmitted_along
from particlemech.engine.recursive.bending import bending_energies
from particlemech.engine.recursive.instants import caused, look, quantities, speeds
from particlemech.engine.recursive.laws import applied, potential, strained
from particlemech.engine.recursive.laws.governed import govern
from particlemech.engine.recursive.motion import outward
from particlemech.engine.recursive.rows import add_multipliers, place_row
from particlemech.engine.recursive.tables import SampledMotion, Tables, WorkArrays
from particlemech.engine.vector_kernels import cross, dot, inertia_times
from particlemech.run.steps import copy


@noinline
def observe(given: bool, m: Tables, s: WorkArrays, keep: SampledMotion) -> None:
    """Fill a record from its times and states.

    `given`: x_ddot of the stages are given in x[:, :, 2], and multipliers in lam; rows with none need not be placed.
    """
    n_q, n_v = quantities(m), speeds(m)
    for k in range(len(keep.t)):
        t, q, u = keep.t[k], keep.y[k, :n_q], keep.y[k, n_q : n_q + n_v]
        for e in range(s.given.shape[0]):
            copy(keep.given[k, e], s.given[e])
        if not given and len(m.row) > 0:
            look(t, keep.y[k], m, s)
        outward(t, q, u, m, s)
        if len(m.element):
            govern(keep.y[k], m, s)
            for e in range(s.given.shape[0]):
                copy(s.given[e], keep.given[k, e])
        if given:
            applied(m, s)
            for e in range(len(m.stage)):
                s.x[e, 2] = keep.x[k, e, 2]
            most = 0.0
            for r in range(len(m.row)):
                most = max(most, abs(keep.lam[k, r]))
            if most > 0.0:
                for r in range(len(m.row)):
                    place_row(r, m, s)
                add_multipliers(keep.lam[k], m, s)
        else:
            caused(m, s)
            if len(m.row) > 0:
                add_multipliers(s.lam, m, s)
                copy(s.lam, keep.lam[k])
                for r in range(len(m.row)):
                    copy(s.W[r], keep.W[k, r])
        transmitted(m, s)
        copy(s.loads, keep.loads[k])
        for e in range(len(m.stage)):
            effort = transmitted_along(e, m, s) - s.tau[e, 0]
            s.tau[e, 1] = effort if given or m.stage[e].u < 0 else 0.0
        keep.energy[k, 0], keep.energy[k, 1] = kinetic(m, s), height(m, s)
        keep.energy[k, 2] = strained(m, s)
        keep.energy[k, 3] = potential(m, s) - keep.energy[k, 2]
        noted(k, s, keep)


@kernel
def noted(k: int, s: WorkArrays, keep: SampledMotion) -> None:
    """Copy the work arrays into sample k."""
    for i in range(s.S.shape[0]):
        copy(s.S[i], keep.S[k, i])
        copy(s.O[i], keep.O[k, i])
        copy(s.omega[i], keep.omega[k, i])
        copy(s.v[i], keep.v[k, i])
        copy(s.a[i], keep.a[k, i])
        copy(s.p[i], keep.p[k, i])
    for e in range(s.x.shape[0]):
        copy(s.x[e], keep.x[k, e])
        copy(s.tau[e], keep.tau[k, e])
        copy(s.axis[e], keep.axis[k, e])


@kernel
def kinetic(m: Tables, s: WorkArrays) -> float:
    """Return the kinetic energy."""
    total = 0.0
    for i in range(1, len(m.body)):
        if m.body[i].link >= 0:
            total += bending_energies(i, m, s)[0]
            continue
        w, r, v = s.omega[i], s.r[i], s.v[i]
        x, y, z = cross(w[0], w[1], w[2], r[0], r[1], r[2])
        x, y, z = x + v[0], y + v[1], z + v[2]
        hx, hy, hz = inertia_times(s.S[i], m.body[i].inertia, w[0], w[1], w[2])
        total += 0.5 * (m.body[i].mass * dot(x, y, z, x, y, z) + dot(w[0], w[1], w[2], hx, hy, hz))
    return total


@kernel
def height(m: Tables, s: WorkArrays) -> float:
    """Return the potential of gravity."""
    total = 0.0
    g = m.gravity
    for i in range(1, len(m.body)):
        if m.body[i].rests:
            continue
        if m.body[i].link >= 0:
            total += bending_energies(i, m, s)[1]
            continue
        at, r = s.O[i], s.r[i]
        total -= m.body[i].mass * dot(g[0], g[1], g[2], at[0] + r[0], at[1] + r[1], at[2] + r[2])
    return total
