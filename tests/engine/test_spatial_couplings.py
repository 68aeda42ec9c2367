"""Coupled joints and driven distances in space: closed forms, reactions, counts, and what the second opinion says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import signals
from particlemech.analyses import loops
from particlemech.analyses.validation import validated
from particlemech.errors import ModelError
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.result.mobility.space import judged
from tests.support.second_opinion import agree

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def wheels(ratio, **sections):
    """Return two wheels of inertia 0.3 and 0.1 about z, geared to each other."""
    bodies = {
        name: Body(mass=1.0, com=(x, 0.0, 0.0), inertia=(i, i, i)) for name, x, i in (("a", 0.0, 0.3), ("b", 1.0, 0.1))
    }
    made = {
        "A": joints.Revolute(bodies=("ground", "a"), point=(0.0, 0.0, 0.0), axis=Z),
        "B": joints.Revolute(bodies=("ground", "b"), point=(1.0, 0.0, 0.0), axis=Z),
        "gear": joints.Coupling(joints=("A", "B"), ratio=ratio),
    }
    return Mechanism(bodies=bodies, joints=made, **sections)


# -- closed forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [-2.0, 1.0, math.pi / 3.0, -0.1])
def test_geared_wheels_turn_as_their_reduced_inertia_says_over_many_turns(ratio):
    push = forces.Motor(joint="A", effort=3.0)
    run = pm.simulate(wheels(ratio, forces={"push": push}), duration=5.0, samples=11, rtol=1e-10)
    rate = 3.0 / (0.3 + 0.1 * ratio**2)
    assert np.abs(run.coordinate("A") - 0.5 * rate * run.t**2).max() < 1e-6 * run.coordinate("A")[-1]
    assert np.abs(run.coordinate("B") - ratio * run.coordinate("A")).max() < 1e-9
    assert run.coordinate("A")[-1] > 5.0 * math.tau
    assert np.abs(run.effort("gear") - 0.1 * ratio * rate).max() < 1e-9  # on B
    assert np.abs(run.moment("B", "b")).max() < 1e-9
    agree(run, 1e-5)  # after up to twenty turns


def test_a_rack_falls_as_its_pinion_lets_it():
    rack = Body(mass=2.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    model = wheels(0.2).replaced(
        bodies={"b": rack},
        joints={"B": joints.Prismatic(bodies=("ground", "b"), point=(1.0, 0.0, 0.0), axis=Z)},
        gravity=(0.0, 0.0, -9.81),
        initial=Initial(position={"A": 7.0}),
    )
    run = pm.simulate(model, duration=2.0, samples=9, rtol=1e-8)
    fall = -2.0 * 9.81 / (2.0 + 0.3 / 0.2**2)
    assert np.abs(run.coordinate("B") - (1.4 + 0.5 * fall * run.t**2)).max() < 1e-6
    assert np.abs(run.effort("gear") - 2.0 * (fall + 9.81)).max() < 1e-9
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    agree(run)


def test_a_coupling_of_joints_on_a_moving_body_reacts_on_both_sides():
    """A carrier with two wheels geared one against the other: what one bearing passes on the other takes back."""
    model = wheels(-1.0).replaced(
        bodies={"carrier": Body(mass=2.0, com=(0.5, 0.2, 0.0), inertia=(0.4, 0.5, 0.6, 0.05, 0.0, 0.02))},
        joints={
            "A": {"bodies": ("carrier", "a")},
            "B": {"bodies": ("carrier", "b"), "axis": (0.3, 0.0, 1.0)},
            "hub": joints.Revolute(bodies=("ground", "carrier"), point=(0.3, 0.0, 0.0), axis=(0.0, 0.6, 0.8)),
        },
        forces={"push": forces.Motor(joint="A", effort=signals.Sine(amplitude=1.0, frequency=1.0))},
        gravity=(0.0, -9.81, 1.0),
        initial=Initial(rate={"A": 3.0, "hub": 1.0}),
    )
    run = pm.simulate(model, duration=1.0, samples=6, rtol=1e-9)
    assert np.abs(run.coordinate("A") + run.coordinate("B")).max() < 1e-9
    agree(run)
    spun = run.orientation("b") @ model.joints["B"].direction
    inertia = np.array(0.1)  # of a ball
    gained = inertia * np.sum(run.alpha("b") * spun, axis=1)
    assert np.abs(run.effort("gear") - gained).max() < 1e-9


def test_a_screw_and_a_wheel_are_coupled_by_their_angles():
    nut = joints.Screw(bodies=("ground", "b"), point=(1.0, 0.0, 0.0), axis=Z, pitch=0.05)
    model = wheels(3.0, forces={"push": forces.Motor(joint="A", effort=1.0)}).replaced(joints={"B": nut})
    run = pm.simulate(model, duration=3.0, samples=7, rtol=1e-8)
    rate = 1.0 / (0.3 + 9.0 * (0.1 + 1.0 * 0.05**2))
    assert np.abs(run.coordinate("A") - 0.5 * rate * run.t**2).max() < 1e-6
    assert np.abs(run.com("b")[:, 2] - 0.05 * run.coordinate("B")).max() < 1e-9
    agree(run)


def test_angles_of_a_universal_joint_can_be_coupled():
    """A pointer on a cross, whose two angles two wheels lead."""
    model = wheels(1.0).replaced(
        bodies={"c": Body(mass=1.0, com=(0.0, 0.5, 0.0), inertia=(0.1, 0.2, 0.3))},
        joints={
            "cross": joints.Universal(bodies=("ground", "c"), point=(0.0, 0.0, 0.0), axes=(X, Y)),
            "gear": None,
            "tilt": joints.Coupling(joints=("A", "cross"), coordinates=("angle", "angle1"), ratio=0.5),
            "roll": joints.Coupling(joints=("B", "cross"), coordinates=("angle", "angle2"), ratio=-2.0),
        },
        initial=Initial(rate={"A": 2.0, "B": 1.0}),
        gravity=(0.0, 0.0, -2.0),
    )
    run = pm.simulate(model, duration=2.0, samples=5, rtol=1e-9)
    assert np.abs(run.coordinate("cross", "angle1") - 0.5 * run.coordinate("A")).max() < 1e-9
    assert np.abs(run.coordinate("cross", "angle2") + 2.0 * run.coordinate("B")).max() < 1e-9
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    agree(run)


# -- counts ----------------------------------------------------------------------------------------------------------


def test_a_coupling_takes_one_freedom_and_a_ring_of_them_holds_more_than_needed():
    found = judged(wheels(2.0))
    assert (found.by_count, found.by_rank, found.redundancy) == (1, 1, 0)
    ring = wheels(2.0).replaced(joints={"again": joints.Coupling(joints=("B", "A"), ratio=0.5)})
    found = judged(ring)
    assert (found.by_count, found.by_rank, found.redundancy) == (0, 1, 1)
    assert found.redundant == ("gear", "again")
    assert set(found.undetermined) == {"gear.effort", "again.effort"}
    locked = judged(wheels(2.0).replaced(joints={"again": joints.Coupling(joints=("B", "A"), ratio=0.4)}))
    assert (locked.by_rank, locked.redundancy) == (0, 0)


def test_validate_and_columns_know_couplings():
    run = pm.simulate(wheels(2.0, initial=Initial(rate={"A": 1.0})), duration=0.2, samples=3)
    assert {"A.angle", "A.angle_rate", "gear.effort", "momentum.hz"} <= set(run.columns())
    assert dict(zip(run.columns(), run.units(), strict=True))["gear.effort"] == "N m"
    assert validated(wheels(2.0, initial=Initial(rate={"A": 1.0})), duration=0.2, samples=3).agreed
    with pytest.raises(ModelError, match='joint "gear" is a coupling and holds no body'):
        run.reaction("gear", "b")


def test_explain_shows_a_coupling_with_its_rows():
    assert any(line.split()[:2] == ["gear", "coupling"] for line in pm.explain(wheels(2.0)).splitlines())


def test_couplings_are_not_for_loops_of_vectors():
    with pytest.raises(ModelError, match='joint "gear": a coupling of ratio 2 cannot be written in loops'):
        loops.cycle(wheels(2.0))


# -- driven distances ------------------------------------------------------------------------------------------------


def crane(motion, **sections):
    """Return a boom of 2 m, hinged at the origin, on a cylinder from (1, 0, -1) of the ground to its tip as drawn."""
    return Mechanism(
        points={"foot": (1.0, 0.0, -1.0), "tip": (2.0, 0.0, 0.0)},
        bodies={"boom": Body(points=("tip",), mass=3.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 1.0, 1.0))},
        joints={"hinge": joints.Revolute(bodies=("ground", "boom"), point=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0))},
        drivers={"cylinder": drivers.Distance(points=("foot", "tip"), motion=motion)},
        gravity=(0.0, 0.0, -9.81),
        **sections,
    )


LIFTS = (signals.Cycloid(end=0.8, duration=1.0), signals.Sine(amplitude=0.3, frequency=1.0, offset=0.2))


@pytest.mark.parametrize("motion", LIFTS, ids=["from the drawing", "from elsewhere"])
def test_a_cylinder_lifts_a_boom_as_the_law_of_cosines_and_virtual_work_say(motion):
    run = pm.simulate(crane(motion), duration=1.0, samples=21, rtol=1e-8)
    s, s1, s2 = np.array([signals.values(motion, float(t)) for t in run.t]).T
    length = math.sqrt(2.0) + s
    # l^2 = 2^2 + 2 - 2 2 sqrt(2) cos(angle + 45 degrees), the foot is at -45 degrees
    corner = np.arccos((6.0 - length**2) / (4.0 * math.sqrt(2.0)))
    assert np.abs(run.coordinate("hinge") - (corner - math.pi / 4.0)).max() < 1e-9
    arm = 2.0 * math.sqrt(2.0) * np.sin(corner) / length  # dl/d angle
    rate = s1 / arm
    acceleration = run.second_rate("hinge")
    assert np.abs(run.rate("hinge") - rate).max() < 1e-9
    moment = (1.0 + 3.0) * acceleration + 3.0 * 9.81 * np.cos(run.coordinate("hinge"))
    assert np.abs(run.effort("cylinder") - moment / arm).max() < 1e-8 * np.abs(moment).max()
    assert run.effort("cylinder").min() > 0.0 or np.ptp(s2) > 1.0  # it pushes the boom up
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    agree(run)


def test_a_distance_that_cannot_be_is_refused():
    with pytest.raises(
        ModelError, match=r'driver "cylinder" is 3 at t = 0, but followed from the drawing it gets to 1\.9999'
    ):
        pm.simulate(crane(3.0), duration=0.1, samples=2)  # 2 + sqrt(2) is the longest: 2 more


@pytest.mark.parametrize("motion", LIFTS, ids=["from the drawing", "from elsewhere"])
def test_vectors_drive_a_distance_as_a_run_does(motion):
    t = np.linspace(0.0, 1.0, 6)
    run, cycle = pm.simulate(crane(motion), duration=1.0, samples=6), loops.cycle(crane(motion), t)
    assert np.abs(run["tip"] - cycle["tip"]).max() < 1e-9
    assert np.abs(run.effort("cylinder") - cycle.effort("cylinder")).max() < 1e-7 * np.abs(run.effort("cylinder")).max()


def test_two_cylinders_between_moving_bodies_agree_with_the_second_opinion():
    points = {"a": (0.4, 0.3, 0.2), "b": (1.3, -0.2, 0.5), "c": (0.5, -0.4, 0.1)}
    body = {"mass": 1.0, "inertia": (0.2, 0.3, 0.35)}
    arm, hand = Body(points=("a", "c"), com=(0.5, 0.0, 0.0), **body), Body(points=("b",), com=(1.4, 0.1, 0.0), **body)
    waves = [signals.Sine(amplitude=0.1, frequency=f, phase=1.0) for f in (1.0, 1.5)]
    model = Mechanism(
        points=points,
        bodies={"arm": arm, "hand": hand},
        joints={
            "shoulder": joints.Revolute(bodies=("ground", "arm"), point=(0.0, 0.0, 0.0), axis=(0.1, 0.2, 1.0)),
            "wrist": joints.Universal(bodies=("arm", "hand"), point=(1.0, 0.0, 0.0), axes=((0.2, 1.0, 0.0), Z)),
        },
        drivers={
            name: drivers.Distance(points=ends, motion=wave)
            for name, ends, wave in zip(("one", "other"), itertools.product("ac", "b"), waves, strict=True)
        },
        gravity=(0.0, 0.0, -9.81),
    )
    run = pm.simulate(model, duration=0.6, samples=5, rtol=1e-9)
    distance = np.linalg.norm(run["b"] - run["a"], axis=1)
    moved = np.array([signals.values(waves[0], float(t))[0] for t in run.t])
    assert np.abs(distance - math.dist(points["a"], points["b"]) - moved).max() < 1e-9
    agree(run)
