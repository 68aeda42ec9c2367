"""A chain close to a steady state: its equilibrium, and its equations linearised there.

    needed(q, v, a) = 0                      what the speeds need minus what acts on them                      (1)
    needed(q0, v0, 0) = 0                    steady: nothing accelerates, but driven joints may turn evenly    (2)
    M a + D dv + K dx = 0,   dq = G dx       small motions about it; q' = G v                                  (3)
    M = d needed/da,  D = d needed/dv,  K = d needed/dx          M exact, the others by central differences   (4)

D holds damping and, about a rotation, gyroscopic terms; K the stiffness, the weight, the spin and what foreshortening
makes of tension.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from particlemech.engine.bending.equations import FlexibleSystem, system
from particlemech.engine.bending.links import FIXED, FLOATS, FREE, LOCKED, TRANSLATES, Chain, JointNumbers
from particlemech.engine.bending.start import check_inertia, start_state
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.signals import Constant

STEP = 1e-4  # of the size of a coordinate, in differences of fourth order
REST = 1e-7  # forces below this fraction of those that act count as none
ROUNDS = 50  # of Newton's method
BASES = {"fixed": FIXED, "translates": TRANSLATES, "free": FLOATS}
JOINTS = {"locked": LOCKED, "free": FREE}


@dataclass(frozen=True, eq=False)
class Linear:
    """Equations (3) about a steady state."""

    system: FlexibleSystem
    t: float
    y: Array  # (n,) the steady state
    M: Array  # (n_v, n_v)
    D: Array  # (n_v, n_v)
    K: Array  # (n_v, n_v)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates dx."""
        return tuple(c.label for c in self.system.compiled.coordinates)

    def influence(self, point: str) -> Array:
        """Return how far a named point moves per unit of each coordinate, (3, n_v)."""
        made, lay = self.system, self.system.layout
        states = np.repeat(self.y[None], made.n_v + 1, axis=0)
        states[:, lay.v] = 0.0
        states[1:, lay.v] = np.eye(made.n_v)
        velocity = made.observed(np.full(made.n_v + 1, self.t), states, moved=False).velocity(point)
        return (velocity[1:] - velocity[0]).T


def altered(
    chain: Chain, base: str | None = None, joints: str | Mapping[str, str] | None = None, loads: bool = True
) -> Chain:
    """Return a chain whose base or joints are held otherwise than the model says; without `loads` and motors if wanted.

    `base` is fixed, translates or free; `joints` is locked or free, for all that follow no motion, or by name.
    """
    if base is not None:
        if base not in BASES:
            raise ModelError(f'base = "{base}" unknown{suggestion(base, BASES)}')
        chain = replace(chain, base=replace(chain.base, state=BASES[base]))
    if not loads:
        bare = (replace(joint, efforts=(), motors=(), controllers=()) for joint in chain.joints)
        chain = replace(chain, loads=(), customs=(), joints=tuple(bare))
    if joints is None:
        return chain
    named = {joint.name for joint in chain.joints if joint.coordinate}
    moving = {j.name for j in chain.joints if j.motion is not None and not isinstance(j.motion, Constant)}
    wanted = joints if isinstance(joints, Mapping) else dict.fromkeys(named - moving, joints)
    for name, state in wanted.items():
        if name not in named:
            raise ModelError(f'joints: joint "{name}" unknown{suggestion(name, named)}')
        if state not in JOINTS:
            raise ModelError(f'joints: "{state}" unknown{suggestion(state, JOINTS)}')
    return replace(chain, joints=tuple(_altered(joint, wanted) for joint in chain.joints))


def _altered(joint: JointNumbers, wanted: Mapping[str, str]) -> JointNumbers:
    """Return a joint held or free as wanted by name; a weld stays one."""
    if joint.name not in wanted or not joint.coordinate:
        return joint
    state = JOINTS[wanted[joint.name]]
    if state == FREE and joint.flexible and joint.rotor == 0.0:
        raise ModelError(f'joint "{joint.name}": has a drive, so a free one needs a rotor above zero; give it one')
    return replace(joint, state=state, motion=None)


def settled(made: FlexibleSystem, t: float = 0.0, y: Array | None = None) -> Array:
    """Return a state whose deflections, of links and joints, are in balance: (2) of their coordinates.

    Coordinates of base and joints, and their speeds, stay as they are; those of deflections come to rest.
    """
    y = start_state(made) if y is None else y.copy()
    soft = np.array([c.deflects for c in made.compiled.coordinates], dtype=bool)
    if not soft.any():
        return y
    lay = made.layout
    y[lay.v][soft] = 0.0
    zero, before = np.zeros(made.n_v), np.inf
    in_q = np.flatnonzero(soft) + made.n_q - made.n_v
    size = made.size_v[soft]
    for _ in range(ROUNDS):
        force = made.needed(t, y, zero)[soft]
        K = np.stack([_slope(made, t, y, j)[soft] for j in np.flatnonzero(soft).tolist()], axis=1)
        step = np.linalg.lstsq(K * size, -force, rcond=1e-14)[0]
        far = float(np.max(np.abs(step)))
        if not np.isfinite(far):
            break
        y[in_q] += step * size * min(1.0, 30.0 / max(far, 1e-300))
        if far < 1e-13 or (far < 1e-9 and far >= 0.5 * before):
            return y
        before = far
    raise ModelError(f"the deflections find no balance at t = {t:g} s; are the loads beyond what the links can bear?")


def _slope(made: FlexibleSystem, t: float, y: Array, j: int, speed: bool = False) -> Array:
    """Return the derivative of (1) by the way of speed j, or by the speed itself, (n_v,); fourth order."""
    lay, zero, h = made.layout, np.zeros(made.n_v), STEP * float(made.size_v[j])
    unit = np.zeros(made.n_v)
    unit[j] = 1.0
    if speed:
        h /= made.scale.time

    def at(way: float) -> Array:
        z = y.copy()
        if speed:
            z[lay.v.start + j] += way
        else:
            z[lay.q] += way * _rates(made, y[lay.q], unit)
        return made.needed(t, z, zero)

    return (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)


def _rates(made: FlexibleSystem, q: Array, v: Array) -> Array:
    """Return G v of (3)."""
    if made.n_q == made.n_v:
        return v
    w, x, y, z = q[3:7]
    a, b, c = 0.5 * v[3:6]
    turn = [-a * x - b * y - c * z, a * w + b * z - c * y, b * w + c * x - a * z, c * w + a * y - b * x]
    return np.concatenate([v[:3], turn, v[6:]])


def linearised(
    chain: Chain, t: float = 0.0, settle: bool = True, state: Array | None = None, mechanism: Any = None
) -> Linear:
    """Return (3) about the start of a chain, or another state; deflections come into balance first if `settle`."""
    made = system(chain, mechanism)
    y = start_state(made) if state is None else np.array(state, dtype=float)
    if settle:
        y = settled(made, t, y)
    lay = made.layout
    if chain.base.state == FLOATS and np.any(y[lay.v][3:6]):
        raise ModelError("the base turns; small motions are those about a base that does not: give it no omega")
    check_inertia(made, y[lay.q])
    M = made.mass(t, y[lay.q])
    K = np.stack([_slope(made, t, y, j) for j in range(made.n_v)], axis=1) if made.n_v else M
    D = np.stack([_slope(made, t, y, j, speed=True) for j in range(made.n_v)], axis=1) if made.n_v else M
    if settle:
        _check_steady(made, t, y, K, D)
    return Linear(made, t, y, M, D, K)


def _check_steady(made: FlexibleSystem, t: float, y: Array, K: Array, D: Array) -> None:
    """Raise where something accelerates."""
    force = made.needed(t, y, np.zeros(made.n_v))
    size, T = made.size_v, made.scale.time
    acting = np.abs(K) @ size + np.abs(D) @ size / T
    scale = np.maximum(acting, np.max(acting * size, initial=0.0) / size * 1e-3)
    moving = np.abs(force) > REST * scale
    if np.any(moving):
        worst = int(np.argmax(np.where(moving, np.abs(force) * size, 0.0)))
        raise ModelError(
            f'no steady state: {-force[worst]:.3g} acts on "{made.compiled.coordinates[worst].label}"; start where all '
            "forces balance, lock or drive this joint, or take settle = False for small motions about a moving state"
        )
