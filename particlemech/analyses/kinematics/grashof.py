"""Which links of a four-bar turn round: Grashof's rule.

With the shortest link s, the longest l and the others p, q: where s + l < p + q the shortest turns round against all
others, where s + l > p + q none does, and where they are equal there are change points.
"""

from __future__ import annotations

from typing import NamedTuple

from particlemech import _tape
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism

EQUAL = 1e-9  # of the sum of all lengths


class Grashof(NamedTuple):
    """A four-bar in the plane."""

    kind: str  # "crank-rocker", "double crank", "double rocker", "triple rocker" or "change point"
    lengths: dict[str, float]  # of its links, by body, the ground first
    shortest: str

    def __str__(self) -> str:
        return f"{self.kind} (shortest link: {self.shortest})"


def grashof(mechanism: Mechanism) -> Grashof | None:
    """Return the class of a four-bar; None if the mechanism is none.

    Examples
    --------
    >>> from particlemech import models
    >>> print(grashof(models.load("four_bar")))
    crank-rocker (shortest link: crank)
    """
    pins = [joint for joint in mechanism.joints.values() if joint.bodies]
    plain = [j for j in pins if len(j.bodies) == 2 and [freedom.turn for freedom in j.freedoms] == [True]]
    if len(plain) != 4 or len(pins) != 4 or len(mechanism.bodies) != 3 or len(mechanism.joints) != 4:
        return None
    around, at, lengths = list(plain), GROUND, dict[str, float]()
    joint = next((j for j in around if GROUND in j.bodies), None)
    while joint is not None and around:
        around.remove(joint)
        after = next(b for b in joint.bodies if b != at)
        following = next((j for j in around if after in j.bodies), None)
        if after == GROUND or following is None:
            break
        assert joint.point is not None and following.point is not None
        lengths[after] = _tape.dist(mechanism.place(joint.point, after), mechanism.place(following.point, after))
        at, joint = after, following
    grounded = [j for j in plain if GROUND in j.bodies]
    if len(lengths) != 3 or len(grounded) != 2 or around:
        return None
    one, other = (mechanism.drawn(j.point) for j in grounded if j.point is not None)
    lengths = {GROUND: _tape.dist(one, other), **lengths}
    shortest = min(lengths, key=lambda b: lengths[b])
    excess = 2.0 * (min(lengths.values()) + max(lengths.values())) - sum(lengths.values())
    place = list(lengths).index(shortest)
    kind = ("double crank", "crank-rocker", "double rocker", "crank-rocker")[place]
    if abs(excess) <= EQUAL * sum(lengths.values()):
        kind = "change point"
    elif excess > 0.0:
        kind = "triple rocker"
    return Grashof(kind, lengths, shortest)
