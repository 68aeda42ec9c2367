"""Whatever a model file holds: one line that names the part and a cure, no traceback, no output file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from particlemech.errors import ModelError
from particlemech.model import toml
from tests.support.broken_files import BROKEN, GOOD, NUMERIC, Broken

READABLE = [broken for broken in BROKEN if not broken.numeric]


def ids(cases: tuple[Broken, ...] | list[Broken]) -> list[str]:
    """Return the names of the cases."""
    return [case.id for case in cases]


def written(broken: Broken, folder: Path) -> Path:
    """Return the path of a file with the content of a case."""
    path = folder / f"broken{broken.suffix}"
    path.write_bytes(broken.data)
    return path


def test_the_table_is_large_and_names_are_unique() -> None:
    assert len(BROKEN) >= 70
    assert len({broken.id for broken in BROKEN}) == len(BROKEN)


def test_the_file_all_cases_start_from_is_good() -> None:
    assert toml.loads(GOOD).check.dof == 1


@pytest.mark.parametrize("broken", READABLE, ids=ids(READABLE))
def test_reading_says_in_one_line_what_is_wrong(broken: Broken, tmp_path: Path) -> None:
    path = written(broken, tmp_path)
    with pytest.raises(ModelError) as caught:
        toml.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) <= toml.LONGEST_MESSAGE
    for word in broken.words:
        assert word in message


@pytest.mark.parametrize("broken", NUMERIC, ids=ids(NUMERIC))
def test_files_that_only_numbers_can_judge_are_read(broken: Broken, tmp_path: Path) -> None:
    assert toml.load(written(broken, tmp_path)).bodies


@pytest.mark.parametrize("broken", NUMERIC, ids=ids(NUMERIC))
def test_simulation_names_the_part_that_cannot_be_satisfied(broken: Broken, tmp_path: Path) -> None:
    from particlemech.run.simulate import simulate

    mechanism = toml.load(written(broken, tmp_path))
    with pytest.raises(ModelError) as caught:
        simulate(mechanism)
    for word in broken.words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("broken", BROKEN, ids=ids(BROKEN))
def test_the_command_line_ends_with_code_2_and_writes_nothing(
    broken: Broken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from particlemech.cli.main import main

    path, output = written(broken, tmp_path), tmp_path / "output.csv"
    assert main(["run", str(path), "-o", str(output)]) == 2
    error = capsys.readouterr().err
    # the notice of a first run, when kernels are compiled, is no complaint
    assert len([line for line in error.splitlines() if not line.startswith("compiling")]) == 1
    assert "Traceback" not in error
    for word in broken.words:
        assert word in error
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "four_bar.toml").write_text(GOOD)
    with pytest.raises(ModelError, match=r'no such file \(did you mean "four_bar.toml"\?\)'):
        toml.load(tmp_path / "four_bra.toml")


def test_a_missing_file_in_an_empty_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file; check the name"):
        toml.load(tmp_path / "four_bar.toml")


@pytest.mark.parametrize(
    "place", ["", "nowhere/model.toml", "a\0b.toml", "x" * 5000], ids=["folder", "no", "nul", "long"]
)
def test_places_that_hold_no_file_are_model_errors(place: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        toml.load(f"{tmp_path}/{place}")
    assert str(caught.value).isprintable()


def test_a_folder_is_called_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a directory; name a model file in it"):
        toml.load(tmp_path)


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(ModelError, match="larger than 16 MiB"):
        toml.load("/dev/zero")


@pytest.mark.parametrize("value", [None, 3, b"points", ["points"]], ids=["none", "number", "bytes", "list"])
def test_what_is_no_text_or_table_is_a_model_error(value: object) -> None:
    with pytest.raises(ModelError, match="expected the text"):
        toml.loads(value)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="expected a table"):
        toml.from_dict(value)  # type: ignore[arg-type]


def test_many_parts_are_read_in_reasonable_time() -> None:
    count = 5000
    points = "".join(f"p{i} = [{i}.0, 0.0]\n" for i in range(count + 1))
    bodies = "".join(f'[bodies.b{i}]\npoints = ["p{i}", "p{i + 1}"]\nmass = 1.0\n' for i in range(count))
    start = time.perf_counter()
    with pytest.raises(ModelError, match='point "p1"'):
        toml.loads(f"[points]\n{points}{bodies}")
    assert time.perf_counter() - start < 20.0


@pytest.mark.parametrize("cut", range(0, len(GOOD), 97))
def test_a_file_cut_off_anywhere_never_ends_in_another_error(cut: int) -> None:
    try:
        mechanism = toml.loads(GOOD[:cut])
    except ModelError as error:
        assert str(error).isprintable()
    else:
        assert mechanism.bodies


@pytest.mark.parametrize("seed", range(40))
def test_garbled_files_never_end_in_another_error(seed: int, tmp_path: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(seed)
    data = bytearray(GOOD.encode())
    for place in rng.integers(0, len(data), 3):
        data[place] = rng.integers(32, 127) if seed % 4 else rng.integers(0, 256)
    path = tmp_path / "garbled.toml"
    path.write_bytes(bytes(data))
    try:
        mechanism = toml.load(path)
    except ModelError as error:
        assert str(error).startswith(f"{path}: ")
    else:
        assert mechanism.bodies
