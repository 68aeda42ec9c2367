"""The frame is shaken: motions of drivers as inputs of linear equations, against transmissibility in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.signals import Sine

M, C, K = 2.0, 3.0, 800.0
F = np.array([0.0, 0.5, 2.0, 3.2, 5.0, 20.0])
OMEGA = 2.0 * np.pi * F
BELOW = K - M * OMEGA**2 + 1j * OMEGA * C


def isolator(world):
    """Return a mass on a spring and a damper along x on a table that a driver holds."""
    kinds = pm if world == "plane" else pm.space
    place, along = ((0.0, 0.0), (1.0, 0.0)) if world == "plane" else ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    inertia = 1.0 if world == "plane" else (1.0, 1.0, 1.0)
    masses = {"table": ("Q", 5.0), "mass": ("P", M)}
    rails = {"guide": ("Q", ("ground", "table")), "rail": ("P", ("table", "mass"))}
    return kinds.Mechanism(
        points={"P": place, "Q": place},
        bodies={b: kinds.Body(points=(p,), mass=mass, com=place, inertia=inertia) for b, (p, mass) in masses.items()},
        joints={name: kinds.joints.Prismatic(point=p, bodies=of, axis=along) for name, (p, of) in rails.items()},
        forces={"spring": kinds.forces.Torsion(joint="rail", stiffness=K, damping=C)},
        drivers={"frame": kinds.drivers.Coordinate(joint="guide", motion=0.0)},
    )


@pytest.mark.parametrize("world", ["plane", "space"])
def test_a_shaken_frame_moves_the_mass_by_the_transmissibility(world):
    m = isolator(world)
    found = pm.response(m, F, input="frame", output=["P.x", "Q.x", "rail.travel", "frame.effort"])
    passed = (K + 1j * OMEGA * C) / BELOW
    assert found[:, 0] == pytest.approx(passed, rel=1e-8)
    assert found[:, 1] == pytest.approx(np.ones(6), rel=1e-10)
    assert found[:, 2] == pytest.approx(M * OMEGA**2 / BELOW, rel=1e-8, abs=1e-10)
    # what the driver gives: the inertia of the table and of the mass
    assert found[:, 3] == pytest.approx(-(OMEGA**2) * (5.0 + M * passed), rel=1e-7, abs=1e-6)
    assert pm.response(m, F, input="frame", output="P")[:, 0] == pytest.approx(passed, rel=1e-8)


@pytest.mark.parametrize("world", ["plane", "space"])
def test_a_driver_that_stays_is_three_inputs_of_the_state_space(world):
    linear = pm.linearised(isolator(world), inputs="frame", outputs=["P.x"])
    assert [*linear.inputs] == ["frame", "frame_rate", "frame_acceleration"]
    A, B, Cm, D = linear.matrices
    for k, omega in enumerate(OMEGA):
        s = 1j * omega
        u = np.array([1.0, s, s * s])
        y = Cm @ np.linalg.solve(s * np.eye(2) - A, B @ u) + D @ u
        assert y[0] == pytest.approx((K + s * C) / BELOW[k], rel=1e-7)


def test_a_run_with_a_shaken_frame_settles_to_the_response():
    f = 2.0
    sine = Sine(amplitude=1e-3, frequency=f)
    run = pm.simulate(isolator("plane").replaced(drivers={"frame": {"motion": sine}}), duration=20.0, samples=4001)
    late = run.t > 18.0
    phase = 2.0 * np.pi * f * run.t[late]
    waves = np.column_stack([np.sin(phase), np.cos(phase)])
    s, c = np.linalg.lstsq(waves, run["P"][late, 0], rcond=None)[0]
    answer = pm.response(isolator("plane"), [f], input="frame", output="P.x")[0]
    assert complex(s, c) / 1e-3 == pytest.approx(answer, rel=1e-5)


def test_a_pendulum_on_a_shaken_pivot_follows_its_equation():
    """(m L^2/3) z'' + (m g L/2) z = -(m L/2) u'', along the way of the pivot."""
    L, g = 0.8, 9.81
    m = pm.Mechanism(
        points={"Q": (0.0, 0.0), "P": (0.0, -L)},
        bodies={
            "cart": pm.Body(points=("Q",), mass=1.0, com=(0.0, 0.0), inertia=1.0),
            "rod": pm.Body(points=("Q", "P"), mass=1.5),
        },
        joints={
            "rail": pm.joints.Prismatic(point="Q", bodies=("ground", "cart"), axis=(1.0, 0.0)),
            "pin": pm.joints.Revolute(point="Q", bodies=("cart", "rod")),
        },
        drivers={"frame": pm.drivers.Coordinate(joint="rail", motion=0.0)},
        gravity=(0.0, -g),
    )
    found = pm.response(m, F[1:], input="frame", output="pin.angle")
    w2 = OMEGA[1:] ** 2
    assert found == pytest.approx(L / 2.0 * w2 / (g * L / 2.0 - L**2 / 3.0 * w2), rel=1e-7)


def test_a_driven_joint_takes_no_effort_unless_its_driver_goes():
    with pytest.raises(ModelError, match='joint "guide" is not free: driver "frame" holds it'):
        pm.response(isolator("plane"), [1.0], input="guide", output="P.x")
