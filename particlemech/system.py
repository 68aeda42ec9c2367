"""System: the narrow waist between formulations above and integration, start and results below.

A formulation turns a mechanism into a System. Everything below works on any System and knows no
coordinates, only their numbers:

    y = (q, v, lam, mu, x)     positions, velocities, reactions of cut joints and drivers, stabilising
                               multipliers, and extra states that follow the motion (the last one is the work)

    phi(t, q)                  constraint rows, *second minus first*; a row is a length, or dimensionless
    phi_dot  = phi_q v + phi_t
    phi_ddot = phi_q a + gamma(t, q, v)
    A (a, lam) = b             accelerations and multipliers at one instant

Duties of a formulation: fill in every member below. Shapes use n_q, n_row, n_lam; K counts samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from particlemech.mechanism import Mechanism

Array = NDArray[np.float64]
Residual = Callable[[float, Array, Array, Array], bool]  # (t, y, yp, res) -> whether res is finite
Jacobian = Callable[[float, Array, Array, Array, float, Array], None]  # (t, y, yp, res, cj, J)


@dataclass(frozen=True)
class Scale:
    """The mechanism's own units: L rms distance of the points from their centroid, M total mass, T a time."""

    length: float  # m
    mass: float  # kg
    time: float  # s


@dataclass(frozen=True)
class Row:
    """One constraint row, for messages and scaling."""

    part: str  # 'joint "B"', 'driver "motor"' or 'body "rod"'
    angle: bool  # dimensionless (an angle) rather than a length
    lam: int  # index of its multiplier, -1 where it has none


# N-four-bar, N = 10, rtol 1e-10: 1e-13 costs 14 times the residuals, 1e-12 four times and ten times the error; from
# 1e-10 on Andrews' velocities close no better than 100 rtol
EPS = 1e-11


def regularisation(scale: Scale, rows: tuple[Row, ...]) -> tuple[Array, Array]:
    """Return eps_v and eps_p of all rows, (n_row,): what makes redundant rows and singular poses solvable.

    eps_v = EPS T/M for rows with a multiplier, eps_p = EPS T; both divided by L^2 for rows that are angles.
    """
    over = np.array([scale.length**2 if row.angle else 1.0 for row in rows])
    held = np.array([row.lam >= 0 for row in rows], dtype=float)
    return held * EPS * scale.time / scale.mass / over, EPS * scale.time / over


@dataclass(frozen=True)
class Layout:
    """Names <-> places in arrays. Every tuple gives the order along an axis."""

    points: tuple[str, ...]
    bodies: tuple[str, ...]  # moving bodies, in the order of the model
    point_body: tuple[str, ...]  # the body that carries each point (the first that lists it, or "ground")
    joints: tuple[str, ...]
    reactions: tuple[tuple[str, str], ...]  # (joint, body) for every moving or fixed body of every joint
    moments: tuple[str, ...]  # joints that can carry a moment
    firsts: tuple[tuple[str, str], ...]  # (joint, first body): left out of files
    drivers: tuple[str, ...]
    rows: tuple[Row, ...]  # constraint rows, in order
    q: slice
    v: slice
    lam: slice
    mu: slice
    x: slice  # extra states; the last is the work of drivers, loads and dampers, J


class Motion(NamedTuple):
    """Points and bodies at K samples; positions in global coordinates."""

    point: Array  # (K, n_point, 2) m
    point_v: Array  # (K, n_point, 2) m/s
    point_a: Array  # (K, n_point, 2) m/s^2
    com: Array  # (K, n_body, 2) m
    com_v: Array  # (K, n_body, 2) m/s
    com_a: Array  # (K, n_body, 2) m/s^2
    angle: Array  # (K, n_body) rad since t = 0, counts turns
    omega: Array  # (K, n_body) rad/s
    alpha: Array  # (K, n_body) rad/s^2


class Levels(NamedTuple):
    """All constraint rows at one instant, on every level."""

    phi: Array  # (n_row,)
    phi_t: Array  # (n_row,)
    gamma: Array  # (n_row,)
    phi_q: Array  # (n_row, n_q)


class Balance(NamedTuple):
    """Equilibrium of all bodies at one instant: wrench @ r = missing, r = reactions of all joints, then efforts.

    Rows: force x, force y, moment about the centre of mass divided by L, body by body.
    """

    wrench: Array  # (3 n_body, n_reaction) of unit reactions
    missing: Array  # (3 n_body,) rate of momentum minus applied wrench
    unit: Array  # (n_reaction,) 1 for a force, L for a moment
    report: Array  # (n_report, 3, n_reaction) force x, y and moment at the joint's place, as in Layout.reactions
    joint_columns: tuple[str, ...]  # joint or driver that each reaction belongs to


class Instant(Protocol):
    """What start and results ask of a formulation: everything about one instant."""

    formulation: str
    mechanism: Mechanism  # what was tabulated, for those who draw or name it
    layout: Layout
    scale: Scale
    n: int  # size of y
    n_q: int
    n_row: int
    n_lam: int
    drawing: Array  # (n_q,) coordinates as drawn, not yet assembled
    start_x: Array  # (n_x,) extra states at t = 0
    breaks: tuple[float, ...]  # times at which signals jump
    until: float  # time up to which all signals are defined
    cuts: tuple[str, ...]  # joints that were cut, by name

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once; the next four members are its parts."""

    def rows(self, t: float, q: Array) -> Array:
        """Return phi, (n_row,)."""

    def rows_q(self, t: float, q: Array) -> Array:
        """Return phi_q, (n_row, n_q)."""

    def rows_t(self, t: float, q: Array) -> Array:
        """Return phi_t, (n_row,)."""

    def gamma(self, t: float, q: Array, v: Array) -> Array:
        """Return phi_ddot - phi_q a, (n_row,)."""

    def mass(self, q: Array) -> Array:
        """Return M with kinetic energy v.M.v/2 for every admissible v, (n_q, n_q)."""

    def displacement(self, q: Array) -> Array:
        """Return the gradient of half the integral of |displacement since the drawing|^2 dm, (n_q,)."""

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A, (n_q + n_lam,) square, and b of A (a, lam) = b; rows of A beyond the balance are phi_q."""

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv of all bodies, (n_body, n_q)."""

    def point_q(self, q: Array) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples; all arguments (K, ...)."""

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, (K,) each, J; springs and gravity have a potential."""

    def balance(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at one instant, for the reactions."""

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite near this state, for the message."""

    def retimed(self, time_scale: float, turned: Array | None = None) -> Self:
        """Return the same system regularised with another time scale, s; its angles count from `turned` (n_body,)."""


class System(Instant, Protocol):
    """What a formulation delivers to IDA: the differential-algebraic equations besides; see the module docstring."""

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


class State:
    """The motion at one instant, by name: what user functions (forces, events) receive.

    state["B"] is the position of a point, state.velocity("B") its velocity, state.angle("rod") and
    state.omega("rod") belong to bodies; m, m/s, rad, rad/s.
    """

    def __init__(self, system: Instant, t: float, q: Array, v: Array, x: Array) -> None:
        self.t = t
        self._layout = system.layout
        self._motion = system.motion(q[None], v[None], np.zeros_like(v)[None], x[None])

    def _place(self, names: tuple[str, ...], name: str, what: str) -> int:
        from particlemech.errors import ModelError, suggestion

        if name not in names:
            raise ModelError(f'{what} "{name}" unknown{suggestion(name, names)}')
        return names.index(name)

    def __getitem__(self, point: str) -> Array:
        return self._motion.point[0, self._place(self._layout.points, point, "point")]

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (2,) m/s."""
        return self._motion.point_v[0, self._place(self._layout.points, point, "point")]

    def angle(self, body: str) -> float:
        """Return the angle of a body since t = 0, rad."""
        return float(self._motion.angle[0, self._place(self._layout.bodies, body, "body")])

    def omega(self, body: str) -> float:
        """Return the angular velocity of a body, rad/s."""
        return float(self._motion.omega[0, self._place(self._layout.bodies, body, "body")])


def custom_wrench(value: Any, name: str) -> tuple[float, float, float, float, float]:
    """Return (fx, fy, x, y, couple) from what a user's force function returned, or say what is wrong with it."""
    from particlemech.errors import ModelError

    try:
        (fx, fy), (px, py), couple = value
        return float(fx), float(fy), float(px), float(py), float(couple)
    except (TypeError, ValueError):
        raise ModelError(
            f'force "{name}": its function must return ((fx, fy), (x, y), couple), it returned {value!r}'
        ) from None
