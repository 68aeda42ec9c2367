"""Reading and writing model files: the round trip is the identity, for every model and every kind."""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from particlemech import drivers, forces, joints, models, signals
from particlemech.errors import ModelError
from particlemech.model import families, toml
from particlemech.model.description import Check, Run
from particlemech.model.mechanism import Body, Initial, Mechanism
from particlemech.model.spec import kind_name

WAVE = signals.Sine(amplitude=2.0, frequency=0.5, phase=0.25, offset=-1.0)

COURSE = Path(__file__).parents[1] / "data" / "course.csv"
SIGNALS: dict[str, signals.SignalSpec] = {
    "constant": signals.Constant(value=3.5),
    "linear": signals.Linear(rate=2.0, offset=1e-30),
    "sine": WAVE,
    "cycloid": signals.Cycloid(end=1.0, duration=2.0),
    "step": signals.Step(time=0.5, after=1.0),
    "table": signals.Table(t=(0.0, 0.5, 1.0, 2.0), value=(0.0, 0.1, 0.5, 0.25)),
    "file": signals.File(path=str(COURSE), column="force", extend="hold"),
    "shaped": signals.Shaped(signal=WAVE, delays=(0.0, 0.5), shares=(0.75, 0.25)),
    "expression": signals.Expression(value="0.3*sin(2*t)*exp(-t)"),
    "sum": signals.Sum(parts=(WAVE, signals.Linear(rate=2.0), 0.5)),
    "product": signals.Product(factors=(WAVE, signals.Cycloid(end=1.0, duration=2.0))),
    "scaled": signals.Scaled(signal=WAVE, factor=-2.0, offset=0.1),
    "delayed": signals.Delayed(signal=signals.Cycloid(end=1.0, duration=2.0), delay=0.5),
    "periodic": signals.Periodic(signal=WAVE, period=4.0),
    "pulse": signals.Pulse(value=2.0, start=0.5, width=1.0, rise=0.25),
    "trapezoid": signals.Trapezoid(end=1.0, duration=2.0, ramp=0.5),
    "program": signals.Program(to=(0.5, 0.5, 0.0), times=(1.0, 0.5, 1.0), law=("3-4-5", "harmonic", "modified sine")),
}
JOINTS: dict[str, joints.JointSpec] = {
    "revolute": joints.Revolute(point="B", bodies=("one", "two")),
    "prismatic": joints.Prismatic(bodies=("ground", "two"), point="C", axis=(1.0, 0.5)),
    "slot": joints.Slot(bodies=("one", "two"), point="C", axis=(0.0, 2.0)),
    "weld": joints.Weld(bodies=("one", "two"), point="B"),
    "distance": joints.Distance(bodies=("ground", "two"), points=("A", "C"), length=2.5),
    "coupling": joints.Coupling(joints=("pin", "slide"), coordinates=("angle", "travel"), ratio=-0.25),
    "gear": joints.Gear(bodies=("one", "two"), points=("A", "C"), teeth=(20, 40), module=1.0 / 15.0, carrier="arm"),
    "rack": joints.Rack(bodies=("one", "two"), points=("A", (1.0, 0.25)), axis=(1.0, 0.0), teeth=20, module=0.025),
    "belt": joints.Belt(
        pulleys=("one", "two"), points=("A", "C"), radii=(0.5, 0.25), crossed=("two",), pretension=3.0, carrier="arm"
    ),
    "stop": joints.Stop(joint="pin", lower=-1.0, upper=2.0, restitution=0.5),
    "contact": joints.Contact(bodies=("one", "two"), points=("A", "C"), radii=(0.5, 0.25), restitution=0.5),
    "rolling": joints.Rolling(bodies=("one", "two"), points=("A", "C"), radii=(3.0, 1.0), internal=True),
    "cam": joints.Cam(
        bodies=("one", "two"),
        points=("A", (2.0, 0.75)),
        follower="flat",
        pivot="C",
        face=(1.0, 0.5),
        clockwise=True,
        angles=(2.0, 3.0, 2.0 * math.pi),
        swing=(0.1, 0.1, 0.0),
        law=("3-4-5", "harmonic", "modified sine"),
        closure="force",
        restitution=0.25,
    ),
}
HOLDING: dict[str, joints.JointSpec] = {  # the centres of gears
    "first": joints.Revolute(point="A", bodies=("arm", "one")),
    "second": joints.Revolute(point="C", bodies=("arm", "two")),
    "rides": joints.Revolute(point=(1.0, 0.25), bodies=("ground", "two")),
    "slides": joints.Prismatic(point="A", bodies=("ground", "one"), axis=(-1.0, 0.0)),
}
DRIVERS: dict[str, drivers.DriverSpec] = {
    "rotation": drivers.Rotation(bodies=("ground", "one"), motion=signals.Linear(rate=3.0)),
    "coordinate": drivers.Coordinate(joint="slide", coordinate="travel", motion=signals.Cycloid(end=0.5, duration=1.0)),
    "distance": drivers.Distance(points=("A", "C"), bodies=("one", "two"), motion=signals.Linear(rate=0.1, offset=0.2)),
    "position": drivers.Position(point="C", axis="y", motion=signals.Sine(amplitude=1.0, frequency=1.0), body="two"),
}
FORCES: dict[str, forces.ForceSpec] = {
    "load": forces.Load(body="two", point=(0.5, 0.5), force=(WAVE, 3.0), frame="body"),  # type: ignore[arg-type]
    "torque": forces.Torque(bodies=("one", "two"), torque=SIGNALS["step"]),
    "spring": forces.Spring(bodies=("ground", "two"), points=((0.0, 1.0), (2.0, 0.0)), stiffness=5.0, length=0.5),
    "cylinder": forces.Cylinder(
        bodies=("one", "ground"), points=((0.0, 1.0), "C"), area=2.0, pressure=WAVE, rod_area=0.5, rod_pressure=0.3
    ),
    "torsion": forces.Torsion(bodies=("one", "two"), stiffness=1.0, damping=0.1, angle=-7.0),
    "motor": forces.Motor(joint="slide", coordinate="angle", effort=WAVE),
    "dc_motor": forces.DcMotor(joint="pin", voltage=WAVE, resistance=2.0, constant=0.25, reduction=-4.0),
    "curve_motor": forces.CurveMotor(joint="pin", curve=((0.0, 0.3), (60.0, 0.0)), throttle=WAVE, reduction=4.0),
    "pid": forces.Pid(
        joint="pin", sensor="C.y", setpoint=WAVE, kp=1.0, ki=2.0, filter=0.1, limits=(-1.0, 2.0), period=0.01
    ),
    "custom": forces.Custom(body="one", function=print),
}


def two_bars(**sections: Any) -> Mechanism:
    """Return two rods that share B, with further sections."""
    pin = joints.Revolute(point="B", bodies=("one", "two"))
    slide = joints.Slot(bodies=("ground", "two"), point="C", axis=(1.0, 0.0))
    parts: dict[str, Any] = {
        "points": {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (2.0, 0.0)},
        "bodies": {"one": Body(points=("A", "B"), mass=1.0), "two": Body(points=("B", "C"), mass=2.0)},
        "joints": {"pin": pin, "slide": slide, **sections.pop("joints", {})},
    }
    if "first" in parts["joints"]:
        parts["bodies"]["arm"] = Body(points=("A", "C"), mass=1.0)
    return Mechanism(**parts, **sections)


def assert_round_trip(mechanism: Mechanism) -> None:
    """Assert that text, tables and JSON give the mechanism back."""
    text = toml.dumps(mechanism)
    assert toml.loads(text) == mechanism
    assert toml.dumps(toml.loads(text)) == text
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism
    assert tomllib.loads(text) == toml.to_dict(mechanism)


def test_every_kind_has_an_example_here() -> None:
    assert set(SIGNALS) == set(signals.NAMES)
    assert set(JOINTS) == set(joints.NAMES)
    assert set(DRIVERS) == set(drivers.NAMES)
    assert set(FORCES) == set(forces.NAMES)


@pytest.mark.parametrize("name", models.names())
def test_shipped_models_come_back_unchanged(name: str) -> None:
    assert_round_trip(models.load(name))


@pytest.mark.parametrize("name", models.names())
def test_shipped_models_say_where_they_come_from_and_what_must_come_out(name: str) -> None:
    model = models.load(name)
    assert model.name
    assert len(model.about) > 20
    assert model.check.dof is not None
    assert model.check.energy is not None
    columns = {*model.points, *model.bodies, *(("momentum",) if model.kind == "spatial" else ())}
    assert all(column.partition(".")[0] in columns for column in model.check.end)


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_come_back_unchanged(kind: str) -> None:
    assert_round_trip(two_bars(joints={**HOLDING, "added": JOINTS[kind]}))


@pytest.mark.parametrize("kind", DRIVERS)
def test_drivers_come_back_unchanged(kind: str) -> None:
    assert_round_trip(two_bars(drivers={"motor": DRIVERS[kind]}))


@pytest.mark.parametrize("kind", [kind for kind in FORCES if forces.NAMES[kind].in_file])
def test_forces_come_back_unchanged(kind: str) -> None:
    assert_round_trip(two_bars(forces={"push": FORCES[kind]}))


@pytest.mark.parametrize("kind", SIGNALS)
def test_signals_come_back_unchanged(kind: str) -> None:
    push = forces.Load(body="one", point="A", force=(SIGNALS[kind], 1.0))  # type: ignore[arg-type]
    assert_round_trip(two_bars(forces={"push": push}))


def test_python_functions_are_not_written() -> None:
    with pytest.raises(ModelError, match='force "mine": a custom force is a Python function'):
        toml.dumps(two_bars(forces={"mine": FORCES["custom"]}))


def test_everything_else_comes_back_unchanged() -> None:
    mechanism = two_bars(
        name='Quotes " and \\ and\nlines',
        about="Umlaut \u00e4, tab \t, delete \x7f, separator \u2028, bell \a",
        gravity=(0.0, -9.81),
        initial=Initial(omega={"one": 2.0}, velocity={"C": (1.0, 0.0)}),
        run=Run(duration=0.1, samples=3, rtol=1e-10, cut=("pin",)),
        check=Check(dof=2, energy=1e-9, end={"C.x": 1.0 / 3.0}, tolerance=1e-3),
    )
    assert_round_trip(mechanism)


def test_names_that_need_quotes_come_back_unchanged() -> None:
    points = {"A b": (0.0, 0.0), "\u00e4": (1.0, 0.0)}
    assert_round_trip(Mechanism(points=points, bodies={"b#=[]": Body(points=tuple(points), mass=1.0)}))


def test_defaults_are_left_out() -> None:
    text = toml.dumps(two_bars())
    assert text.startswith("format = 1\n")
    for word in ("kind", "gravity", "inertia", "[run]", "[check]", "[initial]", "[forces"):
        assert word not in text


def test_constant_signals_are_written_as_numbers() -> None:
    push = forces.Torque(bodies=("ground", "one"), torque=2.0)  # type: ignore[arg-type]
    assert "torque = 2.0\n" in toml.dumps(two_bars(forces={"push": push}))


def test_json_files_read_like_toml_files(tmp_path: Path) -> None:
    mechanism = models.load("quick_return")
    path = tmp_path / "quick_return.json"
    path.write_text(json.dumps(toml.to_dict(mechanism)))
    assert toml.load(path) == mechanism


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    text = models.path("four_bar").read_text()
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert toml.load(path) == models.load("four_bar")


def test_bodies_pinned_to_ground_in_one_place_by_two_joints_are_joined_there() -> None:
    pins = {f"pin {b}": joints.Revolute(point="A", bodies=("ground", b)) for b in ("one", "two")}
    points = {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (0.0, 1.0)}
    bodies = {"one": Body(points=("A", "B"), mass=1.0), "two": Body(points=("A", "C"), mass=1.0)}
    assert_round_trip(Mechanism(points=points, bodies=bodies, joints=pins))


@pytest.mark.parametrize("kinds", [joints, drivers, forces, signals], ids=lambda module: module.__name__)
def test_every_key_of_every_kind_is_explained(kinds: Any) -> None:
    for kind in kinds.KINDS:
        assert kinds.NAMES[kind_name(kind)] is kind
        assert all(field.metadata["about"] for field in dataclasses.fields(kind))


# -- shipped models and builders --


def test_shipped_chain_is_what_the_builder_makes() -> None:
    assert models.load("chain") == models.chain(4)


def test_shipped_n_four_bar_is_what_the_builder_makes() -> None:
    assert models.load("n_four_bar") == models.n_four_bar(2)


def test_shipped_hanging_chain_is_what_the_builder_makes_pulled_aside_and_pushed() -> None:
    shipped, built = models.load("hanging_chain"), models.hanging_chain(20)
    assert (shipped.points, shipped.bodies, shipped.joints) == (built.points, built.bodies, built.joints)
    assert shipped.replaced(about=built.about, initial=built.initial, check=built.check) == built


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_builders_make_mechanisms_of_any_size(n: int) -> None:
    hanging, row = models.chain(n, length=3.0, mass=2.0), models.n_four_bar(n)
    assert len(hanging.bodies) == n
    assert sum(body.mass for body in hanging.bodies.values()) == pytest.approx(2.0)
    assert hanging.points[f"P{n}"] == (3.0, 0.0)
    assert len(row.bodies) == 2 * n + 1
    assert_round_trip(hanging)
    assert_round_trip(row)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", True, None])
def test_builders_refuse_what_is_no_count(n: Any) -> None:
    for builder in (models.chain, models.hanging_chain, models.n_four_bar):
        with pytest.raises(ModelError, match="whole number"):
            builder(n)


def test_unknown_models_suggest_the_nearest() -> None:
    with pytest.raises(ModelError, match=r'model "four_bra" unknown \(did you mean "four_bar"\?\)'):
        models.load("four_bra")


@pytest.mark.parametrize("name", ["", "../models/four_bar", "four_bar.toml", "/etc/passwd"])
def test_only_bare_names_find_a_model(name: str) -> None:
    with pytest.raises(ModelError, match="unknown"):
        models.path(name)


# -- random mechanisms --

NUMBER = st.floats(-1e6, 1e6)
NAME = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=6).filter(
    lambda name: not set(name) & set(".,\"'")
)


@st.composite
def loose_bodies(draw: st.DrawFn) -> Mechanism:
    """Return bodies without joints, of any names and numbers."""
    names = draw(st.lists(NAME, min_size=2, max_size=6, unique=True).filter(lambda names: "ground" not in names))
    half = len(names) // 2
    points = {name: (draw(NUMBER), draw(NUMBER)) for name in names[:half]}
    bodies = {
        body: Body(
            points=(point,),
            mass=draw(st.floats(1e-6, 1e6)),
            com=(draw(NUMBER), draw(NUMBER)),
            inertia=draw(st.floats(0.0, 1e6)),
        )
        for body, point in zip(names[half:], points, strict=False)
    }
    turn = {next(iter(bodies)): draw(NUMBER)}
    about = draw(st.text(st.characters(exclude_categories=("Cs",)), max_size=20))
    return Mechanism(about=about, points=points, bodies=bodies, initial=Initial(omega=turn))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(loose_bodies())
def test_random_mechanisms_come_back_unchanged(mechanism: Mechanism) -> None:
    assert_round_trip(mechanism)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(["points", "bodies", "joints", "drivers", "forces", "initial", "run", "check", "name", "gravity"]),
)
def test_random_sections_are_refused_with_a_model_error_or_read(value: Any, section: str) -> None:
    tables = {**toml.to_dict(models.load("four_bar")), section: value}
    try:
        mechanism = toml.from_dict(tables)
    except ModelError as error:
        assert str(error).isprintable()
    else:
        assert mechanism.bodies


# -- words of space in the plane -----------------------------------------------------------------------------------


def keys_of(spec: Any) -> set[str]:
    return {f.name for f in dataclasses.fields(spec)}


SPACE = families.family_of("spatial")
SECTIONS = {name: part for name, part in Mechanism.sections.items() if name in SPACE.sections}
KINDS_OF_SPACE = [
    (name, kind) for name, part in SECTIONS.items() for kind in SPACE.sections[name].kinds.keys() - part.kinds
]
KEYS_OF_SPACE = [
    (name, kind, word)
    for name, part in SECTIONS.items()
    for kind in sorted(part.kinds.keys() & SPACE.sections[name].kinds)
    if kind != "custom"  # no file holds a Python function, whatever its keys
    for word in sorted(keys_of(SPACE.sections[name].kinds[kind]) - keys_of(part.kinds[kind]))
]


def refused(**tables: Any) -> str:
    with pytest.raises(ModelError) as caught:
        toml.from_dict({"points": {"O": [0, 0]}, "bodies": {}} | tables)
    return str(caught.value)


@pytest.mark.parametrize(("section", "kind"), sorted(KINDS_OF_SPACE))
def test_a_kind_of_space_in_the_plane_is_said_to_be_one(section, kind):
    said = f'type "{kind}" is for mechanisms in space; say kind = "spatial", or take one of the plane'
    assert refused(**{section: {"A": {"type": kind}}}) == f'{section[:-1]} "A": {said}'


@pytest.mark.parametrize("kind", ["gear", "rack", "belt", "rolling"])
def test_gears_belts_and_what_rolls_in_space_are_said_to_be_of_the_plane_with_what_to_take(kind):
    with pytest.raises(ModelError) as caught:
        toml.from_dict({"kind": "spatial", "points": {}, "bodies": {}, "joints": {"A": {"type": kind}}})
    cure = 'in space take a "coupling" of the joints of both: it holds their ratio, but no forces where they touch'
    assert str(caught.value) == f'joint "A": type "{kind}" is for mechanisms in the plane; {cure}'


@pytest.mark.parametrize(("section", "kind", "word"), KEYS_OF_SPACE)
def test_a_key_of_space_in_the_plane_is_said_to_be_one(section, kind, word):
    said = f'key "{word}" is for mechanisms in space; say kind = "spatial", or leave it out'
    assert refused(**{section: {"A": {"type": kind, word: 1.0}}}) == f'{section[:-1]} "A": {said}'


def test_keys_of_bending_bodies_in_the_plane_are_said_to_be_of_space():
    said = 'is for mechanisms in space; say kind = "spatial", or leave it out'
    assert refused(bodies={"arm": {"points": ["O"], "EI": 2.0}}) == f'body "arm": key "EI" {said}'
    assert refused(bending={"geometry": "linear"}) == f'key "bending" {said}'
    assert refused(initial={"modes": {"arm": [0.1]}}) == f'section "initial": key "modes" {said}'


def test_what_space_does_not_know_either_is_unknown_in_the_plane():
    assert 'type "sperical" unknown' in refused(joints={"A": {"type": "sperical"}})
    assert 'key "axes" unknown' in refused(joints={"A": {"type": "revolute", "axes": [0, 0, 1]}})


def test_words_of_the_plane_are_no_others_in_space():
    assert "spatial" not in refused(kind="spatial", points={}, joints={"A": {"type": "sperical"}})
