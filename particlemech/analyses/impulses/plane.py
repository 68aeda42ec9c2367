"""What impulses do to a mechanism in the plane, by name: in its start, or at a sample of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech.engine.plane import PlanarInstant, Reactions
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model import columns
from particlemech.model.impulses import Impulse, chosen
from particlemech.model.mechanism import Mechanism
from particlemech.result.base import SAME
from particlemech.result.plane import PlanarResult
from particlemech.run import jumps
from particlemech.run.preparing import prepared
from particlemech.run.simulate import provenance
from particlemech.run.start import Start, assembled, projected
from particlemech.run.stated import stated
from particlemech.run.trajectory import Course, Phase

SPEEDS = ("velocity", "angular velocity")


class Struck:
    """The motion of a mechanism in the plane just before and just after impulses, and the impulses in its joints.

    Attributes
    ----------
    jumps : dict
        Jump of each speed by the name of its column, "B.vx" and "B.vy" of points, "rod.omega" of bodies, rad/s or
        length/s.
    efforts : dict
        Impulse of each driver, which keeps its motion meanwhile, by its name; NaN where it is not determined.
    before, after : PlanarResult
        One sample each.
    work : float
        Of the impulses and of the drivers: the change of the kinetic energy.
    """

    def __init__(self, made: PlanarInstant, t: float, y: Array, impulses: Mapping[str, Impulse]) -> None:
        found = jumps.jump_of(made, t, y, impulses)
        self._held = _Held(made, t, y, jumps.reactions(made, t, y, found, impulses))
        self.before = PlanarResult(*_one(made, t, y))
        self.after = PlanarResult(*_one(made, t, jumps.after(made, t, y, found)))
        self.work = found.work
        m, old, new = made.mechanism, self.before.columns(), self.after.columns()
        moving = (*m.points, *m.bodies, *m.joints)
        names = [name for name in old if name.rpartition(".")[0] in moving and columns.quantity(m, name) in SPEEDS]
        self.jumps = {name: float(new[name][0] - old[name][0]) for name in names}
        self.efforts = {name: float(self._held.effort(name)[0]) for name in m.drivers}

    def __repr__(self) -> str:
        return f"<Struck: work {self.work:g}>"

    def reaction(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the impulse of a joint on one of its bodies, (2,), force times time; as `Result.reaction`."""
        return self._held.reaction(joint, on, undetermined)[0]

    def moment(self, joint: str, on: str, undetermined: str = "nan") -> float:
        """Return the impulsive couple of a joint on one of its bodies at its place; as `Result.moment`."""
        return float(self._held.moment(joint, on, undetermined)[0])


class _Held(PlanarResult):
    """One sample whose reactions are impulses."""

    def __init__(self, made: PlanarInstant, t: float, y: Array, held: Reactions) -> None:
        super().__init__(*_one(made, t, y))
        self.__dict__["_reactions"] = held


def impulse(
    mechanism: Mechanism | PlanarResult, impulses: Mapping[str, Impulse] | None = None, t: float | None = None
) -> Struck:
    """Return what impulses do to a mechanism in the plane in its start, or at a sample of a run; see `pm.impulse`."""
    if isinstance(mechanism, Mechanism):
        if t:
            raise ModelError(f"t = {t:g} s is for the result of a run; a mechanism is struck in its start: leave t out")
        model = mechanism
        made, begin = prepared(model.replaced(impulses=dict.fromkeys(model.impulses)))
        now, y = 0.0, made.layout.state(begin.q, begin.v, begin.x)
    else:
        model = mechanism.system.mechanism
        now, y, made, *_ = mechanism.at(t)
        y, lay = y.copy(), made.layout
        y[lay.q] = assembled(made, now, y[lay.q])
        y[lay.v] = projected(made, now, y[lay.q], y[lay.v])
    meant = chosen(model, impulses, now, SAME * model.run.duration, Impulse, "pm.Impulse")
    return Struck(made, now, y, meant)


def _one(made: PlanarInstant, t: float, y: Array) -> tuple[PlanarInstant, Start, Course, Callable[[], dict[str, Any]]]:
    """Return what makes a result of one state."""
    m, phase = made.mechanism, Phase(made, "none", np.array([t]), y[None])
    told = stated(phase, "one instant", {"steps": 0, "seconds": 0.0})
    return *told, lambda: provenance(m, made.formulation, m.run)
