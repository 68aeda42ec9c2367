"""The commands about the numbers of a model: what they print and write, and that bad input is one line."""

import numpy as np
import pytest

import particlemech as pm
from particlemech.cli.main import main
from particlemech.result import export

TURN = ("--of", "cycle", "--driver", "O", "--samples", "25")


def test_optimise_prints_the_best_and_writes_it_as_a_model(capsys, tmp_path):
    target = tmp_path / "best.toml"
    words = ["optimise", "four_bar", "--set", "coupler=400mm", "rocker=200mm:500mm", "--maximise", "transmission.min"]
    assert main([*words, "--subject-to", "grashof", *TURN, "-o", str(target)]) == 0
    out = capsys.readouterr().out
    assert "0.3464" in out and "grashof: holds" in out and f"written to {target}" in out
    best = pm.load(target)
    assert float(best.parameters["rocker"].value) == pytest.approx(np.sqrt(0.4**2 - 0.2**2), rel=1e-4)
    assert float(best.parameters["coupler"].value) == 0.4


def test_optimise_writes_its_history_as_a_table_or_a_picture(capsys, tmp_path):
    words = ["optimise", "four_bar", "coupler", "--maximise", "transmission.min", *TURN, "-o"]
    assert main([*words, str(tmp_path / "history.csv")]) == 0
    table = export.read_table(str(tmp_path / "history.csv"), "history")
    assert list(table) == ["number", "transmission.min", "fulfilled", "best", "coupler"]
    assert np.all(np.diff(table["best"]) >= 0.0)
    assert main([*words, str(tmp_path / "history.png")]) == 0
    assert (tmp_path / "history.png").stat().st_size > 10_000
    capsys.readouterr()


def test_optimise_ends_with_one_where_conditions_cannot_be_fulfilled(capsys):
    words = ["optimise", "four_bar", "rocker", "--minimise", "rocker", "--subject-to", "C.angle.range >= 3 rad", *TURN]
    assert main(words) == 1
    assert "C.angle.range >= 3 rad: broken" in capsys.readouterr().out


def test_sensitivities_prints_derivatives_and_what_is_held(capsys):
    assert main(["sensitivities", "four_bar", "C.angle.range", "--by", "crank,coupler", *TURN]) == 0
    out = capsys.readouterr().out
    assert "8.90" in out and "crank: points.A.1" in out and "4 variants" in out


def test_both_print_and_write_other_units(capsys, tmp_path):
    words = ["C.angle.range", "--by", "crank", *TURN, "--units"]
    assert main(["sensitivities", "four_bar", *words, "mm,deg"]) == 0
    head, _, row = capsys.readouterr().out.splitlines()[:3]
    assert "by crank in mm" in head
    name, value, unit, slope, _ = row.split()
    found = pm.sensitivities(pm.models.load("four_bar"), name, "crank", what="cycle", options={"driver": "O"})
    assert (unit, float(value)) == ("°", pytest.approx(np.degrees(found.values[name]), rel=1e-3))
    assert float(slope) == pytest.approx(np.degrees(found[name, "crank"]) / 1000.0, rel=1e-3)

    target = tmp_path / "history.csv"
    words = ["optimise", "four_bar", "coupler=200mm:500mm", "--maximise", "transmission.min", *TURN]
    words += ["--units", "mm,deg"]
    assert main([*words, "-o", str(target)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "coupler" in line)
    assert row.split() == ["coupler", "360.555", "250", "mm"]
    table = export.read_table(str(target), "history")
    assert table["coupler"][-1] == pytest.approx(250.0) and 40.0 < table["best"][-1] < 42.0
    assert main([*words[:-1], "millimetre"]) == 2
    assert "unit 'millimetre' unknown" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["optimise", "four_bar", "coupler"], "say one of minimise and maximise"),
        (["optimise", "four_bar", "coupler=1:2:3", "--minimise", "B.x.max"], "bounds are LOW:HIGH"),
        (["optimise", "four_bar", "coupler=1kg:2m", "--minimise", "B.x.max"], "got a mass where a length is wanted"),
        (["optimise", "four_bar", "copler", "--minimise", "B.x.max"], 'did you mean "coupler"?'),
        (["optimise", "four_bar", "coupler", "--minimise", "B.x.max", "-o", "best.html"], ".toml"),
        (["sensitivities", "four_bar", "B.x.max", "--by", "coupler", "--driver", "O"], '"driver" does not apply'),
        (["sensitivities", "four_bar", "B.x.max", "--by", "coupler", "--order", "3"], "order must be 2"),
    ],
)
def test_bad_words_are_one_line(capsys, words, said):
    assert main(words) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
