"""The second opinion on one instant: accelerations in absolute coordinates, which share no equation with particles.

    [ M      -phi_q^T ] [ a   ]   [  f     ]
    [ phi_q   0       ] [ lam ] = [ -gamma ]     a = (x, y, angle)'' of every body         (1)

The state is carried over by the places, angles and velocities of all bodies; the accelerations are compared body by
body, as fractions of the largest that occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.analyses.explain.plane.breakdown import Breakdown
from particlemech.engine.absolute.equations import system as absolute_system
from particlemech.engine.plane import Motion, Pose
from particlemech.engine.system import Array
from particlemech.run.start import accelerations

# largest difference, as a fraction: shipped models stay below 1e-14; of 300 random mechanisms, in units of 1e-6 to
# 1e6, the worst has 3e-11, and one with redundant joints leaves 1e-9 of the balance of its chains
AGREED = 1e-8


class Opinion(NamedTuple):
    """What absolute coordinates find, beside what particles found."""

    com_a: Array  # (n_body, 2) m/s^2, bodies in the order of the model
    alpha: Array  # (n_body,) rad/s^2
    apart: Array  # (n_body,) largest difference of each body, as a fraction of `largest`
    largest: float  # acceleration that occurs, 1/s^2, lengths in units of the mechanism
    coordinates: int
    rows: int

    @property
    def difference(self) -> float:
        """The largest difference of accelerations, as a fraction of the largest that occurs."""
        return float(self.apart.max(initial=0.0))

    @property
    def agreed(self) -> bool:
        """Whether both formulations find the same; what is no number agrees with nothing."""
        return self.difference <= AGREED


def second_opinion(of: Breakdown) -> Opinion:
    """Return the accelerations of (1) at the instant of a breakdown."""
    ours, seen = of.system, of.motion
    theirs = absolute_system(ours.mechanism).retimed(ours.scale.time, ours.home)
    q = theirs.posed(Pose(seen.com[0], seen.angle[0] + ours.turned))
    v = np.column_stack([seen.com_v[0], seen.omega[0]]).ravel()
    x = of.x[len(of.x) - len(theirs.start_x) :]  # of elements, and work: angles are among q there
    a, _ = accelerations(theirs, of.t, q, v, x)
    com_a, alpha = a.reshape(-1, 3)[:, :2], a.reshape(-1, 3)[:, 2]
    L, largest = ours.scale.length, _largest(of, seen)
    apart = np.column_stack([(com_a - seen.com_a[0]) / L, alpha - seen.alpha[0]])
    worst = np.abs(apart).max(axis=1, initial=0.0)
    return Opinion(com_a, alpha, worst / largest if largest > 0.0 else worst, largest, theirs.n_q, theirs.n_row)


def _largest(of: Breakdown, seen: Motion) -> float:
    """Return the largest acceleration that occurs, 1/s^2.

    At rest, or in a steady motion, all may vanish; bodies turn, or joints hold what is applied, all the same: then that
    counts which the applied wrenches would give to all mass.
    """
    L, M = of.system.scale.length, of.system.scale.mass
    held = np.abs(of.own.applied) / (M * L * np.array([1.0, 1.0, L]))
    sizes = [np.abs(seen.com_a / L), np.abs(seen.alpha), seen.omega**2, held]
    return max(float(size.max(initial=0.0)) for size in sizes)
