"""Three methods and the sweep of the kernels share no equations and find the same; closed forms; power."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from particlemech import signals
from particlemech.analyses import methods
from particlemech.analyses.methods import METHODS, Solution
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.start import start_state
from particlemech.errors import ModelError
from particlemech.model.space import Body, Initial, Mechanism, forces, joints
from particlemech.model.space.drivers import Coordinate
from tests.support.random_trees import FORCES, JOINTS, RandomTree, random_mechanism, random_tree

G = 9.81
TREES = 500
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)

every_method = pytest.mark.parametrize("method", METHODS)


def drawn(seed):
    """Return a tree of 1 to 12 bodies."""
    rng = np.random.default_rng([1972, seed])
    return random_tree(rng, int(rng.integers(1, 13)))


class Compared(NamedTuple):
    """A tree, what the kernels find and what the methods find."""

    one: RandomTree
    seen: Observed
    found: dict[str, Solution]

    @property
    def acceleration(self):
        """Return the largest acceleration in the tree, of coordinates and of bodies."""
        of_bodies = [of(b) for of in (self.seen.alpha, self.seen.com_acceleration) for b in self.one.mechanism.bodies]
        return max(float(np.abs(a).max(initial=0.0)) for a in (*of_bodies, self.x_ddot))

    @property
    def x_ddot(self):
        """Return the accelerations of all stages by the sweep."""
        return self.seen._sampled.x[0, :, 2]

    @property
    def wrench(self):
        """Return the largest component of what a joint transmits."""
        return float(np.abs(self.seen._sampled.p).max())


@pytest.fixture(scope="module")
def compared():
    """Return all random trees with their solutions."""
    made = []
    for seed in range(TREES):
        one = drawn(seed)
        at = methods.instant(one.system, one.t, one.y)
        seen = one.system.observed(np.array([one.t]), one.y[None])
        made.append(Compared(one, seen, {name: solve(at) for name, solve in METHODS.items()}))
    return made


def fraction(part, whole):
    """Return a difference as a fraction; 0 where both are nothing."""
    return float(np.abs(part).max(initial=0.0)) / whole if whole else float(np.abs(part).max(initial=0.0))


def held(found, bar):
    """Assert that no difference is above the bar; say where the worst is."""
    worst, seed, condition = max(found)
    assert worst < bar, f"seed {seed}, condition {condition:.1e}"


# -- agreement -------------------------------------------------------------------------------------------------------


@every_method
def test_a_method_finds_the_accelerations_of_the_sweep(method, compared, tally):
    differences = []
    for seed, each in enumerate(compared):
        found = each.found[method]
        assert not found.undetermined
        differences.append((fraction(found.x_ddot - each.x_ddot, each.acceleration), seed, found.condition))
        tally["free"] += len(each.one.v)
    assert tally["free"] > 5000
    held(differences, 1e-10)


@every_method
def test_a_method_finds_the_efforts_of_the_drivers(method, compared, tally):
    differences = []
    for seed, each in enumerate(compared):
        found = each.found[method]
        drivers = {c.driver: e for e, c in enumerate(each.one.system.compiled.coordinates) if c.driver}
        missed = np.array([found.efforts[e] - each.seen.effort(name)[0] for name, e in drivers.items()])
        differences.append((fraction(missed, each.wrench), seed, found.condition))
        tally["driven"] += len(drivers)
    assert tally["driven"] > 500
    held(differences, 1e-9)


@pytest.mark.parametrize("method", ["newton-euler", "kane"])
def test_reactions_are_what_the_joints_transmit_across_their_axes(method, compared):
    differences = []
    for seed, each in enumerate(compared):
        found, missed = each.found[method], []
        for i, joint in enumerate(each.one.system.compiled.topology.joints, start=1):
            child = each.one.system.compiled.topology.bodies[i - 1]
            missed += [found.force[i] - each.seen.reaction(joint, child)[0]]
            about_O = np.cross(each.seen.place(joint) - each.seen._sampled.O[:, i], each.seen.reaction(joint, child))
            missed += [found.moment[i] - (each.seen.moment(joint, child) + about_O)[0]]
        differences.append((fraction(np.array(missed), each.wrench), seed, found.condition))
    held(differences, 1e-9)


def test_reactions_efforts_and_springs_are_together_what_a_joint_transmits(compared):
    """R and T of Newton and Euler with the efforts along the axes are the wrench of the sweep: a.T = tau + effort."""
    for one, seen, solutions in compared[:100]:
        at, found = methods.instant(one.system, one.t, one.y), solutions["newton-euler"]
        scale = np.abs(seen._sampled.p).max() + 1e-300
        for i, joint in enumerate(one.system.compiled.topology.joints, start=1):
            wrench = seen.transmitted(joint, one.system.compiled.topology.bodies[i - 1])
            moment = wrench.moment + np.cross(seen.place(joint) - seen._sampled.O[:, i], wrench.force)
            for turn, whole, part in ((False, wrench.force, found.force), (True, moment, found.moment)):
                stages = [e for e in at.stages[i] if at.turn[e] == turn]
                along = at.axis[stages] @ whole[0] - at.tau[stages] - found.efforts[stages]
                assert np.abs(along).max(initial=0.0) < 1e-9 * scale
                left = whole[0] - part[i]  # lies in the space of the axes
                inside = np.linalg.pinv(at.axis[stages]) @ (at.axis[stages] @ left) if stages else np.zeros(3)
                assert np.abs(left - inside).max() < 1e-9 * scale


def test_newton_and_euler_have_six_equations_per_body_and_the_others_one_per_freedom(compared):
    for one, _, found in compared:
        n, sizes = len(one.v), {name: solution.size for name, solution in found.items()}
        assert sizes == {"newton-euler": 6 * len(one.mechanism.bodies), "motion-law": n, "kane": n}


def test_random_trees_hold_every_kind_of_joint_and_force_and_some_drivers(compared):
    made = [each.one.mechanism for each in compared]
    assert {type(j) for m in made for j in m.joints.values()} == set(JOINTS)
    assert {type(f) for m in made for f in m.forces.values()} == set(FORCES)
    coordinates = {j.coordinates for m in made for j in m.joints.values() if j.spherical}
    assert coordinates == {"quaternion", "angles"}
    assert {len(m.bodies) for m in made} == set(range(1, 13))


def test_a_wrong_number_anywhere_is_seen(rng):
    """The comparison has teeth: each input of the methods, changed a little, moves the accelerations."""
    for _ in range(20):  # one on which everything acts
        one = random_tree(rng, 6)
        at = methods.instant(one.system, one.t, one.y)
        if all(np.any(of) for of in (at.F, at.M, at.tau, at.x_ddot, at.weight)):
            break
    for method in METHODS.values():
        right = method(at).x_ddot
        scale = np.abs(right).max()
        for changed in ("mass", "I", "O", "G", "axis", "axis_dot", "x_dot", "x_ddot", "F", "M", "tau", "weight"):
            value = np.array(getattr(at, changed))
            assert np.any(value)
            wrong = type(at)(**{**vars(at), changed: value * 1.001})
            assert np.abs(method(wrong).x_ddot - right).max() > 1e-9 * scale, changed


# -- power -----------------------------------------------------------------------------------------------------------


@every_method
def test_efforts_loads_and_gravity_feed_the_kinetic_energy(method):
    """dK/dt along the motion, by a central difference of the energy itself, is the power of all that acts."""
    for seed in range(60):
        one = drawn(seed)
        made, n_q, n_v = one.system, one.system.n_q, one.system.n_v
        found, at = methods.solved(made, method, one.t, one.y), methods.instant(made, one.t, one.y)
        power = at.x_dot @ (at.tau + found.efforts)
        power += np.sum((at.F + at.weight) * at.v_G) + np.sum(at.M * at.omega)
        rate = np.zeros(made.n)
        rate[:n_q] = made.kinematics(one.t, one.q, one.v)
        rate[n_q : n_q + n_v] = found.x_ddot[at.free]

        def slope(h, one=one, made=made, rate=rate):
            times, states = np.array([one.t - h, one.t + h]), np.stack([one.y - h * rate, one.y + h * rate])
            return float(np.diff(made.observed(times, states).kinetic)[0]) / (2.0 * h)

        fine = (4.0 * slope(5e-5) - slope(1e-4)) / 3.0  # fourth order
        kinetic = float(made.observed(np.array([one.t]), one.y[None]).kinetic[0])
        assert fine == pytest.approx(power, abs=1e-9 * max(1.0, kinetic, abs(power)))


# -- closed forms ----------------------------------------------------------------------------------------------------


def pendulum(angle, rate, **sections):
    """Return a rod of 2 kg, 0.3 m from its pivot, that swings about the y axis; it hangs along -z at angle 0."""
    return Mechanism(
        gravity=(0.0, 0.0, -G),
        bodies={"rod": Body(mass=2.0, com=(0.0, 0.0, -0.3), inertia=(0.06, 0.06, 0.001))},
        joints={"pivot": joints.Revolute(bodies=("ground", "rod"), point=ORIGIN, axis=Y)},
        initial=Initial(position={"pivot": angle}, rate={"pivot": rate}),
        **sections,
    )


@every_method
@pytest.mark.parametrize(("angle", "rate"), [(0.4, 0.0), (-1.2, 3.0), (2.0, -5.0)])
def test_a_physical_pendulum_swings_as_its_reduced_length_says(method, angle, rate):
    m, l, about = 2.0, 0.3, 0.06 + 2.0 * 0.3**2
    found = methods.solved(pendulum(angle, rate), method)
    expected = -m * G * l * math.sin(angle) / about
    assert found.x_ddot == pytest.approx([expected], rel=1e-13)
    if found.force is not None:
        # G = l (-sin, 0, -cos); the pivot holds the weight and gives the acceleration of G
        s, c = math.sin(angle), math.cos(angle)
        a = l * np.array([-c * expected + s * rate**2, 0.0, s * expected + c * rate**2])
        assert found.force[1] == pytest.approx(m * a + [0.0, 0.0, m * G], abs=1e-12)
        assert found.moment[1] == pytest.approx(np.zeros(3), abs=1e-12)


@every_method
def test_the_driver_of_a_pendulum_gives_what_gravity_and_inertia_ask_for(method):
    motion = signals.Sine(amplitude=0.7, frequency=0.4, phase=0.3, offset=0.2)
    driven = pendulum(*signals.values(motion, 0.0)[:2], drivers={"arm": Coordinate(joint="pivot", motion=motion)})
    x, _, x_ddot = signals.values(motion, 0.0)
    found = methods.solved(driven, method)
    assert found.x_ddot == pytest.approx([x_ddot], rel=1e-13)
    expected = (0.06 + 2.0 * 0.3**2) * x_ddot + 2.0 * G * 0.3 * math.sin(x)
    assert found.efforts == pytest.approx([expected], rel=1e-13)


@every_method
@pytest.mark.parametrize("coordinates", ["quaternion", "angles"])
def test_a_top_in_steady_precession_neither_nods_nor_speeds_up(method, coordinates):
    """The spin that belongs to a precession p at tilt b: (I3 w3 - (I1 + m l^2) p cos b) p = m g l."""
    m, l, across, along, tilt, p = 0.5, 0.1, 4e-4, 7e-4, 0.6, 1.7
    w3 = (m * G * l / p + (across + m * l**2) * p * math.cos(tilt)) / along
    axis = np.array([0.0, -math.sin(tilt), math.cos(tilt)])  # turned about x by the tilt
    omega = p * np.array(Z) + (w3 - p * math.cos(tilt)) * axis
    top = Mechanism(
        gravity=(0.0, 0.0, -G),
        bodies={"top": Body(mass=m, com=(0.0, 0.0, l), inertia=(across, across, along))},
        joints={"tip": joints.Spherical(bodies=("ground", "top"), point=ORIGIN, coordinates=coordinates)},
        initial=Initial(position={"tip": (tilt, 0.0, 0.0)}, omega={"top": tuple(omega.tolist())}),
    )
    made = system(top)
    found = methods.solved(made, method)
    at = methods.instant(made, 0.0, start_state(made))
    alpha = found.x_ddot @ at.axis + at.x_dot @ at.axis_dot
    assert alpha == pytest.approx(np.cross(p * np.array(Z), omega), abs=1e-10 * np.linalg.norm(omega) * p)
    if found.force is not None:
        centre = l * axis
        expected = m * np.cross(p * np.array(Z), np.cross(p * np.array(Z), centre)) + [0.0, 0.0, m * G]
        assert found.force[1] == pytest.approx(expected, abs=1e-10)


@every_method
def test_a_block_on_an_incline_slides_with_g_sin_and_presses_with_g_cos(method):
    slope, m = 0.5, 3.0
    down = (math.cos(slope), 0.0, -math.sin(slope))
    block = Mechanism(
        gravity=(0.0, 0.0, -G),
        bodies={"block": Body(mass=m, com=(0.2, 0.0, 0.1), inertia=(0.1, 0.2, 0.15))},
        joints={"rail": joints.Prismatic(bodies=("ground", "block"), point=ORIGIN, axis=down)},
        forces={"brake": forces.Motor(joint="rail", effort=-2.0)},
    )
    found = methods.solved(block, method)
    assert found.x_ddot == pytest.approx([G * math.sin(slope) - 2.0 / m], rel=1e-13)
    if found.force is not None:
        normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
        assert found.force[1] == pytest.approx(m * G * math.cos(slope) * normal, abs=1e-12)
        arm = np.array([0.2, 0.0, 0.1])
        # about the centre of mass nothing turns: the rail carries the moment of its own force and of the brake
        pushed = found.force[1] - 2.0 * np.array(down)
        assert found.moment[1] == pytest.approx(np.cross(arm, pushed), abs=1e-12)


# -- singular cases --------------------------------------------------------------------------------------------------


def at_gimbal_lock():
    return Mechanism(
        gravity=(0.0, -G, -G),
        bodies={"rod": Body(mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.3, 0.3, 0.1))},
        joints={"ball": joints.Spherical(bodies=("ground", "rod"), point=ORIGIN, coordinates="angles")},
        initial=Initial(position={"ball": (0.3, math.pi / 2.0, 0.2)}, rate={"ball": (0.5, 0.0, -0.2)}),
    )


def test_at_gimbal_lock_the_accelerations_of_least_norm_are_given_and_the_open_ones_named():
    found = {method: methods.solved(at_gimbal_lock(), method) for method in METHODS}
    for solution in found.values():
        assert solution.undetermined == (0, 2)
        assert solution.x_ddot == pytest.approx(found["kane"].x_ddot, abs=1e-10)
        assert solution.x_ddot[0] == pytest.approx(solution.x_ddot[2], abs=1e-10)  # null vector (1, 0, -1)
    assert np.abs(found["kane"].x_ddot).max() > 1.0
    assert found["newton-euler"].moment == pytest.approx(found["kane"].moment, abs=1e-10)


def test_a_thin_rod_may_spin_about_its_own_axis_as_it_likes():
    rod = Body(mass=1.0, com=(0.0, 0.0, -0.5), inertia=(1.0 / 12.0, 1.0 / 12.0, 0.0))
    thin = Mechanism(
        gravity=(0.0, G, 0.0),
        bodies={"rod": rod},
        joints={"ball": joints.Spherical(bodies=("ground", "rod"), point=ORIGIN)},
    )
    for method in METHODS:
        found = methods.solved(thin, method)
        assert found.undetermined == (2,)
        assert found.unbalanced < 1e-12
        assert found.x_ddot == pytest.approx([1.5 * G, 0.0, 0.0], abs=1e-12)


@every_method
def test_a_force_that_meets_no_inertia_is_reported(method):
    rod = Body(mass=1.0, com=(0.0, 0.0, -0.5), inertia=(1.0 / 12.0, 1.0 / 12.0, 0.0))
    spun = Mechanism(
        bodies={"rod": rod},
        joints={"pin": joints.Revolute(bodies=("ground", "rod"), point=ORIGIN, axis=Z)},
        forces={"twist": forces.Torque(bodies=("ground", "rod"), torque=(0.0, 0.0, 1.0))},
    )
    assert methods.solved(spun, method).unbalanced == pytest.approx(1.0)


# -- the door --------------------------------------------------------------------------------------------------------


def test_the_start_of_the_model_is_taken_when_no_state_is_given(rng):
    mechanism = random_mechanism(rng, 5)
    made = system(mechanism)
    said = methods.solved(mechanism, "kane").x_ddot
    assert said == pytest.approx(methods.solved(made, "kane", 0.0, start_state(made)).x_ddot, rel=1e-12)


def test_a_method_that_is_misspelt_is_told_the_right_word():
    with pytest.raises(ModelError, match=r'method "kanes" unknown \(did you mean "kane"\?\)'):
        methods.solved(pendulum(0.1, 0.0), "kanes")


def test_the_window_of_trees_shows_the_ways():
    assert methods.solved is methods.solved
