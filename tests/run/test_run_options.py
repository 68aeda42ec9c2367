"""Options of a run that do not apply are refused in one line, by all engines; those that do apply are heard."""

import inspect

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, simulate_many
from particlemech.cli import main
from particlemech.errors import ModelError, SimulationError
from particlemech.model import toml
from particlemech.model.description import ENGINES
from particlemech.run.simulate import Keywords

MODELS = {"particles": "four_bar", "recursive": "gyroscope", "loop": "rssr", "bending": "cantilever"}
FAMILY = {kind: ENGINES[models.load(name).engine] for kind, name in MODELS.items()}
SPACE = ("recursive", "loop", "bending")
SHORT = {"duration": 0.02, "samples": 3}


def model(kind):
    return pm.models.load(MODELS[kind])


def refusal(work, *args, **options):
    with pytest.raises(ModelError) as caught:
        work(*args, **options)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 220
    return said


# -- what every family hears -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("option", ["duration", "samples", "rtol", "max_steps", "events", "progress", "throw", "start"])
def test_options_of_all_families_have_an_effect(kind, option):
    mechanism, told = model(kind), []
    if option == "duration":
        assert pm.simulate(mechanism, duration=0.01, samples=3).t[-1] == 0.01
    elif option == "samples":
        assert len(pm.simulate(mechanism, duration=0.01, samples=7).t) == 7
    elif option == "rtol":
        steps = [pm.simulate(mechanism, duration=0.05, samples=2, rtol=r).stats["steps"] for r in (1e-4, 1e-11)]
        assert steps[0] < steps[1]
    elif option == "max_steps":
        with pytest.raises(SimulationError, match="step"):
            pm.simulate(mechanism, max_steps=1)
    elif option == "throw":
        assert pm.simulate(mechanism, max_steps=1, throw=False).status is pm.Status.STEP_LIMIT
    elif option == "events":
        found = pm.simulate(mechanism, **SHORT, events={"half": lambda t, state: t - 0.01})
        assert np.allclose(found.events["half"].t, 0.01)
    elif option == "progress":
        pm.simulate(mechanism, **SHORT, progress=told.append)
        assert told
    else:
        first = pm.simulate(mechanism, **SHORT)
        assert pm.simulate(mechanism, **SHORT, start=first).t[0] == first.t[-1]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("integrator", ["auto", "ida", "explicit"])
def test_every_integrator_runs_or_says_what_to_take_instead(kind, integrator):
    result = pm.simulate(model(kind), integrator=integrator, **SHORT)
    assert integrator == "auto" or {phase.integrator for phase in result.phases} == {integrator}


@pytest.mark.parametrize("kind", ["recursive", "loop"])
def test_natural_coordinates_have_no_explicit_steps(kind):
    said = refusal(pm.simulate, model(kind), formulation="natural", integrator="explicit", **SHORT)
    assert said.endswith('use "auto" or "ida"')


def test_no_option_of_a_run_is_missing_here():
    known = {"duration", "samples", "rtol", "max_steps", "events", "progress", "throw", "start", "integrator"}
    assert set(Keywords.__annotations__) == known | {"formulation", "cut", "linear_solver"}
    assert set(inspect.signature(pm.simulate).parameters) == {"mechanism", *Keywords.__annotations__}


# -- what only some families hear --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SPACE)
@pytest.mark.parametrize("formulation", ["particles", "absolute", "nonsense"])
def test_formulations_are_for_the_plane(kind, formulation):
    said = refusal(pm.simulate, model(kind), formulation=formulation)
    assert f'formulation "{formulation}"' in said
    assert formulation == "nonsense" or FAMILY[kind] in said


def test_an_unknown_formulation_in_the_plane_is_named_whatever_the_integrator():
    for integrator in ("auto", "ida", "explicit"):
        said = refusal(pm.simulate, model("particles"), formulation="absolut", integrator=integrator)
        assert said == 'formulation "absolut" unknown (did you mean "absolute"?)'


def test_the_old_word_for_particles_gets_an_error_that_names_the_new_one(capsys):
    mechanism, said = model("particles"), 'formulation "planar" is called "particles"'
    assert refusal(pm.simulate, mechanism, formulation="planar") == said
    assert refusal(simulate_many, [{}], of=mechanism, workers=1, formulation="planar") == said
    assert main.main(["run", "four_bar", "--formulation", "planar"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["recursive", "bending"])
def test_nothing_is_cut_where_there_are_no_loops(kind):
    mechanism = model(kind)
    said = refusal(pm.simulate, mechanism, cut=(next(iter(mechanism.joints)),))
    assert f"{FAMILY[kind]} without loops has none to cut; leave cut out" in said
    assert pm.simulate(mechanism, cut=(), **SHORT).status is pm.Status.COMPLETED


def test_joints_are_cut_in_space():
    assert "B" in pm.simulate(model("loop"), cut=("B",), **SHORT).system.cuts


def test_joints_are_cut_in_the_plane_by_ida_and_nowhere_else():
    mechanism = model("particles")
    joint = next(iter(mechanism.joints))
    assert joint in pm.simulate(mechanism, cut=(joint,), integrator="ida", **SHORT).system.cuts
    assert 'or use integrator "auto" or "ida"' in refusal(pm.simulate, mechanism, cut=(joint,), integrator="explicit")
    assert 'use formulation "particles"' in refusal(pm.simulate, mechanism, cut=(joint,), formulation="absolute")


@pytest.mark.parametrize("kind", SPACE)
@pytest.mark.parametrize("solver", ["dense", "sparse"])
def test_linear_solvers_are_for_the_plane(kind, solver):
    said = refusal(pm.simulate, model(kind), linear_solver=solver)
    assert f'linear_solver "{solver}"' in said and "leave linear_solver out" in said


@pytest.mark.parametrize("kind", MODELS)
def test_an_unknown_linear_solver_is_named(kind):
    assert "linear_solver must be auto, dense or sparse" in refusal(pm.simulate, model(kind), linear_solver="banded")


def test_linear_solvers_are_for_ida():
    said = refusal(pm.simulate, model("particles"), linear_solver="dense", integrator="explicit")
    assert 'use integrator "auto" or "ida"' in said
    assert pm.simulate(model("particles"), linear_solver="dense", integrator="ida", **SHORT)


def test_absolute_coordinates_have_no_explicit_steps():
    said = refusal(pm.simulate, model("particles"), formulation="absolute", integrator="explicit")
    assert 'use "auto" or "ida"' in said


# -- sweeps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("given", ["a list", "labels", "of"])
def test_sweeps_take_mechanisms_of_all_engines(kind, given):
    mechanism = model(kind)
    options = {"of": mechanism} if given == "of" else {}
    cases = {"a list": [mechanism], "labels": {"one": mechanism}, "of": [{}]}[given]
    found = simulate_many(cases, workers=1, **SHORT, **options)
    one = pm.simulate(mechanism, **SHORT)
    point = next(iter(mechanism.points))
    assert found.status.values.tolist() == ["completed"]
    assert (found.position.sel(point=point).values[0] == one[point]).all()


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ({"formulation": "absolut"}, 'did you mean "absolute"'),
        ({"formulation": "absolute", "integrator": "explicit"}, 'use "auto" or "ida"'),
        ({"formulation": "absolute", "cut": ("A",)}, 'use formulation "particles"'),
        ({"integrator": "explicit", "cut": ("A",)}, '"auto" or "ida"'),
    ],
)
def test_options_of_a_sweep_that_exclude_each_other_are_refused_once_for_all(options, cure):
    assert cure in refusal(simulate_many, [{}, {}], of=model("particles"), workers=1, **options)


# -- command line and files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SPACE)
@pytest.mark.parametrize("command", ["run", "view", "plot", "animate"])
def test_the_command_line_refuses_formulations_in_space(kind, command, capsys, tmp_path):
    suffix = {"run": "csv", "view": "html", "plot": "png", "animate": "gif"}[command]
    target = tmp_path / f"out.{suffix}"
    assert main.main([command, MODELS[kind], "-o", str(target), "--formulation", "absolute"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and 'formulation "absolute" does not apply to ' + FAMILY[kind] in said
    assert not target.exists()


def test_the_command_line_refuses_explicit_steps_in_absolute_coordinates(capsys):
    assert main.main(["run", "four_bar", "--formulation", "absolute", "--integrator", "explicit"]) == 2
    assert 'use "auto" or "ida"' in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--duration=1", "--samples=3", "--rtol=1e-6", "--integrator=ida", "--validate"])
def test_a_still_has_no_options_of_a_run(option, capsys, tmp_path):
    assert main.main(["view", "four_bar", "--still", "-o", str(tmp_path / "still.html"), option]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and option.partition("=")[0] in said and "leave out" in said


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("key", ["formulation", "linear_solver"])
def test_model_files_have_no_such_options(kind, key):
    tables = toml.to_dict(model(kind))
    tables["run"] = tables.get("run", {}) | {key: "absolute"}
    assert f'section "run": key "{key}" unknown' in refusal(toml.from_dict, tables)


@pytest.mark.parametrize("kind", ["recursive", "bending"])
def test_model_files_without_loops_cut_nothing(kind):
    tables = toml.to_dict(model(kind))
    tables["run"] = tables.get("run", {}) | {"cut": [next(iter(tables["joints"]))]}
    said = refusal(toml.from_dict, tables)
    assert 'section "run": key "cut"' in said and "take it out" in said


def test_model_files_cut_nothing_for_explicit_steps():
    tables = toml.to_dict(model("particles"))
    tables["run"] = tables["run"] | {"cut": [next(iter(tables["joints"]))], "integrator": "explicit"}
    said = refusal(toml.from_dict, tables)
    assert 'section "run"' in said and 'take the key "cut" out, or use integrator "auto"' in said
