"""Inverse kinematics: poses in which points and bodies are where they are wanted, within the limits of all joints.

    G d = 0,   C d = gap,   |d| least over coordinates of joints                                              (1)

step by step, damped where a pose is near its limit of reach; a coordinate that would leave its limits is held there
and the others make up for it (saturation in the null space, Flacco, De Luca and Khatib 2012). What cannot be reached
is answered by the nearest pose of several searches. There the gap stays, and (1), which leaves its curvature out, comes
on slowly; beyond limits Newton's method ends it, on h = |gap|^2/2 over the freedoms z, T = dq/dz:

    H dz = (C T)^T gap,     H by differences of -(C T)^T gap                                                  (2)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlemech._threads import one_thread
from particlemech.analyses.kinematics.driving import stiff
from particlemech.analyses.poses import released
from particlemech.analyses.poses.posing import LONGEST, Path, Posing, ask, joint_coordinates, read, rows_of
from particlemech.analyses.poses.quantities import Quantity
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import shown

REACHED = 1e-10  # of the mechanism's length: a target this near is reached
WITHIN = 1e-12  # rad or length: nearer to a limit counts as within
ENOUGH = 1e3  # times that: where no step comes nearer, it still counts
DONE = "reached"
STARTS, AWAY = 8, 6  # further searches where one ends short of a target, and steps to their beginnings
AGAIN, SAME = 2, 1e-6  # so many searches that end as far from the target, in lengths of the mechanism, are enough
ROUNDS = 400  # steps towards a target
DAMPED = 1e-3  # of the largest singular value: damping where a step brings nothing nearer
WORTH = 1e-12  # of the mechanism's length: a step that comes nearer by less is the last
FARTHEST = 100.0  # rad or lengths: steps double up to it while they lead on
SLOW, LATER = 1e-2, 15  # part of the gap: after a step that takes less (2) is tried, and again so many steps later
BESIDE, STEPS, FINE = 1e-3, 20, 1e-8  # lengths: differences of (2); its steps, and the last


@dataclass(frozen=True, eq=False)
class Reach:
    """Poses for targets, in order.

    Attributes
    ----------
    reached : array of bool, shape (K,)
    missed : array, shape (K,)
        By how far each target is missed, as a length, angles counting the mechanism's own.
    said : tuple of str
        For each target, what it came to: "reached", or what stands against it.
    coordinates : dict
        Of all joints, by "joint.coordinate", (K,), rad or length since the drawing.
    result
        The poses as a result at rest; sample k is that of target k.
    """

    reached: NDArray[np.bool_]
    missed: Array
    said: tuple[str, ...]
    coordinates: dict[str, Array]
    result: Any

    def __str__(self) -> str:
        """Return one line for each target."""
        return "\n".join(f"target {k}: {said}" for k, said in enumerate(self.said))


@one_thread
def reach(mechanism: Any, targets: Mapping[str, ArrayLike], limits: bool = True) -> Reach:
    """Return poses that reach targets; see `particlemech.reach`."""
    if not isinstance(targets, Mapping) or not targets:
        raise ModelError(f"reach: targets are given as a mapping of names to values, got {shown(targets)}")
    of = released(stiff(mechanism, "reach"))
    parts = [_values(ask(of, [name], joints=False), name, value) for name, value in targets.items()]
    K = max(len(values) for _, values in parts)
    wanted = np.concatenate([np.broadcast_to(v, (K, v.shape[1])) for _, v in parts], axis=1)
    search = Search(Posing(of, [q for quantities, _ in parts for q in quantities]), limits)
    q, missed, said = [], np.zeros(K), []
    for k in range(K):
        missed[k], words = search.nearest(wanted[k])
        q.append(search.posing.q)
        said.append(words)
    still = np.zeros((K, of.system.n_v))
    path = Path(np.arange(K, dtype=float), np.array(q), still, still)
    values = read(of.seen(*path), search.every, 0)
    coordinates = {c.name: values[:, i] for i, c in enumerate(search.every)}
    reached = missed <= ENOUGH * REACHED * search.posing.length
    return Reach(reached, missed, tuple(said), coordinates, of.result([(of.mechanism, path)]))


def _values(quantities: list[Quantity], name: str, value: ArrayLike) -> tuple[list[Quantity], Array]:
    """Return what a target asks for, (K or 1, m)."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f'target "{name}": expected numbers, got {shown(value)}') from None
    m = len(quantities)
    array = array.reshape(-1, 1) if m == 1 and array.ndim < 2 else np.atleast_2d(array)
    if array.ndim != 2 or array.shape[1] != m or not np.isfinite(array).all():
        raise ModelError(f'target "{name}": {m} finite number(s) are needed, or (K, {m}), got {shown(value)}')
    return quantities, array


class Search:
    """Steps towards targets; the pose is carried along from target to target."""

    def __init__(self, posing: Posing, limits: bool) -> None:
        self.posing, of = posing, posing.of
        joints = of.driven.joints
        self.every = joint_coordinates(of)
        bounds = {(j, c): b for j, joint in joints.items() for c, b in getattr(joint, "bounds", {}).items()}
        none = (-np.inf, np.inf)
        self.limits = np.array([bounds.get(c.joint or ("", ""), none) if limits else none for c in self.every]).reshape(
            -1, 2
        )
        self.unit = np.array([posing.length if c.turn else 1.0 for c in self.every])

    def nearest(self, wanted: Array) -> tuple[float, str]:
        """Go to a target, or as near as searches from the last pose and from STARTS others lead; as `towards`."""
        begun, random = self.posing.q, np.random.default_rng(0)
        far, words = self.towards(wanted)
        best, again = self.posing.q, 0
        for _ in range(STARTS if words != DONE else 0):
            self.posing.q = begun
            q = self._closed(self._away(begun, random))
            if q is None:
                continue
            self.posing.q = q
            now, said = self.towards(wanted)
            again += abs(now - far) <= SAME * self.posing.length
            if again == AGAIN:
                break
            if now < far - WORTH * self.posing.length:
                far, words, best = now, said, self.posing.q
            if said == DONE:
                break
        self.posing.q = best
        return far, words

    def _away(self, q: Array, random: np.random.Generator) -> Array:
        """Return a pose some way along a random motion of the freedoms; coordinates with limits are cut there."""
        for _ in range(AWAY):
            N = self.posing.free_ways()
            d = N @ random.normal(size=N.shape[1])
            d *= LONGEST / max(float(np.max(np.abs(d), initial=0.0)), 1e-300)
            moved = self.posing.of.moved(q, self.posing.of.system.size_v * d)
            found = self._closed(moved)
            if found is not None:
                q = self.posing.q = found
        return q

    def towards(self, wanted: Array) -> tuple[float, str]:
        """Go to the pose nearest to a target; return how far it misses, and that in words."""
        posing, damping, longest, tried = self.posing, 0.0, LONGEST, 0
        far, moving = self._far(posing.q, wanted), True
        for k in range(ROUNDS):
            if far <= REACHED * posing.length:
                break
            step = self._step(posing.q, wanted, damping, longest)
            q = self._closed(posing.of.moved(posing.q, step))
            now = np.inf if q is None else self._far(q, wanted)
            if q is not None and now < far - WORTH * posing.length:
                slow = far - now < SLOW * far and k >= tried
                posing.q, far, damping = q, now, 0.1 * damping if damping > DAMPED else 0.0
                longest = min(2.0 * longest, FARTHEST)
                if slow:
                    tried = k + LATER
                    ended = self._newton(wanted)
                    far = self._far(posing.q, wanted)
                    if ended:
                        break
            elif longest > LONGEST:
                longest = LONGEST
            elif damping > 1e6:
                break
            else:
                damping = max(DAMPED, 10.0 * damping)
        else:
            moving = False
        if far <= ENOUGH * REACHED * posing.length:
            return far, DONE
        values = self._coordinates(posing.q)[:, None]
        names = [c.name for c, at in zip(self.every, np.abs(values - self.limits) < 1e-9, strict=True) if at.any()]
        unit = posing.of.mechanism.unit.length
        why = f"held by the limits of {', '.join(names)}" if names else "beyond its reach"
        why = why if moving else f"and still coming nearer after {ROUNDS} steps"
        return far, f"missed by {far:.6g} {unit}, {why}"

    def _newton(self, wanted: Array) -> bool:
        """Go to the nearest pose by (2), where no limit holds it; return whether that is where it ended."""
        posing, still = self.posing, False
        size = posing.of.system.size_v / posing.length
        for _ in range(STEPS):
            values = self._coordinates(posing.q)[:, None]
            if np.min(np.abs(values - self.limits), initial=np.inf) < BESIDE:
                return False
            q, N = posing.q, posing.free_ways()
            g = self._slope(q, N, wanted)
            columns = []
            for way in N.T * BESIDE * posing.length:
                ends = [self._closed(posing.of.moved(q, size * sign * way)) for sign in (1.0, -1.0)]
                if ends[0] is None or ends[1] is None:
                    return False
                columns.append(self._slope(ends[0], N, wanted) - self._slope(ends[1], N, wanted))
            H = np.array(columns) / (2.0 * BESIDE * posing.length)
            own, V = np.linalg.eigh(0.5 * (H + H.T))
            least = 1e-6 * float(np.abs(own).max(initial=1e-300))
            d = -V @ ((V.T @ g) / np.maximum(np.abs(own), least))
            d *= min(1.0, LONGEST * posing.length / max(float(np.max(np.abs(N @ d), initial=0.0)), 1e-300))
            before, after = self._far(q, wanted), self._closed(posing.of.moved(q, size * (N @ d)))
            if after is None or self._far(after, wanted) > before * (1.0 + WORTH):
                return still
            posing.q = after
            still = float(np.max(np.abs(N @ d), initial=0.0)) < FINE * posing.length
            if still:
                return True
        return False

    def _slope(self, q: Array, N: Array, wanted: Array) -> Array:
        """Return the slope of h in a pose, (f,), along motions whose parts along N are 1."""
        posing, kept = self.posing, self.posing.q
        posing.q = q
        own = posing.free_ways()
        posing.q = kept
        T = own @ np.linalg.pinv(N.T @ own)
        C = posing.unit[:, None] * posing.rows(q) @ (posing.size[:, None] * T)
        return np.asarray(-C.T @ (posing.unit * (wanted - posing.values(q))))

    def _far(self, q: Array, wanted: Array) -> float:
        return float(np.linalg.norm(self.posing.unit * (self.posing.values(q) - wanted)))

    def _closed(self, q: Array) -> Array | None:
        """Return the nearest pose in which all joints are closed and within their limits, or None."""
        found, held = Posing(self.posing.of, [])._closed(q, np.zeros(0)), dict[int, float]()
        while found is not None:
            values = self._coordinates(found)
            lower, upper = self.limits.T
            beyond = np.maximum(lower - values, values - upper)
            beyond[list(held)] = 0.0
            worst = int(np.argmax(beyond)) if len(beyond) else 0
            if not len(beyond) or beyond[worst] <= WITHIN:
                return found
            held[worst] = float(lower[worst] if values[worst] < lower[worst] else upper[worst])
            at_limits = Posing(self.posing.of, [self.every[k] for k in held])
            found = at_limits._closed(found, np.array(list(held.values())))
        return None

    def _coordinates(self, q: Array) -> Array:
        """Return all coordinates of joints in a pose, (n,)."""
        still = np.zeros((1, len(self.posing.size)))
        return read(self.posing.of.seen(np.zeros(1), q[None], still, still), self.every, 0)[0]

    def _step(self, q: Array, wanted: Array, damping: float, most: float = LONGEST) -> Array:
        """Return (1), (n_v,)."""
        posing = self.posing
        N = posing.free_ways()
        size = posing.size[:, None]
        ways = self.unit[:, None] * rows_of(posing.of, q, self.every) @ (size * N)  # rates of coordinates
        C = posing.unit[:, None] * posing.rows(q) @ (size * N)
        gap = posing.unit * (wanted - posing.values(q))
        now = self._coordinates(q)
        held: set[int] = set()
        metric = _least(ways)
        while True:
            fixed = ways[sorted(held)] @ metric
            free = np.eye(metric.shape[1]) - np.linalg.pinv(fixed) @ fixed
            U, s, Vt = np.linalg.svd(C @ metric @ free, full_matrices=False)
            top = max(float(s.max(initial=0.0)), 1e-300)
            softened = s / np.maximum(s**2 + max(damping, 1e-9) ** 2 * top**2, 1e-300)
            d = metric @ free @ (Vt.T @ (softened * (U.T @ gap)))
            longest = float(np.max(np.abs(N @ d), initial=0.0)) / posing.length
            d *= min(1.0, most / max(longest, 1e-300))
            after = now + ways @ d / self.unit
            part = self._parts(now, after)
            part[sorted(held)] = 1.0
            first = int(np.argmin(part)) if len(part) else 0
            least = float(part[first]) if len(part) else 1.0
            if least > 0.01:
                return posing.of.system.size_v / posing.length * (N @ d) * least
            held.add(first)

    def _parts(self, now: Array, after: Array) -> Array:
        """Return what part of a step leads each coordinate to its limit, 1 where it stays within."""
        way = after - now
        limit = np.where(way > 0.0, self.limits[:, 1], self.limits[:, 0])
        beyond = np.where(way > 0.0, after - limit, limit - after) > WITHIN
        return np.where(beyond, np.clip((limit - now) / np.where(way == 0.0, 1.0, way), 0.0, 1.0), 1.0)


def _least(ways: Array) -> Array:
    """Return the change of freedoms in whose norm coordinates of joints move least, (f, f)."""
    if not len(ways):
        return np.eye(ways.shape[1])
    _, s, Vt = np.linalg.svd(ways, full_matrices=False)
    top = max(float(s.max(initial=0.0)), 1e-300)
    return np.asarray(Vt.T / np.maximum(s, 1e-6 * top))
