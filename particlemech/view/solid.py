"""Primitives in space on matplotlib's three-dimensional axes. It knows primitives, and no kinds of parts.

Painters return functions that move what they drew to sample k, as those of flat.py do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model import primitives as shown
from particlemech.model.gearing.courses import band
from particlemech.view import strokes
from particlemech.view.flat import BODIES, Move, together, while_there
from particlemech.view.looks import lettered, palette
from particlemech.view.scene import Scene


def painted(ax: Any, scene: Scene, alpha: float | None = None) -> Move:
    """Draw all primitives, or with an alpha the bodies only, and return what moves them to sample k."""
    moves, boned = [], {p.part for p in scene.primitives if isinstance(p, shown.Line)}
    for p in scene.primitives:
        # boxes of ghosts would hide each other
        if alpha is None or (isinstance(p, BODIES) and not (isinstance(p, shown.Plate) and p.part in boned)):
            moves += while_there(_PAINTERS[type(p)], ax, scene, p, alpha)
    return together(moves)


def _line_of(ax: Any, places: Array, **style: Any) -> Move:
    """Add a line with places (K, n, 3)."""
    (line,) = ax.plot([], [], [], **({"color": palette(ax).ink, "solid_capstyle": "round"} | style))
    return lambda k: line.set_data_3d(*places[k].T)


def _mark(ax: Any, places: Array, **style: Any) -> Move:
    """Add a marker at places (K, 3)."""
    c = palette(ax)
    return _line_of(ax, places[:, None], **({"ls": "", "mfc": c.paper, "mec": c.ink, "mew": 1.1} | style))


def _faces(ax: Any, places: list[Array], fill: str, alpha: float, name: str) -> Move:
    """Add flat faces with corners (K, n, 3) each."""
    from matplotlib.colors import to_rgba
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    many = len(places) > 6  # what is round has ends with edges, and sides without
    edges = [to_rgba(palette(ax).ink, 0.0 if many and face.shape[1] == 4 else alpha) for face in places]
    # corners that faces have less than others are whatever memory held, and Axes3D scales itself by them: repeat one
    most = max(face.shape[1] for face in places)
    places = [np.concatenate([face, np.repeat(face[:, -1:], most - face.shape[1], axis=1)], axis=1) for face in places]
    fills = [to_rgba(fill, alpha)] * len(places)
    solid = Poly3DCollection([face[0] for face in places], facecolors=fills, edgecolors=edges, linewidths=0.5)
    solid.set_gid(name)
    ax.add_collection3d(solid)
    return lambda k: solid.set_verts([face[k] for face in places])


# -- bodies --------------------------------------------------------------------------------------------------------


def _plate(ax: Any, s: Scene, p: shown.Plate, alpha: float | None) -> list[Move]:
    places = [s.places(p.frame, face) for face in p.faces]
    return [_faces(ax, places, palette(ax).plate, 0.35 if alpha is None else 0.25 * alpha, p.part.name)]


def _line(ax: Any, s: Scene, p: shown.Line, alpha: float | None) -> list[Move]:
    return [_line_of(ax, s.places(p.frame, p.points), lw=2.4 if alpha is None else 1.4, alpha=alpha)]


def _curve(ax: Any, s: Scene, p: shown.Curve, alpha: float | None) -> list[Move]:
    return [_line_of(ax, p.points, lw=2.4 if alpha is None else 1.4, alpha=alpha)]


# -- joints --------------------------------------------------------------------------------------------------------


def _pin(ax: Any, s: Scene, p: shown.Pin, alpha: float | None) -> list[Move]:
    if p.axis is None:
        return [_mark(ax, s.place(p.frame, p.at), marker="o", ms=4.5)]
    ends = s.places(p.frame, strokes.track(p.at, p.axis, 1.8 * s.r))
    return [
        _line_of(ax, ends, lw=5.0, solid_capstyle="butt"),
        _line_of(ax, ends, lw=2.8, color=palette(ax).paper, solid_capstyle="butt"),
    ]


def _ball(ax: Any, s: Scene, p: shown.Ball, alpha: float | None) -> list[Move]:
    return [_mark(ax, s.place(p.frame, p.at), marker="o", ms=5.5)]


def _weld(ax: Any, s: Scene, p: shown.Weld, alpha: float | None) -> list[Move]:
    return [_mark(ax, s.place(p.frame, p.at), marker="s", ms=4.0, mfc=palette(ax).ink)]


def _hatch(ax: Any, s: Scene, p: shown.Hatch, alpha: float | None) -> list[Move]:
    foot, edges = strokes.pyramid(p.at, p.towards, s.r)
    _faces(ax, [foot[None]], palette(ax).faint, 0.8, p.part.name)
    for edge in edges:
        _line_of(ax, edge[None], lw=0.8)(0)
    return []


def _rail(ax: Any, s: Scene, p: shown.Rail | shown.Slot, alpha: float | None) -> list[Move]:
    a, b = np.array(p.a), np.array(p.b)
    out = 4.0 * s.r * (b - a) / np.linalg.norm(b - a)
    return [_line_of(ax, s.places(p.frame, [a - out, b + out]), lw=1.1, color=palette(ax).faint)]


def _floor(ax: Any, s: Scene, p: shown.Floor, alpha: float | None) -> list[Move]:
    return [_line_of(ax, s.places(shown.GROUND, [p.a, p.b]), lw=1.1)]


def _slider(ax: Any, s: Scene, p: shown.Slider, alpha: float | None) -> list[Move]:
    places = [s.places(p.frame, face) for face in strokes.brick(p.at, p.along, s.r)]
    return [_faces(ax, places, palette(ax).rod, 0.9, p.part.name)]


def _rod(ax: Any, s: Scene, p: shown.Rod, alpha: float | None) -> list[Move]:
    return [_line_of(ax, np.stack([s.place(*end) for end in p.ends], axis=1), lw=1.6)]


def _ram(ax: Any, s: Scene, p: shown.Ram, alpha: float | None) -> list[Move]:
    c, (one, other) = palette(ax), (s.place(*end) for end in p.ends)
    both = [strokes.ram(a, b, p.barrel, p.rod, s.r) for a, b in zip(one, other, strict=True)]
    barrels, rods = np.array([barrel for barrel, _ in both]), np.array([rod for _, rod in both])
    wide = {"solid_capstyle": "butt"}
    moves = [_line_of(ax, np.stack([one, other], axis=1), lw=1.6), _line_of(ax, barrels, lw=7.0, **wide)]
    return [*moves, _line_of(ax, barrels, lw=5.0, color=c.paper, **wide), _line_of(ax, rods, lw=1.6)]


def _strap(ax: Any, s: Scene, p: shown.Strap, alpha: float | None) -> list[Move]:
    return [_line_of(ax, np.stack([s.place(*end) for end in p.ends], axis=1), lw=1.1)]


def _band(ax: Any, s: Scene, p: shown.Band, alpha: float | None) -> list[Move]:
    centres = np.stack([s.place(*end) for end in p.ends], axis=1)
    places = band(centres[..., :2], p.radii, p.closed)  # it lies across the third axis
    height = np.broadcast_to(centres[:, :1, 2:], (*places.shape[:2], 1))
    return [_line_of(ax, np.concatenate([places, height], axis=2), lw=1.1)]


def _outline(ax: Any, s: Scene, p: shown.Outline, alpha: float | None) -> list[Move]:
    return [_line_of(ax, s.places(p.frame, p.points), lw=0.9)]


def _lug(ax: Any, s: Scene, p: shown.Lug, alpha: float | None) -> list[Move]:
    return [_faces(ax, [s.places(p.frame, p.outline)], palette(ax).faint, 0.8, p.part.name)]


def _buffer(ax: Any, s: Scene, p: shown.Buffer, alpha: float | None) -> list[Move]:
    places = s.places(p.frame, strokes.buffer(p.at, p.along, p.pin, s.r))
    return [_faces(ax, [places], palette(ax).faint, 0.8, p.part.name)]


def _rough(ax: Any, s: Scene, p: shown.Rough, alpha: float | None) -> list[Move]:
    places, up = s.place(p.frame, p.at), np.array([0.0, 0.0, 0.8 * s.r])
    letter = ax.text(0.0, 0.0, 0.0, strokes.FRICTION, zorder=7, **lettered(palette(ax)))
    return [lambda k: letter.set_position_3d(places[k] + up)]


def _tie(ax: Any, s: Scene, p: shown.Tie, alpha: float | None) -> list[Move]:
    places = np.stack([s.place(*end) for end in p.ends], axis=1)
    return [_line_of(ax, places, lw=1.0, ls=(0, (5, 4)), color=palette(ax).faint)]


# -- springs -------------------------------------------------------------------------------------------------------


def _spring(ax: Any, s: Scene, p: shown.Spring, alpha: float | None) -> list[Move]:
    one, other = (s.place(*end) for end in p.ends)
    coils = np.array([strokes.coil(a, b, s.r) for a, b in zip(one, other, strict=True)])
    return [_line_of(ax, coils, lw=0.9)]


def _damper(ax: Any, s: Scene, p: shown.Damper, alpha: float | None) -> list[Move]:
    one, other = (s.place(*end) for end in p.ends)
    return [_line_of(ax, np.array([strokes.dashpot(a, b, s.r) for a, b in zip(one, other, strict=True)]), lw=1.1)]


def _torsion_spring(ax: Any, s: Scene, p: shown.TorsionSpring, alpha: float | None) -> list[Move]:
    shape = strokes.vane if p.damper else strokes.spiral
    return [_line_of(ax, s.places(p.frames[1], np.array(p.at) + shape(3, p.axis, s.r)), lw=0.9)]


_PAINTERS: dict[type, Any] = {
    shown.Plate: _plate,
    shown.Line: _line,
    shown.Curve: _curve,
    shown.Pin: _pin,
    shown.Ball: _ball,
    shown.Weld: _weld,
    shown.Hatch: _hatch,
    shown.Slot: _rail,
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
    """Add arrows (K, 3) from places (K, 3), in units of length."""
    shafts = np.stack([at, at + vector], axis=1)
    size = np.linalg.norm(vector, axis=1)[:, None]
    heads = np.array([_head(tail, tip, s.r) for tail, tip in shafts])
    shafts, heads = (np.where((size > 0.3 * s.r)[:, None], x, np.nan) for x in (shafts, heads))
    moves = [_line_of(ax, x, lw=1.8, color=colour) for x in (shafts, heads)]
    return lambda k: [move(k) for move in moves]


def _head(tail: Array, tip: Array, r: float) -> Array:
    """Return the open head of an arrow in space, (3, 3)."""
    u = tip - tail
    size = float(np.linalg.norm(u))
    if not size > 0.0:
        return np.array([tip, tip, tip])
    u = u / size
    one, _ = strokes.across(u)
    return np.array([tip - r * (1.6 * u - 0.7 * one), tip, tip - r * (1.6 * u + 0.7 * one)])


def turning(ax: Any, s: Scene, at: Array, vector: Array, colour: str) -> Move:
    """Add turning arrows about places (K, 3), by the right hand about vectors (K, 3)."""
    size = np.linalg.norm(vector, axis=1)
    small = 1e-9 * float(np.nanmax(size, initial=0.0))
    axes = np.where((size > small)[:, None], vector, np.nan)
    bows = np.array([at[k] + (strokes.bow(3, u, 1.0, s.r) if np.isfinite(u).all() else np.nan * np.ones((40, 3)))
                     for k, u in enumerate(axes)])  # fmt: skip
    heads = np.array([_head(bow[-3], bow[-1], s.r) for bow in bows])
    moves = [_line_of(ax, x, lw=1.6, color=colour) for x in (bows, heads)]
    return lambda k: [move(k) for move in moves]
