"""The spanning tree of mechanisms in space, and the vectors that bodies share along it: what must hold on any graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import particlemech as pm
from particlemech import models
from particlemech.cli.main import main
from particlemech.engine.natural.equations import system
from particlemech.engine.natural.topology import DEPTH, cut, edges
from particlemech.model.description import GROUND, Run
from particlemech.model.space import Body, Initial, Mechanism, forces, joints
from particlemech.run.natural import made as made_by
from particlemech.run.start import accelerations
from tests.support.oracles import central
from tests.support.problems import SPATIAL
from tests.support.second_opinion import natural

MANY = settings(max_examples=60, deadline=None)
ALL = [kind.__name__ for kind in joints.KINDS if kind not in (joints.Coupling, joints.Stop)]  # which join no bodies

# largest errors observed; the bound is ten times that
SLOPES = 3e-11
MASS = 2e-15


def made(kind, pair, rng):
    """Return a joint of a kind at a random place."""
    keys = {"bodies": pair, "point": tuple(rng.uniform(-1.0, 1.0, 3))}
    axis = tuple(rng.standard_normal(3))
    match kind:
        case "Distance":
            return joints.Distance(bodies=pair, points=(tuple(rng.uniform(-1, 1, 3)), tuple(rng.uniform(-1, 1, 3))))
        case "Universal":
            return joints.Universal(**keys, axes=(axis, tuple(np.cross(axis, rng.standard_normal(3)))))
        case "Screw":
            return joints.Screw(**keys, axis=axis, pitch=0.2)
        case "Spherical" | "Weld" | "Free":
            return getattr(joints, kind)(**keys)
    return getattr(joints, kind)(**keys, axis=axis)


def linked(pairs, n, rng):
    """Return n bodies with joints of given kinds between given pairs of them; 0 is the ground."""
    names = [GROUND, *(f"b{k}" for k in range(n))]
    return Mechanism(
        bodies={
            name: Body(mass=float(rng.uniform(0.5, 2.0)), com=tuple(rng.uniform(-1, 1, 3)), inertia=(0.3, 0.4, 0.5))
            for name in names[1:]
        },
        joints={f"j{k}": made(kind, (names[a], names[b]), rng) for k, (kind, a, b) in enumerate(pairs)},
        gravity=(0.5, 1.0, -9.0),
    )


@st.composite
def graphs(draw):
    """Random graphs of joints of all kinds, with parallel edges and loose bodies."""
    n = draw(st.integers(1, 8))
    pair = st.tuples(st.sampled_from(ALL), st.integers(0, n), st.integers(0, n)).filter(lambda e: e[1] != e[2])
    return linked(draw(st.lists(pair, max_size=12)), n, np.random.default_rng(draw(st.integers(0, 999))))


def roots(topology):
    return [b for b in topology.order if topology.parent[b] is None]


# -- the tree ----------------------------------------------------------------------------------------------------------


@MANY
@given(graphs(), st.integers(1, 12))
def test_every_body_is_reached_once_and_cuts_are_the_loops(mechanism, depth):
    topology = cut(mechanism, depth=depth)
    assert sorted(topology.order) == sorted(mechanism.bodies)
    assert len(topology.cut) == len(mechanism.joints) - len(mechanism.bodies) + len(roots(topology))
    joined = sorted(e.joint for e in [*topology.tree.values(), *topology.cut])
    assert joined == sorted(mechanism.joints)
    seen = {GROUND}
    for b in topology.order:
        parent = topology.parent[b]
        assert parent is None or parent in seen
        seen.add(b)


@MANY
@given(graphs())
def test_rods_and_slots_never_carry_a_body_and_the_same_graph_is_cut_the_same_way(mechanism):
    topology = cut(mechanism)
    assert not any(isinstance(e.spec, joints.Distance | joints.Slot) for e in topology.tree.values())
    assert cut(mechanism) == topology


@MANY
@given(graphs(), st.data())
def test_joints_that_the_user_names_are_cut(mechanism, data):
    forced = tuple(data.draw(st.sets(st.sampled_from(sorted(mechanism.joints))))) if mechanism.joints else ()
    topology = cut(mechanism, forced)
    assert set(forced) <= {e.joint for e in topology.cut}
    assert len(topology.cut) == len(edges(mechanism)) - len(mechanism.bodies) + len(roots(topology))


@MANY
@given(graphs())
def test_the_branches_of_a_loop_part_once_and_end_at_the_cut(mechanism):
    topology = cut(mechanism)
    for edge in topology.cut:
        one, other = topology.loop(edge)
        assert not set(one) & set(other)
        for branch, end in ((one, edge.first), (other, edge.second)):
            assert not branch or branch[-1] == end
            assert all(topology.parent[b] == a for a, b in itertools.pairwise(branch))


@pytest.mark.parametrize(
    ("name", "cuts", "n_q"),
    [("bricard", 1, 30), ("bennett", 1, 18), ("rssr", 1, 21), ("universal_shaft", 1, 12)],
)
def test_shipped_linkages_are_cut_once_and_share_their_vectors(name, cuts, n_q):
    """A hinge leaves a body two vectors, a ball three; all had twelve coordinates of their own."""
    made = system(models.load(name))
    assert (len(made.cuts), made.n_q) == (cuts, n_q)


def test_long_chains_are_cut_again():
    chain = linked([("Revolute", k, k + 1) for k in range(30)], 30, np.random.default_rng(1))
    assert len(cut(chain).cut) == 30 // (DEPTH + 1)
    assert not cut(chain, depth=30).cut


# -- what it does to the equations -------------------------------------------------------------------------------------


@MANY
@given(graphs())
def test_the_drawing_is_the_same_in_shared_vectors_and_closes_all_rows(mechanism):
    made = system(mechanism)
    q = np.array(made.compiled.shared.drawing)
    assert made.full(q) == pytest.approx(made.compiled.coordinates.drawing, abs=1e-13)
    lengths = [j for j in mechanism.joints.values() if isinstance(j, joints.Distance)]
    assert np.abs(made.levels(0.0, q, np.zeros(made.n_q)).phi).max(initial=0.0) < 1e-12 or lengths


@MANY
@given(graphs())
def test_shared_vectors_leave_the_freedoms_that_all_rows_leave(mechanism):
    made = system(mechanism)
    q = np.array(made.compiled.shared.drawing)
    own = made.levels(0.0, q, np.zeros(made.n_q)).phi_q
    full = made.every(0.0, made.full(q), np.zeros(len(made.T))).phi_q
    left = [C.shape[1] - (np.linalg.matrix_rank(C, tol=1e-9) if C.size else 0) for C in (own, full)]
    assert left[0] == left[1]


@MANY
@given(graphs(), st.integers(0, 999))
def test_the_mass_of_shared_vectors_gives_the_kinetic_energy(mechanism, seed):
    made = system(mechanism)
    v = np.random.default_rng(seed).standard_normal(made.n_q)
    kinetic, _ = made.energy(np.array(made.compiled.shared.drawing)[None], v[None], np.zeros((1, 1)))
    assert abs(0.5 * v @ made.mass(v) @ v - kinetic[0]) <= 10.0 * MASS * max(kinetic[0], 1.0)


@pytest.mark.parametrize("name", SPATIAL)
def test_accelerations_do_not_depend_on_what_is_cut(name):
    """All joints cut: every body has coordinates of its own, and every joint its rows."""
    mechanism = models.load(name)
    found = []
    for forced in ((), tuple(mechanism.joints), tuple(mechanism.joints)[:1]):
        made, begin = made_by(mechanism, Run(duration=1.0, cut=forced))
        a, _ = accelerations(made, 0.0, begin.q, begin.v, begin.x)
        found.append(made.full(a, rates=True))
        assert set(forced) <= set(made.cuts)
    size = np.abs(found[1]).max()
    assert np.abs(found[0] - found[1]).max() < 1e-10 * size
    assert np.abs(found[2] - found[1]).max() < 1e-10 * size


@pytest.mark.parametrize("kind", ALL)
def test_joints_that_carry_a_body_and_cut_ones_accelerate_alike_in_both_formulations(kind, rng):
    model = pushed(kind, rng)
    rate = 2.0 if model.joints["j1"].dof else 0.0  # a weld leaves the loop nothing
    spin = rate * np.array(model.joints["j0"].direction)
    model = model.replaced(initial=Initial(omega={"b0": tuple(spin)}))
    some = {"duration": 1e-3, "samples": 2, "rtol": 1e-6}
    cuts = ((), ("j1",), ("j0", "j1", "j2", "j3"))
    first, *others = (simulate(model, cut=cut, **some) for simulate in (pm.simulate, natural) for cut in cuts)
    a, alpha = (np.array([of(b)[0] for b in model.bodies]) for of in (first.com_acceleration, first.alpha))
    size = np.abs(a).max() + np.abs(alpha).max() + np.linalg.norm(model.gravity)
    for other in others:
        for b, body in enumerate(model.bodies):
            assert np.abs(other.com_acceleration(body)[0] - a[b]).max() < 1e-10 * size
            assert np.abs(other.alpha(body)[0] - alpha[b]).max() < 1e-10 * size


def test_a_run_honours_the_cut_of_its_model_and_of_the_call():
    mechanism = models.load("rssr")
    runs = [natural(mechanism, duration=0.1, samples=3, cut=cut) for cut in ((), ("A",), tuple(mechanism.joints))]
    assert runs[1].system.cuts == ("A",)
    assert runs[2].system.cuts == tuple(mechanism.joints)
    for run in runs[1:]:
        assert np.abs(run["B"] - runs[0]["B"]).max() < 1e-8
        name = next(iter(mechanism.joints))
        on = mechanism.joints[name].second
        assert np.abs(run.reaction(name, on) - runs[0].reaction(name, on)).max() < 1e-5


# -- the Jacobian ------------------------------------------------------------------------------------------------------


def pushed(kind, rng):
    """Return a loop of three bodies with a joint of a kind in it, and forces of all kinds, some of them damped."""
    model = linked([("Revolute", 0, 1), (kind, 1, 2), ("Spherical", 2, 3), ("Cylindrical", 0, 3)], 3, rng)
    ends = {"bodies": ("b0", "b2"), "points": (tuple(rng.uniform(-1, 1, 3)), tuple(rng.uniform(-1, 1, 3)))}
    return model.replaced(
        forces={
            "spring": forces.Spring(**ends, stiffness=3.0, damping=0.7, length=0.4),
            "torsion": forces.Torsion(joint="j0", stiffness=2.0, damping=0.3, angle=0.5),
            "wring": forces.Torsion(joint="j3", coordinate="angle", stiffness=1.0, damping=0.2, angle=-0.5),
            "load": forces.Load(body="b1", point=(0.1, 0.2, 0.3), force=(1.0, -2.0, 0.5), frame="body"),
            "wind": forces.Load(body="b2", point=(0.3, 0.2, 0.1), force=(1.0, 2.0, -0.5)),
            "torque": forces.Torque(bodies=("b0", "b1"), torque=(0.4, 0.3, -0.2), frame="body"),
            "couple": forces.Torque(bodies=("ground", "b2"), torque=(0.4, -0.3, 0.2)),
            "turn": forces.Motor(joint="j3", coordinate="angle", effort=1.5),
            "feed": forces.Motor(joint="j3", coordinate="travel", effort=-2.0),
            "coil": forces.Torsion(joint="j3", coordinate="travel", stiffness=2.0, damping=0.4, length=0.1),
            "ball": forces.Torsion(joint="j2", stiffness=0.7, damping=0.2),
            "spin": forces.Motor(joint="j2", moment=(0.2, -0.1, 0.3)),
        },
    )


def exact(made):
    """Return the equations whose derivatives are exact: all but those of the angles, which only count turns."""
    counting = range(made.layout.x.start, made.layout.x.stop - 1)
    return [k for k in range(made.n) if k not in counting]


@pytest.mark.parametrize("kind", ALL)
def test_the_jacobian_is_the_derivative_of_the_residual_dense_and_sparse(kind, rng):
    made = system(pushed(kind, rng))
    n, cj = made.n, 3.0
    y, yp = rng.standard_normal((2, n)) * 0.3
    y[made.layout.q] += made.compiled.shared.drawing
    residual, jacobian = made.callbacks(False)

    def value(y, yp):
        res = np.zeros(n)
        assert residual(0.1, y, yp, res)
        return res

    J = np.zeros((n, n))
    jacobian(0.1, y, yp, np.zeros(n), cj, J)
    wanted = central(lambda d: value(y + d, yp + cj * d), np.zeros(n), 1e-3)
    worst = np.abs(J - wanted)[exact(made)].max() / np.abs(wanted).max()
    print(f"observed {worst:.1e}")
    assert worst < 10.0 * SLOPES
    data = np.zeros(len(made.indices))
    made.callbacks(True)[1](0.1, y, yp, np.zeros(n), cj, data)
    columns = np.repeat(np.arange(n), np.diff(made.indptr))
    again = np.zeros((n, n))
    again[made.indices, columns] = data
    assert np.array_equal(again, J)


def test_drivers_are_in_the_jacobian(rng):
    made = system(models.load("rssr"))
    n = made.n
    y, yp = rng.standard_normal((2, n)) * 0.3
    residual, jacobian = made.callbacks(False)
    J = np.zeros((n, n))
    jacobian(0.1, y, yp, np.zeros(n), 2.0, J)

    def value(d):
        res = np.zeros(n)
        residual(0.1, y + d, yp + 2.0 * d, res)
        return res

    assert np.abs(J - central(value, np.zeros(n), 1e-3))[exact(made)].max() < 1e-9 * np.abs(J).max()


# -- explained ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPATIAL)
def test_explain_shows_tree_cuts_rows_and_sizes_of_shipped_mechanisms(name, capsys):
    assert main(["explain", name]) == 0
    said = capsys.readouterr().out
    made = system(models.load(name))
    assert max(map(len, said.splitlines())) <= 120
    assert f"{len(made.cuts)} cut joints, 0 floating chains" in said
    flat = " ".join(said.split())  # long equations go on in a second line
    assert flat.count(") = 0") + flat.count("which its rows hold") == len(made.cuts)
    assert f"unknowns of the integrator  {made.n}" in said


def test_explain_writes_the_loop_of_vectors_and_what_is_handed_over(capsys):
    assert main(["explain", "rssr"]) == 0
    said = capsys.readouterr().out
    loop = "(C of the ground + [rocker: C to B]) - (O of the ground + [crank: O to A] + [coupler: A to B]) = 0"
    assert f"  B: {loop}" in said
    assert "crank    ground    O         revolute   place, axis  m n                 5" in said


def test_explain_in_space_has_no_methods_and_no_later_times(capsys):
    for option in (["--time", "1.0"], ["--method", "kane"]):
        assert main(["explain", "rssr", *option]) != 0
        assert f"leave {option[0]} out" in capsys.readouterr().err
