"""Numbers of a chain of bending links, after sub-division: what the description hands to the kernels.

Frames, link 0 the base, [G88] (2.1-1..10 errata); phi* = phi + dphi of joint i+1, travel its prismatic counterpart:

    R_{i+1} = R_i E(Psi_end q) Rx(alpha_i) Rz(theta_{i+1} + phi*_{i+1})                                      (1)
    O_{i+1} = O_i + R_i r_end + travel_{i+1} R_i E(Psi_end q) Rx(alpha_i) z                                  (2)
    r(x)    = x + delta(x) q - 1/2 e (q^T S(x) q)           of a place x of a link, in its axes               (3)

Joint i carries link i, so `links` and `joints` of a `Chain` are equally long. A body that is cut into sub-links is
several of these links; the joint between two of them is locked at 0, and its name is empty. All numbers are in the
units that the model names; nothing is converted. A rigid link has no modal coordinates (m = 0), and may have stations
or none: its mass is the sum of its stations and its remainder.

Link axes have z along the joint that carries the link; `axes` says how they lie in the drawing, where all coordinates
are zero. Axes of a body, which results show, are parallel to the global ones there: R_i axes_i^T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from particlemech.engine.system import Array
from particlemech.model.signals import SignalSpec

Signals3 = tuple[SignalSpec, SignalSpec, SignalSpec]
REVOLUTE, PRISMATIC = range(2)  # what a joint does: turn about its z, slide along it
LOCKED, FREE, DRIVEN = range(3)  # its phi: constant, a coordinate, prescribed
FIXED, TRANSLATES, FLOATS = range(3)  # the base: held, three coordinates, a rigid body of its own


@dataclass(frozen=True, eq=False)
class Shapes:
    """The deflection at n places of one link with m modal coordinates, link axes."""

    x: Array  # (n, 3) places in the undeflected link, from its origin
    delta: Array  # (n, 3, m) displacement per modal coordinate
    psi: Array  # (n, 3, m) rotation per modal coordinate
    short: Array  # (n, m, m) S of (3); zero where stiffening is off


@dataclass(frozen=True, eq=False)
class LinkNumbers:
    """One link, or one sub-link; m modal coordinates, n stations."""

    name: str  # of the body in the model
    part: int  # number of the sub-link within it, from 0
    names: tuple[str, ...]  # of the modal coordinates, (m,)
    # geometry
    axes: Array  # (3, 3) in the columns, in the drawing
    end: Array  # (3,) reference position of the next frame
    alpha: float  # twist between its z and that of the next joint, about x
    along: Array  # (3,) unit vector e from the origin to the end; zero for a link without length
    # the rigid remainder: what the table of the model says beyond the sums over the stations
    mass: float
    moment: Array  # (3,) first moment
    inertia: Array  # (3, 3) about the link origin
    # mass at stations, the equivalent particles
    stations: Shapes  # n of them
    station_mass: Array  # (n,)
    station_inertia: Array  # (n, 3, 3) rotary, about the station, constant in link axes
    # the distal end; psi with the slopes of bending where the geometry is consistent
    end_delta: Array  # (3, m)
    end_psi: Array  # (3, m)
    end_short: Array  # (m, m)
    # elasticity
    K: Array  # (m, m)
    C: Array  # (m, m) a I_qq + b K
    # start
    q: Array  # (m,)
    q_dot: Array  # (m,)

    @property
    def m(self) -> int:
        """The number of modal coordinates."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class JointNumbers:
    """What carries a link: a joint, or one of the motions of a joint that has several; phi, and its deflection dphi."""

    name: str  # in the model; empty between sub-links
    coordinate: str  # the name of phi, such as "angle"; empty where there is none
    does: int  # REVOLUTE or PRISMATIC
    state: int  # LOCKED, FREE or DRIVEN
    theta: float  # constant part of the angle about z, also of a prismatic joint
    flexible: bool  # dphi is a coordinate; with a free phi, phi then carries the rotor
    stiffness: float  # of dphi; 0 where not flexible
    damping: float  # of dphi; 0 where not flexible
    rotor: float  # inertia (revolute) or mass (prismatic) of the drive, moves with phi alone
    spring: float  # stiffness of phi
    pull: float  # effort of the spring at phi = 0
    stored: float  # its energy at phi = 0
    damper: float  # damping of phi
    position: float  # phi at the start; of a locked joint for ever
    rate: float  # of phi at the start
    deflection: float  # dphi at the start
    deflection_rate: float
    driver: str  # name of the driver, or empty
    motion: SignalSpec | None  # of phi, where driven
    efforts: tuple[SignalSpec, ...]  # of motors, on phi
    motors: tuple[str, ...]  # their names
    controllers: tuple[tuple[str, Callable[..., Any]], ...]  # name and f(t, state) -> effort on phi
    at: Array  # (3,) the point of the joint, which reactions are about, in axes of the link it carries
    second: bool  # the link it carries is the second of its two bodies
    bodies: tuple[str, ...]  # their names, those of the joint in the model


@dataclass(frozen=True, eq=False)
class BaseNumbers:
    """Link 0, the ground or a rigid body: `end` and `alpha` lead to the first joint as in (1) and (2)."""

    name: str  # of the body; "ground" where that is what carries the chain
    joint: str  # the free joint that carries the body; empty where the ground carries the chain
    state: int  # FIXED, TRANSLATES or FLOATS
    axes: Array  # (3, 3) in the columns, in the drawing
    origin: Array  # (3,) in the drawing
    mass: float
    moment: Array  # (3,) first moment about its origin, base axes
    inertia: Array  # (3, 3) about its origin, base axes
    end: Array  # (3,)
    alpha: float
    place: Array  # (3,) of its origin at the start, global axes
    turn: Array  # (3, 3) orientation R_0 at the start
    velocity: Array  # (3,) of its origin at the start, global axes
    omega: Array  # (3,) at the start, global axes
    held: tuple[tuple[str, str], ...]  # coordinates of the free joint that do not change, and their drivers


@dataclass(frozen=True, eq=False)
class LoadNumbers:
    """A load on one link at n places: a point load has one of weight 1, a distributed load those of a quadrature.

    At place k it is weight[k] (force, moment), by their signals. `shapes.psi` is the rotation of the section there,
    with the slopes of bending where the geometry is consistent, and `shapes.delta` the displacement of the place
    itself, off the axis too. A following load has the axes of the section, R_i E(psi q) axes_i^T; any other has global
    ones.
    """

    name: str  # of the force in the model
    link: int  # in Chain.links; -1: the base
    shapes: Shapes
    weight: Array  # (n,)
    force: Signals3
    moment: Signals3
    follows: bool


@dataclass(frozen=True, eq=False)
class SpringNumbers:
    """A spring and damper along the line between two places; each on a link, or fixed in the ground."""

    name: str
    ends: tuple[tuple[int, Shapes] | Array, tuple[int, Shapes] | Array]  # link (-1: the base) and shapes, or (3,)
    stiffness: float
    damping: float
    length: float  # free of force


@dataclass(frozen=True, eq=False)
class PointNumbers:
    """A named point that results follow; fields as those of a load at one place."""

    name: str
    link: int  # -1: the base
    shapes: Shapes  # n = 1


@dataclass(frozen=True, eq=False)
class Speeds:
    """What is said of the speeds at the start; the rest is that of least kinetic energy."""

    known: tuple[tuple[str, str], ...]  # coordinates of joints whose rates are given; those of modes are all known
    travels: tuple[tuple[int, float], ...]  # components of the velocity of the base that are given
    turns: tuple[tuple[int, float], ...]  # rates of its 1-2-3 angles that are given
    angles: Array  # (3,) those angles
    omega: tuple[tuple[str, Array], ...]  # of bodies, (3,) global axes
    velocity: tuple[tuple[str, Array], ...]  # of points, (3,)


@dataclass(frozen=True, eq=False)
class Chain:
    """A whole chain as numbers."""

    base: BaseNumbers
    links: tuple[LinkNumbers, ...]
    joints: tuple[JointNumbers, ...]  # joint i carries link i
    loads: tuple[LoadNumbers, ...]
    points: tuple[PointNumbers, ...]
    gravity: Array  # (3,) global axes
    fixed: tuple[tuple[str, Array], ...] = ()  # named points of the ground, (3,)
    springs: tuple[SpringNumbers, ...] = ()
    customs: tuple[tuple[str, int, Callable[..., Any]], ...] = ()  # name, rigid link (-1: the base), f(t, state)
    speeds: Speeds | None = None  # None: all are those of the numbers above
    places: Any = None  # of bodies, by name: places.Places
