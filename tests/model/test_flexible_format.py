"""Bending bodies in files and in Python: round trips; defaults, places, numbers of a chain."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

from particlemech import models, signals
from particlemech.analyses.influence.matrices import influences
from particlemech.engine.bending.spots import located, spread
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.engine.recursive.topology import ordered
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.inertia import matrix
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


def parts(mechanism):
    """Return the parts of all bending bodies as numbers, outward."""
    return [frame.link for frame in ordered(mechanism).frames if frame.link is not None]


def begun(mechanism):
    """Return the start of a mechanism by name."""
    made = system(mechanism)
    return made.observed(np.zeros(1), start_state(made)[None])


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
    assert parts(stiff)[0].K[0, 0] == pytest.approx(2.0 * parts(arm())[0].K[0, 0])
    with pytest.raises(ModelError, match=r'body "one": .*inertia'):
        parts(arm().replaced(bodies={"one": {"com": (1, 0, 0), "inertia": (0.1, 1.0, 0.2)}}))


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
    assert parts(read)[0].K == pytest.approx(parts(arm())[0].K)


def test_a_finite_element_table_is_read_from_a_file(tmp_path: Path):
    rows = [f"{x}, 0, {x * x / 4}, 0, 0, 0, {x / 2}" for x in (0.0, 0.5, 1.0, 1.5, 2.0)]
    (tmp_path / "modes.csv").write_text("x,dx,dy,dz,rx,ry,rz\n" + "\n".join(rows) + "\n")
    text = toml.dumps(arm())
    start, end = text.index("modes = ["), text.index("]\n", text.index("modes = ["))
    text = text[:start] + 'shapes = "modes.csv"\n' + text[end + 2 :]
    (tmp_path / "model.toml").write_text(text)
    made, plain = parts(toml.load(tmp_path / "model.toml"))[0], parts(arm())[0]
    assert made.K == pytest.approx(plain.K)
    assert made.end_psi == pytest.approx(plain.end_psi)
    assert made.names == ("q1",)


# -- what a file says of the start, and where places are ---------------------------------------------------------------


def test_joints_and_bodies_start_as_the_file_says():
    seen = begun(toml.loads(GOOD))
    assert seen.coordinate("shoulder")[0] == 0.1 and seen.deflection("shoulder")[0] == 0.001
    assert (seen.coordinate("elbow")[0], seen.rate("elbow")[0]) == (0.5, 0.2)
    assert seen.modal("upper")[0].tolist() == [0.01, 0.0, 0.0, 0.01, 0.0, 0.0]
    assert seen.com("craft")[0] == pytest.approx([0.0, 0.0, 1.1])
    assert seen.omega("craft")[0] == pytest.approx([0.0, 0.0, 0.1])


def test_the_base_is_held_translates_or_floats():
    good = toml.loads(GOOD)
    still = {f"still{k}": Coordinate(joint="float", coordinate=f"angle{k}", motion=0.1 * k) for k in (1, 2, 3)}
    fixed = {axis: Coordinate(joint="float", coordinate=axis, motion=float(axis == "z")) for axis in "xyz"}
    start = {"rate": {"elbow": 0.2}, "omega": {}}
    floating = system(good).n_v
    for drivers, held in (({}, 0), (still, 3), (still | fixed, 6)):
        m = good.replaced(drivers=drivers, initial=start)
        assert system(m).n_v == floating - held
        assert begun(m).com("craft")[0] == pytest.approx([0, 0, 1.1])
        assert begun(m).orientation("craft")[0, 0, 2] == pytest.approx(math.sin(0.2))  # 1-2-3 angles


def test_a_python_function_cannot_be_written():
    made = arm(joints.Revolute(**PIN), forces={"c": forces.Custom(joint="root", function=lambda t, state: -1.0)})
    with pytest.raises(ModelError, match="Python function"):
        toml.dumps(made)


@pytest.mark.parametrize("sublinks", [1, 3])
def test_a_spread_load_has_the_resultant_and_the_moment_of_its_spread(sublinks):
    wind = forces.Distributed(body="one", force=(0, 1, 0), spread=(1.0, 2.0))
    made = arm(body=BEAM | {"sublinks": sublinks}, forces={"wind": wind})
    places, weight = zip(*spread(made, "one", wind.spread), strict=True)
    assert sum(weight) == pytest.approx(2.0 * (1.0 + 1.0))
    assert np.array(weight) @ np.array(places)[:, 0] == pytest.approx(4.0 * (1 / 2 + 2 / 3))


def test_a_place_off_the_axis_turns_with_its_section():
    _, shapes = located(arm(), "one", (1.0, 0.5, 0.0))
    slope = 2 * 0.5 / 2.0
    assert shapes.psi[0, :, 0] == pytest.approx([0, 0, slope])
    assert shapes.delta[0, :, 0] == pytest.approx([-0.5 * slope, 0.25, 0])


def test_a_place_on_a_sub_link_is_counted_from_its_origin():
    made = arm(body=BEAM | {"sublinks": 4})
    found = [located(made, "one", (x, 0.0, 0.0)) for x in (0.0, 1.2, 2.0)]
    assert [k for k, _ in found] == [0, 2, 3]
    assert found[1][1].x[0] == pytest.approx([0.2, 0, 0])
    assert found[2][1].delta[0] == pytest.approx(parts(made)[3].end_delta)


# -- the arm of the report, joints locked, base translating: frequencies by its own equations --------------------------


def frequencies(mechanism, more=None) -> np.ndarray:
    """Return the frequencies, Hz, of a mechanism at rest, from I* and K*; `more` (n, n) inertia is added."""
    at = influences(mechanism)
    free = [e for e, c in enumerate(system(mechanism).compiled.coordinates) if c.driver is None]
    own = np.ix_(free, free)
    I = at.I if more is None else at.I + more
    return np.sqrt(np.abs(eigh(at.K[own], I[own], eigvals_only=True))) / (2 * math.pi)


LAST = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # axes of link 6 of the report in the drawing


def last_link_as_printed(m):
    """Return what the tensor of link 6 that the report prints, which no body has, adds to I*."""
    printed = np.array([[5.71, 0.261, -0.712], [0.261, 0.301, 0.0], [-0.712, 0.0, 8.63]])
    at, i = influences(m), m.joints["joint6"]
    c = np.array(m.centre("link6")) - i.place(m)
    own = matrix(m.inertia("link6")) + m.mass("link6") * (c @ c * np.eye(3) - np.outer(c, c))
    R = begun(m).orientation("link6")[0]
    w = R.T @ at.G[at.frames.index("link6"), :3]
    return w.T @ (LAST @ printed @ LAST.T - own) @ w


def test_the_arm_of_the_report_has_the_frequencies_of_its_own_equations():
    m = models.load("rms_flexible")
    found = frequencies(m)
    assert found[3:7] == pytest.approx([1.7465, 1.7465, 5.4340, 5.4340], abs=1e-4)
    printed = frequencies(m, last_link_as_printed(m))
    assert printed[3:7] == pytest.approx(found[3:7], rel=1e-9)  # bending does not turn link 6
    assert np.abs(printed - 34.99).min() < 0.005
    assert np.abs(printed - 207.9).min() < 0.05
    assert np.abs(found - 88.16).min() < 0.005  # as a rod, which is what the model file has


def test_the_arm_of_the_report_with_its_elbow_bent():
    bent = {"hold3": {"motion": signals.Constant(value=math.pi / 2)}}
    m = models.load("rms_flexible").replaced(drivers=bent)
    found = frequencies(m, last_link_as_printed(m))
    print(found)
    assert found[4:6] == pytest.approx([2.2941, 2.4161], abs=1e-4)
    assert np.abs(found - 14.5).min() < 0.05


ROOTS = np.array([1.8751040687, 4.6940911330, 7.8547574382])  # of cos b cosh b = -1


def cantilever_errors(sublinks, modes) -> np.ndarray:
    """Return the errors of the first three frequencies of the shipped cantilever, as fractions."""
    made = models.load("cantilever").replaced(bodies={"beam": {"sublinks": sublinks, "modes": modes}})
    return frequencies(made)[:3] / (ROOTS**2 * math.sqrt(200.0 / 0.5) / (8.0 * math.pi)) - 1.0


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
