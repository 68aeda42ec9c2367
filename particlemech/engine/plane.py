"""The plane: what starts, results and users see of mechanisms whose points move in it, on top of system.py.

Every coordinate has its rate as a speed, q' = v.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from particlemech.engine.system import Array, Instant, Layout, Levels, System
from particlemech.errors import ModelError, suggestion
from particlemech.model.cams.rubbing import across as across_cam
from particlemech.model.description import GROUND
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism


@dataclass(frozen=True)
class PlanarLayout(Layout):
    """Names <-> places in arrays. Every tuple gives the order along an axis."""

    points: tuple[str, ...]
    bodies: tuple[str, ...]  # moving bodies, in the order of the model
    point_body: tuple[str, ...]  # the body that carries each point (the first that lists it, or "ground")
    joints: tuple[str, ...]
    reactions: tuple[tuple[str, str], ...]  # (joint, body) for every moving or fixed body of every joint
    moments: tuple[str, ...]  # joints that can carry a moment
    firsts: tuple[tuple[str, str], ...]  # (joint, first body): left out of files
    drivers: tuple[str, ...]  # and couplings: whose effort is a result
    efforts: tuple[tuple[str, int], ...]  # of these, and of rows of joints: part, and which of its rows


class Motion(NamedTuple):
    """Points and bodies at K samples; positions in global coordinates."""

    point: Array  # (K, n_point, 2) m
    point_v: Array  # (K, n_point, 2) m/s
    point_a: Array  # (K, n_point, 2) m/s^2
    com: Array  # (K, n_body, 2) m
    com_v: Array  # (K, n_body, 2) m/s
    com_a: Array  # (K, n_body, 2) m/s^2
    angle: Array  # (K, n_body) rad since the drawing, counts turns
    omega: Array  # (K, n_body) rad/s
    alpha: Array  # (K, n_body) rad/s^2


SECOND = ("point_a", "com_a", "alpha")  # what needs accelerations
SOME = 4096  # samples of a motion at once, where only a part of it is kept


class Pose(NamedTuple):
    """Where all bodies are at one instant, in the order of the model."""

    com: Array  # (n_body, 2) m, global
    angle: Array  # (n_body,) rad away from the points as they are drawn


class Assembled(NamedTuple):
    """The drawing with its gaps closed and its lengths as asked, and where the motion starts from."""

    drawing: Pose
    start: Pose


class Momentum(NamedTuple):
    """Momentum of the whole mechanism at K samples."""

    linear: Array  # (K, 2)
    angular: Array  # (K,) about the origin
    central: Array  # (K,) about the centre of mass of all


class Balance(NamedTuple):
    """Equilibrium of all bodies at one instant: wrench @ r = missing, r = reactions of all joints, then efforts.

    Rows: force x, force y, moment about the centre of mass divided by L, body by body.
    """

    wrench: Array  # (3 n_body, n_reaction) of unit reactions
    missing: Array  # (3 n_body,) rate of momentum minus applied wrench
    unit: Array  # (n_reaction,) 1 for a force, L for a moment
    report: Array  # (n_report, 3, n_reaction) force x, y and moment at the joint's place, as in Layout.reactions
    joint_columns: tuple[str, ...]  # joint or driver that each reaction belongs to


class Reactions(NamedTuple):
    """Least-norm reactions at K samples, and which of their components are determined."""

    value: Array  # (K, n_report, 3) force x, y, moment; order of Layout.reactions
    known: Array  # (K, n_report, 3) bool
    effort: Array  # (K, n_effort) order of Layout.efforts
    effort_known: Array  # (K, n_effort) bool


class Moving(Protocol):
    """What shows the motion of points and bodies by name."""

    home: Pose | None

    @property
    def mechanism(self) -> Mechanism:
        """Return what was tabulated."""

    @property
    def layout(self) -> PlanarLayout:
        """Return places and names."""

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples; all arguments (K, ...)."""


class PlanarInstant(Moving, Instant, Protocol):
    """What start and results ask of a formulation in the plane."""

    drawing: Array  # (n_q,) coordinates as drawn, not yet assembled
    start_x: Array  # (n_x,) extra states at t = 0
    home: Pose | None  # the drawing as assembled, from which all coordinates count; None: as the points are drawn

    @property
    def turned(self) -> Any:
        """Return how far assembly turned the bodies away from their drawn points, (n_body,), rad; 0.0 for all."""

    @property
    def mechanism(self) -> Mechanism:
        """Return what was tabulated."""

    def levels(self, t: float, q: Array, v: Array, x: Array | None = None) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once; x (n_x,) says on which turn the bodies are, default none."""

    def rows(self, t: float, q: Array, x: Array | None = None) -> Array:
        """Return phi, (n_row,); this and the next three are the parts of `levels`."""

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

    def posed(self, pose: Pose) -> Array:
        """Return the coordinates of a pose, (n_q,)."""

    def turns(self, pose: Pose) -> Array:
        """Return the extra states of a start in a pose, (n_x,): they count the turns of its bodies."""

    def turning(self, x: Array) -> Self:
        """Return the same system; its rows count the turns of bodies from the extra states x (n_x,)."""

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv of all bodies, (n_body, n_q)."""

    def point_q(self, q: Array) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""

    def balance(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at one instant, for the reactions."""

    def seen(self, what: str, k: int, q: Array, v: Array, a: Array | None, x: Array) -> Array:
        """Return a field of Motion for one point or body at K samples, (K, 2) or (K,); `a` only for those in SECOND."""

    def sight(self, t: float, q: Array, v: Array, x: Array) -> Sight:
        """Return the motion at one instant as the laws of forces ask for it."""

    # many samples at once; t (K,), the other arguments (K, ...)

    def closure_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the worst position and velocity error of all rows as lengths, (K,) each."""

    def projected_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the nearest positions and velocities that satisfy all rows, (K, n_q) each."""

    def accelerations_of(self, t: Array, q: Array, v: Array, x: Array) -> Array:
        """Return the accelerations, (K, n_q)."""

    def reactions_of(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> Reactions:
        """Return the reactions of least norm, and which of their components are determined."""

    def units_of(self, t: Array, q: Array) -> tuple[Array, Array]:
        """Return `wrench` and `report` of Balance, (K, 3 n_body, n_reaction) and (K, n_report, 3, n_reaction)."""

    def conditions_of(self, t: Array, q: Array) -> Array:
        """Return the condition number of equilibrium, self-stresses left out, (K,)."""

    def retimed(self, time_scale: float, home: Pose | None = None) -> Self:
        """Return the same system regularised with another time scale, s; its coordinates count from `home`."""


class PlanarSystem(PlanarInstant, System, Protocol):
    """A formulation in the plane that IDA can run."""


class State:
    """The motion at one instant, by name: what functions of users (events, custom forces) receive.

        state.t                   the time, s
        state["B"]                the position of a point, (2,), m, global axes
        state.velocity("B")       its velocity, (2,), m/s
        state.angle("rod")        the angle of a body since the drawing, rad; it counts turns
        state.omega("rod")        its angular velocity, rad/s
        state.coordinate("A")     the coordinate of a joint, rad or m; of several: state.coordinate("A", "travel")
        state.rate("A")           its rate, rad/s or m/s

    It is good for one call: do not keep it.
    """

    def __init__(self, system: Moving, t: float, q: Array, v: Array, x: Array) -> None:
        motion = system.motion(q[None], v[None], np.zeros_like(v)[None], x[None])
        self._of(Sight(system.mechanism, system.layout, system.home, np.array([t]), motion))

    def _of(self, seen: Sight) -> None:
        self.t, self._seen = float(seen.t[0]), seen
        self._layout, self._motion = seen._layout, seen._motion

    @classmethod
    def of_sample(cls, seen: Sight, k: int) -> State:
        """Return the state at sample k of a motion."""
        state, motion = cls.__new__(cls), Motion(*(part[k : k + 1] for part in seen._motion))
        state._of(Sight(seen.mechanism, seen._layout, seen._home, seen.t[k : k + 1], motion))
        return state

    def _place(self, names: tuple[str, ...], name: str, what: str) -> int:
        if name not in names:
            raise ModelError(f'{what} "{name}" unknown{suggestion(name, names)}')
        return names.index(name)

    def __getitem__(self, point: str) -> Array:
        return self._motion.point[0, self._place(self._layout.points, point, "point")]

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (2,) m/s."""
        return self._motion.point_v[0, self._place(self._layout.points, point, "point")]

    def angle(self, body: str) -> float:
        """Return the angle of a body since the drawing, rad."""
        return float(self._motion.angle[0, self._place(self._layout.bodies, body, "body")])

    def omega(self, body: str) -> float:
        """Return the angular velocity of a body, rad/s."""
        return float(self._motion.omega[0, self._place(self._layout.bodies, body, "body")])

    def coordinate(self, joint: str, name: str | None = None) -> float:
        """Return a coordinate of a joint since the drawing, rad or m."""
        return float(self._seen.coordinate(self._seen.mechanism.coordinate(joint, name))[0])

    def rate(self, joint: str, name: str | None = None) -> float:
        """Return the rate of a coordinate of a joint, rad/s or m/s."""
        return float(self._seen.rate(self._seen.mechanism.coordinate(joint, name))[0])

    def line(self, of: Freedom) -> tuple[Array, Array]:
        """Return the direction of the line of a travel, and where its point is, (2,) each."""
        place = self._seen.place_on(of.second, line_of(self._seen.mechanism, of)[1])
        return self._seen.along(of)[0], place[0]


class Sight:
    """A motion as the laws of forces ask for it: places of bodies, given as drawn, and coordinates of joints."""

    own: Array  # (K, n) states of the force that asks, where it owns some

    def __init__(self, mechanism: Mechanism, layout: PlanarLayout, home: Pose | None, t: Array, motion: Motion) -> None:
        self.mechanism, self.t = mechanism, t
        self._layout, self._home, self._motion = layout, home, motion

    def angle(self, body: str) -> Array:
        """Return the angle of a body against its drawn points, (K,), rad."""
        if body == GROUND:
            return np.zeros(len(self.t))
        b = self._layout.bodies.index(body)
        return self._motion.angle[:, b] + (0.0 if self._home is None else self._home.angle[b])

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K,), rad/s."""
        return np.zeros(len(self.t)) if body == GROUND else self._motion.omega[:, self._layout.bodies.index(body)]

    def turned(self, body: str, vectors: Array, drawn: Any = None) -> Array:
        """Return vectors that turn with a body, given as drawn, (K, 2) or (2,), in global axes, (K, 2)."""
        return turned_by(self.angle(body), vectors)

    def place_on(self, body: str, drawn: tuple[float, float]) -> Array:
        """Return where a place of a body is, (K, 2), m."""
        if body == GROUND:
            return np.tile(np.array(drawn), (len(self.t), 1))
        arm = np.subtract(drawn, self.mechanism.centre(body))
        return self._motion.com[:, self._layout.bodies.index(body)] + self.turned(body, arm)

    def velocity_on(self, body: str, drawn: tuple[float, float]) -> Array:
        """Return the velocity of a place of a body, (K, 2), m/s."""
        if body == GROUND:
            return np.zeros((len(self.t), 2))
        arm = self.turned(body, np.subtract(drawn, self.mechanism.centre(body)))
        across = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        return self._motion.com_v[:, self._layout.bodies.index(body)] + self.omega(body)[:, None] * across

    def acceleration_on(self, body: str, drawn: tuple[float, float]) -> Array:
        """Return the acceleration of a place of a body, (K, 2), m/s^2."""
        if body == GROUND:
            return np.zeros((len(self.t), 2))
        arm, b = self.turned(body, np.subtract(drawn, self.mechanism.centre(body))), self._layout.bodies.index(body)
        across, spin = np.stack([-arm[:, 1], arm[:, 0]], axis=1), self.omega(body)[:, None] ** 2
        return self._motion.com_a[:, b] + self._motion.alpha[:, b, None] * across - spin * arm

    # -- coordinates of joints -------------------------------------------------------------------------------------

    def counted(self, of: Freedom) -> Array:
        """Return a coordinate counted from the points as they are drawn, (K,), rad or m."""
        if of.turn:
            return self.angle(of.second) - self.angle(of.first)
        u, d = self._along(of)
        return np.sum(u * d, axis=1)

    def coordinate(self, of: Freedom) -> Array:
        """Return a coordinate since the drawing, (K,), rad or m."""
        return self.counted(of) - at_home(self.mechanism, self._home, of)

    def rate(self, of: Freedom) -> Array:
        """Return the rate of a coordinate, (K,), rad/s or m/s."""
        if of.line is not None:
            (P, Q), across = of.line, self._across(of)
            P, Q = self.mechanism.place(P, of.first), self.mechanism.place(Q, of.second)
            v = self.velocity_on(of.second, Q) - self.velocity_on(of.first, P)
            return np.asarray(np.sum(across * v, axis=1) - self.omega(of.against))
        if of.turn:
            return self.omega(of.second) - self.omega(of.first)
        u, d = self._along(of)
        P, Q = line_of(self.mechanism, of)
        v = self.velocity_on(of.second, Q) - self.velocity_on(of.first, P)
        turned = self.rolls(of) * (self.omega(of.second) - self.omega(of.first)) if of.roll else 0.0
        return np.sum(u * v, axis=1) + self.omega(of.first) * (u[:, 0] * d[:, 1] - u[:, 1] * d[:, 0]) + turned

    def second_rate(self, of: Freedom) -> Array:
        """Return the rate of the rate of a coordinate, (K,), rad/s^2 or m/s^2."""
        first, second = (0.0 if b == GROUND else self._motion.alpha[:, self._layout.bodies.index(b)] for b in of[2:4])
        if of.turn:
            return np.zeros(len(self.t)) + second - first
        (u, d), (P, Q), spin = self._along(of), line_of(self.mechanism, of), self.omega(of.first)
        n = np.stack([-u[:, 1], u[:, 0]], axis=1)
        v = self.velocity_on(of.second, Q) - self.velocity_on(of.first, P)
        a = self.acceleration_on(of.second, Q) - self.acceleration_on(of.first, P)
        parts = (u * a, 2.0 * spin[:, None] * n * v, np.reshape(first, (-1, 1)) * n * d, -(spin[:, None] ** 2) * u * d)
        return np.asarray(sum(np.sum(part, axis=1) for part in parts))

    def along(self, of: Freedom) -> Array:
        """Return the direction of the line of a travel, (K, 2)."""
        return self._along(of)[0]

    def rolls(self, of: Freedom) -> Array:
        """Return the roll of a travel, (K,)."""
        size = np.ones(len(self.t)) if of.profile is None else np.linalg.norm(self.along(of), axis=1)
        return np.asarray(of.roll * size)

    def _across(self, of: Freedom) -> Array:
        """Return the direction across a rod, counter-clockwise, over its length, (K, 2)."""
        ends = zip((of.first, of.second), of.line or (), strict=True)
        P, Q = (self.place_on(body, self.mechanism.place(point, body)) for body, point in ends)
        (dx, dy) = (Q - P).T
        return np.asarray(np.stack([-dy, dx], axis=1) / (dx * dx + dy * dy)[:, None])

    def worked(self, of: Freedom) -> tuple[tuple[str, Any, float], ...]:
        """Return what a unit effort on a coordinate does to its bodies: (body, force (K, 2) or 0, couple)."""
        first, second = of.first, of.second
        if of.line is not None:
            force = self._across(of)
            return (first, -force, -float(of.against == first)), (second, force, -float(of.against == second))
        if of.turn:
            return (first, 0.0, -1.0), (second, 0.0, 1.0)
        u = self.along(of)
        return (first, -u, 0.0), (second, u, 0.0)

    def _along(self, of: Freedom) -> tuple[Array, Array]:
        """Return the direction of a line at the samples, and the way along it from the drawn place, (K, 2) each."""
        P, Q = line_of(self.mechanism, of)
        u = np.array(of.axis) / np.hypot(*of.axis)
        d = self.place_on(of.second, Q) - self.place_on(of.first, P)
        if of.profile is not None:
            n, e = self.turned(of.second, u), self.turned(of.first, np.array((1.0, 0.0)))
            return across_cam(of.profile, np.hstack([d, n, e])), d
        if of.centre is None:
            return self.turned(of.first, u), d
        size = np.hypot(d[:, 0], d[:, 1])[:, None]
        across = np.stack([-d[:, 1], d[:, 0]], axis=1)
        return np.where(size > 0.0, across, u) / np.where(size > 0.0, size, 1.0), d

    def state(self, k: int) -> State:
        """Return the motion at sample k as functions of users receive it."""
        return State.of_sample(self, k)


def turned_by(angle: Array, vectors: Array) -> Array:
    """Return vectors (K, 2) or (2,) turned by angles (K,), (K, 2)."""
    c, s, x, y = np.cos(angle), np.sin(angle), vectors[..., 0], vectors[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=1)


def line_of(mechanism: Mechanism, of: Freedom) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where the point of a travel is drawn, fixed on the first body, and where it is on the second, m.

    Of a slip on a circle the first is its centre.
    """
    P = mechanism.drawn(of.point) if of.centre is None else mechanism.place(of.centre, of.first)
    return P, mechanism.place(of.point, of.second)


def standing(mechanism: Mechanism, pose: Pose) -> Sight:
    """Return a pose as one sample of a motion, coordinates counted from the points as they are drawn."""
    n, still = len(mechanism.bodies), np.zeros((1, len(mechanism.bodies)))
    none, rest = np.zeros((1, 0, 2)), np.zeros((1, n, 2))
    at = Motion(none, none, none, pose.com[None], rest, rest, pose.angle[None], still, still)
    bodies: Any = SimpleNamespace(bodies=tuple(mechanism.bodies), points=())
    return Sight(mechanism, bodies, None, np.zeros(1), at)


def at_home(mechanism: Mechanism, home: Pose | None, of: Freedom) -> float:
    """Return what a coordinate is in the drawing as assembled, counted from the points as they are drawn."""
    return 0.0 if home is None else float(standing(mechanism, home).counted(of)[0])


def rate_row(system: PlanarInstant, q: Array, of: Freedom) -> Array:
    """Return d(rate)/dv of a coordinate of a joint, (n_v,): its rates at unit velocities."""
    n = system.n_v
    still = np.zeros((n, n))
    at = system.motion(np.tile(q, (n, 1)), np.eye(n), still, np.tile(system.start_x, (n, 1)))
    return Sight(system.mechanism, system.layout, system.home, np.zeros(n), at).rate(of)


def custom_wrench(value: Any, name: str) -> tuple[float, float, float, float, float]:
    """Return (fx, fy, x, y, couple) from what a user's force function returned, or say what is wrong with it."""
    try:
        (fx, fy), (px, py), couple = value
        return float(fx), float(fy), float(px), float(py), float(couple)
    except (TypeError, ValueError):
        raise ModelError(
            f'force "{name}": its function must return ((fx, fy), (x, y), couple), it returned {value!r}'
        ) from None
