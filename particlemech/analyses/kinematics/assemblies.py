"""All ways in which a mechanism fits together with its drivers where they are.

In the plane by closed forms, dyads.py, where bodies can be placed one or two at a time: then these are all. Else by
Newton's method from random poses, which counts how often each way is found; the list may miss some.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.kinematics.curves import Curve
from particlemech.analyses.kinematics.cycle import Followed, Led, led, made
from particlemech.analyses.kinematics.driving import bare, drive, stiff, world
from particlemech.analyses.kinematics.masses import placed
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.result.base import Result
from particlemech.run.curve import BEGIN
from particlemech.run.start import weights
from particlemech.run.trajectory import Status

STARTS = 250  # random poses at least,
MOST_STARTS = 2000  # and at most,
OFTEN = 8  # until every way has been found so often
SAME = 1e-6  # of the mechanism's length, and rad: what is nearer is one way
EXACT = 1e-10  # of the length, or rad: by what closed forms may miss rows
SLOW = 1e-7  # part of the tangent along s: less is a toggle, where speeds have no bounds


class Assemblies(tuple[Result, ...]):
    """Ways in which a mechanism fits together, each a result of one sample; the first is that in which it stands.

    Attributes
    ----------
    complete : bool
        Whether these are all, by closed forms; else there may be others.
    counts : tuple of int
        How often each was found from random poses; empty where closed forms gave them.
    starts : int
        From how many poses.
    """

    complete: bool
    counts: tuple[int, ...]
    starts: int

    @property
    def poses(self) -> tuple[tuple[str, Result], ...]:
        """Every way with its number, as pages and pictures show them."""
        return tuple((f"assembly {k}", way) for k, way in enumerate(self, start=1))

    def __str__(self) -> str:
        """Return a table: the coordinates of joints in each way."""
        lines = [repr(self)[1:-1]]
        for k, way in enumerate(self, start=1):
            seen: Any = way
            at = []
            for name, spec in way.system.mechanism.joints.items():
                for of in spec.coordinate_names:
                    value = float(seen.coordinate(name, of)[0])
                    at.append(f"{name}.{of} = {value if abs(value) > EXACT else 0.0:.6g}")
            lines.append(f"  {k}: {', '.join(at)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        if self.complete:
            return f"<Assemblies: {len(self)}, complete>"
        counts = ", ".join(map(str, self.counts))
        return f"<Assemblies: {len(self)}, found {counts} times from {self.starts} poses; there may be others>"


@one_thread
def assemblies(
    mechanism: Description, t: float | None = None, at: float | None = None, driver: str | None = None
) -> Assemblies:
    """Return all assemblies of a driven mechanism; see interface.py."""
    mechanism = stiff(mechanism, "assemblies")
    m = bare(mechanism)
    if at is None and driver is None:
        s = 0.0 if t is None else float(t)
        if not m.drivers:
            drive(m, None, "assemblies")
        m = placed(m)
        ground = world(m).Ground.of(m, m)
        curve = Curve(ground, m, None, 0.0, 1.0, "assemblies")
        curve.known = mechanism.bodies
        of = None
    else:
        if t is not None:
            raise ModelError("assemblies: give a time t, or what a driver is at, not both")
        of = led(m, driver, None, "assemblies")
        ground, curve = of.ground, of.curve
        s = curve.s if at is None else float(at)
    if not math.isfinite(s):
        raise ModelError(f"assemblies: expected a finite number, got {s!r}")
    if of is not None and of.of.turns:  # full turns change no way: poses are looked for within half a turn
        s = curve.s + math.remainder(s - curve.s, 2.0 * math.pi)
    own = curve.reached(s)
    solved = _solved(curve, s, own)
    found, counts, starts = _searched(curve, s, own) if solved is None else (solved, (), 0)
    if not found:
        why = f"{starts} random poses led nowhere" if solved is None else "something does not reach where it must"
        raise ModelError(f"assemblies: it does not fit together at {s:g}: {why}")
    ways = Assemblies(_result(ground, curve, m, of, s, *way) for way in found)
    ways.complete, ways.counts, ways.starts = solved is not None, counts, starts
    return ways


def _result(ground: Any, curve: Curve, m: Description, of: Led | None, s: float, q: Array, x: Array, tau: Array) -> Any:
    """Return a way as a result of one sample."""
    v = np.zeros(curve.system.n_v)
    if abs(tau[-1]) > SLOW:
        v = tau[:-1] * curve.system.size_v / (tau[-1] * curve.unit)
    found = Followed(q[None], v[None], x[None], Status.COMPLETED, s, {})
    if of is None:
        return made(ground, curve, m, np.array([s]), found, 1.0, "")
    return made(ground, curve, of.of.moving(s, of.of.rate, of.shift), np.zeros(1), found, of.of.rate, "")


Way = tuple[Array, Array, Array]  # coordinates, extra states, tangent of the curve


def _solved(curve: Curve, s: float, own: Array | None) -> list[Way] | None:
    """Return the ways that closed forms give, the own one first; None where they do not give all.

    A way that does not satisfy the rows of the system, or from which Newton's method leads away, tells against them
    all; so does an own one that is not among them.
    """
    system, ground = curve.system, curve.ground
    poses = ground.solved(system, s)
    if poses is None or not poses:
        return poses if own is None else None
    place, factors = curve.begun(np.zeros(0), 1.0), weights(system) / system.scale.length
    w, ways, marks = place.w, list[Way](), list[Array]()
    for q in poses:
        missed = float(np.max(np.abs(factors * system.levels(s, q, np.zeros(system.n_v)).phi), initial=0.0))
        w.q[:], w.tau[:-1], w.tau[-1] = q, 0.0, 1.0
        mark = ground.mark(system, q, curve.spins)
        if missed > EXACT or not place.do(BEGIN, s) or not ground.upright(system, w.q, s):
            return None
        if float(np.max(np.abs(mark - ground.mark(system, w.q, curve.spins)))) > SAME:
            return None
        if all(float(np.max(np.abs(mark - other))) >= SAME for other in marks):
            ways.append((w.q.copy(), system.recounted(w.q, curve.x), w.tau.copy()))
            marks.append(mark)
    if own is not None:
        far = [float(np.max(np.abs(mark - ground.mark(system, own, curve.spins)))) for mark in marks]
        k = int(np.argmin(far))
        if far[k] > SAME:
            return None
        ways.insert(0, ways.pop(k))
    return ways


def _searched(curve: Curve, s: float, own: Array | None) -> tuple[list[Way], tuple[int, ...], int]:
    """Return the ways that Newton's method finds, how often, and from how many poses."""
    system, rng = curve.system, np.random.default_rng(0)
    place = curve.begun(np.zeros(0), 1.0)
    w, ways, counts, marks = place.w, list[Way](), list[int](), list[Array]()
    starts = 0
    while starts < MOST_STARTS and (starts < STARTS or min(counts, default=0) < OFTEN):
        w.q[:] = curve.ground.scattered(system, curve.q, rng) if starts or own is None else own
        w.tau[:-1], w.tau[-1] = 0.0, 1.0
        starts += 1
        if starts > STARTS and not ways:
            break
        if not place.do(BEGIN, s) or not curve.ground.upright(system, w.q, s):
            continue
        mark = curve.ground.mark(system, w.q, curve.spins)
        same = next((k for k, other in enumerate(marks) if np.max(np.abs(mark - other)) < SAME), None)
        if same is None:
            ways.append((w.q.copy(), place.extra(), w.tau.copy()))
            marks.append(mark)
            counts.append(1)
        else:
            counts[same] += 1
    return ways, tuple(counts), starts
