"""What rolls without slip against closed forms: on lines, on circles and inside them, energy and contact forces."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, drivers, forces, joints, signals

WAYS = [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
EXACT = 1e-9  # relative; worst observed 4e-12: accelerations and forces follow from places without a run
RUN = 1e-6  # of places and energies after a run with rtol 1e-9; worst observed 3e-8
G, M, R, I = 9.81, 2.0, 0.1, 0.008  # of the wheel; k = I/(m r^2) = 0.4
K = I / (M * R**2)

ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)


def ball(at, name="C"):
    """Return the wheel as a body about a point."""
    return Body(points=(name,), com=at, mass=M, inertia=I)


def moved(mechanism, formulation, integrator, **options):
    """Return a run that completed."""
    result = pm.simulate(mechanism, rtol=1e-9, formulation=formulation, integrator=integrator, **options)
    assert result.status is pm.Status.COMPLETED
    return result


def rolls(at, joint, bodies=None, **sections):
    """Return the wheel alone, with what it rolls on."""
    return Mechanism(
        name="rolls",
        gravity=(0.0, -G),
        points={"C": at, **sections.pop("points", {})},
        bodies={"wheel": ball(at), **(bodies or {})},
        joints={"roll": joint, **sections.pop("joints", {})},
        **sections,
    )


@ways
@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_wheel_rolls_down_an_incline(formulation, integrator, below, sense):
    """a = g sin b/(1 + k), tangential m g sin b k/(1 + k), normal m g cos b; held below the line it is pulled up."""
    b = 0.3
    axis = (sense * math.cos(b), -sense * math.sin(b))
    side = -1.0 if below else 1.0
    at = (side * R * math.sin(b), side * R * math.cos(b))
    joint = joints.Rolling(bodies=("ground", "wheel"), points=((0.0, 0.0), "C"), axis=axis)
    result = moved(rolls(at, joint), formulation, integrator, duration=3.0, samples=7)
    a = G * math.sin(b) / (1.0 + K)
    down = np.array([math.cos(b), -math.sin(b)])
    assert result.acceleration("C") == pytest.approx(np.tile(a * down, (7, 1)), rel=EXACT)
    assert result.alpha("wheel") == pytest.approx(np.full(7, -side * a / R), rel=EXACT)
    assert (result["C"] - at) @ down == pytest.approx(0.5 * a * result.t**2, abs=RUN)
    assert abs(result.angle("wheel")[-1]) > 20.0 * math.pi
    tangential, normal = M * G * math.sin(b) * K / (1.0 + K), M * G * math.cos(b)
    assert result.force("roll", "tangential") == pytest.approx(np.full(7, -sense * tangential), rel=EXACT)
    assert result.force("roll", "normal") == pytest.approx(np.full(7, side * normal), rel=EXACT)
    up = np.array([math.sin(b), math.cos(b)])
    assert result.reaction("roll", "wheel") == pytest.approx(
        np.tile(normal * up - tangential * down, (7, 1)), rel=EXACT
    )


@ways
def test_a_wheel_rolls_down_on_the_outside_of_a_wheel_that_stands(formulation, integrator):
    """((R + r) w)^2 (1 + k)/2 = g (R + r) (1 - cos p), normal m (g cos p - v^2/(R + r)); it pulls beyond its zero."""
    big, start = 0.5, 0.2
    far = big + R
    at = (far * math.sin(start), far * math.cos(start))
    joint = joints.Rolling(bodies=("ground", "wheel"), points=((0.0, 0.0), "C"), radii=(big, R))
    result = moved(rolls(at, joint), formulation, integrator, duration=1.6, samples=81)
    p = np.unwrap(np.arctan2(result["C"][:, 0], result["C"][:, 1]))
    v2 = 2.0 * G * far * (math.cos(start) - np.cos(p)) / (1.0 + K)
    assert p[-1] > math.pi
    assert np.linalg.norm(result["C"], axis=1) == pytest.approx(np.full(81, far), abs=1e-9)
    assert np.sum(result.velocity("C") ** 2, axis=1) == pytest.approx(v2, abs=RUN * v2.max())
    # clockwise round the large one: it turns (R + r)/r as fast as the line of centres
    assert result.angle("wheel") == pytest.approx(-(p - start) * far / R, abs=1e-7)
    normal = M * (G * np.cos(p) - v2 / far)
    assert normal.max() > 0.0 > normal.min()
    assert result.force("roll", "normal") == pytest.approx(normal, abs=RUN * np.abs(normal).max())
    tangential = M * G * np.sin(p) * K / (1.0 + K)
    # to the left of the line of centres, which is against the motion
    assert result.force("roll", "tangential") == pytest.approx(tangential, abs=RUN * tangential.max())


@ways
@pytest.mark.parametrize("first", ["ring", "wheel"])
def test_a_wheel_rocks_inside_a_ring(formulation, integrator, first):
    """The energy of a pendulum of (R - r)(1 + k), whichever is named first; small swings have its frequency."""
    big, start = 0.5, 1.0
    far = big - R
    at = (far * math.sin(start), -far * math.cos(start))
    keys = {"bodies": ("ground", "wheel"), "points": ((0.0, 0.0), "C"), "radii": (big, R)}
    if first == "wheel":
        keys = {name: value[::-1] for name, value in keys.items()}
    mechanism = rolls(at, joints.Rolling(**keys, internal=True))
    result = moved(mechanism, formulation, integrator, duration=2.0, samples=81)
    p = np.arctan2(result["C"][:, 0], -result["C"][:, 1])
    v2 = 2.0 * G * far * (np.cos(p) - math.cos(start)) / (1.0 + K)
    assert np.sum(result.velocity("C") ** 2, axis=1) == pytest.approx(v2, abs=RUN * v2.max())
    assert result.angle("wheel") == pytest.approx(-(p - start) * far / R, abs=1e-7)
    normal = M * (G * np.cos(p) + v2 / far)
    assert result.force("roll", "normal") == pytest.approx(normal, abs=RUN * normal.max())
    tangential = np.abs(M * G * np.sin(p) * K / (1.0 + K))
    assert np.abs(result.force("roll", "tangential")) == pytest.approx(tangential, abs=RUN * tangential.max())
    rest = pm.equilibrium(mechanism)
    assert rest["C"][0] == pytest.approx([0.0, -far], abs=1e-6)
    frequency = math.sqrt(G / (far * (1.0 + K))) / (2.0 * math.pi)
    assert pm.modes(mechanism, "equilibrium").frequency == pytest.approx([frequency], rel=1e-6)


@ways
def test_a_ring_rocks_on_a_wheel_that_stands_inside_it(formulation, integrator):
    """The ring is the larger circle: its centre swings at R - r below the wheel's, and it turns the same way."""
    inner, ring = 0.2, 0.5
    far, mass, inertia, start = ring - inner, 1.5, 0.3, 0.8
    at = (far * math.sin(start), -far * math.cos(start))
    mechanism = Mechanism(
        name="hoop",
        gravity=(0.0, -G),
        points={"C": at},
        bodies={"hoop": Body(points=("C",), com=at, mass=mass, inertia=inertia)},
        joints={
            "roll": joints.Rolling(
                bodies=("ground", "hoop"), points=((0.0, 0.0), "C"), radii=(inner, ring), internal=True
            )
        },
    )
    result = moved(mechanism, formulation, integrator, duration=2.0, samples=81)
    p = np.arctan2(result["C"][:, 0], -result["C"][:, 1])
    k = inertia / (mass * ring**2)
    v2 = 2.0 * G * far * (np.cos(p) - math.cos(start)) / (1.0 + k)
    assert np.sum(result.velocity("C") ** 2, axis=1) == pytest.approx(v2, abs=RUN * v2.max())
    assert result.angle("hoop") == pytest.approx((p - start) * far / ring, abs=1e-7)
    normal = mass * (G * np.cos(p) + v2 / far)
    assert np.abs(result.force("roll", "normal")) == pytest.approx(normal, abs=RUN * normal.max())


@ways
def test_a_wheel_on_a_plank_is_left_behind(formulation, integrator):
    """On a plank that is pulled away the centre follows with k/(1 + k) of its acceleration."""
    pull, plank = 10.0, 3.0
    keys = {"bodies": ("plank", "wheel"), "points": ("P", "C"), "axis": (1.0, 0.0), "radius": R}
    mechanism = rolls(
        (0.0, R),
        joints.Rolling(**keys),
        {"plank": Body(points=("P",), com=(-0.5, 0.0), mass=plank, inertia=0.1)},
        points={"P": (-0.5, 0.0)},
        joints={"slide": joints.Prismatic(point="P", bodies=("ground", "plank"), axis=(1.0, 0.0))},
        forces={"pull": forces.Load(body="plank", point="P", force=(pull, 0.0))},
    )
    result = moved(mechanism, formulation, integrator, duration=2.0, samples=5)
    share = K / (1.0 + K)
    a = pull / (plank + M * share)
    assert result.acceleration("P")[:, 0] == pytest.approx(np.full(5, a), rel=EXACT)
    assert result.acceleration("C")[:, 0] == pytest.approx(np.full(5, share * a), rel=EXACT)
    assert result.force("roll", "tangential") == pytest.approx(np.full(5, M * share * a), rel=EXACT)
    # weight on the plank, away from its guide
    arm = result["C"][:, 0] - result["P"][:, 0]
    assert result.moment("slide", "plank") == pytest.approx(M * G * arm, rel=1e-8)


@ways
def test_two_wheels_that_drive_each_other_slip_nowhere(formulation, integrator):
    """Of two wheels in contact on fixed centres the contact carries only what turns the second."""
    far, torque = 0.3, 0.7
    mechanism = Mechanism(
        name="friction drive",
        points={"C": (0.0, 0.0), "D": (far, 0.0)},
        bodies={"wheel": ball((0.0, 0.0)), "other": Body(points=("D",), com=(far, 0.0), mass=1.0, inertia=0.02)},
        joints={
            "C": joints.Revolute(point="C", bodies=("ground", "wheel")),
            # its own slide leaves the contact force to a spring
            "block": joints.Slot(point="D", bodies=("ground", "other"), axis=(1.0, 0.0)),
            "roll": joints.Rolling(bodies=("wheel", "other"), points=("C", "D"), radii=(R, far - R)),
        },
        forces={
            "motor": forces.Torque(bodies=("ground", "wheel"), torque=torque),
            "press": forces.Load(body="other", point="D", force=(-50.0, 0.0)),
        },
    )
    result = moved(mechanism, formulation, integrator, duration=1.0, samples=5)
    ratio = -R / (far - R)
    alpha = torque / (I + 0.02 * ratio**2)
    assert result.alpha("wheel") == pytest.approx(np.full(5, alpha), rel=EXACT)
    assert result.angle("other") == pytest.approx(ratio * 0.5 * alpha * result.t**2, abs=RUN)
    assert result.force("roll", "normal") == pytest.approx(np.full(5, 50.0), rel=EXACT)
    # at the left of D the force to the left of the line of centres turns it clockwise
    assert result.force("roll", "tangential") == pytest.approx(np.full(5, -0.02 * ratio * alpha / (far - R)), rel=EXACT)


def test_the_planet_of_a_cycloid_gear_may_be_driven_round_many_times():
    """A driven wheel on a level line: its rim draws a cycloid, and the contact moves as far as it turns."""
    mechanism = rolls(
        (0.0, R),
        joints.Rolling(bodies=("ground", "wheel"), points=((0.0, 0.0), "C"), axis=(1.0, 0.0)),
        drivers={"motor": drivers.Rotation(bodies=("ground", "wheel"), motion=signals.Linear(rate=-5.0))},
    )
    found = pm.cycle(mechanism, times=np.linspace(0.0, 20.0, 21))
    assert found["C"][:, 0] == pytest.approx(5.0 * R * found.t, abs=1e-9)
    assert found.force("roll", "normal") == pytest.approx(np.full(21, M * G), rel=EXACT)
    assert found.effort("motor") == pytest.approx(np.zeros(21), abs=1e-9)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {"radii": (0.5, 0.2)},
            "not in contact as drawn: the centres are 0.6 apart, the sum of the radii 0.5 and 0.2 is 0.7",
        ),
        ({"radii": (0.5, 0.2), "internal": True}, "the difference of the radii 0.5 and 0.2 is 0.3; move a centre or"),
        ({"radii": (0.5, -0.1)}, 'key "radii": must be above zero, got -0.1'),
        ({"radii": (0.6, 0.6), "internal": True}, "circles of one radius, 0.6: one rolls inside a larger one only"),
        ({"radii": (0.5, 0.1), "radius": 0.1}, 'key "radius" is for a circle on a line; of two circles give "radii"'),
        ({}, 'it needs "radii" of two circles, or the "axis" of a line'),
        ({"radii": (0.5, 0.1), "axis": (1.0, 0.0)}, 'it needs "radii" of two circles, or the "axis" of a line'),
        ({"axis": (1.0, 0.0), "internal": True}, 'key "internal" is for two circles'),
        (
            {"axis": (1.0, 0.0), "radius": 0.1},
            'the centre "C" is 0.6 from the line through .0.0, 0.0., the radius is 0.1',
        ),
        ({"axis": (0.0, 1.0)}, 'the centre "C" lies on the line itself; move it, or the line'),
    ],
)
def test_what_is_not_in_contact_is_said_in_one_line_with_its_numbers(keys, said):
    with pytest.raises(pm.ModelError, match=said) as caught:
        rolls((0.0, 0.6), joints.Rolling(bodies=("ground", "wheel"), points=((0.0, 0.0), "C"), **keys))
    assert "\n" not in str(caught.value)
