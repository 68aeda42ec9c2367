"""Bending chains in motion: rigid limits, energy, momentum, forces in joints, controllers."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.signals import Cycloid, Linear
from particlemech.model.space import Body, Mechanism, forces, joints
from tests.support.flexible_chains import CUBICS, MODES, bent_chain

STATES = ("fixed", "translates", "free")
G = (0.0, 0.0, -9.81)
IN_PLANE = [{"along": "y", "shape": shape} for shape in CUBICS]
HUB = {"type": "revolute", "joint": "hub", "name": "beam", "end": (1.0, 0.0, 0.0)}


def rods(bending):
    """Return three uniform links on two hinges and a slider; keys of bodies that bend, or none."""
    rows = []
    for i, kind in enumerate(("revolute", "prismatic", "revolute")):
        mass, theta = 1.0 + i, (0.2, -0.4, 0.1)[i]
        own = {"mass": mass, "com": (0.4, 0, 0), "inertia": (0.008, mass * 0.64 / 12.0, mass * 0.64 / 12.0)}
        if bending:
            own = {"density": mass / 0.8, "rotary": (0.01, 0.0, 0.0), "modes": MODES} | bending
        rows.append({"end": (0.8, 0.0, 0.0), "alpha": 0.5 + i, "theta": theta, "type": kind, "joint": f"j{i}"} | own)
    start = {"position": {"j0": 0.3, "j1": 0.1, "j2": -0.5}, "rate": {"j0": 0.5, "j1": -0.2, "j2": 1.5}}
    return from_link_table(rows, "report", gravity=G, initial=start)


def test_stiff_links_move_as_rigid_ones():
    rigid = pm.simulate(rods({}), duration=0.2, samples=11, rtol=1e-10, integrator="explicit")
    gaps = []
    for EI in (1e5, 1e6):
        stiff = pm.simulate(rods({"EI": EI, "GJ": EI}), duration=0.2, samples=11, rtol=1e-8, integrator="ida")
        gaps.append(max(np.abs(stiff.coordinate(n) - rigid.coordinate(n)).max() for n in ("j0", "j1", "j2")))
    assert gaps[1] < 1e-5  # seen: 4e-6
    assert gaps[1] < 0.2 * gaps[0]  # the gap goes with 1/EI


# -- what is kept ----------------------------------------------------------------------------------------------------


def test_energy_is_kept_over_a_hundred_periods_of_the_lowest_mode():
    beam = {
        "type": "weld", "end": (1.0, 0.0, 0.0), "density": 1.0, "rotary": (0.01, 0, 0), "EI": 4.0, "GJ": 4.0,
        "modes": MODES,
    }  # fmt: skip
    start = {"modes": {"link1": (0.05, 0.01, 0.03, 0.0, 0.1), "link2": (0.02, 0.0, 0.05, 0.01, 0.05)}}
    two = from_link_table([beam, beam | {"alpha": 0.3, "theta": 1.0}], "report", initial=start)
    result = pm.simulate(two, duration=100.0 / pm.modes(two).frequency[0], samples=201, rtol=1e-8)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale  # seen: 4e-7
    assert result.energy.work[-1] == 0.0


@pytest.mark.parametrize("stiffening", [True, False], ids=["stiffening", "as published"])
def test_momentum_of_a_free_chain_is_kept(stiffening):
    of = bent_chain(np.random.default_rng(2), "free", stiffening=stiffening, gravity=(0, 0, 0), loads=False)
    result = pm.simulate(of, duration=1.0, samples=51, rtol=1e-11)
    for momentum in (result.momentum.linear, result.momentum.angular):
        assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum).max()


@pytest.mark.parametrize("motion", STATES)
@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_work_of_loads_drivers_and_dampers_is_the_change_of_energy(motion, integrator):
    of = bent_chain(np.random.default_rng(4), motion, driven=1)
    result = pm.simulate(of, duration=0.5, samples=26, rtol=1e-10, integrator=integrator)
    error = np.abs(result.energy.error).max()
    assert error < 1e-7 * result.energy.scale
    assert error < 1e-6 * np.abs(result.energy.work).max()  # what is booked is not small beside what is lost


def test_both_integrators_lead_to_the_same_place():
    of = bent_chain(np.random.default_rng(6), "free")
    ways = {"explicit": 1e-11, "ida": 1e-10}
    runs = [pm.simulate(of, duration=0.3, samples=7, rtol=rtol, integrator=way) for way, rtol in ways.items()]
    assert np.abs(runs[0]["tip"] - runs[1]["tip"]).max() < 1e-8


def test_velocities_and_accelerations_are_derivatives():
    of = bent_chain(np.random.default_rng(7), "free")
    result = pm.simulate(of, duration=0.004, samples=41, rtol=1e-12, integrator="explicit")
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


def turned(motion):
    """Return a beam whose root follows a motion."""
    row = HUB | {"mass": 3.0, "EI": 1e3, "modes": IN_PLANE}
    return from_link_table([row], "report", drivers={"motor": {"joint": "hub", "motion": motion}})


def test_a_driver_needs_what_turning_a_beam_needs():
    result = pm.simulate(turned(Cycloid(end=1.0, duration=1.0)), duration=1.0, samples=51, rtol=1e-10)
    assert np.abs(result.energy.error).max() < 1e-8 * result.energy.scale
    spun = turned(Linear(rate=2.0)).replaced(initial={"mode_rates": {"beam": (0.0, 0.0)}})
    steady = pm.simulate(spun, duration=0.2, samples=5, rtol=1e-9)
    assert np.abs(steady.effort("motor")).max() < 1e-9
    # a stretched beam pulls at its hub with m omega^2 L/2
    assert steady.reaction("hub", "beam")[0, 0] == pytest.approx(-3.0 * 4.0 * 0.5, rel=1e-9)


def disc(force=None, start=None, **keys):
    """Return a disc on a hinge, its inertia about which is 2."""
    pin = joints.Revolute(bodies=("ground", "disc"), point=(0, 0, 0), axis=(0, 0, 1), **keys)
    body = Body(mass=1.0, com=(0, 0, 0), inertia=(1.0, 1.0, 2.0))
    acting = {} if force is None else {"pd": forces.Custom(joint="pin", function=force)}
    return Mechanism(bodies={"disc": body}, joints={"pin": pin}, forces=acting, initial=start or {})


def test_a_flexible_joint_with_a_rotor_swings_as_two_discs_on_a_shaft():
    shaft = disc(start={"deflection": {"pin": 0.1}}, drive={"stiffness": 50.0, "rotor": 0.5})
    result = pm.simulate(shaft, duration=1.0, samples=51, rtol=1e-10)
    omega = math.sqrt(50.0 * (1.0 / 2.0 + 1.0 / 0.5))
    assert result.deflection("pin") == pytest.approx(0.1 * np.cos(omega * result.t), abs=1e-8)
    assert result.coordinate("pin") == pytest.approx(0.08 * (1.0 - np.cos(omega * result.t)), abs=1e-8)


# -- controllers -----------------------------------------------------------------------------------------------------


def test_a_controller_is_a_spring_and_damper_where_its_law_says_so():
    held = disc(lambda t, s: -8.0 * s.coordinate("pin") - 0.8 * s.rate("pin"), {"position": {"pin": 0.4}})
    result = pm.simulate(held, duration=2.0, samples=41, rtol=1e-9)
    zeta, omega = 0.8 / (2.0 * math.sqrt(16.0)), 2.0
    own = omega * math.sqrt(1.0 - zeta**2)
    decay = np.exp(-zeta * omega * result.t)
    exact = 0.4 * decay * (np.cos(own * result.t) + zeta * omega / own * np.sin(own * result.t))
    assert result.coordinate("pin") == pytest.approx(exact, abs=2e-8)
    assert result.force("pd")[0] == pytest.approx(-3.2)
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


def test_a_controller_that_gives_no_number_is_named():
    with pytest.raises(ModelError, match='force "pd": its function must return a number, the effort, got None'):
        pm.simulate(disc(lambda t, s: None), duration=1.0, samples=3)
    result = pm.simulate(disc(lambda t, s: math.nan if t > 0.1 else 0.0), duration=1.0, samples=3, throw=False)
    assert 'force "pd"' in result.message


def test_a_motion_without_inertia_is_named_at_the_start():
    row = {"end": (1.0, 0.0, 0.0), "type": "revolute"}
    two = from_link_table([row | {"joint": "one"}, row | {"joint": "two", "mass": 0.0}], "report")
    with pytest.raises(ModelError, match=r'joint "(one|two)": nothing resists its angle'):
        pm.simulate(two)
