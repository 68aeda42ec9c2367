"""Places and directions fixed on a body in space, as linear combinations of vectors that are its coordinates.

A body has its centre of mass r and three unit vectors e1, e2, e3 across each other; e_k was drawn as E_k. A place C,
drawn beside the centre of mass com, and a direction u, drawn as U, are

    C = r + sum_k ((C - com).E_k) e_k                                                                      (1)
    u = sum_k (U.E_k) e_k                                                                                  (2)

r and e_k are coordinates, or linear in those of other bodies where joints make them common (shared.py). In coordinates
of its own a body has the global axes as E_k, so a drawn vector has the same components in it.
Not used: two points and two unit vectors per body (natural coordinates), which are fewer where joints share them, but
whose mass matrix depends on which points were taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from particlemech.engine.polynomials import Poly, Vec3
from particlemech.model.spec import Vector3

if TYPE_CHECKING:
    from particlemech.model.space.joints import JointSpec
    from particlemech.model.space.mechanism import Mechanism

COORDINATES = 12  # of a body: r, d1, d2, d3


ROUNDING = 1e-15  # of the length of a vector: a component this small is nothing but rounding

Triad = tuple[Vector3, Vector3, Vector3]

GLOBAL: Triad = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Frame:
    """A body (or the ground) as the kinds see it; drawn places are relative to the computing origin."""

    centre: Vector3  # centre of mass as drawn, length
    r: Vec3  # and now
    drawn: Triad  # E_k
    now: tuple[Vec3, Vec3, Vec3]  # e_k

    def point(self, place: Vector3) -> Vec3:
        """Return a drawn place by (1)."""
        x, y, z = (c - g for c, g in zip(place, self.centre, strict=True))
        return self.r + self.direction((x, y, z))

    def direction(self, u: Vector3) -> Vec3:
        """Return a drawn direction by (2)."""
        result = Vec3.constant(0.0, 0.0, 0.0)
        for E, e in zip(self.drawn, self.now, strict=True):
            c = u[0] * E[0] + u[1] * E[1] + u[2] * E[2]
            if abs(c) > ROUNDING * math.hypot(*u):
                result += e * c
        return result


def own_frame(body: int, centre: Vector3) -> Frame:
    """Return the frame of a body with twelve coordinates of its own, r and its three axes, by its number."""
    r, d1, d2, d3 = (Vec3.variable(COORDINATES * body + 3 * i) for i in range(4))
    return Frame(centre, r, GLOBAL, (d1, d2, d3))


GROUND_FRAME = Frame(
    (0.0, 0.0, 0.0),
    Vec3.constant(0.0, 0.0, 0.0),
    GLOBAL,
    (Vec3.constant(1.0, 0.0, 0.0), Vec3.constant(0.0, 1.0, 0.0), Vec3.constant(0.0, 0.0, 1.0)),
)


class Turn(NamedTuple):
    """An angle by its sine and cosine, both of the same length, times a factor: what a thread travels."""

    pitch: float
    sine: Poly
    cosine: Poly


class RowPoly(NamedTuple):
    """A constraint row as its kind writes it."""

    poly: Poly
    angle: bool = False  # dimensionless rather than a length
    turns: tuple[Turn, ...] = ()  # what is taken from the polynomial besides: screw_kernels.py (1)


class Handed(NamedTuple):
    """What a joint of the spanning tree hands over to the body it carries, for both have it in common."""

    place: bool = False  # that of the joint
    axis: bool = False  # its direction
    axes: bool = False  # all directions


class Edge(NamedTuple):
    """What a joint or driver acts between, and where."""

    first: str  # names of bodies
    second: str
    place: Vector3  # global at t = 0; efforts and reactions are reported there, on the second
    spec: Any  # whose keys the rows are written with: a joint, or the driver that needs none


def joint_edge(joint: JointSpec, mechanism: Mechanism) -> Edge:
    """Return the edge of a joint, or of a driver that drives it."""
    first, second = joint.between(mechanism)
    return Edge(first, second, joint.place(mechanism), joint)


@dataclass(frozen=True)
class At:
    """What the file of a joint or driver sees of one edge: two frames, and where its places are."""

    first: Frame
    second: Frame
    edge: Edge
    mechanism: Mechanism
    origin: Vector3  # the computing origin, global
    signal: Callable[[str], Poly]  # "value", "cos", "sin", "square" of the driver's motion
    measure: Callable[[str, str], Any]  # (joint, coordinate) -> how it is read, readings.Measure
    driver: Any = None  # where it is the edge of one
    counters: Mapping[tuple[str, str], int] = field(
        default_factory=dict
    )  # coupled angles that are coordinates, by number
    counted: set[tuple[str, str]] = field(default_factory=set)  # those of them that rows tie to their bodies already

    @property
    def spec(self) -> Any:
        """The joint, or the driver that needs none."""
        return self.edge.spec

    def drawn(self, place: Vector3) -> Vector3:
        """Return a global place relative to the computing origin."""
        x, y, z = (c - o for c, o in zip(place, self.origin, strict=True))
        return x, y, z

    def gap(self) -> Vec3:
        """Return P2 - P1: the place of the edge on the second body, less that on the first."""
        place = self.drawn(self.edge.place)
        return self.second.point(place) - self.first.point(place)


def triad(u: Vector3) -> tuple[Vector3, Vector3, Vector3]:
    """Return m, n, u, a right-handed triad of unit vectors.

    m is as near as can be to the global axis that lies most across u, so an axis along z gives x, y, z.
    """
    k = min(range(3), key=lambda i: abs(u[i]))
    m = [-u[k] * c for c in u]
    m[k] += 1.0
    size = math.hypot(*m)
    a, b, c = (e / size for e in m)
    x, y, z = u
    return (a, b, c), (y * c - z * b, z * a - x * c, x * b - y * a), u
