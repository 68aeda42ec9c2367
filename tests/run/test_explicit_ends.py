"""Ends of explicit steps: right where they complete, whatever the pose and the units, measured along all steps."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, joints, models, signals
from particlemech.run.preparing import prepared_explicit
from tests.support.oracles import four_bar_in_one_coordinate

WORST = 200.0  # times rtol and size: observed 150 over 2 s at 1e-8 to 1e-12 (500 at 1e-6 and x = 1, not tested here)


def drawn_with(x, **changes):
    """Return the shipped four-bar with B at (x, x): the larger, the smaller its transmission angles."""
    return models.load("four_bar").replaced(points={"B": (x, x)}, **changes)


@pytest.mark.parametrize("x", [1.0, 4.0, 9.0])
def test_small_transmission_angles_are_passed_to_the_tolerance_asked_for(x):
    mechanism, t = drawn_with(x), np.linspace(0.0, 0.7, 4)
    exact = four_bar_in_one_coordinate(mechanism, t, 1e-14)
    for rtol in (1e-8, 1e-10, 1e-12):
        result = pm.simulate(mechanism, duration=0.7, samples=4, rtol=rtol, integrator="explicit")
        size = result.system.scale.length
        far = max(np.abs(result[p] - exact[p]).max() for p in "AB")
        assert far <= (WORST * rtol + 1e-12) * size, rtol  # 1e-12: that of the oracle, and rounding


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_units_of_length_mass_and_time_change_nothing(unit):
    plain = drawn_with(4.0)
    wanted = {"duration": 0.5, "samples": 5, "rtol": 1e-10, "integrator": "explicit"}
    one = pm.simulate(plain, **wanted)
    larger = plain.replaced(
        points={n: (unit * x, unit * y) for n, (x, y) in plain.points.items()}, gravity=(0.0, -9.81 * unit)
    )
    heavier = plain.replaced(bodies={n: {"mass": unit * b.mass} for n, b in plain.bodies.items()})
    slower = plain.replaced(gravity=(0.0, -9.81 / unit**2), initial=Initial(omega={"crank": 20.0 / unit}))
    for other, length, time in ((larger, unit, 1.0), (heavier, 1.0, 1.0), (slower, 1.0, unit)):
        result = pm.simulate(other, **{**wanted, "duration": 0.5 * time})
        assert np.abs(result["B"] / length - one["B"]).max() <= 1e-9  # observed 1.2e-10


def springs():
    """Return a swing with a spring, a torsion spring, a damper and a driver."""
    return models.load("four_bar").replaced(
        forces={
            "spring": forces.Spring(
                bodies=("ground", "coupler"), points=("C", "A"), stiffness=300.0, damping=2.0, length=0.1
            ),
            "coil": forces.Torsion(bodies=("crank", "coupler"), stiffness=3.0, angle=0.4),
            "push": forces.Load(body="rocker", point="B", force=(signals.Sine(amplitude=5.0, frequency=3.0), 1.0)),
        }
    )


def test_the_certificate_holds_the_energies_of_all_steps():
    system, begin = prepared_explicit(springs(), 0.3)
    march = system.march(1e-8, np.array([0.0, 0.3]))
    march.put(np.concatenate([begin.q, begin.v, begin.x]))
    assert march.begin(0.0, 0.3, np.inf)
    states = [march.at(0.0)]
    while march.go(0.3, 1, 1) == 1:
        states.append(march.at(march.t))
    states.append(march.at(march.t))
    lay, y = system.layout, np.array(states)
    kinetic, potential = system.energy(y[:, lay.q], y[:, lay.v], y[:, lay.x])
    balance = kinetic + potential - y[:, -1]
    found = march.certificate()
    size = kinetic.max() + np.abs(potential).max()
    assert abs(found.kinetic - kinetic.max()) <= 1e-12 * size
    assert abs(found.potential_low - potential.min()) <= 1e-12 * size
    assert abs(found.potential_high - potential.max()) <= 1e-12 * size
    assert abs(found.energy_error - np.abs(balance - balance[0]).max()) <= 1e-12 * size
    assert 0.0 < found.energy_error <= 1e-6 * size
    assert 0.0 < found.position <= 1e-6 * system.scale.length
    assert 0.0 < found.velocity <= 1e-6 * system.scale.length / system.scale.time
    assert 0.0 <= found.position_at <= 0.3


def test_the_certificate_does_not_depend_on_the_samples():
    from particlemech.run import explicit

    system, begin = prepared_explicit(springs(), 0.3)
    few, many = (explicit.run(system, begin, np.linspace(0.0, 0.3, n), 1e-8).certificate for n in (2, 101))
    assert few == many


@pytest.mark.parametrize("name", ["gyroscope", "human_fall", "hanging_chain", "two_link_flexible", "space_slew"])
def test_trees_and_flexible_arms_are_measured_along_all_steps(name):
    model = models.load(name)
    few, many = (pm.simulate(model, duration=1.0, samples=n, integrator="explicit", throw=False) for n in (2, 3001))
    assert few.certificate == many.certificate
    # samples lie between steps, where extremes of smooth energies lie too: those seen by steps are a little less
    size, found = many.energy.scale, many.certificate
    kinetic, potential = many.energy.kinetic, many.energy.potential
    assert 0.9 * kinetic.max() <= found.kinetic <= kinetic.max() + 1e-5 * size
    assert potential.min() - 1e-5 * size <= found.potential_low <= potential.min() + 0.1 * size
    assert potential.max() - 0.1 * size <= found.potential_high <= potential.max() + 1e-5 * size
    assert found.energy_error <= many.energy.error.max() + 1e-6 * size


@pytest.mark.parametrize("samples", [2, 7, 501])
def test_a_driver_of_a_point_that_cannot_move_is_refused(samples):
    """A triangle with two nearly parallel sides is rigid; its tip was moved by 6 cm."""
    triangle = Mechanism(
        points={"A": (0.0, 0.0), "B": (0.0, 1.5), "C": (0.02, 2.2)},
        bodies={"l": Body(points=("A", "C"), mass=1.0), "r": Body(points=("B", "C"), mass=1.0)},
        joints={
            "A": joints.Revolute(point="A", bodies=("ground", "l")),
            "B": joints.Revolute(point="B", bodies=("ground", "r")),
            "C": joints.Revolute(point="C", bodies=("l", "r")),
        },
        drivers={"pull": drivers.Position(point="C", axis="x", motion=signals.Linear(rate=0.1))},
    )
    for integrator in ("explicit", "auto", "ida"):
        with pytest.raises(pm.ModelError, match=r'start contradicts itself: driver "pull"'):
            pm.simulate(triangle, duration=0.6, samples=samples, integrator=integrator)


def test_a_driver_of_a_welded_body_is_locked_at_the_start():
    welded = Mechanism(
        points={"A": (0.0, 0.0), "B": (1.0, 0.0)},
        bodies={"plate": Body(points=("A", "B"), mass=1.0)},
        joints={"weld": joints.Weld(bodies=("ground", "plate"))},
        drivers={
            "pull": drivers.Position(point="B", body="plate", axis="y", motion=signals.Cycloid(end=0.09, duration=0.66))
        },
    )
    result = pm.simulate(welded, duration=0.6, samples=7, integrator="explicit", throw=False)
    assert result.status is pm.Status.LOCKED
    assert 'driver "pull" is locked at t = ' in result.message
    assert len(result.t) == 1


def test_a_guide_given_twice_is_no_singular_pose():
    slide = {"axis": (0.9, -0.4), "bodies": ("ground", "block"), "point": "P"}
    once = Mechanism(
        points={"P": (0.6, 1.8), "Q": (1.0, 1.8), "R": (1.5, 1.0)},
        bodies={
            "block": Body(points=("P", "Q"), mass=2.0, inertia=0.04),
            "arm": Body(points=("Q", "R"), mass=1.0),
        },
        joints={
            "one": joints.Prismatic(**slide),
            "Q": joints.Revolute(point="Q", bodies=("block", "arm")),
        },
    )
    twice = once.replaced(joints={"two": joints.Prismatic(**slide)})
    results = [pm.simulate(m, duration=0.8, samples=9, rtol=1e-10, integrator="explicit") for m in (once, twice)]
    assert results[1].system.slack
    assert np.abs(results[0]["R"] - results[1]["R"]).max() <= 1e-9
