"""A mechanism in space explained on a page: its tree, what bodies share along it, the loops, and what is held by rows.

For a lecture as for a doubt: which joints were cut, which vectors are the unknowns and which are taken over, and the
equation of every loop of vectors, [J84] (6).
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterator

from particlemech.analyses.text_table import LINE, Row, short, table
from particlemech.engine.natural.equations import SpatialSystem, system
from particlemech.engine.natural.joints import BY_SPEC
from particlemech.engine.natural.topology import Edge
from particlemech.errors import ModelError
from particlemech.model.description import GROUND, Description
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Vector3, kind_name

SAME = 1e-9  # of the mechanism's length: places that lie as near to each other have the same name


def explained(mechanism: Description, method: str | None = None, t: float = 0.0) -> tuple[str, ...]:
    """Return a page about a mechanism in space, as lines; methods and later times are for trees, and refused here."""
    if method is not None or t > 0.0:
        said = "method" if method is not None else "time"
        raise ModelError(
            f'"{mechanism.name}" is of kind "{mechanism.kind}": explain shows how it was cut, which has no {said}; '
            f"leave --{said} out"
        )
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f'"{mechanism.name}" is of kind "{mechanism.kind}"; this page is for kind "{Mechanism.kind}"')
    page = _Page(system(mechanism, mechanism.run.cut))
    return (*page.head(), *page.tree(), *page.loops(), *page.held(), *page.sizes())


class _Page:
    """The parts of a page."""

    def __init__(self, made: SpatialSystem) -> None:
        self.made, self.c, self.mechanism = made, made.compiled, made.mechanism
        self.topology, self.shared = self.c.topology, self.c.shared
        self.rows = Counter(row.part for row in self.c.rows)

    def head(self) -> Iterator[str]:
        """Give title and counts."""
        m = self.mechanism
        yield short(m.name, LINE)
        parts = f"{len(m.bodies)} bodies, {len(m.joints)} joints, {len(m.drivers)} drivers"
        floating = sum(parent is None for parent in self.topology.parent.values())
        cuts = len(self.topology.cut)
        yield f"{parts}; {cuts - floating} loops, {cuts} cut joints, {floating} floating chains; units {m.units}"

    def tree(self) -> Iterator[str]:
        """Give the spanning tree: what each body hangs on, what it takes over, and which vectors are its own."""
        own: dict[str, list[str]] = {}
        for name in self.shared.names:
            vector, _, body = name.partition(" of ")
            own.setdefault(body, []).append(vector)
        rows: list[Row] = []
        for body in self.topology.order:
            edge, parent = self.topology.tree.get(body), self.topology.parent[body]
            how = ("nothing: it floats", "", "", "") if edge is None else self._by(edge, str(parent))
            rigid = f"{len(self.shared.own[body])}"
            rows.append((body, *how, " ".join(own.get(body, ["none"])), rigid))
        heads = ("body", "hangs on", "by joint", "kind", "takes over", "vectors of its own", "rigid by rows")
        yield from table("Spanning tree", heads, rows)

    def _by(self, edge: Edge, parent: str) -> Row:
        hands = BY_SPEC[type(edge.spec)].hands
        over = [word for word, is_handed in zip(("place", "axis", "all axes"), hands, strict=True) if is_handed]
        return parent, edge.joint, kind_name(type(edge.spec)), ", ".join(over)

    # -- loops -----------------------------------------------------------------------------------------------------

    def loops(self) -> Iterator[str]:
        """Give the cut joints, and the loop of vectors of each."""
        if not self.topology.cut:
            yield from ("", "No joint is cut: there are no loops")
            return
        rows = [
            (e.joint, kind_name(type(e.spec)), e.first, e.second, self._left("joint", e.joint))
            for e in self.topology.cut
        ]
        yield from table("Cut joints", ("joint", "kind", "first", "second", "rows"), rows)
        yield from ("", "Loops of vectors; P and Q are the places of a joint that is cut, on its first and second body")
        for edge in self.topology.cut:
            P, Q = (self._way(edge, side) for side in (0, 1))
            end = "0" if BY_SPEC[type(edge.spec)].hands.place else "Q - P, which its rows hold"
            said = f"{edge.joint}: ({Q}) - ({P}) = {end}"
            yield from textwrap.wrap(
                said, LINE, initial_indent="  ", subsequent_indent="      ", break_long_words=False
            )

    def _way(self, edge: Edge, side: int) -> str:
        """Return the sum of vectors that leads to the place of a cut joint on one of its bodies."""
        body = (edge.first, edge.second)[side]
        place: Vector3 = self._places(edge)[side]
        words: list[str] = []
        while body != GROUND:
            carrier = self.topology.tree.get(body)
            if carrier is None or not BY_SPEC[type(carrier.spec)].hands.place:
                return " + ".join([f"r of {body}", f"[{body}: centre to {self._named(place)}]", *words])
            pin = carrier.spec.place(self.mechanism)
            if math.dist(pin, place) > SAME * self.made.scale.length:
                words.insert(0, f"[{body}: {self._named(pin)} to {self._named(place)}]")
            body, place = str(self.topology.parent[body]), pin
        return " + ".join([f"{self._named(place)} of the ground", *words])

    def _named(self, place: Vector3) -> str:
        """Return the name of a point or joint at a place, or its numbers."""
        near = SAME * self.made.scale.length
        named = (p for p, at in self.mechanism.points.items() if math.dist(at, place) <= near)
        joined = (n for n, j in self.mechanism.joints.items() if math.dist(j.place(self.mechanism), place) <= near)
        return next(named, None) or next(joined, None) or "({:.4g}, {:.4g}, {:.4g})".format(*place)

    # -- rows and sizes ---------------------------------------------------------------------------------------------

    def held(self) -> Iterator[str]:
        """Give what the joints and drivers hold by rows."""
        cut, rows = {e.joint for e in self.topology.cut}, []
        for name, joint in self.mechanism.joints.items():
            role = "cut" if name in cut else "tree" if joint.bodies else "of joints"
            rows.append((name, kind_name(type(joint)), role, f"{6 - joint.dof}", self._left("joint", name)))
        for name, driver in self.mechanism.drivers.items():
            rows.append((name, kind_name(type(driver)), "driver", "1", self._left("driver", name)))
        yield from table("Joints and drivers", ("name", "kind", "role", "takes freedoms", "rows left"), rows)

    def sizes(self) -> Iterator[str]:
        """Give the numbers of unknowns, beside those without a tree."""
        at, full, every = self.c.places, len(self.made.T), len(self.c.every)
        n_all = 2 * full + 2 * every + at.n_theta + 1
        rows = [
            ("coordinates", f"{at.n_q}", f"{full}"),
            ("rows", f"{at.n_row}", f"{every}"),
            ("unknowns of the integrator", f"{at.n}", f"{n_all}"),
            ("entries of its Jacobian", f"{len(self.made.indices)}", ""),
        ]
        yield from table("Sizes", ("number of", "here", "if nothing were shared"), rows)

    def _places(self, edge: Edge) -> tuple[Vector3, ...]:
        """Return where a joint is on its first and second body, as drawn: a rod has two ends."""
        points = getattr(edge.spec, "points", None)
        if points is None:
            return (edge.spec.place(self.mechanism),) * 2
        return tuple(self.mechanism.place(p, b) for p, b in zip(points, edge.spec.bodies, strict=True))

    def _left(self, word: str, name: str) -> str:
        """Return how many rows a joint or driver has."""
        return str(self.rows[f'{word} "{name}"'])
