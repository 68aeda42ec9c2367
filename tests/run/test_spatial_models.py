"""Shipped mechanisms in space against what is known of them: closed forms, statics, power, and the family of trees."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, signals
from particlemech.analyses import loops
from particlemech.analyses.loops.equilibrium import Known
from particlemech.model.space import Initial, drivers, forces
from tests.support.second_opinion import natural

LEGS = [f"leg{i}" for i in range(1, 7)]


# -- piston-crank ------------------------------------------------------------------------------------------------------


def slider(angle, rate, acceleration, r=0.1, l=0.35):
    """Return place, rate and acceleration of the slider, closed form, (K, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    root = np.sqrt(l * l - r * r * s * s)
    slope = -r * s - r * r * s * c / root
    bend = -r * c - r * r * (c * c - s * s) / root - r**4 * (s * c) ** 2 / root**3
    return np.column_stack([r * c + root, slope * rate, slope * acceleration + bend * rate**2])


@pytest.mark.parametrize("analysis", [lambda m, t: loops.cycle(m, t), None], ids=["cycle", "run"])
@pytest.mark.parametrize(
    "motion", [signals.Linear(rate=20.0), signals.Sine(amplitude=4.0, frequency=1.5)], ids=["steady", "to and fro"]
)
def test_the_slider_of_a_piston_crank_moves_as_the_closed_form(analysis, motion):
    model = models.load("piston_crank").replaced(
        drivers={"motor": drivers.Coordinate(joint="O", coordinate="angle", motion=motion)}
    )
    t = np.linspace(0.0, 0.4, 17)
    found = natural(model, duration=0.4, samples=17) if analysis is None else analysis(model, t)
    angle, rate, acceleration = np.array([signals.values(motion, s) for s in t]).T
    exact = slider(math.radians(40.0) + angle, rate, acceleration)
    for level, of in enumerate((found.__getitem__, found.velocity, found.acceleration)):
        size = np.abs(exact[:, level]).max()
        assert np.abs(of("B")[:, 0] - exact[:, level]).max() < 1e-12 * max(size, 1.0)
        assert np.abs(of("B")[:, 1:]).max() < 1e-12 * max(size, 1.0)


def test_the_piston_crank_has_the_numbers_of_its_figure():
    """Crank at 40 degrees with rate 20 and acceleration 50: s = A sin(10 t + p) - A sin p."""
    phase, amplitude = math.atan2(-0.5, 2.0), math.hypot(0.5, 2.0)
    motion = signals.Sine(
        amplitude=amplitude, frequency=5.0 / math.pi, phase=phase, offset=-amplitude * math.sin(phase)
    )
    model = models.load("piston_crank").replaced(
        drivers={"motor": drivers.Coordinate(joint="O", coordinate="angle", motion=motion)}
    )
    found = loops.cycle(model, [0.0, 0.01])
    numbers = [0.4206513028767, -1.571817551921, -36.82836120332, -4.453140170002, 59.89476267391]
    seen = [found["B"], found.velocity("B"), found.acceleration("B")]
    turning = [found.omega("rod")[0, 2], found.alpha("rod")[0, 2]]
    assert [*(v[0, 0] for v in seen), *turning] == pytest.approx(numbers, rel=3e-13)


# -- Stewart platform --------------------------------------------------------------------------------------------------


def platform(leg=None):
    """Return the Stewart platform; `leg` in place of the masses of all rods of its legs, kg."""
    model = models.load("stewart_platform")
    rods = [b for b in model.bodies if b != "platform"]
    return model if leg is None else model.replaced(bodies={b: {"mass": leg} for b in rods})


@pytest.fixture(scope="module")
def commanded():
    return loops.cycle(platform(), np.linspace(0.0, 0.24, 5))


def leg_rates(cycle):
    """Return how fast the legs grow, (K, 6), from the motion of their ends alone."""
    rates = []
    for i in range(1, 7):
        along = cycle[f"P{i}"] - cycle[f"B{i}"]
        rates.append(np.sum(along * cycle.velocity(f"P{i}"), axis=1) / np.linalg.norm(along, axis=1))
    return np.array(rates).T


def gained(cycle):
    """Return the rate at which kinetic energy and height grow, (K,)."""
    m, total = cycle.mechanism, 0.0
    for b in m.bodies:
        xx, yy, zz, xy, xz, yz = m.inertia(b)
        S, omega = cycle.orientation(b), cycle.omega(b)
        J = S @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ S.transpose(0, 2, 1)
        force = m.bodies[b].mass * (cycle.com_acceleration(b) - np.array(m.gravity))
        moment = np.einsum("kij,kj->ki", J, cycle.alpha(b))
        total = total + np.sum(force * cycle.com_velocity(b) + moment * omega, axis=1)
    return total


def test_a_commanded_platform_heaves_and_rolls_as_told(commanded):
    rise = 0.04 * (1.0 - np.cos(4.0 * math.pi * commanded.t))
    assert np.abs(commanded["T"] - [0.0, 0.0, 0.7] - rise[:, None] * [0.0, 0.0, 1.0]).max() < 1e-12
    roll = np.arcsin(0.05 * (1.0 - np.cos(4.0 * math.pi * commanded.t)) / 0.2)
    S = commanded.orientation("platform")
    assert np.abs(np.arctan2(S[:, 2, 1], S[:, 1, 1]) - roll).max() < 1e-12
    assert np.abs(S[:, :, 0] - [1.0, 0.0, 0.0]).max() < 1e-12
    assert roll.max() > math.radians(29.0)


def test_leg_forces_times_leg_rates_are_the_power_that_is_gained(commanded):
    pushed = np.array([f for f in commanded.motors(LEGS).values()]).T
    wanted = gained(commanded)
    assert np.abs(np.sum(pushed * leg_rates(commanded), axis=1) - wanted).max() < 1e-9 * np.abs(wanted).max()


def test_leg_forces_without_leg_masses_are_those_of_statics():
    """sum f_i (n_i, (P_i - T) x n_i) is force and moment that the platform alone needs: six equations for six legs."""
    cycle = loops.cycle(platform(1e-11), np.linspace(0.0, 0.2, 3))
    m = cycle.mechanism
    S, omega = cycle.orientation("platform"), cycle.omega("platform")
    J = S @ np.diag(m.bodies["platform"].inertia) @ S.transpose(0, 2, 1)
    momentum = np.einsum("kij,kj->ki", J, omega)
    moment = np.einsum("kij,kj->ki", J, cycle.alpha("platform")) + np.cross(omega, momentum)
    force = m.bodies["platform"].mass * (cycle.com_acceleration("platform") - np.array(m.gravity))
    pushed = cycle.motors(LEGS)
    for k in range(len(cycle.t)):
        columns = []
        for i in range(1, 7):
            along = cycle[f"P{i}"][k] - cycle[f"B{i}"][k]
            n = along / np.linalg.norm(along)
            columns.append([*n, *np.cross(cycle[f"P{i}"][k] - cycle["T"][k], n)])
        exact = np.linalg.solve(np.array(columns).T, [*force[k], *moment[k]])
        assert np.abs([pushed[leg][k] for leg in LEGS] - exact).max() < 1e-9 * np.abs(exact).max()


def test_leg_forces_as_motors_give_the_motion_back(commanded):
    """Forward dynamics of the platform without drivers, in the poses of the commanded motion."""
    m, pushed = commanded.mechanism, commanded.motors(LEGS)
    for k, t in enumerate(commanded.t):
        acting = {leg: forces.Motor(joint=leg, effort=float(pushed[leg][k])) for leg in LEGS}
        free = m.replaced(drivers=dict.fromkeys(m.drivers), forces=acting)
        found = Known(free, np.array([t]), [commanded._held._bodies[k]])
        for name in m.bodies:
            assert np.abs(found.com_acceleration(name)[0] - commanded.com_acceleration(name)[k]).max() < 1e-9 * 10.0
            assert np.abs(found.alpha(name)[0] - commanded.alpha(name)[k]).max() < 1e-9 * 100.0


def test_leg_forces_over_time_raise_the_platform_as_commanded():
    """The same forces as smooth tables of time, integrated from rest: the platform follows, as far as tables do."""
    t = np.linspace(0.0, 0.1, 21)
    cycle = loops.cycle(platform(), t)
    acting = {
        leg: forces.Motor(joint=leg, effort=signals.Table(t=tuple(t), value=tuple(f), interpolation="smooth"))
        for leg, f in cycle.motors(LEGS).items()
    }
    free = platform().replaced(drivers=dict.fromkeys(platform().drivers), forces=acting)
    run = natural(free, duration=0.1, samples=2, rtol=1e-8)
    for p in ("T", "X", "Y"):
        assert np.abs(run[p][-1] - cycle[p][-1]).max() < 1e-7
    assert cycle["Y"][-1, 2] > 0.7 + 0.06


def driven_legs(motions):
    """Return the Stewart platform with its legs driven in place of its platform."""
    legs = {
        f"push{i}": drivers.Coordinate(joint=f"leg{i}", coordinate="travel", motion=s) for i, s in enumerate(motions, 1)
    }
    return platform().replaced(drivers={**dict.fromkeys(platform().drivers), **legs})


def lengths(cycle):
    return np.array([np.linalg.norm(cycle[f"P{i}"] - cycle[f"B{i}"], axis=1) for i in range(1, 7)])


def test_legs_as_long_as_commanded_put_the_platform_where_it_was_commanded():
    """The other way round: at the knots of tables of the lengths both are the same pose."""
    t = np.linspace(0.0, 0.24, 9)
    cycle = loops.cycle(platform(), t)
    grown = lengths(cycle) - lengths(cycle)[:, :1]
    other = loops.cycle(
        driven_legs([signals.Table(t=tuple(t), value=tuple(g), interpolation="smooth") for g in grown]), t[4:9:4]
    )
    for p in ("T", "X", "Y"):
        assert np.abs(other[p] - cycle[p][4:9:4]).max() < 1e-12


def test_driven_legs_grow_as_told_and_give_the_power_that_is_gained():
    motions = [signals.Sine(amplitude=0.06 / i, frequency=1.0 + 0.1 * i) for i in range(1, 7)]
    cycle = loops.cycle(driven_legs(motions), np.linspace(0.0, 0.2, 3))
    told = np.array([[signals.values(s, t) for t in cycle.t] for s in motions])  # (6, K, 3)
    assert np.abs(lengths(cycle) - lengths(cycle)[:, :1] - told[:, :, 0]).max() < 1e-12
    effort = np.array([cycle.effort(f"push{i}") for i in range(1, 7)])
    wanted = gained(cycle)
    assert np.abs(np.sum(effort * told[:, :, 1], axis=0) - wanted).max() < 1e-9 * np.abs(wanted).max()


# -- arm of the shuttle ------------------------------------------------------------------------------------------------


RATES = (0.06, -0.05, 0.2, 0.1, -0.15, 0.3)  # rad/s, of the joints of the arm, from the ground on


def arm_by_rates():
    """Return the arm with its start said by the rates of its joints, in place of velocities of its bodies."""
    arm = models.load("rms_arm")
    return arm.replaced(initial=Initial(rate=dict(zip(arm.joints, RATES, strict=True))))


def test_the_arm_of_the_shuttle_starts_as_a_tree_does():
    run = natural(models.load("rms_arm"), duration=1e-3, samples=2)
    other = pm.simulate(arm_by_rates(), duration=1e-3, samples=2)
    assert (run.system.formulation, other.system.formulation) == ("natural", "recursive")
    size = max(np.abs(run.com_acceleration(b)[0]).max() for b in run.mechanism.bodies)
    for b in run.mechanism.bodies:
        assert np.abs(run.com_acceleration(b)[0] - other.com_acceleration(b)[0]).max() < 1e-9 * size
        assert np.abs(run.alpha(b)[0] - other.alpha(b)[0]).max() < 1e-9


def test_rates_of_joints_say_as_much_as_velocities_of_bodies():
    one, other = (natural(arm, duration=1e-3, samples=2) for arm in (models.load("rms_arm"), arm_by_rates()))
    for name, rate in zip(one.mechanism.joints, RATES, strict=True):
        assert one.rate(name)[0] == pytest.approx(rate, abs=1e-12)
    for body in one.mechanism.bodies:
        assert np.abs(one.omega(body)[0] - other.omega(body)[0]).max() < 1e-12
        assert np.abs(one.com_velocity(body)[0] - other.com_velocity(body)[0]).max() < 1e-10


def test_trees_find_no_effort_in_the_joints_of_the_arm_when_let_go():
    """Angles, rates and accelerations of the run in space, and what the inverse dynamics of the tree need for them."""
    run = natural(models.load("rms_arm"), samples=6)
    arm, joints = run.mechanism, run.mechanism.joints
    angle, rate, acceleration = ({n: of(n) for n in joints} for of in (run.coordinate, run.rate, run.second_rate))
    found = pm.inverse(arm, angle, rate, acceleration)
    alone = pm.inverse(arm, angle, rate, {})  # what velocities alone would need
    size = max(np.abs(alone.needed(name)).max() for name in joints)
    assert size > 1.0
    for name in joints:
        assert np.abs(found.needed(name)).max() < 1e-9 * size
