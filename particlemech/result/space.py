"""Results in space: what runs in joint coordinates and in natural ones leave behind alike, and the columns of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from particlemech.engine.system import Array
from particlemech.model.applied import Exerting
from particlemech.result.base import Result, vector_columns
from particlemech.run.start import Start
from particlemech.run.trajectory import Course


class SpaceResult(Result, Exerting):
    """The part of a result in space that asks for quantities by name, wherever they come from."""

    mechanism: Any
    reaction: Any
    moment: Any
    effort: Any

    def __init__(self, system: Any, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(system, start, course, provenance)
        self.mechanism, self._compiled = system.mechanism, system.compiled

    @property
    def _forces(self) -> Mapping[str, Any]:
        return self.mechanism.forces

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, bodies, joints, drivers, forces and momenta, in order."""
        seen: Any = self
        result = moving_columns(self) | self._bending_columns()
        for name, joint in self.mechanism.joints.items():
            for coordinate in joint.coordinate_names:
                result[f"{name}.{coordinate}"] = seen.coordinate(name, coordinate)
                result[f"{name}.{coordinate}_rate"] = seen.rate(name, coordinate)
            if getattr(getattr(joint, "drive", None), "stiffness", None) is not None:
                result[f"{name}.deflection"] = seen.deflection(name)
                result[f"{name}.deflection_rate"] = seen.deflection_rate(name)
        result |= self.reaction_columns() | self.force_columns()
        return result | vector_columns("momentum", ("p", seen.momentum.linear), ("h", seen.momentum.angular))

    def _bending_columns(self) -> dict[str, Array]:
        """Return the columns of bodies that bend, in order."""
        return {}

    def reaction_columns(self) -> dict[str, Array]:
        """Return the columns of joints, couplings and drivers, in order; nan where they are not determined."""
        result: dict[str, Array] = {}
        joints = self.mechanism.joints
        for name, joint in joints.items():
            if joint.bodies:
                forces = ("f", self.reaction(name, joint.second)), ("m", self.moment(name, joint.second))
                result |= vector_columns(f"{name}.{joint.second}", *forces)
        for name in (*(name for name, joint in joints.items() if not joint.bodies), *self.mechanism.drivers):
            result[f"{name}.effort"] = self.effort(name)
        return result | self.pressure_columns()


def moving_columns(seen: Any) -> dict[str, Array]:
    """Return the columns of points and bodies in space, in order."""
    result: dict[str, Array] = {}
    for name in seen.mechanism.points:
        places = ("", seen[name]), ("v", seen.velocity(name)), ("a", seen.acceleration(name))
        result |= vector_columns(name, *places)
    for name in seen.mechanism.bodies:
        places = ("", seen.com(name)), ("v", seen.com_velocity(name)), ("a", seen.com_acceleration(name))
        result |= vector_columns(name, *places)
        result |= dict(zip((f"{name}.q{part}" for part in "wxyz"), seen.quaternion(name).T, strict=True))
        result |= vector_columns(name, ("omega_", seen.omega(name)), ("alpha_", seen.alpha(name)))
    return result
