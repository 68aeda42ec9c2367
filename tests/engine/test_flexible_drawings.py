"""Chains from drawings: rigid ones beside trees, bending ones turned as a whole; starts, springs, axes of loads."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, rotations, signals, space
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.errors import ModelError
from particlemech.model.space import drivers, forces, joints

STILL = signals.Constant(value=0.0)
WAVE = signals.Sine(amplitude=0.4, frequency=0.5, offset=0.3)


# -- rigid chains beside natural coordinates ---------------------------------------------------------------------------


def rigid_chain(rng, held):
    """Return a rigid chain of joints of many kinds, drawn either way round, with all that can act on it."""
    places = np.cumsum(rng.normal(size=(8, 3)), axis=0)
    names = ["craft", *(f"link{k}" for k in range(1, 7))]
    bodies = {}
    for k, name in enumerate(names):
        com = tuple(places[k] + 0.3 * rng.normal(size=3))
        tensor = (1.0, 1.2, 1.1, 0.1, -0.2, 0.05)
        bodies[name] = space.Body(points=(f"P{k}",), mass=1.0 + 0.3 * k, com=com, inertia=tensor)
    kinds = (joints.Revolute, joints.Prismatic, joints.Cylindrical, joints.Universal, joints.Weld, joints.Revolute)
    made = {"float": joints.Free(bodies=("ground", "craft"), point=tuple(places[0] + 0.1))}
    for k, kind in enumerate(kinds):
        pair = (names[k], names[k + 1]) if k % 2 else (names[k + 1], names[k])
        keys = {"bodies": pair, "point": tuple(places[k + 1] + 0.2)}
        if kind is joints.Universal:
            keys["axes"] = (tuple(rng.normal(size=3)), tuple(rng.normal(size=3)))
        elif kind is not joints.Weld:
            keys["axis"] = tuple(rng.normal(size=3))
        made[f"j{k + 1}"] = kind(**keys)
    acting = {
        "push": forces.Load(body="link6", point=tuple(places[7]), force=(1.0, WAVE, -2.0), frame="body"),
        "pull": forces.Load(body="link3", force=(0.5, 1.0, WAVE)),
        "turn": forces.Torque(bodies=("ground", "link5"), torque=(WAVE, 1.0, 0.3), frame="body"),
        "between": forces.Torque(bodies=("craft", "link4"), torque=(0.2, WAVE, 0.1)),
        "motor": forces.Motor(joint="j1", effort=WAVE),
        "rope": forces.Spring(
            bodies=("link6", "link2"), points=(tuple(places[7]), "P2"), stiffness=20.0, damping=1.5, length=0.5
        ),
        "strut": forces.Spring(bodies=("ground", "link4"), points=("anchor", "P4"), stiffness=8.0, damping=0.7),
        "ram": forces.Cylinder(
            bodies=("link3", "link6"),
            points=("P3", tuple(places[7])),
            area=2.0,
            pressure=WAVE,
            rod_area=0.5,
            rod_pressure=0.4,
            damping=0.6,
        ),
        "spring": forces.Torsion(joint="j3", coordinate="travel", stiffness=30.0, damping=2.0, length=0.2),
        "soft": forces.Torsion(joint="j3", coordinate="travel", stiffness=10.0, length=-0.4),
        "spiral": forces.Torsion(joint="j4", coordinate="angle2", stiffness=5.0, damping=0.3, angle=0.5),
    }
    driven = {"drive": drivers.Coordinate(joint="j6", motion=WAVE)}
    said = {"x": 0.1, "y": -0.2, "z": 0.3}
    if held:
        still = [("angle1", 0.2), ("angle2", -0.3), ("angle3", 0.4)]
        if held == "fixed":
            still += [("x", 0.1), ("y", -0.2), ("z", 0.3)]
        for name, value in still:
            driven[f"hold_{name}"] = drivers.Coordinate(joint="float", coordinate=name, motion=value)
        said = {} if held == "fixed" else said
    else:
        said |= {"angle1": 0.2, "angle2": -0.3, "angle3": 0.4}
    start = {
        "position": {"float": said, "j1": 0.3, "j2": -0.2, "j3": {"travel": 0.1, "angle": 0.4}, "j4": (0.2, -0.5)},
        "rate": {"j1": 0.5, "j3": {"angle": -0.3}, "j4": (0.4, 0.1)},  # the rest by least kinetic energy
    }
    if not held:
        start["omega"] = {"link2": (0.1, 0.2, -0.3)}
        start["velocity"] = {"P3": (0.4, 0.0, 0.2)}
    points = {f"P{k}": tuple(place) for k, place in enumerate(places[:7])}
    return space.Mechanism(
        points=points | {"anchor": (1.0, 2.0, 3.0)}, bodies=bodies, joints=made, drivers=driven, forces=acting,
        initial=start, gravity=(0.5, -1.0, -9.81),
    )  # fmt: skip


@pytest.mark.parametrize("held", ["", "translates", "fixed"], ids=["free", "translates", "fixed"])
def test_a_rigid_chain_moves_as_by_natural_coordinates(held, rng):
    m = rigid_chain(rng, held)
    ours = pm.simulate(m, duration=0.5, samples=11, rtol=1e-11, integrator="explicit")
    theirs = pm.simulate(m, duration=0.5, samples=11, rtol=1e-10, formulation="natural", integrator="ida")
    assert_alike(ours, theirs, 1e-6)


def assert_alike(ours, theirs, tolerance):
    """Assert that all columns of two runs agree, beside the largest of their kind."""
    a, b = ours.columns(), theirs.columns()
    assert set(b) <= set(a)
    b = {name: values for name, values in b.items() if np.isfinite(values).all()}
    kinds: dict[str, float] = {}
    for name, values in b.items():
        kinds[name.rpartition(".")[2]] = max(kinds.get(name.rpartition(".")[2], 1e-3), float(np.abs(values).max()))
    worst = max(b, key=lambda name: np.abs(a[name] - b[name]).max() / kinds[name.rpartition(".")[2]])
    print(worst, np.abs(a[worst] - b[worst]).max(), kinds[worst.rpartition(".")[2]])
    for name, values in b.items():
        assert np.abs(a[name] - values).max() < tolerance * kinds[name.rpartition(".")[2]], name


def test_a_function_on_a_body_keeps_the_books_of_energy_and_agrees_with_lagrange():
    def wind(t, state):
        return -2.0 * state.velocity("shoulder") + (0.0, 3.0, 1.0), state["shoulder"], -0.5 * state.omega("craft")

    m = models.load("space_slew").replaced(forces={"wind": forces.Custom(body="craft", function=wind)})
    run = pm.simulate(m, duration=0.3, samples=4, rtol=1e-9)
    assert np.abs(run.energy.error).max() < 1e-9 * run.energy.scale  # 1e-11 seen
    rate = np.gradient(pm.simulate(m, duration=0.02, samples=21).momentum.linear, 0.001, axis=0)[5]
    assert rate == pytest.approx([0.0, 3.0, 1.0], abs=1e-2)
    found = pm.validate(m, duration=0.1, samples=3)
    assert all(d.relative < 1e-9 for d in found.differences if "Lagrange" in d.quantity)
    found = pm.validate(m.replaced(forces={"wind": {"body": "upper"}}), duration=0.02, samples=3)
    assert all(d.relative < 1e-9 for d in found.differences if "Lagrange" in d.quantity)
    with pytest.raises(ModelError, match=r'force "wind": its function must return force, place and couple'):
        pm.simulate(m.replaced(forces={"wind": {"function": lambda t, state: 1.0}}))


# -- bending chains, turned as a whole ---------------------------------------------------------------------------------


def turned(mechanism, R, shift):
    """Return a mechanism drawn elsewhere in space: turned by R about the origin, then moved."""

    def place(at):
        return tuple(R @ np.array(at) + shift)

    def along(vector):
        return tuple(R @ np.array(vector))

    bodies = {}
    for name, body in mechanism.bodies.items():
        changed = {}
        if body.com is not None:
            xx, yy, zz = body.inertia
            I = R @ np.diag([xx, yy, zz]) @ R.T
            changed = {"com": place(body.com), "inertia": I}
        if body.bends:
            changed["modes"] = [
                {"along" if mode.along else "about": along(mode.along or mode.about), "shape": mode.shape}
                for mode in body.modes
            ]
            changed["rotary"] = R @ np.diag(body.rotary) @ R.T
            changed["lumps"] = [
                {"x": lump.x, "mass": lump.mass, "inertia": R @ np.diag(lump.inertia) @ R.T} for lump in body.lumps
            ]
        bodies[name] = changed
    axes = {name: {"axis": along(joint.axis)} for name, joint in mechanism.joints.items() if hasattr(joint, "axis")}
    return mechanism.replaced(
        points={name: place(at) for name, at in mechanism.points.items()}, bodies=bodies, joints=axes,
        gravity=along(mechanism.gravity),
    )  # fmt: skip


def test_where_a_mechanism_is_drawn_does_not_matter(rng):
    slew = models.load("space_slew").replaced(gravity=(0.1, 0.2, -0.3))
    R, shift = rotations.matrix(rng.normal(size=3)), rng.normal(size=3)
    ours = pm.simulate(turned(slew, R, shift), duration=2.0, samples=21, rtol=1e-10)
    theirs = pm.simulate(slew, duration=2.0, samples=21, rtol=1e-10)
    assert np.abs(ours["tip"] - theirs["tip"] @ R.T - shift).max() < 1e-8
    for body in ("upper", "fore"):
        assert np.abs(ours.modal(body) - theirs.modal(body)).max() < 1e-8
        assert np.abs(ours.com(body) - theirs.com(body) @ R.T - shift).max() < 1e-8
        assert np.abs(ours.orientation(body) - R @ theirs.orientation(body) @ R.T).max() < 1e-8
    for driver in slew.drivers:
        assert np.abs(ours.effort(driver) - theirs.effort(driver)).max() < 1e-7 * np.abs(theirs.effort(driver)).max()
    force, size = theirs.reaction("elbow", "fore") @ R.T, np.abs(theirs.reaction("elbow", "fore")).max()
    assert np.abs(ours.reaction("elbow", "fore") - force).max() < 1e-7 * size


def test_joints_drawn_either_way_round_move_alike():
    # without a rotor, which stands on the side of the first body
    arm = models.load("two_link_flexible").replaced(joints={"shoulder": {"drive": None}})
    flipped = {name: {"bodies": joint.bodies[::-1], "axis": (0, 0, -1)} for name, joint in arm.joints.items()}
    one, other = (pm.simulate(m, duration=0.5, samples=11) for m in (arm, arm.replaced(joints=flipped)))
    assert np.abs(one["tip"] - other["tip"]).max() < 1e-12
    for joint in arm.joints:
        assert np.abs(one.coordinate(joint) - other.coordinate(joint)).max() < 1e-12
        assert np.abs(one.deflection(joint) - other.deflection(joint)).max() < 1e-12
    assert np.abs(one.effort("hold") - other.effort("hold")).max() < 1e-10 * np.abs(one.effort("hold")).max()
    assert np.abs(one.reaction("elbow", "fore") - other.reaction("elbow", "fore")).max() < 1e-9


def test_the_momentum_is_that_of_the_centres_of_mass_of_all_bodies():
    run = pm.simulate(models.load("space_slew"), duration=2.0, samples=21)
    at = {"craft": 200.0, "upper": 6.0, "fore": 8.0}
    moving = sum(mass * run.com_velocity(body) for body, mass in at.items())
    parts = [np.abs(mass * run.com_velocity(body)).max() for body, mass in at.items()]
    assert np.abs(moving).max() < 1e-9 * max(parts)  # nothing acts from outside
    centre = sum(mass * run.com(body) for body, mass in at.items()) / 214.0
    assert np.abs(centre - run.centre).max() < 1e-12


# -- starts ------------------------------------------------------------------------------------------------------------


def slewing(**initial):
    """Return the slew of a free arm whose shoulder turns from the first instant on."""
    turn = {"turn": {"motion": signals.Linear(rate=0.5)}}
    return models.load("space_slew").replaced(drivers=turn, initial=initial)


def test_speeds_that_are_not_said_are_those_of_least_kinetic_energy():
    made = system(slewing())
    y = start_state(made)
    seen = made.observed(np.zeros(1), y[None], told=False)
    for momentum in (seen.momentum.linear, seen.momentum.angular):
        assert np.abs(momentum).max() < 1e-12  # nothing holds the spacecraft: it takes up what the arm has
    assert np.abs(seen.omega("craft")).max() > 0.01
    assert not seen.modal_rate("upper").any()
    more = np.repeat(y[None], 12, axis=0)
    for k in range(6):
        more[2 * k, made.n_q + k] += 0.01
        more[2 * k + 1, made.n_q + k] -= 0.01
    assert (made.observed(np.zeros(12), more, told=False).kinetic > seen.kinetic[0]).all()


def test_what_is_said_of_speeds_holds_at_the_start():
    said = {"omega": {"craft": (0.1, -0.2, 0.3)}, "velocity": {"tip": (0.0, 0.5, 0.0)}}
    run = pm.simulate(slewing(**said), duration=0.01, samples=2)
    assert run.omega("craft")[0] == pytest.approx(said["omega"]["craft"], abs=1e-12)
    assert run.velocity("tip")[0] == pytest.approx(said["velocity"]["tip"], abs=1e-12)
    again = slewing(rate={"float": (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)}, position={"float": {"angle2": 0.4}})
    run = pm.simulate(again, duration=0.01, samples=2)
    assert run.rate("float")[0] == pytest.approx([1.0, 2.0, 3.0, 0.1, 0.2, 0.3], abs=1e-12)
    assert run.coordinate("float")[0] == pytest.approx([0, 0, 0, 0, 0.4, 0], abs=1e-12)


def test_speeds_that_contradict_each_other_are_named():
    with pytest.raises(ModelError, match=r'section "initial": omega of body "(craft|upper)", [xyz], cannot be'):
        pm.simulate(slewing(omega={"craft": (0, 0, 0), "upper": (0, 0, 2.0)}), duration=0.01)


# -- forces ------------------------------------------------------------------------------------------------------------


def test_a_spring_on_a_coordinate_swings_as_the_textbook_says():
    disc = space.Body(mass=1.0, com=(0, 0, 0), inertia=(1.0, 1.0, 2.0))
    pin = joints.Revolute(bodies=("ground", "disc"), point=(0, 0, 0), axis=(0, 0, 1), drive={"rotor": 0.5})
    spring = forces.Torsion(joint="pin", stiffness=10.0, angle=0.3)
    run = pm.simulate(
        space.Mechanism(bodies={"disc": disc}, joints={"pin": pin}, forces={"spring": spring}), duration=2.0, rtol=1e-11
    )
    exact = 0.3 * (1.0 - np.cos(2.0 * run.t))  # sqrt(10/(2 + 0.5))
    assert run.coordinate("pin") == pytest.approx(exact, abs=1e-8)
    assert run.potential[0] == pytest.approx(0.5 * 10.0 * 0.3**2)
    assert np.abs(run.energy.error).max() < 1e-9 * run.energy.scale
    assert run.force("spring") == pytest.approx(10.0 * (exact - 0.3), abs=1e-7)


def sprung(bodies=("ground", "beam"), points=((2.0, 1.0, 0.0), "tip"), **keys):
    """Return the shipped cantilever with a spring."""
    rope = forces.Spring(bodies=bodies, points=points, **keys)
    return models.load("cantilever").replaced(forces={"rope": rope, "push": {"force": (0.0, 1e-3, 0.0)}})


def test_a_spring_at_the_tip_shares_the_load_with_the_beam():
    stiff = 3.0 * 200.0 / 2.0**3
    found = pm.equilibrium(sprung(stiffness=0.5 * stiff)).elastic("tip")[0, 1]
    assert found == pytest.approx(1e-3 / (1.5 * stiff), rel=1e-6)
    plain, held = (pm.modes(sprung(stiffness=k)).frequency[0] for k in (0.0, 1e9))
    pinned = 15.4182057 / (2.0 * math.pi * 4.0) * math.sqrt(200.0 / 0.5)  # clamped at one end, pinned at the other
    assert plain == pytest.approx(2.798, abs=2e-3)
    assert held == pytest.approx(pinned, rel=0.02)  # two sub-links


def test_a_spring_between_bending_bodies_keeps_energy_and_agrees_with_lagrange():
    ends = (2.0, 0.8, 0.1), (6.0, 0.7, -0.2)  # off the lines of both, where sections turn too
    rope = forces.Spring(bodies=("upper", "fore"), points=ends, stiffness=300.0, damping=20.0, length=3.5)
    m = models.load("space_slew").replaced(forces={"rope": rope})
    run = pm.simulate(m, duration=2.0, samples=21, rtol=1e-10)
    assert np.abs(run.energy.error).max() < 1e-8 * run.energy.scale
    for momentum in (run.momentum.linear, run.momentum.angular):
        assert np.abs(momentum).max() < 1e-9  # it pulls as much at one end as at the other
    one, other = (run._placed(body, at, 0) for body, at in zip(rope.bodies, ends, strict=True))
    assert run.force("rope", "length") == pytest.approx(np.linalg.norm(other - one, axis=1))
    found = pm.validate(m, duration=0.5, samples=11)
    assert found.agreed
    assert all(d.relative < 1e-9 for d in found.differences if "Lagrange" in d.quantity)


@pytest.mark.parametrize("sublinks", [1, 2])
def test_a_load_in_axes_of_a_bending_body_turns_with_its_section(sublinks):
    force, torque = (1.0, 0.5, 0.2), (0.0, 0.3, 0.1)
    modes = [{"along": d, "shape": [0.0] * p + [1.0]} for d in ("z", "y") for p in (2, 3, 4)]
    beam = space.Body(points=("A", "B"), density=1.0, EI=2.0, modes=modes, sublinks=sublinks)
    m = space.Mechanism(
        points={"A": (0, 0, 0), "B": (1, 0, 0)},
        bodies={"beam": beam},
        joints={"root": joints.Revolute(bodies=("ground", "beam"), point="A", axis=(1, 2, 3))},
        drivers={"hold": drivers.Coordinate(joint="root", motion=0.7)},
        forces={
            "push": forces.Load(body="beam", point="B", force=force, frame="body"),
            "turn": forces.Torque(bodies=("ground", "beam"), point="B", torque=torque, frame="body"),
        },
    )
    run = pm.simulate(m, duration=0.5, samples=11, rtol=1e-9)
    S = run.section("B")
    assert np.abs(run.force("push") - S @ force).max() < 1e-12
    assert np.abs(run.force("push", "place") - run["B"]).max() < 1e-12
    assert np.abs(run.force("turn") - S @ torque).max() < 1e-12
    assert np.abs(run.orientation("beam") - S).max() > 0.01
    assert np.abs(run.energy.error).max() < 1e-7 * run.energy.scale
    # what the root gives is the rate of momentum, less the loads
    fine = pm.simulate(m, duration=0.01, samples=101, rtol=1e-12, integrator="explicit")
    p, h = fine.momentum.linear, fine.t[1]
    rate = (8.0 * (p[3:-1] - p[1:-3]) - (p[4:] - p[:-4])) / (12.0 * h)
    given = (fine.reaction("root", "beam") + fine.force("push"))[2:-2]
    assert np.abs(rate - given).max() < 1e-5 * np.abs(given).max()


def test_a_clamp_holds_a_beam_where_its_point_is_and_reacts_there():
    thin = models.load("cantilever")
    beam = thin.replaced(bodies={"beam": {"rotary": [1e-3, 0.0, 0.0]}}, joints={"clamp": {"point": "middle"}})
    run = pm.simulate(beam, duration=0.1, samples=5)
    assert np.abs(run["middle"] - run["middle"][0]).max() < 1e-12
    # the half that nothing pushes stays as it is
    assert np.abs(run["root"] - run["root"][0]).max() < 1e-12 and np.abs(run["tip"] - run["tip"][0]).max() > 1e-3
    pushed = np.array(run.force("push")) if run.force("push").ndim == 2 else np.tile([0.0, 1.0, 0.0], (5, 1))
    assert np.abs(run.reaction("clamp", "beam") + pushed - 1.0 * run.com_acceleration("beam")).max() < 1e-9
    assert np.abs(run.moment("clamp", "beam") + run.moment("clamp", "ground")).max() == 0.0
    with pytest.raises(ModelError, match=r'body "beam": nothing resists its turning about its line .* "rotary"'):
        pm.simulate(thin.replaced(joints={"clamp": {"point": "middle"}}), duration=0.1)


def test_a_sleeve_and_a_cross_carry_bending_bodies():
    bend = [{"along": d, "shape": [0.0, 0.0, 1.0]} for d in "yz"]
    beam = {"density": 1.0, "EI": 20.0, "modes": bend}
    m = space.Mechanism(
        points={"A": (0, 0, 0), "B": (1, 0, 0), "C": (2, 0, 0)},
        bodies={"one": space.Body(points=("A", "B"), **beam), "two": space.Body(points=("B", "C"), **beam)},
        joints={
            "sleeve": joints.Cylindrical(bodies=("ground", "one"), point="A", axis=(0, 0, 1)),
            "cross": joints.Universal(bodies=("one", "two"), point="B", axes=((0, 1, 0), (0, 0, 1))),
        },
        forces={"up": forces.Torsion(joint="sleeve", coordinate="travel", stiffness=50.0)},
        initial={"rate": {"sleeve": {"angle": 1.0, "travel": 0.2}, "cross": (0.5, -1.0)}},
        gravity=(0.0, 0.0, -1.0),
    )
    run = pm.simulate(m, duration=1.0, samples=21, rtol=1e-10)
    assert np.abs(run.energy.error).max() < 1e-8 * run.energy.scale
    assert run.coordinate("sleeve").shape == (21, 2) and run.coordinate("cross", "angle2").shape == (21,)
    assert np.abs(run.place("sleeve")[:, 2] - run.coordinate("sleeve", "travel")).max() < 1e-12
    assert np.abs(run.reaction("sleeve", "one")[:, 2]).max() < 1e-12  # it slides there
    assert np.ptp(run.momentum.angular[:, 2]) < 1e-8 * np.abs(run.momentum.angular[0, 2])
    assert math.isclose(run.rate("cross", "angle1")[0], 0.5)
    found = pm.validate(m, duration=0.5, samples=11)
    assert found.agreed, [(d.quantity, d.relative) for d in found.differences]
