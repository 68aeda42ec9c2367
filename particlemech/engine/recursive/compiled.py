"""Compiled: a mechanism as tables of numbers, and the places of its coordinates and speeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._jit import ArgumentGroup, Records, described, table
from particlemech.engine.bending.assembly import spared
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.elements import Elements, instants
from particlemech.engine.recursive import laws, ties
from particlemech.engine.recursive.courses import courses
from particlemech.engine.recursive.forms import CLOSING, COURSE, FRICTION, PAIR, PASSING, ROW, SOFT
from particlemech.engine.recursive.laws import elastic, governed
from particlemech.engine.recursive.rubbing import surfaces
from particlemech.engine.recursive.tables import BODY, LINK, MODE, PLACE, SPIN, STAGE, TRAVEL, TURN, Tables
from particlemech.engine.recursive.ties.deflections import DEFLECTION
from particlemech.engine.recursive.topology import COPY, ROTOR, SECTION, Frame, Topology
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, Signals
from particlemech.engine.system import Array, Row, Scale, regularisation
from particlemech.errors import part
from particlemech.model.description import GROUND
from particlemech.model.impulses import times
from particlemech.model.signals import SignalSpec
from particlemech.model.space.friction import drags
from particlemech.model.space.joints import Stage
from particlemech.model.space.joints.base import ANGLES
from particlemech.model.space.mechanism import Mechanism

Place = tuple[float, float, float]
Numbers = tuple[float, Any, Any]  # mass, centre in the drawing, inertia about it

DEFLECTS = 1e-2  # of the mechanism's length, or rad: what counts as a unit of a deflection
# a copy of a section of a bending body has this part of the mass of the body, or of what can be taken from the section
LITTLE, SPARED = 1e-2, 0.1
AFLOAT = " afloat"  # after the name of a body: what carries it where no joint does


@dataclass(frozen=True)
class Coordinate:
    """One stage by name."""

    joint: str  # or the body whose modal coordinate it is
    name: str
    driver: str | None  # that prescribes it
    turn: bool  # an angle rather than a length
    spins: bool  # one of three whose speeds are the components of an angular velocity
    deflects: bool = False  # a modal coordinate, or the deflection of a drive

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
    """Tables of a mechanism; stages, bodies and joints in the order of the topology."""

    mechanism: Mechanism
    topology: Topology
    tables: Tables
    coordinates: tuple[Coordinate, ...]  # of all stages
    stages_of: Mapping[str, range]  # joint -> its stages
    modes_of: Mapping[str, tuple[int, ...]]  # bending body -> its modal stages, one part after the other
    quaternions: Mapping[str, int]  # joint -> place of its quaternion in q
    origins: Array  # (n_body + 1, 3) O in the drawing
    rows: tuple[Row, ...]
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
        """Return where the path of each body starts, (n_body + 2,), and the stages along all paths; of rigid bodies."""
        paths: list[list[int]] = [[]]
        for body in self.tables.body[1:]:
            paths.append([*paths[body["parent"]], *range(body["first"], body["last"])])
        starts = np.cumsum([0, *(len(p) for p in paths)], dtype=np.int64)
        return starts, np.array([e for p in paths for e in p], dtype=np.int64)

    @cached_property
    def elements(self) -> Elements:
        """What is asked for its efforts, and its states."""
        return Elements(self.mechanism)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """Return the stages whose speeds are unknown, in the order of v."""
        return tuple(np.argsort(np.where(self.tables.stage["u"] < 0, 10**9, self.tables.stage["u"]))[: self.n_v])


class Where:
    """Names to numbers, for the records of forces and rows."""

    def __init__(
        self, mechanism: Mechanism, topology: Topology, signals: Signals, prescribes: bool, leads: bool
    ) -> None:
        self.mechanism, self.topology, self.signals = mechanism, topology, signals
        self.prescribes = prescribes  # drivers of coordinates prescribe them, or else are rows
        self.leads = leads  # rows lead deflections to where they start
        self.origins = np.array([(0.0, 0.0, 0.0), *(frame.origin for frame in topology.frames)])
        self.stages_of: dict[str, range] = {}
        self.modes_of: dict[str, tuple[int, ...]] = {}
        self.coordinates: list[Coordinate] = []
        self.quaternions: dict[str, int] = {}  # joint -> its place in q

    def body(self, name: str) -> int:
        """Return the number of a body, where it is carried."""
        return self.topology.number(name)

    def ends(self, joint: str) -> tuple[int, int]:
        """Return the numbers of the frames before and behind a joint."""
        child = self.topology.carried[joint]
        return self.topology.parent[self.topology.nearest(child) - 1], child

    def signal(self, spec: SignalSpec) -> int:
        """Return the number of a signal."""
        return self.signals.add(spec)

    def spot(self, place: str | Place | None, body: str) -> tuple[int, Place]:
        """Return the frame on which a place of a body is, and the place from its O, frame axes."""
        at = self.mechanism.place(place, body) if body != GROUND else self._of_ground(place)
        i = self.topology.spot(body, at)
        x, y, z = (np.array(at) - self.origins[i]).tolist()
        return i, (x, y, z)

    def _of_ground(self, place: str | Place | None) -> Place:
        return self.mechanism.place(place, GROUND) if place is not None else (0.0, 0.0, 0.0)

    def stages(self, joint: str, coordinate: str | None) -> tuple[int, int]:
        """Return first and last of the stages that a coordinate, or all angles of a spherical joint, stand for."""
        every, known = self.stages_of[joint], self.mechanism.joints[joint].coordinate_names
        names = [self.coordinates[e].name for e in every]
        if coordinate is None and len(known) > 1:
            return every.stop - 3, every.stop
        first = every.start + names.index(known[0] if coordinate is None else coordinate)
        return first, first + 1


def tabulate(
    mechanism: Mechanism, topology: Topology, time_scale: float = 1.0, prescribes: bool = True, leads: bool = False
) -> Compiled:
    """Return the tables of a mechanism; drivers of coordinates prescribe them, or else are rows.

    If it `leads`, deflections have rows too, which take them from zero to where they start.
    """
    signals = Signals()
    where = Where(mechanism, topology, signals, prescribes, leads)
    scale = _scale(mechanism, where, time_scale)
    made = _Stages(where, scale)
    for i, frame in enumerate(topology.frames, start=1):
        made.add(i, frame)
    tied = ties.every(mechanism, where)
    rows = tuple(Row(part, bool(tie.angle), k) for k, (part, tie) in enumerate(tied))
    elements = governed.records(Elements(mechanism), where)
    force_tables = [table(_records(mechanism, kind, where), kind.TABLE) for kind in laws.FILES]
    every = (
        table(made.body, BODY),
        table(made.stages, STAGE),
        np.array(mechanism.gravity),
        table(signals.segments, SEGMENT),
        table(signals.signals, SIGNAL),
        *force_tables,
        table(made.elastic(), elastic.TABLE),
        table([tuple(tie) for _, tie in tied], ROW),
        soft(scale, rows),
        *made.courses([tie for _, tie in tied]),
        table(made.links, LINK),
        table(made.places, PLACE),
        _flat(made.delta, 3),
        _flat(made.psi, 3),
        np.concatenate([np.zeros(0), *made.short]),
        *elements,
        table(surfaces(mechanism, where, [(part, tie.form) for part, tie in tied]), FRICTION),
    )
    tables = Tables(*every)
    jumps = {b for s, *_ in signals.known for b in s.breaks() if b > 0.0}
    jumps |= times(mechanism) | instants(mechanism)
    return Compiled(
        mechanism=mechanism,
        topology=topology,
        tables=tables,
        coordinates=tuple(where.coordinates),
        stages_of=where.stages_of,
        modes_of=where.modes_of,
        quaternions=where.quaternions,
        origins=where.origins,
        rows=rows,
        n_q=made.n_q,
        n_v=made.n_v,
        scale=scale,
        breaks=tuple(sorted(jumps)),
        until=min((s.until() for s, *_ in signals.known), default=math.inf),
    )


def _records(mechanism: Mechanism, kind: Any, where: Where) -> list[Any]:
    """Return the rows of the table of one law."""
    found: list[Any] = []
    for name, spec in mechanism.forces.items():
        if isinstance(spec, kind.SPEC):
            with part(f'force "{name}"'):
                found += kind.records(spec, where)
    if kind is laws.torsion:
        found += [record for drag in drags(mechanism) for record in kind.records(drag, where)]
    return found


def soft(scale: Scale, rows: tuple[Row, ...]) -> Records:
    """Return how much rows give way, as a table."""
    return table(list(zip(*regularisation(scale, rows), strict=True)), SOFT)


def _flat(arrays: Sequence[Array], width: int) -> Array:
    """Return rows of shapes one below the other."""
    return np.ascontiguousarray(np.concatenate([np.zeros((0, width)), *arrays]), dtype=float)


class _Stages:
    """Collects the rows of BODY, STAGE, LINK and PLACE; fills the names of `where`."""

    def __init__(self, where: Where, scale: Scale) -> None:
        self.where, self.scale = where, scale
        self.n_q = self.n_v = 0
        self.stages: list[Any] = []
        self.body: list[Any] = [(-1, 0, 0, -1, 0.0, (0.0,) * 3, (0.0,) * 3, (0.0,) * 6, False, -1, -1, 0, 0)]
        self.links: list[Any] = []
        self.places: list[Any] = []
        self.delta: list[Array] = []
        self.psi: list[Array] = []
        self.short: list[Array] = []
        self.at = self.short_at = self.pairs = 0
        self.parts: dict[int, tuple[LinkNumbers, int]] = {}  # frame -> its numbers and its first modal stage

    def add(self, i: int, frame: Frame) -> None:
        """Add frame i."""
        where, first = self.where, len(self.stages)
        quaternion = self._add_stages(i, frame)
        last = len(self.stages)
        xi = tuple(where.origins[i] - where.origins[frame.parent])
        mass, centre, inertia = self._own(i, frame)
        r = tuple(np.array(centre) - where.origins[i])
        place, link, mode, modes = -1, -1, 0, 0
        if frame.shapes is not None:
            of, mode = self.parts[frame.parent]
            place, modes = self._add_places(frame.parent, frame.shapes), of.m
        if frame.link is not None:
            mode, modes, link = len(self.stages), frame.link.m, len(self.links)
            self.parts[i] = frame.link, mode
            self._add_modes(i, frame)
            stations = frame.link.stations
            begin = self._add_places(i, stations, frame.link.station_mass, frame.link.station_inertia)
            stiffens = bool(np.any(frame.link.end_short) or np.any(stations.short))
            rigid = frame.link.mass, frame.link.moment, frame.link.inertia.reshape(9)
            self.links.append((self.pairs, begin, len(self.places), stiffens, frame.link.along, *rigid))
            self.pairs += frame.link.m**2
        rests = frame.role == COPY and frame.body == GROUND
        own = mass, xi, r, inertia, rests, place, link, mode, modes
        self.body.append((frame.parent, first, last, quaternion, *own))

    def _own(self, i: int, frame: Frame) -> Numbers:
        """Return mass, centre and inertia of the rigid frame i."""
        m, topology, nothing = self.where.mechanism, self.where.topology, (0.0,) * 6
        if frame.link is not None:
            return 0.0, frame.origin, nothing
        if frame.role == ROTOR:
            rotor, stage = m.joints[frame.joint].drive.rotor, m.joints[frame.joint].stages[0]  # type: ignore
            if not stage.turn:
                return rotor, frame.origin, nothing
            x, y, z = stage.axis
            return 0.0, frame.origin, tuple(rotor * c for c in (x * x, y * y, z * z, x * y, x * z, y * z))
        if frame.role == SECTION:
            # what copies of it have is taken from it again
            copies = sum(cut.copied and cut.first == i for cut in topology.cuts)
            mass, _, inertia = self._little(i) if copies else (0.0, frame.origin, nothing)
            return -copies * mass, frame.origin, tuple(-copies * c for c in inertia)
        if frame.role == COPY and frame.body == GROUND:  # any inertia will do: it rests
            about = self.scale.mass * self.scale.length**2
            return self.scale.mass, frame.origin, (about, about, about, 0.0, 0.0, 0.0)
        if frame.role == COPY and m.bodies[frame.body].bends:
            return self._little(next(cut.first for cut in topology.cuts if cut.second == i))
        share = topology.share(frame.body)
        inertia = tuple(share * of for of in m.inertia(frame.body))
        return share * m.mass(frame.body), m.centre(frame.body), inertia

    def _little(self, i: int) -> Numbers:
        """Return a little mass and inertia for a copy of section i, beside that of its bending body."""
        topology = self.where.topology
        frame = topology.frames[i - 1]
        links = [topology.frames[k - 1].link for k in topology.parts(frame.body)]
        of = topology.frames[frame.parent - 1].link
        copies = sum(cut.copied and topology.frames[cut.second - 1].body == frame.body for cut in topology.cuts)
        assert of is not None and frame.shapes is not None
        mass, R = spared([link for link in links if link is not None], of.part, frame.shapes)
        share = min(SPARED / copies, LITTLE * mass_of(self.where.mechanism, frame.body, topology) / mass)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (share * R).tolist()
        return share * mass, frame.origin, (xx, yy, zz, xy, xz, yz)

    def _add_stages(self, i: int, frame: Frame) -> int:
        """Add the stages of the joint of a frame; return the place of its quaternion, or -1."""
        where, m = self.where, self.where.mechanism
        if not frame.joint:
            return -1
        n, first = len(frame.stages), len(self.stages)
        spins = frame.joint.endswith(AFLOAT) or (frame.joint in m.joints and m.as_quaternion(frame.joint))
        for k, stage in enumerate(frame.stages):
            spinning = spins and k >= n - 3
            if spinning:  # in parent axes, whichever way the joint leads
                stage = ANGLES[k - n + 3]
            self._add_stage(i, frame.joint, stage, spinning)
        before = where.stages_of.get(frame.joint)
        where.stages_of[frame.joint] = range(before.start if before is not None else first, len(self.stages))
        if not spins:
            return -1
        where.quaternions[frame.joint] = self.n_q
        self.n_q += 4
        return self.n_q - 4

    def _add_stage(self, i: int, joint: str, stage: Stage, spins: bool) -> None:
        """Add one stage."""
        where, m = self.where, self.where.mechanism
        driver = m.driven.get((joint, stage.name)) if where.prescribes else None
        deflects = stage.name == DEFLECTION
        where.coordinates.append(Coordinate(joint, stage.name, driver, stage.turn, spins, deflects))
        does, at_q, at_u, signal = TURN if stage.turn else TRAVEL, -1, -1, -1
        if driver is not None:
            signal = where.signals.add(m.drivers[driver].motion)
        else:
            at_u, self.n_v = self.n_v, self.n_v + 1
            if spins:
                does = SPIN
            else:
                at_q, self.n_q = self.n_q, self.n_q + 1
        size = (1.0 if stage.turn else self.scale.length) * (DEFLECTS if deflects else 1.0)
        self.stages.append((i, does, at_q, at_u, signal, stage.axis, size))

    def _add_modes(self, i: int, frame: Frame) -> None:
        """Add the modal stages of a part; a unit of each deflects or turns some place by a small part of all."""
        where, link = self.where, frame.link
        assert link is not None
        first = len(self.stages)
        for j, name in enumerate(link.names):
            where.coordinates.append(Coordinate(frame.body, name, None, False, False, True))
            shapes = (link.stations.delta[:, :, j], link.end_delta[None, :, j])
            travel = max(float(np.abs(of).max(initial=0.0)) for of in shapes) / self.scale.length
            turns = (link.stations.psi[:, :, j], link.end_psi[None, :, j])
            turn = max(float(np.abs(of).max(initial=0.0)) for of in turns)
            size = DEFLECTS / (max(travel, turn) or 1.0)
            # the axis of a mode is what it turns the end of its part by
            self.stages.append((i, MODE, self.n_q, self.n_v, -1, tuple(link.end_psi[:, j]), size))
            self.n_q, self.n_v = self.n_q + 1, self.n_v + 1
        where.modes_of[frame.body] = (*where.modes_of.get(frame.body, ()), *range(first, len(self.stages)))

    def _add_places(self, i: int, shapes: Shapes, mass: Array | None = None, inertia: Array | None = None) -> int:
        """Add places of a part; return the number of the first."""
        first, m = len(self.places), shapes.delta.shape[2]
        for k in range(len(shapes.x)):
            weight = 0.0 if mass is None else float(mass[k])
            tensor = np.zeros(9) if inertia is None else inertia[k].reshape(9)
            self.places.append((i, self.at, self.short_at, shapes.x[k], weight, tensor))
            self.at, self.short_at = self.at + m, self.short_at + m * m
            self.delta.append(shapes.delta[k].T)
            self.psi.append(shapes.psi[k].T)
            self.short.append(shapes.short[k].reshape(-1))
        return first

    def courses(self, ties: list[Any]) -> tuple[Records, ...]:
        """Return the tables of the elimination."""
        parent, of_stage = [max(0, body[0]) for body in self.body], [stage[0] for stage in self.stages]
        counts = Counter(stage[0] for stage in self.stages if stage[3] >= 0)
        free = [counts[i] for i in range(len(parent))]
        sections = [body[-4] >= 0 for body in self.body]
        found = courses(ties, parent, of_stage, free, sections)
        return tuple(table(rows, kind) for rows, kind in zip(found, (COURSE, PASSING, CLOSING, PAIR), strict=True))

    def elastic(self) -> list[tuple[int, int, float, float]]:
        """Return what deflections do to each other: modes of parts, and drives that yield."""
        found, where = [], self.where
        for i, (link, mode) in self.parts.items():
            every = where.modes_of[where.topology.frames[i - 1].body]
            own = every.index(mode)
            K = np.zeros((link.m, len(every)))
            K[:, own : own + link.m] = link.K
            for j in range(link.m):
                for e, k, c in zip(every, K[j], link.C[j], strict=True):
                    if k or c:
                        found.append((mode + j, e, float(k), float(c)))
        for e, coordinate in enumerate(where.coordinates):
            if coordinate.name == DEFLECTION:
                drive = where.mechanism.joints[coordinate.joint].drive  # type: ignore[attr-defined]
                found.append((e, e, drive.stiffness, drive.damping))
        return found


def mass_of(mechanism: Mechanism, body: str, topology: Topology) -> float:
    """Return the mass of a body, rigid or bending."""
    if not mechanism.bodies[body].bends:
        return mechanism.mass(body)
    links = [frame.link for frame in topology.frames if frame.body == body and frame.link is not None]
    return float(sum(link.mass + link.station_mass.sum() for link in links))


def _scale(mechanism: Mechanism, where: Where, time: float) -> Scale:
    """Return the mechanism's own units: rms distance of joints, centres and points from their centroid, all mass."""
    centres = [mechanism.centre(b) for b in mechanism.bodies]
    joints = [where.origins[where.body(b)] for b in mechanism.bodies]
    every = np.array([*joints, *centres, *mechanism.points.values()])
    length = float(np.sqrt(np.mean(np.sum((every - every.mean(axis=0)) ** 2, axis=1))))
    mass = sum(mass_of(mechanism, b, where.topology) for b in mechanism.bodies)
    for joint in mechanism.joints.values():
        drive: Any = getattr(joint, "drive", None)
        if drive is not None and joint.stages and not joint.stages[0].turn:
            mass += drive.rotor
    if length == 0.0:  # one body about its own centre
        largest = max(max(mechanism.inertia(b)[:3]) for b in mechanism.bodies)
        length = math.sqrt(largest / mass) if mass > 0.0 and largest > 0.0 else 1.0
    return Scale(length, mass or 1.0, time)
