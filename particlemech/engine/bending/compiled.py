"""Compiled: a chain as tables of numbers, and the places of its coordinates and speeds.

Coordinates go outward: those of the base, then link by link phi and dphi of the joint that carries it, and its modal
coordinates. So all that moves a link stands before it, and influence.py needs no lists of paths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._jit import ArgumentGroup, described, table
from particlemech.engine.bending.links import (
    DRIVEN,
    FIXED,
    FLOATS,
    FREE,
    PRISMATIC,
    Chain,
    LinkNumbers,
    Shapes,
    SpringNumbers,
)
from particlemech.engine.bending.tables import BASE, JOINT, LINK, LOAD, PLACE, SPRING, Tables
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, Signals
from particlemech.engine.system import Array, Scale
from particlemech.model.signals import Constant

BASE_TRAVELS, BASE_TURNS = ("x", "y", "z"), ("omega_x", "omega_y", "omega_z")
DEFLECTION = "deflection"  # of the drive of a joint, beside the coordinate of the joint
SOFT = 1e-2  # of the chain's length, or rad: what counts as a unit of a deflection


@dataclass(frozen=True)
class Coordinate:
    """One speed by name."""

    part: str  # joint or body of the model
    name: str
    link: int  # whose origin it moves, or that it deforms; in Chain.links, -1: the base
    size: float  # what counts as a unit of its way
    deflects: bool  # dphi or a modal coordinate

    @property
    def label(self) -> str:
        """The name of the part and its own."""
        return f"{self.part}.{self.name}"


@dataclass(frozen=True, eq=False)
class Compiled:
    """Tables of a chain; numbers of links count the base as 0."""

    chain: Chain
    tables: Tables
    coordinates: tuple[Coordinate, ...]  # of all speeds, in the order of v
    n_q: int
    n_v: int
    scale: Scale
    breaks: tuple[float, ...]
    until: float

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process can use: addresses of arrays are no good there."""
        return {name: value for name, value in self.__dict__.items() if name != "group"}

    @cached_property
    def group(self) -> ArgumentGroup:
        """Return the tables for the kernels' argument block."""
        return described(self.tables)

    @cached_property
    def parts_of(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the links or sub-links of each body of the model, by name."""
        found: dict[str, tuple[int, ...]] = {self.chain.base.name: (0,)}
        for i, link in enumerate(self.chain.links, start=1):
            if link.name:
                found[link.name] = (*found.get(link.name, ()), i)
        return found

    @cached_property
    def motions_of(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the links that the motions of each joint carry, the last of which is the body, by its name."""
        found: dict[str, tuple[int, ...]] = {}
        for i, joint in enumerate(self.chain.joints, start=1):
            if joint.name:
                found[joint.name] = (*found.get(joint.name, ()), i)
        return found

    @cached_property
    def controllers(self) -> tuple[tuple[int, str, Any], ...]:
        """The controllers: number of the link that their joint carries, their name, and the function."""
        return tuple((i, name, f) for i, j in enumerate(self.chain.joints, start=1) for name, f in j.controllers)

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Names of the forces that are Python functions."""
        return (*(name for _, name, _ in self.controllers), *(name for name, _, _ in self.chain.customs))


class _Places:
    """Collects places and their shapes."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.delta: list[Array] = []
        self.psi: list[Array] = []
        self.short: list[Array] = []
        self.at = self.pairs = 0

    def add(self, link: int, shapes: Shapes, mass: Array | None = None, inertia: Array | None = None) -> int:
        """Add places of a link; return the number of the first."""
        first, m = len(self.rows), shapes.delta.shape[2]
        for k in range(len(shapes.x)):
            weight = 0.0 if mass is None else float(mass[k])
            tensor = np.zeros(9) if inertia is None else inertia[k].reshape(9)
            self.rows.append((link, self.at, self.pairs, shapes.x[k], weight, tensor))
            self.at, self.pairs = self.at + m, self.pairs + m * m
            self.delta.append(shapes.delta[k].T)
            self.psi.append(shapes.psi[k].T)
            self.short.append(shapes.short[k].reshape(-1))
        return first

    def flat(self, arrays: list[Array], width: int) -> Array:
        """Return rows of shapes one below the other."""
        return np.ascontiguousarray(np.concatenate([np.zeros((0, width)), *arrays]), dtype=float)


def tabulate(chain: Chain, time_scale: float = 1.0) -> Compiled:
    """Return the tables of a chain."""
    signals, places = Signals(), _Places()
    length = _length(chain)
    links, joints, motors, coordinates, n_q = _links(chain, signals, places, length)
    loads = []
    for load in chain.loads:
        first = places.add(load.link + 1, load.shapes)
        force, moment = (tuple(signals.add(s) for s in three) for three in (load.force, load.moment))
        loads += [(first + k, load.follows, weight, force, moment) for k, weight in enumerate(load.weight)]
    springs = [_spring(spring, places) for spring in chain.springs]
    points = [places.add(point.link + 1, point.shapes) for point in chain.points]
    base = chain.base
    tables = Tables(
        table([(base.state, base.place, base.turn.reshape(9))], BASE),
        table(links, LINK),
        table(joints, JOINT),
        table(places.rows, PLACE),
        places.flat(places.delta, 3),
        places.flat(places.psi, 3),
        np.concatenate([np.zeros(0), *places.short]),
        np.concatenate([np.zeros(0), *(link.K.reshape(-1) for link in chain.links)]),
        np.concatenate([np.zeros(0), *(link.C.reshape(-1) for link in chain.links)]),
        np.array(chain.gravity, dtype=float),
        table(loads, LOAD),
        table(springs, SPRING),
        np.array(motors, dtype=np.int32),
        np.array(points, dtype=np.int32),
        table(signals.segments, SEGMENT),
        table(signals.signals, SIGNAL),
    )
    mass = base.mass + sum(link.mass + float(link.station_mass.sum()) for link in chain.links)
    mass += sum(joint.rotor for joint in chain.joints if joint.does == PRISMATIC)
    return Compiled(
        chain=chain,
        tables=tables,
        coordinates=tuple(coordinates),
        n_q=n_q,
        n_v=len(coordinates),
        scale=Scale(length, mass or 1.0, time_scale),
        breaks=tuple(sorted({b for s, *_ in signals.known for b in s.breaks() if b > 0.0})),
        until=min((s.until() for s, *_ in signals.known), default=math.inf),
    )


def _spring(spring: SpringNumbers, places: _Places) -> tuple[Any, ...]:
    """Return the row of a spring."""
    at, fixed = [-1, -1], np.zeros((2, 3))
    for k, end in enumerate(spring.ends):
        if isinstance(end, tuple):
            at[k] = places.add(end[0] + 1, end[1])
        else:
            fixed[k] = end
    return at, fixed.reshape(6), spring.stiffness, spring.damping, spring.length


def _twist(alpha: float, theta: float) -> Array:
    """Return Rx(alpha) Rz(theta), (9,)."""
    c, s = math.cos(alpha), math.sin(alpha)
    x = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    c, s = math.cos(theta), math.sin(theta)
    return (x @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])).reshape(9)


def _rigid_end(end: Array) -> Shapes:
    none = np.zeros((1, 3, 0))
    return Shapes(np.array([end]), none, none, np.zeros((1, 0, 0)))


def _links(
    chain: Chain, signals: Signals, places: _Places, length: float
) -> tuple[list[Any], list[Any], list[int], list[Coordinate], int]:
    """Return the rows of LINK and JOINT, the signals of motors, all speeds by name, and the number of coordinates."""
    base, thetas = chain.base, [joint.theta for joint in chain.joints]
    motors: list[int] = []
    coordinates: list[Coordinate] = []
    if base.state != FIXED:
        coordinates += [Coordinate(base.joint or base.name, name, -1, length, False) for name in BASE_TRAVELS]
    if base.state == FLOATS:
        coordinates += [Coordinate(base.name, name, -1, 1.0, False) for name in BASE_TURNS]
    extra = 1 if base.state == FLOATS else 0  # a quaternion has one more number than there are speeds
    twist = _twist(base.alpha, thetas[0] if thetas else 0.0)
    end = places.add(0, _rigid_end(base.end))
    rigid = base.mass, base.moment, base.inertia.reshape(9)
    links: list[Any] = [(0, 0, extra + len(coordinates), len(coordinates), 0, 0, 0, end, 0, np.zeros(3), *rigid, twist)]
    links[0] += (np.ascontiguousarray(base.axes.T).reshape(9),)
    joints: list[Any] = [(0, -1, -1, -1, -1, -1, *[0.0] * 8, 0, 0)]
    modal = pairs = 0
    for i, (link, joint) in enumerate(zip(chain.links, chain.joints, strict=True)):
        way = length if joint.does == PRISMATIC else 1.0
        at_u, at_d = (-1, -1)
        if joint.state == FREE:
            at_u = len(coordinates)
            coordinates.append(Coordinate(joint.name, joint.coordinate, i, way, False))
        if joint.flexible:
            at_d = len(coordinates)
            coordinates.append(Coordinate(joint.name, DEFLECTION, i, SOFT * way, True))
        # one that is held needs no signal, nor the power of its driver
        moves = joint.state == DRIVEN and not isinstance(joint.motion, Constant)
        signal = signals.add(joint.motion) if moves and joint.motion is not None else -1
        first = len(motors)
        motors += [signals.add(effort) for effort in joint.efforts]
        in_q = [u + extra if u >= 0 else -1 for u in (at_u, at_d)]
        drive = joint.stiffness, joint.damping, joint.rotor
        numbers = joint.position, *drive, joint.spring, joint.pull, joint.stored, joint.damper
        joints.append((joint.does == PRISMATIC, in_q[0], at_u, signal, in_q[1], at_d, *numbers, first, len(motors)))
        station = places.add(i + 1, link.stations, link.station_mass, link.station_inertia)
        last = len(places.rows)
        shapes = Shapes(link.end[None], link.end_delta[None], link.end_psi[None], link.end_short[None])
        end = places.add(i + 1, shapes)
        u = len(coordinates)
        coordinates += _modal(link, i, length)
        rigid = link.mass, link.moment, link.inertia.reshape(9)
        twist = _twist(link.alpha, thetas[i + 1] if i + 1 < len(thetas) else 0.0)
        stiffens = bool(np.any(link.end_short) or np.any(link.stations.short))
        row = (link.m, modal, u + extra, u, pairs, station, last, end, stiffens, link.along, *rigid, twist)
        links.append((*row, np.ascontiguousarray(link.axes.T).reshape(9)))
        modal, pairs = modal + link.m, pairs + link.m**2
    return links, joints, motors, coordinates, len(coordinates) + extra


def _modal(link: LinkNumbers, i: int, length: float) -> list[Coordinate]:
    """Return the modal coordinates of a link; a unit of each deflects or turns some place by a small part of all."""
    result = []
    for j, name in enumerate(link.names):
        shapes = (link.stations.delta[:, :, j], link.end_delta[None, :, j])
        travel = max(float(np.abs(of).max(initial=0.0)) for of in shapes) / length
        turn = max(float(np.abs(of).max(initial=0.0)) for of in (link.stations.psi[:, :, j], link.end_psi[None, :, j]))
        result.append(Coordinate(link.name, name, i, SOFT / (max(travel, turn) or 1.0), True))
    return result


def _length(chain: Chain) -> float:
    """Return the chain's own length: rms distance of the origins of all links and the last end from their centroid."""
    origins, R, at = [np.zeros(3)], np.eye(3), np.zeros(3)
    links = [(chain.base.end, chain.base.alpha), *((link.end, link.alpha) for link in chain.links)]
    for (end, alpha), joint in zip(links, [*chain.joints, None], strict=True):
        at = at + R @ end
        R = R @ _twist(alpha, joint.theta + joint.position if joint else 0.0).reshape(3, 3)
        origins.append(at)
    every = np.array(origins[1:] if chain.base.state == FIXED else origins)
    length = float(np.sqrt(np.mean(np.sum((every - every.mean(axis=0)) ** 2, axis=1))))
    return length or 1.0
