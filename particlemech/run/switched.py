"""Mechanisms in the plane whose joints hold for a while only: their systems, and their runs by switching.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from particlemech.engine.system import Row
from particlemech.model.description import Run
from particlemech.model.mechanism import Mechanism
from particlemech.model.modes import Mode
from particlemech.result.complementarity import judged
from particlemech.result.plane import PlanarResult
from particlemech.run import eventful
from particlemech.run.phases import Options, Plan
from particlemech.run.preparing import FORMULATIONS, counted_from, prepared, prepared_explicit
from particlemech.run.start import Start


def _numbered(rows: tuple[Row, ...]) -> list[tuple[str, int]]:
    """Return the rows by part, and which of its rows."""
    seen: dict[str, int] = {}
    found = []
    for row in rows:
        seen[row.part] = seen.get(row.part, -1) + 1
        found.append((row.part, seen[row.part]))
    return found


class Prepared(NamedTuple):
    """What a run begins with."""

    worlds: eventful.Worlds
    first: Any  # the system in which all is open
    drawn: Any  # and that in which what holds as drawn does so, of the start
    begin: Start


def prepared_worlds(mechanism: Mechanism, options: Run, formulation: str, by_ida: bool) -> Prepared:
    """Return the systems of a run and its start; `by_ida`: no explicit steps."""
    mechanism = mechanism.after({}, ())
    # what holds as drawn does so at the start, or its speeds would be those of what has let go already
    closed = [(name, side.name) for name, side in mechanism.switching if side.name in mechanism.joints[name].mode]
    holding, mechanism = mechanism.in_mode(closed), mechanism.in_mode(())
    drawn: Any
    if by_ida:
        drawn, begin = prepared(holding, formulation, options.cut, options.duration)
    else:
        drawn, begin = prepared_explicit(holding, options.duration)
    home, T = drawn.home, drawn.scale.time
    counted = mechanism if home is None else counted_from(mechanism, home)

    def implicit(m: Mechanism) -> Any:
        return FORMULATIONS[formulation](m, options.cut).retimed(T, home)

    def marching(m: Mechanism) -> Any:
        from particlemech.engine.particles.explicit import system

        found = system(m).retimed(T, home)
        if drawn.slack:
            names, slack = _numbered(found.layout.rows), _numbered(drawn.layout.rows)
            found.slacken([names.index(slack[row]) for row in drawn.slack if slack[row] in names])
        return found

    first = (implicit if by_ida else marching)(counted) if closed else drawn
    wanted = {True: implicit} if by_ida else {False: marching, True: implicit}
    if options.integrator == "explicit":
        del wanted[True]
    return Prepared(eventful.Worlds(counted, wanted), first, drawn, begin)


def run(
    mechanism: Mechanism,
    options: Run,
    formulation: str,
    how: Options,
    plan: Plan,
    said: Callable[[], Mapping[str, Any]],
    by_ida: bool,
) -> PlanarResult:
    """Return a run; `plan` says where it begins and when samples are, `by_ida`: no explicit steps."""
    worlds, first, drawn, begin = prepared_worlds(mechanism, options, formulation, by_ida)
    begin, times = plan(drawn, begin)
    system, begin, course = eventful.run(worlds, begin, times, how, first)
    return judged(PlanarResult(system, begin, course, said), how.rtol)


def closed(mechanism: Mechanism) -> list[str]:
    """Return which stops and contacts press from the start on; one that is violated there is an error."""
    open_ = mechanism.in_mode(()).after({}, ())
    first, begin = prepared(open_)
    counted = open_ if first.home is None else counted_from(open_, first.home)

    def build(m: Mechanism) -> Any:
        return FORMULATIONS["particles"](m, open_.run.cut).retimed(first.scale.time, first.home)

    return eventful.Worlds(counted, {True: build})(Mode())[True].pressing(begin, first.scale)
