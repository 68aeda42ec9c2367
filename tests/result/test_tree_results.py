"""What is read from trees: results by name and as files, events, the report's own quantities, rotations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

import particlemech as pm
from particlemech import models, rotations, signals, space
from particlemech.analyses import study
from particlemech.analyses.poses.space import in_angles
from particlemech.engine.recursive import partials
from particlemech.errors import ModelError
from particlemech.model.space import Body, Initial, Mechanism, joints
from particlemech.model.space.drivers import Coordinate
from particlemech.run.events import Event
from particlemech.run.trajectory import Status
from tests.support.problems import swing
from tests.support.random_trees import random_tree

G = 9.81
ORIGIN = (0.0, 0.0, 0.0)


# -- events ----------------------------------------------------------------------------------------------------------

LENGTH, LET_GO = 0.6, 1.2
PACE = math.sqrt(G / LENGTH)


def pendulum():
    """Return a bob on a hinge, let go at an angle."""
    return Mechanism(
        gravity=(0.0, 0.0, -G),
        points={"bob": (0.0, 0.0, -LENGTH)},
        bodies={"rod": Body(mass=2.0, com=(0.0, 0.0, -LENGTH), inertia=ORIGIN, points=("bob",))},
        joints={"pin": joints.Revolute(bodies=("ground", "rod"), point=ORIGIN, axis=(0.0, 1.0, 0.0))},
        initial=Initial(position={"pin": LET_GO}),
    )


def below(t, state):
    return state["bob"][0]


def quarter():
    """Return the quarter of the pendulum's period, s."""
    return ellipk(math.sin(LET_GO / 2.0) ** 2) / PACE


@pytest.mark.parametrize("integrator", ["explicit", "ida", "auto"])
def test_events_find_every_pass_below_the_pin(integrator):
    events = {"every": below, "leftward": Event(below, direction=1), "rightward": Event(below, direction=-1)}
    run = pm.simulate(pendulum(), duration=3.0, samples=31, rtol=1e-11, integrator=integrator, events=events)
    passes = quarter() * np.arange(1.0, 3.0 / quarter(), 2.0)
    assert len(passes) >= 3
    assert run.events["every"].t == pytest.approx(passes, abs=1e-7)
    both = np.sort(np.concatenate([run.events["leftward"].t, run.events["rightward"].t]))
    assert both == pytest.approx(run.events["every"].t, abs=1e-12)
    # the state there, by name: level speed sqrt(2 g h)
    speed = np.linalg.norm(run.events["every"].velocity("bob"), axis=1)
    assert speed == pytest.approx(math.sqrt(2.0 * G * LENGTH * (1.0 - math.cos(LET_GO))), rel=1e-7)


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_a_terminal_event_ends_the_run_where_it_happens(integrator):
    run = pm.simulate(
        pendulum(),
        duration=3.0,
        samples=31,
        rtol=1e-11,
        integrator=integrator,
        events={"below": Event(below, terminal=True)},
    )
    assert run.status is Status.COMPLETED
    assert "below" in run.message
    assert run.t[-1] == pytest.approx(quarter(), abs=1e-7)
    assert abs(run["bob"][-1, 0]) < 1e-9


def test_a_pendulum_swings_as_its_closed_form():
    run = pm.simulate(pendulum(), duration=3.0, samples=31, rtol=1e-12, integrator="explicit")
    psi, rate = swing(run.t, PACE, LET_GO)
    assert np.abs(run.coordinate("pin") - psi).max() < 1e-10
    assert np.abs(run.rate("pin") - rate).max() < 1e-9
    pull = 2.0 * (G * np.cos(psi) + LENGTH * rate**2)
    toward = -run["bob"] / LENGTH
    assert np.abs(run.reaction("pin", on="rod") - pull[:, None] * toward).max() < 1e-8
    assert np.array_equal(run.reaction("pin", on="ground"), -run.reaction("pin", on="rod"))
    assert np.abs(run.base.force + run.reaction("pin", on="rod")).max() < 1e-12


# -- names and files -------------------------------------------------------------------------------------------------


def manipulator():
    model = models.load("space_manipulator")
    drive = Coordinate(joint="elbow1", motion=signals.Cycloid(start=0.0, end=1.0, duration=1.0))
    omega = {"main": (0.1, 0.2, -0.3)}
    return pm.simulate(
        model.replaced(drivers={"bend": drive}, initial={"omega": omega}), duration=1.0, samples=11, rtol=1e-9
    )


@pytest.fixture(scope="module")
def run():
    """Return a manipulator that moves."""
    return manipulator()


def test_columns_hold_what_the_names_give(run):
    columns = run.columns()
    assert next(iter(columns)) == "t"
    assert all(column.shape == (11,) for column in columns.values())
    for k, axis in enumerate("xyz"):
        assert np.array_equal(columns[f"hand1.{axis}"], run["hand1"][:, k])
        assert np.array_equal(columns[f"hand1.v{axis}"], run.velocity("hand1")[:, k])
        assert np.array_equal(columns[f"hand1.a{axis}"], run.acceleration("hand1")[:, k])
        assert np.array_equal(columns[f"fore2.{axis}"], run.com("fore2")[:, k])
        assert np.array_equal(columns[f"fore2.v{axis}"], run.com_velocity("fore2")[:, k])
        assert np.array_equal(columns[f"elbow1.fore1.f{axis}"], run.reaction("elbow1", on="fore1")[:, k])
        assert np.array_equal(columns[f"elbow1.fore1.m{axis}"], run.moment("elbow1", on="fore1")[:, k])
    for k, part in enumerate("wxyz"):
        assert np.array_equal(columns[f"main.q{part}"], run.quaternion("main")[:, k])
    for name in ("x", "y", "z", "angle1", "angle2", "angle3"):
        assert np.array_equal(columns[f"base.{name}"], run.coordinate("base", name))
    assert np.array_equal(columns["bend.effort"], run.effort("bend"))
    assert np.array_equal(columns["energy.kinetic"], run.kinetic)
    # one column per number: points, bodies, coordinates and rates, reactions, drivers, momenta, energies, closure
    assert len(columns) == 1 + 2 * 9 + 7 * 19 + 14 * 2 + 7 * 6 + 1 + 6 + 4 + 2


def test_a_data_frame_holds_the_columns_and_where_they_come_from(run):
    frame = run.to_dataframe()
    assert list(frame.columns) == list(run.columns())
    assert np.array_equal(frame["hand2.x"], run["hand2"][:, 0])
    assert frame.attrs["model"] == "Space manipulator"
    assert frame.attrs["formulation"] == "recursive"
    assert frame.attrs["status"] == "completed"


def test_results_are_in_the_units_that_the_model_names(run):
    unit = run.mechanism.unit
    assert (unit.name, unit.length, unit.mass, unit.force) == ("slug-inch", "in", "slug", "slug in/s^2")
    # a pound-force is 12 slug in/s^2 and 4.4482216152605 N
    assert 12.0 * unit.newtons == pytest.approx(4.4482216152605, rel=1e-14)


def test_velocities_and_accelerations_are_slopes_of_the_paths():
    run = pm.simulate(manipulator().mechanism, duration=1.0, samples=1001, rtol=1e-12, integrator="explicit")
    h = run.t[1] - run.t[0]

    def slope(values):
        return (8.0 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12.0 * h)

    pairs = [
        (run["hand1"], run.velocity("hand1")),
        (run.velocity("hand1"), run.acceleration("hand1")),
        (run.com("fore2"), run.com_velocity("fore2")),
        (run.com_velocity("fore2"), run.com_acceleration("fore2")),
        (run.omega("fore1"), run.alpha("fore1")),
        (run.coordinate("base"), run.rate("base")),
        (run.coordinate("elbow2"), run.rate("elbow2")),
    ]
    for values, rates in pairs:
        assert np.abs(slope(values) - rates[2:-2]).max() < 1e-8 * np.abs(rates).max()
    # S' S^T is the angular velocity
    S = run.orientation("fore1")
    turning = np.einsum("kij,klj->kil", slope(S), S[2:-2])
    found = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    assert np.abs(found - run.omega("fore1")[2:-2]).max() < 1e-8


def test_a_state_is_that_of_a_sample(run):
    t, y, *_ = run.at()
    assert t == 1.0
    again = run.system.observed(np.array([t]), y[None])
    assert np.array_equal(again.com("disk1")[0], run.com("disk1")[-1])
    assert run.at(0.3).t == run.t[3]
    with pytest.raises(ModelError, match=r"no sample at t = 0.35 s, the nearest is at 0\.\d+ s"):
        run.at(0.35)


WRONG = [
    (lambda r: r["hand3"], 'point "hand3" unknown.*hand'),
    (lambda r: r.velocity("hnd1"), 'point "hnd1" unknown.*hand1'),
    (lambda r: r.com("mian"), 'body "mian" unknown.*main'),
    (lambda r: r.omega("ground"), 'body "ground" unknown'),
    (lambda r: r.orientation("fore3"), 'body "fore3" unknown.*fore'),
    (lambda r: r.coordinate("elbow3"), 'joint "elbow3" unknown.*elbow'),
    (lambda r: r.coordinate("base", "angle4"), 'joint "base" has no coordinate "angle4".*angle'),
    (lambda r: r.rate("wrist1", "angle"), 'joint "wrist1"'),
    (lambda r: r.reaction("elbow1", on="main"), 'joint "elbow1": body "main" is not one of its bodies'),
    (lambda r: r.moment("elbw1", on="fore1"), 'joint "elbw1" unknown.*elbow1'),
    (lambda r: r.effort("bnd"), 'driver "bnd" unknown.*bend'),
    (lambda r: pm.impulse(r), "there is no impulse at t = 1 s"),
    (lambda r: pm.impulse(r, {"x": space.Impulse(body="mian")}), 'impulse "x": body "mian" unknown'),
    (lambda r: study.Study(r.mechanism).shifter("mian"), 'body "mian" unknown.*main'),
    (lambda r: study.Study(r.mechanism).partial_velocity("main", "base.w"), 'coordinate "base.w" unknown.*base'),
    (lambda r: pm.inverse(r.mechanism, {"elbo1": 1.0}, {}, {}), '"elbo1" is no coordinate of a joint.*elbow1'),
    (lambda r: pm.inverse(r.mechanism, {"base": 1.0}, {}, {}), r'"base" has 6 coordinate\(s\)'),
]


@pytest.mark.parametrize(("ask", "said"), WRONG, ids=[said.split(" unknown")[0] for _, said in WRONG])
def test_a_name_that_is_not_there_is_refused_by_name(run, ask, said):
    with pytest.raises(ModelError, match=said):
        ask(run)


# -- the report's quantities -----------------------------------------------------------------------------------------


def drawn(seed):
    rng = np.random.default_rng([1972, 6, seed])
    return random_tree(rng, int(rng.integers(1, 8)))


def slots(one, t, q, v):
    """Return the slots of all bodies, (n_body, n_stage, 6, 3)."""
    c = one.system.compiled
    at, (starts, path) = one.system.kane(t, q, v), c.paths
    whole = np.zeros((len(c.topology.bodies), len(c.coordinates), 6, 3))
    for i in range(len(whole)):
        k = slice(starts[i + 1], starts[i + 2])
        whole[i, path[k]] = at.slot[k]
    return whole


def velocities(one, v):
    """Return the velocities of all centres of mass and the angular velocities, (2, n_body, 3)."""
    seen = one.system.observed(np.array([one.t]), np.concatenate([one.q, v, [0.0]])[None])
    bodies = one.system.compiled.topology.bodies
    return np.array([[seen.com_velocity(b)[0] for b in bodies], [seen.omega(b)[0] for b in bodies]])


def test_partial_velocities_are_derivatives_of_velocities_by_speeds():
    worst = 0.0
    for seed in range(40):
        one = drawn(seed)
        whole, base = slots(one, one.t, one.q, one.v), velocities(one, 0.0 * one.v)
        for k, e in enumerate(one.system.compiled.free):
            step = velocities(one, np.eye(len(one.v))[k]) - base  # velocities are linear in the speeds
            found = whole[:, e][:, [partials.V, partials.W]].swapaxes(0, 1)
            worst = max(worst, np.abs(step - found).max())
    assert worst < 1e-13


def test_rates_of_partial_velocities_are_their_differences_along_the_motion():
    """Central differences of fourth order; drivers and quaternions go on as the motion does."""
    worst, h = 0.0, 1e-3
    for seed in range(40):
        one = drawn(seed)
        ahead = {k: slots(one, one.t + k * h, moved(one, k * h), one.v) for k in (-2, -1, 0, 1, 2)}
        slope = (8.0 * (ahead[1] - ahead[-1]) - (ahead[2] - ahead[-2])) / (12.0 * h)
        size = np.abs(ahead[0]).max(initial=1.0)
        for value, speed in ((partials.W, partials.W_DOT), (partials.V, partials.V_DOT)):
            worst = max(worst, np.abs(slope[:, :, value] - ahead[0][:, :, speed]).max(initial=0.0) / size)
    assert worst < 1e-8


def moved(one, h):
    """Return the coordinates after a time h at constant speeds, by steps of Runge and Kutta."""
    q, kinematics = one.q, one.system.kinematics
    for _ in range(2):
        a = kinematics(one.t, q, one.v)
        b = kinematics(one.t, q + 0.25 * h * a, one.v)
        c = kinematics(one.t, q + 0.25 * h * b, one.v)
        d = kinematics(one.t, q + 0.5 * h * c, one.v)
        q = q + 0.5 * h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return q


def test_a_study_shows_the_quantities_of_the_report_by_name():
    model = in_angles(models.load("space_manipulator"))
    rate = {"base": (1.0, 2.0, 3.0, 0.1, 0.2, 0.3), "elbow1": 0.7, "shoulder2": (0.4, 0.5, 0.6)}
    position = {"base": (0, 0, 0, 0.2, -0.3, 0.4), "shoulder1": (1.0, 0.2, -0.4), "elbow1": 0.5}
    seen = study.Study(model, position=position, rate=rate)
    assert seen.bodies == tuple(model.bodies)
    n = len(seen.coordinates)
    assert n == 14
    assert seen.A.shape == (n, n)
    assert np.abs(seen.A - seen.A.T).max() == 0.0
    assert np.linalg.eigvalsh(seen.A)[0] > 0.0
    # kinetic energy, twice over
    start = pm.simulate(model.replaced(initial={"position": position, "rate": rate}), duration=1e-3, samples=2)
    assert 0.5 * seen.x_dot @ seen.A @ seen.x_dot == pytest.approx(start.kinetic[0], rel=1e-13)
    # A x_ddot = f + F_ext + F_int
    a = np.linalg.solve(seen.A, seen.f + seen.F_ext + seen.F_int)
    i = seen.bodies.index("fore1")
    assert seen.V[i].T @ a + seen.a[i] == pytest.approx(start.com_acceleration("fore1")[0], abs=1e-11)
    assert seen.w[i].T @ a + seen.alpha[i] == pytest.approx(start.alpha("fore1")[0], abs=1e-11)
    assert seen.partial_velocity("fore1", "elbow1.angle") == pytest.approx(seen.V[i, 9], abs=0.0)
    assert seen.partial_angular_velocity("main", "base.x") == pytest.approx((0.0, 0.0, 0.0), abs=0.0)
    # shifters: S0K and SKL [P72] (1.8), (1.18)
    base, shoulder = (rotations.matrix(np.array(angles)) for angles in ((0.2, -0.3, 0.4), (1.0, 0.2, -0.4)))
    assert seen.shifter("main") == pytest.approx(base, abs=1e-15)
    assert seen.shifter("upper1", against="main") == pytest.approx(shoulder, abs=1e-15)


# -- rotations -------------------------------------------------------------------------------------------------------

any_angles = arrays(float, 3, elements=st.floats(-10.0, 10.0))
quaternions = arrays(float, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 1e-3)


@given(any_angles)
def test_matrices_are_those_of_scipy(angles):
    """S = R1 R2 R3 are rotations about axes that turn along, which scipy calls intrinsic XYZ."""
    assert np.abs(rotations.matrix(angles) - Rotation.from_euler("XYZ", angles).as_matrix()).max() < 1e-14


@given(quaternions)
def test_a_quaternion_comes_back_from_its_matrix(q):
    q = q / np.linalg.norm(q)
    S = Rotation.from_quat(np.roll(q, -1)).as_matrix()
    found = rotations.quaternion(S[None])[0]
    assert min(np.abs(found - q).max(), np.abs(found + q).max()) < 1e-14
    assert abs(np.linalg.norm(found) - 1.0) < 1e-15


@given(quaternions)
def test_angles_give_their_matrix_back_also_at_lock(q):
    S = Rotation.from_quat(q).as_matrix()
    for matrix in (S, rotations.matrix(np.array([q[0], math.copysign(0.5 * math.pi, q[1]), q[2]]))):
        angles = rotations.angles(matrix[None])
        assert np.abs(rotations.matrix(angles)[0] - matrix).max() < 2.0 * rotations.LOCK


@given(any_angles)
def test_angles_are_found_to_rounding_away_from_lock(angles):
    if abs(math.cos(angles[1])) < 1e-3:
        return
    S = rotations.matrix(angles)
    assert np.abs(rotations.matrix(rotations.angles(S[None]))[0] - S).max() < 1e-14


@given(any_angles, arrays(float, 3, elements=st.floats(-5.0, 5.0)))
def test_rates_of_angles_give_their_angular_velocity_back(angles, rate):
    omega = rate @ rotations.axes(angles)
    h = 1e-5
    near, far = (rotations.matrix(angles + k * rate) - rotations.matrix(angles - k * rate) for k in (h, 2.0 * h))
    spin = (8.0 * near - far) / (12.0 * h) @ rotations.matrix(angles).T
    assert np.abs([spin[2, 1], spin[0, 2], spin[1, 0]] - omega).max() < 1e-8
    if abs(math.cos(angles[1])) > 1e-3:
        assert np.abs(rotations.rates(angles[None], omega[None])[0] - rate).max() < 1e-10


def test_rates_at_lock_are_not_numbers():
    angles = np.array([[0.3, 0.5 * math.pi, 0.2], [0.3, 0.5, 0.2]])
    found = rotations.rates(angles, np.ones((2, 3)))
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


@settings(max_examples=30)
@given(arrays(float, 3, elements=st.floats(-3.0, 3.0)), arrays(float, 3, elements=st.floats(-2.0, 2.0)))
def test_angles_count_turns_along_a_path(start, rate):
    """Angles that turn round and round come back without jumps, on the branch on which they began."""
    t = np.linspace(0.0, 10.0, 801)
    path = start + 0.2 * rate * np.sin(1.3 * t)[:, None] + np.outer(t, (rate[0], 0.0, rate[2]))
    found = rotations.angles(rotations.matrix(path), path[0])
    assert np.abs(rotations.matrix(found) - rotations.matrix(path)).max() < 2e-7
    if np.abs(np.cos(path[:, 1])).min() > 0.05:
        assert np.abs(found - path).max() < 1e-11


def test_angles_count_turns_that_are_faster_than_the_samples():
    t, spin = np.linspace(0.0, 1.0, 11), np.array([0.0, 0.0, 100.0])
    path = np.outer(t, spin)
    found = rotations.angles(rotations.matrix(path), path[0], t, np.tile(spin, (11, 1)))
    assert found == pytest.approx(path, abs=1e-9)


def test_quaternions_follow_each_other_without_jumps_of_sign():
    angles = np.outer(np.linspace(0.0, 20.0, 201), (1.0, 0.3, -0.7))
    found = rotations.continuous(rotations.quaternion(rotations.matrix(angles)))
    assert np.abs(np.diff(found, axis=0)).max() < 0.2
    assert np.abs(Rotation.from_quat(np.roll(found, -1, axis=1)).as_matrix() - rotations.matrix(angles)).max() < 1e-14
