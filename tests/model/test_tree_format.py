"""Trees in files and in Python: the round trip is the identity for every kind, defaults, units, lookups."""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

from particlemech import signals
from particlemech.errors import ModelError
from particlemech.model import inertia as tensors
from particlemech.model import toml
from particlemech.model.description import Check, Run
from particlemech.model.space import Body, Impulse, Initial, Mechanism, forces, joints
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.engines import branches
from particlemech.model.spec import FrozenMapping, kind_name
from particlemech.model.units import SYSTEMS
from tests.support.broken_trees import GOOD

WAVE = signals.Sine(amplitude=2.0, frequency=0.5)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

JOINTS = {
    "revolute": joints.Revolute(bodies=("one", "two"), point="P", axis=(0.0, 3.0, 4.0)),
    "prismatic": joints.Prismatic(bodies=("one", "two"), point=(0.5, 0.0, 0.0), axis=Z),
    "cylindrical": joints.Cylindrical(bodies=("two", "one"), point="P", axis=Z, limits={"travel": (-1.0, 2.0)}),
    "universal": joints.Universal(bodies=("one", "two"), point="P", axes=(X, (1.0, 1.0, 0.0))),
    "spherical": joints.Spherical(bodies=("one", "two"), point="P", coordinates="angles"),
    "screw": joints.Screw(bodies=("one", "two"), point="P", axis=Z, pitch=-0.1),
    "slot": joints.Slot(bodies=("one", "two"), point="P", axis=Y, limits=(-0.5, 0.5)),
    "free": joints.Free(bodies=("one", "two"), point="P"),
    "weld": joints.Weld(bodies=("one", "two"), point="P"),
}
FORCES = {
    "load": forces.Load(body="two", point="P", force=(WAVE, 3.0, 0.0), frame="body"),
    "torque": forces.Torque(bodies=("ground", "two"), torque=(0.0, WAVE, 1.0)),
    "spring": forces.Spring(bodies=("ground", "two"), points=((0.0, 1.0, 0.0), "P"), stiffness=5.0, length=0.5),
    "cylinder": forces.Cylinder(
        bodies=("ground", "two"), points=((0.0, 1.0, 0.0), "P"), area=2.0, pressure=WAVE, rod_area=0.5, rod_pressure=0.3
    ),
    "torsion": forces.Torsion(joint="second", coordinate="angle2", stiffness=1.0, damping=0.1, angle=-7.0),
    "motor": forces.Motor(joint="second", moment=(0.0, 0.0, WAVE)),
    "dc_motor": forces.DcMotor(joint="first", voltage=WAVE, resistance=2.0, constant=0.1, inductance=0.01),
    "curve_motor": forces.CurveMotor(joint="first", curve=((0.0, 0.3), (60.0, 0.0)), throttle=-0.5),
    "pid": forces.Pid(joint="first", sensor="P.x", setpoint=WAVE, kd=1.0, filter=0.1),
}


def chain(second=JOINTS["spherical"], **sections) -> Mechanism:
    """Return two bodies, the second on a joint of any kind."""
    body = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    first = joints.Revolute(bodies=("ground", "one"), point=(0.0, 0.0, 0.0), axis=X)
    parts = {
        "points": {"P": (1.0, 0.0, 0.0)},
        "bodies": {"one": body, "two": dataclasses.replace(body, points=("P",))},
        "joints": {"first": first, "second": second},
    }
    return Mechanism(**parts, **sections)


def assert_round_trip(mechanism: Mechanism) -> None:
    """Assert that text and tables give the tree back."""
    text = toml.dumps(mechanism)
    assert toml.loads(text) == mechanism
    assert toml.dumps(toml.loads(text)) == text
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism
    assert tomllib.loads(text) == toml.to_dict(mechanism)


# -- round trip ------------------------------------------------------------------------------------------------------


def test_every_kind_has_an_example_here():
    in_trees = {name for name, kind in joints.NAMES.items() if kind.stages is not joints.JointSpec.stages}
    assert set(JOINTS) == in_trees
    assert set(FORCES) | {"distributed", "custom"} == set(forces.NAMES)


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_come_back_unchanged(kind):
    assert_round_trip(chain(JOINTS[kind]))


@pytest.mark.parametrize("kind", FORCES)
def test_forces_come_back_unchanged(kind):
    assert_round_trip(chain(forces={"it": FORCES[kind]}))


def test_a_file_with_every_section_comes_back_unchanged():
    assert_round_trip(toml.loads(GOOD))


def test_everything_else_comes_back_unchanged():
    assert_round_trip(
        chain(
            name='Quotes " and \\ and\nlines',
            about="Umlaut \u00e4",
            units="g-cm",
            gravity=(0.0, 0.0, -981.0),
            drivers={"d": Coordinate(joint="second", coordinate="angle3", motion=signals.Linear(rate=2.0, offset=1.0))},
            impulses={"hit": Impulse(time=0.5, body="two", impulse=X, moment=Y, frame="body")},
            initial=Initial(position={"first": 0.5}, rate={"first": (1.0,)}),
            run=Run(duration=0.1, samples=3, integrator="explicit"),
            check=Check(dof=3, energy=1e-9, end={"P.z": 1.0 / 3.0}),
        )
    )


def test_json_files_read_like_toml_files(tmp_path: Path):
    mechanism = toml.loads(GOOD)
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(toml.to_dict(mechanism)))
    assert toml.load(path) == mechanism


def test_defaults_are_left_out_but_for_the_kind():
    text = toml.dumps(chain())
    assert text.startswith('format = 1\nkind = "spatial"\n')
    for word in ("units", "gravity", "[run]", "[initial]", "[forces", "[impulses"):
        assert word not in text


def test_a_changed_copy_is_a_tree():
    heavy = chain().replaced(bodies={"one": {"mass": 3.0}}, units="kg-mm")
    assert isinstance(heavy, Mechanism)
    assert heavy.bodies["one"].mass == 3.0
    assert heavy.unit.length == "mm"


def test_a_tree_can_be_hashed_and_compared():
    assert hash(chain()) == hash(chain())
    assert chain() != chain(gravity=Z)


@pytest.mark.parametrize("kinds", [joints, forces], ids=["joints", "forces"])
def test_every_key_of_every_kind_is_explained(kinds):
    for kind in kinds.KINDS:
        assert kinds.NAMES[kind_name(kind)] is kind
        assert all(field.metadata["about"] for field in dataclasses.fields(kind))


# -- inertia ---------------------------------------------------------------------------------------------------------


def test_inertia_is_given_as_three_numbers_six_or_rows():
    rows = [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]
    six = (3.0, 4.0, 5.0, 0.1, 0.2, 0.3)
    for inertia in (rows, np.array(rows), six):
        assert tensors.tensor(Body(mass=1.0, com=X, inertia=inertia).inertia) == six
    assert tensors.tensor(Body(mass=1.0, com=X, inertia=[3, 4, 5]).inertia) == (3.0, 4.0, 5.0, 0.0, 0.0, 0.0)


def test_principal_moments_do_not_depend_on_the_axes():
    c, s = math.cos(0.7), math.sin(0.7)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    tensor = turn @ np.diag([2.0, 4.0, 5.0]) @ turn.T
    body = Body(mass=1.0, com=X, inertia=(tensor + tensor.T) / 2.0)
    assert tensors.principal(tensors.tensor(body.inertia)) == pytest.approx((2.0, 4.0, 5.0), rel=1e-14)


@pytest.mark.parametrize("inertia", [(54.0, 54.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 2.0), (1.0, 1.0, 2.0 + 1e-10)])
def test_rods_points_and_discs_are_bodies(inertia):
    assert Body(mass=1.0, com=X, inertia=inertia).inertia == inertia


def test_a_frame_has_neither_mass_nor_inertia():
    assert tensors.principal(tensors.tensor(Body(mass=0.0, com=X, inertia=(0.0, 0.0, 0.0)).inertia)) == (0.0, 0.0, 0.0)


# -- stages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "coordinates"),
    [
        ("revolute", "angle"),
        ("prismatic", "travel"),
        ("universal", "angle1 angle2"),
        ("spherical", "angle1 angle2 angle3"),
        ("free", "x y z angle1 angle2 angle3"),
        ("weld", ""),
    ],
)
def test_coordinates_are_named_as_documented(kind, coordinates):
    assert JOINTS[kind].coordinate_names == tuple(coordinates.split())
    assert JOINTS[kind].dof == len(coordinates.split())


@pytest.mark.parametrize("kind", JOINTS)
def test_stages_have_unit_axes_and_translations_come_first(kind):
    stages = JOINTS[kind].stages
    assert all(math.hypot(*stage.axis) == pytest.approx(1.0, abs=1e-15) for stage in stages)
    assert [stage.turn for stage in stages] == sorted(stage.turn for stage in stages)
    if JOINTS[kind].spherical:
        assert [stage.axis for stage in stages[-3:]] == [X, Y, Z]


def test_a_direction_is_kept_as_written_and_may_be_of_any_size():
    assert JOINTS["revolute"].axis == (0.0, 3.0, 4.0)
    assert JOINTS["revolute"].stages[0].axis == (0.0, 0.6, 0.8)
    tiny = joints.Revolute(bodies=("one", "two"), point="P", axis=(3e-200, 0.0, 4e-200))
    assert tiny.stages[0].axis == pytest.approx((0.6, 0.0, 0.8), rel=1e-15)


def test_a_quaternion_is_integrated_unless_angles_are_asked_for():
    assert [JOINTS[kind].quaternion for kind in ("revolute", "spherical", "free")] == [False, False, True]


# -- units -----------------------------------------------------------------------------------------------------------


def test_units_are_si_unless_named():
    assert chain().unit is SYSTEMS["SI"]
    assert chain().unit.force == "N"


@pytest.mark.parametrize(
    ("name", "newtons", "joules"),
    [
        ("SI", 1.0, 1.0),
        ("kg-mm", 1e-3, 1e-6),
        ("g-cm", 1e-5, 1e-7),
        ("slug-foot", 4.4482216152605, 1.3558179483314),
        ("slug-inch", 4.4482216152605 / 12.0, 1.3558179483314 / 144.0),
        ("lb-inch", 0.45359237 * 0.0254, 0.45359237 * 0.0254**2),
    ],
)
def test_units_of_force_and_energy_in_si(name, newtons, joules):
    units = SYSTEMS[name]
    assert units.newtons == pytest.approx(newtons, rel=1e-13)
    assert units.joules == pytest.approx(joules, rel=1e-13)
    assert all((units.length, units.mass, units.time, units.force, units.moment, units.energy))


def test_every_system_of_units_is_tested_above():
    (mark,) = test_units_of_force_and_energy_in_si.pytestmark
    assert {case[0] for case in mark.args[1]} == set(SYSTEMS)


# -- lookups and starts ----------------------------------------------------------------------------------------------


def test_places_are_names_numbers_or_the_centre_of_mass():
    mechanism = chain()
    assert mechanism.place("P", "two") == X
    assert mechanism.place((1.0, 2.0, 3.0), "two") == (1.0, 2.0, 3.0)
    assert mechanism.place(None, "two") == (0.0, 0.0, 0.0)
    assert mechanism.carrier("P") == "two"
    assert {b: branch.joint for b, branch in branches(mechanism).items()} == {"one": "first", "two": "second"}


def test_coordinates_start_from_zero_unless_said_or_driven():
    mechanism = chain(
        initial=Initial(position={"first": 0.5}, rate={"second": [1.0, 2.0, -3.0]}),
        drivers={"d": Coordinate(joint="second", coordinate="angle3", motion=signals.Linear(rate=-3.0, offset=0.25))},
    )
    assert mechanism.driven == {("second", "angle3"): "d"}
    assert (mechanism.position("first"), mechanism.rate("first")) == ({"angle": 0.5}, {})
    assert mechanism.position("second") == {"angle3": 0.25}
    assert mechanism.rate("second") == {"angle1": 1.0, "angle2": 2.0, "angle3": -3.0}


def test_any_subset_of_the_angles_of_a_ball_may_be_driven():
    names = ("angle1", "angle2", "angle3")
    for n in (1, 2, 3):
        drivers = {f"d{name}": Coordinate(joint="second", coordinate=name, motion=0.0) for name in names[:n]}
        assert len(chain(drivers=drivers).driven) == n


def test_angular_velocity_stands_beside_the_translations_of_a_free_joint():
    initial = Initial(rate={"second": (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)}, omega={"two": Z})
    assert chain(JOINTS["free"], initial=initial).initial.omega == FrozenMapping({"two": Z})


def test_a_point_may_share_the_name_of_a_joint_that_has_no_place_of_its_own():
    mechanism = chain()
    named = mechanism.replaced(joints={"second": None, "P": JOINTS["spherical"]})
    assert_round_trip(named)
    with pytest.raises(ModelError, match='joint "P": a point has the same name'):
        mechanism.replaced(joints={"second": None, "P": JOINTS["free"]})


def test_long_chains_are_checked_in_reasonable_time():
    n = 3000
    body = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    # children before parents, the hardest order
    names = [f"b{k}" for k in range(n)]
    links = zip(["ground", *names], names, strict=False)
    pins = {f"j{b}": joints.Revolute(bodies=(a, b), point=(0.0, 0.0, 0.0), axis=X) for a, b in links}
    mechanism = Mechanism(bodies={name: body for name in reversed(names)}, joints=pins)
    assert len(branches(mechanism)) == n
