"""A rigid body and its equivalent particles have the same mass, centre and inertia, and give the same motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from particlemech.engine.particles.particles import inertia_form, rod_particles, three_particles

ROUND = 1e-14  # observed 6e-16, of the largest term in a sum

places = st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)).map(np.array)
masses = st.floats(0.01, 100.0)
radii = st.floats(0.02, 2.0)  # of gyration, m


@st.composite
def bodies(draw):
    """Mass, inertia about the centre of mass, centre of mass and particle 3 seen from particle 1."""
    mass, r_G, r_3 = draw(masses), draw(places), draw(places)
    assume(np.hypot(*r_3) > 0.05)
    return mass, mass * draw(radii) ** 2, r_G, r_3


def sizes(mass, inertia, r_G, r_3):
    """Return the sizes of mass, first and second moment."""
    reach = max(np.hypot(*r_G), np.hypot(*r_3))
    return mass, mass * reach + math.sqrt(mass * inertia), inertia + mass * reach**2


def moments(m, r):
    """Return mass, first and second moment of particles."""
    return m.sum(), m @ r, float(np.sum(m * np.sum(r * r, axis=1)))


def assert_equivalent(body, m, r):
    mass, inertia, r_G, _ = body
    total, first, second = moments(m, r)
    # digits are lost where masses of both signs cancel
    lost = max(1.0, np.abs(m).max() / mass, float(np.max(np.abs(m) * np.sum(r * r, axis=1))) / sizes(*body)[2])
    bounds = [ROUND * lost * size for size in sizes(*body)]
    assert abs(total - mass) <= bounds[0]  # [A00] (1)
    assert np.max(np.abs(first - mass * r_G)) <= bounds[1]
    assert abs(second - (inertia + mass * r_G @ r_G)) <= bounds[2]


@given(bodies())
def test_three_particles_have_the_mass_the_centre_and_the_inertia_of_the_body(body):
    m, r = three_particles(*body)
    assert_equivalent(body, m, r)
    assert np.array_equal(r[0], [0.0, 0.0]) and np.array_equal(r[2], body[3])


@given(bodies(), st.floats(-3.0, 3.0))
def test_any_mass_of_the_third_particle_will_do(body, share):
    mass, inertia, r_G, r_3 = body
    m3 = share * mass
    s, J = mass * r_G - m3 * r_3, inertia + mass * r_G @ r_G - m3 * r_3 @ r_3
    assume(np.hypot(*s) > 1e-3 * mass and abs(J) > 1e-3 * mass)
    m, r = three_particles(*body, m3)
    assert m[2] == m3
    assert_equivalent(body, m, r)


@given(bodies())
def test_all_masses_are_positive_by_default(body):
    assert np.all(three_particles(*body).m > 0.0)


@given(bodies(), st.floats(0.01, 3.0))
def test_masses_are_positive_exactly_below_the_bound_of_the_third(body, share):
    mass, inertia, r_G, r_3 = body
    assume(abs(share - 1.0) > 1e-3)
    bound = mass * inertia / (inertia + mass * (r_3 - r_G) @ (r_3 - r_G))
    m3 = share * bound
    s, J = mass * r_G - m3 * r_3, inertia + mass * r_G @ r_G - m3 * r_3 @ r_3
    assume(np.hypot(*s) > 1e-4 * mass and abs(J) > 1e-4 * mass)
    assert bool(np.all(three_particles(*body, m3).m > 0.0)) == (share < 1.0)


@given(bodies(), st.floats(-2.0, 2.0))
def test_constants_of_the_motion_do_not_depend_on_the_third_particle(body, share):
    mass, inertia, r_G, r_3 = body
    m3 = share * mass
    s, J = mass * r_G - m3 * r_3, inertia + mass * r_G @ r_G - m3 * r_3 @ r_3
    assume(np.hypot(*s) > 1e-2 * mass and abs(J) > 1e-2 * mass)
    (_, m2, _), (_, r_2, _) = three_particles(*body, m3)
    d2 = r_3 @ r_3
    nu, la = r_2 @ r_3 / d2, (r_3[0] * r_2[1] - r_3[1] * r_2[0]) / d2
    form = inertia_form(*body)
    size = abs(m3) + abs(m2) * (1.0 + nu**2 + la**2) + mass
    assert abs(m3 + nu * m2 - form.mu) <= ROUND * size
    assert abs(m2 * la - form.ka) <= ROUND * size
    assert abs(m3 + m2 * (nu**2 + la**2) - form.j) <= ROUND * size


@given(bodies(), places, places)
def test_kinetic_energy_of_the_constants_is_that_of_the_body(body, v_1, spin):
    mass, inertia, r_G, r_3 = body
    omega = float(spin[0])
    d_dot = omega * np.array([-r_3[1], r_3[0]])
    v_G = v_1 + omega * np.array([-r_G[1], r_G[0]])
    mu, ka, j = inertia_form(*body)
    along = mu * d_dot + ka * np.array([-d_dot[1], d_dot[0]])
    energy = 0.5 * mass * v_1 @ v_1 + v_1 @ along + 0.5 * j * d_dot @ d_dot
    size = mass * (v_1 @ v_1 + omega**2 * r_G @ r_G) + inertia * omega**2
    assert abs(energy - 0.5 * (mass * v_G @ v_G + inertia * omega**2)) <= ROUND * (size + 1e-30)


@given(masses, st.floats(0.05, 2.0), st.floats(-0.5, 1.5), radii)
def test_a_rod_has_its_second_particle_in_the_middle(mass, length, share, radius):
    l_G = share * length
    I0 = mass * (radius**2 + l_G**2)
    m = rod_particles(mass, I0, length, l_G)
    r = np.array([[0.0, 0.0], [0.5 * length, 0.0], [length, 0.0]])
    total, first, second = moments(m, r)
    size = np.abs(m).max()
    assert abs(total - mass) <= ROUND * size
    assert abs(first[0] - mass * l_G) <= ROUND * size * length
    assert abs(second - I0) <= ROUND * size * length**2


def test_a_uniform_rod_is_one_sixth_two_thirds_one_sixth():
    m = rod_particles(6.0, 6.0 * 0.5**2 / 3.0, 0.5, 0.25)
    assert np.max(np.abs(m - [1.0, 4.0, 1.0])) <= 1e-14


def test_a_third_particle_that_sends_the_second_to_infinity_is_refused():
    with pytest.raises(ValueError, match="at infinity"):
        three_particles(2.0, 0.1, np.array([0.5, 0.0]), np.array([1.0, 0.0]), m3=1.0)


def test_the_default_avoids_a_second_particle_at_infinity():
    # the centre of mass lies where half of the bound is m |rG|/|r3|, so that particle 2 would leave the plane
    mass, inertia, r_3, share = 2.0, 0.2, np.array([1.0, 0.0]), 0.0
    for _ in range(60):
        share = 0.5 * inertia / (inertia + mass * (1.0 - share) ** 2)
    body = (mass, inertia, np.array([share, 0.0]), r_3)
    m, r = three_particles(*body)
    assert np.all(m > 0.0) and np.all(np.abs(r) < 100.0)
    assert_equivalent(body, m, r)
