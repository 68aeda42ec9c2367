"""The error follows the tolerance, and the effort stays within bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from tests.support.problems import EFFORT, FORMULATIONS, hold, swing

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)


def pendulum_errors(formulation):
    errors = []
    for rtol in TOLERANCES:
        result = pm.simulate(models.load("pendulum"), rtol=rtol, samples=21, formulation=formulation, integrator="ida")
        psi, _ = swing(result.t, math.sqrt(1.5 * 9.81), math.pi / 2)
        errors.append(np.abs(result["P"] - np.column_stack([np.sin(psi), -np.cos(psi)])).max())
    return np.array(errors)


def four_bar_errors(formulation):
    options = {"samples": 21, "duration": 0.5, "formulation": formulation, "integrator": "ida"}
    tight = pm.simulate(models.load("four_bar"), rtol=1e-12, **options)["B"]
    return np.array(
        [np.abs(pm.simulate(models.load("four_bar"), rtol=r, **options)["B"] - tight).max() for r in TOLERANCES]
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("errors", [pendulum_errors, four_bar_errors], ids=["pendulum", "four-bar"])
def test_error_follows_the_tolerance(errors, formulation):
    found = errors(formulation)
    print(dict(zip(TOLERANCES, found, strict=True)))
    name = errors.__name__.replace("_", " ")
    hold(f"{name}, times the tolerance", (found / TOLERANCES).max())
    # rounding alone changes the steps of a run and with them its error by about a factor of two either way, so single
    # pairs say little: three powers of the tolerance always pay, and over all the error follows, power by power
    assert np.all(found[3:] <= found[:-3] / 8.0)
    slope = np.polyfit(np.log10(TOLERANCES), np.log10(found), 1)[0]
    print("slope", slope)
    assert 0.5 <= slope <= 1.25  # observed 0.62 to 1.0: the margin of the steps is given up below 3e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", EFFORT)
def test_effort_stays_within_bounds(name, formulation):
    options = {"rtol": 1e-8, "samples": 11, "formulation": formulation, "integrator": "ida"}
    stats = pm.simulate(models.load(name), **options).stats
    residuals, jacobians = EFFORT[name]
    print(name, formulation, stats)
    assert stats["residuals"] <= 1.5 * residuals
    assert stats["jacobians"] <= 1.5 * jacobians
    assert stats["steps"] <= stats["residuals"]


def test_effort_grows_slowly_with_the_tolerance():
    """A method of order five asks for at most 10^(1/5) more steps per digit; order control may stay below."""
    options = {"samples": 11, "integrator": "ida"}
    loose, tight = (pm.simulate(models.load("four_bar"), rtol=r, **options).stats["steps"] for r in (1e-6, 1e-10))
    assert tight <= 10 ** (4 / 4) * loose


def test_steps_do_not_grow_with_the_number_of_loops():
    options = {"rtol": 1e-6, "duration": 3.0, "samples": 7, "integrator": "ida"}
    few, many = (pm.simulate(models.n_four_bar(n), **options).stats["steps"] for n in (2, 12))
    assert many <= 1.5 * few


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_dense_and_sparse_solvers_give_one_motion(formulation):
    options = {"duration": 0.5, "samples": 6, "rtol": 1e-9, "formulation": formulation, "integrator": "ida"}
    dense, sparse = (
        pm.simulate(models.load("stephenson_six_bar"), linear_solver=s, **options) for s in ("dense", "sparse")
    )
    assert (dense.stats["sparse"], sparse.stats["sparse"]) == (False, True)
    hold("dense and sparse", np.abs(dense["E"] - sparse["E"]).max())


def test_two_runs_agree_to_the_last_bit():
    one, two = (pm.simulate(models.load("andrews_squeezer"), samples=11, integrator="ida") for _ in range(2))
    assert all(
        np.array_equal(a, b, equal_nan=True)
        for a, b in zip(one.columns().values(), two.columns().values(), strict=True)
    )
    assert one.stats["residuals"] == two.stats["residuals"]


def test_motion_does_not_depend_on_the_number_of_samples():
    few, many = (pm.simulate(models.load("four_bar"), samples=n, integrator="ida") for n in (11, 1001))
    dense = many.columns()
    for column, values in few.columns().items():
        if not column.startswith("closure"):  # read off before projection: rounding
            gap = np.abs(values - dense[column][::100]).max()
            hold("few and many samples", gap / max(np.abs(values).max(), 1.0))
    assert few.stats["steps"] == many.stats["steps"]
    assert few.stats["residuals"] == many.stats["residuals"]
