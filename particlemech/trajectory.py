"""Trajectory: what any integrator delivers, and how a run may end."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from particlemech.system import Array, Instant


def stops(breaks: tuple[float, ...], times: Array) -> tuple[list[float], float]:
    """Return where a run must stop and restart, and how near two times count as one, s.

    It stops at breaks, where several nearly coincide once, and at its end.
    """
    near = 1e-12 * float(times[-1] - times[0])
    found: list[float] = []
    for b in breaks:
        if times[0] + near < b < times[-1] - near and (not found or b - found[-1] > near):
            found.append(b)
    return [*found, float(times[-1])], near


def struck(system: Instant, t: float, near: float, y: Array) -> Array:
    """Return the state after all that happens at a stop; `near` as above."""
    for b in system.breaks:
        if 0.0 <= b - t <= near:
            y = system.struck(b, y)
    return y


class Status(enum.Enum):
    """How a run ended; each member says what to try."""

    COMPLETED = "completed"
    LOCKED = "locked"  # closure lost: a driver asks for what the joints forbid
    STEP_LIMIT = "step limit"  # too many or too small steps: loosen rtol, or look for a stiff force
    NOT_A_NUMBER = "not a number"  # a force or signal gave no finite value
    INTERRUPTED = "interrupted"  # by Ctrl-C
    SINGULAR = "singular pose"  # the explicit road stops before it: take integrator "auto" or "ida"
    STIFF = "stiff"  # stability holds the explicit road back: take integrator "auto" or "ida"


@dataclass
class Trajectory:
    """What a run delivers: raw samples, before projection unless the integrator projects them itself."""

    t: Array  # (K,) s
    y: Array  # (K, n)
    status: Status
    message: str
    stats: dict[str, Any]
    events: dict[str, list[tuple[float, Array]]] = field(default_factory=dict)  # name -> (time, y)
    projected: bool = False  # the samples satisfy all rows
    safe: tuple[float, Array] | None = None  # time and state from which another integrator should go on


HAND_OVER = (Status.SINGULAR, Status.STIFF, Status.STEP_LIMIT)  # where the explicit road ends and IDA goes on


def joined(
    first: Trajectory, samples: Array, rest: Trajectory, t: float, carried: Callable[[Array], Array]
) -> Trajectory:
    """Return a run that one integrator began and another finished.

    `samples` are those of the first up to time t, in the coordinates of the second; `carried` brings a state there.
    """
    stats = {f"explicit {key}": value for key, value in first.stats.items()} | rest.stats | {"handed over": t}
    zeros = {name: [(s, carried(z)) for s, z in found if s <= t] for name, found in first.events.items()}
    events = {name: zeros[name] + rest.events[name] for name in zeros}
    message = rest.message if rest.status is not Status.COMPLETED else f"{rest.message}, with ida from t = {t:.6g} s"
    times, states = np.append(first.t[: len(samples)], rest.t[1:]), np.vstack([samples, rest.y[1:]])
    return Trajectory(times, states, rest.status, message, stats, events)
