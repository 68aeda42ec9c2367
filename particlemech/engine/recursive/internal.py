"""Internal forces of bending bodies: what their sections carry, by the equilibrium of internal.py, part by part.

    F(x) = int_x (mu (a - g)) ds + sum over what is attached beyond x of F_c                                      (1)
    M(x) = int_x ((r(s) - r(x)) x mu (a - g) + h) ds + sum of M_c + (r_c - r(x)) x F_c                            (2)
    h    = j (alpha + psi x'') + omega x j (omega + psi x')        rotary inertia j per length, bending.py (9)     (3)

over the part that x is on; F_c, M_c is what a section hands on to what hangs there: joints, loads, lumps as they move,
and the next part of the body. Accelerations are those of every place of the axis and mass is that of the density, not
of its stations, so that (1) and (2) are smooth along x; a Gauss rule between the places asked for, and knots of shapes
and density, integrates them as exactly as the stations do. At the beginning of a part they are what it transmits, to
rounding, and foreshortening squared, which is of the fourth order of bending.

Signs and axes are those of internal.py, so that sections.py (4) holds with its signs; of a body without `up`, z is that
of the drawing as far as it is across the body, or x where the body lies along z. The rigid remainder of a bending body
moves with its first section and counts as attached there.

Equilibrium, not EI times curvature: a few modes have the curvatures of the true deflection only in the mean, and the
direction of a rigid body has none at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech import rotations
from particlemech.engine.bending import quadrature, reduction
from particlemech.engine.bending.links import Shapes
from particlemech.engine.bending.members import Member, member
from particlemech.engine.bending.shapes import Field
from particlemech.engine.internal import NEAR, Hung, Stretch, rod
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.topology import SECTION
from particlemech.engine.system import Array
from particlemech.model.space import curves
from particlemech.model.space.curves import Curve
from particlemech.model.space.materials import principal_axes
from particlemech.model.space.parts import Body
from particlemech.model.spec import parallel


def axes_of(body: Body, along: Any) -> Array:
    """Return the axes of the sections of a body in the columns, in the drawing, (3, 3)."""
    if body.up is None:
        up = (0.0, 0.0, 1.0) if not parallel(along, (0.0, 0.0, 1.0)) else (1.0, 0.0, 0.0)
        x = np.array(along)
        z = np.array(up) - (np.array(up) @ x) * x
        z /= np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)
    return np.stack(principal_axes(body, along), axis=1)


def stretches(seen: Any, body: str, x: Array) -> Iterator[Stretch]:
    """Give the parts of a body that hold the places x (n,), increasing, outward."""
    if seen.mechanism.bodies[body].bends:
        yield from _parts(seen, body, x)
    else:
        first, last = np.array(seen.mechanism.line(body))
        yield rod(seen, body, x, axes_of(seen.mechanism.bodies[body], (last - first) / np.linalg.norm(last - first)))


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
                hung.append(Hung(np.array([shapes.x[0] @ field.along]), seen._sampled.O[:, c], c))
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


# -- what is asked for -------------------------------------------------------------------------------------------------


def special(seen: Observed, body: str) -> Array:
    """Return the places along a bending body where something is attached to it, (n,)."""
    m, topology = seen.mechanism, seen._compiled.topology
    first, last = np.array(m.line(body))
    L = float(np.linalg.norm(last - first))
    every = [np.array(at) - first for of, at in topology.sections if of == body]
    return np.clip(np.array([of @ (last - first) / L for of in every]), 0.0, L)
