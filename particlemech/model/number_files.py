"""Files of numbers that lie beside a model: a first line of names, if any, then lines of numbers with commas."""

from __future__ import annotations

import csv
from typing import NamedTuple

from particlemech.errors import ModelError, suggestion
from particlemech.model.description import FOLDER
from particlemech.model.spec import shown

LARGEST = 100_000  # numbers in a file


class Numbers(NamedTuple):
    """What a file holds."""

    names: tuple[str, ...]  # of its columns, as its first line says; none where that holds numbers
    rows: list[list[float]]


def read(name: str) -> Numbers:
    """Return what a CSV file beside the model holds; empty lines and lines that start with # are left out."""
    path = FOLDER.get() / name
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = [p.name for p in path.parent.glob("*.csv")] if path.parent.is_dir() else []
        hint = suggestion(path.name, near) if near else "; its path counts from the folder of the model"
        raise ModelError(f'file "{name}": no such file{hint}') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not text in UTF-8"
        raise ModelError(f'file "{name}": cannot be read ({reason})') from None
    rows: list[list[float]] = []
    names: tuple[str, ...] = ()
    entries = 0
    for k, row in enumerate(csv.reader(line for line in text.splitlines() if line.strip()), start=1):
        if not row or row[0].lstrip().startswith("#"):
            continue
        try:
            rows.append([float(entry) for entry in row])
        except ValueError:
            if rows:
                raise ModelError(f'file "{name}": line {k} holds {shown(",".join(row))}, not numbers') from None
            names = tuple(word.strip() for word in row)
        entries += len(row)
        if entries > LARGEST:
            raise ModelError(f'file "{name}": more than {LARGEST} numbers, which no model needs; thin it out')
    if not rows:
        raise ModelError(f'file "{name}": holds no numbers; write one line x, value, ... per place, with commas')
    return Numbers(names, rows)
