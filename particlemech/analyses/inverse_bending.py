"""Inverse dynamics where bodies bend: coordinates of joints are given, deflections are found by a run.

    M_rr q_r'' + M_rm q_m'' + ... = f_r + u        q_r(t) is given, u is what its drivers give               (1)
    M_mr q_r'' + M_mm q_m'' + K q_m + ... = f_m    decides the deflections q_m                                (2)

A motion of the joints does not say how bodies are deflected when it begins. Where the model does not either, in
[initial] modes and mode_rates, they begin as (2) would have them without vibrations, q_m'' = 0 (3), if all joints
follow the motion; in loops they begin straight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlemech.analyses.text_table import table
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.start import prepared
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model import signals
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.forces import Motor
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.run.simulate import simulate
from particlemech.run.start import rank, weights

RTOL = 1e-9  # of the run
ROUNDS, BALANCED = 20, 1e-12  # of Newton's method for (3), and of its steps beside the sizes of the modes
AHEAD = 1e-4  # of the motion: step by which (3) is differentiated
QUASISTATIC = "deflections begin in balance with the motion, without vibrations"


class Actuator(NamedTuple):
    """A coordinate of a joint that follows the motion."""

    joint: str
    coordinate: str
    turn: bool
    motion: Any  # its signal

    @property
    def name(self) -> str:
        """The coordinate by name, as in the motion."""
        return f"{self.joint}.{self.coordinate}"

    @property
    def driver(self) -> str:
        """The name of what drives it."""
        return f"{self.joint} {self.coordinate}"


class ByMotion:
    """Base of answers that tell their motion as a result does."""

    motion: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.motion, name)

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 2) or (K, 3)."""
        found: Array = self.motion[point]
        return found


class InverseByRun(ByMotion):
    """What a motion of its joints needs of a mechanism that bends: efforts of drivers along a run.

    Attributes
    ----------
    t : array, shape (K,)
        Times, s.
    efforts : dict
        What each actuator gives, (K,), by name.
    motion
        The run: everything that a result offers, by name, deflections included; its names are understood here too.
    begun : str
        How deflections begin, in words.
    """

    def __init__(self, driven: Mechanism, actuators: list[Actuator], samples: int, begun: str) -> None:
        self.begun, self._actuators, self._driven = begun, actuators, driven
        self.motion: Any = simulate(driven, samples=samples, rtol=min(RTOL, driven.run.rtol))
        self.t: Array = self.motion.t
        self.efforts = {of.name: self.motion.effort(of.driver) for of in actuators}
        self.null = np.zeros((len(self.t), len(actuators), 0))

    def __repr__(self) -> str:
        """Return name, number of times and actuators."""
        return f"<Inverse: {self._driven.name}, {len(self.t)} time(s), {', '.join(self.efforts)}>"

    def __str__(self) -> str:
        """Return a table of the efforts, peak and root mean square, and how deflections begin."""
        rows = []
        for of in self._actuators:
            effort, unit = self.efforts[of.name], self.units[of.name]
            k, rms = int(np.argmax(np.abs(effort))), float(np.sqrt(np.mean(effort**2)))
            rows.append((of.name, f"{effort[k]:.6g} {unit}", f"{self.t[k]:.4g} s", f"{rms:.6g} {unit}"))
        lines = table("efforts", ("actuator", "peak", "at", "rms"), rows)
        return "\n".join([*lines, f"bodies bend: {self.begun}"]).lstrip("\n")

    @property
    def units(self) -> dict[str, str]:
        """The unit of each effort, by the name of the actuator."""
        unit = self._driven.unit
        return {of.name: unit.moment if of.turn else unit.force for of in self._actuators}

    def effort(self, actuator: str) -> Array:
        """Return the torque or force of an actuator, (K,), on the second body of its joint."""
        if actuator not in self.efforts:
            raise ModelError(f'actuator "{actuator}" unknown{suggestion(actuator, self.efforts)}')
        return self.efforts[actuator]

    def needed(self, joint: str, coordinate: str | None = None) -> Array:
        """Return what the drive of a coordinate of a joint gives, (K,)."""
        self._driven.known_joint(joint)
        return self.effort(f"{joint}.{self._driven.coordinate(joint, coordinate)}")

    @cached_property
    def replay(self) -> Mechanism:
        """The mechanism with motors that give these efforts in place of drivers; between the times they are curves."""
        initial, motors = self._driven.initial, {}
        position, rate = dict[str, Any](), dict[str, Any]()
        for of in self._actuators:
            effort = signals.curve(self.t, self.efforts[of.name])
            motors[f"{of.driver} motor"] = Motor(joint=of.joint, coordinate=of.coordinate, effort=effort)
            value, speed = signals.values(of.motion, 0.0)[:2]
            position.setdefault(of.joint, {})[of.coordinate] = value
            rate.setdefault(of.joint, {})[of.coordinate] = speed
        started = replace(initial, position=position, rate=rate)
        free = dict.fromkeys(self._driven.drivers)
        return self._driven.replaced(drivers=free, forces=motors, initial=started)


def bends(mechanism: Any) -> str | None:
    """Return a body that bends, by name, or None."""
    return next((name for name, body in mechanism.bodies.items() if getattr(body, "bends", False)), None)


def by_run(
    mechanism: Mechanism,
    motion: Mapping[str, Any] | Result,
    rate: Mapping[str, Any] | None,
    acceleration: Mapping[str, Any] | None,
    t: ArrayLike | None,
    actuators: Any,
) -> InverseByRun:
    """Return what a motion needs of a mechanism that bends; arguments as of `particlemech.inverse`."""
    body = bends(mechanism)
    if rate or acceleration:
        raise ModelError(
            f'body "{body}" bends, so a run follows the motion: its rates are those of signals or of a curve through '
            "the values; leave out rate and acceleration"
        )
    if isinstance(motion, Result):
        read: Any = motion
        names = [driver.freedom(mechanism) for driver in mechanism.drivers.values()]
        motion, t = {f"{j}.{c}": read.coordinate(j, c) for j, c in names}, read.t
    times = _times(mechanism, motion, t, f'body "{body}" bends, so a run follows the motion')
    said = [_actuator(mechanism, name, value, times) for name, value in motion.items()]
    rigid = mechanism.replaced(drivers=dict.fromkeys(mechanism.drivers))
    said += _held(rigid, {(of.joint, of.coordinate) for of in said})
    if actuators is not None and {*actuators} != {of.name for of in said}:
        raise ModelError(
            f'body "{body}" bends, so what makes the motion are the coordinates that are given: '
            f"{', '.join(of.name for of in said)}; leave out actuators"
        )
    followed = {of.driver: Coordinate(joint=of.joint, coordinate=of.coordinate, motion=of.motion) for of in said}
    initial = replace(mechanism.initial, position={}, rate={}, omega={}, velocity={})
    run = {"duration": float(times[-1])}
    driven = rigid.replaced(drivers=followed, initial=initial, run=run)
    driven, begun = _begun(driven, float(times[-1]))
    return InverseByRun(driven, said, len(times), begun)


def _times(mechanism: Mechanism, motion: Mapping[str, Any], t: ArrayLike | None, why: str) -> Array:
    """Return the times of a motion: those of samples of a run."""
    if t is None and all(isinstance(value, (signals.SignalSpec, Mapping)) for value in motion.values()):
        return np.linspace(0.0, mechanism.run.duration, mechanism.run.samples)
    times = np.atleast_1d(np.asarray(0.0 if t is None else t, dtype=float))
    even = np.linspace(0.0, times[-1], len(times))
    if len(times) < 2 or not times[-1] > 0.0 or np.max(np.abs(times - even)) > 1e-9 * times[-1]:
        raise ModelError(f"{why}: give t, evenly spaced times from 0 on, got {shown(t)}")
    return times


def _actuator(mechanism: Mechanism, name: str, value: Any, t: Array) -> Actuator:
    """Return the coordinate of a joint that a name of the motion stands for."""
    joint, _, coordinate = name.partition(".")
    if joint not in mechanism.joints:
        raise ModelError(
            f'motion: "{name}" is no coordinate of a joint{suggestion(joint, mechanism.joints)}; where bodies bend '
            "points follow from their deflections"
        )
    coordinate = mechanism.coordinate(joint, coordinate or None)
    if isinstance(value, (signals.SignalSpec, Mapping)):
        signal = signals.motion(value)
    else:
        array = np.asarray(value, dtype=float)
        if array.ndim and array.shape != t.shape:
            raise ModelError(f'motion: "{name}" needs one value for each of {len(t)} times, got {shown(array.shape)}')
        signal = signals.curve(t, array) if array.ndim else signals.motion(float(array))
    return Actuator(joint, coordinate, _turns(mechanism, joint, coordinate), signal)


def _turns(mechanism: Mechanism, joint: str, coordinate: str) -> bool:
    """Return whether a coordinate of a joint is an angle."""
    kind: Any = mechanism.joints[joint]
    return bool(next((stage.turn for stage in kind.stages or () if stage.name == coordinate), True))


def _held(rigid: Mechanism, said: set[tuple[str, str]]) -> list[Actuator]:
    """Return the coordinates that stay as drawn, of a mechanism without loops; raise where freedoms are left open."""
    made, begin = prepared(rigid.replaced(initial=type(rigid.initial)()), rigid.run.duration)
    free = [made.compiled.coordinates[e] for e in made.compiled.free]
    left = [k for k, of in enumerate(free) if not of.deflects and (of.joint, of.name) not in said]
    if not made.n_row:
        return [Actuator(free[k].joint, free[k].name, free[k].turn, signals.motion(0.0)) for k in left]
    # a joint that is cut has no coordinate of its own: one that is said there holds one freedom
    cut = len(said) - sum((of.joint, of.name) in said for of in free)
    G = weights(made)[:, None] * made.levels(0.0, begin.q, np.zeros(made.n_v)).phi_q * made.size_v
    opened = len(left) - rank(np.asarray(np.linalg.svd(G[:, left] / made.scale.length, compute_uv=False)), 1e-8) - cut
    if opened > 0:
        raise ModelError(f"the motion leaves {opened} freedom(s) of the joints open; say more of their coordinates")
    return []


def _begun(driven: Mechanism, duration: float) -> tuple[Mechanism, str]:
    """Return the mechanism with the deflections at the beginning of its motion, and how they were found."""
    initial = driven.initial
    if initial.modes or initial.mode_rates or initial.deflection or initial.deflection_rate:
        return driven, "deflections begin as the model says"
    made, _ = prepared(driven, duration)
    if made.n_row or not all(made.compiled.coordinates[e].deflects for e in made.compiled.free):
        return driven, "deflections begin straight"
    h = AHEAD * duration
    at = [_balanced(made, k * h) for k in range(3)]
    found: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    drives: tuple[dict[str, float], dict[str, float]] = {}, {}
    stage = made.compiled.tables.stage
    for level, q in enumerate((at[0], (4.0 * at[1] - 3.0 * at[0] - at[2]) / (2.0 * h))):
        for e in made.compiled.free:
            of, value = made.compiled.coordinates[e], float(q[stage[e]["u"]])
            if of.joint in driven.joints:
                drives[level][of.joint] = value
            else:
                found[level].setdefault(of.joint, []).append(value)
    started = replace(initial, modes=found[0], mode_rates=found[1], deflection=drives[0], deflection_rate=drives[1])
    return driven.replaced(initial=started), QUASISTATIC


def _balanced(made: TreeSystem, t: float) -> Array:
    """Return the deflections (n_v,) at which nothing that deflects is accelerated, (3)."""
    K, q, still = made.elasticity[0], np.zeros(made.n_v), np.zeros(made.n_v)
    for _ in range(ROUNDS):
        step = np.linalg.solve(K, made.needed(t, q, still, still, np.zeros(1)))
        q = q - step
        if np.max(np.abs(step / made.size_v)) < BALANCED * max(1.0, np.max(np.abs(q / made.size_v))):
            return q
    raise ModelError(
        f"no balanced deflections were found at t = {t:g} s for the motion to begin with; say modes in [initial]"
    )
