"""Result of a run of a chain of bending bodies: its motion by name, energies and momenta, the columns of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.bending.observed import Observed
from particlemech.engine.bending.tables import SampledMotion
from particlemech.engine.system import Array
from particlemech.model.applied import Exerting
from particlemech.result.base import Result, State, moving_columns, vector_columns
from particlemech.run.start import Start
from particlemech.run.trajectory import Course

if TYPE_CHECKING:
    from particlemech.engine.bending.equations import FlexibleSystem


class Sight:
    """A motion as forces ask for it: places of bodies, given as drawn, and coordinates of joints at K samples."""

    def __init__(self, result: BendingResult) -> None:
        self._result, self.t, self.mechanism = result, result.t, result.mechanism

    def place_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return where a place of a body is, (K, 3)."""
        return self._result._placed(body, drawn).position

    def velocity_on(self, body: str, drawn: tuple[float, float, float]) -> Array:
        """Return the velocity of a place of a body, (K, 3)."""
        return self._result._placed(body, drawn).velocity

    def turned(self, body: str, vectors: Array, drawn: tuple[float, float, float]) -> Array:
        """Return vectors that turn with the section of a body at a place, given as drawn, (K, 3), in global axes."""
        return np.einsum("kij,kj->ki", self._result._section(body, drawn), vectors)

    def coordinate(self, joint: str, coordinate: str | None) -> Array:
        """Return a coordinate of a joint, (K,)."""
        return self._result.coordinate(joint, coordinate)

    def rate(self, joint: str, coordinate: str | None) -> Array:
        """Return its rate, (K,)."""
        return self._result.rate(joint, coordinate)

    def state(self, k: int) -> State:
        """Return the motion at sample k as controllers see it."""
        result = self._result
        return State(result.system.observed(self.t[k : k + 1], result._y[k : k + 1], moved=False))


class BendingResult(Result, Observed, Exerting):
    """The motion of a chain of bending bodies: see Result for the run, Observed for what moves, by name.

    All numbers are in the units of the model, `result.mechanism.unit`.
    """

    system: FlexibleSystem

    def __init__(
        self, system: FlexibleSystem, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]
    ) -> None:
        super().__init__(system, start, course, provenance)
        self.mechanism, self._compiled = system.mechanism, system.compiled

    @cached_property
    def _sampled(self) -> SampledMotion:  # type: ignore[override]
        return self.system.observed(self.t, self._y)._sampled

    def _energies(self) -> tuple[Array, Array]:
        """Return kinetic and potential energy at the samples, (K,) each."""
        return self.kinetic, self.potential

    @property
    def _forces(self) -> Mapping[str, Any]:
        return self.mechanism.forces

    def _sight(self) -> Sight:
        return Sight(self)

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, bodies, joints, drivers, forces and momenta, in order."""
        m, result = self.mechanism, moving_columns(self)
        for name in m.points:
            result |= vector_columns(name, ("elastic_", self.elastic(name)))
        for name in m.bodies:
            for label, q, q_dot in zip(self.modes(name), self.modal(name).T, self.modal_rate(name).T, strict=True):
                result[f"{name}.{label}"], result[f"{name}.{label}_rate"] = q, q_dot
        for name, joint in m.joints.items():
            for coordinate in joint.coordinate_names:
                result[f"{name}.{coordinate}"] = self.coordinate(name, coordinate)
                result[f"{name}.{coordinate}_rate"] = self.rate(name, coordinate)
            if getattr(getattr(joint, "drive", None), "stiffness", None) is not None:
                result[f"{name}.deflection"] = self.deflection(name)
                result[f"{name}.deflection_rate"] = self.deflection_rate(name)
        for name, joint in m.joints.items():
            forces = ("f", self.reaction(name, joint.second)), ("m", self.moment(name, joint.second))
            result |= vector_columns(f"{name}.{joint.second}", *forces)
        for name in m.drivers:
            result[f"{name}.effort"] = self.effort(name)
        result |= self.force_columns()
        return result | vector_columns("momentum", ("p", self.momentum.linear), ("h", self.momentum.angular))
