"""Scenes of mechanisms in space.

The frame of a body that bends is where it is carried. What is fixed further out on it follows its section there: the
samples of a motion say where any place of a body is, and lines along bodies become curves through such places. Not
used: cubics through the ends of bodies, which a second mode bends the wrong way.

Deflections c times as large are drawn in two ways. Of a tree all deflections, of bodies and of drives, are multiplied
at the same coordinates of joints, so that what a body carries goes along. Loops would open by that, and coordinates
change where joints are taken out; there every place of a body goes c times as far from its chord, the line from its
first point to its second, which stay where they are:

    x = r + (c - 1) (r - A - xi (B - A))                                                                       (1)

What is attached to a body of a loop between these two points stays on it, but other bodies of a joint there do not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.start import unstruck_state
from particlemech.engine.system import Array
from particlemech.model.primitives import Curve, End, Line, Looks, Place, Primitive
from particlemech.model.space.engines import no_tree
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import length
from particlemech.result.recursive import TreeResult
from particlemech.view.families import space
from particlemech.view.scene import Frame

dimension = 3
SLENDER = 0.012  # r as a fraction of the length of all bending bodies


def radius(m: Mechanism) -> float:
    """Return half the width of a rod: small against the bending bodies together."""
    every = sum(length(m.line(name)) for name, body in m.bodies.items() if body.bends)
    return SLENDER * every if every else space.radius(m)


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of a tree where its coordinates start, of loops as they are drawn."""
    if no_tree(m) is not None and not m.bends:
        frames = {b: Frame(c := np.array(m.centre(b)), c[None], np.eye(3)[None]) for b in m.bodies}
        return frames, {name: np.array([place]) for name, place in m.points.items()} | space.unnamed(m, frames)
    return moving(_start(m))


def moving(observed: Any) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of a motion."""
    m, (frames, points) = observed.mechanism, space.moving(observed)
    for name, body in m.bodies.items():
        if body.bends:
            first = m.line(name)[0]
            frames[name] = Frame(np.array(first), observed._placed(name, first, 0), observed.orientation(name))
    return frames, points


def bent(
    m: Mechanism, result: TreeResult | Observed | _Bowed | None, frames: dict[str, Frame], looks: Looks
) -> tuple[dict[str, Frame], Looks]:
    """Return frames, those of sections to which something is fixed too, and primitives whose lines bend."""
    if not m.bends:
        return frames, looks
    seen = _start(m) if result is None else result
    sections = _Sections(m, seen)
    shown: list[Primitive] = []
    for p in looks:
        if isinstance(p, Line) and p.frame in sections.soft:
            paths = [seen._placed(p.frame, at, 0) for at in p.points]
            shown.append(Curve(p.part, np.stack(paths, axis=1)))
        else:
            shown.append(sections.fixed(p))
    return frames | sections.frames, tuple(shown)


def exaggerated(result: TreeResult, factor: float) -> Observed | _Bowed:
    """Return a motion with deflections that many times as large, places only."""
    compiled = result._compiled
    if compiled.topology.cuts or result.phases[-1].system.mechanism.taken:  # which one system does not know all along
        return _Bowed(result, factor)
    y = result._sampled.y.copy()
    for e, coordinate in enumerate(compiled.coordinates):
        if coordinate.deflects:
            y[:, compiled.tables.stage[e]["q"]] *= factor
    return TreeSystem(compiled).observed(result.t, y, np.zeros((len(result.t), len(compiled.coordinates))), told=False)


class _Bowed:
    """A motion whose bending bodies go farther from their chords, by (1)."""

    def __init__(self, seen: TreeResult, factor: float) -> None:
        self._seen, self._factor = seen, factor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seen, name)

    def _placed(self, body: str, drawn: Any, level: int) -> Array:
        """Return a place of a body, given as drawn, (K, 3); rates as they are."""
        found = self._seen._placed(body, drawn, level)
        if level or not self._seen._bends(body):
            return found
        first, last = (np.array(at) for at in self._seen.mechanism.line(body))
        along = last - first
        xi = float(np.clip((np.array(drawn) - first) @ along / (along @ along), 0.0, 1.0))
        axis, A, B = (self._seen._placed(body, at.tolist(), 0) for at in (first + xi * along, first, last))
        return found + (self._factor - 1.0) * (axis - A - xi * (B - A))

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 3)."""
        return self._placed(*self._seen._point(point), 0)


class _Sections:
    """The sections of bending bodies to which something is fixed, as frames."""

    def __init__(self, m: Mechanism, seen: Observed | _Bowed) -> None:
        self.seen = seen
        self.soft = {name: m.line(name)[0] for name, body in m.bodies.items() if body.bends}
        self.frames: dict[str, Frame] = {}
        self._names: dict[tuple[str, Place], str] = {}

    def named(self, body: str, at: Place) -> str:
        """Return the frame in which a place of a body is fixed."""
        if body not in self.soft or tuple(at) == self.soft[body]:
            return body
        where = body, tuple(at)
        if where not in self._names:
            name = self._names[where] = f"{body} section {len(self._names)}"
            place, axes = self.seen._placed(body, at, 0), self.seen._section(body, at)
            self.frames[name] = Frame(np.array(at), place, axes)
        return self._names[where]

    def fixed(self, p: Any) -> Primitive:
        """Return a primitive whose parts are fixed to sections."""
        changes: dict[str, Any] = {}
        if hasattr(p, "ends"):
            changes["ends"] = tuple(self._end(end) for end in p.ends)
        at = p.at if hasattr(p, "at") else None
        if at is None and hasattr(p, "a"):  # a rail, whose middle is where its rider was drawn
            at = tuple(0.5 * (x + y) for x, y in zip(p.a, p.b, strict=True))
            changes["rider"] = None if p.rider is None else self._end(p.rider)
        if at is not None:
            for word in ("frame", "axes"):
                if hasattr(p, word):
                    changes[word] = self.named(getattr(p, word), at)
            if hasattr(p, "frames"):
                changes["frames"] = tuple(self.named(frame, at) for frame in p.frames)
        made: Primitive = replace(p, **changes) if changes else p
        return made

    def _end(self, end: End) -> End:
        frame, at = end
        return self.named(frame, at), at


def _start(m: Mechanism) -> Observed:
    """Return a mechanism where its coordinates start."""
    made = system(m)
    still = np.zeros((1, len(made.compiled.coordinates)))
    return made.observed(np.zeros(1), unstruck_state(made)[None], still, told=False)
