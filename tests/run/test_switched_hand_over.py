"""Runs with stops in which explicit steps hand over to IDA and take over again: what is stiff, beside what strikes."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import loads

G, M = 9.81, 2.0
PLANE = """
gravity = [0, -9.81]
points = { P = [0, 1] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 1], inertia = 0.1 }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 1] }
joints.floor = { type = "stop", joint = "guide", lower = -1, WHAT }
run = { duration = 1.0, samples = 41 }
"""
SPACE = 'kind = "spatial"\n' + PLANE.replace("0, -9.81]", "0, 0, -9.81]").replace("0, 1]", "0, 0, 1]").replace(
    "= 0.1 }", "= [0.1, 0.1, 0.1] }"
)
WORLDS = {"plane": PLANE, "space": SPACE}


@pytest.mark.parametrize("world", WORLDS)
def test_a_stiff_bound_is_left_to_ida_and_catches_as_the_closed_form_says(world: str) -> None:
    """m x'' + b x' + k x = -m g from x = 0 with the speed of the fall: b/m = 5e5 1/s, k/b = 10 1/s."""
    k, b, fall = 1e7, 1e6, math.sqrt(2.0 / G)
    result = pm.simulate(loads(WORLDS[world].replace("WHAT", f"stiffness = {k}, damping = {b}")))
    integrators = [phase.integrator for phase in result.phases]
    assert "ida" in integrators and integrators[0] == "explicit"
    assert [s.what for s in result.switches] == ["closes"]
    fast, slow = np.roots([M, b, k])
    A, B = np.linalg.solve([[1.0, 1.0], [fast, slow]], [M * G / k, -math.sqrt(2.0 * G)])
    t = np.maximum(result.t - fall, 0.0)
    wanted = np.where(t == 0.0, 1.0 - 0.5 * G * result.t**2, A * np.exp(fast * t) + B * np.exp(slow * t) - M * G / k)
    np.testing.assert_allclose(result["P"][:, -1], wanted, atol=2e-9)
    second = A * fast**2 * np.exp(fast * t) + B * slow**2 * np.exp(slow * t)
    pressed = t > 0.0
    noise = b * 1e-7 * math.sqrt(2.0 * G)  # of speeds: 10 rtol of that of the fall (seen: 0.16 N of 0.44)
    np.testing.assert_allclose(result.force("floor")[pressed], M * (G + second[pressed]), atol=noise)
    assert result.complementarity.wrong is None
    assert np.max(np.abs(result.energy.error)) < 1e-6 * result.energy.scale


@pytest.mark.parametrize("world", WORLDS)
def test_what_sinks_through_a_stiff_damper_comes_to_rest_on_a_bound(world: str) -> None:
    """A ball sinks at m g/b: it meets the bound with that speed, and explicit steps are tried a few times only."""
    drag = 'forces.drag = { type = "DAMPER" }'
    words = {
        "plane": 'spring", bodies = ["ground", "ball"], points = [[0, 3], "P"], damping = 1e6',
        "space": 'torsion", joint = "guide", damping = 1e6',
    }[world]
    text = WORLDS[world].replace("lower = -1, WHAT", "lower = -1e-5, restitution = 0.5") + drag.replace(
        'DAMPER"', words
    )
    result = pm.simulate(loads(text), samples=21)
    integrators = [phase.integrator for phase in result.phases]
    assert "ida" in integrators and "explicit" in integrators and len(integrators) < 20
    speed = M * G / 1e6
    closing = next(s for s in result.switches)
    assert closing.t == pytest.approx(1e-5 / speed + M / 1e6, rel=1e-5)
    assert closing.before == pytest.approx(-speed, rel=1e-6)
    assert result.switches[-1].what == "closes"
    assert result["P"][-1, -1] == pytest.approx(1.0 - 1e-5, abs=1e-9)
    assert result.force("floor")[-1] == pytest.approx(M * G, rel=1e-6)
    assert result.complementarity.wrong is None
