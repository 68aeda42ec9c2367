"""Internal forces of bending bodies and rods, held to closed forms and to what joints transmit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.signals import Linear
from particlemech.model.space import Body, Mechanism, joints
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.forces import Cylinder, Load, Spring, Torque
from particlemech.model.space.parts import Lump
from particlemech.model.space.sections import Rectangle
from tests.support import bending_loops
from tests.support.bending_loops import DENSITY, RATE

L, MU, EI, Z = 1.5, 2.0, 1e4, (0.0, 0.0, 1.0)
CUBICS = [{"along": "y", "shape": [0, 0, 1]}, {"along": "y", "shape": [0, 0, 0, 1]}]
WAYS = pytest.mark.parametrize("way", [{}, {"sublinks": 3}, {"sublinks": 4, "keep": 2}], ids=str)


def cantilever(gravity=(0.0, 0.0, 0.0), forces=None, **keys):
    """Return a clamped beam along x that comes to rest within half a second."""
    told = {"density": MU, "EI": EI, "modes": CUBICS, "damping": (0.0, 0.0127)} | keys
    boom = Body(points=("A", "B"), **told)
    clamp = {"A": joints.Weld(point="A", bodies=("ground", "boom"))}
    points = {"A": (0.0, 0.0, 0.0), "B": (L, 0.0, 0.0)}
    return Mechanism(points=points, bodies={"boom": boom}, joints=clamp, forces=forces or {}, gravity=gravity)


def at_rest(model, **asked):
    found = pm.simulate(model, duration=1.0, samples=2, rtol=1e-10).internal("boom", **asked)
    return found.x, found.force[-1], found.moment[-1], None if found.stress is None else found.stress[-1]


# -- beams at rest -----------------------------------------------------------------------------------------------------


@WAYS
def test_a_force_at_the_end_bends_as_its_arm_says(way):
    x, force, moment, stress = at_rest(
        cantilever(forces={"push": Load(body="boom", point="B", force=[0.003, -0.01, 0])}, **way)
    )
    assert stress is None
    slope = -0.01 * (L * x - 0.5 * x**2) / EI  # of the section, with which the axes turn
    assert force[:, 0] == pytest.approx(0.003 - 0.01 * slope, rel=1e-8)
    assert force[:, 1] == pytest.approx(-0.01 - 0.003 * slope, rel=1e-6)
    assert moment[:, 2] == pytest.approx(-0.01 * (L - x), rel=1e-6, abs=1e-9)
    assert np.abs(moment[:, :2]).max() < 1e-12


@WAYS
def test_weight_bends_with_the_square_of_what_hangs_over(way):
    x, force, moment, _ = at_rest(cantilever(gravity=(0.0, -0.01, 0.0), **way))
    assert force[:, 1] == pytest.approx(-0.01 * MU * (L - x), rel=1e-6, abs=1e-9)
    assert moment[:, 2] == pytest.approx(-0.005 * MU * (L - x) ** 2, rel=1e-6, abs=1e-9)
    assert force[-1] == pytest.approx(np.zeros(3), abs=1e-12)
    assert moment[-1] == pytest.approx(np.zeros(3), abs=1e-12)


@WAYS
def test_lumps_and_loads_between_act_inside_of_their_place_only(way):
    forces = {"push": Load(body="boom", point=(0.6, 0.0, 0.0), force=[0.0, 0.02, 0.0])}
    model = cantilever(gravity=(0.0, -0.01, 0.0), forces=forces, lumps=(Lump(x=0.9, mass=3.0),), **way)
    x, force, moment, _ = at_rest(model, n=16)  # places 0.6 and 0.9 among them
    shear = -0.01 * MU * (L - x) + 0.02 * (x < 0.6 + 1e-9) - 0.03 * (x < 0.9 + 1e-9)
    arm = -0.005 * MU * (L - x) ** 2 + 0.02 * np.maximum(0.6 - x, 0.0) - 0.03 * np.maximum(0.9 - x, 0.0)
    assert force[:, 1] == pytest.approx(shear, rel=1e-6, abs=1e-9)
    assert moment[:, 2] == pytest.approx(arm, rel=1e-6, abs=1e-9)


def test_density_that_varies_is_integrated_between_stations():
    x, force, _, _ = at_rest(cantilever(gravity=(0.0, -0.01, 0.0), density=[2.0, 1.0, 3.0]), n=9)
    whole = 2.0 * x + x**2 / (2.0 * L) + x**3 / L**2
    assert force[:, 1] == pytest.approx(-0.01 * (whole[-1] - whole), rel=1e-6, abs=1e-9)


def test_torsion_and_stress_are_those_of_the_handbook():
    section = Rectangle(width=0.02, height=0.05)
    twist = {"about": "x", "shape": [0, 1]}
    up = [{"along": "z", "shape": [0, 0, 1]}, {"along": "z", "shape": [0, 0, 0, 1]}]
    forces = {
        "push": Load(body="boom", point="B", force=[40.0, 0.0, -2.0]),
        "turn": Torque(bodies=("ground", "boom"), point="B", torque=[3.0, 0.0, 0.0]),
    }
    keys = {"density": None, "EI": None, "section": section, "up": Z, "E": 2.1e11, "nu": 0.3, "rho": 7850.0}
    modes = [*CUBICS, *up, twist]
    model = cantilever(forces=forces, modes=modes, damping=(0.0, 0.02), **keys)
    x, force, moment, stress = at_rest(model, n=6)
    assert force[0] == pytest.approx([40.0, 0.0, -2.0], rel=1e-3, abs=2e-2)
    assert moment[:, 0] == pytest.approx(np.full(6, 3.0), rel=1e-3)
    assert moment[:, 1] == pytest.approx(2.0 * (L - x), rel=2e-3, abs=1e-6)  # outer pushes inner down: y is to the left
    normal = 40.0 / section.area + 2.0 * (L - x) * 0.025 / section.I_y
    assert stress[:, 0] == pytest.approx(normal, rel=2e-2)
    assert stress[:, 1] == pytest.approx(np.full(6, 3.0 / section.W_t), rel=1e-3)


# -- beams that move ---------------------------------------------------------------------------------------------------


@WAYS
def test_a_spinning_beam_pulls_at_its_hub(way):
    boom = Body(points=("A", "B"), density=MU, EI=EI, modes=CUBICS, **way)
    hub = {"A": joints.Revolute(point="A", bodies=("ground", "boom"), axis=Z)}
    points = {"A": (0.0, 0.0, 0.0), "B": (L, 0.0, 0.0)}
    drive = {"motor": Coordinate(joint="A", motion=Linear(rate=3.0))}
    result = pm.simulate(
        Mechanism(points=points, bodies={"boom": boom}, joints=hub, drivers=drive), duration=0.4, samples=3
    )
    found = result.internal("boom")
    pull = 0.5 * MU * 9.0 * (L**2 - found.x**2)
    assert found.force[:, :, 0] == pytest.approx(np.tile(pull, (3, 1)), rel=1e-6, abs=1e-6)
    assert np.abs(found.moment).max() < 1e-6


@WAYS
def test_the_first_section_carries_what_the_clamp_does(way):
    """With bending in both planes, twist with rotary inertia, lumps, and a spring, while all swings."""
    modes = [*CUBICS, {"along": "z", "shape": [0, 0, 1]}, {"about": "x", "shape": [0, 1]}]
    forces = {
        "push": Load(body="boom", point=(1.0, 0.0, 0.2), force=[3.0, -40.0, 25.0]),
        "spring": Spring(bodies=("ground", "boom"), points=((1.0, 2.0, 0.5), "B"), stiffness=50.0, length=0.2),
        "ram": Cylinder(bodies=("ground", "boom"), points=((0.5, -1.0, 0.2), "B"), area=2.0, pressure=15.0),
    }
    keys = {"modes": modes, "GJ": 800.0, "rotary": (0.02, 0.01, 0.01), "damping": (0.0, 1e-4), **way}
    lumps = (Lump(x=0.7, mass=1.0, inertia=(0.01, 0.02, 0.03)),)
    result = pm.simulate(cantilever((0.0, 0.0, -9.81), forces, lumps=lumps, **keys), duration=0.05, samples=5)
    found, (force, moment) = result.internal("boom"), result.transmitted("A", "boom")
    assert np.abs(found.moment[:, 0]).min(axis=0).max() > 1.0
    assert found.force[:, 0] == pytest.approx(-force, rel=1e-6, abs=1e-6 * np.abs(force).max())
    assert found.moment[:, 0] == pytest.approx(-moment, rel=1e-5, abs=1e-5 * np.abs(moment).max())
    assert result.moment("A", "boom") == pytest.approx(moment)


def test_moments_change_along_the_body_as_shear_says():
    """Between what is attached, M_z' = -V_y where rotary inertia is none."""
    result = pm.simulate(cantilever((0.0, -9.81, 0.0), sublinks=2, damping=(0.0, 0.0)), duration=0.03, samples=4)
    found = result.internal("boom", n=401)
    h = found.x[1] - found.x[0]
    slope = (found.moment[:, 2:, 2] - found.moment[:, :-2, 2]) / (2.0 * h)
    assert slope == pytest.approx(-found.force[:, 1:-1, 1], abs=1e-4 * np.abs(found.force).max())


def rod_moment(t, x):
    """Return the bending moment of the uniform rod of the slider-crank of 0.1 and 0.4 m, rigid, (K, n), by d'Alembert.

    Pinned at both ends under mu a across it, linear from a_0 to a_1: M = mu x (l - x) (a_0 (2 l - x) + a_1 (l + x))/6l.
    """
    l, th = 0.4, RATE * t
    s, s1, s2 = 0.1 * np.sin(th), 0.1 * RATE * np.cos(th), -0.1 * RATE**2 * np.sin(th)
    c = np.sqrt(l * l - s * s)
    x2 = -0.1 * RATE**2 * np.cos(th) - (s1 * s1 + s * s2) / c - (s * s1) ** 2 / c**3
    normal = np.stack([s / l, c / l])  # the rod goes down from A to B
    a0 = (-0.1 * RATE**2 * np.cos(th)) * normal[0] + s2 * normal[1]
    a1 = x2 * normal[0]
    return DENSITY * x * (l - x) * (a0[:, None] * (2 * l - x) + a1[:, None] * (l + x)) / (6.0 * l)


def test_a_stiff_connecting_rod_bends_as_dalembert_says():
    model = bending_loops.mechanism("slider_crank", sublinks=2)
    rod = replace(model.bodies["rod"], EI=1e5)
    result = pm.simulate(replace(model, bodies={**model.bodies, "rod": rod}), duration=0.3, samples=31)
    found = result.internal("rod", n=9, undetermined="least-norm")
    late, exact = result.t > 0.02, rod_moment(result.t, found.x)
    assert np.abs(exact).max() > 0.1
    assert found.moment[late, :, 2] == pytest.approx(exact[late], abs=1e-3 * np.abs(exact).max())


def test_a_rigid_rod_bends_as_dalembert_says():
    model = bending_loops.mechanism("slider_crank", sublinks=2)
    bodies = {**model.bodies, "rod": Body(points=("A", "B"), mass=0.4 * DENSITY)}
    points = {name: at for name, at in model.points.items() if name != "M_rod"}
    result = pm.simulate(
        replace(model, points=points, bodies=bodies, initial=type(model.initial)()), duration=0.3, samples=31
    )
    found = result.internal("rod", n=9)
    exact = rod_moment(result.t, found.x)
    assert found.moment[:, :, 2] == pytest.approx(exact, abs=1e-6 * np.abs(exact).max())
    assert np.isfinite(found.force[:, :, :2]).all()


def test_what_a_planar_loop_leaves_open_is_nan_and_nothing_else():
    model = bending_loops.mechanism("four_bar", sublinks=2)
    result = pm.simulate(model, duration=0.05, samples=4)
    found = result.internal("coupler", n=5)
    assert np.isfinite(found.force[:, :, :2]).all()
    assert np.isfinite(found.moment[:, :, 2]).all()
    assert np.isnan(found.moment[:, :, :2]).any()
    least = result.internal("coupler", n=5, undetermined="least-norm")
    assert np.isfinite(least.moment).all()
    assert least.moment[:, :, 2] == pytest.approx(found.moment[:, :, 2], abs=1e-9)


def test_bodies_without_a_line_of_mass_have_no_sections():
    result = pm.simulate(bending_loops.mechanism("slider_crank", sublinks=1), duration=0.01, samples=2)
    with pytest.raises(ModelError, match="how its mass is spread"):
        result.internal("block")
    with pytest.raises(ModelError, match="at least 2"):
        result.internal("rod", n=1)
    with pytest.raises(ModelError, match="did you mean"):
        result.internal("rood")


def test_a_rod_under_all_kinds_of_forces_is_in_equilibrium():
    """At x = 0 its only joint carries it: what hangs beyond, and its own inertia, are what that transmits."""
    forces = {
        "push": Load(body="boom", point=(1.0, 0.0, 0.0), force=[3.0, -40.0, 25.0]),
        "spring": Spring(bodies=("ground", "boom"), points=((1.0, 2.0, 0.5), "B"), stiffness=50.0, length=0.2),
        "ram": Cylinder(bodies=("ground", "boom"), points=((0.5, -1.0, 0.2), "B"), area=2.0, pressure=15.0),
        "turn": Torque(bodies=("ground", "boom"), torque=[3.0, 2.0, 5.0]),
    }
    boom = Body(points=("A", "B"), mass=3.0)
    pin = {"A": joints.Revolute(point="A", bodies=("ground", "boom"), axis=Z)}
    points = {"A": (0.0, 0.0, 0.0), "B": (L, 0.0, 0.0)}
    model = Mechanism(points=points, bodies={"boom": boom}, joints=pin, forces=forces, gravity=(0.0, -9.81, 1.0))
    result = pm.simulate(model, duration=0.3, samples=5)
    found, (force, moment) = result.internal("boom", n=3), result.transmitted("A", "boom")
    R = result.orientation("boom")
    assert found.force[:, 0] == pytest.approx(-np.einsum("kji,kj->ki", R, force), abs=1e-9)
    assert found.moment[:, 0] == pytest.approx(-np.einsum("kji,kj->ki", R, moment), abs=1e-9)


# -- columns -----------------------------------------------------------------------------------------------------------


def test_columns_have_the_largest_along_the_body_with_units():
    forces = {"push": Load(body="boom", point="B", force=[0.003, -0.01, 0])}
    keys = {"density": None, "EI": None, "section": Rectangle(width=0.02, height=0.05), "up": Z, "E": 2e9, "rho": 900.0}
    result = pm.simulate(cantilever(forces=forces, damping=(0.0, 0.02), **keys), duration=0.02, samples=6)
    columns, found = result.columns(), result.internal("boom", n=81)
    assert columns["boom.moment_max"] == pytest.approx(np.abs(found.moment[:, :, 2]).max(axis=1), rel=2e-3)
    assert columns["boom.shear_max"] == pytest.approx(np.abs(found.force[:, :, 1]).max(axis=1), rel=1e-2)
    assert columns["boom.stress_max"] == pytest.approx(found.stress[:, :, 0].max(axis=1), rel=2e-3)
    names = ("boom.moment_max", "boom.axial_max", "boom.stress_max")
    assert result.units(names) == ["N m", "N", "N/m²"]


def test_the_largest_shear_is_seen_where_a_load_is_attached():
    forces = {"push": Load(body="boom", point=(0.61803, 0.0, 0.0), force=[0.0, -0.01, 0.0])}
    model = cantilever(forces=forces)
    result = pm.simulate(model, duration=1.0, samples=2, rtol=1e-10)
    assert result.largest("boom", n=2)["shear_max"][-1] == pytest.approx(0.01, rel=1e-6)
