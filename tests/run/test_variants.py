"""Variants keep their branch: a drawing whose lengths change is assembled on the side on which it was drawn."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import loads

# drawn with its coupler pin above or below; the lengths of coupler and rocker are parameters, places are plain numbers
FOUR_BAR = """
[parameters]
crank = "100 mm"
rod = {{ value = "{rod} m", min = "50 mm" }}
rocker = {{ value = "{rocker} m" }}

[points]
O = [0.0, 0.0]
A = [0.0, "crank"]
B = [0.3, {height}]
C = [0.3, 0.0]

[bodies]
crank = {{ points = ["O", "A"], mass = 1.0 }}
rod = {{ points = ["A", "B"], mass = 1.0, length = "rod" }}
rocker = {{ points = ["B", "C"], mass = 1.0, length = "rocker" }}

[joints]
O = {{ type = "revolute", point = "O", bodies = ["ground", "crank"] }}
A = {{ type = "revolute", point = "A", bodies = ["crank", "rod"] }}
B = {{ type = "revolute", point = "B", bodies = ["rod", "rocker"] }}
C = {{ type = "revolute", point = "C", bodies = ["ground", "rocker"] }}

[drivers]
motor = {{ joint = "O", motion = {{ type = "linear", rate = 1.0 }} }}
"""


def drawn(side):
    """Return the linkage with its pin above (1) or below (-1), lengths as they are drawn."""
    height = 0.3 * side
    rod = math.dist((0.0, 0.1), (0.3, height))
    return loads(FOUR_BAR.format(rod=rod, rocker=abs(height), height=height))


def met(crank, rod, rocker, side):
    """Return where two circles meet, above or below the line from A to C."""
    a, c = complex(0.0, crank), complex(0.3, 0.0)
    d = abs(c - a)
    x = (d * d + rod * rod - rocker * rocker) / (2.0 * d)
    y = math.sqrt(rod * rod - x * x)
    return a + (x + 1j * side * y) * (c - a) / d


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["elbow up", "elbow down"])
@pytest.mark.parametrize("rod", [0.25, 0.35, 0.45])
def test_a_changed_length_is_assembled_on_the_side_it_was_drawn_on(side, rod):
    variant = drawn(side).with_parameters(rod=rod)
    start = pm.simulate(variant, duration=0.1, samples=2)["B"][0]
    assert complex(*start) == pytest.approx(met(0.1, rod, 0.3, side), abs=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["elbow up", "elbow down"])
def test_the_pose_follows_a_length_without_a_jump(side):
    found = pm.sweep(
        drawn(side), rocker="0.21 : 0.45 : 25", quantities=["B.x[0]", "B.y[0]"],
        options={"duration": 0.1, "samples": 2}, workers=1,
    )  # fmt: skip
    assert set(found.status.values) == {"completed"}
    rod = float(drawn(side).parameters["rod"].value)
    wanted = np.array([met(0.1, rod, length, side) for length in found.rocker.values])
    assert found["B.x[0]"].values + 1j * found["B.y[0]"].values == pytest.approx(wanted, abs=1e-9)
    assert np.abs(np.diff(wanted)).max() < 0.06


def test_a_length_that_cannot_be_assembled_is_one_line():
    with pytest.raises(pm.ModelError, match="rod") as caught:
        pm.simulate(drawn(1.0).with_parameters(rod=0.7))
    assert "\n" not in str(caught.value)
    found = pm.sweep(drawn(1.0), rod=[0.4, 0.7], quantities="B.x.max", workers=1)
    assert found.status.values.tolist() == ["completed", "error"]
    assert str(found.message.values[1]) == str(caught.value)


def test_a_construction_keeps_its_side():
    left = pm.models.load("four_bar")
    right = left.replaced(points={"B": "on_circles(A, coupler, C, rocker, right)"})
    for crank in (0.03, 0.1, 0.2):
        up, down = (m.with_parameters(crank=crank).points for m in (left, right))
        line = np.subtract(up["C"], up["A"])
        assert line[0] * (up["B"][1] - up["A"][1]) - line[1] * (up["B"][0] - up["A"][0]) > 0.0
        assert line[0] * (down["B"][1] - down["A"][1]) - line[1] * (down["B"][0] - down["A"][0]) < 0.0
