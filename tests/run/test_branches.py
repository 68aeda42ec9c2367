"""Starts at change points: which speeds tell the branches of motion apart, and what is asked where they are missing."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, models, signals
from particlemech.errors import ModelError
from particlemech.run.preparing import prepared, prepared_explicit
from tests.support.problems import DOWN, pinned

WAYS = ("particles", "absolute", "explicit")


def on_a_line(crank, coupler, rocker, base, tilt=0.3, size=1.0, **parts) -> Mechanism:
    """Return a four-bar of these lengths drawn on one line, B and C beyond each other; it may lie in any direction."""
    assert crank + coupler == rocker + base
    e = size * np.array([np.cos(tilt), np.sin(tilt)])
    places = {"A": 0.0, "B": crank, "C": crank + coupler, "D": base}
    return Mechanism(
        points={p: tuple(x * e) for p, x in places.items()},
        bodies={
            "crank": Body(points=("A", "B"), mass=1.0),
            "coupler": Body(points=("B", "C"), mass=2.0),
            "rocker": Body(points=("D", "C"), mass=1.5),
        },
        joints=pinned(A=("ground", "crank"), B=("crank", "coupler"), C=("coupler", "rocker"), D=("rocker", "ground")),
        **parts,
    )


def parallelogram(**parts) -> Mechanism:
    return on_a_line(1.0, 2.0, 1.0, 2.0, **parts)


def kite(**parts) -> Mechanism:
    return on_a_line(2.0, 1.0, 1.0, 2.0, **parts)


def turning(**omega) -> dict[str, Initial]:
    return {"initial": Initial(omega=omega)}


def driven(motion) -> dict[str, object]:
    return {"drivers": {"motor": drivers.Rotation(bodies=("ground", "crank"), motion=motion)}}


def begun(mechanism, way) -> np.ndarray:
    """Return the angular velocities at the start, (n_body,)."""
    system, begin = prepared_explicit(mechanism) if way == "explicit" else prepared(mechanism, way)
    at = system.levels(0.0, begin.q, begin.v)
    assert np.abs(at.phi_q @ begin.a + at.gamma).max() < 1e-9  # accelerations exist
    return system.omega_q(begin.q) @ begin.v


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1.0, 1e-4])
@pytest.mark.parametrize(
    ("parts", "asked"),
    [
        # the rocker of the crossed branch turns (d + a)/(d - a) times as fast, the other way
        (turning(crank=2.0), '"rocker" too (-6 or 2 rad/s)'),
        (turning(rocker=-3.0), '"crank" too (-3 or 1 rad/s)'),
        (driven(signals.Linear(rate=2.0)), '"rocker" too (-6 or 2 rad/s)'),
    ],
)
def test_a_parallelogram_on_one_line_is_asked_for_the_speed_that_tells_its_branches_apart(parts, asked, size, way):
    with pytest.raises(ModelError) as error:
        begun(parallelogram(size=size, **parts), way)
    assert str(error.value).startswith("the start is a change point, where branches of motion meet, and the speeds")
    assert f"give the initial omega of {asked}" in str(error.value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("motion", [None, signals.Linear(rate=2.0)])
@pytest.mark.parametrize("rocker", [2.0, -6.0])
def test_two_speeds_of_one_branch_start_a_parallelogram_on_one_line(rocker, motion, way):
    """The speed of C is w + 2 w_c seen from the crank, w_r seen from the rocker."""
    parts = turning(rocker=rocker) | driven(motion) if motion else turning(crank=2.0, rocker=rocker)
    found = begun(parallelogram(**parts), way)
    assert found == pytest.approx([2.0, (rocker - 2.0) / 2.0, rocker], abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_speeds_of_no_branch_contradict_each_other(way):
    with pytest.raises(ModelError, match=r"^the start contradicts itself.*no branch of motion"):
        begun(parallelogram(**turning(crank=2.0, rocker=0.3)), way)


@pytest.mark.parametrize("way", WAYS)
def test_a_kite_whose_crank_turns_has_one_branch_and_takes_it(way):
    """On the other branch the crank stands: rocker and coupler turn as one. Least kinetic energy would mix the two."""
    assert begun(kite(**turning(crank=1.0)), way) == pytest.approx([1.0, -0.5, 1.5], abs=1e-9)
    assert begun(kite(**driven(signals.Linear(rate=1.0))), way) == pytest.approx([1.0, -0.5, 1.5], abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_a_kite_whose_rocker_turns_is_asked_whether_its_crank_does(way):
    with pytest.raises(ModelError, match=r'give the initial omega of "crank" too \(0 or 0.666667 rad/s\)'):
        begun(kite(**turning(rocker=1.0)), way)
    assert begun(kite(**turning(rocker=1.0, crank=0.0)), way) == pytest.approx([0.0, 1.0, 1.0], abs=1e-9)


# -- rest ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_mechanism_at_rest_and_in_balance_may_stay_at_a_change_point(way):
    assert not begun(parallelogram(), way).any()
    assert not begun(parallelogram(tilt=0.0, gravity=(9.81, 0.0)), way).any()


@pytest.mark.parametrize("way", WAYS)
def test_forces_that_push_a_mechanism_off_all_branches_are_refused_at_rest(way):
    with pytest.raises(ModelError, match=r"change point.*its forces set it off from rest.*draw the mechanism a little"):
        begun(parallelogram(gravity=DOWN), way)


@pytest.mark.parametrize("way", WAYS)
def test_forces_that_push_a_mechanism_along_a_branch_set_it_off(way):
    """Couples that give both cranks 3 rad/s^2, and the force across the line that takes the coupler along."""
    across = (0.0, 2.0 * 1.0 * 3.0)
    acting = {
        "crank": forces.Torque(bodies=("ground", "crank"), torque=1.0 / 3.0 * 3.0),
        "rocker": forces.Torque(bodies=("ground", "rocker"), torque=1.5 / 3.0 * 3.0),
        "coupler": forces.Load(body="coupler", force=across),
    }
    mechanism = parallelogram(tilt=0.0, forces=acting)
    system, begin = prepared_explicit(mechanism) if way == "explicit" else prepared(mechanism, way)
    assert system.omega_q(begin.q) @ begin.a == pytest.approx([3.0, 0.0, 3.0], abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_a_driver_that_sets_out_from_rest_at_a_change_point_is_refused(way):
    move = signals.Cycloid(end=1.0, duration=1.0)
    with pytest.raises(ModelError, match=r"change point.*its drivers set out from rest"):
        begun(parallelogram(**driven(move)), way)
    assert not begun(kite(**driven(move)), way).any()  # one branch only


@pytest.mark.parametrize("way", WAYS)
def test_joints_that_give_way_at_first_only_are_no_change_point(way):
    """Two bars on one line between fixed pins: rigid, though their middle can begin to move."""
    bars = Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 0)},
        bodies={"l": Body(points=("A", "B"), mass=1.0), "r": Body(points=("C", "B"), mass=1.0)},
        joints=pinned(A=("ground", "l"), B=("l", "r"), C=("r", "ground")),
    )
    assert not begun(bars, way).any()
    with pytest.raises(ModelError, match=r"^the start contradicts itself"):
        begun(bars.replaced(initial=Initial(omega={"l": 1.0})), way)


@pytest.mark.parametrize("way", WAYS)
def test_joints_that_are_redundant_for_good_start_with_one_speed(way):
    """Three parallel cranks: the rows depend on each other in every pose, and no branches meet in this one."""
    mechanism = models.load("parallel_cranks")
    assert begun(mechanism, way).any()


def test_what_moves_elsewhere_does_not_ask_for_speeds_of_a_part_at_rest():
    free = Body(points=("P", "Q"), mass=1.0)
    base = parallelogram()
    mechanism = base.replaced(points={"P": (5.0, 0.0), "Q": (5.0, -1.0)}, bodies={"pendulum": free})
    mechanism = mechanism.replaced(joints=pinned(P=("ground", "pendulum")), initial=Initial(omega={"pendulum": 1.0}))
    assert begun(mechanism, "particles") == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-12)


def test_a_run_that_cannot_start_says_so_whichever_the_integrator():
    for integrator in ("ida", "explicit", "auto"):
        with pytest.raises(ModelError, match="change point"):
            pm.simulate(parallelogram(**turning(crank=2.0)), integrator=integrator)
