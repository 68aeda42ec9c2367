"""Numbers of results in other units than those of the model: "mm" and "deg" instead of m and rad, and all made of them.

A unit that is asked for stands for its dimension. Units of other quantities are made anew from those that are asked for
and those of the model, in which force is a unit of its own if it has a name there or is asked for:

    speed L/T    acceleration L/T^2    moment F L    pressure F/L^2    angular rate A/T    momentum M L/T           (1)

A word of energy (J) changes energies, a word of moment (Nmm) moments, though both have one dimension.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model import columns
from particlemech.model.dimensions import ANGLE, GREEK_MU, LENGTH, MICRO, UNITS, Powers, Unit, powers_of, unit_product
from particlemech.model.spec import shown
from particlemech.view.scene import Arrow, Lazy, Quantity, Scene

if TYPE_CHECKING:
    import pandas

MASS, TIME, FORCE, WORK = (powers_of(word) for word in ("mass", "time", "force", "moment"))
ENERGIES = ("J", "mJ", "kJ", "erg")
NAMED = ("N", "dyn", "lbf")  # units of force of the systems that have one
ENERGY = "energy"
SIGNS = {"deg": "°"}


class Wanted:
    """The units that are asked for."""

    def __init__(self, units: Iterable[str]) -> None:
        self.words: dict[Any, str] = {}
        given = [units] if isinstance(units, str) else list(units)
        for word in (one.replace(GREEK_MU, MICRO) if isinstance(one, str) else one for one in given):
            if not isinstance(word, str) or word not in UNITS:
                raise ModelError(f"unit {shown(word)} unknown{suggestion(word, UNITS)}")
            key = "energy" if word in ENERGIES else UNITS[word].powers
            if key in self.words:
                raise ModelError(f'"{self.words[key]}" and "{word}" are units of one quantity; ask for one of them')
            self.words[key] = word

    def __bool__(self) -> bool:
        return bool(self.words)

    def of(self, label: str, energy: bool = False) -> tuple[float, str]:
        """Return by what numbers of a unit are multiplied, and the unit that they are in then.

        Parameters
        ----------
        label
            The unit they are in, as columns say it.
        energy
            Whether they are energies, which have the dimension of moments.
        """
        old = unit_product(_plain(label)) if label not in columns.UNMADE else None
        if old is None:
            return 1.0, label
        new = self._made(old.powers, label, energy)
        return (1.0, label) if new is None else (_ratio(old, unit_product(new)), _shown(new))

    def of_label(self, label: str) -> tuple[float, str]:
        """Return the same where all that is known of the numbers is their unit: J and its kin are energies."""
        return self.of(label, label in ENERGIES)

    def _made(self, powers: Powers, label: str, energy: bool) -> str | None:
        """Return the unit for a dimension, as expressions write it; None: that of the model stays."""
        if powers == WORK and energy:
            return self.words.get("energy")
        if powers in self.words:
            return self.words[powers]
        own, words = _bases(label), re.split(r"[ /*]", _plain(label))
        force = self.words.get(FORCE) or next((word for word in NAMED if word in words), None)
        if force is not None and powers[1] == 1.0 and powers[2] == -2.0:
            rest = (powers[0] - 1.0, 0.0, 0.0, powers[3])
            made = _product([(force, 1.0), *self._parts(rest, own)])
            return made if self._touched(rest) or FORCE in self.words else None
        if len(words) == 1 and not own:  # a unit with a name of its own, such as W
            return None
        return _product(self._parts(powers, own)) if self._touched(powers) else None

    def _touched(self, powers: Powers) -> bool:
        """Return whether a unit that was asked for is a part of a dimension."""
        return any(p and base in self.words for p, base in zip(powers, BASES, strict=True))

    def _parts(self, powers: Powers, own: dict[Powers, str]) -> list[tuple[str, float]]:
        usual = dict(zip(BASES, ("m", "kg", "s", "rad"), strict=True)) | own
        return [(self.words.get(b) or usual[b], p) for p, b in zip(powers, BASES, strict=True) if p]


BASES: tuple[Powers, ...] = (LENGTH, MASS, TIME, ANGLE)


def _plain(label: str) -> str:
    """Return the unit of a column as expressions write it."""
    return label.replace("²", "^2").replace("³", "^3").replace("°", "deg")


def _bases(label: str) -> dict[Powers, str]:
    """Return the units of length, mass, time and angle that a unit is written with."""
    words = _plain(label).replace("/", " ").replace("*", " ").split()
    plain = [word.split("^")[0] for word in words]
    return {UNITS[word].powers: word for word in plain if word in UNITS and UNITS[word].powers in BASES}


def _product(parts: Sequence[tuple[str, float]]) -> str:
    """Return a product of powers of units."""
    above = [_power(word, p) for word, p in parts if p > 0.0]
    below = [_power(word, -p) for word, p in parts if p < 0.0]
    return " ".join(above or ["rad" if not below else ""]).strip() + "".join(f"/{word}" for word in below)


def _power(word: str, p: float) -> str:
    return word if p == 1.0 else f"{word}^{p:g}"


def _shown(unit: str) -> str:
    """Return a unit as columns say it."""
    for word, sign in SIGNS.items():
        unit = unit.replace(word, sign)
    return unit.replace("^2", "²").replace("^3", "³")


def _ratio(old: Unit, new: Unit) -> float:
    """Return how many of one unit another is."""
    return float(old.factor / new.factor) * math.pi ** (old.pi - new.pi)


def conversion(old: str, new: str) -> float:
    """Return by what a number of one unit is multiplied to be one of another, both as columns say them."""
    return _ratio(unit_product(_plain(old)), unit_product(_plain(new)))


def rescaled(seen: Scene, units: Iterable[str]) -> Scene:
    """Return a scene whose quantities and arrows are in other units; the drawing stays in those of the model."""
    wanted = Wanted(units)
    if not wanted:
        return seen

    def quantities() -> dict[str, Quantity]:
        found = {}
        for name, q in seen.quantities.items():
            factor, unit = wanted.of(q.unit, q.what == ENERGY)
            found[name] = Quantity(factor * q.values, q.what, unit)
        return found

    def arrow(group: Mapping[str, Arrow], name: str) -> Arrow:
        factor, unit = wanted.of(group[name].unit)
        return group[name]._replace(vector=factor * group[name].vector, unit=unit)

    arrows = {word: Lazy({name: partial(arrow, group, name) for name in group}) for word, group in seen.arrows.items()}
    return dataclasses.replace(seen, arrows=arrows, _quantities=quantities)


# -- results ---------------------------------------------------------------------------------------------------------

METHODS = {  # of results that give one kind of quantity
    "velocity": "velocity",
    "acceleration": "acceleration",
    "com": "position",
    "com_velocity": "velocity",
    "com_acceleration": "acceleration",
    "angle": "angle",
    "omega": "angular velocity",
    "alpha": "angular acceleration",
    "reaction": "force",
    "moment": "moment",
}
NAMES = {"coordinate": "{}", "rate": "{}_rate"}  # those whose kind depends on what they are asked for


class InUnits:
    """A result whose numbers are in other units; times are in s unless a unit of time is asked for."""

    def __init__(self, result: Any, units: Iterable[str]) -> None:
        self.result, self.wanted, self.mechanism = result, Wanted(units), result.system.mechanism

    def __repr__(self) -> str:
        return f"<{self.result!r} in {', '.join(self.wanted.words.values()) or 'units of the model'}>"

    @property
    def t(self) -> Array:
        """Times of the samples."""
        return np.asarray(self.result.t * self.wanted.of("s")[0])

    def __getitem__(self, name: str) -> Array:
        """Return the path of a point, or a column by its name."""
        if name in self.mechanism.points:
            return np.asarray(self.result[name] * self._of_kind("position")[0])
        known = self.result.columns()
        if name not in known:
            raise ModelError(f'"{name}" is no point and no column{suggestion(name, [*self.mechanism.points, *known])}')
        return np.asarray(known[name] * self._of_column(name)[0])

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            method, factor = getattr(self.result, name), self._of_kind(METHODS[name])[0]
            return lambda *words, **more: method(*words, **more) * factor
        if name == "effort":
            return lambda driver, **more: self.result.effort(driver, **more) * self._of_column(f"{driver}.effort")[0]
        if name in NAMES:
            return partial(self._coordinate, name)
        raise AttributeError(f"a result in other units has no {name!r}; ask the result itself")

    def _coordinate(self, method: str, joint: str, name: str | None = None) -> Array:
        """Return a coordinate of a joint or its rate, or all of them."""
        values = np.asarray(getattr(self.result, method)(joint, name))
        every = [name] if name is not None else list(self.mechanism.joints[joint].coordinate_names)
        factors = [self._of_column(f"{joint}.{NAMES[method].format(each)}")[0] for each in every]
        return values * (factors[0] if len(factors) == 1 else np.array(factors))

    def _of_kind(self, what: str) -> tuple[float, str]:
        return self.wanted.of(columns.unit(self.mechanism, what), what == ENERGY)

    def _of_column(self, name: str) -> tuple[float, str]:
        return self.wanted.of("s") if name == "t" else self._of_kind(columns.quantity(self.mechanism, name))

    def columns(self) -> dict[str, Array]:
        """Return all columns of a result file, by name, in order."""
        return {name: np.asarray(of * self._of_column(name)[0]) for name, of in self.result.columns().items()}

    def units(self, names: Iterable[str] | None = None) -> list[str]:
        """Return the unit of each column; default all columns."""
        return [self._of_column(name)[1] for name in (self.result.columns() if names is None else names)]

    def to_csv(self, path: str | Path) -> None:
        """Write all columns, and their units above them; `read_result` reads back the result in its own units."""
        from particlemech.result.export import write_csv

        write_csv(self.columns(), {**self.result.record, "units": self.units()}, path)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return all columns as a data frame, with their units in its `attrs`; needs pandas."""
        frame = self.result.to_dataframe()
        for name in frame.columns:
            frame[name] = frame[name] * self._of_column(name)[0]
        frame.attrs["units"] = dict(zip(frame.columns, self.units(frame.columns), strict=True))
        return frame
