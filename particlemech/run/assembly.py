"""Assembly of mechanisms that are not drawn as they start: the way from the drawing is followed, not jumped.

First the lengths, with every driver at rest in the drawing,

    lengths(s) = drawn + s (asked - drawn),     s from 0 to 1                                       (1)

then, from the drawing so assembled, the coordinates that drivers and [initial] prescribe,

    coordinates(s) = s coordinates(start),      s from 0 to 1                                       (2)

Every step closes the mechanism of (1) or (2) from the pose of the step before, with the least motion of mass, and is
halved until it is short and leads back to where it came from: one that had changed the branch would lead elsewhere.
What is still free to move at the end of (1) goes to the pose of least motion of mass from the drawing, as in
start.py (1). In (2) the coordinates of joints outside of loops stay where they are drawn, unless they are prescribed.
All of it in absolute coordinates, which are the same for all steps; the pose is carried over to any formulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy import linalg

from particlemech._threads import one_thread
from particlemech.engine.graph import bridges
from particlemech.engine.plane import Assembled, Pose, at_home
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.drivers import holding
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism, centroid
from particlemech.model.signals import values
from particlemech.run.start import CLOSED, assembled, closed, speed_scales, weights

if TYPE_CHECKING:
    from particlemech.engine.absolute.equations import Absolute

SAME = 1e-12  # relative difference up to which a length is the drawn one
STRIDE = 0.2  # of the mechanism's length, and rad: how far a step may move a body
ASTRAY = 0.25  # of the way of a step: how far from its beginning the way back may end; curvature alone makes 0.1
SHORTEST = 1e-9  # of the whole change: a step that must be shorter meets the end of the branch
END = 1e-6  # of the whole change: an end of the branch this near to the asked lengths is where they ask to be
RANK = 1e-9  # of the largest singular value: what is smaller is a redundant row


class Length(NamedTuple):
    """A length that differs from the drawn one."""

    section: str  # "bodies" or "joints"
    name: str
    drawn: float  # m
    asked: float  # m

    def at(self, s: float) -> float:
        """Return (1), m."""
        return self.drawn + s * (self.asked - self.drawn)


def lengths(mechanism: Mechanism) -> list[Length]:
    """Return the lengths of bodies and of distance joints that differ from their drawing, the most different first."""
    found = []
    for section in ("bodies", "joints"):
        for name, spec in getattr(mechanism, section).items():
            asked = getattr(spec, "length", None)
            if asked is not None:
                drawn = math.dist(*(mechanism.drawn(p) for p in spec.points))
                if abs(asked - drawn) > SAME * asked:
                    found.append(Length(section, name, drawn, asked))
    return sorted(found, key=lambda one: -abs(math.log(one.asked / one.drawn)) if one.drawn else -math.inf)


@one_thread
def followed(mechanism: Mechanism) -> Assembled | None:
    """Return drawing and start on the branch of the drawing.

    None if the mechanism is drawn as it stands, or where two points have no direction for a length.
    """
    changed = lengths(mechanism)
    known = bool(changed) and all(one.drawn > 0.0 for one in changed)
    if not known and not mechanism.displaced:
        return None
    still = _at_rest(mechanism)
    home = _lengthened(still, changed) if known else _drawn(still)
    return Assembled(home, _set_out(mechanism, still, home) if mechanism.displaced else home)


def _pose(system: Absolute, q: Array) -> Pose:
    pose = q.reshape(-1, 3)
    return Pose(pose[:, :2] + centroid(system.mechanism), pose[:, 2])


def _at_rest(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with all drivers at rest in the drawing."""
    if not mechanism.displaced:
        return mechanism
    drivers = {name: {"motion": 0.0} for name in mechanism.drivers}
    return mechanism.replaced(drivers=drivers, initial=type(mechanism.initial)())


def _drawn(mechanism: Mechanism) -> Pose:
    """Return the drawing with its gaps closed."""
    from particlemech.engine.absolute.equations import system

    made = system(mechanism)
    return _pose(made, closed(made, made.drawing))


def _lengthened(mechanism: Mechanism, changed: list[Length]) -> Pose:
    """Return the drawing with its lengths as asked, by (1)."""
    here = _system(mechanism, changed, 0.0)
    q = assembled(here, 0.0, here.drawing)  # all else counts from the drawing: with the drawn lengths it is closed
    there, q = _walked(partial(_system, mechanism, changed), q, partial(_unreachable, changed, mechanism.unit.length))
    return _pose(there, _nearest(there, q))


def _walked(
    made: Callable[[float], Absolute], q: Array, failed: Callable[[float], ModelError]
) -> tuple[Absolute, Array]:
    """Return the system at s = 1 and the pose there that the pose at s = 0 leads to; `failed` says how far it went."""
    here, s, step = made(0.0), 0.0, 1.0
    while s < 1.0:
        ahead = min(1.0, s + step)
        there = made(ahead)
        reached = _step(here, there, q)
        if reached is not None:
            s, q, here, step = ahead, reached, there, 2.0 * step
            continue
        step *= 0.5
        if step < SHORTEST:
            last = _closed(there := made(1.0), _carried(here, there, q))
            if s < 1.0 - END or last is None:
                raise failed(s)
            s, q, here = 1.0, last, there
    return here, q


# -- from the drawing to the start -----------------------------------------------------------------------------------


def _set_out(mechanism: Mechanism, still: Mechanism, home: Pose) -> Pose:
    """Return where the motion starts, by (2)."""
    made = partial(_departing, mechanism, still, _held(mechanism, home))
    there, q = _walked(made, made(0.0).posed(home), partial(_out_of_reach, mechanism))
    return _pose(there, q)


Held = list[tuple[str, str, float, float]]  # joint and coordinate, where it is in the drawing, and how far it goes


def _held(mechanism: Mechanism, home: Pose) -> Held:
    """Return the coordinates that [initial] prescribes, and those that stay where they are drawn."""
    driven = set(mechanism.driven)
    way = {of: value for _, of, value in mechanism.initially("position") if of not in driven}
    way |= dict.fromkeys(_outside_loops(mechanism, driven | set(way)), 0.0)
    joints = {of: joint for joint, spec in mechanism.joints.items() for of in spec.freedoms}
    return [(joints[of], of.name, at_home(mechanism, home, of), value) for of, value in way.items()]


def _departing(mechanism: Mechanism, still: Mechanism, held: Held, s: float) -> Absolute:
    """Return the system of coordinates (2): what prescribes and what holds them are drivers at rest."""
    from particlemech.engine.absolute.equations import system

    drivers: dict[str, Any] = {
        name: {"motion": s * values(driver.motion, 0.0)[0]} for name, driver in mechanism.drivers.items()
    }
    taken = {*mechanism.joints, *mechanism.drivers}
    for k, (joint, name, drawn, value) in enumerate(held):
        own = next(word for n in count() if (word := f"start {k} {n}") not in taken)
        drivers[own] = holding(joint, name, drawn + s * value)
    return system(still.replaced(drivers=drivers))


def _outside_loops(mechanism: Mechanism, prescribed: set[Freedom]) -> list[Freedom]:
    """Return the coordinates that can stay where they are drawn: of joints in no loop, tied to none that moves."""
    sides = [(joint, other) for joint in mechanism.joints.values() for other in joint.bodies[1:]]
    links = [(joint.bodies[0], other) for joint, other in sides]
    links += [d.between(mechanism) for d in mechanism.drivers.values() if d.joint is None]
    alone = bridges(links)
    free = [of for (joint, b), k in zip(sides, alone, strict=False) if k for of in joint.freedoms if of.second == b]
    staying = set(free) - prescribed
    tied = [set(joint.tied(mechanism)) for joint in mechanism.joints.values()]
    while loose := [of for pair in tied if pair & staying and pair - staying for of in pair & staying]:
        staying -= set(loose)
    return [of for of in free if of in staying]


def _out_of_reach(mechanism: Mechanism, s: float) -> ModelError:
    """Return the error of a start that cannot be reached."""
    asked = [(f'driver "{name}"', values(d.motion, 0.0)[0]) for name, d in mechanism.drivers.items()]
    asked += [(f'initial position of joint "{joint}"', value) for joint, _, value in mechanism.initially("position")]
    far = [(what, value) for what, value in asked if value != 0.0]
    listed = ", ".join(f"{what} at {value:.6g}" for what, value in far[:4])
    reached = ", ".join(f"{s * value:.6g}" for _, value in far[:4])
    return ModelError(
        f"the start cannot be reached from the drawing: {listed}; on the way from the drawing the mechanism fits "
        f"together up to {reached}; change these values, or draw the mechanism nearer to its start"
    )


# -- lengths ---------------------------------------------------------------------------------------------------------


def _unreachable(changed: list[Length], unit: str, s: float) -> ModelError:
    one, *others = changed
    kind = "body" if one.section == "bodies" else "joint"
    way = "up" if one.asked > one.drawn else "down"
    also = ", with the other changed lengths as far on their way" if others else ""
    return ModelError(
        f'{kind} "{one.name}": length {one.asked:g} {unit} cannot be reached from the drawn {one.drawn:.7g} {unit}: '
        f"the mechanism fits together {way} to {one.at(s):.7g} {unit}{also}; "
        "correct the length, or draw the points as they are to stand"
    )


def _system(mechanism: Mechanism, changed: list[Length], s: float) -> Absolute:
    """Return the system of lengths (1)."""
    from particlemech.engine.absolute.equations import system

    if s < 1.0:
        new: dict[str, dict[str, dict[str, float]]] = {"bodies": {}, "joints": {}}
        for one in changed:
            new[one.section][one.name] = {"length": one.at(s)}
        mechanism = mechanism.replaced(**new)
    return system(mechanism)


def _carried(here: Absolute, there: Absolute, q: Array) -> Array:
    """Return the same pose of another system, whose places count from another centroid."""
    moved = q.reshape(-1, 3).copy()
    moved[:, :2] += np.subtract(centroid(here.mechanism), centroid(there.mechanism))
    return moved.ravel()


def _step(here: Absolute, there: Absolute, q: Array) -> Array | None:
    """Return the pose at the next lengths, or None if the step is too long."""
    begun, way = _carried(here, there, q), speed_scales(there)
    reached = _closed(there, begun)
    if reached is None:
        return None
    far = float(np.max(np.abs((reached - begun) / way)))
    if far > STRIDE * there.scale.length:
        return None
    back = _closed(here, _carried(there, here, reached))
    if back is None or np.max(np.abs((back - q) / way)) > ASTRAY * far + CLOSED * here.scale.length:
        return None
    return reached


def _closed(system: Absolute, q: Array) -> Array | None:
    """Return the pose that satisfies all rows, by Newton's method with steps of the least motion of mass, or None."""
    scale, way, L = weights(system), speed_scales(system), system.scale.length
    inertia = way**2 * np.diagonal(system.mass(q))
    light = way / np.sqrt(np.maximum(inertia, 1e-6 * np.max(inertia)))
    for _ in range(40):
        at = system.levels(0.0, q, np.zeros_like(q))
        gap = scale * at.phi
        if np.max(np.abs(gap), initial=0.0) <= CLOSED * L:
            return q
        step = light * linalg.lstsq(scale[:, None] * at.phi_q * light, -gap, rcond=RANK)[0]
        longest = float(np.max(np.abs(step / way)))
        if not longest <= L:  # nowhere near
            return None
        q = q + step
    return None


def _nearest(system: Absolute, q: Array) -> Array:
    """Return the pose of least motion of mass from the drawing that free motion leads to from here.

    Newton's method in the directions that are free, downhill where the second derivative is negative, in steps that
    stay on the branch.
    """
    scale, way, L = weights(system), speed_scales(system), system.scale.length
    for _ in range(100):
        C = scale[:, None] * system.rows_q(0.0, q) * way
        _, s, Vt = linalg.svd(C)
        N = Vt[int(np.sum(s > RANK * s.max(initial=0.0))) :].T
        if not N.shape[1]:
            break
        slope = way * system.displacement(q)
        lam = scale * linalg.lstsq(C.T, -slope, rcond=RANK)[0]
        h = 1e-5 * L
        ends = [(_pull(system, q + way * h * d, lam), _pull(system, q - way * h * d, lam)) for d in N.T]
        H = np.stack([N.T @ (way * (after - before)) / (2.0 * h) for after, before in ends])
        values, V = linalg.eigh(0.5 * (H + H.T))
        size = np.maximum(np.abs(values), 1e-9 * np.max(np.abs(values)))
        step = -N @ (V @ ((V.T @ (N.T @ slope)) / size))
        longest = float(np.max(np.abs(step)))
        q = assembled(system, 0.0, q + way * step * min(1.0, 0.5 * STRIDE * L / max(longest, 1e-300)))
        if longest <= 1e-12 * L:
            break
    return q


def _pull(system: Absolute, q: Array, lam: Array) -> Array:
    """Return the gradient of motion of mass + lam.phi, (n_q,)."""
    return system.displacement(q) + system.rows_q(0.0, q).T @ lam
