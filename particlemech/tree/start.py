"""The start of a tree: its coordinates and speeds as the model says, struck by the impulses at t = 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from particlemech import rotations
from particlemech.errors import ModelError
from particlemech.initial import Start, accelerations
from particlemech.system import Array
from particlemech.tree.equations import TreeSystem, system
from particlemech.tree.mechanism import Mechanism

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
    y = state(made, {j: made.mechanism.start(j) for j in made.mechanism.joints})
    for body in made.compiled.topology.bodies:
        if body in made.mechanism.initial.omega:
            _spin(made, y, body)
    return y


def state(made: TreeSystem, given: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> Array:
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


def _spin(made: TreeSystem, y: Array, body: str) -> None:
    """Give a body on a ball or free joint the angular velocity that the model says, global axes."""
    c, m = made.compiled, made.mechanism
    joint = m.inboard[body]
    parent = m.joints[joint].parent
    seen = made.observed(np.zeros(1), y[None])
    wanted = np.array(m.initial.omega[body])
    if parent in m.bodies:
        wanted = seen.orientation(parent)[0].T @ (wanted - seen.omega(parent)[0])
    if joint not in c.quaternions:
        wanted = rotations.rates(np.array(m.start(joint)[0][-3:])[None], wanted[None])[0]
        if not np.all(np.isfinite(wanted)):
            raise ModelError(
                f'section "initial": omega: body "{body}" starts at gimbal lock of joint "{joint}", where rates of '
                'angles cannot give it; take coordinates = "quaternion"'
            )
    for e, rate in zip(c.stages_of[joint][-3:], wanted, strict=True):
        y[made.n_q + c.tables.stage[e]["u"]] = rate


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
