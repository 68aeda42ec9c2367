"""Shared coordinates: how few there are, that they leave the same freedom, and that they move everything alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, forces, joints, models
from particlemech.engine.particles.explicit import system
from particlemech.model.description import GROUND
from particlemech.model.friction import Friction
from particlemech.run.preparing import prepared, prepared_explicit, refused
from particlemech.run.start import weights
from tests.support.oracles import apart, difference, instant, instant_of, unbalanced
from tests.support.strategies import random_mechanism

SAME = 1e-9  # of the largest acceleration or reaction, as between the two formulations; observed 1e-10
PER_CONDITION = 1e-15  # times the condition number squared, where that is more
PER_PIVOT = 1e-15  # times the condition number squared: what rounding and softened rows leave after one correction
NEWTON = 3e-13  # of the largest force on a body, as between the two formulations

# coordinates and rows, by hand: two per pin or end that moves, third pins none; one row per body and driver, two
# per third pin that others have defined
COUNTS = {
    "pendulum": (2, 1),
    "double_pendulum": (4, 2),
    "four_bar": (4, 3),
    "andrews_squeezer": (8, 7),
    "n_four_bar": (6, 5),
    "parallel_cranks": (4, 4),
    "platform_manipulator": (10, 7),
    "stephenson_six_bar": (6, 6),
}


@pytest.mark.parametrize("name", COUNTS)
def test_linkages_of_pins_have_two_coordinates_per_pin_and_one_row_per_body(name):
    shared = system(models.load(name))
    assert (shared.n_q, shared.n_row) == COUNTS[name]


def test_a_chain_has_one_particle_and_one_row_per_link():
    shared = system(models.chain(17))
    assert (shared.n_q, shared.n_row) == (34, 17)


def freedom(of, q):
    """Return the degrees of freedom of a pose by the rank of all rows."""
    rows = weights(of)[:, None] * of.rows_q(0.0, q)
    return of.n_q - (int(np.linalg.matrix_rank(rows, 1e-8)) if rows.size else 0)


def test_shipped_models_keep_their_degrees_of_freedom(planar_model):
    shared, begin = prepared_explicit(planar_model)
    other, there = prepared(planar_model)
    assert freedom(shared, begin.q) == freedom(other, there.q)


def accelerations_agree(mechanism):
    """Hold the start in shared coordinates to both formulations and to Newton; return whether the pose is clear."""
    shared, begin = prepared_explicit(mechanism)
    one = instant_of(shared, begin)
    for formulation in ("particles", "absolute"):
        other = instant(mechanism, formulation)
        if one.condition.unclear or other.condition.unclear:
            return False
        number = max(one.condition.number, other.condition.number)
        bound = max(SAME, (PER_CONDITION + PER_PIVOT) * number**2)
        found = difference(one, other)
        assert found.acceleration <= bound
        assert found.reaction <= bound
        assert found.determined
    assert unbalanced(mechanism, one) <= NEWTON
    there, other = prepared(mechanism)
    assert freedom(shared, begin.q) == freedom(there, other.q)
    return True


def test_random_mechanisms_have_the_same_freedom_accelerations_and_reactions(tally):
    for seed in range(1000, 1150):
        mechanism = random_mechanism(np.random.default_rng(seed))
        if refused(mechanism, "particles") is not None:
            tally["refused"] += 1
            continue
        tally["kept" if accelerations_agree(mechanism) else "nearly singular, discarded"] += 1
    assert tally["kept"] >= 130


# -- bodies and pins of every sort -------------------------------------------------------------------------------------

POINTS = {
    "O": (0.0, 0.0),
    "A": (0.3, 0.8),
    "B": (1.1, 1.0),
    "C": (1.4, 0.1),
    "D": (0.7, 0.5),
    "E": (2.0, 0.7),
    "F": (0.2, 1.6),
}


def rods(**ends):
    return {name: Body(points=points, mass=0.5 + 0.1 * k) for k, (name, points) in enumerate(ends.items())}


def plate(*points, near=(0.8, 0.6)):
    return Body(points=points, mass=1.3, com=near, inertia=0.2)


def pin(point, *bodies):
    return joints.Revolute(point=point, bodies=bodies)


def drawn(bodies, held, **more):
    used = {p for b in bodies.values() for p in b.points} | {getattr(j, "point", None) for j in held.values()}
    points = {p: place for p, place in POINTS.items() if p in used}
    return Mechanism(gravity=(0.4, -9.81), points=points, bodies=bodies, joints=held, **more)


SORTS = {
    "a floating body": drawn({"b": plate("A", "B")}, {}),
    "a body with one pin": drawn({"b": plate("A")}, {"A": pin("A", GROUND, "b")}),
    "a body pinned twice to the ground": drawn(
        {"b": plate("A", "B", "D"), "c": plate("B", "C")},
        {"A": pin("A", GROUND, "b"), "again": pin("D", GROUND, "b"), "B": pin("B", "b", "c")},
    ),
    "a weld in a chain": drawn(
        rods(a=("O", "A"), b=("A", "B"), c=("B", "C")),
        {"O": pin("O", GROUND, "a"), "A": joints.Weld(bodies=("a", "b")), "B": pin("B", "b", "c")},
    ),
    "a weld to the ground": drawn(
        rods(a=("O", "A"), b=("A", "B")), {"O": joints.Weld(bodies=(GROUND, "a")), "A": pin("A", "a", "b")}
    ),
    "a weld that closes a loop": drawn(
        rods(a=("O", "A"), b=("A", "B"), c=("B", "C"), d=("C", "E")),
        {
            **{"O": pin("O", GROUND, "a"), "A": pin("A", "a", "b"), "B": pin("B", "b", "c")},
            **{"C": pin("C", GROUND, "c"), "fast": joints.Weld(bodies=("c", "d"))},
        },
    ),
    "a plate whose three pins are others' already": drawn(
        {**rods(a=("O", "A"), b=("C", "B"), d=("F", "D")), "p": plate("A", "B", "D")},
        {
            **{"O": pin("O", GROUND, "a"), "C": pin("C", GROUND, "b"), "F": pin("F", GROUND, "d")},
            **{"A": pin("A", "a", "p"), "B": pin("B", "b", "p"), "D": pin("D", "d", "p")},
        },
    ),
    "two plates with three common pins": drawn(
        {"p": plate("A", "B", "D"), "r": plate("A", "B", "D", near=(0.6, 0.9)), "a": plate("O", "A")},
        {
            **{"O": pin("O", GROUND, "a"), "0": pin("A", "a", "p"), "A": pin("A", "p", "r")},
            **{"B": pin("B", "p", "r"), "D": pin("D", "p", "r")},
        },
    ),
    "a pin of three bodies and one more joint there": drawn(
        rods(a=("O", "A"), b=("A", "B"), c=("A", "C"), d=("A", "F")),
        {"O": pin("O", GROUND, "a"), "A": pin("A", "a", "b", "c"), "again": pin("A", "c", "d")},
    ),
    "two joints between two bodies at one point": drawn(
        rods(a=("O", "A"), b=("A", "B")),
        {"O": pin("O", GROUND, "a"), "A": pin("A", "a", "b"), "again": pin("A", "b", "a")},
    ),
    "a slide, a slot and a distance in one loop": drawn(
        {**rods(a=("O", "A")), "s": plate("B"), "p": plate("C", "D")},
        {
            "O": pin("O", GROUND, "a"),
            "slide": joints.Prismatic(point="B", bodies=("a", "s"), axis=(0.6, 0.8)),
            "slot": joints.Slot(point="C", bodies=(GROUND, "p"), axis=(1.0, 0.2)),
            "rod": joints.Distance(points=("B", "D"), bodies=("s", "p")),
        },
    ),
    "pins closer than a plate is wide": drawn(
        {**rods(a=("O", "A")), "p": Body(points=("A", "F", "E"), mass=1.0, com=(0.9, 1.0), inertia=0.3)},
        {"O": pin("O", GROUND, "a"), "A": pin("A", "a", "p")},
        forces={"pull": forces.Spring(bodies=(GROUND, "p"), points=("O", "E"), stiffness=9.0, length=0.4)},
    ),
}


@pytest.mark.parametrize("name", SORTS)
def test_bodies_and_pins_of_every_sort_have_the_accelerations_of_both_formulations(name):
    assert accelerations_agree(SORTS[name])


@pytest.mark.parametrize("name", SORTS)
def test_bodies_and_pins_of_every_sort_move_as_with_ida(name):
    options = {"duration": 0.4, "samples": 5, "rtol": 1e-10}
    one, other = (pm.simulate(SORTS[name], integrator=integrator, **options) for integrator in ("auto", "ida"))
    assert apart(one, other) <= 1e-6  # as between the formulations


def judged(mechanism):
    """Return whether counts say that all loads are determined, and whether they are by the rank of all reactions.

    Nothing is returned of a mechanism that is refused, or has no pin.
    """
    held = dict(mechanism.joints)
    for name, spec in held.items():
        if isinstance(spec, joints.Revolute):
            held[name] = replace(spec, friction=Friction(mu=0.05, radius=0.01))
    try:
        shared = system(mechanism.replaced(joints=held))
        begin = shared.start()
    except pm.ModelError:
        return None
    if not shared.compiled.rubbed:
        return None
    wrench = shared.units_of(np.zeros(1), begin.q[None])[0][0]
    unit = wrench / np.linalg.norm(wrench, axis=0)
    return shared.determined, np.linalg.matrix_rank(unit, 1e-8) == unit.shape[1]


def test_counts_say_which_loads_are_determined_wherever_rows_are_independent(tally):
    drawings = [*SORTS.values(), *(random_mechanism(np.random.default_rng(seed)) for seed in range(1000, 1150))]
    for mechanism in drawings:
        found = judged(mechanism)
        if found is None:
            tally["refused or without pins"] += 1
            continue
        said, known = found
        assert known or not said
        tally["determined" if said else "left to the rank" if known else "redundant"] += 1
    assert tally["determined"] >= 100
    assert tally["redundant"] >= 2


def test_lengths_that_ask_for_assembly_give_the_pose_of_ida():
    """A bar is told to be longer than drawn: angles count from the assembled pose, and springs know it."""
    free = drawn(
        {**rods(a=("O", "A"), c=("C", "E")), "p": plate("A", "B")},
        {
            **{"O": pin("O", GROUND, "a"), "A": pin("A", "a", "p"), "C": pin("C", GROUND, "c")},
            "bar": joints.Distance(points=("B", "E"), bodies=("p", "c"), length=1.2),
        },
        forces={"coil": forces.Torsion(bodies=("a", "p"), stiffness=3.0, angle=0.4)},
    )
    options = {"duration": 0.3, "samples": 7, "rtol": 1e-10}
    one, other = (pm.simulate(free, integrator=integrator, **options) for integrator in ("explicit", "ida"))
    assert one.start.moved.keys() == other.start.moved.keys()
    assert one.start.moved
    assert apart(one, other) <= 1e-6
    for body in free.bodies:
        assert one.angle(body)[0] == 0.0
        assert np.abs(one.angle(body) - other.angle(body)).max() <= 1e-6
    assert np.abs(one.energy.total - other.energy.total).max() <= 1e-6 * one.energy.scale
