"""Motion in quaternions: explicit steps, with poses and velocities put back on their rows after every sample.

    x' = v,  p' = p o (0, omega_b)/2,  v' = a,  omega_b' = R^T alpha,  angle' by row                        (1)

p = (p0, p1, p2, p3) is the unit quaternion of a body, omega_b its angular velocity in its own axes; the
angles of joints tell full turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.engine.quaternions.equations import Balance, Pose, Velocities
from particlemech.engine.quaternions.instant import label
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.signals import SignalSpec
from particlemech.model.space.mechanism import Mechanism

ROUNDS = 30  # of Newton's method
CLOSED = 1e-13  # gap that counts as none, in the mechanism's own length


@dataclass(frozen=True)
class Motion:
    """The motion at K samples, global axes; bodies in model order."""

    t: Array  # (K,), s
    centre: Array  # (K, n, 3), length
    rotation: Array  # (K, n, 3, 3) since the drawing
    velocity: Array  # (K, n, 3), length/s
    omega: Array  # (K, n, 3), rad/s
    angle: Mapping[str, Array]  # (K,) of every joint that turns about axes, by label, rad, full turns counted

    def at(self, k: int) -> tuple[Pose, Velocities]:
        """Return pose and velocities at one sample."""
        return (self.centre[k], self.rotation[k]), (self.velocity[k], self.omega[k])

    def near(self, k: int) -> dict[str, float]:
        """Return the angles of joints at one sample, rad: a pose does not tell their full turns."""
        return {joint: float(angle[k]) for joint, angle in self.angle.items()}


def rotations(p: Array) -> Array:
    """Return R of quaternions of any length but 0, (n, 3, 3) for (n, 4)."""
    a, b, c, d = (p / np.linalg.norm(p, axis=1)[:, None]).T
    rows = [
        [a * a + b * b - c * c - d * d, 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)],
        [2.0 * (b * c + a * d), a * a - b * b + c * c - d * d, 2.0 * (c * d - a * b)],
        [2.0 * (b * d - a * c), 2.0 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def quaternions(R: Array) -> Array:
    """Return unit quaternions of rotations, (n, 4) for (n, 3, 3).

    4 p p^T is linear in R; its longest column is p up to length and sign, which mean nothing.
    """
    trace = np.trace(R, axis1=1, axis2=2)
    K = np.empty((len(R), 4, 4))
    K[:, 0, 0] = 1.0 + trace
    K[:, 1:, 1:] = R + np.swapaxes(R, 1, 2) + (1.0 - trace)[:, None, None] * np.eye(3)
    K[:, 0, 1:] = K[:, 1:, 0] = np.stack(
        [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1
    )
    longest = np.argmax(np.einsum("nii->ni", K), axis=1)
    p = K[np.arange(len(R)), longest]
    return p / np.linalg.norm(p, axis=1)[:, None]


def product(p: Array, q: Array) -> Array:
    """Return p o q, (n, 4): the turn q, then p."""
    return np.concatenate(
        [
            p[:, :1] * q[:, :1] - np.sum(p[:, 1:] * q[:, 1:], axis=1, keepdims=True),
            p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:]),
        ],
        axis=1,
    )


def projected(
    mechanism: Mechanism,
    t: float,
    pose: Pose,
    velocities: Velocities,
    rank: int | None = None,
    near: Mapping[str, float] | None = None,
) -> tuple[Pose, Velocities]:
    """Return the state on the rows that is nearest to a given one, lengths in the mechanism's own.

    Parameters
    ----------
    mechanism, t, pose, velocities
        What the user said; time, s; the state.
    rank
        How many rows hold, where joints hold more than needed: beside closed poses this cannot be told from the rows.
    near
        Angles of joints, by which the full turns of coupled ones are told.
    """
    x, p = pose[0].copy(), quaternions(pose[1])
    rest = np.zeros_like(x), np.zeros_like(x)
    gap = bound = np.inf
    for _ in range(ROUNDS):
        at = Balance(mechanism, t, (x, rotations(p)), rest, near or {}, rank)
        gap = float(np.abs(at.values[0]).max(initial=0.0))
        # places far from the origin are no finer than their last digit
        bound = max(CLOSED, float(np.spacing(np.abs(x).max(initial=0.0))) / at.L)
        if gap <= bound:
            break
        step = (at.unit * at.least(-at.values[0])).reshape(-1, 6)
        x = x + step[:, :3]
        p = product(np.concatenate([np.ones((len(p), 1)), 0.5 * step[:, 3:]], axis=1), p)
    if not gap <= max(1e3 * CLOSED, 10.0 * bound):
        raise ModelError(f"the mechanism does not close at t = {t:g} s: {gap:.3g} of its size is open; start nearer")
    at = Balance(mechanism, t, (x, rotations(p)), velocities, near or {}, rank)
    u = (at.u + at.unit * at.least(at.values[1] - at.G @ (at.u / at.unit))).reshape(-1, 6)
    return (x, rotations(p)), (u[:, :3].copy(), u[:, 3:].copy())


class _March:
    """Right-hand side of (1) over one stretch without jumps."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.n = mechanism, len(mechanism.bodies)
        self.counted = {
            label(name, x): (name, x)
            for name, joint in mechanism.joints.items()
            for x in joint.coordinate_names
            if x.startswith("angle") and not (joint.spherical and mechanism.as_quaternion(name))
        }
        self.until = np.inf  # the last time before a jump
        self.rank: int | None = None  # of the rows, at the last sample

    def packed(self, pose: Pose, velocities: Velocities, near: Mapping[str, float]) -> Array:
        """Return the state vector, (13 n + angles,)."""
        own = np.einsum("bij,bi->bj", pose[1], velocities[1])
        angles = [near.get(joint, 0.0) for joint in self.counted]
        return np.concatenate(
            [pose[0].ravel(), quaternions(pose[1]).ravel(), velocities[0].ravel(), own.ravel(), angles]
        )

    def unpacked(self, y: Array) -> tuple[Pose, Velocities, dict[str, float]]:
        """Return pose, velocities and angles of a state vector."""
        n = self.n
        R = rotations(y[3 * n : 7 * n].reshape(n, 4))
        omega = np.einsum("bij,bj->bi", R, y[10 * n : 13 * n].reshape(n, 3))
        near = dict(zip(self.counted, y[13 * n :].tolist(), strict=True))
        return (y[: 3 * n].reshape(n, 3), R), (y[7 * n : 10 * n].reshape(n, 3), omega), near

    def __call__(self, t: float, y: Array) -> Array:
        """Return y' by (1)."""
        n = self.n
        pose, velocities, near = self.unpacked(y)
        balance = Balance(self.mechanism, min(t, self.until), pose, velocities, near, self.rank)
        udot = balance.rates[0].reshape(n, 6)
        turning = np.zeros((n, 4))
        turning[:, 1:] = 0.5 * y[10 * n : 13 * n].reshape(n, 3)
        return np.concatenate(
            [
                y[7 * n : 10 * n],
                product(y[3 * n : 7 * n].reshape(n, 4), turning).ravel(),
                udot[:, :3].ravel(),
                np.einsum("bij,bi->bj", pose[1], udot[:, 3:]).ravel(),
                [balance.at.rate(*end) for end in self.counted.values()],
            ]
        )


@one_thread
def simulated(
    mechanism: Mechanism,
    pose: Pose,
    velocities: Velocities,
    times: Sequence[float] | Array,
    rtol: float = 1e-10,
    near: Mapping[str, float] | None = None,
) -> Motion:
    """Return the motion at given times, s, from a state at the first of them, which is projected before.

    Angles of joints count from the drawing; at the first time they are within half a turn of it, or of `near`.
    """
    from scipy.integrate import solve_ivp

    march = _March(mechanism)
    times = np.asarray(times, float)
    struck = {one.time for one in mechanism.impulses.values() if one.time > times[0]}
    jumps = sorted({b for signal in _signals(mechanism) for b in signal.breaks()} | struck)
    pose, velocities = projected(mechanism, float(times[0]), pose, velocities, near=near)
    first = Balance(mechanism, float(times[0]), pose, velocities, near or {})
    near, size = {j: first.at.coordinate(*end) for j, end in march.counted.items()}, first.L
    seen = [(pose, velocities, near)]
    for begin, end in pairwise(times.tolist()):
        stops = [begin, *(b for b in jumps if begin < b < end), end]
        for here, there in pairwise(stops):
            if here in struck:  # a sample at this time shows the speeds before
                now = [one for one in mechanism.impulses.values() if one.time == here]
                velocities = Balance(mechanism, here, pose, velocities, near, march.rank).struck(now)
            march.until = float(np.nextafter(there, here))
            march.rank = Balance(mechanism, here, pose, velocities, near).split[3]
            y = march.packed(pose, velocities, near)
            made = solve_ivp(march, (here, there), y, method="DOP853", rtol=rtol, atol=rtol * min(1.0, size))
            if not made.success:
                raise ModelError(f"the steps end at t = {made.t[-1]:g} s: {made.message}")
            pose, velocities, near = march.unpacked(made.y[:, -1])
            pose, velocities = projected(mechanism, there, pose, velocities, march.rank, near)
            at = Balance(mechanism, there, pose, velocities, near).at
            # exact, on the turn to which the steps have led
            near = {j: at.coordinate(*end) for j, end in march.counted.items()}
        seen.append((pose, velocities, near))
    return Motion(
        times,
        np.array([p[0] for p, _, _ in seen]),
        np.array([p[1] for p, _, _ in seen]),
        np.array([v[0] for _, v, _ in seen]),
        np.array([v[1] for _, v, _ in seen]),
        {j: np.array([near[j] for _, _, near in seen]) for j in march.counted},
    )


def _signals(mechanism: Mechanism) -> Iterator[SignalSpec]:
    """Yield all signals of drivers and forces."""
    for spec in [*mechanism.drivers.values(), *mechanism.forces.values()]:
        for field in fields(spec):  # type: ignore[arg-type]
            value: Any = getattr(spec, field.name)
            yield from (one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, SignalSpec))
