"""A mechanism in space, with or without loops: what the user said, checked as far as no numerics are needed.

It is drawn in its starting position: all places and directions are global at t = 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from particlemech._spec import FrozenMapping, Vector3, choice, key, kind_name, mapping_of, text, unit, vector3
from particlemech.description import GROUND, Check, Description, Run, Section, format_one, spec_of, table_of
from particlemech.errors import ModelError, part, suggestion
from particlemech.inertia import Tensor, tensor
from particlemech.spatial import drivers, forces, joints
from particlemech.spatial.drivers import DriverSpec
from particlemech.spatial.forces import ForceSpec
from particlemech.spatial.joints import JointSpec
from particlemech.spatial.parts import Body, Initial
from particlemech.units import system

REST: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Mechanism(Description):
    """A mechanism in space, drawn in its starting position; global axes, radians, and units of the user's choice."""

    sections = FrozenMapping(
        {
            "points": Section("point", "NAME = [x, y, z]", form=vector3),
            "bodies": Section("body", "[bodies.NAME]", spec=Body),
            "joints": Section("joint", "[joints.NAME]", kinds=joints.NAMES),
            "drivers": Section("driver", "[drivers.NAME]", kinds=drivers.NAMES),
            "forces": Section("force", "[forces.NAME]", kinds=forces.NAMES),
        }
    )

    format: int = key(format_one, "version of the model format", 1)
    kind: str = key(choice("spatial"), "family of mechanisms", "spatial")
    name: str = key(text, "title", "mechanism")
    about: str = key(text, "one line a reader needs; where the data come from", "")
    units: str = key(system, "system of units of all numbers", "SI")
    gravity: Vector3 = key(vector3, "length/s^2", REST)
    points: Mapping[str, Vector3] = key(mapping_of(vector3), "named places, global at t = 0", FrozenMapping())
    bodies: Mapping[str, Body] = key(table_of(Body), "the moving bodies")
    joints: Mapping[str, JointSpec] = key(table_of(JointSpec), "how they are joined", FrozenMapping())
    drivers: Mapping[str, DriverSpec] = key(table_of(DriverSpec), "prescribed motions", FrozenMapping())
    forces: Mapping[str, ForceSpec] = key(table_of(ForceSpec), "applied forces", FrozenMapping())
    initial: Initial = key(spec_of(Initial), "what holds at t = 0", Initial())
    run: Run = key(spec_of(Run), "defaults of a run", Run())
    check: Check = key(spec_of(Check), "what must come out", Check())

    def verify(self) -> None:
        """Check all names, that nothing is prescribed twice, and that bodies which share a point are joined there."""
        self.check_names()
        for name, body in self.bodies.items():
            with part(f'body "{name}"'):
                self._check_body(name, body)
        for section in ("joints", "drivers", "forces"):
            for name, spec in getattr(self, section).items():
                with part(f'{self.sections[section].part} "{name}"'):
                    spec.check(self)
        self._check_driven_once()
        self._check_initial()
        for cut in self.run.cut:
            if cut not in self.joints:
                raise ModelError(f'section "run": cut names no joint "{cut}"{suggestion(cut, self.joints)}')
        self._check_shared_points()
        self.check_columns()

    # -- parts of the check ------------------------------------------------------------------------------------

    def _check_body(self, name: str, body: Body) -> None:
        if name in self.joints:
            raise ModelError("a joint has the same name, so columns of a result would be ambiguous; rename one of them")
        for p in body.points:
            self.known_point(p)
        if body.inertia is None:  # a rod
            one, other = body.points
            if self.points[one] == self.points[other]:
                raise ModelError(
                    f'points "{one}" and "{other}" lie at the same place, so this is no rod; '
                    "move one, or give com and inertia"
                )

    def _check_driven_once(self) -> None:
        driven: dict[tuple[str, str], str] = {}
        for name, driver in self.drivers.items():
            where, coordinate = driver.freedom
            first = driven.setdefault(driver.freedom, name)
            if first != name:
                raise ModelError(
                    f'driver "{name}": {coordinate} of "{where}" is already driven by driver "{first}"; take one out'
                )

    def _check_initial(self) -> None:
        with part('section "initial": omega'):
            for b in self.initial.omega:
                self.moving_body(b)
        with part('section "initial": velocity'):
            for p, v in self.initial.velocity.items():
                self.known_point(p)
                if self.carrier(p) == GROUND and v != REST:
                    raise ModelError(f'point "{p}" is fixed to ground and cannot move; list it in a body')

    def _check_shared_points(self) -> None:
        for p, on in self.carriers.items():
            if len(on) < 2:
                continue
            group = {b: {b} for b in on}
            for joint in self.joints.values():
                if joint.keeps(self.points[p], self):
                    merged = set().union(*(group.get(b, {b}) for b in joint.bodies))
                    for b in merged:
                        group[b] = merged
            apart = [b for b in on if b not in group[on[0]]]
            if apart:
                raise ModelError(
                    f'point "{p}": bodies "{on[0]}" and "{apart[0]}" both list it, but no joint keeps it common; '
                    "join them there by a revolute, spherical, universal or weld, or give one body a point of its own"
                )

    # -- lookups -----------------------------------------------------------------------------------------------

    @cached_property
    def carriers(self) -> Mapping[str, tuple[str, ...]]:
        """The bodies that list each point, by name; none: it is fixed to ground."""
        found: dict[str, list[str]] = {p: [] for p in self.points}
        for b, body in self.bodies.items():
            for p in body.points:
                found[p].append(b)
        return {p: tuple(on) for p, on in found.items()}

    def moving_body(self, b: str) -> None:
        """Check that a name is that of a body, not of the ground."""
        if b == GROUND:
            raise ModelError("the ground does not move; name a body")
        self.known_body(b)

    def coordinate(self, joint: str, coordinate: str | None) -> str:
        """Return "angle" or "travel", after a check that the joint has it; None: the only one."""
        self.known_joint(joint)
        known = self.joints[joint].coordinate_names
        if coordinate is None and len(known) > 1:
            raise ModelError(f'joint "{joint}" has several coordinates; add coordinate = one of {", ".join(known)}')
        if coordinate is None and known:
            return known[0]
        if coordinate is not None and coordinate in known:
            return coordinate
        able = {kind: spec.coordinate_names for kind, spec in joints.NAMES.items() if spec.coordinate_names}
        if coordinate is not None:
            able = {kind: names for kind, names in able.items() if coordinate in names}
        if not able:
            raise ModelError(f'coordinate "{coordinate}" unknown{suggestion(coordinate, known)}')
        kind = kind_name(type(self.joints[joint]))
        raise ModelError(
            f'joint "{joint}" is a {kind}, which has no {coordinate or "coordinate"} of its own; '
            f"name one that has: {', '.join(able)}"
        )

    def carrier(self, point: str) -> str:
        """Return the first body that lists a point, or "ground"."""
        return next(iter(self.carriers[point]), GROUND)

    def place(self, point: str | Vector3 | None, body: str) -> Vector3:
        """Return a place, global at t = 0: that of a named point, the place itself, or the body's centre of mass."""
        if point is None:
            return self.centre(body)
        if isinstance(point, str):
            self.known_point(point)
            return self.points[point]
        return point

    def place_on(self, point: str | Vector3 | None, body: str) -> Vector3:
        """Return a place as `place` does, after a check that a named point is on the body."""
        self.known_body(body)
        place = self.place(point, body)
        if isinstance(point, str) and body != GROUND and point not in self.bodies[body].points:
            raise ModelError(f'point "{point}" is not on body "{body}"; add it to the points of that body')
        return place

    def centre(self, body: str) -> Vector3:
        """Return the centre of mass of a body, global at t = 0; default the centroid of its points."""
        spec = self.bodies[body]
        return _mean([self.points[p] for p in spec.points]) if spec.com is None else spec.com

    def inertia(self, body: str) -> Tensor:
        """Return xx, yy, zz, xy, xz, yz of a body about its centre of mass, global axes at t = 0.

        Where none is given, it is a uniform slender rod of length l along u between its two points:
        I = m l^2/12 (1 - u u^T).
        """
        spec = self.bodies[body]
        if spec.inertia is not None:
            return tensor(spec.inertia)
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
    centres = (mechanism.centre(b) for b in mechanism.bodies)
    joined = (joint.place(mechanism) for joint in mechanism.joints.values())
    places = list(dict.fromkeys([*mechanism.points.values(), *centres, *joined]))
    middle = _mean(places)
    return middle, math.sqrt(sum(math.dist(place, middle) ** 2 for place in places) / len(places)) or 1.0


def _mean(places: list[Vector3]) -> Vector3:
    n = len(places)
    x, y, z = (math.fsum(c) / n for c in zip(*places, strict=True))
    return x, y, z
