"""Lines with ends: what runs off them flies or turns about the corner, and nothing holds it from below."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import dumps, loads

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])
G = 9.81

TABLE = """
gravity = [0, -9.81]
points = { O = [0, 0], E = [1, 0], W = [1.3, 0], C = [0.4, 0.1] }
bodies.ball = { points = ["C"], mass = 2, com = [0.4, 0.1], inertia = 0.008 }
joints.table = { type = "contact", bodies = ["ground", "ball"], points = ["O", "C"], axis = [2, 0], ends = [-0.1, 1], \
radius = 0.1KEYS }
MORE
initial = { velocity = { C = [SPEED, 0] }, omega = { ball = SPIN } }
run = { duration = 0.9, samples = 91, rtol = 1e-9 }
"""
CORNER = 'joints.corner = { type = "contact", bodies = ["ground", "ball"], points = ["E", "C"], radii = [0, 0.1] }'
WALL = (
    CORNER.replace("corner", "wall").replace('"E"', '"W"').replace("radii = [0, 0.1]", "axis = [0, 1], restitution = 1")
)


def table(speed: float, spin: float = 0.0, more: str = "", keys: str = "") -> pm.Mechanism:
    """Return a ball on a table that ends at x = 1."""
    text = TABLE.replace("SPEED", repr(speed)).replace("SPIN", repr(spin))
    return loads(text.replace("MORE", more).replace("KEYS", keys))


@WAY
@pytest.mark.parametrize(("speed", "end"), [(1.4, 1.0), (0.9, 1.0), (-2.1, -0.1)])
def test_a_ball_that_runs_off_a_table_flies_a_parabola_from_its_end(
    way: dict[str, str], speed: float, end: float
) -> None:
    result = pm.simulate(table(speed), **way)
    off = (end - 0.4) / speed
    assert [(s.part, s.what) for s in result.switches] == [("table", "closes"), ("table", "opens")]
    assert result.switches[-1].t == pytest.approx(off, rel=1e-8)
    np.testing.assert_allclose(result["C"][:, 0], 0.4 + speed * result.t, atol=1e-8)
    falls = np.maximum(result.t - off, 0.0)
    np.testing.assert_allclose(result["C"][:, 1], 0.1 - 0.5 * G * falls**2, atol=1e-7)
    np.testing.assert_allclose(result.force("table"), np.where(falls > 0.0, 0.0, 2.0 * G), atol=1e-6)
    np.testing.assert_allclose(result.omega("ball"), 0.0, atol=1e-12)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


@WAY
def test_a_ball_that_rolls_off_keeps_its_spin(way: dict[str, str]) -> None:
    keys = ", friction = { mu = 0.5, velocity = 1e-3 }"
    result = pm.simulate(table(1.5, -15.0, keys=keys), **way)
    np.testing.assert_allclose(result["C"][:, 0], 0.4 + 1.5 * result.t, atol=1e-7)
    np.testing.assert_allclose(result.omega("ball"), -15.0, rtol=1e-6)
    assert result["C"][-1, 1] == pytest.approx(0.1 - 0.5 * G * 0.5**2, abs=1e-7)


@WAY
def test_a_slow_ball_turns_about_the_corner_and_leaves_it_where_the_closed_form_says(way: dict[str, str]) -> None:
    """v0^2 + 2 g r (1 - cos q) = v^2 = g r cos q: it leaves at cos q = (2 + v0^2/(g r))/3, with v^2 = g r cos q."""
    result = pm.simulate(table(0.8, more=CORNER), **way)
    cosine = (2.0 + 0.8**2 / (G * 0.1)) / 3.0
    leaves = result.events["corner"]
    assert [s.what for s in result.switches if s.part == "corner"] == ["closes", "opens"]
    assert (leaves["C"][-1, 1]) / 0.1 == pytest.approx(cosine, rel=1e-6)
    v = math.sqrt(G * 0.1 * cosine)
    np.testing.assert_allclose(leaves.velocity("C")[-1], [v * cosine, -v * math.sqrt(1.0 - cosine**2)], rtol=1e-6)
    np.testing.assert_allclose(np.hypot(*(result["C"] - [1.0, 0.0]).T).min(), 0.1, rtol=1e-7)
    fast = pm.simulate(table(1.2, more=CORNER), **way)  # v0^2 > g r: it flies at once
    off = 0.6 / 1.2
    np.testing.assert_allclose(fast["C"][:, 1], 0.1 - 0.5 * G * np.maximum(fast.t - off, 0.0) ** 2, atol=1e-7)


@WAY
def test_a_ball_that_comes_back_below_a_table_does_not_feel_it(way: dict[str, str]) -> None:
    result = pm.simulate(table(2.0, more=WALL), **way)
    back = np.abs(result["C"][:, 0] - 1.3)
    np.testing.assert_allclose(back, np.abs(0.9 - 2.0 * result.t), atol=1e-7)
    assert result["C"][-1, 0] < 0.9
    assert len([s for s in result.switches if s.part == "table" and s.what == "opens"]) == 1
    under = (result["C"][:, 0] < 0.98) & (result.t > 0.4)
    assert np.sum(under) > 10
    np.testing.assert_array_equal(result.force("table")[under & (result.t > 0.5)], 0.0)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@WAY
@pytest.mark.parametrize("begins", [1.0, 0.9])
@pytest.mark.parametrize("speed", [1.4, -1.4])
def test_lines_one_after_the_other_are_one_floor(way: dict[str, str], begins: float, speed: float) -> None:
    """Whether they meet or overlap, a ball slides on over where one ends, either way, and falls at the last end."""
    next_ = CORNER.replace("corner", "next").replace("radii = [0, 0.1]", "radius = 0.1, axis = [-1, 0], ends = ENDS")
    model = table(speed, more=next_.replace("ENDS", f"[-0.4, {1.0 - begins}]"))
    if speed < 0.0:  # it starts on the other one
        model = model.replaced(points={"C": [1.3, 0.1]}, bodies={"ball": {"com": [1.3, 0.1]}})
    result = pm.simulate(model, **way)
    way_off = (1.4 - 0.4) / 1.4 if speed > 0.0 else (1.3 + 0.1) / 1.4
    falls = np.maximum(result.t - way_off, 0.0)
    np.testing.assert_allclose(result["C"][:, 1], 0.1 - 0.5 * G * falls**2, atol=1e-7)
    total = result.force("table") + result.force("next")
    np.testing.assert_allclose(total[falls == 0.0], 2.0 * G, atol=1e-6)


@WAY
def test_a_ball_bounces_on_a_step_and_falls_beside_it(way: dict[str, str]) -> None:
    """Bounces of a point on a shelf, then on a floor below: the floor is where the shelf is not."""
    model = loads("""
gravity = [0, -9.81]
points = { S = [0, 0.5], O = [0, 0], P = [0.1, 1.0] }
bodies.mass = { points = ["P"], mass = 1, com = [0.1, 1.0], inertia = 0.01 }
joints.shelf = { type = "contact", bodies = ["ground", "mass"], points = ["S", "P"], axis = [1, 0], ends = [0, 0.5], \
restitution = 1 }
joints.floor = { type = "contact", bodies = ["ground", "mass"], points = ["O", "P"], axis = [1, 0], restitution = 1 }
initial = { velocity = { P = [0.8, 0] } }
run = { duration = 1.6, samples = 17 }
""")
    result = pm.simulate(model, **way)
    half = math.sqrt(2.0 * 0.5 / G)
    down = math.sqrt(2.0 * 1.0 / G)
    hits = [(s.part, s.t) for s in result.switches]
    assert [part for part, _ in hits] == ["shelf", "floor"]
    np.testing.assert_allclose([t for _, t in hits], [half, 2.0 * half + down], rtol=1e-6)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (", ends = [1, 0]", 'key "ends" is for a line: from where to where along its axis, in increasing order'),
        (", ends = [1]", "ends"),
    ],
)
def test_bad_ends_are_told_in_one_line(keys: str, said: str) -> None:
    text = dumps(table(1.0)).replace("ends = [-0.1, 1.0]", keys[2:])
    with pytest.raises(pm.ModelError, match=said):
        loads(text)


def test_ends_are_those_of_a_line() -> None:
    with pytest.raises(pm.ModelError, match='key "ends" is for a line'):
        table(1.0, more=CORNER.replace("radii", "ends = [0, 1], radii"))
    with pytest.raises(pm.ModelError, match='key "ends" is for a rigid line'):
        table(1.0, keys=", stiffness = 100")


def test_a_table_is_written_and_read_and_agrees_with_the_second_opinion() -> None:
    model = table(1.4)
    assert loads(dumps(model)) == model
    found = pm.validate(model)
    assert found.agreed, str(found)
