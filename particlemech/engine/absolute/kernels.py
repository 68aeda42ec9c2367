"""The residual and its Jacobian: plain loops over two tables of measures, rows and laws.

    y = (q, v, lam, mu, W);  per row: measure value c, gradient g, curvature h = g_q; per law: effort f

    balance      M v' - sum f g - sum lam g = 0                                           (1)
    velocity     g.v - s' + eps_v lam = 0                                                 (2)
    kinematics   q' - v + sum mu g = 0                                                    (3)
    position     c - offset - s - eps_p mu = 0                                            (4)
    work         W' - sum lam s' - sum (s - damping g.v) g.v = 0                          (5)
    law          f = s - stiffness (c - offset) - damping g.v                             (6)
    friction     f = -sigma(g.v) P(lam), a law as (6) without s; engine/friction.py       (7)

Gravity is part of (1). The power of a driver is lam s', for its row reads measure - s(t).
Jacobian entries go through `slots` into the data of compressed columns; the last place of data is for
entries that do not exist (coordinates of ground, zeros of the pattern). All tables come behind one address, see
_jit.ArgumentBlock.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from particlemech._jit import Records, attachment, entry, kernel, noinline, read, written
from particlemech.engine.absolute.measures import FIELDS, curvature, gradient, signal
from particlemech.engine.friction import RUB, directed, leant, mate, pressed
from particlemech.engine.system import Array

# where the slots of one row begin: (1) by q, (3) by q, then six each, then one
ROW_KQ, ROW_BL, ROW_VQ, ROW_VV, ROW_KM, ROW_PQ, ROW_WL, ROW_SLOTS = 36, 72, 78, 84, 90, 96, 102, 103
# of one law: (1) by q, (1) by v, (5) by q, (5) by v
LAW_BV, LAW_WQ, LAW_WV, LAW_SLOTS = 36, 72, 78, 84
# of one place of friction: those of a law, then (1) and (5) by each of its two multipliers
RUB_BL, RUB_WL, RUB_SLOTS = 84, 96, 98
RUBS = [*FIELDS, *RUB, ("lx", "i4"), ("ly", "i4")]  # rows whose multipliers are its load, -1 where there is none


class AbsoluteTables(NamedTuple):
    """What the kernels read; see compiled.AbsoluteCompiled and compiled.Pattern."""

    rows: Annotated[Records, read(FIELDS)]
    laws: Annotated[Records, read(FIELDS)]
    rubs: Annotated[Records, read(RUBS)]
    segments: Annotated[Array, read("f8", 2)]
    mass: Annotated[Array, read("f8", 2)]
    row_slots: Annotated[Array, read("i4", 2)]
    law_slots: Annotated[Array, read("i4", 2)]
    rub_slots: Annotated[Array, read("i4", 2)]
    constant: Annotated[Array, read("f8")]
    rate: Annotated[Array, read("f8")]
    indptr: Annotated[Array, read("i4")]
    indices: Annotated[Array, read("i4")]


class Scratch(NamedTuple):
    """What the kernels write; one set per run."""

    g: Annotated[Array, written()]  # (6,) gradient of one measure
    h: Annotated[Array, written(2)]  # (6, 6) its curvature
    f: Annotated[Array, written()]  # (n_q,) applied forces
    data: Annotated[Array, written()]  # (nnz + 1,) of the Jacobian
    work: Annotated[Array, written(2)]  # (n_step, 3) of the longest function of time
    other: Annotated[Array, written()]  # (6,) gradient of the other pin of a rod, else 0


attached = attachment(AbsoluteTables, Scratch)


@kernel
def _rate(m: Any, g: Array, v: Array) -> Any:
    """Return g.v of one measure."""
    rate = 0.0
    for i in range(3):
        if m.b1 >= 0:
            rate += g[i] * v[3 * m.b1 + i]
        if m.b2 >= 0:
            rate += g[3 + i] * v[3 * m.b2 + i]
    return rate


@kernel
def _spread(m: Any, g: Array, factor: float, out: Array) -> None:
    """Add factor g to the coordinates of both bodies, out (n_q,)."""
    for i in range(3):
        if m.b1 >= 0:
            out[3 * m.b1 + i] += factor * g[i]
        if m.b2 >= 0:
            out[3 * m.b2 + i] += factor * g[3 + i]


@entry
def applied(t: float, z: Array, address: int) -> Any:
    """Return the power (5) of the laws at z = (q, v, ...) and fill the applied forces f, weight included."""
    m, s = attached(address)
    n_q, laws, g, f = m.mass.shape[1], m.laws, s.g, s.f
    q, v = z[:n_q], z[n_q : 2 * n_q]
    power = 0.0
    for i in range(n_q):
        f[i] = m.mass[1, i]
    for e in range(len(laws)):
        law = laws[e]
        value = gradient(law, m.segments, q, g)
        rate = _rate(law, g, v)
        by_time = signal(law, m.segments, t, s.work)[0]
        _spread(law, g, by_time - law.stiffness * (value - law.offset) - law.damping * rate, f)  # (6)
        power += (by_time - law.damping * rate) * rate
    return power


@entry
def applied_samples(t: Array, z: Array, address: int, f: Array) -> None:
    """Fill the applied forces f (K, n_q) at K samples z = (q, v), (K, 2 n_q)."""
    _, s = attached(address)
    for k in range(len(t)):
        applied(t[k], z[k], address)
        for i in range(f.shape[1]):
            f[k, i] = s.f[i]


@entry
def residual(t: float, y: Array, yp: Array, address: int, res: Array) -> bool:
    """Fill res (n,); return whether it is finite."""
    tables, scratch = attached(address)
    rows, mass, g, f = tables.rows, tables.mass, scratch.g, scratch.f
    n_q, n_row = mass.shape[1], (len(y) - 2 * mass.shape[1] - 1) // 2
    at_lam, at_mu = 2 * n_q, 2 * n_q + n_row
    q, v = y[:n_q], y[n_q:at_lam]
    power = applied(t, y, address)
    if len(tables.rubs):
        power += rubbed(q, v, y[at_lam:at_mu], address)
    balance, kinematics = res[:n_q], res[n_q + n_row : 2 * n_q + n_row]
    for i in range(n_q):
        balance[i] = mass[0, i] * yp[n_q + i] - f[i]
        kinematics[i] = yp[i] - v[i]
    velocity, position = res[n_q : n_q + n_row], res[2 * n_q + n_row : 2 * n_q + 2 * n_row]
    for r in range(n_row):
        velocity[r], position[r] = 0.0, 0.0
    for e in range(len(rows)):
        m = rows[e]
        lam, mu = y[at_lam + m.row], y[at_mu + m.row]
        value = gradient(m, tables.segments, q, g)
        s, s_dot, _ = signal(m, tables.segments, t, scratch.work)
        _spread(m, g, -lam, balance)  # (1)
        velocity[m.row] += _rate(m, g, v) - s_dot + m.eps_v * lam  # (2)
        _spread(m, g, mu, kinematics)  # (3)
        position[m.row] += value - m.offset - s - m.eps_p * mu  # (4)
        power += lam * s_dot
    res[len(res) - 1] = yp[len(yp) - 1] - power  # (5)
    total = 0.0
    for i in range(len(res)):
        total += res[i] * res[i]
    return math.isfinite(total)


@entry
def jacobian(t: float, y: Array, cj: float, address: int) -> None:
    """Fill data with dF/dy + cj dF/dyp."""
    tables, scratch = attached(address)
    rows, laws, segments = tables.rows, tables.laws, tables.segments
    row_slots, law_slots = tables.row_slots, tables.law_slots
    g, h, data = scratch.g, scratch.h, scratch.data
    n_q, n_row = tables.mass.shape[1], (len(y) - 2 * tables.mass.shape[1] - 1) // 2
    for k in range(len(data)):
        data[k] = tables.constant[k] + cj * tables.rate[k]
    q, v = y[:n_q], y[n_q : 2 * n_q]
    for e in range(len(rows)):
        m, slot = rows[e], row_slots[e]
        lam, mu = y[2 * n_q + m.row], y[2 * n_q + n_row + m.row]
        gradient(m, segments, q, g)
        curvature(m, segments, q, h)
        for j in range(6):
            turning = 0.0
            for i in range(6):
                data[slot[6 * i + j]] -= lam * h[i, j]  # (1)
                data[slot[ROW_KQ + 6 * i + j]] += mu * h[i, j]  # (3)
                b = m.b1 if i < 3 else m.b2
                if b >= 0:
                    turning += h[i, j] * v[3 * b + i % 3]
            data[slot[ROW_VQ + j]] += turning  # (2)
            data[slot[ROW_BL + j]] -= g[j]
            data[slot[ROW_VV + j]] += g[j]
            data[slot[ROW_KM + j]] += g[j]
            data[slot[ROW_PQ + j]] += g[j]  # (4)
        data[slot[ROW_WL]] -= signal(m, segments, t, scratch.work)[1]  # (5)
    for e in range(len(laws)):
        m, slot = laws[e], law_slots[e]
        value = gradient(m, segments, q, g)
        curvature(m, segments, q, h)
        rate = _rate(m, g, v)
        s = signal(m, segments, t, scratch.work)[0]
        f = s - m.stiffness * (value - m.offset) - m.damping * rate
        gain = s - 2.0 * m.damping * rate
        for j in range(6):
            turning = 0.0
            for i in range(6):
                b = m.b1 if i < 3 else m.b2
                if b >= 0:
                    turning += h[i, j] * v[3 * b + i % 3]
            f_q = -m.stiffness * g[j] - m.damping * turning
            for i in range(6):
                data[slot[6 * i + j]] -= f * h[i, j] + f_q * g[i]  # (1), (6)
                data[slot[LAW_BV + 6 * i + j]] += m.damping * g[i] * g[j]
            data[slot[LAW_WQ + j]] -= gain * turning  # (5)
            data[slot[LAW_WV + j]] -= gain * g[j]

    if len(tables.rubs):
        rubbed_z(q, v, y[2 * n_q : 2 * n_q + n_row], address)


@noinline
def rubbed(q: Array, v: Array, lam: Array, address: int) -> float:
    """Add friction (7) at given multipliers to the applied forces f and return its power."""
    m, s = attached(address)
    power = 0.0
    for e in range(len(m.rubs)):
        p = m.rubs[e]
        other, by_other = gripping(e, q, v, address)
        gradient(p, m.segments, q, s.g)
        rate = _rate(p, s.g, v)
        sigma, slope = directed(p, rate)
        if p.rod != 0.0:
            sigma = leant(p.rod, sigma, slope, other, by_other)[0]
        f = -sigma * loaded(p, lam)[0]
        _spread(p, s.g, f, s.f)
        power += f * rate
    return power


@kernel
def gripping(e: int, q: Array, v: Array, address: int) -> tuple[float, float]:
    """Return sigma of the other pin of the rod at place e, and its derivative by its rate; fill its gradient."""
    m, s = attached(address)
    if m.rubs[e].rod == 0.0:
        return 0.0, 0.0
    o = m.rubs[mate(m.rubs[e], e)]
    gradient(o, m.segments, q, s.other)
    return directed(o, _rate(o, s.other, v))


@kernel
def loaded(p: Any, lam: Array) -> tuple[float, float, float]:
    """Return P at given multipliers, and its derivatives."""
    return pressed(p.half, lam[p.lx] if p.lx >= 0 else 0.0, lam[p.ly] if p.ly >= 0 else 0.0)


@noinline
def rubbed_z(q: Array, v: Array, lam: Array, address: int) -> None:
    """Add the derivatives of friction (7) to data."""
    tables, scratch = attached(address)
    g, h, data = scratch.g, scratch.h, scratch.data
    for e in range(len(tables.rubs)):
        p, slot = tables.rubs[e], tables.rub_slots[e]
        gradient(p, tables.segments, q, g)
        curvature(p, tables.segments, q, h)
        rate = _rate(p, g, v)
        sigma, slope = directed(p, rate)
        by_mate = 0.0
        other, by_other = gripping(e, q, v, address)
        if p.rod != 0.0:
            sigma, slope, by_mate = leant(p.rod, sigma, slope, other, by_other)
        P, px, py = loaded(p, lam)
        f, b, c = -sigma * P, slope * P, by_mate * P
        for j in range(6):
            turning = 0.0
            for i in range(6):
                body = p.b1 if i < 3 else p.b2
                if body >= 0:
                    turning += h[i, j] * v[3 * body + i % 3]
            damped = b * g[j] + c * scratch.other[j]  # both pins of a rod have the same curvature
            for i in range(6):
                data[slot[6 * i + j]] -= f * h[i, j] - (b + c) * turning * g[i]
                data[slot[LAW_BV + 6 * i + j]] += damped * g[i]
            data[slot[LAW_WQ + j]] -= (f - (b + c) * rate) * turning
            data[slot[LAW_WV + j]] -= f * g[j] - damped * rate
            data[slot[RUB_BL + j]] += sigma * px * g[j]
            data[slot[RUB_BL + 6 + j]] += sigma * py * g[j]
        data[slot[RUB_WL]] += sigma * px * rate
        data[slot[RUB_WL + 1]] += sigma * py * rate


@entry
def scattered(address: int, dense: Array) -> None:
    """Fill a dense (n, n) matrix from the data of compressed columns."""
    m, s = attached(address)
    dense[:] = 0.0
    for j in range(len(m.indptr) - 1):
        for k in range(m.indptr[j], m.indptr[j + 1]):
            dense[m.indices[k], j] = s.data[k]
