"""An explanation drawn: particles as dots whose areas are their masses, chains in colours, cut joints as crosses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.description import GROUND
from particlemech.explain.breakdown import Breakdown
from particlemech.view import stage
from particlemech.view.families import scene
from particlemech.view.looks import ALARM, palette
from particlemech.view.scene import Frame, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from particlemech.explain import Explanation

LARGEST = 420.0  # area of the heaviest particle, square points
NAMED = 5  # bodies of a chain that the legend names


def figure(of: Explanation | Breakdown, ax: Any | None = None) -> Figure:
    """Draw the equivalent particles of a mechanism, its chains and its cut joints.

    Parameters
    ----------
    of : Explanation or Breakdown
        What `explained` returns.
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
    found = of if isinstance(of, Breakdown) else of.breakdown
    now = _now(found)
    ax = stage.axes(now, ax, legends=True)
    stage.painted(ax, now)
    handles = [*_chains(ax, found), *_particles(ax, found), *_cuts(ax, found, now)]
    every = np.vstack([now.box, *(body.r for body in found.bodies)])
    box = np.array([every.min(axis=0), every.max(axis=0)])
    return stage.finished(ax, now, f"{now.title} as equivalent particles, t = {found.t:.4g} s", handles, box)


def _now(of: Breakdown) -> Scene:
    """Return the scene of the mechanism, moved to the instant."""
    still, seen, system = scene(of.system.mechanism), of.motion, of.system
    frames = {
        name: Frame(still.frames[name].centre, seen.com[:, b], seen.angle[:, b] + system.turned[b])
        for b, name in enumerate(system.layout.bodies)
    }
    points = {name: seen.point[:, p] for p, name in enumerate(system.layout.points)}
    return replace(still, t=np.array([of.t]), frames=frames, points=points)


def _colour(ax: Any, k: int) -> str:
    colours = palette(ax).colours
    return colours[k % len(colours)]


def _chains(ax: Any, of: Breakdown) -> Iterator[Any]:
    """Draw the way along each chain, from particle 1 to particle 3 of its bodies; give what the legend says of it."""
    bodies = {body.body: body for body in of.bodies}
    for k, chain in enumerate(of.chains):
        names = ", ".join(chain.bodies[:NAMED]) + (", ..." if len(chain.bodies) > NAMED else "")
        on = "floating" if chain.base is None else f"on {chain.base}"
        for e, name in enumerate(chain.bodies):
            label = None if e else _plain(f"chain {k + 1}, {on}: {names}")
            (line,) = ax.plot(
                *bodies[name].r[[0, 2]].T, color=_colour(ax, k), lw=2.4, zorder=6, solid_capstyle="round", label=label
            )
            if not e:
                yield line


def _particles(ax: Any, of: Breakdown) -> Iterator[Any]:
    """Draw the particles, the heavy ones below; give what the legend says of their areas."""
    chain_of = {name: k for k, chain in enumerate(of.chains) for name in chain.bodies}
    dots = [(m, r, chain_of[body.body]) for body in of.bodies for m, r in zip(body.m, body.r, strict=True) if m > 0.0]
    heaviest = max((m for m, _, _ in dots), default=1.0)
    ink, paper = palette(ax).ink, palette(ax).paper
    for n, (m, r, k) in enumerate(sorted(dots, key=lambda dot: -dot[0])):
        colour = _colour(ax, k)
        size = LARGEST * m / heaviest
        ax.scatter(*r, s=size, color=colour, edgecolors=paper, linewidths=0.8, zorder=7 + 0.5 * n / len(dots))
    said = f"particles, area as mass; largest {heaviest:.3g} kg"
    yield ax.scatter([], [], s=60.0, color=paper, edgecolors=ink, label=said)


def _cuts(ax: Any, of: Breakdown, now: Scene) -> Iterator[Any]:
    """Mark where joints are cut; give what the legend says of it."""
    names = list(dict.fromkeys(edge.joint for edge in of.topology.cut))
    if not names:
        return
    places = []
    for edge in of.topology.cut:
        body = edge.second if edge.second != GROUND else edge.first
        frame, at = edge.spec.seat(body, of.system.mechanism)
        places.append(now.place(frame, at)[0])
    style = {"ls": "", "marker": "x", "ms": 13.0, "mew": 2.6, "color": ALARM, "zorder": 9}
    said = ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
    yield ax.plot(*np.array(places).T, label=_plain(f"cut: {said}"), **style)[0]


def _plain(words: str) -> str:
    """Return words that matplotlib takes as text, never as a formula."""
    return words.replace("$", r"\$")
