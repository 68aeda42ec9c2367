"""The shipped chains of bending bodies: they run, checks hold, and they move as momentum and linear theory say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.model.signals import Constant, Sine

FLEXIBLE = ("cantilever", "rms_flexible", "space_slew", "space_slew_shaped", "two_link_flexible")
STRAIGHT, BENT = 0.0, 0.5 * math.pi  # the elbow of the report's arm in its configurations #1 and #2


@pytest.fixture(scope="module", params=FLEXIBLE)
def run(request):
    return pm.simulate(models.load(request.param))


def test_all_of_them_are_here():
    assert {
        name for name in models.names() if getattr(models.load(name), "bends", False) and not models.load(name).loops
    } == set(FLEXIBLE)


def test_a_shipped_arm_runs_to_its_end_and_keeps_its_checks(run):
    check = run.mechanism.check
    print(run.mechanism.name, np.abs(run.energy.error).max() / run.energy.scale)
    assert run.status is pm.Status.COMPLETED
    assert run.t[-1] == run.mechanism.run.duration
    assert run.system.n_v + len(run.mechanism.drivers) == check.dof  # driven joints count, as everywhere
    assert np.abs(run.energy.error).max() <= check.energy * run.energy.scale


def pushed(mechanism):
    """Return the sum of the loads, which are constant in all shipped arms."""
    loads = (load for load in mechanism.forces.values() if hasattr(load, "force"))
    return sum((np.array([component.value for component in load.force]) for load in loads), np.zeros(3))


@pytest.mark.parametrize("name", FLEXIBLE)
def test_momentum_grows_by_what_loads_and_support_give(name):
    m = models.load(name)
    run = pm.simulate(m, duration=0.2, samples=2001)
    force = pushed(m) - run.base.force
    growth = np.gradient(run.momentum.linear, run.t, axis=0)
    assert np.abs(growth - force)[1:-1].max() < 2e-3 * np.abs(force).max() + 1e-9  # of differences 0.1 ms apart
    if "float" in m.joints:
        size = max(1.0, np.abs(pushed(m)).max())
        assert np.abs(run.base.force).max() < 1e-9 * size
        assert np.abs(run.momentum.linear - np.outer(run.t, pushed(m))).max() < 1e-9 * size


# -- the report's arm beside linear theory -----------------------------------------------------------------------------


def pushed_arm(elbow, load):
    """Return the report's arm with its elbow at an angle, and its tip under equal forces and moments."""
    forces = {"step": {"force": load}, "twist": {"torque": load}}
    return models.load("rms_flexible").replaced(drivers={"hold3": {"motion": Constant(value=elbow)}}, forces=forces)


def small(elbow, load):
    """Return a run of the report's arm under a thousandth of its load, and its modes."""
    m = pushed_arm(elbow, load)
    return pm.simulate(m, duration=1.5, samples=151, rtol=1e-8), pm.modes(m)


def acting(run, found):
    """Return the generalised forces of 1 lbf and 1 lbf ft along each axis, from how the arm sets off under them."""
    start = pm.simulate(pushed_arm(run.coordinate("joint3")[0], (1.0,) * 3), duration=1e-3, samples=2)
    links = (start.modal_second_rate(link)[0] for link in ("link2", "link3"))
    return found.linear.M @ np.concatenate([start.com_acceleration("craft")[0], *links])


def answer(found, f, of_mode):
    """Return the modal coordinates of both links, (K, 10), where `of_mode(omega)` is the motion per s.f of a mode."""
    moves = found.omega > 1.0
    shapes = found.shapes[:, moves].real
    parts = np.stack([of_mode(w) for w in found.omega[moves]], axis=1)  # (K, n)
    return (parts * (shapes.T @ f)) @ shapes[3:].T


def assert_near(run, expected, part):
    found = np.hstack([run.modal("link2"), run.modal("link3")])
    print(np.abs(found - expected).max() / np.abs(expected).max())
    assert np.abs(found - expected).max() < part * np.abs(expected).max()


@pytest.mark.parametrize("elbow", [STRAIGHT, BENT], ids=["straight", "bent"])
def test_a_small_step_moves_the_reports_arm_as_its_modes_do(elbow):
    run, found = small(elbow, (1.0, 1.0, 1.0))
    f = acting(run, found)
    assert_near(run, answer(found, f, lambda w: (1.0 - np.cos(w * run.t)) / w**2), 1e-3)


@pytest.mark.parametrize(("elbow", "frequency"), [(BENT, 3.18), (STRAIGHT, 0.318)])
def test_a_small_cyclic_load_moves_the_reports_arm_as_its_modes_do(elbow, frequency):
    wave = Sine(amplitude=1.0, frequency=frequency)
    run, found = small(elbow, (wave, wave, wave))
    f, W = acting(run, found), 2.0 * math.pi * frequency
    assert_near(
        run,
        answer(found, f, lambda w: (np.sin(W * run.t) - W / w * np.sin(w * run.t)) / (w**2 - W**2)),
        1e-3,
    )


# -- the slew in parts -------------------------------------------------------------------------------------------------


def test_the_parts_of_the_shaped_slew_are_half_periods_apart():
    m = models.load("space_slew_shaped")
    ends = {name: {"motion": Constant(value=driver.motion.signal.end)} for name, driver in m.drivers.items()}
    found = pm.modes(m.replaced(drivers=ends))
    out_of_plane = [found.coordinates.index(f"{link}.q{k}") for link in ("upper", "fore") for k in (3, 4, 5)]
    plane = (np.abs(found.shapes[out_of_plane]).max(axis=0) < 1e-6) & (found.omega > 1e-3)
    slow, fast = 0.5 / found.frequency[plane][:2]
    for driver in m.drivers.values():
        assert driver.motion.delays == pytest.approx([0.0, fast, slow, slow + fast], abs=1e-5)


def test_the_shaped_slew_ends_where_the_other_does_and_vibrates_far_less():
    plain, shaped = (pm.simulate(models.load(name)) for name in ("space_slew", "space_slew_shaped"))
    still = [max(run.mechanism.drivers["turn"].motion.breaks()) for run in (plain, shaped)]
    remaining = [
        np.linalg.norm(run.elastic("tip")[run.t >= t], axis=1).max()
        for run, t in zip((plain, shaped), still, strict=True)
    ]
    print(remaining)
    assert remaining[0] > 100.0 * remaining[1]
    for joint in ("shoulder", "elbow"):
        assert shaped.coordinate(joint)[-1] == pytest.approx(plain.coordinate(joint)[-1], abs=1e-12)
    for result in (plain, shaped):
        assert np.abs(result.momentum.angular).max() < 1e-9
