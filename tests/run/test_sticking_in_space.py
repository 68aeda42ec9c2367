"""Joints in space that stick, as events: closed forms, the plane, both formulations and both integrators."""

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.toml import dumps, loads

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "natural"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "natural"])
G = 9.81

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


def incline(friction, rate="0.0", duration="1"):
    return loads(INCLINE.replace("FRICTION", friction).replace("RATE", rate).replace("DURATION", duration))


def in_space(text):
    """Return a planar model in the x-y plane of space; axes of hinges are z."""
    for flat in ("[0, -9.81]", "[0, 0]", "[-1, 0]", "[1, 0]", "[0.5, 0]"):
        text = text.replace(flat, flat[:-1] + ", 0]")
    text = text.replace(" }, 0]", " }, 0, 0]").replace('"revolute",', '"revolute", axis = [0, 0, 1],')
    for inertia in ("0.02", "0.16"):
        text = text.replace(f"inertia = {inertia}", f"inertia = [0.1, 0.1, {inertia}]")
    return loads('kind = "spatial"\n' + text)


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
    result = pm.simulate(incline("{ mu = 0.8, sticking = true }", duration="1000"), **way)
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


# -- loops -------------------------------------------------------------------------------------------------------------


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


def test_joints_that_move_together_are_refused_by_name():
    sticks = "{ mu = 0.3, radius = 0.15, sticking = true }"
    text = FOUR_BAR.replace("STICKS", sticks).replace("OTHER", f", friction = {sticks}").replace("A = 3.0", "A = 0.0")
    with pytest.raises(ModelError, match='"A" and "D", moves together'):
        pm.simulate(loads(text))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"prismatic"', '"cylindrical"', 'in space for "revolute" and "prismatic"'),
        ("axis = [", "drive = { stiffness = 9, rotor = 1 }\naxis = [", 'does not go with a "drive"'),
        ("[0, 0, -9.81]", '[0, 0, -9.81]\ndrivers.d = { joint = "S", motion = 1 }', 'driver "d" moves the joint'),
        ("gravity", 'joints.K = { type = "stop", joint = "S", upper = 1 }\ngravity', 'what joint "K" strikes'),
    ],
)
def test_what_does_not_go_with_it_in_space_is_refused(old, new, said):
    text = INCLINE.replace("FRICTION", "{ mu = 0.5, radius = 0.1, sticking = true }")
    if "cylindrical" not in new:
        text = text.replace("radius = 0.1, ", "")
    text = text.replace("RATE", "0.0").replace("DURATION", "1").replace("initial = { rate = { S = 0.0 } }\n", "")
    with pytest.raises(ModelError, match=said):
        loads(text.replace(old, new, 1))
