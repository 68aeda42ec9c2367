"""The command line: what it prints, writes and returns, and that bad input is one line."""

import dataclasses
import importlib
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas
import pytest

import particlemech as pm
from particlemech import drivers, forces, joints, models, signals
from particlemech.cli import main as cli
from particlemech.cli import terminal
from particlemech.cli.main import main
from particlemech.model.dimensions import UNITS
from particlemech.model.units import SYSTEMS
from particlemech.result import export

PENDULUM = """
name = "Pendulum"
gravity = [0.0, -9.81]
[points]
O = [0.0, 0.0]
A = [1.0, 0.0]
[bodies.bar]
points = ["O", "A"]
mass = 1.0
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "bar"]
[run]
duration = 0.5
samples = 11
"""

# the rod is half as long as the crank: at 30 degrees the guide is out of reach
OUT_OF_REACH = """
[points]
O = [0.0, 0.0]
A = [1.0, 0.0]
B = [1.5, 0.0]
[bodies]
crank = { points = ["O", "A"], mass = 1.0 }
rod = { points = ["A", "B"], mass = 1.0 }
slider = { points = ["B"], mass = 1.0, com = [1.5, 0.0], inertia = 0.1 }
[joints]
O = { type = "revolute", point = "O", bodies = ["ground", "crank"] }
A = { type = "revolute", point = "A", bodies = ["crank", "rod"] }
B = { type = "revolute", point = "B", bodies = ["rod", "slider"] }
guide = { type = "prismatic", point = "B", bodies = ["ground", "slider"], axis = [1.0, 0.0] }
[drivers]
motor = { type = "rotation", bodies = ["ground", "crank"], motion = { type = "linear", rate = 1.0 } }
[run]
duration = 1.0
samples = 101
"""


@pytest.fixture
def model(tmp_path):
    def written(text=PENDULUM, name="model.toml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return written


def refused(capsys, *words):
    """Run bad input and return its one line."""
    code = main(words)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("particlemech: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


# -- run -----------------------------------------------------------------------------------------------------


def test_run_prints_a_summary_and_returns_zero(capsys, model):
    assert main(["run", model()]) == 0
    lines = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    found = {key: value.strip() for key, value in lines.items()}
    assert found["mechanism"] == "Pendulum"
    assert found["bodies"] == found["joints"] == found["degrees of freedom"] == "1"
    assert found["cut joints"] == "none"
    assert found["time"] == "0.5 s in 11 samples"
    assert found["status"] == "completed"
    assert int(found["steps"]) > 1
    assert float(found["energy error"].split()[0]) < 1e-5


def test_run_takes_the_bare_name_of_a_shipped_model(capsys):
    assert main(["run", "platform_manipulator", "--samples", "3", "--duration", "0.01"]) == 0
    assert models.load("platform_manipulator").name in capsys.readouterr().out


@pytest.mark.parametrize("suffix", sorted(export.WRITERS))
def test_run_writes_what_it_computed(capsys, model, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    assert main(["run", model(), "-o", str(path)]) == 0
    assert f"written to {path}" in capsys.readouterr().out
    assert path.stat().st_size > 100


def test_run_overrides_the_model_by_its_options(model, tmp_path):
    path = tmp_path / "out.csv"
    options = ["--duration", "0.2", "--samples", "5", "--rtol", "1e-6", "--formulation", "absolute"]
    assert main(["run", model(), "-o", str(path), *options]) == 0
    columns, provenance = export.read_csv(path)
    assert np.allclose(columns["t"], np.linspace(0.0, 0.2, 5))
    assert provenance["status"] == "completed"
    assert provenance["rtol"] == 1e-6
    assert {"A.x", "bar.angle", "O.bar.fx", "energy.total", "closure.position"} <= set(columns)


def test_a_check_that_holds_is_printed_as_ok(capsys, model):
    assert main(["run", model(PENDULUM + "[check]\ndof = 1\nenergy = 1e-4\n")]) == 0
    out = capsys.readouterr().out
    assert "check dof: expected 1, found 1: ok" in out
    assert "check energy: expected <= 0.0001" in out


@pytest.mark.parametrize("check", ["dof = 2", 'end = { "A.x" = 0.9 }', 'end = { "A.z" = 0.9 }', "energy = 1e-30"])
def test_a_check_that_fails_returns_one(capsys, model, check):
    assert main(["run", model(PENDULUM + "[check]\n" + check + "\n")]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_a_run_that_locks_returns_one_and_keeps_its_samples(capsys, model, tmp_path):
    path = tmp_path / "out.csv"
    assert main(["run", model(OUT_OF_REACH), "-o", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "locked" in out
    assert err.startswith("particlemech: the run ended early: ")
    columns, provenance = export.read_csv(path)
    assert provenance["status"] == "locked"
    assert 0.4 < columns["t"][-1] <= np.pi / 6 + 1e-6


def test_an_interrupted_run_keeps_what_exists_and_returns_130(capsys, model, tmp_path, monkeypatch):
    def press_ctrl_c(progress, t):
        if t > 0.2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(terminal.Progress, "__call__", press_ctrl_c)
    path = tmp_path / "out.csv"
    assert main(["run", model(), "--integrator", "ida", "-o", str(path)]) == 130
    assert "interrupted" in capsys.readouterr().err
    columns, provenance = export.read_csv(path)
    assert provenance["status"] == "interrupted"
    assert 1 <= len(columns["t"]) < 11
    before = path.read_bytes()
    assert (
        main(["run", model(), "--integrator", "ida", "-o", str(path)]) == 130
    )  # what stands there may be a run to the end: it is kept
    assert f"written to {tmp_path / 'out.interrupted.csv'}; {path} is as it was" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert export.read_csv(tmp_path / "out.interrupted.csv")[1]["status"] == "interrupted"


def test_units_stand_above_the_columns_of_a_file_and_pandas_skips_them(model, tmp_path):
    path = tmp_path / "out.csv"
    assert main(["run", model(), "-o", str(path)]) == 0
    lines = path.read_text().splitlines()
    header = next(k for k, line in enumerate(lines) if not line.startswith("#"))
    assert lines[header - 1].startswith("# units: ")
    columns, provenance = export.read_csv(path)
    units = dict(zip(columns, provenance["units"], strict=True))
    found = {units[c] for c in columns if c.endswith(".ax")}, {units[c] for c in columns if c.endswith(".omega")}
    assert found == ({"m/s²"}, {"rad/s"})
    assert (units["t"], units["energy.total"]) == ("s", "J")
    assert {units[c] for c in columns if c.endswith((".fx", ".fy"))} == {"N"}
    frame = pandas.read_csv(path, comment="#")
    assert list(frame) == list(columns)
    assert frame["t"].to_numpy() == pytest.approx(columns["t"])


def test_an_interruption_before_the_run_returns_130_without_a_traceback(capsys, model, monkeypatch):
    def press_ctrl_c(chosen):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "loaded", press_ctrl_c)
    assert main(["run", model()]) == 130
    assert capsys.readouterr().err.count("\n") == 1


def test_bodies_moved_by_the_assembly_are_listed(capsys, model):
    four_bar = OUT_OF_REACH.replace('rod = { points = ["A", "B"]', 'rod = { length = 0.6, points = ["A", "B"]')
    main(["run", model(four_bar), "--duration", "0.01"])
    assert "assembly moved slider" in capsys.readouterr().out


def test_the_progress_bar_is_for_terminals_only(capsys, monkeypatch):
    with terminal.Progress(2.0) as progress:
        progress(1.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with terminal.Progress(2.0) as progress:
        progress(1.0)
    assert "[####################....................] t = 1 of 2 s" in capsys.readouterr().err


# -- bad input -----------------------------------------------------------------------------------------------


def test_a_misspelt_model_is_suggested(capsys):
    assert 'did you mean "four_bar"' in refused(capsys, "run", "fuor_bar")


@pytest.mark.parametrize("command", ["run", "check", "validate"])
def test_a_missing_file_is_named(capsys, command, tmp_path):
    assert "nothing.toml" in refused(capsys, command, str(tmp_path / "nothing.toml"))


@pytest.mark.parametrize("command", ["run", "check", "validate"])
def test_a_wrong_model_names_the_part(capsys, model, command):
    assert 'joint "O"' in refused(capsys, command, model(PENDULUM.replace('"ground", "bar"', '"ground", "baar"')))


def test_a_wrong_model_leaves_no_file(capsys, model, tmp_path):
    path = model("this is not TOML")
    refused(capsys, "run", path, "-o", str(tmp_path / "out.csv"))
    assert os.listdir(tmp_path) == ["model.toml"]


def test_an_unknown_suffix_is_refused_before_the_run(capsys, model, tmp_path):
    assert ".csv, .npz, .json" in refused(capsys, "run", model(), "-o", str(tmp_path / "out.xlsx"))


@pytest.mark.parametrize(
    "words",
    [
        ["--duration", "-1"],
        ["--duration", "long"],
        ["--duration", "nan"],
        ["--duration", "inf"],
        ["--samples", "1"],
        ["--samples", "2.5"],
        ["--rtol", "0"],
        ["--rtol", "0.5"],
        ["--formulation", "spatial"],
        ["--unknown"],
    ],
)
def test_a_wrong_option_is_one_line(capsys, model, words):
    assert words[0].strip("-") in refused(capsys, "run", model(), *words)


@pytest.mark.parametrize("words", [[], ["walk"], ["run"], ["info", "everything"], ["validate", "four_bar", "-o", "x"]])
def test_wrong_usage_is_one_line(capsys, words):
    assert len(refused(capsys, *words)) > len("particlemech: ")


def test_a_platform_without_the_integrator_is_told_so(capsys, model, monkeypatch):
    def absent(chosen):
        raise ModuleNotFoundError("No module named 'sksundae'", name="sksundae")

    monkeypatch.setattr(cli, "loaded", absent)
    assert "say --integrator explicit" in refused(capsys, "run", model())


@pytest.mark.parametrize("integrator", ["explicit", "auto"])
def test_run_takes_the_integrator_that_it_is_told(capsys, tmp_path, integrator):
    assert cli.main(["run", "four_bar", "--integrator", integrator, "-o", str(tmp_path / "out.json")]) == 0
    assert f'"integrator": "{integrator}"' in (tmp_path / "out.json").read_text()


def test_an_unknown_integrator_is_refused(capsys):
    assert "explicit" in refused(capsys, "run", "four_bar", "--integrator", "euler")


# -- check, validate, info -----------------------------------------------------------------------------------


def test_check_prints_both_counts_and_the_cuts(capsys):
    assert main(["check", "four_bar"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "degrees of freedom by count 1" in out
    assert "degrees of freedom by rank 1" in out
    assert "redundant joints none" in out
    assert "none, all are unique" in out
    assert "cut joints none" not in out


def test_check_names_redundant_joints_and_where_to_look(capsys, model):
    two_guides = """
    [points]
    P = [0.0, 0.0]
    Q = [0.0, 1.0]
    [bodies]
    slider = { points = ["P", "Q"], mass = 1.0 }
    [joints]
    low = { type = "prismatic", point = "P", bodies = ["ground", "slider"], axis = [1.0, 0.0] }
    high = { type = "prismatic", point = "Q", bodies = ["ground", "slider"], axis = [1.0, 0.0] }
    """
    assert main(["check", model(two_guides)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "redundant joints low, high" in out
    assert "redundancy 2, due to the design" in out
    assert "low.slider.fy" in out


def test_check_returns_one_where_the_model_expects_other_freedoms(capsys, model):
    assert main(["check", model(PENDULUM + "[check]\ndof = 3\n")]) == 1
    assert "expected 3: FAILED" in capsys.readouterr().out


def test_validate_agrees_on_the_pendulum_and_lists_every_quantity(capsys, model):
    assert main(["validate", model()]) == 0
    out = capsys.readouterr().out
    for quantity in ("points", "velocities", "accelerations", "angles", "reactions", "energy"):
        assert quantity in out
    assert "agreed within 1e-05" in out


def test_validate_returns_one_above_the_tolerance(capsys, model):
    assert main(["validate", model(), "--tolerance", "1e-18"]) == 1
    assert "NOT AGREED" in capsys.readouterr().out


def test_validate_does_not_call_two_locked_runs_a_success(capsys, model):
    assert main(["validate", model(OUT_OF_REACH)]) == 1
    out = capsys.readouterr().out
    assert "locked" in out
    assert out.endswith("but not to the end\n")


def test_info_lists_every_kind_with_its_keys_and_every_model(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for module in (joints, drivers, forces, signals):
        for name, kind in module.NAMES.items():
            assert f" {name}" in out
            for key in dataclasses.fields(kind):
                assert key.metadata["about"] in out
    for name in models.names():
        assert name in out
    assert "scikit-sundae" in out


def test_the_package_runs_as_a_module_and_help_loads_no_integrator():
    code = (
        "import sys, runpy; sys.argv = ['particlemech', '--help']\n"
        "try: runpy.run_module('particlemech', run_name='__main__')\n"
        "except SystemExit as end: assert end.code == 0\n"
        "assert 'sksundae' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "validate" in done.stdout


def test_a_reader_that_leaves_the_pipe_early_sees_no_traceback():
    command = f'"{sys.executable}" -m particlemech info kinds | head -n 1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 1)


def test_info_lists_bodies_and_the_sections_of_the_plane(capsys):
    assert main(["info", "kinds"]) == 0
    said = capsys.readouterr().out
    for heading in ("part body: ", "[initial]: ", "[run]: ", "[check]: ", "model planar: "):
        assert said.count(f"\n{heading}") == 1
    assert re.search(r"^  mass +.*kg in SI; may be left out", said, re.M)
    assert "  samples     default 501 " in said


def test_info_of_a_kind_shows_it_in_both_worlds(capsys):
    assert main(["info", "revolute"]) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith(" ")]
    assert [line.partition(":")[0] for line in headings] == [
        "joint revolute",
        "spatial joint revolute",
    ]
    assert 'did you mean "revolute"' in refused(capsys, "info", "revolut")


def test_info_of_a_section_shows_all_its_kinds(capsys):
    assert main(["info", "joints"]) == 0
    said = capsys.readouterr().out
    assert all(f"\njoint {name}" in said for name in joints.NAMES)
    assert "\nforce " not in said
    assert main(["info", "events"]) == 0
    assert "\npart event: " in capsys.readouterr().out


def test_info_tells_what_functions_of_events_and_forces_receive(capsys):
    assert main(["info", "state"]) == 0
    said = capsys.readouterr().out
    for words in ('state["B"]', 'state.velocity("B")', 'state.angle("rod")', 'state.omega("rod")', "state.t"):
        assert words in said


def test_info_lists_all_units_and_what_parameters_may_be(capsys):
    assert main(["info", "units"]) == 0
    said = capsys.readouterr().out
    assert set(UNITS) <= set(said.split())
    assert all(f"\n  {name} " in said for name in SYSTEMS)
    assert main(["info", "parameters"]) == 0
    said = capsys.readouterr().out
    assert "part parameter:" in said
    assert "on_circles(A, a, B, b, left)" in said


def test_the_version_is_an_option(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"particlemech {pm.__version__}\n"


def test_help_answers_before_numbers_are_loaded():
    code = (
        "import sys; from particlemech.cli.main import main; main(['info', 'version']); print('numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == "False"


def test_compile_leaves_no_kernel_of_the_plane_out_and_names_the_directory(capsys, monkeypatch):
    from particlemech import _jit
    from particlemech.cli import warm_up

    monkeypatch.setattr(warm_up, "FAMILIES", {"plane": warm_up.FAMILIES["plane"]})
    assert main(["compile"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("plane: ")
    assert str(_jit.CACHE) in out
    assert not [name for name in warm_up.missing() if ".particles." in name or ".absolute." in name]


def test_the_package_shows_what_it_offers_and_nothing_else():
    assert [name for name in dir(pm) if not name.startswith("__")] == sorted(pm.__all__)


def test_the_help_of_results_tells_of_the_times():
    assert "t : array, shape (K,)" in pm.Result.__doc__


@pytest.mark.parametrize(
    ("name", "home", "kind"),
    [
        ("rssr", "particlemech.engine.recursive.compiled", "Where"),
        ("bricard", "particlemech.engine.recursive.compiled", "Where"),
        ("cantilever", "particlemech.engine.recursive.compiled", "Where"),
        ("gyroscope", "particlemech.engine.recursive.compiled", "Where"),
    ],
)
def test_a_run_in_space_builds_its_system_once(name, home, kind, monkeypatch, capsys):
    """Names become numbers once; starts and degrees of freedom are asked of other mechanisms, whose drivers differ."""
    system, built, model = getattr(importlib.import_module(home), kind), [], models.load(name)
    make = system.__init__

    def counted(self, of, *args, **options):
        if kind != "Where" or of == model:
            built.append(kind)
        make(self, of, *args, **options)

    monkeypatch.setattr(system, "__init__", counted)
    assert main(["run", name, "--duration", "0.02", "--samples", "3"]) in (0, 1)  # [check] is about the whole run
    assert "degrees of freedom" in capsys.readouterr().out
    assert built == [kind]


def test_measures_prints_summary_and_numbers_and_writes_their_columns(tmp_path, capsys):
    target = tmp_path / "numbers.csv"
    assert main(["measures", "quick_return", "--about", "O", "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert said.index("energy error") < said.index("over 2 full cycles of 1 s") < said.index("transmission angles")
    assert "moment about O" in said
    columns, record = export.read_csv(target)
    assert len(columns) == len(record["units"])
    assert {"C.x", "guide.transmission", "motor.power", "shaking.fx", "link.pole_x"} <= set(columns)
    assert (pm.read_result(target)["C"][:, 0] == columns["C.x"]).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--about", "0.1"], "about: expected the name of a point or 2 numbers"),
        (["--cycle", "0.2,9"], "cycle: from 0.2 to 9 s is no part of the run"),
        (["--cycle", "ram"], 'cycle: "ram" is no angle'),
        (["--driver", "moto"], 'driver: "moto" is no driver and no joint (did you mean "motor"?)'),
        (["-o", "a.png"], "its suffix must be one of .csv, .npz, .json, .html"),
    ],
)
def test_odd_words_for_measures_are_answered_in_one_line(words, said, capsys):
    assert main(["measures", "quick_return", *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
