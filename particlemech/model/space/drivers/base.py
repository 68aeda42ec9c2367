"""What every driver in space offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.model.acting import Driver

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


class DriverSpec(Driver):
    """Base of the drivers in space."""

    def freedom(self, mechanism: Mechanism) -> tuple[str, str]:
        """Return what is driven: the name of a joint or point, and that of its coordinate."""
        raise TypeError(f"{type(self).__name__} does not say what it drives")
