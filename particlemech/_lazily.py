"""Packages whose members are imported when they are first asked for, so that a run loads what it needs and no more."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

ROOT = __name__.partition(".")[0]


def members(
    package: str, names: Sequence[str], homes: Mapping[str, str], gone: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    package
        Its `__name__`.
    names
        All that it offers, its `__all__`.
    homes
        Name -> where it would be imported from: a module of the package, or one elsewhere by its full name. What is not
        listed is a module of the package itself.
    gone
        Name that it once offered -> what is there now.
    """

    def found(name: str) -> Any:
        if name not in names:
            now = f"; {gone[name]}" if name in gone else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{now}")
        home = homes.get(name, package)
        if home != package and not home.startswith(f"{ROOT}."):
            home = f"{package}.{home}"
        module = import_module(home)
        # as `from home import name`: a module of a package is imported if nothing of it is called so
        value = getattr(module, name) if home != package and hasattr(module, name) else import_module(f"{home}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return found, listed
