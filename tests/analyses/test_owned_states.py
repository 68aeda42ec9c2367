"""Rest and small motions with motors and controllers that own states: transfer functions, polynomials, runs."""

from __future__ import annotations

import math
import sys
import types

import numpy as np
import pytest
from numpy.polynomial import polynomial
from scipy.linalg import expm

import particlemech as pm
from particlemech.errors import ModelError
from tests.run.test_control_in_space import arm

worlds = pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
J, DRAG = 0.002, 0.0004  # kg m^2, N m s/rad: of a disc
R, L, K = 0.8, 0.004, 0.05  # ohm, H, N m/A: of its motor
MASS, REACH, OWN, G = 2.0, 0.5, 0.1, 9.81  # of an arm
KP, KI, KD, F = 30.0, 20.0, 4.0, 0.02  # N m/rad, N m/(rad s), N m s/rad, s: of its controller
AT = 0.8  # rad above the horizontal


def kinds(space):
    """Return the module of a world with its forces."""
    return pm.space.forces if space else pm.forces


def turning(space, forces, place, mass, inertia, weight=0.0):
    """Return a body on a pin."""
    if not space:
        return pm.Mechanism(
            gravity=(0.0, -weight),
            points={"O": (0.0, 0.0), "P": (0.5, 0.0)},
            bodies={"arm": pm.Body(points=("O", "P"), com=(place, 0.0), mass=mass, inertia=inertia)},
            joints={"O": pm.joints.Revolute(point="O", bodies=("ground", "arm"))},
            forces=forces,
        )
    body = pm.space.Body(
        points=("O", "P"), com=(place, 0.0, 0.0), mass=mass, inertia=(inertia, inertia, inertia, 0.0, 0.0, 0.0)
    )
    return pm.space.Mechanism(
        gravity=(0.0, -weight, 0.0),
        points={"O": (0.0, 0.0, 0.0), "P": (0.5, 0.0, 0.0)},
        bodies={"arm": body},
        joints={"O": pm.space.joints.Revolute(point="O", bodies=("ground", "arm"), axis=(0.0, 0.0, 1.0))},
        forces=forces,
    )


def disc(space, **keys):
    """Return a disc on a motor with inductance, braked."""
    motor = {"joint": "O", "voltage": 0.0, "resistance": R, "constant": K, "inductance": L, **keys}
    drag = kinds(space).Torsion(joint="O", damping=DRAG)
    return turning(space, {"motor": kinds(space).DcMotor(**motor), "drag": drag}, 0.0, 1.0, J)


def lifted(space, forces=None, **keys):
    """Return an arm that a controller holds up."""
    pid = {"joint": "O", "setpoint": AT, "kp": KP, "ki": KI, "kd": KD, **keys}
    return turning(space, {"pid": kinds(space).Pid(**pid), **(forces or {})}, REACH, MASS, OWN, G)


INERTIA, WEIGHT = OWN + MASS * REACH**2, MASS * G * REACH * math.cos(AT)
FALLS = -MASS * G * REACH * math.sin(AT)  # N m/rad: stiffness of the weight at AT


def roots(*coefficients):
    """Return the roots of a polynomial, the constant coefficient first."""
    return np.sort_complex(polynomial.polyroots(coefficients))


# -- a motor with inductance -----------------------------------------------------------------------------------------


@worlds
def test_a_motor_with_inductance_has_the_transfer_function_of_textbooks(space):
    """w/V = k/((L s + R)(J s + b) + k^2); the angle is its integral."""
    found = pm.linearised(disc(space), inputs="motor", outputs=["O.angle_rate", "motor.current", "motor.effort"])
    assert found.states == ("O.angle", "O.angle_rate", "motor.current")
    A = [[0.0, 1.0, 0.0], [0.0, -DRAG / J, K / J], [0.0, -K / L, -R / L]]
    C = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, K]]
    assert found.matrices.A == pytest.approx(np.array(A), rel=1e-9, abs=1e-9)
    assert found.matrices.B[:, 0] == pytest.approx([0.0, 0.0, 1.0 / L], rel=1e-9)
    assert found.matrices.C == pytest.approx(np.array(C), rel=1e-9, abs=1e-11)
    assert found.matrices.D == pytest.approx(np.zeros((3, 1)), abs=1e-9)
    exact = roots(0.0, R * DRAG + K**2, L * DRAG + R * J, L * J)
    modes = pm.modes(disc(space), "equilibrium")
    assert np.sort_complex(modes.eigenvalues) == pytest.approx(exact, rel=1e-9, abs=1e-9)
    f = np.array([0.03, 0.3, 3.0, 30.0])
    s = 2j * np.pi * f
    below = (L * s + R) * (J * s + DRAG) + K**2
    answer = pm.response(disc(space), f, input="motor", output=["O.angle_rate", "motor.current"], loads=True)
    assert answer[:, 0] == pytest.approx(K / below, rel=1e-9)
    assert answer[:, 1] == pytest.approx((J * s + DRAG) / below, rel=1e-9)


@worlds
def test_a_motor_that_runs_is_linearised_where_it_runs(space):
    """Its current at no load is what the drag takes; eigenvalues are those at rest, for all laws are linear."""
    run = pm.simulate(disc(space, voltage=12.0), duration=60.0, samples=2, rtol=1e-9)
    found = pm.linearised(disc(space, voltage=12.0), run, inputs="motor")
    exact = roots(0.0, R * DRAG + K**2, L * DRAG + R * J, L * J)
    eigenvalues = np.sort_complex(np.linalg.eigvals(found.matrices.A))
    assert eigenvalues == pytest.approx(exact, rel=1e-8, abs=1e-8)  # worst observed 3e-9: rounding beside its speed
    rate = 12.0 * K / (R * DRAG + K**2)
    assert found.result.force("motor", "current")[0] == pytest.approx(DRAG * rate / K, rel=1e-7)


# -- controllers -----------------------------------------------------------------------------------------------------


@worlds
def test_integral_action_rests_where_there_is_no_error_and_holds_the_weight(space):
    found = pm.equilibrium(lifted(space))
    assert found.coordinate("O")[0] == pytest.approx(AT, abs=1e-12) and found.stability == ("stable",)
    for quantity in ("effort", "integral"):
        assert found.force("pid", quantity)[0] == pytest.approx(WEIGHT, rel=1e-12)
    proportional = pm.equilibrium(lifted(space, ki=0.0, filter=F))
    angle = proportional.coordinate("O")[0]
    assert KP * (AT - angle) == pytest.approx(MASS * G * REACH * math.cos(angle), rel=1e-12)


@worlds
@pytest.mark.parametrize("limit", [WEIGHT + 0.1, 6.0])
def test_limits_of_a_controller_are_those_of_its_rest(space, limit):
    """It would begin at a limit; what it cannot hold sinks to where it can."""
    found = pm.equilibrium(lifted(space, limits=(-limit, limit)))
    angle = found.coordinate("O")[0]
    if limit > WEIGHT:
        assert angle == pytest.approx(AT, abs=1e-12) and found.force("pid")[0] == pytest.approx(WEIGHT, rel=1e-12)
        return
    assert abs(math.cos(angle)) == pytest.approx(limit / (MASS * G * REACH), rel=1e-12)
    assert found.force("pid")[0] == limit
    # wound up: (f0 - f)/T = ki e with T = kp/ki
    assert found.force("pid", "integral")[0] == pytest.approx(limit, rel=1e-9)


@worlds
def test_a_controlled_pendulum_has_the_roots_of_its_polynomial(space):
    """I s^2 + kg + kp + ki/s + kd s/(F s + 1) = 0, by one common denominator."""
    exact = roots(KI, KP + FALLS, KD, INERTIA)
    assert np.sort_complex(pm.modes(lifted(space), "equilibrium").eigenvalues) == pytest.approx(exact, rel=1e-9)
    bare = polynomial.polymul([KI, KP + FALLS, 0.0, INERTIA], [1.0, F])
    exact = roots(*polynomial.polyadd(bare, [0.0, 0.0, KD]))
    modes = pm.modes(lifted(space, filter=F), "equilibrium")
    assert np.sort_complex(modes.eigenvalues) == pytest.approx(exact, rel=1e-9)
    assert modes.linear.states[2:] == ("pid.integral", "pid.filtered")
    assert len(pm.modes(lifted(space, ki=0.0), "equilibrium").eigenvalues) == 2  # an integral of nothing is no state


@worlds
@pytest.mark.parametrize("derivative", ["measurement", "error"])
@pytest.mark.parametrize("filter", [0.0, F])
def test_a_setpoint_is_an_input(space, derivative, filter):
    """At 0 Hz the integral makes it followed exactly. What differentiates the error follows the rate of it too."""
    m = lifted(space, derivative=derivative, filter=filter)
    f = np.array([0.0, 0.2, 2.0, 20.0])
    s = 2j * np.pi * f
    acts = KI + KP * s
    slope = KD * s**2 / (filter * s + 1.0)
    exact = (acts + (slope if derivative == "error" else 0.0)) / (INERTIA * s**3 + FALLS * s + acts + slope)
    found = pm.response(m, f, input="pid", output=["O.angle", "pid.error"], about="equilibrium")
    assert found[:, 0] == pytest.approx(exact, rel=1e-8)
    assert found[:, 1] == pytest.approx(-exact + 1.0, rel=1e-8, abs=1e-9)
    names = [*pm.linearised(m, "equilibrium", inputs="pid").inputs]
    assert names == (["pid", "pid_rate"] if derivative == "error" and not filter else ["pid"])


@worlds
def test_a_small_step_of_a_setpoint_runs_as_the_linear_equations_say(space):
    """Half the difference of a step up and a step down: what is left is of third order."""
    step, m = 1e-3, lifted(space, filter=F)
    rest = pm.equilibrium(m)
    found = pm.linearised(m, rest, inputs="pid", outputs=["O.angle", "pid.effort", "pid.integral"])
    A, B, C, D = found.matrices
    whole = np.zeros((len(A) + 1, len(A) + 1))
    whole[:-1, :-1], whole[:-1, -1:] = A, B * step
    up, down = (
        pm.simulate(lifted(space, filter=F, setpoint=AT + by), start=rest, duration=2.0, samples=21, rtol=1e-11)
        for by in (step, -step)
    )
    unit = np.append(np.zeros(len(A)), 1.0)
    exact = np.array([C @ (expm(whole * t) @ unit)[:-1] + D[:, 0] * step for t in up.t - up.t[0]])
    seen = [(of.coordinate("O"), of.force("pid"), of.force("pid", "integral")) for of in (up, down)]
    for k, (above, below) in enumerate(zip(*seen, strict=True)):
        assert 0.5 * (above - below) == pytest.approx(exact[:, k], abs=1e-6 * np.abs(exact[:, k]).max())
    assert np.ptp(exact[:, 0]) > 0.9 * step


@worlds
def test_a_function_of_python_brings_its_states(space):
    """I a'' = z - c a' - k a - kg a, z' = -3 z - 2 a + a'."""

    def law(t, state, z):
        angle, rate = state.coordinate("O"), state.rate("O")
        return z[0] - 0.7 * rate - 40.0 * angle, [-3.0 * z[0] - 2.0 * angle + rate]

    m = turning(space, {"law": kinds(space).Custom(joint="O", function=law, own=(0.3,))}, 0.0, MASS, OWN)
    found = pm.linearised(m, "equilibrium")
    assert found.states == ("O.angle", "O.angle_rate", "law.z1")
    A = [[0.0, 1.0, 0.0], [-40.0 / OWN, -0.7 / OWN, 1.0 / OWN], [-2.0, 1.0, -3.0]]
    assert found.matrices.A == pytest.approx(np.array(A), rel=1e-9, abs=1e-8)
    assert found.result.force("law", "z1")[0] == pytest.approx(0.0, abs=1e-12)


def test_an_arm_under_all_of_them_is_the_same_in_both_worlds():
    """A motor with inductance, two controllers, one of a place, and a motor by its curve, near their balance."""
    found = []
    for space in (False, True):
        m = arm(space).replaced(forces={"motor": {"voltage": 0.0}, "reach": {"kp": 0.5}})
        rest = pm.equilibrium(m, {"O": 0.0, "E": 0.8})
        modes = pm.modes(m, rest)
        found.append((rest["T"][0, :2], rest.force("elbow", "integral"), np.sort_complex(modes.eigenvalues)))
    (place, integral, eigenvalues), (place_s, integral_s, eigenvalues_s) = found
    assert place_s == pytest.approx(place, abs=1e-10) and integral_s == pytest.approx(integral, abs=1e-8)
    assert len(eigenvalues) == 4 + 1 + 2
    assert eigenvalues_s == pytest.approx(eigenvalues, rel=1e-6)


def test_a_root_locus_loses_stability_where_routh_says():
    """I s^3 + kd s^2 + (kp + kg) s + ki = 0 is stable up to ki = kd (kp + kg)/I."""
    found = pm.root_locus(lifted(False), "forces.pid.ki", [10.0, 100.0, 200.0], options={"about": "equilibrium"})
    crossings = [each for each in found.crossings if each.eigenvalue.imag >= 0.0]
    assert [each.value for each in crossings] == pytest.approx([KD * (KP + FALLS) / INERTIA], rel=1e-7)
    assert not crossings[0].stable
    assert crossings[0].eigenvalue.imag == pytest.approx(math.sqrt((KP + FALLS) / INERTIA), rel=1e-7)


def test_the_package_control_is_given_all_states(monkeypatch):
    given = {}
    package = types.SimpleNamespace(ss=lambda *matrices, **names: given.update(names, matrices=matrices))
    monkeypatch.setitem(sys.modules, "control", package)
    pm.linearised(disc(False), inputs="motor", outputs="motor.current").control()
    assert given["states"] == ["O_angle", "O_angle_rate", "motor_current"]
    assert given["inputs"] == ["motor"] and given["outputs"] == ["motor_current"]
    assert [of.shape for of in given["matrices"]] == [(3, 3), (3, 1), (1, 3), (1, 1)]
    assert "1 states of motors and controllers: motor.current" in str(pm.linearised(disc(False)))


# -- what has no answer ----------------------------------------------------------------------------------------------


def other(space, setpoint):
    return {"other": kinds(space).Pid(joint="O", setpoint=setpoint, ki=3.0)}


@worlds
@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda s: pm.equilibrium(lifted(s, period=0.01)), 'force "pid" acts at instants of its own'),
        (lambda s: pm.modes(lifted(s, period=0.01), "equilibrium"), "leave its period out"),
        (
            lambda s: pm.equilibrium(lifted(s), hold="O"),
            'no balance at t = 0 s; "pid.integral" changes by 16 per second',
        ),
        (lambda s: pm.equilibrium(lifted(s, setpoint=0.0), hold="O"), '"pid.integral" is not determined by rest'),
        (
            lambda s: pm.equilibrium(lifted(s, other(s, AT))),
            '"pid.integral" and "other.integral" are not determined by rest: only together',
        ),
        (lambda s: pm.equilibrium(lifted(s, other(s, 0.7))), "no balance"),
        (lambda s: pm.linearised(lifted(s)), 'no steady state: "pid.integral" changes by 16 per second'),
        (lambda s: pm.response(disc(s), [1.0], input="motor", output="O.angle"), "ask with loads = True"),
        (lambda s: pm.linearised(disc(s, voltage=12.0)), "no steady state"),
    ],
)
def test_what_has_no_rest_is_named(space, ask, said):
    with pytest.raises(ModelError) as caught:
        ask(space)
    assert said in str(caught.value) and "\n" not in str(caught.value)


@worlds
def test_a_throttle_at_its_limit_is_no_input(space):
    curve = {"joint": "O", "curve": ((-100.0, 1.0), (100.0, 0.0)), "reduction": 2.0}
    spring = {"spring": kinds(space).Torsion(joint="O", stiffness=4.0)}
    m = turning(space, {"motor": kinds(space).CurveMotor(**curve, throttle=0.5), **spring}, 0.0, 1.0, J)
    found = pm.linearised(m, "equilibrium", inputs="motor").matrices
    # f = n u (M0 + M' n c'): at u = 1/2 and rest
    assert found.B[1, 0] == pytest.approx(2.0 * 0.5 / J, rel=1e-9)
    assert found.A[1, 1] == pytest.approx(-(2.0**2) * 0.5 * 0.005 / J, rel=1e-9)
    full = m.replaced(forces={"motor": {"throttle": 1.0}})
    with pytest.raises(ModelError, match="its throttle is where its effort meets a limit"):
        assert pm.linearised(full, "equilibrium", inputs="motor").F is None
