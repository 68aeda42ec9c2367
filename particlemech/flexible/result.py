"""Result of a run of a flexible manipulator: its motion by name, energies and momenta, and the columns of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from particlemech.applied import Exerting
from particlemech.flexible.links import DRIVEN
from particlemech.flexible.observed import Observed
from particlemech.flexible.tables import Record
from particlemech.initial import Start
from particlemech.outcome import Outcome, State, vector_columns
from particlemech.system import Array
from particlemech.trajectory import Course

if TYPE_CHECKING:
    from particlemech.flexible.equations import FlexibleSystem


class Sight:
    """A motion as the forces of a flexible manipulator ask for it: times, and states for controllers."""

    def __init__(self, system: FlexibleSystem, t: Array, y: Array) -> None:
        self.mechanism, self.t = system.mechanism, t
        self._system, self._y = system, y

    def state(self, k: int) -> State:
        """Return the motion at sample k as controllers see it."""
        return State(self._system.observed(self.t[k : k + 1], self._y[k : k + 1], moved=False))


class Result(Outcome, Observed, Exerting):
    """The motion of a flexible manipulator: see Outcome for the run, Observed for what moves, by name.

    All numbers are in the units of the model, `result.mechanism.unit`.
    """

    system: FlexibleSystem

    def __init__(
        self, system: FlexibleSystem, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]
    ) -> None:
        super().__init__(system, start, course, provenance)
        self.mechanism, self._compiled = system.mechanism, system.compiled

    @cached_property
    def _record(self) -> Record:  # type: ignore[override]
        return self.system.observed(self.t, self._y)._record

    def _energies(self) -> tuple[Array, Array]:
        """Return kinetic and potential energy at the samples, (K,) each."""
        return self.kinetic, self.potential

    @property
    def _forces(self) -> Mapping[str, Any]:
        return self.mechanism.forces

    def _sight(self) -> Sight:
        return Sight(self.system, self.t, self._y)

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, links, joints, drivers, forces and momenta, in order."""
        result: dict[str, Array] = {}
        for name in self.points:
            places = ("", self[name]), ("v", self.velocity(name)), ("a", self.acceleration(name))
            result |= vector_columns(name, *places, ("elastic_", self.elastic(name)))
        for name in (self._compiled.chain.base.name, *self.links):
            places = ("", self.origin(name)), ("v", self.origin_velocity(name)), ("a", self.origin_acceleration(name))
            result |= vector_columns(name, *places)
            result |= dict(zip((f"{name}.q{part}" for part in "wxyz"), self.quaternion(name).T, strict=True))
            result |= vector_columns(name, ("omega_", self.omega(name)), ("alpha_", self.alpha(name)))
            for label, q, q_dot in zip(self.modes(name), self.modal(name).T, self.modal_rate(name).T, strict=True):
                result[f"{name}.{label}"], result[f"{name}.{label}_rate"] = q, q_dot
        result |= self._joint_columns() | self.force_columns()
        momentum = ("p", self.momentum.linear), ("h", self.momentum.angular)
        return result | vector_columns("momentum", *momentum)

    def _joint_columns(self) -> dict[str, Array]:
        result: dict[str, Array] = {}
        for joint in self._compiled.chain.joints:
            if not joint.name:
                continue
            result[f"{joint.name}.phi"] = self.coordinate(joint.name)
            result[f"{joint.name}.phi_rate"] = self.rate(joint.name)
            if joint.flexible:
                result[f"{joint.name}.dphi"] = self.deflection(joint.name)
                result[f"{joint.name}.dphi_rate"] = self.deflection_rate(joint.name)
            forces = ("f", self.reaction(joint.name)), ("m", self.moment(joint.name))
            result |= vector_columns(joint.name, *forces)
        for joint in self._compiled.chain.joints:
            if joint.state == DRIVEN:
                result[f"{joint.driver}.effort"] = self.effort(joint.driver)
        return result
