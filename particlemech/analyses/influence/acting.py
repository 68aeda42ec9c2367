"""What acts on a mechanism, along its motions: forces of the model, and the elasticity of its bodies and drives.

tau_l = F.v_l(P) + M.w_l                 a force at a place, a moment on a frame      [G88] (2.3-38), (2.3-39)  (1)
tau_l = -f d|P2 - P1|/d phi_l            a spring along a line, f = k (|P2 - P1| - free) + c |P2 - P1|'         (2)
tau_l = M.(w_l of the second - w_l of the first)                                      in a spherical joint      (3)
tau_l = effort                           on a coordinate; of a spring -k (x_l - free) - c x_l'                  (4)
K*, C*                                   of bending bodies and of drives that yield   (2.3-15)                  (5)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from particlemech.analyses.influence.coefficients import Frames
from particlemech.analyses.influence.rows import Pose
from particlemech.engine.bending.spots import acting_at, spread
from particlemech.engine.system import Array
from particlemech.model.acting import OnLine
from particlemech.model.signals import SignalSpec, values
from particlemech.model.space.forces import (
    CurveMotor,
    Custom,
    Cylinder,
    DcMotor,
    Distributed,
    Load,
    Motor,
    Pid,
    Spring,
    Torque,
    Torsion,
)


class Acting:
    """Gathers what acts at one instant, tau (n,)."""

    def __init__(self, pose: Pose, x: Array, t: float, given: Array) -> None:
        self.pose, self.x, self.u, self.t = pose, x, pose.u, t
        self.mechanism, self.topology = pose.frames.mechanism, pose.frames.topology
        self.given = iter(given)  # (n_custom, 9) what Python functions gave
        self.tau = np.zeros(pose.frames.n)
        for force in self.mechanism.forces.values():
            KINDS[type(force)](self, force)

    def _now(self, signals: Sequence[SignalSpec]) -> Array:
        return np.array([values(signal, self.t)[0] for signal in signals])

    def _push(self, i: int, place: Any, force: Array) -> None:
        self.tau += force @ self.pose.place(i, place).J

    def _turn(self, i: int, moment: Array) -> None:
        self.tau += moment @ self.pose.moved[i].w

    def _in_axes(self, spec: Any, i: int, vector: Array) -> Array:
        return self.pose.moved[i].R @ vector if spec.frame == "body" else vector

    def load(self, spec: Load) -> None:
        """Add (1)."""
        at = self.mechanism.place(spec.point, spec.body)
        i = self.topology.spot(spec.body, at)
        self._push(i, at, self._in_axes(spec, i, self._now(spec.force)))

    def torque(self, spec: Torque) -> None:
        """Add (1) to the second body, and the opposite to the first."""
        first, second = (self.topology.spot(b, acting_at(self.mechanism, spec, b)) for b in spec.bodies)
        moment = self._in_axes(spec, second, self._now(spec.torque))
        self._turn(second, moment)
        self._turn(first, -moment)

    def distributed(self, spec: Distributed) -> None:
        """Add (1) at the places of a quadrature."""
        force, moment = self._now(spec.force), self._now(spec.moment)
        for at, weight in spread(self.mechanism, spec.body, spec.spread):
            i = self.topology.spot(spec.body, at)
            self._push(i, at, weight * self._in_axes(spec, i, force))
            self._turn(i, weight * self._in_axes(spec, i, moment))

    def along_line(self, spec: OnLine) -> None:
        """Add (2)."""
        one, other = (self.pose.spot(*end) for end in spec.ends(self.mechanism))
        if np.any(other.value != one.value):
            line = other.minus(one).length
            k, c, free, push = spec.line(self.mechanism)
            force = k * (line.value - free) + c * line.rate - (0.0 if push is None else values(push, self.t)[0])
            self.tau -= force * line.J

    def _ends(self, joint: str) -> tuple[int, int]:
        """Return the frames before and behind a joint."""
        child = self.topology.carried[joint]
        return self.topology.parent[self.topology.nearest(child) - 1], child

    def torsion(self, spec: Torsion) -> None:
        """Add (3) or (4)."""
        if spec.all_round(self.mechanism):
            one, other = (self.pose.moved[i] for i in self._ends(spec.joint))
            way = one.R @ Rotation.from_matrix(one.R.T @ other.R).as_rotvec()
            spin = (other.w - one.w) @ self.u
            self.tau -= (spec.stiffness * way + spec.damping * spin) @ (other.w - one.w)  # (3)
            return
        e = self._motion(spec)
        self.tau[e] -= spec.stiffness * (self.x[e] - spec.free) + spec.damping * self.u[e]  # (4)

    def _motion(self, spec: Any) -> int:
        return self.pose.frames.motion(spec.joint, self.mechanism.coordinate(spec.joint, spec.coordinate))

    def motor(self, spec: Motor) -> None:
        """Add (3) or (4)."""
        if spec.effort is not None:
            self.tau[self._motion(spec)] += values(spec.effort, self.t)[0]
            return
        one, other = (self.pose.moved[i] for i in self._ends(spec.joint))
        self.tau += (one.R @ self._now(spec.moment or ())) @ (other.w - one.w)

    def custom(self, spec: Any) -> None:
        """Add what a function or a controller gave: (4), or (1) of a force at a global place and a couple."""
        force, place, couple = next(self.given).reshape(3, 3)
        if spec.joint is not None:
            self.tau[self._motion(spec)] += force[0]
            return
        i = self.topology.spot(spec.body, self.mechanism.place(spec.point, spec.body))
        of = self.pose.moved[i]
        self._push(i, self.pose.frames.origins[i] + of.R.T @ (place - of.O), force)
        self._turn(i, couple)


KINDS: dict[type[Any], Callable[[Acting, Any], None]] = {
    Load: Acting.load,
    Torque: Acting.torque,
    Distributed: Acting.distributed,
    **dict.fromkeys((Spring, Cylinder), Acting.along_line),
    Torsion: Acting.torsion,
    Motor: Acting.motor,
    **dict.fromkeys((DcMotor, CurveMotor, Pid, Custom), Acting.custom),
}


def elastic(frames: Frames) -> tuple[Array, Array]:
    """Return K* and C*, (5), (n, n) each."""
    K, C = np.zeros((frames.n, frames.n)), np.zeros((frames.n, frames.n))
    own: dict[str, list[int]] = {}  # all modal motions of a body
    for i, first in frames.modes.items():
        frame = frames.topology.frames[i - 1]
        assert frame.link is not None
        own.setdefault(frame.body, []).extend(range(first, first + frame.link.m))
    for i, first in frames.modes.items():
        frame = frames.topology.frames[i - 1]
        assert frame.link is not None
        part = range(first, first + frame.link.m)
        K[np.ix_(part, part)] = frame.link.K
        C[np.ix_(part, own[frame.body])] = frame.link.C
    modal = {e for every in own.values() for e in every}
    for e, coordinate in enumerate(frames.coordinates):
        if coordinate.deflects and e not in modal:
            drive = frames.mechanism.joints[coordinate.joint].drive  # type: ignore[attr-defined]
            K[e, e], C[e, e] = drive.stiffness, drive.damping
    return K, C
