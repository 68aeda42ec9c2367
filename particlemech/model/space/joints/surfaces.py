"""Where joints in space rub; model/friction.py has the law.

Each surface slides along some stages of its joint, and carries a load P that depends on its form:

    axle      of a revolute, a slide, a sleeve, each pin of a cross: the force across the axis. With a `length` P is
              what the bearing carries at its two ends, |F/2 - a x M/length| + |F/2 + a x M/length|; in a plane that is
              max(|F|, 2 |M|/length). With a `collar`, the mean radius of a thrust face of a revolute, the force along
              the axis works there:  P += collar/radius |F.a|
    ball      the whole force, against the relative angular velocity
    thread    what flanks carry at the pitch radius, normal to the helix: |F_thread| sqrt(1 + (pitch/radius)^2)

A sleeve and a thread slide along a helix: their friction has one direction, against the speed of the surface, and is
not the sum of that of a slide and of a pin. A moment about the axis of a slide adds nothing to its load.
"""

from __future__ import annotations

from typing import NamedTuple


class Surface(NamedTuple):
    """Where a joint rubs: stages along which it slides, its form, and the stage whose axis is that of the bearing."""

    stages: tuple[str, ...]
    form: str  # "axle", "ball", "thread"
    axis: str
