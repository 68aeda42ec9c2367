"""Starts in space: from the drawing to what drivers and [initial] say, or as far as can be.

Angles and travels count from the drawing, motions of drivers too; loops stay closed on the way.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import particlemech as pm
from particlemech import models, signals
from particlemech.errors import ModelError
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.model.space.parts import Impulse

simulate = pm.simulate
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
STILL = {"duration": 1e-3, "samples": 2}


def rssr(offset, **initial):
    """Return the RSSR linkage with its crank driven from some angle of the drawing on."""
    motor = drivers.Coordinate(joint="O", motion=signals.Linear(rate=10.0, offset=offset))
    return models.load("rssr").replaced(drivers={"motor": motor}, initial=Initial(**initial))


@pytest.mark.parametrize("angle", [0.4, -2.0, 7.0, 30.0])
def test_a_driven_loop_starts_where_its_motion_says_on_the_branch_of_the_drawing(angle):
    """The same mechanism, driven there slowly, arrives in the same pose."""
    led = signals.Cycloid(end=angle, duration=1.0)
    slow = rssr(0.0).replaced(drivers={"motor": drivers.Coordinate(joint="O", motion=led)})
    there, here = simulate(slow, duration=1.0, samples=2, rtol=1e-8), simulate(rssr(angle), **STILL)
    assert here.coordinate("O")[0] == pytest.approx(angle, abs=1e-12)
    assert here.coordinate("C")[0] == pytest.approx(there.coordinate("C")[-1], abs=1e-6)
    assert np.abs(here["B"][0] - there["B"][-1]).max() < 1e-6
    assert here.start.moved == {}  # the drawing is closed; what drivers lead to is no correction of it


def test_a_coordinate_of_a_loop_starts_where_it_is_said_and_the_rest_follows():
    free = models.load("rssr").replaced(drivers={"motor": None})
    wanted = simulate(rssr(1.0), **STILL)
    rocker = float(wanted.coordinate("C")[0])
    found = simulate(free.replaced(initial=Initial(position={"C": rocker})), **STILL)
    assert found.coordinate("C")[0] == pytest.approx(rocker, abs=1e-12)
    assert found.closure.position[0] < 1e-12
    angle = found.coordinate("O")[0]  # the crank that belongs to it, not driven
    assert simulate(rssr(angle), **STILL).coordinate("C")[0] == pytest.approx(rocker, abs=1e-9)


def test_positions_that_follow_from_others_may_be_said_too_but_must_agree():
    whole = simulate(rssr(1.0), **STILL)
    said = {name: whole.coordinate(name)[0].tolist() for name in ("C", "O")}
    free = models.load("rssr").replaced(drivers={"motor": None})
    found = simulate(free.replaced(initial=Initial(position=said)), **STILL)
    assert np.abs(found["B"][0] - whole["B"][0]).max() < 1e-7
    wrong = {**said, "O": said["O"] + 0.01}
    with pytest.raises(ModelError, match=r'initial position of joint "C": angle is 0\.01.* contradict this: nearest'):
        simulate(free.replaced(initial=Initial(position=wrong)), **STILL)


def test_what_cannot_be_reached_is_told_with_the_value_up_to_which_it_went():
    """The rocker of this linkage swings by less than 1.3 rad either way."""
    free = models.load("rssr").replaced(drivers={"motor": None})
    with pytest.raises(
        ModelError, match=r'initial position of joint "C": angle is 3 at t = 0, but .* to (\S+) only'
    ) as e:
        simulate(free.replaced(initial=Initial(position={"C": 3.0})), **STILL)
    reached = float(str(e.value).split(" gets to ")[1].split()[0])
    t = np.linspace(0.0, 2.0 * math.pi / 10.0, 2001)
    swing = simulate(rssr(0.0), duration=float(t[-1]), samples=len(t)).coordinate("C")
    assert reached == pytest.approx(swing.max(), abs=1e-3)


def test_a_driver_that_leads_too_far_is_named():
    motor = drivers.Coordinate(joint="C", motion=3.0)
    far = models.load("rssr").replaced(drivers={"motor": motor})
    with pytest.raises(ModelError, match='driver "motor" is 3 at t = 0'):
        simulate(far, **STILL)


def test_travels_and_positions_lead_to_the_start_as_well():
    crank = models.load("piston_crank")
    slid = crank.replaced(
        drivers={"motor": drivers.Coordinate(joint="guide", motion=signals.Linear(rate=0.1, offset=-0.05))}
    )
    placed = crank.replaced(
        drivers={"motor": drivers.Position(point="B", axis="x", motion=signals.Linear(rate=0.1, offset=-0.05))}
    )
    one, other = simulate(slid, **STILL), simulate(placed, **STILL)
    assert one["B"][0, 0] == pytest.approx(crank.points["B"][0] - 0.05, abs=1e-12)
    assert np.abs(one["A"][0] - other["A"][0]).max() < 1e-12


def test_lengths_that_are_not_as_drawn_are_closed_first_and_coordinates_count_from_there():
    """A pendulum whose rod is 1 % longer than drawn, from an angle of 0.3."""
    rod = joints.Distance(bodies=("ground", "bob"), points=((0.0, 0.0, 0.0), (0.0, 0.0, -1.0)), length=1.01)
    slide = joints.Prismatic(bodies=("ground", "bob"), point=(0.0, 0.0, -1.0), axis=X)
    tall = joints.Prismatic(bodies=("ground", "bob"), point=(0.0, 0.0, -1.0), axis=Z)
    body = Body(mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.1, 0.1, 0.1))
    found = simulate(Mechanism(bodies={"bob": body}, joints={"rod": rod, "slide": tall}), **STILL)
    assert found.coordinate("slide")[0] == pytest.approx(-0.01, abs=1e-9)
    assert list(found.start.moved) == ["bob"]
    with pytest.raises(ModelError, match="cannot be assembled"):
        simulate(Mechanism(bodies={"bob": body}, joints={"rod": rod, "slide": slide, "tall": tall}), **STILL)


# -- rates -----------------------------------------------------------------------------------------------------------


def test_the_rate_of_one_joint_of_a_loop_moves_the_others_as_a_driver_does():
    driven = simulate(rssr(0.0), **STILL)
    free = models.load("rssr").replaced(drivers={"motor": None}, initial=Initial(rate={"O": 10.0}))
    found = simulate(free, **STILL)
    assert found.rate("C")[0] == pytest.approx(driven.rate("C")[0], rel=1e-10)
    assert np.abs(found.velocity("B")[0] - driven.velocity("B")[0]).max() < 1e-10


@pytest.mark.parametrize("kind", ["cylindrical", "universal", "spherical", "free", "screw", "slot"])
def test_rates_of_all_coordinates_come_back(kind):
    keys = {"bodies": ("ground", "body"), "point": (0.1, 0.2, 0.3)}
    more = {"cylindrical": {"axis": (1, 2, 2)}, "screw": {"axis": (1, 2, 2), "pitch": 0.1}, "slot": {"axis": (1, 2, 2)}}
    more["universal"] = {"axes": ((1, 0, 0), (1, 2, 0))}
    joint = joints.NAMES[kind](**keys, **more.get(kind, {}))
    body = Body(mass=1.0, com=(0.5, 0.1, 0.2), inertia=(0.3, 0.4, 0.5))
    position = dict(zip(joint.coordinate_names, (0.3, -0.4, 0.7, 0.2, 0.6, -0.5), strict=False))
    rate = dict(zip(joint.coordinate_names, (1.0, -2.0, 0.5, 1.5, -0.7, 0.9), strict=False))
    start = Initial(position={"J": position}, rate={"J": rate})
    found = simulate(Mechanism(bodies={"body": body}, joints={"J": joint}, initial=start), **STILL)
    for name in joint.coordinate_names:
        assert found.coordinate("J", name)[0] == pytest.approx(position[name], abs=1e-11)
        assert found.rate("J", name)[0] == pytest.approx(rate[name], abs=1e-11)


def test_rates_that_contradict_each_other_are_named():
    free = models.load("rssr").replaced(drivers={"motor": None}, initial=Initial(rate={"O": 10.0, "C": 0.0}))
    with pytest.raises(ModelError, match='initial rate of joint "O": angle and initial rate of joint "C": angle'):
        simulate(free, **STILL)


# -- what counts from the drawing ------------------------------------------------------------------------------------


def test_a_torsion_spring_is_free_where_the_drawing_says_not_the_start():
    k, start = 2.0, 7.5
    wheel = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.3, 0.3, 0.5))
    revolute = joints.Revolute(bodies=("ground", "wheel"), point=(0.0, 0.0, 0.0), axis=Z)
    model = Mechanism(
        bodies={"wheel": wheel},
        joints={"hub": revolute},
        forces={"coil": forces.Torsion(joint="hub", stiffness=k, angle=1.0)},
        initial=Initial(position={"hub": start}),
    )
    run = simulate(model, duration=3.0, samples=31, rtol=1e-9)
    swing = 1.0 + (start - 1.0) * np.cos(math.sqrt(k / 0.5) * run.t)
    assert np.abs(run.coordinate("hub") - swing).max() < 1e-6
    assert np.abs(run.force("coil", "angle") - swing).max() < 1e-6


# -- impulses --------------------------------------------------------------------------------------------------------


def test_an_impulse_in_a_loop_moves_it_as_its_reduced_inertia_says():
    """The virtual work of the impulse: P.v_B/rate = (2 T/rate^2) rate, for any motion that the joints allow."""
    free = models.load("rssr").replaced(drivers={"motor": None}, gravity=(0.0, 0.0, 0.0))
    P = np.array([0.3, -0.2, 0.5])
    known = simulate(free.replaced(initial=Initial(rate={"O": 1.0})), **STILL)
    spin = simulate(free.replaced(impulses={"hit": Impulse(body="rocker", point="B", impulse=tuple(P))}), **STILL)
    reduced = 2.0 * known.energy.kinetic[0]
    rate = float(P @ known.velocity("B")[0]) / reduced
    assert spin.rate("O")[0] == pytest.approx(rate, rel=1e-9)
    assert spin.energy.kinetic[0] == pytest.approx(0.5 * reduced * rate**2, rel=1e-9)


def test_a_later_impulse_counts_as_work_and_drivers_keep_their_speed():
    hit = Impulse(time=0.05, body="rocker", point="B", impulse=(0.3, -0.2, 0.5), moment=(0.0, 0.01, 0.0), frame="body")
    free = models.load("rssr").replaced(drivers={"motor": None}, impulses={"hit": hit}, gravity=(0.0, 0.0, 0.0))
    run = simulate(free, duration=0.1, samples=11)
    assert np.abs(run.rate("O")[:5]).max() < 1e-12 and abs(run.rate("O")[-1]) > 1.0
    assert run.energy.work[-1] == pytest.approx(run.energy.kinetic[-1], rel=1e-6)
    held = simulate(rssr(0.0).replaced(impulses={"hit": hit}), duration=0.1, samples=11)
    assert np.abs(held.rate("O") - 10.0).max() < 1e-9


def test_an_impulse_tells_jumps_efforts_and_work_and_is_what_a_run_does():
    hit = Impulse(time=0.05, body="rocker", point="B", impulse=(0.3, -0.2, 0.5))
    driven = rssr(0.3).replaced(impulses={"hit": hit})
    run = simulate(driven, duration=0.1, samples=3)
    found = pm.impulse(run, t=0.05)
    assert found.jumps["O.angle"] == pytest.approx(0.0, abs=1e-12)
    v = found.before.velocity("B")[0] / 10.0  # per rate of the crank, which the driver holds against the impulse
    assert found.efforts["motor"] == pytest.approx(-float(np.array(hit.impulse) @ v), rel=1e-9)
    free = models.load("rssr").replaced(drivers={"motor": None}, initial=Initial(rate={"O": 2.0}))
    found = pm.impulse(free, {"hit": hit})
    again = simulate(free.replaced(impulses={"hit": replace(hit, time=0.0)}), **STILL)
    assert found.jumps["O.angle"] == pytest.approx(again.rate("O")[0] - 2.0, rel=1e-9)
    omega = (
        again.omega("coupler")[0]
        - again.omega("crank")[0]
        - (found.before.omega("coupler") - found.before.omega("crank"))[0]
    )
    turned = found.before.orientation("crank")[0].T @ omega
    assert [found.jumps[f"A.omega{k}"] for k in (1, 2, 3)] == pytest.approx(turned.tolist(), abs=1e-9)
    assert found.work == pytest.approx(again.energy.kinetic[0] - 0.5 * 4.0 * reduced(free), rel=1e-6)
    with pytest.raises(ModelError, match="there is no impulse at t = 0 s"):
        pm.impulse(free)


def reduced(model):
    """Return the inertia of a linkage against its crank."""
    return 2.0 * simulate(model.replaced(initial=Initial(rate={"O": 1.0})), **STILL).energy.kinetic[0]


@pytest.mark.parametrize(("name", "joint", "angle"), [("bennett", "A", 4.0), ("bricard", "P0", -1.3)])
def test_joints_that_hold_more_than_needed_are_followed_as_well(name, joint, angle):
    model = models.load(name)
    clear = {**dict.fromkeys(model.drivers)}
    there = drivers.Coordinate(joint=joint, motion=signals.Cycloid(end=angle, duration=1.0))
    here = drivers.Coordinate(joint=joint, motion=angle)
    slow = simulate(model.replaced(drivers={**clear, "lead": there}, initial=Initial()), duration=1.0, samples=2)
    found = simulate(model.replaced(drivers={**clear, "lead": here}, initial=Initial()), **STILL)
    for other in model.joints:
        assert found.coordinate(other)[0] == pytest.approx(slow.coordinate(other)[-1], abs=1e-5)


# -- least movement --------------------------------------------------------------------------------------------------


def arm(**sections):
    """Return three links on hinges in different directions, and a ball at the end."""
    body = {"mass": 1.0, "inertia": (0.2, 0.3, 0.4)}
    turns = {"A": ("ground", "a", Z), "B": ("a", "b", (0.0, 1.0, 0.2)), "C": ("b", "c", X)}
    made = {
        name: joints.Revolute(bodies=(one, other), point=(0.3 * k, 0.1, 0.0), axis=axis)
        for k, (name, (one, other, axis)) in enumerate(turns.items())
    }
    made["D"] = joints.Spherical(bodies=("c", "d"), point=(1.2, 0.0, 0.3))
    points = {"tip": (1.5, 0.2, 0.3)}
    bodies = {b: Body(com=(0.4 * k, 0.0, 0.1), **body) for k, b in enumerate("abc")}
    bodies["d"] = Body(points=("tip",), com=(1.4, 0.1, 0.3), **body)
    return Mechanism(points=points, bodies=bodies, joints=made, **sections)


def test_joints_in_no_loop_stay_as_drawn_while_others_are_led():
    said = {"A": 2.0, "C": -4.0, "D": {"angle2": 0.5}}
    run = simulate(arm(initial=Initial(position=said)), **STILL)
    tree = pm.simulate(arm(initial=Initial(position=said)), **STILL)
    assert tree.system.formulation == "recursive"
    for joint, value in (("A", 2.0), ("B", 0.0), ("C", -4.0)):
        assert run.coordinate(joint)[0] == pytest.approx(value, abs=1e-12)
        assert tree.coordinate(joint)[0] == pytest.approx(value, abs=1e-12)
    assert run.coordinate("D")[0] == pytest.approx([0.0, 0.5, 0.0], abs=1e-12)
    assert np.abs(run["tip"][0] - tree["tip"][0]).max() < 1e-12


@pytest.mark.parametrize("angles", [(0.3, 2.0, -0.4), (0.0, -2.5, 0.0), (3.0, 0.2, -7.0)])
def test_a_ball_starts_at_any_of_its_angles_as_in_a_tree(angles):
    start = Initial(position={"D": angles}, rate={"D": (0.3, 0.2, -0.1)})
    run, tree = simulate(arm(initial=start), **STILL), pm.simulate(arm(initial=start), **STILL)
    assert run.coordinate("D")[0] == pytest.approx(angles, abs=1e-10)
    assert run.rate("D")[0] == pytest.approx((0.3, 0.2, -0.1), abs=1e-10)
    assert np.abs(run["tip"][0] - tree["tip"][0]).max() < 1e-12


def test_what_a_driver_leaves_free_moves_by_the_least_change_of_joint_coordinates():
    """A tip that is led along z: the coordinates follow the gradient, dx = J^T (J J^T)^-1 dz, integrated on its own."""
    lift = drivers.Position(point="tip", axis="z", motion=0.3)
    model = arm(drivers={"lift": lift}).replaced(joints={"D": joints.Weld(bodies=("c", "d"))})
    found = simulate(model, **STILL)
    names = ("A", "B", "C")

    def tip(x):
        R, p, place = np.eye(3), np.zeros(3), np.array(model.points["tip"])
        for name, angle in zip(names, x, strict=True):
            joint = model.joints[name]
            u, at = np.array(joint.direction), np.array(joint.point)
            K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
            p = p + R @ at
            R = R @ (np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K)
            p = p - R @ at
        return (R @ place + p)[2]

    def slope(_, x):
        h = 1e-6
        J = np.array([(tip(x + h * e) - tip(x - h * e)) / (2.0 * h) for e in np.eye(3)])
        return 0.3 * J / (J @ J)

    wanted = solve_ivp(slope, (0.0, 1.0), np.zeros(3), rtol=1e-9, atol=1e-10).y[:, -1]
    assert np.abs([found.coordinate(name)[0] for name in names] - wanted).max() < 1e-6
    assert np.abs(wanted).max() > 0.1


def test_a_start_does_not_depend_on_how_the_drawing_is_turned():
    led = drivers.Position(point="tip", axis="z", motion=0.3)
    run = simulate(arm(drivers={"led": led}), **STILL)
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # z becomes x

    def turned(v):
        return tuple((turn @ np.array(v)).tolist())

    model = arm()
    other = Mechanism(
        points={"tip": turned(model.points["tip"])},
        bodies={b: replace(s, com=turned(s.com), inertia=turned(s.inertia)) for b, s in model.bodies.items()},
        joints={
            name: replace(j, point=turned(j.point), **({"axis": turned(j.axis)} if hasattr(j, "axis") else {}))
            for name, j in model.joints.items()
        },
        drivers={"led": replace(led, axis="x")},
    )
    assert np.abs(simulate(other, **STILL)["tip"][0] - turn @ run["tip"][0]).max() < 1e-6
