"""Pages of equations say "agree" of all that acts then, or refuse: of friction, and of what a run has changed."""

from __future__ import annotations

import pytest

import particlemech as pm
from particlemech.analyses import methods
from particlemech.analyses.explain import plane as explanation
from particlemech.cli.main import main
from particlemech.errors import ModelError
from particlemech.model import toml

PENDULUM = """
format = 1
kind = "{kind}"
name = "Pendulum"
gravity = {gravity}

[bodies]
rod = {{ mass = 2.0, com = {com}, inertia = {inertia} }}

[joints]
O = {{ type = "revolute", bodies = ["ground", "rod"], point = {O}{axis}{friction} }}
{besides}

[run]
duration = 0.5
samples = 6
"""
WORLDS = {
    "planar": {"gravity": [0.0, -9.81], "com": [1.0, 0.0], "inertia": 0.5, "O": [0.0, 0.0], "axis": ""},
    "spatial": {
        "gravity": [0.0, -9.81, 0.0],
        "com": [1.0, 0.0, 0.0],
        "inertia": [0.1, 0.5, 0.5],
        "O": [0.0, 0.0, 0.0],
        "axis": ", axis = [0.0, 0.0, 1.0]",
    },
}
SWITCHES = '[events]\nx = { when = "t > 0.2", do = "switch signal", of = "m", to = 30.0 }'
STRONGER = '[forces]\nm = { type = "motor", joint = "O", effort = 1.0 }\n' + SWITCHES
HELD = '[events]\nx = { when = "t > 0.2", do = "lock joint", joint = "O" }'
STOPPED = 's = { type = "stop", joint = "O", lower = -0.2, restitution = 0.0 }'
CONTROLLED = '[forces]\nc = { type = "pid", joint = "O", setpoint = 0.3, kp = 40.0, ki = 9.0, kd = 5.0, period = 0.01 }'
TAKEN = '[events]\nx = { when = "t > 0.2", do = "detach", joint = "O" }'


def written(world, friction="", besides=""):
    return PENDULUM.format(kind=world, friction=friction, besides=besides, **WORLDS[world])


RUBS = ", friction = { mu = 0.1, radius = 0.2 }"
ROD = 2.0 * 9.81 / 2.5  # rad/s^2, as it falls from the level


@pytest.mark.parametrize("world", WORLDS)
def test_friction_is_told_in_the_plane_and_refused_by_name_in_space(world, tmp_path, capsys):
    path = tmp_path / "rubs.toml"
    path.write_text(written(world, RUBS))
    code = main(["explain", str(path), "--time", "0.3"])
    said = capsys.readouterr()
    if world == "spatial":
        assert code == 2
        assert 'explain: joint "O" has friction that depends on its load' in said.err
    else:
        found = explanation.explained(toml.loads(path.read_text()), 0.3)
        ours = pm.simulate(toml.loads(path.read_text()), duration=0.3, samples=2).alpha("rod")[-1]
        assert (code, found.agreed) == (0, True)
        assert "Absolute coordinates: AGREED" in said.out
        assert found.opinion.alpha[0] == pytest.approx(ours, rel=1e-9)
        assert pm.explain(toml.loads(path.read_text()), t=0.3) == "\n".join(found.lines)


@pytest.mark.parametrize("method", methods.METHODS)
def test_no_method_finds_accelerations_without_friction_that_is_there(method):
    with pytest.raises(ModelError, match=f'{method}: joint "O" has friction'):
        methods.solved(toml.loads(written("spatial", RUBS)), method)
    smooth = toml.loads(written("spatial", ", friction = { viscous = 0.1 }"))
    assert methods.solved(smooth, method).x_ddot[0] == pytest.approx(-ROD, rel=1e-12)


@pytest.mark.parametrize(
    ("besides", "alpha"),
    [(STRONGER, None), (HELD, 0.0), (TAKEN, 0.0), (STOPPED, 0.0), (CONTROLLED, None)],
    ids=["switched", "held", "taken", "stopped", "controlled"],
)
def test_a_page_in_the_plane_is_of_what_the_run_has_made_of_the_mechanism(besides, alpha):
    result = pm.simulate(toml.loads(written("planar", "", besides)))
    found = explanation.explained(result.mechanism, result.at())
    assert found.agreed
    for of in (found.breakdown.motion.alpha[0, 0], found.opinion.alpha[0]):
        assert of == pytest.approx(result.alpha("rod")[-1], rel=1e-8, abs=1e-9)
        assert alpha is None or of == pytest.approx(alpha, abs=1e-9)


def test_a_page_of_a_joint_that_rests_is_of_the_lock_that_holds_it_there():
    result = pm.simulate(toml.loads(written("planar", ", friction = { mu = 0.5, radius = 3.0, sticking = true }")))
    assert result.alpha("rod")[-1] == pytest.approx(0.0, abs=1e-9)
    found = explanation.explained(result.mechanism, result.at())
    assert found.agreed
    assert found.opinion.alpha[0] == pytest.approx(0.0, abs=1e-9)
    assert max(abs(row.value) for row in found.breakdown.rows) < 1e-12


def test_in_space_signals_that_events_switched_are_followed_and_what_locks_is_refused():
    switched = toml.loads(written("spatial", "", STRONGER))
    page, turning = pm.explain(switched, t=0.5), pm.simulate(switched).alpha("rod")[-1, 2]
    assert page.splitlines()[-1].startswith("The three methods agree")
    assert f"{turning:.6g}"[:6] in page
    for besides, said in ((HELD, 'event "x" has locked a joint'), (TAKEN, 'joint "O" is taken out')):
        mechanism = toml.loads(written("spatial", "", besides))
        with pytest.raises(ModelError, match=f"explain: at t = 0.5 s {said}.* take an instant before"):
            pm.explain(mechanism, t=0.5)
        assert "agree" in pm.explain(mechanism, t=0.1)
