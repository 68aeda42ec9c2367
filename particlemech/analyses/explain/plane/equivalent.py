"""The equivalent particles of every body at one instant, and the momentum they have.

A body is replaced by three particles with its mass, its centre of mass and its inertia [A00] (1), see
engine/particles/particles.py. With places r_p, the momentum of a body and its rate are plain sums over its particles:

    P  = sum m_p r_p',    H   = sum r_p x m_p r_p'                                        (1)
    P' = sum m_p r_p'',   tau = sum r_p x m_p r_p''                                       (2)  [A00] (2), (3)

A body without inertia about its centre of mass is one particle there: it has m2 = m and m1 = m3 = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.engine.particles.equations import ParticleSystem
from particlemech.engine.particles.observed import cross, turned
from particlemech.engine.particles.particles import Particles, three_particles
from particlemech.engine.system import Array


class Equivalent(NamedTuple):
    """The three particles of one body; places are global, particles 1 and 3 carry its coordinates."""

    body: str
    m: Array  # (3,) kg
    r: Array  # (3, 2) m
    r_dot: Array  # (3, 2) m/s
    r_ddot: Array  # (3, 2) m/s^2

    def momentum(self, about: Array) -> Array:
        """Return (1), (3,): kg m/s, kg m/s, and kg m^2/s about a place (2,)."""
        return self._sum(self.r_dot, about)

    def rate_of_momentum(self, about: Array) -> Array:
        """Return (2), (3,): N, N, and N m about a place (2,) that does not move."""
        return self._sum(self.r_ddot, about)

    def _sum(self, rate: Array, about: Array) -> Array:
        each = self.m[:, None] * rate
        return np.array([*each.sum(axis=0), cross(self.r - about, each).sum()])


def equivalents(system: ParticleSystem, q: Array, v: Array, a: Array) -> tuple[Equivalent, ...]:
    """Return the particles of all bodies, in the order of `system.compiled.order`; q, v, a (n_q,)."""
    c = system.compiled
    moving = [system.observed.bodies(of[None], fixed) for of, fixed in ((q, True), (v, False), (a, False))]
    result = []
    for b, name in enumerate(c.order):
        particles = _particles(system, b, name)
        by = np.array([c.frames[b].affine((float(x), float(y))) for x, y in particles.r])  # frames.py (1)
        places, rates, second = (z1[0, b] + by[:, :1] * d[0, b] + by[:, 1:] * turned(d[0, b])[None] for z1, d in moving)
        result.append(Equivalent(name, particles.m, places + c.origin, rates, second))
    return tuple(result)


def _particles(system: ParticleSystem, b: int, name: str) -> Particles:
    """Return the particles of a body as drawn, from its particle 1."""
    mechanism, (first, third) = system.mechanism, np.array(system.compiled.frames[b].drawn)
    mass, inertia = mechanism.bodies[name].mass, mechanism.inertia(name)
    r_G, r_3 = np.array(mechanism.centre(name)) - system.compiled.origin - first, third - first
    if inertia == 0.0:
        return Particles(np.array([0.0, mass, 0.0]), np.array([np.zeros(2), r_G, r_3]))
    return three_particles(mass, inertia, r_G, r_3)
