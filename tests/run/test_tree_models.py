"""Every shipped tree keeps the laws of Newton and Euler, and its data are those of the source it names."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid, quad

import particlemech as pm
from particlemech import models
from tests.support.problems import TREES

# [de Leva 1996, Table 4, males]: mass of the body's, mean length in m, centre of mass from the upper end (the lower one
# of the head) and radii of gyration about x, y, z, all of the length
DE_LEVA = {
    "head": (0.0694, 0.2429, 1.0 - 0.5002, (0.303, 0.315, 0.261)),
    "trunk": (0.4346, 0.6033, 0.5138, (0.328, 0.306, 0.169)),
    "upper_arm": (0.0271, 0.2817, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": (0.0162, 0.2689, 0.4574, (0.276, 0.265, 0.121)),
    "hand": (0.0061, 0.0862, 0.7900, (0.628, 0.513, 0.401)),
    "thigh": (0.1416, 0.4222, 0.4095, (0.329, 0.329, 0.149)),
    "shank": (0.0433, 0.4403, 0.4395, (0.251, 0.246, 0.102)),
    "foot": (0.0137, 0.2581, 0.4415, (0.257, 0.245, 0.124)),
}
HEIGHT, MASS = 1.80, 75.0  # m, kg


@pytest.fixture(scope="module", params=TREES)
def run(request):
    return pm.simulate(models.load(request.param))


@pytest.fixture(scope="module")
def figure():
    return pm.simulate(models.load("human_fall"))


def test_the_degrees_of_freedom_are_those_of_the_joints(run):
    assert run.mechanism.check.dof == sum(joint.dof for joint in run.mechanism.joints.values())


def test_energies_of_a_tree_add_up(run):
    energy = run.energy
    assert energy.work[0] == energy.error[0] == 0.0
    assert energy.kinetic.min() >= 0.0
    assert np.array_equal(energy.total, energy.kinetic + energy.potential)


def test_newton_and_euler_hold_for_the_whole_tree(run):
    """Rates of the momenta equal the weight, its moment, and what the ground gives."""
    m = run.mechanism
    force = sum(body.mass * run.com_acceleration(b) for b, body in m.bodies.items())
    mass = sum(body.mass for body in m.bodies.values())
    weight = mass * np.array(m.gravity)
    size = max(np.abs(run.base.force).max(), np.abs(weight).max())
    assert np.abs(force - weight + run.base.force).max() <= 1e-9 * max(size, 1.0)
    moment = np.cross(run.centre, weight) - run.base.moment
    growth = cumulative_trapezoid(moment, run.t, axis=0, initial=0.0)
    change = run.momentum.angular - run.momentum.angular[0]
    assert np.abs(growth - change).max() <= 2e-3 * max(np.abs(run.momentum.angular).max(), 1e-3)  # of trapezoids


def test_joints_of_a_tree_stay_where_their_parents_have_them(run):
    m = run.mechanism
    for name, joint in m.joints.items():
        if joint.first == "ground" or "x" in joint.coordinate_names or "travel" in joint.coordinate_names:
            continue
        drawn = np.array(joint.place(m))
        there = run.com(joint.first) + run.orientation(joint.first) @ (drawn - np.array(m.centre(joint.first)))
        assert np.abs(run.place(name) - there).max() <= 1e-9 * max(np.abs(there).max(), 1.0)


# -- the top -----------------------------------------------------------------------------------------------------------


def test_the_top_precesses_steadily_all_the_way():
    result = pm.simulate(models.load("gyroscope"))
    turn = 0.5 * np.pi * result.t
    circle = np.sqrt(0.75) * np.column_stack([np.cos(turn), np.sin(turn)])
    assert np.abs(result["tip"][:, :2] - 0.3 * circle).max() < 1e-6
    assert np.abs(result["tip"][:, 2] - 0.15).max() < 1e-6


# -- the figure --------------------------------------------------------------------------------------------------------


def segment(*names):
    """Return mass, length of the first, centre of mass below the upper end, and inertia of segments in one line."""
    mass, ends, places, inertia = [], [0.0], [], []
    for name in names:
        fraction, length, centre, radii = DE_LEVA[name]
        length *= HEIGHT / 1.741
        mass.append(fraction * MASS)
        places.append(ends[-1] + centre * length)
        ends.append(ends[-1] + length)
        inertia.append(fraction * MASS * (np.array(radii) * length) ** 2)
    mass, places = np.array(mass), np.array(places)
    com = mass @ places / mass.sum()
    apart = mass @ (places - com) ** 2
    return mass.sum(), ends[1], com, sum(inertia) + np.array([apart, apart, 0.0])


@pytest.mark.parametrize(
    ("body", "joint", "names"),
    [
        ("head", "neck", ("head",)),
        ("left_upper_arm", "left_shoulder", ("upper_arm",)),
        ("right_forearm", "right_elbow", ("forearm", "hand")),
        ("right_thigh", "right_hip", ("thigh",)),
        ("left_shank", "left_knee", ("shank", "foot")),
    ],
)
def test_the_segments_of_the_figure_are_those_of_de_leva(body, joint, names):
    m = models.load("human_fall")
    mass, _, com, inertia = segment(*names)
    assert m.bodies[body].mass == pytest.approx(mass, abs=1e-9)
    assert abs(m.bodies[body].com[2] - m.joints[joint].point[2]) == pytest.approx(com, abs=1.1e-4)  # both rounded
    assert m.bodies[body].inertia == pytest.approx(tuple(inertia), rel=1e-3)


def test_the_joints_of_the_figure_are_where_de_leva_has_them():
    m = models.load("human_fall")
    heights = {name: joint.point[2] for name, joint in m.joints.items()}
    mass, length, com, inertia = segment("trunk")
    assert (m.bodies["torso"].mass, heights["neck"]) == pytest.approx((mass, length), abs=1e-4)
    assert heights["neck"] - m.bodies["torso"].com[2] == pytest.approx(com, abs=1.1e-4)
    assert m.bodies["torso"].inertia == pytest.approx(tuple(inertia), rel=1e-3)
    assert heights["left_shoulder"] == pytest.approx(0.5155 * HEIGHT / 1.741, abs=1e-4)  # between the shoulder joints
    assert heights["left_shoulder"] - heights["left_elbow"] == pytest.approx(segment("upper_arm")[1], abs=1.1e-4)
    assert heights["right_hip"] - heights["right_knee"] == pytest.approx(segment("thigh")[1], abs=1.1e-4)
    assert sum(body.mass for body in m.bodies.values()) == pytest.approx(MASS, abs=1e-9)


def test_the_figure_falls_without_turning_about_anything_but_its_long_axis(figure):
    assert np.abs(figure.momentum.central).max() < 1e-6
    assert figure.centre[:, 2] - figure.centre[0, 2] == pytest.approx(-0.5 * 9.81 * figure.t**2, abs=1e-6)
    assert np.abs(figure.orientation("torso")[:, :, 2] - [0.0, 0.0, 1.0]).max() < 1e-6


def yaw_rate(m, t):
    """Return -h/I about the long axis, rad/s: inertia of the figure, and what its limbs carry when its torso rests."""
    w = 3.0 * np.pi
    sine, cosine = np.sin(w * t), np.cos(w * t)
    limbs = [  # joint, bodies, two angles, their rates
        ("left_shoulder", "upper_arm forearm", (0.9 - 0.8 * cosine, 0.9 * sine), (0.8 * w * sine, 0.9 * w * cosine)),
        ("left_hip", "thigh shank", (0.1, -0.5 * sine), (0.0, -0.5 * w * cosine)),
    ]
    inertia = m.bodies["torso"].inertia[2] + m.bodies["head"].inertia[2]
    carried = 0.0
    for joint, names, (a, b), (a_dot, b_dot) in limbs:
        about_x = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(a), -np.sin(a)], [0.0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]])
        S, omega = about_x @ about_y, np.array([a_dot, 0.0, 0.0]) + b_dot * about_x[:, 1]
        pivot = np.array(m.joints[joint].point)
        for body in (m.bodies[f"left_{name}"] for name in names.split()):
            arm = S @ (np.array(body.com) - pivot)
            x, v = pivot + arm, np.cross(omega, arm)
            tensor = S @ np.diag(body.inertia) @ S.T
            # the right side is the left one, turned by half a turn about the long axis
            inertia += 2.0 * (body.mass * (x[0] ** 2 + x[1] ** 2) + tensor[2, 2])
            carried += 2.0 * (body.mass * (x[0] * v[1] - x[1] * v[0]) + tensor[2] @ omega)
    return -carried / inertia


def test_the_figure_turns_as_far_as_its_limbs_carry_it(figure):
    m = figure.mechanism
    turn = figure.coordinate("base", "angle3")
    assert figure.omega("torso")[0, 2] == pytest.approx(yaw_rate(m, 0.0), abs=1e-12)
    assert turn[-1] == pytest.approx(quad(lambda t: yaw_rate(m, t), 0.0, 2.0, limit=200)[0], abs=1e-7)
    assert np.degrees(turn[-1]) == pytest.approx(110.9, abs=0.1)
    assert np.all(figure.omega("torso")[:, 2] > 0.5)  # it never turns back
