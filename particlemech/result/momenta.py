"""Momentum of all bodies of a mechanism in space, from their motion by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.inertia import matrix


class Momentum(NamedTuple):
    """Momentum of the whole mechanism at K samples."""

    linear: Array  # (K, 3)
    angular: Array  # (K, 3) about the origin
    central: Array  # (K, 3) about the centre of mass of all


def momentum(seen: Any, spinning: Callable[[str], tuple[float, Array]] | None = None) -> Momentum:
    """Return linear and angular momentum of all bodies, from what shows their motion.

    `spinning` gives the mass of a body and its angular momentum about its centre, (K, 3); default: of rigid ones.
    """
    m = seen.mechanism
    linear, angular, first = (np.zeros((len(seen.t), 3)) for _ in range(3))
    total = 0.0
    for body in m.bodies:
        mass, spin = spinning(body) if spinning is not None else rigid_spin(seen, body)
        v, x = seen.com_velocity(body), seen.com(body)
        linear += mass * v
        angular += mass * np.cross(x, v) + spin
        first += mass * x
        total += mass
    centre = first / total if total > 0.0 else first
    return Momentum(linear, angular, angular - np.cross(centre, linear))


def rigid_spin(seen: Any, body: str) -> tuple[float, Array]:
    """Return the mass of a rigid body and its angular momentum about its centre of mass, (K, 3)."""
    m, R, omega = seen.mechanism, seen.orientation(body), seen.omega(body)
    return m.mass(body), np.einsum("kij,jl,kml,km->ki", R, matrix(m.inertia(body)), R, omega)
