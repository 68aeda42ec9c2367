"""Whatever a file of a chain of bending bodies holds: one line that names the part, the numbers and a cure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech import check
from particlemech.analyses.influence.lagrange import compared
from particlemech.engine.recursive.equations import system
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.space.parts import Body
from tests.support.broken_flexible import BROKEN, GOOD, RUNNING

BEND = [{"along": "y", "shape": [0, 0, 1]}]


def test_the_table_is_large_and_names_are_unique():
    assert len(BROKEN) >= 40
    assert len({name for name, *_ in BROKEN}) == len(BROKEN)


def test_the_file_all_cases_start_from_is_good():
    mechanism = toml.loads(GOOD)
    assert mechanism.bends
    assert check(mechanism).dof == mechanism.check.dof == 18


@pytest.mark.parametrize(("old", "new", "words"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_reading_says_in_one_line_what_is_wrong(old, new, words, tmp_path: Path):
    path = tmp_path / "broken.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ModelError) as caught:
        system(toml.load(path))
    message = str(caught.value)
    print(message)
    assert message.isprintable()
    assert len(message) <= toml.LONGEST_MESSAGE
    for word in words:
        assert word in message


@pytest.mark.parametrize(("old", "new"), [case[1:3] for case in RUNNING], ids=[case[0] for case in RUNNING])
def test_what_is_not_one_chain_runs_and_agrees_with_lagrange(old, new):
    text = GOOD.replace(old, new, 1)
    start, end = text.index("[initial]"), text.index("[run]") if "[impulses" not in text else text.index("[impulses")
    mechanism = toml.loads(text[:start] + text[end:])  # a start of its own need not go with it
    run = pm.simulate(mechanism, duration=0.05, samples=3, rtol=1e-9)
    assert run.status is pm.Status.COMPLETED
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    for what, largest, size, *_ in compared(run, 3):
        assert largest <= 1e-9 * size, what


def test_a_drive_that_yields_without_a_rotor_is_named():
    free = toml.loads(GOOD.replace("rotor = 0.4", "stiffness = 10.0", 1))
    with pytest.raises(ModelError, match=r'joint "elbow": nothing resists its (angle|deflection)'):
        pm.simulate(free)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no numbers"),
        ("x, value\n", "holds no numbers"),
        ("0, 0, 1\n1, 1, 1\n", "two columns"),
        ("0, 0\n0.5, lots\n", "line 2"),
        ("0, 0\n1, nan\n", "finite number"),
        ("0.5, 0\n1, 1\n", "first place is 0.5"),
    ],
)
def test_a_file_of_a_table_is_judged_with_its_name(content, words, tmp_path: Path):
    (tmp_path / "shape.csv").write_text(content)
    path = tmp_path / "arm.toml"
    table = "{ x = [0.0, 5.0, 10.0], value = [0.0, 0.25, 1.0] }"
    path.write_text(GOOD.replace(table, '"shape.csv"'))
    with pytest.raises(ModelError) as caught:
        system(toml.load(path))
    assert words in str(caught.value)
    assert 'body "fore"' in str(caught.value)


def test_a_file_with_a_near_name_is_suggested(tmp_path: Path):
    (tmp_path / "shapes.csv").write_text("0, 0\n1, 1\n")
    path = tmp_path / "arm.toml"
    path.write_text(GOOD.replace("{ x = [0.0, 5.0, 10.0], value = [0.0, 0.25, 1.0] }", '"shape.csv"'))
    with pytest.raises(ModelError, match=r'did you mean "shapes\.csv"'):
        toml.load(path)


def clamped(modes):
    """Return one bending body in a wall."""
    tables = {
        "points": {"A": (0, 0, 0), "B": (1, 0, 0)},
        "bodies": {"l": {"points": ("A", "B"), "mass": 1.0, "EI": 1.0, "modes": modes}},
        "joints": {"a": {"type": "weld", "bodies": ("ground", "l")}},
    }
    return toml.from_dict({"kind": "spatial", **tables})


def test_a_rough_function_is_no_shape():
    for function, words in (
        (lambda s: abs(s - 0.3) - 0.3, "too rough"),
        (lambda s: s * s / (s - 1.0) if s < 1.0 else np.inf, "not finite|too rough"),
        (lambda s: "x", "fails"),
    ):
        modes = [{"along": "y", "shape": function}]
        with pytest.raises(ModelError, match=words):
            system(clamped(modes))


def test_a_python_function_cannot_be_written():
    made = clamped([{"along": "y", "shape": lambda s: s * s}])
    with pytest.raises(ModelError, match="Python function"):
        toml.dumps(made)


@pytest.mark.parametrize("cut", range(0, len(GOOD), 97))
def test_a_file_cut_off_anywhere_never_ends_in_another_error(cut):
    try:
        mechanism = toml.loads(GOOD[:cut])
        system(mechanism)
    except ModelError as error:
        assert str(error).isprintable()
    else:
        assert mechanism.bodies


@pytest.mark.parametrize("seed", range(60))
def test_garbled_files_never_end_in_another_error(seed):
    rng = np.random.default_rng(seed)
    data = bytearray(GOOD.encode())
    for place in rng.integers(0, len(data), 3):
        data[place] = rng.integers(32, 127)
    try:
        mechanism = toml.loads(data.decode())
        system(mechanism)
    except ModelError as error:
        assert str(error).isprintable()
    else:
        assert mechanism.bodies


VALUES = (None, True, 3, -1.5, float("nan"), "x", "", [], [1.0], [[1.0]], {}, {"type": "sine"}, {"x": 1}, [1, 2, 3])


@pytest.mark.parametrize("section", ["bodies", "joints", "drivers", "forces"])
def test_no_value_of_any_key_ends_in_another_error(section):
    tables = toml.to_dict(toml.loads(GOOD))
    for name, content in tables[section].items():
        for word in content:
            for value in VALUES:
                changed = {**tables, section: {**tables[section], name: {**content, word: value}}}
                try:
                    system(toml.from_dict(changed))
                except ModelError as error:
                    assert str(error).isprintable()


def test_a_body_says_so_in_python_too():
    with pytest.raises(ModelError, match='"EI": is for bodies that bend, and one without modes is rigid'):
        Body(points=("A", "B"), mass=1.0, EI=2.0)
    with pytest.raises(ModelError, match='"modes": number 1'):
        Body(points=("A", "B"), mass=1.0, EI=2.0, modes=[{"along": "q", "shape": [0, 0, 1]}])
    assert Body(points=("A", "B"), mass=1.0, EI=2.0, modes=BEND).bends
