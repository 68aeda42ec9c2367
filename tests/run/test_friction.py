"""Friction of joints from their own load: closed forms, an independent integration, and the second formulation."""

from __future__ import annotations

import dataclasses
import math
import re
from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.friction import Friction
from particlemech.model.rubbing import rubbing
from particlemech.model.toml import dumps, loads
from particlemech.run.trajectory import Status

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])
G = 9.81

BLOCK = """
gravity = [0, -9.81]
points = { Q = [0, 0] }
bodies.block = { points = ["Q"], mass = 2.0, com = [0, 0], inertia = 0.02 }
joints.S = { type = "prismatic", point = "Q", bodies = ["ground", "block"], axis = AXIS, friction = FRICTION }
initial = { rate = { S = RATE } }
run = { duration = 0.5, samples = 11, rtol = 1e-11 }
"""

ROD = """
gravity = [0, -9.81]
points = { O = [0, 0], P = [1, 0] }
bodies.rod = { points = ["O", "P"], mass = 2 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"], friction = { mu = 0.2, radius = 0.02 } }
run = { duration = 2, samples = 21, rtol = 1e-11 }
"""

WHEEL = """
gravity = [0, -9.81]
points = { O = [0, 0] }
bodies.wheel = { points = ["O"], mass = 3.0, com = [0, 0], inertia = 0.05 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "wheel"], friction = FRICTION }
initial = { omega = { wheel = 20 } }
run = { duration = 1.0, samples = 11, rtol = 1e-11 }
"""

# a block in a vertical guide, moved at a point beside it
OFFSET = """
points = { Q = [0, 0], P = [0.3, 0] }
bodies.block = { points = ["Q", "P"], mass = 1.0, com = [0, 0], inertia = 0.02 }
joints.S = { type = "prismatic", point = "Q", bodies = ["ground", "block"], axis = [0, 1], friction = FRICTION }
drivers.pull = { type = "position", point = "P", axis = "y", motion = MOTION }
forces.load = { type = "load", body = "block", point = "Q", force = [0, -7] }
run = { duration = 1, samples = 11 }
"""

SLIDER_CRANK = """
gravity = [0, -9.81]
points = { O = [0, 0], A = [0.06, 0.08], B = [0.35, 0] }
bodies.crank = { points = ["O", "A"], mass = 1.0 }
bodies.rod = { points = ["A", "B"], mass = 1 }
bodies.piston = { points = ["B"], mass = 2, com = [0.37, 0.01], inertia = 0.01 }
[joints]
O = { type = "revolute", point = "O", bodies = ["ground", "crank"], friction = { mu = 0.15, radius = 0.02 } }
A = { type = "revolute", point = "A", bodies = ["crank", "rod"], friction = { mu = 0.1, radius = 0.015 } }
B = { type = "revolute", point = "B", bodies = ["rod", "piston"], friction = { mu = 0.1, radius = 0.01 } }
[joints.S]
type = "prismatic"
point = "B"
bodies = ["ground", "piston"]
axis = [1, 0]
friction = { mu = 0.2, length = 0.08, mu_static = 0.3, stribeck = 0.1, viscous = 0.5 }
[drivers.motor]
joint = "O"
motion = { type = "linear", rate = 6.283185307179586 }
[run]
duration = 2
samples = 801
rtol = 1e-9
"""


def close(one, other, share, where):
    """Hold columns of two results against each other, beside the largest of their group."""
    a, b = one.columns(), other.columns()
    for tails in ((".fx", ".fy"), (".x", ".y"), (".effort", ".m"), (".loss",)):
        group = [name for name in a if name.endswith(tails)]
        size = max(float(np.abs(a[name]).max()) for name in group) if group else 0.0
        for name in group:
            assert np.abs(a[name] - b[name]).max() <= share * size, (where, name)


def rubbed(mechanism, friction):
    """Return a mechanism with friction in all its pins."""
    joints = {n: dataclasses.replace(j, friction=friction) if j.dof == 1 and not j.moment else j
              for n, j in mechanism.joints.items()}  # fmt: skip
    return mechanism.replaced(joints=joints)


# -- closed forms ------------------------------------------------------------------------------------------------------


@WAY
def test_a_block_on_an_incline_slides_as_coulomb_says(way):
    angle, mu = math.radians(35.0), 0.3
    axis = f"[{math.cos(angle)!r}, {-math.sin(angle)!r}]"
    text = BLOCK.replace("AXIS", axis).replace("FRICTION", f"{{ mu = {mu}, length = 0.2 }}").replace("RATE", "1.0")
    result = pm.simulate(loads(text), **way)
    a = G * (math.sin(angle) - mu * math.cos(angle))
    t = result.t
    assert np.allclose(result.coordinate("S"), t + 0.5 * a * t**2, rtol=0, atol=1e-9)
    assert np.allclose(result.friction("S"), -mu * 2.0 * G * math.cos(angle), rtol=1e-9)
    along = np.array([math.cos(angle), -math.sin(angle)])
    assert np.allclose(result.reaction("S", on="block") @ along, -mu * 2.0 * G * math.cos(angle), rtol=1e-9)  # total


@WAY
def test_a_moment_presses_a_guide_at_its_two_ends(way):
    text = BLOCK.replace("AXIS", "[1, 0]").replace("FRICTION", "{ mu = 0.3, length = 0.2 }").replace("RATE", "3.0")
    text = text.replace("com = [0, 0]", "com = [0.5, 0]")
    result = pm.simulate(loads(text), **way)
    a = -0.3 * (2.0 / 0.2) * 0.5 * G  # M = m g 0.5 is more than N length/2
    assert np.allclose(result.rate("S"), 3.0 + a * result.t, atol=1e-9) or a * 0.5 < -3.0
    early = result.t < 3.0 / -a
    assert np.allclose(result.rate("S")[early], (3.0 + a * result.t)[early], rtol=0, atol=1e-9)


@WAY
def test_viscous_friction_lets_a_speed_die_away_exponentially(way):
    text = BLOCK.replace("AXIS", "[1, 0]").replace("FRICTION", "{ viscous = 5.0 }").replace("RATE", "2.0")
    result = pm.simulate(loads(text), **way)
    assert np.allclose(result.rate("S"), 2.0 * np.exp(-2.5 * result.t), rtol=1e-9)
    assert np.allclose(result.loss("S"), 5.0 * result.rate("S") ** 2, rtol=1e-12)


@WAY
def test_a_flywheel_runs_down_in_a_straight_line_and_with_a_viscous_part_along_an_exponential(way):
    mu, r, I, W = 0.15, 0.04, 0.05, 3.0 * G
    result = pm.simulate(loads(WHEEL.replace("FRICTION", f"{{ mu = {mu}, radius = {r} }}")), **way)
    assert np.allclose(result.omega("wheel"), 20.0 - mu * r * W / I * result.t, rtol=0, atol=1e-8)
    assert np.allclose(result.moment("O", on="wheel"), -mu * r * W, rtol=1e-9)
    c = 0.02
    result = pm.simulate(loads(WHEEL.replace("FRICTION", f"{{ mu = {mu}, radius = {r}, viscous = {c} }}")), **way)
    rest = mu * r * W / c
    assert np.allclose(result.omega("wheel"), (20.0 + rest) * np.exp(-c / I * result.t) - rest, rtol=0, atol=1e-8)


def test_a_flywheel_stands_still_after_its_run_down_to_five_digits():
    mu, r = 0.15, 0.04
    text = WHEEL.replace("FRICTION", f"{{ mu = {mu}, radius = {r}, velocity = 1e-6 }}")
    result = pm.simulate(loads(text.replace("duration = 1.0", "duration = 8.0").replace("1e-11", "1e-9")))
    stop = 20.0 * 0.05 / (mu * r * 3.0 * G)
    assert stop < 6.0
    assert result.angle("wheel")[-1] == pytest.approx(0.5 * 20.0 * stop, rel=1e-5)
    assert abs(result.omega("wheel")[-1]) < 1e-6 / r


@WAY
def test_a_pendulum_with_a_journal_swings_as_its_own_equation_says(way):
    mechanism = loads(ROD)
    (rub,) = rubbing(mechanism)

    def couple(angle, w):
        """Solve the implicit law for the couple: its load is the reaction that it changes, by bisection."""
        s, c = math.sin(angle), math.cos(angle)
        sigma = 0.2 * 0.02 * math.tanh(0.02 * w * rub.over_velocity)

        def off(tau):
            alpha = (-2.0 * G * 0.5 * c + tau) / (2.0 / 3.0)
            ax, ay = 0.5 * (-s * alpha - c * w * w), 0.5 * (c * alpha - s * w * w)
            return tau + sigma * 2.0 * math.hypot(ax, ay + G), alpha

        low, high = -1.0, 1.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if off(middle)[0] > 0.0 else (middle, high)
        return off(0.5 * (low + high))[1]

    found = solve_ivp(lambda t, y: (y[1], couple(*y)), (0, 2), (0, 0), "DOP853", np.linspace(0, 2, 21), rtol=1e-11,
                      atol=1e-12)  # fmt: skip
    result = pm.simulate(mechanism, **way)
    assert np.allclose(result.angle("rod"), found.y[0], rtol=0, atol=2e-8)


def test_stribeck_points_are_on_the_curve():
    mu, more, over, v_s = 0.1, 0.2, 0.05, 1e-3
    for v in (0.0005, 0.003, 0.05, 0.1, 0.4):
        friction = f"{{ mu = {mu}, mu_static = {mu + more}, stribeck = {over}, velocity = {v_s}, length = 1 }}"
        text = BLOCK.replace("AXIS", "[1, 0]").replace("FRICTION", friction).replace("RATE", "0")
        text = text.replace(
            "initial = { rate = { S = 0 } }",
            f"drivers.m = {{ joint = 'S', motion = {{ type = 'linear', rate = {v} }} }}",
        )
        expected = (mu + more * math.exp(-((v / over) ** 2))) * math.tanh(v / v_s) * 2.0 * G
        for way in WAYS[:2]:
            assert np.allclose(pm.simulate(loads(text), **way).effort("m"), expected, rtol=1e-11)


# -- joints that jam ---------------------------------------------------------------------------------------------------


def offset(mu, motion="{ type = 'linear', rate = 0.1 }"):
    return loads(
        OFFSET.replace("FRICTION", f"{{ mu = {mu!r}, length = 0.12, velocity = 1e-3 }}").replace("MOTION", motion)
    )


@WAY
def test_a_guide_takes_the_more_force_the_nearer_it_is_to_jamming(way):
    limit = 0.12 / (2 * 0.3)
    for mu in (0.1, limit * (1.0 - 1e-6)):
        result = pm.simulate(offset(mu), **way)
        assert np.allclose(result.effort("pull"), 7.0 / (1.0 - mu / limit), rtol=3e-14 / (1.0 - mu / limit))


@WAY
def test_a_guide_jams_at_its_length_over_twice_the_lever_and_says_so(way):
    limit = 0.12 / (2 * 0.3)
    for mu in (limit * (1.0 + 1e-6), 0.5):
        with pytest.raises(ModelError, match=r'joint "S" jams at t = 0 s.*mu = ') as error:
            pm.simulate(offset(mu), **way)
        said = float(re.search(r"jams from mu = ([0-9.e-]+) on", str(error.value)).group(1))
        assert said == pytest.approx(limit, rel=1e-6)


@WAY
def test_a_guide_that_starts_from_rest_jams_when_it_moves(way):
    way = {**way, "integrator": "auto"} if way == WAYS[0] else way
    mechanism = offset(0.4, "{ type = 'sine', amplitude = 0.01, frequency = 1.0, phase = -1.5707963267948966 }")
    result = pm.simulate(mechanism.replaced(run={"samples": 2001}), throw=False, **way)
    # tanh(v/v_s) = limit/mu
    v = 1e-3 * math.atanh(0.5)
    when = math.asin(v / (0.01 * 2.0 * math.pi)) / (2.0 * math.pi)
    assert result.status is Status.LOCKED and 'joint "S" jams' in result.message
    assert float(re.search(r"t = ([0-9.e-]+) s", result.message).group(1)) == pytest.approx(when, abs=6e-4)


# -- machines ----------------------------------------------------------------------------------------------------------


def test_a_slider_crank_with_friction_in_all_joints_balances_its_power():
    one, other, absolute = (pm.simulate(loads(SLIDER_CRANK), **way) for way in WAYS)
    close(one, other, 1e-10, "ida")
    close(one, absolute, 1e-10, "absolute")
    losses = sum(one.loss(joint) for joint in "OABS")
    assert np.all(losses >= 0.0)
    power, m = one.effort("motor") * 2.0 * math.pi, one.mechanism
    gained = np.zeros_like(one.t)  # rate of kinetic and potential energy, body by body
    for name in m.bodies:
        lifted = one.com_acceleration(name) - np.array(m.gravity)
        gained += m.mass(name) * np.sum(one.com_velocity(name) * lifted, axis=1)
        gained += m.inertia(name) * one.omega(name) * one.alpha(name)
    assert np.allclose(power - losses, gained, rtol=0, atol=1e-9 * np.abs(power).max())
    # over a full turn energy comes back: the mean torque is what is lost per turn
    turn = one.t <= 1.0
    lost = np.trapezoid(losses[turn], one.t[turn])
    assert np.trapezoid(one.effort("motor")[turn], one.t[turn]) == pytest.approx(lost / (2.0 * math.pi), rel=1e-9)
    assert one.efficiency(0.0, 1.0) == pytest.approx(0.0, abs=1e-9)  # nothing but friction takes power


def test_efficiency_is_what_a_load_takes_of_what_the_motor_gives():
    text = SLIDER_CRANK.replace(
        "[run]", "[forces.pull]\ntype='load'\nbody='crank'\npoint='A'\nframe='body'\nforce=[30, -40]\n[run]"
    )
    result = pm.simulate(loads(text))
    of = result.measures()
    given, taken = (np.trapezoid(of.power(name)[:401], result.t[:401]) for name in ("motor", "pull"))
    put, out = (given, -taken) if given > 0.0 else (taken, -given)
    assert put > out > 0.0
    assert result.efficiency(0.0, 1.0) == pytest.approx(out / put, rel=1e-9)


@pytest.mark.parametrize("name", ["stephenson_six_bar", "double_pendulum", "theo_jansen"])
def test_both_formulations_agree_with_friction_in_all_pins(name):
    mechanism = rubbed(pm.models.load(name), Friction(mu=0.1, radius=0.01))
    given = {"duration": min(0.5, mechanism.run.duration), "samples": 21, "rtol": 1e-9}
    one, absolute = pm.simulate(mechanism, **given), pm.simulate(mechanism, formulation="absolute", **given)
    close(one, absolute, 2e-6, name)


@WAY
def test_a_pin_rubs_alike_whichever_of_its_bodies_is_named_first(way):
    text = """
    gravity = [0, -9.81]
    points = { O = [0, 0], A = [1, 0], B = [1.8, 0.2] }
    bodies = { rod = { points = ["O", "A"], mass = 1 }, arm = { points = ["A", "B"], mass = 1 } }
    [joints]
    O = { type = "revolute", point = "O", bodies = BODIES, friction = { mu = 0.3, radius = 0.1 } }
    A = { type = "revolute", point = "A", bodies = OTHERS, friction = { mu = 0.3, radius = 0.1 } }
    [run]
    duration = 1
    samples = 6
    """
    one = pm.simulate(loads(text.replace("BODIES", '["ground", "rod"]').replace("OTHERS", '["rod", "arm"]')), **way)
    other = pm.simulate(loads(text.replace("BODIES", '["rod", "ground"]').replace("OTHERS", '["arm", "rod"]')), **way)
    assert np.max(np.abs(one["B"] - other["B"])) < 1e-6
    for pin in "OA":
        assert np.min(np.abs(other.friction(pin)[1:])) > 1e-2
        assert np.allclose(one.friction(pin)[1:], -other.friction(pin)[1:], rtol=1e-5)


def test_pins_of_three_bodies_and_of_welded_ones_rub_link_by_link():
    text = """
    gravity = [0, -9.81]
    points = { O = [0, 0], A = [1, 0], B = [1, -1], C = [2, 0.1], D = [1.5, 0.5] }
    bodies.a = { points = ["O", "A"], mass = 1 }
    bodies.b = { points = ["A", "B"], mass = 1 }
    bodies.c = { points = ["A", "C"], mass = 1 }
    bodies.d = { points = ["C", "D"], mass = 1 }
    [joints]
    O = { type = "revolute", point = "O", bodies = ["ground", "a"], friction = { mu = 0.2, radius = 0.05 } }
    A = { type = "revolute", point = "A", bodies = ["a", "b", "c"], friction = { mu = 0.2, radius = 0.05 } }
    C = { type = "weld", point = "C", bodies = ["c", "d"] }
    [run]
    duration = 0.5
    samples = 6
    rtol = 1e-9
    """
    results = [pm.simulate(loads(text), **way) for way in WAYS]
    for other in results[1:]:
        close(results[0], other, 1e-6, "three bodies")
    assert results[0].friction("A").shape == (6, 2)
    assert results[0].coordinate("A", "angle.b")[-1] != 0.0


@pytest.mark.parametrize("way", WAYS[1:], ids=["ida", "absolute"])
def test_the_jacobian_with_friction_is_that_of_differences(way):
    from particlemech.run.preparing import FORMULATIONS
    from tests.support.oracles import central

    text = re.sub("stribeck = 0.1", "stribeck = 50, velocity = 0.5", SLIDER_CRANK).replace(
        "radius", "velocity = 0.5, radius"
    )
    system = FORMULATIONS[way.get("formulation", "particles")](loads(text), ())
    random = np.random.default_rng(3)
    y = random.normal(size=system.n)
    y[system.layout.q] = system.drawing + 0.01 * random.normal(size=system.n_q)
    yp, cj = random.normal(size=system.n), 2.5
    residual, jacobian = system.callbacks(False)

    def at(z):
        out = np.empty(system.n)
        residual(0.0, np.ascontiguousarray(z), np.ascontiguousarray(yp + cj * (z - y)), out)
        return out

    J = np.zeros((system.n, system.n))
    jacobian(0.0, y, yp, np.zeros(system.n), cj, J)
    differences = central(at, y)
    assert np.abs(J - differences).max() <= 1e-7 * np.abs(J).max()


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_a_pendulum_with_a_journal_strikes_a_stop_and_loses_by_both(integrator):
    text = ROD.replace("1e-11", "1e-9") + '[joints.wall]\ntype = "stop"\njoint = "O"\nlower = -2.0\nrestitution = 0.5\n'
    result = pm.simulate(loads(text), integrator=integrator)
    assert len(result.switches) > 1
    lost = np.trapezoid(result.loss("O"), result.t)
    blows = sum(switch.lost for switch in result.switches)
    assert -result.energy.work[-1] == pytest.approx(lost + blows, rel=2e-2)  # 21 samples of the losses
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


# -- invariance --------------------------------------------------------------------------------------------------------


def test_friction_is_the_same_moved_and_turned():
    plain = pm.simulate(loads(SLIDER_CRANK))
    angle = 0.7
    c, s = math.cos(angle), math.sin(angle)
    m = loads(SLIDER_CRANK)

    def moved(x, y):
        return 5.0 + c * x - s * y, -3.0 + s * x + c * y

    places = {p: moved(*at) for p, at in m.points.items()}
    bodies = {n: dataclasses.replace(b, com=b.com and moved(*b.com)) for n, b in m.bodies.items()}
    joints = {**m.joints, "S": dataclasses.replace(m.joints["S"], axis=(c, s))}
    turned = pm.simulate(m.replaced(points=places, bodies=bodies, joints=joints, gravity=(s * G, -c * G)))
    assert np.allclose(
        turned.effort("motor"), plain.effort("motor"), rtol=0, atol=1e-9 * np.abs(plain.effort("motor")).max()
    )
    for joint in "OABS":
        assert np.allclose(turned.loss(joint), plain.loss(joint), rtol=0, atol=1e-9 * plain.loss("S").max())


def test_friction_scales_with_the_model():
    """In centimetres and grams, lengths are 100 times and masses 1000 times as large, torques 1e7 times."""
    plain, m, large = pm.simulate(loads(SLIDER_CRANK)), loads(SLIDER_CRANK), 100.0

    def friction(of):
        sizes = {key: getattr(of, key) and large * getattr(of, key) for key in ("radius", "length", "stribeck")}
        return dataclasses.replace(of, **sizes, viscous=1e3 * of.viscous)

    changes = {
        "units": "g-cm",
        "points": {p: (large * x, large * y) for p, (x, y) in m.points.items()},
        "bodies": {
            n: dataclasses.replace(
                b,
                mass=1e3 * b.mass,
                com=b.com and (large * b.com[0], large * b.com[1]),
                inertia=b.inertia and 1e7 * b.inertia,
            )
            for n, b in m.bodies.items()
        },
        "joints": {n: dataclasses.replace(j, friction=friction(j.friction)) for n, j in m.joints.items()},
        "gravity": (0.0, -large * G),
    }
    other = pm.simulate(m.replaced(**changes))
    size = np.abs(plain.effort("motor")).max()
    assert np.allclose(1e-7 * other.effort("motor"), plain.effort("motor"), rtol=0, atol=1e-9 * size)


# -- words -------------------------------------------------------------------------------------------------------------


def test_friction_comes_back_from_a_file():
    mechanism = loads(SLIDER_CRANK)
    assert loads(dumps(mechanism)) == mechanism
    assert "mu_static" in dumps(mechanism)


@pytest.mark.parametrize(
    ("friction", "said"),
    [
        ("{ mu = -0.1, radius = 0.01 }", "must not be negative"),
        ("{ mu = 0.1 }", 'key "radius" is missing'),
        ("{ mu = 0.1, radius = 0.01, length = 1 }", 'key "length" does not belong'),
        ("{ mu = 0.1, radius = 0.01, mu_static = 0.2 }", "go together"),
        ("{ mu = 0.3, radius = 0.01, mu_static = 0.2, stribeck = 0.1 }", "no less than"),
        ("{ mu = 0.1, radius = 0.01, mu_static = 0.2, stribeck = 0.01, velocity = 0.01 }", "take velocity = 0.0002"),
        ("{ mo = 0.1, radius = 0.01 }", 'key "mo" unknown'),
        ("0.1", "expected Friction"),
    ],
)
def test_bad_friction_is_refused_by_name(friction, said):
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        loads(WHEEL.replace("FRICTION", friction))
    assert 'joint "O"' in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("static", [0.11, 0.2, 0.5])
def test_smoothing_leaves_the_peak_or_is_told_what_it_leaves(static: float) -> None:
    """It may take a twentieth of mu_static - mu; the border is where the greatest tanh(x) mu(q x) is that much less."""
    least, stribeck, x = static - 0.05 * (static - 0.1), 0.3, np.linspace(0.0, 30.0, 30001)

    def peak(q: float) -> float:
        return float(np.max(np.tanh(x) * (0.1 + (static - 0.1) * np.exp(-((q * x) ** 2)))))

    border = brentq(lambda q: peak(q) - least, 0.01, 0.5)
    rubs = partial(Friction, mu=0.1, mu_static=static, stribeck=stribeck)
    rubs(velocity=0.99 * border * stribeck)
    with pytest.raises(ModelError, match=f"of the peak {static:g}, which falls over 0.3; take velocity") as error:
        rubs(velocity=1.01 * border * stribeck)
    said = str(error.value)
    left = float(re.search(r"leaves (\S+) of", said)[1])
    assert left < least and left == pytest.approx(peak(1.01 * border), rel=1e-4)
    rubs(velocity=float(re.search(r"take velocity = (\S+),", said)[1]))  # the cure is one


def test_where_friction_at_rest_is_that_of_sliding_there_is_no_peak_to_lose() -> None:
    assert Friction(mu=0.3, mu_static=0.3, stribeck=0.1, velocity=0.1).mu_static == 0.3


@pytest.mark.parametrize("radius", [0.01, 1.0, 10.0], ids=["small", "large", "huge"])
def test_friction_of_redundant_joints_is_refused_by_name(radius: float) -> None:
    """However much of it there is: what seems to jam under loads that nobody knows does not."""
    mechanism = rubbed(pm.models.load("parallel_cranks"), Friction(mu=0.9, radius=radius))
    for way in WAYS:
        with pytest.raises(ModelError, match=r"its load on .* is not determined"):
            pm.simulate(mechanism, **way)


@pytest.mark.parametrize("verb", ["linearised", "modes", "equilibrium"])
def test_verbs_that_do_not_know_friction_say_so(verb):
    with pytest.raises(ModelError, match=f'{verb}: joint "O" has friction'):
        getattr(pm, verb)(loads(ROD))


def test_impulses_beside_friction_are_refused():
    with pytest.raises(ModelError, match="impulses"):
        loads(ROD + '[impulses.hit]\ntime = 0.5\nbody = "rod"\npoint = "P"\nimpulse = [0, 1]\n')


def test_a_result_without_friction_says_so():
    result = pm.simulate(pm.models.load("pendulum"), duration=0.1, samples=3)
    with pytest.raises(ModelError, match="has no friction"):
        result.loss("O")


def test_many_variants_with_friction_run_as_each_alone():
    mechanism = loads(SLIDER_CRANK).replaced(run={"samples": 5, "duration": 0.2})
    cases = [{"bodies": {"crank": {"mass": mass}}} for mass in (1.0, 2.0)]
    together = pm.simulate_many(cases, of=mechanism)
    for k, case in enumerate(cases):
        assert np.array_equal(together.position.sel(point="B")[k], pm.simulate(mechanism.replaced(**case))["B"])


THREE = """
gravity = [0, -9.81]
points = { O = [0, 0], P = [1, 0], Q = [0, 0.6] }
bodies.one = { points = ["O", "P"], mass = 1 }
bodies.two = { points = ["O", "Q"], mass = 0.7 }
joints.O = { type = "revolute", point = "O", bodies = BODIES, friction = { mu = 0.3, radius = 0.05, velocity = 1e-2 } }
run = { duration = 0.4, samples = 5, rtol = 1e-10 }
"""


@pytest.mark.parametrize("bodies", ['["one", "ground", "two"]', '["one", "two", "ground"]', '["two", "ground", "one"]'])
def test_a_pin_rubs_alike_in_all_ways_wherever_the_ground_stands_among_its_bodies(bodies):
    mechanism = loads(THREE.replace("BODIES", bodies))
    found = [pm.simulate(mechanism, **way) for way in WAYS]
    for result in found:
        assert np.all(result.loss("O")[1:] > 0.05)
        np.testing.assert_allclose(result.omega("one"), found[0].omega("one"), atol=1e-7)
        np.testing.assert_allclose(result.loss("O"), found[0].loss("O"), atol=1e-6)


@pytest.mark.parametrize("size", ["radius", "length", "collar"])
def test_a_size_without_a_coefficient_rubs_by_nothing_and_is_refused(size):
    with pytest.raises(ModelError, match=f'key "{size}" says where it rubs, .*give "mu"'):
        Friction(**{size: 0.1})
    assert Friction(**{size: 0.1}, mu=0.0).mu == Friction(viscous=1.0).mu == 0.0
