"""What counts as a difference between two results, and when a model's own check holds; results are stand-ins here."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, models, signals
from particlemech.analyses.differences import differences
from particlemech.analyses.validation import Validation, energy_error, followed, held, validated
from particlemech.engine.system import Scale
from particlemech.model.description import Check
from particlemech.model.mechanism import Body, Mechanism


def result(t=(0.0, 1.0), status="completed", scale=100.0, error=(0.0, 0.0), condition=None, **columns):
    """Return a stand-in with the given columns; a dot is spelt as two underscores."""
    values = {"t": np.array(t)} | {k.replace("__", "."): np.array(v, dtype=float) for k, v in columns.items()}
    return SimpleNamespace(
        t=values["t"],
        status=status,
        columns=lambda: values,
        condition=np.array(condition if condition is not None else np.ones(len(t))),
        system=SimpleNamespace(scale=Scale(length=1.0, mass=1.0, time=1.0)),
        energy=SimpleNamespace(scale=scale, error=np.array(error), potential=np.zeros(2)),
    )


def test_equal_results_do_not_differ():
    one = result(A__x=[0.0, 5.0], A__vx=[1.0, 1.0], motor__effort=[2.0, 2.0], energy__total=[7.0, 7.0])
    assert [(d.quantity, d.relative) for d in differences(one, one)] == [
        ("points", 0.0),
        ("velocities", 0.0),
        ("effort", 0.0),
        ("energy", 0.0),
    ]


def test_the_largest_difference_is_found_with_its_place_and_time():
    one = result(A__fx=[10.0, 20.0], B__fy=[0.0, 40.0])
    two = result(A__fx=[10.0, 21.0], B__fy=[0.5, 38.0])
    (found,) = differences(one, two)
    assert (found.quantity, found.largest, found.scale, found.where, found.t) == ("reactions", 2.0, 40.0, "B.fy", 1.0)
    assert found.relative == 0.05


def test_a_constant_effort_is_measured_from_zero_not_from_itself():
    (found,) = differences(result(m__effort=[5.0, 5.0]), result(m__effort=[5.0, 5.0 + 1e-9]))
    assert found.relative == pytest.approx(2e-10, rel=1e-3)


def test_each_driver_has_a_range_of_its_own():
    one = result(force__effort=[1000.0, 1000.0], torque__effort=[0.1, 0.1])
    two = result(force__effort=[1000.0, 1000.0], torque__effort=[0.1, 0.2])
    assert [d.relative for d in differences(one, two)] == pytest.approx([0.0, 1.0])


def test_rounding_in_what_is_zero_all_the_time_is_no_difference():
    (found,) = differences(result(A__vx=[0.0, 0.0]), result(A__vx=[1e-16, -1e-16]))
    assert found.relative < 1e-9


def test_energy_is_measured_by_the_energy_in_play_not_by_its_offset():
    one = result(energy__potential=[1e6, 1e6 + 50.0], scale=50.0)
    two = result(energy__potential=[1e6, 1e6 + 51.0], scale=50.0)
    assert [d.relative for d in differences(one, two)] == pytest.approx([0.02])


def test_what_one_formulation_leaves_undetermined_is_not_compared():
    one = result(A__fx=[np.nan, 1.0], B__m=[np.nan, np.nan])
    two = result(A__fx=[7.0, 1.0], B__m=[1.0, 1.0])
    assert [(d.quantity, d.largest) for d in differences(one, two)] == [("reactions", 0.0)]


def test_runs_that_end_at_different_times_are_compared_as_far_as_both_go_but_do_not_agree():
    short, long = result(t=[0.0], A__x=[1.0]), result(A__x=[1.0, 2.0])
    found = differences(short, long)
    assert found[0].largest == 0.0
    assert not Validation(short, long, found, 1.0).agreed
    assert Validation(long, long, differences(long, long), 1e-12).agreed


def test_runs_of_different_status_do_not_agree():
    assert not Validation(result(), result(status="locked"), (), 1.0).agreed


def test_runs_that_stop_alike_may_differ_by_a_sample():
    short, long = result(t=[0.0, 1.0], status="locked"), result(t=[0.0, 1.0, 2.0], status="locked")
    assert Validation(short, long, (), 1.0).agreed
    assert "where both are locked, but not to the end" in Validation(short, long, (), 1.0).verdict


def test_runs_that_end_differently_are_told_from_runs_that_differ():
    short, long = result(t=[0.0, 1.0], A__x=[1.0, 2.0], status="locked"), result(t=[0.0, 1.0], A__x=[1.0, 2.0 + 4e-9])
    found = Validation(short, long, differences(short, long), 1e-5)
    assert not found.agreed
    assert found.verdict == (
        "ENDS DIFFER: alike within 1e-05 of each range up to t = 1 s, but locked at t = 1 s and completed at t = 1 s"
    )
    far = result(t=[0.0, 1.0], A__x=[1.0, 2.1])
    assert "NOT AGREED within 1e-05 of each range: points differ by 1.0e-01" in (
        Validation(long, far, differences(long, far), 1e-5).verdict
    )


def test_small_angles_are_compared_with_a_radian():
    (found,) = differences(result(b__angle=[0.0, 1e-4]), result(b__angle=[0.0, 1e-4 + 4e-8]))
    assert found.relative == pytest.approx(4e-8, rel=1e-3)


# -- whole validations -------------------------------------------------------------------------------------------


def reaching(rate):
    """Return the shipped slider-crank, its slider driven outwards: it can go 0.0151 m."""
    B = (0.06 + math.sqrt(0.3**2 - 0.08**2), 0.0)
    motor = drivers.Position(point="B", body="slider", axis="x", motion=signals.Linear(rate=rate))
    return models.load("slider_crank").replaced(
        points={"A": (0.06, 0.08), "B": B}, bodies={"slider": {"com": B}}, forces={"motor": None},
        drivers={"motor": motor},
    )  # fmt: skip


LIMIT = 0.4 - 0.06 - math.sqrt(0.3**2 - 0.08**2)  # m, crank and rod in line


def test_a_lock_that_two_runs_agree_on_is_held_against_the_positions_alone():
    found = validated(reaching(0.1), duration=1.0, samples=101)
    assert [run.status.value for run in (found.first, found.second)] == ["locked", "locked"]
    assert found.agreed and not found.complete
    assert found.first.t[-1] == pytest.approx(LIMIT / 0.1, abs=0.011)
    assert "cannot follow the drivers any further either" in found.remark
    assert "but not to the end" in found.verdict


def test_positions_follow_a_driver_to_its_limit_and_no_further():
    mechanism = reaching(0.1)
    start = pm.simulate(mechanism, duration=0.01, samples=2)
    assert followed(mechanism, start, 0.99 * LIMIT / 0.1)
    assert not followed(mechanism, start, 1.01 * LIMIT / 0.1)


def test_where_steps_add_up_a_finer_run_decides():
    # a second of a double pendulum at rtol 1e-5: IDA is off by more than 1e-5 of the range, its equations are not
    found = validated(models.load("double_pendulum"), duration=1.0, samples=21, rtol=1e-5)
    assert found.agreed and found.complete
    assert found.remark.startswith("at rtol 1e-07; at 1e-05 errors of steps add up to")


def test_the_second_opinion_does_without_what_only_one_formulation_offers():
    found = validated(models.load("pendulum"), duration=0.2, samples=3, integrator="explicit")
    assert found.agreed


def test_the_energy_error_is_a_fraction_of_the_energy_in_play():
    assert energy_error(result(scale=50.0, error=[0.0, -5.0])) == 0.1
    assert energy_error(result(scale=0.0, error=[0.0, 0.0])) == 0.0


def test_every_line_of_a_check_is_held_against_the_result():
    expected = Check(dof=2, energy=0.01, end={"A.x": 1.0, "A.y": 1.0, "A.z": 1.0}, tolerance=1e-3)
    body = Body(points=("A",), mass=1.0, com=(0.0, 0.0), inertia=1.0)
    mechanism = Mechanism(points={"A": (0.0, 0.0)}, bodies={"b": body}, check=expected)
    findings = held(mechanism, result(A__x=[0.0, 1.0005], A__y=[1.0, 1.002], error=[0.0, 0.5]), dof=3)
    assert {f.what: f.held for f in findings} == {"dof": False, "energy": True, "A.x": True, "A.y": False, "A.z": False}


def test_a_number_that_is_not_one_never_holds():
    expected = Check(end={"A.fx": 1.0})
    body = Body(points=("A",), mass=1.0, com=(0.0, 0.0), inertia=1.0)
    mechanism = Mechanism(points={"A": (0.0, 0.0)}, bodies={"b": body}, check=expected)
    (finding,) = held(mechanism, result(A__fx=[1.0, np.nan]), dof=3)
    assert not finding.held


def test_what_the_condition_of_equilibrium_explains_is_divided_out_of_reactions_only():
    times, condition = (0.0, 1.0, 2.0), (10.0, 10.0, 1000.0)
    one = result(t=times, A__x=(0.0, 1.0, 1.0), B__fx=(0.0, 40.0, 40.0), condition=condition)
    two = result(t=times, A__x=(0.0, 1.0, 1.1), B__fx=(0.2, 40.0, 42.0), condition=condition)
    points, reactions = differences(one, two)
    assert (points.relative, points.magnified) == (pytest.approx(0.1), 1.0)
    assert (reactions.largest, reactions.t, reactions.magnified) == (pytest.approx(0.2), 0.0, 1.0)
    assert reactions.relative == pytest.approx(0.005)
    worse = result(t=times, A__x=(0.0, 1.0, 1.1), B__fx=(0.2, 40.0, 80.0), condition=condition)
    assert differences(one, worse)[1].relative == pytest.approx(40.0 / 80.0 / 100.0, rel=1.1)
