"""The systems of a mechanism whose joints hold for a while only, as events change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlemech.run import switching


def worlds(mechanism: Any, builds: Mapping[bool, switching.Build]) -> switching.Worlds:
    """Return what `switching.run` asks for its systems; each is made once.

    Parameters
    ----------
    mechanism
        Of either world, with all that may let go open.
    builds
        Whether by IDA -> what makes the system of a mode, with the same coordinates and units in every mode.
    """
    known: dict[Any, switching.World] = {}

    def world(held: Mapping[str, Mapping[str, float]], gone: frozenset[str]) -> switching.World:
        key = tuple((name, tuple(values.items())) for name, values in held.items()), gone
        if key not in known:
            known[key] = switching.Sides(mechanism.after(held, gone), builds)
        return known[key]

    return world
