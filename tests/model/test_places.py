"""Places by name or by numbers, one word for each thing, and old words that name their successors."""

import dataclasses
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, ModelError, drivers, forces, joints
from particlemech.model import old_words, toml
from particlemech.run.preparing import prepared

FOUR_BAR = pm.models.load("four_bar")
FORMULATIONS = ("particles", "absolute")


def without_names(mechanism):
    """Return a mechanism whose joints are at numbers; each body lists no point but one that results can follow."""
    places = {name: {"point": mechanism.points[joint.point]} for name, joint in mechanism.joints.items()}
    bodies = {
        b: Body(mass=body.mass, com=mechanism.centre(b), inertia=mechanism.inertia(b))
        for b, body in mechanism.bodies.items()
    }
    return mechanism.replaced(joints=places, bodies=bodies, points=dict.fromkeys(mechanism.points))


@pytest.mark.parametrize(
    ("formulation", "integrator"), [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
)
def test_a_four_bar_whose_pins_are_at_numbers_moves_as_the_one_with_names(formulation, integrator):
    """Same coordinates but for the order of operations: at 1e-10 the angles differ by the error of the integrators."""
    options = {"duration": 1.0, "samples": 11, "rtol": 1e-10, "formulation": formulation, "integrator": integrator}
    named, bare = (pm.simulate(m, **options) for m in (FOUR_BAR, without_names(FOUR_BAR)))
    for body in FOUR_BAR.bodies:
        assert bare.angle(body) == pytest.approx(named.angle(body), abs=1e-7)
    for joint in FOUR_BAR.joints:
        on = FOUR_BAR.joints[joint].bodies[1]
        assert bare.reaction(joint, on) == pytest.approx(named.reaction(joint, on), rel=1e-6, abs=1e-6)


def test_bodies_without_names_have_the_particles_of_named_ones_and_are_drawn_to_their_joints():
    named, bare = (prepared(m)[0] for m in (FOUR_BAR, without_names(FOUR_BAR)))
    assert bare.drawing == pytest.approx(named.drawing + np.tile(origin(named) - origin(bare), len(named.drawing) // 2))
    for body in FOUR_BAR.bodies:
        assert bare.mechanism.outline(body) == named.mechanism.outline(body)


def origin(system):
    """Return where a system computes from."""
    return np.array(system.compiled.origin)


def crank(**changes):
    """Return a slider-crank; keys of its parts can be changed."""
    return pm.models.load("slider_crank").replaced(**changes)


def test_a_slide_a_weld_and_a_rod_take_numbers_too():
    """Against the same parts at named points, to rounding of the first accelerations."""
    base = dict(
        points={"O": (0.0, 0.0), "A": (0.3, 0.4), "B": (1.2, 0.1), "C": (1.5, 0.6), "D": (1.5, 0.6)},
        bodies={
            "crank": Body(points=("O", "A"), mass=1.0),
            "block": Body(points=("A", "B"), mass=2.0, com=(0.7, 0.3), inertia=0.3),
            "tail": Body(points=("B", "C"), mass=0.5),
            "end": Body(points=("D",), mass=0.4, com=(1.6, 0.7), inertia=0.02),
        },
        gravity=(0.5, -9.0),
    )
    sections = {
        "joints": {
            "O": joints.Revolute(point="O", bodies=("ground", "crank")),
            "A": joints.Revolute(point="A", bodies=("crank", "block")),
            "guide": joints.Slot(point="B", bodies=("ground", "block"), axis=(1.0, 0.2)),
            "glue": joints.Weld(point="B", bodies=("block", "tail")),
            "rod": joints.Distance(points=("O", "D"), bodies=("ground", "end")),
            "slide": joints.Prismatic(point="D", bodies=("tail", "end"), axis=(0.3, 0.5)),
        },
        "forces": {
            "push": forces.Load(body="tail", point="C", force=(3.0, 1.0), frame="body"),
            "coil": forces.Spring(bodies=("crank", "end"), points=("A", "D"), stiffness=20.0, length=0.3, damping=0.1),
        },
        "drivers": {"move": drivers.Position(point="B", axis="x", body="block", motion=pm.signals.Linear(rate=0.1))},
    }
    at = base["points"]
    numbers = {
        section: {
            name: changed(spec, {key: by_numbers(getattr(spec, key, None), at) for key in ("point", "points")})
            for name, spec in parts.items()
            if name != "glue"  # bodies that share a named point stay welded by name
        }
        for section, parts in sections.items()
    }
    numbers["joints"]["glue"] = joints.Weld(point=at["B"], bodies=("block", "tail"))
    named, bare = (pm.Mechanism(**base, **parts) for parts in (sections, numbers))
    for formulation in FORMULATIONS:
        one, other = (
            pm.simulate(m, duration=1e-3, samples=2, formulation=formulation, integrator="ida") for m in (named, bare)
        )
        for body in named.bodies:
            assert other.alpha(body) == pytest.approx(one.alpha(body), rel=1e-9, abs=1e-9)
        assert other.effort("move") == pytest.approx(one.effort("move"), rel=1e-9)


def changed(spec, changes):
    """Return a spec with some of its keys changed, those that it has."""
    known = {f.name for f in dataclasses.fields(spec)}
    return dataclasses.replace(spec, **{k: v for k, v in changes.items() if k in known and v is not None})


def by_numbers(value, at):
    """Return names of points as their numbers; the first of a pair keeps its name."""
    if isinstance(value, tuple):
        return value[0], at[value[1]]
    return None if value is None else at[value]


def test_a_named_point_that_two_bodies_list_is_kept_by_a_pin_at_its_numbers():
    bar = FOUR_BAR.replaced(joints={name: {"point": FOUR_BAR.points[j.point]} for name, j in FOUR_BAR.joints.items()})
    pm.simulate(bar, duration=0.1, samples=2)
    name, joint = next((n, j) for n, j in FOUR_BAR.joints.items() if "ground" not in j.bodies)
    x, y = FOUR_BAR.points[joint.point]
    with pytest.raises(ModelError, match=rf'^point "{joint.point}": bodies .* are not joined there'):
        FOUR_BAR.replaced(joints={name: {"point": (x, y + 0.01)}})


def test_a_position_driver_at_numbers_says_on_which_body():
    push = drivers.Position(point=(0.1, 0.2), axis="x", motion=0.0)
    with pytest.raises(ModelError, match=r'^driver "push": key "body" is missing; name the body on which the place'):
        FOUR_BAR.replaced(drivers={"push": push})
    with pytest.raises(ModelError, match=r'^driver "push": the place \[0.1, 0.2\] of the ground cannot be driven'):
        FOUR_BAR.replaced(drivers={"push": drivers.Position(point=(0.1, 0.2), axis="x", motion=0.0, body="ground")})


def test_variants_of_a_mechanism_with_numbers_are_those_of_single_runs():
    bare = without_names(FOUR_BAR)
    cases = {k: {"bodies": {"crank": {"mass": 1.0 + 0.1 * k}}} for k in range(4)}
    many = pm.simulate_many(cases, of=bare, duration=0.5, samples=6)
    for k, case in cases.items():
        one = pm.simulate(bare.replaced(**case), duration=0.5, samples=6)
        assert np.asarray(many["angle"].sel(case=k)) == pytest.approx(
            np.stack([one.angle(b) for b in bare.bodies], axis=1), abs=1e-7
        )


# -- old words -------------------------------------------------------------------------------------------------------

GUIDE = """
[points]
O = [0, 0]
[bodies.block]
points = ["O"]
mass = 1
com = [0, 0]
inertia = 1
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[joints.guide]\ntype = "prismatic"\npoint = "O"\nbodies = ["ground", "block"]\ndirection = [1, 0]',
            'joint "guide": key "direction" is called "axis"',
        ),
        (
            '[forces.gas]\ntype = "load"\nbody = "block"\nat = [0, 0]\nforce = [1, 0]',
            'force "gas": key "at" is called "point"',
        ),
        (
            '[forces.s]\ntype = "spring"\nbodies = ["ground", "block"]\nat = [[0, 0], [1, 0]]\nlength = 1',
            'force "s": key "at" is called "points"',
        ),
        (
            '[joints.A]\ntype = "hinge"\npoint = "O"\nbodies = ["ground", "block"]',
            'joint "A": type "hinge" is called "revolute"',
        ),
        (
            '[joints.A]\ntype = "slider"\npoint = "O"\nbodies = ["ground", "block"]',
            'type "slider" is called "prismatic"',
        ),
        ('[forces.s]\ntype = "joint_spring"\njoint = "A"', 'force "s": type "joint_spring" is called "torsion"'),
        ('[forces.s]\ntype = "torsion"\nbodies = ["ground", "block"]\nrest = 1', 'key "rest" is called "angle"'),
        ("[links.rod]\nmass = 1", 'key "links" is called "bodies"'),
    ],
)
def test_an_old_word_gets_the_error_that_names_the_new_one(text, message):
    with pytest.raises(ModelError, match=re.escape(message)):
        toml.loads(GUIDE + text)


@pytest.mark.parametrize("package", ["tree", "spatial", "flexible"])
def test_an_old_package_says_where_its_parts_are(package):
    with pytest.raises(AttributeError, match=f"no attribute '{package}'; parts of space are in particlemech.space"):
        getattr(pm, package)


def test_an_old_word_from_python_and_in_changes_is_named_too():
    with pytest.raises(ModelError, match=r'^prismatic: key "direction" is called "axis"$'):
        joints.Prismatic(bodies=("ground", "a"), point="O", direction=(1, 0))
    with pytest.raises(ModelError, match=r'key "direction" is called "axis"$'):
        crank().replaced(joints={"guide": {"direction": (1, 0)}})


def test_old_words_are_asked_only_where_their_successor_is_known():
    assert old_words.renamed(old_words.KEYS, "key", "direction", ("point",)) is None
    assert old_words.renamed(old_words.TYPES, "type", "ball", ("revolute",)) is None
    for table in (old_words.KEYS, old_words.TYPES, old_words.KINDS):
        for word, new in table.items():
            assert word not in new.now and new.now
            for now in new.now:
                assert now in (old_words.renamed(table, "key", word, (now,)) or "") or new.cure
