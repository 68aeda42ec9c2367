"""Coupling: the difference of one coordinate and a constant times another vanishes; efforts on both, in that ratio."""

from __future__ import annotations

from dataclasses import replace

from particlemech.engine.quaternions.instant import Instant, Row
from particlemech.model.space.joints import Coupling

SPEC = Coupling


def rows(spec: Coupling, at: Instant) -> list[Row]:
    """Return one row, whose multiplier is the effort on the second coordinate."""
    x, y = (at.along(*end) for end in spec.ends(at.mechanism))
    value, bias = y.value - spec.ratio * x.value, y.bias - spec.ratio * x.bias
    return [replace(y, value=value, bias=bias, besides=((-spec.ratio, x),))]
