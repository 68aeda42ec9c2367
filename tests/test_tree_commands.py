"""What users meet first: trees on the command line, wrong words to simulate, and what a run says of itself."""

import json

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, toml, tree
from particlemech.cli import main
from particlemech.errors import ModelError
from particlemech.tree.judgement import judged

ROD = tree.Body(mass=2.0, com=(0.5, 0.0, 0.0), inertia=(0.0, 1.0 / 6.0, 1.0 / 6.0), points=("tip",))


def rod(joint, **keys):
    keys = {"gravity": (0.0, 0.0, -9.81), "points": {"tip": (1.0, 0.0, 0.0)}} | keys
    return tree.Mechanism(bodies={"rod": ROD}, joints={"pin": joint}, **keys)


def hinge():
    return tree.joints.Hinge(bodies=("ground", "rod"), point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))


def ball(**keys):
    return tree.joints.Ball(bodies=("ground", "rod"), point=(0.0, 0.0, 0.0), **keys)


@pytest.fixture
def file(tmp_path):
    def written(mechanism):
        path = tmp_path / "tree.toml"
        path.write_text(toml.dumps(mechanism), encoding="utf-8")
        return str(path)

    return written


@pytest.mark.parametrize("integrator", ["ida", "explicit", "auto"])
def test_run_simulates_a_tree_and_writes_its_columns(capsys, file, tmp_path, integrator):
    target = tmp_path / "out.json"
    words = ["run", file(rod(hinge())), "--duration", "0.5", "--samples", "6", "--integrator", integrator]
    assert main([*words, "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert "degrees of freedom  1" in said and "completed" in said
    written = json.loads(target.read_text())
    columns = written["columns"]
    assert {"tip.x", "tip.az", "rod.qw", "rod.omega_y", "pin.angle", "pin.angle_rate", "pin.rod.fx"} <= set(columns)
    assert written["provenance"]["formulation"] == "tree"


def test_check_judges_a_tree_without_running_it(capsys, file):
    assert main(["check", file(rod(hinge()))]) == 0
    said = capsys.readouterr().out
    assert "units" in said and "degrees of freedom by rank" in said and "none, all meet inertia" in said


def test_check_names_speeds_that_meet_no_inertia(capsys, file):
    assert main(["check", file(rod(ball(coordinates="angles")))]) == 0
    assert "pin.angle1" in capsys.readouterr().out


def test_check_fails_where_the_degrees_of_freedom_are_not_those_expected(capsys, file):
    assert main(["check", file(rod(hinge(), check={"dof": 2}))]) == 1
    assert "expected 2: FAILED" in capsys.readouterr().out


def test_validate_runs_a_tree_by_two_integrators_and_three_methods(capsys, file):
    mechanism = rod(hinge(), initial={"rate": {"pin": 1.0}})
    assert main(["validate", file(mechanism), "--duration", "0.5", "--samples", "11"]) == 0
    said = capsys.readouterr().out
    assert "agreed within" in said
    for words in ("accelerations by newton-euler", "accelerations by motion-law", "reactions by kane", "orientations"):
        assert words in said


def test_validate_returns_one_above_the_tolerance(capsys, file):
    mechanism = rod(hinge(), initial={"rate": {"pin": 1.0}})
    assert main(["validate", file(mechanism), "--duration", "0.5", "--samples", "5", "--tolerance", "1e-18"]) == 1


def test_info_lists_the_kinds_of_trees(capsys):
    assert main(["info", "kinds"]) == 0
    said = capsys.readouterr().out
    for words in ("tree joint hinge", "tree joint universal", "tree force motor", "tree part impulse"):
        assert words in said


def test_a_rod_that_spins_about_itself_without_inertia_is_named(file, capsys):
    assert main(["run", file(rod(ball()))]) == 2
    said = capsys.readouterr().err
    assert 'joint "pin"' in said and "no inertia" in said and "\n" not in said.strip()


def test_a_start_at_gimbal_lock_of_angles_is_named():
    disk = tree.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.5))
    pin = tree.joints.Ball(bodies=("ground", "disk"), point=(0.0, 0.0, 0.0), coordinates="angles")
    locked = tree.Mechanism(
        bodies={"disk": disk}, joints={"pin": pin}, initial={"position": {"pin": (0.0, np.pi / 2, 0.0)}}
    )
    with pytest.raises(ModelError, match="gimbal lock"):
        pm.simulate(locked)


def test_words_for_the_plane_are_refused_for_trees():
    mechanism = rod(hinge())
    with pytest.raises(ModelError, match="for mechanisms in the plane; this is a tree"):
        pm.simulate(mechanism, formulation="absolute")
    with pytest.raises(ModelError, match="a tree has no loop to cut"):
        pm.simulate(mechanism, cut=("pin",))
    with pytest.raises(ModelError, match="takes planar mechanisms, got a tree"):
        pm.simulate_many([mechanism])


def test_a_run_says_where_it_comes_from():
    result = pm.simulate(rod(hinge()), duration=0.1, samples=3, integrator="explicit")
    said = result.provenance
    assert said["formulation"] == "tree" and said["status"] == "completed" and len(said["model_sha256"]) == 64
    assert result.to_dataframe().attrs["model_sha256"] == said["model_sha256"]


def test_a_table_that_ends_before_the_run_is_named():
    motion = pm.signals.Table(t=(0.0, 0.1, 0.2), value=(0.0, 0.1, 0.0))
    driven = rod(hinge(), drivers={"drive": tree.Driver(joint="pin", motion=motion)})
    with pytest.raises(ModelError, match=r"a table of a signal ends at 0\.2 s"):
        pm.simulate(driven, duration=1.0)


def test_a_tree_that_is_driven_throughout_is_inverse_dynamics():
    swing = pm.signals.Sine(amplitude=0.5, frequency=1.0)
    driven = rod(hinge(), drivers={"drive": tree.Driver(joint="pin", motion=swing)})
    result = pm.simulate(driven, duration=1.0, samples=21, integrator="explicit")
    w = 2.0 * np.pi
    angle, alpha = 0.5 * np.sin(w * result.t), -0.5 * w * w * np.sin(w * result.t)
    # about the hinge along +y: 2/3 alpha = M + m g l/2 cos(angle)
    assert result.effort("drive") == pytest.approx(2.0 / 3.0 * alpha - 9.81 * np.cos(angle), abs=1e-12)
    given = tree.inverse(
        driven,
        {"pin": angle},
        {"pin": 0.5 * w * np.cos(w * result.t)},
        {"pin": alpha},
        t=result.t,
    )
    assert given.needed("pin") == pytest.approx(result.effort("drive"), abs=1e-12)
    assert given.reaction("pin", "rod") == pytest.approx(result.reaction("pin", "rod"), abs=1e-12)


def test_the_judgement_counts_chains_and_drivers():
    found = judged(models.load("space_manipulator"))
    assert (found.dof, found.by_rank, found.ends, found.longest, found.mass) == (14, 14, 2, 4, 12.5)


def test_angles_at_gimbal_lock_show_the_accelerations_of_least_norm():
    lock = tree.in_angles(models.load("space_manipulator"))
    push = tree.forces.Load(body="main", force=(1200.0, 0.0, 0.0))
    found = tree.blow(lock.replaced(forces={"push": push}), {"hit": tree.Impulse(body="main")})
    # what a force does to speeds at rest an impulse does to them at once
    struck = tree.blow(lock, {"hit": tree.Impulse(body="main", impulse=(1200.0, 0.0, 0.0))})
    for body in ("main", "fore1", "disk2"):
        assert found.before.com_acceleration(body) == pytest.approx(struck.after.com_velocity(body), rel=1e-9, abs=1e-9)


def test_the_window_of_trees_shows_all_its_names_and_no_other():
    assert all(hasattr(tree, name) for name in tree.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'strike'"):
        _ = tree.strike
