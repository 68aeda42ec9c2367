"""Events that switch signals: forces, drivers and motors go on with other ones; against closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import particlemech as pm
from particlemech.model.toml import dumps, loads

WAYS = [
    {"integrator": "explicit"},
    {"integrator": "ida"},
    {"integrator": "ida", "formulation": "absolute"},
]
ways = pytest.mark.parametrize("way", WAYS, ids=str)

SLED = """
points = { B = [0, 0] }
bodies.sled = { points = ["B"], mass = 2, inertia = 0.1, com = [0, 0] }
joints.S = { type = "prismatic", point = "B", axis = [1, 0], bodies = ["ground", "sled"] }
forces.push = { type = "motor", joint = "S", effort = 6 }
events.turn = { when = "B.x > 0.3", do = "switch signal", of = "push", to = { type = "linear", rate = -4, offset = 1 } }
run = { duration = 1.5, samples = 31 }
"""


@ways
def test_a_force_that_is_switched_goes_on_from_the_event(way: dict[str, str]) -> None:
    """F1 = 6 N up to x = 0.3, from there on F2 = 1 - 4 (t - T): T = sqrt(0.2 s^2), v = 3 T."""
    result = pm.simulate(loads(SLED), **way)
    T, late = math.sqrt(0.2), result.t > math.sqrt(0.2)
    (turn,) = result.switches
    assert (turn.part, turn.side, turn.what) == ("turn", "push", "switch signal")
    assert turn.t == pytest.approx(T, rel=1e-9)
    tau = result.t - T
    x = np.where(late, 0.3 + 3 * T * tau + tau**2 / 4 - tau**3 / 3, 1.5 * result.t**2)
    f = np.where(late, 1 - 4 * tau, 6.0)
    np.testing.assert_allclose(result.coordinate("S"), x, atol=2e-9)
    np.testing.assert_allclose(result.force("push"), f, atol=2e-9)
    np.testing.assert_allclose(result.acceleration("B")[:, 0], f / 2, atol=2e-9)
    work = np.where(late, 1.8 + (x - 0.3) * 0 + (2 / 2) * (result.rate("S") ** 2 - (3 * T) ** 2), 6 * x)
    np.testing.assert_allclose(result.energy.work, work, atol=2e-8)
    assert np.max(np.abs(result.energy.error)) < 2e-8
    assert result.events["turn"].force("push")[0] == pytest.approx(6.0)
    assert result.events["turn.after"].force("push")[0] == pytest.approx(1.0)


@ways
def test_a_signal_that_is_no_polynomial_takes_over_and_is_taken_over_from(way: dict[str, str]) -> None:
    """m v = the integral of f over the time since the event, by quadrature."""
    model = loads(f"""
{SLED[: SLED.index("events.turn")]}
events.one = {{ when = "t > 0.4 s", do = "switch signal", of = "push", to = "-3 N * cos(8*t) / (1 + t)" }}
events.two = {{ when = "t > 0.9 s", do = "switch signal", of = "push", to = "2 N * exp(-t)" }}
events.three = {{ when = "t > 1.3 s", do = "switch signal", of = "push", to = 1 }}
run = {{ duration = 1.5, samples = 16 }}
""")
    assert loads(dumps(model)) == model
    result = pm.simulate(model, **way)
    parts = [(0.0, lambda t: 6.0), (0.4, lambda t: -3 * np.cos(8 * t) / (1 + t)), (0.9, lambda t: 2 * np.exp(-t))]
    parts.append((1.3, lambda t: 1.0))
    speed = np.zeros(len(result.t))
    for (begin, f), end in zip(parts, [0.4, 0.9, 1.3, 1.5], strict=True):
        speed += [quad(f, 0.0, max(min(t, end) - begin, 0.0))[0] / 2 for t in result.t]
    np.testing.assert_allclose(result.rate("S"), speed, atol=2e-8)
    within = [(0.65, 1), (1.1, 2), (1.45, 3)]
    seen = pm.simulate(model, samples=301, **way)
    for t, k in within:
        at = int(np.argmin(np.abs(seen.t - t)))
        assert seen.force("push")[at] == pytest.approx(parts[k][1](t - parts[k][0]), abs=1e-8)


@ways
def test_a_force_that_is_switched_again_and_again_swings(way: dict[str, str]) -> None:
    """Between v = 0.8 and 1.4 m/s with +-6 N on 2 kg: a saw-tooth of 0.2 s up and 0.2 s down."""
    model = loads(f"""
{SLED[: SLED.index("events.turn")]}
events.down = {{ when = "S.travel_rate > 1.4 m/s", do = "switch signal", of = "push", to = -6, once = false }}
events.up = {{ when = "S.travel_rate < 0.8 m/s", do = "switch signal", of = "push", to = "6 N", once = false }}
run = {{ duration = 2, samples = 81 }}
""")
    result = pm.simulate(model, **way)
    first = 1.4 / 3
    np.testing.assert_allclose([one.t for one in result.switches], first + 0.2 * np.arange(8), atol=1e-8)
    assert [one.part for one in result.switches] == ["down", "up"] * 4
    phase = np.mod(result.t - first, 0.4)
    saw = np.where(phase < 0.2, 1.4 - 3 * phase, 0.8 + 3 * (phase - 0.2))
    np.testing.assert_allclose(result.rate("S"), np.where(result.t < first, 3 * result.t, saw), atol=5e-8)
    push = np.where((result.t < first) | (phase >= 0.2), 6.0, -6.0)
    away = np.abs(np.mod(result.t - first + 0.1, 0.2) - 0.1) > 1e-6
    np.testing.assert_allclose(result.force("push")[away], push[away], atol=1e-9)


@ways
def test_expressions_may_be_switched_hundreds_of_times(way: dict[str, str]) -> None:
    """Between 0.8 and 1.4 m/s: 6 N cosh(t)^2 - 6 N sinh(t)^2 is 6 N, but no list of segments."""
    same = "6 N * ((exp(t) + exp(-t))^2 - (exp(t) - exp(-t))^2) / 4"
    model = loads(f"""
{SLED[: SLED.index("events.turn")]}
events.down = {{ when = "S.travel_rate > 1.4 m/s", do = "switch signal", of = "push", to = "-{same}", once = false }}
events.up = {{ when = "S.travel_rate < 0.8 m/s", do = "switch signal", of = "push", to = "{same}", once = false }}
run = {{ duration = 24, samples = 97 }}
""")
    result = pm.simulate(model, **way)
    first = 1.4 / 3
    np.testing.assert_allclose([one.t for one in result.switches], first + 0.2 * np.arange(118), atol=2e-6)
    push = np.where((result.t < first) | (np.mod(result.t - first, 0.4) >= 0.2), 6.0, -6.0)
    np.testing.assert_allclose(result.force("push"), push, atol=1e-9)
    np.testing.assert_allclose(result.acceleration("B")[:, 0], push / 2, atol=1e-9)


CART = """
points = { C = [0, 0], B = [0, -1] }
bodies.cart = { points = ["C"], mass = 5, inertia = 0.1, com = [0, 0] }
bodies.bar = { points = ["C", "B"], mass = 3 }
joints.S = { type = "prismatic", point = "C", axis = [1, 0], bodies = ["ground", "cart"] }
joints.C = { type = "revolute", point = "C", bodies = ["cart", "bar"] }
drivers.pull = { joint = "S", motion = { type = "linear", rate = 2.0, offset = 0.1 } }
initial = { rate = { C = 0 } }
events.halt = { when = "C.x > 1.1", do = "switch signal", of = "pull", to = 0 }
run = { duration = 1.0, samples = 21 }
"""


@ways
def test_a_driver_that_stops_at_once_gives_an_impulse(way: dict[str, str]) -> None:
    """A bar of length l hangs on a cart with the speed v that halts: w = m v (l/2)/(m l^2/3) = 3 v/(2 l)."""
    result = pm.simulate(loads(CART), **way)
    (halt,) = result.switches
    assert halt.t == pytest.approx(0.5, rel=1e-9)
    assert (halt.before, halt.after) == (2.0, 0.0)
    late = result.t > 0.51
    np.testing.assert_allclose(result.coordinate("S")[late], 1.1, atol=1e-9)
    np.testing.assert_allclose(result.omega("bar")[late], 3.0, rtol=1e-7)
    lost = 0.5 * 8 * 2.0**2 - 0.5 * (3 / 3) * 3.0**2
    assert halt.lost == pytest.approx(lost, rel=1e-8)
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-8)
    assert np.max(np.abs(result.energy.error)) < 5e-7
    # the cart is held against the centrifugal force of the bar
    turned = result.angle("bar")[late]
    np.testing.assert_allclose(result.effort("pull")[late], -3 * 0.5 * 3.0**2 * np.sin(turned), atol=1e-6)


@ways
def test_a_driver_whose_rate_goes_on_gives_none(way: dict[str, str]) -> None:
    """It goes on from where it is: 1.1 + 2 s - 2 s^2 from the event on, whatever the new motion is at its t = 0."""
    model = loads(CART.replace("to = 0", 'to = "7 m + 2*t - 2*t^2"').replace("rate = { C = 0 }", "rate = { C = 1 }"))
    result = pm.simulate(model, **way)
    (halt,) = result.switches
    assert halt.lost == 0.0 and halt.before == halt.after == 0.0
    s = np.maximum(result.t - 0.5, 0.0)
    np.testing.assert_allclose(
        result.coordinate("S"), np.where(s > 0, 1.1 + 2 * s - 2 * s**2, 0.1 + 2 * result.t), atol=1e-9
    )
    assert result.effort("pull")[-1] != 0.0
    assert np.max(np.abs(result.energy.error)) < 5e-7  # 1.2e-7 by IDA


TABLE = """
gravity = [0, -9.81]
points = { A = [0, 0], B = [0, 0.1] }
bodies.table = { points = ["A"], mass = 5, inertia = 0.1, com = [0, 0] }
bodies.block = { points = ["B"], mass = 1, inertia = 0.1, com = [0, 0.1] }
joints.T = { type = "prismatic", point = "A", axis = [0, 1], bodies = ["ground", "table"] }
joints.G = { type = "prismatic", point = "B", axis = [0, 1], bodies = ["table", "block"] }
joints.end = { type = "stop", joint = "G", lower = 0 }
drivers.lift = { joint = "T", motion = { type = "linear", rate = 3.0 } }
events.halt = { when = "A.y > 0.6", do = "switch signal", of = "lift", to = 0 }
run = { duration = 1.0, samples = 21 }
"""


@ways
def test_what_rests_on_a_table_flies_on_when_that_halts(way: dict[str, str]) -> None:
    """The table stops at t = 0.2; the block, at 3 m/s, does not, and lands 6/9.81 s later."""
    result = pm.simulate(loads(TABLE), **way)
    halt, opens, lands = result.switches[1:4]
    assert (halt.what, opens.what, lands.what) == ("switch signal", "opens", "closes")
    assert halt.lost == pytest.approx(0.5 * 5 * 9.0, rel=1e-8)
    assert lands.t == pytest.approx(0.2 + 6 / 9.81, rel=1e-7)
    tau = np.clip(result.t - 0.2, 0.0, 6 / 9.81)
    np.testing.assert_allclose(result.coordinate("G"), 3 * tau - 0.5 * 9.81 * tau**2, atol=2e-8)


MOTOR = """
points = { O = [0, 0], P = [0.1, 0] }
bodies.rotor = { points = ["O", "P"], mass = 1, inertia = 0.02, com = [0, 0] }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rotor"] }
forces.motor = { type = "dc_motor", joint = "O", voltage = 12, resistance = 2, constant = 0.3 }
events.cut = { when = "O.angle_rate > 20 rad/s", do = "switch signal", of = "motor", to = 0 }
run = { duration = 2.0, samples = 41 }
"""


@ways
def test_a_motor_whose_voltage_is_cut_brakes(way: dict[str, str]) -> None:
    """w = V/k (1 - exp(-t/T)) up to 20 rad/s, from there on 20 exp(-(t - t0)/T), T = J R/k^2."""
    result = pm.simulate(loads(MOTOR), **way)
    T = 0.02 * 2 / 0.3**2
    t0 = -T * math.log(0.5)
    (cut,) = result.switches
    assert cut.t == pytest.approx(t0, rel=1e-8)
    late = result.t > t0
    speed = np.where(late, 20 * np.exp(-(result.t - t0) / T), 40 * (1 - np.exp(-result.t / T)))
    np.testing.assert_allclose(result.rate("O"), speed, atol=5e-7)
    np.testing.assert_allclose(result.force("motor", "current"), (12 * ~late - 0.3 * speed) / 2, atol=1e-8)
    np.testing.assert_allclose(result.force("motor", "power"), 12 * ~late * (12 - 0.3 * speed) / 2, atol=1e-7)
    assert np.max(np.abs(result.energy.error)) < 1e-6


def test_an_inductance_and_a_setpoint_may_be_switched() -> None:
    """The current of a motor is a state, which goes on; a controller follows its new set-point."""
    slow = MOTOR.replace("constant = 0.3", "constant = 0.3, inductance = 0.1")
    result = pm.simulate(loads(slow))
    before, after = result.events["cut"], result.events["cut.after"]
    assert after.force("motor", "current")[0] == pytest.approx(before.force("motor", "current")[0], rel=1e-12)
    assert after.force("motor", "power")[0] == 0.0 < before.force("motor", "power")[0]
    held = MOTOR.replace(
        'type = "dc_motor", joint = "O", voltage = 12, resistance = 2, constant = 0.3',
        'type = "pid", joint = "O", sensor = "O.angle_rate", setpoint = 30, kp = 0.5, ki = 2',
    ).replace("to = 0", "to = -5")
    result = pm.simulate(loads(held), duration=8.0)
    assert result.rate("O")[-1] == pytest.approx(-5.0, abs=1e-6)
    assert result.force("motor", "error")[-1] == pytest.approx(0.0, abs=1e-6)


def test_two_events_at_one_instant_act_in_the_order_of_the_model() -> None:
    over = 'events.over = { when = "B.x > 0.3", do = "switch signal", of = "push", to = 2 }'
    model = loads(SLED.replace("run = {", f"{over}\nrun = {{"))
    result = pm.simulate(model)
    assert [one.part for one in result.switches] == ["turn", "over"]
    assert result.force("push")[-1] == 2.0


TO = '{ type = "linear", rate = -4, offset = 1 }'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('of = "push"', 'of = "pusch"', 'no driver or force is called "pusch" .did you mean "push"'),
        ('of = "push", ', "", '"switch signal" needs the key "of"'),
        (f", to = {TO}", "", '"switch signal" needs the key "to"'),
        ('of = "push"', 'of = "push", joint = "S"', '"switch signal" takes no key "joint"; take it out'),
        ('of = "push"', 'of = "push", signal = "voltage"', 'is a motor, it has no signal "voltage"; it has effort'),
        ("offset = 1 }", 'offset = "1 Nm" }', "a force is wanted"),
        (TO, '"3 m/s"', "got a speed where a force is wanted"),
        (TO, '"3 rad * sin(t)"', "got an angle where a force is wanted"),
        (TO, "[1, 2]", 'effort of "push" is one signal, got a list'),
        (TO, "{ type = 'table', t = [0, 1], value = [0, 2] }", "lasts for 1 s, the run for 1.5 s"),
        (TO, "{ type = 'tabel', t = [0, 1], value = [0, 2] }", 'type "tabel" unknown'),
    ],
)
def test_bad_switches_are_told_in_one_line(old: str, new: str, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said) as caught:
        pm.simulate(loads(SLED.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


def test_signals_with_components_and_motions_are_checked_as_their_parts_check_them() -> None:
    """A load has two components; a motion must not jump within itself."""
    load = SLED.replace('type = "motor", joint = "S", effort = 6', 'type = "load", body = "sled", force = [6, 0]')
    with pytest.raises(pm.ModelError, match='force of "push" is a list of signals, one for each axis, got one'):
        loads(load)
    result = pm.simulate(loads(load.replace(TO, f"[{TO}, '3 N']")))
    np.testing.assert_allclose(result.force("push")[-1], [1 - 4 * (1.5 - math.sqrt(0.2)), 3.0], rtol=1e-8)
    with pytest.raises(pm.ModelError, match="jumps and cannot be followed"):
        loads(CART.replace("to = 0", 'to = { type = "step", time = 0.1, before = 0, after = 1 }'))


@ways
def test_what_sticks_slips_when_its_load_is_switched(way: dict[str, str]) -> None:
    """A block of 2 kg on a floor, mu = 0.3: 5 N move nothing, 10 N from 0.5 s on move it with (10 - 0.6 g)/2."""
    model = loads("""
gravity = [0, -9.81]
points = { B = [0, 0] }
bodies.block = { points = ["B"], mass = 2, inertia = 0.1, com = [0, 0] }
[joints.S]
type = "prismatic"
point = "B"
axis = [1, 0]
bodies = ["ground", "block"]
friction = { mu = 0.3, sticking = true }
[forces]
push = { type = "motor", joint = "S", effort = 5 }
[events]
more = { when = "t > 0.5 s", do = "switch signal", of = "push", to = 10 }
[run]
duration = 1.0
samples = 21
""")
    result = pm.simulate(model, **way)
    assert [(one.what, round(one.t, 9)) for one in result.switches] == [("switch signal", 0.5), ("slips", 0.5)]
    s = np.maximum(result.t - 0.5, 0.0)
    np.testing.assert_allclose(result.coordinate("S"), 0.5 * (10 - 0.6 * 9.81) / 2 * s**2, atol=1e-9)
    assert np.max(np.abs(result.energy.error)) < 1e-8
    on = {"more": {"to": pm.signals.Linear(rate=1.0)}}
    pull = pm.drivers.Coordinate(joint="S", motion=0.0)
    pulled = {"forces": {"push": None}, "drivers": {"push": pull}, "events": on}
    result = pm.simulate(model.replaced(**pulled), **way)
    np.testing.assert_allclose(result.coordinate("S"), s, atol=1e-9)
    np.testing.assert_allclose(result.effort("push")[result.t > 0.5], 0.6 * 9.81, rtol=1e-7)


def test_what_a_new_run_or_a_lock_would_not_know_is_refused() -> None:
    first = pm.simulate(loads(SLED), samples=4)
    with pytest.raises(pm.ModelError, match='start: event "turn" has switched a signal, which a run from there on'):
        pm.simulate(loads(SLED), start=first)
    assert pm.simulate(loads(SLED), start=first.at(0.0), duration=1.0, samples=3).switches[0].part == "turn"
    bare = loads(SLED[: SLED.index("events.turn")]).replaced(forces={"push": {"effort": 2.0}})
    on = pm.simulate(bare, start=first, duration=0.5, samples=3)  # as it is then
    assert on.rate("S")[-1] == pytest.approx(first.rate("S")[-1] + 0.5, rel=1e-9)
    with pytest.raises(pm.ModelError, match='event "turn": the model has an event of this name'):
        pm.simulate(loads(SLED), events={"turn": lambda t, state: t - 1.0})
    with pytest.raises(pm.ModelError, match='joint "S" is driven by "pull", which would move on; switch that'):
        pm.simulate(loads(CART.replace('do = "switch signal", of = "pull", to = 0', 'do = "lock joint", joint = "S"')))


def test_parameters_of_new_signals_are_swept() -> None:
    model = loads('parameters = { F = { value = "2 N", min = "1 N", max = "5 N" } }\n' + SLED.replace(TO, '"F"'))
    assert model.with_parameters(F="5 N").events["turn"].to.value == 5.0
    found = pm.sweep(model, F=[1.0, 5.0], quantities=["push.effort.last", "S.travel_rate.last"])
    T = math.sqrt(0.2)
    np.testing.assert_allclose(found["push.effort.last"], [1.0, 5.0])
    np.testing.assert_allclose(found["S.travel_rate.last"], 3 * T + np.array([1.0, 5.0]) / 2 * (1.5 - T), rtol=1e-8)
    with pytest.raises(pm.ModelError, match='event "turn": key "to": "F": got a length where a force is wanted'):
        loads('parameters = { F = "2 mm" }\n' + SLED.replace(TO, '"F"'))
