"""Worlds of runs whose mechanism changes: the systems of each mode, for both integrators, made when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.modes import Mode
from particlemech.run import switching
from particlemech.run.phases import Options
from particlemech.run.start import Start
from particlemech.run.switching import Build, Sides, World
from particlemech.run.trajectory import Course, Phase


class Worlds:
    """The systems of a mechanism in its modes; `builds` makes them from a mechanism, by whether IDA runs them."""

    def __init__(self, mechanism: Any, builds: Mapping[bool, Build]) -> None:
        self.mechanism, self.builds = mechanism, dict(builds)
        self.known: dict[Any, World] = {}

    def __call__(self, mode: Mode) -> World:
        """Return the systems of a mode."""
        if mode.key not in self.known:
            self.known[mode.key] = Sides(self.mechanism.within(mode), self.builds)
        return self.known[mode.key]

    def phase(self, kept: Mapping[str, Any]) -> Phase:
        """Return a stretch of a run as a file has kept it, without its samples."""
        mode, closed = Mode.of(kept["mode"]), tuple((joint, side) for joint, side in kept["closed"])
        modes = self(mode)[kept["integrator"] == "ida"].modes
        system = modes(frozenset(e for e, el in enumerate(modes.elements) if (el.part, el.side.name) in closed))
        samples = np.zeros(kept["samples"]), np.zeros((kept["samples"], system.n))
        return Phase(system, kept["integrator"], *samples, kept["projected"], {}, mode, closed)

    def followed(self, first: Any, course: Course) -> Any:
        """Return the first system of a run with signals as they were in all of it."""
        switched = course.phases[-1].mode.switched if course.phases else ()
        if not switched:
            return first
        return self.builds[False not in self.builds](self.mechanism.within(Mode(switched=switched)))


def run(worlds: Worlds, begin: Start, times: Array, options: Options, first: Any) -> tuple[Any, Start, Course]:
    """Return the system of the result of a run, its start, and the run; see switching.run."""
    course, begin = switching.run(worlds, begin, times, options, first)
    return worlds.followed(first, course), begin, course
