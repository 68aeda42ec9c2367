"""Forms of the top-level keys of mechanisms, and flags: sections of named parts, tables with the keys of one spec."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from particlemech.errors import Expressed, ModelError
from particlemech.model.spec import FrozenMapping, Spec, shown, unknown_key


def format_one(value: Any) -> int:
    """The number 1."""
    if value != 1 or isinstance(value, bool):
        raise ModelError(f"this version reads format 1, the file says {shown(value)}; set format = 1")
    return 1


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ModelError(f"expected true or false, got {shown(value)}")
    return value


def table_of(base: type[Spec]) -> Any:
    """Return the form of a table of named parts, all of one base."""

    def form(value: Any) -> FrozenMapping[Any]:
        if not isinstance(value, Mapping):
            raise ModelError(f"expected a table of names, got {shown(value)}")
        for name, spec in value.items():
            if not isinstance(name, str) or not name:
                raise ModelError(f"names must be texts, got {shown(name)}")
            if not isinstance(spec, base):
                raise ModelError(f'"{name}": expected one of its kinds, got {shown(spec)}')
        if any([spec.unsettled for spec in value.values()]):
            raise Expressed("its expressions wait for the mechanism")
        return value if isinstance(value, FrozenMapping) else FrozenMapping(value)

    form.__doc__ = "A table of names."
    return form


def spec_of(kind: type[Spec]) -> Any:
    """Return the form of a table with the keys of one spec."""
    known = [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]

    def form(value: Any) -> Any:
        if isinstance(value, Mapping):
            for k in value:
                if k not in known:
                    raise unknown_key(k, known)
            value = kind(**value)
        if not isinstance(value, kind):
            raise ModelError(f"expected {kind.__name__}(...) or its keys, got {shown(value)}")
        if value.unsettled:
            raise Expressed("its expressions wait for the mechanism")
        return value

    form.kind = kind  # type: ignore[attr-defined]

    form.__doc__ = f"A table with the keys of {kind.__name__}."
    return form
