"""The start of a chain: its coordinates and speeds as the model says, and whether they can move.

Speeds that are not said are those of least kinetic energy; rates of deflections, of drives and of bending, are 0 unless
they are said:

    least  v.M v/2 + v.h     subject to     G v = g        h = momentum along v of what drivers move             (1)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from particlemech import rotations
from particlemech.engine.bending.equations import FlexibleSystem
from particlemech.engine.bending.links import FIXED, FLOATS, Speeds
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.run.march import NO_INERTIA
from particlemech.run.start import Start, accelerations

KEPT = 1e-9  # of the speeds in play: how well what is said must hold


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
    y = np.concatenate([q, v, [0.0]])
    if chain.speeds is not None:
        y[made.layout.v] = _least_speeds(made, y, chain.speeds)
    return y


def _least_speeds(made: FlexibleSystem, y: Array, said: Speeds) -> Array:
    """Return (1), (n_v,), for speeds in y that are right where they are known."""
    n, lay, size = made.n_v, made.layout, made.size_v
    rows, wanted, names = _conditions(made, y, said)
    known = _known(made, said)
    drivers = [row["signal"] for row in made.compiled.tables.joint if row["signal"] >= 0]
    if not len(rows) and not drivers and not np.any(y[lay.v]):
        return np.zeros(n)
    open_ = np.flatnonzero(~known)
    if not len(open_) and not len(rows):
        return y[lay.v].copy()
    v = np.where(known, y[lay.v], 0.0)
    M = made.mass(0.0, y[lay.q]) * np.outer(size, size)
    scale = max(float(np.abs(M).max(initial=0.0)), 1e-300)
    G = rows * size
    unit = np.maximum(np.linalg.norm(G, axis=1), 1e-300)
    G, left = G / unit[:, None], (wanted - rows @ v) / unit
    h = size * _momentum(made, y) + M @ (v / size)
    whole = np.zeros((len(open_) + len(rows),) * 2)
    k = len(open_)
    whole[:k, :k], whole[k:, :k], whole[:k, k:] = M[np.ix_(open_, open_)] / scale, G[:, open_], G[:, open_].T
    found = np.linalg.lstsq(whole, np.concatenate([-h[open_] / scale, left]), rcond=1e-13)[0]
    v[open_] = size[open_] * found[:k]
    missed = np.abs(rows @ v - wanted)
    fastest = float(np.abs(v / size).max(initial=0.0))
    allowed = KEPT * (np.abs(rows) @ size * fastest + np.abs(wanted) + np.abs(wanted).max(initial=0.0))
    if np.any(missed > allowed):
        worst = int(np.argmax(missed - allowed))
        raise ModelError(
            f'section "initial": {names[worst]} cannot be {wanted[worst]:g}: joints, drivers and what else is said '
            f"leave {float(rows[worst] @ v):g}; take one of them out"
        )
    return v


def _known(made: FlexibleSystem, said: Speeds) -> NDArray[np.bool_]:
    """Return which speeds are known, (n_v,): those of deflections, and rates of joints that are said."""
    known = [c.deflects or (c.part, c.name) in said.known for c in made.compiled.coordinates]
    return np.array(known, dtype=bool).reshape(made.n_v)


def _momentum(made: FlexibleSystem, y: Array) -> Array:
    """Return h of (1), (n_v,): what the kinetic energy changes by with each speed where only drivers move."""
    states = np.repeat(y[None], 2 * made.n_v, axis=0)
    states[:, made.layout.v] = np.vstack([np.eye(made.n_v), -np.eye(made.n_v)])
    kinetic = made.observed(np.zeros(len(states)), states, moved=False).kinetic
    return 0.5 * (kinetic[: made.n_v] - kinetic[made.n_v :])


def _conditions(made: FlexibleSystem, y: Array, said: Speeds) -> tuple[Array, Array, list[str]]:
    """Return G, g of (1), and in words what each row is."""
    n, base = made.n_v, made.compiled.chain.base
    rows: list[Array] = []
    wanted: list[float] = []
    names: list[str] = []
    if base.state != FIXED:
        for k, rate in said.travels:
            rows.append(np.eye(n)[k])
            wanted.append(rate)
            names.append(f"rate of {base.joint}.{'xyz'[k]}")
    if base.state == FLOATS:
        share = rotations.rates(np.repeat(said.angles[None], 3, axis=0), np.eye(3))
        for k, rate in said.turns:
            if not np.all(np.isfinite(share)):
                raise ModelError(
                    f'section "initial": rate: joint "{base.joint}" starts at gimbal lock, where rates of its angles '
                    "mean nothing; give the omega of its body"
                )
            row = np.zeros(n)
            row[3:6] = share[:, k]
            rows.append(row)
            wanted.append(rate)
            names.append(f"rate of {base.joint}.angle{k + 1}")
    if said.omega or said.velocity:
        states = np.repeat(y[None], n + 1, axis=0)
        states[:, made.layout.v] = np.vstack([np.zeros(n), np.eye(n)])
        seen = made.observed(np.zeros(n + 1), states, moved=False)
        found = [(f'omega of body "{b}"', seen.omega(b), of) for b, of in said.omega]
        found += [(f'velocity of point "{p}"', seen.velocity(p), of) for p, of in said.velocity]
        for name, reached, of in found:
            rows += list((reached[1:] - reached[0]).T)
            wanted += list(of - reached[0])
            names += [f"{name}, {axis}," for axis in "xyz"]
    return np.array(rows).reshape(-1, n), np.array(wanted), names


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
