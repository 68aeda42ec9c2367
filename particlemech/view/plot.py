"""Figures: a mechanism as drawn, its motion, and columns of a result against time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.mechanism import Mechanism
from particlemech.result import Result
from particlemech.tree.mechanism import Mechanism as Tree
from particlemech.tree.result import Result as TreeResult
from particlemech.view import columns, sketch, space
from particlemech.view.looks import COLOURS, INK, PLATE, ROD, dressed, legend, pyplot
from particlemech.view.skeleton import skeleton
from particlemech.view.sketch import Pose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Motion = Result | TreeResult
Vector = tuple[float, float, float]


def mechanism(m: Mechanism | Tree, ax: Axes | None = None) -> Figure:
    """Draw a mechanism in its starting position.

    Parameters
    ----------
    m : Mechanism
        What to draw, planar as given (it is not assembled), or a tree in space where its coordinates start.
    ax : matplotlib axes, optional
        Where to draw, for a tree with projection="3d"; default a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    if isinstance(m, Tree):
        return space.drawn([skeleton(space.start(m))], {}, m.unit.length, m.name, ax)
    drawing = sketch.drawn(m)
    ax = _axes([drawing]) if ax is None else ax
    _ground(ax, drawing, [drawing])
    _bodies(ax, drawing)
    _joints(ax, drawing, [drawing])
    return _finished(ax, m.name)


def motion(
    result: Motion,
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
        points = sorted(m.points, key=lambda name: sketch.length_of(result[name]))[-1:]
    paths = {name: result[name] for name in points}
    title = f"{m.name}, {result.t[0]:g} to {result.t[-1]:.3g} s"
    samples = np.linspace(0, len(result.t) - 1, ghosts + 1).round().astype(int)
    if isinstance(result, TreeResult):
        return space.drawn([skeleton(result, k) for k in samples], paths, result.mechanism.unit.length, title, ax)
    seen = sketch.poses(result, range(len(result.t)))
    ax = _axes(seen) if ax is None else ax
    _ground(ax, sketch.drawn(seen[0].mechanism), seen)
    for k, at in enumerate(samples[:-1]):
        _bodies(ax, seen[at], alpha=0.14 + 0.30 * k / max(ghosts - 1, 1))
    _bodies(ax, seen[-1])
    _joints(ax, seen[-1], seen)
    for colour, (name, path) in zip(COLOURS * len(paths), paths.items(), strict=False):
        ax.plot(*path.T, color=colour, lw=1.8, zorder=6, solid_capstyle="round", label=f"path of {name}")
        ax.plot(*path[0], "o", color=colour, mfc="white", mew=1.5, ms=5.5, zorder=7)
        ax.plot(*path[-1], "o", color=colour, ms=5.5, zorder=7)
    return _finished(ax, title, named=bool(paths))


def stills(result: TreeResult, times: Sequence[float], step: Vector, ax: Axes | None = None) -> Figure:
    """Draw a tree at several instants side by side, so that one that falls or floats away stays in the picture.

    Parameters
    ----------
    result : tree.Result
        The motion.
    times : sequence of float
        Instants, s; the nearest samples are drawn.
    step : three numbers
        From the centre of mass of one picture to that of the next, in units of length.
    ax : matplotlib axes, optional
        Where to draw, with projection="3d"; default a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    poses = []
    for n, t in enumerate(times):
        k = int(np.argmin(np.abs(result.t - t)))
        x, y, z = n * np.array(step) - result.centre[k]
        poses.append(skeleton(result, k, (x, y, z)))
    m = result.mechanism
    title = f"{m.name} at {', '.join(f'{t:.3g}' for t in times)} s"
    return space.drawn(poses, {}, m.unit.length, title, ax, full=len(poses))


def series(result: Motion, names: Sequence[str], degrees: bool = False) -> Figure:
    """Draw columns of a result against time, one panel for each quantity, in the units of the model.

    Parameters
    ----------
    result : Result
        The motion, of a planar mechanism or of a tree.
    names : sequence of str
        Columns as in a result file, such as "B.x", "crank.omega", "motor.effort" or "energy.total"; a name without
        its last letter stands for all components, such as "B" for "B.x" and "B.y", "base.main.f" for a force in
        space, or "base.angle" for three angles.
    degrees : bool
        Whether angles are shown in degrees.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If a column is unknown or matplotlib is missing.
    """
    plt = pyplot()
    names = (names,) if isinstance(names, str) else tuple(names)
    if not names:
        raise ModelError('no column to draw; name at least one, such as "energy.total"')
    m, known = result.system.mechanism, result.columns()
    panels: dict[str, list[str]] = {}
    for name in columns.chosen(names, known):
        panels.setdefault(columns.quantity(m, name), []).append(name)
    figure: Figure
    figure, grid = plt.subplots(
        len(panels), 1, sharex=True, squeeze=False, figsize=(7.5, 1.2 + 2.3 * len(panels)), layout="constrained"
    )
    for ax, (quantity, group) in zip(grid[:, 0], panels.items(), strict=True):
        scale = 180.0 / np.pi if degrees and quantity in columns.ANGULAR else 1.0
        for colour, name in zip(COLOURS * len(group), group, strict=False):
            ax.plot(result.t, scale * known[name], color=colour, lw=1.6, label=name)
        dressed(ax)
        ax.set_ylabel(f"{quantity} [{columns.unit(m, quantity, degrees)}]")
        ax.margins(x=0.0, y=0.08)
        legend(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    grid[-1, 0].set_xlabel("time [s]")
    figure.suptitle(m.name, fontsize=12, color=INK)
    return figure


def display(figure: Figure, path: str | Path | None = None) -> None:
    """Show a figure in a window, or save it where a path is given; the suffix chooses the format."""
    if path is not None:
        figure.savefig(path, dpi=170)
        return
    plt = pyplot()
    if plt.get_backend().lower() == "agg":
        raise ModelError("there is no screen to show the figure on; give the name of a file to save it, such as a.png")
    plt.show()


# -- parts of a picture ------------------------------------------------------------------------------------------


def _axes(seen: Sequence[Pose]) -> Any:
    """Return the axes of a new figure with the proportions of what is to be seen."""
    places = np.array([place for pose in seen for place in (*pose.point.values(), *pose.com.values())])
    r = sketch.radius(seen[0].mechanism)
    width, height = np.ptp(places, axis=0) + 8.0 * r
    size = (7.0, float(np.clip(6.0 * height / width + 1.0, 3.0, 8.0)))
    return pyplot().subplots(figsize=size, layout="constrained")[1]


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


def _finished(ax: Any, title: str, named: bool = False) -> Figure:
    dressed(ax)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    ax.set_title(title, fontsize=12, color=INK)
    if named:
        legend(ax)
    figure: Figure = ax.figure
    return figure
