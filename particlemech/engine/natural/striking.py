"""Impulses on mechanisms in space by natural coordinates: speeds jump, places do not.

    M dv - phi_q^T Lam = p,      phi_q dv = 0                                                              (1)

p are the impulses of the model on the coordinates, Lam those of joints and drivers, which hold as before: (1) is to
speeds what forces are to accelerations. What joints hold more than once is shared in the least way, which dv does not
feel. The work is the change of the kinetic energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from particlemech.engine.natural.coordinates import axes
from particlemech.engine.system import Array
from particlemech.run.start import SINGULAR

if TYPE_CHECKING:
    from particlemech.engine.natural.equations import SpatialSystem
    from particlemech.model.space.parts import Impulse


def struck(system: SpatialSystem, t: float, y: Array) -> Array:
    """Return the state just after the impulses of the model at time t, (n,)."""
    now = [impulse for impulse in system.mechanism.impulses.values() if impulse.time == t]
    if not now:
        return y
    lay, after = system.layout, y.copy()
    q, v = y[lay.q], y[lay.v]
    after[lay.v] = v + jump(system, t, q, sum((pushed(system, q, one) for one in now), np.zeros(system.n_q)))[0]
    M = system.mass(q)
    after[lay.x.stop - 1] += 0.5 * float(after[lay.v] @ M @ after[lay.v] - v @ M @ v)
    return after


def jump(system: SpatialSystem, t: float, q: Array, p: Array) -> tuple[Array, Array]:
    """Return dv (n_v,) and Lam (n_row,) of (1), for impulses on the coordinates p (n_q,)."""
    n, size = system.n_q, system.size_q
    C = system.levels(t, q, np.zeros(n)).phi_q * size
    norms = np.linalg.norm(C, axis=1)
    norms[norms < SINGULAR] = 1.0  # a row that asks for nothing is a rounding error, not to be scaled up
    C = C / norms[:, None]
    M = system.mass(q) * np.outer(size, size)
    heavy = float(np.abs(M).max())
    A = np.block([[M / heavy, -C.T], [C, np.zeros((len(C), len(C)))]])
    found = np.linalg.lstsq(A, np.concatenate([size * p / heavy, np.zeros(len(C))]), rcond=SINGULAR)[0]
    return size * found[:n], heavy * found[n:] / norms


def pushed(system: SpatialSystem, q: Array, impulse: Impulse) -> Array:
    """Return an impulse on the coordinates, (n_q,): as a load, whose place is linear in them, and a couple."""
    coordinates, m = system.compiled.coordinates, system.mechanism
    b, z, f = coordinates.index[impulse.body], system.full(q), np.zeros(len(system.T))
    R = axes(z[None])[0, b]
    P, H = (R @ one if impulse.frame == "body" else np.array(one) for one in (impulse.impulse, impulse.moment))
    arm = np.subtract(m.place(impulse.point, impulse.body), m.centre(impulse.body))
    f[12 * b : 12 * b + 3] = P
    f[12 * b + 3 : 12 * b + 12] = (np.outer(arm, P) + 0.5 * np.cross(H, R.T)).ravel()
    return np.asarray(system.T.T @ f)
