"""Flexible chains in motion: rigid limits against trees, energy, momentum, forces in joints, controllers."""

import math
from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses.vibration.bending import modes, static
from particlemech.engine.bending.equations import system
from particlemech.engine.bending.links import DRIVEN, FIXED, FLOATS, FREE, PRISMATIC, TRANSLATES
from particlemech.engine.bending.start import check_inertia, prepared, start_state
from particlemech.errors import ModelError
from particlemech.model.signals import Constant, Cycloid, Linear
from tests.support.flexible_chains import (
    TWIST,
    X2,
    X23,
    Beam,
    as_tree,
    base,
    bent_chain,
    chain,
    joint,
    legendre_bending,
    moved,
    rigid,
    tip,
    tip_load,
)

STATES = {"fixed": FIXED, "translates": TRANSLATES, "free": FLOATS}
G = (0.0, 0.0, -9.81)


def rods(state, EI=None, gravity=G):
    """Return three links on two hinges and a slider: rigid, or uniform beams that can bend where EI is given."""
    links = []
    for i in range(3):
        if EI is None:
            inertia = np.diag([0.3, 0.4, 0.45]) + 0.01 * (i + 1) * np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
            links.append(rigid((0.8, 0.1 * i, 0.2), 0.5 + i, 1.0 + i, (0.3, 0.1, -0.05 * i), inertia, about="com"))
        else:
            beam = Beam(0.8, 1.0 + i, EI, EI, y=(X2, X23), z=(X2, X23), twist=(TWIST,), rotary=0.01)
            links.append(beam.link(alpha=0.5 + i, points=6))
    joints = [
        joint("one", FREE, 0.2, position=0.3, rate=0.5),
        joint("two", FREE, -0.4, PRISMATIC, position=0.1, rate=-0.2),
        joint("three", FREE, 0.1, position=-0.5, rate=1.5),
    ]
    ground = base(
        state, 4.0, (0.1, 0, 0), np.diag([0.5, 0.6, 0.7]), (0.3, 0, 0), 0.7, (0.1, -0.2, 0.3), (0.4, 0.2, -0.3)
    )
    return chain(ground, links, joints, gravity=gravity)


@pytest.mark.parametrize("state", [FIXED, FLOATS], ids=["fixed", "free"])
def test_rigid_links_move_as_a_tree_of_bodies(state):
    of = rods(state)
    ours = moved(of, 1.0, 21, 1e-12)
    theirs = pm.simulate(as_tree(of), duration=1.0, samples=21, rtol=1e-12, integrator="explicit")
    for name, is_slider in (("one", False), ("two", True), ("three", False)):
        assert np.abs(ours.coordinate(name) - theirs.coordinate(name)).max() < 1e-9
        assert np.abs(ours.second_rate(name) - theirs.second_rate(name)).max() < 1e-9 * 300.0
        child = theirs.mechanism.joints[name].second
        size = np.abs(theirs.reaction(name, child)).max()
        assert np.abs(ours.reaction(name, child) - theirs.reaction(name, child)).max() < 1e-9 * size
        # the point of a tree's joint is on the child, as the origin of a link is
        size = np.abs(theirs.moment(name, child)).max()
        assert np.abs(ours.moment(name, child) - theirs.moment(name, child)).max() < 1e-9 * size, is_slider
    assert np.abs(ours.kinetic - theirs.kinetic).max() < 1e-9 * ours.kinetic.max()
    assert np.abs(ours.momentum.angular - theirs.momentum.angular).max() < 1e-9 * np.abs(ours.momentum.angular).max()


def test_stiff_links_move_as_rigid_ones():
    gaps = []
    for EI in (1e5, 1e6):
        of = rods(FIXED, EI)
        ours = moved(of, 0.2, 11, 1e-8, "ida")
        theirs = pm.simulate(as_tree(of), duration=0.2, samples=11, rtol=1e-10, integrator="explicit")
        gaps.append(max(np.abs(ours.coordinate(n) - theirs.coordinate(n)).max() for n in ("one", "two", "three")))
    assert gaps[1] < 1e-5  # seen: 4e-6
    assert gaps[1] < 0.2 * gaps[0]  # the gap goes with 1/EI


# -- what is kept ----------------------------------------------------------------------------------------------------


def test_energy_is_kept_over_a_hundred_periods_of_the_lowest_mode():
    beam = Beam(1.0, 1.0, 4.0, 4.0, y=(X2, X23), z=(X2, X23), twist=(TWIST,), rotary=0.01)
    one = replace(beam.link(points=6), q=np.array([0.05, 0.01, 0.03, 0.0, 0.1]))
    two = replace(beam.link(alpha=0.3, points=6), q=np.array([0.02, 0.0, 0.05, 0.01, 0.05]))
    of = chain(base(), [one, two], [joint("root"), joint("elbow", position=1.0)])
    lowest = modes(of).frequency[0]
    result = moved(of, 100.0 / lowest, 201, 1e-8)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale  # seen: 4e-7
    assert result.energy.work[-1] == 0.0


@pytest.mark.parametrize("stiffening", [True, False], ids=["stiffening", "as published"])
def test_momentum_of_a_free_chain_is_kept(stiffening):
    of = bent_chain(np.random.default_rng(2), FLOATS, stiffening=stiffening, gravity=(0, 0, 0), loads=False)
    result = moved(of, 1.0, 51, 1e-11)
    for momentum in (result.momentum.linear, result.momentum.angular):
        assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum).max()
    centre = result.centre - result.centre[0]
    path = result.t[:, None] * result.momentum.linear[0] / result.system.scale.mass
    assert np.abs(centre - path).max() < 1e-9


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("road", ["explicit", "ida"])
def test_work_of_loads_drivers_and_dampers_is_the_change_of_energy(state, road):
    result = moved(bent_chain(np.random.default_rng(4), state, driven=1), 0.5, 26, 1e-10, road)
    error = np.abs(result.energy.error).max()
    assert error < 1e-7 * result.energy.scale
    assert error < 1e-6 * np.abs(result.energy.work).max()  # what is booked is not small beside what is lost


def test_both_roads_lead_to_the_same_place():
    of = bent_chain(np.random.default_rng(6), FLOATS)
    one, two = moved(of, 0.3, 7, 1e-11), moved(of, 0.3, 7, 1e-10, "ida")
    assert np.abs(one["tip"] - two["tip"]).max() < 1e-8


def test_velocities_and_accelerations_are_derivatives():
    result = moved(bent_chain(np.random.default_rng(7), FLOATS), 0.004, 41, 1e-12)
    h = result.t[1]

    def rate(values):
        return (8.0 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12.0 * h)

    pairs = [
        (result["tip"], result.velocity("tip")),
        (result.velocity("tip"), result.acceleration("tip")),
        (result.section_omega("tip"), result.section_alpha("tip")),
        (result.omega("link3"), result.alpha("link3")),
        (result.com("link3"), result.com_velocity("link3")),
        (result.com_velocity("link3"), result.com_acceleration("link3")),
        (result.modal_rate("link2"), result.modal_second_rate("link2")),
    ]
    for values, rates in pairs:
        assert np.abs(rate(values) - rates[2:-2]).max() < 1e-6 * np.abs(rates).max()
    turning = rate(result.section("tip").reshape(-1, 9)).reshape(-1, 3, 3) @ np.swapaxes(
        result.section("tip")[2:-2], 1, 2
    )
    omega = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    assert np.abs(omega - result.section_omega("tip")[2:-2]).max() < 1e-6 * np.abs(omega).max()


# -- forces ----------------------------------------------------------------------------------------------------------


def test_a_wall_holds_weight_and_moment_of_a_heavy_beam():
    beam = Beam(2.0, 3.0, 1e4, y=legendre_bending(4), z=legendre_bending(4))
    seen_by = system(chain(base(), [beam.link(points=8)], [joint("root")], gravity=G))
    y = start_state(seen_by)
    from particlemech.analyses.vibration.linear import settled

    seen = seen_by.observed(np.zeros(1), settled(seen_by, 0.0, y)[None])
    assert seen.transmitted("root", "link1").force[0] == pytest.approx([0.0, 0.0, 3.0 * 9.81], abs=1e-9)
    assert seen.transmitted("root", "link1").moment[0] == pytest.approx([0.0, -3.0 * 9.81, 0.0], rel=1e-5, abs=1e-6)
    assert seen.base.force[0, 2] == pytest.approx(-3.0 * 9.81)
    assert seen.potentials.strain[0] > 0.0


def test_a_following_force_turns_with_its_section_and_a_fixed_one_does_not():
    beam = Beam(1.0, 1.0, 1.0, y=legendre_bending(6))
    push = (Constant(value=0.0), Constant(value=1.0), Constant(value=0.0))
    ends = []
    for follows in (False, True):
        of = chain(base(), [beam.link()], [joint("root")], [tip_load(beam, 0, push, follows=follows)], [tip(beam, 0)])
        seen = static(of)
        made = system(of)
        slope = math.atan2(seen.section("tip")[0, 1, 0], seen.section("tip")[0, 0, 0])
        y = np.concatenate([seen.modal("link1")[0], np.zeros(made.n_v + 1)])
        force = made.observed(np.zeros(1), y[None]).transmitted("root", "link1").force[0]
        ends.append((slope, force))
    assert ends[0][1] == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
    slope, force = ends[1]
    assert slope > 0.3
    assert force == pytest.approx([math.sin(slope), -math.cos(slope), 0.0], abs=1e-6)


def test_a_driver_needs_what_turning_a_beam_needs():
    beam = Beam(1.0, 3.0, 1e3, y=(X2, X23))
    motion = Cycloid(end=1.0, duration=1.0)
    of = chain(base(), [beam.link()], [joint("hub", DRIVEN, motion=motion, driver="motor")])
    result = moved(of, 1.0, 51, 1e-10)
    assert np.abs(result.energy.error).max() < 1e-8 * result.energy.scale
    steady = moved(
        chain(base(), [beam.link()], [joint("hub", DRIVEN, motion=Linear(rate=2.0), driver="motor")]), 0.2, 5
    )
    assert np.abs(steady.effort("motor")).max() < 1e-9
    # a stretched beam pulls at its hub with m omega^2 L/2
    assert steady.reaction("hub", "link1")[0, 0] == pytest.approx(-3.0 * 4.0 * 0.5, rel=1e-9)


def test_a_flexible_joint_with_a_rotor_swings_as_two_discs_on_a_shaft():
    disc = rigid(mass=1.0, inertia=np.diag([1.0, 1.0, 2.0]))
    shaft = joint("shaft", FREE, flexible=True, stiffness=50.0, rotor=0.5, deflection=0.1)
    result = moved(chain(base(), [disc], [shaft]), 1.0, 51, 1e-10)
    omega = math.sqrt(50.0 * (1.0 / 2.0 + 1.0 / 0.5))
    assert result.deflection("shaft") == pytest.approx(0.1 * np.cos(omega * result.t), abs=1e-8)
    assert result.coordinate("shaft") == pytest.approx(0.08 * (1.0 - np.cos(omega * result.t)), abs=1e-8)


# -- controllers -----------------------------------------------------------------------------------------------------


def controlled(law):
    """Return a disc on a free joint with a controller."""
    disc = rigid(mass=1.0, inertia=np.diag([1.0, 1.0, 2.0]))
    return chain(base(), [disc], [joint("pin", FREE, position=0.4, controllers=(("pd", law),))])


def test_a_controller_is_a_spring_and_damper_where_its_law_says_so():
    result = moved(controlled(lambda t, s: -8.0 * s.coordinate("pin") - 0.8 * s.rate("pin")), 2.0, 41, 1e-9, "ida")
    zeta, omega = 0.8 / (2.0 * math.sqrt(16.0)), 2.0
    own = omega * math.sqrt(1.0 - zeta**2)
    decay = np.exp(-zeta * omega * result.t)
    exact = 0.4 * decay * (np.cos(own * result.t) + zeta * omega / own * np.sin(own * result.t))
    assert result.coordinate("pin") == pytest.approx(exact, abs=2e-8)
    assert result.motor("pin")[0] == pytest.approx(-3.2)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


def test_a_controller_that_gives_no_number_is_named():
    with pytest.raises(ModelError, match='controller "pd" gave None'):
        moved(controlled(lambda t, s: None), 1.0, 3, road="ida")
    result = moved(controlled(lambda t, s: math.nan if t > 0.1 else 0.0), 1.0, 3, road="ida")
    assert 'controller "pd"' in result.message


def test_a_motion_without_inertia_is_named_at_the_start():
    of = chain(base(), [rigid(), rigid(mass=1.0)], [joint("one", FREE), joint("two", FREE)])
    made, begin = prepared(system(of), 1.0)
    with pytest.raises(ModelError, match=r'"(one|two).angle" meets no inertia'):
        check_inertia(made, begin.q)
