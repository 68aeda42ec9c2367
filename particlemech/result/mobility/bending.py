"""What can be said of a chain of bending bodies without running it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech.engine.bending.chains import MOTIONS, chain
from particlemech.engine.bending.equations import FlexibleSystem, system
from particlemech.engine.bending.links import DRIVEN, FREE
from particlemech.engine.bending.start import start_state
from particlemech.model.space.mechanism import Mechanism


class Judgement(NamedTuple):
    """What `check` prints of a chain of bending bodies."""

    dof: int  # of joints and deflections, driven coordinates included
    driven: int
    joints: int  # free ones
    modal: int  # modal coordinates, of sub-links too
    deflecting: int  # joints with a drive
    condition: float  # of the mass matrix, in the chain's own sizes
    mass: float
    base: str  # how what carries the chain moves: "fixed", "translates" or "free"


def judged(mechanism: Mechanism) -> Judgement:
    """Return what can be said of a chain of bending bodies in its start."""
    made = system(chain(mechanism), mechanism)
    numbers = made.compiled.chain
    A = made.mass(0.0, start_state(made)[made.layout.q]) * np.outer(made.size_v, made.size_v)
    return Judgement(
        dof=degrees_of_freedom(made),
        driven=_driven(made),
        joints=sum(joint.state == FREE for joint in numbers.joints),
        modal=sum(link.m for link in numbers.links),
        deflecting=sum(joint.flexible for joint in numbers.joints),
        condition=float(np.linalg.cond(A)) if len(A) else 1.0,
        mass=made.scale.mass,
        base=MOTIONS[numbers.base.state],
    )


def degrees_of_freedom(made: FlexibleSystem) -> int:
    """Return the degrees of freedom of a system that is there already, driven coordinates included."""
    return made.n_v + _driven(made)


def _driven(made: FlexibleSystem) -> int:
    """Return how many coordinates are driven."""
    chain = made.compiled.chain
    return sum(joint.state == DRIVEN for joint in chain.joints) + len(chain.base.held)
