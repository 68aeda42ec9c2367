"""What every driver in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.model.primitives import Looks, Part
from particlemech.model.signals import SignalSpec
from particlemech.model.spec import Spec, kind_name

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


class DriverSpec(Spec):
    """Base of the drivers in space; their motions count from the drawing and need not be 0 at t = 0."""

    motion: SignalSpec

    def verify(self) -> None:
        """Check that the motion is smooth enough to follow."""
        if not self.motion.smooth:
            kind = kind_name(type(self.motion))
            raise ModelError(f'key "motion": a {kind} jumps and cannot be followed; use "cycloid" or "table"')

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return what is driven: the name of a joint or point, and that of its coordinate."""
        raise TypeError(f"{type(self).__name__} does not say what it drives")

    def between(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return the two bodies that it ties together."""
        raise TypeError(f"{type(self).__name__} does not say between which bodies it acts")

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and that what it drives is there."""
        raise TypeError(f"{type(self).__name__} does not check its names")

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment."""
        return False

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")
