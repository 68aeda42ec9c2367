"""The law of friction in joints, and the efforts that go with reactions that are total: for every engine of the plane.

With sigma = h mu(v) tanh(v/v_s) at the present rates, model/friction.py (1) without its viscous part, the efforts f
of all places obey

    f_j + sigma_j P(R_j) = 0,    R_j = R0_j + sum_k B_jk f_k                                          (1)

R is linear in f, P is a norm: |(x, y)| of a pin, max(|x|, (2/length) |y|) of a slide, |x - y| of a pulley, which takes
the difference of the tensions on either side. Newton's method solves (1) with its generalised Jacobian

    J_jk = delta_jk + sigma_j P'(R_j).B_jk                                                            (2)

With A_jk = |sigma_j| P(B_jk) the right side of (1) is a contraction if all rows of A add up to less than 1: then there
is one solution. Where A_jj >= 1 friction grows as fast as what pushes: as a function of f_j, (1) is convex and rises
both ways, so it has none or two solutions, and the joint jams. So it does where Newton's method finds nothing or ends
at det J <= 0. Of a contraction with largest sum a, an error e leaves no more than 1/2 (a/(1 - a))^2 e^2/|f_j| at a pin
after one step, because P'' <= 1/P: at a = 0.05 two steps reach the last digit from 1 %.

A massless rod of length l has two pins. Its balance asks for a force across it, (f_1 + f_2)/l, beside that along it,
which is the multiplier lam of its row. Both pins bear P^2 = lam^2 + (f_1 + f_2)^2/l^2, so that with f_j = -sigma_j P

    f_j + s_j |lam| = 0,    s_j = sigma_j/sqrt(1 - S^2),    S = (sigma_1 + sigma_2)/l                     (3)

Force and rod meet at the angle beta, sin(beta) = -S: the line of action touches the friction circles of both pins. (3)
takes the place of sigma in (1), and two places share one multiplier. Not used: the force across as a second component
of R, which is neither a multiplier nor linear in what IDA knows.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech._jit import Records, entry, kernel, noinline
from particlemech.engine.system import Array
from particlemech.model.forces import Law
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism
from particlemech.model.rubbing import DIFFERENCE, PIN, Rubbing, rubbing
from particlemech.model.stops import Pressed

RUB = [(name, "f8") for name in ("arm", "mu", "more", "over_stribeck", "over_velocity", "half", "slip", "rod")]
ROUNDS = 40  # of Newton's method on (1)
EXACT = 1e-15  # of the largest effort: (1) holds
NEAR = 1e-8  # of the largest effort: from here one step of Newton's method is the last
ONE = 20.0  # from here on tanh is 1 to the last digit
FREE = -1  # no joint jams
OTHERS = "so do others with it"
CLOSE = 0.95  # A_jj from which a run that ends is said to have jammed


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
def grip(p: Records, rate: float) -> tuple[float, float]:
    """Return sigma at a rate, and its derivative by the rate."""
    v = p.arm * rate
    x = v * p.over_stribeck
    bump = p.more * math.exp(-x * x) if p.more > 0.0 else 0.0
    y = v * p.over_velocity
    s = math.tanh(y) if abs(y) < ONE else math.copysign(1.0, y)
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
    for j in range(len(sigma)):
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
def load(j: int, n: int, half: float, R: Array, B: Array, f: Array) -> tuple[float, float, float]:
    """Return P(R_j) and its derivatives at efforts f; R (2 n,), B (n, 2 n) by rows of f."""
    x, y = R[2 * j], R[2 * j + 1]
    for k in range(n):
        x += f[k] * B[k, 2 * j]
        y += f[k] * B[k, 2 * j + 1]
    return pressed(half, x, y)


@kernel
def tightest(rub: Records, sigma: Array, B: Array) -> tuple[float, int, float]:
    """Return the largest sum of a row of A, the joint whose A_jj is largest, and that; at first by larger sums."""
    widest, worst, own = 0.0, 0, 0.0
    for j in range(len(sigma)):
        total, half = 0.0, 1.0 if rub[j].half < 0.0 else rub[j].half
        for k in range(len(sigma)):
            total += abs(B[k, 2 * j]) + half * abs(B[k, 2 * j + 1])
        widest = max(widest, abs(sigma[j]) * total)
    if widest < 1.0:
        return widest, worst, own
    widest = 0.0
    for j in range(len(sigma)):
        total = 0.0
        for k in range(len(sigma)):
            a = abs(sigma[j]) * pressed(rub[j].half, B[k, 2 * j], B[k, 2 * j + 1])[0]
            total += a
            if k == j and a > own:
                worst, own = j, a
        widest = max(widest, total)
    return widest, worst, own


@kernel
def reduced(J: Array, n: int, sure: bool) -> float:
    """Turn column n of J (n, n + 1) into the solution of J x = it; return det J. It is `sure` of its diagonal."""
    det = 1.0
    for k in range(n):
        best = k
        for i in range(n if sure else k + 1, n):
            if abs(J[i, k]) > abs(J[best, k]):
                best = i
        if best != k:
            det = -det
            for c in range(k, n + 1):
                J[k, c], J[best, c] = J[best, c], J[k, c]
        det *= J[k, k]
        if J[k, k] == 0.0:
            return 0.0
        over = 1.0 / J[k, k]
        for i in range(k + 1, n):
            factor = J[i, k] * over
            for c in range(k + 1, n + 1):
                J[i, c] -= factor * J[k, c]
        J[k, k] = over
    for k in range(n - 1, -1, -1):
        x = J[k, n]
        for i in range(k + 1, n):
            x -= J[k, i] * J[i, n]
        J[k, n] = x * J[k, k]
    return det


@kernel
def eliminated(J: Array, n: int) -> float:
    """Do the same where the diagonal may be small."""
    return reduced(J, n, False)


@noinline
def settled(rub: Records, sigma: Array, R: Array, B: Array, f: Array, J: Array) -> int:
    """Solve (1) from the efforts f on; return FREE, or the joint that jams. Work array J (n, n + 1)."""
    n = len(sigma)
    widest, worst, own = tightest(rub, sigma, B)
    if not own < 1.0:
        return worst
    det, before = 1.0, math.inf
    curve = 0.5 * (widest / (1.0 - widest)) ** 2 if widest < 1.0 else math.inf
    for _ in range(ROUNDS):
        size, off, least = 0.0, 0.0, math.inf
        for j in range(n):
            P, px, py = load(j, n, rub[j].half, R, B, f)
            J[j, n] = -f[j] - sigma[j] * P
            for k in range(n):
                J[j, k] = sigma[j] * (px * B[k, 2 * j] + py * B[k, 2 * j + 1])
            J[j, j] += 1.0
            least = min(least, abs(sigma[j]) * P if rub[j].half == PIN else 0.0)
            size, off = max(size, abs(f[j])), max(off, abs(J[j, n]))
        if off <= EXACT * size or (off >= before and off <= 64.0 * EXACT * size):
            return FREE if widest < 1.0 or eliminated(J, n) > 0.0 else worst
        before = off
        det = reduced(J, n, widest < 1.0)
        if not abs(det) > 0.0:
            break
        for j in range(n):
            f[j] += J[j, n]
        if widest < 1.0 and (off <= NEAR * size or curve * off * off <= EXACT * size * least):
            return FREE  # the next error is the square of this one, or smaller
    # (1) is piecewise smooth: where Newton's method goes round in circles, the contraction does not
    for _ in range(2000 if widest < 1.0 else 0):
        off, size = 0.0, 0.0
        for j in range(n):
            new = -sigma[j] * load(j, n, rub[j].half, R, B, f)[0]
            off, size, f[j] = max(off, abs(new - f[j])), max(size, abs(new)), new
        if off <= 64.0 * EXACT * size:
            return FREE
    return FREE if widest < 1.0 else worst


@entry
def solve(rub: Records, rate: Array, R: Array, B: Array, f: Array, sigma: Array, J: Array) -> int:
    """Solve (1) at given rates (n,), for Python; return FREE, or the joint that jams."""
    gripped(rub, rate, sigma)
    return settled(rub, sigma, R, B, f, J)


def jammed(mechanism: Mechanism, joint: int, t: float, shares: Array) -> str:
    """Return what is wrong where a place of dry friction jams; `shares` are all A_jj there."""
    rub, share = [one for one in rubbing(mechanism) if one.dry][joint], float(shares[joint])
    if getattr(mechanism.joints[rub.joint], "efficiency", 1.0) < 1.0:
        alone = f"in this pose it jams from efficiency = {(share - rub.mu) / (share + rub.mu):.7g} down"
        return (
            f'joint "{rub.joint}" jams at t = {t:.6g} s: its losses grow as fast as what pushes; '
            f"{alone if share >= CLOSE else OTHERS}. Take a larger efficiency, or let less power circulate"
        )
    limit = f"in this pose it jams from mu = {rub.mu / share:.7g} on" if share >= CLOSE else OTHERS
    return (
        f'joint "{rub.joint}" jams at t = {t:.6g} s: its friction, mu = {rub.mu:.7g}, grows as fast as what pushes; '
        f"{limit}. Take a smaller mu, a longer guide or a smaller pin, or push closer to its line"
    )


def efforts(rub: Records, rate: Array, A: Array, b: Array, E: Array, P: Array) -> tuple[Array, int, Array]:
    """Return the efforts f of dry friction (n,) with A x = b + E f and loads R = P x, what jams and all A_jj.

    rub are the places, rate (n,), E (m, n), and P (2 n, m). Any solution serves where A is singular, for loads that
    are not determined are refused before.
    """
    n = len(rub)
    f, sigma = np.zeros(n), np.zeros(n)
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
    R, B = np.ascontiguousarray(P @ X[:, 0]), np.ascontiguousarray((P @ X[:, 1:]).T)
    jams = solve(rub, np.ascontiguousarray(rate), R, B, f, sigma, np.zeros((n, n + 1)))
    return f, jams, shares(rub, sigma, B)


def shares(rub: Records, sigma: Array, B: Array) -> Array:
    """Return A_jj, (n,): how close each place comes to jam."""
    x, y = B[np.arange(len(rub)), 2 * np.arange(len(rub))], B[np.arange(len(rub)), 2 * np.arange(len(rub)) + 1]
    kinds = [rub["half"] == PIN, rub["half"] == DIFFERENCE]
    slide = np.maximum(np.abs(x), rub["half"] * np.abs(y))
    return np.asarray(np.abs(sigma) * np.select(kinds, [np.hypot(x, y), np.abs(x - y)], slide))
