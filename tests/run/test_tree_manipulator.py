"""The space manipulator of Passerello and Huston: its impulse (Figure 17), and arms that move by prescribed angles.

Exact values are rationals of the corrected equations, in the report's own units (slug, inch, second). What the report
prints but rounding has made is not compared: five entries that are zero, and a pair of angles about one axis.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, signals, space
from particlemech.analyses.poses.space import in_angles

HIT = space.Impulse(body="main", impulse=(1200.0, 0.0, 0.0))  # 100 lb s
RIGHT = 0.5 * math.pi
ARM = (
    "shoulder1.angle1",
    "shoulder1.angle2",
    "shoulder1.angle3",
    "elbow1.angle",
    "shoulder2.angle1",
    "shoulder2.angle2",
    "shoulder2.angle3",
    "elbow2.angle",
)
NAMES = ("base.x", "base.y", "base.z", "base.angle1", "base.angle2", "base.angle3", *ARM)
D = 42662279  # common denominator
# configuration -> increments of all coordinates, times D; None where two angles turn about one axis
EXACT = {
    "A": (4779837048, 0, 0, 0, 84909108, 0, None, -84909108, None, -142214400, 0, 149783360, 84909108, -187142720),
    "B": (4779837048, 0, 0, 0, 84909108, 0, 0, 149783360, 84909108, -187142720, None, -84909108, None, 142214400),
}
# the increments of Figure 17: in/s, then rad/s; 0 stands for the noise of single precision
PRINTED = ("112", "0", "0", "0", "1.99", "0", "0", "3.51", "1.99", "-4.39", None, "-1.99", None, "3.33")
START = {
    "A": {"shoulder1": (0.0, RIGHT, 0.0), "elbow1": RIGHT, "shoulder2": (RIGHT, 0.0, 0.0)},
    "B": {"shoulder1": (RIGHT, 0.0, 0.0), "shoulder2": (0.0, -RIGHT, 0.0), "elbow2": RIGHT},
}
# body -> centre of mass before, in; its velocity along axis 1, in/s; angular velocity, rad/s (configuration B)
TABLE = {
    "main": ((0, 0, 0), 112.0389524432, (0, 1.9902618892, 0)),
    "upper1": ((0, 18, -6), 36.9010272517, (0, 0, 3.5109085476)),
    "fore1": ((0, 54, -6), -10.5327256427, (0, 0, -0.8757000534)),
    "upper2": ((18, 0, -6), 100.0973811080, (0, 0, 0)),
    "fore2": ((36, 0, -24), 40.0945106566, (0, 3.3334928029, 0)),
    "disk1": ((0, 72, -6), 5.2298753191, (0, 0, -0.8757000534)),
    "disk2": ((36, 0, -42), -19.9083597948, (0, 3.3334928029, 0)),
}
ENERGY = 67223.3714659  # slug in^2/s^2
LAST = 0.5e-10  # half of the last digit of the tables above

MOTIONS = {  # duration, s, and the angles of the arms at its end, degrees; both start from configuration B
    "S1": (10.0, (45.0, -45.0, 0.0, 45.0, 45.0, -45.0, 0.0, 45.0)),
    "S2": (4.0, (20.0, -50.0, 35.0, 70.0, -40.0, -60.0, -25.0, 30.0)),
}
FIRST = (90.0, 0.0, 0.0, 0.0, 0.0, -90.0, 0.0, 90.0)


def manipulator(configuration="B", **changes):
    model = models.load("space_manipulator")
    return model.replaced(initial={"position": START[configuration]}, **changes)


def struck(configuration, coordinates):
    model = manipulator(configuration)
    return pm.impulse(in_angles(model) if coordinates == "angles" else model, {"hit": HIT})


def velocities(seen, k=0):
    """Return velocity and angular velocity of all bodies at one sample, (7, 6)."""
    return np.array([[*seen.com_velocity(b)[k], *seen.omega(b)[k]] for b in TABLE])


# -- the impulse of Figure 17 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("configuration", EXACT)
def test_increments_are_the_exact_rationals(configuration):
    found = struck(configuration, "angles").jumps
    assert tuple(found) == NAMES
    largest = 4779837048 / D
    for name, exact in zip(NAMES, EXACT[configuration], strict=True):
        if exact:
            assert found[name] == pytest.approx(float(Fraction(exact, D)), rel=1e-12), name
        elif exact == 0:
            assert abs(found[name]) < 1e-14 * largest, name


def test_increments_round_to_all_digits_that_figure_17_prints():
    found = struck("B", "angles").jumps
    compared = 0
    for name, digits in zip(NAMES, PRINTED, strict=True):
        if digits is None:
            continue
        decimals = len(digits.partition(".")[2])
        if digits == "0":
            assert abs(found[name]) < 1e-12, name
        else:
            assert f"{found[name]:.{decimals}f}" == digits, name
            compared += 1
    assert compared == 7


@pytest.mark.parametrize("configuration", EXACT)
def test_only_the_two_angles_about_one_axis_are_undetermined(configuration):
    open_ones = tuple(n for n, exact in zip(NAMES, EXACT[configuration], strict=True) if exact is None)
    found = struck(configuration, "angles")
    assert found.undetermined == open_ones
    assert all(abs(found.jumps[name]) < 1e-12 for name in open_ones)  # least norm
    assert all(name in repr(found) for name in open_ones)


@pytest.mark.parametrize("coordinates", ["angles", "quaternion"])
def test_bodies_leave_the_impulse_with_the_velocities_of_the_table(coordinates):
    found = struck("B", coordinates)
    for name, (place, speed, omega) in TABLE.items():
        assert found.before.com(name)[0] == pytest.approx(place, abs=1e-13)
        assert found.after.com(name)[0] == pytest.approx(place, abs=1e-13)
        assert found.after.com_velocity(name)[0] == pytest.approx((speed, 0.0, 0.0), abs=LAST + 1e-11)
        assert found.after.omega(name)[0] == pytest.approx(omega, abs=LAST + 1e-11)


@pytest.mark.parametrize("coordinates", ["angles", "quaternion"])
@pytest.mark.parametrize("configuration", EXACT)
def test_the_impulse_gives_the_same_energy_in_both_configurations(configuration, coordinates):
    found = struck(configuration, coordinates)
    assert found.before.kinetic[0] == 0.0
    assert found.work == found.after.kinetic[0] == pytest.approx(ENERGY, abs=1e-7)
    # an impulse works with the mean of the velocities before and after
    assert found.work == pytest.approx(0.5 * 1200.0 * found.after.com_velocity("main")[0, 0], rel=1e-13)


@pytest.mark.parametrize("configuration", EXACT)
def test_quaternions_leave_no_speed_open_and_give_the_same_motion(configuration):
    angles, quaternion = struck(configuration, "angles"), struck(configuration, "quaternion")
    assert quaternion.undetermined == ()
    assert np.abs(velocities(angles.after) - velocities(quaternion.after)).max() < 1e-11


def test_the_impulse_is_all_the_momentum_there_is():
    after = struck("B", "quaternion").after
    assert after.momentum.linear[0] == pytest.approx((1200.0, 0.0, 0.0), abs=1e-10)
    assert after.momentum.angular[0] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)  # through the origin


# -- the same impulse in a run ---------------------------------------------------------------------------------------


def moving(**impulses):
    """Return the manipulator in a motion of its own, with impulses."""
    omega = {"main": (0.3, -0.2, 0.4), "upper1": (-0.5, 0.8, 0.1), "upper2": (0.2, 0.4, -0.7)}
    initial = {
        "position": START["B"],
        "rate": {"elbow1": 0.6, "elbow2": -0.4, "base": {"x": 0.0, "y": 0.0, "z": 0.0}},
        "omega": omega,
    }
    return models.load("space_manipulator").replaced(initial=initial, impulses=impulses)


def restarted(seen, model):
    """Return the model in the state of one sample."""
    position = {name: tuple(seen.coordinate(name).reshape(1, -1)[0]) for name, j in model.joints.items() if j.dof}
    rate = {"elbow1": seen.rate("elbow1")[0], "elbow2": seen.rate("elbow2")[0]}
    rate["base"] = dict(zip("xyz", map(float, seen.com_velocity("main")[0]), strict=True))
    omega = {name: tuple(seen.omega(name)[0]) for name in ("main", "upper1", "upper2")}
    return model.replaced(initial={"position": position, "rate": rate, "omega": omega})


def apart(one, i, other, k):
    """Return how far all bodies are apart at a sample of each motion: places and velocities, in their own size."""
    places = max(np.abs(one.com(b)[i] - other.com(b)[k]).max() for b in TABLE) / 78.0
    speeds = np.abs(velocities(one, i) - velocities(other, k))
    return max(places, float((speeds / np.abs(velocities(one, i)).max(axis=0)).max()))


def test_an_impulse_at_the_start_of_a_run_is_the_impulse_before_it():
    model = manipulator(impulses={"hit": HIT})
    run = pm.simulate(model, duration=0.2, samples=3, rtol=1e-10)
    found = pm.impulse(model)
    assert np.array_equal(velocities(run), velocities(found.after))
    assert run.kinetic[0] == pytest.approx(ENERGY, abs=1e-7)
    assert run.energy.work[0] == 0.0
    assert np.abs(run.momentum.linear - (1200.0, 0.0, 0.0)).max() < 1e-8


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_an_impulse_in_the_middle_parts_a_run_in_two(integrator):
    """A run with an impulse at 0.4 s; a run to 0.4 s, the impulse by itself, and a run from there."""
    options = {"rtol": 1e-11, "integrator": integrator}
    whole = pm.simulate(moving(hit=replace(HIT, time=0.4)), duration=0.7, samples=8, **options)
    before = pm.simulate(moving(), duration=0.4, samples=5, **options)
    found = pm.impulse(before, {"hit": HIT})
    after = pm.simulate(restarted(found.after, moving()), duration=0.3, samples=4, **options)
    bar = {"explicit": 1e-10, "ida": 1e-7}[integrator]
    assert apart(whole, 4, before, 4) < bar  # a sample at the time of the impulse shows the speeds before it
    for k in range(1, 4):
        assert apart(whole, 4 + k, after, k) < bar
    assert found.work == pytest.approx(whole.energy.work[-1], rel=1e-7)
    assert np.abs(whole.energy.error).max() < 1e-7 * whole.energy.scale


def test_an_impulse_after_a_run_starts_from_its_last_sample_and_at_any_other_when_told():
    run = pm.simulate(moving(), duration=0.4, samples=5, rtol=1e-10)
    last, middle = pm.impulse(run, {"hit": HIT}), pm.impulse(run, {"hit": HIT}, t=0.2)
    assert np.array_equal(velocities(last.before), velocities(run, -1))
    assert np.array_equal(velocities(middle.before), velocities(run, 2))
    for found in (last, middle):
        change = found.after.momentum.linear - found.before.momentum.linear
        assert change[0] == pytest.approx((1200.0, 0.0, 0.0), abs=1e-9)
        mean = 0.5 * (found.after.com_velocity("main") + found.before.com_velocity("main"))[0, 0]
        assert found.work == pytest.approx(1200.0 * mean, rel=1e-11)


# -- problems 1 and 2: arms that move as prescribed ------------------------------------------------------------------


def drivers(motion):
    """Return the drivers of all eight angles of the arms."""
    duration, end = MOTIONS[motion]
    made = {}
    for name, a, b in zip(ARM, FIRST, end, strict=True):
        joint, coordinate = name.split(".")
        law = signals.Cycloid(start=math.radians(a), end=math.radians(b), duration=duration)
        made[f"{joint} {coordinate}"] = space.drivers.Coordinate(joint=joint, coordinate=coordinate, motion=law)
    return made


def floating(motion, samples=401, integrator="explicit"):
    """Return problem 1: the main body floats."""
    model = manipulator(drivers=drivers(motion))
    return pm.simulate(model, duration=MOTIONS[motion][0], samples=samples, rtol=1e-12, integrator=integrator)


def momenta(run):
    """Return the terms of linear and angular momentum about the origin, body by body, (n, K, 3) each."""
    linear, angular = [], []
    for name, body in run.mechanism.bodies.items():
        S, v = run.orientation(name), run.com_velocity(name)
        linear.append(body.mass * v)
        angular.append(body.mass * np.cross(run.com(name), v))
        angular.append(np.einsum("kij,j,klj,kl->ki", S, np.array(body.inertia), S, run.omega(name)))
    return np.array(linear), np.array(angular)


def rate(values, t):
    """Return the derivative of samples (K, 3) at all but four at each end: central differences of eighth order."""
    c = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * values[k : len(values) - 8 + k] for k, w in enumerate(c)) / (t[1] - t[0])


@pytest.mark.parametrize(("integrator", "bar"), [("explicit", 5e-11), ("ida", 1e-9)])
@pytest.mark.parametrize("motion", MOTIONS)
def test_a_floating_manipulator_moves_its_arms_without_any_momentum(motion, integrator, bar):
    run = floating(motion, integrator=integrator)
    for terms, said in zip(momenta(run), (run.momentum.linear, run.momentum.angular), strict=True):
        scale = np.linalg.norm(terms, axis=2).sum(axis=0).max()
        assert np.abs(terms.sum(axis=0)).max() < bar * scale
        assert np.abs(terms.sum(axis=0) - said).max() < 1e-14 * scale
    assert np.abs(run.centre - run.centre[0]).max() < 1e-9 * 78.0
    assert np.abs(run.base.force).max() < 1e-11 * np.abs(run.transmitted("shoulder1", "upper1").force).max()
    # it has turned, and rests again, as the arms do
    assert np.abs(run.coordinate("base")[-1]).max() > 0.1
    assert np.abs(velocities(run, -1)).max() < 1e-8


@pytest.mark.parametrize("motion", MOTIONS)
def test_holding_the_main_body_takes_the_rate_of_momentum_of_the_arms(motion):
    weld = space.joints.Weld(bodies=("ground", "main"), point=(0.0, 0.0, 0.0))
    model = manipulator(drivers=drivers(motion), joints={"base": weld})
    run = pm.simulate(model, duration=MOTIONS[motion][0], samples=401)
    wrench = run.transmitted("base", on="main")
    for terms, held in zip(momenta(run), wrench, strict=True):
        assert np.abs(rate(terms.sum(axis=0), run.t) - held[4:-4]).max() < 1e-12 * np.abs(held).max()
    assert np.array_equal(run.base.force, -wrench.force)
    assert np.array_equal(run.base.moment, -wrench.moment)


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_main_body_driven_to_stay_needs_what_holds_a_welded_one(motion):
    weld = space.joints.Weld(bodies=("ground", "main"), point=(0.0, 0.0, 0.0))
    still = {f"hold {c}": space.drivers.Coordinate(joint="base", coordinate=c, motion=0.0) for c in ("x", "y", "z")}
    still |= {
        f"hold {c}": space.drivers.Coordinate(joint="base", coordinate=c, motion=0.0)
        for c in ("angle1", "angle2", "angle3")
    }
    options = {"duration": MOTIONS[motion][0], "samples": 41}
    held = pm.simulate(manipulator(drivers=drivers(motion) | still), **options)
    welded = pm.simulate(manipulator(drivers=drivers(motion), joints={"base": weld}), **options)
    efforts = np.stack([held.effort(name) for name in still], axis=1)
    wrench = np.hstack(welded.transmitted("base", on="main"))
    assert np.abs(efforts - wrench).max() < 1e-13 * np.abs(wrench).max()


@pytest.mark.parametrize("motion", MOTIONS)
def test_the_moments_of_problem_1_as_motors_return_its_motion(motion):
    """The spline of 1601 samples carries about nine digits; 401 samples carry seven."""
    driven = floating(motion, samples=1601)
    S = driven.orientation("main")
    motors = {}
    for k in "12":
        moment = np.einsum("kji,kj->ki", S, driven.transmitted(f"shoulder{k}", on=f"upper{k}").moment)
        table = [signals.Table(t=driven.t, value=component, interpolation="smooth") for component in moment.T]
        motors[f"turn{k}"] = space.forces.Motor(joint=f"shoulder{k}", moment=table)
        bend = signals.Table(t=driven.t, value=driven.effort(f"elbow{k} angle"), interpolation="smooth")
        motors[f"bend{k}"] = space.forces.Motor(joint=f"elbow{k}", effort=bend)
    free = pm.simulate(manipulator(forces=motors), duration=MOTIONS[motion][0], samples=1601, rtol=1e-11)
    assert max(np.abs(free.com(b) - driven.com(b)).max() for b in TABLE) < 5e-10 * 78.0
    fastest = max(np.abs(driven.omega(b)).max() for b in TABLE)
    assert max(np.abs(free.omega(b) - driven.omega(b)).max() for b in TABLE) < 1e-8 * fastest
    assert np.abs(free.energy.error).max() < 1e-9 * free.energy.scale
