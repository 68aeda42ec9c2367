"""Coupling: the coordinate y of one joint is a constant times the coordinate x of another.

    y - ratio x = 0                                                                                         (1)
    theta - angle = 0      for every angle that is coupled, sin(angle) and cos(angle) as read, screw_kernels.py   (2)

An angle counts its turns, which its sine and cosine do not tell. So theta, the angle with its turns, is one more
coordinate of the motion, which (2) ties to the bodies on the turn that is nearest; (1) is linear then. Where only the
derivatives are asked for, in full coordinates, both are one row. The multiplier of (1) is the effort on y; that on x is
-ratio times as large. Not used: sin(y - ratio x), blind to turns for whole ratios only.
"""

from __future__ import annotations

from particlemech.engine.natural.frames import At, Handed, RowPoly, Turn
from particlemech.engine.natural.readings import Reading
from particlemech.engine.polynomials import Poly
from particlemech.model.space import joints

spec = joints.Coupling
hands = Handed()


def readings(joint: joints.Coupling) -> tuple[Reading, ...]:
    """Return nothing: it has no coordinates of its own."""
    return ()


def rows(at: At) -> list[RowPoly]:
    """Return (2) where turns are counted, then (1)."""
    x, y = at.spec.ends(at.mechanism)
    total, turns, counting = Poly({}), [], []
    for factor, end in ((-at.spec.ratio, x), (1.0, y)):
        measure = at.measure(*end)
        if measure.slides:
            total += measure.sine * factor
        elif measure.cosine is None:
            raise TypeError(f"a coupling cannot follow {end[1]} of {end[0]}")
        elif end in at.counters:
            theta = Poly.variable(at.counters[end])
            total += theta * factor
            if end not in at.counted:
                at.counted.add(end)
                counting.append(RowPoly(theta, angle=True, turns=(Turn(1.0, measure.sine, measure.cosine),)))  # (2)
        else:
            turns.append(Turn(-factor, measure.sine, measure.cosine))
    is_angle = not at.measure(*y).slides
    return [*counting, RowPoly(total, angle=is_angle, turns=tuple(turns))]  # (1)


def kept(at: At) -> list[RowPoly]:
    """Return all: it carries nothing."""
    return rows(at)
