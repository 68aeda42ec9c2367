"""Between the systems of particles: the same states in other coordinates, by the places of all bodies."""

from __future__ import annotations

import numpy as np

from particlemech.planar.instant import ParticleInstant
from particlemech.system import Array


def carried(source: ParticleInstant, target: ParticleInstant, y: Array) -> Array:
    """Return states (K, n) of one system as states of another of the same mechanism, (K, n); multipliers are left 0."""
    ours, theirs = source.compiled, target.compiled
    lay, there = source.layout, target.layout
    result = np.zeros((len(y), target.n))
    for at, to, fixed in ((lay.q, there.q, True), (lay.v, there.v, False)):
        z1, d = source.observed.bodies(y[:, at], fixed)
        for b, name in enumerate(theirs.order):
            c = ours.index[name]
            for k, place in enumerate(theirs.frames[b].drawn):
                own = ours.frames[c].at(place)
                z = z1[:, c] + own.a * d[:, c] + own.b * np.stack([-d[:, c, 1], d[:, c, 0]], axis=1)
                for axis in (0, 1):
                    coord = theirs.coord[4 * b + 2 * k + axis]
                    entry = theirs.entry[int(coord["first"]) : int(coord["last"])]
                    if len(entry) == 1 and entry[0]["c"] == 1.0:
                        result[:, to.start + int(entry[0]["q"])] = z[:, axis]
    x = y[:, lay.x]
    result[:, there.x] = np.concatenate([x[:, [ours.index[name] for name in theirs.order]], x[:, -1:]], axis=1)
    return result
