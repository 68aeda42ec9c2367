"""A tree explained on a page: its parts, the table of equations of a method [E] IV, sizes, results, agreement.

For a lecture as for a doubt: what is treated as a free body, which equation is used in which direction, what is
unknown in it, and whether three methods that share no equations find the same.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from particlemech.analyses.methods import METHODS, Instant, Solution, instant, kane
from particlemech.analyses.text_table import LINE, Row, short, table
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.engine.recursive.tables import SPIN
from particlemech.engine.recursive.topology import checked
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import Description
from particlemech.model.friction import check_frictionless
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import kind_name

LARGEST = 200  # bodies
ABREAST = 3  # speeds beside each other in the tables of partial velocities
BLOCKS = 5  # such tables
AGREED = 1e-8  # largest difference of the methods, as a fraction
NOTHING = 1e-12  # components below this fraction of the unit count as zero

TITLES = {"newton-euler": "Newton and Euler", "motion-law": "Motion law", "kane": "Kane"}
IDEAS = {
    "newton-euler": "every body is free: 6 equations each, all reactions among the unknowns",
    "motion-law": "all that hangs on a joint is one free body, with inertia forces: no reactions",
    "kane": "one equation F_r + F*_r = 0 for each speed: no reactions, and nothing to choose",
}


class Explanation(NamedTuple):
    """A page of text, and whether the methods agree."""

    lines: tuple[str, ...]
    agreed: bool


def explainable(mechanism: Description) -> Mechanism:
    """Return a tree that can be explained, or say why this one cannot."""
    checked(mechanism, "explain")
    assert isinstance(mechanism, Mechanism)  # by checked
    if len(mechanism.bodies) > LARGEST:
        raise ModelError(
            f'"{mechanism.name}" has {len(mechanism.bodies)} bodies; explain is for at most {LARGEST}, as every method '
            "solves all its equations at once; take a shorter one"
        )
    check_frictionless(mechanism, "explain")
    return mechanism


def explained(
    mechanism: Description, method: str | None = None, t: float = 0.0, state: Array | None = None
) -> Explanation:
    """Return a page about a tree at one instant.

    Parameters
    ----------
    mechanism
        A tree of at most 200 bodies.
    method
        "newton-euler", "motion-law" or "kane"; None: all three in short.
    t
        s.
    state
        y = (q, v, W), (n,), such as `result.at(t).y`; default that in which the model starts.
    """
    tree = explainable(mechanism)
    if method is not None and method not in METHODS:
        raise ModelError(f'method "{method}" unknown{suggestion(method, METHODS)}')
    made = system(tree)
    at = instant(made, t, start_state(made) if state is None else state)
    solutions = [way(at) for way in METHODS.values()]
    page = _Page(at)
    lines = [*page.head(), *(page.short() if method is None else page.table_of(method))]
    if method == "kane":
        lines += page.partial_velocities()
    lines += page.sizes(solutions)
    shown = solutions if method is None else [s for s in solutions if s.method == method]
    lines += page.results(shown)
    if method == "newton-euler":
        lines += page.reactions(shown[0])
    difference = _difference(at, solutions)
    agreed = difference <= AGREED
    verdict = "agree" if agreed else "DO NOT AGREE"
    last = f"The three methods {verdict}: largest difference {difference:.1e} of the largest acceleration."
    return Explanation((*lines, *page.words(solutions), "", last), agreed)


def _largest(at: Instant, solutions: Sequence[Solution]) -> float:
    """Return the largest acceleration that occurs, 1/s^2, lengths in units of the tree.

    In a steady motion, or at rest, all x_ddot are zero; bodies are accelerated, or gravity is held, all the same.
    """
    length, _ = at.units
    found = max(float(np.abs(s.x_ddot / at.reach).max(initial=0.0)) for s in solutions)
    turning = float(np.sum(at.omega**2, axis=1).max())
    return max(found, turning, float(np.linalg.norm(at.system.mechanism.gravity)) / length)


def _difference(at: Instant, solutions: Sequence[Solution]) -> float:
    """Return the largest difference of the accelerations, as a fraction of the largest that occurs."""
    each = np.array([s.x_ddot / at.reach for s in solutions])
    largest = _largest(at, solutions)
    return float(np.ptp(each, axis=0).max(initial=0.0)) / largest if largest > 0.0 else 0.0


class _Page:
    """The parts of a page about one instant."""

    def __init__(self, at: Instant) -> None:
        self.at, self.c = at, at.system.compiled
        self.mechanism, self.unit = self.c.mechanism, self.c.mechanism.unit
        self.bodies = ("ground", *self.c.topology.bodies)
        self.joints = ("", *self.c.topology.joints)
        self.labels, self.primes = self._named()
        self.carried = {e: i for i in at.bodies for e in at.stages[i]}  # stage -> body that its joint carries

    def _named(self) -> tuple[list[str], list[str]]:
        """Return the names of all speeds and of their rates; those of a quaternion are parts of omega."""
        labels, primes = [], []
        for coordinate, stage in zip(self.c.coordinates, self.c.tables.stage, strict=True):
            spin = stage["does"] == SPIN
            name = coordinate.name.replace("angle", "omega") if spin else coordinate.name
            labels.append(f"{coordinate.joint}.{name}" + ("" if spin else "'"))
            primes.append(labels[-1] + "'")
        return labels, primes

    def unit_of(self, e: int, per: str) -> str:
        """Return the unit of a coordinate or of its rate."""
        return ("rad" if self.at.turn[e] else self.unit.length) + per

    # -- parts -------------------------------------------------------------------------------------------------

    def head(self) -> Iterator[str]:
        """Give title, bodies and coordinates."""
        m, at = self.mechanism, self.at
        driven = f", {len(at.driven)} of them driven" if len(at.driven) else ""
        yield short(m.name, LINE)
        yield f"{len(m.bodies)} bodies, {len(at.turn)} coordinates{driven}; units {m.units}; t = {at.t:g} s"
        rows: list[Row] = []
        for i in at.bodies:
            kind = kind_name(type(m.joints[self.joints[i]]))
            numbers = f"{at.mass[i]:.6g}", _vector(at.G[i], at.units[0])
            rows.append((self.bodies[i], self.bodies[at.parent[i]], self.joints[i], kind, *numbers))
        columns = ("body", "hangs on", "by joint", "kind", f"mass, {self.unit.mass}")
        yield from table("Bodies", (*columns, f"centre of mass, {self.unit.length}"), rows)
        seen = at.system.observed(np.array([at.t]), at.y[None], at.x_ddot[None])
        rows = []
        for e, coordinate in enumerate(self.c.coordinates):
            value = seen.coordinate(coordinate.joint, coordinate.name)[0]
            speed = (self.labels[e], f"{at.x_dot[e]:.6g}", self.unit_of(e, "/s"))
            by = f"driver {coordinate.driver}" if coordinate.driver else "forces"
            rows.append((coordinate.label, f"{value:.6g}", self.unit_of(e, ""), *speed, by))
        yield from table("Coordinates and speeds", ("coordinate", "value", "", "speed", "value", "", "moved by"), rows)

    def short(self) -> Iterator[str]:
        """Give the ideas of all methods."""
        yield from table("Methods", ("method", "idea"), [(name, IDEAS[name]) for name in METHODS])

    def table_of(self, method: str) -> Iterator[str]:
        """Give the table of equations of a method."""
        rows = {"newton-euler": self._each_body, "motion-law": self._each_group, "kane": self._each_speed}
        yield from table(
            f"{TITLES[method]}: {IDEAS[method]}",
            ("free body", "equation", "direction", "unknown"),
            list(rows[method]()),
        )

    def _each_body(self) -> Iterator[Row]:
        for i in self.at.bodies:
            for turn, equation, letter in ((False, "F", "R"), (True, "M about G", "T")):
                stages = [e for e in self.at.stages[i] if self.at.turn[e] == turn]
                unknown = [
                    f"effort of {self.c.coordinates[e].driver}" if e in self.at.driven else self.primes[e]
                    for e in stages
                ]
                parts = " ".join(f"{letter}{k}" for k in range(1, 4 - len(stages)))
                across = " across its axis" if len(stages) == 1 else " across its axes" if stages else ""
                unknown += [f"{parts} of {self.joints[i]}{across}"] if parts else []
                yield self.bodies[i], equation, "1, 2, 3", ", ".join(unknown)

    def _each_group(self) -> Iterator[Row]:
        for e in self.at.free:
            i = self.carried[int(e)]
            equation = f"M about O of {self.joints[i]}" if self.at.turn[e] else "F"
            yield self._group(i), equation, _vector(self.at.axis[e], 1.0), self.primes[e]

    def _each_speed(self) -> Iterator[Row]:
        for r, e in enumerate(self.at.free, start=1):
            i = self.carried[int(e)]
            yield self._group(i), f"F{r} + F*{r}", f"u{r} = {self.labels[e]}", f"u{r}'"

    def _group(self, i: int) -> str:
        names = [self.bodies[k] for k in self.at.outboard[i]]
        return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} more"

    def partial_velocities(self) -> Iterator[str]:
        """Give the tables of partial velocities: bodies in rows, speeds in columns."""
        partial, free, length = kane.partials(self.at), self.at.free, self.at.units[0]
        for title, which, size in (
            ("Partial angular velocities", 0, 1.0),
            (f"Partial velocities of the centres of mass, {self.unit.length} for a turning speed", 1, length),
        ):
            for first in range(0, min(len(free), ABREAST * BLOCKS), ABREAST):
                block = free[first : first + ABREAST]
                heads = [f"u{first + k} = {self.labels[e]}" for k, e in enumerate(block, start=1)]
                rows = [(self.bodies[i], *(_vector(partial[i][which][e], size) for e in block)) for i in self.at.bodies]
                yield from table(title if first == 0 else "", ("body", *heads), rows)
            if len(free) > ABREAST * BLOCKS:
                yield f"  ... and {len(free) - ABREAST * BLOCKS} more speeds"

    def sizes(self, solutions: Sequence[Solution]) -> Iterator[str]:
        """Give the sizes of the systems of equations."""
        n, driven = len(self.at.free), len(self.at.driven)
        rows = []
        for s in solutions:
            efforts, reactions = (driven, s.size - n - driven) if s.force is not None and s.size > n else (0, 0)
            rows.append((s.method, f"{s.size}", f"{n}", f"{efforts}", f"{reactions}", f"{s.condition:.1e}"))
        heads = ("method", "equations", "for accelerations", "efforts", "reactions", "condition")
        yield from table("Sizes of the systems of equations", heads, rows)

    def results(self, solutions: Sequence[Solution]) -> Iterator[str]:
        """Give the accelerations, and the efforts of drivers."""
        at, heads = self.at, ("", *(s.method for s in solutions), "")
        largest = _largest(at, solutions)
        rows, efforts = [], []
        for e in at.free.tolist():
            values = (_number(s.x_ddot[e], largest * at.reach[e]) for s in solutions)
            rows.append((self.primes[e], *values, self.unit_of(e, "/s^2")))
        yield from table("Accelerations", heads, rows)
        for e in at.driven.tolist():
            length, mass = at.units
            values = (_number(s.efforts[e], largest * mass * length**2 / at.reach[e]) for s in solutions)
            what = f"{self.c.coordinates[e].driver} on {self.c.coordinates[e].label}"
            efforts.append((what, *values, self.effort_unit(e)))
        if efforts:
            yield from table("Efforts of drivers", heads, efforts)

    def effort_unit(self, e: int) -> str:
        """Return the unit of an effort."""
        return self.unit.moment if self.at.turn[e] else self.unit.force

    def reactions(self, solution: Solution) -> Iterator[str]:
        """Give the reactions of all joints."""
        if solution.force is None or solution.moment is None:
            return
        rows = []
        sizes = [float(np.abs(of).max(initial=0.0)) for of in (solution.force, solution.moment)]
        for i in self.at.bodies:
            both = [_vector(of[i], size) for of, size in zip((solution.force, solution.moment), sizes, strict=True)]
            rows.append((self.joints[i], self.bodies[i], *both))
        heads = ("joint", "on body", f"force, {self.unit.force}", f"moment about O, {self.unit.moment}")
        yield from table("Reactions", heads, rows)

    def words(self, solutions: Sequence[Solution]) -> Iterator[str]:
        """Give what is to be said of singular equations."""
        open_ = sorted({e for s in solutions for e in s.undetermined})
        if open_:
            names = ", ".join(self.primes[e] for e in open_[:8]) + (", ..." if len(open_) > 8 else "")
            said = f"Not determined: {names}. Some motion meets no inertia (gimbal lock, or a rod that spins about its "
            yield ""
            yield from textwrap.wrap(said + "own axis); of all solutions the one of least norm is shown.", LINE)
        if max(s.unbalanced for s in solutions) > AGREED:
            yield ""
            yield "Some force acts along a motion that meets no inertia; no acceleration balances it: it is left out."


# -- looks ---------------------------------------------------------------------------------------------------------


def _number(value: float, size: float) -> str:
    """Return a number, 0 where it is nothing but rounding beside what counts as large."""
    return "0" if abs(value) <= NOTHING * size else f"{value:.10g}"


def _vector(v: Array, size: float) -> str:
    """Return three components in columns; a dot for each that is zero."""
    return " ".join(".".rjust(8) if abs(x) <= NOTHING * size else f"{x:8.4g}" for x in v.tolist())
