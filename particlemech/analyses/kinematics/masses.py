"""Masses that are not known: motion needs none, and what does is refused.

Engines tabulate bodies with masses, so that one whose mass is unknown is given one, round and about its size. Where all
is driven no position, velocity or acceleration depends on it; whatever does is left out of results, or refused.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.analyses.kinematics.driving import world
from particlemech.engine.system import Array
from particlemech.errors import ModelError

# what of a result needs masses, by its name
OF_ALL = (
    *("reaction", "moment", "effort", "momentum", "motors", "transmitted", "generalised_force", "needed", "internal"),
    *("largest", "kinetic", "potential", "potentials", "energy", "condition", "base", "centre"),
)
OF_BODY = ("com", "com_velocity", "com_acceleration")  # of one body


def placed(mechanism: Any) -> Any:
    """Return the mechanism with a mass for every body."""
    changes = {}
    for name in mechanism.massless:
        centre = mechanism.centre(name)
        far = [math.dist(centre, mechanism.points[p]) for p in mechanism.bodies[name].points]
        size = max(far, default=0.0) or 1.0
        changes[name] = {"mass": 1.0, "com": tuple(centre), "inertia": world(mechanism).round_inertia(size * size)}
    return mechanism.replaced(bodies=changes) if changes else mechanism


@functools.cache
def unweighed(kind: Any) -> Any:
    """Return the kind of results of mechanisms some of whose masses are not known."""

    def refuse(self: Any, what: str) -> None:
        names = ", ".join(f'"{name}"' for name in self.system.mechanism.massless[:6])
        raise ModelError(f"{what} needs masses, and that of {names} is not known; give it in the model")

    def member(name: str, of_body: bool) -> Any:
        own = getattr(kind, name)

        def asked(self: Any, *args: Any, **options: Any) -> Any:
            if not of_body or (args and args[0] in self.system.mechanism.massless):
                refuse(self, name)
            return own(self, *args, **options)

        functools.update_wrapper(asked, own if callable(own) else asked)
        return asked if callable(own) else property(asked)

    made = {name: member(name, False) for name in OF_ALL if hasattr(kind, name)}
    made |= {name: member(name, True) for name in OF_BODY if hasattr(kind, name)}
    made["columns"] = columns
    return type(kind.__name__, (kind,), made)


def columns(result: Any) -> Mapping[str, Array]:
    """Return the columns of what moves: points, bodies but for their centres, coordinates of joints."""
    m, found = result.system.mechanism, dict[str, Array]({"t": result.t})

    def add(head: str, parts: Mapping[str, Array]) -> None:
        for tail, values in parts.items():
            if values.ndim == 1:
                found[f"{head}.{tail}"] = values
            else:
                found.update({f"{head}.{tail}{axis}": values[:, k] for k, axis in enumerate("xyz"[: values.shape[1]])})

    for p in m.points:
        add(p, {"": result[p], "v": result.velocity(p), "a": result.acceleration(p)})
    for b in m.bodies:
        add(b, world(m).turning(result, b))
    for name, joint in m.joints.items():
        for coordinate in joint.coordinate_names:
            found[f"{name}.{coordinate}"] = result.coordinate(name, coordinate)
            found[f"{name}.{coordinate}_rate"] = result.rate(name, coordinate)
    found["closure.position"], found["closure.velocity"] = result.closure
    return {name: np.asarray(values) for name, values in found.items()}
