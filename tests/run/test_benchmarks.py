"""Published benchmarks: Andrews' squeezing mechanism, the N-four-bar, and mechanisms with one joint too many."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import particlemech as pm
from particlemech import models
from tests.support.problems import FORMULATIONS, column, flat_cranks, hold, reference


@pytest.fixture(scope="module", params=FORMULATIONS)
def andrews(request):
    """Return runs of Andrews' mechanism at two tolerances, at the times of the reference rows."""
    model = models.load("andrews_squeezer")
    options = {"duration": 0.03, "samples": 13, "formulation": request.param}
    return {rtol: pm.simulate(model, rtol=rtol, **options) for rtol in (1e-9, 1e-11)}


@pytest.mark.parametrize("rtol", [1e-9, 1e-11])
def test_crank_of_andrews_turns_as_published(andrews, rtol):
    hold(f"Andrews, turn of the crank at rtol {rtol:.0e}", abs(andrews[rtol].angle("crank")[-1] - 15.8724850851680))


def test_initial_acceleration_of_andrews_has_ten_digits(andrews):
    exact = reference("andrews")["initial_crank_acceleration"]
    hold("Andrews, initial acceleration", abs(andrews[1e-9].alpha("crank")[0] / exact - 1.0))


@pytest.mark.parametrize("rtol", [1e-9, 1e-11])
def test_joints_of_andrews_stay_closed_before_projection(andrews, rtol):
    result = andrews[rtol]
    scale = result.system.scale
    hold("Andrews, closure of positions", result.closure.position.max() / (rtol * scale.length))
    hold("Andrews, closure of velocities", result.closure.velocity.max() / (rtol * scale.length / scale.time))


def test_all_bodies_of_andrews_pass_the_reference_rows(andrews):
    data, result = reference("andrews"), andrews[1e-11]
    K = len(result.t)
    assert np.allclose(column(data, "t")[:K], result.t, rtol=0.0, atol=1e-12)
    angles = {name: column(data, name)[:K] for name in data["columns"]}
    # the angles of the test set, put together to turns of bodies since t = 0
    turned = {
        **{"crank": angles["beta"], "K2": angles["beta"] + angles["theta"], "K3": angles["gamma"]},
        **{"K4": angles["phi"] + angles["delta"], "K5": angles["delta"]},
        **{"K6": angles["Omega"] + angles["epsilon"], "K7": angles["epsilon"]},
    }
    error = max(np.abs(result.angle(b) - (a - a[0])).max() for b, a in turned.items())
    hold("Andrews, angles of all bodies at rtol 1e-11", error)
    rate = column(data, "d_beta")[:K]
    hold("Andrews, rate of the crank at rtol 1e-11", np.abs(result.omega("crank") - rate).max() / np.abs(rate).max())
    turn = column(data, "dd_gamma")[:K]
    hold("Andrews, acceleration of K3 at rtol 1e-11", np.abs(result.alpha("K3") - turn).max() / np.abs(turn).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("n", [2, 10])
def test_row_of_four_bars_passes_its_singular_poses(n, formulation):
    # rounding alone scatters the error behind singular poses: up to 9e-6 here at 1e-9, 1.4e-5 in the absolute form
    rtol = {"particles": 1e-9, "absolute": 1e-10}[formulation]
    result = pm.simulate(models.n_four_bar(n), rtol=rtol, samples=201, formulation=formulation, integrator="ida")
    assert result.status is pm.Status.COMPLETED
    hold(f"N-four-bar, N = {n}, place of B0", np.abs(result["B0"] - flat_cranks(n, result.t)).max())
    hold(f"N-four-bar, N = {n}, energy", np.abs(result.energy.error).max() / result.energy.scale)


def test_forty_four_bars_in_a_row_pass_their_singular_poses():
    result = pm.simulate(models.n_four_bar(40), rtol=1e-7, samples=51, integrator="ida")
    assert result.status is pm.Status.COMPLETED
    assert result.stats["sparse"]
    hold("N-four-bar, N = 40, place of B0", np.abs(result["B0"] - flat_cranks(40, result.t)).max())
    hold("N-four-bar, N = 40, energy", np.abs(result.energy.error).max() / result.energy.scale)


@pytest.mark.parametrize("n", [2, 40])
def test_closed_form_of_the_four_bars_has_the_reference_rows(n):
    data = reference("n_four_bar")
    t = column(data, "t", f"N{n}")
    path = flat_cranks(n, t)
    exact = np.column_stack([column(data, "B0x", f"N{n}"), column(data, "B0y", f"N{n}")])
    hold("N-four-bar, our closed form", np.abs(path - exact).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9])
def test_parallel_cranks_run_with_steady_reactions(rtol, formulation):
    model = models.load("parallel_cranks")
    result = pm.simulate(model, rtol=rtol, samples=101, formulation=formulation)
    assert result.status is pm.Status.COMPLETED
    assert result.t[-1] == 10.0
    for joint in ("A1", "A2", "A3"):
        force = result.reaction(joint, on="coupler")
        # three parallel forces on one bar: no y component is determined, x only while the cranks hang straight
        assert np.all(np.isnan(force[:, 1]))
        assert np.all(np.isnan(force[1:, 0]))
    chosen = sum(result.reaction(j, on="coupler", undetermined="least-norm") for j in ("A1", "A2", "A3"))
    # what is determined is the sum: it moves the coupler
    needed = result.acceleration("A2") + np.array([0.0, 9.81])
    assert np.abs(chosen - needed).max() <= 1e-9 * np.abs(needed).max()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_least_norm_reactions_do_not_depend_on_the_tolerance_but_for_the_motion(formulation):
    """The share of each crank is a smooth function of the pose alone: no jitter from redundant joints."""
    model = models.load("parallel_cranks")
    loose, tight = (
        pm.simulate(model, duration=1.0, samples=401, rtol=rtol, formulation=formulation) for rtol in (1e-6, 1e-9)
    )
    for result in (loose, tight):
        force = result.reaction("A1", on="coupler", undetermined="least-norm")
        h = result.t[1]
        bend = np.abs(np.diff(force, n=2, axis=0)).max()
        # a smooth curve bends by h^2 f''; f'' is at most about (rate 20/s)^2 of the force
        assert bend <= (20.0 * h) ** 2 * np.abs(force).max()
    a, b = (r.reaction("A1", on="coupler", undetermined="least-norm") for r in (loose, tight))
    hold("parallel cranks, reactions at 1e-6 and 1e-9", np.abs(a - b).max() / np.abs(b).max())


def test_parallel_cranks_swing_as_one_pendulum():
    """With w^2 = g (m_c + 3 m/2)/(L (m_c + 3 m/3)) the cranks follow psi'' = -w^2 sin(psi)."""
    result = pm.simulate(models.load("parallel_cranks"), samples=101)
    w2 = 9.81 / 0.2 * (1.0 + 1.5 * 0.2) / (1.0 + 0.2)
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "t_eval": result.t}
    exact = solve_ivp(lambda _, y: (y[1], -w2 * math.sin(y[0])), (0.0, 10.0), (0.0, 6.0), **options).y[0]
    hold("parallel cranks, angle over 10 s", np.abs(result.angle("crank3") - exact).max())
