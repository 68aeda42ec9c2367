"""What every force of a tree offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._spec import Spec
from particlemech.primitives import Looks, Part

if TYPE_CHECKING:
    from particlemech.tree.mechanism import Mechanism


class ForceSpec(Spec):
    """Base of the forces of a tree."""

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and what depends on the parts it acts on."""
        raise TypeError(f"{type(self).__name__} does not check its names")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")
