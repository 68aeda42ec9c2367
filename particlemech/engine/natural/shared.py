"""The coordinates that are integrated: along the spanning tree a body takes over what it has in common with its parent.

    place of the joint      r = P_parent - sum_k ((P - com).E_k) e_k        no r, no rows of a pin              (1)
    axis of the joint       e3 = u_parent, e1 and e2 its own                five rows keep them across u       (2)
    all axes                e_k = those of the parent                       none of its own                    (3)

Full coordinates Z (coordinates.py) are so linear in the vectors q that are left, with constant coefficients, and the
mass stays constant:

    Z = start + T q,        M_q = T^T M T                                                                      (4)

A joint that closes a loop holds the places and directions which two branches of the tree lead to. A pin there is

    sum of vectors along one branch - sum along the other = 0               the loop of vectors      [J84] (6) (5)

Angles that are coupled are coordinates besides: rows/coupling.py.
Bricard's six hinges need 30 coordinates and 30 rows instead of 60 and 60. Not used: two coordinates instead of six for
a body on a hinge of the ground, which would mix components in T; the loop of vectors for tree joints as rows.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.natural.coordinates import Coordinates, own_rows
from particlemech.engine.natural.frames import GLOBAL, GROUND_FRAME, Frame, Handed, RowPoly, triad
from particlemech.engine.natural.joints import BY_SPEC
from particlemech.engine.natural.topology import Edge, Topology
from particlemech.engine.natural.views import reading
from particlemech.engine.polynomials import Poly, Vec3
from particlemech.engine.system import Array
from particlemech.model.description import GROUND
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Vector3

NOTHING = Handed()


class Shared:
    """Vectors of all bodies along a spanning tree, and T and start of (4) by rows."""

    def __init__(self, coordinates: Coordinates, topology: Topology) -> None:
        self.coordinates, self.topology = coordinates, topology
        self.drawing: list[float] = []  # q as drawn
        self.is_place: list[bool] = []  # per vector of q: a length rather than a direction
        self.names: list[str] = []  # per vector of q: what it is
        self.own: dict[str, list[RowPoly]] = {}  # rows that keep each body rigid
        made: dict[str, Frame] = {}
        for name in topology.order:
            edge, parent = topology.tree.get(name), topology.parent[name]
            above = GROUND_FRAME if parent in (None, GROUND) else made[str(parent)]
            made[name] = self._frame(name, edge, above)
        self.frames = tuple(made[name] for name in coordinates.order)
        self.n_vector = len(self.drawing) // 3
        self.counters: dict[tuple[str, str], int] = {}  # coupled angles, (joint, coordinate): their numbers in q
        for end in _coupled(coordinates.mechanism):
            self.counters[end] = len(self.drawing)
            self.drawing.append(0.0)

    def _frame(self, name: str, edge: Edge | None, above: Frame) -> Frame:
        """Return the frame of a body that hangs on another by an edge, or floats."""
        hands = NOTHING if edge is None else BY_SPEC[type(edge.spec)].hands
        centre = self.coordinates.frames[self.coordinates.index[name]].centre
        drawn, now, self.own[name] = self._axes(name, edge, hands, above)
        if edge is None or not hands.place:
            return Frame(centre, self._new(f"r of {name}", centre, True), drawn, now)
        x, y, z = np.subtract(edge.spec.place(self.coordinates.mechanism), self.coordinates.origin).tolist()
        beside = Frame(centre, Vec3.constant(0.0, 0.0, 0.0), drawn, now)
        return Frame(centre, above.point((x, y, z)) - beside.point((x, y, z)), drawn, now)  # (1)

    def _axes(
        self, name: str, edge: Edge | None, hands: Handed, above: Frame
    ) -> tuple[tuple[Vector3, Vector3, Vector3], tuple[Vec3, Vec3, Vec3], list[RowPoly]]:
        """Return the unit vectors of a body, drawn and now, and the rows that hold them."""
        if hands.axes:
            return above.drawn, above.now, []  # (3)
        if edge is not None and hands.axis:
            m, n, u = triad(edge.spec.direction)
            now = self._new(f"m of {name}", m), self._new(f"n of {name}", n), above.direction(u)
            return (m, n, u), now, own_rows(*now, third=False)  # (2)
        one, two, three = (self._new(f"d{k} of {name}", d) for k, d in enumerate(GLOBAL, start=1))
        return GLOBAL, (one, two, three), own_rows(one, two, three)

    def _new(self, name: str, drawn: Vector3, is_place: bool = False) -> Vec3:
        """Return a vector of q."""
        vector = Vec3.variable(len(self.drawing))
        self.drawing += drawn
        self.is_place.append(is_place)
        self.names.append(name)
        return vector

    def sizes(self, length: float) -> Array:
        """Return what counts as a unit of each coordinate, (n_q,): a length for places, 1 for directions and angles."""
        vectors = np.repeat(np.where(self.is_place, length, 1.0), 3)
        return np.concatenate([vectors, np.ones(len(self.counters))])

    @cached_property
    def rows(self) -> list[Poly]:
        """Z by q, (12 n_body,): (4) as polynomials."""
        full = [v for f in self.frames for v in (f.r, *(f.direction(e) for e in GLOBAL))]
        return [poly for v in full for poly in (v.x, v.y, v.z)]

    @cached_property
    def T(self) -> list[dict[int, float]]:
        """T by rows, (12 n_body,): coordinate of q -> coefficient."""
        return [{j: c for (_, j, _), c in poly.terms.items() if j >= 0 and c} for poly in self.rows]

    @cached_property
    def start(self) -> list[float]:
        """What is constant in Z, (12 n_body,)."""
        return [poly.terms.get((-1, -1, 0), 0.0) for poly in self.rows]

    @cached_property
    def matrix(self) -> Array:
        """T, (12 n_body, n_q)."""
        T = np.zeros((len(self.T), len(self.drawing)))
        for k, row in enumerate(self.T):
            T[k, list(row)] = list(row.values())
        return T


def _coupled(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Return the angles that couplings tie together, stops bound or joints stick in, (joint, coordinate).

    Not where no turn is told.
    """
    couplings: list[Any] = [joint for joint in mechanism.joints.values() if not joint.bodies]
    ends = dict.fromkeys(end for coupling in couplings for end in coupling.ends(mechanism))
    ends |= dict.fromkeys((name, mechanism.joints[name].slides(mechanism)) for name in mechanism.sticking)
    return [(name, x) for name, x in ends if x.startswith("angle") and reading(mechanism.joints[name], x).turns]
