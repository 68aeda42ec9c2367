"""What `particlemech info` shows: versions, shipped models, and all kinds of parts with their keys."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from particlemech.errors import ModelError, printable, suggestion


def print_table(rows: Iterable[tuple[str, ...]], first: int = 0) -> None:
    """Print rows of words in columns, the first of them at least `first` characters wide."""
    table = [tuple(map(printable, row)) for row in rows]
    if not table:
        return
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    widths[0] = max(widths[0], first)
    for row in table:
        print("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip(), flush=True)


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
    from particlemech.model import models

    print("\nshipped models")
    print_table([(f"  {name}", models.load(name).about) for name in models.names()])


class Kind(NamedTuple):
    """Something with keys that a model file or a script may hold."""

    family: str  # of mechanisms; "" for the plane and for what all families share
    word: str  # joint, driver, force, signal, part or section
    name: str
    spec: type


def kinds() -> list[Kind]:
    """Return all kinds of all families, in the order of their files."""
    from importlib import import_module

    from particlemech.model import signals, space
    from particlemech.model.description import Check, Run
    from particlemech.model.families import DEFAULT, FAMILIES
    from particlemech.model.friction import Friction
    from particlemech.model.parameters import Parameter

    found: list[Kind] = [Kind("", "part", "parameter", Parameter), Kind("", "key of joints", "friction", Friction)]
    for family, home in FAMILIES.items():
        mechanism = import_module(home).Mechanism
        prefix = "" if family == DEFAULT else family
        found.append(Kind("", "model", family, mechanism))
        for section in mechanism.sections.values():
            found += [Kind(prefix, section.part, name, spec) for name, spec in section.kinds.items()]
            if section.spec is not None:
                found.append(Kind(prefix, "part", section.part, section.spec))
        if family == "spatial":
            found += [Kind(prefix, "part", "mode", space.Mode), Kind(prefix, "part", "lump", space.Lump)]
            found += [Kind(prefix, "cross-section", name, spec) for name, spec in space.sections.NAMES.items()]
        for item in dataclasses.fields(mechanism):
            known = [kind.spec for kind in found]
            if dataclasses.is_dataclass(item.default) and type(item.default) not in known:
                shared = type(item.default) in (Run, Check)
                found.append(Kind("" if shared else prefix, "section", item.name, type(item.default)))
    return found + [Kind("", "signal", name, spec) for name, spec in signals.NAMES.items()]


def _kinds() -> None:
    for kind in kinds():
        _print_kind(kind)
    _state()


def show(topic: str) -> None:
    """Print a topic, the keys of a kind, or those of all kinds of a section."""
    if topic in TOPICS:
        TOPICS[topic]()
        return
    every = kinds()
    found = [kind for kind in every if kind.name == topic]
    section = [kind for kind in every if topic in (f"{kind.word}s", f"{kind.name}s")]  # "joints", "events"
    if not found and not section:
        known = [
            *TOPICS,
            *dict.fromkeys(kind.name for kind in every),
            *dict.fromkeys(f"{kind.word}s" for kind in every),
        ]
        raise ModelError(f'info: "{topic}" is no topic and no kind of part{suggestion(topic, known)}')
    for kind in found or section:
        _print_kind(kind, whole=bool(found))


def _print_kind(kind: Kind, whole: bool = False) -> None:
    only = "" if getattr(kind.spec, "in_file", True) else " (from Python only)"
    about = inspect.cleandoc(kind.spec.__doc__ or "").splitlines()
    title = f"[{kind.name}]" if kind.word == "section" else f"{kind.word} {kind.name}"
    print(f"\n{kind.family} {title}".replace("\n ", "\n") + f"{only}: {about[0]}")
    if whole and about[2:]:
        print(*about[2:], sep="\n")
    print_table(_keys(kind.spec))


def _keys(kind: type) -> list[tuple[str, str, str]]:
    """Return (key, default, explanation) of every key of a kind."""
    rows = []
    for item in dataclasses.fields(kind):
        required = item.default is dataclasses.MISSING
        empty = item.default is None or isinstance(item.default, Mapping) or dataclasses.is_dataclass(item.default)
        default = "required" if required else "optional" if empty else f"default {item.default!r}"
        rows.append((f"  {item.name}", default, item.metadata["about"]))
    return rows


def _state() -> None:
    """Print what functions of events and custom forces receive."""
    from particlemech.engine.plane import State
    from particlemech.result.state import State as InSpace

    for what, kind in (
        ("state in the plane, of events and custom forces f(t, state)", State),
        ("state in space, of events f(t, state)", InSpace),
    ):
        print(f"\n{what}: {inspect.cleandoc(kind.__doc__ or '')}")


def _figures() -> None:
    """Print the names of numbers that sweeps and optimisations ask for."""
    from particlemech.result import figures

    print(inspect.cleandoc(figures.__doc__ or ""))


def _conditions() -> None:
    """Print what may be demanded of the variants of an optimisation."""
    from particlemech.design import conditions

    print(inspect.cleandoc(conditions.__doc__ or ""))


def _expressions() -> None:
    """Print what may stand for a number in a file or in Python."""
    from particlemech.model import constructions, expressions

    print(inspect.cleandoc(expressions.__doc__ or ""))
    print("\n" + inspect.cleandoc(constructions.__doc__ or ""))


def _parameters() -> None:
    """Print the keys of a parameter, and what its value may be."""
    show("parameter")
    print()
    _expressions()


def _units() -> None:
    """Print the units that a number may carry, by what they measure, and the systems that plain numbers are in."""
    from particlemech.model.dimensions import UNITS, called
    from particlemech.model.units import SYSTEMS

    of: dict[str, list[str]] = {}
    for word, unit in UNITS.items():
        of.setdefault(called(unit.powers).partition(" ")[2], []).append(word)
    print('units of quantities: directly after a number, "50 mm", also as products, "20 N/mm", "4 kg*m^2"')
    print_table([(f"  {what}", " ".join(words)) for what, words in of.items()])
    print("\nsystems of units, of plain numbers and of results: the key `units` of a model")
    print_table([(f"  {name}", f"{one.length}, {one.mass}, s, rad") for name, one in SYSTEMS.items()])


TOPICS: dict[str, Callable[[], None]] = {
    "version": _version,
    "models": _models,
    "kinds": _kinds,
    "state": _state,
    "figures": _figures,
    "conditions": _conditions,
    "expressions": _expressions,
    "parameters": _parameters,
    "units": _units,
}
