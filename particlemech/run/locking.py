"""What stops at once where an event locks a joint, a joint sticks, or the rate of a driver jumps: impulses of jumps.py.

Speeds after it satisfy all rows, those of locks and of new motions too; the energy that this takes is

    E- - E+ = -L.(phi_q v- - phi_t)/2,    for L.G(v- + v+)/2 is the work of the rows, and G v+ = -phi_t        (1)

Contacts and stops that hold give way meanwhile: they can only push, which is seen to after it (transitions.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.system import Array, counted
from particlemech.run.jumps import jump
from particlemech.run.start import assembled
from particlemech.run.transitions import Jammed, State

CLOSE = 1e-6  # of the mechanism's length: the gap that a joint which is locked may have


def stopped(system: Any, at: State, entered: set[str]) -> tuple[State, float]:
    """Return the state after the impulses, and the energy (1) that they take.

    Of `entered` joints that start free are closed where they are.
    """
    turning, x = counted(system, at.within(system)), at.x.copy()
    q = _entered(turning, at, entered)
    found = jump(turning, at.t, q, at.v, np.zeros(len(at.v)), system.mass(q))
    rows = turning.levels(at.t, q, at.v)
    lost = float(-0.5 * found.rows @ (rows.phi_q @ at.v - rows.phi_t))  # (1)
    x[-1] -= lost
    return State(at.t, q, at.v + found.speeds, x), lost


def _entered(system: Any, at: State, names: set[str]) -> Array:
    """Return coordinates at which joints that start free and hold now do; they must be nearly there."""
    joints = system.mechanism.joints
    free = {f'joint "{name}"': name for name in names if name in joints and joints[name].free}
    if not free:
        return at.q
    phi, unit = system.levels(at.t, at.q, at.v).phi, system.mechanism.unit.length
    for row, gap in zip(system.layout.rows, phi, strict=True):
        if row.part in free and abs(gap) > CLOSE * (1.0 if row.angle else system.scale.length):
            raise Jammed(
                f"{row.part} cannot be locked at t = {at.t:.6g} s: its gap is {abs(gap):.3g} {unit} there; "
                "lock it where its parts are in place"
            )
    return assembled(system, at.t, at.q)
