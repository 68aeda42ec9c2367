"""Trajectory: what any integrator delivers, and how a run may end."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from particlemech.system import Array


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
