"""What sections of bodies carry, as results have it, in the plane and in space: engine/internal.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from particlemech.engine import internal
from particlemech.engine.internal import Driven, Internal, Stretch
from particlemech.engine.system import Array

LEAST_NORM = "least-norm"


class Sections:
    """Mixin of results; a world says what its bodies consist of, what joints transmit, and what they leave open."""

    t: Array  # (K,) s
    mechanism: Any

    def _stretches(self, body: str, x: Array) -> Iterator[Stretch]:
        """Give the parts of a body that hold the places x (n,), increasing, outward."""
        raise TypeError(f"{type(self).__name__} does not know bodies")

    def _special(self, body: str) -> Array:
        """Return the places along a body where something is attached to it, and stays there, (n,)."""
        (part,) = self._stretches(body, np.zeros(1))
        return np.array([of.s[0] for of in part.hung if np.ptp(of.s) <= internal.NEAR * np.max(of.s)])

    def _handed(self, body: str, key: Any) -> Array:
        """Return what a body hands on to something attached to it, moment and force, (K, 6)."""
        raise TypeError(f"{type(self).__name__} does not know what joints transmit")

    def _strained(self, body: str, key: Any, k: int) -> Array:
        """Return what self-stresses make a body hand on to something attached to it at sample k, (w, 6)."""
        raise TypeError(f"{type(self).__name__} does not know self-stresses")

    @property
    def _stresses(self) -> Mapping[int, Array]:
        """Return the self-stresses (n, w) of the samples that have some."""
        raise TypeError(f"{type(self).__name__} does not know self-stresses")

    def _opened(self, value: Array, stressed: dict[int, Array], undetermined: str) -> Array:
        """Return values (K, ...) with what self-stresses leave open as NaN, or as they are least."""
        raise TypeError(f"{type(self).__name__} does not know self-stresses")

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the effort of a driver, (K,)."""
        raise TypeError(f"{type(self).__name__} has no drivers")

    def internal(self, body: str, n: int = 41, undetermined: str = "nan") -> Internal:
        """Return what the sections of a body carry along it: axial force, shear, torsion, bending moments, stresses.

        Parameters
        ----------
        body
            One that bends, or a rigid rod: two points, without com and inertia.
        n
            How many places, evenly spread from its first point to its second.
        undetermined
            "nan" marks components that the mechanism does not determine; "least-norm" takes the least reactions.

        Returns
        -------
        Internal
            `x`, (n,), places from the first point. `force`, (K, n, 3): axial force, positive in tension, and shear
            along y and z of the section. `moment`, (K, n, 3): torsion, and bending moments about y and z. They are
            what the inner side of a cut gets from the outer one, in axes that turn with the section: x along the body,
            z its `up` (without: z of the drawing; in the plane towards the reader), y = z x x. In the plane only the
            axial force, the shear along y and the moment about z are not zero. `stress`, (K, n, 2): the largest normal
            stress, and the largest shear stress of torsion, of bodies with a `section`; else None. `place`, (K, n, 3),
            and `axes`, (K, n, 3, 3), in columns: where the sections are and how they stand. Where something is attached
            at x, all are those just inside of it, at x = 0 those just outside.

        Raises
        ------
        ModelError
            If the body is unknown, or its mass is not known to lie along a line.

        Examples
        --------
        >>> import particlemech as pm
        >>> result = pm.simulate(pm.models.load("cantilever"), samples=2, duration=0.1)
        >>> result.internal("beam", n=5).moment[-1, -1].round(9) + 0.0  # at its free end
        array([0., 0., 0.])
        >>> run = pm.simulate(pm.models.load("four_bar"), samples=2, duration=0.1)
        >>> run.internal("coupler", n=3).moment[-1, :, 2].round(4) + 0.0  # pinned at both ends
        array([ 0.    , -1.5249,  0.    ])
        """
        return self._carried(body, internal.places(self.mechanism, body, n), undetermined)

    def largest(self, body: str, n: int = 41) -> dict[str, Array]:
        """Return the largest of `internal` along a body at each sample, (K,) each.

        They are looked for at n places and on both sides of whatever is attached: "axial_max", "shear_max",
        "torsion_max" and "moment_max", the sizes of the axial force, the shear force, the torque and the bending
        moment; with a section "stress_max", the normal stress, and "shear_stress_max", that of torsion. What the
        mechanism leaves open is that of the least reactions.
        """
        x = internal.places(self.mechanism, body, n)
        own = self._special(body)
        beside = own * (1.0 + 4.0 * internal.NEAR)  # just outside of it
        x = np.union1d(x, np.concatenate([own, beside[beside < x[-1]]]))
        return internal.largest(self._carried(body, x, LEAST_NORM))

    def _carried(self, body: str, x: Array, undetermined: str) -> Internal:
        """Return what sections at places x (n,), increasing, carry."""
        found, place = np.zeros((len(self.t), len(x), 6)), np.zeros((len(self.t), len(x), 3))
        axes = np.zeros((len(self.t), len(x), 3, 3))
        for part in self._stretches(body, x):
            p = part.own + part.carrying(lambda key: self._hung(body, key))
            p = -np.einsum("knji,knwj->knwi", part.axes, p.reshape(*p.shape[:2], 2, 3)).reshape(p.shape)
            found[:, part.which] = self._opened(p, self._opening(body, part), undetermined)
            place[:, part.which], axes[:, part.which] = part.at, part.axes
        force, moment = found[..., 3:], found[..., :3]
        stress = internal.stress(self.mechanism.bodies[body], force, moment)
        return Internal(x, force, moment, stress, place, axes)

    def _hung(self, body: str, key: Any) -> Array:
        """Return what a body hands on to something attached to it, or takes from what acts on it, (K, 6)."""
        if isinstance(key, Driven):
            return -self.effort(key.driver, LEAST_NORM)[:, None] * key.wrench
        return key if isinstance(key, np.ndarray) else self._handed(body, key)

    def _opening(self, body: str, part: Stretch) -> dict[int, Array]:
        """Return what self-stresses do in the sections of a stretch, (n, 6, w), by sample."""
        found: dict[int, Array] = {}
        for k, w in self._stresses.items():
            now = part.only(k, w.shape[1])
            p = now.carrying(lambda key, k=k, n=w.shape[1]: self._strain(body, key, k, n))  # type: ignore[misc]
            p = -np.einsum("nji,wnvj->wnvi", part.axes[k], p.reshape(*p.shape[:2], 2, 3)).reshape(p.shape)
            found[k] = np.moveaxis(p, 0, 2)
        return found

    def _strain(self, body: str, key: Any, k: int, n: int) -> Array:
        """Return what n self-stresses make of what is attached to a body at sample k, (n, 6)."""
        if isinstance(key, Driven):
            return -np.outer(self._efforts_strained(key.driver, k), key.wrench[k])
        return np.zeros((n, 6)) if isinstance(key, np.ndarray) else self._strained(body, key, k)

    def _efforts_strained(self, driver: str, k: int) -> Array:
        """Return the efforts of a driver in the self-stresses of sample k, (w,)."""
        raise TypeError(f"{type(self).__name__} does not know self-stresses")
