"""Outcome: what every run leaves behind, whatever moved: samples, how it ended, certificates, files.

Samples are projected (positions, then velocities) before anything is computed from them; `closure` reports the state
before projection. What moves, and by which names, is added by the results of each family of mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.errors import ModelError, suggestion
from particlemech.initial import Start, accelerations, assembled, projected, weights
from particlemech.system import Array, Instant
from particlemech.trajectory import Trajectory

if TYPE_CHECKING:
    import pandas


class Energy(NamedTuple):
    """Energies at the samples, (K,) each, in the model's unit of energy: J in the plane."""

    kinetic: Array
    potential: Array
    total: Array
    work: Array  # done by drivers, loads and dampers since t = 0
    error: Array  # total - total(0) - work
    scale: float  # largest kinetic energy + range of the potential


class Closure(NamedTuple):
    """Worst error of all joints at the samples, (K,) each, before projection."""

    position: Array  # m
    velocity: Array  # m/s


class Outcome:
    """What a run leaves behind.

    Attributes
    ----------
    t : array, shape (K,)
        Times of the samples, s.
    status, message
        How the run ended, and in words.
    stats : dict
        Steps, residuals, jacobians, seconds, size.
    provenance : dict
        Version, hash of the model, options, closure: what every file carries.
    system, start
        What was integrated, and from where.
    """

    def __init__(
        self, system: Instant, start: Start, trajectory: Trajectory, provenance: Callable[[], Mapping[str, Any]]
    ) -> None:
        self.system, self.start = system, start
        self.t, self.status, self.message = trajectory.t, trajectory.status, trajectory.message
        self.stats = dict(trajectory.stats)
        self._y, self._found, self._said = trajectory.y, trajectory.events, provenance
        self._as_it_went = trajectory.projected  # by the integrator

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.status.value}, {len(self.t)} samples to t = {self.t[-1]:g} s>"

    def _repr_html_(self) -> str:
        """Return the page of the motion, in a frame: what notebooks show."""
        # by name: views stand above what they show, and are loaded only if someone looks
        framed: str = import_module("particlemech.view.page").framed(self)
        return framed

    # -- states ------------------------------------------------------------------------------------------------

    @cached_property
    @one_thread
    def _projected(self) -> tuple[Array, Array]:
        lay = self.system.layout
        q, v = self._y[:, lay.q].copy(), self._y[:, lay.v].copy()
        if self._as_it_went or not self.system.n_row:
            return q, v
        for k, t in enumerate(self.t):
            q[k] = assembled(self.system, t, q[k], rounds=4)
            v[k] = projected(self.system, t, q[k], v[k])
        return q, v

    @property
    def _x(self) -> Array:
        return self._y[:, self.system.layout.x]

    @cached_property
    @one_thread
    def _accelerations(self) -> Array:
        q, v = self._projected
        rows = zip(self.t, q, v, self._x, strict=True)
        return np.array([accelerations(self.system, t, qk, vk, xk)[0] for t, qk, vk, xk in rows])

    def _at(self, names: tuple[str, ...], name: str, what: str) -> int:
        if name not in names:
            raise ModelError(f'{what} "{name}" unknown{suggestion(name, names)}')
        return names.index(name)

    def _zeros(self) -> Iterator[tuple[str, Array, Array]]:
        """Give the zeros of every event: its name, times (n,) and states (n, n_y)."""
        for name, zeros in self._found.items():
            states = np.array([y for _, y in zeros]).reshape(len(zeros), self.system.n)
            yield name, np.array([t for t, _ in zeros]), states

    # -- certificates ------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> Energy:
        """Energies, work and the energy error at the samples."""
        q, v = self._projected
        kinetic, potential = self.system.energy(q, v, self._x)
        total, work = kinetic + potential, self._x[:, -1] - self.start.x[-1]
        scale = float(kinetic.max() + np.ptp(potential))
        return Energy(kinetic, potential, total, work, total - total[0] - work, scale)

    @cached_property
    def closure(self) -> Closure:
        """Worst position and velocity error of all joints at the samples, before projection."""
        lay, scale = self.system.layout, weights(self.system)
        position, velocity = np.zeros((2, len(self.t)))
        if not self.system.n_row:
            return Closure(position, velocity)
        for k, t in enumerate(self.t):
            q, v = self._y[k, lay.q], self._y[k, lay.v]
            at = self.system.levels(t, q, v)
            position[k] = np.max(np.abs(scale * at.phi))
            velocity[k] = np.max(np.abs(scale * (at.phi_q @ v + at.phi_t)))
        return Closure(position, velocity)

    @property
    def provenance(self) -> dict[str, Any]:
        """What a file written from this result carries: where it comes from and how well it holds."""
        worst = {"position": float(self.closure.position.max()), "velocity": float(self.closure.velocity.max())}
        ended = {"status": self.status.value, "message": self.message, "reached": float(self.t[-1])}
        return {**self._said(), **ended, "closure": worst, "stats": self.stats}

    # -- files -------------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, Array]:
        """Return the columns of what moves, by name, in order; every family adds its own."""
        return {}

    def columns(self) -> dict[str, Array]:
        """Return all columns of a result file, by name, in order."""
        result = {"t": self.t, **self._columns()}
        for field in ("kinetic", "potential", "total", "work"):
            result[f"energy.{field}"] = getattr(self.energy, field)
        result["closure.position"], result["closure.velocity"] = self.closure
        return result

    def to_csv(self, path: str | Path) -> None:
        """Write all columns, with the provenance above them."""
        from particlemech.export import write_csv

        write_csv(self.columns(), self.provenance, path)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return all columns as a data frame, with the provenance in its `attrs`; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ModelError('to_dataframe needs pandas; install it with: pip install "particlemech[data]"') from None
        frame = pandas.DataFrame(self.columns())
        frame.attrs.update(self.provenance)
        return frame


def vector_columns(head: str, *parts: tuple[str, Array]) -> dict[str, Array]:
    """Return vectors (K, 3) as columns "head.tailx", "head.taily", "head.tailz"; parts are (tail, vectors)."""
    return {f"{head}.{tail}{axis}": array[:, k] for tail, array in parts for k, axis in enumerate("xyz")}


def moving_columns(seen: Any) -> dict[str, Array]:
    """Return the columns of points and bodies in space, in order."""
    result: dict[str, Array] = {}
    for name in seen.mechanism.points:
        places = ("", seen[name]), ("v", seen.velocity(name)), ("a", seen.acceleration(name))
        result |= vector_columns(name, *places)
    for name in seen.mechanism.bodies:
        places = ("", seen.com(name)), ("v", seen.com_velocity(name)), ("a", seen.com_acceleration(name))
        result |= vector_columns(name, *places)
        result |= dict(zip((f"{name}.q{part}" for part in "wxyz"), seen.quaternion(name).T, strict=True))
        result |= vector_columns(name, ("omega_", seen.omega(name)), ("alpha_", seen.alpha(name)))
    return result


class State:
    """The motion in space at one instant, by name: what functions of users (events) receive.

    It offers what the samples of a result do, without the samples: state["tip"] is the place of a point, (3,),
    state.omega("arm") an angular velocity, (3,), state.coordinate("elbow") a number where a joint has one coordinate.
    """

    def __init__(self, seen: Any) -> None:
        self._seen = seen
        self.t = float(seen.t[0])

    def __getitem__(self, point: str) -> Array:
        return self._seen[point][0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._seen, name)
        if not callable(value):
            return value[0] if isinstance(value, np.ndarray) else type(value)(*(part[0] for part in value))

        def now(*names: str) -> Any:
            found = value(*names)
            return found[0] if isinstance(found, np.ndarray) else type(found)(*(part[0] for part in found))

        return now
