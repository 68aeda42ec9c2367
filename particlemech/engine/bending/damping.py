"""Damping of a bending body: one matrix C over the modal coordinates of all its parts; -C q' is the force on them.

    damping = [a, b]       C = a M + b K,   zeta = (a/omega + b omega)/2                                           (1)
    damping_ratio = zeta   C = M Phi diag(2 zeta omega) Phi^T M = K V diag(2 zeta sqrt(mu)) V^T K                  (2)

with M and K of the whole body, clamped at its first point (assembly.py), and its vibrations Phi = V/sqrt(mu) there. The
second form of (2) divides by nothing: vibrations far above those of interest, whose mu is mere rounding, do no harm.

Strain rates add up part by part, so b K has no coupling. Speeds do not: mass damping resists the motion of every
particle against the axes of the *body*, and a part of the body moves mostly with the parts before it. Not used: a I_qq
of each part, which resists its motion against its own axes only. That dies out as parts grow shorter: with EI, density,
length and a all 1, zeta of the first mode is 0.1415 with one part, and 0.00002 with eight.

Rigid motions are not damped. C is constant, that of the straight body: where parts turn far, it still takes energy out,
at a rate that is no longer (1) or (2) exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from particlemech.engine.bending.assembly import clamped, vibrations
from particlemech.engine.bending.links import LinkNumbers
from particlemech.engine.bending.members import Member
from particlemech.engine.system import Array
from particlemech.errors import ModelError


def damping(of: Member, numbers: Sequence[LinkNumbers]) -> Array:
    """Return C of a body over the modal coordinates of all its parts, (n, n), by (1) or (2).

    Parameters
    ----------
    of : Member
        The body with its line.
    numbers : sequence of LinkNumbers
        Its parts, outward, all in the same axes.

    Returns
    -------
    C : (n, n) array
        Symmetric, without negative eigenvalues.

    Raises
    ------
    ModelError
        If there are more damping ratios than vibrations.
    """
    a, b = of.body.damping
    ratio = of.body.damping_ratio
    if ratio is None and not (a or b):
        n = sum(part.m for part in numbers)
        return np.zeros((n, n))
    M, K = clamped(numbers)
    if ratio is None:
        return a * M + b * K  # (1)
    mu, V = vibrations(M, K)
    n = len(mu)
    zeta = np.zeros(n)
    if isinstance(ratio, tuple):
        if len(ratio) > n:
            raise ModelError(
                f'key "damping_ratio": lists {len(ratio)} vibrations, but the body has {n} modal coordinates and as '
                "many vibrations; shorten the list, or give one number for all"
            )
        zeta[: len(ratio)] = ratio
    else:
        zeta[:] = ratio
    force = K @ V
    return (force * (2.0 * zeta * np.sqrt(mu))) @ force.T  # (2)
