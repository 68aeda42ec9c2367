"""Dimensions and units of quantities: what "50 mm" is, and that it is no mass.

A dimension is four powers: of length, mass, time and angle. An angle is one of its own here, so that a length is not
taken for an angle; it drops out where it stands beside a length or a mass, as in the speed of a point on a crank.
Beside these a quantity may be PLAIN, a number as it stands in the text, which counts as a factor in products and is in
the units of the model elsewhere, or FREE, made with a parameter that has no unit, which nothing is known of.

Factors of units are exact fractions, with a power of pi for angles: "35 mm" is 0.035 to the last bit.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from particlemech.errors import ModelError, suggestion
from particlemech.model.units import SYSTEMS

Powers = tuple[float, float, float, float]  # of length, mass, time, angle
Dimension = Powers | str  # or PLAIN or FREE
PLAIN, FREE = "plain", "free"
NONE: Powers = (0.0, 0.0, 0.0, 0.0)
ANGLE: Powers = (0.0, 0.0, 0.0, 1.0)
LENGTH: Powers = (1.0, 0.0, 0.0, 0.0)
FREQUENCY: Powers = (0.0, 0.0, -1.0, 0.0)
ANGULAR_RATE: Powers = (0.0, 0.0, -1.0, 1.0)

# what keys say of themselves, and how a message calls it
NAMED: dict[str, tuple[Powers, str]] = {
    "number": (NONE, "a pure number"),
    "length": (LENGTH, "a length"),
    "area": ((2.0, 0.0, 0.0, 0.0), "an area"),
    "volume": ((3.0, 0.0, 0.0, 0.0), "a volume"),
    "mass": ((0.0, 1.0, 0.0, 0.0), "a mass"),
    "time": ((0.0, 0.0, 1.0, 0.0), "a time"),
    "angle": (ANGLE, "an angle"),
    "angular rate": (ANGULAR_RATE, "an angular rate"),
    "angular acceleration": ((0.0, 0.0, -2.0, 1.0), "an angular acceleration"),
    "frequency": (FREQUENCY, "a frequency"),
    "speed": ((1.0, 0.0, -1.0, 0.0), "a speed"),
    "acceleration": ((1.0, 0.0, -2.0, 0.0), "an acceleration"),
    "force": ((1.0, 1.0, -2.0, 0.0), "a force"),
    "moment": ((2.0, 1.0, -2.0, 0.0), "a moment"),
    "power": ((2.0, 1.0, -3.0, 0.0), "a power"),
    "impulse": ((1.0, 1.0, -1.0, 0.0), "an impulse"),
    "pressure": ((-1.0, 1.0, -2.0, 0.0), "a pressure"),
    "inertia": ((2.0, 1.0, 0.0, 0.0), "a moment of inertia"),
    "density": ((-3.0, 1.0, 0.0, 0.0), "a density"),
    "stiffness": ((0.0, 1.0, -2.0, 0.0), "a stiffness (force per length)"),
    "damping": ((0.0, 1.0, -1.0, 0.0), "a damping (force per speed)"),
    "torsional stiffness": ((2.0, 1.0, -2.0, -1.0), "a torsional stiffness (moment per angle)"),
    "torsional damping": ((2.0, 1.0, -1.0, -1.0), "a torsional damping (moment per angular rate)"),
}
WORDS = {powers: word for powers, word in NAMED.values()}


def times(one: Powers, other: Powers, power: float = 1.0) -> Powers:
    """Return the dimension of one quantity times a power of another."""
    a, b, c, d = (round(x + power * y, 9) + 0.0 for x, y in zip(one, other, strict=True))
    return a, b, c, d


@lru_cache(maxsize=256)
def powers_of(text: str) -> Powers:
    """Return the dimension that a key states, such as "mass length^2" or "force/length"."""
    if text in NAMED:
        return NAMED[text][0]
    found, sign = NONE, 1.0
    for mark, word, power in re.findall(r"(/?)\s*([a-z]+)(?:\^(\d))?", text):
        sign = -1.0 if mark else sign
        found = times(found, NAMED[word][0], sign * float(power or 1))
    return found


def called(dimension: Dimension) -> str:
    """Return a dimension as a message calls it."""
    if isinstance(dimension, str):
        return "a plain number"
    if dimension in WORDS:
        return WORDS[dimension]
    above: list[str] = []
    below: list[str] = []
    for word, power in zip(("length", "mass", "time", "angle"), dimension, strict=True):
        if power:
            (above if power > 0 else below).append(word + (f"^{abs(power):g}" if abs(power) != 1.0 else ""))
    return " ".join(above or ["1"]) + "".join(f"/{word}" for word in below)


def fits(found: Dimension, wanted: Powers) -> bool:
    """Whether a quantity may stand where another dimension is wanted: angles drop out beside lengths and masses."""
    if isinstance(found, str) or found == wanted:
        return True
    if found[:3] != wanted[:3]:
        return False
    if found[0] or found[1]:
        return True
    return found == NONE and wanted == ANGLE  # an arc over its radius


def refused(found: Dimension, wanted: Powers) -> str:
    """Return what is wrong with a quantity of another dimension, with a cure where the reason is known."""
    if wanted == ANGULAR_RATE and found == FREQUENCY:
        return (
            "got a frequency (Hz) where an angular rate is wanted; write 60 rpm, or 2*pi*1 rad/s, for 1 Hz; "
            "what is made of other quantities, such as moment/inertia * time, takes * 1 rad"
        )
    if wanted == FREQUENCY and found == ANGULAR_RATE:
        return "got an angular rate where a frequency is wanted; write 20 Hz for 1200 rpm"
    why = f"got {called(found)} where {called(wanted)} is wanted"
    if not isinstance(found, str) and found[:3] == wanted[:3] and found[3] < wanted[3]:
        return f"{why}; if a number in it is an angle, say so: 1 rad, or 360 deg for a turn"
    return why


# -- units -----------------------------------------------------------------------------------------------------------


class Unit(NamedTuple):
    """What one of a unit is in SI: an exact factor times a power of pi, and its dimension."""

    factor: Fraction
    powers: Powers
    pi: int = 0


def _unit(factor: str, dimension: str, pi: int = 0) -> Unit:
    return Unit(Fraction(factor), powers_of(dimension), pi)


_LBF = Fraction("0.45359237") * Fraction("9.80665")
UNITS: dict[str, Unit] = {
    **{
        prefix + "m": _unit(f, "length")
        for prefix, f in (("", "1"), ("m", "1e-3"), ("c", "1e-2"), ("u", "1e-6"), ("k", "1e3"))
    },
    "in": _unit("0.0254", "length"),
    "ft": _unit("0.3048", "length"),
    **{prefix + "g": _unit(f, "mass") for prefix, f in (("", "1e-3"), ("k", "1"), ("m", "1e-6"))},
    "lb": _unit("0.45359237", "mass"),
    "slug": Unit(_LBF / Fraction("0.3048"), powers_of("mass")),
    **{prefix + "s": _unit(f, "time") for prefix, f in (("", "1"), ("m", "1e-3"), ("u", "1e-6"))},
    "min": _unit("60", "time"),
    "h": _unit("3600", "time"),
    "rad": _unit("1", "angle"),
    "mrad": _unit("1e-3", "angle"),
    "deg": _unit("1/180", "angle", 1),
    "rev": _unit("2", "angle", 1),
    "rpm": _unit("1/30", "angular rate", 1),
    "Hz": _unit("1", "frequency"),
    "kHz": _unit("1e3", "frequency"),
    **{prefix + "N": _unit(f, "force") for prefix, f in (("", "1"), ("m", "1e-3"), ("k", "1e3"), ("M", "1e6"))},
    "dyn": _unit("1e-5", "force"),
    "lbf": Unit(_LBF, powers_of("force")),
    "Nm": _unit("1", "moment"),
    "kNm": _unit("1e3", "moment"),
    "Nmm": _unit("1e-3", "moment"),
    **{
        prefix + "Pa": _unit(f, "pressure")
        for prefix, f in (("", "1"), ("h", "100"), ("k", "1e3"), ("M", "1e6"), ("G", "1e9"))
    },
    "bar": _unit("1e5", "pressure"),
    "psi": Unit(_LBF / Fraction("0.0254") ** 2, powers_of("pressure")),
    **{prefix + "J": _unit(f, "moment") for prefix, f in (("", "1"), ("m", "1e-3"), ("k", "1e3"))},
    "erg": _unit("1e-7", "moment"),
    **{prefix + "W": _unit(f, "power") for prefix, f in (("", "1"), ("m", "1e-3"), ("k", "1e3"))},
    "g0": _unit("9.80665", "acceleration"),
}
UNITS["µm"] = UNITS["um"]
GREEK_MU, MICRO = "\u03bc", "\u00b5"  # look alike; keyboards give either


@lru_cache(maxsize=512)
def factor(powers: Powers, system: str) -> Fraction | float:
    """Return how many of a system's units one SI unit of a dimension is."""
    units = SYSTEMS[system]
    metres, kilograms = UNITS[units.length].factor, UNITS[units.mass].factor
    if powers[0] == int(powers[0]) and powers[1] == int(powers[1]):
        return 1 / (metres ** int(powers[0]) * kilograms ** int(powers[1]))
    return 1.0 / (float(metres) ** powers[0] * float(kilograms) ** powers[1])


def in_system(amount: Fraction, unit: Unit, system: str) -> float:
    """Return an amount of a unit as a number in a system of units; one rounding, two where pi is in it."""
    scaled = amount * unit.factor * factor(unit.powers, system)
    return float(scaled) * math.pi**unit.pi if unit.pi else float(scaled)


def label(powers: Powers, system: str) -> str:
    """Return the unit of a system for a dimension, as it may be written in an expression; "" for a pure number."""
    if powers == NONE:
        return ""
    units = SYSTEMS[system]
    names = (units.length, units.mass, "s", "rad")
    if system == "SI":
        for word in ("N", "Nm", "Pa", "W"):
            if UNITS[word].powers == powers:
                return word
    above = [_power(word, p) for word, p in zip(names, powers, strict=True) if p > 0]
    below = [_power(word, -p) for word, p in zip(names, powers, strict=True) if p < 0]
    if not above:
        return "*".join(f"{word}^-{p:g}" for word, p in zip(names, [-q for q in powers], strict=True) if p > 0)
    return "*".join(above) + "".join(f"/{word}" for word in below)


def _power(word: str, power: float) -> str:
    return word if power == 1.0 else f"{word}^{power:g}"


def unit_product(text: str) -> Unit:
    """Return what a product of units is, such as "N/mm", "kg*m^2" or "N m".

    Raises
    ------
    ModelError
        If a unit is unknown; the nearest is suggested.
    """
    found, sign = Unit(Fraction(1), NONE), 1
    for mark, word, power in re.findall(r"\s*([*/]?)\s*([A-Za-zµ][A-Za-z0-9]*)(?:\s*(?:\^|\*\*)\s*(-?\d))?", text):
        if word not in UNITS:
            raise unknown_unit(word)
        sign = -1 if mark == "/" else 1
        n, unit = sign * int(power or 1), UNITS[word]
        found = Unit(found.factor * unit.factor**n, times(found.powers, unit.powers, n), found.pi + n * unit.pi)
    return found


def unknown_unit(word: str) -> ModelError:
    """Return the error of a unit that is not known."""
    return ModelError(f'unit "{word}" unknown{suggestion(word, UNITS)}')
