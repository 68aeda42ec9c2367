"""Compiled: a tree as tables of numbers, and the places of its coordinates and speeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._jit import ArgumentGroup, described, table
from particlemech.engine.recursive import laws
from particlemech.engine.recursive.tables import BODY, SPIN, STAGE, TRAVEL, TURN, Tables
from particlemech.engine.recursive.topology import Topology
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, Signals
from particlemech.engine.system import Array, Scale
from particlemech.model.impulses import times
from particlemech.model.signals import SignalSpec
from particlemech.model.space.mechanism import Mechanism

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Coordinate:
    """One stage by name."""

    joint: str
    name: str
    driver: str | None  # that prescribes it
    turn: bool  # an angle rather than a length
    spins: bool  # one of three whose speeds are the components of an angular velocity

    @property
    def label(self) -> str:
        """The name of the joint and its own."""
        return f"{self.joint}.{self.name}"

    @property
    def speed(self) -> str:
        """The name of its speed: its own, or a component of the relative angular velocity, in parent axes."""
        return f"{self.joint}.omega{self.name[-1]}" if self.spins else self.label


@dataclass(frozen=True, eq=False)
class Compiled:
    """Tables of a tree; stages, bodies and joints in the order of the topology."""

    mechanism: Mechanism
    topology: Topology
    tables: Tables
    coordinates: tuple[Coordinate, ...]  # of all stages
    stages_of: Mapping[str, range]  # joint -> its stages
    quaternions: Mapping[str, int]  # joint -> place of its quaternion in q
    origins: Array  # (n_body + 1, 3) O in the drawing
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
    def paths(self) -> tuple[Any, Any]:
        """Return where the path of each body starts, (n_body + 2,), and the stages along all paths."""
        paths: list[list[int]] = [[]]
        for k, joint in zip(self.topology.parent, self.topology.joints, strict=True):
            paths.append([*paths[k], *self.stages_of[joint]])
        starts = np.cumsum([0, *(len(p) for p in paths)], dtype=np.int64)
        return starts, np.array([e for p in paths for e in p], dtype=np.int64)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """Return the stages whose speeds are unknown, in the order of v."""
        return tuple(e for e, c in enumerate(self.coordinates) if c.driver is None)


class Where:
    """Names to numbers, for the files of forces."""

    def __init__(self, mechanism: Mechanism, topology: Topology, signals: Signals) -> None:
        self.mechanism, self.topology, self.signals = mechanism, topology, signals
        self.origins = _origins(mechanism, topology)
        self.stages_of: dict[str, range] = {}
        self.coordinates: list[Coordinate] = []
        self.quaternions: dict[str, int] = {}  # joint -> its place in q

    def body(self, name: str) -> int:
        """Return the number of a body."""
        return self.topology.number(name)

    def ends(self, joint: str) -> tuple[int, int]:
        """Return the numbers of parent and child of a joint."""
        branch = self.topology.branches[self.topology.joints.index(joint)]
        return self.body(branch.parent), self.body(branch.child)

    def signal(self, spec: SignalSpec) -> int:
        """Return the number of a signal."""
        return self.signals.add(spec)

    def from_origin(self, place: str | Place | None, body: str) -> Place:
        """Return a place in body axes, from the body's O; for ground from the origin."""
        x, y, z = self.mechanism.place(place, body)
        ox, oy, oz = self.origins[self.body(body)]
        return x - ox, y - oy, z - oz

    def stages(self, joint: str, coordinate: str | None) -> tuple[int, int]:
        """Return first and last of the stages that a coordinate, or all angles of a spherical joint, stand for."""
        every = self.stages_of[joint]
        names = [self.coordinates[e].name for e in every]
        if coordinate is None and len(names) > 1:
            return every.stop - 3, every.stop
        first = every.start + (names.index(coordinate) if coordinate is not None else 0)
        return first, first + 1


def tabulate(mechanism: Mechanism, topology: Topology, time_scale: float = 1.0) -> Compiled:
    """Return the tables of a tree."""
    signals = Signals()
    where = Where(mechanism, topology, signals)
    stages, body, n_q, n_v = _stages(mechanism, topology, where)
    force_tables = [
        table(
            [kind.record(spec, where) for spec in mechanism.forces.values() if isinstance(spec, kind.SPEC)], kind.TABLE
        )
        for kind in laws.FILES
    ]
    tables = Tables(
        table(body, BODY),
        table(stages, STAGE),
        np.array(mechanism.gravity),
        table(signals.segments, SEGMENT),
        table(signals.signals, SIGNAL),
        *force_tables,
    )
    jumps = {b for s, *_ in signals.known for b in s.breaks() if b > 0.0}
    jumps |= times(mechanism)
    return Compiled(
        mechanism=mechanism,
        topology=topology,
        tables=tables,
        coordinates=tuple(where.coordinates),
        stages_of=where.stages_of,
        quaternions=where.quaternions,
        origins=where.origins,
        n_q=n_q,
        n_v=n_v,
        scale=_scale(mechanism, where, time_scale),
        breaks=tuple(sorted(jumps)),
        until=min((s.until() for s, *_ in signals.known), default=math.inf),
    )


def _origins(mechanism: Mechanism, topology: Topology) -> Array:
    """Return O of all bodies in the drawing, (n_body + 1, 3); that of the inertial frame is the origin."""
    return np.array([(0.0, 0.0, 0.0), *(mechanism.joints[name].place(mechanism) for name in topology.joints)])


def _stages(mechanism: Mechanism, topology: Topology, where: Where) -> tuple[list[Any], list[Any], int, int]:
    """Return the rows of STAGE and BODY, and how many coordinates and speeds there are; fill the names of `where`."""
    stages: list[Any] = []
    body: list[Any] = [(-1, 0, 0, -1, 0.0, (0.0,) * 3, (0.0,) * 3, (0.0,) * 6)]
    n_q = n_v = 0
    for i, (name, branch) in enumerate(zip(topology.bodies, topology.branches, strict=True), start=1):
        joint_name = branch.joint
        first, quaternion = len(stages), -1
        n = len(branch.stages)
        spins = mechanism.as_quaternion(joint_name)
        for k, stage in enumerate(branch.stages):
            driver = mechanism.driven.get((joint_name, stage.name))
            where.coordinates.append(Coordinate(joint_name, stage.name, driver, stage.turn, spins and k >= n - 3))
            does, at_q, at_u, signal = TURN if stage.turn else TRAVEL, -1, -1, -1
            if driver is not None:
                signal = where.signals.add(mechanism.drivers[driver].motion)
            else:
                at_u, n_v = n_v, n_v + 1
                if spins and k >= n - 3:
                    does = SPIN
                else:
                    at_q, n_q = n_q, n_q + 1
            stages.append((i, does, at_q, at_u, signal, stage.axis))
        if spins:
            quaternion, n_q = n_q, n_q + 4
            where.quaternions[joint_name] = quaternion
        parent = topology.parent[i - 1]
        xi = tuple(where.origins[i] - where.origins[parent])
        r = tuple(np.array(mechanism.centre(name)) - where.origins[i])
        numbers = mechanism.mass(name), xi, r, mechanism.inertia(name)
        body.append((parent, first, len(stages), quaternion, *numbers))
        where.stages_of[joint_name] = range(first, len(stages))
    return stages, body, n_q, n_v


def _scale(mechanism: Mechanism, where: Where, time: float) -> Scale:
    """Return the tree's own units: rms distance of joints, centres and points from their centroid, and all mass."""
    centres = [mechanism.centre(b) for b in mechanism.bodies]
    every = np.array([*where.origins[1:], *centres, *mechanism.points.values()])
    length = float(np.sqrt(np.mean(np.sum((every - every.mean(axis=0)) ** 2, axis=1))))
    mass = sum(mechanism.mass(b) for b in mechanism.bodies)
    if length == 0.0:  # one body about its own centre
        largest = max(max(mechanism.inertia(b)[:3]) for b in mechanism.bodies)
        length = math.sqrt(largest / mass) if mass > 0.0 and largest > 0.0 else 1.0
    return Scale(length, mass or 1.0, time)
