"""Joints in space that stick, as events: closed forms, the plane, both formulations and both integrators."""

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.toml import dumps, loads
from tests.support.sticking import FOUR_BAR as PINS
from tests.support.sticking import INCLINE as STRUCK
from tests.support.sticking import RADII, SLIDER_CRANK, G, in_space, limits

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "natural"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "natural"])
QUICK = pytest.mark.parametrize("way", WAYS[:2], ids=["explicit", "ida"])

INCLINE = """
kind = "spatial"
gravity = [0, 0, -9.81]
bodies.block = { mass = 2.0, com = [0, 0, 0], inertia = [0.02, 0.03, 0.04] }
initial = { rate = { S = RATE } }
run = { duration = DURATION, samples = 11 }
[joints.S]
type = "prismatic"
point = [0, 0, 0]
bodies = ["ground", "block"]
friction = FRICTION
axis = [0.48, 0.64, 0.6]
"""

PENDULUM = """
gravity = [0, -9.81]
points = { O = [0, 0] }
bodies.rod = { points = ["O"], mass = 2, com = [0.5, 0], inertia = 0.16 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"], friction = FRICTION }
run = { duration = 8, samples = 25 }
"""

BELT = """
gravity = [0, -9.81]
points = { P = [0, 0], A = [-1, 0] }
bodies.belt = { mass = 1.0, com = [0, 0], inertia = 0.02 }
bodies.block = { points = ["P"], mass = 2.0, com = [0, 0], inertia = 0.02 }
joints.B = { type = "prismatic", point = [0, 0], bodies = ["ground", "belt"], axis = [1, 0] }
drivers.belt = { joint = "B", motion = { type = "linear", rate = 0.1 } }
forces.spring = { type = "spring", bodies = ["ground", "block"], points = ["A", "P"], stiffness = 50, length = 1.0 }
initial = { rate = { S = 0 } }
run = { duration = 5.5, samples = 23, rtol = 1e-10 }
[joints.S]
type = "prismatic"
point = "P"
bodies = ["belt", "block"]
axis = [1, 0]
friction = { mu = 0.2, mu_static = 0.3, sticking = true }
"""

SCREW = """
kind = "spatial"
gravity = [0, 0, -9.81]
bodies.nut = { mass = 2.0, com = [0, 0, 0], inertia = [0.02, 0.02, 0.004] }
initial = { rate = { S = RATE } }
run = { duration = 0.5, samples = 6, rtol = 1e-10 }
[joints.S]
type = "screw"
point = [0, 0, 0]
bodies = ["ground", "nut"]
axis = [0, 0, 1]
pitch = PITCH
friction = { mu = 0.2, radius = 0.05, sticking = true }
"""

# one block on the other, and the lower one is shaken
TWO = (
    """
gravity = [0, -9.81]
points = { P = [0, 0] }
bodies.p = { points = ["P"], mass = 2.0, com = [0, 0], inertia = 0.02 }
bodies.q = { mass = 1.0, com = [0, 0], inertia = 0.02 }
joints.P = { type = "prismatic", point = "P", bodies = ["ground", "p"], axis = [1, 0], friction = FIRST }
joints.Q = { type = "prismatic", point = [0, 0], bodies = ["p", "q"], axis = [1, 0], friction = SECOND }
forces.push = { type = "load", body = "p", point = "P", force = [SHAKE, 0] }
initial = { rate = { P = 1.0, Q = -0.5 } }
run = { duration = 2, samples = 41, rtol = 1e-9 }
""".replace("FIRST", "{ mu = 0.1, mu_static = 0.2, sticking = true }")
    .replace("SHAKE, 0", '{ type = "sine", amplitude = 9.5, frequency = 3.0 }, 0')
    .replace("SECOND", "{ mu = 0.2, mu_static = 0.3, sticking = true }")
)

FOUR_BAR = """
kind = "spatial"
gravity = [0, -9.81, 0]
points = { A = [0, 0, 0], B = [0, 1, 0], C = [2, 2, 0], D = [2, 0, 0] }
bodies.a = { points = ["A", "B"], mass = 1 }
bodies.b = { points = ["B", "C"], mass = 1 }
bodies.c = { points = ["C", "D"], mass = 1 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "a"], axis = [0, 0, 1], friction = STICKS }
joints.B = { type = "spherical", point = "B", bodies = ["a", "b"] }
joints.C = { type = "universal", point = "C", bodies = ["b", "c"], axes = [[0, 0, 1], [0, 1, 0]] }
joints.D = { type = "revolute", point = "D", bodies = ["ground", "c"], axis = [0, 0, 1] OTHER }
initial = { rate = { A = 3.0 } }
run = { duration = 3, samples = 31, rtol = 1e-8 }
"""


ON_STOP = 'joints.end = { type = "stop", joint = "S", lower = -1.0 }\n' + STRUCK.replace("FRICTION", "{ LAW }")
# its guide carries what a loop in a plane does not determine in space
CRANK = SLIDER_CRANK.replace(", friction = { length = 0.1, LAW }", "")


def incline(friction, rate="0.0", duration="1"):
    return loads(INCLINE.replace("FRICTION", friction).replace("RATE", rate).replace("DURATION", duration))


def check_as_in_the_plane(result, flat, joint, atol):
    assert [(one.part, one.what) for one in result.switches] == [(one.part, one.what) for one in flat.switches]
    times = [[one.t for one in run.switches] for run in (result, flat)]
    np.testing.assert_allclose(*times, rtol=0, atol=atol)
    np.testing.assert_allclose(result.coordinate(joint), flat.coordinate(joint), rtol=0, atol=atol)
    np.testing.assert_allclose(result.friction(joint), flat.friction(joint), rtol=0, atol=30 * atol)
    np.testing.assert_allclose(result.loss(joint), flat.loss(joint), rtol=0, atol=30 * atol)
    assert np.max(np.abs(result.energy.error)) < 10 * atol


# -- closed forms ------------------------------------------------------------------------------------------------------


@WAY
def test_a_mass_on_an_incline_rests_for_ever(way):
    duration = "100" if "natural" in way.values() else "1000"  # there each instant is asked in Python
    result = pm.simulate(incline("{ mu = 0.8, sticking = true }", duration=duration), **way)
    assert not result.switches
    assert np.max(np.abs(result.coordinate("S"))) < 1e-12
    np.testing.assert_allclose(result.friction("S"), 2.0 * G * 0.6, rtol=1e-9)
    np.testing.assert_allclose(result.loss("S"), 0.0, atol=1e-12)


@WAY
def test_a_mass_that_cannot_hold_slides_down_from_the_start(way):
    result = pm.simulate(incline("{ mu = 0.5, mu_static = 0.74, sticking = true }"), **way)  # tan = 0.75
    np.testing.assert_allclose(result.coordinate("S"), -0.5 * G * (0.6 - 0.4) * result.t**2, rtol=0, atol=1e-7)
    np.testing.assert_allclose(result.friction("S"), 0.5 * 2.0 * G * 0.8, rtol=1e-9)


@WAY
def test_a_mass_that_slides_up_sticks_at_the_top(way):
    result = pm.simulate(incline("{ mu = 0.5, mu_static = 0.76, sticking = true }", rate="1.0"), **way)
    slowing = G * (0.6 + 0.4)
    assert [(one.what, one.part) for one in result.switches] == [("sticks", "S")]
    assert result.switches[0].t == pytest.approx(1.0 / slowing, rel=1e-6)
    assert result.coordinate("S")[-1] == pytest.approx(0.5 / slowing, rel=1e-6)
    assert result.friction("S")[[0, -1]] == pytest.approx([-0.5 * 2.0 * G * 0.8, 2.0 * G * 0.6], rel=1e-9)
    assert result.energy.work[-1] == pytest.approx(-0.5 * 0.5 / slowing * 2.0 * G * 0.8, rel=1e-6)


@WAY
def test_a_mass_on_a_steep_incline_turns_round_and_slides_down(way):
    result = pm.simulate(incline("{ mu = 0.5, sticking = true }", rate="1.0"), **way)
    turn = 1.0 / (G * (0.6 + 0.4))
    assert [one.what for one in result.switches] == ["sticks", "slips"]
    assert [one.t for one in result.switches] == pytest.approx([turn, turn], rel=1e-6)
    assert result.rate("S")[-1] == pytest.approx(-G * (0.6 - 0.4) * (1.0 - turn), rel=1e-6)


@WAY
@pytest.mark.parametrize("tangent", [0.198, -0.202, 0.4])
def test_a_screw_locks_itself_where_its_lead_is_less_steep_than_its_friction(way, tangent):
    m, J, r, mu, rate = 2.0, 0.004, 0.05, 0.2, 5.0 if tangent == 0.4 else 0.0
    p = tangent * r

    def gains(s):  # m p a = -m g + lam (1 - s mu p/r), J a = -lam (p + s mu r)
        return np.linalg.solve([[m * p, s * mu * p / r - 1.0], [J, p + s * mu * r]], [-m * G, 0.0])[0]

    text = SCREW.replace("PITCH", str(p)).replace("RATE", str(rate))
    result = pm.simulate(loads(text), **way)
    turn = -rate / gains(1.0) if rate else 0.0
    after, down = np.maximum(result.t - turn, 0.0), 0.0 if abs(tangent) < mu else gains(-np.sign(p))
    before = np.minimum(result.t, turn)
    angle = rate * before + 0.5 * gains(1.0) * before**2 + 0.5 * down * after**2
    np.testing.assert_allclose(result.coordinate("S"), angle, rtol=0, atol=1e-8 if "formulation" not in way else 5e-7)
    if down == 0.0:
        assert not result.switches
        np.testing.assert_allclose(result.friction("S"), m * G * p, rtol=1e-9)
        np.testing.assert_allclose(result.reaction("S", "nut")[:, 2], m * G, rtol=1e-9)
    else:
        assert [one.what for one in result.switches] == (["sticks", "slips"] if rate else ["slips"])


# -- the plane ---------------------------------------------------------------------------------------------------------


@WAY
@pytest.mark.parametrize("more", ["", ", mu_static = 0.5, stribeck = 0.02"], ids=["coulomb", "stribeck"])
def test_a_pendulum_in_a_journal_swings_out_as_in_the_plane(way, more):
    text = PENDULUM.replace("FRICTION", f"{{ mu = 0.3, radius = 0.1, sticking = true{more} }}")
    flat = pm.simulate(loads(text))
    assert len(flat.switches) > 15
    check_as_in_the_plane(pm.simulate(in_space(text), **way), flat, "O", 1e-6)


@WAY
def test_a_mass_on_a_moving_belt_sticks_and_slips_as_in_the_plane(way):
    flat = pm.simulate(loads(BELT))
    assert [one.what for one in flat.switches] == ["slips", "sticks"] * 3
    check_as_in_the_plane(pm.simulate(in_space(BELT), **way), flat, "S", 1e-7)


@WAY
def test_a_block_on_a_block_that_is_shaken_sticks_and_slips_as_in_the_plane(way):
    flat = pm.simulate(loads(TWO), integrator="ida")
    assert {one.part for one in flat.switches} == {"P", "Q"} and len(flat.switches) > 20
    result = pm.simulate(in_space(TWO), **way)
    check_as_in_the_plane(result, flat, "P", 1e-6)
    check_as_in_the_plane(result, flat, "Q", 1e-6)


# -- stops -------------------------------------------------------------------------------------------------------------


@WAY
def test_a_mass_slides_into_a_stop_and_rests_against_it_as_in_the_plane(way):
    text = ON_STOP.replace("LAW", "mu = 0.3, sticking = true")
    flat, result = pm.simulate(loads(text), rtol=1e-10), pm.simulate(in_space(text), rtol=1e-10, **way)
    assert [one.what for one in flat.switches] == ["sticks", "slips", "closes", "sticks"]
    check_as_in_the_plane(result, flat, "S", 1e-8)
    np.testing.assert_allclose(result.force("end", "effort"), flat.force("end", "effort"), rtol=0, atol=1e-8)


@QUICK
def test_a_stop_carries_a_mass_that_friction_carries_when_it_is_pulled_off_and_cannot_hold_for_ever(way):
    push = '{ type = "table", t = [0, 2, 4], value = [0, -8, 32], interpolation = "linear" }'
    text = ON_STOP.replace("S = 1.0", "S = 0.0").replace("-1.0 }", "0.0 }").replace("LAW", "mu = 0.8, sticking = true")
    text += f'forces.push = {{ type = "motor", joint = "S", effort = {push} }}\n'
    result = pm.simulate(in_space(text), duration=3.7, **way)
    left, most = 2.0 * G * 0.6 - np.interp(result.t, [0, 2, 4], [0, -8, 32]), 0.8 * 2.0 * G * 0.8
    assert [(one.part, one.what) for one in result.switches[-2:]] == [("end", "opens"), ("S", "slips")]
    when = [2.0 + (8.0 + 2.0 * G * 0.6 + more) / 20.0 for more in (0.0, most)]
    np.testing.assert_allclose([one.t for one in result.switches[-2:]], when, rtol=1e-6)
    np.testing.assert_allclose(result.force("end", "effort"), np.maximum(left, 0.0), atol=1e-6)
    np.testing.assert_allclose(result.friction("S"), np.clip(left, -most, 0.0), atol=1e-6)


# -- loops -------------------------------------------------------------------------------------------------------------


@QUICK
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_four_bar_that_rests_starts_at_the_moment_of_statics(way, sense):
    middle = 0.5 * (limits(1.0) + limits(-1.0))
    effort = f'{{ type = "linear", offset = {middle}, rate = {sense} }}'
    text = PINS.replace("LAW", "mu = 0.3, sticking = true").replace("DURATION", "1.5")
    text += f'forces.push = {{ type = "motor", joint = "A", effort = {effort} }}\n'
    duration = abs(limits(sense) - middle) + 0.02
    result = pm.simulate(in_space(text), duration=duration, samples=21, **way)
    starts = abs(limits(sense) - middle)
    first = result.switches[:4]
    assert {(one.part, one.what) for one in first} == {(joint, "slips") for joint in "ABCD"}
    np.testing.assert_allclose([one.t for one in first], starts, rtol=1e-9 if way["integrator"] != "ida" else 1e-6)
    before = result.t < starts
    shares = []
    for joint, on in (("A", "crank"), ("B", "rod"), ("C", "rocker"), ("D", "rocker")):
        load = np.linalg.norm(result.reaction(joint, on)[:, :2], axis=1)
        shares.append(np.abs(result.friction(joint) / (0.3 * RADII[joint] * load))[before])
    for share in shares:  # of what each can hold
        np.testing.assert_allclose(share, shares[0], atol=1e-9)
        assert np.all(share < 1.0)


@QUICK
def test_a_four_bar_whose_pins_all_stick_swings_out_as_in_the_plane(way):
    text = PINS.replace("LAW", "mu = 0.3, mu_static = 0.4, sticking = true").replace("DURATION", "0.45")
    flat, result = (
        pm.simulate(of, rtol=1e-10, samples=19, **by) for of, by in ((loads(text), {}), (in_space(text), way))
    )
    assert len(flat.switches) == 8
    for joint in "ABCD":
        check_as_in_the_plane(result, flat, joint, 1e-8)


@WAY
def test_friction_turns_round_at_dead_points_with_what_a_driver_moves(way):
    text = CRANK.replace("LAW", "mu = 0.15, sticking = true")
    text += (
        'drivers.m = { joint = "A", motion = { type = "linear", rate = 10 } }\nrun = { duration = 0.7, samples = 29 }\n'
    )
    flat, result = pm.simulate(loads(text), rtol=1e-11), pm.simulate(in_space(text), rtol=1e-11, **way)
    assert [(one.part, one.what) for one in flat.switches] == [("C", "sticks"), ("C", "slips")] * 2
    for joint in "ABC":
        check_as_in_the_plane(result, flat, joint, 1e-9)
    np.testing.assert_allclose(result.effort("m"), flat.effort("m"), rtol=0, atol=1e-9)


@QUICK
def test_a_driver_that_dwells_holds_what_it_drives(way):
    text = CRANK.replace("LAW", "mu = 0.15, sticking = true") + "run = { duration = 2, samples = 21 }\n"
    text += 'drivers.m = { joint = "A", motion = { type = "program", to = [0, 1, 1], times = [0.5, 1.0, 0.5] } }\n'
    flat, result = pm.simulate(loads(text)), pm.simulate(in_space(text), **way)
    assert [(one.part, one.what) for one in result.switches] == [(joint, "slips") for joint in "ABC"]
    np.testing.assert_allclose([one.t for one in result.switches], 0.5, atol=1e-4)
    for joint in "ABC":
        np.testing.assert_allclose(result.friction(joint), flat.friction(joint), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.effort("m"), flat.effort("m"), rtol=0, atol=1e-12)


def test_a_loop_that_swings_out_comes_to_rest_alike_in_both_formulations():
    text = FOUR_BAR.replace("STICKS", "{ mu = 0.3, radius = 0.15, sticking = true }").replace("OTHER", "")
    tree, other, natural = (pm.simulate(loads(text), **way) for way in WAYS)
    assert len(tree.switches) > 3
    for result in (other, natural):
        assert [one.what for one in result.switches] == [one.what for one in tree.switches]
        assert [one.t for one in result.switches] == pytest.approx([one.t for one in tree.switches], abs=1e-5)
        np.testing.assert_allclose(result.friction("A"), tree.friction("A"), rtol=0, atol=1e-3)
        np.testing.assert_allclose(result.reaction("A", "a"), tree.reaction("A", "a"), rtol=0, atol=1e-3)
        assert result.columns().keys() == tree.columns().keys()


# -- files and refusals ------------------------------------------------------------------------------------------------


def test_files_of_models_and_results_keep_it(tmp_path):
    model = incline("{ mu = 0.5, mu_static = 0.76, sticking = true }", rate="1.0")
    assert loads(dumps(model)) == model
    result = pm.simulate(model)
    result.to_csv(tmp_path / "run.csv")
    again = pm.read_result(tmp_path / "run.csv")
    assert again.switches == result.switches
    for name, column in result.columns().items():
        np.testing.assert_array_equal(again.columns()[name], column)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"prismatic"', '"cylindrical"', "which slide along one coordinate"),
        ("axis = [", "drive = { stiffness = 9, rotor = 1 }\naxis = [", 'does not go with a "drive"'),
    ],
)
def test_what_does_not_go_with_it_in_space_is_refused(old, new, said):
    text = INCLINE.replace("FRICTION", "{ mu = 0.5, radius = 0.1, sticking = true }")
    if "cylindrical" not in new:
        text = text.replace("radius = 0.1, ", "")
    text = text.replace("RATE", "0.0").replace("DURATION", "1").replace("initial = { rate = { S = 0.0 } }\n", "")
    with pytest.raises(ModelError, match=said):
        loads(text.replace(old, new, 1))
