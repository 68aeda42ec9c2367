"""Odd mechanisms in space and odd requests: right numbers, or one line that names what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlemech import models, signals
from particlemech.analyses import loops, vectors
from particlemech.analyses.validation import validated
from particlemech.errors import ModelError, SimulationError
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.result.mobility.space import judged
from tests.support.second_opinion import BOTH, natural

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
G = 9.81
DOWN = (0.0, 0.0, -G)
ORIGIN = (0.0, 0.0, 0.0)


def counts(mechanism):
    """Return degrees of freedom by count and by rank, drivers, and redundancy."""
    found = judged(mechanism)
    return found.by_count, found.by_rank, found.drivers, found.redundancy


def block(com, mass=1.0):
    return Body(mass=mass, com=com, inertia=(0.01, 0.01, 0.01))


def moved(name, to=ORIGIN, size=1.0):
    """Return a shipped mechanism, times a size and shifted; masses, times and angles as they were."""
    m = models.load(name)

    def at(place):
        return tuple(float(c) for c in size * np.array(place) + to)

    bodies = {
        b: Body(
            points=body.points,
            mass=body.mass,
            com=None if body.com is None else at(body.com),
            inertia=None if body.inertia is None else tuple(size**2 * i for i in body.inertia),
        )
        for b, body in m.bodies.items()
    }
    return Mechanism(
        gravity=tuple(size * g for g in m.gravity),
        points={p: at(place) for p, place in m.points.items()},
        bodies=bodies,
        joints=m.joints,
        drivers=m.drivers,
        initial=m.initial,
    )


# -- size and place ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_a_linkage_a_million_times_smaller_or_larger_moves_alike(size):
    """Lengths and weight times s: the torque grows with s^2, though rows of lengths and of directions are mixed."""
    one, other = (natural(moved("rssr", size=s), duration=0.2, samples=5) for s in (1.0, size))
    assert np.abs(other.effort("motor") / size**2 - one.effort("motor")).max() < 1e-12
    assert np.abs(other["B"] / size - one["B"]).max() < 1e-13
    assert np.abs(other.acceleration("B") / size - one.acceleration("B")).max() < 1e-11
    cycle = loops.cycle(moved("rssr", size=size), one.t)
    assert np.abs(cycle.effort("motor") / size**2 - one.effort("motor")).max() < 1e-12


def test_far_from_the_origin_only_the_digits_of_the_places_are_lost():
    """At 1e6 m a place is known to 1e-10 m."""
    far = (1e6, -1e6, 1e6)
    one, other = (natural(moved("rssr", to), duration=0.2, samples=3) for to in (ORIGIN, far))
    assert np.abs(other["B"] - far - one["B"]).max() < 1e-8
    assert np.abs(other.effort("motor") - one.effort("motor")).max() < 1e-7
    assert validated(moved("bricard", far), duration=0.1, samples=3).agreed


# -- loops without hinges ----------------------------------------------------------------------------------------------


def wedge(**parts):
    """Return two blocks on slides along x and z that slide on each other along (1, 0, 1), so that z = -x."""
    return Mechanism(
        gravity=DOWN,
        bodies={"a": block(ORIGIN, 2.0), "b": block((1.0, 0.0, 0.0), 3.0)},
        joints={
            "low": joints.Prismatic(bodies=("ground", "a"), point=ORIGIN, axis=X),
            "high": joints.Prismatic(bodies=("ground", "b"), point=(1.0, 0.0, 0.0), axis=Z),
            "slope": joints.Prismatic(bodies=("a", "b"), point=(0.5, 0.0, 0.0), axis=(1.0, 0.0, 1.0)),
        },
        **parts,
    )


def test_a_loop_of_slides_alone_falls_by_its_masses_and_holds_turns_many_times():
    run = natural(wedge(), duration=0.3, samples=4)
    a = 3.0 * G / 5.0
    assert np.abs(run.com_acceleration("a") - (a, 0.0, 0.0)).max() < 1e-12
    assert np.abs(run.com_acceleration("b") - (0.0, 0.0, -a)).max() < 1e-12
    assert counts(run.mechanism) == (-3, 1, 0, 4)


def test_a_driven_loop_of_slides_needs_the_force_of_both_masses_and_one_weight():
    push = drivers.Coordinate(joint="low", coordinate="travel", motion=signals.Sine(amplitude=0.1, frequency=1.0))
    cycle = loops.cycle(wedge(drivers={"push": push}), np.linspace(0.0, 0.7, 6))
    w = 2.0 * math.pi
    assert np.abs(cycle.effort("push") + 0.5 * w * w * np.sin(w * cycle.t) + 3.0 * G).max() < 1e-11
    assert np.abs(cycle.com("b")[:, 2] + 0.1 * np.sin(w * cycle.t)).max() < 1e-14


@BOTH
def test_a_ring_of_welds_falls_as_one_and_says_that_it_is_held_twice(simulate):
    ring = Mechanism(
        gravity=DOWN,
        bodies={"a": block(ORIGIN), "b": block(X), "c": block((2.0, 0.0, 0.0))},
        joints={
            "ab": joints.Weld(bodies=("a", "b"), point=ORIGIN),
            "bc": joints.Weld(bodies=("b", "c"), point=X),
            "ca": joints.Weld(bodies=("c", "a"), point=(0.5, 0.0, 0.0)),
        },
        initial=Initial(omega={"a": (0.0, 0.0, 2.0)}),
    )
    run = simulate(ring, duration=0.3, samples=4, rtol=1e-10)
    middle = sum(run.com(b) for b in ring.bodies) / 3.0
    assert np.abs(middle - [1.0, 0.0, 0.0] + 0.5 * G * run.t[:, None] ** 2 * [0.0, 0.0, 1.0]).max() < 1e-8
    assert np.abs(run.omega("c") - (0.0, 0.0, 2.0)).max() < 1e-8
    assert counts(ring) == (0, 6, 0, 6)
    assert np.isnan(run.reaction("bc", "c")).all()


# -- closed forms of the RSSR ------------------------------------------------------------------------------------------


def rocker(t, side):
    """Return place, velocity and acceleration of B of the shipped RSSR, (3, K, 3), crank at 10 t.

    B = C + 0.25 (sin f, 0, cos f) at sqrt(0.165) from A: sin f = 2 (0.1025 - |d|^2)/d_x with d = C - A.
    """
    zero = 0.0 * t
    d = np.array([0.35 - 0.1 * np.cos(10 * t), 0.2 - 0.1 * np.sin(10 * t), zero])
    d1 = np.array([np.sin(10 * t), -np.cos(10 * t), zero])
    d2 = np.array([10 * np.cos(10 * t), 10 * np.sin(10 * t), zero])
    n = 0.1025 - np.sum(d * d, axis=0)
    n1, n2 = -2.0 * np.sum(d * d1, axis=0), -2.0 * np.sum(d1 * d1 + d * d2, axis=0)
    s = 2.0 * n / d[0]
    s1 = (2.0 * n1 - s * d1[0]) / d[0]
    s2 = (2.0 * n2 - 2.0 * s1 * d1[0] - s * d2[0]) / d[0]
    c = side * np.sqrt(1.0 - s * s)
    c1 = -s * s1 / c
    c2 = -(s1 * s1 + s * s2 + c1 * c1) / c
    ways = [np.column_stack([x, zero, z]) for x, z in ((s, c), (s1, c1), (s2, c2))]
    return 0.25 * np.array(ways) + np.array([[[0.35, 0.2, 0.0]], [[0.0] * 3], [[0.0] * 3]])


@pytest.mark.parametrize("side", [1, -1], ids=["upper", "lower"])
def test_the_rocker_of_both_assemblies_moves_as_the_closure_in_its_angle(side):
    linkage, t = models.load("rssr"), np.linspace(0.0, 0.6, 31)
    cycle = loops.cycle(linkage, t, start=loops.assemblies(linkage)[0 if side > 0 else 1])
    for of, exact in zip((cycle.__getitem__, cycle.velocity, cycle.acceleration), rocker(t, side), strict=True):
        assert np.abs(of("B") - exact).max() < 1e-12 * max(1.0, np.abs(exact).max())


def test_the_integrated_rocker_moves_as_the_closure_in_its_angle():
    run = natural(models.load("rssr"), duration=0.6, samples=31)
    for of, exact in zip((run.__getitem__, run.velocity, run.acceleration), rocker(run.t, 1), strict=True):
        assert np.abs(of("B") - exact).max() < 1e-12 * max(1.0, np.abs(exact).max())


def test_a_motor_with_the_torque_of_the_drive_accelerates_the_linkage_as_the_drive_does():
    """Forward dynamics invert inverse dynamics to 1e-9 at one instant, in the poses of a cycle, each drawn anew."""
    linkage, t = models.load("rssr"), [0.0, 0.13, 0.31]
    cycle, run = loops.cycle(linkage, t), natural(linkage, duration=0.31, samples=32)
    for k, time in enumerate(t):
        i = int(np.argmin(np.abs(run.t - time)))
        S = run.orientation("coupler")[i]
        xx, yy, zz, xy, xz, yz = linkage.inertia("coupler")
        J = S @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ S.T
        found = natural(
            linkage.replaced(
                points={p: tuple(cycle[p][k]) for p in linkage.points},
                bodies={"coupler": {"inertia": (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])}},
                drivers={"motor": None},
                forces={"motor": forces.Motor(joint="O", effort=float(cycle.effort("motor")[k]))},
                initial=Initial(omega={"crank": (0.0, 0.0, 10.0)}),
            ),
            duration=1e-3,
            samples=2,
        )
        assert abs(found.alpha("crank")[0, 2]) < 1e-9 * 100.0
        size = np.abs(cycle.acceleration("B")).max()
        assert np.abs(found.acceleration("B")[0] - cycle.acceleration("B")[k]).max() < 1e-9 * size


# -- three loops -------------------------------------------------------------------------------------------------------


def three_legs(amplitude):
    """Return a platform on three legs of two links, hinges at the ground and at the knees, balls above."""
    bodies, tied, driven = {"top": Body(mass=2.0, com=(0.0, 0.0, 0.8), inertia=(0.05, 0.05, 0.1))}, {}, {}
    for i in range(3):
        c, s = math.cos(2.0 * math.pi * i / 3.0), math.sin(2.0 * math.pi * i / 3.0)
        base, knee, tip = ((r * c, r * s, z) for r, z in ((0.5, 0.0), (0.7, 0.4), (0.3, 0.8)))
        bodies |= {f"lower{i}": block(tuple(np.add(base, knee) / 2)), f"upper{i}": block(tuple(np.add(tip, knee) / 2))}
        tied |= {
            f"base{i}": joints.Revolute(bodies=("ground", f"lower{i}"), point=base, axis=(-s, c, 0.0)),
            f"knee{i}": joints.Revolute(bodies=(f"lower{i}", f"upper{i}"), point=knee, axis=(-s, c, 0.0)),
            f"ball{i}": joints.Spherical(bodies=(f"upper{i}", "top"), point=tip),
        }
        motion = signals.Sine(amplitude=amplitude * (i + 1), frequency=1.0)
        driven[f"motor{i}"] = drivers.Coordinate(joint=f"base{i}", coordinate="angle", motion=motion)
    return Mechanism(gravity=DOWN, bodies=bodies, joints=tied, drivers=driven)


def test_a_platform_on_three_legs_takes_the_same_by_vectors_and_by_steps():
    run = natural(three_legs(0.04), duration=0.3, samples=3)
    cycle = loops.cycle(three_legs(0.04), run.t)
    for i in range(3):
        effort = run.effort(f"motor{i}")
        assert np.abs(cycle.effort(f"motor{i}") - effort).max() < 1e-9 * np.abs(effort).max()
    assert np.abs(cycle.com_acceleration("top") - run.com_acceleration("top")).max() < 1e-9


# -- requests that cannot be met ---------------------------------------------------------------------------------------


def test_a_run_that_locks_names_the_driver_and_the_joint_that_would_open():
    long = models.load("rssr").replaced(points={"A": (0.3, 0.0, 0.0)})
    with pytest.raises(SimulationError, match=r'driver "motor" is locked at t = 0\.241\d+ s: .* joint "B" would open'):
        natural(long, duration=0.6, samples=4)


def test_drivers_too_many_for_a_cycle_are_named():
    second = drivers.Coordinate(joint="C", coordinate="angle", motion=signals.Linear(rate=1.0))
    with pytest.raises(ModelError, match=r'drivers "motor", "rock" contradict .* only 1 freedom\(s\); drop 1 of them'):
        loops.cycle(models.load("rssr").replaced(drivers={"rock": second}), [0.0, 0.1])


def test_a_second_driver_that_asks_for_the_same_is_no_contradiction():
    motion = signals.Sine(amplitude=0.1, frequency=1.0)
    opposite = signals.Sine(amplitude=-0.1, frequency=1.0)
    both = {
        "push": drivers.Coordinate(joint="low", coordinate="travel", motion=motion),
        "lift": drivers.Coordinate(joint="high", coordinate="travel", motion=opposite),
    }
    cycle = loops.cycle(wedge(drivers=both), [0.0, 0.1, 0.2])
    assert np.isnan(cycle.effort("push")).all()  # they share the work in many ways
    assert np.abs(cycle.com("b")[:, 2] + cycle.com("a")[:, 0]).max() < 1e-14


RSSR = models.load("rssr")
FIXED = Mechanism(
    bodies={"a": block(ORIGIN)}, joints={"w": joints.Weld(bodies=("ground", "a"), point=ORIGIN)}, name="post"
)
REFUSED = {
    "a cycle of what cannot move": (lambda: loops.cycle(FIXED, [0.0]), "post: its joints let nothing move"),
    "times that are no numbers": (lambda: loops.cycle(RSSR, "soon"), "must be numbers, got 'soon'"),
    "times that are not finite": (lambda: loops.cycle(RSSR, [0.0, math.nan]), "times of a cycle must increase"),
    "a start that is none": (lambda: loops.cycle(RSSR, [0.0], start=3), "start: expected one of .* got 3"),
    "assemblies at no time": (
        lambda: loops.assemblies(RSSR, math.nan),
        "t must be a finite time",
    ),
    "a word for motors": (lambda: loops.cycle(RSSR, [0.0]).motors("O"), "give a list of the joints .* got 'O'"),
    "no motors": (lambda: loops.cycle(RSSR, [0.0]).motors([]), r"give a list of the joints .* got \[\]"),
    "a cut of no joint": (lambda: natural(RSSR, duration=0.1, cut=["Q"]), 'cut: joint "Q" unknown'),
    "a verdict on bodies": (lambda: vectors.judged(RSSR), "expected a VectorModel, got a Mechanism"),
    "forces without masses": (
        lambda: vectors.dynamics(vectors.velocities(vectors.assembled(vectors.piston_crank(0.3)))),
        "piston-crank: no element has a mass",
    ),
    "the rate of no angle": (
        lambda: vectors.velocities(vectors.assembled(vectors.piston_crank(0.3))).angle_dot("tilt"),
        'no relation "tilt" asks for an angle',
    ),
    "a crank of no length": (lambda: vectors.rssr(0.7, lengths=(0.0, 0.4, 0.3)), r"above zero, got \[0\.0, 0\.4"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(name):
    ask, words = REFUSED[name]
    with pytest.raises(ModelError, match=words) as caught:
        ask()
    assert str(caught.value).isprintable()


def test_a_cycle_shows_its_name_and_how_far_it_goes():
    assert repr(loops.cycle(RSSR, [0.0, 0.1])) == "<Cycle: RSSR linkage, 2 time(s) to t = 0.1 s>"
