"""Rows along the elimination: loops are closed where their two sides meet.

At frame i, with a its acceleration, the rows that pass it and have not been eliminated ask for

    f_r.a + gamma_r + sum A_rq lam_q = 0                                                                         (1)

f_r is what is left of the wrench of a unit multiplier on this side; at first A is zero and gamma the second rate that
velocities alone make of the row. With the elimination of a stage along s, e_r = s.f_r, see articulated.py (2), (3):

    f_r -= U e_r/D,   gamma_r += e_r (tau - s.p)/D,   A_rq += e_r e_q/D;    then gamma_r += f_r.c on to the parent (2)

The rows of a loop are eliminated at the frame that both sides hang on, after its modes and before its stages:

    lam_r = -(f_r.a + gamma_r + sum A_rq lam_q)/A_rr                                                             (3)
    I += f_r f_r^T/A_rr,  p += f_r gamma_r/A_rr,  f_q -= f_r A_rq/A_rr,  gamma_q, A_qs likewise                  (4)

So a loop is to the frames farther in what a heavier body is: what remains is a tree, and only rows that pass one frame
ever meet. All terms of (4) are squares, and nothing is lost by it. At the ground A is H H^T = G M^-1 G^T, of the loops
that end there. Rows that follow from others (over-constrained linkages) do so within one such set, for the wrenches of
a row of a loop are in balance; which are left out is found once per step at the projected state, by the pivots of A,
and kept for all its stages and its dense output. Bennett's linkage at 1e-11: 124 steps. Not used: to decide it at each
stage, which leaves the rows a little, so that what is redundant looks independent (1200 steps); rows softened instead
(214 steps, 1e4 times the error); H H^T of all rows at once, in which every loop meets every other.
"""

from __future__ import annotations

import math

from particlemech._jit import kernel, noinline
from particlemech.engine.recursive.forms import ACROSS, TIED
from particlemech.engine.recursive.tables import TRAVEL, Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import dot, part_of, six

LATE, EARLY = 1.0, 2.0  # a row that is kept: eliminated where its sides meet, or at the end of a leg
LEAST, CHOOSING, LEFT_OUT = range(3)  # places in `tally`
# pivot of A beside its diagonal, below which a row follows from others: those of exact linkages are 1e-26 to 1e-15,
# of one whose axes are off by 1e-6 1e-12, and a four-bar 1 degree beside a dead centre has 3e-4
DEPENDENT = 1e-10
# part of what its wrench could do, the square: a row that nowhere does more asks for nothing. That is 1e-34 of
# rounding, and 1e-16 where an axis is off by 1e-8, which counts as exact, see exactness.py
NOTHING = 1e-14
ABLE = 0.1  # least pivot of the rows of a leg that can move its end in all ways


@kernel
def own_effort(r: int, e: int, m: Tables) -> float:
    """Return what a unit multiplier does to a stage by itself, rows.py (4)."""
    p = m.row[r]
    return (1.0 if e == p.stage2 else 0.0) - (p.c if e == p.stage1 else 0.0)


@kernel
def passes(k: int, m: Tables, s: WorkArrays) -> bool:
    """Return whether the row of entry k of `passing` goes on here."""
    p = m.passing[k]
    state = s.kept[1 + p.row]
    return state == LATE or (state == EARLY and p.late == 0)


@noinline
def set_out(m: Tables, s: WorkArrays) -> None:
    """Begin with the wrenches of all rows; gamma is given."""
    s.tally[LEAST] = 1.0
    for r in range(len(m.row)):
        s.size[r, 0] = s.size[r, 1] = 0.0
        s.size[r, 2] = longest(s.arms[r]) if m.row[r].form != ACROSS else 0.0
        for c in range(12):
            s.f[r, c] = s.W[r, c]
    for k in range(len(m.pair)):
        s.A[m.pair[k].r, m.pair[k].q] = 0.0
    for i in range(1, len(m.body)):
        for k in range(m.course[i].bending, m.course[i].bent):
            for e in range(m.body[i].mode, m.body[i].mode + m.body[i].modes):
                s.effort[m.passing[k].row, e] = 0.0


@kernel
def longest(arms: Array) -> float:
    """Return the longer of the arms of a row."""
    one = dot(arms[0], arms[1], arms[2], arms[0], arms[1], arms[2])
    return math.sqrt(max(one, dot(arms[3], arms[4], arms[5], arms[3], arms[4], arms[5])))


@kernel
def at_most(f: Array, turn: float, lever: float) -> float:
    """Return the square of what a wrench can do, its moment where it turns, its force at a lever."""
    moment, force = dot(f[0], f[1], f[2], f[0], f[1], f[2]), dot(f[3], f[4], f[5], f[3], f[4], f[5])
    return turn * moment + lever * lever * force


@kernel
def weigh(r: int, effort: float, most: float, s: WorkArrays) -> None:
    """Note the largest part of what it could do that a row does on any stage, the square."""
    if effort * effort > s.size[r, 1] * most:
        s.size[r, 1] = effort * effort / most if most > 0.0 else 1.0


@kernel
def meet(k: int, first: int, e: int, x: float, m: Tables, s: WorkArrays) -> None:
    """Add the part of a stage to A, for the row of entry k of `passing` and those before it."""
    r = m.passing[k].row
    for l in range(first, k + 1):
        if passes(l, m, s):
            s.A[r, m.passing[l].row] += x * s.effort[m.passing[l].row, e]


@noinline
def pass_stage(i: int, e: int, c: float, m: Tables, s: WorkArrays) -> None:
    """Pass stage e of frame i, (2); c is its acceleration by itself, or that of its driver."""
    first, travel, axis, U, D = m.course[i].passing, m.stage[e].does == TRAVEL, s.axis[e], s.U[e], s.D[e, 0]
    for k in range(first, m.course[i].passed):
        if not passes(k, m, s):
            continue
        r, at = m.passing[k].row, m.passing[k].at
        f = s.f[r, at : at + 6]
        effort = part_of(f, travel, axis)
        own = own_effort(r, e, m) if m.row[r].form == TIED else 0.0
        effort += own
        s.effort[r, e] = effort
        s.gamma[r] += effort * c
        if m.stage[e].u < 0:
            continue
        x = effort / D
        s.size[r, 0] += effort * x
        if s.tally[CHOOSING] > 0.0:
            weigh(r, effort, own * own + at_most(f, 0.0 if travel else 1.0, 1.0 if travel else s.size[r, 2]), s)
        for l in range(6):
            f[l] -= U[l] * x
        meet(k, first, e, x, m, s)


@noinline
def pass_mode(i: int, j: int, c: float, C: Array, m: Tables, s: WorkArrays) -> None:
    """Pass mode j of part i, whose modal inertia is C, (2); c is its acceleration by itself."""
    b, first = m.body[i], m.course[i].bending
    e, n = b.mode + j, b.modes
    for k in range(first, m.course[i].bent):
        if not passes(k, m, s):
            continue
        r, at = m.passing[k].row, m.passing[k].at
        effort, x = s.effort[r, e], s.effort[r, e] / s.D[e, 0]
        s.gamma[r] += effort * c
        s.size[r, 0] += effort * x
        if s.tally[CHOOSING] > 0.0:  # shapes are about as large as their coordinates
            weigh(r, effort, at_most(s.f[r, at : at + 6], 1.0, 1.0), s)
        for l in range(6):
            s.f[r, at + l] -= s.U[e, l] * x
        for l in range(j):
            s.effort[r, b.mode + l] -= C[l * n + j] * x
        meet(k, first, e, x, m, s)


@noinline
def pass_on(i: int, m: Tables, s: WorkArrays) -> None:
    """Hand the wrenches that pass frame i on to its parent; those on a section act on the modes of its part."""
    b = m.body[i]
    dx, dy, dz = s.d[i, 0], s.d[i, 1], s.d[i, 2]
    for k in range(m.course[i].passing, m.course[i].passed):
        if not passes(k, m, s):
            continue
        r, at = m.passing[k].row, m.passing[k].at
        f = s.f[r, at : at + 6]
        s.gamma[r] += six(f, s.c[i])
        if b.place >= 0:
            for j in range(b.modes):
                s.effort[r, b.mode + j] += six(s.twist[m.place[b.place].at + j], f)
        s.size[r, 2] += math.sqrt(dx * dx + dy * dy + dz * dz)
        f[0] += dy * f[5] - dz * f[4]
        f[1] += dz * f[3] - dx * f[5]
        f[2] += dx * f[4] - dy * f[3]


# -- where loops close -------------------------------------------------------------------------------------------------


@noinline
def gather(i: int, m: Tables, s: WorkArrays) -> tuple[int, int]:
    """Fill `act` with the rows that are eliminated at frame i, then those that pass it; return both counts."""
    course, n = m.course[i], 0
    for k in range(course.closing, course.closed):
        r = m.closing[k].row
        if s.kept[1 + r] == (EARLY if m.closing[k].early else LATE):
            s.act[n, 0], s.act[n, 1] = r, 0.0
            n += 1
    own = n
    if own > 0:
        for k in range(course.passing, course.passed):
            if passes(k, m, s):
                s.act[n, 0], s.act[n, 1] = m.passing[k].row, m.passing[k].at
                n += 1
    return own, n


@kernel
def between(r: int, q: int, s: WorkArrays) -> float:
    """Return A_rq."""
    return s.A[r, q] if r > q else s.A[q, r]


@noinline
def bring_together(i: int, m: Tables, s: WorkArrays) -> None:
    """Add the wrenches of both sides of the rows that are eliminated at frame i; a leg stands on the ground."""
    for k in range(m.course[i].closing, m.course[i].closed):
        p = m.closing[k]
        f, state = s.f[p.row], s.kept[1 + p.row]
        if p.early == 0 and state == LATE:
            for c in range(6):
                f[c] += f[6 + c]
        elif p.early != 0 and state == EARLY:
            s.gamma[p.row] += six(f[6 - p.at : 12 - p.at], s.a[0])
            for c in range(6):
                f[c] = f[p.at + c]


@noinline
def close(i: int, m: Tables, s: WorkArrays) -> None:
    """Eliminate the rows of the loops that close at frame i, (4); first choose which, while rows are chosen."""
    if m.course[i].closing == m.course[i].closed:
        return
    choosing = s.tally[CHOOSING] > 0.0
    if choosing:
        try_legs(i, m, s)
    bring_together(i, m, s)
    own, n = gather(i, m, s)
    for j in range(own):
        if choosing and not choose_next(j, own, s):
            return
        r = int(s.act[j, 0])
        A, whole = s.A[r, r], s.size[r, 0]
        if not A > 1e-14 * whole:
            A = s.A[r, r] = 1e-14 * whole if whole > 0.0 else 1.0
        s.tally[LEAST] = min(s.tally[LEAST], A / whole) if whole > 0.0 else 0.0
        if i > 0:
            add_square(s.inertia[i], s.f[r], 1.0 / A)
            for c in range(6):
                s.p[i, c] += s.f[r, c] * s.gamma[r] / A
        for k in range(j + 1, n):
            q, at = int(s.act[k, 0]), int(s.act[k, 1])
            x = between(r, q, s) / A
            if x == 0.0:
                continue
            s.gamma[q] -= x * s.gamma[r]
            for c in range(6):
                s.f[q, at + c] -= x * s.f[r, c]
            for l in range(j + 1, k + 1):
                t = int(s.act[l, 0])
                s.A[max(q, t), min(q, t)] -= x * between(r, t, s)


@kernel
def add_square(I: Array, f: Array, c: float) -> None:
    """Add c f f^T to an inertia."""
    x, y, z = c * f[0], c * f[1], c * f[2]
    I[0] += x * f[0]
    I[1] += y * f[1]
    I[2] += z * f[2]
    I[3] += x * f[1]
    I[4] += x * f[2]
    I[5] += y * f[2]
    for k in range(3):
        I[6 + k] += x * f[3 + k]
        I[9 + k] += y * f[3 + k]
        I[12 + k] += z * f[3 + k]
    x, y, z = c * f[3], c * f[4], c * f[5]
    I[15] += x * f[3]
    I[16] += y * f[4]
    I[17] += z * f[5]
    I[18] += x * f[4]
    I[19] += x * f[5]
    I[20] += y * f[5]


@noinline
def choose_next(j: int, own: int, s: WorkArrays) -> bool:
    """Bring the best of the rows that are left to place j of `act`; return False where all of them follow from others.

    A row that asks for nothing is a rounding error, not to be scaled up.
    """
    best, pivot = j, -1.0
    for k in range(j, own):
        r = int(s.act[k, 0])
        ratio = s.A[r, r] / s.size[r, 0] if s.size[r, 1] > NOTHING else 0.0
        if ratio > pivot:
            best, pivot = k, ratio
    if pivot < DEPENDENT:
        s.tally[LEFT_OUT] = max(s.tally[LEFT_OUT], pivot)
        for k in range(j, own):
            s.kept[1 + int(s.act[k, 0])] = 0.0
        return False
    s.act[j, 0], s.act[best, 0] = s.act[best, 0], s.act[j, 0]
    return True


@noinline
def try_legs(i: int, m: Tables, s: WorkArrays) -> None:
    """Have legs with an end at frame i wait for the ground where their rows are not independent by far; Cholesky."""
    A = s.A
    for k in range(m.course[i].closing, m.course[i].closed):
        p = m.closing[k]
        if p.early == 0 or p.row != p.first:
            continue
        least = 1.0
        for r in range(p.first, p.last):
            left = A[r, r]
            for q in range(p.first, r):
                x = A[r, q]
                for t in range(p.first, q):
                    x -= A[t, q] * A[t, r]
                x /= s.lam[q]
                A[q, r] = x
                left -= x * x
            least = min(least, left / s.size[r, 0]) if s.size[r, 1] > NOTHING else 0.0
            s.lam[r] = math.sqrt(left) if left > 0.0 else 1.0
        if not least > ABLE:
            for r in range(p.first, p.last):
                s.kept[1 + r] = LATE


@noinline
def close_again(i: int, m: Tables, s: WorkArrays) -> None:
    """Do (4) to gamma and p alone."""
    if m.course[i].closing == m.course[i].closed:
        return
    own, n = gather(i, m, s)
    for j in range(own):
        r = int(s.act[j, 0])
        c = s.gamma[r] / s.A[r, r]
        for l in range(6):
            s.p[i, l] += s.f[r, l] * c
        for k in range(j + 1, n):
            s.gamma[int(s.act[k, 0])] -= c * between(r, int(s.act[k, 0]), s)


@noinline
def pass_again(i: int, e: int, c: float, m: Tables, s: WorkArrays) -> None:
    """Do (2) to gamma alone, at a free stage."""
    first, last = m.course[i].passing, m.course[i].passed
    if e >= m.body[i].last or e < m.body[i].first:
        first, last = m.course[i].bending, m.course[i].bent
    for k in range(first, last):
        if passes(k, m, s):
            s.gamma[m.passing[k].row] += s.effort[m.passing[k].row, e] * c


@noinline
def open_again(i: int, m: Tables, s: WorkArrays) -> None:
    """Find the multipliers of the loops that close at frame i, whose acceleration is known: (3), the last row first."""
    if m.course[i].closing == m.course[i].closed:
        return
    own, n = gather(i, m, s)
    for j in range(own - 1, -1, -1):
        r = int(s.act[j, 0])
        total = s.gamma[r] + six(s.f[r], s.a[i])
        for k in range(j + 1, n):
            total += between(r, int(s.act[k, 0]), s) * s.lam[int(s.act[k, 0])]
        s.lam[r] = -total / s.A[r, r]


@kernel
def effort_of_rows(first: int, last: int, e: int, m: Tables, s: WorkArrays) -> float:
    """Return sum lam_r e_r of the rows that pass a stage, entries first to last of `passing`."""
    total = 0.0
    for k in range(first, last):
        if passes(k, m, s):
            total += s.lam[m.passing[k].row] * s.effort[m.passing[k].row, e]
    return total


@noinline
def settle_choice(m: Tables, s: WorkArrays) -> float:
    """Count the rows that are kept; return the least pivot among them.

    Where fewer rows are independent than once before, it is that of the best row left out: the pose is singular.
    """
    n, count = len(m.row), 0.0
    for r in range(n):
        count += 1.0 if s.kept[1 + r] > 0.0 else 0.0
    if count < s.kept[n + 1]:
        s.tally[LEAST] = min(s.tally[LEAST], max(s.tally[LEFT_OUT], 0.0))
    s.kept[0], s.kept[n + 1] = count, max(s.kept[n + 1], count)
    return s.tally[LEAST]
