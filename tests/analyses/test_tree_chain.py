"""A hanging chain: its frequencies converge to those of an endless one, j_0k/2 sqrt(g/L), and its links swing so."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import j0, jn_zeros

import particlemech as pm
from particlemech import models
from particlemech.analyses import study
from particlemech.errors import ModelError

G = 9.81
LENGTH, MASS = 2.0, 3.0
BESSEL = 0.5 * jn_zeros(0, 5) * math.sqrt(G / LENGTH)  # rad/s


def chain(n):
    return models.hanging_chain(n, length=LENGTH, mass=MASS)


def lowest(n):
    """Return the five lowest frequencies in each of the two planes, (5, 2), rad/s."""
    return pm.modes(chain(n)).omega[:10].reshape(5, 2)


def links(n):
    """Return all frequencies of n rods in a plane, from their kinetic and potential energy in small angles, rad/s."""
    a, m = LENGTH / n, MASS / n
    reach = a * (np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n))  # of centres, by the angles of rods
    inertia = m * reach.T @ reach + m * a * a / 12.0 * np.eye(n)
    weight = m * G * a * (n - 0.5 - np.arange(n))
    return np.sqrt(eigh(np.diag(weight), inertia, eigvals_only=True))


def test_a_hundred_links_have_the_frequencies_of_a_chain_within_one_percent():
    """Observed: 3e-6 of the first, 2.4e-3 of the fifth."""
    found = lowest(100)
    assert np.abs(found / BESSEL[:, None] - 1.0).max() < 5e-3


def test_frequencies_converge_with_the_square_of_the_length_of_a_link():
    errors = np.array([lowest(n)[:, 0] / BESSEL - 1.0 for n in (50, 100, 200)])
    assert np.all(errors > 0.0)
    rates = np.log2(errors[:-1] / errors[1:])
    assert np.all(np.abs(rates - 2.0) < [[0.2], [0.1]])


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_every_frequency_of_a_few_links_is_that_of_their_energies(n):
    found = pm.modes(chain(n))
    exact = np.repeat(links(n), 2)
    assert found.omega == pytest.approx(exact, rel=1e-8)
    assert found.frequency == pytest.approx(exact / (2.0 * math.pi), rel=1e-8)
    assert found.coordinates[:2] == ("pin1.angle1", "pin1.angle2")


def test_shapes_are_orthogonal_in_the_mass_matrix_of_the_report():
    model = chain(12)
    found, A = pm.modes(model), study.Study(model).A
    assert np.abs(found.shapes.T @ A @ found.shapes - np.eye(24)).max() < 1e-10


def swung(n, size, k):
    """Return a chain let go in its k-th shape in the plane x-z, and the frequency; size in rad at the last link."""
    model = chain(n)
    found = pm.modes(model)
    about_y = [i for i, name in enumerate(found.coordinates) if name.endswith("angle2")]
    # two shapes belong to each frequency: take the mixture without angles about x
    pair = found.shapes[:, 2 * k : 2 * k + 2].real
    about_x = [i for i in range(2 * n) if i not in about_y]
    mixture = np.linalg.svd(pair[about_x])[2][-1]
    shape = (pair @ mixture)[about_y]
    shape *= size / np.abs(shape).sum()
    return model.replaced(initial={"position": {f"pin{i + 1}": (0.0, x) for i, x in enumerate(shape)}}), found.omega[
        2 * k
    ]


@pytest.mark.parametrize("k", [0, 1, 2])
def test_a_chain_let_go_in_a_shape_comes_back_after_its_period(k):
    model, omega = swung(30, 1e-4, k)
    run = pm.simulate(model, duration=2.0 * math.pi / omega, samples=5, rtol=1e-11, integrator="explicit")
    x = run["end"][:, 0]
    size = abs(x[0])
    assert size > 1e-6
    # of the second order in the amplitude
    assert x / x[0] == pytest.approx([1.0, 0.0, -1.0, 0.0, 1.0], abs=1e-6)
    assert np.abs(run["end"][:, 1]).max() < 1e-9 * size


def test_the_lowest_shape_is_a_bessel_function():
    model, omega = swung(100, 1e-4, 0)
    start = pm.simulate(model, duration=1e-3, samples=2)
    x = np.array([start.place(f"pin{i}")[0, 0] for i in range(1, 101)] + [start["end"][0, 0]])
    above_end = np.linspace(LENGTH, 0.0, 101)
    exact = j0(2.0 * BESSEL[0] * np.sqrt(above_end / G))
    assert np.abs(x / x[-1] - exact).max() < 1e-4
    assert omega == pytest.approx(BESSEL[0], rel=1e-5)


def test_a_chain_that_is_no_equilibrium_has_no_small_vibrations():
    bent = chain(5).replaced(initial={"position": {"pin2": (0.0, 0.3)}})
    with pytest.raises(ModelError, match=r'no steady state: .* acts on "pin1.angle2"'):
        pm.modes(bent)


def test_a_chain_that_stands_upright_is_unstable():
    """Every force has the opposite sign."""
    upright = chain(4).replaced(initial={"position": {"pin1": (math.pi, 0.0)}})
    assert pm.modes(upright).omega == pytest.approx(-np.repeat(links(4)[::-1], 2), rel=1e-7)
