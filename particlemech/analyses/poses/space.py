"""A mechanism in space with its drivers released, in joint coordinates; spherical and free joints take angles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.analyses.poses.posing import KINEMATICS, Path, Released
from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.following import transferred
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.start import prepared
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.forces.motor import motor
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown
from particlemech.result.recursive import TreeResult
from particlemech.run.trajectory import Phase


def in_angles(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism whose spherical and free joints are integrated in the dextral 1-2-3 angles of [P72]."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"in_angles takes a mechanism in space, got {shown(mechanism)}")
    spherical = {name: {"coordinates": "angles"} for name, joint in mechanism.joints.items() if joint.spherical}
    return mechanism.replaced(joints=spherical) if spherical else mechanism


class Seen:
    """A motion in space at K samples by name."""

    def __init__(self, observed: Observed) -> None:
        self.t, self._observed = observed.t, observed

    def point(self, name: str, level: int) -> Array:
        """Return the place of a point, its velocity or its acceleration, (K, 3)."""
        of = self._observed
        return (of.__getitem__, of.velocity, of.acceleration)[level](name)

    def place(self, body: str, drawn: Sequence[float], level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity or its acceleration, (K, 3)."""
        return self._observed._placed(body, drawn, level)

    def body(self, name: str, what: str, level: int) -> Array:
        """Return "x", "y" or "z" of the centre of mass of a body, or their first or second rates, (K,)."""
        of = self._observed
        return (of.com, of.com_velocity, of.com_acceleration)[level](name)[:, "xyz".index(what)]

    def coordinate(self, joint: str, name: str, level: int) -> Array:
        """Return a coordinate of a joint since the drawing, or its first or second rate, (K,)."""
        of = self._observed
        return (of.coordinate, of.rate, of.second_rate)[level](joint, name)


class SpatialPoses(Released):
    """What poses ask of a mechanism in space."""

    RESULT, axes = TreeResult, "xyz"
    motor = staticmethod(motor)

    def __init__(self, mechanism: Mechanism, known: Mechanism) -> None:
        self.known = known  # with the masses that are known
        bending = [name for name, body in mechanism.bodies.items() if body.bends]
        if bending:
            raise ModelError(
                f'body "{bending[0]}" bends, and moves by itself whatever its joints do; leave out its modes to ask '
                "what a motion needs, or give the motion to drivers and simulate: their efforts are what it needs"
            )
        self.driven = in_angles(mechanism)
        self.mechanism = self.driven.replaced(drivers=dict.fromkeys(mechanism.drivers))
        self.system: TreeSystem = system(self.mechanism)
        self._stage = self.system.compiled.tables.stage

    @cached_property
    def start(self) -> Array:
        """The coordinates of the start, (n_q,)."""
        made, begin = prepared(self.driven, self.driven.run.duration)
        y = np.concatenate([begin.q, begin.v, begin.x])[None]
        still = np.zeros((1, len(made.compiled.coordinates)))
        return self._adopted(made.observed(np.zeros(1), y, still, told=False), 0)[0]

    def _adopted(self, seen: Observed, level: int) -> Array:
        """Return the coordinates (0), speeds (1) or accelerations (2) of a motion as those of this system."""
        theirs = {(c.joint, c.name): e for e, c in enumerate(seen._compiled.coordinates)}
        found = np.zeros((len(seen.t), (self.system.n_q, self.system.n_v, self.system.n_v)[level]))
        for e, c in enumerate(self.system.compiled.coordinates):
            place = self._stage["q" if level == 0 else "u"][e]
            if (c.joint, c.name) in theirs and c.joint not in seen._compiled.quaternions:
                found[:, place] = seen._sampled.x[:, theirs[c.joint, c.name], level]
            else:
                found[:, place] = (seen.coordinate, seen.rate, seen.second_rate)[level](c.joint, c.name)
            if not np.isfinite(found[:, place]).all():
                at = seen.t[int(np.argmin(np.isfinite(found[:, place])))]
                raise ModelError(
                    f'joint "{c.joint}": its angles are at gimbal lock at t = {at:g} s, and say nothing of how it moves'
                )
        return found

    @property
    def quantities(self) -> dict[str, tuple[str, ...]]:
        """What bodies have, by name."""
        return {body: ("x", "y", "z") for body in self.mechanism.bodies}

    def moved(self, q: Array, step: Array) -> Array:
        """Return coordinates a step away."""
        return self.system.moved(q, step)

    def observed(self, t: Array, q: Array, v: Array, a: Array) -> Observed:
        """Return a motion at K samples by name; forces do not cause it."""
        every = np.zeros((len(t), len(self.system.compiled.coordinates)))
        every[:, list(self.system.compiled.free)] = a
        return self.system.observed(t, np.hstack([q, v, np.zeros((len(t), 1))]), every)

    def seen(self, t: Array, q: Array, v: Array, a: Array) -> Seen:
        """Return a motion at K samples by name."""
        return Seen(self.observed(t, q, v, a))

    def of_result(self, result: Any) -> tuple[Array, Array, Array]:
        """Return q, v, a of a result at its samples, (K, n_q) or (K, n_v) each."""
        q, v, a = (self._adopted(result, level) for level in range(3))
        return q, v, a

    def stated(self, joints: Sequence[tuple[str, str] | None], levels: Sequence[Array]) -> tuple[Array, ...] | None:
        """Return q, v, a of a tree from all coordinates of its joints, nothing is solved for; else None."""
        index = {(c.joint, c.name): e for e, c in enumerate(self.system.compiled.coordinates)}
        if self.system.n_row or set(joints) != set(index) or len(joints) != len(index):
            return None
        found = []
        for word, values in zip("quu", levels, strict=True):
            places = self._stage[word][[index[of] for of in joints if of is not None]]
            part = np.zeros((len(values), len(index)))
            part[:, places] = values
            found.append(part)
        return tuple(found)

    def made(self, mechanism: Mechanism) -> TreeSystem:
        """Return the system of the mechanism with other drivers or forces."""
        return system(mechanism).retimed(self.system.scale.time)

    def made_by(self, mechanism: Mechanism, path: Path) -> TreeResult:
        """Return a motion that drivers of a mechanism make, as a result."""
        made = TreeSystem(tabulate(mechanism, self.system.compiled.topology)).retimed(self.system.scale.time)
        every = zip(path.t.tolist(), self.system.layout.state(path.q, path.v, np.zeros(1)), strict=True)
        y = np.array([transferred(self.system, t, one, made) for t, one in every])
        found: TreeResult = self.shown([Phase(made, KINEMATICS, path.t, y)])
        return found

    def needed(self, t: Array, q: Array, v: Array, a: Array) -> Array:
        """Return what moves the bodies so, beyond the forces of the model, along the speeds, (K, n_v)."""
        tau: Any = self.observed(t, q, v, a)._sampled.tau
        return np.asarray(tau[:, list(self.system.compiled.free), 1])
