"""What impulses do to loops in space, by name: before a run, after it, or at one of its samples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from particlemech.engine.natural.equations import SpatialSystem
from particlemech.engine.natural.observed import Observed
from particlemech.engine.natural.start import unstruck
from particlemech.engine.natural.striking import jump, pushed
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.impulses import chosen
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Impulse
from particlemech.result.base import SAME
from particlemech.result.natural import LoopResult


class ImpulseResponse:
    """The motion just before and just after impulses.

    Attributes
    ----------
    jumps : dict
        Jump of the rate of each coordinate, by "joint.name"; of a spherical or free joint "joint.omega1" to
        "joint.omega3", the relative angular velocity in axes of the first body.
    undetermined : tuple of str
        Speeds whose jump the equations leave open: none, for nothing moves here without inertia.
    efforts : dict
        Impulse of each driver that holds its coordinate meanwhile, by its name; the least where several hold it.
    before, after : Observed
        One sample each.
    work : float
        Change of the kinetic energy.
    """

    undetermined: tuple[str, ...] = ()

    def __init__(self, made: SpatialSystem, t: float, y: Array, impulses: Mapping[str, Impulse]) -> None:
        lay, m = made.layout, made.mechanism
        q, v, time, none = y[lay.q], y[lay.v], np.array([t]), np.zeros((1, made.n_v))
        p = sum((pushed(made, q, one) for one in impulses.values()), np.zeros(made.n_q))
        dv, multipliers = jump(made, t, q, p)
        self.state = y.copy()
        self.state[lay.v] = v + dv
        shown_at = [made.observed(time, q[None], speeds[None], none, y[None, lay.x]) for speeds in (v, v + dv)]
        self.before: Observed = shown_at[0]
        self.after: Observed = shown_at[1]
        self.jumps: dict[str, float] = {}
        for name, joint in m.joints.items():
            plain = [x for x in joint.coordinate_names if not (joint.spherical and x.startswith("angle"))]
            for x in plain:
                self.jumps[f"{name}.{x}"] = float((self.after.rate(name, x) - self.before.rate(name, x))[0])
            if joint.spherical:
                turn = self._turn(joint.second) - self._turn(joint.first)
                axes = np.eye(3) if joint.first == GROUND else self.after.orientation(joint.first)[0]
                self.jumps |= {f"{name}.omega{k}": float(w) for k, w in enumerate(axes.T @ turn, start=1)}
        parts = [row.part for row in lay.rows]
        self.efforts = {
            name: float(multipliers[parts.index(f'driver "{name}"')] * made.slope(name, self.after)[0])
            for name in m.drivers
        }
        M = made.mass(q)
        self.work = 0.5 * float((v + dv) @ M @ (v + dv) - v @ M @ v)

    def _turn(self, body: str) -> Array:
        """Return the jump of an angular velocity, (3,)."""
        return np.zeros(3) if body == GROUND else (self.after.omega(body) - self.before.omega(body))[0]

    def __repr__(self) -> str:
        return f"<ImpulseResponse: work {self.work:g}>"


def impulse(
    struck: Mechanism | LoopResult, impulses: Mapping[str, Impulse] | None = None, t: float | None = None
) -> ImpulseResponse:
    """Return what impulses do to a mechanism in its start, or in the middle or at the end of a run.

    Parameters
    ----------
    struck
        A mechanism in space, in its start, or the result of a run.
    impulses
        By name; their `time` does not matter. Default: those of the model at t = 0, or at `t`.
    t
        Time of one of the samples of a result, s; default its last.

    Examples
    --------
    >>> from particlemech import models, space
    >>> hit = space.Impulse(body="rocker", point="B", impulse=(0.1, 0.0, 0.0))
    >>> found = impulse(models.load("rssr"), {"hit": hit})
    >>> found.jumps["O.angle"], round(found.efforts["motor"], 6) != 0.0
    (0.0, True)
    """
    if isinstance(struck, LoopResult):
        made = struck.system
        now, y = struck.at(t)[:2]
    else:
        if t:
            raise ModelError(f"t = {t:g} s is for the result of a run; a mechanism is struck in its start: leave t out")
        made, y = unstruck(struck)
        now = 0.0
    near = SAME * made.mechanism.run.duration
    struck_by = chosen(made.mechanism, impulses, now, near, Impulse, "space.Impulse")
    return ImpulseResponse(made, now, y, struck_by)
