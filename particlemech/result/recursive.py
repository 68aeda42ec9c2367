"""Result of a run of a mechanism in space: its motion by name, reactions, energies, momenta, the columns of its files.

Where rows depend on each other, multipliers that hold each other, self-stresses w with G^T w = 0, change the reactions
and nothing else. Carried inward along the tree as wrenches they are those of all joints:

    f_i = -sum over rows of w_r W_r on frame i + sum over children of f_j, moved to O_i                          (1)

A component of a reaction is determined if no self-stress touches it; the others are NaN, or those of least norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech.engine.dry_friction import follows, resting
from particlemech.engine.internal import Stretch
from particlemech.engine.recursive import internal
from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.jamming import RANK, stressed
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.tables import SampledMotion
from particlemech.engine.space_motion import SightInSpace
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.result.base import States, chained, vector_columns, widest
from particlemech.result.sections import LEAST_NORM, Sections
from particlemech.result.space import SpaceResult
from particlemech.run.start import Start, rank, speed_scales, weights
from particlemech.run.trajectory import Course, Status

if TYPE_CHECKING:
    from particlemech.analyses.methods import Solution
    from particlemech.engine.recursive.equations import TreeSystem


# rad, of a part: one with the two cubics puts its end within 3e-2 of its length at 0.45 rad, see engine/bending.py
SLOPE, TOO_STEEP = 0.3, 1.0


class SpaceStates(States):
    """The samples of one phase; those of IDA are projected by compiled steps."""

    @cached_property
    def projected(self) -> tuple[Array, Array]:
        """Coordinates (K, n_q) and speeds (K, n_v) that satisfy all rows."""
        lay = self.system.layout
        q, v = self.y[:, lay.q].copy(), self.y[:, lay.v].copy()
        if not self.phase.projected and self.system.n_row:
            self.system.project(self.t, q, v)
        return q, v

    @cached_property
    def record(self) -> SampledMotion:
        """The motion, with all rows that hold in this phase, and what rests because others do."""
        system: TreeSystem = self.system.explicit
        states = np.hstack([*self.projected, self.x])
        found = system.observed(self.t, states)._sampled
        if not follows(system):
            return found
        lam = found.lam + resting(system, self.t, *self.projected, self.x).lam
        return found._replace(lam=lam, p=system.observed(self.t, states, found.x[:, :, 2], lam=lam)._sampled.p)

    @cached_property
    def lasting(self) -> list[int]:
        """The rows that always hold, which are the same in all phases."""
        m = self.system.mechanism
        passing = {f'joint "{name}"' for name, joint in m.joints.items() if joint.pushes(m)}
        return [r for r, row in enumerate(self.system.compiled.rows) if row.part not in passing]

    @cached_property
    def stresses(self) -> dict[int, Array]:
        """The self-stresses (n_row, n) of the samples that have some."""
        system, found = self.system, {}
        if not system.n_row:
            return {}
        q, v = self.projected
        scale, way = weights(system), speed_scales(system)
        for k, t in enumerate(self.t):
            G = scale[:, None] * system.levels(float(t), q[k], v[k]).phi_q * way
            U, s, _ = np.linalg.svd(G)
            n = rank(s, RANK)
            if n < len(G):
                found[k] = scale[:, None] * U[:, n:]
        return found

    def pressing(self, joint: str) -> Array:
        """Return the forces of all rows of a joint, (K, n), nan where self-stresses leave them open."""
        own = [r for r, row in enumerate(self.system.compiled.rows) if row.part == f'joint "{joint}"']
        if not own:
            return np.zeros((len(self.t), 0))
        value = self.record.lam[:, own].copy()
        for k, w in self.stresses.items():
            value[k, np.linalg.norm(w[own], axis=1) > RANK * np.max(np.abs(w))] = np.nan
        return value


class TreeResult(SpaceResult, Observed, Sections):
    """The motion of a mechanism in space: see Result for the run, Observed for what moves, by name.

    All numbers are in the units of the model, `result.mechanism.unit`. A sample exactly at the time of an impulse shows
    the speeds before it; one at t = 0 acts before the run begins, so the first sample shows those after it.
    """

    system: TreeSystem
    _of_phase = SpaceStates
    _states: list[SpaceStates]  # type: ignore[assignment]

    def __init__(
        self, system: TreeSystem, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]
    ) -> None:
        super().__init__(system, start, course, provenance)
        self._again = system.explicit.observed

    @cached_property
    def _sampled(self) -> SampledMotion:  # type: ignore[override]
        parts = []
        for states in self._states:
            keep = states.lasting
            parts.append(states.record._replace(lam=states.record.lam[:, keep], W=states.record.W[:, keep]))
        return SampledMotion(*(chained([*of]) for of in zip(*parts, strict=True)))

    def _pressing(self, joint: str) -> Array:
        return widest([states.pressing(joint) for states in self._states])

    @property
    def _rubbing_loads(self) -> Array:
        return self._sampled.loads

    # -- reactions that rows leave open ----------------------------------------------------------------------------

    @cached_property
    def _stresses(self) -> dict[int, Array]:
        """The self-stresses (n_row, n) of the samples that have some, as far as rows that always hold take part."""
        found, first = dict[int, Array](), 0
        for states in self._states:
            found |= {first + k: w[states.lasting] for k, w in states.stresses.items()}
            first += len(states.t)
        return found

    @cached_property
    def _shares(self) -> dict[int, Array]:
        """What self-stresses do in the joint that carries each frame, (n_body + 1, 6, n), by sample; (1)."""
        record, tables = self._sampled, self._compiled.tables
        return {k: stressed(record.W[k], record.O[k], tables, w) for k, w in self._stresses.items()}

    def _stressed(self, joint: str, on: str, moment: bool) -> dict[int, Array]:
        """Return what self-stresses do to the reaction or the moment of a joint, (3, n), by sample."""
        known, key = self._loaded, (joint, on, moment)
        if key not in known:
            sign, child, K, columns = self._on(joint, on), self._child(joint), len(self.t), []
            for j in range(max((w.shape[1] for w in self._stresses.values()), default=0)):
                lam, every = np.zeros((K, self.system.n_row)), np.zeros((K, 6))
                for k, w in self._stresses.items():
                    if j < w.shape[1]:
                        lam[k] = w[:, j]
                        every[k] = self._shares[k][max(child, 0)][:, j]
                if child > 0:
                    every[:, :3] += np.cross(self._arm(joint), every[:, 3:])
                else:
                    every = self._tied(joint, lam)
                part = every[:, :3] if moment else every[:, 3:]
                held = self._passive(part, joint, turn=moment) + self._threaded(joint, lam, turn=moment)
                columns.append(sign * held)
            known[key] = {k: np.array([of[k] for of in columns[: w.shape[1]]]).T for k, w in self._stresses.items()}
        return known[key]

    @cached_property
    def _loaded(self) -> dict[tuple[str, str, bool], dict[int, Array]]:
        """What `_stressed` has found out."""
        return {}

    @property
    def stressed(self) -> tuple[str, ...]:
        """The joints that self-stresses load, at any sample."""
        found = []
        for name, joint in self.mechanism.joints.items():
            loads = [self._stressed(name, joint.second, moment) for moment in (False, True)] if joint.bodies else []
            if name in self.mechanism.couplings:
                own = [r for r, row in enumerate(self._compiled.rows) if row.part == f'joint "{name}"']
                loads = [{k: w[own] for k, w in self._stresses.items()}]
            if any(np.max(np.abs(of)) > RANK for by in loads for of in by.values()):
                found.append(name)
        return tuple(found)

    @cached_property
    def _least(self) -> dict[int, Array]:
        """How much of each self-stress makes all reactions least, (n,), by sample."""
        L, found = self.system.scale.length, {}
        joints = [(name, joint.second) for name, joint in self.mechanism.joints.items() if joint.bodies]
        force = [(Observed.reaction(self, *of), self._stressed(*of, moment=False)) for of in joints]
        turning = [(Observed.moment(self, *of) / L, self._stressed(*of, moment=True)) for of in joints]
        for k in self._stresses:
            A = np.concatenate([*(by[k] for _, by in force), *(by[k] / L for _, by in turning)])
            b = np.concatenate([*(value[k] for value, _ in force), *(value[k] for value, _ in turning)])
            found[k] = -np.linalg.lstsq(A, b, rcond=RANK)[0]
        return found

    def _opened(self, value: Array, stressed: dict[int, Array], undetermined: str) -> Array:
        """Return values (K, ...) with what self-stresses leave open as NaN, or as they are least."""
        if undetermined not in ("nan", LEAST_NORM):
            raise ModelError(f'undetermined must be "nan" or "{LEAST_NORM}", got {undetermined!r}')
        if not stressed:
            return value
        value = value.copy()
        for k, of in stressed.items():
            if undetermined == LEAST_NORM:
                value[k] += of @ self._least[k]
            else:
                # where cut joints alone hold each other, none of it reaches the tree
                size = max(float(np.max(np.abs(by[k]))) for by in (self._shares, self._stresses))
                value[k] = np.where(np.linalg.norm(of, axis=-1) > RANK * size, np.nan, value[k])
        return value

    def reaction(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 3), without force along its sliding axes.

        Parameters
        ----------
        joint, on
            The joint, and the body it acts on.
        undetermined
            "nan" marks components that the mechanism does not determine; "least-norm" fills them with the least
            reactions that balance.
        """
        return self._opened(super().reaction(joint, on), self._stressed(joint, on, moment=False), undetermined)

    def moment(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the moment that a joint exerts on one of its bodies about its place, (K, 3)."""
        return self._opened(super().moment(joint, on), self._stressed(joint, on, moment=True), undetermined)

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the moment or force of a driver, (K,), or that of a coupling on the coordinate that follows."""
        value, stressed, c = super().effort(driver), {}, self._compiled
        names, parts = [of.driver for of in c.coordinates], [row.part for row in c.rows]
        for k, w in self._stresses.items():
            if driver in names:
                e = names.index(driver)
                at = 0 if c.coordinates[e].turn else 3
                stressed[k] = self._sampled.axis[k, e] @ self._shares[k][c.tables.stage[e]["body"], at : at + 3]
                for r in np.flatnonzero(c.tables.row["form"] == TIED):
                    tie = c.tables.row[r]
                    stressed[k] = stressed[k] - w[r] * (
                        float(tie["stage2"] == e) - tie["c"] * float(tie["stage1"] == e)
                    )
            else:
                part = f'driver "{driver}"' if driver in self.mechanism.drivers else f'joint "{driver}"'
                stressed[k] = w[parts.index(part)]
        return self._opened(value, stressed, undetermined)

    # -- internal forces -------------------------------------------------------------------------------------------

    def _stretches(self, body: str, x: Array) -> Iterator[Stretch]:
        return internal.stretches(self, body, x)

    def _special(self, body: str) -> Array:
        return internal.special(self, body) if self.mechanism.bodies[body].bends else super()._special(body)

    def _turned(self, body: str) -> Array:
        """Return the axes of a rigid body, (K, 3, 3)."""
        return self._section(body, None)

    def _seat(self, joint: str, on: str) -> tuple[Array, Array]:
        """Return where a joint holds one of its bodies, and the place that what it transmits is about, (K, 3) each."""
        spec, about = self.mechanism.joints[joint], self.place(joint)
        if not hasattr(spec, "points"):
            return about, about
        return self._placed(on, self.mechanism.place(spec.points[spec.bodies.index(on)], on), 0), about

    def _handed(self, body: str, key: Any) -> Array:
        if isinstance(key, int):
            return self._sampled.p[:, key]
        force, moment = self.transmitted(key, body)
        return -np.concatenate([moment, force], axis=1)

    def _strained(self, body: str, key: Any, k: int) -> Array:
        if isinstance(key, int):
            return self._shares[k][key].T
        moment, force = (self._stressed(key, body, turning)[k] for turning in (True, False))
        return -np.concatenate([moment, force]).T

    def _efforts_strained(self, driver: str, k: int) -> Array:
        return self._stresses[k][[row.part for row in self._compiled.rows].index(f'driver "{driver}"')]

    def _energies(self) -> tuple[Array, Array]:
        """Return kinetic and potential energy at the samples, (K,) each."""
        return self.kinetic, self.potential

    def against(self, k: int, other: Solution) -> Iterator[tuple[str, float, float, str]]:
        """Give what another method finds at sample k beside the run: quantity, difference, size, and where."""
        labels = [c.label for c in self._compiled.coordinates]
        pairs = [
            ("accelerations", self._sampled.x[k, :, 2], other.x_ddot),
            ("efforts", self._sampled.tau[k, :, 1], other.efforts),
        ]
        for what, ours, theirs in pairs:
            if len(ours):
                worst = int(np.argmax(np.abs(ours - theirs)))
                yield what, float(abs(ours[worst] - theirs[worst])), float(np.max(np.abs(ours))), labels[worst]
        if other.force is None or other.moment is None:
            return
        topology, length = self._compiled.topology, self.system.scale.length
        # what transmits nothing but rounding is measured by what the others transmit
        wrenches = np.abs(self._sampled.p[k, 1:])
        load = max(float(np.max(wrenches[:, 3:])), float(np.max(wrenches[:, :3])) / length)
        reactions = ("reactions", self.reaction, other.force, load)
        moments = ("moments", self.moment, other.moment, load * length)
        for what, ours_of, found, size in (reactions, moments):
            for i, (body, joint) in enumerate(zip(topology.bodies, topology.joints, strict=True), start=1):
                theirs = found[i]
                if what == "moments":  # about O, as sweeps have them
                    theirs = theirs + np.cross(self._arm(joint)[k], other.force[i])
                difference = float(np.max(np.abs(ours_of(joint, body)[k] - theirs)))
                yield what, difference, size, f"{joint}.{body}"

    def _sight(self) -> SightInSpace:
        return SightInSpace(self, self._state)

    # -- how far bodies bend -------------------------------------------------------------------------------------

    @cached_property
    def slopes(self) -> dict[str, Array]:
        """How far the end of the part of a bending body that bends most is turned against its beginning, (K,), rad."""
        found = {}
        for body in self._compiled.modes_of:
            worst = np.zeros(len(self.t))
            for i in self._compiled.topology.parts(body):
                link, b = self._compiled.topology.frames[i - 1].link, self._compiled.tables.body[i]
                assert link is not None
                x = self._sampled.x[:, b["mode"] : b["mode"] + b["modes"], 0]
                worst = np.maximum(worst, np.linalg.norm(x @ link.end_psi.T, axis=1))
            found[body] = worst
        return found

    @property
    def steep(self) -> list[str]:
        """What bends farther than its shapes are good for, in words."""
        found = {
            body: (float(np.max(slope)), float(self.t[int(np.argmax(slope))]))
            for body, slope in self.slopes.items()
            if len(slope)
        }
        along = self.certificate
        if along is not None and found and along.slope > max(found.values())[0]:  # between the samples
            found[max(found, key=lambda body: found[body])] = along.slope, along.slope_at
        return [
            f'body "{body}": the slope of a part reaches {slope:.2g} rad at t = {t:.4g} s, more than the {SLOPE:g} rad '
            "for which its shapes are good; use more sublinks"
            for body, (slope, t) in found.items()
            if slope > SLOPE
        ]

    @property
    def _steepest(self) -> float:
        """The largest slope of a part of a bending body, at the samples and along the steps, rad."""
        along = 0.0 if self.certificate is None else self.certificate.slope
        return max([along, *(float(np.max(of, initial=0.0)) for of in self.slopes.values())])

    @property
    def warnings(self) -> list[str]:
        """What a completed run does not say: coordinates that left their limits, bodies that bend too far."""
        return [*super().warnings, *self.steep]

    def judged(self) -> TreeResult:
        """Return itself, `inaccurate` where a part bends by more than a radian: nothing of it is right then."""
        if self.status is Status.COMPLETED and self._steepest > TOO_STEEP:
            self.status, self.message = Status.INACCURATE, "; ".join(self.steep)
        elif self.status is Status.COMPLETED and self.steep:
            self.message += f"; {'; '.join(self.steep)}"
        return self

    def _bending_columns(self) -> dict[str, Array]:
        """Return the columns of bodies that bend, in order."""
        m, result = self.mechanism, dict[str, Array]()
        for name in m.points if m.bends else ():
            result |= vector_columns(name, ("elastic_", self.elastic(name)))
        for name, body in m.bodies.items():
            if body.bends:
                every = zip(self.modes(name), self.modal(name).T, self.modal_rate(name).T, strict=True)
                for label, q, q_dot in every:
                    result[f"{name}.{label}"], result[f"{name}.{label}_rate"] = q, q_dot
                result |= {f"{name}.{what}": values for what, values in self.largest(name).items()}
        return result
