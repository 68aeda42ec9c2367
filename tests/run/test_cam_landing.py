"""Followers that lift off and land elsewhere on their cam: at the first place that they meet, however narrow."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import loads

G = 9.81
ENDS = (3.0, 3.5, 3.6, 4.1)  # rad: a narrow lobe, up, dwell, down
H = 0.02

CAM = """
gravity = [0, -9.81]
points = { P = [0, 0], R = [0, 0.06], G = [0, 0.2] }
bodies.cam = { points = ["P"], mass = 1, com = [0, 0], inertia = 0.001 }
bodies.rod = { points = ["R", "G"], mass = 0.3 }
joints.shaft = { type = "revolute", point = "P", bodies = ["ground", "cam"] }
joints.guide = { type = "prismatic", point = "G", bodies = ["ground", "rod"], axis = [0, 1] }
joints.cam = { type = "cam", bodies = ["cam", "rod"], points = ["P", "R"], follower = FOLLOWER, axis = [0, 1], \
angles = [3.0, 3.5, 3.6, 4.1, 6.283185307179586], lift = [0, 0.02, 0.02, 0, 0], law = "cycloidal", closure = "force", \
restitution = 0.3 }
drivers.motor = { type = "rotation", bodies = ["ground", "cam"], motion = { type = "linear", rate = RATE } }
run = { duration = 1.2, samples = 4801 }
"""


def cam(rate: float, follower: str = '"roller", radius = 0.01') -> pm.Mechanism:
    """Return a cam that throws its follower up."""
    return loads(CAM.replace("RATE", repr(rate)).replace("FOLLOWER", follower))


def lift(u: np.ndarray) -> np.ndarray:
    """Return the lift at angles of the cam, of the cycloidal law."""
    u = np.mod(u, 2.0 * math.pi)
    rise, fall = (np.clip((u - a) / (b - a), 0.0, 1.0) for a, b in ((ENDS[0], ENDS[1]), (ENDS[2], ENDS[3])))
    cycloid = [s - np.sin(2.0 * math.pi * s) / (2.0 * math.pi) for s in (rise, fall)]
    return np.asarray(H * (cycloid[0] - cycloid[1]))


@pytest.mark.parametrize("follower", ['"roller", radius = 0.01', '"knife"'])
@pytest.mark.parametrize("rate", [19.08, 29.18, 33.22, 37.26, 39.28])
def test_a_follower_lands_at_the_first_place_it_meets(rate: float, follower: str) -> None:
    """It flies a parabola from where it leaves; steps of a free flight are longer than the lobe takes to pass."""
    result = pm.simulate(cam(rate, follower), integrator="explicit")
    assert result.force("cam", "gap").min() > -1e-9
    leaves = next(s for s in result.switches if s.what == "opens")
    lands = next(s for s in result.switches if s.t > leaves.t and s.what in ("impact", "closes"))
    begin = float(lift(np.array(rate * leaves.t)))
    step = 1e-7
    speed = float((lift(np.array(rate * (leaves.t + step))) - lift(np.array(rate * (leaves.t - step)))) / (2.0 * step))
    t = leaves.t + np.linspace(1e-3, 1.0, 400_001)
    gap = begin + speed * (t - leaves.t) - 0.5 * G * (t - leaves.t) ** 2 - lift(rate * t)
    first = int(np.argmax(gap < 0.0))
    between = gap[first - 1] / (gap[first - 1] - gap[first])
    assert lands.t == pytest.approx(t[first - 1] + between * (t[1] - t[0]), rel=1e-5)
    assert lands.t - leaves.t > 0.1
    assert np.abs(result.energy.error).max() < 1e-5 * result.energy.scale
