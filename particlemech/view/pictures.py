"""Pictures: a mechanism at an instant, its motion with paths and ghosts, and several instants side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.view import stage
from particlemech.view.axis import TIME
from particlemech.view.families import scene
from particlemech.view.scene import ACTING, Frame, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def mechanism(
    of: Any,
    ax: Any | None = None,
    t: float | None = None,
    arrows: Sequence[str] = ACTING,
    exaggerate: float = 1.0,
) -> Figure:
    """Draw a mechanism as it starts, or a result at any instant.

    Parameters
    ----------
    of : Mechanism or Result
        What to draw, of any family. A mechanism is drawn as given (it is not assembled), a tree where its coordinates
        start.
    ax : matplotlib axes, optional
        Where to draw, in space with projection="3d"; default a new figure.
    t : float, optional
        Of a result: the instant, s; the nearest sample is drawn. Default the first.
    arrows : sequence of str
        What to show as arrows: "load", "impulse" and, of a result, "velocity", "acceleration", "reaction", "effort".
        Of a result, impulses are seen at their times.
    exaggerate : float
        Of a result whose bodies bend: how many times as large deflections are drawn.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If an instant or a group of arrows is unknown, or matplotlib is missing.
    """
    whole, arrows = scene(of, exaggerate), (arrows,) if isinstance(arrows, str) else arrows
    k = 0 if t is None else sample_at(whole, t)
    ax = stage.axes(whole.at([k]), ax, legends=bool(arrows))
    stage.painted(ax, whole.at([k]))
    stage.arrows(ax, whole, arrows)(k)
    title = whole.title if len(whole.t) == 1 else f"{whole.title} at {whole.axis.said(whole.t[k])}"
    return stage.finished(ax, whole, title, stage.arrow_names(whole, arrows), stage.room(whole, arrows, [k]))


def motion(
    result: Any,
    points: Sequence[str] | None = None,
    ghosts: int = 6,
    ax: Any | None = None,
    exaggerate: float = 1.0,
) -> Figure:
    """Draw a mechanism at a few instants, faint where long ago, with the paths of some points.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    points : sequence of str, optional
        Points whose paths are drawn, such as coupler curves; default the one with the longest path.
    ghosts : int
        Number of earlier instants, evenly spaced in time; the last instant is drawn in full.
    ax : matplotlib axes, optional
        Where to draw, in space with projection="3d"; default a new figure.
    exaggerate : float
        Of a result whose bodies bend: how many times as large deflections are drawn.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If a point is unknown or matplotlib is missing.
    """
    whole = scene(result, exaggerate)
    paths = stage.followed(whole, points)
    samples = np.linspace(0, len(whole.t) - 1, ghosts + 1).round().astype(int)
    ax = stage.axes(whole, ax, legends=bool(paths))
    for k, at in enumerate(samples[:-1]):
        stage.painted(ax, whole.at([at]), alpha=0.14 + 0.30 * k / max(ghosts - 1, 1))
    stage.painted(ax, whole.at([-1]))
    time, said = whole.axis is TIME, whole.axis.said
    span = f"{whole.t[0]:g} to {whole.t[-1]:.3g} s" if time else f"{said(whole.t[0])} to {said(whole.t[-1])}"
    title = f"{whole.title}, {span}"
    return stage.finished(ax, whole, title, stage.traced(ax, paths))


def stills(result: Any, times: Sequence[float], step: Sequence[float], ax: Any | None = None) -> Figure:
    """Draw a mechanism at several instants side by side, so that one that falls or floats away stays in the picture.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    times : sequence of float
        Instants, s; the nearest samples are drawn.
    step : two or three numbers
        From the centre of mass of one picture to that of the next, in units of length.
    ax : matplotlib axes, optional
        Where to draw, in space with projection="3d"; default a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If an instant lies outside the motion, or matplotlib is missing.
    """
    whole, m = scene(result), result.system.mechanism
    masses = {b: 1.0 if m.massless else body.mass for b, body in m.bodies.items()}
    seen = []
    for n, t in enumerate(times):
        now = whole.at([sample_at(whole, t)])
        centre = sum(masses[b] * f.origin[0] for b, f in now.frames.items()) / sum(masses.values())
        seen.append(_shifted(now, n * np.array(step, dtype=float) - centre))
    box = np.array([np.min([s.box[0] for s in seen], axis=0), np.max([s.box[1] for s in seen], axis=0)])
    ax = stage.axes(seen[0], ax)
    for now in seen:
        stage.painted(ax, now)
    title = f"{whole.title} at {', '.join(f'{t:.3g}' for t in times)} s"
    return stage.finished(ax, seen[0], title, box=box)


def sample_at(whole: Any, t: float) -> int:
    """Return the sample of a scene or a result nearest to a time."""
    gap = float(np.max(np.diff(whole.t), initial=0.0))
    if not whole.t[0] - gap <= t <= whole.t[-1] + gap:
        raise ModelError(f"t = {t:g} s lies outside the motion, which lasts from {whole.t[0]:g} to {whole.t[-1]:g} s")
    return int(np.argmin(np.abs(whole.t - t)))


def _shifted(now: Scene, by: Any) -> Scene:
    """Return a scene of one sample moved aside; the ground stays behind."""
    from dataclasses import replace

    frames = {n: Frame(f.centre, f.origin + by, f.turn) for n, f in now.frames.items()}
    points = {n: path + by for n, path in now.points.items()}
    moving = tuple(p for p in now.primitives if getattr(p, "frame", None) in frames)
    return replace(now, frames=frames, points=points, primitives=moving)
