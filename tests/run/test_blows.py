"""Blows at several contacts that rub at once: Newton and Coulomb, no energy from nowhere; the limits that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import loads
from particlemech.run.blows import blow, lemke
from particlemech.run.complementarity import complementary

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])


def problem(random: np.random.Generator, n: int, m: int, speeds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return W and speeds before of n gaps and the slips of the first m."""
    J = random.normal(size=(n + m, speeds))
    return J @ J.T, J @ random.normal(size=speeds)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("speeds", [3, 9])
def test_blows_satisfy_newton_and_coulomb_and_never_give_energy(n: int, speeds: int) -> None:
    random = np.random.default_rng(n + 10 * speeds)
    sticks = slides = 0
    for _ in range(200):
        m = int(random.integers(1, n + 1))
        W, before = problem(random, n, m, speeds)
        mu, e = random.uniform(0.05, 1.5, m), random.uniform(0.0, 1.0, n)
        kept, p, T = blow(W, before, e.copy(), mu, np.arange(m))
        x = np.concatenate([p, T])
        after = before + W @ x
        size = max(float(np.abs(before).max()), 1.0)
        push = max(float(np.abs(x).max()), 1e-3)
        assert np.all(p >= 0.0)
        left = after[:n] + kept * np.minimum(before[:n], 0.0)
        assert left.min() >= -1e-8 * size
        assert np.abs(p * left).max() <= 1e-8 * size * push
        assert np.all(np.abs(T) <= mu * p[:m] + 1e-8 * push)
        slip = after[n:]
        assert np.all((np.abs(slip) <= 1e-8 * size) | (np.abs(T + mu * p[:m] * np.sign(slip)) <= 1e-8 * push))
        assert x @ (before + after) <= 1e-9 * size * push
        assert np.all(kept <= np.maximum(e, e.max()) + 1e-15)
        sticks += int(np.sum((p[:m] > 1e-9) & (np.abs(slip) <= 1e-8 * size)))
        slides += int(np.sum((p[:m] > 1e-9) & (np.abs(slip) > 1e-8 * size)))
    assert sticks > 10
    assert slides > 10


@pytest.mark.parametrize("n", [1, 2, 4])
def test_blows_without_friction_are_those_of_complementarity(n: int) -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        W, before = problem(random, n, n, 9)
        before[:n] = -np.abs(before[:n])
        e = np.full(n, 0.7)
        target = before[:n] + e * np.minimum(before[:n], 0.0)
        wanted, _ = complementary(W[:n, :n], target)
        for mu in (0.0, 1e-9):
            kept, p, T = blow(W, before, e.copy(), np.full(n, mu), np.arange(n))
            np.testing.assert_array_equal(kept, e)
            np.testing.assert_allclose(p, wanted, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(T, 0.0, atol=1e-6)


def test_a_blow_at_one_contact_is_that_of_its_closed_form() -> None:
    """It sticks with (p, T) = -W^-1 ((1 + e) g', s') if |T| <= mu p; else p = -(1 + e) g'/(W_pp -+ mu W_pT)."""
    random, slid = np.random.default_rng(11), 0
    for _ in range(200):
        W, before = problem(random, 1, 1, 5)
        before[0] = -abs(before[0])
        e, mu = float(random.uniform(0.0, 0.5)), float(random.uniform(0.02, 1.0))
        kept, p, T = blow(W, before, np.array([e]), np.array([mu]), np.array([0]))
        away = -(1.0 + kept[0]) * before[0]
        stuck = np.linalg.solve(W, [away, -before[1]])
        if abs(stuck[1]) <= mu * stuck[0]:
            np.testing.assert_allclose([p[0], T[0]], stuck, rtol=1e-8)
            continue
        slid += 1
        sense = -np.sign(T[0])
        assert p[0] == pytest.approx(away / (W[0, 0] - sense * mu * W[0, 1]), rel=1e-8)
        assert T[0] == pytest.approx(-sense * mu * p[0], rel=1e-8)
        assert sense * (before + W @ [p[0], T[0]])[1] > 0.0
    assert slid > 30


def test_the_method_of_lemke_solves_random_problems_with_positive_matrices() -> None:
    random = np.random.default_rng(5)
    for n in (1, 3, 8):
        for _ in range(50):
            A = random.normal(size=(n, n))
            M, q = A @ A.T + random.normal() * (A - A.T), random.normal(size=n)
            z = lemke(M, q)
            assert z is not None
            w = M @ z + q
            assert z.min() >= 0.0
            assert w.min() >= -1e-9 * max(1.0, z.max())
            assert abs(z @ w) <= 1e-8 * max(1.0, z.max() ** 2)
    assert lemke(-np.eye(1), np.array([-1.0])) is None


CORNER = """
gravity = [0, -9.81]
points = { O = [0, 0], W = [1, 0], C = [0.3, 0.2] }
bodies.disc = { points = ["C"], mass = 2, com = [0.3, 0.2], inertia = 0.04 }
joints.floor = { type = "contact", bodies = ["ground", "disc"], points = ["O", "C"], axis = [1, 0], radius = 0.2, \
FLOOR }
joints.wall = { type = "contact", bodies = ["ground", "disc"], points = ["W", "C"], axis = [0, 1], radius = 0.2, \
restitution = 0.5, friction = { mu = MU, velocity = 1e-4 } }
initial = { velocity = { C = [SPEED, 0] }, omega = { disc = SPIN } }
run = { duration = 0.26, samples = 27, rtol = 1e-9 }
"""
ROUGH = "friction = { mu = 0.4, velocity = 1e-4 }"


def corner(mu: float, spin: float, floor: str, speed: float) -> pm.Mechanism:
    """Return a disc that comes along a floor to a wall."""
    return loads(
        CORNER.replace("MU", repr(mu)).replace("SPIN", repr(spin)).replace("FLOOR", floor).replace("SPEED", repr(speed))
    )


@WAY
@pytest.mark.parametrize("mu", [0.4, 0.1])
def test_a_disc_that_rolls_into_a_corner_climbs_the_wall(way: dict[str, str], mu: float) -> None:
    """p = m v (1 + e), T = m v k/(1 + k) up if mu p allows, k = 1/2, so that it leaves the floor with T/m."""
    result = pm.simulate(corner(mu, -10.0, ROUGH, 2.0), **way)
    hit = next(s for s in result.switches if s.part == "wall")
    assert hit.t == pytest.approx(0.25, rel=1e-4)
    p = 2.0 * 2.0 * 1.5
    T = min(2.0 * 2.0 / 3.0, mu * p)
    assert (T < mu * p) == (mu == 0.4)
    assert hit.impulse == pytest.approx(p, rel=1e-4)
    after = result.events["wall.after"]
    np.testing.assert_allclose(after.velocity("C")[0], [-1.0, T / 2.0], rtol=2e-4)
    assert after.omega("disc")[0] == pytest.approx(-10.0 + 0.2 * T / 0.04, rel=1e-3, abs=1e-3)
    assert [s.what for s in result.switches if s.part == "floor"][-1] == "opens"
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@WAY
@pytest.mark.parametrize("floor", [ROUGH, "restitution = 0.3"])
def test_a_disc_that_spins_down_a_wall_is_struck_by_the_floor_too(way: dict[str, str], floor: str) -> None:
    """It cannot fall: the floor answers with p = T of the wall, and rubs with that."""
    result = pm.simulate(corner(0.4, 60.0, floor, 4.0), **way)
    hit = next(s for s in result.switches if s.part == "wall")
    before, after = result.events["wall"], result.events["wall.after"]
    (vx, vy), w0 = before.velocity("C")[0], before.omega("disc")[0]
    dv, dw = after.velocity("C")[0] - [vx, vy], after.omega("disc")[0] - w0
    assert vx > 0.0
    assert after.velocity("C")[0, 0] == pytest.approx(-0.5 * vx, rel=1e-6)
    assert after.velocity("C")[0, 1] == pytest.approx(0.0, abs=1e-9)
    p_wall = hit.impulse
    T_floor = 2.0 * dv[0] + p_wall  # along the floor
    # about the centre: r T_floor - r p_floor, for it slides on the wall throughout, p_floor = mu p_wall
    p_floor = 0.4 * p_wall
    assert 0.04 * dw == pytest.approx(0.2 * (T_floor - p_floor), rel=1e-5)
    slip = after.velocity("C")[0, 0] + 0.2 * after.omega("disc")[0]
    assert slip > 0.0
    assert T_floor == pytest.approx(-0.4 * p_floor if floor == ROUGH else 0.0, rel=1e-5, abs=1e-6)
    gained = 0.5 * 2.0 * (after.velocity("C")[0] @ after.velocity("C")[0] - vx**2 - vy**2)
    gained += 0.5 * 0.04 * (after.omega("disc")[0] ** 2 - w0**2)
    assert gained < 0.0
    lost = sum(s.lost for s in result.switches if abs(s.t - hit.t) < 1e-9)
    if floor != ROUGH:
        assert lost == pytest.approx(-gained, rel=1e-6)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


def test_the_least_restitution_is_taken_only_where_several_would_give_energy() -> None:
    """Two different ones at right angles keep theirs; at a sharp corner with friction nothing is gained."""
    W, before = np.eye(4), np.array([-1.0, -2.0, 0.5, 0.2])
    kept, p, T = blow(W, before, np.array([0.9, 0.1]), np.array([1.0, 1.0]), np.arange(2))
    np.testing.assert_allclose(kept, [0.9, 0.1])
    np.testing.assert_allclose(p, [1.9, 2.2])
    np.testing.assert_allclose(T, [-0.5, -0.2])
    assert math.isclose(float(p @ (before[:2] + (before + np.concatenate([p, T]))[:2])), 1.9 * -0.1 + 2.2 * -1.8)
