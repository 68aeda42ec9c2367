"""Systems of units by name. Nothing is converted: a model and its results are in the units that the model names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import shown

INCH, FOOT = 0.0254, 0.3048  # m
POUND = 0.45359237  # kg
SLUG = POUND * 9.80665 / FOOT  # kg; a pound-force gives it 1 ft/s^2


@dataclass(frozen=True)
class Units:
    """A consistent system of units: labels, and what the units of length and mass are in SI."""

    name: str
    length: str
    mass: str
    force: str
    moment: str
    energy: str
    metres: float  # in one unit of length
    kilograms: float  # in one unit of mass
    time: str = "s"

    @property
    def newtons(self) -> float:
        """SI value of one unit of force, N."""
        return self.kilograms * self.metres

    @property
    def joules(self) -> float:
        """SI value of one unit of energy, J, and of moment, N m."""
        return self.kilograms * self.metres**2


def _plain(name: str, length: str, mass: str, metres: float, kilograms: float) -> Units:
    """Return a system whose force, moment and energy have no names of their own."""
    work = f"{mass} {length}^2/s^2"
    return Units(name, length, mass, f"{mass} {length}/s^2", work, work, metres, kilograms)


SYSTEMS = {
    units.name: units
    for units in (
        Units("SI", "m", "kg", "N", "N m", "J", 1.0, 1.0),
        _plain("kg-mm", "mm", "kg", 1e-3, 1.0),
        Units("g-cm", "cm", "g", "dyn", "dyn cm", "erg", 1e-2, 1e-3),
        _plain("slug-inch", "in", "slug", INCH, SLUG),
        Units("slug-foot", "ft", "slug", "lbf", "lbf ft", "ft lbf", FOOT, SLUG),
        _plain("lb-inch", "in", "lb", INCH, POUND),
    )
}


def system(value: Any) -> str:
    """The name of a system of units."""
    if not isinstance(value, str) or value not in SYSTEMS:
        raise ModelError(f"{shown(value)} unknown{suggestion(value, SYSTEMS)}")
    return value
