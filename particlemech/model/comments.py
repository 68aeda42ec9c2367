"""Files that keep their spelling: a mechanism that was read from a file is written as this file, with what has changed.

    text of the file, mechanism then, mechanism now  --differences of their tables-->  text with these values only

Comments, order, units and expressions stay as they are written, wherever they still say what is so.
For mechanisms that come from no file, files are written anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

NOTHING = object()


class Source(NamedTuple):
    """The file that a mechanism was read from."""

    text: str
    folder: Path  # where the files lie that it names


def rewritten(source: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the text of a file with what differs between two mechanisms.

    Parameters
    ----------
    source
        The text.
    before, after
        The tables of the mechanism that it describes, and of that which the new text shall describe.
    """
    import tomlkit  # it takes longer than the rest of a file, and most files are only read

    kit: Any = tomlkit
    document = kit.parse(source)
    _changed(kit, document, before, after)
    return str(kit.dumps(document))


def _changed(kit: Any, table: Any, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Bring a table of the document from one state to another."""
    for name in before:
        if name not in after and name in table:
            del table[name]
    for name, value in after.items():
        old = before.get(name, NOTHING)
        if old == value:
            continue
        own = table.get(name, NOTHING)
        if isinstance(old, Mapping) and isinstance(value, Mapping) and isinstance(own, Mapping):
            _changed(kit, own, old, value)
        elif isinstance(old, list) and isinstance(value, list) and isinstance(own, list) and len(own) == len(value):
            for k, (one, new) in enumerate(zip(old, value, strict=True)):
                if one != new:
                    own[k] = _item(kit, new)
        else:
            table[name] = _item(kit, value, nested=_of_tables(kit, table))


def _of_tables(kit: Any, table: Any) -> bool:
    """Return whether the parts of a table are tables with a heading of their own."""
    return any(isinstance(one, kit.items.Table) for one in table.values())


def _item(kit: Any, value: Any, nested: bool = False) -> Any:
    """Return a value as an item of the document; tables on one line unless they have a heading."""
    if isinstance(value, Mapping):
        made = kit.table() if nested else kit.inline_table()
        for name, one in value.items():
            made.append(name, _item(kit, one))
        return made
    if isinstance(value, list):
        array = kit.array()
        for one in value:
            array.append(_item(kit, one))
        return array
    return kit.item(value)
