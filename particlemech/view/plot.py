"""All verbs that make figures, and how a figure is shown or saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.result.export import aside, checked
from particlemech.view.charts import bode, compare, energy, hodograph, reactions, series
from particlemech.view.diagrams import WORDS, asked, diagram
from particlemech.view.looks import COLOURS, pyplot
from particlemech.view.pictures import mechanism, motion, stills
from particlemech.view.scene import ACTING
from particlemech.view.sections import carried
from particlemech.view.trade import bearings, centrodes, shaking, transmission, turning_moment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "bode",
    "carried",
    "chosen",
    "compare",
    "diagram",
    "display",
    "energy",
    "hodograph",
    "mechanism",
    "motion",
    "reactions",
    "series",
    "stills",
]

SUFFIXES = (".png", ".svg", ".pdf")


def display(figure: Figure, path: str | Path | None = None) -> None:
    """Show a figure in a window, or save it where a path is given; the suffix chooses the format."""
    if path is not None:
        with aside(checked(path, SUFFIXES)) as file:
            figure.savefig(file, format=Path(path).suffix[1:].lower(), dpi=170)
        return
    check_screen(path)
    pyplot().show()


def check_screen(path: str | Path | None) -> None:
    """Raise where matplotlib or a screen to show a figure on is missing; worth asking before a long run."""
    if pyplot().get_backend().lower() == "agg" and path is None:
        raise ModelError("there is no screen to show the figure on; give the name of a file to save it, such as a.png")


CHARTS: dict[str, Callable[[Any], Any]] = {
    "energy": energy,
    "reactions": reactions,
    "hodograph": hodograph,
    "transmission": transmission,
    "centrodes": centrodes,
    "bearings": bearings,
    "shaking": shaking,
    "turning_moment": turning_moment,
}


def chosen(
    result: Any,
    names: Sequence[str],
    *,
    at: float | None = None,
    points: Sequence[str] | None = None,
    arrows: Sequence[str] | None = None,
    degrees: bool = False,
    exaggerate: float = 1.0,
    units: Sequence[str] = (),
) -> Figure:
    """Return the figure that a few words ask for, as the command line does.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    names : sequence of str
        Columns to draw against time, diagrams along bodies such as "boom.moment", one of them, such as "moment", drawn
        on all bodies, or one of the words in CHARTS; none: a picture.
    at : float, optional
        The instant of the picture or the diagrams, s; default all of the motion.
    points, arrows, degrees, exaggerate, units
        As in `motion`, `mechanism` and `series`.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ModelError
        If a name is unknown, or words are given that do not go together.
    """
    words = len(names) == 1 and names[0] in CHARTS and names[0] not in result.system.mechanism.points
    if units and (not names or words or asked(result, names)):
        raise ModelError("other units are those of charts of columns, such as crank.omega; leave the units out")
    if names and exaggerate != 1.0:
        raise ModelError("deflections are exaggerated in pictures only; leave out either the quantities or the factor")
    if names and asked(result, names):
        if points or arrows:
            raise ModelError("a diagram has no points or arrows; leave out either the quantities or those")
        return diagram(result, names, at)
    if len(names) == 1 and names[0] in WORDS and names[0] not in result.system.mechanism.points:
        return carried(result, names[0], at)
    if names and (at is not None or points or arrows):
        raise ModelError("a chart has no instant, points or arrows; leave out either the quantities or those")
    if words:
        return CHARTS[names[0]](result)
    if names:
        return series(result, names, degrees, units)
    if at is None and not arrows:
        return motion(result, points, exaggerate=exaggerate)
    if points:
        raise ModelError("paths belong to a whole motion; leave out either the points or the instant and arrows")
    return mechanism(result, t=result.t[0] if at is None else at, arrows=arrows or ACTING, exaggerate=exaggerate)
