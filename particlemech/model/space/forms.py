"""Forms of keys that only bending bodies have: profiles along a line, tables in files, matrices, lists of specs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech.errors import ModelError, part, suggestion
from particlemech.model.number_files import read
from particlemech.model.space import curves
from particlemech.model.space.curves import Curve
from particlemech.model.spec import (
    FrozenMapping,
    Spec,
    check_keys,
    direction3,
    fields_of,
    key,
    number,
    numbers,
    sequence,
    shown,
    unit,
)
from particlemech.model.table_forms import spec_of

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SYMMETRIC = 1e-9  # of the size of an entry: what rounded entries across the diagonal may differ by
PARTS_PER_MODE = 6  # dx, dy, dz, rx, ry, rz


def truth(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"expected true or false, got {shown(value)}")
    return bool(value)


def axis(value: Any) -> tuple[float, float, float]:
    """One of "x", "y", "z", or three numbers whose length does not matter; axes of the drawing."""
    if isinstance(value, str):
        if value not in AXES:
            raise ModelError(f'"{value}" unknown{suggestion(value, AXES)}')
        return AXES[value]
    return unit(direction3(value))


def list_of(kind: type[Spec]) -> Any:
    """Return the form of a list of tables with the keys of one spec."""
    one = spec_of(kind)

    def form(value: Any) -> tuple[Any, ...]:
        result = []
        for k, entry in enumerate(sequence(value), start=1):
            with part(f"number {k}"):
                if isinstance(entry, Mapping):
                    check_keys(entry, fields_of(kind))
                result.append(one(entry))
        return tuple(result)

    form.each = one  # type: ignore[attr-defined]
    form.__doc__ = f"A list of tables with the keys of {kind.__name__}."
    return form


def matrix(value: Any) -> tuple[tuple[float, ...], ...]:
    """The rows of a symmetric matrix."""
    rows = tuple(numbers(row) for row in sequence(value))
    n = len(rows)
    if n == 0 or any(len(row) != n for row in rows):
        raise ModelError(f"expected n rows of n numbers, got rows of {[len(row) for row in rows]}")
    for j in range(n):
        for k in range(j):
            # what an entry can be beside its diagonal says what of it is rounding
            natural = math.sqrt(abs(rows[j][j] * rows[k][k]))
            if abs(rows[j][k] - rows[k][j]) > SYMMETRIC * max(abs(rows[j][k]), abs(rows[k][j]), natural):
                raise ModelError(
                    f"entry ({j + 1}, {k + 1}) is {rows[j][k]!r} and entry ({k + 1}, {j + 1}) is {rows[k][j]!r}; "
                    "make them equal"
                )
    return rows


def ratios(value: Any) -> float | tuple[float, ...]:
    """A damping ratio from 0 to 1, or a list of them."""
    if hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping)):
        if not (several := numbers(value)):
            raise ModelError("expected a number from 0 to 1, or a list of them; got an empty list")
        return tuple(_ratio(one) for one in several)
    return _ratio(number(value))


def _ratio(zeta: float) -> float:
    if not 0.0 <= zeta <= 1.0:
        percent = f"; {zeta:g} % is {zeta / 100:g}" if zeta > 1.0 else ""
        raise ModelError(f"expected parts of critical damping, from 0 to 1, got {zeta:g}{percent}")
    return zeta


# -- profiles ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Samples(Spec):
    """A table of one quantity along a body, smooth through its points."""

    x: tuple[float, ...] = key(numbers, "places, from 0 to 1 or to the length of the body")
    value: tuple[float, ...] = key(numbers, "values there")

    def verify(self) -> None:
        """Check that a curve from 0 on passes through the points."""
        checked_places(self.x)
        if len(self.x) != len(self.value):
            raise ModelError(f"{len(self.x)} places and {len(self.value)} values; give one value for each place")


@dataclass(frozen=True, kw_only=True)
class ModeTable(Spec):
    """Modes as a finite-element program lists them: at each place six numbers per mode, dx, dy, dz, rx, ry, rz."""

    x: tuple[float, ...] = key(numbers, "places, from 0 to 1 or to the length of the body")
    rows: tuple[tuple[float, ...], ...] = key(
        lambda value: tuple(numbers(row) for row in sequence(value)), "at each place, six numbers per mode"
    )

    def verify(self) -> None:
        """Check places and the number of columns."""
        checked_places(self.x)
        if len(self.x) != len(self.rows):
            raise ModelError(f"{len(self.x)} places and {len(self.rows)} rows; give one row for each place")
        for x, row in zip(self.x, self.rows, strict=True):
            if len(row) != len(self.rows[0]) or not row or len(row) % PARTS_PER_MODE:
                raise ModelError(
                    f"the row at x = {x:g} has {len(row)} numbers; each needs {PARTS_PER_MODE} per mode, "
                    "dx, dy, dz, rx, ry, rz"
                )

    @property
    def n(self) -> int:
        """The number of modes."""
        return len(self.rows[0]) // PARTS_PER_MODE

    def column(self, mode: int, component: int) -> tuple[float, ...]:
        """Return one component of one mode at all places."""
        return tuple(row[PARTS_PER_MODE * mode + component] for row in self.rows)


def checked_places(x: tuple[float, ...]) -> None:
    """Check that places along a body start at 0 and rise."""
    if len(x) < 2:
        raise ModelError(f"a table needs at least two places, got {len(x)}")
    if x[0] != 0.0:
        raise ModelError(f"the first place is {x[0]:g}; a table starts at 0, the first point of the body")
    for a, b in pairwise(x):
        if b - a <= 1e-9 * x[-1]:
            raise ModelError(f"place {b:g} follows {a:g}; places must rise")


Profile = tuple[float, ...] | Samples | Callable[[float], float]


def profile(value: Any) -> Profile:
    """A number, a list of coefficients of powers of x/L, a table {x = [...], value = [...]} or a CSV file of one."""
    if isinstance(value, Samples) or callable(value):
        return value
    if isinstance(value, str):
        rows = read(value).rows
        if any(len(row) != 2 for row in rows):
            raise ModelError(f'file "{value}": expected two columns, x and value, got {max(map(len, rows))}')
        return Samples(x=[row[0] for row in rows], value=[row[1] for row in rows])  # type: ignore[arg-type]
    if isinstance(value, Mapping):
        return _table(Samples, value)
    result = numbers(value if hasattr(value, "__iter__") else (value,))
    if not result:
        raise ModelError("expected at least one coefficient, got an empty list")
    if len(result) > curves.HIGHEST:
        raise ModelError(f"{len(result)} coefficients; at most {curves.HIGHEST} can be told apart, give a table")
    return result


def profile_by_axis(value: Any) -> FrozenMapping[Profile] | Profile:
    """A profile, or one for each direction: {y = ..., z = ...}."""
    if isinstance(value, Mapping) and set(value) <= set(AXES):
        if not value:
            raise ModelError("expected a number, or one for each direction such as {y = 2.0, z = 3.0}; got {}")
        result = {}
        for word, one in value.items():
            with part(f'"{word}"'):
                result[word] = profile(one)
        return FrozenMapping(result)
    return profile(value)


def mode_table(value: Any) -> ModeTable:
    """A CSV file, or a table {x = [...], rows = [[...], ...]}, of modes: x, then dx, dy, dz, rx, ry, rz per mode."""
    if isinstance(value, ModeTable):
        return value
    if isinstance(value, str):
        rows = read(value).rows
        with part(f'file "{value}"'):
            return ModeTable(x=[row[0] for row in rows], rows=[row[1:] for row in rows])  # type: ignore[arg-type]
    if not isinstance(value, Mapping):
        raise ModelError(f"expected the name of a CSV file or a table {{x, rows}}, got {shown(value)}")
    return _table(ModeTable, value)


def _table(kind: type[Spec], value: Mapping[str, Any]) -> Any:
    check_keys(value, fields_of(kind))
    return spec_of(kind)(value)


@functools.lru_cache(maxsize=512)
def curve(given: Profile, clamped: bool = False) -> Curve:
    """Return a profile as a curve on [0, 1]."""
    if isinstance(given, Samples):
        return curves.spline(given.x, given.value, clamped)
    return curves.polynomial(given) if isinstance(given, tuple) else curves.fitted(given)
