"""Change points of loops in space: named, begun and run as in the plane (test_branches.py)."""

from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech import ModelError, signals
from particlemech.model.space import Body, Initial, Mechanism, drivers, joints

# a frame that nothing is parallel to
TURN = np.array([[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]]) / 3.0


def turned(*at):
    return tuple((TURN @ np.array(at)).tolist())


def parallelogram(rate=None, motion=None, gravity=(0.0, 0.0, 0.0), rocker=1.0):
    """Return a parallelogram on one line, its cranks of 0.2 m."""
    places = {"A": (0.0, 0.0, 0.0), "B": (0.2, 0.0, 0.0), "C": (0.5 + 0.2, 0.0, 0.0), "D": (0.5, 0.0, 0.0)}
    pairs = {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"), "D": ("ground", "rocker")}
    ends = {"crank": ("A", "B"), "coupler": ("B", "C"), "rocker": ("D", "C")}
    motor = {"motor": drivers.Coordinate(joint="A", coordinate="angle", motion=motion)} if motion else {}
    return Mechanism(
        gravity=turned(*gravity),
        points={name: turned(*at) for name, at in places.items()},
        bodies={name: Body(points=two, mass=rocker if name == "rocker" else 1.0) for name, two in ends.items()},
        joints={p: joints.Revolute(bodies=two, point=p, axis=turned(0.0, 0.0, 1.0)) for p, two in pairs.items()},
        drivers=motor,
        initial=Initial(rate=rate or {}),
    )


@pytest.mark.parametrize("parts", [{"rate": {"A": 3.0}}, {"motion": signals.Linear(rate=3.0)}], ids=["free", "driven"])
@pytest.mark.parametrize("integrator", ["auto", "ida"])
def test_a_parallelogram_on_one_line_is_asked_for_the_rate_that_tells_its_branches_apart(parts, integrator):
    # on the crossed branch the rocker turns (d + a)/(d - a) times as fast, the other way
    with pytest.raises(ModelError, match=r'change point.*give the initial rate of "D" too \(-7 or 3 rad/s\)'):
        pm.simulate(parallelogram(**parts), duration=0.1, integrator=integrator)


@pytest.mark.parametrize(
    ("rate", "parallel", "integrator"), [(3.0, True, "auto"), (3.0, True, "ida"), (-7.0, False, "auto")]
)
def test_two_rates_of_one_branch_run_along_it(rate, parallel, integrator):
    mechanism = parallelogram(rate={"A": 3.0, "D": rate}, gravity=(0.0, -9.81 if parallel else 0.0, 0.0))
    run = pm.simulate(mechanism, duration=0.3, samples=16, rtol=1e-8, integrator=integrator)
    assert np.abs(run.energy.error).max() < 1e-5 * run.energy.scale
    assert run.rate("A")[0] == pytest.approx(3.0) and run.rate("D")[0] == pytest.approx(rate)
    apart = np.abs(run.coordinate("A") - run.coordinate("D")).max()
    assert apart < 1e-9 if parallel else apart > 0.5
    # what the loop holds twice is not known; on the line itself not even the forces along it
    assert np.isnan(run.reaction("C", on="rocker")).any()


def test_rates_of_no_branch_contradict_each_other():
    with pytest.raises(ModelError, match=r"^the start contradicts itself.*no branch of motion"):
        pm.simulate(parallelogram(rate={"A": 3.0, "D": 1.0}), duration=0.1)


def test_a_change_point_is_left_from_rest_only_where_something_says_along_which_branch():
    assert np.abs(pm.simulate(parallelogram(), duration=0.1, samples=3).coordinate("A")).max() < 1e-12
    with pytest.raises(ModelError, match=r"change point.*its drivers set out from rest"):
        pm.simulate(parallelogram(motion=signals.Cycloid(end=1.0, duration=1.0)), duration=1.0)
    with pytest.raises(ModelError, match=r"change point.*its forces set it off from rest"):
        pm.simulate(parallelogram(gravity=(0.0, -9.81, 0.0), rocker=2.0), duration=0.1)
    # cranks that weigh the same fall side by side
    run = pm.simulate(parallelogram(gravity=(0.0, -9.81, 0.0)), duration=0.2, samples=5)
    assert np.abs(run.coordinate("D") - run.coordinate("A")).max() < 1e-9 and abs(run.coordinate("A")[-1]) > 0.1


def test_a_parallelogram_driven_through_its_change_points_stays_on_its_branch():
    drawn = parallelogram(motion=signals.Linear(rate=6.0))
    started = replace(drawn, initial=Initial(rate={"D": 6.0}))
    run = pm.simulate(started, duration=1.5, samples=31, rtol=1e-8)  # over one turn and a half
    assert np.abs(run.coordinate("D") - run.coordinate("A")).max() < 1e-6


def test_explicit_steps_alone_do_not_leave_a_change_point():
    with pytest.raises(ModelError, match=r'change point.*joint "C".*take "auto" or "ida"'):
        pm.simulate(parallelogram(rate={"A": 3.0, "D": 3.0}), duration=0.1, integrator="explicit")
