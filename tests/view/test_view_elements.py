"""What gears, racks, belts and cams look like: teeth that mesh, strands that touch, profiles that turn."""

import dataclasses
import html
import json
import math
import re

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import particlemech as pm
from particlemech import joints, view
from particlemech.model import primitives
from particlemech.model.gearing.courses import band
from particlemech.model.toml import loads
from particlemech.view import page
from particlemech.view.families import scene
from tests.run.test_belts import tackle


def moved(name, **options):
    """Return a short run of a shipped model, and its scene."""
    result = pm.simulate(pm.models.load(name), rtol=1e-8, **options)
    return result, scene(result)


def drawn(seen, kind, joint):
    return [p for p in seen.primitives if isinstance(p, kind) and p.part.name == joint]


def wave(along, height, period):
    """Return the phase of what repeats along a line (n,), 0 at a tooth, as a part of the period; evenly resampled."""
    order = np.argsort(along)
    even = np.arange(along.min(), along.max(), period / 200.0)
    even = even[: len(even) // 200 * 200]
    level = np.interp(even, along[order], height[order])
    return float(np.angle(np.sum((level - level.mean()) * np.exp(2j * math.pi * even / period)))) / (2.0 * math.pi)


def toothing(places, centre, number):
    """Return the phase of the teeth of an outline, as a part of one, and the radius of its pitch circle."""
    arm = places - centre
    angle, radius = np.arctan2(arm[:, 1], arm[:, 0]), np.hypot(arm[:, 0], arm[:, 1])
    period = 2.0 * math.pi / number
    return wave(angle, radius, period), 0.5 * (radius.min() + radius.max())


def off(phase):
    """Return how far a phase is from a whole number."""
    return abs(phase - round(phase))


def test_gears_have_their_teeth_on_their_pitch_circles_and_these_mesh_while_they_turn():
    """A tooth of the one stands in a gap of the other on the line of centres, at every instant."""
    result, seen = moved("planetary_gear", duration=0.4, samples=7)
    teeth, module = {"sun": 24, "planet": 18, "ground": 60}, 2.0 * result.mechanism.joints["inner"].signed(
        float(result.mechanism.joints["inner"].apart(result.mechanism))
    )[0] / 24  # fmt: skip
    shown = {}
    for p in (*drawn(seen, primitives.Outline, "inner"), *drawn(seen, primitives.Outline, "outer")):
        shown.setdefault(p.frame, p)  # of the ring first its teeth, then its rim
    assert {*shown} == {*teeth}
    phases = {}
    for body, number in teeth.items():
        for k in range(7):
            centre = result["P"][k] if body == "planet" else np.zeros(2)
            places = seen.places(body, shown[body].points)[k]
            phase, pitch = toothing(places, centre, number)
            assert pitch == pytest.approx(0.5 * abs(module) * number, rel=0.02)
            phases[body, k] = phase
    for k in range(7):
        line = math.atan2(*result["P"][k][::-1])
        at = {
            "sun": line * 24 / (2.0 * math.pi) - phases["sun", k],
            "planet": (line + math.pi) * 18 / (2.0 * math.pi) - phases["planet", k],
            "outer planet": line * 18 / (2.0 * math.pi) - phases["planet", k],
            "ring": line * 60 / (2.0 * math.pi) - phases["ground", k],
        }
        assert off(at["sun"] + at["planet"] + 0.5) < 0.02
        assert off(at["ring"] - at["outer planet"]) < 0.02  # what is a tooth of the one outline is one of the other
    assert np.ptp(result.angle("planet")) > 2.0 * math.pi / 18


def test_a_rack_meshes_with_its_pinion_while_it_moves():
    result, seen = moved("rack_press", duration=0.3, samples=5)
    pinion, rack = drawn(seen, primitives.Outline, "mesh")
    assert (pinion.frame, rack.frame) == ("pinion", "ram")
    pitch = 2.0 * math.pi * 0.02 / 20
    for k in range(5):
        phase, radius = toothing(seen.places("pinion", pinion.points)[k], np.zeros(2), 20)
        assert radius == pytest.approx(0.02, rel=0.02)
        places = seen.places("ram", rack.points)[k]
        inner = places[places[:, 0] < 0.02 + 1.5 * pitch]
        along = wave(inner[:, 1], -inner[:, 0], pitch)
        assert off(-phase + along + 0.5) < 0.03  # at angle 0 and height 0
    assert np.ptp(result["T"][:, 1]) > pitch


def bands(result):
    """Return the belt or rope of a result, what draws it, and where it is drawn, (K, N, 2)."""
    seen = scene(result)
    ((name, belt),) = ((n, j) for n, j in result.mechanism.joints.items() if isinstance(j, joints.Belt))
    (shown,) = drawn(seen, primitives.Band, name)
    return belt, shown, band(np.stack([seen.place(*end) for end in shown.ends], axis=1), shown.radii, shown.closed)


@pytest.mark.parametrize("make", [lambda: pm.models.load("belt_drive"), tackle], ids=["belt_drive", "tackle"])
def test_strands_are_lines_that_touch_pulleys_wherever_these_are(make):
    """What is drawn is as long at all times; no place of it lies inside a pulley, and each strand touches both."""
    result = pm.simulate(make(), duration=0.5, samples=9, rtol=1e-8)
    belt, shown, places = bands(result)
    m, ends = result.mechanism, zip(belt.pulleys, belt.points, strict=True)
    centres = np.stack([scene(result).place(b, m.place(p, b)) for b, p in ends], axis=1)
    pieces = np.linalg.norm(np.diff(places, axis=1), axis=2)
    chord = 49.0 * 2.0 * np.sin(math.pi / 98.0) / math.pi  # what 48 pieces lose, at most, of half a turn
    assert np.ptp(pieces.sum(axis=1)) <= (1.0 - chord) * pieces.sum(axis=1).max()
    for k, radius in enumerate(belt.radii):
        if not radius:
            assert np.abs(places[:, 0 if k == 0 else -1] - centres[:, k]).max() < 1e-12
            continue
        apart = np.linalg.norm(places - centres[:, k, None], axis=2)
        assert apart.min(axis=1) == pytest.approx(radius, rel=1e-9)
        along, arms = np.diff(places, axis=1), places - centres[:, k, None]
        touching = (np.abs(apart - radius) < 1e-9 * radius)[:, :-1] & (pieces > 0.3)  # strands that leave it here
        across = np.sum(along * arms[:, :-1], axis=2) / pieces
        assert np.abs(across[touching]).max(initial=0.0) < 1e-9
    assert {p.frame for p in drawn(scene(result), primitives.Outline, shown.part.name)} == {
        b for b, radius in zip(belt.pulleys, belt.radii, strict=True) if radius
    }


def test_the_profile_of_a_cam_turns_with_it_and_touches_the_face_of_its_follower():
    result, seen = moved("cam_flat_follower", duration=0.5, samples=13)
    profile, face = *drawn(seen, primitives.Outline, "cam"), *drawn(seen, primitives.Strap, "cam")
    assert profile.frame == "cam" and {frame for frame, _ in face.ends} == {"follower"}
    for k in range(13):
        highest = seen.places("cam", profile.points)[k, :, 1].max()
        assert highest == pytest.approx(result["F"][k, 1], abs=1e-5)  # 12 mm of lift; its points are 1 degree apart
    assert np.ptp(result["F"][:, 1]) > 0.01


@pytest.mark.parametrize("name", ["planetary_gear", "rack_press", "belt_drive", "cam_flat_follower", "geneva"])
def test_pictures_and_pages_draw_them(name):
    m = pm.models.load(name)
    seen = scene(m)
    wanted = [p for p in seen.primitives if isinstance(p, (primitives.Outline, primitives.Strap, primitives.Band))]
    view.mechanism(m, ax=plt.figure().add_subplot())
    lines = [np.array(line.get_data()).T for line in plt.gca().lines]
    for p in wanted:
        at = seen.places(p.frame, p.points)[0] if isinstance(p, primitives.Outline) else None
        at = np.array([seen.place(*end)[0] for end in p.ends]) if at is None else at
        at = band(at[None], p.radii, p.closed)[0] if isinstance(p, primitives.Band) else at
        assert any(line.shape == at.shape and np.allclose(line, at, atol=1e-12) for line in lines)
    plt.close("all")
    found = re.search(r'<script[^>]*id="scene"[^>]*>(.*?)</script>', page.page(m), re.S)
    kinds = [(p["kind"], p["name"]) for p in json.loads(html.unescape(found[1]))["primitives"]]
    for p in wanted:
        assert (type(p).__name__.lower(), p.part.name) in kinds


GROUNDED = """
points = { P = [0, 0], A = [0, SIDE], Q = [1, 0], B = [1.2, SIDE] }
bodies.wheel = { points = ["A"], mass = 1, com = [0, SIDE], inertia = 0.1 }
bodies.ball = { points = ["B"], mass = 1, com = [1.2, SIDE], inertia = 0.1 }
joints.rolls = { type = "rolling", bodies = ["ground", "wheel"], points = ["P", "A"], axis = [AXIS, 0] }
joints.meets = { type = "contact", bodies = ["ground", "ball"], points = ["Q", "B"], axis = [AXIS, 0], radius = 0.1 }
"""


@pytest.mark.parametrize("side", [0.3, -0.3])
@pytest.mark.parametrize("axis", [2, -2])
def test_the_ground_on_which_something_rolls_or_bounces_is_hatched_on_its_other_side(side, axis):
    seen = scene(loads(GROUNDED.replace("SIDE", str(side)).replace("AXIS", str(axis))))
    for joint, middle in (("rolls", 0.0), ("meets", 1.0)):
        (floor,) = drawn(seen, primitives.Floor, joint)
        assert floor.towards == pytest.approx((0.0, -np.sign(side)), abs=1e-12)
        assert (floor.a[1], floor.b[1]) == pytest.approx((0.0, 0.0))
        assert 0.5 * (floor.a[0] + floor.b[0]) == pytest.approx(middle)
    view.mechanism(seen, ax=plt.figure().add_subplot())
    strokes = [s for c in plt.gca().collections for s in c.get_segments() if abs(s[0, 1]) < 1e-9 < abs(s[1, 1])]
    assert len(strokes) > 10 and all(np.sign(s[1, 1]) == -np.sign(side) for s in strokes)
    plt.close("all")


def test_what_rolls_on_a_body_has_a_plain_line_that_moves_with_it():
    m = loads(GROUNDED.replace("SIDE", "0.3").replace("AXIS", "1"))
    rolls = dataclasses.replace(m.joints["rolls"], bodies=("ball", "wheel"), points=((0.0, 0.0), "A"))
    (line,) = drawn(scene(m.replaced(joints={"rolls": rolls})), primitives.Strap, "rolls")
    assert {frame for frame, _ in line.ends} == {"ball"}


@pytest.mark.parametrize("frame", ["ground", "plate"])
def test_a_slit_in_the_ground_is_hatched_below(frame):
    text = """
    points = { A = [0, 0], B = [1, 0], C = [2, 0] }
    bodies.plate = { points = ["B", "C"], mass = 1 }
    bodies.rod = { points = ["A", "B"], mass = 1 }
    joints.slot = { type = "slot", point = "A", bodies = ["FRAME", "rod"], axis = [1, 0] }
    joints.B = { type = "revolute", point = "B", bodies = ["plate", "rod"] }
    """
    m = loads(text.replace("FRAME", frame))
    view.mechanism(m, ax=plt.figure().add_subplot())
    found = [s for c in plt.gca().collections for s in c.get_segments()]
    assert (len(found) > 3) == (frame == "ground")
    assert all(s[:, 1].max() < 0.0 for s in found)
    plt.close("all")


def test_the_ground_holds_the_end_of_a_rope():
    m = tackle()
    ((name, rope),) = ((n, j) for n, j in m.joints.items() if isinstance(j, joints.Belt))
    (end,) = (p for b, p, r in zip(rope.pulleys, rope.points, rope.radii, strict=True) if b == "ground" and not r)
    assert [p.at for p in drawn(scene(m), primitives.Hatch, name)] == [m.points[end]]
