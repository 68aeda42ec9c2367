"""What motors and controllers own in the state of a system, for all engines: extra states z in x, just before the work.

    x = (what the engine itself follows, z, W)                                                                   (1)

Engines whose kernels do not know an element, and Python functions, ask here for efforts and rates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._jit import kernel
from particlemech.engine.system import Array
from particlemech.model import control_laws

law = kernel(control_laws.answer)  # once for all engines
NONE: Array = np.zeros(0)
NO_PLACES = np.zeros(0, dtype=int)
STEP = 1e-7  # of the size of an unknown: how far it is moved to differentiate


class Elements:
    """The elements of a mechanism that are asked for their efforts, with their places among the extra states."""

    def __init__(self, mechanism: Any) -> None:
        self.mechanism = mechanism
        self.specs = {name: force for name, force in mechanism.forces.items() if force.called}
        self.place: dict[str, slice] = {}
        self.names: tuple[str, ...]
        self.n = 0
        for name, force in self.specs.items():
            self.place[name] = slice(self.n, self.n + len(force.states))
            self.n += len(force.states)
        self.initial = self.sizes = NONE
        self.names, self.moving = (), NO_PLACES
        if not self.specs:
            return
        self.initial = np.array([value for force in self.specs.values() for value in force.initial])
        duration = mechanism.run.duration
        sizes = [size for force in self.specs.values() for size in force.sizes(duration)]
        self.sizes = np.array(sizes, dtype=float)
        self.names = tuple(f"{name}.{state}" for name, force in self.specs.items() for state in force.states)
        moving = [of for force in self.specs.values() for of in force.moving]
        self.moving = np.flatnonzero(np.array(moving, dtype=bool))  # the states that act

    def __bool__(self) -> bool:
        return bool(self.specs)

    def extra(self, first: Array) -> Array:
        """Return the extra states of a start, (1): what the engine follows, (k,), the states as they begin, no work."""
        return np.concatenate([first, self.initial, [0.0]])

    def own(self, name: str, x: Array) -> Array:
        """Return the states of one element, from extra states (..., n_x)."""
        at, first = self.place[name], x.shape[-1] - 1 - self.n
        return x[..., first + at.start : first + at.stop]

    def n_of(self, name: str) -> int:
        """Return how many states a force owns."""
        at = self.place.get(name, slice(0, 0))
        return at.stop - at.start

    def carried(self, other: Elements, x: Array) -> Array:
        """Return extra states of a system with other elements as those of this: what both have is the same, else 0."""
        first, both = x[: len(x) - 1 - other.n], self.common(other)
        each = (other.own(name, x) if name in both else np.zeros(self.n_of(name)) for name in self.specs)
        return np.concatenate([first, *each, x[-1:]])

    def common(self, other: Elements) -> set[str]:
        """Return the elements that another system has, too, with as many states."""
        return {name for name in self.specs if name in other.specs and other.n_of(name) == self.n_of(name)}

    def answer(self, name: str, t: float, state: Any, x: Array) -> tuple[Any, tuple[float, ...]]:
        """Return what an element exerts, and the rates of its states."""
        found: tuple[Any, tuple[float, ...]] = self.specs[name].answer(
            t, state, self.own(name, x).tolist(), self.mechanism
        )
        return found

    def rates(self, t: float, state: Any, x: Array) -> Array:
        """Return the rates of all states, (n,)."""
        if not self.n:
            return np.zeros(0)
        return np.array([rate for name in self.specs for rate in self.answer(name, t, state, x)[1]])

    def begun(self, t: float, state: Any, x: Array) -> Array:
        """Return the extra states when a run begins in a state."""
        fresh = x.copy()
        fresh[len(x) - 1 - self.n : -1] = self.initial
        return self._changed("begun", self.specs, t, state, fresh)

    def struck(self, t: float, state: Any, x: Array) -> Array:
        """Return the extra states just after a time at which some of them may jump."""
        return self._changed("struck", [name for name, of in self.specs.items() if of.due(t)], t, state, x)

    def _changed(self, how: str, names: Any, t: float, state: Any, x: Array) -> Array:
        changed = x.copy()
        for name in names:
            self.own(name, changed)[:] = getattr(self.specs[name], how)(t, state, self.own(name, x), self.mechanism)
        return changed


def instants(mechanism: Any) -> set[float]:
    """Return the times in a run at which states of elements jump."""
    called = [force for force in mechanism.forces.values() if force.called]
    return {t for force in called for t in force.instants(mechanism.run.duration)}


def inputs(mechanism: Any) -> list[Any]:
    """Return the signals that elements follow."""
    return [signal for force in mechanism.forces.values() if force.called for signal in force.inputs]


def struck(system: Any, t: float, y: Array) -> Array:
    """Return a state (n,) just after the instants of its elements at a time."""
    elements: Elements = system.elements
    if not any(of.due(t) for of in elements.specs.values()):
        return y
    after, lay = y.copy(), system.layout
    after[lay.x] = elements.struck(t, system.state(t, y), y[lay.x])
    return after


class Rows:
    """The equations of the states in IDA's residual, z' - g = 0, and their derivatives by differences."""

    def __init__(self, system: Any) -> None:
        self.system, self.elements = system, system.elements
        lay = system.layout
        end = lay.x.stop - 1
        self.at = slice(end - self.elements.n, end)
        # what rates depend on: all positions, speeds, and the states themselves
        self.by = [*range(lay.q.start, lay.v.stop), *range(self.at.start, self.at.stop)]
        self.rows = list(range(self.at.start, self.at.stop))
        sizes = np.concatenate([system.size_q, system.size_v / system.scale.time, self.elements.sizes])
        self.steps = STEP * sizes

    def rates(self, t: float, y: Array) -> Array:
        """Return g, (n_z,)."""
        return self.elements.rates(t, self.system.state(t, y), y[self.system.layout.x])

    def derivatives(self, t: float, y: Array) -> Array:
        """Return the derivatives of -g by what rates depend on, (n_z, n_by)."""
        base, out = self.rates(t, y), np.zeros((len(self.rows), len(self.by)))
        for k, (j, step) in enumerate(zip(self.by, self.steps, strict=True)):
            moved = np.array(y)
            moved[j] += step
            out[:, k] = -(self.rates(t, moved) - base) / step
        return out
