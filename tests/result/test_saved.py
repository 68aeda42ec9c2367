"""Results that come back from their files."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import forces, models
from particlemech.errors import ModelError
from particlemech.result import export

RUNS = {
    "four_bar": {},
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


@pytest.mark.parametrize("name", ["geneva", "door_closer"])
@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_of_a_run_that_switched_files_keep_the_motion_and_name_what_they_lose(name, integrator, tmp_path):
    run = pm.simulate(pm.models.load(name), samples=21, integrator=integrator)
    run.to_csv(tmp_path / "run.csv")
    again = pm.read_result(tmp_path / "run.csv")
    for body in run.system.mechanism.bodies:
        np.testing.assert_allclose(again.angle(body), run.angle(body), atol=1e-12)
        np.testing.assert_allclose(again.omega(body), run.omega(body), atol=1e-9)
        assert np.isfinite(run.alpha(body)).all() and np.isnan(again.alpha(body)).all()
    np.testing.assert_allclose(again.energy.work, run.energy.work, atol=1e-12)
    joint, body = ("first", "wheel") if name == "geneva" else ("hinge", "door")
    assert np.isnan(again.reaction(joint, on=body)).all()
    effort = again.effort("motor") if name == "geneva" else again.force("frame", "effort")
    assert np.isnan(effort).all()
    assert "reactions and efforts are nan" in again.warnings[0] and run.warnings == []
