"""Samples one by one, as slowly and as plainly as may be: what compiled loops over samples are held against.

Every sample is assembled, projected and solved by the routines of the start; its reactions come from a singular value
decomposition of its own equilibrium.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.plane import Reactions
from particlemech.engine.statics import determined, least_norm, no_reactions
from particlemech.run.start import accelerations, assembled, projected, weights

Array = np.ndarray


def projected_of(system: Any, t: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Return positions and velocities on the rows."""
    q = np.array([assembled(system, tk, qk, rounds=4) for tk, qk in zip(t, q, strict=True)])
    return q, np.array([projected(system, tk, qk, vk) for tk, qk, vk in zip(t, q, v, strict=True)])


def accelerations_of(system: Any, t: Array, q: Array, v: Array, x: Array) -> Array:
    """Return accelerations."""
    return np.array([accelerations(system, *of)[0] for of in zip(t, q, v, x, strict=True)])


def closure_of(system: Any, t: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the worst position and velocity error."""
    scale, found = weights(system), []
    for tk, qk, vk in zip(t, q, v, strict=True):
        at = system.levels(tk, qk, vk)
        worst = [np.max(np.abs(scale * of), initial=0.0) for of in (at.phi, at.phi_q @ vk + at.phi_t)]
        found.append(worst)
    return tuple(np.array(found).reshape(-1, 2).T)


def reactions_of(system: Any, t: Array, q: Array, v: Array, a: Array, x: Array) -> tuple[Reactions, Array]:
    """Return reactions and the condition numbers of equilibrium."""
    lay, condition = system.layout, np.ones(len(t))
    found = no_reactions(len(t), len(lay.reactions), len(lay.efforts))
    for k, of in enumerate(zip(t, q, v, a, x, strict=True)):
        balance = system.balance(*of)
        r, stresses, condition[k] = least_norm(balance)
        found.value[k] = balance.report @ r
        found.known[k] = determined(balance.report, stresses, balance.unit)
        for i, (name, row) in enumerate(lay.efforts):
            own = np.zeros(len(r))
            own[[c for c, column in enumerate(balance.joint_columns) if column == name][row]] = 1.0
            found.effort[k, i] = own @ r
            found.effort_known[k, i] = determined(own[None], stresses, balance.unit)[0]
    return found, condition
