"""Events in space: signals that are switched, and runs that stop; against closed forms and the second formulation."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import dumps, loads

WAYS = [
    {"integrator": "explicit"},
    {"integrator": "ida"},
    {"formulation": "natural"},
]
ways = pytest.mark.parametrize("way", WAYS, ids=str)

SLED = """
kind = "spatial"
points = { B = [0, 0, 0] }
bodies.sled = { points = ["B"], mass = 2, inertia = [0.1, 0.1, 0.1], com = [0, 0, 0] }
joints.S = { type = "prismatic", point = "B", axis = [0, 0, 1], bodies = ["ground", "sled"] }
forces.push = { type = "motor", joint = "S", effort = 6 }
events.turn = { when = "B.z > 0.3", do = "switch signal", of = "push", to = { type = "linear", rate = -4, offset = 1 } }
run = { duration = 1.5, samples = 31 }
"""


@ways
def test_a_force_that_is_switched_goes_on_from_the_event(way: dict[str, str]) -> None:
    """F1 = 6 N up to z = 0.3, from there on F2 = 1 - 4 (t - T): T = sqrt(0.2 s^2), v = 3 T."""
    model = loads(SLED)
    assert loads(dumps(model)) == model
    result = pm.simulate(model, **way)
    T, late = math.sqrt(0.2), result.t > math.sqrt(0.2)
    (turn,) = result.switches
    assert (turn.part, turn.side, turn.what) == ("turn", "push", "switch signal")
    assert turn.t == pytest.approx(T, rel=1e-9)
    tau = result.t - T
    z = np.where(late, 0.3 + 3 * T * tau + tau**2 / 4 - tau**3 / 3, 1.5 * result.t**2)
    f = np.where(late, 1 - 4 * tau, 6.0)
    np.testing.assert_allclose(result.coordinate("S"), z, atol=5e-9)
    np.testing.assert_allclose(result.force("push"), f, atol=5e-9)
    np.testing.assert_allclose(result.acceleration("B")[:, 2], f / 2, atol=5e-9)
    assert np.max(np.abs(result.energy.error)) < 2e-8
    assert result.events["turn"].force("push")[0] == pytest.approx(6.0)
    assert result.events["turn.after"].force("push")[0] == pytest.approx(1.0)
    assert result.events["turn"].acceleration("B")[0, 2] == pytest.approx(3.0)
    assert result.events["turn.after"].acceleration("B")[0, 2] == pytest.approx(0.5)


CART = """
kind = "spatial"
points = { C = [0, 0, 0], B = [0, 0, -1] }
bodies.cart = { points = ["C"], mass = 5, inertia = [0.1, 0.1, 0.1], com = [0, 0, 0] }
bodies.bar = { points = ["C", "B"], mass = 3 }
joints.S = { type = "prismatic", point = "C", axis = [1, 0, 0], bodies = ["ground", "cart"] }
joints.C = { type = "revolute", point = "C", axis = [0, 1, 0], bodies = ["cart", "bar"] }
drivers.pull = { joint = "S", motion = { type = "linear", rate = 2.0, offset = 0.1 } }
initial = { rate = { C = 0 } }
events.halt = { when = "C.x > 1.1", do = "switch signal", of = "pull", to = 0 }
run = { duration = 1.0, samples = 21 }
"""


@ways
@pytest.mark.parametrize(
    "driver", ["", 'type = "position", point = "C", axis = "x"'], ids=["a driven coordinate", "a row"]
)
def test_a_driver_that_stops_at_once_gives_an_impulse(way: dict[str, str], driver: str) -> None:
    """A bar of length l hangs on a cart with the speed v that halts: w = 3 v/(2 l), as in the plane."""
    result = pm.simulate(loads(CART.replace('joint = "S", motion', f"{driver}, motion") if driver else CART), **way)
    (halt,) = result.switches
    assert halt.t == pytest.approx(0.5, rel=1e-9) and (halt.before, halt.after) == (2.0, 0.0)
    late = result.t > 0.51
    np.testing.assert_allclose(result.coordinate("S")[late], 1.1, atol=1e-9)
    np.testing.assert_allclose(np.abs(result.rate("C")[late]), 3.0, rtol=1e-7)
    lost = 0.5 * 8 * 2.0**2 - 0.5 * (3 / 3) * 3.0**2
    assert halt.lost == pytest.approx(lost, rel=1e-8)
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-8)
    assert np.max(np.abs(result.energy.error)) < 5e-7
    # the cart is held against the centrifugal force of the bar
    lean = result["B"][late, 0] - 1.1
    np.testing.assert_allclose(result.effort("pull")[late], -3 * 0.5 * 3.0**2 * lean, atol=2e-6)


def test_a_loop_whose_crank_halts_is_the_same_in_both_formulations() -> None:
    """The crank of an RSSR linkage with springs stops, swings on, and stops again, with all impulses."""
    model = pm.models.load("rssr")
    (name,) = model.drivers
    rate = float(model.drivers[name].motion.at(0.0)[1])
    joint = model.drivers[name].joint
    period = 2 * math.pi / abs(rate)
    events = {
        "halt": pm.Action(when=f"t > {0.3 * period} s", do="switch signal", of=name, to=0.0),
        "on": pm.Action(
            when=f"t > {0.4 * period} s", do="switch signal", of=name, to=pm.signals.Linear(rate=-0.5 * rate)
        ),
    }
    model = model.replaced(events=events, check={"end": {}, "dof": None})
    one, other = (pm.simulate(model, duration=0.7 * period, samples=29, **way) for way in (WAYS[0], WAYS[2]))
    assert [s.part for s in one.switches] == ["halt", "on"]
    for a, b in zip(one.switches, other.switches, strict=True):
        assert a.lost == pytest.approx(b.lost, rel=1e-6) and a.lost != 0.0
    turned = np.where(one.t < 0.3 * period, one.t, 0.3 * period) - 0.5 * np.maximum(one.t - 0.4 * period, 0.0)
    np.testing.assert_allclose(one.coordinate(joint) - one.coordinate(joint)[0], rate * turned, atol=1e-9)
    assert np.max(np.abs(one.energy.error)) < 1e-7 * one.energy.scale
    size = np.max(np.abs(one.effort(name)))
    away = np.min(np.abs(one.t[:, None] - [s.t for s in one.switches]), axis=1) > 1e-9
    np.testing.assert_allclose(one.effort(name)[away], other.effort(name)[away], atol=1e-5 * size)


def test_a_run_stops_where_an_event_says() -> None:
    model = loads(SLED).replaced(events={"end": pm.Action(when="S.travel > 0.6", do="stop"), "turn": None})
    result = pm.simulate(model)
    assert result.t[-1] == pytest.approx(math.sqrt(0.4), rel=1e-9) and 'event "end" ended the run' in result.message


def test_events_may_act_again_and_again() -> None:
    """Between v = 0.8 and 1.4 m/s with +-6 N on 2 kg: a saw-tooth of 0.2 s up and 0.2 s down."""
    text = f"""
{SLED[: SLED.index("events.turn")]}
events.down = {{ when = "S.travel_rate > 1.4 m/s", do = "switch signal", of = "push", to = -6, once = false }}
events.up = {{ when = "S.travel_rate < 0.8 m/s", do = "switch signal", of = "push", to = "6 N", once = false }}
run = {{ duration = 2, samples = 81 }}
"""
    result = pm.simulate(loads(text))
    np.testing.assert_allclose([one.t for one in result.switches], 1.4 / 3 + 0.2 * np.arange(8), atol=1e-8)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("B.z > 0.3", "B.w > 0.3", "it has x, y, z, vx, vy, vz"),
        ("B.z > 0.3", "sled.angle > 0.3", "in space bodies have no fields; name a point"),
        ('do = "switch signal", of = "push"', 'do = "lock joint", joint = "S"', 'takes no key "to"'),
        ('of = "push"', 'of = "pull"', 'no driver or force is called "pull"'),
    ],
)
def test_bad_events_are_told_in_one_line(old: str, new: str, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said):
        loads(SLED.replace(old, new, 1))


def test_events_that_switch_what_is_taken_out_go_with_it() -> None:
    """Whoever asks what moves without drivers takes these out, and with them the events that switch them."""
    model = loads(CART)
    assert not model.replaced(drivers={"pull": None}).events
    assert pm.check(model).dof == 2
    loop = pm.models.load("rssr")
    (name,) = loop.drivers
    halt = {"halt": pm.Action(when="t > 0.1 s", do="switch signal", of=name, to=0.0)}
    assert pm.check(loop.replaced(events=halt)).dof == pm.check(loop).dof
