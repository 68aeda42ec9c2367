"""The start of a mechanism in space.

    drawing       gaps closed by the least movement, all drivers where they are drawn                       (1)
    positions     followed from there to what drivers and [initial] say: following.py                       (2)
    velocities    least kinetic energy that satisfies joints, drivers and [initial], as in the plane        (3)
    impulses      those at t = 0 act before the run begins, and do no work that counts                      (4)

Nothing moves between these steps: each is found from the one before.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech.engine.natural.compiled import tabulate
from particlemech.engine.natural.coordinates import axes
from particlemech.engine.natural.equations import SpatialSystem, system
from particlemech.engine.natural.following import at_drawing, followed
from particlemech.engine.natural.readings import gradient
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.signals import values
from particlemech.model.space.mechanism import Mechanism
from particlemech.run.start import (
    CLOSED,
    FAR,
    SINGULAR,
    Asked,
    Start,
    accelerations,
    assembled,
    least_velocities,
    weights,
)

ROUNDS = 200  # steps of an assembly
STEP = 0.3  # the longest of them: L for a place, 1 for a unit vector


def prepared(mechanism: Mechanism, duration: float, cut: tuple[str, ...] | None = None) -> tuple[SpatialSystem, Start]:
    """Return the system of a mechanism and its consistent start.

    `duration` of the run to come, s, bounds its time; `cut` are joints to cut, by name, default those of its [run].
    """
    cut = mechanism.run.cut if cut is None else cut
    for name in cut:
        if name not in mechanism.joints:
            raise ModelError(f'cut: joint "{name}" unknown{suggestion(name, mechanism.joints)}')
    made, q, v, x, moved = _unstruck(mechanism, cut)
    v = _struck(made, q, v, x)  # (4)
    a, lam = accelerations(made, 0.0, q, v, x)
    begin = Start(q, v, a, lam, x, moved)
    return made.retimed(_time_scale(made, v, a, duration)), begin


def unstruck(mechanism: Mechanism) -> tuple[SpatialSystem, Array]:
    """Return the system of a mechanism and its state at t = 0, (n,), before any impulse."""
    made, q, v, x, _ = _unstruck(mechanism, mechanism.run.cut)
    y, lay = np.zeros(made.n), made.layout
    y[lay.q], y[lay.v], y[lay.x] = q, v, x
    return made, y


def _unstruck(
    mechanism: Mechanism, cut: tuple[str, ...]
) -> tuple[SpatialSystem, Array, Array, Array, dict[str, float]]:
    """Return the system of a mechanism, q, v and x after (1) to (3), and how far bodies were moved to close it."""
    _check_engine(mechanism)
    made = system(mechanism, cut)
    drawn = _assembled(made)  # (1)
    moved = _moved(made, drawn)
    q, theta = followed(made, drawn)  # (2)
    q = assembled(made, 0.0, q)
    _check_inertia(made, q)
    v = least_velocities(made, q, made.mass, _asked(made, q))  # (3)
    return made, q, v, np.append(made.angles(q, theta), 0.0), moved


def _check_engine(mechanism: Mechanism) -> None:
    """Refuse what natural coordinates cannot run."""
    for name, body in mechanism.bodies.items():
        if body.bends:
            raise ModelError(f'body "{name}" bends, which natural coordinates cannot; take its modes out')
    for name, joint in mechanism.joints.items():
        if getattr(joint, "drive", None) is not None:
            raise ModelError(f'joint "{name}" has a drive that yields, which natural coordinates cannot; take it out')


def _assembled(made: SpatialSystem) -> Array:
    """Return the coordinates nearest to the drawing that satisfy all rows, or name what stays open."""
    if any(values(driver.motion, 0.0)[0] for driver in made.mechanism.drivers.values()):
        made = SpatialSystem(tabulate(at_drawing(made.mechanism), made.compiled.topology))
    scale, L = weights(made), made.scale.length
    q = assembled(made, 0.0, _nearly_assembled(made, np.array(made.compiled.shared.drawing)))
    gaps = np.abs(scale * made.levels(0.0, q, np.zeros(made.n_v)).phi)
    if not np.all(np.isfinite(q)) or gaps.max(initial=0.0) > max(1e-9, CLOSED) * L:
        worst = np.argsort(-gaps)
        parts = list(dict.fromkeys(made.layout.rows[k].part for k in worst if gaps[k] > 0.3 * gaps[worst[0]]))
        raise ModelError(
            f"the mechanism cannot be assembled from this drawing: {' and '.join(parts[:3])} stay open by "
            f"{gaps[worst[0]]:.3g} {made.mechanism.unit.length}; correct the lengths or the points there"
        )
    return q


def _nearly_assembled(made: SpatialSystem, q: Array) -> Array:
    """Return the drawing where it is closed; else coordinates nearby that are, by least steps, lengths in units of L.

    A step in the user's units would turn a body drawn in mm where it has only to be shifted. Rows are curved: steps
    longer than STEP are cut short.
    """
    scale, L, still = weights(made), made.scale.length, np.zeros(made.n_v)
    for _ in range(ROUNDS):
        at = made.levels(0.0, q, still)
        gap = scale * at.phi / L
        if np.max(np.abs(gap), initial=0.0) <= CLOSED or not np.all(np.isfinite(gap)):
            break
        step = np.linalg.lstsq(scale[:, None] * at.phi_q * made.size_q / L, -gap, rcond=SINGULAR)[0]
        longest = float(np.max(np.abs(step), initial=0.0))
        q = q + made.size_q * step * min(1.0, STEP / max(longest, 1e-300))
        if longest < 1e-14:
            break
    return q


def _moved(made: SpatialSystem, q: Array) -> dict[str, float]:
    """Return how far assembly moved the centre of each body; refuse a far-off one."""
    way = np.linalg.norm((made.full(q) - made.compiled.coordinates.drawing).reshape(-1, 4, 3)[:, 0], axis=1)
    L, unit = made.scale.length, made.mechanism.unit.length
    moved = {body: float(far) for body, far in zip(made.compiled.coordinates.order, way, strict=True) if far > 1e-9 * L}
    worst = max(moved, key=lambda b: moved[b], default=None)
    if worst is not None and moved[worst] > FAR * L:
        raise ModelError(
            f'body "{worst}" would have to move {moved[worst]:.3g} {unit} from its drawing to assemble the mechanism '
            f"(limit {FAR * L:.3g} {unit}); draw it nearer to its true position"
        )
    return moved


def _asked(made: SpatialSystem, q: Array) -> list[Asked]:
    """Return what the model says of its velocities, as rows."""
    m, L, full, n = made.mechanism, made.scale.length, made.full(q), len(made.T)
    asked: list[Asked] = []
    for joint, given in m.initial.rate.items():
        for coordinate, rate in m.named(joint, given).items():
            row = gradient(made.compiled.measures[joint, coordinate], full)
            size = L if coordinate.startswith("angle") else 1.0
            if m.joints[joint].spherical and coordinate == m.joints[joint].coordinate_names[-2]:
                # beyond 90 degrees it is read as pi less the angle
                row = row * math.copysign(1.0, math.cos(m.position(joint).get(coordinate, 0.0)))
            name = f'initial rate of joint "{joint}": {coordinate}'
            asked.append((name, size * (row @ made.T)[None], np.array([size * rate])))
    for body, omega in m.initial.omega.items():
        b = made.compiled.coordinates.index[body]
        rows = np.zeros((3, n))
        for i, d in enumerate(axes(full[None])[0, b].T):
            # omega = sum d_i x d_i'/2
            x, y, z = d
            rows[:, 12 * b + 3 * (i + 1) : 12 * b + 3 * (i + 2)] = 0.5 * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        asked.append((f'initial omega of "{body}"', L * rows @ made.T, L * np.array(omega)))
    for point, velocity in m.initial.velocity.items():
        body = m.carrier(point)
        if body not in m.bodies:
            continue  # it rests with the ground, and is said to
        b = made.compiled.coordinates.index[body]
        arm = np.subtract(m.points[point], m.centre(body))
        rows = np.zeros((3, n))
        for i, c in enumerate([1.0, *arm]):
            rows[:, 12 * b + 3 * i : 12 * b + 3 * i + 3] = c * np.eye(3)
        asked.append((f'initial velocity of "{point}"', rows @ made.T, np.array(velocity)))
    return asked


def _struck(made: SpatialSystem, q: Array, v: Array, x: Array) -> Array:
    """Return the velocities after the impulses at t = 0."""
    y, lay = np.zeros(made.n), made.layout
    y[lay.q], y[lay.v], y[lay.x] = q, v, x
    return made.struck(0.0, y)[lay.v].copy()


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
