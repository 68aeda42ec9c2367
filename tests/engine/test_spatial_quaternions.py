"""The second opinion on mechanisms in space, against closed forms, balances of energy and the other formulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from particlemech import signals
from particlemech.engine.quaternions import accelerations, drawn, energies, projected, simulated
from particlemech.engine.quaternions.comparison import compared
from particlemech.engine.quaternions.motion import quaternions, rotations
from particlemech.errors import ModelError
from particlemech.model.space import Body, Mechanism, drivers, forces, joints
from tests.support import random_loops
from tests.support.natural import natural
from tests.support.random_loops import random_loop, start_of, vector, wave

G = 9.81
DOWN = (0.0, 0.0, -G)
BLOCK = Body(mass=2.0, com=(0.3, -0.2, -0.4), inertia=(0.05, 0.04, 0.03, 0.004, -0.003, 0.002))


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


def energy(mechanism, pose, velocities):
    """Return kinetic energy and potential energy of weight, by the drawn inertias."""
    total = 0.0
    for b, name in enumerate(mechanism.bodies):
        xx, yy, zz, xy, xz, yz = mechanism.inertia(name)
        own = pose[1][b].T @ velocities[1][b]
        mass, v = mechanism.bodies[name].mass, velocities[0][b]
        total += 0.5 * mass * v @ v + 0.5 * own @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ own
        total -= mass * np.dot(mechanism.gravity, pose[0][b])
    return total


def single(joint, body=BLOCK, **more):
    """Return a mechanism of one body, "b", on one joint, "J"."""
    return Mechanism(bodies={"b": body}, joints={"J": joint}, gravity=DOWN, **more)


def at_rest(mechanism):
    """Return velocities of zero."""
    n = len(mechanism.bodies)
    return np.zeros((n, 3)), np.zeros((n, 3))


# -- one joint -----------------------------------------------------------------------------------------------------


def test_a_physical_pendulum_swings_by_its_moment_of_inertia_and_its_pin_carries_what_is_left():
    u = np.array([0.0, 1.0, 0.0])
    mechanism = single(joints.Revolute(bodies=("ground", "b"), point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    R, rate, com = rotation(u, 0.7), 1.9, np.array(BLOCK.com)
    x = R @ com
    result = accelerations(mechanism, 0.0, (x[None], R[None]), (rate * np.cross(u, x)[None], rate * u[None]))
    arm = com - (com @ u) * u
    about = 0.04 + 2.0 * arm @ arm  # yy of the tensor, and Steiner
    alpha = 2.0 * u @ np.cross(x, DOWN) / about
    close(result.alpha[0], alpha * u, 1e-14, abs(alpha))
    a = alpha * np.cross(u, x) - rate**2 * (R @ arm)
    close(result.a[0], a, 1e-14, G)
    close(result.force["J"], 2.0 * (a - DOWN), 1e-14, 2.0 * G)
    xx, yy, zz, xy, xz, yz = BLOCK.inertia
    J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    rest = J @ (alpha * u) + rate * np.cross(u, J @ (rate * u)) + np.cross(x, 2.0 * (a - DOWN))
    close(result.moment["J"], rest, 1e-13, 2.0 * G)
    close(result.moment["J"] @ u, 0.0, 1e-13)
    assert result.unique["J"].all()


def test_a_slider_on_an_incline_has_the_slope_of_gravity():
    u = np.array([math.cos(0.4), 0.0, -math.sin(0.4)])
    mechanism = single(joints.Prismatic(bodies=("ground", "b"), point=(0.1, 0.2, 0.3), axis=tuple(u)))
    result = accelerations(mechanism, 0.0, drawn(mechanism), at_rest(mechanism))
    close(result.a[0], G * math.sin(0.4) * u, 1e-14, G)
    close(result.alpha, 0.0, 1e-14)
    close(result.force["J"], -2.0 * (np.array(DOWN) - G * math.sin(0.4) * u), 1e-14, 2.0 * G)
    arm = np.subtract(BLOCK.com, (0.1, 0.2, 0.3))
    close(result.moment["J"], -np.cross(-arm, result.force["J"]), 1e-13, 2.0 * G)


def test_a_conical_pendulum_keeps_its_cone():
    length, lean = 0.8, 0.6
    spin = math.sqrt(G / (length * math.cos(lean)))
    x = length * np.array([math.sin(lean), 0.0, -math.cos(lean)])
    ball = Body(mass=1.5, com=tuple(x), inertia=(0.1, 0.1, 0.1))  # which turns with omega and asks no moment
    mechanism = single(joints.Spherical(bodies=("ground", "b"), point=(0.0, 0.0, 0.0)), ball)
    omega = np.array([0.0, 0.0, spin])
    result = accelerations(mechanism, 0.0, drawn(mechanism), (np.cross(omega, x)[None], omega[None]))
    close(result.a[0], np.cross(omega, np.cross(omega, x)), 1e-14, G)
    close(result.force["J"], -1.5 * G / math.cos(lean) * x / length, 1e-14, G)
    turns = simulated(mechanism, drawn(mechanism), (np.cross(omega, x)[None], omega[None]), [0.0, 0.3, math.tau / spin])
    close(turns.centre[-1, 0], x, 1e-9)
    close(turns.centre[1, 0], rotation((0.0, 0.0, 1.0), 0.3 * spin) @ x, 1e-9)


def test_a_sleeve_slides_and_turns_each_by_its_own_balance():
    u = np.array([0.0, 0.6, 0.8])
    mechanism = single(
        joints.Cylindrical(bodies=("ground", "b"), point=BLOCK.com, axis=tuple(u)),
        forces={"turn": forces.Motor(joint="J", coordinate="angle", effort=signals.Constant(value=0.7))},
    )
    spin = 3.0 * u
    result = accelerations(mechanism, 0.0, drawn(mechanism), ((-0.4 * u)[None], spin[None]))
    xx, yy, zz, xy, xz, yz = BLOCK.inertia
    about = u @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ u
    close(result.alpha[0], 0.7 / about * u, 1e-13, 0.7 / about)
    close(result.a[0], -0.8 * G * u, 1e-14, G)
    close(result.force["J"] @ u, 0.0, 1e-13)


def test_a_screw_falls_by_its_pitch():
    pitch = 0.05
    mechanism = single(joints.Screw(bodies=("ground", "b"), point=BLOCK.com, axis=(0.0, 0.0, 1.0), pitch=pitch))
    result = accelerations(mechanism, 0.0, drawn(mechanism), at_rest(mechanism))
    a = -2.0 * G * pitch**2 / (2.0 * pitch**2 + 0.03)
    close(result.a[0], [0.0, 0.0, a], 1e-14, G)
    close(result.alpha[0], [0.0, 0.0, a / pitch], 1e-13, G)
    close(result.moment["J"][2], -pitch * result.force["J"][2], 1e-13)
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), [0.0, 1.0, 2.0])  # several turns
    close(made.centre[:, 0, 2] + 0.4, 0.5 * a * made.t**2, 1e-9)


def test_a_nut_with_a_torsion_spring_swings_along_its_screw_over_many_turns():
    pitch, stiffness, damping, rest = -0.05, 0.4, 0.02, 30.0
    nut = joints.Screw(bodies=("ground", "b"), point=BLOCK.com, axis=(0.0, 0.0, 1.0), pitch=pitch)
    spring = forces.Torsion(joint="J", stiffness=stiffness, damping=damping, angle=rest)
    mechanism = single(nut, forces={"spring": spring})
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), np.linspace(0.0, 1.0, 6))
    inertia = 0.03 + 2.0 * pitch**2
    middle = rest - 2.0 * G * pitch / stiffness  # where spring and weight balance
    decay = 0.5 * damping / inertia
    w = math.sqrt(stiffness / inertia - decay**2)
    swing = np.exp(-decay * made.t) * (np.cos(w * made.t) + decay / w * np.sin(w * made.t))
    close(made.angle["J"], middle * (1.0 - swing), 1e-9, middle)
    close(made.centre[:, 0, 2] - BLOCK.com[2], pitch * middle * (1.0 - swing), 1e-9, abs(pitch) * middle)
    assert made.angle["J"].max() > 6.0 * math.tau


def test_a_level_rod_without_mass_carries_only_what_keeps_its_body_on_a_circle():
    ball = Body(mass=1.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    rod = joints.Distance(bodies=("ground", "b"), points=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    mechanism = single(rod, ball)
    result = accelerations(mechanism, 0.0, drawn(mechanism), (np.array([[0.0, 2.0, 0.0]]), np.zeros((1, 3))))
    close(result.a[0], [-4.0, 0.0, -G], 1e-14, G)
    close(result.force["J"], [-4.0, 0.0, 0.0], 1e-14, G)


def test_welded_bodies_fall_as_one():
    mechanism = Mechanism(
        bodies={"b": BLOCK, "c": Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))},
        joints={"J": joints.Weld(bodies=("b", "c"))},
        gravity=DOWN,
    )
    result = accelerations(mechanism, 0.0, drawn(mechanism), at_rest(mechanism))
    close(result.a, [DOWN, DOWN], 1e-14, G)
    close(result.force["J"], 0.0, 1e-13)


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


@pytest.mark.parametrize("t", [0.0, 0.13, 0.4])
def test_a_hooke_joint_turns_its_second_shaft_by_the_known_ratio(t):
    bend, rate = 0.5, 5.0
    mechanism, axis = hooke(bend)
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), np.linspace(0.0, max(t, 0.1), 4))
    pose, velocities = made.at(-1 if t else 0)
    # the fork of the first shaft is drawn along z, the normal of the plane: a.b = 0 with
    # a = (0, -sin p, cos p), b = n_out cos q + z sin q gives tan q = cos(bend) tan p
    p = rate * t
    slope = math.cos(bend) / (math.cos(p) ** 2 + math.cos(bend) ** 2 * math.sin(p) ** 2)
    close(velocities[1][1], rate * slope * axis, 1e-9, rate)
    curve = -(slope**2) / math.cos(bend) * (math.cos(bend) ** 2 - 1.0) * math.sin(2.0 * p)
    result = accelerations(mechanism, t, pose, velocities)
    close(result.alpha[1], rate**2 * curve * axis, 1e-8, rate**2)
    close(result.effort["drive"] * rate, 0.01 * result.alpha[1] @ velocities[1][1], 1e-9)


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


def test_the_drive_of_a_four_bar_in_space_gives_what_the_energy_gains():
    mechanism = rssr()
    h = 1e-3
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), 0.2 + h * np.arange(-2.0, 3.0), rtol=1e-12)
    level = [energy(mechanism, *made.at(k)) for k in range(5)]
    gain = (level[0] - 8.0 * level[1] + 8.0 * level[3] - level[4]) / (12.0 * h)
    result = accelerations(mechanism, 0.2, *made.at(2))
    close(result.effort["drive"] * 6.0, gain, 1e-7, abs(gain))
    assert abs(gain) > 1.0
    assert result.unique_effort["drive"]
    assert all(sure.all() for sure in result.unique.values())


def test_a_free_four_bar_in_space_keeps_its_energy_and_stays_closed():
    mechanism = rssr(driven=False)
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), np.linspace(0.0, 0.5, 6), rtol=1e-10)
    level = np.array([energy(mechanism, *made.at(k)) for k in range(6)])
    moving = max(0.4 * v @ v for v in made.velocity[:, 1])
    close(level, level[0], 1e-9, moving)
    assert moving > 0.1


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


def test_a_planar_loop_of_hinges_leaves_arbitrary_what_it_holds_twice():
    mechanism = planar_loop()
    pose, velocities = projected(mechanism, 0.1, drawn(mechanism), at_rest(mechanism))
    result = accelerations(mechanism, 0.1, pose, velocities)
    for sure in result.unique.values():
        assert sure.tolist() == [True, True, False, False, False, True]
    assert result.unique_effort["drive"]
    close([f[2] for f in result.force.values()], 0.0, 1e-12)
    power = sum(m @ v for m, v in zip(result.a - [0.0, -G, 0.0], velocities[0], strict=True))
    for b, name in enumerate(mechanism.bodies):
        power += mechanism.inertia(name)[2] * result.alpha[b, 2] * velocities[1][b, 2]
    rate = 0.3 * math.tau * math.cos(0.1 * math.tau)
    close(result.effort["drive"] * rate, power, 1e-12, abs(power))


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


def test_bennetts_loop_moves_and_keeps_its_energy_though_its_hinges_hold_more_than_needed():
    gap, mechanism = bennett()
    close(gap, np.eye(4), 1e-14)
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), np.linspace(0.0, 0.3, 4))
    level = np.array([energy(mechanism, *made.at(k)) for k in range(4)])
    moving = 0.5 * np.sum(made.velocity[-1] ** 2)
    assert moving > 0.1
    close(level, level[0], 1e-9, moving)


@pytest.mark.parametrize("seed", range(3))
def test_random_loops_with_a_screw_keep_their_energy_and_pass_on_moment_by_pitch(seed):
    mechanism = random_loop(seed, screws=1)
    kept = {
        name: replace(force, damping=0.0)
        for name, force in mechanism.forces.items()
        if isinstance(force, forces.Spring | forces.Torsion)
    }
    mechanism = replace(mechanism, forces=kept, drivers={})
    speeds = tuple(np.random.default_rng(seed).normal(size=(2, len(mechanism.bodies), 3)))
    made = simulated(mechanism, drawn(mechanism), speeds, np.linspace(0.0, 0.3, 4))
    level = np.array([energies(mechanism, t, *made.at(k), made.near(k)) for k, t in enumerate(made.t)])
    close(level.sum(axis=1), level[0].sum(), 1e-9, level[:, 0].max())
    assert np.ptp(level[:, 0]) > 1e-2 * level[:, 0].max()
    (name,) = (name for name, joint in mechanism.joints.items() if isinstance(joint, joints.Screw))
    screw, (pose, velocities) = mechanism.joints[name], made.at(-1)
    found = accelerations(mechanism, made.t[-1], pose, velocities, made.near(-1))
    first = list(mechanism.bodies).index(screw.first) if screw.first in mechanism.bodies else None
    u = np.array(screw.direction) if first is None else pose[1][first] @ screw.direction
    along = found.force[name] @ u
    assert abs(along) > 1e-2
    close(found.moment[name] @ u, -screw.pitch * along, 1e-12, np.abs(found.force[name]).max())


# -- forces --------------------------------------------------------------------------------------------------------


def test_torsion_counts_full_turns():
    flywheel = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 2.0))
    mechanism = Mechanism(
        bodies={"b": flywheel},
        joints={"J": joints.Revolute(bodies=("ground", "b"), point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))},
        forces={"T": forces.Torsion(joint="J", stiffness=3.0, angle=0.2)},
    )
    start = drawn(mechanism), (np.zeros((1, 3)), np.array([[0.0, 0.0, 20.0]]))
    w = math.sqrt(1.5)
    made = simulated(mechanism, *start, [0.0, 0.5, 1.1])  # up to two turns and a half
    close(made.omega[:, 0, 2], 20.0 * np.cos(w * made.t) + 0.2 * w * np.sin(w * made.t), 1e-8, 20.0)
    close(accelerations(mechanism, 0.0, *start, near={"J": math.tau}).alpha[0, 2], -1.5 * (math.tau - 0.2), 1e-14, 10.0)


def test_a_step_of_force_is_met_at_its_time():
    body = Body(mass=2.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    push = forces.Load(body="b", force=(signals.Step(time=0.3, after=4.0), *[signals.Constant()] * 2))
    mechanism = Mechanism(bodies={"b": body}, forces={"push": push})
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), [0.0, 1.0])
    close(made.velocity[-1, 0, 0], 2.0 * 0.7, 1e-14)
    close(made.centre[-1, 0, 0], 0.7**2, 1e-14)


def test_a_body_load_and_a_body_torque_turn_with_their_body():
    body = Body(mass=2.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 2.0, 2.5))
    three = tuple(signals.Constant(value=c) for c in (1.0, 2.0, 3.0))
    more = {
        "F": forces.Load(body="b", point=(0.0, 0.0, 0.5), force=three, frame="body"),
        "M": forces.Torque(bodies=("ground", "b"), torque=three, frame="body"),
    }
    mechanism = Mechanism(bodies={"b": body}, forces=more)
    R = rotation((0.6, 0.0, 0.8), 1.1)
    result = accelerations(mechanism, 0.0, (np.zeros((1, 3)), R[None]), at_rest(mechanism))
    close(R.T @ result.a[0], [0.5, 1.0, 1.5], 1e-15)
    close(R.T @ result.alpha[0], [1.0 - 1.0, (2.0 + 0.5) / 2.0, 3.0 / 2.5], 1e-15)


def test_two_bodies_on_a_spring_swing_by_their_reduced_mass():
    bodies = {n: Body(mass=m, com=(x, 0.0, 0.0), inertia=(1, 1, 1)) for n, m, x in (("a", 1.0, 0.0), ("b", 3.0, 1.2))}
    spring = forces.Spring(bodies=("a", "b"), points=((0, 0, 0), (1.2, 0, 0)), stiffness=12.0, length=1.0)
    mechanism = Mechanism(bodies=bodies, forces={"s": spring})
    made = simulated(mechanism, drawn(mechanism), at_rest(mechanism), [0.0, 0.4, 0.9])
    close(made.centre[:, 1, 0] - made.centre[:, 0, 0], 1.0 + 0.2 * np.cos(4.0 * made.t), 1e-9)


# -- the other formulation -------------------------------------------------------------------------------------------


def chain(kind, flipped, driven, rng):
    """Return two bodies: one hinged to the ground, the other joined to it, with forces of all kinds; driven or free."""
    ends = ("two", "one") if flipped else ("one", "two")
    places = {name: vector(rng) for name in ("one", "two")}
    made = {
        "hinge": random_loops.joint(rng, "revolute", ("ground", "one"), vector(rng)),
        "J": random_loops.joint(rng, kind, ends, vector(rng)),
    }
    moves = joints.NAMES[kind].coordinate_names
    drive = {"drive": drivers.Coordinate(joint="hinge", coordinate="angle", motion=start_of(wave(rng, 0.6)))}
    if "travel" in moves:
        drive["feed"] = drivers.Coordinate(joint="J", coordinate="travel", motion=start_of(wave(rng, 0.3)))
    if joints.NAMES[kind].dof >= 2:
        drive["lift"] = drivers.Position(point="G_two", axis="z", motion=start_of(wave(rng, 0.1)))
    mechanism = Mechanism(
        points={f"G_{name}": place for name, place in places.items()},
        bodies={name: random_loops.body(rng, name, place) for name, place in places.items()},
        joints=made,
        drivers=drive if driven else {},
        forces=random_loops.pushes(rng, made, ("one", "two"), (vector(rng), vector(rng))),
        gravity=(1.0, 2.0, -G),
    )
    _, velocities = projected(mechanism, 0.0, drawn(mechanism), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3))))
    return random_loops.moving(mechanism, *velocities)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in joints.NAMES if kind != "coupling"])
def test_both_formulations_accelerate_every_joint_alike_in_any_pose(kind, flipped):
    rng = np.random.default_rng(7)
    for driven in (False, True):
        mechanism = chain(kind, flipped, driven, rng)
        result = natural(mechanism, duration=0.1, samples=3, rtol=1e-6)
        assert result.status.value == "completed"
        for pair in compared(result):
            if pair.quantity in ("accelerations", "angular accelerations", "reactions", "moments", "effort", "energy"):
                both = np.isfinite(pair.ours)
                close(pair.ours[both], pair.theirs[both], 1e-11, pair.range)


@pytest.mark.parametrize("made", [rssr, planar_loop], ids=["four-bar in space", "planar loop"])
def test_both_formulations_report_the_same_reactions_and_know_which_are_unique(made):
    mechanism = made()
    result = natural(mechanism, duration=0.1, samples=3)
    motion = [
        np.stack([of(b)[-1] for b in mechanism.bodies])
        for of in (result.com, result.orientation, result.com_velocity, result.omega)
    ]
    mine = accelerations(mechanism, 0.1, (motion[0], motion[1]), (motion[2], motion[3]))
    for name, joint in mechanism.joints.items():
        on = joint.second
        close(mine.force[name], result.reaction(name, on, "least-norm")[-1], 1e-11, 10.0)
        close(mine.moment[name], result.moment(name, on, "least-norm")[-1], 1e-11, 10.0)
        known = np.isfinite([*result.reaction(name, on)[-1], *result.moment(name, on)[-1]])
        assert known.tolist() == mine.unique[name].tolist()
    close(mine.effort["drive"], result.effort("drive")[-1], 1e-11, 10.0)


# -- what cannot be ------------------------------------------------------------------------------------------------


def test_a_spin_without_inertia_is_refused():
    rod = Mechanism(
        points={"A": (0.0, 0.0, 0.0), "B": (1.0, 0.0, 0.0)},
        bodies={"rod": Body(points=("A", "B"), mass=1.0)},
        joints={"A": joints.Spherical(bodies=("ground", "rod"), point="A")},
    )
    with pytest.raises(ModelError, match="inertia about all axes"):
        accelerations(rod, 0.0, drawn(rod), at_rest(rod))


def test_quaternions_and_rotations_are_inverse_even_at_half_turns():
    rng = np.random.default_rng(1)
    axes = rng.normal(size=(40, 3))
    R = np.array(
        [rotation(u / np.linalg.norm(u), a) for u, a in zip(axes, np.linspace(0.0, math.tau, 40), strict=True)]
    )
    half = [np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])]
    R = np.concatenate([R, half])
    close(rotations(quaternions(R)), R, 1e-14)
