"""A joint that an event takes out: from then on nothing shows it as closed, in pictures, films and pages."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Circle

import particlemech as pm
from particlemech import view
from particlemech.model import primitives
from particlemech.model.primitives import Part
from particlemech.model.toml import loads
from particlemech.view import film
from particlemech.view.families import scene

THROWN = """
gravity = [0, -9.81 ZERO]
points = { O = [0, 0 ZERO], B = [1, 0 ZERO], C = [1.5, 0 ZERO] }
bodies.rod = { points = ["O", "B"], mass = 3, com = [0.5, 0 ZERO], inertia = [TENSOR] }
bodies.stone = { points = ["B", "C"], mass = 1, com = [1.25, 0 ZERO], inertia = [TENSOR] }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"], axis = NORMAL }
joints.B = { type = "revolute", point = "B", bodies = ["rod", "stone"], axis = NORMAL, RUBS }
joints.stop = { type = "stop", joint = "B", lower = -0.3 }
forces.spring = { type = "torsion", joint = "B", stiffness = 2 }
forces.motor = { type = "motor", joint = "B", effort = 2 }
initial = { rate = { O = 4, B = 0 } }
events.release = { when = "B.y > 0.5", do = "detach", joint = "B" }
run = { duration = 0.5, samples = 51 }
"""


def thrown(world):
    """Return the run of a stone that a rod lets go, in the plane or in space."""
    if world == "plane":
        text = THROWN.replace(" ZERO", "").replace(", axis = NORMAL", "").replace("[TENSOR]", "0.1")
        return pm.simulate(loads(text.replace("RUBS", "friction = { mu = 0.1, radius = 0.02 }")))
    text = THROWN.replace(" ZERO", ", 0").replace("NORMAL", "[0, 0, 1]").replace("TENSOR", "1e-4, 0.1, 0.1")
    return pm.simulate(
        loads('kind = "spatial"\n' + text.replace("RUBS", "friction = { mu = 0.1, radius = 0.02, length = 0.1 }"))
    )


@pytest.fixture(scope="module", params=["plane", "space"])
def flown(request):
    return thrown(request.param)


def test_what_closed_it_goes_with_what_acted_on_it_and_the_rest_stays(flown):
    (release,), seen = (one.t for one in flown.switches if one.what == "detach"), scene(flown)
    there = flown.t <= release
    assert there.any() and not there.all()
    gone = {p.part for p in seen.primitives if seen.shown(p) is not None}
    assert gone == {Part("joint", "B"), Part("joint", "stop"), Part("force", "spring")}
    for p in seen.primitives:
        if p.part in gone:
            assert np.array_equal(seen.shown(p), there), p
    kinds = {type(p) for p in seen.primitives if seen.shown(p) is not None}
    assert kinds == {primitives.Pin, primitives.Rough, primitives.Lug, primitives.TorsionSpring}
    turns = seen.arrows["load"]["motor"].vector
    assert np.isfinite(turns[there]).all() and np.isnan(turns[~there]).all()
    some = seen.at([-1, 0])
    assert [some.shown(p).tolist() for p in some.primitives if p.part == Part("joint", "stop")] == [[False, True]]


def test_a_run_that_is_read_back_shows_the_same(flown, tmp_path):
    flown.to_csv(tmp_path / "run.csv")
    again, seen = scene(pm.read_result(tmp_path / "run.csv")), scene(flown)
    assert again.there.keys() == seen.there.keys()
    assert all(np.array_equal(again.there[part], seen.there[part]) for part in seen.there)


def artists(ax):
    """Return how many artists of a picture are seen."""
    return sum(artist.get_visible() for artist in ax.get_children())


def test_pictures_show_it_until_then():
    result = thrown("plane")
    seen, pins = scene(result), []
    for k in (0, -1):
        ax = plt.figure().add_subplot()
        view.mechanism(result, t=float(result.t[k]), ax=ax)
        rings = [p for p in ax.patches if isinstance(p, Circle) and p.get_visible()]
        pins.append(sorted(tuple(np.round(ring.get_center(), 9)) for ring in rings))
        plt.close("all")
    O, B = (tuple(np.round(result[p][0], 9).tolist()) for p in "OB")
    assert pins == [[O, B], [O]]
    assert len([p for p in seen.primitives if isinstance(p, primitives.Pin)]) == 2


def test_films_show_it_until_then_and_again_when_they_go_back(flown):
    seen = scene(flown)
    samples = np.arange(len(seen.t))
    ends = np.repeat(samples[:, None], film.FADES + 1, axis=1)
    figure, show = film._picture(seen, (), {}, ends, "")
    (ax,), found = figure.axes, []
    for k in (0, -1, 5):
        show(k)
        found.append(artists(ax))
    plt.close("all")
    assert found[0] == found[2] > found[1]
    own = {p.part.name for p in seen.primitives if seen.shown(p) is not None}
    assert own == {"B", "stop", "spring"}


def test_a_rail_does_not_follow_what_has_left_it():
    text = """
    gravity = [0, -9.81]
    points = { A = [0, 0], B = [0.3, 0] }
    bodies.block = { points = ["A", "B"], mass = 1 }
    joints.way = { type = "prismatic", point = "A", bodies = ["ground", "block"], axis = [1, 0] }
    initial = { rate = { way = 2 } }
    events.off = { when = "A.x > 0.5", do = "detach", joint = "way" }
    run = { duration = 0.5, samples = 101 }
    """
    result = pm.simulate(loads(text))
    seen = scene(result)
    (rail,) = (p for p in seen.primitives if isinstance(p, primitives.Rail))
    assert result["A"][-1] == pytest.approx((1.0, -0.5 * 9.81 * 0.25**2))
    assert max(rail.a[0], rail.b[0]) == pytest.approx(0.5, abs=0.011)  # the last sample before is within a step of it
    assert {type(p) for p in seen.primitives if p.part.name == "way"} == {primitives.Rail, primitives.Slider}
    assert all(seen.shown(p) is None for p in seen.primitives)  # a block off its rail, which lies on the ground
