"""Results that come back from their files."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import forces, models
from particlemech.errors import ModelError
from particlemech.model.toml import loads
from particlemech.result import export

RUNS = {
    "four_bar": {},
    "bennett": {"duration": 0.2, "formulation": "natural"},
    "platform_manipulator": {"integrator": "ida"},
    "n_four_bar": {"duration": 2.0},
    "slider_crank": {"formulation": "absolute"},
    "space_manipulator": {"duration": 0.2},
    "rssr": {"duration": 0.2},
    "cantilever": {"duration": 0.05},
}


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json"])
@pytest.mark.parametrize("name", RUNS)
def test_a_result_comes_back_from_its_file(name, suffix, tmp_path):
    result = pm.simulate(models.load(name), samples=6, **RUNS[name])
    path = export.write(result.columns(), result.record, tmp_path / f"run{suffix}")
    again = pm.read_result(path)
    assert type(again) is type(result)
    assert (again.status, again.message) == (result.status, result.message)
    assert again.certificate is None or again.certificate == pytest.approx(result.certificate, nan_ok=True)
    assert np.array_equal(again.t, result.t)
    one, other = result.columns(), again.columns()
    assert list(one) == list(other)
    for column in one:
        size = np.nanmax(np.abs(one[column]), initial=1.0)
        assert np.allclose(one[column], other[column], rtol=0.0, atol=1e-11 * size, equal_nan=True), column
    assert again.provenance["model_sha256"] == result.provenance["model_sha256"]


def test_a_run_goes_on_from_a_file(tmp_path):
    model = models.load("four_bar")
    first = pm.simulate(model, duration=0.2, samples=3, rtol=1e-10)
    first.to_csv(tmp_path / "first.csv")
    one, other = (
        pm.simulate(model, duration=0.2, samples=3, rtol=1e-10, start=of)
        for of in (first, pm.read_result(tmp_path / "first.csv"))
    )
    assert np.abs(one["B"] - other["B"]).max() <= 1e-12


def test_files_that_are_no_results_are_refused(tmp_path):
    with pytest.raises(ModelError, match=r"suffix must be one of \.csv"):
        pm.read_result(tmp_path / "run.txt")
    with pytest.raises(ModelError, match="No such file"):
        pm.read_result(tmp_path / "run.csv")
    (tmp_path / "other.csv").write_text("# a: b\nt\n0.0\n")
    with pytest.raises(ModelError, match="not a result"):
        pm.read_result(tmp_path / "other.csv")
    (tmp_path / "old.csv").write_text('# model: "x"\nt\n0.0\n')
    with pytest.raises(ModelError, match="no states"):
        pm.read_result(tmp_path / "old.csv")


def test_a_model_with_python_functions_must_be_given(tmp_path):
    wind = forces.Custom(body="rod", function=lambda t, state: ((1.0, 0.0), state["P"], 0.0))
    model = models.load("pendulum").replaced(forces={"wind": wind})
    result = pm.simulate(model, duration=0.1, samples=3)
    result.to_csv(tmp_path / "run.csv")
    with pytest.raises(ModelError, match="mechanism="):
        pm.read_result(tmp_path / "run.csv")
    assert np.array_equal(pm.read_result(tmp_path / "run.csv", mechanism=model)["P"], result["P"])


def test_a_file_with_an_old_word_for_its_formulation_gets_the_new_one(tmp_path):
    result = pm.simulate(models.load("pendulum"), duration=0.1, samples=3)
    path = export.write(result.columns(), result.record, tmp_path / "run.json")
    path.write_text(path.read_text().replace('"formulation": "particles"', '"formulation": "planar"'))
    with pytest.raises(ModelError, match='formulation "planar" is called "particles"'):
        pm.read_result(path)


# runs whose mechanism changes: what each has on the way
CHANGING = {
    "stick": """
gravity = [0, -9.81]
points = { B = [0, 0], C = [1, 0] }
bodies.block = { points = ["B", "C"], mass = 2, com = [0, 0], inertia = 0.1 }
joints.S.type = "prismatic"
joints.S.point = "B"
joints.S.axis = [1, 0]
joints.S.bodies = ["ground", "block"]
joints.S.friction = { mu = 0.3, mu_static = 0.4, sticking = true }
forces.push = { type = "motor", joint = "S", effort = { type = "sine", amplitude = 12, frequency = 0.8 } }
events.more = { when = "t > 1.5 s", do = "switch signal", of = "push", to = 3 }
run = { duration = 2.5, samples = 51 }
""",
    "roll": """
gravity = [0, -9.81]
points = { C = [0, 0.3], P = [-1, 0] }
bodies.disc = { points = ["C"], mass = 2, com = [0, 0.3], inertia = 0.04 }
joints.floor.type = "contact"
joints.floor.bodies = ["ground", "disc"]
joints.floor.points = ["P", "C"]
joints.floor.axis = [1, 0]
joints.floor.radius = 0.2
joints.floor.restitution = 0.5
joints.floor.friction = { mu = 0.2 }
initial = { velocity = { C = [1, 0] }, omega = { disc = 3 } }
run = { duration = 1.0, samples = 41 }
""",
    "soft": """
points = { O = [0, 0], B = [1, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
joints.end = { type = "stop", joint = "O", lower = -0.2, upper = 0.4, stiffness = 500, damping = 2 }
initial = { rate = { O = 3 } }
run = { duration = 1.0, samples = 41 }
""",
    "let go": """
gravity = [0, -9.81]
points = { O = [0, 0], B = [1, 0], C = [1.5, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
bodies.stone = { points = ["B", "C"], mass = 1 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
joints.B = { type = "revolute", point = "B", bodies = ["rod", "stone"] }
initial = { rate = { O = 4, B = 0 } }
events.release = { when = "B.y > 0.5", do = "detach", joint = "B" }
events.hold = { when = "O.angle > 1.2 rad", do = "lock joint", joint = "O" }
events.cut = { when = "t > 0.1 s", do = "switch signal", of = "motor", to = 0 }
forces.spring = { type = "torsion", joint = "B", stiffness = 2, damping = 0.1 }
forces.motor.type = "dc_motor"
forces.motor.joint = "B"
forces.motor.voltage = 12
forces.motor.resistance = 1
forces.motor.constant = 0.1
forces.motor.inductance = 0.01
run = { duration = 1.0, samples = 41 }
""",
    "stop in space": """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { P = [0, 0, 1], Q = [0.5, 0, 1] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 0, 1], inertia = [0.1, 0.1, 0.1] }
bodies.arm = { points = ["P", "Q"], mass = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 0, 1] }
joints.P = { type = "revolute", bodies = ["ball", "arm"], point = "P", axis = [0, 1, 0] }
joints.floor = { type = "stop", joint = "guide", lower = -0.5, restitution = 0.5 }
joints.soft = { type = "stop", joint = "P", upper = 0.6, stiffness = 200, damping = 1 }
forces.push = { type = "load", body = "arm", point = "Q", force = [0, 0, -1] }
events.push = { when = "t > 0.5 s", do = "switch signal", of = "push", to = [0, 0, "2*t"] }
run = { duration = 1.5, samples = 41 }
""",
    "let go in space": """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], B = [1, 0, 0], C = [1.5, 0, 0] }
bodies.rod = { points = ["O", "B"], mass = 3, com = [0.5, 0, 0], inertia = [0.1, 0.2, 0.3] }
bodies.stone = { points = ["B", "C"], mass = 1, com = [1.2, 0.1, 0], inertia = [0.02, 0.05, 0.04] }
joints.O = { type = "spherical", point = "O", bodies = ["ground", "rod"] }
joints.B = { type = "revolute", point = "B", bodies = ["rod", "stone"], axis = [0, 1, 0] }
initial = { rate = { O = [0, -4, 1], B = 0 } }
events.release = { when = "B.z > 0.3", do = "detach", joint = "B" }
events.hold = { when = "t > 0.4 s", do = "lock joint", joint = "O" }
forces.motor = { type = "dc_motor", joint = "B", voltage = 12, resistance = 1, constant = 0.1, inductance = 0.01 }
run = { duration = 0.6, samples = 41 }
""",
    "space": """
kind = "spatial"
points = { C = [0, 0, 0], B = [0, 0, -1] }
bodies.cart = { points = ["C"], mass = 5, inertia = [0.1, 0.1, 0.1], com = [0, 0, 0] }
bodies.bar = { points = ["C", "B"], mass = 3 }
joints.S = { type = "prismatic", point = "C", axis = [1, 0, 0], bodies = ["ground", "cart"] }
joints.C = { type = "revolute", point = "C", axis = [0, 1, 0], bodies = ["cart", "bar"] }
drivers.pull = { joint = "S", motion = { type = "linear", rate = 2.0 } }
forces.push = { type = "motor", joint = "C", effort = 1.5 }
initial = { rate = { C = 0 } }
events.halt = { when = "C.x > 1", do = "switch signal", of = "pull", to = "-t^2" }
events.turn = { when = "t > 0.7 s", do = "switch signal", of = "push", to = "3 * sin(9*t)" }
run = { duration = 1.0, samples = 41 }
""",
}


@pytest.mark.parametrize("name", ["geneva", "door_closer", *CHANGING])
@pytest.mark.parametrize("way", [{}, {"integrator": "ida"}, {"formulation": "second"}], ids=str)
def test_a_run_that_changed_its_mechanism_comes_back_to_the_last_bit(name, way, tmp_path):
    model = loads(CHANGING[name]) if name in CHANGING else pm.models.load(name)
    if "formulation" in way:
        way = {"formulation": "natural" if "space" in name else "absolute"}
    run = pm.simulate(model, **{"samples": 41, **way})
    assert len(run.switches) > 0
    run.to_csv(tmp_path / "run.csv")
    again = pm.read_result(tmp_path / "run.csv")
    assert again.switches == run.switches and again.warnings == run.warnings
    columns, others = run.columns(), again.columns()
    assert list(columns) == list(others)
    for column, values in columns.items():
        np.testing.assert_array_equal(others[column], values, err_msg=column)
    for body in model.bodies:
        assert np.isfinite(again.alpha(body)).all()


def test_a_run_goes_on_from_the_file_of_one_that_changed(tmp_path):
    """Its last state is that of a locked door, and a result joined to it keeps what happened in both."""
    model = pm.models.load("door_closer")
    run = pm.simulate(model, samples=21)
    path = export.write(run.columns(), run.record, tmp_path / "run.npz")
    again = pm.read_result(path)
    one, other = (pm.simulate(model, start=first, duration=0.5, samples=6) for first in (run, again))
    np.testing.assert_array_equal(one.angle("door"), other.angle("door"))
    (closes,) = one.switches  # it begins with the door on its stop, which held before
    assert closes.what == "closes" and (closes.part, closes.side) in run.phases[-1].closed
    assert run.joined(one).switches == run.joined(other).switches == run.switches
