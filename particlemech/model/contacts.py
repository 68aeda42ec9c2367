"""Contacts: a circle, or a point, of one body on a line or a circle of another; they push and never pull."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech import _tape
from particlemech.errors import ModelError
from particlemech.model.applied import Array, Quantities
from particlemech.model.forces import Law
from particlemech.model.freedom import Freedom
from particlemech.model.friction import Friction, friction_key
from particlemech.model.friction import check as check_friction
from particlemech.model.gearing.touching import Touching, said
from particlemech.model.one_sided import OneSided
from particlemech.model.primitives import Looks, Outline, Part, Pin, Strap
from particlemech.model.shapes import wheel
from particlemech.model.spec import Vector, direction, key, names, not_negative, place, positive, share, two
from particlemech.model.stops import Pressed
from particlemech.model.table_forms import flag

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

TOUCH = "touch"  # its one side


@dataclass(frozen=True, kw_only=True)
class Contact(Touching):
    """A circle or a point of one body that may touch a line or a circle of another: one pushes the other, or neither.

        gap >= 0,  normal >= 0,  one of them 0                  gap'+ = -restitution gap'- where they meet    (1)
        gap = side n.(Q - P) - radius                           on a line through P, n across it              (2)
        gap = |Q - P| - (r1 + r2), or |r1 - r2| - |Q - P|       on a circle, or inside one                    (3)

    With `friction` what slips along a line at the speed v is held back by mu(v) tanh(v/velocity) times `normal` while
    they touch; what rolls creeps, no faster than `velocity`.
    A line is left free on the side on which the second body is drawn. With a `stiffness` it gives way as a stop does.
    `normal`, a result, pushes them apart, and `gap` is how far they are apart.
    """

    dof = 3
    guides = True
    in_space = "in space take a spring, or a stop of a joint"
    bodies: tuple[str, ...] = key(names(2, 2), "the two bodies; the first has the line, if there is one")
    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"),
        "the centre of each, or a place on the line and the centre or point, names or numbers",
        dimension="length",
    )
    radii: tuple[float, float] | None = key(
        two(not_negative, "radii"), "of two circles; 0: a point", None, dimension="length"
    )
    internal: bool = key(flag, "the smaller circle is inside the larger", False)
    axis: tuple[float, float] | None = key(direction, "of the line, global in the drawing", None, dimension="any")
    radius: float = key(not_negative, "of the circle on a line; 0: a point", 0.0, dimension="length")
    restitution: float = key(share, "part of the speed with which they part again", 0.0, dimension="number")
    stiffness: float | None = key(
        positive, "of a line that gives way; default: it is rigid", None, dimension="stiffness"
    )
    damping: float = key(not_negative, "of a line that gives way", 0.0, dimension="damping")
    friction: Friction | None = friction_key("while it is closed: { mu }, on a line")

    def verify(self) -> None:
        """Check that it is a circle on a line or on a circle, with one law."""
        if (self.radii is None) == (self.axis is None):
            raise ModelError('it needs "radii" of two circles, or the "axis" of a line')
        if self.radii is None and self.internal:
            raise ModelError('key "internal" is for two circles')
        if self.radii is not None and self.radius != 0.0:
            raise ModelError('key "radius" is for a circle on a line; of two circles give "radii"')
        if self.radii is not None and self.reach <= 0.0:
            raise ModelError(f"circles of radii {self.radii[0]:g} and {self.radii[1]:g}: nothing is left between them")
        if self.stiffness is not None and self.radii is not None:
            raise ModelError('key "stiffness" is for a circle or a point on a line')
        if self.stiffness is None and self.damping != 0.0:
            raise ModelError('key "damping" belongs to a "stiffness"; a rigid contact has a "restitution"')
        if self.stiffness is not None and self.restitution != 0.0:
            raise ModelError('key "restitution" is for a rigid contact; one with a "stiffness" has a "damping"')

        if self.friction is None:
            return
        check_friction(self.friction, "", False)
        if self.radii is not None or self.stiffness is not None:
            raise ModelError('key "friction" is for a circle or a point on a rigid line; take it out')
        if self.friction.sticking:
            raise ModelError('key "sticking" is for joints that always touch; what slips here creeps: take it out')
        if self.friction.viscous > 0.0:
            raise ModelError('key "friction": "viscous" would act in flight too; take it out, or write a "damper"')

    def rubs(self, mechanism: Mechanism) -> tuple[tuple[Freedom, float, str], ...]:
        """Return along what it slips: where the circle touches, seen from the line."""
        x, y = self.axis or (1.0, 0.0)
        roll = self.radius if self._left(mechanism) >= 0.0 else -self.radius
        first, second = self.bodies
        return ((Freedom("slip", False, first, second, self.points[1], (x, y), roll), 1.0, second),)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that two circles have a line of centres as drawn."""
        if self.radii is not None and self.apart(mechanism) == 0.0:
            raise ModelError(f"the centres {said(self.points[0])} and {said(self.points[1])} are one place; move one")

    @property
    def held(self) -> bool:
        """Whether it holds now."""
        return bool(self.mode)

    @property
    def reach(self) -> float:
        """The distance of the centres of two circles that touch."""
        one, other = self.radii or (0.0, 0.0)
        return abs(one - other) if self.internal else one + other

    def height(self, mechanism: Mechanism) -> float:
        """Return how far the centre is from the line as drawn."""
        return abs(self._left(mechanism))

    def _left(self, mechanism: Mechanism) -> float:
        (px, py), (qx, qy) = self.drawn(mechanism)
        x, y = self.axis or (1.0, 0.0)
        return (x * (qy - py) - y * (qx - px)) / _tape.hypot(x, y)

    def across(self, mechanism: Mechanism) -> Vector:
        """Return the unit vector across the line, to the side on which the second body is drawn, else to the left."""
        x, y = self.axis or (1.0, 0.0)
        s = (-1.0 if self._left(mechanism) < 0.0 else 1.0) / _tape.hypot(x, y)
        return -s * y, s * x

    def sides(self, mechanism: Mechanism) -> tuple[OneSided, ...]:
        """Return where they touch."""
        law = None if self.stiffness is None else (self.stiffness, self.damping)
        return (OneSided(TOUCH, 1.0, self.restitution, law),)

    def pressed(self, side: str, mechanism: Mechanism) -> Pressed:
        """Return the force of a line that gives way, while it is pressed."""
        first, second = self.bodies
        of = Freedom("gap", False, first, second, self.points[1], self.across(mechanism))
        free = self.radius - self.height(mechanism)
        return Pressed(of=of, acting=Law(None, self.stiffness or 0.0, self.damping, free))

    def said(self, side: str, gap: float, mechanism: Mechanism) -> str:
        """Return how deep bodies start in each other, and what to do, in words."""
        unit, one, other = mechanism.unit.length, *self.bodies
        cure = "move one of them in the drawing or by [initial] position, or make it smaller"
        return f'"{one}" and "{other}" start {-gap:.3g} {unit} deep in each other; {cure}'

    def pushes(self, mechanism: Mechanism) -> int:
        """Return one: along the normal."""
        return 1

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return the force that pushes apart, and the gap."""
        return {"normal": ("normal",), "gap": ("gap",)}

    def measure(self, column: str, mechanism: Mechanism) -> str:
        """Return what a column shows."""
        return "position" if column == "gap" else "force"

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return both, (K,) each."""
        normal = np.sum(efforts, axis=1) + np.zeros(len(seen.t))
        A, B = self._ends(seen)
        if self.radii is not None:
            apart = np.linalg.norm(B - A, axis=1)
            return [normal, self.reach - apart if self.internal else apart - self.reach]
        u = seen.turned(self.bodies[0], np.array(self.across(seen.mechanism)))
        gap = np.sum(u * (B - A), axis=1) - self.radius
        if self.stiffness is not None:
            rate = seen.rate(self.pressed(TOUCH, seen.mechanism).of)
            force = -self.stiffness * gap - self.damping * rate
            normal = normal + np.where(gap < 0.0, np.maximum(force, 0.0), 0.0)
        return [normal, gap]

    def counted(self, drawn: Any) -> Contact:
        """Return the same contact: all it counts from are its points as they are drawn."""
        return replace(self)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the circles, or the circle or point and its line."""
        at = self.drawn(mechanism)
        if self.radii is not None:
            circles = zip(self.bodies, at, self.radii, strict=True)
            return tuple(Outline(part, body, wheel(c, radius)) for body, c, radius in circles if radius > 0.0)
        (x, y), (u, v) = at[0], self.axis or (1.0, 0.0)
        size, reach = hypot(u, v), max(4.0 * self.radius, 1.2 * self.apart(mechanism), 4.0 * r)
        ends = [(x + s * reach * u / size, y + s * reach * v / size) for s in (-1.0, 1.0)]
        rider: Any = Outline(part, self.bodies[1], wheel(at[1], self.radius)) if self.radius > 0.0 else None
        line = Strap(part, ((self.bodies[0], ends[0]), (self.bodies[0], ends[1])))
        return (rider or Pin(part, self.bodies[1], at[1]), line)
