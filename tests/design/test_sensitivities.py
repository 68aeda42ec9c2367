"""Derivatives against closed forms: periods, eigenvalues, angles of four-bars; of Andrews' mechanism by its energy."""

import json
import operator
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipe, ellipk

import particlemech as pm
from particlemech import view
from particlemech.design.frozen import Steps
from particlemech.errors import ModelError
from particlemech.model import toml
from tests.support import squeezer

G = 9.81
DOWN = {"down": pm.Event(lambda t, state: state["P"][0])}

# a uniform rod of length l and mass m let go at an angle of phi from the lowest place
SWINGING = """
format = 1
name = "Pendulum let go"
gravity = [0.0, -9.81]
[parameters]
l = { value = "800 mm", min = "100 mm", max = "800 mm" }
phi = "60 deg"
M = "2 kg"
[points]
O = [0.0, 0.0]
P = ["l * sin(phi)", "-l * cos(phi)"]
[bodies.rod]
points = ["O", "P"]
mass = "M"
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "rod"]
[run]
duration = 3.0
"""


def period(result):
    zeros = result.events["down"].t
    return 2.0 * (zeros[1] - zeros[0])


@pytest.fixture(scope="module")
def swinging():
    options = {"events": DOWN, "samples": 2}
    return pm.sensitivities(toml.loads(SWINGING), {"period": period}, ["l", "phi", "M"], order=4, options=options)


def exact_period(length, phi):
    k = np.sin(phi / 2.0) ** 2
    return 4.0 * np.sqrt(2.0 * length / (3.0 * G)) * ellipk(k)


def test_the_period_of_a_pendulum_is_that_of_the_elliptic_integral(swinging):
    assert swinging.values["period"] == pytest.approx(exact_period(0.8, np.pi / 3.0), rel=1e-11)


def test_it_grows_with_the_length_as_its_root_does(swinging):
    # seen: 2e-11; at the upper bound of the parameter, beyond which differences may look
    assert swinging["period", "l"] == pytest.approx(0.5 * exact_period(0.8, np.pi / 3.0) / 0.8, rel=1e-9)
    assert swinging.relative("period", "l") == pytest.approx(0.5, rel=1e-9)


def test_it_grows_with_the_amplitude_as_the_elliptic_integral_does(swinging):
    k = np.sin(np.pi / 6.0) ** 2
    slope = (ellipe(k) / (1.0 - k) - ellipk(k)) / (2.0 * k)  # of K by its parameter
    wanted = 4.0 * np.sqrt(2.0 * 0.8 / (3.0 * G)) * slope * 0.5 * np.sin(np.pi / 3.0)
    assert swinging["period", "phi"] == pytest.approx(wanted, rel=1e-9)


def test_it_does_not_depend_on_the_mass(swinging):
    assert abs(swinging["period", "M"]) < 1e-11


def test_errors_are_no_larger_than_stated(swinging):
    wanted = 0.5 * exact_period(0.8, np.pi / 3.0) / 0.8
    assert abs(swinging["period", "l"] - wanted) <= swinging.error("period", "l") < 1e-7
    assert abs(swinging["period", "M"]) <= swinging.error("period", "M")


def test_it_says_what_follows_a_length_and_what_is_held(swinging):
    assert swinging.held["l"] == (
        "points.P.0, points.P.1, inertia of rod follow; held: what else is in points, what else is in bodies, times of "
        "samples"
    )
    assert swinging.held["M"].startswith("bodies.rod.mass, inertia of rod follow; held: all points")


def test_it_costs_four_variants_for_each_parameter(swinging):
    assert swinging.variants == 12
    assert "frozen steps at rtol = 1e-11" in swinging.method
    assert "12 variants" in str(swinging)


def test_two_variants_for_each_are_good_for_seven_digits():
    found = pm.sensitivities(toml.loads(SWINGING), period, ["l", "phi"], options={"events": DOWN, "samples": 2})
    assert found.variants == 4
    wanted = 0.5 * exact_period(0.8, np.pi / 3.0) / 0.8
    assert abs(found["period", "l"] - wanted) <= found.error("period", "l") < 1e-7 * wanted  # seen: 5e-11


def test_runs_of_ida_give_differences_with_a_stated_error():
    found = pm.sensitivities(
        toml.loads(SWINGING), period, "l", options={"events": DOWN, "samples": 2, "integrator": "ida", "rtol": 1e-9}
    )
    wanted = 0.5 * exact_period(0.8, np.pi / 3.0) / 0.8
    assert 'integrator "ida" chooses its own steps' in found.method
    assert abs(found["period", "l"] - wanted) <= found.error("period", "l") < 1e-4 * wanted


def test_what_explicit_steps_cannot_do_is_done_by_whole_runs():
    """A stiff damper lets the rod creep: c phi' = m g l/2 cos, so it sinks by m g l/(2 c) per s while level."""
    text = (
        SWINGING.replace('"60 deg"', '"90 deg"')
        + """[forces]
oil = { type = "torsion", bodies = ["ground", "rod"], stiffness = 0.0, damping = 1e6 }
"""
    )
    found = pm.sensitivities(toml.loads(text), "rod.angle[-1]", "M", options={"duration": 0.5, "samples": 3})
    assert "whole runs at rtol = 1e-09 (forces are stiff" in found.method
    wanted = -0.5 * G * 0.4 / 1e6
    assert found["rod.angle[-1]", "M"] == pytest.approx(wanted, rel=1e-5)  # it sets out in 4e-7 s


# -- Andrews' squeezing mechanism, against its seven angles ----------------------------------------------------------

CRANK = "crank.angle[-1]"


def changed(quantity, key):
    """Return what adds a step to a number of the witness."""
    return lambda squeezer, step: operator.setitem(
        getattr(squeezer, quantity), key, getattr(squeezer, quantity)[key] + step
    )


BY_ENERGY = {
    "forces.motor.torque.value": lambda squeezer, step: setattr(squeezer, "torque", squeezer.torque + step),
    "forces.spring.stiffness": lambda squeezer, step: setattr(squeezer, "stiffness", squeezer.stiffness + step),
    "bodies.K7.mass": changed("mass", "K7"),
    "points.F.x": lambda squeezer, step: squeezer.at["F"].__setitem__(0, squeezer.at["F"][0] + step),
    "points.E.y": lambda squeezer, step: squeezer.at["E"].__setitem__(1, squeezer.at["E"][1] + step),
}


@pytest.mark.parametrize(("until", "digits"), [(0.015, 1e-9), (0.03, 1e-8)])
def test_the_squeezing_mechanism_turns_with_torque_masses_and_lengths_as_its_energy_says(until, digits):
    """Lengths: F drawn elsewhere makes crank and coupler longer, E five bodies; seen 1e-10 and 8e-10."""
    mechanism = pm.models.load("andrews_squeezer")
    options = {"duration": until, "samples": 2}
    found = pm.sensitivities(mechanism, CRANK, list(BY_ENERGY), order=4, options=options)
    cheap = pm.sensitivities(mechanism, CRANK, list(BY_ENERGY), options=options)
    assert found.variants == 2 * cheap.variants == 4 * len(BY_ENERGY)
    for path, change in BY_ENERGY.items():
        wanted = squeezer.slope(mechanism, until, change)
        assert found[CRANK, path] == pytest.approx(wanted, rel=digits)
        assert abs(found[CRANK, path] - wanted) <= found.error(CRANK, path) < 1e-7 * abs(wanted)
        assert abs(cheap[CRANK, path] - wanted) <= cheap.error(CRANK, path) < 2e-7 * abs(wanted)
        assert cheap[CRANK, path] == pytest.approx(wanted, rel=5e-8)  # seen: 4e-8


def test_the_witness_is_the_published_mechanism():
    rows = json.loads((Path(__file__).parents[1] / "data" / "andrews.json").read_text(encoding="utf-8"))["rows"]
    mechanism = pm.models.load("andrews_squeezer")
    assert squeezer.angle(mechanism, rows[-1][0]) == pytest.approx(rows[-1][1] - rows[0][1], abs=1e-11)


def test_curves_have_derivatives_at_each_sample():
    mechanism = toml.loads(SWINGING)
    found = pm.sensitivities(mechanism, "rod.angle", "phi", options={"duration": 1.0, "samples": 5})
    assert found["rod.angle", "phi"].shape == (5,)

    def slopes(t, y):  # the angle from the lowest place and its derivative by phi
        w = 1.5 * G / 0.8
        return [y[1], -w * np.sin(y[0]), y[3], -w * np.cos(y[0]) * y[2]]

    way = solve_ivp(slopes, (0.0, 1.0), [np.pi / 3, 0.0, 1.0, 0.0], rtol=1e-12, atol=1e-13, t_eval=np.linspace(0, 1, 5))
    # the angle of a result counts from the drawing, which turns with phi
    assert found["rod.angle", "phi"] == pytest.approx(way.y[2] - 1.0, abs=1e-8)


def test_efforts_and_reactions_have_derivatives():
    """A pendulum that is turned steadily: the motor holds m g l/2 sin, the pin l/2 w^2 m and the weight."""
    text = SWINGING + '[parameters.w]\nvalue = "3 rad/s"\n[drivers]\nmotor = { joint = "O", motion = "w * t" }\n'
    mechanism = toml.loads(text)
    found = pm.sensitivities(
        mechanism, ["motor.effort", "O.rod.fx", "O.rod.fy"], ["l", "M", "w"], options={"duration": 0.5, "samples": 3}
    )
    t = np.array([0.0, 0.25, 0.5])
    at, arm = np.pi / 3 + 3.0 * t, 0.4
    assert found["motor.effort", "l"] == pytest.approx(2.0 * G * 0.5 * np.sin(at), abs=1e-8)
    assert found["motor.effort", "M"] == pytest.approx(G * arm * np.sin(at), abs=1e-8)
    assert found["motor.effort", "w"] == pytest.approx(2.0 * G * arm * np.cos(at) * t, abs=1e-8)
    assert found["O.rod.fx", "w"] == pytest.approx(
        -4.0 * arm * 3.0 * np.sin(at) - 2.0 * arm * 9.0 * np.cos(at) * t, abs=1e-7
    )
    assert found["O.rod.fy", "M"] == pytest.approx(G + arm * 9.0 * np.cos(at), abs=1e-8)


# -- steps that move with what is asked for --------------------------------------------------------------------------

# a wheel about its own centre: J0 = m l^2/12 + ..., said by its key
WHEEL = """
format = 1
name = "Wheel"
gravity = [0.0, 0.0]
[parameters]
tau = "0.37 s"
J0 = "0.2 kg*m^2"
[points]
O = [0.0, 0.0]
W = [0.3, 0.0]
[bodies.wheel]
points = ["O", "W"]
mass = 1.0
com = [0.0, 0.0]
inertia = "J0"
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "wheel"]
[run]
duration = 1.0
samples = 6
"""


def test_a_jump_that_comes_later_takes_the_steps_beside_it_along():
    """A torque of 3 N m begins at tau: the angle is T (t - tau)^2/(2 J0) from there on."""
    text = (
        WHEEL
        + """[forces.push]
type = "torque"
bodies = ["ground", "wheel"]
torque = { type = "step", after = 3.0, time = "tau" }
"""
    )
    found = pm.sensitivities(toml.loads(text), ["wheel.angle[-1]", "wheel.angle"], ["tau", "J0"])
    assert found["wheel.angle[-1]", "tau"] == pytest.approx(-3.0 * 0.63 / 0.2, rel=1e-9)
    assert found["wheel.angle[-1]", "J0"] == pytest.approx(-0.5 * 3.0 * 0.63**2 / 0.2**2, rel=1e-9)
    wanted = [-3.0 * max(0.0, t - 0.37) / 0.2 for t in np.linspace(0.0, 1.0, 6)]
    assert found["wheel.angle", "tau"] == pytest.approx(wanted, abs=1e-8)


def test_an_impulse_that_comes_later_does_so_too():
    """A blow of 0.5 N s at 0.3 m, at tau: from there on the wheel turns with 0.15/J0."""
    text = (
        WHEEL
        + """[impulses.blow]
body = "wheel"
point = "W"
impulse = [0.0, 0.5]
time = "tau"
"""
    )
    found = pm.sensitivities(toml.loads(text), "wheel.angle[-1]", ["tau", "J0"])
    assert found["wheel.angle[-1]", "tau"] == pytest.approx(-0.15 / 0.2, rel=1e-9)
    assert found["wheel.angle[-1]", "J0"] == pytest.approx(-0.15 * 0.63 / 0.2**2, rel=1e-9)


def test_an_end_by_an_event_moves_with_the_length():
    """A quarter of the period."""
    ends = {"down": pm.Event(lambda t, state: state["P"][0], terminal=True)}
    found = pm.sensitivities(toml.loads(SWINGING), "duration", ["l", "phi"], options={"events": ends, "samples": 4})
    assert found.values["duration"] == pytest.approx(0.25 * exact_period(0.8, np.pi / 3.0), rel=1e-10)
    assert found["duration", "l"] == pytest.approx(0.125 * exact_period(0.8, np.pi / 3.0) / 0.8, rel=1e-9)


def test_the_same_mechanism_goes_the_same_way_on_frozen_steps():
    mechanism = pm.models.load("double_pendulum")
    steps = Steps(mechanism, {"duration": 1.0, "samples": 11, "rtol": 1e-10}, None)
    again = steps.run(mechanism)
    for body in mechanism.bodies:
        assert again.angle(body) == pytest.approx(steps.result.angle(body), abs=1e-12)
    free = pm.simulate(mechanism, duration=1.0, samples=11, rtol=1e-10)
    assert steps.count == free.stats["steps"]


# -- cycles, modes, rest positions -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rocker():
    linkage = pm.models.load("four_bar")
    wanted = ["transmission.min", "C.angle.range", "C.angle[20]", "crank.omega.max"]
    return pm.sensitivities(
        linkage, wanted, ["crank", "coupler", "rocker"], what="cycle", options={"driver": "O", "samples": 73}
    )


def test_the_least_transmission_angle_changes_with_the_lengths_as_the_cosine_law_says(rocker):
    a, b, c, d = 0.1, np.sqrt(0.13), 0.3, 0.3
    cosine = (b * b + c * c - (d - a) ** 2) / (2.0 * b * c)
    sine = np.sqrt(1.0 - cosine**2)
    wanted = {"crank": -(d - a) / (b * c) / sine, "coupler": -(1 / c - cosine / b) / sine, "rocker": 0.0}
    for name, value in wanted.items():
        assert rocker["transmission.min", name] == pytest.approx(value, rel=1e-7, abs=1e-7)


def test_the_swing_of_a_rocker_changes_with_the_lengths_as_its_dead_centres_say(rocker):
    a, b, c, d = 0.1, np.sqrt(0.13), 0.3, 0.3

    def swing(a, b, c):
        far, near = (np.arccos((c * c + d * d - s * s) / (2.0 * c * d)) for s in (b + a, b - a))
        return far - near

    for k, name in enumerate(("crank", "coupler", "rocker")):
        at = np.array([a, b, c], dtype=complex)
        at[k] += 1e-30j  # complex step: exact
        found = swing_complex(*at, d)
        assert rocker["C.angle.range", name] == pytest.approx(found, rel=1e-7)
    assert rocker.values["C.angle.range"] == pytest.approx(swing(a, b, c), rel=1e-8)


def swing_complex(a, b, c, d):
    far, near = (np.arccos((c * c + d * d - s * s) / (2.0 * c * d)) for s in (b + a, b - a))
    return (far - near).imag / 1e-30


def test_what_does_not_change_has_no_derivative(rocker):
    assert abs(rocker["crank.omega.max", "coupler"]) < 1e-9  # of 1 rad/s


def test_an_eigenvalue_changes_with_stiffness_and_mass_as_its_closed_form_does():
    """A rod that hangs, held by a torsion spring: w^2 = (k + m g l/2)/(m l^2/3)."""
    text = SWINGING.replace('"60 deg"', '"0 deg"') + '[parameters.k]\nvalue = "5 Nm/rad"\n'
    text += '[forces]\nspring = { type = "torsion", bodies = ["ground", "rod"], stiffness = "k" }\n'
    found = pm.sensitivities(toml.loads(text), "modes.omega[0]", ["k", "M", "l"])
    k, m, l = 5.0, 2.0, 0.8
    J, K = m * l * l / 3.0, k + 0.5 * m * G * l
    w = np.sqrt(K / J)
    assert found.values["modes.omega[0]"] == pytest.approx(w, rel=1e-9)
    assert found["modes.omega[0]", "k"] == pytest.approx(1.0 / (2.0 * J * w), rel=1e-7)
    assert found["modes.omega[0]", "M"] == pytest.approx((0.5 * G * l - K / m) / (2.0 * J * w), rel=1e-7)
    assert found["modes.omega[0]", "l"] == pytest.approx((0.5 * m * G - 2.0 * K / l) / (2.0 * J * w), rel=1e-7)


def test_a_rest_position_changes_with_a_load_as_statics_says():
    """A rod pushed sideways at its end: tan = 2 F/(m g)."""
    text = SWINGING.replace('"60 deg"', '"10 deg"') + '[parameters.F]\nvalue = "4 N"\n'
    text += '[forces]\npush = { type = "load", point = "P", body = "rod", force = ["F", 0.0] }\n'
    found = pm.sensitivities(toml.loads(text), "equilibrium.P.x", ["F", "M"])
    tangent = 2.0 * 4.0 / (2.0 * G)
    slope = 0.8 / (1.0 + tangent**2) ** 1.5  # of l sin by tan
    assert found["equilibrium.P.x", "F"] == pytest.approx(slope * 2.0 / (2.0 * G), rel=1e-7)
    assert found["equilibrium.P.x", "M"] == pytest.approx(-slope * tangent / 2.0, rel=1e-7)


def test_a_tree_in_space_runs_on_frozen_steps_too():
    """A top's precession by its spin, against a run each side to 1e-12."""
    top = pm.models.load("gyroscope")
    (name,) = list(top.bodies)[:1]
    path = f"bodies.{name}.mass"
    point = list(top.points)[-1]
    found = pm.sensitivities(top, f"{point}.z[-1]", path, options={"duration": 0.3, "samples": 3})
    assert "frozen" in found.method
    m, h = top.bodies[name].mass, 1e-3
    ends = [
        pm.simulate(top.replaced(bodies={name: {"mass": m * (1 + e)}}), duration=0.3, samples=3, rtol=1e-12)[point][
            -1, 2
        ]
        for e in (-2 * h, -h, h, 2 * h)
    ]
    wanted = (8.0 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12.0 * h * m)
    assert found[f"{point}.z[-1]", path] == pytest.approx(wanted, rel=1e-7)


# -- what cannot be done is said in one line -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quantities", "parameters", "said"),
    [
        ("rod.angle.max", "L", 'parameter "L": unknown (known: l, phi, M); or write a path'),
        ("rod.angle.max", "bodies.rot.mass", 'bodies has no "rot" (did you mean "rod"?)'),
        ("rod.angle.max", "bodies.rod.points", "is no number"),
        ("rod.angle.max", "points.P.q", "points.P has 2 numbers; write .x, .y"),
        ("rod.angle.max", [], "parameters are names of numbers"),
        ("rod.angel.max", "l", 'quantity "rod.angel" unknown'),
        (3.0, "l", "a quantity is a text"),
        (["rod.angle.max", "rod.angle.max"], "l", "asked for twice"),
        ("rod.angle.max", ["l", "l"], "named twice"),
    ],
)
def test_wrong_names_are_told(quantities, parameters, said):
    with pytest.raises(ModelError) as error:
        pm.sensitivities(toml.loads(SWINGING), quantities, parameters, options={"duration": 0.1, "samples": 3})
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"what": "walk"}, "what 'walk' unknown (known: run, cycle"),
        ({"order": 3}, "order must be 2"),
        ({"options": {"driver": "O"}}, 'option "driver" does not apply to runs'),
    ],
)
def test_wrong_options_are_told(options, said):
    with pytest.raises(ModelError, match=r"sensitivities|order") as error:
        pm.sensitivities(toml.loads(SWINGING), "rod.angle.max", "l", **options)
    assert said in str(error.value)


def test_a_mechanism_that_cannot_be_changed_both_ways_says_why():
    """Nearly in one line, coupler and rocker do not meet where the crank is shorter."""
    stretched = pm.models.load("four_bar").replaced(
        parameters={"coupler": {"value": float(np.hypot(0.3, 0.1)) + 0.3 - 1e-12, "max": None}}
    )
    turn = {"driver": "O", "samples": 5, "range": (0.0, 0.1)}
    with pytest.raises(ModelError, match=r'sensitivities: parameter "crank": point "B"'):
        pm.sensitivities(stretched, "B.x", "crank", what="cycle", options=turn)


# -- root loci -------------------------------------------------------------------------------------------------------

UPRIGHT = (
    SWINGING.replace('"60 deg"', '"180 deg"')
    + """
[parameters.k]
value = "10 Nm/rad"
[parameters.c]
value = "0.4 Nm*s/rad"
[forces]
spring = { type = "torsion", bodies = ["ground", "rod"], stiffness = "k", damping = "c" }
"""
)


def test_a_root_locus_has_the_roots_of_the_closed_form():
    values = np.linspace(1.0, 20.0, 20)
    found = pm.root_locus(toml.loads(UPRIGHT), "k", values)
    J, gone = 2.0 * 0.8**2 / 3.0, 0.5 * 2.0 * G * 0.8
    for value, each in zip(values, found.eigenvalues, strict=True):
        wanted = np.roots([J, 0.4, value - gone])
        assert np.sort_complex(each) == pytest.approx(np.sort_complex(wanted), rel=1e-7)


def test_stability_is_won_where_the_spring_outweighs_the_weight():
    found = pm.root_locus(toml.loads(UPRIGHT), "k", np.linspace(1.0, 20.0, 20))
    (one,) = found.crossings
    assert one.value == pytest.approx(0.5 * 2.0 * G * 0.8, rel=1e-7)
    assert one.stable and abs(one.eigenvalue) < 1e-6
    assert "stable beyond 7.848" in str(found)


def test_courses_do_not_jump_where_frequencies_cross():
    """Roots over the damper lie on a circle until they meet: each stays on its half of it."""
    text = UPRIGHT.replace('"10 Nm/rad"', '"30 Nm/rad"')
    found = pm.root_locus(toml.loads(text), "c", np.linspace(0.1, 5.0, 40))
    size = np.abs(found.eigenvalues)
    J = 2.0 * 0.8**2 / 3.0
    assert size == pytest.approx(np.full(size.shape, np.sqrt((30.0 - 0.5 * 2.0 * G * 0.8) / J)), rel=1e-7)
    assert len(set(np.sign(found.frequency[:, 0]))) == 1


def test_a_root_locus_is_drawn(tmp_path):
    found = pm.root_locus(toml.loads(UPRIGHT), "k", np.linspace(1.0, 20.0, 39))
    view.display(view.locus(found), tmp_path / "locus.png")
    assert (tmp_path / "locus.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("parameter", "values", "said"),
    [
        ("k", None, "has no min and max; give values"),
        ("k", [1.0], "at least two finite numbers"),
        ("k", [1.0, 3.0, 2.0], "that grow or fall"),
        (["k"], [1.0, 2.0], "the name of one number"),
        ("l", [0.5, 2.0], "goes from 0.1 to 0.8"),
    ],
)
def test_wrong_values_of_a_locus_are_told(parameter, values, said):
    with pytest.raises(ModelError) as error:
        pm.root_locus(toml.loads(UPRIGHT), parameter, values)
    assert said in str(error.value)


def test_what_stops_or_acts_at_times_of_its_own_is_run_whole():
    door = pm.models.load("door_closer")
    found = str(pm.sensitivities(door, "door.angle.last", ["preload"]))
    assert "whole runs" in found and "stops, contacts and events act at times of their own" in found
