"""One verdict per mechanism, whichever integrator: odd mechanisms, most of them found at random.

Every one is run by "explicit", "auto" and "ida" and must end alike: completed with the right numbers, locked by the
driver named here, or refused in words. "ida" may say that its numbers do not hold; nobody may say anything else.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, drivers, forces, models, signals
from particlemech.analyses.validation import followed
from particlemech.model.mechanism import size
from tests.fuzz_mechanisms import drawn
from tests.support.oracles import four_bar_in_one_coordinate
from tests.support.problems import pinned

FOUND = Path(__file__).parents[1] / "data" / "cases"
INTEGRATORS = ("explicit", "auto", "ida")
ALIKE = 1e-6  # of the size at rtol 1e-9


def ended(mechanism, integrator, **options):
    """Return how a run ends in a word, and the result or the words of its refusal."""
    try:
        result = pm.simulate(mechanism, integrator=integrator, throw=False, **options)
    except pm.ModelError as error:
        return "refused", str(error)
    return result.status.value, result


def places(result):
    """Return the places of all points, (K, n, 2), m."""
    return np.stack([result[p] for p in result.system.layout.points], axis=1)


def apart(one, other, mechanism):
    """Return the largest distance of two motions as a fraction of the mechanism's size."""
    K = min(len(one.t), len(other.t))
    return float(np.max(np.abs(places(one)[:K] - places(other)[:K]))) / size(mechanism)


# -- found at random -------------------------------------------------------------------------------------------------

# a link of a few grams spins at 1e4 rad/s, and what it does depends on every turn before: (how long a run is right to
# ALIKE, how long IDA can be afforded), s
LIGHT = {
    "both_completed_apart": (0.6, 0.02),
    "both_completed_energy_lost": (0.3, 0.02),
    "both_completed_far_apart": (0.1, 0.02),
}


@pytest.mark.parametrize("name", LIGHT)
def test_a_link_of_a_few_grams_is_followed(name):
    mechanism = pm.load(FOUND / f"{name}.toml")
    duration, short = LIGHT[name]
    status, result = ended(mechanism, "auto", rtol=1e-9, duration=duration)
    assert status == "completed"
    _, finer = ended(mechanism, "explicit", rtol=1e-12, duration=duration)
    assert apart(result, finer, mechanism) < ALIKE
    status, result = ended(mechanism, "ida", rtol=1e-9, duration=short)
    assert status in ("completed", "inaccurate")
    if status == "completed":
        assert apart(result, ended(mechanism, "auto", rtol=1e-9, duration=short)[1], mechanism) < ALIKE


@pytest.mark.parametrize("name", LIGHT)
def test_what_thousands_of_turns_add_up_to_is_lowered_by_rtol(name):
    """After 0.6 s and up to 17 000 steps 2e-7, 5e-6 and 2e-3 of the size at rtol 1e-9: sensitive, not wrong."""
    mechanism = pm.load(FOUND / f"{name}.toml")
    loose, fine, truth = (ended(mechanism, "auto", rtol=rtol, duration=0.6)[1] for rtol in (1e-9, 1e-11, 1e-12))
    assert apart(fine, truth, mechanism) < 0.03 * apart(loose, truth, mechanism)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(
    "name", ["completes_or_locks_at_once", "completes_or_locks_late", "completes_or_loses_closure"]
)
def test_what_can_move_is_not_called_locked(name, integrator):
    mechanism = pm.load(FOUND / f"{name}.toml")
    status, result = ended(mechanism, integrator, rtol=1e-9)
    assert status == "completed", result.message
    _, finer = ended(mechanism, "explicit", rtol=1e-12)
    assert apart(result, finer, mechanism) < ALIKE


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_driver_that_asks_for_a_speed_at_a_dead_end_is_refused(integrator):
    status, words = ended(pm.load(FOUND / "contradiction_or_singular.toml"), integrator, rtol=1e-9)
    assert status == "refused", words.message
    assert "the start contradicts itself" in words and "a speed that cannot be" in words


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_driver_of_a_welded_body_is_locked_from_the_start(integrator):
    mechanism = pm.load(FOUND / "locked_at_start_called_not_a_number.toml")
    status, result = ended(mechanism, integrator, rtol=1e-9)
    assert status == "locked", result
    assert 'driver "D" is locked' in result.message
    assert result.t[-1] < 0.05
    assert not followed(mechanism, result, 0.05)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_stands_still_on_redundant_guides_is_no_singular_pose(integrator):
    mechanism = pm.load(FOUND / "singular_or_completes.toml")
    status, result = ended(mechanism, integrator, rtol=1e-9)
    assert status == "completed", result.message
    _, other = ended(mechanism, "ida", rtol=1e-11, formulation="absolute")
    assert apart(result, other, mechanism) < ALIKE


# -- drawn by hand ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("samples", [2, 7, 601])
def test_the_corner_of_a_triangle_cannot_be_driven(integrator, samples):
    mechanism = Mechanism(
        points={"A": (0.0, 0.0), "B": (0.0, 1.5), "C": (0.02, 2.2)},
        bodies={"l": Body(points=("A", "C"), mass=1.0), "r": Body(points=("B", "C"), mass=1.0)},
        joints=pinned(A=("ground", "l"), B=("ground", "r"), C=("l", "r")),
        drivers={"D": drivers.Position(point="C", axis="x", motion=signals.Linear(rate=0.1))},
    )
    status, words = ended(mechanism, integrator, duration=0.6, samples=samples)
    assert status == "refused", words.message
    assert "the start contradicts itself" in words and 'driver "D"' in words


def clamp(stiffness):
    """Return a toggle clamp whose handle is driven through its dead centre against a stiff spring."""
    return Mechanism(
        points={"O": (0.0, 0.0), "A": (0.0, 0.05), "B": (0.1, 0.049), "C": (0.1, 0.0), "H": (0.25, 0.12),
                "J": (-0.08, 0.06)},
        bodies={
            "jaw": Body(points=("O", "A", "J"), mass=0.2, inertia=1e-4),
            "link": Body(points=("A", "B"), mass=0.1),
            "handle": Body(points=("B", "C", "H"), mass=0.3, inertia=5e-4),
        },
        joints=pinned(O=("ground", "jaw"), A=("jaw", "link"), B=("link", "handle"), C=("ground", "handle")),
        drivers={
            "hand": drivers.Rotation(bodies=("ground", "handle"), motion=signals.Cycloid(end=2.5, duration=1.0)),
        },
        forces={
            "work": forces.Spring(
                bodies=("ground", "jaw"), points=((-0.08, 0.0), (-0.08, 0.06)), stiffness=stiffness, length=0.06
            ),
        },
    )  # fmt: skip


@cache
def jaw(duration, samples):
    """Return the angle of the jaw of the clamp at its samples, by closing its loop: circles, without masses."""
    b, r = math.dist((0.0, 0.05), (0.1, 0.049)), 0.049
    found, last = [], math.pi / 2
    for t in np.linspace(0.0, duration, 40 * (samples - 1) + 1):
        turned = 2.5 * (t - math.sin(2.0 * math.pi * t) / (2.0 * math.pi))
        B = np.array([0.1 - r * math.sin(turned), r * math.cos(turned)])
        far, lean = math.hypot(*B), math.atan2(B[1], B[0])
        half = math.acos((far**2 + 0.05**2 - b**2) / (2.0 * far * 0.05))
        last = min((lean + half, lean - half), key=lambda angle: abs(math.remainder(angle - last, 2.0 * math.pi)))
        found.append(last - math.pi / 2)
    return np.array(found[::40])


@pytest.mark.parametrize("stiffness", [1e5, 1e6, 1e7])
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_toggle_clamp_closes_whatever_it_holds(stiffness, rtol, integrator):
    status, result = ended(clamp(stiffness), integrator, rtol=rtol, samples=41)
    assert status == "completed", result.message
    # the motion is prescribed: only closure stands between it and the closed form
    assert np.max(np.abs(result.angle("jaw") - jaw(1.0, 41))) < max(100.0 * rtol, 1e-9)


FLAT = {x: models.load("four_bar").replaced(points={"B": (float(x), float(x))}) for x in (1, 2, 4, 6, 9)}


@cache
def minimal(x):
    """Return the places of A and B in time by one coordinate."""
    return four_bar_in_one_coordinate(FLAT[x], np.linspace(0.0, 2.0, 11))


@pytest.mark.parametrize("x", FLAT)
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10, 1e-12])
def test_auto_is_right_at_small_transmission_angles(x, rtol):
    status, result = ended(FLAT[x], "auto", rtol=rtol, duration=2.0, samples=11)
    assert status == "completed", result.message
    off = max(float(np.max(np.abs(result[p] - minimal(x)[p]))) for p in "AB")
    assert off < max(1000.0 * rtol, FLOOR) * size(FLAT[x])


FLOOR = 1e-7  # rounding, magnified by transmission angles of 0.2 degrees


@pytest.mark.parametrize("x", [1, 4, 9])
def test_ida_is_right_at_small_transmission_angles_or_says_that_it_is_not(x):
    status, result = ended(FLAT[x], "ida", rtol=1e-8, duration=2.0, samples=11)
    assert status in ("completed", "inaccurate"), result.message
    if status == "completed":
        off = max(float(np.max(np.abs(result[p] - minimal(x)[p]))) for p in "AB")
        assert off < 1000.0 * 1e-8 * size(FLAT[x])


@pytest.mark.parametrize(
    ("seed", "duration", "driver", "t"), [(934, 1.0, "D0", 0.944136), (2947, 0.02, "D0", 0.0100684)]
)
def test_a_limit_is_reached_in_few_steps_where_masses_differ_ten_million_times(seed, duration, driver, t):
    status, result = ended(drawn(seed), "auto", rtol=1e-9, duration=duration, samples=5)
    assert status == "locked", result.message
    assert f'driver "{driver}" is locked at t = {t} s' in result.message
    assert result.stats["steps"] < 20_000  # 200 000 and more without a look ahead


@pytest.mark.parametrize(("seed", "duration", "t"), [(427, 1.2e-5, "8.97443e-06"), (488, 1.8e-6, "1.36953e-06")])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_step_that_runs_away_before_a_limit_is_no_law_without_a_value(seed, duration, t, integrator):
    status, result = ended(drawn(seed), integrator, rtol=1e-9, duration=duration, samples=5)
    assert status == "locked", result.message
    assert f'driver "D0" is locked at t = {t} s' in result.message


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_welded_body_alone_cannot_be_driven(integrator):
    status, result = ended(drawn(546), integrator, rtol=1e-9, duration=3.7e-8, samples=21)
    assert status == "locked", result.message
    assert result.t[-1] < 3.3e-9


@pytest.mark.parametrize("seed", [1486, 7503])
def test_samples_between_steps_are_as_good_as_steps(seed):
    """Dense output of single steps was 2400 and 1200 rtol off, between steps that were right to 10 rtol."""
    _, result = ended(drawn(seed), "explicit", rtol=1e-9, samples=21)
    _, finer = ended(drawn(seed), "explicit", rtol=1e-12, samples=21)
    assert apart(result, finer, drawn(seed)) < 1e-7


@pytest.mark.parametrize("seed", [5590, 7886])
def test_ida_ends_where_its_steps_become_so_short_that_time_stands_still(seed):
    """A single free body, 200 times its size away from where it began: steps went on for ever."""
    status, result = ended(drawn(seed), "ida", rtol=1e-9, samples=21)
    assert status in ("completed", "step limit")
    if status == "step limit":
        assert 'take integrator "auto"' in result.message
    assert ended(drawn(seed), "auto", rtol=1e-9, samples=21)[0] == "completed"


@pytest.mark.parametrize("seed", [2652, 3525, 8950, 9236])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_rows_of_welds_that_are_nothing_but_rounding_make_no_change_point(seed, integrator):
    mechanism = drawn(seed)
    status, result = ended(mechanism, integrator, rtol=1e-9, duration=mechanism.run.duration / 100.0)
    assert status == "completed", result


@pytest.mark.parametrize("seed", [2860, 2990, 6110])
def test_speeds_of_least_kinetic_energy_are_the_same_in_both_formulations_of_a_tiny_mechanism(seed):
    """A millionth of a metre: turning bodies had no part in the least kinetic energy of absolute coordinates."""
    options = {"duration": drawn(seed).run.duration / 100.0, "samples": 3, "throw": False}
    one, other = (pm.simulate(drawn(seed), formulation=f, **options) for f in ("particles", "absolute"))
    assert size(drawn(seed)) < 1e-5
    assert other.energy.kinetic[0] == pytest.approx(one.energy.kinetic[0], rel=1e-9)
    assert all(other.omega(b)[0] == pytest.approx(one.omega(b)[0], rel=1e-6, abs=1e-12) for b in drawn(seed).bodies)


def test_of_two_drivers_that_part_all_formulations_name_the_same():
    ends = [ended(drawn(4172), i, rtol=1e-9, duration=0.3) for i in INTEGRATORS]
    ends.append(ended(drawn(4172), "ida", rtol=1e-9, duration=0.3, formulation="absolute"))
    for status, result in ends:
        assert status == "locked"
        assert 'driver "D1" is locked at t = 0.237359 s' in result.message
