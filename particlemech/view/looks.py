"""What all figures share: colours for paper and for dark screens, and how axes and legends look.

Colours are those of Okabe and Ito, which people with any colour vision tell apart. A figure follows the background that
the user has set for matplotlib: dark lines on light, light lines on dark. matplotlib is imported inside the functions
only: a library that computes must not need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from particlemech.errors import ModelError, printable

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
ARROWS = {
    "velocity": "#009E73", "acceleration": "#CC79A7", "reaction": "#D55E00", "load": "#56B4E9", "effort": "#E69F00",
    "impulse": "#8855CC",
}  # fmt: skip


@dataclass(frozen=True)
class Palette:
    """The colours of one background."""

    ink: str  # lines and letters
    faint: str  # axes
    grid: str
    rod: str  # slender bodies
    plate: str  # the others
    paper: str  # what is cut out, and pins
    colours: tuple[str, ...]  # of curves


ALARM = "#c0392b"  # titles of runs that did not complete
STYLES: tuple[Any, ...] = ("-", (0, (5.0, 1.6)), (0, (1.2, 1.2)), (0, (6.0, 1.5, 1.2, 1.5)))  # of curves


LIGHT = Palette("#2b3440", "#8a949e", "#e8ebee", "#d5dce3", "#bcd9ec", "#ffffff", (*COLOURS, "#000000"))
DARK = Palette("#dfe5ec", "#7d8894", "#333a42", "#515b66", "#2f5d7c", "#14181d", (*COLOURS[::-1], "#ffffff"))


def pyplot() -> Any:
    """Return matplotlib.pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ModelError('pictures need matplotlib; install it with: pip install "particlemech[view]"') from None
    return plt


def palette(ax: Any) -> Palette:
    """Return the colours that can be read on the background of some axes."""
    from matplotlib.colors import to_rgba

    r, g, b, opaque = ax.get_facecolor()
    if opaque < 0.5:
        r, g, b, _ = to_rgba(ax.figure.get_facecolor())
    return DARK if 0.299 * r + 0.587 * g + 0.114 * b < 0.5 else LIGHT


def dressed(ax: Any) -> None:
    """Give plane axes their looks."""
    p = palette(ax)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(p.faint)
    ax.tick_params(color=p.faint, labelcolor=p.ink, labelsize=9)
    ax.grid(color=p.grid, lw=0.7)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_color(p.ink)
    ax.yaxis.label.set_color(p.ink)


def lettered(p: Palette) -> dict[str, Any]:
    """Return how a letter looks that marks a place to its lower right, on whatever lies there."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.4, foreground=p.paper)]
    return {"color": p.ink, "fontsize": 10, "style": "italic", "ha": "right", "va": "bottom", "path_effects": halo}


def legend(ax: Any, *handles: Any) -> None:
    """Add a legend beside the axes, where it hides nothing."""
    p = palette(ax)
    named: dict[str, Any] = {"handles": list(handles)} if handles else {}
    where = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
    ax.legend(frameon=False, fontsize=9, labelcolor=p.ink, **where, **named)


def titled(ax: Any, title: str, ended: str = "") -> None:
    """Set a title above axes, in red with how a run ended that did not complete; names are text, never formulas."""
    ax.set_title(alarmed(title, ended), fontsize=12, color=ALARM if ended else palette(ax).ink, parse_math=False)


def alarmed(title: str, ended: str) -> str:
    """Return a title that says how a run ended which did not complete."""
    return printable(f"{title}: {ended}" if ended else title)
