"""What can be seen of a motion in particle coordinates: points, bodies, energy, equilibrium.

For each body, d = Z2 - Z1, and the same with velocities and accelerations:

    omega = (d x d')/|d|^2,  alpha = (d x d'')/|d|^2                                      (1)
    m (G - Z1) = (mu I + ka K) d                                                          (2)
    kinetic energy  m |Z1'|^2/2 + Z1'.(mu I + ka K) d' + j |d'|^2/2                       (3)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from particlemech._jit import readonly
from particlemech.mechanism import GROUND
from particlemech.planar import forces, joints
from particlemech.planar.compiled import Compiled
from particlemech.planar.frames import Affine, Frame, Place
from particlemech.planar.rows import levels
from particlemech.planar.views import FIXED, Signals, View
from particlemech.system import Array, Balance, Motion


def turned(d: Array) -> Array:
    """Return K d for an array of plane vectors (..., 2)."""
    return np.stack([-d[..., 1], d[..., 0]], axis=-1)


def cross(a: Array, b: Array) -> Array:
    """Return the cross products of arrays of plane vectors."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def book_gradient(c: Compiled, t: float, q: Array) -> Array:
    """Return the gradients of the rows of all joints and drivers, per cell."""
    n_re, still = len(c.book), readonly(np.zeros_like(q))
    sig, z = np.empty((len(c.signal), 3)), np.empty((5, max(len(c.coord), len(c.book_cell))))
    tables = (c.coord, c.entry, c.book_term, c.segment, c.signal, c.book_cell)
    # the kernel that start and samples use anyway: one less to load
    phi, phi_t, gamma = np.empty((3, n_re))
    levels(t, readonly(q), still, *tables, sig, z, phi, phi_t, gamma, np.empty((n_re, len(q))))
    return z[3, : len(c.book_cell)]


class Observed:
    """Maps from particle coordinates to what users ask for."""

    def __init__(self, compiled: Compiled) -> None:
        c = self.compiled = compiled
        rows = np.repeat(np.arange(len(c.coord)), c.coord["last"] - c.coord["first"])
        shape = (len(c.coord), len(c.drawing))
        self.T = sparse.csr_array((c.entry["c"], (rows, c.entry["q"])), shape=shape)
        self.start = c.coord["start"].copy()
        self.user_order = [c.index[name] for name in c.mechanism.bodies]
        self.origin = np.array(c.origin)
        places = []
        for name in c.mechanism.points:
            carrier = c.mechanism.carrier(name)
            x, y = c.mechanism.place(name, carrier)
            places.append(self._frame(carrier).at((x - c.origin[0], y - c.origin[1])))
        self.point_places = places

    def _frame(self, name: str) -> Frame:
        return FIXED if name == GROUND else self.compiled.frames[self.compiled.index[name]]

    def bodies(self, q: Array, fixed: bool = True) -> tuple[Array, Array]:
        """Return Z1 and d of all bodies at K samples, (K, n_body, 2) each."""
        z = (self.T @ q.T).T + (self.start if fixed else 0.0)
        z = z.reshape(len(q), len(self.compiled.body), 2, 2)
        return z[:, :, 0], z[:, :, 1] - z[:, :, 0]

    def _points(self, z1: Array, d: Array, fixed: bool) -> Array:
        result = np.zeros((len(z1), len(self.point_places), 2))
        for k, p in enumerate(self.point_places):
            if p.body >= 0:
                result[:, k] = z1[:, p.body] + p.a * d[:, p.body] + p.b * turned(d[:, p.body])
            elif fixed:
                result[:, k] = p.x, p.y
        return result + self.origin if fixed else result

    def _centres(self, z1: Array, d: Array) -> Array:
        b = self.compiled.body
        return z1 + (b["mu"] / b["m"])[:, None] * d + (b["ka"] / b["m"])[:, None] * turned(d)  # (2)

    def angles(self, d: Array, theta: Array) -> Array:
        """Return the angles of all bodies since t = 0, (K, n_body): the particles' direction, unwrapped by theta."""
        a = np.arctan2(d[..., 1], d[..., 0]) - self.compiled.body["angle"] - theta
        return theta + a - 2.0 * np.pi * np.floor(a / (2.0 * np.pi) + 0.5)

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples."""
        (z1, d), (v1, vd), (a1, ad) = self.bodies(q), self.bodies(v, False), self.bodies(a, False)
        d2, user = np.sum(d * d, axis=-1), self.user_order
        return Motion(
            self._points(z1, d, True),
            self._points(v1, vd, False),
            self._points(a1, ad, False),
            self._centres(z1, d)[:, user] + self.origin,
            self._centres(v1, vd)[:, user],
            self._centres(a1, ad)[:, user],
            self.angles(d, x[:, :-1])[:, user],
            (cross(d, vd) / d2)[:, user],  # (1)
            (cross(d, ad) / d2)[:, user],  # (1)
        )

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic (3) and potential energy at K samples; gravity counts from the drawing's centroid."""
        c = self.compiled
        (z1, d), (v1, vd) = self.bodies(q), self.bodies(v, False)
        b = c.body
        push = b["mu"][:, None] * vd + b["ka"][:, None] * turned(vd)
        kinetic = np.sum(
            0.5 * b["m"] * np.sum(v1 * v1, -1) + np.sum(v1 * push, -1) + 0.5 * b["j"] * np.sum(vd * vd, -1), axis=1
        )
        potential = -np.einsum("kbi,b,i->k", self._centres(z1, d), b["m"], c.gravity)
        z = (self.T @ q.T).T + self.start
        angle = self.angles(d, x[:, :-1])
        for kind, table in zip(forces.KINDS, c.force, strict=True):
            if kind in forces.POTENTIALS:
                potential = potential + kind.potential(table, z, angle)
        return kinetic, potential

    @cached_property
    def mass_z(self) -> sparse.csr_array:
        """Return the block-diagonal mass matrix of body coordinates, from (3)."""
        K = np.array([[0.0, -1.0], [1.0, 0.0]])
        blocks = []
        for b in self.compiled.body:
            off = (b["mu"] - b["j"]) * np.eye(2) + b["ka"] * K
            block = np.block([[(b["m"] - 2 * b["mu"] + b["j"]) * np.eye(2), off], [off.T, b["j"] * np.eye(2)]])
            blocks.append(sparse.coo_array(block))
        return sparse.csr_array(sparse.block_diag(blocks))

    @cached_property
    def mass(self) -> Array:
        """Return the mass matrix of the unknowns, (n_q, n_q)."""
        return np.asarray((self.T.T @ self.mass_z @ self.T).toarray())

    def displacement(self, q: Array) -> Array:
        """Return the gradient of half the integral of |displacement since the drawing|^2 dm."""
        return np.asarray(self.T.T @ (self.mass_z @ (self.T @ q + self.start - self.compiled.drawn)))

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv, (n_body, n_q), by (1)."""
        _, d = self.bodies(q[None])
        T = self.T.toarray().reshape(len(self.compiled.body), 4, self.T.shape[1])
        along = T[:, 2:] - T[:, :2]
        d = d[0]
        d2 = np.sum(d * d, axis=1)[:, None]
        return ((d[:, :1] * along[:, 1] - d[:, 1:] * along[:, 0]) / d2)[self.user_order]

    @cached_property
    def point_q(self) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""
        T = self.T.toarray().reshape(len(self.compiled.body), 4, self.T.shape[1])
        result = np.zeros((len(self.point_places), 2, self.T.shape[1]))
        for k, p in enumerate(self.point_places):
            if p.body >= 0:
                z1, d = T[p.body, :2], T[p.body, 2:] - T[p.body, :2]
                result[k] = z1 + p.a * d + p.b * np.stack([-d[1], d[0]])
        return result

    def _row(self, k: int) -> Array:
        """Return row k of T, (n_q,)."""
        c = self.compiled
        row, own = np.zeros(len(c.drawing)), slice(int(c.coord[k]["first"]), int(c.coord[k]["last"]))
        row[c.entry["q"][own]] = c.entry["c"][own]
        return row

    def omega_row(self, body: int, q: Array) -> Array:
        """Return d(omega)/dv of one body (model order), (n_q,), by (1)."""
        b = self.user_order[body]
        x1, y1, x2, y2 = (self._row(4 * b + k) for k in range(4))
        start = self.start[4 * b : 4 * b + 4]
        dx, dy = (x2 - x1) @ q + start[2] - start[0], (y2 - y1) @ q + start[3] - start[1]
        return np.asarray((dx * (y2 - y1) - dy * (x2 - x1)) / (dx * dx + dy * dy))

    def point_rows(self, point: int) -> Array:
        """Return d(velocity)/dv of one point, (2, n_q)."""
        p = self.point_places[point]
        if p.body < 0:
            return np.zeros((2, len(self.compiled.drawing)))
        x1, y1, x2, y2 = (self._row(4 * p.body + k) for k in range(4))
        dx, dy = x2 - x1, y2 - y1
        return np.array([x1 + p.a * dx - p.b * dy, y1 + p.a * dy + p.b * dx])

    def power(self, b: int, q: Array, v: Array, force: Place, place: Place, couple: float) -> float:
        """Return the power of a wrench at a place on a body."""
        (z1, d), (v1, vd) = self.bodies(q[None]), self.bodies(v[None], False)
        omega = float(cross(d[0, b], vd[0, b]) / (d[0, b] @ d[0, b]))
        velocity = v1[0, b] + omega * turned(np.array(place) - z1[0, b])
        return float(velocity @ np.array(force)) + couple * omega

    # -- equilibrium -------------------------------------------------------------------------------------------

    @cached_property
    def _seats(self) -> list[Affine]:
        """Return the place, on the second body, where each booked row reports."""
        c = self.compiled
        at = View(c.mechanism, list(c.frames), c.index, c.origin, Signals())
        seats = []
        for _, edge, _ in c.book:
            if edge.joint in c.mechanism.joints and edge.spec is not None:
                view = at(edge)
                seats.append(view.second.at(joints.BY_SPEC[type(edge.spec)].seat(view)))
            else:
                seats.append(Affine(-1, 0.0, 0.0, 0.0, 0.0))
        return seats

    def balance(self, t: float, q: Array, w: Array) -> Balance:
        """Return the equilibrium; w (n_body, 3) is rate of momentum minus applied wrench, about the origin."""
        c = self.compiled
        L = c.scale.length
        (z1, d), z = self.bodies(q[None]), self.T @ q + self.start
        G = self._centres(z1, d)[0]
        n_body, n_re = len(c.body), len(c.book)
        g = book_gradient(c, t, q)
        unit = np.zeros((n_body, 3, n_re))  # wrench about the origin
        k, r = c.book_cell["z"], c.book_cell["row"]
        b, even = k // 4, k % 2 == 0
        np.add.at(unit, (b[even], 0, r[even]), g[even])
        np.add.at(unit, (b[~even], 1, r[~even]), g[~even])
        np.add.at(unit, (b[even], 2, r[even]), -z[k[even] + 1] * g[even])
        np.add.at(unit, (b[~even], 2, r[~even]), z[k[~even] - 1] * g[~even])
        user = self.user_order
        centred = unit.copy()
        centred[:, 2] -= G[:, :1] * unit[:, 1] - G[:, 1:] * unit[:, 0]
        centred[:, 2] /= L
        missing = np.array(w)
        missing[:, 2] -= G[:, 0] * w[:, 1] - G[:, 1] * w[:, 0]
        missing[:, 2] /= L
        return Balance(
            centred[user].reshape(3 * n_body, n_re),
            missing[user].reshape(-1),
            np.array([L if angle else 1.0 for _, _, angle in c.book]),
            self._report(unit, z1[0], d[0]),
            tuple(name for name, _, _ in c.book),
        )

    def _report(self, unit: Array, z1: Array, d: Array) -> Array:
        """Return force and moment at each joint on each of its bodies, (n_report, 3, n_reaction), of unit reactions."""
        c = self.compiled
        places: dict[tuple[str, str], int] = {}
        for j, spec in c.mechanism.joints.items():
            for body in spec.bodies:
                places[j, body] = len(places)
        report = np.zeros((len(places), 3, len(c.book)))
        for r, ((name, edge, _), seat) in enumerate(zip(c.book, self._seats, strict=True)):
            if name not in c.mechanism.joints:
                continue
            # the wrench on the second body; on the ground it is minus that on the first
            sign, body = (1.0, edge.second) if edge.second != GROUND else (-1.0, edge.first)
            wrench = sign * unit[c.index[body], :, r]
            x, y = seat.x, seat.y
            if seat.body >= 0:
                x, y = z1[seat.body] + seat.a * d[seat.body] + seat.b * turned(d[seat.body])
            moved = np.array([wrench[0], wrench[1], wrench[2] - (x * wrench[1] - y * wrench[0])])
            report[places[name, edge.second], :, r] += moved
            report[places[name, edge.first], :, r] -= moved
        return report
