"""The witnesses of flexible links are held against closed forms before anything is held against them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.special import jv

from tests.support.beam_arms import ARM, ELBOW, PRINTED_LAST, STRAIGHT, bent_arm, report_arm
from tests.support.beam_elements import Frame, Section
from tests.support.rotating_beam import by_elements, by_ritz, by_series, hanging, spinning, unbalanced

L, MU, POLAR = 2.3, 0.7, 0.011
EI_Y, EI_Z, GJ = 5.1, 9.4, 3.7
BEAM = Section((EI_Y, EI_Z), GJ, MU, POLAR)
ACROSS = np.sqrt(EI_Y / (MU * L**4))  # rad/s, of the softer plane, times (beta L)^2
UP = np.sqrt(EI_Z / (MU * L**4))
ROUNDING = 1e-9  # of frequencies, with some dozens of elements


def clamped(n=8, section=BEAM):
    frame = Frame()
    root = frame.node((0.3, -0.2, 0.1))
    frame.hold(root)
    return frame, frame.beam(root, (0.3 + L, -0.2, 0.1), section, n, y=(0.0, 1.0, 0.0))


def roots(function, n, step=0.1):
    """Return the lowest n zeros above zero of a function that changes sign at each."""
    found, x = [], step
    while len(found) < n:
        if function(x) * function(x + step) <= 0.0:
            found.append(brentq(function, x, x + step, xtol=1e-14))
        x += step
    return np.array(found)


def too_high(beta, n):
    """Return by which part elements of length h = L / n raise a frequency of bending with waves sin(beta x / L).

    omega_h / omega - 1 = (beta h / L)^4 / 1440 for cubics with their consistent mass, and terms smaller by
    (beta h / L)^2; less if a body carries a part of the kinetic energy.
    """
    return (beta / n) ** 4 / 1440.0


def check_raised(omega, unit, beta, n):
    """Check that frequencies are too high by just what the elements are known for."""
    beta = np.array(beta)
    error = np.abs(omega / (unit * beta**2) - 1.0 - too_high(beta, n))
    print("error of the error", error / too_high(beta, n), "of", (beta / n) ** 2)
    assert np.all(error < 0.2 * (beta / n) ** 2 * too_high(beta, n) + ROUNDING)


# -- one beam ------------------------------------------------------------------------------------------------------


def cantilever_roots(n):
    return roots(lambda b: np.cos(b) + 1.0 / np.cosh(b), n)


@pytest.mark.parametrize(("held", "unit"), [("zab", ACROSS), ("yac", UP)])  # held: all but the plane of bending
def test_a_cantilever_vibrates_in_both_planes_as_euler_and_bernoulli_say(held, unit):
    frame, nodes = clamped(16)
    for node in nodes[1:]:
        frame.hold(node, held)
    beta = cantilever_roots(3)
    check_raised(frame.assembled().frequencies(3), unit, beta, 16)  # 1.3e-7, 5.1e-6, 4.0e-5


def test_frequencies_of_bending_converge_from_above_with_the_fourth_power_of_the_element():
    beta = cantilever_roots(1)[0]
    for n in (1, 2, 4, 8):
        check_raised(clamped(n)[0].assembled().frequencies(1)[0], ACROSS, beta, n)


def test_one_element_has_the_first_frequency_within_half_a_percent():
    found = clamped(1)[0].assembled().frequencies(1)[0] / (ACROSS * cantilever_roots(1)[0] ** 2)
    assert 1e-3 < found - 1.0 < 5e-3


def test_a_free_beam_vibrates_as_euler_and_bernoulli_say():
    frame = Frame()
    frame.beam(frame.node(np.zeros(3)), (0.4 * L, -0.6 * L, np.sqrt(0.48) * L), Section(EI_Y, 1e3, MU, POLAR), 16)
    omega, _ = frame.assembled().modes()
    beta = np.repeat(roots(lambda b: np.cos(b) - 1.0 / np.cosh(b), 2, 1.0), 2)
    assert np.count_nonzero(omega == 0.0) == 6
    check_raised(omega[6:10], ACROSS, beta, 16)


def test_a_clamped_and_pinned_beam_vibrates_as_euler_and_bernoulli_say():
    frame, nodes = clamped(16)
    frame.hold(nodes[-1], "yz")
    beta = roots(lambda b: np.sin(b) - np.cos(b) * np.tanh(b), 1, 1.0)[0]
    check_raised(frame.assembled().frequencies(1)[0], ACROSS, beta, 16)


def test_a_mass_at_the_tip_lowers_the_frequency_as_the_transcendental_equation_says():
    ratio = 0.8  # of the mass of the beam
    frame, nodes = clamped(16)
    frame.body(nodes[-1], ratio * MU * L, np.zeros(3), np.zeros((3, 3)))
    beta = roots(lambda b: 1.0 / np.cosh(b) + np.cos(b) + ratio * b * (np.cos(b) * np.tanh(b) - np.sin(b)), 1)[0]
    assert 0.0 < frame.assembled().frequencies(1)[0] / (ACROSS * beta**2) - 1.0 < too_high(beta, 16)


def test_a_body_on_a_twisting_beam_follows_the_transcendental_equation():
    inertia = 0.4 * POLAR * L
    frame, nodes = clamped(32, Section(1e4, GJ, MU, POLAR))
    frame.body(nodes[-1], 0.0, np.zeros(3), np.diag([inertia, 0.0, 0.0]))
    beta = roots(lambda b: b * np.sin(b) * inertia - np.cos(b) * POLAR * L, 1)[0]
    raised = frame.assembled().frequencies(1)[0] / (beta / L * np.sqrt(GJ / POLAR)) - 1.0
    assert 0.0 < raised < (beta / 32) ** 2 / 24.0  # straight lines: one half of (beta h)^2 / 12


def test_a_spring_at_the_root_follows_the_transcendental_equation():
    frame = Frame()
    root = frame.node(np.zeros(3))
    frame.hold(root)
    frame.beam(frame.revolute(root, (0.0, 0.0, 1.0), 3.0 * EI_Y / L), (L, 0.0, 0.0), BEAM, 16, y=(0.0, 1.0, 0.0))

    def condition(b):
        return 3.0 * (np.cos(b) + 1.0 / np.cosh(b)) + b * (np.cos(b) * np.tanh(b) - np.sin(b))

    check_raised(frame.assembled().frequencies(1)[0], ACROSS, roots(condition, 1)[0], 16)


def test_rotary_inertia_of_thick_sections_lowers_the_frequency_as_rayleigh_says():
    r = 0.02  # radius of gyration over length
    frame, _ = clamped(16, BEAM._replace(rotary=MU * (r * L) ** 2))
    lowered = frame.assembled().frequencies(1)[0] / clamped(16)[0].assembled().frequencies(1)[0]
    # first order in r^2: half the ratio of int w'^2 to int w^2, for the cantilever's first shape 4.647777...
    x = np.linspace(0.0, 1.0, 20001)
    b = cantilever_roots(1)[0]
    k = (np.cos(b) + np.cosh(b)) / (np.sin(b) + np.sinh(b))
    w = np.cosh(b * x) - np.cos(b * x) - k * (np.sinh(b * x) - np.sin(b * x))
    slope = np.gradient(w, x)
    expected = 1.0 - 0.5 * r**2 * trapezoid(slope**2, x) / trapezoid(w**2, x)
    assert lowered == pytest.approx(expected, abs=3e-6)


def test_tip_deflections_are_those_of_the_handbook():
    frame, nodes = clamped(3)
    arm, tip = frame.assembled(), frame.at(nodes[-1])
    force, moment = 0.4, 0.3
    sideways = tip @ arm.deflection(tip.T @ [0.0, force, 0.0, 0.0, 0.0, 0.0])
    assert sideways[[1, 5]] == pytest.approx([force * L**3 / (3 * EI_Y), force * L**2 / (2 * EI_Y)], rel=1e-10)
    upward = tip @ arm.deflection(tip.T @ [0.0, 0.0, force, 0.0, 0.0, 0.0])
    assert upward[[2, 4]] == pytest.approx([force * L**3 / (3 * EI_Z), -force * L**2 / (2 * EI_Z)], rel=1e-10)
    turned = tip @ arm.deflection(tip.T @ [0.0, 0.0, 0.0, moment, 0.0, moment])
    assert turned[[3, 1, 5]] == pytest.approx(
        [moment * L / GJ, moment * L**2 / (2 * EI_Y), moment * L / EI_Y], rel=1e-10
    )
    hanging_down = tip @ arm.deflection(arm.weight((0.0, 0.0, -9.81)))
    assert hanging_down[2] == pytest.approx(-9.81 * MU * L**4 / (8 * EI_Z), rel=1e-10)


# -- more than one -------------------------------------------------------------------------------------------------


def test_a_bent_arm_deflects_as_castigliano_says():
    a, b, force = 1.7, 0.9, 0.2
    sections = (BEAM, Section((2.0, 3.0), 1.3, 0.5))
    frame, _, second = bent_arm(sections, (a, b), 0.5 * np.pi, 2)
    arm, tip = frame.assembled(), frame.at(second[-1])
    out = tip @ arm.deflection(tip.T @ [0.0, 0.0, force, 0.0, 0.0, 0.0])
    assert out[2] == pytest.approx(force * (a**3 / (3 * EI_Z) + b**3 / (3 * 3.0) + b**2 * a / GJ), rel=1e-10)
    inside = tip @ arm.deflection(tip.T @ [force, 0.0, 0.0, 0.0, 0.0, 0.0])
    across, along = force * (b**2 * a / EI_Y + b**3 / (3 * 2.0)), force * b * a**2 / (2 * EI_Y)
    assert inside[:2] == pytest.approx([across, -along], rel=1e-10)


def test_the_frequencies_do_not_depend_on_where_the_arm_points():
    sections, way = (BEAM, Section((2.0, 3.0), 1.3, 0.5, 0.01)), np.array([0.48, 0.6, 0.64])
    frame, *_ = bent_arm(sections, (1.7, 0.9), 0.4, 3)
    aside = np.array([0.8, 0.0, -0.6])
    R = np.column_stack([way, aside, np.cross(way, aside)])
    other = Frame()
    root = other.node((3.0, 1.0, -2.0))
    other.hold(root)
    elbow = other.beam(root, other.places[0] + 1.7 * R[:, 0], sections[0], 3, y=R[:, 1])[-1]
    c, s = np.cos(0.4), np.sin(0.4)
    other.beam(elbow, other.places[elbow] + 0.9 * R @ [c, s, 0.0], sections[1], 3, y=R @ [-s, c, 0.0])
    assert other.assembled().frequencies(6) == pytest.approx(frame.assembled().frequencies(6), rel=1e-9)


def test_a_rigid_arm_and_a_body_with_an_offset_are_the_same():
    mass, centre, inertia = 0.6, np.array([0.1, -0.2, 0.3]), np.diag([0.2, 0.3, 0.4])
    one, nodes = clamped(2)
    lever = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    one.body(nodes[-1], mass, centre, inertia + lever)
    two, nodes = clamped(2)
    two.body(two.rigid(nodes[-1], two.places[nodes[-1]] + centre), mass, np.zeros(3), inertia)
    assert one.assembled().frequencies(5) == pytest.approx(two.assembled().frequencies(5), rel=1e-9)


def test_a_step_load_swings_the_tip_to_twice_its_deflection_at_rest():
    frame, nodes = clamped(1, Section(EI_Y, GJ, 1e-6, 1e-6))  # a mass at the end of a nearly massless beam
    frame.body(nodes[-1], 2.0, np.zeros(3), np.zeros((3, 3)))
    arm, tip = frame.assembled(), frame.at(nodes[-1])
    load = tip.T @ [0.0, 0.0, 0.7, 0.0, 0.0, 0.0]
    t = np.linspace(0.0, 3.0, 31)
    omega = np.sqrt(3.0 * EI_Y / L**3 / 2.0)
    expected = 0.7 * L**3 / (3.0 * EI_Y) * (1.0 - np.cos(omega * t))
    assert (arm.step(load, t) @ tip.T)[:, 2] == pytest.approx(expected, abs=1e-5 * expected.max())


def test_a_step_load_obeys_the_equations_of_motion():
    frame, tip = report_arm(ELBOW, 2)
    arm, at = frame.assembled(), frame.at(tip)
    load = at.T @ np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    h = 1e-5
    u = arm.step(load, 0.37 + h * np.arange(-2, 3)) @ np.linalg.pinv(arm.Z).T
    bend = (-u[0] + 16.0 * u[1] - 30.0 * u[2] + 16.0 * u[3] - u[4]) / (12.0 * h**2)
    left = arm.M @ bend + arm.K @ u[2] - arm.Z.T @ load
    assert np.abs(left).max() < 1e-4 * np.abs(arm.K @ u[2]).max()
    assert np.abs(arm.step(load, np.array([0.0, 1e-9]))).max() < 1e-15


def test_a_step_load_pushes_the_centre_of_mass_as_if_nothing_bent():
    frame, tip = report_arm(ELBOW, 2)
    arm, force = frame.assembled(), np.array([30.0, -20.0, 10.0])
    t = np.array([0.2, 1.1])
    u = arm.step(frame.at(tip).T @ np.concatenate([force, np.zeros(3)]), t)
    moved = np.array([u @ arm.weight(axis) for axis in np.eye(3)]).T  # first moments of the displacements
    assert moved == pytest.approx(0.5 * np.outer(t**2, force), rel=1e-9)


# -- the arm of [G88] ----------------------------------------------------------------------------------------------


def hertz(frame, n):
    return frame.assembled().frequencies(n) / (2.0 * np.pi)


def test_the_straight_arm_has_the_recorded_frequencies():
    one, fine = (hertz(report_arm(STRAIGHT, n)[0], 4) for n in (1, 16))
    assert one == pytest.approx([0.8622, 0.8622, 6.0239, 6.0239], abs=5e-5)
    assert fine == pytest.approx([0.862, 0.862, 5.98, 5.98], abs=5e-3)


def test_the_bent_arm_has_the_recorded_frequencies_in_and_out_of_its_plane():
    frame, tip = report_arm(ELBOW, 1)
    omega, shapes = frame.assembled().modes()
    lowest = np.flatnonzero(omega)[:2]
    assert omega[lowest] / (2.0 * np.pi) == pytest.approx([1.0786, 1.2600], abs=5e-5)
    x, y, z = np.abs(frame.at(tip)[:3] @ shapes[:, lowest])  # the arm lies in the plane of x and z
    assert y[0] < 1e-9 * x[0] and max(x[1], z[1]) < 1e-9 * y[1]


def test_the_straight_arm_twists_at_the_recorded_frequencies_with_the_printed_inertia_of_the_last_link():
    links = [*ARM[:-1], ARM[-1]._replace(inertia=PRINTED_LAST)]
    found = hertz(report_arm(STRAIGHT, 1, links=links)[0], 12)
    assert np.min(np.abs(found - 207.9)) < 0.05


@pytest.mark.parametrize(("elbow", "most"), [(STRAIGHT, 9.3), (ELBOW, 4.7)])
def test_the_step_load_bends_the_arm_as_far_as_recorded(elbow, most):
    frame, tip = report_arm(elbow, 4)
    bend = frame.at(tip)[:3] - frame.at(0)[:3]  # the base only translates
    u = frame.assembled().step(frame.at(tip).T @ np.full(6, 1000.0), np.linspace(0.0, 2.0, 401))
    assert np.abs(u @ bend.T).max() == pytest.approx(most, abs=0.05)


# -- the beam in tension -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tension", [spinning(0.0), spinning(3.0), spinning(12.0, 0.5), hanging(5.0), hanging(-7.0)])
def test_series_and_energies_agree_about_a_beam_in_tension(tension):
    assert by_series(tension, 3) == pytest.approx(by_ritz(tension, 3), rel=1e-9)


@pytest.mark.parametrize("tension", [spinning(3.0), spinning(6.0, 0.5), hanging(-5.0)])
def test_piecewise_cubics_converge_from_above_to_a_beam_in_tension(tension):
    exact = by_series(tension, 2)
    errors = np.array([by_elements(n, tension, 2) for n in (1, 2, 4, 8, 16)]) - exact
    assert np.all(np.diff(errors, axis=0) < 0.0) and np.all(errors > 0.0)
    assert np.log2(errors[-2] / errors[-1]) == pytest.approx(4.0, abs=0.1)


def test_piecewise_cubics_without_tension_are_the_elements_of_the_frames():
    frame, nodes = clamped(5)
    for node in nodes[1:]:
        frame.hold(node, "zab")
    assert frame.assembled().frequencies(4) == pytest.approx(ACROSS * np.array(by_elements(5, n=4)), rel=ROUNDING)


def test_a_spinning_beam_has_the_frequencies_of_the_tables():
    printed = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604, 8: 9.2568, 12: 13.1702}
    for eta, omega in printed.items():  # first bending along the axis of spin, no hub; for 1 some have 3.6817
        assert by_series(spinning(eta))[0] == pytest.approx(omega, abs=5e-5)


def test_slow_spin_raises_the_square_of_the_frequency_by_southwells_coefficient():
    x, dx = 0.5 * (np.polynomial.legendre.leggauss(60)[0] + 1.0), 0.5 * np.polynomial.legendre.leggauss(60)[1]
    b = cantilever_roots(1)[0]
    k = (np.cos(b) + np.cosh(b)) / (np.sin(b) + np.sinh(b))
    w = np.cosh(b * x) - np.cos(b * x) - k * (np.sinh(b * x) - np.sin(b * x))
    slope = b * (np.sinh(b * x) + np.sin(b * x) - k * (np.cosh(b * x) - np.cos(b * x)))
    southwell = 0.5 * ((1.0 - x**2) * slope**2) @ dx / (w**2 @ dx)
    eta = 0.01
    assert (by_series(spinning(eta))[0] ** 2 - b**4) / eta**2 == pytest.approx(southwell, abs=1e-5)


def test_a_standing_beam_buckles_under_its_own_weight_at_the_zero_of_a_bessel_function():
    critical = brentq(lambda gamma: unbalanced(0.0, hanging(-gamma)), 7.0, 9.0, xtol=1e-13)
    j = brentq(lambda x: jv(-1.0 / 3.0, x), 1.5, 2.2, xtol=1e-14)
    assert critical == pytest.approx(2.25 * j**2, rel=1e-12)


def test_a_beam_under_a_dead_load_buckles_at_eulers_load():
    critical = brentq(lambda load: unbalanced(0.0, (-load, 0.0, 0.0)), 2.0, 3.0, xtol=1e-13)
    assert critical == pytest.approx(0.25 * np.pi**2, rel=1e-12)
