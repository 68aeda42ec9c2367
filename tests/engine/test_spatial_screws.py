"""Screw joints: a nut by its closed form over many turns, and random loops against the second opinion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import particlemech as pm
from particlemech.model.space import Body, Mechanism, forces, joints
from tests.support.random_loops import random_loop
from tests.support.second_opinion import SAME_MOTION, agree

G = 9.81


def nut(pitch, **more):
    """Return a nut on an upright screw, and its inertia about it; its centre is beside the axis."""
    body = Body(mass=2.0, com=(0.05, 0.0, 0.1), inertia=(0.004, 0.005, 0.003, 0.001, 0.0, 0.0005))
    thread = joints.Screw(bodies=("ground", "nut"), point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), pitch=pitch)
    made = Mechanism(bodies={"nut": body}, joints={"thread": thread}, gravity=(0.0, 0.0, -G), **more)
    return made, 0.003 + 2.0 * 0.05**2


@pytest.mark.parametrize("pitch", [0.02, -0.05], ids=["right-hand", "left-hand"])
def test_a_nut_on_a_screw_falls_by_its_closed_form_over_ten_turns(pitch):
    mechanism, J = nut(pitch)
    a = G / (1.0 + J / (2.0 * pitch**2))
    duration = math.sqrt(2.0 * 11.0 * math.tau * abs(pitch) / a)
    run = pm.simulate(mechanism, duration=duration, samples=6, rtol=1e-10)
    fallen = 0.5 * a * run.t**2
    assert np.abs(run.com("nut")[:, 2] - 0.1 + fallen).max() < SAME_MOTION * fallen[-1]
    assert run.com_acceleration("nut")[:, 2] == pytest.approx(-a, rel=1e-9)
    assert run.alpha("nut")[:, 2] == pytest.approx(-a / pitch, rel=1e-9)
    along = run.reaction("thread", "nut")[:, 2]
    assert along == pytest.approx(2.0 * (G - a), rel=1e-9)
    assert run.moment("thread", "nut")[:, 2] == pytest.approx(-pitch * along, rel=1e-9)
    # the travel tells the angle; an orientation, after eleven turns, only a small part of it
    agree(run)


def test_a_torsion_spring_on_a_screw_swings_weight_and_inertia_over_many_turns():
    pitch, stiffness, damping, rest = 0.05, 0.05, 0.002, 40.0
    spring = forces.Torsion(joint="thread", stiffness=stiffness, damping=damping, angle=rest)
    mechanism, J = nut(pitch, forces={"spring": spring})
    run = pm.simulate(mechanism, duration=1.0, samples=6, rtol=1e-10)
    inertia = J + 2.0 * pitch**2
    middle = rest - 2.0 * G * pitch / stiffness  # where spring and weight balance
    decay = 0.5 * damping / inertia
    w = math.sqrt(stiffness / inertia - decay**2)
    angle = middle * (1.0 - np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t)))
    assert np.abs(angle).max() > 3.0 * math.tau
    travel = run.com("nut")[:, 2] - 0.1
    assert np.abs(travel - pitch * angle).max() < SAME_MOTION * abs(pitch * middle)
    agree(run)


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_random_loops_with_a_screw_agree_at_every_instant(seed):
    agree(pm.simulate(random_loop(seed, screws=1), duration=0.05, samples=2, rtol=1e-6), None)


@pytest.mark.parametrize("seed", [1, 4])
def test_random_loops_with_a_screw_agree_in_motion(seed):
    agree(pm.simulate(random_loop(seed, screws=1), duration=0.5, samples=6, rtol=1e-10))
