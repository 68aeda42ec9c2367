"""What the explicit march asks of a tree: march.py gives the list and its meaning.

Nothing is constrained, so there is nothing to project; quaternions have length 1 after each step. Angles at gimbal
lock, and motions that meet no inertia, end the march; quaternions know no such pose.
"""

from __future__ import annotations

from particlemech._jit import attachment, kernel, noinline, released
from particlemech.engine.recursive.entry_points import height, kinetic, slopes
from particlemech.engine.recursive.laws import potential
from particlemech.engine.recursive.motion import normalise
from particlemech.engine.recursive.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.run.march import Engine, closed, perform, unconstrained, unhurried, untouched
from particlemech.run.steps import LEAST_INERTIA, MarchState, T, copy

attached = attachment(Tables, WorkArrays, MarchState)


@noinline
def slope(t: float, y: Array, address: int, out: Array) -> float:
    """Fill y' at time t, and note the least pivot of the mass matrix, see articulated.inward."""
    m, s, w = attached(address)
    w.now[LEAST_INERTIA] = min(w.now[LEAST_INERTIA], slopes(t, y, m, s, out))
    return 1.0


@kernel
def arrive(h: float, address: int) -> None:
    """Bring quaternions back to length 1."""
    m, _, w = attached(address)
    normalise(w.y, m)


@kernel
def energies(address: int) -> tuple[float, float]:
    """Return kinetic and potential energy at y, where `slope` was last."""
    m, s, _ = attached(address)
    return kinetic(m, s), potential(m, s) + height(m, s)


@kernel
def show(t: float, y: Array, address: int, out: Array) -> None:
    """Fill out with a state."""
    m, _, w = attached(address)
    copy(y, out)
    if t != w.now[T]:
        normalise(out, m)


ENGINE = Engine(slope, unconstrained, closed, unhurried, arrive, untouched, energies, show)


@released
def do(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    """Do a task of a march; see march.perform."""
    return perform(ENGINE, task, t, stop, clamp, rtol, most, done, attached(address)[2], address)
