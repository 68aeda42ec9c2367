"""Packages whose members are imported when they are first asked for, so that a run loads what it needs and no more."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def members(
    package: str, names: Sequence[str], homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    package
        Its `__name__`.
    names
        All that it offers, its `__all__`.
    homes
        Name -> module of the package in which it is defined; names that are not listed are modules themselves.
    """

    def found(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(f"{package}.{homes.get(name, name)}")
        value = getattr(home, name) if name in homes else home
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return found, listed
