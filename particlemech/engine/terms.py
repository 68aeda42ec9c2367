"""Kernels for polynomial rows: all joints of all formulations, all levels, all derivatives.

A row is a sum of terms  c s(t) Z_i Z_j  (index -1: factor 1; signal 0: constant). With V = Zdot:

    phi      = sum c s Z_i Z_j                                                            (1)
    phi_t    = sum c s' Z_i Z_j                                                           (2)
    g_k      = d phi/d Z_k      = sum c s Z_other                                         (3)
    h_k      = d phi_dot/d Z_k  = sum c (s V_other + s' Z_other)                          (4)
    gamma    = sum c (2 s V_i V_j + 2 s' (V_i Z_j + Z_i V_j) + s'' Z_i Z_j)               (5)

A *cell* is one (row, coordinate) pair: g and h are stored per cell. Z may be linear in fewer coordinates q,

    Z_k = start_k + sum_e c_e q_e                                                         (6)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import Records, kernel, readonly, table
from particlemech.engine.polynomials import Poly

Array = NDArray[np.float64]

TERM = [("row", "i4"), ("i", "i4"), ("j", "i4"), ("s", "i4"), ("cell_i", "i4"), ("cell_j", "i4"), ("c", "f8")]
CELL = [("row", "i4"), ("z", "i4")]
COORD = [("first", "i4"), ("last", "i4"), ("start", "f8")]  # (6), a row of it: entries[first:last]
ENTRY = [("q", "i4"), ("c", "f8")]


def tabulated(polys: list[Poly], along: Mapping[int, Sequence[int]] | None = None) -> tuple[Records, Records]:
    """Return the tables TERM and CELL of rows; the cells of some rows run along given coordinates."""
    terms: list[tuple[float, ...]] = []
    cells: list[tuple[int, int]] = []
    for r, poly in enumerate(polys):
        given = along.get(r, ()) if along else ()
        cell = {z: len(cells) + k for k, z in enumerate(given)}
        cells += [(r, z) for z in given]
        for (i, j, s), c in poly.terms.items():
            if c == 0.0:
                continue
            for z in (i, j):
                if z >= 0 and z not in cell:
                    cell[z] = len(cells)
                    cells.append((r, z))
            terms.append((r, i, j, s, cell.get(i, -1), cell.get(j, -1), c))
    return table(terms, TERM), table(cells, CELL)


def shifted(term: Records, by: Mapping[int, float]) -> Records:
    """Return TERM with other constants in some rows that have one: row -> what is added to it."""
    found = term.copy()
    for row, more in by.items():
        (at,) = np.flatnonzero((term["row"] == row) & (term["i"] < 0) & (term["j"] < 0) & (term["s"] == 0))
        found["c"][at] += more
    return readonly(found)


@kernel
def gradient(term: Records, sig: Array, z: Array, phi: Array, phi_t: Array, g: Array) -> None:
    """Fill phi, phi_t (n_row,) and g (n_cell,): (1), (2), (3)."""
    phi[:] = 0.0
    phi_t[:] = 0.0
    g[:] = 0.0
    for e in range(len(term)):
        p = term[e]
        zi = z[p.i] if p.i >= 0 else 1.0
        zj = z[p.j] if p.j >= 0 else 1.0
        cs = p.c * sig[p.s, 0]
        phi[p.row] += cs * zi * zj
        phi_t[p.row] += p.c * sig[p.s, 1] * zi * zj
        if p.i >= 0:
            g[p.cell_i] += cs * zj
        if p.j >= 0:
            g[p.cell_j] += cs * zi


@kernel
def rates(term: Records, sig: Array, z: Array, vz: Array, h: Array, gamma: Array) -> None:
    """Fill h (n_cell,), unless it is (0,), and gamma (n_row,): (4), (5)."""
    h[:] = 0.0
    gamma[:] = 0.0
    for e in range(len(term)):
        p = term[e]
        zi, vi = (z[p.i], vz[p.i]) if p.i >= 0 else (1.0, 0.0)
        zj, vj = (z[p.j], vz[p.j]) if p.j >= 0 else (1.0, 0.0)
        s, s_dot, s_ddot = sig[p.s, 0], sig[p.s, 1], sig[p.s, 2]
        gamma[p.row] += p.c * (2.0 * s * vi * vj + 2.0 * s_dot * (vi * zj + zi * vj) + s_ddot * zi * zj)
        if not len(h):
            continue
        if p.i >= 0:
            h[p.cell_i] += p.c * (s * vj + s_dot * zj)
        if p.j >= 0:
            h[p.cell_j] += p.c * (s * vi + s_dot * zi)


@kernel
def spread(coord: Records, entry: Records, q: Array, fixed: bool, z: Array) -> None:
    """Fill the body coordinates z by (6); for rates without the start."""
    for k in range(len(coord)):
        c = coord[k]
        s = c.start if fixed else 0.0
        for e in range(c.first, c.last):
            s += entry[e].c * q[entry[e].q]
        z[k] = s
