"""Forces and controllers that users write in Python, in loops: closed forms, built-in forces said again, mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.analyses.influence.lagrange import compared
from particlemech.engine.natural.equations import system
from particlemech.engine.recursive import equations as recursive
from particlemech.errors import ModelError, SimulationError
from particlemech.model import toml
from particlemech.model.space import Body, Initial, Mechanism, forces, joints
from tests.support.oracles import central
from tests.support.second_opinion import BOTH

Z = (0.0, 0.0, 1.0)
FREE = models.load("rssr").replaced(drivers={"motor": None})
QUOTIENT = 2e-7  # of the largest entry: error of difference quotients, ten times the observed one


def wheel(function):
    """Return a wheel of inertia 0.5 with a controller, and a sled on a screw beside it, so that it is no tree."""
    body = {"mass": 1.0, "inertia": (0.3, 0.3, 0.5)}
    return Mechanism(
        bodies={"wheel": Body(com=(0.0, 0.0, 0.0), **body), "sled": Body(com=(1.0, 0.0, 0.0), **body)},
        joints={
            "hub": joints.Revolute(bodies=("ground", "wheel"), point=(0.0, 0.0, 0.0), axis=Z),
            "thread": joints.Screw(bodies=("ground", "sled"), point=(1.0, 0.0, 0.0), axis=Z, pitch=0.1),
        },
        forces={"servo": forces.Custom(joint="hub", function=function)},
    )


@BOTH
def test_a_controller_brings_a_wheel_where_it_is_to_be(simulate):
    k, c, to = 8.0, 1.0, 9.0  # more than a turn away: turns count
    model = wheel(lambda t, state: k * (to - state.coordinate("hub")) - c * state.rate("hub"))
    run = simulate(model, duration=2.0, samples=21, rtol=1e-8)
    decay, w = c / (2.0 * 0.5), math.sqrt(k / 0.5 - (c / (2.0 * 0.5)) ** 2)
    x = to - to * np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    assert np.abs(run.coordinate("hub") - x).max() < 1e-6 * to
    assert np.abs(run.force("servo") - (k * (to - run.coordinate("hub")) - c * run.rate("hub"))).max() < 1e-12
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale


@BOTH
def test_a_spring_between_points_said_by_hand_moves_a_loop_alike(simulate):
    """On both bodies by two functions, against the built-in spring."""
    k, c, free = 40.0, 2.0, 0.3

    def pull(sign, t, state):
        r = state["B"] - state["O"]
        length = np.linalg.norm(r)
        tension = k * (length - free) + c * (r / length) @ (state.velocity("B") - state.velocity("O"))
        return sign * tension * r / length, state["B"] if sign < 0.0 else state["O"], (0.0, 0.0, 0.0)

    spring = forces.Spring(bodies=("crank", "rocker"), points=("O", "B"), stiffness=k, damping=c, length=free)
    by_hand = {
        "one": forces.Custom(body="crank", function=lambda t, state: pull(1.0, t, state)),
        "other": forces.Custom(body="rocker", function=lambda t, state: pull(-1.0, t, state)),
    }
    both = (FREE.replaced(forces=made) for made in ({"s": spring}, by_hand))
    run, other = (simulate(model, duration=0.3, samples=7, rtol=1e-9) for model in both)
    assert np.abs(run["B"] - other["B"]).max() < 1e-7
    assert np.abs(run.coordinate("C") - other.coordinate("C")).max() < 1e-6
    pulled = np.linalg.norm(other.force("other"), axis=1)
    assert np.abs(pulled - np.abs(run.force("s"))).max() < 1e-4 * pulled.max()
    assert set(other.columns()) >= {"one.fx", "one.px", "one.mx"}


def test_functions_are_told_the_same_state_by_either_integrator(rng):
    seen = []

    def noted(t, state):
        seen.append(np.array([state["A"], state.velocity("B"), state.omega("rocker")]))
        return 0.0

    made = recursive.system(FREE.replaced(forces={"f": forces.Custom(joint="O", function=noted)}))
    q, v = rng.uniform(0.1, 0.3, made.n_q), rng.normal(size=made.n_v)
    for one in (made, made.with_multipliers):
        one.following(0.0, q, v, np.zeros(one.n_row), np.zeros(1))
    np.testing.assert_array_equal(*seen)
    assert np.any(seen[0][2])


@BOTH
def test_a_couple_and_a_torque_are_the_same(simulate):
    torque = forces.Torque(bodies=("ground", "coupler"), torque=(0.1, -0.2, 0.3))
    couple = forces.Custom(body="coupler", function=lambda t, state: ((0, 0, 0), (5, 6, 7), (0.1, -0.2, 0.3)))
    run, other = (
        simulate(FREE.replaced(forces={"f": f}), duration=0.2, samples=5, rtol=1e-9) for f in (torque, couple)
    )
    assert np.abs(run.omega("coupler") - other.omega("coupler")).max() < 1e-6 * np.abs(run.omega("coupler")).max()


def test_derivatives_of_functions_are_in_both_jacobians(rng):
    def drag(t, state):
        return -0.3 * state.velocity("B"), state["A"], -0.2 * state.omega("rocker") * state.coordinate("O")

    model = FREE.replaced(
        forces={
            "drag": forces.Custom(body="coupler", function=drag),
            "servo": forces.Custom(
                joint="O", function=lambda t, state: math.sin(state.coordinate("C")) - state.rate("C")
            ),
        }
    )
    made = system(model)
    n, cj, lay = made.n, 3.0, made.layout
    y, yp = rng.standard_normal((2, n)) * 0.1
    y[lay.q] += made.compiled.shared.drawing
    residual, jacobian = made.callbacks(False)

    def value(d):
        res = np.zeros(n)
        assert residual(0.1, y + d, yp + cj * d, res)
        return res

    J = np.zeros((n, n))
    jacobian(0.1, y, yp, np.zeros(n), cj, J)
    wanted = central(value, np.zeros(n), 1e-4)
    exact = [k for k in range(n) if k not in range(lay.x.start, lay.x.stop - 1)]
    worst = np.abs(J - wanted)[exact].max() / np.abs(wanted).max()
    print(f"observed {worst:.1e}")
    assert worst < QUOTIENT
    data = np.zeros(len(made.indices))
    made.callbacks(True)[1](0.1, y, yp, np.zeros(n), cj, data)
    again = np.zeros((n, n))
    again[made.indices, np.repeat(np.arange(n), np.diff(made.indptr))] = data
    assert np.array_equal(again, J)


@BOTH
def test_what_a_function_returns_is_checked_and_named(simulate):
    with pytest.raises(ModelError, match='force "servo": its function must return a number'):
        simulate(wheel(lambda t, state: (1.0, 2.0)), duration=0.1, samples=2)
    push = forces.Custom(body="crank", function=lambda t, state: (1.0, 2.0, 3.0))
    with pytest.raises(ModelError, match='force "push": its function must return force, place and couple'):
        simulate(FREE.replaced(forces={"push": push}), duration=0.1, samples=2)


@BOTH
def test_a_function_that_is_not_finite_ends_the_run_with_its_name(simulate):
    model = wheel(lambda t, state: math.nan if t > 0.05 else 1.0)
    with pytest.raises(SimulationError, match='force "servo"'):
        simulate(model, duration=0.1, samples=3)


def test_no_file_can_hold_a_function():
    with pytest.raises(ModelError, match='force "servo"'):
        toml.dumps(wheel(lambda t, state: 0.0))


@BOTH
def test_states_of_events_know_coordinates_with_their_turns(simulate):
    spun = wheel(lambda t, state: 0.0).replaced(initial=Initial(rate={"hub": 10.0}))
    run = simulate(
        spun, duration=3.0, samples=4, events={"third": lambda t, state: state.coordinate("hub") - 6.0 * math.pi}
    )
    assert run.events["third"].t == pytest.approx([6.0 * math.pi / 10.0], rel=1e-6)


# -- on bodies that bend -----------------------------------------------------------------------------------------------

BEAM = Body(
    points=("A", "B", "C"),
    density=0.5,
    EI=5.0,
    GJ=4.0,
    rotary=(1e-3, 1e-3, 1e-3),
    damping=(0.0, 1e-3),
    modes=[{"along": way, "shape": (0.0, 0.0, 1.0)} for way in "yz"] + [{"about": "x", "shape": (0.0, 1.0)}],
    sublinks=2,
)
ARM = Mechanism(
    points={"A": (0.1, 0.0, 0.0), "B": (0.7, 0.0, 0.0), "C": (0.4, 0.0, 0.0)},
    bodies={"hub": Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.01, 0.01, 0.01)), "beam": BEAM},
    joints={
        "O": joints.Revolute(bodies=("ground", "hub"), point=(0.0, 0.0, 0.0), axis=Z),
        "root": joints.Weld(bodies=("hub", "beam"), point="A"),
    },
    gravity=(0.0, 0.0, -9.81),
    initial=Initial(rate={"O": 1.0}),
)
HELD = ARM.replaced(joints={"rod": joints.Distance(bodies=("ground", "beam"), points=((0.7, 0.0, 0.8), "B"))})
FORCE, COUPLE = (0.3, -0.5, 0.8), (0.05, 0.1, -0.2)


@pytest.mark.parametrize("point", ["B", "C"])
@pytest.mark.parametrize("model", [ARM, HELD], ids=["tree", "loop"])
def test_a_force_on_a_bending_body_said_by_hand_is_a_load_and_a_torque(model, point):
    by_words = {
        "push": forces.Load(body="beam", point=point, force=FORCE),
        "turn": forces.Torque(bodies=("ground", "beam"), point=point, torque=COUPLE),
    }
    by_hand = {"push": forces.Custom(body="beam", point=point, function=lambda t, state: (FORCE, state[point], COUPLE))}
    options = {"duration": 0.2, "samples": 5, "rtol": 1e-10, "integrator": "ida"}
    run, other = (pm.simulate(model.replaced(forces=made), **options) for made in (by_words, by_hand))
    assert np.abs(run.elastic("B")).max() > 1e-3
    for of in ("B", "C"):
        assert np.abs(run[of] - other[of]).max() < 1e-9
        assert np.abs(run.acceleration(of) - other.acceleration(of)).max() < 1e-5 * np.abs(run.acceleration(of)).max()
    one, two = run.internal("beam", 7).moment, other.internal("beam", 7).moment
    assert np.abs(one - two).max() < 1e-6 * np.abs(one).max()
    assert np.abs(other.force("push") - FORCE).max() == 0.0
    for _, off, size, where, _ in compared(other, 3):
        assert off < 1e-9 * size, where


def test_a_force_beside_its_section_turns_it():
    """With an arm across, as an offset mass has it: the couple is arm x force."""
    arm = np.array([0.0, 0.1, 0.0])
    aside, couple = (
        ARM.replaced(forces={"push": forces.Custom(body="beam", point="B", function=function)})
        for function in (
            lambda t, state: (FORCE, state["B"] + arm, (0.0, 0.0, 0.0)),
            lambda t, state: (FORCE, state["B"], np.cross(arm, FORCE)),
        )
    )
    run, other = (pm.simulate(model, duration=0.1, samples=3, rtol=1e-9) for model in (aside, couple))
    assert np.abs(run.modal("beam") - other.modal("beam")).max() < 1e-9
    assert np.abs(run.modal("beam")[:, 2]).max() > 1e-4  # torsion


def test_a_point_is_for_forces_on_bodies():
    with pytest.raises(ModelError, match='force "servo": key "point" is for a force on a body'):
        wheel(lambda t, state: 0.0).replaced(
            forces={"servo": forces.Custom(joint="hub", point=(0.0, 0.0, 0.0), function=lambda t, state: 0.0)}
        )
    with pytest.raises(ModelError, match='force "push"'):
        ARM.replaced(forces={"push": forces.Custom(body="beam", point="Q", function=lambda t, state: (Z, Z, Z))})
