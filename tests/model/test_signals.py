"""Signals: their values and derivatives, where they break, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import drivers, forces, signals
from particlemech.model.scope import Scope
from particlemech.model.signals import values
from tests.support.problems import FORMULATIONS, hold, rotor, slider

T = np.linspace(0.0, 2.0, 41)
TABLE = signals.Table(t=(-0.5, 0.0, 0.7, 1.1, 2.0), value=(0.3, 0.0, 0.4, -0.1, 0.2), interpolation="smooth")
SPLINE = CubicSpline(TABLE.t, TABLE.value)
W = 2 * math.pi * 1.3
MOVE = signals.Cycloid(start=0.4, end=-1.0, duration=0.92)  # parts begin and end beside the times T
CASES = {
    "constant": (signals.Constant(value=2.5), lambda t: (2.5, 0.0, 0.0)),
    "linear": (signals.Linear(rate=3.0, offset=-1.0), lambda t: (3.0 * t - 1.0, 3.0, 0.0)),
    "sine": (
        signals.Sine(amplitude=2.0, frequency=1.3, phase=0.4, offset=0.5),
        lambda t: (
            0.5 + 2.0 * math.sin(W * t + 0.4),
            2.0 * W * math.cos(W * t + 0.4),
            -2.0 * W * W * math.sin(W * t + 0.4),
        ),
    ),
    "cycloid": (
        signals.Cycloid(start=1.0, end=4.0, duration=2.5),
        lambda t: (
            1.0 + 3.0 * (t / 2.5 - math.sin(2 * math.pi * t / 2.5) / (2 * math.pi)),
            3.0 / 2.5 * (1 - math.cos(2 * math.pi * t / 2.5)),
            3.0 * 2 * math.pi / 2.5**2 * math.sin(2 * math.pi * t / 2.5),
        ),
    ),
    "step": (signals.Step(time=0.9, before=1.0, after=-2.0), lambda t: (1.0 if t < 0.9 else -2.0, 0.0, 0.0)),
    "table": (TABLE, lambda t: (float(SPLINE(t)), float(SPLINE(t, 1)), float(SPLINE(t, 2)))),
    "shaped": (
        signals.Shaped(signal=MOVE, delays=(0.0, 0.37, 0.81), shares=(0.25, 0.55, 0.2)),
        lambda t: tuple(
            sum(
                share * values(MOVE, max(t - delay, 0.0))[k]
                for delay, share in ((0.0, 0.25), (0.37, 0.55), (0.81, 0.2))
            )
            for k in range(3)
        ),
    ),
    "expression": (
        signals.Expression(value="exp(-t)*cos(3*t)^2").bound(Scope({}, {}, "SI"), None),
        lambda t: (
            math.exp(-t) * math.cos(3 * t) ** 2,
            -math.exp(-t) * (math.cos(3 * t) ** 2 + 3 * math.sin(6 * t)),
            math.exp(-t) * (math.cos(3 * t) ** 2 + 6 * math.sin(6 * t) - 18 * math.cos(6 * t)),
        ),
    ),
}


def test_every_kind_of_signal_is_tried():
    tried = [signals.Expression if isinstance(spec, signals.Expression) else type(spec) for spec, _ in CASES.values()]
    assert set(tried) == set(signals.KINDS)


@pytest.mark.parametrize("kind", CASES)
def test_value_and_derivatives_equal_their_formula(kind):
    spec, formula = CASES[kind]
    found, exact = np.array([values(spec, t) for t in T]), np.array([formula(t) for t in T])
    hold("signals against formulas", (np.abs(found - exact) / np.maximum(np.abs(exact).max(axis=0), 1.0)).max())


@pytest.mark.parametrize("kind", [k for k, (spec, _) in CASES.items() if spec.smooth])
def test_derivatives_equal_differences(kind):
    spec, _ = CASES[kind]
    h = 1e-4
    for t in T[1:-1]:
        before, here, after = (np.array(values(spec, t + d)) for d in (-h, 0.0, h))
        slope = (after - before) / (2 * h)
        size = 1.0 + np.abs(here).max()
        assert abs(slope[0] - here[1]) <= 1e-5 * size * size
        if min(abs(t - knot) for knot in TABLE.t) > 2 * h:  # the third derivative of a table jumps at its points
            assert abs(slope[1] - here[2]) <= 1e-5 * size * size


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", CASES)
def test_signal_that_pushes_a_block_accelerates_it_by_its_value(kind, formulation):
    """What the kernels compute is what the class says: a = s(t)/m at every sample."""
    spec, formula = CASES[kind]
    load = forces.Load(body="block", point="P", force=(spec, 0.0))
    result = pm.simulate(slider(forces={"push": load}), duration=2.0, samples=41, rtol=1e-6, formulation=formulation)
    exact = np.array([formula(t)[0] for t in result.t]) / 2.0
    inside = np.abs(result.t - 0.9) > 1e-9  # at the jump itself either side will do
    hold("signals in the kernels", np.abs(result.acceleration("P")[:, 0] - exact)[inside].max() / np.abs(exact).max())


def test_cycloid_starts_and_ends_at_rest():
    spec = signals.Cycloid(start=0.5, end=2.0, duration=1.5)
    assert values(spec, 0.0) == pytest.approx((0.5, 0.0, 0.0), abs=1e-14)
    assert values(spec, 1.5) == (2.0, 0.0, 0.0)
    assert values(spec, 9.0) == (2.0, 0.0, 0.0)
    assert values(spec, math.nextafter(1.5, 0.0)) == pytest.approx((2.0, 0.0, 0.0), abs=1e-12)


def test_table_passes_its_points():
    assert [values(TABLE, t)[0] for t in TABLE.t] == pytest.approx(TABLE.value, abs=1e-15)
    assert TABLE.until() == 2.0


def test_table_of_two_points_is_a_straight_line():
    spec = signals.Table(t=(0.0, 2.0), value=(1.0, 5.0))
    assert values(spec, 0.5) == pytest.approx((2.0, 2.0, 0.0), abs=1e-14)


def test_step_has_its_new_value_from_its_time_on():
    spec = signals.Step(time=1.0, before=2.0, after=3.0)
    assert values(spec, math.nextafter(1.0, 0.0))[0] == 2.0
    assert values(spec, 1.0)[0] == 3.0
    assert spec.breaks() == (1.0,)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-8])
def test_run_restarts_where_a_force_jumps(rtol, formulation):
    """Two jumps between samples: the piecewise parabola is met to rounding whatever the tolerance."""
    first = forces.Load(body="block", point="P", force=(signals.Step(time=0.3331, before=0.0, after=4.0), 0.0))
    second = forces.Load(body="block", point="P", force=(signals.Step(time=0.777, before=0.0, after=-10.0), 0.0))
    mechanism = slider(forces={"first": first, "second": second})
    result = pm.simulate(mechanism, duration=1.5, samples=16, rtol=rtol, formulation=formulation)
    one, two = (np.maximum(result.t - t, 0.0) for t in (0.3331, 0.777))
    hold("two jumps", np.abs(result["P"][:, 0] - 1.5 - one**2 + 2.5 * two**2).max() / rtol)
    hold("two jumps, velocity", np.abs(result.velocity("P")[:, 0] - 2.0 * one + 5.0 * two).max() / rtol)


@pytest.mark.parametrize("time", [0.0, -1.0, 5.0])
def test_jump_outside_the_run_is_no_jump(time):
    load = forces.Load(body="block", point="P", force=(signals.Step(time=time, before=2.0, after=6.0), 0.0))
    result = pm.simulate(slider(forces={"push": load}), duration=1.0, samples=3)
    value = 2.0 if time > 1.0 else 6.0
    assert result["P"][-1, 0] == pytest.approx(1.5 + value / 2.0 / 2.0, rel=1e-8)


def test_jump_at_a_sample_counts_from_that_sample_on():
    load = forces.Load(body="block", point="P", force=(signals.Step(time=0.5, before=2.0, after=6.0), 0.0))
    result = pm.simulate(slider(forces={"push": load}), duration=1.0, samples=3)
    assert result.velocity("P")[:, 0] == pytest.approx([0.0, 0.5, 2.0], abs=1e-8)


def test_end_of_a_cycloid_inside_a_run_leaves_the_driver_at_rest():
    motor = drivers.Rotation(bodies=("ground", "disc"), motion=signals.Cycloid(end=3.0, duration=0.61))
    result = pm.simulate(rotor(drivers={"motor": motor}), duration=1.0, samples=11)
    assert result.angle("disc")[-1] == pytest.approx(3.0, abs=1e-13)
    assert np.abs(result.effort("motor")[7:]).max() <= 1e-12
    assert np.abs(result.effort("motor")[1:6]).min() > 0.1


# -- what is refused ---------------------------------------------------------------------------------------------


def motor(motion):
    return drivers.Rotation(bodies=("ground", "disc"), motion=motion)


def test_driver_cannot_follow_a_jump():
    with pytest.raises(pm.ModelError, match=r"a step jumps and cannot be followed"):
        motor(signals.Step(time=1.0, before=0.0, after=1.0))


def test_run_beyond_the_end_of_a_table_is_refused():
    mechanism = rotor(drivers={"motor": motor(signals.Table(t=(0.0, 0.5, 1.0), value=(0.0, 1.0, 1.5)))})
    with pytest.raises(pm.ModelError, match=r"lasts to 1.2 s but a table of a signal ends at 1 s"):
        pm.simulate(mechanism, duration=1.2)
    assert pm.simulate(mechanism, duration=1.0, samples=3).t[-1] == 1.0


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"t": (0.0, 1.0), "value": (1.0,)}, "same length"),
        ({"t": (0.0,), "value": (1.0,)}, "at least 2"),
        ({"t": (0.5, 1.0), "value": (0.0, 1.0)}, "begin at t = 0"),
        ({"t": (0.0, 1.0, 1.0), "value": (0.0, 1.0, 2.0)}, "must increase"),
        ({"t": (0.0, 1e-320, 1.0), "value": (0.0, 1.0, 2.0)}, "too close"),
    ],
)
def test_table_that_is_no_curve_is_refused(keys, words):
    with pytest.raises(pm.ModelError, match=words):
        signals.Table(**keys)


@pytest.mark.parametrize("value", [b"1", (1.0, 2.0), None, math.nan, True])
def test_what_is_no_signal_is_refused(value):
    with pytest.raises(pm.ModelError):
        motor(value)


def test_cycloid_needs_a_duration_above_zero():
    with pytest.raises(pm.ModelError, match="duration"):
        signals.Cycloid(end=1.0, duration=0.0)


# -- shaped signals ----------------------------------------------------------------------------------------------------

ONCE = signals.Shaped(signal=MOVE, delays=(0.0, 0.3), shares=(0.6, 0.4))


def test_shaping_twice_is_shaping_with_all_pairs_of_parts():
    twice = signals.Shaped(signal=ONCE, delays=(0.0, 0.5), shares=(0.7, 0.3))
    pairs = signals.Shaped(signal=MOVE, delays=(0.0, 0.3, 0.5, 0.8), shares=(0.42, 0.28, 0.18, 0.12))
    for t in T:
        assert values(twice, t) == pytest.approx(values(pairs, t), abs=1e-13)


def test_the_parts_of_a_jump_are_jumps():
    spec = signals.Shaped(signal=signals.Step(time=0.2, before=1.0, after=3.0), delays=(0.1, 0.5), shares=(0.5, 0.5))
    assert [values(spec, t)[0] for t in (0.0, 0.29, 0.31, 0.69, 0.71)] == pytest.approx([1.0, 1.0, 2.0, 2.0, 3.0])
    assert {0.2 + 0.1, 0.2 + 0.5} <= set(spec.breaks())
    assert not spec.smooth


@pytest.mark.parametrize(
    ("of", "delays", "smooth"),
    [
        (MOVE, (0.0, 0.3), True),
        (signals.Linear(rate=2.0), (0.0, 0.3), False),
        (signals.Sine(amplitude=1.0, frequency=2.0, phase=0.5 * math.pi), (0.0, 0.3), False),
        (signals.Linear(rate=2.0), (0.0,), True),
    ],
)
def test_a_part_that_sets_off_from_rest_can_be_followed(of, delays, smooth):
    assert signals.Shaped(signal=of, delays=delays, shares=(1.0 / len(delays),) * len(delays)).smooth is smooth


def test_a_shaped_table_ends_with_its_first_part():
    assert signals.Shaped(signal=TABLE, delays=(0.25, 0.5), shares=(0.5, 0.5)).until() == TABLE.t[-1] + 0.25


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"delays": (0.0, 0.5), "shares": (1.0,)}, "same length"),
        ({"delays": (), "shares": ()}, "at least 1"),
        ({"delays": (-0.1, 0.5), "shares": (0.5, 0.5)}, "not negative, got -0.1"),
        ({"delays": (0.0, 0.5, 0.5), "shares": (0.5, 0.25, 0.25)}, "0.5 follows 0.5"),
        ({"delays": (0.0, 0.5), "shares": (0.5, 0.6)}, "sum is 1.1, not 1"),
    ],
)
def test_parts_that_make_no_whole_are_refused(keys, words):
    with pytest.raises(pm.ModelError, match=words):
        signals.Shaped(signal=MOVE, **keys)
