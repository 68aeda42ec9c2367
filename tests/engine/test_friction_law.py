"""The efforts that go with total reactions: solved where there is one solution, refused where there is none or two."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlemech._jit import table
from particlemech.engine.friction import FREE, RUB, shares, solve


def places(halves, mu=0.3):
    """Return places of friction: pins where half is below zero, else slides; all move so fast that tanh is 1."""
    return table([(1.0, mu, 0.0, 0.0, 1e3, half, 0.0, 0.0) for half in halves], RUB)


def norm(half, x, y):
    return math.hypot(x, y) if half < 0.0 else max(abs(x), half * abs(y))


def solved(rub, rate, R, B):
    n = len(rub)
    f, sigma = np.zeros(n), np.zeros(n)
    return solve(rub, rate, R, B, f, sigma, np.zeros((n, n + 1))), f, sigma


@pytest.mark.parametrize("seed", range(8))
def test_efforts_satisfy_the_law_at_the_loads_that_they_change(seed):
    rng = np.random.default_rng(seed)
    halves = rng.choice([-1.0, 0.0, 5.0], size=4)
    rub, rate = places(halves), rng.choice([-1.0, 1.0], size=4)
    R, B = rng.normal(size=8), 0.2 * rng.normal(size=(4, 8))
    jams, f, sigma = solved(rub, rate, R, B)
    total = R + f @ B
    wanted = [-s * norm(h, *total[2 * j : 2 * j + 2]) for j, (s, h) in enumerate(zip(sigma, halves, strict=True))]
    assert np.allclose(sigma, 0.3 * rate, rtol=1e-15)
    if jams == FREE:
        assert np.allclose(f, wanted, rtol=0, atol=1e-14)
    else:
        assert shares(rub, sigma, B).max() > 0.3


@pytest.mark.parametrize("b", [-1.001, 1.001, -4.0])
def test_one_place_whose_friction_outgrows_what_pushes_jams(b):
    # f + sigma |R + b f| = 0 has none or two solutions from |sigma b| = 1 on
    rub, one = places([0.0]), np.array([1.0])
    assert solved(rub, one, np.array([2.0, 0.0]), np.array([[b / 0.3, 0.0]]))[0] == 0
    jams, f, _ = solved(rub, one, np.array([2.0, 0.0]), np.array([[math.copysign(0.999, b) / 0.3, 0.0]]))
    assert jams == FREE
    assert f[0] == pytest.approx(-0.6 / (1.0 + math.copysign(0.999, b)), rel=1e-12)
