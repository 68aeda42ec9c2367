"""`particlemech explain`: what a lecture needs of a tree, on one page, through the command line."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from particlemech import models
from particlemech.analyses import methods, text_table
from particlemech.analyses.explain import recursive
from particlemech.cli import main as cli
from particlemech.cli.main import main
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.space import Body, Initial, Mechanism, joints
from tests.support.random_trees import random_mechanism

CRANE = """
format = 1
kind = "spatial"
name = "Crane with a swinging load"
gravity = [0.0, 0.0, -10.0]

[bodies]
trolley = { mass = 3.0, com = [0.0, 0.0, 0.0], inertia = [1.0, 1.0, 1.0] }
load = { mass = 2.0, com = [0.0, 0.0, -4.0], inertia = [0.5, 0.5, 0.5] }
hook = { mass = 0.5, com = [0.0, 0.0, -5.0], inertia = [0.1, 0.1, 0.1] }

[joints]
rail = { type = "prismatic", bodies = ["ground", "trolley"], point = [0.0, 0.0, 0.0], axis = [1.0, 0.0, 0.0] }
rope = { type = "revolute", bodies = ["trolley", "load"], point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0] }
eye = { type = "weld", bodies = ["load", "hook"], point = [0.0, 0.0, -5.0] }

[drivers]
winch = { joint = "rail", motion = { type = "sine", amplitude = 0.5, frequency = 0.25, phase = 0.4 } }

[initial]
position = { rope = 0.3 }
rate = { rope = 0.0 }

[run]
integrator = "auto"
"""


@pytest.fixture
def crane(tmp_path):
    path = tmp_path / "crane.toml"
    path.write_text(CRANE)
    return str(path)


@pytest.fixture
def page(capsys):
    """Return what the command prints, after a look at its exit code and at the width of its lines."""

    def printed(*arguments, code=0):
        assert main(["explain", *arguments]) == code
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 120
        return text

    return printed


def rows(text, title):
    """Return the rows of a table as lists of words."""
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(title))
    body = lines[at + 3 :]
    end = body.index("") if "" in body else len(body)
    return [re.split(r"\s{2,}", line.strip()) for line in body[:end]]


def value(text, title, name):
    """Return the first number of the row of a table that begins with a name."""
    return float(next(row for row in rows(text, title) if row[0] == name)[1])


def test_a_page_names_bodies_coordinates_units_and_drivers(page, crane):
    text = page(crane)
    assert text.startswith("Crane with a swinging load\n3 bodies, 2 coordinates, 1 of them driven; units SI; t = 0 s\n")
    assert [row[:5] for row in rows(text, "Bodies")] == [
        ["trolley", "ground", "rail", "prismatic", "3"],
        ["load", "trolley", "rope", "revolute", "2"],
        ["hook", "load", "eye", "weld", "0.5"],
    ]
    travel, angle = rows(text, "Coordinates")
    start = 0.5 * math.sin(0.4)
    assert travel[0] == "rail.travel"
    assert float(travel[1]) == pytest.approx(start, rel=1e-5)
    assert travel[2:4] == ["m", "rail.travel'"]
    assert travel[5:] == ["m/s", "driver winch"]
    assert angle == ["rope.angle", "0.3", "rad", "rope.angle'", "0", "rad/s", "forces"]


def test_without_a_method_all_three_stand_side_by_side_and_agree(page, crane):
    text = page(crane)
    assert [row[:5] for row in rows(text, "Sizes")] == [
        ["newton-euler", "18", "1", "1", "16"],
        ["motion-law", "1", "1", "0", "0"],
        ["kane", "1", "1", "0", "0"],
    ]
    (row,) = rows(text, "Accelerations")
    assert row[0] == "rope.angle''"
    assert row[4] == "rad/s^2"
    mechanism = toml.loads(CRANE)
    for number, method in zip(row[1:4], ("newton-euler", "motion-law", "kane"), strict=True):
        assert float(number) == pytest.approx(methods.solved(mechanism, method).x_ddot[1], rel=1e-9)
    (effort,) = rows(text, "Efforts")
    assert effort[0] == "winch on rail.travel"
    assert effort[4] == "N"
    assert float(effort[1]) == pytest.approx(methods.solved(mechanism, "kane").efforts[0], rel=1e-9)
    assert re.search(r"The three methods agree: largest difference \d\.\de-1\d of", text)


def test_newton_and_euler_list_every_body_and_every_reaction(page, crane):
    text = page(crane, "--method", "newton-euler")
    assert rows(text, "Newton and Euler") == [
        ["trolley", "F", "1, 2, 3", "effort of winch, R1 R2 of rail across its axis"],
        ["trolley", "M about G", "1, 2, 3", "T1 T2 T3 of rail"],
        ["load", "F", "1, 2, 3", "R1 R2 R3 of rope"],
        ["load", "M about G", "1, 2, 3", "rope.angle'', T1 T2 of rope across its axis"],
        ["hook", "F", "1, 2, 3", "R1 R2 R3 of eye"],
        ["hook", "M about G", "1, 2, 3", "T1 T2 T3 of eye"],
    ]
    rail = next(line.split() for line in text.splitlines() if line.strip().startswith("rail  ") and "trolley" in line)
    found = methods.solved(toml.loads(CRANE), "newton-euler")
    assert rail[2:4] == [".", "."]  # none along the rail, none across the plane
    assert float(rail[4]) == pytest.approx(found.force[1, 2], rel=1e-3)


def test_the_motion_law_takes_all_that_hangs_on_a_joint_as_one_free_body(page, crane):
    text = page(crane, "--method", "motion-law")
    (row,) = rows(text, "Motion law")
    assert row[:2] == ["load, hook", "M about O of rope"]
    assert row[-1] == "rope.angle''"
    assert row[2:-1] == [".", "1", "."]


def test_kane_shows_the_partial_velocities_and_a_dot_for_every_zero(page, crane):
    text = page(crane, "--method", "kane")
    assert rows(text, "Kane") == [["load, hook", "F1 + F*1", "u1 = rope.angle'", "u1'"]]
    assert rows(text, "Partial angular velocities") == [
        ["trolley", ".", ".", "."],
        ["load", ".", "1", "."],
        ["hook", ".", "1", "."],
    ]
    s, c = math.sin(0.3), math.cos(0.3)
    for (_, x, y, z), length in zip(rows(text, "Partial velocities")[1:], (4.0, 5.0), strict=True):
        # e_y x (-s, 0, -c) = (-c, 0, s)
        assert (float(x), y, float(z)) == (
            pytest.approx(-length * c, rel=1e-3),
            ".",
            pytest.approx(length * s, rel=1e-3),
        )


def test_a_time_moves_the_tree_there_first(page, crane):
    later = page(crane, "--time", "1.5")
    assert "t = 1.5 s" in later
    travel, angle = rows(later, "Coordinates")
    assert float(travel[1]) == pytest.approx(0.5 * math.sin(0.75 * math.pi + 0.4), rel=1e-5)
    assert float(angle[1]) != 0.3
    assert value(later, "Accelerations", "rope.angle''") != value(page(crane), "Accelerations", "rope.angle''")


@pytest.mark.parametrize("time", ["-1", "soon", "inf"])
def test_a_time_before_the_start_is_bad_input(crane, time, capsys):
    assert main(["explain", crane, f"--time={time}"]) == 2
    assert "must be a time from 0 on" in capsys.readouterr().err


def test_a_shipped_tree_is_known_by_its_bare_name(page):
    text = page("space_manipulator", "--method", "kane")
    assert "7 bodies, 14 coordinates; units slug-inch" in text
    assert "base.omega1" in text  # speeds of a quaternion are components of the angular velocity
    assert len(rows(text, "Kane")) == 14


def test_a_mechanism_in_the_plane_is_told_that_this_page_is_for_trees():
    with pytest.raises(ModelError, match="explain takes a mechanism in space"):
        recursive.explained(models.load("four_bar"))


def test_an_unknown_method_is_one_line_and_code_2(crane, capsys):
    assert main(["explain", crane, "--method", "lagrange"]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "'newton-euler', 'motion-law', 'kane'" in shown
    with pytest.raises(ModelError, match='method "kan" unknown'):
        recursive.explained(toml.loads(CRANE), "kan")


def test_the_command_line_knows_the_methods_of_the_library():
    assert tuple(methods.METHODS) == cli.METHODS


@pytest.mark.parametrize("method", [None, *methods.METHODS])
def test_long_tables_are_cut_and_say_by_how_much(method):
    lines, agreed = recursive.explained(models.hanging_chain(40), method)
    assert agreed
    cut = {int(found[1]) for line in lines if (found := re.fullmatch(r"  \.\.\. and (\d+) more (?:rows|speeds)", line))}
    assert 40 - text_table.LONGEST in cut  # bodies
    assert 80 - text_table.LONGEST in cut  # coordinates, and the equations of two of the methods
    assert (method == "kane") == (80 - recursive.ABREAST * recursive.BLOCKS in cut)
    assert len(lines) < 700


def test_a_tree_too_large_for_a_page_is_refused():
    with pytest.raises(ModelError, match="has 201 bodies; explain is for at most 200"):
        recursive.explained(models.hanging_chain(201))


def test_long_names_give_way_and_numbers_stay_whole():
    name = "a body with a name that nobody would want to write twice or to read more than once in a lecture"
    rod = Body(mass=1.234567, com=(0.1234567, -0.7654321, 0.5555555), inertia=(1.0, 1.0, 1.0))
    made = Mechanism(
        bodies={name: rod},
        joints={name + " joint": joints.Revolute(bodies=("ground", name), point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))},
        gravity=(0.0, 0.0, -9.81),
    )
    for method in (None, *methods.METHODS):
        lines, _ = recursive.explained(made, method)
        assert max(map(len, lines)) <= 120
        assert any("0.1235  -0.7654   0.5556" in line for line in lines)


def test_at_gimbal_lock_the_page_says_what_is_not_determined():
    rod = Body(mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.3, 0.3, 0.1))
    locked = Mechanism(
        gravity=(0.0, -9.81, 0.0),
        bodies={"rod": rod},
        joints={"spherical": joints.Spherical(bodies=("ground", "rod"), point=(0.0, 0.0, 0.0), coordinates="angles")},
        initial=Initial(position={"spherical": (0.0, math.pi / 2.0, 0.0)}),
    )
    lines, agreed = recursive.explained(locked)
    assert agreed
    assert any(line.startswith("Not determined: spherical.angle1'', spherical.angle3''. ") for line in lines)


def test_methods_that_differ_are_told_apart_and_fail(crane, capsys, monkeypatch):
    right = methods.METHODS["motion-law"]

    def wrong(at):
        found = right(at)
        return type(found)(**{**vars(found), "x_ddot": found.x_ddot + np.where(at.turn, 1e-6, 0.0)})

    monkeypatch.setitem(methods.METHODS, "motion-law", wrong)
    assert main(["explain", crane]) == 1
    assert "The three methods DO NOT AGREE" in capsys.readouterr().out


def test_any_tree_can_be_explained_by_any_method(rng):
    for _ in range(10):
        made = random_mechanism(rng, int(rng.integers(1, 8)))
        for method in (None, *methods.METHODS):
            lines, agreed = recursive.explained(made, method)
            assert agreed
            assert max(map(len, lines)) <= 120
