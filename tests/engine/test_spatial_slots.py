"""Slots in space: beads on wires by their closed forms, a lever that a crank swings, and what is drawn and refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import signals, view
from particlemech.analyses import loops
from particlemech.errors import ModelError
from particlemech.model import primitives
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.model.space.engines import no_tree
from particlemech.view.families import scene
from tests.support.second_opinion import SAME_MOTION, agree

G, MASS, TILT = 9.81, 2.0, 0.6
DOWN = (math.cos(TILT), 0.0, -math.sin(TILT))  # along the wire
PIVOT, PIN = (-0.8, 0.1, -0.3), (0.1, 0.3, 0.05)


def bead(com=(0.0, 0.0, 0.0), axis=DOWN, **more):
    """Return a body that rides on a wire with its point P, its centre of mass anywhere."""
    return Mechanism(
        points={"P": (0.0, 0.0, 0.0)},
        bodies={"bead": Body(points=("P",), mass=MASS, com=com, inertia=(0.1, 0.2, 0.25))},
        joints={"wire": joints.Slot(bodies=("ground", "bead"), point="P", axis=axis)},
        gravity=(0.0, 0.0, -G),
        **more,
    )


def lever(joint, motion):
    """Return a crank whose pin swings a lever on a cross, by a slot in it; one freedom, driven at a joint."""
    body = {"mass": 1.2, "inertia": (0.2, 0.3, 0.4)}
    line = tuple(np.subtract(PIN, PIVOT).tolist())
    cross = (0.0, 0.0, 1.0), tuple(np.cross((0.0, 0.0, 1.0), line).tolist())
    return Mechanism(
        points={"P": PIN},
        bodies={
            "crank": Body(points=("P",), com=(0.1, 0.0, 0.05), **body),
            "lever": Body(com=(-0.3, 0.0, 0.1), **body),
        },
        joints={
            "O": joints.Revolute(bodies=("ground", "crank"), point=(0.0, 0.0, 0.0), axis=(0.1, 0.2, 1.0)),
            "L": joints.Universal(bodies=("ground", "lever"), point=PIVOT, axes=cross),
            "slot": joints.Slot(bodies=("lever", "crank"), point="P", axis=line),
        },
        gravity=(0.0, 0.0, -G),
        drivers={"motor": drivers.Coordinate(joint=joint, motion=motion)},
    )


# -- beads -------------------------------------------------------------------------------------------------------------


def test_a_bead_slides_down_a_tilted_wire_while_it_spins_freely():
    """Through its centre the wire passes no moment: it slides as a particle, and spins as if nothing held it."""
    omega = np.array([1.0, 2.0, 0.3])
    run = pm.simulate(bead(initial=Initial(omega={"bead": tuple(omega)})), duration=1.0, samples=11, rtol=1e-10)
    along = G * math.sin(TILT)
    assert np.abs(run.coordinate("wire") - 0.5 * along * run.t**2).max() < SAME_MOTION
    assert run.rate("wire") == pytest.approx(along * run.t, abs=SAME_MOTION)
    assert run.second_rate("wire") == pytest.approx(along, rel=1e-9)
    spin = np.einsum("kij,j,klj,kl->ki", run.orientation("bead"), (0.1, 0.2, 0.25), run.orientation("bead"),
                     run.omega("bead"))  # fmt: skip
    assert np.abs(spin - np.array([0.1, 0.2, 0.25]) * omega).max() < SAME_MOTION
    held = MASS * G * math.cos(TILT) * np.array([math.sin(TILT), 0.0, math.cos(TILT)])
    assert np.abs(run.reaction("wire", "bead") - held).max() < 1e-9 * MASS * G
    assert np.abs(run.moment("wire", "bead")).max() < 1e-12
    agree(run)


def test_a_bead_that_hangs_from_a_level_wire_swings_about_a_centre_that_stays_above_one_place():
    """Nothing pushes along the wire, so the centre of mass keeps its coordinate there; energy is kept."""
    run = pm.simulate(bead(com=(0.2, 0.1, -0.3), axis=(1.0, 0.0, 0.0)), duration=1.0, samples=11, rtol=1e-10)
    assert np.abs(run.com("bead")[:, 0] - 0.2).max() < SAME_MOTION
    assert np.ptp(run.coordinate("wire")) > 0.1
    assert np.abs(run["P"][:, 1:]).max() < 1e-9
    assert np.abs(run.energy.error).max() < 1e-7 * run.energy.scale
    agree(run)


def test_a_spring_along_a_wire_swings_a_bead_about_where_its_weight_hangs():
    k = 30.0
    run = pm.simulate(bead(forces={"coil": forces.Torsion(joint="wire", stiffness=k)}), duration=2.0, rtol=1e-10)
    hangs = MASS * G * math.sin(TILT) / k
    assert np.abs(run.coordinate("wire") - hangs * (1.0 - np.cos(math.sqrt(k / MASS) * run.t))).max() < SAME_MOTION


def test_a_bead_has_four_freedoms_and_is_no_tree():
    found = pm.check(bead())
    assert found.dof == 4
    assert no_tree(bead()) == 'joint "wire" is a slot'


# -- a lever -----------------------------------------------------------------------------------------------------------

WAVE = signals.Sine(amplitude=0.05, frequency=1.0, phase=-0.5)


@pytest.mark.parametrize(("joint", "motion"), [("O", signals.Linear(rate=3.0)), ("slot", WAVE)], ids=["crank", "slot"])
def test_a_crank_swings_a_lever_as_vectors_say(joint, motion):
    """The travel is how far the pin is from the pivot; the force across the slot; loops of vectors find the same."""
    model = lever(joint, motion)
    assert pm.check(model).dof == 1
    run = pm.simulate(model, duration=0.4, samples=5, rtol=1e-8)
    arm = run["P"] - PIVOT
    length = np.linalg.norm(arm, axis=1)
    assert np.abs(run.coordinate("slot") - length + math.dist(PIN, PIVOT)).max() < 1e-12
    if joint == "O":
        assert np.abs(np.sum(arm * run.reaction("slot", "crank"), axis=1)).max() < 1e-10
    agree(run, None)
    cycle = loops.cycle(model, run.t)
    for b in model.bodies:
        assert np.abs(cycle.com_acceleration(b) - run.com_acceleration(b)).max() < 1e-9
        assert np.abs(cycle.alpha(b) - run.alpha(b)).max() < 1e-9
    assert np.abs(cycle.effort("motor") - run.effort("motor")).max() < 1e-9
    for on in ("crank", "lever"):
        assert np.abs(cycle.reaction("slot", on) - run.reaction("slot", on)).max() < 1e-9


# -- pictures and messages ---------------------------------------------------------------------------------------------


def test_a_slot_is_a_slit_in_the_first_body_and_a_ball_of_the_second():
    model = bead(forces={"push": forces.Motor(joint="wire", effort=1.0)})
    seen = scene(model)
    slit, ball = (p for p in seen.primitives if p.part.name == "wire")
    assert (type(slit), slit.frame) == (primitives.Slot, "ground")
    assert (type(ball), ball.frame) == (primitives.Ball, "bead")
    assert np.cross(np.subtract(slit.b, slit.a), DOWN) == pytest.approx(np.zeros(3), abs=1e-15)
    assert seen.arrows["load"]["push"].vector[0] == pytest.approx(np.array(DOWN))
    view.mechanism(model)


def test_the_point_of_a_slot_is_on_its_second_body():
    turned = joints.Slot(bodies=("bead", "ground"), point="P", axis=DOWN)
    assert bead().replaced(joints={"wire": turned}).joints["wire"] == turned
    with pytest.raises(ModelError, match='joint "wire": point "Q" is not on body "bead"; add it'):
        bead().replaced(points={"Q": DOWN}, joints={"wire": {"point": "Q"}})
