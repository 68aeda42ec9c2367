"""Variants on the steps of a mechanism: alone and in a batch to the last bit, and steps that are too long for one."""

import pytest

import particlemech as pm
from particlemech.design.asking import Asked
from particlemech.design.frozen import Steps
from particlemech.design.variables import unbounded, variables, varied
from particlemech.errors import SimulationError
from particlemech.model import toml

# model, its duration, numbers to change, quantities
SQUEEZER = "forces.motor.torque.value", "bodies.K7.mass", "points.F.x", "points.E.y"
CASES = [
    ("andrews_squeezer", 0.02, SQUEEZER, ("crank.angle[-1]", "F.x.max", "K4.omega")),
    ("four_bar", 0.4, ("crank", "rocker"), ("C.x", "B.v.max")),
    ("theo_jansen", 0.6, ("a", "c", "m"), ("motor.effort.max", "F.y.range")),
    ("double_pendulum", 1.0, ("bodies.upper.mass", "gravity.y"), ("B.x[-1]",)),
]


def neighbours(model, paths):
    mechanism = unbounded(pm.models.load(model))
    every = variables("test", mechanism, [path for path in paths if "." in path or path in mechanism.parameters])
    return mechanism, [varied(mechanism, (one,), (one.value + h * one.size,)) for one in every for h in (1e-5, -1e-5)]


@pytest.mark.parametrize(("model", "duration", "paths", "figures"), CASES, ids=[case[0] for case in CASES])
def test_variants_in_a_batch_have_the_quantities_of_single_runs_to_the_last_bit(model, duration, paths, figures):
    mechanism, variants = neighbours(model, paths)
    steps = Steps(mechanism, {"duration": duration, "samples": 21, "rtol": 1e-10}, None)
    asked = Asked("test", figures, "run", {})
    for _ in range(2):  # what did not fit the first tape has one of its own from then on
        found = steps.together(asked, variants)
    assert sorted(found) == list(range(len(variants)))
    for k, variant in enumerate(variants):
        alone = asked.of_variant(variant, steps.run)
        assert all((found[k][name] == alone[name]).all() for name in asked.names)


TURNED = """
format = 1
name = "Rod that is turned and pushed"
gravity = [0.0, -9.81]
[parameters]
tau = "0.31 s"
M = "2 kg"
[points]
O = [0.0, 0.0]
A = [1.0, 0.0]
B = [1.0, -0.5]
[bodies.arm]
points = ["O", "A"]
mass = 1.0
[bodies.rod]
points = ["A", "B"]
mass = "M"
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "arm"]
[joints.A]
type = "revolute"
point = "A"
bodies = ["arm", "rod"]
[drivers]
motor = { joint = "O", motion = { type = "cycloid", end = 1.0, duration = "tau" } }
[forces.push]
type = "torque"
bodies = ["ground", "rod"]
torque = { type = "step", after = 3.0, time = 0.4 }
"""


def test_legs_whose_ends_move_with_a_number_are_divided_as_they_were():
    mechanism = toml.loads(TURNED)
    every = variables("test", mechanism, ["tau", "M"])
    variants = [varied(mechanism, (one,), (one.value + h,)) for one in every for h in (1e-5, -1e-5)]
    steps = Steps(mechanism, {"duration": 0.8, "samples": 9, "rtol": 1e-10}, None)
    asked = Asked("test", ["B.x", "motor.effort"], "run", {})
    assert len(steps.legs) == 3  # to the end of the turn, of the pause before the push, and of the run
    found = steps.together(asked, variants)
    assert sorted(found) == [0, 1, 2, 3]
    for k, one in enumerate(variants):
        alone = asked.of_variant(one, steps.run)
        assert all((found[k][name] == alone[name]).all() for name in asked.names)


def test_what_is_no_curve_of_a_run_is_left_to_single_runs():
    mechanism, variants = neighbours("double_pendulum", ("bodies.upper.mass",))
    steps = Steps(mechanism, {"duration": 0.2, "samples": 5, "rtol": 1e-10}, None)
    for wanted in (["energy_error"], [lambda result: result["B"][-1, 0]], ["modes.omega[0]"], ["B.ax[-1]"]):
        assert steps.together(Asked("test", wanted, "run", {}), 2 * variants) == {}


def test_steps_that_are_too_long_for_a_variant_say_so():
    """At a thousand times the stiffness the mechanism needs shorter ones."""
    mechanism = pm.models.load("andrews_squeezer")
    steps = Steps(mechanism, {"duration": 0.02, "samples": 3, "rtol": 1e-6}, None)
    stiff = mechanism.replaced(forces={"spring": {"stiffness": 4.53e8}})
    with pytest.raises(SimulationError, match="is too long: it was chosen for other numbers"):
        steps.run(stiff)
    asked = Asked("test", ["crank.angle"], "run", {})
    assert sorted(steps.together(asked, [mechanism, stiff, mechanism, stiff])) == [0, 2]
