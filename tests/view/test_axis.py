"""What samples are shown against: time, the driver of a cycle, or one rest position after the other."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import view
from particlemech.view import page
from particlemech.view.axis import TIME, axis_of
from particlemech.view.families import scene


@pytest.fixture(scope="module")
def rocking():
    """A crank-rocker led by its rocker: it turns back where crank and coupler are in line."""
    return pm.cycle(pm.models.load("four_bar"), "C", samples=181)


@pytest.fixture(scope="module")
def turning():
    return pm.cycle(pm.models.load("quick_return"), "motor", samples=181)


def in_line(result):
    """Return where the rocker of a four-bar is when crank and coupler are in line, by the law of cosines, rad."""
    places = result.system.mechanism.points
    O, A, B, C = (np.array(places[p]) for p in "OABC")
    a, b, c, d = (np.linalg.norm(p - q) for p, q in ((A, O), (B, A), (C, B), (C, O)))
    drawn = math.atan2(*(B - C)[::-1])
    return sorted(math.pi - math.acos((c**2 + d**2 - e**2) / (2.0 * c * d)) - drawn for e in (b + a, b - a))


def test_a_cycle_is_shown_against_its_driver(turning):
    seen = scene(turning)
    assert (seen.axis.label, seen.axis.value(turning.t[[0, -1]]).tolist()) == ("motor [°]", [0.0, 360.0])
    assert seen.axis.value(turning.t) == pytest.approx(np.degrees(turning.coordinate("O")))
    assert seen.certificate["run"] == "181 poses, motor 0° to motor 360°"
    assert "energy error" not in seen.certificate  # poses follow from each other, not from forces
    assert view.series(turning, ["guide.travel"]).axes[-1].get_xlabel() == "motor [°]"


def test_a_run_is_shown_against_time():
    result = pm.simulate(pm.models.load("four_bar"), duration=0.05, samples=3)
    assert axis_of(result) is TIME and scene(result).marks == ()


def test_toggles_are_marked_where_crank_and_coupler_are_in_line(rocking):
    seen = scene(rocking)
    toggles = [mark for mark in seen.marks if mark.name == "toggle"]
    assert np.radians([seen.axis.value(mark.t) for mark in toggles]) == pytest.approx(in_line(rocking), abs=1e-9)
    assert len(pm.toggles(pm.models.load("four_bar"), "C").dead_points) == 2  # one of them on the other branch
    assert [mark.name for mark in seen.marks] == ["toggle", "dead point of B", "toggle"]


def test_dead_points_that_come_together_are_one_mark(turning):
    marks = [mark for mark in scene(turning).marks if "guide" in mark.name]
    assert [set(mark.name.removeprefix("dead point of ").split(", ")) for mark in marks] == [
        {"guide", "L", "C"}, {"guide", "L", "B", "C"},
    ]  # fmt: skip
    shut = math.degrees(math.acos(0.1 / 0.25))  # crank square to lever: crank 0.1, offset 0.25
    assert [scene(turning).axis.value(mark.t) for mark in marks] == pytest.approx(
        [180.0 - shut, 180.0 + shut], rel=1e-6
    )


def test_a_file_keeps_what_a_cycle_is_over(turning, tmp_path):
    turning.to_csv(tmp_path / "cycle.csv")
    assert axis_of(pm.read_result(tmp_path / "cycle.csv")) == axis_of(turning)


def test_rest_positions_come_one_after_the_other():
    seen = scene(pm.equilibrium(pm.models.load("double_pendulum"), all=True))
    assert seen.t.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert seen.axis.said(0.0) == "stable, 1 of 4" and seen.axis.said(3.0) == "unstable, 4 of 4"


@pytest.mark.parametrize("name, driver", [("four_bar", "O"), ("rssr", "motor")])
def test_a_cycle_without_masses_is_a_page_without_forces(name, driver):
    m = pm.models.load(name)
    m = m.replaced(
        bodies={b: {"mass": None, "com": None, "inertia": None} for b in m.bodies}, forces=dict.fromkeys(m.forces)
    )
    result = pm.cycle(m, driver, samples=31)
    assert set(scene(result).arrows) == {"load", "impulse", "velocity", "acceleration"}
    assert page.page(result).startswith("<!DOCTYPE html>")
