"""Stops: bouncing, resting, pendulums between stops; against closed forms, both integrators, both formulations."""

import math
import time
from itertools import pairwise

import numpy as np
import pytest

import particlemech as pm
from particlemech.model import forces, signals
from particlemech.model.toml import dumps, loads

G = 9.81
BALL = """
gravity = [0, -9.81]
points = { P = [0, 1] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 1], inertia = 0.1 }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 1] }
joints.floor = { type = "stop", joint = "guide", lower = -1, restitution = 0.5 }
run = { duration = 2.0, samples = 41 }
"""
PENDULUM = """
gravity = [0, -9.81]
points = { O = [0, 0], B = [1, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
joints.wall = { type = "stop", joint = "O", lower = "-90 deg", restitution = 0.6 }
run = { duration = 4.0, samples = 81 }
"""
WAYS = [
    {"integrator": "explicit"},
    {"integrator": "auto"},
    {"integrator": "ida"},
    {"integrator": "ida", "formulation": "absolute"},
]


def bounces(e: float, n: int, height: float = 1.0) -> np.ndarray:
    """Return the times of the first impacts of a ball let go from a height."""
    fall = math.sqrt(2.0 * height / G)
    return fall * (1.0 + 2.0 * np.cumsum([0.0, *(e**k for k in range(1, n))]))


def after(result: pm.Result, name: str) -> list[float]:
    return [s.t for s in result.switches if s.part == name and s.what in ("impact", "closes")]


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_the_certificate_counts_no_energy_beyond_an_impact_or_the_end(way: dict[str, str]) -> None:
    """Steps of a free fall are as long as the run: what they meet below the floor is no part of it."""
    result = pm.simulate(loads(BALL), **way)
    for found in (result, pm.simulate(loads(BALL), duration=0.4, **way)):
        fallen = 1.0 if found is result else 0.5 * G * 0.4**2
        most = 2.0 * G * fallen
        seen = found.certificate
        assert seen.kinetic == pytest.approx(most, rel=1e-9)
        assert seen.potential_high - seen.potential_low == pytest.approx(most, rel=1e-9)
    half = pm.Event(lambda t, state: state["P"][1] - 0.5, terminal=True)
    ended = pm.simulate(loads(BALL), events={"half": half}, **way).certificate
    assert ended.kinetic == pytest.approx(G, rel=1e-9)
    assert ended.potential_high - ended.potential_low == pytest.approx(G, rel=1e-9)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_ball_bounces_at_the_times_of_the_closed_form_and_rests_at_their_limit(way: dict[str, str]) -> None:
    result = pm.simulate(loads(BALL), **way)
    implicit = way["integrator"] == "ida"
    times = after(result, "floor")
    n = min(len(times) - 1, 6 if implicit else 19)
    np.testing.assert_allclose(times[:n], bounces(0.5, n), rtol=2e-6 if implicit else 1e-10)
    limit = math.sqrt(2.0 / G) * (1.0 + 2.0 * 0.5 / (1.0 - 0.5))
    assert times[-1] == pytest.approx(limit, rel=1e-6 if implicit else 1e-9)
    assert result.switches[-1].what == "closes"
    assert result["P"][-1, 1] == pytest.approx(0.0, abs=1e-9)
    assert result.force("floor")[-1] == pytest.approx(2.0 * G, rel=1e-8)
    assert result.force("floor", "gap")[0] == 1.0


def test_what_impacts_take_away_is_work() -> None:
    result = pm.simulate(loads(BALL))
    lost = sum(s.lost for s in result.switches)
    assert lost == pytest.approx(2.0 * G * 1.0, rel=1e-8)
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-12)
    assert np.max(np.abs(result.energy.error)) < 1e-8 * lost
    first = result.switches[0]
    assert first.before == pytest.approx(-math.sqrt(2.0 * G), rel=1e-10)
    assert first.after == pytest.approx(-0.5 * first.before, rel=1e-14)
    assert first.impulse == pytest.approx(2.0 * 1.5 * math.sqrt(2.0 * G), rel=1e-10)


def test_states_before_and_after_impacts_are_events() -> None:
    result = pm.simulate(loads(BALL))
    before, then = result.events["floor"], result.events["floor.after"]
    assert len(before.t) == len(then.t) == len(result.switches)
    np.testing.assert_allclose(then.velocity("P")[:5, 1], -0.5 * before.velocity("P")[:5, 1], rtol=1e-9)
    np.testing.assert_allclose(before["P"][:5, 1], 0.0, atol=1e-12)


def swing(energy: float, low: float, high: float) -> float:
    """Return the time in which the rod swings from one angle to another; energy = omega^2/2 - (3 g/2) cos(phi)."""
    x, w = np.polynomial.legendre.leggauss(60)
    at = 0.5 * (high - low) * (x + 1.0) + low
    return float(0.5 * (high - low) * w @ (1.0 / np.sqrt(2.0 * (energy + 1.5 * G * np.cos(at)))))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_pendulum_strikes_a_stop_with_the_periods_and_energies_of_the_closed_form(way: dict[str, str]) -> None:
    """A rod let go level meets a stop hanging; it loses 1 - e^2 of its energy each time, I omega^2/2 at the bottom."""
    result = pm.simulate(loads(PENDULUM), rtol=1e-10, **way)
    impacts = [s for s in result.switches if s.what == "impact"]
    tolerance = 1e-6 if way["integrator"] == "ida" else 1e-8
    omega = math.sqrt(3.0 * G)
    for k, one in enumerate(impacts[:4]):
        assert one.before == pytest.approx(-omega * 0.6**k, rel=tolerance)
        assert one.lost == pytest.approx(0.5 * one.before**2 * (1.0 - 0.36), rel=tolerance)
    for one, other in pairwise(impacts[:4]):
        w = one.after
        # out and back: the top is taken out of the integral by sin(phi/2) = sin(top/2) sin(u)
        k = w / (2.0 * math.sqrt(1.5 * G))
        x, weights = np.polynomial.legendre.leggauss(40)
        u = 0.25 * math.pi * (x + 1.0)
        quarter = 0.25 * math.pi * weights @ (1.0 / np.sqrt(1.0 - (k * np.sin(u)) ** 2)) / math.sqrt(1.5 * G)
        assert other.t - one.t == pytest.approx(2.0 * quarter, rel=10.0 * tolerance)


def test_an_elastic_stop_gives_all_energy_back() -> None:
    model = loads(BALL).replaced(joints={"floor": {"restitution": 1.0}})
    result = pm.simulate(model, duration=10.0, samples=21)
    times = after(result, "floor")
    np.testing.assert_allclose(times, math.sqrt(2.0 / G) * (2.0 * np.arange(len(times)) + 1.0), rtol=1e-10)
    assert np.max(np.abs(result.energy.error)) < 1e-8 and len(times) == 11


def test_a_stop_lets_go_when_it_would_have_to_pull() -> None:
    """A mass pressed down by a load that turns round lies on the floor until the load beats its weight."""
    wave = signals.Sine(amplitude=40.0, frequency=0.5 / math.pi)
    model = loads(BALL).replaced(
        joints={"floor": {"lower": 0.0, "restitution": 0.0}},
        forces={"load": forces.Load(body="ball", point="P", force=(0.0, wave))},
    )
    for way in WAYS:
        result = pm.simulate(model, **way)
        lifted = [s for s in result.switches if s.what == "opens"]
        assert lifted[0].t == pytest.approx(math.asin(2.0 * G / 40.0), rel=1e-6)
        lying = result.t < lifted[0].t
        wanted = 2.0 * G - 40.0 * np.sin(result.t[lying])
        np.testing.assert_allclose(result.force("floor")[lying], wanted, atol=1e-6)
        np.testing.assert_allclose(result.force("floor")[~lying], 0.0, atol=1e-12)


def test_gap_and_force_are_never_both_more_than_zero() -> None:
    result = pm.simulate(loads(PENDULUM), samples=301)
    gap, force = result.force("wall", "gap"), result.force("wall")
    assert gap.min() > -1e-9 and force.min() > -1e-9
    assert np.max(np.abs(gap * force)) < 1e-8 and gap.max() > 0.1


def test_stops_that_give_way_push_as_springs_while_they_are_pressed() -> None:
    """A mass falls on a bound of stiffness k and damping 0: half a period of the oscillator about its sag, and up."""
    model = loads(BALL).replaced(joints={"floor": {"restitution": 0.0, "stiffness": 5000.0}})
    w, v = math.sqrt(5000.0 / 2.0), math.sqrt(2.0 * G)
    sag = G / w**2
    phase = math.atan2(sag * w, v)  # x = sag - A cos..: pressed from x = 0 with speed v to x = 0 again
    pressed = (math.pi + 2.0 * phase) / w
    for way in WAYS:
        result = pm.simulate(model, duration=1.6, samples=301, **way)
        times = [s.t for s in result.switches]
        assert times[1] - times[0] == pytest.approx(pressed, rel=1e-6)
        assert times[2] - times[1] == pytest.approx(2.0 * v / G, rel=1e-6)
        during = (result.t > times[0]) & (result.t < times[1])
        wanted = 5000.0 * -result.force("floor", "gap")[during]
        np.testing.assert_allclose(result.force("floor")[during], wanted, rtol=1e-9)
        assert result.force("floor").max() > 400.0
        assert np.max(np.abs(result.energy.error)) < 1e-5


def test_two_stops_struck_at_once_share_the_impulse_as_the_closed_form_says() -> None:
    """Two equal masses on one beam-like carriage: a cart with two coupled sliders meets both stops at one instant."""
    model = loads("""
points = { A = [0, 0], B = [0, 1] }
bodies.a = { points = ["A"], mass = 2, com = [0, 0], inertia = 1 }
bodies.b = { points = ["B"], mass = 3, com = [0, 1], inertia = 1 }
joints.a = { type = "prismatic", bodies = ["ground", "a"], point = "A", axis = [1, 0] }
joints.b = { type = "prismatic", bodies = ["ground", "b"], point = "B", axis = [1, 0] }
joints.first = { type = "stop", joint = "a", upper = 1, restitution = 0.5 }
joints.second = { type = "stop", joint = "b", upper = 2, restitution = 0.25 }
initial = { rate = { a = 1, b = 2 } }
run = { duration = 2, samples = 11 }
""")
    result = pm.simulate(model)
    assert [(s.part, s.what) for s in result.switches] == [("first", "impact"), ("second", "impact")]
    assert [s.t for s in result.switches] == pytest.approx([1.0, 1.0], abs=1e-12)
    assert result.rate("a")[-1] == pytest.approx(-0.5, abs=1e-12)
    assert result.rate("b")[-1] == pytest.approx(-0.5, abs=1e-12)
    assert result.energy.work[-1] == pytest.approx(-0.5 * 2 * 0.75 - 0.5 * 3 * (4.0 - 0.25), rel=1e-12)


def test_a_start_beyond_a_stop_is_refused_with_numbers_and_a_cure() -> None:
    model = loads(BALL).replaced(joints={"floor": {"lower": 0.25}})
    with pytest.raises(pm.ModelError, match=r'joint "floor": joint "guide" starts at 0, 0.25 m beyond lower = 0.25; '):
        pm.simulate(model)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("lower = 1, upper = 0", "must be above lower"),
        ("restitution = 0.5", 'needs "lower", "upper" or both'),
        ("lower = 0, restitution = 1.5", "must lie between 0 and 1"),
        ("lower = 0, damping = 2", 'belongs to a "stiffness"'),
        ("lower = 0, stiffness = 2, restitution = 0.1", "rigid stop"),
        ('lower = 0, coordinate = "angle"', 'no coordinate "angle"'),
    ],
)
def test_bad_stops_are_told_in_one_line(keys: str, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said):
        loads(BALL.replace("lower = -1, restitution = 0.5", keys))


def test_stops_are_written_and_read() -> None:
    model = loads(PENDULUM)
    assert loads(dumps(model)) == model
    assert model.joints["wall"].lower == pytest.approx(-0.5 * math.pi)


def test_a_run_may_go_on_while_a_stop_holds() -> None:
    whole = pm.simulate(loads(BALL), duration=2.0, samples=21)
    part = pm.simulate(loads(BALL), duration=1.6, samples=17)
    rest = pm.simulate(loads(BALL), start=part, duration=0.4, samples=5)
    assert rest.force("floor")[-1] == pytest.approx(whole.force("floor")[-1], rel=1e-9)
    assert len(rest.switches) == 1 and rest.switches[0].what == "closes"


def test_a_thousand_impacts_take_a_second_of_processor_time_at_most() -> None:
    """A measure of order only, as machines differ: 0.75 ms seen beside other work."""
    model = loads(BALL).replaced(joints={"floor": {"restitution": 0.97}})
    pm.simulate(model, duration=0.5)
    began = time.process_time()
    result = pm.simulate(model, duration=40.0, samples=11)
    each = (time.process_time() - began) / len(result.switches)
    assert len(result.switches) > 300 and each < 3e-3


@pytest.mark.parametrize("how", ["restitution = 0.0", "restitution = 0.5", "stiffness = 2e3, damping = 40.0"])
def test_blows_and_stops_that_give_way_count_in_the_efficiency(how):
    result = pm.simulate(loads(BALL.replace("restitution = 0.5", how)), duration=4.0, rtol=1e-9)
    assert result.efficiency() == pytest.approx(0.0, abs=1e-6)  # at rest in the end: all that it gave up is gone


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_a_rod_on_a_stop_carries_its_moment_at_the_pin(kind: str) -> None:
    """Level, of weight m g and length l: m g l/2 at the pin, a quarter of it in the middle."""
    third = {"planar": "", "spatial": ", 0"}[kind]
    model = loads(f"""
kind = "{kind}"
gravity = [0, -9.81{third}]
points = {{ O = [0, 0{third}], B = [0.8, 0{third}] }}
bodies.rod = {{ points = ["O", "B"], mass = 2 }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "rod"]{", axis = [0, 0, 1]" if third else ""} }}
joints.bar = {{ type = "stop", joint = "O", lower = 0 }}
run = {{ duration = 0.1, samples = 3 }}
""")
    result, moment = pm.simulate(model), 2.0 * 9.81 * 0.4
    assert np.ravel(result.transmitted("O", on="rod").moment[-1])[-1] == pytest.approx(moment, rel=1e-9)
    np.testing.assert_allclose(result.internal("rod", n=3).moment[-1, :, 2], [-moment, -moment / 4.0, 0.0], atol=1e-9)
    if kind == "planar":
        assert result.moment("bar", on="rod")[-1] == pytest.approx(moment, rel=1e-9)
        assert result.moment("bar", on="ground")[-1] == pytest.approx(-moment, rel=1e-9)
        return
    with pytest.raises(pm.ModelError, match='joint "bar" is a stop and holds no body; ask for force'):
        result.reaction("bar", on="rod")


def test_rods_that_share_a_load_say_so_beside_a_stop_too() -> None:
    """A table on three parallel legs rests on a stop: what each leg carries along itself is open, its moment is not."""
    model = loads("""
gravity = [0, -9.81]
points = { O = [0, 0], P = [1, 0], Q = [2, 0], A = [0.5, -1], B = [1.5, -1], C = [2.5, -1] }
bodies.a = { points = ["O", "A"], mass = 1 }
bodies.b = { points = ["P", "B"], mass = 1 }
bodies.c = { points = ["Q", "C"], mass = 1 }
bodies.table = { points = ["A", "B", "C"], mass = 3, com = [1.5, -1], inertia = 1 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "a"] }
joints.P = { type = "revolute", point = "P", bodies = ["ground", "b"] }
joints.Q = { type = "revolute", point = "Q", bodies = ["ground", "c"] }
joints.A = { type = "revolute", point = "A", bodies = ["a", "table"] }
joints.B = { type = "revolute", point = "B", bodies = ["b", "table"] }
joints.C = { type = "revolute", point = "C", bodies = ["c", "table"] }
joints.bar = { type = "stop", joint = "O", lower = -0.2 }
run = { duration = 1, samples = 21 }
""")
    result = pm.simulate(model)
    inside = result.internal("a", n=3)
    assert np.isnan(inside.force[:, :, 0]).all()  # along it, in flight and at rest
    at, held = np.arctan2(0.5, 1.0) - 0.2, result.force("bar")[-1]  # from the vertical, l = hypot(0.5, 1)
    assert held == pytest.approx((3.0 * 0.5 + 3.0) * 9.81 * np.hypot(0.5, 1.0) * np.sin(at), rel=1e-6)
    assert inside.moment[-1, 0, 2] == pytest.approx(-held, rel=1e-6)


def test_runs_that_are_joined_where_something_holds_tell_its_closing_once():
    m = pm.models.load("door_closer").replaced(check={"end": {}, "energy": None})
    whole = pm.simulate(m)
    closes = [one for one in whole.switches if one.what == "closes"]
    assert len(closes) == 1
    first = pm.simulate(m, duration=3.5, samples=8)
    assert first.phases[-1].closed
    again = first.joined(pm.simulate(m, start=first, duration=0.5, samples=3))
    assert [(one.part, one.what) for one in again.switches] == [(one.part, one.what) for one in whole.switches]


def test_what_rests_on_a_stop_has_no_cycles():
    resting = """
    gravity = [0, -9.81]
    points = { O = [0, 0], C = [0.5, 0] }
    bodies.b = { points = ["O", "C"], mass = 1 }
    joints.O = { type = "revolute", point = "O", bodies = ["ground", "b"] }
    joints.s = { type = "stop", joint = "O", lower = 0.0, restitution = 0.0 }
    run = { duration = 0.5, samples = 101 }
    """
    span = pm.simulate(loads(resting)).measures().span
    assert span.cycles == 0  # rounding of 1e-45 came back 20 times


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_joints_that_rub_feel_nothing_of_stops_and_contacts_that_are_open(way: dict[str, str]) -> None:
    """A pendulum whose pin rubs bounces, over a floor that it does not reach: no bounce is the last."""
    floor = 'joints.floor = { type = "contact", bodies = ["ground", "rod"], points = [[0, -2], "B"], axis = [1, 0.3] }'
    pin = '"rod"], friction = { mu = 0.2, radius = 0.02, velocity = 0.05 } }'
    result = pm.simulate(loads(PENDULUM.replace('"rod"] }', pin) + floor), duration=3.0, **way)
    blows = [s for s in result.switches if s.part == "wall"]
    assert [s.what for s in blows] == ["impact"] * len(blows) and len(blows) > 2
    assert [s.after for s in blows] == pytest.approx([-0.6 * s.before for s in blows], rel=1e-9)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("blow", ["lock", "impulse"])
def test_what_is_still_pressed_in_pushes_again_after_a_blow(way: dict[str, str], blow: str) -> None:
    """A rotor in a stop of stiffness k and damping c: x = -v/w exp(-d t) sin(w t), let go where k x + c x' = 0.

    It is still in then, and leaves at that speed; a blow takes it after 10 ms, and k |x| is back at once.
    """
    k, c, J, v = 50.0, 2.0, 0.1, 3.0
    d, w = 0.5 * c / J, math.sqrt(k / J - (0.5 * c / J) ** 2)
    gone = (math.pi - math.atan2(c * w, k - c * d)) / w
    x = -v / w * math.exp(-d * gone) * math.sin(w * gone)
    speed, hit = -k * x / c, 0.02 + gone + 0.01
    x += 0.01 * speed
    done = {
        "lock": f'events.lock = {{ when = "t > {hit!r}", do = "lock joint", joint = "O" }}',
        "impulse": f'impulses.hit = {{ body = "rotor", moment = {-J * speed!r}, time = {hit!r} }}',
    }
    model = f"""
    points = {{ O = [0, 0] }}
    bodies.rotor = {{ points = ["O"], mass = 1, com = [0, 0], inertia = {J} }}
    joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "rotor"] }}
    joints.stop = {{ type = "stop", joint = "O", lower = {-0.02 * v}, stiffness = {k}, damping = {c} }}
    initial.omega.rotor = {-v}
    run = {{ duration = 0.3, samples = 7 }}
    {done[blow]}
    """
    result = pm.simulate(loads(model), rtol=1e-9, **way)
    again = result.events["stop.after"]
    assert [s.what for s in result.switches if s.part == "stop"][:3] == ["closes", "opens", "closes"]
    assert again.t[:3] == pytest.approx([0.02, 0.02 + gone, hit], abs=1e-8)
    assert again.force("stop")[2] == pytest.approx(-k * x, rel=1e-7)
