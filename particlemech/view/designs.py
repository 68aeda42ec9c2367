"""Pictures of designs: roots that wander, how an optimum was found, and fronts of two aims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.view import stage
from particlemech.view.families import scene
from particlemech.view.looks import dressed, legend, palette, pyplot, titled
from particlemech.view.panels import plane_of_roots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHADES = "viridis"  # of the parameter along a locus


def locus(found: Any) -> Figure:
    """Draw a root locus: eigenvalues in the complex plane while a parameter grows, by colour.

    Parameters
    ----------
    found : RootLocus
        From `pm.root_locus`.

    Returns
    -------
    matplotlib figure
        Crosses are where it begins, rings where it ends; where stability is won or lost the value stands beside it.

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    plt = pyplot()
    figure, ax = plt.subplots(figsize=(8.2, 5.6), layout="constrained")
    p, known = palette(ax), np.isfinite(found.eigenvalues).all(axis=1)
    lam, values = found.eigenvalues[known], found.values[known]
    plane_of_roots(ax, lam.reshape(-1))
    for course in lam.T:
        ax.plot(course.real, course.imag, color=p.faint, lw=1.0, zorder=2)
        dots = ax.scatter(course.real, course.imag, c=values, cmap=SHADES, s=14.0, zorder=3)
        ax.plot(course[:1].real, course[:1].imag, "x", color=p.ink, ms=8.0, mew=1.6, zorder=4)
        ax.plot(course[-1:].real, course[-1:].imag, "o", color=p.ink, ms=7.0, mfc="none", mew=1.4, zorder=4)
    for one in found.crossings:
        at = (one.eigenvalue.real, one.eigenvalue.imag)
        ax.plot(*at, "D", color=p.colours[1], ms=5.5, zorder=5)
        ax.annotate(f"{one.value:.4g}", at, xytext=(6, 6), textcoords="offset points", fontsize=9, color=p.colours[1])
    bar = figure.colorbar(dots, ax=ax, pad=0.02)
    bar.set_label(_labelled(found.parameter, found.unit), color=p.ink)
    bar.ax.tick_params(labelcolor=p.ink, color=p.faint, labelsize=9)
    titled(ax, f"{found.mechanism.name}: roots over {found.parameter}")
    made: Figure = figure
    return made


def history(found: Any) -> Figure:
    """Draw how an optimisation went on: what it wanted to be small or large, variant by variant, and the mechanisms.

    Parameters
    ----------
    found : Optimum
        From `pm.optimise`.

    Returns
    -------
    matplotlib figure
        Left the mechanism before in faint colour and the best one; right the aim of each variant, those that do not
        fulfil the conditions or cannot be assembled apart, and the best so far.

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(11.0, 4.8), layout="constrained")
    p = palette(right)
    _both(left, found.before, found.mechanism)
    numbers = np.array([one.number for one in found.history])
    aims = np.array([one.aim for one in found.history])
    lost = ~np.isfinite(aims)
    good = np.array([one.fulfilled for one in found.history]) & ~lost
    handles = []
    for some, colour, label in ((good, p.colours[0], "fulfils all"), (~good & ~lost, p.colours[1], "does not")):
        if some.any():
            handles += right.plot(numbers[some], aims[some], "o", ms=3.5, color=colour, label=label)
    if good.any():
        best = np.array([one.best for one in found.history])
        handles += right.step(numbers, best, where="post", color=p.ink, lw=1.4, label="best so far")
    if lost.any():
        for number in numbers[lost]:
            right.axvline(number, color=p.grid, lw=1.5, zorder=0)
        handles += right.plot([], [], color=p.grid, lw=3.0, label="no mechanism")
    dressed(right)
    right.set(xlabel="variant", ylabel=_labelled(found.aim, found.unit))
    right.margins(0.03, 0.08)
    legend(right, *handles)
    told = f"{found.mechanism.name}: {found.aim} from {found.first:.5g} to {found.value:.5g}"
    figure.suptitle(told, fontsize=12, color=p.ink, parse_math=False)
    made: Figure = figure
    return made


def front(found: Any) -> Figure:
    """Draw a front of two aims, with the mechanisms at its ends and in its middle.

    Parameters
    ----------
    found : Front
        From `pm.pareto`.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    plt = pyplot()
    figure = plt.figure(figsize=(10.5, 5.4), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=(2.2, 1.0))
    ax = figure.add_subplot(grid[:, 0])
    p = palette(ax)
    ax.plot(*found.values.T, "-", color=p.faint, lw=1.2, zorder=1)
    ax.plot(*found.values.T, "o", color=p.colours[0], ms=5.0, zorder=2)
    few = sorted({0, len(found.values) // 2, len(found.values) - 1})
    for line, k in enumerate(few):
        ax.plot(*found.values[k], "o", color=p.colours[1], ms=8.0, zorder=3)
        ax.annotate("ABC"[line], found.values[k], xytext=(8, 6), textcoords="offset points", fontsize=11, color=p.ink)
        beside = figure.add_subplot(grid[line, 1])
        _both(beside, None, found.mechanisms[k])
        beside.set_title("ABC"[line], fontsize=11, color=p.ink, loc="left")
    dressed(ax)
    ax.set(xlabel=_labelled(found.aims[0], found.units[0]), ylabel=_labelled(found.aims[1], found.units[1]))
    titled(ax, f"{found.mechanisms[0].name}: neither can be better without the other worse")
    made: Figure = figure
    return made


def _labelled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _both(ax: Any, before: Any, after: Any) -> None:
    """Draw a mechanism as drawn, with the one before it in faint colour."""
    seen = [scene(one) for one in (before, after) if one is not None]
    for k, one in enumerate(seen):
        stage.painted(ax, one.at([0]), 0.25 if k < len(seen) - 1 else None)
    box = np.vstack([one.box for one in seen])
    low, high, room = box.min(axis=0), box.max(axis=0), 4.0 * max(one.r for one in seen)
    ax.set_aspect("equal")
    ax.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room))
    ax.set_axis_off()
