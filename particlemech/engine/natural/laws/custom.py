"""What is called: functions f(t, state) of the user, motors and controllers, on bodies and on coordinates of joints.

    on a body    force F at a place P and couple M:  power F.v_P + M.omega                                    (1)
    in a joint   effort E on a coordinate x:  forces E dx/dZ on full coordinates, power E x'                  (2)

States z of their own have the equations z' - g(t, q, v, z) = 0. The interpreter is called once per residual.
Derivatives are difference quotients over all coordinates, speeds and z, since a function may look at any part of the
mechanism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.natural.coordinates import axes, turning
from particlemech.engine.natural.readings import gradient, rate
from particlemech.engine.system import Array
from particlemech.model.space.forces.custom import answer

if TYPE_CHECKING:
    from particlemech.engine.natural.equations import SpatialSystem

STEP = 1e-7  # of the difference quotients, in units of the coordinates and of their speeds


class CustomForces:
    """All custom forces of a mechanism; false where there is none."""

    def __init__(self, system: SpatialSystem) -> None:
        self.system, self.elements = system, system.elements
        self.specs = self.elements.specs

    def __bool__(self) -> bool:
        return bool(self.specs)

    def apply(self, t: float, q: Array, v: Array, x: Array, out: Array) -> list[float]:
        """Fill out, (12 n_body + 1,): forces on full coordinates, and their power. Return the rates of z, (n_z,)."""
        out[:] = 0.0
        rates: list[float] = []
        if not self.specs:
            return rates
        z, z_dot = self.system.full(q), self.system.full(v, rates=True)
        state = self.system.state_of(t, q, v, x)
        for name, spec in self.specs.items():
            answered, own = self.elements.answer(name, t, state, x)
            given = answer(name, spec, answered)
            rates += own
            if spec.joint is None:
                out[-1] += self._wrench(spec.body, given.reshape(3, 3), z, z_dot, out)
            else:
                out[-1] += self._effort(spec, float(given[0]), z, z_dot, out)
        return rates

    def _wrench(self, body: str, given: Array, z: Array, z_dot: Array, out: Array) -> float:
        """Add (1) to out; return the power."""
        c = self.system.compiled.coordinates
        b = c.index[body]
        (F, P, M), here = given, slice(12 * b, 12 * b + 12)
        R = axes(z[None])[0, b]
        arm = P - c.origin - z[here][:3]
        d = z[here].reshape(4, 3)[1:]
        out[here] += np.concatenate([F, (np.outer(R.T @ arm, F) + 0.5 * np.cross(M, d)).ravel()])
        omega = turning(z[None], z_dot[None])[0, b]
        return float(F @ (z_dot[here][:3] + np.cross(omega, arm)) + M @ omega)

    def _effort(self, spec: Any, effort: float, z: Array, z_dot: Array, out: Array) -> float:
        """Add (2) to out; return the power."""
        joint = str(spec.joint)
        measure = self.system.compiled.measures[joint, self.system.mechanism.coordinate(joint, spec.coordinate)]
        out[:-1] += effort * gradient(measure, z)
        return effort * float(rate(measure, z[None], z_dot[None])[0])

    def not_finite(self, t: float, y: Array) -> str | None:
        """Return the custom force that gives a value that is not finite, if one does."""
        state, x = self.system.state(t, y), y[self.system.layout.x]
        for name, spec in self.specs.items():
            given, own = self.elements.answer(name, t, state, x)
            if not np.all(np.isfinite([*answer(name, spec, given), *own])):
                return f'force "{name}"'
        return None

    def differentiate(self, t: float, y: Array, sparse: bool, J: Array) -> None:
        """Take the derivatives, by difference quotients, from J (flat)."""
        s = self.system
        read = s.compiled.read_by_custom
        if not read:
            return
        equations = sorted({equation for equation, _ in read})
        sizes = np.concatenate([s.size_q, s.size_v / s.scale.time, self.elements.sizes])
        first, n_z = s.n - 1 - self.elements.n, self.elements.n
        base = self._applied(t, y)
        for k, size in zip([*range(2 * s.n_q), *range(first, s.n - 1)], sizes, strict=True):
            shifted = y.copy()
            shifted[k] += STEP * size
            change = (self._applied(t, shifted) - base) / (STEP * size)
            for equation in equations:
                row = equation - first if equation >= first else equation - s.n_q + n_z
                J[self._slot(equation, k, sparse)] -= change[row if equation < s.n - 1 else -1]

    def _applied(self, t: float, y: Array) -> Array:
        """Return the rates of z, forces on q, and the power, (n_z + n_q + 1,)."""
        lay, out = self.system.layout, np.zeros(len(self.system.T) + 1)
        rates = self.apply(t, y[lay.q], y[lay.v], y[lay.x], out)
        return np.concatenate([rates, self.system.T.T @ out[:-1], out[-1:]])

    def _slot(self, equation: int, unknown: int, sparse: bool) -> int:
        if not sparse:
            return equation * self.system.n + unknown
        first, last = self.system.indptr[unknown], self.system.indptr[unknown + 1]
        return int(first + np.searchsorted(self.system.indices[first:last], equation))
