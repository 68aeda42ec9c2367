"""Burmester's points, slider points and all derivatives, against distances and difference quotients."""

import numpy as np
import pytest

from particlemech import ModelError, synthesis
from particlemech.synthesis.evaluating import slopes
from particlemech.synthesis.linkage import SIZE


def poses(rng, n):
    return rng.normal(size=(n, 2)), rng.uniform(-2.0, 2.0, n)


def places(points, angles, start):
    """Return the places of points of a body, (K, n) complex, that are at `start` in the first pose."""
    z, w = np.array(points) @ [1.0, 1j], np.atleast_2d(start) @ [1.0, 1j]
    return z + np.exp(1j * (np.array(angles) - angles[0])) * (w - z[0])[:, None]


def spread(found, task):
    """Return by how much distances from centres change, relative to them."""
    r = np.abs(places(*task, found.circle_points) - (found.centre_points @ [1.0, 1j])[:, None])
    return (np.ptp(r, axis=1) / r.max(axis=1)).max(initial=0.0)


def bent(task, points):
    """Return by how much places of points are off one line, relative to how far they are apart."""
    w = places(*task, points)
    w = w[:, 1:] - w[:, :1]
    return np.max(np.abs((w * np.conj(w[:, :1])).imag) / (np.abs(w) * np.abs(w[:, :1])).max())


def test_pairs_of_five_poses_keep_their_distances_and_are_none_two_or_four(rng):
    counts = {0: 0, 2: 0, 4: 0}
    for _ in range(200):
        task = poses(rng, 5)
        found = synthesis.pairs(*task)
        counts[len(found.circle_points)] += 1
        assert spread(found, task) < 1e-10
    assert min(counts.values()) > 10


def test_pairs_of_five_poses_of_a_known_four_bar_contain_its_dyads(rng):
    missing = 0.0
    for _ in range(50):
        linkage = synthesis.Linkage(np.array([0, 0, 3, 0.5, 1, 2.5, 2.2, 1.1, 0.7, 0, 0, 0.0]), False, 1.0)
        theta = np.sort(rng.uniform(0.0, 6.0, 5))
        at = linkage.at(theta)
        found = synthesis.pairs(at["P"], at["angle"])
        assert len(found.circle_points) in (2, 4)
        for joint, pivot in (("A", (0.0, 0.0)), ("B", (3.0, 0.5))):
            off = np.abs(found.circle_points - at[joint][0]).max(axis=1) + np.abs(found.centre_points - pivot).max(
                axis=1
            )
            missing = max(missing, off.min())
    assert missing < 1e-7


def test_curves_of_four_poses_keep_their_distances_and_hold_the_pairs_of_any_fifth(rng):
    task = poses(rng, 4)
    found = synthesis.pairs(*task, samples=4000)
    assert len(found.circle_points) > 4000
    assert spread(found, task) < 1e-8  # at the ends of branches, where centres go to infinity
    curve = found.circle_curve.reshape(-1, 2)
    for _ in range(10):
        extra = rng.normal(size=(1, 2)), rng.uniform(-2.0, 2.0, 1)
        five = synthesis.pairs(np.vstack([task[0], extra[0]]), np.concatenate([task[1], extra[1]]))
        for point in five.circle_points[np.hypot(*five.circle_points.T) < 3.0]:
            assert np.nanmin(np.hypot(*(curve - point).T)) < 2e-2


def test_a_slider_point_of_four_poses_moves_on_a_line_and_those_of_three_are_a_circle(rng):
    for _ in range(100):
        task = poses(rng, 4)
        found = synthesis.pairs(*task)
        assert bent(task, found.slider_points) < 1e-9
        three = task[0][:3], task[1][:3]
        ring = synthesis.pairs(*three).slider_points
        assert bent(three, ring) < 1e-9
        middle = ring.mean(axis=0)
        assert np.ptp(np.hypot(*(ring - middle).T)) < 1e-9 * np.hypot(*(ring - middle).T).max()


@pytest.mark.parametrize("slider", [False, True])
def test_derivatives_of_a_linkage_are_difference_quotients(rng, slider):
    checked = 0
    for _ in range(60):
        x = rng.normal(size=SIZE)
        x[4:7] = rng.uniform(0.5, 2.0, 3)
        theta, side = np.array([rng.uniform(0.0, 6.0)]), rng.choice([-1.0, 1.0])
        value, J = np.zeros((1, 4)), np.zeros((1, 4, SIZE + 1))
        if not slopes(x, slider, side, theta, value, J) or np.abs(J).max() > 20.0:
            continue
        for k in range(SIZE + 1):
            ends = []
            for h in (1e-6, -1e-6):
                y, t = x.copy(), theta.copy()
                (y if k < SIZE else t)[k if k < SIZE else 0] += h
                there = np.zeros((1, 4))
                assert slopes(y, slider, side, t, there, np.zeros((1, 4, SIZE + 1)))
                ends.append(there[0])
            assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(J[0, :, k], abs=1e-6)
        checked += 1
    assert checked > 15


@pytest.mark.parametrize(
    ("points", "angles", "said"),
    [
        ([(0, 0), (1, 0)], [0, 1], "of three, four or five poses, got 2"),
        ([(0, 0), (1, 0), (2, 1)], [0, 1], "3 points and 2 angles"),
        ([(0, 0), (1, 0), (0, 0)], [0, 1, 0], "poses 0 and 2 are the same"),
        ([(0, 0), (1, 0), (2, 1), (3, 1), (4, 0)], [0.5] * 5, "all poses are parallel"),
        ([(0, 0), (1, 0), (2, 1), (3, 1)], [0.5] * 4, "all poses are parallel"),
    ],
)
def test_poses_without_pairs_are_refused_in_one_line(points, angles, said):
    with pytest.raises(ModelError, match=said):
        synthesis.pairs(points, angles)
