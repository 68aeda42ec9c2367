"""Runs of chains of bending bodies as users make them: simulate, results by name, files, the command line."""

import csv
import io
import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, modes, signals
from particlemech.analyses.validation import validated
from particlemech.cli.main import main
from particlemech.errors import ModelError
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.space import forces

BENDING = [{"along": "y", "shape": (0.0, 0.0, 1.0)}, {"along": "y", "shape": (0.0, 0.0, 1.0, -1.2)}]
ARM = {"end": (1.0, 0.0, 0.0), "mass": 2.0, "modes": BENDING, "EI": 40.0}
SHIPPED = ("cantilever", "two_link_flexible", "space_slew", "rms_flexible")


def arm(elbow=None, **more):
    """Return two bending links, the first driven and the second free."""
    rows = [{"name": "upper", "joint": "shoulder"} | ARM, {"name": "fore", "joint": "elbow"} | ARM]
    rows[1] |= elbow or {}
    given = {"drivers": {"motor": {"joint": "shoulder", "motion": signals.Cycloid(end=1.0, duration=0.5)}}}
    return from_link_table(rows, "report", **(given | more))


@pytest.fixture(scope="module")
def swung():
    return pm.simulate(arm(), duration=1.0, samples=51, rtol=1e-9, integrator="auto")


def test_a_run_has_its_motion_by_name(swung):
    assert swung["tip"].shape == (51, 3)
    assert swung.modal("fore").shape == (51, 2)
    assert swung.coordinate("shoulder")[-1] == pytest.approx(1.0)
    assert swung.modes("fore") == ("q1", "q2")
    assert np.abs(swung.energy.error).max() < 1e-7 * swung.energy.scale


def test_the_elastic_part_is_what_deflections_add(swung):
    # with no deflection the tip is where two straight links put it
    one = swung.coordinate("shoulder")
    both = one + swung.coordinate("elbow")
    straight = np.stack([np.cos(one) + np.cos(both), np.sin(one) + np.sin(both), 0.0 * one], axis=1)
    assert np.abs(swung.rigid("tip") - straight).max() < 1e-12
    assert np.abs(swung["tip"] - swung.rigid("tip") - swung.elastic("tip")).max() == 0.0
    assert np.abs(swung.elastic("tip")).max() > 1e-3
    assert np.all(swung.modal("fore")[0] == 0.0) and np.all(swung.elastic("tip")[0] == 0.0)


def test_force_and_moment_on_the_base_are_the_rates_of_momenta(swung):
    fine = pm.simulate(arm(), duration=0.2, samples=401, rtol=1e-12, integrator="explicit")
    h = fine.t[1]
    for momentum, wrench in ((fine.momentum.linear, fine.base.force), (fine.momentum.angular, fine.base.moment)):
        rate = (8.0 * (momentum[3:-1] - momentum[1:-3]) - (momentum[4:] - momentum[:-4])) / (12.0 * h)
        assert np.abs(rate + wrench[2:-2]).max() < 1e-6 * np.abs(wrench).max()


def test_unknown_names_are_answered_with_known_ones(swung):
    for ask, word in (
        (lambda: swung["tp"], 'point "tp" unknown .*"tip"'),
        (lambda: swung.modal("for"), 'body "for" unknown .*"fore"'),
        (lambda: swung.coordinate("elbw"), 'joint "elbw" unknown .*"elbow"'),
        (lambda: swung.effort("moto"), 'driver "moto" unknown .*"motor"'),
    ):
        with pytest.raises(ModelError, match=word):
            ask()


def test_columns_are_written_and_read_back(swung, tmp_path):
    swung.to_csv(tmp_path / "swung.csv")
    text = [line for line in (tmp_path / "swung.csv").read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(io.StringIO("\n".join(text))))
    assert len(rows) == 51
    assert float(rows[-1]["fore.q1"]) == swung.modal("fore")[-1, 0]
    assert float(rows[-1]["motor.effort"]) == swung.effort("motor")[-1]
    assert {"tip.elastic_y", "elbow.angle", "elbow.fore.fx", "upper.qw", "momentum.pz", "energy.total"} <= rows[
        0
    ].keys()


def test_an_event_finds_when_the_tip_passes_a_line():
    result = pm.simulate(
        arm(), duration=1.0, rtol=1e-9, integrator="auto", events={"up": lambda t, s: s["tip"][1] - 0.5}
    )
    found = result.events["up"]
    assert len(found.t) and np.abs(found["tip"][:, 1] - 0.5).max() < 1e-7


def test_a_controller_from_python_holds_an_arm_against_its_weight():
    held = arm(
        elbow={"type": "weld"},
        drivers={},
        gravity=(0.0, -1.0, 0.0),
        forces={
            "hand": forces.Custom(
                joint="shoulder",
                function=lambda t, s: -300.0 * s.coordinate("shoulder") - 60.0 * s.rate("shoulder"),
            )
        },
    )
    result = pm.simulate(held, duration=2.0, samples=21, rtol=1e-8, integrator="auto")
    assert abs(result.coordinate("shoulder")[-1]) < 0.05
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale
    with pytest.raises(ModelError, match='"hand" is a Python function'):
        pm.simulate(held, integrator="explicit")


def test_a_weld_and_the_seam_of_sub_links_are_the_same():
    beam = {"type": "weld", "density": 2.0, "modes": BENDING, "EI": 40.0}
    whole = from_link_table([beam | {"end": (1.0, 0, 0), "sublinks": 2}], "report")
    parts = from_link_table([beam | {"end": (0.5, 0, 0)}] * 2, "report")
    assert modes(whole).omega == pytest.approx(modes(parts).omega, rel=1e-9)


@pytest.mark.parametrize("model", SHIPPED)
def test_two_integrators_and_lagrange_agree_on_the_shipped_models(model):
    found = validated(models.load(model), duration=0.5, samples=21)
    assert found.agreed, [(d.quantity, d.relative) for d in found.differences]
    by_lagrange = [d for d in found.differences if "Lagrange" in d.quantity]
    assert by_lagrange and all(d.relative < 1e-9 for d in by_lagrange)


def test_the_command_line_checks_and_runs_a_flexible_model(capsys, tmp_path):
    assert main(["check", "cantilever"]) == 0
    assert "modal coordinates" in capsys.readouterr().out
    target = tmp_path / "out.csv"
    assert main(["run", "cantilever", "--duration", "0.1", "--samples", "11", "-o", str(target)]) == 0
    assert target.exists() and "completed" in capsys.readouterr().out


def test_a_free_chain_at_rest_stays_at_rest():
    base = {"motion": "free", "mass": 3.0, "inertia": (1.0, 1.0, 1.0)}
    still = from_link_table([{"type": "weld"} | ARM], "report", base=base)
    result = pm.simulate(still, duration=0.1, samples=3)
    assert math.isclose(result.energy.scale, 0.0, abs_tol=1e-30)
