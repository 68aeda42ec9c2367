"""The forms of rows, and their table; rows.py says what they are."""

from __future__ import annotations

GAP, ACROSS, SPAN, TIED = range(4)
ROW = [
    ("form", "i4"),
    ("first", "i4"), ("second", "i4"),  # frames
    ("of", "i4"),  # the frame in which a is fixed: the first, or 0
    ("signal", "i4"),  # s, or -1
    ("angle", "i4"),  # dimensionless rather than a length
    ("stage1", "i4"), ("stage2", "i4"),
    ("at1", "f8", (3,)), ("at2", "f8", (3,)),  # P from O, frame axes
    ("a", "f8", (3,)), ("b", "f8", (3,)),
    ("c", "f8"),
]  # fmt: skip
SOFT = [("v", "f8"), ("p", "f8")]  # how much a row gives way, system.regularisation
