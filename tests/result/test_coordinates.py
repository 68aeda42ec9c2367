"""Coordinates of joints in the plane: results, drivers, starts, couplings, springs, motors and limits by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, joints, models, signals
from particlemech.model import toml

WAYS = {
    "explicit": {"integrator": "explicit"},
    "ida": {"integrator": "ida"},
    "absolute": {"formulation": "absolute"},
}
every_way = pytest.mark.parametrize("way", WAYS)


def ran(mechanism, way, **options):
    return pm.simulate(mechanism, **{"duration": 1.0, "samples": 21, "rtol": 1e-9, **WAYS[way], **options})


def arm(**more):
    """Return a double pendulum, drawn along x."""
    return Mechanism(
        gravity=(0.0, -9.81),
        points={"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (1.8, 0.0)},
        bodies={"one": Body(points=("A", "B"), mass=2.0), "two": Body(points=("B", "C"), mass=1.0)},
        joints={
            "A": joints.Revolute(point="A", bodies=("ground", "one")),
            "B": joints.Revolute(point="B", bodies=("one", "two")),
        },
        **more,
    )


def gears(ratio=-1.5, **more):
    """Return two wheels on the ground, one heavier on one side, coupled; their inertias are 0.05 and 0.02."""
    return Mechanism(
        points={"A": (0.0, 0.0), "B": (1.0, 0.0)},
        bodies={
            "big": Body(points=("A",), mass=1.0, com=(0.0, 0.0), inertia=0.05),
            "small": Body(points=("B",), mass=0.5, com=(1.0, 0.0), inertia=0.02),
        },
        joints={
            "A": joints.Revolute(point="A", bodies=("ground", "big")),
            "B": joints.Revolute(point="B", bodies=("ground", "small")),
            "mesh": joints.Coupling(joints=("A", "B"), ratio=ratio),
        },
        **more,
    )


def block(**more):
    """Return a block of 2 kg on a slide at 30 degrees."""
    return Mechanism(
        points={"S": (0.0, 0.0)},
        bodies={"block": Body(points=("S",), mass=2.0, com=(0.0, 0.0), inertia=0.1)},
        joints={
            "slide": joints.Prismatic(bodies=("ground", "block"), point="S", axis=(math.sqrt(3.0), 1.0)),
        },
        **more,
    )


def rack(**more):
    """Return a pinion of radius 0.2 on a rack: a wheel of inertia 0.05, a rack of 2 kg."""
    return Mechanism(
        points={"A": (0.0, 0.0), "S": (0.0, -0.2)},
        bodies={
            "wheel": Body(points=("A",), mass=1.0, com=(0.0, 0.0), inertia=0.05),
            "rack": Body(points=("S",), mass=2.0, com=(0.0, -0.2), inertia=0.1),
        },
        joints={
            "A": joints.Revolute(point="A", bodies=("ground", "wheel")),
            "slide": joints.Prismatic(bodies=("ground", "rack"), point="S", axis=(1.0, 0.0)),
            "teeth": joints.Coupling(joints=("A", "slide"), ratio=0.2),
        },
        **more,
    )


def small(error, bound):
    found = float(np.max(np.abs(error), initial=0.0))
    print(f"observed {found:.1e}, bound {bound:.0e}")
    assert found <= bound


# -- results -----------------------------------------------------------------------------------------------------------


@every_way
def test_the_angle_of_a_joint_is_that_of_its_second_body_against_its_first(way):
    result = ran(arm(initial=Initial(omega={"one": 9.0, "two": -20.0})), way)
    small(result.coordinate("A") - result.angle("one"), 1e-13)
    small(result.coordinate("B") - (result.angle("two") - result.angle("one")), 1e-13)
    small(result.rate("B") - (result.omega("two") - result.omega("one")), 1e-12)
    assert abs(result.coordinate("B")[-1]) > 2.0 * math.pi  # turns count


@every_way
def test_rates_are_the_derivatives_of_coordinates(way):
    result = ran(models.load("quick_return"), way, samples=2001, duration=0.5)
    for joint, names in (("slot", ("travel", "angle")), ("guide", ("travel",)), ("O", ("angle",))):
        for name in names:
            value, rate = result.coordinate(joint, name), result.rate(joint, name)
            h = result.t[1] - result.t[0]
            found = (value[:-4] - 8.0 * value[1:-3] + 8.0 * value[3:-1] - value[4:]) / (12.0 * h)
            small((found - rate[2:-2]) / np.abs(rate).max(), 1e-7)


def test_a_travel_is_the_way_of_the_point_along_the_axis():
    result = ran(block(gravity=(0.0, -9.81)), "explicit")
    u = np.array([math.sqrt(3.0), 1.0]) / 2.0
    small(result.coordinate("slide") - (result["S"] - result["S"][0]) @ u, 1e-14)
    small(result.coordinate("slide") + 0.25 * 9.81 * result.t**2, 1e-12)  # weight along the slide: g/2


def test_a_pin_of_more_bodies_names_its_angles_by_body():
    result = pm.simulate(models.load("andrews_squeezer"), duration=0.01, samples=5)
    joint = result.system.mechanism.joints["E"]
    assert joint.coordinate_names == tuple(f"angle.{b}" for b in joint.bodies[1:])
    every = result.coordinate("E")
    assert every.shape == (5, len(joint.bodies) - 1)
    for k, body in enumerate(joint.bodies[1:]):
        found = result.angle(body) - result.angle(joint.bodies[0])
        small(every[:, k] - found, 1e-13)
        assert np.array_equal(result.columns()[f"E.angle.{body}"], every[:, k])
        assert result.units([f"E.angle.{body}", f"E.angle.{body}_rate"]) == ["rad", "rad/s"]


def test_joints_without_coordinates_say_so():
    mechanism = block(forces={}).replaced(joints={"slide": joints.Weld(bodies=("ground", "block"))})
    with pytest.raises(pm.ModelError, match='joint "slide" is a weld, which has no coordinate'):
        pm.simulate(mechanism, duration=0.1).coordinate("slide")


@every_way
def test_events_and_custom_forces_see_coordinates(way):
    if way == "explicit":
        events = {"level": lambda t, state: state.coordinate("A") + 0.5}
        result = ran(arm(), way, events=events)
        small(result.events["level"].coordinate("A") + 0.5, 1e-9)
        return
    spring = {"joint": "A", "stiffness": 7.0, "damping": 0.3, "angle": 0.2}
    there = ran(arm(forces={"coil": forces.Torsion(**spring)}), way)

    def coil(t, state):
        return (0.0, 0.0), (0.0, 0.0), -7.0 * (state.coordinate("A") - 0.2) - 0.3 * state.rate("A")

    here = ran(arm(forces={"coil": forces.Custom(body="one", function=coil)}), way)
    small(here["C"] - there["C"], 1e-6)


@every_way
def test_momentum_of_what_floats_stays_and_that_of_the_rest_follows_from_its_bodies(way):
    free = arm(initial=Initial(omega={"one": 2.0, "two": -1.0}, velocity={"A": (0.3, 0.1)}))
    free = free.replaced(joints={"A": None}, gravity=(0.0, 0.0))
    found = ran(free, way, samples=11).momentum
    for part in found:
        small(part - part[0], 1e-7)
    result = ran(arm(initial=Initial(omega={"one": 3.0})), way, samples=801)
    m = result.momentum
    linear = 2.0 * np.gradient(result.com("one"), result.t, axis=0) + np.gradient(result.com("two"), result.t, axis=0)
    assert np.abs(m.linear - linear)[2:-2].max() < 1e-3 * np.abs(linear).max()
    # the moment of weight and of the pin about A, which is the origin: the rate of the angular momentum
    weight = -9.81 * (2.0 * result.com("one")[:, 0] + result.com("two")[:, 0])
    grown = m.angular[-1] - m.angular[0]
    assert grown == pytest.approx(float(np.trapezoid(weight, result.t)), rel=1e-5)
    columns = result.columns()
    assert np.array_equal(columns["momentum.hz"], m.angular) and np.array_equal(columns["momentum.py"], m.linear[:, 1])


# -- drivers -----------------------------------------------------------------------------------------------------------

CYLINDER = drivers.Distance(points=("D", "C"), motion=signals.Cycloid(start=0.1, end=0.5, duration=1.0))


def boom(**more):
    """Return an arm that a cylinder between D on the ground and C on the arm lifts."""
    return Mechanism(
        gravity=(0.0, -9.81),
        points={"A": (0.0, 0.0), "C": (0.6, 0.0), "D": (0.2, -0.8)},
        bodies={"arm": Body(points=("A", "C"), mass=2.0, com=(0.5, 0.0), inertia=0.2)},
        joints={"A": joints.Revolute(point="A", bodies=("ground", "arm"))},
        drivers={"cylinder": CYLINDER},
        **more,
    )


@every_way
def test_a_cylinder_lifts_with_the_force_that_a_hand_calculation_gives(way):
    result = ran(boom(), way, samples=201)
    d = result["C"] - result["D"]
    length = np.hypot(*d.T)
    motion = np.array([signals.values(CYLINDER.motion, t) for t in result.t])
    small(length - (math.hypot(0.4, 0.8) + motion[:, 0]), 1e-10)
    # moments about A: I alpha = weight + effort; the lever of a push from D is that of d/l at C
    lever = (result["C"][:, 0] * d[:, 1] - result["C"][:, 1] * d[:, 0]) / length
    inertia = 0.2 + 2.0 * 0.5**2
    needed = (inertia * result.alpha("arm") + 2.0 * 9.81 * result.com("arm")[:, 0]) / lever
    small(result.effort("cylinder") - needed, 1e-7)
    assert result.effort("cylinder")[0] > 0.0  # it carries the weight: positive where it pushes the points apart
    # its power is the rate of the energy
    power = result.effort("cylinder") * motion[:, 1]
    small(result.energy.error, 1e-6)
    assert result.energy.work[-1] == pytest.approx(float(np.trapezoid(power, result.t)), rel=1e-4)


@every_way
def test_a_driver_on_an_angle_is_a_rotation_between_the_bodies_of_its_joint(way):
    motion = signals.Sine(amplitude=2.0, frequency=0.7)
    one = ran(arm(drivers={"m": drivers.Coordinate(joint="B", motion=motion)}), way)
    other = ran(arm(drivers={"m": drivers.Rotation(bodies=("one", "two"), motion=motion)}), way)
    small(one["C"] - other["C"], 1e-7)
    small(one.effort("m") - other.effort("m"), 1e-5)
    small(one.coordinate("B") - [signals.values(motion, t)[0] for t in one.t], 1e-9)


def test_a_driver_without_a_type_is_one_on_a_coordinate_and_is_written_so():
    mechanism = arm(drivers={"m": drivers.Coordinate(joint="A", motion=signals.Linear(rate=2.0))})
    text = toml.dumps(mechanism)
    assert '[drivers.m]\njoint = "A"\nmotion' in text
    assert toml.loads(text) == mechanism
    assert toml.loads(text.replace('joint = "A"\n', 'type = "coordinate"\njoint = "A"\n')) == mechanism


@pytest.mark.parametrize(
    ("driver", "said"),
    [
        ({"points": ("D", "E")}, 'both points are on body "ground"'),
        ({"points": ("A", "C"), "bodies": ("ground", "ground2")}, 'body "ground2" unknown'),
        ({"points": ((0.2, -0.8), "C")}, 'key "bodies" is missing'),
        ({"points": ((0.6, 0.0), "C"), "bodies": ("ground", "arm")}, "drawn at one place.*move one"),
        ({"motion": -2.0}, "leaves nothing of the drawn distance of 0.894427.*above zero"),
    ],
)
def test_a_cylinder_that_cannot_be_is_refused_with_the_cure(driver, said):
    free = boom().replaced(drivers={"cylinder": None}, points={"E": (0.1, 0.1)})
    with pytest.raises(pm.ModelError, match=said):
        free.replaced(drivers={"cylinder": drivers.Distance(**{"points": ("D", "C"), "motion": 0.0, **driver})})


# -- starts ------------------------------------------------------------------------------------------------------------


@every_way
def test_a_motion_says_where_a_coordinate_starts_and_the_others_stay_as_drawn(way):
    motion = signals.Linear(rate=1.0, offset=7.0)
    mechanism = arm(drivers={"m": drivers.Coordinate(joint="A", motion=motion)})
    result = ran(mechanism, way, duration=0.1)
    assert result.coordinate("A")[0] == pytest.approx(7.0, abs=1e-12)
    assert result.coordinate("B")[0] == pytest.approx(0.0, abs=1e-12)
    assert result.angle("two")[0] == pytest.approx(7.0, abs=1e-12)
    assert result["C"][0] == pytest.approx([1.8 * math.cos(7.0), 1.8 * math.sin(7.0)], abs=1e-12)
    assert result.start.moved == {}  # assembly had nothing to do


@every_way
def test_positions_and_rates_at_the_start_are_those_of_coordinates(way):
    initial = Initial(position={"A": 0.4, "B": [-8.5]}, rate={"A": 2.0, "B": {"angle": -3.0}})
    result = ran(arm(initial=initial), way, duration=0.1)
    assert result.coordinate("A")[0] == pytest.approx(0.4, abs=1e-12)
    assert result.coordinate("B")[0] == pytest.approx(-8.5, abs=1e-12)
    assert result.rate("A")[0] == pytest.approx(2.0, abs=1e-10)
    assert result.rate("B")[0] == pytest.approx(-3.0, abs=1e-10)


@every_way
def test_a_loop_follows_its_driver_from_the_drawing_on_its_branch(way):
    four_bar = models.load("four_bar").replaced(initial=Initial())
    crank = next(j for j, joint in four_bar.joints.items() if joint.bodies == ("ground", "crank"))
    turned = {"m": drivers.Coordinate(joint=crank, motion=signals.Linear(rate=2.0, offset=1.0))}
    begun = ran(four_bar.replaced(drivers=turned), way, duration=0.2, samples=5)
    # the same crank, driven there from the drawing
    there = {"m": drivers.Coordinate(joint=crank, motion=signals.Cycloid(end=1.0, duration=1.0))}
    driven = ran(four_bar.replaced(drivers=there), way)
    for point in four_bar.points:
        small(begun[point][0] - driven[point][-1], 1e-9)


def test_a_start_beyond_the_reach_of_a_loop_is_refused_with_how_far_it_goes():
    four_bar = models.load("four_bar")
    joint = next(j for j, spec in four_bar.joints.items() if spec.bodies == ("ground", "rocker"))
    with pytest.raises(pm.ModelError, match=r"start cannot be reached from the drawing: initial position.*up to"):
        pm.simulate(four_bar.replaced(initial=Initial(position={joint: 3.0})))


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ({"A": 6.0}, 'joint "A": angle is 6, but driver "m" prescribes 7 at t = 0; write 7 there'),
        ({"A": [7.0, 1.0]}, r'joint "A" needs 1 number\(s\) \(angle\), got 2'),
        ({"B": {"travel": 1.0}}, 'joint "B" has no coordinate "travel"'),
        ({"X": 1.0}, 'joint "X" unknown'),
    ],
)
def test_positions_that_cannot_be_are_refused_with_the_cure(position, said):
    driven = {"m": drivers.Coordinate(joint="A", motion=signals.Linear(rate=1.0, offset=7.0))}
    with pytest.raises(pm.ModelError, match=f'section "initial": position.*{said}'):
        arm(drivers=driven, initial=Initial(position=position))


@every_way
def test_coordinates_count_from_the_drawing_as_assembled(way):
    longer = models.load("four_bar").replaced(bodies={"coupler": {"length": 0.4}})
    result = ran(longer, way, duration=0.05, samples=3)
    assert result.start.moved
    for joint, spec in longer.joints.items():
        for name in spec.coordinate_names:
            assert result.coordinate(joint, name)[0] == pytest.approx(0.0, abs=1e-12)
    for body in longer.bodies:
        assert result.angle(body)[0] == pytest.approx(0.0, abs=1e-12)


def test_a_spring_without_a_length_is_free_in_the_drawing():
    spring = forces.Spring(bodies=("ground", "two"), points=((1.0, 1.0), "C"), stiffness=50.0)
    assert ran(arm(forces={"s": spring}), "explicit").force("s")[0] == pytest.approx(0.0, abs=1e-13)
    displaced = arm(forces={"s": spring}, initial=Initial(position={"A": 0.3}))
    result = ran(displaced, "explicit", duration=0.1)
    stretch = math.dist((1.0, 1.0), result["C"][0]) - math.dist((1.0, 1.0), (1.8, 0.0))
    assert result.force("s")[0] == pytest.approx(50.0 * stretch, rel=1e-12)


# -- couplings ---------------------------------------------------------------------------------------------------------


@every_way
def test_gears_run_up_under_a_motor_as_one_inertia(way):
    """Seen from the first wheel: I = 0.05 + ratio^2 0.02."""
    result = ran(gears(forces={"m": forces.Motor(joint="A", effort=1.0)}), way, duration=3.0)
    inertia = 0.05 + 1.5**2 * 0.02
    angle = 0.5 * result.t**2 / inertia
    assert angle[-1] > 6.0 * math.pi
    small(result.coordinate("A") - angle, 1e-6)
    small(result.coordinate("B") + 1.5 * angle, 1e-6)
    small(result.effort("mesh") - 0.02 * -1.5 / inertia, 1e-9)  # moment on the second wheel
    small(result.moment("mesh", on="small") - result.effort("mesh"), 1e-15)
    small(result.moment("mesh", on="big") - 1.5 * result.effort("mesh"), 1e-15)
    total = result.moment("mesh", on="big") + result.moment("mesh", on="small") + result.moment("mesh", on="ground")
    small(total, 1e-14)
    small(result.energy.error / result.energy.scale, 1e-8)


@every_way
def test_a_rack_moves_by_the_radius_times_the_angle(way):
    result = ran(
        rack(forces={"m": forces.Motor(joint="slide", effort=signals.Sine(amplitude=3.0, frequency=0.5))}), way
    )
    small(result.coordinate("slide") - 0.2 * result.coordinate("A"), 1e-12)
    # seen from the rack: m + I/r^2
    mass, w = 2.0 + 0.05 / 0.2**2, math.pi
    small(result.coordinate("slide") - 3.0 / mass / w * (result.t - np.sin(w * result.t) / w), 1e-7)
    acceleration = 3.0 / mass * np.sin(w * result.t)
    small(result.effort("teeth") + 0.05 / 0.2**2 * acceleration, 1e-7)
    small(result.reaction("teeth", on="rack")[:, 0] - result.effort("teeth"), 1e-12)
    small(result.moment("teeth", on="wheel") + 0.2 * result.effort("teeth"), 1e-12)
    small(result.reaction("teeth", on="rack") + result.reaction("teeth", on="ground"), 1e-12)


@every_way
def test_a_planet_that_the_carrier_turns_rolls_with_the_fixed_wheel(way):
    """Angles against the carrier: fixed sun -c, planet ratio times that."""
    carrier = Mechanism(
        points={"O": (0.0, 0.0), "P": (1.0, 0.0), "Q": (1.3, 0.0)},
        bodies={
            "arm": Body(points=("O", "P"), mass=1.0),
            "planet": Body(points=("P", "Q"), mass=0.5, com=(1.1, 0.0), inertia=0.01),
        },
        joints={
            "sun": joints.Revolute(point="O", bodies=("arm", "ground")),
            "P": joints.Revolute(point="P", bodies=("arm", "planet")),
            "mesh": joints.Coupling(joints=("sun", "P"), ratio=-2.0),
        },
        drivers={"m": drivers.Coordinate(joint="sun", motion=signals.Linear(rate=-5.0))},
    )
    result = ran(carrier, way, duration=4.0)
    small(result.angle("arm") - 5.0 * result.t, 1e-8)
    small(result.angle("planet") - 15.0 * result.t, 1e-8)  # (1 + 2) times the carrier
    assert pm.check(carrier).dof == 1


@every_way
def test_a_coupling_counts_turns_that_no_small_whole_numbers_close(way):
    result = ran(gears(ratio=-math.sqrt(2.0), initial=Initial(rate={"A": 60.0})), way)
    small(result.coordinate("A") - 60.0 * result.t, 1e-6)
    small(result.coordinate("B") + math.sqrt(2.0) * result.coordinate("A"), 1e-9)
    small(result.closure.position, 1e-9)


@every_way
def test_wheels_start_together_where_one_of_them_is_told_to(way):
    result = ran(gears(initial=Initial(position={"B": 10.0})), way, duration=0.1)
    assert result.coordinate("B")[0] == pytest.approx(10.0, abs=1e-11)
    assert result.coordinate("A")[0] == pytest.approx(-10.0 / 1.5, abs=1e-11)


def test_a_coupling_is_one_freedom_less_and_may_be_redundant():
    assert pm.check(gears()).dof == 1
    twice = gears().replaced(joints={"again": joints.Coupling(joints=("B", "A"), ratio=-1 / 1.5)})
    found = pm.check(twice).found
    assert (found.by_rank, found.by_count, found.redundancy) == (1, 0, 1)
    assert found.redundant == ("mesh", "again")
    result = ran(twice.replaced(initial=Initial(rate={"A": 3.0})), "explicit")
    small(result.coordinate("B") + 1.5 * result.coordinate("A"), 1e-9)
    assert np.isnan(result.effort("mesh")).all()


def test_a_run_with_a_coupling_goes_on_where_another_ended():
    mechanism = gears(forces={"m": forces.Motor(joint="A", effort=1.0)})
    whole = ran(mechanism, "explicit", duration=2.0, samples=21)
    first = ran(mechanism, "explicit", duration=1.0, samples=11)
    for way in ("explicit", "ida"):
        again = ran(mechanism, way, duration=1.0, samples=11, start=first)
        small(first.joined(again).coordinate("B") - whole.coordinate("B"), 1e-6)


def test_sweeps_take_couplings():
    pytest.importorskip("xarray")
    cases = [{"joints": {"mesh": {"ratio": r}}} for r in (-1.5, -1.0, 0.5, 2.0)]
    mechanism = gears(forces={"m": forces.Motor(joint="A", effort=1.0)})
    data = pm.simulate_many(cases, of=mechanism, quantities=["B.angle"], duration=1.0, samples=5)
    for k, case in enumerate(cases):
        ratio = case["joints"]["mesh"]["ratio"]
        angle = 0.5 * ratio / (0.05 + ratio**2 * 0.02)
        assert float(data["B.angle"][k, -1]) == pytest.approx(angle, rel=1e-6)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"joints": ("A", "X")}, 'joint "mesh": joint "X" unknown'),
        ({"joints": ("A", "A")}, 'couples coordinate "angle" of joint "A" to itself'),
        ({"joints": ("A", "mesh")}, 'joint "mesh" is a coupling, which has no coordinate'),
        ({"ratio": 0.0}, 'key "ratio": must not be 0; to hold a coordinate, drive it with motion = 0'),
        ({"coordinates": ("angle", "travel")}, 'joint "B" has no coordinate "travel"'),
        ({"joints": ("A", "B", "A")}, "expected two joints, got 3"),
    ],
)
def test_a_coupling_that_cannot_be_is_refused_with_the_cure(keys, said):
    with pytest.raises(pm.ModelError, match=said):
        gears().replaced(joints={"mesh": joints.Coupling(**{"joints": ("A", "B"), "ratio": 1.0, **keys})})


# -- springs and motors ------------------------------------------------------------------------------------------------


@every_way
def test_a_spring_on_a_travel_swings_with_its_own_frequency(way):
    spring = forces.Torsion(joint="slide", stiffness=50.0, length=0.3)
    result = ran(block(forces={"s": spring}), way)
    w = 5.0  # sqrt(50/2)
    small(result.coordinate("slide") - 0.3 * (1.0 - np.cos(w * result.t)), 1e-7)
    small(result.force("s") - 50.0 * (result.coordinate("slide") - 0.3), 1e-12)
    small(result.force("s", "travel") - result.coordinate("slide"), 1e-15)
    small(result.force("s", "rate") - result.rate("slide"), 1e-15)
    small(result.energy.error, 1e-7)
    assert result.units(["s.force", "s.travel", "s.rate"]) == ["N", "m", "m/s"]


@every_way
@pytest.mark.parametrize("joint", ["A", "B"])
def test_a_spring_on_an_angle_is_one_between_the_bodies_of_its_joint(way, joint):
    law = {"stiffness": 12.0, "damping": 0.7, "angle": -0.4}
    one = ran(arm(forces={"coil": forces.Torsion(joint=joint, **law)}), way)
    bodies = arm().joints[joint].bodies
    other = ran(arm(forces={"coil": forces.Torsion(bodies=bodies, **law)}), way)
    small(one["C"] - other["C"], 1e-6)
    small(one.force("coil") - other.force("coil"), 1e-4)


@every_way
def test_a_motor_on_an_angle_is_a_torque_between_the_bodies_of_its_joint(way):
    effort = signals.Sine(amplitude=20.0, frequency=1.0)
    one = ran(arm(forces={"m": forces.Motor(joint="B", effort=effort)}), way)
    other = ran(arm(forces={"m": forces.Torque(bodies=("one", "two"), torque=effort)}), way)
    small(one["C"] - other["C"], 1e-6)
    small(one.energy.work - other.energy.work, 1e-5)
    assert one.units(["m.effort"]) == ["N m"]


@every_way
def test_a_damper_in_a_moving_slide_loses_the_energy_that_it_takes(way):
    moving = Mechanism(
        gravity=(0.0, -9.81),
        points={"O": (0.0, 0.0), "S": (0.8, 0.1)},
        bodies={
            "guide": Body(points=("O",), mass=1.0, com=(0.4, 0.0), inertia=0.1),
            "block": Body(points=("S",), mass=0.5, com=(0.8, 0.2), inertia=0.02),
        },
        joints={
            "O": joints.Revolute(point="O", bodies=("ground", "guide")),
            "slide": joints.Prismatic(bodies=("guide", "block"), point="S", axis=(1.0, 0.2)),
        },
        forces={
            "damped": forces.Torsion(joint="slide", stiffness=40.0, damping=3.0, length=-0.1),
            "push": forces.Motor(joint="slide", effort=signals.Sine(amplitude=5.0, frequency=2.0)),
        },
        initial=Initial(rate={"O": 3.0}),
    )
    result = ran(moving, way, samples=401)
    rate = result.rate("slide")
    power = -3.0 * rate**2 + result.force("push") * rate
    small(result.energy.error, 1e-6)
    assert result.energy.work[-1] == pytest.approx(float(np.trapezoid(power, result.t)), rel=1e-3)
    other = ran(moving, "absolute", samples=401)
    small(result["S"] - other["S"], 1e-6)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"joint": "slide", "angle": 0.2}, 'key "angle": coordinate "travel" is a travel.*as "length"'),
        ({"joint": "slide", "bodies": ("ground", "block")}, 'exactly one of "bodies" and "joint" is needed; both'),
        ({}, 'exactly one of "bodies" and "joint" is needed; none'),
        ({"bodies": ("ground", "block"), "length": 0.2}, 'key "length": it turns.*as "angle"'),
        ({"bodies": ("ground", "block"), "coordinate": "angle"}, '"coordinate" is that of a joint'),
    ],
)
def test_a_spring_on_nothing_is_refused_with_the_cure(keys, said):
    with pytest.raises(pm.ModelError, match=said):
        block(forces={"s": forces.Torsion(stiffness=1.0, **keys)})


# -- limits ------------------------------------------------------------------------------------------------------------


@every_way
def test_a_run_that_leaves_limits_is_completed_and_says_where(way):
    bound = arm().joints["A"].bodies
    limited = arm().replaced(joints={"A": joints.Revolute(point="A", bodies=bound, limits=(-1.0, 0.5))})
    result = ran(limited, way, samples=101)
    (found,) = result.exceeded
    angle = result.coordinate("A")
    assert (found.joint, found.coordinate, found.limit) == ("A", "angle", -1.0)
    assert found.value == angle.min() and found.t == result.t[np.argmin(angle)]
    assert found.first == result.t[np.argmax(angle < -1.0)]
    assert result.status is pm.Status.COMPLETED
    assert 'joint "A": angle leaves its limit -1' in result.warnings[0]
    free = ran(arm(), way, samples=101)
    small(result["C"] - free["C"], 1e-12)  # limits do not act
    assert free.exceeded == () and free.warnings == []
    assert ("limits of A.angle", "-1 to 0.5 rad") in pm.check(limited).rows
    assert toml.loads(toml.dumps(limited)) == limited


def test_limits_of_several_coordinates_are_given_by_name():
    slot = models.load("quick_return").joints["slot"]
    limited = joints.Slot(bodies=slot.bodies, point=slot.point, axis=slot.axis, limits={"travel": [-0.1, math.inf]})
    mechanism = models.load("quick_return").replaced(joints={"slot": limited})
    assert toml.loads(toml.dumps(mechanism)) == mechanism
    result = pm.simulate(mechanism)
    assert [(e.joint, e.coordinate, e.limit) for e in result.exceeded] == [("slot", "travel", -0.1)]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ([1.0, -1.0], "lower first"),
        ([0.1], "two numbers"),
        ({"travel": [0.0, 1.0]}, 'it has no coordinate "travel"'),
        (3.0, "expected a list"),
    ],
)
def test_limits_that_cannot_be_are_refused_with_the_cure(limits, said):
    with pytest.raises(pm.ModelError, match=f'"limits".*{said}'):
        arm().replaced(joints={"A": joints.Revolute(point="A", bodies=("ground", "one"), limits=limits)})


# -- after many turns --------------------------------------------------------------------------------------------------


@every_way
def test_wheels_that_have_turned_often_lock_where_a_rod_ends_their_motion(way):
    """A rod from the second wheel to a slot, as long as the stroke asks for, then shorter: the driver is named."""
    locking = gears(ratio=-2.0).replaced(
        points={"R": (1.2, 0.0), "S": (1.5, 0.0)},
        bodies={"small": {"points": ("B", "R")}, "rod": Body(points=("R", "S"), mass=0.1)},
        joints={
            "R": joints.Revolute(point="R", bodies=("small", "rod")),
            "S": joints.Slot(bodies=("ground", "rod"), point="S", axis=(1.0, 0.0)),
        },
        drivers={"turn": drivers.Coordinate(joint="A", motion=signals.Linear(rate=20.0))},
    )
    result = ran(locking, way, duration=2.0)
    assert result.status is pm.Status.COMPLETED
    small(result.coordinate("B") + 2.0 * result.coordinate("A"), 1e-8)
    short = locking.replaced(points={"S": (1.35, 0.0)})
    stopped = pm.simulate(short, duration=2.0, throw=False, **WAYS[way])
    assert stopped.status is pm.Status.LOCKED
    assert 'driver "turn" is locked' in stopped.message
    # the rod of 0.15 reaches the line as long as the height of its pin, 0.2 sin(40 t), is less
    assert stopped.t[-1] <= math.asin(0.75) / 40.0 + 1e-6


@every_way
def test_coupled_wheels_rest_where_their_driver_leaves_them_after_many_turns(way):
    motion = signals.Cycloid(end=30.0, duration=1.0)
    free = gears(ratio=1.0, drivers={"turn": drivers.Coordinate(joint="A", motion=motion)})
    result = ran(free, way, duration=1.5)
    assert result.coordinate("B")[-1] == pytest.approx(30.0, abs=1e-8)
    again = ran(free, way, duration=0.5, start=result.at(1.5))
    assert again.coordinate("B")[-1] == pytest.approx(30.0, abs=1e-8)


# -- controllers ---------------------------------------------------------------------------------------------------

BY_PYTHON = pytest.mark.parametrize("way", ["ida", "absolute"])  # explicit steps call no functions


@BY_PYTHON
def test_a_controller_in_a_pin_does_what_a_torsion_spring_does(way):
    def control(t, state):
        return -5.0 * (state.coordinate("B") - 0.4) - 0.3 * state.rate("B")

    law = {"stiffness": 5.0, "damping": 0.3, "angle": 0.4}
    one = ran(arm(forces={"c": forces.Custom(joint="B", function=control)}), way)
    other = ran(arm(forces={"c": forces.Torsion(joint="B", **law)}), way)
    small(one["C"] - other["C"], 1e-6)
    small(one.force("c") + other.force("c"), 1e-5)  # the moment of a spring is that which turns the second body back
    small(one.reaction("A", on="one") - other.reaction("A", on="one"), 1e-4)
    small(one.energy.error, 1e-6)


def wagon(force):
    """Return a wagon on a tilted rail that carries a slide across; the force acts in the slide."""
    return Mechanism(
        gravity=(0.0, -9.81),
        points={"A": (0.0, 0.0), "B": (0.3, 0.4), "C": (0.5, 0.2)},
        bodies={
            "wagon": Body(points=("A", "C"), mass=2.0),
            "slide": Body(points=("B",), mass=1.0, com=(0.35, 0.4), inertia=0.02),
        },
        joints={
            "rail": joints.Revolute(point="A", bodies=("ground", "wagon")),
            "across": joints.Prismatic(point="B", bodies=("wagon", "slide"), axis=(1.0, 2.0)),
        },
        forces={"c": force},
    )


@BY_PYTHON
def test_a_controller_along_a_slide_does_what_a_spring_does(way):
    def control(t, state):
        return -80.0 * (state.coordinate("across") + 0.05) - 2.0 * state.rate("across")

    one = ran(wagon(forces.Custom(joint="across", function=control)), way, duration=0.5)
    other = ran(wagon(forces.Torsion(joint="across", stiffness=80.0, damping=2.0, length=-0.05)), way, duration=0.5)
    small(one["B"] - other["B"], 1e-6)
    small(one.moment("across", on="slide") - other.moment("across", on="slide"), 1e-4)
    small(one.energy.error, 1e-6)


def test_a_controller_that_gives_no_number_is_told_so():
    with pytest.raises(pm.ModelError, match="must return a number, the effort"):
        pm.simulate(arm(forces={"c": forces.Custom(joint="B", function=lambda t, state: (1.0, 2.0))}))
    with pytest.raises(pm.ModelError, match='exactly one of "body" and "joint"'):
        forces.Custom(function=print)
