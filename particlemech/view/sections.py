"""What the sections of bodies carry, drawn on them: the mechanism at an instant, with a curve along each rod.

The bending moment stands on the side that it pulls; forces, torques and stresses on the left of the way from the first
point of a body to its second, or below where they are negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.engine.internal import even
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model import columns
from particlemech.view import stage
from particlemech.view.diagrams import NOTHING, WORDS
from particlemech.view.families import scene
from particlemech.view.looks import palette
from particlemech.view.pictures import sample_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = 41  # along a body
TALL = 0.16  # of the diagonal of what is seen: the largest value
# axis of the section along which each component is drawn, y (1) or z (2), and which way
SIDES = {"moment": ((2, -1.0), (1, -1.0)), "shear": ((1, 1.0), (2, 1.0))}


class _Curve(NamedTuple):
    """A component along a body."""

    label: str
    values: Array  # (K, n)
    place: Array  # (K, n, d)
    way: Array  # (K, n, d) of length 1: where positive values stand


def carried(
    result: Any, word: str = "moment", at: float | None = None, bodies: Sequence[str] | None = None, ax: Any = None
) -> Figure:
    """Draw a mechanism at an instant with what its bodies carry as curves on them.

    Parameters
    ----------
    result : Result
        The motion, in the plane or in space.
    word : str
        "axial", "shear", "torsion", "moment" or "stress", as `result.internal` has them. A bending moment stands on the
        side in tension.
    at : float, optional
        The instant, s; the nearest sample is drawn. Default that of the largest value.
    bodies : sequence of str, optional
        Default all that bend, and all rods.
    ax : matplotlib axes, optional
        Where to draw, in space with projection="3d"; default a new figure.

    Returns
    -------
    matplotlib figure
        All curves of one scale; the largest value of each body is written beside it. What the mechanism leaves open is
        that of the least reactions.

    Raises
    ------
    ModelError
        If a word or a body is unknown, no body is a rod or bends, or matplotlib is missing.
    """
    if word not in WORDS:
        raise ModelError(f'no diagram of "{word}"{suggestion(word, WORDS)}; one of {", ".join(WORDS)}')
    whole = scene(result)
    curves = [curve for body in _chosen(result, bodies) for curve in _along(result, body, word)]
    size = np.max([np.abs(curve.values).max(axis=1) for curve in curves], axis=0)
    k = int(np.argmax(size)) if at is None else sample_at(result, at)
    now = whole.at([k])
    by = TALL * float(np.linalg.norm(now.box[1] - now.box[0])) / max(float(size[k]), 1e-300)
    ax = stage.axes(now, ax)
    stage.painted(ax, now)
    ends, unit = [*now.box], columns.unit(result.system.mechanism, WORDS[word].quantity)
    for curve in curves:
        drawn = curve.place[k] + by * curve.values[k][:, None] * curve.way[k]
        if np.abs(curve.values[k]).max() > NOTHING * max(float(size[k]), 1e-300):
            _drawn(ax, curve, k, drawn, float(size[k]))
            ends += [drawn.min(axis=0), drawn.max(axis=0)]
    title = f"{whole.title}: {WORDS[word].title} at {whole.axis.said(whole.t[k])}, at most {size[k]:.4g} {unit}"
    return stage.finished(ax, whole, title, box=np.array([np.min(ends, axis=0), np.max(ends, axis=0)]))


def _chosen(result: Any, bodies: Sequence[str] | None) -> list[str]:
    """Return the bodies whose sections are known, or those asked for."""
    m = result.system.mechanism
    if bodies is not None:
        return [bodies] if isinstance(bodies, str) else list(bodies)
    found = [name for name, body in m.bodies.items() if getattr(body, "bends", False) or even(body)]
    if not found:
        raise ModelError(
            "no body of this mechanism bends or is a rod, two points without com and inertia, so that how its mass is "
            "spread along a line is not known; draw reactions in place of internal forces"
        )
    return found


def _along(result: Any, body: str, word: str) -> list[_Curve]:
    """Return the components of what a body carries, those of the plane where it is one."""
    found, how = result.internal(body, n=PLACES, undetermined="least-norm"), WORDS[word]
    values, d = getattr(found, how.field), len(result.system.mechanism.gravity)
    if values is None:
        raise ModelError(f'body "{body}" has no section, so no stresses; ask for "moment", or add one')
    curves = []
    for (c, label), (axis, sign) in zip(how.components, SIDES.get(word, ((1, 1.0), (2, 1.0))), strict=False):
        if d == 3 or axis == 1:
            way = sign * found.axes[:, :, :d, axis]
            curves.append(_Curve(f"{body} {label}", values[:, :, c], found.place[:, :, :d], way))
    return curves


def _drawn(ax: Any, curve: _Curve, k: int, drawn: Array, largest: float) -> None:
    """Draw one curve with strokes to its body, and its largest value."""
    p, place, values = palette(ax), curve.place[k], curve.values[k]
    colour = p.colours[1]
    every = np.concatenate([place[:1], drawn, place[-1:]])
    if place.shape[1] == 2:
        ax.fill(*np.concatenate([drawn, place[::-1]]).T, color=colour, alpha=0.22, lw=0.0, zorder=5)
    for one, other in zip(place, drawn, strict=True):
        ax.plot(*np.stack([one, other]).T, color=colour, lw=0.5, alpha=0.7, zorder=5)
    ax.plot(*every.T, color=colour, lw=1.5, zorder=6, label=curve.label)
    n = int(np.argmax(np.abs(values)))
    if abs(values[n]) > 0.05 * largest:
        words = {"color": p.ink, "fontsize": 8, "zorder": 8}
        ax.text(*drawn[n], f" {values[n]:.4g}", **words)
