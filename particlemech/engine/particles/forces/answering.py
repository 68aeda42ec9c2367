"""What motors and controllers exert in one state, by the kernel of explicit steps: for IDA and for samples.

In Python the same takes fifteen times as long, 0.4 ms: there all bodies are seen before one coordinate is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._jit import Records, entry, readonly
from particlemech.engine.particles.forces.governed import exerted, offsets
from particlemech.engine.signal_tables import signals
from particlemech.engine.system import Array
from particlemech.engine.terms import spread


@entry
def answered(
    t: float, q: Array, v: Array, x: Array, coord: Records, entry: Records, segment: Records, signal: Records,
    gauge: Records, element: Records, numbers: Array, offset: Array, n_body: int, sig: Array, z: Array, held: Array,
    rates: Array, w: Array,
) -> float:  # fmt: skip
    """Subtract what elements exert from w, fill the rates of their states, and return their power."""
    signals(t, segment, signal, sig)
    spread(coord, entry, q, True, z[0])
    spread(coord, entry, v, False, z[1])
    for k in range(len(x)):
        held[0, k] = x[k]
    theta, own = held[0], held[0, n_body:]
    return exerted(gauge, element, numbers, offset, sig, theta, z[0], z[1], own, rates, w)


class Answers:
    """The elements of a system of particles whose laws kernels know."""

    def __init__(self, system: Any) -> None:
        c = system.compiled
        offset = np.array(offsets(system.elements, system.home), dtype=float)
        self.tables = c.coord, c.entry, c.segment, c.signal, *c.governed, offset, len(c.body)
        self.sig, self.z = np.zeros((len(c.signal), 3)), np.zeros((2, len(c.coord)))
        self.sig[0, 0] = 1.0  # the constant
        self.held = np.zeros((1, len(c.body) + system.elements.n + 1))

    def apply(self, t: float, q: Array, v: Array, x: Array, rates: Array, extra: Array) -> None:
        """Fill extra (n_body + 1, 3), wrenches and, last, their power; and the rates of states, (n_z,)."""
        coord, entry, segment, signal, gauge, element, numbers, offset, n_body = self.tables
        power = answered(
            t, readonly(q), readonly(v), readonly(x), coord, entry, segment, signal, gauge, element, numbers, offset,
            n_body, self.sig, self.z, self.held, rates, extra,
        )  # fmt: skip
        np.negative(extra, out=extra)
        extra[-1, 0] = power
