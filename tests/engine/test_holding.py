"""How joints at rest share what there is to hold: against linear programming."""

import numpy as np
import pytest
from scipy.optimize import linprog

from particlemech.engine.holding import carried, shared


def least_share(D, L, most):
    """Return the least largest share |f|/most of all f with D^T f = L."""
    n, r = D.shape
    bounds = np.vstack([np.column_stack([s * np.eye(n), -most]) for s in (1.0, -1.0)])
    found = linprog(
        np.append(np.zeros(n), 1.0),
        bounds,
        np.zeros(2 * n),
        np.column_stack([D.T, np.zeros(r)]),
        L,
        bounds=[(None, None)] * n + [(0, None)],
    )
    return found.fun


@pytest.mark.parametrize(("n", "r"), [(1, 1), (4, 1), (3, 3), (5, 2), (7, 2), (7, 3)])
def test_the_largest_share_is_the_least_there_is(n, r):
    random = np.random.default_rng(n + 10 * r)
    for _ in range(20):
        D = random.normal(size=(n, r))
        D[:r] = np.eye(r)
        L, most = random.normal(size=r), random.uniform(0.1, 2.0, n)
        f = shared(D, L, most)
        np.testing.assert_allclose(D.T @ f, L, atol=1e-12)
        assert np.max(np.abs(f) / most) == pytest.approx(least_share(D, L, most), rel=1e-8)


def test_with_one_freedom_all_have_the_same_share_and_what_does_not_move_has_none():
    D, most = np.array([[1.0], [-2.0], [0.5], [0.0]]), np.array([1.0, 0.5, 4.0, 3.0])
    f = shared(D, np.array([0.8]), most)
    np.testing.assert_allclose(f, 0.2 * most * [1.0, -1.0, 1.0, 0.0], rtol=1e-14)


def test_what_the_largest_share_leaves_open_is_shared_again():
    """Two mechanisms with one freedom each, beside each other: each has its own share."""
    D = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]])
    f = shared(D, np.array([2.0, 0.3]), np.ones(4))
    np.testing.assert_allclose(f, [1.0, 0.15, 1.0, -0.15], rtol=1e-14)


def test_efforts_and_loads_go_with_each_other():
    D, most = np.array([[1.0], [1.5]]), np.array([0.2, 0.1])

    def load(f):
        return np.array([np.hypot(3.0, f[1]), np.hypot(2.0 + f[0], 1.0)])

    f, P = carried(D, np.array([0.9]), most, load)
    np.testing.assert_allclose(P, load(f), rtol=1e-14)
    share = f / (most * P)
    assert f[0] + 1.5 * f[1] == pytest.approx(0.9, rel=1e-14) and share[0] == pytest.approx(share[1], rel=1e-12)


def test_nothing_to_hold_is_held_by_nothing():
    f, P = carried(np.ones((3, 1)), np.zeros(1), np.ones(3), lambda f: np.ones(3))
    np.testing.assert_array_equal(f, np.zeros(3))
    np.testing.assert_array_equal(P, np.ones(3))
