"""A sheet of candidates of a synthesis: each linkage with its coupler curve and what was wanted of it.

It takes what `pm.synthesis` gives and asks it for curves, places and numbers; it knows no mechanics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import SimulationError
from particlemech.view import stage
from particlemech.view.families import scene
from particlemech.view.looks import COLOURS, dressed, palette, pyplot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEGREES = 180.0 / np.pi
COLUMNS = 4
SIDE = 3.1  # inches of a picture
AXIS = 0.14  # of the diagonal: the length of a stroke that shows how a wanted pose is turned
FAR = 1.4  # wanted places, and the linkage, fill the picture; a coupler curve may be so much larger


def candidates(found: Any, most: int = 12) -> Figure:
    """Draw a sheet of candidates: linkage, coupler curve, wanted places, error and least angle of transmission.

    Parameters
    ----------
    found : Candidates
        From `pm.synthesis.path`, `motion` or `function`.
    most : int
        How many are drawn, the best first; default 12.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    SimulationError
        If there is no candidate.
    ModelError
        If matplotlib is missing.
    """
    chosen = list(found)[:most]
    if not chosen:
        raise SimulationError(found.said, found)
    plt = pyplot()
    columns = min(COLUMNS, len(chosen))
    lines = -(-len(chosen) // columns)
    errors = found.wanted.kind == "function"
    size = (SIDE * columns, SIDE * lines * (1.5 if errors else 1.12) + 0.4)
    figure = plt.figure(figsize=size, layout="constrained")
    ratios = (3.0, 1.1) * lines if errors else (1.0,) * lines
    grid = figure.add_gridspec(len(ratios), columns, height_ratios=ratios)
    for k, one in enumerate(chosen):
        line, column = divmod(k, columns)
        _linkage(figure.add_subplot(grid[line * (2 if errors else 1), column]), one)
        if errors:
            _error(figure.add_subplot(grid[2 * line + 1, column]), one)
    p = palette(figure.axes[0])
    figure.suptitle(chosen[0].mechanism.name, fontsize=12, color=p.ink)
    return figure


def _linkage(ax: Any, one: Any) -> None:
    """Draw a candidate at the first place, with its curve and what was wanted."""
    whole = scene(one.mechanism).at([0])
    p, w = palette(ax), one.wanted
    stage.painted(ax, whole)
    room = [whole.box]
    if w.points is not None:
        curve = one.curve()
        wanted = np.column_stack([w.points.real, w.points.imag])
        ax.plot(*curve.T, color=COLOURS[0], lw=1.4, zorder=1.5)
        ax.plot(*wanted.T, "o", color=COLOURS[1], ms=4.5, zorder=7)
        room += [wanted, np.clip(curve, *_roomy(np.vstack([*room, wanted])))]
        if w.angles is not None:
            reach = AXIS * float(np.linalg.norm(np.ptp(np.vstack(room[:2]), axis=0)))
            for at, turn in zip(wanted, w.angles, strict=True):
                end = at + reach * np.array([np.cos(turn), np.sin(turn)])
                ax.plot(*np.array([at, end]).T, color=COLOURS[1], lw=1.6, zorder=7)
                room.append(end[None])
    places = np.vstack(room)
    places = places[np.isfinite(places).all(axis=1)]
    low, high = places.min(axis=0), places.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * float(np.max(high - low)) + 4.0 * whole.r
    ax.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_color(p.grid)
    turns = "crank turns round" if one.linkage.turns else f"crank turns {abs(one.way) * DEGREES:.0f}°"
    said = f"{one.number}: error {_short(one.error)}, {one.transmission * DEGREES:.0f}°\n{turns}"
    ax.set_title(said, fontsize=8.5, color=p.ink)


def _short(error: float) -> str:
    """Return an error in as few letters as tell it."""
    return "none" if error < 1e-9 else f"{error:.1e}"


def _roomy(places: Any) -> tuple[Any, Any]:
    """Return the corners of a box about places, larger by FAR."""
    low, high = np.nanmin(places, axis=0), np.nanmax(places, axis=0)
    more = (FAR - 1.0) * float(np.max(high - low))
    return low - more, high + more


def _error(ax: Any, one: Any) -> None:
    """Draw the error of the output over the angle of the crank."""
    p = palette(ax)
    wanted, miss = one.wanted, one.output - one.wanted.output
    few = "o" if len(wanted.crank) < 20 else ""
    ax.plot(DEGREES * wanted.crank, miss, few + "-", color=COLOURS[0], lw=1.2, ms=3.0)
    ax.axhline(0.0, color=p.faint, lw=0.7, zorder=0)
    dressed(ax)
    ax.tick_params(labelsize=7)
    ax.set_xlabel("crank [°]", fontsize=8)
    ax.set_ylabel("error", fontsize=8)
    ax.margins(0.02, 0.12)
