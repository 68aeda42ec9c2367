"""Motors and controllers in the plane against closed forms: exponentials of matrices, recursions, quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad, simpson, solve_ivp
from scipy.linalg import expm

import particlemech as pm
from particlemech import Body, Mechanism, forces, joints, signals
from particlemech.errors import ModelError
from particlemech.model import toml

WAYS = [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)
J = 0.002  # kg m^2
R, K, L, V = 0.8, 0.05, 0.004, 12.0  # of a motor: ohm, N m/A, H, V
CLOSE = 1e-7  # of the largest value, rtol 1e-9; worst observed 2e-8


def disc(**acting):
    """Return a disc on a pin, with forces by name."""
    return Mechanism(
        name="disc",
        points={"O": (0.0, 0.0), "rim": (0.1, 0.0)},
        bodies={"disc": Body(points=("O", "rim"), com=(0.0, 0.0), mass=1.0, inertia=J)},
        joints={"O": joints.Revolute(point="O", bodies=("ground", "disc"))},
        forces=acting,
    )


def cart(**acting):
    """Return a cart of 2 kg on a level slide, with forces by name."""
    return Mechanism(
        name="cart",
        points={"P": (0.3, 0.1)},
        bodies={"cart": Body(points=("P",), com=(0.3, 0.1), mass=2.0, inertia=0.1)},
        joints={"slide": joints.Prismatic(point="P", bodies=("ground", "cart"), axis=(1.0, 0.0))},
        forces=acting,
    )


def moved(mechanism, formulation="particles", integrator="explicit", **options):
    """Return a run that completed."""
    result = pm.simulate(mechanism, rtol=1e-9, formulation=formulation, integrator=integrator, **options)
    assert result.status is pm.Status.COMPLETED
    return result


def linear(A, b, x0, times):
    """Return the solution of x' = A x + b, (K, n), by the exponential of a matrix."""
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, b
    return np.array([(expm(whole * t) @ [*x0, 1.0])[:n] for t in times])


def dc(**keys):
    return forces.DcMotor(**{"joint": "O", "voltage": V, "resistance": R, "constant": K, "inductance": L, **keys})


# -- motors ------------------------------------------------------------------------------------------------------------


@ways
@pytest.mark.parametrize("n", [1.0, -3.0])
def test_a_motor_with_inductance_starts_a_disc(formulation, integrator, n):
    """L i' = V - R i - n k w, J w' = n k i."""
    result = moved(disc(motor=dc(reduction=n)), formulation, integrator, duration=0.2, samples=21)
    exact = linear([[-R / L, -n * K / L], [n * K / J, 0.0]], [V / L, 0.0], [0.0, 0.0], result.t)
    assert result.force("motor", "current") == pytest.approx(exact[:, 0], abs=CLOSE * V / R)
    assert result.omega("disc") == pytest.approx(exact[:, 1], abs=CLOSE * V / (abs(n) * K))
    assert result.force("motor") == pytest.approx(n * K * exact[:, 0], abs=CLOSE * abs(n) * K * V / R)


@ways
def test_a_rotor_counts_with_the_square_of_the_reduction(formulation, integrator):
    """L i' = V - R i - n k w, (J + n^2 Jr) w' = n k i; its energy is kinetic."""
    n, whole = 5.0, J + 25.0 * 0.0003
    result = moved(disc(motor=dc(reduction=n, rotor=0.0003)), formulation, integrator, duration=0.3, samples=7)
    exact = linear([[-R / L, -n * K / L], [n * K / whole, 0.0]], [V / L, 0.0], [0.0, 0.0], result.t)
    assert result.omega("disc") == pytest.approx(exact[:, 1], abs=CLOSE * V / (n * K))
    assert result.energy.kinetic == pytest.approx(0.5 * whole * exact[:, 1] ** 2, abs=1e-7 * whole * 48.0**2)


def test_the_energy_that_a_motor_takes_is_all_somewhere():
    """Int V i dt = kinetic energy + Int R i^2 dt + L i^2/2; the first but the last two is the work of the run."""
    result = moved(disc(motor=dc()), duration=0.2, samples=4001)
    i = result.force("motor", "current")
    taken, heat = simpson(result.force("motor", "power"), x=result.t), simpson(R * i**2, x=result.t)
    assert taken == pytest.approx(result.energy.kinetic[-1] + heat + 0.5 * L * i[-1] ** 2, rel=1e-8)
    assert result.energy.work[-1] == pytest.approx(result.energy.kinetic[-1], rel=1e-8)


@ways
def test_a_curve_motor_starts_as_the_quadrature_of_its_curve_says(formulation, integrator):
    """t(w) = Int (J/n) dw / M(n w): constant moment, then a falling line; beyond the last speed nothing pulls."""
    n, points = 4.0, ((0.0, 0.5), (50.0, 0.5), (200.0, 0.1), (300.0, 0.0))
    speeds, moments = zip(*points, strict=True)

    def moment(w):
        return n * float(np.interp(n * w, speeds, moments))

    motor = forces.CurveMotor(joint="O", curve=points, reduction=n)
    result = moved(disc(motor=motor), formulation, integrator, duration=0.12, samples=13)
    for t, w in list(zip(result.t, result.omega("disc"), strict=True))[1:]:
        kinks = [x / n for x in speeds if x / n < w]
        found = sum(
            quad(lambda u: J / moment(u), a, b, epsabs=0.0, epsrel=1e-12)[0]
            for a, b in zip(kinks, [*kinks[1:], w], strict=True)
        )
        assert found == pytest.approx(t, rel=2e-7)
    assert result.force("motor")[0] == pytest.approx(n * 0.5)


def test_a_throttle_turns_a_motor_back():
    """Backwards the curve is that of the speed backwards: the run is the mirror image, and half is half."""
    points = ((0.0, 0.5), (100.0, 0.0))
    runs = [
        moved(disc(motor=forces.CurveMotor(joint="O", curve=points, throttle=u)), duration=0.5, samples=11)
        for u in (1.0, -1.0, -7.0)
    ]
    for other in runs[1:]:
        assert other.omega("disc") == pytest.approx(-runs[0].omega("disc"), abs=1e-9)
    half = moved(disc(motor=forces.CurveMotor(joint="O", curve=points, throttle=0.5)), duration=0.5, samples=11)
    rate = 0.5 * 0.5 / 100.0 / J
    assert half.omega("disc") == pytest.approx(100.0 * (1.0 - np.exp(-rate * half.t)), abs=1e-6)


# -- controllers -------------------------------------------------------------------------------------------------------

KP, KI, KD, F = 0.8, 1.5, 0.06, 0.01  # N m/rad, N m/(rad s), N m s/rad, s


def servo(**keys):
    return forces.Pid(**{"joint": "O", "setpoint": 1.0, "kp": KP, "ki": KI, "kd": KD, **keys})


@ways
def test_a_pid_turns_a_disc_as_its_third_order_system_says(formulation, integrator):
    """J a'' = kp (1 - a) + z - kd a', z' = ki (1 - a)."""
    result = moved(disc(servo=servo()), formulation, integrator, duration=1.0, samples=21)
    A = [[0.0, 1.0, 0.0], [-KP / J, -KD / J, 1.0 / J], [-KI, 0.0, 0.0]]
    exact = linear(A, [0.0, KP / J, KI], [0.0] * 3, result.t)
    assert result.angle("disc") == pytest.approx(exact[:, 0], abs=CLOSE)
    assert result.omega("disc") == pytest.approx(exact[:, 1], abs=CLOSE * 20.0)
    assert result.force("servo", "integral") == pytest.approx(exact[:, 2], abs=CLOSE)
    assert result.force("servo", "error") == pytest.approx(1.0 - exact[:, 0], abs=CLOSE)


@ways
def test_a_filtered_derivative_is_a_state_more(formulation, integrator):
    """D = (x - w)/F, F w' = x - w, x = r - a for a setpoint that swings."""
    w = 5.0
    wave = signals.Sine(amplitude=1.0, frequency=w / (2.0 * math.pi))
    result = moved(disc(servo=servo(setpoint=wave, derivative="error", filter=F)), formulation, integrator,
                   duration=1.5, samples=16)  # fmt: skip
    # a, a', z, w, and the setpoint with its rate
    A = np.zeros((6, 6))
    A[0, 1] = 1.0
    A[1] = [-(KP + KD / F) / J, 0.0, 1.0 / J, -KD / F / J, (KP + KD / F) / J, 0.0]
    A[2, [0, 4]] = -KI, KI
    A[3, [0, 3, 4]] = -1.0 / F, -1.0 / F, 1.0 / F
    A[4, 5], A[5, 4] = 1.0, -(w**2)
    exact = linear(A, np.zeros(6), [0.0, 0.0, 0.0, 0.0, 0.0, w], result.t)
    assert result.angle("disc") == pytest.approx(exact[:, 0], abs=CLOSE)
    assert result.force("servo", "integral") == pytest.approx(exact[:, 2], abs=CLOSE)


@ways
def test_a_controller_measures_points_rates_and_bodies(formulation, integrator):
    """A cart held at a place by its point, a disc at a speed by its pin, and at an angle as a body."""
    hold = forces.Pid(joint="slide", setpoint=0.5, sensor="P.x", kp=50.0, kd=4.0)
    result = moved(cart(hold=hold), formulation, integrator, duration=1.0, samples=11)
    exact = linear([[0.0, 1.0], [-25.0, -2.0]], [0.0, 12.5], [0.3, 0.0], result.t)
    assert result["P"][:, 0] == pytest.approx(exact[:, 0], abs=CLOSE)
    speed = servo(setpoint=30.0, sensor="O.angle_rate", kp=0.1, ki=0.4, kd=0.0)
    result = moved(disc(speed=speed), formulation, integrator, duration=0.5, samples=11)
    exact = linear([[-0.1 / J, 1.0 / J], [-0.4, 0.0]], [3.0 / J, 12.0], [0.0, 0.0], result.t)
    assert result.omega("disc") == pytest.approx(exact[:, 0], abs=30.0 * CLOSE)
    turn = servo(sensor="disc.angle", ki=0.0)
    result = moved(disc(turn=turn), formulation, integrator, duration=0.5, samples=11)
    exact = linear([[0.0, 1.0], [-KP / J, -KD / J]], [0.0, KP / J], [0.0, 0.0], result.t)
    assert result.angle("disc") == pytest.approx(exact[:, 0], abs=CLOSE)


@ways
def test_a_limited_controller_unwinds_its_integral(formulation, integrator):
    """Back-calculation, against an independent fine integration; without it the same step overshoots far more."""
    most, T = 0.05, 0.3
    keys = {"ki": 4.0, "limits": (-most, most), "tracking": T}
    result = moved(disc(servo=servo(**keys)), formulation, integrator, duration=2.0, samples=41)

    def slopes(t, y):
        f0 = KP * (1.0 - y[0]) + y[2] - KD * y[1]
        f = min(max(f0, -most), most)
        return [y[1], f / J, 4.0 * (1.0 - y[0]) + (f - f0) / T]

    exact = solve_ivp(slopes, (0.0, 2.0), [0.0] * 3, "DOP853", result.t, rtol=1e-11, atol=1e-13, max_step=1e-3).y
    assert result.angle("disc") == pytest.approx(exact[0], abs=3e-7)
    assert result.force("servo", "integral") == pytest.approx(exact[2], abs=3e-7)
    effort = result.force("servo")
    assert np.max(np.abs(effort)) == most
    wound = moved(disc(servo=servo(**{**keys, "tracking": 1e6})), duration=2.0, samples=41)
    assert abs(wound.angle("disc")[-1] - 1.0) > 1.0 > 1e3 * abs(result.angle("disc")[-1] - 1.0)


def recursion(period, count, keys, mass=2.0, x0=0.0):
    """Return places of a mass and efforts at the instants of a sampled PID, (count + 1,), by exact steps between."""
    kp, ki, kd, F = (keys[name] for name in ("kp", "ki", "kd", "filter"))
    lower, upper = keys.get("limits", (-math.inf, math.inf))
    back = 0.0 if "limits" not in keys else ki / kp
    x, v, z, w, found = x0, 0.0, 0.0, -x0, []
    for _ in range(count + 1):
        e = 0.1 - x
        D = (-x - w) / (F + period)
        w += period * D
        f0 = kp * e + z + kd * D
        f = min(max(f0, lower), upper)
        z += period * (ki * e + (f - f0) * back)
        found.append((x, v, f))
        x, v = x + v * period + 0.5 * f / mass * period**2, v + f / mass * period
    return np.array(found)


@ways
@pytest.mark.parametrize("limits", [None, (-1.5, 2.0)])
def test_a_sampled_controller_follows_its_recursion(formulation, integrator, limits):
    """Between instants the effort is held, so the cart moves in parabolas: exact from instant to instant."""
    period, count = 0.02, 25
    keys = {"kp": 60.0, "ki": 20.0, "kd": 12.0, "filter": 0.01} | ({"limits": limits} if limits else {})
    hold = forces.Pid(joint="slide", setpoint=0.1, period=period, **keys)
    exact = recursion(period, count, keys)
    # samples half way between instants
    result = moved(cart(hold=hold), formulation, integrator, duration=(count + 0.5) * period, samples=2 * count + 2)
    x, v, f = exact.T
    half = 0.5 * period
    between = x + v * half + 0.25 * f * half**2
    assert result.coordinate("slide")[1::2] == pytest.approx(between, abs=CLOSE * 0.1)
    assert result.force("hold")[1::2] == pytest.approx(f, abs=CLOSE * 6.0)
    assert result.energy.work[-1] == pytest.approx(result.energy.kinetic[-1], abs=2e-9)


def test_a_sampled_controller_goes_on_where_a_run_ended():
    """In two parts, cut at an instant and between two: the states go along."""
    hold = forces.Pid(joint="slide", setpoint=0.1, period=0.02, kp=60.0, ki=20.0, kd=12.0)
    whole = moved(cart(hold=hold), duration=0.5, samples=51)
    for cut in (0.2, 0.21):
        count = round(cut / 0.01)
        first = moved(cart(hold=hold), duration=cut, samples=count + 1)
        second = moved(cart(hold=hold), duration=0.5 - cut, samples=51 - count, start=first)
        assert second.coordinate("slide") == pytest.approx(whole.coordinate("slide")[count:], abs=1e-10)
        assert second.t[-1] == pytest.approx(0.5)
        apart = (
            np.abs(whole.t / 0.02 - np.round(whole.t / 0.02)) > 0.1
        )  # at an instant rounding says which side is meant
        integral = first.joined(second).force("hold", "integral")
        assert integral[apart] == pytest.approx(whole.force("hold", "integral")[apart], abs=1e-9)


def test_a_fleet_measures_to_the_end_of_a_run_longer_than_the_model_says():
    held = disc(hold=servo(period=0.02, ki=0.0))
    one, many = (
        of(held, duration=2.0, samples=21) for of in (pm.simulate, lambda m, **o: pm.simulate_many([m, m], **o))
    )
    assert many["angle"].values.reshape(2, -1) == pytest.approx(np.tile(one.angle("disc"), (2, 1)), abs=1e-12)
    assert abs(one.omega("disc")[-1]) < 1e-3


@ways
def test_a_function_with_states_is_a_controller_of_its_own(formulation, integrator):
    """The same PI controller as a Python function; what it is not asked for by compiled steps it is by IDA."""

    def law(t, state, z):
        e = 1.0 - state.coordinate("O")
        return KP * e + z[0] - KD * state.rate("O"), [KI * e]

    mechanism = disc(law=forces.Custom(joint="O", function=law, own=(0.0,)))
    if integrator == "explicit":
        with pytest.raises(pm.ModelError, match="is a Python function, which compiled steps cannot call"):
            pm.simulate(mechanism, integrator="explicit")
        return
    result = moved(mechanism, formulation, integrator, duration=1.0, samples=11)
    known = moved(disc(servo=servo()), duration=1.0, samples=11)
    assert result.angle("disc") == pytest.approx(known.angle("disc"), abs=2.0 * CLOSE)
    assert result.force("law", "z1") == pytest.approx(known.force("servo", "integral"), abs=2.0 * CLOSE)


@ways
def test_a_motor_follows_a_run_that_was_stopped(formulation, integrator):
    """start = result: the current goes along."""
    whole = moved(disc(motor=dc()), formulation, integrator, duration=0.1, samples=11)
    first = moved(disc(motor=dc()), formulation, integrator, duration=0.004, samples=3)
    second = moved(disc(motor=dc()), formulation, integrator, duration=0.096, samples=3, start=first)
    assert second.force("motor", "current")[0] == first.force("motor", "current")[-1]
    assert second.force("motor", "current")[-1] == pytest.approx(whole.force("motor", "current")[-1], abs=CLOSE * 15.0)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: dc(inductance=-1.0), 'key "inductance": must not be negative, got -1'),
        (lambda: cart(motor=dc(joint="slide", rotor=0.1)), 'key "rotor": it counts on an angle against the ground'),
        (lambda: servo(period=0.0), 'key "period": must be above zero, got 0'),
        (lambda: servo(kp=math.nan), 'key "kp": expected a finite number'),
        (lambda: servo(kp=0.0, ki=0.0, kd=0.0), 'all of "kp", "ki" and "kd" are 0, so it exerts nothing; give one'),
        (lambda: servo(kp=0.0, limits=(-1.0, 1.0)), 'key "tracking" is missing: with limits and without kp'),
        (lambda: servo(limits=(1.0, -1.0)), "the lower first"),
        (lambda: disc(a=servo(sensor="rim.angle")), 'key "sensor": nothing is measured as "rim.angle"'),
        (lambda: disc(a=servo(sensor="O.angle_rate")), 'key "kd": the derivative of a rate is an acceleration'),
        (lambda: disc(a=servo(joint="Q")), 'force "a": joint "Q" unknown'),
        (lambda: forces.CurveMotor(joint="O", curve=[[0.0, 1.0]]), "expected two or more pairs"),
        (lambda: forces.CurveMotor(joint="O", curve=[[1.0, 1.0], [0.0, 2.0]]), "its speeds must rise, 0 comes after 1"),
        (lambda: pm.simulate(disc(a=servo(period=1e-9)), duration=1.0), "1e[+]09 instants in 1 s; take a longer one"),
    ],
)  # fmt: skip
def test_what_no_motor_and_no_controller_is_is_said_in_one_line(build, said):
    with pytest.raises(pm.ModelError, match=said) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_motors_and_controllers_stand_in_files():
    throttle = signals.Step(before=0.0, after=1.0, time=0.1)
    of = disc(
        motor=dc(),
        curve=forces.CurveMotor(joint="O", curve=((0.0, 0.5), (100.0, 0.0)), throttle=throttle),
        servo=servo(sensor="rim.y", limits=(-1.0, 1.0), period=0.01, derivative="error", filter=0.02),
    )  # fmt: skip
    assert toml.loads(toml.dumps(of)) == of


def test_the_rate_of_an_error_that_jumps_is_refused_and_not_left_out():
    step = signals.Step(time=0.5, before=0.0, after=1.0)
    with pytest.raises(
        ModelError, match=r'key "derivative": the setpoint jumps at t = 0.5 s.* give the derivative a "filter"'
    ):
        servo(setpoint=step, derivative="error")
    for keys in (
        {"derivative": "error", "filter": 0.01},
        {"derivative": "measurement"},
        {"derivative": "error", "kd": 0.0},
    ):
        assert servo(setpoint=step, **keys).setpoint == step
