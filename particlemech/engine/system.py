"""System: the narrow waist between formulations above and integration, start and results below.

A formulation turns a mechanism into a System. Everything below works on any System and knows no
coordinates, only their numbers:

    y = (q, v, lam, mu, x)     positions, speeds, reactions of cut joints and drivers, stabilising
                               multipliers, and extra states that follow the motion: angles, then those that motors
                               and controllers own (elements.py), last the work

    q' = kinematics(t, q, v)   the speeds may be fewer than the coordinates (quaternions), or not their rates
    phi(t, q)                  constraint rows, *second minus first*; a row is a length, or dimensionless
    phi_dot  = phi_q v + phi_t
    phi_ddot = phi_q a + gamma(t, q, v)
    A (a, lam) = b             accelerations and multipliers at one instant

Rows take the speeds for the rates of the coordinates: a system whose q' is not v has none.
Duties of a formulation: fill in every member below. Shapes use n_q, n_v, n_row, n_lam; K counts samples. Units in
comments, m, kg, N, J, stand for those of the model, whatever it is written in: nothing is converted.
What results and starts of mechanisms in the plane need besides is in plane.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from particlemech.errors import ModelError

Array = NDArray[np.float64]
Residual = Callable[[float, Array, Array, Array], bool]  # (t, y, yp, res) -> whether res is finite
Jacobian = Callable[[float, Array, Array, Array, float, Array], None]  # (t, y, yp, res, cj, J)


@dataclass(frozen=True)
class Scale:
    """The mechanism's own units: L rms distance of the points from their centroid, M total mass, T a time.

    Where bodies bend T is that of their vibrations, which hold little energy; and where all that moves deflects,
    energies and deflections are as small as it is stiff: nothing to do with M, L, T.
    """

    length: float  # m
    mass: float  # kg
    time: float  # s
    play: float | None = None  # J, energy in play where bodies bend
    deflection: float = 1.0  # of the sizes of coordinates: how large they become there
    vibrations: float = 0.0  # how often what deflects vibrates in a run, hardly damped, at its fastest
    period: float | None = None  # s, of the slowest vibration there, over 2 pi

    @property
    def pace(self) -> float:
        """Return what speeds are sizes of coordinates over, 1/s times `deflection`."""
        return self.deflection / (self.time if self.period is None else min(self.time, self.period))

    @property
    def energy(self) -> float:
        """Return what counts as a unit of energy, J: M (L/T)^2, unless bodies bend."""
        return self.mass * (self.length / self.time) ** 2 if self.play is None else self.play


@dataclass(frozen=True)
class Row:
    """One constraint row, for messages and scaling."""

    part: str  # 'joint "B"', 'driver "motor"' or 'body "rod"'
    angle: bool  # dimensionless (an angle) rather than a length
    lam: int  # index of its multiplier, -1 where it has none


# of the mechanism's own units. A row gives way by eps times its multiplier, an error that no tolerance lowers: with
# 1e-11 a four-bar whose transmission angle falls to 1 degree loses 7e-3 of its size in 2 s. With 1e-15 nothing of it is
# left, redundant rows included; only on their way through singular poses mechanisms need rows that are softer, see
# integrate.SOFTER (N-four-bar, N = 2, rtol 1e-9: 319 000 steps with 1e-15 alone, 10 700 with 1e-11)
EPS = 1e-15


def regularisation(scale: Scale, rows: tuple[Row, ...]) -> tuple[Array, Array]:
    """Return eps_v and eps_p of all rows, (n_row,): what makes redundant rows and singular poses solvable.

    eps_v = EPS T/M for rows with a multiplier, eps_p = EPS T; both divided by L^2 for rows that are angles.
    """
    over = np.array([scale.length**2 if row.angle else 1.0 for row in rows])
    held = np.array([row.lam >= 0 for row in rows], dtype=float)
    return held * EPS * scale.time / scale.mass / over, EPS * scale.time / over


@dataclass(frozen=True)
class Layout:
    """Places in y, and what its rows are; formulations add their names."""

    rows: tuple[Row, ...]  # constraint rows, in order
    q: slice
    v: slice
    lam: slice
    mu: slice
    x: slice  # extra states; the last is the work of drivers, loads and dampers, J

    def state(self, q: Array, v: Array, x: Array) -> Array:
        """Return a state (n,), or K states (K, n), of coordinates, speeds and extra states; multipliers are left 0."""
        y = np.zeros((*np.shape(q)[:-1], self.x.stop))
        y[..., self.q], y[..., self.v], y[..., self.x] = q, v, x
        return y


class Levels(NamedTuple):
    """All constraint rows at one instant, on every level."""

    phi: Array  # (n_row,)
    phi_t: Array  # (n_row,)
    gamma: Array  # (n_row,)
    phi_q: Array  # (n_row, n_v)


class Instant(Protocol):
    """What integrators, events and results ask of a formulation: everything about one instant."""

    formulation: str
    scale: Scale
    n: int  # size of y
    n_q: int
    n_row: int
    n_lam: int
    breaks: tuple[float, ...]  # times at which signals jump or impulses act
    until: float  # time up to which all signals are defined
    cuts: tuple[str, ...]  # joints that were cut, by name

    @property
    def mechanism(self) -> Any:
        """Return what was tabulated, for those who draw or name it."""

    @property
    def layout(self) -> Layout:
        """Return places and names."""

    @property
    def n_v(self) -> int:
        """Return the number of speeds."""

    @property
    def size_q(self) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,): L for a length, 1 for an angle."""

    @property
    def size_v(self) -> Array:
        """Return what counts as a unit of the way that each speed makes in T, (n_v,); size_v/T is that of the speed."""

    def kinematics(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of the coordinates, (n_q,)."""

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once."""

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A, (n_v + n_lam,) square, and b of A (a, lam) = b; rows of A beyond the balance are phi_q."""

    def struck(self, t: float, y: Array) -> Array:
        """Return the state just after what happens at a break, (n,); `y` is that before and stays as it is.

        Runs ask at every break between their first and last time. A sample at that time is the one before.
        """

    def adopted(self, other: Instant, y: Array, t: float = 0.0) -> Array:
        """Return a state (n,) at t of another system of the same mechanism as one of this; multipliers are left 0."""

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each, J; springs and gravity have a potential."""

    def energies(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K states y (K, n) at times t (K,), prescribed motion included."""

    def state(self, t: float, y: Array) -> Any:
        """Return the motion at one instant by name, for functions of users."""

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite near this state, for the message."""


class Named(NamedTuple):
    """A coordinate by name, as analyses choose freedoms from them."""

    label: str  # "joint.coordinate", "body.x"
    part: str  # the joint, or the body
    name: str
    turn: bool  # an angle rather than a length
    size: float  # what counts as a unit of it
    of_body: bool = False  # of the place of a body: taken where those of joints do not suffice
    deflects: bool = False  # a modal coordinate, or the deflection of a drive
    spins: bool = False  # its rate is a component of an angular velocity


class Reducible(Instant, Protocol):
    """What analyses of small motions and of rest ask besides: named coordinates, and what a motion needs.

    A way (n_v,) is a virtual speed; the power of what is needed is right along those that the rows admit.
    """

    @property
    def named(self) -> tuple[Named, ...]:
        """Return the coordinates that have names."""

    def away(self, one: tuple[Array, Array], other: tuple[Array, Array], which: list[int]) -> Array:
        """Return how far another pose (q, x) is from one, in some of the named coordinates, (k,)."""

    def along(self, q: Array, v: Array, x: Array, which: list[int]) -> tuple[Array, Array]:
        """Return B, (k, n_v), of rates B v of named coordinates, and their second rates while no speed changes."""

    def needed(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return what a motion takes along the speeds, less what forces give, (n_v,)."""

    def mass(self, q: Array) -> Array:
        """Return M with kinetic energy v.M.v/2 for every admissible v, (n_v, n_v)."""

    def recounted(self, q: Array, x: Array) -> Array:
        """Return extra states that count the turns of a pose, from those of one nearby, (n_x,)."""

    @property
    def elasticity(self) -> tuple[Array, Array]:
        """Return stiffness and damping that are constant along the speeds, (n_v, n_v) each."""

    @property
    def limp(self) -> Reducible:
        """Return the same system without these."""


def counted(system: Any, y: Array) -> Any:
    """Return the system as it counts turns from a state (n,): itself, unless its rows hold angles that turn."""
    counting: bool = getattr(system, "counting", False)
    return system.turning(y[system.layout.x]) if counting else system


def owned(system: Any) -> Array:
    """Return what counts as a unit of each state that motors and controllers own, (n_z,): of most systems none."""
    elements = getattr(system, "elements", None)
    return np.zeros(0) if elements is None else np.asarray(elements.sizes)


def same_state(system: Instant, other: Instant, y: Array) -> Array:
    """Return a state (n,) as it is, after a check that both systems are of one make."""
    if type(system) is not type(other) or system.n != other.n:
        raise ModelError(
            f"start: the result is of another mechanism or formulation ({other.n} unknowns by {other.formulation}, "
            f"here {system.n} by {system.formulation}); go on with the mechanism that made it"
        )
    return y


class System(Instant, Protocol):
    """What a formulation delivers to IDA: the differential-algebraic equations besides; see the module docstring."""

    @property
    def dense(self) -> bool:
        """Return whether the Jacobian has too few zeros for a sparse solver, however large it is."""

    @property
    def indptr(self) -> NDArray[np.int32]:
        """Return the pattern of the Jacobian in compressed columns: where each column starts, (n + 1,)."""

    @property
    def indices(self) -> NDArray[np.int32]:
        """Return the rows of the pattern, (nnz,)."""

    def callbacks(self, sparse: bool) -> tuple[Residual, Jacobian]:
        """Return residual and Jacobian with scratch of their own: one call per run or thread.

        The Jacobian dF/dy + cj dF/dyp is written into an (n, n) array, or into (nnz,) data if sparse.
        """

    def following(self, t: float, q: Array, v: Array, lam: Array, x: Array) -> Array:
        """Return the rates of the extra states, (n_x,)."""

    def retimed(self, time_scale: float) -> System:
        """Return the same system with another T, s; the regularisation of its rows is proportional to it."""
