"""What an impulse does to a tree, by name: before a run, after it, or at one of its samples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.impulse import Jump, jump
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.start import unstruck_state
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.impulses import chosen
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Impulse
from particlemech.result.base import SAME
from particlemech.result.recursive import TreeResult


class ImpulseResponse:
    """The motion just before and just after impulses.

    Attributes
    ----------
    jumps : dict
        Jump of each speed, by "joint.name", of least norm where it is not determined: the rate of that coordinate, or
        for a quaternion "joint.omega1" to "joint.omega3", the relative angular velocity in parent axes.
    undetermined : tuple of str
        Speeds whose jump the equations leave open, such as those of two angles about one axis at gimbal lock.
    efforts : dict
        Impulse of each driver that holds its coordinate meanwhile, by the name of the driver.
    before, after : Observed
        One sample each; velocities of bodies are unique whatever the coordinates are.
    work : float
        Change of the kinetic energy.
    """

    def __init__(self, made: TreeSystem, t: float, y: Array, found: Jump) -> None:
        coordinates = made.compiled.coordinates
        known = {(name, x) for name, joint in made.mechanism.joints.items() for x in joint.coordinate_names}
        every = zip(coordinates, found.speeds, strict=True)
        self.jumps = {c.speed: float(x) for c, x in every if (c.joint, c.name) in known}
        self.undetermined = tuple(coordinates[e].speed for e in found.undetermined)
        self.efforts = {c.driver: float(x) for c, x in zip(coordinates, found.efforts, strict=True) if c.driver}
        for row, value in zip(made.compiled.rows, found.rows, strict=True):
            if row.part.startswith("driver"):
                self.efforts[row.part.split('"')[1]] = float(value)
        self.state = y.copy()
        self.state[made.layout.v] += found.speeds[list(made.compiled.free)]
        time = np.array([t])
        self.before: Observed = made.observed(time, y[None])
        self.after: Observed = made.observed(time, self.state[None])
        self.work = float(self.after.kinetic[0] - self.before.kinetic[0])

    def __repr__(self) -> str:
        open_ones = f", undetermined: {', '.join(self.undetermined)}" if self.undetermined else ""
        return f"<ImpulseResponse: work {self.work:g}{open_ones}>"


def impulse(
    struck: Mechanism | TreeResult, impulses: Mapping[str, Impulse] | None = None, t: float | None = None
) -> ImpulseResponse:
    """Return what impulses do to a mechanism at rest in its start, or in the middle or at the end of a run.

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
    >>> from particlemech.analyses.poses.space import in_angles
    >>> hit = space.Impulse(body="main", impulse=(1200.0, 0.0, 0.0))
    >>> found = impulse(in_angles(models.load("space_manipulator")), {"hit": hit})
    >>> round(found.jumps["base.x"], 3), found.undetermined
    (112.039, ('shoulder2.angle1', 'shoulder2.angle3'))
    """
    if isinstance(struck, Mechanism):
        if t:
            raise ModelError(f"t = {t:g} s is for the result of a run; a mechanism is struck in its start: leave t out")
        made = system(struck)
        now, y = 0.0, unstruck_state(made)
    elif not isinstance(struck, TreeResult):
        raise ModelError('impulse takes a run of formulation "recursive", which is the default; run it so')
    else:
        made = struck.system.explicit
        now, y, by = struck.at(t)[:3]
        y = made.adopted(by, y)
    near = SAME * made.mechanism.run.duration
    struck_by = chosen(made.mechanism, impulses, now, near, Impulse, "space.Impulse")
    if made.mechanism.bends:  # with sections where it is struck
        every = {**dict.fromkeys(made.mechanism.impulses), **struck_by}
        made = system(made.mechanism.replaced(impulses=every), made.cuts)
    return ImpulseResponse(made, now, y, jump(made, now, y, struck_by))
