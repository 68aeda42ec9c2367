"""What joints lose by friction: efforts and powers.

loss of a joint = - sum of effort x rate of its friction, viscous part included, over the places where it rubs   (1)
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.rubbing import rubbing
from particlemech.result.base import chained

LOOKS = 200  # samples at which a second solution of friction is looked for, at most or little more


class Losses:
    """Members of a result about friction."""

    t: Array
    energy: Any
    system: Any
    measures: Any
    _states: Any
    _at: Any

    @cached_property
    @one_thread
    def _rubbing(self) -> tuple[Array, Array]:
        """Efforts of friction and rates at the samples, (K, n) each, of all places where joints rub."""
        each = [self._of_all(s) for s in self._states]
        return chained([effort for effort, _ in each]), chained([rate for _, rate in each])

    def _of_all(self, states: Any) -> tuple[Array, Array]:
        """Return the same of one phase, 0 of joints that are gone."""
        found, every = states.system.slipping_of(states.t, *states.projected, states.x), self._rubbed
        there = tuple(rub.joint for rub in rubbing(states.system.mechanism))
        if there == every:
            return found
        effort, rate = np.zeros((2, len(states.t), len(every)))
        at = [k for k, joint in enumerate(every) if joint in there]
        effort[:, at], rate[:, at] = found
        return effort, rate

    @property
    def _rubbed(self) -> tuple[str, ...]:
        """The joint of each place."""
        return tuple(rub.joint for rub in rubbing(self.system.mechanism))

    def _places(self, joint: str) -> list[int]:
        self._at(tuple(self.system.mechanism.joints), joint, "joint")
        found = [k for k, name in enumerate(self._rubbed) if name == joint]
        if not found:
            known = ", ".join(dict.fromkeys(self._rubbed)) or "none"
            raise ModelError(f'joint "{joint}" has no friction; joints that have: {known}')
        return found

    def friction(self, joint: str) -> Array:
        """Return the effort of friction on the coordinate of a joint, (K,), N m or N; of a pin of n bodies (K, n - 1).

        Of a gear or a rack of both its bodies against the carrier, (K, 2), or of the carrier against the ground.
        Of a massless rod the couples on it at its pins, on the first and on the second body, (K, 2).
        In space of all coordinates in order, (K, n), and of a spherical joint the moment in global axes, (K, 3).
        It works on the second body, minus it on the first; viscous and dry parts together.
        """
        found = self._rubbing[0][:, self._places(joint)]
        return found[:, 0] if found.shape[1] == 1 else found

    def loss(self, joint: str) -> Array:
        """Return the power that a joint loses by friction, (K,), W, (1)."""
        effort, rate = self._rubbing
        at = self._places(joint)
        return np.asarray(-np.sum(effort[:, at] * rate[:, at], axis=1))

    def loss_columns(self) -> dict[str, Array]:
        """Return the losses by column, one for each joint that has friction."""
        return {f"{name}.loss": self.loss(name) for name in dict.fromkeys(self._rubbed)}

    @property
    def warnings(self) -> list[str]:
        """What a completed run does not say: friction that has a second solution, engine/jamming.py."""
        said: dict[str, str] = {}
        for states in self._states:
            every = range(0, len(states.t) if self._rubbed else 0, max(1, len(self.t) // LOOKS))
            for k in every:
                t, (q, v) = float(states.t[k]), (of[k] for of in states.projected)
                for joint, (taken, other) in states.system.seconds(t, q, v, states.x[k]).items():
                    said.setdefault(
                        joint,
                        f'joint "{joint}": friction has two solutions, at t = {t:.4g} s with the loads {taken:.6g} and '
                        f"{other:.6g}; the smaller is taken, to which friction leads as it grows from nothing",
                    )
        return [*super().warnings, *said.values()]  # type: ignore[misc]

    def efficiency(self, start: float | None = None, end: float | None = None) -> float:
        """Return how much of what is put in comes out, 0 to 1, over a span of time.

        Parameters
        ----------
        start, end
            s; by default the whole run. Over full cycles stored energy comes back and counts for nothing.

        Raises
        ------
        ModelError
            If nothing is put in, or the span is not within the run.
        """
        found: float = self.measures().efficiency(start, end)
        return found
