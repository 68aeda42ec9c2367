"""Events within steps whose dense output is a cubic, as pivots are small: states there come by a step of their own."""

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import loads

# the rows of two light blocks on each other have pivots of 0.008, though no pose of them is singular
BLOCKS = """
points = { P = [0, 0], Q = [3, 0] }
bodies.p = { points = ["P"], mass = 2.0, com = [0, 0], inertia = 0.02 }
bodies.q = { points = ["Q"], mass = 1.0, com = [3, 0], inertia = 0.02 }
joints.P = { type = "prismatic", point = "P", bodies = ["ground", "p"], axis = [1, 0] }
joints.Q = { type = "prismatic", point = "Q", bodies = ["p", "q"], axis = [1, 0] }
forces.push = { type = "load", body = "p", point = "P", force = ["9.5 * sin(6 * pi * t)", 0] }
initial = { rate = { P = 1.0, Q = -0.5 } }
run = { duration = 0.25 }
"""


@pytest.mark.parametrize("samples", [2, 6, 251])
def test_the_state_at_an_event_is_as_good_as_a_step(samples):
    w = 2.0 * np.pi * 3.0
    event = pm.Event(lambda t, state: t - 0.209)
    result = pm.simulate(loads(BLOCKS), integrator="explicit", samples=samples, events={"at": event})
    rate = 1.0 + 9.5 / 2.0 / w * (1.0 - np.cos(w * 0.209))
    at = result.events["at"]
    assert at.t[0] == pytest.approx(0.209, rel=1e-12)
    assert at.rate("P")[0] == pytest.approx(rate, rel=1e-7)
    assert at.rate("Q")[0] == pytest.approx(0.5 - rate, rel=1e-7)
