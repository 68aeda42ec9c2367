"""Custom: a Python function of time and state, as a force on a body or as an effort in a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.model.acting import OfFunction
from particlemech.model.applied import Array, vectors
from particlemech.model.space.forces.base import ForceSpec
from particlemech.model.spec import Vector3, key, place3, shown

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Custom(OfFunction, ForceSpec):
    """A Python function of time and state.

    On a body the function is called as f(t, state) and returns force (fx, fy, fz), the global place (x, y, z) where it
    acts, and a couple (mx, my, mz), all in global axes; where the body bends, its section at `point` takes them. In a
    joint it returns the effort on the coordinate: a controller. The state gives the motion at time t by names of the
    model: state["B"], state.velocity("B"), state.omega("rod"), state.coordinate("elbow"), state.rate("elbow").
    """

    reported = vectors(3, force="f", place="p", moment="m")
    point: str | Vector3 | None = key(
        place3,
        "whose section takes the force, in the drawing; matters where the body bends; default: centre of mass",
        None,
        dimension="length",
    )

    def check(self, mechanism: Mechanism) -> None:
        """Check what it acts on."""
        if self.body is not None:
            mechanism.moving_body(self.body)
            mechanism.place_on(self.point, self.body)
        elif self.joint is not None:
            if self.point is not None:
                raise ModelError('key "point" is for a force on a body, and this one is in a joint; leave it out')
            mechanism.acted_on(self.joint, self.coordinate, "give the moment as a couple on the body")

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return force, place and couple (K, 3) each, or the effort (K,), from a call at every sample."""
        answers, own = self.answers(seen), seen.own.T if self.own else ()
        if self.body is None:
            return (np.array([float(effort) for effort in answers]), *own)
        found = np.array([np.concatenate(answer) for answer in answers], dtype=float).reshape(-1, 9)
        return (found[:, :3], found[:, 3:6], found[:, 6:], *own)


def answer(name: str, force: Any, given: Any) -> Array:
    """Return what a called force gives as numbers, (9,): force, place and couple, or the effort first."""
    out = np.zeros(9)
    try:
        if force.joint is not None:
            if isinstance(given, str):
                raise TypeError
            out[0] = float(given)
        else:
            vector, place, couple = (np.reshape(np.asarray(v, dtype=float), 3) for v in given)
            out[:3], out[3:6], out[6:] = vector, place, couple
    except (TypeError, ValueError):
        wanted = "a number, the effort" if force.joint is not None else "force, place and couple, three numbers each"
        raise ModelError(f'force "{name}": its function must return {wanted}, got {shown(given)}') from None
    return out
