"""Joints that jam: one criterion in the plane and in space, found by every integrator at its time, with numbers."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.engine.jamming import Limit, said
from particlemech.errors import ModelError
from particlemech.model.rubbing import rubbing
from particlemech.model.toml import from_dict, loads
from particlemech.run.trajectory import Status

PLANE = ({"integrator": "explicit"}, {"integrator": "ida"}, {"formulation": "absolute"})
SPACE = ({"integrator": "explicit"}, {"integrator": "ida"}, {"formulation": "natural"})
WAYS = [
    pytest.param(flat, way, id=f"{'plane' if flat else 'space'}-{'-'.join(way.values())}")
    for flat, ways in ((True, PLANE), (False, SPACE))
    for way in ways
]
every_way = pytest.mark.parametrize(("flat", "way"), WAYS)
BESIDE, LONG, WEIGHT, SMOOTH = 0.3, 0.12, 7.0, 1e-3
LIMIT = LONG / (2.0 * BESIDE)


def guide(flat, mu, motion, turns=None, **run):
    """Return a block in an upright guide under a load, which an event turns round, moved at a point beside it."""

    def up(x, y):
        return (x, y) if flat else (x, y, 0.0)

    body = {"points": ("Q", "P"), "mass": 1.0, "com": up(0.0, 0.0), "inertia": 0.02 if flat else (0.02, 0.02, 0.02)}
    turn = {"do": "switch signal", "of": "load"}
    slide = {"type": "prismatic", "point": "Q", "bodies": ("ground", "block"), "axis": up(0.0, 1.0)}
    return from_dict(
        ({} if flat else {"kind": "spatial", "gravity": (0.0, 0.0, 0.0)})
        | {
            "points": {"Q": up(0.0, 0.0), "P": up(BESIDE, 0.0)},
            "bodies": {"block": body},
            "joints": {"S": slide | {"friction": {"mu": mu, "length": LONG, "velocity": SMOOTH}}},
            "drivers": {"pull": {"type": "position", "point": "P", "axis": "y", "motion": motion}},
            "forces": {"load": {"type": "load", "body": "block", "point": "Q", "force": up(0.0, -WEIGHT)}},
            "run": {"duration": 1.0, "samples": 5} | run,
        }
        | ({"events": {"turn": turn | {"when": f"t > {turns}", "to": up(0.0, WEIGHT)}}} if turns else {})
    )


def rod(degrees, mu, speed, spin=0.0):
    """Return a uniform rod of unit length that slides on its lower end."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return from_dict(
        {
            "gravity": (0.0, -9.81),
            "points": {"A": (0.0, 0.0), "B": (c, s)},
            "bodies": {"rod": {"points": ("A", "B"), "mass": 1.2}},
            "joints": {
                "floor": {
                    "type": "contact",
                    "bodies": ("ground", "rod"),
                    "points": ((0.0, 0.0), "A"),
                    "axis": (1.0, 0.0),
                }
                | {"friction": {"mu": mu, "velocity": 1e-5}},
            },
            "initial": {"velocity": {"A": (speed, 0.0)}, "omega": {"rod": spin}},
            "run": {"duration": 0.01, "samples": 3},
        }
    )


def line(rate):
    return {"type": "linear", "rate": rate}


@every_way
def test_a_guide_jams_from_its_length_over_twice_the_lever_on_where_friction_adds_to_what_presses(flat, way):
    # IDA in space does not find a million times the load, and in natural coordinates energy is lost sooner
    near = 0.1 if way == SPACE[2] else 1e-6 if flat or way == SPACE[0] else 1e-3
    for mu in (0.1, LIMIT * (1.0 - near)):
        found = pm.simulate(guide(flat, mu, line(0.1)), **way)
        np.testing.assert_allclose(found.effort("pull"), WEIGHT / (1.0 - mu / LIMIT), rtol=1e-13 / (1.0 - mu / LIMIT))
    for mu in (LIMIT * (1.0 + 1e-6), 0.5):
        with pytest.raises(ModelError, match=r'joint "S" jams at t = 0 s.*mu = ') as error:
            pm.simulate(guide(flat, mu, line(0.1)), **way)
        said = float(re.search(r"jams from mu = ([0-9.e-]+) on", str(error.value)).group(1))
        assert said == pytest.approx(LIMIT, rel=2e-7)


@every_way
@pytest.mark.parametrize("mu", [0.5 * LIMIT, 2.5 * LIMIT])
def test_a_guide_whose_friction_takes_off_what_presses_does_not_jam(flat, way, mu):
    """On its way down; from the limit on there is a second solution, which nothing leads to."""
    found = pm.simulate(guide(flat, mu, line(-0.1)), **way)
    np.testing.assert_allclose(found.effort("pull"), WEIGHT / (1.0 + mu / LIMIT), rtol=1e-12)
    assert found.status is Status.COMPLETED
    loads = [2.0 * BESIDE / LONG * WEIGHT / abs(1.0 + sign * mu / LIMIT) for sign in (1.0, -1.0)]
    said = [float(of) for line in found.warnings for of in re.search(r"loads (\S+) and (\S+);", line).groups()]
    assert said == pytest.approx(loads if mu > LIMIT else [], rel=1e-5)


@every_way
def test_a_jam_between_samples_ends_the_run_at_its_time(flat, way):
    """Down for half a second, then up: friction grows with the speed, and jams where tanh(v/v_s) = limit/mu."""
    mu = 1.25 * LIMIT
    motion = {"type": "sine", "amplitude": 0.01, "frequency": 1.0, "phase": 0.5 * math.pi}
    found = pm.simulate(guide(flat, mu, motion, samples=3), throw=False, **way)
    v = SMOOTH * math.atanh(0.8)
    when = 0.5 + math.asin(v / (0.02 * math.pi)) / (2.0 * math.pi)
    assert found.status is Status.LOCKED
    said = re.search(r'joint "S" jams at t = ([0-9.e-]+) s: .* jams from mu = ([0-9.e-]+) on', found.message)
    assert float(said.group(1)) == pytest.approx(when, abs=2e-5)
    assert 0.94 * mu < float(said.group(2)) < 1.06 * mu  # tanh included: in this pose and at this speed
    assert found.t[-1] <= float(said.group(1)) + 1e-9


@every_way
def test_a_guide_that_an_event_jams_ends_the_run_there(flat, way):
    """On its way down friction takes off what presses, until the load turns round."""
    found = pm.simulate(guide(flat, 1.25 * LIMIT, line(-0.1), turns=0.4), throw=False, **way)
    assert found.status is Status.LOCKED
    said = re.search(r'joint "S" jams at t = ([0-9.e-]+) s: .* jams from mu = ([0-9.e-]+) on', found.message)
    assert float(said.group(1)) == pytest.approx(0.4, abs=1e-6)
    assert float(said.group(2)) == pytest.approx(LIMIT, rel=1e-6)
    np.testing.assert_array_equal(found.t, [0.0, 0.25])


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
@pytest.mark.parametrize("degrees", [50.0, 60.0])
def test_the_rod_of_painleve_has_no_normal_force_from_the_mu_of_the_closed_form_on(integrator, degrees):
    """N (1 + 3 cos (cos - mu sin)) = m (g - w^2 sin/2) where it is pushed, with + where it is dragged."""
    c, s, m, g = math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 1.2, 9.81
    limit = (1.0 + 3.0 * c * c) / (3.0 * s * c)
    pushed = pm.simulate(rod(degrees, 0.9 * limit, -1.0), integrator=integrator)
    assert pushed.force("floor")[0] == pytest.approx(m * g / (0.1 * (1.0 + 3.0 * c * c)), rel=1e-9)
    for mu in (limit * (1.0 + 1e-6), 2.0):
        with pytest.raises(ModelError, match=r'joint "floor" jams at t = 0 s.*jams from mu = ') as error:
            pm.simulate(rod(degrees, mu, -1.0), integrator=integrator)
        said = float(re.search(r"jams from mu = ([0-9.e-]+) on", str(error.value)).group(1))
        assert said == pytest.approx(limit, rel=1e-6)
    dragged = pm.simulate(rod(degrees, 2.0, 1.0), integrator=integrator)
    assert dragged.force("floor")[0] == pytest.approx(m * g / (1.0 + 3.0 * c * (c + 2.0 * s)), rel=1e-9)
    # it turns so fast that it would leave without friction: of the two solutions it takes the one without a force
    spin = 1.2 * math.sqrt(2.0 * g / s)
    flying = pm.simulate(rod(degrees, 2.0, -1.0, spin), integrator=integrator)
    assert np.all(flying.force("floor") == 0.0)
    assert np.all(flying["A"][1:, 1] > 0.0)


CRANK, LENGTH, RADIUS, LEAN, PUSH = 0.1, 0.25, 0.03, math.radians(14.0), 0.001


def turned_by_its_slide(mu, torque):
    """Return a crank near its dead centre, turned by the slide through a rod that rubs."""
    A = (CRANK * math.cos(LEAN), CRANK * math.sin(LEAN))
    B = (A[0] + math.sqrt(LENGTH**2 - A[1] ** 2), 0.0)
    friction = {"mu": mu, "radius": RADIUS, "velocity": 1e-6}
    return from_dict(
        {
            "points": {"O": (0.0, 0.0), "A": A, "B": B},
            "bodies": {
                "crank": {"points": ("O", "A"), "mass": 1.0},
                "piston": {"points": ("B",), "mass": 2.0, "com": B, "inertia": 0.01},
            },
            "joints": {
                "O": {"type": "revolute", "point": "O", "bodies": ("ground", "crank")},
                "S": {"type": "prismatic", "point": "B", "bodies": ("ground", "piston"), "axis": (1.0, 0.0)},
                "rod": {"type": "distance", "bodies": ("crank", "piston"), "points": ("A", "B"), "friction": friction},
            },
            "drivers": {"push": {"type": "coordinate", "joint": "S", "motion": line(-PUSH)}},
            "forces": {"load": {"type": "torque", "bodies": ("ground", "crank"), "torque": torque}},
            "run": {"duration": 0.1, "samples": 3},
        }
    )


@pytest.mark.parametrize("way", PLANE, ids=["explicit", "ida", "absolute"])
def test_a_rod_jams_where_its_load_turns_round_and_the_message_names_cures_that_work(way):
    """The force of the rod touches both friction circles, and crosses the rod midway, as both pins turn one way.

    It jams from the mu on with which that line meets the pin of the crank: mu radius is the distance of A from it.
    Under the opposite load it touches the circles on their other sides.
    """
    swinging = {"type": "sine", "amplitude": 3.0, "frequency": 5.0, "phase": 0.5 * math.pi}
    found = pm.simulate(turned_by_its_slide(0.9, swinging), throw=False, **way)
    assert found.status is Status.LOCKED
    said = re.search(r'joint "rod" jams at t = (\S+) s: .* jams from mu = (\S+) on\. (.*)', found.message)
    t, mu = float(said.group(1)), float(said.group(2))
    assert t == pytest.approx(0.05, abs=1e-3)  # there the torque turns round, and nearly so the load
    slide = CRANK * math.cos(LEAN) + math.sqrt(LENGTH**2 - (CRANK * math.sin(LEAN)) ** 2) - PUSH * t
    cosine = (slide**2 + CRANK**2 - LENGTH**2) / (2.0 * slide * CRANK)
    A = np.array([CRANK * cosine, CRANK * math.sqrt(1.0 - cosine**2)])
    x, y = 0.5 * (A + np.array([slide, 0.0]))
    assert mu == pytest.approx(abs(A[0] * y - A[1] * x) / math.hypot(x, y) / RADIUS, rel=1e-5)
    assert "a smaller mu or radius, or a longer rod, or keep its load, " in said.group(3)
    assert pm.simulate(turned_by_its_slide(0.99 * mu, swinging), **way).status is Status.COMPLETED
    assert pm.simulate(turned_by_its_slide(1.01 * mu, swinging), throw=False, **way).status is Status.LOCKED
    assert pm.simulate(turned_by_its_slide(0.9, 3.0), **way).status is Status.COMPLETED


@pytest.mark.parametrize(
    ("factor", "told"), [(0.5, "from 0.5 times their friction on"), (1.0, "with just their friction")]
)
def test_joints_that_jam_together_say_from_how_much_of_their_friction_on(factor, told):
    """A run that comes to a jam ends where all the friction is just enough for it."""
    rub = next(rub for rub in rubbing(guide(True, 0.1, line(0.1))) if rub.dry)
    assert f"so do others with it, in this pose {told}. Take " in said(rub, 0.0, Limit(0, factor, math.inf))


@pytest.mark.parametrize("sticking", [False, True], ids=["smooth", "sticks"])
@pytest.mark.parametrize("way", PLANE, ids=lambda way: "-".join(way.values()))
def test_what_an_event_makes_jam_ends_the_run_there(way: dict[str, str], sticking: bool) -> None:
    """A pusher meets a guide at a = 0.3 beside its line; against b v it needs b v/(1 - 2 mu a/length), if mu < 1/2."""
    ends = {}
    for mu in (0.45, 0.55):
        model = loads(f"""
points = {{ Q = [-0.2, 0.3], P = [0, 0] }}
bodies.pusher = {{ points = ["Q"], mass = 1, com = [-0.2, 0.3], inertia = 0.1 }}
bodies.block = {{ points = ["P"], mass = 2, com = [0, 0], inertia = 0.1 }}
joints.way = {{ type = "prismatic", point = "Q", bodies = ["ground", "pusher"], axis = [1, 0] }}
[joints.guide]
type = "prismatic"
point = "P"
bodies = ["ground", "block"]
axis = [1, 0]
friction = {{ mu = {mu}, length = 0.3, viscous = 10, sticking = {str(sticking).lower()} }}
[joints.push]
type = "slot"
bodies = ["block", "pusher"]
point = "Q"
axis = [0, 1]
free = true
through = [0, 0.3]
[drivers]
drive = {{ joint = "way", motion = "t" }}
[events]
meet = {{ when = "Q.x > 0", do = "lock joint", joint = "push" }}
[run]
duration = 0.5
samples = 11
""")
        ends[mu] = pm.simulate(model, throw=False, **way)
    assert ends[0.45].status is Status.COMPLETED
    assert ends[0.45].effort("drive")[-1] == pytest.approx(10.0 / (1.0 - 0.45 / 0.5), rel=1e-6)
    assert ends[0.55].status is Status.LOCKED
    assert re.match(r'joint "guide" jams at t = 0.2 s: its friction, mu = 0.55, .*from mu = 0.5 on', ends[0.55].message)
    assert len(ends[0.55].t) == 5 and ends[0.55].t[-1] == pytest.approx(0.2)
