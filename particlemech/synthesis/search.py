"""Linkages from thousands of starts: each meets some places in closed form, then all as well as it can; compiled.

A start takes five of the places (four of a slider-crank), or all where there are no more. What they leave open is drawn
at random: the coupler angles of points without any, and poses that are missing to five. Its dyads, by dyads.py:

    motion, points        poses (P_j, angle_j): two dyads are a four-bar, a dyad and a slider point a slider-crank (1)
    points with timing    P_j - a e(phi_j) stays at |AP| from O, so poses (P_j, phi_j) have the centre O and the point
                          O + P_0 - A_0; these say the coupler angles                                              (2)
    function              seen from the output, the crank's plane has poses at exp(-i psi_j) (O - C) with angles
                          phi_j - psi_j, or at -s_j d with angles phi_j; its dyads are the rods                    (3)

Where there are more places, the linkage that is not defective at those is fitted to all of them.
"""

from __future__ import annotations

import cmath
import math
from typing import Any, NamedTuple

import numpy as np

from particlemech._jit import noinline, released
from particlemech.engine.system import Array
from particlemech.synthesis.defects import APART, CLOSED_FORM, FINE, MISSED, TOLERANCE, judged, mobile
from particlemech.synthesis.dyads import (
    against_first,
    centre,
    of_five,
    of_slides,
    slider_of_four,
    slider_of_three,
    solved,
)
from particlemech.synthesis.evaluating import largest_miss
from particlemech.synthesis.fitting import Task, WorkArrays, fitted
from particlemech.synthesis.linkage import (
    BETA0,
    CX,
    CY,
    DELTA,
    OX,
    OY,
    PSI0,
    SIZE,
    THETA0,
    A,
    B,
    C,
    E,
    U,
    V,
    coupler,
    place,
    side_of,
    wrapped,
)

DRAWS = 40  # random numbers of a start, besides one for each place
FITTED = 60  # steps of a fit
SEEN = 90  # crank angles among which the nearest is sought
TRIVIAL = 1e-6  # a crank shorter than this is none
MARGIN = 1e-9  # of the size: places that closed forms miss by more are not met
SIDE, ERROR, WAY, LEAST, COLUMNS = SIZE, SIZE + 1, SIZE + 2, SIZE + 3, SIZE + 4  # of what is found

PATH, MOTION, FUNCTION = range(3)


class Choice(NamedTuple):
    """What a start may draw, and where what is found goes."""

    kind: int
    exact: int  # how many places are met in closed form, at most
    pivots: Array  # (2,) complex, or empty: where O and C must be
    asked: Array  # of defects.py
    counts: Any  # by reason
    rows: Array  # (room, 16) what is found
    angles: Array  # (room, N) its crank angles
    number: Any  # (1,) how many there are


class SearchArrays(NamedTuple):
    """Arrays that are free to use."""

    draw: Array  # (40 + N,)
    m: Array  # (1,) how many places this start meets
    pick: Array  # (5,) which
    order: Array  # (5,) of unknowns
    P: Array  # (5,) complex, with gamma, phi and out: what a start meets
    gamma: Array
    phi: Array
    out: Array
    D: Array
    E: Array
    M: Array  # (4, 7)
    work: Array  # (15,) complex
    q: Array  # (4,) complex
    G: Array
    q2: Array
    G2: Array
    x: Array  # (12,)
    theta: Array  # (5,)
    sides: Array  # (5,)
    own: Array  # (N,)
    all_sides: Array  # (N,)


def search_arrays(n: int) -> SearchArrays:
    """Return arrays for n places."""
    five = np.zeros(5, dtype=complex)
    real: list[Any] = [np.zeros(DRAWS + n), *(np.zeros(k, dtype=np.int64) for k in (1, 5, 5))]
    real += [five.copy(), np.zeros(5), np.zeros(5), np.zeros(5), five.copy(), five.copy()]
    real += [np.zeros((4, 7)), np.zeros(15, dtype=complex), *(np.zeros(4, dtype=complex) for _ in range(4))]
    return SearchArrays._make([*real, np.zeros(SIZE), np.zeros(5), np.zeros(5), np.zeros(n), np.zeros(n)])


# -- what a start meets ------------------------------------------------------------------------------------------------


@noinline
def _drawn(task: Task, choice: Choice, b: SearchArrays) -> None:
    """Choose places, and draw what they leave open."""
    n, m, u = len(task.P), choice.exact, b.draw
    if n > m > 3:  # fewer leave more to chance
        m = m - int((m - 2.0) * u[37] * u[37])
    b.m[0], taken = m, 0
    for i in range(n):  # m of n, all choices alike
        if taken < m and u[DRAWS + i] * (n - i) < m - taken:
            b.pick[taken] = i
            taken += 1
    for j in range(5):
        if j < m:
            i = b.pick[j]
            b.P[j], b.gamma[j], b.phi[j], b.out[j] = task.P[i], task.gamma[i], task.phi[i], task.out[i]
        else:
            b.P[j] = complex(3.0 * u[18 + j] - 1.5, 3.0 * u[13 + j] - 1.5)
            b.gamma[j] = b.gamma[0] + 3.0 * (u[8 + j] - 0.5)
            b.phi[j] = b.phi[0] + (2.0 * u[20 + j] - 0.5) * (task.phi[n - 1] - task.phi[0])
            b.out[j] = b.out[0] + (2.0 * u[19 + j] - 0.5) * (task.out[n - 1] - task.out[0])
    if choice.kind == PATH:
        one, two, three = 5.0 * (u[25] - 0.5), 2.5 * (u[26] - 0.5), 1.5 * (u[27] - 0.5)
        for j in range(5):
            t = b.pick[j] / (n - 1.0) if j < m else 1.5 * u[8 + j]
            b.gamma[j] = one * t + two * math.sin(math.pi * t) + three * math.sin(2.0 * math.pi * t)


@noinline
def _dyads(
    P: Array, angle: Array, choice: Choice, b: SearchArrays, second: int, slides: bool, q: Array, G: Array
) -> int:
    """Fill q and G with dyads that meet the poses; `second` chooses other random numbers."""
    against_first(P, angle, 5, b.D, b.E)
    if b.m[0] > 3 and choice.kind == FUNCTION and slides:
        return of_slides(b.D, b.E, 1.0, b.M, b.order, b.work, q, G)
    if b.m[0] > 3:
        return of_five(b.D, b.E, 1.0, b.M, b.work, q, G)
    if len(choice.pivots):
        return _towards(P, choice, b, q, G)
    found = 0
    for k in range(4):
        r, turn = b.draw[28 + k - 4 * second], 2.0 * math.pi * b.draw[32 + k - 4 * second]
        q[found] = (0.1 + 3.0 * r * r) * cmath.exp(1j * turn)
        G[found], there = centre(b.D, b.E, q[found])
        found += 1 if there else 0
    return found


@noinline
def _towards(P: Array, choice: Choice, b: SearchArrays, q: Array, G: Array) -> int:
    """Fill q with the points that stay at their distances from the two pivots in three poses."""
    for k in range(2):
        G[k] = choice.pivots[k] - P[0]
        for j in range(2):
            d, e = b.D[j + 1], b.E[j + 1]
            f = d.conjugate() * e - G[k].conjugate() * (e - 1.0)  # (2) of dyads.py is linear in q
            b.M[j, 0], b.M[j, 1] = f.real, -f.imag
            b.M[j, 2] = (G[k].conjugate() * d).real - 0.5 * abs(d) ** 2
        if not solved(b.M, 2, 3):
            return 0
        q[k] = complex(b.M[0, 2], b.M[1, 2])
    return 2


# -- linkages ----------------------------------------------------------------------------------------------------------


@noinline
def _four_bar(b: SearchArrays, q: complex, G: complex, q2: complex, G2: complex) -> bool:
    """Put the four-bar of two dyads into x, its crank the first."""
    x, P0 = b.x, b.P[0]
    O, a, end, other = P0 + G, P0 + q, P0 + q2, P0 + G2
    rod = end - a
    x[OX], x[OY], x[CX], x[CY] = O.real, O.imag, other.real, other.imag
    x[A], x[B], x[C] = abs(a - O), abs(rod), abs(end - other)
    if not min(x[A], min(x[B], min(x[C], abs(other - O)))) > TRIVIAL:
        return False
    w = (P0 - a) * rod.conjugate() / x[B]
    x[U], x[V] = w.real, w.imag
    x[BETA0] = wrapped(b.gamma[0] - cmath.phase(rod))
    x[THETA0], x[PSI0] = wrapped(cmath.phase(a - O) - b.phi[0]), 0.0
    return True


@noinline
def _slider_crank(b: SearchArrays, q: complex, G: complex, q2: complex, m: int) -> bool:
    """Put the slider-crank of a dyad and a slider point into x."""
    x, P0, far = b.x, b.P[0], 0j
    for j in range(m):
        reach = b.D[j] + (b.E[j] - 1.0) * q2
        far = reach if abs(reach) > abs(far) else far
    rod = q2 - q
    if not min(abs(far), min(abs(rod), abs(q - G))) > TRIVIAL:
        return False
    O = P0 + G
    along = far / abs(far)
    x[OX], x[OY], x[A], x[B], x[C] = O.real, O.imag, abs(q - G), abs(rod), 0.0
    x[DELTA], x[E] = cmath.phase(far), ((q2 - G) * along.conjugate()).imag
    w = -q * rod.conjugate() / x[B]
    x[U], x[V] = w.real, w.imag
    x[BETA0] = wrapped(b.gamma[0] - cmath.phase(rod))
    x[THETA0], x[PSI0] = wrapped(cmath.phase(q - G) - b.phi[0]), 0.0
    return True


@noinline
def _generator(task: Task, b: SearchArrays, q: complex, G: complex) -> bool:
    """Put the linkage of (3) into x: its frame is from 0 to 1."""
    x = b.x
    for k in range(SIZE):
        x[k] = 0.0
    q, G = q * cmath.exp(-1j * b.phi[0]) if task.slider else q * cmath.exp(1j * (b.out[0] - b.phi[0])), G + b.P[0]
    x[A], x[THETA0] = abs(q), cmath.phase(q)
    if task.slider:
        x[B], x[E], x[PSI0] = abs(b.P[0] + q * cmath.exp(1j * b.phi[0]) - G), G.imag, -G.real
        return min(x[A], x[B]) > TRIVIAL
    x[CX] = 1.0
    x[B] = abs(b.P[0] + q * cmath.exp(1j * (b.phi[0] - b.out[0])) - G)
    x[C], x[PSI0] = abs(G), -cmath.phase(G)
    return min(x[A], min(x[B], x[C])) > TRIVIAL


@noinline
def _placed(task: Task, b: SearchArrays, choice: Choice) -> None:
    """Fill theta and sides of the places that are met in closed form, from x."""
    x = b.x
    for j in range(b.m[0]):
        if choice.kind == FUNCTION:
            theta = x[THETA0] + b.phi[j]
            ax, ay = x[OX] + x[A] * math.cos(theta), x[OY] + x[A] * math.sin(theta)
            at = b.out[j] - x[PSI0]
            if task.slider:
                bx, by = at, x[E]
            else:
                bx, by = x[CX] + x[C] * math.cos(at), x[C] * math.sin(at)
        else:
            turn = b.E[j] * cmath.exp(1j * (b.gamma[0] - x[BETA0]))
            a = b.P[j] - complex(x[U], x[V]) * turn
            end = a + x[B] * turn
            ax, ay, bx, by = a.real, a.imag, end.real, end.imag
            theta = math.atan2(ay - x[OY], ax - x[OX])
        b.theta[j] = theta
        b.sides[j] = side_of(x, task.slider, ax, ay, bx, by)


# -- all places --------------------------------------------------------------------------------------------------------


@noinline
def _spread(task: Task, choice: Choice, b: SearchArrays, side: float) -> None:
    """Guess the crank angles of all places: those that come nearest, or those that were met."""
    x = b.x
    n, met = len(task.P), 0
    for i in range(n):
        if met < b.m[0] and b.pick[met] == i:
            b.own[i] = b.theta[met]
            met += 1
            continue
        best = math.inf
        for k in range(SEEN):
            theta = 2.0 * math.pi * k / SEEN
            there, ax, ay, bx, by, _, _ = place(x, task.slider, side, theta)
            if there:
                px, py, gamma = coupler(x, ax, ay, bx, by)
                far = (px - task.P[i].real) ** 2 + (py - task.P[i].imag) ** 2
                far += (task.weight[1] * wrapped(gamma + x[BETA0] - task.gamma[i])) ** 2
                if far < best:
                    best, b.own[i] = far, theta


@noinline
def _kept(task: Task, choice: Choice, b: SearchArrays, work: WorkArrays) -> None:
    """Judge the linkage in x; fit it where there are more places; keep it, or count why not."""
    n, m = len(task.P), b.m[0]
    _placed(task, b, choice)
    fault = mobile(b.x, task.slider, b.theta, b.sides, m)
    if fault != FINE:
        choice.counts[fault] += 1
        return
    side = b.sides[0]
    if task.timed:
        for i in range(n):
            b.own[i] = b.x[THETA0] + task.phi[i]
    elif n > m:
        _spread(task, choice, b, side)
    else:
        for i in range(n):
            b.own[i] = b.theta[i]
    outside = False
    for a in range(len(task.free)):
        k = task.free[a]
        outside = outside or not task.bounds[0, k] <= b.x[k] <= task.bounds[1, k]
    if n > m or outside:
        if not fitted(task, b.x, b.own, side, FITTED, work) < math.inf:
            choice.counts[APART] += 1
            return
    error = largest_miss(task, b.x, b.own, side, work)
    if not error <= choice.asked[TOLERANCE]:
        choice.counts[MISSED if error < math.inf else APART] += 1
        return
    for i in range(n):
        b.all_sides[i] = side
    fault, way, least = judged(b.x, task.slider, b.own, b.all_sides, n, choice.asked, task.planes)
    choice.counts[fault] += 1
    at = choice.number[0]
    if fault != FINE or at >= len(choice.rows):
        return
    for k in range(SIZE):
        choice.rows[at, k] = b.x[k]
    choice.rows[at, SIDE], choice.rows[at, ERROR] = side, error
    choice.rows[at, WAY], choice.rows[at, LEAST] = way, least
    for i in range(n):
        choice.angles[at, i] = b.own[i]
    choice.number[0] = at + 1


@noinline
def _couples(task: Task, choice: Choice, b: SearchArrays, work: WorkArrays, first: int, count: int) -> None:
    """Try all linkages whose coupler goes through the poses; of four-bars with crank `first`, or any if that is < 0."""
    if task.slider:
        if b.m[0] == 4:
            b.q2[0], there = slider_of_four(b.D, b.E)
        else:
            b.q2[0], there = slider_of_three(b.D, b.E, cmath.exp(2j * math.pi * b.draw[36]))
        if not there:
            choice.counts[CLOSED_FORM] += 1
            return
    for i in range(count):
        if task.slider:
            if (first < 0 or i == first) and _slider_crank(b, b.q[i], b.G[i], b.q2[0], b.m[0]):
                _kept(task, choice, b, work)
            continue
        for k in range(count):
            if i != k and (first < 0 or i == first) and not (len(choice.pivots) and i > k):
                if _four_bar(b, b.q[i], b.G[i], b.q[k], b.G[k]):
                    _kept(task, choice, b, work)


@noinline
def _timed(task: Task, choice: Choice, b: SearchArrays, work: WorkArrays) -> None:
    """Try the linkages of (2)."""
    cranks = _dyads(b.P, b.phi, choice, b, 0, False, b.q2, b.G2)
    if cranks <= 0:
        choice.counts[CLOSED_FORM] += 1
    for i in range(cranks):
        if not min(abs(b.q2[i]), abs(b.G2[i])) > TRIVIAL:
            continue
        # O - P_0 = G, A_0 - O = -q, and the coupler is where P_j - O + q e(phi_j) is
        G, q = b.G2[i], b.q2[i]
        for j in range(5):
            b.gamma[j] = cmath.phase(b.P[j] - b.P[0] - G + q * cmath.exp(1j * (b.phi[j] - b.phi[0])))
        count = _dyads(b.P, b.gamma, choice, b, 1, False, b.q, b.G)
        if count < 0:
            choice.counts[CLOSED_FORM] += 1
            continue
        same = -1
        for k in range(count):
            if abs(b.G[k] - G) + abs(b.q[k] - (G - q)) < TRIVIAL * (1.0 + abs(G) + abs(q)):
                same = k
        if same < 0:  # the crank is one of them, to all digits
            same = min(count, 3)
            count = same + 1
        b.q[same], b.G[same] = G - q, G
        _couples(task, choice, b, work, same, count)


@released
def search(task: Task, choice: Choice, draws: Array, b: SearchArrays, work: WorkArrays) -> None:
    """Try all starts, one for each row of random numbers, (starts, 40 + N)."""
    for s in range(len(draws)):
        for k in range(len(b.draw)):
            b.draw[k] = draws[s, k]
        _drawn(task, choice, b)
        if choice.kind == FUNCTION:
            for j in range(5):
                b.P[j] = -b.out[j] + 0j if task.slider else -cmath.exp(-1j * b.out[j])
                b.gamma[j] = b.phi[j] if task.slider else b.phi[j] - b.out[j]
        elif task.timed:
            _timed(task, choice, b, work)
            continue
        count = _dyads(b.P, b.gamma, choice, b, 0, task.slider, b.q, b.G)
        if count <= 0:
            choice.counts[CLOSED_FORM] += 1
        elif choice.kind == FUNCTION:
            for i in range(count):
                if _generator(task, b, b.q[i], b.G[i]):
                    _kept(task, choice, b, work)
        else:
            _couples(task, choice, b, work, -1, count)
