"""All verbs that make figures, and how a figure is shown or saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.view.charts import compare, energy, hodograph, reactions, series
from particlemech.view.looks import pyplot
from particlemech.view.pictures import mechanism, motion, stills

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["compare", "display", "energy", "hodograph", "mechanism", "motion", "reactions", "series", "stills"]

SUFFIXES = (".png", ".svg", ".pdf")


def display(figure: Figure, path: str | Path | None = None) -> None:
    """Show a figure in a window, or save it where a path is given; the suffix chooses the format."""
    if path is not None:
        figure.savefig(path, dpi=170)
        return
    plt = pyplot()
    if plt.get_backend().lower() == "agg":
        raise ModelError("there is no screen to show the figure on; give the name of a file to save it, such as a.png")
    plt.show()
