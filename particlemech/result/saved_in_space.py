"""Results in space read back from files, of runs in which stops held now and then: what held when is not in files."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from particlemech.engine.recursive.tables import SampledMotion
from particlemech.engine.system import Array
from particlemech.result.natural import LoopResult, NaturalStates, Reactions
from particlemech.result.recursive import SpaceStates, TreeResult
from particlemech.result.saved import NotHeld


class _UnheldInSpace(SpaceStates):
    """Samples in joint coordinates: places and speeds are theirs, what accelerates them is not known."""

    @cached_property
    def record(self) -> SampledMotion:
        """The motion, without what follows from forces of rows."""
        found = super().record
        x = found.x.copy()
        x[:, :, 2] = np.nan
        lost = {name: np.full_like(getattr(found, name), np.nan) for name in ("a", "p", "tau", "lam", "loads")}
        return found._replace(x=x, **lost)

    def pressing(self, joint: str) -> Array:
        """Not known."""
        return np.full((len(self.t), 1), np.nan)


class _UnheldNatural(NaturalStates):
    """Samples in natural coordinates."""

    @cached_property
    def accelerations(self) -> Array:
        """Not known, (K, n_v)."""
        return np.full((len(self.t), self.system.n_v), np.nan)


class UnheldInSpace(NotHeld, TreeResult):
    """Such a result in joint coordinates."""

    _of_phase = _UnheldInSpace


class UnheldNatural(NotHeld, LoopResult):
    """Such a result in natural coordinates."""

    _of_phase = _UnheldNatural

    @cached_property
    def _reactions(self) -> Reactions:
        """Not known."""
        K, joints, efforts = len(self.t), len(self._joints), len(self._exerting)
        value, effort = np.full((K, joints, 6), np.nan), np.full((K, efforts), np.nan)
        return Reactions(value, np.isfinite(value), effort, np.isfinite(effort))


UNHELD: dict[type, type] = {TreeResult: UnheldInSpace, LoopResult: UnheldNatural}
