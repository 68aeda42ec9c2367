"""What can be said of a chain of bending bodies without running it."""

from __future__ import annotations

import numpy as np

from particlemech.engine.bending.chains import chain
from particlemech.engine.bending.equations import FlexibleSystem, system
from particlemech.engine.bending.links import DRIVEN
from particlemech.engine.bending.start import start_state
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.mobility import Mobility


def judged(mechanism: Mechanism) -> Mobility:
    """Return what can be said of a chain of bending bodies in its start."""
    made = system(chain(mechanism), mechanism)
    numbers = made.compiled.chain
    A = made.mass(0.0, start_state(made)[made.layout.q]) * np.outer(made.size_v, made.size_v)
    return Mobility(
        by_count=degrees_of_freedom(made),
        by_rank=degrees_of_freedom(made),
        drivers=_driven(made),
        condition=float(np.linalg.cond(A)) if len(A) else 1.0,
        modal=sum(link.m for link in numbers.links),
        deflecting=sum(joint.flexible for joint in numbers.joints),
    )


def degrees_of_freedom(made: FlexibleSystem) -> int:
    """Return the degrees of freedom of a system that is there already, driven coordinates included."""
    return made.n_v + _driven(made)


def _driven(made: FlexibleSystem) -> int:
    """Return how many coordinates are driven."""
    chain = made.compiled.chain
    return sum(joint.state == DRIVEN for joint in chain.joints) + len(chain.base.held)
