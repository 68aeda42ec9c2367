"""Places and directions fixed on a body, as linear combinations of its two particles.

    C = Z1 + (a I + b K)(Z2 - Z1),   a = p.r3/|r3|^2,  b = (r3 x p)/|r3|^2,  p = C - Z1 as drawn       (1)
    u = (a I + b K)(Z2 - Z1)         for a direction, with p = u as drawn                             (2)

Velocities and accelerations follow by the same combination, without velocity products [A00] (7)-(9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from particlemech import _tape
from particlemech.engine.polynomials import Poly, Vec, dot
from particlemech.model.cams.lift import Contact
from particlemech.model.segments import Segment

Place = tuple[float, float]


class Affine(NamedTuple):
    """A body-fixed place (or direction) as numbers: a, b of (1) on a moving body, x, y on the ground."""

    body: int  # -1: ground
    a: float
    b: float
    x: float
    y: float


class Free(NamedTuple):
    """A free direction of a tree joint: the balance that holds there."""

    moment: bool  # moment about a place, or force along a direction
    on: Affine


@dataclass(frozen=True)
class Frame:
    """A body (or the ground) as the kinds see it; drawn places are relative to the computing origin."""

    body: int  # -1: ground
    drawn: tuple[Place, Place]  # particles as drawn

    def affine(self, p: Place) -> tuple[float, float]:
        """Return a, b of (2) for a drawn vector."""
        (x1, y1), (x2, y2) = self.drawn
        rx, ry = x2 - x1, y2 - y1
        d2 = rx * rx + ry * ry
        return (p[0] * rx + p[1] * ry) / d2, (rx * p[1] - ry * p[0]) / d2

    def at(self, place: Place) -> Affine:
        """Return a place as numbers."""
        if self.body < 0:
            return Affine(-1, 0.0, 0.0, *place)
        (x1, y1), _ = self.drawn
        return Affine(self.body, *self.affine((place[0] - x1, place[1] - y1)), 0.0, 0.0)

    def along(self, u: Place) -> Affine:
        """Return a direction as numbers."""
        if self.body < 0:
            return Affine(-1, 0.0, 0.0, *u)
        return Affine(self.body, *self.affine(u), 0.0, 0.0)

    def point(self, place: Place) -> Vec:
        """Return a place by (1)."""
        if self.body < 0:
            return Vec.constant(*place)
        c = self.at(place)
        return self._combined(c, 1.0 - c.a)

    def direction(self, u: Place) -> Vec:
        """Return a direction by (2)."""
        if self.body < 0:
            return Vec.constant(*u)
        c = self.along(u)
        return self._combined(c, -c.a)

    def turn(self, factor: float = 1.0) -> tuple[Swing, ...]:
        """Return the angle of the body since the drawing, times a factor; none of the ground."""
        if self.body < 0:
            return ()
        (x1, y1), (x2, y2) = self.drawn
        one, other = (Vec.variable(4 * self.body + k) for k in (0, 2))
        return (Swing(factor, other - one, (x2 - x1, y2 - y1), ((self.body, 1.0),)),)

    def _combined(self, c: Affine, first: float) -> Vec:
        """Return (1) or (2) written out; `first` is the factor of the same component of Z1.

        As sums of Poly the same four terms cost five times as long, half of the time that reactions take to set up.
        """
        x1, y1, x2, y2 = ((-1, 4 * self.body + k, 0) for k in range(4))
        return Vec(Poly({x1: first, x2: c.a, y2: -c.b, y1: c.b}), Poly({y1: first, y2: c.a, x2: c.b, x1: -c.b}))


class Touch(NamedTuple):
    """How a swing touches a cam, contours.py (1)."""

    contact: Contact
    lift: tuple[int, int]  # its segments, and where they end
    n: Vec  # normal of a flat face, linear in body coordinates
    e: Vec  # x axis of the cam
    drawn: tuple[float, float, float, float]  # both as drawn


class Swing(NamedTuple):
    """What a row holds besides its polynomial: c times the angle of a vector d, or times its strand, see turns.py.

    Or c times the gap of what touches a cam, d leading there from the centre of the cam.
    """

    c: float
    d: Vec  # linear in body coordinates
    drawn: Place  # d as drawn
    counter: tuple[tuple[int, float], ...] = ()  # at most two bodies and factors: the sum of their angles is near
    strand: bool = False
    rho: float = 0.0  # of a strand, m
    reel: float = 0.0  # 1/m, times the lengthening of a strand that is near too
    touch: Touch | None = None

    @property
    def length(self) -> float:
        """The length of a strand as drawn, m."""
        (x, y), rho = self.drawn, self.rho
        return _tape.sqrt(x * x + y * y - rho * rho)

    @property
    def angle(self) -> float:
        """The angle as drawn, rad: of d, or of the strand."""
        x, y = self.drawn
        angle = _tape.atan2(y, x)
        return angle - _tape.atan2(self.rho, self.length) if self.strand else angle

    def arms(self) -> tuple[list[tuple[int, int, float, float]], tuple[float, ...]]:
        """Return what each body coordinate adds to d, n and e, (coordinate, which, x, y), and what is left of them."""
        own: list[tuple[int, int, float, float]] = []
        left: list[float] = []
        for k, vector in enumerate((self.d, *((self.touch.n, self.touch.e) if self.touch else ()))):
            x, y = ({i: c for (_, i, _), c in part.terms.items()} for part in (vector.x, vector.y))
            left += [x.pop(-1, 0.0), y.pop(-1, 0.0)]
            own += [(z, k, x.get(z, 0.0), y.get(z, 0.0)) for z in sorted({*x, *y})]
        return own, tuple(left + [0.0] * (6 - len(left)))

    def times(self, factor: float) -> Swing:
        """Return a multiple."""
        return self._replace(c=self.c * factor)


class RowPoly(NamedTuple):
    """A constraint row as its kind writes it."""

    poly: Poly
    angle: bool = False  # dimensionless rather than a length
    swings: tuple[Swing, ...] = ()  # angles and strands that it holds besides


class Sides(NamedTuple):
    """What the file of a coupling sees: the two coordinates that it ties."""

    spec: Any
    first: At
    second: At


@dataclass(frozen=True)
class At:
    """What the file of a joint or driver sees of one edge: two frames, and where its places are."""

    first: Frame
    second: Frame
    spec: Any  # the joint, that of the driver, or the driver itself
    place: Callable[[str | Place, bool], Place]  # (point, on the second body) -> where it is fixed on that body
    drawn: Callable[[str | Place], Place]  # point -> where it is drawn
    middle: Place  # centre of mass of the joint's second body (of its first, if that is the ground)
    counter: Callable[[str], int]  # the index of any body, -1: ground
    signal: Callable[..., Poly]  # a form of the driver's motion, see signal_tables.FORMS, plus an offset
    curve: Callable[[tuple[Segment, ...]], tuple[int, int]]  # where segments that are no function of time lie

    def coordinate(self) -> tuple[Poly, tuple[Swing, ...]]:
        """Return the coordinate that `spec` is, as drawn: a polynomial, and angles of bodies."""
        if not self.spec.turn:
            return dot(self.first.direction(self.along()), self.gap()), ()
        return Poly.constant(0.0), (*self.second.turn(), *self.first.turn(-1.0))

    def seat(self) -> Place:
        """Return the drawn place of the kind's `point`, on the second body."""
        return self.place(self.spec.point, True)

    def along(self) -> Place:
        """Return the unit direction of the kind's line as drawn."""
        x, y = self.spec.axis
        return x / _tape.hypot(x, y), y / _tape.hypot(x, y)

    def gap(self) -> Vec:
        """Return Q - P: Q the kind's point on body 2, P the place in body 1 where Q is drawn."""
        return self.second.point(self.seat()) - self.first.point(self.drawn(self.spec.point))
