"""Files of results: CSV, NPZ and JSON, each with its provenance.

A writer takes columns (name -> numbers), provenance (key -> anything that JSON can say) and a path. A new format
is one such function and its suffix in WRITERS. Files are written aside, in the same directory, and renamed into
place: on an error or an interruption the old file, if any, stands untouched. What a killed writer left beside it is
removed by the next one.
"""

from __future__ import annotations

import csv
import enum
import glob
import json
import math
import os
import platform
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlemech.errors import ModelError

Columns = Mapping[str, ArrayLike]
Provenance = Mapping[str, Any]
Target = str | os.PathLike[str]
Writer = Callable[[Columns, Provenance, Target], None]


def write_csv(columns: Columns, provenance: Provenance, path: Target) -> None:
    """Write comment lines `# key: value`, a header, then numbers that read back to the last bit."""
    with aside(path) as file:
        for key, value in provenance.items():
            file.write(f"# {key}: {_json(value)}\n".encode())
        file.write((",".join(columns) + "\n").encode())
        for row in zip(*(np.asarray(c, dtype=float).tolist() for c in columns.values()), strict=True):
            file.write((",".join(map(repr, row)) + "\n").encode())


def write_npz(columns: Columns, provenance: Provenance, path: Target) -> None:
    """Write one array per column, and the provenance as a JSON text under "provenance"."""
    arrays: dict[str, Any] = {name: np.asarray(c, dtype=float) for name, c in columns.items()}
    with aside(path) as file:
        np.savez_compressed(file, provenance=np.array(_json(provenance)), **arrays)


def write_json(columns: Columns, provenance: Provenance, path: Target) -> None:
    """Write {"provenance": {...}, "columns": {name: [...]}}; null stands for what is not determined."""
    content = {"provenance": provenance, "columns": {n: np.asarray(c, dtype=float) for n, c in columns.items()}}
    with aside(path) as file:
        file.write((_json(content) + "\n").encode())


WRITERS: dict[str, Writer] = {".csv": write_csv, ".npz": write_npz, ".json": write_json}


def write(columns: Columns, provenance: Provenance, path: Target) -> Path:
    """Write a result to a file whose suffix chooses the format.

    Parameters
    ----------
    columns : mapping
        Column names to numbers, all of one length.
    provenance : mapping
        Where the numbers come from.
    path : path
        The file, .csv, .npz or .json.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    ModelError
        If the suffix is unknown or the file cannot be written there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write({"t": [0.0, 0.1]}, {"version": "0.1.0"}, folder + "/run.csv")
    ...     print(file.read_text())
    # version: "0.1.0"
    t
    0.0
    0.1
    <BLANKLINE>
    """
    target = checked(path)
    WRITERS[target.suffix.lower()](columns, provenance, target)
    return target


def checked(path: Target, suffixes: Iterable[str] = tuple(WRITERS)) -> Path:
    """Return the path if a file of one of the suffixes can be written there; worth asking before a long run."""
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        raise ModelError(f'cannot write "{path}": its suffix must be one of {", ".join(suffixes)}')
    return _writable(target)


def write_text(text: str, path: Target) -> None:
    """Write a text, whole or not at all."""
    with aside(path) as file:
        file.write(text.encode("utf-8", "replace"))


def _writable(target: Path) -> Path:
    if target.is_dir():
        raise ModelError(f'cannot write "{target}": a directory has this name')
    if not target.parent.is_dir():
        raise ModelError(f'cannot write "{target}": there is no directory "{target.parent}"; make it first')
    if not os.access(target.parent, os.W_OK):
        raise ModelError(f'cannot write "{target}": the directory "{target.parent}" does not permit it')
    return target


def read_csv(path: Target) -> tuple[dict[str, NDArray[np.float64]], dict[str, Any]]:
    """Read a CSV file back: columns, each (K,), and provenance."""
    provenance: dict[str, Any] = {}
    rows: list[list[float]] = []
    names: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                key, _, value = line[1:].partition(":")
                provenance[key.strip()] = json.loads(value)
            elif not names:
                names = line.rstrip("\n").split(",")
            else:
                rows.append([float(word) for word in line.split(",")])
    table = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return {name: table[:, i].copy() for i, name in enumerate(names)}, provenance


def read_table(path: Target, what: str) -> dict[str, NDArray[np.float64]]:
    """Return the columns (K,) of a .csv file of a user's own; lines that begin with # are comments.

    Parameters
    ----------
    path
        The file: a first line of names, then lines of numbers.
    what
        What the file is, for messages.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(line for line in file if not line.startswith("#")) if row]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f'cannot read the {what} "{path}": {getattr(error, "strerror", None) or error}') from None
    head = [word.strip() for word in rows[0]] if rows else []
    columns: dict[str, list[float]] = {name: [] for name in head}
    for k, row in enumerate(rows[1:], start=2):
        if len(row) != len(head):
            raise ModelError(f'the {what} "{path}": line {k} has {len(row)} numbers, the first line {len(head)} names')
        for name, word in zip(head, row, strict=True):
            try:
                columns[name].append(float(word))
            except ValueError:
                raise ModelError(f'the {what} "{path}": column "{name}": expected numbers, got "{word}"') from None
            if not math.isfinite(columns[name][-1]):
                raise ModelError(f'the {what} "{path}": column "{name}": expected finite numbers, got "{word}"')
    return {name: np.array(values) for name, values in columns.items()}


@contextmanager
def aside(path: Target) -> Iterator[IO[bytes]]:
    """Open a file beside the target (of a link: beside what it points to), renamed to it on success only."""
    target = _writable(Path(path)).resolve()
    _clear(target)
    draft = target.with_name(f".{target.name}.{_HOST}-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ModelError(f'cannot write "{target}": {error.strerror or error}') from None
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


_HOST = f"{zlib.crc32(platform.node().encode()):08x}"  # processes are known on their own machine only


def _clear(target: Path) -> None:
    """Remove drafts of a target whose writers were killed: those of processes of this machine that are gone."""
    for draft in target.parent.glob(f".{glob.escape(target.name)}.{_HOST}-*.part"):
        number = draft.name.removeprefix(f".{target.name}.{_HOST}-").partition("-")[0]
        if number.isdecimal() and not _alive(int(number)):
            with suppress(OSError):
                draft.unlink()


def _alive(process: int) -> bool:
    """Whether a process of this machine runs; unknown is yes."""
    if os.name != "posix":
        return True  # there, asking by signal would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _json(value: Any) -> str:
    """Return strict JSON on one line."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return the value in the words of JSON; null for numbers it cannot say (nan, infinity)."""
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(v) for v in value]
    return str(value)
