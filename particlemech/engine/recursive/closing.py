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
LEAST, CHOOSING, LEFT_OUT, WAITING = range(4)  # places in `tally`
JOINT, MODES = range(2)  # what rows pass of a frame: places in `many`
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


@noinline
def list_rows(m: Tables, s: WorkArrays) -> None:
    """List the rows that pass each frame, after `kept` has changed; and note whether legs wait for the ground."""
    for i in range(len(m.course)):
        s.many[i, JOINT] = listed(m.course[i].passing, m.course[i].passed, m, s)
        s.many[i, MODES] = listed(m.course[i].bending, m.course[i].bent, m, s)
    s.tally[WAITING] = 0.0
    for k in range(len(m.closing)):
        if m.closing[k].early and s.kept[1 + m.closing[k].row] == LATE:
            s.tally[WAITING] = 1.0


@kernel
def listed(first: int, last: int, m: Tables, s: WorkArrays) -> int:
    """List which of some entries of `passing` go on; return how many."""
    n = first
    for k in range(first, last):
        state = s.kept[1 + m.passing[k].row]
        if state == LATE or (state == EARLY and m.passing[k].late == 0):
            s.going[n, 0], s.going[n, 1] = m.passing[k].row, m.passing[k].side
            n += 1
    return n - first


@noinline
def set_out(m: Tables, s: WorkArrays) -> None:
    """Begin with the wrenches of all rows; gamma is given."""
    s.tally[LEAST] = 1.0
    for r in range(len(m.row)):
        s.size[r, 0] = s.size[r, 1] = 0.0
        if s.tally[CHOOSING] > 0.0:
            s.size[r, 2] = longest(s.arms[r]) if m.row[r].form != ACROSS else 0.0
        for c in range(6):
            s.f[r, 0, c], s.f[r, 1, c] = s.W[r, c], s.W[r, 6 + c]
    every = s.tally[CHOOSING] > 0.0 or s.tally[WAITING] > 0.0
    for k in range(len(m.pair)):
        if m.pair[k].late and not every:
            break
        s.A[m.pair[k].r, m.pair[k].q] = 0.0
    for i in range(1, len(m.body)):
        for k in range(m.course[i].bending, m.course[i].bending + s.many[i, MODES]):
            for e in range(m.body[i].mode, m.body[i].mode + m.body[i].modes):
                s.effort[s.going[k, 0], e] = 0.0


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
def weigh(r: int, effort: float, f: Array, own: float, turn: float, lever: float, m: Tables, s: WorkArrays) -> None:
    """Note the largest part of what it could do that a row does on any stage, the square.

    Where both sides of a row have met its wrenches may leave nothing but rounding: no less counts than one of them.
    """
    W, one = s.W[r], 0.0
    if m.row[r].form == ACROSS:
        one = dot(W[0], W[1], W[2], W[0], W[1], W[2])
    elif m.row[r].form != TIED:
        one = lever * lever * dot(W[3], W[4], W[5], W[3], W[4], W[5])
    most = own * own + max(one, at_most(f, turn, lever))
    if effort * effort > s.size[r, 1] * most:
        s.size[r, 1] = effort * effort / most if most > 0.0 else 1.0


@kernel
def meet(k: int, first: int, e: int, x: float, s: WorkArrays) -> None:
    """Add the part of a stage to A, for the row of entry k of `going` and those before it."""
    r = s.going[k, 0]
    for l in range(first, k + 1):
        q = s.going[l, 0]
        s.A[r, q] += x * s.effort[q, e]


@noinline
def pass_stage(i: int, e: int, c: float, m: Tables, s: WorkArrays) -> None:
    """Pass stage e of frame i, (2); c is its acceleration by itself, or that of its driver."""
    first, travel, axis, U, D = m.course[i].passing, m.stage[e].does == TRAVEL, s.axis[e], s.U[e], s.D[e, 0]
    for k in range(first, first + s.many[i, JOINT]):
        r = s.going[k, 0]
        f = s.f[r, s.going[k, 1]]
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
            weigh(r, effort, f, own, 0.0 if travel else 1.0, 1.0 if travel else s.size[r, 2], m, s)
        for l in range(6):
            f[l] -= U[l] * x
        meet(k, first, e, x, s)


@noinline
def pass_mode(i: int, j: int, c: float, C: Array, m: Tables, s: WorkArrays) -> None:
    """Pass mode j of part i, whose modal inertia is C, (2); c is its acceleration by itself."""
    b, first = m.body[i], m.course[i].bending
    e, n = b.mode + j, b.modes
    for k in range(first, first + s.many[i, MODES]):
        r = s.going[k, 0]
        f, effort = s.f[r, s.going[k, 1]], s.effort[r, e]
        x = effort / s.D[e, 0]
        s.gamma[r] += effort * c
        s.size[r, 0] += effort * x
        if s.tally[CHOOSING] > 0.0:  # shapes are about as large as their coordinates
            weigh(r, effort, f, 0.0, 1.0, 1.0, m, s)
        for l in range(6):
            f[l] -= s.U[e, l] * x
        for l in range(j):
            s.effort[r, b.mode + l] -= C[l * n + j] * x
        meet(k, first, e, x, s)


@noinline
def pass_on(i: int, m: Tables, s: WorkArrays) -> None:
    """Hand the wrenches that pass frame i on to its parent; those on a section act on the modes of its part."""
    b, first = m.body[i], m.course[i].passing
    dx, dy, dz = s.d[i, 0], s.d[i, 1], s.d[i, 2]
    for k in range(first, first + s.many[i, JOINT]):
        r = s.going[k, 0]
        f = s.f[r, s.going[k, 1]]
        s.gamma[r] += six(f, s.c[i])
        if b.place >= 0:
            for j in range(b.modes):
                s.effort[r, b.mode + j] += six(s.twist[m.place[b.place].at + j], f)
        if s.tally[CHOOSING] > 0.0:
            s.size[r, 2] += math.sqrt(dx * dx + dy * dy + dz * dz)
        f[0] += dy * f[5] - dz * f[4]
        f[1] += dz * f[3] - dx * f[5]
        f[2] += dx * f[4] - dy * f[3]


# -- where loops close -------------------------------------------------------------------------------------------------


@noinline
def gather(i: int, k: int, m: Tables, s: WorkArrays) -> tuple[int, int]:
    """Fill `act` with what is eliminated at frame i from entry k of `closing`; then what passes it; return both counts.

    A leg that is closed early meets nothing but itself.
    """
    early, n = m.closing[k].early, 0
    for l in range(k, m.closing[k].until):
        if s.kept[1 + m.closing[l].row] == (EARLY if early else LATE):
            s.act[n, 0], s.act[n, 1] = m.closing[l].row, 0
            n += 1
    own = n
    if own > 0 and not early:
        for l in range(m.course[i].passing, m.course[i].passing + s.many[i, JOINT]):
            s.act[n, 0], s.act[n, 1] = s.going[l, 0], s.going[l, 1]
            n += 1
    return own, n


@kernel
def between(r: int, q: int, s: WorkArrays) -> float:
    """Return A_rq."""
    return s.A[r, q] if r > q else s.A[q, r]


@kernel
def bring_together(k: int, own: int, m: Tables, s: WorkArrays) -> None:
    """Add the wrenches of both sides of the first rows of `act`, from entry k of `closing`.

    A leg that is closed early stands on the ground.
    """
    side = m.closing[k].side
    for j in range(own):
        r = s.act[j, 0]
        one, other, end = s.f[r, side], s.f[r, 1 - side], s.f[r, 0]
        if m.closing[k].early:
            s.gamma[r] += six(other, s.a[0])
            for c in range(6):
                end[c] = one[c]
        else:
            for c in range(6):
                end[c] = one[c] + other[c]


@noinline
def close(i: int, m: Tables, s: WorkArrays) -> None:
    """Eliminate the rows of the loops that close at frame i, (4); first choose which, while rows are chosen."""
    k = m.course[i].closing
    if s.tally[CHOOSING] > 0.0:
        try_legs(i, m, s)
    while k < m.course[i].closed:
        own, n = gather(i, k, m, s)
        bring_together(k, own, m, s)
        eliminate(i, own, n, m, s)
        k = m.closing[k].until


@noinline
def eliminate(i: int, own: int, n: int, m: Tables, s: WorkArrays) -> None:
    """Eliminate the first `own` of the n rows of `act` at frame i, (4)."""
    for j in range(own):
        if s.tally[CHOOSING] > 0.0 and not choose_next(j, own, s):
            return
        r = s.act[j, 0]
        A, whole, f = s.A[r, r], s.size[r, 0], s.f[r, 0]
        if not A > 1e-14 * whole:
            A = s.A[r, r] = 1e-14 * whole if whole > 0.0 else 1.0
        s.tally[LEAST] = min(s.tally[LEAST], A / whole) if whole > 0.0 else 0.0
        if i > 0:
            add_square(s.inertia[i], f, 1.0 / A)
            for c in range(6):
                s.p[i, c] += f[c] * s.gamma[r] / A
        for k in range(j + 1, n):
            q = s.act[k, 0]
            x, own_f = between(r, q, s) / A, s.f[q, s.act[k, 1]]
            if x == 0.0:
                continue
            s.gamma[q] -= x * s.gamma[r]
            for c in range(6):
                own_f[c] -= x * f[c]
            for l in range(j + 1, k + 1):
                t = s.act[l, 0]
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
        r = s.act[k, 0]
        ratio = s.A[r, r] / s.size[r, 0] if s.size[r, 1] > NOTHING else 0.0
        if ratio > pivot:
            best, pivot = k, ratio
    if pivot < DEPENDENT:
        s.tally[LEFT_OUT] = max(s.tally[LEFT_OUT], pivot)
        for k in range(j, own):
            s.kept[1 + s.act[k, 0]] = 0.0
        return False
    s.act[j, 0], s.act[best, 0] = s.act[best, 0], s.act[j, 0]
    return True


@noinline
def try_legs(i: int, m: Tables, s: WorkArrays) -> None:
    """Have legs with an end at frame i wait for the ground where their rows are not independent by far; Cholesky."""
    A, k = s.A, m.course[i].closing
    while k < m.course[i].closed:
        first, begin = m.closing[k].row, k
        k = m.closing[k].until
        if m.closing[begin].early == 0:
            continue
        least = 1.0
        for r in range(first, first + k - begin):
            left = A[r, r]
            for q in range(first, r):
                x = A[r, q]
                for t in range(first, q):
                    x -= A[t, q] * A[t, r]
                x /= s.lam[q]
                A[q, r] = x
                left -= x * x
            least = min(least, left / s.size[r, 0]) if s.size[r, 1] > NOTHING else 0.0
            s.lam[r] = math.sqrt(left) if left > 0.0 else 1.0
        if not least > ABLE:
            for r in range(first, first + k - begin):
                s.kept[1 + r] = LATE
            list_rows(m, s)


@noinline
def close_again(i: int, m: Tables, s: WorkArrays) -> None:
    """Do (4) to gamma and p alone."""
    at = m.course[i].closing
    while at < m.course[i].closed:
        own, n = gather(i, at, m, s)
        for j in range(own):
            r = s.act[j, 0]
            c = s.gamma[r] / s.A[r, r]
            for l in range(6):
                s.p[i, l] += s.f[r, 0, l] * c
            for k in range(j + 1, n):
                s.gamma[s.act[k, 0]] -= c * between(r, s.act[k, 0], s)
        at = m.closing[at].until


@kernel
def pass_again(first: int, many: int, e: int, c: float, s: WorkArrays) -> None:
    """Do (2) to gamma alone, at a free stage; for some of `going`."""
    for k in range(first, first + many):
        s.gamma[s.going[k, 0]] += s.effort[s.going[k, 0], e] * c


@noinline
def open_again(i: int, m: Tables, s: WorkArrays) -> None:
    """Find the multipliers of the loops that close at frame i, whose acceleration is known: (3), the last row first."""
    at = m.course[i].closing
    while at < m.course[i].closed:
        own, n = gather(i, at, m, s)
        for j in range(own - 1, -1, -1):
            r = s.act[j, 0]
            total = s.gamma[r] + six(s.f[r, 0], s.a[i])
            for k in range(j + 1, n):
                total += between(r, s.act[k, 0], s) * s.lam[s.act[k, 0]]
            s.lam[r] = -total / s.A[r, r]
        at = m.closing[at].until


@kernel
def effort_of_rows(first: int, many: int, e: int, s: WorkArrays) -> float:
    """Return sum lam_r e_r of the rows that pass a stage, some of `going`."""
    total = 0.0
    for k in range(first, first + many):
        total += s.lam[s.going[k, 0]] * s.effort[s.going[k, 0], e]
    return total


@noinline
def settle_choice(m: Tables, s: WorkArrays) -> float:
    """Count the rows that are kept; return the least pivot among them.

    Where fewer rows are independent than once before, it is that of the best row left out: the pose is singular.
    """
    list_rows(m, s)
    n, count = len(m.row), 0.0
    for r in range(n):
        count += 1.0 if s.kept[1 + r] > 0.0 else 0.0
    if count < s.kept[n + 1]:
        s.tally[LEAST] = min(s.tally[LEAST], max(s.tally[LEFT_OUT], 0.0))
    s.kept[0], s.kept[n + 1] = count, max(s.kept[n + 1], count)
    return s.tally[LEAST]
