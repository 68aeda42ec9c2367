"""Natural motions of flexible manipulators against closed forms, tables of the literature and the report's arm."""

from dataclasses import replace

import numpy as np
import pytest

from particlemech import models
from particlemech.analyses.vibration.bending import modes, response, static
from particlemech.engine.bending.links import DRIVEN, FIXED, FLOATS, FREE, TRANSLATES
from particlemech.errors import ModelError
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.signals import Constant, Linear
from tests.support.flexible_chains import (
    TWIST,
    X2,
    X23,
    Beam,
    base,
    bent_chain,
    cantilever,
    chain,
    joint,
    legendre_bending,
    report_arm,
    rigid,
    tip,
    tip_load,
)
from tests.support.rotating_beam import by_series, spinning

CLAMPED = np.array([3.516015269, 22.034491565, 61.697214414])  # roots of cos x cosh x = -1, squared
# a uniform blade clamped to a hub without radius: first flapping frequency at the same dimensionless speeds of rotation
FLAPPING = {0: 3.5160, 1: 3.6817, 2: 4.1373, 3: 4.7973, 4: 5.5850}
STILL = Constant(value=0.0)


def angular(found, n=None):
    """Return frequencies in rad/s."""
    return 2.0 * np.pi * found.frequency[:n]


# -- beams ---------------------------------------------------------------------------------------------------------


def test_a_cantilever_with_the_two_cubics_has_the_first_frequency_of_euler_and_bernoulli_within_half_a_percent():
    first = angular(modes(cantilever(Beam(1.0, 1.0, y=(X2, X23)))))[0]
    assert CLAMPED[0] < first < 1.005 * CLAMPED[0]


def test_higher_polynomials_give_the_first_three_frequencies_of_a_cantilever():
    found = angular(modes(cantilever(Beam(1.0, 1.0, y=legendre_bending(8)))), 3)
    assert np.abs(found / CLAMPED - 1.0).max() < 2e-6


def test_sub_links_converge_to_the_cantilever_from_above_with_the_order_of_hermite_elements():
    errors = []
    for n in (2, 4, 8):
        found = angular(modes(cantilever(Beam(1.0 / n, 1.0 / n, y=(X2, X23)), n)), 3)
        errors.append(found / CLAMPED - 1.0)
    assert np.all(np.array(errors) > 0.0)
    assert np.all(np.log2(errors[1][:2] / errors[2][:2]) > 3.8)
    assert errors[2][0] < 1e-5 and errors[2][1] < 1e-4


def test_a_cantilever_sags_as_the_textbook_says():
    P = 1e-5
    beam = Beam(2.0, 1.0, EI=3.0, y=(X2, X23))
    load = tip_load(beam, 0, (STILL, Constant(value=P), STILL))
    seen = static(cantilever(beam, loads=[load], points=[tip(beam, 0)]))
    assert seen.elastic("tip")[0, 1] == pytest.approx(P * 2.0**3 / (3.0 * 3.0), rel=1e-6)


def test_a_load_along_a_cantilever_bends_it_as_the_textbook_says():
    shapes = [{"along": "y", "shape": (0.0,) * k + (1.0,)} for k in (2, 3, 4)]
    beam = {"name": "beam", "type": "weld", "end": (2.0, 0.0, 0.0), "mass": 1.0, "modes": shapes, "EI": 3.0}
    snow = {"type": "distributed", "body": "beam", "force": (0.0, -1e-6, 0.0)}
    held = from_link_table([beam], "report", forces={"snow": snow})
    assert static(held).elastic("tip")[0, 1] == pytest.approx(-1e-6 * 2.0**4 / (8.0 * 3.0), rel=1e-6)


def test_a_twisted_rod_gives_way_as_the_textbook_says_and_swings_with_its_lump():
    rod = Beam(2.0, 1.0, GJ=3.0, twist=(TWIST,))
    load = tip_load(rod, 0, moment=(Constant(value=0.3), STILL, STILL))
    seen = static(cantilever(rod, loads=[load], points=[tip(rod, 0)]))
    section = seen.section("tip")[0]
    assert np.arctan2(section[2, 1], section[1, 1]) == pytest.approx(0.3 * 2.0 / 3.0, rel=1e-12)
    disc = rigid(mass=1.0, inertia=np.diag([0.5, 0.3, 0.3]))
    held = chain(base(), [rod.link(), disc], [joint("root"), joint("weld")])
    assert angular(modes(held))[0] == pytest.approx(np.sqrt(3.0 / 2.0 / 0.5), rel=1e-9)


# -- rotation ------------------------------------------------------------------------------------------------------


def blade(speed, **more):
    """Return a uniform blade on a driven hub."""
    beam = Beam(1.0, 1.0, y=legendre_bending(7), z=legendre_bending(7), **more)
    return chain(base(), [beam.link(points=24)], [joint("hub", DRIVEN, motion=Linear(rate=float(speed)), driver="d")])


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


def test_the_arm_of_the_report_has_the_frequencies_of_its_errata():
    straight = modes(report_arm(TRANSLATES))
    assert np.abs(straight.frequency[:3]).max() < 1e-4
    assert straight.frequency[3:7] == pytest.approx([1.7465, 1.7465, 5.4340, 5.4340], abs=6e-5)
    bent = modes(report_arm(TRANSLATES, np.pi / 2)).frequency
    for expected, digits in ((2.2941, 6e-5), (2.4161, 6e-5), (14.5, 0.05)):
        assert np.min(np.abs(bent - expected)) < digits


def test_torsion_of_the_arm_is_much_faster_and_its_base_hardly_matters():
    found = {b: modes(report_arm(TRANSLATES), base=b).frequency for b in ("fixed", "translates", "free")}
    assert np.min(np.abs(found["translates"] - 34.99)) < 0.005
    assert np.min(np.abs(found["translates"] - 207.9)) < 0.05
    assert abs(found["fixed"][0] / found["translates"][3] - 1.0) < 0.0015  # the errata say 0.1 %
    assert found["free"][6:8] == pytest.approx([1.7566, 1.7582], abs=6e-5)
    assert modes(report_arm(TRANSLATES), joints="free").frequency[9] == pytest.approx(6.198, abs=2e-3)


def test_the_shipped_arm_is_that_of_the_report():
    arm = models.load("rms_flexible")
    assert arm.bending.geometry == "report"
    assert modes(arm).frequency[3:7] == pytest.approx([1.7465, 1.7465, 5.4340, 5.4340], abs=6e-5)


# -- damping, response ---------------------------------------------------------------------------------------------


def test_proportional_damping_damps_each_mode_by_the_rule():
    a, b = 0.3, 0.004
    beam = Beam(1.0, 1.0, y=(X2, X23))
    free, damped = modes(cantilever(beam)), modes(chain(base(), [beam.link(a=a, b=b)], [joint("root")]))
    omega = free.omega
    assert damped.omega == pytest.approx(omega, rel=1e-8)
    assert damped.damping == pytest.approx(0.5 * (a / omega + b * omega), rel=1e-6)


def test_shapes_satisfy_the_linear_equations():
    at = modes(bent_chain(np.random.default_rng(5), FIXED, gravity=(0, 0, 0), loads=False), joints="locked")
    lam = -at.damping * at.omega + 1j * 2.0 * np.pi * at.frequency
    for k in range(len(lam)):
        s = at.shapes[:, k]
        terms = (lam[k] ** 2 * at.linear.M @ s, lam[k] * at.linear.D @ s, at.linear.K @ s)
        assert np.abs(sum(terms)).max() < 1e-7 * max(np.abs(t).max() for t in terms)


def test_a_slow_force_bends_as_a_constant_one_and_resonance_is_bounded_by_damping():
    beam = Beam(1.0, 1.0, y=(X2, X23))
    held = chain(base(), [beam.link(b=0.004)], [joint("root")], points=[tip(beam, 0)])
    found = modes(held)
    at = response(held, [0.0, found.omega[0] / (2.0 * np.pi)], point="tip", force=("tip", (0.0, 1.0, 0.0)))
    assert at[0, 1] == pytest.approx(1.0 / 3.0, rel=1e-9)
    amplification = 1.0 / (2.0 * found.damping[0])
    assert abs(at[1, 1]) == pytest.approx(amplification / 3.0, rel=0.05)  # the first mode is 97 % of the deflection


def test_forces_and_displacements_can_change_places():
    made = bent_chain(np.random.default_rng(5), FIXED, gravity=(0, 0, 0), loads=False)
    beam = Beam(1.0, 2.0, y=(X2, X23), z=(X2, X23), twist=(TWIST,))
    made = replace(made, points=(tip(beam, 2), tip(beam, 0, "mid")))
    way, back = (0.3, 0.5, -0.2), (0.1, -0.7, 0.4)
    at_rest = replace(made, links=tuple(replace(link, q_dot=0 * link.q_dot) for link in made.links))
    there, here = (
        response(at_rest, [0.8], point=a, force=(b, f), joints="locked", settle=True)[0]
        for a, b, f in (("mid", "tip", way), ("tip", "mid", back))
    )
    assert there @ np.array(back) == pytest.approx(here @ np.array(way), rel=1e-7)


def test_a_slow_torque_on_a_free_joint_turns_all_of_the_arm():
    beam = Beam(1.0, 3.0, y=(X2, X23))
    arm = chain(base(), [beam.link()], [joint("pin", FREE)], points=[tip(beam, 0)])
    at = response(arm, [0.01], point="tip", torque="pin")
    omega = 2.0 * np.pi * 0.01
    assert at[0, 1].real == pytest.approx(-1.0 / (3.0 / 3.0) / omega**2, rel=1e-3)  # m L^2/3


# -- what cannot be ------------------------------------------------------------------------------------------------


def test_what_has_no_steady_state_is_named():
    beam = Beam(1.0, 1.0, y=(X2, X23))
    falling = chain(base(), [beam.link()], [joint("pin", FREE)], gravity=(0.0, -9.81, 0.0))
    with pytest.raises(ModelError, match=r'no steady state: .* acts on "pin.angle"'):
        modes(falling)
    assert len(modes(falling, joints="locked").omega) == 2


def test_unknown_words_are_answered_with_known_ones():
    arm = report_arm(FLOATS)
    with pytest.raises(ModelError, match='base = "fixd" unknown'):
        modes(arm, base="fixd")
    with pytest.raises(ModelError, match='joint "j9" unknown'):
        modes(arm, joints={"j9": "free"})
    with pytest.raises(ModelError, match="either a force"):
        response(arm, [1.0], point="tip")
    with pytest.raises(ModelError, match="takes a mechanism in space"):
        modes("arm")
