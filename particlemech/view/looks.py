"""What all figures share: colours, and how axes and legends look.

Colours are those of Okabe and Ito, which people with any colour vision tell apart. matplotlib is imported inside the
functions only: a library that computes must not need it.
"""

from __future__ import annotations

from typing import Any

from particlemech.errors import ModelError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK, FAINT, ROD, PLATE = "#2b3440", "#8a949e", "#d5dce3", "#bcd9ec"


def pyplot() -> Any:
    """Return matplotlib.pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ModelError('pictures need matplotlib; install it with: pip install "particlemech[view]"') from None
    return plt


def dressed(ax: Any) -> None:
    """Give plane axes their looks."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(color=FAINT, labelcolor=INK, labelsize=9)
    ax.grid(color="#e8ebee", lw=0.7)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)


def legend(ax: Any, **where: Any) -> None:
    """Add a legend."""
    ax.legend(frameon=True, framealpha=0.85, edgecolor="none", fontsize=9, labelcolor=INK, **where)
