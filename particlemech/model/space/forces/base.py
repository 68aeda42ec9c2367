"""What every force in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from particlemech.model.applied import Array, Quantities
from particlemech.model.primitives import Looks, Part
from particlemech.model.signals import SignalSpec
from particlemech.model.spec import Spec

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


class Couple(NamedTuple):
    """A moment on the second of two bodies, its opposite on the first."""

    bodies: tuple[str, ...]
    axes: str  # the body in whose axes it is given, or "ground"
    moment: tuple[SignalSpec, SignalSpec, SignalSpec]


class ForceSpec(Spec):
    """Base of the forces in space."""

    in_file: ClassVar[bool] = True  # can be written in a model file
    elastic: ClassVar[bool] = False  # a spring or damper, which belongs to the mechanism and not to what acts on it
    reported: ClassVar[Quantities]  # its quantities in results

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return what results tell of it."""
        return self.reported

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return its quantities at K samples, (K,) or (K, 3) each, from the motion by name."""
        raise TypeError(f"{type(self).__name__} does not say what it exerts")

    def couple(self, mechanism: Mechanism) -> Couple | None:
        """Return what it is where it is nothing but a couple of signals."""
        return None

    def all_round(self, mechanism: Mechanism) -> bool:
        """Return whether it is a spring in a spherical joint, alike about all axes."""
        return False

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and what depends on the parts it acts on."""
        raise TypeError(f"{type(self).__name__} does not check its names")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")
