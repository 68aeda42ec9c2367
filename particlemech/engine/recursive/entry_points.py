"""What Python asks of the kernels of a mechanism in space.

Each entry is machine code of its own, with all the sweeps that it needs: most questions go through one, which is
compiled once for all of them.
"""

from __future__ import annotations

import numpy as np

from particlemech._jit import attachment, entry, released
from particlemech.engine.full_jacobian import differences
from particlemech.engine.recursive.instants import (
    balance,
    efforts_of,
    levels,
    look,
    masses,
    power,
    pressed,
    pushes,
    settled,
    slopes_at,
    strike,
    unmet,
)
from particlemech.engine.recursive.laws import applied
from particlemech.engine.recursive.motion import move, outward, rates
from particlemech.engine.recursive.partials import equations, partials
from particlemech.engine.recursive.samples import observe
from particlemech.engine.recursive.tables import Paths, SampledMotion, Tables, WorkArrays
from particlemech.engine.system import Array

# tasks of `ask`
SLOPES, POWER, LEVELS, EFFORTS, PUSHES, SETTLED, UNMET, RATES, MOVE, STRIKE, MASSES, LOOK, OBSERVE, FOLLOW, PRESSED = (
    range(15)
)
NONE = np.zeros(0)  # where a task has no such array

attached = attachment(Tables, WorkArrays)
attached_to_paths = attachment(Tables, WorkArrays, Paths)
attached_to_record = attachment(Tables, WorkArrays, SampledMotion)


@released
def ask(task: int, t: float, x: Array, z: Array, out: Array, address: int) -> float:
    """Do a task at time t; more about each in the docstring of its function. What is not named is NONE.

    SLOPES    y' in `out`, at a state x = (q, v, W); return the least pivot of the mass matrix
    POWER     return the power of W at a state x
    LEVELS    rows of G in `out` and phi of the work arrays, at x = q, z = v
    EFFORTS   G^T z in `out` (n_stage,), at x = q
    PUSHES    what `load` does along all stages in `out` (n_stage,), at x = q
    SETTLED   the work arrays at a state x in which no free speed changes
    UNMET     in `out` (n_v,), at a state x, what acts along the free speeds and is not needed while none changes
    RATES     rates of the coordinates in `out`, at x = q, z = v
    MOVE      move x = q by a step along the speeds, z
    STRIKE    jumps of speeds in the work arrays, at x = q, z = v; return the least pivot
    LOOK      which rows are independent at a state x in the work arrays; return the least pivot among them
    MASSES    rows of the mass matrix of all stages in `out`, at x = q
    PRESSED   vectors h of what rubs in `out` (n, 9), at a state x, accelerations and multipliers z
    OBSERVE   samples of a motion that forces cause; the block goes on with SampledMotion
    FOLLOW    the same, with the accelerations that are given there
    """
    m, s, keep = attached_to_record(address)
    if task == SLOPES:
        return slopes_at(t, x, out, m, s)
    if task == POWER:
        return power(t, x, m, s)
    if task == LOOK:
        return look(t, x, m, s)
    if task == STRIKE:
        return strike(t, x, z, m, s)
    if task == LEVELS:
        levels(t, x, z, out, m, s)
    elif task == EFFORTS:
        efforts_of(t, x, z, out, m, s)
    elif task == PUSHES:
        pushes(t, x, out, m, s)
    elif task == SETTLED:
        settled(t, x, m, s)
    elif task == UNMET:
        unmet(t, x, out, m, s)
    elif task == RATES:
        rates(x, z, m, out)
    elif task == MOVE:
        move(x, z, m)
    elif task == PRESSED:
        pressed(t, x, z, out, m, s)
    elif task == MASSES:
        masses(t, x, out, m, s)
    else:
        observe(task == FOLLOW, m, s, keep)
    return 0.0


@entry
def residual(t: float, y: Array, yp: Array, res: Array, address: int) -> bool:
    """Fill the residual for IDA; return if finite."""
    m, s = attached(address)
    return balance(t, y, yp, res, m, s)


@entry
def jacobian(t: float, y: Array, yp: Array, cj: float, size: Array, work: Array, J: Array, address: int) -> None:
    """Fill J = dF/dy + cj dF/dy'; see full_jacobian.differences."""
    m, s = attached(address)
    differences(balance, t, y, yp, cj, size, work, J, m, s)


@entry
def kane(t: float, q: Array, u: Array, address: int) -> None:
    """Fill the slots of all paths, A, f and F at one instant."""
    m, s, ways = attached_to_paths(address)
    outward(t, q, u, m, s)
    applied(m, s)
    partials(m, s, ways)
    equations(m, s, ways)
