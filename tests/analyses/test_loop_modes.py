"""Small vibrations and equilibria in loops: against energies in one angle, runs, beams on two pins, closed forms."""

import math

import numpy as np
import pytest
from numpy.polynomial import Legendre, Polynomial
from scipy.linalg import eigh
from scipy.optimize import brentq

import particlemech as pm
from particlemech import models
from particlemech.errors import ModelError
from particlemech.model.signals import Constant, Linear
from particlemech.model.space import Body, Mechanism, forces, joints
from particlemech.model.space.drivers import Coordinate

Z = (0.0, 0.0, 1.0)
G = 9.81

# -- a four-bar on a spring -------------------------------------------------------------------------------------------

O, C = np.array([0.0, 0.0]), np.array([0.5, 0.0])
CRANK, COUPLER, ROCKER = 0.2, 0.45, 0.3  # m
MASS = {"crank": 0.4, "coupler": 0.9, "rocker": 0.6}  # kg, uniform rods
STIFFNESS, WOUND = 6.0, 2.0  # N m/rad on the crank; rad from the drawing at which it is free of moment
PULL, FREE = 80.0, 0.15  # N/m from B to the ground, m
ANCHOR = np.array([0.7, 0.4])
DRAWN = 1.2  # rad


def pose(angle):
    """Return A and B where the crank has an angle against x; B is above the line from A to C."""
    A = O + CRANK * np.array([math.cos(angle), math.sin(angle)])
    d = float(np.linalg.norm(C - A))
    x = (d * d + COUPLER**2 - ROCKER**2) / (2.0 * d)
    e = (C - A) / d
    return A, A + x * e + math.sqrt(COUPLER**2 - x * x) * np.array([-e[1], e[0]])


def potential(angle):
    """Return the energy of weight and springs."""
    A, B = pose(angle)
    weight = G * (MASS["crank"] * A[1] + MASS["coupler"] * (A[1] + B[1]) + MASS["rocker"] * B[1]) / 2.0
    stretched = float(np.linalg.norm(B - ANCHOR)) - FREE
    return weight + 0.5 * STIFFNESS * (angle - DRAWN - WOUND) ** 2 + 0.5 * PULL * stretched**2


def derivative(f, x, h=1e-3):
    """Return the first derivative, of the sixth order in h."""
    one, two, three = (f(x + k * h) - f(x - k * h) for k in (1, 2, 3))
    return (45.0 * one - 9.0 * two + three) / (60.0 * h)


def inertia(angle):
    """Return twice the kinetic energy per square of the rate of the angle; a rod has m (v1^2 + v1.v2 + v2^2)/3."""
    A, B = (derivative(lambda x, k=k: pose(x)[k], angle) for k in (0, 1))
    every = ((0 * A, A, MASS["crank"]), (A, B, MASS["coupler"]), (B, 0 * B, MASS["rocker"]))
    return sum(m * (u @ u + u @ v + v @ v) / 3.0 for u, v, m in every)


def four_bar(**changes):
    """Return the same as a mechanism in space, drawn with the crank at DRAWN."""
    A, B = pose(DRAWN)
    at = {"O": O, "A": A, "B": B, "C": C, "anchor": ANCHOR}
    ends = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "C")}
    pins = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    return Mechanism(
        gravity=(0.0, -G, 0.0),
        points={p: (float(x), float(y), 0.0) for p, (x, y) in at.items()},
        bodies={b: Body(points=two, mass=MASS[b]) for b, two in ends.items()},
        joints={p: joints.Revolute(bodies=two, point=p, axis=Z) for p, two in pins.items()},
        forces={
            "coil": forces.Torsion(joint="O", stiffness=STIFFNESS, angle=WOUND),
            "pull": forces.Spring(bodies=("ground", "rocker"), points=("anchor", "B"), stiffness=PULL, length=FREE),
        }
        | changes,
    )


@pytest.fixture(scope="module")
def balanced():
    """Return the angle of the crank in balance."""
    return brentq(lambda angle: derivative(potential, angle), DRAWN, DRAWN + 2.5, xtol=1e-14)


def test_a_four_bar_comes_to_where_its_potential_is_least(balanced):
    found = pm.equilibrium(four_bar())
    assert found.coordinate("O")[0] == pytest.approx(balanced - DRAWN, abs=1e-9)
    assert found["B"][0, :2] == pytest.approx(pose(balanced)[1], abs=1e-9)


def test_a_four_bar_swings_as_its_energies_in_one_angle_say(balanced):
    found = pm.modes(four_bar(), settle="all")
    stiffness = derivative(lambda x: derivative(potential, x), balanced)
    assert found.omega == pytest.approx([math.sqrt(stiffness / inertia(balanced))], rel=1e-7)
    assert found.damping == pytest.approx([0.0])


def test_a_damper_on_the_crank_damps_by_its_share(balanced):
    stiffness, c = derivative(lambda x: derivative(potential, x), balanced), 0.05
    damper = forces.Torsion(joint="O", damping=c)
    found = pm.modes(four_bar(damper=damper), settle="all")
    expected = c / (2.0 * math.sqrt(stiffness * inertia(balanced)))
    assert found.damping == pytest.approx([expected], rel=1e-7)
    assert found.omega == pytest.approx([math.sqrt(stiffness / inertia(balanced))], rel=1e-7)


def test_away_from_its_balance_a_four_bar_has_no_small_vibrations():
    with pytest.raises(ModelError, match=r'no steady state: .* acts on ".*"; start where all forces balance'):
        pm.modes(four_bar())
    with pytest.raises(ModelError, match="nothing moves freely"):
        pm.modes(four_bar(), joints="locked")


def test_the_response_to_a_slow_force_is_how_the_balance_moves():
    size, way = 1e-3, (0.6, -0.8, 0.0)
    ends = []
    for sign in (1.0, -1.0):
        push = forces.Load(body="coupler", point="A", force=tuple(sign * size * x for x in way))
        ends.append(pm.equilibrium(four_bar(push=push))["B"][0])
    found = pm.response(four_bar(), [0.0], point="B", force=("A", way), settle="all")[0]
    assert found.imag == pytest.approx([0.0, 0.0, 0.0])
    assert found.real == pytest.approx((ends[0] - ends[1]) / (2.0 * size), rel=1e-6, abs=1e-12)
    # and a torque on the crank does as much work as a force at A across it
    turned = pm.response(four_bar(), [0.0, 3.0], point="B", torque="O", settle="all")
    angle = pm.equilibrium(four_bar()).coordinate("O")[0] + DRAWN
    across = (-math.sin(angle) / CRANK, math.cos(angle) / CRANK, 0.0)
    pushed = pm.response(four_bar(), [0.0, 3.0], point="B", force=("A", across), settle="all")
    assert turned == pytest.approx(pushed, rel=1e-9, abs=1e-12)


# -- against runs -----------------------------------------------------------------------------------------------------


def frequency(result, x):
    """Return the frequency, Hz, at which a quantity (K,) crosses its mean, by a sine fitted to it."""
    t = result.t
    x = x - x.mean()

    def misfit(omega):
        basis = np.stack([np.cos(omega * t), np.sin(omega * t), np.ones_like(t)], axis=1)
        left = x - basis @ np.linalg.lstsq(basis, x, rcond=None)[0]
        return float(left @ left)

    crossings = np.flatnonzero(np.diff(np.signbit(x)))
    omega = math.pi * (len(crossings) - 1) / (t[crossings[-1]] - t[crossings[0]])
    for width in (0.05, 2e-3, 1e-4, 1e-5):
        grid = omega * (1.0 + width * np.linspace(-1.0, 1.0, 41))
        omega = grid[int(np.argmin([misfit(w) for w in grid]))]
    return omega / (2.0 * math.pi)


@pytest.mark.parametrize(("name", "joint", "size"), [("flyball_governor", "slide", 2e-4), ("bricard", "P1", 1e-3)])
def test_what_is_let_go_near_its_balance_swings_with_the_frequency_of_its_linear_equations(name, joint, size):
    m = models.load(name)
    found = pm.modes(m, settle="all")
    at = float(pm.equilibrium(m).coordinate(joint)[0])
    off = m.replaced(initial={"position": {joint: at + size}})
    result = pm.simulate(off, duration=10.2 / found.frequency[0], samples=2001, rtol=1e-10)
    swing = result.coordinate(joint)
    assert np.ptp(swing) == pytest.approx(2.0 * size, rel=1e-2)
    assert frequency(result, swing) == pytest.approx(found.frequency[0], rel=1e-5)


def test_a_governor_lifts_its_sleeve_where_it_turns_faster():
    m = models.load("flyball_governor")
    fast, slow = (
        pm.equilibrium(m.replaced(drivers={"motor": {"motion": Linear(rate=rate)}})).coordinate("slide")[0]
        for rate in (16.0, 14.0)
    )
    assert fast > slow > 0.0


# -- bending bodies in loops ------------------------------------------------------------------------------------------

LENGTH, DENSITY, EI = 0.4, 0.5, 5.0
UNIT = math.sqrt(EI / DENSITY) / LENGTH**2  # rad/s
PINNED = (math.pi * np.arange(1, 4)) ** 2  # on two pins
CLAMPED = np.array([3.926602312, 7.068582746]) ** 2  # tan x = tanh x: clamped and pinned


def slider_crank(n=9, crank=0.0, **changes):
    """Return crank, bending rod and block along x, the crank held; n shapes of a rod that begin flat."""
    basis = [Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) for k in range(n)]
    shapes = [{"along": "y", "shape": (0.0, 0.0, *p.integ().integ().coef[2:].tolist())} for p in basis]
    given = {
        "points": {"O": (0, 0, 0), "A": (0.1, 0, 0), "B": (0.5, 0, 0), "M": (0.3, 0, 0)},
        "bodies": {
            "crank": Body(points=("O", "A"), mass=0.05),
            "rod": Body(points=("A", "B", "M"), density=DENSITY, EI=EI, modes=shapes),
            "block": Body(points=("B",), mass=0.2, com=(0.5, 0, 0), inertia=(1e-4, 1e-4, 1e-4)),
        },
        "joints": {
            "O": joints.Revolute(bodies=("ground", "crank"), point="O", axis=Z),
            "A": joints.Revolute(bodies=("crank", "rod"), point="A", axis=Z),
            "B": joints.Revolute(bodies=("rod", "block"), point="B", axis=Z),
            "guide": joints.Prismatic(bodies=("ground", "block"), point="B", axis=(1.0, 0.0, 0.0)),
        },
        "drivers": {"hold": Coordinate(joint="O", motion=Constant(value=crank))},
    }
    return Mechanism(**(given | changes))


def by_polynomials(n):
    """Return the frequencies of a beam of length 1 on two pins by n polynomials x (1 - x) P_k, after Ritz."""
    x, weight = np.polynomial.legendre.leggauss(n + 3)
    x, weight = 0.5 * (x + 1.0), 0.5 * weight
    ends = Polynomial([0.0, 1.0, -1.0])
    basis = [ends * Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) for k in range(n)]
    M, K = (np.einsum("s,js,ks->jk", weight, f, f) for f in (np.array([p.deriv(d)(x) for p in basis]) for d in (0, 2)))
    return np.sqrt(eigh(K, M, eigvals_only=True))


def test_the_rod_of_a_slider_crank_at_rest_vibrates_as_a_beam_on_two_pins():
    found = pm.modes(slider_crank())
    assert len(found.omega) == 9  # nine shapes and three joints less the loop
    assert found.omega[:3] / UNIT == pytest.approx(by_polynomials(9)[:3], rel=1e-9)
    assert found.omega[:2] / UNIT == pytest.approx(PINNED[:2], rel=1e-7)  # the error of nine polynomials: 2e-12, 2e-8
    few = pm.modes(slider_crank(2)).omega[0] / UNIT
    assert few == pytest.approx(math.sqrt(120.0), rel=1e-9)  # x (1 - x) alone is left of two cubics


def test_a_locked_pin_clamps_the_rod_in_a_loop():
    found = pm.modes(slider_crank(), joints={"A": "locked"})
    assert found.omega[:2] / UNIT == pytest.approx(CLAMPED, rel=1e-6)
    assert "A.angle" not in found.coordinates and "B.angle" in found.coordinates


def test_a_crank_that_is_let_go_adds_a_motion_of_the_whole():
    held, free = pm.modes(slider_crank(crank=0.8)), pm.modes(slider_crank(crank=0.8), joints={"O": "free"})
    assert len(free.omega) == len(held.omega) + 1
    assert abs(free.omega[0]) < 1e-3 * held.omega[0]
    assert np.all(free.omega[1:] > held.omega * (1.0 - 1e-12))  # a freedom less never lowers what follows


def test_the_rod_of_a_slider_crank_sags_as_a_beam_on_two_pins():
    g = 1e-3
    found = pm.equilibrium(slider_crank(gravity=(0.0, -g, 0.0)))
    assert found["M"][0, 1] == pytest.approx(-5.0 * DENSITY * g * LENGTH**4 / (384.0 * EI), rel=1e-6)
    assert found.coordinate("O")[0] == 0.0
    # half of the weight hangs on each pin
    assert found.reaction("B", "block")[0, 1] == pytest.approx(-0.5 * DENSITY * g * LENGTH, rel=1e-6)


def test_a_thrust_lowers_the_frequency_of_the_rod_as_that_of_a_column():
    euler = math.pi**2 * EI / LENGTH**2
    for part in (0.5, -0.5):
        thrust = forces.Load(body="block", point="B", force=(-part * euler, 0.0, 0.0))
        found = pm.modes(slider_crank(forces={"thrust": thrust}), loads=True)
        assert found.omega[0] / UNIT == pytest.approx(math.pi**2 * math.sqrt(1.0 - part), rel=1e-6)


# -- where there are none ---------------------------------------------------------------------------------------------


def test_what_moves_in_its_loops_has_no_steady_state():
    turning = slider_crank(drivers={"motor": Coordinate(joint="O", motion=Linear(rate=3.0, offset=0.7))})
    with pytest.raises(ModelError, match="the start moves: a driver moves its loops"):
        pm.modes(turning)


def rod(**changes):
    """Return a rod on a ball joint, which hangs down."""
    given = {
        "points": {"root": (0, 0, 0), "tip": (0, 0, -1)},
        "bodies": {"rod": Body(points=("root", "tip"), mass=2.0, com=(0, 0, -0.5), inertia=(0.2, 0.2, 0.01))},
        "joints": {"ball": joints.Spherical(bodies=("ground", "rod"), point="root")},
        "gravity": (0.0, 0.0, -G),
    }
    return Mechanism(**(given | changes))


def test_a_rod_on_a_ball_swings_about_both_axes_and_spins_freely_whatever_is_integrated():
    for coordinates in ("quaternion", "angles"):
        ball = joints.Spherical(bodies=("ground", "rod"), point="root", coordinates=coordinates)
        found = pm.modes(rod(joints={"ball": ball}))
        swing = math.sqrt(2.0 * G * 0.5 / (0.2 + 2.0 * 0.25))
        assert found.omega == pytest.approx([0.0, swing, swing], rel=1e-8, abs=1e-5)
        name = "omega" if coordinates == "quaternion" else "angle"
        assert found.coordinates == tuple(f"ball.{name}{k}" for k in (1, 2, 3))


def test_vibrations_are_those_about_rest_and_away_from_gimbal_lock():
    with pytest.raises(ModelError, match=r'the start moves: "ball\.omega3" does'):
        pm.modes(rod(initial={"omega": {"rod": (0.0, 0.0, 1.0)}}))
    ball = joints.Spherical(bodies=("ground", "rod"), point="root", coordinates="angles")
    with pytest.raises(ModelError, match="gimbal lock"):
        pm.modes(rod(joints={"ball": ball}, gravity=(G, 0, 0), initial={"position": {"ball": (0, -math.pi / 2, 0)}}))


def test_what_falls_finds_no_balance():
    falling = rod(joints={"float": joints.Free(bodies=("ground", "rod"))})
    with pytest.raises(ModelError, match="the mechanism finds no balance"):
        pm.equilibrium(falling)
