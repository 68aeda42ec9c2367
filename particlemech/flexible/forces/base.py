"""What every force of a flexible manipulator offers: it acts on a joint, or on places of a link."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from particlemech._spec import Spec, Vector3
from particlemech.applied import Array, Quantities
from particlemech.flexible.forms import Profile
from particlemech.primitives import Looks, Part
from particlemech.signals import SignalSpec, signal_vector3

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism

Signals3 = tuple[SignalSpec, SignalSpec, SignalSpec]
ZERO = signal_vector3((0.0, 0.0, 0.0))


class OnLink(NamedTuple):
    """A load on a link, by name: at one place, or spread along the link."""

    link: str
    at: Vector3 | None  # the place; None: along the length
    spread: Profile  # weight along the length, where spread
    force: Signals3
    moment: Signals3
    follows: bool  # axes of the section, otherwise global


class OnJoint(NamedTuple):
    """An effort on the coordinate of a joint."""

    joint: str
    effort: SignalSpec | None
    function: Callable[..., Any] | None


class ForceSpec(Spec):
    """Base of the forces."""

    in_file: ClassVar[bool] = True  # can be written in a model file

    told: ClassVar[Quantities]  # its quantities in results

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return what results tell of it."""
        return self.told

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return its quantities at K samples, (K,) or (K, 3) each, from the motion by name."""
        raise TypeError(f"{type(self).__name__} does not say what it exerts")

    def check(self, mechanism: Mechanism) -> None:
        """Check the names."""

    def on_link(self, mechanism: Mechanism) -> OnLink | None:
        """Return what it does to a link."""
        return None

    def on_joint(self) -> OnJoint | None:
        """Return what it does to a joint."""
        return None

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")
