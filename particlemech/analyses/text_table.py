"""Tables of words on a page, for explanations: columns that fit a line, rows that fit a screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from particlemech.errors import printable

LONGEST = 24  # rows of a table
LINE = 118  # characters
SHORTEST = 8  # of a column of words
NUMERALS = set("0123456789+-.e ")

Row = tuple[str, ...]


def table(title: str, heads: Row, rows: Sequence[Row]) -> Iterator[str]:
    """Give a title, a head and rows in columns; a long table is cut, and says by how much."""
    kept = rows[:LONGEST]
    yield ""
    if title:
        yield title
    widths = _widths([heads, *kept])
    for row in (heads, tuple("-" * w for w in widths), *kept):
        words = (short(word, w).ljust(w) for word, w in zip(row, widths, strict=True))
        yield ("  " + "  ".join(words)).rstrip()
    if len(rows) > len(kept):
        yield f"  ... and {len(rows) - len(kept)} more rows"


def _widths(rows: Sequence[Row]) -> list[int]:
    """Return the widths of columns; the widest give way until a line fits, but numbers stay whole."""
    columns = list(zip(*rows, strict=True))
    widths = [max(len(word) for word in column) for column in columns]
    least = [_least(column[1:]) for column in columns]
    while sum(widths) + 2 * len(widths) > LINE:
        widest = max(range(len(widths)), key=lambda k: widths[k] - least[k])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    return widths


def _least(cells: Sequence[str]) -> int:
    """Return how narrow a column may become: words can be cut, numbers cannot."""
    return max([SHORTEST, *(len(cell) for cell in cells if not set(cell) - NUMERALS)])


def short(word: str, width: int) -> str:
    """Return a word that fits."""
    word = printable(word)
    return word if len(word) <= width else word[: width - 3] + "..."
