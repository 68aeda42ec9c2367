"""What every force in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech._spec import Spec

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism


class ForceSpec(Spec):
    """Base of the forces in space."""

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and what depends on the parts it acts on."""
        raise TypeError(f"{type(self).__name__} does not check its names")
