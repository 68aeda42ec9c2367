"""What `particlemech info` shows: versions, shipped models, and all kinds of parts with their keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping

from particlemech.errors import printable


def print_table(rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows of words in columns."""
    table = [tuple(map(printable, row)) for row in rows]
    if not table:
        return
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip())


def _version() -> None:
    import platform
    from importlib import metadata

    rows = [("python", platform.python_version())]
    for name in ("particlemech", "numpy", "scipy", "networkx", "numba", "scikit-sundae"):
        try:
            rows.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            rows.append((name, "not installed"))
    print_table(sorted(rows, key=lambda row: row[0] != "particlemech"))


def _models() -> None:
    from particlemech import models

    print("\nshipped models")
    print_table([(f"  {name}", models.load(name).about) for name in models.names()])


def _kinds() -> None:
    from particlemech import drivers, flexible, forces, joints, signals, spatial, tree

    for module in (joints, drivers, forces, signals):
        _print_kinds(module.__name__.rpartition(".")[2][:-1], module.NAMES)
    parts = {"body": tree.Body, "driver": tree.Driver, "impulse": tree.Impulse, "initial": tree.Initial}
    for word, kinds in (("joint", tree.joints.NAMES), ("force", tree.forces.NAMES), ("part", parts)):
        _print_kinds(f"tree {word}", kinds)
    in_space = {"body": spatial.Body, "initial": spatial.Initial}
    words: dict[str, Mapping[str, type]] = {
        "joint": spatial.joints.NAMES,
        "driver": spatial.drivers.NAMES,
        "force": spatial.forces.NAMES,
    }
    for word, every in (words | {"part": in_space}).items():
        _print_kinds(f"spatial {word}", every)
    links = {"base": flexible.Base, "link": flexible.Link, "mode": flexible.Mode, "lump": flexible.Lump}
    rest = {"point": flexible.Point, "driver": flexible.Driver, "initial": flexible.Initial}
    for word, every in (("joint", flexible.joints.NAMES), ("force", flexible.forces.NAMES), ("part", links | rest)):
        _print_kinds(f"flexible {word}", every)


def _print_kinds(word: str, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        only = "" if getattr(kind, "in_file", True) else " (from Python only)"
        print(f"\n{word} {name}{only}: {(kind.__doc__ or '').splitlines()[0]}")
        print_table(_keys(kind))


def _keys(kind: type) -> list[tuple[str, str, str]]:
    """Return (key, default, explanation) of every key of a kind."""
    rows = []
    for item in dataclasses.fields(kind):
        required = item.default is dataclasses.MISSING
        default = "required" if required else "optional" if item.default is None else f"default {item.default!r}"
        rows.append((f"  {item.name}", default, item.metadata["about"]))
    return rows


TOPICS: dict[str, Callable[[], None]] = {"version": _version, "models": _models, "kinds": _kinds}
