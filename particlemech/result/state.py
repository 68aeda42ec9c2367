"""What functions of users are told: the motion at one instant, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.system import Array


class State:
    """The motion in space at one instant, by name: what functions of users (events) receive.

    It offers what the samples of a result do, without the samples: state["tip"] is the place of a point, (3,),
    state.omega("arm") an angular velocity, (3,), state.coordinate("elbow") a number where a joint has one coordinate.
    """

    def __init__(self, seen: Any) -> None:
        self._seen = seen
        self.t = float(seen.t[0])

    def __getitem__(self, point: str) -> Array:
        return self._seen[point][0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._seen, name)
        if not callable(value):
            return value[0] if isinstance(value, np.ndarray) else type(value)(*(part[0] for part in value))

        def now(*names: str) -> Any:
            found = value(*names)
            return found[0] if isinstance(found, np.ndarray) else type(found)(*(part[0] for part in found))

        return now
