"""Gap and force of stops and contacts are never both away from zero: looked at after a run, and seen where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import SimulationError
from particlemech.model.toml import loads
from particlemech.run.guards import Guards
from particlemech.run.trajectory import Status

BALL = """
gravity = [0, -9.81]
points = { P = [0, 1] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 1], inertia = 0.1 }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 1] }
joints.floor = { type = "stop", joint = "guide", lower = -1, restitution = 0.5 }
forces.load.type = "load"
forces.load.body = "ball"
forces.load.force = [0, { type = "sine", amplitude = -40, frequency = 0.4 }]
run = { duration = 3.0, samples = 61 }
"""
IN_SPACE = 'kind = "spatial"\n' + BALL.replace("[0, -9.81]", "[0, -9.81, 0]").replace("[0, 1]", "[0, 1, 0]").replace(
    "0.1 }", "[0.1, 0.1, 0.1] }"
).replace("frequency = 0.4 }]", "frequency = 0.4 }, 0]")
CONTACT = BALL.replace(
    'type = "stop", joint = "guide", lower = -1',
    'type = "contact", bodies = ["ground", "ball"], points = [[0, 0], "P"], axis = [1, 0]',
)
SOFT = BALL.replace("restitution = 0.5", "stiffness = 5e4, damping = 200")
MODELS = {"stop": BALL, "stop in space": IN_SPACE, "contact": CONTACT, "gives way": SOFT}


@pytest.mark.parametrize("way", ["explicit", "ida"])
@pytest.mark.parametrize("model", MODELS)
def test_runs_keep_gap_and_force_apart_at_samples_and_switches(model: str, way: str) -> None:
    result = pm.simulate(loads(MODELS[model]), integrator=way)
    found = result.complementarity
    assert found.wrong is None and found.gap.share < 1e-2 and found.force.share < 1e-2
    before = sum(len(result.events[f"floor{which}"].t) for which in ("", ".after"))
    assert found.states == len(result.t) + before > len(result.t) + 10
    assert result.switches[-1].what in ("opens", "impact") or len(result.switches) > 4


def blind(self: Guards, values: Any, miss: float) -> Any:
    """Return what guards would see if all bounds were `miss` farther away, and nothing ever pulled."""
    value, rate = values
    return np.where(self.rigid, np.abs(value) + 1.0, value + np.where(self.pressed, 0.0, miss)), rate


@pytest.mark.parametrize("model", MODELS)
def test_a_guard_that_misses_is_found_out(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds are seen 5 cm too late: the run ends as inaccurate, and says by how much and when.

    What bounces for ever breaks no row and loses no energy: nothing else would tell.
    """
    rig = loads(MODELS[model])
    if model != "gives way":
        rig = rig.replaced(joints={"floor": {"restitution": 1.0}})
    seen = Guards.values
    monkeypatch.setattr(Guards, "values", lambda self, t, y: blind(self, seen(self, t, y), 0.05))
    with pytest.raises(SimulationError, match=r'joint "floor" (is off its bound by|pulls, or pushes)') as caught:
        pm.simulate(rig)
    result = caught.value.result
    assert result.status is Status.INACCURATE and "that rtol allows" in result.message
    found = result.complementarity
    if model == "gives way":
        assert found.force.size > 100.0  # reported, where no spring has acted
    else:
        assert found.gap.size == pytest.approx(0.05, rel=1e-3) and found.gap.part == "floor"


@pytest.mark.parametrize("model", ["stop", "stop in space", "contact"])
def test_a_bound_that_pulls_is_found_out(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The load lifts with up to 40 N what weighs 19.62: a guard that does not look holds it down."""
    heavy = loads(MODELS[model]).replaced(joints={"floor": {"restitution": 0.0}}, run={"samples": 301})
    honest = pm.simulate(heavy)
    assert any(one.what == "opens" for one in honest.switches)
    seen = Guards.values
    monkeypatch.setattr(Guards, "values", lambda self, t, y: blind(self, seen(self, t, y), 0.0))
    result = pm.simulate(heavy, throw=False)
    assert result.status is Status.INACCURATE and 'joint "floor" pulls' in result.message
    assert result.complementarity.force.size == pytest.approx(40.0 - 2.0 * 9.81, rel=1e-2)
