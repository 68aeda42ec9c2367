"""Small vibrations of a tree about rest.

K_rj = -dF_r/dx_j        stiffness of gravity and springs, by central differences of the generalised forces     (1)
K s = omega^2 A s        A of [P72] (3.28)                                                                      (2)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.analyses.inverse_dynamics import in_angles
from particlemech.engine.recursive import entry_points
from particlemech.engine.recursive.start import prepared
from particlemech.engine.recursive.topology import checked
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism

STEP = 1e-5  # rad, or of the tree's length
REST = 1e-8  # forces below this fraction of those that act count as none


class Modes(NamedTuple):
    """Natural motions, lowest frequency first; a negative omega^2 is an unstable one and shows as -sqrt(-omega^2)."""

    omega: Array  # (n,) rad/s
    frequency: Array  # (n,) Hz
    shapes: Array  # (n, n) one per column, in the order of `coordinates`; s.A s = 1
    coordinates: tuple[str, ...]  # free ones, "joint.name"


def modes(mechanism: Mechanism) -> Modes:
    """Return frequencies and shapes of small vibrations about the start of a tree; dampers are left aside.

    The start must be an equilibrium, at rest.

    Examples
    --------
    >>> from particlemech import models
    >>> chain = models.hanging_chain(20, length=1.0)
    >>> round(float(modes(chain).omega[0]), 2)  # 2.405/2 sqrt(g/L), as for a chain of endless many links
    3.77
    """
    checked(mechanism, "modes")
    from scipy.linalg import eigh

    made, start = prepared(in_angles(mechanism), mechanism.run.duration)
    place, zero = Workspace(made.compiled), np.zeros(made.n)
    y = np.concatenate([start.q, start.v, start.x])
    locked = made.locked(0.0, y)
    if locked is not None:
        raise ModelError(f"modes: {locked}; start the tree elsewhere")
    if np.any(start.v) or np.any(made.kane(0.0, start.q, start.v).x[:, 1:]):
        raise ModelError("modes: the start moves; vibrations are those about rest: give no rates and hold driven parts")
    names = tuple(made.compiled.coordinates[e].label for e in made.compiled.free)

    def force(q: Array) -> Array:
        y, res = np.concatenate([q, np.zeros(made.n_v + 1)]), np.zeros(made.n)
        entry_points.residual(0.0, y, zero, res, place.address)
        return -res[made.layout.v]

    A, _ = made.dynamics(0.0, start.q, np.zeros(made.n_v), np.zeros(1))
    K = np.zeros((made.n_v, made.n_v))
    for j in range(made.n_v):
        step = np.zeros(made.n_q)
        step[j] = STEP * made.size_q[j]
        K[:, j] = (force(start.q - step) - force(start.q + step)) / (2.0 * step[j])  # (1)
    K = 0.5 * (K + K.T)
    still = force(start.q)
    acting = np.abs(K) @ made.size_q
    moving = np.abs(still) > REST * np.maximum(acting, np.max(acting, initial=0.0) * 1e-3)
    if np.any(moving):
        worst = int(np.argmax(np.where(moving, np.abs(still), 0.0)))
        raise ModelError(
            f'modes: the start is no equilibrium: {still[worst]:.3g} acts on "{names[worst]}"; '
            "start the tree where all forces balance"
        )
    values, shapes = eigh(K, A)  # (2)
    omega = np.sign(values) * np.sqrt(np.abs(values))
    return Modes(omega, omega / (2.0 * np.pi), shapes, names)
