"""What the explicit march asks of a chain of flexible links: march.py gives the list and its meaning.

Vibrations without damping are what explicit steps are good at: per period of the highest frequency they are few and
long, where a method for stiff systems takes many short ones. Frequencies that hold them back although nothing moves
there are called stiff, as everywhere.
"""

from __future__ import annotations

from particlemech._jit import attachment, kernel, noinline, released
from particlemech.engine.bending.entry_points import slopes
from particlemech.engine.bending.motion import normalise
from particlemech.engine.bending.samples import GRAVITY, KINETIC, SPRINGS, STRAIN, stored, weighed
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.system import Array
from particlemech.run.march import Engine, closed, perform, unconstrained, unhurried, untouched
from particlemech.run.steps import LEAST_INERTIA, MarchState, T, copy

attached = attachment(Tables, WorkArrays, MarchState)


@noinline
def slope(t: float, y: Array, address: int, out: Array) -> float:
    """Fill y' at time t, and note the least pivot of the mass matrix, see tasks.factored."""
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
    weighed(m, s, s.energy, s.momentum)
    stored(m, s, s.energy)
    return s.energy[KINETIC], s.energy[GRAVITY] + s.energy[STRAIN] + s.energy[SPRINGS]


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
