"""Numbers of bending bodies, part by part: what the description hands to the engine.

A place x of a part with modal coordinates q stands, in axes of the part, at

    r(x) = x + delta(x) q - 1/2 e (q^T S(x) q)                                                               (1)

and its section is turned by the rotation vector psi(x) q, [G88] (2.1-3), (2.1-8) to first order. A body that is cut
into sub-links is several parts, each hung on the end of the one before. All is in axes of the drawing, from the first
point of the part, and in the units that the model names; nothing is converted.
"""

from __future__ import annotations

from dataclasses import dataclass

from particlemech.engine.system import Array


@dataclass(frozen=True, eq=False)
class Shapes:
    """The deflection at n places of one part with m modal coordinates."""

    x: Array  # (n, 3) places in the undeflected part, from its origin
    delta: Array  # (n, 3, m) displacement per modal coordinate
    psi: Array  # (n, 3, m) rotation per modal coordinate
    short: Array  # (n, m, m) S of (1); zero where stiffening is off


@dataclass(frozen=True, eq=False)
class LinkNumbers:
    """One part; m modal coordinates, n stations."""

    name: str  # of the body in the model
    part: int  # number of the sub-link within it, from 0
    names: tuple[str, ...]  # of the modal coordinates, (m,)
    # geometry
    end: Array  # (3,) from the origin to the end
    along: Array  # (3,) unit vector e from the origin to the end
    # the rigid remainder: what the table of the model says beyond the sums over the stations
    mass: float
    moment: Array  # (3,) first moment
    inertia: Array  # (3, 3) about the origin
    # mass at stations, the equivalent particles
    stations: Shapes  # n of them
    station_mass: Array  # (n,)
    station_inertia: Array  # (n, 3, 3) rotary, about the station, constant in axes of the part
    # the distal end; psi with the slopes of bending where the geometry is consistent
    end_delta: Array  # (3, m)
    end_psi: Array  # (3, m)
    end_short: Array  # (m, m)
    # elasticity
    K: Array  # (m, m)
    C: Array  # (m, n) its rows of the damping matrix of its body, over all n modal coordinates of that: damping.py

    @property
    def m(self) -> int:
        """The number of modal coordinates."""
        return len(self.names)
