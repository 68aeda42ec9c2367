"""Rows that count angles: what a coupling adds to the polynomial rows of terms.py.

With d = Z2 - Z1 of a body, n = d.d, K d = (-d_y, d_x), a row may hold c times the angle of the body, unwrapped by the
state theta that counts its turns; its derivatives are exact, |d| constant or not:

    phi      += c angle(d)                                                                (1)
    g        += c K d/n                         by d; that by Z2, and minus that by Z1    (2)
    h        += c (-K d' - 2 omega d)/n         omega = (d x d')/n                        (3)
    gamma    -= 2 c omega (d.d')/n                                                        (4)
    g_d       = c | 2 dx dy       dy^2 - dx^2 | /n^2                                      (5)
                  | dy^2 - dx^2   -2 dx dy    |

A *spot* is where coordinate k = 0..3 of the body goes: to a cell, times a factor by the chain rule Z = start + T q.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from particlemech._jit import Records, kernel, noinline, table
from particlemech.engine.particles.forces.geometry import turn, turn_z
from particlemech.engine.system import Array

TURN = [("row", "i4"), ("body", "i4"), ("first", "i4"), ("last", "i4"), ("c", "f8"), ("angle", "f8")]
SPOT = [("k", "i4"), ("cell", "i4"), ("c", "f8")]

Turn = tuple[int, int, float]  # row, body, factor of its angle
Goal = Callable[[int, int], Iterable[tuple[int, float]]]  # (row, coordinate) -> cells and factors


def tabulated(turns: Sequence[Turn], angles: Sequence[float], goal: Goal) -> tuple[Records, Records]:
    """Return the tables TURN and SPOT; `angles` are the directions of the particles of all bodies as drawn, rad."""
    records: list[tuple[float, ...]] = []
    spots: list[tuple[float, ...]] = []
    for row, body, c in turns:
        own = [(k, cell, factor) for k in range(4) for cell, factor in goal(row, 4 * body + k)]
        records.append((row, body, len(spots), len(spots) + len(own), c, angles[body]))
        spots += own
    return table(records, TURN), table(spots, SPOT)


@noinline
def turned_rows(turns: Records, theta: Array, z: Array, phi: Array) -> None:
    """Add (1) to phi (n_row,); theta (n_body,) are angles that count the turns."""
    for e in range(len(turns)):
        p = turns[e]
        phi[p.row] += p.c * turn(z, p.body, p.angle, theta[p.body])


@noinline
def turned_gradient(turns: Records, spot: Records, z: Array, g: Array) -> None:
    """Add (2) to g (n_cell,)."""
    for e in range(len(turns)):
        p = turns[e]
        for i in range(p.first, p.last):
            g[spot[i].cell] += p.c * spot[i].c * turn_z(z, p.body, spot[i].k)


@noinline
def turned_rates(turns: Records, spot: Records, z: Array, vz: Array, h: Array, gamma: Array) -> None:
    """Add (3) to h (n_cell,) and (4) to gamma (n_row,)."""
    for e in range(len(turns)):
        p = turns[e]
        k = 4 * p.body
        dx, dy, ux, uy = z[k + 2] - z[k], z[k + 3] - z[k + 1], vz[k + 2] - vz[k], vz[k + 3] - vz[k + 1]
        n = dx * dx + dy * dy
        omega = (dx * uy - dy * ux) / n
        gamma[p.row] -= 2.0 * p.c * omega * (dx * ux + dy * uy) / n
        hx, hy = p.c * (uy - 2.0 * omega * dx) / n, p.c * (-ux - 2.0 * omega * dy) / n
        for i in range(p.first, p.last):
            j = spot[i].k
            own = hx if j % 2 == 0 else hy
            h[spot[i].cell] += spot[i].c * (own if j > 1 else -own)


@kernel
def bent(z: Array, body: int, i: int, j: int) -> float:
    """Return the second derivative (5) of the angle of a body by its coordinates i and j, 0..3."""
    k = 4 * body
    dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
    n = dx * dx + dy * dy
    if i % 2 != j % 2:
        value = (dy * dy - dx * dx) / (n * n)
    else:
        value = (2.0 if i % 2 == 0 else -2.0) * dx * dy / (n * n)
    return value if (i > 1) == (j > 1) else -value
