"""Mechanisms in space in files and in Python: the round trip is the identity for every kind, defaults, lookups."""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

from particlemech import drivers as planar_drivers
from particlemech import signals
from particlemech.errors import ModelError
from particlemech.model import space, toml
from particlemech.model.description import Check, Run
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.model.space.mechanism import extent
from particlemech.model.space.parts import Impulse
from particlemech.model.spec import kind_name
from tests.support.broken_spatial import GOOD

WAVE = signals.Sine(amplitude=2.0, frequency=0.5)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
PAIR = ("one", "two")

JOINTS = {
    "revolute": joints.Revolute(bodies=PAIR, point="P", axis=(0.0, 3.0, 4.0)),
    "prismatic": joints.Prismatic(bodies=PAIR, point=(0.5, 0.0, 0.0), axis=Z),
    "cylindrical": joints.Cylindrical(bodies=PAIR, point="P", axis=X),
    "spherical": joints.Spherical(bodies=PAIR, point="P"),
    "universal": joints.Universal(bodies=PAIR, point="P", axes=(X, (3.0, 4.0, 0.0))),
    "screw": joints.Screw(bodies=PAIR, point="P", axis=Y, pitch=-0.01),
    "slot": joints.Slot(bodies=PAIR, point="P", axis=Y, limits=(-1.0, 2.0)),
    "free": joints.Free(bodies=PAIR, point="P", limits={"x": (-1.0, 2.0)}),
    "weld": joints.Weld(bodies=PAIR),
    "distance": joints.Distance(bodies=PAIR, points=(Z, "P"), length=2.0),
    "coupling": joints.Coupling(joints=("sleeve", "slide"), coordinates=("angle", "travel"), ratio=-0.3),
    "stop": joints.Stop(joint="sleeve", coordinate="travel", lower=-0.1, upper=0.4, restitution=0.5),
}
FREEDOMS = {
    "revolute": 1, "prismatic": 1, "cylindrical": 2, "spherical": 3, "universal": 2, "screw": 1, "slot": 4,
    "free": 6, "weld": 0, "distance": 5, "coupling": 5,
    "stop": 6,
}  # fmt: skip
DRIVERS = {
    "rotation": drivers.Coordinate(joint="sleeve", coordinate="angle", motion=signals.Linear(rate=3.0)),
    "translation": drivers.Coordinate(
        joint="sleeve", coordinate="travel", motion=signals.Cycloid(end=0.5, duration=1.0)
    ),
    "distance": drivers.Distance(points=("P", Z), bodies=("two", "ground"), motion=WAVE),
    "position": drivers.Position(point="P", axis="z", motion=WAVE, body="two"),
}
FORCES = {
    "load": forces.Load(body="two", point="P", force=(WAVE, 3.0, 0.0), frame="body"),
    "torque": forces.Torque(bodies=("ground", "two"), torque=(0.0, WAVE, 1.0), frame="body"),
    "spring": forces.Spring(bodies=("ground", "two"), points=(Y, "P"), stiffness=5.0, damping=1.0, length=0.5),
    "cylinder": forces.Cylinder(
        bodies=("ground", "two"), points=(Y, "P"), area=2.0, pressure=WAVE, rod_area=0.5, rod_pressure=0.3
    ),
    "torsion": forces.Torsion(joint="sleeve", coordinate="angle", stiffness=1.0, damping=0.1, angle=-7.0),
    "motor": forces.Motor(joint="sleeve", coordinate="angle", effort=WAVE),
    "dc_motor": forces.DcMotor(joint="sleeve", coordinate="angle", voltage=WAVE, resistance=2.0, constant=0.1),
    "curve_motor": forces.CurveMotor(joint="sleeve", coordinate="travel", curve=((0.0, 0.3), (60.0, 0.0))),
    "pid": forces.Pid(joint="sleeve", coordinate="angle", sensor="P.z", setpoint=WAVE, kp=1.0, period=0.01),
}


def pair(second=JOINTS["spherical"], **sections) -> Mechanism:
    """Return a body in a sleeve, and one joined to it in any way."""
    body = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    sleeve = joints.Cylindrical(bodies=("ground", "one"), point=(0.0, 0.0, 0.0), axis=X)
    parts = {
        "points": {"P": (1.0, 0.0, 0.0)},
        "bodies": {"one": body, "two": dataclasses.replace(body, points=("P",))},
        "joints": {"sleeve": sleeve, "second": second},
    }
    return Mechanism(**parts, **sections)


def assert_round_trip(mechanism: Mechanism) -> None:
    """Assert that text and tables give the mechanism back."""
    text = toml.dumps(mechanism)
    assert toml.loads(text) == mechanism
    assert toml.dumps(toml.loads(text)) == text
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism
    assert tomllib.loads(text) == toml.to_dict(mechanism)


# -- round trip ------------------------------------------------------------------------------------------------------


def test_every_kind_has_an_example_here():
    assert set(JOINTS) == set(joints.NAMES) == set(FREEDOMS)
    assert {type(driver) for driver in DRIVERS.values()} == set(drivers.KINDS)
    assert {type(force) for force in FORCES.values()} == set(forces.KINDS) - {forces.Custom, forces.Distributed}


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_come_back_unchanged(kind):
    slide = joints.Prismatic(bodies=("ground", "two"), point="P", axis=Y)
    assert_round_trip(pair().replaced(joints={"slide": slide, "second": JOINTS[kind]}))


@pytest.mark.parametrize("kind", DRIVERS)
def test_drivers_come_back_unchanged(kind):
    assert_round_trip(pair(drivers={"it": DRIVERS[kind]}))


@pytest.mark.parametrize("kind", FORCES)
def test_forces_come_back_unchanged(kind):
    assert_round_trip(pair(forces={"it": FORCES[kind]}))


def test_a_file_with_every_section_comes_back_unchanged():
    assert_round_trip(toml.loads(GOOD))


def test_everything_else_comes_back_unchanged():
    assert_round_trip(
        pair(
            name='Quotes " and \\ and\nlines',
            about="Umlaut \u00e4",
            units="g-cm",
            gravity=(0.0, 0.0, -981.0),
            initial=Initial(
                position={"second": (0.1, 0.2, 0.3), "sleeve": {"angle": 0.4}},
                rate={"sleeve": (0.1, 0.2)},
                omega={"one": Z},
                velocity={"P": X},
            ),
            impulses={"hit": Impulse(time=0.1, body="two", point="P", impulse=X, moment=Y, frame="body")},
            run=Run(duration=0.1, samples=3),
            check=Check(dof=3, energy=1e-9, end={"P.z": 1.0 / 3.0}),
        )
    )


def test_json_files_read_like_toml_files(tmp_path: Path):
    mechanism = toml.loads(GOOD)
    path = tmp_path / "space.json"
    path.write_text(json.dumps(toml.to_dict(mechanism)))
    assert toml.load(path) == mechanism


def test_defaults_are_left_out_but_for_the_kind():
    text = toml.dumps(pair())
    assert text.startswith('format = 1\nkind = "spatial"\n')
    for word in ("units", "gravity", "[run]", "[initial]", "[forces", "[drivers"):
        assert word not in text


def test_a_changed_copy_is_a_mechanism_in_space():
    heavy = pair().replaced(bodies={"one": {"mass": 3.0}}, units="kg-mm")
    assert isinstance(heavy, Mechanism)
    assert heavy.bodies["one"].mass == 3.0
    assert heavy.unit.length == "mm"


def test_a_mechanism_in_space_can_be_hashed_and_compared():
    assert hash(pair()) == hash(pair())
    assert pair() != pair(gravity=Z)


@pytest.mark.parametrize("kinds", [joints, drivers, forces], ids=["joints", "drivers", "forces"])
def test_every_key_of_every_kind_is_explained(kinds):
    for kind in kinds.KINDS:
        assert kinds.NAMES[kind_name(kind)] is kind
        assert all(field.metadata["about"] for field in dataclasses.fields(kind))


def test_the_window_shows_all_its_names_and_no_other():
    assert {"Body", "Initial", "Mechanism", "drivers", "forces", "joints"} <= set(space.__all__) <= set(dir(space))
    with pytest.raises(AttributeError, match=r"module 'particlemech.model.space' has no attribute 'Bodi'"):
        _ = space.Bodi


def test_parts_of_another_family_are_refused():
    turn = planar_drivers.Rotation(bodies=("ground", "one"), motion=signals.Linear(rate=1.0))
    with pytest.raises(ModelError, match='key "drivers": "turn": expected one of its kinds'):
        pair(drivers={"turn": turn})


# -- joints ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_leave_the_freedoms_that_are_documented(kind):
    assert JOINTS[kind].dof == FREEDOMS[kind]


@pytest.mark.parametrize("kind", JOINTS)
def test_no_joint_has_more_coordinates_than_freedoms(kind):
    assert len(JOINTS[kind].coordinate_names) <= JOINTS[kind].dof


def test_axes_are_kept_as_written_and_offered_as_unit_vectors():
    assert JOINTS["revolute"].axis == (0.0, 3.0, 4.0)
    assert JOINTS["revolute"].direction == (0.0, 0.6, 0.8)
    assert JOINTS["universal"].directions == (X, (0.6, 0.8, 0.0))
    tiny = joints.Screw(bodies=PAIR, point="P", axis=(3e-200, 0.0, 4e-200), pitch=1.0)
    assert tiny.direction == pytest.approx((0.6, 0.0, 0.8), rel=1e-15)


def test_joints_are_where_they_are_drawn_and_a_bare_weld_is_at_the_centre_of_its_second_body():
    mechanism = pair()
    assert JOINTS["revolute"].place(mechanism) == X
    assert JOINTS["prismatic"].place(mechanism) == (0.5, 0.0, 0.0)
    assert JOINTS["distance"].place(mechanism) == X
    off = mechanism.replaced(bodies={"two": {"com": Y}})
    assert JOINTS["weld"].place(off) == Y
    assert joints.Weld(bodies=("two", "ground")).place(off) == Y


def test_a_rod_is_as_long_as_it_is_drawn_unless_told():
    mechanism = pair()
    assert JOINTS["distance"].rod(mechanism) == 2.0
    assert joints.Distance(bodies=PAIR, points=(Z, "P")).rod(mechanism) == pytest.approx(math.sqrt(2.0), rel=1e-15)


@pytest.mark.parametrize(
    ("joint", "coordinate", "found"),
    [("sleeve", "angle", "angle"), ("sleeve", "travel", "travel"), ("second", None, "travel")],
)
def test_a_coordinate_may_be_left_out_where_there_is_one(joint, coordinate, found):
    assert pair(JOINTS["prismatic"]).coordinate(joint, coordinate) == found


def test_both_freedoms_of_a_sleeve_can_be_driven_and_so_can_a_screw():
    both = {name: DRIVERS[name] for name in ("rotation", "translation")}
    screwed = drivers.Coordinate(joint="second", coordinate="angle", motion=signals.Linear(rate=1.0))
    assert len(pair(JOINTS["screw"], drivers={**both, "screwed": screwed}).drivers) == 3


# -- shared points ---------------------------------------------------------------------------------------------------


def sharing(joint, *more) -> Mechanism:
    """Return two bodies that both list P and maybe other points, joined somehow."""
    listed = {b: {"points": ("P", *more)} for b in PAIR}
    return pair().replaced(points={"Q": (3.0, 0.0, 0.0)}, bodies=listed, joints={"second": joint})


@pytest.mark.parametrize("kind", ["revolute", "spherical", "universal", "weld"])
def test_joints_that_keep_a_point_common_let_both_bodies_list_it(kind):
    assert sharing(JOINTS[kind]).carriers["P"] == PAIR


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical", "screw", "slot", "distance"])
def test_joints_that_do_not_keep_it_common_do_not(kind):
    with pytest.raises(ModelError, match='point "P": bodies "one" and "two" both list it, but no joint keeps it'):
        sharing(JOINTS[kind])


def test_a_joint_at_three_numbers_keeps_the_point_that_is_there():
    assert sharing(joints.Spherical(bodies=PAIR, point=X)).carrier("P") == "one"


def test_a_revolute_keeps_all_points_of_its_axis_and_no_other():
    assert sharing(joints.Revolute(bodies=PAIR, point="P", axis=X), "Q").carriers["Q"] == PAIR
    with pytest.raises(ModelError, match='point "Q"'):
        sharing(joints.Revolute(bodies=PAIR, point="P", axis=(1.0, 1e-6, 0.0)), "Q")


def test_two_bodies_pinned_to_ground_at_one_point_share_it():
    pins = {f"{b} pin": joints.Spherical(bodies=("ground", b), point="P") for b in PAIR}
    bodies = {b: Body(points=("P",), mass=1.0, com=X, inertia=(1.0, 1.0, 1.0)) for b in PAIR}
    assert Mechanism(points={"P": X}, bodies=bodies, joints=pins).carriers["P"] == PAIR
    with pytest.raises(ModelError, match='point "P": bodies "one" and "two"'):
        Mechanism(points={"P": X}, bodies=bodies, joints={"one pin": pins["one pin"]})


# -- bodies ----------------------------------------------------------------------------------------------------------


def test_two_points_make_a_uniform_slender_rod():
    rod = Body(points=("P", "Q"), mass=2.0)
    mechanism = Mechanism(points={"P": (1.0, 1.0, 0.0), "Q": (4.0, 5.0, 0.0)}, bodies={"rod": rod})
    xx, yy, zz, xy, xz, yz = mechanism.inertia("rod")
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    along, across = np.array([0.6, 0.8, 0.0]), 2.0 * 25.0 / 12.0
    assert mechanism.centre("rod") == (2.5, 3.0, 0.0)
    assert tensor == pytest.approx(across * (np.eye(3) - np.outer(along, along)), abs=1e-14)


def test_more_points_have_their_centre_of_mass_in_the_middle():
    points = {"P": (0.0, 0.0, 0.0), "Q": (3.0, 0.0, 0.0), "R": (0.0, 6.0, 9.0)}
    plate = Body(points=tuple(points), mass=1.0, inertia=(1.0, 1.0, 2.0))
    mechanism = Mechanism(points=points, bodies={"plate": plate})
    assert mechanism.centre("plate") == (1.0, 2.0, 3.0)
    assert mechanism.inertia("plate") == (1.0, 1.0, 2.0, 0.0, 0.0, 0.0)


def test_what_is_given_is_taken():
    rows = [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]
    mechanism = pair().replaced(bodies={"two": {"com": Y, "inertia": rows}})
    assert mechanism.centre("two") == Y
    assert mechanism.inertia("two") == (3.0, 4.0, 5.0, 0.1, 0.2, 0.3)


def test_a_body_on_no_joint_floats():
    body = Body(mass=1.0, com=X, inertia=(1.0, 1.0, 1.0))
    assert Mechanism(bodies={"b": body}).joints == {}


# -- places ----------------------------------------------------------------------------------------------------------


def test_places_are_named_or_given_or_the_centre_of_mass():
    mechanism = pair()
    assert mechanism.place("P", "two") == X
    assert mechanism.place(Z, "two") == Z
    assert mechanism.place(None, "two") == (0.0, 0.0, 0.0)
    with pytest.raises(ModelError, match='point "P" is not on body "one"; add it'):
        mechanism.place_on("P", "one")
    assert mechanism.place_on("P", "ground") == X


def test_points_in_no_body_are_fixed_to_ground():
    mechanism = pair().replaced(points={"free": Z})
    assert mechanism.carrier("free") == "ground"
    assert mechanism.carrier("P") == "two"


def test_the_extent_is_the_centroid_and_rms_distance_of_all_places_each_counted_once():
    mechanism = Mechanism(
        points={"P": (2.0, 0.0, 0.0), "Q": (-2.0, 0.0, 0.0)},
        bodies={"b": Body(mass=1.0, com=(0.0, 1.0, 0.0), inertia=(1.0, 1.0, 1.0), points=("P",))},
        joints={
            "j": joints.Spherical(bodies=("ground", "b"), point="P"),
            "k": joints.Spherical(bodies=("ground", "b"), point=(0.0, -1.0, 0.0)),
        },
    )
    assert extent(mechanism) == ((0.0, 0.0, 0.0), pytest.approx(math.sqrt(10.0 / 4.0)))


def test_where_all_places_coincide_the_length_is_one():
    body = Body(mass=1.0, com=X, inertia=(1.0, 1.0, 1.0))
    assert extent(Mechanism(bodies={"b": body})) == (X, 1.0)
