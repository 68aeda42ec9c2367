"""Path, motion and function generation against distances, Freudenstein's equation, and linkages that are known."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import ModelError, SimulationError, synthesis
from particlemech.synthesis.asked import LINKAGES
from tests.support.coupler_curves import missed, moved

ARCH = [(0.0, 0.0), (1.0, 1.0), (2.0, 1.4), (3.0, 1.0), (4.0, 0.0)]
# B. Roth, F. Freudenstein, "Synthesis of path-generating mechanisms by numerical methods", 1963; as problem 3 in
# C. W. Wampler, A. P. Morgan, A. J. Sommese, "Complete solution of the nine-point path synthesis problem for four-bar
# linkages", 1992, where it has 1442 triples of cognates, 64 of them real
NINE = [(0.25, 0), (0.52, 0.1), (0.8, 0.7), (1.2, 1), (1.4, 1.3), (1.1, 1.48), (0.7, 1.4), (0.2, 1), (0.02, 0.4)]
# five points with timing, 15 degrees of the crank from each to the next: a usual test of optimisers, as case 2 in
# J. A. Cabrera, A. Simon, M. Prado, "Optimal synthesis of mechanisms with genetic algorithms", 2002
TIMED = [(3.0, 3.0), (2.759, 3.363), (2.372, 3.663), (1.890, 3.862), (1.355, 3.943)]
STEPS = np.radians(15.0) * np.arange(5)
FULL, QUARTER = math.pi / 3.0, math.pi / 2.0  # of log x: 60 degrees of the crank, 90 of the output


def followed(candidate, samples=2000):
    """Return the path of P while the motor turns the crank from the first place to the last, by the library."""
    driven = candidate.mechanism
    found = pm.cycle(driven, "motor", (0.0, candidate.way), samples=samples)
    return found["P"]


def met(candidate, points):
    """Return how far points are from a path, in order, and whether they are passed in order."""
    path = followed(candidate)
    away = np.hypot(*(path[:, None] - np.array(points)).T)
    return away.min(axis=1).max(), bool(np.all(np.diff(away.argmin(axis=1)) > 0))


# -- paths -------------------------------------------------------------------------------------------------------------


def test_five_points_are_on_the_coupler_curves_of_all_candidates():
    found = synthesis.path(ARCH, seed=3)
    assert len(found) == 12
    for candidate in found:
        points = candidate.mechanism.points
        assert max(missed(points, np.array(p)) for p in ARCH) < 1e-8
        assert candidate.error < 1e-9
        assert candidate.reached == pytest.approx(np.array(ARCH), abs=1e-9)


def test_candidates_pass_their_points_in_order_on_one_branch_when_their_motor_turns():
    for candidate in synthesis.path(ARCH, keep=5).found:
        away, ordered = met(candidate, ARCH)
        assert away < 0.01 and ordered


def test_the_nine_points_of_roth_and_freudenstein_are_on_a_coupler_curve():
    found = synthesis.path(NINE, starts=1500, ordered=False, lengths=(0.01, 30.0))
    exact = [c for c in found if c.error < 1e-9]
    assert len(exact) >= 1
    for candidate in exact:
        assert max(missed(candidate.mechanism.points, np.array(p)) for p in NINE) < 1e-8


def test_five_points_with_timing_are_met_exactly_where_optimisers_leave_an_error():
    found = synthesis.path(TIMED, STEPS)
    for candidate in found:
        assert max(missed(candidate.mechanism.points, np.array(p)) for p in TIMED) < 1e-8
        assert candidate.crank - candidate.crank[0] == pytest.approx(STEPS, abs=1e-9)
    assert found.best.error < 1e-12


def known(rng, slider=False):
    """Return a random linkage whose crank turns round, and places of it."""
    while True:
        x = np.zeros(12)
        x[:10] = [*rng.normal(size=2), *rng.normal(size=2) * 2.0, *rng.uniform(0.5, 3.0, 3), *rng.normal(size=2), 0.0]
        linkage = synthesis.Linkage(x, slider, float(rng.choice([-1.0, 1.0])))
        if linkage.turns and not np.isnan(linkage.at(np.linspace(0, 6.28, 50))["P"]).any():
            return linkage


def test_points_with_timing_of_a_known_four_bar_lead_back_to_it(rng):
    back = 0
    for _ in range(10):
        linkage = known(rng)
        theta = rng.uniform(0.0, 6.0) + np.cumsum(rng.uniform(0.3, 1.0, 5))
        points = linkage.at(theta)["P"]
        found = synthesis.path(points, theta, starts=1, lengths=(0.01, 1e3))
        wanted = linkage.lengths
        back += any(c.lengths == pytest.approx(wanted, rel=1e-6) for c in found)
    assert back == 10


@pytest.mark.parametrize("linkage", LINKAGES)
def test_many_points_of_a_known_linkage_are_met_to_all_digits(rng, linkage):
    one = known(rng, linkage == "slider-crank")
    theta = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    found = synthesis.path(one.at(theta)["P"], linkage=linkage, starts=1000, lengths=(0.01, 100.0))
    assert found.best.error < 1e-8
    assert found.best.linkage.turns


def test_given_pivots_are_kept():
    found = synthesis.path(TIMED[:3], pivots=[(0.0, 0.0), (4.0, 0.0)], starts=200)
    for candidate in found:
        points = candidate.mechanism.points
        assert points["O"] == pytest.approx((0.0, 0.0), abs=1e-12)
        assert points["C"] == pytest.approx((4.0, 0.0), abs=1e-12)
        assert candidate.error < 1e-12


# -- motions -----------------------------------------------------------------------------------------------------------


def pose_error(candidate, points, angles):
    """Return how far P and the coupler's angle are from poses, by the library's own assembly at the crank angles."""
    worst = 0.0
    for theta, at, turn in zip(candidate.crank, points, angles, strict=True):
        # from where it is drawn, in the first pose, and on, or back where that is all
        far = theta - candidate.crank[0] or 0.1
        found = pm.cycle(candidate.mechanism, "motor", (0.0, far), samples=5)
        k = -1 if far == theta - candidate.crank[0] else 0
        worst = max(worst, np.abs(found["P"][k] - at).max(), abs(found.angle("coupler")[k] - (turn - angles[0])))
    return worst


@pytest.mark.parametrize("linkage", LINKAGES)
def test_three_poses_are_met_in_closed_form(linkage):
    points, angles = [(0.0, 0.0), (2.0, 1.0), (4.0, 0.0)], [0.0, 0.4, 1.2]
    found = synthesis.motion(points, angles, linkage=linkage, transmission=0.5)
    assert len(found) == 12
    assert max(c.error for c in found) < 1e-12
    assert max(np.abs(c.reached - points).max() for c in found) < 1e-12
    assert max(np.abs(c.turned - angles).max() for c in found) < 1e-12
    assert pose_error(found.best, np.array(points), angles) < 1e-9


@pytest.mark.parametrize("n", [4, 5])
def test_poses_of_a_known_four_bar_are_met(rng, n):
    for _ in range(5):
        one = known(rng)
        theta = rng.uniform(0.0, 6.0) + np.cumsum(rng.uniform(0.2, 0.6, n))
        at = one.at(theta)
        found = synthesis.motion(at["P"], np.unwrap(at["angle"]), starts=100, lengths=(0.01, 1e3))
        assert found.best.error < 1e-9
        if n == 5:
            assert any(c.lengths == pytest.approx(one.lengths, rel=1e-6) for c in found)


def test_four_poses_are_met_by_a_slider_crank():
    points, angles = [(0, 0), (2, 1), (4, 0), (5, -1)], [0.0, 0.4, 1.2, 1.3]
    found = synthesis.motion(points, angles, linkage="slider-crank")
    assert found.best.error < 1e-12
    assert pose_error(found.best, np.array(points), angles) < 1e-9


# -- functions ---------------------------------------------------------------------------------------------------------


def chebyshev(count):
    """Return pairs of crank angle and output of log x, 1 <= x <= 2, with Chebyshev's spacing."""
    part = 0.5 - 0.5 * np.cos((2 * np.arange(count) + 1) * np.pi / (2 * count))
    return np.column_stack([FULL * part, QUARTER * np.log10(1.0 + part) / np.log10(2.0)])


def error_of_freudenstein(theta0, psi0):
    """Return the largest error of the four-bar of three Chebyshev points, by Freudenstein's equation alone.

    K1 cos psi - K2 cos theta + K3 = cos(theta - psi), solved for K, then for psi in closed form.
    """
    theta, psi = (chebyshev(3) + np.array([theta0, psi0])).T
    K = np.linalg.solve(np.column_stack([np.cos(psi), -np.cos(theta), np.ones(3)]), np.cos(theta - psi))
    part = np.linspace(0.0, 1.0, 2001)
    theta, psi = theta0 + FULL * part, psi0 + QUARTER * np.log10(1.0 + part) / np.log10(2.0)
    a, b, c = K[0] - np.cos(theta), -np.sin(theta), K[1] * np.cos(theta) - K[2]
    base, swing = np.arctan2(b, a), np.arccos(c / np.hypot(a, b))
    return min(np.abs(np.remainder(base + s * swing - psi + np.pi, 2 * np.pi) - np.pi).max() for s in (1, -1))


def test_three_chebyshev_points_of_the_logarithm_are_met_and_obey_freudensteins_equation():
    pairs = chebyshev(3)
    for candidate in synthesis.function(pairs, starts=200):
        assert candidate.error < 1e-12
        sizes = candidate.lengths
        a, b, c, d = (sizes[name] for name in ("crank", "coupler", "rocker", "ground"))
        theta = candidate.linkage.x[9] + pairs[:, 0]
        psi = pairs[:, 1] - candidate.linkage.x[10]
        K = d / a, d / c, (a * a - b * b + c * c + d * d) / (2.0 * a * c)
        left = K[0] * np.cos(psi) - K[1] * np.cos(theta) + K[2]
        assert left == pytest.approx(np.cos(theta - psi), abs=1e-10 * max(K))


def test_the_logarithm_is_made_better_than_by_three_chebyshev_points_with_an_equal_ripple():
    classic = error_of_freudenstein(math.radians(45.0), math.radians(135.0))  # usual first angles of handbooks
    assert classic == pytest.approx(2.9433e-3, abs=1e-7)
    found = synthesis.function(np.log10, (1.0, 2.0), crank=FULL, output=QUARTER, starts=300)
    assert found.best.error < classic / 8.0
    good = next(c for c in found if c.transmission > math.radians(30.0))
    assert good.error < classic / 3.0
    for candidate in (found.best, good):
        miss = candidate.output - found.wanted.output
        turning = np.nonzero(np.diff(np.sign(np.diff(miss))))[0] + 1
        peaks = miss[[0, *turning, len(miss) - 1]]
        assert len(peaks) >= 5
        assert np.all(np.diff(np.sign(peaks)) != 0)
        assert np.abs(peaks) == pytest.approx(candidate.error, rel=1e-6)


def test_the_output_of_a_function_is_what_the_library_says_the_rocker_turns():
    best = synthesis.function(np.log10, (1.0, 2.0), crank=FULL, output=QUARTER, starts=100).best
    x = np.linspace(1.0, 2.0, 201)
    cycle = pm.cycle(best.mechanism, "motor", (0.0, FULL), samples=201)
    miss = cycle.angle("rocker") - QUARTER * np.log10(x) / np.log10(2.0)
    assert np.ptp(miss) == pytest.approx(2.0 * best.error, rel=1e-3)


def test_five_pairs_of_a_known_function_generator_lead_back_to_it(rng):
    for slider in (False, True):
        for _ in range(5):
            while True:
                x = np.zeros(12)
                x[[2, 4, 5, 6]] = [1.0, *rng.uniform(0.3, 2.5, 3)]
                if slider:
                    x[2], x[3] = 0.0, rng.normal() * 0.3
                linkage = synthesis.Linkage(x, slider, 1.0)
                theta = rng.uniform(0.0, 6.0) + np.cumsum(rng.uniform(0.2, 0.5, 5))
                out = linkage.at(theta)["output"]
                if not np.isnan(linkage.at(np.linspace(theta[0], theta[-1], 50))["output"]).any():
                    break
            options = {"linkage": "slider-crank"} if slider else {}
            pairs = np.column_stack([theta, out if slider else np.unwrap(out)])
            found = synthesis.function(pairs, starts=1, lengths=(1e-3, 1e3), **options)
            assert any(c.lengths == pytest.approx(linkage.lengths, rel=1e-5, abs=1e-5) for c in found)


# -- moved tasks, limits, ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("mirror", [False, True])
def test_a_moved_turned_enlarged_or_mirrored_task_has_candidates_that_are_so(linkage, mirror):
    points = [*ARCH, (4.5, -1.0), (4.0, -2.0)]
    how = {"angle": 2.3, "shift": (5.0, -7.0), "size": 3.0, "mirror": mirror}
    one = synthesis.path(points, linkage=linkage, starts=200, keep=4)
    other = synthesis.path(moved(points, **how), linkage=linkage, starts=200, keep=4)
    assert len(one) == len(other) > 0
    for a, b in zip(one, other, strict=True):
        names = list(a.mechanism.points)
        expected = moved([a.mechanism.points[n] for n in names], **how)
        assert np.array([b.mechanism.points[n] for n in names]) == pytest.approx(expected, abs=1e-4)
        assert b.error == pytest.approx(3.0 * a.error, rel=1e-6, abs=1e-9)
        assert b.transmission == pytest.approx(a.transmission, abs=1e-6)


def test_the_same_seed_gives_the_same_and_another_one_others():
    one, same, other = (synthesis.path(ARCH, seed=seed, starts=300) for seed in (5, 5, 6))
    assert [c.mechanism for c in one] == [c.mechanism for c in same]
    assert one.rejected == same.rejected
    assert one.best.mechanism != other.best.mechanism


def test_what_is_asked_for_is_kept_by_all_candidates():
    found = synthesis.path(ARCH, turning=True, transmission=0.4, starts=5000, region=((-3, -3), (7, 7)), lengths=(1, 6))
    assert len(found) > 3
    for candidate in found:
        points = candidate.mechanism.points
        assert all(-3 <= v <= 7 for name in "OC" for v in points[name])
        assert all(1 <= length <= 6 for length in candidate.lengths.values())
        turn = pm.cycle(candidate.mechanism, "motor")
        assert np.ptp(turn.coordinate("O")) == pytest.approx(2.0 * np.pi)
        angle = turn.measures(driver="motor").transmission("C")
        least = np.minimum(angle, np.pi - angle).min()
        assert candidate.transmission >= 0.4
        assert least == pytest.approx(candidate.transmission, abs=1e-4)  # of 361 samples


def test_a_fit_keeps_pivots_in_their_region_where_it_could_be_better_outside():
    theta = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    points = np.column_stack([2.0 * np.cos(theta), np.sin(theta)])
    box = ((-1.5, -4.0), (4.0, 4.0))
    free, held = (synthesis.path(points, starts=400, region=region, tolerance=1.0) for region in (None, box))
    assert len(held) and held.best.error >= free.best.error - 1e-9
    for candidate in held:
        for name in "OC":
            x, y = candidate.mechanism.points[name]
            assert -1.5 - 1e-6 <= x <= 4.0 + 1e-6 and -4.0 - 1e-6 <= y <= 4.0 + 1e-6


def test_an_end_without_candidates_says_so_with_counts():
    found = synthesis.path(ARCH, transmission=1.5, starts=100)
    assert len(found) == 0
    assert "no candidate without defects among 100 starts" in str(found)
    assert "transmission angle" in found.rejected and found.rejected["branch"] > 10
    with pytest.raises(SimulationError, match="no candidate without defects") as caught:
        _ = found.best
    assert caught.value.result is found


def test_progress_goes_from_nothing_to_all():
    said = []
    synthesis.path(ARCH, starts=200, progress=said.append)
    assert said[0] == 0.0 and said[-1] == 1.0 and said == sorted(said)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: synthesis.path(ARCH[:2]), "2 point.s. leave nearly everything open; give at least 3"),
        (lambda: synthesis.path([(0, 0), (1, 1), (0, 0)]), "points 0 and 2 are the same"),
        (lambda: synthesis.path([(0, 0), (1, 1), (1, 1), (2, 0)]), "points 1 and 2 are the same"),
        (lambda: synthesis.path([(0, 0), (1, np.nan), (2, 0)]), "number 1 is not finite"),
        (lambda: synthesis.path([0, 1, 2]), "a list with 2 numbers each"),
        (lambda: synthesis.path(ARCH, [0, 1, 2]), "5 points and 3 crank angles"),
        (lambda: synthesis.path(ARCH, [0, 1, 0.5, 2, 3]), "crank angles must grow or fall"),
        (lambda: synthesis.path(ARCH, [0, 1, 2, 3, 8]), "more than a turn"),
        (lambda: synthesis.path(ARCH, linkage="fourbar"), "did you mean .four-bar"),
        (lambda: synthesis.path(ARCH, start=5), "did you mean .starts"),
        (lambda: synthesis.path(ARCH, starts=0), "starts must be a whole number from 1"),
        (lambda: synthesis.path(ARCH, seed=-1), "seed must be a whole number from 0"),
        (lambda: synthesis.path(ARCH, transmission=40.0), "transmission must be an angle from 0 to 1.57"),
        (lambda: synthesis.path(ARCH, lengths=(2.0, 2.0)), "0 < shortest < longest"),
        (lambda: synthesis.path(ARCH, region=((0, 0), (0, 1))), "region must be"),
        (lambda: synthesis.path(ARCH, pivots=[(0, 0), (0, 0)]), "two places that differ"),
        (
            lambda: synthesis.path(ARCH, pivots=[(0, 0), (1, 0)], linkage="slider-crank"),
            "pivots are those of a four-bar",
        ),
        (lambda: synthesis.motion(ARCH, [0, 1, 2]), "5 points and 3 angles"),
        (lambda: synthesis.motion([(0, 0), (1, 0), (0, 0)], [0, 1, 0]), "poses 0 and 2 are the same"),
        (lambda: synthesis.motion([(1, 2)] * 3, [0, 1, 2]), "turns about one point"),
        (lambda: synthesis.function([(0, 0), (1, 1)]), "2 pair.s. leave"),
        (lambda: synthesis.function([(0, 0), (1, 1), (0.5, 2)]), "crank angles must grow or fall"),
        (lambda: synthesis.function([(0, 1), (1, 1), (2, 1)]), "does not change"),
        (lambda: synthesis.function(np.sin, (0, 1)), "needs over=.first, last."),
        (lambda: synthesis.function(np.sin, (1, 1), crank=1, output=1), "the range over is"),
        (lambda: synthesis.function(np.sin, (0, 1), crank=0, output=1), "the range crank is 0"),
        (lambda: synthesis.function(np.ones_like, (0, 1), crank=1, output=1), "the function does not change"),
        (lambda: synthesis.function([(0, 0), (1, 1), (2, 3)], (0, 1)), "belong to a function"),
    ],
)
def test_bad_tasks_are_refused_in_one_line(call, said):
    with pytest.raises(ModelError, match=said):
        call()
