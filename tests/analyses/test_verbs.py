"""What can be asked of a mechanism: each verb gives the answer of the family, or says in one line what does apply."""

import importlib
import inspect
import os

import numpy as np
import pytest

import particlemech as pm
from particlemech import forces, space
from particlemech.analyses import report
from particlemech.analyses.offered import OFFERED
from particlemech.analyses.vibration import equilibria, vibrations
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.description import ENGINES

MODELS = {"particles": "four_bar", "recursive": "gyroscope", "loop": "rssr", "bending": "cantilever"}
VERBS = {
    "check": {},
    "validate": {"duration": 0.02, "samples": 3},
    "explain": {},
    "inverse": {},
    "impulse": {},
    "linearised": {},
    "modes": {},
    "response": {"frequency": [1.0], "point": "tip", "force": ("tip", (0.0, 1.0, 0.0))},
    "equilibrium": {},
    "jacobian": {"point": "B"},
    "reach": {"targets": {"B": (1.0, 0.0)}},
    "workspace": {"point": "B"},
    "cycle": {},
    "toggles": {},
    "assemblies": {},
    "sensitivities": {"quantities": "B.x.max", "parameters": "bodies.crank.mass"},
    "root_locus": {"parameter": "bodies.crank.mass", "values": [1.0, 2.0]},
    "optimise": {"parameters": {"bodies.crank.mass": (1.0, 2.0)}, "minimise": "B.x.max"},
    "pareto": {"parameters": {"bodies.crank.mass": (1.0, 2.0)}, "minimise": ("B.x.max", "B.y.max")},
}
PENDULUM = toml.dumps(pm.models.load("pendulum"))


def model(kind):
    return pm.models.load(MODELS[kind])


# -- the table ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", OFFERED)
def test_every_entry_of_the_table_is_a_function_and_every_verb_one_of_the_package(verb):
    assert verb in pm.__all__ and inspect.isfunction(getattr(pm, verb))
    assert set(OFFERED[verb]) == set(ENGINES)
    for home in OFFERED[verb].values():
        module, _, name = home.partition(":")
        assert callable(getattr(importlib.import_module(f"particlemech.{module}"), name))


def test_every_verb_is_tried_here():
    assert set(OFFERED) == {*VERBS, "simulate", "save"}


@pytest.mark.parametrize("verb", [*VERBS, "save"])
@pytest.mark.parametrize("nonsense", [None, "four_bar", 3, pm.Mechanism])
def test_what_is_no_mechanism_is_named(verb, nonsense):
    options = {"path": "model.toml"} if verb == "save" else VERBS[verb]
    with pytest.raises(ModelError, match=f"^{verb} takes a Mechanism, got .*; read one with load"):
        getattr(pm, verb)(nonsense, **options)


def test_options_of_a_verb_that_a_family_does_not_use_are_refused():
    said = 'explain: option "method" does not apply to a mechanism in the plane; leave it out'
    with pytest.raises(ModelError, match=said):
        pm.explain(pm.models.load("four_bar"), method="kane")


CHAIN = pm.models.hanging_chain(2)
HIT = {"hit": space.Impulse(body="link2", point="end", impulse=(1.0, 0.0, 0.0))}
WRONG = {
    "a time in words": (lambda: pm.explain(CHAIN, t="soon"), "explain: t: "),
    "a time that is none": (lambda: pm.modes(model("bending"), t=np.nan), "modes: t: "),
    "a time of an assembly": (lambda: pm.assemblies(model("loop"), t="x"), "assemblies: t: "),
    "a time of an equilibrium": (lambda: pm.equilibrium(model("bending"), t="x"), "equilibrium: t: "),
    "a time of a motion": (lambda: pm.inverse(CHAIN, t="x"), "t: expected numbers"),
    "a tolerance below zero": (lambda: pm.validate(model("particles"), tolerance=-1.0), "validate: tolerance: "),
    "a tolerance in words": (lambda: pm.validate(model("particles"), tolerance="x"), "validate: tolerance: "),
    "a motion that is a number": (lambda: pm.inverse(CHAIN, 3), "mapping of names to values, or a result, got 3"),
    "a motion that is zero": (lambda: pm.inverse(CHAIN, 0), "mapping of names to values, or a result, got 0"),
    "impulses without names": (lambda: pm.impulse(CHAIN, 3), "impulses are given as"),
    "an impulse that is none": (lambda: pm.impulse(CHAIN, {"hit": 3}), 'impulse "hit": expected space.Impulse'),
    "an impulse on nothing": (
        lambda: pm.impulse(CHAIN, {"hit": space.Impulse(body="link3", impulse=(1.0, 0.0, 0.0))}),
        'body "link3" unknown (did you mean "link2"?)',
    ),
    "a time of a tree at rest": (lambda: pm.impulse(CHAIN, HIT, t=0.5), "t = 0.5 s is for the result of a run"),
    "a path that is none": (lambda: pm.save(CHAIN, 3), "save: path must be the name of a file, got 3"),
    "a result": (lambda: pm.check(pm.simulate(CHAIN, duration=0.1, samples=3)), "check takes a Mechanism, got <Result"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_is_named_in_one_line(what):
    work, said = WRONG[what]
    with pytest.raises(ModelError) as caught:
        work()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_an_option_that_is_false_is_not_taken_for_one_that_was_not_given(monkeypatch):
    heard = {}

    def modes(mechanism, about=None, *, loads=True, settle=True):
        heard.update(loads=loads, settle=settle)

    monkeypatch.setattr(vibrations, "modes", modes)
    pm.modes(model("bending"), loads=False)
    assert heard == {"loads": False, "settle": True}


# -- answers are those of the families ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MODELS)
def test_check_says_what_the_command_prints_with_the_numbers_behind_it(kind):
    found = pm.check(model(kind))
    assert found.dof == report.judged(model(kind)).dof
    assert str(found).splitlines()[0].split() == ["mechanism", *model(kind).name.split()]
    assert len(str(found).splitlines()) == len(found.rows)
    assert found.dof in (getattr(found.found, "by_rank", None), getattr(found.found, "dof", None))


@pytest.mark.parametrize("kind", MODELS)
def test_validate_takes_every_family(kind):
    assert pm.validate(model(kind), duration=0.02, samples=3).agreed
    assert not pm.validate(model(kind), duration=0.02, samples=3, tolerance=1e-30).alike


def test_explain_gives_pages_of_text():
    chain = pm.models.hanging_chain(2)
    assert "The three methods agree" in pm.explain(chain)
    assert "Partial angular velocities" in pm.explain(chain, method="kane", t=0.1)
    assert "Loops of vectors" in pm.explain(model("loop"))
    with pytest.raises(ModelError, match="which has no method"):
        pm.explain(model("loop"), method="kane")
    with pytest.raises(ModelError, match="explain: t must be a time from 0 on"):
        pm.explain(chain, t=-1.0)


def test_inverse_dynamics_is_that_of_trees():
    chain, pose = pm.models.hanging_chain(3), {"pin1": (0.3, -0.2), "pin3": (0.1, 0.5)}
    one, other = pm.inverse(chain, pose, t=0.5), pm.inverse(chain, pose, {}, {}, 0.5)
    assert one.needed("pin1", "angle2") == other.needed("pin1", "angle2")


def test_impulses_strike_trees_and_loops_or_the_end_of_their_runs():
    chain = pm.models.hanging_chain(2)
    assert pm.impulse(chain, HIT).jumps == pm.impulse(chain, HIT).jumps
    result = pm.simulate(chain, duration=0.1, samples=3)
    assert pm.impulse(result, HIT, t=0.05).before.t[0] == 0.05
    loop = pm.simulate(model("loop"), duration=0.1, samples=3)
    nudge = {"nudge": space.Impulse(body="rocker", point="B", impulse=(0.1, 0.0, 0.0))}
    assert pm.impulse(loop, nudge).efforts["motor"] != 0.0  # which holds the crank meanwhile


def test_small_motions_are_those_of_trees_loops_and_bending_bodies():
    beam = model("bending")
    assert np.array_equal(pm.modes(beam, loads=True).omega, vibrations.modes(beam, loads=True).omega)
    asked = {"point": "tip", "force": ("tip", (0.0, 1.0, 0.0))}
    assert np.array_equal(pm.response(beam, [1.0, 2.0], **asked), vibrations.response(beam, [1.0, 2.0], **asked))
    assert np.array_equal(pm.equilibrium(beam).elastic("tip"), equilibria.equilibrium(beam).elastic("tip"))
    chain, loop = pm.models.hanging_chain(3), pm.models.load("flyball_governor")
    assert len(pm.modes(chain).omega) == 6 and len(pm.modes(loop, settle="all").omega) == 1
    assert pm.equilibrium(loop).coordinate("slide")[0] > 0.0


def test_cycles_and_assemblies_are_those_of_mechanisms_in_space():
    rssr, times = model("loop"), np.linspace(0.0, 0.1, 5)
    assert np.array_equal(pm.cycle(rssr, times=times).effort("motor"), pm.cycle(rssr, times=times).effort("motor"))
    other = pm.assemblies(rssr)[1]
    assert np.allclose(pm.cycle(rssr, times=times, start=other)["C"][0], other["C"][0])


# -- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", pm.models.names())
def test_a_saved_mechanism_reads_back_equal(name, tmp_path):
    mechanism = pm.models.load(name)
    path = pm.save(mechanism, tmp_path / "again.toml")
    assert path == tmp_path / "again.toml" and pm.load(path) == mechanism
    assert [p.name for p in tmp_path.iterdir()] == ["again.toml"]


@pytest.mark.parametrize("name", ["model.json", "model", "model.csv", "model.toml.txt"])
def test_other_suffixes_are_refused_in_one_line(name, tmp_path):
    with pytest.raises(ModelError) as caught:
        pm.save(model("particles"), tmp_path / name)
    assert str(caught.value).endswith("its suffix must be one of .toml") and not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_to_are_refused(tmp_path):
    with pytest.raises(ModelError, match="there is no directory"):
        pm.save(model("particles"), tmp_path / "nowhere" / "model.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ModelError, match="a directory has this name"):
        pm.save(model("particles"), tmp_path / "folder.toml")


def test_a_mechanism_with_python_functions_is_not_saved(tmp_path):
    push = forces.Custom(body="crank", function=lambda t, state: ((0.0, 0.0), (0.0, 0.0), 0.0))
    with pytest.raises(ModelError, match='force "push": a custom force is a Python function'):
        pm.save(model("particles").replaced(forces={"push": push}), tmp_path / "model.toml")
    assert not list(tmp_path.iterdir())


def test_a_text_that_would_read_back_otherwise_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(toml, "written", lambda mechanism, folder=None: PENDULUM)
    with pytest.raises(ModelError, match="would read back as another mechanism"):
        pm.save(model("particles"), tmp_path / "model.toml")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_file_is_whole_or_as_it_was(failure, tmp_path, monkeypatch):
    path = pm.save(model("particles"), tmp_path / "model.toml")
    before = path.read_bytes()

    def broken(descriptor):
        raise failure

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises((ModelError, KeyboardInterrupt)):
        pm.save(model("loop"), path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["model.toml"]
