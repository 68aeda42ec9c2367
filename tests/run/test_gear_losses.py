"""What gears and racks lose: closed forms in both directions of power, on both integrators and formulations."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.toml import dumps, loads

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
way = pytest.mark.parametrize("how", WAYS, ids=["explicit", "ida", "absolute"])
EXACT = 1e-9  # relative; worst observed 4e-13
ETA = 0.9

PAIR = """
points = { A = [0, 0], B = CENTRE }
bodies.one = { points = ["A"], com = [0, 0], mass = 2.0, inertia = 0.01 }
bodies.two = { points = ["B"], com = CENTRE, mass = 3.0, inertia = 0.2 }
joints.a = { type = "revolute", point = "A", bodies = ["ground", "one"] }
joints.b = { type = "revolute", point = "B", bodies = ["ground", "two"] }
joints.mesh = { type = "gear", bodies = ["one", "two"], points = ["A", "B"], radii = [0.1, 0.3], efficiency = 0.9MORE }
run = { duration = 1, samples = 5, rtol = 1e-10 }
"""
TURNING = 'drivers.motor = { joint = "a", motion = { type = "linear", rate = 10.0 } }\n'

RACK = """
points = { A = [0.3, 0], B = [0, 0.05] }
bodies.pinion = { points = ["B"], com = [0, 0.05], mass = 1.0, inertia = 0.002 }
run = { duration = 1, samples = 5, rtol = 1e-10 }
"""
# the rack slides below a pinion on the ground
SLIDING = """
bodies.rack = { points = ["A"], com = [0.3, 0], mass = 4.0, inertia = 0.01 }
joints.guide = { type = "prismatic", point = "A", bodies = ["ground", "rack"], axis = [1, 0] }
joints.B = { type = "revolute", point = "B", bodies = ["ground", "pinion"] }
joints.mesh = { type = "rack", bodies = ["rack", "pinion"], points = ["A", "B"], axis = [1, 0], efficiency = 0.9 }
drivers.motor = { joint = "B", motion = { type = "linear", rate = 10.0 } }
forces.load = { type = "load", body = "rack", point = "A", force = [LOAD, 0] }
"""
# the rack stands, and the pinion rolls on it in a carriage
ROLLING = """
bodies.carriage = { points = ["B"], com = [0, 0.05], mass = 4.0, inertia = 0.01 }
joints.guide = { type = "prismatic", point = "B", bodies = ["ground", "carriage"], axis = [1, 0] }
joints.B = { type = "revolute", point = "B", bodies = ["carriage", "pinion"] }
joints.mesh = { type = "rack", bodies = ["ground", "pinion"], points = ["A", "B"], axis = [1, 0], efficiency = 0.9 }
drivers.motor = { joint = "B", motion = { type = "linear", rate = 10.0 } }
forces.load = { type = "load", body = "carriage", point = "B", force = [LOAD, 0] }
"""

PLANETARY = """
points = { O = [0, 0], P = [0.05, 0] }
bodies.sun = { points = ["O"], com = [0, 0], mass = 1.0, inertia = 0.001 }
bodies.arm = { points = ["O", "P"], com = [0, 0], mass = 1.0, inertia = 0.01 }
bodies.planet = { points = ["P"], com = [0.05, 0], mass = 0.3, inertia = 0.0004 }
joints.s = { type = "revolute", point = "O", bodies = ["ground", "sun"] }
joints.c = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
joints.p = { type = "revolute", point = "P", bodies = ["arm", "planet"] }
joints.inner = { type = "gear", bodies = ["sun", "planet"], points = ["O", "P"], radii = [0.02, 0.03]LOSS1 }
joints.outer = { type = "gear", bodies = ["ground", "planet"], points = ["O", "P"], radii = [0.08, 0.03]LOSS2 }
drivers.motor = { joint = "s", motion = { type = "linear", rate = 10.0 } }
forces.load = { type = "torque", bodies = ["ground", "arm"], torque = LOAD }
run = { duration = 0.2, samples = 5, rtol = 1e-10 }
"""

# two sun wheels that differ by little, planets in one piece, and an arm that turns 17 times as fast as the second sun
DIFFERENTIAL = """
points = { O = [0, 0], P = [0.15, 0] }
bodies.arm = { points = ["O", "P"], com = [0, 0], mass = 1.0, inertia = 0.01 }
bodies.planet = { points = ["P"], com = [0.15, 0], mass = 0.3, inertia = 0.0004 }
bodies.out = { points = ["O"], com = [0, 0], mass = 1.0, inertia = OUT }
joints.s = { type = "revolute", point = "O", bodies = ["ground", "out"] }
joints.c = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
joints.p = { type = "revolute", point = "P", bodies = ["arm", "planet"] }
joints.inner = { type = "gear", bodies = ["ground", "planet"], points = ["O", "P"], radii = [0.1, 0.05], MORE }
joints.outer = { type = "gear", bodies = ["out", "planet"], points = ["O", "P"], radii = [0.102, 0.048], MORE }
forces.load = { type = "torque", bodies = ["ground", "out"], torque = 5.0 }
run = { duration = 0.5, samples = 5, rtol = 1e-8 }
"""


def pair(internal=False, more="", besides=TURNING):
    """Return the text of two gears, the second on the right of the first or round it."""
    more = (", internal = true" if internal else "") + more
    return PAIR.replace("CENTRE", "[-0.2, 0]" if internal else "[0.4, 0]").replace("MORE", more) + besides


def moved(text, how, **options):
    """Return a run that completed."""
    result = pm.simulate(loads(text), **how, **options)
    assert result.status is pm.Status.COMPLETED
    return result


@way
@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("drives", ["motor", "load"])
def test_a_motor_takes_the_load_over_i_and_efficiency_and_times_efficiency_where_the_load_drives(how, internal, drives):
    """T/(i eta) and T eta/i, gears.py (3); the loss is 1 - eta of what goes in, to the last digit."""
    T, i = 6.0, 3.0 if internal else -3.0
    against = math.copysign(T, -i) if drives == "motor" else math.copysign(T, i)
    load = f'forces.load = {{ type = "torque", bodies = ["ground", "two"], torque = {against} }}\n'
    result = moved(pair(internal, besides=TURNING + load), how)
    torque = T / (3.0 * ETA) if drives == "motor" else -T * ETA / 3.0
    assert result.effort("motor") == pytest.approx(np.full(5, torque), rel=EXACT)
    into = 10.0 * torque if drives == "motor" else T * 10.0 / 3.0
    assert result.loss("mesh") == pytest.approx(np.full(5, (1.0 - ETA) * into), rel=EXACT)
    assert result.efficiency() == pytest.approx(ETA, rel=1e-6)
    # F is the mean of the tooth forces of both sides
    assert np.abs(result.force("mesh")) == pytest.approx(np.full(5, 0.5 * (T + 3.0 * abs(torque)) / 0.3), rel=EXACT)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


@way
def test_a_pair_with_losses_speeds_up_as_one_inertia_with_the_driven_one_over_the_efficiency(how):
    """alpha = T/(I1 + I2/(i^2 eta)) once it slides by more than the scale of velocity."""
    text = pair(besides='forces.motor = { type = "torque", bodies = ["ground", "one"], torque = 5.0 }\n')
    result = moved(text + "initial = { omega = { one = 20.0 } }\n", how)
    assert result.alpha("one") == pytest.approx(np.full(5, 5.0 / (0.01 + 0.2 / 9.0 / ETA)), rel=EXACT)


def test_a_pair_that_turns_back_and_forth_passes_rest_smoothly_and_both_formulations_agree():
    """Power changes its direction twice a period, at other instants than the speed."""
    sine = 'forces.motor = { type = "torque", bodies = ["ground", "one"], torque = "0.5*sin(6*t)" }\n'
    load = 'forces.spring = { type = "torsion", bodies = ["ground", "two"], stiffness = 3.0 }\n'
    text = pair(besides=sine + load).replace("duration = 1, samples = 5", "duration = 3, samples = 31")
    one, *others = (moved(text, how) for how in WAYS)
    assert np.ptp(np.sign(one.omega("one")[1:])) == 2.0
    assert np.all(one.loss("mesh") >= 0.0)
    assert np.max(one.loss("mesh")) > 0.0
    for other in others:
        assert other.angle("one") == pytest.approx(one.angle("one"), abs=1e-6 * np.abs(one.angle("one")).max())
    for result in (one, *others):
        assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@way
@pytest.mark.parametrize("kind", [SLIDING, ROLLING], ids=["sliding", "rolling"])
@pytest.mark.parametrize("drives", ["motor", "load"])
def test_a_rack_and_its_pinion_lose_by_the_same_law(how, kind, drives):
    """The pinion at rate 10 moves what moves at 0.5 m/s: T = F r/eta, or F r eta where the force drives."""
    F, r = 40.0, 0.05
    free = moved(RACK + kind.replace("LOAD", "0").replace("efficiency = 0.9", "efficiency = 1"), WAYS[0])
    way_to = math.copysign(1.0, free.velocity("A" if kind is SLIDING else "B")[0, 0])
    load = -way_to * F if drives == "motor" else way_to * F
    result = moved(RACK + kind.replace("LOAD", str(load)), how)
    torque = F * r / ETA if drives == "motor" else -F * r * ETA
    assert result.effort("motor") == pytest.approx(np.full(5, torque), rel=EXACT)
    into = 10.0 * F * r * (1.0 / ETA if drives == "motor" else 1.0)
    assert result.loss("mesh") == pytest.approx(np.full(5, (1.0 - ETA) * into), rel=EXACT)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


@way
@pytest.mark.parametrize("drives", ["motor", "load"])
def test_a_planetary_gear_has_the_efficiency_of_its_rolling_power(how, drives):
    """Sun in, arm out, i = 1 + zr/zs = 5: (1 + eta0 zr/zs)/i with eta0 = 0.97 0.98; (i eta0)/(eta0 + zr/zs) back."""
    eta0, z = 0.97 * 0.98, 4.0
    T = 8.0
    text = PLANETARY.replace("LOSS1", ", efficiency = 0.97").replace("LOSS2", ", internal = true, efficiency = 0.98")
    result = moved(text.replace("LOAD", str(-T if drives == "motor" else T)), how)
    i = 1.0 + z
    torque = T / (1.0 + eta0 * z) if drives == "motor" else -T / (1.0 + z / eta0)
    assert result.effort("motor") == pytest.approx(np.full(5, torque), rel=EXACT)
    eta = (1.0 + eta0 * z) / i if drives == "motor" else i / (1.0 + z / eta0)
    assert result.efficiency() == pytest.approx(eta, rel=1e-6)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


def differential(efficiency, out=0.01):
    """Return the text of a differential train."""
    return DIFFERENTIAL.replace("MORE", f"efficiency = {efficiency}").replace("OUT", str(out))


@way
def test_a_differential_train_locks_itself_where_its_two_meshes_lose_more_than_their_ratio_gives(how):
    """With the basic ratio i0 = (0.102/0.048)/(0.1/0.05) = 17/16 a load drives it from efficiency^2 > 16/17 on only."""
    limit = math.sqrt(16.0 / 17.0)
    free, locked = (moved(differential(limit + by), how) for by in (0.005, -0.005))
    assert free.omega("arm")[-1] > 1.8 * free.omega("arm")[2]  # at half the time: it speeds up
    assert free.omega("arm")[-1] > 0.5
    assert np.ptp(locked.omega("arm")[1:]) < 1e-3 * locked.omega("arm")[-1]  # it creeps at the scale of velocity
    assert locked.omega("arm")[-1] < 0.05


def test_a_train_that_jams_on_the_move_says_so_in_a_line():
    """What turns on by its inertia pushes harder than losses slow it."""
    text = differential(0.9, out=10) + "initial = { omega = { arm = 5.0 } }\n"
    with pytest.raises(ModelError, match=r'"outer" jams at t = 0 s: its losses grow .* Take a larger efficiency'):
        pm.simulate(loads(text))


def test_an_efficiency_survives_the_file_and_one_costs_nothing():
    """And a pair without losses has no friction at all."""
    mechanism = loads(pair())
    assert loads(dumps(mechanism)).joints == mechanism.joints
    assert "efficiency = 0.9" in dumps(mechanism)
    whole = moved(pair().replace("efficiency = 0.9", "efficiency = 1"), WAYS[0])
    with pytest.raises(ModelError, match='joint "mesh" has no friction'):
        whole.loss("mesh")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("efficiency = 0.9", "efficiency = 0", "must be above 0 and at most 1, got 0; 0.97 loses 3 % of the power"),
        ("efficiency = 0.9", "efficiency = 1.02", "must be above 0 and at most 1, got 1.02"),
        ("efficiency = 0.9", "efficiency = -0.5", "must be above 0 and at most 1, got -0.5"),
    ],
)
def test_an_efficiency_that_cannot_be_is_refused(old, new, said):
    """In one line with the number."""
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        loads(pair().replace(old, new))
    assert 'joint "mesh"' in str(error.value)


def test_losses_need_a_third_body_to_work_against():
    """A gear that itself carries the other one has no rate against its carrier."""
    text = pair(more=', carrier = "one"').replace('points = ["A"]', 'points = ["A", "B"]')
    with pytest.raises(ModelError, match='"mesh": key "efficiency": losses work against a third body that holds "one"'):
        loads(text.replace('point = "B", bodies = ["ground", "two"]', 'point = "B", bodies = ["one", "two"]'))


def test_verbs_that_friction_has_no_part_in_refuse_losses():
    """A loss is no function of pose and rates alone."""
    with pytest.raises(ModelError, match='"mesh" has friction that depends on its load'):
        pm.linearised(loads(pair(besides="")))
