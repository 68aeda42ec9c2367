"""The explicit road of planar mechanisms: shared coordinates, tables for its kernels, and a march from stop to stop."""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._dop853 import EXTENDED, POWER
from particlemech._jit import Records, readonly, table
from particlemech._poly import Poly
from particlemech.initial import CLOSED, Start, start
from particlemech.mechanism import Mechanism
from particlemech.planar import accelerations, march
from particlemech.planar.accelerations import Desk, Road
from particlemech.planar.compiled import Compiled, tabulate_shared
from particlemech.planar.elimination import Schedule, schedule
from particlemech.planar.equations import ParticleSystem
from particlemech.planar.march import Walk
from particlemech.planar.observed import Observed
from particlemech.planar.rows import TERM
from particlemech.planar.rows import levels as fill_levels
from particlemech.system import Array, Balance, Layout, Levels, Motion

SOFT = 1e-12  # of c M^-1 c^T: regularisation of rows
REGULAR = 1e-9  # least pivot beside its strength from which a start counts as regular


def system(mechanism: Mechanism, time_scale: float = 1.0) -> SharedSystem:
    """Return the explicit system of a planar mechanism."""
    return SharedSystem(tabulate_shared(mechanism, time_scale))


class SharedSystem:
    """Equivalent particles in shared coordinates: y = (q, v, theta, W), accelerations by elimination."""

    formulation = "planar"

    def __init__(self, compiled: Compiled, turned: Array | None = None) -> None:
        c = self.compiled = compiled
        self.turned = np.zeros(len(c.body)) if turned is None else turned
        self.mechanism, self.scale, self.drawing = c.mechanism, c.scale, c.drawing
        self.n_q, self.n_row, self.n_lam = len(c.drawing), len(c.rows), c.n_lam
        self.n = 2 * self.n_q + len(c.body) + 1
        self.start_x = np.zeros(len(c.body) + 1)
        self.breaks, self.until, self.cuts = c.breaks, c.until, c.cuts
        self.observed = Observed(c)
        self.layout = _layout(c)

    def retimed(self, time_scale: float, turned: Array | None = None) -> SharedSystem:
        """Return the same system with another time scale, s; its angles count from `turned`."""
        other = copy.copy(self)
        other.scale = replace(self.scale, time=time_scale)
        if turned is not None:
            other.turned = turned
        return other

    # -- one instant -----------------------------------------------------------------------------------------------

    def levels(self, t: float, q: Array, v: Array) -> Levels:
        """Return phi, phi_t, gamma and phi_q at once."""
        c = self.compiled
        sig, z = np.empty((len(c.signal), 3)), np.empty((5, max(len(c.coord), len(c.cell))))
        phi, phi_t, gamma = np.empty((3, self.n_row))
        phi_q = np.empty((self.n_row, self.n_q))
        tables = (c.coord, c.entry, c.term, c.segment, c.signal, c.cell)
        fill_levels(t, readonly(q), readonly(v), *tables, sig, z, phi, phi_t, gamma, phi_q)
        return Levels(phi, phi_t, gamma, phi_q)

    def rows(self, t: float, q: Array) -> Array:
        """Return phi, (n_row,)."""
        return self.levels(t, q, np.zeros(self.n_q)).phi

    def rows_q(self, t: float, q: Array) -> Array:
        """Return phi_q, (n_row, n_q)."""
        return self.levels(t, q, np.zeros(self.n_q)).phi_q

    def rows_t(self, t: float, q: Array) -> Array:
        """Return phi_t, (n_row,)."""
        return self.levels(t, q, np.zeros(self.n_q)).phi_t

    def gamma(self, t: float, q: Array, v: Array) -> Array:
        """Return phi_ddot - phi_q a, (n_row,)."""
        return self.levels(t, q, v).gamma

    def mass(self, q: Array) -> Array:
        """Return M with kinetic energy v.M.v/2, (n_q, n_q)."""
        return self.observed.mass

    def displacement(self, q: Array) -> Array:
        """Return the gradient of half the integral of |displacement since the drawing|^2 dm, (n_q,)."""
        return self.observed.displacement(q)

    def _wrenches(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Array:
        """Return rate of momentum minus applied wrench of all bodies about the origin, (n_body, 3)."""
        c, w = self.compiled, np.zeros((len(self.compiled.body), 3))
        scratch = np.empty((len(c.signal), 3)), np.empty((3, len(c.coord)))
        accelerations.wrenches(t, q, v, a, x[:-1], c.gravity, self.road, *scratch, w)
        return w

    def dynamics(self, t: float, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return A and b of A (a, lam) = b: M a - C^T lam = f, then C a = -gamma."""
        at = self.levels(t, q, v)
        A = np.zeros((self.n_q + self.n_row, self.n_q + self.n_row))
        A[: self.n_q, : self.n_q] = self.observed.mass
        A[: self.n_q, self.n_q :] = -at.phi_q.T
        A[self.n_q :, : self.n_q] = at.phi_q
        w = self._wrenches(t, q, v, np.zeros_like(q), x)
        return A, np.concatenate([self.observed.T.T @ self._on_particles(q, -w), -at.gamma])

    def _on_particles(self, q: Array, w: Array) -> Array:
        """Return wrenches about the origin as forces on the particles, (4 n_body,), accelerations.py (2)."""
        z1, d = (part[0] for part in self.observed.bodies(q[None]))
        couple = (w[:, 2] - z1[:, 0] * w[:, 1] + z1[:, 1] * w[:, 0]) / self.compiled.body["length"] ** 2
        f2 = couple[:, None] * np.stack([-d[:, 1], d[:, 0]], axis=1)
        return np.concatenate([w[:, :2] - f2, f2], axis=1).reshape(-1)

    def omega_q(self, q: Array) -> Array:
        """Return d(omega)/dv of all bodies, (n_body, n_q)."""
        return self.observed.omega_q(q)

    def point_q(self, q: Array) -> Array:
        """Return d(velocity)/dv of all points, (n_point, 2, n_q)."""
        return self.observed.point_q

    def motion(self, q: Array, v: Array, a: Array, x: Array) -> Motion:
        """Return points and bodies at K samples."""
        motion = self.observed.motion(q, v, a, x)
        return motion._replace(angle=motion.angle - self.turned)

    def energy(self, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K samples, J."""
        return self.observed.energy(q, v, x)

    def balance(self, t: float, q: Array, v: Array, a: Array, x: Array) -> Balance:
        """Return the equilibrium of all bodies at one instant."""
        return self.observed.balance(t, q, self._wrenches(t, q, v, a, x))

    def not_finite(self, t: float, y: Array) -> str:
        """Return the part whose law gives a value that is not finite."""
        return "the motion"

    # -- the road --------------------------------------------------------------------------------------------------

    @cached_property
    def _way(self) -> tuple[Road, Array]:
        return _road(self.compiled, self.observed)

    @property
    def road(self) -> Road:
        """Return the tables of the kernels."""
        return self._way[0]

    def start(self) -> Start:
        """Return a consistent start: by the kernels if the drawing is closed and regular, else as any other system."""
        return self._quick_start() or start(self, self.mechanism)

    def _quick_start(self) -> Start | None:
        mechanism, n_q, m = self.mechanism, self.n_q, self.road
        if any(mechanism.inertia(b) == 0.0 for b in mechanism.bodies):
            return None
        s, y = desk(m), np.concatenate([self.drawing, np.zeros(n_q + 1)])
        gap, least = march.set_out(y, m, s)
        if gap > CLOSED * self.scale.length or not least > REGULAR:
            return None
        if mechanism.initial.omega or mechanism.initial.velocity:
            D, wanted = self._initial_rows(y[:n_q])
            X = np.empty_like(D)
            march.responses(D, m, s, X)
            impulse = np.linalg.lstsq(D @ X.T, wanted - D @ y[n_q:-1], rcond=1e-12)[0]
            y[n_q:-1] += impulse @ X
            if np.max(np.abs(D @ y[n_q:-1] - wanted)) > 1e-9 * np.max(np.abs(wanted), initial=1e-300):
                return None  # they contradict each other: the other way says who
        f = np.empty_like(y)
        march.first_slopes(y, m, s, f)
        return Start(y[:n_q], y[n_q:-1], f[n_q:-1], -s.x[self._way[1]], self.start_x.copy(), {})

    def _initial_rows(self, q: Array) -> tuple[Array, Array]:
        """Return D, (n, n_q), and the wanted D v of what the model says of its velocities."""
        initial, lay = self.mechanism.initial, self.layout
        D = [self.observed.omega_row(lay.bodies.index(b), q) for b in initial.omega]
        D += [row for p in initial.velocity for row in self.observed.point_rows(lay.points.index(p))]
        return np.array(D), np.array([*initial.omega.values(), *(c for v in initial.velocity.values() for c in v)])

    def march(self, start: Start, rtol: float) -> PlanarMarch:
        """Return a march from a start."""
        return PlanarMarch(self, start, rtol)


def desk(m: Road) -> Desk:
    """Return arrays for the kernels to work in: one set per run or thread."""
    n_body = len(m.body)
    sig = np.zeros((len(m.signal), 3))
    sig[0, 0] = 1.0
    return Desk(
        val=np.zeros(len(m.base)),
        x=np.zeros(len(m.strength)),
        sig=sig,
        phi=np.zeros((3, len(m.held))),
        g=np.zeros((2, len(m.cell))),
        z=np.zeros((2, 4 * n_body)),
        w=np.zeros((n_body, 3)),
        theta=np.zeros((3, n_body)),
    )


class PlanarMarch:
    """One march: explicit.March for planar mechanisms."""

    def __init__(self, system: SharedSystem, start: Start, rtol: float) -> None:
        self.m, self.s, self.rtol = system.road, desk(system.road), rtol
        self.n_q, scale, n_y = system.n_q, system.scale, 2 * system.n_q + 1
        atol = np.empty(n_y)
        atol[: self.n_q] = rtol * scale.length
        atol[self.n_q : -1] = rtol * scale.length / scale.time
        atol[-1] = rtol * scale.mass * (scale.length / scale.time) ** 2
        self.w = Walk(
            now=np.zeros(2 + len(march.COUNTERS)),
            y=np.concatenate([start.q, start.v, start.x[-1:]]),
            k=np.zeros((EXTENDED, n_y)),
            trial=np.zeros((2, n_y)),
            dense=np.zeros((POWER, n_y)),
            before=np.zeros(n_y),
            first=np.zeros(n_y),
            atol=atol,
        )
        self.s.theta[1] = start.x[:-1]
        self.clamp, self.densified = math.inf, -1
        self.length = scale.length

    @property
    def t(self) -> float:
        """Present time, s."""
        return float(self.w.now[march.T])

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.w.now[march.STEPS])

    def begin(self, t: float, stop: float, clamp: float) -> bool:
        """Set out from the present state at time t, projected; return whether all rows can be satisfied."""
        self.clamp = clamp
        gap = march.begin(t, stop, clamp, self.rtol, self.m, self.s, self.w)
        return bool(gap <= 1e-9 * self.length)

    def go(self, stop: float, most: int, times: Array, samples: Array) -> int:
        """Go on; see explicit.March."""
        return int(march.march(stop, self.clamp, self.rtol, most, self.m, self.s, self.w, times, samples))

    def at(self, t: float) -> Array:
        """Return the state (q, v, theta, W) at a time within the last step."""
        if t == self.t:
            y = self.w.y
            return np.concatenate([y[:-1], self.s.theta[1], y[-1:]])
        if self.densified != self.steps:
            march.densified(self.clamp, self.m, self.s, self.w)
            self.densified = self.steps
        out = np.empty(2 * self.n_q + len(self.m.body) + 1)
        march.sample(t, self.clamp, self.m, self.s, self.w, out)
        return out

    def stats(self) -> dict[str, Any]:
        """Return counters."""
        now = self.w.now
        return {
            "steps": self.steps,
            "rejected": int(now[march.REJECTED]),
            "evaluations": int(now[march.EVALUATIONS]),
        }


def _layout(c: Compiled) -> Layout:
    m, n_q, n_body = c.mechanism, len(c.drawing), len(c.order)
    ends = np.cumsum([0, n_q, n_q, 0, 0, n_body + 1])
    parts = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
    return Layout(
        points=tuple(m.points),
        bodies=tuple(m.bodies),
        point_body=tuple(m.carrier(p) for p in m.points),
        joints=tuple(m.joints),
        reactions=tuple((j, b) for j, spec in m.joints.items() for b in spec.bodies),
        moments=tuple(j for j, spec in m.joints.items() if spec.moment),
        firsts=tuple((j, spec.bodies[0]) for j, spec in m.joints.items()),
        drivers=tuple(m.drivers),
        rows=c.rows,
        q=parts[0],
        v=parts[1],
        lam=parts[2],
        mu=parts[3],
        x=parts[4],
    )


# -- tables of the road ------------------------------------------------------------------------------------------


def _road(c: Compiled, observed: Observed) -> tuple[Road, Array]:
    """Return the tables, and the place of every multiplier in the order of elimination."""
    T = [c.entry[int(z["first"]) : int(z["last"])] for z in c.coord]
    rods = [_rod(c, T, b) for b in c.distances]
    held = [r for r in range(len(c.rows)) if r >= len(rods) or rods[r] is None]
    term, cells = _in_q(c, T, held)
    n_q = len(c.drawing)
    mass = (observed.T.T @ observed.mass_z @ observed.T).tocoo()
    entries = [(int(i), int(j), float(x)) for i, j, x in zip(*mass.coords, mass.data, strict=True) if x != 0.0]
    columns: list[list[int]] = [[] for _ in c.rows]
    for r, rod in enumerate(rods):
        if rod is not None:
            columns[r] = [q + k for q in rod[:2] if q >= 0 for k in (0, 1)]
    for e, q in cells:
        columns[held[e]].append(q)
    plan = schedule(n_q, ((i, j) for i, j, _ in entries), columns)
    base = np.zeros(len(plan.row))
    for i, j, x in entries:
        base[plan.slot(i, j)] = x
    strength = _strength(c, plan, entries, rods, held, term, cells)
    for r in range(len(c.rows)):
        k = int(plan.place[n_q + r])
        base[plan.column[k]] = -SOFT / strength[k]
    force = [
        int(b)
        for kind in c.force
        for name in ("body", "body1", "body2")
        if name in kind.dtype.names
        for b in kind[name]
    ]
    loads, torques, springs, torsions = c.force
    small = [np.asarray(a, dtype=np.uint32) for a in (plan.place[:n_q], plan.column, plan.row, plan.target)]
    road = Road(
        *small,
        base=base,
        strength=strength,
        weight=_weight(c, observed),
        rod=table([_rod_record(r, rod, plan, n_q) for r, rod in enumerate(rods) if rod is not None], accelerations.ROD),
        term=term,
        cell=table([(e, q, plan.slot(q, n_q + held[e])) for e, q in cells], accelerations.CELL),
        held=table([(plan.place[n_q + r], c.row[r]["drive"]) for r in held], accelerations.HELD),
        body=c.body,
        coord=c.coord,
        entry=c.entry,
        forced=np.array(sorted({b for b in force if b >= 0}), dtype=np.int64),
        segment=c.segment,
        signal=c.signal,
        loads=loads,
        torques=torques,
        springs=springs,
        torsions=torsions,
    )
    return road, plan.place[n_q:]


def _weight(c: Compiled, observed: Observed) -> Array:
    """Return the generalised force of gravity: a rigid shift of all particles tells it."""
    shift = np.tile(c.gravity, 2 * len(c.body))
    return np.asarray(observed.T.T @ (observed.mass_z @ shift))


def _rod(c: Compiled, T: list[Records], b: int) -> tuple[int, int, float, float, float] | None:
    """Return (a, b, x, y, length) of a distance between two particles, or None where one of them is a combination."""
    ends: list[tuple[int, float, float]] = []
    for k in (4 * b, 4 * b + 2):
        x, y = T[k], T[k + 1]
        if not len(x) and not len(y):
            ends.append((-1, float(c.coord[k]["start"]), float(c.coord[k + 1]["start"])))
        elif len(x) == len(y) == 1 and x[0]["c"] == y[0]["c"] == 1.0:
            ends.append((int(x[0]["q"]), 0.0, 0.0))
        else:
            return None
    fixed, moving = sorted(ends, key=lambda e: e[0] >= 0)
    return fixed[0], moving[0], fixed[1], fixed[2], float(c.body[b]["length"])


def _rod_record(r: int, rod: tuple[int, int, float, float, float], plan: Schedule, n_q: int) -> tuple[Any, ...]:
    a, b, x, y, length = rod
    slots = [plan.slot(q + k, n_q + r) if q >= 0 else -1 for q in (a, b) for k in (0, 1)]
    return (a, b, plan.place[n_q + r], *slots, x, y, length)


def _in_q(c: Compiled, T: list[Records], held: list[int]) -> tuple[Records, list[tuple[int, int]]]:
    """Return the term table of the held rows written in q, and their cells (row, q)."""
    number = {r: e for e, r in enumerate(held)}
    polys = [Poly.constant(0.0) for _ in held]
    combined = [_combination(c, T, k) for k in range(len(c.coord))] if held else []
    one = Poly.constant(1.0)
    for p in c.term:
        if int(p["row"]) in number:
            left = combined[p["i"]] if p["i"] >= 0 else one
            right = combined[p["j"]] if p["j"] >= 0 else one
            product = left * right * float(p["c"])
            if p["s"] > 0:
                product = product * Poly.signal(int(p["s"]))
            polys[number[int(p["row"])]] += product
    terms: list[tuple[Any, ...]] = []
    cells: list[tuple[int, int]] = []
    for e, poly in enumerate(polys):
        at: dict[int, int] = {}
        for (i, j, s), value in poly.terms.items():
            if abs(value) == 0.0:
                continue
            for q in (i, j):
                if q >= 0 and q not in at:
                    at[q] = len(cells)
                    cells.append((e, q))
            terms.append((e, i, j, s, at.get(i, -1), at.get(j, -1), value))
    return table(terms, TERM), cells


def _combination(c: Compiled, T: list[Records], k: int) -> Poly:
    poly = Poly.constant(float(c.coord[k]["start"]))
    for e in T[k]:
        poly = poly + Poly.variable(int(e["q"])) * float(e["c"])
    return poly


def _strength(c: Compiled, plan: Schedule, entries: Any, rods: Any, held: Any, term: Any, cells: Any) -> Array:
    """Return 1/(c M^-1 c^T) of every row as drawn, with the diagonal of M, in the order of elimination."""
    n_q = len(c.drawing)
    light = np.ones(n_q)
    for i, j, x in entries:
        if i == j:
            light[i] = 1.0 / x
    size = np.zeros(len(c.rows))
    for r, rod in enumerate(rods):
        if rod is not None:
            size[r] = sum(0.5 * (light[q] + light[q + 1]) for q in rod[:2] if q >= 0)
    result = np.zeros(len(plan.place))
    for e, q in cells:
        g = 0.0
        for p in term:
            if p["row"] == e:
                g += p["c"] * ((p["i"] == q) * (c.drawing[p["j"]] if p["j"] >= 0 else 1.0))
                g += p["c"] * ((p["j"] == q) * (c.drawing[p["i"]] if p["i"] >= 0 else 1.0))
        size[held[e]] += light[q] * g * g
    for r, x in enumerate(size):
        result[plan.place[n_q + r]] = 1.0 / max(x, 1e-300)
    return result


# -- to the road of IDA ------------------------------------------------------------------------------------------


def carried(shared: SharedSystem, other: ParticleSystem, y: Array) -> Array:
    """Return states (K, n) in the coordinates of the particle system that IDA integrates, (K, n)."""
    ours, theirs = shared.compiled, other.compiled
    lay, there = shared.layout, other.layout
    result = np.zeros((len(y), other.n))
    for source, target, fixed in ((lay.q, there.q, True), (lay.v, there.v, False)):
        z1, d = shared.observed.bodies(y[:, source], fixed)
        for b, name in enumerate(theirs.order):
            for k, place in enumerate(theirs.frames[b].drawn):
                c = ours.index[name]
                at = ours.frames[c].at(place)
                z = z1[:, c] + at.a * d[:, c] + at.b * np.stack([-d[:, c, 1], d[:, c, 0]], axis=1)
                for axis in (0, 1):
                    coord = theirs.coord[4 * b + 2 * k + axis]
                    own = theirs.entry[int(coord["first"]) : int(coord["last"])]
                    if len(own) == 1 and own[0]["c"] == 1.0:
                        result[:, target.start + int(own[0]["q"])] = z[:, axis]
    x = y[:, lay.x]
    result[:, there.x] = np.concatenate([x[:, [ours.index[name] for name in theirs.order]], x[:, -1:]], axis=1)
    return result
