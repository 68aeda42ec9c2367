"""Runs by IDA: jumps that meet samples, events on the spot, threads that share the process."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, forces, joints, signals
from particlemech.model import toml

FORMULATIONS = ("particles", "absolute")


def pushed_wheel(torque):
    """Return a wheel of inertia 2 kg m^2 on a fixed pin, turned by a torque."""
    return pm.Mechanism(
        points={"O": (0.0, 0.0)},
        bodies={"wheel": pm.Body(points=("O",), mass=1.0, com=(0.0, 0.0), inertia=2.0)},
        joints={"O": joints.Revolute(point="O", bodies=("ground", "wheel"))},
        forces={"push": forces.Torque(bodies=("ground", "wheel"), torque=torque)},
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_jump_may_fall_on_a_sample_or_an_ulp_beside_it(formulation):
    for k in range(1, 100):
        time = k / 100
        step = signals.Step(time=time, after=2.0)
        result = pm.simulate(pushed_wheel(step), duration=1.0, rtol=1e-8, formulation=formulation, integrator="ida")
        assert len(result.t) == 501
        after = np.maximum(result.t - time, 0.0)
        assert np.abs(result.angle("wheel") - 0.5 * after**2).max() <= 1e-6


def test_jumps_that_nearly_coincide_are_one():
    push = forces.Torque(bodies=("ground", "wheel"), torque=signals.Step(time=0.1 + 0.2, after=2.0))
    twice = pushed_wheel(signals.Step(time=0.3, after=2.0)).replaced(forces={"again": push})
    result = pm.simulate(twice, duration=1.0, samples=11, integrator="ida")
    assert result.angle("wheel")[-1] == pytest.approx(0.5 * 2.0 * 0.7**2, abs=1e-7)


def test_a_move_that_ends_on_a_sample_is_followed():
    move = drivers.Rotation(bodies=("ground", "wheel"), motion=signals.Cycloid(end=1.0, duration=0.3))
    result = pm.simulate(
        pushed_wheel(0.0).replaced(drivers={"motor": move}), duration=1.0, samples=11, integrator="ida"
    )
    assert np.allclose(result.angle("wheel")[3:], 1.0, atol=1e-9)


def test_events_that_meet_a_step_exactly_are_found_once():
    wheel = pushed_wheel(2.0)
    events = {"end": lambda t, state: t - 1.0, "falling end": lambda t, state: 1.0 - t}
    found = pm.simulate(wheel, duration=1.0, samples=11, events=events, integrator="ida").events
    assert [list(f.t) for f in found.values()] == [[1.0], [1.0]]


def test_a_terminal_event_on_a_sample_gives_that_sample_once():
    half = pm.Event(lambda t, state: t - 0.5, terminal=True)
    result = pm.simulate(pushed_wheel(2.0), duration=1.0, samples=11, events={"half": half}, integrator="ida")
    assert result.status is pm.Status.COMPLETED
    assert np.allclose(result.t, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])


def test_an_event_that_is_not_a_number_is_named():
    with pytest.raises(pm.ModelError, match=r'event "odd".*finite'):
        pm.simulate(pushed_wheel(2.0), events={"odd": lambda t, state: np.nan})


def test_threads_share_the_process_and_give_the_serial_bytes(capsys):
    model = pm.models.load("four_bar")
    before = sys.stdout
    options = {"duration": 0.1, "samples": 11, "integrator": "ida"}
    serial = pm.simulate(model, **options).columns()
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(lambda _: pm.simulate(model, **options).columns(), range(8)))
    assert sys.stdout is before
    assert capsys.readouterr().out == ""
    for columns in parallel:
        assert all(np.array_equal(columns[name], serial[name], equal_nan=True) for name in serial)


def test_what_a_user_function_prints_is_passed_on(capsys):
    def talkative(t, state):
        print("hello")
        return (0.0, 0.0), (0.0, 0.0), 0.0

    model = pushed_wheel(1.0).replaced(forces={"talk": forces.Custom(body="wheel", function=talkative)})
    pm.simulate(model, duration=0.01, samples=2)
    assert "hello" in capsys.readouterr().out


def truss(load):
    """Return two rods that carry a load on their common pin and cannot move."""
    return pm.Mechanism(
        points={"A": (0.0, 0.0), "B": (0.2, 0.0), "C": (0.1, 0.1)},
        bodies={"left": pm.Body(points=("A", "C"), mass=1.0), "right": pm.Body(points=("B", "C"), mass=1.0)},
        joints={
            "A": joints.Revolute(point="A", bodies=("ground", "left")),
            "B": joints.Revolute(point="B", bodies=("ground", "right")),
            "C": joints.Revolute(point="C", bodies=("left", "right")),
        },
        forces={"load": forces.Load(body="left", point="C", force=(0.0, load))},
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "load",
    [-1e7, signals.Sine(amplitude=1e5, frequency=1.0), signals.Step(time=0.5, after=-1e5)],
    ids=["constant", "sine", "step"],
)
def test_a_heavy_load_that_comes_later_does_not_lock_a_structure(load, formulation):
    result = pm.simulate(truss(load), duration=1.0, samples=21, formulation=formulation, integrator="ida")
    assert result.status is pm.Status.COMPLETED
    # symmetric: each support takes half the load
    now = [signals.values(signals.signal(load), t)[0] for t in result.t]
    assert np.allclose(result.reaction("A", on="left")[:, 1], -0.5 * np.array(now), rtol=1e-9, atol=1e-6)


def test_an_idle_driver_is_not_blamed_for_what_another_part_does():
    idle = drivers.Rotation(bodies=("ground", "wheel"), motion=signals.Linear(rate=1.0))
    rocker = pm.models.load("four_bar").replaced(
        points={"W": (1.0, 1.0)},
        bodies={"wheel": pm.Body(points=("W",), mass=1.0, com=(1.0, 1.0), inertia=1.0)},
        joints={"W": joints.Revolute(point="W", bodies=("ground", "wheel"))},
        drivers={
            "idle": idle,
            "motor": drivers.Rotation(bodies=("ground", "rocker"), motion=signals.Linear(rate=1.0)),
        },
        initial=pm.Initial(),
    )
    result = pm.simulate(rocker, duration=3.0, throw=False, integrator="ida")
    assert result.status is pm.Status.LOCKED
    assert '"motor"' in result.message and '"idle"' not in result.message


def test_a_lobe_that_lies_within_a_step_is_not_passed_over_in_silence():
    spinning = toml.loads("""
        points = { O = [0, 0], F = [0, 0.03], T = [0, 0.1] }
        bodies.cam = { points = ["O"], mass = 1, com = [0, 0], inertia = 1e-3 }
        bodies.follower = { points = ["F", "T"], mass = 0.3 }
        joints.shaft = { type = "revolute", point = "O", bodies = ["ground", "cam"] }
        joints.guide = { type = "prismatic", point = "T", bodies = ["ground", "follower"], axis = [0, 1] }
        [joints.cam]
        type = "cam"
        bodies = ["cam", "follower"]
        points = ["O", "F"]
        radius = 0.01
        axis = [0, 1]
        angles = ["20 deg", "40 deg", "360 deg"]
        lift = ["1 mm", "0 mm", "0 mm"]
        [initial]
        omega = { cam = 12.566 }
        [run]
        duration = 4.0
    """)
    result = pm.simulate(spinning, formulation="absolute", throw=False)
    # between lobes nothing changes and steps grow, so that IDA may pass over one: the follower stays down all along
    assert result.status is not pm.Status.COMPLETED or result.closure.position.max() < 1e-8
    assert result.certificate.position >= result.closure.position.max() * (1.0 - 1e-12)
