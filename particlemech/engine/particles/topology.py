"""Topology: the graph of bodies cut into a spanning tree and cut joints, see graph.py.

A pin of n bodies is n - 1 edges. Pins are cheap, slides are dear, and a massless rod never carries a body. Three
balance rows of a whole chain replace the joint of a chain that floats.
"""

from __future__ import annotations

from particlemech.engine.graph import Edge, Topology, spanning
from particlemech.model.mechanism import Mechanism

__all__ = ["DEPTH", "Edge", "Topology", "cut", "edges"]

DEPTH = 12  # bodies in a chain before it is cut again


def edges(mechanism: Mechanism) -> list[Edge]:
    """Return the edges of all joints, see `links` of model/joint.py."""
    every = ((name, link) for name, spec in mechanism.joints.items() for link in spec.links(mechanism))
    return [Edge(name, spec, first, second) for name, (first, second, spec) in every]


def cut(mechanism: Mechanism, forced: tuple[str, ...] = (), depth: int = DEPTH) -> Topology:
    """Return a spanning tree of the mechanism; joints in `forced` are cut, and those whose load makes friction."""
    dry = [name for name, joint in mechanism.joints.items() if joint.friction is not None and joint.friction.dry]
    return spanning(tuple(mechanism.bodies), edges(mechanism), (*forced, *dry), depth)
