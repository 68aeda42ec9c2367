"""Files of results: exact, complete or absent, and with their provenance."""

import enum
import json
import math
import os
import subprocess
import sys

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from particlemech.errors import ModelError
from particlemech.result import export

COLUMNS = {"t": np.array([0.0, 0.1, 1 / 3]), "P.x": np.array([1e-300, -math.pi, math.nan])}
PROVENANCE = {"version": "0.1.0", "options": {"rtol": 1e-8, "cut": ("A", "B")}, "closure": np.float64(2.5e-13)}


@given(st.lists(st.floats(width=64), min_size=1, max_size=20))
def test_a_csv_file_reads_back_to_the_last_bit(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("csv") / "run.csv"
    export.write({"t": numbers}, {}, path)
    columns, _ = export.read_csv(path)
    assert np.array_equal(columns["t"], np.array(numbers), equal_nan=True)


def test_a_csv_file_starts_with_its_provenance_and_a_header(tmp_path):
    path = export.write(COLUMNS, PROVENANCE, tmp_path / "run.csv")
    lines = path.read_text().splitlines()
    assert lines[0] == '# version: "0.1.0"'
    assert lines[3:] == ["t,P.x", "0.0,1e-300", "0.1,-3.141592653589793", "0.3333333333333333,nan"]
    columns, provenance = export.read_csv(path)
    assert list(columns) == ["t", "P.x"]
    assert provenance == {"version": "0.1.0", "options": {"rtol": 1e-8, "cut": ["A", "B"]}, "closure": 2.5e-13}


def test_a_csv_file_can_be_read_by_pandas(tmp_path):
    path = export.write(COLUMNS, PROVENANCE, tmp_path / "run.csv")
    frame = pandas.read_csv(path, comment="#")
    for name, column in COLUMNS.items():
        assert np.allclose(frame[name].to_numpy(), column, rtol=1e-15, atol=0.0, equal_nan=True)


def test_an_npz_file_holds_the_same_columns_and_provenance(tmp_path):
    path = export.write(COLUMNS, PROVENANCE, tmp_path / "run.npz")
    with np.load(path) as file:
        assert json.loads(str(file["provenance"]))["options"]["cut"] == ["A", "B"]
        for name, column in COLUMNS.items():
            assert np.array_equal(file[name], column, equal_nan=True)


def test_a_json_file_is_strict_and_says_null_for_what_is_not_determined(tmp_path):
    path = export.write(COLUMNS, PROVENANCE, tmp_path / "run.json")

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    content = json.loads(path.read_text(), parse_constant=refuse)
    assert content["columns"]["P.x"] == [1e-300, -math.pi, None]
    assert content["provenance"]["version"] == "0.1.0"


def test_provenance_may_hold_statuses_and_odd_objects(tmp_path):
    Status = enum.Enum("Status", {"LOCKED": "locked"})
    path = export.write({"t": [0.0]}, {"status": Status.LOCKED, "file": tmp_path, "loss": math.inf}, tmp_path / "a.csv")
    assert export.read_csv(path)[1] == {"status": "locked", "file": str(tmp_path), "loss": None}


def test_the_suffix_is_read_without_regard_to_case(tmp_path):
    assert export.read_csv(export.write({"t": [1.0]}, {}, tmp_path / "RUN.CSV"))[0]["t"] == [1.0]


def test_an_unknown_suffix_lists_the_known_ones(tmp_path):
    with pytest.raises(ModelError, match=r"run\.xlsx.*\.csv, \.npz, \.json"):
        export.write(COLUMNS, PROVENANCE, tmp_path / "run.xlsx")
    assert os.listdir(tmp_path) == []


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(ModelError, match=r'no directory ".*nowhere"'):
        export.write(COLUMNS, PROVENANCE, tmp_path / "nowhere" / "run.csv")


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "run.csv").mkdir()
    with pytest.raises(ModelError, match="a directory has this name"):
        export.write(COLUMNS, PROVENANCE, tmp_path / "run.csv")


def test_a_directory_that_forbids_writing_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ModelError, match="does not permit it"):
        export.write(COLUMNS, PROVENANCE, tmp_path / "run.csv")


def test_a_full_disk_is_a_clear_error_and_leaves_no_file(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match="No space left on device"):
        export.write(COLUMNS, PROVENANCE, tmp_path / "run.csv")
    assert os.listdir(tmp_path) == []


class Stops:
    """A value that cannot be turned into text or numbers, because the user pressed Ctrl-C just then."""

    def __init__(self, stop):
        self.stop = stop

    def __array__(self, *_, **__):
        raise self.stop

    def __str__(self):
        raise self.stop


@pytest.mark.parametrize("suffix", sorted(export.WRITERS))
@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("columns, provenance", [(True, False), (False, True)])
def test_an_interrupted_writer_leaves_the_old_file_untouched(tmp_path, suffix, stop, columns, provenance):
    path = tmp_path / f"run{suffix}"
    path.write_text("old")
    with pytest.raises(stop):
        export.write(
            {"t": [0.0], "A.x": Stops(stop) if columns else [0.0]},
            {"first": 1, "second": Stops(stop) if provenance else 2},
            path,
        )
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_columns_of_different_length_are_refused_and_leave_no_file(tmp_path):
    with pytest.raises(ValueError, match="zip"):
        export.write({"t": [0.0, 1.0], "P.x": [0.0]}, {}, tmp_path / "run.csv")
    assert os.listdir(tmp_path) == []


def test_a_link_stays_a_link_to_the_written_file(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "run.csv").symlink_to(tmp_path / "real.csv")
    export.write({"t": [2.0]}, {}, tmp_path / "run.csv")
    assert (tmp_path / "run.csv").is_symlink()
    assert export.read_csv(tmp_path / "real.csv")[0]["t"] == [2.0]


def test_a_csv_writer_called_by_name_takes_any_suffix(tmp_path):
    export.write_csv({"t": [3.0]}, {}, tmp_path / "run.txt")
    assert export.read_csv(tmp_path / "run.txt")[0]["t"] == [3.0]


# -- what killed writers leave ---------------------------------------------------------------------------------------


def test_drafts_of_processes_that_are_gone_are_removed_by_the_next_write(tmp_path):
    """A child is killed while it writes; its draft stays, and goes with the next write to the same file only."""
    target = tmp_path / "run [1].csv"
    code = (
        "import os, sys\nfrom particlemech.result.export import aside\n"
        "with aside(sys.argv[1]) as file:\n    file.write(b'half'); file.flush(); os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(target)], check=False)
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "other.csv")], check=False)
    assert len(list(tmp_path.glob(".*.part"))) == 2
    with export.aside(target) as own:  # that of a living process stays
        with export.aside(target) as second:
            second.write(b"second")
        own.write(b"own")
    assert target.read_bytes() == b"own"
    assert [p.name.startswith(".other.csv.") for p in tmp_path.glob(".*.part")] == [True]
