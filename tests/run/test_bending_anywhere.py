"""Bodies that bend on branches, under spherical joints and in loops: what is kept, blows, functions of users."""

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.space import Body, Impulse, Mechanism, drivers, forces, joints
from tests.support import bending_loops
from tests.support.bending_trees import EVERY, branched, geared, rssr, slotted
from tests.support.flexible_chains import CUBICS

ACROSS = [{"along": axis, "shape": shape} for axis in "yz" for shape in CUBICS]


def hub(**more):
    """Return a rigid hub on a free hinge with two bending arms, opposite to each other."""
    arm = {"density": 0.8, "EI": 6.0, "modes": ACROSS}
    sections = {
        "points": {"A": (0.1, 0, 0), "B": (1.1, 0, 0), "C": (-0.1, 0, 0), "D": (-1.1, 0, 0)},
        "bodies": {
            "hub": Body(mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.15)),
            "right": Body(points=("A", "B"), **arm),
            "left": Body(points=("C", "D"), **arm),
        },
        "joints": {
            "axle": joints.Revolute(bodies=("ground", "hub"), point=(0, 0, 0), axis=(0, 0, 1)),
            "one": joints.Weld(bodies=("hub", "right"), point="A"),
            "two": joints.Weld(bodies=("hub", "left"), point="C"),
        },
        "initial": {"rate": {"axle": 3.0}, "modes": {"right": (0.1, 0.0, 0.05, 0.0), "left": (-0.1, 0.0, 0.05, 0.0)}},
    }
    return Mechanism(**(sections | more))


def ball(**more):
    """Return a heavy beam that bends and twists, hung by a spherical joint."""
    modes = [*ACROSS, {"about": "x", "shape": (0.0, 1.0)}]
    beam = {"density": 1.0, "rotary": (0.02, 0.0, 0.0), "EI": 4.0, "GJ": 3.0, "modes": modes}
    sections = {
        "points": {"O": (0, 0, 0), "P": (1, 0, 0), "Q": (0.4, 0, 0)},
        "bodies": {"beam": Body(points=("O", "P", "Q"), **beam)},
        "joints": {"O": joints.Spherical(bodies=("ground", "beam"), point="O")},
        "initial": {"omega": {"beam": (4.0, 0.5, 2.0)}},
        "gravity": (0.0, 0.0, -9.81),
    }
    return Mechanism(**(sections | more))


def kept(values):
    """Return the largest change, as a part of the largest size."""
    return np.abs(values - values[0]).max() / np.abs(values).max()


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_two_arms_on_a_hub_that_spins_free_keep_energy_and_angular_momentum():
    run = pm.simulate(hub(), duration=2.0, samples=81, rtol=1e-9)
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    assert kept(run.momentum.angular[:, 2]) < 1e-7
    assert np.ptp(run.rate("axle")) > 0.05  # the arms take from the hub and give back


def test_arms_that_are_alike_move_alike():
    run = pm.simulate(hub(), duration=1.0, samples=21, rtol=1e-10)
    assert np.abs(run["B"][:, :2] + run["D"][:, :2]).max() < 1e-7  # half a turn about the axle
    assert np.abs(run["B"][:, 2] - run["D"][:, 2]).max() < 1e-7
    assert np.abs(run.elastic("B")).max() > 0.05


def test_a_beam_under_a_spherical_joint_keeps_energy_and_angular_momentum_about_the_vertical():
    run = pm.simulate(ball(), duration=1.0, samples=41, rtol=1e-10)
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    assert kept(run.momentum.angular[:, 2]) < 1e-7
    assert np.abs(run.elastic("P")).max() > 0.02
    # the force of the joint and the weight are the rate of momentum
    fine = pm.simulate(ball(), duration=0.02, samples=201, rtol=1e-12, integrator="explicit")
    p = fine.momentum.linear
    rate = (8.0 * (p[3:-1] - p[1:-3]) - (p[4:] - p[:-4])) / (12.0 * fine.t[1])
    acting = fine.reaction("O", "beam")[2:-2] + np.array(fine.mechanism.gravity)  # its mass is 1
    assert np.abs(rate - acting).max() < 1e-5 * np.abs(acting).max()


def test_angles_and_quaternions_of_a_spherical_joint_lead_to_the_same_place():
    runs = [pm.simulate(branched(quaternion), duration=0.3, samples=7, rtol=1e-10) for quaternion in (True, False)]
    for point in ("T", "D", "F"):
        assert np.abs(runs[0][point] - runs[1][point]).max() < 1e-7


@pytest.mark.parametrize("make", [branched, rssr, geared, slotted], ids=lambda make: make.__name__)
def test_work_is_the_change_of_energy_by_both_integrators(make):
    runs = [pm.simulate(make(), duration=0.3, samples=16, rtol=1e-9, integrator=i) for i in ("explicit", "ida")]
    for run in runs:
        assert run.status is pm.Status.COMPLETED
        assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    for point in runs[0].mechanism.points:
        assert np.abs(runs[0][point] - runs[1][point]).max() < 1e-5


@pytest.mark.parametrize("name", ["branches", "rssr, driven", "distance", "slotted"])
def test_two_integrators_and_lagrange_agree(name):
    found = pm.validate(EVERY[name](), duration=0.1, samples=6)
    assert found.agreed, [(d.quantity, d.relative) for d in found.differences]
    assert any("Lagrange" in d.quantity for d in found.differences)


# -- blows -------------------------------------------------------------------------------------------------------------


def struck(m, body, point, blow):
    """Return a mechanism at its first instant, without and with a blow there."""
    hit = m.replaced(impulses={"hit": Impulse(body=body, point=point, impulse=tuple(blow.tolist()))})
    return [pm.simulate(of, duration=1e-4, samples=2) for of in (m, hit)]


def test_a_blow_on_a_free_branch_is_what_momentum_gains():
    blow = np.array([0.4, -0.7, 1.1])
    before, after = struck(branched(), "arm", "C", blow)  # what holds the driven joint is inside
    assert after.momentum.linear[0] - before.momentum.linear[0] == pytest.approx(blow, abs=1e-9)
    gained = after.momentum.angular[0] - before.momentum.angular[0]
    assert gained == pytest.approx(np.cross(before["C"][0], blow), abs=1e-9)
    assert np.abs(after.modal_rate("arm")[0] - before.modal_rate("arm")[0]).max() > 0.1  # it sets the arm vibrating


@pytest.mark.parametrize(
    ("make", "body", "point"),
    [(ball, "beam", "P"), (ball, "beam", "Q"), (rssr, "coupler", "M")],
    ids=["tip", "between", "in a loop"],
)
def test_energy_gained_by_a_blow_is_its_work_at_the_mean_velocity(make, body, point):
    blow = np.array([0.03, 0.05, -0.08])
    before, after = struck(make(), body, point, blow)
    work = blow @ (before.velocity(point)[0] + after.velocity(point)[0]) / 2.0
    assert after.kinetic[0] - before.kinetic[0] == pytest.approx(work, rel=1e-8)
    assert after.closure.velocity[0] < 1e-9
    assert np.abs(after.modal_rate(body)[0] - before.modal_rate(body)[0]).max() > 1e-2


# -- functions of users ------------------------------------------------------------------------------------------------


def test_a_controller_beside_bending_bodies_is_the_spring_and_damper_that_it_imitates():
    spring = forces.Torsion(joint="axle", stiffness=5.0, damping=0.3, angle=0.2)

    def law(t, state):
        return -5.0 * (state.coordinate("axle") - 0.2) - 0.3 * state.rate("axle")

    imitated = forces.Custom(joint="axle", function=law)
    one, other = (pm.simulate(hub(forces={"f": f}), duration=0.5, samples=11, rtol=1e-9) for f in (spring, imitated))
    assert np.abs(one.coordinate("axle") - other.coordinate("axle")).max() < 1e-6
    assert np.abs(one["B"] - other["B"]).max() < 1e-6
    assert np.abs(other.energy.error).max() < 1e-6 * other.energy.scale


def test_a_function_on_the_rigid_tool_of_a_bending_arm_is_the_load_that_it_imitates():
    push = (0.3, -0.2, 0.5)
    load = forces.Load(body="tool", point="T", force=push)
    imitated = forces.Custom(body="tool", function=lambda t, state: (push, state["T"], (0.0, 0.0, 0.0)))
    one, other = (pm.simulate(branched(forces={"f": f}), duration=0.2, samples=5, rtol=1e-9) for f in (load, imitated))
    for point in ("T", "D", "F"):
        assert np.abs(one[point] - other[point]).max() < 1e-6


def test_a_controller_in_a_bending_loop_does_the_work_that_energy_gains():
    push = forces.Custom(joint="O", function=lambda t, state: 0.4 - 0.1 * state.rate("O"))
    run = pm.simulate(rssr().replaced(forces={"push": push}), duration=0.3, samples=16, rtol=1e-8)
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale
    assert np.abs(run.energy.work).max() > 1e-2 * run.energy.scale


# -- loops beside beams ------------------------------------------------------------------------------------------------


def test_eight_parts_of_a_coupler_are_within_a_thousandth_of_a_beam():
    t, wanted = bending_loops.stored("four_bar")
    made = bending_loops.mechanism("four_bar", sublinks=8)
    run = pm.simulate(made, duration=t[-1], samples=len(t), rtol=1e-7)
    found = bending_loops.deflections(run, "four_bar")["coupler"]
    error = np.abs(found - wanted["coupler"]).max() / np.abs(wanted["coupler"]).max()
    print(error)
    assert error < 1e-3


def test_a_driver_of_a_place_on_a_bending_body_moves_it_as_said():
    run = pm.simulate(EVERY["position"](), duration=0.5, samples=11, rtol=1e-9)
    motion = run.mechanism.drivers["lead"].motion
    assert isinstance(run.mechanism.drivers["lead"], drivers.Position)
    wanted = [pm.model.signals.values(motion, t)[0] for t in run.t]
    assert run["B"][:, 1] == pytest.approx(wanted, abs=1e-8)
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_slopes_are_watched_between_the_samples_too(integrator):
    """A beam let go from a bent shape is straight at the only samples, and bent too far between them."""
    beam = pm.models.load("cantilever")
    fine = pm.simulate(beam, duration=1.0, samples=2001)
    largest = fine.slopes["beam"].max()
    coarse = pm.simulate(beam, duration=1.0, samples=2, integrator=integrator)
    assert coarse.certificate.slope == pytest.approx(largest, rel=0.02)
    assert coarse.certificate.slope > 1.005 * coarse.slopes["beam"].max()
    bent = beam.replaced(forces={"push": {"force": (0.0, 100.0, 0.0)}})
    run = pm.simulate(bent, duration=0.35, samples=2, integrator=integrator, throw=False)
    assert run.status.value == "inaccurate" and "the slope of a part reaches" in run.message
    assert run.slopes["beam"].max() < 0.7 < 1.0 < run.certificate.slope
