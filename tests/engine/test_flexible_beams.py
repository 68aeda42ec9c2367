"""Flexible links against beams: finite elements, closed forms and the differential equation of a beam in tension.

A link with the two cubics of [G88] in each plane and a straight line of twist that hands on its slopes is one Hermite
element, and N sub-links are N elements: they share not only the limit but every number on the way to it. The links are
linearised here by differences of what their accelerations need, so that nothing but the sweeps is asked.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.linalg import eigh

import particlemech as pm
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.signals import Linear
from particlemech.model.space import Body, Mechanism, joints
from particlemech.model.space.drivers import Coordinate
from tests.support.beam_arms import ARM, ELBOW, STRAIGHT, bent_arm, report_arm
from tests.support.beam_elements import Section
from tests.support.rotating_beam import by_elements, by_ritz, by_series, hanging, spinning

SAME = 1e-8  # of frequencies, the same model by two ways
STEP = 1e-3  # of the size of a coordinate, for differences of fourth order
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
CUBICS = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))  # powers of x/L, [G88] (3.1-9..12 errata)
BENDING = tuple({"along": way, "shape": cubic} for way in (Y, Z) for cubic in CUBICS)
TWIST = {"about": (1.0, 0.0, 0.0), "shape": (0.0, 1.0)}
L, MU, EI_Y, EI_Z = 2.3, 0.7, 5.1, 9.4
BEAM = Section((EI_Y, EI_Z), 3.7, MU, 0.011)
ACROSS, UP = (np.sqrt(EI / (MU * L**4)) for EI in (EI_Y, EI_Z))
STATES = ("fixed", "translates", "free")
NONE = (0.0, 0.0, 0.0)


# -- links that are beams ------------------------------------------------------------------------------------------


def beam(section, n):
    """Return n sub-links that are a beam along x, as keys of a body."""
    EI_y, EI_z = np.broadcast_to(section.EI, 2).tolist()
    return {
        "density": section.mass,
        "rotary": (section.polar, 0.0, 0.0),
        "modes": (*BENDING, TWIST) if section.polar else BENDING,
        "EI": {"y": EI_y, "z": EI_z},
        "GJ": section.GJ,
        "sublinks": n,
    }


def loaded(body, force=NONE, moment=NONE):
    """Return a dead load on the tip of a body."""
    return {
        "push": {"type": "load", "body": body, "point": "tip", "force": force},
        "turn": {"type": "torque", "bodies": ["ground", body], "point": "tip", "torque": moment},
    }


def chained(*beams, gravity=NONE, forces=None, **last):
    """Return beams, (length, keys) each, one after the other from a wall; `last` are keys of the last joint."""
    rows = [
        {"name": f"beam{k}", "joint": f"j{k}", "type": "weld", "end": (length, 0.0, 0.0)} | keys
        for k, (length, keys) in enumerate(beams, start=1)
    ]
    more = {section: last.pop(section) for section in ("drivers", "initial") if section in last}
    rows[-1] |= last
    return from_link_table(rows, "report", gravity=gravity, forces=forces or {}, **more)


def clamped(n, gravity=NONE, **load):
    """Return a cantilever of n sub-links."""
    return system(chained((L, beam(BEAM, n)), gravity=gravity, forces=loaded("beam1", **load)))


def jointed_arm(elbow, n, motion="translates", **load):
    """Return the arm of [G88] as `beam_arms` has it, n sub-links in each of its two beams."""
    rows = []
    for i, one in enumerate(ARM[1:], start=1):
        row = {"name": f"link{i}", "type": "weld", "end": one.end, "alpha": one.alpha}
        row["theta"] = one.theta + (elbow if i == 3 else 0.0)
        if one.stiffness is None:
            row |= {"mass": one.mass, "com": one.centre, "inertia": one.inertia}
        else:
            length = one.end[0]
            row |= beam(Section(*one.stiffness, one.mass / length, one.inertia[0][0] / length), n)
        rows.append(row)
    craft = ARM[0]
    base = {"motion": motion, "end": craft.end, "alpha": craft.alpha}
    if motion != "fixed":
        base |= {"mass": craft.mass, "com": craft.centre, "inertia": craft.inertia}
    forces = loaded("link6", **load)
    return from_link_table(rows, "report", base=base, inertia_about="origin", units="slug-foot", forces=forces)


# -- small motions about a state -----------------------------------------------------------------------------------


def difference(function, h):
    """Return the derivative at 0 by differences of fourth order."""
    return (8.0 * (function(h) - function(-h)) - function(2.0 * h) + function(-2.0 * h)) / (12.0 * h)


def linearised(made, q=None):
    """Return M, D, K about a pose in which only driven joints move; columns along the speeds."""
    y = start_state(made)
    q = y[made.layout.q] if q is None else q
    rest = np.zeros(made.n_v)

    def needed(q, v):
        return -made.dynamics(0.0, q, v, np.zeros(1))[1]

    K, D = np.zeros((2, made.n_v, made.n_v))
    for j, unit in enumerate(np.eye(made.n_v)):
        h = STEP * made.size_v[j]
        K[:, j] = difference(lambda s, unit=unit: needed(made.moved(q, s * unit), rest), h)
        D[:, j] = difference(lambda s, unit=unit: needed(q, s * unit), h)
    return made.mass(q), D, K


def omegas(made, q=None):
    """Return the angular frequencies about a pose, without those of rigid motions."""
    M, D, K = linearised(made, q)
    size = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    assert np.abs(K - K.T).max() < 1e-6 * np.abs(K).max()
    squares = eigh(0.5 * (K + K.T), M, eigvals_only=True)
    assert np.abs(D / size).max() < 1e-6 * np.sqrt(squares[-1])
    return np.sqrt(squares[squares > 1e-11 * squares[-1]])


def rest(made):
    """Return the pose in which all forces balance, by Newton's method."""
    q = start_state(made)[made.layout.q]
    for _ in range(30):
        left = made.dynamics(0.0, q, np.zeros(made.n_v), np.zeros(1))[1]
        step = np.linalg.solve(linearised(made, q)[2], -left)
        q = q - step
        if np.abs(step / made.size_v).max() < 1e-11:
            return q
    raise AssertionError("no pose of rest found")


def tip(made, q):
    """Return where the tip is, and its axes."""
    seen = made.observed(np.zeros(1), np.concatenate([q, np.zeros(made.n_v + 1)])[None])
    return seen["tip"][0], seen.section("tip")[0]


# -- frequencies ---------------------------------------------------------------------------------------------------


def test_sub_links_of_a_cantilever_are_elements():
    for n in (1, 2, 4):
        frame, *_ = bent_arm((BEAM, BEAM), (0.4 * L, 0.6 * L), 0.0, n)
        made = system(chained((0.4 * L, beam(BEAM, n)), (0.6 * L, beam(BEAM, n))))
        expected = frame.assembled().frequencies(8)
        print(n, np.abs(omegas(made)[:8] / expected - 1.0).max())
        assert omegas(made)[:8] == pytest.approx(expected, rel=SAME)


@pytest.mark.parametrize("motion", STATES)
@pytest.mark.parametrize("elbow", [STRAIGHT, ELBOW])
def test_sub_links_of_the_arm_are_elements(elbow, motion):
    for n in (1, 3):
        expected = report_arm(elbow, n, motion)[0].assembled().frequencies(8)
        found = omegas(system(jointed_arm(elbow, n, motion)))[:8]
        print(n, np.abs(found / expected - 1.0).max())
        assert found == pytest.approx(expected, rel=SAME)


@cache
def fine(elbow):
    """Return the limit of many elements, without the rounding of many: the error falls with their fourth power."""
    eight, sixteen = (report_arm(elbow, n)[0].assembled().frequencies(4) for n in (8, 16))
    return sixteen + (sixteen - eight) / 15.0


@pytest.mark.parametrize("elbow", [STRAIGHT, ELBOW])
def test_the_arm_converges_to_the_beams_it_is_made_of(elbow):
    errors = [np.abs(omegas(system(jointed_arm(elbow, n)))[:4] / fine(elbow) - 1.0) for n in (2, 4, 8)]
    print(errors)
    assert errors[-1].max() < 1e-5
    assert np.all(errors[-1] < errors[0] / 100.0)  # the fourth power would be 1/256


def raised(found, exact):
    """Return by which part the frequencies nearest to exact ones are too high."""
    return np.array([found[np.abs(found - x).argmin()] / x - 1.0 for x in exact])


BETA = np.array([1.8751040687119611, 4.694091132974174, 7.854757438237613])  # zeros of 1 + cos cosh


def test_sub_links_of_a_cantilever_converge_to_euler_and_bernoulli():
    for n in (1, 8):
        errors = raised(omegas(clamped(n)), ACROSS * BETA**2)
        print(n, errors)
        assert 0.0 < errors[0] < 5e-3 / n**3
    assert errors == pytest.approx((BETA / 8.0) ** 4 / 1440.0, rel=0.1)  # what cubics are known for: 6e-4 for the third


@pytest.mark.parametrize(("highest", "third"), [(8, 3e-4), (9, 2e-6)])
def test_higher_polynomials_have_the_frequencies_of_stationary_energies(highest, third):
    shapes = tuple({"along": Y, "shape": (*[0.0] * k, 1.0)} for k in range(2, highest + 1))
    found = omegas(system(chained((L, {"density": MU, "modes": shapes, "EI": EI_Y}))))[:3]
    assert found == pytest.approx(ACROSS * np.array(by_ritz(n=3, terms=highest - 1)), rel=SAME)
    assert np.all(np.abs(raised(found, ACROSS * BETA**2)) < [1e-8, 1e-6, third])


@pytest.mark.parametrize("spring", [0.0, 2.0])
def test_a_bent_arm_with_a_joint_that_turns_is_its_elements(spring):
    other = Section((2.0, 3.0), 1.3, 0.5, 0.008)
    frame, *_ = bent_arm((BEAM, other), (1.7, 0.9), 0.7, 2, spring)
    elbow = {"type": "revolute"}
    if spring:
        elbow |= {"drive": {"stiffness": spring}, "drivers": {"hold": {"joint": "j2", "motion": 0.7}}}
    else:
        elbow |= {"initial": {"position": {"j2": 0.7}}}
    made = system(chained((1.7, beam(BEAM, 2)), (0.9, beam(other, 2)), **elbow))
    assert omegas(made)[:8] == pytest.approx(frame.assembled().frequencies(8), rel=SAME)


@pytest.mark.parametrize("elbow", [STRAIGHT, ELBOW])
def test_a_small_step_load_moves_the_arm_as_its_modes_do(elbow):
    frame, node = report_arm(elbow, 1)
    size = 1e-3  # lb and ft lb: the arm moves by some 1e-5 ft
    t = np.linspace(0.0, 0.3, 7)
    expected = frame.assembled().step(frame.at(node).T @ np.full(6, size), t) @ frame.at(node)[:3].T
    arm = jointed_arm(elbow, 1, force=(size,) * 3, moment=(size,) * 3)
    moved = pm.simulate(arm, duration=t[-1], samples=len(t), rtol=1e-12, integrator="explicit")["tip"]
    error = np.abs(moved - moved[0] - expected).max() / np.abs(expected).max()
    print(error, np.abs(expected).max())
    assert error < 1e-5


# -- deflections ---------------------------------------------------------------------------------------------------


def test_the_tip_of_a_cantilever_goes_where_the_handbook_says():
    force = 1e-4 * EI_Y / L**2
    for n in (1, 3):
        made = clamped(n, force=(0.0, force, 2.0 * force))
        place, _ = tip(made, rest(made))
        expected = force * L**3 / 3.0 * np.array([1.0 / EI_Y, 2.0 / EI_Z])
        assert place[1:] == pytest.approx(expected, rel=1e-6)


def test_a_beam_with_a_moment_at_its_end_bends_into_a_circle():
    curvature = 1.0 / L  # it ends turned by one radian
    exact = np.array([np.sin(1.0), 1.0 - np.cos(1.0)]) / curvature
    errors = []
    for n in (2, 4, 8):
        made = clamped(n, moment=(0.0, 0.0, EI_Y * curvature))
        place, axes = tip(made, rest(made))
        errors.append(np.abs(place[:2] - exact).max() / L)
        assert np.arctan2(axes[1, 0], axes[0, 0]) == pytest.approx(1.0, abs=1e-9)
    print(errors)
    # each of n parabolas ends (h / L)^4 / 24 of the radius off its arc: the sum falls with the third power of h
    assert np.diff(np.log2(errors)) == pytest.approx([-3.0, -3.0], abs=0.1)
    assert errors[-1] < 1e-4


def test_a_beam_with_a_large_force_at_its_end_becomes_an_elastica():
    load = 2.0  # F L^2 / EI

    def slope(s, y):  # angle and curvature, x and y
        return np.array([y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])

    def ends(a, b):
        return np.array([a[0], b[1], a[2], a[3]])

    s = np.linspace(0.0, 1.0, 41)
    exact = solve_bvp(slope, ends, s, np.array([s, 1.0 - s, s, 0.5 * s**2]), tol=1e-10).y[2:, -1]
    errors = []
    for n in (2, 4, 8):
        made = clamped(n, force=(0.0, load * EI_Y / L**2, 0.0))
        errors.append(np.abs(tip(made, rest(made))[0][:2] / L - exact).max())
    print(exact, errors)
    assert errors[-1] < errors[0] / 10.0 and errors[-1] < 1e-3


# -- beams in tension ----------------------------------------------------------------------------------------------


def spun(eta, n, hub=0.0, stiffening=True):
    """Return the squares of two frequencies along the axis of spin (flap) and of two in the plane (lead-lag).

    The beam is as stiff in both planes and has no rotary inertia, which would couple flap and twist.
    """
    blade = beam(Section(EI_Y, 1.0, MU), n) | {"rotary": None, "GJ": None}
    turning = Mechanism(
        points={"root": (hub * L, 0.0, 0.0), "tip": (hub * L + L, 0.0, 0.0)},
        bodies={
            "hub": Body(mass=1.0, com=NONE, inertia=(1.0, 1.0, 1.0)),
            "blade": Body(points=("root", "tip"), **blade),
        },
        joints={
            "axle": joints.Revolute(bodies=("ground", "hub"), point=NONE, axis=Z),
            "root": joints.Weld(bodies=("hub", "blade"), point="root"),
        },
        drivers={"spin": Coordinate(joint="axle", motion=Linear(rate=eta * ACROSS))},
        bending={"stiffening": stiffening},
    )
    M, D, K = linearised(system(turning))
    assert np.abs(D).max() < 1e-9 * ACROSS * np.abs(M).max()
    lag = np.arange(4 * n) % 4 < 2  # the modes along y
    planes = [np.ix_(own, own) for own in (~lag, lag)]
    assert np.abs(K[np.ix_(lag, ~lag)]).max() < 1e-9 * np.abs(K).max()
    return [eigh(K[own], M[own], eigvals_only=True)[:2] / ACROSS**2 for own in planes]


@pytest.mark.parametrize(("eta", "hub"), [(2.0, 0.0), (6.0, 0.0), (3.0, 0.5)])
def test_a_spinning_beam_is_its_elements_in_tension(eta, hub):
    for n in (1, 4):
        expected = np.array(by_elements(n, spinning(eta, hub), 2)) ** 2
        flap, lag = spun(eta, n, hub)
        print(n, np.abs(flap / expected - 1.0).max(), np.abs(lag / (expected - eta**2) - 1.0).max())
        assert flap == pytest.approx(expected, rel=SAME)
        assert lag == pytest.approx(expected - eta**2, rel=SAME)


@pytest.mark.parametrize(("eta", "n"), [(1.0, 8), (4.0, 8), (8.0, 12)])
def test_a_spinning_beam_converges_to_its_differential_equation(eta, n):
    # eta = 8 in the plane of rotation: 1.03e-4 with 8 sub-links, as elements have, since omega^2 - eta^2 is a quarter
    exact = np.array(by_series(spinning(eta), 2))
    flap, lag = np.sqrt(spun(eta, n))
    print(eta, flap / exact - 1.0, lag / np.sqrt(exact**2 - eta**2) - 1.0)
    assert flap == pytest.approx(exact, rel=1e-4)
    assert lag == pytest.approx(np.sqrt(exact**2 - eta**2), rel=1e-4)


def test_without_stiffening_spin_cannot_raise_the_frequency_of_one_link():
    still, _ = spun(0.0, 1, stiffening=False)
    flap, lag = spun(3.0, 1, stiffening=False)
    assert flap == pytest.approx(still, rel=SAME)
    assert lag == pytest.approx(still - 9.0, rel=SAME)


@pytest.mark.parametrize("gamma", [5.0, -5.0])
def test_a_beam_that_hangs_or_stands_is_its_elements_in_tension(gamma):
    g = gamma * EI_Y / (MU * L**3)
    found = omegas(clamped(4, gravity=(g, 0.0, 0.0)))
    expected = ACROSS * np.array(by_elements(4, hanging(gamma), 2))
    for omega in expected:
        assert np.abs(found / omega - 1.0).min() < SAME
