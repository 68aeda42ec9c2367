"""Friction of a flat face on its cam: forces on guide and shaft by hand, losses, guides that jam, lift-off."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import joints
from particlemech.model.friction import Friction
from particlemech.model.toml import dumps, loads
from tests.run.test_cams import BEGIN, HEIGHT, MASS, OMEGA, PRELOAD, RISE, SPRING, WAYS, G, law, machine

ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)
MU = 0.2
RUBS = Friction(mu=MU, velocity=1e-4)


@ways
@pytest.mark.parametrize("closure", ["form", "force"])
def test_a_flat_face_is_dragged_along_and_the_shaft_pays_for_it(
    formulation: str, integrator: str, closure: str
) -> None:
    """N from its course; mu N to the left on the face, x = h + s away from the shaft, which takes N (s' + mu x)."""
    model = machine("flat", friction=RUBS, closure=closure)
    result = pm.simulate(
        model, duration=(BEGIN + RISE) / OMEGA, samples=41, formulation=formulation, integrator=integrator
    )
    on = (result.t > (BEGIN + 0.05) / OMEGA) & (result.t < (BEGIN + RISE - 0.05) / OMEGA)
    s, s1, s2 = law("cycloidal", OMEGA * result.t[on])
    N = MASS * (s2 * OMEGA**2 + G) + PRELOAD + SPRING * s
    np.testing.assert_allclose(result.force("cam")[on], N, rtol=1e-6)
    np.testing.assert_allclose(result.friction("cam")[on], -MU * N, rtol=1e-6)
    np.testing.assert_allclose(result.effort("motor")[on], N * (s1 + MU * (HEIGHT + s)), rtol=1e-6)
    np.testing.assert_allclose(result.reaction("guide", "follower")[on, 0], MU * N, rtol=1e-6)
    # N acts s' to the side of the face's place, to the right as the cam turns left
    np.testing.assert_allclose(np.abs(result.moment("guide", on="follower")[on]), N * s1, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(result.loss("cam")[on], MU * N * OMEGA * (HEIGHT + s), rtol=1e-6)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


def guided(mu: float, length: float) -> pm.Mechanism:
    """Return the same with a guide that rubs."""
    guide = joints.Prismatic(
        bodies=("ground", "follower"),
        point="R",
        axis=(0.0, 1.0),
        friction=Friction(mu=mu, length=length, velocity=1e-6),
    )
    return machine("flat", friction=RUBS).replaced(joints={"guide": guide})


@ways
def test_a_guide_that_rubs_makes_the_force_larger_by_its_geometry(formulation: str, integrator: str) -> None:
    """On its way up N (1 - mu_g max(mu, 2 s'/L)) is what there was without friction of the guide."""
    mu, length = 0.3, 0.05
    model = guided(mu, length)
    result = pm.simulate(
        model, duration=(BEGIN + RISE) / OMEGA, samples=41, formulation=formulation, integrator=integrator
    )
    on = (result.t > (BEGIN + 0.3) / OMEGA) & (result.t < (BEGIN + RISE - 0.3) / OMEGA)
    s, s1, s2 = law("cycloidal", OMEGA * result.t[on])
    push = MASS * (s2 * OMEGA**2 + G) + PRELOAD + SPRING * s
    share = np.maximum(MU, 2.0 * s1 / length)
    assert np.any(share == MU)
    assert np.any(share > MU)
    np.testing.assert_allclose(result.force("cam")[on], push / (1.0 - mu * share), rtol=1e-5)


def test_a_guide_that_is_too_short_jams_by_name() -> None:
    """It jams where mu_g 2 s'/L reaches 1: s' is 0.02 in the middle of the rise, so from L = 0.04 mu_g down."""
    with pytest.raises(pm.SimulationError, match='joint "guide" jams at t = '):
        pm.simulate(guided(0.9, 0.03), duration=(BEGIN + RISE) / OMEGA, samples=11)


def test_bad_friction_of_cams_is_told_in_one_line() -> None:
    for keys, said in (
        ({"follower": "roller"}, "is for a flat face that slides"),
        ({"follower": "flat", "face": (1.0, 0.2)}, "square to the axis"),
    ):
        with pytest.raises(pm.ModelError, match=said):
            machine(friction=RUBS, **keys)
    with pytest.raises(pm.ModelError, match="would act in flight too"):
        machine("flat", friction=Friction(mu=0.1, viscous=1.0), closure="force")


def test_friction_of_a_cam_is_written_and_read_and_agrees_with_the_second_opinion() -> None:
    model = machine("flat", friction=RUBS)
    assert loads(dumps(model)) == model
    found = pm.validate(model.replaced(run={"duration": 0.3}))
    assert found.agreed, str(found)


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_the_jacobian_of_a_face_that_slips_is_that_of_differences(formulation: str) -> None:
    from particlemech.run.preparing import FORMULATIONS
    from tests.support.oracles import central

    slow = Friction(mu=0.3, mu_static=0.5, stribeck=50.0, velocity=0.5)
    system = FORMULATIONS[formulation](machine("flat", friction=slow), ())
    random = np.random.default_rng(3)
    y = 0.3 * random.normal(size=system.n)
    y[system.layout.q] = system.drawing + 0.002 * random.normal(size=system.n_q)
    yp, cj = random.normal(size=system.n), 2.5
    residual, jacobian = system.callbacks(False)

    def at(z: np.ndarray) -> np.ndarray:
        out = np.empty(system.n)
        residual(0.0, np.ascontiguousarray(z), np.ascontiguousarray(yp + cj * (z - y)), out)
        return out

    J = np.zeros((system.n, system.n))
    jacobian(0.0, y, yp, np.zeros(system.n), cj, J)
    assert np.abs(J - central(at, y)).max() <= 1e-6 * np.abs(J).max()
