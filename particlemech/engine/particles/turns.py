"""Rows that hold angles and strands: what couplings, gears and belts add to the polynomial rows of terms.py.

A *swing* is a function f of a vector d that is linear in body coordinates, with K d = (-d_y, d_x), n = d.d:

    angle    f = angle(d)          f_d = K d/n       f_dd = | 2 dx dy       dy^2 - dx^2 | /n^2            (1)
                                                            | dy^2 - dx^2   -2 dx dy    |
    strand   f = L - rho phi       f_d = e           f_dd = (K e) (K e)^T/L                               (2)

d = Z2 - Z1 gives the angle of a body, d between the centres of two wheels that of their line. A strand is tangent to
two circles whose centres are d apart; rho is the difference of their radii, each counted positive where the strand goes
round counter-clockwise. Its length, direction and angle are L^2 = n - rho^2, e = (L d - rho K d)/n and phi.

Angles count from the drawing and are unwrapped by a *counter*, a weighted sum of the angles theta of bodies, from which
they differ by less than half a turn; where a row itself says how far its strand has turned, the lengthening of the
strand counts too, near = w.theta + (L - L0)/rho. A row holds c f, and with g = f_d, H = f_dd

    phi += c f,   phi_d += c g,   phi_dot_d += c H d',   gamma += c d'.H d'                               (3)

An *arm* says what a body coordinate adds to d, a *spot* in which cell (3) goes, by the chain rule Z = start + T q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from particlemech._jit import Records, entry, kernel, noinline, table
from particlemech.engine.particles.frames import Swing
from particlemech.engine.system import Array

TURN = [(name, "i4") for name in ("row", "strand", "first", "last", "arm", "arms", "bend", "b1", "b2")]
TURN += [(name, "f8") for name in ("c", "rho", "x", "y", "angle", "w1", "w2", "reel", "far")]
ARM = [("z", "i4"), ("x", "f8"), ("y", "f8")]
SPOT = [("cell", "i4"), ("x", "f8"), ("y", "f8")]

Turn = tuple[int, Swing]  # of a row
Goal = Callable[[int, int], Iterable[tuple[int, float]]]  # (row, coordinate) -> cells and factors
Tables = tuple[Records, Records, Records]


def tabulated(turns: Sequence[Turn], goal: Goal) -> Tables:
    """Return the tables TURN, ARM and SPOT."""
    records: list[tuple[Any, ...]] = []
    arms: list[tuple[Any, ...]] = []
    spots: list[tuple[Any, ...]] = []
    bends = 0
    for row, swing in turns:
        own, (x, y) = swing.arms()
        put = [(cell, ax * factor, ay * factor) for z, ax, ay in own for cell, factor in goal(row, z)]
        (b1, w1), (b2, w2) = (*swing.counter, (-1, 0.0), (-1, 0.0))[:2]
        places = len(spots), len(spots) + len(put), len(arms), len(arms) + len(own), bends
        counted = swing.angle, w1, w2, swing.reel, swing.length if swing.strand else 0.0
        records.append((row, int(swing.strand), *places, b1, b2, swing.c, swing.rho, x, y, *counted))
        arms += own
        spots += put
        bends += len(own) ** 2
    return table(records, TURN), table(arms, ARM), table(spots, SPOT)


def slope(swing: Swing) -> tuple[Any, Any]:
    """Return c f_d as drawn."""
    dx, dy = swing.drawn
    n = dx * dx + dy * dy
    if not swing.strand:
        return swing.c * (-dy) / n, swing.c * dx / n
    L = swing.length
    return swing.c * (L * dx + swing.rho * dy) / n, swing.c * (L * dy - swing.rho * dx) / n


@kernel
def reach(p: Any, arm: Records, z: Array, fixed: bool) -> tuple[float, float]:
    """Return d, or its rate."""
    dx, dy = (p.x, p.y) if fixed else (0.0, 0.0)
    for i in range(p.arm, p.arms):
        dx += arm[i].x * z[arm[i].z]
        dy += arm[i].y * z[arm[i].z]
    return dx, dy


@kernel
def span(p: Any, dx: float, dy: float) -> float:
    """Return the length L of a strand."""
    return math.sqrt(max(dx * dx + dy * dy - p.rho * p.rho, 1e-24 * (dx * dx + dy * dy)))


@kernel
def lean(p: Any, dx: float, dy: float) -> tuple[float, float]:
    """Return f_d: (1), (2)."""
    n = dx * dx + dy * dy
    if p.strand:
        L = span(p, dx, dy)
        return (L * dx + p.rho * dy) / n, (L * dy - p.rho * dx) / n
    return -dy / n, dx / n


@kernel
def bend(p: Any, dx: float, dy: float) -> tuple[float, float, float]:
    """Return f_dd, its entries xx, xy, yy: (1), (2)."""
    n = dx * dx + dy * dy
    if p.strand:
        ex, ey = lean(p, dx, dy)
        L = span(p, dx, dy)
        return ey * ey / L, -ex * ey / L, ex * ex / L
    return 2.0 * dx * dy / (n * n), (dy * dy - dx * dx) / (n * n), -2.0 * dx * dy / (n * n)


@kernel
def swung(p: Any, dx: float, dy: float, theta: Array) -> float:
    """Return f; angles are those nearest to their counter."""
    near = p.w1 * theta[p.b1] if p.b1 >= 0 else 0.0
    if p.b2 >= 0:
        near += p.w2 * theta[p.b2]
    if p.reel != 0.0:
        near += p.reel * (span(p, dx, dy) - p.far)
    angle = math.atan2(dy, dx)
    if p.strand:
        angle -= math.atan2(p.rho, span(p, dx, dy))
    off = angle - p.angle - near
    angle = near + math.atan2(math.sin(off), math.cos(off))
    return span(p, dx, dy) - p.rho * angle if p.strand else angle


@noinline
def turned_rows(turns: Records, arm: Records, theta: Array, z: Array, phi: Array) -> None:
    """Add c f to phi (n_row,); theta (n_body,) are angles that count the turns."""
    for e in range(len(turns)):
        p = turns[e]
        dx, dy = reach(p, arm, z, True)
        phi[p.row] += p.c * swung(p, dx, dy, theta)


@noinline
def turned_gradient(turns: Records, arm: Records, spot: Records, z: Array, g: Array) -> None:
    """Add c f_d to g (n_cell,)."""
    for e in range(len(turns)):
        p = turns[e]
        dx, dy = reach(p, arm, z, True)
        fx, fy = lean(p, dx, dy)
        for i in range(p.first, p.last):
            g[spot[i].cell] += p.c * (spot[i].x * fx + spot[i].y * fy)


@noinline
def turned_rates(turns: Records, arm: Records, spot: Records, z: Array, vz: Array, h: Array, gamma: Array) -> None:
    """Add c H d' to h (n_cell,) and c d'.H d' to gamma (n_row,)."""
    for e in range(len(turns)):
        p = turns[e]
        dx, dy = reach(p, arm, z, True)
        ux, uy = reach(p, arm, vz, False)
        xx, xy, yy = bend(p, dx, dy)
        hx, hy = p.c * (xx * ux + xy * uy), p.c * (xy * ux + yy * uy)
        gamma[p.row] += hx * ux + hy * uy
        for i in range(p.first, p.last):
            h[spot[i].cell] += spot[i].x * hx + spot[i].y * hy


@entry
def turned_samples(turns: Records, arm: Records, theta: Array, z: Array, vz: Array, phi: Array, rate: Array) -> None:
    """Add c f and its rate to phi and rate (K, n_row) at K samples; theta (K, n_body), z and vz (K, n)."""
    for k in range(len(theta)):
        turned_rows(turns, arm, theta[k], z[k], phi[k])
        for e in range(len(turns)):
            p = turns[e]
            dx, dy = reach(p, arm, z[k], True)
            ux, uy = reach(p, arm, vz[k], False)
            fx, fy = lean(p, dx, dy)
            rate[k, p.row] += p.c * (fx * ux + fy * uy)
