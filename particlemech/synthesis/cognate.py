"""The other two four-bars that trace a coupler curve: Roberts' theorem.

With the point P = A + mu (B - A) of the coupler, mu a constant complex number, and the third pivot D = O + mu (C - O):

    left   O -> A' = P - A,   A' -> P = A - O,   A' -> E = mu (A - O):        E - D = mu (B - C)                   (1)
    right  C -> B' = P - B,   B' -> P = B - C,   B' -> F = (1 - mu) (B - C):  F - D = (1 - mu) (A - O)             (2)

All these lengths are constant, so A', E and B', F are joints of four-bars with the pivots O, D and D, C. The crank of
the right one, D -> F, turns as the crank O -> A does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.errors import ModelError
from particlemech.synthesis.linkage import CX, CY, OX, OY, U, V
from particlemech.synthesis.linkage import B as ROD
from particlemech.synthesis.models import Linkage, from_places, linkage_of

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

LEAST = 1e-9  # of the rod: P nearer to a joint is in it
REST = 0.02  # of the way to where a crank locks: how much of it a run leaves out


def cognates(mechanism: Mechanism, point: str) -> tuple[Mechanism, Mechanism]:
    """Return the two other four-bars in which a point traces the same curve: Roberts' cognates.

    Parameters
    ----------
    mechanism
        A four-bar in the plane: three bodies, four pins.
    point
        Of its coupler, by name.

    Returns
    -------
    tuple of two Mechanisms
        With points O, A, B, C and P as in `Candidate.mechanism`, drawn with P where it is. The crank of the second
        turns as that of the mechanism does.

    Raises
    ------
    ModelError
        If it is no four-bar, or the point is in a joint.

    Examples
    --------
    >>> from particlemech import synthesis
    >>> found = synthesis.path([(0, 0), (1, 1), (2, 1.4), (3, 1), (4, 0)], starts=100)
    >>> left, right = synthesis.cognates(found.best.mechanism, "P")
    >>> [abs(a - b) < 1e-9 for a, b in zip(left.points["P"], right.points["P"])]
    [True, True]
    """
    linkage, theta = linkage_of(mechanism, point, "cognates")
    x = linkage.x
    mu = complex(x[U], x[V]) / x[ROD]
    if min(abs(mu), abs(mu - 1.0)) < LEAST:
        raise ModelError(f'cognates: point "{point}" is in a joint of the coupler, so its path is a circle')
    at = {name: complex(*place[0]) for name, place in linkage.at(theta).items() if place.ndim == 2}
    O, C, A, B, P = complex(x[OX], x[OY]), complex(x[CX], x[CY]), at["A"], at["B"], complex(*mechanism.points[point])
    D = O + mu * (C - O)
    left = from_places(O, O + P - A, D, O + P - A + mu * (A - O), P)
    right = from_places(D, D + (1.0 - mu) * (A - O), C, C + P - B, P)
    one, other = (_drawn(*found, f"{mechanism.name}, cognate {k}") for k, found in enumerate((left, right), 1))
    return one, other


def _drawn(linkage: Linkage, theta: float, name: str) -> Mechanism:
    """Return a cognate whose crank turns round, or nearly as far as it can."""
    last = linkage.arc[1]
    way = last - theta
    while way > 6.283185307179586:
        way -= 6.283185307179586
    return linkage.mechanism(name, theta, (1.0 - REST) * way, "A cognate by Roberts' theorem.")
