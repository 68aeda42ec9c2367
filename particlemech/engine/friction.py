"""The law of friction in joints, and the efforts that go with reactions that are total: for every engine of the plane.

With sigma = h mu(v) tanh(v/v_s) at the present rates, model/friction.py (1) without its viscous part, the efforts f
of all places obey

    f_j + sigma_j P(R_j) = 0,    R_j = R0_j + sum_k B_jk f_k                                          (1)

R is linear in f, P is a norm: |(x, y)| of a pin, max(|x|, (2/length) |y|) of a slide, |x - y| of a pulley, which takes
the difference of the tensions on either side. Newton's method solves (1) with its generalised Jacobian

    J_jk = delta_jk + sigma_j P'(R_j).B_jk                                                            (2)

The loads of unit efforts and, in column n, those without friction make one matrix (2 n, w), rows 2 j and 2 j + 1 of
place j, its width w a whole multiple of eight: so R = load f with f_n = 1. P is homogeneous, P = P'.R, so one step of
Newton's method leads to the solution of J f = -(column n of sigma P'.load): no residual is added to what was there.

With A_jk = |sigma_j| P(B_jk) the right side of (1) is a contraction if all rows of A add up to less than 1, or at least
its spectral radius is less: then there is one solution. Else jamming.py says which is taken, or that joints jam. Where
no row adds up to more than a, an error e leaves no more than 1/2 (a/(1 - a))^2 e^2/|f_j| at a pin after one step,
because P'' <= 1/P: at a = 0.05 two steps reach the last digit from 1 %.

A massless rod of length l has two pins. Its balance asks for a force across it, (f_1 + f_2)/l, beside that along it,
which is the multiplier lam of its row. Both pins bear P^2 = lam^2 + (f_1 + f_2)^2/l^2, so that with f_j = -sigma_j P

    f_j + s_j |lam| = 0,    s_j = sigma_j/sqrt(1 - S^2),    S = (sigma_1 + sigma_2)/l                     (3)

Force and rod meet at the angle beta, sin(beta) = -S: the line of action touches the friction circles of both pins. (3)
takes the place of sigma in (1), and two places share one multiplier. Not used: the force across as a second component
of R, which is neither a multiplier nor linear in what IDA knows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlemech._jit import (
    EIGHT,
    Records,
    added,
    bumped,
    eight,
    entry,
    first,
    inner,
    kernel,
    noinline,
    only,
    put,
    scaled,
    size,
)
from particlemech.engine.jamming import least, told
from particlemech.engine.system import Array
from particlemech.model.forces import Law
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism
from particlemech.model.rubbing import DIFFERENCE, PIN, Rubbing, rubbing
from particlemech.model.stops import Pressed

RUB = [(name, "f8") for name in ("arm", "mu", "more", "over_stribeck", "over_velocity", "half", "slip", "rod")]
ROUNDS = 40  # of Newton's method on (1)
EXACT = 1e-15  # of the largest effort: (1) holds
STAGED = 1e-12  # of that: in the stages of steps, whose own error is 1e-10; two rounds instead of two and a half
NEAR = 1e-8  # of the largest effort: from here one step of Newton's method is the last
EFFORT, SIGMA, RATE = range(3)  # rows of `efforts`, (3, w): f, sigma, rates
ONE = 20.0  # from here on tanh is 1 to the last digit
CLEAR = 0.35  # from here on it is found by exp to the last digit, in half the time


def drag(of: Freedom, damping: float = 0.0) -> Pressed:
    """Return a damper on a coordinate; without damping the place of dry friction."""
    return Pressed(of=of, acting=Law(None, 0.0, damping, 0.0))


def drags(mechanism: Mechanism) -> list[Pressed]:
    """Return the viscous parts of the friction of all joints."""
    return [drag(rub.of, rub.viscous) for rub in rubbing(mechanism) if rub.viscous > 0.0]


def numbers(rub: Rubbing) -> tuple[float, ...]:
    """Return a record of RUB."""
    return (*rub[2:8], rub.sense, rub.rod)


@kernel
def smooth(y: float) -> float:
    """Return tanh(y)."""
    a = abs(y)
    if a < CLEAR:
        return math.tanh(y)
    e = math.exp(-2.0 * a) if a < ONE else 0.0
    return math.copysign((1.0 - e) / (1.0 + e), y)


@kernel
def grip(p: Records, rate: float) -> tuple[float, float]:
    """Return sigma at a rate, and its derivative by the rate."""
    v = p.arm * rate
    x = v * p.over_stribeck
    bump = p.more * math.exp(-x * x) if p.more > 0.0 else 0.0
    y = v * p.over_velocity
    s = smooth(y)
    mu = p.mu + bump
    slope = mu * (1.0 - s * s) * p.over_velocity - 2.0 * x * p.over_stribeck * bump * s
    return p.arm * mu * s, p.arm * p.arm * slope


@kernel
def directed(p: Records, rate: float) -> tuple[float, float]:
    """Return the same of a joint that slides with a known sense, whatever the rate says; else that."""
    if p.slip == 0.0:
        return grip(p, rate)
    x = p.arm * rate * p.over_stribeck
    bump = p.more * math.exp(-x * x) if p.more > 0.0 else 0.0
    return p.arm * (p.mu + bump) * p.slip, -2.0 * p.arm * p.arm * x * p.over_stribeck * bump * p.slip


@kernel
def mate(p: Records, e: int) -> int:
    """Return which place is the other pin of the rod whose pin is place e."""
    return e + 1 if p.rod > 0.0 else e - 1


@kernel
def leant(rod: float, sigma: float, slope: float, other: float, by_other: float) -> tuple[float, float, float]:
    """Return s of (3), and its derivatives by the rates of this pin and of the other, from what these have alone."""
    lean = (sigma + other) * abs(rod)
    c = 1.0 / math.sqrt(1.0 - lean * lean)
    turn = sigma * c * c * c * lean * abs(rod)
    return sigma * c, slope * c + turn * slope, turn * by_other


@kernel
def gripped(rub: Records, rate: Array, sigma: Array) -> None:
    """Fill sigma of all places, at their rates; s of pins of rods."""
    for j in range(len(rub)):
        sigma[j] = directed(rub[j], rate[j])[0]
        if rub[j].rod < 0.0:
            one, other = sigma[j - 1], sigma[j]
            sigma[j - 1], sigma[j] = (
                leant(rub[j].rod, one, 0.0, other, 0.0)[0],
                leant(rub[j].rod, other, 0.0, one, 0.0)[0],
            )


@kernel
def pressed(half: float, x: float, y: float) -> tuple[float, float, float]:
    """Return the norm P of a load, and its derivatives."""
    if half == DIFFERENCE:
        sign = math.copysign(1.0, x - y) if x != y else 0.0
        return abs(x - y), sign, -sign
    if half < 0.0:
        r = math.sqrt(x * x + y * y)
        return (r, x / r, y / r) if r > 0.0 else (0.0, 0.0, 0.0)
    if abs(x) >= half * abs(y):
        return abs(x), 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0, 0.0
    return half * abs(y), 0.0, half if y > 0.0 else -half


@kernel
def loaded(j: int, half: float, load: Array, efforts: Array) -> tuple[float, float, float]:
    """Return P(R_j) and its derivatives at the efforts."""
    x = y = 0.0
    for a in range(0, load.shape[1], EIGHT):
        f = eight(efforts, EFFORT, a)
        x += inner(eight(load, 2 * j, a), f)
        y += inner(eight(load, 2 * j + 1, a), f)
    return pressed(half, x, y)


@kernel
def widest(rub: Records, sigma: Array, load: Array) -> float:
    """Return a bound of the sums of rows of A."""
    n, most = len(rub), 0.0
    for j in range(n):
        x = y = 0.0
        for a in range(0, load.shape[1], EIGHT):
            x += size(first(n - a, eight(load, 2 * j, a)))
            y += size(first(n - a, eight(load, 2 * j + 1, a)))
        most = max(most, abs(sigma[j]) * (x + (1.0 if rub[j].half < 0.0 else rub[j].half) * y))
    return most


@kernel
def bounded(rub: Records, sigma: Array, load: Array, J: Array) -> float:
    """Return max (A^2 1)_j/(A 1)_j: the spectral radius of A is no larger, whatever the units of its places are."""
    n, most = len(rub), 0.0
    for nth in range(2):
        for j in range(n):
            total = 0.0
            for k in range(n):
                a = abs(sigma[j]) * pressed(rub[j].half, load[2 * j, k], load[2 * j + 1, k])[0]
                total += a if nth == 0 else a * J[k, n]
            J[j, n if nth == 0 else 0] = total
    for j in range(n):
        if J[j, n] > 0.0:
            most = max(most, J[j, 0] / J[j, n])
    return most


@kernel
def stepped(j: int, s: float, half: float, load: Array, f: Array, J: Array) -> float:
    """Fill row j of J (n, w) with (2) and, in column n, what turns into minus the next f_j; return P."""
    P, px, py = loaded(j, half, load, f)
    for a in range(0, J.shape[1], EIGHT):
        row = added(s * px, eight(load, 2 * j, a), scaled(s * py, eight(load, 2 * j + 1, a)))
        put(J, j, a, bumped(row, j - a, 1.0))
    return P


@kernel
def cleared(J: Array, n: int) -> None:
    """Turn column n of J (n, w) into the solution of J x = it, after Gauss and Jordan; no pivot of 1 - A is small."""
    for k in range(n):
        over = 1.0 / J[k, k]
        # the columns of the pivot come last: factors are among them
        for a in range(J.shape[1] - EIGHT, k - EIGHT, -EIGHT):
            row = scaled(over, eight(J, k, a))
            for i in range(n):
                put(J, i, a, row if i == k else added(-J[i, k], row, eight(J, i, a)))


@kernel
def taken(J: Array, n: int, efforts: Array) -> None:
    """Take efforts from column n of J, and f_n = 1."""
    for a in range(0, J.shape[1], EIGHT):
        f = only(n - a, 1.0)
        for j in range(a, min(n, a + EIGHT)):
            f = bumped(f, j - a, -J[j, n])
        put(efforts, EFFORT, a, f)


@kernel
def laid(half: float, x: float, y: float, h: Array) -> None:
    """Fill h (9,), vectors whose lengths add up to P of a load: jamming.py (1)."""
    h[:] = 0.0
    if half == DIFFERENCE:
        h[0] = x - y
    elif half < 0.0:
        h[0], h[1] = x, y
    else:
        h[0], h[3] = 0.5 * (x + half * y), 0.5 * (x - half * y)


@noinline
def spread(rub: Records, sigma: Array, load: Array, press: Array) -> None:
    """Fill press (n + 2, n, 9) of jamming.py with (1): f_j = -sigma_j P_j."""
    n = len(rub)
    for k in range(n):
        half = rub[k].half
        laid(half, load[2 * k, n], load[2 * k + 1, n], press[0, k])
        for j in range(n):
            laid(half, -sigma[j] * load[2 * k, j], -sigma[j] * load[2 * k + 1, j], press[1 + j, k])


@noinline
def followed(rub: Records, efforts: Array, load: Array, J: Array, press: Array) -> bool:
    """Fill the efforts of the solution that jamming.py takes; return whether there is one."""
    n = len(rub)
    spread(rub, efforts[SIGMA], load, press)
    there = least(press, efforts[EFFORT, :n], J) == 1.0
    for j in range(n):
        efforts[EFFORT, j] *= -efforts[SIGMA, j]
    return there


@noinline
def settled(rub: Records, efforts: Array, load: Array, exact: float, J: Array, press: Array) -> bool:
    """Solve (1) from the efforts on; return whether there is a solution. J (n, w) and press are work arrays.

    It is solved to `exact` of the largest effort.
    """
    n, f, sigma = len(rub), efforts[EFFORT], efforts[SIGMA]
    f[n] = 1.0
    before, a = math.inf, widest(rub, sigma, load)
    if not a < 1.0:
        a = bounded(rub, sigma, load, J)
        if not a < 1.0:
            return followed(rub, efforts, load, J, press)
        a = 1.0  # of which the sums say nothing
    curve = 0.5 * (a / (1.0 - a)) ** 2 if a < 1.0 else math.inf
    for _ in range(ROUNDS):
        most, off, weakest = 0.0, 0.0, math.inf
        for j in range(n):
            wanted = -sigma[j] * stepped(j, sigma[j], rub[j].half, load, efforts, J)
            weakest = min(weakest, abs(wanted) if rub[j].half == PIN else 0.0)
            most, off = max(most, abs(f[j])), max(off, abs(wanted - f[j]))
        if off <= exact * most or (off >= before and off <= 64.0 * exact * most):
            return True
        before = off
        cleared(J, n)
        taken(J, n, efforts)
        if off <= NEAR * most or curve * off * off <= exact * most * weakest:
            return True  # the next error is the square of this one, or smaller
    # (1) is piecewise smooth: where Newton's method goes round in circles, the contraction does not
    for _ in range(2000):
        off, most = 0.0, 0.0
        for j in range(n):
            new = -sigma[j] * loaded(j, rub[j].half, load, efforts)[0]
            off, most, f[j] = max(off, abs(new - f[j])), max(most, abs(new)), new
        if off <= 64.0 * EXACT * most:
            return True
    return True


@entry
def solve(rub: Records, efforts: Array, load: Array, J: Array, press: Array) -> bool:
    """Solve (1) at given rates, for Python; return whether there is a solution."""
    gripped(rub, efforts[RATE], efforts[SIGMA])
    return settled(rub, efforts, load, EXACT, J, press)


@entry
def spread_out(rub: Records, sigma: Array, load: Array, press: Array) -> None:
    """Fill press, for Python."""
    spread(rub, sigma, load, press)


def width(n: int) -> int:
    """Return w for n places."""
    return EIGHT * (n // EIGHT + 1)


class Rubbed(NamedTuple):
    """Friction of all places in a state."""

    f: Array  # (n,) efforts
    free: bool  # whether there is a solution
    press: Array  # (n + 2, n, 9) what jamming.py knows of it
    leans: Array  # (n,) tan(beta) of the rods of (3), else 0


def stated(rub: Records, efforts: Array, load: Array, free: bool) -> Rubbed:
    """Return friction with its loads in the form of jamming.py."""
    n, sigma = len(rub), efforts[SIGMA]
    press = np.zeros((n + 2, n, 9))
    spread_out(rub, sigma, load, press)
    leans = np.zeros(n)
    for j in np.flatnonzero(rub["rod"] > 0.0):  # sin(beta) = -S, and sigma holds s = sigma/cos(beta)
        leans[j : j + 2] = (sigma[j] + sigma[j + 1]) * rub["rod"][j]
    return Rubbed(efforts[EFFORT, :n].copy(), free, press, leans)


def jammed(mechanism: Mechanism, found: Rubbed, t: float) -> str | None:
    """Return what is wrong where friction jams, or is about to; None if it does not."""
    every = [one for one in rubbing(mechanism) if one.dry]
    losing = [name for name, joint in mechanism.joints.items() if getattr(joint, "efficiency", 1.0) < 1.0]
    return told(every, found.press, t, found.leans, losing)


def efforts(rub: Records, rate: Array, A: Array, b: Array, E: Array, P: Array) -> Rubbed:
    """Return the friction with A x = b + E f and loads R = P x.

    rub are the places, rate (n,), E (m, n), and P (2 n, m). Any solution serves where A is singular, for loads that
    are not determined are refused before.
    """
    n = len(rub)
    try:
        X = np.linalg.solve(A, np.column_stack([b, E]))
        known = bool(np.all(np.isfinite(X))) and float(np.abs(A @ X[:, 0] - b).max()) <= 1e-9 * float(
            np.abs(b).max() + 1e-300
        )
    except np.linalg.LinAlgError:
        known = False
    if not known:
        size = np.abs(A).max(axis=1, initial=0.0)
        size[size == 0.0] = 1.0
        X = np.linalg.lstsq(A / size[:, None], np.column_stack([b, E]) / size[:, None], rcond=1e-11)[0]
    load, made = np.zeros((2 * n, width(n))), np.zeros((3, width(n)))
    load[:, n], load[:, :n] = P @ X[:, 0], P @ X[:, 1:]
    made[RATE, :n] = rate
    free = solve(rub, made, load, np.zeros((n, width(n))), np.zeros((n + 2, n, 9)))
    return stated(rub, made, load, bool(free))
