"""The systems of a mechanism whose joints hold for a while only, as events and joints that stick change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlemech.model.changing import Mode
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

    def world(mode: Mode) -> switching.World:
        held = tuple((name, tuple(values.items())) for name, values in mode.held.items())
        key = held, mode.gone, tuple(mode.slips.items()), mode.switched
        if key not in known:
            known[key] = switching.Sides(mechanism.within(mode), builds)
        return known[key]

    return world
