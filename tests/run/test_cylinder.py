"""Cylinders: distance drivers whose pressure is a result, and forces whose pressure is given; closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import particlemech as pm
from particlemech import drivers, forces, signals, space
from particlemech.model import columns

G = 9.81


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_the_pressure_of_a_scissor_lift_bears_its_load(formulation):
    """By virtual work at rest: with s the sine of the arms, the length of the cylinder is a sqrt(1/4 + 2 s^2),

    all weights are g a s (2 load + 4 arms), and the force is the quotient of their slopes.
    """
    lift = pm.models.load("scissor_lift")
    result = pm.simulate(lift, rtol=1e-9, formulation=formulation)
    a, load, arm, piston = (float(lift.parameters[name].value) for name in ("arm", "load", "weight", "piston"))
    s = result["A2"][-1, 1] / (2.0 * a)
    force = (2.0 * load + 4.0 * arm) * G * math.sqrt(0.25 + 2.0 * s**2) / (2.0 * s)
    assert result.effort("cylinder")[-1] == pytest.approx(force, rel=1e-7)
    assert result.pressure("cylinder")[-1] == pytest.approx(force / 25e-4, rel=1e-7)
    assert piston == pytest.approx(25e-4, rel=1e-12)
    told = result.columns()["cylinder.pressure"]
    assert np.array_equal(told, result.pressure("cylinder"))
    assert columns.unit(lift, columns.quantity(lift, "cylinder.pressure")) == "N/m²"


def test_a_cylinder_in_space_bears_a_boom():
    """Held level, the boom of 3 kg 1 m from its hinge is borne by a force whose line passes the hinge at sqrt(2) m."""
    crane = space.Mechanism(
        gravity=(0.0, 0.0, -G),
        points={"foot": (1.0, 0.0, -1.0), "tip": (2.0, 0.0, 0.0)},
        bodies={"boom": space.Body(points=("tip",), mass=3.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 1.0, 1.0))},
        joints={
            "hinge": space.joints.Revolute(bodies=("ground", "boom"), point=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0))
        },
        drivers={"cylinder": space.drivers.Distance(points=("foot", "tip"), motion=0.0, area=4e-4)},
    )
    result = pm.simulate(crane, duration=0.05, samples=4)
    assert result.pressure("cylinder") == pytest.approx(np.full(4, 3.0 * G / math.sqrt(2.0) / 4e-4), rel=1e-9)
    assert "cylinder.pressure" in result.columns()


def test_what_has_no_pressure_says_so_in_one_line():
    lift = pm.models.load("scissor_lift")
    bare = pm.simulate(lift.replaced(drivers={"cylinder": {"area": None}}), samples=2)
    with pytest.raises(pm.ModelError, match='driver "cylinder" is no cylinder of known area; give a "distance" driver'):
        bare.pressure("cylinder")
    with pytest.raises(pm.ModelError, match=r'driver "cilinder" unknown .did you mean "cylinder"'):
        bare.pressure("cilinder")
    with pytest.raises(pm.ModelError, match='key "area": must be above zero, got 0'):
        drivers.Distance(points=("A", "B"), motion=1.0, area=0.0)


# -- a four-bar on a cylinder ------------------------------------------------------------------------------------------

# crank 0.2 m, coupler 0.5 m, rocker 0.4 m, ground 0.6 m; the cylinder from F on the ground to A, the end of the crank
AT = {"O": (0.0, 0.0), "C": (0.6, 0.0), "F": (-0.3, -0.35)}
CRANK, COUPLER, ROCKER, MASSES = 0.2, 0.5, 0.4, {"crank": 1.0, "coupler": 2.0, "rocker": 1.5}
AREA, START = 3e-4, 1.1
WAYS = [
    pytest.param(False, {"formulation": "particles", "integrator": "explicit"}, id="particles explicit"),
    pytest.param(False, {"formulation": "particles", "integrator": "ida"}, id="particles ida"),
    pytest.param(False, {"formulation": "absolute", "integrator": "ida"}, id="absolute"),
    pytest.param(True, {"integrator": "explicit"}, id="recursive explicit"),
    pytest.param(True, {"integrator": "ida"}, id="recursive ida"),
    pytest.param(True, {"formulation": "natural"}, id="natural"),
]


def places(angle):
    """Return A and B of the four-bar, B above."""
    A = CRANK * np.array([math.cos(angle), math.sin(angle)])
    d = np.array(AT["C"]) - A
    l = math.hypot(*d)
    x = (l**2 + COUPLER**2 - ROCKER**2) / (2.0 * l)
    u = d / l
    return A, A + x * u + math.sqrt(COUPLER**2 - x**2) * np.array([-u[1], u[0]])


def derivative(of, x, h=1e-3):
    """Return the derivative by differences of eighth order."""
    parts = zip((4 / 5, -1 / 5, 4 / 105, -1 / 280), (1, 2, 3, 4), strict=True)
    return sum(c * (of(x + k * h) - of(x - k * h)) for c, k in parts) / h


def height(angle):
    """Return the potential of all weights over g, kg m: rods are even."""
    A, B = places(angle)
    C = np.array(AT["C"])
    mid = {"crank": 0.5 * A, "coupler": 0.5 * (A + B), "rocker": 0.5 * (B + C)}
    return sum(MASSES[name] * at[1] for name, at in mid.items())


def stroke(angle):
    return math.dist(AT["F"], places(angle)[0])


def four_bar(spatial=False, driven=None, force=None):
    """Return the four-bar with its crank at START, on a cylinder of one of the two sorts."""
    A, B = places(START)
    at = AT | {"A": tuple(A.tolist()), "B": tuple(B.tolist())}
    ends = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "C")}
    pins = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    world, more, z, gravity = (space, {"axis": (0.0, 0.0, 1.0)}, (0.0,), (0.0, -G, 0.0)) if spatial else (
        pm, {}, (), (0.0, -G)
    )  # fmt: skip
    cylinder = {} if force is None else {"cylinder": world.forces.Cylinder(
        **{"bodies": ("ground", "crank"), "points": ("F", "A"), "area": AREA} | force
    )}  # fmt: skip
    mover = {} if driven is None else {"cylinder": world.drivers.Distance(
        points=("F", "A"), motion=driven, area=AREA, bodies=("ground", "crank")
    )}  # fmt: skip
    return world.Mechanism(
        gravity=gravity,
        points={name: (*place, *z) for name, place in at.items()},
        bodies={name: world.Body(points=two, mass=MASSES[name]) for name, two in ends.items()},
        joints={name: world.joints.Revolute(point=name, bodies=two, **more) for name, two in pins.items()},
        drivers=mover,
        forces=cylinder,
    )


def kinetic(angle):
    """Return the kinetic energy over half the square of the rate of the crank: rods, by their ends."""
    A_, B_ = (np.array([derivative(lambda x, i=i, k=k: places(x)[i][k], angle) for k in (0, 1)]) for i in (0, 1))
    none = np.zeros(2)
    rods = {"crank": (none, A_), "coupler": (A_, B_), "rocker": (B_, none)}
    return sum(MASSES[name] / 3.0 * (u @ u + u @ v + v @ v) for name, (u, v) in rods.items())


@pytest.mark.parametrize(("spatial", "how"), WAYS)
def test_the_pressure_that_moves_a_four_bar_is_that_of_its_energies(spatial, how):
    """F dl/da = d(T + V)/da at the rate that the motion of the cylinder gives the crank."""
    result = pm.simulate(
        four_bar(spatial, driven=signals.Linear(rate=-0.08)), duration=0.8, samples=9, rtol=1e-9, **how
    )
    for k in range(9):
        angle = START + float(result.coordinate("O")[k])
        rate = -0.08 / derivative(stroke, angle)

        def energy(x):
            return 0.5 * kinetic(x) * (0.08 / derivative(stroke, x)) ** 2 + G * height(x)

        force = derivative(energy, angle) / derivative(stroke, angle)
        assert float(result.rate("O")[k]) == pytest.approx(rate, rel=1e-6)
        assert result.effort("cylinder")[k] == pytest.approx(force, rel=1e-6, abs=1e-5)
        assert result.pressure("cylinder")[k] == pytest.approx(force / AREA, rel=1e-6, abs=1e-5 / AREA)
    assert np.ptp(result.coordinate("O")) > 0.2


@pytest.mark.parametrize(("spatial", "how"), WAYS)
def test_a_four_bar_on_a_pressure_moves_as_its_energies_say(spatial, how):
    """T = V_0 - V + F (l - l_0), F = p A - p_r (A - A_r): the rate at every angle, and the time by quadrature."""
    given = {"pressure": 9e5, "rod_area": 1e-4, "rod_pressure": 2e5}
    F = 9e5 * AREA - 2e5 * (AREA - 1e-4)
    result = pm.simulate(four_bar(spatial, force=given), duration=0.12, samples=7, rtol=1e-9, **how)

    def rate(angle):
        work = F * (stroke(angle) - stroke(START)) - G * (height(angle) - height(START))
        return math.copysign(math.sqrt(2.0 * work / kinetic(angle)), work)

    angle = START + result.coordinate("O")
    assert abs(angle[-1] - START) > 0.4
    for k in range(1, 7):
        sign = math.copysign(1.0, float(angle[k]) - START)
        assert float(result.rate("O")[k]) == pytest.approx(sign * abs(rate(float(angle[k]))), rel=1e-6)
    root = math.sqrt(abs(float(angle[-1]) - START))  # the integrand has no pole in the root of the way
    sign = math.copysign(1.0, float(angle[-1]) - START)
    time = quad(lambda s: 2.0 * s / abs(rate(START + sign * s * s)), 0.0, root, epsabs=1e-12)[0]
    assert time == pytest.approx(float(result.t[-1]), rel=1e-6)
    assert result.force("cylinder") == pytest.approx(np.full(7, F), rel=1e-12)
    work = F * (result.force("cylinder", "length") - stroke(START))
    assert result.energy.work == pytest.approx(work, rel=1e-6, abs=1e-7)
    assert result.measures().power("cylinder") == pytest.approx(F * result.force("cylinder", "rate"), rel=1e-12)
    assert result.force("cylinder", "length")[-1] == pytest.approx(stroke(float(angle[-1])), rel=1e-7)
    assert result.force("cylinder", "flow") == pytest.approx(AREA * result.force("cylinder", "rate"), rel=1e-12)
    assert columns.unit(result.mechanism, columns.quantity(result.mechanism, "cylinder.flow")) == "m³/s"
    assert columns.unit(result.mechanism, columns.quantity(result.mechanism, "cylinder.effort")) == "N"


@pytest.mark.parametrize("spatial", [False, True])
def test_the_pressure_of_a_cylinder_is_an_input_of_small_motions(spatial):
    """About rest: (T'' + V'' - F l'') z'' ..., with A dl/da per pressure; at 0 Hz it gives A l'/(V'' - F l'')."""
    spring = (space if spatial else pm).forces.Torsion(joint="O", stiffness=400.0)
    F = G * derivative(height, START) / derivative(stroke, START)
    m = four_bar(spatial, force={"pressure": F / AREA, "damping": 7.0}).replaced(forces={"spring": spring})
    found = pm.linearised(m, "equilibrium", inputs="cylinder", outputs=["O.angle"])
    slope = derivative(stroke, START)
    stiff = 400.0 + derivative(lambda x: G * derivative(height, x) - F * derivative(stroke, x), START)
    state = pm.response(m, [0.0], input="cylinder", output="O.angle", about="equilibrium")
    assert state[0].real == pytest.approx(AREA * slope / stiff, rel=1e-6)
    at = [k for k, name in enumerate(found.freedoms)]
    assert len(at) == 1 and len(pm.modes(m, "equilibrium").eigenvalues) == 2


def test_a_cylinder_says_in_one_line_what_cannot_be():
    ends = {"bodies": ("ground", "crank"), "points": ("F", "A")}
    with pytest.raises(pm.ModelError, match=r'key "rod_area": 0.0004 leaves nothing of the piston of 0.0003'):
        forces.Cylinder(**ends, area=AREA, pressure=1.0, rod_area=4e-4)
    with pytest.raises(pm.ModelError, match="its ends are drawn at one place"):
        four_bar(force={"pressure": 1.0, "points": ("A", "A")})
    with pytest.raises(pm.ModelError, match="its ends are drawn at one place"):
        four_bar(True, force={"pressure": 1.0, "points": ("A", "A")})
    with pytest.raises(pm.ModelError, match='key "pressure"'):
        forces.Cylinder(**ends, area=AREA)
