"""Cylinders: distance drivers with an area, whose pressure is a result, in the plane and in space."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, space
from particlemech.model import columns

G = 9.81


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_the_pressure_of_a_scissor_lift_bears_its_load(formulation):
    """By virtual work at rest: with s the sine of the arms, the length of the cylinder is a sqrt(1/4 + 2 s^2),

    all weights are g a s (2 load + 4 arms), and the force is the quotient of their slopes.
    """
    lift = pm.models.load("scissor_lift")
    result = pm.simulate(lift, rtol=1e-9, formulation=formulation)
    a, load, arm, piston = (float(lift.parameters[name].value) for name in ("arm", "load", "weight", "piston"))
    s = result["A2"][-1, 1] / (2.0 * a)
    force = (2.0 * load + 4.0 * arm) * G * math.sqrt(0.25 + 2.0 * s**2) / (2.0 * s)
    assert result.effort("cylinder")[-1] == pytest.approx(force, rel=1e-7)
    assert result.pressure("cylinder")[-1] == pytest.approx(force / 25e-4, rel=1e-7)
    assert piston == pytest.approx(25e-4, rel=1e-12)
    told = result.columns()["cylinder.pressure"]
    assert np.array_equal(told, result.pressure("cylinder"))
    assert columns.unit(lift, columns.quantity(lift, "cylinder.pressure")) == "N/m²"


def test_a_cylinder_in_space_bears_a_boom():
    """Held level, the boom of 3 kg 1 m from its hinge is borne by a force whose line passes the hinge at sqrt(2) m."""
    crane = space.Mechanism(
        gravity=(0.0, 0.0, -G),
        points={"foot": (1.0, 0.0, -1.0), "tip": (2.0, 0.0, 0.0)},
        bodies={"boom": space.Body(points=("tip",), mass=3.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 1.0, 1.0))},
        joints={
            "hinge": space.joints.Revolute(bodies=("ground", "boom"), point=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0))
        },
        drivers={"cylinder": space.drivers.Distance(points=("foot", "tip"), motion=0.0, area=4e-4)},
    )
    result = pm.simulate(crane, duration=0.05, samples=4)
    assert result.pressure("cylinder") == pytest.approx(np.full(4, 3.0 * G / math.sqrt(2.0) / 4e-4), rel=1e-9)
    assert "cylinder.pressure" in result.columns()


def test_what_has_no_pressure_says_so_in_one_line():
    lift = pm.models.load("scissor_lift")
    bare = pm.simulate(lift.replaced(drivers={"cylinder": {"area": None}}), samples=2)
    with pytest.raises(pm.ModelError, match='driver "cylinder" is no cylinder of known area; give a "distance" driver'):
        bare.pressure("cylinder")
    with pytest.raises(pm.ModelError, match=r'driver "cilinder" unknown .did you mean "cylinder"'):
        bare.pressure("cilinder")
    with pytest.raises(pm.ModelError, match='key "area": must be above zero, got 0'):
        drivers.Distance(points=("A", "B"), motion=1.0, area=0.0)
