"""Pictures of trees in space, on matplotlib's three-dimensional axes: see skeleton.py for what is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.system import Array
from particlemech.tree.inverse_dynamics import inverse
from particlemech.tree.mechanism import Mechanism
from particlemech.tree.observed import Observed
from particlemech.view.looks import COLOURS, FAINT, INK, PLATE, legend, pyplot
from particlemech.view.skeleton import Skeleton

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def start(m: Mechanism) -> Observed:
    """Return a tree where its coordinates start, as a motion of one sample at rest."""
    return inverse(m, {name: m.start(name)[0] for name, joint in m.joints.items() if joint.dof}, {}, {})


def drawn(
    poses: Sequence[Skeleton],
    paths: Mapping[str, Array],
    length: str,
    title: str,
    ax: Any | None = None,
    full: int = 1,
) -> Figure:
    """Draw the last poses in full, those before them faintly, and paths (K, 3) by name; `length` is the unit."""
    ax = _axes() if ax is None else ax
    if ax.name != "3d":
        raise ModelError('a tree is drawn in space; give axes made with projection="3d"')
    ghosts = poses[:-full]
    for k, pose in enumerate(ghosts):
        _lines(ax, pose, alpha=0.18 + 0.30 * k / max(len(ghosts) - 1, 1))
    for pose in poses[-full:]:
        _solids(ax, pose)
        _lines(ax, pose)
        _marks(ax, pose)
    for colour, (name, path) in zip(COLOURS * len(paths), paths.items(), strict=False):
        ax.plot(*path.T, color=colour, lw=1.6, label=f"path of {name}")
        ax.plot(*path[:1].T, "o", color=colour, mfc="white", mew=1.3, ms=5.0)
        ax.plot(*path[-1:].T, "o", color=colour, ms=5.0)
    _fitted(ax, np.vstack([*(pose.places for pose in poses), *paths.values()]))
    _finished(ax, length, title, bool(paths))
    figure: Figure = ax.figure
    return figure


# -- parts of a picture ------------------------------------------------------------------------------------------


def _axes() -> Any:
    plt = pyplot()
    with plt.rc_context({"grid.color": "#dfe4e9", "grid.linewidth": 0.7}):  # these axes ask for them only here
        return plt.figure(figsize=(7.0, 6.0), layout="constrained").add_subplot(projection="3d")


def _solids(ax: Any, pose: Skeleton) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    for bone in pose.bones:
        if bone.faces:
            solid = Poly3DCollection(bone.faces, facecolors=PLATE, edgecolors=INK, linewidths=0.5, alpha=0.35)
            solid.set_gid(bone.body)
            ax.add_collection3d(solid)


def _lines(ax: Any, pose: Skeleton, alpha: float | None = None) -> None:
    for bone in pose.bones:
        for line in bone.lines:
            ax.plot(*line.T, color=INK, lw=2.4 if alpha is None else 1.4, alpha=alpha, solid_capstyle="round")
    for line in pose.springs:
        ax.plot(*line.T, color=INK, lw=1.1, ls=(0, (2, 1.5)), alpha=alpha)


def _marks(ax: Any, pose: Skeleton) -> None:
    ax.plot(*pose.joints.T, "o", color=INK, mfc="white", mew=1.1, ms=4.5)
    ax.plot(*pose.held.T, "s", color=INK, ms=6.0)


# -- looks -------------------------------------------------------------------------------------------------------


def _fitted(ax: Any, places: Array) -> None:
    """Set limits that hold all places, with one scale for the three axes."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = max(float(np.max(high - low)), 1e-300)
    reach = np.maximum(high - low, 0.25 * span) * 1.06  # a flat motion still has a box to stand in
    middle = 0.5 * (low + high)
    for axis, centre, size in zip("xyz", middle, reach, strict=True):
        getattr(ax, f"set_{axis}lim")(centre - 0.5 * size, centre + 0.5 * size)
        ax.locator_params(axis=axis, nbins=max(2, round(7.0 * size / span)))
    tall = reach[2] / float(np.linalg.norm(reach))
    ax.set_box_aspect(tuple(reach / span), zoom=0.94 * min(1.0, 0.8 / tall))  # with room for the labels


def _finished(ax: Any, length: str, title: str, named: bool) -> None:
    for axis in "xyz":
        getattr(ax, f"set_{axis}label")(f"{axis} [{length}]", color=INK)
        pane = getattr(ax, f"{axis}axis")
        pane.set_pane_color((0.97, 0.975, 0.98, 1.0))
        pane.line.set_color(FAINT)
    ax.tick_params(color=FAINT, labelcolor=INK, labelsize=8)
    ax.zaxis.labelpad = 9.0  # clear of the numbers, which come close where the box is narrow
    ax.set_title(title, fontsize=12, color=INK)
    if named:
        legend(ax)
