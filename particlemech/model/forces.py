"""Forces as users write them, and their looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from particlemech import _tape
from particlemech.errors import ModelError
from particlemech.model import control
from particlemech.model.acting import COORDINATE, Force, OfFunction, OnLine, OnPoint, Sprung
from particlemech.model.applied import COUPLE, EFFORT, TRAVEL, TURN, Array, Quantities, vectors
from particlemech.model.cylinders import Pressed
from particlemech.model.freedom import Freedom
from particlemech.model.primitives import GROUND, Looks, Part, TorsionSpring, Turn, coiled, moving
from particlemech.model.signals import SignalSpec, course, largest, signal, signal_vector
from particlemech.model.spec import (
    Vector,
    key,
    kind_name,
    name,
    names,
    not_negative,
    number,
    place,
    two,
)

if TYPE_CHECKING:
    from particlemech.engine.plane import Sight
    from particlemech.model.mechanism import Mechanism


ENDS, ENDS_SAID = two(place, "places"), "one place on each, in the drawing: names or numbers"
ROUNDED = 1e-12  # of the numbers that say them: places nearer than this differ by rounding


class Law(NamedTuple):
    """What acts on a coordinate of a joint: effort - stiffness (coordinate - free) - damping rate."""

    effort: SignalSpec | None
    stiffness: float
    damping: float
    free: float


class ForceSpec(Force):
    """Base of the forces in the plane."""

    reflected: ClassVar[float] = 0.0  # what the rotor of a motor adds to the inertia of the body that it turns

    def largest(self, duration: float, length: float) -> float:
        """Return the largest force that its signals prescribe during a run, N; a couple counts as couple/length."""
        return 0.0

    def counted(self, drawn: Sight) -> ForceSpec:
        """Return the same force with free values counted from the points; `drawn` is the drawing as assembled."""
        return self

    def on(self, mechanism: Mechanism) -> Freedom:
        """Return the coordinate it acts on, of a force with a `joint`."""
        return mechanism.coordinate(self.joint or "", self.coordinate)

    def couple(self, mechanism: Mechanism) -> ForceSpec | None:
        """Return itself where it is nothing but a couple between its `bodies`."""
        return None

    def law(self, mechanism: Mechanism) -> Law:
        """Return how it acts on that coordinate."""
        raise TypeError(f"{type(self).__name__} acts on no coordinate")


@dataclass(frozen=True, kw_only=True)
class Load(OnPoint, ForceSpec):
    """A force on a point of a body."""

    reported = vectors(2, force="f", place="p")
    point: str | Vector | None = key(
        place,
        "a place fixed on the body, in the drawing: name or two numbers; default: centre of mass",
        None,
        dimension="length",
    )
    force: tuple[SignalSpec, SignalSpec] = key(signal_vector, "N in SI", dimension="force")

    def check(self, mechanism: Mechanism) -> None:
        """Check its body, and that it acts somewhere on it."""
        mechanism.known_body(self.body)
        if self.point is not None:
            mechanism.carried(self.point, self.body)
        elif self.body == GROUND:
            raise ModelError('the ground has no centre of mass; give "point", where the force acts')

    def largest(self, duration: float, length: float) -> float:
        """Return the largest force, N."""
        return _tape.hypot(largest(self.force[0], duration), largest(self.force[1], duration))


@dataclass(frozen=True, kw_only=True)
class Torque(ForceSpec):
    """A couple between two bodies."""

    reported = COUPLE
    bodies: tuple[str, ...] = key(names(2, 2), "reacted by the first, acting on the second")
    torque: SignalSpec = key(signal, "moment, counter-clockwise on the second", dimension="moment")

    def check(self, mechanism: Mechanism) -> None:
        """Check its bodies."""
        for body in self.bodies:
            mechanism.known_body(body)

    def couple(self, mechanism: Mechanism) -> Torque:
        """Return itself."""
        return self

    def exerted(self, seen: Sight) -> tuple[Array]:
        """Return the couple on the second body, N m, counter-clockwise."""
        return (course((self.torque,), seen.t)[:, 0],)

    def largest(self, duration: float, length: float) -> float:
        """Return the largest couple over the length, N."""
        return largest(self.torque, duration) / length

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a turning arrow where the two bodies are joined."""
        return (Turn(part, *mechanism.between(self.bodies), partial(course, (self.torque,))),)


@dataclass(frozen=True, kw_only=True)
class Spring(Sprung, ForceSpec):
    """A spring and damper along the line between two points."""

    points: tuple[str | Vector, str | Vector] = key(ENDS, ENDS_SAID, dimension="length")

    def check(self, mechanism: Mechanism) -> None:
        """Check its names, and that it has a direction: ends apart by more than rounding, or no length between them."""
        length = self.length or 0.0
        if length > 0.0 and (at := _together(self, mechanism, length)) is not None:
            raise ModelError(
                f"its ends are drawn at one place, {at}, so a spring of length {length:g} has no "
                "direction there; move one of them, or give length = 0"
            )

    def counted(self, drawn: Sight) -> Spring:
        """Return the same spring; its default length is that of the drawing as assembled."""
        if self.length is not None:
            return self
        one, other = (drawn.place_on(*end)[0] for end in self.ends(drawn.mechanism))
        return replace(self, length=float(np.hypot(*(other - one))))


def between(
    bodies: tuple[str, ...], points: tuple[Any, Any], stiffness: float, damping: float, length: float
) -> ForceSpec:
    """Return the force between two places that are a length apart while nothing presses or pulls them."""
    first, second = bodies
    return Spring(bodies=(first, second), points=points, stiffness=stiffness, damping=damping, length=length)


@dataclass(frozen=True, kw_only=True)
class Cylinder(Pressed, ForceSpec):
    """A cylinder that pushes two points apart by the pressures in it."""

    points: tuple[str | Vector, str | Vector] = key(ENDS, ENDS_SAID, dimension="length")

    def check(self, mechanism: Mechanism) -> None:
        """Check its names, and that it has a direction."""
        if (at := _together(self, mechanism, 0.0)) is not None:
            raise ModelError(f"its ends are drawn at one place, {at}, so it has no direction; move one of them")


def _together(force: OnLine, mechanism: Mechanism, length: float) -> list[float] | None:
    """Return where the ends of a line are drawn if rounding is all that is between them, after a check of its names."""
    for point, body in zip(force.points, force.bodies, strict=True):
        mechanism.carried(point, body)
    (_, one), (_, other) = force.ends(mechanism)
    near = _tape.dist(one, other) <= ROUNDED * max(length, *map(abs, one), *map(abs, other))
    return list(one) if near else None


@dataclass(frozen=True, kw_only=True)
class Torsion(ForceSpec):
    """A spring and damper between two bodies that turns them back, or on a coordinate of a joint; counts full turns."""

    elastic = True
    bodies: tuple[str, ...] | None = key(names(2, 2), "two bodies", None)
    joint: str | None = key(name, "or a joint, on whose coordinate it acts", None)
    coordinate: str | None = key(name, COORDINATE, None)
    stiffness: float = key(
        not_negative, "moment per rad; on a travel: force per length", 0.0, dimension="effort/freedom"
    )
    damping: float = key(
        not_negative, "moment per rad/s; on a travel: force per speed", 0.0, dimension="effort time/freedom"
    )
    angle: float = key(
        number, "rad, free of moment, of the second against the first since the drawing", 0.0, dimension="angle"
    )
    length: float = key(number, "on a travel: where it is free of force, since the drawing", 0.0, dimension="length")

    def verify(self) -> None:
        """Check that it is said once what it acts on."""
        if (self.bodies is None) == (self.joint is None):
            which = "both are given" if self.bodies is not None else "none is given"
            raise ModelError(f'exactly one of "bodies" and "joint" is needed; {which}')
        if self.joint is None and self.coordinate is not None:
            raise ModelError('key "coordinate" is that of a joint; add "joint" in place of "bodies"')

    def check(self, mechanism: Mechanism) -> None:
        """Check bodies, or joint and coordinate, and that the free value is that of what it acts on."""
        for body in self.bodies or ():
            mechanism.known_body(body)
        of = self.on(mechanism)
        if of.turn and self.length != 0.0:
            raise ModelError('key "length": it turns; write the angle free of moment as "angle"')
        if not of.turn and self.angle != 0.0:
            raise ModelError(f'key "angle": coordinate "{of.name}" is a travel; write where it is free as "length"')

    def on(self, mechanism: Mechanism) -> Freedom:
        """Return what it acts on."""
        if self.bodies is None:
            return super().on(mechanism)
        return Freedom("angle", True, self.bodies[0], self.bodies[1])

    def couple(self, mechanism: Mechanism) -> Torsion | None:
        """Return itself, where it turns two bodies back."""
        return None if self.bodies is None else self

    def law(self, mechanism: Mechanism) -> Law:
        """Return its law."""
        free = self.angle if self.on(mechanism).turn else self.length
        return Law(None, self.stiffness, self.damping, free)

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return moment, angle and rate, or force, travel and rate."""
        return TURN if self.on(mechanism).turn else TRAVEL

    def counted(self, drawn: Sight) -> Torsion:
        """Return the same spring with its free value counted from the points as they are drawn."""
        of = self.on(drawn.mechanism)
        by = float(drawn.counted(of)[0])
        return replace(self, angle=self.angle + by) if of.turn else replace(self, length=self.length + by)

    def exerted(self, seen: Sight) -> tuple[Array, Array, Array]:
        """Return moment or force, positive where it pulls back; angle or travel since the drawing; its rate."""
        of, law = self.on(seen.mechanism), self.law(seen.mechanism)
        rate = seen.rate(of)
        # the free value of the mechanism that runs counts from its points
        return law.stiffness * (seen.counted(of) - law.free) + law.damping * rate, seen.coordinate(of), rate

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a spiral where the two bodies are joined, or a coil along a line; vane or cup of a damper alone."""
        of, damper = self.on(mechanism), self.damping > 0.0 and self.stiffness == 0.0
        first, second = of.first, of.second
        if self.joint is None:
            frame, at = mechanism.between((first, second))
        else:
            frame, at = mechanism.joints[self.joint].seat(moving((second, first)), mechanism)
        if not of.turn:
            return coiled(part, (first, mechanism.drawn(of.point)), (frame, at), damper)
        return (TorsionSpring(part, (second if frame == first else first, frame), at, damper=damper),)


@dataclass(frozen=True, kw_only=True)
class Motor(ForceSpec):
    """An effort on a coordinate of a joint, on its second body and reacted by its first."""

    reported = EFFORT
    joint: str = key(name, "the joint")
    coordinate: str | None = key(name, COORDINATE, None)
    effort: SignalSpec = key(
        signal, "moment, or force along a travel, that works on the coordinate", dimension="effort"
    )

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        self.on(mechanism)

    def law(self, mechanism: Mechanism) -> Law:
        """Return its law."""
        return Law(self.effort, 0.0, 0.0, 0.0)

    def exerted(self, seen: Sight) -> tuple[Array]:
        """Return the effort on the coordinate."""
        return (course((self.effort,), seen.t)[:, 0],)

    def largest(self, duration: float, length: float) -> float:
        """Return the largest effort, as a force: whether it is a moment is not known here."""
        return largest(self.effort, duration) / min(1.0, length)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about the pin or along the line of the joint."""
        of, course_of = self.on(mechanism), partial(course, (self.effort,))
        return mechanism.joints[self.joint].acted(part, mechanism, of, course_of)


class _OnCoordinate(ForceSpec):
    """What motors and controllers of control.py do in the plane."""

    input: Any

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate."""
        self.on(mechanism)

    def actions(self, mechanism: Mechanism) -> Actions:
        """Return both bodies of the joint."""
        return in_joint(self.on(mechanism))


@dataclass(frozen=True, kw_only=True)
class _Turning(_OnCoordinate):
    """A motor whose rotor counts: with the reduction n and its inertia J it adds n^2 J to the body that it turns."""

    reduction: Any
    rotor: float = key(
        not_negative,
        "inertia of what turns in the motor; it adds reduction^2 times it to the body, pinned to the ground",
        0.0,
        dimension="mass length^2",
    )

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and coordinate, and that the rotor turns with one body only."""
        of = self.on(mechanism)
        if self.rotor and not (of.turn and GROUND in (of.first, of.second)):
            raise ModelError(
                'key "rotor": it counts on an angle against the ground; elsewhere its own spin counts as well: give it '
                "as a body of its own, on a gear or a coupling"
            )

    @property
    def reflected(self) -> float:  # type: ignore[override]
        """What the rotor adds to the inertia of the body."""
        return self.reduction**2 * self.rotor


@dataclass(frozen=True, kw_only=True)
class DcMotor(control.DcMotor, _Turning):  # noqa: D101
    __doc__ = control.DcMotor.__doc__

    @property
    def called(self) -> bool:  # type: ignore[override]
        """Whether its current is a state: else it is a motor and a damper."""
        return self.inductance > 0.0

    def law(self, mechanism: Mechanism) -> Law:
        """Return its law where its current follows at once: (1) in (2)."""
        return Law(self.strongest(), 0.0, self.leverage**2 * mechanism.unit.joules / self.resistance, 0.0)


@dataclass(frozen=True, kw_only=True)
class CurveMotor(control.CurveMotor, _Turning):  # noqa: D101
    __doc__ = control.CurveMotor.__doc__


@dataclass(frozen=True, kw_only=True)
class Pid(control.Pid, _OnCoordinate):  # noqa: D101
    __doc__ = control.Pid.__doc__


@dataclass(frozen=True, kw_only=True)
class Custom(OfFunction, ForceSpec):
    """A Python function of time and state: a force on a body, or the effort in a joint, which makes it a controller.

    On a body the function is called as f(t, state) and returns the force (fx, fy) in N, the global place (x, y) where
    it acts, and a couple in N m; in a joint it returns the effort on the coordinate, N m or N, on the second body and
    reacted by the first. The state gives the motion at time t by names of the model: state["B"] is the position of a
    point, (2,), m, state.velocity("B") its velocity, m/s, state.angle("rod") and state.omega("rod") the angle of a body
    since the drawing, rad, and its angular velocity, rad/s, state.coordinate("A") and state.rate("A") a coordinate of a
    joint and its rate.
    """

    reported = vectors(2, force="f", place="p") | COUPLE

    def check(self, mechanism: Mechanism) -> None:
        """Check its body, or joint and coordinate."""
        if self.body is not None:
            mechanism.known_body(self.body)
        elif self.joint is not None:
            mechanism.coordinate(self.joint, self.coordinate)

    def actions(self, mechanism: Mechanism) -> Actions:
        """Return the bodies that it acts on, each with what makes force, place and couple of its answer in a state."""
        if self.joint is None:
            return ((self.body or GROUND, _itself),)
        return in_joint(mechanism.coordinate(self.joint, self.coordinate))

    def exerted(self, seen: Sight) -> tuple[Array, ...]:
        """Return force, place where it acts and couple, or the effort, from a call at each sample."""
        answers, own = self.answers(seen), seen.own.T if self.own else ()
        if self.joint is not None:
            return (np.array([float(effort) for effort in answers]), *own)
        found = np.array([(*force, *place, couple) for force, place, couple in answers]).reshape(-1, 5)
        return (found[:, :2], found[:, 2:4], found[:, 4], *own)


Actions = tuple[tuple[str, Callable[..., Any]], ...]  # bodies, each with (answer, state) -> force, place, couple


def _itself(given: Any, state: Any) -> Any:
    """Return force, place and couple as they are."""
    return given


def in_joint(of: Freedom) -> Actions:
    """Return what an effort on a coordinate does to both bodies."""
    both = (of.first, -1.0), (of.second, 1.0)
    return tuple((body, partial(_in_joint, of, sign)) for body, sign in both)


def _in_joint(of: Freedom, sign: float, given: Any, state: Any) -> Any:
    """Return an effort as force, place and couple on one of the bodies of its joint."""
    try:
        effort = sign * float(given)
    except (TypeError, ValueError):
        raise ModelError(f"its function must return a number, the effort, it returned {given!r}") from None
    if of.turn:
        return (0.0, 0.0), (0.0, 0.0), effort
    direction, place = state.line(of)
    return effort * direction, place, 0.0


KINDS: tuple[type[ForceSpec], ...] = (Load, Torque, Spring, Cylinder, Torsion, Motor, DcMotor, CurveMotor, Pid, Custom)
NAMES = {kind_name(kind): kind for kind in KINDS}


def motor(joint: str, coordinate: str, effort: SignalSpec | float) -> ForceSpec:
    """Return an effort on a coordinate of a joint."""
    return Motor(joint=joint, coordinate=coordinate, effort=effort)  # type: ignore[arg-type]
