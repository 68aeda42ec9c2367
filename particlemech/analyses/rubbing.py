"""Friction of joints where the motion is given: at its rates, by the law of runs.

Joints that stick obey Coulomb's law while they slip, in the sense of their rate; where that is zero, in that of their
acceleration, which is the limit just after. Where both are zero they rest, and nothing says what they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.modes import Slip

STILL = 1e-9  # of the largest rate of a joint: what is slower rests
HOLDS = (
    'joint "{}" sticks and rests at t = {:.6g} s: what it holds there no motion says; take its sticking out, or run it'
)


def unstuck(mechanism: Any) -> Any:
    """Return the mechanism whose joints that stick only slip."""
    joints = {
        name: replace(joint, friction=_sliding(joint.friction))
        for name, joint in mechanism.joints.items()
        if name in mechanism.sticking
    }
    return mechanism.replaced(joints=joints) if joints else mechanism


def _sliding(friction: Any) -> Any:
    """Return friction that does not stick; a mu_static that nothing leads down to mu is that of rest alone."""
    return replace(friction, sticking=False, mu_static=friction.mu_static if friction.stribeck else None)


def stretches(mechanism: Any, senses: Mapping[str, Array], K: int) -> Iterator[tuple[slice, Any]]:
    """Give parts of K samples with the mechanism whose joints slip in these senses (K,), all the same in each part."""
    first = 0
    for k in range(1, K + 1):
        if k == K or any(of[k] != of[first] for of in senses.values()):
            yield slice(first, k), mechanism.slipping({n: Slip(float(of[first])) for n, of in senses.items()})
            first = k


def sense(rate: Array, acceleration: Array) -> Array:
    """Return in which sense a joint slips, or is about to, (K,): 1, -1, or 0 where it rests."""
    found = np.where(np.abs(rate) > STILL * np.max(np.abs(rate), initial=0.0), np.sign(rate), 0.0)
    about = np.where(
        np.abs(acceleration) > STILL * np.max(np.abs(acceleration), initial=0.0), np.sign(acceleration), 0.0
    )
    return np.where(found != 0.0, found, about)


def jams(result: Any) -> tuple[int, str] | None:
    """Return at which sample of a given motion joints jam first, and in words; None where none do."""
    k = 0
    for phase in result.phases:
        system, lay = phase.system, phase.system.layout
        y = phase.y
        found = np.flatnonzero(system.jams_at(phase.t, y[:, lay.q], y[:, lay.v], y[:, lay.x]))
        if len(found):
            n = int(found[0])
            return k + n, str(system.jammed(float(phase.t[n]), y[n]))
        k += len(phase.t)
    return None
