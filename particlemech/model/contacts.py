"""Contacts: a circle, or a point, of one body on a line or a circle of another; they push and never pull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech import _tape
from particlemech.errors import ModelError
from particlemech.model.applied import Array, Quantities
from particlemech.model.forces import ForceSpec, Law, between
from particlemech.model.freedom import Freedom
from particlemech.model.friction import Friction, check_slipping, friction_key
from particlemech.model.gearing.touching import Touching, said, signed
from particlemech.model.joint import Rubs
from particlemech.model.one_sided import OneSided
from particlemech.model.primitives import Looks, Outline, Part, Pin, edge
from particlemech.model.shapes import wheel
from particlemech.model.spec import Vector, direction, key, names, not_negative, number, place, positive, share, two
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

    With `friction` what slips at the speed v is held back by mu(v) tanh(v/velocity) times `normal` while they touch;
    what rolls creeps, no faster than `velocity`. It is positive along the line, or to the left of that of the centres.
    A line is left free on the side on which the second body is drawn; between its `ends` it acts on what comes from
    there, and its corners are contacts with circles of radius 0. With a `stiffness` it gives way as a stop does.
    `normal`, a result, pushes them apart, and `gap` is how far they are apart.
    """

    dof = 3
    guides = True
    in_space = "contacts are for the plane; in space take a spring, or a stop of a joint"
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
    ends: tuple[float, float] | None = key(
        two(number, "numbers"),
        "of the line: from where to where along its axis, from the place on it",
        None,
        dimension="length",
    )
    radius: float = key(not_negative, "of the circle on a line; 0: a point", 0.0, dimension="length")
    restitution: float = key(share, "part of the speed with which they part again", 0.0, dimension="number")
    stiffness: float | None = key(
        positive, "of a contact that gives way; default: it is rigid", None, dimension="stiffness"
    )
    damping: float = key(not_negative, "of a contact that gives way", 0.0, dimension="damping")
    friction: Friction | None = friction_key("while it is closed: { mu }")

    def verify(self) -> None:
        """Check that it is a circle on a line or on a circle, with one law."""
        if (self.radii is None) == (self.axis is None):
            raise ModelError('it needs "radii" of two circles, or the "axis" of a line')
        if self.ends is not None and (self.axis is None or not self.ends[0] < self.ends[1]):
            raise ModelError('key "ends" is for a line: from where to where along its axis, in increasing order')
        if self.ends is not None and self.stiffness is not None:
            raise ModelError('key "ends" is for a rigid line; take it out, or the "stiffness"')
        if self.radii is None and self.internal:
            raise ModelError('key "internal" is for two circles')
        if self.radii is not None and self.radius != 0.0:
            raise ModelError('key "radius" is for a circle on a line; of two circles give "radii"')
        if self.radii is not None and self.reach <= 0.0:
            raise ModelError(f"circles of radii {self.radii[0]:g} and {self.radii[1]:g}: nothing is left between them")
        if self.stiffness is None and self.damping != 0.0:
            raise ModelError('key "damping" belongs to a "stiffness"; a rigid contact has a "restitution"')
        if self.stiffness is not None and self.restitution != 0.0:
            raise ModelError('key "restitution" is for a rigid contact; one with a "stiffness" has a "damping"')

        if self.friction is None:
            return
        check_slipping(self.friction)
        if self.stiffness is not None:
            raise ModelError('key "friction" is for a rigid contact; take it out, or the "stiffness"')
        if self.friction.viscous > 0.0:
            raise ModelError('key "friction": "viscous" would act in flight too; take it out, or write a "damper"')

    def rubs(self, mechanism: Mechanism) -> tuple[Rubs, ...]:
        """Return along what it slips: where the second circle touches, seen from the line or the first circle."""
        first, second = self.bodies
        if self.radii is not None:
            _, r2 = signed(self.radii, self.internal, self.reach)
            P, Q = self.points
            return (Rubs(Freedom("slip", False, first, second, Q, roll=-r2, centre=P), 1.0, second),)
        x, y = self.axis or (1.0, 0.0)
        roll = self.radius if self._left(mechanism) >= 0.0 else -self.radius
        return (Rubs(Freedom("slip", False, first, second, self.points[1], (x, y), roll), 1.0, second),)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that two circles have a line of centres as drawn."""
        if self.radii is not None and self.apart(mechanism) == 0.0:
            raise ModelError(f"the centres {said(self.points[0])} and {said(self.points[1])} are one place; move one")

    @property
    def curved(self) -> bool:
        """Whether its row tells the sign of its gap only."""
        return self.radii is not None

    def beyond(self, seen: Any) -> tuple[Array, Array]:
        """Return how far the centre stands beyond the ends of a line, below 0 between them, and its rate, (K,) each."""
        A, B = self._ends(seen)
        first, second = self.bodies
        of = Freedom("along", False, first, second, self.points[1], self.axis or (1.0, 0.0))
        s, rate, (low, high) = np.sum(seen.along(of) * (B - A), axis=1), seen.rate(of), self.ends or (-np.inf, np.inf)
        return np.maximum(low - s, s - high), np.where(low - s > s - high, -rate, rate)

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
        return (OneSided(TOUCH, 1.0, self.restitution, law, self.ends is not None),)

    def pressed(self, side: str, mechanism: Mechanism) -> ForceSpec:
        """Return the force of what gives way, while it is pressed; between centres it is that of a spring."""
        if self.radii is not None:
            return between(self.bodies, self.points, self.stiffness or 0.0, self.damping, self.reach)
        of = self._gap(mechanism)
        free = self.radius - self.height(mechanism)
        return Pressed(of=of, acting=Law(None, self.stiffness or 0.0, self.damping, free))

    def _gap(self, mechanism: Mechanism) -> Freedom:
        """Return the coordinate across the line."""
        first, second = self.bodies
        return Freedom("gap", False, first, second, self.points[1], self.across(mechanism))

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
        gap, rate = self.open_by(seen)
        if self.stiffness is not None:
            force = -self.stiffness * gap - self.damping * rate
            normal = normal + np.where(gap < 0.0, np.maximum(force, 0.0), 0.0)
        return [normal, gap]

    def yielding(self, seen: Any, force: Callable[[], Array]) -> tuple[tuple[str, Array], ...]:
        """Return what it exerts on both bodies while it gives way, (K, 2) each."""
        if self.stiffness is None:
            return ()
        A, B = self._ends(seen)
        if self.radii is None:
            u = seen.turned(self.bodies[0], np.array(self.across(seen.mechanism)))
        else:
            apart = np.linalg.norm(B - A, axis=1, keepdims=True)
            u = (-1.0 if self.internal else 1.0) * (B - A) / np.where(apart > 0.0, apart, 1.0)
        push = force()[:, None] * u
        return (self.bodies[0], -push), (self.bodies[1], push)

    def open_by(self, seen: Any) -> tuple[Array, Array]:
        """Return the gap (2) or (3) and its rate, (K,) each."""
        A, B = self._ends(seen)
        if self.radii is None:
            u = seen.turned(self.bodies[0], np.array(self.across(seen.mechanism)))
            return np.sum(u * (B - A), axis=1) - self.radius, seen.rate(self._gap(seen.mechanism))
        sign, apart = -1.0 if self.internal else 1.0, np.linalg.norm(B - A, axis=1)
        one, other = (
            seen.velocity_on(b, seen.mechanism.place(p, b)) for b, p in zip(self.bodies, self.points, strict=True)
        )
        rate = np.sum((B - A) * (other - one), axis=1) / np.where(apart > 0.0, apart, 1.0)
        return sign * (apart - self.reach), sign * rate

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
        one, other = ((x + s * u / size, y + s * v / size) for s in self.ends or (-reach, reach))
        rider: Any = Outline(part, self.bodies[1], wheel(at[1], self.radius)) if self.radius > 0.0 else None
        out = self.across(mechanism)
        line = edge(part, self.bodies[0], one, other, (-out[0], -out[1]))
        return (rider or Pin(part, self.bodies[1], at[1]), line)
