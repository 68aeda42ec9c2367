"""Primitives: what any part of any mechanism looks like, in words that every renderer knows; nothing is drawn here.

Each kind of body, joint, driver and force says in its own file which of these it shows (`look`). A *frame* is the name
of a body, or "ground"; places and directions are global ones of the drawing, (x, y) or (x, y, z), and move with their
frame. Renderers know primitives and no kinds, so a new kind is drawn without a change there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

GROUND = "ground"  # the fixed frame

Place = tuple[float, ...]  # or direction, d = 2 or 3 components
End = tuple[str, Place]  # frame, and a place fixed in it
Course = Callable[[Any], Any]  # times (K,) -> values (K, n)


class Part(NamedTuple):
    """The part of a model that a primitive belongs to."""

    section: str  # "body", "joint", "driver", "force", "impulse"
    name: str


@dataclass(frozen=True)
class Primitive:
    """Base of all."""

    part: Part


Looks = tuple[Primitive, ...]

# -- bodies --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line(Primitive):
    """A line through places of one frame: the bone of a body."""

    frame: str
    points: tuple[Place, ...]


@dataclass(frozen=True)
class Plate(Primitive):
    """A body with an area: a closed outline in the plane, or the flat faces of a solid in space."""

    frame: str
    outline: tuple[Place, ...] = ()
    faces: tuple[tuple[Place, ...], ...] = ()
    rod: bool = False  # a slender one


@dataclass(frozen=True)
class Curve(Primitive):
    """What deforms: a line that is given at every sample, in global coordinates."""

    points: Any  # (K, n, d)


# -- joints --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pin(Primitive):
    """What turns: a pin across the plane, or about an axis in space."""

    frame: str
    at: Place
    axis: Place | None = None


@dataclass(frozen=True)
class Ball(Primitive):
    """What turns about all axes."""

    frame: str
    at: Place


@dataclass(frozen=True)
class Weld(Primitive):
    """A rigid connection."""

    frame: str
    at: Place


@dataclass(frozen=True)
class Hatch(Primitive):
    """The support of a place that the ground holds."""

    at: Place
    towards: Place | None = None  # from the place into the ground; the scene says where that is


@dataclass(frozen=True)
class Slot(Primitive):
    """A slit in a frame, from a to b; with a rider the scene stretches it along its line as far as that travels."""

    frame: str
    a: Place
    b: Place
    rider: End | None = None


@dataclass(frozen=True)
class Rail(Primitive):
    """A line in a frame along which a slider moves, hatched on the ground; a, b and rider as those of a slot."""

    frame: str
    a: Place
    b: Place
    rider: End | None = None


@dataclass(frozen=True)
class Floor(Primitive):
    """A line of the ground on which something rolls, or which something strikes."""

    a: Place
    b: Place
    towards: Place  # across the line into the ground


@dataclass(frozen=True)
class Slider(Primitive):
    """A block that slides along a direction of its frame."""

    frame: str
    at: Place
    along: Place


@dataclass(frozen=True)
class Rod(Primitive):
    """A straight massless rod between two places."""

    ends: tuple[End, End]


@dataclass(frozen=True)
class Ram(Primitive):
    """A cylinder between two places: a barrel from the first, and a rod with a piston in it from the second.

    The scene says how long both are, so that the piston stays inside as far as the places come apart.
    """

    ends: tuple[End, End]
    barrel: float = 0.0
    rod: float = 0.0


@dataclass(frozen=True)
class Outline(Primitive):
    """A thin line through places of one frame: a wheel with its teeth, a belt where it lies on its pulley."""

    frame: str
    points: tuple[Place, ...]


@dataclass(frozen=True)
class Strap(Primitive):
    """A thin line between two places: a belt between its pulleys, the line on which a wheel rolls."""

    ends: tuple[End, End]


@dataclass(frozen=True)
class Band(Primitive):
    """A belt or rope round circles about places: strands that touch two of them, and the arcs between strands."""

    ends: tuple[End, ...]  # the centres
    radii: tuple[float, ...]  # negative where it goes round clockwise
    closed: bool


@dataclass(frozen=True)
class Tie(Primitive):
    """What two places have to do with each other without touching: a dashed line."""

    ends: tuple[End, End]


@dataclass(frozen=True)
class Lug(Primitive):
    """A stop beside a pin: a flat piece of a frame, which what turns strikes with its side."""

    frame: str
    at: Place  # of the pin
    outline: tuple[Place, ...]


@dataclass(frozen=True)
class Buffer(Primitive):
    """A stop at the end of a path in a frame: a block across it, which what slides strikes with its end."""

    frame: str
    at: Place  # where what slides is when it strikes
    along: Place  # outwards
    path: Part  # the joint whose rail or slot reaches as far
    pin: bool = False  # a pin slides, not a block


@dataclass(frozen=True)
class Rough(Primitive):
    """The mark of friction, the letter of its coefficient beside a place."""

    frame: str
    at: Place


# -- forces and drivers --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spring(Primitive):
    """A coil between two places."""

    ends: tuple[End, End]


@dataclass(frozen=True)
class Damper(Primitive):
    """A dashpot between two places: a cup held by the first, a piston by the second."""

    ends: tuple[End, End]


@dataclass(frozen=True)
class TorsionSpring(Primitive):
    """A spiral about a place, or about an axis through it, between two frames; the place is fixed in the second.

    A damper alone is an open ring with a vane in it.
    """

    frames: tuple[str, str]
    at: Place
    axis: Place | None = None
    damper: bool = False


@dataclass(frozen=True)
class Push(Primitive):
    """A force at a place; the scene makes an arrow of it."""

    frame: str
    at: Place
    value: Course | None = None  # (K, d); None: the effort of this driver, a result
    axis: Place | None = None  # direction of an effort, fixed in `axes`
    axes: str = GROUND  # the frame in which value or axis is written


@dataclass(frozen=True)
class Turn(Primitive):
    """A couple; the scene makes a turning arrow of it."""

    frame: str
    at: Place
    value: Course | None = None  # (K, 1) in the plane, (K, 3) in space; None: the effort of this driver, a result
    axis: Place | None = None  # direction of an effort in space, fixed in `axes`
    axes: str = GROUND


# what stays on its frame where a run takes its joint out: what closed the joint goes
STAYING = (Line, Plate, Curve, Hatch, Slot, Rail, Slider, Outline)

# -- what kinds share ----------------------------------------------------------------------------------------------


def moving(bodies: tuple[str, ...]) -> str:
    """Return the first body that is not the ground."""
    return next((b for b in bodies if b != GROUND), GROUND)


def held(part: Part, *ends: End) -> tuple[Hatch, ...]:
    """Return what holds those places that are on the ground."""
    return tuple(Hatch(part, at) for body, at in ends if body == GROUND)


def edge(part: Part, frame: str, a: Place, b: Place, towards: Place) -> Floor | Strap:
    """Return a line of a body that another touches: the edge of the ground, or a thin line."""
    return Floor(part, a, b, towards) if frame == GROUND else Strap(part, ((frame, a), (frame, b)))


def roughened(looks: Looks, seat: End) -> Looks:
    """Return what a joint looks like with a mark where it rubs: at its pins, balls and blocks, or else at its seat."""
    marks = [Rough(p.part, p.frame, p.at) for p in looks if isinstance(p, Pin | Ball | Slider)]
    return (*looks, *(dict.fromkeys(marks) or (Rough(looks[0].part, *seat),))) if looks else looks


def coiled(part: Part, one: End, other: End, damper: bool = False) -> Looks:
    """Return a coil, or a dashpot if it is a damper alone, between two places, and what the ground holds it by."""
    kind = Damper if damper else Spring
    return (kind(part, (one, other)), *held(part, one, other))


def track(at: Place, along: Place, low: float, high: float) -> tuple[Place, Place]:
    """Return the ends of a line through a place, at two distances along it."""
    size = sqrt(sum(u * u for u in along))
    one, other = (tuple(x + s * u / size for x, u in zip(at, along, strict=True)) for s in (low, high))
    return one, other
