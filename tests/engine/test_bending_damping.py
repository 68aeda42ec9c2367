"""Damping of bending bodies, and the linear model of a clamped one: neither depends on the number of parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import block_diag, solve_triangular

import particlemech as pm
from particlemech import space
from particlemech.engine.bending.assembly import carried, clamped, vibrations
from particlemech.engine.bending.damping import damping
from particlemech.engine.bending.local_inertia import integrals, local
from particlemech.engine.bending.members import Member
from particlemech.engine.bending.quadrature import numbers
from particlemech.errors import ModelError
from particlemech.model.space.parts import Body
from tests.support.flexible_chains import member

CUBICS = [{"along": "y", "shape": [0, 0, 1]}, {"along": "y", "shape": [0, 0, 0, 1]}]
FINE = [{"along": "y", "shape": [0, 0, *[0] * k, 1]} for k in range(7)]  # x^2 ... x^8: three modes of one part
BETA = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613])  # of Euler and Bernoulli, clamped and free
PARTS = [1, 2, 4, 8]


def beam(**keys) -> Member:
    """Return a beam of unit length, mass and stiffness."""
    return member(**{"density": 1.0, "EI": 1.0, "modes": FINE} | keys)


def ratios(of: Member) -> tuple[np.ndarray, np.ndarray]:
    """Return omega and zeta of the vibrations of a clamped body, slow ones best: K s^2 + C s + M = 0, s = 1/lambda."""
    made = numbers("beam", of)
    M, K = clamped(made)
    L = np.linalg.cholesky(K)
    C = np.concatenate([part.C for part in made])
    A, B = (solve_triangular(L, solve_triangular(L, of, lower=True).T, lower=True) for of in (M, C))
    n = len(M)
    s = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-A, -B]]))
    s = s[s.imag > 0.0]
    s = s[np.argsort(-np.abs(s))]
    return 1.0 / np.abs(s), -s.real / np.abs(s)


# -- the linear model ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("parts", "error"), [(1, 3e-4), (2, 6e-6), (4, 1e-7), (8, 1.5e-9)])
def test_a_clamped_beam_has_the_frequencies_of_euler_and_bernoulli(parts, error):
    mu, _ = vibrations(*clamped(numbers("beam", beam(sublinks=parts))))
    too_high = mu[:3] ** -0.5 / BETA**2 - 1.0
    print(too_high)
    assert (np.abs(too_high) < error).all()


def test_parts_of_a_curved_mass_and_stiffness_are_put_together_exactly():
    """One part whose shapes are those of two, cubic on each half: the same beam, written down once as a whole."""
    keys = {
        "end": (2.0, 0.0, 0.0),
        "density": [3.0, -1.0],
        "rotary": [0.2, 0.0, 0.0],
        "EI": [5.0, 0.0, -1.0],
        "GJ": 2.0,
    }
    twist = {"about": "x", "shape": [0.0, 1.0]}
    two = numbers("beam", member(**keys, modes=[*CUBICS, {"along": "z", "shape": [0, 0, 1]}, twist], sublinks=2))
    M, K = clamped(two)

    def half(first, then):  # a curve on [0, 1] in two halves, as a function of x/L
        return lambda s: first(2.0 * s) if s < 0.5 else then(2.0 * s - 1.0)

    # displacement and rotation of the whole for each modal coordinate; parts are 1 long
    still, q = (lambda s: 0.0 * s), np.polynomial.Polynomial
    shapes = [
        ("y", half(q([0, 0, 1]), q([1, 2]))),
        ("y", half(q([0, 0, 0, 1]), q([1, 3]))),
        ("z", half(q([0, 0, 1]), q([1, 2]))),
        ("t", half(q([0, 1]), q([1]))),
        ("y", half(still, q([0, 0, 1]))),
        ("y", half(still, q([0, 0, 0, 1]))),
        ("z", half(still, q([0, 0, 1]))),
        ("t", half(still, q([0, 1]))),
    ]
    x, w = np.polynomial.legendre.leggauss(8)
    s = np.concatenate([(x + 1.0) / 4.0, (x + 3.0) / 4.0])
    weights = np.concatenate([w, w]) / 4.0
    for j, (along, one) in enumerate(shapes):
        for k, (across, other) in enumerate(shapes):
            per_length = 0.2 if along == "t" else 3.0 - s
            energy = 2.0 * weights @ (per_length * np.array([one(v) * other(v) for v in s])) if along == across else 0.0
            assert M[j, k] == pytest.approx(energy, abs=1e-12), (j, k)
    assert pytest.approx(block_diag(*(part.K for part in two))) == K


def test_one_part_has_the_integrals_of_the_report_and_a_rigid_remainder_stays_with_it():
    one = numbers("beam", beam(com=(0.6, 0.0, 0.0), inertia=(0.1, 0.2, 0.2), mass=1.5))
    M, _ = clamped(one)
    assert pytest.approx(integrals(one[0]).I_qq) == M


def test_parts_move_as_the_local_matrices_of_their_frames_say():
    made = numbers("beam", beam(modes=CUBICS, sublinks=3, rotary=(0.01, 0.02, 0.03)))
    M, _ = clamped(made)
    total = np.zeros_like(M)
    for part, at in zip(made, carried(made), strict=False):
        own = np.eye(len(M))[at.own]
        motion = np.concatenate([at.u, at.t, own])
        total += motion.T @ local(part, np.zeros(part.m)) @ motion
    assert pytest.approx(total, abs=1e-14) == M


# -- damping -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", PARTS)
def test_mass_damping_does_not_depend_on_the_number_of_parts(parts):
    omega, zeta = ratios(beam(damping=[1.0, 0.0], sublinks=parts))
    assert zeta[0] == pytest.approx(0.1422, abs=1e-4)
    assert zeta[:3] == pytest.approx(0.5 / BETA**2, rel=1e-3)
    assert zeta[:3] == pytest.approx(0.5 / omega[:3], rel=1e-6)


@pytest.mark.parametrize("parts", PARTS)
def test_proportional_damping_follows_the_rule(parts):
    a, b = 0.4, 0.003
    _, zeta = ratios(beam(damping=[a, b], sublinks=parts))
    assert zeta[:3] == pytest.approx(0.5 * (a / BETA**2 + b * BETA**2), rel=1e-3)


@pytest.mark.parametrize("parts", PARTS)
def test_a_damping_ratio_is_that_of_every_vibration(parts):
    omega, zeta = ratios(beam(damping_ratio=0.02, sublinks=parts))
    assert len(zeta) == 7 * parts
    assert zeta[:3] == pytest.approx(0.02, rel=1e-11)
    assert zeta[omega < 1e3 * omega[0]] == pytest.approx(0.02, rel=1e-3)  # by eigenvalues that spare slow ones only


@pytest.mark.parametrize("parts", PARTS)
def test_a_list_of_ratios_is_for_the_lowest_and_the_others_have_none(parts):
    _, zeta = ratios(beam(damping_ratio=[0.03, 0.01], sublinks=parts))
    assert zeta[:2] == pytest.approx([0.03, 0.01], rel=1e-6)
    assert np.abs(zeta[2:]).max() < 1e-6


@pytest.mark.parametrize("keys", [{"damping": [0.3, 0.01]}, {"damping_ratio": 0.05}, {"damping_ratio": [0.05]}])
def test_damping_takes_energy_and_gives_none(keys):
    of = beam(sublinks=4, modes=CUBICS, **keys)
    C = damping(of, numbers("beam", of))
    assert pytest.approx(C.T, rel=1e-12) == C
    assert np.linalg.eigvalsh(C)[0] > -1e-12 * np.linalg.eigvalsh(C)[-1]


def test_more_ratios_than_vibrations_are_told():
    with pytest.raises(ModelError, match="lists 3 vibrations, but the body has 2"):
        numbers("beam", beam(modes=CUBICS, damping_ratio=[0.1, 0.1, 0.1]))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"damping_ratio": 2.0}, "from 0 to 1, got 2; 2 % is 0.02"),
        ({"damping_ratio": -0.1}, "got -0.1"),
        ({"damping_ratio": []}, "empty list"),
        ({"damping_ratio": 0.1, "damping": [0.1, 0.0]}, '"damping" and "damping_ratio" both'),
        ({"damping_ratio": 0.1, "modes": [], "EI": None, "density": None, "mass": 1.0}, "bodies that bend"),
    ],
)
def test_bad_damping_is_told_in_one_line(keys, words):
    with pytest.raises(ModelError, match=words):
        Body(**{"points": ("A", "B"), "density": 1.0, "EI": 1.0, "modes": CUBICS} | keys)


# -- through the public words --------------------------------------------------------------------------------------


def cantilever(**keys) -> space.Mechanism:
    """Return a beam welded to the ground."""
    return space.Mechanism(
        points={"A": (0, 0, 0), "B": (1, 0, 0)},
        bodies={"beam": space.Body(**{"points": ("A", "B"), "density": 1.0, "EI": 1.0, "modes": CUBICS} | keys)},
        joints={"root": space.joints.Weld(bodies=("ground", "beam"))},
    )


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_vibrations_of_a_cantilever_have_the_damping_that_was_asked_for(parts):
    found = pm.modes(cantilever(sublinks=parts, damping=[1.0, 0.0]))
    assert found.damping[0] == pytest.approx(0.5 / BETA[0] ** 2, rel=5e-3)
    found = pm.modes(cantilever(sublinks=parts, damping_ratio=0.04))
    assert found.damping[:2] == pytest.approx(0.04, rel=1e-5)


def test_a_released_beam_dies_away_as_its_damping_ratio_says():
    zeta, still = 0.05, {"modes": {"beam": (0.001, 0.0, 0.0, 0.0)}}
    held = cantilever(sublinks=2, damping_ratio=zeta).replaced(initial=still)
    found = pm.modes(held)
    damped, period = found.damping[0] * found.omega[0], 2.0 * np.pi / found.omega[0]
    result = pm.simulate(held, duration=6.0 * period, samples=1201)
    energy = result.energy.total
    assert result.status.value == "completed"
    # after a while the first vibration is all that is left: energy falls by exp(-2 zeta omega t)
    t = result.t
    late = np.searchsorted(t, [3.0 * period, 5.0 * period])
    rate = -np.diff(np.log(energy[late]))[0] / (t[late[1]] - t[late[0]])
    assert rate == pytest.approx(2.0 * damped, rel=2e-3)
