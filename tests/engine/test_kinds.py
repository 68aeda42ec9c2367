"""The laws that every kind of joint, driver and force obeys; a kind is enrolled by being registered."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from particlemech import drivers, forces, joints
from particlemech.engine.absolute import drivers as absolute_drivers
from particlemech.engine.absolute import forces as absolute_forces
from particlemech.engine.absolute import joints as absolute_joints
from particlemech.engine.particles import drivers as planar_drivers
from particlemech.engine.particles import equations as planar_equations
from particlemech.engine.particles import forces as planar_forces
from particlemech.engine.particles import joints as planar_joints
from particlemech.engine.particles.topology import cut
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.spec import kind_name
from particlemech.run.preparing import FORMULATIONS
from particlemech.run.simulate import simulate
from particlemech.run.start import accelerations, start, weights
from tests.support.mirror import image, mirrored
from tests.support.oracles import ORACLE_KINDS, along, central, difference, instant, instant_of, unbalanced
from tests.support.strategies import (
    CASES,
    DRIVERS,
    FORCES,
    GEARED,
    JOINTS,
    SECTION,
    Drawing,
    case_id,
    filled,
    moved,
    sample,
    turned,
)

KINDS = (*JOINTS, *DRIVERS, *FORCES)
ROWS = [case for case in CASES if case[0] not in FORCES]
LINKS = [case for case in CASES if case[0] in JOINTS]
ACTING = [case for case in CASES if case[0] in FORCES]
DAMPED = [case for case in ACTING if "damping" in {f.name for f in dataclasses.fields(case[0])}]
ELASTIC = [case for case in ACTING if "stiffness" in {f.name for f in dataclasses.fields(case[0])}]
SEEDS = (1, 2)
T = 0.3  # s, where signals are in full swing

# largest errors observed, as fractions of the largest number beside them; the bound is ten times that
JACOBIAN = 1.2e-12
SPARSE = 1e-16
JACOBIAN_OF_FUNCTIONS = 9.3e-10  # they are differentiated by difference quotients
INVARIANCE = 2.8e-15
TURNED = 4.5e-15
MIRRORED = 9.7e-14
MIRRORED_MOTION = 1.7e-9  # at rtol 1e-10: particles are not mirrored with the drawing, so steps differ
NO_WORK = 1.6e-15
CURVE = 1.2e-9
ROLES = 1.8e-15
POWER = 3.7e-11
NEWTON = 1.6e-15


def cases(chosen):
    return pytest.mark.parametrize("case", chosen, ids=case_id)


def seeds(function):
    return pytest.mark.parametrize("seed", SEEDS)(function)


def formulations(function):
    return pytest.mark.parametrize("formulation", FORMULATIONS)(function)


def made(case, seed, **given):
    return sample(case[0], np.random.default_rng(seed), case[1], **given)


def system_of(mechanism, formulation):
    return FORMULATIONS[formulation](mechanism, ())


def frozen(array):
    array = np.array(array, float)
    array.setflags(write=False)
    return array


def small(error, size, bound):
    """Assert that an error is small beside a size, and print how small."""
    fraction = float(np.max(np.abs(error), initial=0.0)) / max(float(np.max(np.abs(size), initial=0.0)), 1e-300)
    print(f"observed {fraction:.1e}, bound {bound:.0e}")
    assert fraction <= bound


def admissible(system, q, rng):
    """Return a random velocity that the rows permit at the start, drivers standing still."""
    rows = weights(system)[:, None] * system.rows_q(0.0, q)
    _, s, vt = np.linalg.svd(rows)
    rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
    return vt[rank:].T @ rng.standard_normal(len(vt) - rank)


def twists(system, q, v, x):
    """Return the velocities that belong to the rows of a balance, (3 n_body,)."""
    m = system.motion(q[None], v[None], np.zeros_like(v)[None], x[None])
    return np.concatenate([m.com_v[0], system.scale.length * m.omega[0][:, None]], axis=1).ravel()


# -- registries ------------------------------------------------------------------------------------------------------


def listed(module):
    """Return the kinds that a module of a formulation lists."""
    for table in ("BY_SPEC", "ROWS", "LAWS"):
        if hasattr(module, table):
            return getattr(module, table)
    return [kind.spec for kind in module.KINDS]


@pytest.mark.parametrize(
    ("specs", "particles", "second"),
    [
        (joints, planar_joints, absolute_joints),
        (drivers, planar_drivers, absolute_drivers),
        (forces, planar_forces, absolute_forces),
    ],
    ids=["joints", "drivers", "forces"],
)
def test_every_kind_is_listed_in_both_formulations(specs, particles, second):
    # what acts on a coordinate by a law is taken by the table of motors, what may own states is called; what acts along
    # a line is of one base
    with_motors = {forces.Torsion, forces.DcMotor, forces.CurveMotor, forces.Pid}
    in_file = {kind for kind in specs.KINDS if getattr(kind, "in_file", True)}
    taken = tuple(listed(particles))
    assert all(issubclass(kind, taken) for kind in in_file - with_motors)
    assert all(any(issubclass(kind, of) for kind in specs.KINDS) for of in taken)
    assert set(listed(second)) == set(specs.KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=kind_name)
def test_every_kind_has_a_sample_and_a_law_in_plain_words(kind):
    found = [who for other, who in CASES if other is kind]
    assert found
    assert kind in ORACLE_KINDS
    for who in found:
        mechanism = sample(kind, np.random.default_rng(0), who)
        assert type(getattr(mechanism, SECTION[kind])["it"]) is kind


def test_a_kind_without_a_sample_is_noticed():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Wheel(joints.Revolute):
        spokes: int = 12

    with pytest.raises(LookupError, match="Wheel: no sample for its keys"):
        filled(Drawing(np.random.default_rng(0)), Wheel, ("b0", "b1"))


# -- 1: derivatives --------------------------------------------------------------------------------------------------


@cases(CASES)
@formulations
@seeds
def test_jacobian_equals_central_differences(case, formulation, seed):
    mechanism = made(case, seed)
    system = system_of(mechanism.replaced(gravity=(0.7, -9.81)), formulation)
    rng, cj = np.random.default_rng(seed), 7.0
    y, yp = 0.3 * rng.standard_normal((2, system.n))
    y[system.layout.q] += system.drawing
    residual, jacobian = system.callbacks(False)

    def shifted(change):
        res = np.empty(system.n)
        residual(T, frozen(y + change), frozen(yp + cj * change), res)
        return res

    J = np.full((system.n, system.n), np.nan)
    jacobian(T, frozen(y), frozen(yp), frozen(shifted(0.0)), cj, J)
    data = np.full(len(system.indices), np.nan)
    system.callbacks(True)[1](T, frozen(y), frozen(yp), frozen(yp), cj, data)
    unfolded = np.zeros_like(J)
    unfolded[system.indices, np.repeat(np.arange(system.n), np.diff(system.indptr))] = data
    small(unfolded - J, J, 10.0 * SPARSE)
    bound = JACOBIAN if getattr(case[0], "in_file", True) else JACOBIAN_OF_FUNCTIONS
    step = (
        1e-4 if case[0] in GEARED else 3e-4
    )  # angles of short bodies bend more: the error of 3e-4 is that of the step
    small(J - central(shifted, np.zeros(system.n), step), J, 10.0 * bound)


# -- 2: no place and no direction is special -------------------------------------------------------------------------


def moved_system(mechanism, formulation, angle, shift, places):
    if formulation == "particles":
        places = {b: tuple(np.add(turned(angle, p), shift)) for b, p in places.items()}
        return planar_equations.system(moved(mechanism, angle, shift), second=places)
    return system_of(moved(mechanism, angle, shift), formulation)


@cases(ROWS)
@formulations
@seeds
def test_rows_do_not_change_when_the_drawing_is_shifted_and_turned(case, formulation, seed):
    mechanism, rng = made(case, seed), np.random.default_rng(seed)
    angle = 0.0 if case[0] is drivers.Position else 2.1  # which drives along a global axis
    places = {b: tuple(np.add(mechanism.centre(b), (0.6, 0.4 + 0.1 * k))) for k, b in enumerate(mechanism.bodies)}
    here = moved_system(mechanism, formulation, 0.0, (0.0, 0.0), places)
    there = moved_system(mechanism, formulation, angle, (3.0, -2.0), places)
    q = here.drawing + 0.1 * rng.standard_normal(here.n_q)
    if formulation == "particles":
        q_there = np.ravel([turned(angle, p) for p in q.reshape(-1, 2)])
    else:
        q_there = np.ravel([(*turned(angle, p[:2]), p[2]) for p in q.reshape(-1, 3)])
    one, other = here.rows(T, q), there.rows(T, q_there)
    parts = [row.part for row in here.layout.rows]
    assert parts == [row.part for row in there.layout.rows]
    for part in dict.fromkeys(parts):
        mine = [k for k, name in enumerate(parts) if name == part]
        lengths = [k for k in mine if not here.layout.rows[k].angle]
        angles = [k for k in mine if here.layout.rows[k].angle]
        # the two components of a pin turn as a vector, its length stays
        small(np.linalg.norm(one[lengths]) - np.linalg.norm(other[lengths]), here.scale.length, 10.0 * INVARIANCE)
        small(one[angles] - other[angles], 1.0, 10.0 * INVARIANCE)


@cases(ACTING)
@formulations
@seeds
def test_accelerations_turn_with_the_drawing(case, formulation, seed):
    mechanism = set_going(made(case, seed))
    angle = 2.1
    still = moved(mechanism, 1e-300, (0.0, 0.0))  # signals as numbers
    one, other = instant(still, formulation), instant(moved(still, angle, (3.0, -2.0)), formulation)
    back = np.array([turned(-angle, a) for a in other.motion.com_a[0]])
    small(back - one.motion.com_a[0], one.motion.com_a, 10.0 * TURNED)
    small(one.motion.alpha - other.motion.alpha, np.abs(one.motion.alpha).max() + 1.0, 10.0 * TURNED)


@cases(CASES)
@formulations
@seeds
def test_a_mirror_image_moves_as_the_mirrored_motion(case, formulation, seed):
    mechanism = set_going(made(case, seed))
    options = {"duration": 0.2, "samples": 5, "rtol": 1e-10, "formulation": formulation}
    one, other = (simulate(m, **options) for m in (mechanism, mirrored(mechanism)))
    expected, found = image(one), other.columns()
    assert {"t", *expected} == set(found)
    for name, values in expected.items():
        size = np.nanmax(np.abs(values), initial=1.0)
        small(np.nan_to_num(found[name] - values)[0], size, 10.0 * MIRRORED)
        small(np.nan_to_num(found[name] - values), size, 10.0 * MIRRORED_MOTION)
        assert np.array_equal(np.isnan(values), np.isnan(found[name]))  # what is not determined


# -- 3: reactions do no work, and come in pairs ----------------------------------------------------------------------


@cases(ROWS)
@formulations
@seeds
def test_reactions_do_no_work_and_sum_to_zero(case, formulation, seed):
    mechanism, rng = made(case, seed), np.random.default_rng(seed)
    system = system_of(mechanism, formulation)
    q = start(system, mechanism).q
    v, x = admissible(system, q, rng), system.start_x
    balance = system.balance(0.0, q, v, np.zeros_like(v), x)
    twist = twists(system, q, v, x)
    small((balance.wrench * balance.unit).T @ twist, np.abs(twist).max() + 1e-9, 10.0 * NO_WORK)
    for joint in system.layout.joints:
        mine = [k for k, (name, _) in enumerate(system.layout.reactions) if name == joint]
        if not mine:  # it ties coordinates, and is told as an effort
            assert joint in system.layout.drivers or (joint, 0) in system.layout.efforts
            continue
        total = balance.report[mine].sum(axis=0)
        small(total * balance.unit, np.abs(balance.report[mine]).max(), 10.0 * NO_WORK)


@cases(LINKS)
@formulations
@seeds
def test_kinetic_energy_does_not_change_where_only_reactions_act(case, formulation, seed):
    mechanism, rng = made(case, seed), np.random.default_rng(seed)
    system = system_of(mechanism, formulation)
    begin = start(system, mechanism)
    v = admissible(system, begin.q, rng)
    a, _ = accelerations(system, 0.0, begin.q, v, begin.x)
    M = system.mass(begin.q)
    small(v @ M @ a, np.sqrt(abs((v @ M @ v) * (a @ M @ a))) + 1e-9, 10.0 * NO_WORK)


# -- 4: rates --------------------------------------------------------------------------------------------------------


@cases(ROWS)
@formulations
@seeds
def test_rates_of_rows_match_differences_along_a_curve(case, formulation, seed):
    system, rng = system_of(made(case, seed), formulation), np.random.default_rng(seed)
    q, v, a = rng.standard_normal((3, system.n_q)) * np.array([[0.1], [0.8], [2.0]])
    q += system.drawing

    def phi(tau):
        return system.rows(T + tau, q + tau * v + 0.5 * tau**2 * a)

    first, second = along(phi, 2e-3)
    phi_q = system.rows_q(T, q)
    rate = phi_q @ v + system.rows_t(T, q)
    small(first - rate, rate, 10.0 * CURVE)
    curvature = phi_q @ a + system.gamma(T, q, v)
    small(second - curvature, curvature, 10.0 * CURVE)


# -- 5: in the tree or cut -------------------------------------------------------------------------------------------


@cases([case for case in LINKS if case[0].tree is not None])
@seeds
def test_a_joint_is_the_same_in_the_tree_and_cut(case, seed):
    loaded = set_going(made(case, seed))
    tree = instant_of(*begun(loaded, ()))
    opened = instant_of(*begun(loaded, ("it",)))
    assert any(edge.joint == "it" for edge in cut(loaded).tree.values())
    assert all(edge.joint != "it" for edge in cut(loaded, ("it",)).tree.values())
    found = difference(tree, opened)
    second = difference(tree, instant(loaded, "absolute"))
    assert found.determined and second.determined
    small(np.array([*found[:2], *second[:2]]), 1.0, 10.0 * ROLES)


def begun(mechanism, forced):
    system = planar_equations.system(mechanism, forced)
    return system, start(system, mechanism)


def set_going(mechanism):
    """Return the mechanism with weight, and b0 and b1 turning where they can turn on their own."""
    system = FORMULATIONS["absolute"](mechanism, ())
    rows = system.rows_q(0.0, system.drawing)
    free = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows, 1e-9) :]
    turns = system.omega_q(system.drawing)[:2] @ free.T
    able = [n for n in (2, 1) if np.linalg.matrix_rank(turns[:n], 1e-3) == n]
    omega = dict(list({"b0": 1.5, "b1": -0.8}.items())[: able[0] if able else 0])
    return mechanism.replaced(gravity=(0.3, -9.81), initial={"omega": omega})


@cases([case for case in LINKS if case[0].tree is None and case[0] not in (joints.Coupling, joints.Stop)])
def test_a_joint_that_carries_no_body_is_always_cut(case):
    mechanism = made(case, 1)
    topology = cut(mechanism)
    assert "it" in {edge.joint for edge in topology.cut}
    assert "it" not in {edge.joint for edge in topology.tree.values()}


@cases(CASES)
@formulations
@seeds
def test_newton_and_euler_agree_with_the_reported_reactions(case, formulation, seed):
    mechanism = set_going(made(case, seed))
    small(unbalanced(mechanism, instant(mechanism, formulation)), 1.0, 10.0 * NEWTON)


# -- 6: potentials and powers ----------------------------------------------------------------------------------------


def thrust(system, q, v, x):
    """Return the power of all applied forces, W."""
    balance = system.balance(T, q, v, np.zeros_like(v), x)
    return -float(balance.missing @ twists(system, q, v, x))


def potential_rate(system, q, v, x):
    """Return the rate of the potential energy along a velocity, W."""
    turning = np.zeros_like(x)
    if len(x) > 1:
        turning[:-1] = system.following(T, q, v, np.zeros(system.n_lam), x)[:-1]
    return float(along(lambda h: system.energy((q + h * v)[None], v[None], (x + h * turning)[None])[1][0], 2e-4)[0])


@cases(ACTING)
@formulations
@seeds
def test_power_of_a_force_is_work_or_potential(case, formulation, seed):
    mechanism, rng = made(case, seed).replaced(gravity=(0.3, -9.81)), np.random.default_rng(seed)
    system = system_of(mechanism, formulation)
    q, x = start(system, mechanism).q, system.start_x
    v = admissible(system, q, rng)
    power = thrust(system, q, v, x)
    worked = float(system.following(T, q, v, np.zeros(system.n_lam), x)[-1])
    size = abs(power) + abs(worked) + 1.0
    small(power - (worked - potential_rate(system, q, v, x)), size, 10.0 * POWER)


@cases(ELASTIC)
@formulations
@seeds
def test_force_is_minus_the_gradient_of_its_potential(case, formulation, seed):
    given = {"damping": 0.0} if case in DAMPED else {}
    mechanism, rng = made(case, seed, **given), np.random.default_rng(seed)
    system = system_of(mechanism, formulation)
    q, x = start(system, mechanism).q, system.start_x
    assert abs(system.energy(q[None], 0.0 * q[None], x[None])[1][0]) > 1e-6
    for _ in range(5):
        v = admissible(system, q, rng)
        power = thrust(system, q, v, x)
        small(power + potential_rate(system, q, v, x), abs(power) + 1.0, 10.0 * POWER)


@cases(DAMPED)
@formulations
@seeds
def test_power_of_damping_is_never_positive(case, formulation, seed):
    given = {"pressure": 0.0, "rod_pressure": 0.0} if case[0] is forces.Cylinder else {}
    mechanism, rng = made(case, seed, **given), np.random.default_rng(seed)
    system = system_of(mechanism, formulation)
    q, x = start(system, mechanism).q, system.start_x
    powers = [
        float(system.following(T, q, admissible(system, q, rng), np.zeros(system.n_lam), x)[-1]) for _ in range(20)
    ]
    assert max(powers) <= 0.0
    assert min(powers) < -1e-3


# -- 7: files --------------------------------------------------------------------------------------------------------


@cases([case for case in CASES if getattr(case[0], "in_file", True)])
@seeds
def test_a_model_file_gives_the_kind_back(case, seed):
    mechanism = made(case, seed)
    assert toml.loads(toml.dumps(mechanism)) == mechanism
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism


@cases([case for case in CASES if not getattr(case[0], "in_file", True)])
def test_a_kind_that_no_file_can_hold_says_so(case):
    with pytest.raises(ModelError, match='force "it"'):
        toml.dumps(made(case, 1))
