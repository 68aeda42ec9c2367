"""Internal forces: what the sections of bending bodies and of rods carry, by equilibrium of all that lies beyond.

Cut at x, the outer side of a body gets from the inner side, moments about the place r(x) of the axis,

    F(x) = int_x (mu (a - g)) ds + sum over what is attached beyond x of F_c                                      (1)
    M(x) = int_x ((r(s) - r(x)) x mu (a - g) + h) ds + sum of M_c + (r_c - r(x)) x F_c                            (2)
    h    = j (alpha + psi x'') + omega x j (omega + psi x')        rotary inertia j per length, bending.py (9)     (3)

over the part that x is on; F_c, M_c is what a section hands on to what hangs there: joints, loads, lumps as they move,
and the next part of the body. Accelerations are those of every place of the axis and mass is that of the density, not
of its stations, so that (1) and (2) are smooth along x; a Gauss rule between the places asked for, and knots of shapes
and density, integrates them as exactly as the stations do. At the beginning of a part they are what it transmits, to
rounding, and foreshortening squared, which is of the fourth order of bending.

What is shown is minus F and minus M in axes of the section: what the inner side gets from the outer, on the face that
looks outward, so that tension is positive and sections.py (4) holds with its signs. The axes are x along the body, z
its `up` (of a body without: z of the drawing as far as it is across the body, or x where the body lies along z) and
y = z x x. In a mechanism drawn in the plane the three of the force are then axial force, shear and nothing, those of
the moment nothing, nothing and the bending moment.

Where something is attached at x itself, the section just inside of it is meant; at x = 0 the one just outside. The
rigid remainder of a bending body moves with its first section and counts as attached there.

Equilibrium, not EI times curvature: a few modes have the curvatures of the true deflection only in the mean, and the
direction of a rigid body has none at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech import rotations
from particlemech.engine.bending import quadrature, reduction
from particlemech.engine.bending.links import Shapes
from particlemech.engine.bending.members import Member, member
from particlemech.engine.bending.shapes import Field
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.topology import SECTION
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space import curves
from particlemech.model.space.curves import Curve
from particlemech.model.space.materials import principal_axes
from particlemech.model.space.parts import Body
from particlemech.model.spec import parallel

NEAR = 1e-9  # of the length of a part: places that count as one


class Internal(NamedTuple):
    """What the sections of a body carry at n places and K samples; axes and signs are those of internal.py."""

    x: Array  # (n,) places along the body, from its first point
    force: Array  # (K, n, 3) axial force, tension positive, and shear along y and z of the section
    moment: Array  # (K, n, 3) torsion about x, and bending about y and z of the section
    stress: Array | None  # (K, n, 2) largest normal stress, largest shear stress of torsion; None without section


class Hung(NamedTuple):
    """Something that is attached to a stretch."""

    s: float  # where, along the stretch
    at: Array  # (K, 3) the place that its wrench is about, global axes
    key: Any  # a frame, the name of a joint, or the wrench itself: -(moment, force) on the body, (K, 6)


class Stretch(NamedTuple):
    """A part of a bending body, or a rod, with the places on it that are asked for."""

    which: NDArray[np.int64]  # (n,) their numbers
    s: Array  # (n,) where they are along the stretch
    at: Array  # (K, n, 3) global axes
    axes: Array  # (K, n, 3, 3) of their sections, in the columns
    own: Array  # (K, n, 6) integrals of (1) and (2): moment about the places, force
    hung: tuple[Hung, ...]

    def carrying(self, wrench: Callable[[Any], Array]) -> Array:
        """Return what hangs beyond each place, (K, n, 6); `wrench` gives moment and force by key, (K, 6)."""
        found = np.zeros_like(self.own)
        for s, at, key in self.hung:
            beyond = self.s <= (1.0 + NEAR) * s
            if s > NEAR and beyond.any():  # what is at the first point is inside of all places
                found[:, beyond] += moved(wrench(key), at, self.at[:, beyond])
        return found


def moved(p: Array, at: Array, to: Array) -> Array:
    """Return wrenches (K, 6) about places (K, 3) as they are about others, (K, n, 3): (K, n, 6)."""
    force = np.broadcast_to(p[:, None, 3:], to.shape)
    return np.concatenate([p[:, None, :3] + np.cross(at[:, None] - to, force), force], axis=2)


def axes_of(body: Body, along: Any) -> Array:
    """Return the axes of the sections of a body in the columns, in the drawing, (3, 3)."""
    if body.up is None:
        up = (0.0, 0.0, 1.0) if not parallel(along, (0.0, 0.0, 1.0)) else (1.0, 0.0, 0.0)
        x = np.array(along)
        z = np.array(up) - (np.array(up) @ x) * x
        z /= np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)
    return np.stack(principal_axes(body, along), axis=1)


def stretches(seen: Observed, body: str, x: Array) -> Iterator[Stretch]:
    """Give the parts of a body that hold the places x (n,), increasing, outward."""
    if seen.mechanism.bodies[body].bends:
        yield from _parts(seen, body, x)
    else:
        yield _rod(seen, body, x)


# -- bodies that bend --------------------------------------------------------------------------------------------------


def _parts(seen: Observed, body: str, x: Array) -> Iterator[Stretch]:
    m, topology = seen.mechanism, seen._compiled.topology
    of, numbers = member(m, body), topology.parts(body)
    field = reduction.field(of, m.bending.geometry == "consistent", m.bending.stiffening)
    n, L, axes = len(numbers), field.length, axes_of(of.body, of.along)
    part = np.clip(np.ceil(x / L - NEAR).astype(int) - 1, 0, n - 1)  # between two parts: at the end of the first
    for k, i in enumerate(numbers):
        which = np.flatnonzero(part == k)
        if not len(which):
            continue
        s = np.clip(x[which] - k * L, 0.0, L)
        seat = field.places(np.outer(s, field.along))
        at, _ = _moving(seen, i, seat)
        turned = np.einsum("kj,ncj->knc", _modal(seen, i, 0), seat.psi)
        R = seen._sampled.S[:, i].reshape(-1, 1, 3, 3)
        turn = rotations.exponential(turned.reshape(-1, 3)).reshape(*turned.shape, 3)
        own = _inertia(seen, i, of, field, (k / n, (k + 1) / n), s, at)
        hung = []
        for c in topology.children[i]:
            shapes = topology.frames[c - 1].shapes
            if topology.frames[c - 1].role == SECTION and shapes is not None:
                hung.append(Hung(float(shapes.x[0] @ field.along), seen._sampled.O[:, c], c))
        yield Stretch(which, s, at, R @ turn @ axes, own, tuple(hung))


def _modal(seen: Observed, i: int, level: int) -> Array:
    """Return the modal coordinates of part i or their rates, (K, m)."""
    b = seen._compiled.tables.body[i]
    return seen._sampled.x[:, b["mode"] : b["mode"] + b["modes"], level]


def _moving(seen: Observed, i: int, at: Shapes) -> tuple[Array, Array]:
    """Return places of part i and their accelerations less gravity, (K, n, 3) each; bending.py (1) to (3)."""
    record, link = seen._sampled, seen._compiled.topology.frames[i - 1].link
    assert link is not None
    R = record.S[:, i].reshape(-1, 3, 3)
    q, rate, second = (_modal(seen, i, level) for level in range(3))
    omega, alpha = record.omega[:, i, None], record.a[:, i, None, :3]

    def shortened(a: Array, b: Array) -> Array:
        values = np.einsum("kj,njl,kl->kn", a, at.short, b, optimize=True)
        return values[:, :, None] * link.along

    r = at.x + np.einsum("kj,ncj->knc", q, at.delta) - 0.5 * shortened(q, q)
    r_dot = np.einsum("kj,ncj->knc", rate, at.delta) - shortened(q, rate)
    r_ddot = np.einsum("kj,ncj->knc", second, at.delta) - shortened(q, second) - shortened(rate, rate)
    r, r_dot, r_ddot = (np.einsum("kij,knj->kni", R, of) for of in (r, r_dot, r_ddot))
    a = record.a[:, i, None, 3:] + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r) + 2.0 * r_dot) + r_ddot
    return record.O[:, i, None] + r, a


def _inertia(
    seen: Observed, i: int, of: Member, field: Field, stretch: tuple[float, float], s: Array, at: Array
) -> Array:
    """Return the integrals of (1) and (2) from places s (n,) to the end of part i, about them, (K, n, 6)."""
    L = field.length
    mu = quadrature.density(of).part(*stretch)
    edges = _edges(s / L, (*field.curves, mu))
    degree = mu.degree + max(2, *(2 * c.degree for c in field.curves), 0)
    xi, w = curves.gauss(edges, degree)
    smooth = field.shapes(xi)
    if quadrature.resists_slopes(of):
        smooth = Shapes(smooth.x, smooth.delta, field.turn(xi), smooth.short)
    rotary = (L * w)[:, None, None] * quadrature.rotary_of(of)
    p, places = _needed(seen, i, smooth, L * w * mu(xi), rotary)
    total = _beyond(s / L, xi, p, places, at)
    lumps = [lump for lump in of.body.lumps if quadrature.holds(of, stretch, lump) and lump.x > NEAR * of.length]
    if lumps:
        along = np.array([min(lump.x - stretch[0] * of.length, L) for lump in lumps])
        seats = field.places(np.outer(along, field.along))
        own = np.array([quadrature.tensor(lump.inertia) for lump in lumps])
        p, places = _needed(seen, i, seats, np.array([lump.mass for lump in lumps]), own)
        total += _beyond(s / L, along / L + NEAR, p, places, at)
    return total


def _edges(xi: Array, every: tuple[Curve, ...]) -> list[float]:
    """Return the knots of a rule: those of curves, and places xi, from the first of these to 1."""
    first = float(xi.min())
    knots = sorted({first, 1.0} | set(xi.tolist()) | {k for k in curves.together(every) if k > first})
    kept = [b for a, b in pairwise(knots) if b - a > 1e-12]
    return [first, *(kept or [first])]


def _needed(seen: Observed, i: int, at: Shapes, mass: Array, rotary: Array) -> tuple[Array, Array]:
    """Return what masses with rotary inertia need, moment about their places and force, (K, n, 6), and these places."""
    record = seen._sampled
    R = record.S[:, i].reshape(-1, 3, 3)
    places, a = _moving(seen, i, at)
    omega, alpha = (np.einsum("kji,kj->ki", R, v)[:, None] for v in (record.omega[:, i], record.a[:, i, :3]))
    if not rotary.any():
        return np.concatenate([np.zeros_like(a), mass[:, None] * a], axis=2), places
    w = omega + np.einsum("kj,ncj->knc", _modal(seen, i, 1), at.psi)
    w_dot = alpha + np.einsum("kj,ncj->knc", _modal(seen, i, 2), at.psi)
    spun = np.einsum("ncd,knd->knc", rotary, w)
    h = np.einsum("ncd,knd->knc", rotary, w_dot) + np.cross(omega, spun)  # (3)
    return np.concatenate([np.einsum("kij,knj->kni", R, h), mass[:, None] * a], axis=2), places


def _beyond(s: Array, xi: Array, p: Array, places: Array, at: Array) -> Array:
    """Return sums of wrenches (K, q, 6) about places at xi (q,) over those beyond each s (n,), about its place."""
    found = np.zeros((*at.shape[:2], 6))
    for n, start in enumerate(s):
        some = xi >= start
        f = p[:, some, 3:]
        found[:, n, 3:] = f.sum(axis=1)
        found[:, n, :3] = (p[:, some, :3] + np.cross(places[:, some] - at[:, n, None], f)).sum(axis=1)
    return found


# -- rods --------------------------------------------------------------------------------------------------------------


def _rod(seen: Observed, body: str, x: Array) -> Stretch:
    """Return a rigid rod: its mass is spread evenly between its two points."""
    m, record = seen.mechanism, seen._sampled
    spec, i = m.bodies[body], seen._compiled.topology.number(body)
    first, last = np.array(m.line(body))
    L = float(np.linalg.norm(last - first))
    e = (last - first) / L
    at = np.stack([seen._position(i, first + s * e) for s in x], axis=1)
    end = seen._position(i, last)
    # of the rest from x to the end: a is linear along it
    ends = [seen._acceleration(i, first + s * e) - np.array(m.gravity) for s in (*x, L)]
    mu, rest = m.mass(body) / L, (L - x)[None, :, None]
    here, there = np.stack(ends[:-1], axis=1), ends[-1][:, None]
    F = mu * rest * 0.5 * (here + there)
    M = mu * rest * np.cross(end[:, None] - at, here / 6.0 + there / 3.0)
    R = record.S[:, i].reshape(-1, 1, 3, 3) @ axes_of(spec, e)
    hung = tuple(Hung(float(np.clip((drawn - first) @ e, 0.0, L)), *on) for drawn, *on in _attached(seen, body))
    axes = np.broadcast_to(R, (*at.shape, 3))
    return Stretch(np.arange(len(x)), x, at, axes, np.concatenate([M, F], axis=2), hung)


def _attached(seen: Any, body: str) -> Iterator[tuple[Array, Array, Any]]:
    """Give all that is attached to a rigid body: where in the drawing, where at the samples, and its key."""
    m = seen.mechanism
    for name, joint in m.joints.items():
        if body in joint.bodies:
            yield np.array(joint.place(m)), seen.place(name), name
    none = np.zeros((len(seen.t), 3))
    for name, force in m.forces.items():
        couple = force.couple(m)
        if getattr(force, "joint", None) is not None:
            continue  # the joint transmits it
        if hasattr(force, "ends"):  # it pulls them together
            ends = [(of, np.array(at), seen._placed(of, at, 0)) for of, at in force.ends(m)]
            for (of, drawn, at), (_, _, other) in (ends, ends[::-1]):
                if of == body:
                    way = (other - at) / np.maximum(np.linalg.norm(other - at, axis=1), 1e-300)[:, None]
                    yield drawn, at, -np.concatenate([none, seen.force(name)[:, None] * way], axis=1)
        elif couple is not None and body in couple.bodies:
            second = body == couple.bodies[1]
            drawn = m.place(getattr(force, "point", None) if second else None, body)
            yield np.array(drawn), none, np.concatenate([seen.force(name) * (-1.0 if second else 1.0), none], axis=1)
        elif getattr(force, "body", None) == body:
            if not hasattr(force, "point"):
                raise ModelError(f'body "{body}": at which place of it force "{name}" acts is not known before it runs')
            drawn = m.place(force.point, body)
            yield np.array(drawn), seen._placed(body, drawn, 0), -np.concatenate([none, seen.force(name)], axis=1)
    for name, driver in m.drivers.items():
        if any(b == body for b, _ in driver.ends(m)):
            raise ModelError(f'body "{body}": driver "{name}" moves a place of it; drive a joint in its place')


# -- what is asked for -------------------------------------------------------------------------------------------------


def places(seen: Observed, body: str, n: int) -> Array:
    """Return n places along a body, from its first point to its second, (n,); raise where it has no sections."""
    seen._body(body)
    spec = seen.mechanism.bodies[body]
    if not spec.bends and (len(spec.points) != 2 or spec.com is not None or spec.inertia is not None):
        raise ModelError(
            f'body "{body}": is rigid, and how its mass is spread along a line is not known; internal forces are those '
            "of bodies that bend, and of rods: two points, without com and inertia"
        )
    if isinstance(n, bool) or not isinstance(n, int) or n < 2:
        raise ModelError(f"n must be a whole number of places, at least 2, got {n!r}")
    one, other = seen.mechanism.line(body)
    return np.linspace(0.0, float(np.linalg.norm(np.subtract(other, one))), n)


def special(seen: Observed, body: str) -> Array:
    """Return the places along a bending body where something is attached to it, (n,)."""
    m, topology = seen.mechanism, seen._compiled.topology
    first, last = np.array(m.line(body))
    L = float(np.linalg.norm(last - first))
    every = [np.array(at) - first for of, at in topology.sections if of == body]
    return np.clip(np.array([of @ (last - first) / L for of in every]), 0.0, L)


def stress(body: Body, force: Array, moment: Array) -> Array | None:
    """Return largest normal and shear stresses, (K, n, 2), of a body with a section."""
    if body.section is None:
        return None
    found = body.section.stress(N=force[..., 0], My=moment[..., 1], Mz=moment[..., 2], T=moment[..., 0])
    return np.stack([found.normal, found.shear], axis=-1)


def largest(of: Internal) -> dict[str, Array]:
    """Return the largest sizes along a body, (K,) each, by what they are called in columns."""
    found = {
        "axial_max": np.abs(of.force[..., 0]),
        "shear_max": np.hypot(of.force[..., 1], of.force[..., 2]),
        "torsion_max": np.abs(of.moment[..., 0]),
        "moment_max": np.hypot(of.moment[..., 1], of.moment[..., 2]),
    }
    if of.stress is not None:
        found |= {"stress_max": of.stress[..., 0], "shear_stress_max": of.stress[..., 1]}
    return {name: values.max(axis=1) for name, values in found.items()}
