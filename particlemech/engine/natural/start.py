"""Natural coordinates of a mechanism from places and velocities of all its bodies; of a run, its start.

    Z = (r, d1, d2, d3) of all bodies,   Z' = (v, omega x d1, omega x d2, omega x d3)                       (1)
    q = T^+ (Z - start),   v = T^+ Z'        bodies share vectors: the same by whichever they are read      (2)

Where bodies start is found elsewhere, by coordinates of joints. Here it is only checked, by rows that share nothing
with them, and brought to what these hold to the last digit:

    positions     gap of all rows at most OPEN L                                                            (3)
    velocities    gap of their rates at most OPEN of the largest speed                                      (4)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.engine.natural.readings import gradient, value
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism
from particlemech.run.start import Start, accelerations, assembled, projected, weights

if TYPE_CHECKING:
    from particlemech.engine.natural.equations import SpatialSystem

OPEN = 1e-9  # gap of a pose, beside L, and of velocities, beside the largest


class Bodies(NamedTuple):
    """Where bodies are and how they move at one instant, in the order of the model, global axes."""

    x: Array  # (n_body, 3) centres of mass
    R: Array  # (n_body, 3, 3) rotations since the drawing
    v: Array  # (n_body, 3)
    omega: Array  # (n_body, 3)
    coordinates: Mapping[tuple[str, str], float]  # angles by joint and name, which tell full turns

    @classmethod
    def of(cls, now: Any, m: Mechanism) -> Bodies:
        """Return the bodies of a mechanism in its motion at one instant, by name; `now` is a `State`."""
        every = (now.com, now.orientation, now.com_velocity, now.omega)
        ends = [(name, x) for name, joint in m.joints.items() for x in joint.coordinate_names]
        x, R, v, omega = (np.array([of(body) for body in m.bodies]) for of in every)
        return cls(x, R, v, omega, {end: float(now.coordinate(*end)) for end in ends})

    def full(self, origin: Array) -> tuple[Array, Array]:
        """Return (1), (12 n_body,) each; places from an origin."""
        d = np.swapaxes(self.R, 1, 2)
        places = np.concatenate([(self.x - origin)[:, None], d], axis=1)
        rates = np.concatenate([self.v[:, None], np.cross(self.omega[:, None], d)], axis=1)
        return places.ravel(), rates.ravel()


def check_engine(mechanism: Mechanism) -> None:
    """Refuse what natural coordinates cannot run."""
    for name, body in mechanism.bodies.items():
        if body.bends:
            raise ModelError(f'body "{name}" bends, which natural coordinates cannot; take its modes out')
    for name, joint in mechanism.joints.items():
        if getattr(joint, "drive", None) is not None:
            raise ModelError(f'joint "{name}" has a drive that yields, which natural coordinates cannot; take it out')


def natural(made: SpatialSystem, at: Bodies) -> tuple[Array, Array, Array]:
    """Return coordinates and speeds, (n_q,) each, and the angles whose turns are counted, (n_theta,): (2)."""
    c = made.compiled
    z, rates = at.full(np.array(c.coordinates.origin))
    wanted = np.stack([z - c.shared.start, rates], axis=1)
    q, v = np.linalg.lstsq(made.T, wanted, rcond=None)[0].T
    for end, k in c.shared.counters.items():  # angles that couplings tie together are coordinates of their own
        measure = c.measures[end]
        q[k] = value(measure, z[None], at.coordinates.get(end, 0.0))[0]
        v[k] = gradient(measure, z) @ rates
    theta = made.angles(q, np.array([at.coordinates.get(end, 0.0) for end in c.counters]))
    return q, v, theta


def started(
    made: SpatialSystem, at: Bodies, moved: Mapping[str, float], duration: float
) -> tuple[SpatialSystem, Start]:
    """Return the system of a run of some duration, s, and its start, where bodies are and move as found elsewhere.

    Impulses at t = 0 act before the run begins, and do no work that counts.
    """
    q, v, theta = natural(made, at)
    x = made.elements.extra(theta)
    _check(made, q, v)
    q = assembled(made, 0.0, q)
    _check_inertia(made, q)
    y = made.layout.state(q, projected(made, 0.0, q, v), x)
    v = made.struck(0.0, y)[made.layout.v].copy()
    a, lam = accelerations(made, 0.0, q, v, x)
    begin = Start(q, v, a, lam, x, dict(moved))
    return made.retimed(_time_scale(made, v, a, duration)), begin


def _check(made: SpatialSystem, q: Array, v: Array) -> None:
    """Raise where a start does not satisfy the rows here, (3) and (4)."""
    at, scale, L = made.levels(0.0, q, v), weights(made), made.scale.length
    fastest = float(np.max(np.abs(v) / made.size_q, initial=0.0)) * L
    asked = float(np.max(np.abs(scale * at.phi_t), initial=0.0))
    gaps = (
        ("stays open by", scale * at.phi, OPEN * L),
        ("moves apart by", scale * (at.phi_q @ v + at.phi_t), OPEN * max(fastest, asked)),
    )
    for what, gap, allowed in gaps:
        worst = int(np.argmax(np.abs(gap))) if len(gap) else 0
        if len(gap) and abs(gap[worst]) > allowed:
            part = made.layout.rows[worst].part
            raise ModelError(
                f"the start by joint coordinates does not fit natural ones: {part} {what} {gap[worst]:.3g}"
            )


def _check_inertia(made: SpatialSystem, q: Array) -> None:
    """Raise where something could move without any inertia against it, such as a rod that spins between two balls."""
    C = weights(made)[:, None] * made.levels(0.0, q, np.zeros(made.n_v)).phi_q
    _, s, Vt = np.linalg.svd(C)
    free = Vt[int(np.sum(s > 1e-9 * s.max(initial=0.0))) :].T
    if not free.shape[1]:
        return
    M = made.mass(q) / np.outer(made.size_q, made.size_q) * made.scale.length**2
    values, vectors = np.linalg.eigh(free.T @ M @ free)
    if values[0] < 1e-13 * max(values[-1], made.scale.mass * made.scale.length**2 * 1e-6):
        moving = np.linalg.norm((made.T @ (free @ vectors[:, 0])).reshape(-1, 12), axis=1)
        name = made.compiled.coordinates.order[int(np.argmax(moving))]
        raise ModelError(
            f'body "{name}": can turn although nothing resists, for its inertia is 0 about some axis; '
            "give it an inertia there, or a joint without this freedom"
        )


def _time_scale(made: SpatialSystem, v: Array, a: Array, duration: float) -> float:
    """Return T = min(sqrt(L/a), L/v), never longer than the run, s; 1 s where nothing moves."""
    fast, pushed = (float(np.max(np.abs(x) / made.size_q, initial=0.0)) for x in (v, a))
    candidates = [duration]
    if fast > 0.0:
        candidates.append(1.0 / fast)
    if pushed > 0.0:
        candidates.append(pushed**-0.5)
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)
