"""Odd chains of bending bodies and odd requests: a closed form where there is one, else a line that says why not."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, modes, response
from particlemech.engine.bending.local_inertia import integrals, local
from particlemech.engine.recursive.topology import ordered
from particlemech.errors import ModelError, SimulationError
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.space import forces, joints
from particlemech.model.space.forms import ModeTable
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Body

BEND = [{"along": "y", "shape": [0, 0, 1]}, {"along": "y", "shape": [0, 0, 1, -1.2]}]
TWIST = {"about": "x", "shape": [0, 1]}
TWO = (2.0, 0.0, 0.0)


def beam(**changes):
    """Return a uniform beam that bends along y."""
    return {"density": 1.0, "EI": 10.0, "modes": BEND} | changes


def clamped(body, end=(1.0, 0.0, 0.0), points=None, **changes):
    """Return one body in a wall, from the origin to its end."""
    body = Body(points=("root", "end", *(points or ())), **body)
    places = {"root": (0, 0, 0), "end": tuple(end), **(points or {})}
    wall = joints.Weld(bodies=("ground", "beam"), point="root")
    made = Mechanism(points=places, bodies={"beam": body}, joints={"wall": wall}, **changes)
    ordered(made)  # what no body can have is found here
    return made


def pinned(**changes):
    """Return two beams, clamped to each other, on a free hinge."""
    rows = [{"name": "one", "joint": "pin"}, {"name": "two", "joint": "weld", "type": "weld"}]
    return from_link_table([row | beam(end=(1, 0, 0)) for row in rows], "report", **changes)


# -- telescopes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "drive", [{}, {"drive": {"stiffness": 40.0, "rotor": 0.5}}], ids=["stiff drive", "flexible drive"]
)
def test_a_rod_that_slides_out_of_a_turning_hub_keeps_energy_and_its_angular_momentum(drive):
    rod = beam(points=("inner", "outer"), modes=[{"along": axis, "shape": [0, 0, 1]} for axis in "yz"])
    turning = Mechanism(
        points={"inner": (0, 0, 0), "outer": (1, 0, 0)},
        bodies={"hub": Body(mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)), "rod": Body(**rod)},
        joints={
            "turn": joints.Revolute(bodies=("ground", "hub"), point=(0, 0, 0), axis=(0, 0, 1)),
            "slide": joints.Prismatic(bodies=("hub", "rod"), point="inner", axis=(1, 0, 0), **drive),
        },
        initial={"position": {"slide": 0.2}, "rate": {"turn": 2.0, "slide": 0.3}, "modes": {"rod": [0.05, 0.02]}},
    )
    result = pm.simulate(turning, duration=1.0, samples=21, rtol=1e-10)
    spin = result.momentum.angular[:, 2]
    assert np.ptp(spin) < 1e-8 * spin[0]
    assert np.abs(result.energy.error).max() < 1e-8 * result.energy.scale
    assert result.coordinate("slide")[-1] > 1.0  # it is thrown out, and the hub slows down
    assert result.rate("turn")[-1] < 1.0


# -- inertia ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes", [{"density": 0.0}, {"modes": [TWIST], "GJ": 1.0}], ids=["no mass", "torsion without rotary inertia"]
)
def test_a_mode_that_moves_no_mass_is_named(changes):
    with pytest.raises(ModelError, match=r'body "beam": mode 1 moves no mass.*"rotary"'):
        clamped(beam(**changes))


@pytest.mark.parametrize("sublinks", [1, 3])
def test_rotary_inertia_may_be_about_the_link_alone(sublinks):
    body = beam(modes=[*BEND, TWIST], GJ=7.0, rotary=[0.1, 0, 0], sublinks=sublinks)
    load = {"push": forces.Load(body="beam", point="at", force=[0, 1e-4, 0])}
    made = clamped(body, (2, 0, 0), {"at": (2.0, 0.0, 0.3)}, forces=load)
    sag = pm.equilibrium(made).elastic("at")[0, 1]
    assert sag == pytest.approx(1e-4 * (2.0**3 / 30.0 + 0.3**2 * 2.0 / 7.0), rel=1e-6)


def test_freedoms_that_undo_each_other_are_both_named():
    hub = pinned(base={"motion": "free", "name": "hub", "mass": 1.0, "com": (0, 0, 0), "inertia": (0.1, 0.1, 0.0)})
    with pytest.raises(ModelError, match=r'"float\.omega3" and "pin\.angle" meet no inertia where one undoes'):
        modes(hub)


# -- shapes ----------------------------------------------------------------------------------------------------------


def test_a_shape_that_fails_in_any_way_is_named():
    with pytest.raises(ModelError, match=r'"modes": number 1: the function fails \(KeyError: '):
        clamped(beam(modes=[{"along": "y", "shape": lambda xi: {}[xi]}]))


@pytest.mark.parametrize(("end", "along"), [([0.6, 0.8, 0], [-0.8, 0.6, 0]), ([1, 2, 3], [2, -1, 0])])
def test_a_link_that_bends_across_any_direction_needs_no_stiffness_along_it(end, along):
    shapes = [mode | {"along": along} for mode in BEND]
    found, straight = modes(clamped(beam(modes=shapes), end)), modes(clamped(beam()))
    assert found.frequency * np.dot(end, end) == pytest.approx(straight.frequency, rel=1e-9)
    with pytest.raises(ModelError, match='"EA" is missing, and mode 1 works against it'):
        clamped(beam(), end)


def link(made):
    """Return the numbers of the only body, in axes of the drawing."""
    return ordered(made).frames[0].link


def tabled(turn):
    """Return a body whose one mode is a table: a square, and sections that turn by `turn` times its slope."""
    xi = np.linspace(0.0, 1.0, 11)
    rows = [[0.0, s * s, 0.0, 0.0, 0.0, turn * s] for s in xi.tolist()]
    return {"density": 1.0, "EI": 10.0, "shapes": ModeTable(x=xi.tolist(), rows=rows)}


def test_sections_of_a_table_turn_with_its_slopes():
    for turn in (0.0, -1.0):
        with pytest.raises(ModelError, match=rf'"shapes": mode 1: rz is {turn:g} at the end, .* slope by 1;'):
            clamped(tabled(turn), TWO)
    report = clamped(tabled(0.0), TWO, bending={"geometry": "report"})
    assert not link(report).end_psi.any()
    square = clamped(beam(modes=BEND[:1]), TWO)
    assert modes(clamped(tabled(1.0), TWO)).frequency == pytest.approx(modes(square).frequency, rel=1e-9)
    assert link(clamped(tabled(0.9), TWO)).end_psi[2, 0] == pytest.approx(0.9)  # shear is no fault


# -- controllers -----------------------------------------------------------------------------------------------------


def controlled(law):
    """Return two beams with a controller in their hinge."""
    return pinned(forces={"law": forces.Custom(joint="pin", function=law)})


@pytest.mark.parametrize("value", ["3", np.ones(1), np.ones(2), 1j, None], ids=repr)
def test_what_is_no_number_is_no_effort(value):
    with pytest.raises(ModelError, match='force "law": its function must return a number, the effort, got '):
        pm.simulate(controlled(lambda t, state: value), duration=0.1)


@pytest.mark.parametrize(
    "law",
    [lambda t, state: state.acceleration("tip")[1], lambda t, state: state.second_rate("pin")],
    ids=["of a point", "of a joint"],
)
def test_a_controller_that_asks_for_accelerations_is_told_that_it_has_none(law):
    with pytest.raises(SimulationError, match=r'force "law", .* no accelerations or forces, gave a value that is'):
        pm.simulate(controlled(law), duration=0.1)


def test_what_a_controller_raises_comes_out_as_it_is():
    def law(t, state):
        raise RuntimeError("no supply")

    with pytest.raises(RuntimeError, match="no supply"):
        pm.simulate(controlled(law), duration=0.1)


# -- responses -------------------------------------------------------------------------------------------------------


def test_a_response_without_bound_is_refused():
    with pytest.raises(ModelError, match="at 0 Hz the answer has no bound"):
        response(pinned(), [0.0], point="tip", force=("tip", [0, 1, 0]))
    held = response(pinned(), [0.0], point="tip", force=("tip", [0, 1, 0]), joints="locked")
    assert held[0, 1] == pytest.approx(2.0**3 / 30.0, rel=1e-6)


@pytest.mark.parametrize(
    ("frequency", "force", "words"),
    [
        ([1.0], ("tip", [0, 1]), "direction of the force: expected 3 finite numbers"),
        ([1.0], "tip", "force: expected a point and a direction"),
        (["fast"], ("tip", [0, 1, 0]), "frequency: expected numbers"),
        ([math.nan], ("tip", [0, 1, 0]), "frequency: expected a list of finite numbers"),
    ],
)
def test_requests_for_a_response_are_judged(frequency, force, words):
    with pytest.raises(ModelError, match=f"response: {words}"):
        response(pinned(), frequency, point="tip", force=force)


# -- results ---------------------------------------------------------------------------------------------------------


def test_a_result_can_be_pickled():
    result = pm.simulate(models.load("two_link_flexible"), duration=0.05, samples=6)
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again["tip"], result["tip"])
    assert np.array_equal(again.elastic("tip"), result.elastic("tip"))
    assert again.status == result.status


def test_influences_of_a_sample_that_is_none_are_refused():
    from particlemech.analyses.influence.matrices import influences

    result = pm.simulate(models.load("two_link_flexible"), duration=0.05, samples=6)
    with pytest.raises(ModelError, match="influences: sample 6: the run has 6 of them"):
        influences(result, sample=6)


def test_matrices_of_a_body_take_a_mechanism_and_its_name():
    arm = pinned()
    assert local(arm, np.zeros(2), "one") == pytest.approx(integrals(arm, "one").matrix, abs=1e-14)
    for function in (integrals, lambda given: local(given, np.zeros(2))):
        with pytest.raises(ModelError, match="takes a mechanism and the name of a bending body, got "):
            function(arm)


def test_many_chains_at_once_move_as_each_alone():
    cases = [pinned(initial={"rate": {"pin": rate}}) for rate in (1.0, 2.0)]
    many = pm.simulate_many(cases, duration=0.1, samples=3, workers=1)
    for k, one in enumerate(cases):
        alone = pm.simulate(one, duration=0.1, samples=3)
        assert np.array_equal(many.position.sel(case=k, point="tip"), alone["tip"])
