"""What stops at once where an event locks a joint, a joint sticks, or the rate of a driver jumps: impulses of jumps.py.

Speeds after it satisfy all rows, those of locks and of new motions too. Driven coordinates that are no rows, in trees,
carry the others along: J of jumps.py is -A_fd (u_d+ - u_d-), A the mass matrix of free and driven coordinates.
Contacts and stops that hold give way meanwhile: they can only push, which is seen to after it (transitions.py).

Where a joint is taken out nothing jumps. In space bodies hang on other joints then, or float: their state is handed
over by the places and speeds that they have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.system import Array, counted
from particlemech.run.jumps import jump, resisted
from particlemech.run.start import assembled
from particlemech.run.transitions import Jammed, State

CLOSE = 1e-6  # of the mechanism's length: the gap that a joint which is locked may have


def stopped(system: Any, before: Any, at: State, entered: set[str]) -> State:
    """Return the state after the impulses; `before` is the system as it was.

    Of `entered` joints that start free are closed where they are.
    """
    turning = counted(system, at.within(system))
    q = _entered(turning, at, entered)
    if hasattr(system, "carrying"):
        push, mass = system.carrying(before, at.t, q)
    else:
        push, mass = np.zeros(len(at.v)), system.mass(q)
    return State(at.t, q, at.v + jump(turning, at.t, q, at.v, push, mass).speeds, at.x)


def values(system: Any, at: State, joint: str) -> dict[str, float]:
    """Return the coordinates of a joint in a state, by name: where a lock holds it; none of one that starts free."""
    m, spec = system.mechanism, system.mechanism.joints[joint]
    if spec.free:
        return {}
    if m.solid:
        now = system.state(at.t, at.within(system))
        return {name: float(now.coordinate(joint, name)) for name in spec.coordinate_names}
    seen = system.sight(*at)
    return {name: float(seen.counted(m.coordinate(joint, name))[0]) for name in spec.coordinate_names}


def taken_over(system: Any, before: Any, at: State) -> State:
    """Return a state in the coordinates that are left where joints have been taken out."""
    found = State.of(system, at.t, system.adopted(before, at.within(before), at.t))
    if system.mechanism.solid and not resisted(system, found.q):
        names = " and ".join(f'"{n}"' for n in system.mechanism.taken if n not in before.mechanism.taken)
        raise Jammed(
            f"where joint {names} is taken out, at t = {at.t:.6g} s, something is left that moves although nothing "
            "resists, such as a rod that turns about its own line; give its body an inertia about all axes"
        )
    return found


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
