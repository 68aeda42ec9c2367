"""Compiled loops over K samples: projection of states onto the rows, and accelerations.

Projection is Newton's method with least steps, softened as in start.py: ill-determined directions are left alone,

    | 1    C^T  | | dq |   |  0   |
    |           | |    | = |      |,   sigma_r = SOFT max(|c_r|^2, 1/unit_r^2)                          (1)
    | C  -sigma | | -l |   | -phi |

with the order of elimination of the accelerations. Accelerations are those of accelerations.py, taken back from what
regularisation gave way. Where rows depend on each other the way back need not end: such a sample is marked as not
sure unless all rows hold on the level of accelerations, and the caller solves it by other means.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import attachment, kernel, read, released, written
from particlemech.engine.friction import EFFORT, EXACT
from particlemech.engine.particles.accelerations import (
    SOFTENED,
    ExplicitTables,
    WorkArrays,
    act,
    body_coordinates,
    entries,
    factor,
    gaps,
    push,
    rub,
    solve,
    stiffen,
)
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.run.steps import copy

ROUNDS = 4  # of Newton's method on positions
HELD = 1e-9  # beside the largest acceleration: rows that hold better than this, hold


class Batch(NamedTuple):
    """K samples: what is given, and what the kernels change."""

    t: Annotated[Array, read("f8")]  # (K,) s
    theta: Annotated[Array, read("f8", 2)]  # (K, n_body) angles
    extra: Annotated[Array, read("f8", 3)]  # (K, n_body, 3) wrenches of custom forces; (0, ..) without
    unit: Annotated[Array, read("f8")]  # (n,) in the order of elimination: what makes a row a length, 0 of coordinates
    limits: Annotated[Array, read("f8")]  # (2,) SOFT of (1), and the gap, m, that is nothing but rounding
    q: Annotated[Array, written(2)]  # (K, n_q)
    v: Annotated[Array, written(2)]  # (K, n_q)
    a: Annotated[Array, written(2)]  # (K, n_q)
    sure: Annotated[Array, written()]  # (K,) 1 where the accelerations hold
    friction: Annotated[Array, written(2)]  # (K, n_rub) its efforts


attached = attachment(ExplicitTables, WorkArrays, Batch)


@kernel
def soften(soft: float, m: ExplicitTables, s: WorkArrays) -> None:
    """Set the diagonal of the multipliers to -sigma of (1); `base` has -SOFT/unit^2 there."""
    val, column = s.val, m.column
    for e in range(len(m.rod)):
        p = m.rod[e]
        long = val[p.slot_bx] ** 2 + val[p.slot_by] ** 2
        at = column[p.at]
        val[at] = min(m.base[at], -soft * (2.0 * long if p.a >= 0 else long))
    for r in range(len(m.held)):
        val[column[m.held[r].at]] = 0.0
    for e in range(len(m.cell)):
        val[column[m.held[m.cell[e].row].at]] -= soft * s.g[0, e] ** 2
    for r in range(len(m.held)):
        at = column[m.held[r].at]
        val[at] = min(m.base[at], val[at])


@kernel
def gap(q: Array, v: Array, level: int, address: int) -> float:
    """Fill the right side of (1), phi (level 0) or phi_dot (1); return the largest, as a length."""
    m, s, k = attached(address)
    for j in range(len(s.x)):
        s.x[j] = 0.0
    gaps(q, v, level, address, m, s)
    largest = 0.0
    for j in range(len(s.x)):
        largest = max(largest, abs(s.x[j]) * k.unit[j])
    return largest


@kernel
def project(i: int, address: int) -> None:
    """Bring positions, then velocities of a sample onto the rows."""
    m, s, k = attached(address)
    t, q, v = k.t[i], k.q[i], k.v[i]
    if len(m.signal) > 1:
        signals(t, m.segment, m.signal, s.sig)
    if len(m.turn):
        copy(k.theta[i], s.theta[0])
    best = 1e300
    for _ in range(ROUNDS):
        size = gap(q, v, 0, address)
        if not size < 0.5 * best or size <= k.limits[1]:
            break
        best = size
        entries(q, address, m, s)
        soften(k.limits[0], m, s)
        factor(m, s)
        solve(m, s)
        for j in range(len(q)):
            q[j] += s.x[m.place[j]]
    entries(q, address, m, s)
    soften(k.limits[0], m, s)
    factor(m, s)
    for _ in range(3):
        gap(q, v, 1, address)
        solve(m, s)
        for j in range(len(v)):
            v[j] += s.x[m.place[j]]


@kernel
def add(m: ExplicitTables, s: WorkArrays, a: Array) -> float:
    """Add the solution at the coordinates to a; return the largest that was added."""
    largest = 0.0
    for j in range(len(a)):
        more = s.x[m.place[j]]
        a[j] += more
        largest = max(largest, abs(more))
    return largest


@kernel
def misfit(i: int, address: int) -> float:
    """Return the largest of C a + gamma, as a length per s^2."""
    m, s, k = attached(address)
    q, v, a, x = k.q[i], k.v[i], k.a[i], s.x
    gaps(q, v, 2, address, m, s)
    for e in range(len(m.rod)):
        p = m.rod[e]
        dx, dy, ax, ay = q[p.b] - p.x, q[p.b + 1] - p.y, a[p.b], a[p.b + 1]
        if p.a >= 0:
            dx, dy, ax, ay = q[p.b] - q[p.a], q[p.b + 1] - q[p.a + 1], ax - a[p.a], ay - a[p.a + 1]
        x[p.at] -= (dx * ax + dy * ay) / p.length
    for e in range(len(m.cell)):
        x[m.held[m.cell[e].row].at] -= s.g[0, e] * a[m.cell[e].q]
    largest = 0.0
    for j in range(len(x)):
        if k.unit[j] > 0.0:
            largest = max(largest, abs(x[j]) * k.unit[j])
    return largest


@kernel
def accelerate(i: int, address: int) -> bool:
    """Fill the accelerations of a sample; return whether they hold."""
    m, s, k = attached(address)
    t, q, v, a = k.t[i], k.q[i], k.v[i], k.a[i]
    if len(m.signal) > 1:
        signals(t, m.segment, m.signal, s.sig)
    copy(k.theta[i], s.theta[0])
    push(q, v, True, m, s)
    if len(k.extra):
        for b in range(len(m.body)):
            body_coordinates(b, q, True, m, s.z[0])
            act(b, k.extra[i, b, 0], k.extra[i, b, 1], k.extra[i, b, 2], m, s)
            for c in range(3):
                s.w[b, c] -= k.extra[i, b, c]
    entries(q, address, m, s)
    gaps(q, v, 2, address, m, s)
    least = factor(m, s)
    if len(m.rub):
        rub(q, v, EXACT, address)
        copy(s.efforts[EFFORT, : len(m.rub)], k.friction[i])
    else:
        solve(m, s)
    for j in range(len(a)):
        a[j] = 0.0
    largest = add(m, s, a)
    stiffen(m, s)
    add(m, s, a)
    if least >= SOFTENED:
        return True
    stiffen(m, s)
    change = add(m, s, a)
    return change <= HELD * largest and misfit(i, address) <= HELD * largest


PROJECT, ACCELERATE = range(2)  # tasks


@released
def sampled(task: int, address: int) -> None:
    """Do a task at all samples of a batch; one kernel, because each costs time to load."""
    _, s, k = attached(address)
    s.sig[0, 0] = 1.0  # the constant
    for i in range(len(k.t)):
        if task == PROJECT:
            project(i, address)
        else:
            k.sure[i] = accelerate(i, address)
