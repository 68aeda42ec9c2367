"""A folder that keeps what a sweep has found so far: a sweep that is killed goes on where it was.

    sweep.json           what the sweep is: written first, compared when it goes on; a store of another is refused
    cases-<n>-<id>.npz   outcomes of cases that came back together, each file whole or not there

A file is written beside its place, brought to the disk and renamed. So nothing that was kept is computed again, and
what was under way when the process died is computed once more: numbers do not depend on who computes them, or when.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from particlemech.batch.dataset import Outcome
from particlemech.errors import ModelError
from particlemech.result.export import aside, write_text

SAID, CASES = "sweep.json", "cases-*.npz"
FORMAT = 1


class Store:
    """The folder of one sweep.

    Parameters
    ----------
    folder
        Made if it is not there; an existing one must be empty, or hold the same sweep.
    said
        What identifies the sweep, by what a user would call it; values that JSON can hold.
    """

    def __init__(self, folder: str | os.PathLike[str], said: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        said = json.loads(json.dumps({"format": FORMAT, **said}))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / SAID).exists():
                if any(self.folder.iterdir()):
                    raise ModelError(f'store "{self.folder}" is no store and not empty; name an empty or a new folder')
                write_text(json.dumps(said, indent=1), self.folder / SAID)
            before = json.loads((self.folder / SAID).read_text())
        except OSError as error:
            raise ModelError(f'store "{self.folder}" cannot be used: {error.strerror or error}') from None
        except json.JSONDecodeError:
            raise ModelError(f'store "{self.folder}": {SAID} cannot be read; name another folder') from None
        other = [name for name in {**said, **before} if said.get(name) != before.get(name)]
        if other:
            name = other[0]
            raise ModelError(
                f'store "{self.folder}" holds another sweep: its {name} {_short(before.get(name))}, here '
                f"{_short(said.get(name))}; name another folder, or take this one away"
            )

    def known(self) -> dict[int, Outcome]:
        """Return the outcomes that are kept, by case."""
        found: dict[int, Outcome] = {}
        for path in sorted(self.folder.glob(CASES)):
            try:
                with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                    found |= _unpacked({name: file[name] for name in file.files})
            except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
                raise ModelError(f'store "{self.folder}": {path.name} cannot be read ({error}); take it away') from None
        return found

    def keep(self, outcomes: Mapping[int, Outcome]) -> None:
        """Keep outcomes by case; when this returns they are on the disk."""
        with aside(self.folder / f"cases-{min(outcomes):08d}-{uuid.uuid4().hex[:12]}.npz") as file:
            np.savez(file, **_packed(outcomes))


def digest(*parts: Any) -> str:
    """Return a short text that tells whether things are the same."""
    whole = hashlib.sha256()
    for one in parts:
        whole.update(one if isinstance(one, bytes) else repr(one).encode())
        whole.update(b"\\0")
    return whole.hexdigest()[:16]


def _short(value: Any) -> str:
    if value is None:
        return "are not known"
    text = json.dumps(value)
    return "are " + (text if len(text) <= 60 else text[:57] + "...")


# -- outcomes as arrays: one array for all values of a quantity that have one shape ----------------------------------


def _packed(outcomes: Mapping[int, Outcome]) -> dict[str, Any]:
    cases = list(outcomes)
    arrays: dict[str, Any] = {
        "case": np.array(cases, dtype=np.int64),
        "status": np.array([outcomes[k].status for k in cases], dtype=str),
        "message": np.array([outcomes[k].message for k in cases], dtype=str),
        "samples": np.array([outcomes[k].samples for k in cases], dtype=np.int64),
    }
    groups: dict[tuple[str, tuple[int, ...], str], list[int]] = {}
    for place, k in enumerate(cases):
        for name, value in outcomes[k].values.items():
            groups.setdefault((name, np.shape(value), np.asarray(value).dtype.str), []).append(place)
    arrays["names"] = np.array([name for name, _, _ in groups], dtype=str)
    for j, ((name, _, _), places) in enumerate(groups.items()):
        arrays[f"where{j}"] = np.array(places, dtype=np.int64)
        arrays[f"value{j}"] = np.array([outcomes[cases[place]].values[name] for place in places])
    return arrays


def _unpacked(arrays: Mapping[str, Any]) -> dict[int, Outcome]:
    cases: Sequence[int] = arrays["case"].tolist()
    values: list[dict[str, Any]] = [{} for _ in cases]
    for j, name in enumerate(arrays["names"].tolist()):
        for place, value in zip(arrays[f"where{j}"].tolist(), arrays[f"value{j}"], strict=True):
            values[place][name] = np.asarray(value)
    ends = zip(arrays["status"].tolist(), arrays["message"].tolist(), arrays["samples"].tolist(), strict=True)
    return {
        k: Outcome(status, message, 0.0, n, own)
        for k, own, (status, message, n) in zip(cases, values, ends, strict=True)
    }
