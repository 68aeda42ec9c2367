"""Explicit steps: the motions of IDA, the same events and reactions, and an honest end where they cannot go on."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, forces, joints, models, signals
from particlemech.model.toml import from_dict
from particlemech.run.preparing import refused
from tests.run.test_status import TOGGLES
from tests.support.oracles import accelerations, apart, instant, worst_condition
from tests.support.problems import PROBLEMS, rotor, slider
from tests.support.strategies import random_mechanism

APART = 1e-6  # of the mechanism's length at rtol 1e-10, as between the formulations; observed 1.4e-7
TURNED = 1e-6  # rad; observed 1.5e-7
BALANCED = 1e-6  # energy error of the energy in play; observed 1.1e-7
MOTIONS = 60


def both(mechanism, *integrators, **options):
    """Return the runs of two integrators, explicit and IDA unless told otherwise."""
    return [
        pm.simulate(mechanism, integrator=integrator, **options) for integrator in integrators or ("explicit", "ida")
    ]


def column_errors(one, other):
    """Return the largest difference of forces and moments, of the largest force of the mechanism."""
    a, b = one.columns(), other.columns()
    assert list(a) == list(b)
    names = [n for n in a if n.endswith((".fx", ".fy", ".fz", ".m", ".mx", ".my", ".mz", ".effort"))]
    assert all(np.array_equal(np.isnan(a[n]), np.isnan(b[n])) for n in names)
    size = max((np.nanmax(np.abs(b[n])) for n in names if np.isfinite(b[n]).any()), default=0.0)
    far = max((np.nanmax(np.abs(a[n] - b[n])) for n in names if np.isfinite(b[n]).any()), default=0.0)
    return far / max(size, 1e-2)


# -- motions -----------------------------------------------------------------------------------------------------------


def test_random_mechanisms_move_as_with_ida(tally):
    seed, worst = 999, {"apart": 0.0, "angle": 0.0, "energy": 0.0, "reaction": 0.0}
    while tally["kept"] < MOTIONS:
        seed += 1
        mechanism = random_mechanism(np.random.default_rng(seed))
        begin = instant(mechanism)
        at_rest = not np.any(begin.motion.omega) and np.max(np.abs(accelerations(begin))) < 1e-9
        if at_rest or refused(mechanism, "particles") is not None:
            tally["at rest or refused"] += 1
            continue
        one, other = both(mechanism, duration=0.5, samples=11, rtol=1e-10)
        if worst_condition(one).unclear or worst_condition(other).unclear:
            tally["near a singular pose, discarded"] += 1
            continue
        tally["kept"] += 1
        far = {
            "apart": apart(one, other),
            "angle": max(np.abs(one.angle(b) - other.angle(b)).max() for b in mechanism.bodies),
            "energy": np.abs(one.energy.error).max() / max(one.energy.scale, 1e-9),
            "reaction": column_errors(one, other),
        }
        assert far["apart"] <= APART, seed
        assert far["angle"] <= TURNED, seed
        assert far["energy"] <= BALANCED, seed
        worst = {name: max(worst[name], far[name]) for name in worst}
        assert far["reaction"] <= 1e-5, seed
    print("observed", worst)
    assert tally["near a singular pose, discarded"] <= 0.2 * MOTIONS


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if "without inertia" not in p.name], ids=lambda p: p.name)
def test_exact_motions_are_met_within_the_limits_of_ida(problem):
    """Springs over several turns, loads that turn, jumps, tables and drivers: every limit is that of the table."""
    result = pm.simulate(problem.build(), duration=problem.duration, samples=101, rtol=1e-9, integrator="explicit")
    exact, columns = problem.exact(result.t), result.columns()
    for name, value in exact.items():
        size = np.abs(value).max() or 1.0
        assert np.abs(columns[name] - value).max() <= max(problem.limit, 1e-12) * size, name


def test_shipped_models_meet_their_own_checks(model):
    result = pm.simulate(model, integrator="auto")
    check, columns = model.check, result.columns()
    assert np.abs(result.energy.error).max() <= check.energy * result.energy.scale
    for name, value in check.end.items():
        assert abs(columns[name][-1] - value) <= check.tolerance * max(1.0, abs(value)), name


def test_shipped_models_have_the_reactions_and_efforts_of_ida(model):
    duration = min(0.2, model.run.duration)
    assert column_errors(*both(model, "auto", "ida", duration=duration, samples=5, rtol=1e-10)) <= 1e-6


def test_few_and_many_samples_reach_the_same_end():
    model = models.load("andrews_squeezer")
    few, many = (pm.simulate(model, samples=n, integrator="explicit") for n in (2, 5000))
    for body in model.bodies:
        assert few.angle(body)[-1] == many.angle(body)[-1]
        assert few.omega(body)[-1] == many.omega(body)[-1]


def test_a_run_that_is_repeated_gives_the_same_bytes():
    one, other = (pm.simulate(models.load("double_pendulum"), integrator="explicit").columns() for _ in range(2))
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def pushed_wheel(torque):
    """Return a disc of 0.5 kg m^2 that a torque turns."""
    return rotor(forces={"push": forces.Torque(bodies=("ground", "disc"), torque=torque)})


def test_a_jump_may_fall_on_a_sample_or_an_ulp_beside_it():
    for k in range(1, 100, 7):
        jump = signals.Step(time=k / 100, after=1.0)
        result = pm.simulate(pushed_wheel(jump), duration=1.0, samples=101, integrator="explicit")
        late = np.maximum(result.t - k / 100, 0.0)
        assert np.abs(result.angle("disc") - late**2).max() <= 3e-8  # observed 3.0e-9 at rtol 1e-8
        assert np.abs(result.omega("disc") - 2.0 * late).max() <= 3e-8


# -- events ------------------------------------------------------------------------------------------------------------


def test_events_are_those_of_ida():
    events = {
        "any": lambda t, s: s["B"][0] - 0.3,
        "rising": pm.Event(lambda t, s: s["B"][0] - 0.3, direction=1),
        "falling": pm.Event(lambda t, s: s["B"][0] - 0.3, direction=-1),
    }
    options = {"duration": 1.0, "samples": 3, "events": events}
    one = pm.simulate(models.load("four_bar"), rtol=1e-10, integrator="explicit", **options)
    other = pm.simulate(models.load("four_bar"), rtol=1e-12, integrator="ida", **options)  # itself 2.8e-8 off at 1e-10
    assert len(other.events["any"].t) >= 2
    for name in events:
        assert len(one.events[name].t) == len(other.events[name].t)
        assert np.abs(one.events[name].t - other.events[name].t).max() <= 1e-8
        assert np.abs(one.events[name]["B"] - other.events[name]["B"]).max() <= 1e-7
    assert sorted([*one.events["rising"].t, *one.events["falling"].t]) == list(one.events["any"].t)


def test_a_terminal_event_ends_the_run_there_and_on_a_sample_once():
    half = pm.Event(lambda t, s: t - 0.5, terminal=True)
    result = pm.simulate(
        pushed_wheel(1.0), duration=1.0, samples=11, rtol=1e-10, events={"half": half}, integrator="explicit"
    )
    assert result.status is pm.Status.COMPLETED
    assert np.allclose(result.t, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5], rtol=0.0, atol=1e-12)
    assert abs(result.omega("disc")[-1] - 1.0) <= 1e-8


# -- singular poses ----------------------------------------------------------------------------------------------------


def flat_four_bars(n, speed, t):
    """Return B0 of the N-four-bar that starts at a speed, from theta'' = K sin(theta)."""
    from scipy.integrate import solve_ivp

    K = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": t}
    theta = solve_ivp(lambda _, y: (y[1], K * math.sin(y[0])), (0.0, t[-1]), (0.0, speed), **options).y[0]
    return np.column_stack([np.sin(theta), np.cos(theta)])


@pytest.mark.parametrize("rtol", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_four_bars_in_a_row_keep_their_branch_or_say_that_they_cannot(rtol):
    rng = np.random.default_rng(int(-math.log10(rtol)))
    for n in (1, 1, 2, 2, 5, 40):
        speed, duration = float(10.0 ** rng.uniform(-1.5, 1.3)), 2.0
        model = models.n_four_bar(n).replaced(initial=Initial(velocity={"B0": (speed, 0.0)}))
        result = pm.simulate(model, duration=duration, samples=3, rtol=rtol, integrator="explicit", throw=False)
        assert result.status in (pm.Status.COMPLETED, pm.Status.SINGULAR)
        assert max(np.abs(result.angle(f"coupler{i}")).max() for i in range(1, n + 1)) <= max(3.0 * rtol, 1e-5)
        if result.status is pm.Status.COMPLETED:
            exact = flat_four_bars(n, speed, result.t)
            # an unstable start magnifies errors by at most exp(sqrt(1.5 g) t) = 2e3
            assert np.abs(result["B0"] - exact).max() <= max(3e3 * rtol, 1e-6)


def four_bar(sizes, angle, side, omega):
    """Return a four-bar of lengths crank, coupler, rocker, ground, that starts at a rate of its crank."""
    a, b, c, d = sizes
    A = a * np.exp(1j * angle)
    reach = d - A
    B = A + b * np.exp(
        1j * (np.angle(reach) + side * math.acos((b * b + abs(reach) ** 2 - c * c) / (2 * b * abs(reach))))
    )
    ends = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "C")}
    pins = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    return Mechanism(
        points={"O": (0.0, 0.0), "A": (A.real, A.imag), "B": (B.real, B.imag), "C": (d, 0.0)},
        bodies={name: Body(points=points, mass=1.0 + k) for k, (name, points) in enumerate(ends.items())},
        joints={p: joints.Revolute(point=p, bodies=bodies) for p, bodies in pins.items()},
        initial=Initial(omega={"crank": omega}),
    )


CHANGE_POINTS = {  # crank + coupler = rocker + ground or the like: branches meet where all lie on one line
    "parallelogram": (0.8, 0.5, 0.8, 0.5),
    "kite": (0.5, 0.9, 0.9, 0.5),
    "no two alike": (0.4, 0.9, 0.6, 1.1),
}


@pytest.mark.parametrize("name", CHANGE_POINTS)
def test_change_points_are_passed_on_the_smooth_branch_or_named(name):
    """Energy says how fast, and rates that do not jump say which way: no other branch has both."""
    done = 0
    for angle in (1.0, 2.0, 4.0):
        for side in (1, -1):
            mechanism = four_bar(CHANGE_POINTS[name], angle, side, 3.0)
            options = {"duration": 3.0, "samples": 601, "rtol": 1e-9, "throw": False}
            one, other = both(mechanism, "explicit", "auto", **options)
            assert one.status in (pm.Status.COMPLETED, pm.Status.SINGULAR)
            assert other.status is pm.Status.COMPLETED
            for result in (one, other):
                if len(result.t) < 3:
                    continue
                assert np.abs(result.energy.error).max() <= 1e-6 * result.energy.scale
                rates = np.stack([result.omega(b) for b in mechanism.bodies])
                assert np.abs(np.diff(rates)).max() <= 0.3 * np.abs(rates).max()
            done += one.status is pm.Status.COMPLETED
    assert done >= 3


def test_parallel_cranks_stay_parallel():
    result = pm.simulate(models.load("parallel_cranks"), integrator="explicit", throw=False)
    assert result.status in (pm.Status.COMPLETED, pm.Status.SINGULAR)
    coupler = next(b for b in result.system.layout.bodies if "coupler" in b)
    assert np.abs(result.angle(coupler)).max() <= 1e-8


@pytest.mark.parametrize("name", TOGGLES)
def test_a_driver_past_its_limit_ends_at_the_toggle(name):
    mechanism, toggle = TOGGLES[name]
    options = {"duration": 1.5 * toggle, "samples": 301, "rtol": 1e-8, "throw": False}
    one, other = both(mechanism, "explicit", "auto", **options)
    for result in (one, other):
        assert result.status is pm.Status.LOCKED
        assert 'driver "motor" is locked at t = ' in result.message
        assert 0.0 <= toggle - result.t[-1] <= 3.0 * 1.5 * toggle / 300
        # printed with six digits
        assert abs(float(result.message.split("t = ")[1].split()[0]) / toggle - 1.0) <= 1e-5


# -- stiffness ---------------------------------------------------------------------------------------------------------


def stiff_block():
    spring = forces.Spring(bodies=("ground", "block"), points=("O", "P"), stiffness=1e10, damping=1e7, length=1.0)
    return slider(forces={"spring": spring, "push": forces.Load(body="block", point="P", force=(2e9, 0.0))})


def test_a_stiff_spring_is_named_and_ida_takes_over():
    options = {"duration": 1.0, "samples": 11, "rtol": 1e-8, "throw": False}
    one, two, ida = both(stiff_block(), "explicit", "auto", "ida", **options)
    assert one.status is pm.Status.STIFF
    assert "auto" in one.message
    assert two.status is ida.status is pm.Status.COMPLETED
    assert "with ida from t = " in two.message
    assert np.abs(two["P"] - ida["P"]).max() <= 1e-7
    assert abs(two["P"][-1, 0] - 1.2) <= 1e-7  # at rest under the load


@pytest.mark.parametrize("integrator", ["explicit", "auto"])
def test_where_forces_become_stiff_does_not_depend_on_the_samples_and_all_before_are_filled(integrator):
    few, many = (
        pm.simulate(stiff_block(), duration=1.0, samples=n, rtol=1e-8, integrator=integrator, throw=False)
        for n in (11, 200_001)
    )
    assert few.stats["steps"] == many.stats["steps"]
    assert len(many.t) > 10
    # damped so much that it creeps: down to 1.2 and never back, m
    assert np.all(np.diff(many["P"][:, 0]) <= 1e-9)
    assert np.all(many["P"][:, 0] >= 1.2 - 1e-7)


def test_a_run_that_is_handed_over_keeps_angles_and_events():
    """A wheel in a torsion spring of several turns beside a stiff spring: before and after is one motion."""
    stiff = stiff_block()
    coil = forces.Torsion(bodies=("ground", "disc"), stiffness=2.0, angle=20.0)
    mechanism = Mechanism(
        points={**stiff.points, "Q": (0.2, 0.1), "R": (0.5, 0.1)},
        bodies={**stiff.bodies, "disc": Body(points=("Q", "R"), mass=3.0, com=(0.2, 0.1), inertia=0.5)},
        joints={**stiff.joints, "Q": joints.Revolute(point="Q", bodies=("ground", "disc"))},
        forces={**stiff.forces, "coil": coil},
    )
    events = {"turn": lambda t, s: s.angle("disc") - 2.0 * math.pi}
    result = pm.simulate(mechanism, duration=2.0, samples=21, rtol=1e-9, integrator="auto", events=events)
    assert [name for name, *_ in result.stats["phases"]][:2] == ["explicit", "ida"]
    limit = next(p.limit for p in PROBLEMS if p.name == "torsion spring over several turns")  # of 40 rad
    assert np.abs(result.angle("disc") - 20.0 * (1.0 - np.cos(2.0 * result.t))).max() <= 40.0 * limit
    assert len(result.events["turn"].t) == 1
    assert abs(result.events["turn"].t[0] - math.acos(1.0 - 2.0 * math.pi / 20.0) / 2.0) <= limit


# -- refusals and ends -------------------------------------------------------------------------------------------------


def test_what_cannot_take_explicit_steps_is_refused_by_name_and_runs_on_auto():
    wind = forces.Custom(body="rod", function=lambda t, state: ((0.1, 0.0), state["P"], 0.0))
    custom = models.load("pendulum").replaced(forces={"wind": wind})
    light = next(p for p in PROBLEMS if "without inertia" in p.name).build()
    cases = (
        (custom, {}, '"wind"'),
        (light, {}, '"bob"'),
        (models.load("four_bar"), {"formulation": "absolute"}, "absolute"),
    )
    for mechanism, more, word in cases:
        options = {"duration": 0.1, "samples": 3, **more}
        with pytest.raises(pm.ModelError, match=word):
            pm.simulate(mechanism, integrator="explicit", **options)
        auto, ida = both(mechanism, "auto", "ida", **options)
        assert np.array_equal(auto._motion.com, ida._motion.com)


def test_an_unknown_integrator_is_refused():
    with pytest.raises(pm.ModelError, match="integrator"):
        pm.simulate(models.load("four_bar"), integrator="euler")


def test_ctrl_c_keeps_the_samples_so_far():
    def progress(t):
        if t > 0.2:
            raise KeyboardInterrupt

    model = models.chain(20)
    result = pm.simulate(model, samples=201, integrator="explicit", progress=progress, throw=False)
    assert result.status is pm.Status.INTERRUPTED
    assert "interrupted at t = " in result.message
    assert 1 <= len(result.t) < 201
    whole = pm.simulate(model, samples=201, integrator="explicit")
    assert np.array_equal(result["P20"], whole["P20"][: len(result.t)])


def test_threads_give_the_bytes_of_single_runs():
    names = ["four_bar", "pendulum", "double_pendulum", "slider_crank", "andrews_squeezer", "quick_return", "chain"]

    def columns(name):
        return pm.simulate(models.load(name), integrator="explicit", samples=51).columns()

    single = {name: columns(name) for name in names}
    with ThreadPoolExecutor(8) as pool:
        for name, found in zip(2 * names, pool.map(columns, 2 * names), strict=True):
            assert all(np.array_equal(found[c], single[name][c], equal_nan=True) for c in found)


# -- starts ------------------------------------------------------------------------------------------------------------


def folded_kite():
    """Return a kite that is folded, its coupler on its crank: the rocker cannot turn here."""
    flat = four_bar((0.8, 0.8, 1.0, 1.0), 1.8, -1, 0.0)
    return flat.replaced(points={"B": (0.0, 0.0)})


@pytest.mark.parametrize("integrator", ["explicit", "auto", "ida"])
def test_a_speed_that_the_pose_forbids_is_refused(integrator):
    kite = folded_kite().replaced(initial=Initial(omega={"rocker": 3.0}))
    with pytest.raises(pm.ModelError, match="contradicts itself"):
        pm.simulate(kite, duration=0.1, samples=3, integrator=integrator)


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
def test_a_parallelogram_turns_evenly_through_its_change_points(rtol):
    """Without gravity, whatever its masses: every sample is known."""
    mechanism = four_bar((0.8, 0.5, 0.8, 0.5), 1.0, 1, 3.0)
    result = pm.simulate(mechanism, duration=2.5, samples=2001, rtol=rtol, integrator="explicit", throw=False)
    assert np.abs(result.omega("crank") - 3.0).max() <= 30.0 * max(rtol, 1e-8)


def test_samples_beside_a_change_point_keep_the_energy_of_the_steps():
    """An uncrossed parallelogram of uneven masses in gravity: the steps keep their energy to 1e-6, so must samples."""
    sizes, masses = (0.8032797499669964, 0.43884967980226336) * 2, (1.7986901079350521, 0.5440124877942726, 0.171425252)
    mechanism = four_bar(sizes, 4.270081832059417, 1, 0.0).replaced(
        gravity=(0.0, -9.81),
        bodies={name: {"mass": mass} for name, mass in zip(("crank", "coupler", "rocker"), masses, strict=True)},
    )
    mechanism = dataclasses.replace(mechanism, initial=Initial(omega={"rocker": -4.658642264464289}))
    result = pm.simulate(mechanism, duration=1.7172385312826641, samples=1501, rtol=1e-5, integrator="explicit")
    assert np.abs(result.energy.error).max() <= 1e-3 * result.energy.scale  # ida: 1.4e-5


def test_explicit_steps_need_neither_sundials_nor_networkx_nor_scipy():
    """There are platforms without wheels of the one, and a first look should not wait for the others."""
    script = (
        "import sys; sys.modules.update(dict.fromkeys(['sksundae', 'networkx', 'scipy']));"
        "import particlemech as pm; result = pm.simulate(pm.models.load('four_bar'), integrator='explicit');"
        "assert result.status is pm.Status.COMPLETED and abs(result.energy.error).max() < 1e-6 * result.energy.scale;"
        "result.reaction('A', on='coupler')"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("at", [0.3, math.nextafter(0.3, 1.0)], ids=["at a sample", "an ulp after it"])
def test_a_sample_beside_a_jump_is_taken_beside_a_singular_pose_too(at):
    """A parallelogram nearly: its crank lies flat at 0.3 s, where a load jumps; steps end at samples there."""
    points = {"O": (0.0, 0.0), "A": (0.0, 1.0), "B": (2.0, 1.0), "C": (2.0003, 0.0)}
    pins = {"O": ("ground", "crank"), "A": ("crank", "bar"), "B": ("bar", "rocker"), "C": ("rocker", "ground")}
    bars = {"crank": ("O", "A"), "bar": ("A", "B"), "rocker": ("B", "C")}
    jump = {"type": "step", "time": at, "before": 0.0, "after": 0.1}
    model = {
        "points": points,
        "bodies": {name: {"points": ends, "mass": 1.0} for name, ends in bars.items()},
        "joints": {pin: {"type": "revolute", "point": pin, "bodies": pair} for pin, pair in pins.items()},
        "forces": {"load": {"type": "torque", "bodies": ["ground", "crank"], "torque": jump}},
        "initial": {"omega": {"crank": 0.5 * math.pi / 0.3}},
        "run": {"duration": 0.4, "samples": 21, "rtol": 1e-9},
    }
    one, other = (pm.simulate(from_dict(model), integrator=integrator) for integrator in ("explicit", "ida"))
    assert one.t[15] == 0.3
    assert np.abs(one.angle("crank") - other.angle("crank")).max() <= 1e-6
