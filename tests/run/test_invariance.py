"""What the motion does not depend on: cuts, particles, order of the file, solver, the origin, left or right."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from particlemech import models
from particlemech.engine.particles import equations
from particlemech.engine.particles.topology import cut
from particlemech.model.impulses import Impulse
from particlemech.run.preparing import FORMULATIONS
from particlemech.run.simulate import simulate
from particlemech.run.start import start
from tests.support.mirror import mirrored
from tests.support.oracles import accelerations, apart, difference, instant, instant_of, run
from tests.support.strategies import GROUND, moved, random_mechanism, shuffled, turned

SHIPPED = ("four_bar", "platform_manipulator", "quick_return", "stephenson_six_bar", "slider_crank")
SEEDS = tuple(range(2000, 2008))
DURATION, SAMPLES, RTOL = 0.3, 7, 1e-10

SAME = 1e-10  # accelerations and reactions, of the largest; observed 8e-13
APART = 1e-6  # motions, in lengths of the mechanism; observed 4e-8
FAR = (1000.0, -500.0)  # m

every = pytest.mark.parametrize("name", [*SHIPPED, *SEEDS])


@functools.cache
def mechanism_of(name):
    """Return a shipped model, or a random mechanism with joints that moves; none of them redundant."""
    if isinstance(name, str):
        return models.load(name)
    rng = np.random.default_rng(name)
    while True:
        found = random_mechanism(rng, redundant=False)
        begin = instant(found, "absolute")
        if len(found.joints) > 2 and np.max(np.abs(accelerations(begin))) > 0.1 and not begin.condition.singular:
            return found


@functools.cache
def reference(name):
    """Return start and motion by default."""
    mechanism = mechanism_of(name)
    system = equations.system(mechanism)
    return instant_of(system, start(system, mechanism)), run(system, mechanism, DURATION, SAMPLES, RTOL)


def assert_same_start(one, other):
    found = difference(one, other)
    print(f"observed {max(found.acceleration, found.reaction):.1e}")
    assert found.acceleration <= SAME
    assert found.reaction <= SAME
    assert found.determined


def assert_same_motion(one, other):
    far = apart(one, other)
    print(f"observed apart {far:.1e}")
    assert far <= APART


def started(system, mechanism):
    return instant_of(system, start(system, mechanism))


def held(mechanism):
    """Return the joints that can be cut: what ties coordinates of others is in no tree."""
    return tuple(name for name, joint in mechanism.joints.items() if joint.bodies)


@every
def test_it_does_not_matter_which_joint_is_cut(name):
    mechanism, (begin, motion) = mechanism_of(name), reference(name)
    usual = equations.system(mechanism).cuts
    other = [joint for joint in held(mechanism) if joint not in usual]
    assert other
    for joint in other:
        system = equations.system(mechanism, (joint,))
        assert joint in system.cuts
        assert_same_start(begin, started(system, mechanism))
    system = equations.system(mechanism, (other[0], other[-1]))
    assert_same_motion(motion, run(system, mechanism, DURATION, SAMPLES, RTOL))


@every
def test_it_does_not_matter_if_all_joints_are_cut(name):
    mechanism, (begin, motion) = mechanism_of(name), reference(name)
    system = equations.system(mechanism, held(mechanism))
    assert set(system.cuts) == set(held(mechanism))
    assert_same_start(begin, started(system, mechanism))
    assert_same_motion(motion, run(system, mechanism, DURATION, SAMPLES, RTOL))


@every
def test_it_does_not_matter_which_particles_are_chosen(name, rng):
    mechanism, (begin, motion) = mechanism_of(name), reference(name)
    usual = equations.system(mechanism)
    places = {}
    for b, body in enumerate(usual.compiled.order):
        first = np.add(usual.compiled.frames[b].drawn[0], usual.compiled.origin)
        places[body] = tuple(
            first + rng.uniform(0.3, 2.0) * usual.scale.length * np.array(turned(rng.uniform(0, 6), (1, 0)))
        )
    system = equations.system(mechanism, second=places)
    assert any(
        one.drawn != other.drawn for one, other in zip(system.compiled.frames, usual.compiled.frames, strict=True)
    )
    assert_same_start(begin, started(system, mechanism))
    assert_same_motion(motion, run(system, mechanism, DURATION, SAMPLES, RTOL))


@every
def test_the_order_of_the_file_does_not_matter(name, rng):
    mechanism, (begin, motion) = mechanism_of(name), reference(name)
    other = shuffled(mechanism, rng)
    assert [list(getattr(other, of)) != list(getattr(mechanism, of)) for of in ("points", "bodies", "joints")].count(
        True
    )
    system = equations.system(other)
    found = started(system, other)
    # the same parts, named in another order
    lay, points, bodies = system.layout, list(mechanism.points), list(mechanism.bodies)
    of_point = [lay.points.index(p) for p in points]
    of_body = [lay.bodies.index(b) for b in bodies]
    ordered = [m[:, of_point] if k < 3 else m[:, of_body] for k, m in enumerate(found.motion)]
    found = found._replace(
        motion=type(found.motion)(*ordered),
        reaction={key: found.reaction[key] for key in begin.reaction},
        known={key: found.known[key] for key in begin.known},
        effort={key: found.effort[key] for key in begin.effort},
    )
    assert_same_start(begin, found)
    assert_same_motion(motion, run(system, other, DURATION, SAMPLES, RTOL))


@every
def test_dense_and_sparse_solvers_give_one_motion(name):
    mechanism, (_, motion) = mechanism_of(name), reference(name)
    system = equations.system(mechanism)
    results = [run(system, mechanism, DURATION, SAMPLES, RTOL, solver) for solver in ("dense", "sparse")]
    assert [result.stats["sparse"] for result in results] == [False, True]
    assert_same_motion(*results)
    assert_same_motion(motion, results[1])


@every
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_place_of_the_origin_does_not_matter(name, formulation):
    mechanism = mechanism_of(name)
    other = moved(mechanism, 0.0, FAR)
    one, two = instant(mechanism, formulation), instant(other, formulation)
    assert_same_start(one, two)
    assert np.max(np.abs(two.motion.point - FAR - one.motion.point)) <= 1e-12 * np.hypot(*FAR)
    options = {"duration": DURATION, "samples": SAMPLES, "rtol": RTOL, "formulation": formulation}
    here, there = simulate(mechanism, **options), simulate(other, **options)
    far = max(np.abs(there[p] - FAR - here[p]).max() for p in mechanism.points) / here.system.scale.length
    print(f"observed apart {far:.1e}")
    assert far <= APART


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_direction_of_the_drawing_does_not_matter(name, formulation):
    mechanism = mechanism_of(name)
    angle = 0.8
    one, two = instant(mechanism, formulation), instant(moved(mechanism, angle, (2.0, 1.0)), formulation)
    back = two.motion._replace(
        point_a=np.array([[turned(-angle, a) for a in two.motion.point_a[0]]]),
        com_a=np.array([[turned(-angle, a) for a in two.motion.com_a[0]]]),
    )
    forces = {key: np.array([*turned(-angle, w[:2]), w[2]]) for key, w in two.reaction.items()}
    found = difference(one, two._replace(motion=back, reaction=forces))
    print(f"observed {max(found.acceleration, found.reaction):.1e}")
    assert max(found.acceleration, found.reaction) <= SAME


@every
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_mirror_image_moves_as_the_mirrored_motion(name, formulation):
    mechanism = mechanism_of(name)
    options = {"duration": DURATION, "samples": SAMPLES, "rtol": RTOL, "formulation": formulation}
    one, other = simulate(mechanism, **options), simulate(mirrored(mechanism), **options)
    far = max(np.abs(other[p] * (-1.0, 1.0) - one[p]).max() for p in mechanism.points)
    print(f"observed apart {far / one.system.scale.length:.1e}")
    assert far <= APART * one.system.scale.length


@pytest.mark.parametrize("frame", ["global", "body"])
def test_the_mirror_image_of_an_impulse_strikes_as_the_mirrored_one(frame):
    hit = Impulse(body="coupler", point="B", time=0.1, impulse=(0.3, 0.8), moment=0.1, frame=frame)
    struck, options = models.load("four_bar").replaced(impulses={"hit": hit}), {"duration": 0.3, "samples": 7}
    free, one, other = (simulate(m, rtol=RTOL, **options) for m in (models.load("four_bar"), struck, mirrored(struck)))
    assert np.abs(one["B"] - free["B"]).max() > 0.01
    assert np.abs(other["B"] * (-1.0, 1.0) - one["B"]).max() < APART


def test_chains_of_any_depth_move_alike():
    chain = models.chain(30)
    begins = []
    for depth, pieces in ((100, 1), (12, 3), (3, 10)):
        system = equations.system(chain, depth=depth)
        assert len(system.cuts) == pieces - 1
        begins.append(started(system, chain))
    for other in begins[1:]:
        assert_same_start(begins[0], other)


def test_a_tree_that_is_cut_everywhere_floats_body_by_body():
    chain = models.chain(5)
    topology = cut(chain, tuple(chain.joints))
    assert all(topology.parent[b] is None for b in chain.bodies)
    assert GROUND not in topology.parent.values()


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["four_bar", "quick_return", SEEDS[0]])
def test_two_runs_give_the_same_bytes(name, formulation):
    options = {"duration": DURATION, "samples": SAMPLES, "rtol": 1e-8, "formulation": formulation}
    one, other = (simulate(mechanism_of(name), **options).columns() for _ in range(2))
    assert list(one) == list(other)
    assert all(one[column].tobytes() == other[column].tobytes() for column in one)
