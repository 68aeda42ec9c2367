"""The judge of ends: limits of drivers to the last digits and singular poses, in every formulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlemech import Initial, drivers, models, signals
from particlemech.run.ends import judged, locked, singular
from particlemech.run.preparing import prepared, prepared_explicit
from particlemech.run.start import assembled, projected
from particlemech.run.trajectory import Status
from tests.run.test_status import TOGGLES

SYSTEMS = {
    "shared": prepared_explicit,
    "particles": lambda mechanism: prepared(mechanism, "particles"),
    "absolute": lambda mechanism: prepared(mechanism, "absolute"),
}


def driven_to(system, begin, t):
    """Return the pose of a fully driven mechanism at a time, followed in steps."""
    q = begin.q
    for s in np.linspace(0.0, t, 200):
        q = assembled(system, s, q)
    return q, projected(system, t, q, begin.v)


@pytest.mark.parametrize("name", TOGGLES)
@pytest.mark.parametrize("kind", SYSTEMS)
def test_a_driver_at_its_limit_is_named_with_the_time_of_the_toggle(kind, name):
    mechanism, toggle = TOGGLES[name]
    system, begin = SYSTEMS[kind](mechanism)
    t = toggle - 0.01 * system.scale.time
    end = judged(system, t, *driven_to(system, begin, t), "")
    assert end is not None
    assert end.status is Status.LOCKED
    assert abs(end.t / toggle - 1.0) <= 1e-8  # observed 7e-10: a row counts as closed within 1e-10 L
    assert 'driver "motor" is locked at t = ' in end.message
    assert " would " in end.message


@pytest.mark.parametrize("kind", SYSTEMS)
def test_a_driver_far_from_its_limit_is_no_reason(kind):
    mechanism, toggle = TOGGLES["rocker inwards"]
    system, begin = SYSTEMS[kind](mechanism)
    assert judged(system, 0.5 * toggle, *driven_to(system, begin, 0.5 * toggle), "") is None


@pytest.mark.parametrize("kind", SYSTEMS)
def test_a_limit_that_the_integrator_has_passed_is_found_behind_it(kind):
    mechanism, toggle = TOGGLES["rocker inwards"]
    system, begin = SYSTEMS[kind](mechanism)
    q, _ = driven_to(system, begin, toggle - 1e-4)
    end = locked(system, toggle + 1e-3, q)
    assert end is not None
    assert abs(end.t / toggle - 1.0) <= 1e-8


@pytest.mark.parametrize("kind", SYSTEMS)
def test_four_bars_in_a_row_are_singular_where_they_lie_flat_only(kind):
    mechanism = models.n_four_bar(2)
    system, begin = SYSTEMS[kind](mechanism)
    for angle, expected in ((math.pi / 2, Status.SINGULAR), (math.pi / 2 - 1e-4, Status.SINGULAR), (1.0, None)):
        turned = mechanism.replaced(
            points={f"B{k}": (mechanism.points[f"A{k}"][0] + math.sin(angle), math.cos(angle)) for k in range(3)}
        )
        system, begin = SYSTEMS[kind](turned.replaced(initial=Initial(omega={f"crank{k}": -1.0 for k in range(3)})))
        end = singular(system, 0.0, begin.q, begin.v, "cure")
        assert (end and end.status) == expected, angle


@pytest.mark.parametrize("kind", SYSTEMS)
def test_redundant_rows_are_no_singular_pose(kind):
    system, begin = SYSTEMS[kind](models.load("parallel_cranks"))
    assert judged(system, 0.0, begin.q, begin.v, "") is None


@pytest.mark.parametrize("kind", SYSTEMS)
def test_redundant_drivers_that_agree_are_not_locked(kind):
    turn = drivers.Rotation(bodies=("ground", "crank"), motion=signals.Linear(rate=5.0))
    two = models.load("four_bar").replaced(initial=Initial(), drivers={"one": turn, "other": turn})
    system, begin = SYSTEMS[kind](two)
    assert judged(system, 0.0, begin.q, begin.v, "") is None
