"""The command sweep, and values of parameters that any command takes."""

import json
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.cli.main import main
from tests.support import browser

xarray = pytest.importorskip("xarray")
SHORT = ("--duration", "0.1", "--samples", "11", "--workers", "1")


@pytest.fixture
def said(capsys):
    """Run words that succeed, and return what they print."""

    def run(*words, code=0):
        assert main([*map(str, words)]) == code
        return capsys.readouterr().out

    return run


def refused(capsys, *words):
    code = main([*map(str, words)])
    err = capsys.readouterr().err
    assert code == 2 and err.count("\n") == 1 and err.startswith("particlemech: ")
    return err


def scene_of(path):
    return json.loads(re.search(r'id="scene">(.*?)</script>', path.read_text("utf-8"))[1].replace("\\u003c", "<"))


# -- values of parameters ------------------------------------------------------------------------------------------


def test_every_command_that_takes_a_model_takes_values_of_its_parameters(said, capsys, tmp_path):
    target = tmp_path / "run.csv"
    said("run", "four_bar", "--set", "crank=60mm", "--set", "rocker = 0.31", "--duration", "0.1", "-o", target)
    wanted = pm.simulate(pm.models.load("four_bar").with_parameters(crank=0.06, rocker=0.31), duration=0.1)
    assert np.array_equal(pm.read_result(target)["B"], wanted["B"])
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = re.findall(r"^    (\w+) ", capsys.readouterr().out, re.MULTILINE)
    without = {"synthesis", "info", "compile"}
    assert len(commands) > 15
    for name in commands:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert ("--set NAME=VALUE" in capsys.readouterr().out) == (name not in without), name


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("crank", "takes NAME=VALUE"),
        ("crank=", "takes NAME=VALUE"),
        ("=60mm", "takes NAME=VALUE"),
        ("crnk=60mm", 'did you mean "crank"'),
        ("crank=60kg", "length"),
        ("crank=500mm", "above its max"),
        ("crank=60 parsecs", "unit"),
    ],
)
def test_a_wrong_value_is_one_line(capsys, given, what):
    assert what in refused(capsys, "check", "four_bar", "--set", given)


def test_a_variant_that_cannot_be_drawn_is_one_line(capsys):
    line = refused(
        capsys, "check", "four_bar", "--set", "coupler=250mm", "--set", "ground=450mm", "--set", "rocker=0.2"
    )
    assert "circles of radius 0.25 and 0.2 with centres 0.460977 apart do not reach each other" in line


# -- sweeps --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".nc", ".csv", ".parquet"])
def test_a_grid_is_written_and_reads_back(said, tmp_path, suffix):
    target = tmp_path / f"sweep{suffix}"
    out = said("sweep", "four_bar", "crank=30mm:80mm:4", "rocker=28cm,0.3", "B.x.max", *SHORT, "-o", target)
    assert "8 cases, 8 completed" in out and re.search(r"B.x.max +largest 0\.\d+ m +0.08 m +0.28 m", out)
    wanted = pm.sweep(
        pm.models.load("four_bar"), crank=np.linspace(0.03, 0.08, 4), rocker=[0.28, 0.3], quantities="B.x.max",
        options={"duration": 0.1, "samples": 11}, workers=1,
    )  # fmt: skip
    if suffix == ".nc":
        with xarray.open_dataset(target) as data:
            assert data.load().identical(wanted)
        return
    pandas = pytest.importorskip("pandas")
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    table = pandas.read_csv(target, comment="#") if suffix == ".csv" else pandas.read_parquet(target)
    assert list(table) == ["crank", "rocker", "B.x.max", "status", "message"]
    assert table["B.x.max"].tolist() == wanted["B.x.max"].values.ravel().tolist()
    assert table["crank"].tolist() == np.repeat(wanted.crank.values, 2).tolist()


def test_analyses_and_samples_are_swept_too(said):
    how = ("--of", "modes", "--about", "equilibrium", "--latin", 5, "--workers", 1)
    out = said("sweep", "four_bar", "crank", "rocker=25cm:35cm", "frequency[0]", *how)
    assert "5 cases" in out and "frequency[0]" in out and "Hz" in out


def test_a_store_is_named_when_the_sweep_goes_on(said, tmp_path):
    words = ("sweep", "four_bar", "crank=30mm:80mm:4", "B.x.max", *SHORT, "--store", tmp_path / "kept")
    assert said(*words) == said(*words)
    assert (tmp_path / "kept" / "sweep.json").exists()


def test_cases_that_fail_are_counted_and_the_code_is_one(capsys):
    words = ("sweep", "four_bar", "crank=30mm:220mm:3", "B.x.max", "--set", "ground=0.44", "--set", "rocker=0.2")
    assert main([*words, "--set", "coupler=0.25", "--set", "crank=30mm", *SHORT]) == 1
    out, err = capsys.readouterr()
    assert "3 cases, 1 completed" in out
    assert err.count("\n") == 1 and "2 of 3 cases did not complete; the first: point" in err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["crank=30mm:80mm", "B.x.max"], "a range is"),
        (["crank=30mm,40mm"], "nothing is asked for"),
        (["B.x.max"], "nothing varies"),
        (["crank=30mm", "crank=40mm", "B.x.max"], "given twice"),
        (["crank=30mm", "B.x", "-o", "a.csv"], "a curve of each case"),
        (["crank=30mm", "B.x.max", "-o", "a.txt"], "suffix"),
        (["crank=30mm", "B.x.max", "--latin", "3", "--sobol", "4"], "two ways"),
        (["crank=30mm", "frequency[0]", "--of", "modes", "--rtol", "1e-6"], "--rtol does not apply to --of modes"),
        (["crank=30mm", "B.x.max", "--driver", "O"], "--driver does not apply to --of run"),
        (["crank=30mm", "B.x.maximum"], "unknown"),
    ],
)
def test_bad_words_are_one_line(capsys, tmp_path, monkeypatch, words, what):
    monkeypatch.chdir(tmp_path)
    assert what in refused(capsys, "sweep", "four_bar", *words, *(SHORT if "modes" not in words else ()))


def test_the_grammars_can_be_looked_up(said):
    assert "motor.effort.max" in said("info", "figures")
    assert "transmission.min >= 40 deg" in said("info", "conditions")
    assert "on_circles(A, a, B, b, left)" in said("info", "expressions")


# -- the page ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return pages over one parameter, over two, and of a sample."""
    folder = tmp_path_factory.mktemp("pages")
    kinds = {
        "curve": ["crank=30mm:80mm:5", "B.x.max", "rocker.omega.rms"],
        "map": ["crank=30mm:80mm:4", "rocker=0.28:0.32:3", "B.x.max"],
        "sample": ["crank", "rocker", "B.x.max", "--latin", "12"],
    }
    for name, words in kinds.items():
        assert main(["sweep", "four_bar", *words, *SHORT, "-o", str(folder / f"{name}.html")]) == 0
    return folder


def test_a_page_holds_the_numbers_and_the_drawing_of_every_case(pages):
    paper = scene_of(pages / "map.html")
    assert paper["shape"] == [4, 3] and paper["count"] == 12
    assert [p["name"] for p in paper["parameters"]] == ["crank", "rocker"]
    assert paper["ends"] == [["completed", "completed"]]
    drawn = pm.models.load("four_bar").with_parameters(crank=0.08, rocker=0.32).points
    bodies = {body["name"]: body["at"] for body in paper["drawing"]["bodies"]}
    last = np.array(paper["drawing"]["places"][-1]).reshape(-1, 2)
    assert last[bodies["coupler"]] == pytest.approx(np.array([drawn["A"], drawn["B"]]), rel=1e-4)


def test_a_page_in_space_is_drawn_from_a_corner(tmp_path):
    from particlemech.batch import pages as made

    m = _hinged()
    found = pm.sweep(m, length=[0.5, 1.0], quantities="P.z.min", options={"duration": 0.1, "samples": 5}, workers=1)
    made.save(m, found, tmp_path / "space.html")
    assert len(scene_of(tmp_path / "space.html")["drawing"]["places"]) == 2


def _hinged():
    return pm.space.Mechanism(
        parameters={"length": "1 m"},
        points={"O": (0.0, 0.0, 0.0), "P": ("length", 0.0, 0.0)},
        bodies={"rod": pm.space.Body(points=("O", "P"), mass=1.0)},
        joints={"O": pm.space.joints.Revolute(bodies=("ground", "rod"), point="O", axis=(0.0, 1.0, 0.0))},
        gravity=(0.0, 0.0, -9.81),
    )


needs_browser = pytest.mark.skipif(browser.found() is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def window():
    opened = browser.Browser()
    yield opened
    opened.close()


@needs_browser
@pytest.mark.parametrize("kind", ["curve", "map", "sample"])
def test_the_variant_under_the_pointer_is_shown(pages, window, kind):
    tab = browser.Tab(window)
    tab.open(pages / f"{kind}.html")
    facts = "document.getElementById('facts').innerText"
    x, y = tab.middle("#chart")
    seen = set()
    for dx, dy in ((-200, 0), (0, 0), (150, -80), (180, 150)):
        tab.mouse("mouseMoved", x + dx, y + dy)
        seen.add(tab.value(facts))
    assert len(seen) > 2 and all("crank, length of the crank" in text for text in seen)
    before = tab.value(facts)
    tab.value("document.getElementById('chart').focus()")
    tab.key("ArrowLeft")
    assert tab.value(facts) != before
    assert tab.complaints() == [] and tab.requests() == []
    tab.close()


def test_options_may_stand_between_parameters_and_figures(capsys):
    words = ["sweep", "four_bar", "crank=80mm:100mm", "--latin", "4", "B.x.max", "--duration", "0.05", "--samples", "5"]
    assert main(words) == 0
    assert "4 cases, 4 completed" in capsys.readouterr().out
    assert main(["sweep", "four_bar", "--latin", "4"]) == 2
    assert "required: WORD" in capsys.readouterr().err
