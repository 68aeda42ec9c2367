"""Tables of points as signals: curves between the points, what comes after them, and what nothing can follow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

import particlemech as pm
from particlemech import drivers, forces, space
from particlemech.cli import main
from particlemech.errors import ModelError, ModelWarning
from particlemech.model import toml
from particlemech.model.interpolation import cubics, extremes
from particlemech.model.signals import Shaped, Table, values
from tests.support.problems import FORMULATIONS, rotor, slider

BUMP = {"t": (0.0, 1.0, 1.01, 1.02, 1.03, 2.0), "value": (0.0, 0.0, 0.05, 0.05, 0.0, 0.0)}  # m: a bump of 5 cm


def push(**keys) -> drivers.Coordinate:
    return drivers.Coordinate(joint="guide", motion=Table(**keys))


# -- curves ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 5, 40])
@pytest.mark.parametrize("seed", [0, 1])
def test_curves_are_those_of_scipy(n, seed):
    rng = np.random.default_rng(seed)
    t, y = np.cumsum(rng.uniform(0.1, 2.0, n)), rng.normal(size=n)
    closed = np.append(y[:-1], y[0])
    pairs = [
        (CubicSpline(t, y), cubics("smooth", t, y, "open")),
        (CubicSpline(t, y, bc_type=("not-a-knot", (1, 0.0))), cubics("smooth", t, y, "rest")),
        (CubicSpline(t, closed, bc_type="periodic"), cubics("smooth", t, closed, "round")),
        (PchipInterpolator(t, y), cubics("monotone", t, y, "open")),
    ]
    for exact, found in pairs:
        c = np.zeros((4, n - 1))
        c[4 - len(exact.c) :] = exact.c
        assert np.abs(found.T[::-1] - c).max() <= 1e-12 * np.abs(c).max()


def test_extremes_are_those_of_the_curve_and_not_of_its_points():
    t, y = (0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 0.0, 1.0)
    found = extremes(cubics("smooth", t, y, "open"), t)
    # four points without a knot between: one cubic
    cubic = np.poly1d(np.polyfit(t, y, 3))
    roots = cubic.deriv().roots
    assert found == pytest.approx((cubic(roots).min(), cubic(roots).max()), rel=1e-12)


def test_a_monotone_table_never_leaves_the_two_points_beside():
    rng = np.random.default_rng(3)
    t, y = np.cumsum(rng.uniform(0.01, 2.0, 60)), rng.normal(size=60)
    for end in ("open", "rest", "round"):
        c = cubics("monotone", t, np.append(y[:-1], y[0]) if end == "round" else y, end)
        for k, h in enumerate(np.diff(t)):
            part = extremes(c[k : k + 1], t[k : k + 2])
            last = c[k, 0] + h * (c[k, 1] + h * (c[k, 2] + h * c[k, 3]))
            ends = sorted((c[k, 0], last))
            assert part == pytest.approx(ends, abs=1e-12)


# -- drivers ---------------------------------------------------------------------------------------------------------


def test_a_driver_whose_smooth_curve_swings_beyond_its_points_is_warned_about_with_numbers():
    """The spline through a bump of 5 cm sags by 39 m before it."""
    with pytest.warns(
        ModelWarning, match=r"swings from -38\.9 to 0\.0563, while its points lie between 0 and 0.05.*monotone"
    ):
        driver = push(**BUMP)
    assert driver.motion == Table(**BUMP, interpolation="smooth")
    low, _ = extremes(driver.motion.cubics, driver.motion.t)
    assert low == pytest.approx(CubicSpline(BUMP["t"], BUMP["value"])(np.linspace(0.0, 2.0, 200001)).min(), rel=1e-6)


def test_a_driver_that_says_what_it_wants_is_not_warned_about():
    assert push(**BUMP, interpolation="smooth").motion.smooth
    assert push(**BUMP, interpolation="monotone").motion.smooth
    push(t=np.linspace(0.0, 1.0, 9), value=np.sin(2.0 * np.pi * np.linspace(0.0, 1.0, 9)))  # well sampled


TEXT = """
points = { O = [0, 0], P = [1, 0] }
bodies.block = { points = ["P"], mass = 1, com = [1, 0], inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "block"], point = "P", axis = [1, 0] }
[drivers.cam]
joint = "guide"
motion = { type = "table", t = [0, 1, 1.01, 1.02, 1.03, 2], value = [0, 0, 0.05, 0.05, 0, 0] }
"""


def test_a_warning_names_the_part_of_the_file_and_is_one_line_of_the_command(tmp_path, capsys):
    with pytest.warns(ModelWarning, match=r'^driver "cam": the smooth curve through a table swings'):
        toml.loads(TEXT)
    file = tmp_path / "cam.toml"
    file.write_text(TEXT)
    assert main.main(["check", str(file)]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "swings" in line]
    assert len(lines) == 1
    assert lines[0].startswith('particlemech: warning: driver "cam": the smooth curve')


@pytest.mark.parametrize(
    "make",
    [
        lambda motion: drivers.Rotation(bodies=("ground", "a"), motion=motion),
        lambda motion: drivers.Position(point="P", axis="x", motion=motion),
        lambda motion: space.drivers.Coordinate(joint="j", motion=motion),
        lambda motion: space.drivers.Distance(points=("P", "Q"), motion=motion),
        lambda motion: drivers.Rotation(
            bodies=("ground", "a"), motion=Shaped(signal=motion, delays=(0.0,), shares=(1.0,))
        ),
    ],
)
def test_what_nothing_can_follow_is_refused_in_every_family(make):
    with pytest.raises(ModelError, match=r'key "motion": the rates of a linear table jump at its 3 points.*"smooth"'):
        make(Table(t=(0, 1, 2), value=(0, 1, 0), interpolation="linear"))
    with pytest.raises(ModelError, match=r"ends at 2 and would jump to 0 to repeat.*end where it begins"):
        make(Table(t=(0, 1, 2), value=(0, 1, 2), extend="repeat"))


@pytest.mark.parametrize(
    ("formulation", "integrator"), [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
)
def test_a_monotone_driver_restarts_at_its_points(formulation, integrator):
    """The effort of the driver is m s'' exactly on either side of every point, though s'' jumps there."""
    t, y = (0.0, 0.3, 0.5, 1.0), (0.0, 0.2, 0.21, 0.5)
    mechanism = slider(drivers={"cam": push(t=t, value=y, interpolation="monotone")})
    assert mechanism.drivers["cam"].motion.breaks() == (0.3, 0.5)
    result = pm.simulate(mechanism, duration=1.0, samples=38, formulation=formulation, integrator=integrator)
    exact = PchipInterpolator(t, y)
    assert np.abs(result["P"][:, 0] - 1.5 - exact(result.t)).max() < 1e-9
    assert np.abs(result.effort("cam") - 2.0 * exact(result.t, 2)).max() < 1e-6 * 2.0 * np.abs(exact(result.t, 2)).max()


# -- forces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("interpolation", "exact"),
    [
        (None, PchipInterpolator(BUMP["t"], BUMP["value"])),
        ("monotone", PchipInterpolator(BUMP["t"], BUMP["value"])),
        ("smooth", CubicSpline(BUMP["t"], BUMP["value"])),
        ("linear", lambda t: np.interp(t, BUMP["t"], BUMP["value"])),
    ],
)
def test_a_force_follows_its_table_as_it_says_monotone_by_default(interpolation, exact, formulation):
    load = forces.Load(body="block", force=(Table(**BUMP, interpolation=interpolation), 0.0))
    result = pm.simulate(slider(forces={"push": load}), duration=2.0, samples=401, formulation=formulation)
    assert np.abs(2.0 * result.acceleration("P")[:, 0] - exact(result.t)).max() < 1e-12


# -- after the last point --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interpolation", ["smooth", "monotone"])
def test_a_table_that_holds_arrives_with_no_rate(interpolation):
    spec = Table(t=(0.0, 0.4, 1.0), value=(0.0, 0.3, 0.5), interpolation=interpolation, extend="hold")
    assert values(spec, np.nextafter(1.0, 0.0))[:2] == pytest.approx((0.5, 0.0), abs=1e-12)
    assert values(spec, 7.0) == (0.5, 0.0, 0.0)
    assert spec.until() == np.inf
    assert 1.0 in spec.breaks()


@pytest.mark.parametrize("interpolation", ["smooth", "monotone"])
def test_a_table_that_repeats_joins_its_beginning_with_value_and_rate(interpolation):
    t = np.linspace(-0.5, 1.5, 9)
    y = np.sin(np.pi * t)
    y[-1] = y[0]
    spec = Table(t=t, value=y, interpolation=interpolation, extend="repeat")
    for k in (1, 2, 500):
        joint = 1.5 + 2.0 * (k - 1)
        before, after = values(spec, joint - 1e-9), values(spec, joint + 1e-9)
        assert before[:2] == pytest.approx(after[:2], abs=1e-7)
        assert values(spec, 0.3 + 2.0 * k) == pytest.approx(values(spec, 0.3), abs=1e-9)
    assert spec.until() == pytest.approx(1.5 + 999 * 2.0)


def test_a_repeated_sine_of_sixteen_points_is_nearly_the_sine():
    t = np.linspace(0.0, 1.0, 17)
    y = np.sin(2.0 * np.pi * t)
    y[-1] = 0.0
    driver = drivers.Rotation(bodies=("ground", "disc"), motion=Table(t=t, value=y, extend="repeat"))
    result = pm.simulate(rotor(drivers={"m": driver}), duration=5.0, samples=101)
    assert np.abs(result.angle("disc") - np.sin(2.0 * np.pi * result.t)).max() < 1e-4


def test_a_force_may_jump_when_it_repeats():
    saw = Table(t=(0.0, 1.0), value=(0.0, 4.0), interpolation="linear", extend="repeat")
    assert saw.breaks()[:3] == (1.0, 2.0, 3.0)
    load = forces.Load(body="block", force=(saw, 0.0))
    result = pm.simulate(slider(forces={"saw": load}), duration=3.0, samples=4)
    assert result.velocity("P")[:, 0] == pytest.approx([0.0, 1.0, 2.0, 3.0], abs=1e-7)  # area 2 a tooth, mass 2


def test_a_run_beyond_its_table_is_told_how_to_go_on():
    mechanism = rotor(drivers={"m": drivers.Rotation(bodies=("ground", "disc"), motion=Table(t=(0, 1), value=(0, 1)))})
    with pytest.raises(
        ModelError, match=r'the table of its "[a-z]+" ends at 1 s, and the run lasts to .*extend = "hold" or "repeat"'
    ):
        pm.simulate(mechanism, duration=2.0)


# -- many points -----------------------------------------------------------------------------------------------------


def test_a_table_of_five_thousand_points_runs_like_its_formula():
    t = np.linspace(0.0, 5.0, 5001)
    load = forces.Load(body="block", force=(Table(t=t, value=np.sin(3.0 * t), interpolation="smooth"), 0.0))
    result = pm.simulate(slider(forces={"push": load}), duration=5.0, samples=51)
    exact = (result.t / 3.0 - np.sin(3.0 * result.t) / 9.0) / 2.0
    assert np.abs(result["P"][:, 0] - 1.5 - exact).max() < 1e-7


def test_interpolation_and_extend_come_back_from_a_file():
    load = forces.Load(body="block", force=(Table(**BUMP, interpolation="linear", extend="hold"), 0.0))
    mechanism = slider(drivers={"cam": push(**BUMP, interpolation="monotone")}, forces={"push": load})
    assert toml.loads(toml.dumps(mechanism)) == mechanism
