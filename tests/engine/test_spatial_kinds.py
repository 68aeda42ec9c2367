"""Laws that every registered kind of joint, driver and force in space keeps, in a tree, as a cut, by both formulations.

A kind that is added is held to them without a line here, but for its example in `example_*`.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import rotations, signals
from particlemech.model import toml
from particlemech.model.space import Body, Mechanism, drivers, forces, joints
from tests.support.second_opinion import agree, apart, natural

PLACE, AXIS, ACROSS = (0.3, 0.2, -0.1), (0.2, -0.4, 1.0), (1.0, 0.3, 0.1)
WAVE = signals.Sine(amplitude=0.4, frequency=0.8, phase=0.3)
SLOW = signals.Sine(amplitude=0.15, frequency=0.8, phase=0.3)
RUN = {"duration": 0.4, "samples": 5, "rtol": 1e-9}
SAME = 1e-6  # of the range: two runs of one motion at this rtol

IN_FILES = [kind for kind in forces.KINDS if kind.in_file and kind is not forces.Distributed]  # which bends bodies


def example_joint(kind, bodies=("arm", "hand")):
    """Return a joint of a kind at PLACE."""
    given = {
        "bodies": bodies, "point": PLACE, "axis": AXIS, "axes": (AXIS, ACROSS), "points": ((0.1, 0.5, 0.3), PLACE),
        "pitch": 0.07, "joints": ("hinge", "slide"), "ratio": 0.3,
        "joint": "hinge", "lower": -0.1, "upper": 0.08, "restitution": 0.7,
    }  # fmt: skip
    keys = {field.name for field in fields(kind)}
    return kind(**{key: value for key, value in given.items() if key in keys})


def example_driver(kind):
    """Return a driver of a kind."""
    if kind is drivers.Coordinate:
        return kind(joint="hinge", motion=WAVE)
    if kind is drivers.Distance:
        return kind(points=("foot", "tip"), motion=SLOW)
    return kind(point="tip", axis="z", motion=SLOW)


def example_force(kind):
    """Return a force of a kind."""
    given = {
        "body": "hand", "point": "tip", "force": (WAVE, 1.0, -0.5), "bodies": ("arm", "hand"),
        "torque": (0.2, WAVE, -0.3), "points": ((0.1, 0.5, 0.3), "tip"), "stiffness": 3.0, "damping": 0.4,
        "joint": "J", "effort": WAVE, "voltage": WAVE, "resistance": 2.0, "constant": 0.3, "inductance": 0.05,
        "setpoint": WAVE, "kp": 1.5, "ki": 0.7, "curve": ((-1.0, 0.6), (0.2, 0.4), (3.0, 0.0)), "throttle": 0.8,
        "area": 0.6, "pressure": WAVE, "rod_area": 0.2, "rod_pressure": 0.4,
    }  # fmt: skip
    keys = {field.name for field in fields(kind)}
    if kind is forces.Custom:
        return kind(joint="J", function=lambda t, state: math.sin(3.0 * t) - 0.5 * state.rate("J"))
    return kind(**{key: value for key, value in given.items() if key in keys})


def rig(joint=None, **sections):
    """Return an arm on a hinge, a hand on it, and a slide beside them; heavy, and moving."""
    body = {"mass": 1.2, "inertia": (0.2, 0.3, 0.4, 0.02, -0.03, 0.01)}
    made = {
        "hinge": joints.Revolute(bodies=("ground", "arm"), point=(0.0, 0.0, 0.0), axis=(0.1, 1.0, 0.2)),
        "slide": joints.Prismatic(bodies=("ground", "sled"), point=(1.0, 0.0, 0.0), axis=(0.3, 0.0, 1.0)),
        "J": joint if joint is not None and joint.bodies else example_joint(joints.Revolute),
    }
    if joint is not None and not joint.bodies:
        made["it"] = joint
    moving = {"rate": {"hinge": 0.7} | ({"J": -0.8, "slide": 0.4} if joint is None else {})}
    return Mechanism(
        points={"tip": (0.9, 0.3, 0.4), "foot": (0.5, -0.7, -0.6)},
        bodies={
            "arm": Body(com=(0.2, 0.1, 0.0), **body),
            "hand": Body(points=("tip",), com=(0.6, 0.2, 0.1), **body),
            "sled": Body(com=(1.0, 0.1, 0.0), **body),
        },
        joints=made,
        gravity=(0.5, -1.0, -9.81),
        initial={} if "drivers" in sections else moving,
        **sections,
    )


def every_rig():
    """Give a mechanism per registered kind, by name."""
    for kind in joints.KINDS:
        yield f"joint {kind.__name__}", rig(example_joint(kind))
    for kind in drivers.KINDS:
        yield f"driver {kind.__name__}", rig(driver_joint(kind), drivers={"it": example_driver(kind)})
    for kind in (*IN_FILES, forces.Custom):
        yield f"force {kind.__name__}", rig(forces={"it": example_force(kind)})


def driver_joint(kind):
    """Return what leaves a driver of a kind room to move its hand."""
    return example_joint(joints.Revolute if kind is drivers.Coordinate else joints.Spherical)


RIGS = dict(every_rig())
every = pytest.mark.parametrize("name", RIGS)


@pytest.fixture(scope="module")
def runs():
    """Return runs by name, each made once."""
    made = {}

    def run(name):
        if name not in made:
            made[name] = pm.simulate(RIGS[name], **RUN)
        return made[name]

    return run


@every
def test_energy_is_the_work_of_what_has_no_potential(name, runs):
    run = runs(name)
    assert run.status.value == "completed"
    assert np.abs(run.energy.error).max() < 1e-7 * run.energy.scale
    assert run.closure.position.max() < 1e-8


@every
def test_both_formulations_agree(name, runs):
    agree(runs(name), SAME)


@pytest.mark.parametrize("name", [name for name in RIGS if name != "force Custom"])
def test_files_give_every_kind_back(name):
    text = toml.dumps(RIGS[name])
    assert toml.loads(text) == RIGS[name]
    assert toml.dumps(toml.loads(text)) == text


def turned(vector, R):
    return tuple((R @ np.array(vector)).tolist())


def elsewhere(model, R, shift):
    """Return a mechanism drawn turned and shifted as a whole, all its directions with it."""

    def place(p):
        return p if p is None or isinstance(p, str) else tuple((R @ np.array(p) + shift).tolist())

    def tensor(i):
        xx, yy, zz, xy, xz, yz = (*i, 0.0, 0.0, 0.0)[:6]
        J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        return tuple(J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())

    def spec(one):
        changed = {}
        for key in ("point", "axis", "axes", "points"):
            value = getattr(one, key, None)
            if value is None or isinstance(value, str):
                continue
            if key in ("point", "points"):
                changed[key] = place(value) if key == "point" else tuple(place(p) for p in value)
            else:
                changed[key] = turned(value, R) if key == "axis" else tuple(turned(u, R) for u in value)
        return replace(one, **changed) if changed else one

    return replace(
        model,
        points={name: place(p) for name, p in model.points.items()},
        bodies={n: replace(b, com=place(b.com), inertia=tensor(b.inertia)) for n, b in model.bodies.items()},
        joints={name: spec(joint) for name, joint in model.joints.items()},
        forces={name: spec(force) for name, force in model.forces.items()},
        gravity=turned(model.gravity, R),
        initial=replace(model.initial, omega={n: turned(w, R) for n, w in model.initial.omega.items()}),
    )


# what names global axes does not turn with the drawing: position drivers, and components of loads
SAID_IN_AXES = ("driver Position", "force Load", "force Torque")


@pytest.mark.parametrize("name", [name for name in RIGS if name not in SAID_IN_AXES])
def test_a_drawing_turned_and_shifted_moves_alike(name, runs):
    R = rotations.matrix(np.array([0.4, -0.8, 1.3]))
    shift = np.array([3.0, -2.0, 1.0])
    run, other = runs(name), pm.simulate(elsewhere(RIGS[name], R, shift), **RUN)
    size = max(float(np.ptp(run["tip"])), 1e-2)
    assert np.abs(other["tip"] - (run["tip"] @ R.T + shift)).max() < SAME * size
    for joint, spec in RIGS[name].joints.items():
        for coordinate in () if spec.spherical else spec.coordinate_names:  # 1-2-3 angles are about axes of the drawing
            one, two = run.coordinate(joint, coordinate), other.coordinate(joint, coordinate)
            assert np.abs(one - two).max() < SAME * max(1.0, float(np.abs(one).max()))


@every
def test_coordinates_are_zero_in_the_drawing_and_their_rates_are_their_slopes(name):
    """A cubic through closely spaced samples has the rates, and its second derivative is near the second rates."""
    run = pm.simulate(RIGS[name], duration=0.05, samples=51, rtol=1e-10)
    for joint, spec in RIGS[name].joints.items():
        for coordinate in spec.coordinate_names:
            x, rate, second = (of(joint, coordinate) for of in (run.coordinate, run.rate, run.second_rate))
            if not RIGS[name].drivers:
                assert abs(x[0]) < 1e-9
            spline = CubicSpline(run.t, x, bc_type=((1, rate[0]), (1, rate[-1])))
            size = max(1.0, float(np.abs(rate).max()))
            assert np.abs(spline(run.t, 1) - rate).max() < 1e-5 * size
            assert np.abs(CubicSpline(run.t, rate)(run.t, 1)[2:-2] - second[2:-2]).max() < 1e-3 * max(
                1.0, float(np.abs(second).max())
            )


@pytest.mark.parametrize(
    "kind", [kind for kind in joints.KINDS if kind.coordinate_names], ids=lambda kind: kind.__name__
)
def test_every_coordinate_can_be_driven_and_its_effort_does_the_work(kind):
    """A driver on each coordinate in turn: it is followed, power is effort times rate, and both opinions agree."""
    for coordinate in example_joint(kind).coordinate_names:
        driver = drivers.Coordinate(joint="J", coordinate=coordinate, motion=SLOW)
        run = pm.simulate(rig(example_joint(kind), drivers={"it": driver}), duration=0.3, samples=4, rtol=1e-9)
        wanted = np.array([signals.values(SLOW, float(t)) for t in run.t])
        assert np.abs(run.coordinate("J", coordinate) - wanted[:, 0]).max() < 1e-9
        assert np.abs(run.rate("J", coordinate) - wanted[:, 1]).max() < 1e-8
        assert np.abs(run.energy.error).max() < 1e-7 * run.energy.scale
        agree(run, SAME)


@pytest.mark.parametrize(
    "kind", [kind for kind in joints.KINDS if kind.coordinate_names], ids=lambda kind: kind.__name__
)
def test_motors_and_springs_act_on_every_coordinate(kind):
    """Energy is the work of the motor and of the damper, and both opinions agree."""
    joint = example_joint(kind)
    if joint.spherical:
        joint = replace(joint, coordinates="angles")
    for coordinate in joint.coordinate_names:
        push = forces.Motor(joint="J", coordinate=coordinate, effort=WAVE)
        spring = forces.Torsion(joint="J", coordinate=coordinate, stiffness=4.0, damping=0.3)
        run = pm.simulate(rig(joint, forces={"push": push, "spring": spring}), duration=0.3, samples=4, rtol=1e-9)
        assert np.abs(run.energy.error).max() < 1e-7 * run.energy.scale
        x, rate = run.coordinate("J", coordinate), run.rate("J", coordinate)
        assert np.abs(run.force("spring") - 4.0 * x - 0.3 * rate).max() < 1e-12
        agree(run, SAME)


# -- in a tree and as a cut --------------------------------------------------------------------------------------------

FINE = {"duration": 0.3, "samples": 4, "rtol": 1e-12}
LOOSE = joints.Free(bodies=("ground", "hand"), point=(0.6, 0.2, 0.1))  # ties nothing, but can carry the hand


def acted_on(kind):
    """Give the rig of a joint of a kind: bare, with a motor and a spring on each coordinate, with a driver on each.

    One that ties coordinates of other joints ties J.
    """
    joint = example_joint(kind)
    if not joint.bodies:
        of = {"joints": ("hinge", "J")} if "joints" in {field.name for field in fields(kind)} else {"joint": "J"}
        tied = {"tie": replace(joint, **of)}
        push = forces.Motor(joint="J", effort=WAVE)
        for name, acting in (("tied", {}), ("tied and acted on", {"push": push})):
            yield name, replace(rig(forces=acting), initial={"rate": {"J": -0.8}}).replaced(joints=tied)
        return
    yield "bare", rig(joint)
    for coordinate in joint.coordinate_names:
        push = forces.Motor(joint="J", coordinate=coordinate, effort=WAVE)
        spring = forces.Torsion(joint="J", coordinate=coordinate, stiffness=4.0, damping=0.3)
        angles = replace(joint, coordinates="angles") if joint.spherical else joint
        yield f"acted on along {coordinate}", rig(angles, forces={"push": push, "spring": spring})
        driver = drivers.Coordinate(joint="J", coordinate=coordinate, motion=SLOW)
        yield f"driven along {coordinate}", rig(joint, drivers={"it": driver})


@pytest.mark.parametrize("kind", joints.KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("flipped", [False, True], ids=["as drawn", "flipped"])
def test_a_joint_that_is_cut_moves_as_one_that_carries_a_body(kind, flipped):
    """The same motion, accelerations, reactions, efforts and energies, whichever of its bodies is the first."""
    for name, made in acted_on(kind):
        if flipped:
            made = made.replaced(joints={"J": replace(made.joints["J"], bodies=("hand", "arm"))})
        loose = made.replaced(joints={"loose": LOOSE})
        carried, cut = pm.simulate(loose, **FINE), pm.simulate(loose, cut=("J",), **FINE)
        assert kind is joints.Free or "J" in cut.system.cuts
        assert flipped or ("J" in carried.system.cuts) == (kind is joints.Distance)
        found = apart(carried, cut)
        assert max(found.values()) < 1e-9, (name, found)
        agree(cut, None)
        if name in ("bare", "tied"):  # and natural coordinates go the same way
            short = {"duration": 0.02, "samples": 3, "rtol": 1e-12}
            found = apart(pm.simulate(loose, cut=("J",), **short), natural(loose, **short))
            assert max(found[what] for what in ("points", "orientations", "velocities")) < 1e-9, found
