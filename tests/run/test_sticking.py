"""Joints that stick, as events: closed forms, in both formulations and by both integrators."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.friction import Friction
from particlemech.model.toml import dumps, loads

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])
G = 9.81

INCLINE = """
gravity = [0, -9.81]
points = { Q = [0, 0] }
bodies.block = { points = ["Q"], mass = 2.0, com = [0, 0], inertia = 0.02 }
joints.S = { type = "prismatic", point = "Q", bodies = ["ground", "block"], axis = [0.8, 0.6], friction = FRICTION }
initial = { rate = { S = 1.0 } }
run = { duration = DURATION, samples = 11 }
"""

PENDULUM = """
gravity = [0, -9.81]
points = { O = [0, 0], P = [1, 0] }
bodies.rod = { points = ["O", "P"], mass = 2 }
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "rod"]
friction = { mu = 0.3, radius = 0.1, sticking = true }
[run]
duration = 12
samples = 25
"""

BELT = """
gravity = [0, -9.81]
points = { Q = [0, 0], P = [0, 0], A = [-1, 0] }
bodies.belt = { points = ["Q"], mass = 1.0, com = [0, 0], inertia = 0.02 }
bodies.block = { points = ["P"], mass = 2.0, com = [0, 0], inertia = 0.02 }
joints.B = { type = "prismatic", point = "Q", bodies = ["ground", "belt"], axis = [1, 0] }
drivers.belt = { joint = "B", motion = MOTION }
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

# a load beside the line of a guide, which holds itself from mu = length/(2 a) on
GUIDE = """
points = { Q = [0, 0], P = [0.3, 0] }
bodies.block = { points = ["Q", "P"], mass = 1.5, com = [0, 0], inertia = 0.02 }
forces.load = { type = "load", body = "block", point = "P", force = [0, -7] }
run = { duration = 0.5, samples = 6 }
[joints.S]
type = "prismatic"
point = "Q"
bodies = ["ground", "block"]
axis = [0, 1]
friction = { mu = MU, length = 0.12, sticking = true }
"""

TWO = """
gravity = [0, -9.81]
points = { P = [0, 0], Q = [3, 0] }
bodies.p = { points = ["P"], mass = 2.0, com = [0, 0], inertia = 0.02 }
bodies.q = { points = ["Q"], mass = 1.0, com = [3, 0], inertia = 0.02 }
joints.P = { type = "prismatic", point = "P", bodies = ["ground", "p"], axis = [1, 0], friction = FIRST }
joints.Q = { type = "prismatic", point = "Q", bodies = ["p", "q"], axis = [1, 0], friction = SECOND }
initial = { rate = { P = 1.0, Q = 2.0 } }
run = { duration = 2.0, samples = 11 }
"""


@WAY
def test_a_mass_on_an_incline_rests_forever(way):
    text = INCLINE.replace("FRICTION", "{ mu = 0.5, mu_static = 0.8, sticking = true }").replace("DURATION", "100")
    result = pm.simulate(loads(text), **way)
    assert result.status.value == "completed"
    (rest,) = result.switches
    slowing = G * (0.6 + 0.5 * 0.8)
    assert (rest.part, rest.side, rest.what) == ("S", "travel", "sticks")
    assert rest.t == pytest.approx(1.0 / slowing, rel=1e-6)
    assert result.coordinate("S")[-1] == pytest.approx(0.5 / slowing, rel=1e-6)
    assert np.ptp(result.coordinate("S")[1:]) < 1e-12  # it does not creep
    np.testing.assert_allclose(result.friction("S")[1:], 2.0 * G * 0.6, rtol=1e-8)
    assert result.friction("S")[0] == pytest.approx(-2.0 * G * 0.8 * 0.5, rel=1e-8)
    reaction = result.reaction("S", on="block")[-1]
    np.testing.assert_allclose(reaction, [0.0, 2.0 * G], atol=1e-7)  # the guide carries the whole weight
    assert abs(result.loss("S")[-1]) < 1e-20
    assert result.energy.work[-1] == pytest.approx(-0.5 * 0.5 / slowing * 2.0 * G * 0.8, rel=1e-6)


@WAY
def test_a_mass_on_a_steep_incline_turns_round_and_slides_down(way):
    text = INCLINE.replace("FRICTION", "{ mu = 0.5, sticking = true }").replace("DURATION", "1")
    result = pm.simulate(loads(text), **way)
    turn = 1.0 / (G * (0.6 + 0.4))
    assert [one.what for one in result.switches] == ["sticks", "slips"]
    assert [one.t for one in result.switches] == pytest.approx([turn, turn], rel=1e-6)
    assert result.rate("S")[-1] == pytest.approx(-G * (0.6 - 0.4) * (1.0 - turn), rel=1e-6)


@WAY
def test_a_mass_on_a_moving_belt_sticks_and_slips_with_the_period_of_the_closed_form(way):
    result = pm.simulate(loads(BELT.replace("MOTION", '{ type = "linear", rate = 0.1 }')), **way)
    omega, speed, drop = math.sqrt(50 / 2.0), 0.1, (0.3 - 0.2) * 2.0 * G / 50
    first = 0.3 * 2.0 * G / 50 / speed
    slip = 2 / omega * (math.pi - math.atan(omega * drop / speed))
    stick = 2 * drop / speed
    times = np.array([one.t for one in result.switches])
    assert [one.what for one in result.switches] == ["slips", "sticks"] * 3
    wanted = first + np.array([0, slip, slip + stick, 2 * slip + stick, 2 * (slip + stick), 3 * slip + 2 * stick])
    np.testing.assert_allclose(times, wanted, rtol=1e-6)
    assert np.max(np.abs(result.energy.error)) < 1e-7


def swings(n: int) -> list[float]:
    """Return when the pendulum comes to rest, n times, from an integration of its own."""
    m, inertia, c, h, at, angle, found = 2.0, 2.0 / 3.0, 0.5, 0.3 * 0.1, 0.0, 0.0, []

    def rates(t, y, sense):
        theta, omega = y
        across, along, alpha = m * G * math.cos(theta), m * (G * math.sin(theta) - c * omega**2), 0.0
        for _ in range(30):
            alpha = (-c * across - sense * h * math.hypot(m * c * alpha + across, along)) / inertia
        return omega, alpha

    for k in range(n):
        sense = -1.0 if k % 2 == 0 else 1.0

        def rest(t, y, sense, began=at):
            return y[1] if t > began + 1e-3 else sense

        rest.terminal = True
        swing = solve_ivp(
            rates, (at, at + 3.0), [angle, 0.0], "DOP853", events=rest, args=(sense,), rtol=1e-11, atol=1e-12
        )
        at, angle = float(swing.t[-1]), float(swing.y[0, -1])
        found.append(at)
    return found


@WAY
def test_a_pendulum_with_a_rubbing_journal_rests_after_a_finite_number_of_swings(way):
    """At rest the load is the weight: the arm of the weight is within the circle of friction, mu r."""
    result = pm.simulate(loads(PENDULUM), **way)
    assert result.status.value == "completed"
    assert [one.what for one in result.switches] == ["slips", "sticks"] * (len(result.switches) // 2)
    stops = [one.t for one in result.switches if one.what == "sticks"]
    np.testing.assert_allclose(stops, swings(len(stops)), rtol=1e-6)
    rest = result.t > result.switches[-1].t
    assert np.ptp(result.angle("rod")[rest]) < 1e-12 and np.any(rest)
    arm = 0.5 * math.cos(result.angle("rod")[-1])
    assert abs(arm) < 0.3 * 0.1
    np.testing.assert_allclose(result.friction("O")[-1], 2.0 * G * arm, rtol=1e-6)


@WAY
def test_a_guide_holds_a_load_beside_it_from_the_mu_of_the_closed_form_on(way):
    limit = 0.12 / (2 * 0.3)
    held = pm.simulate(loads(GUIDE.replace("MU", f"{limit * 1.001}")), **way)
    assert held.switches == () and np.ptp(held.coordinate("S")) < 1e-15
    assert held.friction("S")[-1] == pytest.approx(7.0, rel=1e-8)
    slides = pm.simulate(loads(GUIDE.replace("MU", f"{limit * 0.9}")), **way)
    assert [(one.what, one.t) for one in slides.switches] == [("slips", 0.0)]
    assert slides.rate("S")[-1] == pytest.approx(-7.0 * (1 - 0.9) / 1.5 * 0.5, rel=1e-6)


@WAY
def test_two_joints_stick_each_in_its_own_time(way):
    """The upper block, on the lower one, slows it less than the ground does: first the lower one rests, then both."""
    text = TWO.replace("FIRST", "{ mu = 0.3, sticking = true }").replace("SECOND", "{ mu = 0.1, sticking = true }")
    result = pm.simulate(loads(text), **way)
    lower = (0.3 * 3.0 - 0.1 * 1.0) * G / 2.0  # what slows the lower one while the upper one slides forward on it
    times = [1.0 / lower, 3.0 / (0.1 * G)]
    assert [(one.part, one.what) for one in result.switches] == [("P", "sticks")]
    assert result.switches[0].t == pytest.approx(times[0], rel=1e-6)
    assert result.rate("Q")[-1] == pytest.approx(3.0 - 0.1 * G * 2.0, rel=1e-6)
    longer = pm.simulate(loads(text.replace("duration = 2.0", "duration = 4.0")), **way)
    assert [(one.part, one.what) for one in longer.switches] == [("P", "sticks"), ("Q", "sticks")]
    assert longer.switches[1].t == pytest.approx(times[1], rel=1e-6)
    assert longer.friction("P")[-1] == pytest.approx(0.0, abs=1e-6)


def test_sticking_comes_back_from_a_file():
    mechanism = loads(PENDULUM)
    assert loads(dumps(mechanism)) == mechanism and "sticking = true" in dumps(mechanism)


@pytest.mark.parametrize(
    ("friction", "said"),
    [
        ("{ mu = 0.0, radius = 0.1, sticking = true }", "with mu = 0 nothing rubs"),
        ("{ mu = 0.3, radius = 0.1, sticking = true, velocity = 0.1 }", "take one of them out"),
        ("{ mu = 0.3, radius = 0.1, sticking = true, mu_static = 0.2 }", "is no less than that of sliding"),
        ("{ mu = 0.3, radius = 0.1, sticking = 1 }", "expected true or false"),
    ],
)
def test_bad_keys_are_refused_by_name(friction, said):
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        loads(PENDULUM.replace("{ mu = 0.3, radius = 0.1, sticking = true }", friction))
    assert 'joint "O"' in str(error.value) and "\n" not in str(error.value)


def test_contacts_do_not_stick():
    contact = """[joints.floor]
type = "contact"
bodies = ["ground", "rod"]
points = [[0, -2], "P"]
axis = [1, 0]
friction = { mu = 0.3, sticking = true }
"""
    with pytest.raises(ModelError, match=r'joint "floor".*"sticking" is for joints with a coordinate'):
        loads(PENDULUM.replace("[run]", contact + "[run]"))


@pytest.mark.parametrize("closure", ["form", "force"])
def test_faces_on_cams_do_not_stick(closure):
    from tests.run.test_cams import machine

    with pytest.raises(ModelError, match=r'^key "friction": "sticking" is for joints with a coordinate.*take it out$'):
        machine("flat", friction=Friction(mu=0.2, sticking=True), closure=closure)
    machine("flat", friction=Friction(mu=0.2), closure=closure)


@pytest.mark.parametrize(
    ("joint", "said"),
    [
        ('type = "gear", bodies = ["one", "two"], points = ["O", "P"], radii = [0.1, 0.2]', 'is its "efficiency"'),
        ('type = "belt", pulleys = ["one", "two"], points = ["O", "P"], radii = [0.1, 0.2]', 'is its "efficiency"'),
        ('type = "rack", bodies = ["one", "two"], points = ["O", "P"], axis = [1, 0]', 'is its "efficiency"'),
        ('type = "distance", bodies = ["one", "two"], points = ["O", "P"]', "a rod with pins at its ends as a body"),
    ],
)
def test_what_loses_without_a_coordinate_does_not_stick_and_says_what_to_write(joint, said):
    model = """
points = { O = [0, 0], P = [0.3, 0] }
bodies.one = { points = ["O"], com = [0, 0], mass = 1, inertia = 0.1 }
bodies.two = { points = ["P"], com = [0.3, 0], mass = 1, inertia = 0.1 }
joints.J = { JOINT, friction = { mu = 0.2, radius = 0.01, sticking = true } }
""".replace("JOINT", joint)
    with pytest.raises(ModelError) as error:
        loads(model)
    assert str(error.value).startswith('joint "J": key ') and said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("way", [{}, {"formulation": "absolute"}], ids=str)
def test_a_gear_that_loses_runs_beside_a_bearing_that_sticks(way: dict[str, str]) -> None:
    """F at the teeth: J2 alpha2 = F (r2 (1 - kappa) - mu r), T = J1 alpha1 + F r1 (1 + kappa), alpha1 = 2 alpha2."""
    model = loads("""
points = { A = [0, 0], B = [0.15, 0] }
bodies.a = { points = ["A"], mass = 1, com = [0, 0], inertia = 0.01 }
bodies.b = { points = ["B"], mass = 2, com = [0.15, 0], inertia = 0.02 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "a"] }
joints.B = { type = "revolute", point = "B", bodies = ["ground", "b"], friction = { mu = 0.2, radius = 0.05, \
mu_static = 0.5, sticking = true } }
joints.mesh = { type = "gear", bodies = ["a", "b"], points = ["A", "B"], radii = [0.05, 0.1], efficiency = 0.9 }
forces.motor = { type = "torque", bodies = ["ground", "a"], torque = 0.5 }
run = { duration = 0.2, samples = 3 }
""")
    result = pm.simulate(model, **way)
    kappa = (1.0 - 0.9) / (1.0 + 0.9)
    arm = 0.1 * (1.0 - kappa) - 0.2 * 0.05
    assert [one.what for one in result.switches] == ["slips"]
    wanted = 0.5 / (0.01 + 0.05 * (1.0 + kappa) * 0.02 / 2.0 / arm)
    assert abs(result.alpha("a")[-1]) == pytest.approx(wanted, rel=1e-7)


@WAY
def test_a_joint_that_rests_within_one_step_is_seen_to_rest(way: dict[str, str]) -> None:
    """a = 2 (t - 1) while it slips, v = (t - 1)^2 - e^2, which is zero at 1 - e; friction holds it until a > 0."""
    e = 0.05
    model = loads(f"""
gravity = [0, -10]
points = {{ P = [0, 0] }}
bodies.block = {{ points = ["P"], mass = 2, com = [0, 0], inertia = 1 }}
[joints.S]
type = "prismatic"
point = "P"
bodies = ["ground", "block"]
axis = [1, 0]
friction = {{ mu = 0.3, sticking = true }}
[forces]
push = {{ type = "motor", joint = "S", effort = "2 * (3 + 2 * (t - 1))" }}
[initial]
rate = {{ S = {1.0 - e**2} }}
[run]
duration = 2
samples = 5
""")
    result = pm.simulate(model, **way)
    assert [one.what for one in result.switches] == ["sticks", "slips"]
    assert [one.t for one in result.switches] == pytest.approx([1.0 - e, 1.0], abs=1e-6)
    assert result["P"][-1, 0] == pytest.approx(2.0 / 3.0 - e**2 + 2.0 * e**3 / 3.0, abs=1e-8)
