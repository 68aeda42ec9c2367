"""Joints that stick beside stops, contacts and events, and joints that stick and follow from each other."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import loads
from tests.support.sticking import FOUR_BAR, INCLINE, RADII, SLIDER_CRANK, G, limits

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])

UP, DOWN = 1.0 / (G * (0.6 + 0.3 * 0.8)), G * (0.6 - 0.3 * 0.8)  # when it turns round, and how it speeds up then
TOP = 0.5 * UP

DOOR = """
points = { O = [0, 0], P = [1, 0] }
bodies.door = { points = ["O", "P"], mass = 12 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "door"], friction = FRICTION }
joints.end = { type = "stop", joint = "O", upper = 1.5, restitution = 0.4 }
forces.hinge = { type = "load", body = "door", point = "P", force = [-200, 0], frame = "body" }
forces.hand = { type = "motor", joint = "O", effort = EFFORT }
run = { duration = 9, samples = 19 }
"""

BOUNCING = """
gravity = [0, -9.81]
points = { P = [0, 0] }
bodies.block = { points = ["P"], mass = 2.0, com = [0, 0], inertia = 0.02 }
joints.V = { type = "prismatic", point = "P", bodies = ["ground", "block"], axis = [0, 1], friction = FRICTION }
joints.floor = { type = "contact", bodies = ["ground", "block"], points = [[0, -0.5], "P"], axis = [1, 0], BOUNCE }
forces.side = { type = "load", body = "block", point = "P", force = [5, 0] }
run = { duration = 2, samples = 21 }
"""


def sticking(mu: float) -> str:
    return f"{{ mu = {mu}, sticking = true }}"


# -- beside stops, contacts and events ---------------------------------------------------------------------------------


@WAY
def test_a_mass_slides_into_a_stop_and_rests_against_it(way):
    stop = 'joints.end = { type = "stop", joint = "S", lower = -1.0 }\n'
    result = pm.simulate(loads(stop + INCLINE.replace("FRICTION", sticking(0.3))), **way)
    hit = UP + math.sqrt(2.0 * (1.0 + TOP) / DOWN)
    said = [(one.part, one.what) for one in result.switches]
    assert said == [("S", "sticks"), ("S", "slips"), ("end", "closes"), ("S", "sticks")]
    np.testing.assert_allclose([one.t for one in result.switches], [UP, UP, hit, hit], rtol=1e-6)
    rest = result.t > hit
    np.testing.assert_allclose(result.coordinate("S")[rest], -1.0, atol=1e-9)
    np.testing.assert_allclose(result.force("end", "effort")[rest], 2.0 * G * 0.6, rtol=1e-8)  # it carries all
    np.testing.assert_allclose(result.friction("S")[rest], 0.0, atol=1e-9)
    assert np.max(np.abs(result.energy.error)) < 1e-7


@WAY
def test_a_door_with_a_rubbing_hinge_rests_at_its_stop_and_holds_itself_before_it_leaves(way):
    """The hinge is pressed by 200 N, and can hold 0.3 x 0.05 x 200 = 3 N m when the stop has let go."""
    friction = "{ mu = 0.3, radius = 0.05, sticking = true }"
    effort = '{ type = "table", t = [0, 5, 9], value = [5, 5, -5], interpolation = "linear" }'
    result = pm.simulate(loads(DOOR.replace("FRICTION", friction).replace("EFFORT", effort)), **way)
    assert [one.what for one in result.switches[:2]] == ["slips", "impact"]
    assert [(one.part, one.what) for one in result.switches[-3:]] == [("O", "sticks"), ("end", "opens"), ("O", "slips")]
    # 5 - 2.5 (t - 5) falls to 0 and to -3
    np.testing.assert_allclose([one.t for one in result.switches[-2:]], [7.0, 8.2], rtol=1e-6)
    at = {float(t): k for k, t in enumerate(result.t)}
    for t, stop, held in ((4.5, 5.0, 0.0), (6.0, 2.5, 0.0), (7.5, 0.0, 1.25), (8.0, 0.0, 2.5)):
        assert result.force("end", "effort")[at[t]] == pytest.approx(-stop, abs=1e-6)
        assert result.friction("O")[at[t]] == pytest.approx(held, abs=1e-6)
        assert result.angle("door")[at[t]] == pytest.approx(1.5, abs=1e-8)
    assert result.angle("door")[-1] < 1.5 and np.max(np.abs(result.energy.error)) < 1e-5


@WAY
def test_a_block_bounces_beside_a_rubbing_guide_and_comes_to_rest_in_the_time_of_the_series(way):
    text = BOUNCING.replace("FRICTION", sticking(0.2)).replace("BOUNCE", "restitution = 0.5")
    result = pm.simulate(loads(text), **way)
    down, up = G - 0.2 * 5 / 2.0, G + 0.2 * 5 / 2.0
    speed, times = math.sqrt(2.0 * 0.5 * down), [math.sqrt(2.0 * 0.5 / down)]
    while speed > 1e-12:
        rise = 0.5 * speed
        times.append(times[-1] + rise / up + rise / math.sqrt(up * down))
        speed = rise * math.sqrt(down / up)
    hits = [one.t for one in result.switches if one.what == "impact"]
    np.testing.assert_allclose(hits[:8], times[:8], rtol=1e-6)
    last = result.switches[-1]
    assert {(one.part, one.what) for one in result.switches[-2:]} == {("floor", "closes"), ("V", "sticks")}
    assert last.t == pytest.approx(times[-1], rel=1e-3)
    assert result.force("floor", "normal")[-1] == pytest.approx(2.0 * G, rel=1e-6)
    assert result.friction("V")[-1] == pytest.approx(0.0, abs=1e-6)
    assert np.max(np.abs(result.energy.error)) < 1e-6


@WAY
def test_a_block_on_a_soft_floor_loses_the_same_height_with_each_swing_until_its_guide_holds_it(way):
    """Coulomb's F beside a spring: amplitudes fall by 2 F/k from turn to turn, and the last is no more than F/k."""
    text = BOUNCING.replace("FRICTION", sticking(0.2)).replace("BOUNCE", "stiffness = 400").replace("-0.5", "0.0")
    text = text.replace("duration = 2", "duration = 3")
    result = pm.simulate(loads(text), **way)
    swing, turn, most = math.sqrt(2.0 / 400) * math.pi, 2.0 * G / 400, 1.0 / 400
    n, left = 0, turn
    while abs(left) > most:
        n, left = n + 1, left - 2.0 * most
    rest = -turn + (-1.0) ** n * left
    last = result.switches[-1]
    assert (last.part, last.what) == ("V", "sticks") and n == 10
    assert last.t == pytest.approx(n * swing, rel=1e-6)
    assert result.coordinate("V")[-1] == pytest.approx(rest, abs=1e-8)
    assert result.friction("V")[-1] == pytest.approx(2.0 * G + 400 * rest, abs=1e-5)
    assert result.force("floor", "normal")[-1] == pytest.approx(-400 * rest, rel=1e-6)


@WAY
@pytest.mark.parametrize("do", ["free joint", "detach"])
def test_a_joint_that_sticks_is_locked_and_let_go_by_events(way, do):
    events = f"""
[events]
brake = {{ when = "S.travel < -0.2", do = "lock joint", joint = "S" }}
release = {{ when = "t > 1.5", do = "{do}", joint = "S" }}
"""
    result = pm.simulate(loads(INCLINE.replace("FRICTION", sticking(0.3)) + events), **way)
    there = UP + math.sqrt(2.0 * (0.2 + TOP) / DOWN)
    said = [(one.part, one.what) for one in result.switches[2:]]
    assert said[:3] == [("brake", "lock joint"), ("S", "sticks"), ("release", do)]
    np.testing.assert_allclose([one.t for one in result.switches[2:5]], [there, there, 1.5], rtol=1e-6)
    assert result.switches[2].lost == pytest.approx(0.5 * 2.0 * 2.0 * DOWN * (0.2 + TOP), rel=1e-6)
    held = (result.t > there) & (result.t < 1.5)
    np.testing.assert_allclose(result.friction("S")[held], 0.0, atol=1e-9)
    if do == "free joint":
        assert said[3:] == [("S", "slips")]
        assert result.coordinate("S")[-1] == pytest.approx(-0.2 - 0.5 * DOWN * 1.5**2, rel=1e-6)
    else:
        assert said[3:] == [] and result.com("block")[-1, 1] == pytest.approx(-0.2 * 0.6 - 0.5 * G * 1.5**2, rel=1e-6)
        np.testing.assert_array_equal(result.friction("S")[result.t > 1.5], 0.0)


# -- joints that follow from each other --------------------------------------------------------------------------------


@WAY
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_four_bar_that_rests_starts_at_the_moment_of_statics(way, sense):
    middle = 0.5 * (limits(1.0) + limits(-1.0))
    motor = (
        f'forces.push = {{ type = "motor", joint = "A", effort = {{ type = "linear", offset = {middle}, '
        f"rate = {sense} }} }}\n"
    )
    text = FOUR_BAR.replace("LAW", "mu = 0.3, sticking = true").replace("DURATION", "1.5")
    result = pm.simulate(loads(text + motor), **way)
    starts = abs(limits(sense) - middle)
    assert 0.2 < starts < 1.4
    first = result.switches[:4]
    assert {(one.part, one.what) for one in first} == {(joint, "slips") for joint in "ABCD"}
    np.testing.assert_allclose([one.t for one in first], starts, rtol=1e-9 if way["integrator"] != "ida" else 1e-6)
    before = result.t < starts
    assert np.ptp(result.angle("crank")[before]) < 1e-14
    for joint, on in (("A", "crank"), ("B", "rod"), ("C", "rocker"), ("D", "rocker")):
        load = np.linalg.norm(result.reaction(joint, on=on), axis=1)
        share = (result.friction(joint) / (0.3 * RADII[joint] * load))[before]
        other = (result.friction("A") / (0.3 * 0.03 * np.linalg.norm(result.reaction("A", on="crank"), axis=1)))[before]
        np.testing.assert_allclose(np.abs(share), np.abs(other), atol=1e-9)  # of what each can hold
        assert np.all(np.abs(share) < 1.0) and np.all(np.diff(result.moment(joint, on=on)[before]) != 0.0)


@WAY
def test_a_four_bar_swings_down_to_rest_where_smooth_friction_creeps_to(way):
    result = pm.simulate(loads(FOUR_BAR.replace("LAW", "mu = 0.3, sticking = true").replace("DURATION", "6")), **way)
    assert result.status.value == "completed"
    last = result.switches[-4:]
    assert {(one.part, one.what) for one in last} == {(joint, "sticks") for joint in "ABCD"}
    assert len({one.t for one in last}) == 1
    rest = result.t > last[0].t
    assert np.sum(rest) > 10 and np.ptp(result.angle("crank")[rest]) < 1e-12
    assert np.max(np.abs(result.energy.error)) < 1e-6
    smooth = FOUR_BAR.replace("LAW", "mu = 0.3, velocity = 1e-6").replace("DURATION", "3.2")
    creeps = pm.simulate(loads(smooth), rtol=1e-7)
    assert creeps.angle("crank")[-1] == pytest.approx(result.angle("crank")[-1], abs=2e-4)


@WAY
def test_a_slider_crank_runs_down_and_rests_for_ever(way):
    text = SLIDER_CRANK.replace("LAW", "mu = 0.15, sticking = true")
    text += "initial = { rate = { A = 20 } }\nrun = { duration = 40, samples = 81 }\n"
    result = pm.simulate(loads(text), **way)
    assert result.status.value == "completed"
    last = result.switches[-1]
    assert last.what == "sticks" and last.t < 5.0
    rest = result.t > last.t
    assert np.ptp(result.angle("crank")[rest]) < 1e-11
    np.testing.assert_allclose(sum(result.loss(joint) for joint in "ABCD")[rest], 0.0, atol=1e-15)
    # all the energy there was has gone into friction
    lost = result.energy.total[0] - result.energy.total[-1]
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-5) and lost > 1.0
    # what holds balances the weight, by virtual power
    rate = np.array([float(result.rate(joint)[1]) for joint in "ABCD"])
    assert np.all(rate != 0.0)


@WAY
def test_where_a_driver_moves_joints_that_stick_friction_turns_round_with_them(way):
    text = SLIDER_CRANK.replace("LAW", "mu = 0.15, sticking = true")
    text += (
        'drivers.m = { joint = "A", motion = { type = "linear", rate = 10 } }\nrun = { duration = 2, samples = 401 }\n'
    )
    result = pm.simulate(loads(text), **way)
    turns = [one for one in result.switches if one.part == "D"]
    dead = [math.pi - math.atan2(0.02, 0.1), 2 * math.pi - math.atan2(0.02, 0.1)]
    np.testing.assert_allclose([one.t for one in turns[:4]], np.repeat(dead, 2) / 10, rtol=1e-7)
    for joint in "ABCD":
        assert np.all(result.friction(joint) * result.rate(joint) <= 0.0)
        assert np.all(result.friction(joint) != 0.0)
    assert np.max(np.abs(result.energy.error)) < 1e-5 * np.max(np.abs(result.energy.work))


@WAY
def test_a_driver_that_dwells_holds_what_it_drives_and_friction_stays_what_it_was(way):
    text = SLIDER_CRANK.replace("LAW", "mu = 0.15, sticking = true")
    text += 'drivers.m = { joint = "A", motion = { type = "program", to = [0, 1, 1], times = [0.5, 1.0, 0.5] } }\n'
    result = pm.simulate(loads(text + "run = { duration = 2, samples = 41 }\n"), **way)
    still, moves = (result.t < 0.49) | (result.t > 1.51), (result.t > 0.51) & (result.t < 1.49)
    for joint in "ABCD":
        assert np.all(result.friction(joint)[moves] * result.rate(joint)[moves] < 0.0)
        first, last = still & (result.t < 1.0), still & (result.t > 1.0)
        np.testing.assert_allclose(result.friction(joint)[first], 0.0, atol=1e-12)
        np.testing.assert_allclose(result.friction(joint)[last], result.friction(joint)[-1], atol=1e-6)
    said = [(one.part, one.what) for one in result.switches if one.part == "A"]
    assert said == [("A", "slips")]
    assert result.switches[0].t == pytest.approx(0.5, abs=2e-3)


@WAY
def test_a_run_of_many_changes_makes_one_system_for_each_mode(way):
    model = pm.models.load("stick_slip")
    result = pm.simulate(model, duration=40.0, samples=401, rtol=1e-8, **way)
    systems = [phase.system for phase in result.phases]
    assert len(result.switches) > 45 and len(systems) > 45
    assert len({id(getattr(system, "moved_from", system)) for system in systems}) == 2
    # each holds where it came to rest: rows are closed, and coordinates stay to the last digit
    assert np.max(result.closure.position) < 1e-6
    travel, rests = result.coordinate("contact"), [one.t for one in result.switches if one.what == "sticks"]
    slips = [one.t for one in result.switches if one.what == "slips"][1:]
    ends = [travel[(result.t > first) & (result.t < last)] for first, last in zip(rests, slips, strict=False)]
    assert len(ends) > 20 and max(np.ptp(one) for one in ends) < 1e-9
    assert np.all(np.diff([one[0] for one in ends]) < -0.05)


FIVE_BAR = """
gravity = [0, -9.81]
points = { A = [0, 0], B = [-0.1, 0.3], C = [0.2, 0.5], D = [0.5, 0.28], E = [0.4, 0] }
bodies.left = { points = ["A", "B"], mass = 1.0 }
bodies.up = { points = ["B", "C"], mass = 0.5 }
bodies.down = { points = ["C", "D"], mass = 0.7 }
bodies.right = { points = ["D", "E"], mass = 1.2 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "left"], friction = LAW }
joints.B = { type = "revolute", point = "B", bodies = ["left", "up"], friction = LAW }
joints.C = { type = "revolute", point = "C", bodies = ["up", "down"], friction = LAW }
joints.D = { type = "revolute", point = "D", bodies = ["down", "right"], friction = LAW }
joints.E = { type = "revolute", point = "E", bodies = ["right", "ground"], friction = LAW }
run = { duration = 4, samples = 41 }
"""


@WAY
def test_a_five_bar_comes_to_rest_joint_by_joint_and_all_its_joints_hold_at_last(way):
    result = pm.simulate(loads(FIVE_BAR.replace("LAW", "{ mu = 0.5, radius = 0.05, sticking = true }")), **way)
    assert result.status.value == "completed" and np.max(np.abs(result.energy.error)) < 1e-5
    rest = result.t > result.switches[-1].t
    assert np.any(rest)
    for joint, on in zip("ABCDE", ("left", "up", "down", "right", "right"), strict=True):
        assert np.ptp(result.coordinate(joint)[rest]) < 1e-10
        load = np.linalg.norm(result.reaction(joint, on=on), axis=1)
        assert np.all(np.abs(result.friction(joint)) <= 0.5 * 0.05 * load * (1.0 + 1e-6))
