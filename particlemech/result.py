"""Result: a motion by name. Arrays run along the samples; what costs time is computed when first asked for.

Reactions are one least-norm solution over all joints at each sample, so they do not depend on how the mechanism was
cut:

    wrench r = missing,   r least in units of force (moments divided by L)                          (1)
    a component c.r is determined if and only if c is orthogonal to every self-stress (null space of wrench)  (2)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.applied import Exerting
from particlemech.errors import ModelError, suggestion
from particlemech.outcome import Outcome, States, chained
from particlemech.plane import Balance, Motion, PlanarInstant, Sight
from particlemech.system import Array

RANK = 1e-8  # singular values below this fraction of the largest count as zero
LEAST_NORM = "least-norm"


class Reactions(NamedTuple):
    """Least-norm reactions at the samples, and which of their components are determined."""

    value: Array  # (K, n_report, 3) force x, y, moment; order of Layout.reactions
    known: Array  # (K, n_report, 3) bool
    effort: Array  # (K, n_driver)
    effort_known: Array  # (K, n_driver) bool
    condition: Array  # (K,) of the equilibrium, self-stresses left out


def least_norm(balance: Balance) -> tuple[Array, Array, float]:
    """Return least-norm reactions (1), (n_reaction,), a basis of the self-stresses, (n_reaction, k), and a condition.

    The condition number of equilibrium says how much larger an error of the motion appears in the reactions.
    """
    B = balance.wrench * balance.unit
    if not B.size:
        return np.zeros(B.shape[1]), np.eye(B.shape[1]), 1.0
    U, s, Vt = np.linalg.svd(B)
    rank = int(np.sum(s > RANK * s[0])) if s[0] > 0.0 else 0
    r = Vt[:rank].T @ ((U[:, :rank].T @ balance.missing) / s[:rank])
    condition = float(s[0] / s[rank - 1]) if rank else 1.0
    return balance.unit * r, balance.unit[:, None] * Vt[rank:].T, condition


def determined(functional: Array, stresses: Array, unit: Array) -> Array:
    """Return which of the functionals (..., n_reaction) have one value only, (2).

    Each is judged beside the largest of its joint: what a joint cannot carry is rounding, and known to be 0.
    """
    if not stresses.shape[1]:
        return np.ones(functional.shape[:-1], dtype=bool)
    size = np.max(np.linalg.norm(functional * unit, axis=-1), axis=-1, keepdims=True)
    seen = np.linalg.norm(functional @ stresses, axis=-1)
    return np.asarray(seen <= RANK * np.maximum(size, 1e-300))


def _marked(value: Array, known: Array, undetermined: str) -> Array:
    """Return values with those that are not determined as NaN, or filled with the least-norm ones."""
    if undetermined not in ("nan", LEAST_NORM):
        raise ModelError(f'undetermined must be "nan" or "{LEAST_NORM}", got {undetermined!r}')
    return value.copy() if undetermined == LEAST_NORM else np.where(known, value, np.nan)


def _moving(states: States, a: Array) -> Motion:
    """Return the motion at the samples of a phase with accelerations (K, n_v)."""
    q, v = states.projected
    motion: Motion = states.system.motion(q, v, a, states.x)
    return motion


def _joined(parts: list[Motion]) -> Motion:
    """Return the motions of phases one after the other; by name they are the same in all systems."""
    return Motion(*(chained([*of]) for of in zip(*parts, strict=True)))


@one_thread
def _reactions(states: States) -> Reactions:
    """Return the reactions at the samples of a phase."""
    system, (q, v) = states.system, states.projected
    lay, K = system.layout, len(states.t)
    n, m = len(lay.reactions), len(lay.drivers)
    value, known = np.zeros((K, n, 3)), np.ones((K, n, 3), dtype=bool)
    effort, effort_known = np.zeros((K, m)), np.ones((K, m), dtype=bool)
    condition = np.ones(K)
    for k, t in enumerate(states.t):
        balance = system.balance(t, q[k], v[k], states.accelerations[k], states.x[k])
        r, stresses, condition[k] = least_norm(balance)
        value[k] = balance.report @ r
        known[k] = determined(balance.report, stresses, balance.unit)
        for i, name in enumerate(lay.drivers):
            own = np.array([column == name for column in balance.joint_columns], dtype=float)
            effort[k, i] = own @ r
            effort_known[k, i] = determined(own[None], stresses, balance.unit)[0]
    return Reactions(value, known, effort, effort_known, condition)


class Result(Outcome, Exerting):
    """The motion of a mechanism in the plane, at K samples.

    Attributes
    ----------
    t : array, shape (K,)
        Times of the samples, s.
    status, message
        How the run ended, and in words.
    energy, closure, certificate
        How far the run can be trusted: energies and errors of joints at the samples, and the worst along all steps.
    events : dict
        Zeros of the events by name, each a result whose samples are these instants.
    phases, stats, provenance
        The stretches of the run with their integrators; effort; version, hash of the model and options.
    """

    system: PlanarInstant

    # -- states ------------------------------------------------------------------------------------------------

    @cached_property
    def _motion(self) -> Motion:
        return _joined([_moving(states, np.zeros_like(states.projected[1])) for states in self._states])

    @cached_property
    def _full_motion(self) -> Motion:
        return _joined([_moving(states, states.accelerations) for states in self._states])

    # -- by name -----------------------------------------------------------------------------------------------

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 2), m."""
        return self._motion.point[:, self._at(self.system.layout.points, point, "point")]

    def whole(self, what: str, names: tuple[str, ...]) -> Array:
        """Return "position", "velocity" (K, n, 2), "angle" or "omega" (K, n) of several points or bodies at once."""
        m, lay = self._motion, self.system.layout
        points, bodies = (lay.points, "point"), (lay.bodies, "body")
        every = {
            "position": (m.point, *points),
            "velocity": (m.point_v, *points),
            "angle": (m.angle, *bodies),
            "omega": (m.omega, *bodies),
        }
        array, own, kind = every[what]
        return array if names == own else array[:, [self._at(own, name, kind) for name in names]]

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 2), m/s."""
        return self._motion.point_v[:, self._at(self.system.layout.points, point, "point")]

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 2), m/s^2."""
        return self._full_motion.point_a[:, self._at(self.system.layout.points, point, "point")]

    def com(self, body: str) -> Array:
        """Return the path of a centre of mass, (K, 2), m."""
        return self._motion.com[:, self._at(self.system.layout.bodies, body, "body")]

    def angle(self, body: str) -> Array:
        """Return the angle of a body since t = 0, (K,), rad; it counts turns."""
        return self._motion.angle[:, self._at(self.system.layout.bodies, body, "body")]

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K,), rad/s."""
        return self._motion.omega[:, self._at(self.system.layout.bodies, body, "body")]

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K,), rad/s^2."""
        return self._full_motion.alpha[:, self._at(self.system.layout.bodies, body, "body")]

    # -- reactions ---------------------------------------------------------------------------------------------

    @cached_property
    def _reactions(self) -> Reactions:
        parts = [_reactions(states) for states in self._states]
        return Reactions(*(chained([*of]) for of in zip(*parts, strict=True)))

    @property
    def condition(self) -> Array:
        """Condition number of the equilibrium at the samples, (K,): reactions magnify errors of the motion by it."""
        return self._reactions.condition

    def _reaction(self, joint: str, on: str, undetermined: str) -> Array:
        lay = self.system.layout
        self._at(lay.joints, joint, "joint")
        bodies = tuple(b for j, b in lay.reactions if j == joint)
        if on not in bodies:
            raise ModelError(f'joint "{joint}": body "{on}" is not one of its bodies{suggestion(on, bodies)}')
        k = lay.reactions.index((joint, on))
        return _marked(self._reactions.value[:, k], self._reactions.known[:, k], undetermined)

    def reaction(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 2), N, global axes.

        Parameters
        ----------
        joint, on
            The joint, and the body it acts on.
        undetermined
            "nan" marks components that the mechanism does not determine; "least-norm" fills them with the least
            reactions that balance.
        """
        return self._reaction(joint, on, undetermined)[:, :2]

    def moment(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the moment that a joint exerts on one of its bodies at its place, (K,), N m."""
        lay = self.system.layout
        self._at(lay.joints, joint, "joint")
        if joint not in lay.moments:
            raise ModelError(f'joint "{joint}" carries no moment; joints that do: {", ".join(lay.moments) or "none"}')
        return self._reaction(joint, on, undetermined)[:, 2]

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the torque or force of a driver on its second body, (K,), N m or N."""
        k = self._at(self.system.layout.drivers, driver, "driver")
        return _marked(self._reactions.effort[:, k], self._reactions.effort_known[:, k], undetermined)

    # -- forces ------------------------------------------------------------------------------------------------

    @property
    def _forces(self) -> Mapping[str, Any]:
        return self.system.mechanism.forces

    def _sight(self) -> Sight:
        system = self.system
        return Sight(system.mechanism, system.layout, system.turned, self.t, self._motion)

    # -- files -------------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, bodies, joints, drivers and forces, by name, in order."""
        lay, m = self.system.layout, self._full_motion
        result: dict[str, Array] = {}
        for p, name in enumerate(lay.points):
            for field, array in (("", m.point), ("v", m.point_v), ("a", m.point_a)):
                result[f"{name}.{field}x"], result[f"{name}.{field}y"] = array[:, p, 0], array[:, p, 1]
        for b, name in enumerate(lay.bodies):
            result[f"{name}.angle"], result[f"{name}.omega"] = m.angle[:, b], m.omega[:, b]
            result[f"{name}.alpha"] = m.alpha[:, b]
            result[f"{name}.x"], result[f"{name}.y"] = m.com[:, b, 0], m.com[:, b, 1]
        for joint, body in lay.reactions:
            if (joint, body) in lay.firsts:
                continue
            force = self.reaction(joint, on=body)
            result[f"{joint}.{body}.fx"], result[f"{joint}.{body}.fy"] = force[:, 0], force[:, 1]
            if joint in lay.moments:
                result[f"{joint}.{body}.m"] = self.moment(joint, on=body)
        for name in lay.drivers:
            result[f"{name}.effort"] = self.effort(name)
        return result | self.force_columns()
