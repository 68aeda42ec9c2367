"""Friction of joints in space from their own loads: closed forms, the plane, an independent solution, both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.optimize import brentq

import particlemech as pm
from particlemech.model import toml
from particlemech.model.toml import from_dict
from particlemech.model.writing import dumps

G, SHARP = 9.81, 1e-5
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BOTH = pytest.mark.parametrize("integrator", ["explicit", "ida"])


def one_body(joint, gravity=(0.0, 0.0, -G), com=(0.0, 0.0, 0.0), mass=2.0, inertia=(0.02, 0.03, 0.04), **more):
    """Return a body on the ground by one joint at the origin."""
    run = {"duration": 0.4, "rtol": 1e-10} | more.pop("run", {})
    body = {"points": (), "mass": mass, "com": com, "inertia": inertia}
    return from_dict(
        {
            "kind": "spatial",
            "gravity": gravity,
            "bodies": {"a": body},
            "joints": {"J": {"bodies": ("ground", "a"), "point": (0.0, 0.0, 0.0)} | joint},
            "run": run,
        }
        | more
    )


def hinge(axis, **friction):
    return {"type": "revolute", "axis": axis, "friction": {"velocity": SHARP} | friction}


# -- closed forms ------------------------------------------------------------------------------------------------------


@BOTH
def test_a_flywheel_on_a_lying_shaft_runs_down_by_the_weight_in_its_bearing(integrator):
    shaft = hinge((1.0, 0.0, 0.0), mu=0.1, radius=0.02)
    found = pm.simulate(one_body(shaft, initial={"rate": {"J": (2.0,)}}), integrator=integrator)
    wanted = 2.0 - 0.1 * 0.02 * 2.0 * G / 0.02 * found.t
    moving = wanted > 1e-2
    np.testing.assert_allclose(found.rate("J")[moving], wanted[moving], rtol=0, atol=1e-7)
    assert moving.sum() > 100
    np.testing.assert_allclose(found.friction("J")[moving], -0.1 * 0.02 * 2.0 * G, rtol=1e-8)
    np.testing.assert_allclose(found.loss("J"), found.columns()["J.loss"], rtol=0)


def test_thrust_works_at_the_collar_and_a_bearing_carries_moments_at_its_ends():
    standing = hinge((0.0, 0.0, 1.0), mu=0.1, radius=0.02, collar=0.03)
    found = pm.simulate(one_body(standing, initial={"rate": {"J": (1.0,)}}))
    np.testing.assert_allclose(found.rate("J")[:50], (1.0 - 0.1 * 0.03 * 2.0 * G / 0.04 * found.t)[:50], atol=1e-9)
    overhung = hinge((1.0, 0.0, 0.0), mu=0.1, radius=0.02, length=0.1)
    found = pm.simulate(one_body(overhung, com=(0.2, 0.0, 0.0), initial={"rate": {"J": (4.0,)}}))
    load = 2.0 * 2.0 * G * 0.2 / 0.1  # 2 |M|/length
    np.testing.assert_allclose(found.rate("J")[:50], (4.0 - 0.1 * 0.02 * load / 0.02 * found.t)[:50], atol=1e-8)


@BOTH
@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_a_block_on_an_incline_slides_or_creeps(integrator, mu):
    slope = np.radians(20.0)
    down = (np.cos(slope), 0.0, -np.sin(slope))
    slide = {"type": "prismatic", "axis": down, "friction": {"mu": mu, "velocity": 1e-3}}
    found = pm.simulate(one_body(slide), integrator=integrator)
    if np.tan(slope) > mu:
        speed = G * (np.sin(slope) - mu * np.cos(slope)) * found.t[-1]
        assert found.rate("J")[-1] == pytest.approx(speed, rel=1e-2)  # but for the start within v_s
        rise = np.diff(found.rate("J")[-100:]) / np.diff(found.t[-100:])
        np.testing.assert_allclose(rise, G * (np.sin(slope) - mu * np.cos(slope)), rtol=1e-6)
    else:
        creep = 1e-3 * np.arctanh(np.tan(slope) / mu)
        assert found.rate("J")[-1] == pytest.approx(creep, rel=1e-6)


@pytest.mark.parametrize("share", [0.8, 1.25])
def test_a_guide_jams_where_it_is_pushed_too_far_beside(share):
    """A force at an arm a beside a guide of length L: it moves while mu < L/(2 a)."""
    arm, length, push = 0.1, 0.04, 30.0
    mu = share * length / (2.0 * arm)
    guide = {"type": "prismatic", "axis": (1.0, 0.0, 0.0), "friction": {"mu": mu, "length": length, "velocity": 1e-4}}
    load = {"type": "load", "body": "a", "point": (0.0, arm, 0.0), "force": (push, 0.0, 0.0)}
    found = pm.simulate(one_body(guide, gravity=(0.0, 0.0, 0.0), forces={"push": load}))
    if share < 1.0:
        rise = np.diff(found.rate("J")[-50:]) / np.diff(found.t[-50:])
        np.testing.assert_allclose(rise, push * (1.0 - share) / 2.0, rtol=1e-6)
    else:
        assert found.rate("J")[-1] == pytest.approx(1e-4 * np.arctanh(1.0 / share), rel=1e-6)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_nut_runs_down_its_screw_until_friction_is_the_tangent_of_its_lead(share):
    radius, pitch, m, J = 0.02, 0.004, 2.0, 0.04
    lead = np.arctan2(pitch, radius)
    mu = share * np.tan(lead)
    screw = {
        "type": "screw", "axis": (0.0, 0.0, 1.0), "pitch": pitch,
        "friction": {"mu": mu, "radius": radius, "velocity": 1e-5},
    }  # fmt: skip
    found = pm.simulate(one_body(screw, mass=m, inertia=(0.02, 0.03, J), run={"duration": 1.0}))
    if share < 1.0:
        # m p alpha = -m g + N (cos + mu sin),  J alpha = -N r (sin - mu cos)
        up, turn = np.cos(lead) + mu * np.sin(lead), radius * (np.sin(lead) - mu * np.cos(lead))
        alpha = np.linalg.solve([[m * pitch, -up], [J, turn]], [-m * G, 0.0])[0]
        rise = np.diff(found.rate("J")[-50:]) / np.diff(found.t[-50:])
        np.testing.assert_allclose(rise, alpha, rtol=1e-5)
    else:
        assert abs(found.rate("J")[-1]) * np.hypot(radius, pitch) < 2.0 * 1e-5
        assert abs(found.coordinate("J")[-1]) < 1e-2


@pytest.mark.parametrize(
    "way", [{}, {"integrator": "ida"}, {"formulation": "natural"}], ids=["explicit", "ida", "natural"]
)
@pytest.mark.parametrize("mu", [0.03, 0.15])
def test_a_power_screw_takes_the_torques_of_the_textbook(way, mu):
    """Raising a load F on a thread of mean diameter d and lead l, and lowering it, with and without self-locking."""
    F, d, lead = 500.0, 0.02, 0.004
    raising = 0.5 * F * d * (lead + math.pi * mu * d) / (math.pi * d - mu * lead)
    lowering = 0.5 * F * d * (math.pi * mu * d - lead) / (math.pi * d + mu * lead)
    assert (lowering > 0.0) == (mu > lead / (math.pi * d))  # it holds itself
    for rate, torque in ((6.0, raising), (-6.0, -lowering)):
        described = {
            "kind": "spatial",
            "gravity": (0.0, 0.0, 0.0),
            "bodies": {
                "spindle": {"points": (), "mass": 1.0, "com": (0.0, 0.0, 0.0), "inertia": (1e-3, 1e-3, 1e-4)},
                "nut": {"points": ("N",), "mass": 2.0, "com": (0.0, 0.0, 0.1), "inertia": (1e-3, 1e-3, 1e-3)},
            },
            "points": {"N": (0.0, 0.0, 0.1)},
            "joints": {
                "bearing": {"type": "revolute", "bodies": ("ground", "spindle"), "point": (0, 0, 0), "axis": Z},
                "guide": {"type": "prismatic", "bodies": ("ground", "nut"), "point": "N", "axis": Z},
                "thread": {"type": "screw", "bodies": ("nut", "spindle"), "point": "N", "axis": Z}
                | {"pitch": -lead / (2.0 * math.pi), "friction": {"mu": mu, "radius": 0.5 * d, "velocity": 1e-5}},
            },
            "drivers": {"motor": {"joint": "bearing", "motion": {"type": "linear", "rate": rate}}},
            "forces": {"load": {"type": "load", "body": "nut", "point": "N", "force": (0.0, 0.0, -F)}},
            "run": {"duration": 0.5, "samples": 6},
        }
        found = pm.simulate(from_dict(described), **way)
        assert found.coordinate("guide")[-1] == pytest.approx(0.5 * rate * lead / (2.0 * math.pi))
        np.testing.assert_allclose(found.effort("motor"), torque, rtol=1e-9)
        lost = torque * rate - F * rate * lead / (2.0 * math.pi)
        np.testing.assert_allclose(found.loss("thread"), lost, rtol=1e-9)


def test_a_sleeve_slides_along_its_helix_and_a_ball_about_the_axis_of_its_spin():
    """With J = m radius^2 the surface of a sleeve slows down as a point mass does on a plane."""
    radius, m, mu = 0.1, 2.0, 0.2
    rough = {"friction": {"mu": mu, "radius": radius, "velocity": SHARP}}
    sleeve = {"type": "cylindrical", "axis": (1.0, 0.0, 0.0)} | rough
    body = {"inertia": (m * radius**2, 0.03, 0.03), "initial": {"rate": {"J": (0.6, 8.0)}}, "run": {"duration": 0.3}}
    found = pm.simulate(one_body(sleeve, mass=m, **body))
    slow = 1.0 - mu * G * found.t
    np.testing.assert_allclose(found.rate("J", "travel"), 0.6 * slow, atol=1e-7)
    np.testing.assert_allclose(found.rate("J", "angle"), 8.0 * slow, atol=1e-6)
    ball = {"type": "spherical"} | rough
    spin = np.array([3.0, 4.0, 12.0])
    body = {"inertia": (0.05, 0.05, 0.05), "initial": {"omega": {"a": tuple(spin)}}, "run": {"duration": 0.1}}
    found = pm.simulate(one_body(ball, mass=m, **body))
    slow = 13.0 - mu * radius * m * G / 0.05 * found.t
    np.testing.assert_allclose(found.omega("a"), slow[:, None] * spin / 13.0, atol=1e-7)


# -- implicit loads ----------------------------------------------------------------------------------------------------


@BOTH
def test_a_pendulum_with_a_rough_journal_is_that_of_an_independent_solution(integrator):
    m, arm, J, mu, radius, sharp = 2.0, 0.5, 0.2, 0.3, 0.05, 1e-2
    joint = hinge((0.0, 0.0, 1.0), mu=mu, radius=radius, velocity=sharp)
    drawn = {"com": (arm, 0.0, 0.0), "mass": m, "inertia": (0.01, 0.2, J), "run": {"duration": 1.0}}
    found = pm.simulate(one_body(joint, gravity=(0.0, -G, 0.0), **drawn), integrator=integrator)

    def slope(t, y):
        angle, w = y
        c, s = np.cos(angle), np.sin(angle)

        def load(alpha):
            return m * np.hypot(-arm * (s * alpha + c * w * w), arm * (c * alpha - s * w * w) + G)

        drag = mu * radius * np.tanh(radius * w / sharp)
        total = J + m * arm**2
        return [w, brentq(lambda a: total * a + m * G * arm * c + drag * load(a), -1e3, 1e3, xtol=1e-14, rtol=1e-14)]

    told = solve_ivp(slope, (0.0, 1.0), [0.0, 0.0], rtol=1e-11, atol=1e-12, method="DOP853", t_eval=found.t)
    np.testing.assert_allclose(found.coordinate("J"), told.y[0], atol=2e-8)
    np.testing.assert_allclose(found.rate("J"), told.y[1], atol=1e-7)


ARM = {
    "kind": "spatial",
    "gravity": (0.0, -G, 0.0),
    "points": {"A": (0.0, 0.0, 0.0), "B": (0.4, 0.0, 0.0), "C": (0.7, 0.2, 0.0)},
    "bodies": {
        "upper": {"points": ("A", "B"), "mass": 1.5, "com": (0.2, 0.0, 0.0), "inertia": (0.01, 0.02, 0.03)},
        "lower": {"points": ("B", "C"), "mass": 0.8, "com": (0.55, 0.1, 0.0), "inertia": (0.01, 0.02, 0.02)},
    },
    "joints": {
        "A": hinge((0.0, 0.0, 1.0), mu=0.3, radius=0.03, velocity=5e-3) | {"bodies": ("ground", "upper"), "point": "A"},
        "B": hinge((0.0, 0.0, 1.0), mu=0.2, radius=0.04, velocity=5e-3, viscous=0.01)
        | {"bodies": ("lower", "upper"), "point": "B"},
    },
    "run": {"duration": 0.8, "rtol": 1e-10},
}


def arm_slope(t, y):
    """Return the rates of the arm by equations of both bodies with the reactions as unknowns, and friction iterated."""
    p1, p2, w1, w2 = y
    turn = [np.array([[np.cos(p), -np.sin(p)], [np.sin(p), np.cos(p)]]) for p in (p1, p2)]
    r1, l1, r2 = turn[0] @ [0.2, 0.0], turn[0] @ [0.4, 0.0], turn[1] @ [0.15, 0.1]

    def over(r):
        return np.array([-r[1], r[0]])

    (m1, J1), (m2, J2), g = (1.5, 0.03), (0.8, 0.02), np.array([0.0, -G])
    # unknowns: alpha1, alpha2, A (2,) on the upper, B (2,) on the lower
    M = np.zeros((6, 6))
    b0 = np.zeros(6)
    M[0:2, 0], M[0:2, 2:4], M[0:2, 4:6], b0[0:2] = m1 * over(r1), -np.eye(2), np.eye(2), m1 * g + m1 * w1**2 * r1
    M[2, 0], M[2, 2:4], M[2, 4:6] = J1, over(r1), over(l1 - r1)
    M[3:5, 0], M[3:5, 1], M[3:5, 4:6] = m2 * over(l1), m2 * over(r2), -np.eye(2)
    b0[3:5] = m2 * g + m2 * (w1**2 * l1 + w2**2 * r2)
    M[5, 1], M[5, 4:6] = J2, over(r2)
    grips = 0.3 * 0.03 * np.tanh(0.03 * w1 / 5e-3), 0.2 * 0.04 * np.tanh(0.04 * (w2 - w1) / 5e-3)
    x = np.zeros(6)
    for _ in range(200):
        b, before = b0.copy(), x
        at_A, at_B = -grips[0] * np.hypot(*x[2:4]), -grips[1] * np.hypot(*x[4:6]) - 0.01 * (w2 - w1)
        b[2], b[5] = at_A - at_B, at_B
        x = np.linalg.solve(M, b)
        if np.max(np.abs(x - before)) < 1e-14 * np.max(np.abs(x)):
            break
    return [w1, w2, x[0], x[1]]


@BOTH
def test_an_arm_of_two_links_is_that_of_an_independent_solution(integrator):
    found = pm.simulate(from_dict(ARM), integrator=integrator)
    told = solve_ivp(arm_slope, (0.0, 0.8), np.zeros(4), rtol=1e-11, atol=1e-12, method="DOP853", t_eval=found.t)
    np.testing.assert_allclose(found.coordinate("A"), told.y[0], atol=5e-8)
    np.testing.assert_allclose(-found.coordinate("B"), told.y[1] - told.y[0], atol=1e-7)
    assert np.max(np.abs(found.energy.error)) < 1e-9 * found.energy.scale


# -- loops, the plane, the second opinion ------------------------------------------------------------------------------


def rough(**numbers):
    return {"friction": {"velocity": 1e-3} | numbers}


SLIDER_CRANK = {
    "gravity": (0.0, -G),
    "points": {"O": (0.0, 0.0), "A": (0.1, 0.05), "B": (0.45, 0.0)},
    "bodies": {
        "crank": {"points": ("O", "A"), "mass": 1.0, "com": (0.05, 0.025), "inertia": 0.01},
        "rod": {"points": ("A", "B"), "mass": 0.6, "com": (0.25, 0.03), "inertia": 0.008},
        "slider": {"points": ("B",), "mass": 0.5, "com": (0.45, 0.0), "inertia": 0.001},
    },
    "joints": {
        "O": {"type": "revolute", "bodies": ("ground", "crank"), "point": "O"}
        | rough(mu=0.1, radius=0.02, viscous=1e-3),
        "A": {"type": "revolute", "bodies": ("crank", "rod"), "point": "A"}
        | rough(mu=0.1, radius=0.015, mu_static=0.15, stribeck=0.1),
        "B": {"type": "revolute", "bodies": ("rod", "slider"), "point": "B"} | rough(mu=0.1, radius=0.01),
        "S": {"type": "prismatic", "bodies": ("ground", "slider"), "point": "B", "axis": (1.0, 0.0)}
        | rough(mu=0.15, length=0.06),
    },
    "initial": {"rate": {"O": (8.0,)}},
    "run": {"duration": 0.5, "rtol": 1e-10},
}


def in_space(flat, **others):
    """Return a mechanism of the plane drawn in space; `others` are joints as they are there."""

    def up(p):
        return (*p, 0.0)

    axes = {"revolute": {"axis": (0.0, 0.0, 1.0)}, "prismatic": {"axis": (1.0, 0.0, 0.0)}}
    bodies = {k: b | {"com": up(b["com"]), "inertia": (b["inertia"],) * 3} for k, b in flat["bodies"].items()}
    joints = {k: j | axes[j["type"]] | others.get(k, {}) for k, j in flat["joints"].items()}
    for name in others:
        joints[name].pop("axis")
    points = {k: up(p) for k, p in flat["points"].items()}
    more = {"kind": "spatial", "gravity": up(flat["gravity"]), "points": points, "bodies": bodies, "joints": joints}
    return flat | more


@BOTH
def test_a_mechanism_of_the_plane_drawn_in_space_rubs_alike(integrator):
    loose = {"A": {"type": "spherical"}, "B": {"type": "universal", "axes": ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))}}
    flat = pm.simulate(from_dict(SLIDER_CRANK))
    found = pm.simulate(from_dict(in_space(SLIDER_CRANK, **loose)), integrator=integrator)
    near = 1e-8 if integrator == "explicit" else 3e-8
    for joint, name, there in (("O", "angle", "angle"), ("A", "angle", "angle3"), ("S", "travel", "travel")):
        np.testing.assert_allclose(found.coordinate(joint, there), flat.coordinate(joint, name), atol=near)
    for joint in "OABS":
        np.testing.assert_allclose(found.loss(joint), flat.loss(joint), atol=10.0 * near)
    assert np.max(np.abs(found.energy.error)) < 1e-9 * found.energy.scale
    lost = sum(simpson(loss, x=found.t) for loss in found.loss_columns().values())
    assert lost == pytest.approx(-found.energy.work[-1], rel=1e-4)


RSSR = {
    "kind": "spatial",
    "gravity": (0.0, 0.0, -G),
    "points": {"O": (0.0, 0.0, 0.0), "A": (0.1, 0.0, 0.0), "B": (0.5, 0.3, 0.2), "C": (0.5, 0.3, 0.0)},
    "bodies": {
        "crank": {"points": ("O", "A"), "mass": 1.0, "inertia": (0.002, 0.004, 0.003)},
        "rod": {"points": ("A", "B"), "mass": 0.5, "inertia": (0.01, 0.012, 0.011)},
        "rocker": {"points": ("C", "B"), "mass": 0.8, "inertia": (0.006, 0.005, 0.002)},
    },
    "joints": {
        "O": hinge((0.0, 0.0, 1.0), mu=0.2, radius=0.02, length=0.05, collar=0.015, velocity=0.01)
        | {"bodies": ("ground", "crank"), "point": "O"},
        "A": {"type": "spherical", "bodies": ("crank", "rod"), "point": "A"}
        | rough(mu=0.2, radius=0.01, velocity=0.01),
        "B": {"type": "spherical", "bodies": ("rod", "rocker"), "point": "B"}
        | rough(mu=0.2, radius=0.01, velocity=0.01, viscous=2e-4),
        "C": hinge((0.0, 1.0, 0.0), mu=0.2, radius=0.02, velocity=0.01)
        | {"bodies": ("rocker", "ground"), "point": "C"},
    },
    "initial": {"rate": {"O": (10.0,)}},
    "run": {"duration": 0.3, "rtol": 1e-10},
}


def test_a_loop_of_two_balls_and_two_hinges_keeps_its_energy_and_natural_coordinates_agree():
    found = pm.simulate(from_dict(RSSR))
    assert np.max(np.abs(found.energy.error)) < 1e-9 * found.energy.scale
    lost = sum(simpson(loss, x=found.t) for loss in found.loss_columns().values())
    assert lost == pytest.approx(-found.energy.work[-1], rel=1e-6)
    for other, near in ((pm.simulate(from_dict(RSSR), integrator="ida"), 1e-8), (natural(RSSR, 1e-9), 1e-7)):
        for joint in "OC":
            np.testing.assert_allclose(other.coordinate(joint), found.coordinate(joint), atol=near)
        for name, loss in found.loss_columns().items():
            np.testing.assert_allclose(other.loss_columns()[name], loss, atol=100.0 * near)


def natural(described, rtol):
    return pm.simulate(from_dict(described | {"run": described["run"] | {"rtol": rtol}}), formulation="natural")


KINDS = {
    "revolute": {"axis": X} | rough(mu=0.2, radius=0.02, length=0.05, collar=0.03),
    "prismatic": {"axis": (1.0, 0.0, -0.8)} | rough(mu=0.2, length=0.1),
    "cylindrical": {"axis": (1.0, 0.3, 0.0)} | rough(mu=0.2, radius=0.02, length=0.1, viscous=0.02),
    "screw": {"axis": (1.0, 0.3, -0.2), "pitch": 0.03} | rough(mu=0.1, radius=0.02),
    "universal": {"axes": (X, Y)} | rough(mu=0.2, radius=0.02),
    "spherical": rough(mu=0.2, radius=0.02, mu_static=0.3, stribeck=0.05, viscous=1e-3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_rubs_alike_in_joint_and_in_natural_coordinates(kind):
    """The second body is the one that hangs on the ground, and the first: coordinates and points change sides."""
    for bodies in (("ground", "a"), ("a", "ground")):
        rates = {"cylindrical": (1.0, 2.0), "universal": (1.0, 2.0), "spherical": ()}.get(kind, (1.0,))
        described = {
            "kind": "spatial",
            "gravity": (0.0, 1.0, -G),
            "bodies": {"a": {"points": (), "mass": 2.0, "com": (0.1, 0.05, -0.2), "inertia": (0.1, 0.15, 0.12)}},
            "joints": {"J": {"type": kind, "bodies": bodies, "point": (0.0, 0.0, 0.0)} | KINDS[kind]},
            "initial": {"rate": {"J": rates}} if rates else {},
            "run": {"duration": 0.15, "rtol": 1e-9, "samples": 31},
        }
        found = pm.simulate(from_dict(described))
        other = natural(described, 1e-9)
        np.testing.assert_allclose(other.com("a"), found.com("a"), atol=1e-7)
        np.testing.assert_allclose(other.loss("J"), found.loss("J"), atol=1e-5 * np.max(found.loss("J")))
        assert np.max(found.loss("J")) > 1e-3
        assert found.friction("J").shape == other.friction("J").shape


# -- what is refused, and what is written ------------------------------------------------------------------------------


def test_what_a_joint_cannot_have_is_named():
    with pytest.raises(pm.ModelError, match=r'"J": key "friction": key "length" does not belong .* it has "radius"'):
        one_body({"type": "spherical", "friction": {"mu": 0.1, "radius": 0.01, "length": 0.1}})
    with pytest.raises(pm.ModelError, match='joint "J": key "friction": key "radius" is missing'):
        one_body({"type": "cylindrical", "axis": X, "friction": {"mu": 0.1}})
    with pytest.raises(pm.ModelError, match='joint "J": key "friction"'):
        one_body({"type": "prismatic", "axis": X, "friction": {"mu": -0.1}})
    with pytest.raises(pm.ModelError, match='key "friction" unknown'):
        one_body({"type": "weld", "friction": {"mu": 0.1}})
    blow = {"type": "impulse", "body": "a", "time": 0.1, "impulse": X}
    with pytest.raises(pm.ModelError, match='joint "J" has friction, whose impulse under a blow is not known'):
        one_body(hinge(X, mu=0.1, radius=0.01), impulses={"blow": {k: v for k, v in blow.items() if k != "type"}})


def test_friction_whose_load_a_loop_does_not_determine_is_refused():
    """Four parallel hinges hold each other in moments: across them forces are determined, moments are not."""
    with pytest.raises(pm.ModelError, match='joint "S": its load is not determined'):
        pm.simulate(from_dict(in_space(SLIDER_CRANK)))
    guide = {key: value for key, value in SLIDER_CRANK["joints"]["S"].items() if key != "friction"}
    hinged = SLIDER_CRANK | {"joints": SLIDER_CRANK["joints"] | {"S": guide}}
    flat, found = (pm.simulate(from_dict(of)) for of in (hinged, in_space(hinged)))
    np.testing.assert_allclose(found.coordinate("O"), flat.coordinate("O"), atol=1e-8)


def test_a_driven_guide_that_jams_is_named_with_the_mu_at_which_it_does():
    """A block is driven along its guide by a rod beside it, whose force grows with the friction that it makes.

    Weight W and the ends' forces of the moment are at right angles: P^2 = W^2 + (2 a mu P/L)^2.
    """
    described = {
        "kind": "spatial",
        "gravity": (0.0, 0.0, -G),
        "points": {"A": (0.0, 0.1, 0.0), "B": (0.3, 0.1, 0.0)},
        "bodies": {
            "block": {"points": ("A",), "mass": 1.0, "com": (0.0, 0.0, 0.0), "inertia": (0.01, 0.01, 0.01)},
            "pusher": {"points": ("B",), "mass": 1.0, "com": (0.3, 0.1, 0.0), "inertia": (0.01, 0.01, 0.01)},
        },
        "joints": {
            "S": {"type": "prismatic", "bodies": ("ground", "block"), "point": (0.0, 0.0, 0.0), "axis": X}
            | rough(mu=0.3, length=0.04),
            "P": {"type": "prismatic", "bodies": ("ground", "pusher"), "point": "B", "axis": X},
            "rod": {"type": "distance", "bodies": ("block", "pusher"), "points": ("A", "B")},
        },
        "drivers": {"push": {"joint": "P", "motion": {"type": "linear", "rate": 0.1}}},
        "run": {"duration": 0.1},
    }
    with pytest.raises(pm.ModelError, match=r'joint "S" jams at t = 0 s: .* it jams from mu = 0\.2 on'):
        pm.simulate(from_dict(described))
    described["joints"]["S"] |= rough(mu=0.15, length=0.04)
    found = pm.simulate(from_dict(described))
    np.testing.assert_allclose(found.effort("push"), 0.15 * G / np.sqrt(1.0 - (5.0 * 0.15) ** 2), rtol=1e-9)


def test_friction_is_written_and_read_again():
    made = from_dict(RSSR)
    assert toml.loads(dumps(made)) == made
