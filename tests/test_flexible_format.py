"""Flexible manipulators in files and in Python: round trips; defaults, places, numbers of a chain."""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from broken_flexible import GOOD
from scipy.linalg import eigh

from particlemech import models, signals, toml
from particlemech.errors import ModelError
from particlemech.flexible import (
    Base,
    Driver,
    Initial,
    Link,
    Lump,
    Mechanism,
    Mode,
    Point,
    chain,
    forces,
    joints,
    local,
)
from particlemech.flexible.links import DRIVEN, FIXED, FLOATS, FREE, LOCKED, PRISMATIC, REVOLUTE, TRANSLATES
from particlemech.flexible.stations import numbers

WAVE = signals.Sine(amplitude=2.0, frequency=0.5)
BEND = Mode(along="y", shape=(0.0, 0.0, 1.0))
BEAM = Link(end=(2, 0, 0), mass=3.0, EI=100.0, modes=(BEND,))

JOINTS = {
    "revolute": joints.Revolute(link="one", theta=0.5, stiffness=3.0, damping=0.1, rotor=0.2),
    "prismatic": joints.Prismatic(link="one", locked=True),
}
FORCES = {
    "load": forces.Load(link="one", point=(1, 0, 0), force=(WAVE, 3.0, 0.0), moment=(0, 0, 1), frame="link"),
    "distributed": forces.Distributed(link="one", force=(0, WAVE, 0), spread=(0.0, 1.0)),
    "motor": forces.Motor(joint="root", effort=WAVE),
}


def arm(root=JOINTS["revolute"], link=BEAM, **sections) -> Mechanism:
    """Return one link on a joint of any kind."""
    return Mechanism(links={"one": link}, joints={"root": root}, **sections)


def assert_round_trip(mechanism: Mechanism) -> None:
    """Assert that text and tables give the manipulator back."""
    text = toml.dumps(mechanism)
    assert toml.loads(text) == mechanism
    assert toml.dumps(toml.loads(text)) == text
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism
    assert tomllib.loads(text) == toml.to_dict(mechanism)


# -- round trip ------------------------------------------------------------------------------------------------------


def test_every_kind_has_an_example_here():
    assert set(JOINTS) == set(joints.NAMES)
    assert set(FORCES) == {name for name, kind in forces.NAMES.items() if kind.in_file}


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
    link = Link(
        end=(0, 3, 0),
        alpha=0.4,
        density={"x": [0, 1, 3], "value": [1, 2, 1]},
        rotary=(0, 0.1, 0),
        lumps=[Lump(x=2.0, mass=1.0, inertia=(1, 1, 1))],
        EI={"x": 2.0, "z": {"x": [0, 0.5, 1], "value": [3, 2, 1]}},
        GJ=[4.0, -1.0],
        EA=3.0,
        damping=(0.1, 0.2),
        modes=[
            BEND.__class__(along=(1, 0, 1), shape=(0, 0, 1)),
            Mode(about="y", shape=(0, 1)),
            Mode(along="y", shape=(0, 1)),
        ],
        sublinks=2,
    )
    assert_round_trip(
        arm(
            link=link,
            root=joints.Revolute(link="one"),
            units="kg-mm",
            gravity=(0, 0, -9810),
            stiffening=False,
            base=Base(motion="free", mass=2.0, inertia=(1, 1, 1), inertia_about="com", end=(1, 2, 3), alpha=0.1),
            points={"p": Point(link="base", at=(0, 1, 0)), "tip": Point(link="one")},
            drivers={"d": Driver(joint="root", motion=signals.Linear(rate=2.0))},
            initial=Initial(rate={"base": (1, 0, 0)}, omega={"base": (0, 1, 0)}, mode_rates={"one": [0.1] * 6}),
        )
    )


def test_json_files_read_like_toml_files(tmp_path: Path):
    mechanism = toml.loads(GOOD)
    path = tmp_path / "arm.json"
    path.write_text(json.dumps(toml.to_dict(mechanism)))
    assert toml.load(path) == mechanism


def test_defaults_are_left_out_but_for_the_kind():
    text = toml.dumps(arm(joints.Revolute(link="one")))
    assert text.startswith('format = 1\nkind = "flexible"\n')
    for word in ("units", "gravity", "[run]", "[initial]", "[forces", "[base]", "stiffening", "geometry", "locked"):
        assert word not in text


def test_a_changed_copy_is_checked_again():
    stiff = arm().replaced(links={"one": {"EI": 200.0}}, base={"motion": "translates", "mass": 5.0})
    assert stiff.numbers["one"][0].K[0, 0] == pytest.approx(2.0 * arm().numbers["one"][0].K[0, 0])
    with pytest.raises(ModelError, match=r'link "one": .*inertia'):
        arm().replaced(links={"one": {"com": (1, 0, 0), "inertia": (0.1, 1.0, 4.0)}})


# -- tables in files -------------------------------------------------------------------------------------------------


def test_a_shape_is_read_from_a_file_beside_the_model(tmp_path: Path, monkeypatch):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "bend.csv").write_text("# from a test\nx, value\n0, 0\n1, 0.25\n2, 1\n")
    text = toml.dumps(arm()).replace("shape = [0.0, 0.0, 1.0]", 'shape = "bend.csv"')
    (tmp_path / "arm" / "model.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    read = toml.load("arm/model.toml")
    assert read.links["one"].modes[0].shape.value == (0.0, 0.25, 1.0)
    assert_round_trip(read)  # the written file carries the numbers
    assert read.numbers["one"][0].K == pytest.approx(arm().numbers["one"][0].K)


def test_a_finite_element_table_is_read_from_a_file(tmp_path: Path):
    rows = [f"{x}, 0, {x * x / 4}, 0, 0, 0, {x / 2}" for x in (0.0, 0.5, 1.0, 1.5, 2.0)]
    (tmp_path / "modes.csv").write_text("x,dx,dy,dz,rx,ry,rz\n" + "\n".join(rows) + "\n")
    text = toml.dumps(arm(link=dataclasses.replace(BEAM, modes=(), EI=None)))
    text = text.replace("mass = 3.0\n", 'mass = 3.0\nEI = 100.0\nshapes = "modes.csv"\n')
    (tmp_path / "model.toml").write_text(text)
    made, plain = toml.load(tmp_path / "model.toml").numbers["one"][0], arm().numbers["one"][0]
    assert made.K == pytest.approx(plain.K)
    assert made.end_psi == pytest.approx(plain.end_psi)
    assert made.names == ("q1",)


# -- the numbers of a chain ------------------------------------------------------------------------------------------


def test_joints_know_their_state_and_their_start():
    c = chain(toml.loads(GOOD))
    assert [j.name for j in c.joints] == ["shoulder", "", "elbow", "slide"]
    assert [link.name for link in c.links] == ["upper", "upper", "fore", "tool"]
    assert [j.state for j in c.joints] == [DRIVEN, LOCKED, FREE, LOCKED]
    assert [j.does for j in c.joints] == [REVOLUTE, REVOLUTE, REVOLUTE, PRISMATIC]
    shoulder, _, elbow, _ = c.joints
    assert (shoulder.position, shoulder.deflection, shoulder.theta, shoulder.driver) == (0.1, 0.001, 0.3, "turn")
    assert (elbow.position, elbow.rate, elbow.rotor, elbow.motors) == (0.5, 0.2, 0.4, ("servo",))
    assert c.links[0].q.tolist() == [0.01, 0.0, 0.0]
    assert [link.alpha for link in c.links] == [0.0, 0.0, 1.0, 0.0]


def test_the_base_is_held_translates_or_floats():
    for word, state in (("fixed", FIXED), ("translates", TRANSLATES), ("free", FLOATS)):
        assert chain(arm(base=Base(motion=word, mass=1.0))).base.state == state
    base = chain(toml.loads(GOOD)).base
    assert base.moment == pytest.approx([0, 0, 10.0])
    assert base.place == pytest.approx([0, 0, 1.0])
    assert base.turn @ base.turn.T == pytest.approx(np.eye(3))
    assert base.turn[0, 2] == pytest.approx(math.sin(0.2))  # 1-2-3 angles


def test_a_controller_is_a_function_of_the_joint_it_acts_on():
    def hold(t, state):
        return -1.0

    made = arm(joints.Revolute(link="one"), forces={"c": forces.Controller(joint="root", function=hold)})
    assert chain(made).joints[0].controllers == (("c", hold),)
    with pytest.raises(ModelError, match="Python function"):
        toml.dumps(made)


@pytest.mark.parametrize("sublinks", [1, 3])
def test_a_spread_load_has_the_resultant_and_the_moment_of_its_spread(sublinks):
    link = dataclasses.replace(BEAM, sublinks=sublinks)
    c = chain(arm(link=link, forces={"wind": forces.Distributed(link="one", force=(0, 1, 0), spread=(1.0, 2.0))}))
    assert len(c.loads) == sublinks
    total = sum(load.weight.sum() for load in c.loads)
    moment = sum(load.weight @ (load.shapes.x[:, 0] + load.link * 2.0 / sublinks) for load in c.loads)
    assert total == pytest.approx(2.0 * (1.0 + 1.0))
    assert moment == pytest.approx(4.0 * (1 / 2 + 2 / 3))


def test_a_place_off_the_axis_turns_with_its_section():
    c = chain(arm(points={"p": Point(link="one", at=(1.0, 0.5, 0.0))}))
    shapes = c.points[0].shapes
    slope = 2 * 0.5 / 2.0
    assert shapes.psi[0, :, 0] == pytest.approx([0, 0, slope])
    assert shapes.delta[0, :, 0] == pytest.approx([-0.5 * slope, 0.25, 0])


def test_a_point_on_a_sub_link_is_counted_from_its_origin():
    link = dataclasses.replace(BEAM, sublinks=4)
    c = chain(arm(link=link, points={"p": Point(link="one", at=(1.2, 0, 0)), "tip": Point(link="one")}))
    assert [p.link for p in c.points] == [2, 3]
    assert c.points[0].shapes.x[0] == pytest.approx([0.2, 0, 0])
    assert c.points[1].shapes.delta[0] == pytest.approx(c.links[3].end_delta)


def test_a_rigid_link_needs_no_stations():
    made = numbers("l", Link(end=(2, 0, 0), mass=3.0))[0]
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


def last_link_as_printed(c):
    """Return the chain with the tensor of link 6 that the report prints, which no body has."""
    printed = np.array([[5.71, 0.261, -0.712], [0.261, 0.301, 0.0], [-0.712, 0.0, 8.63]])
    return dataclasses.replace(c, links=(*c.links[:-1], dataclasses.replace(c.links[-1], inertia=printed)))


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
    c = chain(models.load("rms_flexible").replaced(initial={"position": {"joint3": math.pi / 2}}))
    found = frequencies(last_link_as_printed(c))
    print(found)
    assert found[4:6] == pytest.approx([2.2941, 2.4161], abs=1e-4)
    assert np.abs(found - 14.5).min() < 0.05


ROOTS = np.array([1.8751040687, 4.6940911330, 7.8547574382])  # of cos b cosh b = -1


def cantilever_errors(sublinks, modes) -> np.ndarray:
    """Return the errors of the first three frequencies of the shipped cantilever, as fractions."""
    links = {"beam": {"sublinks": sublinks, "modes": modes}}
    made = models.load("cantilever").replaced(base={"mass": 1e9}, links=links)  # a base as good as fixed
    return frequencies(chain(made))[3:6] / (ROOTS**2 * math.sqrt(200.0 / 0.5) / (8.0 * math.pi)) - 1.0


def test_cubic_sub_links_near_euler_and_bernoulli_as_beam_elements_do():
    for n, nearness in ((8, 0.1), (16, 0.02)):
        errors = cantilever_errors(n, models.load("cantilever").links["beam"].modes)
        print(n, errors)
        # consistent mass and cubics: (b l)^4/1440 to leading order, for b l well below 1
        assert errors == pytest.approx((ROOTS / n) ** 4 / 1440.0, rel=nearness)


def test_one_more_power_brings_eight_sub_links_to_1e_4():
    modes = [Mode(along="y", shape=(0.0,) * k + (1.0,)) for k in (2, 3, 4)]
    errors = cantilever_errors(8, modes)
    print(errors)
    assert (errors > 0.0).all()
    assert errors.max() < 1e-4
