"""Closed mechanisms in space move as closed forms, as the plane and as the laws of Newton and Euler say.

Samples are projected on the joints, so what the joints alone prescribe is exact; bars of free motions are those of the
integrator at the tolerance named.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import forces as planar_forces
from particlemech import joints as planar_joints
from particlemech import models, signals
from particlemech.cli.main import main
from particlemech.model.description import GROUND
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.result.mobility.space import judged
from tests.support.problems import SPATIAL, G, swing
from tests.support.second_opinion import agree, natural

X, Y, Z = np.eye(3)
DOWN = (0.0, 0.0, -G)


def counts(mechanism):
    """Return degrees of freedom by count and by rank, drivers, and redundancy."""
    found = judged(mechanism)
    return found.by_count, found.by_rank, found.drivers, found.redundancy


def unit(vector):
    return np.array(vector, dtype=float) / np.linalg.norm(vector)


def turned(axis, angle):
    """Return rotations about a unit vector, (K, 3, 3), of Rodrigues."""
    x, y, z = axis
    W = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * W + (1.0 - c) * (W @ W)


def tensor(mechanism, body):
    """Return the inertia of a body as drawn, (3, 3)."""
    xx, yy, zz, xy, xz, yz = mechanism.inertia(body)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def needed(result, body):
    """Return force and moment about its centre that the motion of a body needs, (K, 3) each, without weight."""
    m, S = result.mechanism, result.orientation(body)
    J = S @ tensor(m, body) @ S.transpose(0, 2, 1)
    omega, alpha = result.omega(body), result.alpha(body)
    moment = np.einsum("kij,kj->ki", J, alpha) + np.cross(omega, np.einsum("kij,kj->ki", J, omega))
    return m.bodies[body].mass * (result.com_acceleration(body) - np.array(m.gravity)), moment


def power(result):
    """Return the rate of kinetic and potential energy of gravity, (K,)."""
    found = 0.0
    for b in result.mechanism.bodies:
        force, moment = needed(result, b)
        found = found + np.sum(force * result.com_velocity(b) + moment * result.omega(b), axis=1)
    return found


def relative(found, exact):
    """Return the largest difference as a fraction of the largest exact value."""
    return float(np.abs(found - exact).max() / np.abs(exact).max())


# -- shipped models ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=SPATIAL)
def shipped(request):
    return natural(models.load(request.param))


def test_shipped_mechanisms_in_space_keep_their_checks(shipped):
    m, energy = shipped.mechanism, shipped.energy
    assert shipped.status is pm.Status.COMPLETED
    assert judged(m).by_rank == m.check.dof
    assert np.abs(energy.error).max() <= m.check.energy * energy.scale
    assert shipped.closure.position.max() <= 1e-8


def test_newton_and_euler_hold_for_every_body(shipped):
    """Reactions, with what is not determined filled in by the least, balance what each body needs to 1e-9."""
    m = shipped.mechanism
    size = max(np.abs(shipped.reaction(name, j.second, "least-norm")).max() for name, j in m.joints.items())
    for b in m.bodies:
        force, moment = needed(shipped, b)
        for name, joint in m.joints.items():
            if b not in joint.bodies:
                continue
            on = joint.second
            sign = 1.0 if b == on else -1.0
            at = shipped.com(on) + shipped.orientation(on) @ np.subtract(joint.place(m), m.centre(on))
            f, c = (sign * of(name, on, "least-norm") for of in (shipped.reaction, shipped.moment))
            force, moment = force - f, moment - c - np.cross(at - shipped.com(b), f)
        for name, driver in m.drivers.items():
            effort = shipped.effort(name, "least-norm")[:, None]
            if isinstance(driver, drivers.Position) and b == driver.between(m)[1]:
                push = effort * np.eye(3)["xyz".index(driver.axis)]
                force, moment = force - push, moment - np.cross(shipped[driver.point] - shipped.com(b), push)
            elif isinstance(driver, drivers.Coordinate) and b in m.joints[driver.joint].bodies:
                joint = m.joints[driver.joint]
                turn = np.eye(3) if joint.first == GROUND else shipped.orientation(joint.first)
                moment = moment - (1.0 if b == joint.second else -1.0) * effort * (turn @ joint.direction)
        assert np.abs(force).max() < 1e-9 * size
        assert np.abs(moment).max() < 1e-9 * size


# -- closed forms of driven mechanisms ---------------------------------------------------------------------------------


def piston_crank(r, l, theta, motion, u=Z, x=X):
    """Return crank, rod and slider: shaft along u, slider along x across it, both unit; crank drawn at angle theta."""
    y = np.cross(u, x)
    A = r * (math.cos(theta) * x + math.sin(theta) * y)
    B = (A @ x + math.sqrt(l * l - (A @ y) ** 2)) * x
    O, A, B, u, x = (tuple(map(float, v)) for v in (0.0 * x, A, B, u, x))
    return Mechanism(
        gravity=DOWN,
        points={"O": O, "A": A, "B": B},
        bodies={
            "crank": Body(points=("O", "A"), mass=0.5),
            "rod": Body(points=("A", "B"), mass=0.8),
            "slider": Body(points=("B",), mass=1.2, com=B, inertia=(1e-3, 1e-3, 1e-3)),
        },
        joints={
            "O": joints.Revolute(bodies=("ground", "crank"), point="O", axis=u),
            "A": joints.Spherical(bodies=("crank", "rod"), point="A"),
            "B": joints.Revolute(bodies=("rod", "slider"), point="B", axis=u),
            "guide": joints.Cylindrical(bodies=("ground", "slider"), point="B", axis=x),
        },
        drivers={"motor": drivers.Coordinate(joint="O", coordinate="angle", motion=motion)},
    )


def slider(r, l, angle, rate, acceleration):
    """Return place, rate and acceleration of the slider along its line, closed form."""
    c, s = np.cos(angle), np.sin(angle)
    q = np.sqrt(l * l - (r * s) ** 2)
    first = -r * s - r * r * s * c / q
    second = -r * c - r * r * (c * c - s * s) / q - (r * r * s * c) ** 2 / q**3
    return r * c + q, first * rate, second * rate**2 + first * acceleration


@pytest.mark.parametrize(("u", "x"), [(Z, X), (unit((1, 2, 3)), unit((3, 0, -1)))], ids=["plain", "skew"])
def test_the_slider_of_a_piston_crank_moves_as_its_closed_form(u, x):
    r, l, theta, w = 0.1, 0.3, 0.4, 2.0 * math.pi * 0.8
    model = piston_crank(r, l, theta, signals.Sine(amplitude=2.5, frequency=0.8), u=u, x=x)
    assert counts(model) == (1, 1, 1, 0)  # neither the cylinder nor the ball holds anything twice
    run = natural(model, duration=1.5, samples=151, rtol=1e-8)
    s, c = 2.5 * np.sin(w * run.t), 2.5 * np.cos(w * run.t)
    place, rate, acceleration = slider(r, l, theta + s, w * c, -w * w * s)
    assert relative(run["B"] @ x, place) < 1e-12
    assert relative(run.velocity("B") @ x, rate) < 1e-12
    assert relative(run.acceleration("B") @ x, acceleration) < 1e-12
    assert np.abs(np.cross(run["B"], x)).max() < 1e-14
    assert relative(run.effort("motor") * w * c, power(run)) < 1e-12


def test_a_cross_between_shafts_turns_them_at_the_ratio_of_hooke():
    run = natural(models.load("universal_shaft"))
    beta, theta = math.radians(35.0), 20.0 * run.t
    axis = np.array([math.cos(beta), math.sin(beta), 0.0])
    swerve = 1.0 - (math.sin(beta) * np.cos(theta)) ** 2
    ratio = math.cos(beta) / swerve
    assert np.abs(run.omega("output") @ axis / 20.0 - ratio).max() < 1e-10
    growth = -math.cos(beta) * math.sin(beta) ** 2 * np.sin(2.0 * theta) / swerve**2
    assert relative(run.alpha("output") @ axis, 400.0 * growth) < 1e-10
    moment = 0.006 * (run.alpha("output") @ axis) * ratio  # no loss: moments are as the inverse of the rates
    assert relative(run.effort("motor"), moment) < 1e-8  # the inertia is shipped with 11 digits
    found = judged(run.mechanism)
    assert (found.by_count, found.by_rank, found.redundancy) == (-2, 1, 3)


def test_the_slider_on_a_line_along_the_shaft_moves_as_its_closed_form():
    """B = (x, 0, 0) at 0.3 m from A: x = sqrt(0.09 - |A|^2) with A in the plane x = 0."""
    run = natural(models.load("spatial_slider_crank"))
    w = 2.0 * math.pi
    c, s = np.cos(w * run.t), np.sin(w * run.t)
    y, z = 0.1 - 0.08 * s, 0.12 + 0.08 * c  # A turns about x from above its bearing
    y1, z1, y2, z2 = -0.08 * w * c, -0.08 * w * s, 0.08 * w * w * s, -0.08 * w * w * c
    x = np.sqrt(0.09 - y * y - z * z)
    x1 = -(y * y1 + z * z1) / x
    x2 = -(y1 * y1 + z1 * z1 + y * y2 + z * z2 + x1 * x1) / x
    assert relative(run["B"][:, 0], x) < 1e-12
    assert relative(run.velocity("B")[:, 0], x1) < 1e-12
    assert relative(run.acceleration("B")[:, 0], x2) < 1e-12
    assert relative(run.effort("motor") * w, power(run)) < 1e-9


@pytest.mark.parametrize(
    "driver",
    [
        drivers.Coordinate(joint="guide", coordinate="travel", motion=signals.Sine(amplitude=0.05, frequency=1.0)),
        drivers.Position(point="B", axis="x", motion=signals.Sine(amplitude=0.05, frequency=1.0)),
    ],
    ids=["translation", "position"],
)
def test_a_driver_that_pushes_moves_as_told_and_gives_the_power_that_is_gained(driver):
    still = signals.Sine(amplitude=0.0, frequency=1.0)
    model = piston_crank(0.1, 0.3, 1.2, still).replaced(drivers={"motor": None, "push": driver}, gravity=(1.0, -G, 2.0))
    run = natural(model, duration=1.0, samples=101)
    w = 2.0 * math.pi
    assert np.abs(run["B"][:, 0] - run["B"][0, 0] - 0.05 * np.sin(w * run.t)).max() < 1e-14
    assert relative(run.velocity("B")[:, 0], 0.05 * w * np.cos(w * run.t)) < 1e-12
    assert relative(run.effort("push") * run.velocity("B")[:, 0], power(run)) < 1e-9
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale


# -- closed forms of free motions --------------------------------------------------------------------------------------


def test_a_body_on_a_skew_axis_swings_as_an_elliptic_function():
    """psi'' = -w^2 sin psi about an axis u: w^2 = m |g across u| d/(J_u + m d^2), d from the axis to the centre."""
    u, O, com, mass = unit((1.0, -2.0, 2.0)), np.array([0.3, -0.2, 0.5]), np.array([0.7, 0.1, 0.9]), 2.5
    J = np.array([[0.06, -0.01, 0.005], [-0.01, 0.05, 0.008], [0.005, 0.008, 0.07]])
    g = np.array([2.0, -5.0, -9.0])
    body = Body(mass=mass, com=tuple(com), inertia=(0.06, 0.05, 0.07, -0.01, 0.005, 0.008))
    revolute = joints.Revolute(bodies=("ground", "body"), point=tuple(O), axis=tuple(u))
    model = Mechanism(gravity=tuple(g), bodies={"body": body}, joints={"pin": revolute})
    run = natural(model, duration=3.0, samples=61, rtol=1e-10)
    foot = O + (com - O) @ u * u
    arm, down = com - foot, unit(g - g @ u * u)
    d = np.linalg.norm(arm)
    psi0 = math.atan2(np.cross(down, arm) @ u, down @ arm)
    w = math.sqrt(mass * np.linalg.norm(g - g @ u * u) * d / (u @ J @ u + mass * d * d))
    psi, rate = swing(run.t, w, psi0)
    S = turned(u, psi - psi0)
    assert abs(psi0) > 0.5  # a wide swing
    assert relative(run.com("body"), foot + S @ arm) < 5e-7
    assert np.abs(run.orientation("body") - S).max() < 1e-6
    assert relative(run.omega("body"), rate[:, None] * u) < 1e-6
    force, moment = needed(run, "body")
    assert np.abs(run.moment("pin", "body") @ u).max() < 1e-9 * mass * 10.0
    assert relative(run.reaction("pin", "body"), force) < 1e-10
    assert relative(run.moment("pin", "body"), moment - np.cross(O - run.com("body"), force)) < 1e-10


def test_a_ball_on_a_rod_goes_round_a_cone():
    """W^2 = g/(l cos tilt), and the rod pulls with m g/cos tilt."""
    l, tilt, mass = 0.8, 0.6, 1.5
    W = math.sqrt(G / (l * math.cos(tilt)))
    P = (l * math.sin(tilt), 0.0, -l * math.cos(tilt))
    model = Mechanism(
        gravity=DOWN,
        points={"O": (0.0, 0.0, 0.0), "P": P},
        bodies={"ball": Body(points=("P",), mass=mass, com=P, inertia=(0.01, 0.01, 0.01))},
        joints={"rod": joints.Distance(bodies=("ground", "ball"), points=("O", "P"))},
        initial=Initial(velocity={"P": (0.0, W * P[0], 0.0)}),
    )
    run = natural(model, duration=2.0, samples=41, rtol=1e-10)
    exact = np.column_stack([P[0] * np.cos(W * run.t), P[0] * np.sin(W * run.t), 0.0 * run.t + P[2]])
    assert relative(run["P"], exact) < 1e-7
    assert relative(run.reaction("rod", "ball"), -mass * G / math.cos(tilt) / l * exact) < 1e-6
    assert np.abs(run.omega("ball")).max() < 1e-10  # nothing turns it


def test_a_weld_carries_what_holds_the_outer_half_of_a_swinging_bar():
    """Two halves of a bar of 1 m, welded, swing as one; the weld gives what the outer half needs."""
    u = unit((1.0, 1.0, 0.3))
    v = np.cross(u, unit((0.2, -1.0, 2.0)))
    O, M, E = (tuple(map(float, s * unit(v))) for s in (0.0, 0.5, 1.0))
    model = Mechanism(
        gravity=DOWN,
        points={"O": O, "M": M, "E": E},
        bodies={"inner": Body(points=("O", "M"), mass=1.0), "outer": Body(points=("M", "E"), mass=1.0)},
        joints={
            "O": joints.Revolute(bodies=("ground", "inner"), point="O", axis=tuple(u)),
            "M": joints.Weld(bodies=("inner", "outer"), point="M"),
        },
    )
    assert counts(model) == (1, 1, 0, 0)
    run = natural(model, duration=1.0, samples=21, rtol=1e-9)
    whole = model.replaced(
        points={"M": None},
        bodies={"inner": Body(points=("O", "E"), mass=2.0), "outer": None},
        joints={"M": None},
    )
    assert relative(run["E"], natural(whole, duration=1.0, samples=21, rtol=1e-9)["E"]) < 1e-6
    force, moment = needed(run, "outer")
    assert relative(run.reaction("M", "outer"), force) < 1e-10
    assert relative(run.moment("M", "outer"), moment - np.cross(run["M"] - run.com("outer"), force)) < 1e-10
    assert np.abs(run.orientation("outer") - run.orientation("inner")).max() < 1e-14


# -- the plane ---------------------------------------------------------------------------------------------------------


def spatial(place):
    return float(place[0]), float(place[1]), 0.0


def in_space(model, run, k):
    """Return a planar model, as it is at sample k of its run, as a mechanism in space whose hinges are along z."""
    names, motion = run.system.layout.bodies, run._motion
    bodies = {}
    for b, body in model.bodies.items():
        I = model.inertia(b)
        com = spatial(motion.com[k, names.index(b)])
        bodies[b] = Body(points=body.points, mass=body.mass, com=com, inertia=(0.7 * I + 1e-4, 0.6 * I + 1e-4, I))
    made = {}
    for name, joint in model.joints.items():
        if isinstance(joint, planar_joints.Revolute):
            made[name] = joints.Revolute(bodies=joint.bodies, point=joint.point, axis=(0.0, 0.0, 1.0))
        else:
            assert isinstance(joint, planar_joints.Prismatic)
            assert joint.bodies[0] == GROUND
            made[name] = joints.Prismatic(bodies=joint.bodies, point=joint.point, axis=spatial(joint.axis))
    acting = {}
    for name, force in model.forces.items():
        assert isinstance(force, planar_forces.Torque)
        acting[name] = forces.Torque(bodies=force.bodies, torque=(0.0, 0.0, force.torque))
    return Mechanism(
        gravity=spatial(model.gravity),
        points={p: spatial(run[p][k]) for p in model.points},
        bodies=bodies,
        joints=made,
        forces=acting,
        initial=Initial(omega={b: (0.0, 0.0, run.omega(b)[k]) for b in model.bodies}),
        run=model.run,
    )


PLANE = ("four_bar", "slider_crank")


@pytest.fixture(scope="module", params=PLANE)
def planar(request):
    model = models.load(request.param)
    return model, pm.simulate(model, duration=0.4, samples=9, rtol=1e-12)


def test_planar_mechanisms_in_space_accelerate_and_react_as_in_the_plane(planar):
    model, run = planar
    for k in (0, 3, 8):
        seen = natural(in_space(model, run, k), duration=1e-3, samples=2)
        for p in model.points:
            size = max(np.abs(run.acceleration(q)[k]).max() for q in model.points)
            flat = (*run.acceleration(p)[k], 0.0)
            assert np.abs(seen.acceleration(p)[0] - flat).max() < 1e-9 * size
        size = max(np.abs(run.reaction(j, s.bodies[1])[k]).max() for j, s in model.joints.items())
        for name, joint in model.joints.items():
            on = joint.bodies[1]
            force, moment = seen.reaction(name, on)[0], seen.moment(name, on)[0]
            assert np.abs(force[:2] - run.reaction(name, on)[k]).max() < 1e-9 * size
            if isinstance(joint, planar_joints.Prismatic):
                assert abs(moment[2] - run.moment(name, on)[k]) < 1e-9 * size


def test_what_planar_revolutes_hold_out_of_the_plane_is_held_twice_and_not_known(planar):
    model, run = planar
    solid = in_space(model, run, 0)
    found = judged(solid)
    assert (found.by_count, found.by_rank, found.redundancy) == (-2, 1, 3)
    assert set(found.redundant) == set(model.joints)
    seen = natural(solid, duration=1e-3, samples=2)
    for name, joint in model.joints.items():
        on = joint.bodies[1]
        assert np.isnan(seen.reaction(name, on)[0, 2])
        assert np.isnan(seen.moment(name, on)[0, :2]).all()
        assert seen.reaction(name, on, "least-norm")[0, 2] == pytest.approx(0.0, abs=1e-9)


def test_planar_mechanisms_in_space_move_as_in_the_plane(planar):
    model, run = planar
    solid = natural(in_space(model, run, 0), duration=0.4, samples=9, rtol=1e-10)
    size = max(np.abs(run[p]).max() for p in model.points)
    for p in model.points:
        assert np.abs(solid[p][:, :2] - run[p]).max() < 1e-6 * size
        assert np.abs(solid[p][:, 2]).max() < 1e-9 * size
    for b in model.bodies:
        assert np.abs(solid.omega(b)[:, 2] - run.omega(b)).max() < 1e-5 * np.abs(run.omega(b)).max() + 1e-9


# -- RSSR --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rssr():
    return natural(models.load("rssr"), duration=0.6, samples=1201)


def test_the_coupler_between_two_balls_keeps_its_length_and_its_drive_its_power(rssr):
    length = np.linalg.norm(rssr["B"] - rssr["A"], axis=1)
    assert np.abs(length - math.sqrt(0.165)).max() < 1e-14
    assert (
        np.abs(rssr["A"] - 0.1 * np.column_stack([np.cos(10 * rssr.t), np.sin(10 * rssr.t), 0 * rssr.t])).max() < 1e-15
    )
    assert relative(10.0 * rssr.effort("motor"), power(rssr)) < 1e-9
    assert np.ptp(rssr["B"][:, 0]) > 0.05  # it rocks


def test_a_crank_under_the_torque_of_its_drive_turns_as_driven(rssr):
    """The spline through every second value of the torque misses the others by 1e-7 of the largest at most."""
    effort = rssr.effort("motor")
    coarse = CubicSpline(rssr.t[::2], effort[::2])
    spline = np.abs(coarse(rssr.t) - effort).max() / np.abs(effort).max()
    assert spline < 1e-7
    table = signals.Table(t=tuple(rssr.t[::2]), value=tuple(effort[::2]), interpolation="smooth")
    model = rssr.mechanism.replaced(
        drivers={"motor": None},
        forces={"torque": forces.Motor(joint="O", effort=table)},
        initial=Initial(omega={"crank": (0.0, 0.0, 10.0)}),
    )
    run = natural(model, duration=0.6, samples=13, rtol=1e-10)
    for p in ("A", "B"):
        assert relative(run[p], rssr[p][::100]) < 1e-6
    assert relative(run.omega("rocker"), rssr.omega("rocker")[::100]) < 1e-5


# -- linkages that a count forbids -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
def test_bricards_mechanism_stays_on_its_curve_for_ten_seconds(rtol):
    model = models.load("bricard")
    found = judged(model)
    assert (found.by_count, found.by_rank, found.redundancy) == (0, 1, 1)
    assert found.redundant == tuple(model.joints)
    run = natural(model, duration=10.0, samples=501, rtol=rtol)
    x, z = run["P3"][:, 0], run["P3"][:, 2]
    sine = -z / (1.0 + z)
    curve = np.column_stack([np.sign(x) * np.sqrt(1.0 - sine**2) / (1.0 + sine), -np.sqrt(1.0 - z * z)])
    assert np.abs(curve - run["P3"][:, :2]).max() < 1e-6
    assert run.closure.position.max() < 1e-6  # before projection
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    assert x.min() < -0.99  # it goes to the other end of the curve and back


def test_bennetts_linkage_keeps_the_relation_of_its_angles():
    """tan(a/2) tan(b/2) is constant for the turns a, b at neighbouring hinges, and opposite turns are equal."""
    run = natural(models.load("bennett"))
    found = judged(run.mechanism)
    assert (found.by_count, found.by_rank, found.redundancy) == (-2, 1, 3)
    sides = [run[q] - run[p] for p, q in ("AB", "BC", "CD", "DA")]

    def turn(before, after, axis):
        return np.arctan2(np.sum(np.cross(before, after) * axis, axis=1), np.sum(before * after, axis=1))

    on = {"A": ("crank", 3), "B": ("crank", 0), "C": ("follower", 1), "D": ("follower", 2)}
    turns = {}
    for p, (body, k) in on.items():
        axis = run.orientation(body) @ np.array(run.mechanism.joints[p].direction)
        turns[p] = turn(sides[k], sides[(k + 1) % 4], axis)
    product = np.tan(turns["A"] / 2.0) * np.tan(turns["B"] / 2.0)
    assert np.abs(product / product[0] - 1.0).max() < 1e-10
    assert np.abs(np.sin(turns["A"] - turns["C"])).max() < 1e-12
    assert np.abs(np.sin(turns["B"] - turns["D"])).max() < 1e-12
    assert np.ptp(np.unwrap(turns["A"])) > 2.0 * math.pi  # all the way round


def flat_parallelogram():
    """Return two cranks about z and a rod between their ends, all in one line: the rod can be left to either side."""
    points = {"O": (0.0, 0.0, 0.0), "A": (1.0, 0.0, 0.0), "C": (3.0, 0.0, 0.0), "B": (4.0, 0.0, 0.0)}
    return Mechanism(
        points=points,
        bodies={"crank": Body(points=("O", "A"), mass=1.0), "rocker": Body(points=("C", "B"), mass=1.0)},
        joints={
            "O": joints.Revolute(bodies=("ground", "crank"), point="O", axis=(0.0, 0.0, 1.0)),
            "C": joints.Revolute(bodies=("ground", "rocker"), point="C", axis=(0.0, 0.0, 1.0)),
            "rod": joints.Distance(bodies=("crank", "rocker"), points=("A", "B")),
        },
    )


def test_check_tells_redundancy_of_the_design_from_that_of_a_pose(capsys):
    pose = judged(flat_parallelogram())
    assert (pose.by_count, pose.by_rank, pose.redundancy, pose.cause, pose.elsewhere) == (1, 2, 1, "pose", 0)
    for name in ("bricard", "bennett", "universal_shaft"):
        found = judged(models.load(name))
        assert (found.cause, found.elsewhere) == ("design", found.redundancy)
    assert main(["check", "bennett"]) == 0
    said = capsys.readouterr().out
    assert "3, due to the design; it stays in another pose" in said
    assert "cut joints" in said and "not determined in this pose" in said
    found = judged(models.load("rssr"))
    assert (found.cause, found.elsewhere, found.cuts, found.undetermined) == ("none", None, ("B",), ())


# -- the governor ------------------------------------------------------------------------------------------------------


def governor(rate, **options):
    motor = drivers.Coordinate(joint="bearing", coordinate="angle", motion=signals.Linear(rate=rate))
    return natural(models.load("flyball_governor").replaced(drivers={"motor": motor}), rtol=3e-11, **options)


def test_a_governor_stays_at_the_rate_of_its_height():
    """W^2 = g (2 M + 3 m + 2 m_s)/(2 h (M + m/3)): balls M, links m, sleeve m_s, balls h = 0.2 m below the top."""
    steady = math.sqrt(G * (2.0 + 0.6 + 4.0) / (0.4 * (1.0 + 0.2 / 3.0)))
    run = governor(steady, duration=1.0, samples=21)
    assert np.abs(run["S"] - (0.0, 0.0, -0.4)).max() < 1e-9
    assert np.abs(run.effort("motor")).max() < 1e-7
    pull = run.reaction("slide", "sleeve", "least-norm") + sum(
        run.reaction(f"{side}_foot", "sleeve", "least-norm") for side in ("left", "right")
    )
    assert np.abs(pull - (0.0, 0.0, 2.0 * G)).max() < 1e-7


def test_a_governor_that_turns_too_fast_rises_to_where_its_energy_in_turning_axes_ends():
    """c = cos(tilt) goes from 0.8 to where A c + B (1 - c^2) is the same again: c = A/B - 0.8."""
    A = G * 0.25 * (2.0 + 0.6 + 4.0)
    B = 14.0**2 * 0.25**2 * (1.0 + 0.2 / 3.0)
    run = governor(14.0, duration=1.2, samples=601)
    height = -run["S"][:, 2]
    top = CubicSpline(run.t, height)
    turns = [t for t in top.derivative().roots(extrapolate=False) if t > 0.1]
    assert top(turns[0]) == pytest.approx(0.5 * (A / B - 0.8), abs=1e-7)
    assert top(turns[1]) == pytest.approx(0.4, abs=1e-7)
    assert relative(14.0 * run.effort("motor"), power(run)) < 1e-9


# -- assembly ----------------------------------------------------------------------------------------------------------


def test_a_drawing_that_is_not_closed_is_assembled_alike_in_all_units():
    """A sleeve on a rail must slide and turn to where a stay of 60 mm, drawn too short, reaches it."""

    def sleeve(unit):
        def at(*place):
            return tuple(unit * c for c in place)

        return Mechanism(
            units="kg-mm" if unit == 1.0 else "SI",
            bodies={
                "sleeve": Body(mass=0.2, com=at(0.0, 0.0, -50.0), inertia=at(20.0 * unit, 20.0 * unit, 30.0 * unit))
            },
            joints={
                "rail": joints.Cylindrical(
                    bodies=("ground", "sleeve"), point=at(0.0, 0.0, -50.0), axis=(0.0, 0.0, 1.0)
                ),
                "stay": joints.Distance(
                    bodies=("ground", "sleeve"), points=(at(7.0, 7.0, 7.0), at(10.0, 0.0, -50.0)), length=60.0 * unit
                ),
            },
        )

    mm, m = (natural(sleeve(unit), duration=1e-3, samples=2) for unit in (1.0, 1e-3))
    end = mm.com("sleeve")[0] + mm.orientation("sleeve")[0] @ (10.0, 0.0, 0.0)
    assert np.linalg.norm(end - (7.0, 7.0, 7.0)) == pytest.approx(60.0, rel=1e-14)
    assert np.linalg.norm(mm.com("sleeve")[0] - (0.0, 0.0, -50.0)) < 5.0
    assert relative(1e-3 * mm.com("sleeve")[0], m.com("sleeve")[0]) < 1e-12
    assert np.abs(mm.orientation("sleeve")[0] - m.orientation("sleeve")[0]).max() < 1e-12


# -- screws ------------------------------------------------------------------------------------------------------------


def nut(pitch, axis, **parts):
    """Return a nut of 0.5 kg on a spindle along a unit vector, its centre off the axis by nothing."""
    J = np.diag([2e-4, 2e-4, 2e-4])
    body = Body(points=("P",), mass=0.5, com=(0.1, 0.2, 0.3), inertia=tuple(np.diag(J)))
    thread = joints.Screw(bodies=("ground", "nut"), point=(0.1, 0.2, 0.3), axis=tuple(axis), pitch=pitch)
    edge = tuple(np.array([0.1, 0.2, 0.3]) + 0.05 * unit(np.cross(axis, X)))
    return Mechanism(points={"P": edge}, bodies={"nut": body}, joints={"thread": thread}, gravity=DOWN, **parts)


@pytest.mark.parametrize(("pitch", "axis"), [(0.004, Z), (-0.02, unit((1.0, 2.0, 2.0)))], ids=["upright", "left, skew"])
def test_a_nut_falls_along_its_thread_for_ten_turns_as_its_inertia_lets_it(pitch, axis):
    """travel'' = g.u/(1 + J/(m pitch^2)), u the axis."""
    along = np.array(DOWN) @ axis
    a = along / (1.0 + 2e-4 / (0.5 * pitch**2))
    duration = math.sqrt(2.0 * 20.0 * math.pi * abs(pitch / a))
    run = natural(nut(pitch, axis), duration=duration, samples=41, rtol=1e-9)
    travel = (run.com("nut") - run.com("nut")[0]) @ axis
    assert travel[-1] / (2.0 * math.pi * pitch) == pytest.approx(math.copysign(10.0, along * pitch), rel=1e-6)
    assert relative(travel, 0.5 * a * run.t**2) < 1e-6
    assert relative(run.com_acceleration("nut") @ axis, np.full(41, a)) < 1e-10
    assert np.abs(run.orientation("nut") - turned(axis, travel / pitch)).max() < 1e-12
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    force = run.reaction("thread", "nut") @ axis
    assert relative(force, np.full(41, 0.5 * (a - along))) < 1e-10
    assert relative(run.moment("thread", "nut") @ axis, -pitch * force) < 1e-10
    assert counts(run.mechanism) == (1, 1, 0, 0)


def test_a_motor_on_a_spindle_lifts_its_nut_by_the_work_it_does():
    """Driven at a steady rate, the moment is the weight times the pitch."""
    motor = drivers.Coordinate(joint="thread", coordinate="angle", motion=signals.Linear(rate=30.0))
    run = natural(nut(0.004, Z, drivers={"motor": motor}), duration=1.0, samples=11)
    assert np.abs(run.com("nut")[:, 2] - 0.3 - 0.12 * run.t).max() < 1e-12
    assert np.abs(run.effort("motor") - 0.5 * G * 0.004).max() < 1e-10
    assert relative(run.energy.work, 0.5 * G * 0.12 * run.t) < 1e-7


def test_a_press_of_two_hands_of_thread_closes_by_the_sum_of_both():
    """A spindle with a right-hand thread in the frame and a left-hand one in a ram that cannot turn."""
    model = Mechanism(
        gravity=DOWN,
        bodies={
            "spindle": Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(2e-3, 2e-3, 1e-3)),
            "ram": Body(mass=3.0, com=(0.0, 0.0, -0.5), inertia=(1e-2, 1e-2, 1e-2)),
        },
        joints={
            "frame": joints.Screw(
                bodies=("ground", "spindle"), point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), pitch=0.01
            ),
            "nut": joints.Screw(bodies=("spindle", "ram"), point=(0.0, 0.0, -0.5), axis=(0.0, 0.0, 1.0), pitch=-0.005),
            "guide": joints.Prismatic(bodies=("ground", "ram"), point=(0.0, 0.0, -0.5), axis=(0.0, 0.0, 1.0)),
        },
    )
    found = judged(model)
    assert (found.by_rank, found.redundancy) == (1, 4)  # guide and thread hold the ram upright twice, but it turns once
    # the spindle at angle q is at 0.01 q; the ram turns by -q against it, so it is at 0.01 q + 0.005 q
    inertia = 1.0 * 0.01**2 + 3.0 * 0.015**2 + 1e-3
    a = -G * (1.0 * 0.01 + 3.0 * 0.015) / inertia
    run = natural(model, duration=0.4, samples=21, rtol=1e-9)
    assert relative(run.com("ram")[:, 2] + 0.5, 0.0075 * a * run.t**2) < 1e-6
    assert relative(run.alpha("spindle")[:, 2], np.full(21, a)) < 1e-9
    assert np.abs(run.omega("ram")).max() < 1e-12
    assert 0.5 * abs(a) * 0.16 > 4.0 * math.pi  # more than two turns
    by_users = pm.simulate(model, duration=0.4, samples=21, rtol=1e-9)
    assert relative(by_users.alpha("spindle")[:, 2], np.full(21, a)) < 1e-9
    agree(by_users, None)


# -- forces ------------------------------------------------------------------------------------------------------------


def free(**parts):
    """Return a body with the same inertia about all axes that nothing holds."""
    body = Body(points=("P",), mass=2.0, com=(1.0, 0.5, -0.3), inertia=(0.3, 0.3, 0.3))
    return Mechanism(points={"P": (1.4, 0.8, 0.0)}, bodies={"body": body}, **parts)


@pytest.mark.parametrize("frame", ["global", "body"])
def test_a_load_keeps_its_direction_in_its_axes(frame):
    u, w, f = unit((1.0, 2.0, -2.0)), 3.0, np.array([6.0, -2.0, 1.0])
    load = forces.Load(body="body", force=tuple(f), frame=frame)
    run = natural(free(forces={"jet": load}, initial=Initial(omega={"body": tuple(w * u)})), samples=21, rtol=1e-10)
    t = run.t[:, None]
    along, a = f @ u * u / 2.0, (f - f @ u * u) / 2.0
    way = along * t**2 / 2 + a * (1 - np.cos(w * t)) / w**2 + np.cross(u, a) * (w * t - np.sin(w * t)) / w**2
    velocity = along * t + a * np.sin(w * t) / w + np.cross(u, a) * (1 - np.cos(w * t)) / w
    if frame == "global":
        way, velocity = f * t**2 / 4.0, f * t / 2.0
    start = run.com_velocity("body")[0]
    assert np.abs(start).max() < 1e-12
    assert relative(run.com("body") - (1.0, 0.5, -0.3), way) < 1e-8
    assert relative(run.com_velocity("body"), velocity) < 1e-7
    assert relative(run.energy.work, np.sum(velocity**2, axis=1)) < 1e-7


@pytest.mark.parametrize("frame", ["global", "body"])
def test_a_torque_keeps_its_direction_in_its_axes(frame):
    """With one inertia about all axes: I omega' = torque, in global axes or seen from the body."""
    torque, omega = np.array([0.5, -0.9, 0.4]), np.array([1.0, 2.0, 3.0])
    acting = {"couple": forces.Torque(bodies=("ground", "body"), torque=tuple(torque), frame=frame)}
    run = natural(free(forces=acting, initial=Initial(omega={"body": tuple(omega)})), samples=21, rtol=1e-10)
    found = run.omega("body")
    if frame == "body":
        found = np.einsum("kji,kj->ki", run.orientation("body"), found)
    assert relative(found, omega + run.t[:, None] * torque / 0.3) < 1e-7
    gained = 0.15 * np.sum(run.omega("body") ** 2, axis=1) - 0.15 * omega @ omega
    assert relative(run.energy.work, gained) < 1e-7


def test_motors_turn_and_push_what_a_sleeve_lets_turn_and_slide():
    u = unit((2.0, -1.0, 2.0))
    sleeve = joints.Cylindrical(bodies=("ground", "body"), point=(1.0, 0.5, -0.3), axis=tuple(u))
    turning, pushing = signals.Sine(amplitude=0.6, frequency=0.5), signals.Constant(value=4.0)
    model = free(
        joints={"sleeve": sleeve},
        forces={
            "turn": forces.Motor(joint="sleeve", coordinate="angle", effort=turning),
            "push": forces.Motor(joint="sleeve", coordinate="travel", effort=pushing),
        },
    )
    run = natural(model, duration=3.0, samples=31, rtol=1e-10)
    rate = 0.6 / 0.3 / math.pi * (1.0 - np.cos(math.pi * run.t))
    assert relative(run.omega("body"), rate[:, None] * u) < 1e-7
    assert relative(run.com("body") - (1.0, 0.5, -0.3), run.t[:, None] ** 2 * u) < 1e-7
    assert relative(run.energy.work, 0.15 * rate**2 + (2.0 * run.t) ** 2) < 1e-7


def test_forces_of_all_kinds_do_the_work_that_a_mechanism_gains():
    acting = {
        "spring": forces.Spring(
            bodies=("ground", "rod"), points=((0.4, -0.3, 0.2), "B"), stiffness=40.0, damping=0.8, length=0.2
        ),
        "load": forces.Load(body="rod", point="A", force=(1.0, signals.Sine(amplitude=2.0, frequency=1.0), -1.5)),
        "jet": forces.Load(body="crank", point="A", force=(0.0, -1.5, 0.4), frame="body"),
        "couple": forces.Torque(bodies=("crank", "rod"), torque=(0.02, 0.03, -0.05), frame="body"),
        "twist": forces.Torque(bodies=("ground", "crank"), torque=(0.1, 0.2, -0.1)),
        "motor": forces.Motor(joint="O", effort=signals.Sine(amplitude=0.3, frequency=1.5)),
        "push": forces.Motor(joint="guide", effort=1.2),
    }
    model = models.load("spatial_slider_crank").replaced(drivers={"motor": None}, forces=acting)
    run = natural(model, duration=1.0, samples=2001, rtol=1e-10)
    energy = run.energy
    assert np.abs(energy.error).max() < 1e-7 * energy.scale
    rod, crank = run.orientation("rod"), run.orientation("crank")
    t, still = run.t, 0.0 * run.t
    stretched = run["B"] - (0.4, -0.3, 0.2)
    length = np.linalg.norm(stretched, axis=1)
    pace = np.sum(stretched * run.velocity("B"), axis=1) / length
    load = np.column_stack([still + 1.0, 2.0 * np.sin(2.0 * math.pi * t), still - 1.5])
    given = (
        np.sum((load + crank @ np.array([0.0, -1.5, 0.4])) * run.velocity("A"), axis=1)
        + np.sum((rod @ np.array([0.02, 0.03, -0.05])) * (run.omega("rod") - run.omega("crank")), axis=1)
        + run.omega("crank") @ np.array([0.1, 0.2, -0.1])
        + 0.3 * np.sin(3.0 * math.pi * t) * run.omega("crank")[:, 0]
        + 1.2 * run.velocity("B")[:, 0]
        - 0.8 * pace**2
    )
    work = CubicSpline(t, given).antiderivative()(t)
    assert relative(energy.work, work) < 1e-7
    stored = 20.0 * (length - 0.2) ** 2 - sum(
        model.bodies[b].mass * (run.com(b) @ np.array(model.gravity)) for b in model.bodies
    )
    assert relative(energy.potential, stored) < 1e-12
    assert np.ptp(run["A"][:, 2]) > 0.02  # it moves
