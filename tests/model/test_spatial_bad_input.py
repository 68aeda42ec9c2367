"""Whatever a file of a mechanism in space holds: one line that names the part, the numbers and a cure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.space import Initial
from tests.support.broken_spatial import BROKEN, GOOD
from tests.support.second_opinion import natural


def test_the_table_is_large_and_names_are_unique():
    assert len(BROKEN) >= 100
    assert len({name for name, *_ in BROKEN}) == len(BROKEN)


def test_the_file_all_cases_start_from_is_good():
    assert toml.loads(GOOD).check.dof == 4


@pytest.mark.parametrize(("old", "new", "words"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_reading_says_in_one_line_what_is_wrong(old, new, words, tmp_path: Path):
    path = tmp_path / "broken.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ModelError) as caught:
        toml.load(path)
    message = str(caught.value)
    print(message)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) <= toml.LONGEST_MESSAGE
    for word in words:
        assert word in message


def test_a_mechanism_needs_a_body():
    with pytest.raises(ModelError, match='section "bodies": a mechanism needs at least one body'):
        toml.loads('kind = "spatial"\nbodies = {}\n')


def test_a_drawing_in_space_without_its_kind_is_told_of_it():
    with pytest.raises(ModelError, match=r'two numbers .* kind = "spatial"'):
        toml.loads('[points]\ntip = [0.0, 0.0, 1.0]\n[bodies.main]\nmass = 1.0\npoints = ["tip"]\n')


def test_a_driver_that_pulls_at_a_dead_centre_is_named():
    """C is drawn where its circle about D ends in y, and is to move along y."""
    with pytest.raises(ModelError, match='driver "held" asks for a speed that cannot be'):
        natural(toml.loads(GOOD).replaced(drivers={"ram": None}, initial=Initial()))


@pytest.mark.parametrize("cut", range(0, len(GOOD), 61))
def test_a_file_cut_off_anywhere_never_ends_in_another_error(cut):
    try:
        mechanism = toml.loads(GOOD[:cut])
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
    except ModelError as error:
        assert str(error).isprintable()
    else:
        assert mechanism.bodies


VALUES = (None, True, 3, -1.5, float("nan"), "x", "", [], [1.0], [[1.0]], {}, {"type": "sine"}, {"x": 1}, [1, 2, 3])


def places(tables, path=()):
    """Return where all values of nested tables are."""
    for key, value in tables.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from places(value, (*path, key))


@pytest.mark.parametrize("place", list(places(toml.to_dict(toml.loads(GOOD)))), ids=".".join)
def test_any_value_in_any_place_is_read_or_refused_with_a_model_error(place):
    for value in VALUES:
        tables = toml.to_dict(toml.loads(GOOD))
        table = tables
        for key in place[:-1]:
            table = table[key]
        table[place[-1]] = value
        try:
            mechanism = toml.from_dict(tables)
        except ModelError as error:
            assert str(error).isprintable()
        else:
            assert mechanism.bodies
