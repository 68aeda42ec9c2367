"""Degrees of freedom, redundant joints and their cause, on mechanisms whose answer is known by hand."""

import dataclasses

import pytest

import particlemech as pm
import particlemech.result.mobility.plane as mobility
from particlemech import models
from particlemech.analyses.report import judged
from particlemech.model.drivers import Position, Rotation
from particlemech.model.joints import Distance, Prismatic, Revolute, Weld
from particlemech.model.mechanism import Body, Mechanism
from particlemech.model.signals import Linear
from tests.support.problems import PLANAR

FORMULATIONS = ["particles", "absolute"]


def pin(point, *bodies):
    return Revolute(point=point, bodies=bodies)


def rod(*points):
    return Body(points=points, mass=1.0)


def four_bar(o, a, b, d):
    return Mechanism(
        points={"O": o, "A": a, "B": b, "D": d},
        bodies={"crank": rod("O", "A"), "coupler": rod("A", "B"), "rocker": rod("D", "B")},
        joints={
            "O": pin("O", "ground", "crank"),
            "A": pin("A", "crank", "coupler"),
            "B": pin("B", "coupler", "rocker"),
            "D": pin("D", "ground", "rocker"),
        },
    )


def three_parallel_cranks(lengths=(1.0, 1.0, 1.0)):
    bodies = {"coupler": Body(points=("A", "B", "C"), mass=1.0, inertia=1.0)}
    points, joints = {}, {}
    for x, (ground, moving), length in zip((0.0, 1.0, 3.0), ("OA", "PB", "QC"), lengths, strict=True):
        points |= {ground: (x, 0.0), moving: (x, length)}
        bodies[f"crank {moving}"] = rod(ground, moving)
        joints[ground] = pin(ground, "ground", f"crank {moving}")
        joints[moving] = pin(moving, f"crank {moving}", "coupler")
    return Mechanism(points=points, bodies=bodies, joints=joints)


def slider(**changes):
    joints = {
        "low": Prismatic(bodies=("ground", "slider"), point="P", axis=(1.0, 0.0)),
        "high": Prismatic(bodies=("ground", "slider"), point="Q", axis=(1.0, 0.0)),
    }
    points = {"P": (0.0, 0.0), "Q": (0.0, 1.0)}
    return Mechanism(points=points, bodies={"slider": rod("P", "Q")}, joints=joints, **changes)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_four_bar_has_one_freedom_and_nothing_redundant(formulation):
    found = mobility.judged(four_bar((0, 0), (0, 1), (3, 2), (3, 0)), formulation)
    assert (found.by_count, found.by_rank, found.redundancy) == (1, 1, 0)
    assert (found.redundant, found.cause, found.undetermined) == ((), "none", ())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_redundant_coupler_is_blamed_on_the_design(formulation):
    found = mobility.judged(three_parallel_cranks(), formulation)
    assert (found.by_count, found.by_rank, found.redundancy) == (0, 1, 1)
    assert (found.cause, found.elsewhere) == ("design", 1)
    assert set(found.redundant) == {"O", "A", "P", "B", "Q", "C"}


def test_only_the_forces_along_redundant_cranks_are_undetermined():
    found = mobility.judged(three_parallel_cranks())
    assert all(name.endswith(".fy") for name in found.undetermined)
    assert len(found.undetermined) == len(found.unique)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_flat_parallelogram_is_blamed_on_the_pose(formulation):
    found = mobility.judged(four_bar((0, 0), (1, 0), (4, 0), (3, 0)), formulation)
    assert (found.by_count, found.by_rank, found.redundancy) == (1, 2, 1)
    assert (found.cause, found.elsewhere) == ("pose", 0)
    assert found.redundant == ("O", "A", "B", "D")


def test_a_body_on_two_fixed_pins_has_no_second_pose():
    mechanism = Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0)},
        bodies={"bar": rod("O", "A")},
        joints={"O": pin("O", "ground", "bar"), "A": pin("A", "ground", "bar")},
    )
    found = mobility.judged(mechanism)
    assert (found.by_count, found.by_rank, found.redundancy) == (-1, 0, 1)
    assert (found.cause, found.elsewhere) == ("cannot tell", None)
    assert set(found.undetermined) == {f"{joint}.{body}.fx" for joint in "OA" for body in ("ground", "bar")}


def test_two_bars_in_line_between_fixed_pins_shake_but_do_not_move():
    mechanism = Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (2.0, 0.0)},
        bodies={"left": rod("O", "A"), "right": rod("A", "B")},
        joints={"O": pin("O", "ground", "left"), "A": pin("A", "left", "right"), "B": pin("B", "ground", "right")},
    )
    found = mobility.judged(mechanism)
    assert (found.by_count, found.by_rank, found.redundancy) == (0, 1, 1)
    assert found.cause == "cannot tell"


def test_a_pin_of_three_bodies_counts_twice():
    mechanism = Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (0.0, 1.0)},
        bodies={"a": rod("O", "A"), "b": rod("O", "B")},
        joints={"O": pin("O", "ground", "a", "b")},
    )
    found = mobility.judged(mechanism)
    assert (found.by_count, found.by_rank, found.cause) == (2, 2, "none")


def test_welds_and_rods_count_three_and_one():
    mechanism = Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (2.0, 0.0), "C": (2.0, -1.0)},
        bodies={"a": rod("O", "A"), "b": rod("A", "B")},
        joints={"w": Weld(bodies=("a", "b")), "r": Distance(bodies=("ground", "b"), points=("C", "B"))},
    )
    found = mobility.judged(mechanism)
    assert (found.by_count, found.by_rank, found.redundancy) == (2, 2, 0)


def test_parallel_guides_are_redundant_by_design_and_share_force_and_moment_as_they_like():
    found = mobility.judged(slider())
    assert (found.by_count, found.by_rank, found.redundancy, found.cause) == (-1, 1, 2, "design")
    assert found.redundant == ("low", "high")
    assert {"low.slider.fy", "low.slider.m", "high.slider.fy", "high.slider.m"} <= set(found.undetermined)
    assert found.unique["low", "slider"][0]


def test_a_driver_changes_neither_the_freedoms_nor_the_cause():
    motor = Rotation(bodies=("ground", "crank A"), motion=Linear(rate=1.0))
    found = mobility.judged(three_parallel_cranks().replaced(drivers={"motor": motor}))
    assert (found.by_count, found.by_rank, found.drivers, found.cause) == (0, 1, 1, "design")


def test_two_drivers_of_one_freedom_leave_reactions_open_without_a_redundant_joint():
    drivers = {name: Position(point=point, axis="x", motion=0.0) for name, point in (("p", "P"), ("q", "Q"))}
    found = mobility.judged(slider(drivers=drivers).replaced(joints={"high": None}))
    assert (found.redundancy, found.redundant, found.cause) == (0, (), "none")
    assert set(found.undetermined) == {"low.ground.m", "low.slider.m"}


def test_without_the_free_system_the_cause_of_a_driven_mechanism_is_not_guessed():
    from particlemech.run.preparing import prepared

    motor = Rotation(bodies=("ground", "crank A"), motion=Linear(rate=1.0))
    mechanism = three_parallel_cranks().replaced(drivers={"motor": motor})
    assert mobility.mobility(mechanism, *prepared(mechanism)).cause == "cannot tell"


@pytest.mark.parametrize("scale", [1e-4, 1e4])
@pytest.mark.parametrize("drawing", [((0, 0), (0, 1), (3, 2), (3, 0)), ((0, 0), (1, 0), (4, 0), (3, 0))])
def test_the_verdict_does_not_depend_on_the_size_of_the_mechanism(scale, drawing):
    large = four_bar(*([scale * x, scale * y] for x, y in drawing))
    assert mobility.judged(large) == mobility.judged(four_bar(*drawing))


@pytest.mark.parametrize("name", PLANAR)
def test_both_formulations_give_one_verdict_on_every_planar_model(name):
    mechanism = models.load(name)
    particles, absolute = (mobility.judged(mechanism, f) for f in FORMULATIONS)
    assert dataclasses.replace(particles, cuts=()) == dataclasses.replace(absolute, cuts=())
    assert mechanism.check.dof in (None, particles.by_rank)


def test_what_events_hold_and_take_out_is_said_of_the_start_and_of_each():
    """A Geneva wheel is free until a slot holds the pin, which then leaves only what the crank drives."""
    said = dict(judged(pm.models.load("geneva")).rows)
    assert said["degrees of freedom by rank"] == "2"
    assert said["moves at the start"] == "O.angle (driven), W.angle (free); first, second hold nothing yet"
    assert said["by count while first holds"] == said["by count while W is locked"] == "1, 1 driven"
    assert said["cut joints"] == "none"
    assert not any(what.startswith(("moves", "by count")) for what, _ in judged(pm.models.load("four_bar")).rows)


def test_what_follows_from_drivers_is_told_from_what_is_free():
    """Of a driven four-bar all else follows; without a pin of two bodies there are two freedoms more."""
    model = pm.models.load("four_bar").replaced(check={"end": {}}, initial={"omega": {}})
    one = next(name for name, joint in model.joints.items() if joint.coordinate_names)
    free = model.replaced(events={"off": pm.Action(when="t > 1 s", do="detach", joint=one)})
    said = dict(judged(free).rows)
    assert "(free)" in said["moves at the start"] and "(driven)" not in said["moves at the start"]
    count = int(said["degrees of freedom by count"])
    assert said[f"by count without {one}"] == f"{count + 2}, 0 driven"
    driven = free.replaced(drivers={"motor": pm.drivers.Coordinate(joint=one, motion=0.0)})
    said = dict(judged(driven).rows)
    assert f"{one}.angle (driven)" in said["moves at the start"] and "(follows)" in said["moves at the start"]
    assert "(free)" not in said["moves at the start"]
    assert said[f"by count without {one}"] == f"{count + 2}, 0 driven"
