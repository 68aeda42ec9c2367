"""Charts: columns of a result against time or the driver of a cycle, reactions, energies, and two results compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model import columns
from particlemech.view.axis import TIME, axis_of
from particlemech.view.families import ended, scene
from particlemech.view.frequencies import columns_of, decibels
from particlemech.view.looks import ALARM, STYLES, alarmed, dressed, legend, palette, pyplot, titled
from particlemech.view.units import ENERGY, Wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HIDDEN = 1e-3  # of the largest value: curves no further apart hide each other
Curves = Mapping[str, tuple[Array, Array]]  # label -> times, values


def series(result: Any, names: Sequence[str], degrees: bool = False, units: Sequence[str] = ()) -> Figure:
    """Draw columns of a result against time, one panel for each quantity.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    names : sequence of str
        Columns as in a result file, such as "B.x", "crank.omega", "motor.effort" or "energy.total", or those of its
        measures, such as "C.transmission"; a name without
        its last letter stands for all components, such as "B" for "B.x" and "B.y", "base.main.f" for a force in
        space, or "base.angle" for three angles.
    degrees : bool
        Whether angles are shown in degrees.
    units : sequence of str
        Units other than those of the model, such as ("mm", "rpm").

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If a column is unknown or matplotlib is missing.
    """
    m, known = result.system.mechanism, _known(result, names)
    wanted = _wanted(degrees, units)
    panels = _panels(m, known, names)
    figure, grid = _figure(len(panels))
    for ax, (quantity, group) in zip(grid, panels.items(), strict=True):
        scale, unit = wanted.of(columns.unit(m, quantity), quantity == ENERGY)
        _drawn(ax, {name: (_across(result), scale * known[name]) for name in group})
        ax.set_ylabel(f"{quantity} [{unit}]")
        legend(ax)
    return _titled(figure, grid, result)


def reactions(result: Any, joints: Sequence[str] | None = None) -> Figure:
    """Draw the forces of joints against time, with the peak marked and the root mean square named.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    joints : sequence of str, optional
        Joints; default all.

    Returns
    -------
    matplotlib figure
        One curve per joint and body: the size of the force that the joint exerts on it.

    Raises
    ------
    ModelError
        If a joint is unknown, no reaction is determined, or matplotlib is missing.
    """
    m, found = result.system.mechanism, _forces(result, joints)
    unit = columns.unit(m, "force")
    figure, (ax,) = _figure(1)
    labels = {}
    for name, force in found.items():
        size = np.linalg.norm(force, axis=1)
        rms = np.sqrt(np.nanmean(size**2))
        labels[f"{name}: peak {np.nanmax(size):.4g}, RMS {rms:.4g} {unit}"] = (_across(result), size)
    for line in _drawn(ax, labels):
        k = int(np.nanargmax(line.get_ydata()))
        ax.plot(line.get_xdata()[k], line.get_ydata()[k], "o", color=line.get_color(), ms=5.0)
    ax.set_ylabel(f"force of joints [{unit}]")
    ax.set_ylim(bottom=0.0)
    legend(ax)
    return _titled(figure, [ax], result)


def efforts(title: str, t: Any, found: Mapping[str, Array], units: Mapping[str, str]) -> Figure:
    """Draw efforts by actuator against time, one panel for each unit.

    Parameters
    ----------
    title : str
        What stands above.
    t : array, (K,)
        s.
    found : mapping
        (K,) each, such as `Inverse.efforts`.
    units : mapping
        Of each, such as `Inverse.units`.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    kinds = list(dict.fromkeys(units.values()))
    figure, grid = _figure(len(kinds))
    for ax, unit in zip(grid, kinds, strict=True):
        _drawn(ax, {name: (t, values) for name, values in found.items() if units[name] == unit})
        ax.set_ylabel(f"effort [{unit}]")
        legend(ax)
    grid[-1].set_xlabel(TIME.label)
    figure.suptitle(title, fontsize=12, color=palette(grid[0]).ink, parse_math=False)
    return figure


def bode(frequency: Sequence[float], answer: Any, names: Sequence[str] = ("response",)) -> Figure:
    """Draw the size and the phase of what `pm.response` gives, against the frequency.

    Parameters
    ----------
    frequency : sequence of float
        Hz, (F,).
    answer : array of complex
        (F,), or (F, n): one curve for each column.
    names : sequence of str
        What the curves are called, (n,).

    Returns
    -------
    matplotlib figure
        Size in decibels of its own unit, phase in degrees.

    Raises
    ------
    ModelError
        If numbers and names do not fit, or matplotlib is missing.
    """
    f, every = columns_of(frequency, answer, names)
    figure, (above, below) = _figure(2)
    for name, curve in zip(names, every.T, strict=True):
        above.semilogx(f, decibels(curve), label=name)
        below.semilogx(f, np.degrees(np.unwrap(np.angle(curve))))
    above.set_ylabel("size [dB]")
    below.set_ylabel("phase [deg]")
    below.set_xlabel("frequency [Hz]")
    for ax in (above, below):
        dressed(ax)
    legend(above)
    return figure


def hodograph(result: Any, joints: Sequence[str] | None = None) -> Figure:
    """Draw the curves along which the tips of the forces of joints move.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    joints : sequence of str, optional
        Joints; default all.

    Returns
    -------
    matplotlib figure
        One curve per joint and body, in global axes; a ring marks the start, a larger dot the peak.

    Raises
    ------
    ModelError
        If a joint is unknown, no reaction is determined, or matplotlib is missing.
    """
    m, found = result.system.mechanism, _forces(result, joints)
    d = next(iter(found.values())).shape[1]
    projection = {"projection": "3d"} if d == 3 else {}
    ax = pyplot().figure(figsize=(8.2, 5.6), layout="constrained").add_subplot(**projection)
    c = palette(ax)
    for k, (name, force) in enumerate(found.items()):
        colour, peak = c.colours[k % len(c.colours)], int(np.nanargmax(np.linalg.norm(force, axis=1)))
        ax.plot(*force.T, color=colour, ls=STYLES[k // len(c.colours) % len(STYLES)], lw=1.6, label=name)
        ax.plot(*force[:1].T, "o", color=colour, mfc=c.paper, ms=5.0)
        ax.plot(*force[peak : peak + 1].T, "o", color=colour, ms=6.0)
    ax.plot(*np.zeros((d, 1)), "+", color=c.ink, ms=9.0)
    unit = columns.unit(m, "force")
    for axis in "xyz"[:d]:
        getattr(ax, f"set_{axis}label")(f"force {axis} [{unit}]", color=c.ink)
    ax.set_aspect("equal", **({} if d == 3 else {"adjustable": "datalim"}))
    if d == 2:
        dressed(ax)
    legend(ax)
    titled(ax, m.name, ended(result))
    figure: Figure = ax.figure
    return figure


def energy(result: Any) -> Figure:
    """Draw energies and work, the energy error, and how well the joints close, against time.

    Parameters
    ----------
    result : Result
        The motion, of any family.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If matplotlib is missing.
    """
    m, e, closure = result.system.mechanism, result.energy, result.closure.position
    unit = columns.unit(m, "energy")
    closes = bool(np.any(closure > 0.0))
    figure, grid, x = *_figure(3 if closes else 2), _across(result)
    _drawn(grid[0], {n: (x, getattr(e, n)) for n in ("kinetic", "potential", "total", "work")})
    grid[0].set_ylabel(f"energy [{unit}]")
    legend(grid[0])
    _drawn(grid[1], {"total - start - work": (x, e.error)})
    grid[1].set_ylabel(f"energy error [{unit}]")
    legend(grid[1])
    if closes:
        _drawn(grid[2], {"worst joint": (x, closure)})
        grid[2].set_ylabel(f"closure [{columns.unit(m, 'position')}]")
        legend(grid[2])
    return _titled(figure, grid, result)


def compare(
    a: Any, b: Any, names: Sequence[str] | None = None, labels: tuple[str, str] | None = None, degrees: bool = False
) -> Figure:
    """Draw columns of two results over each other, and their difference below.

    Parameters
    ----------
    a, b : Result
        Two runs with the same columns: of two variants, two tolerances or two formulations.
    names : sequence of str, optional
        Columns as for `series`; default the point with the longest path.
    labels : two texts, optional
        How the results are called; default their formulations, or the names of their models.
    degrees : bool
        Whether angles are shown in degrees.

    Returns
    -------
    matplotlib figure
        Solid curves of the first, dashed ones of the second. Differences are second minus first, at the times of the
        first that both reach; where the samples differ, the second is interpolated by a cubic spline.

    Raises
    ------
    ModelError
        If a column is unknown to one of them, or matplotlib is missing.
    """
    m, one, other, wanted = a.system.mechanism, a.columns(), b.columns(), _wanted(degrees)
    panels = _panels(m, one, _longest(a) if names is None else names)
    for name in (name for group in panels.values() for name in group if name not in other):
        raise ModelError(f'column "{name}" is missing in the second result{suggestion(name, other)}')
    first, second = _labels(a, b) if labels is None else labels
    figure, grid = _figure(2 * len(panels))
    for n, (quantity, group) in enumerate(panels.items()):
        scale, unit = wanted.of(columns.unit(m, quantity), quantity == ENERGY)
        upper, lower = grid[2 * n : 2 * n + 2]
        _drawn(upper, {f"{name}, {first}": (a.t, scale * one[name]) for name in group})
        _drawn(upper, {f"{name}, {second}": (b.t, scale * other[name]) for name in group}, ls=(0, (4, 2.5)), lw=2.2)
        upper.set_ylabel(f"{quantity} [{unit}]")
        gaps = {name: _difference(a.t, one[name], b.t, other[name]) for name in group}
        _drawn(lower, {f"{n}: {np.nanmax(np.abs(gap)):.1e}": (t, scale * gap) for n, (t, gap) in gaps.items()})
        lower.set_ylabel(f"difference [{unit}]")
        legend(upper)
        legend(lower)
    return _titled(figure, grid, a, b)


# -- parts of charts -----------------------------------------------------------------------------------------------


def _known(result: Any, names: Sequence[str]) -> dict[str, Array]:
    """Return the columns of a result, with those of its measures where names ask for more."""
    found: dict[str, Array] = result.columns()
    try:
        columns.chosen((names,) if isinstance(names, str) else names, found)
    except ModelError:
        if len(result.t) > 1 and hasattr(result, "measures"):
            return {**result.measures().columns(), **found}
    return found


def _panels(m: Any, known: Mapping[str, Array], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns that names stand for, by quantity."""
    names = (names,) if isinstance(names, str) else tuple(names)
    if not names:
        raise ModelError('no column to draw; name at least one, such as "energy.total"')
    panels: dict[str, list[str]] = {}
    for name in columns.chosen(names, known):
        panels.setdefault(columns.quantity(m, name), []).append(name)
    return panels


def _figure(rows: int) -> tuple[Figure, list[Any]]:
    """Return a figure with panels below each other."""
    size = (8.5, 1.2 + 2.3 * rows)
    figure, grid = pyplot().subplots(rows, 1, sharex=True, squeeze=False, figsize=size, layout="constrained")
    return figure, list(grid[:, 0])


def _drawn(ax: Any, curves: Curves, **style: Any) -> list[Any]:
    """Draw curves against time and return their lines."""
    colours, lines = palette(ax).colours, []
    under = _covered(curves)
    for k, (label, (t, values)) in enumerate(curves.items()):
        looks = {"color": colours[k % len(colours)], "ls": STYLES[k // len(colours) % len(STYLES)], "lw": 1.6} | style
        if label in under:
            # both are seen: gaps that widen with every further curve on the same line
            first, n = under[label]
            looks["ls"], label = (0, (5.0, 5.0 * n)), f"{label} (on {first.partition(':')[0]})"
        lines += ax.plot(t, values, label=label, **looks)
    dressed(ax)
    ax.margins(x=0.0, y=0.08)
    return lines


def _covered(curves: Curves) -> dict[str, tuple[str, int]]:
    """Return the curves that lie on an earlier one, with its label and how many lie there by then."""
    reach = max((float(np.nanmax(np.abs(values), initial=0.0)) for _, values in curves.values()), default=0.0)
    alone: dict[str, int] = {}
    found: dict[str, tuple[str, int]] = {}
    for label, (t, values) in curves.items():
        for first in alone:
            other_t, other = curves[first]
            if len(t) == len(other_t) and np.allclose(values, other, rtol=0.0, atol=HIDDEN * reach, equal_nan=True):
                alone[first] += 1
                found[label] = (first, alone[first])
                break
        else:
            alone[label] = 0
    return found


def _titled(figure: Figure, grid: Sequence[Any], *results: Any) -> Figure:
    axes = {axis_of(result) for result in results}
    grid[-1].set_xlabel((axes.pop() if len(axes) == 1 and len(results) == 1 else TIME).label)
    grid[0].figure.align_ylabels(list(grid))
    said = "; ".join(filter(None, map(ended, results)))
    colour = ALARM if said else palette(grid[0]).ink
    figure.suptitle(alarmed(results[0].system.mechanism.name, said), fontsize=12, color=colour, parse_math=False)
    return figure


def _across(result: Any) -> Array:
    """Return what columns are drawn against, (K,)."""
    axis = axis_of(result)
    return np.arange(1.0, len(result.t) + 1.0) if axis.words else np.asarray(axis.value(result.t))


def _wanted(degrees: bool, units: Sequence[str] = ()) -> Wanted:
    """Return the units that are asked for."""
    return Wanted([*((units,) if isinstance(units, str) else units), *(["deg"] if degrees else [])])


def _forces(result: Any, joints: Sequence[str] | None) -> dict[str, Array]:
    """Return the forces that joints exert on all but their first bodies, (K, d) by "joint.body"."""
    m = result.system.mechanism
    chosen = list(m.joints) if joints is None else [joints] if isinstance(joints, str) else list(joints)
    m.check_masses("the picture of reactions")
    found, reaction = {}, scene(result).arrows["reaction"]
    for name in chosen:
        if name not in m.joints:
            raise ModelError(f'joint "{name}" unknown{suggestion(name, m.joints)}')
        for label, arrow in reaction.items():
            if label.partition(".")[0] == name and np.isfinite(arrow.vector).all(axis=1).any():
                found[label] = arrow.vector
    if not found:
        raise ModelError("no reaction of these joints is determined: the mechanism holds more than needed")
    return found


def _longest(result: Any) -> list[str]:
    """Return the point with the longest path, or the first body where there are no points."""
    m = result.system.mechanism
    sizes = {p: float(np.sum(np.linalg.norm(np.diff(result[p], axis=0), axis=1))) for p in m.points}
    return [max(sizes, key=lambda p: sizes[p])] if sizes else [next(iter(m.bodies))]


def _labels(a: Any, b: Any) -> tuple[str, str]:
    """Return what tells two results apart."""
    for pair in ((a.system.formulation, b.system.formulation), (a.system.mechanism.name, b.system.mechanism.name)):
        if pair[0] != pair[1]:
            return pair
    return "first", "second"


def _difference(t: Array, first: Array, other_t: Array, second: Array) -> tuple[Array, Array]:
    """Return common times, and second minus first there."""
    if len(t) == len(other_t) and np.array_equal(t, other_t):
        return t, second - first
    from scipy.interpolate import CubicSpline

    common = t <= other_t[-1]
    return t[common], CubicSpline(other_t, second)(t[common]) - first[common]
