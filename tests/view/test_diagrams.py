"""Diagrams along bodies, at an instant and over the run, and deflections that are drawn larger than they are."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.primitives import Curve
from particlemech.view import page, plot
from particlemech.view.families import scene
from tests.support.bending_loops import mechanism
from tests.support.elastica import to_the_left


@pytest.fixture(scope="module")
def result():
    return pm.simulate(pm.models.load("cantilever"), duration=0.5, samples=26)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_a_diagram_is_what_the_sections_carry_at_its_instant(result):
    figure = plot.chosen(result, ["beam.moment", "beam.shear"], at=0.2)
    upper, lower = figure.axes
    found = result.internal("beam", n=121)
    curve = upper.get_lines()[0]
    assert curve.get_label() == "about z, at 0.2 s"
    assert curve.get_ydata() == pytest.approx(found.moment[10, :, 2])
    assert lower.get_lines()[0].get_ydata() == pytest.approx(found.force[10, :, 1])
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("bending moment [N m]", "shear force [N]")
    assert lower.get_xlabel() == "along beam [m]"


def test_without_an_instant_it_is_that_of_the_largest_value(result):
    (ax,) = plot.diagram(result, "beam.moment").axes
    moment = result.internal("beam", n=121).moment[:, :, 2]
    k = int(np.argmax(np.abs(moment).max(axis=1)))
    assert ax.get_lines()[0].get_ydata() == pytest.approx(moment[k])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((moment.min(), moment.max()))


def test_what_cannot_be_drawn_is_said(result):
    with pytest.raises(ModelError, match=r'"beam.moment" is drawn along its body and "tip" against time'):
        plot.chosen(result, ["beam.moment", "tip"])
    with pytest.raises(ModelError, match="no section, so no stresses"):
        plot.chosen(result, ["beam.stress"])
    with pytest.raises(ModelError, match="lies outside the motion"):
        plot.chosen(result, ["beam.moment"], at=3.0)
    with pytest.raises(ModelError, match="no points or arrows"):
        plot.chosen(result, ["beam.moment"], arrows=["load"])
    with pytest.raises(ModelError, match=r'column "beam.momentum" unknown'):
        plot.chosen(result, ["beam.momentum"])
    assert plot.chosen(result, ["beam.moment_max"]).axes[0].get_ylabel() == "moment [N m]"


# -- drawn on the bodies -----------------------------------------------------------------------------------------------


def test_a_bending_moment_is_drawn_on_the_side_of_its_rod_that_it_pulls():
    load = pm.forces.Load(body="beam", point=(0.5, 0.0), force=(0.0, -40.0))
    held = {
        "A": pm.joints.Revolute(point="A", bodies=("ground", "beam")),
        "B": pm.joints.Slot(point="B", bodies=("ground", "beam"), axis=(1.0, 0.0)),
    }
    m = pm.Mechanism(
        points={"A": (0.0, 0.0), "B": (2.0, 0.0)},
        bodies={"beam": pm.Body(points=("A", "B"), mass=1e-9)},
        joints=held,
        forces={"push": load},
    )
    (ax,) = plot.chosen(pm.equilibrium(m), ["moment"]).axes
    drawn = next(line for line in ax.get_lines() if str(line.get_label()).startswith("beam")).get_xydata()
    lowest = drawn[np.argmin(drawn[:, 1])]
    assert drawn[:, 1].max() == pytest.approx(0.0, abs=1e-9)
    assert lowest[0] == pytest.approx(0.5) and lowest[1] < -0.1  # it sags, and is pulled below
    assert "at most 15 N m" in ax.get_title() and ax.texts[-1].get_text().strip() == "15"


def test_what_bodies_carry_is_drawn_in_space_too_at_the_instant_of_the_largest(result):
    (ax,) = plot.carried(result, "moment").axes
    k = int(np.argmax(np.abs(result.internal("beam").moment).max(axis=(1, 2))))
    assert f"at {result.t[k]:.4g} s" in ax.get_title()
    with pytest.raises(ModelError, match="no section, so no stresses"):
        plot.carried(result, "stress")
    with pytest.raises(ModelError, match='no diagram of "bending"'):
        plot.carried(result, "bending")
    with pytest.raises(ModelError, match="no body of this mechanism bends or is a rod"):
        plot.carried(pm.simulate(pm.models.load("andrews_squeezer"), duration=0.001, samples=2))


# -- deflections that are drawn larger ---------------------------------------------------------------------------------


def curve_of(whole):
    (found,) = (p.points for p in whole.primitives if isinstance(p, Curve))
    return found


def test_a_tree_is_drawn_with_all_its_deflections_multiplied(result):
    rigid, larger = result.rigid("tip"), scene(result, exaggerate=3.0)
    across = larger.points["tip"][:, 1]
    assert np.abs(across).max() > 0.02
    assert across - rigid[:, 1] == pytest.approx(3.0 * result.elastic("tip")[:, 1], rel=1e-3)  # parts turn
    assert curve_of(larger)[:, -1, 1] == pytest.approx(across)
    assert scene(result, exaggerate=0.0).points["tip"] == pytest.approx(rigid)
    assert larger.title == "Cantilever, deflections x 3"
    assert scene(result).points["tip"] == pytest.approx(result["tip"])


def test_loops_stay_closed_and_bodies_bow_out_of_their_chords():
    result = pm.simulate(mechanism("slider_crank", sublinks=2), duration=0.1, samples=11)
    plain, larger = scene(result), scene(result, exaggerate=5.0)
    for point in ("A", "B"):
        assert larger.points[point] == pytest.approx(plain.points[point], abs=1e-12)
    bow = to_the_left(*(plain.points[p] for p in ("A", "B", "M_rod")))
    assert np.abs(bow).max() > 1e-5
    assert to_the_left(*(larger.points[p] for p in ("A", "B", "M_rod"))) == pytest.approx(5.0 * bow, rel=1e-9)
    assert curve_of(larger)[:, -1] == pytest.approx(plain.points["B"], abs=1e-12)


def test_what_cannot_be_exaggerated_is_said(result):
    with pytest.raises(ModelError, match="simulate the mechanism"):
        scene(pm.models.load("cantilever"), exaggerate=2.0)
    with pytest.raises(ModelError, match="bends; leave it out"):
        scene(pm.simulate(pm.models.load("four_bar"), duration=0.01, samples=2), exaggerate=2.0)
    with pytest.raises(ModelError, match="not negative"):
        scene(result, exaggerate=-1.0)
    with pytest.raises(ModelError, match="in pictures only"):
        plot.chosen(result, ["beam.moment"], exaggerate=2.0)


def test_pages_and_pictures_say_what_they_exaggerate(result):
    assert "deflections x 4" in page.page(result, exaggerate=4.0)
    assert "deflections x 4" in plot.chosen(result, [], at=0.2, exaggerate=4.0).axes[0].get_title()
