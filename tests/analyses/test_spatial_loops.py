"""Bodies and joints as vectors: counts, cycles that agree with the integrated motion, assemblies, toggles, motors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, signals
from particlemech.analyses import loops
from particlemech.analyses.loops import vector_model
from particlemech.analyses.vectors import judged
from particlemech.errors import ModelError, SimulationError
from particlemech.model.space import Body, Initial, Mechanism, drivers, forces, joints
from particlemech.result.mobility.space import judged as mobility

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEADY = signals.Linear(rate=3.0)
ROUND = 1e-9  # the bar between cycles and integrated runs, of each quantity's own size


def bennett():
    motor = drivers.Coordinate(joint="A", coordinate="angle", motion=STEADY)
    return models.load("bennett").replaced(drivers={"motor": motor}, initial=Initial())


def bricard():
    motor = drivers.Coordinate(joint="P0", coordinate="angle", motion=signals.Sine(amplitude=0.2, frequency=1.0))
    return models.load("bricard").replaced(drivers={"motor": motor})


def swung_arm():
    """Return the arm of the shuttle with all its joints driven, most of them between moving bodies."""
    arm = models.load("rms_arm")
    ends = (0.8, -0.6, 0.9, -0.7, 1.2, 4.0)
    motors = {
        f"{name} motor": drivers.Coordinate(
            joint=name, coordinate="angle", motion=signals.Cycloid(end=end, duration=20.0)
        )
        for name, end in zip(arm.joints, ends, strict=True)
    }
    return arm.replaced(drivers=motors, initial=Initial())


def legs_driven(amplitude=0.04):
    """Return the Stewart platform with its legs driven instead of its platform."""
    platform = models.load("stewart_platform")
    pushed = {
        f"push{i}": drivers.Coordinate(
            joint=f"leg{i}", motion=signals.Sine(amplitude=amplitude / i, frequency=1.0 + 0.1 * i)
        )
        for i in range(1, 7)
    }
    return platform.replaced(drivers={**dict.fromkeys(platform.drivers), **pushed})


# -- counts ------------------------------------------------------------------------------------------------------------


def test_a_vector_model_of_bodies_reads_like_one_by_hand():
    model = vector_model(models.load("rssr"))
    around = ("ground from C to O", "crank from O to A", "coupler from A to B", "rocker from B to C")
    assert model.relations["loop through B"].vectors == around
    assert set(model.vectors) == {*around, "axis of O", "axis of C"}


@pytest.mark.parametrize(
    ("make", "kind", "equations", "unknowns"),
    [
        (lambda: models.load("rssr"), "determined", 6, 6),
        (lambda: models.load("universal_shaft"), "determined", 3, 3),
        (lambda: models.load("spatial_slider_crank"), "determined", 7, 7),
        (lambda: models.load("piston_crank"), "redundant", 5, 4),
        (lambda: models.load("stewart_platform"), "determined", 51, 51),
        (legs_driven, "determined", 42, 42),
        (bennett, "redundant", 12, 9),
    ],
    ids=["rssr", "universal", "slider-crank", "piston-crank", "stewart", "stewart by legs", "bennett"],
)
def test_equations_and_unknowns_are_counted_and_judged(make, kind, equations, unknowns):
    found = judged(vector_model(make()))
    assert (found.kind, found.equations - found.idle, found.unknowns) == (kind, equations, unknowns)


@pytest.mark.parametrize("make", [bennett, bricard, lambda: models.load("piston_crank")])
def test_rows_too_many_are_as_many_as_wrenches_that_hold_each_other(make):
    assert judged(vector_model(make())).redundant == mobility(make()).redundancy > 0


@pytest.mark.parametrize("name", ["bennett", "bricard", "flyball_governor"])
def test_a_freedom_that_is_not_driven_is_found_though_rows_are_too_many(name):
    model = models.load(name)
    found = judged(vector_model(model))
    assert found.kind == "too few"
    assert found.freedoms == mobility(model).by_rank - len(model.drivers)


def test_a_cycle_that_is_not_driven_names_what_is_open_and_a_cure():
    with pytest.raises(ModelError, match=r"0 driver\(s\) leave 1 freedom\(s\) open; add as many drivers"):
        loops.cycle(models.load("bennett"))


def test_a_screw_is_refused_with_a_cure():
    nut = Mechanism(
        bodies={"nut": Body(mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))},
        joints={"thread": joints.Screw(bodies=("ground", "nut"), point=(0, 0, 0), axis=Z, pitch=0.01)},
        drivers={"motor": drivers.Coordinate(joint="thread", coordinate="angle", motion=STEADY)},
    )
    with pytest.raises(ModelError, match=r'joint "thread": a screw of pitch 0.01 .* use a cylindrical joint'):
        vector_model(nut)


# -- against the integrated motion -------------------------------------------------------------------------------------


def near(found, wanted):
    """Hold two histories to the bar, of the size of the wanted one, where they are determined."""
    assert np.array_equal(np.isnan(found), np.isnan(wanted))
    size = max(float(np.nanmax(np.abs(wanted), initial=0.0)), 1e-3)
    assert np.nanmax(np.abs(found - wanted), initial=0.0) < ROUND * size


COMPARED = {
    "rssr": (lambda: models.load("rssr"), 1.0, 9),
    "slider-crank": (lambda: models.load("spatial_slider_crank"), 1.0, 9),
    "universal": (lambda: models.load("universal_shaft"), 0.3, 9),
    "piston-crank": (lambda: models.load("piston_crank"), 0.3, 9),
    "stewart": (lambda: models.load("stewart_platform"), 0.2, 4),
    "stewart by legs": (legs_driven, 0.1, 3),
    "arm": (swung_arm, 20.0, 4),
}


@pytest.fixture(scope="module", params=COMPARED)
def both(request):
    make, duration, samples = COMPARED[request.param]
    run = pm.simulate(make(), duration=duration, samples=samples, rtol=1e-9)
    return loops.cycle(make(), run.t), run


def test_cycle_and_run_agree_in_how_everything_moves(both):
    cycle, run = both
    for p in run.mechanism.points:
        near(cycle[p], run[p])
        near(cycle.velocity(p), run.velocity(p))
        near(cycle.acceleration(p), run.acceleration(p))
    for b in run.mechanism.bodies:
        near(cycle.com(b), run.com(b))
        near(cycle.com_velocity(b), run.com_velocity(b))
        near(cycle.com_acceleration(b), run.com_acceleration(b))
        if b != "coupler":  # its spin is a convention in one, and integrated in the other
            near(cycle.orientation(b), run.orientation(b))
            near(cycle.omega(b), run.omega(b))
            near(cycle.alpha(b), run.alpha(b))


def test_cycle_and_run_agree_in_what_it_takes(both):
    cycle, run = both
    for d in run.mechanism.drivers:
        near(cycle.effort(d), run.effort(d))
    for j, joint in run.mechanism.joints.items():
        for on in joint.bodies:
            near(cycle.reaction(j, on), run.reaction(j, on))
            near(cycle.moment(j, on), run.moment(j, on))


def test_rates_of_a_cycle_are_those_of_its_places():
    """Central differences of places and velocities, which share nothing with the equations of the rates."""
    h = 1e-4
    cycle = loops.cycle(bennett(), np.array([0.5 - h, 0.5, 0.5 + h]))
    for p in ("B", "C"):
        assert np.abs(np.diff(cycle[p][::2], axis=0) / (2.0 * h) - cycle.velocity(p)[1]).max() < 1e-7
        assert np.abs(np.diff(cycle.velocity(p)[::2], axis=0) / (2.0 * h) - cycle.acceleration(p)[1]).max() < 1e-6


def test_an_overclosed_cycle_runs_all_the_way_round_and_closes():
    cycle = loops.cycle(bennett(), np.linspace(0.0, 2.0 * math.pi / 3.0, 13))
    for p in ("B", "C"):
        assert np.abs(cycle[p][-1] - cycle[p][0]).max() < 1e-12
    side = np.linalg.norm(cycle["C"] - cycle["B"], axis=1)
    assert np.ptp(side) < 1e-14


def test_springs_dampers_and_full_turns_count_in_the_effort():
    """A driven wheel with a torsion spring and a damper, wound up for more than a turn."""
    rate, k, c, J = 5.0, 0.3, 0.02, 0.01
    wheel = Mechanism(
        bodies={"wheel": Body(mass=1.0, com=(0, 0, 0), inertia=(J, J, J))},
        joints={"hub": joints.Revolute(bodies=("ground", "wheel"), point=(0, 0, 0), axis=Z)},
        drivers={"motor": drivers.Coordinate(joint="hub", coordinate="angle", motion=signals.Linear(rate=rate))},
        forces={"spring": forces.Torsion(joint="hub", stiffness=k, damping=c, angle=0.5)},
    )
    cycle = loops.cycle(wheel, np.linspace(0.0, 3.0, 4))
    assert np.abs(cycle.effort("motor") - (k * (rate * cycle.t - 0.5) + c * rate)).max() < 1e-12


def test_a_rod_without_mass_and_a_floating_body_are_vectors_too():
    """A ball on a rod swings where two coordinates of its point are driven; the third follows from the rod."""
    ball = Mechanism(
        points={"P": (0.3, 0.0, 0.4)},
        bodies={"ball": Body(points=("P",), mass=1.0, com=(0.3, 0.0, 0.4), inertia=(1e-3, 1e-3, 1e-3))},
        joints={"rod": joints.Distance(bodies=("ground", "ball"), points=((0, 0, 0), "P"))},
        drivers={
            "x": drivers.Position(point="P", axis="x", motion=signals.Sine(amplitude=0.1, frequency=1.0)),
            "y": drivers.Position(point="P", axis="y", motion=signals.Linear(rate=0.2)),
        },
    )
    found = judged(vector_model(ball))
    assert (found.kind, found.freedoms) == ("too few", 3)  # how it stands
    assert {v for p in found.parameters for v in [p.rpartition(".")[0]]} <= {"top of ball", "side of ball"}


# -- assemblies and toggles --------------------------------------------------------------------------------------------


def test_both_assemblies_of_the_rssr_are_found_and_told_apart():
    found = loops.assemblies(models.load("rssr"))
    assert len(found) == 2
    assert np.abs(found[0]["B"] - [0.35, 0.2, 0.25]).max() < 1e-12  # as drawn
    assert np.abs(found[1]["B"] - [0.35, 0.2, -0.25]).max() < 1e-12  # its mirror image in the plane of the crank
    signs = [one.vectors.poses[0].signature.orientation for one in found]
    assert sorted(signs) == [-1, 1]


def test_a_cycle_stays_on_the_assembly_it_starts_from():
    model = models.load("rssr")
    t = np.linspace(0.0, 0.2 * math.pi, 41)
    upper, lower = (loops.cycle(model, t, start=one) for one in loops.assemblies(model))
    assert np.abs(upper["B"] * [1, 1, -1] - lower["B"]).max() < 1e-12
    assert upper["B"][:, 2].min() > 0.0
    for cycle in (upper, lower):
        assert np.abs(cycle["B"][-1] - cycle["B"][0]).max() < 1e-12


def test_mirrored_bodies_are_no_assemblies():
    """A slider-crank in space: two places of the slider, each with the rod turned over in its cross or not."""
    model = models.load("spatial_slider_crank")
    found = loops.assemblies(model)
    assert len(found) == 4
    for one in found:
        for b in model.bodies:
            assert abs(np.linalg.det(one.orientation(b)[0]) - 1.0) < 1e-12
        assert abs(np.linalg.norm(one["B"][0] - one["A"][0]) - 0.3) < 1e-12
    assert {round(float(one["B"][0, 0]), 9) for one in found} == {0.2, -0.2}


def test_a_cycle_stops_at_its_toggle_and_says_at_which_angle():
    """With a longer crank, 0.3 m, the rocker comes down into the plane of the crank, to B = (0.1, 0.2, 0).

    There |B - A|^2 = 0.105 gives 0.06 cos a + 0.12 sin a = 0.035.
    """
    long = models.load("rssr").replaced(points={"A": (0.3, 0.0, 0.0)})
    with pytest.raises(SimulationError, match=r'stopped at a toggle .* driver "motor" at 2\.41401\d* rad') as stopped:
        loops.cycle(long, np.linspace(0.0, 0.2 * math.pi, 61))
    cycle = stopped.value.result
    exact = math.atan2(0.12, 0.06) + math.acos(0.035 / math.hypot(0.06, 0.12))
    assert abs(10.0 * cycle.vectors.stopped - exact) < 1e-9
    assert cycle.t[-1] <= exact / 10.0 < cycle.t[-1] + 0.2 * math.pi / 60
    assert cycle["B"][:, 2].min() > 0.0  # never on the other side


def test_an_assembly_of_another_mechanism_is_refused():
    with pytest.raises(ModelError, match='start: an assembly of another mechanism, "RSSR linkage"'):
        loops.cycle(bennett(), [0.0, 0.1], start=loops.assemblies(models.load("rssr"))[0])


def test_what_depends_on_a_free_spin_is_refused_with_a_cure():
    cycle = loops.cycle(models.load("rssr"), [0.0, 0.1])
    with pytest.raises(ModelError, match='body "coupler": how it stands depends on its spin'):
        cycle.orientation("coupler")
    heavy = models.load("rssr").replaced(bodies={"coupler": {"inertia": (0.006, 0.007, 0.006)}})
    with pytest.raises(ModelError, match='body "coupler": what it takes to move it depends on its spin'):
        loops.cycle(heavy, [0.0, 0.1]).effort("motor")


# -- motors in place of drivers ----------------------------------------------------------------------------------------


def test_a_motor_at_the_driven_joint_has_the_effort_of_the_driver():
    cycle = loops.cycle(models.load("spatial_slider_crank"), np.linspace(0.0, 0.7, 5))
    assert np.abs(cycle.motors(["O"])["O"] - cycle.effort("motor")).max() < 1e-12


def test_motors_that_cannot_hold_a_motion_or_share_it_are_refused():
    cycle = loops.cycle(models.load("stewart_platform"), [0.0, 0.1])
    legs = [f"leg{i}" for i in range(1, 7)]
    with pytest.raises(ModelError, match="cannot hold the motion at t = 0; add one"):
        cycle.motors(legs[:5])
    cycle = loops.cycle(models.load("spatial_slider_crank"), [0.1, 0.2])
    with pytest.raises(ModelError, match=r"share the work in many ways at t = 0\.1; leave one out"):
        cycle.motors(["O", "guide"])
