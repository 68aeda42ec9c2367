"""Mechanism: what the user said, in names only; frozen, comparable, and checked as far as no numerics are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from particlemech import _tape
from particlemech.errors import ModelError, part
from particlemech.model import drivers, forces, joints
from particlemech.model.actions import LOCK, Action, check_events
from particlemech.model.changing import Changing
from particlemech.model.description import GROUND, Check, Description, Run, Section, at_bodies, parted
from particlemech.model.drivers import DriverSpec
from particlemech.model.forces import ForceSpec
from particlemech.model.freedom import Freedom
from particlemech.model.impulses import Impulse
from particlemech.model.joint import JointSpec
from particlemech.model.parameters import Parameter, parameter, parameters
from particlemech.model.primitives import End, Looks, Part, Plate
from particlemech.model.shapes import rounded
from particlemech.model.signals import values
from particlemech.model.spec import (
    FrozenMapping,
    Spec,
    Vector,
    choice,
    coordinates,
    key,
    mapping_of,
    names,
    not_negative,
    number,
    positive,
    text,
    vector,
)
from particlemech.model.table_forms import format_one, spec_of, table_of
from particlemech.model.units import system

AT_REST = 1e-12  # m or rad: a motion that starts from less starts from the drawing


@dataclass(frozen=True, kw_only=True)
class Body(Spec):
    """A rigid body: the places fixed on it, in the drawing, and its inertia.

    Two points without `com` and `inertia` make a uniform rod. More points: the centre of mass defaults to
    their centroid and the inertia must be given. Fewer points: both must be given. A body whose mass is left out, which
    is unknown then, needs neither: it can be moved, but not asked for forces.
    """

    points: tuple[str, ...] = key(names(0), "named points that are fixed on this body; results follow them", ())
    mass: float = key(positive, "kg in SI; may be left out where only motion is asked for", None, dimension="mass")
    com: tuple[float, float] | None = key(
        vector, "centre of mass, global in the drawing, length", None, dimension="length"
    )
    inertia: float | None = key(not_negative, "about the centre of mass, mass length^2", None, dimension="inertia")
    length: float | None = key(positive, "of a body with two points; overrides the drawn one", None, dimension="length")

    def verify(self) -> None:
        """Check that the inertia can be known."""
        if len(self.points) != 2:
            if self.inertia is None and self.mass is not None:
                raise ModelError(
                    f'key "inertia" is required for a body with {len(self.points)} point(s), about its centre of mass'
                )
            if self.length is not None:
                raise ModelError(f'key "length" is for bodies with two points, this one has {len(self.points)}')
        if len(self.points) < (2 if self.mass is not None else 1) and self.com is None:
            count = len(self.points)
            raise ModelError(
                f'key "com" is required for a body with {count} point(s); where its centre of mass is, [x, y]'
            )

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return its points and joints in a rounded hull; one alone together with the centre of mass."""
        places = mechanism.outline(part.name)
        return (Plate(part, part.name, rounded(places, r), rod=len(places) < 3),)


@dataclass(frozen=True, kw_only=True)
class Initial(Spec):
    """What must hold at t = 0 besides the joints and drivers.

    Coordinates that are not named stay where they are drawn, in loops they move as little as they can; the motion of
    least kinetic energy fills in the speeds that are not named.
    """

    position: Mapping[str, Any] = key(
        mapping_of(coordinates),
        "coordinates of joints since the drawing, rad or length",
        FrozenMapping(),
        dimension="freedom",
    )
    rate: Mapping[str, Any] = key(
        mapping_of(coordinates), "rates of the coordinates of joints", FrozenMapping(), dimension="freedom/time"
    )
    omega: Mapping[str, float] = key(mapping_of(number), "rad/s of bodies", FrozenMapping(), dimension="angular rate")
    velocity: Mapping[str, tuple[float, float]] = key(
        mapping_of(vector), "length/s of points", FrozenMapping(), dimension="speed"
    )


@dataclass(frozen=True, kw_only=True)
class Mechanism(Changing, Description):
    """A planar mechanism, drawn with all coordinates of its joints zero; global axes, radians, and units of choice.

    The drawing is closed where it has gaps, and its lengths are as asked. The start, at t = 0, is that drawing with
    driven coordinates where their motions begin and those named in [initial] position there.
    """

    stop = joints.NAMES["stop"]
    sections = FrozenMapping(
        {
            "parameters": Section("parameter", 'NAME = "50 mm"', form=parameter),
            "points": Section("point", "NAME = [x, y]", form=vector),
            "bodies": Section("body", "[bodies.NAME]", spec=Body),
            "joints": Section("joint", "[joints.NAME]", kinds=joints.NAMES),
            "drivers": Section("driver", "[drivers.NAME]", kinds=drivers.NAMES, plain=drivers.PLAIN),
            "forces": Section("force", "[forces.NAME]", kinds=forces.NAMES),
            "impulses": Section("impulse", "[impulses.NAME]", spec=Impulse),
            "events": Section("event", "[events.NAME]", spec=Action),
        }
    )

    format: int = key(format_one, "version of the model format", 1)
    kind: str = key(choice("planar"), "family of mechanisms", "planar")
    name: str = key(text, "title", "mechanism")
    about: str = key(text, "one line a reader needs; where the data come from", "")
    units: str = key(system, "system of units of all numbers", "SI")
    gravity: tuple[float, float] = key(vector, "length/s^2", (0.0, 0.0), dimension="acceleration")
    parameters: Mapping[str, Parameter] = key(parameters, "numbers by name, for expressions", FrozenMapping())
    points: Mapping[str, tuple[float, float]] = key(
        mapping_of(vector),
        "named places, global in the drawing",
        FrozenMapping(),
        dimension="length",
    )
    bodies: Mapping[str, Body] = key(table_of(Body), "the moving bodies")
    joints: Mapping[str, JointSpec] = key(table_of(JointSpec), "how they are joined", FrozenMapping())
    drivers: Mapping[str, DriverSpec] = key(table_of(DriverSpec), "prescribed motions", FrozenMapping())
    forces: Mapping[str, ForceSpec] = key(table_of(ForceSpec), "applied forces", FrozenMapping())
    impulses: Mapping[str, Impulse] = key(table_of(Impulse), "impulses", FrozenMapping())
    events: Mapping[str, Action] = key(table_of(Action), "what is done on the way", FrozenMapping())
    initial: Initial = key(spec_of(Initial), "what holds at t = 0", Initial())
    run: Run = key(spec_of(Run), "defaults of a run", Run())
    check: Check = key(spec_of(Check), "what must come out", Check())

    def verify(self) -> None:
        """Check all names, and that bodies which share a point are joined there."""
        self.check_names()
        self._check_coordinates()
        for name, body in self.bodies.items():
            with part(f'body "{name}"'):
                self._check_body(body)
        self.check_parts()
        self._check_initial()
        check_events(self)
        for name, joint in self.joints.items():
            if joint.free and not any(one.joint == name and one.do == LOCK for one in self.events.values()):
                raise ModelError(f'joint "{name}": key "free": no event locks it, so it never holds; write one')
        if self.run.cut and self.run.integrator == "explicit":
            raise ModelError(
                'section "run": integrator "explicit" cuts no joint; take the key "cut" out, or use integrator "auto"'
            )
        self._check_shared_points()
        self.check_struck()
        self.check_columns()

    @property
    def engine(self) -> str:
        """What runs it: equivalent particles."""
        return "particles"

    def columns_of(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the parts of this name, and how the columns end that a force could have too."""
        yield from super().columns_of(name)
        if name in self.bodies:
            yield "body", "angle"
        if name in self.joints:
            yield from (("joint", tail) for tail in self.joints[name].coordinate_names)
            yield from (("joint", tail) for tails in self.joints[name].quantities(self).values() for tail in tails)
            if self.joints[name].friction is not None:
                yield "joint", "loss"
        if name == "momentum":
            yield from (("sum", tail) for tail in ("px", "py"))

    # -- parts of the check ------------------------------------------------------------------------------------

    def _check_coordinates(self) -> None:
        """Check that coordinates of joints, which are columns of a result, differ from columns of bodies."""
        for name, joint in self.joints.items():
            if name in self.bodies and "angle" in joint.coordinate_names:
                raise ModelError(
                    f'joint "{name}": a body has the same name, so column "{name}.angle" would be ambiguous; '
                    "rename one of them"
                )

    def _check_body(self, body: Body) -> None:
        for p in body.points:
            self.known_point(p)
        places = [self.points[p] for p in body.points]
        if len(places) == 2 and (body.inertia is None or body.length is not None):
            if _tape.dist(*places) == 0.0:
                raise ModelError(
                    f'points "{body.points[0]}" and "{body.points[1]}" lie at the same place, so this is no rod; '
                    "move one, or give com and inertia (and no length)"
                )

    def _check_initial(self) -> None:
        driven = self.driven
        for derivative, word in enumerate(("position", "rate")):
            with part(f'section "initial": {word}'):
                for joint, of, value in self.initially(word):
                    if of in driven:
                        said = values(self.drivers[driven[of]].motion, 0.0)[derivative]
                        self.check_agreed(joint, of.name, value, driven[of], said)
        with part('section "initial"'):
            for b in self.initial.omega:
                with part("omega"):
                    self.moving_body(b)
            for p, v in self.initial.velocity.items():
                self.known_point(p)
                if self.carrier(p) == GROUND and v != (0.0, 0.0):
                    raise ModelError(f'velocity: point "{p}" is fixed to ground and cannot move; list it in a body')

    def _check_shared_points(self) -> None:
        rigid = [joint for joint in self.joints.values() if joint.dof == 0]
        pins: dict[str, list[JointSpec]] = {}
        for joint in self.joints.values():
            for p in joint.keeps(self):
                pins.setdefault(p, []).append(joint)
        for p, on in self.carriers.items():
            joints = [*pins.get(p, ()), *rigid]
            apart = parted(on, at_bodies(joints).__getitem__) if len(on) > 1 else None
            if apart is not None:
                raise ModelError(
                    f'point "{p}": bodies "{on[0]}" and "{apart}" both list it but are not joined there; '
                    "add a revolute or weld joint at this point, or give one body a point of its own"
                )

    # -- the start ---------------------------------------------------------------------------------------------

    def initially(self, word: str) -> list[tuple[str, Freedom, float]]:
        """Return joint, coordinate and value of all that [initial] says under "position" or "rate"."""
        said = getattr(self.initial, word).items()
        return [
            (joint, self.coordinate(joint, name), value)
            for joint, given in said
            for name, value in self.named(joint, given).items()
        ]

    @property
    def couplings(self) -> tuple[str, ...]:
        """The joints that tie coordinates of other joints."""
        return tuple([name for name, joint in self.joints.items() if joint.tied(self)])

    @property
    def exerting(self) -> tuple[str, ...]:
        """The parts whose effort is a result: drivers, then couplings."""
        return (*self.drivers, *(name for name in self.couplings if not self.joints[name].pushes(self)))

    @property
    def efforts(self) -> tuple[tuple[str, int], ...]:
        """Parts and which of their rows: those that exert, then joints whose forces are results by themselves."""
        pushing = ((name, joint.pushes(self)) for name, joint in self.joints.items())
        return (*((name, 0) for name in self.exerting), *((name, k) for name, count in pushing for k in range(count)))

    @property
    def driven(self) -> dict[Freedom, str]:
        """The drivers of coordinates of joints."""
        on_joints = ((d.joint, d.coordinate, name) for name, d in self.drivers.items())
        return {self.coordinate(joint, of): name for joint, of, name in on_joints if joint is not None}

    @property
    def displaced(self) -> bool:
        """Whether the start is another pose than the drawing."""
        drawn = all(abs(values(driver.motion, 0.0)[0]) <= AT_REST for driver in self.drivers.values())
        return not drawn or (bool(self.initial.position) and any(v != 0.0 for _, _, v in self.initially("position")))

    # -- lookups -----------------------------------------------------------------------------------------------

    def coordinate(self, joint: str, name: str | None = None) -> Freedom:
        """Return a coordinate of a joint; the name may be left out where there is one."""
        wanted = self.known_coordinate(joint, name)
        return next(freedom for freedom in self.joints[joint].freedoms if freedom.name == wanted)

    def place(self, point: str | Vector | None, body: str) -> Vector:
        """Return where a point is fixed on a body, global coordinates of the drawing, m; None: its centre of mass.

        It is the drawn place, but for the second point of a body whose `length` overrides the drawn one: that
        point lies on the drawn line at the new distance from the first.
        """
        if point is None:
            return self.centre(body)
        if not isinstance(point, str):
            return point
        spec = self.bodies.get(body)
        if spec is None or spec.length is None or point != spec.points[1]:
            return self.points[point]
        (x0, y0), (x1, y1) = (self.points[p] for p in spec.points)
        stretch = spec.length / _tape.hypot(x1 - x0, y1 - y0)
        return x0 + stretch * (x1 - x0), y0 + stretch * (y1 - y0)

    @property
    def stretched(self) -> bool:
        """Whether the `length` of a body differs from the drawn one."""
        for spec in self.bodies.values():
            if spec.length is not None:
                drawn = _tape.dist(*(self.points[p] for p in spec.points))
                if abs(spec.length - drawn) > 1e-12 * drawn:
                    return True
        return False

    def between(self, bodies: tuple[str, ...]) -> End:
        """Return where bodies are joined: the point of a joint of both, or else the centre of mass of the second."""
        body = next(b for b in reversed(bodies) if b != GROUND)
        for joint in self.joints.values():
            if joint.point is not None and set(bodies) <= set(joint.bodies):
                return body, self.place(joint.point, body)
        return body, self.centre(body)

    def outline(self, body: str) -> list[Vector]:
        """Return the places that show a body, global in the drawing, m: its points and joints, two at the least."""
        places = [self.place(p, body) for p in self.bodies[body].points]
        for joint in self.joints.values():
            places += joint.unnamed(body)
        return [*places, self.centre(body)] if len(places) < 2 else places

    def line(self, body: str) -> tuple[Vector, Vector]:
        """Return the ends of a rod in the drawing, m: the first two points of a body."""
        one, other = self.bodies[body].points[:2]
        return self.place(one, body), self.place(other, body)

    def mass(self, body: str) -> float:
        """Return the mass of a body, kg."""
        return self.bodies[body].mass or 0.0

    def centre(self, body: str) -> Vector:
        """Return the centre of mass of a body in the drawing, m; default the centroid of its points."""
        spec = self.bodies[body]
        if spec.com is not None:
            return spec.com
        places = [self.place(p, body) for p in spec.points]
        return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)

    def inertia(self, body: str) -> float:
        """Return the inertia of a body about its centre of mass, kg m^2; a uniform rod where none is given.

        Rotors of motors that turn it against the ground are part of it.
        """
        spec, rotors = self.bodies[body], self._rotors.get(body, 0.0)
        if spec.inertia is not None:
            return spec.inertia + rotors if rotors else spec.inertia
        length = _tape.dist(*(self.place(p, body) for p in spec.points))
        own = spec.mass * length**2 / 12.0
        return own + rotors if rotors else own

    @cached_property
    def _rotors(self) -> dict[str, float]:
        """What rotors of motors add to the inertia of bodies."""
        found: dict[str, float] = {}
        for force in self.forces.values():
            if force.reflected:
                of = force.on(self)
                body = of.second if of.first == GROUND else of.first
                found[body] = found.get(body, 0.0) + force.reflected
        return found


def extent(mechanism: Mechanism) -> tuple[tuple[float, float], float]:
    """Return the centroid of the drawing's points, m, and the mechanism's own length L, m.

    Formulations compute with the centroid as origin; L is the rms distance of the points from it. Centres of mass and
    joints at places without a name count as points, so that a mechanism with one point has a size. Where all coincide
    it is the radius of gyration, and 1 of mere grains, which have no size in any units.
    """
    mechanism = mechanism.whole or mechanism
    places = [*mechanism.points.values(), *(mechanism.centre(b) for b in mechanism.bodies)]
    for joint in mechanism.joints.values():
        for b in joint.bodies:
            places += joint.unnamed(b)
    n = len(places)
    x0, y0 = sum([x for x, _ in places]) / n, sum([y for _, y in places]) / n
    mean = sum([(x - x0) ** 2 + (y - y0) ** 2 for x, y in places]) / n
    return (x0, y0), _tape.sqrt(mean) or _gyration(mechanism) or 1.0


def _gyration(mechanism: Mechanism) -> float:
    """Return the radius of gyration of all bodies about their own centres of mass, m."""
    inertia = sum(mechanism.inertia(b) for b in mechanism.bodies)
    return _tape.sqrt(inertia / sum(body.mass for body in mechanism.bodies.values()))


def size(mechanism: Mechanism) -> float:
    """Return the mechanism's own length L, m; see `extent`."""
    return extent(mechanism)[1]


def centroid(mechanism: Mechanism) -> tuple[float, float]:
    """Return the centroid of the drawing's points, m; see `extent`."""
    return extent(mechanism)[0]
