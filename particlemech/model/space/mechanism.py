"""A mechanism in space: what the user said, checked as far as no numerics are needed.

The drawing is the pose in which all joint coordinates are zero; places and directions are global in it. The start is
the pose at t = 0: driven coordinates where their motions say, those of `initial.position` there, the rest as drawn or,
in loops, by the least movement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from particlemech.errors import ModelError, part
from particlemech.model.actions import Action, check_events
from particlemech.model.changing import Changing
from particlemech.model.description import GROUND, Check, Description, Run, Section, at_bodies, parted
from particlemech.model.inertia import Tensor, tensor
from particlemech.model.parameters import Parameter, parameter, parameters
from particlemech.model.signals import values
from particlemech.model.space import drivers, forces, joints
from particlemech.model.space.drivers import Coordinate, DriverSpec
from particlemech.model.space.forces import ForceSpec
from particlemech.model.space.joints import JointSpec
from particlemech.model.space.joints.clamp import Clamp
from particlemech.model.space.materials import check_up
from particlemech.model.space.parts import Bending, Body, Impulse, Initial, length
from particlemech.model.spec import (
    FrozenMapping,
    Given,
    Vector3,
    choice,
    key,
    mapping_of,
    text,
    unit,
    vector3,
)
from particlemech.model.table_forms import format_one, spec_of, table_of
from particlemech.model.units import system

REST: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Mechanism(Changing, Description):
    """A mechanism in space, drawn with all joint coordinates zero; global axes, radians, units of the user's choice."""

    stop = joints.NAMES["stop"]
    sections = FrozenMapping(
        {
            "parameters": Section("parameter", 'NAME = "50 mm"', form=parameter),
            "points": Section("point", "NAME = [x, y, z]", form=vector3),
            "bodies": Section("body", "[bodies.NAME]", spec=Body),
            "joints": Section("joint", "[joints.NAME]", kinds=joints.NAMES),
            "drivers": Section("driver", "[drivers.NAME]", kinds=drivers.NAMES, plain=Coordinate),
            "forces": Section("force", "[forces.NAME]", kinds=forces.NAMES),
            "impulses": Section("impulse", "[impulses.NAME]", spec=Impulse),
            "events": Section("event", "[events.NAME]", spec=Action),
        }
    )

    format: int = key(format_one, "version of the model format", 1)
    kind: str = key(choice("spatial"), "world of the mechanism", "spatial")
    name: str = key(text, "title", "mechanism")
    about: str = key(text, "one line a reader needs; where the data come from", "")
    units: str = key(system, "system of units of all numbers", "SI")
    gravity: Vector3 = key(vector3, "length/s^2", REST, dimension="acceleration")
    parameters: Mapping[str, Parameter] = key(parameters, "numbers by name, for expressions", FrozenMapping())
    points: Mapping[str, Vector3] = key(
        mapping_of(vector3), "named places, in the drawing", FrozenMapping(), dimension="length"
    )
    bodies: Mapping[str, Body] = key(table_of(Body), "the moving bodies")
    joints: Mapping[str, JointSpec] = key(table_of(JointSpec), "how they are joined", FrozenMapping())
    drivers: Mapping[str, DriverSpec] = key(table_of(DriverSpec), "prescribed motions", FrozenMapping())
    forces: Mapping[str, ForceSpec] = key(table_of(ForceSpec), "applied forces", FrozenMapping())
    impulses: Mapping[str, Impulse] = key(table_of(Impulse), "jumps of speed", FrozenMapping())
    events: Mapping[str, Action] = key(table_of(Action), "what is done on the way", FrozenMapping())
    bending: Bending = key(spec_of(Bending), "how bodies that bend are modelled", Bending())
    initial: Initial = key(spec_of(Initial), "what holds at t = 0", Initial())
    run: Run = key(spec_of(Run), "defaults of a run", Run())
    check: Check = key(spec_of(Check), "what must come out", Check())

    def verify(self) -> None:
        """Check all names, that nothing is prescribed twice, and that bodies which share a point are joined there."""
        self.check_names()
        for name, body in self.bodies.items():
            with part(f'body "{name}"'):
                self._check_body(name, body)
        self.check_parts()
        self._check_driven_once()
        self._check_initial()
        check_events(self)
        self._check_shared_points()
        self._check_columns()
        self.check_struck()
        self.check_columns()
        if self.run.cut and not self.loops:
            raise ModelError('section "run": key "cut" is for mechanisms with loops; take it out')

    @cached_property
    def engine(self) -> str:
        """What runs it: joint coordinates along a spanning tree."""
        return "recursive"

    @cached_property
    def bends(self) -> bool:
        """Whether one of its bodies does."""
        return any(body.bends for body in self.bodies.values())

    @cached_property
    def couplings(self) -> tuple[str, ...]:
        """The joints that tie coordinates of other joints, whose effort is a result."""
        return tuple(name for name, joint in self.joints.items() if not joint.bodies and not joint.pushes(self))

    @cached_property
    def loops(self) -> tuple[str, ...]:
        """The joints that close a loop, if the tree of the others is looked for in breadth."""
        # by name: it stands above, as it knows the tree that joints make
        found: tuple[str, ...] = import_module("particlemech.model.space.engines").closing(self)
        return found

    def columns_of(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the parts of this name, and how the columns end that a force could have too."""
        yield from super().columns_of(name)
        if name == "momentum":
            yield from (("sum", f"p{axis}") for axis in "xyz")
        if name in self.joints:
            yield from (("joint", coordinate) for coordinate in self.joints[name].coordinate_names)
            yield from (("joint", tail) for tails in self.joints[name].quantities(self).values() for tail in tails)
            if name in self.couplings:
                yield "coupling", "effort"

    # -- parts of the check ------------------------------------------------------------------------------------

    def _check_columns(self) -> None:
        """Check that coordinates of joints, which are columns of a result, differ from columns of points."""
        for name, joint in self.joints.items():
            if name in self.points and "x" in joint.coordinate_names:
                raise ModelError(
                    f'joint "{name}": a point has the same name, so columns of a result would be ambiguous; '
                    "rename one of them"
                )

    def _check_body(self, name: str, body: Body) -> None:
        if name in self.joints:
            raise ModelError("a joint has the same name, so columns of a result would be ambiguous; rename one of them")
        for p in body.points:
            self.known_point(p)
        if body.bends:
            body.check_length(length(self.line(name)))
            check_up(body, self.line(name))
        elif body.inertia is None and body.mass:  # a rod
            one, other = body.points
            if self.points[one] == self.points[other]:
                raise ModelError(
                    f'points "{one}" and "{other}" lie at the same place, so this is no rod; '
                    "move one, or give com and inertia"
                )

    def _check_driven_once(self) -> None:
        driven: dict[tuple[str, str], str] = {}
        for name, driver in self.drivers.items():
            where, coordinate = driver.freedom(self)
            first = driven.setdefault((where, coordinate), name)
            if first != name:
                raise ModelError(
                    f'driver "{name}": "{coordinate}" of "{where}" is already driven by driver "{first}"; take one out'
                )

    def _check_initial(self) -> None:
        for word, derivative in (("position", 0), ("rate", 1)):
            with part(f'section "initial": {word}'):
                for joint, given in getattr(self.initial, word).items():
                    for name, value in self.named(joint, given).items():
                        if (driver := self.driven.get((joint, name))) is not None:
                            said = values(self.drivers[driver].motion, 0.0)[derivative]
                            self.check_agreed(joint, name, value, driver, said)
        with part('section "initial": omega'):
            for b in self.initial.omega:
                self.moving_body(b)
        with part('section "initial": velocity'):
            for p, v in self.initial.velocity.items():
                self.known_point(p)
                if self.carrier(p) == GROUND and v != REST:
                    raise ModelError(f'point "{p}" is fixed to ground and cannot move; list it in a body')
        for word in ("deflection", "deflection_rate"):
            with part(f'section "initial": {word}'):
                for name in getattr(self.initial, word):
                    self.known_joint(name)
                    if getattr(getattr(self.joints[name], "drive", None), "stiffness", None) is None:
                        raise ModelError(
                            f'joint "{name}" has no drive with a stiffness and does not deflect; give it one'
                        )
        for word in ("modes", "mode_rates"):
            with part(f'section "initial": {word}'):
                for name, numbers in getattr(self.initial, word).items():
                    self.moving_body(name)
                    n = self.bodies[name].n_coordinates
                    if len(numbers) != n:
                        raise ModelError(f'body "{name}" has {n} modal coordinates, got {len(numbers)} numbers')

    def _parted(self, on: Sequence[str], place: Vector3, held: Mapping[str, list[JointSpec]]) -> str | None:
        return parted(on, lambda b: [j for j in held.get(b, ()) if j.keeps(place, self)])

    def _check_shared_points(self) -> None:
        held = at_bodies(self.joints.values())
        for p, on in self.carriers.items():
            apart = self._parted(on, self.points[p], held) if len(on) > 1 else None
            if apart is not None:
                raise ModelError(
                    f'point "{p}": bodies "{on[0]}" and "{apart}" both list it, but no joint keeps it common; '
                    "join them there by a revolute, spherical, universal or weld, or give one body a point of its own"
                )

    # -- lookups -----------------------------------------------------------------------------------------------

    def coordinate(self, joint: str, coordinate: str | None) -> str:
        """Return the name of a coordinate, after a check that the joint has it; None: the only one."""
        return self.known_coordinate(joint, coordinate)

    @cached_property
    def driven(self) -> Mapping[tuple[str, str], str]:
        """The driver of each driven coordinate, (joint, coordinate), by name."""
        return {d.freedom(self): name for name, d in self.drivers.items() if isinstance(d, Coordinate)}

    def as_quaternion(self, joint: str) -> bool:
        """Return whether the turning of a joint is integrated as a quaternion: where one angle is driven, it is not."""
        spec = self.joints[joint]
        return spec.quaternion and not any((joint, stage.name) in self.driven for stage in (spec.stages or ())[-3:])

    def acted_on(self, joint: str, coordinate: str | None, cure: str) -> None:
        """Check that there is a coordinate for a force to act on; of a quaternion only its travels are."""
        found = self.coordinate(joint, coordinate)
        if self.joints[joint].spherical and self.as_quaternion(joint) and found.startswith("angle"):
            raise ModelError(
                f'joint "{joint}" is integrated as a quaternion and has no "{found}" to act on; {cure}, '
                'or give the joint coordinates = "angles"'
            )

    def lock(self, joint: str, coordinate: str, held: Mapping[str, float]) -> JointSpec:
        """Return what holds a coordinate of a joint where an event has locked it; the turning of a ball as a whole."""
        angles = self.joints[joint].coordinate_names[-3:]
        if self.joints[joint].spherical and coordinate in angles:
            return Clamp.at(joint, coordinate, tuple(held[angle] for angle in angles) if held else None)
        found: JointSpec = super().lock(joint, coordinate, held)
        return found

    def position(self, joint: str) -> dict[str, float]:
        """Return the coordinates of a joint at the start that are said, by name; driven ones as their motions say."""
        return self._said(joint, self.initial.position, 0)

    def rate(self, joint: str) -> dict[str, float]:
        """Return the rates of the coordinates of a joint at the start that are said, by name."""
        return self._said(joint, self.initial.rate, 1)

    def _said(self, joint: str, table: Mapping[str, Given], derivative: int) -> dict[str, float]:
        said = dict(self.named(joint, table[joint])) if joint in table else {}
        for name in self.joints[joint].coordinate_names:
            if (joint, name) in self.driven:
                said[name] = values(self.drivers[self.driven[joint, name]].motion, 0.0)[derivative]
        return said

    def place(self, point: str | Vector3 | None, body: str) -> Vector3:
        """Return a place, in the drawing: that of a named point, the place itself, or the body's centre of mass."""
        if point is None:
            return self.centre(body)
        if isinstance(point, str):
            self.known_point(point)
            return self.points[point]
        return point

    def place_on(self, point: str | Vector3 | None, body: str) -> Vector3:
        """Return a place as `place` does, after a check that a named point is on the body."""
        self.carried(point, body)
        return self.place(point, body)

    def centre(self, body: str) -> Vector3:
        """Return the centre of mass of a body, in the drawing; default the centroid of its points."""
        spec = self.bodies[body]
        if spec.com is not None:
            return spec.com
        places = [self.points[p] for p in (spec.points[:2] if spec.bends else spec.points)]
        if not places:  # a mere frame
            ever = [*self.joints.values(), *self.taken.values()]
            places = [joint.place(self) for joint in ever if body in joint.bodies] or [REST]
        return _mean(places)

    def line(self, body: str) -> tuple[Vector3, Vector3]:
        """Return the ends of the line along which a body bends, in the drawing."""
        one, other = self.bodies[body].points[:2]
        return self.points[one], self.points[other]

    def mass(self, body: str) -> float:
        """Return the mass of a rigid body."""
        return self.bodies[body].mass or 0.0

    def inertia(self, body: str) -> Tensor:
        """Return xx, yy, zz, xy, xz, yz of a body about its centre of mass, global axes at t = 0.

        Where none is given, it is a uniform slender rod of length l along u between its two points:
        I = m l^2/12 (1 - u u^T).
        """
        spec = self.bodies[body]
        if spec.inertia is not None:
            return tensor(spec.inertia)
        if not spec.mass:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        one, other = (self.points[p] for p in spec.points)
        across = spec.mass * math.dist(one, other) ** 2 / 12.0
        x, y, z = unit((other[0] - one[0], other[1] - one[1], other[2] - one[2]))
        return (
            across * (y * y + z * z),
            across * (x * x + z * z),
            across * (x * x + y * y),
            -across * x * y,
            -across * x * z,
            -across * y * z,
        )


def extent(mechanism: Mechanism) -> tuple[Vector3, float]:
    """Return the centroid of the drawing's places, and the mechanism's own length L: their rms distance from it.

    Places are the points, the centres of mass and where the joints are, each counted once; L is 1 where all coincide.
    """
    mechanism = mechanism.whole or mechanism
    centres = (mechanism.centre(b) for b in mechanism.bodies)
    joined = [joint.place(mechanism) for joint in mechanism.joints.values()]
    places = list(dict.fromkeys([*mechanism.points.values(), *centres, *joined]))
    middle = _mean(places)
    return middle, math.sqrt(sum(math.dist(place, middle) ** 2 for place in places) / len(places)) or 1.0


def _mean(places: list[Vector3]) -> Vector3:
    n = len(places)
    x, y, z = (math.fsum(c) / n for c in zip(*places, strict=True))
    return x, y, z
