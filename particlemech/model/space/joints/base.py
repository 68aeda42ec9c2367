"""What every joint in space offers: how it is called, what it leaves free, and which places it keeps common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from particlemech.errors import ModelError, suggestion
from particlemech.model.applied import Quantities
from particlemech.model.description import GROUND
from particlemech.model.friction import Friction, friction_key
from particlemech.model.friction import check as check_friction
from particlemech.model.one_sided import Holding
from particlemech.model.primitives import Course, End, Looks, Part, Pin, Push, Rail, Turn, held, track
from particlemech.model.space.joints.surfaces import Surface
from particlemech.model.spec import (
    FrozenMapping,
    Spec,
    Vector3,
    choice,
    direction3,
    key,
    limits,
    names,
    not_negative,
    place3,
    positive,
    unit,
)

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

BODIES = "two bodies, one of which may be the ground; the second moves against the first"
POINT = "where it is, in the drawing: the name of a point, or three numbers"
SAME = 1e-9  # distance from a line, as a fraction of the distance from a point on it


class Stage(NamedTuple):
    """One scalar motion of a joint: a translation along an axis or a rotation about it.

    The axis is fixed in the frame that the stages before have produced; it is written in the axes of the drawing, where
    all coordinates are zero and all frames parallel.
    """

    turn: bool  # a rotation, rad; otherwise a translation, in the model's length
    axis: Vector3  # a unit vector
    name: str  # of the coordinate

    @property
    def back(self) -> Stage:
        """The same motion as the first body makes it against the second."""
        x, y, z = self.axis
        return self._replace(axis=(-x, -y, -z))


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# dextral 1-2-3 angles: S = R1(angle1) R2(angle2) R3(angle3) [P72] (1.18)
ANGLES = (Stage(True, X, "angle1"), Stage(True, Y, "angle2"), Stage(True, Z, "angle3"))
INTEGRATED = choice("quaternion", "angles")  # forms of turning in all directions


class JointSpec(Holding, Spec):
    """Base of the joints in space: what they leave free, by name, and what they hold together.

    Coordinates are those of the second body against the first, zero in the drawing: "angle" about the axis, by the
    right hand, "travel" along it; several angles and displacements have names of their own.
    """

    dof: ClassVar[int]  # freedoms left between its two bodies
    tree: ClassVar[float | None]  # what it costs as an edge of a spanning tree; None: it never is one
    coordinate_names: ClassVar[tuple[str, ...]] = ()  # in the order of lists of their values
    spherical: ClassVar[bool] = False  # its last three coordinates are the 1-2-3 angles of turning in any direction
    sizes: ClassVar[tuple[str, ...]] = ()  # of its friction
    surfaces: ClassVar[tuple[Surface, ...]] = ()  # where it rubs
    friction: Friction | None = None  # of kinds that rub
    bodies: tuple[str, ...]

    def measure(self, column: str, mechanism: Mechanism) -> str:
        """Return what a column of its quantities shows."""
        return "force"

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return what `result.force` gives of it, and how the columns end."""
        return {}

    @property
    def stages(self) -> tuple[Stage, ...] | None:
        """The motions of the second body against the first, in the order in which they act; None: not in stages."""
        return None

    @property
    def complete(self) -> bool:
        """Whether its stages are its coordinates, one by one: no row ties them, and none is without a name."""
        return tuple(stage.name for stage in self.stages or ()) == self.coordinate_names and self.stages is not None

    @property
    def quaternion(self) -> bool:
        """Whether turning in all directions is integrated as a quaternion, not as 1-2-3 angles."""
        return False

    @property
    def bounds(self) -> Mapping[str, tuple[float, float]]:
        """Lower and upper limits of coordinates, by name."""
        return FrozenMapping()

    @property
    def first(self) -> str:
        """The body that reacts."""
        return self.bodies[0]

    @property
    def second(self) -> str:
        """The body whose motion counts, and on which efforts act."""
        return self.bodies[1]

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and what depends on the parts it joins."""
        for body in self.bodies:
            mechanism.known_body(body)
        self.place(mechanism)
        for name in self.bounds:
            if name not in self.coordinate_names:
                raise ModelError(f'key "limits": no coordinate "{name}"{suggestion(name, self.coordinate_names)}')
        if self.friction is not None:
            fits, *besides = self.sizes
            check_friction(self.friction, fits, fits == "radius", tuple(besides))
            if self.friction.sticking:
                self._check_sticking()

    def slides(self, mechanism: Mechanism) -> str:
        """Return the coordinate along which it sticks and slips."""
        return self.surfaces[0].stages[-1]

    def _check_sticking(self) -> None:
        """Check that it can come to rest as an event."""
        if self.dof != 1:
            raise ModelError(
                'key "sticking": in space for "revolute", "prismatic" and "screw", which slide along one coordinate; '
                "with several it is open in which direction friction at rest works; take it out"
            )
        if getattr(self, "drive", None) is not None:
            raise ModelError('key "sticking" does not go with a "drive"; put a "rotor" on a body of its own')

    def place(self, mechanism: Mechanism) -> Vector3:
        """Return the point of the joint, in the drawing, length."""
        return self.seated(self.second, mechanism)

    def seated(self, body: str, mechanism: Mechanism) -> Vector3:
        """Return the point of the joint; by default where one of its bodies is carried, or its centre of mass."""
        point: str | Vector3 | None = self.point  # type: ignore[attr-defined]
        if point is None and body != GROUND and mechanism.bodies[body].bends:
            return mechanism.line(body)[0]
        return mechanism.place(point, body)

    def takes(self, mechanism: Mechanism) -> int:
        """Return how many freedoms it takes."""
        return 6 - self.dof

    def between(self, mechanism: Mechanism) -> tuple[str, ...]:
        """Return the two bodies that it acts between by itself: the ground twice where it ties other joints."""
        return self.bodies or (GROUND, GROUND)

    def keeps(self, place: Vector3, mechanism: Mechanism) -> bool:
        """Whether a place fixed on one body, in the drawing, is fixed on the other as well."""
        return False

    def acted(self, part: Part, mechanism: Mechanism, coordinate: str, value: Course | None = None) -> Looks:
        """Return the arrow of an effort about or along the axis of a coordinate, on the second body."""
        for k, stage in enumerate(self.stages or ()):
            if stage.name == coordinate:
                found = self.fixed(k)
                shown = Turn if stage.turn else Push
                seat = self.seat(self.second, mechanism)
                return () if found is None else (shown(part, *seat, value, found[1], found[0]),)
        return ()

    def fixed(self, stage: int) -> End | None:
        """Return the body in which the axis of a stage is fixed, and the axis; None between two rotations."""
        stages = self.stages or ()
        axis = stages[stage].axis
        if not any(s.turn for s in stages[:stage]):
            return self.first, axis
        return None if any(s.turn for s in stages[stage + 1 :]) else (self.second, axis)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return where its reaction acts on one of its bodies: a frame, and a place in it."""
        return self.second, self.place(mechanism)


@dataclass(frozen=True, kw_only=True)
class Limited(JointSpec):
    """Base of the joints that have coordinates, which may have limits."""

    limits: tuple[float, float] | Mapping[str, tuple[float, float]] | None = key(
        limits,
        "lower and upper, rad or length; of several coordinates a table of both by name",
        None,
        dimension="freedom",
    )

    @property
    def bounds(self) -> Mapping[str, tuple[float, float]]:
        """Lower and upper limits of coordinates, by name."""
        if self.limits is None or isinstance(self.limits, Mapping):
            return self.limits or FrozenMapping()
        return FrozenMapping({self.coordinate_names[0]: self.limits})

    def verify(self) -> None:
        """Check that limits of several coordinates say which."""
        if isinstance(self.limits, tuple) and len(self.coordinate_names) > 1:
            known = ", ".join(self.coordinate_names)
            raise ModelError(
                f'key "limits": the joint has several coordinates ({known}); write {{ NAME = [lower, upper] }}'
            )


class Lined(Limited):
    """Base of the joints with an axis."""

    axis: Vector3

    @property
    def direction(self) -> Vector3:
        """The axis as a unit vector."""
        return unit(self.axis)

    def on_rail(self, part: Part, mechanism: Mechanism, r: float) -> tuple[End, Rail]:
        """Return where the second body rides, and the rail on the first."""
        rider = self.seat(self.second, mechanism)
        return rider, Rail(part, self.first, *track(rider[1], self.direction, -4.0 * r, 4.0 * r), rider)


@dataclass(frozen=True, kw_only=True)
class Sleeve(Lined):
    """Base of the joints whose second body turns about an axis through the point, and moves along it."""

    tree = 3.0
    sizes: ClassVar[tuple[str, ...]] = ("radius", "length")
    surfaces: ClassVar[tuple[Surface, ...]] = (Surface(("travel", "angle"), "axle", "travel"),)
    bodies: tuple[str, ...] = key(names(2, 2), BODIES)
    point: str | Vector3 = key(place3, POINT, dimension="length")
    axis: Vector3 = key(
        direction3, "of rotation, by the right hand, and travel of the second, in the drawing", dimension="any"
    )
    friction: Friction | None = friction_key("from its own load: { mu, radius }, with length of the bearing")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """A translation, then a rotation."""
        return Stage(False, self.direction, "travel"), Stage(True, self.direction, "angle")

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the sleeve and its rail."""
        rider, rail = self.on_rail(part, mechanism, r)
        return (rail, Pin(part, *rider, self.direction), *held(part, rider))


@dataclass(frozen=True, kw_only=True)
class Drive(Spec):
    """What drives a joint: a rotor, and a spring between it and the body that it moves.

    The coordinate of the joint is that of the rotor's side; efforts act there, and the spring deflects beyond it.
    """

    stiffness: float | None = key(
        positive, "of the spring, moment per rad or force per length; default: stiff", None, dimension="any"
    )
    damping: float = key(not_negative, "of the deflection, moment per rad/s or force per speed", 0.0, dimension="any")
    rotor: float = key(
        not_negative, "inertia or mass that moves with the coordinate, before the deflection", 0.0, dimension="any"
    )

    def verify(self) -> None:
        """Check that what is said can matter."""
        if self.stiffness is None and self.damping > 0.0:
            raise ModelError(
                f'key "damping": {self.damping:g} acts on nothing, a drive without stiffness does not deflect; give '
                '"stiffness", or a "torsion" on the coordinate'
            )
        if self.stiffness is None and self.rotor == 0.0:
            raise ModelError('one of the keys "stiffness" and "rotor" is needed; none is given')


def on_line(place: Vector3, point: Vector3, direction: Vector3) -> bool:
    """Whether a place lies on the line through a point along a unit vector."""
    x, y, z = (p - q for p, q in zip(place, point, strict=True))
    u, v, w = direction
    return math.hypot(y * w - z * v, z * u - x * w, x * v - y * u) <= SAME * math.hypot(x, y, z)
