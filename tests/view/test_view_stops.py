"""What stops look like: beside a pin and at the ends of a path, and what stops there touches them."""

import math

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import particlemech as pm
from particlemech import view
from particlemech.model import primitives
from particlemech.model.shapes import lugs, sector
from particlemech.model.toml import loads
from particlemech.view import strokes
from particlemech.view.families import scene


def drawn(text, world):
    """Return the mechanism of a text, in the plane or laid into space."""
    if world == "plane":
        return loads(text.replace(" ZERO", "").replace(", axis = NORMAL", "").replace("[TENSOR]", "0.1"))
    return loads(
        'kind = "spatial"\n'
        + text.replace(" ZERO", ", 0").replace("NORMAL", "[0, 0, 1]").replace("TENSOR", "1e-4, 0.1, 0.1")
    )


def shown(seen, kind, part):
    return [p for p in seen.primitives if isinstance(p, kind) and p.part.name == part]


HINGED = """
gravity = [0, -9.81 ZERO]
points = { O = [0, 0 ZERO], A = [1, 0 ZERO], B = [2, 0 ZERO] }
bodies.arm = { points = ["O", "A"], mass = 1, com = [0.5, 0 ZERO], inertia = [TENSOR] }
bodies.hand = { points = ["A", "B"], mass = 1, com = [1.5, 0 ZERO], inertia = [TENSOR] }
joints.O = { type = "revolute", point = "O", bodies = BASE, axis = NORMAL }
joints.A = { type = "revolute", point = "A", bodies = ["arm", "hand"], axis = NORMAL }
joints.base = { type = "stop", joint = "O", lower = -0.5, upper = 0.6, stiffness = 1e3, damping = 100 }
joints.wrist = { type = "stop", joint = "A", lower = -0.4, upper = 0.7 }
initial = { rate = { O = 0, A = RATE } }
run = { duration = 1.5, samples = 151 }
"""


@pytest.mark.parametrize("world", ["plane", "space"])
@pytest.mark.parametrize("base", ['["ground", "arm"]', '["arm", "ground"]'])
@pytest.mark.parametrize("rate", [-6, 6])
def test_a_body_that_a_stop_holds_lies_with_its_side_on_the_lug_of_that_bound(world, base, rate):
    """No place of a lug is nearer to its axis than its half width; at the bound the face of one is as near as that."""
    result = pm.simulate(drawn(HINGED.replace("BASE", base).replace("RATE", str(rate)), world), rtol=1e-8)
    seen = scene(result)
    for stop, frame, ends in (("base", "ground", "OA"), ("wrist", "arm", "AB")):
        parts = shown(seen, primitives.Lug, stop)
        assert [p.frame for p in parts] == [frame, frame]
        one, other = (result[point] for point in ends)
        along = (other - one) / np.linalg.norm(other - one, axis=1, keepdims=True)
        near = []
        for p in parts:
            arms = seen.places(p.frame, p.outline) - one[:, None]
            way = np.sum(arms * along[:, None], axis=2)
            beside = np.linalg.norm(arms - way[..., None] * along[:, None], axis=2)
            near.append(np.where(way > 0.0, beside, np.inf).min(axis=1))
        gap = result.force(stop, "gap")
        held = np.abs(gap) < 1e-9
        assert held.any() or stop == "base"
        bound = np.minimum(*near)
        assert bound[held] == pytest.approx(seen.r, rel=1e-6)
        free = gap > 0.02
        assert free.any() and (bound[free] > 1.01 * seen.r).all()


def test_lugs_of_a_wide_range_leave_what_turns_its_way():
    """Between bounds of -155 and 155 degrees 50 are left for both lugs and the width of the rod."""
    edges, bound = (0.0, 0.0), math.radians(155.0)
    low, high = (np.array(one) for one in lugs(edges, -bound, bound, 1.0))
    for outline, side in ((low, -1.0), (high, 1.0)):
        angle = np.remainder(side * np.arctan2(outline[:, 1], outline[:, 0]), 2.0 * math.pi)
        assert angle[1] - math.asin(1.0 / 5.0) == pytest.approx(bound)
        assert angle[1:].max() <= math.pi + 1e-9  # the other has the other half


def test_a_plate_lies_on_a_lug_with_its_edge():
    text = """
    points = { O = [0, 0], P = [1, 0.5], Q = [1, -0.5] }
    bodies.plate = { points = ["O", "P", "Q"], mass = 1, com = [0.6, 0], inertia = 0.1 }
    joints.O = { type = "revolute", point = "O", bodies = ["ground", "plate"] }
    joints.stop = { type = "stop", joint = "O", upper = 0.3 }
    """
    seen = scene(loads(text))
    (p,) = shown(seen, primitives.Lug, "stop")
    edge = math.atan2(0.5, 1.0) + 0.3  # of P, when it is there
    off = np.array(p.outline) @ (-math.sin(edge), math.cos(edge))
    assert off[:2] == pytest.approx(seen.r) and off.min() >= seen.r * (1.0 - 1e-9)


def test_places_all_around_are_seen_at_one_angle():
    assert sector([(1.0, 1.0), (1.0, -1.0)]) == pytest.approx((-math.pi / 4.0, math.pi / 4.0))
    low, high = sector([(1.0, 0.0), (-1.0, 1.0), (-1.0, -1.0)])
    assert low == high


SLIDING = """
points = { A = [0, 0 ZERO], B = [0.4, 0 ZERO] }
bodies.block = { points = ["A", "B"], mass = 1, com = [0.2, 0 ZERO], inertia = [TENSOR] }
joints.way = { type = "prismatic", point = "A", bodies = ["ground", "block"], axis = [2, 0 ZERO] }
joints.stop = { type = "stop", joint = "way", lower = -0.3, upper = 0.5 }
initial = { rate = { way = RATE } }
run = { duration = 1.0, samples = 21 }
"""


@pytest.mark.parametrize("world", ["plane", "space"])
@pytest.mark.parametrize("rate", [-1, 1])
def test_a_block_that_a_stop_holds_touches_the_block_at_the_end_of_its_rail(world, rate):
    result = pm.simulate(drawn(SLIDING.replace("RATE", str(rate)), world))
    seen = scene(result)
    both = shown(seen, primitives.Buffer, "stop")
    faces = [strokes.buffer(p.at, p.along, p.pin, seen.r)[:, 0] for p in both]
    assert max(faces[0]) < -0.3 < 0.5 < min(faces[1])
    (slider,), reach = shown(seen, primitives.Slider, "way"), strokes.BLOCK[0] * seen.r
    assert abs(result.force("stop", "gap")[-1]) < 1e-9
    front = seen.place(slider.frame, slider.at)[-1, 0] + rate * reach
    face = max(faces[0]) if rate < 0 else min(faces[1])
    # in space they are plates, with their middle there
    thick = 0.0 if world == "plane" else abs(np.ptp(faces[0]))
    assert face == pytest.approx(front, abs=thick + 1e-9)
    for still in (seen, scene(result.mechanism)):  # the rail is there from one to the other
        (rail,) = shown(still, primitives.Rail, "way")
        assert (min(rail.a[0], rail.b[0]), max(rail.a[0], rail.b[0])) == pytest.approx((-0.3, 0.5))


def test_the_slit_of_a_stopped_pin_ends_where_the_pin_does():
    text = """
    points = { O = [0, 0], A = [1, 0], S = [1, 0.9], T = [1, -0.9] }
    bodies.arm = { points = ["O", "A"], mass = 1 }
    bodies.frame = { points = ["S", "T"], mass = 1 }
    joints.O = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
    joints.slot = { type = "slot", point = "A", bodies = ["frame", "arm"], axis = [0, 1] }
    joints.way = { type = "prismatic", point = "S", bodies = ["ground", "frame"], axis = [1, 0] }
    joints.stop = { type = "stop", joint = "slot", coordinate = "travel", lower = -0.3, upper = 0.4 }
    """
    seen = scene(loads(text))
    (slit,) = shown(seen, primitives.Slot, "slot")  # shorter than its body
    assert sorted(y for _, y in (slit.a, slit.b)) == pytest.approx([-0.3, 0.4])
    assert all(p.pin for p in shown(seen, primitives.Buffer, "stop"))


BOTH = (
    HINGED.replace("BASE", '["ground", "arm"]').replace("RATE", "0").partition("run =")[0]
    + "bodies.block = { mass = 1, com = [2, 0.1 ZERO], inertia = [TENSOR] }\n"
    + 'joints.way = { type = "prismatic", point = [2, 0 ZERO], bodies = ["hand", "block"], axis = [1, 0 ZERO] }\n'
    + 'joints.end = { type = "stop", joint = "way", upper = 0.5 }\n'
)


@pytest.mark.parametrize("world", ["plane", "space"])
def test_pictures_have_them(world):
    m, counts = drawn(BOTH, world), []
    for which in (m, m.replaced(joints={"end": None, "base": None, "wrist": None})):
        ax = plt.figure().add_subplot(**({} if world == "plane" else {"projection": "3d"}))
        view.mechanism(which, ax=ax)
        counts.append(len(ax.patches) + len(ax.collections))
        plt.close("all")
    assert counts[0] - counts[1] == 5
