"""What rods of the plane carry: closed forms, the same mechanism drawn in space, and what joints transmit."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model import forces, joints
from particlemech.model.signals import Linear

G = 9.81


def beam(*, ends=("pin", "roller"), slope=0.0, loads=None, mass=3.0, length=2.0):
    """Return a beam between two supports."""
    c, s = np.cos(slope), np.sin(slope)
    held = {
        "pin": lambda at: joints.Revolute(point=at, bodies=("ground", "beam")),
        "roller": lambda at: joints.Slot(point=at, bodies=("ground", "beam"), axis=(c, s)),
    }
    return pm.Mechanism(
        points={"A": (0.0, 0.0), "B": (length * c, length * s)},
        bodies={"beam": pm.Body(points=("A", "B"), mass=mass)},
        joints={at: held[kind](at) for at, kind in zip("AB", ends, strict=True)},
        forces=loads or {},
        gravity=(0.0, -G),
    )


# -- beams at rest -----------------------------------------------------------------------------------------------------


def test_a_simply_supported_beam_carries_its_weight_and_a_load_as_the_handbook_says():
    L, a, P, q = 2.0, 0.5, 40.0, 3.0 * G / 2.0
    load = forces.Load(body="beam", point=(a, 0.0), force=(0.0, -P))
    found = pm.equilibrium(beam(loads={"push": load})).internal("beam", n=21)
    x = found.x
    bending = 0.5 * q * x * (L - x) + P * np.where(x < a, x * (L - a), a * (L - x)) / L
    shear = q * (x - 0.5 * L) - np.where(x <= a, P * (L - a), -P * a) / L  # of the inner side from the outer, upward
    assert found.moment[0, :, 2] == pytest.approx(bending, rel=1e-12, abs=1e-12)
    assert found.force[0, :, 1] == pytest.approx(shear, rel=1e-12, abs=1e-12)
    assert np.abs(found.force[0, :, [0, 2]]).max() < 1e-12 and np.abs(found.moment[0, :, :2]).max() == 0.0


def test_an_overhanging_end_bends_the_other_way_and_the_largest_are_found_between_places():
    """A pin a third along: the largest shear stands at it, wherever places are asked for."""
    L, a, q = 3.0, 1.0, 6.0 * G / 3.0
    m = beam(mass=6.0, length=L).replaced(
        joints={
            "A": None,
            "B": None,
            "P": joints.Revolute(point=(a, 0.0), bodies=("ground", "beam")),
            "Q": joints.Slot(point=(L, 0.0), bodies=("ground", "beam"), axis=(1.0, 0.0)),
        }
    )
    rest = pm.equilibrium(m)
    found, largest = rest.internal("beam", n=4), rest.largest("beam", n=2)
    assert found.moment[0, 1, 2] == pytest.approx(-0.5 * q * a * a, rel=1e-12)
    up = q * L * (0.5 * L - a) / (L - a)  # of Q
    assert largest["shear_max"][0] == pytest.approx(max(q * a, q * (L - a) - up, up), rel=1e-8)


def test_what_two_pins_leave_open_is_the_axial_force_and_nothing_else():
    load = forces.Load(body="beam", point=(0.6, 0.8), force=(10.0, -30.0))
    m = beam(ends=("pin", "pin"), slope=np.arctan2(4.0, 3.0), loads={"push": load})
    rest = pm.equilibrium(m)
    found, least = (rest.internal("beam", n=9, undetermined=how) for how in ("nan", "least-norm"))
    assert np.isnan(found.force[0, :, 0]).all() and np.isfinite(least.force).all()
    assert found.force[0, :, 1:] == pytest.approx(least.force[0, :, 1:], abs=1e-12)
    statically = pm.equilibrium(beam(slope=np.arctan2(4.0, 3.0), loads={"push": load})).internal("beam", n=9)
    assert found.moment[0, :, 2] == pytest.approx(statically.moment[0, :, 2], rel=1e-9, abs=1e-10)
    with pytest.raises(ModelError, match='undetermined must be "nan" or "least-norm"'):
        rest.internal("beam", undetermined="zero")


# -- rods that move ----------------------------------------------------------------------------------------------------


LINKS = (0.4, 0.1, 0.35, 0.3)  # ground, crank, coupler, rocker
RATE, MU = 20.0, 2.0


def four_bar(rate=RATE):
    g, a, b, c = LINKS
    d = g - a
    x = (b * b - c * c + d * d) / (2.0 * d)
    points = {"O": (0.0, 0.0), "A": (a, 0.0), "B": (a + x, np.sqrt(b * b - x * x)), "C": (g, 0.0)}
    rods = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "C")}
    pins = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    lengths = dict(zip(rods, LINKS[1:], strict=True))
    return pm.Mechanism(
        points=points,
        bodies={name: pm.Body(points=of, mass=MU * lengths[name]) for name, of in rods.items()},
        joints={at: joints.Revolute(point=at, bodies=of) for at, of in pins.items()},
        drivers={"motor": pm.drivers.Coordinate(joint="O", motion=Linear(rate=rate))},
        gravity=(0.0, -G),
    )


def coupler_bending(t, x):
    """Return M (K, n) of the coupler, by d'Alembert between two pins; the angles are closed forms.

    M = mu x (b - x) (n0 (2 b - x) + n1 (b + x))/(6 b), n0 and n1 what the ends accelerate across it, less gravity.
    """
    g, a, b, c = LINKS
    th = RATE * t
    A = a * np.exp(1j * th)
    d = g - A
    way = (b * b - c * c + np.abs(d) ** 2) / (2.0 * np.abs(d))
    B = A + d / np.abs(d) * (way + 1j * np.sqrt(b * b - way * way))
    phi, psi = np.angle(B - A), np.angle(B - g)
    w = a * RATE * np.sin(th - phi) / (c * np.sin(psi - phi))
    turn = a * RATE * np.sin(psi - th) / (b * np.sin(phi - psi))
    e = (a * RATE**2 * np.cos(th - phi) + b * turn**2 - c * w**2 * np.cos(psi - phi)) / (c * np.sin(phi - psi)) * -1.0
    ends = -(RATE**2) * A, c * (1j * e - w**2) * np.exp(1j * psi)
    n0, n1 = (((of + 1j * G) * np.exp(-1j * phi)).imag[:, None] for of in ends)
    return MU * x * (b - x) * (n0 * (2.0 * b - x) + n1 * (b + x)) / (6.0 * b)


def test_the_coupler_of_a_four_bar_at_speed_bends_as_dalembert_says():
    cycle = pm.cycle(four_bar(), times=np.linspace(0.0, 2.0 * np.pi / RATE, 181))
    found = cycle.internal("coupler", n=9)
    exact = coupler_bending(cycle.t, found.x)
    assert np.abs(exact).max() > 0.3
    assert np.abs(found.moment[:, :, 2] - exact).max() < 1e-12 * RATE**2
    assert cycle.largest("coupler", n=9)["moment_max"] == pytest.approx(np.abs(exact).max(axis=1), rel=1e-9)


def in_space(m):
    """Return a mechanism of rods and pins drawn in space."""
    kinds = pm.space
    return kinds.Mechanism(
        points={name: (*at, 0.0) for name, at in m.points.items()},
        bodies={name: kinds.Body(points=b.points, mass=b.mass) for name, b in m.bodies.items()},
        joints={n: kinds.joints.Revolute(point=n, bodies=j.bodies, axis=(0.0, 0.0, 1.0)) for n, j in m.joints.items()},
        drivers={n: kinds.drivers.Coordinate(joint=d.joint, motion=d.motion) for n, d in m.drivers.items()},
        gravity=(*m.gravity, 0.0),
    )


def test_the_same_four_bar_drawn_in_space_carries_the_same():
    plane, space = (pm.cycle(m, times=np.linspace(0.0, 0.2, 7)) for m in (four_bar(), in_space(four_bar())))
    for body in ("crank", "coupler", "rocker"):
        one, other = (of.internal(body, n=5, undetermined="least-norm") for of in (plane, space))
        assert one.x == pytest.approx(other.x)
        assert one.force == pytest.approx(other.force, abs=1e-9)
        assert one.moment[:, :, 2] == pytest.approx(other.moment[:, :, 2], abs=1e-9)


def test_what_slides_along_a_lever_loads_it_where_it_is():
    run = pm.simulate(pm.models.load("quick_return"), duration=2.0, samples=9)
    n = 4001
    found = run.internal("lever", n=n)
    shear, x = found.force[:, :, 1], found.x
    jump = np.abs(np.diff(shear, axis=1))
    at = x[np.argmax(jump, axis=1)]
    pressed = np.abs(jump).max(axis=1) > 10.0 * np.median(jump, axis=1) + 1e-3
    assert pressed.sum() >= 5
    assert np.ptp(at) > 0.02
    slope = np.diff(found.moment[:, :, 2], axis=1) / np.diff(x)  # dM/dx = -V
    even = jump < 1e-2
    middle = 0.5 * (shear[:, 1:] + shear[:, :-1])
    assert np.abs(slope + middle)[even].max() < 1e-5 * np.abs(shear).max()


def test_a_rod_under_all_kinds_of_forces_and_drivers_is_in_equilibrium():
    """At x = 0 its pin holds it: what hangs beyond, and its own inertia, are what that transmits."""
    every = {
        "push": forces.Load(body="rod", point=(0.9, 0.1), force=(3.0, -4.0)),
        "spring": forces.Spring(bodies=("ground", "rod"), points=((1.0, 2.0), "B"), stiffness=50.0, length=0.2),
        "twist": forces.Torque(bodies=("arm", "rod"), torque=2.0),
        "back": forces.Torsion(bodies=("ground", "rod"), stiffness=3.0, damping=0.2),
        "motor": forces.Motor(joint="A", effort=1.5),
        "loss": forces.Torsion(joint="A", damping=0.3),
        "odd": forces.Custom(body="rod", function=lambda t, state: ((1.0, 2.0 * t), tuple(state["B"]), 0.4)),
    }
    pins = {"O": ("ground", "arm"), "A": ("arm", "rod")}
    pull = pm.drivers.Distance(points=((2.0, 1.0), "B"), bodies=("ground", "rod"), motion=Linear(rate=-0.1))
    m = pm.Mechanism(
        points={"O": (0.0, 0.0), "A": (0.5, 0.0), "B": (1.2, 0.3)},
        bodies={"arm": pm.Body(points=("O", "A"), mass=1.0), "rod": pm.Body(points=("A", "B"), mass=2.0)},
        joints={at: joints.Revolute(point=at, bodies=of) for at, of in pins.items()},
        forces=every,
        drivers={"pull": pull},
        gravity=(0.0, -G),
    )
    run = pm.simulate(m, duration=0.4, samples=6)
    found, (force, moment) = run.internal("rod", n=3), run.transmitted("A", "rod")
    turn = np.arctan2(*(run["B"] - run["A"]).T[::-1])
    u = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    assert found.force[:, 0, 0] == pytest.approx(-np.sum(u * force, axis=1), rel=1e-9)
    assert found.force[:, 0, 1] == pytest.approx(u[:, 1] * force[:, 0] - u[:, 0] * force[:, 1], rel=1e-9)
    # the couple between the two acts where they meet, as the motor does
    assert found.moment[:, 0, 2] == pytest.approx(-moment - 2.0, rel=1e-9)
    assert np.abs(found.moment[:, -1, 2]).max() == pytest.approx(0.4, rel=1e-9)  # the couple at B


def test_bodies_without_a_line_of_mass_have_no_sections():
    run = pm.simulate(pm.models.load("platform_manipulator"), duration=0.01, samples=2)
    with pytest.raises(ModelError, match="how its mass is spread"):
        run.internal("platform")
    with pytest.raises(ModelError, match="did you mean"):
        run.internal("arm9")
    with pytest.raises(ModelError, match='does not hold body "arm0"'):
        run.transmitted("A1", "arm0")
