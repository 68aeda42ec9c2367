"""What the one march promises its engines and asks of them, held against closed forms by a toy; see march.py."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from particlemech.run.explicit import PAUSED, REACHED, SINGULAR, STIFF, TOO_LONG
from tests.support.toy_engine import ARRIVED, ELSEWHERE, LATEST, PROJECTED, Pendulum, drift

G, LENGTH = 9.81, 0.7
TIMES = np.linspace(0.0, 6.0, 121)


def gone(march, stop=6.0, clamp=math.inf, most=100_000):
    """Return how a march from 0 to `stop` ends; its first sample is not filled by the march."""
    assert march.begin(0.0, stop, clamp)
    return march.go(stop, most, 0)


def swinging(t, amplitude):
    """Return the angle of a pendulum that is let go at an amplitude: sin(theta/2) = k sn(K - w t)."""
    k, w = math.sin(0.5 * amplitude), math.sqrt(G / LENGTH)
    sn, _, _, _ = ellipj(ellipk(k * k) - w * t, k * k)
    return 2.0 * np.arcsin(k * sn)


def whirling(t, omega):
    """Return the angle of a pendulum that passes its lowest point with omega and goes over the top: theta = 2 am."""
    k = 2.0 * math.sqrt(G / LENGTH) / omega
    return 2.0 * ellipj(0.5 * omega * t, k * k)[3]


def test_a_pendulum_in_two_coordinates_follows_elliptic_functions():
    march = Pendulum(TIMES, 2.0, 0.0, rtol=1e-10)
    assert gone(march) == REACHED
    expected = swinging(TIMES, 2.0)
    np.testing.assert_allclose(march.samples[1:, 4], expected[1:], rtol=0, atol=1e-8)
    np.testing.assert_allclose(march.samples[1:, 0], LENGTH * np.sin(expected[1:]), rtol=0, atol=1e-8)
    np.testing.assert_allclose(march.samples[1:, 1], -LENGTH * np.cos(expected[1:]), rtol=0, atol=1e-8)


def test_what_is_carried_along_counts_turns():
    march = Pendulum(TIMES, 0.0, 12.0, rtol=1e-10)
    assert gone(march) == REACHED
    assert march.samples[-1, 4] > 8.0 * math.pi
    np.testing.assert_allclose(march.samples[1:, 4], whirling(TIMES, 12.0)[1:], rtol=0, atol=1e-7)


def test_every_sample_satisfies_the_rows_and_without_projection_none_does():
    def opened(march):
        assert gone(march) == REACHED
        x, z, u, w = march.samples[1:, :4].T
        return np.abs(np.hypot(x, z) - LENGTH), np.abs(x * u + z * w) / LENGTH

    held, adrift = (opened(Pendulum(TIMES, 2.0, 0.0, rtol=1e-6, **do)) for do in ({}, {"do": drift}))
    assert max(np.max(part) for part in held) < 1e-14
    assert min(np.max(part) for part in adrift) > 1e-8


def test_steps_are_noted_and_taken_again_as_they_are_told():
    """Half as long, a method of order eight leaves 2^8 times less, or better."""
    march, ends = Pendulum(TIMES, 2.0, 0.0, rtol=1e-8), np.full(200, np.nan)
    march.note(ends)
    assert gone(march) == REACHED
    told = np.append(0.0, ends[: march.steps])
    assert march.steps < 200 and told[-1] == 6.0 and np.all(np.diff(told) > 0.0)

    def off(times):
        other = Pendulum(TIMES, 2.0, 0.0, rtol=1e-4)
        other.tell(times)
        assert gone(other) == REACHED and other.steps == len(times) - 1
        return other.samples[-1, 4] - swinging(6.0, 2.0)

    same, finer = off(told), off(np.interp(np.arange(0.0, len(told) - 0.9, 0.5), np.arange(len(told)), told))
    assert same == pytest.approx(march.samples[-1, 4] - swinging(6.0, 2.0), abs=1e-13)
    assert same / finer > 2.0**8  # seen: 570


def test_told_steps_go_on_with_the_last_and_none_that_is_too_long_is_taken():
    march = Pendulum(TIMES, 2.0, 0.0, rtol=1e-8)
    march.tell(np.array([0.0, 0.04, 0.09]))
    assert gone(march, 0.2) == REACHED
    assert (march.steps, march.t) == (5, 0.2)  # to 0.04, 0.09, 0.14, 0.19 and the end
    march = Pendulum(TIMES, 2.0, 0.0, rtol=1e-8)
    march.tell(np.array([0.0, 0.05, 2.0]))
    assert gone(march, 2.0) == TOO_LONG
    assert (march.steps, march.t) == (1, 0.05)


def test_the_certificate_has_the_gaps_before_projection_and_the_energies_of_all_steps():
    march = Pendulum(TIMES, 2.0, 0.0, rtol=1e-8)
    assert gone(march) == REACHED
    found = march.certificate()
    assert 1e-14 < found.position < 1e-6
    assert 1e-14 < found.velocity < 1e-6
    assert found.energy_error < 1e-6
    lowest, highest = -G * LENGTH, -G * LENGTH * math.cos(2.0)
    assert lowest <= found.potential_low <= lowest + 0.05 * (highest - lowest)
    assert found.potential_high == pytest.approx(highest, abs=1e-6)
    assert found.kinetic == pytest.approx(highest - found.potential_low, abs=1e-6)


def test_arrive_comes_once_for_every_step_that_counts_and_energies_are_asked_where_slope_was_last():
    march = Pendulum(TIMES, 2.0, 0.0)
    assert gone(march) == REACHED
    assert march.stats()["rejected"] > 0
    assert march.work.noted[ARRIVED] == march.steps + 1  # and once where it began
    assert march.work.noted[ELSEWHERE] == 0


def test_no_slope_is_asked_for_when_a_signal_has_jumped():
    clamp = math.nextafter(6.0, 0.0)
    march = Pendulum(TIMES, 2.0, 0.0)
    assert gone(march, clamp=clamp) == REACHED
    assert march.work.noted[LATEST] == clamp
    assert march.t == 6.0


def test_steps_one_by_one_and_all_at_once_lead_to_the_same_samples_to_the_last_bit():
    whole, pieces = Pendulum(TIMES, 2.0, 0.0), Pendulum(TIMES, 2.0, 0.0)
    gone(whole)
    assert pieces.begin(0.0, 6.0, math.inf)
    done, code, looked = 0, PAUSED, []
    while code == PAUSED:
        code = pieces.go(6.0, 1, done)
        while done < len(TIMES) and TIMES[done] <= pieces.t:
            looked.append(pieces.at(float(TIMES[done])) if done else pieces.samples[0])
            done += 1
    assert code == REACHED
    np.testing.assert_array_equal(pieces.samples, whole.samples)
    np.testing.assert_array_equal(np.array(looked), whole.samples)


def test_beside_a_singular_pose_stages_are_held_on_the_rows_and_steps_end_at_samples():
    free, held = (Pendulum(TIMES, 2.0, 0.0, pivot=pivot) for pivot in (1.0, 1e-3))
    gone(free)
    assert held.begin(0.0, 6.0, math.inf)
    ends, done, code = [], 1, PAUSED
    while code == PAUSED:
        code = held.go(6.0, 1, done)
        ends.append(held.t)
        done += int(held.t >= TIMES[done])
    assert code == REACHED
    assert set(TIMES[1:].tolist()) <= set(ends)
    assert held.work.noted[PROJECTED] > 8 + held.steps  # of a leg's beginning, and of each step
    np.testing.assert_allclose(held.samples[1:, 4], swinging(TIMES, 2.0)[1:], rtol=0, atol=1e-6)


def test_a_step_whose_dense_output_meets_a_singular_pose_is_taken_back_and_ends_at_its_sample():
    free = Pendulum(TIMES, 0.0, 12.0)
    assert free.begin(0.0, 6.0, math.inf)
    begin = 0.0
    while True:
        assert free.go(6.0, 1, 0) == PAUSED
        inside = TIMES[(TIMES > begin) & (TIMES < free.t)]
        if free.steps > 5 and len(inside):
            break
        begin = free.t
    h = free.t - begin
    # stage 14 of the method, 0.2 h ahead, serves dense output only
    march = Pendulum(TIMES, 0.0, 12.0, pivot=1e-3, when=begin + 0.2 * h, width=1e-3 * h)
    assert march.begin(0.0, 6.0, math.inf)
    assert march.go(6.0, free.steps, 0) == PAUSED
    assert march.t == inside[0]
    assert march.work.noted[ARRIVED] == march.steps + 1
    assert march.go(6.0, 100_000, int(np.searchsorted(TIMES, march.t, side="right"))) == REACHED
    np.testing.assert_allclose(march.samples[1:, 4], whirling(TIMES, 12.0)[1:], rtol=0, atol=1e-6)


def test_a_motion_that_meets_no_inertia_ends_the_march():
    march = Pendulum(TIMES, 2.0, 0.0, inertia=1e-13)
    assert gone(march) == SINGULAR
    assert march.steps == 0


def test_where_forces_are_stiff_all_samples_up_to_the_state_to_hand_over_are_filled():
    """With heavy damping the pendulum creeps; theta' = -(g/(c l)) sin(theta) after a moment: tan(theta/2) decays."""
    times = np.linspace(0.0, 1.0, 200_001)
    march = Pendulum(times, 1.0, 0.0, damping=1e6, rtol=1e-6)
    assert gone(march, stop=1.0) == STIFF
    t, state = march.safe()
    assert t == march.t
    filled = times <= t
    assert filled.sum() > 10
    assert np.all(march.samples[1:][filled[1:], 1] < 0.0)
    np.testing.assert_array_equal(march.samples[1:][~filled[1:]], 0.0)
    rate = G / (1e6 * LENGTH)
    assert state[4] == pytest.approx(2.0 * math.atan(math.tan(0.5) * math.exp(-rate * t)), abs=1e-9)


SECOND = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from tests.support.toy_engine import Pendulum
from particlemech import _jit
march = Pendulum(np.linspace(0.0, 1.0, 5), 2.0, 0.0)
march.begin(0.0, 1.0, 1e9)
march.go(1.0, 1000, 0)
loaded = sum(sum(k.stats.cache_hits.values()) for k in _jit.ENTRIES)
print(json.dumps([_jit.LEAN, loaded, [x.hex() for x in march.samples[-1].tolist()]]))
"""


@pytest.mark.parametrize("kind", ["lean", "ordinary"])
def test_a_march_is_found_on_disk_by_the_next_process(kind, tmp_path):
    environment = os.environ | {"PARTICLEMECH_CACHE": str(tmp_path), "PARTICLEMECH_KERNELS": kind}
    command = [sys.executable, "-c", SECOND, str(Path(__file__).parents[1])]
    said = [
        json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert [one[:2] for one in said] == [[kind == "lean", 0], [kind == "lean", 1]]
    assert said[0][2] == said[1][2]


THIRD = """
import json, sys
sys.path[:0] = sys.argv[1:3]
from importlib import import_module
import numpy as np
said = []
for name in sys.argv[3:]:
    march = import_module(name).Pendulum(np.linspace(0.0, 1.0, 5), 2.0, 0.0)
    march.begin(0.0, 1.0, 1e9)
    march.go(1.0, 1000, 0)
    said.append([x.hex() for x in march.samples[-1].tolist()])
print(json.dumps(said))
"""


def test_engines_whose_functions_have_the_same_names_do_not_meet_when_both_come_from_the_disk(tmp_path):
    """Kernels of one name and number, compiled by two processes, are one to the linker of a third."""
    source = (Path(__file__).parents[1] / "support" / "toy_engine.py").read_text(encoding="utf-8")
    assert "-m.number[G]" in source
    (tmp_path / "moon_engine.py").write_text(source.replace("m.number[G]", "(m.number[G] / 6.0)"), encoding="utf-8")
    environment = os.environ | {"PARTICLEMECH_CACHE": str(tmp_path / "cache"), "PARTICLEMECH_KERNELS": "lean"}

    def said(*names):
        command = [sys.executable, "-c", THIRD, str(Path(__file__).parents[1] / "support"), str(tmp_path), *names]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    earth, moon = said("toy_engine"), said("moon_engine")
    assert earth != moon
    assert said("toy_engine", "moon_engine") == earth + moon
