"""Going on from the end or from a sample of a run: the two parts joined are the run in one piece."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import forces, models
from particlemech.errors import ModelError
from particlemech.model.toml import loads

OPTIONS = {"rtol": 1e-10, "samples": 11}


def coiled():
    """A pendulum in a torsion spring that has turned by more than once, with a damper: turns and work are memory."""
    model = models.load("pendulum")
    coil = forces.Torsion(bodies=("ground", "rod"), stiffness=3.0, damping=0.2, angle=25.0)
    return model.replaced(forces={"coil": coil}, gravity=(0.0, 0.0))


CASES = {
    "four_bar": (models.load("four_bar"), {}),
    "platform_manipulator": (models.load("platform_manipulator"), {}),
    "turns of a spring": (coiled(), {}),
    "with ida": (models.load("four_bar"), {"integrator": "ida"}),
    "absolute": (models.load("four_bar"), {"formulation": "absolute"}),
    "a tree": (models.load("double_pendulum"), {}),
    "with impulses": (models.load("space_manipulator"), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_two_parts_joined_are_the_run_in_one_piece(name):
    mechanism, how = CASES[name]
    whole = pm.simulate(mechanism, duration=1.0, rtol=1e-10, samples=21, **how)
    first = pm.simulate(mechanism, duration=0.5, **OPTIONS, **how)
    second = pm.simulate(mechanism, duration=0.5, start=first, **OPTIONS, **how)
    assert second.t[0] == first.t[-1] == 0.5
    both = first.joined(second)
    assert both.t == pytest.approx(whole.t, abs=1e-15)
    assert len(both.phases) >= 2
    one, other = whole.columns(), both.columns()
    for column in one:
        if column.startswith("closure") or np.isnan(one[column]).any():
            continue
        size = np.max(np.abs(one[column])) + 1e-3
        assert np.max(np.abs(one[column] - other[column])) <= 2e-6 * size, column
    assert np.max(np.abs(both.energy.error)) <= 1e-6 * both.energy.scale


def test_a_run_goes_on_from_any_of_its_samples():
    model = models.load("four_bar")
    whole = pm.simulate(model, duration=0.4, samples=41, rtol=1e-10)
    later = pm.simulate(model, duration=0.2, samples=21, rtol=1e-10, start=whole.at(0.2))
    assert later.t == pytest.approx(whole.t[20:])
    assert np.abs(later["B"] - whole["B"][20:]).max() <= 1e-9
    assert later.energy.work == pytest.approx(0.0, abs=1e-12)


def test_loads_may_change_in_between():
    """A free block pushed for 1 s and left alone afterwards."""
    push = forces.Load(body="rod", force=(0.0, 2.0))
    free = pm.Mechanism(
        points={"A": (0.0, 0.0), "B": (1.0, 0.0)}, bodies={"rod": pm.Body(points=("A", "B"), mass=4.0)}, gravity=(0, 0)
    )
    first = pm.simulate(free.replaced(forces={"push": push}), duration=1.0, **OPTIONS)
    second = pm.simulate(free, duration=2.0, start=first, **OPTIONS)
    assert first.com("rod")[-1] == pytest.approx([0.5, 0.25])
    assert second.com("rod")[-1] == pytest.approx([0.5, 0.25 + 2.0 * 0.5])


@pytest.mark.parametrize("name", ["four_bar", "hanging_chain", "rms_flexible"])
def test_a_run_from_a_rest_position_starts_at_rest_whatever_speeds_the_model_starts_with(name):
    """Joints that were held, while deflections came to rest, are let go."""
    model = models.load(name)
    rest = pm.equilibrium(model)
    run = pm.simulate(model, start=rest, duration=0.01, samples=3)
    assert run.energy.kinetic[0] == 0.0
    if name != "rms_flexible":
        moves = pm.simulate(model, duration=0.01, samples=3)
        assert run.energy.kinetic.max() <= 1e-18 * moves.energy.kinetic.max()
        return
    bends = [body for body, of in model.bodies.items() if of.bends]
    assert len(rest.freedoms[0]) < run.system.n_v
    for body in bends:
        assert np.abs(rest.modal(body)[0] - run.modal(body)[0]).max() <= 1e-15 * np.abs(rest.modal(body)).max()


def test_a_result_of_another_mechanism_is_refused():
    first = pm.simulate(models.load("four_bar"), duration=0.1, samples=3)
    with pytest.raises(ModelError, match="start: the result is of other bodies"):
        pm.simulate(models.load("pendulum"), start=first)
    with pytest.raises(ModelError, match=r"start: .*formulation"):
        pm.simulate(models.load("four_bar"), start=first, formulation="absolute")
    with pytest.raises(ModelError, match=r"body .* would be off by .* m at t = 0.1 s"):
        pm.simulate(models.load("four_bar").replaced(points={"B": (0.9, 1.1)}), start=first)
    with pytest.raises(ModelError, match="start is a Result to go on from"):
        pm.simulate(models.load("four_bar"), start=0.3)
    with pytest.raises(ModelError, match=r"no sample at t = 0.03 s, the nearest is at 0\.05 s"):
        first.at(0.03)
    with pytest.raises(ModelError, match=r"the first run ends at t = 0\.1 s, the second begins at 0 s"):
        first.joined(first)


@pytest.mark.parametrize("kind, formulation", [
    ("planar", "particles"), ("planar", "absolute"), ("spatial", "recursive"), ("spatial", "natural"),
])  # fmt: skip
def test_a_drawing_with_one_more_point_goes_on_from_where_the_bodies_are(kind, formulation):
    """Formulations count from the centroid of the drawing, which such a point moves."""
    third = [] if kind == "planar" else [0.0]
    text = f"""
kind = "{kind}"
gravity = {[0.0, -9.81, *third]}
[points]
C = {[0.0, 1.1, *third]}
[bodies]
stone = {{ points = ["C"], mass = 0.5, com = {[0.2, 1.1, *third]}, inertia = {0.02 if not third else [0.02] * 3} }}
[initial]
velocity = {{ C = {[1.0, 2.0, *third]} }}
omega = {{ stone = {3.0 if not third else [0.0, 0.0, 3.0]} }}
"""
    one, other = loads(text), loads(text.replace("[bodies]", f"X = {[1.0, 0.0, *third]}\n[bodies]"))
    how = {"duration": 0.4, "samples": 5, "formulation": formulation}
    first = pm.simulate(one, **how)
    second = pm.simulate(other, start=first, **how)
    same = pm.simulate(one, start=first, **how)
    np.testing.assert_allclose(second["C"], same["C"], atol=1e-7)
    np.testing.assert_allclose(second["C"][0], first["C"][-1], atol=1e-12)


@pytest.mark.parametrize("kind, formulation", [
    ("planar", "particles"), ("planar", "absolute"), ("spatial", "recursive"), ("spatial", "natural"),
])  # fmt: skip
def test_a_controller_that_comes_in_between_begins_as_it_would_at_the_start(kind, formulation):
    """Nothing depends on time here: the second part is a run of its own from where the first has ended."""
    solid = kind == "spatial"
    third, axis, third_torque = ([0.0], ", axis = [0, 0, 1]", "[0, 0, 0.3]") if solid else ([], "", "0.3")
    text = f"""
kind = "{kind}"
points = {{ O = {[0.0, 0.0, *third]}, C = {[0.5, 0.0, *third]} }}
bodies.arm = {{ points = ["O", "C"], mass = 1.0 }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "arm"]{axis} }}
forces.push = {{ type = "torque", bodies = ["ground", "arm"], torque = {third_torque} }}
"""
    own = 'forces.hold = { type = "pid", joint = "O", setpoint = 1.0, kp = 4.0, ki = 2.0, kd = 0.5, filter = 0.01 }'
    how = {"duration": 0.5, "samples": 6, "formulation": formulation}
    first = pm.simulate(loads(text), **how)
    controlled = loads(text + own)
    second = pm.simulate(controlled, start=first, **how)
    there = {"position": {"O": first.coordinate("O")[-1]}, "rate": {"O": first.rate("O")[-1]}}
    alone = pm.simulate(controlled.replaced(initial=there), **how)
    np.testing.assert_allclose(second.coordinate("O"), alone.coordinate("O"), atol=1e-7)
    np.testing.assert_allclose(second.force("hold", "integral"), alone.force("hold", "integral"), atol=1e-7)
    without = pm.simulate(loads(text), start=second, **how)  # and goes out again
    assert without.rate("O")[0] == pytest.approx(second.rate("O")[-1], rel=1e-9)
