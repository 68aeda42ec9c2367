"""Odd flexible manipulators and odd requests: a closed form where there is one, else a line that says what is wrong."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.errors import ModelError, SimulationError
from particlemech.flexible import (
    Base,
    Link,
    Mechanism,
    ModeTable,
    Point,
    forces,
    influences,
    integrals,
    joints,
    local,
    modes,
    response,
    static,
)

BEND = [{"along": "y", "shape": [0, 0, 1]}, {"along": "y", "shape": [0, 0, 1, -1.2]}]
TWIST = {"about": "x", "shape": [0, 1]}


def beam(length=1.0, **changes):
    """Return a uniform beam along x that bends along y."""
    return Link(**({"end": [length, 0, 0], "density": 1.0, "EI": 10.0, "modes": BEND} | changes))


def clamped(link, **changes):
    """Return one link in a wall."""
    return Mechanism(links={"beam": link}, joints={"wall": joints.Revolute(link="beam", locked=True)}, **changes)


def hinged(**changes):
    """Return two beams, clamped to each other, on a free hinge."""
    return Mechanism(
        links={"one": beam(), "two": beam()},
        joints={"pin": joints.Revolute(link="one"), "weld": joints.Revolute(link="two", locked=True)},
        points={"tip": Point(link="two")},
        **changes,
    )


# -- telescopes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drive", [{}, {"stiffness": 40.0, "rotor": 0.5}], ids=["stiff drive", "flexible drive"])
def test_a_rod_that_slides_out_of_a_turning_hub_keeps_energy_and_its_angular_momentum(drive):
    hub = Link(mass=2.0, com=[0, 0, 0], inertia=[0.1, 0.1, 0.1], alpha=0.5 * math.pi)  # z of the next joint is radial
    rod = beam(end=[0, 0, 1.0], modes=[{"along": axis, "shape": [0, 0, 1]} for axis in "xy"])
    turning = Mechanism(
        links={"hub": hub, "rod": rod},
        joints={"turn": joints.Revolute(link="hub"), "slide": joints.Prismatic(link="rod", **drive)},
        initial={"position": {"slide": 0.2}, "rate": {"turn": 2.0, "slide": 0.3}, "modes": {"rod": [0.02, 0.05]}},
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
    with pytest.raises(ModelError, match=r'link "beam": mode 1 moves no mass.*"rotary"'):
        clamped(beam(**changes))


@pytest.mark.parametrize("sublinks", [1, 3])
def test_rotary_inertia_may_be_about_the_link_alone(sublinks):
    link = beam(2.0, modes=[*BEND, TWIST], GJ=7.0, rotary=[0.1, 0, 0], sublinks=sublinks)
    off = {"at": Point(link="beam", at=[2.0, 0.0, 0.3])}
    load = {"push": forces.Load(link="beam", point="at", force=[0, 1e-4, 0])}
    sag = static(clamped(link, points=off, forces=load)).elastic("at")[0, 1]
    assert sag == pytest.approx(1e-4 * (2.0**3 / 30.0 + 0.3**2 * 2.0 / 7.0), rel=1e-6)


def test_freedoms_that_undo_each_other_are_both_named():
    words = r'"base.omega_z" and "pin.phi" meet no inertia where one undoes the other'
    with pytest.raises(ModelError, match=words):
        modes(hinged(), base="free")
    with pytest.raises(ModelError, match=words):
        pm.simulate(hinged(base=Base(motion="free", mass=1.0)), duration=0.1)


# -- shapes ----------------------------------------------------------------------------------------------------------


def test_a_shape_that_fails_in_any_way_is_named():
    with pytest.raises(ModelError, match=r'"modes": number 1: the function fails \(KeyError: '):
        clamped(beam(modes=[{"along": "y", "shape": lambda xi: {}[xi]}]))


@pytest.mark.parametrize(("end", "along"), [([0.6, 0.8, 0], [-0.8, 0.6, 0]), ([1, 2, 3], [2, -1, 0])])
def test_a_link_that_bends_across_any_direction_needs_no_stiffness_along_it(end, along):
    shapes = [mode | {"along": along} for mode in BEND]
    found, straight = modes(clamped(beam(end=end, modes=shapes))), modes(clamped(beam()))
    assert found.frequency * np.dot(end, end) == pytest.approx(straight.frequency, rel=1e-9)
    with pytest.raises(ModelError, match='"EA" is missing, and mode 1 works against it'):
        clamped(beam(end=end))


def tabled(turn):
    """Return a link whose one mode is a table: a square, and sections that turn by `turn` times its slope."""
    xi = np.linspace(0.0, 1.0, 11)
    rows = [[0.0, s * s, 0.0, 0.0, 0.0, turn * s] for s in xi.tolist()]
    return Link(end=[2.0, 0, 0], density=1.0, EI=10.0, shapes=ModeTable(x=xi.tolist(), rows=rows))


def test_sections_of_a_table_turn_with_its_slopes():
    for turn in (0.0, -1.0):
        with pytest.raises(ModelError, match=rf'"shapes": mode 1: rz is {turn:g} at the end, .* slope by 1;'):
            clamped(tabled(turn))
    assert clamped(tabled(0.0), geometry="report").numbers["beam"][0].end_psi[2, 0] == 0.0
    square = clamped(beam(2.0, modes=BEND[:1]))
    assert modes(clamped(tabled(1.0))).frequency == pytest.approx(modes(square).frequency, rel=1e-9)
    assert clamped(tabled(0.9)).numbers["beam"][0].end_psi[2, 0] == pytest.approx(0.9)  # shear is no fault


# -- controllers -----------------------------------------------------------------------------------------------------


def controlled(law):
    """Return two beams with a controller in their hinge."""
    return hinged(forces={"law": forces.Controller(joint="pin", function=law)})


@pytest.mark.parametrize("value", ["3", np.ones(1), np.ones(2), 1j, None], ids=repr)
def test_what_is_no_number_is_no_effort(value):
    with pytest.raises(ModelError, match=r'controller "law" gave .* its function returns a number'):
        pm.simulate(controlled(lambda t, state: value), duration=0.1)


@pytest.mark.parametrize(
    "law",
    [lambda t, state: state.acceleration("tip")[1], lambda t, state: state.second_rate("pin")],
    ids=["of a point", "of a joint"],
)
def test_a_controller_that_asks_for_accelerations_is_told_that_it_has_none(law):
    with pytest.raises(SimulationError, match=r'controller "law", .* no accelerations or forces, gave a value that is'):
        pm.simulate(controlled(law), duration=0.1)


def test_what_a_controller_raises_comes_out_as_it_is():
    def law(t, state):
        raise RuntimeError("no supply")

    with pytest.raises(RuntimeError, match="no supply"):
        pm.simulate(controlled(law), duration=0.1)


# -- responses -------------------------------------------------------------------------------------------------------


def test_a_response_without_bound_is_refused():
    with pytest.raises(ModelError, match="at 0 Hz the answer has no bound"):
        response(hinged(), [0.0], point="tip", force=("tip", [0, 1, 0]))
    held = response(hinged(), [0.0], point="tip", force=("tip", [0, 1, 0]), joints="locked")
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
        response(hinged(), frequency, point="tip", force=force)


# -- results ---------------------------------------------------------------------------------------------------------


def test_a_result_can_be_pickled():
    result = pm.simulate(models.load("two_link_flexible"), duration=0.05, samples=6)
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again["tip"], result["tip"])
    assert np.array_equal(again.elastic("tip"), result.elastic("tip"))
    assert again.status == result.status
    with pytest.raises(ModelError, match="influences: sample 6: the run has 6 of them"):
        influences(result, sample=6)


def test_matrices_of_a_link_take_a_link():
    link = beam()
    assert local(link, np.zeros(2)) == pytest.approx(integrals(link).matrix, abs=1e-14)
    for function in (integrals, lambda given: local(given, np.zeros(2))):
        with pytest.raises(ModelError, match="takes one link, got "):
            function(hinged())


def test_many_flexible_manipulators_at_once_are_refused_in_one_line():
    with pytest.raises(ModelError, match="run each with simulate"):
        pm.simulate_many([hinged(), hinged()], duration=0.1)
