"""Result of a run of a mechanism in space: its motion by name, reactions of all joints, efforts, energies, closure.

Samples are projected before accelerations and reactions are computed from them. Reactions are one least-norm solution
over all joints at each sample, as in the plane:

    equilibrium of body b:  force   sum over rows of lam g_r              = m a - F                              (1)
                            moment  sum over rows of lam sum_i d_i x g_i  = J alpha + omega x J omega - M        (2)

g_r and g_i are the derivatives of a row by the centre and by the axes of b; moments are about the centre of mass.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.engine.natural.observed import NaturalMotion
from particlemech.engine.space_motion import SightInSpace
from particlemech.engine.statics import determined, least_norm
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND
from particlemech.result.base import States, chained
from particlemech.result.plane import marked
from particlemech.result.space import SpaceResult

if TYPE_CHECKING:
    from particlemech.engine.natural.equations import SpatialSystem


class Balance(NamedTuple):
    """Equilibrium of all bodies at one instant: wrench @ r = missing, r = multipliers of all joints, then drivers.

    Rows: force, then moment about the centre of mass divided by L, body by body.
    """

    wrench: Array  # (6 n_body, n_reaction)
    missing: Array  # (6 n_body,)
    unit: Array  # (n_reaction,) 1 for a force, L for a moment


class Reactions(NamedTuple):
    """Least-norm reactions at the samples, and which of their components are determined."""

    value: Array  # (K, n_joint, 6) force, then moment about the joint's place, on the second body
    known: Array  # (K, n_joint, 6) bool
    effort: Array  # (K, n_effort) of couplings, then drivers
    effort_known: Array  # (K, n_effort) bool


class NaturalStates(States):
    """The samples of one phase."""

    system: SpatialSystem

    @cached_property
    def rubbing_loads(self) -> Array:
        """What surfaces with dry friction carry, (K, n)."""
        system, found = self.system, np.zeros((len(self.t), len(self.system.surfaces.every)))
        for k, state in enumerate(zip(self.t, *self.projected, self.x, strict=True)) if system.surfaces else ():
            found[k] = system.surfaces.solve(*state[:3], *system._smooth(*state))[1]
        return found


class LoopResult(SpaceResult, NaturalMotion):
    """The motion of a mechanism in space: see Result for the run, NaturalMotion for what moves, by name."""

    system: SpatialSystem

    _of_phase = NaturalStates
    _states: list[NaturalStates]  # type: ignore[assignment]

    def _level(self, level: int) -> Array:
        """Return full coordinates (0), their rates (1) or second rates (2), (K, 12 n_body)."""
        return self._full[level] if level < 2 else self._second_rates

    @property
    def _theta(self) -> Array:  # type: ignore[override]
        counters, parts = self.system.compiled.counters, []
        for states in self._states:
            own = states.system.compiled.counters
            parts.append(np.zeros((len(states.t), len(counters))))
            for end in own:
                parts[-1][:, counters[end]] = states.x[:, own[end]]
        return chained(parts)

    @cached_property
    def _full(self) -> tuple[Array, Array]:
        each = [(s.system.full(s.projected[0]), s.system.full(s.projected[1], rates=True)) for s in self._states]
        return chained([z for z, _ in each]), chained([rates for _, rates in each])

    @cached_property
    def _second_rates(self) -> Array:
        return chained([s.system.full(s.accelerations, rates=True) for s in self._states])

    def _by_name(self, joint: str, coordinate: str | None, level: int) -> Array:
        found, gone = super()._by_name(joint, coordinate, level), self._gone(joint)
        return np.where(gone if found.ndim == 1 else gone[:, None], np.nan, found) if gone.any() else found

    @cached_property
    def _rubbing_loads(self) -> Array:
        return self._loaded_by([of.rubbing_loads for of in self._states], [of.system for of in self._states])

    # -- reactions ---------------------------------------------------------------------------------------------

    @cached_property
    def _sampled_in(self) -> list[tuple[NaturalStates, int]]:
        """The phase of each sample, and its number there."""
        return [(states, at) for states in self._states for at in range(len(states.t))]

    def _balance(self, k: int) -> Balance:
        """Return the equilibrium of all bodies at sample k, (1) and (2)."""
        states, at = self._sampled_in[k]
        system, t, L = states.system, float(self.t[k]), self.system.scale.length
        z, v, a = (self._level(level)[k] for level in range(3))
        every = system.compiled.every
        held = [r for r, row in enumerate(every) if not row.part.startswith("body")]
        g = system.every(t, z, v).phi_q[held].T  # (12 n_body, n_reaction)
        # M a - f are forces on the coordinates; those of the multipliers of bodies do no more than hold them rigid
        wrench = self._wrenches(z, g)
        q, q_dot = (of[at] for of in states.projected)
        f = system.full_forces(t, q, q_dot, states.x[at])
        missing = self._wrenches(z, (system.compiled.coordinates.mass @ a - f)[:, None])[:, 0]
        angles = np.array([every[r].angle for r in held], dtype=bool)
        return Balance(wrench, missing, np.where(angles, L, 1.0))

    def _wrenches(self, z: Array, f: Array) -> Array:
        """Return forces on full coordinates (12 n_body, m) as force and moment/L on every body, (6 n_body, m)."""
        d = z.reshape(-1, 4, 3)[:, 1:]
        parts = f.reshape(len(d), 4, 3, -1)
        moment = np.einsum("xyz,biy,bizm->bxm", LEVI, d, parts[:, 1:])
        return np.concatenate([parts[:, 0], moment / self.system.scale.length], axis=1).reshape(6 * len(d), f.shape[1])

    @cached_property
    @one_thread
    def _reactions(self) -> Reactions:
        joints, exerting, K, L = self._joints, self._exerting, len(self.t), self.system.scale.length
        value, known = np.zeros((K, len(joints), 6)), np.ones((K, len(joints), 6), dtype=bool)
        effort, effort_known = np.zeros((K, len(exerting))), np.ones((K, len(exerting)), dtype=bool)
        slopes = np.stack([self._slope(part) for part in exerting.values()]) if exerting else np.ones((0, K))
        for k, (states, _) in enumerate(self._sampled_in):
            balance = self._balance(k)
            rows = [row for row in states.system.compiled.every if not row.part.startswith("body")]
            r, stresses, _ = least_norm(balance)  # type: ignore[arg-type]  # the same members in three dimensions
            for j, name in enumerate(joints):
                report = self._report(k, name, balance, [row.part == f'joint "{name}"' for row in rows])
                value[k, j] = report @ r
                # moments beside forces at arm's length: a ball's are rounding, and known to be 0
                known[k, j] = determined(report / np.repeat([1.0, L], 3)[:, None], stresses, balance.unit)
            for i, part in enumerate(exerting.values()):
                own = np.array([row.part == part for row in rows], dtype=float)
                effort[k, i] = slopes[i, k] * (own @ r)
                effort_known[k, i] = not own.any() or determined(own[None], stresses, balance.unit)[0]
        return Reactions(value, known, effort, effort_known)

    @cached_property
    def _joints(self) -> list[str]:
        """The joints between bodies."""
        return [name for name, joint in self.mechanism.joints.items() if joint.bodies]

    @cached_property
    def _exerting(self) -> dict[str, str]:
        """Couplings, stops and drivers, which have an effort: as parts of rows, by name."""
        couplings = {name: f'joint "{name}"' for name, joint in self.mechanism.joints.items() if not joint.bodies}
        return couplings | {name: f'driver "{name}"' for name in self.mechanism.drivers}

    def _slope(self, part: str) -> Array:
        """Return what turns the multiplier of a coupling or driver into its effort, (K,)."""
        word, name, _ = part.split('"', 2)
        driver = self.mechanism.drivers.get(name) if word == "driver " else None
        return np.ones(len(self.t)) if driver is None else self.system.slope(name, self)

    def _report(self, k: int, joint: str, balance: Balance, own: list[bool]) -> Array:
        """Return what turns reactions into force and moment of a joint at its place, on its second body, (6, n)."""
        spec, L = self.mechanism.joints[joint], self.system.scale.length
        sign, body = (1.0, spec.second) if spec.second != GROUND else (-1.0, spec.first)
        b = self._body(body)
        wrench = sign * np.where(own, balance.wrench[6 * b : 6 * b + 6], 0.0)
        arm = self._placed(spec.second, spec.place(self.mechanism), 0)[k] - self.com(body)[k]
        force, moment = wrench[:3], L * wrench[3:]
        return np.concatenate([force, moment - np.cross(arm, force, axis=0)])

    def _reaction(self, joint: str, on: str, undetermined: str) -> Array:
        m = self.mechanism
        if joint not in m.joints:
            raise ModelError(f'joint "{joint}" unknown{suggestion(joint, m.joints)}')
        bodies = m.joints[joint].bodies
        if not bodies:
            what, ask = ("stop", "force") if m.joints[joint].pushes(m) else ("coupling", "effort")
            raise ModelError(f'joint "{joint}" is a {what} and holds no body; ask for {ask}("{joint}")')
        if on not in bodies:
            raise ModelError(f'joint "{joint}": body "{on}" is not one of its bodies{suggestion(on, bodies)}')
        j, found = self._joints.index(joint), self._reactions
        return marked(found.value[:, j] * (1.0 if on == bodies[1] else -1.0), found.known[:, j], undetermined)

    def reaction(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 3), at its present place on the second body.

        Parameters
        ----------
        joint, on
            The joint, and the body it acts on.
        undetermined
            "nan" marks components that the mechanism does not determine; "least-norm" fills them with the least
            reactions that balance.
        """
        return self._reaction(joint, on, undetermined)[:, :3]

    def moment(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the moment that a joint exerts on one of its bodies about its place, (K, 3)."""
        return self._reaction(joint, on, undetermined)[:, 3:]

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the moment or force of a driver, (K,), or that of a coupling on the coordinate that follows."""
        if driver not in self._exerting:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, self._exerting)}')
        i, found = list(self._exerting).index(driver), self._reactions
        return marked(found.effort[:, i], found.effort_known[:, i], undetermined)

    # -- forces ------------------------------------------------------------------------------------------------

    def _pressing(self, joint: str) -> Array:
        return self.effort(joint)[:, None]

    def _sight(self) -> SightInSpace:
        def state(k: int) -> Any:
            of, at = self._sampled_in[k]
            return of.system.state_of(float(self.t[k]), of.projected[0][at], of.projected[1][at], of.x[at])

        return SightInSpace(self, state)


LEVI = np.zeros((3, 3, 3))  # the permutation symbol: (a x b)_x = LEVI_xyz a_y b_z
LEVI[0, 1, 2] = LEVI[1, 2, 0] = LEVI[2, 0, 1] = 1.0
LEVI[0, 2, 1] = LEVI[2, 1, 0] = LEVI[1, 0, 2] = -1.0
