"""The fixed order of elimination: it solves what a dense solver solves, and it grows with the mechanism only."""

from __future__ import annotations

import numpy as np
import pytest

from particlemech import models
from particlemech.engine.particles.elimination import schedule
from particlemech.engine.particles.explicit import system
from particlemech.run.preparing import refused
from particlemech.run.start import accelerations as dense
from tests.support.oracles import condition
from tests.support.strategies import random_mechanism

SOLVED = 3e-14  # of the largest unknown; observed 3.3e-15
SOFTENED = 1e-11  # of the largest acceleration and per condition number squared; observed 2.3e-12


def random_rows(rng, n_q, n_row):
    """Return rows of a few coordinates each, (n_row, n_q)."""
    C = np.zeros((n_row, n_q))
    for row in C:
        row[rng.choice(n_q, size=int(rng.integers(1, min(n_q, 5) + 1)), replace=False)] = rng.normal()
    return C * rng.uniform(0.5, 2.0, C.shape)


def random_mass(rng, n_q):
    """Return a sparse positive definite matrix, (n_q, n_q)."""
    M = np.diag(rng.uniform(1.0, 3.0, n_q))
    for _ in range(n_q):
        i, j = rng.integers(n_q, size=2)
        if i != j:
            M[i, j] = M[j, i] = rng.uniform(-0.2, 0.2)
    return M + n_q * 0.05 * np.eye(n_q)


def scheduled(M, C):
    n_q = len(M)
    places = tuple((int(i), int(j)) for i, j in zip(*np.nonzero(np.tril(M)), strict=True))
    rows = tuple(tuple(int(q) for q in np.flatnonzero(row)) for row in C)
    return schedule(n_q, places, rows), places, rows


def eliminated(plan, val, x):
    """Return the solution of a system whose values lie as the schedule says: elimination.py (2) in plain loops."""
    val, x, e = val.copy(), x.copy(), 0
    n = len(plan.column) - 1
    for k in range(n):
        first, last = int(plan.column[k]), int(plan.column[k + 1])
        factors = val[first + 1 : last] / val[first]
        for i in range(first + 1, last):
            count = last - i
            val[plan.target[e : e + count]] -= factors[i - first - 1] * val[i:last]
            e += count
        val[first + 1 : last] = factors
        x[plan.row[first + 1 : last]] -= factors * x[k]
        x[k] /= val[first]
    assert e == len(plan.target)
    for k in range(n - 1, -1, -1):
        first, last = int(plan.column[k]), int(plan.column[k + 1])
        x[k] -= val[first + 1 : last] @ x[plan.row[first + 1 : last]]
    return x


def test_the_schedule_solves_what_a_dense_solver_solves(rng):
    worst = 0.0
    for _ in range(60):
        n_q = int(rng.integers(2, 15))
        M, C = random_mass(rng, n_q), random_rows(rng, n_q, int(rng.integers(0, n_q)))
        soft = rng.uniform(0.5, 1.0, len(C)) * 1e-2  # large enough for dependent rows
        plan, places, rows = scheduled(M, C)
        val = np.zeros(len(plan.row))
        for i, j in places:
            val[plan.slot[i, j]] = M[i, j]
        for r, row in enumerate(rows):
            val[plan.slot[n_q + r, n_q + r]] = -soft[r]
            for q in row:
                val[plan.slot[q, n_q + r]] = C[r, q]
        right = rng.normal(size=n_q + len(C))
        x = np.empty_like(right)
        x[plan.place] = right
        exact = np.linalg.solve(np.block([[M, C.T], [C, -np.diag(soft)]]), right)
        worst = max(worst, np.abs(eliminated(plan, val, x)[plan.place] - exact).max() / np.abs(exact).max())
    print(f"observed {worst:.1e}")
    assert worst <= SOLVED


def test_a_multiplier_comes_after_all_coordinates_of_its_row(rng):
    for _ in range(60):
        n_q = int(rng.integers(2, 30))
        M, C = random_mass(rng, n_q), random_rows(rng, n_q, int(rng.integers(1, n_q)))
        plan, _, rows = scheduled(M, C)
        assert sorted(plan.place) == list(range(n_q + len(C)))
        for r, row in enumerate(rows):
            assert all(plan.place[q] < plan.place[n_q + r] for q in row)


def test_a_row_of_no_coordinates_has_its_place_too():
    plan = schedule(2, ((0, 0), (1, 1)), ((), (0, 1)))
    assert sorted(plan.place) == [0, 1, 2, 3]


@pytest.mark.parametrize("family", [models.chain, models.n_four_bar], ids=["chain", "n_four_bar"])
def test_operations_grow_in_proportion_to_the_mechanism(family):
    count = {n: len(system(family(n)).explicit_tables.part.target) for n in (20, 40, 80)}
    assert count[80] - count[40] == 2 * (count[40] - count[20])


def test_elimination_gives_the_accelerations_of_a_dense_solver_on_random_mechanisms(tally):
    worst = 0.0
    for seed in range(3000, 3100):
        mechanism = random_mechanism(np.random.default_rng(seed))
        if refused(mechanism, "particles") is not None:
            continue
        shared = system(mechanism)
        begin = shared.start()
        number = condition(shared.dynamics(0.0, begin.q, begin.v, begin.x)[0])
        if not shared.n_q or number.unclear:
            continue
        tally["kept"] += 1
        tally["redundant, kept"] += number.singular
        exact, _ = dense(shared, 0.0, begin.q, begin.v, begin.x)
        size = max(np.abs(exact).max(), 1.0)  # m/s^2
        worst = max(worst, np.abs(begin.a - exact).max() / (size * number.number**2))
    print(f"observed {worst:.1e}")
    assert tally["kept"] >= 90
    assert tally["redundant, kept"] >= 5
    assert worst <= SOFTENED
