"""Mechanisms in space by closed forms and balances of energy, in both formulations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from particlemech import rotations, signals
from particlemech.errors import ModelError
from particlemech.model.space import Body, Mechanism, drivers, forces, joints
from tests.support.random_loops import random_loop
from tests.support.second_opinion import BOTH

G = 9.81
DOWN = (0.0, 0.0, -G)
BLOCK = Body(mass=2.0, com=(0.3, -0.2, -0.4), inertia=(0.05, 0.04, 0.03, 0.004, -0.003, 0.002))
STILL = {"duration": 1e-3, "samples": 2}  # only its first sample counts


def close(value, wanted, bound, size=1.0):
    """Assert that values agree to a bound relative to a size, and print how well."""
    error = float(np.max(np.abs(np.asarray(value) - np.asarray(wanted)), initial=0.0)) / size
    print(f"observed {error:.1e}, bound {bound:.0e}")
    assert error <= bound


def rotation(axis, angle):
    """Return R about a unit vector."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def single(joint, body=BLOCK, **more):
    """Return a mechanism of one body, "b", on one joint, "J"."""
    return Mechanism(bodies={"b": body}, joints={"J": joint}, gravity=DOWN, **more)


# -- one joint -----------------------------------------------------------------------------------------------------


@BOTH
def test_a_physical_pendulum_swings_by_its_moment_of_inertia_and_its_pin_carries_what_is_left(simulate):
    u, rate, com = np.array([0.0, 1.0, 0.0]), 1.9, np.array(BLOCK.com)
    pin = joints.Revolute(bodies=("ground", "b"), point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    run = simulate(single(pin, initial={"position": {"J": 0.7}, "rate": {"J": rate}}), **STILL)
    R = rotation(u, 0.7)
    x, arm = R @ com, com - (com @ u) * u
    about = 0.04 + 2.0 * arm @ arm  # yy of the tensor, and Steiner
    alpha = 2.0 * u @ np.cross(x, DOWN) / about
    close(run.alpha("b")[0], alpha * u, 3e-14, abs(alpha))
    a = alpha * np.cross(u, x) - rate**2 * (R @ arm)
    close(run.com_acceleration("b")[0], a, 3e-14, G)
    close(run.reaction("J", "b")[0], 2.0 * (a - DOWN), 3e-14, 2.0 * G)
    xx, yy, zz, xy, xz, yz = BLOCK.inertia
    J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    rest = J @ (alpha * u) + rate * np.cross(u, J @ (rate * u)) + np.cross(x, 2.0 * (a - DOWN))
    close(run.moment("J", "b")[0], rest, 3e-14, 2.0 * G)
    close(run.moment("J", "b")[0] @ u, 0.0, 3e-14)


@BOTH
def test_a_slider_on_an_incline_has_the_slope_of_gravity(simulate):
    u = np.array([math.cos(0.4), 0.0, -math.sin(0.4)])
    run = simulate(single(joints.Prismatic(bodies=("ground", "b"), point=(0.1, 0.2, 0.3), axis=tuple(u))), **STILL)
    close(run.com_acceleration("b")[0], G * math.sin(0.4) * u, 3e-14, G)
    close(run.alpha("b")[0], 0.0, 3e-14)
    force = run.reaction("J", "b")[0]
    close(force, -2.0 * (np.array(DOWN) - G * math.sin(0.4) * u), 3e-14, 2.0 * G)
    arm = np.subtract(BLOCK.com, (0.1, 0.2, 0.3))
    close(run.moment("J", "b")[0], np.cross(arm, force), 3e-14, 2.0 * G)


@BOTH
def test_a_conical_pendulum_keeps_its_cone(simulate):
    length, lean = 0.8, 0.6
    spin = math.sqrt(G / (length * math.cos(lean)))
    x = length * np.array([math.sin(lean), 0.0, -math.cos(lean)])
    ball = Body(mass=1.5, com=tuple(x), inertia=(0.1, 0.1, 0.1))  # which turns with omega and asks no moment
    omega = np.array([0.0, 0.0, spin])
    pin = joints.Spherical(bodies=("ground", "b"), point=(0.0, 0.0, 0.0))
    run = simulate(
        single(pin, ball, initial={"omega": {"b": tuple(omega)}}), duration=math.tau / spin, samples=5, rtol=1e-11
    )
    for k, t in enumerate(run.t):
        now = rotation((0.0, 0.0, 1.0), spin * t) @ x
        close(run.com("b")[k], now, 1e-8)
        close(run.com_acceleration("b")[k], np.cross(omega, np.cross(omega, now)), 1e-7, G)
        close(run.reaction("J", "b")[k], -1.5 * G / math.cos(lean) * now / length, 1e-7, G)


@BOTH
def test_a_sleeve_slides_and_turns_each_by_its_own_balance(simulate):
    u = np.array([0.0, 0.6, 0.8])
    turn = forces.Motor(joint="J", coordinate="angle", effort=0.7)
    sleeve = joints.Cylindrical(bodies=("ground", "b"), point=BLOCK.com, axis=tuple(u))
    moving = {"rate": {"J": {"travel": -0.4, "angle": 3.0}}}
    run = simulate(single(sleeve, forces={"turn": turn}, initial=moving), **STILL)
    xx, yy, zz, xy, xz, yz = BLOCK.inertia
    about = u @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ u
    close(run.alpha("b")[0], 0.7 / about * u, 3e-14, 0.7 / about)
    close(run.com_acceleration("b")[0], -0.8 * G * u, 3e-14, G)
    close(run.reaction("J", "b")[0] @ u, 0.0, 3e-14)


@BOTH
def test_a_screw_falls_by_its_pitch(simulate):
    pitch = 0.05
    screw = joints.Screw(bodies=("ground", "b"), point=BLOCK.com, axis=(0.0, 0.0, 1.0), pitch=pitch)
    run = simulate(single(screw), duration=2.0, samples=3, rtol=1e-10)  # several turns
    a = -2.0 * G * pitch**2 / (2.0 * pitch**2 + 0.03)
    close(run.com_acceleration("b")[0], [0.0, 0.0, a], 3e-14, G)
    close(run.alpha("b")[0], [0.0, 0.0, a / pitch], 3e-14, G)
    close(run.moment("J", "b")[:, 2], -pitch * run.reaction("J", "b")[:, 2], 1e-14)
    close(run.com("b")[:, 2] + 0.4, 0.5 * a * run.t**2, 1e-7)


@BOTH
def test_a_level_rod_without_mass_carries_only_what_keeps_its_body_on_a_circle(simulate):
    ball = Body(points=("P",), mass=1.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    rod = joints.Distance(bodies=("ground", "b"), points=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    moving = {"velocity": {"P": (0.0, 2.0, 0.0)}}
    run = simulate(single(rod, ball, points={"P": (1.0, 0.0, 0.0)}, initial=moving), **STILL)
    close(run.com_acceleration("b")[0], [-4.0, 0.0, -G], 3e-14, G)
    close(run.reaction("J", "b")[0], [-4.0, 0.0, 0.0], 3e-14, G)


@BOTH
def test_welded_bodies_fall_as_one(simulate):
    mechanism = Mechanism(
        bodies={"b": BLOCK, "c": Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))},
        joints={"J": joints.Weld(bodies=("b", "c"))},
        gravity=DOWN,
    )
    run = simulate(mechanism, **STILL)
    close([run.com_acceleration(b)[0] for b in "bc"], [DOWN, DOWN], 3e-14, G)
    close(run.reaction("J", "c")[0], 0.0, 1e-14)


# -- shafts, loops ---------------------------------------------------------------------------------------------


def hooke(bend):
    """Return two shafts that meet in a Hooke joint, the first driven, and the rate of the drive."""
    x, y = np.array([1.0, 0.0, 0.0]), np.array([math.cos(bend), math.sin(bend), 0.0])
    shaft = (0.01, 0.01, 0.01)
    bodies = {
        "in": Body(mass=1.0, com=tuple(-0.2 * x), inertia=shaft),
        "out": Body(mass=1.0, com=tuple(0.2 * y), inertia=shaft),
    }
    made = {
        "A": joints.Revolute(bodies=("ground", "in"), point=tuple(-0.2 * x), axis=tuple(x)),
        "B": joints.Cylindrical(bodies=("ground", "out"), point=tuple(0.2 * y), axis=tuple(y)),
        "cross": joints.Universal(
            bodies=("in", "out"),
            point=(0.0, 0.0, 0.0),
            axes=((0.0, 0.0, 1.0), (-math.sin(bend), math.cos(bend), 0.0)),
        ),
    }
    drive = drivers.Coordinate(joint="A", coordinate="angle", motion=signals.Linear(rate=5.0))
    return Mechanism(bodies=bodies, joints=made, drivers={"drive": drive}), y


@BOTH
def test_a_hooke_joint_turns_its_second_shaft_by_the_known_ratio(simulate):
    bend, rate = 0.5, 5.0
    mechanism, axis = hooke(bend)
    run = simulate(mechanism, duration=0.4, samples=4, rtol=1e-10)
    # the fork of the first shaft is drawn along z, the normal of the plane: a.b = 0 with
    # a = (0, -sin p, cos p), b = n_out cos q + z sin q gives tan q = cos(bend) tan p
    p = rate * run.t
    slope = math.cos(bend) / (np.cos(p) ** 2 + math.cos(bend) ** 2 * np.sin(p) ** 2)
    close(run.omega("out"), rate * slope[:, None] * axis, 1e-8, rate)
    curve = -(slope**2) / math.cos(bend) * (math.cos(bend) ** 2 - 1.0) * np.sin(2.0 * p)
    close(run.alpha("out"), rate**2 * curve[:, None] * axis, 1e-7, rate**2)
    close(run.effort("drive") * rate, 0.01 * np.sum(run.alpha("out") * run.omega("out"), axis=1), 1e-8)


def rssr(driven=True, **more):
    """Return a spatial four-bar: crank and rocker on revolutes, coupled by a bar between balls."""
    points = {"A": (0.0, 0.0, 0.0), "B": (0.0, 0.1, 0.0), "C": (0.4, 0.2, 0.35), "D": (0.4, 0.2, 0.0)}
    bodies = {
        "crank": Body(points=("A", "B"), mass=0.5),
        "bar": Body(points=("B", "C"), mass=0.8, inertia=(0.02, 0.03, 0.025, 0.001, 0.002, -0.001)),
        "rocker": Body(points=("C", "D"), mass=1.1),
    }
    made = {
        "A": joints.Revolute(bodies=("ground", "crank"), point="A", axis=(1.0, 0.0, 0.2)),
        "B": joints.Spherical(bodies=("crank", "bar"), point="B"),
        "C": joints.Spherical(bodies=("bar", "rocker"), point="C"),
        "D": joints.Revolute(bodies=("ground", "rocker"), point="D", axis=(0.0, 1.0, 0.0)),
    }
    drive = (
        {"drive": drivers.Coordinate(joint="A", coordinate="angle", motion=signals.Linear(rate=6.0))} if driven else {}
    )
    return Mechanism(points=points, bodies=bodies, joints=made, drivers=drive, gravity=DOWN, **more)


@BOTH
def test_the_drive_of_a_four_bar_in_space_gives_what_the_energy_gains(simulate):
    h = 1e-3
    run = simulate(rssr(), duration=0.2, samples=201, rtol=1e-11)
    level = run.energy.kinetic + run.energy.potential
    gain = (level[:-4] - 8.0 * level[1:-3] + 8.0 * level[3:-1] - level[4:]) / (12.0 * h)
    close(6.0 * run.effort("drive")[2:-2], gain, 1e-6, np.abs(gain).max())
    assert np.abs(gain).max() > 1.0
    for name, joint in run.mechanism.joints.items():
        assert np.isfinite(run.reaction(name, joint.second)).all() and np.isfinite(run.moment(name, joint.second)).all()


@BOTH
@pytest.mark.parametrize("made", ["four-bar", "bennett"])
def test_a_free_loop_keeps_its_energy_and_stays_closed(made, simulate):
    gap, loop = bennett()
    close(gap, np.eye(4), 1e-14)
    mechanism = rssr(driven=False) if made == "four-bar" else loop
    run = simulate(mechanism, duration=0.3, samples=4, rtol=1e-9)
    level = run.energy.kinetic + run.energy.potential
    close(level, level[0], 1e-6, run.energy.kinetic.max())
    assert run.energy.kinetic.max() > 0.1 and run.closure.position.max() < 1e-9


def planar_loop():
    """Return a four-bar of hinges across the x, y plane, driven at "A"."""
    points = {"A": (0.0, 0.0, 0.0), "B": (0.1, 0.3, 0.0), "C": (0.5, 0.4, 0.0), "D": (0.6, 0.0, 0.0)}
    up = (0.0, 0.0, 1.0)
    names = [("ground", "one", "A"), ("one", "two", "B"), ("two", "three", "C"), ("three", "ground", "D")]
    return Mechanism(
        points=points,
        bodies={
            n: Body(points=tuple(p), mass=1.0) for n, p in zip(("one", "two", "three"), ("AB", "BC", "CD"), strict=True)
        },
        joints={p: joints.Revolute(bodies=(a, b), point=p, axis=up) for a, b, p in names},
        drivers={
            "drive": drivers.Coordinate(
                joint="A", coordinate="angle", motion=signals.Sine(amplitude=0.3, frequency=1.0)
            )
        },
        gravity=(0.0, -G, 0.0),
    )


@BOTH
def test_a_planar_loop_of_hinges_leaves_arbitrary_what_it_holds_twice(simulate):
    mechanism = planar_loop()
    run = simulate(mechanism, duration=0.1, samples=3, rtol=1e-10)
    for name, joint in mechanism.joints.items():
        both = np.hstack([run.reaction(name, joint.second), run.moment(name, joint.second)])
        assert np.isfinite(both).tolist() == [[True, True, False, False, False, True]] * 3
        close(run.reaction(name, joint.second, "least-norm")[:, 2], 0.0, 5e-14)
    power = 0.0
    for name in mechanism.bodies:
        pushed = run.com_acceleration(name) - mechanism.gravity
        power = power + np.sum(pushed * run.com_velocity(name), axis=1)
        power = power + mechanism.inertia(name)[2] * run.alpha(name)[:, 2] * run.omega(name)[:, 2]
    rate = 0.3 * math.tau * np.cos(math.tau * run.t)
    close(run.effort("drive") * rate, power, 2e-12, np.abs(power).max())  # rounding: 4e-13 seen


def bennett():
    """Return Bennett's loop: four hinges that move only for their twists, a sin(twist 2) = b sin(twist 1)."""
    twist, other = 0.6, 1.1
    a, b = 0.3, 0.3 * math.sin(other) / math.sin(twist)
    joint, frames = np.eye(4), []
    first = 0.9
    last = 2.0 * math.atan(math.sin(0.5 * (other + twist)) / math.sin(0.5 * (other - twist)) / math.tan(0.5 * first))
    for angle, length, turn in ((first, a, twist), (last, b, other), (-first, a, twist), (-last, b, other)):
        frames.append(joint)
        about, along = np.eye(4), np.eye(4)
        about[:3, :3], along[:3, :3] = rotation((0.0, 0.0, 1.0), angle), rotation((1.0, 0.0, 0.0), turn)
        along[0, 3] = length
        joint = joint @ about @ along
    places, axes = [tuple(f[:3, 3]) for f in frames], [tuple(f[:3, 2]) for f in frames]
    points = dict(zip("ABCD", places, strict=True))
    bodies = {n: Body(points=tuple(n), mass=1.0) for n in ("AB", "BC", "CD")}
    ends = [("ground", "AB"), ("AB", "BC"), ("BC", "CD"), ("CD", "ground")]
    hinges = {
        p: joints.Revolute(bodies=two, point=p, axis=axis) for p, two, axis in zip("ABCD", ends, axes, strict=True)
    }
    return joint, Mechanism(points=points, bodies=bodies, joints=hinges, gravity=(3.0, 4.0, -G))


@pytest.mark.parametrize("seed", range(3))
@BOTH
def test_random_loops_with_a_screw_keep_their_energy_and_pass_on_moment_by_pitch(seed, simulate):
    mechanism = random_loop(seed, screws=1)
    kept = {
        name: replace(force, damping=0.0)
        for name, force in mechanism.forces.items()
        if isinstance(force, forces.Spring | forces.Torsion)
    }
    if mechanism.drivers:
        mechanism = replace(mechanism, initial={})
    run = simulate(replace(mechanism, forces=kept, drivers={}), duration=0.3, samples=4, rtol=1e-10)
    level = run.energy.kinetic + run.energy.potential
    close(level, level[0], 1e-7, run.energy.kinetic.max())
    assert np.ptp(run.energy.kinetic) > 1e-2 * run.energy.kinetic.max()
    (name,) = (name for name, joint in mechanism.joints.items() if isinstance(joint, joints.Screw))
    screw = mechanism.joints[name]
    turned = np.eye(3) if screw.first == "ground" else run.orientation(screw.first)
    u = np.broadcast_to(turned @ np.array(screw.direction), (4, 3))
    force, moment = run.reaction(name, screw.second, "least-norm"), run.moment(name, screw.second, "least-norm")
    along = np.sum(force * u, axis=1)
    assert np.abs(along).max() > 1e-2
    close(np.sum(moment * u, axis=1), -screw.pitch * along, 5e-14, np.abs(force).max())


# -- forces --------------------------------------------------------------------------------------------------------


@BOTH
def test_torsion_counts_full_turns(simulate):
    flywheel = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 2.0))
    mechanism = Mechanism(
        bodies={"b": flywheel},
        joints={"J": joints.Revolute(bodies=("ground", "b"), point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))},
        forces={"T": forces.Torsion(joint="J", stiffness=3.0, angle=0.2)},
        initial={"rate": {"J": 20.0}},
    )
    w = math.sqrt(1.5)
    run = simulate(mechanism, duration=1.1, samples=3, rtol=1e-11)  # up to two turns and a half
    close(run.omega("b")[:, 2], 20.0 * np.cos(w * run.t) + 0.2 * w * np.sin(w * run.t), 1e-7, 20.0)
    turned = simulate(replace(mechanism, initial={"position": {"J": math.tau}}), **STILL)
    close(turned.alpha("b")[0, 2], -1.5 * (math.tau - 0.2), 3e-14, 10.0)


@BOTH
def test_a_step_of_force_is_met_at_its_time(simulate):
    body = Body(mass=2.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    push = forces.Load(body="b", force=(signals.Step(time=0.3, after=4.0), *[signals.Constant()] * 2))
    run = simulate(Mechanism(bodies={"b": body}, forces={"push": push}), duration=1.0, samples=2, rtol=1e-10)
    close(run.com_velocity("b")[-1, 0], 2.0 * 0.7, 1e-8)
    close(run.com("b")[-1, 0], 0.7**2, 1e-8)


@BOTH
def test_a_body_load_and_a_body_torque_turn_with_their_body(simulate):
    body = Body(mass=2.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 2.0, 2.5))
    three = tuple(signals.Constant(value=c) for c in (1.0, 2.0, 3.0))
    more = {
        "F": forces.Load(body="b", point=(0.0, 0.0, 0.5), force=three, frame="body"),
        "M": forces.Torque(bodies=("ground", "b"), torque=three, frame="body"),
    }
    R = rotation((0.6, 0.0, 0.8), 1.1)
    base = joints.Free(bodies=("ground", "b"), point=(0.0, 0.0, 0.0))
    angles = dict(zip(("angle1", "angle2", "angle3"), rotations.angles(R[None])[0].tolist(), strict=True))
    run = simulate(
        Mechanism(bodies={"b": body}, joints={"base": base}, forces=more, initial={"position": {"base": angles}}),
        **STILL,
    )
    close(run.orientation("b")[0], R, 1e-14)
    close(R.T @ run.com_acceleration("b")[0], [0.5, 1.0, 1.5], 3e-14)
    close(R.T @ run.alpha("b")[0], [1.0 - 1.0, (2.0 + 0.5) / 2.0, 3.0 / 2.5], 3e-14)


@BOTH
def test_two_bodies_on_a_spring_swing_by_their_reduced_mass(simulate):
    bodies = {n: Body(mass=m, com=(x, 0.0, 0.0), inertia=(1, 1, 1)) for n, m, x in (("a", 1.0, 0.0), ("b", 3.0, 1.2))}
    spring = forces.Spring(bodies=("a", "b"), points=((0, 0, 0), (1.2, 0, 0)), stiffness=12.0, length=1.0)
    run = simulate(Mechanism(bodies=bodies, forces={"s": spring}), duration=0.9, samples=3, rtol=1e-10)
    close(run.com("b")[:, 0] - run.com("a")[:, 0], 1.0 + 0.2 * np.cos(4.0 * run.t), 1e-8)


# -- what cannot be ------------------------------------------------------------------------------------------------


@BOTH
def test_a_spin_without_inertia_is_refused(simulate):
    rod = Mechanism(
        points={"A": (0.0, 0.0, 0.0), "B": (1.0, 0.0, 0.0)},
        bodies={"rod": Body(points=("A", "B"), mass=1.0)},
        joints={"A": joints.Spherical(bodies=("ground", "rod"), point="A")},
    )
    with pytest.raises(ModelError, match=r"no inertia there|its inertia is 0 about some axis"):
        simulate(rod, **STILL)
