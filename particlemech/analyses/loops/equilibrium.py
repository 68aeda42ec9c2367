"""What a known motion takes: efforts of drivers or of motors in their place, and reactions, by Newton's second law.

    G^T lam = M z'' - f        z'' as known                                                                 (1)

in natural coordinates z. The columns of G^T are the wrenches of joints and drivers; for motors in place of these, the
derivatives of the coordinates at which they act. Of all lam the least; result/natural.py says which are determined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.natural.equations import system
from particlemech.engine.natural.readings import gradient
from particlemech.engine.natural.start import Bodies, natural
from particlemech.engine.statics import determined, least_norm
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.natural import Balance, LoopResult
from particlemech.run.stated import stated
from particlemech.run.trajectory import Phase

UNMET = 1e-9  # part of what must be balanced that counts as left over


def bodies_of(run: Any) -> list[Bodies]:
    """Return where all bodies are at the samples of a run in space, and how they move."""
    m = run.system.mechanism
    x, R, v, omega = (
        np.array([of(b) for b in m.bodies]) for of in (run.com, run.orientation, run.com_velocity, run.omega)
    )
    every = ((name, x) for name, joint in m.joints.items() for x in joint.coordinate_names)
    near = {end: run.coordinate(*end) for end in every}
    return [
        Bodies(x[:, k], R[:, k], v[:, k], omega[:, k], {end: float(c[k]) for end, c in near.items()})
        for k in range(len(run.t))
    ]


class Known(LoopResult):
    """A mechanism at K times, where bodies are and move as given; accelerations too, or else forces cause them.

    `own` are the states of motors and controllers at these times, (K, n_z), default as they begin.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        t: Array,
        bodies: Sequence[Bodies],
        given: tuple[Array, Array] | None = None,
        own: Array | None = None,
    ) -> None:
        made = system(mechanism)
        lay, y = made.layout, np.zeros((len(t), made.n))
        for state, at in zip(y, bodies, strict=True):
            state[lay.q], state[lay.v], theta = natural(made, at)
            state[lay.x] = made.elements.extra(theta)
        if own is not None:
            y[:, lay.x.stop - 1 - own.shape[1] : lay.x.stop - 1] = own
        super().__init__(*stated(Phase(made, "none", np.array(t), y)), dict)
        self._bodies, self._given = bodies, given

    @cached_property
    def _second_rates(self) -> Array:
        """z'', (K, 12 n_body), from accelerations a and alpha (K, n_body, 3) as given."""
        if self._given is None:
            return self.system.full(self._accelerations, rates=True)
        rows = []
        for at, a, alpha in zip(self._bodies, *self._given, strict=True):
            d, omega = np.swapaxes(at.R, 1, 2), at.omega[:, None]
            turned = np.cross(alpha[:, None], d) + np.cross(omega, np.cross(omega, d))
            rows.append(np.concatenate([a[:, None], turned], axis=1).ravel())
        return np.array(rows)

    def left_over(self, body: str) -> Array:
        """Return the moment on a body that neither joints nor drivers balance, (K, 3)."""
        b, L, found = self._body(body), self.system.scale.length, []
        for k in range(len(self.t)):
            balance: Any = self._balance(k)
            left = balance.missing - balance.wrench @ least_norm(balance)[0]
            found.append(L * left[6 * b + 3 : 6 * b + 6])
        return np.array(found)

    def by_motors(self, coordinates: Mapping[str, str]) -> dict[str, Array]:
        """Return the efforts at coordinates, by joint, that hold the motion in place of the drivers, (K,) each: (1)."""
        where, found = ", ".join(f'"{name}"' for name in coordinates), []
        held = [row for row in self.system.compiled.every if not row.part.startswith("body")]
        joints = [row.part.startswith("joint") for row in held]
        n, L = len(coordinates), self.system.scale.length
        units = [L if name.startswith("angle") else 1.0 for name in coordinates.values()]
        for k, t in enumerate(self.t):
            every, z = self._balance(k), self._level(0)[k]
            along = [gradient(self._compiled.measures[end], z) for end in coordinates.items()]
            wrench = np.hstack([every.wrench[:, joints], self._wrenches(z, np.array(along).T)])
            balance = Balance(wrench, every.missing, np.concatenate([every.unit[joints], units]))
            r, stresses, _ = least_norm(balance)  # type: ignore[arg-type]
            unmet = float(np.abs(wrench @ r - every.missing).max(initial=0.0))
            if unmet > UNMET * float(np.abs(every.missing).max(initial=0.0)):
                raise ModelError(f"motors at {where} cannot hold the motion at t = {t:.6g}; add one for each freedom")
            own = np.eye(len(r))[len(r) - n :]
            if not all(determined(one[None], stresses, balance.unit)[0] for one in own):
                raise ModelError(f"motors at {where} share the work in many ways at t = {t:.6g}; leave one out")
            found.append(r[len(r) - n :])
        return dict(zip(coordinates, np.array(found).T, strict=True))
