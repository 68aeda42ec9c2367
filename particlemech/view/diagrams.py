"""Diagrams: what the sections of bodies carry, drawn along the body, at one instant and as envelope over the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model import columns
from particlemech.view.families import ended
from particlemech.view.looks import ALARM, alarmed, dressed, legend, palette, pyplot
from particlemech.view.pictures import sample_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING = 1e-9  # of the largest component: what is not drawn
PLACES = 121  # along a body


class Word(NamedTuple):
    """What a diagram can show."""

    title: str
    quantity: str  # its unit is that of this
    field: str  # of what `internal` returns
    components: tuple[tuple[int, str], ...]  # of this field, with their labels


WORDS = {
    "axial": Word("axial force", "force", "force", ((0, "tension"),)),
    "shear": Word("shear force", "force", "force", ((1, "along y"), (2, "along z"))),
    "torsion": Word("torque", "moment", "moment", ((0, "about x"),)),
    "moment": Word("bending moment", "moment", "moment", ((1, "about y"), (2, "about z"))),
    "stress": Word("largest stress", "stress", "stress", ((0, "normal"), (1, "shear, of torsion"))),
}


def asked(result: Any, names: Sequence[str]) -> bool:
    """Whether names ask for diagrams along bodies, such as "boom.moment"; raise where only some of them do."""
    m = result.system.mechanism
    if not hasattr(result, "internal"):
        return False
    found = [name for name in names if name.rpartition(".")[0] in m.bodies and name.rpartition(".")[2] in WORDS]
    if found and len(found) < len(names):
        other = next(name for name in names if name not in found)
        raise ModelError(
            f'"{found[0]}" is drawn along its body and "{other}" against time; ask for them one after the other, or '
            f'for the largest along the body, "{found[0]}_max"'
        )
    return bool(found)


def diagram(result: Any, names: Sequence[str], at: float | None = None) -> Figure:
    """Draw what sections carry along bodies, one panel each, with the envelope of the whole run.

    Parameters
    ----------
    result : Result
        The motion of a mechanism in space.
    names : sequence of str
        Body and quantity, such as "boom.moment": one of axial, shear, torsion, moment and stress, of bodies that bend
        and of rods; signs and axes are those of `result.internal`.
    at : float, optional
        The instant of the curves, s; the nearest sample is drawn. Default that of the largest value, of each panel.

    Returns
    -------
    matplotlib figure
        Curves at one instant, and in faint colour the range of values in the run, at every place. What the mechanism
        leaves open is that of the least reactions.

    Raises
    ------
    ModelError
        If a body or a quantity is unknown, the instant lies outside the motion, a body has no section to have stresses,
        or matplotlib is missing.
    """
    names = (names,) if isinstance(names, str) else tuple(names)
    k = None if at is None else sample_at(result, at)
    size = (8.5, 1.2 + 2.5 * len(names))
    panels = [_panel(result, name) for name in names]
    figure, grid = pyplot().subplots(len(names), 1, squeeze=False, figsize=size, layout="constrained")
    for ax, name, (x, values) in zip(grid[:, 0], names, panels, strict=True):
        _drawn(ax, result, name, x, values, k)
    said = ended(result)
    colour = ALARM if said else palette(grid[0, 0]).ink
    figure.suptitle(alarmed(result.system.mechanism.name, said), fontsize=12, color=colour, parse_math=False)
    figure.align_ylabels(list(grid[:, 0]))
    made: Figure = figure
    return made


def _panel(result: Any, name: str) -> tuple[Array, dict[str, Array]]:
    """Return places along a body, and the components that are not zero there, (K, n), by label."""
    body, _, word = name.rpartition(".")
    if word not in WORDS:
        raise ModelError(f'"{name}": no diagram of "{word}"{suggestion(word, WORDS)}; one of {", ".join(WORDS)}')
    found, how = result.internal(body, n=PLACES, undetermined="least-norm"), WORDS[word]
    values = getattr(found, how.field)
    if values is None:
        raise ModelError(f'"{name}": body "{body}" has no section, so no stresses; ask for "{body}.moment", or add one')
    reach = float(np.nanmax(np.abs(values), initial=0.0))
    every = {label: values[:, :, c] for c, label in how.components}
    seen = {label: of for label, of in every.items() if np.nanmax(np.abs(of), initial=0.0) > NOTHING * reach}
    return found.x, seen or dict([next(iter(every.items()))])


def _drawn(ax: Any, result: Any, name: str, x: Array, values: dict[str, Array], k: int | None) -> None:
    """Draw one panel."""
    m, (body, _, word) = result.system.mechanism, name.rpartition(".")
    largest = np.max([np.abs(of).max(axis=1) for of in values.values()], axis=0)
    k = int(np.argmax(largest)) if k is None else k
    p = palette(ax)
    for n, (label, of) in enumerate(values.items()):
        colour = p.colours[n % len(p.colours)]
        ax.fill_between(x, of.min(axis=0), of.max(axis=0), color=colour, alpha=0.16, lw=0.0, label="range in the run")
        ax.plot(x, of[k], color=colour, lw=1.8, label=f"{label}, at {result.t[k]:.4g} s")
    ax.axhline(0.0, color=p.faint, lw=0.8)
    dressed(ax)
    ax.margins(x=0.0, y=0.08)
    ax.set_xlabel(f"along {body} [{columns.unit(m, 'position')}]", parse_math=False)
    ax.set_ylabel(f"{WORDS[word].title} [{columns.unit(m, WORDS[word].quantity)}]")
    legend(ax)
