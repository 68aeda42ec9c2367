"""Massless rods whose pins rub: friction circles, the same rod as a light body, the second formulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.rubbing import rubbing
from particlemech.model.toml import dumps, loads
from particlemech.run.preparing import FORMULATIONS
from tests.run.test_friction import WAY, WAYS, close
from tests.support.oracles import central

PRESS = """
points = { O = [0, 0], A = [0.06, 0.08], B = [0.35, 0] }
bodies.crank = { points = ["O", "A"], mass = 1.0 }
bodies.piston = { points = ["B"], mass = 2, com = [0.37, 0], inertia = 0.01 }
[joints]
O = { type = "revolute", point = "O", bodies = ["ground", "crank"] }
S = { type = "prismatic", point = "B", bodies = ["ground", "piston"], axis = [1, 0] }
rod = { type = "distance", bodies = ["crank", "piston"], points = ["A", "B"], friction = { mu = 0.3, radius = 0.02 } }
[drivers.motor]
joint = "O"
motion = { type = "linear", rate = 25 }
[forces.load]
type = "load"
body = "piston"
point = "B"
force = [-40, 0]
[run]
duration = 0.26
samples = 261
rtol = 1e-9
"""

# a body that swings on two rods, one on the ground and one on a body that swings itself
SWING = """
gravity = [0, -9.81]
points = { O = [0, 0], P = [1, 0], A = [0.4, -0.3], B = [1.0, -0.4], C = [1.2, 0.1] }
bodies.arm = { points = ["O", "P", "C"], mass = 1.5, com = [0.6, 0.05], inertia = 0.2 }
bodies.bob = { points = ["A", "B"], mass = 2, com = [0.7, -0.5], inertia = 0.15 }
[joints]
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "arm"]
friction = { mu = 0.1, radius = 0.02, velocity = 0.01 }
[joints.one]
type = "distance"
bodies = ["ground", "bob"]
points = ["O", "A"]
friction = { mu = 0.2, radius = 0.03, mu_static = 0.3, stribeck = 0.5, viscous = 0.02, velocity = 0.01 }
[joints.two]
type = "distance"
bodies = ["bob", "arm"]
points = ["B", "P"]
friction = { mu = 0.25, radius = 0.02, velocity = 0.01 }
[run]
duration = 1.0
samples = 51
rtol = 1e-10
"""


@WAY
def test_the_force_of_a_rod_touches_both_friction_circles(way):
    """Motion is prescribed, so that equilibrium of piston and rod gives the force, and that of the crank the torque."""
    mechanism = loads(PRESS)
    result = pm.simulate(mechanism, **way)
    l = math.hypot(0.29, 0.08)
    angle = math.atan2(0.08, 0.06) + 25.0 * result.t
    A = 0.1 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    psi = np.arcsin(-A[:, 1] / l)  # of the line from A to B
    rate = -0.1 * 25.0 * np.cos(angle) / (l * np.cos(psi))
    second = (0.1 * 625.0 * np.sin(angle) / l + rate**2 * np.sin(psi)) / np.cos(psi)
    ax = -625.0 * A[:, 0] - l * (second * np.sin(psi) + rate**2 * np.cos(psi))
    over = rubbing(mechanism)[0].over_velocity
    grip = 0.3 * 0.02 * np.stack([np.tanh(0.02 * over * (rate - 25.0)), np.tanh(0.02 * over * rate)])
    # a force N along the line turned by beta has N sin(beta) l = couples of both pins = -(grip_1 + grip_2) N
    beta = -np.arcsin(grip.sum(axis=0) / l)
    push = 2.0 * ax + 40.0  # what the rod does to the piston along the slide
    sense = np.sign(push)
    line = (sense * np.stack([np.cos(psi + sense * beta), np.sin(psi + sense * beta)])).T
    N = push / line[:, 0]
    force = N[:, None] * line
    assert np.all(N > 0.0) and np.min(push) < 0.0 < np.max(push)
    couples = -grip * N
    np.testing.assert_allclose(result.reaction("rod", on="piston"), force, rtol=0, atol=2e-8 * N.max())
    np.testing.assert_allclose(result.reaction("rod", on="crank"), -force, rtol=0, atol=2e-8 * N.max())
    np.testing.assert_allclose(result.friction("rod"), couples.T, rtol=0, atol=1e-9 * N.max())
    np.testing.assert_allclose(result.moment("rod", on="crank"), -couples[0], rtol=0, atol=1e-9 * N.max())
    np.testing.assert_allclose(result.moment("rod", on="piston"), -couples[1], rtol=0, atol=1e-9 * N.max())
    torque = A[:, 0] * force[:, 1] - A[:, 1] * force[:, 0] + couples[0]
    np.testing.assert_allclose(result.effort("motor"), torque, rtol=0, atol=1e-8 * N.max())
    lost = grip[0] * N * (rate - 25.0) + grip[1] * N * rate
    np.testing.assert_allclose(result.loss("rod"), lost, rtol=0, atol=1e-8 * lost.max())


def test_rods_that_rub_agree_in_all_ways_and_balance_their_power():
    one, other, absolute = (pm.simulate(loads(SWING), **way) for way in WAYS)
    close(one, other, 1e-8, "ida")
    close(one, absolute, 1e-8, "absolute")
    assert np.min(one.loss("one") + one.loss("two") + one.loss("O")) >= 0.0
    assert np.max(np.abs(one.energy.error)) < 1e-8 * one.energy.scale
    lost = sum(np.trapezoid(one.loss(name), one.t) for name in ("O", "one", "two"))
    assert lost == pytest.approx(-one.energy.work[-1], rel=2e-3)
    assert lost > 0.05


def test_a_rod_that_rubs_is_the_limit_of_a_light_body_with_two_pins():
    def as_body(mass):
        text = SWING.replace("[joints.two]", "[joints.two_B]").replace('points = ["B", "P"]\n', 'point = "B"\n')
        text = text.replace('bodies = ["bob", "arm"]', 'bodies = ["bob", "rod"]').replace("two_B]\ntype = \"distance\"",
                            "two_B]\ntype = \"revolute\"")  # fmt: skip
        text = text.replace("[run]", '[joints.two_P]\ntype = "revolute"\nbodies = ["rod", "arm"]\npoint = "P"\n'
                            "friction = { mu = 0.25, radius = 0.02, velocity = 0.01 }\n[run]")  # fmt: skip
        text = text.replace("[joints]", f'bodies.rod = {{ points = ["B", "P"], mass = {mass} }}\n[joints]')
        return pm.simulate(loads(text))

    rod, (light, lighter) = pm.simulate(loads(SWING)), (as_body(mass) for mass in (2e-4, 1e-4))
    for seen in (lambda r: r.angle("bob"), lambda r: r.com("bob"), lambda r: r.loss("one")):
        off, half = (np.abs(seen(one) - seen(rod)).max() / np.abs(seen(rod)).max() for one in (light, lighter))
        assert half < 1e-3
        assert off == pytest.approx(2.0 * half, rel=0.05)  # what is left is the body's mass


@pytest.mark.parametrize("way", WAYS[1:], ids=["ida", "absolute"])
def test_the_jacobian_of_rods_that_rub_is_that_of_differences(way):
    text = SWING.replace("velocity = 0.01", "velocity = 0.3").replace("stribeck = 0.5", "stribeck = 30")
    text = text.replace("mu = 0.25, radius = 0.02", "mu = 1.2, radius = 0.1")
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


def test_what_a_rod_cannot_have_is_said():
    with pytest.raises(
        ModelError, match=r'joint "rod".*friction circles meet, 2 mu radius = 0\.36, .* is 0\.3008 long'
    ):
        loads(PRESS.replace("mu = 0.3, radius = 0.02", "mu = 3, radius = 0.06"))
    with pytest.raises(ModelError, match=r'joint "rod".*key "sticking": it rubs at 2 places'):
        loads(PRESS.replace("mu = 0.3", "sticking = true, mu = 0.3"))
    with pytest.raises(ModelError, match=r'joint "rod".*key "length" does not belong .* it has "radius"'):
        loads(PRESS.replace("mu = 0.3,", "mu = 0.3, length = 1,"))
    light = PRESS.replace("inertia = 0.01", "inertia = 0").replace("S = {", "#")
    with pytest.raises(ModelError, match='body "piston" has no inertia that the couple of its pin could turn'):
        loads(light)
    assert loads(dumps(loads(PRESS))) == loads(PRESS)
