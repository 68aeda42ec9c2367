"""Motions that are known in closed form, in both formulations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, joints, models, signals
from tests.support.problems import (
    DOWN,
    FORMULATIONS,
    PROBLEMS,
    G,
    column,
    driven_four_bar,
    driven_slider_crank,
    effort,
    four_bar_members,
    hold,
    pinned,
    point_pendulum,
    reference,
    slider,
    slider_crank_members,
)


def worst(result, exact):
    """Return the largest error of the known columns, relative to the largest value of each."""
    columns = result.columns()
    errors = {name: np.max(np.abs(columns[name] - e)) / (np.max(np.abs(e)) or 1.0) for name, e in exact.items()}
    name = max(errors, key=errors.get)
    print(f"{name}: {errors[name]:.3g}")
    return errors[name]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_motion_equals_its_closed_form(problem, formulation):
    result = pm.simulate(problem.build(), duration=problem.duration, samples=41, rtol=1e-9, formulation=formulation)
    assert result.status is pm.Status.COMPLETED
    assert worst(result, problem.exact(result.t)) <= problem.limit


# -- published pendulum ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rod", [False, True], ids=["body without inertia", "distance joint"])
def test_simple_pendulum_reproduces_the_published_series(rod):
    data = reference("pendulum")
    result = pm.simulate(point_pendulum(rod=rod), duration=10.0, samples=1001, rtol=1e-9)
    at = np.rint(100 * column(data, "t")).astype(int)
    exact = np.column_stack([column(data, "x"), column(data, "y")])
    hold("A01 place", np.abs(result["P"][at] - exact).max())
    speeds = np.column_stack([column(data, "vx"), column(data, "vy")])
    hold("A01 velocity", np.abs(result.velocity("P")[at] - speeds).max())
    for axis, name in enumerate("xy"):
        t, published = np.array(data["published"][name]).T
        found = result["P"][np.rint(100 * t).astype(int), axis]
        assert np.abs(found - published).max() < 1e-5  # six digits are printed


# -- slider-crank against published states -----------------------------------------------------------------------


def slider_crank_at(row):
    """Return the shipped slider-crank drawn at a reference state, with its speed."""
    theta = row["crank_angle"]
    A, B = (0.1 * math.cos(theta), 0.1 * math.sin(theta)), (row["slider_x"], 0.0)
    return models.load("slider_crank").replaced(
        points={"A": A, "B": B},
        bodies={"slider": {"com": B}, "rod": {"inertia": 0.2 * 0.3**2 / 12}},
        initial={"omega": {"crank": row["crank_rate"]}},
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slider_crank_has_the_reference_accelerations_and_forces(formulation):
    data = reference("slider_crank")
    for values in data["rows"]:
        row = dict(zip(data["columns"], values, strict=True))
        result = pm.simulate(slider_crank_at(row), duration=1e-3, samples=2, formulation=formulation)
        found = {
            "crank_acc": result.alpha("crank")[0],
            "slider_vx": result.velocity("B")[0, 0],
            "FN_y": result.reaction("guide", on="slider")[0, 1],
        }
        for name, joint, on in (("FA", "O", "crank"), ("FB", "A", "crank"), ("FC", "B", "rod")):
            found[f"{name}_x"], found[f"{name}_y"] = result.reaction(joint, on=on)[0]
        force = max(abs(row[k]) for k in row if k.startswith("F"))
        hold("slider-crank acceleration", abs(found["crank_acc"] - row["crank_acc"]) / max(abs(row["crank_acc"]), 75.0))
        hold("slider-crank speed", abs(found["slider_vx"] - row["slider_vx"]))
        worst_force = max(abs(found[k] - row[k]) for k in found if k.startswith("F"))
        hold("slider-crank forces", worst_force / force)
        assert abs(result.moment("guide", on="slider")[0]) <= 1e-9 * force


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slider_crank_follows_the_reference_motion(formulation):
    data = reference("slider_crank")
    result = pm.simulate(models.load("slider_crank"), duration=3.0, samples=61, rtol=1e-10, formulation=formulation)
    at = np.rint(20 * column(data, "t")).astype(int)
    hold("slider-crank angle over 3 s", np.abs(result.angle("crank")[at] - column(data, "crank_angle")).max())
    work = 0.1 * result.angle("crank")
    hold("slider-crank energy over 3 s", np.abs(result.energy.kinetic - work).max() / result.energy.scale)


def test_torque_that_is_switched_off_leaves_the_reference_motion():
    off = reference("slider_crank")["torque_off_after_2s"]
    step = signals.Step(time=2.0, before=0.1, after=0.0)
    result = pm.simulate(
        models.load("slider_crank").replaced(forces={"motor": {"torque": step}}), duration=3.0, samples=13, rtol=1e-10
    )
    at = np.rint(4 * np.array(off["t"])).astype(int)
    hold("slider-crank with torque off", np.abs(result.angle("crank")[at] - off["crank_angle"]).max())


# -- efforts of drivers ------------------------------------------------------------------------------------------


def slider_crank_effort(t):
    w = 2 * math.pi * 0.8
    angle, rate, turn = 2.5 * np.sin(w * t), 2.5 * w * np.cos(w * t), -2.5 * w * w * np.sin(w * t)
    return effort(slider_crank_members(0.7 + angle, 0.1, 0.3, (0.2, 0.2, 0.4)), rate, turn)


def four_bar_effort(t):
    w = 2 * math.pi * 0.6
    angle, rate, turn = 4.0 * np.sin(w * t), 4.0 * w * np.cos(w * t), -4.0 * w * w * np.sin(w * t)
    lengths = (0.1, math.hypot(0.3, 0.2), 0.3, 0.3)
    return effort(four_bar_members(math.pi / 2 + angle, lengths, (0.5, 0.8, 0.6)), rate, turn)


DRIVEN = {"slider-crank": (driven_slider_crank, slider_crank_effort), "four-bar": (driven_four_bar, four_bar_effort)}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("name", DRIVEN)
def test_effort_equals_the_power_balance_at_any_tolerance(name, rtol, formulation):
    build, exact = DRIVEN[name]
    result = pm.simulate(build(), duration=2.0, samples=101, rtol=rtol, formulation=formulation)
    expected = exact(result.t)
    hold("effort by power balance", np.abs(result.effort("motor") - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_pushed_slider_of_a_slider_crank_has_the_effort_of_the_power_balance(formulation):
    mechanism = driven_slider_crank()
    x0 = mechanism.points["B"][0]
    push = drivers.Coordinate(joint="guide", motion=signals.Sine(amplitude=0.02, frequency=1.0))
    mechanism = mechanism.replaced(drivers={"motor": None, "push": push})
    result = pm.simulate(mechanism, duration=1.0, samples=51, rtol=1e-6, formulation=formulation)
    w = 2 * math.pi
    x, v, a = 0.02 * np.sin(w * result.t), 0.02 * w * np.cos(w * result.t), -0.02 * w * w * np.sin(w * result.t)
    # crank angle of a given slider place by the cosine rule, then the chain rule from theta to x
    theta = np.arccos(((x0 + x) ** 2 + 0.1**2 - 0.3**2) / (2 * 0.1 * (x0 + x)))
    crank, rod, block = members = slider_crank_members(theta, 0.1, 0.3, (0.2, 0.2, 0.4))
    x1, x2 = block.r1.real, block.r2.real
    rate = v / x1
    expected = effort(members, rate, (a - x2 * rate**2) / x1) / x1
    hold("effort by power balance", np.abs(result.effort("push") - expected).max() / np.abs(expected).max())
    assert crank.mass == rod.mass == 0.2


# -- joints ------------------------------------------------------------------------------------------------------


def angle_bracket(*, welded):
    """Return an L of two rods that swings about O, as two welded bodies or as one."""
    points = {"O": (0.0, 0.0), "A": (0.6, 0.0), "B": (0.6, 0.4)}
    base = {"gravity": DOWN, "points": points}
    if welded:
        bodies = {"long": Body(points=("O", "A"), mass=1.2), "short": Body(points=("A", "B"), mass=0.8)}
        weld = joints.Weld(bodies=("long", "short"))
        return Mechanism(bodies=bodies, joints={**pinned(O=("ground", "long")), "weld": weld}, **base)
    com = np.array([1.2 * 0.3 + 0.8 * 0.6, 0.8 * 0.2]) / 2.0
    inertia = 1.2 * 0.6**2 / 12 + 0.8 * 0.4**2 / 12
    inertia += 1.2 * ((0.3 - com[0]) ** 2 + com[1] ** 2) + 0.8 * ((0.6 - com[0]) ** 2 + (0.2 - com[1]) ** 2)
    body = Body(points=("O", "A", "B"), mass=2.0, com=tuple(com), inertia=inertia)
    return Mechanism(bodies={"both": body}, joints=pinned(O=("ground", "both")), **base)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_two_welded_bodies_move_as_one(formulation):
    options = {"duration": 2.0, "samples": 41, "rtol": 1e-10, "formulation": formulation}
    two, one = (pm.simulate(angle_bracket(welded=w), **options) for w in (True, False))
    hold("welded pair, place", np.abs(two["B"] - one["B"]).max())
    hold("welded pair, bearing", np.abs(two.reaction("O", on="long") - one.reaction("O", on="both")).max() / (2 * G))
    # the weld carries what moves the second body, about its centre of mass
    frame = two.to_dataframe()
    mean = (two.acceleration("A") + two.acceleration("B")) / 2
    expected = 0.8 * (mean + np.array([0.0, G]))
    assert np.abs(two.reaction("weld", on="short") - expected).max() <= 1e-11 * np.abs(expected).max()
    turning = 0.8 * 0.4**2 / 12 * two.alpha("short")
    assert np.abs(two.moment("weld", on="short") - turning).max() <= 1e-11
    assert np.array_equal(frame["weld.short.m"], two.moment("weld", on="short"))
    # seen from the other body: opposite force, and the moment about the same place
    assert np.abs(two.reaction("weld", on="long") + two.reaction("weld", on="short")).max() <= 1e-12
    assert np.abs(two.moment("weld", on="long") + two.moment("weld", on="short")).max() <= 1e-12


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_weld_with_a_point_reports_its_moment_there(formulation):
    options = {"duration": 0.5, "samples": 6, "rtol": 1e-11, "formulation": formulation}
    at_com = pm.simulate(angle_bracket(welded=True), **options)
    at_corner = pm.simulate(angle_bracket(welded=True).replaced(joints={"weld": {"point": "A"}}), **options)
    arm = at_com.com("short") - at_com["A"]
    force = at_com.reaction("weld", on="short")
    expected = at_com.moment("weld", on="short") + arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
    assert np.abs(at_corner.moment("weld", on="short") - expected).max() <= 1e-7


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forces_on_all_bodies_of_a_pin_sum_to_zero(formulation):
    result = pm.simulate(models.load("andrews_squeezer"), samples=21, formulation=formulation)
    forces_at_E = [result.reaction("E", on=body) for body in ("K2", "K3", "K4", "K6")]
    size = max(np.abs(f).max() for f in forces_at_E)
    assert size > 10.0
    assert np.abs(sum(forces_at_E)).max() <= 1e-12 * size


def test_slide_between_two_moving_bodies_carries_the_analytic_moment():
    """A block slides outwards along a driven lever: the slide gives the Coriolis force, and no moment about P."""
    mechanism = Mechanism(
        points={"O": (0.0, 0.0), "E": (1.0, 0.0), "P": (0.2, 0.0)},
        bodies={
            "lever": Body(points=("O", "E"), mass=1.0),
            "block": Body(points=("P",), mass=0.5, com=(0.2, 0.05), inertia=0.01),
        },
        joints={
            **pinned(O=("ground", "lever")),
            "slide": joints.Prismatic(bodies=("lever", "block"), point="P", axis=(1.0, 0.0)),
        },
        drivers={"motor": drivers.Rotation(bodies=("ground", "lever"), motion=signals.Linear(rate=3.0))},
        initial=Initial(velocity={"P": (0.0, 0.6)}),
    )
    for formulation in FORMULATIONS:
        result = pm.simulate(mechanism, duration=0.6, samples=13, rtol=1e-9, formulation=formulation)
        v = 0.6 * np.sinh(3 * result.t)
        # the centre of mass lies 0.05 beside P: along the slot s'' = 9 s, across it 2 v 3 - 9 * 0.05
        side = 0.5 * (6.0 * v - 9.0 * 0.05)
        u = np.column_stack([-np.sin(3 * result.t), np.cos(3 * result.t)])
        hold("slide, force", np.abs(result.reaction("slide", on="block") - side[:, None] * u).max())
        hold("slide, moment", np.abs(result.moment("slide", on="block")).max())


# -- forces ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_custom_force_equals_the_built_in_spring(formulation):
    stiffness, damping, free = 400.0, 3.0, 0.25

    def pull(t, state):
        line = state["B"] - np.array([0.5, 0.5])
        length = math.hypot(*line)
        unit = line / length
        tension = stiffness * (length - free) + damping * float(unit @ state.velocity("B"))
        return -tension * unit, state["B"], 0.0

    base = models.load("four_bar").replaced(points={"S": (0.5, 0.5)})
    spring = forces.Spring(
        bodies=("ground", "coupler"), points=("S", "B"), stiffness=stiffness, damping=damping, length=free
    )
    options = {"duration": 0.3, "samples": 16, "rtol": 1e-8, "formulation": formulation}
    built_in = pm.simulate(base.replaced(forces={"spring": spring}), **options)
    custom = pm.simulate(base.replaced(forces={"spring": forces.Custom(body="coupler", function=pull)}), **options)
    hold("custom spring, place", np.abs(custom["B"] - built_in["B"]).max())
    bearing = built_in.reaction("C", on="rocker")
    hold("custom spring, force", np.abs(custom.reaction("C", on="rocker") - bearing).max() / np.abs(bearing).max())
    # all of the custom force counts as work, of the spring only its damper: potential and work share it differently
    for result in (custom, built_in):
        hold("custom spring, energy", np.abs(result.energy.error).max() / result.energy.scale)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_torque_between_two_floating_bodies_turns_them_against_each_other(formulation):
    bodies = {
        n: Body(points=(n.upper(),), mass=1.0, com=c, inertia=i) for n, c, i in (("a", (0, 0), 0.5), ("b", (1, 0), 2))
    }
    mechanism = Mechanism(
        points={"A": (0.1, 0.0), "B": (1.1, 0.0)},
        bodies=bodies,
        forces={"couple": forces.Torque(bodies=("a", "b"), torque=3.0)},
    )
    result = pm.simulate(mechanism, duration=2.0, samples=11, rtol=1e-9, formulation=formulation)
    hold("free couple", np.abs(result.omega("b") - 3.0 / 2.0 * result.t).max())
    hold("free couple", np.abs(result.omega("a") + 3.0 / 0.5 * result.t).max() / 12.0)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spring_between_two_floating_bodies_has_the_period_of_the_reduced_mass(formulation):
    mechanism = Mechanism(
        points={"A": (0.0, 0.0), "B": (1.2, 0.0)},
        bodies={
            "a": Body(points=("A",), mass=1.0, com=(0.0, 0.0), inertia=0.1),
            "b": Body(points=("B",), mass=3.0, com=(1.2, 0.0), inertia=0.1),
        },
        forces={"spring": forces.Spring(bodies=("a", "b"), points=("A", "B"), stiffness=75.0, length=1.0)},
    )
    result = pm.simulate(mechanism, duration=1.5, samples=31, rtol=1e-9, formulation=formulation)
    w = math.sqrt(75.0 / (1.0 * 3.0 / 4.0))
    stretch = (result["B"] - result["A"])[:, 0] - 1.0
    hold("two masses on a spring", np.abs(stretch - 0.2 * np.cos(w * result.t)).max() / 0.2)
    middle = (result["A"] + 3.0 * result["B"]) / 4.0
    hold("centre of two masses", np.abs(middle - middle[0]).max())


def test_what_nothing_pushes_stays_where_it_is():
    result = pm.simulate(slider(), duration=5.0, samples=6)
    assert np.array_equal(result["P"], np.tile([1.5, 0.0], (6, 1)))
    assert not np.any(result.energy.kinetic)
