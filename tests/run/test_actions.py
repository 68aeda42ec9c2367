"""Events that act: joints locked, freed and taken out, runs that stop; against closed forms."""

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
ROTOR = """
points = { O = [0, 0], P = [0.5, 0] }
bodies.arm = { points = ["O", "P"], mass = 2, com = [0.2, 0], inertia = 0.3 }
bodies.rotor = { points = ["P"], mass = 1, com = [0.5, 0], inertia = 0.05 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
joints.P = { type = "revolute", point = "P", bodies = ["arm", "rotor"] }
initial = { rate = { O = 1, P = 20 } }
events.brake = { when = "P.angle > 10 rad", do = "lock joint", joint = "P" }
events.let = { when = "t > 1.0 s", do = "free joint", joint = "P" }
run = { duration = 1.5, samples = 31 }
"""


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_rotor_that_is_locked_shares_its_angular_momentum(way: dict[str, str]) -> None:
    result = pm.simulate(loads(ROTOR), **way)
    lock, free = result.switches
    assert (lock.what, free.what) == ("lock joint", "free joint")
    assert lock.t == pytest.approx(0.5, rel=1e-7) and free.t == pytest.approx(1.0, rel=1e-9)
    arm = 0.3 + 2 * 0.2**2 + 1 * 0.5**2  # with the rotor's mass at P
    common = (arm * 1.0 + 0.05 * 21.0) / (arm + 0.05)
    late = result.t > 0.51
    np.testing.assert_allclose(result.omega("arm")[late], common, rtol=1e-7)
    np.testing.assert_allclose(result.omega("rotor")[late], common, rtol=1e-7)
    lost = 0.5 * (arm * 1.0 + 0.05 * 21.0**2) - 0.5 * (arm + 0.05) * common**2
    assert lock.lost == pytest.approx(lost, rel=1e-7)
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-6)
    assert np.max(np.abs(result.energy.error)) < 1e-6 * lost
    np.testing.assert_allclose(result.momentum.angular, result.momentum.angular[0], rtol=1e-7)
    after = result.events["brake.after"]
    assert after.omega("arm")[0] == pytest.approx(common, rel=1e-7)
    assert result.events["brake"].omega("rotor")[0] == pytest.approx(21.0, rel=1e-7)


def test_a_lock_holds_with_the_moment_of_the_closed_form() -> None:
    """A pendulum is locked at 0.3 rad from level: the lock carries m g a cos(phi), and its effort is a result."""
    model = loads("""
gravity = [0, -9.81]
points = { O = [0, 0], B = [1, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
events.latch = { when = "O.angle < -0.3 rad", do = "lock joint", joint = "O" }
run = { duration = 1.0, samples = 11 }
""")
    for way in WAYS:
        result = pm.simulate(model, **way)
        assert result.angle("rod")[-1] == pytest.approx(-0.3, abs=1e-9)
        assert result.force("latch")[-1] == pytest.approx(3.0 * G * 0.5 * math.cos(0.3), rel=1e-7)
        assert result.force("latch")[0] == 0.0
        assert result.switches[0].lost == pytest.approx(3.0 * G * 0.5 * math.sin(0.3), rel=1e-6)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_what_is_detached_flies_on_a_parabola(way: dict[str, str]) -> None:
    model = loads("""
gravity = [0, -9.81]
points = { O = [0, 0], B = [1, 0], C = [1.5, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
bodies.stone = { points = ["B", "C"], mass = 1 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
joints.B = { type = "revolute", point = "B", bodies = ["rod", "stone"] }
initial = { rate = { O = 4, B = 0 } }
events.release = { when = "B.y > 0.5", do = "detach", joint = "B" }
run = { duration = 1.0, samples = 101 }
""")
    result = pm.simulate(model, **way)
    after = result.events["release.after"]
    t0, r0, v0 = after.t[0], after.com("stone")[0], after.com_velocity("stone")[0]
    late = result.t > t0
    t = result.t[late] - t0
    wanted = r0 + v0 * t[:, None] + np.array([0.0, -0.5 * G]) * t[:, None] ** 2
    np.testing.assert_allclose(result.com("stone")[late], wanted, atol=2e-7)
    np.testing.assert_allclose(result.omega("stone")[late], after.omega("stone")[0], rtol=1e-7)
    np.testing.assert_allclose(result.reaction("B", "stone")[late], 0.0, atol=1e-12)
    assert np.max(np.abs(result.reaction("B", "stone")[~late])) > 1.0
    np.testing.assert_allclose(result.com_velocity("stone")[late][0], v0 + np.array([0.0, -G * t[0]]), atol=1e-6)


def test_a_run_stops_where_an_event_says() -> None:
    model = loads(ROTOR).replaced(events={"brake": {"do": "stop", "joint": None}, "let": None})
    result = pm.simulate(model)
    assert result.t[-1] == pytest.approx(0.5, rel=1e-8) and 'event "brake" ended the run' in result.message


def test_a_pin_that_is_locked_may_strike_a_stop_before() -> None:
    model = loads(ROTOR).replaced(
        joints={"end": pm.joints.Stop(joint="P", upper=8.0, restitution=0.5)},
        events={"brake": {"when": "P.angle_rate < 0"}, "let": None},
    )
    result = pm.simulate(model)
    assert [s.what for s in result.switches] == ["impact", "lock joint"]
    assert result.rate("P")[-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("P.angle > 10 rad", "P.angle", "compares nothing"),
        ("P.angle > 10 rad", "P.angel > 10 rad", "it has angle, angle_rate, x, y, vx, vy"),
        ("P.angle > 10 rad", "Q.angle > 10 rad", '"Q" unknown'),
        ("P.angle > 10 rad", "P.angle > 10 mm", "angle"),
        ('"lock joint", joint = "P"', '"lock joint"', 'needs the key "joint"'),
        ('"lock joint", joint = "P"', '"lock joint", joint = "R"', 'joint "R" unknown'),
        ('"lock joint"', '"shut joint"', "expected one of lock joint"),
    ],
)
def test_bad_events_are_told_in_one_line(old: str, new: str, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said):
        loads(ROTOR.replace(old, new, 1))


def test_events_are_written_and_read() -> None:
    model = loads(ROTOR)
    assert loads(dumps(model)) == model
