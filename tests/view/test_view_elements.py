"""What gears, racks, belts and cams look like: teeth that mesh, strands that touch, profiles that turn."""

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
from particlemech.view import page
from particlemech.view.families import scene


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


def test_strands_of_a_belt_are_lines_that_touch_its_pulleys():
    result, seen = moved("belt_drive", duration=0.1, samples=3)
    ((name, belt),) = ((n, j) for n, j in result.mechanism.joints.items() if isinstance(j, joints.Belt))
    straps = drawn(seen, primitives.Strap, name)
    assert len(straps) == len(belt.pulleys)
    for k, strap in enumerate(straps):
        a, b = (np.array(at) for _, at in strap.ends)
        u = (b - a) / np.linalg.norm(b - a)
        for at, which in ((a, k), (b, (k + 1) % len(straps))):
            arm = np.array(result.mechanism.centre(belt.pulleys[which])) - at
            assert abs(u[0] * arm[1] - u[1] * arm[0]) == pytest.approx(belt.radii[which], rel=1e-9)
            assert np.linalg.norm(arm) == pytest.approx(belt.radii[which], rel=1e-9)
    frames = {p.frame for p in drawn(seen, primitives.Outline, name)}
    assert frames == {*belt.pulleys, "ground"}  # wheels turn, what lies about them does not


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
    wanted = [p for p in seen.primitives if isinstance(p, (primitives.Outline, primitives.Strap))]
    view.mechanism(m, ax=plt.figure().add_subplot())
    lines = [np.array(line.get_data()).T for line in plt.gca().lines]
    for p in wanted:
        at = seen.places(p.frame, p.points)[0] if isinstance(p, primitives.Outline) else None
        at = np.array([seen.place(*end)[0] for end in p.ends]) if at is None else at
        assert any(line.shape == at.shape and np.allclose(line, at, atol=1e-12) for line in lines)
    plt.close("all")
    found = re.search(r'<script[^>]*id="scene"[^>]*>(.*?)</script>', page.page(m), re.S)
    kinds = [(p["kind"], p["name"]) for p in json.loads(html.unescape(found[1]))["primitives"]]
    for p in wanted:
        assert (type(p).__name__.lower(), p.part.name) in kinds
