"""What a synthesis leaves behind: mechanisms, files, cognates, the sheet, and the command."""

import re
import subprocess
import sys

import numpy as np
import pytest

import particlemech as pm
from particlemech import ModelError, SimulationError, synthesis
from particlemech.cli.main import main
from particlemech.synthesis.models import linkage_of
from tests.support.coupler_curves import missed
from tests.synthesis.test_generation import ARCH, FULL, QUARTER


@pytest.fixture(scope="module")
def arch():
    """Return candidates with rods of 2 kg/m."""
    return synthesis.path(ARCH, starts=500, turning=True, density=2.0)


def test_a_candidate_is_a_mechanism_that_every_verb_takes(arch):
    driven = arch.best.mechanism
    assert pm.check(driven).dof == 1
    assert "crank" in str(pm.toggles(driven))
    assert len(pm.assemblies(driven)) == 2
    result = pm.simulate(driven)
    assert result.status is pm.Status.COMPLETED
    assert max(np.hypot(*(result["P"] - p).T).min() for p in ARCH) < 0.05
    assert result["P"][-1] == pytest.approx(result["P"][0], abs=1e-6)  # after a turn


def test_without_a_density_masses_are_unknown_and_motion_is_known():
    driven = synthesis.path(ARCH, starts=300).best.mechanism
    assert set(driven.massless) == set(driven.bodies)
    assert np.isfinite(pm.cycle(driven, "motor")["P"]).all()


def test_the_coupler_of_rods_has_the_mass_and_inertia_of_its_three_sides(arch):
    driven = arch.best.mechanism
    corners = [np.array(driven.points[name]) for name in "ABP"]
    s = np.linspace(0.0, 1.0, 20001)[:-1] + 0.5 / 20000
    sides = [(corners[k], corners[k - 1]) for k in range(3)]
    dots = np.vstack([a + s[:, None] * (b - a) for a, b in sides])
    mass = np.concatenate([np.full(len(s), 2.0 * np.hypot(*(b - a)) / len(s)) for a, b in sides])
    com = mass @ dots / mass.sum()
    body = driven.bodies["coupler"]
    assert body.mass == pytest.approx(mass.sum())
    assert body.com == pytest.approx(com, abs=1e-9)
    assert body.inertia == pytest.approx(mass @ np.sum((dots - com) ** 2, axis=1), rel=1e-6)


def test_candidates_are_saved_as_models_that_read_back(arch, tmp_path):
    files = arch.save(tmp_path / "found")
    assert [pm.load(file) for file in files] == [candidate.mechanism for candidate in arch]


def test_candidates_are_ranked_and_none_is_there_twice(arch):
    assert [c.number for c in arch] == list(range(1, len(arch) + 1))
    angles = [c.transmission for c in arch]
    assert angles == sorted(angles, reverse=True)  # all are exact
    shapes = np.array([[*c.lengths.values(), *c.linkage.x[:4]] for c in arch])
    apart = np.abs(shapes[:, None] - shapes).max(axis=2) + 10.0 * np.eye(len(shapes))
    assert apart.min() > 0.1


def test_what_was_rejected_adds_up(arch):
    said = str(arch)
    assert said.splitlines()[-1] == arch.said
    linkages = arch.fine + sum(n for why, n in arch.rejected.items() if why != "no closed form")
    assert f"{len(arch)} candidates of {arch.fine} without defects among 500 starts, {linkages} linkages" in said


# -- cognates ----------------------------------------------------------------------------------------------------------


def test_three_cognates_trace_one_coupler_curve(arch):
    driven = arch.best.mechanism
    path = pm.cycle(driven, "motor", samples=91)["P"]
    for other in synthesis.cognates(driven, "P"):
        assert max(missed(other.points, place) for place in path) < 1e-9
        own = pm.cycle(other, "motor", (0.0, 0.2 * other.drivers["motor"].motion.rate), samples=11)["P"]
        assert max(missed(driven.points, place) for place in own) < 1e-9


def test_the_crank_of_the_second_cognate_moves_p_as_that_of_the_linkage_does(arch):
    driven = arch.best.mechanism
    right = synthesis.cognates(driven, "P")[1]
    one, other = (pm.cycle(m, "motor", (0.0, 6.0), samples=61)["P"] for m in (driven, right))
    assert other == pytest.approx(one, abs=1e-9)


def test_cognates_of_a_cognate_hold_the_linkage_itself(arch):
    driven = arch.best.mechanism
    lengths = sorted(arch.best.lengths.values())
    for other in synthesis.cognates(driven, "P"):
        again = [linkage_of(m, "P", "test")[0].lengths for m in synthesis.cognates(other, "P")]
        assert any(sorted(found.values()) == pytest.approx(lengths, rel=1e-9) for found in again)


def test_a_mechanism_that_has_no_cognates_is_refused():
    with pytest.raises(ModelError, match=r'cognates: takes a four-bar in the plane.*not "Slider-crank"'):
        synthesis.cognates(pm.models.load("slider_crank"), "B")
    with pytest.raises(ModelError, match='"A" is in a joint of the coupler'):
        synthesis.cognates(pm.models.load("four_bar"), "A")
    with pytest.raises(ModelError, match='"O" must be one of the coupler'):
        synthesis.cognates(pm.models.load("four_bar"), "O")


# -- pictures and the command ------------------------------------------------------------------------------------------


def test_a_sheet_shows_every_candidate_with_what_was_wanted(arch):
    plt = pytest.importorskip("matplotlib.pyplot")
    from particlemech import view

    poses = synthesis.motion(ARCH[:3], [0.0, 0.4, 1.2], linkage="slider-crank", starts=200, keep=5)
    log = synthesis.function(np.log10, (1, 2), crank=FULL, output=QUARTER, starts=50, keep=2)
    for found, axes in ((arch, len(arch)), (poses, len(poses)), (log, 2 * len(log))):
        figure = view.candidates(found)
        assert len(figure.axes) == axes
        titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
        assert [title.partition(":")[0] for title in titles] == [str(c.number) for c in found]
    plt.close("all")
    with pytest.raises(SimulationError, match="no candidate"):
        view.candidates(synthesis.path(ARCH, transmission=1.5, starts=10))


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_command_writes_models_and_a_sheet(capsys, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    table = written(tmp_path / "arch.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in ARCH))
    folder = tmp_path / "found"
    assert main(["synthesis", table, "-o", str(folder), "--starts", "300", "--keep", "3"]) == 0
    out = capsys.readouterr().out
    assert "3 candidates of" in out and "sheet written to" in out
    assert sorted(p.name for p in folder.iterdir()) == [*(f"candidate_{k}.toml" for k in (1, 2, 3)), "candidates.png"]
    assert main(["check", str(folder / "candidate_1.toml")]) == 0


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("x,y,crank", "0,0,0\n1,1,1\n2,0,2\n"),
        ("x,y,angle", "0,0,0\n2,1,0.4\n4,0,1.2\n"),
        ("crank,output", "0,0\n1,2\n2,3\n"),
    ],
)
def test_the_columns_of_a_table_say_what_is_wanted(capsys, tmp_path, head, rows):
    assert main(["synthesis", written(tmp_path / "t.csv", f"{head}\n{rows}"), "--starts", "200"]) == 0
    assert "without defects among 200 starts" in capsys.readouterr().out


def test_the_command_ends_with_one_where_nothing_is_without_defects(capsys, tmp_path):
    table = written(tmp_path / "arch.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in ARCH))
    assert main(["synthesis", table, "--starts", "50", "--transmission", "1.5"]) == 1
    assert "no candidate without defects among 50 starts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("a,b\n1,2\n", [], r"has columns a,b; needs one of x,y; x,y,crank; x,y,angle; crank,output"),
        ("", [], "has columns none"),
        ("x,y\n1,2\n3\n", [], "line 3 has 1 numbers, the first line 2 names"),
        ("x,y\n1,two\n", [], 'column "y": expected numbers, got "two"'),
        ("x,y\n1,inf\n", [], 'column "y": expected finite numbers'),
        ("x,y\n1,2\n", [], "give at least 3"),
        ("x,y\n0,0\n1,1\n2,0\n", ["--region", "1,2"], "--region takes 4 numbers"),
        ("x,y\n0,0\n1,1\n2,0\n", ["--linkage", "sixbar"], "linkage .* unknown"),
    ],
)
def test_bad_tables_and_words_are_one_line(capsys, tmp_path, text, words, said):
    assert main(["synthesis", written(tmp_path / "t.csv", text), *words]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert re.search(said, err)


def test_synthesis_is_imported_when_it_is_asked_for():
    code = (
        "import sys, particlemech as pm; pm.models.load('four_bar'); print(any('synthesis' in m for m in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]


def test_what_is_out_of_the_range_of_lengths_says_how_to_widen_it():
    crank = np.radians([0.0, 20.0, 40.0, 60.0, 80.0])
    far = synthesis.path(ARCH, crank, starts=20)
    assert "allow other lengths=(shortest, longest) than 0.05 to 5 of the task's size" in far.said
    found = synthesis.path(ARCH, crank, starts=20, lengths=(0.01, 1000.0))
    assert found.best.error < 1e-9 and repr(found.best).startswith("<Candidate 1: crank ")
