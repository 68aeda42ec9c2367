"""The spanning tree of a mechanism: what must hold whatever the graph."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from particlemech import joints, models
from particlemech.engine.particles.topology import DEPTH, cut, edges
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Body, Mechanism
from tests.support.strategies import mechanisms, shuffled

MANY = settings(max_examples=150)


def pins(pairs, n):
    """Return a graph of pins as a mechanism; its drawing does not matter."""
    points = {f"P{k}": (float(k), float(k % 3)) for k in range(len(pairs))}
    on = {f"b{i}": [f"P{k}" for k, pair in enumerate(pairs) if i + 1 in pair] for i in range(n)}
    names = [GROUND, *on]
    points |= {f"Q{i}": (0.0, float(i)) for i in range(n)}
    bodies = {
        b: Body(points=(*listed, f"Q{i}"), mass=1.0, com=(0.0, 0.0), inertia=1.0)
        for i, (b, listed) in enumerate(on.items())
    }
    named = {
        f"P{k}": joints.Revolute(point=f"P{k}", bodies=tuple(names[i] for i in pair)) for k, pair in enumerate(pairs)
    }
    return Mechanism(points=points, bodies=bodies, joints=named)


@st.composite
def graphs(draw):
    """Random graphs of pins, each of two or more bodies; with parallel edges and loose bodies."""
    n = draw(st.integers(1, 12))
    node = st.integers(0, n)
    pair = st.lists(node, min_size=2, max_size=4, unique=True).map(tuple)
    return pins(draw(st.lists(pair, max_size=15)), n)


any_mechanism = st.one_of(graphs(), mechanisms())


def roots(topology):
    return [b for b in topology.order if topology.parent[b] is None]


def components(nodes, pairs):
    """Return the number of connected components of a graph."""
    group = {n: {n} for n in nodes}
    for a, b in pairs:
        merged = group[a] | group[b]
        for n in merged:
            group[n] = merged
    return len({id(g) for g in group.values()})


def levels(topology):
    """Return how many bodies deep each body hangs in its chain."""
    level = {GROUND: 0}
    for b in topology.order:
        parent = topology.parent[b]
        level[b] = 1 if parent is None else level[parent] + 1
    return level


@MANY
@given(any_mechanism)
def test_cut_edges_are_the_loops(mechanism):
    topology = cut(mechanism)
    assert len(topology.cut) == len(edges(mechanism)) - len(mechanism.bodies) + len(roots(topology))


@MANY
@given(any_mechanism)
def test_no_chain_floats_that_a_joint_could_hold(mechanism):
    able = [(e.first, e.second) for e in edges(mechanism) if e.spec.tree is not None]
    topology = cut(mechanism, depth=10**6)
    assert len(roots(topology)) == components([GROUND, *mechanism.bodies], able) - 1


@MANY
@given(any_mechanism, st.integers(1, 4))
def test_parents_come_before_their_children_and_every_body_is_reached_once(mechanism, depth):
    topology = cut(mechanism, depth=depth)
    assert sorted(topology.order) == sorted(mechanism.bodies)
    seen = {GROUND}
    for b in topology.order:
        parent = topology.parent[b]
        assert (parent is None) == (b not in topology.tree)
        if parent is not None:
            assert parent in seen
            assert {topology.tree[b].first, topology.tree[b].second} == {b, parent}
            assert b in topology.children(parent)
        seen.add(b)


@MANY
@given(any_mechanism, st.integers(1, 4))
def test_every_edge_is_either_in_the_tree_or_cut(mechanism, depth):
    topology = cut(mechanism, depth=depth)
    used = [*topology.tree.values(), *topology.cut]
    ends = sorted((e.joint, e.first, e.second) for e in used)
    assert ends == sorted((e.joint, e.first, e.second) for e in edges(mechanism))


@MANY
@given(any_mechanism, st.data())
def test_forced_cuts_are_cut(mechanism, data):
    forced = tuple(data.draw(st.sets(st.sampled_from(sorted(mechanism.joints))))) if mechanism.joints else ()
    topology = cut(mechanism, forced)
    assert not {e.joint for e in topology.tree.values()} & set(forced)
    ties = {name for name, joint in mechanism.joints.items() if not joint.bodies}  # these are in no tree anyway
    assert set(forced) - ties <= {e.joint for e in topology.cut}
    assert len(topology.cut) == len(edges(mechanism)) - len(mechanism.bodies) + len(roots(topology))


@MANY
@given(any_mechanism, st.integers(1, 4))
def test_no_chain_is_deeper_than_the_limit_but_for_welds(mechanism, depth):
    topology = cut(mechanism, depth=depth)
    level = levels(topology)
    assert all(level[b] <= depth for b in topology.order if b not in topology.tree or topology.tree[b].spec.dof)


@MANY
@given(any_mechanism)
def test_kinds_that_carry_no_body_stay_out_of_the_tree(mechanism):
    assert all(e.spec.tree is not None for e in cut(mechanism).tree.values())


@MANY
@given(any_mechanism)
def test_the_same_mechanism_is_cut_the_same_way(mechanism):
    one, other = cut(mechanism), cut(mechanism)
    assert (one.order, one.parent, one.tree, one.cut) == (other.order, other.parent, other.tree, other.cut)


@MANY
@given(any_mechanism, st.integers(0, 2**16))
def test_the_number_of_cuts_does_not_depend_on_the_order_of_the_file(mechanism, seed):
    other = shuffled(mechanism, np.random.default_rng(seed))
    assert len(cut(other, depth=10**6).cut) == len(cut(mechanism, depth=10**6).cut)


def test_a_pin_of_n_bodies_is_n_minus_1_edges_from_the_ground_or_the_first():
    star = pins([(2, 0, 1, 3)], 3)
    assert [(e.first, e.second) for e in edges(star)] == [(GROUND, "b1"), (GROUND, "b0"), (GROUND, "b2")]
    free = pins([(2, 1, 3)], 3)
    assert [(e.first, e.second) for e in edges(free)] == [("b1", "b0"), ("b1", "b2")]
    assert len(cut(star).cut) == 0 and roots(cut(star)) == []
    assert len(cut(free).cut) == 0 and roots(cut(free)) == ["b0"]


def test_a_long_chain_is_cut_again_and_again():
    chain = models.chain(30)
    for depth, pieces in ((3, 10), (DEPTH, 3), (100, 1)):
        topology = cut(chain, depth=depth)
        assert len(topology.cut) == pieces - 1
        assert max(levels(topology).values()) == min(depth, 30)


def test_pins_are_preferred_to_slides_in_the_tree(planar_model):
    topology = cut(planar_model)
    slides = {name for name, j in planar_model.joints.items() if j.tree is not None and j.tree > 1.0}
    loops = sum(planar_model.joints[e.joint].tree is not None for e in topology.cut)  # gears carry no body anyway
    assert len(slides & {e.joint for e in topology.tree.values()}) <= max(0, len(slides) - loops)
