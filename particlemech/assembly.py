"""Assembly of mechanisms whose `length` keys differ from their drawing: the lengths are followed, not jumped to.

    lengths(s) = drawn + s (asked - drawn),     s from 0 to 1                                       (1)

Every step closes the mechanism of lengths (1) from the pose of the step before, with the least motion of mass, and is
halved until it is short and leads back to where it came from: one that had changed the branch would lead elsewhere.
What is still free to move at s = 1 goes to the pose of least motion of mass from the drawing, as in initial.py (1).
All of it in absolute coordinates, which are the same for all lengths; the pose is carried over to any formulation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy import linalg

from particlemech.errors import ModelError
from particlemech.initial import CLOSED, assembled, ways, weights
from particlemech.mechanism import Mechanism, centroid
from particlemech.plane import Pose
from particlemech.system import Array

if TYPE_CHECKING:
    from particlemech.absolute.equations import Absolute

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


def followed(mechanism: Mechanism) -> Pose | None:
    """Return the pose on the branch of the drawing; None if lengths are as drawn, or two points have no direction."""
    changed = lengths(mechanism)
    if not changed or any(one.drawn == 0.0 for one in changed):
        return None
    here = _system(mechanism, changed, 0.0)
    q = assembled(here, 0.0, here.drawing)  # all else counts from the drawing: with the drawn lengths it is closed
    s, step = 0.0, 1.0
    while s < 1.0:
        ahead = min(1.0, s + step)
        there = _system(mechanism, changed, ahead)
        reached = _step(here, there, q)
        if reached is not None:
            s, q, here, step = ahead, reached, there, 2.0 * step
            continue
        step *= 0.5
        if step < SHORTEST:
            last = _closed(there := _system(mechanism, changed, 1.0), _carried(here, there, q))
            if s < 1.0 - END or last is None:
                raise _unreachable(changed, s, mechanism.unit.length)
            s, q, here = 1.0, last, there
    q = _nearest(here, q)
    pose = q.reshape(-1, 3)
    return Pose(pose[:, :2] + centroid(here.mechanism), pose[:, 2])


def _unreachable(changed: list[Length], s: float, unit: str) -> ModelError:
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
    from particlemech.absolute.equations import system

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
    begun, way = _carried(here, there, q), ways(there)
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
    scale, way, L = weights(system), ways(system), system.scale.length
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
    scale, way, L = weights(system), ways(system), system.scale.length
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
