"""Stops of coordinates in space: closed forms, the same in the plane, natural coordinates, momentum balance."""

import itertools
import math
import pickle
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses.validation import validated
from particlemech.engine.natural.equations import system as natural_system
from particlemech.engine.recursive.equations import system as recursive_system
from particlemech.errors import ModelError
from particlemech.model.primitives import Part
from particlemech.model.toml import dumps, loads
from particlemech.run.modes import measuring

G = 9.81
WAYS = [{"integrator": "explicit"}, {"integrator": "ida"}, {"formulation": "natural"}]
BALL = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { P = [0, 0, 1] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 0, 1], inertia = [0.1, 0.1, 0.1] }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 0, 1] }
joints.floor = { type = "stop", joint = "guide", lower = -1, restitution = 0.5 }
run = { duration = 2.0, samples = 41 }
"""


def flat(text: str, spatial: bool) -> str:
    """Return a model of the plane as it stands, or drawn in space: z is added, and hinges get their axis."""
    if not spatial:
        return text.replace(", 0]", "]").replace("INERTIA", "").replace(" AXIS", "")
    return 'kind = "spatial"\n' + text.replace(" AXIS", ", axis = [0, 0, 1]")


def arm(spatial: bool, extra: str = "", **stop: object) -> pm.Mechanism:
    """Return two links that hang from a hinge, with a stop at the elbow."""
    inertia = {True: "[0.3, 0.3, 0.3]", False: "0.3"}[spatial]
    given = {"lower": "-20 deg", "upper": "40 deg", "restitution": 0.6} | stop
    said = ", ".join(f"{key} = {value!r}".replace("'", '"') for key, value in given.items() if value is not None)
    text = f"""
gravity = [0, -9.81, 0]
points = {{ O = [0, 0, 0], A = [1, 0, 0], B = [1.8, 0, 0] }}
bodies.one = {{ points = ["O", "A"], mass = 3, com = [0.5, 0, 0], inertia = {inertia} }}
bodies.two = {{ points = ["A", "B"], mass = 2, com = [1.5, 0, 0], inertia = {inertia} }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "one"] AXIS }}
joints.A = {{ type = "revolute", point = "A", bodies = ["one", "two"] AXIS }}
joints.wall = {{ type = "stop", joint = "A", {said} }}
run = {{ duration = 3.0, samples = 81 }}
{extra}
"""
    return loads(flat(text, spatial))


def four_bar(spatial: bool) -> pm.Mechanism:
    """Return a four-bar with a stop at its rocker; in space one of its hinges is a ball."""
    inertia = {True: "[0.4, 0.4, 0.4]", False: "0.4"}[spatial]
    ball = 'type = "spherical", point = "B", bodies = ["rod", "rocker"]'
    hinge = 'type = "revolute", point = "B", bodies = ["rod", "rocker"]'
    text = f"""
gravity = [0, -9.81, 0]
points = {{ O = [0, 0, 0], A = [0, 1, 0], B = [2, 1.6, 0], C = [2.5, 0, 0] }}
bodies.crank = {{ points = ["O", "A"], mass = 1, com = [0, 0.5, 0], inertia = {inertia} }}
bodies.rod = {{ points = ["A", "B"], mass = 2, com = [1, 1.3, 0], inertia = {inertia} }}
bodies.rocker = {{ points = ["C", "B"], mass = 2, com = [2.25, 0.8, 0], inertia = {inertia} }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "crank"] AXIS }}
joints.A = {{ type = "revolute", point = "A", bodies = ["crank", "rod"] AXIS }}
joints.B = {{ {ball if spatial else hinge} }}
joints.C = {{ type = "revolute", point = "C", bodies = ["ground", "rocker"] AXIS }}
joints.wall = {{ type = "stop", joint = "C", lower = "-35 deg", upper = "20 deg", restitution = 0.5 }}
run = {{ duration = 3.0, samples = 81 }}
"""
    return loads(flat(text, spatial))


def alike(plane: pm.Mechanism, space: pm.Mechanism, way: dict[str, str], tolerance: float) -> None:
    """Hold a run in space to one in the plane: impacts, impulses, motion, reactions and efforts."""
    one, other = pm.simulate(plane, rtol=1e-11), pm.simulate(space, rtol=1e-10, **way)
    # IDA does not see the lowest of the last bounces
    soft = plane.joints["wall"].stiffness is not None
    large = [[s for s in of.switches if s.impulse > 0.1 or soft] for of in (one, other)]
    assert [(s.part, s.side) for s in large[0]] == [(s.part, s.side) for s in large[1]] and len(large[0]) > 2
    for a, b in zip(*large, strict=True):
        assert a.t == pytest.approx(b.t, abs=tolerance)
        assert a.impulse == pytest.approx(b.impulse, abs=20.0 * tolerance)
    here, there = one.columns(), other.columns()
    # the moments of a pin in the plane, and points that only space has, have no partner
    common = [name for name in here if name in there and not name.endswith((".m", "closure.position", ".velocity"))]
    assert {"wall.effort", "wall.gap", "B.x", "B.ay", "energy.work"} <= set(common)
    for name in common:
        largest = max(1.0, float(np.max(np.abs(here[name]))))
        # potentials count from different heights
        zero = here[name][0] - there[name][0] if name in ("energy.potential", "energy.total") else 0.0
        np.testing.assert_allclose(there[name] + zero, here[name], atol=10.0 * tolerance * largest, err_msg=name)


# -- closed forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_slider_bounces_at_the_times_of_the_closed_form_and_rests_at_their_limit(way: dict[str, str]) -> None:
    result = pm.simulate(loads(BALL), **way)
    implicit = way != WAYS[0]
    times = [s.t for s in result.switches if s.what in ("impact", "closes")]
    n, fall = min(len(times) - 1, 6 if implicit else 19), math.sqrt(2.0 / G)
    wanted = fall * (1.0 + 2.0 * np.cumsum([0.0, *(0.5**k for k in range(1, n))]))
    np.testing.assert_allclose(times[:n], wanted, rtol=1e-6 if implicit else 1e-10)
    assert times[-1] == pytest.approx(3.0 * fall, rel=1e-6 if implicit else 1e-9)
    assert result.switches[-1].what == "closes"
    assert result["P"][-1, 2] == pytest.approx(0.0, abs=1e-9)
    assert result.force("floor")[-1] == pytest.approx(2.0 * G, rel=1e-8)
    assert result.force("floor", "gap")[0] == 1.0
    lost = sum(s.lost for s in result.switches)
    assert lost == pytest.approx(2.0 * G, rel=1e-6 if implicit else 1e-8)  # all that it had, as work
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-6)


def test_an_impulse_goes_on_through_an_arm_as_angular_momentum_says() -> None:
    """At the elbow: about O the stop's couple is internal, about A it alone turns the second link.

    With all in a line, l = 1, and the second link's centre r = 0.5 beyond A:

        (I1 + m1/4 + m2 l (l + r)) w1 + ... is kept about O;   I2 w + m2 r (v_A + r w) jumps by p about A
    """
    result = pm.simulate(arm(True), duration=1.0)
    before, then = result.events["wall"], result.events["wall.after"]
    blow = next(s for s in result.switches)
    w1, w2 = ([of.rate("O")[0], of.rate("O")[0] + of.rate("A")[0]] for of in (before, then))
    turn = float(before.coordinate("A")[0])
    l, r, cos = 1.0, 0.5, math.cos(turn)
    momentum = [
        (0.3 + 3.0 * 0.25 + 2.0 * l * l) * a + 2.0 * l * r * cos * b + (0.3 + 2.0 * r * r) * b + 2.0 * l * r * cos * a
        for a, b in (w1, w2)
    ]
    assert momentum[1] == pytest.approx(momentum[0], abs=1e-8)
    jump = [(0.3 + 2.0 * r * r) * b + 2.0 * l * r * cos * a for a, b in (w1, w2)]
    sign = 1.0 if blow.side == "lower" else -1.0
    assert sign * (jump[1] - jump[0]) == pytest.approx(blow.impulse, rel=1e-8)
    assert w2[1] - w2[0] == pytest.approx(-0.6 * (w1[1] - w1[0]), rel=1e-9)  # rates at the elbow


# -- against the plane -------------------------------------------------------------------------------------------------

DRIVE = 'drivers.motor = { joint = "O", motion = { type = "sine", amplitude = 1.0, frequency = 0.8 } }'
SOFT = {"restitution": None, "stiffness": 3000.0, "damping": 20.0}


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("rig", ["free", "driven", "gives way"])
def test_an_arm_strikes_a_stop_as_in_the_plane(rig: str, way: dict[str, str]) -> None:
    given = {"extra": DRIVE} if rig == "driven" else SOFT if rig == "gives way" else {}
    alike(arm(False, **given), arm(True, **given), way, 1e-7 if "formulation" in way else 1e-8)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_loop_strikes_a_stop_and_rests_on_it_as_in_the_plane(way: dict[str, str]) -> None:
    alike(four_bar(False), four_bar(True), way, 1e-8 if way == WAYS[0] else 1e-7)
    rest = pm.simulate(four_bar(True), **way)
    assert rest.force("wall")[-1] < -1.0 and abs(rest.force("wall", "gap")[-1]) < 1e-9  # it leans on the upper bound


# -- against natural coordinates ---------------------------------------------------------------------------------------

RSSR = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], A = [0, 0.4, 0.3], B = [1.2, 0.2, 0.8], C = [1.2, 0, 0] }
bodies.crank = { points = ["O", "A"], mass = 1, com = [0, 0.2, 0.15], inertia = [0.02, 0.02, 0.02] }
bodies.rod = { points = ["A", "B"], mass = 2, com = [0.6, 0.3, 0.55], inertia = [0.1, 0.2, 0.2] }
bodies.rocker = { points = ["C", "B"], mass = 2, com = [1.2, 0.1, 0.4], inertia = [0.1, 0.1, 0.1] }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "crank"], axis = [1, 0, 0] }
joints.A = { type = "universal", point = "A", bodies = ["crank", "rod"], axes = [[1, 0, 0], [0, 1, 0]] }
joints.B = { type = "spherical", point = "B", bodies = ["rod", "rocker"] }
joints.C = { type = "revolute", point = "C", bodies = ["ground", "rocker"], axis = [0, 1, 0] }
joints.wall = { type = "stop", joint = "C", lower = "-4 deg", upper = "3 deg", restitution = 0.4 }
joints.cross = { type = "stop", joint = "A", coordinate = "angle1", lower = "-25 deg", upper = "12 deg" }
initial = { rate = { C = [1.0] } }
run = { duration = 1.5, samples = 61 }
"""
FLOATING = """
kind = "spatial"
gravity = [0.5, -1, -9.81]
bodies.a = { mass = 1, com = [0, 0, 0.3], inertia = [0.2, 0.3, 0.4] }
bodies.b = { mass = 2, com = [1, 0.3, 0], inertia = [0.1, 0.3, 0.2] }
joints.S = { type = "cylindrical", bodies = ["ground", "a"], point = [0, 0, 0], axis = [0, 1, 4] }
joints.J = { KIND, bodies = ["a", "b"], point = [0.5, 0, 0] }
joints.low = { type = "stop", joint = "S", coordinate = "travel", lower = -0.3, restitution = 0.8 }
joints.turn = { type = "stop", joint = "S", coordinate = "angle", lower = -1.2, upper = 0.9, restitution = 0.2 }
joints.end = { type = "stop", joint = "J", coordinate = "NAME", lower = -0.15, upper = 0.2, restitution = 0.5 }
run = { duration = 1.0, samples = 41 }
"""
KINDS = {
    "revolute": ('type = "revolute", axis = [0, 1, 1]', "angle"),
    "prismatic": ('type = "prismatic", axis = [1, 0.5, 0.3]', "travel"),
    "screw": ('type = "screw", axis = [1, 0, 1], pitch = 0.1', "angle"),
    "slot": ('type = "slot", axis = [1, 0, -1]', "travel"),
    "universal": ('type = "universal", axes = [[1, 0, 0], [0, 1, 0]]', "angle2"),
    "ball, first": ('type = "spherical", coordinates = "angles"', "angle1"),
    "ball, second": ('type = "spherical", coordinates = "angles"', "angle2"),
    "ball, third": ('type = "spherical", coordinates = "angles"', "angle3"),
    "free": ('type = "free"', "z"),
}


def kept(result: pm.Result) -> None:
    """Hold a run to its stops: gaps and forces are never below zero, nor both above, and impacts take the energy."""
    for name, joint in result.mechanism.joints.items():
        if not joint.pushes(result.mechanism):
            continue
        gap, effort = result.force(name, "gap"), result.force(name)
        assert gap.min() > -1e-8 and gap.max() > 1e-2
        assert np.max(np.abs(gap * effort)) < 1e-6 * max(1.0, np.max(np.abs(effort)))
    assert np.max(np.abs(result.energy.error)) < 1e-7 * result.energy.scale
    assert all(s.lost >= -1e-9 for s in result.switches)


@pytest.mark.parametrize("kind", KINDS)
def test_any_coordinate_of_a_joint_may_have_a_stop_and_natural_coordinates_agree(kind: str) -> None:
    words, name = KINDS[kind]
    model = loads(FLOATING.replace("KIND", words).replace("NAME", name))
    if "ball" in kind:
        model = model.replaced(run={"duration": 0.55})  # gimbal lock is near
    first, second = (pm.simulate(model, rtol=1e-10, **way) for way in (WAYS[0], WAYS[2]))
    # later ones hang on digits of those before
    large = [[s for s in of.switches if s.impulse > 1e-3][:20] for of in (first, second)]
    assert {s.part for s in large[0]} >= {"end", "low"}
    assert [(s.part, s.side) for s in large[0]] == [(s.part, s.side) for s in large[1]]
    np.testing.assert_allclose([s.t for s in large[1]], [s.t for s in large[0]], atol=1e-5)
    kept(first)
    kept(second)


def test_stops_in_a_loop_with_a_ball_and_a_cross_agree_with_natural_coordinates() -> None:
    model = loads(RSSR)
    result = pm.simulate(model)
    assert {s.part for s in result.switches} == {"wall", "cross"}
    kept(result)
    assert validated(model).agreed


# -- what a user meets -------------------------------------------------------------------------------------------------


def test_a_stop_is_written_and_read_drawn_and_counted() -> None:
    model = loads(RSSR)
    assert loads(dumps(model)) == model
    check = {row[0]: row[1] for row in pm.check(model).rows}
    assert check["degrees of freedom by rank"] == "1"
    columns = pm.simulate(model, duration=0.1, samples=3).columns()
    assert {"wall.effort", "wall.gap", "cross.effort", "cross.gap"} <= set(columns)
    low, high = model.joints["wall"].look(Part("joint", "wall"), model, 0.01)
    (x0, y0, z0), (x1, y1, z1) = low.outline[:2]  # its face, along the rocker where that is stopped
    at = math.atan2(x1 - x0, z1 - z0)  # about y, from the rocker as drawn, whose centre is above C
    assert (y0, y1) == pytest.approx((0.0, 0.0)) and at == pytest.approx(math.radians(-4.0)) and z1 > z0
    assert low.frame == high.frame == "ground" and low.at == high.at


BAD = {
    "beyond": (
        "lower = -1,",
        "lower = 0.25,",
        r'joint "guide" starts at 0, 0.25 m beyond lower = 0.25; move the start',
    ),
    "order": ("lower = -1,", "lower = 1, upper = -2,", r'key "upper": must be above lower = 1, got -2'),
    "coordinate": ('"guide",', '"guide", coordinate = "angle",', r'joint "guide" has no coordinate "angle"'),
    "joint": ('joint = "guide"', 'joint = "gide"', r'joint "gide" unknown \(did you mean "guide"\?\)'),
    "nothing": ("lower = -1,", "", r'it needs "lower", "upper" or both'),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_stops_are_refused_in_one_line(case: str) -> None:
    old, new, said = BAD[case]
    with pytest.raises(ModelError, match=said) as refused:
        pm.simulate(loads(BALL.replace(old, new)))
    assert "\n" not in str(refused.value) and str(refused.value).startswith(('joint "floor": ', 'joints "floor": '))


def test_a_stop_of_what_is_driven_or_of_a_quaternion_is_refused() -> None:
    driven = BALL + 'drivers.lift = { joint = "guide", motion = { type = "linear", rate = -1 } }'
    with pytest.raises(
        ModelError, match=r'"travel" of joint "guide" is driven by driver "lift", which a bound \(lower'
    ):
        loads(driven)
    words = 'type = "spherical", coordinates = "quaternion"'
    with pytest.raises(ModelError, match='is integrated as a quaternion and has no "angle2" to act on'):
        loads(FLOATING.replace("KIND", words).replace("NAME", "angle2"))


def test_a_stop_at_a_turn_that_is_not_the_first_is_met_there() -> None:
    """A wheel that is driven by a constant moment strikes after three turns."""
    text = """
kind = "spatial"
bodies.wheel = { mass = 1, com = [0, 0, 0], inertia = [1, 1, 2] }
joints.O = { type = "revolute", point = [0, 0, 0], bodies = ["ground", "wheel"], axis = [0, 0, 1] }
joints.end = { type = "stop", joint = "O", upper = 20 }
forces.motor = { type = "motor", joint = "O", effort = 4 }
run = { duration = 6, samples = 13 }
"""
    for way in WAYS:
        result = pm.simulate(loads(text), **way)
        assert [s.what for s in result.switches] == ["closes"]
        assert result.switches[0].t == pytest.approx(math.sqrt(20.0), rel=1e-8)
        assert result.coordinate("O")[-1] == pytest.approx(20.0, abs=1e-9)
        assert result.force("end")[-1] == pytest.approx(-4.0, rel=1e-9)
        gaps = result.force("end", "gap")
        assert all(a > b - 1e-9 for a, b in itertools.pairwise(gaps))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_files_keep_what_held_in_a_run_that_switched(way: dict[str, str], tmp_path) -> None:
    result = pm.simulate(four_bar(True), **way)
    result.to_csv(tmp_path / "run.csv")
    again = pm.read_result(tmp_path / "run.csv")
    assert again.switches == result.switches
    for of in (
        lambda r: r["B"],
        lambda r: r.force("wall", "gap"),
        lambda r: r.acceleration("B"),
        lambda r: r.force("wall"),
        lambda r: r.reaction("C", "rocker"),
        lambda r: r.alpha("rod"),
    ):
        assert np.isfinite(of(result)).any()
        np.testing.assert_allclose(of(again), of(result), rtol=1e-12, atol=1e-12)


def test_a_run_goes_on_from_a_sample_on_a_stop() -> None:
    whole = pm.simulate(four_bar(True), duration=3.0, samples=61)
    first = pm.simulate(four_bar(True), duration=2.0, samples=41)
    then = pm.simulate(four_bar(True), duration=1.0, samples=21, start=first)
    both = first.joined(then)
    np.testing.assert_allclose(both["B"], whole["B"], atol=1e-8)
    np.testing.assert_allclose(both.force("wall"), whole.force("wall"), atol=1e-6)


def test_check_says_what_leans_on_a_stop_at_the_start() -> None:
    resting = loads(BALL).replaced(joints={"floor": {"lower": 0.0}})
    assert dict(pm.check(resting).rows)["closed at the start"] == 'joint "floor" (lower)'
    assert dict(pm.check(loads(BALL)).rows)["closed at the start"] == "nothing"


def test_bounds_can_be_swept() -> None:
    text = BALL.replace("lower = -1,", 'lower = "-drop",').replace(
        "\npoints =", "\nparameters = { drop = 1.0 }\npoints =", 1
    )
    found = pm.sweep(loads(text), drop=[0.5, 1.0, 2.0], quantities=["floor.gap.min", "P.z.min"])
    np.testing.assert_allclose(found["P.z.min"], [0.5, 0.0, -1.0], atol=1e-9)
    np.testing.assert_allclose(found["floor.gap.min"], 0.0, atol=1e-9)


def test_a_run_with_stops_can_be_pickled() -> None:
    result = pm.simulate(loads(BALL))
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again["P"], result["P"])
    np.testing.assert_array_equal(
        again.system.multipliers(0.0, again._y[0]), result.system.multipliers(0.0, result._y[0])
    )


RUBS = "friction = { mu = 0.3, radius = 0.1 }"


@pytest.mark.parametrize("build", [recursive_system, natural_system], ids=["recursive", "natural"])
def test_rows_that_measure_gaps_do_not_load_friction(build) -> None:
    """Both bounds of an angle at once would contradict each other, and press pins without end."""
    rig = loads(re.sub(r"(\[joints\.[OA]\]\n)", rf"\1{RUBS}\n", dumps(arm(True))))
    open_, every = build(rig.in_mode(())), measuring(rig, build)
    assert every.system.n_row == open_.n_row + 2
    result = pm.simulate(rig, samples=5, **({} if build is recursive_system else WAYS[2]))
    y, lay = result.phases[0].y[-1], result.phases[0].system.layout
    at = 0.3, y[lay.q], y[lay.v], y[lay.x]
    n = open_.n_v
    wanted = open_.dynamics(*at)[1][:n]
    np.testing.assert_allclose(every.dynamics(*at)[1][:n], wanted, atol=1e-12 * np.max(np.abs(wanted)))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_arm_whose_pins_rub_strikes_a_stop_as_in_the_plane(way: dict[str, str]) -> None:
    rigs = [loads(re.sub(r"(\[joints\.[OA]\]\n)", rf"\1{RUBS}\n", dumps(arm(spatial)))) for spatial in (False, True)]
    plane, space = pm.simulate(rigs[0], rtol=1e-10), pm.simulate(rigs[1], rtol=1e-9, **way)
    here, there = plane.columns(), space.columns()
    for name in ("B.x", "B.y", "A.angle", "wall.effort", "wall.gap", "A.loss", "energy.work"):
        np.testing.assert_allclose(
            there[name], here[name], atol=1e-5 * max(1.0, np.max(np.abs(here[name]))), err_msg=name
        )
