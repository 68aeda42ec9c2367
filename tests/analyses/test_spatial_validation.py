"""Two formulations of mechanisms in space that share no equation, on random loops and on shipped models."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid

import particlemech as pm
from particlemech import models
from particlemech.analyses.validation import validated
from particlemech.cli.main import main
from particlemech.engine.natural.laws import torsion
from particlemech.model import space
from particlemech.model.space import Body, Mechanism, forces, joints
from particlemech.model.spec import kind_name
from particlemech.model.toml import loads
from particlemech.result.mobility.space import judged
from particlemech.run.recursive import by_adams
from tests.support.random_loops import IN_LOOPS, random_loop
from tests.support.second_opinion import BOTH, SAME_MOTION, agree

SHIPPED = [name for name in models.names() if isinstance(models.load(name), Mechanism)]
MOVING = (1, 4, 8, 13)  # seeds of loops whose motion is compared: with a driver, with a rod, with two hinges in line


# -- random loops ----------------------------------------------------------------------------------------------------


def test_the_random_loops_hold_all_kinds_of_joints_and_forces_and_some_hold_more_than_needed():
    some = [random_loop(seed) for seed in range(25)]
    assert {kind_name(type(j)) for m in some for j in m.joints.values()} == {*IN_LOOPS, "distance"}
    never = {forces.Distributed, forces.DcMotor, forces.CurveMotor, forces.Pid}  # these: test_control_in_space.py
    assert {type(f) for m in some for f in m.forces.values()} == set(forces.KINDS) - never
    assert {len(m.drivers) for m in some} == {0, 1}
    assert any("lower" in m.joints for m in some)


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_accelerations_unique_reactions_and_energies_of_random_loops_agree(seed):
    agree(pm.simulate(random_loop(seed), duration=0.05, samples=2, rtol=1e-6), None)


@pytest.mark.parametrize("seed", MOVING)
def test_motions_of_random_loops_agree(seed):
    agree(pm.simulate(random_loop(seed), duration=0.5, samples=6, rtol=1e-10))


@pytest.mark.parametrize("lean", [0.0, 1e-2])
def test_two_hinges_in_line_push_each_other_along_it_and_both_formulations_know(lean):
    # across their line that is nothing, or something
    axis = (lean, 0.0, 1.0)
    door = Mechanism(
        bodies={"door": Body(mass=1.0, com=(0.4, 0.0, 0.1), inertia=(0.2, 0.3, 0.4))},
        joints={
            name: joints.Revolute(bodies=("ground", "door"), point=tuple(z * np.array(axis)), axis=axis)
            for name, z in (("low", -0.5), ("high", 0.5))
        },
        gravity=(0.0, -1.0, -9.81),
    )
    run = pm.simulate(door, duration=0.1, samples=2)
    agree(run)
    assert np.isnan(run.moment("low", "door")[0]).tolist() == [True, True, lean > 0.0]


# -- torsion over full turns -----------------------------------------------------------------------------------------


def wound(stiffness, damping, rest, rate):
    """Return a disk on a hinge across the axes, with a torsion spring, that turns at the start, and the axis."""
    u = np.array([1.0, 2.0, 2.0]) / 3.0
    return u, Mechanism(
        bodies={"disk": Body(mass=1.0, com=(0.3, 0.0, 0.0), inertia=(0.2, 0.2, 0.2))},
        joints={"pin": joints.Revolute(bodies=("ground", "disk"), point=(0.0, 0.0, 0.0), axis=tuple(u))},
        forces={"spring": forces.Torsion(joint="pin", stiffness=stiffness, damping=damping, angle=rest)},
        initial={"omega": {"disk": tuple(rate * u)}},
        gravity=tuple(9.81 * u),  # along the axis: it turns nothing
    )


@pytest.mark.parametrize(("rest", "rate"), [(6.5 * math.pi, 0.0), (-0.4, 100.0)], ids=["wound up", "thrown"])
@BOTH
def test_a_damped_torsion_spring_swings_over_three_turns_by_its_closed_form_in_both(rest, rate, simulate):
    stiffness, damping, inertia = 3.0, 0.1, 0.2 + 0.3**2 * 8.0 / 9.0
    u, swing = wound(stiffness, damping, rest, rate)
    run = simulate(swing, duration=1.0, samples=11, rtol=1e-10)
    decay = 0.5 * damping / inertia
    w, t = math.sqrt(stiffness / inertia - decay**2), run.t
    # x = angle - rest = exp(-decay t) (x0 cos w t + s sin w t)
    x0, s = -rest, (rate - decay * rest) / w
    x = np.exp(-decay * t) * (x0 * np.cos(w * t) + s * np.sin(w * t))
    speed = np.exp(-decay * t) * ((s * w - decay * x0) * np.cos(w * t) - (x0 * w + decay * s) * np.sin(w * t))
    assert np.abs(x + rest).max() > 3.0 * math.tau
    size = np.abs(speed).max()
    assert np.abs(run.omega("disk") @ u - speed).max() < SAME_MOTION * size
    assert np.abs(run.coordinate("pin") - rest - x).max() < SAME_MOTION * np.abs(x).max()
    spring = 0.5 * stiffness * x**2  # the weight stores always the same
    assert np.abs(np.diff(run.energy.potential - spring)).max() < SAME_MOTION * spring.max()
    lost = 0.5 * inertia * (speed**2 - rate**2) + spring - spring[0]
    assert np.abs(run.energy.work - lost).max() < SAME_MOTION * spring.max()


@BOTH
def test_a_pendulum_with_a_wound_spring_accelerates_by_weight_spring_and_damper(simulate):
    u, swing = wound(3.0, 0.1, -0.4, 0.0)
    bob = Body(mass=1.5, com=(0.4, 0.0, 0.0), inertia=(0.2, 0.2, 0.2))
    swing = replace(swing, bodies={"disk": bob}, gravity=(3.0, -2.0, -9.81))
    arm = np.array(bob.com)
    about = 0.2 + 1.5 * (arm @ arm - (arm @ u) ** 2)
    for turns in (0, 3, -3):
        start = {"position": {"pin": turns * math.tau}, "omega": {"disk": tuple(7.0 * u)}}
        run = simulate(replace(swing, initial=start), duration=1e-3, samples=2)
        moment = 1.5 * u @ np.cross(arm, swing.gravity) - 3.0 * (turns * math.tau + 0.4) - 0.1 * 7.0
        assert run.alpha("disk")[0] @ u == pytest.approx(moment / about, rel=1e-9)


def spinning():
    """Return an arm that turns about the ground and a rotor on it, about a line across, both against springs."""
    return Mechanism(
        bodies={
            "arm": Body(mass=1.0, com=(0.2, 0.0, 0.1), inertia=(0.02, 0.05, 0.06, 0.001, 0.002, 0.003)),
            "rotor": Body(mass=0.8, com=(0.42, 0.03, 0.1), inertia=(0.02, 0.02, 0.03, 0.001, 0.0, 0.002)),
        },
        joints={
            "base": joints.Revolute(bodies=("ground", "arm"), point=(0.0, 0.0, 0.0), axis=(0.1, 0.0, 1.0)),
            "top": joints.Cylindrical(bodies=("rotor", "arm"), point=(0.4, 0.0, 0.1), axis=(0.3, 1.0, 0.2)),
        },
        forces={
            "low": forces.Torsion(joint="base", stiffness=0.3, damping=0.02, angle=1.0),
            "high": forces.Torsion(joint="top", coordinate="angle", stiffness=0.05, damping=0.003, angle=-2.0),
            "stay": forces.Spring(
                bodies=("arm", "rotor"), points=((0.4, 0.3, 0.1), (0.4, 0.05, 0.1)), stiffness=90.0, length=0.2
            ),
        },
        initial={"omega": {"arm": (-1.5, 0.0, -15.0), "rotor": (12.0, 45.0, -6.0)}},
        gravity=(0.0, 0.0, -9.81),
    )


def test_springs_wound_up_over_three_turns_between_moving_bodies_agree():
    run = pm.simulate(spinning(), duration=0.6, samples=13, rtol=1e-10)
    agree(run)
    axis = run.orientation("rotor") @ run.mechanism.joints["top"].direction
    rate = np.sum(axis * (run.omega("arm") - run.omega("rotor")), axis=1)
    assert abs(trapezoid(rate, run.t)) > 3.0 * math.tau


# -- verdicts --------------------------------------------------------------------------------------------------------


def test_redundant_joints_of_a_planar_loop_in_space_are_named():
    plane = models.load("four_bar")
    bodies = {
        name: space.Body(
            points=body.points, mass=body.mass, com=(*plane.centre(name), 0.0), inertia=(0.6 * i, 0.6 * i, i)
        )
        for name, body in plane.bodies.items()
        for i in [plane.inertia(name)]
    }
    in_space = space.Mechanism(
        points={name: (*place, 0.0) for name, place in plane.points.items()},
        bodies=bodies,
        joints={
            name: space.joints.Revolute(bodies=joint.bodies, point=joint.point, axis=(0.0, 0.0, 1.0))
            for name, joint in plane.joints.items()
        },
        gravity=(*plane.gravity, 0.0),
        initial={"omega": {name: (0.0, 0.0, w) for name, w in plane.initial.omega.items()}},
    )
    found = judged(in_space)
    assert (found.by_count, found.by_rank, found.redundancy, len(found.redundant)) == (-2, 1, 3, 4)


def test_validate_compares_both_formulations(capsys, tmp_path):
    path = tmp_path / "pendulum.toml"
    path.write_text(
        'kind = "spatial"\ngravity = [0.0, 0.0, -9.81]\n[points]\nO = [0.0, 0.0, 0.0]\nP = [1.0, 0.0, 0.0]\n'
        '[bodies.rod]\npoints = ["O", "P"]\nmass = 1.0\n'
        '[joints.O]\ntype = "screw"\nbodies = ["ground", "rod"]\npoint = "O"\naxis = [0.0, 1.0, 0.3]\npitch = 0.01\n'
    )
    assert main(["validate", str(path), "--duration", "0.3", "--samples", "4"]) == 0
    said = capsys.readouterr().out
    assert "recursive by explicit against natural by ida" in said and "orientations" in said and "moments" in said
    assert main(["check", str(path)]) == 0
    assert "degrees of freedom by rank             1" in capsys.readouterr().out


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_mechanism_in_space_is_validated(capsys, name):
    assert main(["validate", name, "--duration", "0.1", "--samples", "3"]) == 0, capsys.readouterr().out


def test_validate_says_how_much_of_the_reactions_was_compared(capsys):
    main(["validate", "universal_shaft", "--duration", "0.05", "--samples", "3"])
    said = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
    assert {"moments, 4 of 9", "which are unique", "energy"} <= set(said)


def test_validate_notices_a_damper_that_one_formulation_leaves_out(monkeypatch):
    assert validated(spinning(), formulation="natural", duration=0.1, samples=3).agreed
    whole = torsion.record
    monkeypatch.setattr(torsion, "record", lambda spec, where: whole(replace(spec, damping=0.0), where))
    found = validated(spinning(), formulation="natural", duration=0.1, samples=3)
    assert not found.agreed
    wrong = {d.quantity for d in found.differences if d.relative > found.tolerance}
    assert {"points", "angular accelerations", "energy"} <= wrong


# -- impulses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", ["global", "body"])
def test_the_second_opinion_strikes_a_redundant_loop_as_the_run_does(frame):
    hit = space.Impulse(time=0.1, body="coupler", impulse=(0.3, -0.2, 1.0), moment=(0.0, 0.1, 0.0), frame=frame)
    struck = pm.models.load("bennett").replaced(impulses={"hit": hit})
    found = pm.validate(struck, duration=0.2, samples=5)
    assert found.agreed, found.verdict
    untouched = pm.simulate(pm.models.load("bennett"), duration=0.2, samples=5)
    assert np.abs(found.first.omega("coupler") - untouched.omega("coupler"))[-1].max() > 1e-2  # it does strike


def test_an_impulse_between_samples_is_seen_by_both():
    hit = space.Impulse(time=0.0333, body="rocker", point="B", impulse=(0.0, 0.1, 0.0))
    free = pm.models.load("rssr").replaced(drivers={"motor": None}, initial={"rate": {"O": 3.0}})
    found = pm.validate(free.replaced(impulses={"hit": hit}), duration=0.1, samples=4)
    assert found.agreed, found.verdict


# -- a second integrator ---------------------------------------------------------------------------------------------


def test_a_rod_that_vibrates_thousands_of_times_is_validated_by_a_third_integrator_over_its_whole_run():
    found = pm.validate(pm.models.load("flexible_slider_crank"), samples=6)
    assert found.agreed and found.complete, found.verdict
    assert found.second.t[-1] == 0.1 and found.between == "explicit against adams, and Lagrange"
    measured = found.second.certificate  # along all steps, without projection
    assert 0.0 < measured.position < 1e-9 and 0.0 < measured.energy_error < 1e-7 * measured.kinetic


def test_adams_method_follows_an_impulse_between_samples_and_stops_at_its_limit():
    hit = space.Impulse(time=0.05, body="coupler", impulse=(0.3, -0.2, 1.0))
    struck = pm.models.load("bennett").replaced(impulses={"hit": hit})
    run = pm.simulate(struck, duration=0.2, samples=14, rtol=1e-10)
    again = by_adams(run, 100_000)
    assert again.status.value == "completed" and len(again.t) == len(run.t)
    assert np.abs(again.omega("coupler") - run.omega("coupler")).max() < 1e-7 * np.abs(run.omega("coupler")).max()
    assert by_adams(run, 10).status.value == "step limit"


def test_a_python_function_in_a_tree_is_witnessed_by_another_integrator_than_the_one_that_ran():
    steered = forces.Custom(joint="base", function=lambda t, state: 0.3 * math.sin(5.0 * t) - 0.2 * state.rate("base"))
    arm = replace(spinning(), forces={"steered": steered})
    found = pm.validate(arm, duration=0.03, samples=3)
    assert found.agreed and found.between.startswith("ida against adams"), (found.between, found.verdict)


@pytest.mark.parametrize(
    ("keys", "acts"),
    [
        (", friction = { mu = 0.1, radius = 0.05 }", ""),
        ("", 'events.more = { when = "t > 0.1", do = "switch signal", of = "push", to = 3.0 }'),
        (", friction = { mu = 0.1, radius = 0.05 }, drive = { stiffness = 1e3, damping = 1.0, rotor = 0.01 }", ""),
    ],
    ids=["friction", "switched", "friction beside a drive"],
)
def test_what_methods_at_samples_do_not_know_is_left_to_two_runs(keys, acts):
    """A tree that rubs, or whose motor an event has switched, was NOT AGREED: its three methods left that out."""
    model = loads(f"""
kind = "spatial"
gravity = [0, 0, -9.81]
points = {{ O = [0, 0, 0], C = [0.5, 0, 0] }}
bodies.arm = {{ points = ["O", "C"], mass = 1.0 }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "arm"], axis = [0, 1, 0]{keys} }}
forces.push = {{ type = "motor", joint = "O", effort = 0.5 }}
{acts}
""")
    found = validated(model, duration=0.3, samples=4)
    assert found.agreed, found.verdict
    assert "methods" not in found.between
