"""The start of a chain: its coordinates and speeds as the model says, and whether they can move."""

from __future__ import annotations

import numpy as np

from particlemech import rotations
from particlemech.errors import ModelError
from particlemech.flexible.equations import FlexibleSystem
from particlemech.flexible.links import FIXED, FLOATS
from particlemech.initial import Start, accelerations
from particlemech.march import NO_INERTIA
from particlemech.system import Array


def prepared(made: FlexibleSystem, duration: float) -> tuple[FlexibleSystem, Start]:
    """Return a system in its own time, and its start; `duration` of the run to come, s, bounds that time."""
    y = start_state(made)
    made = made.retimed(_time_scale(made, y, duration))
    lay = made.layout
    q, v = y[lay.q], y[lay.v]
    least, rates = made.slopes(0.0, y)
    a = rates[lay.v] if least > NO_INERTIA else accelerations(made, 0.0, q, v, y[lay.x])[0]
    return made, Start(q, v, a, np.zeros(0), np.zeros(1), {})


def start_state(made: FlexibleSystem) -> Array:
    """Return y at t = 0, (n,)."""
    chain, tables = made.compiled.chain, made.compiled.tables
    q, v, base = np.zeros(made.n_q), np.zeros(made.n_v), chain.base
    if base.state != FIXED:
        q[:3], v[:3] = base.place, base.velocity
    if base.state == FLOATS:
        q[3:7], v[3:6] = rotations.quaternion(base.turn[None])[0], base.omega
    for joint, row in zip(chain.joints, tables.joint[1:], strict=True):
        if row["u"] >= 0:
            q[row["q"]], v[row["u"]] = joint.position, joint.rate
        if row["du"] >= 0:
            q[row["dq"]], v[row["du"]] = joint.deflection, joint.deflection_rate
    for link, row in zip(chain.links, tables.link[1:], strict=True):
        q[row["q"] : row["q"] + link.m], v[row["u"] : row["u"] + link.m] = link.q, link.q_dot
    return np.concatenate([q, v, [0.0]])


def _time_scale(made: FlexibleSystem, y: Array, duration: float) -> float:
    """Return T = min(size/speed, sqrt(size/acceleration)) over all coordinates, never longer than the run, s."""
    lay, size = made.layout, made.size_v
    _, rates = made.slopes(0.0, y)
    candidates = [duration]
    speed = float(np.max(np.abs(y[lay.v]) / size, initial=0.0))
    rate = float(np.max(np.abs(rates[lay.v]) / size, initial=0.0))
    if 0.0 < speed < np.inf:
        candidates.append(1.0 / speed)
    if 0.0 < rate < np.inf:
        candidates.append(rate**-0.5)
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)


def check_inertia(made: FlexibleSystem, q: Array) -> None:
    """Raise where a free motion meets no inertia at coordinates (n_q,)."""
    if not made.n_v:
        return
    A = made.mass(0.0, q) * np.outer(made.size_v, made.size_v)
    # each motion beside its own inertia: light modes beside a heavy base are no fault
    own = np.sqrt(np.maximum(np.diag(A), 0.0))
    lost = own <= NO_INERTIA * own.max()
    names = made.compiled.coordinates
    if lost.any():
        loose = names[int(np.argmax(lost))]
        raise ModelError(
            f'"{loose.label}" meets no inertia: neither "{loose.part}" nor what it carries has mass that moves with '
            "it; give them some, or take this freedom out"
        )
    values, vectors = np.linalg.eigh(A / np.outer(own, own))
    if values[0] > NO_INERTIA:
        return
    share = np.abs(vectors[:, 0])
    one, other = sorted(np.argsort(-share)[:2].tolist())
    raise ModelError(
        f'"{names[one].label}" and "{names[other].label}" meet no inertia where one undoes the other: what lies '
        f'between "{names[one].part}" and "{names[other].part}" has none; give it some, or take one of them out'
    )
