"""Motors and controllers in space: against the plane, the second opinion, closed forms; and what asks without them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import particlemech as pm
from particlemech.model import toml
from particlemech.model.space import forces

WAYS = [{"integrator": "explicit"}, {"integrator": "ida"}, {"formulation": "natural"}]
ways = pytest.mark.parametrize("how", WAYS, ids=["explicit", "ida", "natural"])
FLAT = """
{kind}
[points]
O = [0.0, 0.0{z}]
E = [0.5, 0.0{z}]
T = [0.9, 0.3{z}]
[bodies]
upper = {{ points = ["O", "E"], mass = 2.0, com = [0.25, 0.0{z}], inertia = {upper} }}
fore = {{ points = ["E", "T"], mass = 1.0, com = [0.7, 0.15{z}], inertia = {fore} }}
[joints]
O = {{ type = "revolute", point = "O", bodies = ["ground", "upper"]{axis} }}
E = {{ type = "revolute", point = "E", bodies = ["upper", "fore"]{axis} }}
[forces]
motor = {{ type = "dc_motor", joint = "O", voltage = 24.0, resistance = 0.8, constant = 0.05, inductance = 0.02, reduction = 20.0 }}
elbow = {{ type = "pid", joint = "E", setpoint = 0.8, kp = 30.0, ki = 20.0, kd = 4.0, filter = 0.02, limits = [-12.0, 15.0]{period} }}
reach = {{ type = "pid", joint = "E", sensor = "T.y", setpoint = 0.6, kp = 8.0 }}
drive = {{ type = "curve_motor", joint = "E", curve = [[0.0, 0.3], [20.0, 0.2], [60.0, 0.0]], reduction = 10.0, throttle = -0.5 }}
"""  # noqa: E501


def arm(space, period=""):
    """Return an arm of two links with motors and controllers, in the plane or in space."""
    if space:
        numbers = {"z": ", 0.0", "axis": ", axis = [0.0, 0.0, 1.0]", "kind": 'kind = "spatial"'}
        numbers |= {"upper": [0.05, 0.05, 0.05, 0.0, 0.0, 0.0], "fore": [0.03, 0.03, 0.03, 0.0, 0.0, 0.0]}
    else:
        numbers = {"z": "", "axis": "", "kind": 'kind = "planar"', "upper": 0.05, "fore": 0.03}
    return toml.loads(FLAT.format(period=period, **numbers))


@pytest.fixture(scope="module", params=["", ", period = 0.01"], ids=["continuous", "sampled"])
def flat(request):
    """Return the key of the controller and the run in the plane."""
    options = {"duration": 0.105, "samples": 8, "rtol": 1e-9, "integrator": "explicit"}
    return request.param, pm.simulate(arm(False, request.param), **options)


@ways
def test_an_arm_in_space_moves_as_in_the_plane(flat, how):
    """A motor with inductance, limited controllers of an angle and of a place, a motor by its curve: one motion."""
    period, plane = flat
    result = pm.simulate(arm(True, period), duration=0.105, samples=8, rtol=1e-9, **how)
    assert result.status is pm.Status.COMPLETED
    assert result["T"][:, :2] == pytest.approx(plane["T"], abs=2e-7)  # worst observed 3e-8
    for name in ("motor", "elbow", "reach", "drive"):
        assert result.force(name) == pytest.approx(plane.force(name), abs=3e-5)
    assert result.force("motor", "current") == pytest.approx(plane.force("motor", "current"), abs=3e-6)
    assert result.force("elbow", "integral") == pytest.approx(plane.force("elbow", "integral"), abs=1e-6)
    assert abs(result.energy.error[-1]) < 3e-6


def test_both_formulations_in_the_plane_agree_with_the_validation():
    for period in ("", ", period = 0.02"):
        assert pm.validate(arm(False, period), duration=0.2, samples=5).agreed
    assert pm.validate(arm(True), duration=0.1, samples=5).agreed


@ways
def test_a_motor_without_inductance_is_the_limit_of_one_with_little(how):
    """w = V/(n k) (1 - exp(-t/T)): in space a dc_motor needs no inductance either."""
    J, R, K, V = 0.002, 0.8, 0.05, 12.0
    mechanism = pm.space.Mechanism(
        name="disc",
        points={"O": (0.0, 0.0, 0.0)},
        bodies={"disc": pm.space.Body(points=("O",), com=(0.0, 0.0, 0.0), mass=1.0, inertia=(J, J, J, 0.0, 0.0, 0.0))},
        joints={"O": pm.space.joints.Revolute(point="O", bodies=("ground", "disc"), axis=(0.0, 0.0, 1.0))},
        forces={"motor": forces.DcMotor(joint="O", voltage=V, resistance=R, constant=K)},
    )
    result = pm.simulate(mechanism, duration=1.0, samples=11, rtol=1e-9, **how)
    fade = np.exp(-result.t * K**2 / (J * R))
    assert result.rate("O") == pytest.approx(V / K * (1.0 - fade), abs=1e-4)
    assert result.force("motor", "current") == pytest.approx(V / R * fade, abs=3e-6)


def test_a_function_with_states_controls_in_space():
    """A PI law in Python beside the same as a pid; x'' of the disc by the exponential of a matrix."""

    def law(t, state, z):
        e = 1.0 - state.coordinate("O")
        return 0.8 * e + z[0] - 0.06 * state.rate("O"), [1.5 * e]

    J = 0.002
    mechanism = pm.space.Mechanism(
        name="disc",
        points={"O": (0.0, 0.0, 0.0)},
        bodies={"disc": pm.space.Body(points=("O",), com=(0.0, 0.0, 0.0), mass=1.0, inertia=(J, J, J, 0.0, 0.0, 0.0))},
        joints={"O": pm.space.joints.Revolute(point="O", bodies=("ground", "disc"), axis=(0.0, 0.0, 1.0))},
        forces={"law": forces.Custom(joint="O", function=law, own=(0.0,))},
    )
    A = np.array([[0, 1, 0, 0], [-0.8 / J, -0.06 / J, 1 / J, 0.8 / J], [-1.5, 0, 0, 1.5], [0, 0, 0, 0]], dtype=float)
    for how in ({}, {"formulation": "natural"}):
        result = pm.simulate(mechanism, duration=0.3, samples=7, rtol=1e-8, **how)
        exact = np.array([expm(A * t) @ [0.0, 0.0, 0.0, 1.0] for t in result.t])
        assert result.coordinate("O") == pytest.approx(exact[:, 0], abs=2e-6)
        assert result.force("law", "z1") == pytest.approx(exact[:, 2], abs=2e-6)


@pytest.mark.parametrize("space", [False, True])
def test_who_knows_no_run_asks_for_it_in_one_line(space):
    with pytest.raises(pm.ModelError, match=r'inverse: force "motor" owns states \(current\), which only a run tells'):
        pm.inverse(arm(space), {"O.angle": [0.0], "E.angle": [0.0]}, t=[0.0])


def test_a_controller_in_space_measures_no_angle_of_a_quaternion():
    with pytest.raises(pm.ModelError, match='joint "O" is integrated as a quaternion and has no "angle1" to act on'):
        toml.loads("""
            kind = "spatial"
            [points]
            O = [0.0, 0.0, 0.0]
            P = [1.0, 0.0, 0.0]
            [bodies]
            arm = { points = ["O", "P"], mass = 1.0, inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] }
            [joints]
            O = { type = "spherical", point = "O", bodies = ["ground", "arm"] }
            [forces]
            hold = { type = "pid", joint = "O", coordinate = "angle1", setpoint = 0.0, kp = 1.0 }
        """)


ROTOR = """
{kind}
points = {{ O = [0, 0{z}], P = [0.5, 0{z}] }}
bodies.disc = {{ points = ["O", "P"], mass = 1, com = [0, 0{z}], inertia = {inertia} }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "disc"]{axis} }}
forces.m = {{ type = "dc_motor", joint = "O", voltage = 12, resistance = 0.8, constant = 0.05, reduction = 5{rotor} }}
run = {{ duration = 0.3, samples = 7 }}
"""


def test_a_rotor_in_space_is_that_of_the_drive_of_its_joint_and_who_gives_it_to_the_motor_is_told():
    """The plane has n^2 J from the motor, w = V/(n k) (1 - exp(-t n^2 k^2/(R (J + n^2 Jr)))), space from the drive."""
    flat = {"kind": "", "z": "", "axis": "", "inertia": 0.002, "rotor": ", rotor = 3e-4"}
    solid = {"kind": 'kind = "spatial"', "z": ", 0", "inertia": "[0.002, 0.002, 0.002]", "rotor": ""}
    solid["axis"] = ", axis = [0, 0, 1], drive = { rotor = 0.0075 }"
    plane = pm.simulate(toml.loads(ROTOR.format(**flat)), rtol=1e-9)
    space = pm.simulate(toml.loads(ROTOR.format(**solid)), rtol=1e-9)
    exact = 12.0 / 0.25 * (1.0 - np.exp(-plane.t * 0.25**2 / (0.8 * 0.0095)))
    assert plane.rate("O") == pytest.approx(exact, abs=2e-6)
    assert space.rate("O") == pytest.approx(exact, abs=2e-6)
    with pytest.raises(pm.ModelError, match=r'force "m": .*key "rotor": in space .* drive = { rotor = ... } there'):
        toml.loads(ROTOR.format(**solid | {"rotor": flat["rotor"]}))
