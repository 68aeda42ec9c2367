"""Laws that tie each analysis of every shipped model to runs, or to another analysis.

Where a law does not apply to a model, the analysis says so in one line, and that line is tested.
"""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.errors import ModelError
from particlemech.model.signals import Constant, values
from tests.support.shipped import SMOOTH

NAMES = SMOOTH
NO_BALANCE = "finds no balance at t = 0 s; are the loads beyond what it can bear?"
DRIVEN = dict.fromkeys(
    (
        *(
            "cam_flat_follower",
            "piston_crank",
            "quick_return",
            "scissor_lift",
            "spatial_slider_crank",
            "stephenson_six_bar",
        ),
        *("stewart_platform", "theo_jansen", "universal_shaft"),
    ),
    "give a body modes, or ask for the forces by equilibrium",
)


def refused(said, work):
    """Check that work is refused in one line that says so."""
    with pytest.raises(ModelError) as caught:
        work()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def coordinates(m):
    """Return the coordinates of all joints by name."""
    return [f"{joint}.{of}" for joint, spec in m.joints.items() for of in spec.coordinate_names]


def moving(m):
    """Return the points that are not on the ground."""
    return [point for point in m.points if m.carrier(point) != "ground"]


def at_rest(m):
    """Return a mechanism without initial speeds."""
    return m.replaced(initial=type(m.initial)(position=m.initial.position))


def still(m):
    """Return a mechanism that starts at rest, its drivers where they start."""
    return at_rest(m).replaced(drivers={d: {"motion": values(of.motion, 0.0)[0]} for d, of in m.drivers.items()})


def loops(m):
    return pm.linearised(still(m), settle=False, loads=True).stand.system.cuts


# -- forward of inverse ------------------------------------------------------------------------------------------------


LOCKED = "its angles are at gimbal lock at t = 0 s, and say nothing of how it moves"
PLACED = ("scissor_lift", "stewart_platform")  # driven at places: motors act in joints


RIGID = [name for name in NAMES if not getattr(models.load(name), "bends", False)]  # others: test_inverse_bending.py


@pytest.mark.parametrize("name", RIGID)
def test_motors_with_the_efforts_of_inverse_dynamics_make_the_motion_again(name):
    m = models.load(name)
    run = pm.simulate(m, duration=min(0.02, m.run.duration), samples=9, rtol=1e-9)
    actuators = list(m.drivers) if m.drivers and name not in PLACED else coordinates(m)
    if name == "space_manipulator":
        refused(LOCKED, lambda: pm.inverse(m, run, actuators=actuators))
        return
    again = pm.simulate(pm.inverse(m, run, actuators=actuators).replay, samples=9, rtol=1e-9)
    size = max(np.abs(run.acceleration(p)).max() for p in moving(m))
    gone = max(np.abs(run[p] - run[p][0]).max() for p in moving(m))
    for p in moving(m):
        assert np.abs(again.acceleration(p)[0] - run.acceleration(p)[0]).max() <= 1e-10 * size, p
        assert np.abs(again[p][-1] - run[p][-1]).max() <= 1e-6 * gone, p
    for b in m.bodies:
        assert again.alpha(b)[0] == pytest.approx(run.alpha(b)[0], rel=1e-9, abs=1e-9 * max(1.0, size))


# -- equilibrium as the end of a damped run ----------------------------------------------------------------------------


SPUN_UP = dict.fromkeys(("belt_drive", "planetary_gear", "slider_crank"), NO_BALANCE)  # by a constant torque
UNBALANCED = dict.fromkeys(("human_fall", "rms_flexible", *SPUN_UP), "finds no balance at t = ")


def damped(m):
    """Return a mechanism that loses energy wherever it moves."""
    scale = pm.linearised(m, settle=False, loads=True).stand.system.scale
    kinds = pm.forces if m.engine == "particles" else pm.space.forces
    c, tree = 0.3 * scale.mass * scale.length**2 / scale.time, not loops(m)
    driven = {(d.joint, d.coordinate or m.joints[d.joint].coordinate_names[0]) for d in m.drivers.values() if d.joint}
    losses = {}
    for joint, spec in m.joints.items():
        for of in spec.coordinate_names:
            ball = getattr(spec, "spherical", False) and of.startswith("angle")
            if (joint, of) in driven or (ball and (spec.dof == 6 or not tree or (joint, "angle1") in driven)):
                continue
            said = {} if ball else {"coordinate": of}
            losses[f"loss {joint} {'ball' if ball else of}".replace(".", " ")] = kinds.Torsion(
                joint=joint, damping=c if of.startswith("angle") else c / scale.length**2, **said
            )
    bends = {
        name: {"damping": (0.0, 0.0), "damping_ratio": 0.2}
        for name, body in m.bodies.items()
        if getattr(body, "bends", False)
    }
    return m.replaced(forces=losses, bodies=bends), 1000.0 * scale.time, scale.length


@pytest.mark.parametrize("name", NAMES)
def test_a_damped_run_ends_in_a_rest_position(name):
    m = still(models.load(name))
    if name == "two_link_flexible":
        m = m.replaced(forces={"motor": None})  # to and fro for ever
    if name in UNBALANCED:
        refused(UNBALANCED[name], lambda: pm.equilibrium(m, settle="all"))
        return
    loses, duration, length = damped(m)
    run = pm.simulate(loses, duration=duration, samples=3)
    rest = pm.equilibrium(m, near=run, settle="all")
    assert rest.stability[0] in ("stable", "neutral")
    for p in m.points:
        assert np.abs(rest[p][0] - run[p][-1]).max() <= 2e-8 * length, p


# -- modes against the spectrum of a small run -------------------------------------------------------------------------


AMPLITUDE = 1e-4  # of the mechanism's length, or rad: what is of the second order is so much of it, times a few
LEANS = {"door_closer": "modes: nothing moves freely"}  # at rest it is pressed against its frame
UNSWUNG = {**LEANS, **DRIVEN, **SPUN_UP, "human_fall": NO_BALANCE}
ABOUT_START = ("rms_flexible", "two_link_flexible")  # where nothing but deflections comes to rest
TURNS = "flyball_governor"  # which steadily turns with its motor


def reading(of, m, label):
    """Return a coordinate or a mode of a result by label, (K,), or None where it cannot be read so."""
    part, _, name = label.rpartition(".")
    if part in m.joints and name in m.joints[part].coordinate_names:
        return of.coordinate(part, name)
    if part in m.bodies and getattr(m.bodies[part], "bends", False):
        return of.modal(part)[:, of.modes(part).index(name)]
    return None


def swung(modes, k, name):
    """Return by how much a run from a shape of a little amplitude misses its one exponential, beside the amplitude."""
    linear = modes.linear
    m, rest, L = linear.stand.mechanism, linear.result, linear.stand.system.scale.length
    omega = modes.omega[k]
    lam = complex(-modes.damping[k] * omega, 2.0 * math.pi * modes.frequency[k]) if omega > 0.0 else complex(-omega)
    lam = 0.0 if abs(lam) < 1e-3 else lam
    sizes = {of.label: of.size for of in linear.stand.system.named}
    read = [c for c in modes.coordinates if reading(rest, m, c) is not None and (name != TURNS or c != "bearing.angle")]
    ways = {c: modes.shape(c)[k] / sizes[c] for c in read}
    places = {} if name == TURNS else {p: modes.shape(p)[:, k] / L for p in moving(m)}
    shape = modes.reduced[:, k]
    every = [*ways.values(), *np.concatenate([shape / linear.chart.unit, *places.values()])]
    shape = shape * AMPLITUDE / np.abs(every).max()
    start = linear.stand.result(linear.displaced(shape.real, (lam * shape).real)[None])
    span = (2.0 if lam.real > 0.0 else 3.0 * math.pi) / abs(lam) if lam else 1.0
    run = pm.simulate(m, start=start, duration=span, samples=40, rtol=1e-10)
    grown = np.exp(lam * run.t) / np.abs(every).max()
    missed = [np.abs((run[p] - rest[p]) / (AMPLITUDE * L) - np.outer(grown, s).real).max() for p, s in places.items()]
    missed += [
        np.abs((reading(run, m, c) - reading(rest, m, c)) / (AMPLITUDE * sizes[c]) - (grown * s).real).max()
        for c, s in ways.items()
    ]
    return max(missed), lam


@pytest.mark.parametrize("name", NAMES)
def test_what_is_let_go_in_the_shape_of_a_mode_has_its_eigenvalue_alone(name):
    m = at_rest(models.load(name))
    moved = {d.joint for d in m.drivers.values() if d.joint and not isinstance(d.motion, Constant)} - {"bearing"}
    options = {"about": None if name in ABOUT_START else "equilibrium", "hold": moved or None}
    if name in UNSWUNG:
        refused(UNSWUNG[name], lambda: pm.modes(m, **options))
        return
    modes = pm.modes(m, **options)
    for k in sorted({0, len(modes.omega) // 2, len(modes.omega) - 1}):
        missed, lam = swung(modes, k, name)
        assert missed <= (4e-3 if np.real(lam) > 0.0 else 3e-4), (k, lam)  # what grows e^2-fold is less small


# -- Jacobians against differences -------------------------------------------------------------------------------------


NOT_DRIVEN = {"flyball_governor": ["left_ball.angle"], "geneva": ["W.angle"]}  # what its drivers leave free


@pytest.mark.parametrize("name", NAMES)
def test_a_jacobian_is_the_difference_quotient_of_cycles(name):
    m = at_rest(models.load(name))
    driven = {(d.joint, d.coordinate or m.joints[d.joint].coordinate_names[0]) for d in m.drivers.values() if d.joint}
    if not coordinates(m):
        refused("no joint of it has a coordinate", lambda: pm.jacobian(m, moving(m)))
        return
    names = list(m.drivers) + NOT_DRIVEN.get(name, [])
    if not loops(m):
        names += [said for said in coordinates(m) if tuple(said.split(".", 1)) not in driven]
    elif not names:
        names = list(pm.linearised(m, settle=False).freedoms)
    plain = type(m).sections["drivers"].plain
    start, own = pm.simulate(m, duration=1e-9, samples=2), {}
    for said in names:
        if said not in m.drivers:
            joint, _, of = said.partition(".")
            value = float(start.coordinate(joint, of)[0])
            own[f"driver of {said}".replace(".", " ")] = plain(joint=joint, coordinate=of, motion=value)
    driven = m.replaced(drivers=own)
    read = [c for c in coordinates(m) if not getattr(m.joints[c.split(".")[0]], "spherical", False)]
    points = moving(m)
    found, h = pm.jacobian(m, [*points, *read], names), 1e-4
    for k, driver in enumerate(driven.drivers):
        at = values(driven.drivers[driver].motion, 0.0)[0]
        cycle = pm.cycle(driven, driver=driver, range=(at - 2.0 * h, at + 2.0 * h), samples=5)
        x = [cycle[p] for p in points] + [cycle.coordinate(*c.split(".", 1))[:, None] for c in read]
        x = np.concatenate(x, axis=1)
        slopes = (8.0 * (x[3] - x[1]) - (x[4] - x[0])) / (12.0 * h)
        assert np.abs(slopes - found.matrix[:, k]).max() <= 1e-10 * max(1.0, np.abs(found.matrix).max()), driver
