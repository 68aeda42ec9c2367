"""Two runs that see other bounces, or whose friction magnifies noise, agree; an error of one formulation is found."""

from __future__ import annotations

import math

import pytest

import particlemech as pm
from particlemech.analyses import validation
from particlemech.analyses.equal_states import explained
from particlemech.model.toml import loads

FALL = math.sqrt(2.0 * 0.5 / 9.81)  # s
OVER = FALL * (1.0 + 2.0 * 0.6 / 0.4)  # s, the limit of all bounces
BALL = """
gravity = [0, -9.81]
points = { O = [0, 0], C = [0, 0.7] }
bodies.ball = { points = ["C"], mass = 2, com = [0, 0.7], inertia = 0.04 }
joints.floor = { type = "contact", bodies = ["ground", "ball"], points = ["O", "C"], axis = [1, 0], radius = 0.2, \
restitution = 0.6RUBS }
initial = { velocity = { C = [0.5, 0] }, omega = { ball = 4 } }
run = { duration = DURATION, samples = SAMPLES }
"""
GUIDED = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { P = [0, 0, 0.5] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 0, 0.5], inertia = [0.1, 0.1, 0.1] }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 0, 1] }
joints.floor = { type = "stop", joint = "guide", lower = -0.5, restitution = 0.6 }
run = { duration = DURATION, samples = SAMPLES }
"""


def ball(duration: float, samples: int, rubs: bool = False, text: str = BALL) -> pm.Mechanism:
    """Return a ball that falls half a metre and bounces."""
    law = ", friction = { mu = 0.25, velocity = 1e-3 }" if rubs else ""
    return loads(text.replace("RUBS", law).replace("DURATION", repr(duration)).replace("SAMPLES", str(samples)))


def with_an_error(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Let the second formulation run another mechanism than the first."""
    simulate = validation.simulate

    def wrong(mechanism: pm.Mechanism, **options: object) -> object:
        of = mechanism.replaced(**changes) if options.get("formulation") == "absolute" else mechanism
        return simulate(of, **options)

    monkeypatch.setattr(validation, "simulate", wrong)


def test_noise_of_what_rolls_freely_is_no_disagreement_of_accelerations():
    """Without a force on it the disc has no angular acceleration but noise of its creep, times da/dv = 24 525 1/s."""
    found = pm.validate(ball(2.0, 101, rubs=True))
    assert found.agreed
    assert "angular accelerations are compared at equal states" in found.remark
    (alpha,) = [d for d in found.differences if d.quantity == "angular accelerations"]
    assert 0.0 < alpha.relative < 1e-7  # at equal states, of the noise itself


@pytest.mark.parametrize(
    ("error", "found_in"),
    [
        ({"joints": {"floor": {"friction": {"mu": 0.25 * (1.0 + 1e-4), "velocity": 1e-3}}}}, "angular accelerations"),
        ({"joints": {"floor": {"restitution": 0.6001}}}, None),
        ({"gravity": (0.0, -9.81 * (1.0 + 1e-4))}, None),
    ],
    ids=["friction", "restitution", "gravity"],
)
def test_an_error_of_one_formulation_is_told_from_noise(monkeypatch, error, found_in):
    with_an_error(monkeypatch, **error)
    found = pm.validate(ball(2.0, 101, rubs=True))
    assert not found.agreed
    assert found.verdict.startswith("NOT AGREED")
    if found_in is not None:  # a law that is wrong by 1e-4 leaves no trace but in what the noise brings about
        assert f"{found_in} differ" in found.verdict


@pytest.mark.parametrize("text", [BALL, GUIDED], ids=["plane", "space"])
@pytest.mark.parametrize("before", [3e-4, 1e-5, 1e-6])
def test_samples_in_the_tail_of_bounces_agree(text, before):
    """IDA leaves the last bounces out that explicit steps see; a sample falls between them."""
    found = pm.validate(ball(2.0 * OVER * (1.0 - before), 41, text=text.replace("RUBS", "")))
    impacts = [sum(one.what == "impact" for one in run.switches) for run in (found.first, found.second)]
    assert impacts[0] > impacts[1] > 10
    assert found.agreed
    assert max(d.relative for d in found.differences) < 1e-6


CRADLE = """
points = { A = [0, 0], B = [0.2, 0], C = [0.4, 0] }
bodies.a = { points = ["A"], mass = 1, com = [0, 0], inertia = 0.01 }
bodies.b = { points = ["B"], mass = 1, com = [0.2, 0], inertia = 0.01 }
bodies.c = { points = ["C"], mass = 1, com = [0.4, 0], inertia = 0.01 }
joints.ga = { type = "prismatic", point = "A", bodies = ["ground", "a"], axis = [1, 0] }
joints.gb = { type = "prismatic", point = "B", bodies = ["ground", "b"], axis = [1, 0] }
joints.gc = { type = "prismatic", point = "C", bodies = ["ground", "c"], axis = [1, 0] }
joints.ab = { type = "contact", bodies = ["a", "b"], points = ["A", "B"], radii = [0.1, 0.1], restitution = E }
joints.bc = { type = "contact", bodies = ["b", "c"], points = ["B", "C"], radii = [0.1, 0.1], restitution = E }
initial = { position = { ga = -0.3 }, rate = { ga = 1, gb = 0, gc = 0 } }
run = { duration = 0.6, samples = 31 }
"""


@pytest.mark.parametrize("restitution", ["1.0", "0.5"])
def test_a_sample_at_the_instant_of_an_impact_has_two_velocities(monkeypatch, restitution):
    """At 0.3 s the one run shows the speeds before the blow and the other those after it."""
    cradle = loads(CRADLE.replace(" E ", f" {restitution} "))
    found = pm.validate(cradle)
    blows = [run.switches[0].t for run in (found.first, found.second)]
    assert blows == pytest.approx([found.first.t[15]] * 2, abs=1e-14)
    assert found.agreed
    with_an_error(monkeypatch, joints={"ab": {"restitution": 0.9 * float(restitution)}})
    assert not pm.validate(cradle).agreed


def test_an_impact_that_one_run_alone_sees_excuses_nothing(monkeypatch):
    """A sample just after an impact, which the second run does not have."""
    with_an_error(monkeypatch, joints={"floor": {"points": ((0.0, -2.0), "C")}})
    found = pm.validate(ball(FALL * (1.0 + 1e-6), 2))
    assert len(found.first.switches) == 1
    assert not found.second.switches
    left, said = explained(found.first, found.second, found.differences, found.tolerance)
    (velocities,) = [d for d in left if d.quantity == "velocities"]
    assert velocities.largest == pytest.approx(1.6 * 9.81 * FALL, rel=1e-5)
    assert not said


def test_a_tree_in_space_that_rubs_is_held_against_natural_coordinates():
    rail = 'type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [1, 0, 0]'
    law = "friction = { mu = 0.3, velocity = 1e-4, length = 0.2 }"
    text = GUIDED[: GUIDED.index("joints.")] + f"joints.guide = {{ {rail}, {law} }}\n"
    text += "initial = { rate = { guide = 1 } }\nrun = { duration = DURATION, samples = SAMPLES }"
    found = pm.validate(ball(0.5, 21, text=text))
    assert found.between == "recursive by explicit against natural by ida"
    assert found.agreed
