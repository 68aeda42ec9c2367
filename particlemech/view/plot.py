"""Figures: a mechanism as drawn, its motion, and columns of a result against time.

Colours are those of Okabe and Ito, which people with any colour vision tell apart. matplotlib is imported inside the
functions only: a library that computes must not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError, suggestion
from particlemech.mechanism import Mechanism
from particlemech.result import Result
from particlemech.view import sketch
from particlemech.view.sketch import Pose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK, FAINT, ROD, PLATE = "#2b3440", "#8a949e", "#d5dce3", "#bcd9ec"
UNITS = {
    "x": "m", "y": "m", "vx": "m/s", "vy": "m/s", "ax": "m/s²", "ay": "m/s²",
    "angle": "rad", "omega": "rad/s", "alpha": "rad/s²", "fx": "N", "fy": "N", "m": "N m",
    "kinetic": "J", "potential": "J", "total": "J", "work": "J", "position": "m", "velocity": "m/s",
}  # fmt: skip
QUANTITIES = {
    "m": "position", "m/s": "velocity", "m/s²": "acceleration", "rad": "angle", "rad/s": "angular velocity",
    "rad/s²": "angular acceleration", "N": "force", "N m": "moment", "J": "energy",
}  # fmt: skip


def mechanism(m: Mechanism, ax: Axes | None = None) -> Figure:
    """Draw a mechanism in its starting position.

    Parameters
    ----------
    m : Mechanism
        What to draw, as given; it is not assembled.
    ax : matplotlib axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    drawing = sketch.drawn(m)
    ax = _axes([drawing]) if ax is None else ax
    _ground(ax, drawing, [drawing])
    _bodies(ax, drawing)
    _joints(ax, drawing, [drawing])
    return _finished(ax, m.name)


def motion(
    result: Result,
    points: Sequence[str] | None = None,
    ghosts: int = 6,
    ax: Axes | None = None,
) -> Figure:
    """Draw a mechanism at a few instants, faint where long ago, with the paths of some points.

    Parameters
    ----------
    result : Result
        The motion.
    points : sequence of str, optional
        Points whose paths are drawn; default the one with the longest path.
    ghosts : int
        Number of earlier instants, evenly spaced in time; the last instant is drawn in full.
    ax : matplotlib axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If a point is unknown or matplotlib is missing.
    """
    m = result.system.mechanism
    if isinstance(points, str):
        points = (points,)
    if points is None:
        points = (max(m.points, key=lambda name: sketch.length_of(result[name])),)
    paths = {name: result[name] for name in points}
    seen = sketch.poses(result, range(len(result.t)))
    ax = _axes(seen) if ax is None else ax
    _ground(ax, sketch.drawn(m), seen)
    for k, at in enumerate(np.linspace(0, len(seen) - 1, ghosts + 1).round().astype(int)[:-1]):
        _bodies(ax, seen[at], alpha=0.14 + 0.30 * k / max(ghosts - 1, 1))
    _bodies(ax, seen[-1])
    _joints(ax, seen[-1], seen)
    for colour, (name, path) in zip(COLOURS * len(paths), paths.items(), strict=False):
        ax.plot(*path.T, color=colour, lw=1.8, zorder=6, solid_capstyle="round", label=f"path of {name}")
        ax.plot(*path[0], "o", color=colour, mfc="white", mew=1.5, ms=5.5, zorder=7)
        ax.plot(*path[-1], "o", color=colour, ms=5.5, zorder=7)
    return _finished(ax, f"{m.name}, {result.t[0]:g} to {result.t[-1]:.3g} s", legend=bool(paths))


def series(result: Result, names: Sequence[str]) -> Figure:
    """Draw columns of a result against time, one panel for each unit.

    Parameters
    ----------
    result : Result
        The motion.
    names : sequence of str
        Columns as in a result file, such as "B.x", "crank.omega", "motor.effort" or "energy.total".

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If a column is unknown or matplotlib is missing.
    """
    plt = _pyplot()
    names = (names,) if isinstance(names, str) else tuple(names)
    if not names:
        raise ModelError('no column to draw; name at least one, such as "energy.total"')
    columns = result.columns()
    panels: dict[str, list[str]] = {}
    for name in names:
        if name not in columns or name == "t":
            raise ModelError(f'column "{name}" unknown{suggestion(name, columns)}')
        panels.setdefault(_unit(result, name), []).append(name)
    figure: Figure
    figure, grid = plt.subplots(
        len(panels), 1, sharex=True, squeeze=False, figsize=(7.0, 1.2 + 2.3 * len(panels)), layout="constrained"
    )
    colour = iter(COLOURS * len(names))
    for ax, (unit, group) in zip(grid[:, 0], panels.items(), strict=True):
        for name in group:
            ax.plot(result.t, columns[name], color=next(colour), lw=1.6, label=name)
        _dressed(ax)
        ax.set_ylabel(f"{QUANTITIES[unit]} [{unit}]")
        ax.margins(x=0.0, y=0.08)
        _legend(ax)
    grid[-1, 0].set_xlabel("time [s]")
    figure.suptitle(result.system.mechanism.name, fontsize=12, color=INK)
    return figure


def display(figure: Figure, path: str | Path | None = None) -> None:
    """Show a figure in a window, or save it where a path is given; the suffix chooses the format."""
    if path is not None:
        figure.savefig(path, dpi=170)
        return
    plt = _pyplot()
    if plt.get_backend().lower() == "agg":
        raise ModelError("there is no screen to show the figure on; give the name of a file to save it, such as a.png")
    plt.show()


# -- parts of a picture ------------------------------------------------------------------------------------------


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ModelError('pictures need matplotlib; install it with: pip install "particlemech[view]"') from None
    return plt


def _axes(seen: Sequence[Pose]) -> Any:
    """Return the axes of a new figure with the proportions of what is to be seen."""
    places = np.array([place for pose in seen for place in (*pose.point.values(), *pose.com.values())])
    r = sketch.radius(seen[0].mechanism)
    width, height = np.ptp(places, axis=0) + 8.0 * r
    size = (7.0, float(np.clip(6.0 * height / width + 1.0, 3.0, 8.0)))
    return _pyplot().subplots(figsize=size, layout="constrained")[1]


def _ground(ax: Any, drawing: Pose, seen: Sequence[Pose]) -> None:
    from matplotlib.patches import Polygon

    m, r = drawing.mechanism, sketch.radius(drawing.mechanism)
    moving = [p for p in m.points if any(p in body.points for body in m.bodies.values())]
    middle = float(np.mean([pose.point[p][1] for pose in seen for p in moving]))
    for place in sketch.anchors(m):
        # the ground lies on the side away from the mechanism, below in doubt
        triangle, ground = sketch.support(place, place[1] <= middle + r, r)
        ax.add_patch(Polygon(triangle, fc="white", ec=INK, lw=1.0, zorder=1, joinstyle="round"))
        _segments(ax, ground, zorder=1)
    for body, a, b, guides in sketch.slides(drawing, seen):
        if body not in m.bodies and guides and np.any(a != b):
            _segments(ax, sketch.rail(a, b, r), zorder=1)


def _segments(ax: Any, segments: Any, **style: Any) -> None:
    from matplotlib.collections import LineCollection

    widths = [1.2] + [0.7] * (len(segments) - 1)
    ax.add_collection(LineCollection(segments, colors=INK, linewidths=widths, capstyle="round", **style))


def _bodies(ax: Any, pose: Pose, alpha: float | None = None) -> None:
    """Draw all bodies, in full or as ghosts."""
    from matplotlib.patches import Polygon

    m, r = pose.mechanism, sketch.radius(pose.mechanism)
    order = sorted(m.bodies, key=lambda body: -len(m.bodies[body].points))
    for body in order:
        fill = PLATE if len(m.bodies[body].points) > 2 else ROD
        shape = Polygon(
            sketch.outline(pose, body, r), closed=True, fc=fill, ec=INK, lw=1.1, alpha=alpha, joinstyle="round"
        )
        shape.set_zorder(2 if alpha is not None else 3)
        shape.set_gid(body)
        ax.add_patch(shape)


def _joints(ax: Any, pose: Pose, seen: Sequence[Pose]) -> None:
    """Draw slots, rods, springs and pins of the pose that is drawn in full."""
    from matplotlib.patches import Circle, Polygon

    m, r = pose.mechanism, sketch.radius(pose.mechanism)
    for body, a, b, guides in sketch.slides(sketch.drawn(m), seen):
        if body in m.bodies or not guides:
            slot = sketch.rounded([pose.place(body, a), pose.place(body, b)], 0.62 * r)
            ax.add_patch(Polygon(slot, closed=True, fc="white", ec=INK, lw=0.9, zorder=3.5))
    for line in sketch.rods(pose):
        ax.plot(*line.T, color=INK, lw=1.4, zorder=3.2, solid_capstyle="round")
    for line in sketch.springs(pose, r):
        ax.plot(*line.T, color=INK, lw=1.1, zorder=2.6, solid_joinstyle="round")
    for p in dict.fromkeys(sketch.pins(m)):
        ax.add_patch(Circle(tuple(pose.point[p]), 0.55 * r, fc="white", ec=INK, lw=1.1, zorder=5))


# -- looks -------------------------------------------------------------------------------------------------------


def _unit(result: Result, column: str) -> str:
    part, _, field = column.rpartition(".")
    if field == "effort":
        return "N m" if hasattr(result.system.mechanism.drivers[part], "bodies") else "N"
    return UNITS[field]


def _dressed(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(color=FAINT, labelcolor=INK, labelsize=9)
    ax.grid(color="#e8ebee", lw=0.7)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)


def _legend(ax: Any) -> None:
    ax.legend(frameon=True, framealpha=0.85, edgecolor="none", fontsize=9, labelcolor=INK)


def _finished(ax: Any, title: str, legend: bool = False) -> Figure:
    _dressed(ax)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    ax.set_title(title, fontsize=12, color=INK)
    if legend:
        _legend(ax)
    figure: Figure = ax.figure
    return figure
