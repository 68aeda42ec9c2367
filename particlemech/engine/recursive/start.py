"""The start of a tree: its coordinates and speeds as the model says, struck by the impulses at t = 0."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from particlemech import rotations
from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism
from particlemech.run.start import Start, accelerations

KEPT = 1e-9  # of the speeds in play: how well what is said must hold
SINGULAR = 1e-10  # least pivot below which accelerations are taken by least squares


def prepared(mechanism: Mechanism, duration: float) -> tuple[TreeSystem, Start]:
    """Return the system of a tree and its start; `duration` of the run to come, s, bounds its own time."""
    made = system(mechanism)
    y = start_state(made)
    made = made.retimed(_time_scale(made, y, duration))
    lay = made.layout
    q, v = y[lay.q], y[lay.v]
    least, rates = made.slopes(0.0, y)
    a = rates[lay.v] if least > SINGULAR else accelerations(made, 0.0, q, v, y[lay.x])[0]
    return made, Start(q, v, a, np.zeros(0), np.zeros(1), {})


def start_state(made: TreeSystem) -> Array:
    """Return y at t = 0, (n,), after the impulses there; work counts from then on."""
    y = made.struck(0.0, unstruck_state(made))
    y[-1] = 0.0
    return y


def unstruck_state(made: TreeSystem) -> Array:
    """Return y at t = 0, (n,), before any impulse."""
    m = made.mechanism
    y = state(made, {j: (_in_order(made, j, m.position(j)), np.zeros(made.mechanism.joints[j].dof)) for j in m.joints})
    y[made.layout.v] = _least_speeds(made, y)
    return y


def _in_order(made: TreeSystem, joint: str, said: Mapping[str, float]) -> Array:
    """Return the values of all coordinates of a joint in the order of its stages; 0 where nothing is said."""
    c = made.compiled
    return np.array([said.get(c.coordinates[e].name, 0.0) for e in c.stages_of[joint]])


def state(made: TreeSystem, given: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Array:
    """Return y, (n,), from coordinates and rates of all joints, the angles of quaternions included."""
    c, y = made.compiled, np.zeros(made.n)
    for joint, stages in c.stages_of.items():
        position, rate = (np.array(of, dtype=float) for of in given[joint])
        at = c.quaternions.get(joint)
        if at is not None:
            y[at : at + 4] = rotations.quaternion(rotations.matrix(position[-3:])[None])[0]
            rate[-3:] = rate[-3:] @ rotations.axes(position[-3:])
        for e, x, x_dot in zip(stages, position, rate, strict=True):
            stage = c.tables.stage[e]
            if stage["q"] >= 0:
                y[stage["q"]] = x
            if stage["u"] >= 0:
                y[made.n_q + stage["u"]] = x_dot
    return y


def _least_speeds(made: TreeSystem, y: Array) -> Array:
    """Return the free speeds of least kinetic energy that have the rates, omega and velocities which are said, (n_v,).

    least  u.A u/2 + u.A_d x_dot_d     subject to     G u = g                                              (1)
    """
    rows, wanted, names = _said_speeds(made, y)
    at = made.kane(0.0, y[made.layout.q], np.zeros(made.n_v))
    if not len(rows) and not np.any(at.x[:, 1]):
        return np.zeros(made.n_v)
    free, n = np.array(made.compiled.free, dtype=int), made.n_v
    size = made.size_v
    scaled = rows * size
    unit = np.maximum(np.linalg.norm(scaled, axis=1), 1e-300)
    A, driven = at.A[np.ix_(free, free)] * np.outer(size, size), size * (at.A[free] @ at.x[:, 1])
    heaviest = max(float(np.abs(A).max(initial=0.0)), 1e-300)
    G = scaled / unit[:, None]
    whole = np.block([[A / heaviest, G.T], [G, np.zeros((len(rows), len(rows)))]])
    u = size * np.linalg.lstsq(whole, np.concatenate([-driven / heaviest, wanted / unit]), rcond=1e-13)[0][:n]  # (1)
    for row, value in zip(rows, wanted, strict=True):
        if np.count_nonzero(row) == 1 and row.max() == 1.0:  # a rate that is said: to the last bit
            u[int(np.argmax(row))] = value
    left = np.abs(rows @ u - wanted)
    length = made.scale.length
    moved = np.where([c.turn for c in made.compiled.coordinates], 1.0, 1.0 / length) * np.abs(at.x[:, 1])  # by drivers
    fastest = max(float(np.abs(u / size).max(initial=0.0)), float(moved.max(initial=0.0)))
    allowed = KEPT * (np.abs(rows) @ size * fastest + np.abs(wanted) + np.abs(wanted).max(initial=0.0))
    if np.any(left > allowed):
        worst = int(np.argmax(left - allowed))
        raise ModelError(
            f'section "initial": {names[worst]} cannot be {wanted[worst]:g}: joints, drivers and what else is said '
            f"leave {float(rows[worst] @ u):g}; take one of them out"
        )
    return u


def _said_speeds(made: TreeSystem, y: Array) -> tuple[Array, Array, list[str]]:
    """Return G, g of (1), and in words what each row is: a rate, a component of an omega or of a velocity."""
    m, c, n = made.mechanism, made.compiled, made.n_v
    rows: list[Array] = []
    wanted: list[float] = []
    names: list[str] = []
    for joint in m.initial.rate:
        position = _in_order(made, joint, m.position(joint))
        for e in c.stages_of[joint]:
            coordinate = c.coordinates[e]
            rate = m.named(joint, m.initial.rate[joint]).get(coordinate.name)
            if rate is None or coordinate.driver is not None:
                continue
            row = np.zeros(n)
            if coordinate.spins:  # angles of a quaternion: their rates are made of its speeds
                last = c.stages_of[joint][-3:]
                share = rotations.rates(np.repeat(position[-3:][None], 3, axis=0), np.eye(3))[:, e - last[0]]
                if not np.all(np.isfinite(share)):
                    raise ModelError(
                        f'section "initial": rate: joint "{joint}" starts at gimbal lock, where rates of its angles '
                        "mean nothing; give the omega of its body"
                    )
                for k, part in zip(last, share, strict=True):
                    row[c.tables.stage[k]["u"]] = part
            else:
                row[c.tables.stage[e]["u"]] = 1.0
            rows.append(row)
            wanted.append(rate)
            names.append(f"rate of {coordinate.label}")
    if m.initial.omega or m.initial.velocity:
        states = np.repeat(y[None], n + 1, axis=0)
        states[:, made.layout.v] = np.vstack([np.zeros(n), np.eye(n)])
        seen = made.observed(np.zeros(n + 1), states, np.zeros((n + 1, len(c.coordinates))), told=False)
        found = [(f'omega of body "{b}"', seen.omega(b), of) for b, of in m.initial.omega.items()]
        found += [(f'velocity of point "{p}"', seen.velocity(p), of) for p, of in m.initial.velocity.items()]
        for name, reached, of in found:
            rows += list((reached[1:] - reached[0]).T)
            wanted += list(np.array(of) - reached[0])
            names += [f"{name}, {axis}," for axis in "xyz"]
    return np.array(rows).reshape(len(rows), n), np.array(wanted), names


def _time_scale(made: TreeSystem, y: Array, duration: float) -> float:
    """Return T = min(sqrt(L/a), L/v, 1/omega), never longer than the run, s; 1 s where nothing moves."""
    seen, L = made.observed(np.zeros(1), y[None]), made.scale.length
    bodies = made.compiled.topology.bodies
    v = max(float(np.linalg.norm(seen.com_velocity(b))) / L + float(np.linalg.norm(seen.omega(b))) for b in bodies)
    a = max(float(np.linalg.norm(seen.com_acceleration(b))) / L + float(np.linalg.norm(seen.alpha(b))) for b in bodies)
    candidates = [duration]
    if 0.0 < v < np.inf:
        candidates.append(1.0 / v)
    if 0.0 < a < np.inf:
        candidates.append(a**-0.5)
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)
