"""Result of a run of a tree: its motion by name, its energies and momenta, and the columns of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.sight import Sight
from particlemech.engine.recursive.tables import SampledMotion
from particlemech.engine.system import Array
from particlemech.model.applied import Exerting
from particlemech.result.base import Result, moving_columns, vector_columns
from particlemech.run.start import Start
from particlemech.run.trajectory import Course

if TYPE_CHECKING:
    from particlemech.analyses.methods import Solution
    from particlemech.engine.recursive.equations import TreeSystem


class TreeResult(Result, Observed, Exerting):
    """The motion of a tree: see Result for the run, Observed for what moves, by name.

    All numbers are in the units of the model, `result.mechanism.unit`. A sample exactly at the time of an impulse shows
    the speeds before it; one at t = 0 acts before the run begins, so the first sample shows those after it.
    """

    system: TreeSystem

    def __init__(
        self, system: TreeSystem, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]
    ) -> None:
        super().__init__(system, start, course, provenance)
        self.mechanism, self._compiled = system.mechanism, system.compiled

    @cached_property
    def _sampled(self) -> SampledMotion:  # type: ignore[override]
        return self.system.observed(self.t, self._y)._sampled

    def _energies(self) -> tuple[Array, Array]:
        """Return kinetic and potential energy at the samples, (K,) each."""
        return self.kinetic, self.potential

    def against(self, k: int, other: Solution) -> Iterator[tuple[str, float, float, str]]:
        """Give what another method finds at sample k beside the run: quantity, difference, size, and where."""
        labels = [c.label for c in self._compiled.coordinates]
        pairs = [
            ("accelerations", self._sampled.x[k, :, 2], other.x_ddot),
            ("efforts", self._sampled.tau[k, :, 1], other.efforts),
        ]
        for what, ours, theirs in pairs:
            if len(ours):
                worst = int(np.argmax(np.abs(ours - theirs)))
                yield what, float(abs(ours[worst] - theirs[worst])), float(np.max(np.abs(ours))), labels[worst]
        if other.force is None or other.moment is None:
            return
        topology, length = self._compiled.topology, self.system.scale.length
        # what transmits nothing but rounding is measured by what the others transmit
        wrenches = np.abs(self._sampled.p[k, 1:])
        load = max(float(np.max(wrenches[:, 3:])), float(np.max(wrenches[:, :3])) / length)
        reactions = ("reactions", self.reaction, other.force, load)
        moments = ("moments", self.moment, other.moment, load * length)
        for what, ours_of, found, size in (reactions, moments):
            for i, (body, joint) in enumerate(zip(topology.bodies, topology.joints, strict=True), start=1):
                difference = float(np.max(np.abs(ours_of(joint, body)[k] - found[i])))
                yield what, difference, size, f"{joint}.{body}"

    @property
    def _forces(self) -> Mapping[str, Any]:
        return self.mechanism.forces

    def _sight(self) -> Sight:
        return Sight(self)

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, bodies, joints, drivers, forces and momenta, in order."""
        m, result = self.mechanism, moving_columns(self)
        for name, joint in m.joints.items():
            for coordinate in joint.coordinate_names:
                result[f"{name}.{coordinate}"] = self.coordinate(name, coordinate)
                result[f"{name}.{coordinate}_rate"] = self.rate(name, coordinate)
        for name, joint in m.joints.items():
            forces = ("f", self.reaction(name, joint.second)), ("m", self.moment(name, joint.second))
            result |= vector_columns(f"{name}.{joint.second}", *forces)
        for name in m.drivers:
            result[f"{name}.effort"] = self.effort(name)
        result |= self.force_columns()
        result |= vector_columns("momentum", ("p", self.momentum.linear), ("h", self.momentum.angular))
        return result
