"""Along: what is measured at every step of a run, whatever samples were asked for; (1) at samples, too.

    position    max |phi|                       as a length                                (1)
    velocity    max |phi_q v + phi_t|           as a length per time                       (2)
    energy      |E - E at the beginning - W|    W: work of drivers, loads and dampers      (3)

Steps come in blocks, because energies of many states cost little more than that of one.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech.engine.system import Array, Instant
from particlemech.run.start import weights
from particlemech.run.trajectory import Certificate


class Along:
    """The worst of (1) to (3) so far; `begin` comes first."""

    def __init__(self, system: Instant) -> None:
        self.system, self.rows = system, weights(system)
        self.begun = False
        self.first, self.worst = 0.0, np.zeros(3)  # energy less work at the beginning; (1), (2), (3)
        self.at = np.full(3, math.nan)  # when they were
        self.kinetic, self.low, self.high = 0.0, math.inf, -math.inf
        self.steep = 0.0, 0.0  # largest slope of what bends, and when

    def begin(self, t: float, y: Array) -> None:
        """Take the state where a run begins."""
        kinetic, potential, work = self._energies(np.array([t]), y[None])
        self.first, self.begun = float(kinetic[0] + potential[0] - work[0]), True
        self.block(np.array([t]), y[None])

    def _energies(self, t: Array, y: Array) -> tuple[Array, Array, Array]:
        return *self.system.energies(t, y), y[:, self.system.layout.x.stop - 1]

    def gaps(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return (1) and (2) at K states y (K, n), (K,) each."""
        lay, position, velocity = self.system.layout, *np.zeros((2, len(t)))
        compiled = getattr(self.system, "closure_of", None)
        if compiled is not None and self.system.n_row:
            parts = (np.ascontiguousarray(y[:, part]) for part in (lay.q, lay.v, lay.x))
            position, velocity = compiled(t, *parts)
        elif self.system.n_row:
            for k in range(len(t)):
                v = y[k, lay.v]
                at = self.system.levels(float(t[k]), y[k, lay.q], v)
                position[k] = np.abs(self.rows * at.phi).max()
                velocity[k] = np.abs(self.rows * (at.phi_q @ v + at.phi_t)).max()
        return position, velocity

    def block(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Take K steps, times (K,) and states (K, n); return (1) and (2)."""
        position, velocity = self.gaps(t, y)
        kinetic, potential, work = self._energies(t, y)
        error = np.abs(kinetic + potential - work - self.first)
        for k, found in enumerate((position, velocity, error)):
            here = int(np.argmax(found))
            if not found[here] <= self.worst[k]:
                self.worst[k], self.at[k] = found[here], t[here]
        slopes = getattr(self.system, "slopes_of", None)
        if slopes is not None:
            found = slopes(y)
            here = int(np.argmax(found))
            self.steep = max(self.steep, (float(found[here]), float(t[here])))
        self.kinetic = max(self.kinetic, float(kinetic.max()))
        self.low, self.high = min(self.low, float(potential.min())), max(self.high, float(potential.max()))
        return position, velocity

    def between(self, t: Array, y: Array) -> None:
        """Take (1) of samples (K, n) between steps: what changes nothing before and after may lie within a step.

        Not (2) and (3), which jump where a sample is at a blow or a corner of a signal.
        """
        position, _ = self.gaps(t, y)
        here = int(np.argmax(position))
        if not position[here] <= self.worst[0]:
            self.worst[0], self.at[0] = position[here], t[here]

    def certificate(self) -> Certificate | None:
        """Return what was measured."""
        if not self.begun:
            return None
        position, velocity, energy = map(float, self.worst)
        when = [float(at) for at in self.at]
        return Certificate(
            position, velocity, energy, self.kinetic, self.low, self.high, when[0], when[1], when[2], *self.steep
        )
