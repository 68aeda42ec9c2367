"""Internal forces of what is drawn as a line: by equilibrium of all that lies beyond a section, in plane and space.

Cut at x, the outer side of a body gets from the inner side, moments about the place r(x) of the axis,

    F(x) = int_x (mu (a - g)) ds + sum over what is attached beyond x of F_c                                      (1)
    M(x) = int_x ((r(s) - r(x)) x mu (a - g)) ds + sum of M_c + (r_c - r(x)) x F_c                                (2)

where F_c, M_c is what a section hands on to what hangs there: joints, with their drivers, motors and springs, loads and
springs between places. A rigid rod is straight and even, and a is linear along it: with a_x at the place itself and a_L
at the end, over the rest l = L - x,

    F = mu l (a_x + a_L)/2 - mu l g,    M = mu l (r_L - r_x) x ((a_x - g)/6 + (a_L - g)/3)                        (3)

What is shown is minus F and minus M in axes of the section: what the inner side gets from the outer, on the face that
looks outward, so that tension is positive. The axes are x along the body, z its `up` or that of the drawing, y = z x x.
In the plane, and of a mechanism drawn in it, the three of the force are then axial force, shear and nothing, those of
the moment nothing, nothing and the bending moment.

Where something is attached at x itself, the section just inside of it is meant; at x = 0 the one just outside. What
slides along a rod loads it where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion

NEAR = 1e-9  # of the length of a part: places that count as one


class Internal(NamedTuple):
    """What the sections of a body carry at n places and K samples; axes and signs are those of internal.py."""

    x: Array  # (n,) places along the body, from its first point
    force: Array  # (K, n, 3) axial force, tension positive, and shear along y and z of the section
    moment: Array  # (K, n, 3) torsion about x, and bending about y and z of the section
    stress: Array | None  # (K, n, 2) largest normal stress, largest shear stress of torsion; None without section
    place: Array  # (K, n, 3) where the sections are, global axes
    axes: Array  # (K, n, 3, 3) how they stand, x, y, z in the columns


class Hung(NamedTuple):
    """Something that is attached to a stretch."""

    s: Array  # (K,) or (1,) where, along the stretch
    at: Array  # (K, 3) the place that its wrench is about, global axes
    key: (
        Any  # whose it is: a frame, the name of a joint, a driver's; or the wrench itself, -(moment, force) on the body
    )


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
            beyond = (self.s <= (1.0 + NEAR) * s[:, None]) & (s[:, None] > NEAR)  # at the first point: inside of all
            some = beyond.any(axis=0)
            if some.any():
                found[:, some] += beyond[:, some, None] * moved(wrench(key), at, self.at[:, some])
        return found

    def only(self, k: int, n: int) -> Stretch:
        """Return what hangs on it at sample k, n times over, and nothing of its own."""
        hung = tuple(
            of._replace(s=of.s[min(k, len(of.s) - 1)][None], at=np.repeat(of.at[k : k + 1], n, axis=0))
            for of in self.hung
        )
        own = np.zeros((n, *self.own.shape[1:]))
        return self._replace(own=own, at=np.repeat(self.at[k : k + 1], n, axis=0), hung=hung)


def moved(p: Array, at: Array, to: Array) -> Array:
    """Return wrenches (K, 6) about places (K, 3) as they are about others, (K, n, 3): (K, n, 6)."""
    force = np.broadcast_to(p[:, None, 3:], to.shape)
    return np.concatenate([p[:, None, :3] + np.cross(at[:, None] - to, force), force], axis=2)


class Driven(NamedTuple):
    """What a driver of places does to a body at an effort of 1."""

    driver: str
    wrench: Array  # (K, 6) moment, force on the body


class Seen(Protocol):
    """A motion at K samples by name, with what acts; vectors in three components, in the plane too."""

    t: Array

    @property
    def mechanism(self) -> Any:
        """Return the model."""

    def _placed(self, body: str, drawn: Any, level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity (1) or its acceleration (2), (K, 3)."""

    def _turned(self, body: str) -> Array:
        """Return the axes of a body, (K, 3, 3)."""

    def _seat(self, joint: str, on: str) -> tuple[Array, Array]:
        """Return where a joint holds one of its bodies, and the place that what it transmits is about, (K, 3) each."""

    def force(self, name: str, quantity: str | None = None) -> Array:
        """Return what a force exerts, or another of its quantities."""


# -- rods --------------------------------------------------------------------------------------------------------------


def rod(seen: Seen, body: str, x: Array, axes: Array) -> Stretch:
    """Return a rigid rod, its mass spread evenly between its two points; axes (3, 3) of its sections in the drawing."""
    m = seen.mechanism
    first, last = (np.array(end) for end in m.line(body))
    L = float(np.linalg.norm(last - first))
    e, mu, g = (last - first) / L, m.mass(body) / L, spatial(np.array(m.gravity))
    at = np.stack([seen._placed(body, first + s * e, 0) for s in x], axis=1)
    end = seen._placed(body, last, 0)
    ends = [seen._placed(body, first + s * e, 2) - g for s in (*x, L)]
    here, there, rest = np.stack(ends[:-1], axis=1), ends[-1][:, None], (L - x)[None, :, None]
    F = mu * rest * 0.5 * (here + there)  # (3)
    M = mu * rest * np.cross(end[:, None] - at, here / 6.0 + there / 3.0)
    begin, hung = seen._placed(body, first, 0), []
    along = (end - begin) / L
    for where, about, key in attached(seen, body):
        hung.append(Hung(np.clip(np.sum((where - begin) * along, axis=1), 0.0, L), about, key))
    turned = np.broadcast_to(seen._turned(body)[:, None] @ axes, (*at.shape, 3))
    return Stretch(np.arange(len(x)), x, at, turned, np.concatenate([M, F], axis=2), tuple(hung))


def attached(seen: Seen, body: str) -> Iterator[tuple[Array, Array, Any]]:
    """Give all that is attached to a rigid body: where, the place that its wrench is about, and its key."""
    m = seen.mechanism
    for name, joint in m.joints.items():
        if body in joint.bodies:
            yield *seen._seat(name, body), name
    for name, force in m.forces.items():
        if getattr(force, "joint", None) is None:  # else the joint transmits it
            yield from _acting(seen, body, name, force)
    for name, driver in m.drivers.items():
        if getattr(driver, "joint", None) is None:
            yield from _driving(seen, body, name, driver)


def _acting(seen: Seen, body: str, name: str, force: Any) -> Iterator[tuple[Array, Array, Any]]:
    """Give what a force does to a body: where, about which place, and minus moment and force."""
    m, couple = seen.mechanism, force.couple(seen.mechanism)
    if hasattr(force, "ends"):  # it pulls them together, or pushes them apart
        for at, way in _line(seen, force.ends(m), body):
            yield at, at, -wrench(force=(1.0 if force.elastic else -1.0) * seen.force(name)[:, None] * way)
    elif couple is not None:
        if body in couple.bodies:
            sign = (1.0 if body == couple.bodies[1] else -1.0) * (-1.0 if force.elastic else 1.0)
            at = seen._placed(body, _where(m, force, couple.bodies, body), 0)
            yield at, at, -wrench(moment=sign * seen.force(name))
    elif getattr(force, "body", None) == body:
        tails = force.quantities(m)
        if "place" not in tails:
            raise ModelError(
                f'body "{body}": force "{name}" is spread along it, and no single place says where it acts'
            )
        at = spatial(seen.force(name, "place"))
        moment = seen.force(name, "moment") if "moment" in tails else 0.0 * seen.t
        yield at, at, -wrench(moment=moment, force=seen.force(name, "force"))


def _driving(seen: Seen, body: str, name: str, driver: Any) -> Iterator[tuple[Array, Array, Any]]:
    """Give what a driver of places, or of bodies, does to a body."""
    m, ends = seen.mechanism, driver.ends(seen.mechanism)
    if len(ends) == 2:  # it pushes them apart
        for at, way in _line(seen, ends, body):
            yield at, at, Driven(name, wrench(force=-way))
    elif len(ends) == 1 and ends[0][0] == body:
        at = seen._placed(body, ends[0][1], 0)
        way = spatial(np.array(driver.along(m), dtype=float))
        yield at, at, Driven(name, wrench(force=np.tile(way, (len(seen.t), 1))))
    elif not ends and body in driver.bodies:
        at = seen._placed(body, _where(m, driver, driver.bodies, body), 0)
        yield at, at, Driven(name, wrench(moment=np.full(len(seen.t), 1.0 if body == driver.bodies[1] else -1.0)))


def _line(seen: Seen, ends: Sequence[Any], body: str) -> Iterator[tuple[Array, Array]]:
    """Give those ends of a line that are on a body, and the way from each to the other, (K, 3) of length 1."""
    one, other = (seen._placed(of, at, 0) for of, at in ends)
    for (of, _), at, to in zip(ends, (one, other), (other, one), strict=True):
        if of == body:
            yield at, (to - at) / np.maximum(np.linalg.norm(to - at, axis=1), 1e-300)[:, None]


def _where(mechanism: Any, of: Any, bodies: Sequence[str], body: str) -> Any:
    """Return the place of a body at which a couple counts as acting: its own, or else where the two bodies meet."""
    if hasattr(of, "point"):
        return mechanism.place(of.point if body == bodies[1] else None, body)
    for joint in mechanism.joints.values():
        if set(bodies) <= set(joint.bodies) and joint.point is not None:
            return mechanism.place(joint.point, body)
    return mechanism.centre(body)


def spatial(vectors: Array) -> Array:
    """Return vectors of the plane, (..., 2), or of space, (..., 3), in three components."""
    return vectors if vectors.shape[-1] == 3 else np.concatenate([vectors, np.zeros((*vectors.shape[:-1], 1))], axis=-1)


def wrench(moment: Array | None = None, force: Array | None = None) -> Array:
    """Return moment and force in three components each, (K, 6); a moment (K,) is about z."""
    given = moment if moment is not None else force
    assert given is not None
    found = np.zeros((len(given), 6))
    if moment is not None:
        found[:, 2 if moment.ndim == 1 else slice(0, 3)] = moment
    if force is not None:
        found[:, 3:] = spatial(force)
    return found


# -- what is asked for -------------------------------------------------------------------------------------------------


def even(body: Any) -> bool:
    """Whether a rigid body is a rod, whose mass lies evenly between its two points."""
    return len(body.points) == 2 and body.com is None and body.inertia is None


def places(mechanism: Any, body: str, n: int) -> Array:
    """Return n places along a body, from its first point to its second, (n,); raise where it has no sections."""
    if body not in mechanism.bodies:
        raise ModelError(f'body "{body}" unknown{suggestion(body, mechanism.bodies)}')
    spec = mechanism.bodies[body]
    if not getattr(spec, "bends", False) and not even(spec):
        raise ModelError(
            f'body "{body}": is rigid, and how its mass is spread along a line is not known; internal forces are those '
            "of bodies that bend, and of rods: two points, without com and inertia"
        )
    if isinstance(n, bool) or not isinstance(n, int) or n < 2:
        raise ModelError(f"n must be a whole number of places, at least 2, got {n!r}")
    one, other = mechanism.line(body)
    return np.linspace(0.0, float(np.linalg.norm(np.subtract(other, one))), n)


def stress(body: Any, force: Array, moment: Array) -> Array | None:
    """Return largest normal and shear stresses, (K, n, 2), of a body with a section."""
    if getattr(body, "section", None) is None:
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
