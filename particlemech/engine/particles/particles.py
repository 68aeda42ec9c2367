"""A rigid body as equivalent particles.

Particles 1 and 3 lie where the body's joints are (r1 = 0 in the body frame), particle 2 follows:

    m1 + m2 + m3 = m                                                        [A00] (1)
    m1 r1 + m2 r2 + m3 r3 = m rG                                            [A00] (1)
    m1 r1.r1 + m2 r2.r2 + m3 r3.r3 = I0 = IG + m rG.rG                      [A00] (1) (errata: I0 about particle 1)

    s = m rG - m3 r3,  J = I0 - m3 r3.r3                                    (2)
    m2 = s.s/J,  r2 = s/m2,  m1 = m - m2 - m3                               [A00] after (1)

The mass m3 is free. All masses are positive if and only if 0 < m3 < m IG/I3, I3 = IG + m |r3 - rG|^2 (errata);
half of that bound is the choice here. The equations of motion do not depend on it: eliminating particle 2 by
[A00] (7)-(9) leaves three constants per body, the parameter-free form (errata)

    mu = m rG.r3/|r3|^2 = m3 + nu m2,   ka = m (r3 x rG)/|r3|^2 = m2 la     (3)
    j = I0/|r3|^2 = m3 + m2 (nu^2 + la^2)                                   (4)

Rejected: the 6x6 system [A00] (2), (3), (6), which is singular for every rod.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from particlemech.engine.system import Array

# of the particles' distance: a centre of mass that is nearer to their line lies on it, and what it is off is rounding;
# so the mass matrices of rods have the same entries, whatever their numbers
ON_LINE = 1e-14


class InertiaForm(NamedTuple):
    """The parameter-free constants of a body for particles 1 and 3."""

    mu: float  # kg
    ka: float  # kg
    j: float  # kg


class Particles(NamedTuple):
    """Three equivalent particles."""

    m: Array  # (3,) kg
    r: Array  # (3, 2) m, body frame with its origin at particle 1


def inertia_form(mass: float, inertia: float, r_G: Sequence[float], r_3: Sequence[float]) -> InertiaForm:
    """Return mu, ka, j by (3), (4); `inertia` about the centre of mass, r_G and r_3 from particle 1."""
    (xG, yG), (x3, y3) = r_G, r_3
    d2 = x3 * x3 + y3 * y3
    I0 = inertia + mass * (xG * xG + yG * yG)
    across = x3 * yG - y3 * xG
    if abs(across) <= ON_LINE * d2:
        across = 0.0
    return InertiaForm(mass * (xG * x3 + yG * y3) / d2, mass * across / d2, I0 / d2)


def three_particles(mass: float, inertia: float, r_G: Array, r_3: Array, m3: float | None = None) -> Particles:
    """Return the three equivalent particles of a body by [A00] (1).

    Parameters
    ----------
    mass, inertia
        kg, and kg m^2 about the centre of mass.
    r_G, r_3
        Centre of mass and particle 3, from particle 1, m.
    m3
        Mass of particle 3, kg; by default half the largest that keeps all masses positive.

    Raises
    ------
    ValueError
        If particle 2 would lie at infinity (s = 0) or J = 0: choose another m3.
    """
    I0 = inertia + mass * float(r_G @ r_G)
    if m3 is None:
        I3 = inertia + mass * float((r_3 - r_G) @ (r_3 - r_G))
        m3 = 0.5 * mass * inertia / I3
        if np.linalg.norm(mass * r_G - m3 * r_3) < 1e-9 * mass * np.linalg.norm(r_3):
            m3 *= 0.5
    s = mass * r_G - m3 * r_3  # (2)
    J = I0 - m3 * float(r_3 @ r_3)  # (2)
    if J == 0.0 or not s.any():
        raise ValueError(f"m3 = {m3:g} kg puts particle 2 at infinity; choose another m3")
    m2 = float(s @ s) / J
    return Particles(np.array([mass - m2 - m3, m2, m3]), np.array([np.zeros(2), s / m2, r_3]))


def rod_particles(mass: float, I0: float, length: float, l_G: float) -> Array:
    """Return the masses (m1, m2, m3) of a rod with particle 2 at its middle, [A00] after (1).

    I0 is about particle 1, l_G the distance of the centre of mass from it. Valid for every body whose centre of
    mass lies on the line of its joints (errata).
    """
    m2 = 4.0 / length**2 * (mass * length * l_G - I0)
    m3 = 2.0 / length**2 * (I0 - mass / 2.0 * length * l_G)
    return np.array([mass - m2 - m3, m2, m3])
