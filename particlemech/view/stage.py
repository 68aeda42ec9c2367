"""Stage: a scene on matplotlib axes, in the plane or in space, that can be moved from sample to sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.view import flat, solid
from particlemech.view.looks import ARROWS, dressed, legend, palette, pyplot, titled
from particlemech.view.scene import Arrow, Scene, known_groups

LONGEST = 0.22  # of an arrow that few exceed, as a fraction of the diagonal of what is seen
PEAK = 2.0  # how many times longer the longest may be: one moment must not make all others dots
OWN = "own figure"  # mark of axes in space that may change the size of their figure
SIDE, UNDER, TITLE, LEGEND = (0.55, 0.9), 0.7, 0.45, 0.25  # room around a box in space: labels, title; inches
FLAT = 0.25  # least depth of a box in space, as a fraction of its largest edge


def axes(scene: Scene, ax: Any | None, legends: bool = False) -> Any:
    """Return axes that fit a scene: those given, or those of a new figure with its proportions."""
    plt = pyplot()
    if ax is not None:
        if (getattr(ax, "name", "") == "3d") != (scene.dimension == 3):
            cure = 'axes made with projection="3d"' if scene.dimension == 3 else "plane axes"
            raise ModelError(f"this mechanism moves in {'space' if scene.dimension == 3 else 'the plane'}; give {cure}")
        return ax
    if scene.dimension == 3:
        ax = plt.figure(figsize=(7.0, 6.0)).add_subplot(projection="3d")
        ax.set_gid(OWN)
        return ax
    width, height = scene.box[1] - scene.box[0] + 8.0 * scene.r
    tall = float(np.clip(6.0 * height / width + 1.0, 3.0, 7.0))
    return plt.subplots(figsize=(8.2 if legends else 7.0, tall), layout="compressed")[1]


def painted(ax: Any, scene: Scene, alpha: float | None = None) -> flat.Move:
    """Draw all primitives and return what moves them to sample k."""
    return (solid if scene.dimension == 3 else flat).painted(ax, scene, alpha)


def arrows(ax: Any, scene: Scene, groups: Iterable[str]) -> flat.Move:
    """Draw the arrows of some groups and return what moves them to sample k."""
    how: Any = solid if scene.dimension == 3 else flat
    moves = []
    for group in groups:
        for a in scaled(scene, group):
            moves.append((how.turning if a.turning else how.arrow)(ax, scene, a.at, a.vector, ARROWS[group]))
    return flat.together(moves)


def scaled(scene: Scene, group: str) -> list[Arrow]:
    """Return the arrows of a group with vectors in units of length, those that turn as they are."""
    found = scene.arrows[known_group(scene, group)]
    reach = LONGEST * float(np.linalg.norm(scene.box[1] - scene.box[0]))
    sizes = [np.linalg.norm(a.vector, axis=1) for a in found.values() if not a.turning]
    known = np.concatenate([size[np.isfinite(size)] for size in sizes]) if sizes else np.zeros(0)
    usual = max(float(np.quantile(known, 0.95)), float(known.max()) / PEAK) if known.size else 0.0
    by = reach / usual if usual > 0.0 else 0.0
    return [a if a.turning else a._replace(vector=by * a.vector) for a in found.values()]


def room(scene: Scene, groups: Iterable[str], samples: Any) -> Array:
    """Return the box of what is seen at some samples with its arrows, (2, d)."""
    ends = [scene.at(samples).box]
    for group in groups:
        for a in scaled(scene, group):
            at = a.at[samples]
            ends += [at - 5.0 * scene.r, at + 5.0 * scene.r] if a.turning else [at + a.vector[samples]]
    every = np.vstack(ends)
    return np.array([np.nanmin(every, axis=0), np.nanmax(every, axis=0)])


def known_group(scene: Scene, group: str) -> str:
    """Return the name of a group of arrows, or say which there are."""
    known_groups((group,))
    if group not in scene.arrows:
        raise ModelError(f'a mechanism at rest has no arrows of "{group}"; simulate it and draw the result')
    return group


def arrow_names(scene: Scene, groups: Iterable[str]) -> list[Any]:
    """Return handles that tell in a legend what each group of arrows shows, and how long its longest is."""
    from matplotlib.lines import Line2D

    handles = []
    for group in groups:
        found = [a for a in scene.arrows[group].values() if a.vector.size]
        for turning in (False, True):
            own = [a for a in found if a.turning == turning]
            sizes = [float(np.nanmax(np.linalg.norm(a.vector, axis=1), initial=0.0)) for a in own]
            if own and max(sizes) > 0.0:
                label = f"{group}, at most {max(sizes):.3g} {own[0].unit}"
                handles.append(Line2D([], [], color=ARROWS[group], lw=1.8, label=label))
    return handles


def followed(scene: Scene, names: Sequence[str] | None) -> dict[str, Array]:
    """Return the paths of some points by name; default that of the longest."""
    return {name: scene.points[name] for name in scene.followed(names)}


def traced(ax: Any, paths: Mapping[str, Array]) -> list[Any]:
    """Draw paths (K, d) with a ring at their start and a dot at their end; return the lines."""
    colours, lines = palette(ax).colours, []
    for k, (name, path) in enumerate(paths.items()):
        colour = colours[k % len(colours)]
        lines += ax.plot(*path.T, color=colour, lw=1.8, zorder=6, solid_capstyle="round", label=f"path of {name}")
        ax.plot(*path[:1].T, "o", color=colour, mfc=palette(ax).paper, mew=1.5, ms=5.5, zorder=7)
        ax.plot(*path[-1:].T, "o", color=colour, ms=5.5, zorder=7)
    return lines


def finished(ax: Any, scene: Scene, title: str, handles: Sequence[Any] = (), box: Array | None = None) -> Any:
    """Set limits, units, title and legend, and return the figure."""
    box = scene.box if box is None else box
    titled(ax, title, scene.ended)
    if scene.dimension == 3:
        _in_space(ax, scene, box)
        own = ax.get_gid() == OWN
        if own:
            _spread(ax, handles)
        elif handles:
            legend(ax, *handles)
        return ax.figure
    _in_plane(ax, scene, box)
    if handles:
        legend(ax, *handles)
    engine = ax.figure.get_layout_engine()
    if engine is not None:
        engine.execute(ax.figure)  # equal scales change the room that labels need: once more when drawn, and it fits
    return ax.figure


def _in_plane(ax: Any, scene: Scene, box: Array) -> None:
    dressed(ax)
    ax.set_aspect("equal")
    ax.update_datalim([box[0] - 5.5 * scene.r, box[1] + 5.5 * scene.r])
    ax.margins(0.0)
    ax.autoscale_view()  # limits stay automatic: what a user adds is seen too
    ax.set_xlabel(f"x [{scene.unit}]")
    ax.set_ylabel(f"y [{scene.unit}]")


def _in_space(ax: Any, scene: Scene, box: Array) -> None:
    """Set limits that hold all, with one scale for the three axes."""
    c = palette(ax)
    low, high = box
    span = max(float(np.max(high - low)), 1e-300)
    reach = np.maximum(high - low, FLAT * span) * 1.06  # a flat motion still has a box to stand in
    dark = c.paper != "#ffffff"
    for axis, middle, size in zip("xyz", 0.5 * (low + high), reach, strict=True):
        getattr(ax, f"set_{axis}lim")(middle - 0.5 * size, middle + 0.5 * size)
        ax.locator_params(axis=axis, nbins=max(2, round(7.0 * size / span)))
        getattr(ax, f"set_{axis}label")(f"{axis} [{scene.unit}]", color=c.ink)
        pane = getattr(ax, f"{axis}axis")
        pane.set_pane_color((0.12, 0.14, 0.16, 1.0) if dark else (0.97, 0.975, 0.98, 1.0))
        pane.line.set_color(c.faint)
        pane._axinfo["grid"] |= {"color": c.grid, "linewidth": 0.7}  # these axes ask for them only here
    if min(reach[0], reach[1]) < 0.6 * span:
        # the first number of y would lie on the last of x
        ticks, least = ax.yaxis.get_majorticklocs(), 0.5 * (low[1] + high[1]) - 0.2 * reach[1]
        ax.set_yticks([tick for tick in ticks if least < tick < least + 0.7 * reach[1]])
    ax.set_box_aspect(tuple(reach / span), zoom=0.88)
    ax.tick_params(color=c.faint, labelcolor=c.ink, labelsize=8)
    for k, axis in enumerate((ax.xaxis, ax.yaxis, ax.zaxis)):
        # clear of the numbers: pads, and what these axes add to them, shrink with the box across the axis
        longer = max(1.0, float(np.linalg.norm(reach) / np.max(np.delete(reach, k))) / np.sqrt(3.0))
        axis.labelpad = 30.0 * longer - 21.0
        axis.set_tick_params(pad=11.5 * longer - 8.0)


def _spread(ax: Any, handles: Sequence[Any]) -> None:
    """Let the box fill a figure of its own: these axes are square, so a long or tall box would lie in empty paper."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    corners = np.array(list(product(*(getattr(ax, f"get_{axis}lim")() for axis in "xyz"))))
    ax.apply_aspect()
    flat = np.array(proj_transform(*corners.T, ax.get_proj())[:2]).T
    seen = ax.transAxes.inverted().transform(ax.transData.transform(flat))  # in units of the square
    (left, bottom), (wide, tall) = seen.min(axis=0), np.ptp(seen, axis=0)
    top = TITLE + (LEGEND if handles else 0.0)
    side = min((7.0 - SIDE[0] - SIDE[1]) / wide, (6.3 - UNDER - top) / tall)  # of the square, inches
    width, height = max(side * wide + SIDE[0] + SIDE[1], 4.5), side * tall + UNDER + top
    ax.figure.set_size_inches(width, height)
    x = SIDE[0] + 0.5 * (width - SIDE[0] - SIDE[1] - side * wide) - side * left
    y = UNDER - side * bottom
    ax.set_position((x / width, y / height, side / width, side / height))
    ax.title.set(visible=False)
    ink = palette(ax).ink
    words = {"color": ax.title.get_color(), "fontsize": 12, "ha": "center", "va": "top", "parse_math": False}
    ax.figure.text(0.5, 1.0 - 0.1 / height, ax.get_title(), **words)
    if handles:
        where = {"loc": "upper center", "bbox_to_anchor": (0.5, 1.0 - 0.34 / height), "borderaxespad": 0.0}
        ax.figure.legend(handles=list(handles), ncols=3, frameon=False, fontsize=9, labelcolor=ink, **where)
