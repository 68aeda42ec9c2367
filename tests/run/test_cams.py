"""Cams against closed forms: motions, contact forces, side loads, curvature, the speed at which a follower jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, ModelError, drivers, forces, joints, signals
from particlemech.contours import ARM, FACE, OFFSET, PLAIN, combined, reached
from particlemech.model import toml
from particlemech.model.cams.lift import Contact, curve

WAYS = [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)
TURN = 2.0 * math.pi
EXACT = 1e-9  # relative; worst observed 2e-12: with a driven cam all follows from places
OMEGA, RISE, BEGIN, LIFT = 8.0, 2.0, 1.0, 0.02  # rad/s, rad, rad, m: dwell to 1, rise to 3, dwell to 4, fall to 2 pi
ANGLES, LIFTS = (BEGIN, BEGIN + RISE, 4.0, TURN), (0.0, LIFT, LIFT, 0.0)
MASS, SPRING, PRELOAD, G = 0.5, 3000.0, 40.0, 9.81
HEIGHT, ROLLER = 0.06, 0.012
U = np.linspace(BEGIN + 0.02, BEGIN + RISE - 0.02, 9)  # angles of the cam during the rise


def law(name, u):
    """Return s, s' and s'' of the rise at angles of the cam, written out after Norton."""
    x, h, b = (u - BEGIN) / RISE, LIFT, RISE
    if name == "cycloidal":
        s = h * (x - np.sin(TURN * x) / TURN)
        return s, h / b * (1.0 - np.cos(TURN * x)), TURN * h / b**2 * np.sin(TURN * x)
    if name == "harmonic":
        s = 0.5 * h * (1.0 - np.cos(math.pi * x))
        return s, 0.5 * math.pi * h / b * np.sin(math.pi * x), 0.5 * math.pi**2 * h / b**2 * np.cos(math.pi * x)
    s = h * (10.0 * x**3 - 15.0 * x**4 + 6.0 * x**5)
    return s, h / b * (30.0 * x**2 - 60.0 * x**3 + 30.0 * x**4), h / b**2 * (60.0 * x - 180.0 * x**2 + 120.0 * x**3)


def machine(follower="roller", at=(0.0, HEIGHT), pivot=None, driven=True, **keys):
    """Return a cam and its follower, pressed down by weight and a spring; it slides upwards, or swings."""
    guide = (
        joints.Prismatic(bodies=("ground", "follower"), point="R", axis=(0.0, 1.0))
        if pivot is None
        else joints.Revolute(bodies=("ground", "follower"), point=pivot)
    )
    way = {"axis": (0.0, 1.0), "lift": LIFTS} if pivot is None else {"pivot": pivot, "swing": (0.0, 0.25, 0.25, 0.0)}
    keys = {"angles": ANGLES, **way, **keys}
    if "curve" in keys:
        keys = {name: value for name, value in keys.items() if name not in ("angles", "lift", "swing", "law")}
    if follower == "roller":
        keys.setdefault("radius", ROLLER)
    top = (at[0], at[1] + 0.1)
    return Mechanism(
        name="cam",
        gravity=(0.0, -G),
        points={"O": (0.0, 0.0), "M": (0.07, 0.0), "R": at, "T": top, "S": (top[0], top[1] + 0.1)},
        bodies={
            "cam": Body(points=("O", "M"), com=(0.0, 0.0), mass=1.0, inertia=1e-3),
            "follower": Body(points=("R", "T"), com=at, mass=MASS, inertia=4e-4),
        },
        joints={
            "shaft": joints.Revolute(point="O", bodies=("ground", "cam")),
            "guide": guide,
            "cam": joints.Cam(bodies=("cam", "follower"), points=("O", "R"), follower=follower, **keys),
        },
        forces={
            "spring": forces.Spring(
                bodies=("ground", "follower"), points=("S", "T"), stiffness=SPRING, length=0.1 + PRELOAD / SPRING
            )
        }
        if pivot is None
        else {},
        drivers={"motor": drivers.Rotation(bodies=("ground", "cam"), motion=signals.Linear(rate=OMEGA))}
        if driven
        else {},
    )


def at_angles(mechanism, u, formulation="particles", integrator="explicit"):
    """Return a run that ends at the last of some angles of the cam and has samples at all of them."""
    even = np.linspace(0.0, u[-1], round(u[-1] / (u[1] - u[0])) + 1)
    u = even[even > BEGIN]
    result = pm.simulate(
        mechanism, duration=even[-1] / OMEGA, samples=len(even), formulation=formulation, integrator=integrator
    )
    assert result.status is pm.Status.COMPLETED
    return result, u, even > BEGIN


STEPS = np.linspace(0.0, BEGIN + RISE - 0.05, 60)[1:]


@ways
@pytest.mark.parametrize("name", ["cycloidal", "harmonic", "3-4-5"])
@pytest.mark.parametrize("offset", [0.0, 0.01])
def test_a_roller_follows_its_law_and_is_pushed_along_the_common_normal(formulation, integrator, name, offset):
    """tan a = (s' - e)/(A + s), N cos a = m (g + s'' w^2) + spring, and the guide carries N sin a.

    The offset e lies to the right of the centre of a cam that turns counter-clockwise.
    """
    result, u, seen = at_angles(machine(at=(offset, HEIGHT), law=name), STEPS, formulation, integrator)
    s, s1, s2 = law(name, u)
    assert result.coordinate("guide")[seen] == pytest.approx(s, rel=EXACT, abs=1e-13)
    assert result.rate("guide")[seen] == pytest.approx(OMEGA * s1, rel=1e-8, abs=1e-9)
    along = MASS * (G + OMEGA**2 * s2) + PRELOAD + SPRING * s
    tilt = np.arctan2(s1 - offset, HEIGHT + s)
    assert result.force("cam")[seen] == pytest.approx(along / np.cos(tilt), rel=EXACT)
    assert result.force("cam", "pressure_angle")[seen] == pytest.approx(np.abs(tilt), abs=1e-10)
    assert result.reaction("guide", "follower")[seen, 0] == pytest.approx(along * np.tan(tilt), rel=1e-8, abs=1e-9)
    assert result.effort("motor")[seen] == pytest.approx(along * s1, rel=1e-8, abs=1e-9)
    on_shaft = np.stack([-along * np.tan(tilt), along + G], axis=1)
    assert result.reaction("shaft", "cam")[seen] == pytest.approx(on_shaft, rel=1e-8, abs=1e-9)


@ways
@pytest.mark.parametrize("name", ["cycloidal", "harmonic", "3-4-5"])
def test_a_flat_face_is_touched_as_far_aside_as_the_lift_is_fast(formulation, integrator, name):
    """N = m (g + s'' w^2) + spring acts s' aside, so the guide holds N s'; rho = r + s + s''."""
    result, u, seen = at_angles(machine("flat", law=name), STEPS, formulation, integrator)
    s, s1, s2 = law(name, u)
    push = MASS * (G + OMEGA**2 * s2) + PRELOAD + SPRING * s
    assert result.coordinate("guide")[seen] == pytest.approx(s, rel=EXACT, abs=1e-13)
    assert result.force("cam")[seen] == pytest.approx(push, rel=EXACT)
    assert np.all(result.force("cam", "pressure_angle") < 1e-12)
    assert result.force("cam", "curvature_radius")[seen] == pytest.approx(HEIGHT + s + s2, rel=EXACT)
    assert result.effort("motor")[seen] == pytest.approx(push * s1, rel=1e-8, abs=1e-9)
    # about the place of the guide, above the centre of the cam: the push acts s' to one side
    assert np.abs(result.moment("guide", "follower")[seen]) == pytest.approx(push * s1, rel=1e-8, abs=1e-9)


@ways
@pytest.mark.parametrize("follower", ["roller", "knife", "flat"])
def test_a_follower_that_swings_takes_its_moment_from_the_normal_force(follower, formulation, integrator):
    """I beta'' = N times the arm of the normal about the pivot; the motor gives I beta'' d(beta)/du."""
    pivot, law_ = (-0.08, 0.055), "cycloidal"
    mechanism = machine(follower, pivot=pivot, law=law_).replaced(gravity=(0.0, 0.0))
    result, u, seen = at_angles(mechanism, STEPS, formulation, integrator)
    s, s1, s2 = (of * 0.25 / LIFT for of in law(law_, u))
    arm = math.dist(pivot, (0.0, HEIGHT))
    inertia = 4e-4 + MASS * arm**2
    assert np.abs(result.coordinate("guide")[seen]) == pytest.approx(s, rel=EXACT, abs=1e-13)
    assert result.effort("motor")[seen] == pytest.approx(inertia * OMEGA**2 * s2 * s1, rel=1e-7, abs=1e-9)
    N, tilt = result.force("cam")[seen], result.force("cam", "pressure_angle")[seen]
    if follower != "flat":  # the normal passes through the roller's centre
        assert N * arm * np.cos(tilt) == pytest.approx(inertia * OMEGA**2 * s2, rel=1e-8, abs=1e-9)
    else:  # a face through the pivot: the force is across it, the arm is where it touches
        P, n = result["O"][seen], result["R"][seen] - np.array(pivot)
        place = np.sum((P - np.array(pivot)) * n, axis=1) / np.linalg.norm(n, axis=1)
        x = np.abs(n[:, 0] * (P[:, 1] - pivot[1]) - n[:, 1] * (P[:, 0] - pivot[0])) / arm  # centre to face
        slope = np.gradient(x, u)[3:-3] / (1.0 - s1[3:-3])  # by differences: along the face from its foot
        reach = np.abs(place[3:-3]) + slope
        assert (N[3:-3] * reach) == pytest.approx((inertia * OMEGA**2 * s2)[3:-3], rel=2e-3, abs=2e-3 * np.max(N) * arm)


@pytest.mark.parametrize("integrator", ["ida", "explicit"])
def test_a_cam_left_alone_keeps_its_energy(integrator):
    """(I + m s'^2) w^2/2 + m g s + spring is what it was."""
    mechanism = machine(law="4-5-6-7", driven=False).replaced(initial={"omega": {"cam": 60.0}})
    result = pm.simulate(mechanism, duration=0.6, samples=61, integrator=integrator, rtol=1e-9)
    assert result.status is pm.Status.COMPLETED
    s = result.coordinate("guide")
    stored = MASS * G * s + PRELOAD * s + 0.5 * SPRING * s**2
    kinetic = 0.5 * 1e-3 * result.omega("cam") ** 2 + 0.5 * MASS * result.rate("guide") ** 2
    assert kinetic + stored == pytest.approx(np.full(61, 0.5 * 1e-3 * 60.0**2), rel=1e-7)
    assert np.ptp(result.omega("cam")) > 10.0 and result.angle("cam")[-1] > 2.0 * TURN


# -- an eccentric circle, which is a cam in three ways ---------------------------------------------------------------

E = 0.01


def test_a_flat_face_moved_harmonically_runs_on_a_circle():
    """s = e (1 - cos u): the profile is a circle of radius r + e about a place at the distance e."""
    mechanism = machine("flat", angles=(math.pi, TURN), lift=(2.0 * E, 0.0), law="harmonic")
    found = pm.profile(mechanism, samples=90)
    assert np.hypot(found.place[:, 0], found.place[:, 1] + E) == pytest.approx(np.full(90, HEIGHT + E), rel=1e-12)
    assert found.curvature_radius == pytest.approx(np.full(90, HEIGHT + E), rel=1e-9)
    assert found.base == pytest.approx(HEIGHT, rel=1e-12)


@ways
@pytest.mark.parametrize("follower", ["roller", "flat"])
def test_a_circle_given_by_points_moves_its_follower_as_a_crank(formulation, integrator, follower):
    """Centre of the circle on a crank e; a roller keeps the distance R + r from it, a face the height R."""
    R, phase = 0.05, 0.5 * math.pi
    circle = tuple(
        (R * math.cos(a), R * math.sin(a) + E) for a in np.linspace(0.0, TURN, 181)[:-1]
    )  # as drawn the centre is above the shaft
    top = E + R + (ROLLER if follower == "roller" else 0.0)
    mechanism = machine(follower, at=(0.0, top), curve=circle)
    result = pm.simulate(mechanism, duration=0.7, samples=29, formulation=formulation, integrator=integrator)
    u = OMEGA * result.t + phase
    y = E * np.sin(u) + (np.sqrt((R + ROLLER) ** 2 - (E * np.cos(u)) ** 2) if follower == "roller" else R)
    assert result["R"][:, 1] == pytest.approx(y, abs=2e-10)
    assert result.force("cam", "curvature_radius") == pytest.approx(np.full(29, R), rel=3e-5)
    if follower == "flat":
        push = MASS * (G - OMEGA**2 * E * np.sin(u)) + PRELOAD + SPRING * (y - top)
        assert result.force("cam") == pytest.approx(push, rel=1e-5, abs=1e-4)


# -- the profile -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("follower", "keys"),
    [
        ("roller", {}),
        ("roller", {"at": (0.01, HEIGHT), "clockwise": True, "law": "modified trapezoid"}),
        ("roller", {"pivot": (-0.08, 0.05), "law": "modified sine"}),
        ("flat", {"pivot": (-0.08, 0.05), "law": "4-5-6-7"}),
        ("flat", {"face": (1.0, 0.2)}),
        ("roller", {"law": "smooth", "angles": (1.0, 2.0, 3.0, 5.0, TURN), "lift": (0.003, 0.01, 0.015, 0.006, 0.0)}),
    ],
)
def test_profiles_are_the_envelopes_of_their_followers(follower, keys):
    """Its tangent is across its normal, its curvature that of three places, and the tool runs on the pitch curve."""
    found = pm.profile(machine(follower, **keys), samples=20_000)
    ahead, behind = np.roll(found.place, -1, axis=0), np.roll(found.place, 1, axis=0)
    chord, one, other = ahead - behind, found.place - behind, ahead - found.place
    area = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    sizes = [np.linalg.norm(of, axis=1) for of in (chord, one, other)]
    turning = np.sign(np.sum(found.place[:, 0] * ahead[:, 1] - found.place[:, 1] * ahead[:, 0]))
    bend = turning * 2.0 * area / (sizes[0] * sizes[1] * sizes[2])
    smooth = np.abs(np.diff(1.0 / found.curvature_radius, append=1.0 / found.curvature_radius[0])) < 0.05
    assert np.mean(smooth) > 0.9
    assert bend[smooth] == pytest.approx(1.0 / found.curvature_radius[smooth], abs=0.2)
    if found.pitch is not None:
        normal = found.pitch - found.place
        assert np.linalg.norm(normal, axis=1) == pytest.approx(np.full(20_000, ROLLER), rel=1e-9)
        cosine = np.abs(np.sum(normal * chord, axis=1)) / ROLLER / sizes[0]
        assert np.max(cosine) < 1e-3


def test_the_profile_is_written_to_be_made(tmp_path):
    found = pm.profile(pm.models.load("cam_flat_follower"), samples=360)
    words = found.write(tmp_path / "cam.dxf").read_text().split("\n")
    pairs = list(zip(words[::2], words[1::2], strict=False))
    assert pairs[0] == ("0", "SECTION") and pairs[-1] == ("0", "EOF")
    assert pairs[pairs.index(("9", "$INSUNITS")) + 1] == ("70", "6")  # metres
    vertices = [k for k, pair in enumerate(pairs) if pair == ("0", "VERTEX")]
    read = np.array([(float(pairs[k + 2][1]), float(pairs[k + 3][1])) for k in vertices])
    assert np.array_equal(read, found.place)
    assert ("70", "1") in pairs  # closed
    table = tmp_path / "cam.csv"
    found.write(table)
    lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "angle,lift,x,y,pressure_angle,curvature_radius" and len(lines) == 361
    assert found.lift[60] == pytest.approx(0.006, rel=1e-12)  # the middle of the rise
    with pytest.raises(ModelError, match=r"suffix must be one of \.dxf"):
        found.write(tmp_path / "cam.step")


@pytest.mark.parametrize("form", [PLAIN, OFFSET, ARM, FACE])
def test_the_gap_has_the_derivatives_of_its_forms(form):
    rng = np.random.default_rng(form)
    pieces = tuple(curve(np.linspace(0.0, TURN, 13)[:-1].tolist(), (0.06 + 0.01 * rng.random(12)).tolist()))
    contact = Contact(False, form, (1.1, 0.012, 0.0, 0.02)[form], 0.08, 0.1, -1.0, -1.0, 0.3, pieces)
    for x, phi in zip(rng.uniform(0.05, 0.09, 9), rng.uniform(-3.0, 3.0, 9), strict=True):
        h, at = 1e-6, contact.gap(x, phi)
        by_x = (np.array(contact.gap(x + h, phi)) - contact.gap(x - h, phi)) / (2.0 * h)
        by_phi = (np.array(contact.gap(x, phi + h)) - contact.gap(x, phi - h)) / (2.0 * h)
        assert by_x[:3] == pytest.approx([at[1], at[3], at[4]], rel=1e-6, abs=1e-6)
        assert by_phi[:3] == pytest.approx([at[2], at[4], at[5]], rel=1e-6, abs=1e-6)
    assert combined(reached(PLAIN, 1.0, 1.0, 1.0, 1.0, 2.0), 1.0, 2.0, 0.0, 0.0)[0] == 0.0


# -- force-closed ----------------------------------------------------------------------------------------------------


ECCENTRIC = {"angles": (math.pi, TURN), "lift": (2.0 * E, 0.0), "law": "harmonic", "closure": "force"}
JUMP = math.sqrt((MASS * G + PRELOAD + 2.0 * SPRING * E) / (MASS * E))  # N = m g + F + 2 k e - m e w^2 = 0 at the top
EVERY_WAY = [{}, *({"formulation": f, "integrator": i} for f, i in WAYS)]


def turning(share, **keys):
    """Return a flat face on an eccentric circle, s = e (1 - cos u), at a share of the speed at which it jumps."""
    motor = drivers.Rotation(bodies=("ground", "cam"), motion=signals.Linear(rate=share * JUMP))
    return machine("flat", **ECCENTRIC | keys).replaced(drivers={"motor": motor})


def test_the_contact_force_vanishes_at_the_jump_speed():
    below = pm.simulate(turning(0.999), duration=TURN / (0.999 * JUMP), samples=361)
    assert below.force("cam")[180] == pytest.approx(MASS * E * JUMP**2 * (1.0 - 0.999**2), rel=1e-7)
    assert np.min(below.force("cam")) > 0.0 and below.warnings == []
    held = pm.simulate(turning(1.0, closure="form"), duration=TURN / JUMP, samples=361)
    assert held.force("cam")[180] == pytest.approx(0.0, abs=1e-9 * np.max(held.force("cam")))
    above = pm.simulate(turning(1.001), duration=TURN / (1.001 * JUMP), samples=361)
    assert "the follower lifts off at t = " in above.warnings[0]


def flight(share):
    """Return when the face leaves, and when it lands and how fast: under spring and weight it swings."""
    w, k = share * JUMP, math.sqrt(SPRING / MASS)
    leaves = math.acos((MASS * G + PRELOAD + SPRING * E) / (E * (SPRING - MASS * w**2))) / w
    rest = -(MASS * G + PRELOAD) / SPRING
    s, v = E * (1.0 - math.cos(w * leaves)), E * w * math.sin(w * leaves)

    def gap(t):
        swing = (s - rest) * np.cos(k * (t - leaves)) + v / k * np.sin(k * (t - leaves))
        return rest + swing - E * (1.0 - np.cos(w * t))

    t = np.linspace(leaves + 1e-3, leaves + 0.05, 4001)
    low = t[np.argmax(gap(t) < 0.0) - 1]
    high = low + t[1] - t[0]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) > 0.0 else (low, middle)
    return leaves, low, (gap(low + 1e-7) - gap(low - 1e-7)) / 2e-7


@pytest.mark.parametrize("way", EVERY_WAY, ids=str)
def test_a_follower_that_jumps_flies_as_its_spring_says_and_lands(way):
    leaves, lands, speed = flight(1.1)
    result = pm.simulate(turning(1.1), duration=TURN / (1.1 * JUMP), samples=181, **way)
    rough = 1.0 if way.get("integrator") != "ida" else 1e3
    off, on = result.switches[1:]
    assert (off.what, on.what) == ("opens", "closes")
    assert off.t == pytest.approx(leaves, rel=1e-9 * rough)
    assert on.t == pytest.approx(lands, rel=1e-9 * rough)
    assert on.before == pytest.approx(speed, rel=1e-6)
    assert on.lost == pytest.approx(0.5 * MASS * speed**2, rel=1e-5)  # the driven cam does not give way
    force, gap = result.force("cam"), result.force("cam", "gap")
    assert np.min(force) > -1e-9 and np.min(gap) > -1e-9 and np.max(np.abs(force * gap)) < 1e-9
    assert np.max(gap) > 1e-3
    assert result.warnings == [
        f'joint "cam": the follower lifts off at t = {leaves:.4g} s; press it down harder, or turn the cam more slowly'
    ]


def test_a_follower_leaves_the_cam_again_with_its_share_of_the_speed():
    _, lands, speed = flight(1.1)
    result = pm.simulate(turning(1.1, restitution=0.4), duration=TURN / (1.1 * JUMP), samples=11)
    struck = [one for one in result.switches if one.what == "impact"]
    assert struck[0].t == pytest.approx(lands, rel=1e-9)
    assert struck[0].after == pytest.approx(-0.4 * struck[0].before, rel=1e-12)
    assert struck[0].before == pytest.approx(speed, rel=1e-6)
    with pytest.raises(ModelError, match="goes with closure"):
        machine("flat", restitution=0.4)


def test_a_follower_that_swings_jumps_too_and_a_run_begins_in_touch_on_a_slope():
    """Both formulations agree on every switch; a contour begun on its slope begins with the speed of the contact."""
    keys = {"pivot": (-0.08, 0.055), "closure": "force", "law": "harmonic"}
    motor = drivers.Rotation(bodies=("ground", "cam"), motion=signals.Linear(rate=25.0))
    one, other = (
        pm.simulate(machine(**keys).replaced(drivers={"motor": motor}), duration=0.6, samples=21, **way)
        for way in ({}, {"formulation": "absolute"})
    )
    assert [s.what for s in one.switches] == [s.what for s in other.switches] and len(one.switches) > 2
    for a, b in zip(one.switches, other.switches, strict=True):
        assert a.t == pytest.approx(b.t, rel=1e-6, abs=1e-9)
    circle = tuple((0.05 * math.cos(a) + E, 0.05 * math.sin(a)) for a in np.linspace(0.0, TURN, 73)[:-1])
    top = math.sqrt((0.05 + ROLLER) ** 2 - E**2)
    result = pm.simulate(machine(at=(0.0, top), curve=circle, closure="force"), duration=0.1, samples=5)
    assert result.velocity("R")[0, 1] == pytest.approx(E * OMEGA, rel=1e-5)
    assert [s.what for s in result.switches] == ["closes"] and np.min(result.force("cam")) > 0.0


@pytest.mark.parametrize("way", [{"integrator": "explicit"}, {"integrator": "ida"}, {"formulation": "absolute"}])
@pytest.mark.parametrize("follower", ["roller", "flat", "knife"])
def test_a_follower_that_swings_and_never_lifts_off_is_held_as_by_both_sides(follower, way):
    keys = {"pivot": (-0.08, HEIGHT - 0.01), "face": (1.0, 0.0)} if follower == "flat" else {"pivot": (-0.08, HEIGHT)}
    held, pressed = (
        pm.simulate(machine(follower, closure=closure, **keys), duration=0.7, samples=29, rtol=1e-10, **way)
        for closure in ("form", "force")
    )
    assert [s.what for s in pressed.switches] == ["closes"] and np.min(pressed.force("cam")) > 0.0
    for quantity in ("force", "pressure_angle", "curvature_radius"):
        size = np.max(np.abs(held.force("cam", quantity)))
        assert pressed.force("cam", quantity) == pytest.approx(held.force("cam", quantity), abs=1e-7 * size)


def test_a_cam_held_on_both_sides_is_not_said_to_lift_off():
    motion = signals.Linear(rate=400.0)
    motor = drivers.Rotation(bodies=("ground", "cam"), motion=motion)
    result = pm.simulate(machine("flat", law="3-4-5").replaced(drivers={"motor": motor}), duration=0.02, samples=61)
    assert np.min(result.force("cam")) < 0.0
    assert result.warnings == []


# -- what else is asked of mechanisms --------------------------------------------------------------------------------


def test_a_cycle_of_a_cam_is_its_lift():
    found = pm.cycle(machine(law="3-4-5"), "motor", range=(BEGIN + 0.1, BEGIN + RISE - 0.1), samples=21)
    s, s1, _ = law("3-4-5", found.angle("cam"))
    assert found.coordinate("guide") == pytest.approx(s, rel=EXACT)
    assert found.rate("guide") == pytest.approx(OMEGA * s1, rel=1e-8)


def test_variants_of_a_cam_are_run_as_each_alone():
    cases = [{"joints": {"cam": {"lift": (0.0, h, h, 0.0)}}} for h in (0.01, 0.015, 0.02)]
    many = pm.simulate_many(cases, of=machine("flat"), duration=0.5, samples=11)
    for k, case in enumerate(cases):
        alone = pm.simulate(machine("flat").replaced(**case), duration=0.5, samples=11)
        assert np.array_equal(many["position"][k].sel(point="R").to_numpy(), alone["R"])
        assert np.max(alone["R"][:, 1]) == pytest.approx(HEIGHT + (0.01, 0.015, 0.02)[k], rel=1e-9)


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("follower", "keys", "said"),
    [
        ("roller", {"angles": (1.0, 3.0, 4.0, 6.0)}, r"does not close: at the last angle, 343.775 deg, it is 0; let"),
        ("roller", {"lift": (0.0, 0.02, 0.02, 0.001)}, r"does not close: at the last angle, 360 deg, it is 0.001"),
        ("roller", {"angles": (1.0, 3.0, 2.0, TURN)}, r"must increase from 0, got 2 after 3 rad"),
        ("roller", {"angles": (1.0, TURN)}, r"need the same length, got 2 and 4"),
        ("roller", {"radius": 0.07}, r"base circle is too small: a roller of radius 0.07 comes as near as 0.06"),
        (
            "roller",
            {"radius": 0.05, "angles": (1.0, 1.7, 4.0, TURN)},
            r"undercut: .* the roller has 0.05; take a roller",
        ),
        ("flat", {"lift": (0.0, 0.2, 0.2, 0.0)}, r"undercut: .* of curvature would be -0\.\d+, .* farther away by"),
        ("flat", {"law": "linear"}, r'key "law": expected one of harmonic, cycloidal'),
        ("roller", {"axis": (0.0, -1.0)}, r'leads "R" towards the centre "O"; turn it round'),
        (
            "roller",
            {"axis": (1.0, 1.0)},
            r'no body holds "cam" at its centre "O" and guides the follower along its axis',
        ),
        ("roller", {"pivot": (0.0, 0.1), "swing": (0.0, 0.1, 0.1, 0.0)}, r'"R" lie on one line'),
        ("knife", {"radius": 0.01}, r'key "radius" is that of a roller'),
        ("flat", {"pivot": (0.0, -0.05), "face": (1.0, 0.0)}, r"the normal of its face points to the pivot"),
        ("roller", {"curve": ((1.0, 0.0),) * 8}, r"does not go round the centre once"),
        ("roller", {"swing": (0.0, 0.1, 0.1, 0.0)}, r'needs one of the keys "lift", "swing" and "curve"'),
        ("roller", {"law": ("cycloidal", "3-4-5")}, r"one of all moves, or 4, one of each, got 2"),
    ],
)
def test_cams_that_cannot_be_say_why(follower, keys, said):
    with pytest.raises(ModelError, match=said) as error:
        machine(follower, **keys)
    assert "\n" not in str(error.value)


def test_a_contour_that_is_missed_says_by_how_much():
    circle = tuple((0.05 * math.cos(a), 0.05 * math.sin(a)) for a in np.linspace(0.0, TURN, 37))
    with pytest.raises(ModelError, match=r'"R" is 0.07 from the centre "O", where the contour asks for 0.062'):
        machine(at=(0.0, 0.07), curve=circle)


def test_cams_are_for_the_plane():
    said = {"format": 1, "kind": "spatial", "bodies": {}, "joints": {"c": {"type": "cam", "bodies": ["a", "b"]}}}
    with pytest.raises(ModelError, match=r'joint "c": .*"cam".* the plane'):
        toml.from_dict(said)
