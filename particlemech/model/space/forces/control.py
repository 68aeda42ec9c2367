"""Motors and controllers in space: those of model/control.py, on coordinates of joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech.model import control
from particlemech.model.space.forces.base import ForceSpec

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

CURE = "act on a revolute or prismatic joint"


class _OnCoordinate(ForceSpec):
    """What they do in space."""

    joint: Any
    coordinate: Any

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        mechanism.acted_on(self.joint, self.coordinate, CURE)


@dataclass(frozen=True, kw_only=True)
class DcMotor(control.DcMotor, _OnCoordinate):  # noqa: D101
    __doc__ = control.DcMotor.__doc__


@dataclass(frozen=True, kw_only=True)
class CurveMotor(control.CurveMotor, _OnCoordinate):  # noqa: D101
    __doc__ = control.CurveMotor.__doc__


@dataclass(frozen=True, kw_only=True)
class Pid(control.Pid, _OnCoordinate):  # noqa: D101
    __doc__ = control.Pid.__doc__

    def check(self, mechanism: Mechanism) -> None:
        """Check joint, coordinate and sensor."""
        super().check(mechanism)
        gauge = self.gauge(mechanism)
        if gauge.of == "joint":
            mechanism.acted_on(gauge.part, gauge.what, "measure the coordinate of another joint, or a point")
