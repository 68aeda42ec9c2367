"""Rows in the coordinates of the plane: body coordinates from shared ones, and all levels at one instant (terms.py)."""

from __future__ import annotations

from particlemech._jit import Records, entry
from particlemech.engine.particles.turns import turned_gradient, turned_rates, turned_rows
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.engine.terms import gradient, rates, spread


@entry
def levels(
    t: float, q: Array, v: Array, theta: Array, coord: Records, entry: Records, term: Records, turn: Records,
    arm: Records, spot: Records, segment: Records, signal: Records, cell: Records, sig: Array, z: Array, phi: Array,
    phi_t: Array, gamma: Array, phi_q: Array,
) -> None:  # fmt: skip
    """Fill phi, phi_t, gamma (n_row,) and phi_q (n_row, n_q) at one instant, for start and samples.

    theta (n_body,) are angles that count turns; they may be left out, (0,), where no row counts any.
    """
    signals(t, segment, signal, sig)
    spread(coord, entry, q, True, z[0])
    spread(coord, entry, v, False, z[1])
    g = z[3, : len(cell)]
    h = z[4, : len(cell)]
    rates(term, sig, z[0], z[1], h, gamma)
    gradient(term, sig, z[0], phi, phi_t, g)
    if len(turn):
        turned_rows(turn, arm, segment, theta, z[0], phi)
        turned_gradient(turn, arm, spot, segment, z[0], g)
        turned_rates(turn, arm, spot, segment, z[0], z[1], h, gamma)
    phi_q[:, :] = 0.0
    for e in range(len(cell)):
        c = coord[cell[e].z]
        for k in range(c.first, c.last):
            phi_q[cell[e].row, entry[k].q] += entry[k].c * g[e]
