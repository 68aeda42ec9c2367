"""What no motion of a tree may change over many turns, tops with closed forms, and gimbal lock, which none may feel."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipj

import particlemech as pm
from particlemech import models, signals, space
from particlemech.errors import ModelError
from particlemech.model.space import Body, Initial, Mechanism, joints
from particlemech.model.space.drivers import Coordinate
from particlemech.run.trajectory import Status
from tests.support.problems import swing

G = 9.81
DOWN = (0.0, 0.0, -G)
ORIGIN = (0.0, 0.0, 0.0)


# -- free flight -----------------------------------------------------------------------------------------------------


def changed(run):
    """Return how much linear and central angular momentum changed, weight left out, as fractions of their size."""
    mass = sum(body.mass for body in run.mechanism.bodies.values())
    push = mass * np.array(run.mechanism.gravity) * run.t[:, None]
    linear, central = run.momentum.linear, run.momentum.central
    return (
        np.abs(linear - linear[0] - push).max() / np.abs(linear).max(),
        np.abs(central - central[0]).max() / np.abs(central[0]).max(),
    )


SPIN = 20.0 * math.pi  # rad/s: ten revolutions a second
AXLE = (0.6, 0.0, 0.8)
DRIFT = {"x": 0.3, "y": -0.2, "z": 0.5}


def rotor():
    """Return a symmetric body that spins, wobbles and drifts; its point is not its centre of mass."""
    return Mechanism(
        bodies={"rotor": Body(mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.03, 0.03, 0.05))},
        joints={"base": joints.Free(bodies=("ground", "rotor"), point=ORIGIN)},
        initial=Initial(omega={"rotor": (2.0, -3.0, SPIN)}, rate={"base": DRIFT}),
    )


def caged():
    """Return a symmetric rotor in a floating cage, its axle askew."""
    axle = np.array(AXLE)
    tensor = 0.03 * np.eye(3) + 0.02 * np.outer(axle, axle)
    return Mechanism(
        bodies={
            "cage": Body(mass=1.0, com=(0.01, 0.0, 0.02), inertia=(0.02, 0.025, 0.03)),
            "rotor": Body(mass=2.0, com=ORIGIN, inertia=tensor.tolist()),
        },
        joints={
            "base": joints.Free(bodies=("ground", "cage"), point=ORIGIN),
            "axle": joints.Revolute(bodies=("cage", "rotor"), point=ORIGIN, axis=AXLE),
        },
        initial=Initial(omega={"cage": (0.5, -0.4, 0.3)}, rate={"axle": SPIN, "base": DRIFT}),
    )


@pytest.mark.parametrize(("model", "bar"), [(rotor, 1e-9), (caged, 2e-11)])
def test_a_gyroscope_keeps_energy_and_momenta_over_a_thousand_revolutions(model, bar):
    """Observed at rtol 1e-12: 9e-11 alone (linear momentum), 2e-12 in the cage."""
    run = pm.simulate(model(), duration=100.0, samples=501, rtol=1e-12, integrator="explicit")
    assert np.abs(run.energy.error).max() < bar * run.energy.scale
    assert max(changed(run)) < bar
    axle = run.orientation("rotor") @ (AXLE if model is caged else (0.0, 0.0, 1.0))
    spin = np.sum(axle * run.omega("rotor"), axis=1)
    assert spin.mean() * 100.0 > 900.0 * 2.0 * math.pi
    # nothing acts about the axis of a symmetric body
    assert np.ptp(spin) < bar * SPIN


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_momenta_drift_no_more_than_the_tolerance_allows(integrator):
    rtols = (1e-6, 1e-8, 1e-10)
    worst = [max(changed(pm.simulate(caged(), duration=1.0, rtol=r, integrator=integrator))) for r in rtols]
    assert worst[0] < 2e-5
    assert all(after < 0.2 * before for before, after in pairwise(worst))


def limp():
    """Return the falling figure with all joints free, in a motion of its own."""
    model = models.load("human_fall")
    omega = {"torso": (0.4, -0.3, 0.9), "left_upper_arm": (2.0, 1.0, -0.5), "right_thigh": (-1.0, 0.6, 0.3)}
    rate = {"left_knee": 1.0, "base": {"x": 0.0, "y": 0.0, "z": 0.0}}
    return model.replaced(drivers=dict.fromkeys(model.drivers), initial={"omega": omega, "rate": rate})


def test_a_limp_figure_keeps_energy_and_momenta_for_a_hundred_seconds():
    run = pm.simulate(limp().replaced(gravity=ORIGIN), duration=100.0, samples=501, rtol=1e-12, integrator="explicit")
    assert np.abs(run.energy.work).max() == 0.0
    assert np.abs(run.energy.error).max() < 5e-11 * run.energy.scale
    assert max(changed(run)) < 2e-10
    assert np.ptp(run.coordinate("left_elbow")) > 1.0  # it does move


def test_weight_makes_a_figure_fall_and_does_not_turn_it():
    """In 100 s it falls 49 km with 1 km/s; its own motion, of some joules, is seen beside 36 MJ."""
    run = pm.simulate(limp(), duration=100.0, samples=101, rtol=1e-12, integrator="explicit")
    linear, central = changed(run)
    assert linear < 1e-13
    assert central < 5e-9
    assert np.abs(run.energy.error).max() < 1e-13 * run.energy.scale
    assert run.centre[-1, 2] - run.centre[0, 2] == pytest.approx(-0.5 * G * 100.0**2 + 100.0 * vertical(run), rel=1e-12)


def vertical(run):
    """Return the vertical speed of the centre of mass at the start."""
    return run.momentum.linear[0, 2] / sum(body.mass for body in run.mechanism.bodies.values())


def test_moving_arms_turn_a_figure_for_a_hundred_seconds_without_angular_momentum():
    run = pm.simulate(models.load("human_fall"), duration=100.0, samples=501, rtol=1e-12, integrator="explicit")
    size = 0.0
    mass = sum(body.mass for body in run.mechanism.bodies.values())
    for name, body in run.mechanism.bodies.items():
        arm, v = run.com(name) - run.centre, run.com_velocity(name) - run.momentum.linear / mass
        size = size + np.linalg.norm(body.mass * np.cross(arm, v), axis=1)
    assert np.abs(run.momentum.central).max() < 2e-9 * size.max()
    assert np.abs(run.energy.error).max() < 1e-13 * run.energy.scale


# -- tops ------------------------------------------------------------------------------------------------------------

MOMENTS = I1, I2, I3 = 1.0, 2.0, 2.8
FIRST = (1.5, 0.0, 2.0)  # rad/s: about the axes of least and largest inertia
TWICE_E = I1 * FIRST[0] ** 2 + I3 * FIRST[2] ** 2
H = math.hypot(I1 * FIRST[0], I3 * FIRST[2])
PACE = math.sqrt((I3 - I2) * (H * H - TWICE_E * I1) / (I1 * I2 * I3))
PARAMETER = (I2 - I1) * (TWICE_E * I3 - H * H) / ((I3 - I2) * (H * H - TWICE_E * I1))


def euler(t):
    """Return the body rates of the free top, (..., 3), by elliptic functions (H^2 > 2 E I2)."""
    sn, cn, dn, _ = ellipj(PACE * np.asarray(t), PARAMETER)
    across = TWICE_E * I3 - H * H
    return np.stack(
        [
            math.sqrt(across / (I1 * (I3 - I1))) * cn,
            math.sqrt(across / (I2 * (I3 - I2))) * sn,
            math.sqrt((H * H - TWICE_E * I1) / (I3 * (I3 - I1))) * dn,
        ],
        axis=-1,
    )


def about(axis, angle):
    """Return the rotation about axis 1 or 3."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]] if axis == 1 else [[c, -s, 0], [s, c, 0], [0, 0, 1]])


def seen_from_h(t, phi):
    """Return the orientation of the body in a frame whose third axis is the angular momentum."""
    x, y, z = np.array(MOMENTS) * euler(t) / H
    return about(3, phi) @ about(1, math.acos(z)) @ about(3, math.atan2(x, y))


def orientations(t):
    """Return the orientation of the free top at times, (K, 3, 3): a quadrature gives its turn about H."""

    def turning(t):
        p, q, _ = euler(t)
        return H * (I1 * p * p + I2 * q * q) / ((I1 * p) ** 2 + (I2 * q) ** 2)

    phi, made = 0.0, [np.eye(3)]
    for before, now in pairwise(t):
        phi += quad(turning, before, now, epsabs=1e-13, epsrel=1e-13)[0]
        made.append(seen_from_h(0.0, 0.0).T @ seen_from_h(now, phi))
    return np.array(made)


@pytest.mark.parametrize(("integrator", "bar"), [("explicit", 2e-10), ("ida", 1e-7)])
def test_a_free_asymmetric_top_follows_elliptic_functions(integrator, bar):
    """Five periods; observed 2e-11 and, for IDA, 2e-8."""
    model = Mechanism(
        bodies={"top": Body(mass=1.0, com=ORIGIN, inertia=MOMENTS)},
        joints={"pivot": joints.Spherical(bodies=("ground", "top"), point=ORIGIN)},
        initial=Initial(omega={"top": FIRST}),
    )
    run = pm.simulate(model, duration=20.0, samples=201, rtol=1e-12, integrator=integrator)
    S = run.orientation("top")
    assert np.abs(np.einsum("kji,kj->ki", S, run.omega("top")) - euler(run.t)).max() < bar * 2.0
    assert np.abs(S - orientations(run.t)).max() < bar
    assert np.ptp(euler(run.t)[:, 1]) > 2.0


@pytest.mark.parametrize(("tilt", "root"), [(0.4, -1.0), (0.4, 1.0), (0.5 * math.pi, 0.0), (2.0, -1.0), (2.0, 1.0)])
def test_a_heavy_symmetric_top_precesses_steadily(tilt, root):
    """A W^2 cos(tilt) - C n W + m g l = 0 for the rate W at spin n: two rates, a level top has one."""
    m, l, A, C, n = 1.0, 0.2, 0.0425, 0.005, 150.0  # A about the pivot
    a, b, c = A * math.cos(tilt), -C * n, m * G * l
    W = (-b + root * math.sqrt(b * b - 4 * a * c)) / (2 * a) if root else -c / b
    axle = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    model = Mechanism(
        gravity=DOWN,
        bodies={"top": Body(mass=m, com=(0.0, 0.0, l), inertia=(A - m * l * l, A - m * l * l, C))},
        joints={"pivot": joints.Spherical(bodies=("ground", "top"), point=ORIGIN)},
        initial=Initial(
            position={"pivot": (0.0, tilt, 0.0)},
            omega={"top": tuple((n - W * math.cos(tilt)) * axle + (0.0, 0.0, W))},
        ),
    )
    run = pm.simulate(model, duration=3.0 * 2.0 * math.pi / abs(W), samples=61, rtol=1e-11, integrator="explicit")
    way = np.stack([math.sin(tilt) * np.cos(W * run.t), math.sin(tilt) * np.sin(W * run.t)], axis=1)
    assert np.abs(run.com("top")[:, :2] - l * way).max() < 1e-8 * l
    assert np.abs(run.com("top")[:, 2] - l * math.cos(tilt)).max() < 1e-8 * l


# -- gimbal lock -----------------------------------------------------------------------------------------------------

MASS, REACH, INERTIA = 1.3, 0.7, (0.11, 0.12, 0.05)
LET_GO = 2.2  # rad: the swing passes 90 degrees on both sides


def pendulum(kind, position, axis=(0.0, 1.0, 0.0), **keys):
    if kind is joints.Revolute:
        keys["axis"] = axis
    return Mechanism(
        gravity=DOWN,
        bodies={"rod": Body(mass=MASS, com=(0.0, 0.0, -REACH), inertia=INERTIA)},
        joints={"pin": kind(bodies=("ground", "rod"), point=ORIGIN, **keys)},
        initial=Initial(position={"pin": position}),
    )


def missed(number, rtol, integrator):
    """Return the error of a swing about axis 1 or 2 on a ball joint, in lengths of the pendulum."""
    position = [0.0, 0.0, 0.0]
    position[number] = LET_GO
    w = math.sqrt(MASS * G * REACH / (INERTIA[number] + MASS * REACH**2))
    run = pm.simulate(pendulum(joints.Spherical, position), duration=5.0, samples=101, rtol=rtol, integrator=integrator)
    psi, _ = swing(run.t, w, LET_GO)
    side = {0: np.stack([0 * psi, np.sin(psi), -np.cos(psi)]), 1: np.stack([-np.sin(psi), 0 * psi, -np.cos(psi)])}
    return np.abs(run.com("rod") / REACH - side[number].T).max()


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_a_ball_joint_swings_through_gimbal_lock_as_if_it_were_not_there(integrator):
    """About axis 2 the swing passes lock eight times, about axis 1 never: the errors are those of the tolerance."""
    rtols = (1e-6, 1e-8, 1e-10, 1e-12)
    locked = [missed(1, rtol, integrator) for rtol in rtols]
    other = [missed(0, rtol, integrator) for rtol in rtols]
    for rtol, here, there in zip(rtols, locked, other, strict=True):
        assert here < 1.5 * there
        assert here < {"explicit": 500.0, "ida": 10000.0}[integrator] * rtol
    # IDA gains little below 1e-10: there rounding in its multipliers is what is left (1.6e-9 at 1e-12)
    gains = [after / before for before, after in pairwise(locked)]
    assert all(gain < 0.2 for gain in gains[: None if integrator == "explicit" else 2]) and gains[-1] < 0.5


def test_angles_are_followed_through_lock():
    """The second angle of a ball joint shows the angle of the revolute, beyond 90 degrees too."""
    options = {"duration": 2.0, "samples": 401, "rtol": 1e-11, "integrator": "explicit"}
    round_it = {"initial": {"rate": {"pin": (0.0, 8.0, 0.0)}}}  # enough to go right round
    ball = pm.simulate(pendulum(joints.Spherical, (0.0, 0.0, 0.0)).replaced(**round_it), **options)
    revolute = pm.simulate(pendulum(joints.Revolute, 0.0).replaced(initial={"rate": {"pin": 8.0}}), **options)
    turn = revolute.coordinate("pin")
    assert turn[-1] > 2.0 * math.pi
    assert np.abs(ball.coordinate("pin", "angle2") - turn).max() < 1e-8
    assert np.abs(ball.coordinate("pin")[:, [0, 2]]).max() < 1e-6
    assert np.abs(ball.rate("pin", "angle2") - revolute.rate("pin")).max() < 1e-7


def arm(kind, driven, **keys):
    """Return a driven arm with a free forearm: the arm goes through lock."""
    made = {name: Coordinate(joint="shoulder", motion=motion, coordinate=name) for name, motion in driven.items()}
    return Mechanism(
        gravity=(1.0, 0.5, -G),
        bodies={
            "upper": Body(mass=MASS, com=(0.05, 0.0, -REACH), inertia=INERTIA),
            "fore": Body(mass=0.8, com=(0.1, 0.05, -1.5), inertia=(0.03, 0.02, 0.01)),
        },
        joints={
            "shoulder": kind(bodies=("ground", "upper"), point=ORIGIN, **keys),
            "elbow": joints.Revolute(bodies=("upper", "fore"), point=(0.0, 0.0, -1.2), axis=(0.8, 0.6, 0.0)),
        },
        drivers=made,
    )


def test_angles_driven_through_lock_give_the_reactions_of_a_revolute():
    lift = signals.Cycloid(start=0.6, end=2.5, duration=1.5)
    still = {"angle1": 0.0, "angle2": lift, "angle3": 0.0}
    options = {"duration": 1.5, "samples": 61, "rtol": 1e-11, "integrator": "explicit"}
    ball = pm.simulate(arm(joints.Spherical, still), **options)
    revolute = pm.simulate(arm(joints.Revolute, {"angle": lift}, axis=(0.0, 1.0, 0.0)), **options)
    passed = np.cos(revolute.coordinate("shoulder"))
    assert passed[0] > 0.5
    assert passed[-1] < -0.5
    for one, other in zip(
        ball.transmitted("shoulder", "upper"), revolute.transmitted("shoulder", "upper"), strict=True
    ):
        assert np.abs(one - other).max() < 1e-9 * np.abs(other).max()
    size = np.abs(revolute.effort("angle")).max()
    assert np.abs(ball.effort("angle2") - revolute.effort("angle")).max() < 1e-9 * size
    assert np.abs(ball.coordinate("elbow") - revolute.coordinate("elbow")).max() < 1e-9
    # what the revolute bears as a moment across its axis, the two other drivers bear: along their own axes
    moment = revolute.moment("shoulder", "upper")
    assert np.abs(ball.effort("angle1") - moment[:, 0]).max() < 1e-9 * size


def test_three_angles_driven_through_lock_are_three_revolutes_in_a_row():
    """All three move while the second passes 90 degrees; between the revolutes are frames without mass."""
    ends = {"angle1": (0.3, 1.1), "angle2": (0.6, 2.5), "angle3": (-0.5, 0.4)}
    moving = {name: signals.Cycloid(start=a, end=b, duration=1.5) for name, (a, b) in ends.items()}
    ball = arm(joints.Spherical, moving)
    chain, axes = ("ground", "first", "second", "upper"), np.eye(3)
    frame = Body(mass=0.0, com=ORIGIN, inertia=(0.0, 0.0, 0.0))
    revolutes = {
        f"{name} revolute": joints.Revolute(bodies=pair, point=ORIGIN, axis=tuple(axis))
        for name, pair, axis in zip(ends, pairwise(chain), axes, strict=True)
    }
    row = ball.replaced(
        bodies={"first": frame, "second": frame},
        joints={"shoulder": None, **revolutes},
        drivers={name: {"joint": f"{name} revolute", "coordinate": None} for name in ends},
    )
    options = {"duration": 1.5, "samples": 61, "rtol": 1e-11, "integrator": "explicit"}
    one, other = pm.simulate(ball, **options), pm.simulate(row, **options)
    for here, there in zip(
        one.transmitted("shoulder", "upper"), other.transmitted("angle3 revolute", "upper"), strict=True
    ):
        assert np.abs(here - there).max() < 1e-10 * np.abs(there).max()
    for name in ends:
        assert np.abs(one.effort(name) - other.effort(name)).max() < 1e-10 * np.abs(other.effort(name)).max()
    assert np.ptp(one.coordinate("elbow")) > 0.5


def test_angles_that_come_to_lock_end_an_explicit_run_and_say_so():
    """A swing that misses lock by 1e-8 rad would have to turn its first angle by half a turn at once."""
    model = pendulum(joints.Spherical, (1e-8, LET_GO, 0.0), coordinates="angles")
    run = pm.simulate(model, duration=5.0, samples=1001, rtol=1e-8, integrator="explicit", throw=False)
    assert run.status is Status.SINGULAR
    assert 'joint "pin" comes to gimbal lock of its angles' in run.message
    assert run.coordinate("pin", "angle2")[-1] == pytest.approx(0.5 * math.pi, abs=0.03)
    same = pm.simulate(pendulum(joints.Spherical, (1e-8, LET_GO, 0.0)), duration=5.0, samples=1001, rtol=1e-8)
    assert same.status is Status.COMPLETED
    assert np.abs(run.com("rod") - same.com("rod")[: len(run.t)]).max() < 1e-5 * REACH


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("integrator", ["explicit", "ida", "auto"])
def test_a_start_at_lock_in_angles_is_refused_by_name(integrator, side):
    model = pendulum(joints.Spherical, (0.2, side * 0.5 * math.pi, 0.1), coordinates="angles")
    with pytest.raises(ModelError, match=r'joint "pin" comes to gimbal lock.*coordinates = "quaternion"'):
        pm.simulate(model, duration=0.1, integrator=integrator)


def test_an_angular_velocity_at_lock_in_angles_is_refused_by_name():
    model = pendulum(joints.Spherical, (0.2, 0.5 * math.pi, 0.1), coordinates="angles")
    with pytest.raises(ModelError, match=r'joint "pin" comes to gimbal lock.*coordinates = "quaternion"'):
        pm.simulate(model.replaced(initial={"omega": {"rod": (1.0, 0.0, 0.0)}}), duration=0.1)


def test_a_start_at_lock_with_quaternions_is_like_any_other():
    """Let go at 90 degrees, the swing is that of the closed form from there."""
    run = pm.simulate(pendulum(joints.Spherical, (0.0, 0.5 * math.pi, 0.0)), duration=2.0, samples=41, rtol=1e-12)
    w = math.sqrt(MASS * G * REACH / (INERTIA[1] + MASS * REACH**2))
    psi, _ = swing(run.t, w, 0.5 * math.pi)
    assert np.abs(run.com("rod")[:, 0] + REACH * np.sin(psi)).max() < 1e-9 * REACH
    assert pm.impulse(run, {"hit": space.Impulse(body="rod", impulse=(0.0, 1.0, 0.0))}, t=0.0).undetermined == ()
