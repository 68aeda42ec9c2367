"""Pictures of measures: transmission angles, centrodes, bearing loads, shaking force, turning moment.

They take a result, or its `measures(...)` where options are said. What has full cycles is drawn over the last of them,
against the angle of the driver where that turns, else against time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model import columns
from particlemech.model.primitives import GROUND
from particlemech.view import stage
from particlemech.view.axis import axis_of
from particlemech.view.families import ended, scene
from particlemech.view.looks import ALARM, STYLES, alarmed, dressed, legend, palette, pyplot
from particlemech.view.pictures import sample_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEGREES = 180.0 / np.pi
GOOD = (45.0, 135.0)  # degrees: transmission angles that handbooks call good
EVEN = 1e-6  # degrees: a curve that moves less has no extremes worth a mark
FAR = 1.0  # of the mechanism's diagonal: instant centres farther from it are not drawn


def transmission(of: Any, joints: Sequence[str] | None = None) -> Figure:
    """Draw transmission angles with their extremes; the range that handbooks call good is shaded.

    Parameters
    ----------
    of : Result or Measures
        The motion of a mechanism.
    joints : sequence of str, optional
        Outputs, as `Measures.transmission` takes them; default all.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If there is no such output, or matplotlib is missing.
    """
    m = _measures(of)
    wanted = m.outputs if joints is None else [joints] if isinstance(joints, str) else list(joints)
    every = {name: DEGREES * m.transmission(name) for name in wanted}
    curves = {name: values for name, values in every.items() if np.isfinite(values).any()}
    if not curves:
        raise ModelError(
            f'transmission: "{m.mechanism.name}" has no joint on the ground that is not driven and has such an angle'
        )
    x, label, part = _across(m)
    figure, ax = pyplot().subplots(figsize=(8.5, 4.2), layout="constrained")
    p = palette(ax)
    shade = ax.axhspan(*GOOD, color=p.grid, alpha=0.6, lw=0.0, zorder=0, label="good: 45° to 135°")
    handles = []
    for k, (name, values) in enumerate(curves.items()):
        colour, ends = p.colours[k % len(p.colours)], m.extremes(f"{name}.transmission")
        low, high = (DEGREES * end.value for end in ends)
        (line,) = ax.plot(x, values[part], color=colour, ls=STYLES[k // len(p.colours) % len(STYLES)], lw=1.8)
        if high - low > EVEN:
            at = [np.interp(_folded(m, end.t), m.t[part], x) for end in ends]
            ax.plot(at, [low, high], "o", color=colour, ms=5.0)
        line.set_label(f"{name}: {low:.4g}° to {high:.4g}°")
        handles.append(line)
    dressed(ax)
    ax.set(xlabel=label, ylabel="transmission angle [°]", ylim=(0.0, 180.0), yticks=range(0, 181, 30))
    _fitted(ax, x)
    legend(ax, *handles, shade)
    return _titled(figure, m, "transmission angle")


def workspace(found: Any, of: Any = None) -> Figure:
    """Draw where a point can be, coloured by how easily it moves there, with its singular poses.

    Parameters
    ----------
    found : WorkspaceMap
        Of a mechanism in the plane, from `pm.workspace`.
    of : Result, optional
        A motion whose first pose is drawn on it; default the start.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If the mechanism is in space, or matplotlib is missing.
    """
    if found.place.shape[-1] != 2:
        raise ModelError("workspace: pictures are of mechanisms in the plane; in space take `place` as numbers")
    whole = scene(found.mechanism if of is None else of).at([0])
    inside = found.place[found.reached]
    ax = stage.axes(_roomy(whole, [inside]), None, legends=True)
    size = found.manipulability[found.reached]
    dots = ax.scatter(*inside.T, c=size, s=9.0, cmap="viridis", lw=0.0, zorder=6, alpha=0.85)
    stage.painted(ax, whole)
    p, handles = palette(ax), []
    for curve, colour, label in ((found.ends, p.ink, "drivers end"), (found.first_kind, ALARM, "the point ends")):
        if len(curve.place):
            handles += ax.plot(*curve.place.T, ".", color=colour, ms=4.0, zorder=7, label=label)
    figure: Figure = ax.figure
    figure.colorbar(dots, ax=ax, shrink=0.7, label=f"manipulability by {', '.join(found.drivers)}")
    if handles:
        legend(ax, *handles)
    ax.set(xlabel=f"x [{whole.unit}]", ylabel=f"y [{whole.unit}]")
    ax.set_title(f"{found.mechanism.name}: where {found.point} can be")
    return figure


def shaking(of: Any, about: Any = None, gravity: bool = False) -> Figure:
    """Draw the shaking force as the curve of its tip, and the shaking moment.

    Parameters
    ----------
    of : Result or Measures
        The motion.
    about : point or place, optional
        Where moments are taken; default that of the measures, or the origin.
    gravity : bool
        Whether weights are part of what the frame feels.

    Returns
    -------
    matplotlib figure
        A ring marks where the cycle begins, a dot the largest force.

    Raises
    ------
    ModelError
        If the place is unknown, or matplotlib is missing.
    """
    m = _measures(of)
    found, (x, label, part) = m.shaking(about, gravity=gravity), _across(m)
    force, moment = found.force[part], found.moment[part].reshape(len(x), -1)
    d, plt = force.shape[1], pyplot()
    figure = plt.figure(figsize=(10.5, 4.6), layout="constrained")
    left = figure.add_subplot(1, 2, 1, **({"projection": "3d"} if d == 3 else {}))
    right = figure.add_subplot(1, 2, 2)
    p, peak = palette(right), int(np.nanargmax(np.linalg.norm(force, axis=1)))
    unit = columns.unit(m.mechanism, "force")
    _hodograph(left, force, peak, unit)
    for k, axis in enumerate("z" if d == 2 else "xyz"):
        right.plot(x, moment[:, k], color=p.colours[k], lw=1.6, label=f"about {axis}")
    right.axhline(0.0, color=p.faint, lw=0.8)
    dressed(right)
    centre = about if about is not None else m.about if m.about is not None else "the origin"
    right.set(xlabel=label, ylabel=f"shaking moment [{columns.unit(m.mechanism, 'moment')}]")
    right.set_title(f"moment about {centre}", fontsize=10, color=p.ink, parse_math=False)
    left.set_title(f"force, at most {np.linalg.norm(force[peak]):.4g} {unit}", fontsize=10, color=p.ink)
    _fitted(right, x)
    if d == 3:
        legend(right)
    return _titled(figure, m, "on the frame" + (", with weights" if gravity else ""))


def _hodograph(ax: Any, force: Array, peak: int, unit: str) -> None:
    """Draw the curve along which the tip of a force (K, d) moves."""
    c, d = palette(ax), force.shape[1]
    ax.plot(*force.T, color=c.colours[0], lw=1.6)
    ax.plot(*force[:1].T, "o", color=c.colours[0], mfc=c.paper, ms=5.5)
    ax.plot(*force[peak : peak + 1].T, "o", color=c.colours[0], ms=6.0)
    ax.plot(*np.zeros((d, 1)), "+", color=c.ink, ms=9.0)
    for axis in "xyz"[:d]:
        getattr(ax, f"set_{axis}label")(f"force {axis} [{unit}]", color=c.ink)
    if d == 2:
        ax.set_aspect("equal", adjustable="datalim")
        dressed(ax)
        return
    low, high = np.minimum(force.min(axis=0), 0.0), np.maximum(force.max(axis=0), 0.0)
    reach = 0.55 * float(np.max(high - low, initial=1e-300))
    for axis, middle in zip("xyz", 0.5 * (low + high), strict=True):  # a cube: numbers of a flat box lie on each other
        getattr(ax, f"set_{axis}lim")(middle - reach, middle + reach)
        ax.locator_params(axis=axis, nbins=5)
    ax.tick_params(labelcolor=c.ink, labelsize=8)
    ax.set_box_aspect((1.0, 1.0, 1.0), zoom=0.85)


def bearings(of: Any, joints: Sequence[str] | None = None, axes: str = GROUND) -> Figure:
    """Draw bearing loads as a polar plot: the size of the force of each joint over its direction.

    Parameters
    ----------
    of : Result or Measures
        The motion of a mechanism in the plane.
    joints : sequence of str, optional
        Joints; default all whose force is known. The force is that on the second body of each.
    axes : str
        The body whose axes count, as drawn: of a shaft, to see where its journal wears; default the ground.

    Returns
    -------
    matplotlib figure
        A ring marks where the cycle begins, a dot the largest load.

    Raises
    ------
    ModelError
        If a joint or body is unknown, the mechanism is in space, or matplotlib is missing.
    """
    m = _measures(of)
    if m.mechanism.kind != "planar":
        raise ModelError("polar plots of bearing loads are those of the plane; in space draw view.hodograph")
    wanted = list(m.mechanism.joints) if joints is None else [joints] if isinstance(joints, str) else list(joints)
    loads, part = {}, _across(m)[2]
    for name in wanted:
        m.mechanism.known_joint(name)
        for body in m.mechanism.joints[name].bodies[1:]:
            force = m.bearing(name, body, axes)[part]
            if np.isfinite(force).all():
                loads[f"{name} on {body}"] = force
    if not loads:
        raise ModelError("no force of these joints is determined: the mechanism holds more than needed")
    figure = pyplot().figure(figsize=(9.0, 5.4), layout="constrained")
    ax = figure.add_subplot(projection="polar")
    p, unit = palette(ax), columns.unit(m.mechanism, "force")
    for k, (name, force) in enumerate(loads.items()):
        size, way = np.linalg.norm(force, axis=1), np.unwrap(np.arctan2(force[:, 1], force[:, 0]))
        colour, peak = p.colours[k % len(p.colours)], int(np.argmax(size))
        style = STYLES[k // len(p.colours) % len(STYLES)]
        ax.plot(way, size, color=colour, ls=style, lw=1.6, label=f"{name}: at most {size[peak]:.4g} {unit}")
        ax.plot(way[:1], size[:1], "o", color=colour, mfc=p.paper, ms=5.0)
        ax.plot(way[peak], size[peak], "o", color=colour, ms=5.5)
    ax.grid(color=p.grid, lw=0.7)
    ax.spines["polar"].set_color(p.faint)
    ax.tick_params(labelcolor=p.ink, labelsize=9)
    ax.set_rlabel_position(22.5)
    figure.legend(loc="outside right center", frameon=False, fontsize=9, labelcolor=p.ink)
    seen = "" if axes == GROUND else f", as {axes} feels them"
    return _titled(figure, m, f"bearing loads [{unit}]{seen}")


def turning_moment(of: Any, driver: str | None = None) -> Figure:
    """Draw the turning moment of a driver over a cycle with its mean, and the work that a flywheel takes and gives.

    Parameters
    ----------
    of : Result or Measures
        The motion, with a full cycle.
    driver : str, optional
        A driver that turns; default the only one.

    Returns
    -------
    matplotlib figure
        Above the mean the flywheel gives, below it takes; dashed lines mark where it turns fastest and slowest.

    Raises
    ------
    ModelError
        If there is no full cycle, no such driver, or matplotlib is missing.
    """
    m = _measures(of)
    found, (x, label, part) = m.turning_moment(driver), _across(m, driver)
    moment = found.moment[-len(x) :]
    figure, ax = pyplot().subplots(figsize=(9.0, 4.4), layout="constrained")
    p, unit, energy = palette(ax), columns.unit(m.mechanism, "moment"), columns.unit(m.mechanism, "energy")
    fills = []
    for k, (above, words) in enumerate(((True, "flywheel gives"), (False, "flywheel takes"))):
        where = moment >= found.mean if above else moment <= found.mean
        look = {"color": p.colours[1 - k], "alpha": 0.22, "lw": 0.0, "interpolate": True}
        fills.append(ax.fill_between(x, moment, found.mean, where=where, label=words, **look))
    (line,) = ax.plot(x, moment, color=p.colours[0], lw=1.8, label="moment")
    mean = ax.axhline(found.mean, color=p.ink, lw=1.1, label=f"mean {_nought(found.mean, moment):.4g} {unit}")
    for t, words in ((found.t_high, "fastest"), (found.t_low, "slowest")):
        at = float(np.interp(_folded(m, t), m.t[part], x))
        ax.axvline(at, color=p.faint, lw=1.0, ls=(0, (4, 3)), zorder=1)
        ax.annotate(words, (at, 1.0), (3, -2), xycoords=("data", "axes fraction"), textcoords="offset points",
                    va="top", ha="left", rotation=90, fontsize=8, color=p.ink)  # fmt: skip
    dressed(ax)
    ax.set(xlabel=label, ylabel=f"turning moment [{unit}]")
    _fitted(ax, x)
    (gap,) = ax.plot([], [], lw=0.0, label=f"excess energy {found.excess:.4g} {energy}")
    (work,) = ax.plot([], [], lw=0.0, label=f"work per cycle {_nought(found.work, found.energy):.4g} {energy}")
    legend(ax, line, mean, *fills, gap, work)
    return _titled(figure, m, f"turning moment of {driver or m.driver.name}")


def centrodes(of: Any, body: str | None = None, against: str = GROUND, t: float | None = None) -> Figure:
    """Draw the curves of an instant centre on two bodies, which roll on each other, with the mechanism at an instant.

    Parameters
    ----------
    of : Result or Measures
        The motion of a mechanism in the plane.
    body, against : str
        The two bodies; default the first that no joint holds to the ground, and the ground.
    t : float, optional
        The instant, s; default that at which the instant centre and its circle are nearest.

    Returns
    -------
    matplotlib figure
        The instant centre as a dot, the inflection circle dashed. What is far away, up to infinity, is left out.

    Raises
    ------
    ModelError
        If a body is unknown, the instant centre is never near, the mechanism is in space, or matplotlib is missing.
    """
    m = _measures(of)
    body = _floating(m.mechanism) if body is None else body
    both, circle = m.centrodes(body, against), m.inflection(body, against)
    whole = scene(m.result)
    low, high = whole.box
    reach = FAR * float(np.linalg.norm(high - low))
    near = np.linalg.norm(circle.pole - 0.5 * (low + high), axis=1) < reach
    if not near.any():
        raise ModelError(f'centrodes: the instant centre of "{body}" against "{against}" is always far away')
    away = np.linalg.norm(circle.pole - 0.5 * (low + high), axis=1) + circle.diameter
    k = int(np.nanargmin(away)) if t is None else sample_at(whole, t)
    now = whole.at([k])
    curves = {f"on {name}": _seen(now, name, of, near) for name, of in zip((against, body), both, strict=True)}
    ax = stage.axes(_roomy(now, curves.values()), None, legends=True)
    stage.painted(ax, now)
    p, handles = palette(ax), []
    for n, (name, curve) in enumerate(curves.items()):
        handles += ax.plot(*curve.T, color=p.colours[n], lw=1.8, zorder=6, label=f"centrode {name}")
    size = circle.diameter[k]
    if near[k]:
        handles += ax.plot(*circle.pole[k : k + 1].T, "o", color=p.ink, ms=6.0, zorder=8, label="instant centre")
        if size < reach:
            turn = np.linspace(0.0, 2.0 * np.pi, 181)
            ring = circle.centre[k] + 0.5 * size * np.stack([np.cos(turn), np.sin(turn)], axis=1)
            handles += ax.plot(*ring.T, color=p.colours[2], lw=1.2, ls=(0, (5, 2)), zorder=5, label="inflection circle")
    box = _box([now.box, *curves.values()])
    return stage.finished(ax, whole, f"{whole.title}: {body} against {against} at {whole.t[k]:.4g} s", handles, box)


def _seen(now: Any, body: str, curve: Array, near: Array) -> Array:
    """Return a curve (K, 2) fixed on a body, as drawn, where the body is; NaN where it is far away."""
    placed = curve if body == GROUND else now.places(body, np.nan_to_num(curve))[0]
    return np.where(near[:, None], placed, np.nan)


def _box(of: Sequence[Array]) -> Array:
    every = np.vstack(of)
    return np.array([np.nanmin(every, axis=0), np.nanmax(every, axis=0)])


def _roomy(now: Any, curves: Any) -> Any:
    """Return a scene of one sample with room for curves: paths of points without a name."""
    from dataclasses import replace

    box = _box([now.box, *curves])
    return replace(now, points={**now.points, "": box})


def _floating(m: Any) -> str:
    """Return the first body that no joint holds to the ground, or the first of all."""
    held = {b for joint in m.joints.values() if GROUND in joint.bodies for b in joint.bodies}
    return next((b for b in m.bodies if b not in held), next(iter(m.bodies)))


# -- parts ---------------------------------------------------------------------------------------------------------


def _measures(of: Any) -> Any:
    """Return the measures of a result, or those that were given."""
    return of.measures() if hasattr(of, "measures") else of


def _said(m: Any, name: str) -> str:
    """Return what a user calls a shaft: the joint, where a cycle gave it a driver of its own."""
    over = m.result.stats.get("over", {})
    return str(over.get("said", name)) if over.get("driver") == name else name


def _across(m: Any, driver: str | None = None) -> tuple[Array, str, slice]:
    """Return what curves are drawn against, its label, and which samples: those of the last full cycle, or all."""
    span, near = m.span, 1e-9 * float(m.t[-1] - m.t[0])
    begin = span.end - span.period if span.cycles else span.start
    inside = np.flatnonzero((m.t >= begin - near) & (m.t <= span.end + near))
    part = slice(int(inside[0]), int(inside[-1]) + 1)
    try:
        shaft = m.shaft(driver)
    except ModelError:
        shaft = None
    if shaft is not None and shaft.turns and span.cycles:
        angle = shaft.value[part] * DEGREES
        if np.all(np.diff(angle) * (angle[-1] - angle[0]) > 0.0):
            start = angle[0] - 360.0 * np.floor(angle[0] / 360.0 + 1e-9)
            return start + np.sign(angle[-1] - angle[0]) * np.abs(angle - angle[0]), f"{_said(m, shaft.name)} [°]", part
    axis = axis_of(m.result)
    return np.asarray(axis.value(m.t[part])), axis.label, part


def _folded(m: Any, t: float) -> float:
    """Return a time in the last full cycle that stands for one in any."""
    period, end = m.span.period, m.span.end
    if not m.span.cycles:
        return t
    return float(t + period * np.floor((end - t) / period + 1e-9))


def _nought(value: float, beside: Array) -> float:
    return 0.0 if abs(value) < 1e-9 * float(np.max(np.abs(beside), initial=0.0)) else value


def _fitted(ax: Any, x: Array) -> None:
    """Let an axis end where its curves end; of full turns with ticks at every 45 or 90 degrees."""
    ax.set_xlim(x[0], x[-1])
    if ax.get_xlabel().endswith("[°]") and abs(x[-1] - x[0]) > 90.0:
        every = 45.0 if abs(x[-1] - x[0]) < 400.0 else 90.0 * max(1, round(abs(x[-1] - x[0]) / 720.0))
        low, high = sorted((x[0], x[-1]))
        ax.set_xticks(np.arange(np.ceil(low / every - 1e-6), np.floor(high / every + 1e-6) + 1.0) * every)


def _titled(figure: Figure, m: Any, what: str) -> Figure:
    said = ended(m.result)
    colour = ALARM if said else palette(figure.axes[0]).ink
    figure.suptitle(alarmed(f"{m.mechanism.name}: {what}", said), fontsize=12, color=colour, parse_math=False)
    return figure
