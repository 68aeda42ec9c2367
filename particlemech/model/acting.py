"""Forces and drivers: what those of the plane and of space have in common, and their keys that are the same in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from particlemech import _tape
from particlemech.errors import ModelError
from particlemech.model.applied import EFFORT, LINE, Array, Quantities, along_line
from particlemech.model.primitives import GROUND, Looks, Part, Push, Ram, Rod, coiled
from particlemech.model.signals import SignalSpec, course, motion, values
from particlemech.model.spec import (
    Spec,
    choice,
    function,
    key,
    kind_name,
    name,
    names,
    not_negative,
    numbers,
    positive,
    shown,
)

Spot = tuple[str, Any]  # a body and a place on it, in the drawing, (x, y) or (x, y, z)

COORDINATE = "which coordinate; may be left out where there is one"


class Acting(Spec):
    """Base of what acts on a mechanism."""

    joint: str | None = None  # on whose coordinate it acts, of kinds that act on one
    coordinate: str | None = None

    def check(self, mechanism: Any) -> None:
        """Check the names it mentions, and what the parts it acts on must be for it."""
        raise TypeError(f"{type(self).__name__} does not check itself")

    def turns(self, mechanism: Any) -> bool:
        """Whether its effort is a moment: where it acts on an angle."""
        return self.joint is not None and bool(mechanism.is_angle(self.joint, self.coordinate))

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod, m."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")


# -- forces --------------------------------------------------------------------------------------------------------


class Force(Acting):
    """Base of the forces."""

    in_file: ClassVar[bool] = True  # can be written in a model file
    elastic: ClassVar[bool] = False  # a spring or damper, which belongs to the mechanism and not to what acts on it
    sampled: ClassVar[bool] = False  # measures at instants of its own
    called: ClassVar[bool] = False  # asked for what it exerts in each state, control.py: a function, or with own states
    reported: ClassVar[Quantities]  # its quantities in results

    @property
    def alone(self) -> Any:
        """The same with nothing but what its one signal does."""
        return self

    def quantities(self, mechanism: Any) -> Quantities:
        """Return what results tell of it."""
        return self.reported

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return its quantities at K samples, (K,), (K, 2) or (K, 3) each, from the motion by name."""
        raise TypeError(f"{type(self).__name__} does not say what it exerts")


@dataclass(frozen=True, kw_only=True)
class OnPoint(Force):
    """A force on a point of a body."""

    body: str = key(name, "the body it acts on")
    point: Any
    force: Any
    frame: str = key(choice("global", "body"), "axes of the force: global, or turning with the body", "global")

    def exerted(self, seen: Any) -> tuple[Array, Array]:
        """Return force in global axes, N, and the place where it acts, m."""
        force = course(self.force, seen.t)
        at = seen.mechanism.place(self.point, self.body)
        return (seen.turned(self.body, force, at) if self.frame == "body" else force), seen.place_on(self.body, at)

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return an arrow."""
        at = mechanism.place(self.point, self.body)
        axes = self.body if self.frame == "body" else GROUND
        return (Push(part, self.body, at, partial(course, self.force), axes=axes),)


class Line(NamedTuple):
    """What acts along the line between two points: stiffness (l - free) + damping l' - push, where it pulls."""

    stiffness: float
    damping: float
    free: float
    push: SignalSpec | None


@dataclass(frozen=True, kw_only=True)
class OnLine(Force):
    """Base of what acts along the line between two points."""

    bodies: tuple[str, ...] = key(names(2, 2), "two bodies; one may be the ground")
    points: Any

    def ends(self, mechanism: Any) -> tuple[Spot, Spot]:
        """Return the bodies and the places on them, in the drawing."""
        one, other = ((b, mechanism.place(p, b)) for b, p in zip(self.bodies, self.points, strict=True))
        return one, other

    def line(self, mechanism: Any) -> Line:
        """Return how it acts."""
        raise TypeError(f"{type(self).__name__} acts along no line")

    def exerted(self, seen: Any) -> tuple[Array, ...]:
        """Return force, N, of springs positive where it pulls; length, m; rate of the length, m/s."""
        of = self.line(seen.mechanism)
        pull, length, rate = along_line(seen, *self.ends(seen.mechanism), of.stiffness, of.damping, of.free)
        push = 0.0 if of.push is None else course((of.push,), seen.t)[:, 0]
        return (pull if self.elastic else push - pull), length, rate


@dataclass(frozen=True, kw_only=True)
class Sprung(OnLine):
    """A spring and damper along the line between two points; its force is positive where it pulls them together."""

    elastic = True
    reported = LINE
    stiffness: float = key(not_negative, "force per length", 0.0, dimension="stiffness")
    damping: float = key(not_negative, "force per speed", 0.0, dimension="damping")
    length: float | None = key(
        not_negative, "at which it is free of force; default: that of the drawing", None, dimension="length"
    )

    def free(self, mechanism: Any) -> float:
        """Return the length at which it is free of force."""
        return self.length if self.length is not None else _tape.dist(*(at for _, at in self.ends(mechanism)))

    def line(self, mechanism: Any) -> Line:
        """Return how it acts."""
        return Line(self.stiffness, self.damping, self.free(mechanism), None)

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return a coil, and what the ground holds it by."""
        return coiled(part, *self.ends(mechanism), damper=self.damping > 0.0 and self.stiffness == 0.0)


class Called(Force):
    """Base of what is asked for what it exerts in each state, and may own states z: motors, controllers, functions."""

    called = True

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states that it owns."""
        return ()

    @property
    def initial(self) -> tuple[float, ...]:
        """Return its states before a run begins."""
        return (0.0,) * len(self.states)

    def sizes(self, duration: float) -> tuple[float, ...]:
        """Return what counts as a unit of each state, for the control of errors."""
        return (1.0,) * len(self.states)

    @property
    def moving(self) -> tuple[bool, ...]:
        """Return which states follow a law and act; the others are as if they were not there."""
        return (True,) * len(self.states)

    @property
    def unlimited(self) -> Any:
        """Return the same without limits: itself, if it has none."""
        return self

    @property
    def inputs(self) -> tuple[SignalSpec, ...]:
        """Return the signals that it follows."""
        return ()

    def answer(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[Any, tuple[float, ...]]:
        """Return what it exerts in a state, and the rates of z."""
        raise TypeError(f"{type(self).__name__} gives no answer")

    def begun(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[float, ...]:
        """Return z when a run begins in a state."""
        return tuple(z)

    def struck(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[float, ...]:
        """Return z just after one of its instants."""
        return tuple(z)

    def instants(self, duration: float) -> Sequence[float]:
        """Return the times in a run at which z jumps."""
        return ()

    def due(self, t: float) -> bool:
        """Whether a time is one of these."""
        return False

    def answers(self, seen: Any) -> list[Any]:
        """Return what it exerts at each sample of a motion."""
        m, every = seen.mechanism, zip(seen.t, seen.own, strict=True)
        return [self.answer(float(t), seen.state(k), z.tolist(), m)[0] for k, (t, z) in enumerate(every)]


def check_stateless(mechanism: Any, asked: str, cure: str) -> None:
    """Raise where a force owns states, of those who know no run that tells them."""
    for called, force in mechanism.forces.items():
        if force.called and force.states:
            owned = ", ".join(force.states)
            raise ModelError(f'{asked}: force "{called}" owns states ({owned}), which only a run tells; {cure}')


@dataclass(frozen=True, kw_only=True)
class OfFunction(Called):
    """A Python function of time and state, on a body or in a joint.

    With `states` it is called as f(t, state, z) and returns what it exerts, and the rates of its states z, which are
    integrated with the motion. The state tells motion only: reactions follow from what the function exerts.
    """

    in_file = False
    body: str | None = key(name, "the body it acts on", None)
    joint: str | None = key(name, "or the joint on whose coordinate it acts", None)
    coordinate: str | None = key(name, "of the joint; may be left out where there is one", None)
    function: Callable[..., Any] = key(function, "f(t, state) -> (force, place, couple), or effort")
    own: tuple[float, ...] = key(
        numbers, "states z of its own as they begin; then f(t, state, z) -> (what it exerts, rates of z)", ()
    )

    def verify(self) -> None:
        """Check that it acts on one thing."""
        if (self.body is None) == (self.joint is None):
            which = "none is given" if self.body is None else "both are given"
            raise ModelError(f'exactly one of "body" and "joint" is needed; {which}')

    def quantities(self, mechanism: Any) -> Quantities:
        """Return force, place and couple, or the effort; and its states."""
        return {**(EFFORT if self.body is None else self.reported), **{name: (name,) for name in self.states}}

    @property
    def states(self) -> tuple[str, ...]:
        """z1, z2 ..."""
        return tuple(f"z{k}" for k in range(1, len(self.own) + 1))

    @property
    def initial(self) -> tuple[float, ...]:
        """Return its states as they begin."""
        return self.own

    def sizes(self, duration: float) -> tuple[float, ...]:
        """Return their values as they begin, or 1 where these are 0."""
        return tuple(abs(value) or 1.0 for value in self.own)

    def answer(self, t: float, state: Any, z: Sequence[float], mechanism: Any) -> tuple[Any, tuple[float, ...]]:
        """Return what the function does, and the rates of z."""
        if not self.own:
            return self.function(t, state), ()
        found = self.function(t, state, np.array(z))
        try:
            given, rates = found
            rates = tuple(float(rate) for rate in np.reshape(np.asarray(rates, dtype=float), -1))
        except (TypeError, ValueError):
            raise ModelError(
                f"its function must return what it exerts and the rates of z, got {shown(found)}"
            ) from None
        if len(rates) != len(self.own):
            raise ModelError(
                f"its function gives {len(rates)} rates for {len(self.own)} states; one for each is needed"
            )
        return given, rates

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return nothing: what it exerts is known to the function only."""
        return ()


# -- drivers -------------------------------------------------------------------------------------------------------


class Driver(Acting):
    """Base of the drivers; motions count from the drawing, what they are at t = 0 is where the mechanism starts."""

    motion: SignalSpec
    area: float | None = None  # of the piston, of kinds that may be cylinders

    def verify(self) -> None:
        """Check that the motion is smooth enough to follow."""
        if not self.motion.smooth:
            kind = kind_name(type(self.motion))
            raise ModelError(f'key "motion": a {kind} jumps and cannot be followed; use "cycloid" or "table"')

    def between(self, mechanism: Any) -> tuple[str, str]:
        """Return the two bodies it acts between: that which reacts, and that on which its effort acts."""
        raise TypeError(f"{type(self).__name__} does not say between which bodies it acts")

    def ends(self, mechanism: Any) -> tuple[Spot, ...]:
        """Return the places it moves, of kinds that move places: bodies, and places on them, in the drawing."""
        return ()


@dataclass(frozen=True, kw_only=True)
class OfCoordinate(Driver):
    """A coordinate of a joint."""

    joint: str = key(name, "a joint that leaves a coordinate free")
    coordinate: str | None = key(name, COORDINATE, None)
    motion: SignalSpec = key(motion, "value of the coordinate since the drawing, rad or length", dimension="freedom")

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return an arrow about the axis or along the line of the coordinate."""
        of = mechanism.coordinate(self.joint, self.coordinate)
        looks: Looks = mechanism.joints[self.joint].acted(part, mechanism, of)
        return looks


@dataclass(frozen=True, kw_only=True)
class OfDistance(Driver):
    """Distance of two points."""

    points: Any
    motion: SignalSpec = key(motion, "change of their distance since the drawing", dimension="length")
    bodies: tuple[str, ...] | None = key(
        names(2, 2), "where the points are on several bodies; default: the first that lists each", None
    )
    area: float | None = key(
        positive, "of the piston of a cylinder, whose pressure is told then", None, dimension="area"
    )

    def check(self, mechanism: Any) -> None:
        """Check that two bodies carry its points, and that these are apart."""
        first, second = self.between(mechanism)
        if first == second:
            raise ModelError(
                f'both points are on body "{first}", so their distance cannot change; '
                'name points of two bodies, or say which by "bodies"'
            )
        for point, body in zip(self.points, (first, second), strict=True):
            mechanism.carried(point, body)
        drawn, start = self.drawn(mechanism), values(self.motion, 0.0)[0]
        if drawn == 0.0:
            one, other = map(called, self.points)
            raise ModelError(f"{one} and {other} are drawn at one place, so their line has no direction; move one")
        if drawn + start <= 0.0:
            raise ModelError(
                f'key "motion": starts at {start:g}, which leaves nothing of the drawn distance of {drawn:g}; '
                "a distance stays above zero"
            )

    def between(self, mechanism: Any) -> tuple[str, str]:
        """Return the bodies that carry its points."""
        if self.bodies is not None:
            return self.bodies[0], self.bodies[1]
        for point in self.points:
            mechanism.drawn(point)
            if not isinstance(point, str):
                raise ModelError('key "bodies" is missing; name the bodies on which the two places are fixed')
        return mechanism.carrier(self.points[0]), mechanism.carrier(self.points[1])

    def ends(self, mechanism: Any) -> tuple[Spot, Spot]:
        """Return the bodies and the places on them, in the drawing."""
        carriers = self.between(mechanism)
        one, other = ((b, mechanism.place(p, b)) for b, p in zip(carriers, self.points, strict=True))
        return one, other

    def drawn(self, mechanism: Any) -> float:
        """Return the distance as drawn."""
        return _tape.dist(*(mechanism.drawn(point) for point in self.points))

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return a cylinder between its points, or a rod where no area says that it is one."""
        return ((Rod if self.area is None else Ram)(part, self.ends(mechanism)),)


@dataclass(frozen=True, kw_only=True)
class OfPosition(Driver):
    """A coordinate of a point."""

    point: Any
    axis: str
    motion: SignalSpec = key(motion, "length since the drawing", dimension="length")
    body: str | None = key(name, "where the point is on several; default: the first that lists it", None)

    def check(self, mechanism: Any) -> None:
        """Check that a moving body carries its point."""
        mechanism.drawn(self.point)
        if self.body is None and not isinstance(self.point, str):
            raise ModelError('key "body" is missing; name the body on which the place is fixed')
        body = self.between(mechanism)[1]
        if body == GROUND:
            raise ModelError(f"{called(self.point)} of the ground cannot be driven; name a body that carries it")
        mechanism.carried(self.point, body)

    def between(self, mechanism: Any) -> tuple[str, str]:
        """Return the ground, and the body on which the point is fixed."""
        return GROUND, mechanism.carrier(self.point) if self.body is None else self.body

    def ends(self, mechanism: Any) -> tuple[Spot]:
        """Return the body and the place on it, in the drawing."""
        body = self.between(mechanism)[1]
        return ((body, mechanism.place(self.point, body)),)

    def along(self, mechanism: Any) -> Any:
        """Return the unit vector along its axis."""
        return tuple(float(self.axis == axis) for axis in "xyz"[: len(mechanism.gravity)])

    def look(self, part: Part, mechanism: Any, r: float) -> Looks:
        """Return an arrow along the axis."""
        return (Push(part, *self.ends(mechanism)[0], axis=self.along(mechanism)),)


def called(point: str | tuple[float, ...]) -> str:
    """Return how a message calls a place."""
    return f'point "{point}"' if isinstance(point, str) else f"the place {list(point)}"
