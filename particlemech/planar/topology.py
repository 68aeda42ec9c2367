"""Topology: the graph of bodies cut into a spanning tree and cut joints.

Nodes are bodies and the ground, edges are joints; a pin of n bodies is n - 1 edges. The tree is that of the
shortest paths from the ground, where an edge costs what its kind asks for: pins are cheap, slides are dear, and
a massless rod never carries a body. Short chains keep the Jacobian sparse, so a chain deeper than DEPTH is cut
again and its outboard piece floats. Bodies that no tree edge ties to the ground float too: three balance rows
of a whole chain replace its joint.
"""

from __future__ import annotations

from dataclasses import dataclass

from particlemech.description import GROUND
from particlemech.joints import JointSpec
from particlemech.mechanism import Mechanism

DEPTH = 12  # bodies in a chain before it is cut again


@dataclass(frozen=True)
class Edge:
    """One joint between two bodies."""

    joint: str
    spec: JointSpec
    first: str
    second: str


@dataclass(frozen=True)
class Topology:
    """A spanning tree; bodies in an order that puts parents before their children."""

    order: tuple[str, ...]
    parent: dict[str, str | None]  # None: the root of a floating chain
    tree: dict[str, Edge]  # body -> the edge to its parent (absent for roots)
    cut: tuple[Edge, ...]

    def children(self, body: str) -> list[str]:
        """Return the bodies whose parent is this one."""
        return [b for b in self.order if self.parent[b] == body]


def edges(mechanism: Mechanism) -> list[Edge]:
    """Return the edges of all joints: a star from the ground, or else from the first body of the joint."""
    result = []
    for name, spec in mechanism.joints.items():
        hub = GROUND if GROUND in spec.bodies and len(spec.bodies) > 2 else spec.bodies[0]
        result += [Edge(name, spec, hub, b) for b in spec.bodies if b != hub]
    return result


def cut(mechanism: Mechanism, forced: tuple[str, ...] = (), depth: int = DEPTH) -> Topology:
    """Return a spanning tree of the mechanism; joints named in `forced` are cut."""
    import networkx as nx  # here, because the explicit road needs no tree and starts faster without it

    graph = nx.MultiGraph()
    graph.add_nodes_from([GROUND, *mechanism.bodies])
    every = edges(mechanism)
    for k, edge in enumerate(every):
        if edge.spec.tree is not None and edge.joint not in forced:
            graph.add_edge(edge.first, edge.second, key=k, weight=edge.spec.tree)
    parent: dict[str, str | None] = {}
    tree: dict[str, Edge] = {}
    level: dict[str, int] = {GROUND: 0}
    order: list[str] = []
    # one root per component: the ground, then the first body that nothing has reached
    for root in [GROUND, *mechanism.bodies]:
        if root in level and root != GROUND:
            continue
        level.setdefault(root, 1)
        if root != GROUND:
            parent[root] = None
            order.append(root)
        distance, paths = nx.single_source_dijkstra(graph, root)
        for body in sorted(distance, key=lambda b: len(paths[b])):
            if body == root or body in level:
                continue
            above = paths[body][-2]
            k = min(graph[above][body], key=lambda k: (every[k].spec.tree, k))
            order.append(body)
            level[body] = level[above] + 1
            if level[body] > depth and every[k].spec.dof:
                parent[body], level[body] = None, 1
            else:
                parent[body], tree[body] = above, every[k]
    used = {id(edge) for edge in tree.values()}
    return Topology(tuple(order), parent, tree, tuple(e for e in every if id(e) not in used))
