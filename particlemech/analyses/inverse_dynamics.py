"""Inverse dynamics: the motion is given, what makes it is asked for.

    needed = A a - f                                    along all speeds, forces of the model left in f        (1)
    N^T B^T u = N^T needed,    G N = 0                  efforts u of actuators with rates B v                   (2)

[P72] (3.31) (errata) is (1) for a tree whose joints all have a drive: there it is computed joint by joint from the
wrench that each transmits, nothing is solved for, and gimbal lock does not matter. With more actuators than freedoms
(2) leaves u open: it is the one of least norm, moments divided by L, and what may be added to it is given beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from particlemech._threads import one_thread
from particlemech.analyses.inverse_bending import ByMotion, InverseByRun, bends, by_run
from particlemech.analyses.inverse_friction import efforts as against_friction
from particlemech.analyses.kinematics.driving import NO_FREEDOM
from particlemech.analyses.poses import released
from particlemech.analyses.poses.posing import (
    RANK,
    Path,
    Posing,
    Released,
    ask,
    independent,
    null_space,
    rows_of,
    through,
)
from particlemech.analyses.poses.quantities import Quantity
from particlemech.analyses.text_table import table
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.model import signals
from particlemech.model.acting import check_stateless
from particlemech.model.description import Description
from particlemech.model.friction import dry
from particlemech.model.signals import SignalSpec
from particlemech.model.spec import shown
from particlemech.result.base import Result
from particlemech.result.export import read_table
from particlemech.result.saved import is_result, read_result
from particlemech.run.start import weights

LEFT = 1e-7  # of what is needed: what actuators cannot give is not to be more
DEGREE = 5  # of the splines that are differentiated

Motion = Mapping[str, Any]


class Inverse(ByMotion):
    """What a given motion needs; everything that a result offers about motion and joints, by the same names.

    Attributes
    ----------
    t : array, shape (K,)
        Times, s.
    efforts : dict
        What each actuator gives, (K,), the least where that is open, nan where joints that stick rest; by name.
    null : array, shape (K, n, k)
        Efforts that hold each other, in the order of `efforts`: they may be added, and move nothing.
    """

    def __init__(self, posing: Posing, path: Path, actuators: Sequence[Quantity]) -> None:
        self.t, self._posing, self._path, self._actuators = path.t, posing, path, list(actuators)
        of = posing.of
        self._rubs = bool(dry(of.mechanism))
        if self._rubs:
            found = against_friction(posing, path, self._actuators)
            self.efforts = {c.name: found[:, k] for k, c in enumerate(self._actuators)}
            self.null = np.zeros((*found.shape, 0))
            return
        self._needed = of.needed(path.t, path.q, path.v, path.a)
        self.efforts, self.null = self._shared()

    @one_thread
    def _shared(self) -> tuple[dict[str, Array], Array]:
        """Return (2) at all samples, and its null spaces."""
        of, unit = self._posing.of, np.array([self._posing.length if c.turn else 1.0 for c in self._actuators])
        size, n = self._posing.size, len(self._actuators)
        given, spaces = np.zeros((len(self.t), n)), []
        worst, where = 0.0, 0
        for k, q in enumerate(self._path.q):
            at = of.system.levels(float(self.t[k]), q, self._path.v[k])
            N = null_space(weights(of.system)[:, None] * at.phi_q * size)
            M = N.T @ (size[:, None] * rows_of(of, q, self._actuators).T) * unit
            wanted = N.T @ (size * self._needed[k])
            U, s, Vt = np.linalg.svd(M, full_matrices=True)
            rank = int(np.sum(s > RANK * s.max(initial=0.0)))
            given[k] = unit * (Vt[:rank].T @ ((U[:, :rank].T @ wanted) / s[:rank]))
            spaces.append(unit[:, None] * Vt[rank:].T)
            missed = float(np.linalg.norm(wanted - M @ (given[k] / unit)) / max(self._force_size, 1e-300))
            if missed > worst:
                worst, where = missed, k
        if worst > LEFT:
            raise ModelError(
                f"{', '.join(c.name for c in self._actuators) or 'no actuators'} cannot make this motion: at t = "
                f"{self.t[where]:.6g} s {100.0 * worst:.3g} % of what is needed is left; name more actuators"
            )
        most = max((space.shape[1] for space in spaces), default=0)
        null = np.zeros((len(self.t), n, most))
        for k, space in enumerate(spaces):
            null[k, :, : space.shape[1]] = space
        return {c.name: given[:, k] for k, c in enumerate(self._actuators)}, null

    @cached_property
    def _force_size(self) -> float:
        """The size of forces in play: what is needed, weight, and what it takes to accelerate all mass."""
        system, path = self._posing.of.system, self._path
        size = float(np.max(np.abs(self._needed * self._posing.size), initial=0.0))
        fastest = system.scale.length * float(np.max(np.abs(path.a / system.size_v), initial=0.0))
        weight = float(np.linalg.norm(self._posing.of.mechanism.gravity))
        return max(size, system.scale.mass * max(fastest, weight), 1e-300)

    def __repr__(self) -> str:
        """Return name, number of times and actuators."""
        return f"<Inverse: {self._posing.of.mechanism.name}, {len(self.t)} time(s), {', '.join(self.efforts)}>"

    @property
    def _open(self) -> Array:
        """The times at which joints that stick rest, (n,), s."""
        every = np.column_stack([*self.efforts.values()]) if self.efforts else np.zeros((len(self.t), 0))
        return np.asarray(self.t[np.isnan(every).any(axis=1)])

    @property
    def units(self) -> dict[str, str]:
        """The unit of each effort, by the name of the actuator."""
        unit = self._posing.of.mechanism.unit
        return {c.name: unit.moment if c.turn else unit.force for c in self._actuators}

    def __str__(self) -> str:
        """Return a table of the efforts: peak with its time, and root mean square."""
        rows, units = [], self.units
        for name, effort in self.efforts.items():
            k = int(np.nanargmax(np.abs(effort)))
            rms = float(np.sqrt(np.nanmean(effort**2)))
            rows.append((name, f"{effort[k]:.6g} {units[name]}", f"{self.t[k]:.4g} s", f"{rms:.6g} {units[name]}"))
        lines = [*table("efforts", ("actuator", "peak", "at", "rms"), rows)]
        if self.null.shape[2]:
            lines.append(f"{self.null.shape[2]} more than freedoms: efforts of least norm")
        if len(open_ := self._open):
            lines.append(
                f"not determined at {len(open_)} time(s), first {open_[0]:.6g} s: joints that stick rest there"
            )
        return "\n".join(lines).lstrip("\n")

    def effort(self, actuator: str) -> Array:
        """Return the torque or force of an actuator, (K,), on the second body of its joint."""
        own = [actuator] if actuator in self.efforts else [c for c in self.efforts if c.partition(".")[0] == actuator]
        if len(own) != 1:
            raise ModelError(f'actuator "{actuator}" unknown{suggestion(actuator, self.efforts)}')
        return self.efforts[own[0]]

    def needed(self, joint: str, coordinate: str | None = None) -> Array:
        """Return what the drives of a joint give, (K,), or of all its coordinates, (K, dof)."""
        mechanism = self._posing.of.mechanism
        mechanism.known_joint(joint)
        names = mechanism.joints[joint].coordinate_names
        wanted = [mechanism.known_coordinate(joint, coordinate)] if coordinate or len(names) == 1 else names
        by_joint = {c.joint: c.name for c in self._actuators}
        missing = next((name for name in wanted if (joint, name) not in by_joint), None)
        if missing is not None:
            raise ModelError(f'joint "{joint}": no actuator at its {missing}; name it in actuators')
        found = [self.efforts[by_joint[joint, name]] for name in wanted]
        return found[0] if coordinate or len(names) == 1 else np.stack(found, axis=1).reshape(len(self.t), len(names))

    # -- the motion by name ----------------------------------------------------------------------------------------

    @cached_property
    def motion(self) -> Any:
        """The motion with these efforts, by name: a result; of a tree that nothing closes, what was asked for itself.

        Raises
        ------
        SimulationError
            If motors with these efforts make other accelerations: that would be a fault of ours.
        """
        path, of = self._path, self._posing.of
        if not of.system.n_row and hasattr(of, "observed") and not self._rubs:
            return of.observed(*path)
        if self._increasing:
            found = of.result([(self.motored, path)])
        else:
            one_by_one = [Path(*(part[k : k + 1] for part in path)) for k in range(len(self.t))]
            found = of.result([(self._with_motors(k), one) for k, one in enumerate(one_by_one)])
        self._check(found)
        return found

    def _check(self, found: Any) -> None:
        """Raise where motors with the efforts do not make the accelerations that were asked for."""
        path, of = self._path, self._posing.of
        a = np.concatenate([states.accelerations for states in found._states])
        size = np.max(np.abs(path.a / of.system.size_v), initial=0.0)
        missed = float(np.max(np.abs((a - path.a) / of.system.size_v), initial=0.0))
        if missed > LEFT * max(size, 1.0 / of.system.scale.time**2):
            raise SimulationError(f"motors with these efforts miss the accelerations by {missed:.3g}", found)

    @property
    def _increasing(self) -> bool:
        return len(self.t) > 1 and self.t[0] == 0.0 and bool(np.all(np.diff(self.t) > 0.0))

    @cached_property
    def replay(self) -> Any:
        """The mechanism that makes the motion by itself: motors with these efforts in its joints, no drivers.

        It starts as the motion does. Between the times efforts are smooth curves, which is what it can be off by.
        """
        if not self._increasing and len(self.t) > 1:
            raise ModelError("replay: the times of the motion do not increase from t = 0, so no run can follow it")
        seen = self._posing.of.seen(*self._path)
        initial: dict[str, dict[str, dict[str, float]]] = {"position": {}, "rate": {}}
        for c in independent(self._posing, self._path.q[0]):
            assert c.joint is not None
            joint, coordinate = c.joint
            for level, word in enumerate(initial):
                initial[word].setdefault(joint, {})[coordinate] = float(c.read(seen, level)[0])
        span = float(self.t[-1] - self.t[0])
        run = {"duration": span} if span > 0.0 else {}
        return self.motored.replaced(initial=type(self.motored.initial)(**initial), run=run)

    @cached_property
    def motored(self) -> Any:
        """The mechanism with motors that give these efforts in place of its drivers."""
        return self._with_motors(slice(None) if len(self.t) > 1 else 0)

    def _with_motors(self, which: Any) -> Any:
        """Return the mechanism with motors that give the efforts of some samples."""
        of, motors = self._posing.of, {}
        if len(open_ := self._open):
            raise ModelError(f"at t = {open_[0]:.6g} s joints that stick rest, so what motors give is not determined")
        for c in self._actuators:
            if c.joint is None:
                raise ModelError(
                    f'actuator "{c.name}" is not in a joint, and no motor of a model can stand for it; name '
                    "coordinates of joints as actuators"
                )
            effort: Any = self.efforts[c.name][which]
            if np.ndim(effort):
                effort = signals.curve(self.t, effort)
            name = f"{c.name} motor".replace(".", " ")
            motors[name] = of.motor(joint=c.joint[0], coordinate=c.joint[1], effort=effort)
        return of.mechanism.replaced(forces=motors)


# -- asking --------------------------------------------------------------------------------------------------------


def inverse(
    mechanism: Any,
    motion: Motion | Result,
    rate: Motion | None = None,
    acceleration: Motion | None = None,
    t: ArrayLike | None = None,
    actuators: Sequence[str] | None = None,
) -> Inverse | InverseByRun:
    """Return what a given motion needs; see `particlemech.inverse`."""
    if isinstance(mechanism, Description):
        check_stateless(mechanism, "inverse", "take it out, for what is asked are efforts in its place")
    if hasattr(motion, "columns") and not isinstance(motion, Result):  # a data frame
        frame: Any = motion
        motion = {name: frame[name].to_numpy(dtype=float) for name in frame.columns if name != "t"}
        t = frame["t"].to_numpy(dtype=float) if t is None and "t" in frame.columns else t
    if bends(mechanism):
        return by_run(mechanism, motion, rate, acceleration, t, actuators)
    of = released(mechanism)
    if isinstance(motion, Result):
        path = Path(motion.t, *of.of_result(motion))
        posing = Posing(of, [])
    else:
        names, levels, times = _given(of, motion, rate, acceleration, t)
        posing = Posing(of, ask(of, names))
        path = through(posing, times, *levels)
    return Inverse(posing, path, _actuators(of, [c for c in posing.quantities if c.joint], actuators))


def _actuators(of: Released, said: list[Quantity], actuators: Sequence[str] | None) -> list[Quantity]:
    """Return the actuators by name; by default coordinates of joints by which the motion is said, or the drivers."""
    if actuators is not None:
        if isinstance(actuators, str):
            raise ModelError(f"actuators: give a list of names, got {shown(actuators)}")
        return ask(of, actuators, joints=True)
    if said:
        return said
    if of.driven.drivers:
        return ask(of, list(of.driven.drivers), joints=True)
    every = [f"{j}.{c}" for j, joint in of.driven.joints.items() for c in joint.coordinate_names]
    if of.system.n_row == 0:
        return ask(of, every)
    if not Posing(of, []).freedoms:
        raise ModelError(f"inverse: {NO_FREEDOM}")
    more = ", ..." if len(every) > 6 else ""
    raise ModelError(f"inverse: say what moves it, actuators=[...] of {', '.join(every[:6])}{more}")


def _given(
    of: Released, motion: Motion, rate: Motion | None, acceleration: Motion | None, t: ArrayLike | None
) -> tuple[list[str], list[Array], Array]:
    """Return names of quantities, their values and two rates (K, m) each, and the times (K,)."""
    if not isinstance(motion, Mapping):
        raise ModelError(f"a motion is given as a mapping of names to values, or a result, got {shown(motion)}")
    for other, word in ((rate, "rate"), (acceleration, "acceleration")):
        for name in other or {}:
            if name not in motion:
                raise ModelError(f'{word}: "{name}" is not in the motion; give its values there')
    every = {name: _meant(of, name, value) for name, value in motion.items()}
    signalled = any(isinstance(value, SignalSpec) for value in motion.values())
    if t is None and signalled:
        run = of.driven.run
        t = np.linspace(0.0, run.duration, run.samples)
    times = np.atleast_1d(_numbers(0.0 if t is None else t, "t"))
    columns = {name: _columns(name, motion[name], len(cs), times) for name, cs in every.items()}
    K = max([len(times), *(len(of[0]) for of in columns.values())])
    derived = rate is None and acceleration is None and len(times) > 1
    levels: list[list[Array]] = [[], [], []]
    for name, parts in columns.items():
        if parts[1] is None and derived:
            parts = _differentiated(name, parts[0], times)
        for level, given in ((1, rate), (2, acceleration)):
            if given and name in given:
                parts[level] = _columns(name, given[name], len(every[name]), times)[0]
        for level in range(3):
            of_level = np.zeros_like(parts[0]) if parts[level] is None else parts[level]
            levels[level].append(_repeated(of_level, K))
    names = [c.name for cs in every.values() for c in cs]
    names, levels = _with_rest(of, every, names, levels, K)
    joined = [np.concatenate(parts, axis=1) if parts else np.zeros((K, 0)) for parts in levels]
    return names, joined, _repeated(times[:, None], K)[:, 0]


def _meant(of: Released, name: str, value: Any) -> list[Quantity]:
    """Return what a name stands for: of a joint and a point that share it, the one whose shape the values have."""
    both = isinstance(name, str) and name in of.driven.joints and name in of.driven.points
    if not both:
        return ask(of, [name])
    joint, point = (ask(of, [name], joints=meant) for meant in (True, False))
    shape = np.shape(value) if not isinstance(value, (SignalSpec, Mapping)) else ()
    if len(joint) == len(point):
        return ask(of, [name])
    return point if shape and shape[-1] == len(point) else joint


def read_motion(path: str | PathLike[str]) -> tuple[Array | None, Any]:
    """Return the times (K,) and the columns (K,) of a motion from a .csv file; of one that a run wrote, the result."""
    if is_result(path):
        return None, read_result(path)
    columns = read_table(path, "motion")
    if "t" not in columns or len(columns) < 2 or not len(columns["t"]):
        raise ModelError(
            f'the motion "{path}" needs a first line with t and names, such as P.x, and lines with numbers'
        )
    return columns.pop("t"), columns


def _with_rest(
    of: Released, every: Mapping[str, list[Quantity]], names: list[str], levels: list[list[Array]], K: int
) -> tuple[list[str], list[list[Array]]]:
    """Return the same with the joints of a tree that are left out: they stay where they are drawn."""
    if of.system.n_row or not all(c.joint for cs in every.values() for c in cs):
        return names, levels
    said = {c.joint for cs in every.values() for c in cs}
    joints = of.driven.joints.items()
    rest = [f"{j}.{c}" for j, joint in joints for c in joint.coordinate_names if (j, c) not in said]
    still = np.zeros((K, len(rest)))
    return [*names, *rest], [[*parts, still] for parts in levels]


def _columns(name: str, value: Any, n: int, t: Array) -> list[Any]:
    """Return values (K, n), and first and second rates where a signal says them."""
    if isinstance(value, (SignalSpec, Mapping)):
        signal = signals.motion(value)
        if n != 1:
            raise ModelError(f'"{name}" has {n} components, and a signal is one; give each by itself, as "{name}.x"')
        levels = np.array([signals.values(signal, float(at)) for at in t])
        return [levels[:, level, None] for level in range(3)]
    array = _numbers(value, f'"{name}"')
    if n == 1 and array.ndim < 2:
        array = array.reshape(-1, 1)
    array = np.atleast_2d(array)
    if array.ndim != 2 or array.shape[1] != n:
        raise ModelError(f'"{name}" has {n} coordinate(s), got values of shape {np.shape(value)}')
    return [array, None, None]


def _differentiated(name: str, value: Array, t: Array) -> list[Any]:
    """Return values and the rates of a spline through them."""
    if len(value) == 1:
        return [value, None, None]
    if len(value) != len(t) or np.any(np.diff(t) <= 0.0):
        raise ModelError(
            f'"{name}": {len(value)} values at {len(t)} times cannot be differentiated; give one for each of '
            "increasing times, or rate and acceleration"
        )
    if len(t) < 4:
        raise ModelError(f'"{name}": {len(t)} samples are too few to differentiate; give rate and acceleration')
    spline = make_interp_spline(t, value, k=min(DEGREE, len(t) - 1 - (len(t) % 2 == 1)))
    return [value, spline(t, 1), spline(t, 2)]


def _numbers(value: ArrayLike, what: str) -> Array:
    """Return an array of finite numbers."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected numbers, got {shown(value)}") from None
    if not np.isfinite(array).all():
        raise ModelError(f"{what}: expected finite numbers, got {shown(value)}")
    return array


def _repeated(array: Array, K: int) -> Array:
    if len(array) not in (1, K):
        raise ModelError(f"the parts of a motion need one length, got {len(array)} and {K} samples")
    return np.repeat(array, K, axis=0) if len(array) != K else array
