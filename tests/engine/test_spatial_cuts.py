"""What does not depend on which joint carries a body: beams held at their far end, drives, redundant joints."""

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses.influence.lagrange import compared
from particlemech.model.space import Body, Impulse, Mechanism, forces, joints
from tests.support.second_opinion import BOTH, apart

FINE = {"duration": 0.1, "samples": 5, "rtol": 1e-12}
BLOCK = Body(mass=1.5, com=(0.2, 0.1, 0.3), inertia=(0.2, 0.3, 0.4, 0.02, -0.03, 0.01))


def same(made, cut):
    """Assert that a mechanism moves alike with other joints cut, with the same reactions, and as Lagrange says."""
    one, other = pm.simulate(made, **FINE), pm.simulate(made, cut=cut, **FINE)
    assert set(cut) & set(other.system.cuts)
    found = apart(one, other)
    assert max(found[quantity] for quantity in ("points", "accelerations", "orientations", "energy")) < 1e-9, found
    assert max(found.get(quantity, 0.0) for quantity in ("reactions", "moments")) < 1e-8, found
    for _, off, size, where, _ in compared(other, 3):
        assert off < 1e-9 * size, where
    return one


@pytest.mark.parametrize("kind", [joints.Weld, joints.Prismatic], ids=lambda kind: kind.__name__)
def test_a_beam_held_at_its_far_end_bends_from_there(kind):
    """A beam between a block and a rod to the ground: held at its far end, its first point swings."""
    axis = {} if kind is joints.Weld else {"axis": (0.0, 0.3, 1.0)}
    beam = Body(
        points=("A", "B"),
        density=1.0,
        rotary=(0.002, 0.002, 0.002),
        EI=10.0,
        modes=[{"along": way, "shape": (0.0, 0.0, 1.0)} for way in ("y", "z")],
    )
    made = Mechanism(
        points={"A": (0.0, 0.0, 0.0), "B": (0.8, 0.0, 0.0)},
        bodies={"block": BLOCK, "beam": beam},
        joints={
            "O": joints.Revolute(bodies=("ground", "block"), point=(0.5, 0.3, 0.0), axis=(0.2, 1.0, 0.0)),
            "hold": kind(bodies=("block", "beam"), point="B", **axis),
            "rod": joints.Distance(bodies=("ground", "beam"), points=((0.1, 0.2, 0.9), "A")),
        },
        gravity=(0.0, -1.0, -9.81),
    )
    run = same(made, ("hold",))
    root = np.einsum("kji,kj->ki", run.orientation("block"), run["A"] - run["B"])
    assert np.ptp(root, axis=0).max() > 1e-4  # in the axes of the block


@pytest.mark.parametrize("stiffness", [None, 30.0], ids=["stiff", "yielding"])
@pytest.mark.parametrize("flipped", [False, True], ids=["as drawn", "flipped"])
@pytest.mark.parametrize("kind", [joints.Revolute, joints.Prismatic], ids=lambda kind: kind.__name__)
def test_a_drive_moves_alike_whichever_of_its_bodies_is_carried(kind, flipped, stiffness):
    """The rotor is on the side of the first body, and deflects against the second."""
    bodies = ("two", "one") if flipped else ("one", "two")
    drive = joints.Drive(rotor=0.3, stiffness=stiffness)
    made = Mechanism(
        bodies={"one": BLOCK, "two": Body(mass=0.7, com=(0.5, 0.6, 0.1), inertia=(0.1, 0.12, 0.09))},
        joints={
            "O": joints.Revolute(bodies=("ground", "one"), point=(0.0, 0.0, 0.0), axis=(1.0, 0.2, 0.0)),
            "J": kind(bodies=bodies, point=(0.4, 0.3, 0.0), axis=(0.3, 0.1, 1.0), drive=drive),
            "float": joints.Free(bodies=("ground", "two")),
        },
        gravity=(0.0, -1.0, -9.81),
        initial={"rate": {"O": 1.0, "J": 2.0}},
    )
    run = same(made, ("J",))
    for body, held in (("one", ("O", "J")), ("two", ("J",))):  # a rotor between two bodies takes its part
        needed = made.mass(body) * (run.com_acceleration(body) - np.array(made.gravity))
        given = sum(run.transmitted(joint, body).force for joint in held)
        assert given == pytest.approx(needed, abs=1e-9 * np.abs(needed).max())


@BOTH
def test_a_blow_turns_a_door_on_two_hinges_in_line_by_its_closed_form(simulate):
    axis, at = np.array([-0.4, -0.7, 0.5]), np.array([-0.3, -0.1, 0.0])
    u = axis / np.linalg.norm(axis)
    r, P, H = np.array(BLOCK.com) - at, np.array([0.4, 0.3, -0.4]), np.array([0.02, -0.01, 0.03])
    xx, yy, zz, xy, xz, yz = BLOCK.inertia
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    made = Mechanism(
        bodies={"door": BLOCK},
        joints={
            name: joints.Revolute(bodies=("ground", "door"), point=tuple(at + s * u), axis=tuple(axis))
            for name, s in (("low", 0.0), ("high", 0.25))
        },
        impulses={"hit": Impulse(body="door", impulse=tuple(P), moment=tuple(H))},
    )
    run = simulate(made, duration=1e-3, samples=2)
    wanted = u * ((np.cross(r, P) + H) @ u) / (u @ J @ u + BLOCK.mass * (r @ r - (r @ u) ** 2))
    assert run.omega("door")[0] == pytest.approx(wanted, rel=1e-9)


@BOTH
def test_a_ball_beside_a_hinge_has_forces_that_nothing_determines_and_no_moment(simulate):
    made = Mechanism(
        bodies={"door": BLOCK},
        joints={
            "hinge": joints.Revolute(bodies=("ground", "door"), point=(0.0, 0.0, 0.0), axis=(0.2, 0.1, 1.0)),
            "ball": joints.Spherical(bodies=("ground", "door"), point=(0.1, 0.05, 0.5)),
        },
        gravity=(0.0, -1.0, -9.81),
    )
    run = simulate(made, duration=0.05, samples=2)
    assert np.isnan(run.reaction("ball", "door")).any()
    assert np.abs(run.moment("ball", "door")).max() < 1e-9


@pytest.mark.parametrize("kind", [joints.Revolute, joints.Weld], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("sublinks", [1, 2])
def test_a_copy_of_a_section_takes_no_more_than_a_thin_beam_has_there(sublinks, kind):
    """Two slender beams between rotating blocks, cut between them: little resists their turning about their lines."""
    hinge = {"axis": (0.0, 0.0, 1.0)}
    given = {"density": 1.0, "rotary": (1e-4, 1e-4, 1e-4), "EI": 10.0, "damping": (0.0, 1e-3), "sublinks": sublinks}
    bends = [{"along": way, "shape": shape} for way in "yz" for shape in ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.0))]
    made = Mechanism(
        points={"A": (0.2, 0.5, 0.0), "B": (0.7, 0.5, 0.0), "C": (1.0, 0.5, 0.0)},
        bodies={
            "crank": BLOCK,
            "one": Body(points=("A", "B"), modes=bends, **given),
            "other": Body(points=("B", "C"), modes=bends, **given),
            "rocker": Body(mass=0.7, com=(1.0, 0.3, 0.1), inertia=(0.1, 0.12, 0.09)),
        },
        joints={
            "O": joints.Revolute(bodies=("ground", "crank"), point=(0.2, 0.0, 0.0), **hinge),
            "A": joints.Spherical(bodies=("crank", "one"), point="A"),
            "B": kind(bodies=("one", "other"), point="B", **(hinge if kind is joints.Revolute else {})),
            "C": joints.Cylindrical(bodies=("other", "rocker"), point="C", **hinge),
            "D": joints.Revolute(bodies=("ground", "rocker"), point=(1.1, 0.0, 0.0), **hinge),
        },
        gravity=(0.0, -9.81, 0.0),
        forces={"hold": forces.Torsion(joint="B", stiffness=1.0)} if kind is joints.Revolute else {},
        initial={"rate": {"O": 1.0}},
    )
    same(made, ("B",))


@pytest.mark.parametrize("sublinks", [1, 3])
@pytest.mark.parametrize("root", [joints.Spherical, joints.Revolute, joints.Weld], ids=lambda kind: kind.__name__)
def test_a_slot_where_a_beam_is_held_already_holds_nothing_more(root, sublinks):
    """What its rows ask for is rounding, which must not be scaled up."""
    hinge = {"axis": (0.0, 0.3, 1.0)} if root is joints.Revolute else {}
    bends = [{"along": way, "shape": (0.0, 0.0, 1.0)} for way in "yz"]
    beam = Body(points=("A", "B"), density=1.0, EI=20.0, rotary=(4e-3,) * 3, modes=bends, sublinks=sublinks)
    made = Mechanism(
        points={"A": (0.276, 0.236, 0.219), "B": (0.976, 0.236, 0.219)},
        bodies={"beam": beam},
        joints={"root": root(bodies=("ground", "beam"), point="A", **hinge)},
        gravity=(0.3, -0.5, -9.81),
    )
    slot = joints.Slot(bodies=("ground", "beam"), point="A", axis=(0.3, 0.5, -0.7))
    run, more = pm.simulate(made, **FINE), pm.simulate(made.replaced(joints={"slot": slot}), **FINE)
    assert more["B"] == pytest.approx(run["B"], abs=1e-11)
    assert more.acceleration("B") == pytest.approx(
        run.acceleration("B"), abs=1e-9 * np.abs(run.acceleration("B")).max()
    )
    for _, off, size, where, _ in compared(more, 3):
        assert off < 1e-9 * size, where


@BOTH
def test_a_ball_on_the_line_of_a_hinge_holds_nothing_more_behind_a_weld(simulate):
    axis, at = np.array([0.3, 0.5, -0.7]), np.array([0.276, 0.236, 0.219])
    made = Mechanism(
        bodies={"door": BLOCK, "lock": Body(mass=0.7, com=(0.5, 0.6, 0.1), inertia=(0.1, 0.12, 0.09))},
        joints={
            "hinge": joints.Revolute(bodies=("ground", "door"), point=tuple(at), axis=tuple(axis)),
            "weld": joints.Weld(bodies=("door", "lock"), point=(0.31, -0.17, 0.77)),
        },
        gravity=(0.3, -0.5, -9.81),
    )
    ball = joints.Spherical(bodies=("ground", "lock"), point=tuple(at + 0.37 * axis))
    run, more = (simulate(of, duration=0.1, samples=3, rtol=1e-10) for of in (made, made.replaced(joints={"b": ball})))
    assert np.abs(run.alpha("door")).max() > 0.1
    assert more.alpha("door") == pytest.approx(run.alpha("door"), rel=1e-6)
    assert np.isnan(more.reaction("b", "lock")).all()
    assert pm.check(made.replaced(joints={"b": ball})).dof == 1


@pytest.mark.parametrize("body", ["beam", "block"])
def test_a_rod_to_the_ball_of_a_leg_is_a_rod_to_the_ground(body):
    """The leg itself has no part in it, and its rows must not be taken for those that hold it."""
    swing = Body(mass=0.7, com=(0.5, 0.6, 0.1), inertia=(0.1, 0.12, 0.09))
    bends = [{"along": way, "shape": (0.0, 0.0, 1.0)} for way in "yz"]
    beam = Body(points=("A", "B"), density=1.0, EI=20.0, rotary=(4e-3,) * 3, modes=bends)
    made = Mechanism(
        points={"A": (0.9, 0.0, 0.1), "B": (1.5, 0.0, 0.1), "C": (0.5, 0.6, 0.4)},
        bodies={"swing": swing, body: beam if body == "beam" else BLOCK},
        joints={
            "O": joints.Universal(
                bodies=("ground", "swing"), point=(0.0, 0.3, 0.0), axes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
            ),
            "ball": joints.Spherical(bodies=("ground", body), point="A"),
            "rod": joints.Distance(bodies=(body, "swing"), points=((0.9, 0.0, 0.1), (0.5, 0.6, 0.4))),
        },
        gravity=(0.3, -0.5, -9.81),
        initial={"omega": {"swing": (0.0, 0.0, 0.0)}},
    )
    rod = joints.Distance(bodies=("ground", "swing"), points=("A", (0.5, 0.6, 0.4)))
    run, other = pm.simulate(made, **FINE), pm.simulate(made.replaced(joints={"rod": rod}), **FINE)
    assert np.abs(run.alpha("swing")).max() > 1.0 and run.closure.position.max() < 1e-12
    assert run.alpha("swing") == pytest.approx(other.alpha("swing"), abs=1e-9 * np.abs(run.alpha("swing")).max())
