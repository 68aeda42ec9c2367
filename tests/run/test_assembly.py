"""Lengths that differ from the drawing: followed on the branch of the drawing, or refused where the branch ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, forces, joints, models
from particlemech.run.assembly import followed, lengths
from particlemech.run.preparing import prepared, prepared_explicit
from tests.support.problems import DOWN, FORMULATIONS, driven_four_bar

COUPLER = math.hypot(0.3, 0.2)  # m, as drawn in the shipped four-bar
WAYS = (*FORMULATIONS, "explicit")


def started(mechanism, way):
    """Return the places of all points at the start, and the start."""
    system, begin = prepared_explicit(mechanism) if way == "explicit" else prepared(mechanism, way)
    motion = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    return dict(zip(system.layout.points, motion.point[0], strict=True)), begin


def meeting(A, C, a, c, side):
    """Return where circles about A and C of radii a and c meet, left (1) or right (-1) of the line from A to C."""
    line = np.subtract(C, A)
    d = math.hypot(*line)
    along = (a * a - c * c + d * d) / (2.0 * d)
    across = side * math.sqrt(a * a - along**2)
    return A + (along * line + across * np.array([-line[1], line[0]])) / d


def side(points):
    """Return the sign of the cross product that tells the two assemblies of a four-bar apart."""
    line, rod = points["C"] - points["A"], points["B"] - points["A"]
    return math.copysign(1.0, line[0] * rod[1] - line[1] * rod[0])


def four_bar(below=False):
    """Return the four-bar with a motor on its crank; its coupler meets the rocker above or below the line A-C."""
    model = driven_four_bar()
    if below:
        x, y = meeting(np.array([0.0, 0.1]), (0.3, 0.0), COUPLER, 0.3, -1)
        model = model.replaced(points={**model.points, "B": (float(x), float(y))})
    return model


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("factor", [0.05, 0.4, 0.8, 0.95, 1.05, 1.2, 1.6, 1.7])
@pytest.mark.parametrize("way", WAYS)
def test_a_coupler_of_another_length_meets_the_rocker_on_the_drawn_side(way, factor, below):
    points, _ = started(four_bar(below).replaced(bodies={"coupler": {"length": factor * COUPLER}}), way)
    exact = meeting(np.array([0.0, 0.1]), (0.3, 0.0), factor * COUPLER, 0.3, -1 if below else 1)
    assert np.abs(points["A"] - (0.0, 0.1)).max() <= 1e-13
    assert np.abs(points["B"] - exact).max() <= 1e-12


@pytest.mark.parametrize("way", WAYS)
def test_several_lengths_are_followed_at_once(way):
    asked = {"crank": 0.16, "coupler": 0.62, "rocker": 0.5}
    points, _ = started(four_bar().replaced(bodies={b: {"length": of} for b, of in asked.items()}), way)
    assert points["A"] == pytest.approx([0.0, 0.16], abs=1e-13)
    assert points["B"] == pytest.approx(meeting(np.array([0.0, 0.16]), (0.3, 0.0), 0.62, 0.5, 1), abs=1e-12)


def test_a_drawing_near_its_dead_centre_keeps_its_side():
    # B lies 0.6 mm off the line: a step in one go would end on either side
    for wanted in (-1, 1):
        x, y = meeting(np.array([0.0, 0.1]), (0.3, 0.0), 0.0162290, 0.3, wanted)
        base = driven_four_bar()
        near = base.replaced(points={**base.points, "B": (float(x), float(y))})
        for length in (0.0164, 0.02, 0.3, 0.6):
            points, _ = started(near.replaced(bodies={"coupler": {"length": length}}), "particles")
            assert side(points) == wanted
            exact = meeting(np.array([0.0, 0.1]), (0.3, 0.0), length, 0.3, wanted)
            assert points["B"] == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("factor", [0.2, 0.4, 0.8, 1.2, 1.6, 1.9])
def test_free_four_bar_starts_alike_in_all_formulations_with_all_lengths(factor):
    model = models.load("four_bar").replaced(bodies={"coupler": {"length": factor * COUPLER}})
    starts = [started(model, way)[0] for way in WAYS]
    for points in starts:
        assert side(points) == 1.0
        for a, b, length in (("O", "A", 0.1), ("A", "B", factor * COUPLER), ("B", "C", 0.3)):
            assert math.dist(points[a], points[b]) == pytest.approx(length, abs=1e-13)
        for p in "OABC":
            assert points[p] == pytest.approx(starts[0][p], abs=1e-12)


def test_free_four_bar_goes_to_the_least_motion_of_mass():
    """Against a search over the angle of the crank, for a coupler of 0.4 of its drawn length."""
    b = 0.4 * COUPLER
    points, _ = started(models.load("four_bar").replaced(bodies={"coupler": {"length": b}}), "particles")
    drawn = {"A": np.array([0.0, 0.1]), "B": np.array([0.3, 0.3])}
    short = drawn["A"] + 0.4 * (drawn["B"] - drawn["A"])  # the coupler is drawn on its line

    def travel(theta):
        A = 0.1 * np.array([math.cos(theta), math.sin(theta)])
        B = meeting(A, (0.3, 0.0), b, 0.3, 1)
        rods = [
            (0.5, np.zeros(2), A - drawn["A"]),
            (0.8, A - drawn["A"], B - short),
            (0.6, B - drawn["B"], np.zeros(2)),
        ]
        return sum(m / 3 * (u @ u + u @ v + v @ v) for m, u, v in rods)

    theta, h = math.atan2(points["A"][1], points["A"][0]), 1e-4
    before, here, after = travel(theta - h), travel(theta), travel(theta + h)
    curvature = (before - 2.0 * here + after) / h**2
    assert curvature > 0.0
    assert abs((after - before) / (2.0 * h) / curvature) <= 1e-6  # rad from the minimum; the difference is good to h^2


@pytest.mark.parametrize(
    ("asked", "limit", "word"),
    [(5.0, math.hypot(0.3, 0.1) + 0.3, "up"), (0.01, math.hypot(0.3, 0.1) - 0.3, "down")],
)
@pytest.mark.parametrize("way", WAYS)
def test_a_length_that_cannot_be_is_refused_with_the_last_that_can(way, asked, limit, word):
    with pytest.raises(pm.ModelError, match=f'body "coupler": length {asked:g} m cannot be reached') as error:
        started(four_bar().replaced(bodies={"coupler": {"length": asked}}), way)
    said = float(str(error.value).split(f"fits together {word} to ")[1].split(" m")[0])
    assert said == pytest.approx(limit, rel=1e-6)


def test_a_free_four_bar_stretches_until_all_its_rods_are_in_line():
    with pytest.raises(pm.ModelError, match=r"from the drawn 0\.3605551 m: the mechanism fits together up to 0\.7 m;"):
        started(models.load("four_bar").replaced(bodies={"coupler": {"length": 0.9}}), "particles")


def test_several_lengths_that_cannot_be_are_refused_with_the_most_changed():
    # drawn 0.36 and 0.3, asked 0.03 and 0.2: what is left over of A-C, 0.316, ends at their sum
    asked = {"coupler": {"length": 0.03}, "rocker": {"length": 0.2}}
    with pytest.raises(pm.ModelError, match=r'body "coupler": .*with the other changed lengths') as error:
        started(four_bar().replaced(bodies=asked), "particles")
    s = (COUPLER + 0.3 - math.hypot(0.3, 0.1)) / (COUPLER - 0.03 + 0.1)
    said = float(str(error.value).split("down to ")[1].split(" m")[0])
    assert said == pytest.approx(COUPLER + s * (0.03 - COUPLER), rel=1e-6)


def test_the_length_of_a_dead_centre_is_reached():
    longest = math.hypot(0.3, 0.1) + 0.3
    pose = followed(four_bar().replaced(bodies={"coupler": {"length": longest}})).start
    # the centre of the coupler lies on the line A-C; a gap of 1e-11 leaves a rod 1e-6 off its line
    A, C = np.array([0.0, 0.1]), np.array([0.3, 0.0])
    assert pose.com[1] == pytest.approx(A + 0.5 * longest * (C - A) / math.dist(A, C), abs=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_the_length_of_a_distance_joint_is_followed_too(way):
    # a bar pinned at O and a strut of 1 m drawn upright: one of 1.9 m turns the bar up by acos
    model = Mechanism(
        points={"O": (0.0, 0.0), "P": (1.0, 0.0), "Q": (1.0, -1.0)},
        bodies={"bar": Body(points=("O", "P"), mass=1.0)},
        joints={
            "O": joints.Revolute(bodies=("ground", "bar"), point="O"),
            "strut": joints.Distance(bodies=("ground", "bar"), points=("Q", "P"), length=1.9),
        },
    )
    points, begin = started(model, way)
    assert points["P"] == pytest.approx(meeting(np.zeros(2), (1.0, -1.0), 1.0, 1.9, 1), abs=1e-12)
    assert begin.moved["bar"] == pytest.approx(math.dist(points["P"], (1.0, 0.0)), rel=1e-12)
    with pytest.raises(pm.ModelError, match=r'joint "strut": length 3 m .* from the drawn 1 m: .* up to 2\.414214 m;'):
        started(model.replaced(joints={"strut": {"length": 3.0}}), way)


@pytest.mark.parametrize("way", WAYS)
def test_a_rod_with_a_free_end_takes_any_length(way):
    long = models.load("pendulum")
    (name, body), *_ = long.bodies.items()
    first, second = (np.array(long.points[p]) for p in body.points)
    points, _ = started(long.replaced(bodies={name: {"length": 7.0 * math.dist(first, second)}}), way)
    assert points[body.points[1]] == pytest.approx(first + 7.0 * (second - first), rel=1e-13)


@pytest.mark.parametrize(("way", "integrator"), [("particles", "explicit"), ("particles", "ida"), ("absolute", "ida")])
def test_springs_count_from_the_assembled_start(way, integrator):
    model = four_bar().replaced(
        bodies={"coupler": {"length": 1.6 * COUPLER}},
        gravity=DOWN,
        forces={
            "hinge": forces.Torsion(bodies=("crank", "coupler"), stiffness=3.0, angle=0.25),
            "strut": forces.Spring(bodies=("ground", "coupler"), points=("O", "B"), stiffness=100.0, length=0.2),
        },
    )
    result = pm.simulate(model, duration=1e-3, samples=2, formulation=way, integrator=integrator)
    B = meeting(np.array([0.0, 0.1]), (0.3, 0.0), 1.6 * COUPLER, 0.3, 1)
    # both bodies have turned away from their drawing, the free angle has not: it counts from t = 0
    assert result.force("hinge")[0] == pytest.approx(-3.0 * 0.25, rel=1e-11)
    assert result.force("strut")[0] == pytest.approx(100.0 * (math.hypot(*B) - 0.2), rel=1e-11)
    assert result.angle("coupler")[0] == pytest.approx(0.0, abs=1e-12)


def test_only_lengths_that_differ_are_followed():
    model = models.load("four_bar").replaced(bodies={"coupler": {"length": COUPLER}, "rocker": {"length": 0.45}})
    assert [(one.name, one.drawn, one.asked) for one in lengths(model)] == [("rocker", 0.3, 0.45)]
    assert followed(models.load("four_bar")) is None


@pytest.mark.parametrize("bodies", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("point", ["A", None])
@pytest.mark.parametrize("lengths", [{"a": 1.2}, {"b": 0.9}, {"a": 0.7, "b": 1.1}])
def test_a_weld_at_a_point_goes_where_a_length_puts_the_point(bodies, point, lengths):
    """It was left where it was drawn, 0.2 m away from its own point, and the run was completed."""
    mechanism = pm.Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (1.5, 0.5)},
        bodies={
            n: pm.Body(points=p, mass=1.0, length=lengths.get(n)) for n, p in (("a", ("O", "A")), ("b", ("A", "B")))
        },
        joints={
            "O": pm.joints.Revolute(point="O", bodies=("ground", "a")),
            "w": pm.joints.Weld(bodies=bodies, point=point),
        },
        gravity=(0.0, -9.81),
    )
    options = {"duration": 0.5, "samples": 3, "rtol": 1e-10}
    one, other, chained = (
        pm.simulate(mechanism, **options, **how)
        for how in ({"integrator": "explicit"}, {"formulation": "absolute"}, {"integrator": "ida"})
    )
    for p in "OAB":
        assert one[p] == pytest.approx(other[p], abs=1e-7)
        assert chained[p] == pytest.approx(other[p], abs=1e-7)
    b = lengths.get("b", 0.5 * 2.0**0.5)
    if point == "A":  # "A" of both bodies is one place
        assert one["B"] - one["A"] == pytest.approx(other["B"] - other["A"], abs=1e-7)
        assert np.hypot(*(one["B"] - one["A"]).T) == pytest.approx(b, abs=1e-9)
