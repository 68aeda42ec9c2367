"""What a user asks of a synthesis, checked: places, angles, limits; every refusal is one line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import shown
from particlemech.model.units import system
from particlemech.synthesis.defects import CLASS, LEAST_ANGLE, LONGEST, ORDERED, SHORTEST, TOLERANCE, TURNS

LINKAGES = ("four-bar", "slider-crank")
STARTS, KEEP = 2000, 12
LENGTHS = (0.05, 5.0)  # of links, in sizes of the task, unless told otherwise
MISS = 0.05  # the same of what may be missed
MOST_PLACES, MOST_STARTS = 10_000, 10_000_000
Box = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Limits:
    """What is asked of a linkage besides its task; see `particlemech.synthesis.path`."""

    linkage: str = "four-bar"
    starts: int = STARTS
    seed: int = 0
    keep: int = KEEP
    tolerance: float | None = None
    ordered: bool = True
    turning: bool = False
    grashof: bool | None = None
    transmission: float = 0.0
    lengths: tuple[float, float] | None = None
    region: Box | None = None
    density: float | None = None
    units: str = "SI"
    progress: Callable[[float], None] | None = None

    def numbers(self, size: float) -> Array:
        """Return what defects.py takes, in sizes of the task."""
        found = np.zeros(7)
        found[ORDERED], found[TURNS] = float(self.ordered), float(self.turning)
        found[CLASS] = -1.0 if self.grashof is None else float(self.grashof)
        found[LEAST_ANGLE] = self.transmission
        low, high = (LENGTHS[0] * size, LENGTHS[1] * size) if self.lengths is None else self.lengths
        found[SHORTEST], found[LONGEST] = low / size, high / size
        found[TOLERANCE] = MISS if self.tolerance is None else self.tolerance / size
        return found


def limits(verb: str, given: dict[str, Any]) -> Limits:
    """Return options of a synthesis, checked."""
    known = list(Limits.__dataclass_fields__)
    for name in given:
        if name not in known:
            raise ModelError(f'{verb}: option "{name}" unknown{suggestion(name, known)}')
    asked = Limits(**given)
    if asked.linkage not in LINKAGES:
        raise ModelError(f'{verb}: linkage "{asked.linkage}" unknown{suggestion(asked.linkage, LINKAGES)}')
    for name, most in (("starts", MOST_STARTS), ("keep", MOST_STARTS)):
        value = getattr(asked, name)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
            raise ModelError(f"{verb}: {name} must be a whole number from 1 to {most}, got {shown(value)}")
    if isinstance(asked.seed, bool) or not isinstance(asked.seed, int | np.integer) or asked.seed < 0:
        raise ModelError(f"{verb}: seed must be a whole number from 0 on, got {shown(asked.seed)}")
    if not _number(asked.transmission) or not 0.0 <= asked.transmission < 0.5 * math.pi:
        raise ModelError(
            f"{verb}: transmission must be an angle from 0 to 1.57 rad (a quarter turn is the best there is), "
            f"got {shown(asked.transmission)}"
        )
    for name in ("tolerance", "density"):
        value = getattr(asked, name)
        if value is not None and not (_number(value) and value > 0.0):
            raise ModelError(f"{verb}: {name} must be a number above zero, got {shown(value)}")
    if asked.lengths is not None:
        low, high = _pair(verb, "lengths", asked.lengths)
        if not 0.0 < low < high:
            raise ModelError(
                f"{verb}: lengths must be (shortest, longest) with 0 < shortest < longest, got {low}, {high}"
            )
    if asked.region is not None:
        (left, low), (right, high) = _box(verb, asked.region)
        if not (left < right and low < high):
            raise ModelError(
                f"{verb}: region must be ((left, low), (right, high)) with left < right and low < high, "
                f"got {shown(asked.region)}"
            )
    system(asked.units)
    return asked


def _number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)


def _pair(verb: str, name: str, value: Any) -> tuple[float, float]:
    if not (isinstance(value, tuple | list) and len(value) == 2 and all(_number(v) for v in value)):
        raise ModelError(f"{verb}: {name} must be two numbers, got {shown(value)}")
    return float(value[0]), float(value[1])


def _box(verb: str, value: Any) -> Box:
    if not (isinstance(value, tuple | list) and len(value) == 2):
        raise ModelError(f"{verb}: region must be two corners, ((x, y), (x, y)), got {shown(value)}")
    return _pair(verb, "region", value[0]), _pair(verb, "region", value[1])


def array(verb: str, name: str, value: Any, columns: int | None = None) -> Array:
    """Return numbers (N,), or (N, columns)."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.full((), np.nan)
    wanted = "one number each" if columns is None else f"{columns} numbers each"
    if found.ndim != (1 if columns is None else 2) or (columns is not None and found.shape[1] != columns):
        raise ModelError(f"{verb}: {name} must be a list with {wanted}, got {shown(value)}")
    if not np.isfinite(found).all():
        raise ModelError(
            f"{verb}: {name}: number {int(np.argmax(~np.isfinite(found).reshape(len(found), -1).all(1)))} is not finite"
        )
    if len(found) > MOST_PLACES:
        raise ModelError(f"{verb}: {name}: at most {MOST_PLACES}, got {len(found)}")
    return found


def enough(verb: str, what: str, count: int, least: int = 3) -> None:
    """Refuse too few places."""
    if count < least:
        raise ModelError(f"{verb}: {count} {what} leave nearly everything open; give at least {least}")


def points(verb: str, value: Any) -> Array:
    """Return places as complex numbers, (N,)."""
    found = array(verb, "points", value, 2)
    return np.asarray(found[:, 0] + 1j * found[:, 1])


def apart(verb: str, z: Array, angles: Array | None = None) -> None:
    """Refuse places one after the other that are one."""
    scale = max(float(np.max(np.abs(z - z[0]))), 1e-300)
    for i in range(len(z)):
        for k in range(i + 1, len(z)):
            turned = 0.0 if angles is None else abs(math.remainder(float(angles[k] - angles[i]), 2.0 * math.pi))
            if abs(z[k] - z[i]) <= 1e-9 * scale and turned <= 1e-9:
                what = "points" if angles is None else "poses"
                raise ModelError(
                    f"{verb}: {what} {i} and {k} are the same ({z[i].real:g}, {z[i].imag:g}); take one of them out"
                )
            if angles is None and i:
                break  # of points only the first is held against all: paths may cross themselves


def monotonic(verb: str, name: str, value: Array) -> None:
    """Refuse numbers that do not all grow, or all fall."""
    steps = np.diff(value)
    wrong = steps <= 0.0 if value[-1] > value[0] else steps >= 0.0
    if wrong.any():
        k = int(np.argmax(wrong))
        raise ModelError(
            f"{verb}: {name} must grow or fall from each to the next, and number {k + 1} ({value[k + 1]:g}) follows on "
            f"number {k} ({value[k]:g}); put them in order, or take one out"
        )


def pair_of_pivots(verb: str, value: Any, linkage: str) -> Array:
    """Return where O and C must be, (2,) complex, or nothing."""
    if value is None:
        return np.zeros(0, dtype=complex)
    if linkage != "four-bar":
        raise ModelError(f"{verb}: pivots are those of a four-bar; a {linkage} takes a region")
    found = points(verb, value)
    if len(found) != 2 or found[0] == found[1]:
        raise ModelError(f"{verb}: pivots must be two places that differ, got {shown(value)}")
    return found
