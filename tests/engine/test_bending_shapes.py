"""Shapes that are nearly alike, such as high powers: taken apart, with the same deflections and frequencies."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import space
from particlemech.engine.bending import shapes
from particlemech.engine.bending.assembly import clamped, vibrations
from particlemech.engine.bending.local_inertia import check, integrals
from particlemech.engine.bending.quadrature import numbers
from particlemech.errors import ModelError
from tests.support.flexible_chains import member

BETA = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613, 10.995540734875467])


def powers(last: int, along="y") -> list[dict]:
    """Return the modes x^2 ... x^last."""
    return [{"along": along, "shape": [0.0] * k + [1.0]} for k in range(2, last + 1)]


def beam(modes, **keys):
    """Return a beam of unit length, mass and stiffness."""
    return member(**{"density": 1.0, "EI": 1.0, "modes": modes} | keys)


@pytest.mark.parametrize(
    ("last", "errors"),
    [
        (3, (5e-3, 0.6)),
        (6, (4e-8, 3e-5, 0.026, 0.064)),
        (8, (2e-12, 2.5e-8, 3e-4, 1.8e-3)),
        (10, (1e-13, 8e-12, 1.1e-6, 1.8e-5)),
        (11, (1e-13, 2.5e-12, 1.6e-9, 1.8e-5)),
        (16, (1e-13, 1e-13, 1e-13, 5e-13)),
    ],
)
def test_powers_give_the_frequencies_of_euler_and_bernoulli_from_above(last, errors):
    of = beam(powers(last))
    made = numbers("beam", of)
    check(of, made[0])
    mu, _ = vibrations(*clamped(made))
    n = len(errors)
    too_high = mu[:n] ** -0.5 / BETA[:n] ** 2 - 1.0
    print(too_high)
    assert (too_high < errors).all()
    assert (too_high > -1e-13).all()  # a space of shapes can only stiffen a beam


def test_the_deflections_are_those_of_the_given_shapes():
    field = shapes.field(beam(powers(10)))
    T, xi = field.mixed, np.linspace(0.0, 1.0, 11)
    assert T is not None
    assert pytest.approx(np.triu(T)) == T
    given = np.array([xi**k for k in range(2, 11)]).T
    made = field.shapes(xi).delta[:, 1]
    assert made == pytest.approx(given @ T, abs=1e-7)  # T holds numbers up to 2e6
    assert np.abs(field.shapes(np.linspace(0, 1, 65)).delta[:, 1]).max(axis=0) == pytest.approx(np.ones(9), abs=1e-7)


def test_a_force_at_the_end_bends_a_beam_as_it_should():
    """x^2 and x^3 hold the whole answer, F L^3/(3 EI) and its slope; the higher powers have no part in it."""
    made = numbers("beam", beam(powers(12), EI=7.0, end=(2.0, 0.0, 0.0)))[0]
    q = np.linalg.solve(made.K, 3.0 * made.end_delta[1])
    assert made.end_delta[1] @ q == pytest.approx(3.0 * 8.0 / 21.0, rel=1e-13)
    assert made.end_psi[2] @ q == pytest.approx(3.0 * 4.0 / 14.0, rel=1e-13)
    assert np.abs(q[2:]).max() < 1e-9 * np.abs(q[:2]).max()


def test_shapes_that_differ_stay_as_they_are():
    for modes in (powers(7), [{"along": "y", "shape": [0, 0, 1]}, {"along": "y", "shape": [0, 0, 1, -1.2]}]):
        of = beam(modes)
        assert shapes.field(of).mixed is None
        tip = numbers("beam", of)[0].end_delta[1]
        assert tip == pytest.approx([sum(mode["shape"]) for mode in modes], abs=1e-12)


def test_a_stiffness_of_the_users_belongs_to_his_shapes():
    of = beam(powers(8), EI=None, K=np.eye(7).tolist())
    assert shapes.field(of).mixed is None


def test_directions_and_torsion_are_not_mixed():
    both = [mode for pair in zip(powers(10), powers(10, "z"), strict=True) for mode in pair]
    twist = {"about": "x", "shape": [0.0, 1.0]}
    field = shapes.field(beam([twist, *both], GJ=1.0, rotary=[1.0, 0.0, 0.0]))
    T = field.mixed
    kinds = np.array([0, *[1, 2] * 9])
    assert not T[kinds[:, None] != kinds[None, :]].any()
    alone = shapes.field(beam(powers(10))).mixed
    assert T[1::2, 1::2] == pytest.approx(alone, rel=1e-6)


def test_parts_of_a_beam_have_high_powers_too():
    mu, _ = vibrations(*clamped(numbers("beam", beam(powers(10), sublinks=4))))
    assert mu[:4] ** -0.5 == pytest.approx(BETA**2, rel=1e-12)


def test_a_tapered_beam_with_powers_converges():
    """EI and density fall towards the end: x^2 ... x^9 and x^2 ... x^13 agree."""
    found = []
    for last in (9, 11, 13):
        of = beam(powers(last), density=[1.0, -0.5], EI=[1.0, -1.2, 0.48])
        found.append(vibrations(*clamped(numbers("beam", of)))[0][:2] ** -0.5)
    assert found[1] == pytest.approx(found[2], rel=1e-9)
    assert found[0] == pytest.approx(found[2], rel=1e-5)
    assert (found[0] >= found[1] - 1e-12).all()


def test_foreshortening_is_that_of_the_mixed_shapes():
    of = beam(powers(10))
    field, (made,) = shapes.field(of), numbers("beam", of)
    x, w = np.polynomial.legendre.leggauss(20)
    xi = 0.5 * (x + 1.0)
    slopes = np.array([mode[1].derivative()(xi) for mode in field.delta])
    assert made.end_short == pytest.approx(0.5 * np.einsum("s,js,ks->jk", w, slopes, slopes), rel=1e-10, abs=1e-10)


def test_equal_shapes_are_named():
    with pytest.raises(
        ModelError, match='key "modes": number 3 is alike to those before it, most of all number 1'
    ) as it:
        shapes.field(beam([*powers(3), {"along": "y", "shape": [0.0, 0.0, 2.0]}]))
    assert "take it out" in str(it.value)
    with pytest.raises(ModelError, match="number 17 is alike"):
        shapes.field(beam(powers(18)))


def test_integrals_keep_digits():
    it = integrals(beam(powers(10)))
    scale = np.sqrt(np.diag(it.K))
    assert np.abs(it.K / np.outer(scale, scale) - np.eye(9)).max() < 1e-9


def test_a_cantilever_of_high_powers_vibrates():
    held = space.Mechanism(
        points={"A": (0, 0, 0), "B": (1, 0, 0)},
        bodies={"beam": space.Body(points=("A", "B"), density=1.0, EI=1.0, modes=powers(10))},
        joints={"root": space.joints.Weld(bodies=("ground", "beam"))},
    )
    found = pm.modes(held)
    assert found.omega[:2] == pytest.approx(BETA[:2] ** 2, rel=1e-6)
