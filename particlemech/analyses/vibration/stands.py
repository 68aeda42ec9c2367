"""Where small motions and rest are looked for: a mechanism at one instant, in the plane and in space.

The system of a stand has a row for every driver, in space too, where runs prescribe the coordinates that are driven. So
what is let go, held or loaded besides changes rows and forces, and the state stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.following import transferred
from particlemech.engine.recursive.start import start_state
from particlemech.engine.recursive.topology import ordered
from particlemech.engine.system import Array
from particlemech.result.base import Result
from particlemech.result.plane import PlanarResult
from particlemech.result.recursive import TreeResult
from particlemech.run.phases import Moment
from particlemech.run.preparing import FORMULATIONS, PARTICLES, counted_from, prepared
from particlemech.run.simulate import provenance
from particlemech.run.start import Start
from particlemech.run.trajectory import Course, Phase, Status


@dataclass(frozen=True, eq=False)
class Stand:
    """A mechanism at one instant."""

    mechanism: Any
    system: Any  # a Reducible, whose rows are those of joints and all drivers
    t: float  # s
    y: Array  # (n,) its state

    def changed(self, mechanism: Any) -> Stand:
        """Return the same pose and motion of a mechanism with other drivers and forces; its rows may be open."""
        return WORLDS[mechanism.engine].changed(self, mechanism)

    def put(self, q: Array, v: Array, x: Array) -> Stand:
        """Return the mechanism in another state."""
        y, lay = np.zeros(self.system.n), self.system.layout
        y[lay.q], y[lay.v], y[lay.x] = q, v, x
        return Stand(self.mechanism, self.system, self.t, y)

    def result(self, states: Array, kind: type[Result] | None = None) -> Any:
        """Return states (K, n) at its time as the samples of a result, so with all that these tell."""
        return self.moving(np.full(len(states), self.t), states, kind)

    def moving(self, times: Array, states: Array, kind: type[Result] | None = None) -> Any:
        """Return states (K, n) at times (K,) as the samples of a result."""
        world = WORLDS[self.mechanism.engine]
        system, states = world.shown(self, times, states)
        lay, run = system.layout, self.mechanism.run
        q, v, x = states[0, lay.q], states[0, lay.v], states[0, lay.x]
        begin = Start(
            q, v, np.zeros(system.n_v), np.zeros(system.n_lam), x, {}, float(times[0]), getattr(system, "home", None)
        )
        phase = Phase(system, "none", np.array(times), states, True, {})
        course = Course([phase], Status.COMPLETED, "completed", {})
        said = partial(provenance, self.mechanism, system.formulation, run)
        return (kind or world.RESULT)(system, begin, course, said)


class _Plane:
    """Mechanisms in the plane."""

    RESULT: Any = PlanarResult

    @staticmethod
    def begun(mechanism: Any, reach: Any, moment: Moment | None) -> Stand:
        """Return a mechanism in its start, or at a moment of a run; `reach` has all that will be held or loaded."""
        system, begin = prepared(mechanism, getattr(moment and moment.system, "formulation", PARTICLES))
        if moment is not None:
            return Stand(mechanism, system, moment.t, system.adopted(moment.system, moment.y))
        y, lay = np.zeros(system.n), system.layout
        y[lay.q], y[lay.v], y[lay.x] = begin.q, begin.v, begin.x
        return Stand(mechanism, system, 0.0, y)

    @staticmethod
    def changed(stand: Stand, mechanism: Any) -> Stand:
        """Return the same pose and motion of a changed mechanism."""
        old, home = stand.system, stand.system.home
        counted = mechanism if home is None else counted_from(mechanism, home)
        system = FORMULATIONS[old.formulation](counted, ()).retimed(old.scale.time, home)
        y = np.zeros(system.n)
        carried, lay = system.adopted(old, stand.y) if system.formulation == PARTICLES else stand.y, old.layout
        if system.formulation == PARTICLES:
            return Stand(mechanism, system, stand.t, carried)
        here = system.layout
        y[here.q], y[here.v], y[here.x] = stand.y[lay.q], stand.y[lay.v], stand.y[lay.x]
        return Stand(mechanism, system, stand.t, y)

    @staticmethod
    def shown(stand: Stand, times: Array, states: Array) -> tuple[Any, Array]:
        """Return the system that shows states, and these as its own."""
        return stand.system, states


class _Space:
    """Mechanisms in space."""

    RESULT: Any = TreeResult

    @staticmethod
    def begun(mechanism: Any, reach: Any, moment: Moment | None) -> Stand:
        """Return a mechanism in its start, or at a moment of a run; `reach` has all that will be held or loaded."""
        topology = ordered(reach, mechanism.run.cut)
        prescribed = TreeSystem(tabulate(mechanism, topology))
        rows = TreeSystem(tabulate(mechanism, topology, prescribes=False))
        if moment is not None:
            return Stand(mechanism, rows, moment.t, transferred(moment.system, moment.t, moment.y, rows))
        return Stand(mechanism, rows, 0.0, transferred(prescribed, 0.0, start_state(prescribed), rows))

    @staticmethod
    def changed(stand: Stand, mechanism: Any) -> Stand:
        """Return the same pose and motion of a changed mechanism."""
        system = TreeSystem(tabulate(mechanism, stand.system.compiled.topology, prescribes=False))
        return Stand(mechanism, system, stand.t, transferred(stand.system, stand.t, stand.y, system))

    @staticmethod
    def shown(stand: Stand, times: Array, states: Array) -> tuple[Any, Array]:
        """Return the system that shows states, and these as its own."""
        system = TreeSystem(tabulate(stand.mechanism, stand.system.compiled.topology))
        every = zip(times.tolist(), states, strict=True)
        return system, np.array([transferred(stand.system, t, y, system) for t, y in every]).reshape(-1, system.n)


WORLDS: dict[str, Any] = {"particles": _Plane, "recursive": _Space}
