"""Cams as users write them: a follower that is a roller, a flat face or a knife edge, and slides or swings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import acos, atan2, cos, degrees, hypot, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.contours import ARM, FACE, OFFSET, PLAIN
from particlemech.errors import ModelError
from particlemech.model.applied import Array, Quantities
from particlemech.model.cams import looks, rubbing
from particlemech.model.cams.curves import around
from particlemech.model.cams.lift import SMOOTH, Contact, Piece, based, curve, moves
from particlemech.model.cams.marks import Marks, marked
from particlemech.model.cams.profile import Spot, makeable, pressure, spot
from particlemech.model.freedom import Freedom
from particlemech.model.friction import Friction, friction_key
from particlemech.model.gearing.forms import several
from particlemech.model.gearing.holders import FITS, holding, sliding
from particlemech.model.gearing.touching import Touching, said
from particlemech.model.joint import Rubs
from particlemech.model.one_sided import OneSided
from particlemech.model.primitives import Looks, Part
from particlemech.model.programs import LAWS
from particlemech.model.spec import (
    Vector,
    choice,
    direction,
    key,
    names,
    numbers,
    place,
    positive,
    sequence,
    share,
    two,
    vector,
)
from particlemech.model.table_forms import flag

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

TURN = 2.0 * pi
CONTACT = "contact"  # its side
CLOSE = 1e-3  # of the distance: by so much a follower may be drawn off a contour of points; it is brought to it


def laws(value: Any) -> tuple[str, ...]:
    """One of the laws of motion or "smooth", or one for each move."""
    one = choice(*LAWS, SMOOTH)
    return (one(value),) if isinstance(value, str) else tuple(one(v) for v in sequence(value))


@dataclass(frozen=True, kw_only=True)
class Cam(Touching):
    """A cam and its follower: a roller, a flat face or a knife edge, on a profile of a law of motion or of points.

    As drawn the lift is 0 and the cam at the angle 0; the base circle is as drawn. Its force, a result, acts on the
    follower where it touches, along the common normal, positive where it pushes. With closure = "force" it only
    pushes: in a run the follower lifts off where the force would pull, flies and lands.
    """

    in_space = "cams are for the plane"
    bodies: tuple[str, ...] = key(names(2, 2), "the cam and its follower")
    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"),
        "the centre of the cam; that of the roller, the edge, or a place on the flat face",
        dimension="length",
    )
    follower: str = key(choice("roller", "flat", "knife"), '"roller", "flat" or "knife"', "roller")
    radius: float | None = key(positive, "of the roller", None, dimension="length")
    axis: tuple[float, float] | None = key(
        direction, "of a follower that slides, away from the cam; global in the drawing", None, dimension="any"
    )
    pivot: str | Vector | None = key(place, "of a follower that swings, name or numbers", None, dimension="length")
    face: tuple[float, float] | None = key(
        direction, "along a flat face as drawn; default: across the axis, or through the pivot", None, dimension="any"
    )
    angles: tuple[float, ...] | None = key(
        numbers, "of the cam at the end of each move, increasing, the last a full turn", None, dimension="angle"
    )
    lift: tuple[float, ...] | None = key(
        numbers, "away from the cam at these angles, the last 0; of a follower that slides", None, dimension="length"
    )
    swing: tuple[float, ...] | None = key(
        numbers, "the same of a follower that swings: its angle away from the cam, rad", None, dimension="angle"
    )
    law: tuple[str, ...] = key(
        laws, f'of all moves, or one of each: {", ".join(LAWS)}; or "smooth": one curve through all', ("cycloidal",)
    )
    clockwise: bool = key(flag, "the angles count clockwise", False)
    curve: tuple[Vector, ...] | None = key(
        several(vector, 8, "places"), "in place of a lift: points of the contour as drawn", None, dimension="length"
    )
    closure: str = key(choice("form", "force"), '"form": held on both sides; "force": may lift off', "form")
    restitution: float = key(share, "part of the speed with which it leaves where it lands", 0.0, dimension="number")

    friction: Friction | None = friction_key("along the profile: { mu }; of a roller on its pin: { mu, radius }")

    profiled = True
    guides = True
    mode = (CONTACT,)  # a run with closure = "force" sets another

    # -- what is said ------------------------------------------------------------------------------------------

    def verify(self) -> None:
        """Check that it has one profile."""
        if self.friction is not None:
            rubbing.check(self)
        if self.restitution and self.closure == "form":
            raise ModelError('key "restitution" goes with closure = "force"; a follower held on both sides never lands')
        if (self.follower == "roller") != (self.radius is not None):
            raise ModelError('key "radius" is that of a roller; give it with follower = "roller", and with no other')
        if self.face is not None and self.follower != "flat":
            raise ModelError('key "face" is for follower = "flat"')
        if self.axis is not None and self.pivot is not None:
            raise ModelError('keys "axis" and "pivot": a follower slides or it swings; keep one of them')
        profiles = [word for word in ("lift", "swing", "curve") if getattr(self, word) is not None]
        if len(profiles) != 1:
            raise ModelError('it needs one of the keys "lift", "swing" and "curve"; give one')
        if self.curve is not None:
            if self.follower == "flat" and (self.face, self.axis, self.pivot) == (None, None, None):
                raise ModelError('key "face" is missing; give the direction along the face as drawn')
            if self.angles is not None or self.clockwise:
                raise ModelError('keys "angles" and "clockwise" go with a lift; points of a contour need none')
            return
        needed, word = ("axis", "slides") if self.lift is not None else ("pivot", "swings")
        if getattr(self, needed) is None:
            raise ModelError(f'key "{needed}" is missing: "{profiles[0]}" is that of a follower that {word}')
        self._verify_course(profiles[0])

    @property
    def heights(self) -> tuple[float, ...]:
        """The lift or swing at the end of each move."""
        return (self.lift if self.lift is not None else self.swing) or ()

    def _verify_course(self, word: str) -> None:
        angles = self.angles or ()
        if not angles or len(angles) != len(self.heights):
            raise ModelError(
                f'keys "angles" and "{word}" need the same length, got {len(angles)} and {len(self.heights)}'
            )
        for one, other in pairwise((0.0, *angles)):
            if not one < other:
                raise ModelError(f'key "angles": must increase from 0, got {other:g} after {one:g} rad')
        if abs(angles[-1] - TURN) > FITS * TURN or abs(self.heights[-1]) > FITS * max(map(abs, self.heights)):
            raise ModelError(
                f"the {word} does not close: at the last angle, {degrees(angles[-1]):.6g} deg, it is "
                f"{self.heights[-1]:g}; let the last angle be 360 deg and the {word} there 0"
            )
        if len(self.law) not in (1, len(angles)) or (SMOOTH in self.law and len(self.law) > 1):
            raise ModelError(f'key "law": one of all moves, or {len(angles)}, one of each, got {len(self.law)}')
        if SMOOTH in self.law and len(angles) < 4:
            raise ModelError(f'law "smooth" needs 4 or more angles, got {len(angles)}')

    def _pieces(self) -> list[Piece]:
        """Return the lift over one turn."""
        angles, heights = (*(self.angles or ())[:-1], TURN), (*self.heights[:-1], 0.0)
        if SMOOTH in self.law:
            return curve((0.0, *angles[:-1]), (0.0, *heights[:-1]))
        return moves(self.law * len(angles) if len(self.law) == 1 else self.law, angles, heights)

    # -- the drawing -------------------------------------------------------------------------------------------

    def contact(self, drawn: Callable[[Any], Vector]) -> Contact:
        """Return how they touch, from where points are drawn."""
        (px, py), (qx, qy) = (drawn(p) for p in self.points)
        d = qx - px, qy - py
        if self.curve is not None:
            relative = tuple((x - px, y - py) for x, y in (drawn(p) for p in self.curve))
            own = around(relative, self.radius or 0.0, self.follower == "flat")
            return Contact(self.follower == "flat", PLAIN, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0, own)
        sense = -1.0 if self.clockwise else 1.0
        if self.pivot is not None:
            fx, fy = drawn(self.pivot)
            return (self._face_swings if self.follower == "flat" else self._arm)(d, (fx - px, fy - py), sense)
        x, y = self.axis or (0.0, 0.0)
        u = x / hypot(x, y), y / hypot(x, y)
        return (self._face_slides if self.follower == "flat" else self._slides)(d, u, sense)

    def _made(self, form: int, p: float, arm: float, c: float, side: float, more: tuple[Any, ...]) -> Contact:
        """Return a contact whose lift is 0 as drawn; `more` are sense, alpha, A as drawn and what a lift counts."""
        sense, alpha, A, unit = more
        return Contact(self.follower == "flat", form, p, arm, c, side, sense, alpha, based(self._pieces(), A, unit))

    def _slides(self, d: Vector, u: Vector, sense: float) -> Contact:
        A, p = u[0] * d[0] + u[1] * d[1], u[0] * d[1] - u[1] * d[0]
        if A <= 0.0:
            raise ModelError(
                f"the axis {list(self.axis or ())} leads {said(self.points[1])} towards the centre "
                f"{said(self.points[0])}; turn it round, or move the follower"
            )
        alpha = atan2(u[1], u[0])
        if abs(p) <= 1e-12 * A:
            return self._made(PLAIN, 1.0, 1.0, 1.0, 1.0, (sense, alpha, A, 1.0))
        return self._made(OFFSET, p, 1.0, 1.0, 1.0, (sense, alpha, A, 1.0))

    def _arm(self, d: Vector, pivot: Vector, sense: float) -> Contact:
        c, arm, x = hypot(*pivot), hypot(d[0] - pivot[0], d[1] - pivot[1]), hypot(*d)
        across = pivot[0] * d[1] - pivot[1] * d[0]
        if abs(across) <= FITS * c * x:
            raise ModelError(
                f"pivot, centre and {said(self.points[1])} lie on one line, where the cam cannot move its follower; "
                "move the pivot"
            )
        A = arm * acos((c * c + arm * arm - x * x) / (2.0 * c * arm))
        side = 1.0 if across > 0.0 else -1.0
        return self._made(ARM, 0.0, arm, c, side, (sense, atan2(pivot[1], pivot[0]), A, arm))

    def _normal(self, d: Vector, along: Vector) -> Vector:
        """Return the normal of the face, away from the cam."""
        x, y = self.face or along
        size = hypot(x, y)
        n = -y / size, x / size
        h = n[0] * d[0] + n[1] * d[1]
        if abs(h) <= FITS * hypot(*d) or size == 0.0:
            raise ModelError("its face passes through the centre of the cam; draw it farther away")
        return n if h > 0.0 else (-n[0], -n[1])

    def _face_slides(self, d: Vector, u: Vector, sense: float) -> Contact:
        n = self._normal(d, (-u[1], u[0]))
        lean = n[0] * u[0] + n[1] * u[1]
        if lean <= 0.0:
            raise ModelError(f"the axis {list(self.axis or ())} leads the face towards the cam; turn it round")
        A = (n[0] * d[0] + n[1] * d[1]) / lean
        return self._made(PLAIN, 1.0 / lean, 1.0, 1.0, 1.0, (sense, atan2(n[1], n[0]), A, 1.0))

    def _face_swings(self, d: Vector, pivot: Vector, sense: float) -> Contact:
        n, c = self._normal(d, (d[0] - pivot[0], d[1] - pivot[1])), hypot(*pivot)
        p = n[0] * (d[0] - pivot[0]) + n[1] * (d[1] - pivot[1])
        x, aside = n[0] * d[0] + n[1] * d[1], pivot[0] * n[1] - pivot[1] * n[0]
        if abs(aside) <= FITS * c:
            raise ModelError("the normal of its face points to the pivot, so the cam cannot move it; move the pivot")
        side = 1.0 if aside > 0.0 else -1.0
        A = -c * acos((x - p) / c)
        return self._made(FACE, p, 1.0, c, side, (sense, atan2(pivot[1], pivot[0]), A, c))

    def normal(self, mechanism: Mechanism) -> Vector:
        """Return the normal of a flat face as drawn, away from the cam."""
        return self.normal_of(mechanism.drawn)

    def normal_of(self, drawn: Callable[[Any], Vector]) -> Vector:
        """Return the same, from where points are drawn."""
        (px, py), (qx, qy) = (drawn(p) for p in self.points)
        d, along = (qx - px, qy - py), (0.0, 0.0)
        if self.axis is not None:
            along = -self.axis[1], self.axis[0]
        elif self.pivot is not None:
            fx, fy = drawn(self.pivot)
            along = qx - fx, qy - fy
        return self._normal(d, along)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that its profile can be made, and that its follower is guided as the lift says."""
        if self.pivot is not None:
            mechanism.drawn(self.pivot)
        contact = self.contact(mechanism.drawn)
        makeable(contact, self.radius or 0.0)
        if self.friction is not None and self.friction.stribeck is not None:
            (nx, ny), (x, y) = self.normal(mechanism), self.axis or (1.0, 0.0)
            if abs(nx * y - ny * x) > FITS * hypot(x, y):
                raise ModelError('key "friction": "stribeck" is for a face that is square to the axis; take it out')
        if self.curve is not None:
            return self._on_curve(mechanism, contact)
        (cam, follower), P = self.bodies, self.drawn(mechanism)[0]
        guides = (
            sliding(mechanism, follower, self.axis)
            if self.axis is not None
            else holding(mechanism, follower, mechanism.drawn(self.pivot))
        ) - {follower}
        if not holding(mechanism, cam, P) & guides:
            how = "guides the follower along its axis" if self.axis is not None else "holds the follower at its pivot"
            raise ModelError(
                f'no body holds "{cam}" at its centre {said(self.points[0])} and {how}; join both to one body, or give '
                "the contour by points"
            )

    def _on_curve(self, mechanism: Mechanism, contact: Contact) -> None:
        x, phi = self.polar(mechanism)
        wanted = contact.lift(phi)[0]
        if abs(x - wanted) > CLOSE * x:
            what = f"the face through {said(self.points[1])}" if contact.flat else said(self.points[1])
            raise ModelError(
                f"not in contact as drawn: {what} is {x:.9g} from the centre {said(self.points[0])}, where the contour "
                f"asks for {wanted:.9g}; move one of them"
            )

    def polar(self, mechanism: Mechanism) -> tuple[float, float]:
        """Return x and phi of contours.py (1) as drawn."""
        P, Q = self.drawn(mechanism)
        d = Q[0] - P[0], Q[1] - P[1]
        if self.follower != "flat":
            return hypot(*d), atan2(d[1], d[0])
        n = self.normal(mechanism)
        return n[0] * d[0] + n[1] * d[1], atan2(n[1], n[0])

    # -- touching and leaving ----------------------------------------------------------------------------------

    @property
    def holds(self) -> bool:
        """Whether its row holds now."""
        return self.closure == "form" or CONTACT in self.mode

    def takes(self, mechanism: Mechanism) -> int:
        """Return one while it holds."""
        return int(self.holds)

    def sides(self, mechanism: Mechanism) -> tuple[OneSided, ...]:
        """Return the side from which it pushes, if that is all it does."""
        return (OneSided(CONTACT, 1.0, self.restitution),) if self.closure == "force" else ()

    def said(self, side: str, gap: float, mechanism: Mechanism) -> str:
        """Return how far the follower is inside the cam, and what to do, in words."""
        return (
            f"its follower starts {-gap:.3g} {mechanism.unit.length} inside the cam; move the start by [initial] "
            "position, or turn the cam there"
        )

    # -- results -----------------------------------------------------------------------------------------------

    def pushes(self, mechanism: Mechanism) -> int:
        """Return one: along the common normal."""
        return 1

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return the force, the pressure angle if the follower is guided, the radius of curvature, the gap if any."""
        guided = self.axis is not None or self.pivot is not None
        found = ("force", *(["pressure_angle"] if guided else []), "curvature_radius")
        return {word: (word,) for word in (*found, *(["gap"] if self.closure == "force" else []))}

    def measure(self, column: str, mechanism: Mechanism) -> str:
        """Return what a column shows."""
        return {"force": "force", "pressure_angle": "angle"}.get(column, "position")

    def _seen_from_cam(self, contact: Contact, seen: Any) -> tuple[Array, Array, Array]:
        """Return x and phi of contours.py (1), (K,), and the way from centre to follower, (K, 2)."""
        cam, follower = self.bodies
        P, Q = self._ends(seen)
        n = seen.turned(follower, np.array(self.normal(seen.mechanism))) if contact.flat else Q - P
        d, e = Q - P, seen.turned(cam, np.array((1.0, 0.0)))
        x = np.sum(n * d, axis=1) if contact.flat else np.linalg.norm(d, axis=1)
        return x, np.arctan2(n[:, 1], n[:, 0]) - np.arctan2(e[:, 1], e[:, 0]), d

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return these quantities, (K,) each.

        The multiplier of contours.py (1) times the length of its gradient is the force.
        """
        contact = self.contact(seen.mechanism.drawn)
        x, phi, _ = self._seen_from_cam(contact, seen)
        factor, gaps, spots = np.empty(len(x)), np.empty(len(x)), []
        for k, (xk, pk) in enumerate(zip(x.tolist(), phi.tolist(), strict=True)):
            gaps[k], by_x, by_phi, *_ = contact.gap(xk, pk)
            factor[k] = by_x if contact.flat else hypot(by_x, by_phi / xk)
            way = contact.way(xk)
            spots.append(spot(contact, self.radius or 0.0, contact.sense * (contact.alpha + way[3] - pk)))
        found = [efforts[:, 0] * factor]
        if self.axis is not None or self.pivot is not None:
            found.append(self._pressed_at(seen, spots))
        return [*found, np.array([s.radius for s in spots]), *([gaps] if self.closure == "force" else [])]

    def _pressed_at(self, seen: Any, spots: list[Spot]) -> Array:
        """Return the pressure angle: between the normal and the way of the follower there, (K,)."""
        m, (cam, follower) = seen.mechanism, self.bodies
        turn = seen.angle(cam)
        P, Q = self._ends(seen)
        normal = np.array([_turned(s.normal, a) for s, a in zip(spots, turn.tolist(), strict=True)])
        if self.axis is not None:
            way = seen.turned(follower, np.array(self.axis))
        else:
            at = P + np.array([_turned(s.at, a) for s, a in zip(spots, turn.tolist(), strict=True)]).reshape(-1, 2)
            arm = (at if self.follower == "flat" else Q) - seen.place_on(follower, m.drawn(self.pivot))
            way = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        return np.array([pressure(n, w) for n, w in zip(normal.tolist(), way.tolist(), strict=True)])

    @property
    def rubbed(self) -> Friction | None:
        """Its friction as that of what slips along the profile."""
        return None if self.friction is None else rubbing.slipping(self.friction, self.radius)

    @property
    def sized(self) -> str:
        """The size of its friction: the radius of the pin of a roller."""
        return "" if self.radius is None else "radius"

    def rubs(self, mechanism: Mechanism) -> tuple[Rubs, ...]:
        """Return along what it slips: across the common normal."""
        (first, second), (P, Q), contact = self.bodies, self.points, self.contact(mechanism.drawn)
        n = self.normal(mechanism) if contact.flat else (1.0, 0.0)
        slip = Freedom("slip", False, first, second, Q, n, self.radius or 0.0, centre=P, profile=contact)
        return (Rubs(slip, 1.0, second),)

    def passing(self, seen: Any) -> tuple[Array, Array]:
        """Return u of contours.py (1), (K,), rad, and how fast it grows, rad/s, but for the sway of its guide."""
        (cam, follower), contact = self.bodies, self.contact(seen.mechanism.drawn)
        x, phi, d = self._seen_from_cam(contact, seen)
        if contact.flat:
            around = seen.omega(follower)
        else:
            ends = zip(self.bodies, self.points, strict=True)
            one, other = (seen.velocity_on(b, seen.mechanism.place(p, b)) for b, p in ends)
            v = other - one
            around = (d[:, 0] * v[:, 1] - d[:, 1] * v[:, 0]) / np.sum(d * d, axis=1)
        leads = np.array([contact.way(xk)[3] for xk in x.tolist()])
        u = contact.sense * (contact.alpha + leads - phi)
        return u, contact.sense * (seen.omega(cam) - around)

    def lobes(self, mechanism: Mechanism) -> Marks:
        """Return where its lift is highest and lowest."""
        return marked(self.contact(mechanism.drawn).pieces)

    def one_sided(self, mechanism: Mechanism) -> bool:
        """Whether only a force holds its follower down."""
        return self.closure == "force"

    def warned(self, t: Array, found: Mapping[str, Array], opened: Sequence[float]) -> list[str]:
        """Say when the follower lifts off first."""
        if not opened:
            return []
        return [f"the follower lifts off at t = {opened[0]:.4g} s; press it down harder, or turn the cam more slowly"]

    # -- looks -------------------------------------------------------------------------------------------------

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the profile on the cam, and the roller, face or edge on its follower."""
        return looks.looks(self, part, mechanism, r)


def _turned(place: Vector, angle: float) -> Vector:
    c, s = cos(angle), sin(angle)
    return c * place[0] - s * place[1], s * place[0] + c * place[1]
