"""Transmission angles in space against points of the motion, velocity ratios, and the plane."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses.measures import transmission_space
from particlemech.analyses.measures.transmission import Output
from particlemech.model.freedom import Freedom


@pytest.fixture(scope="module")
def rssr():
    return pm.cycle(pm.models.load("rssr"), driver="motor", samples=41)


def by_points(result, axis, centre, place, other):
    """Return the angle, and size and power of a, of a pure force along the line of two points."""
    f = result[other] - result[place]
    f /= np.linalg.norm(f, axis=1)[:, None]
    a = np.cross(axis, result[place] - result[centre])
    power = np.sum(f * a, axis=1)
    return np.arcsin(np.abs(power) / np.linalg.norm(a, axis=1)), power


def test_between_two_balls_it_is_the_angle_of_the_coupler_against_the_plane_across_the_way(rssr):
    wanted, _ = by_points(rssr, (0.0, 1.0, 0.0), "C", "B", "A")
    assert rssr.measures().transmission("C") == pytest.approx(wanted, abs=1e-9)


def test_powers_of_the_coupler_at_both_its_ends_are_the_velocity_ratio(rssr):
    into, out = (by_points(rssr, *at)[1] for at in [((0, 0, 1.0), "O", "A", "B"), ((0, 1.0, 0), "C", "B", "A")])
    assert -into / out == pytest.approx(rssr.measures().ratio("C"), abs=1e-9)


@pytest.mark.parametrize("name", ["spatial_slider_crank", "piston_crank"])
def test_at_a_guide_it_is_the_angle_of_the_rod_against_the_plane_across_it(name):
    """The second is a linkage of the plane in space, so its joints hold each other too."""
    model = pm.models.load(name)
    found = pm.cycle(model, driver="motor", samples=25)
    way = found["B"][1] - found["B"][0]
    rod = found["B"] - found["A"]
    wanted = np.arcsin(np.abs(rod @ way) / np.linalg.norm(rod, axis=1) / np.linalg.norm(way))
    assert found.measures().transmission("guide") == pytest.approx(wanted, abs=1e-8)
    assert pm.cycle(model, driver="motor", samples=25).measures().columns()["guide.transmission"].shape == (25,)


def test_what_joints_can_share_in_many_ways_has_no_angle():
    found = pm.cycle(pm.models.load("bennett"), driver="A", samples=5).measures(driver="A")
    assert np.isnan(found.transmission("D")).all() and "D.transmission" not in found.columns()
    assert "transmission" not in str(found)


def test_masses_are_not_asked_for(rssr):
    model = pm.models.load("rssr").replaced(bodies={body: {"mass": None} for body in ("crank", "coupler", "rocker")})
    found = pm.cycle(model, driver="motor", samples=41).measures()
    assert found.transmission("C") == pytest.approx(rssr.measures().transmission("C"), abs=1e-9)
    low, high = (math.degrees(end.value) for end in found.extremes("C.transmission"))
    assert low == pytest.approx(37.985, abs=1e-2) and high == pytest.approx(68.976, abs=1e-2)


def test_couples_and_screws_are_judged_by_their_axes():
    """A couple at 0.3 rad to the axis; a force along the axis of a screw, which only its pitch lets work."""
    model = pm.models.load("universal_shaft")
    u = np.array(model.joints["B"].direction)
    aside = np.cross(u, (0.0, 0.0, 1.0))
    out, none = Output("B", "B", Freedom("angle", True, "ground", "output"), "output"), np.zeros(3)
    m = 2.0 * (math.cos(0.3) * u + math.sin(0.3) * aside)
    assert transmission_space._angle(model, out, none, m, none) == pytest.approx(math.pi / 2 - 0.3, abs=1e-15)
    screw = pm.space.joints.Screw(point="B", axis=model.joints["B"].axis, bodies=("ground", "output"), pitch=0.05)
    bodies = {"output": model.bodies["output"]}
    threaded = type(model)(points=model.points, bodies=bodies, joints={"B": screw})
    place = np.array(screw.place(threaded)) + 0.12 * aside
    angle = transmission_space._angle(threaded, out, 3.0 * u, none, place)
    assert math.sin(angle) == pytest.approx(0.05 / math.hypot(0.05, 0.12), abs=1e-15)


def test_what_bends_is_asked_for_its_advantage():
    found = pm.simulate(pm.models.load("flexible_slider_crank"), duration=1e-3, samples=3).measures()
    with pytest.raises(pm.ModelError, match=r"those of rigid bodies; ask for advantage"):
        found.transmission("guide")
