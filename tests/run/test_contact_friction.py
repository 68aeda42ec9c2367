"""Friction in contacts: what rolls and what slides, blows of what spins; closed forms, both integrators and formulations."""

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
    """A disc rolls with a = 2/3 g sin from mu = tan/3 on; below it slides with g (sin - mu cos) and turns by mu N r/I."""
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
    slip = slides.velocity("C")[:, 0] + 0.2 * slides.omega("disc")
    np.testing.assert_allclose(slides.loss("floor"), mu * 2.0 * G * math.cos(angle) * slip, rtol=1e-6, atol=1e-9)
    for result in (rolls, slides):
        assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


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
        ("friction = { mu = 0.2 }\nstiffness = 100", "on a rigid line"),
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
