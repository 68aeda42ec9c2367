"""What counts as a difference between two results, and when a model's own check holds; results are stand-ins here."""

from types import SimpleNamespace

import numpy as np
import pytest

from particlemech.description import Check
from particlemech.mechanism import Body, Mechanism
from particlemech.system import Scale
from particlemech.validation import Validation, differences, energy_error, held


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
