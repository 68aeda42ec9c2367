"""Joints as vectors see them: what is common to both bodies, and along what the place of the second may slide.

    revolute       place and axis                          cylindrical    axis; the place slides along it
    spherical      the place, which loops say              universal      place, and the angle of an axis of each
    prismatic      all directions; the place slides        slot           the place slides along a line of the first
    weld           place and all directions                free           the place travels along three directions
    distance       a rod of constant length, a vector in a loop

Loops and products of directions are blind to the turns that a screw and a coupling count:

    travel = pitch angle           no polynomial in cosines, [J84] (3) and (6), says this
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from particlemech.analyses.loops.ties import RAILS, VectorTie, tied
from particlemech.errors import ModelError
from particlemech.model.space import joints
from particlemech.model.space.mechanism import Mechanism


def _rod(spec: joints.Distance, mechanism: Mechanism) -> VectorTie:
    """Return the rod of a distance joint, from a place of the first body to one of the second."""
    starts, ends = (mechanism.place(p, b) for p, b in zip(spec.points, spec.bodies, strict=True))
    return VectorTie(spec.first, spec.second, starts, ends, rod=spec.rod(mechanism))


def _screw(spec: joints.Screw, mechanism: Mechanism) -> VectorTie:
    """Refuse it."""
    raise ModelError(
        f"a screw of pitch {spec.pitch:g} cannot be written in loops and products of vectors; "
        "use a cylindrical joint and drive its angle and its travel, or simulate the mechanism"
    )


def _coupling(spec: joints.Coupling, mechanism: Mechanism) -> VectorTie:
    """Refuse it."""
    raise ModelError(
        f"a coupling of ratio {spec.ratio:g} cannot be written in loops and products of vectors; drive both joints, or "
        "simulate the mechanism"
    )


# kind -> (joint, mechanism) -> what it is to vectors
TIE: dict[type, Callable[[Any, Mechanism], VectorTie]] = {
    joints.Revolute: lambda j, m: tied(j, m)._replace(common=(j.direction,)),
    joints.Prismatic: lambda j, m: tied(j, m)._replace(locked=True, slides=(j.direction,)),
    joints.Cylindrical: lambda j, m: tied(j, m)._replace(common=(j.direction,), slides=(j.direction,)),
    joints.Spherical: tied,
    joints.Universal: lambda j, m: tied(j, m)._replace(angle=j.directions),
    joints.Screw: _screw,
    joints.Slot: lambda j, m: tied(j, m)._replace(slides=(j.direction,)),
    joints.Free: lambda j, m: tied(j, m)._replace(slides=RAILS),
    joints.Weld: lambda j, m: tied(j, m)._replace(locked=True),
    joints.Distance: _rod,
    joints.Coupling: _coupling,
}
