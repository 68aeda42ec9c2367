"""Primitives of the plane on matplotlib axes. It knows primitives, and no kinds of parts.

Each painter adds what it draws to the axes and returns a function that moves it to sample k, so one picture serves
stills, ghosts and animations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model import primitives as shown
from particlemech.model.gearing.courses import band
from particlemech.view import strokes
from particlemech.view.looks import lettered, palette
from particlemech.view.scene import Scene

Move = Callable[[int], object]
BODIES = (shown.Plate, shown.Line, shown.Curve)  # what ghosts show


def painted(ax: Any, scene: Scene, alpha: float | None = None) -> Move:
    """Draw all primitives, or with an alpha the bodies only, and return what moves them to sample k."""
    moves = []
    for p in sorted(scene.primitives, key=_area, reverse=True):
        if alpha is None or isinstance(p, BODIES):
            moves += while_there(_PAINTERS[type(p)], ax, scene, p, alpha)
    return together(moves)


def while_there(paint: Any, ax: Any, scene: Scene, p: shown.Primitive, alpha: float | None) -> list[Move]:
    """Draw a primitive, and return what moves it to a sample, and hides it where a run has taken its part out."""
    there = scene.shown(p)
    if there is None:
        return list(paint(ax, scene, p, alpha))
    before = set(ax.get_children())
    moves = paint(ax, scene, p, alpha)
    own = [artist for artist in ax.get_children() if artist not in before]
    return [*moves, lambda k: [artist.set_visible(bool(there[k])) for artist in own]]


def together(moves: Sequence[Move]) -> Move:
    """Return what moves all of some things to sample k, after it has moved them to the first."""

    def show(k: int) -> None:
        for move in moves:
            move(k)

    show(0)
    return show


def _area(p: shown.Primitive) -> float:
    """Return the area of a plate, so that small ones lie on large ones."""
    x, y = np.array(p.outline).T if isinstance(p, shown.Plate) else np.zeros((2, 1))
    return 0.5 * abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))))


def _polygon(ax: Any, places: Array, fill: str, edge: str, **style: Any) -> tuple[Any, Move]:
    """Add a polygon that has outlines (K, n, 2)."""
    from matplotlib.patches import Polygon

    shape = Polygon(places[0], closed=True, fc=fill, ec=edge, joinstyle="round", **style)
    ax.add_patch(shape)
    return shape, lambda k: shape.set_xy(places[k])


def _segments(ax: Any, segments: Array, **style: Any) -> Move:
    """Add a thick line and its thin strokes, (n, 2, 2), which do not move."""
    from matplotlib.collections import LineCollection

    widths = [1.2] + [0.7] * (len(segments) - 1)
    ax.add_collection(LineCollection(list(segments), linewidths=widths, capstyle="round", **style))
    return lambda k: None


# -- bodies --------------------------------------------------------------------------------------------------------


def _plate(ax: Any, s: Scene, p: shown.Plate, alpha: float | None) -> list[Move]:
    c, places = palette(ax), s.places(p.frame, p.outline)
    style = {"lw": 1.1, "alpha": alpha, "zorder": 2 if alpha is not None else 3}
    shape, move = _polygon(ax, places, c.rod if p.rod else c.plate, c.ink, **style)
    shape.set_gid(p.part.name)
    return [move]


def _line(ax: Any, s: Scene, p: shown.Line, alpha: float | None) -> list[Move]:
    return [_stroke(ax, s.places(p.frame, p.points), alpha)]


def _curve(ax: Any, s: Scene, p: shown.Curve, alpha: float | None) -> list[Move]:
    return [_stroke(ax, p.points, alpha)]


def _stroke(ax: Any, places: Array, alpha: float | None) -> Move:
    """Add a thick line with places (K, n, 2)."""
    style = {"lw": 3.0, "alpha": alpha, "zorder": 2 if alpha is not None else 3}
    (line,) = ax.plot([], [], color=palette(ax).ink, solid_capstyle="round", solid_joinstyle="round", **style)
    return lambda k: line.set_data(*places[k].T)


# -- joints --------------------------------------------------------------------------------------------------------


def _pin(ax: Any, s: Scene, p: shown.Pin | shown.Ball, alpha: float | None) -> list[Move]:
    from matplotlib.patches import Circle

    c, places = palette(ax), s.place(p.frame, p.at)
    ring = Circle(tuple(places[0]), 0.55 * s.r, fc=c.paper, ec=c.ink, lw=1.1, zorder=5)
    ax.add_patch(ring)
    return [lambda k: ring.set_center(tuple(places[k]))]


def _weld(ax: Any, s: Scene, p: shown.Weld, alpha: float | None) -> list[Move]:
    c = palette(ax)
    corners = np.array(p.at) + 0.6 * s.r * np.array(strokes.SQUARE)
    return [_polygon(ax, s.places(p.frame, corners), c.ink, c.ink, lw=1.0, zorder=4.5)[1]]


def _hatch(ax: Any, s: Scene, p: shown.Hatch, alpha: float | None) -> list[Move]:
    c = palette(ax)
    triangle, ground = strokes.support(p.at, p.towards, s.r)
    _polygon(ax, triangle[None], c.paper, c.ink, lw=1.0, zorder=1)
    _segments(ax, ground, colors=c.ink, zorder=1)
    return []


def _slot(ax: Any, s: Scene, p: shown.Slot, alpha: float | None) -> list[Move]:
    c, outline = palette(ax), strokes.capsule(p.a, p.b, strokes.PIN * s.r)
    if p.frame == shown.GROUND:
        _segments(ax, strokes.rail(p.a, p.b, s.r, 1.5, strokes.PIN), colors=c.ink, zorder=1)
    return [_polygon(ax, s.places(p.frame, outline), c.paper, c.ink, lw=0.9, zorder=3.5)[1]]


def _rail(ax: Any, s: Scene, p: shown.Rail, alpha: float | None) -> list[Move]:
    c = palette(ax)
    if p.frame == shown.GROUND:
        _segments(ax, strokes.rail(p.a, p.b, s.r, 4.0, strokes.BLOCK[1]), colors=c.ink, zorder=1)
        return []
    (line,) = ax.plot([], [], color=c.ink, lw=1.2, zorder=3.4)
    places = s.places(p.frame, [p.a, p.b])
    return [lambda k: line.set_data(*places[k].T)]


def _floor(ax: Any, s: Scene, p: shown.Floor, alpha: float | None) -> list[Move]:
    segments = strokes.hatched(np.array(p.a), np.array(p.b), np.array(p.towards), s.r)
    return [_segments(ax, segments, colors=palette(ax).ink, zorder=1)]


def _slider(ax: Any, s: Scene, p: shown.Slider, alpha: float | None) -> list[Move]:
    c, outline = palette(ax), strokes.block(p.at, p.along, s.r)
    return [_polygon(ax, s.places(p.frame, outline), c.rod, c.ink, lw=1.1, zorder=3.3)[1]]


def _rod(ax: Any, s: Scene, p: shown.Rod, alpha: float | None) -> list[Move]:
    (line,) = ax.plot([], [], color=palette(ax).ink, lw=1.6, zorder=3.2, solid_capstyle="round")
    one, other = (s.place(*end) for end in p.ends)
    return [lambda k: line.set_data(*np.array([one[k], other[k]]).T)]


def _ram(ax: Any, s: Scene, p: shown.Ram, alpha: float | None) -> list[Move]:
    c, (one, other) = palette(ax), (s.place(*end) for end in p.ends)
    both = [strokes.ram(a, b, p.barrel, p.rod, s.r) for a, b in zip(one, other, strict=True)]
    sleeves = np.array([strokes.sleeve(barrel, s.r) for barrel, _ in both])
    pistons = np.array([strokes.piston(rod, s.r) for _, rod in both])
    rods = np.array([rod for _, rod in both])
    stubs = np.array([(a, barrel[0]) for a, (barrel, _) in zip(one, both, strict=True)])
    moves = [_polygon(ax, sleeves, c.paper, c.ink, lw=1.1, zorder=3.2)[1]]
    for places in (stubs, rods):
        (line,) = ax.plot([], [], color=c.ink, lw=2.2, zorder=3.25, solid_capstyle="butt")
        moves.append(lambda k, line=line, places=places: line.set_data(*places[k].T))  # type: ignore[misc]
    return [*moves, _polygon(ax, pistons, c.ink, c.ink, lw=0.6, zorder=3.3)[1]]


def _strap(ax: Any, s: Scene, p: shown.Strap, alpha: float | None) -> list[Move]:
    return [_thin(ax, np.stack([s.place(*end) for end in p.ends], axis=1))]


def _band(ax: Any, s: Scene, p: shown.Band, alpha: float | None) -> list[Move]:
    return [_thin(ax, band(np.stack([s.place(*end) for end in p.ends], axis=1), p.radii, p.closed))]


def _outline(ax: Any, s: Scene, p: shown.Outline, alpha: float | None) -> list[Move]:
    return [_thin(ax, s.places(p.frame, p.points))]


def _thin(ax: Any, places: Array) -> Move:
    """Add a thin line with places (K, n, 2), over bodies and under pins."""
    (line,) = ax.plot([], [], color=palette(ax).ink, lw=1.1, zorder=3.6, solid_capstyle="round")
    return lambda k: line.set_data(*places[k].T)


def _lug(ax: Any, s: Scene, p: shown.Lug, alpha: float | None) -> list[Move]:
    c = palette(ax)
    return [_polygon(ax, s.places(p.frame, p.outline), c.faint, c.ink, lw=0.9, zorder=3.1)[1]]


def _buffer(ax: Any, s: Scene, p: shown.Buffer, alpha: float | None) -> list[Move]:
    c, outline = palette(ax), strokes.buffer(p.at, p.along, p.pin, s.r)
    return [_polygon(ax, s.places(p.frame, outline), c.faint, c.ink, lw=0.9, zorder=3.1)[1]]


def _rough(ax: Any, s: Scene, p: shown.Rough, alpha: float | None) -> list[Move]:
    places, r = s.place(p.frame, p.at), s.r
    letter = ax.text(0.0, 0.0, strokes.FRICTION, zorder=7, clip_on=True, **lettered(palette(ax)))
    return [lambda k: letter.set_position((places[k, 0] - 1.1 * r, places[k, 1] + 0.7 * r))]


def _tie(ax: Any, s: Scene, p: shown.Tie, alpha: float | None) -> list[Move]:
    (line,) = ax.plot([], [], color=palette(ax).faint, lw=1.0, ls=(0, (5, 4)), zorder=2.4)
    one, other = (s.place(*end) for end in p.ends)
    return [lambda k: line.set_data(*np.array([one[k], other[k]]).T)]


# -- springs -------------------------------------------------------------------------------------------------------


def _spring(ax: Any, s: Scene, p: shown.Spring, alpha: float | None) -> list[Move]:
    return _between(ax, s, p.ends, strokes.coil, 1.1)


def _damper(ax: Any, s: Scene, p: shown.Damper, alpha: float | None) -> list[Move]:
    return _between(ax, s, p.ends, strokes.dashpot, 1.3)


def _between(ax: Any, s: Scene, ends: Any, shape: Callable[[Array, Array, float], Array], width: float) -> list[Move]:
    """Add the line of a shape between two places, in front of bodies and behind pins."""
    (line,) = ax.plot([], [], color=palette(ax).ink, lw=width, zorder=4.6, solid_joinstyle="round")
    one, other = (s.place(*end) for end in ends)
    return [lambda k: line.set_data(*shape(one[k], other[k], s.r).T)]


def _torsion_spring(ax: Any, s: Scene, p: shown.TorsionSpring, alpha: float | None) -> list[Move]:
    (line,) = ax.plot([], [], color=palette(ax).ink, lw=1.0, zorder=4.8)
    shape = strokes.vane if p.damper else strokes.spiral
    places = s.places(p.frames[1], np.array(p.at) + shape(2, None, s.r))
    return [lambda k: line.set_data(*places[k].T)]


_PAINTERS: dict[type, Any] = {
    shown.Plate: _plate,
    shown.Line: _line,
    shown.Curve: _curve,
    shown.Pin: _pin,
    shown.Ball: _pin,
    shown.Weld: _weld,
    shown.Hatch: _hatch,
    shown.Slot: _slot,
    shown.Rail: _rail,
    shown.Floor: _floor,
    shown.Slider: _slider,
    shown.Rod: _rod,
    shown.Ram: _ram,
    shown.Lug: _lug,
    shown.Buffer: _buffer,
    shown.Rough: _rough,
    shown.Tie: _tie,
    shown.Strap: _strap,
    shown.Band: _band,
    shown.Outline: _outline,
    shown.Spring: _spring,
    shown.Damper: _damper,
    shown.TorsionSpring: _torsion_spring,
}

# -- arrows --------------------------------------------------------------------------------------------------------


def arrow(ax: Any, s: Scene, at: Array, vector: Array, colour: str) -> Move:
    """Add arrows (K, 2) from places (K, 2), in units of length."""
    from matplotlib.patches import FancyArrowPatch

    patch = FancyArrowPatch(
        (0, 0), (0, 0), arrowstyle="-|>", mutation_scale=10, lw=1.6, color=colour, zorder=8, shrinkA=0, shrinkB=0
    )
    ax.add_artist(patch)  # a patch would ask for room at the origin

    def move(k: int) -> None:
        there = bool(np.isfinite(vector[k]).all()) and float(np.hypot(*vector[k])) > 0.3 * s.r
        patch.set_visible(there)
        if there:
            patch.set_positions(tuple(at[k]), tuple(at[k] + vector[k]))

    return move


def turning(ax: Any, s: Scene, at: Array, value: Array, colour: str) -> Move:
    """Add turning arrows about places (K, 2): counter-clockwise where the value (K, 1) is positive."""
    (line,) = ax.plot([], [], color=colour, lw=1.6, zorder=8)
    (tip,) = ax.plot([], [], color=colour, lw=1.6, zorder=8)
    small = 1e-9 * float(np.nanmax(np.abs(value), initial=0.0))

    def move(k: int) -> None:
        there = bool(abs(value[k, 0]) > small)
        line.set_visible(there)
        tip.set_visible(there)
        if there:
            bow = at[k] + strokes.bow(2, None, float(np.sign(value[k, 0])), s.r)
            line.set_data(*bow.T)
            tip.set_data(*head(bow, s.r).T)

    return move


def head(path: Array, r: float) -> Array:
    """Return the open head of an arrow at the end of a path in the plane, (3, 2)."""
    u = (path[-1] - path[-3]) / np.linalg.norm(path[-1] - path[-3])
    left = np.array([-u[1], u[0]])
    return np.array([path[-1] - r * (1.3 * u - 0.8 * left), path[-1], path[-1] - r * (1.3 * u + 0.8 * left)])
