"""Friction of a flat face on its cam: forces on guide and shaft by hand, losses, guides that jam, lift-off."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, joints, signals
from particlemech.model.friction import Friction
from particlemech.model.toml import dumps, loads
from tests.run.test_cams import BEGIN, HEIGHT, MASS, OMEGA, PRELOAD, RISE, ROLLER, SPRING, TURN, WAYS, G, law, machine

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


BAD = [
    ({"follower": "roller"}, {}, '"radius" of the pin is missing'),
    ({"follower": "knife"}, {"radius": 0.01}, '"radius" does not belong'),
    ({"follower": "roller"}, {"radius": 0.02}, "the pin, 0.02, is inside its roller of 0.012"),
    ({"follower": "roller"}, {"radius": 0.01, "mu": 1.3}, "never turns on a pin"),
    ({"follower": "flat"}, {"viscous": 1.0}, "would act in flight too"),
    ({"follower": "knife"}, {"sticking": True, "velocity": None}, "what slips here creeps"),
    ({"follower": "flat", "face": (1.0, 0.2)}, {"mu_static": 0.4, "stribeck": 1.0}, "square to the axis"),
    ({"follower": "knife"}, {"mu_static": 0.4, "stribeck": 1.0}, "is for a flat face that slides"),
]


@pytest.mark.parametrize(("keys", "of", "said"), BAD)
def test_bad_friction_of_cams_is_told_in_one_line(keys: dict, of: dict, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said) as error:
        machine(friction=Friction(**{"mu": MU, "velocity": 1e-4} | of), **keys)
    assert "\n" not in str(error.value)


# -- edges and rollers ------------------------------------------------------------------------------------------------

PIN, SHARP = 0.004, 1e-6
LIFTS = (0.003, 0.01, 0.015, 0.006, 0.0)
PIVOT = (-0.08, 0.05)
FOLLOWERS = [("knife", None), ("roller", None), ("knife", PIVOT), ("roller", PIVOT)]
followers = pytest.mark.parametrize(("follower", "pivot"), FOLLOWERS)


def rubbing(follower: str, mu: float = MU) -> Friction:
    """Return friction of a follower."""
    return Friction(mu=mu, velocity=SHARP, radius=PIN if follower == "roller" else None)


def across(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the cross products of vectors in the plane."""
    return np.asarray(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])


def rising(model: pm.Mechanism, **way: str) -> tuple[Any, slice]:
    """Return a run over a rise, and its samples in the rise."""
    result = pm.simulate(model, duration=(BEGIN + RISE - 0.1) / OMEGA, samples=30, **way)
    return result, np.flatnonzero(result.t > (BEGIN + 0.1) / OMEGA)


def touching(result: Any, on: Any, follower: str) -> tuple[np.ndarray, ...]:
    """Return normal, tangent, place and slip from places and velocities alone: what touches moves along the tangent.

    The roller moves as a part of its follower would; T is that of its friction circle.
    """
    Q, v = result["R"][on], result.velocity("R")[on]
    slip = OMEGA * np.stack([-Q[:, 1], Q[:, 0]], axis=1) - v
    t = slip / np.linalg.norm(slip, axis=1)[:, None]
    n = np.stack([t[:, 1], -t[:, 0]], axis=1)
    n *= np.sign(np.sum(n * Q, axis=1))[:, None]
    C = Q - (ROLLER * n if follower == "roller" else 0.0)
    swings = result.omega("follower")[on][:, None]
    speed = (
        np.stack([-C[:, 1], C[:, 0]], axis=1) * OMEGA
        - v
        - swings * np.stack([Q[:, 1] - C[:, 1], C[:, 0] - Q[:, 0]], axis=1)
    )
    return n, t, C, np.sum(speed * t, axis=1)


@ways
@followers
def test_what_slips_and_rolls_is_dragged_and_the_shaft_pays(
    follower: str, pivot: Any, formulation: str, integrator: str
) -> None:
    """Three equations of the follower give N; the torque is that of virtual power, losses included."""
    model = machine(follower, pivot=pivot, friction=rubbing(follower))
    result, on = rising(model, formulation=formulation, integrator=integrator)
    n, t, C, slip = touching(result, on, follower)
    drag = math.tan(math.asin(MU * PIN / ROLLER)) if follower == "roller" else MU
    a = result.acceleration("R")[on]
    if pivot is None:
        need = MASS * (a[:, 1] + G) + PRELOAD + SPRING * result.coordinate("guide")[on]
        N = need / (n[:, 1] + drag * t[:, 1])
        gained = need * result.velocity("R")[on, 1]
        side = -N * (n[:, 0] + drag * t[:, 0])
        np.testing.assert_allclose(result.reaction("guide", "follower")[on, 0], side, rtol=1e-7)
        if follower == "roller":  # the roller's force passes the axis of the follower at mu r
            turns = np.abs(result.moment("guide", on="follower")[on])
            np.testing.assert_allclose(turns, N * math.hypot(1.0, drag) * MU * PIN, rtol=1e-6)
    else:
        arm = result["R"][on] - pivot
        need = 4e-4 * result.alpha("follower")[on] + MASS * across(arm, np.add(a, (0.0, G)))
        N = need / (across(C - pivot, n) + drag * across(C - pivot, t))
        gained = need * result.omega("follower")[on]
    assert N.min() > 0.0
    np.testing.assert_allclose(result.force("cam")[on], N, rtol=1e-8)
    np.testing.assert_allclose(np.abs(result.friction("cam")[on]), drag * N, rtol=1e-8)
    np.testing.assert_allclose(result.loss("cam")[on], drag * N * slip, rtol=1e-8)
    np.testing.assert_allclose(OMEGA * result.effort("motor")[on], gained + drag * N * slip, rtol=1e-7)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@ways
def test_a_flat_face_that_swings_or_is_oblique_rubs_along_itself(formulation: str, integrator: str) -> None:
    """mu N turns a swinging face by its distance from the pivot; it adds mu N cos b to what holds an oblique one."""
    away = 0.01  # of the face from the pivot
    models = [
        machine("flat", pivot=(-0.08, HEIGHT - away), face=(1.0, 0.0), friction=of)
        for of in (None, Friction(mu=MU, velocity=SHARP))
    ]
    (bare, on), (result, _) = (rising(m, formulation=formulation, integrator=integrator) for m in models)
    arm = bare["R"][on] - (-0.08, HEIGHT - away)
    need = 4e-4 * bare.alpha("follower")[on] + MASS * across(arm, np.add(bare.acceleration("R")[on], (0.0, G)))
    lever = need / bare.force("cam")[on]
    N = need / (lever + MU * away)  # the cam drags the face to the left, below it the pivot
    np.testing.assert_allclose(result.force("cam")[on], N, rtol=1e-8)
    np.testing.assert_allclose(
        OMEGA * result.effort("motor")[on], need * result.omega("follower")[on] + result.loss("cam")[on], rtol=1e-7
    )
    lean = math.atan(0.2)
    oblique = machine("flat", face=(1.0, 0.2), friction=Friction(mu=MU, velocity=SHARP))
    result, on = rising(oblique, formulation=formulation, integrator=integrator)
    push = MASS * (result.acceleration("R")[on, 1] + G) + PRELOAD + SPRING * result.coordinate("guide")[on]
    np.testing.assert_allclose(result.force("cam")[on], push / (math.cos(lean) - MU * math.sin(lean)), rtol=1e-8)
    np.testing.assert_allclose(np.abs(result.friction("cam")[on]), MU * result.force("cam")[on], rtol=1e-12)


@ways
def test_an_edge_in_a_guide_that_rubs_needs_more_force_by_the_textbook(formulation: str, integrator: str) -> None:
    """N (cos a - mu sin a) = push + mu_g S,  S = N (sin a + mu cos a); N over push without friction is 1/cos a."""
    mu, guide = MU, 0.3
    model = guided(guide, 1.0).replaced(joints={"cam": {"follower": "knife", "friction": rubbing("knife")}})
    result, on = rising(model, formulation=formulation, integrator=integrator)
    s, s1, s2 = law("cycloidal", OMEGA * result.t[on])
    push = MASS * (s2 * OMEGA**2 + G) + PRELOAD + SPRING * s
    tilt = np.arctan2(s1, HEIGHT + s)
    sine, cosine = np.sin(tilt), np.cos(tilt)
    N = push / (cosine - mu * sine - guide * (sine + mu * cosine))
    np.testing.assert_allclose(result.force("cam")[on], N, rtol=1e-8)


def test_an_edge_that_slips_jams_its_guide() -> None:
    """cos a (1 - mu mu_g) = sin a (mu + mu_g) is reached at tan a = 0.25, before the rise is steepest, 0.285."""
    model = guided(1.0, 1.0).replaced(joints={"cam": {"follower": "knife", "friction": rubbing("knife", 0.6)}})
    with pytest.raises(pm.SimulationError, match=r'joint "(guide|cam)" jams at t = '):
        pm.simulate(model, duration=(BEGIN + RISE) / OMEGA, samples=11)


@pytest.mark.parametrize(
    ("follower", "keys"),
    [("knife", {"closure": "force"}), ("roller", {"pivot": PIVOT})],
)
def test_friction_of_a_cam_is_written_and_read_and_agrees_with_the_second_opinion(follower: str, keys: dict) -> None:
    model = machine(follower, friction=replace(rubbing(follower), velocity=1e-4), **keys)
    assert loads(dumps(model)) == model
    found = pm.validate(model.replaced(run={"duration": 0.3}))
    assert found.agreed, str(found)


def test_what_has_lifted_off_does_not_rub_and_lands_with_a_blow_along_the_cam() -> None:
    """Friction and contact force are there or not together, and blows take what friction says of the energy."""
    keys = {"closure": "force", "law": "harmonic", "friction": rubbing("knife")}
    motor = drivers.Rotation(bodies=("ground", "cam"), motion=signals.Linear(rate=25.0))
    result = pm.simulate(
        machine("knife", pivot=PIVOT, **keys).replaced(drivers={"motor": motor}), duration=0.5, samples=501
    )
    assert {one.what for one in result.switches} >= {"opens", "closes"}
    force, friction = result.force("cam"), result.friction("cam")
    np.testing.assert_allclose(np.abs(friction), MU * force, rtol=1e-9, atol=1e-9)
    assert np.count_nonzero(force == 0.0) > 50
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
@pytest.mark.parametrize(("follower", "pivot"), [("flat", None), ("flat", PIVOT), *FOLLOWERS])
def test_the_jacobian_of_what_slips_is_that_of_differences(formulation: str, follower: str, pivot: Any) -> None:
    from particlemech.run.preparing import FORMULATIONS
    from tests.support.oracles import central

    slow = Friction(mu=0.3, velocity=0.5, radius=PIN if follower == "roller" else None)
    if (follower, pivot) == ("flat", None):
        slow = Friction(mu=0.3, mu_static=0.5, stribeck=50.0, velocity=0.5)
    heights = {"angles": (1.0, 2.0, 3.0, 5.0, TURN), "law": "smooth"}
    heights["lift" if pivot is None else "swing"] = tuple((1.0 if pivot is None else 12.0) * h for h in LIFTS)
    system = FORMULATIONS[formulation](machine(follower, pivot=pivot, friction=slow, **heights), ())
    random = np.random.default_rng(3)
    y = 0.3 * random.normal(size=system.n)
    y[system.layout.q] = system.drawing + 0.002 * random.normal(size=system.n_q)
    y[system.layout.lam] *= 1e3  # so that friction is no small part of it
    yp, cj = random.normal(size=system.n), 2.5
    residual, jacobian = system.callbacks(False)

    def at(z: np.ndarray) -> np.ndarray:
        out = np.empty(system.n)
        residual(0.0, np.ascontiguousarray(z), np.ascontiguousarray(yp + cj * (z - y)), out)
        return out

    J = np.zeros((system.n, system.n))
    jacobian(0.0, y, yp, np.zeros(system.n), cj, J)
    assert np.abs(J - central(at, y)).max() <= 1e-6 * np.abs(J).max()
