"""Inverse dynamics, Jacobians and inverse kinematics of any mechanism: closed forms, and forward of inverse."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from tests.support.shipped import SMOOTH

RNG = np.random.default_rng(11)


def cycloid(t):
    """Return a rise from 0 to 1 in 1 s with its rates at rest at both ends."""
    w = 2.0 * math.pi
    return t - np.sin(w * t) / w


def two_links(**more):
    """Return an arm of two rods of 0.5 m and 0.4 m in the plane of gravity."""
    return pm.Mechanism(
        gravity=(0.0, -9.81),
        points={"O": (0.0, 0.0), "A": (0.5, 0.0), "B": (0.5, 0.4)},
        bodies={"upper": pm.Body(points=("O", "A"), mass=2.0), "fore": pm.Body(points=("A", "B"), mass=1.5)},
        joints={
            "shoulder": pm.joints.Revolute(point="O", bodies=("ground", "upper")),
            "elbow": pm.joints.Revolute(point="A", bodies=("upper", "fore")),
        },
        **more,
    )


def five_bar():
    """Return a five-bar with motors at both ground joints."""
    points = {"O": (0.0, 0.0), "A": (-0.2, 0.3), "P": (0.15, 0.55), "B": (0.5, 0.3), "C": (0.3, 0.0)}
    ends = {"left": ("O", "A"), "far_left": ("A", "P"), "far_right": ("B", "P"), "right": ("C", "B")}
    pins = {"O": ("ground", "left"), "A": ("left", "far_left"), "P": ("far_left", "far_right")}
    pins |= {"B": ("far_right", "right"), "C": ("right", "ground")}
    return pm.Mechanism(
        gravity=(0.0, -9.81),
        points=points,
        bodies={name: pm.Body(points=of, mass=1.0) for name, of in ends.items()},
        joints={f"pin{p}": pm.joints.Revolute(point=p, bodies=of) for p, of in pins.items()},
    )


# -- inverse dynamics --------------------------------------------------------------------------------------------------


def test_torques_of_two_links_are_those_of_lagranges_equations():
    q, w, alpha = RNG.normal(size=(3, 5, 2))
    found = pm.inverse(
        two_links(),
        *({"shoulder": of[:, 0], "elbow": of[:, 1]} for of in (q, w, alpha)),
    )
    l1, l2, m1, m2, g = 0.5, 0.4, 2.0, 1.5, 9.81
    one, two = q[:, 0], math.pi / 2 + q[:, 1]  # the angle of the forearm against the upper arm
    c, s = np.cos(two), np.sin(two)
    h = m2 * l1 * l2 / 2
    M11 = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3) + 2 * h * c
    M12, M22 = m2 * l2**2 / 3 + h * c, m2 * l2**2 / 3
    weight2 = m2 * g * l2 / 2 * np.cos(one + two)
    weight1 = (m1 / 2 + m2) * g * l1 * np.cos(one) + weight2
    shoulder = M11 * alpha[:, 0] + M12 * alpha[:, 1] - h * s * (2 * w[:, 0] * w[:, 1] + w[:, 1] ** 2) + weight1
    elbow = M12 * alpha[:, 0] + M22 * alpha[:, 1] + h * s * w[:, 0] ** 2 + weight2
    assert found.effort("shoulder.angle") == pytest.approx(shoulder, rel=1e-10)
    assert found.needed("elbow") == pytest.approx(elbow, rel=1e-10)


@pytest.mark.parametrize("which", ["five-bar", "3-RRR"])
def test_motors_with_the_needed_torques_make_the_motion_again(which):
    t = np.linspace(0.0, 1.0, 401)
    if which == "five-bar":
        mechanism, motors = five_bar(), ["pinO", "pinC"]
        path = np.array([0.15, 0.55]) + cycloid(t)[:, None] * [0.08, -0.06]
        motion = {"P": path}
    else:
        mechanism, motors = pm.models.load("platform_manipulator"), ["A0", "A1", "A2"]
        path = np.array([0.6, 0.36]) + cycloid(t)[:, None] * [0.05, 0.03]
        motion = {"P": path, "platform.angle": pm.signals.Cycloid(end=0.2, duration=1.0)}
    found = pm.inverse(mechanism, motion, t=t, actuators=motors)
    assert np.abs(found["P"] - path).max() < 1e-12
    again = pm.simulate(found.replay, samples=401, rtol=1e-11)
    assert np.abs(again["P"] - path).max() < 1e-8
    joint = motors[0]
    body = mechanism.joints[joint].bodies[1]
    assert np.abs(again.reaction(joint, on=body) - found.reaction(joint, on=body)).max() < 1e-6


def test_more_motors_than_freedoms_share_the_load_with_the_least_norm():
    mechanism = five_bar()
    at = {"P": (0.2, 0.5)}
    two = pm.inverse(mechanism, at, actuators=["pinO", "pinC"])
    three = pm.inverse(mechanism, at, actuators=["pinO", "pinC", "pinA"])
    assert two.null.shape[2] == 0 and three.null.shape == (1, 3, 1)
    efforts, null = np.array([e[0] for e in three.efforts.values()]), three.null[0, :, 0]
    assert abs(efforts @ null) < 1e-12 * np.linalg.norm(efforts)  # least: nothing of what moves nothing is in it
    # added to the efforts it changes no acceleration: the other choice differs by a multiple of it
    other = np.array([two.effort("pinO.angle")[0], two.effort("pinC.angle")[0], 0.0])
    left = (efforts - other) - null * (null @ (efforts - other)) / (null @ null)
    assert np.abs(left).max() < 1e-10 * np.abs(efforts).max()
    assert np.linalg.norm(efforts) < np.linalg.norm(other)


# those that bend are asked in test_inverse_bending.py
RIGID = [name for name in SMOOTH if not getattr(pm.models.load(name), "bends", False)]


@pytest.mark.parametrize("name", RIGID)
def test_what_a_run_needs_is_what_its_drivers_gave(name):
    """The law for every mechanism: inverse dynamics of a run finds its drivers' efforts, and no others."""
    mechanism = pm.models.load(name)
    result = pm.simulate(mechanism, duration=min(0.05, mechanism.run.duration), samples=4)
    if not mechanism.drivers and not mechanism.joints:
        return
    names = list(mechanism.drivers) or None
    if names is None:
        joints = [(j, c) for j, joint in mechanism.joints.items() for c in joint.coordinate_names]
        names = [f"{j}.{c}" for j, c in joints]
    if name == "space_manipulator":  # it is drawn so, and nothing but its angles is asked for
        with pytest.raises(ModelError, match="gimbal lock at t = 0 s"):
            pm.inverse(mechanism, result, actuators=names)
        return
    found = pm.inverse(mechanism, result, actuators=names)
    size = found._force_size
    for name in names:
        gave = result.effort(name, "least-norm") if name in mechanism.drivers else 0.0
        if not found.null.shape[2]:
            assert np.abs(found.effort(name) - gave).max() < 2e-6 * size
    assert max(np.abs(of).max() for of in found.efforts.values()) < 1e3 * max(size, 1.0)


def test_leg_forces_of_a_platform_in_space_are_those_of_its_cycle():
    platform = pm.models.load("stewart_platform")
    legs = [f"leg{i}" for i in range(1, 7)]
    result = pm.simulate(platform, duration=0.5, samples=5)
    found = pm.inverse(platform, result, actuators=legs)
    driven = platform.replaced(drivers=dict.fromkeys(platform.drivers))
    motors = {
        f"m{leg}": pm.space.forces.Motor(joint=leg, effort=float(found.effort(f"{leg}.travel")[0])) for leg in legs
    }
    again = pm.simulate(driven.replaced(forces=motors), duration=1e-6, samples=2)
    assert np.abs(again.acceleration("T")[0] - result.acceleration("T")[0]).max() < 1e-7


WRONG = {
    "a freedom left open": (lambda: pm.inverse(five_bar(), {"P.x": 0.2}), "leaves 1 freedom open"),
    "a place out of reach": (lambda: pm.inverse(five_bar(), {"P": (3.0, 3.0)}), "cannot have P.x = 3, P.y = 3"),
    "no actuators": (lambda: pm.inverse(five_bar(), {"P": (0.2, 0.5)}), "say what moves it"),
    "too few actuators": (
        lambda: pm.inverse(five_bar(), {"P": (0.2, 0.5)}, actuators=["pinO"]),
        "cannot make this motion",
    ),
    "an unknown actuator": (lambda: pm.inverse(five_bar(), {"P": (0.2, 0.5)}, actuators=["pinX"]), '"pinX" is no'),
    "an unknown name": (lambda: pm.inverse(five_bar(), {"Q": (0.2, 0.5)}), '"Q" is no coordinate'),
    "too few samples": (
        lambda: pm.inverse(five_bar(), {"P": [(0.2, 0.5)] * 3}, t=[0.0, 0.1, 0.2], actuators=["pinO", "pinC"]),
        "3 samples are too few",
    ),
    "a jacobian without drivers": (lambda: pm.jacobian(five_bar(), "P"), "nothing drives it"),
    "too few drivers": (lambda: pm.jacobian(five_bar(), "P", ["pinO"]), "1 freedom open"),
    "too many drivers": (lambda: pm.jacobian(five_bar(), "P", ["pinO", "pinA", "pinC"]), "3 drivers for 2 freedoms"),
    "no targets": (lambda: pm.reach(five_bar(), {}), "mapping of names to values"),
    "a target in words": (lambda: pm.reach(five_bar(), {"P": "far"}), 'target "P": expected numbers'),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_asked_is_said_in_one_line(what):
    work, said = WRONG[what]
    with pytest.raises(ModelError) as caught:
        work()
    assert said in str(caught.value) and "\n" not in str(caught.value)


# -- Jacobians ---------------------------------------------------------------------------------------------------------


def test_the_jacobian_of_two_links_is_its_closed_form():
    found = pm.jacobian(two_links(), ["B", "fore.angle"], ["shoulder", "elbow"])
    assert found.matrix == pytest.approx(np.array([[-0.4, -0.4], [0.5, 0.0], [1.0, 1.0]]), abs=1e-12)
    two = pm.jacobian(two_links(), "B", ["shoulder", "elbow"])
    assert two.manipulability == pytest.approx(0.5 * 0.4, rel=1e-12) and two.kind == "regular"
    # efforts that hold a force at the end, by virtual work
    force = np.array([3.0, -2.0])
    assert two.forces(two.matrix.T @ force) == pytest.approx(force, rel=1e-12)


def test_a_jacobian_is_the_difference_quotient_of_positions():
    platform, h = pm.models.load("platform_manipulator"), 1e-5
    names = ["A0", "A1", "A2"]
    found = pm.jacobian(platform, "P", names)
    for k, name in enumerate(names):
        ends = [pm.inverse(platform, {f"{n}.angle": s * h * (n == name) for n in names})["P"][0] for s in (1.0, -1.0)]
        assert (ends[0] - ends[1]) / (2.0 * h) == pytest.approx(found.matrix[:, k], rel=1e-8)


def test_a_platform_whose_links_meet_in_one_point_is_locked():
    """A 3-RRR whose three links point to one point cannot hold its platform: second kind, known in closed form."""
    mechanism = pm.models.load("platform_manipulator")
    regular = pm.jacobian(mechanism, ["P", "platform.angle"], ["A0", "A1", "A2"])
    angles = 2.0 * math.pi * np.arange(3) / 3.0
    points, bodies, joints = {"P": (0.0, 0.0)}, {}, {}
    for k, phi in enumerate(angles):
        way, across = np.array([math.cos(phi), math.sin(phi)]), np.array([-math.sin(phi), math.cos(phi)])
        points |= {f"C{k}": tuple(0.2 * way), f"B{k}": tuple(0.6 * way), f"A{k}": tuple(0.6 * way + 0.5 * across)}
        bodies |= {f"arm{k}": pm.Body(points=(f"A{k}", f"B{k}"), mass=1.0)}
        bodies |= {f"link{k}": pm.Body(points=(f"B{k}", f"C{k}"), mass=1.0)}
        chain = ("ground", f"arm{k}", f"link{k}", "platform")
        for n, p in enumerate("ABC"):
            joints[f"{p}{k}"] = pm.joints.Revolute(point=f"{p}{k}", bodies=chain[n : n + 2])
    bodies["platform"] = pm.Body(points=("C0", "C1", "C2", "P"), mass=1.0, com=(0.0, 0.0), inertia=0.02)
    locked = pm.Mechanism(points=points, bodies=bodies, joints=joints)
    found = pm.jacobian(locked, ["P", "platform.angle"], ["A0", "A1", "A2"])
    assert regular.kind == "regular" and found.kind == "second kind" and found.locking < 1e-12


# -- inverse kinematics ------------------------------------------------------------------------------------------------


def test_two_links_reach_where_the_law_of_cosines_says():
    targets = np.array([[0.3, 0.6], [-0.2, 0.5], [0.6, -0.1]])
    found = pm.reach(two_links(), {"B": targets})
    assert found.reached.all() and found.result["B"] == pytest.approx(targets, abs=1e-9)
    for k, (x, y) in enumerate(targets):
        elbow = math.acos((x * x + y * y - 0.5**2 - 0.4**2) / (2 * 0.5 * 0.4))
        assert math.cos(math.pi / 2 + found.coordinates["elbow.angle"][k]) == pytest.approx(math.cos(elbow), abs=1e-9)


def test_along_a_line_at_constant_speed_rounding_of_a_spline_contradicts_nothing():
    t = np.linspace(0.0, 1.0, 11)
    line = {"P": np.stack([0.6 + 0.05 * t, 0.36 + 0.0 * t], axis=1), "platform.angle": 0.0 * t}
    platform = pm.models.load("platform_manipulator")
    found = pm.inverse(platform, line, t=t, actuators=["A0", "A1", "A2"])
    said = pm.inverse(platform, {"P.x": pm.signals.Linear(rate=0.05, offset=0.6), "P.y": 0.36, "platform.angle": 0.0},
                      t=t, actuators=["A0", "A1", "A2"])  # fmt: skip
    for k in range(3):
        assert found.effort(f"A{k}") == pytest.approx(said.effort(f"A{k}"), rel=1e-9)


def test_the_nearest_pose_to_what_is_far_off_is_found_to_many_digits_in_few_steps(monkeypatch):
    """A chain of four links, 2 m in all, points there; round the platform's no place within reach is nearer."""
    monkeypatch.setattr("particlemech.analyses.reaching.ROUNDS", 60)
    chain = pm.models.chain(4, length=2.0)
    found = pm.reach(chain, {"P4": (500.0, 700.0)})
    way = np.array([500.0, 700.0]) / math.hypot(500.0, 700.0)
    assert found.missed[0] == pytest.approx(math.hypot(500.0, 700.0) - 2.0, rel=1e-12)
    assert found.result["P4"][0] == pytest.approx(2.0 * way, abs=1e-7)
    platform, to = pm.models.load("platform_manipulator"), np.array([5.0, 5.0])
    far = pm.reach(platform, {"P": to})
    pose = far.result["P"][0]
    beside = [
        pm.reach(platform, {"P": pose + 0.01 * np.array([math.cos(a), math.sin(a)])}) for a in (0.785, 2.4, 3.9, 5.5)
    ]
    assert any(of.reached[0] for of in beside)
    assert all(np.linalg.norm(of.result["P"][0] - to) >= far.missed[0] - 1e-9 for of in beside)


def test_what_slides_without_limits_reaches_any_place():
    bodies = {b: pm.Body(points=(p,), mass=1.0, com=(0.1, 0.0), inertia=0.01) for b, p in (("arm", "O"), ("boom", "P"))}
    ties = {
        "O": pm.joints.Revolute(point="O", bodies=("ground", "arm")),
        "slide": pm.joints.Prismatic(point="P", bodies=("arm", "boom"), axis=(1.0, 0.0)),
    }
    crane = pm.Mechanism(points={"O": (0.0, 0.0), "P": (0.2, 0.0)}, bodies=bodies, joints=ties)
    found = pm.reach(crane, {"P": (-300.0, 400.0)})
    assert found.said == ("reached",) and found.coordinates["slide.travel"][0] == pytest.approx(499.8, rel=1e-12)


def test_what_is_out_of_reach_is_answered_by_the_nearest_pose():
    found = pm.reach(two_links(), {"B": (3.0, 4.0)})
    assert not found.reached[0] and "beyond its reach" in found.said[0]
    assert found.missed[0] == pytest.approx(5.0 - 0.9, abs=1e-7)


def test_limits_of_joints_are_kept():
    arm = two_links().replaced(joints={"elbow": {"limits": [-0.2, 0.2]}})
    found = pm.reach(arm, {"B": [(0.9, 0.0), (0.45, 0.45)]})
    assert not found.reached[0] and "held by the limits of elbow.angle" in found.said[0]
    assert found.coordinates["elbow.angle"][0] == pytest.approx(-0.2, abs=1e-9)
    assert np.all(np.abs(found.coordinates["elbow.angle"]) <= 0.2 + 1e-9)
    # the circle of the nearest pose: the farthest that this elbow lets the end be
    far = math.sqrt(0.5**2 + 0.4**2 + 2 * 0.5 * 0.4 * math.cos(math.pi / 2 - 0.2))
    assert found.missed[0] == pytest.approx(0.9 - far, abs=1e-7)


def test_a_robot_in_space_reaches_a_place():
    arm = pm.models.load("rms_arm")
    found = pm.reach(arm, {"tip": [(3.0, 2.0, 5.0), (5.0, -4.0, 8.0)]})
    assert found.reached.all()
    assert found.result["tip"] == pytest.approx(np.array([(3.0, 2.0, 5.0), (5.0, -4.0, 8.0)]), abs=1e-7)


# -- workspaces --------------------------------------------------------------------------------------------------------


def test_two_links_reach_a_disc_between_two_circles():
    """The limits of the point are the circles l1 + l2 and |l1 - l2|; no driver comes to an end."""
    found = pm.workspace(two_links(), "B", ["shoulder", "elbow"], samples=13)
    assert found.reached.all() and not len(found.ends.place)
    radii = np.linalg.norm(found.first_kind.place, axis=1)
    assert np.minimum(np.abs(radii - 0.9), np.abs(radii - 0.1)).max() < 1e-10
    assert radii.max() == pytest.approx(0.9) and radii.min() == pytest.approx(0.1)
    elbow = math.pi / 2 + found.values[1]
    assert found.manipulability == pytest.approx(np.tile(0.2 * np.abs(np.sin(elbow)), (13, 1)), abs=1e-12)


def test_drivers_of_a_five_bar_end_where_its_outer_links_are_in_line():
    five = five_bar()
    found = pm.workspace(five, "P", ["pinO", "pinC"], ranges={"pinO": (-1.2, 1.2), "pinC": (-1.2, 1.2)}, samples=9)
    assert len(found.ends.place) > 3 and 0 < found.reached.sum() < found.reached.size
    lengths = [math.dist(five.points[a], five.points[b]) for a, b in (("O", "A"), ("A", "P"), ("P", "B"), ("B", "C"))]
    for values, P in zip(found.ends.values, found.ends.place, strict=True):
        A, B = (
            np.array(five.points[o])
            + np.array([[math.cos(v), -math.sin(v)], [math.sin(v), math.cos(v)]])
            @ np.subtract(five.points[e], five.points[o])
            for o, e, v in (("O", "A", values[0]), ("C", "B", -values[1]))
        )
        apart = math.dist(A, B)
        edge = min(abs(apart - lengths[1] - lengths[2]), abs(apart - abs(lengths[1] - lengths[2])))
        assert edge < 1e-9 and math.dist(A, P) == pytest.approx(lengths[1], rel=1e-9)


def test_drivers_of_places_range_since_the_drawing():
    """The centre of a platform on six legs goes where its driver says; a driver may be named by its joint."""
    found = pm.workspace(pm.models.load("stewart_platform"), "T", ranges={"heave": (-0.1, 0.1)}, samples=5)
    assert found.place[:, 2] == pytest.approx(0.7 + found.values[0], abs=1e-12)
    motors = {f"motor {a}": pm.drivers.Coordinate(joint=a, motion=0.0) for a in ("A0", "A1", "A2")}
    platform = pm.models.load("platform_manipulator").replaced(drivers=motors)
    found = pm.workspace(platform, "P", ranges={"A0": (-0.5, 0.5), "motor A1": (-0.5, 0.5)}, samples=5)
    assert found.drivers == ("motor A0", "motor A1") and found.reached.any()


def test_a_map_without_masses_is_the_same():
    light = two_links().replaced(bodies={name: {"mass": None} for name in ("upper", "fore")})
    one, other = (pm.workspace(m, "B", ["shoulder", "elbow"], samples=4) for m in (two_links(), light))
    assert one.place == pytest.approx(other.place, abs=1e-12)
    with pytest.raises(ModelError, match="3 drivers would range"):
        pm.workspace(pm.models.load("platform_manipulator"), "P", ["A0", "A1", "A2"])
