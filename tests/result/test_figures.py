"""Figures by name: numbers of motions and analyses that a text asks for."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import particlemech as pm
from particlemech.result.extremes import highest
from particlemech.result.figures import Curves, Figure, figure, figures_of, reduced


@pytest.fixture(scope="module")
def turning():
    """Return a crank-rocker that a motor turns evenly, once."""
    motor = pm.drivers.Coordinate(joint="O", motion=pm.signals.Linear(rate=-2.0 * math.pi))
    driven = pm.models.load("four_bar").replaced(initial=pm.Initial(), drivers={"motor": motor})
    return pm.simulate(driven, duration=1.0, samples=201)


def test_reductions_of_a_sine_are_those_of_textbooks():
    t = np.linspace(0.0, 1.0, 401)
    x = 3.0 * np.sin(2.0 * np.pi * t) - 1.0
    said = {
        name: float(reduced(name, t, x[None])[0])
        for name in ("min", "max", "range", "peak", "first", "last", "mean", "rms")
    }
    wanted = {"min": -4, "max": 2, "range": 6, "peak": 4, "first": -1, "last": -1, "mean": -1, "rms": math.sqrt(5.5)}
    assert said == pytest.approx(wanted, abs=1e-12)


def test_averages_are_over_time_not_over_samples():
    t = np.array([0.0, 0.1, 0.2, 1.0])
    assert reduced("mean", t, t[None]) == pytest.approx(0.5, abs=1e-15)


def test_what_is_not_known_is_left_out_and_nan_where_nothing_is():
    t = np.arange(3.0)
    x = np.array([[1.0, np.nan, 2.0], [np.nan] * 3])
    for name, wanted in (("max", 2.0), ("min", 1.0), ("peak", 2.0), ("first", 1.0), ("last", 2.0), ("mean", 1.5)):
        assert reduced(name, t, x) == pytest.approx([wanted, np.nan], nan_ok=True)


def test_the_top_of_a_wave_is_found_between_samples():
    t = np.linspace(0.0, 1.0, 51)
    top = np.linspace(0.2, 0.8, 40)  # 50 samples per turn: (2 pi/50)^8/1000 = 6e-11
    value, at = highest(t, np.cos(2.0 * np.pi * (t - top[:, None])))
    assert value == pytest.approx(1.0, abs=1e-10)
    assert at == pytest.approx(top, abs=1e-8)
    ends = highest(t, np.array([t, -t, np.full(51, 20.0)]))  # at an end, and nowhere in particular
    assert np.array_equal(ends, [[1.0, 0.0, 20.0], [1.0, 0.0, 0.0]])


def test_corners_jumps_and_gaps_keep_the_largest_sample():
    t = np.linspace(0.0, 1.0, 51)
    corner, jump, gap = -np.abs(t - 0.509), np.where(t < 0.509, t, -1.0), np.cos(t - 0.509)
    gap[27] = np.nan  # beside the largest
    for x in (corner, jump, -jump, gap):
        assert highest(t, x[None])[0] == np.nanmax(x)
    gap[27], gap[40] = np.cos(t[27] - 0.509), np.nan
    assert highest(t, gap[None])[0] == pytest.approx(1.0, abs=1e-13)


def test_extremes_of_modes_are_those_of_the_numbers_themselves():
    found = SimpleNamespace(frequency=np.array([1.0, 4.0, 9.0, 9.5, 9.0, 7.0, 5.0, 2.0]))
    assert figure("modes.frequency.max").of(found) == 9.5


def test_figures_are_numbers_of_the_same_columns(turning):
    columns, names = turning.columns(), ("motor.effort", "B.x", "rocker.omega", "C.vy", "A.coupler.fx", "energy.work")
    for name in names:
        size = np.ptp(columns[name])
        for reduction, wanted, sign in (("max", np.max, 1.0), ("min", np.min, -1.0), ("range", np.ptp, 1.0)):
            beyond = sign * (figure(f"{name}.{reduction}").of(turning) - wanted(columns[name]))
            assert 0.0 <= beyond <= 1e-2 * size  # between samples too, 200 a turn
        assert figure(f"{name}.max").of(turning) == turning.measures().extremes(name)[1].value  # one definition
        assert figure(f"{name}[-1]").of(turning) == columns[name][-1]
        assert np.array_equal(figure(name).of(turning), columns[name])


def test_the_size_of_a_vector_is_a_curve(turning):
    speed = np.linalg.norm(turning.velocity("B"), axis=1)
    assert figure("B.v.max").of(turning) == pytest.approx(speed.max(), rel=1e-3)
    assert np.array_equal(figure("B.v").of(turning), speed)
    force = np.linalg.norm(turning.reaction("B", on="rocker"), axis=1)
    assert figure("B.rocker.f.peak").of(turning) == pytest.approx(force.max(), rel=1e-3)


def test_the_least_transmission_angle_of_a_crank_rocker_is_where_crank_and_frame_are_in_line(turning):
    # law of cosines at the pin B, with the crank folded over the frame and stretched away from it
    a, b, c, d = 0.1, math.sqrt(0.13), 0.3, 0.3
    angles = [math.acos((b * b + c * c - (d + s * a) ** 2) / (2 * b * c)) for s in (1, -1)]
    worst = min(min(mu, math.pi - mu) for mu in angles)
    # 201 samples of a turn, the start among them, meet both poses
    assert figure("transmission.min").of(turning) == pytest.approx(worst, abs=1e-9)


def test_one_number_each_for_energy_closure_and_time(turning):
    found = figures_of(turning, [figure(name) for name in ("energy_error", "closure", "duration")])
    assert found["duration"] == 1.0
    assert found["closure"] == turning.closure.position.max()
    assert found["energy_error"] == np.abs(turning.energy.error).max() / turning.energy.scale


def test_frequencies_and_rest_positions_are_figures():
    rod = pm.models.chain(1, length=0.5)  # a uniform rod swings with omega^2 = 3 g/(2 L)
    first = math.sqrt(3.0 * 9.81 / (2.0 * 0.5)) / (2.0 * math.pi)
    modes = pm.modes(rod, "equilibrium")
    assert figure("modes.frequency[0]").of(modes) == pytest.approx(first, rel=1e-9)
    assert figure("frequency.min", "modes").of(modes) == pytest.approx(first, rel=1e-9)
    assert figure("equilibrium.P1.y").of(pm.equilibrium(rod)) == pytest.approx(-0.5, abs=1e-9)


def test_a_subject_may_be_the_name_of_a_part_if_it_is_said_first():
    assert figure("run.cycle.x.max") == Figure("run.cycle.x.max", "run", "cycle.x", "max")
    assert figure("cycle.x.max").subject == "cycle"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a figure is a text"),
        (3, "a figure is a text"),
        ("B.x[a]", "a figure is a text"),
        ("B.x.max.max", "and after it one of"),
        ("max", "and after it one of"),
        ("B..x", "expected a column"),
        ("B.x.max[0]", '"max" is one number'),
    ],
)
def test_a_text_that_is_no_figure_is_refused(text, said):
    with pytest.raises(pm.ModelError, match=said):
        figure(text)


def test_unknown_curves_are_named_with_what_was_meant(turning):
    with pytest.raises(pm.ModelError, match=r'"moter.effort" unknown \(did you mean "motor.effort"\?\)'):
        figure("moter.effort.max").of(turning)
    with pytest.raises(pm.ModelError, match=r'"frequencies" unknown \(did you mean "frequency"\?\)'):
        figure("modes.frequencies[0]").of(pm.modes(pm.models.load("cantilever")))
    with pytest.raises(pm.ModelError, match=r'"B.coupler.f" unknown; .* second body: "B.rocker.f"'):
        figure("B.coupler.f.max").of(turning)
    with pytest.raises(pm.ModelError, match="there are 201 values"):
        figure("B.x[201]").of(turning)
    with pytest.raises(pm.ModelError, match="no output"):
        figure("transmission.min").of(pm.simulate(pm.models.load("pendulum"), duration=0.1, samples=5))


def test_tables_of_columns_are_made_once_for_several_figures(turning):
    class Counted(SimpleNamespace):
        made = 0

        def columns(self):
            self.made += 1
            return turning.columns()

    seen = Counted(system=turning.system, t=turning.t)
    curves = Curves(seen)
    values = [figure(f"B.ax.{name}").read(curves) for name in ("first", "last")]
    assert values == [turning.acceleration("B")[0, 0], turning.acceleration("B")[-1, 0]]
    assert seen.made == 1


@pytest.mark.parametrize("model", ["four_bar", "slider_crank", "rssr", "universal_shaft", "gyroscope"])
def test_a_curve_alone_is_that_of_the_table_to_the_last_bit(model):
    mechanism = pm.models.load(model)
    result = pm.simulate(mechanism, duration=0.05, samples=4)
    table, curves = result.columns(), Curves(result)
    curves.__dict__["_columns"] = {}  # what is no curve alone is not known then
    alone = [name for name in table if curves._cheap(name) is not None]
    places = [f"{point}.{word}{axis}" for point in mechanism.points for word in ("", "v") for axis in "xyz"]
    assert {*places} & {*table} <= {*alone}
    assert all(np.array_equal(curves[name], table[name], equal_nan=True) for name in alone)


def test_figures_have_the_units_of_their_curves(turning):
    from particlemech.model.columns import unit_of

    m = turning.system.mechanism
    names = ("motor.effort", "B.v", "B.rocker.f", "transmission", "frequency", "energy_error", "closure", "duration")
    assert [unit_of(m, name) for name in names] == ["N m", "m/s", "N", "rad", "Hz", "1", "m", "s"]
