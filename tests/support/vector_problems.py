"""Vector models for tests: over- and under-specified ones with the verdict on each, and linkages with closed forms."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from particlemech import signals
from particlemech.analyses.vectors import (
    Cross,
    Dot,
    Given,
    Loop,
    Unknown,
    Vector,
    VectorModel,
    piston_crank,
    rssr,
    turned,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RIGHT = 0.0  # cosine
FORTY = math.radians(40.0)


def unknown(x=0.0, y=0.0, z=0.0):
    """Return three unknown cosines with their guesses."""
    return Unknown(guess=x), Unknown(guess=y), Unknown(guess=z)


def figure_2(**vectors: Any) -> VectorModel:
    """Return the nine equations of Figure 2 of the thesis with other knowns; crank .1 at 40 degrees, rod .35."""
    c, s = math.cos(FORTY), math.sin(FORTY)
    parts = {
        "R1": Vector(direction=unknown(c, s), length=0.1),
        "R2": Vector(direction=unknown(0.98, -0.18), length=0.35),
        "R3": Vector(direction=X, length=Unknown(guess=0.42)),
        "R4": Vector(direction=Z),
    }
    relations = {
        "loop": Loop(vectors=["R1", "R2", "-R3"]),
        "crank": Dot(vectors=["R1", "R4"], cosine=RIGHT),
        "rod": Dot(vectors=["R2", "R4"], cosine=RIGHT),
    }
    return VectorModel(name="Figure 2", vectors={**parts, **vectors}, relations=relations)


def figure_2_square(angle: Any = FORTY) -> VectorModel:
    """Return the square choice of the errata: known are P11, L1, L2, P32, P41, P42, L4."""
    return figure_2(
        R1=Vector(direction=(turned(X, Z, angle)[0], Unknown(guess=0.6), Unknown()), length=0.1),
        R3=Vector(direction=(Unknown(guess=1.0), 0.0, Unknown()), length=Unknown(guess=0.4)),
        R4=Vector(direction=(0.0, 0.0, Unknown(guess=1.0))),
    )


def four_bar(angle: Any, crank=0.3, coupler=0.8, rocker=0.7, base=1.0, side=1.0) -> VectorModel:
    """Return a planar four-bar linkage about axis 3; the side chooses the assembly."""
    return VectorModel(
        name="four-bar",
        vectors={
            "R1": Vector(direction=turned(X, Z, angle), length=crank),
            "R2": Vector(direction=unknown(0.8, 0.6 * side), length=coupler),
            "R3": Vector(direction=unknown(0.1, side), length=rocker),
            "R0": Vector(direction=X, length=base),
            "R4": Vector(direction=Z),
        },
        relations={
            "loop": Loop(vectors=["R1", "R2", "-R3", "-R0"]),
            "coupler": Dot(vectors=["R2", "R4"], cosine=RIGHT),
        },
    )


def parallel_cranks(angle: Any) -> VectorModel:
    """Return three parallel cranks of equal length on one straight coupler: one too many, which fits."""
    start = signals.values(angle, 0.0)[0] if isinstance(angle, signals.SignalSpec) else angle
    c, s = math.cos(start), math.sin(start)
    crank = {"direction": unknown(c, s), "length": 0.3}
    return VectorModel(
        vectors={
            "R1": {"direction": turned(X, Z, angle), "length": 0.3},
            "R2": crank,
            "R3": crank,
            "K": {"direction": unknown(1.0), "length": 0.5},
            "G": {"direction": X, "length": 0.5},
            "R4": {"direction": Z},
        },
        relations={
            "first": Loop(vectors=["R1", "K", "-R2", "-G"]),
            "second": Loop(vectors=["R2", "K", "-R3", "-G"]),
            "flat": Dot(vectors=["K", "R4"], cosine=RIGHT),
        },
    )


def _three_axes(cosines) -> VectorModel:
    """Return a unit vector whose angles to all three axes are given."""
    axes = {"X": X, "Y": Y, "Z": Z}
    return VectorModel(
        vectors={"R": Vector(direction=unknown(0.6, 0.5, 0.6)), **{a: Vector(direction=d) for a, d in axes.items()}},
        relations={f"to {a}": Dot(vectors=["R", a], cosine=c) for a, c in zip(axes, cosines, strict=True)},
    )


def _without(model: VectorModel, *names: str) -> VectorModel:
    """Return a model without some relations."""
    return model.replaced(relations=dict.fromkeys(names))


def _with(model: VectorModel, vectors=None, relations=None) -> VectorModel:
    return model.replaced(vectors=vectors or {}, relations=relations or {})


class Case(NamedTuple):
    """A vector model and what must be said of it."""

    name: str
    model: VectorModel
    kind: str
    counts: tuple[int, int, int | None]  # equations with an unknown, unknowns, rank; None: it has no meaning
    rows: set[str]
    parameters: set[str]
    vectors: set[str]


def _all(vector: str) -> set[str]:
    return {f"{vector}.p{k}" for k in (1, 2, 3)}


def _loop(name: str) -> set[str]:
    return {f"{name} along {k}" for k in (1, 2, 3)}


CRANK = piston_crank(FORTY)
RSSR = rssr(0.7)
STRETCHED = figure_2(
    R1=Vector(direction=unknown(1.0, 0.0), length=0.1),
    R2=Vector(direction=unknown(1.0, 0.0), length=0.35),
    R3=Vector(direction=X, length=0.45),
)
TRIANGLE = VectorModel(
    vectors={
        "a": Vector(direction=X, length=0.3),
        "b": Vector(direction=unknown(-0.6, 0.8), length=Unknown(guess=0.5)),
        "c": Vector(direction=unknown(0.0, 1.0), length=0.4),
    },
    relations={"loop": Loop(vectors=["a", "b", "-c"])},
)

CASES = [
    Case(
        "Figure 2 with R3 and R4 wholly known has one row too many",
        figure_2(R3=Vector(direction=X, length=0.42)),
        "redundant",
        (7, 6, 6),
        {"loop along 3", "crank", "rod"},
        set(),
        {"R1", "R2", "R3", "R4"},
    ),
    Case("the choice of the errata is square", figure_2_square(), "determined", (9, 9, 9), set(), set(), set()),
    Case(
        "a driven crank leaves the rod flat twice",
        CRANK,
        "redundant",
        (5, 4, 4),
        {"loop along 3", "rod"},
        set(),
        {"R1", "R2", "R3", "R4"},
    ),
    Case(
        "without the row that was named it is square",
        _without(CRANK, "rod"),
        "determined",
        (4, 4, 4),
        set(),
        set(),
        set(),
    ),
    Case(
        "a piston-crank that nothing drives",
        figure_2(),
        "too few",
        (7, 7, 6),
        {"loop along 3", "crank", "rod"},
        {"R1.p1", "R1.p2", "R2.p1", "R2.p2", "R3.length"},
        {"R1", "R2", "R3", "R4"},
    ),
    Case(
        "a piston-crank whose rod may lengthen",
        _with(_without(CRANK, "rod"), {"R2": Vector(direction=unknown(1.0, -0.2), length=Unknown(guess=0.35))}),
        "too few",
        (4, 5, 4),
        set(),
        {"R2.p1", "R2.p2", "R2.length", "R3.length"},
        {"R2", "R3"},
    ),
    Case(
        "a piston-crank with everything given",
        figure_2(
            R1=Vector(direction=turned(X, Z, 0.7), length=0.1),
            R3=Vector(direction=X, length=0.5),
        ),
        "too many",
        (5, 3, 3),
        {"loop along 1", "loop along 2", "unit length of R2"},
        set(),
        {"R1", "R2", "R3"},
    ),
    Case(
        "a rod that does not reach",
        piston_crank(math.radians(80.0), rod=0.05),
        "does not close",
        (5, 4, None),
        {"loop along 2", "unit length of R2"},
        set(),
        {"R1", "R2", "R3"},
    ),
    Case(
        "a direction that is none",
        figure_2_square().replaced(vectors={"R4": Vector(direction=(0.0, 0.5, 1.0))}),
        "too many",
        (8, 8, 8),
        {"unit length of R4"},
        set(),
        {"R4"},
    ),
    Case(
        "known vectors at an angle they do not have",
        _with(CRANK, {"R5": Vector(direction=(0.6, 0.8, 0.0))}, {"wrong": Dot(vectors=["R3", "R5"], cosine=0.7)}),
        "too many",
        (5, 4, 4),
        {"wrong"},
        set(),
        {"R3", "R5"},
    ),
    Case(
        "angles to three axes that fit",
        _three_axes((0.48, 0.6, 0.64)),
        "redundant",
        (4, 3, 3),
        {"to X", "to Y", "to Z", "unit length of R"},
        set(),
        {"R", "X", "Y", "Z"},
    ),
    Case(
        "angles to three axes that do not",
        _three_axes((0.5, 0.6, 0.64)),
        "too many",
        (4, 3, 3),
        {"to X", "to Y", "to Z", "unit length of R"},
        set(),
        {"R", "X", "Y", "Z"},
    ),
    Case(
        "one loop written twice",
        _with(_without(CRANK, "rod"), relations={"again": Loop(vectors=["-R1", "-R2", "R3"])}),
        "redundant",
        (7, 4, 4),
        _loop("loop") | _loop("again"),
        set(),
        {"R1", "R2", "R3"},
    ),
    Case(
        "a triangle that may turn about its known side and open",
        TRIANGLE,
        "too few",
        (5, 7, 5),
        set(),
        _all("b") | {"b.length", "c.p1", "c.p3"},
        {"b", "c"},
    ),
    Case(
        "a triangle with all lengths turns about its known side",
        TRIANGLE.replaced(vectors={"b": Vector(direction=unknown(-0.6, 0.8), length=0.5)}),
        "too few",
        (5, 6, 5),
        set(),
        {"b.p3", "c.p3"},
        {"b", "c"},
    ),
    Case(
        "a vector that is in no relation",
        _with(_without(CRANK, "rod"), {"R5": Vector(direction=unknown(1.0))}),
        "too few",
        (5, 7, 5),
        set(),
        {"R5.p2", "R5.p3"},
        {"R5"},
    ),
    Case(
        "a length that is in no relation",
        _with(_without(CRANK, "rod"), {"R5": Vector(direction=Y, length=Unknown(guess=2.0))}),
        "too few",
        (4, 5, 4),
        set(),
        {"R5.length"},
        {"R5"},
    ),
    Case(
        "as many equations as unknowns, one in vain and one missing",
        _with(CRANK, {"R5": Vector(direction=Y, length=Unknown(guess=2.0))}),
        "too few",
        (5, 5, 4),
        {"loop along 3", "rod"},
        {"R5.length"},
        {"R1", "R2", "R3", "R4", "R5"},
    ),
    Case(
        "an RSSR whose rocker is not held to its axis",
        _without(RSSR, "rocker"),
        "too few",
        (13, 14, 13),
        set(),
        _all("R2") | _all("R3") | _all("N3") | {"N3.length"},
        {"R2", "R3", "N3"},
    ),
    Case("an RSSR", RSSR, "determined", (14, 14, 14), set(), set(), set()),
    Case(
        "a vector fixed to a coupler that may spin",
        _with(
            RSSR,
            {"B2": Vector(direction=unknown(0.5, 0.5, -0.7))},
            {"square": Dot(vectors=["R2", "B2"], cosine=RIGHT)},
        ),
        "too few",
        (16, 17, 16),
        set(),
        _all("B2"),
        {"B2"},
    ),
    Case(
        "one of its cosines settles it",
        _with(
            RSSR,
            {"B2": Vector(direction=(Given(motion=0.3, until="place"), Unknown(guess=0.5), Unknown(guess=-0.8)))},
            {"square": Dot(vectors=["R2", "B2"], cosine=RIGHT)},
        ),
        "determined",
        (16, 16, 16),
        set(),
        set(),
        set(),
    ),
    Case(
        "a piston-crank that is stretched by its slider",
        STRETCHED,
        "toggle",
        (7, 6, 5),
        {"loop along 1", "loop along 3", "crank", "rod", "unit length of R1", "unit length of R2"},
        {"R1.p2", "R2.p2"},
        {"R1", "R2", "R3", "R4"},
    ),
    Case(
        "a third parallel crank fits",
        parallel_cranks(0.7),
        "redundant",
        (10, 9, 9),
        {f"{loop} along {k}" for loop in ("first", "second") for k in (1, 2)}
        | {"unit length of R2", "unit length of R3"},
        set(),
        {"R1", "R2", "R3", "K", "G"},
    ),
    Case(
        "a cross product whose known result is another",
        VectorModel(
            vectors={"a": Vector(direction=X), "b": Vector(direction=Y), "n": Vector(direction=X, length=Unknown())},
            relations={"normal": Cross(vectors=["a", "b"], result="n")},
        ),
        "too many",
        (3, 1, 1),
        {"normal along 3"},
        set(),
        {"a", "b", "n"},
    ),
    Case(
        "an angle that is asked for settles nothing",
        _with(figure_2(), relations={"asked": Dot(vectors=["R1", "R2"])}),
        "too few",
        (8, 8, 7),
        {"loop along 3", "crank", "rod"},
        {"R1.p1", "R1.p2", "R2.p1", "R2.p2", "R3.length", "asked.cosine"},
        {"R1", "R2", "R3", "R4"},
    ),
]
