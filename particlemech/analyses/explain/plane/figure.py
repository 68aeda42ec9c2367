"""An explanation drawn: particles as dots whose areas are their masses, chains in colours, cut joints as crosses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from particlemech.analyses.explain.plane.breakdown import Breakdown
from particlemech.engine.system import Array
from particlemech.model.description import GROUND
from particlemech.view import stage
from particlemech.view.families import scene
from particlemech.view.looks import ALARM, palette
from particlemech.view.scene import Frame, Scene, settled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from particlemech.analyses.explain.plane import Explanation

LARGEST = 420.0  # area of the heaviest particle, square points
PARTICLE, CUT = "particle", "cut"  # marks of the dots and of the crosses
NAMED = 5  # bodies of a chain that the legend names
FAR = 1.0  # of the picture's diagonal: particles 2 that lie farther outside are left out, or all else would be a dot


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
    seen = {body.body: _near(now, body.r) for body in found.bodies}
    handles = [*_chains(ax, found, seen), *_particles(ax, found, seen), *_cuts(ax, found, now)]
    every = np.vstack([now.box, *(body.r[seen[body.body]] for body in found.bodies)])
    box = np.array([every.min(axis=0), every.max(axis=0)])
    return stage.finished(ax, now, f"{now.title} as equivalent particles, t = {found.t:.4g} s", handles, box)


def _now(of: Breakdown) -> Scene:
    """Return the scene of the mechanism, moved to the instant; rails and slots reach from the drawing to there."""
    still, seen, system = scene(of.system.mechanism), of.motion, of.system
    frames, turns = {}, seen.angle[0] + system.turned
    for b, name in enumerate(system.layout.bodies):
        centre = still.frames[name].centre
        frames[name] = Frame(centre, np.array([centre, seen.com[0, b]]), np.array([0.0, turns[b]]))
    drawn = system.mechanism.points
    points = {name: np.array([drawn[name], seen.point[0, p]]) for p, name in enumerate(system.layout.points)}
    moved = replace(still, t=np.array([0.0, of.t]), frames=frames, points=points)
    return (settled(moved) if of.t > 0.0 else moved).at([1])


def _colour(ax: Any, k: int) -> str:
    colours = palette(ax).colours
    return colours[k % len(colours)]


def _near(now: Scene, r: Array) -> NDArray[np.bool_]:
    """Return which places (n, 2) lie where a picture of the mechanism can show them, (n,)."""
    reach = FAR * np.linalg.norm(now.box[1] - now.box[0])
    return np.asarray(np.all((r >= now.box[0] - reach) & (r <= now.box[1] + reach), axis=1))


def _chains(ax: Any, of: Breakdown, seen: Mapping[str, NDArray[np.bool_]]) -> Iterator[Any]:
    """Draw the way along each chain, from particle 1 to particle 3 of its bodies; give what the legend says of it."""
    bodies = {body.body: body for body in of.bodies}
    for k, chain in enumerate(of.chains):
        names = ", ".join(chain.bodies[:NAMED]) + (", ..." if len(chain.bodies) > NAMED else "")
        on = "floating" if chain.base is None else f"on {chain.base}"
        for e, name in enumerate(chain.bodies):
            label = None if e else _plain(f"chain {k + 1}, {on}: {names}")
            style = {"color": _colour(ax, k), "solid_capstyle": "round"}
            (line,) = ax.plot(*bodies[name].r[[0, 2]].T, lw=2.4, zorder=6, label=label, **style)
            if bodies[name].m[1] > 0.0 and seen[name].all():  # to whom a particle beside its body belongs
                ax.plot(*bodies[name].r.T, lw=0.9, ls=":", zorder=5.9, **style)
            if not e:
                yield line


def _particles(ax: Any, of: Breakdown, seen: Mapping[str, NDArray[np.bool_]]) -> Iterator[Any]:
    """Draw the particles, the heavy ones below; give what the legend says of their areas."""
    chain_of = {name: k for k, chain in enumerate(of.chains) for name in chain.bodies}
    dots, hidden = [], 0
    for body in of.bodies:
        for m, r, near in zip(body.m, body.r, seen[body.body], strict=True):
            if m > 0.0 and near:
                dots.append((float(m), r, chain_of[body.body]))
            hidden += bool(m > 0.0 and not near)
    heaviest = max((m for m, _, _ in dots), default=1.0)
    ink, paper = palette(ax).ink, palette(ax).paper
    for n, (m, r, k) in enumerate(sorted(dots, key=lambda dot: -dot[0])):
        style = {"color": _colour(ax, k), "edgecolors": paper, "linewidths": 0.8, "zorder": 7.0 + n / len(dots)}
        ax.scatter(*r, s=LARGEST * m / heaviest, gid=PARTICLE, **style)
    said = f"particles, area as mass; largest {heaviest:.3g} {of.system.mechanism.unit.mass}" + (
        f"; {hidden} far outside" if hidden else ""
    )
    yield ax.scatter([], [], s=60.0, color=paper, edgecolors=ink, label=said)


def _cuts(ax: Any, of: Breakdown, now: Scene) -> Iterator[Any]:
    """Mark where joints are cut; give what the legend says of it."""
    names = list(dict.fromkeys(edge.joint for edge in of.topology.cut))
    if not names:
        return
    places = []
    for edge in of.topology.cut:
        body = edge.second if edge.second != GROUND else edge.first
        frame, at = of.system.mechanism.joints[edge.joint].seat(body, of.system.mechanism)
        places.append(now.place(frame, at)[0])
    style = {"ls": "", "marker": "x", "color": ALARM, "zorder": 6.5}  # below the particles: its arms stand out
    said = ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
    ax.plot(*np.array(places).T, ms=17.0, mew=2.6, gid=CUT, **style)
    yield ax.plot([], [], ms=9.0, mew=2.0, label=_plain(f"cut: {said}"), **style)[0]


def _plain(words: str) -> str:
    """Return words that matplotlib takes as text, never as a formula."""
    return words.replace("$", r"\$")
