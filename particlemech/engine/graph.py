"""The graph of bodies and joints, cut into a spanning tree and cut joints: in the plane and in space.

Nodes are bodies and the ground, edges are joints. The tree is that of the shortest paths from the ground, where an
edge costs what its kind asks for (`tree`; None: it never carries a body). Short chains keep the Jacobian sparse, so a
chain deeper than a limit is cut again and its outboard piece floats, as do bodies that no tree edge ties to the ground.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from particlemech.model.description import GROUND


@dataclass(frozen=True)
class Edge:
    """One joint between two bodies."""

    joint: str
    spec: Any  # as the user wrote it; `tree` and `dof` are read here
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

    def inward(self, body: str) -> list[str]:
        """Return a body and all it hangs on, up to its root, or to the ground and without it."""
        way: list[str] = []
        at: str | None = body
        while at is not None and at != GROUND:
            way.append(at)
            at = self.parent[at]
        return way

    def loop(self, edge: Edge) -> tuple[list[str], list[str]]:
        """Return the two branches of the loop that a cut edge closes: bodies outward from where they part.

        The first branch ends with the edge's first body, the other with its second; each is empty where the edge ends
        at the body, or at the ground, in which they meet.
        """
        one, other = (list(reversed(self.inward(b))) for b in (edge.first, edge.second))
        while one and other and one[0] == other[0]:
            one, other = one[1:], other[1:]
        return one, other


def spanning(bodies: Sequence[str], every: Sequence[Edge], forced: Iterable[str], depth: int) -> Topology:
    """Return a spanning tree of some edges; joints named in `forced` are cut, and chains deeper than `depth`."""
    import networkx as nx  # here, because explicit steps need no tree and starts faster without it

    graph, forced = nx.MultiGraph(), set(forced)
    graph.add_nodes_from([GROUND, *bodies])
    for k, edge in enumerate(every):
        if edge.spec.tree is not None and edge.joint not in forced:
            graph.add_edge(edge.first, edge.second, key=k, weight=edge.spec.tree)
    parent: dict[str, str | None] = {}
    tree: dict[str, Edge] = {}
    level: dict[str, int] = {GROUND: 0}
    order: list[str] = []
    # one root per component: the ground, then the first body that nothing has reached
    for root in [GROUND, *bodies]:
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


def bridges(links: Sequence[tuple[str, str]]) -> list[bool]:
    """Return which links between nodes lie in no loop; several may join the same two nodes."""
    at: dict[str, list[tuple[str, int]]] = {}
    for k, (a, b) in enumerate(links):
        at.setdefault(a, []).append((b, k))
        at.setdefault(b, []).append((a, k))
    # depth first: a link is in no loop if nothing beyond it leads back to where it came from, or before
    found, seen, low = [False] * len(links), dict[str, int](), dict[str, int]()
    for root in at:
        if root in seen:
            continue
        seen[root] = low[root] = len(seen)
        path = [(root, -1, iter(at[root]))]
        while path:
            node, came, rest = path[-1]
            for other, k in rest:
                if k == came:
                    continue
                if other in seen:
                    low[node] = min(low[node], seen[other])
                    continue
                seen[other] = low[other] = len(seen)
                path.append((other, k, iter(at[other])))
                break
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                    found[came] = low[node] > seen[above]
    return found


def in_no_loop(
    nodes: Sequence[str], edges: Mapping[str, tuple[str, ...]], loose: Mapping[str, tuple[str, ...]]
) -> set[str]:
    """Return the names of the edges that close no loop; a loose edge counts only where nothing else joins its ends."""
    import networkx as nx

    graph = nx.MultiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((*ends, name) for name, ends in edges.items())
    for name, ends in loose.items():
        if not nx.has_path(graph, *ends):
            graph.add_edge(*ends, key=name)
    alone = {frozenset(edge) for edge in nx.bridges(nx.Graph(graph)) if graph.number_of_edges(*edge) == 1}
    return {name for one, other, name in graph.edges(keys=True) if frozenset((one, other)) in alone}
