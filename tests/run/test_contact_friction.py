"""Friction in contacts: what rolls and what slides, blows of what spins; closed forms, all ways to run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import dumps, loads

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])
G = 9.81
CREEP = 1e-3  # m/s

DISC = """
gravity = [GX, GY]
points = { O = [0, 0], C = [0, 0.2] }
bodies.disc = { points = ["C"], mass = 2, com = [0, 0.2], inertia = 0.04 }
joints.floor = { type = "contact", bodies = ["ground", "disc"], points = ["O", "C"], axis = [1, 0], radius = 0.2, \
friction = { mu = MU, velocity = 1e-3 } }
run = { duration = 0.5, samples = 6, rtol = 1e-10 }
"""


def disc(angle: float, mu: float) -> pm.Mechanism:
    """Return a disc on an incline."""
    gx, gy = G * math.sin(angle), -G * math.cos(angle)
    return loads(DISC.replace("GX", repr(gx)).replace("GY", repr(gy)).replace("MU", repr(mu)))


@WAY
def test_a_disc_rolls_where_friction_suffices_and_slides_where_it_does_not(way: dict[str, str]) -> None:
    """It rolls with a = 2/3 g sin from mu = tan/3 on; below it slides with g (sin - mu cos) and turns by mu N r/I."""
    angle = math.radians(30.0)
    enough = math.tan(angle) / 3.0
    rolls = pm.simulate(disc(angle, 1.2 * enough), **way)
    a = 2.0 / 3.0 * G * math.sin(angle)
    slip = rolls.velocity("C")[:, 0] + 0.2 * rolls.omega("disc")
    # mu tanh(slip/velocity) N is what rolling asks for
    creep = CREEP * math.atanh(1.0 / 1.2)
    np.testing.assert_allclose(slip[1:], creep, rtol=1e-4)
    np.testing.assert_allclose(rolls.velocity("C")[1:, 0], a * rolls.t[1:] + creep / 3.0, rtol=1e-7)
    np.testing.assert_allclose(rolls.force("floor"), 2.0 * G * math.cos(angle), rtol=1e-8)
    np.testing.assert_allclose(rolls.friction("floor")[1:], -2.0 * a / 2.0, rtol=1e-5)
    slides = pm.simulate(disc(angle, 0.5 * enough), **way)
    mu = 0.5 * enough
    a, alpha = G * (math.sin(angle) - mu * math.cos(angle)), -mu * 2.0 * G * math.cos(angle) * 0.2 / 0.04
    np.testing.assert_allclose(slides.velocity("C")[:, 0], a * slides.t, atol=CREEP)
    np.testing.assert_allclose(slides.omega("disc"), alpha * slides.t, atol=10.0 * CREEP)
    late = slides.t > 0.5 * slides.t[-1]  # once it slips by more than the scale of velocity these are lines
    np.testing.assert_allclose(slides.acceleration("C")[late, 0], a, rtol=1e-8)
    np.testing.assert_allclose(slides.alpha("disc")[late], alpha, rtol=1e-8)
    slip = slides.velocity("C")[:, 0] + 0.2 * slides.omega("disc")
    np.testing.assert_allclose(slides.loss("floor"), mu * 2.0 * G * math.cos(angle) * slip, rtol=1e-6, atol=1e-9)
    for result in (rolls, slides):
        assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


BALL = """
gravity = [0, -9.81]
points = { O = [0, 0], C = [0, 0.7] }
bodies.ball = { points = ["C"], mass = 2, com = [0, 0.7], inertia = 0.04 }
joints.floor = { type = "contact", bodies = ["ground", "ball"], points = ["O", "C"], axis = [1, 0], radius = 0.2, \
restitution = E, friction = { mu = 0.25, velocity = 1e-3 } }
initial = { velocity = { C = [0.5, 0] }, omega = { ball = SPIN } }
run = { duration = DURATION, samples = 11, rtol = 1e-9 }
"""


def ball(e: float, spin: float, duration: float) -> pm.Mechanism:
    """Return a ball that falls half a metre."""
    return loads(BALL.replace("E,", f"{e},").replace("SPIN", repr(spin)).replace("DURATION", repr(duration)))


@WAY
@pytest.mark.parametrize(("spin", "sticks"), [(4.0, True), (-2.5, True), (60.0, False), (-60.0, False)])
def test_a_spinning_ball_bounces_with_the_impulses_of_newton_and_coulomb(
    way: dict[str, str], spin: float, sticks: bool
) -> None:
    """P = m v (1 + e) and T = -slip/(1/m + r^2/I) where that is no more than mu P, else mu P against the slip."""
    result = pm.simulate(ball(0.6, spin, 0.4), **way)
    (one,) = result.switches
    down = math.sqrt(2.0 * G * 0.5)
    slip, P = 0.5 + 0.2 * spin, 2.0 * down * 1.6
    T = -slip / (1.0 / 2.0 + 0.2**2 / 0.04)
    assert (abs(T) <= 0.25 * P) == sticks
    T = T if sticks else -math.copysign(0.25 * P, slip)
    assert one.impulse == pytest.approx(P, rel=1e-7)
    assert result.velocity("C")[-1, 0] == pytest.approx(0.5 + T / 2.0, rel=1e-7)
    assert result.omega("ball")[-1] == pytest.approx(spin + 0.2 * T / 0.04, rel=1e-7, abs=1e-7)
    energy = [0.5 * 2.0 * vx**2 + 0.5 * 0.04 * w**2 for vx, w in ((0.5, spin), (0.5 + T / 2.0, spin + 5.0 * T))]
    assert one.lost == pytest.approx(0.5 * 2.0 * down**2 * (1.0 - 0.36) + energy[0] - energy[1], rel=1e-7)
    np.testing.assert_array_equal(result.friction("floor"), 0.0)  # in flight
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@WAY
def test_a_spinning_disc_that_is_dropped_spins_up_and_rolls_with_what_friction_keeps(way: dict[str, str]) -> None:
    """Friction keeps m v - I omega/r, in the blow too, so that it rolls with v = (m v0 - I omega0/r)/(m + I/r^2)."""
    result = pm.simulate(ball(0.0, -30.0, 2.0), **way)
    assert [one.what for one in result.switches] == ["closes"]
    keeps = 2.0 * 0.5 + 0.04 * 30.0 / 0.2
    v, w = result.velocity("C")[:, 0], result.omega("ball")
    np.testing.assert_allclose(2.0 * v - 0.04 * w / 0.2, keeps, rtol=1e-7)
    assert v[-1] == pytest.approx(keeps / 3.0, rel=1e-6)
    assert v[-1] + 0.2 * w[-1] == pytest.approx(0.0, abs=1e-6)
    # first it slides: the blow gives mu sqrt(2 g h), then mu g
    fall = math.sqrt(2.0 * 0.5 / G)
    assert result.t[2] > fall
    assert v[2] == pytest.approx(0.5 + 0.25 * (G * fall + G * (result.t[2] - fall)), rel=1e-6)


def test_a_mass_that_is_pressed_on_a_wall_slides_to_rest_with_friction_of_a_rail_besides() -> None:
    text = """
points = { O = [0, 0], C = [0.1, 0], R = [0.4, 0] }
bodies.block = { points = ["C"], mass = 2, com = [0.1, 0], inertia = 0.04 }
joints.wall = { type = "contact", bodies = ["ground", "block"], points = ["O", "C"], axis = [0, -1], radius = 0.1, \
friction = { mu = 0.3, velocity = 1e-3 } }
joints.upright = { type = "prismatic", point = "C", bodies = ["carriage", "block"], axis = [1, 0] }
bodies.carriage = { points = ["R"], mass = 1, com = [0.4, 0], inertia = 0.01 }
joints.rail = { type = "prismatic", point = "R", bodies = ["ground", "carriage"], axis = [0, 1], \
friction = { mu = 0.2, velocity = 1e-3 } }
forces.side = { type = "load", body = "carriage", point = "R", force = [25, 0] }
forces.push = { type = "load", body = "block", point = "C", force = [-40, 0] }
initial = { rate = { rail = 2 } }
run = { duration = 0.3, samples = 5, rtol = 1e-9 }
"""
    for way in WAYS:
        result = pm.simulate(loads(text), **way)
        a = (0.3 * 40.0 + 0.2 * 25.0) / 3.0
        np.testing.assert_allclose(result.velocity("C")[:, 1], 2.0 - a * result.t, rtol=1e-7)
        np.testing.assert_allclose(result.loss("wall"), 12.0 * (2.0 - a * result.t), rtol=1e-7)
        np.testing.assert_allclose(result.force("wall"), 40.0, rtol=1e-8)
        np.testing.assert_allclose(result.friction("wall"), 12.0, rtol=1e-8)  # along its axis, which points down
        np.testing.assert_allclose(result.friction("rail"), -5.0, rtol=1e-8)
        rest = pm.simulate(loads(text), duration=1.0, samples=3, **way)
        assert rest["C"][-1, 1] == pytest.approx(2.0**2 / (2.0 * a), abs=2e-3)
        assert abs(rest.velocity("C")[-1, 1]) < 1e-6


ROD = """
points = { O = [0, 0], A = [0, 0.1], B = [0.3, 0.8] }
bodies.rod = { points = ["A", "B"], mass = 3 }
joints.edge = { type = "contact", bodies = ["ground", "rod"], points = ["O", "A"], axis = [1, 0], restitution = 1.0, \
friction = { mu = MU } }
initial = { velocity = { A = [VX, -2], B = [VX, -2] } }
run = { duration = 0.06, samples = 7 }
"""


@pytest.mark.parametrize(("mu", "vx"), [(0.1, 1.0), (0.6, 0.3), (0.6, -0.5), (1.5, -1.0), (0.9, 0.0)])
def test_blows_beside_the_centre_never_give_energy(mu: float, vx: float) -> None:
    """Newton's restitution gives energy in some of these: then what is kept of it is the most that does not."""
    model = loads(ROD.replace("MU", repr(mu)).replace("VX", repr(vx)))
    inertia = 3.0 * (0.3**2 + 0.7**2) / 12.0
    arm = np.array([-0.15, -0.35])  # from the centre to the end that is struck
    seen = []
    for way in WAYS:
        result = pm.simulate(model, **way)
        (one,) = result.switches
        v, w = result.com_velocity("rod")[-1], result.omega("rod")[-1]
        P = 3.0 * (v - [vx, -2.0])
        assert inertia * w == pytest.approx(arm[0] * P[1] - arm[1] * P[0], rel=1e-7, abs=1e-9)  # it acts at the end
        slip, rate = v[0] - w * arm[1], v[1] + w * arm[0]
        assert abs(P[0]) <= mu * P[1] * (1.0 + 1e-7)
        assert abs(slip) < 1e-7 or (P[0] * slip < 0.0 and abs(P[0]) == pytest.approx(mu * P[1], rel=1e-7))
        gained = 0.5 * 3.0 * (v @ v - vx**2 - 4.0) + 0.5 * inertia * w**2
        assert gained <= 1e-8
        assert one.lost == pytest.approx(-gained, rel=1e-6, abs=1e-8)
        assert rate == pytest.approx(2.0, rel=1e-7) or (rate < 2.0 and abs(gained) < 1e-8)
        seen.append([*v, w])
    np.testing.assert_allclose(seen[1:], [seen[0]] * 2, rtol=1e-6, atol=1e-9)


PLANK = """
gravity = [0.3, -9.81]
points = { O = [0, 0], A = [1, 0.1], C = [0.4, HEIGHT] }
bodies.plank = { points = ["O", "A"], mass = 3 }
bodies.disc = { points = ["C"], mass = 2, com = [0.41, 0.28], inertia = 0.04 }
joints.pin = { type = "revolute", point = "O", bodies = ["ground", "plank"] }
joints.floor = { type = "contact", bodies = ["plank", "disc"], points = ["O", "C"], axis = [1, 0.1], radius = 0.2, \
friction = { mu = 0.3, mu_static = 0.5, stribeck = 50, velocity = 0.5 } }
forces.spring = { type = "spring", bodies = ["ground", "plank"], points = [[0.9, 1], "A"], stiffness = 100 }
initial = { omega = { disc = 3 } }
run = { duration = 0.3, samples = 7 }
""".replace("HEIGHT", repr(0.04 + 0.2 * math.hypot(1.0, 0.1)))


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_the_jacobian_of_a_slip_is_that_of_differences(formulation: str) -> None:
    from particlemech.run.preparing import FORMULATIONS
    from tests.support.oracles import central

    system = FORMULATIONS[formulation](loads(PLANK).in_mode([("floor", "touch")]), ())
    random = np.random.default_rng(3)
    y = random.normal(size=system.n)
    y[system.layout.q] = system.drawing + 0.01 * random.normal(size=system.n_q)
    yp, cj = random.normal(size=system.n), 2.5
    residual, jacobian = system.callbacks(False)

    def at(z: np.ndarray) -> np.ndarray:
        out = np.empty(system.n)
        residual(0.0, np.ascontiguousarray(z), np.ascontiguousarray(yp + cj * (z - y)), out)
        return out

    J = np.zeros((system.n, system.n))
    jacobian(0.0, y, yp, np.zeros(system.n), cj, J)
    assert np.abs(J - central(at, y)).max() <= 1e-7 * np.abs(J).max()


def test_a_disc_on_a_plank_that_turns_agrees_in_all_ways() -> None:
    results = [pm.simulate(loads(PLANK), rtol=1e-9, **way) for way in WAYS]
    assert results[0].force("floor").min() > 0.0
    assert abs(results[0].friction("floor")[-1]) > 0.1
    for other in results[1:]:
        np.testing.assert_allclose(other["C"], results[0]["C"], atol=1e-7)
        np.testing.assert_allclose(other.friction("floor"), results[0].friction("floor"), rtol=1e-5, atol=1e-5)
        for body in ("plank", "ground"):
            found, wanted = (r.reaction("pin", body) for r in (other, results[0]))
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("friction = { mu = 0.2, radius = 0.1 }", 'key "radius" does not belong'),
        ("friction = { mu = 0.2, viscous = 0.1 }", "would act in flight too"),
        ("friction = { mu = 0.2 }\nstiffness = 100", "is for a rigid contact"),
        ("friction = { mu = -0.2 }", "must not be negative"),
    ],
)
def test_bad_friction_of_contacts_is_told_in_one_line(keys: str, said: str) -> None:
    text = dumps(disc(0.0, 0.1)).replace("friction = { mu = 0.1, velocity = 0.001 }", keys)
    with pytest.raises(pm.ModelError, match=said):
        loads(text)


def test_friction_of_contacts_is_written_and_read_and_agrees_with_the_second_opinion() -> None:
    model = disc(math.radians(30.0), 0.1)
    assert loads(dumps(model)) == model
    found = pm.validate(model.replaced(joints={"floor": {"friction": {"mu": 0.1}}}))
    assert found.agreed, str(found)
