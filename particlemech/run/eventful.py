"""Worlds of runs whose mechanism changes: the systems of each mode, for both integrators, made when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.modes import Mode
from particlemech.run import switching
from particlemech.run.modes import Build, Sides, World
from particlemech.run.phases import Options
from particlemech.run.start import Start
from particlemech.run.trajectory import Course, Phase


class Worlds:
    """The systems of a mechanism in its modes; `builds` makes them from a mechanism, by whether IDA runs them."""

    def __init__(self, mechanism: Any, builds: Mapping[bool, Build]) -> None:
        self.mechanism, self.builds = mechanism, dict(builds)
        self.known: dict[Any, World] = {}
        self.signals: dict[Any, Any] = {}  # after which events -> the mechanism with these signals

    def __call__(self, mode: Mode) -> World:
        """Return the systems of a mode."""
        if mode.key not in self.known:
            before = self.signals.get(mode.switched[:-1])
            if before is None or not mode.switched:
                self.signals[mode.switched] = self.mechanism.followed(mode.switched)
            elif mode.switched not in self.signals:
                self.signals[mode.switched] = before.followed(mode.switched[-1:])
            made = self.signals[mode.switched].within(mode._replace(switched=(), slips={}))
            self.known[mode.key] = Sides(made, self.builds)
        return self.known[mode.key]

    def phase(self, kept: Mapping[str, Any]) -> Phase:
        """Return a stretch of a run as a file has kept it, without its samples."""
        mode, closed = Mode.of(kept["mode"]), tuple((joint, side) for joint, side in kept["closed"])
        modes = self(mode)[kept["integrator"] == "ida"].modes
        which = frozenset(e for e, el in enumerate(modes.elements) if (el.part, el.side.name) in closed)
        system = modes(which, mode.slips)
        samples = np.zeros(kept["samples"]), np.zeros((kept["samples"], system.n))
        return Phase(system, kept["integrator"], *samples, kept["projected"], {}, mode, closed)

    def followed(self, first: Any, course: Course) -> Any:
        """Return the first system of a run with signals as they were in all of it."""
        switched = course.phases[-1].mode.switched if course.phases else ()
        if not switched:
            return first
        build = self.builds[False not in self.builds]
        try:
            return build(self.mechanism.followed(switched, whole=True).within(Mode()))
        except ModelError:  # tapes of so many signals are too long; phases know theirs
            return build(self.mechanism.followed(switched).within(Mode()))


def run(worlds: Worlds, begin: Start, times: Array, options: Options, first: Any) -> tuple[Any, Start, Course]:
    """Return the system of the result of a run, its start, and the run; see switching.run."""
    course, begin = switching.run(worlds, begin, times, options, first)
    return worlds.followed(first, course), begin, course
