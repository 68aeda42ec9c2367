"""What rolls without slip: a circle on a line, on a circle, inside a circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model.applied import Array, Quantities
from particlemech.model.gearing.holders import FITS
from particlemech.model.gearing.touching import (
    Line,
    Touching,
    height,
    line_touches,
    on_line,
    signed,
    straight,
    wheels_touch,
)
from particlemech.model.primitives import Looks, Outline, Part
from particlemech.model.shapes import wheel
from particlemech.model.spec import Vector, direction, key, names, place, positive, two
from particlemech.model.table_forms import flag

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Rolling(Touching):
    """The circle of one body rolls on a circle or a line of another without slip, and stays in touch.

    Its forces, results, act where they touch on the second body: `normal`, which pushes apart, and `tangential`, to the
    left of the line from the first centre to the second; on a line along its `axis`.
    """

    dof = 1
    bodies: tuple[str, ...] = key(names(2, 2), "the two bodies; the first has the line, if there is one")
    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"),
        "the centre of each, or a place on the line and the centre, names or numbers",
        dimension="length",
    )
    radii: tuple[float, float] | None = key(two(positive, "radii"), "of two circles", None, dimension="length")
    internal: bool = key(flag, "the smaller circle rolls inside the larger", False)
    axis: tuple[float, float] | None = key(direction, "of the line, global in the drawing", None, dimension="any")
    radius: float | None = key(positive, "of the circle on a line; default: as drawn", None, dimension="length")

    def verify(self) -> None:
        """Check that it is a circle on a line or on a circle."""
        if (self.radii is None) == (self.axis is None):
            raise ModelError('it needs "radii" of two circles, or the "axis" of a line')
        if self.radii is None and self.internal:
            raise ModelError('key "internal" is for two circles')
        if self.radii is not None and self.radius is not None:
            raise ModelError('key "radius" is for a circle on a line; of two circles give "radii"')
        if self.internal and self.radii is not None and self.radii[0] == self.radii[1]:
            raise ModelError(f"circles of one radius, {self.radii[0]:g}: one rolls inside a larger one only")

    def pushes(self, mechanism: Mechanism) -> int:
        """Return two: along the contact and across it."""
        return 2

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return both forces."""
        return {"normal": ("normal",), "tangential": ("tangential",)}

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return both forces, (K,) each."""
        return [efforts[:, 1], efforts[:, 0]]

    def signed(self, apart: float) -> tuple[float, float]:
        """Return the radii of (1) at a distance of the centres."""
        return signed(self.radii, self.internal, apart)  # type: ignore[arg-type]

    def height(self, mechanism: Mechanism) -> float:
        """Return how far the centre lies to the left of the line."""
        return height(self, mechanism)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that they are in touch as drawn."""
        if self.radii is None:
            return on_line(self, mechanism, self.radius, "line", "not in contact as drawn")
        d, (one, other) = self.apart(mechanism), self.radii
        both = abs(one - other) if self.internal else one + other
        if abs(both - d) > FITS * both:
            word = "difference" if self.internal else "sum"
            raise ModelError(
                f"not in contact as drawn: the centres are {d:.9g} apart, the {word} of the radii {one:g} and "
                f"{other:g} is {both:.9g}; move a centre or change a radius"
            )

    def line(self, seen: Any) -> Line:
        """Return where they touch."""
        return wheels_touch(self, seen) if self.radii is not None else line_touches(self, seen)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the circles, or the circle and its line."""
        at = self.drawn(mechanism)
        if self.radii is None:
            radius = float(abs(self.height(mechanism)))
            rolls = Outline(part, self.bodies[1], wheel(at[1], radius))
            return (rolls, straight(part, self, mechanism, 4.0 * radius))
        circles = zip(self.bodies, at, self.radii, strict=True)
        return tuple(Outline(part, body, wheel(centre, radius)) for body, centre, radius in circles)
