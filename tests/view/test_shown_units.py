"""Results, charts and pages in other units than those of the model."""

import json
import math
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.cli.main import main
from particlemech.model import columns
from particlemech.model.units import FOOT, INCH, POUND, SYSTEMS
from particlemech.view import page
from particlemech.view.units import Wanted

LBF = POUND * 9.80665
KINDS = {"position", "velocity", "acceleration", "angle", "angular velocity", "angular acceleration", "force", "moment"}
KINDS |= {"stress", "energy", "power", "momentum", "angular momentum"}


@pytest.fixture(scope="module")
def result():
    return pm.simulate(pm.models.load("quick_return"), duration=0.2, samples=5)


class Model:
    def __init__(self, system):
        self.unit = SYSTEMS[system]


def said(units, kind, system="SI"):
    return Wanted(units).of(columns.unit(Model(system), kind), kind == "energy")


@pytest.mark.parametrize(
    ("units", "kind", "factor", "label"),
    [
        (("mm", "deg"), "position", 1e3, "mm"),
        (("mm", "deg"), "acceleration", 1e3, "mm/s²"),
        (("mm", "deg"), "angular velocity", 180.0 / math.pi, "°/s"),
        (("mm", "deg"), "moment", 1e3, "N mm"),
        (("mm", "deg"), "stress", 1e-6, "N/mm²"),
        (("mm", "deg"), "energy", 1.0, "J"),
        (("mm", "deg"), "power", 1.0, "W"),
        (("mm", "deg"), "momentum", 1e3, "mm kg/s"),
        (("rpm",), "angular velocity", 30.0 / math.pi, "rpm"),
        (("rpm",), "angle", 1.0, "rad"),
        (("lbf", "in"), "force", 1.0 / LBF, "lbf"),
        (("lbf", "in"), "moment", 1.0 / (LBF * INCH), "lbf in"),
        (("lbf", "ft"), "stress", FOOT**2 / LBF, "lbf/ft²"),
        (("Nmm",), "moment", 1e3, "Nmm"),
        (("Nmm",), "energy", 1.0, "J"),
        (("kJ",), "energy", 1e-3, "kJ"),
        (("kJ",), "moment", 1.0, "N m"),
        (("kW",), "power", 1e-3, "kW"),
        (("MPa",), "stress", 1e-6, "MPa"),
        (("ms",), "velocity", 1e-3, "m/ms"),
    ],
)
def test_units_that_are_asked_for_make_all_others(units, kind, factor, label):
    found = said(units, kind)
    assert found[0] == pytest.approx(factor, rel=1e-14) and found[1] == label


@pytest.mark.parametrize("system", SYSTEMS)
def test_numbers_of_every_system_are_the_same_quantities(system):
    s = SYSTEMS[system]
    si = {"position": s.metres, "velocity": s.metres, "force": s.newtons, "moment": s.joules, "energy": s.joules}
    si |= {"stress": s.newtons / s.metres**2, "momentum": s.kilograms * s.metres, "power": s.joules}
    asked = {
        "position": "m",
        "velocity": "m",
        "force": "N",
        "energy": "J",
        "stress": "Pa",
        "power": "W",
        "moment": "Nm",
    }
    for kind, unit in asked.items():
        assert said((unit,), kind, system)[0] == pytest.approx(si[kind], rel=1e-14), kind
    assert said(("kg", "m"), "momentum", system)[0] == pytest.approx(si["momentum"], rel=1e-14)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_is_not_asked_for_stays(system, kind):
    assert said((), kind, system) == (1.0, columns.unit(Model(system), kind))
    assert said(("h",), "position", system) == (1.0, SYSTEMS[system].length)


def test_a_result_answers_by_the_same_names(result):
    other = result.to("mm", "deg", "Nmm", "ms")
    assert np.array_equal(other["B"], 1e3 * result["B"])
    assert other.velocity("B") == pytest.approx(result.velocity("B"), rel=1e-14)  # mm/ms
    assert other.angle("crank") == pytest.approx(np.degrees(result.angle("crank")), rel=1e-14)
    assert other.coordinate("O") == pytest.approx(np.degrees(result.coordinate("O")), rel=1e-14)
    assert other.coordinate("guide") == pytest.approx(1e3 * result.coordinate("guide"), rel=1e-14)
    assert other.effort("motor") == pytest.approx(1e3 * result.effort("motor"), rel=1e-14)
    assert other.reaction("O", on="crank") == pytest.approx(result.reaction("O", on="crank"), rel=1e-14)
    assert np.array_equal(other.t, 1e3 * result.t)
    assert other["motor.effort"] == pytest.approx(1e3 * result.effort("motor"), rel=1e-14)
    assert dict(zip(other.columns(), other.units(), strict=True))["lever.omega"] == "°/ms"
    with pytest.raises(AttributeError, match="ask the result itself"):
        _ = other.closure
    with pytest.raises(pm.ModelError, match="no point and no column"):
        other["C.z"]


def test_files_are_written_in_other_units_and_read_back_as_what_they_are(result, tmp_path):
    pandas = pytest.importorskip("pandas")
    result.to("mm").to_csv(tmp_path / "mm.csv")
    assert pandas.read_csv(tmp_path / "mm.csv", comment="#")["B.x"].tolist() == (1e3 * result["B"][:, 0]).tolist()
    assert '"mm"' in (tmp_path / "mm.csv").read_text().split("\n# units: ")[1].split("\n")[0]
    assert np.array_equal(pm.read_result(tmp_path / "mm.csv")["B"], result["B"])
    frame = result.to("mm").to_dataframe()
    assert frame.attrs["units"]["B.x"] == "mm" and np.array_equal(frame["B.x"], 1e3 * result["B"][:, 0])


@pytest.mark.parametrize(
    ("units", "what"),
    [
        (("mn",), r"unit .mn. unknown \(did you mean"),
        (("mm", "in"), '"mm" and "in" are units of one quantity'),
        (("m m",), "unknown"),
        ((3,), "unknown"),
    ],
)
def test_unknown_units_are_refused_in_one_line(result, units, what):
    with pytest.raises(pm.ModelError, match=what):
        result.to(*units)


def test_pages_and_charts_are_in_other_units(result, tmp_path, capsys):
    def scene_of(text):
        return json.loads(re.search(r'id="scene">(.*?)</script>', text)[1].replace("\\u003c", "<"))

    paper = scene_of(page.page(result, units=("mm", "deg", "kN")))
    units = {q["name"]: q["unit"] for q in paper["quantities"]}
    assert (units["B.x"], units["lever.omega"], units["motor.effort"]) == ("mm", "°/s", "kN mm")
    assert {a["name"]: a["unit"] for a in paper["arrows"]}["velocity"] == "mm/s"
    pytest.importorskip("matplotlib")
    from particlemech import view

    figure = view.series(result, ["lever.omega", "B.x"], units=["mm", "rpm"])
    assert [ax.get_ylabel() for ax in figure.axes] == ["angular velocity [rpm]", "position [mm]"]
    (line,) = figure.axes[1].get_lines()
    assert np.array_equal(line.get_ydata(), 1e3 * result["B"][:, 0])
    words = ["quick_return", "--duration", "0.1", "--samples", "5"]
    main(["run", *words, "--units", "mm", "-o", str(tmp_path / "a.csv")])  # too short for the [check] of the model
    own = pm.read_result(tmp_path / "a.csv")  # in the units of the model
    text = [line for line in (tmp_path / "a.csv").read_text().splitlines() if not line.startswith("#")]
    first = dict(zip(text[0].split(","), map(float, text[1].split(",")), strict=True))
    assert first["crank.x"] == pytest.approx(1e3 * own.com("crank")[0, 0], rel=1e-15)
    assert main(["plot", words[0], "lever.omega", *words[1:], "--units", "rpm", "-o", str(tmp_path / "a.svg")]) == 0
    assert main(["view", *words, "--units", "mm,deg", "-o", str(tmp_path / "a.html")]) == 0
    assert scene_of((tmp_path / "a.html").read_text("utf-8"))["quantities"][0]["unit"] == "mm"
    capsys.readouterr()
    for wrong in (
        ["run", *words, "--units", "mm"],
        ["plot", words[0], "energy", *words[1:], "--units", "J", "-o", "x.svg"],
    ):
        assert main(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_currents_are_drawn_in_amperes_whatever_units_are_asked_for(tmp_path):
    pendulum = pm.models.load("pendulum")
    joint = next(iter(pendulum.joints))
    winding = {"voltage": 12.0, "resistance": 0.8, "constant": 0.05, "inductance": 0.02}
    result = pm.simulate(
        pendulum.replaced(forces={"motor": pm.forces.DcMotor(joint=joint, **winding)}), duration=0.1, samples=9
    )
    assert Wanted(["mm", "deg"]).of("A") == (1.0, "A")
    figure = pm.view.series(result, ["motor.current"])
    assert any("[A]" in axes.get_ylabel() for axes in figure.axes)


def test_losses_are_powers():
    rubbing = pm.models.load("quick_return_friction")
    assert columns.unit_of(rubbing, "O.loss") == "W"
    assert said(["kW"], columns.quantity(rubbing, "guide.loss")) == (1e-3, "kW")
