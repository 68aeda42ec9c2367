"""Scenes of chains of bending bodies.

The frame of a body that bends is where it is carried. What is fixed further out on it follows its section there: the
samples of a motion say where any place of a body is, and lines along bodies become curves through such places. Not
used: cubics through the ends of bodies, which a second mode bends the wrong way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.engine.bending.chains import chain
from particlemech.engine.bending.equations import system
from particlemech.engine.bending.observed import Observed
from particlemech.engine.bending.start import start_state
from particlemech.engine.system import Array
from particlemech.model.primitives import Curve, End, Line, Looks, Place, Primitive
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import length
from particlemech.result.bending import BendingResult
from particlemech.view import columns
from particlemech.view.families import space
from particlemech.view.scene import Arrow, Frame, Scene

dimension = 3
SLENDER = 0.012  # r as a fraction of the length of all bending bodies


def radius(m: Mechanism) -> float:
    """Return half the width of a rod: small against the bending bodies together."""
    every = sum(length(m.line(name)) for name, body in m.bodies.items() if body.bends)
    return SLENDER * every if every else space.radius(m)


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points where the coordinates start."""
    return moving(_start(m))


def moving(observed: Any) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of a motion."""
    m, (frames, points) = observed.mechanism, space.moving(observed)
    for name, body in m.bodies.items():
        if body.bends:
            first = m.line(name)[0]
            frames[name] = Frame(np.array(first), observed._placed(name, first).position, observed.orientation(name))
    return frames, points


def bent(
    m: Mechanism, result: BendingResult | None, frames: dict[str, Frame], looks: Looks
) -> tuple[dict[str, Frame], Looks]:
    """Return frames, those of sections to which something is fixed too, and primitives whose lines bend."""
    seen = _start(m) if result is None else result
    sections = _Sections(m, seen)
    shown: list[Primitive] = []
    for p in looks:
        if isinstance(p, Line) and p.frame in sections.soft:
            paths = [seen._placed(p.frame, at).position for at in p.points]
            shown.append(Curve(p.part, np.stack(paths, axis=1)))
        else:
            shown.append(sections.fixed(p))
    return frames | sections.frames, tuple(shown)


class _Sections:
    """The sections of bending bodies to which something is fixed, as frames."""

    def __init__(self, m: Mechanism, seen: Observed) -> None:
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
            place, axes = self.seen._placed(body, at).position, self.seen._section(body, at)
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
    made = system(chain(m), m)
    return made.observed(np.zeros(1), start_state(made)[None], moved=False)


def reactions(seen: Scene, m: Mechanism, result: BendingResult) -> dict[str, Arrow]:
    """Return the forces that joints exert, by "joint.body", as in the files of a result."""
    unit = columns.unit(m, "force")
    return {
        f"{name}.{joint.second}": Arrow(result.place(name), result.reaction(name, joint.second), unit)
        for name, joint in m.joints.items()
    }
