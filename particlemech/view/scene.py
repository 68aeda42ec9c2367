"""Scene: a mechanism or a motion as plain data for renderers: frames that move, primitives, points, arrows, numbers.

    place(t) = origin(t) + R(t) (at - centre)      at: a place of a frame in the drawing                             (1)

A still has one sample. What costs time (reactions, energies, all columns) is computed when first asked for. All sizes
are multiples of r, half the width of a rod, which comes from the mechanism: one of 4 cm and one of 4 m look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.primitives import (
    GROUND,
    STAYING,
    Buffer,
    Curve,
    Floor,
    Hatch,
    Line,
    Looks,
    Outline,
    Part,
    Place,
    Plate,
    Primitive,
    Push,
    Rail,
    Ram,
    Slot,
    Turn,
)
from particlemech.view.axis import TIME, Axis, Mark

Value = TypeVar("Value")
GROUPS = ("velocity", "acceleration", "reaction", "load", "impulse", "effort")
ACTING = ("load", "impulse")  # what is shown unless told otherwise
# of the stroke of a cylinder, and of its least length: how long its barrel is drawn
STROKE, SHORT, LONG = 1.2, 0.6, 0.9
MOUTH = 0.95  # of a barrel: no piston is farther out
ENOUGH = 400  # samples that tell how much room a motion takes


@dataclass(frozen=True)
class Frame:
    """How one body moves, by (1)."""

    centre: Array  # (d,) its centre of mass in the drawing
    origin: Array  # (K, d) where that is
    turn: Array  # (K,) rad in the plane, (K, 3, 3) in space: since the drawing

    @cached_property
    def rotation(self) -> Array:
        """R of (1), (K, d, d)."""
        if self.turn.ndim == 3:
            return self.turn
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)

    def places(self, at: Any) -> Array:
        """Return where places (n, d) of the drawing are, (K, n, d)."""
        return self.origin[:, None] + self.directions(np.asarray(at, dtype=float) - self.centre)

    def directions(self, along: Any) -> Array:
        """Return how directions (n, d) of the drawing point, (K, n, d)."""
        return np.einsum("kij,nj->kni", self.rotation, np.asarray(along, dtype=float))


class Arrow(NamedTuple):
    """A vector at a place; a couple is a turning one, with one component in the plane."""

    at: Array  # (K, d)
    vector: Array  # (K, d), or (K, 1) for a couple in the plane; NaN where it is not determined
    unit: str
    turning: bool = False


class Quantity(NamedTuple):
    """A column of a result."""

    values: Array  # (K,)
    what: str  # such as "velocity"
    unit: str


class Row(NamedTuple):
    """A line in the table of a model."""

    section: str  # "point", "body", "joint", "driver", "force", "impulse"
    name: str
    kind: str  # such as "revolute"; empty where a section has one kind
    keys: tuple[tuple[str, str], ...]  # key and value


class Lazy(Mapping[str, Value]):
    """A mapping whose values are made when first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], Value]]) -> None:
        self._makers, self._made = dict(makers), dict[str, Value]()

    def __getitem__(self, key: str) -> Value:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Scene:
    """What renderers see; K samples, d dimensions."""

    dimension: int  # d, 2 or 3
    title: str
    unit: str  # of length
    t: Array  # (K,) s; of an axis other than time, even along it
    frames: Mapping[str, Frame]  # of the moving bodies
    primitives: Looks  # hatches know their direction, slots, rails and cylinders how long they are
    points: Mapping[str, Array]  # (K, d) each; a body without points is followed at its centre of mass
    fixed: tuple[str, ...]  # points that do not move
    r: float  # half the width of a rod
    # arrows of each of GROUPS, by the name of their point, joint (and body), force, impulse, driver
    arrows: Mapping[str, Mapping[str, Arrow]]
    table: tuple[Row, ...] = ()
    ended: str = ""  # how a run that did not complete ended, in a few words; empty otherwise
    message: str = ""  # the same at length
    there: Mapping[Part, Array] = field(default_factory=dict)  # (K,) whether parts are that a run takes out
    axis: Axis = TIME  # what samples are shown against
    swings: tuple[Any, ...] = ()  # of view/swings.py, whose samples stand one after the other
    _quantities: Callable[[], dict[str, Quantity]] = field(default=_nothing, repr=False)
    _certificate: Callable[[], dict[str, str]] = field(default=_nothing, repr=False)
    _marks: Callable[[], tuple[Mark, ...]] = field(default=tuple, repr=False)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """All columns of the result by name; none of a still."""
        return self._quantities()

    @cached_property
    def certificate(self) -> dict[str, str]:
        """What the run says of itself, in words: closure, energy error, how it ended."""
        return self._certificate()

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Places on the axis, such as toggles."""
        return self._marks()

    def shown(self, p: Primitive) -> Array | None:
        """Return at which samples a primitive is seen, (K,); None: at all."""
        return None if isinstance(p, STAYING) else self.there.get(p.part)

    def places(self, frame: str, at: Any) -> Array:
        """Return where places (n, d) of a frame are, (K, n, d)."""
        if frame == GROUND:
            return np.broadcast_to(np.asarray(at, dtype=float), (len(self.t), *np.shape(at)))
        return self.frames[frame].places(at)

    def directions(self, frame: str, along: Any) -> Array:
        """Return how directions (n, d) of a frame point, (K, n, d)."""
        if frame == GROUND:
            return np.broadcast_to(np.asarray(along, dtype=float), (len(self.t), *np.shape(along)))
        return self.frames[frame].directions(along)

    def place(self, frame: str, at: Place) -> Array:
        """Return where a place (d,) of a frame is, (K, d)."""
        return self.places(frame, [at])[:, 0]

    def followed(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Return the points whose paths are shown, one or several; default the one with the longest path."""
        if names is None:
            lengths = {
                name: np.sum(np.linalg.norm(np.diff(path, axis=0), axis=1))
                for name, path in self.points.items()
                if name not in self.fixed
            }
            return tuple(sorted(lengths, key=lambda name: -lengths[name])[:1])
        names = (names,) if isinstance(names, str) else tuple(names)
        for name in names:
            if name not in self.points:
                raise ModelError(f'point "{name}" unknown{suggestion(name, self.points)}')
        return names

    def columns_of(self, part: Part) -> list[str]:
        """Return the names of the quantities that belong to a part or, with section "point", to a point."""
        own = [name for name in self.quantities if name.startswith(f"{part.name}.")]
        if part.section in ("body", "point"):
            return [name for name in own if name.count(".") == 1]
        taken = part.name in self.points or part.name in self.frames
        return [name for name in own if name.count(".") > 1 or not taken]

    @cached_property
    def box(self) -> Array:
        """The least and the largest coordinates of all that is seen at any time, (2, d)."""
        some = self.thinned(ENOUGH)
        seen = [path.reshape(-1, self.dimension) for path in some.points.values()]
        seen += [frame.origin for frame in some.frames.values()]
        for p in some.primitives:
            seen += [places.reshape(-1, self.dimension) for places in _extents(some, p)]
        every = np.vstack(seen)
        return np.array([every.min(axis=0), every.max(axis=0)])

    def thinned(self, most: int) -> Scene:
        """Return the same scene with no more than some samples, evenly spaced, without quantities."""
        K = len(self.t)
        return self if K <= most else self.at(np.linspace(0, K - 1, most).round().astype(int))

    def at(self, samples: Any) -> Scene:
        """Return the scene at some samples, without quantities."""
        frames = {n: Frame(f.centre, f.origin[samples], f.turn[samples]) for n, f in self.frames.items()}
        points = {n: path[samples] for n, path in self.points.items()}

        def cut(group: str) -> dict[str, Arrow]:
            found = self.arrows[group]
            return {n: a._replace(at=a.at[samples], vector=a.vector[samples]) for n, a in found.items()}

        arrows = Lazy({group: lambda group=group: cut(group) for group in self.arrows})  # type: ignore[misc]
        seen = tuple(replace(p, points=p.points[samples]) if isinstance(p, Curve) else p for p in self.primitives)
        there = {part: known[samples] for part, known in self.there.items()}
        changed: dict[str, Any] = {"frames": frames, "points": points, "arrows": arrows, "primitives": seen}
        return replace(self, t=self.t[samples], there=there, _quantities=_nothing, **changed)


def _extents(scene: Scene, p: Primitive) -> list[Array]:
    """Return the places, (K, n, d), that a primitive covers."""
    any_p: Any = p
    if hasattr(p, "ends"):
        return [scene.places(frame, [at]) for frame, at in any_p.ends]
    if isinstance(p, Plate):
        return [scene.places(p.frame, list(part)) for part in (p.outline, *p.faces) if part]
    if isinstance(p, Slot | Rail | Floor):
        return [scene.places(getattr(p, "frame", GROUND), [p.a, p.b])]
    if isinstance(p, Curve):
        return [p.points]
    if isinstance(p, Line | Outline):
        return [scene.places(p.frame, list(p.points))]
    return [scene.places(getattr(p, "frame", GROUND), [any_p.at])] if hasattr(p, "at") else []


def known_groups(groups: Sequence[str]) -> list[str]:
    """Return the names of groups of arrows, one or several, or say which there are."""
    groups = [groups] if isinstance(groups, str) else list(groups)
    for group in groups:
        if group not in GROUPS:
            raise ModelError(f'arrows "{group}" unknown{suggestion(group, GROUPS)}')
    return groups


# -- from looks to what is seen ------------------------------------------------------------------------------------


def settled(scene: Scene) -> Scene:
    """Return a scene whose hatches have a direction and whose slots reach as far as their riders; loads are arrows.

    Cylinders know how long their parts are.
    """
    middle = np.mean([frame.origin.mean(axis=0) for frame in scene.frames.values()], axis=0)
    kept: list[Primitive] = []
    for p in scene.primitives:
        if isinstance(p, Hatch) and p.towards is None:
            # the ground lies on the side away from the mechanism, below in doubt
            down = -1.0 if p.at[-1] <= middle[-1] + scene.r else 1.0
            kept.append(replace(p, towards=(*(0.0,) * (scene.dimension - 1), down)))
        elif isinstance(p, Slot | Rail):
            kept.append(_stretched(scene, p))
        elif isinstance(p, Ram):
            kept.append(_long(scene, p))
        elif not isinstance(p, Push | Turn):
            kept.append(p)
    return replace(scene, primitives=tuple(dict.fromkeys(kept)) if scene.dimension == 2 else tuple(kept))


def _stretched(scene: Scene, p: Slot | Rail) -> Primitive:
    """Return a slot or rail that reaches as far as its rider travels while it has one, and as far as its stops."""
    a, b = np.array(p.a), np.array(p.b)
    along = (b - a) / np.linalg.norm(b - a)
    ends = [
        (np.array(stop.at) - a) @ along for stop in scene.primitives if isinstance(stop, Buffer) and stop.path == p.part
    ]
    there = scene.there.get(p.part, np.ones(len(scene.t), dtype=bool))
    if p.rider is None or len(scene.t) == 1 or not there.any():
        ways = np.array(ends if len(ends) == 2 else [0.0, np.linalg.norm(b - a), *ends])
    else:
        now = scene.directions(p.frame, [along])[:, 0]
        s = np.sum((scene.place(*p.rider) - scene.place(p.frame, p.a)) * now, axis=1)
        ways = np.concatenate([s[there], ends])
    low, high = float(ways.min()), float(ways.max())
    if high - low < scene.r:  # one that nothing travels along can still be seen
        low, high = low - scene.r, high + scene.r
    return replace(p, a=tuple((a + low * along).tolist()), b=tuple((a + high * along).tolist()))


def _long(scene: Scene, p: Ram) -> Ram:
    """Return a cylinder whose piston stays within its barrel, in the middle of it at half of its stroke."""
    one, other = (scene.place(*end) for end in p.ends)
    apart = np.linalg.norm(other - one, axis=1)
    low, high = float(apart.min()), float(apart.max())
    barrel = min(max(STROKE * (high - low), SHORT * low), LONG * low)
    return replace(p, barrel=barrel, rod=max(0.5 * (low + high - barrel), high - MOUTH * barrel))


def arrow(scene: Scene, p: Push | Turn, effort: Array | None, unit: str) -> Arrow:
    """Return the arrow of a load or couple; `effort` (K,) is that of its driver."""
    turning = isinstance(p, Turn)
    if p.value is not None:
        vector = np.asarray(p.value(scene.t))
    else:
        vector = np.zeros((len(scene.t), 1)) if effort is None else effort[:, None]
    if p.axis is not None:
        vector = vector * np.array(p.axis) / np.linalg.norm(p.axis)
    if p.axes != GROUND and vector.shape[1] == scene.dimension:
        vector = np.einsum("kij,kj->ki", scene.frames[p.axes].rotation, vector)
    there = scene.there.get(p.part)
    if there is not None:
        vector = np.where(there[:, None], vector, np.nan)
    return Arrow(scene.place(p.frame, p.at), vector, unit, turning)
