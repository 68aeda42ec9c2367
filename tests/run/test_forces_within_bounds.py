"""Forces within bounds: complementarity, whatever W is."""

import numpy as np
import pytest

from particlemech.run.complementarity import complementary


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("rank", [1, 3, 7])
def test_forces_within_bounds_are_complementary_to_what_moves(n, rank):
    random = np.random.default_rng(n + 10 * rank)
    for _ in range(50):
        G = random.normal(size=(n, rank))
        W, pushes = G @ G.T, random.random(n) < 0.5
        b = W @ random.normal(size=n) + np.where(pushes, G @ np.full(rank, 0.1), 0.0)
        most = random.uniform(0.0, 0.5, n)
        low, high = np.where(pushes, 0.0, -most), np.where(pushes, np.inf, most)
        f, w = complementary(W, b, low, high)
        size = np.max(np.abs(b))
        np.testing.assert_allclose(w, W @ f + b, atol=1e-9 * size)
        assert np.all(f >= low) and np.all(f <= high)
        assert np.all(w[(f == low) & (f < high)] >= -1e-9 * size)
        assert np.all(w[(f == high) & (f > low)] <= 1e-9 * size)
        assert np.max(np.abs(w[(f > low) & (f < high)]), initial=0.0) <= 1e-9 * size


def test_what_cannot_be_moved_is_at_the_bound_that_its_motion_asks_for():
    f, w = complementary(np.diag([1e-12, 1.0]), np.array([-2.0, 0.1]), np.full(2, -3.0), np.full(2, 3.0))
    np.testing.assert_allclose(f, [3.0, -0.1])
    np.testing.assert_allclose(w, [-2.0, 0.0], atol=1e-11)
