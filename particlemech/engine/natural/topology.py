"""Topology in space: the graph of bodies cut into a spanning tree and cut joints, see graph.py.

A joint of the tree hands vectors over to the body it carries, which then needs fewer of its own (shared.py). So an edge
costs little where it hands over much: a weld everything, a slide all axes, a hinge place and axis; a ball or a cylinder
hand over one vector. A massless rod and a slot hand over none, and never carry a body.
"""

from __future__ import annotations

from particlemech.engine.graph import Edge, Topology, spanning
from particlemech.model.space.mechanism import Mechanism

__all__ = ["DEPTH", "Edge", "Topology", "cut", "edges"]

DEPTH = 12  # bodies in a chain before it is cut again


def edges(mechanism: Mechanism) -> list[Edge]:
    """Return the edges of all joints, in the order of the model; a coupling, which joins no bodies, is none."""
    return [Edge(name, spec, spec.first, spec.second) for name, spec in mechanism.joints.items() if spec.bodies]


def cut(mechanism: Mechanism, forced: tuple[str, ...] = (), depth: int = DEPTH) -> Topology:
    """Return a spanning tree of the mechanism; joints named in `forced` are cut."""
    return spanning(tuple(mechanism.bodies), edges(mechanism), forced, depth)
