"""The parameters of vectors: what is known of a length, a cosine, a spin or a component of force, and how far.

A parameter is known up to its place, its rate or its acceleration, or not at all; then its value is a starting guess.
In the geometry, the velocities and the accelerations of [J84] different parameters may be known, which is how the same
model serves inverse and forward dynamics. Kinds of parameters stand here, like those of signals in one file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from particlemech.errors import ModelError, suggestion
from particlemech.model import signals
from particlemech.model.signals import SignalSpec, signal
from particlemech.model.spec import Form, Spec, Vector3, choice, direction3, key, kind_name, number, sequence, shown

LEVELS = ("place", "rate", "acceleration")
ASKED = "unknown"  # the word for a component of force that is to be found


def one_of(kinds: Mapping[str, type[Spec]], base: type[Spec]) -> Form:
    """Return the form of a spec of some kinds, or a table of its keys with its "type"."""

    def form(value: Any) -> Any:
        if isinstance(value, base):
            return value
        if not isinstance(value, Mapping):
            raise ModelError(f"expected a table with a type, one of {', '.join(kinds)}; got {shown(value)}")
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in kinds:
            raise ModelError(f'key "type": {shown(kind)} unknown{suggestion(kind, kinds)}')
        known = list(kinds[kind].__dataclass_fields__)  # type: ignore[attr-defined]
        for k in value:
            if k not in known and k != "type":
                raise ModelError(f'key "{k}" unknown{suggestion(k, known)}')
        return kinds[kind](**{k: v for k, v in value.items() if k != "type"})

    form.__doc__ = f"A table with a type, one of {', '.join(kinds)}."
    return form


_SIGNAL = one_of(signals.NAMES, SignalSpec)


def motion(value: Any) -> SignalSpec:
    """A number, or a signal that is twice differentiable."""
    result: SignalSpec = _SIGNAL(value) if isinstance(value, Mapping) else signal(value)
    result = result.followed()
    if not result.smooth:
        kind = kind_name(type(result))
        raise ModelError(f'a {kind} jumps and cannot be followed; use "cycloid" or "table"')
    return result


class ParameterSpec(Spec):
    """Base of the parameters."""

    until: str
    unknown: ClassVar[bool] = False  # not even its place is known

    @property
    def level(self) -> int:
        """Highest derivative that is known; -1 if not even the value is."""
        return LEVELS.index(self.until)

    def values(self, t: float) -> Vector3:
        """Return value, rate and acceleration at one time, as far as they are known."""
        raise TypeError(f"{type(self).__name__} has no values")


@dataclass(frozen=True, kw_only=True)
class Given(ParameterSpec):
    """A parameter that follows a signal; a plain number or signal means this, known up to its acceleration."""

    motion: SignalSpec = key(motion, "its value over time")
    until: str = key(choice(*LEVELS), "highest derivative that is known; those above are found", "acceleration")

    def values(self, t: float) -> Vector3:
        """Return value, rate and acceleration of the signal."""
        return signals.values(self.motion, t)


@dataclass(frozen=True, kw_only=True)
class Circular(ParameterSpec):
    """centre + cosine cos(angle) + sine sin(angle): a component of a direction that turns."""

    centre: float = key(number, "its middle", 0.0)
    cosine: float = key(number, "factor of cos(angle)", 0.0)
    sine: float = key(number, "factor of sin(angle)", 0.0)
    angle: SignalSpec = key(motion, "rad")
    until: str = key(choice(*LEVELS), "highest derivative that is known; those above are found", "acceleration")

    def values(self, t: float) -> Vector3:
        """Return value, rate and acceleration."""
        a, rate, acceleration = signals.values(self.angle, t)
        c, s = math.cos(a), math.sin(a)
        out = self.cosine * c + self.sine * s
        along = self.sine * c - self.cosine * s
        return self.centre + out, along * rate, along * acceleration - out * rate * rate


@dataclass(frozen=True, kw_only=True)
class Unknown(ParameterSpec):
    """A parameter that is to be found; its guess chooses the assembly. A spin or force component needs no guess."""

    unknown = True
    guess: float = key(number, "where the search starts; of a spin: its present value, rad/s", 0.0)

    @property
    def level(self) -> int:
        """Nothing is known."""
        return -1

    def values(self, t: float) -> Vector3:
        """Return the guess, at rest."""
        return self.guess, 0.0, 0.0


KINDS: tuple[type[ParameterSpec], ...] = (Given, Circular, Unknown)
NAMES = {kind_name(kind): kind for kind in KINDS}
_PARAMETER = one_of(NAMES, ParameterSpec)


def parameter(value: Any) -> ParameterSpec:
    """A number, a signal, or a parameter such as {type = "unknown", guess = 0.3}."""
    if isinstance(value, ParameterSpec) or (isinstance(value, Mapping) and value.get("type") in NAMES):
        result: ParameterSpec = _PARAMETER(value)
        return result
    return Given(motion=motion(value))


def parameters3(value: Any) -> tuple[ParameterSpec, ParameterSpec, ParameterSpec]:
    """Three parameters, one along each axis."""
    result = tuple(parameter(v) for v in sequence(value))
    if len(result) != 3:
        raise ModelError(f"expected three parameters, got {len(result)}")
    return result[0], result[1], result[2]


def components3(value: Any) -> tuple[ParameterSpec, ParameterSpec, ParameterSpec]:
    """Three components, each a number, a signal or "unknown"; or the word "unknown" for all three."""
    if value == ASKED:
        return Unknown(), Unknown(), Unknown()
    return parameters3([Unknown() if isinstance(v, str) and v == ASKED else v for v in sequence(value)])


def turned(
    start: Any, axis: Any, angle: Any, until: str = "acceleration"
) -> tuple[ParameterSpec, ParameterSpec, ParameterSpec]:
    """Return the cosines of a direction that turns about an axis, right-handed.

    P = (u.s) u + (s - (u.s) u) cos(angle) + (u x s) sin(angle)

    Parameters
    ----------
    start
        Direction s at angle 0; its length does not matter.
    axis
        Direction u of the axis; its length does not matter.
    angle
        A number or a signal, rad.
    until
        Highest derivative that is known: "place", "rate" or "acceleration".
    """
    s, u = (np.array(direction3(v)) / np.linalg.norm(v) for v in (start, axis))
    middle = u * (u @ s)
    across = np.cross(u, s)
    x, y, z = (
        Circular(
            centre=float(middle[k]), cosine=float(s[k] - middle[k]), sine=float(across[k]), angle=angle, until=until
        )
        for k in range(3)
    )
    return x, y, z
