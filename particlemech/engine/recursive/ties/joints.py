"""What joints tie together beside their stages: one function per kind that needs one; the tables at the end list them.

    CLOSING    rows with which it closes a loop in place of a copy of a body, while nothing acts on its coordinates
    ALWAYS     rows that hold wherever it is
    COST       as an edge of the spanning tree, default 1: dear ones are cut

Kinds that are not listed close loops by copies.
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.recursive.forms import ACROSS, GAP, SPAN, TIED
from particlemech.engine.recursive.ties.base import Ends, Tie, pinned, welded
from particlemech.model.signals import Constant
from particlemech.model.space import joints
from particlemech.model.space.joints.clamp import Clamp
from particlemech.rotations import beside


def weld(joint: joints.Weld, ends: Ends, where: Any) -> list[Tie]:
    """Return base.py (2): six rows."""
    return welded(ends)


def spherical(joint: joints.Spherical, ends: Ends, where: Any) -> list[Tie]:
    """Return base.py (1): three rows."""
    return pinned(ends)


def slot(joint: joints.Slot, ends: Ends, where: Any) -> list[Tie]:
    """Return the rows across the line, which is fixed in the first body.

    m1, n1.(P2 - P1) = 0                                                                                         (1)
    """
    i, k, at1, at2 = ends
    return [Tie(GAP, i, k, of=i, at1=at1, at2=at2, a=tuple(a.tolist())) for a in beside(joint.direction)]


def distance(joint: joints.Distance, ends: Ends, where: Any) -> list[Tie]:
    """Return the row of a rod without mass between two points: it never carries a body.

    |P2 - P1| = length                                                                                           (1)
    """
    one, other = (where.spot(p, b)[1] for p, b in zip(joint.points, joint.bodies, strict=True))
    return [Tie(SPAN, ends.first, ends.second, at1=one, at2=other, c=joint.rod(where.mechanism))]


def screw(joint: joints.Screw, name: str, where: Any) -> list[Tie]:
    """Return the row of a thread, which ties the two stages of a sleeve.

    travel = pitch angle                                                                                         (1)
    """
    travel, angle = (where.stages(name, x)[0] for x in ("travel", "angle"))
    return [Tie(TIED, stage1=angle, stage2=travel, c=joint.pitch)]


def coupling(joint: joints.Coupling, name: str, where: Any) -> list[Tie]:
    """Return the row of coordinates of two joints.

    y = ratio x                                                                                                  (1)
    """
    one, other = (where.stages(*end)[0] for end in joint.ends(where.mechanism))
    return [Tie(TIED, stage1=one, stage2=other, c=joint.ratio, angle=joint.turns(where.mechanism))]


def stop(joint: joints.Stop, name: str, where: Any) -> list[Tie]:
    """Return the rows of the bounds at which a coordinate is held now.

    x = bound                                                                                                    (1)
    """
    e, turns = where.stages(joint.joint, joint.coordinate)[0], joint.turns(where.mechanism)
    return [
        Tie(TIED, signal=where.signal(Constant(value=bound)), stage1=e, stage2=e, angle=turns) for bound in joint.held
    ]


def clamp(joint: Clamp, name: str, where: Any) -> list[Tie]:
    """Return (1) of a clamp, while it holds."""
    if not joint.mode:
        return []
    (first, second), (a, b) = where.ends(joint.joint), joint.across
    return [Tie(ACROSS, first, second, angle=True, a=a, b=b)]


CLOSING: dict[type, Any] = {
    joints.Weld: weld,
    joints.Spherical: spherical,
    joints.Slot: slot,
    joints.Distance: distance,
}
ALWAYS: dict[type, Any] = {joints.Screw: screw, joints.Coupling: coupling, joints.Stop: stop, Clamp: clamp}
COST: dict[type, float] = {
    joints.Weld: 0.5,  # the cheapest edge of a tree, for it has no stages
    joints.Spherical: 10.0,  # cut before most others, which take more rows
    joints.Slot: 20.0,  # as an edge of the tree it has four stages
    joints.Free: 40.0,  # ties nothing, and carries a body only where no other joint does
}
