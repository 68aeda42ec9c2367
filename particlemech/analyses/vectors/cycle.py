"""A driven cycle: geometry, velocities and accelerations from time to time, always on the same assembly.

Each step starts from x + x_dot h + x_ddot h^2 / 2 and is closed by Newton's method. It counts if what Newton corrected
is small beside the way made, and if no toggle lies between (pose.same_side). If not, the step is halved. A driven
mechanism comes to a toggle like x - x* ~ sqrt(t* - t), so no step passes it: the steps shrink, and the march stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.vectors.assembly import assembled
from particlemech.analyses.vectors.kinetics import Dynamics, dynamics
from particlemech.analyses.vectors.model import VectorModel
from particlemech.analyses.vectors.newton import closing
from particlemech.analyses.vectors.pose import Pose, same_side
from particlemech.analyses.vectors.rank import listed
from particlemech.analyses.vectors.rates import Accelerations, Velocities, accelerations, turning, velocities
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError

FINEST = 1e-13  # shortest step, as a fraction of the cycle
LONGEST = 0.3  # way of one step, in units of the parameters
TRUSTED = 0.2  # largest correction beside the way made
FEW = 30  # steps of Newton's method: one that counts needs fewer, and beyond a toggle none is enough
CRUMB = 1e-9  # corrections below this always count
TOGGLES = 1e-3  # part of the drive along the null vector of a toggle
SHARE = 0.3  # part of a singular vector from which a row or a vector is named


@dataclass(frozen=True, eq=False)
class Cycle:
    """A driven cycle, as far as it went."""

    model: VectorModel
    t: Array  # (K,)
    velocities: tuple[Velocities, ...]
    accelerations: tuple[Accelerations, ...]
    stopped: float | None = None  # s, time of the toggle where it ended early

    @cached_property
    def poses(self) -> tuple[Pose, ...]:
        """The geometry at each time."""
        return tuple(v.pose for v in self.velocities)

    def length(self, name: str) -> Array:
        """Return the length of a vector, its rate and its acceleration over time, (K, 3)."""
        both = zip(self.velocities, self.accelerations, strict=True)
        return np.array([[v.pose.length(name), v.length_dot(name), a.length_ddot(name)] for v, a in both])

    def vector(self, name: str) -> Array:
        """Return a vector and its two derivatives over time, (K, 3, 3)."""
        both = zip(self.velocities, self.accelerations, strict=True)
        return np.array([[v.pose.vector(name), v.vector_dot(name), a.vector_ddot(name)] for v, a in both])

    def omega(self, name: str) -> Array:
        """Return angular velocity and acceleration of a vector over time, (K, 2, 3)."""
        both = zip(self.velocities, self.accelerations, strict=True)
        return np.array([[v.omega(name), a.omega_dot(name)] for v, a in both])

    @cached_property
    def condition(self) -> Array:
        """Condition of the equations of the velocities, (K,)."""
        return np.array([v.condition for v in self.velocities])

    @cached_property
    @one_thread
    def dynamics(self) -> tuple[Dynamics, ...]:
        """Forces and moments at each time."""
        return tuple(dynamics(v) for v in self.velocities)


@one_thread
def driven(model: VectorModel, times: Sequence[float] | Array, start: Pose | None = None) -> Cycle:
    """Return geometry, velocities and accelerations over a driven cycle.

    Parameters
    ----------
    model
        A vector model whose geometry is determined at all times.
    times
        Increasing, s, (K,).
    start
        The assembly to follow, at the first time; default that of the model's guesses.

    Raises
    ------
    SimulationError
        At a toggle; the message names time, vectors and rows, and `result` is the cycle up to there.
    """
    t = increasing(times)
    now = velocities(assembled(model, float(t[0]), start))
    found: list[Any] = [(now, accelerations(now))]
    span = float(t[-1] - t[0])
    for until in t[1:]:
        now = _followed(now, float(until), FINEST * span)
        if now.pose.t < until:
            v, a = zip(*found, strict=True)
            cycle = Cycle(model, t[: len(found)], v, a, stopped=now.pose.t)
            raise SimulationError(_stopped(now), cycle)
        found.append((now, accelerations(now)))
    v, a = zip(*found, strict=True)
    return Cycle(model, t, v, a)


def increasing(times: Sequence[float] | Array) -> Array:
    """Return the times of a cycle, (K,), after a check that they increase."""
    try:
        t = np.asarray(times, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"times of a cycle must be numbers, got {times!r}; give a list of them, s") from None
    if t.ndim != 1 or len(t) == 0 or not np.isfinite(t).all() or np.any(np.diff(t) <= 0.0):
        raise ModelError("times of a cycle must increase; give a list of them, s")
    return t


def _followed(now: Velocities, until: float, finest: float) -> Velocities:
    """Return velocities at a later time on the same assembly, or as near to it as it can be followed."""
    h = until - now.pose.t
    while now.pose.t < until:
        new = _step(now, min(h, until - now.pose.t))
        if new is not None:
            now = new
            h *= 2.0
            continue
        h = 0.5 * min(h, until - now.pose.t)
        if h < finest:
            break
    return now


def _step(now: Velocities, h: float) -> Velocities | None:
    """Return velocities one step later; None if the step does not count."""
    pose, c = now.pose, now.pose.of
    t = pose.t + h
    these, bend = now.next_level  # spins that are left open do not move the vectors: least norm serves
    x_ddot = turning(pose) @ (bend.x * these.columns) + now.turned
    x = c.values(t)[0]
    x[c.unknown] = (pose.x + h * now.x_dot + 0.5 * h * h * x_ddot)[c.unknown]
    found = closing(c, x, t, most=FEW)
    scale = c.column_units[c.unknown]
    way = float(np.linalg.norm((found.x - pose.x)[c.unknown] / scale))
    corrected = float(np.linalg.norm((found.x - x)[c.unknown] / scale))
    if not found.closed or way > LONGEST or corrected > max(CRUMB, TRUSTED * way):
        return None
    new = Pose(c, t, found.x, found.gap, found.iterations)
    if not same_side(pose.equations, new.equations):
        return None
    try:
        return velocities(new)
    except ModelError:  # on the toggle itself
        return None


def _stopped(now: Velocities) -> str:
    """Return what is said of a toggle or a change point: its time, its vectors and its rows.

    In a toggle the drive asks for what the rows forbid: it has a part along their left null vector.
    """
    c, x = now.pose.of, now.pose.x
    known = np.setdiff1d(np.arange(c.n), c.unknown)
    drive = (c.slopes(x)[:, known] @ now.x_dot[known] - c.given(now.pose.t)[1]) / c.row_units(x)
    U, sizes, V = np.linalg.svd(now.pose.equations)
    k = len(c.unknown) - 1
    vectors = dict.fromkeys(v for e in np.flatnonzero(np.abs(V[k]) > SHARE) for v in c.owners[c.unknown[e]])
    rows = [c.rows[c.active[e]] for e in np.flatnonzero(np.abs(U[:, k]) > SHARE)]
    met = abs(U[:, k] @ drive[c.active]) > TOGGLES * float(np.linalg.norm(drive))
    place = "toggle" if met else "change point, where it may go on in several ways,"
    return (
        f"{c.model.name}: stopped at a {place} at t = {now.pose.t:.9g}: vectors {listed(vectors)} cannot follow, rows "
        f"{listed(rows)} lose their hold (smallest singular value {sizes[-1] / sizes[0]:.1e}); drive less far, or "
        "drive another vector"
    )
