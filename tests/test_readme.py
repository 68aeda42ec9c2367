"""The README is true: its model files load and run, its Python runs from top to bottom."""

import re
import tomllib
from pathlib import Path

import pytest

import particlemech as pm
from particlemech.model import toml

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
MODELS = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.S)
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, flags=re.S)
# the names under which the Python of the README loads its model files
FILES = {
    "Slider-crank": "slider_crank",
    "Crank-rocker": "crank_rocker",
    "Arm on a satellite": "satellite",
    "RSSR": "rssr",
    "Crane": "crane",
}


def test_the_readme_has_a_planar_linkage_a_tree_a_loop_and_a_bending_arm():
    assert [toml.loads(text).engine for text in MODELS] == ["particles", "particles", *["recursive"] * 3]
    loops = [toml.loads(text).loops for text in MODELS[2:4]]
    assert not loops[0] and loops[1]
    assert {tomllib.loads(text)["name"] for text in MODELS} == set(FILES)


@pytest.mark.parametrize("text", MODELS, ids=lambda text: tomllib.loads(text)["name"])
def test_a_model_of_the_readme_runs_and_agrees(text):
    mechanism = toml.loads(text)
    assert pm.simulate(mechanism, duration=0.2, samples=5).status is pm.Status.COMPLETED
    assert pm.validate(mechanism, duration=0.05, samples=5).agreed


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("xarray")
    monkeypatch.chdir(tmp_path)
    for text in MODELS:
        name = FILES[tomllib.loads(text)["name"]]
        # shortened: the text shows what can be asked, not how long a run is
        Path(f"{name}.toml").write_text(re.sub(r"duration = \d+\.0\n\Z", "duration = 0.6\n", text), encoding="utf-8")
    names = {}
    pyplot.close("all")  # of tests before
    try:
        for code in PYTHON:
            exec(compile(code, "README.md", "exec"), names)
    finally:
        pyplot.close("all")
