"""Lobes of cams between long dwells: no step passes over one, however long a dwell lets steps become."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.cams.lift import moves
from particlemech.model.cams.marks import marked
from particlemech.model.toml import loads

WAYS = [("absolute", "ida"), ("particles", "explicit"), ("particles", "ida")]
FIRST, TURN = 3.0, 2.0 * math.pi  # rad: where the lobe begins
WIDTH, HEIGHT = math.radians(5.0), 1e-3  # of a rise and of a fall; all else is a dwell

CAM = """
gravity = [0, -9.81]
points = {{ P = [0, 0], R = [0, 0.06], G = [0, 0.2], S = [0, 0.5] }}
bodies.cam = {{ points = ["P"], mass = 1, com = [0, 0], inertia = 0.001 }}
bodies.rod = {{ points = ["R", "G"], mass = 0.3 }}
joints.shaft = {{ type = "revolute", point = "P", bodies = ["ground", "cam"] }}
joints.guide = {{ type = "prismatic", point = "G", bodies = ["ground", "rod"], axis = [0, 1] }}
joints.cam = {{ type = "cam", bodies = ["cam", "rod"], points = ["P", "R"], follower = "knife", axis = [0, 1], \
angles = {angles}, lift = {lift}, closure = "{closure}" }}
forces.spring = {{ type = "spring", bodies = ["ground", "rod"], points = ["S", "G"], stiffness = 20000, length = 0.4 }}
drivers.motor = {{ joint = "shaft", motion = {{ type = "expression", value = "{motion}" }} }}
run = {{ duration = 3, samples = 31 }}
"""
MOTIONS = {  # and how far the cam has turned at t
    "8*t": lambda t: 8.0 * t,
    "-8*t": lambda t: -8.0 * t,
    "2*t^3": lambda t: 2.0 * t**3,
    "4*sin(3*t)": lambda t: 4.0 * np.sin(3.0 * t),
    "16/(1 + exp(-(t - 2)*8)) - 16/(1 + exp(16))": lambda t: 16.0 / (1.0 + np.exp(-(t - 2.0) * 8.0)),
}


def cam(motion: str, closure: str, width: float, height: float) -> pm.Mechanism:
    """Return a knife edge on a cam that dwells nearly all the time, pressed down by a spring."""
    angles = [FIRST, FIRST + width, FIRST + 2.0 * width, TURN]
    return loads(CAM.format(motion=motion, closure=closure, angles=angles, lift=[0.0, height, 0.0, 0.0]))


def passes(motion: str, width: float) -> int:
    """Return how often the top passes below the edge."""
    turned = MOTIONS[motion](np.linspace(0.0, 3.0, 100_001))
    return int(np.sum(np.abs(np.diff(np.floor((turned - FIRST - width) / TURN)))))


@pytest.mark.parametrize(("formulation", "integrator"), WAYS[:2])
@pytest.mark.parametrize(("motion", "share"), [*((motion, 1.0) for motion in MOTIONS), ([*MOTIONS][-1], 0.2)])
def test_no_step_passes_over_a_lobe(formulation: str, integrator: str, motion: str, share: float) -> None:
    """Steps end below and above half of the height at each pass; without marks 25 steps passed over all of them."""
    model = cam(motion, "form", share * WIDTH, share**2 * HEIGHT)
    middle = 0.06 + 0.5 * share**2 * HEIGHT
    up = {"up": pm.Event(lambda t, state: state["R"][1] - middle, False, 1)}
    result = pm.simulate(model, formulation=formulation, integrator=integrator, rtol=1e-6, events=up)
    assert result.status is pm.Status.COMPLETED
    assert len(result.events["up"].t) == passes(motion, share * WIDTH)


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
def test_what_is_pressed_on_by_a_force_passes_lobes_with_its_energy(formulation: str, integrator: str) -> None:
    """Absolute coordinates with IDA had no error at all here: they had not seen the lobes."""
    model = cam("8*t", "force", WIDTH, HEIGHT).replaced(run={"duration": 0.8})
    result = pm.simulate(model, formulation=formulation, integrator=integrator)
    assert result.status is pm.Status.COMPLETED
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale
    assert result.stats["steps"] > 45  # 25 of them where none was seen
    assert [one.what for one in result.switches] == ["closes"]


LIFTS = {(0, 1, 1, 0): 2, (0, 1, 0, 0): 2, (1, 2, 3, 0): 2, (1, 0.5, 2, 0): 4, (0, 0, 0, 0): 0}


@pytest.mark.parametrize(("heights", "marks"), LIFTS.items())
def test_marks_are_where_a_lift_is_highest_and_lowest(heights: tuple[float, ...], marks: int) -> None:
    """One at each top and bottom, a dwell as a whole; from anywhere the next is reached either way."""
    angles = (1.0, 2.0, 3.0, TURN)
    found = marked(moves(("cycloidal",) * 4, angles, heights))
    assert len(found.begins) == marks
    for begin, end, beside in zip(*found, strict=True):
        assert found.beyond(begin - 0.01, 1.0) == pytest.approx(0.01 + beside)
        assert found.beyond(end + 0.01, -1.0) == pytest.approx(0.01 + beside)
