"""What a run in space must admit: linkages drawn inexactly, tolerances that mean something, motions too fast to follow.

Every run is made in a process of its own with a limit of wall time, so that one that never ends is a failure.
"""

from __future__ import annotations

import multiprocessing
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, signals, view
from particlemech.engine.recursive import vibrating
from particlemech.engine.recursive.start import prepared
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from tests.bench.linkages import SAMPLES, linkage, places, reference

QUICK = 60.0  # s with the compilation of kernels
LOST = 1e-6  # of the energy in play


def _work(out, mechanism, options, asked):
    """Run a mechanism and send what it says: status, words of errors and warnings, energy error, what is asked."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            run = pm.simulate(mechanism, **options, throw=False)
        except pm.ModelError as refused:
            out.send({"status": "refused", "words": str(refused)})
            return
    words = " ".join([run.message, *(str(w.message) for w in heard)])
    energy = float(np.abs(run.energy.error).max() / run.energy.scale)
    out.send({"status": run.status.value, "words": words, "energy": energy, "asked": asked(run) if asked else None})


def ended(mechanism, seconds=QUICK, asked=None, **options):
    """Return what a run says; fails where it has not ended in time."""
    here, there = multiprocessing.Pipe()
    work = multiprocessing.get_context("spawn").Process(target=_work, args=(there, mechanism, options, asked))
    work.start()
    try:
        assert here.poll(seconds), f"not ended after {seconds:g} s"
        return here.recv()
    finally:
        work.terminate()
        work.join()


# -- over-constrained linkages drawn inexactly -------------------------------------------------------------------------


def tilted(name, joint, axis):
    """Return a shipped model with another axis of one hinge."""
    model = models.load(name)
    return replace(model, joints={**model.joints, joint: replace(model.joints[joint], axis=axis)})


def crossed_four_bar(tilt):
    """Return a four-bar of the plane in space, the axis of hinge B off by an angle."""
    points = {"A": (0.0, 0.0, 0.0), "B": (0.0, 0.2, 0.0), "C": (0.5, 0.4, 0.0), "D": (0.5, 0.0, 0.0)}
    ends = {"crank": ("A", "B"), "coupler": ("B", "C"), "rocker": ("C", "D")}
    pairs = {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"), "D": ("ground", "rocker")}
    axes = {"B": (tilt, 0.0, 1.0)}
    return Mechanism(
        gravity=(0.0, -9.81, 0.0),
        points=points,
        bodies={name: Body(points=two, mass=1.0) for name, two in ends.items()},
        joints={p: joints.Revolute(bodies=b, point=p, axis=axes.get(p, (0.0, 0.0, 1.0))) for p, b in pairs.items()},
        initial=Initial(rate={"A": 5.0}),
    )


@pytest.mark.parametrize("eps", [1e-7, 1e-6, 1e-4])
def test_a_bricard_mechanism_drawn_inexactly_is_not_completed_with_lost_energy(eps):
    said = ended(tilted("bricard", "P3", (1.0, eps, 0.0)), duration=10.0, samples=101, rtol=1e-8)
    assert said["status"] != "completed" or said["energy"] < LOST, said


def test_a_four_bar_with_a_crooked_hinge_is_not_completed_with_lost_energy():
    said = ended(crossed_four_bar(1e-3), duration=1.0, samples=51, rtol=1e-8)
    assert said["status"] != "completed" or said["energy"] < LOST, said


@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-8])
def test_a_four_bar_with_hinges_as_good_as_parallel_runs(tilt):
    said = ended(crossed_four_bar(tilt), duration=1.0, samples=51, rtol=1e-8)
    assert said["status"] == "completed" and said["energy"] < LOST, said


# -- tolerances --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rssr", "stewart", "bricard", "bennett"])
def test_the_error_falls_with_the_tolerance(name):
    mechanism, duration = linkage(name)
    wanted, errors = reference(name), []
    for rtol in (1e-6, 1e-8, 1e-10):
        said = ended(mechanism, asked=places, duration=duration, samples=SAMPLES, rtol=rtol)
        assert said["status"] == "completed", said["words"]
        errors.append(float(np.linalg.norm(said["asked"] - wanted, axis=2).max()))
    assert errors[1] < 0.2 * errors[0] and errors[2] < 0.2 * errors[1], errors


# -- poses and forces that cannot be followed --------------------------------------------------------------------------


def test_a_ball_joint_driven_through_gimbal_lock_ends_with_its_name():
    body = Body(mass=1.0, com=(0.3, 0.1, 0.2), inertia=(0.1, 0.2, 0.15))
    swing = drivers.Coordinate(joint="shoulder", coordinate="angle2", motion=signals.Linear(rate=1.0))
    arm = Mechanism(
        gravity=(0.0, 0.0, -9.81),
        bodies={"arm": body},
        joints={"shoulder": joints.Spherical(bodies=("ground", "arm"), point=(0.0, 0.0, 0.0))},
        drivers={"swing": swing},
        initial=Initial(rate={"shoulder": {"angle1": 0.3, "angle3": 0.2}}),
    )
    said = ended(arm, duration=3.0, samples=31, rtol=1e-8)
    assert said["status"] == "singular pose", said["words"]
    assert "shoulder" in said["words"] and "gimbal lock" in said["words"] and "is driven" in said["words"], said[
        "words"
    ]


def test_a_very_stiff_undamped_spring_ends_with_a_word_about_it():
    shipped = linkage("rssr")[0]
    stiff = forces.Spring(bodies=("ground", "rocker"), points=((0.0, 0.5, 0.3), "B"), stiffness=1e9, length=0.5)
    said = ended(replace(shipped, forces={"stiff": stiff}), duration=2.0, samples=21, rtol=1e-8)
    if said["status"] == "completed":  # after 30 000 vibrations
        assert said["energy"] < 1e-4
    else:
        assert "stiff" in said["words"] or "fast" in said["words"], said


def test_a_vibration_at_which_all_moves_is_called_fast_when_it_has_come_often():
    """A spring of 1e9 N/m that is stretched sets the pace itself: no mechanism is slower, but the run is long."""
    shipped = linkage("rssr")[0]
    stiff = forces.Spring(bodies=("ground", "rocker"), points=((0.0, 0.5, 0.3), "B"), stiffness=1e9, length=0.5)
    system, begin = prepared(replace(shipped, forces={"stiff": stiff}), 2.0)
    y = np.concatenate([begin.q, begin.v, [0.0]])
    assert vibrating.hurried(system, 1e-3, y) == ""
    assert re.match(
        r"the motion is fast: .* vibrates with about \S+ Hz, \S+ times by now", vibrating.hurried(system, 2.0, y)
    )


# -- bodies that bend --------------------------------------------------------------------------------------------------


def cantilever(EI, sublinks=2, force=1.0):
    """Return the shipped cantilever, undamped, with another stiffness, number of parts and load."""
    model = models.load("cantilever")
    beam, push = replace(model.bodies["beam"], EI=EI, sublinks=sublinks), model.forces["push"]
    return replace(model, bodies={"beam": beam}, forces={"push": replace(push, force=(0.0, force, 0.0))})


def clamp_moment(run):
    """Return the moment of the clamp on the beam about z, (K,)."""
    return run.moment("clamp", on="beam")[:, 2]


@pytest.mark.parametrize("EI", [1e8, 1e12])
def test_the_clamp_of_a_very_stiff_beam_bears_the_load_and_not_the_noise(EI):
    ramp = signals.Cycloid(start=0.0, end=5.0, duration=0.1)  # N, at 2 m
    said = ended(cantilever(EI, force=ramp), asked=clamp_moment, duration=0.2, samples=41, rtol=1e-8)
    if said["status"] == "completed":
        assert np.abs(said["asked"]).max() < 10.5
        assert np.abs(said["asked"][-5:] + 10.0).max() < 0.5
    else:
        assert "stiff" in said["words"] or "fast" in said["words"], said


def test_a_step_load_on_a_very_stiff_undamped_beam_is_borne_or_called_fast():
    said = ended(cantilever(1e12, force=5.0), asked=clamp_moment, duration=0.2, samples=41, rtol=1e-8)
    if said["status"] == "completed":  # twice the load at rest, and a little for the higher modes
        assert np.abs(said["asked"]).max() < 30.0
    else:
        assert "stiff" in said["words"] or "fast" in said["words"], said


def test_eight_undamped_parts_of_a_beam_run_for_two_seconds():
    said = ended(cantilever(200.0, sublinks=8), duration=2.0, samples=401, rtol=1e-8)
    assert said["status"] == "completed" and said["energy"] < LOST, said


def test_a_slope_beyond_three_tenths_warns():
    # two parts: the slope at the end of the first is 3 P L^2/(8 EI) = 0.38 P, twice that when it swings
    said = ended(cantilever(4.0, force=0.6), duration=4.0, samples=101, rtol=1e-8)
    assert "slope" in said["words"], said


def test_a_slope_beyond_one_is_inaccurate():
    said = ended(cantilever(4.0, force=2.0), duration=4.0, samples=101, rtol=1e-8)
    assert said["status"] == "inaccurate" and "slope" in said["words"], said


def test_a_small_slope_does_not_warn():
    said = ended(cantilever(200.0), duration=1.0, samples=101, rtol=1e-8)
    assert said["status"] == "completed" and "slope" not in said["words"], said


def test_a_steep_slope_is_told_by_the_second_opinion_and_on_the_page_too(tmp_path):
    beam = pm.models.load("cantilever").replaced(forces={"push": {"force": (0.0, 60.0, 0.0)}})
    found = pm.validate(beam, duration=0.1)
    assert any("slope" in said for said in found.warnings)
    page = tmp_path / "beam.html"
    view.page.save(found.first, page)
    assert "slope of a part reaches" in page.read_text(encoding="utf-8")
