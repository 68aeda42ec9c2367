"""The efforts that go with total reactions: those that friction leads to as it grows from nothing, or none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlemech._jit import table
from particlemech.engine.friction import EFFORT, RATE, RUB, SIGMA, solve, spread_out, width
from particlemech.engine.jamming import NEAR, limit, solved


def places(halves, mu=0.3):
    """Return places of friction: pins where half is below zero, else slides; all move so fast that tanh is 1."""
    return table([(1.0, mu, 0.0, 0.0, 1e3, half, 0.0, 0.0) for half in halves], RUB)


def norm(half, x, y):
    if half == -2.0:
        return abs(x - y)
    return math.hypot(x, y) if half < 0.0 else max(abs(x), half * abs(y))


def loads(R, B):
    """Return the matrix of loads: unit efforts by columns, then without friction."""
    n = len(B)
    load = np.zeros((2 * n, width(n)))
    load[:, :n], load[:, n] = B.T, R
    return load


def found(rub, rate, R, B):
    n = len(rub)
    efforts = np.zeros((3, width(n)))
    efforts[RATE, :n] = rate
    free = solve(rub, efforts, loads(R, B), np.zeros((n, width(n))), np.zeros((n + 2, n, 9)))
    return free, efforts[EFFORT, :n], efforts[SIGMA, :n]


def pressed(rub, sigma, R, B):
    press = np.zeros((len(rub) + 2, len(rub), 9))
    spread_out(rub, sigma, loads(R, B), press)
    return press


@pytest.mark.parametrize("size", [0.2, 1.5])
@pytest.mark.parametrize("n", [1, 4, 7, 8, 19])
@pytest.mark.parametrize("seed", range(8))
def test_efforts_satisfy_the_law_at_the_loads_that_they_change(seed, n, size):
    rng = np.random.default_rng(seed)
    halves = rng.choice([-2.0, -1.0, 0.0, 5.0], size=n)
    rub, rate = places(halves), rng.choice([-1.0, 1.0], size=n)
    R, B = rng.normal(size=2 * n), size * 4.0 / n * rng.normal(size=(n, 2 * n))
    free, f, sigma = found(rub, rate, R, B)
    total = R + f @ B
    wanted = [-s * norm(h, *total[2 * j : 2 * j + 2]) for j, (s, h) in enumerate(zip(sigma, halves, strict=True))]
    assert np.allclose(sigma, 0.3 * rate, rtol=1e-15)
    if free:
        assert np.allclose(f, wanted, rtol=0, atol=1e-14 * max(1.0, np.abs(f).max()))
    else:
        assert size > 1.0


def test_friction_follows_tanh_to_the_last_digit():
    rate = np.concatenate([[0.0], np.geomspace(1e-12, 1.0, 400), [0.3499e-3, 0.35e-3, 19.99e-3, 20.01e-3]])
    rate = np.concatenate([rate, -rate[1:]])
    _, _, sigma = found(places([-1.0] * len(rate)), rate, np.zeros(2 * len(rate)), np.zeros((len(rate), 2 * len(rate))))
    assert np.allclose(sigma, 0.3 * np.tanh(1e3 * rate), rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("seed", range(6))
def test_the_solution_is_that_to_which_friction_leads_from_nothing(seed):
    """Small steps of the coefficient from 0 on; where they come to an end is the factor from which joints jam."""
    rng = np.random.default_rng(100 + seed)
    rub, rate = places([-1.0, 0.0, 5.0]), rng.choice([-1.0, 1.0], size=3)
    R, B = rng.normal(size=6), 0.8 * rng.normal(size=(3, 6))
    _, f, sigma = found(rub, rate, R, B)
    at, whole = np.zeros(3), 4000
    for k in range(1, whole + 1):  # a fixed point, damped: it follows the branch while that is there
        for _ in range(300):
            total = R + at @ B
            loads = [norm(h, *total[2 * j : 2 * j + 2]) for j, h in enumerate([-1.0, 0.0, 5.0])]
            new = -k / whole * sigma * loads
            change = np.abs(new - at).max()
            at = at + 0.4 * (new - at)
            if change < 1e-13:
                break
        if change > 1e-6 or np.abs(at).max() > 1e4:
            break
    press = pressed(rub, sigma, R, B)
    if k == whole:
        assert np.allclose(f, at, rtol=0, atol=1e-8)
        assert solved(press)[1] == 1.0
    else:
        assert solved(press)[1] == pytest.approx(k / whole, abs=0.02)


@pytest.mark.parametrize("b", [0.999, 1.001, 4.0])
def test_one_place_whose_friction_adds_to_what_presses_has_no_solution_from_one_on(b):
    # f + sigma |R + B f| = 0: with sigma B = -b the load is 2/(1 - b)
    rub, one = places([0.0]), np.array([1.0])
    R, B = np.array([2.0, 0.0]), np.array([[-b / 0.3, 0.0]])
    free, f, sigma = found(rub, one, R, B)
    assert free == (b < 1.0)
    if free:
        assert f[0] == pytest.approx(-0.6 / (1.0 - b), rel=1e-12)
    place, factor, alone, _ = limit(pressed(rub, sigma, R, B), ["A"])
    assert (place, alone) == (0, factor)
    assert factor == (pytest.approx(1.0 / b, rel=1e-8) if b > 1.0 / NEAR else math.inf)


@pytest.mark.parametrize("b", [0.999, 1.001, 4.0])
def test_one_place_whose_friction_takes_off_what_presses_has_two_and_takes_the_smaller(b):
    # the other one is 2/(b - 1): friction that carries itself
    free, f, _ = found(places([0.0]), np.array([1.0]), np.array([2.0, 0.0]), np.array([[b / 0.3, 0.0]]))
    assert free
    assert f[0] == pytest.approx(-0.6 / (1.0 + b), rel=1e-12)


def test_a_vector_has_a_solution_up_to_where_both_meet():
    """|(2, 1) - b (1, 0) P| = P: with b > 1 both solutions meet where 5 (b^2 - 1) = 4 b^2."""
    meet = math.sqrt(5.0)
    for b in (meet - 1e-6, meet + 1e-6):
        rub = places([-1.0])
        R, B = np.array([2.0, 1.0]), np.array([[b / 0.3, 0.0]])
        free, f, sigma = found(rub, np.array([1.0]), R, B)
        assert free == (b < meet)
        if free:
            root = (2.0 * b - math.sqrt(4.0 * b * b - 5.0 * (b * b - 1.0))) / (b * b - 1.0)
            assert -f[0] / 0.3 == pytest.approx(root, rel=1e-9)
        assert limit(pressed(rub, sigma, R, B), ["A"])[1] == pytest.approx(meet / b, rel=1e-7)
