"""Integrals of flexible links: exact values, the numbers of the report, energies summed in another way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import eigh

from particlemech.engine.bending.local_inertia import check, integrals, local
from particlemech.engine.bending.members import Member
from particlemech.engine.bending.quadrature import numbers, skew
from particlemech.errors import ModelError
from particlemech.model.space import curves
from particlemech.model.space.parts import Mode
from tests.support.flexible_chains import member

EXACT = 1e-12
SQUARE, CUBIC = (0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2)  # the report's delta1, delta2
REPORT_MODES = [Mode(along=d, shape=s) for d in "yz" for s in (SQUARE, CUBIC)] + [Mode(about="x", shape=(0.0, 1.0))]
UPPER = {"end": (20.92, 0, 0), "mass": 9.536, "rotary": (2.38 / 20.92, 0, 0)}
FORE = {"end": (23.18, 0, 0), "mass": 5.982, "rotary": (1.17 / 23.18, 0, 0)}
PRODUCTS = (2.79, -0.592, -0.059)  # of link 3, Table 3.1-2


def report_link(given, **more) -> Member:
    """Return a flexible link of the report."""
    return member(**given, modes=REPORT_MODES, EI=1.0, GJ=1.0, **more)


def unit(modes, **more):
    """Return the integrals of a link of unit length, mass and stiffness."""
    return integrals(member(end=(1, 0, 0), mass=1.0, EI=1.0, modes=modes, **more))


# -- closed forms ----------------------------------------------------------------------------------------------------


def test_the_unit_integrals_of_the_report_are_fractions():
    it = unit([Mode(along="y", shape=SQUARE), Mode(along="y", shape=CUBIC)])
    assert it.I_mq[1] == pytest.approx([1 / 3, 1 / 30], abs=EXACT)
    assert it.I_Lq[2] == pytest.approx([1 / 4, 1 / 100], abs=EXACT)
    assert it.I_qq == pytest.approx(np.array([[1 / 5, 0.0], [0.0, 1 / 175]]), abs=EXACT)
    assert it.K == pytest.approx(np.array([[4.0, -16 / 5], [-16 / 5, 172 / 25]]), abs=EXACT)


@pytest.mark.parametrize(
    ("given", "mq", "Lq", "qq"),
    [
        (UPPER, (3.178667, 0.3178667), (49.87328, 1.994931, 1.19), (1.9072, 0.05449143, 0.7933333)),
        (FORE, (1.994, 0.1994), (34.66569, 1.386628, 0.585), (1.1964, 0.03418286, 0.39)),
    ],
    ids=["link 2", "link 3"],
)
def test_the_integrals_of_the_report_come_out_as_recomputed(given, mq, Lq, qq):
    it = integrals(report_link(given))
    assert it.I_mq[1, :2] == pytest.approx(mq, rel=1e-6)
    assert it.I_mq[2, 2:4] == pytest.approx(mq, rel=1e-6)
    assert it.I_Lq[2, :2] == pytest.approx(Lq[:2], rel=1e-6)
    assert it.I_Lq[1, 2:4] == pytest.approx([-Lq[0], -Lq[1]], rel=1e-6)
    assert it.I_Lq[0, 4] == pytest.approx(Lq[2], rel=1e-6)
    assert np.diag(it.I_qq) == pytest.approx([*qq[:2], *qq], rel=1e-6)


def test_the_rigid_part_is_that_of_a_rod():
    it = unit([Mode(along="y", shape=SQUARE)])
    assert it.I_mm == pytest.approx(np.eye(3), abs=EXACT)
    assert it.I_mL == pytest.approx(skew(np.array([0.5, 0, 0])).T, abs=EXACT)
    assert it.I_LL == pytest.approx(np.diag([0.0, 1 / 3, 1 / 3]), abs=EXACT)


def test_the_end_takes_the_slope_of_bending_where_the_geometry_is_consistent():
    link = member(
        end=(2, 0, 0), mass=1.0, EI=1.0, modes=[Mode(along=d, shape=s) for d in "yz" for s in (SQUARE, CUBIC)]
    )
    tip = numbers("l", link)[0]
    assert tip.end_delta == pytest.approx(np.array([[0, 0, 0, 0], [1, -0.2, 0, 0], [0, 0, 1, -0.2]]), abs=EXACT)
    # theta_z = (2 q1 - 1.6 q2)/L, theta_y = -(2 q3 - 1.6 q4)/L
    assert tip.end_psi == pytest.approx(np.array([[0, 0, 0, 0], [0, 0, -1, 0.8], [1, -0.8, 0, 0]]), abs=EXACT)
    assert not numbers("l", link, consistent=False)[0].end_psi.any()


def test_foreshortening_is_the_integral_of_squared_slopes():
    link = member(end=(2, 0, 0), mass=1.0, EI=1.0, modes=[Mode(along="y", shape=s) for s in (SQUARE, CUBIC)])
    tip = numbers("l", link)[0]
    slopes = (lambda s: 2 * s, lambda s: 2 * s - 3.6 * s**2)
    for j in range(2):
        for k in range(2):
            assert tip.end_short[j, k] == pytest.approx(
                quad(lambda s, j=j, k=k: slopes[j](s) * slopes[k](s), 0, 1)[0] / 2
            )
    assert not numbers("l", link, stiffening=False)[0].end_short.any()


def test_a_link_along_another_axis_is_the_same_link_turned():
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x -> y -> z -> x
    plain = integrals(report_link(FORE))
    modes = [
        Mode(along=tuple(turned @ m.along), shape=m.shape) if m.along else Mode(about="y", shape=m.shape)
        for m in REPORT_MODES
    ]
    other = integrals(member(end=(0, 23.18, 0), mass=5.982, rotary=(0, 1.17 / 23.18, 0), EI=1.0, GJ=1.0, modes=modes))
    assert other.I_mq == pytest.approx(turned @ plain.I_mq, abs=1e-10)
    assert other.I_Lq == pytest.approx(turned @ plain.I_Lq, abs=1e-10)
    assert other.I_LL == pytest.approx(turned @ plain.I_LL @ turned.T, abs=1e-9)
    assert other.K == pytest.approx(plain.K, rel=1e-12)


# -- other ways to give a shape, a mass, a stiffness -------------------------------------------------------------------


def test_a_function_is_as_good_as_its_polynomial():
    given = unit([Mode(along="y", shape=lambda s: s**2 - 1.2 * s**3)])
    exact = unit([Mode(along="y", shape=CUBIC)])
    assert given.matrix == pytest.approx(exact.matrix, abs=1e-12)
    assert given.K == pytest.approx(exact.K, abs=1e-11)


def test_a_beam_shape_as_a_function_has_its_modal_mass():
    b = 1.8751040687119611
    r = (math.cosh(b) + math.cos(b)) / (math.sinh(b) + math.sin(b))

    def shape(s):
        return math.cosh(b * s) - math.cos(b * s) - r * (math.sinh(b * s) - math.sin(b * s))

    it = unit([Mode(along="y", shape=shape)])
    assert it.I_qq[0, 0] == pytest.approx(1.0, abs=1e-12)  # int phi^2 = L of a clamped beam
    assert it.K[0, 0] == pytest.approx(b**4, rel=1e-10)


def test_a_table_of_a_cubic_is_that_cubic():
    x = np.linspace(0.0, 1.0, 7)
    table = {"x": x.tolist(), "value": (x**2 - 1.2 * x**3).tolist()}
    given = unit([{"along": "y", "shape": table}])
    exact = unit([Mode(along="y", shape=CUBIC)])
    assert given.matrix == pytest.approx(exact.matrix, abs=EXACT)
    assert given.K == pytest.approx(exact.K, abs=1e-11)


def test_a_finite_element_table_gives_the_same_link():
    x = np.linspace(0.0, 2.0, 9)
    xi = x / 2.0
    bend = [np.zeros(9), xi**2, np.zeros(9), np.zeros(9), np.zeros(9), 2 * xi / 2.0]  # rz is the slope
    twist = [np.zeros(9)] * 3 + [xi, np.zeros(9), np.zeros(9)]
    rows = np.array([*bend, *twist]).T.tolist()
    more = {"end": (2, 0, 0), "mass": 3.0, "rotary": (0.1, 0, 0), "EI": 5.0, "GJ": 7.0}
    given = numbers("l", member(**more, shapes={"x": x.tolist(), "rows": rows}))[0]
    exact = numbers("l", member(**more, modes=[Mode(along="y", shape=SQUARE), Mode(about="x", shape=(0, 1))]))[0]
    assert integrals(given).matrix == pytest.approx(integrals(exact).matrix, abs=1e-12)
    assert given.K == pytest.approx(exact.K, abs=1e-10)
    assert given.end_psi == pytest.approx(exact.end_psi, abs=1e-12)
    assert given.end_short == pytest.approx(exact.end_short, abs=1e-12)


def test_mass_and_stiffness_that_change_along_the_link_are_integrated_exactly():
    it = integrals(member(end=(2, 0, 0), density=[3.0, -1.0, 0.5], EI=[2.0, 1.0], modes=[Mode(along="y", shape=CUBIC)]))

    def mu(s):
        return 3 - s + 0.5 * s * s

    def delta(s):
        return s**2 - 1.2 * s**3

    assert it.I_mm[0, 0] == pytest.approx(2 * quad(mu, 0, 1)[0], rel=EXACT)
    assert it.I_qq[0, 0] == pytest.approx(2 * quad(lambda s: mu(s) * delta(s) ** 2, 0, 1)[0], rel=EXACT)
    assert it.I_Lq[2, 0] == pytest.approx(4 * quad(lambda s: mu(s) * s * delta(s), 0, 1)[0], rel=EXACT)
    assert it.K[0, 0] == pytest.approx(quad(lambda s: (2 + s) * (2 - 7.2 * s) ** 2, 0, 1)[0] / 8, rel=EXACT)


def test_lumps_move_with_their_sections():
    lump = {"x": 1.5, "mass": 2.0, "inertia": (0.3, 0.4, 0.5)}
    it = integrals(member(end=(2, 0, 0), lumps=[lump], EI=1.0, modes=[Mode(along="y", shape=SQUARE)]))
    delta, slope = 0.75**2, 2 * 0.75 / 2.0
    assert it.I_mq[1, 0] == pytest.approx(2.0 * delta)
    assert it.I_Lq[2, 0] == pytest.approx(2.0 * 1.5 * delta + 0.5 * slope)
    assert it.I_qq[0, 0] == pytest.approx(2.0 * delta**2 + 0.5 * slope**2)
    assert it.I_LL == pytest.approx(np.diag([0.3, 0.4 + 4.5, 0.5 + 4.5]))


def test_stiffness_may_differ_between_the_planes():
    modes = [Mode(along=d, shape=SQUARE) for d in "yz"]
    K = integrals(member(end=(1, 0, 0), mass=1.0, EI={"y": 2.0, "z": 3.0}, modes=modes)).K
    assert pytest.approx(np.diag([8.0, 12.0]), abs=EXACT) == K
    axial = member(end=(2, 0, 0), mass=1.0, EA=5.0, modes=[Mode(along="x", shape=(0.0, 1.0))])
    assert integrals(axial).K[0, 0] == pytest.approx(5.0 / 2.0)


def test_sub_links_share_mass_and_stiffness():
    whole = member(end=(3, 0, 0), density=[2.0, -1.0], EI=[4.0, 2.0], modes=[Mode(along="y", shape=SQUARE)], sublinks=5)
    parts = numbers("l", whole)
    assert sum(p.station_mass.sum() for p in parts) == pytest.approx(3.0 * 1.5)
    assert sum(p.end[0] for p in parts) == pytest.approx(3.0)
    assert [p.names for p in parts] == [(f"q{k}",) for k in range(1, 6)]
    # curvature 2/l^2 on each part: K = 4/l^4 int EI
    for k, p in enumerate(parts):
        mean = 4.0 + 2.0 * (k + 0.5) / 5
        assert p.K[0, 0] == pytest.approx(4 * mean / 0.6**3)


def test_damping_is_proportional_to_mass_and_stiffness():
    made = numbers("l", report_link(FORE, damping=(0.3, 0.02)))[0]
    assert pytest.approx(0.3 * integrals(made).I_qq + 0.02 * made.K) == made.C


# -- energies, summed in another way -----------------------------------------------------------------------------------


def test_the_local_matrix_holds_the_kinetic_energy_of_a_deflected_link(rng):
    link = numbers("l", report_link(FORE, com=(11.58, 0, 0), inertia=(1.17, 498, 498, *PRODUCTS)))[0]
    v, omega, q, q_dot = rng.normal(size=3), rng.normal(size=3), 0.2 * rng.normal(size=5), rng.normal(size=5)
    T = 0.0
    h = 1e-6
    for s in range(len(link.station_mass)):
        x, delta, short = link.stations.x[s], link.stations.delta[s], link.stations.short[s]

        def place(q, x=x, delta=delta, short=short):
            return x + delta @ q - 0.5 * link.along * (q @ short @ q)

        rate = (place(q + h * q_dot) - place(q - h * q_dot)) / (2 * h)
        speed = v + np.cross(omega, place(q)) + rate
        spin = omega + link.stations.psi[s] @ q_dot
        T += 0.5 * link.station_mass[s] * speed @ speed + 0.5 * spin @ link.station_inertia[s] @ spin
    T += 0.5 * link.mass * v @ v + v @ np.cross(omega, link.moment) + 0.5 * omega @ link.inertia @ omega
    y = np.concatenate([v, omega, q_dot])
    assert 0.5 * y @ local(link, q) @ y == pytest.approx(T, rel=1e-8)


def test_the_local_matrix_of_a_straight_link_is_that_of_its_integrals():
    link = numbers("l", report_link(FORE))[0]
    assert local(link, np.zeros(5)) == pytest.approx(integrals(link).matrix, abs=1e-10)


def test_two_cubic_modes_give_the_first_frequency_of_a_cantilever_within_half_a_percent():
    it = unit([Mode(along="y", shape=SQUARE), Mode(along="y", shape=CUBIC)])
    first = math.sqrt(eigh(it.K, it.I_qq, eigvals_only=True)[0])
    assert first == pytest.approx(3.5160152685, rel=5e-3)
    assert first > 3.5160152685


def test_more_powers_come_down_to_three_frequencies_of_a_cantilever():
    exact = np.array([3.5160152685, 22.0344915647, 61.6972144194])
    errors = []
    for powers in (4, 6, 8):
        it = unit([Mode(along="y", shape=(0.0,) * k + (1.0,)) for k in range(2, 2 + powers)])
        errors.append(np.sqrt(eigh(it.K, it.I_qq, eigvals_only=True)[:3]) / exact - 1.0)
    print(errors[-1])
    assert (np.array(errors) > -1e-11).all()  # Rayleigh and Ritz: from above
    assert errors[0][2] > 10 * errors[1][2] > 100 * errors[2][2]
    assert errors[2].max() < 1e-4


def test_a_tip_load_bends_the_two_cubic_modes_exactly():
    link = member(end=(2, 0, 0), mass=1.0, EI=7.0, modes=[Mode(along="y", shape=s) for s in (SQUARE, CUBIC)])
    made = numbers("l", link)[0]
    q = np.linalg.solve(made.K, made.end_delta[1] * 3.0)
    assert made.end_delta[1] @ q == pytest.approx(3.0 * 8.0 / (3.0 * 7.0), rel=1e-12)


# -- the table of the report -------------------------------------------------------------------------------------------


CENTRAL = 5.982 * 11.58**2  # what moments across the link lose from its origin to its centre


def judged(z, yy):
    """Check link 3 of the report with a centre off its line and a moment of inertia, about its origin as printed."""
    link = report_link(FORE, com=(11.58, 0.0, z), inertia=(1.17, yy - CENTRAL, 1300.0 - CENTRAL, *PRODUCTS))
    check(link, numbers("fore", link)[0])


def test_link_3_is_refused_by_the_printed_centre_and_the_printed_moment():
    with pytest.raises(ModelError, match=r'\(A-76\).*"com" z is 2\.17.*"inertia" yy is 47\.8'):
        judged(2.17, 850.0)


def test_each_of_the_two_is_named_alone():
    with pytest.raises(ModelError) as caught:
        judged(2.17, 1300.0)
    assert '"com" z is 2.17' in str(caught.value)
    assert '"inertia"' not in str(caught.value)
    with pytest.raises(ModelError) as caught:
        judged(0.0, 850.0)
    assert '"inertia" yy is 47.8' in str(caught.value)
    assert '"com"' not in str(caught.value)


def test_link_3_as_repaired_is_accepted():
    judged(0.0, 1300.0)


def test_the_centre_is_named_where_it_is_drawn():
    mass = {"mass": 5.982, "com": (12.58, 2.0, 5.17), "inertia": (1.2, 498, 498)}
    far = member((23.18, 0, 0), (1.0, 2.0, 3.0), **mass, K=np.eye(4), modes=REPORT_MODES[:4])
    with pytest.raises(ModelError, match=r'"com" z is 5\.17, where the mass along its line alone has 3'):
        check(far, numbers("fore", far)[0])


def test_the_remainder_completes_the_table():
    link = report_link(FORE, com=(11.58, 0, 0), inertia=(1.17, 1300 - CENTRAL, 1300 - CENTRAL, *PRODUCTS))
    it = integrals(link)
    xy, xz, yz = PRODUCTS
    assert it.I_LL == pytest.approx(np.array([[1.17, xy, xz], [xy, 1300, yz], [xz, yz, 1300]]), abs=1e-9)
    assert it.I_mL == pytest.approx(skew(5.982 * np.array([11.58, 0, 0])).T, abs=1e-12)


# -- curves ------------------------------------------------------------------------------------------------------------


def test_parts_products_and_integrals_of_curves_agree_with_their_values(rng):
    one = curves.polynomial(rng.normal(size=6))
    other = curves.spline([0.0, 0.2, 0.5, 0.7, 1.0], rng.normal(size=5).tolist())
    s = np.linspace(0.0, 1.0, 101)
    assert (one * other)(s) == pytest.approx(one(s) * other(s), abs=1e-13)
    assert one.part(0.2, 0.6)(s) == pytest.approx(one(0.2 + 0.4 * s), abs=1e-13)
    assert other.part(0.3, 0.9)(s) == pytest.approx(other(0.3 + 0.6 * s), abs=1e-13)
    area = quad(lambda x: float(other(x)), 0.0, 0.8, points=[0.2, 0.5, 0.7], epsabs=1e-13)[0]
    assert float(other.integral()(0.8)) == pytest.approx(area, abs=1e-12)
    assert other.integral().derivative()(s) == pytest.approx(other(s), abs=1e-12)


def test_another_remainder_changes_no_modal_integral():
    made = numbers("l", report_link(FORE))[0]
    other = replace(made, mass=1.0, moment=np.ones(3), inertia=np.eye(3))
    assert (integrals(other).I_qq == integrals(made).I_qq).all()
    assert (integrals(other).I_Lq == integrals(made).I_Lq).all()
