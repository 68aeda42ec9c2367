"""Forty random mechanisms: completed and right, or stopped with a true reason; `python -m tests.fuzz` draws more."""

from __future__ import annotations

import pytest

import particlemech as pm
from tests.fuzz import judged, limited
from tests.fuzz_mechanisms import drawn, scaled

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_mechanism_is_completed_and_right_or_stopped_with_a_true_reason(seed):
    verdict = judged(seed)
    assert verdict.kind in ("agree", "said so"), verdict.why


def test_a_seed_draws_one_mechanism():
    assert drawn(7) == drawn(7) != drawn(8)


def test_a_mechanism_in_other_units_is_the_same_mechanism():
    mechanism = pm.models.load("four_bar").replaced(run={"duration": 0.2, "samples": 3, "rtol": 1e-10})
    other = scaled(mechanism, 1e3, 1e-4, 1e-2)
    one, two = pm.simulate(mechanism), pm.simulate(other)
    assert other.run.duration == pytest.approx(2e-3)
    assert two["B"] == pytest.approx(1e3 * one["B"], rel=1e-7)
    assert two.energy.kinetic == pytest.approx(1e-4 * 1e6 / 1e-4 * one.energy.kinetic, rel=1e-6)


def test_a_case_that_takes_too_long_is_given_up():
    assert limited(0, 1e-3).kind == "gave up"
