"""The motion of a mechanism in space at K samples, by name; vectors in global axes, units those of the model.

What a joint *transmits* to its child is a force and a moment about the joint's point O (on the child), drivers, motors
and springs in the joint included. Its *reaction* is the part of it that does no work in any motion which the joint
leaves: no force along its sliding axes, no moment about its turning axes. What it does to its two bodies is opposite,
but for what a rotor between them needs.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.recursive.bodies import Bodies, stations
from particlemech.engine.recursive.compiled import mass_of
from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.topology import ROTOR
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.inertia import matrix
from particlemech.result.momenta import Momentum, momentum, rigid_spin
from particlemech.result.state import State


class Wrench(NamedTuple):
    """Force and moment at the samples, (K, 3) each."""

    force: Array
    moment: Array


class Energies(NamedTuple):
    """What potential energy is made of, (K,) each."""

    gravity: Array
    strain: Array  # of bending bodies, and of drives that yield
    springs: Array


class Observed(Bodies):
    """A motion by name; K is the number of samples."""

    def _state(self, k: int) -> State:
        """Return the motion at sample k as functions of users receive it."""
        one = type(self._sampled)(*(array[k : k + 1] for array in self._sampled))
        return State(Observed(self._compiled, one, self._again))

    # -- coordinates -------------------------------------------------------------------------------------------

    def _travel(self, joint: str, axis: Array, level: int) -> Array:
        """Return how far the second body of a joint has gone along an axis of the first, or its rates, (K,)."""
        first, second = self._ends(joint)
        drawn, record = np.array(self.mechanism.joints[joint].place(self.mechanism)), self._sampled
        a = record.S[:, first].reshape(-1, 3, 3) @ axis
        w, alpha = record.omega[:, first], record.a[:, first, :3]
        gap = [of(second, drawn) - of(first, drawn) for of in (self._position, self._velocity, self._acceleration)]
        a_dot = np.cross(w, a)
        a_ddot = np.cross(alpha, a) + np.cross(w, a_dot)
        terms = [(a, gap[0])], [(a, gap[1]), (a_dot, gap[0])], [(a, gap[2]), (2.0 * a_dot, gap[1]), (a_ddot, gap[0])]
        return np.asarray(sum(np.sum(x * y, axis=1) for x, y in terms[level]))

    def _one(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate (0), its rate (1) or its second rate (2), (K,)."""
        c, spec = self._compiled, self.mechanism.joints[joint]
        staged = joint in c.stages_of
        if spec.spherical and name.startswith("angle") and (joint in c.quaternions or not staged):
            return self._turning(joint, level)[:, int(name[-1]) - 1]
        if staged:
            return self._sampled.x[:, self._stages(joint, name)[0], level]
        axis = next(stage.axis for stage in spec.stages or () if stage.name == name)
        return self._travel(joint, np.array(axis), level)

    # -- forces ------------------------------------------------------------------------------------------------

    def _on(self, joint: str, on: str) -> float:
        bodies = self._known(joint).bodies
        if on not in bodies:
            raise ModelError(f'joint "{joint}": body "{on}" is not one of its bodies{suggestion(on, bodies)}')
        return 1.0 if on == self._carries(joint) else -1.0

    def transmitted(self, joint: str, on: str) -> Wrench:
        """Return all that a joint transmits to one of its bodies: force, and moment about its point on the second.

        Which body a tree carries is a choice of its own, and moments must not depend on it.
        """
        sign, child = self._on(joint, on), self._child(joint)
        if joint in self.mechanism.taken:
            return Wrench(np.zeros((len(self.t), 3)), np.zeros((len(self.t), 3)))
        if child < 0:
            p = sign * self._tied(joint, self._sampled.lam)
            return Wrench(p[:, 3:], p[:, :3])
        at = child if sign > 0.0 else self._compiled.topology.nearest(child)
        p, arm = sign * self._sampled.p[:, at], self._sampled.O[:, at] - self.place(joint)
        return Wrench(p[:, 3:], p[:, :3] + np.cross(arm, p[:, 3:]))

    def _arm(self, joint: str) -> Array:
        """Return O of the frame that a joint carries, from the joint's point on its second body, (K, 3)."""
        return self._sampled.O[:, self._child(joint)] - self.place(joint)

    def _tied(self, joint: str, lam: Array) -> Array:
        """Return what the rows of a joint do to its second body at multipliers (K, n_row): moment and force, (K, 6)."""
        own = [r for r, row in enumerate(self._compiled.rows) if row.part == f'joint "{joint}"']
        p = np.einsum("kr,krc->kc", lam[:, own], self._sampled.W[:, own, 6:])
        arm = self.place(joint) - self._sampled.O[:, self._ends(joint)[1]]
        return np.concatenate([p[:, :3] - np.cross(arm, p[:, 3:]), p[:, 3:]], axis=1)

    def reaction(self, joint: str, on: str) -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 3), without force along its sliding axes."""
        held = self._passive(self.transmitted(joint, on).force, joint, turn=False)
        return held + self._on(joint, on) * self._threaded(joint, self._sampled.lam, turn=False)

    def moment(self, joint: str, on: str) -> Array:
        """Return the moment that a joint exerts on one of its bodies about its point, without that about its axes."""
        held = self._passive(self.transmitted(joint, on).moment, joint, turn=True)
        return held + self._on(joint, on) * self._threaded(joint, self._sampled.lam, turn=True)

    def _threaded(self, joint: str, lam: Array, turn: bool) -> Array:
        """Return what a row that ties stages of one joint, as a thread does, exerts along them, (K, 3), on its child.

        Springs, motors and drivers act along the same axes, and are no reactions.
        """
        row, found = self._compiled.tables.row, np.zeros((len(self.t), 3))
        for r, of in enumerate(self._compiled.rows):
            if row["form"][r] != TIED or of.part != f'joint "{joint}"' or joint not in self._compiled.stages_of:
                continue
            for e, factor in ((row["stage2"][r], 1.0), (row["stage1"][r], -row["c"][r])):
                if self._compiled.coordinates[e].turn == turn:
                    found += factor * lam[:, r, None] * self._sampled.axis[:, e]
        return found

    def _passive(self, vector: Array, joint: str, turn: bool) -> Array:
        """Take the components along the free axes of a joint away from vectors (K, 3)."""
        if joint not in self._compiled.stages_of:
            return vector.copy()  # rows hold nothing else
        every = self._compiled.stages_of[joint]
        stages = [e for e in every if self._compiled.coordinates[e].turn == turn]
        if len(stages) == 3:
            return np.zeros_like(vector)
        if not stages:
            return vector.copy()
        axes = self._sampled.axis[:, stages]  # (K, n, 3)
        first = axes[:, 0]
        result = vector - np.sum(vector * first, axis=1)[:, None] * first
        if len(stages) == 2:
            second = axes[:, 1] - np.sum(axes[:, 1] * first, axis=1)[:, None] * first
            size = np.linalg.norm(second, axis=1)[:, None]
            second = np.divide(second, size, out=np.zeros_like(second), where=size > 1e-9)  # 0: a drive that yields
            result -= np.sum(result * second, axis=1)[:, None] * second
        return result

    def effort(self, driver: str) -> Array:
        """Return the force or moment of a driver on its coordinate, (K,), [P72] (3.31) (errata)."""
        names = [c.driver for c in self._compiled.coordinates]
        if driver in names:
            return self._sampled.tau[:, names.index(driver), 1]
        couplings = self.mechanism.couplings
        known = [*couplings, *self.mechanism.drivers]
        if driver not in known:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, known)}')
        part = f'joint "{driver}"' if driver in couplings else f'driver "{driver}"'
        return self._sampled.lam[:, [row.part for row in self._compiled.rows].index(part)]

    def needed(self, joint: str, coordinate: str | None = None) -> Array:
        """Return what a drive of a joint's coordinates has to give, (K, dof) or (K,), besides its motors and springs.

        For free coordinates of a run it is 0; where the whole motion is given (inverse_dynamics.py) it is the answer.
        """
        return self._efforts(joint, coordinate, self._sampled.tau[:, :, 1])

    def generalised_force(self, joint: str, coordinate: str | None = None) -> Array:
        """Return what acts along the coordinates of a joint in all, (K, dof) or (K,): motors, springs and drivers."""
        return self._efforts(joint, coordinate, self._sampled.tau.sum(axis=2))

    def _efforts(self, joint: str, coordinate: str | None, every: Array) -> Array:
        """Return what acts along coordinates, from efforts on all stages (K, n_stage); power is effort times rate."""
        if joint in self.mechanism.taken:
            return np.zeros_like(self._by_name(joint, coordinate, 0))
        stages = self._stages(joint, coordinate)
        values = every[:, stages].copy()
        if joint in self._compiled.quaternions:
            # the stages of a quaternion carry the moment in parent axes; an angle sees what is about its own axis
            last = self._compiled.stages_of[joint][-3:]
            found = np.einsum("kij,kj->ki", rotations.axes(self._turning(joint, 0)), every[:, last])
            for k, e in enumerate(stages):
                if e >= last[0]:
                    values[:, k] = found[:, e - last[0]]
        return values if coordinate is None and len(stages) != 1 else values[:, 0]

    @cached_property
    def base(self) -> Wrench:
        """What the tree exerts on the ground at its joints: force, and moment about the origin, (K, 3) each."""
        return Wrench(-self._sampled.p[:, 0, 3:], -self._sampled.p[:, 0, :3])

    # -- sums --------------------------------------------------------------------------------------------------

    @property
    def kinetic(self) -> Array:
        """Kinetic energy, (K,)."""
        return self._sampled.energy[:, 0]

    @property
    def potential(self) -> Array:
        """Potential of gravity, deflections and springs, (K,)."""
        return self._sampled.energy[:, 1:].sum(axis=1)

    @cached_property
    def potentials(self) -> Energies:
        """The parts of the potential."""
        return Energies(*self._sampled.energy[:, 1:].T)

    @cached_property
    def momentum(self) -> Momentum:
        """Linear and angular momentum of all bodies."""
        found, record, topology = momentum(self, self._spinning), self._sampled, self._compiled.topology
        for i, frame in enumerate(topology.frames, start=1):
            if frame.role != ROTOR:
                continue
            b, v = self._compiled.tables.body[i], record.v[:, i]
            R = record.S[:, i].reshape(-1, 3, 3)
            spin = np.einsum("kij,jl,kml,km->ki", R, matrix(tuple(b["inertia"])), R, record.omega[:, i])
            angular = b["mass"] * np.cross(record.O[:, i], v) + spin
            linear = found.linear + b["mass"] * v
            about = found.angular + angular
            found = Momentum(linear, about, about - np.cross(self.centre, linear))
        return found

    def _spinning(self, body: str) -> tuple[float, Array]:
        """Return the mass of a body and its angular momentum about its own centre of mass, (K, 3)."""
        if not self._bends(body):
            return rigid_spin(self, body)
        x, v, topology = self.com(body), self.com_velocity(body), self._compiled.topology
        total, spin = 0.0, np.zeros((len(self.t), 3))
        for i in topology.parts(body):
            link, b = topology.frames[i - 1].link, self._compiled.tables.body[i]
            assert link is not None
            R, w = self._sampled.S[:, i].reshape(-1, 3, 3), self._sampled.omega[:, i]
            rates = self._sampled.x[:, b["mode"] : b["mode"] + b["modes"], 1]
            for mass, J, at in stations(link):
                moving = self._bent(i, at)
                local = np.einsum("kji,kj->ki", R, w) + rates @ at.psi[0].T
                spin += mass * np.cross(moving.position - x, moving.velocity - v)
                spin += np.einsum("kij,jl,kl->ki", R, J, local)
                total += mass
        return total, spin

    @cached_property
    def centre(self) -> Array:
        """Path of the centre of mass of all bodies, (K, 3)."""
        masses = {b: mass_of(self.mechanism, b, self._compiled.topology) for b in self.mechanism.bodies}
        return sum((mass * self.com(b) for b, mass in masses.items()), np.zeros(3)) / sum(masses.values())
