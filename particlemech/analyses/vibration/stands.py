"""Where small motions and rest are looked for: a mechanism at one instant, in the plane and in space.

The system of a stand has a row for every driver, in space too, where runs prescribe the coordinates that are driven. So
what is let go, held or loaded besides changes rows and forces, and the state stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from particlemech.result.saved import NO_RUN
from particlemech.run.phases import Moment
from particlemech.run.preparing import FORMULATIONS, PARTICLES, counted_from, prepared
from particlemech.run.simulate import provenance
from particlemech.run.stated import stated
from particlemech.run.trajectory import Phase

Sides = tuple[tuple[str, str], ...]  # (joint, side)


@dataclass(frozen=True, eq=False)
class Stand:
    """A mechanism at one instant."""

    mechanism: Any
    system: Any  # a Reducible, whose rows are those of joints and all drivers
    t: float  # s
    y: Array  # (n,) its state
    closed: Sides | None = None  # those that hold, of a mechanism whose joints hold for a while only; None: as written
    opened: Stand | None = None  # the same while none holds, which results are shown by

    def changed(self, mechanism: Any) -> Stand:
        """Return the same pose and motion of a mechanism with other drivers and forces; its rows may be open."""
        return WORLDS[mechanism.engine].changed(self, mechanism)

    def in_mode(self, closed: Sides) -> Stand:
        """Return the same pose and motion while these sides hold."""
        return replace(self, closed=closed, opened=self if closed else None).changed(self.mechanism)

    def moded(self, mechanism: Any) -> Any:
        """Return a mechanism while these sides hold."""
        return mechanism if self.closed is None else mechanism.in_mode(self.closed)

    @property
    def measured(self) -> Any:
        """The system in which all sides hold by rows, which tell their gaps."""
        return WORLDS[self.mechanism.engine].measured(self)

    def put(self, q: Array, v: Array, x: Array) -> Stand:
        """Return the mechanism in another state."""
        return replace(self, y=self.system.layout.state(q, v, x))

    def result(self, states: Array, kind: type[Result] | None = None) -> Any:
        """Return states (K, n) at its time as the samples of a result, so with all that these tell."""
        return self.moving(np.full(len(states), self.t), states, kind)

    def moving(self, times: Array, states: Array, kind: type[Result] | None = None) -> Any:
        """Return states (K, n) at times (K,) as the samples of a result."""
        return together(self.opened or self, [(self, times, states)], kind)


def together(whole: Stand, parts: Sequence[tuple[Stand, Array, Array]], kind: type[Result] | None = None) -> Any:
    """Return states (K, n) at times (K,) of a mechanism in one or several modes as the samples of one result."""
    world, phases = WORLDS[whole.mechanism.engine], []
    for stand, times, states in parts:
        system, y = world.shown(stand, times, states)
        phases.append(Phase(system, NO_RUN, np.array(times), y, closed=stand.closed or ()))
    system, begin, course = stated(phases)
    if parts[0][0].system is not whole.system:
        system = world.shown(whole, phases[0].t[:0], phases[0].y[:0])[0]
        begin = replace(begin, a=np.zeros(system.n_v), lam=np.zeros(system.n_lam), home=getattr(system, "home", None))
    return (kind or world.RESULT)(system, begin, course, partial(_said, whole.mechanism, system.formulation))


def _said(mechanism: Any, formulation: str) -> dict[str, Any]:
    """Return what identifies states that no run has made."""
    return provenance(mechanism, formulation, mechanism.run) | {"integrator": NO_RUN}


class _Plane:
    """Mechanisms in the plane."""

    RESULT: Any = PlanarResult

    @staticmethod
    def begun(mechanism: Any, reach: Any, moment: Moment | None) -> Stand:
        """Return a mechanism in its start, or at a moment of a run; `reach` has all that will be held or loaded."""
        system, begin = prepared(mechanism, getattr(moment and moment.system, "formulation", PARTICLES))
        if moment is not None:
            return Stand(mechanism, system, moment.t, system.adopted(moment.system, moment.y))
        return Stand(mechanism, system, 0.0, system.layout.state(begin.q, begin.v, begin.x))

    @staticmethod
    def changed(stand: Stand, mechanism: Any) -> Stand:
        """Return the same pose and motion of a changed mechanism."""
        old = stand.system
        system = _Plane._built(old, stand.moded(_Plane._counted(stand, mechanism)))
        if system.formulation == PARTICLES:
            return replace(stand, mechanism=mechanism, system=system, y=system.adopted(old, stand.y))
        q, v, x = (stand.y[part] for part in (old.layout.q, old.layout.v, old.layout.x))
        return replace(stand, mechanism=mechanism, system=system, y=system.layout.state(q, v, x))

    @staticmethod
    def measured(stand: Stand) -> Any:
        """Return the system in which all sides hold by rows."""
        counted = _Plane._counted(stand, stand.mechanism)
        return _Plane._built(stand.system, counted.in_mode([(n, side.name) for n, side in counted.switching], True))

    @staticmethod
    def _counted(stand: Stand, mechanism: Any) -> Any:
        home = stand.system.home
        return mechanism if home is None else counted_from(mechanism, home)

    @staticmethod
    def _built(old: Any, mechanism: Any) -> Any:
        return FORMULATIONS[old.formulation](mechanism, ()).retimed(old.scale.time, old.home)

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
        system = TreeSystem(tabulate(stand.moded(mechanism), stand.system.compiled.topology, prescribes=False))
        y = transferred(stand.system, stand.t, stand.y, system)
        return replace(stand, mechanism=mechanism, system=system, y=y)

    @staticmethod
    def measured(stand: Stand) -> Any:
        """Return the system in which all sides hold by rows."""
        m = stand.mechanism
        every = m.in_mode([(name, side.name) for name, side in m.switching], True)
        return TreeSystem(tabulate(every, stand.system.compiled.topology, prescribes=False))

    @staticmethod
    def shown(stand: Stand, times: Array, states: Array) -> tuple[Any, Array]:
        """Return the system that shows states, and these as its own."""
        system = TreeSystem(tabulate(stand.moded(stand.mechanism), stand.system.compiled.topology))
        every = zip(times.tolist(), states, strict=True)
        return system, np.array([transferred(stand.system, t, y, system) for t, y in every]).reshape(-1, system.n)


WORLDS: dict[str, Any] = {"particles": _Plane, "recursive": _Space}
