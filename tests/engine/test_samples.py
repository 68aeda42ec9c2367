"""Loops over samples say what every sample alone says: projection, accelerations, reactions and what is determined."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import forces, joints
from particlemech.engine.particles.stresses import blocks
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Body, Initial, Mechanism
from particlemech.run.preparing import prepared, prepared_explicit, refused
from tests.support import one_by_one
from tests.support.shipped import rubs
from tests.support.strategies import random_mechanism

MODELS = [name for name in pm.models.names() if isinstance(pm.models.load(name), Mechanism)]
WAYS = ("explicit", "particles", "absolute")
RANDOM = 40  # mechanisms
SAME = 1e-9  # of the largest; observed 2e-13 on 150 random mechanisms
STILL = 1e-3  # 1/s^2: accelerations below this times L are rest


def systems(mechanism):
    """Give the systems of a mechanism and their starts, by way."""
    if refused(mechanism, "particles") is None:
        yield prepared_explicit(mechanism)
    yield from (prepared(mechanism, formulation) for formulation in ("particles", "absolute"))


def around(system, begin, rng, K=4):
    """Return K states near a start, none of which satisfies the rows, but for the first."""
    L = system.scale.length
    q, v = (np.array(of) + 1e-3 * L * rng.normal(size=(K, system.n_q)) for of in (begin.q, begin.v))
    q[0], v[0] = begin.q, begin.v
    x = np.tile(begin.x, (K, 1))
    x[:, :-1] += 0.01 * rng.normal(size=x[:, :-1].shape)
    return 0.01 * np.arange(K), q, v, x


def missed(found, right, rest=0.0):
    """Return the largest difference, of the largest value."""
    size = max(float(np.max(np.abs(right), initial=0.0)), rest, 1e-300)
    return float(np.max(np.abs(found - right), initial=0.0)) / size


def compared(system, t, q, v, x, project=True):
    """Hold all that a system says of many samples against the samples alone; return their reactions."""
    if project and system.n_row:
        assert missed(system.closure_of(t, q, v, x)[0], one_by_one.closure_of(system, t, q, v)[0], 1e-9) < SAME
        assert missed(system.closure_of(t, q, v, x)[1], one_by_one.closure_of(system, t, q, v)[1], 1e-9) < SAME
        together, (q, v) = system.projected_of(t, q, v, x), one_by_one.projected_of(system, t, q, v)
        assert max(missed(*of) for of in zip(together, (q, v), strict=True)) < SAME
    a = one_by_one.accelerations_of(system, t, q, v, x)
    rest = STILL * system.scale.length
    assert missed(system.accelerations_of(t, q, v, x), a, rest) < SAME
    # with friction totals are more than what balances: tests/run/test_friction.py
    found = (system._smooth_reactions if rubs(system.mechanism) else system.reactions_of)(t, q, v, a, x)
    right, condition = one_by_one.reactions_of(system, t, q, v, a, x)
    assert np.array_equal(found.known, right.known)
    assert np.array_equal(found.effort_known, right.effort_known)
    assert missed(found.value, right.value, rest * system.scale.mass) < SAME * max(1.0, 1e-4 * condition.max())
    assert missed(found.effort, right.effort, rest * system.scale.mass) < SAME * max(1.0, 1e-4 * condition.max())
    assert missed(system.conditions_of(t, q), condition) < SAME * max(1.0, 1e-4 * condition.max())
    return found


@pytest.mark.parametrize("name", MODELS)
def test_samples_of_shipped_models_are_as_each_alone(name):
    rng = np.random.default_rng(3)
    for system, begin in systems(pm.models.load(name)):
        compared(system, *around(system, begin, rng))


def test_samples_of_random_mechanisms_are_as_each_alone(tally):
    for seed in range(RANDOM):
        rng = np.random.default_rng(seed)
        mechanism = random_mechanism(rng)
        for system, begin in systems(mechanism):
            found = compared(system, *around(system, begin, rng))
            tally["systems"] += 1
            tally["redundant"] += not found.known.all()
            tally["driven"] += bool(mechanism.drivers)
    assert tally["systems"] >= 2 * RANDOM
    assert tally["redundant"] >= RANDOM // 4
    assert tally["driven"] >= RANDOM // 4


def test_a_singular_pose_between_others_has_its_own_rank():
    # cranks flat on the ground: the couplers' forces along the line are not determined there, and only there
    cranks = pm.models.load("n_four_bar").replaced(initial=Initial())
    shared, first = prepared_explicit(cranks)
    for system, begin in systems(cranks):
        poses = [_turned(system, begin, shared, first, angle) for angle in (0.3, 0.0, 0.7, 1e-12, 1e-3)]
        t, q = np.zeros(len(poses)), np.array(poses)
        v, x = np.zeros_like(q), np.tile(begin.x, (len(q), 1))
        found = compared(system, t, q, v, x, project=False)
        assert [bool(known.all()) for known in found.known] == [True, False, True, False, True]


def _turned(system, begin, shared, first, angle):
    """Return the coordinates of the two four-bars with cranks at an angle to the ground."""
    u = np.array([np.cos(angle), np.sin(angle)])
    foot = {"crank0": (0.0, 0.0), "crank1": (1.0, 0.0), "crank2": (2.0, 0.0)}
    foot |= {"coupler1": tuple(u), "coupler2": (u[0] + 1.0, u[1])}
    way = {name: u if name.startswith("crank") else np.array([1.0, 0.0]) for name in foot}
    lay, q = system.layout, np.array(begin.q)
    if system.formulation == "absolute":
        drawn = {name: np.pi / 2 if name.startswith("crank") else 0.0 for name in foot}
        for b, name in enumerate(lay.bodies):
            centre = np.array(foot[name]) + 0.5 * way[name] - system._c.origin
            q[3 * b : 3 * b + 3] = *centre, (angle if name.startswith("crank") else 0.0) - drawn[name]
        return q
    # all coordinates of the shared system are those of points: solve for them, and carry them over if need be
    still = shared.motion(first.q[None], first.v[None], first.a[None], first.x[None]).point[0]
    at, wanted = [], []
    for p, name in enumerate(lay.points):
        rows = shared.observed.point_rows(p)
        place = np.array([float(name[1]), 0.0]) + (u if name[0] == "B" else 0.0)
        at += list(rows)
        wanted += list(place - still[p] + rows @ first.q)
    y = np.zeros((1, shared.n))
    y[0, shared.layout.q] = np.linalg.lstsq(np.array(at), np.array(wanted), rcond=1e-12)[0]
    return y[0, shared.layout.q] if system.n_q == shared.n_q else system.adopted(shared, y[0])[lay.q]


def test_a_body_held_twice_has_three_self_stresses_and_known_sums():
    points = {"A": (0.0, 0.0), "B": (1.0, 0.2), "C": (2.0, 0.1)}
    arm = Mechanism(
        name="welded twice",
        gravity=(0.0, -9.81),
        points=points,
        bodies={"arm": Body(points=("A", "B"), mass=2.0), "tip": Body(points=("B", "C"), mass=1.0)},
        joints={
            "A": joints.Weld(point="A", bodies=(GROUND, "arm")),
            "B": joints.Weld(point="B", bodies=(GROUND, "arm")),
            "C": joints.Revolute(point="B", bodies=("arm", "tip")),
        },
    )
    for system, begin in systems(arm):
        t, q, v, x = np.zeros(1), begin.q[None], begin.v[None], begin.x[None]
        found = compared(system, t, q, v, x)
        lay = system.layout
        at = [lay.reactions.index(of) for of in (("A", "arm"), ("B", "arm"), ("C", "arm"))]
        assert not found.known[0, at[:2]].any()
        assert found.known[0, at[2]].all()
        total = found.value[0, at].sum(axis=0)[1]  # arm stands still: its joints carry its weight
        assert total == pytest.approx(2.0 * 9.81, rel=1e-12)


def test_custom_forces_and_massless_bodies_are_in_the_loops():
    swing = pm.models.load("double_pendulum")
    wind = forces.Custom(body=next(iter(swing.bodies)), function=lambda t, state: ((3.0, 1.0), (0.1, 0.2), 0.5))
    blown = swing.replaced(forces={"wind": wind})
    rng = np.random.default_rng(5)
    for system, begin in systems(blown):
        compared(system, *around(system, begin, rng))


def test_no_samples_have_no_reactions():
    for system, begin in systems(pm.models.load("parallel_cranks")):
        none = np.zeros((0, system.n_q))
        x = np.zeros((0, len(begin.x)))
        assert system.reactions_of(np.zeros(0), none, none, none, x).value.shape == (0, len(system.layout.reactions), 3)
        assert system.accelerations_of(np.zeros(0), none, none, x).shape == (0, system.n_q)
        assert system.conditions_of(np.zeros(0), none).shape == (0,)


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_what_is_seen_of_one_part_is_what_the_whole_motion_says(formulation):
    result = pm.simulate(pm.models.load("stephenson_six_bar"), samples=7, formulation=formulation, integrator="ida")
    whole, lay = result._full_motion, result.system.layout
    for p, name in enumerate(lay.points):
        assert np.allclose(result[name], whole.point[:, p], rtol=0.0, atol=1e-14)
        assert np.allclose(result.velocity(name), whole.point_v[:, p], rtol=0.0, atol=1e-12)
        assert np.allclose(result.acceleration(name), whole.point_a[:, p], rtol=0.0, atol=1e-10)
    for b, name in enumerate(lay.bodies):
        assert np.allclose(result.com(name), whole.com[:, b], rtol=0.0, atol=1e-14)
        for what in ("angle", "omega", "alpha"):
            assert np.allclose(getattr(result, what)(name), getattr(whole, what)[:, b], rtol=1e-12, atol=1e-12)


def test_blocks_of_a_graph_meet_in_single_bodies():
    # a triangle 0 1 2 on a tail 2 3, and at its end a pair 3 4 that a third body ties once more
    graph = ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5))
    found = {frozenset(block) for block in blocks(graph)}
    assert found == {frozenset({0, 1, 2}), frozenset({3}), frozenset({4, 5, 6})}
