"""Bending bodies in files and in Python: round trips; defaults, places, numbers of a chain."""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

from particlemech import models, signals
from particlemech.engine.bending.chains import chain
from particlemech.engine.bending.links import DRIVEN, FIXED, FLOATS, FREE, LOCKED, PRISMATIC, REVOLUTE, TRANSLATES
from particlemech.engine.bending.local_inertia import local
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.space import forces, joints
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Body, Lump, Mode
from tests.support.broken_flexible import GOOD

WAVE = signals.Sine(amplitude=2.0, frequency=0.5)
BEND = Mode(along="y", shape=(0.0, 0.0, 1.0))
BEAM = {"mass": 3.0, "EI": 100.0, "modes": (BEND,)}
PIN = {"bodies": ("ground", "one"), "point": "A", "axis": (0, 0, 1)}

DRIVER = Coordinate(joint="root", motion=signals.Linear(rate=2.0))
JOINTS = {
    "revolute": joints.Revolute(**PIN, drive={"stiffness": 3.0, "damping": 0.1, "rotor": 0.2}),
    "prismatic": joints.Prismatic(**PIN, drive={"rotor": 0.2}),
    "weld": joints.Weld(bodies=("ground", "one")),
}
FORCES = {
    "load": forces.Load(body="one", point=(1, 0, 0), force=(WAVE, 3.0, 0.0), frame="body"),
    "torque": forces.Torque(bodies=("ground", "one"), point=(1, 0, 0), torque=(0, 0, WAVE), frame="body"),
    "distributed": forces.Distributed(body="one", force=(0, WAVE, 0), spread=(0.0, 1.0)),
    "motor": forces.Motor(joint="root", effort=WAVE),
    "torsion": forces.Torsion(joint="root", stiffness=2.0, damping=0.1, angle=0.3),
}


def arm(root=JOINTS["revolute"], points=None, **sections) -> Mechanism:
    """Return one bending body along x on a joint of any kind."""
    body = Body(points=("A", "B", *(points or ())), **sections.pop("body", BEAM))
    places = {"A": (0, 0, 0), "B": (2, 0, 0), **(points or {})}
    return Mechanism(points=places, bodies={"one": body}, joints={"root": root}, **sections)


def assert_round_trip(mechanism: Mechanism) -> None:
    """Assert that text and tables give the mechanism back."""
    text = toml.dumps(mechanism)
    assert toml.loads(text) == mechanism
    assert toml.dumps(toml.loads(text)) == text
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism
    assert tomllib.loads(text) == toml.to_dict(mechanism)


# -- round trip ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_come_back_unchanged(kind):
    assert_round_trip(arm(JOINTS[kind]))


@pytest.mark.parametrize("kind", FORCES)
def test_forces_come_back_unchanged(kind):
    assert_round_trip(arm(forces={"it": FORCES[kind]}))


def test_a_file_with_every_section_comes_back_unchanged():
    mechanism = toml.loads(GOOD)
    assert_round_trip(mechanism)
    assert hash(mechanism) == hash(toml.loads(GOOD))


def test_everything_else_comes_back_unchanged():
    body = {
        "density": {"x": [0, 1, 2], "value": [1, 2, 1]},
        "rotary": (0, 0.1, 0),
        "lumps": [Lump(x=2.0, mass=1.0, inertia=(1, 1, 1))],
        "EI": {"x": 2.0, "z": {"x": [0, 0.5, 1], "value": [3, 2, 1]}},
        "GJ": [4.0, -1.0],
        "EA": 3.0,
        "damping": (0.1, 0.2),
        "modes": [
            Mode(along=(1, 0, 1), shape=(0, 0, 1)),
            Mode(about="y", shape=(0, 1)),
            Mode(along="y", shape=(0, 1)),
        ],
        "sublinks": 2,
    }
    assert_round_trip(
        arm(
            body=body,
            root=joints.Revolute(**PIN),
            points={"p": (0, 1, 0)},
            units="kg-mm",
            gravity=(0, 0, -9810),
            bending={"stiffening": False},
            drivers={"d": DRIVER},
            initial={"mode_rates": {"one": [0.1] * 6}},
        )
    )


def test_json_files_read_like_toml_files(tmp_path: Path):
    mechanism = toml.loads(GOOD)
    path = tmp_path / "arm.json"
    path.write_text(json.dumps(toml.to_dict(mechanism)))
    assert toml.load(path) == mechanism


def test_defaults_are_left_out_but_for_the_kind():
    text = toml.dumps(arm(joints.Revolute(**PIN)))
    assert text.startswith('format = 1\nkind = "spatial"\n')
    for word in ("units", "gravity", "[run]", "[initial]", "[forces", "[bending]", "sublinks", "drive"):
        assert word not in text


def test_a_changed_copy_is_checked_again():
    stiff = arm().replaced(bodies={"one": {"EI": 200.0}})
    assert chain(stiff).links[0].K[0, 0] == pytest.approx(2.0 * chain(arm()).links[0].K[0, 0])
    with pytest.raises(ModelError, match=r'body "one": .*inertia'):
        chain(arm().replaced(bodies={"one": {"com": (1, 0, 0), "inertia": (0.1, 1.0, 0.2)}}))


# -- tables in files -------------------------------------------------------------------------------------------------


def test_a_shape_is_read_from_a_file_beside_the_model(tmp_path: Path, monkeypatch):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "bend.csv").write_text("# from a test\nx, value\n0, 0\n1, 0.25\n2, 1\n")
    text = toml.dumps(arm()).replace("shape = [0.0, 0.0, 1.0]", 'shape = "bend.csv"')
    (tmp_path / "arm" / "model.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    read = toml.load("arm/model.toml")
    assert read.bodies["one"].modes[0].shape.value == (0.0, 0.25, 1.0)
    assert_round_trip(read)  # the written file carries the numbers
    assert chain(read).links[0].K == pytest.approx(chain(arm()).links[0].K)


def test_a_finite_element_table_is_read_from_a_file(tmp_path: Path):
    rows = [f"{x}, 0, {x * x / 4}, 0, 0, 0, {x / 2}" for x in (0.0, 0.5, 1.0, 1.5, 2.0)]
    (tmp_path / "modes.csv").write_text("x,dx,dy,dz,rx,ry,rz\n" + "\n".join(rows) + "\n")
    text = toml.dumps(arm())
    start, end = text.index("modes = ["), text.index("]\n", text.index("modes = ["))
    text = text[:start] + 'shapes = "modes.csv"\n' + text[end + 2 :]
    (tmp_path / "model.toml").write_text(text)
    made, plain = chain(toml.load(tmp_path / "model.toml")).links[0], chain(arm()).links[0]
    assert made.K == pytest.approx(plain.K)
    assert made.end_psi == pytest.approx(plain.end_psi)
    assert made.names == ("q1",)


# -- the numbers of a chain ------------------------------------------------------------------------------------------


def test_joints_know_their_state_and_their_start():
    c = chain(toml.loads(GOOD))
    assert [j.name for j in c.joints] == ["shoulder", "", "elbow", "slide"]
    assert [j.coordinate for j in c.joints] == ["angle", "", "angle", "travel"]
    assert [link.name for link in c.links] == ["upper", "upper", "fore", "tool"]
    assert [j.state for j in c.joints] == [DRIVEN, LOCKED, FREE, DRIVEN]
    assert [j.does for j in c.joints] == [REVOLUTE, REVOLUTE, REVOLUTE, PRISMATIC]
    shoulder, _, elbow, _ = c.joints
    assert (shoulder.position, shoulder.deflection, shoulder.driver) == (0.1, 0.001, "turn")
    assert (elbow.position, elbow.rate, elbow.rotor, elbow.motors) == (0.5, 0.2, 0.4, ("servo",))
    assert (elbow.spring, elbow.damper, elbow.pull, elbow.stored) == pytest.approx((3.0, 0.5, 0.6, 0.06))
    assert c.links[0].q.tolist() == [0.01, 0.0, 0.0]


def test_the_axes_of_links_follow_from_the_drawing_as_in_the_report():
    c = chain(toml.loads(GOOD))
    R, O = c.base.axes, c.base.origin
    ends = [(c.base.end, c.base.alpha), *((link.end, link.alpha) for link in c.links)]
    for (end, alpha), link, joint in zip(ends, c.links, c.joints, strict=False):
        O = O + R @ end
        R = R @ turned(0, alpha) @ turned(2, joint.theta)
        assert pytest.approx(link.axes, abs=1e-15) == R
    assert pytest.approx([19.0, 0.0, 0.0], abs=1e-14) == O
    assert c.links[0].axes[:, 2] == pytest.approx([0.0, -0.6, 0.8])  # z is the axis of the joint
    assert c.links[0].axes @ c.links[0].along == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_a_joint_drawn_from_the_other_side_turns_the_other_way():
    there, back = (joints.Revolute(bodies=b, point="A", axis=(0, 0, 1)) for b in (("ground", "one"), ("one", "ground")))
    here, other = (chain(arm(joint, initial={"position": {"root": 0.3}})) for joint in (there, back))
    assert here.links[0].axes[:, 2] == pytest.approx([0, 0, 1])
    assert other.links[0].axes[:, 2] == pytest.approx([0, 0, -1])
    assert here.joints[0].position == other.joints[0].position == 0.3


def test_the_base_is_held_translates_or_floats():
    good = toml.loads(GOOD)
    still = {f"still{k}": Coordinate(joint="float", coordinate=f"angle{k}", motion=0.1 * k) for k in (1, 2, 3)}
    fixed = {axis: Coordinate(joint="float", coordinate=axis, motion=float(axis == "z")) for axis in "xyz"}
    start = {"rate": {"elbow": 0.2}, "omega": {}}
    for drivers, state in (({}, FLOATS), (still, TRANSLATES), (still | fixed, FIXED)):
        base = chain(good.replaced(drivers=drivers, initial=start)).base
        assert base.state == state
        assert base.axes @ base.moment == pytest.approx(np.zeros(3), abs=1e-15)  # the joint is at the centre
        assert base.place == pytest.approx([0, 0, 1.1])
        turn = base.turn @ base.axes.T
        assert turn @ turn.T == pytest.approx(np.eye(3))
        assert turn[0, 2] == pytest.approx(math.sin(0.2))  # 1-2-3 angles
    assert chain(arm()).base.state == FIXED


def test_a_custom_force_is_a_function_of_the_joint_it_acts_on():
    def hold(t, state):
        return -1.0

    made = arm(joints.Revolute(**PIN), forces={"c": forces.Custom(joint="root", function=hold)})
    assert chain(made).joints[0].controllers == (("c", hold),)
    with pytest.raises(ModelError, match="Python function"):
        toml.dumps(made)


@pytest.mark.parametrize("sublinks", [1, 3])
def test_a_spread_load_has_the_resultant_and_the_moment_of_its_spread(sublinks):
    wind = forces.Distributed(body="one", force=(0, 1, 0), spread=(1.0, 2.0))
    c = chain(arm(body=BEAM | {"sublinks": sublinks}, forces={"wind": wind}))
    assert len(c.loads) == sublinks
    total = sum(load.weight.sum() for load in c.loads)
    moment = sum(load.weight @ (load.shapes.x[:, 0] + load.link * 2.0 / sublinks) for load in c.loads)
    assert total == pytest.approx(2.0 * (1.0 + 1.0))
    assert moment == pytest.approx(4.0 * (1 / 2 + 2 / 3))


def test_a_place_off_the_axis_turns_with_its_section():
    c = chain(arm(points={"p": (1.0, 0.5, 0.0)}))
    shapes = c.points[2].shapes
    slope = 2 * 0.5 / 2.0
    assert shapes.psi[0, :, 0] == pytest.approx([0, 0, slope])
    assert shapes.delta[0, :, 0] == pytest.approx([-0.5 * slope, 0.25, 0])


def test_a_point_on_a_sub_link_is_counted_from_its_origin():
    c = chain(arm(body=BEAM | {"sublinks": 4}, points={"p": (1.2, 0, 0)}))
    assert [p.link for p in c.points] == [0, 3, 2]
    assert c.points[2].shapes.x[0] == pytest.approx([0.2, 0, 0])
    assert c.points[1].shapes.delta[0] == pytest.approx(c.links[3].end_delta)


def test_a_rigid_rod_needs_no_stations():
    rod = {"mass": 3.0}
    made = chain(arm(JOINTS["revolute"], body=rod)).links[0]
    assert (made.m, len(made.station_mass)) == (0, 0)
    assert made.inertia == pytest.approx(np.diag([0.0, 4.0, 4.0]))
    assert made.moment == pytest.approx([3.0, 0.0, 0.0])


# -- the arm of the report, joints locked, base translating: frequencies by a sweep of its own -------------------------


def turned(about: int, angle: float) -> np.ndarray:
    """Return the rotation about x (0) or z (2)."""
    c, s = math.cos(angle), math.sin(angle)
    rows = ([[1, 0, 0], [0, c, -s], [0, s, c]], None, [[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return np.array(rows[about])


def frequencies(c) -> np.ndarray:
    """Return the frequencies, Hz, of a chain at rest; speeds of each frame per speed of each coordinate, outward."""
    n = 3 + sum(link.m for link in c.links)
    M, K = np.zeros((n, n)), np.zeros((n, n))
    M[:3, :3] = c.base.mass * np.eye(3)
    v, w = np.zeros((3, n)), np.zeros((3, n))
    v[:, :3] = c.base.turn.T
    end, alpha, at = c.base.end, c.base.alpha, 3
    more_v, more_w = np.zeros((3, n)), np.zeros((3, n))
    for link, joint in zip(c.links, c.joints, strict=True):
        R = turned(0, alpha) @ turned(2, joint.theta + joint.position)
        v, w = R.T @ (v + np.cross(w.T, end).T + more_v), R.T @ (w + more_w)
        own = np.zeros((link.m, n))
        own[:, at : at + link.m] = np.eye(link.m)
        K[at : at + link.m, at : at + link.m] = link.K
        at += link.m
        G = np.vstack([v, w, own])
        M += G.T @ local(link, np.zeros(link.m)) @ G
        end, alpha, more_v, more_w = link.end, link.alpha, link.end_delta @ own, link.end_psi @ own
    return np.sqrt(np.abs(eigh(K, M, eigvals_only=True))) / (2 * math.pi)


LAST = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # axes of link 6 of the report in the drawing


def last_link_as_printed(c):
    """Return the chain with the tensor of link 6 that the report prints, which no body has."""
    printed = np.array([[5.71, 0.261, -0.712], [0.261, 0.301, 0.0], [-0.712, 0.0, 8.63]])
    last = c.links[-1]
    B = last.axes.T @ LAST
    return dataclasses.replace(c, links=(*c.links[:-1], dataclasses.replace(last, inertia=B @ printed @ B.T)))


def test_the_arm_of_the_report_has_the_frequencies_of_its_own_equations():
    c = chain(models.load("rms_flexible"))
    found = frequencies(c)
    assert found[3:7] == pytest.approx([1.7465, 1.7465, 5.4340, 5.4340], abs=1e-4)
    printed = frequencies(last_link_as_printed(c))
    assert printed[3:7] == pytest.approx(found[3:7], rel=1e-9)  # bending does not turn link 6
    assert np.abs(printed - 34.99).min() < 0.005
    assert np.abs(printed - 207.9).min() < 0.05
    assert np.abs(found - 88.16).min() < 0.005  # as a rod, which is what the model file has


def test_the_arm_of_the_report_with_its_elbow_bent():
    bent = {"hold3": {"motion": signals.Constant(value=math.pi / 2)}}
    c = chain(models.load("rms_flexible").replaced(drivers=bent))
    found = frequencies(last_link_as_printed(c))
    print(found)
    assert found[4:6] == pytest.approx([2.2941, 2.4161], abs=1e-4)
    assert np.abs(found - 14.5).min() < 0.05


ROOTS = np.array([1.8751040687, 4.6940911330, 7.8547574382])  # of cos b cosh b = -1


def cantilever_errors(sublinks, modes) -> np.ndarray:
    """Return the errors of the first three frequencies of the shipped cantilever, as fractions."""
    made = chain(models.load("cantilever").replaced(bodies={"beam": {"sublinks": sublinks, "modes": modes}}))
    heavy = dataclasses.replace(made, base=dataclasses.replace(made.base, mass=1e9))  # as good as fixed
    return frequencies(heavy)[3:6] / (ROOTS**2 * math.sqrt(200.0 / 0.5) / (8.0 * math.pi)) - 1.0


def test_cubic_sub_links_near_euler_and_bernoulli_as_beam_elements_do():
    for n, nearness in ((8, 0.1), (16, 0.02)):
        errors = cantilever_errors(n, models.load("cantilever").bodies["beam"].modes)
        print(n, errors)
        # consistent mass and cubics: (b l)^4/1440 to leading order, for b l well below 1
        assert errors == pytest.approx((ROOTS / n) ** 4 / 1440.0, rel=nearness)


def test_one_more_power_brings_eight_sub_links_to_1e_4():
    modes = [Mode(along="y", shape=(0.0,) * k + (1.0,)) for k in (2, 3, 4)]
    errors = cantilever_errors(8, modes)
    print(errors)
    assert (errors > 0.0).all()
    assert errors.max() < 1e-4
