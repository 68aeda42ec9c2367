"""Pictures of measures show what the measures say."""

import math

import matplotlib
import numpy as np
import pytest

import particlemech as pm
from particlemech import view

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def turning():
    return pm.simulate(pm.models.load("quick_return"), samples=201)


@pytest.fixture(scope="module")
def solid():
    return pm.simulate(pm.models.load("spatial_slider_crank"), samples=61)


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_transmission_angles_are_drawn_over_the_last_turn_of_the_driver(turning):
    (ax,) = view.transmission(turning).axes
    line = next(line for line in ax.lines if len(line.get_xdata()) > 2 and str(line.get_label()).startswith("guide"))
    np.testing.assert_allclose(line.get_xdata()[[0, -1]], [0.0, 360.0], atol=1e-9)
    np.testing.assert_allclose(line.get_ydata(), np.degrees(turning.measures().transmission("guide"))[100:])
    assert labels(ax) == ["L: 90° to 90°", "guide: 83.79° to 95.71°", "good: 45° to 135°"]
    assert ax.get_ylim() == (0.0, 180.0)


def test_the_turning_moment_names_mean_and_excess_energy(turning):
    (ax,) = view.turning_moment(turning).axes
    found = turning.measures().turning_moment()
    assert f"excess energy {found.excess:.4g} J" in labels(ax) and "mean 0 N m" in labels(ax)
    assert ax.get_ylabel() == "turning moment [N m]" and ax.get_xlabel() == "motor [°]"


def test_the_shaking_force_is_the_curve_of_its_tip_with_the_moment_beside_it(turning, solid):
    left, right = view.shaking(turning, about="L").axes
    np.testing.assert_allclose(left.lines[0].get_xydata(), turning.measures().shaking().force[100:])
    np.testing.assert_allclose(right.lines[0].get_ydata(), turning.measures().shaking("L").moment[100:])
    assert right.get_title() == "moment about L"
    flat, space = view.shaking(solid).axes
    assert flat.name == "3d" and labels(space) == ["about x", "about y", "about z"]


def test_bearing_loads_are_polar(turning):
    figure = view.bearings(turning, ["O", "L"], axes="crank")
    (ax,) = figure.axes
    assert ax.name == "polar" and len(figure.legends) == 1
    load = turning.measures().bearing("O", "crank", "crank")[100:]
    way, size = ax.lines[0].get_data()
    np.testing.assert_allclose(np.stack([size * np.cos(way), size * np.sin(way)], axis=1), load, atol=1e-9)


def test_centrodes_touch_in_the_instant_centre(turning):
    (ax,) = view.centrodes(turning, "lever", "crank", t=0.3).axes
    dot = next(line for line in ax.lines if line.get_label() == "instant centre").get_xydata()[0]
    for name in ("lever", "crank"):
        curve = next(line for line in ax.lines if line.get_label() == f"centrode on {name}").get_xydata()
        assert np.nanmin(np.linalg.norm(curve - dot, axis=1)) < 1e-9
    assert len(view.centrodes(turning).axes) == 1


def test_columns_of_measures_are_drawn_like_others(turning):
    (ax,) = view.series(turning, ["guide.transmission"], degrees=True).axes
    assert ax.get_ylabel() == "angle [°]"
    assert len(view.series(turning, ["motor.power", "shaking.f", "link.pole"]).axes) == 3


def test_a_run_without_a_full_cycle_is_drawn_against_time(turning):
    short = pm.simulate(pm.models.load("quick_return"), duration=0.4, samples=41)
    assert view.transmission(short).axes[0].get_xlabel() == "time [s]"
    with pytest.raises(pm.ModelError, match=r"turning moment: the run from 0 to 0.4 s holds no full cycle"):
        view.turning_moment(short)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (view.bearings, "those of the plane"),
        (view.centrodes, "those of the plane"),
    ],
)
def test_pictures_of_the_plane_are_refused_in_space(solid, draw, said):
    with pytest.raises(pm.ModelError, match=said):
        draw(solid)


def test_words_of_the_command_line_draw_them(turning):
    for word in ("transmission", "centrodes", "bearings", "shaking", "turning_moment"):
        assert view.plot.chosen(turning, [word]).axes
    assert math.isfinite(turning.measures().span.period)
