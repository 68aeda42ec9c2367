"""From bodies and joints to vectors: the vector model of a mechanism, [J84] chapters II and III.

    bodies         directions of hinges and arms, rigid by dot products: groups.py                       [J84] (2)-(4)
    joints         a common direction, a kept angle, a vector along which it slides: joints/            [J84] (3)
    closed chains  one loop for each tie that is not needed to reach the bodies: graph.py               [J84] (6)
    drivers        known cosines and lengths; between moving bodies a dial                              [J84] (1)

A body that only arms along one line hold, as a coupler between two balls, may spin about that line. No vector tells, so
that its spin is a convention, zero, [J84] (9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.analyses.loops.graph import Graph, axis, graph, spans
from particlemech.analyses.loops.groups import INSIDE, Group, Sheet
from particlemech.analyses.loops.ties import Drive, VectorTie
from particlemech.analyses.vectors import Unknown, VectorModel, turned
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.signals import SignalSpec
from particlemech.model.space.mechanism import Mechanism, extent
from particlemech.model.spec import Vector3
from particlemech.rotations import beside

DIAL = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)  # start and axis of dials


@dataclass(frozen=True, eq=False)
class Draft:
    """A mechanism drawn with vectors."""

    mechanism: Mechanism
    graph: Graph
    groups: Mapping[str, Group]  # of each body and the ground
    model: VectorModel


def vector_model(mechanism: Mechanism) -> VectorModel:
    """Return the vector model of a mechanism in space: its vectors, loops and products, driven as it is.

    Parameters
    ----------
    mechanism
        Its joints may be of any kind but screws; where it is not driven, `judged` names the vectors left open.

    Raises
    ------
    ModelError
        If a joint cannot be written with vectors.

    Examples
    --------
    >>> import particlemech as pm
    >>> from particlemech.analyses.loops import vector_model
    >>> from particlemech.analyses.vectors import judged
    >>> model = vector_model(pm.models.load("rssr"))
    >>> model.relations["loop through B"].vectors
    ('ground from C to O', 'crank from O to A', 'coupler from A to B', 'rocker from B to C')
    >>> str(judged(model))
    'determined: 6 equations for 6 unknowns, rank 6'
    """
    return draft(mechanism).model


def draft(mechanism: Mechanism) -> Draft:
    """Return the vector model of a mechanism, and where its bodies are in it."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(
            'vectors are drawn of a mechanism of kind "spatial", got a '
            f"{getattr(mechanism, 'kind', type(mechanism).__name__)}; load one of that kind"
        )
    known, sheet = graph(mechanism), Sheet()
    groups = _groups(mechanism, known)
    dialled = _driven_from_ground(known, groups)
    for name, tie in known.ties.items():
        lengths = {drive.along: drive.motion for drive in known.drives.values() if drive.tie == name}
        _directions(sheet, name, tie, groups, lengths)
    for name, drive in dialled.items():
        _dial(sheet, name, known.ties[drive.tie], groups, drive)
    L = extent(mechanism)[1]
    for chord in known.chords:
        _loop(sheet, chord, known, groups, L)
    for group in dict.fromkeys(groups.values()):
        _held(sheet, group, mechanism, L)
    if not sheet.vectors:
        raise ModelError(f"{mechanism.name}: its joints let nothing move, so there are no vectors; free a joint")
    model = VectorModel(
        name=mechanism.name, gravity=mechanism.gravity, vectors=sheet.vectors, relations=sheet.relations
    )
    return Draft(mechanism, known, groups, model)


def _groups(mechanism: Mechanism, known: Graph) -> dict[str, Group]:
    """Return the group of each body: those turn as one that locked ties join."""
    sets: dict[str, tuple[str, ...]] = {body: (body,) for body in (GROUND, *mechanism.bodies)}
    for tie in known.ties.values():
        if tie.locked and sets[tie.first] != sets[tie.second]:
            both = sets[tie.first] + sets[tie.second]
            sets |= dict.fromkeys(both, both)
    made: dict[tuple[str, ...], Group] = {}
    for bodies in sets.values():
        name = GROUND if GROUND in bodies else bodies[0]
        made.setdefault(bodies, Group(name, bodies, fixed=GROUND in bodies))
    return {body: made[bodies] for body, bodies in sets.items()}


def _driven_from_ground(known: Graph, groups: Mapping[str, Group]) -> dict[str, Drive]:
    """Let groups that are driven about axes of the ground turn as known; return the drives between others."""
    rest = {}
    for name, drive in known.drives.items():
        tie = known.ties[drive.tie]
        if drive.along is not None:
            continue
        if groups[tie.first].fixed and not groups[tie.second].known:
            groups[tie.second].turns = (np.array(tie.common[0]), drive.motion)
        else:
            rest[name] = drive
    return rest


def _directions(
    sheet: Sheet, name: str, tie: VectorTie, groups: Mapping[str, Group], lengths: Mapping[int | None, SignalSpec]
) -> None:
    """Add the vectors of a tie; `lengths` are the driven ones, by the number of the slide."""
    first, second = groups[tie.first], groups[tie.second]
    names = spans(name, tie)
    travel: dict[str, Any] = {e: lengths.get(k, Unknown()) for k, e in enumerate(names)}
    if tie.rod is not None:
        along = np.subtract(tie.ends, tie.starts)
        guess = [Unknown(guess=float(p)) for p in along / np.linalg.norm(along)]
        sheet.vectors[names[0]] = {"direction": guess, "length": tie.rod}
    for u in tie.common:
        sheet.add(axis(name), np.array(u), (first, second), travel.get(axis(name), 1.0))
    for e, u in zip(names, tie.slides, strict=False):
        if e not in sheet.vectors:
            sheet.add(e, np.array(u), (first,), travel[e])
    if tie.angle is not None:
        both = f"first axis of {name}", f"second axis of {name}"
        for e, u, group in zip(both, tie.angle, (first, second), strict=True):
            sheet.add(e, np.array(u), (group,))
        cosine = float(np.dot(*tie.angle))
        sheet.relations[f"angle of {name}"] = {"type": "dot", "vectors": both, "cosine": cosine}


def _dial(sheet: Sheet, name: str, tie: VectorTie, groups: Mapping[str, Group], drive: Drive) -> None:
    """Add the dial of a driver between moving bodies, and the vectors that it turns."""
    m, n = beside(tie.common[0])
    sides = f"first side of {drive.tie}", f"second side of {drive.tie}", f"follower of {drive.tie}"
    of = (tie.first, tie.first, tie.second)
    for e, u, body in zip(sides, (m, n, n), of, strict=True):
        sheet.add(e, u, (groups[body],))
    dial = f"dial of {name}"
    sheet.vectors[dial] = {"direction": turned(*DIAL, drive.motion)}
    sheet.relations[f"turn of {name}"] = {"type": "turn", "vectors": sides, "dial": dial}


def _loop(sheet: Sheet, chord: str, known: Graph, groups: Mapping[str, Group], L: float) -> None:
    """Add the loop that a tie closes, head to tail; arms of one group count together.

    A loop whose arms all lie along shared axes, as that of shafts in line with their joint, closes by itself: no rows.
    """
    route = known.loop(chord)
    around: list[str] = []
    arms: dict[str, float] = {}
    for group in dict.fromkeys(groups[body] for body, _ in route.arms):
        total = np.sum([arm for body, arm in route.arms if groups[body] is group], axis=0)
        if float(np.linalg.norm(total)) <= INSIDE * L:
            continue
        touched = [e for e in route.ring if group in (groups[known.ties[e].first], groups[known.ties[e].second])]
        ends = touched[0], touched[-1]
        if group is groups[route.arms[0][0]]:  # where the loop begins and ends
            ends = touched[-1], touched[0]
        own, multiples = sheet.arm(group, total, f"{group.name} from {ends[0]} to {ends[1]}")
        around += own
        for e, k in multiples.items():  # a direction that two groups share may be in both arms
            arms[e] = arms.get(e, 0.0) + k
    arms = {e: k for e, k in arms.items() if abs(k) > INSIDE * L}
    around += [e if sign > 0.0 else f"-{e}" for e, sign in route.vectors]
    if around or arms:
        sheet.relations[f"loop through {chord}"] = {"type": "loop", "vectors": around, "arms": arms}


def _held(sheet: Sheet, group: Group, mechanism: Mechanism, L: float) -> None:
    """Give a moving group the two directions that tell how it stands, unless it may spin about the only one."""
    if group.fixed:
        return
    named = [e for e in group.basis if e.startswith(f"{group.name} from ")]
    if len(group.basis) == 1 and named and not group.known:
        u, places = group.drawn[named[0]], _places(group, mechanism)
        group.spins = all(np.linalg.norm(np.cross(u, np.subtract(p, places[0]))) <= 1e-9 * L for p in places)
    while len(group.basis) < 2 and not group.spins:
        sheet.second(group)


def _places(group: Group, mechanism: Mechanism) -> list[Vector3]:
    """Return the places of a group that must not depend on its spin: centres of mass, and where joints are."""
    joined = [joint.place(mechanism) for joint in mechanism.joints.values() if {*joint.bodies} & {*group.bodies}]
    return [*joined, *(mechanism.centre(body) for body in group.bodies)]
