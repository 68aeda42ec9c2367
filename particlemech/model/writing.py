"""Mechanisms as nested tables and as text: numbers that were given as expressions are written as these.

Description  --to_dict-->  tables  --dumps-->  text
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any

from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.model.families import DEFAULT
from particlemech.model.parameters import Parameter
from particlemech.model.quantity import Quantity, quantities
from particlemech.model.segments import SignalSpec
from particlemech.model.signals import KINDS
from particlemech.model.spec import Spec, kind_name, shown


def dumps(mechanism: Description) -> str:
    """Return the text of a TOML file that describes a mechanism; defaults are left out.

    Parameters
    ----------
    mechanism : Description
        Without forces that are Python functions; such a force is a ModelError.

    Returns
    -------
    str
        `loads` of it is equal to the mechanism.
    """
    tables = to_dict(mechanism)
    blocks = ["".join(f"{_key(k)} = {_value(v)}\n" for k, v in tables.items() if not isinstance(v, dict))]
    for section, table in tables.items():
        if section in mechanism.sections and mechanism.sections[section].form is None:
            blocks += [_block(f"{section}.{_key(name)}", content) for name, content in table.items()]
        elif isinstance(table, dict):
            blocks.append(_block(section, table))
    return "\n".join(blocks)


def to_dict(mechanism: Description) -> dict[str, Any]:
    """Return a mechanism as nested dicts, lists, texts and numbers; defaults are left out.

    Parameters
    ----------
    mechanism : Description
        Without forces that are Python functions; such a force is a ModelError.

    Returns
    -------
    dict
        Ready for a JSON writer; `from_dict` of it is equal to the mechanism.
    """
    for name, force in mechanism.forces.items():
        if not getattr(force, "in_file", True):
            kind = kind_name(type(force))
            raise ModelError(f'force "{name}": a {kind} force is a Python function and cannot be written; leave it out')
    sections = mechanism.sections.values()
    typed = {kind for section in sections for kind in section.kinds.values() if kind is not section.plain}
    head: dict[str, Any] = {"format": mechanism.format}
    if mechanism.kind != DEFAULT:
        head["kind"] = mechanism.kind
    return head | _plain(mechanism, typed | set(KINDS))


def _plain(value: Any, typed: set[type[Any]]) -> Any:
    """Return a value of a spec as dicts, lists, texts and numbers; those of the kinds `typed` say their type."""
    if isinstance(value, SignalSpec) and (short := value.written()) is not None:
        return _plain(short, typed)
    if isinstance(value, Spec):
        fields = dataclasses.fields(value)  # type: ignore[arg-type]
        changed = {f.name: getattr(value, f.name) for f in fields if _is_said(getattr(value, f.name), f.default)}
        if type(value) is Parameter and list(changed) == ["value"]:
            return _said(value.value)
        head = {"type": kind_name(type(value))} if type(value) in typed or value.says_type else {}
        return {**head, **_plain(changed, typed)}
    if isinstance(value, Mapping):
        return {name: _plain(v, typed) for name, v in value.items()}
    if isinstance(value, tuple):
        whole = {v.said for v in value if isinstance(v, Quantity) and v.component is not None}
        return next(iter(whole)).text if len(whole) == 1 else [_plain(v, typed) for v in value]
    if isinstance(value, Quantity):
        return _said(value)
    if callable(value):
        raise ModelError(f"{shown(value)} is a Python function and cannot be written; give a list or a table")
    return value


def _said(value: float) -> float | str:
    """Return a number, or the expression that it was given as."""
    if not isinstance(value, Quantity):
        return value
    return float(value) if value.said is None else str(value.said.text)


def _is_said(value: Any, default: Any) -> bool:
    """Whether a value must be written: another than the default, or the default as an expression."""
    return bool(value != default) or (value is not None and any(quantities(value)))


def _block(header: str, table: Mapping[str, Any]) -> str:
    return f"[{header}]\n" + "".join(f"{_key(k)} = {_value(v)}\n" for k, v in table.items())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return repr(value).lower() if isinstance(value, bool) else repr(value)


def _text(text: str) -> str:
    """Return a text in quotes; TOML escapes as JSON does, and the delete character besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
