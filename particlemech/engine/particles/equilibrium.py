"""Reactions at K samples: the equilibrium of all bodies, solved by the force method.

A reaction is a force or a couple with which a row of a joint or of a driver acts on its two bodies. In units of force
(couples divided by L) and with moments about the centres of mass divided by L, equilibrium reads

    B r = m          three rows per body, one column per reaction; m rate of momentum minus applied wrench     (1)

Some reactions, as many as there are self-stresses, are released. The others are determined by

    | 1    B | | s |   | m |
    |        | |   | = |   |         s is what cannot be balanced: rounding, along the motion                  (2)
    | B^T  0 | | r |   | 0 |

with a sparse order of elimination found once (elimination.py: M = 1, and a row per reaction). Where pivots are small,
one refinement makes up for the square of the condition number that they see. A unit of each released reaction, balanced
by the others, is a self-stress; the least reactions are those without any part along these,

    r - N N^T r,     columns of N self-stresses, orthonormal                                                   (3)

and a component is determined if no self-stress changes it. Pivots, the refinement and s of the self-stresses say
whether just these self-stresses exist at a sample; where they leave a doubt, the sample is marked as not sure.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import Records, attachment, kernel, read, released, written
from particlemech.engine.particles.chain import BODY, momentum
from particlemech.engine.particles.elimination import Indices
from particlemech.engine.particles.factors import eliminate, substitute
from particlemech.engine.particles.forces import KINDS, applied
from particlemech.engine.particles.turns import ARM, SPOT, TURN, turned_gradient
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, signals
from particlemech.engine.system import Array
from particlemech.engine.terms import CELL, COORD, ENTRY, TERM, gradient, spread
from particlemech.run.steps import copy

RANK = 1e-8  # of its joint's largest: a component that self-stresses change less is determined
LEAST = 1e-8  # square of the part of a column that the others do not contain: below it a rank may change
SAFE = 1e-2  # such pivots need no refinement: it changes 8e-15 of the largest on the models, 7e-13 on 300 links
REFINED = 1e-6  # relative: a larger refinement belongs to a condition number of some 1e5
STRESSED = 1e-11  # beside its reactions: what a self-stress may leave unbalanced by rounding

Numbers = NDArray[np.int64]
LOADS, TORQUES, SPRINGS, MOTORS = (kind.TABLE for kind in KINDS)
MEET = [("reaction", "i4"), ("body", "i4")]  # a reaction and one of the bodies it acts on
# a reaction of a joint: the meeting whose wrench it reports and its sign on the second body, the places of both bodies
# among the reports, and where on the second body the joint is (frames.py)
REPORTED = [(name, "i4") for name in ("reaction", "meet", "first", "second", "body")]
REPORTED += [(name, "f8") for name in ("sign", "a", "b", "x", "y", "turns")]  # turns: 0 where no moment is told


class Joints(NamedTuple):
    """What the kernels read; see reactions.py for how it is made."""

    body: Annotated[Records, read(BODY)]
    coord: Annotated[Records, read(COORD)]
    entry: Annotated[Records, read(ENTRY)]
    term: Annotated[Records, read(TERM)]  # rows of all joints, then of drivers
    cell: Annotated[Records, read(CELL)]
    turn: Annotated[Records, read(TURN)]
    arm: Annotated[Records, read(ARM)]
    spot: Annotated[Records, read(SPOT)]
    met: Annotated[Numbers, read("i8")]  # (n_cell,) the meeting to which a cell belongs
    meet: Annotated[Records, read(MEET)]  # (n_meet,) in the order of the reactions
    unit: Annotated[Array, read("f8")]  # (n_reaction,) 1 for a force, L for a couple
    driver: Annotated[Numbers, read("i8")]  # (n_reaction,) or -1
    reported: Annotated[Records, read(REPORTED)]
    length: Annotated[Array, read("f8")]  # (1,) L
    gravity: Annotated[Array, read("f8")]
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]
    loads: Annotated[Records, read(LOADS)]
    torques: Annotated[Records, read(TORQUES)]
    springs: Annotated[Records, read(SPRINGS)]
    motors: Annotated[Records, read(MOTORS)]


class Sheet(NamedTuple):
    """What the kernels write while they set up one equilibrium."""

    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    z: Annotated[Array, written(2)]  # (3, 4 n_body) Z, Z', Z''
    phi: Annotated[Array, written(2)]  # (2, n_reaction)
    g: Annotated[Array, written()]  # (n_cell,)
    w: Annotated[Array, written(2)]  # (n_body, 3) m of (1), about the origin
    wrench: Annotated[Array, written(2)]  # (n_meet, 3) of a unit reaction on a body, about the origin
    own: Annotated[Array, written(2)]  # (n_meet, 3) entries of B
    missing: Annotated[Array, written()]  # (3 n_body,) m


class Reported(NamedTuple):
    """K samples: what is given, and what is found."""

    t: Annotated[Array, read("f8")]  # (K,)
    q: Annotated[Array, read("f8", 2)]  # (K, n_q)
    v: Annotated[Array, read("f8", 2)]
    a: Annotated[Array, read("f8", 2)]
    theta: Annotated[Array, read("f8", 2)]  # (K, n_body)
    extra: Annotated[Array, read("f8", 3)]  # (K, n_body, 3) wrenches of custom forces; (0, ..) without
    own: Annotated[Array, written(3)]  # (K, n_meet, 3) entries of B, where only these are asked for
    value: Annotated[Array, written(3)]  # (K, n_report, 3)
    known: Annotated[Array, written(3)]  # (K, n_report, 3) 1 where a component is determined
    effort: Annotated[Array, written(2)]  # (K, n_driver)
    effort_known: Annotated[Array, written(2)]
    sure: Annotated[Array, written()]  # (K,)


class Plan(NamedTuple):
    """Which reactions are released, and the order of elimination of the others."""

    place: Annotated[Indices, read("u4")]  # (3 n_body,) equation -> its place in the order
    column: Annotated[Indices, read("u4")]  # elimination.Schedule
    row: Annotated[Indices, read("u4")]
    target: Annotated[Indices, read("u4")]
    at: Annotated[Numbers, read("i8")]  # (n_reaction,) its place in the order, -1 where released
    slot: Annotated[Numbers, read("i8", 2)]  # (n_meet, 3) where the entries of B lie, -1 where released
    released: Annotated[Numbers, read("i8")]  # (n_stress,)


class Bench(NamedTuple):
    """What the kernels write while they solve one equilibrium."""

    val: Annotated[Array, written()]  # (n_val,)
    x: Annotated[Array, written()]  # (n,)
    size: Annotated[Array, written()]  # (n,) squares of the columns of B, 0 at equations
    load: Annotated[Array, written()]  # (3 n_body,) right side of (2)
    rest: Annotated[Array, written()]  # (3 n_body,) s
    open: Annotated[Array, written()]  # (3 n_body,) what (2) leaves of the right side
    r: Annotated[Array, written(2)]  # (1 + n_stress, n_reaction) reactions, then self-stresses
    reported: Annotated[Array, written(3)]  # (3, n_report, 3) one self-stress; squares of all; squares of units
    driven: Annotated[Array, written(2)]  # (3, n_driver) the same


attached_joints = attachment(Joints, Sheet, Reported)
attached = attachment(Joints, Sheet, Reported, Plan, Bench)


@kernel
def centre(b: int, m: Joints, z: Array) -> tuple[float, float]:
    """Return the centre of mass of a body, from the drawing's centroid."""
    p, k = m.body[b], 4 * b
    dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
    return z[k] + (p.mu * dx - p.ka * dy) / p.m, z[k + 1] + (p.mu * dy + p.ka * dx) / p.m


@kernel
def unit_wrenches(i: int, address: int) -> None:
    """Fill wrench and own, the entries of B, at a sample."""
    m, s, k = attached_joints(address)
    z = s.z[0]
    if len(m.signal) > 1:
        signals(k.t[i], m.segment, m.signal, s.sig)
    spread(m.coord, m.entry, k.q[i], True, z)
    gradient(m.term, s.sig, z, s.phi[0], s.phi[1], s.g)
    turned_gradient(m.turn, m.arm, m.spot, m.segment, z, s.g)
    for e in range(len(m.meet)):
        for c in range(3):
            s.wrench[e, c] = 0.0
    for e in range(len(m.cell)):
        j, f, to = m.cell[e].z, s.g[e], s.wrench[m.met[e]]
        if j % 2 == 0:
            to[0] += f
            to[2] -= z[j + 1] * f
        else:
            to[1] += f
            to[2] += z[j - 1] * f
    for e in range(len(m.meet)):
        x, y = centre(m.meet[e].body, m, z)
        u = m.unit[m.meet[e].reaction]
        s.own[e, 0], s.own[e, 1] = u * s.wrench[e, 0], u * s.wrench[e, 1]
        s.own[e, 2] = u * (s.wrench[e, 2] - x * s.wrench[e, 1] + y * s.wrench[e, 0]) / m.length[0]


@kernel
def asked(i: int, address: int) -> None:
    """Fill missing: m of (1) at a sample; after unit_wrenches."""
    m, s, k = attached_joints(address)
    z, w = s.z[0], s.w
    spread(m.coord, m.entry, k.v[i], False, s.z[1])
    spread(m.coord, m.entry, k.a[i], False, s.z[2])
    momentum(m.body, m.gravity, z, s.z[2], w)
    applied(m.loads, m.torques, m.springs, m.motors, s.sig, k.theta[i], z, s.z[1], w)
    if len(k.extra):
        for b in range(len(w)):
            for c in range(3):
                w[b, c] -= k.extra[i, b, c]
    for b in range(len(w)):
        x, y = centre(b, m, z)
        s.missing[3 * b], s.missing[3 * b + 1] = w[b, 0], w[b, 1]
        s.missing[3 * b + 2] = (w[b, 2] - x * w[b, 1] + y * w[b, 0]) / m.length[0]


@kernel
def factored(address: int) -> float:
    """Factor the matrix of (2); return the least pivot beside the square of its column."""
    m, s, _, p, h = attached(address)
    val, x, column, target = h.val, h.size, p.column, p.target
    for j in range(len(val)):
        val[j] = 0.0
    for j in range(len(x)):
        x[j] = 0.0
    for j in range(len(p.place)):
        val[column[p.place[j]]] = 1.0
    for e in range(len(m.meet)):
        at = p.at[m.meet[e].reaction]
        if at >= 0:
            x[at] += 1e-300  # a reaction, even if it does nothing
            for c in range(3):
                val[p.slot[e, c]] = s.own[e, c]
                x[at] += s.own[e, c] ** 2
    least, e = 1.0, 0
    for j in range(len(column) - 1):
        pivot = val[column[j]]
        if x[j] > 0.0:  # of a reaction; rounding may have made it positive
            if not -pivot > LEAST * x[j]:
                return 0.0
            least = min(least, -pivot / x[j])
        e = eliminate(j, e, pivot, val, column, target)
    return least


@kernel
def balanced(r: Array, refined: bool, address: int) -> float:
    """Solve (2) for `load` into r, 0 where released, and `rest`; return the refinement beside the largest of r."""
    m, s, _, p, h = attached(address)
    x = h.x
    for j in range(len(r)):
        r[j] = 0.0
    for j in range(len(h.load)):
        h.rest[j] = 0.0
    change = 0.0
    for _ in range(1 + refined):
        # what the solution so far leaves of both right sides
        copy(h.load, h.open)
        for j in range(len(x)):
            x[j] = 0.0
        for e in range(len(m.meet)):
            at, b = p.at[m.meet[e].reaction], 3 * m.meet[e].body
            if at >= 0:
                for c in range(3):
                    h.open[b + c] -= s.own[e, c] * r[m.meet[e].reaction]
                    x[at] -= s.own[e, c] * h.rest[b + c]
        for j in range(len(h.load)):
            x[p.place[j]] = h.open[j] - h.rest[j]
        substitute(h.val, p.column, p.row, x)
        for j in range(len(h.load)):
            h.rest[j] += x[p.place[j]]
        change = 0.0
        for j in range(len(r)):
            if p.at[j] >= 0:
                r[j] += x[p.at[j]]
                change = max(change, abs(x[p.at[j]]))
    largest = 1e-300
    for j in range(len(r)):
        largest = max(largest, abs(r[j]))
    return change / largest if refined else 0.0


@kernel
def without(along: Array, r: Array) -> None:
    """Take the part along a unit vector out of r."""
    f = 0.0
    for j in range(len(r)):
        f += along[j] * r[j]
    for j in range(len(r)):
        r[j] -= f * along[j]


@kernel
def stress(n: int, address: int) -> bool:
    """Fill r[1 + n] with a self-stress, of length 1 and orthogonal to those before; return whether it is one."""
    m, s, _, p, h = attached(address)
    r, chosen = h.r[1 + n], p.released[n]
    for j in range(len(h.load)):
        h.load[j] = 0.0
    for e in range(len(m.meet)):
        if m.meet[e].reaction == chosen:
            for c in range(3):
                h.load[3 * m.meet[e].body + c] = -s.own[e, c]
    if not balanced(r, True, address) <= REFINED:
        return False
    r[chosen] = 1.0
    largest, left = 1.0, 0.0
    for j in range(len(r)):
        largest = max(largest, abs(r[j]))
    for j in range(len(h.rest)):
        left = max(left, abs(h.rest[j]))
    if not left <= STRESSED * largest:
        return False
    for _ in range(2):  # the second time for what rounding left
        for j in range(n):
            without(h.r[1 + j], r)
    size = 0.0
    for j in range(len(r)):
        size += r[j] ** 2
    for j in range(len(r)):
        r[j] /= math.sqrt(size)
    return True


@kernel
def report(r: Array, address: int, reported: Array, driven: Array, size: Array, driven_size: Array) -> None:
    """Fill what reactions r are at joints, told (n_report, 3), and at drivers; add squares of units to the sizes."""
    m, s, _ = attached_joints(address)
    for j in range(len(reported)):
        for c in range(3):
            reported[j, c] = 0.0
    for j in range(len(driven)):
        driven[j] = 0.0
    for e in range(len(m.reported)):
        p = m.reported[e]
        w = s.wrench[p.meet]
        x, y = p.x, p.y
        if p.body >= 0:
            k, z = 4 * p.body, s.z[0]
            dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
            x, y = z[k] + p.a * dx - p.b * dy, z[k + 1] + p.a * dy + p.b * dx
        u = p.sign * m.unit[p.reaction]
        for c in range(3):
            unit = u * (w[c] if c < 2 else p.turns * (w[2] - x * w[1] + y * w[0]))
            reported[p.second, c] += unit * r[p.reaction]
            reported[p.first, c] -= unit * r[p.reaction]
            size[p.second, c] += unit * unit
            size[p.first, c] += unit * unit
    for j in range(len(m.driver)):
        if m.driver[j] >= 0:
            driven[m.driver[j]] += m.unit[j] * r[j]
            driven_size[m.driver[j]] += m.unit[j] ** 2


@kernel
def judge(i: int, address: int) -> None:
    """Fill known at a sample: what no self-stress changes beside the largest that the joint can carry."""
    _, _, k, p, h = attached(address)
    seen, size, driven, driven_size = h.reported[1], h.reported[2], h.driven[1], h.driven[2]
    seen[:, :] = 0.0
    driven[:] = 0.0
    for n in range(len(p.released)):
        size[:, :] = 0.0
        driven_size[:] = 0.0
        report(h.r[1 + n], address, h.reported[0], h.driven[0], size, driven_size)
        for j in range(len(seen)):
            for c in range(3):
                seen[j, c] += h.reported[0, j, c] ** 2
        for j in range(len(driven)):
            driven[j] += h.driven[0, j] ** 2
    for j in range(len(seen)):
        largest = max(math.sqrt(max(size[j, 0], size[j, 1], size[j, 2])), 1e-300)
        for c in range(3):
            k.known[i, j, c] = math.sqrt(seen[j, c]) <= RANK * largest
    for j in range(len(driven)):
        k.effort_known[i, j] = math.sqrt(driven[j]) <= RANK * max(math.sqrt(driven_size[j]), 1e-300)


@kernel
def react(i: int, address: int) -> bool:
    """Fill reactions and efforts of a sample; return whether its self-stresses are just those of the plan."""
    _, s, k, p, h = attached(address)
    unit_wrenches(i, address)
    least = factored(address)
    if not least > LEAST:
        return False
    for n in range(len(p.released)):
        if not stress(n, address):
            return False
    asked(i, address)
    copy(s.missing, h.load)
    r = h.r[0]
    if not balanced(r, least < SAFE, address) <= REFINED:
        return False
    for _ in range(2):
        for n in range(len(p.released)):
            without(h.r[1 + n], r)  # (3)
    report(r, address, k.value[i], k.effort[i], h.reported[2], h.driven[2])
    if len(p.released):
        judge(i, address)
    return True


UNITS, REACTIONS = range(2)  # tasks


@released
def balance(task: int, address: int) -> None:
    """Do a task at all samples.

    UNITS        entries of B into `own`; needs no plan
    REACTIONS    value, known (where the plan has self-stresses), effort; `sure` says where they hold
    """
    _, s, k = attached_joints(address)
    s.sig[0, 0] = 1.0  # the constant
    for i in range(len(k.t)):
        if task == UNITS:
            unit_wrenches(i, address)
            for e in range(len(s.own)):
                copy(s.own[e], k.own[i, e])
        else:
            k.sure[i] = react(i, address)
