"""Natural motions of bending bodies against closed forms, tables of the literature and the report's arm."""

import math
from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, modes, response
from particlemech.analyses.vibration.vibrations import of_linear
from particlemech.errors import ModelError
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.signals import Constant, Linear
from particlemech.model.space import Body, Mechanism, forces, joints
from particlemech.model.space.drivers import Coordinate
from tests.support.rotating_beam import by_series, spinning

CLAMPED = np.array([3.516015269, 22.034491565, 61.697214414])  # roots of cos x cosh x = -1, squared
# a uniform blade clamped to a hub without radius: first flapping frequency at the same dimensionless speeds of rotation
FLAPPING = {0: 3.5160, 1: 3.6817, 2: 4.1373, 3: 4.7973, 4: 5.5850}
CUBICS = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))  # the two bending shapes of [G88] (3.1-9..12)


def legendre_bending(n):
    """Return n polynomials of degree 2 ... n + 1 that begin flat, as powers; orthogonal in their curvature."""
    basis = (np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=np.polynomial.Polynomial) for k in range(n))
    return [tuple(p.integ(lbnd=0).integ(lbnd=0).coef.tolist()) for p in basis]


def bending(y=(), z=(), twist=()):
    """Return modes of a beam along x."""
    along = [{"along": axis, "shape": p} for axis, every in (("y", y), ("z", z)) for p in every]
    return [*along, *({"about": "x", "shape": p} for p in twist)]


def beam(length=1.0, joint=None, drivers=None, **keys):
    """Return a uniform beam along x from the origin, clamped unless a joint is given; keys of a body or a mechanism."""
    sections = {key: keys.pop(key) for key in ("forces", "bending", "gravity") if key in keys}
    body = Body(points=("root", "tip"), **({"mass": 1.0, "EI": 1.0, "modes": bending(CUBICS)} | keys))
    root = joint or joints.Weld(bodies=("ground", "beam"), point="root")
    return Mechanism(
        points={"root": (0.0, 0.0, 0.0), "tip": (length, 0.0, 0.0)},
        bodies={"beam": body},
        joints={"root": root},
        drivers=drivers or {},
        **sections,
    )


HINGE = joints.Revolute(bodies=("ground", "beam"), point="root", axis=(0.0, 0.0, 1.0))


def angular(found, n=None):
    """Return frequencies in rad/s."""
    return 2.0 * np.pi * found.frequency[:n]


# -- beams ---------------------------------------------------------------------------------------------------------


def test_a_cantilever_with_the_two_cubics_has_the_first_frequency_of_euler_and_bernoulli_within_half_a_percent():
    first = angular(modes(beam()))[0]
    assert CLAMPED[0] < first < 1.005 * CLAMPED[0]


def test_higher_polynomials_give_the_first_three_frequencies_of_a_cantilever():
    found = angular(modes(beam(modes=bending(legendre_bending(8)))), 3)
    assert np.abs(found / CLAMPED - 1.0).max() < 2e-6


def test_sub_links_converge_to_the_cantilever_from_above_with_the_order_of_hermite_elements():
    errors = []
    for n in (2, 4, 8):
        found = angular(modes(beam(sublinks=n)), 3)
        errors.append(found / CLAMPED - 1.0)
    assert np.all(np.array(errors) > 0.0)
    assert np.all(np.log2(errors[1][:2] / errors[2][:2]) > 3.8)
    assert errors[2][0] < 1e-5 and errors[2][1] < 1e-4


def test_a_cantilever_sags_as_the_textbook_says():
    P = 1e-5
    load = {"push": forces.Load(body="beam", point="tip", force=(0.0, P, 0.0))}
    seen = pm.equilibrium(beam(2.0, EI=3.0, forces=load))
    assert seen.elastic("tip")[0, 1] == pytest.approx(P * 2.0**3 / (3.0 * 3.0), rel=1e-6)


def test_a_load_along_a_cantilever_bends_it_as_the_textbook_says():
    shapes = [{"along": "y", "shape": (0.0,) * k + (1.0,)} for k in (2, 3, 4)]
    row = {"name": "beam", "type": "weld", "end": (2.0, 0.0, 0.0), "mass": 1.0, "modes": shapes, "EI": 3.0}
    snow = {"type": "distributed", "body": "beam", "force": (0.0, -1e-6, 0.0)}
    held = from_link_table([row], "report", forces={"snow": snow})
    assert pm.equilibrium(held).elastic("tip")[0, 1] == pytest.approx(-1e-6 * 2.0**4 / (8.0 * 3.0), rel=1e-6)


def test_a_twisted_rod_gives_way_as_the_textbook_says_and_swings_with_its_lump():
    disc = {"x": 2.0, "mass": 1.0, "inertia": (0.5, 0.3, 0.3)}
    load = {"turn": forces.Torque(bodies=("ground", "beam"), point="tip", torque=(0.3, 0.0, 0.0))}
    rod = beam(2.0, modes=bending(twist=[(0.0, 1.0)]), EI=None, GJ=3.0, lumps=[disc], forces=load)
    section = pm.equilibrium(rod).section("tip")[0]
    assert np.arctan2(section[2, 1], section[1, 1]) == pytest.approx(0.3 * 2.0 / 3.0, rel=1e-12)
    assert angular(modes(rod))[0] == pytest.approx(np.sqrt(3.0 / 2.0 / 0.5), rel=1e-9)


def test_a_wall_holds_weight_and_moment_of_a_heavy_beam():
    shapes = bending(legendre_bending(4), legendre_bending(4))
    seen = pm.equilibrium(beam(2.0, mass=3.0, EI=1e4, modes=shapes, gravity=(0.0, 0.0, -9.81)))
    assert seen.transmitted("root", "beam").force[0] == pytest.approx([0.0, 0.0, 3.0 * 9.81], abs=1e-9)
    assert seen.transmitted("root", "beam").moment[0] == pytest.approx([0.0, -3.0 * 9.81, 0.0], rel=1e-5, abs=1e-6)
    assert seen.base.force[0, 2] == pytest.approx(-3.0 * 9.81)
    assert seen.potentials.strain[0] > 0.0


def test_a_following_force_turns_with_its_section_and_a_fixed_one_does_not():
    ends = []
    for frame in ("global", "body"):
        push = forces.Load(body="beam", point="tip", force=(0.0, 1.0, 0.0), frame=frame)
        seen = pm.equilibrium(beam(modes=bending(legendre_bending(6)), forces={"push": push}))
        slope = math.atan2(seen.section("tip")[0, 1, 0], seen.section("tip")[0, 0, 0])
        ends.append((slope, seen.transmitted("root", "beam").force[0]))
    assert ends[0][1] == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
    slope, force = ends[1]
    assert slope > 0.3
    assert force == pytest.approx([math.sin(slope), -math.cos(slope), 0.0], abs=1e-6)


def test_a_blade_that_turns_freely_flaps_as_a_driven_one_does():
    """Nothing turns its hub, but the axis of spin has its inertia; only what lags shakes the hub too."""
    shapes, rate = bending(z=legendre_bending(5)), 3.0
    spin = {"spin": Coordinate(joint="root", motion=Linear(rate=rate))}
    driven = modes(beam(joint=HINGE, drivers=spin, modes=shapes))
    free = modes(beam(joint=HINGE, modes=shapes).replaced(initial={"rate": {"root": rate}}))
    assert len(free.omega) == len(driven.omega) + 1
    assert free.omega[1:] == pytest.approx(driven.omega, rel=1e-7)


# -- rotation ------------------------------------------------------------------------------------------------------


def blade(speed, stiffening=True):
    """Return a uniform blade on a driven hub."""
    shapes = bending(legendre_bending(7), legendre_bending(7))
    spin = {"spin": Coordinate(joint="root", motion=Linear(rate=float(speed)))}
    return beam(joint=HINGE, drivers=spin, modes=shapes, bending={"stiffening": stiffening})


@pytest.mark.parametrize("speed", [*FLAPPING, 6, 8])
def test_a_spinning_blade_flaps_and_lags_as_the_tables_and_the_series_say(speed):
    found = angular(modes(blade(speed)), 2)
    flap, lag = max(found), min(found)
    # the series solves the differential equation of a beam in tension, and knows nothing of links
    assert flap == pytest.approx(by_series(spinning(speed))[0], rel=1e-6)
    if speed in FLAPPING:
        assert flap == pytest.approx(FLAPPING[speed], abs=1.5e-4)
    assert lag == pytest.approx(np.sqrt(flap**2 - speed**2), rel=1e-7)  # the plane of rotation loses the speed itself


def test_the_rise_follows_southwell():
    # between the value at rest and the tension of a string without stiffness, omega^2 = omega_0^2 + B speed^2, B > 1
    at_rest, slow = (max(angular(modes(blade(speed)), 2)) for speed in (0, 0.5))
    exact = [by_series(spinning(speed))[0] for speed in (0.0, 0.5)]
    rise = (slow**2 - at_rest**2) / 0.5**2
    assert rise > 1.0
    assert rise == pytest.approx((exact[1] ** 2 - exact[0] ** 2) / 0.5**2, rel=1e-5)


def test_without_foreshortening_a_blade_cannot_stiffen_and_at_last_gives_way():
    flap = [angular(modes(blade(speed, stiffening=False)))[1 if speed else 0] for speed in (0, 2)]
    assert flap[1] == pytest.approx(flap[0], rel=1e-9)
    lowest = modes(blade(4, stiffening=False)).omega[0]
    assert lowest == pytest.approx(-np.sqrt(16.0 - CLAMPED[0] ** 2), rel=1e-5)


# -- the report's arm ----------------------------------------------------------------------------------------------


LAST = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # axes of link 6 of the report in the drawing
PRINTED = np.array([[5.71, 0.261, -0.712], [0.261, 0.301, 0.0], [-0.712, 0.0, 8.63]])  # its tensor, which no body has


def as_printed(arm, **options):
    """Return the frequencies, Hz, of the shipped arm with the tensor of link 6 that the report prints."""
    at, body = modes(arm, **options).linear, arm.bodies["link6"]
    arm_of = np.array(body.com) - np.array(arm.points["roll"])
    shipped = np.diag(body.inertia) + body.mass * (arm_of @ arm_of * np.eye(3) - np.outer(arm_of, arm_of))
    R, W = at.result.orientation("link6")[0], at.shape("link6")
    more = R @ (LAST @ PRINTED @ LAST.T - shipped) @ R.T
    return of_linear(replace(at, M=at.M + W.T @ more @ W)).frequency


def test_the_arm_of_the_report_has_the_frequencies_of_its_errata():
    arm = models.load("rms_flexible")
    assert arm.bending.geometry == "report"
    for straight in (as_printed(arm), modes(arm).frequency):
        assert np.abs(straight[:3]).max() < 1e-4
        assert straight[3:7] == pytest.approx([1.7465, 1.7465, 5.4340, 5.4340], abs=6e-5)
    bent = as_printed(arm.replaced(drivers={"hold3": {"motion": Constant(value=np.pi / 2)}}))
    for expected, digits in ((2.2941, 6e-5), (2.4161, 6e-5), (14.5, 0.05)):
        assert np.min(np.abs(bent - expected)) < digits


def test_torsion_of_the_arm_is_much_faster_and_its_base_hardly_matters():
    arm = models.load("rms_flexible")
    found = {b: as_printed(arm, base=b) for b in ("fixed", "translates", "free")}
    assert np.min(np.abs(found["translates"] - 34.99)) < 0.005
    assert np.min(np.abs(found["translates"] - 207.9)) < 0.05
    assert abs(found["fixed"][0] / found["translates"][3] - 1.0) < 0.0015  # the errata say 0.1 %
    assert found["free"][6:8] == pytest.approx([1.7566, 1.7582], abs=6e-5)
    assert as_printed(arm, joints="free")[9] == pytest.approx(6.198, abs=2e-3)


# -- damping, response ---------------------------------------------------------------------------------------------


def test_proportional_damping_damps_each_mode_by_the_rule():
    a, b = 0.3, 0.004
    free, damped = modes(beam()), modes(beam(damping=(a, b)))
    omega = free.omega
    assert damped.omega == pytest.approx(omega, rel=1e-8)
    assert damped.damping == pytest.approx(0.5 * (a / omega + b * omega), rel=1e-6)


def bent_chain():
    """Return three bending links on turning and sliding, stiff and flexible joints, none along the axes of another."""
    shapes = bending(CUBICS, CUBICS, [(0.0, 1.0)])
    keys = {"end": (1.0, 0.0, 0.0), "density": 2.0, "lumps": [{"x": 0.3, "mass": 0.3, "inertia": (0.1, 0.2, 0.25)}]}
    keys |= {"modes": shapes, "EI": 50.0, "GJ": 30.0, "rotary": (0.01, 0.0, 0.0), "damping": (0.0, 0.002)}
    yields = {"drive": {"stiffness": 80.0, "damping": 0.1, "rotor": 0.2}}
    rows = [
        keys | {"joint": f"j{i + 1}", "theta": 0.3, "alpha": 0.7 * i + 0.3} | (yields if i else {}) for i in (0, 1, 2)
    ]
    rows[1]["type"] = "prismatic"
    initial = {"position": {"j1": 0.2, "j2": 0.2, "j3": 0.2}}
    return from_link_table(rows, "report", base={"end": (0.2, 0.1, 0.0), "alpha": 0.4}, initial=initial)


def test_shapes_satisfy_the_linear_equations():
    at = modes(bent_chain(), joints="locked")
    assert len(at.omega) == 17 and np.all(at.damping > 0.0)  # five modes per link, and two drives
    lam = -at.damping * at.omega + 1j * 2.0 * np.pi * at.frequency
    for k in range(len(lam)):
        s = at.shapes[:, k]
        terms = (lam[k] ** 2 * at.linear.M @ s, lam[k] * at.linear.C @ s, at.linear.K @ s)
        assert np.abs(sum(terms)).max() < 1e-7 * max(np.abs(t).max() for t in terms)


def test_a_slow_force_bends_as_a_constant_one_and_resonance_is_bounded_by_damping():
    held = beam(damping=(0.0, 0.004))
    found = modes(held)
    at = response(held, [0.0, found.omega[0] / (2.0 * np.pi)], point="tip", force=("tip", (0.0, 1.0, 0.0)))
    assert at[0, 1] == pytest.approx(1.0 / 3.0, rel=1e-9)
    amplification = 1.0 / (2.0 * found.damping[0])
    assert abs(at[1, 1]) == pytest.approx(amplification / 3.0, rel=0.05)  # the first mode is 97 % of the deflection


def test_forces_and_displacements_can_change_places():
    way, back = (0.3, 0.5, -0.2), (0.1, -0.7, 0.4)
    there, here = (
        response(bent_chain(), [0.8], point=a, force=(b, f), joints="locked")[0]
        for a, b, f in (("O2", "tip", way), ("tip", "O2", back))
    )
    assert there @ np.array(back) == pytest.approx(here @ np.array(way), rel=1e-7)


def test_a_slow_torque_on_a_free_joint_turns_all_of_the_arm():
    at = response(beam(joint=HINGE, mass=3.0), [0.01], point="tip", torque="root")
    omega = 2.0 * np.pi * 0.01
    assert at[0, 1].real == pytest.approx(-1.0 / (3.0 / 3.0) / omega**2, rel=1e-3)  # m L^2/3


# -- what cannot be ------------------------------------------------------------------------------------------------


def test_what_has_no_steady_state_is_named():
    falling = beam(joint=HINGE, gravity=(0.0, -9.81, 0.0))
    with pytest.raises(ModelError, match=r'no steady state: .* acts on "root.angle"'):
        modes(falling)
    assert len(modes(falling, joints="locked").omega) == 2


def test_unknown_words_are_answered_with_known_ones():
    arm = models.load("rms_flexible")
    with pytest.raises(ModelError, match='base = "fixd" unknown'):
        modes(arm, base="fixd")
    with pytest.raises(ModelError, match='base = "free": nothing floats here'):
        modes(models.load("cantilever"), base="free")
    with pytest.raises(ModelError, match='joint "j9" unknown'):
        modes(arm, joints={"j9": "free"})
    with pytest.raises(ModelError, match=r'settle = "al" unknown \(did you mean "all"'):
        modes(arm, settle="al")
    with pytest.raises(ModelError, match="either a force"):
        response(arm, [1.0], point="tip")
    with pytest.raises(ModelError, match="takes a Mechanism"):
        modes("arm")
