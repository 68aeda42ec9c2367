"""Trajectory: what any integrator delivers, and how a run may end."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from particlemech.engine.system import Array, Instant
from particlemech.model.modes import Mode


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
    INACCURATE = "inaccurate"  # it reached its end, but its own certificate says that the numbers do not hold
    SINGULAR = "singular pose"  # explicit steps stops before it: take integrator "auto" or "ida"
    STIFF = "stiff"  # stability holds explicit steps back: take integrator "auto" or "ida"


class Certificate(NamedTuple):
    """What an integrator measured along all its steps: it does not depend on which samples were asked for.

    Errors of rows are those before any projection: after it they could not fail.
    """

    position: float  # worst error of all rows, as a length, m
    velocity: float  # worst error of the rates of all rows, m/s
    energy_error: float  # largest |energy - energy at the beginning - work|, J
    kinetic: float  # largest kinetic energy, J
    potential_low: float  # lowest potential energy, J
    potential_high: float  # highest potential energy, J
    position_at: float = math.nan  # when the position error was worst, s
    velocity_at: float = math.nan
    energy_at: float = math.nan
    slope: float = 0.0  # largest turn of the end of a part of a bending body against its beginning, rad
    slope_at: float = 0.0


@dataclass
class Trajectory:
    """What one integrator delivers: raw samples, before projection unless it projects them itself."""

    t: Array  # (K,) s
    y: Array  # (K, n)
    status: Status
    message: str
    stats: dict[str, Any]
    events: dict[str, list[tuple[float, Array]]] = field(default_factory=dict)  # name -> (time, y)
    projected: bool = False  # the samples satisfy all rows
    safe: tuple[float, Array] | None = None  # time and state from which another integrator should go on
    certificate: Certificate | None = None


@dataclass
class Phase:
    """A stretch of a run: one integrator on one system, with the samples and zeros of events that fall into it."""

    system: Any  # an Instant; each family of results knows what it offers besides
    integrator: str  # "ida", "explicit", or "kinematics" or "none" of samples that nothing integrated
    t: Array  # (K,) s; K may be 0
    y: Array  # (K, n) states of the samples
    projected: bool = True  # the samples satisfy all rows
    events: dict[str, list[tuple[float, Array]]] = field(default_factory=dict)  # name -> (time, y)
    mode: Mode = Mode()  # what the run has made of the mechanism
    closed: tuple[tuple[str, str], ...] = ()  # the sides that hold, (joint, side)

    @property
    def kept(self) -> dict[str, Any]:
        """What files keep of it beside the samples."""
        closed = [[*side] for side in self.closed]
        own = {"integrator": self.integrator, "projected": self.projected, "samples": len(self.t)}
        return {**own, "closed": closed, "mode": self.mode.table}


class Switch(NamedTuple):
    """What happened to one side of an element that holds for a while only."""

    t: float  # s
    part: str  # the joint
    side: str
    what: str  # "impact": it was struck, and left again; "closes"; "opens"; "sticks"; "slips"
    before: float  # rate of its gap, m/s or rad/s
    after: float
    impulse: float  # N s or N m s
    lost: float  # energy that its impulse took, J


@dataclass
class Course:
    """A run: its phases in order, how it ended, and what was measured along all steps."""

    phases: list[Phase]
    status: Status
    message: str
    stats: dict[str, Any]
    certificate: Certificate | None = None
    switches: tuple[Switch, ...] = ()  # what was struck, closed and opened, in order
