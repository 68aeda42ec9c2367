"""A mechanism in the plane explained on a page: particles, chains, cuts, balances, rows, sizes, results, agreement."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np

from particlemech.analyses.explain.plane.breakdown import Breakdown, ConstraintRow
from particlemech.analyses.explain.plane.chains import Chain
from particlemech.analyses.explain.plane.opinion import AGREED, Opinion
from particlemech.analyses.text_table import LINE, Row, short, table
from particlemech.engine.graph import Edge
from particlemech.engine.system import Array
from particlemech.model.spec import kind_name

CHAINS = 8  # whose sums are shown
NARROW = 9  # characters of a number
NOTHING = 1e-12  # numbers below this fraction of the largest beside them count as zero


def page(of: Breakdown, opinion: Opinion) -> Iterator[str]:
    """Give the lines of the page."""
    yield from _head(of)
    yield from _particles(of)
    yield from _chains(of)
    yield from _cuts(of)
    yield from _momentum(of)
    yield from _balances(of)
    yield from _rows(of)
    yield from _sizes(of, opinion)
    yield from _accelerations(of, opinion)
    yield from _verdict(of, opinion)


def _head(of: Breakdown) -> Iterator[str]:
    m, cuts = of.system.mechanism, len(of.topology.cut)
    yield short(m.name, LINE)
    bodies = f"{len(m.bodies)} {'body' if len(m.bodies) == 1 else 'bodies'}"
    parts = f"{bodies}, {_counted(len(m.joints), 'joint')}, {_counted(len(m.drivers), 'driver')}"
    yield f"{parts}; {_counted(len(of.chains), 'chain')}, {_counted(cuts, 'cut')}; units {m.units}; t = {of.t:g} s"


# -- bodies and chains ---------------------------------------------------------------------------------------------


def _particles(of: Breakdown) -> Iterator[str]:
    """Give masses and places of the equivalent particles."""
    L = of.system.scale.length
    rows = []
    for body in of.bodies:
        mass = float(body.m.sum())
        rows.append((body.body, *(_tight(m, mass) for m in (mass, *body.m)), *(_place(r, L) for r in body.r)))
    unit = of.system.mechanism.unit
    heads = ("body", f"mass, {unit.mass}", "m1", "m2", "m3", *(f"place {k}, {unit.length}" for k in (1, 2, 3)))
    yield from table("Equivalent particles: three with mass, centre and inertia of each body, [A00] (1)", heads, rows)
    yield "  The coordinates are those of particles 1 and 3; particle 2 follows from them, [A00] (7)-(9)."


def _chains(of: Breakdown) -> Iterator[str]:
    rows = []
    for k, chain in enumerate(of.chains, start=1):
        edge = of.topology.tree.get(chain.bodies[0])
        on = "nothing: it floats" if chain.base is None else chain.base
        rows.append((f"{k}", on, edge.joint if edge else "", _outward(of, chain)))
    yield from table(
        "Chains of the spanning tree", ("chain", "hangs on", "by joint", "bodies and joints, outward"), rows
    )


def _outward(of: Breakdown, chain: Chain) -> str:
    words = [chain.bodies[0]]
    for body in chain.bodies[1:]:
        words.append(f"-{of.topology.tree[body].joint}- {body}")
    return " ".join(words)


def _cuts(of: Breakdown) -> Iterator[str]:
    if not of.topology.cut:
        yield from ("", "No joint is cut: there are no loops")
        return
    rows = []
    for edge in of.topology.cut:
        count = sum(row.part == f'joint "{edge.joint}"' and row.role == "cut joint" for row in of.rows)
        edges = sum(other.joint == edge.joint for other in of.topology.cut)
        rows.append(
            (edge.joint, kind_name(type(edge.spec)), edge.first, edge.second, f"{count // edges}", _loop(of, edge))
        )
    yield from table("Cut joints", ("joint", "kind", "first", "second", "rows", "closes the loop of"), rows)


def _loop(of: Breakdown, edge: Edge) -> str:
    one, other = of.topology.loop(edge)
    return ", ".join([*one, *reversed(other)])


# -- equations -----------------------------------------------------------------------------------------------------


def _momentum(of: Breakdown) -> Iterator[str]:
    """Give the rate of momentum of each chain, summed from its end inward."""
    x, y = of.system.compiled.origin
    unit = of.system.mechanism.unit
    balanced = np.abs(np.stack(of.sums))
    force, moment = (float(balanced[..., part].max(initial=0.0)) for part in (slice(0, 2), 2))
    size = np.array([force, force, moment])
    for k, chain in enumerate(of.chains[:CHAINS], start=1):
        rows: list[Row] = []
        for body in reversed(chain.bodies):
            b = of.topology.order.index(body)
            both = (of.own.rate[b], of.sums.rate[b])
            numbers = [_number(value, s) for of_body in both for value, s in zip(of_body, size, strict=True)]
            rows.append((body, *numbers))
        about = f"moments about ({x:.4g}, {y:.4g}) {unit.length}, {unit.force} and {unit.moment}"
        title = f"Chain {k}: rate of momentum from its end inward, {about}"
        own, sums = ("x", "y", "moment"), ("with all outboard: x", "y", "moment")
        yield from table(title, ("body", *own, *sums), rows)
        if chain.base in of.topology.order:
            yield f"  ... is added to that of {short(str(chain.base), LINE // 2)}, on which this chain hangs"
    if len(of.chains) > CHAINS:
        yield f"  ... and {len(of.chains) - CHAINS} more chains"


def _balances(of: Breakdown) -> Iterator[str]:
    """Give the momentum equations: for each, what is outboard, and its three terms."""
    largest = max((float(np.abs(row.terms).max()) for row in of.balances), default=0.0)
    rows = []
    for k, chain in enumerate(of.chains, start=1):
        for row in (row for body in reversed(chain.bodies) for row in of.balances if row.body == body):
            terms = [_number(float(term), largest) for term in row.terms]
            words = (f"{k}", row.joint or "floats", row.about, _few(row.outboard))
            rows.append((*words, *terms, f"{row.remainder:.0e}"))
    heads = ("chain", "joint", "balance of", "all outboard", "rate of momentum", "applied", "reactions", "left")
    title = "Momentum equations, from the end of each chain inward: rate - applied - reactions of cuts and drivers = 0"
    unit = of.system.mechanism.unit
    yield from table(f"{title}, {unit.force}, {unit.moment}", heads, rows)


def _rows(of: Breakdown) -> Iterator[str]:
    """Give the constraint rows with their rates, and their multipliers."""
    if not of.rows:
        return
    second = max(max(abs(row.gamma) for row in of.rows), float(np.abs(of.a).max(initial=0.0)))
    force = float(np.abs(of.lam).max(initial=0.0))
    unit, rows = of.system.mechanism.unit, []
    for row in of.rows:
        levels = (f"{row.value:.1e}", f"{row.rate:.1e}", _number(row.gamma, second), f"{row.second:.1e}")
        lam, of_lam = "", ""
        if row.lam is not None:
            lam, of_lam = _number(row.lam, force), unit.moment if row.angle else unit.force
        rows.append((_named(of, row), row.role, "1" if row.angle else unit.length, *levels, lam, of_lam))
    heads = ("row", "role", "unit", "phi", "phi'", "gamma", "phi'' = phi_q a + gamma", "multiplier", "")
    yield from table("Constraint rows phi = 0, differentiated twice, [A00] (4), (6)", heads, rows)


def _named(of: Breakdown, row: ConstraintRow) -> str:
    several = sum(other.part == row.part and other.role == row.role for other in of.rows) > 1
    return f"{row.part}, {row.number}" if several else row.part


# -- results -------------------------------------------------------------------------------------------------------


def _sizes(of: Breakdown, opinion: Opinion) -> Iterator[str]:
    s = of.sizes
    unknowns = s.accelerations + s.multipliers
    equations = s.balances + sum(s.rows.values())
    rows = [
        ("accelerations", f"{s.accelerations}", f"{opinion.coordinates}"),
        ("multipliers", f"{s.multipliers}", f"{opinion.rows}"),
        ("unknowns", f"{unknowns}", f"{opinion.coordinates + opinion.rows}"),
        ("momentum equations", f"{s.balances}", f"{opinion.coordinates}"),
        *((f"rows, {role}", f"{count}", "") for role, count in s.rows.items()),
        ("rows", f"{sum(s.rows.values())}", f"{opinion.rows}"),
        ("equations", f"{equations}", f"{opinion.coordinates + opinion.rows}"),
        ("redundant rows", f"{s.redundant}", ""),
        ("freedoms that no row and no driver takes", f"{s.freedom}", ""),
        ("unknowns of the integrator IDA", f"{s.integrated}", ""),
    ]
    yield from table("Index-reduced system A (a, lam) = b", ("number of", "here", "absolute coordinates"), rows)


def _accelerations(of: Breakdown, opinion: Opinion) -> Iterator[str]:
    """Give the accelerations of all bodies by both formulations."""
    turning, moving = opinion.largest, opinion.largest * of.system.scale.length
    rows = []
    for b, name in enumerate(of.system.layout.bodies):
        numbers = []
        for com_a, alpha in ((of.motion.com_a[0, b], of.motion.alpha[0, b]), (opinion.com_a[b], opinion.alpha[b])):
            numbers += [*(_number(value, moving, 8) for value in com_a), _number(float(alpha), turning, 8)]
        rows.append((name, *numbers, f"{opinion.apart[b]:.1e}"))
    length = of.system.mechanism.unit.length
    ours = (f"x, {length}/s^2", f"y, {length}/s^2", "turning, rad/s^2")
    theirs = ("absolute: x", "y", "turning")
    yield from table("Accelerations of centres of mass and of angles", ("body", *ours, *theirs, "apart"), rows)


def _verdict(of: Breakdown, opinion: Opinion) -> Iterator[str]:
    if of.sizes.redundant:
        said = (
            f"{_counted(of.sizes.redundant, 'row')} redundant here: accelerations are determined all the same, single "
        )
        said += "multipliers are not, and of all solutions that of least norm is shown; check names the joints."
        yield ""
        yield from textwrap.wrap(said, LINE)
    yield ""
    closed = "is closed" if of.unbalanced <= AGREED else "is NOT CLOSED"
    yield f"The balance of the chains {closed}: {of.unbalanced:.1e} of the largest term is left."
    word = "AGREED" if opinion.agreed else "NOT AGREED"
    yield f"Absolute coordinates: {word}, largest difference of accelerations {opinion.difference:.1e} of the largest."


# -- looks ---------------------------------------------------------------------------------------------------------


def _number(value: float, size: float, digits: int = 6) -> str:
    """Return a number, 0 where it is nothing but rounding beside what counts as large."""
    return "0" if abs(value) <= NOTHING * size else f"{value:.{digits}g}"


def _tight(value: float, size: float, digits: int = 5) -> str:
    """Return a number in a narrow column: one with an exponent has fewer digits."""
    while digits > 1 and len(_number(value, size, digits)) > NARROW:
        digits -= 1
    return _number(value, size, digits)


def _place(r: Array, size: float) -> str:
    """Return a place in two columns."""
    return " ".join(_tight(float(c), size, 4).rjust(NARROW) for c in r)


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} more"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
