"""The commands that ask for answers: what they print and write, and that bad input is one line."""

import json
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.cli.main import main
from particlemech.result import export


@pytest.fixture
def said(capsys):
    """Run words that succeed, and return what they print."""

    def run(*words, code=0):
        assert main([*map(str, words)]) == code
        return capsys.readouterr().out

    return run


def refused(capsys, *words):
    code = main([*map(str, words)])
    lines = capsys.readouterr().err.splitlines(keepends=True)
    err = "".join(line for line in lines if "compiling for this computer" not in line)  # the first run ever says so
    assert code == 2 and err.count("\n") == 1 and err.startswith("particlemech: ")
    return err


def scene_of(path):
    text = path.read_text("utf-8")
    return json.loads(re.search(r'id="scene">(.*?)</script>', text)[1].replace("\\u003c", "<"))


def test_profile_says_what_a_cam_is_like_and_writes_it_to_be_made(said, capsys, tmp_path):
    target = tmp_path / "cam.dxf"
    out = said("profile", "cam_flat_follower", "--samples", 90, "-o", target)
    assert "base circle     0.03 m" in out and "least radius    0.0236" in out and f"written to {target}" in out
    assert target.read_text().count("VERTEX") == 90
    assert 'has no cams; add a joint of type "cam"' in refused(capsys, "profile", "four_bar")
    assert 'cam "kam" unknown' in refused(capsys, "profile", "cam_flat_follower", "--cam", "kam")


# -- where it can be -----------------------------------------------------------------------------------------------


def test_cycle_prints_ranges_and_writes_a_table_that_reads_back(said, tmp_path):
    target = tmp_path / "cycle.csv"
    out = said("cycle", "quick_return", "--driver", "motor", "--samples", 37, "-o", target)
    assert "37, motor 0° to motor 360°" in out and re.search(r"peak effort of motor .* N m at motor \d+", out)
    again = pm.read_result(target)
    assert again.coordinate("O") == pytest.approx(np.linspace(0.0, 2.0 * np.pi, 37), abs=1e-12)


def test_cycle_over_time_takes_a_duration(said, tmp_path):
    target = tmp_path / "cycle.npz"
    said("cycle", "quick_return", "--duration", 0.25, "--samples", 6, "-o", target)
    assert pm.read_result(target).t == pytest.approx(np.linspace(0.0, 0.25, 6))


def test_a_cycle_page_is_over_the_driver_with_its_toggles(said, tmp_path):
    target = tmp_path / "cycle.html"
    said("cycle", "four_bar", "O.angle", "--driver", "C", "--samples", 61, "-o", target)
    paper = scene_of(target)
    assert paper["axis"]["unit"] == "°" and [mark["name"] for mark in paper["marks"]].count("toggle") == 2
    assert [[paper["quantities"][n]["name"] for n in chart] for chart in paper["charts"]] == [["O.angle"]]


@pytest.mark.parametrize("picture", [[], ["transmission"], ["guide.travel"], ["bearings"], ["centrodes"]])
def test_a_picture_of_a_cycle_is_any_that_plot_draws(said, tmp_path, picture):
    target = tmp_path / "cycle.svg"
    said("cycle", "quick_return", *picture, "--driver", "motor", "--samples", 37, "-o", target)
    assert "<svg" in target.read_text("utf-8")


def test_a_cycle_that_ends_at_a_change_point_keeps_its_poses_and_returns_one(capsys, tmp_path):
    target = tmp_path / "cycle.csv"
    assert main(["cycle", "parallel_cranks", "--driver", "O1", "-o", str(target)]) == 1
    out, err = capsys.readouterr()
    assert "change point" in err and err.count("\n") == 1 and "written to" in out
    assert main(["cycle", "parallel_cranks", "--driver", "O1", "--through"]) == 0


@pytest.mark.parametrize("suffix", [".html", ".svg"])
def test_toggles_are_printed_and_their_poses_shown(said, tmp_path, suffix):
    target = tmp_path / f"toggles{suffix}"
    out = said("toggles", "four_bar", "--driver", "C", "-o", target)
    assert "crank-rocker" in out and len(re.findall(r"^ *toggle ", out, re.M)) == 2
    assert target.exists()
    if suffix == ".html":
        assert len(scene_of(target)["axis"]["words"]) == 4


def test_without_toggles_there_is_nothing_to_show(said, tmp_path):
    out = said("toggles", "bennett", "--driver", "A", "-o", tmp_path / "none.html")
    assert "nothing to show" in out and not (tmp_path / "none.html").exists()


def test_assemblies_are_counted_listed_and_written(said, tmp_path):
    out = said("assemblies", "stephenson_six_bar", "--at", 0.4, "--driver", "motor", "-o", tmp_path / "ways.csv")
    ways = pm.assemblies(pm.models.load("stephenson_six_bar"), at=0.4, driver="motor")
    assert out.startswith(f"Assemblies: {len(ways)}, complete")
    columns, record = export.read_csv(tmp_path / "ways.csv")
    assert columns["D.angle"] == pytest.approx([float(way.coordinate("D")[0]) for way in ways])
    assert len(record["units"]) == len(columns)
    said("assemblies", "stephenson_six_bar", "-o", tmp_path / "ways.html")
    assert scene_of(tmp_path / "ways.html")["axis"]["words"][0] == "assembly 1"


def test_workspaces_are_mapped_and_drawn(said, tmp_path):
    words = ["workspace", "double_pendulum", "B", "--drivers", "O,A", "--samples", 15]
    out = said(*words, "-o", tmp_path / "map.csv")
    assert "O.angle, A.angle" in out
    columns, _ = export.read_csv(tmp_path / "map.csv")
    assert np.hypot(columns["B.x"], columns["B.y"]).max() <= 0.9 + 1e-9  # both links, stretched out
    said(*words, "-o", tmp_path / "map.svg")


def test_jacobians_are_printed_with_what_they_come_to(said):
    out = said("jacobian", "platform_manipulator", "P", "platform.angle", "--drivers", "A0,A1,A2")
    found = pm.jacobian(pm.models.load("platform_manipulator"), ["P", "platform.angle"], ["A0", "A1", "A2"])
    assert f"{found.matrix[2, 0]:.6g}" in out and f"{found.manipulability:.6g}" in out


def test_efforts_of_a_motion_are_printed_written_and_drawn(said, tmp_path):
    motion = tmp_path / "motion.csv"
    motion.write_text("t,O.angle\n" + "".join(f"{t},{0.1 * t * t}\n" for t in np.linspace(0.0, 1.0, 21)))
    for suffix in (".csv", ".json", ".svg"):
        out = said("inverse", "pendulum", motion, "-o", tmp_path / f"efforts{suffix}")
    assert "peak" in out
    columns, record = export.read_csv(tmp_path / "efforts.csv")
    assert set(columns) == {"t", "O.angle.effort"} and record["units"] == ["s", "N m"]
    expected = pm.inverse(pm.models.load("pendulum"), {"O.angle": 0.1 * columns["t"] ** 2}, t=columns["t"])
    assert columns["O.angle.effort"] == pytest.approx(expected.effort("O.angle"))


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_the_motion_of_a_run_that_was_let_go_needs_no_efforts(said, tmp_path, suffix):
    run = tmp_path / f"run{suffix}"
    said("run", "platform_manipulator", "--duration", 0.2, "--samples", 11, "-o", run)
    out = said("inverse", "platform_manipulator", run, "--actuators", "A0,A1,A2", "-o", tmp_path / "efforts.csv")
    columns, _ = export.read_csv(tmp_path / "efforts.csv")
    assert "A2.angle" in out
    assert max(np.abs(columns[f"A{k}.angle.effort"]).max() for k in range(3)) <= 1e-10  # of 20 N m that weight makes


def test_numbers_may_begin_with_a_minus_after_any_option(said):
    assert "-5.72958°" in said("cycle", "four_bar", "--driver", "C", "--range", "-0.1,0.5", "--samples", 5)
    assert "O.angle = -0.1," in said("assemblies", "four_bar", "--driver", "O", "--at", "-1e-1")


# -- rest and small motions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".json", ".html", ".svg"])
def test_rest_positions_are_printed_and_written(said, tmp_path, suffix):
    out = said("equilibrium", "double_pendulum", "--all", "-o", tmp_path / f"rest{suffix}")
    assert out.count("unstable") == 3 and (tmp_path / f"rest{suffix}").exists()


def test_what_holds_a_rest_position_is_printed(said):
    out = said("equilibrium", "quick_return")
    rest = pm.equilibrium(pm.models.load("quick_return"))
    assert f"held by motor: {rest.effort('motor')[0]:.6g} N m" in out


def test_a_deflected_beam_is_a_page_with_exaggeration(said, tmp_path):
    said("equilibrium", "cantilever", "-o", tmp_path / "rest.html")
    (swing,) = scene_of(tmp_path / "rest.html")["swings"]
    assert swing["levels"][0] == 1.0 and swing["unit"] == "×" and swing["home"] == 0


def test_modes_are_printed_written_drawn_and_filmed(said, tmp_path):
    words = ["modes", "double_pendulum", "--about", "equilibrium"]
    out = said(*words, "-o", tmp_path / "modes.csv")
    found = pm.modes(pm.models.load("double_pendulum"), "equilibrium")
    assert f"{found.frequency[1]:.6g} Hz" in out
    columns, _ = export.read_csv(tmp_path / "modes.csv")
    assert columns["frequency"] == pytest.approx(found.frequency)
    assert columns["A.angle.real"] == pytest.approx(found.shapes[1].real)
    said(*words, "-o", tmp_path / "modes.html")
    assert len(scene_of(tmp_path / "modes.html")["swings"]) == 2
    said(*words, "-o", tmp_path / "shapes.svg")
    said(*words, "--roots", "-o", tmp_path / "roots.svg")
    assert (tmp_path / "shapes.svg").read_text() != (tmp_path / "roots.svg").read_text()
    assert "mode 1 written to" in said(*words, "--mode", 1, "-o", tmp_path / "mode.gif")


@pytest.mark.parametrize("suffix", [".csv", ".html", ".svg"])
def test_responses_are_printed_with_their_peaks_and_drawn(said, tmp_path, suffix):
    target = tmp_path / f"bode{suffix}"
    words = ["--input", "O", "--output-of", "A.x,B", "--about", "equilibrium", "--samples", 60]
    out = said("response", "double_pendulum", *words, "-o", target)
    assert [line.split()[0] for line in out.splitlines()[2:] if "peak" in line] == ["A.x", "A.x", "B.x", "B.x"]
    f = pm.modes(pm.models.load("double_pendulum"), "equilibrium").frequency
    if suffix == ".csv":
        columns, _ = export.read_csv(target)
        assert columns["frequency"][[0, -1]] == pytest.approx([f[0] / 10.0, 10.0 * f[1]])
        model, at = pm.models.load("double_pendulum"), columns["frequency"][:1]
        one = pm.response(model, at, input="O", output="A.x", about="equilibrium")
        assert columns["A.x.size"][0] == pytest.approx(abs(one[0]))
    if suffix == ".html":
        paper = scene_of(target)
        assert paper["axis"]["log"] and len(paper["charts"]) == 2
        for mark in paper["marks"]:
            at = 10.0 ** (paper["axis"]["first"] + mark["t"])
            assert np.abs(np.log(at / f)).min() < np.log(1000.0) / 59  # no farther than a step of frequencies


def test_measures_are_a_page_too(said, tmp_path):
    said("measures", "quick_return", "-o", tmp_path / "page.html")
    names = [q["name"] for q in scene_of(tmp_path / "page.html")["quantities"]]
    assert {"guide.transmission", "motor.power", "shaking.fx"} <= set(names)


def test_check_names_the_class_of_grashof_and_toggles_within_a_turn(said):
    assert "crank-rocker" in said("check", "four_bar")


# -- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["cycle", "four_bar"], "nothing drives the mechanism; name a joint"),
        (["cycle", "cantilever"], "no joint of it has a coordinate that could be driven"),
        (["cycle", "four_bar", "--driver", "Q"], 'no driver or joint "Q"'),
        (["cycle", "four_bar", "--driver", "O", "--range", "1"], "--range takes two numbers"),
        (["cycle", "four_bar", "--driver", "C", "--range", "3,4"], "cannot be reached"),
        (["cycle", "quick_return", "--driver", "motor", "--duration", "1"], "--duration is that of a cycle over time"),
        (["cycle", "quick_return", "guide.travel"], "quantities are what a page or a picture shows"),
        (["cycle", "quick_return", "-o", "a.xyz"], "suffix must be one of"),
        (["cycle", "quick_return", "guide.trave", "-o", "a.html"], 'column "guide.trave" unknown'),
        (["cycle", "two_link_flexible"], "keeps 1 more degree(s) of freedom"),
        (["toggles", "double_pendulum", "--driver", "O"], "1 more degree(s) of freedom"),
        (["toggles", "stewart_platform"], "6 drivers; say which one leads"),
        (["assemblies", "four_bar"], "nothing drives the mechanism"),
        (["assemblies", "four_bar", "--at", "x"], "invalid float value"),
        (["workspace", "double_pendulum", "Q", "--drivers", "O,A"], '"Q"'),
        (["workspace", "double_pendulum", "B", "--samples", "1"], "at least 2"),
        (["jacobian", "double_pendulum", "B", "--drivers", "O"], "freedom"),
        (["inverse", "pendulum", "nowhere.csv"], "cannot read the motion"),
        (["equilibrium", "double_pendulum", "--hold", "Q"], '"Q"'),
        (["equilibrium", "slider_crank"], "no balance"),
        (["modes", "piston_crank"], "nothing moves freely"),
        (["modes", "double_pendulum"], "no steady state"),
        (["modes", "cantilever", "--mode", "1"], "--mode is what a film shows"),
        (["modes", "cantilever", "--mode", "9", "-o", "a.gif"], "there are 4 modes, counted from 0, got 9"),
        (["modes", "cantilever", "--roots"], "--roots is what a picture shows"),
        (["response", "cantilever", "--input", "tip,0,1,0"], "the following arguments are required: --output-of"),
        (["response", "cantilever", "--input", "tip,a", "--output-of", "tip"], "--input takes a name, or a point"),
        (["response", "cantilever", "--input", "tip,0,1,0", "--output-of", "tup"], '"tup"'),
        (["response", "cantilever", "--input", "tip,0,1,0", "--output-of", ","], "--output-of takes a point"),
        (["response", "cantilever", "--input", "tip,0,1,0", "--output-of", "tip", "--from", "3", "--to", "2"], "below"),
        (["measures", "quick_return", "-o", "a.png"], "suffix must be one of"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(capsys, tmp_path, monkeypatch, words, reason):
    monkeypatch.chdir(tmp_path)
    assert reason in refused(capsys, *words)
    assert not [path for path in tmp_path.iterdir()]


def test_modes_are_about_the_end_of_a_run_and_what_shall_come_to_rest_is_said(said, capsys, tmp_path):
    run = tmp_path / "run.csv"
    said("run", "double_pendulum", "--duration", 0.1, "--samples", 3, "-o", run)
    last = pm.read_result(run).at()
    found = pm.modes(pm.models.load("double_pendulum"), last, settle=False)
    assert str(found) in said("modes", "double_pendulum", "--about", run, "--settle", "none")
    assert "0.928634 Hz" in said("modes", "flyball_governor", "--settle", "all")
    assert 'equilibrium or what run -o wrote, got "end"' in refused(capsys, "modes", "pendulum", "--about", "end")
