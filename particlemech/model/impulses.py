"""Impulses as users write them in the plane, and what those of all families have in common: when they act, on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError, part, suggestion
from particlemech.model.primitives import GROUND, Looks, Part, Place, Push, Turn
from particlemech.model.spec import Spec, Vector, choice, key, name, not_negative, number, place, shown, vector

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Impulse(Spec):
    """An impulse on a body: speeds jump, places do not; one at or after the end of a run does not act."""

    time: float = key(not_negative, "s; 0: before the run begins", 0.0, dimension="time")
    body: str = key(name, "the body it acts on")
    point: str | Vector | None = key(
        place,
        "a place fixed on the body, in the drawing: name or two numbers; default: centre of mass",
        None,
        dimension="length",
    )
    impulse: Vector = key(vector, "force times time", (0.0, 0.0), dimension="impulse")
    moment: float = key(
        number, "moment times time, besides that of the impulse, counter-clockwise", 0.0, dimension="moment time"
    )
    frame: str = key(choice("global", "body"), "axes of the impulse: global, or turned with the body", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check that it strikes a body that can move, at a point of that body."""
        mechanism.moving_body(self.body)
        if self.point is not None:
            mechanism.carried(self.point, self.body)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow, and a turning one for its moment."""
        at = mechanism.place(self.point, self.body)
        return striking(part, self.body, at, self.impulse, (self.moment,), self.frame)


def striking(part: Part, body: str, at: Place, impulse: Place, moment: Place, frame: str) -> Looks:
    """Return the arrows of an impulse and of its moment, of those that are not zero."""
    axes = body if frame == "body" else GROUND
    return tuple(
        kind(part, body, at, partial(_at_all, value), axes=axes)
        for kind, value in ((Push, impulse), (Turn, moment))
        if any(value)
    )


def _at_all(value: Place, t: Any) -> Any:
    """Return a vector (n,) for each of the times (K,), (K, n)."""
    return np.tile(value, (len(t), 1))


def times(mechanism: Any) -> set[float]:
    """Return when impulses act during a run, s: those at 0 have acted before it."""
    return {one.time for one in mechanism.impulses.values() if one.time > 0.0}


def due(mechanism: Any, t: float) -> dict[str, Any]:
    """Return the impulses at a time, by name."""
    return {name: one for name, one in mechanism.impulses.items() if one.time == t}


def chosen(
    mechanism: Any, impulses: Mapping[str, Any] | None, now: float, near: float, kind: type[Spec], word: str
) -> Mapping[str, Any]:
    """Return the impulses that a user means, or say what is wrong with them.

    Parameters
    ----------
    mechanism
        What they strike.
    impulses
        By name; None: those of the model.
    now, near
        When they strike, s, and how much later or earlier counts as the same time.
    kind, word
        The class that they must be of, and what it is called in a message.
    """
    if impulses is None:
        impulses = {name: one for name, one in mechanism.impulses.items() if abs(one.time - now) <= near}
    if not isinstance(impulses, Mapping):
        raise ModelError(f'impulses are given as {{"NAME": {word}(...)}}, got {shown(impulses)}')
    if not impulses:
        raise ModelError(f'there is no impulse at t = {now:g} s; give impulses = {{"NAME": {word}(...)}}')
    for word_of, one in impulses.items():
        with part(f'impulse "{word_of}"'):
            if not isinstance(one, kind):
                raise ModelError(f"expected {word}(...), got {shown(one)}")
            body: str = one.body  # type: ignore[attr-defined]
            if body not in mechanism.bodies:
                raise ModelError(f'body "{body}" unknown{suggestion(body, mechanism.bodies)}')
    return impulses
