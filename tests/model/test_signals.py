"""Signals: their values and derivatives, where they break, and what they refuse."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import drivers, forces, signals
from particlemech.model import programs
from particlemech.model.scope import Scope
from particlemech.model.signals import jump, values
from tests.support.problems import FORMULATIONS, hold, rotor, slider

T = np.linspace(0.0, 2.0, 41)
TABLE = signals.Table(t=(-0.5, 0.0, 0.7, 1.1, 2.0), value=(0.3, 0.0, 0.4, -0.1, 0.2), interpolation="smooth")
SPLINE = CubicSpline(TABLE.t, TABLE.value)
W = 2 * math.pi * 1.3
MOVE = signals.Cycloid(start=0.4, end=-1.0, duration=0.92)  # parts begin and end beside the times T
COURSE = Path(__file__).parents[1] / "data" / "course.csv"  # the points of TABLE, and a force
SWAY = signals.Sine(amplitude=0.8, frequency=0.7, phase=0.3)
V = 2 * math.pi * 0.7
SPELLS = (0.37, 0.21, 0.53)  # of the moves of a program, which meet beside the times T


def cycloid(t):
    """Return MOVE by its formula."""
    if t >= 0.92:
        return -1.0, 0.0, 0.0
    a = 2.0 * math.pi / 0.92
    return (
        0.4 - 1.4 * (t / 0.92 - math.sin(a * t) / (2.0 * math.pi)),
        -1.4 / 0.92 * (1.0 - math.cos(a * t)),
        (-1.4 / 0.92 * a * math.sin(a * t)),
    )


def sway(t):
    """Return SWAY by its formula."""
    return 0.8 * math.sin(V * t + 0.3), 0.8 * V * math.cos(V * t + 0.3), -0.8 * V * V * math.sin(V * t + 0.3)


def times(f, g):
    """Return the product of two functions with its derivatives."""
    return f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2]


def program(t):
    """Return a rise by 2 with 3-4-5, a dwell, and a return with 4-5-6-7, again and again."""
    t = t % sum(SPELLS)
    if t < SPELLS[0]:
        u, T = t / SPELLS[0], SPELLS[0]
        s = 10 * u**3 - 15 * u**4 + 6 * u**5, 30 * u**2 - 60 * u**3 + 30 * u**4, 60 * u - 180 * u**2 + 120 * u**3
        return 1.0 + 2.0 * s[0], 2.0 * s[1] / T, 2.0 * s[2] / T**2
    if t < SPELLS[0] + SPELLS[1]:
        return 3.0, 0.0, 0.0
    u, T = (t - SPELLS[0] - SPELLS[1]) / SPELLS[2], SPELLS[2]
    s = 35 * u**4 - 84 * u**5 + 70 * u**6 - 20 * u**7, 140 * u**3 - 420 * u**4 + 420 * u**5 - 140 * u**6, 0.0
    s2 = 420 * u**2 - 1680 * u**3 + 2100 * u**4 - 840 * u**5
    return 3.0 - 2.0 * s[0], -2.0 * s[1] / T, -2.0 * s2 / T**2


def trapezoid(t):
    """Return a move by 3 within 1.13 s with ramps of 0.26 s."""
    speed, ramp, end = 3.0 / (1.13 - 0.26), 0.26, 1.13
    if t < ramp:
        return 0.5 * speed / ramp * t**2, speed / ramp * t, speed / ramp
    if t < end - ramp:
        return 0.5 * speed * ramp + speed * (t - ramp), speed, 0.0
    if t < end:
        return 3.0 - 0.5 * speed / ramp * (end - t) ** 2, speed / ramp * (end - t), -speed / ramp
    return 3.0, 0.0, 0.0


def pulse(t):
    """Return a pulse of 4 over 1 from 0.33 to 1.47 s with edges of 0.2 s and 0.1 s."""
    if t < 0.33 or t >= 1.47:
        return 1.0, 0.0, 0.0
    if t < 0.53:
        return 1.0 + 3.0 * (t - 0.33) / 0.2, 15.0, 0.0
    return (4.0, 0.0, 0.0) if t < 1.37 else (4.0 - 3.0 * (t - 1.37) / 0.1, -30.0, 0.0)


CASES = {
    "file": (
        signals.File(path=str(COURSE), interpolation="smooth"),
        lambda t: tuple(float(SPLINE(t, n)) for n in range(3)),
    ),
    "sum": (
        signals.Sum(parts=(SWAY, MOVE, 0.25)),
        lambda t: tuple(a + b + c for a, b, c in zip(sway(t), cycloid(t), (0.25, 0.0, 0.0), strict=True)),
    ),
    "product": (signals.Product(factors=(SWAY, MOVE)), lambda t: times(sway(t), cycloid(t))),
    "scaled": (
        signals.Scaled(signal=MOVE, factor=-3.0, offset=0.5),
        lambda t: tuple(-3.0 * a + b for a, b in zip(cycloid(t), (0.5, 0.0, 0.0), strict=True)),
    ),
    "delayed": (
        signals.Delayed(signal=MOVE, delay=0.47),
        lambda t: cycloid(t - 0.47) if t > 0.47 else (0.4, 0.0, 0.0),
    ),
    "periodic": (
        signals.Periodic(signal=signals.Product(factors=(SWAY, MOVE)), period=0.73),
        lambda t: times(sway(t % 0.73), cycloid(t % 0.73)),
    ),
    "pulse": (signals.Pulse(value=4.0, start=0.33, width=1.14, before=1.0, rise=0.2, fall=0.1), pulse),
    "trapezoid": (signals.Trapezoid(end=3.0, duration=1.13, ramp=0.26), trapezoid),
    "program": (
        signals.Program(
            start=1.0, to=(3.0, 3.0, 1.0), times=SPELLS, law=("3-4-5", "3-4-5", "4-5-6-7"), extend="repeat"
        ),
        program,
    ),
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
    with pytest.raises(pm.ModelError, match=r'the table of its "[a-z]+" ends at 1 s, and the run lasts to 1.2 s'):
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


# -- motion programs -------------------------------------------------------------------------------------------------

PEAKS = {  # of velocity and acceleration of a rise by 1 within 1: Norton, table 2-4
    "harmonic": (math.pi / 2.0, math.pi**2 / 2.0),
    "cycloidal": (2.0, 2.0 * math.pi),
    "modified sine": (4.0 * math.pi / (4.0 + math.pi) * 1.0, 4.0 * math.pi**2 / (4.0 + math.pi)),
    "modified trapezoid": (2.0, 8.0 * math.pi / (2.0 + math.pi)),
    "3-4-5": (15.0 / 8.0, 10.0 / math.sqrt(3.0)),
    "4-5-6-7": (35.0 / 16.0, 84.0 * math.sqrt(5.0) / 25.0),
}


def test_every_law_of_motion_is_tried():
    assert set(PEAKS) == set(programs.LAWS)


@pytest.mark.parametrize("law", PEAKS)
def test_a_rise_has_the_peaks_of_its_law_and_is_the_same_backwards(law):
    spec = signals.Program(to=(1.0,), times=(1.0,), law=law)
    t = np.linspace(0.0, 1.0, 20001)[:-1]
    s, rate, second = np.array([values(spec, u) for u in t]).T
    assert s[0] == 0.0 and values(spec, 1.0) == pytest.approx((1.0, 0.0, 0.0), abs=1e-14)
    assert rate.max() == pytest.approx(PEAKS[law][0], rel=1e-7)
    assert np.abs(second).max() == pytest.approx(PEAKS[law][1], rel=1e-7)
    assert s[1:] + s[:0:-1] == pytest.approx(np.ones(len(t) - 1), abs=1e-12)
    # the rate is the integral of the second derivative, and the value that of the rate: Simpson's rule
    for whole, slope in ((s, rate), (rate, second)):
        sums = (slope[:-2:2] + 4.0 * slope[1:-1:2] + slope[2::2]) / 60000.0
        assert whole[2::2] - whole[:-2:2] == pytest.approx(sums, abs=1e-11)


@pytest.mark.parametrize("law", [law for law in PEAKS if law != "harmonic"])
def test_accelerations_are_zero_where_moves_meet(law):
    spec = signals.Program(to=(1.0, 1.0, -2.0), times=(0.5, 0.25, 1.0), law=law)
    for t in (0.0, 0.5, 0.75, 1.75):
        for beside in (max(t - 1e-13, 0.0), t):
            assert values(spec, beside)[1:] == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("law", PEAKS)
def test_a_driver_follows_a_program_round_after_round(law, formulation):
    spec = signals.Program(to=(1.5, 1.5, 0.0), times=(0.4, 0.1, 0.3), law=law, extend="repeat")
    result = pm.simulate(rotor(drivers={"motor": motor(spec)}), duration=2.5, samples=101, formulation=formulation)
    exact = np.array([values(spec, t) for t in result.t])
    assert result.coordinate("O") == pytest.approx(exact[:, 0], abs=1e-9)
    assert result.rate("O") == pytest.approx(exact[:, 1], abs=1e-8)
    inside = np.min(np.abs(result.t[:, None] - [k * 0.8 + b for k in range(4) for b in (0.0, 0.4, 0.5)]), axis=1) > 1e-9
    assert result.alpha("disc")[inside] == pytest.approx(exact[inside, 2], abs=1e-7)


def test_a_driver_in_space_follows_a_program_too():
    spec = signals.Program(to=(0.5, 0.0), times=(0.4, 0.6), law="3-4-5")
    chain = pm.models.hanging_chain(1, length=1.0, mass=2.0)
    drive = {"pull": pm.space.drivers.Coordinate(joint="pin1", coordinate="angle1", motion=spec)}
    result = pm.simulate(chain.replaced(drivers=drive), duration=1.2, samples=25)
    exact = np.array([values(spec, t)[0] for t in result.t])
    assert result.coordinate("pin1", "angle1") == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "smooth"),
    [
        (signals.Delayed(signal=MOVE, delay=0.3), True),
        (signals.Delayed(signal=signals.Linear(rate=1.0), delay=0.3), False),
        (signals.Delayed(signal=signals.Linear(rate=1.0), delay=0.0), True),
        (signals.Periodic(signal=SWAY, period=1.0 / 0.7), True),
        (signals.Periodic(signal=SWAY, period=1.0), False),
        (signals.Sum(parts=(MOVE, SWAY)), True),
        (signals.Sum(parts=(MOVE, signals.Step(time=1.0, after=2.0))), False),
        (signals.Program(to=(1.0,), times=(1.0,), extend="repeat"), False),
        (signals.Pulse(value=1.0, width=1.0, rise=0.5, fall=0.5), False),
    ],
)
def test_what_is_made_of_signals_can_be_followed_where_its_rate_does_not_jump(spec, smooth):
    assert spec.smooth is smooth


def test_what_is_made_of_segments_may_be_shaped():
    """Where a sum, a product or a program is no list of cubics, what needs one says so."""
    late = signals.Delayed(signal=MOVE, delay=0.3)
    assert signals.Shaped(signal=late, delays=(0.0, 0.2), shares=(0.5, 0.5)).at(0.6)[0] == pytest.approx(
        0.5 * (values(late, 0.6)[0] + values(late, 0.4)[0]), abs=1e-14
    )
    with pytest.raises(pm.ModelError, match="a sum of these is no list of cubics, which this needs; give a table"):
        signals.Shaped(signal=signals.Sum(parts=(SWAY, MOVE)), delays=(0.0,), shares=(1.0,)).segments()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (
            lambda: signals.Program(to=(1.0,), times=(1.0, 2.0)),
            'keys "to" and "times" need the same length, got 1 and 2',
        ),
        (lambda: signals.Program(to=(1.0,), times=(0.0,)), 'key "times": must be above zero, got 0'),
        (lambda: signals.Program(to=(), times=()), 'key "times": expected one or more durations, got none'),
        (lambda: signals.Program(to=(1.0,), times=(1.0,), law="3-4"), 'key "law": .*3-4'),
        (
            lambda: signals.Program(to=(1.0, 0.0, 1.0), times=(1.0, 1.0, 1.0), law=("3-4-5", "harmonic")),
            'key "law": one of all moves, or 3, one of each, got 2',
        ),
        (
            lambda: signals.Pulse(value=1.0, width=0.2, rise=0.2, fall=0.1),
            "edges of 0.2 s and 0.1 s do not fit into a wid",
        ),
        (
            lambda: signals.Trapezoid(end=1.0, duration=1.0, ramp=0.6),
            'key "ramp": 0.6 s is more than half of the durati',
        ),
        (
            lambda: signals.Periodic(signal=TABLE, period=3.0),
            "the signal ends at 2 s, before its period of 3 s; short",
        ),
        (lambda: signals.Sum(parts=(SWAY,)), 'key "parts": expected two or more signals, got 1'),
        (lambda: signals.Delayed(signal=SWAY, delay=-1.0), 'key "delay": must not be negative, got -1'),
        (lambda: motor(signals.Periodic(signal=SWAY, period=1.0)), "cannot|jump"),
    ],
)
def test_what_cannot_be_made_of_signals_is_refused_in_one_line(build, words):
    with pytest.raises(pm.ModelError, match=words) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_a_file_is_read_from_the_folder_of_the_model_and_kept_as_a_table(tmp_path):
    (tmp_path / "push.csv").write_text("t,drive,load\n0,0,2\n1,1,4\n2,4,6\n", encoding="utf-8")
    model = tmp_path / "model.toml"
    model.write_text(
        """
        points = { O = [0, 0], P = [1, 0] }
        bodies.b = { points = ["O", "P"], mass = 1 }
        joints.O = { type = "revolute", point = "O", bodies = ["ground", "b"] }
        [forces.f]
        type = "torque"
        bodies = ["ground", "b"]
        torque = { type = "file", path = "push.csv", column = "load" }
        """,
        encoding="utf-8",
    )
    torque = pm.load(model).forces["f"].torque
    assert torque == signals.Table(t=(0.0, 1.0, 2.0), value=(2.0, 4.0, 6.0))
    beside = pm.save(pm.load(model), tmp_path / "beside.toml")
    assert "push.csv" in beside.read_text(encoding="utf-8") and pm.load(beside).forces["f"].torque == torque
    (tmp_path / "elsewhere").mkdir()  # where the file is not: numbers stand in its place
    kept = pm.save(pm.load(model), tmp_path / "elsewhere" / "kept.toml")
    assert "push.csv" not in kept.read_text(encoding="utf-8") and pm.load(kept).forces["f"].torque == torque


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"path": "nowhere.csv"}, 'file "nowhere.csv": no such file'),
        ({"path": str(COURSE), "column": "torque"}, 'no column "torque"; its columns: t, value, force'),
        ({"path": str(COURSE), "time": "value"}, "times must increase|must begin at t = 0 or before"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_line(keys, words):
    with pytest.raises(pm.ModelError, match=words) as caught:
        motor(signals.File(**keys))
    assert "\n" not in str(caught.value)


def test_a_run_beyond_a_table_names_the_part_that_it_belongs_to():
    short = signals.Table(t=(0.0, 1.0), value=(0.0, 1.0))
    pushed = pm.models.load("pendulum").replaced(
        forces={"gust": pm.forces.Load(body="rod", point="P", force=(1.0, short))}, check={"end": {}}
    )
    with pytest.raises(
        pm.ModelError, match=r'^force "gust": the table of its "force" ends at 1 s, and the run lasts to 2'
    ):
        pm.simulate(pushed, duration=2.0)


@pytest.mark.parametrize(
    ("spec", "at"),
    [
        (signals.Step(time=0.5, before=0.0, after=2.0), 0.5),
        (signals.Step(time=0.0, before=0.0, after=2.0), None),
        (signals.Sine(amplitude=1.0, frequency=2.0), None),
        (signals.Table(t=(0.0, 1.0, 1.0 + 1e-5, 2.0), value=(0.0, 0.0, 1.0, 1.0), interpolation="linear"), None),
        (signals.Table(t=(0.0, 1.0), value=(0.0, 4.0), interpolation="linear", extend="repeat"), 1.0),
    ],
)
def test_jumps_are_told_from_steep_edges(spec, at):
    assert jump(spec) == at
