"""Joints that hold for a while only: on which sides they may be struck, and which of these hold now."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple


class OneSided(NamedTuple):
    """A side on which an element may be struck and pressed, and holds while it is; see run/switching.py."""

    name: str
    sign: float  # of its row: the gap is sign times phi, so that the force that keeps it open is sign times lam
    restitution: float = 0.0
    law: tuple[float, float] | None = None  # stiffness and damping of one that gives way; None: rigid
    ends: bool = False  # it acts between ends only, and on what comes from where its gap is open


class Holding:
    """What joints of both worlds offer to runs whose mechanism changes; most have no sides."""

    locks: ClassVar[bool] = False  # it holds a coordinate of another, as an event has said
    profiled: ClassVar[bool] = False  # its gap may close and open again in a small part of a turn
    free: bool = False  # it starts without holding anything, of kinds that may: until an event locks it
    loads: bool = True  # the forces of its rows are the load of friction; no key, as the next
    mode: tuple[str, ...] = ()  # the sides that hold now, of kinds that have such; no key: a run sets it

    @property
    def curved(self) -> bool:
        """Whether its rows tell the signs of its gaps, but not how large they are."""
        return False

    @property
    def open(self) -> bool:
        """Whether it holds nothing now."""
        return self.free and not self.mode

    def holders(self, mechanism: Any) -> tuple[str | None, ...]:
        """Return what holds the places that it cannot do without, such as centres of wheels in mesh."""
        return ()

    def sides(self, mechanism: Any) -> tuple[OneSided, ...]:
        """Return where it may be struck, of kinds that hold for a while only: each has one row there."""
        return ()

    def pressed(self, side: str, mechanism: Any) -> Any:
        """Return the force of a side that gives way, while it is pressed."""
        raise TypeError(f"{type(self).__name__} has no side that gives way")

    def yielding(self, seen: Any, force: Any) -> tuple[tuple[str, Any], ...]:
        """Return what one that gives way exerts, on which bodies, (K, 2) each: its force() along its normal."""
        return ()

    def pushes(self, mechanism: Any) -> int:
        """Return how many of its rows have a force that is a result by itself: none, or all."""
        return 0

    def open_by(self, seen: Any) -> tuple[Any, Any]:
        """Return the gap of one that is curved and its rate, (K,) each."""
        raise TypeError(f"{type(self).__name__} has gaps that its rows tell")

    def beyond(self, seen: Any) -> tuple[Any, Any]:
        """Return how far one with ends is beyond them, below 0 between them, and its rate, (K,) each."""
        raise TypeError(f"{type(self).__name__} has no ends")

    def passing(self, seen: Any) -> tuple[Any, Any]:
        """Return how far a profile has turned past what touches it, (K,), rad, and how fast, rad/s."""
        raise TypeError(f"{type(self).__name__} has no profile")

    def lobes(self, mechanism: Any) -> Any:
        """Return the places of a profile that a step must not pass over."""
        raise TypeError(f"{type(self).__name__} has no profile")
