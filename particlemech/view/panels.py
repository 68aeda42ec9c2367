"""Pictures side by side: poses that are answers, such as assemblies, and shapes of natural motions with their roots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.view import stage
from particlemech.view.families import scene
from particlemech.view.looks import dressed, legend, palette, pyplot, titled
from particlemech.view.scene import Scene
from particlemech.view.swings import posed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST, ACROSS = 12, 4  # panels of one figure, and of one row
FAINT = 0.22  # what is at rest


def poses(of: Any) -> Figure:
    """Draw poses side by side: assemblies, toggles and dead points, rest positions, or samples of any result.

    Parameters
    ----------
    of : Assemblies, Toggles, Rest or Result
        What `pm.assemblies`, `pm.toggles` or `pm.equilibrium(all=True)` gives.

    Returns
    -------
    matplotlib figure
        One panel for each of the first twelve.

    Raises
    ------
    ModelError
        If there are none, or matplotlib is missing.
    """
    seen = posed(of) or scene(of)
    count = min(len(seen.t), MOST)
    names = seen.axis.words[:count] or [seen.axis.said(t) for t in seen.t[:count]]
    return _side_by_side(seen, [(k,) for k in range(count)], names, seen.title)


def shapes(modes: Any, which: Sequence[int] | None = None) -> Figure:
    """Draw the shapes of natural motions, both ends of each swing, with the pose that they are about in faint colour.

    Parameters
    ----------
    modes : Modes
        What `pm.modes` gives.
    which : sequence of int, optional
        Their numbers; default the lowest six.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If there is no such motion, or matplotlib is missing.
    """
    swings = modes.swings
    wanted = list(range(min(len(swings), 6))) if which is None else list(which)
    for k in wanted:
        if not 0 <= k < len(swings):
            raise ModelError(f"modes: there is no picture of motion {k}; there are {len(swings)}, counted from 0")
    from particlemech.view.swings import joined

    whole, per = joined([swings[k].scene for k in wanted]), len(swings[0].scene.t)
    middle = 1 + swings[0].phases  # the second level: what a page shows first
    samples = [(n * per, n * per + middle, n * per + middle + swings[0].phases // 2) for n in range(len(wanted))]
    names = [f"{k}: {swings[k].name}" for k in wanted]
    return _side_by_side(whole, samples, names, scene(modes.result).title)


def roots(modes: Any) -> Figure:
    """Draw the eigenvalues of natural motions in the complex plane.

    Parameters
    ----------
    modes : Modes
        What `pm.modes` gives.

    Returns
    -------
    matplotlib figure
        What lies right of the vertical axis grows; rays are lines of equal damping.

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    lam = np.asarray(modes.eigenvalues)
    figure, ax = pyplot().subplots(figsize=(7.4, 5.4), layout="constrained")
    p, reach = palette(ax), plane_of_roots(ax, lam)
    grows = lam.real > 1e-9 * reach
    handles = []
    for some, colour, label in ((~grows, p.colours[0], "stable"), (grows, p.colours[1], "grows")):
        if some.any():
            handles += ax.plot(lam[some].real, lam[some].imag, "x", color=colour, ms=8.0, mew=1.8, label=label)
    legend(ax, *handles)
    titled(ax, f"{scene(modes.result).title}: roots")
    made: Figure = figure
    return made


def plane_of_roots(ax: Any, lam: Array) -> float:
    """Make axes a complex plane with room for some eigenvalues and rays of equal damping; return how far it reaches."""
    p = palette(ax)
    reach = 1.15 * float(np.abs(lam).max(initial=1e-300)) or 1.0
    for zeta in (0.1, 0.3, 0.5, 0.7, 0.9):
        ray = reach * np.array([-zeta, np.sqrt(1.0 - zeta**2)])
        for sign in (1.0, -1.0):
            ax.plot([0.0, ray[0]], [0.0, sign * ray[1]], color=p.grid, lw=0.9, zorder=1)
        if lam.real.min(initial=0.0) < -0.02 * reach:
            ax.annotate(f"{zeta:g}", ray, fontsize=8, color=p.faint, ha="right", va="bottom", annotation_clip=True)
    ax.axhline(0.0, color=p.faint, lw=0.9, zorder=1)
    ax.axvline(0.0, color=p.faint, lw=0.9, zorder=1)
    dressed(ax)
    ax.set(xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")
    low, high = float(lam.real.min(initial=0.0)), float(lam.real.max(initial=0.0))
    room = max(0.15 * (high - low), 0.12 * reach)
    ax.set(xlim=(low - room, high + room), ylim=(-reach, reach))
    return reach


def _side_by_side(seen: Scene, samples: Sequence[tuple[int, ...]], names: Sequence[str], title: str) -> Figure:
    """Draw some samples of a scene in each panel; of several, the first is at rest, and the last opposite."""
    plt, n = pyplot(), len(samples)
    if not n:
        raise ModelError("there is nothing to draw")
    across = min(n, ACROSS if n > 6 else 2 if n == 4 else 3)
    rows, space = -(-n // across), seen.dimension == 3
    box = _box(seen, samples)
    low, high = box
    tall = 1.0 if space else float(np.clip((high - low)[1] / max((high - low)[0], 1e-300), 0.35, 2.2))
    size = (min(3.6 * across, 12.5), min(3.6 * across, 12.5) / across * tall * rows + 0.6 + 0.3 * rows)
    figure = plt.figure(figsize=size, layout="constrained")
    for number, (which, name) in enumerate(zip(samples, names, strict=True), start=1):
        ax = figure.add_subplot(rows, across, number, **({"projection": "3d"} if space else {}))
        for place, k in enumerate(which):
            faint = None if place == len(which) - 2 or len(which) == 1 else FAINT
            stage.painted(ax, seen.at([k]), faint)
        _bare(ax, low, high, 4.0 * seen.r)
        ax.set_title(name, fontsize=10, color=palette(ax).ink, parse_math=False)
    figure.suptitle(title, fontsize=12, color=palette(figure.axes[0]).ink, parse_math=False)
    made: Figure = figure
    return made


def _box(seen: Scene, samples: Sequence[tuple[int, ...]]) -> Array:
    return seen.at([k for which in samples for k in which]).box


def _bare(ax: Any, low: Array, high: Array, margin: float) -> None:
    """Give a small panel limits and no numbers."""
    span = max(float(np.max(high - low)), 1e-300)
    if len(low) == 2:
        ax.set_aspect("equal")
        ax.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))
        ax.set_axis_off()
        return
    reach = np.maximum(high - low, 0.25 * span) * 1.05
    for axis, middle, size in zip("xyz", 0.5 * (low + high), reach, strict=True):
        getattr(ax, f"set_{axis}lim")(middle - 0.5 * size, middle + 0.5 * size)
    ax.set_box_aspect(tuple(reach / span), zoom=1.15)
    ax.set_axis_off()
