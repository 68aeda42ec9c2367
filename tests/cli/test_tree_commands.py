"""What users meet first: trees on the command line, wrong words to simulate, and what a run says of itself."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, space
from particlemech.analyses import methods, study
from particlemech.analyses.poses.space import in_angles
from particlemech.cli.main import main
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.result.mobility.space import judged

ROD = space.Body(mass=2.0, com=(0.5, 0.0, 0.0), inertia=(0.0, 1.0 / 6.0, 1.0 / 6.0), points=("tip",))


def rod(joint, **keys):
    keys = {"gravity": (0.0, 0.0, -9.81), "points": {"tip": (1.0, 0.0, 0.0)}} | keys
    return space.Mechanism(bodies={"rod": ROD}, joints={"pin": joint}, **keys)


def revolute():
    return space.joints.Revolute(bodies=("ground", "rod"), point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))


def ball(**keys):
    return space.joints.Spherical(bodies=("ground", "rod"), point=(0.0, 0.0, 0.0), **keys)


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
    words = ["run", file(rod(revolute())), "--duration", "0.5", "--samples", "6", "--integrator", integrator]
    assert main([*words, "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert "degrees of freedom  1" in said and "completed" in said
    written = json.loads(target.read_text())
    columns = written["columns"]
    assert {"tip.x", "tip.az", "rod.qw", "rod.omega_y", "pin.angle", "pin.angle_rate", "pin.rod.fx"} <= set(columns)
    assert written["provenance"]["formulation"] == "recursive"


def test_check_judges_a_tree_without_running_it(capsys, file):
    assert main(["check", file(rod(revolute()))]) == 0
    said = capsys.readouterr().out
    assert "units" in said and "degrees of freedom by rank" in said and "none, all meet inertia" in said


def test_check_names_speeds_that_meet_no_inertia(capsys, file):
    assert main(["check", file(rod(ball(coordinates="angles")))]) == 0
    assert "pin.angle1" in capsys.readouterr().out


def test_check_fails_where_the_degrees_of_freedom_are_not_those_expected(capsys, file):
    assert main(["check", file(rod(revolute(), check={"dof": 2}))]) == 1
    assert "expected 2: FAILED" in capsys.readouterr().out


def test_validate_runs_a_tree_by_two_integrators_and_three_methods(capsys, file):
    mechanism = rod(revolute(), initial={"rate": {"pin": 1.0}})
    assert main(["validate", file(mechanism), "--duration", "0.5", "--samples", "11"]) == 0
    said = capsys.readouterr().out
    assert "agreed within" in said
    for words in ("accelerations by newton-euler", "accelerations by motion-law", "reactions by kane", "orientations"):
        assert words in said


def test_validate_returns_one_above_the_tolerance(capsys, file):
    mechanism = rod(revolute(), initial={"rate": {"pin": 1.0}})
    assert main(["validate", file(mechanism), "--duration", "0.5", "--samples", "5", "--tolerance", "1e-18"]) == 1


def test_info_lists_the_kinds_of_trees(capsys):
    assert main(["info", "kinds"]) == 0
    said = capsys.readouterr().out
    for words in ("spatial joint revolute", "spatial joint universal", "spatial force motor", "spatial part impulse"):
        assert words in said


def test_a_rod_that_spins_about_itself_without_inertia_is_named(file, capsys):
    assert main(["run", file(rod(ball()))]) == 2
    said = capsys.readouterr().err
    assert 'joint "pin"' in said and "no inertia" in said and "\n" not in said.strip()


def test_a_start_at_gimbal_lock_of_angles_is_named():
    disk = space.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.5))
    pin = space.joints.Spherical(bodies=("ground", "disk"), point=(0.0, 0.0, 0.0), coordinates="angles")
    locked = space.Mechanism(
        bodies={"disk": disk}, joints={"pin": pin}, initial={"position": {"pin": (0.0, np.pi / 2, 0.0)}}
    )
    with pytest.raises(ModelError, match="gimbal lock"):
        pm.simulate(locked)


def test_words_for_the_plane_are_refused_for_trees():
    mechanism = rod(revolute())
    with pytest.raises(ModelError, match="does not apply to a mechanism in space"):
        pm.simulate(mechanism, formulation="absolute")
    with pytest.raises(ModelError, match="a mechanism in space without loops has none to cut"):
        pm.simulate(mechanism, cut=("pin",))


def test_a_run_says_where_it_comes_from():
    result = pm.simulate(rod(revolute()), duration=0.1, samples=3, integrator="explicit")
    said = result.provenance
    assert said["formulation"] == "recursive" and said["status"] == "completed" and len(said["model_sha256"]) == 64
    assert result.to_dataframe().attrs["model_sha256"] == said["model_sha256"]


def test_a_table_that_ends_before_the_run_is_named():
    motion = pm.signals.Table(t=(0.0, 0.1, 0.2), value=(0.0, 0.1, 0.0), interpolation="smooth")
    driven = rod(revolute(), drivers={"drive": space.drivers.Coordinate(joint="pin", motion=motion)})
    with pytest.raises(ModelError, match=r'the table of its "[a-z]+" ends at 0\.2 s'):
        pm.simulate(driven, duration=1.0)


def test_a_tree_that_is_driven_throughout_is_inverse_dynamics():
    swing = pm.signals.Sine(amplitude=0.5, frequency=1.0)
    driven = rod(revolute(), drivers={"drive": space.drivers.Coordinate(joint="pin", motion=swing)})
    result = pm.simulate(driven, duration=1.0, samples=21, integrator="explicit")
    w = 2.0 * np.pi
    angle, alpha = 0.5 * np.sin(w * result.t), -0.5 * w * w * np.sin(w * result.t)
    # about the hinge along +y: 2/3 alpha = M + m g l/2 cos(angle)
    assert result.effort("drive") == pytest.approx(2.0 / 3.0 * alpha - 9.81 * np.cos(angle), abs=1e-12)
    given = pm.inverse(
        driven,
        {"pin": angle},
        {"pin": 0.5 * w * np.cos(w * result.t)},
        {"pin": alpha},
        t=result.t,
    )
    assert given.needed("pin") == pytest.approx(result.effort("drive"), abs=1e-12)
    assert given.reaction("pin", "rod") == pytest.approx(result.reaction("pin", "rod"), abs=1e-12)


def test_the_mobility_of_a_tree_is_that_of_its_coordinates():
    found = judged(models.load("space_manipulator"))
    assert (found.dof, found.by_rank, found.by_count, found.redundancy, found.cuts) == (14, 14, 14, 0, None)


def test_angles_at_gimbal_lock_show_the_accelerations_of_least_norm():
    lock = in_angles(models.load("space_manipulator"))
    push = space.forces.Load(body="main", force=(1200.0, 0.0, 0.0))
    found = pm.impulse(lock.replaced(forces={"push": push}), {"hit": space.Impulse(body="main")})
    # what a force does to speeds at rest an impulse does to them at once
    struck = pm.impulse(lock, {"hit": space.Impulse(body="main", impulse=(1200.0, 0.0, 0.0))})
    for body in ("main", "fore1", "disk2"):
        assert found.before.com_acceleration(body) == pytest.approx(struck.after.com_velocity(body), rel=1e-9, abs=1e-9)


# -- found by a reader with fresh eyes -------------------------------------------------------------------------------


def test_a_result_survives_the_way_to_another_process(tmp_path):
    result = pm.simulate(rod(revolute()), duration=0.1, samples=3, integrator="explicit")
    assert result.energy.error.shape == (3,)
    path = tmp_path / "result.pickle"
    path.write_bytes(pickle.dumps(result))
    show = f"import pickle; r = pickle.loads(open({str(path)!r}, 'rb').read()); print(r.system.slopes(0.0, r._y[0])[0])"
    run = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    assert float(run.stdout) > 0.0


@pytest.mark.parametrize("links", [5, 300])
def test_an_impulse_does_to_speeds_what_a_force_does_to_accelerations(links):
    chain = models.hanging_chain(links).replaced(gravity=(0.0, 0.0, 0.0))
    last = f"link{links}"
    struck = pm.impulse(chain, {"hit": space.Impulse(body=last, impulse=(1.0, 0.0, 1.0))})
    pushed = system(chain.replaced(forces={"push": space.forces.Load(body=last, force=(1.0, 0.0, 1.0))}))
    _, slopes = pushed.slopes(0.0, start_state(pushed))
    assert list(struck.jumps.values()) == pytest.approx(slopes[pushed.layout.v], rel=1e-9, abs=1e-9)


def test_light_parts_on_heavy_ones_feel_an_impulse():
    hub = space.Body(mass=1e4, com=(0.0, 0.0, 0.0), inertia=(1e4, 1e4, 1e4))
    arm = space.Body(mass=1e-4, com=(1.0, 0.0, 0.0), inertia=(0.0, 1e-4, 1e-4))
    pins = {
        "base": space.joints.Free(bodies=("ground", "hub"), point=(0.0, 0.0, 0.0)),
        "pin": space.joints.Revolute(bodies=("hub", "arm"), point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)),
    }
    light = space.Mechanism(bodies={"hub": hub, "arm": arm}, joints=pins)
    found = pm.impulse(light, {"hit": space.Impulse(body="arm", moment=(0.0, 0.0, 1e-4))})
    assert found.jumps["pin.angle"] == pytest.approx(0.5, rel=1e-6)
    assert judged(light).loose == ()
    for method in methods.METHODS:
        pushed = light.replaced(forces={"push": space.forces.Torque(bodies=("ground", "arm"), torque=(0.0, 0.0, 1e-4))})
        assert methods.solved(pushed, method).x_ddot[-1] == pytest.approx(0.5, rel=1e-6)


def test_an_impulse_along_a_motion_that_is_lost_at_gimbal_lock_is_refused():
    disk = space.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    pin = space.joints.Spherical(bodies=("ground", "disk"), point=(0.0, 0.0, 0.0), coordinates="angles")
    locked = space.Mechanism(
        bodies={"disk": disk}, joints={"pin": pin}, initial={"position": {"pin": (0.0, np.pi / 2, 0.0)}}
    )
    with pytest.raises(ModelError, match='joint "pin" comes to gimbal lock'):
        pm.impulse(locked, {"hit": space.Impulse(body="disk", moment=(0.0, 0.0, 1.0))})
    assert pm.impulse(locked, {"hit": space.Impulse(body="disk", moment=(0.0, 1.0, 0.0))}).jumps["pin.angle2"] == (
        pytest.approx(10.0)
    )


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
@pytest.mark.parametrize("terminal", [False, True])
def test_an_event_that_an_impulse_carries_across_zero_is_found(integrator, terminal):
    block = space.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    struck = space.Mechanism(
        bodies={"block": block},
        joints={"base": space.joints.Free(bodies=("ground", "block"), point=(0.0, 0.0, 0.0))},
        impulses={"hit": space.Impulse(time=0.5, body="block", impulse=(1.0, 0.0, 0.0))},
    )
    fast = pm.Event(lambda t, state: state.com_velocity("block")[0] - 0.7, terminal=terminal)
    result = pm.simulate(struck, duration=1.0, samples=11, integrator=integrator, events={"fast": fast})
    assert result.events["fast"].t == pytest.approx([0.5])
    assert result.t[-1] == (0.5 if terminal else 1.0)
    assert result.com_velocity("block")[-1, 0] == pytest.approx(1.0)
    assert len(np.unique(result.t)) == len(result.t)


def test_what_acts_on_the_angles_of_a_quaternion_gives_their_power():
    plate = space.Body(mass=1.0, com=(0.1, 0.0, 0.0), inertia=(0.1, 0.2, 0.25))
    spring = space.forces.Torsion(joint="pin", stiffness=3.0, damping=0.2)
    model = space.Mechanism(
        bodies={"plate": plate},
        joints={"pin": space.joints.Spherical(bodies=("ground", "plate"), point=(0.0, 0.0, 0.0))},
        forces={"spring": spring},
        initial={"position": {"pin": (0.3, 0.7, -0.4)}, "rate": {"pin": (1.0, -2.0, 0.5)}},
    )
    seen = [
        pm.simulate(m, duration=0.2, samples=5, rtol=1e-11, integrator="explicit") for m in (model, in_angles(model))
    ]
    for one in (lambda r: r.generalised_force("pin"), lambda r: r.rate("pin"), lambda r: r.second_rate("pin")):
        assert one(seen[0]) == pytest.approx(one(seen[1]), rel=1e-6, abs=1e-7)


def test_motors_and_springs_on_an_angle_of_a_quaternion_name_their_cure():
    with pytest.raises(ModelError, match=r'force "m": joint "pin" is integrated as a quaternion.*give "moment"'):
        rod(ball(), forces={"m": space.forces.Motor(joint="pin", coordinate="angle1", effort=1.0)})
    with pytest.raises(ModelError, match=r'force "s".*leave "coordinate" out'):
        rod(ball(), forces={"s": space.forces.Torsion(joint="pin", coordinate="angle1", stiffness=1.0)})


@pytest.mark.parametrize("asked", [study.Study, in_angles])
def test_functions_of_trees_refuse_what_is_none(asked):
    with pytest.raises(ModelError, match="takes a mechanism in space"):
        asked(models.load("four_bar"))


def test_inverse_dynamics_refuses_what_are_no_numbers():
    with pytest.raises(ModelError, match='"pin": expected numbers'):
        pm.inverse(rod(revolute()), {"pin": "far"}, {}, {})
    with pytest.raises(ModelError, match="expected finite numbers"):
        pm.inverse(rod(revolute()), {"pin": np.nan}, {}, {})


def test_records_of_results_cannot_be_overwritten():
    result = pm.simulate(rod(revolute()), duration=0.1, samples=3, integrator="explicit")
    with pytest.raises(ValueError, match="read-only"):
        result.omega("rod")[:] = 7.0


@pytest.mark.parametrize("name", [name for name in models.names() if models.load(name).engine == "recursive"])
def test_every_shipped_tree_is_validated(capsys, name):
    model = models.load(name)
    duration = "0.005" if model.bends and model.loops else "0.5"  # what vibrates fast takes IDA long at 1e-11
    assert main(["validate", name, "--duration", duration, "--samples", "11"]) == 0, capsys.readouterr().out
