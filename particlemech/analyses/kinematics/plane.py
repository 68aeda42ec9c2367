"""The plane, for curves of poses: where a mechanism stands, its rows with other drivers, and results on its states."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.kinematics.dyads import solved
from particlemech.analyses.kinematics.grashof import grashof
from particlemech.engine.particles import equations, explicit
from particlemech.engine.particles.curve import Place
from particlemech.engine.plane import Pose, at_home, rate_row
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism
from particlemech.model.signals import values
from particlemech.result.plane import PlanarResult as RESULT
from particlemech.run.assembly import followed
from particlemech.run.preparing import counted_from
from particlemech.run.start import stood
from particlemech.run.stated import stated
from particlemech.run.trajectory import Phase

__all__ = ["RESULT", "Ground", "grashof"]


def _system(mechanism: Mechanism) -> Any:
    """Return the system of a mechanism: that of explicit steps, unless Python functions act on it."""
    custom = any(not force.in_file for force in mechanism.forces.values())
    return equations.system(mechanism) if custom else explicit.system(mechanism)


def round_inertia(value: float) -> float:
    """Return an inertia that is the same about all axes."""
    return value


def turning(result: Any, body: str) -> dict[str, Array]:
    """Return how a body turns, as columns."""
    return {"angle": result.angle(body), "omega": result.omega(body), "alpha": result.alpha(body)}


class Ground(NamedTuple):
    """Where a mechanism stands, from which curves are followed."""

    system: Any
    q: Array
    x: Array
    home: Pose | None

    @staticmethod
    def of(mechanism: Mechanism, union: Mechanism) -> Ground:
        """Return where a mechanism stands at t = 0; `union` has all drivers that will be asked for."""
        at = stood(_system(mechanism), mechanism, followed)
        return Ground(at.system, at.q, at.x, at.home)

    def led(self, mechanism: Mechanism) -> Any:
        """Return the system of the same mechanism with other drivers: the rows of a curve."""
        return _system(mechanism).retimed(1.0, self.home).turning(self.x)

    def seat(self, system: Any) -> tuple[Array, Array]:
        """Return coordinates and extra states of this pose in a system with other drivers."""
        return self.q, self.x

    def taken(self, system: Any, moment: Any) -> tuple[Array, Array]:
        """Return coordinates and extra states of a sample of some result in a system."""
        y, lay = system.adopted(moment.system, moment.y), system.layout
        return y[lay.q], y[lay.x]

    def observed(self, mechanism: Mechanism) -> Any:
        """Return the system of results of the same mechanism with other drivers."""
        if self.home is not None:
            mechanism = counted_from(mechanism, self.home)
        return _system(mechanism).retimed(1.0, self.home)

    def offset(self, mechanism: Mechanism, joint: str, name: str) -> float:
        """Return what a coordinate is in the drawing as assembled, counted as its driver counts."""
        return at_home(mechanism, self.home, mechanism.coordinate(joint, name))

    @staticmethod
    def states(system: Any, target: Any, q: Array, v: Array, x: Array) -> Array:
        """Return states (K, n) of the system of results from what a curve has found."""
        found: Array = target.layout.state(q, v, x)
        return found

    @staticmethod
    def spins(system: Any, q: Array, free: Array) -> None:
        """Return no bodies that spin about a line of their own: there are none in the plane."""
        return

    @staticmethod
    def seen(system: Any, s: float, q: Array, v: Array, x: Array) -> Any:
        """Return what tells places and rates, of points and coordinates of joints, in poses (K, ...)."""
        phase = Phase(system, "kinematics", np.full(len(q), s), system.layout.state(q, v, x))
        return RESULT(*stated(phase), dict)

    @staticmethod
    def solved(system: Any, s: float) -> list[Array] | None:
        """Return the coordinates of all poses that closed forms give; None where they do not give all."""
        poses = solved(system.mechanism, s)
        return None if poses is None else [system.posed(pose) for pose in poses]

    @staticmethod
    def scattered(system: Any, q: Array, rng: np.random.Generator) -> Array:
        """Return coordinates at random, within twice the size of the mechanism."""
        return 2.0 * float(system.scale.length) * rng.uniform(-1.0, 1.0, len(q))

    @staticmethod
    def upright(system: Any, q: Array, s: float) -> bool:
        """Whether angles that rows hold by their sines are right, not half a turn off."""
        m, still = system.mechanism, np.zeros((1, system.n_q))
        since_drawn = system.motion(q[None], still, still, system.start_x[None]).angle[0] + system.turned
        angle = dict(zip(system.layout.bodies, since_drawn, strict=True))
        angle[GROUND] = 0.0
        for joint in m.joints.values():
            if (
                joint.moment
                and joint.bodies
                and any(np.cos(angle[b] - angle[joint.bodies[0]]) < 0.0 for b in joint.bodies[1:])
            ):
                return False
        held = ((d.between(m), values(d.motion, s)[0]) for d in m.drivers.values() if d.turns(m))
        return all(np.cos(angle[second] - angle[first] - wanted) > 0.0 for (first, second), wanted in held)

    @staticmethod
    def mark(system: Any, q: Array, spins: Array | None) -> Array:
        """Return numbers that tell poses apart, in units."""
        return q / float(system.scale.length)

    @staticmethod
    def place(system: Any, q: Array, x: Array, wanted: Array, spins: Array | None) -> Place:
        """Return the place of a curve."""
        return Place(system, q, x, wanted)


RANK = 1e-9  # of the largest singular value
MISSED = 1e-7  # of what is asked of motors: what they may leave
SHARED = 1e-6  # part of a self-stress that is one of motors


def efforts(result: Any, ends: list[tuple[str, str]]) -> Array:
    """Return the efforts at coordinates of joints that make a motion without its drivers, (n, K).

    With the drivers taken away M, f and the rows G of the joints are those of a mechanism that is free to move so. What
    is missing for accelerations a is shared by the joints and by efforts tau along rates B v:

        B^T tau + G^T lam = M a - f                                                                          (1)
    """
    m = result.system.mechanism
    system = _system(m.replaced(drivers=dict.fromkeys(m.drivers), initial=type(m.initial)()))
    system = system.retimed(1.0, result.system.home)
    where, found = ", ".join(f'"{joint}"' for joint, _ in ends), []
    for k, t in enumerate(result.t):
        moment, lay, n = result.at(t), system.layout, system.n_v
        y = system.adopted(moment.system, moment.y)
        q, v, x = y[lay.q], y[lay.v], y[lay.x]
        A, b = system.turning(x).dynamics(float(t), q, v, x)
        B = np.array([rate_row(system.turning(x), q, m.coordinate(*end)) for end in ends])
        wanted, C = A[:n, :n] @ result._accelerations[k] - b[:n], np.hstack([B.T, A[:n, n:]])
        size = np.linalg.norm(C, axis=0)
        U, s, Vt = np.linalg.svd(C / size)
        rank = int(np.sum(s > RANK * s.max(initial=0.0)))
        share = Vt[:rank].T @ ((U[:, :rank].T @ wanted) / s[:rank])
        if np.max(np.abs(C / size @ share - wanted)) > MISSED * np.max(np.abs(wanted)):
            raise ModelError(f"motors at {where} cannot hold the motion at t = {t:.6g}; add one for each freedom")
        if np.max(np.abs(Vt[rank:, : len(ends)]), initial=0.0) > SHARED:
            raise ModelError(f"motors at {where} share the work in many ways at t = {t:.6g}; leave one out")
        found.append((share / size)[: len(ends)])
    return np.array(found).T
