"""What no motion may change: energy less work, momentum where nothing pushes, closed joints."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, joints, models
from particlemech.run.start import weights
from tests.support.problems import DOWN, FORMULATIONS, PLANAR, floating, hold


@pytest.fixture(scope="module", params=[(n, f) for n in PLANAR for f in FORMULATIONS], ids="-".join)
def run(request):
    """Return each planar model in each formulation, run at rtol 1e-8."""
    name, formulation = request.param
    return pm.simulate(models.load(name), rtol=1e-8, samples=41, formulation=formulation)


def test_energy_less_work_is_constant(run):
    hold("energy at rtol 1e-8, shipped models", np.abs(run.energy.error).max() / run.energy.scale)
    assert run.energy.scale > 0.0


def test_joints_stay_closed(run):
    scale = run.system.scale
    hold("closure of positions at rtol 1e-8", run.closure.position.max() / (1e-8 * scale.length))
    hold("closure of velocities at rtol 1e-8", run.closure.velocity.max() / (1e-8 * scale.length / scale.time))


def test_samples_are_closed_to_rounding_after_projection(run):
    q, _ = run._projected
    gap = max(
        np.abs(weights(run.system) * run.system.rows(t, qk, xk)).max()
        for t, qk, xk in zip(run.t, q, run._x, strict=True)
    )
    hold("gap of projected samples", gap / run.system.scale.length)


def test_energies_add_up(run):
    energy = run.energy
    assert energy.work[0] == 0.0
    assert abs(energy.error[0]) <= 1e-12 * energy.scale  # the start, and the start projected once more
    assert energy.kinetic.min() >= 0.0
    assert np.array_equal(energy.total, energy.kinetic + energy.potential)
    assert np.abs(energy.total - energy.total[0] - energy.work - energy.error).max() <= 2e-12 * energy.scale


def test_newton_holds_for_the_whole_mechanism(run):
    """Mass times acceleration of all bodies equals weight, loads, and what joints and cylinders exert on the ground."""
    lay, m = run.system.layout, run._full_motion
    model = models.load(next(n for n in PLANAR if models.load(n).name == run.provenance["model"]))
    rate = sum(model.bodies[b].mass * m.com_a[:, i] for i, b in enumerate(lay.bodies))
    weight = sum(body.mass for body in model.bodies.values()) * np.array(model.gravity)
    grounded = [run.reaction(j, on=b, undetermined="least-norm") for j, b in lay.reactions if b == "ground"]
    ground = -sum(grounded)
    applied = np.zeros_like(rate)
    for force in model.forces.values():
        if isinstance(force, forces.Load):
            applied = applied + np.stack([f.over(run.t) for f in force.force], axis=1)
        elif isinstance(force, forces.Spring):
            line = run[force.points[1]] - run[force.points[0]]
            length = np.hypot(*line.T)[:, None]
            drawn = np.hypot(*np.subtract(*(model.points[p] for p in force.points)))
            along = (
                np.sum((run.velocity(force.points[1]) - run.velocity(force.points[0])) * line, axis=1)[:, None] / length
            )
            stretch = length - (drawn if force.length is None else force.length)
            applied = applied - (force.stiffness * stretch + force.damping * along) * line / length
    for name, driver in model.drivers.items():
        if isinstance(driver, drivers.Distance) and driver.between(model)[0] == "ground":
            (_, foot), (body, place) = driver.ends(model)
            arm = np.array(place) - model.centre(body)
            c, s = np.cos(run.angle(body)), np.sin(run.angle(body))
            line = run.com(body) + np.stack([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]], axis=1) - foot
            applied = applied + run.effort(name)[:, None] * line / np.hypot(*line.T)[:, None]
        of = model.coordinate(driver.joint, driver.coordinate) if driver.joint is not None else None
        if of is not None and of.first == "ground" and not of.turn:
            applied = applied + run.effort(name)[:, None] * np.array(of.axis) / np.hypot(*of.axis)
    # bearings of a belt on fixed centres pull against each other: what they add up to is rounded as they are
    size = max(np.abs(ground).max(), np.abs(rate).max(), *(np.abs(of).max() for of in grounded), 1e-3)
    hold("Newton for the whole mechanism", np.abs(rate - weight - ground - applied).max() / size)


def tumbling() -> Mechanism:
    """Return three bodies, pinned and sprung together, that nothing else touches."""
    return Mechanism(
        points={"A": (0.0, 0.0), "B": (1.0, 0.2), "C": (1.6, -0.5), "D": (0.4, -0.9)},
        bodies={
            "a": Body(points=("A", "B"), mass=1.0),
            "b": Body(points=("B", "C"), mass=0.5),
            "c": Body(points=("D",), mass=0.8, com=(0.5, -0.8), inertia=0.05),
        },
        joints={
            "B": joints.Revolute(point="B", bodies=("a", "b")),
            "rod": joints.Distance(bodies=("a", "c"), points=("A", "D")),
        },
        forces={
            "spring": forces.Spring(bodies=("b", "c"), points=("C", "D"), stiffness=20.0, damping=0.4, length=1.0),
            "coil": forces.Torsion(bodies=("a", "b"), stiffness=2.0, damping=0.1, angle=1.0),
        },
        initial=Initial(omega={"a": 3.0, "b": -5.0, "c": 2.0}),
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_momentum_of_a_floating_mechanism_is_constant(formulation):
    mechanism = tumbling()
    result = pm.simulate(mechanism, duration=5.0, samples=51, rtol=1e-9, formulation=formulation)
    linear, angular = 0.0, 0.0
    for i, (name, body) in enumerate(mechanism.bodies.items()):
        x, v = result._motion.com[:, i], result._motion.com_v[:, i]
        linear = linear + body.mass * v
        angular = angular + body.mass * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])
        angular = angular + mechanism.inertia(name) * result.omega(name)
    hold("momentum of a floating mechanism", np.abs(linear - linear[0]).max())
    hold("angular momentum of a floating mechanism", np.abs(angular - angular[0]).max() / abs(angular[0]))
    assert result.energy.work[-1] < -1.0  # the dampers have taken energy, and all of it is accounted for
    hold("energy of a floating mechanism", np.abs(result.energy.error).max() / result.energy.scale)
    assert np.all(np.diff(result.energy.work) <= 1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_falling_mechanism_moves_inside_as_without_gravity(formulation):
    options = {"duration": 2.0, "samples": 21, "rtol": 1e-9, "formulation": formulation}
    still, falling = (pm.simulate(tumbling().replaced(gravity=g), **options) for g in ((0.0, 0.0), DOWN))
    drop = 0.5 * np.outer(still.t**2, DOWN)
    error = max(np.abs(falling[p] - drop - still[p]).max() for p in ("A", "B", "C", "D"))
    hold("equivalence of falling and floating", error)
    pins = np.abs(falling.reaction("B", on="b") - still.reaction("B", on="b")).max()
    hold("equivalence of falling and floating, pin", pins / np.abs(still.reaction("B", on="b")).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("far", [0.0, 1e3])
def test_motion_does_not_depend_on_where_the_drawing_lies(formulation, far):
    model = models.load("four_bar")
    shift = np.array([far, -2.0 * far])
    moved = model.replaced(points={n: tuple(np.array(p) + shift) for n, p in model.points.items()})
    options = {"duration": 0.5, "samples": 11, "rtol": 1e-9, "formulation": formulation}
    here, there = pm.simulate(model, **options), pm.simulate(moved, **options)
    hold("origin far away", np.abs(there["B"] - shift - here["B"]).max())


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_motion_scales_with_the_size_of_the_mechanism(factor):
    """Lengths times f and gravity times f: the same angles at the same times, so tolerances are in its own units."""
    model = models.load("four_bar")
    scaled = model.replaced(
        gravity=(0.0, -9.81 * factor), points={n: (factor * x, factor * y) for n, (x, y) in model.points.items()}
    )
    options = {"duration": 0.5, "samples": 11, "rtol": 1e-9}
    one, other = pm.simulate(model, **options), pm.simulate(scaled, **options)
    hold("scaled mechanism", np.abs(one.angle("rocker") - other.angle("rocker")).max())
    # points moved by 1e-15 of their size change the number of steps by up to 17 %: a unit that slips in changes it more
    assert abs(one.stats["steps"] - other.stats["steps"]) <= 0.3 * one.stats["steps"]


def test_spinning_body_keeps_its_rate_for_many_turns():
    spinning = floating(initial=Initial(omega={"body": 200.0}))
    for formulation in FORMULATIONS:
        result = pm.simulate(spinning, duration=2.0, samples=5, rtol=1e-8, formulation=formulation)
        hold("rate after 64 turns", np.abs(result.omega("body") / 200.0 - 1.0).max())
        hold("angle after 64 turns", np.abs(result.angle("body") / (200.0 * result.t + 1e-300) - 1.0)[1:].max())
