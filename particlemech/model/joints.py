"""Joints as users write them: frozen specs and their looks, no equations (those are in each formulation).

Gears and what else rolls are in gearing, cams in cams, what all have in common in joint.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import dist, hypot
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model.cams import Cam as Cam
from particlemech.model.contacts import Contact as Contact
from particlemech.model.freedom import Bond, Freedom
from particlemech.model.friction import Friction, friction_key
from particlemech.model.gearing import Belt as Belt
from particlemech.model.gearing import Gear as Gear
from particlemech.model.gearing import Rack as Rack
from particlemech.model.gearing import Rolling as Rolling
from particlemech.model.joint import JointSpec as JointSpec
from particlemech.model.joint import Rubs
from particlemech.model.primitives import (
    GROUND,
    End,
    Looks,
    Part,
    Pin,
    Place,
    Primitive,
    Rail,
    Rod,
    Slider,
    Tie,
    held,
    moving,
    track,
)
from particlemech.model.primitives import Slot as Slit
from particlemech.model.primitives import Weld as Seam
from particlemech.model.spec import (
    Vector,
    direction,
    key,
    kind_name,
    limits,
    name,
    names,
    number,
    place,
    positive,
    two,
)
from particlemech.model.stops import Stop as Stop
from particlemech.model.table_forms import flag

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class Revolute(JointSpec):
    """A pin: all its bodies share one point and turn freely about it."""

    dof = 1
    tree = 1.0
    moment = False
    rubs_at = "radius"
    point: str | Vector = key(
        place, "the point they share; each moving body must list it, unless it is two numbers", dimension="length"
    )
    bodies: tuple[str, ...] = key(names(2), "two or more bodies")
    limits: Any = key(
        limits, "[lower, upper] of its coordinate, checked after a run; of several: a table", None, dimension="freedom"
    )
    friction: Friction | None = friction_key("from its own load: { mu, radius }")

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The angle of the second body against the first; of more bodies one each, named by body."""
        first, *others = self.bodies
        if len(others) == 1:
            return (Freedom("angle", True, first, others[0]),)
        return tuple(Freedom(f"angle.{other}", True, first, other) for other in others)

    def keeps(self, mechanism: Mechanism) -> tuple[str, ...]:
        """Return its point, or the points that each of its bodies that lists them has at its place."""
        if isinstance(self.point, str):
            return (self.point,)
        listed = [(p, b) for b in self.bodies if b != GROUND for p in mechanism.bodies[b].points]
        apart = {p for p, b in listed if mechanism.place(p, b) != self.point}
        return tuple(dict.fromkeys(p for p, _ in listed if p not in apart))

    def bonds(self, mechanism: Mechanism) -> tuple[Bond, ...]:
        """Return a pin for any two of its bodies."""
        at = {body: complex(*mechanism.place(self.point, body)) for body in self.bodies}
        return tuple(Bond("pin", one, other, at[one], at[other]) for one, other in combinations(self.bodies, 2))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the pin, and what the ground holds it by."""
        body = moving(self.bodies)
        at = mechanism.place(self.point, body)
        return (Pin(part, body, at), *held(part, *((b, at) for b in self.bodies)))

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the pin."""
        return on, mechanism.place(self.point, on)


@dataclass(frozen=True, kw_only=True)
class _AlongLine(JointSpec):
    """A point of the second body moves along a line fixed in the first."""

    tree = 1000.0
    guides = True
    bodies: tuple[str, ...] = key(names(2, 2), "the line is fixed in the first, the point in the second")
    point: str | Vector = key(
        place,
        "a place of the second body, name or two numbers; the line passes through its start",
        dimension="length",
    )
    axis: tuple[float, float] = key(direction, "of the line, global in the drawing", dimension="any")
    limits: Any = key(
        limits, "[lower, upper] of its coordinate, checked after a run; of several: a table", None, dimension="freedom"
    )
    friction: Friction | None = friction_key("from its own load: { mu }; of a slide { mu, length }")

    @property
    def carriers(self) -> tuple[str, ...]:
        """The second body: the line is fixed in the first and carries no point of it."""
        return self.bodies[1:]

    @property
    def on_line(self) -> str | Vector:
        """A place on the line, as drawn."""
        return self.point

    def bonds(self, mechanism: Mechanism) -> tuple[Bond, ...]:
        """Return its line, and the angle that a slide holds besides."""
        line = Bond.on_line(self.freedoms[0], mechanism)
        return (Bond("turn", line.first, line.second), line) if self.moment else (line,)

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the present place of the point, on both bodies."""
        return self.bodies[1], mechanism.place(self.point, self.bodies[1])


@dataclass(frozen=True, kw_only=True)
class Prismatic(_AlongLine):
    """A slide: the second body moves along a line fixed in the first, without turning against it."""

    dof = 1
    moment = True
    rubs_at = "length"

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The travel of the second body along the line."""
        first, second = self.bodies
        return (Freedom("travel", False, first, second, self.point, self.axis),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the block and its rail, the slit in the body that guides it, or the rod of a cylinder."""
        first, second = self.bodies
        rider = self.seat(second, mechanism)
        guide: Primitive
        if first == GROUND:
            guide = Rail(part, first, *_line(self, mechanism, r), rider)
        elif (mouth := _mouth(self, mechanism, r)) is not None:
            guide = Rod(part, ((first, mouth), rider))
        else:
            guide = Slit(part, first, *_line(self, mechanism, r), rider)
        return (guide, Slider(part, second, rider[1], self.axis), *held(part, rider))


@dataclass(frozen=True, kw_only=True)
class Slot(_AlongLine):
    """A pin in a slot: a point of the second body moves along a line fixed in the first.

    One that starts `free` holds nothing until an event locks it: there the pin enters, and leaves where one frees it.
    """

    dof = 2
    moment = False
    free: bool = key(flag, "it holds only from where an event locks it to where one frees it", False)
    through: str | Vector | None = key(
        place, "of one that starts free: a place on its line; default: the point as drawn", None, dimension="length"
    )

    @property
    def tree(self) -> float | None:  # type: ignore[override]
        """Its rank in a spanning tree; what lets go cannot carry a body."""
        return None if self.free else 1000.0

    @property
    def on_line(self) -> str | Vector:
        """A place on the line, as drawn."""
        return self.point if self.through is None else self.through

    def verify(self) -> None:
        """Check that what goes with a start without the pin is said of such only."""
        if self.through is not None and not self.free:
            raise ModelError('key "through" is for a slot with free = true; else the line passes through the point')
        if self.free and self.friction is not None:
            raise ModelError('key "friction": a slot with free = true has none; take one of them out')

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions."""
        super().check(mechanism)
        mechanism.drawn(self.on_line)

    def takes(self, mechanism: Mechanism) -> int:
        """Return none where it holds for a while only."""
        return 0 if self.free else super().takes(mechanism)

    def bonds(self, mechanism: Mechanism) -> tuple[Bond, ...]:
        """Return its line, unless it starts free."""
        return () if self.free else super().bonds(mechanism)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The travel of the pin along the line, and the angle of the second body against the first."""
        first, second = self.bodies
        travel = Freedom("travel", False, first, second, self.point, self.axis)
        return (travel, Freedom("angle", True, first, second))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the slit and the pin in it."""
        rider = self.seat(self.bodies[1], mechanism)
        return (
            Slit(part, self.bodies[0], *_line(self, mechanism, r), None if self.free else rider),  # it may leave
            Pin(part, *rider),
            *held(part, rider),
        )


@dataclass(frozen=True, kw_only=True)
class Weld(JointSpec):
    """A rigid connection."""

    dof = 0
    tree = 0.001
    moment = True
    bodies: tuple[str, ...] = key(names(2), "two or more bodies")
    point: str | Vector | None = key(
        place,
        "where reactions are reported, name or two numbers; default: centre of mass of the second",
        None,
        dimension="length",
    )

    @property
    def carriers(self) -> tuple[str, ...]:
        """None: it only reports at its point."""
        return ()

    def bonds(self, mechanism: Mechanism) -> tuple[Bond, ...]:
        """Return what makes the drawings of all its bodies one."""
        return tuple(Bond(kind, self.bodies[0], other) for other in self.bodies[1:] for kind in ("turn", "pin"))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the seam, and what the ground holds it by."""
        body, at = self.seat(moving(self.bodies), mechanism)
        return (Seam(part, body, at), *held(part, *((b, at) for b in self.bodies)))

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the point, or the centre of mass of the second body (of the first, where that is the ground)."""
        if self.point is not None:
            return on, mechanism.place(self.point, on)
        second = self.bodies[1]
        return on, mechanism.centre(second if second != GROUND else self.bodies[0])


@dataclass(frozen=True, kw_only=True)
class Distance(JointSpec):
    """A massless rod between a point of each body, with a pin at either end.

    Pins that rub turn the rod's force N away from its line, as its balance asks, N sin(beta) = couples/length: it
    touches both friction circles, whose radii are mu radius.
    """

    dof = 2
    tree = None
    moment = False
    rubs_at = "radius"
    bodies: tuple[str, ...] = key(names(2, 2), "two bodies")
    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"), "one place on each, names or numbers", dimension="length"
    )
    length: float | None = key(positive, "default: the distance as drawn", None, dimension="length")
    friction: Friction | None = friction_key("of both pins, from the force in the rod: { mu, radius }")

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, that it has a length, and that the friction of its pins leaves a solution."""
        super().check(mechanism)
        for point, body in zip(self.points, self.bodies, strict=True):
            mechanism.carried(point, body)
        one, other = (mechanism.drawn(point) for point in self.points)
        if self.length is None and one == other:
            first, second = (f'"{p}"' if isinstance(p, str) else str(list(p)) for p in self.points)
            raise ModelError(f"points {first} and {second} are drawn at one place; give a length above zero")
        if self.friction is not None:
            self._check_friction(self.friction, mechanism)

    def _check_friction(self, of: Friction, mechanism: Mechanism) -> None:
        """Check that a line can touch both friction circles, and that what their couples turn has inertia."""
        both = 2.0 * max(of.mu, of.mu_static or 0.0) * (of.radius or 0.0)
        if both >= self.long(mechanism):
            raise ModelError(
                f'key "friction": its friction circles meet, 2 mu radius = {both:.4g}, and the rod is '
                f"{float(self.long(mechanism)):.4g} long: it jams in any pose; take a smaller radius or mu"
            )
        for body in self.bodies:
            others = (j for j in mechanism.joints.values() if j is not self and body in j.bodies)
            if body != GROUND and mechanism.inertia(body) == 0.0 and next(others, None) is None:
                raise ModelError(
                    f'key "friction": body "{body}" has no inertia that the couple of its pin could turn; give it an '
                    "inertia, or take the friction out"
                )

    def long(self, mechanism: Mechanism) -> float:
        """Return its length."""
        return self.length or dist(*(mechanism.drawn(point) for point in self.points))

    def rubs(self, mechanism: Mechanism) -> tuple[Rubs, ...]:
        """Return both pins: where the rod turns against either body."""
        first, second = self.bodies
        arm, long = 1.0 if self.friction is None else self.friction.radius or 1.0, self.long(mechanism)
        pins = (Freedom("angle", True, first, second, line=self.points, against=b, apart=long) for b in self.bodies)
        return tuple(Rubs(pin, arm, second) for pin in pins)

    def bonds(self, mechanism: Mechanism) -> tuple[Bond, ...]:
        """Return the bar."""
        p, q = (complex(*mechanism.place(point, b)) for point, b in zip(self.points, self.bodies, strict=True))
        return (Bond("bar", self.bodies[0], self.bodies[1], p, q, length=self.long(mechanism)),)

    def unnamed(self, body: str) -> tuple[Vector, ...]:
        """Return its place on a body, if that has no name."""
        ends = zip(self.bodies, self.points, strict=True)
        return tuple(p for b, p in ends if b == body and not isinstance(p, str))

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the rod with a pin at either end."""
        first, second = (self.seat(body, mechanism) for body in self.bodies)
        pins = [Pin(part, *end) for end in (first, second)]
        return (Rod(part, (first, second)), *pins, *held(part, first, second))

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the end of the rod."""
        return on, mechanism.place(self.points[self.bodies.index(on)], on)


@dataclass(frozen=True, kw_only=True)
class Coupling(JointSpec):
    """A fixed ratio of two coordinates of joints, as of gears, belts, or a rack and its pinion; turns are counted.

    The coordinate of the second joint is the ratio times that of the first, both since the drawing. Its effort, a
    result, works on the second coordinate, and minus the ratio times it on the first.
    """

    dof = 2
    tree = None
    moment = True
    bodies = ()  # those of its joints
    joints: tuple[str, str] = key(two(name, "joints"), "the two joints")
    coordinates: tuple[str, str] | None = key(
        two(name, "coordinates"), "which coordinate of each; may be left out where both have one", None
    )
    ratio: float = key(
        number, "coordinate of the second over that of the first, such as rad/rad or m/rad", dimension="any"
    )

    def takes(self, mechanism: Mechanism) -> int:
        """Return one."""
        return 1

    def verify(self) -> None:
        """Check that it couples something."""
        if self.ratio == 0.0:
            raise ModelError('key "ratio": must not be 0; to hold a coordinate, drive it with motion = 0')

    def check(self, mechanism: Mechanism) -> None:
        """Check joints and coordinates."""
        first, second = self.tied(mechanism)
        if self.joints[0] == self.joints[1] and first == second:
            raise ModelError(f'couples coordinate "{first.name}" of joint "{self.joints[0]}" to itself; name another')

    def tied(self, mechanism: Mechanism) -> tuple[Freedom, ...]:
        """Return the two coordinates."""
        which = (None, None) if self.coordinates is None else self.coordinates
        return tuple(mechanism.coordinate(joint, of) for joint, of in zip(self.joints, which, strict=True))

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment."""
        return self.tied(mechanism)[1].turn

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a dashed line between the joints."""
        ends = [
            mechanism.joints[joint].seat(moving((of.second, of.first)), mechanism)
            for joint, of in zip(self.joints, self.tied(mechanism), strict=True)
        ]
        return (Tie(part, (ends[0], ends[1])),)


KINDS: tuple[type[JointSpec], ...] = (
    Revolute, Prismatic, Slot, Weld, Distance, Coupling, Gear, Rack, Belt, Rolling, Cam, Stop, Contact
)  # fmt: skip
NAMES = {kind_name(kind): kind for kind in KINDS}


# -- parts of looks ------------------------------------------------------------------------------------------------


def _mouth(joint: Prismatic, mechanism: Mechanism, r: float) -> Place | None:
    """Return the end of the guiding body that is nearest to the block, where the block lies outside of it on its line.

    A cylinder and its rod are drawn by their ends: they hold together by a rod that comes out of this place.
    """
    body = joint.bodies[0]
    x, y = mechanism.drawn(joint.point)
    u, v = (c / hypot(*joint.axis) for c in joint.axis)
    places = mechanism.outline(body)
    ways = [(px - x) * u + (py - y) * v for px, py in places]
    if min(ways) <= r and max(ways) >= -r:
        return None
    mouth = places[min(range(len(ways)), key=lambda k: abs(ways[k]))]
    aside = abs((mouth[1] - y) * u - (mouth[0] - x) * v)
    return mouth if aside < 2.0 * r else None


def _line(joint: Prismatic | Slot, mechanism: Mechanism, r: float) -> tuple[Place, Place]:
    """Return the ends of the line of a slide: as far as the points of its body reach, a few r on the ground."""
    x, y = mechanism.drawn(joint.on_line)
    u, v = (c / hypot(*joint.axis) for c in joint.axis)
    reach = [-4.0 * r, 4.0 * r]
    if joint.bodies[0] != GROUND:
        places = (mechanism.points[p] for p in mechanism.bodies[joint.bodies[0]].points)
        reach += [0.9 * ((px - x) * u + (py - y) * v) for px, py in places]
    return track((x, y), joint.axis, min(reach), max(reach))
