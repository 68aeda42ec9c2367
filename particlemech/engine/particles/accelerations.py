"""Kernels of explicit steps: accelerations from the sparse symmetric system, and projection with the same factors.

    | M    C^T | | a   |   |  f     |
    |          | |     | = |        |                                                     elimination.py (1)
    | C   -eps | | -lam|   | -gamma |

In shared coordinates M is constant, gravity is a constant generalised force, and most rows are distances. With
d = P2 - P1 between two particles, one of which may be fixed, l their distance:

    phi = (d.d - l^2)/(2 l),   g = d/l on P2, -d/l on P1,   gamma = d'.d'/l                [A00] (4)    (1)

Everything else (slides, slots, drivers, third pins) is in the term table of rows.py, written in q. A wrench (R, tau)
about the origin acts on the particles of its body as

    F2 = (tau - Z1 x R)/l^2 K d,   F1 = R - F2                                                          (2)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentGroup, Records, attachment, fresh, kernel, noinline, read, table, written
from particlemech.engine.friction import width as friction_width
from particlemech.engine.particles.chain import BODY, momentum
from particlemech.engine.particles.elimination import Indices
from particlemech.engine.particles.factors import eliminate, substitute
from particlemech.engine.particles.forces import KINDS, applied, friction
from particlemech.engine.particles.forces.governed import ELEMENT, GAUGE, exerted
from particlemech.engine.particles.rubbing import ITEM, PART, PULL, rubbed
from particlemech.engine.particles.turns import ARM, SPOT, TURN, turned_gradient, turned_rates, turned_rows
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, signals
from particlemech.engine.system import Array
from particlemech.engine.terms import COORD, ENTRY, TERM, gradient, rates, spread
from particlemech.run.steps import copy

# a rod between particles whose x are the coordinates `a` and `b`; a = -1: fixed at (x, y). `at` is the place of its
# multiplier in the order of elimination, slot_.. are the places of g in the values
ROD = [(name, "i4") for name in ("a", "b", "at", "slot_ax", "slot_ay", "slot_bx", "slot_by")]
ROD += [(name, "f8") for name in ("x", "y", "length")]
CELL = [("row", "i4"), ("q", "i4"), ("slot", "i4")]
HELD = [("at", "i4"), ("drive", "i4")]  # a row of the term table: place of its multiplier, signal that drives it
SOFTENED = 1e-3  # least pivot beside its strength from which regularisation shows in the twelfth digit
LOADS, TORQUES, SPRINGS, MOTORS = (kind.TABLE for kind in KINDS)


class ExplicitTables(NamedTuple):
    """What the kernels read; see tables.py for how it is made."""

    place: Annotated[Indices, read("u4")]  # (n_q,) coordinate -> its place in the order of elimination
    column: Annotated[Indices, read("u4")]  # elimination.Schedule
    row: Annotated[Indices, read("u4")]
    target: Annotated[Indices, read("u4")]
    base: Annotated[Array, read("f8")]  # values with M and -eps set
    strength: Annotated[Array, read("f8")]  # (n,) 1/(c M^-1 c^T) as drawn of multipliers, else 0; in the order above
    weight: Annotated[Array, read("f8")]  # (n_q,) generalised force of gravity
    gravity: Annotated[Array, read("f8")]  # (2,) m/s^2
    rod: Annotated[Records, read(ROD)]
    term: Annotated[Records, read(TERM)]  # in q
    cell: Annotated[Records, read(CELL)]
    held: Annotated[Records, read(HELD)]
    turn: Annotated[Records, read(TURN)]  # in q
    arm: Annotated[Records, read(ARM)]
    spot: Annotated[Records, read(SPOT)]
    body: Annotated[Records, read(BODY)]
    coord: Annotated[Records, read(COORD)]
    entry: Annotated[Records, read(ENTRY)]
    forced: Annotated[NDArray[np.int64], read("i8")]  # bodies on which forces act
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]
    loads: Annotated[Records, read(LOADS)]
    torques: Annotated[Records, read(TORQUES)]
    springs: Annotated[Records, read(SPRINGS)]
    motors: Annotated[Records, read(MOTORS)]
    gauge: Annotated[Records, read(GAUGE)]
    element: Annotated[Records, read(ELEMENT)]
    numbers: Annotated[Array, read("f8")]  # of the laws of elements
    # friction of joints, rubbing.py
    rub: Annotated[Records, read(friction.TABLE)] = table([], friction.TABLE)
    sense: Annotated[Array, read("f8", 2)] = np.zeros((0, 0))  # (n_body, w) e of rubbing.py (3)
    slips: Annotated[NDArray[np.int64], read("i8")] = np.zeros(0, dtype=np.int64)  # places where bodies do not turn
    item: Annotated[Records, read(ITEM)] = table([], ITEM)
    part: Annotated[Records, read(PART)] = table([], PART)
    # rows that pull at particles, where balances give loads: polynomial ones, and those of turns.py
    pulls: Annotated[Records, read(PULL)] = table([], PULL)
    turned: Annotated[Records, read(TURN)] = table([], TURN)
    turned_arms: Annotated[Records, read(ARM)] = table([], ARM)
    turned_items: Annotated[Records, read(SPOT)] = table([], SPOT)


class WorkArrays(NamedTuple):
    """What the kernels write while they work; one set per run."""

    val: Annotated[Array, written()]  # (n_val,) values, then factors
    x: Annotated[Array, written()]  # (n,) right side, then solution
    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    phi: Annotated[Array, written(2)]  # (3, n_held) phi, phi_t, gamma
    g: Annotated[Array, written(2)]  # (2, n_cell) g, h
    z: Annotated[Array, written(2)]  # (3, 4 n_body) Z, Z', Z'' of bodies
    w: Annotated[Array, written(2)]  # (n_body, 3) wrenches
    theta: Annotated[Array, written(2)]  # (5, n_body) angles predicted now; angles and rates now, and a step before
    pushes: Annotated[Array, written(2)]  # (n, n_q) rows of initial velocities; then what unit impulses along them do
    span: Annotated[Array, written()]  # (n,) what turns the gap of a row into a length, at its multiplier; else 0
    gap: Annotated[Array, written()]  # (2,) largest gaps before the last projection: m, m/s
    own: Annotated[Array, written(2)]  # (2, n_z) states of elements, and their rates
    offset: Annotated[Array, written()]  # (n_element,) see governed.offsets
    # friction at n_rub places, rubbing.py; w = friction.width(n_rub)
    efforts: Annotated[Array, written(2)]  # (3, w) f, kept from one evaluation to the next, sigma, rate
    load: Annotated[Array, written(2)]  # (2 n_rub, w) of unit efforts; in column n_rub without friction
    response: Annotated[Array, written(2)]  # (n, w) solutions x for these
    newton: Annotated[Array, written(2)]  # (n_rub, w)
    unit: Annotated[Array, written(2)]  # (4 n_body, w) forces on particles: of unit efforts; in column n_rub applied
    share: Annotated[Array, written()]  # (n_item,) factors of x in loads
    press: Annotated[Array, written(3)]  # (n_rub + 2, n_rub, 9) jamming.py


def work_arrays(m: ExplicitTables, pushes: int = 0, n_z: int = 0) -> ArgumentGroup:
    """Return work arrays of their own for some tables, of rows of initial velocities and of states of elements."""
    n_q, n_body, n_signal, n_held, n_cell = len(m.weight), len(m.body), len(m.signal), len(m.held), len(m.cell)
    n = len(m.strength)
    matrices = ((n_signal, 3), (3, n_held), (2, n_cell), (3, 4 * n_body), (n_body, 3), (5, n_body))
    own = (2, n_z), (len(m.element),)
    rub = _rubbing(m, n, n_body) if len(m.rub) else SMOOTH
    return fresh(WorkArrays, (len(m.base),), (n,), *matrices, (pushes, n_q), (n,), (2,), *own, *rub)


SMOOTH = ((3, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0,), (2, 0, 9))  # shapes for friction where there is none


def _rubbing(m: ExplicitTables, n: int, n_body: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of the work arrays for friction."""
    n_rub, w = len(m.rub), friction_width(len(m.rub))
    return (3, w), (2 * n_rub, w), (n, w), (n_rub, w), (4 * n_body, w), (len(m.item),), (n_rub + 2, n_rub, 9)


attached = attachment(ExplicitTables, WorkArrays)


@kernel
def body_coordinates(b: int, q: Array, fixed: bool, m: ExplicitTables, z: Array) -> None:
    """Fill the four coordinates of a body, z[4 b : 4 b + 4] = start + T q; for rates without the start."""
    for k in range(4 * b, 4 * b + 4):
        c = m.coord[k]
        z[k] = c.start if fixed else 0.0
        for e in range(c.first, c.last):
            z[k] += m.entry[e].c * q[m.entry[e].q]


# rare, and by themselves: copied into the loops that most mechanisms run, they cost these 2 %; by address, because as
# arguments their tables cost as much as their arithmetic


@noinline
def swing(q: Array, address: int) -> None:
    """Add the gradients of the angles and strands that rows hold to g[0]."""
    m, s = attached(address)
    turned_gradient(m.turn, m.arm, m.spot, m.segment, q, s.g[0])


@noinline
def count_turns(q: Array, v: Array, level: int, address: int) -> None:
    """Add the angles and strands that rows hold to phi[0], at the turns of theta[0], to g[0], or to gamma, phi[2]."""
    m, s = attached(address)
    if level == 2:
        turned_rates(m.turn, m.arm, m.spot, m.segment, q, v, s.g[1, :0], s.phi[2])
    elif level == 1:
        turned_gradient(m.turn, m.arm, m.spot, m.segment, q, s.g[0])
    else:
        turned_rows(m.turn, m.arm, m.segment, s.theta[0], q, s.phi[0])


@kernel
def entries(q: Array, address: int, m: ExplicitTables, s: WorkArrays) -> None:
    """Fill val with M, C and -eps at a pose."""
    val = s.val
    copy(m.base, val)
    for e in range(len(m.rod)):
        p = m.rod[e]
        over = 1.0 / p.length
        if p.a >= 0:
            gx, gy = (q[p.b] - q[p.a]) * over, (q[p.b + 1] - q[p.a + 1]) * over
            val[p.slot_ax], val[p.slot_ay] = -gx, -gy
        else:
            gx, gy = (q[p.b] - p.x) * over, (q[p.b + 1] - p.y) * over
        val[p.slot_bx], val[p.slot_by] = gx, gy
    if len(m.held):
        gradient(m.term, s.sig, q, s.phi[0], s.phi[1], s.g[0])
        if len(m.turn):
            swing(q, address)
        for e in range(len(m.cell)):
            val[m.cell[e].slot] = s.g[0, e]


@kernel
def gaps(q: Array, v: Array, level: int, address: int, m: ExplicitTables, s: WorkArrays) -> None:
    """Fill x at the multipliers with -phi (level 0), -phi_dot (1) or -gamma (2)."""
    x = s.x
    for e in range(len(m.rod)):
        p = m.rod[e]
        dx, dy, ux, uy = q[p.b] - p.x, q[p.b + 1] - p.y, v[p.b], v[p.b + 1]
        if p.a >= 0:
            dx, dy, ux, uy = q[p.b] - q[p.a], q[p.b + 1] - q[p.a + 1], ux - v[p.a], uy - v[p.a + 1]
        if level == 2:
            x[p.at] = -(ux * ux + uy * uy) / p.length
        elif level == 1:
            x[p.at] = -(dx * ux + dy * uy) / p.length
        else:
            x[p.at] = -0.5 * (dx * dx + dy * dy - p.length * p.length) / p.length
    if not len(m.held):
        return
    if level == 2:
        rates(m.term, s.sig, q, v, s.g[1, :0], s.phi[2])
    else:
        gradient(m.term, s.sig, q, s.phi[0], s.phi[1], s.g[0])
    if len(m.turn):
        count_turns(q, v, level, address)
    for r in range(len(m.held)):
        x[m.held[r].at] = -s.phi[level, r]
    if level == 1:
        for e in range(len(m.cell)):
            x[m.held[m.cell[e].row].at] -= s.g[0, e] * v[m.cell[e].q]


@kernel
def factor(m: ExplicitTables, s: WorkArrays) -> float:
    """Turn val into factors, elimination.py (2); return the least pivot of a multiplier beside its strength."""
    val, column, target = s.val, m.column, m.target
    least, e = 1.0, 0
    for k in range(len(column) - 1):
        pivot = val[column[k]]
        # a row that depends on others has nothing but eps left: rounding must not make it less
        if m.strength[k] > 0.0:
            pivot = min(pivot, m.base[column[k]])
            least = min(least, -pivot * m.strength[k])
        e = eliminate(k, e, pivot, val, column, target)
    return least


@kernel
def solve(m: ExplicitTables, s: WorkArrays) -> None:
    """Turn the right side x into the solution."""
    substitute(s.val, m.column, m.row, s.x)


@kernel
def stiffen(m: ExplicitTables, s: WorkArrays) -> None:
    """Turn a solution x into its correction: rows have given way by eps x, this is what takes them back."""
    for k in range(len(s.x)):
        s.x[k] = m.base[m.column[k]] * s.x[k] if m.strength[k] > 0.0 else 0.0
    solve(m, s)


@kernel
def act(b: int, rx: float, ry: float, tau: float, m: ExplicitTables, s: WorkArrays) -> None:
    """Add a wrench about the origin on a body to x at the coordinates, by (2); its own are in z[0]."""
    k, z = 4 * b, s.z[0]
    couple = (tau - z[k] * ry + z[k + 1] * rx) / m.body[b].length ** 2
    f2x, f2y = -couple * (z[k + 3] - z[k + 1]), couple * (z[k + 2] - z[k])  # (2)
    for i in range(4):
        f = f2x if i == 2 else f2y if i == 3 else rx - f2x if i == 0 else ry - f2y
        for j in range(m.coord[k + i].first, m.coord[k + i].last):
            s.x[m.place[m.entry[j].q]] += m.entry[j].c * f


@kernel
def push(q: Array, v: Array, alone: bool, m: ExplicitTables, s: WorkArrays) -> float:
    """Fill x at the coordinates with all generalised forces; return the power of loads, torques and dampers, W.

    If not `alone` their wrenches are in w only, to which `govern` adds.
    """
    for k in range(len(m.weight)):
        s.x[m.place[k]] = m.weight[k]
    if not len(m.forced):
        return 0.0
    z = s.z[0]
    for e in range(len(m.forced)):
        b = m.forced[e]
        body_coordinates(b, q, True, m, z)
        body_coordinates(b, v, False, m, s.z[1])
        s.w[b, :] = 0.0
    power = applied(m.loads, m.torques, m.springs, m.motors, s.sig, s.theta[0], z, s.z[1], s.w)
    for e in range(len(m.forced) if alone else 0):
        b = m.forced[e]
        act(b, -s.w[b, 0], -s.w[b, 1], -s.w[b, 2], m, s)
    return power


@noinline
def govern(y: Array, m: ExplicitTables, s: WorkArrays) -> float:
    """Add all wrenches, those of elements among them, to x, and fill the rates of their states; return their power, W.

    `push` leaves that to this where there are elements: friction asks w for all that is applied.
    """
    for k in range(s.own.shape[1]):
        s.own[0, k] = y[2 * len(m.weight) + k]
    own, z = s.own, s.z
    power = exerted(m.gauge, m.element, m.numbers, s.offset, s.sig, s.theta[0], z[0], z[1], own[0], own[1], s.w)
    for e in range(len(m.forced)):
        b = m.forced[e]
        act(b, -s.w[b, 0], -s.w[b, 1], -s.w[b, 2], m, s)
    return power


@noinline
def rub(q: Array, v: Array, exact: float, address: int) -> float:
    """Turn x into the solution with friction, and return its power; as arguments all tables would cost 0.1 us."""
    m, s = attached(address)
    return rubbed(q, v, exact, m, s)


@noinline
def slopes(t: float, y: Array, exact: float, address: int, f: Array) -> float:
    """Fill f with y' of y = (q, v, z, W), friction to `exact` of itself; return the least pivot beside its strength."""
    m, s = attached(address)
    n_q = len(m.weight)
    q, v = y[:n_q], y[n_q : 2 * n_q]
    if len(m.signal) > 1:
        signals(t, m.segment, m.signal, s.sig)
    power = push(q, v, len(m.element) == 0, m, s)
    if len(m.element):
        power += govern(y, m, s)
        copy(s.own[1], f[2 * n_q : len(f) - 1])
    entries(q, address, m, s)
    gaps(q, v, 2, address, m, s)
    least = factor(m, s)
    if len(m.rub):
        power += rub(q, v, exact, address)
    else:
        solve(m, s)
    for k in range(n_q):
        f[k] = v[k]
        f[n_q + k] = s.x[m.place[k]]
    for r in range(len(m.held)):
        if m.held[r].drive >= 0:
            power -= s.x[m.held[r].at] * s.sig[m.held[r].drive, 1]
    if least < SOFTENED:
        stiffen(m, s)
        for k in range(n_q):
            f[n_q + k] += s.x[m.place[k]]
    f[len(f) - 1] = power
    return least


@kernel
def correct(q: Array, v: Array, level: int, u: Array, address: int) -> float:
    """Take one step of Newton's method in u, positions (level 0) or velocities (1), with the factors at hand.

    Return the largest gap before, as a length.
    """
    m, s = attached(address)
    for k in range(len(s.x)):
        s.x[k] = 0.0
    gaps(q, v, level, address, m, s)
    largest = 0.0
    for k in range(len(s.x)):
        largest = max(largest, s.span[k] * abs(s.x[k]))
    solve(m, s)
    for k in range(len(u)):
        u[k] += s.x[m.place[k]]
    return largest


@noinline
def project(t: float, y: Array, address: int, rounds: int) -> float:
    """Move y to the nearest state that satisfies all rows, in the metric of M; return the least pivot as above.

    One factorisation serves all rounds: the state is close to the rows, so Newton's matrix hardly changes.
    """
    m, s = attached(address)
    n_q = len(m.weight)
    q, v = y[:n_q], y[n_q : 2 * n_q]
    if len(m.signal) > 1:
        signals(t, m.segment, m.signal, s.sig)
    entries(q, address, m, s)
    least = factor(m, s)
    for level in range(2):
        u = q if level == 0 else v
        for i in range(rounds):
            before = correct(q, v, level, u, address)
            if i == 0:
                s.gap[level] = before
    return least


@noinline
def wrenches(t: float, y: Array, a: Array, address: int) -> None:
    """Fill w with rate of momentum minus applied wrench about the origin, at angles theta[0]."""
    m, s = attached(address)
    n_q = len(m.weight)
    signals(t, m.segment, m.signal, s.sig)
    spread(m.coord, m.entry, y[:n_q], True, s.z[0])
    spread(m.coord, m.entry, y[n_q : 2 * n_q], False, s.z[1])
    spread(m.coord, m.entry, a, False, s.z[2])
    momentum(m.body, m.gravity, s.z[0], s.z[2], s.w)
    applied(m.loads, m.torques, m.springs, m.motors, s.sig, s.theta[0], s.z[0], s.z[1], s.w)
    if len(m.element):
        for k in range(s.own.shape[1]):
            s.own[0, k] = y[2 * n_q + k]
        own, z = s.own, s.z
        exerted(m.gauge, m.element, m.numbers, s.offset, s.sig, s.theta[0], z[0], z[1], own[0], own[1], s.w)
