"""Contacts: balls and corners on lines and circles; against closed forms, both integrators, both formulations."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import dumps, loads

G = 9.81
WAYS = [
    {"integrator": "explicit"},
    {"integrator": "ida"},
    {"integrator": "ida", "formulation": "absolute"},
]
FALLING = """
gravity = [0, -9.81]
points = { O = [0, 0], C = [0, 1.2] }
bodies.ball = { points = ["C"], mass = 2, com = [0, 1.2], inertia = 0.05 }
joints.floor = { type = "contact", bodies = ["ground", "ball"], points = ["O", "C"], axis = [1, 0], radius = 0.2, \
restitution = 0.6 }
initial = { velocity = { C = [0.5, 0] }, omega = { ball = 3 } }
run = { duration = 3, samples = 61 }
"""


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_ball_bounces_on_a_smooth_floor_and_slides_on_where_it_rests(way: dict[str, str]) -> None:
    result = pm.simulate(loads(FALLING), **way)
    fall = math.sqrt(2.0 / G)
    struck = [s.t for s in result.switches if s.what == "impact"]
    n = min(len(struck), 6)
    wanted = fall * (1.0 + 2.0 * np.cumsum([0.0, *(0.6**k for k in range(1, n))]))
    np.testing.assert_allclose(struck[:n], wanted, rtol=1e-6 if way["integrator"] == "ida" else 1e-9)
    assert result.switches[-1].t == pytest.approx(fall * (1.0 + 2.0 * 0.6 / 0.4), rel=1e-6)
    np.testing.assert_allclose(result["C"][:, 0], 0.5 * result.t, atol=1e-8)
    np.testing.assert_allclose(result.omega("ball"), 3.0, atol=1e-8)
    assert result["C"][-1, 1] == pytest.approx(0.2, abs=1e-9)
    assert result.force("floor")[-1] == pytest.approx(2.0 * G, rel=1e-8)
    assert result.force("floor", "gap").min() > -1e-8


def test_the_end_of_a_rod_on_a_smooth_floor_has_the_impulse_of_the_closed_form() -> None:
    """A level rod is struck at one end: p = m v (1 + e)/(1 + m a^2/I) = m v (1 + e)/4, a half its length."""
    model = loads("""
points = { O = [0, 0], A = [0, 0.1], B = [1, 0.1] }
bodies.rod = { points = ["A", "B"], mass = 3 }
joints.edge = { type = "contact", bodies = ["ground", "rod"], points = ["O", "A"], axis = [1, 0], restitution = 0.5 }
initial = { velocity = { A = [0, -2], B = [0, -2] } }
run = { duration = 0.06, samples = 7 }
""")
    for way in WAYS:
        result = pm.simulate(model, **way)
        (one,) = result.switches
        assert one.t == pytest.approx(0.05, rel=1e-9)
        assert one.impulse == pytest.approx(3.0 * 2.0 * 1.5 / 4.0, rel=1e-7)
        assert result.omega("rod")[-1] == pytest.approx(-one.impulse * 0.5 / (3.0 / 12.0), rel=1e-7)
        assert result.com_velocity("rod")[-1, 1] == pytest.approx(-2.0 + one.impulse / 3.0, rel=1e-7)


def test_two_balls_meet_as_newton_says() -> None:
    model = loads("""
points = { A = [0, 0], B = [2, 0.1] }
bodies.a = { points = ["A"], mass = 1, com = [0, 0], inertia = 0.01 }
bodies.b = { points = ["B"], mass = 3, com = [2, 0.1], inertia = 0.03 }
joints.hit = { type = "contact", bodies = ["a", "b"], points = ["A", "B"], radii = [0.2, 0.3], restitution = 0.8 }
initial = { velocity = { A = [4, 0], B = [1, 0] } }
run = { duration = 1.0, samples = 11 }
""")
    for way in WAYS:
        result = pm.simulate(model, **way)
        (one,) = result.switches
        apart = math.sqrt(0.5**2 - 0.1**2)  # along x when they meet
        assert one.t == pytest.approx((2.0 - apart) / 3.0, rel=1e-8)
        n = np.array([apart, 0.1]) / 0.5
        p = 1.8 * 3.0 * n[0] * (1.0 * 3.0 / 4.0)
        np.testing.assert_allclose(result.velocity("A")[-1], np.array([4.0, 0.0]) - p * n, rtol=1e-7)
        np.testing.assert_allclose(result.velocity("B")[-1], np.array([1.0, 0.0]) + p / 3.0 * n, rtol=1e-7)
        np.testing.assert_allclose(result.momentum.linear[-1], result.momentum.linear[0], atol=1e-10)


def test_a_ball_leaves_a_sphere_at_the_angle_of_the_closed_form() -> None:
    """A point slides down a smooth circle from its top and leaves it where cos(phi) = 2/3 + v^2/(3 g R)."""
    model = loads("""
gravity = [0, -9.81]
points = { O = [0, 0], P = [0, 1] }
bodies.mass = { points = ["P"], mass = 0.5, com = [0, 1], inertia = 0.1 }
joints.dome = { type = "contact", bodies = ["ground", "mass"], points = ["O", "P"], radii = [1, 0] }
initial = { velocity = { P = [1, 0] } }
run = { duration = 1.0, samples = 101 }
""")
    for way in WAYS:
        result = pm.simulate(model, **way)
        leaves = result.events["dome"]
        assert [s.what for s in result.switches] == ["closes", "opens"]
        at = leaves["P"][-1]
        assert at[1] == pytest.approx(2.0 / 3.0 + 1.0 / (3.0 * G), rel=1e-6)
        on = result.t < result.switches[-1].t
        height = result["P"][on, 1]
        speed2 = 1.0 + 2.0 * G * (1.0 - height)
        np.testing.assert_allclose(result.force("dome")[on], 0.5 * (G * height - speed2), atol=1e-5)
        np.testing.assert_allclose(result.force("dome")[~on], 0.0, atol=1e-12)


def test_a_point_inside_a_ring_stays_inside() -> None:
    """It slides down the inside of a ring: N = m (3 g cos(phi)) from level."""
    model = loads("""
gravity = [0, -9.81]
points = { O = [0, 0], P = [-1, 0] }
bodies.mass = { points = ["P"], mass = 0.5, com = [-1, 0], inertia = 0.1 }
joints.ring = { type = "contact", bodies = ["ground", "mass"], points = ["O", "P"], radii = [1, 0], internal = true }
run = { duration = 1.0, samples = 51 }
""")
    for way in WAYS[:2]:
        result = pm.simulate(model, **way)
        np.testing.assert_allclose(result.force("ring"), -3.0 * 0.5 * G * result["P"][:, 1], atol=1e-5)
        np.testing.assert_allclose(np.hypot(*result["P"].T), 1.0, atol=1e-8)


def test_a_floor_that_gives_way_throws_a_ball_back_as_an_oscillator() -> None:
    model = loads(FALLING).replaced(joints={"floor": {"restitution": 0.0, "stiffness": 4000.0}})
    w, v = math.sqrt(4000.0 / 2.0), math.sqrt(2.0 * G)
    pressed = (math.pi + 2.0 * math.atan2(G / w, v)) / w
    for way in WAYS:
        result = pm.simulate(model, duration=0.8, samples=401, **way)
        times = [s.t for s in result.switches]
        assert times[0] == pytest.approx(math.sqrt(2.0 / G), rel=1e-7)
        assert times[1] - times[0] == pytest.approx(pressed, rel=1e-6)
        gap, force = result.force("floor", "gap"), result.force("floor")
        np.testing.assert_allclose(force, np.maximum(-4000.0 * gap, 0.0), atol=1e-9)


GIVING = {
    "line": ('points = ["O", "C"], axis = [0, 1], radius = 0.1', [0.5, 0.1]),
    "circle": ('points = ["O", "C"], radii = [0.3, 0.1]', [0.8, 0.0]),
    "ring": ('points = ["O", "C"], radii = [0.9, 0.1], internal = true', [-0.4, 0.0]),
}


@pytest.mark.parametrize("kind", GIVING)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_what_gives_way_with_a_damper_lets_go_before_its_spring_is_free(kind: str, way: dict[str, str]) -> None:
    """g = -v/w e^(-st) sin(wt) until k g + b g' = 0, where tan(wt) = 2 s w/(s^2 - w^2); then it flies.

    What is left in the spring, and what the damper took, are work.
    """
    keys, (x, y) = GIVING[kind]
    k, b, m, v = 2000.0, 20.0, 2.0, -2.0
    model = loads(f"""
points = {{ O = [0, 0], C = [{x}, {y}] }}
bodies.ball = {{ points = ["C"], mass = {m}, com = [{x}, {y}], inertia = 0.05 }}
joints.hit = {{ type = "contact", bodies = ["ground", "ball"], {keys}, stiffness = {k}, damping = {b} }}
initial = {{ velocity = {{ C = [{v}, 0] }} }}
run = {{ duration = 0.4, samples = 401 }}
""")
    result = pm.simulate(model, **way)
    s = 0.5 * b / m
    w = math.sqrt(k / m - s * s)
    lasts = math.atan2(2.0 * s * w, s * s - w * w) / w
    leaves = -v * math.exp(-s * lasts) * (s / w * math.sin(w * lasts) - math.cos(w * lasts))
    (closes, opens) = result.switches
    assert closes.t == pytest.approx(0.4 / 2.0, rel=1e-7)
    assert opens.t - closes.t == pytest.approx(lasts, rel=1e-5)
    assert result.velocity("C")[-1, 0] == pytest.approx(leaves, rel=1e-6)
    gap, t = result.force("hit", "gap"), result.t - closes.t
    on = (t > 1e-6) & (t < lasts)
    np.testing.assert_allclose(gap[on], (v / w * np.exp(-s * t) * np.sin(w * t))[on], atol=1e-8)
    force = result.force("hit")
    assert force.min() >= 0.0
    np.testing.assert_allclose(force[on], (-k * gap - b * result.velocity("C")[:, 0])[on], atol=1e-5)
    left = -v / w * math.exp(-s * lasts) * math.sin(w * lasts)
    assert opens.lost == pytest.approx(0.5 * k * left**2, rel=1e-5)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


def test_a_ball_on_a_ball_that_gives_way_rests_on_it_after_bounces_that_never_end() -> None:
    """Damping makes each bounce smaller; at rest the gap is -m g/k, and it is pressed again where it let go."""
    model = loads("""
gravity = [0, -9.81]
points = { O = [0, 0], C = [0, 0.61] }
bodies.ball = { points = ["C"], mass = 2, com = [0, 0.61], inertia = 0.05 }
joints.hit = { type = "contact", bodies = ["ground", "ball"], points = ["O", "C"], radii = [0.4, 0.2], \
stiffness = 4000, damping = 100 }
run = { duration = 1.5, samples = 16 }
""")
    for way in WAYS:
        result = pm.simulate(model, **way)
        assert result.force("hit", "gap")[-1] == pytest.approx(-2.0 * G / 4000.0, rel=1e-5)
        assert result.force("hit")[-1] == pytest.approx(2.0 * G, rel=1e-5)
        assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("radius = 0.2, radii = [1, 2]", 'needs "radii" of two circles, or the "axis" of a line'),
        ("radius = 0.2, internal = true", "is for two circles"),
        ("radius = 0.2, damping = 2", 'belongs to a "stiffness"'),
        ("radius = -0.2", "must not be negative"),
    ],
)
def test_bad_contacts_are_told_in_one_line(keys: str, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said):
        loads(FALLING.replace("radius = 0.2, restitution = 0.6", keys))


def test_bodies_that_start_in_each_other_are_told_with_numbers() -> None:
    with pytest.raises(pm.ModelError, match=r'joint "floor": "ground" and "ball" start 0.3 m deep in each other; move'):
        pm.simulate(loads(FALLING).replaced(joints={"floor": {"radius": 1.5}}))


@pytest.mark.parametrize("way", [{}, {"formulation": "absolute"}], ids=str)
def test_circles_that_start_in_each_other_are_told_how_deep(way: dict[str, str]) -> None:
    model = loads("""
points = { O = [0, 0], P = [1, 0] }
bodies.ball = { points = ["P"], mass = 1, com = [1, 0], inertia = 0.1 }
joints.balls = { type = "contact", bodies = ["ground", "ball"], points = ["O", "P"], radii = [0.6, 0.6] }
""")
    with pytest.raises(pm.ModelError, match=r'joint "balls": "ground" and "ball" start 0.2 m deep in each other; move'):
        pm.simulate(model, **way)


def test_contacts_are_written_and_read_and_agree_with_the_second_opinion() -> None:
    model = loads(FALLING)
    assert loads(dumps(model)) == model
    found = pm.validate(model.replaced(run={"duration": 1.0}))
    assert found.agreed, str(found)


@pytest.mark.parametrize(
    "keys",
    [
        'points = ["O", "C"], axis = [1, 0], radius = 0.2',
        'points = [[0, -0.3], "C"], radii = [0.3, 0.2]',
        'points = [[0, 1], "C"], radii = [1, 0.2], internal = true',
    ],
    ids=["line", "circle", "inside"],
)
def test_what_gives_way_is_in_the_reactions_too(keys: str) -> None:
    model = loads(f"""
gravity = [0, -9.81]
points = {{ O = [0, 0], C = [0, 0.2] }}
bodies.ball = {{ points = ["C"], mass = 2, com = [0, 0.2], inertia = 0.05 }}
joints.guide = {{ type = "prismatic", point = "C", bodies = ["ground", "ball"], axis = [0, 1] }}
joints.floor = {{ type = "contact", bodies = ["ground", "ball"], {keys}, stiffness = 4000, damping = 100 }}
run = {{ duration = 2, samples = 5 }}
""")
    result = pm.simulate(model)
    np.testing.assert_allclose(result.reaction("floor", on="ball")[-1], [0.0, 2.0 * G], atol=1e-5)
    np.testing.assert_allclose(result.reaction("floor", on="ground")[-1], [0.0, -2.0 * G], atol=1e-5)
    assert result.to_dataframe()["floor.ball.fy"].iloc[-1] == pytest.approx(2.0 * G, abs=1e-5)
