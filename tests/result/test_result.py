"""Results by name: shapes, columns, what is undetermined, events, files and where they come from."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, forces, models, signals
from particlemech.result import export
from tests.support.problems import FORMULATIONS, hold, rotor, slider, swing


@pytest.fixture(scope="module", params=FORMULATIONS)
def result(request):
    """Return the quick-return mechanism: pins, a slot, a slide and a driver."""
    return pm.simulate(models.load("quick_return"), duration=0.5, samples=21, formulation=request.param)


# -- shapes and names --------------------------------------------------------------------------------------------


def test_shapes_never_depend_on_the_data(result):
    K = 21
    assert result.t.shape == (K,)
    for array in (result["A"], result.velocity("A"), result.acceleration("A"), result.com("ram")):
        assert array.shape == (K, 2)
    for array in (result.angle("lever"), result.omega("lever"), result.alpha("lever"), result.effort("motor")):
        assert array.shape == (K,)
    assert result.reaction("slot", on="crank").shape == (K, 2)
    assert result.moment("guide", on="ram").shape == (K,)
    assert all(array.shape == (K,) for array in result.energy[:5])
    assert isinstance(result.energy.scale, float)
    assert result.closure.position.shape == result.closure.velocity.shape == (K,)


def test_shapes_hold_for_two_samples_and_without_joints():
    alone = pm.Mechanism(
        points={"P": (0.0, 0.0)}, bodies={"stone": pm.Body(points=("P",), mass=1.0, com=(0.1, 0.0), inertia=0.1)}
    )
    for formulation in FORMULATIONS:
        result = pm.simulate(alone, duration=1.0, samples=2, formulation=formulation)
        assert result["P"].shape == (2, 2)
        assert np.array_equal(result.closure.position, [0.0, 0.0]) or result.closure.position.max() < 1e-12
        assert list(result.columns())[:3] == ["t", "P.x", "P.y"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda r: r["a"], r'point "a" unknown'),
        (lambda r: r.velocity("AA"), r'point "AA" unknown'),
        (lambda r: r.angle("levr"), r'body "levr" unknown \(did you mean "lever"\?\)'),
        (lambda r: r.omega("ground"), r'body "ground" unknown'),
        (lambda r: r.com("rma"), r'body "rma" unknown \(did you mean "ram"\?\)'),
        (lambda r: r.reaction("slott", on="crank"), r'joint "slott" unknown \(did you mean "slot"\?\)'),
        (lambda r: r.reaction("slot", on="crnk"), r'joint "slot": body "crnk" .*did you mean "crank"'),
        (lambda r: r.reaction("slot", on="ram"), r'joint "slot": body "ram" is not one of its bodies'),
        (lambda r: r.moment("slot", on="crank"), r'joint "slot" carries no moment; joints that do: guide'),
        (lambda r: r.effort("moter"), r'driver "moter" unknown \(did you mean "motor"\?\)'),
        (lambda r: r.reaction("slot", on="crank", undetermined="zero"), r"undetermined must be"),
    ],
)
def test_wrong_name_gets_a_clear_error_with_a_suggestion(result, ask, words):
    with pytest.raises(pm.ModelError, match=words):
        ask(result)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"formulation": "absolut"}, r'formulation "absolut" unknown \(did you mean "absolute"\?\)'),
        ({"cut": ("BB",)}, r'"BB"'),
        ({"linear_solver": "banded"}, "linear_solver must be auto, dense or sparse"),
        ({"samples": 1}, "samples"),
        ({"duration": 0.0}, "duration"),
        ({"rtol": 0.1}, "rtol"),
        ({"rtol": 1e-15}, "rtol"),
    ],
)
def test_wrong_option_is_refused_by_name(keys, words):
    with pytest.raises(pm.ModelError, match=words):
        pm.simulate(models.load("four_bar"), **keys)


def test_velocities_and_accelerations_are_derivatives_of_places():
    result = pm.simulate(models.load("quick_return"), duration=0.2, samples=401)
    h = result.t[1]
    for point in "ABC":
        slope = np.gradient(result[point], h, axis=0, edge_order=2)[2:-2]
        assert np.abs(slope - result.velocity(point)[2:-2]).max() <= 1e-4
        bend = np.gradient(result.velocity(point), h, axis=0, edge_order=2)[2:-2]
        assert np.abs(bend - result.acceleration(point)[2:-2]).max() <= 1e-2
    turn = np.gradient(result.angle("lever"), h, edge_order=2)[2:-2]
    assert np.abs(turn - result.omega("lever")[2:-2]).max() <= 1e-3


# -- columns -----------------------------------------------------------------------------------------------------


def test_columns_stand_in_the_order_of_the_format(result):
    expected = ["t"]
    for p in ("O", "A", "L", "B", "C"):
        expected += [f"{p}.{c}" for c in ("x", "y", "vx", "vy", "ax", "ay")]
    for b in ("crank", "lever", "link", "ram"):
        expected += [f"{b}.{c}" for c in ("angle", "omega", "alpha", "x", "y")]
    for joint in ("O", "L", "slot", "B", "C", "guide"):
        names = {"slot": ("travel", "angle"), "guide": ("travel",)}.get(joint, ("angle",))
        expected += [f"{joint}.{c}{tail}" for c in names for tail in ("", "_rate")]
    for joint, body in (("O", "crank"), ("L", "lever"), ("slot", "crank"), ("B", "link"), ("C", "ram")):
        expected += [f"{joint}.{body}.fx", f"{joint}.{body}.fy"]
    expected += ["guide.ram.fx", "guide.ram.fy", "guide.ram.m", "motor.effort"]
    expected += ["momentum.px", "momentum.py", "momentum.hz"]
    expected += ["energy.kinetic", "energy.potential", "energy.total", "energy.work"]
    expected += ["closure.position", "closure.velocity"]
    assert list(result.columns()) == expected


def test_columns_list_every_body_of_a_pin_but_the_first():
    columns = pm.simulate(models.load("andrews_squeezer"), duration=1e-3, samples=2).columns()
    at_E = [c for c in columns if c.startswith("E.K")]
    assert at_E == [f"E.{b}.{c}" for b in ("K3", "K4", "K6") for c in ("fx", "fy")]


def test_columns_carry_what_the_methods_say(result):
    columns = result.columns()
    assert np.array_equal(columns["A.vy"], result.velocity("A")[:, 1])
    assert np.array_equal(columns["lever.alpha"], result.alpha("lever"))
    assert np.array_equal(columns["ram.x"], result.com("ram")[:, 0])
    assert np.array_equal(columns["slot.crank.fx"], result.reaction("slot", on="crank")[:, 0])
    assert np.array_equal(columns["motor.effort"], result.effort("motor"))
    assert np.array_equal(columns["energy.work"], result.energy.work)
    assert all(c.shape == (21,) and np.all(np.isfinite(c)) for c in columns.values())


def test_data_frame_has_all_columns_and_the_provenance(result):
    frame = result.to_dataframe()
    assert list(frame.columns) == list(result.columns())
    assert frame.shape == (21, len(result.columns()))
    assert frame.attrs["model"] == "Quick-return mechanism"


def test_csv_reads_back_to_the_last_bit(result, tmp_path):
    file = tmp_path / "run.csv"
    result.to_csv(file)
    columns, provenance = export.read_csv(file)
    assert list(columns) == list(result.columns())
    for name, values in result.columns().items():
        assert np.array_equal(columns[name], values, equal_nan=True)
    assert provenance["model"] == "Quick-return mechanism"
    assert provenance["status"] == "completed"
    assert [f.name for f in tmp_path.iterdir()] == ["run.csv"]


def test_csv_marks_what_is_not_determined_as_nan(tmp_path):
    result = pm.simulate(models.load("parallel_cranks"), duration=0.1, samples=3)
    result.to_csv(tmp_path / "run.csv")
    columns, _ = export.read_csv(tmp_path / "run.csv")
    assert np.all(np.isnan(columns["A2.coupler.fy"]))
    assert np.all(np.isfinite(columns["A2.x"]))


# -- provenance --------------------------------------------------------------------------------------------------


def test_provenance_names_version_model_options_and_quality(result):
    said = result.provenance
    assert said["particlemech"] == __import__("particlemech").__version__
    assert said["model"] == "Quick-return mechanism"
    assert len(said["model_sha256"]) == 64
    assert (said["duration"], said["samples"], said["rtol"], said["integrator"]) == (0.5, 21, 1e-9, "auto")
    assert said["formulation"] == result.system.formulation
    assert said["status"] == "completed"
    assert said["reached"] == 0.5
    assert said["closure"]["position"] == result.closure.position.max()
    assert said["stats"]["steps"] > 10


def test_hash_of_the_model_changes_with_the_model_and_not_with_the_run():
    model = models.load("pendulum")
    heavy = model.replaced(bodies={"rod": {"mass": 1.0000001}})
    hashes = [
        pm.simulate(m, duration=0.01, samples=n).provenance["model_sha256"]
        for m, n in ((model, 2), (model, 3), (heavy, 2))
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_result_introduces_itself(result):
    assert repr(result) == "<Result: completed, 21 samples to t = 0.5 s>"


# -- undetermined reactions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_reactions_of_a_beam_on_three_supports_are_flagged_and_filled(formulation):
    """A driven bar on three parallel slides: only sums are determined, the least-norm share is symmetric."""
    points = {"A": (-1.0, 0.0), "B": (0.0, 0.0), "C": (1.0, 0.0)}
    slots = {f"slot{p}": pm.joints.Slot(bodies=("ground", "bar"), point=p, axis=(1.0, 0.0)) for p in points}
    bar = pm.Mechanism(
        gravity=(0.0, -10.0),
        points=points,
        bodies={"bar": pm.Body(points=("A", "B", "C"), mass=3.0, inertia=1.0)},
        joints=slots,
    )
    result = pm.simulate(bar, duration=0.1, samples=3, formulation=formulation)
    for p in points:
        assert np.all(np.isnan(result.reaction(f"slot{p}", on="bar")[:, 1]))
        filled = result.reaction(f"slot{p}", on="bar", undetermined="least-norm")
        assert filled == pytest.approx(np.tile([0.0, 10.0], (3, 1)), abs=1e-10)
        assert result.reaction(f"slot{p}", on="ground", undetermined="least-norm") == pytest.approx(-filled, abs=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_determined_components_are_not_flagged_beside_undetermined_ones(formulation):
    """A load on a welded triangle of two pins: along the line of the pins nothing is known, across it all."""
    points = {"A": (0.0, 0.0), "B": (1.0, 0.0), "G": (0.5, 0.4)}
    plate = pm.Mechanism(
        gravity=(0.0, -10.0),
        points=points,
        bodies={"plate": pm.Body(points=("A", "B", "G"), mass=2.0, com=(0.5, 0.4), inertia=0.1)},
        joints={p: pm.joints.Revolute(point=p, bodies=("ground", "plate")) for p in "AB"},
    )
    result = pm.simulate(plate, duration=0.1, samples=3, formulation=formulation)
    for p in "AB":
        force = result.reaction(p, on="plate")
        assert np.all(np.isnan(force[:, 0]))
        assert force[:, 1] == pytest.approx([10.0] * 3, abs=1e-9)
        assert result.reaction(p, on="plate", undetermined="least-norm")[:, 0] == pytest.approx([0.0] * 3, abs=1e-9)
    assert np.abs(result["G"] - [0.5, 0.4]).max() <= 1e-9


# -- energy ------------------------------------------------------------------------------------------------------


def test_energies_of_the_pendulum_have_their_closed_form():
    result = pm.simulate(models.load("pendulum"), samples=21)
    energy = result.energy
    height = result.com("rod")[:, 1]
    assert np.abs(energy.potential - energy.potential[0] - 9.81 * height).max() <= 1e-12
    assert np.abs(energy.kinetic - result.omega("rod") ** 2 / 6).max() <= 1e-12
    assert np.array_equal(energy.total, energy.kinetic + energy.potential)
    assert not np.any(energy.work)
    # as much falls as is gained, m g l/2 each; steps come close to the lowest place, whatever samples are asked for
    assert 0.99 * 9.81 <= energy.scale <= 9.81 * (1.0 + 1e-9)
    assert pm.simulate(models.load("pendulum"), samples=2).energy.scale == energy.scale


def test_work_of_a_driver_is_the_integral_of_its_power():
    motor = drivers.Rotation(bodies=("ground", "disc"), motion=signals.Sine(amplitude=2.0, frequency=1.0))
    result = pm.simulate(rotor(drivers={"motor": motor}), duration=1.0, samples=101, rtol=1e-9)
    gained = 0.25 * (result.omega("disc") ** 2 - result.omega("disc")[0] ** 2)
    hold("work of a driver", np.abs(result.energy.work - gained).max() / result.energy.scale)


# -- events ------------------------------------------------------------------------------------------------------


def quarter():
    """Return the time the shipped pendulum takes from the horizontal to the vertical."""
    from scipy.special import ellipk

    return float(ellipk(0.5)) / math.sqrt(1.5 * 9.81)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_events_are_found_at_their_times(formulation):
    events = {
        "bottom": lambda t, state: state["P"][0],
        "leftwards": pm.Event(lambda t, state: state["P"][0], direction=-1),
        "rightwards": pm.Event(lambda t, state: state["P"][0], direction=1),
        "still": lambda t, state: state.omega("rod"),
        "halfway": lambda t, state: state.angle("rod") + math.pi / 4,
    }
    result = pm.simulate(
        models.load("pendulum"), duration=2.0, samples=5, rtol=1e-11, events=events, formulation=formulation
    )
    q = quarter()
    assert result.status is pm.Status.COMPLETED
    found = {name: e.t for name, e in result.events.items()}
    expected = {"bottom": [q, 3 * q], "leftwards": [q], "rightwards": [3 * q], "still": [2 * q, 4 * q]}
    for name, times in expected.items():
        assert len(found[name]) == len(times)
        hold("times of events", np.abs(found[name] - times).max())
    psi, rate = swing(found["halfway"], math.sqrt(1.5 * 9.81), math.pi / 2)
    hold("times of events", np.abs((psi - math.pi / 4) / rate).max())
    bottom = result.events["bottom"]
    assert bottom["P"].shape == (len(found["bottom"]), 2)
    assert np.abs(bottom["P"][:, 0]).max() <= 1e-9
    # a rod let go level has omega^2 = 3 g/l at the bottom: the tip accelerates by 3 g, the pin carries 2.5 m g
    assert bottom.acceleration("P")[:, 1] == pytest.approx(3.0 * 9.81, rel=1e-8)
    mass = result.system.mechanism.bodies["rod"].mass
    assert bottom.reaction("O", on="rod")[:, 1] == pytest.approx(2.5 * mass * 9.81, rel=1e-8)
    assert np.abs(bottom.energy.error).max() <= 1e-8 * bottom.energy.scale


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_event_in_a_linear_motion_is_found_to_nine_digits(formulation):
    push = forces.Load(body="block", point="P", force=(4.0, 0.0))
    far = pm.Event(lambda t, state: state["P"][0] - 2.5, terminal=True)
    result = pm.simulate(
        slider(forces={"push": push}), duration=5.0, samples=51, events={"far": far}, formulation=formulation
    )
    assert result.status is pm.Status.COMPLETED
    assert result.message.startswith('event "far" ended the run at t = 1')
    hold("time of a terminal event", abs(result.t[-1] - 1.0))
    assert result["P"][-1, 0] == pytest.approx(2.5, abs=1e-12)
    assert np.allclose(result.t[:-1], 0.1 * np.arange(len(result.t) - 1))
    assert len(result.t) in (11, 12)


@pytest.mark.parametrize("name", models.names())
def test_events_that_never_come_are_results_without_samples(name: str, tmp_path: Path) -> None:
    """Every column of every model is there and empty; a file of nothing is refused in one line."""
    of = models.load(name)
    span = 0.01 * of.run.duration
    found = pm.simulate(of, duration=span, samples=2, events={"never": lambda t, state: 1.0})
    never = found.events["never"]
    assert list(never.columns()) == list(found.columns())
    assert all(values.shape == (0,) for values in never.columns().values())
    with pytest.raises(pm.ModelError, match="nothing to write"):
        never.to_csv(tmp_path / "never.csv")
    assert never._repr_html_() == "no samples"


def test_terminal_event_ends_before_other_events_that_come_later():
    events = {
        "stop": pm.Event(lambda t, state: t - 0.5001, terminal=True),
        "late": lambda t, state: t - 0.5002,
        "early": lambda t, state: t - 0.5,
    }
    result = pm.simulate(models.load("pendulum"), duration=2.0, samples=3, rtol=1e-4, events=events)
    assert result.t[-1] == pytest.approx(0.5001, abs=1e-12)
    assert result.events["early"].t == pytest.approx([0.5], abs=1e-12)
    assert len(result.events["late"].t) == 0
    assert result.events["late"]["P"].shape == result.events["late"].acceleration("P").shape == (0, 2)


def test_events_do_not_change_the_motion():
    model = models.load("four_bar")
    plain = pm.simulate(model, samples=11, rtol=1e-6)
    watched = pm.simulate(model, samples=11, rtol=1e-6, events={"up": lambda t, state: state["B"][1] - 0.29})
    assert len(watched.events["up"].t) > 2
    assert np.abs(plain["B"] - watched["B"]).max() <= 1e-12


def test_event_that_returns_no_number_is_refused_by_name():
    with pytest.raises(pm.ModelError, match=r'event "where": its function must return a finite number'):
        pm.simulate(models.load("pendulum"), samples=3, events={"where": lambda t, state: state["P"]})


# -- cuts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", ["O", "A", "B", "C"])
def test_motion_and_reactions_do_not_depend_on_the_cut(cut):
    model = models.load("four_bar")
    options = {"duration": 0.5, "samples": 11, "rtol": 1e-10, "integrator": "ida"}
    plain, chosen = pm.simulate(model, **options), pm.simulate(model, cut=(cut,), **options)
    assert chosen.system.cuts == (cut,)
    hold("other cut, place", np.abs(plain["B"] - chosen["B"]).max())
    force = plain.reaction("B", on="rocker")
    hold("other cut, reaction", np.abs(force - chosen.reaction("B", on="rocker")).max() / np.abs(force).max())
