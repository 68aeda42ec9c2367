"""Samples one by one, as slowly and as plainly as may be: what compiled loops over samples are held against.

Every sample is assembled, projected and solved by the routines of the start; its reactions come from a singular value
decomposition of its own equilibrium.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.in_plane import SEEN
from particlemech.engine.plane import Reactions, Sight
from particlemech.engine.statics import determined, effort_places, least_norm, no_reactions
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
    """Return reactions and the condition numbers of equilibrium.

    Where a joint has forces that follow from its own and do no work, they act on the bodies like any load, and what
    balances these too is found anew.
    """
    lay, condition = system.layout, np.ones(len(t))
    found = no_reactions(len(t), len(lay.reactions), len(lay.efforts))
    for k, of in enumerate(zip(t, q, v, a, x, strict=True)):
        balance = system.balance(*of)
        r, stresses, condition[k] = least_norm(balance)
        places = np.array(effort_places(balance.joint_columns, lay.efforts), dtype=int)
        for i in range(len(lay.efforts)):
            own = np.array(places == i, dtype=float)
            found.effort[k, i] = own @ r
            found.effort_known[k, i] = determined(own[None], stresses, balance.unit)[0]
        found.known[k] = determined(balance.report, stresses, balance.unit)
        found.value[k] = balance.report @ r
        pushed = _idle(system, *of, found.effort[k])
        if not pushed:
            continue
        own, acting, names = np.zeros_like(found.value[k]), np.zeros((len(lay.bodies), 3)), set()
        for joint, body, force, moment in pushed:
            own[lay.reactions.index((joint, body)), :2] += force
            names.add(joint)
            if body in lay.bodies:
                acting[lay.bodies.index(body)] += *force, moment / system.scale.length
        again = least_norm(balance._replace(missing=balance.missing - acting.ravel()))[0]
        found.effort[k] = [again[places == i].sum() for i in range(len(lay.efforts))]
        value = balance.report @ again + own
        changed = np.abs(value - found.value[k]) > SEEN * np.abs(value).max()
        sure = all(known for (part, _), known in zip(lay.efforts, found.effort_known[k], strict=True) if part in names)
        found.value[k] = value
        found.known[k] &= sure | ~changed
    return found, condition


def _idle(system: Any, t: float, q: Array, v: Array, a: Array, x: Array, efforts: Array) -> list[Any]:
    """Return joint, body, force and its moment about the centre of mass, of all that follows from other forces."""
    mechanism, lay = system.mechanism, system.layout
    seen = Sight(mechanism, lay, system.home, np.array([t]), system.motion(q[None], v[None], a[None], x[None]))
    pushed = []
    for name, joint in mechanism.joints.items():
        own = [k for k, (part, _) in enumerate(lay.efforts) if part == name]
        for body, force, place in joint.idle(seen, efforts[None, own]) if own else []:
            centre = seen.place_on(body, mechanism.centre(body))[0] if body in lay.bodies else np.zeros(2)
            (fx, fy), (rx, ry) = force[0], place[0] - centre
            pushed.append((name, body, force[0], rx * fy - ry * fx))
    return pushed
