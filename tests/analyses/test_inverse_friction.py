"""Efforts against friction where the motion is given: those of runs whose drivers make it, closed forms, jams."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.toml import loads

PLANE = """
gravity = [0, -9.81]
points = { O = [0, 0], A = [0.1, 0], B = [0.45, 0] }
[bodies]
crank = { points = ["O", "A"], mass = 0.8 }
rod = { points = ["A", "B"], mass = 1.2 }
slider = { points = ["B"], mass = 0.5, com = [0.45, 0.0], inertia = 1e-4 }
[joints]
O = { type = "revolute", point = "O", bodies = ["ground", "crank"], friction = { mu = 0.1, radius = 0.01 LAW } }
A = { type = "revolute", point = "A", bodies = ["crank", "rod"], friction = { mu = 0.1, radius = 0.01 LAW } }
B = { type = "revolute", point = "B", bodies = ["rod", "slider"], friction = { mu = 0.1, radius = 0.01 LAW } }
[joints.guide]
type = "prismatic"
point = "B"
bodies = ["ground", "slider"]
axis = [1, 0]
friction = { mu = MU, length = 0.05 LAW }
[drivers]
motor = { joint = "O", motion = { type = "linear", rate = 20.0, offset = 0.3 } }
[run]
duration = 0.1
samples = 11
rtol = 1e-10
"""
SPACE = (
    PLANE.replace("gravity = [0, -9.81]", 'kind = "spatial"\ngravity = [0, -9.81, 0]')
    .replace("O = [0, 0], A = [0.1, 0], B = [0.45, 0]", "O = [0, 0, 0], A = [0.1, 0, 0], B = [0.45, 0, 0]")
    .replace("com = [0.45, 0.0], inertia = 1e-4", "com = [0.45, 0, 0], inertia = [1e-4, 1e-4, 1e-4]")
    .replace('"revolute", point = "O"', '"revolute", axis = [0, 0, 1], point = "O"')
    .replace('"revolute", point = "A"', '"spherical", point = "A"')
    .replace('"revolute", point = "B"', '"universal", axes = [[0, 0, 1], [0, 1, 0]], point = "B"')
    .replace("axis = [1, 0]", "axis = [1, 0, 0]")
)
WORLDS = {"plane": PLANE, "space": SPACE}
SMOOTH, STICKING = ", velocity = 1e-3", ", sticking = true"


def crank(world, law=SMOOTH, mu=0.15):
    return loads(WORLDS[world].replace("LAW", law).replace("MU", repr(mu)))


@pytest.mark.parametrize("world", WORLDS)
def test_the_motor_of_a_slider_crank_that_rubs_everywhere_gives_what_it_gives_in_a_run(world):
    drawn = crank(world)
    run = pm.simulate(drawn)
    found = pm.inverse(drawn, run, actuators=["O"])
    cycle = pm.cycle(drawn, times=run.t)
    without = pm.inverse(crank(world, mu=0.0), run, actuators=["O"]).effort("O")
    assert abs(without - run.effort("motor")).max() > 0.05  # friction has a part
    for effort in (found.effort("O"), cycle.effort("motor"), run.motors(["O"])["O"]):
        assert effort == pytest.approx(run.effort("motor"), rel=1e-9, abs=1e-10)
    assert found.motion.loss("guide") == pytest.approx(run.loss("guide"), rel=1e-9)


@pytest.mark.parametrize("world", WORLDS)
def test_a_motor_elsewhere_changes_the_loads_and_their_friction_with_them(world):
    """A motor that pushes the slider meets its friction; motors with its efforts make the motion again."""
    drawn = crank(world)
    run = pm.simulate(drawn, samples=41)
    found = pm.inverse(drawn, run, actuators=["guide"])
    assert found.motion.t == pytest.approx(run.t)  # and the accelerations, which are looked at
    assert run.motors(["guide"])["guide"] == pytest.approx(found.effort("guide"), rel=1e-12)
    lost = sum(found.motion.loss(name) for name in ("O", "A", "B", "guide"))
    gained = sum(found.motion._energies())  # kinetic and potential
    power = np.gradient(gained, run.t, edge_order=2)
    assert found.effort("guide") * run.rate("guide") - lost == pytest.approx(power, abs=2e-2 * abs(power).max())
    again = pm.simulate(found.replay, rtol=1e-9, samples=5)
    assert again.coordinate("O")[-1] == pytest.approx(run.coordinate("O")[-1], abs=2e-5)


def test_a_block_on_an_incline_needs_its_weight_and_the_friction_of_the_way_it_goes():
    slope, mu, m, g = math.radians(20.0), 0.3, 2.0, 9.81
    text = f"""
gravity = [0, -9.81]
points = {{ C = [0, 0] }}
bodies.block = {{ points = ["C"], mass = 2, com = [0, 0], inertia = 0.1 }}
[joints.S]
type = "prismatic"
point = "C"
bodies = ["ground", "block"]
axis = [{math.cos(slope)!r}, {math.sin(slope)!r}]
friction = {{ mu = {mu}, LAW }}
"""
    for law in ("velocity = 1e-6", "sticking = true"):
        block = loads(text.replace("LAW", law))
        up, down = (
            pm.inverse(block, {"S": 0.0}, rate={"S": v}, acceleration={"S": 1.5}).effort("S")[0] for v in (0.4, -0.4)
        )
        held, rubs = m * (1.5 + g * math.sin(slope)), mu * m * g * math.cos(slope)
        assert (up, down) == pytest.approx((held + rubs, held - rubs), rel=1e-12)
    t = np.array([0.0, 1.0, 2.0])
    turning = pm.inverse(
        block, {"S": [0.0, 0.5, 0.5]}, rate={"S": [0.0, 0.0, 0.0]}, acceleration={"S": [1.5, -1.5, 0.0]}, t=t
    )
    # just after it starts, and turns back; where it rests nothing says what it holds
    wanted = [m * 1.5 + m * g * math.sin(slope) + rubs, -m * 1.5 + m * g * math.sin(slope) - rubs]
    assert turning.effort("S")[:2] == pytest.approx(wanted, rel=1e-12) and np.isnan(turning.effort("S")[2])
    assert "not determined at 1 time(s), first 2 s: joints that stick rest there" in str(turning)
    with pytest.raises(ModelError, match=r"^at t = 2 s joints that stick rest"):
        turning.replay  # noqa: B018
    with pytest.raises(
        ModelError, match=r'^inverse: joint "S" sticks and rests at t = 0 s: what it holds there no motion'
    ):
        pm.inverse(block, {"S": 0.0})


def test_joints_that_stick_slip_by_coulombs_law_in_cycles_as_in_runs():
    drawn = crank("plane", STICKING)
    run = pm.simulate(drawn, duration=0.3, samples=31)
    cycle, found = pm.cycle(drawn, times=run.t), pm.inverse(drawn, run, actuators=["O"])
    assert cycle.effort("motor") == pytest.approx(run.effort("motor"), abs=1e-10)
    assert found.effort("O") == pytest.approx(run.effort("motor"), abs=1e-10)
    assert cycle.loss("guide") == pytest.approx(run.loss("guide"), abs=1e-10)
    assert len(cycle.phases) > 3  # the senses of the run


@pytest.mark.parametrize("world", WORLDS)
def test_joints_that_jam_are_named_with_time_and_place(world):
    jams = crank(world, mu=4.0)
    run = pm.simulate(jams, throw=False)
    cycle = pm.cycle(jams, driver="motor", throw=False)
    assert run.status.value == cycle.status.value == "locked"
    assert cycle.message.startswith('joint "guide" jams at t = 0.034') and 'driver "motor" is at 0.98' in cycle.message
    assert np.isfinite(cycle.effort("motor")).all()
    t = np.linspace(0.0, 0.1, 11)
    with pytest.raises(ModelError, match=r'^inverse: joint "guide" jams at t = 0.04 s: its friction, mu = 4, '):
        pm.inverse(crank("plane", mu=4.0), {"O": 0.3 + 20.0 * t}, t=t, actuators=["O"])


def test_what_friction_leaves_open_is_refused_in_one_line():
    drawn = crank("plane")
    with pytest.raises(ModelError, match=r"^inverse: joints rub, and 2 actuators could share the work of 1 freedom"):
        pm.inverse(drawn, {"O": 0.5}, rate={"O": 20.0}, actuators=["O", "guide"])
    with pytest.raises(ModelError, match=r"^drive cannot make this motion: at t = 0 s something moves freely"):
        pm.inverse(pm.models.load("stick_slip"), pm.simulate(pm.models.load("stick_slip"), duration=0.1, samples=3))
