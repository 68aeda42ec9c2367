"""The start: coordinates and speeds as the model says, struck by the impulses at t = 0.

Without rows coordinates are what is said of them, or as drawn. With rows:

    drawing       gaps closed by the least movement, all drivers where they are drawn                       (1)
    positions     followed from there to what drivers and [initial] say: following.py                       (2)
    velocities    least kinetic energy that satisfies joints, drivers and [initial], as in the plane        (3)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from particlemech import rotations
from particlemech.engine.recursive.closing import LEAST
from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.entry_points import LOOK, NONE, SLOPES, ask
from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.exactness import check_exact
from particlemech.engine.recursive.following import at_drawing, followed
from particlemech.engine.recursive.jamming import check_loads
from particlemech.engine.recursive.scales import own
from particlemech.engine.recursive.ties import deflections
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND
from particlemech.model.signals import values
from particlemech.model.space.mechanism import Mechanism
from particlemech.run import branches
from particlemech.run.start import (
    CLOSED,
    FAR,
    Asked,
    Start,
    accelerations,
    assembled,
    least_velocities,
    rank,
    weights,
)

KEPT = 1e-9  # of the speeds in play: how well what is said must hold
SINGULAR = 1e-10  # least pivot below which accelerations are taken by least squares
CLEAR = 0.02  # least pivot of rows above which all are independent by far
HEAVY = 1e-7  # least inertia that a motion meets in the elimination, beside the largest, above which none meets none
ROUNDS = 200  # steps of an assembly
STEP = 0.3  # the longest of them: L for a travel, rad for an angle


def prepared(mechanism: Mechanism, duration: float, cut: tuple[str, ...] | None = None) -> tuple[TreeSystem, Start]:
    """Return the system of a mechanism and its start.

    `duration` of the run to come, s, bounds its own time; `cut` are joints to cut, by name, default those of its [run].
    """
    for name in cut or ():
        if name not in mechanism.joints:
            raise ModelError(f'cut: joint "{name}" unknown{suggestion(name, mechanism.joints)}')
    made = system(mechanism, cut)
    y, moved = unstruck(made)
    y = made.struck(0.0, y)
    y[made.layout.x] = made.elements.extra(np.zeros(0))
    check_loads(made, y)
    made = made.rescaled(own(made, y, duration))
    point = _change_point(made, y)
    if point is not None and np.any(y[made.layout.v]):
        y[made.layout.v] = branches.followed(point, *_said_of_branches(made, y, point), "rate", y[made.layout.v])
    a, lam = _accelerations(made, y)
    if point is not None and not np.any(y[made.layout.v]):
        branches.check_rest(point, duration, a, lam)
    forks = point.part if point is not None else ""
    return made, Start(y[made.layout.q], y[made.layout.v], a, lam, y[made.layout.x].copy(), moved, forks=forks)


def _change_point(made: TreeSystem, y: Array) -> branches.ChangePoint | None:
    """Return the start as a pose in which branches of motion meet, if it is one."""
    if not made.n_row or _clear(made, y)[0]:
        return None
    q = y[made.layout.q]
    at, driven = made.levels(0.0, q, np.zeros(made.n_v)), bool(made.mechanism.drivers)
    pace = made.scale.length / made.scale.time if driven else 0.0
    return branches.change_point(made, q, at.phi_q, at.phi_t if driven else None, pace)


def _said_of_branches(
    made: TreeSystem, y: Array, point: branches.ChangePoint
) -> tuple[list[Array], list[branches.Speed]]:
    """Return the rows of speeds that are said, scaled, and the rates of joints that could be."""
    c, L, others = made.compiled, made.scale.length, list[branches.Speed]()
    for k, of in enumerate(made.named):
        if of.part in made.mechanism.joints and not (of.deflects or of.spins):
            joint, size = made.mechanism.joints[of.part], L if of.turn else 1.0
            name = of.part if len(c.stages_of[of.part]) == 1 else of.label
            unit = "rad/s" if of.turn else f"{made.mechanism.unit.length}/s"
            row = size * np.eye(made.n_v)[k] * point.way
            others.append(branches.Speed(name, row, unit, size, GROUND in joint.bodies))
    return [row * point.way for _, rows, _ in _asked(made, y) for row in rows], others


def start_state(made: TreeSystem) -> Array:
    """Return y at t = 0, (n,), after the impulses there; work counts from then on."""
    y = made.struck(0.0, unstruck_state(made))
    y[made.layout.x] = made.elements.extra(np.zeros(0))
    return y


def unstruck_state(made: TreeSystem) -> Array:
    """Return y at t = 0, (n,), before any impulse."""
    return unstruck(made)[0]


def _accelerations(made: TreeSystem, y: Array) -> tuple[Array, Array]:
    """Return accelerations (n_v,) and multipliers (n_row,): by elimination, unless it meets what is nearly singular."""
    lay, place, rates = made.layout, Workspace(made.compiled), np.zeros(len(y))
    made.give(place.s, 0.0, y)
    least, s = ask(SLOPES, 0.0, y, NONE, rates, place.address), place.s
    if least > SINGULAR and (not made.n_row or (s.kept[0] == made.n_row and s.tally[LEAST] > CLEAR)):
        return rates[lay.v], s.lam.copy()
    return accelerations(made, 0.0, y[lay.q], y[lay.v], y[lay.x])


def _clear(made: TreeSystem, y: Array) -> tuple[bool, bool]:
    """Return whether the rows of a pose are independent by far, and whether all motions meet inertia by far."""
    place = Workspace(made.compiled)
    pivot, s = ask(LOOK, 0.0, y, NONE, NONE, place.address), place.s
    inertia = s.D[list(made.compiled.free), 0] * made.size_v**2
    return s.kept[0] == made.n_row and pivot > CLEAR, bool(np.min(inertia) > HEAVY * np.max(inertia))


def unstruck(made: TreeSystem) -> tuple[Array, dict[str, float]]:
    """Return y at t = 0, (n,), before any impulse, and how far bodies were moved to close the drawing."""
    y, moved = stood(made)
    if made.n_row:
        independent, heavy = _clear(made, y)
        if not independent:
            check_exact(made, y[made.layout.q])
        if not heavy:
            _check_inertia(made, y[made.layout.q])
        driven = (made.masses(y[made.layout.q]) @ _driven_rates(made))[list(made.compiled.free)]
        y[made.layout.v] = least_velocities(made, y[made.layout.q], made.mass, _asked(made, y), driven)  # (3)
    else:
        y[made.layout.v] = _least_speeds(made, y)
    return y, moved


def stood(made: TreeSystem) -> tuple[Array, dict[str, float]]:
    """Return y at t = 0, (n,), at rest: where it stands; and how far bodies were moved to close the drawing."""
    m, moved = made.mechanism, dict[str, float]()
    still = {j: (_in_order(made, j, {}), np.zeros(len(of))) for j, of in made.compiled.stages_of.items()}
    if not made.n_row:
        still |= {j: (_in_order(made, j, m.position(j)), still[j][1]) for j in m.joints if j in still}
    y = state(made, still)
    for e, (value, _) in deflections.said(m, made.compiled).items():
        y[made.compiled.tables.stage[e]["q"]] = value if not made.n_row else 0.0
    if made.n_row:
        drawn, moved = _assembled(made, y[made.layout.q])  # (1)
        y[made.layout.q] = assembled(made, 0.0, followed(made, drawn))  # (2)
    return y, moved


def _assembled(made: TreeSystem, q: Array) -> tuple[Array, dict[str, float]]:
    """Return the nearest coordinates that satisfy all rows, drivers as drawn, and how far bodies moved."""
    if any(values(driver.motion, 0.0)[0] for driver in made.mechanism.drivers.values()):
        made = TreeSystem(tabulate(at_drawing(made.mechanism), made.compiled.topology))
    scale, L, still = weights(made), made.scale.length, np.zeros(made.n_v)
    for _ in range(ROUNDS):
        at = made.levels(0.0, q, still)
        gap = scale * at.phi / L
        if np.max(np.abs(gap), initial=0.0) <= CLOSED or not np.all(np.isfinite(gap)):
            break
        # rows are curved: long steps are cut short
        d = np.linalg.lstsq(scale[:, None] * at.phi_q * made.size_v / L, -gap, rcond=1e-10)[0]
        longest = float(np.max(np.abs(d), initial=0.0))
        q = made.moved(q, made.size_v * d * min(1.0, STEP / max(longest, 1e-300)))
        if longest < 1e-14:
            break
    q = assembled(made, 0.0, q)
    gaps = np.abs(scale * made.levels(0.0, q, still).phi)
    if not np.all(np.isfinite(q)) or gaps.max(initial=0.0) > max(1e-9, CLOSED) * L:
        worst = np.argsort(-gaps)
        parts = list(dict.fromkeys(made.layout.rows[k].part for k in worst if gaps[k] > 0.3 * gaps[worst[0]]))
        raise ModelError(
            f"the mechanism cannot be assembled from this drawing: {' and '.join(parts[:3])} stay open by "
            f"{gaps[worst[0]]:.3g} {made.mechanism.unit.length}; correct the lengths or the points there"
        )
    return q, _moved(made, q)


def _moved(made: TreeSystem, q: Array) -> dict[str, float]:
    """Return how far assembly moved the centre of each body; refuse a far-off one."""
    y = np.concatenate([q, np.zeros(made.n_v), [0.0]])
    seen = made.observed(np.zeros(1), y[None], np.zeros((1, len(made.compiled.coordinates))), told=False)
    m, L, unit = made.mechanism, made.scale.length, made.mechanism.unit.length
    way = {b: float(np.linalg.norm(seen.com(b)[0] - np.array(m.centre(b)))) for b in m.bodies}
    moved = {b: far for b, far in way.items() if far > 1e-9 * L}
    worst = max(moved, key=lambda b: moved[b], default=None)
    if worst is not None and moved[worst] > FAR * L:
        raise ModelError(
            f'body "{worst}" would have to move {moved[worst]:.3g} {unit} from its drawing to assemble the mechanism '
            f"(limit {FAR * L:.3g} {unit}); draw it nearer to its true position"
        )
    return moved


def _asked(made: TreeSystem, y: Array) -> list[Asked]:
    """Return what the model says of its velocities, as rows of lengths."""
    rows, wanted, names = _said_speeds(made, y)
    size = [made.scale.length if turns else 1.0 for _, turns, _ in names]
    every = zip(names, size, rows, wanted, strict=True)
    return [(said, of * row[None], np.array([of * value])) for (_, _, said), of, row, value in every]


def _check_inertia(made: TreeSystem, q: Array) -> None:
    """Raise where something could move without any inertia against it, such as a rod that spins between two balls."""
    way = made.size_v / made.scale.length
    C = weights(made)[:, None] * made.levels(0.0, q, np.zeros(made.n_v)).phi_q * way
    _, s, Vt = np.linalg.svd(C)
    free = Vt[rank(s, 1e-9) :].T
    if not free.shape[1]:
        return
    M = way[:, None] * made.mass(q) * way
    values, vectors = np.linalg.eigh(free.T @ M @ free)
    if values[0] < 1e-13 * max(values[-1], made.scale.mass * 1e-6):
        lost = made.compiled.coordinates[made.compiled.free[int(np.argmax(np.abs(free @ vectors[:, 0])))]]
        topology = made.compiled.topology
        name = lost.joint
        if name in topology.carried:
            name = topology.frames[topology.carried[name] - 1].body
        raise ModelError(
            f'body "{name}": can turn although nothing resists, for its inertia is 0 about some axis; '
            "give it an inertia there, or a joint without this freedom"
        )


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
    whole, moving = made.masses(y[made.layout.q]), _driven_rates(made)
    if not np.any(wanted) and not np.any(moving):
        return np.zeros(made.n_v)
    free, n = np.array(made.compiled.free, dtype=int), made.n_v
    size = made.size_v
    scaled = rows * size
    unit = np.maximum(np.linalg.norm(scaled, axis=1), 1e-300)
    A, driven = whole[np.ix_(free, free)] * np.outer(size, size), size * (whole[free] @ moving)
    heaviest = max(float(np.abs(A).max(initial=0.0)), 1e-300)
    G = scaled / unit[:, None]
    saddle = np.block([[A / heaviest, G.T], [G, np.zeros((len(rows), len(rows)))]])
    u = size * np.linalg.lstsq(saddle, np.concatenate([-driven / heaviest, wanted / unit]), rcond=1e-13)[0][:n]  # (1)
    for row, value in zip(rows, wanted, strict=True):
        if np.count_nonzero(row) == 1 and row.max() == 1.0:  # a rate that is said: to the last bit
            u[int(np.argmax(row))] = value
    left = np.abs(rows @ u - wanted)
    length = made.scale.length
    moved = np.where([c.turn for c in made.compiled.coordinates], 1.0, 1.0 / length) * np.abs(moving)  # by drivers
    fastest = max(float(np.abs(u / size).max(initial=0.0)), float(moved.max(initial=0.0)))
    allowed = KEPT * (np.abs(rows) @ size * fastest + np.abs(wanted) + np.abs(wanted).max(initial=0.0))
    if np.any(left > allowed):
        worst = int(np.argmax(left - allowed))
        raise ModelError(
            f'section "initial": {names[worst][0]} cannot be {wanted[worst]:g}: joints, drivers and what else is said '
            f"leave {float(rows[worst] @ u):g}; take one of them out"
        )
    return u


def _driven_rates(made: TreeSystem) -> Array:
    """Return the rates of driven stages at t = 0, (n_stage,); 0 of the others."""
    c, drivers = made.compiled, made.mechanism.drivers
    return np.array([values(drivers[of.driver].motion, 0.0)[1] if of.driver else 0.0 for of in c.coordinates])


def _said_speeds(made: TreeSystem, y: Array) -> tuple[Array, Array, list[tuple[str, bool, str]]]:
    """Return G, g of (1), and of each row what it is in words, whether it turns, and what was said."""
    m, c, n = made.mechanism, made.compiled, made.n_v
    rows: list[Array] = []
    wanted: list[float] = []
    names: list[tuple[str, bool, str]] = []
    for joint in m.initial.rate:
        position = _angles_now(made, joint, y)
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
            said = f'initial rate of joint "{joint}": {coordinate.name}'
            names.append((f"rate of {coordinate.label}", coordinate.turn, said))
    said_of = deflections.said(m, c)
    for e, coordinate in enumerate(c.coordinates):  # deflections do not move unless that is said
        if coordinate.deflects:
            rows.append(np.eye(n)[c.tables.stage[e]["u"]])
            wanted.append(said_of.get(e, (0.0, 0.0))[1])
            said = f'initial rate of "{coordinate.label}"' if e in said_of else f'body "{coordinate.joint}"'
            names.append((f"rate of {coordinate.label}", coordinate.turn, said))
    if m.initial.omega or m.initial.velocity:
        states = np.repeat(y[None], n + 1, axis=0)
        states[:, made.layout.v] = np.vstack([np.zeros(n), np.eye(n)])
        seen = made.observed(np.zeros(n + 1), states, np.zeros((n + 1, len(c.coordinates))), told=False)
        found = [(f'omega of body "{b}"', seen.omega(b), of) for b, of in m.initial.omega.items()]
        found += [(f'velocity of point "{p}"', seen.velocity(p), of) for p, of in m.initial.velocity.items()]
        for name, reached, of in found:
            rows += list((reached[1:] - reached[0]).T)
            wanted += list(np.array(of) - reached[0])
            said = f"initial {name.replace('body ', '').replace('point ', '')}"
            names += [(f"{name}, {axis},", name.startswith("omega"), said) for axis in "xyz"]
    return np.array(rows).reshape(len(rows), n), np.array(wanted), names


def _angles_now(made: TreeSystem, joint: str, y: Array) -> Array:
    """Return the coordinates of a joint in a state, as those of its stages; those of quaternions as 1-2-3 angles."""
    c = made.compiled
    stage = c.tables.stage
    numbers = np.array([y[k] if (k := stage[e]["q"]) >= 0 else 0.0 for e in c.stages_of[joint]])
    at = c.quaternions.get(joint)
    if at is not None:
        said = made.mechanism.position(joint)
        start = np.array([said.get(f"angle{k}", 0.0) for k in (1, 2, 3)])
        numbers[-3:] = rotations.angles(rotations.of_quaternion(y[at : at + 4])[None], start)[0]
    return numbers
