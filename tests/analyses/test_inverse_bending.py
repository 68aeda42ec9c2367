"""Inverse dynamics where bodies bend: the rigid limit, and forward of inverse."""

import numpy as np
import pytest

import particlemech as pm
from particlemech import ModelError, signals
from particlemech.model.space import Body, Mechanism, joints
from particlemech.model.space.parts import Mode

CUBICS = (Mode(along="y", shape=(0.0, 0.0, 1.0)), Mode(along="y", shape=(0.0, 0.0, 1.0, -1.2)))
PLACES = {"O": (0.0, 0.0, 0.0), "A": (1.0, 0.0, 0.0), "B": (1.8, 0.0, 0.0)}
MASS = {"one": (1.0, ("O", "A")), "two": (0.5, ("A", "B"))}
MOTION = {"O.angle": signals.Cycloid(end=0.8, duration=1.0), "A": signals.Cycloid(end=-0.5, duration=1.0)}
TIMES = np.linspace(0.0, 1.0, 101)


def arm(EI=None):
    """Return an arm of two rods under weight, rigid or bending with a little damping."""
    bodies = {}
    for name, (mass, ends) in MASS.items():
        a, b = (np.array(PLACES[p]) for p in ends)
        L = float(np.linalg.norm(b - a))
        if EI is None:
            J = mass * L * L / 12.0
            bodies[name] = Body(points=ends, mass=mass, com=tuple((a + b) / 2.0), inertia=(0.0, J, J))
        else:
            bodies[name] = Body(points=ends, density=mass / L, EI=EI, modes=CUBICS, damping=(0.0, 0.1 / EI), sublinks=2)
    pairs = {"O": ("ground", "one"), "A": ("one", "two")}
    return Mechanism(
        gravity=(0.0, -9.81, 0.0),
        points=PLACES,
        bodies=bodies,
        joints={p: joints.Revolute(bodies=two, point=p, axis=(0.0, 0.0, 1.0)) for p, two in pairs.items()},
    )


def test_efforts_of_stiff_bodies_are_those_of_rigid_ones():
    rigid, errors = pm.inverse(arm(), MOTION, t=TIMES), []
    for EI in (1e3, 1e7):
        found = pm.inverse(arm(EI), MOTION, t=TIMES)
        assert list(found.efforts) == list(rigid.efforts) == ["O.angle", "A.angle"]
        errors.append(max(np.abs(found.effort(n) - e).max() / np.abs(e).max() for n, e in rigid.efforts.items()))
    assert errors[0] > 1e-3 and errors[1] < 2e-6  # as 1/EI: 1.2e-2 and 1e-6 seen


def test_motors_with_the_efforts_make_the_motion_again():
    found = pm.inverse(arm(1e3), MOTION, t=TIMES)
    again = pm.simulate(found.replay, samples=len(TIMES), rtol=1e-9)
    for joint in ("O", "A"):
        assert np.abs(again.coordinate(joint) - found.coordinate(joint)).max() < 1e-4  # between samples: curves
    assert np.abs(again.modal("two") - found.modal("two")).max() < 1e-3 * np.abs(found.modal("two")).max()


def test_deflections_begin_in_balance_and_that_is_said():
    found = pm.inverse(arm(1e3), {"O": 0.0}, t=TIMES)  # A stays as drawn
    assert "begin in balance" in str(found)
    assert np.ptp(found.effort("O.angle")) < 1e-6 * abs(found.effort("O.angle")[0])  # it only holds
    modes = {"one": (0.0,) * 4, "two": (0.0,) * 4}
    shaken = pm.inverse(arm(1e3).replaced(initial={"modes": modes}), {"O": 0.0}, t=TIMES)
    assert "as the model says" in str(shaken)
    assert np.ptp(shaken.effort("O.angle")) > abs(found.effort("O.angle")[0])  # what is let go swings


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: pm.inverse(arm(1e3), {"B.x": 1.0}, t=TIMES), '"B.x" is no coordinate of a joint'),
        (lambda: pm.inverse(arm(1e3), {"O": 0.1}), "evenly spaced times from 0 on"),
        (lambda: pm.inverse(arm(1e3), {"O": 0.1}, {"O": 1.0}, t=TIMES), "leave out rate and acceleration"),
        (lambda: pm.inverse(arm(1e3), MOTION, t=TIMES, actuators=["O"]), "leave out actuators"),
        (lambda: pm.inverse(arm(1e3), {"O": (0.1, 0.2)}, t=TIMES), "one value for each of 101 times"),
    ],
)
def test_what_cannot_be_asked_of_bodies_that_bend_is_refused_by_name(ask, said):
    with pytest.raises(ModelError, match=said):
        ask()
