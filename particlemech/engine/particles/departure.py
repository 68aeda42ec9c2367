"""Kernels for the start of a run by explicit steps: positions, velocities, and the mechanism's own time."""

from __future__ import annotations

from particlemech._jit import kernel, noinline
from particlemech.engine.particles.accelerations import (
    ExplicitTables,
    WorkArrays,
    body_coordinates,
    correct,
    entries,
    factor,
    solve,
    stiffen,
)
from particlemech.engine.particles.march import attached, largest_gap
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.run.steps import LEAST_PIVOT


@kernel
def set_out(y: Array, address: int) -> float:
    """Bring the positions of a drawing onto the rows at t = 0, with the velocities that drivers ask for.

    Return the largest gap before, m; the least pivot is in `now`.
    """
    m, s, w = attached(address)
    signals(0.0, m.segment, m.signal, s.sig)
    gap = largest_gap(y, 0, address)
    q, v = y[: len(m.weight)], y[len(m.weight) : 2 * len(m.weight)]
    for _ in range(3):
        entries(q, address, m, s)
        w.now[LEAST_PIVOT] = factor(m, s)
        correct(q, v, 0, q, address)
    steady(y, address)
    return gap


@kernel
def steady(y: Array, address: int) -> float:
    """Bring velocities onto the rows, with the factors of set_out.

    Return the largest |phi_dot| before; what is left is in `gap`.
    """
    m, s, _ = attached(address)
    n_q = len(m.weight)
    before = largest_gap(y, 1, address)
    for _ in range(2):
        correct(y[:n_q], y[n_q : 2 * n_q], 1, y[n_q : 2 * n_q], address)
    s.gap[1] = largest_gap(y, 1, address)
    return before


@noinline
def respond(address: int) -> None:
    """Turn each row of `pushes` into the velocities after a unit impulse along it, with the factors of set_out."""
    m, s, _ = attached(address)
    for r in range(len(s.pushes)):
        row = s.pushes[r]
        for k in range(len(s.x)):
            s.x[k] = 0.0
        for k in range(len(row)):
            s.x[m.place[k]] = row[k]
        solve(m, s)
        for k in range(len(row)):
            row[k] = s.x[m.place[k]]
        stiffen(m, s)
        for k in range(len(row)):
            row[k] += s.x[m.place[k]]


@kernel
def spin_up(body: int, omega: float, address: int) -> bool:
    """Give a body its angular velocity, rad/s, by an impulse along its row of omega; return whether it could be.

    The row (n_q,) is left in trial[0].
    """
    m, s, w = attached(address)
    n_q, row, push = len(m.weight), w.trial[0], s.pushes[0]
    v = w.y[n_q : 2 * n_q]
    body_coordinates(body, w.y[:n_q], True, m, s.z[0])
    k = 4 * body
    dx, dy = s.z[0, k + 2] - s.z[0, k], s.z[0, k + 3] - s.z[0, k + 1]
    x, y = dx / (dx * dx + dy * dy), dy / (dx * dx + dy * dy)
    for q in range(n_q):
        row[q] = 0.0
    for i in range(4):
        c = y if i == 0 else -x if i == 1 else -y if i == 2 else x
        for e in range(m.coord[k + i].first, m.coord[k + i].last):
            row[m.entry[e].q] += c * m.entry[e].c
    for q in range(n_q):
        push[q] = row[q]
    respond(address)
    response, missing = dot(row, push, n_q), omega - dot(row, v, n_q)
    if not response > 0.0:
        return False
    for q in range(n_q):
        v[q] += missing / response * push[q]
    opened, fastest = steady(w.y, address), 0.0
    for q in range(n_q):
        fastest = max(fastest, abs(v[q]))
    return opened <= 1e-6 * fastest and abs(dot(row, v, n_q) - omega) <= 1e-9 * abs(omega)


@kernel
def dot(one: Array, other: Array, n: int) -> float:
    """Return the product of the first n numbers of two vectors."""
    total = 0.0
    for k in range(n):
        total += one[k] * other[k]
    return total


@kernel
def fastest_spot(rates: Array, at: Array, share: Array, m: ExplicitTables, s: WorkArrays) -> float:
    """Return the largest component of rates of all watched places: `at` their bodies, `share` a, b of frames.py (1)."""
    largest = 0.0
    for e in range(len(at)):
        if at[e] < 0:
            continue
        b = at[e]
        body_coordinates(b, rates, False, m, s.z[1])
        x, y = s.z[1, 4 * b], s.z[1, 4 * b + 1]
        dx, dy = s.z[1, 4 * b + 2] - x, s.z[1, 4 * b + 3] - y
        vx = x + share[e, 0] * dx + share[e, 1] * -dy
        vy = y + share[e, 0] * dy + share[e, 1] * dx
        largest = max(largest, abs(vx), abs(vy))
    return largest
