"""What can be seen of a motion in particle coordinates: points, bodies, energy, equilibrium.

For each body, d = Z2 - Z1, and the same with velocities and accelerations:

    omega = (d x d')/|d|^2,  alpha = (d x d'')/|d|^2                                      (1)
    m (G - Z1) = (mu I + ka K) d                                                          (2)
    kinetic energy  m |Z1'|^2/2 + Z1'.(mu I + ka K) d' + j |d'|^2/2                       (3)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from particlemech._jit import Records, readonly
from particlemech._tape import filled
from particlemech.engine.particles import forces, joints
from particlemech.engine.particles.compiled import Compiled
from particlemech.engine.particles.frames import Affine, Frame, Place
from particlemech.engine.particles.rows import levels
from particlemech.engine.particles.views import FIXED, View
from particlemech.engine.plane import Balance, Motion
from particlemech.engine.signal_tables import Signals
from particlemech.engine.system import Array
from particlemech.model.description import GROUND


def turned(d: Array) -> Array:
    """Return K d for an array of plane vectors (..., 2)."""
    result = np.empty_like(d)
    result[..., 0] = -d[..., 1]
    result[..., 1] = d[..., 0]
    return result


def cross(a: Array, b: Array) -> Array:
    """Return the cross products of arrays of plane vectors."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def reaction_gradients(c: Compiled, t: Array, q: Array) -> Array:
    """Return the gradients of the rows of all joints and drivers at K samples, per cell, (n_cell, K)."""
    n_re, n, still = len(c.reaction_rows), q.shape[1], readonly(np.zeros(q.shape[1]))
    term, cell, turning = c.reaction_tables
    sig, z = np.empty((len(c.signal), 3)), np.empty((5, max(len(c.coord), len(cell))))
    theta = readonly(np.zeros(len(c.body)))  # gradients do not ask for turns
    tables = (theta, c.coord, c.entry, term, *turning, c.segment, c.signal, cell, sig, z)
    # the kernel that start and samples use anyway: one less to load
    out, found = (*np.empty((3, n_re)), np.empty((n_re, n))), np.empty((len(cell), len(t)))
    for k in range(len(t)):
        levels(float(t[k]), readonly(q[k]), still, *tables, *out)
        found[:, k] = z[3, : len(cell)]
    return found


def angles(body: Records, d: Array, theta: Array) -> Array:
    """Return the angles of bodies since t = 0, (K, n_body): the direction d of their particles, unwrapped by theta."""
    a = np.arctan2(d[..., 1], d[..., 0]) - body["angle"] - theta
    return np.asarray(theta + a - 2.0 * np.pi * np.floor(a / (2.0 * np.pi) + 0.5))


def centres(b: Records, z1: Array, d: Array) -> Array:
    """Return the centres of mass (2), (..., n_body, 2)."""
    return np.asarray(z1 + (b["mu"] / b["m"])[:, None] * d + (b["ka"] / b["m"])[:, None] * turned(d))


def energies(
    b: Records, gravity: Array, springs: Records, motors: Records, z: Array, vz: Array, x: Array
) -> tuple[Array, Array]:
    """Return kinetic (3) and potential energy at K samples of body coordinates and their rates, (K, 4 n_body)."""
    z1, end = np.moveaxis(z.reshape(len(z), len(b), 2, 2), 2, 0)
    v1, v_end = np.moveaxis(vz.reshape(len(z), len(b), 2, 2), 2, 0)
    d, vd = end - z1, v_end - v1
    push = b["mu"][:, None] * vd + b["ka"][:, None] * turned(vd)
    kinetic = np.sum(
        0.5 * b["m"] * np.sum(v1 * v1, -1) + np.sum(v1 * push, -1) + 0.5 * b["j"] * np.sum(vd * vd, -1), axis=1
    )
    potential = -np.einsum("kbi,b,i->k", centres(b, z1, d), b["m"], gravity)
    stored = np.zeros(len(z))
    forces.potentials(springs, motors, readonly(z), readonly(angles(b, d, x[:, : len(b)])), stored)
    return kinetic, potential + stored


class Spread:
    """The map Z = start + T q from the unknowns to the coordinates of the bodies, a few entries per row."""

    def __init__(self, c: Compiled) -> None:
        width = max(map(len, c.T))  # 0 where nothing can move
        self.shape = (len(c.T), len(c.drawing))
        self.start = filled(c.start)
        self.rows = [sorted(z.items()) if len(z) > 1 else list(z.items()) for z in c.T]
        # row k of T has c[j, k] in column q[j, k]; short rows are filled up with zeros
        rows = [[*z, *[(0, 0.0)] * (width - len(z))] for z in self.rows]
        self.q = np.array([[row[j][0] for row in rows] for j in range(width)], dtype=int).reshape(width, len(rows))
        self.c = filled([[row[j][1] for row in rows] for j in range(width)]).reshape(width, len(rows))

    def forth(self, q: Array) -> Array:
        """Return T q of K samples, (K, n_coord)."""
        if not len(self.q):
            return np.zeros((len(q), self.shape[0]))
        result = self.c[0] * q[:, self.q[0]]
        for c, at in zip(self.c[1:], self.q[1:], strict=True):
            result += c * q[:, at]
        return result

    def back(self, z: Array) -> Array:
        """Return T^T z, (n_q,)."""
        return np.asarray(np.bincount(self.q.ravel(), (self.c * z).ravel(), self.shape[1]), dtype=float)

    def full(self) -> Array:
        """Return T, (n_coord, n_q)."""
        result = np.zeros(self.shape)
        np.add.at(result, (np.arange(self.shape[0]), self.q), self.c)
        return result

    def pressed(self, blocks: list[list[list[float]]]) -> tuple[tuple[tuple[int, int], ...], list[float]]:
        """Return places (i, j) and values of T^T B T where it is not zero; B has a block (4, 4) per body."""
        total: dict[tuple[int, int], float] = {}
        for b, block in enumerate(blocks):
            rows = self.rows[4 * b : 4 * b + 4]
            for row, one in zip(block, rows, strict=True):
                for i, c in one:
                    for entry, other in zip(row, rows, strict=True):
                        if type(entry) is int:  # no number of the body
                            continue
                        for j, d in other:
                            value = c * entry * d
                            if value != 0.0:
                                total[i, j] = total[i, j] + value if (i, j) in total else value
        places = sorted(total)
        return tuple(places), [total[place] for place in places]


class Observed:
    """Maps from particle coordinates to what users ask for."""

    def __init__(self, compiled: Compiled) -> None:
        c = self.compiled = compiled
        self.T = Spread(c)
        self.user_order = [c.index[name] for name in c.mechanism.bodies]
        self.origin = filled(c.origin)
        self._place = [self._of(name) for name in c.mechanism.points]
        # what is watched: all points, then the centres of mass by (2), in model order
        forms = [(b, c.forms[b]) for b in self.user_order]
        spots = [p[:3] for p in self._place] + [(b, mu / m, ka / m) for b, (m, mu, ka, *_) in forms]
        at, a, b = zip(*spots, strict=True)
        self._at, self._a, self._b = np.array(at), filled(a)[:, None], filled(b)[:, None]
        # points of the ground, and where they are
        self._ground = [k for k, p in enumerate(self._place) if p.body < 0]
        self._fixed = filled([(self._place[k].x, self._place[k].y) for k in self._ground]).reshape(-1, 2)

    def _of(self, point: str) -> Affine:
        m, (x0, y0) = self.compiled.mechanism, self.compiled.origin
        carrier = m.carrier(point)
        x, y = m.place(point, carrier)
        return self._frame(carrier).at((x - x0, y - y0))

    def _frame(self, name: str) -> Frame:
        return FIXED if name == GROUND else self.compiled.frames[self.compiled.index[name]]

    def coordinates(self, q: Array, fixed: bool = True) -> Array:
        """Return Z = start + T q at K samples, (K, 4 n_body); for rates without the start."""
        return self.T.forth(q) + self.T.start if fixed else self.T.forth(q)

    def bodies(self, q: Array, fixed: bool = True) -> tuple[Array, Array]:
        """Return Z1 and d of all bodies at K samples, (K, n_body, 2) each."""
        z = self.coordinates(q, fixed).reshape(len(q), len(self.compiled.body), 2, 2)
        return z[:, :, 0], z[:, :, 1] - z[:, :, 0]

    def angles(self, d: Array, theta: Array) -> Array:
        """Return the angles of all bodies since t = 0, (K, n_body): the particles' direction, unwrapped by theta."""
        return angles(self.compiled.body, d, theta)

    def _spots(self, z1: Array, d: Array) -> Array:
        """Return rates of all points and centres from those of the particles, (..., n_point + n_body, 2)."""
        own = d[..., self._at, :]
        spot = z1[..., self._at, :] + self._a * own + self._b * turned(own)
        if self._ground:
            spot[..., self._ground, :] = 0.0
        return spot

    def largest(self, rates: Array) -> list[float]:
        """Return the largest component of all points and centres at K sets of rates (K, n_q)."""
        return [float(largest) for largest in np.abs(self._spots(*self.bodies(rates, False))).max(axis=(1, 2))]

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples."""
        K, n, user = len(q), len(self._place), self.user_order
        # positions, velocities and accelerations at once, (3, K, ...)
        z = self.T.forth(np.concatenate([q, v, a])).reshape(3, K, len(self.compiled.body), 2, 2)
        z[0] += self.T.start.reshape(-1, 2, 2)
        z1, d = z[..., 0, :], z[..., 1, :] - z[..., 0, :]
        spot = self._spots(z1, d)
        if self._ground:
            spot[0, :, self._ground] = self._fixed[:, None]
        spot[0] += self.origin
        turning = cross(d[0], d[1:]) / np.sum(d[0] * d[0], axis=-1)  # (1)
        (point, point_v, point_a), (com, com_v, com_a) = spot[:, :, :n], spot[:, :, n:]
        angle, omega, alpha = (rate[:, user] for rate in (self.angles(d[0], x[:, : d.shape[2]]), *turning))
        return Motion(point, point_v, point_a, com, com_v, com_a, angle, omega, alpha)

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic (3) and potential energy at K samples; gravity counts from the drawing's centroid."""
        c, (_, _, springs, motors) = self.compiled, self.compiled.force
        return energies(c.body, c.gravity, springs, motors, self.coordinates(q), self.coordinates(v, False), x)

    @cached_property
    def blocks(self) -> list[list[list[float]]]:
        """Return the mass matrix of each body's coordinates, from (3), (n_body, 4, 4)."""
        blocks: list[list[list[float]]] = []
        for m, mu, ka, j, *_ in self.compiled.forms:
            own, mixed = m - 2 * mu + j, mu - j
            blocks.append([[own, 0, mixed, -ka], [0, own, ka, mixed], [mixed, ka, j, 0], [-ka, mixed, 0, j]])
        return blocks

    @cached_property
    def mass(self) -> Array:
        """Return the mass matrix of the unknowns, (n_q, n_q)."""
        result = np.zeros((self.T.shape[1], self.T.shape[1]))
        for place, value in zip(*self.mass_entries, strict=True):
            result[place] = value
        return result

    @cached_property
    def mass_entries(self) -> tuple[tuple[tuple[int, int], ...], list[float]]:
        """Return places (i, j) and values of the mass matrix where it is not zero."""
        return self.T.pressed(self.blocks)

    @cached_property
    def weight(self) -> Array:
        """Return the generalised force of gravity, (n_q,): what a common acceleration of all mass asks for."""
        gx, gy = self.compiled.mechanism.gravity
        result = [0.0] * self.T.shape[1]
        for k, z in enumerate(self.T.rows):
            own, pull = self.blocks[k // 4][k % 4], 0.0
            for entry, g in zip(own, (gx, gy, gx, gy), strict=True):
                pull = pull + entry * g
            for q, c in z:
                result[q] = result[q] + c * pull
        return filled(result)

    def displacement(self, q: Array) -> Array:
        """Return the gradient of half the integral of |displacement since the drawing|^2 dm."""
        moved = (self.coordinates(q[None])[0] - self.compiled.drawn).reshape(-1, 4, 1)
        return self.T.back((np.array(self.blocks) @ moved).ravel())

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv, (n_body, n_q), by (1)."""
        _, d = self.bodies(q[None])
        T = self.T.full().reshape(len(self.compiled.body), 4, self.T.shape[1])
        along = T[:, 2:] - T[:, :2]
        d = d[0]
        d2 = np.sum(d * d, axis=1)[:, None]
        return ((d[:, :1] * along[:, 1] - d[:, 1:] * along[:, 0]) / d2)[self.user_order]

    @cached_property
    def point_q(self) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""
        T, n = self.T.full().reshape(len(self.compiled.body), 4, self.T.shape[1]), len(self._place)
        at, a, b = self._at[:n], self._a[:n, None], self._b[:n, None]
        z1, d = T[at, :2], T[at, 2:] - T[at, :2]
        result = z1 + a * d + b * np.stack([-d[:, 1], d[:, 0]], axis=1)
        result[at < 0] = 0.0
        return result

    def _sum(self, body: int, *factors: float) -> Array:
        """Return the sum of a body's four rows of T, each times its factor, (n_q,)."""
        result = np.zeros(self.T.shape[1])
        for row, factor in zip(self.compiled.T[4 * body : 4 * body + 4], factors, strict=True):
            for q, c in row.items():
                result[q] += factor * c
        return result

    def omega_row(self, body: int, q: Array) -> Array:
        """Return d(omega)/dv of one body (model order), (n_q,), by (1)."""
        c, k = self.compiled, 4 * self.user_order[body]
        rows = zip(c.start[k : k + 4], c.T[k : k + 4], strict=True)
        x1, y1, x2, y2 = (start + sum(float(q[at]) * factor for at, factor in row.items()) for start, row in rows)
        dx, dy = x2 - x1, y2 - y1
        x, y = dx / (dx * dx + dy * dy), dy / (dx * dx + dy * dy)
        return self._sum(k // 4, y, -x, -y, x)

    def point_rows(self, point: int) -> Array:
        """Return d(velocity)/dv of one point, (2, n_q)."""
        body, a, b = self._place[point][:3]
        if body < 0:
            return np.zeros((2, self.T.shape[1]))
        return np.array([self._sum(body, 1 - a, b, a, -b), self._sum(body, -b, 1 - a, b, a)])

    # -- one point or body at many samples -----------------------------------------------------------------------

    def _corners(self, body: int, rates: Array, fixed: bool) -> list[Array]:
        """Return the four coordinates of a body at K samples, (K,) each, by the arithmetic of `motion`; or rates."""
        corners = []
        for k in range(4 * body, 4 * body + 4):
            parts = [c * rates[:, q] for q, c in self.T.rows[k]] or [np.zeros(len(rates))]
            total = sum(parts[1:], parts[0])
            corners.append(total + self.T.start[k] if fixed else total)
        return corners

    def spot(self, k: int, rates: Array, fixed: bool) -> Array:
        """Return a point, or k - n_point in the list of bodies its centre, at K samples, (K, 2); or its rates."""
        body, a, b = int(self._at[k]), float(self._a[k, 0]), float(self._b[k, 0])
        if k in self._ground:
            place = self._fixed[self._ground.index(k)] + self.origin if fixed else np.zeros(2)
            return np.tile(place, (len(rates), 1))
        x1, y1, x2, y2 = self._corners(body, rates, fixed)
        dx, dy = x2 - x1, y2 - y1
        found = np.stack([x1 + a * dx + b * -dy, y1 + a * dy + b * dx], axis=1)
        return found + self.origin if fixed else found

    def direction(self, body: int, rates: Array, fixed: bool) -> Array:
        """Return d of a body (model order) at K samples, (K, 2); or its rates."""
        x1, y1, x2, y2 = self._corners(self.user_order[body], rates, fixed)
        return np.stack([x2 - x1, y2 - y1], axis=1)

    def power(self, b: int, q: Array, v: Array, force: Place, place: Place, couple: float) -> float:
        """Return the power of a wrench at a place on a body."""
        (z1, d), (v1, vd) = self.bodies(q[None]), self.bodies(v[None], False)
        omega = float(cross(d[0, b], vd[0, b]) / (d[0, b] @ d[0, b]))
        velocity = v1[0, b] + omega * turned(np.array(place) - z1[0, b])
        return float(velocity @ np.array(force)) + couple * omega

    # -- equilibrium -------------------------------------------------------------------------------------------

    @cached_property
    def seats(self) -> list[Affine]:
        """Return the place, on the second body, where each booked row reports."""
        c = self.compiled
        at = View(c.mechanism, list(c.frames), c.index, c.origin, Signals())
        nowhere = Affine(-1, 0.0, 0.0, 0.0, 0.0)
        seats: dict[tuple[str, str], Affine] = {}  # a row of a joint sits where its other rows do
        for name, edge, _ in c.reaction_rows:
            if (name, edge.second) not in seats and name in c.mechanism.joints and edge.spec is not None:
                view = at(edge)
                seats[name, edge.second] = view.second.at(joints.OF_LINK[type(edge.spec)].seat(view))
        return [seats.get((name, edge.second), nowhere) for name, edge, _ in c.reaction_rows]

    def balance(self, t: float, q: Array, w: Array) -> Balance:
        """Return the equilibrium; w (n_body, 3) is rate of momentum minus applied wrench, about the origin."""
        c, (wrench, report) = self.compiled, self.units(np.array([t]), q[None])
        unit = np.array([c.scale.length if angle else 1.0 for _, _, angle in c.reaction_rows])
        return Balance(wrench[0], self.missing(q, w), unit, report[0], tuple(name for name, _, _ in c.reaction_rows))

    def units(self, t: Array, q: Array) -> tuple[Array, Array]:
        """Return `wrench` and `report` of Balance at K samples: (K, 3 n_body, n_re) and (K, n_report, 3, n_re)."""
        c, K = self.compiled, len(t)
        (z1, d), z = self.bodies(q), self.coordinates(q).T
        n_body, n_re = len(c.body), len(c.reaction_rows)
        g = reaction_gradients(c, t, q)
        unit = np.zeros((n_body, 3, n_re, K))  # wrench about the origin
        k, r = c.reaction_tables[1]["z"], c.reaction_tables[1]["row"]
        b, even = k // 4, k % 2 == 0
        np.add.at(unit, (b[even], 0, r[even]), g[even])
        np.add.at(unit, (b[~even], 1, r[~even]), g[~even])
        np.add.at(unit, (b[even], 2, r[even]), -z[k[even] + 1] * g[even])
        np.add.at(unit, (b[~even], 2, r[~even]), z[k[~even] - 1] * g[~even])
        unit = np.moveaxis(unit, 3, 0)
        G, centred = centres(self.compiled.body, z1, d), unit.copy()
        centred[:, :, 2] -= G[..., :1] * unit[:, :, 1] - G[..., 1:] * unit[:, :, 0]
        centred[:, :, 2] /= c.scale.length
        return centred[:, self.user_order].reshape(K, 3 * n_body, n_re), self._report(unit, z1, d)

    def missing(self, q: Array, w: Array) -> Array:
        """Return w (n_body, 3) about the centres of mass, moments divided by L, bodies in the user's order, flat."""
        G = centres(self.compiled.body, *self.bodies(q[None]))[0]
        missing = np.array(w)
        missing[:, 2] -= G[:, 0] * w[:, 1] - G[:, 1] * w[:, 0]
        missing[:, 2] /= self.compiled.scale.length
        return np.asarray(missing[self.user_order].reshape(-1))

    def _report(self, unit: Array, z1: Array, d: Array) -> Array:
        """Return force and moment at each joint on each of its bodies, (K, n_report, 3, n_re), of unit reactions."""
        c = self.compiled
        places: dict[tuple[str, str], int] = {}
        for j, spec in c.mechanism.joints.items():
            for body in spec.bodies:
                places[j, body] = len(places)
        report = np.zeros((len(unit), len(places), 3, len(c.reaction_rows)))
        for r, ((name, edge, _), seat) in enumerate(zip(c.reaction_rows, self.seats, strict=True)):
            if (name, edge.second) not in places:
                continue
            # the wrench on the second body; on the ground it is minus that on the first
            sign, body = (1.0, edge.second) if edge.second != GROUND else (-1.0, edge.first)
            moved = sign * unit[:, c.index[body], :, r]
            place = np.array([[seat.x, seat.y]])
            if seat.body >= 0:
                own = d[:, seat.body]
                place = z1[:, seat.body] + seat.a * own + seat.b * turned(own)
            moved[:, 2] -= place[:, 0] * moved[:, 1] - place[:, 1] * moved[:, 0]
            moved[:, 2] *= bool(c.mechanism.joints[name].moment)
            report[:, places[name, edge.second], :, r] += moved
            report[:, places[name, edge.first], :, r] -= moved
        return report
