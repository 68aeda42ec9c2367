"""Scenes of flexible manipulators.

Places are those of a link in its own axes, undeflected, so a frame here is where the origin of a link is and how its
axes lie. What is fixed further out on a link that bends follows its section: the family asks the same equations that
made the motion for more points, and draws curves through them. Not used: cubics through the ends of links, which a
second mode bends the wrong way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.flexible.chains import chain
from particlemech.flexible.equations import FlexibleSystem, system
from particlemech.flexible.mechanism import MOTIONS, Mechanism
from particlemech.flexible.observed import Observed
from particlemech.flexible.parts import BASE, Point
from particlemech.flexible.result import Result
from particlemech.flexible.start import start_state
from particlemech.inertia import tensor
from particlemech.primitives import Ball, Curve, Hatch, Line, Looks, Part, Place, Plate, Primitive
from particlemech.shapes import faces
from particlemech.system import Array
from particlemech.view import columns
from particlemech.view.scene import Arrow, Frame, Scene

dimension = 3
SLENDER = 0.012  # r as a fraction of the length of all links
ORIGIN = np.zeros(3)


def radius(m: Mechanism) -> float:
    """Return half the width of a rod: small against the links together."""
    return SLENDER * (sum(link.length for link in m.links.values()) or 1.0)


def drawn(m: Mechanism) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points where the coordinates start."""
    return moving(_asked(m, None))


def moving(observed: Any) -> tuple[dict[str, Frame], dict[str, Array]]:
    """Return frames and points of a motion."""
    names = (BASE, *observed.links)
    frames = {name: Frame(ORIGIN, observed.origin(name), observed.orientation(name)) for name in names}
    return frames, {name: observed[name] for name in observed.points}


def bent(m: Mechanism, result: Result | None, frames: dict[str, Frame], looks: Looks) -> tuple[dict[str, Frame], Looks]:
    """Return frames of the sections to which something is fixed, and primitives with lines that bend with the links."""
    soft = {name for name, link in m.links.items() if link.flexible}
    places: dict[tuple[str, Place], str] = {}

    def named(link: str, at: Place) -> str:
        return places.setdefault((link, tuple(at)), f"{link} section {len(places)}")

    lines = [p for p in looks if isinstance(p, Line) and p.frame in soft]
    fixed: list[Primitive] = []
    for p in looks:
        frame, at = getattr(p, "frame", None), getattr(p, "at", None)
        if p in lines:
            continue
        if frame in soft and at is not None and any(at):
            fixed.append(replace(p, frame=named(frame, at)))  # type: ignore[call-arg]
        else:
            fixed.append(p)
    at_places = {p: [named(p.frame, at) for at in p.points] for p in lines}
    seen = _asked(m, result, {name: Point(link=link, at=at) for (link, at), name in places.items()})  # type: ignore[arg-type]
    sections = {name: Frame(np.array(at), seen[name], seen.section(name)) for (_, at), name in places.items()}
    curves = [Curve(p.part, np.stack([seen[name] for name in names], axis=1)) for p, names in at_places.items()]
    used = {getattr(p, "frame", None) for p in fixed}
    return frames | {n: f for n, f in sections.items() if n in used}, (*curves, *fixed, *_base(m, seen))


def _base(m: Mechanism, seen: Observed) -> Looks:
    """Return what the base looks like: the ground where it is fixed, the box of its inertia where it moves."""
    part, first = Part("base", BASE), tuple(seen.place(seen.joints[0])[0].tolist())
    if m.base.motion == next(iter(MOTIONS)):
        return (Hatch(part, first),)
    inertia = tensor(m.base.inertia)
    solid = faces(m.base.mass, m.base.com, inertia) if m.base.inertia_about == "com" else ()
    body: Primitive = Plate(part, BASE, faces=solid) if solid else Ball(part, BASE, m.base.com)
    return (Line(part, BASE, (m.base.com, m.base.end)), body) if m.base.com != m.base.end else (body,)


def _asked(m: Mechanism, result: Result | None, more: dict[str, Point] | None = None) -> Observed:
    """Return a motion, or the start, with more points than the model names."""
    wider = m.replaced(points=more) if more else m
    made: FlexibleSystem = system(chain(wider), wider)
    if result is None:
        return made.observed(np.zeros(1), start_state(made)[None], moved=False)
    return made.observed(result.t, result._y, moved=False)


def reactions(seen: Scene, m: Mechanism, result: Result) -> dict[str, Arrow]:
    """Return the forces of joints on the links that they carry, by joint."""
    unit = columns.unit(m, "force")
    return {name: Arrow(result.place(name), result.reaction(name), unit) for name in m.joints}
