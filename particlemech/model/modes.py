"""What has become of a mechanism in a run, in the plane and in space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from particlemech.model.spec import FrozenMapping


class Slip(NamedTuple):
    """What a joint that sticks does now."""

    sense: float  # of its rate, +-1; 0: it holds
    at: float = 0.0  # the value of its coordinate while it holds


class Mode(NamedTuple):
    """What has become of a mechanism in a run, besides which sides of its joints hold."""

    held: Mapping[str, Mapping[str, float]] = FrozenMapping()  # event that locks -> coordinate -> value
    gone: frozenset[str] = frozenset()  # joints that are taken out
    slips: Mapping[str, Slip] = FrozenMapping()  # what joints that stick do
    switched: tuple[tuple[str, float], ...] = ()  # events that have switched signals, and when, s

    @property
    def table(self) -> dict[str, Any]:
        """The same for a file of JSON."""
        held, slips = ({name: dict(of) for name, of in self.held.items()}, {n: [*s] for n, s in self.slips.items()})
        return {"held": held, "gone": sorted(self.gone), "slips": slips, "switched": [[*one] for one in self.switched]}

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Mode:
        """Return a mode that a file has kept."""
        slips = {name: Slip(*of) for name, of in table["slips"].items()}
        return cls(table["held"], frozenset(table["gone"]), slips, tuple((name, t) for name, t in table["switched"]))

    @property
    def key(self) -> Any:
        """The same, to be looked up by."""
        held = tuple((name, tuple(values.items())) for name, values in self.held.items())
        return held, self.gone, tuple(self.slips.items()), self.switched
