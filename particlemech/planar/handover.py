"""From the explicit road to that of IDA: the same states in the coordinates of the cut mechanism."""

from __future__ import annotations

import numpy as np

from particlemech.planar.equations import ParticleSystem
from particlemech.planar.explicit import SharedSystem
from particlemech.system import Array


def carried(shared: SharedSystem, other: ParticleSystem, y: Array) -> Array:
    """Return states (K, n) in the coordinates of the particle system that IDA integrates, (K, n)."""
    ours, theirs = shared.compiled, other.compiled
    lay, there = shared.layout, other.layout
    result = np.zeros((len(y), other.n))
    for source, target, fixed in ((lay.q, there.q, True), (lay.v, there.v, False)):
        z1, d = shared.observed.bodies(y[:, source], fixed)
        for b, name in enumerate(theirs.order):
            for k, place in enumerate(theirs.frames[b].drawn):
                c = ours.index[name]
                at = ours.frames[c].at(place)
                z = z1[:, c] + at.a * d[:, c] + at.b * np.stack([-d[:, c, 1], d[:, c, 0]], axis=1)
                for axis in (0, 1):
                    coord = theirs.coord[4 * b + 2 * k + axis]
                    own = theirs.entry[int(coord["first"]) : int(coord["last"])]
                    if len(own) == 1 and own[0]["c"] == 1.0:
                        result[:, target.start + int(own[0]["q"])] = z[:, axis]
    x = y[:, lay.x]
    result[:, there.x] = np.concatenate([x[:, [ours.index[name] for name in theirs.order]], x[:, -1:]], axis=1)
    return result
