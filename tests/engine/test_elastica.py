"""Beams that keep their length, in the plane: the witness of bending bodies in loops, held to what is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, null_space

import particlemech as pm
from particlemech.model.space import Body, Initial, Mechanism, joints
from particlemech.model.space.parts import Mode
from tests.support import bending_loops
from tests.support.bending_loops import BEAMS, BENDING, CUBICS, mechanism, references, stored
from tests.support.elastica import Beam, Elastica

WEIGHT = (0.0, -9.81)


def frequencies(made):
    """Return the angular frequencies of small vibrations about the drawing that bend something."""
    q, v = made.start()
    *_, (M, A, _) = made.accelerations(0.0, q, v)
    K = np.zeros_like(M)
    for b, part in enumerate(made.slices):
        K[part, part][2:, 2:] = made.K[b]
    Z = null_space(A)
    return np.sqrt(np.abs(eigh(Z.T @ K @ Z, Z.T @ M @ Z, eigvals_only=True)))


def test_a_beam_on_two_supports_vibrates_as_euler_and_bernoulli_say():
    made = Elastica([Beam((0.0, 0.0), (2.0, 0.0), 1.0, 3.0)], degree=12)
    made.pin((0, 0), (0.0, 0.0))
    made.slide((0, 1), (0.0, 1.0), 0.0)
    exact = (np.arange(1, 4) * np.pi) ** 2 * np.sqrt(3.0 / (0.5 * 2.0**4))
    assert frequencies(made)[:3] == pytest.approx(exact, rel=1e-8)


def test_a_free_beam_vibrates_as_euler_and_bernoulli_say():
    made = Elastica([Beam((0.0, 0.0), (0.0, 2.0), 1.0, 3.0)], degree=12)
    made.pin((0, 0), (0.0, 0.0))  # pinned and free: tan k = tanh k
    exact = np.array([3.926602312, 7.068582746]) ** 2 * np.sqrt(3.0 / (0.5 * 2.0**4))
    assert frequencies(made)[1:3] == pytest.approx(exact, rel=1e-8)


def test_a_beam_bent_by_its_weight_sags_as_the_handbook_says():
    made = Elastica([Beam((0.0, 0.0), (1.0, 0.0), 1.0, 1.0, damping=0.1)], gravity=(0.0, -0.01), degree=4)
    made.pin((0, 0), (0.0, 0.0))
    made.slide((0, 1), (0.0, 1.0), 0.0)
    q, _ = made.run(np.linspace(0.0, 3.0, 4), 1e-8)
    assert made.deflection(0, q)[-1] == pytest.approx(-5.0 / 384.0 * 0.01, rel=1e-5)


def test_a_rigid_bar_swings_like_a_rod():
    made = Elastica([Beam((0.0, 0.0), (1.0, 0.0), 1.0), Beam((1.0, 0.0), (1.5, 0.0), 0.5)], gravity=WEIGHT)
    made.pin((0, 0), (0.0, 0.0))
    made.pin((0, 1), (1, 0))
    times = np.linspace(0.0, 1.0, 11)
    q, _ = made.run(times, 1e-11)
    rods = {"a": pm.Body(points=("O", "A"), mass=1.0), "b": pm.Body(points=("A", "B"), mass=0.5)}
    pins = {
        "O": pm.joints.Revolute(point="O", bodies=("ground", "a")),
        "A": pm.joints.Revolute(point="A", bodies=("a", "b")),
    }
    points = {"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (1.5, 0.0)}
    model = pm.Mechanism(points=points, bodies=rods, joints=pins, gravity=WEIGHT)
    run = pm.simulate(model, duration=1.0, samples=11, rtol=1e-11)
    assert made.place(1, q, 1.0) == pytest.approx(run["B"], abs=1e-8)


def test_energy_is_kept_without_damping():
    made = BEAMS["let_go"](5, 0.0)
    q, v = made.run(np.linspace(0.0, 0.3, 7), 1e-9)
    energy = made.energy(q, v)
    assert np.ptp(energy.sum(axis=1)) < 1e-6 * np.ptp(energy[:, 0])
    assert energy[:, 1].max() > 1e-5 * np.ptp(energy[:, 0])  # something was bent


def pendulum(sublinks):
    """Return a bending pendulum as a mechanism, drawn sideways."""
    rod = Body(
        points=("O", "B", "M"),
        density=0.5,
        EI=2.0,
        damping=(0.0, 1e-4),
        sublinks=sublinks,
        modes=tuple(Mode(along="y", shape=shape) for shape in CUBICS),
    )
    still = {"rod": (0.0,) * (2 * sublinks)}
    return Mechanism(
        gravity=(*WEIGHT, 0.0),
        points={"O": (0.0, 0.0, 0.0), "B": (0.5, 0.0, 0.0), "M": (0.25, 0.0, 0.0)},
        bodies={"rod": rod},
        joints={"O": joints.Revolute(bodies=("ground", "rod"), point="O", axis=(0.0, 0.0, 1.0))},
        initial=Initial(modes=still, mode_rates=still),
    )


def test_sub_links_of_a_bending_pendulum_converge_to_it():
    """The one mechanism that both can run without loops; 4 and 8 sub-links are off by 1.2e-2 and 8.2e-4."""
    made = Elastica([Beam((0.0, 0.0), (0.5, 0.0), 0.25, 2.0, 1e-4)], degree=8, gravity=WEIGHT)
    made.pin((0, 0), (0.0, 0.0))
    q, _ = made.run(np.linspace(0.0, 0.5, 26), 1e-8)
    wanted, off = made.deflection(0, q), {}
    for n in (4, 8):
        run = pm.simulate(pendulum(n), duration=0.5, samples=26, rtol=1e-9)
        off[n] = np.abs(bending_loops.to_the_left(run["O"], run["B"], run["M"]) - wanted).max()
    assert off[8] < 1.5e-3 * np.abs(wanted).max()
    assert off[8] < 0.1 * off[4]  # the fourth power of their length


@pytest.mark.parametrize("name", BEAMS)
def test_a_coarser_run_meets_the_stored_references(name):
    times, found = references(name, degree=6, rtol=1e-7)
    kept, wanted = stored(name)
    assert times == pytest.approx(kept)
    for body in BENDING[name]:
        largest = np.abs(wanted[body]).max()
        assert np.abs(found[body] - wanted[body]).max() < COARSER[name] * largest
        assert 1e-4 < largest < 1e-2


COARSER = {"slider_crank": 1e-3, "four_bar": 1e-3, "let_go": 1e-3, "simeon": 1e-2}


@pytest.mark.parametrize("name", BEAMS)
def test_beams_and_mechanisms_are_drawn_alike(name):
    beams, drawn = BEAMS[name](4, 0.0), mechanism(name, sublinks=2)
    for b, body in enumerate(BENDING[name]):
        one, other = (np.array(place)[:2] for place in drawn.line(body))
        beam, spec = beams.beams[b], drawn.bodies[body]
        assert (one, other) == (pytest.approx(beam.start), pytest.approx(beam.end))
        assert spec.density == pytest.approx((beam.mass / np.hypot(*(other - one)),))
        assert spec.EI == pytest.approx((beam.EI,))
        assert spec.sublinks == 2
        assert np.dot(spec.modes[0].along[:2], other - one) == pytest.approx(0.0, abs=1e-12)
