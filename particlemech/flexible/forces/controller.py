"""Controller: an effort on the coordinate of a joint, as a Python function of time and state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._spec import function, key, name
from particlemech.applied import EFFORT, Array
from particlemech.flexible.forces.base import ForceSpec, OnJoint
from particlemech.primitives import Looks, Part

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Controller(ForceSpec):
    """A Python function f(t, state) that returns the torque or force in a joint."""

    in_file = False
    told = EFFORT
    joint: str = key(name, "the joint")
    function: Callable[..., Any] = key(function, "f(t, state) -> effort, on the link that the joint carries")

    def check(self, mechanism: Mechanism) -> None:
        """Check that the joint can move."""
        mechanism.moved_joint(self.joint)

    def on_joint(self) -> OnJoint:
        """Return its function."""
        return OnJoint(self.joint, None, self.function)

    def exerted(self, seen: Any) -> tuple[Array]:
        """Return the effort on the coordinate, from a call at every sample."""
        return (np.array([float(self.function(float(t), seen.state(k))) for k, t in enumerate(seen.t)]),)

    def turns(self, mechanism: Mechanism) -> bool:
        """Return whether its effort is a moment."""
        return mechanism.joints[self.joint].coordinate == "angle"

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return nothing: its effort is known to the function only."""
        return ()
