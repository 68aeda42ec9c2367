"""Motors of direct current against closed forms: starts, stall, no load, sines, reductions, power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import simpson

import particlemech as pm
from particlemech import Body, Mechanism, forces, joints, signals
from particlemech.model import columns
from particlemech.model.toml import loads

WAYS = [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
V, R, K, J = 12.0, 0.8, 0.05, 0.002  # V, ohm, N m/A, kg m^2
CLOSE = 1e-7  # of the largest value, rtol 1e-9; worst observed 9e-9

ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)


def flywheel(motor, **sections):
    """Return a disc on a motor."""
    return Mechanism(
        name="flywheel",
        points={"O": (0.0, 0.0)},
        bodies={"disc": Body(points=("O",), com=(0.0, 0.0), mass=1.0, inertia=J)},
        joints={"O": joints.Revolute(point="O", bodies=("ground", "disc"))},
        forces={"motor": motor, **sections.pop("forces", {})},
        **sections,
    )


def direct(**keys):
    """Return the motor on the joint O."""
    return forces.DcMotor(**{"joint": "O", "voltage": V, "resistance": R, "constant": K, **keys})


def moved(mechanism, formulation="particles", integrator="explicit", **options):
    """Return a run that completed."""
    result = pm.simulate(mechanism, rtol=1e-9, formulation=formulation, integrator=integrator, **options)
    assert result.status is pm.Status.COMPLETED
    return result


@ways
@pytest.mark.parametrize("n", [1.0, -3.0])
def test_a_motor_starts_a_flywheel(formulation, integrator, n):
    """w = V/(n k) (1 - exp(-t/T)), i = V/R exp(-t/T), with T = J R/(n k)^2."""
    T = J * R / (n * K) ** 2
    result = moved(flywheel(direct(reduction=n)), formulation, integrator, duration=5.0 * T, samples=41)
    fade = np.exp(-result.t / T)
    top = V / (n * K)
    assert result.omega("disc") == pytest.approx(top * (1.0 - fade), abs=CLOSE * abs(top))
    assert result.angle("disc") == pytest.approx(top * (result.t - T * (1.0 - fade)), abs=CLOSE * abs(top) * T)
    assert result.force("motor", "current") == pytest.approx(V / R * fade, abs=CLOSE * V / R)
    assert result.force("motor") == pytest.approx(n * K * V / R * fade, abs=CLOSE * abs(n) * K * V / R)
    assert result.force("motor", "power") == pytest.approx(V**2 / R * fade, abs=CLOSE * V**2 / R)
    assert result.energy.kinetic == pytest.approx(0.5 * J * (top * (1.0 - fade)) ** 2, abs=CLOSE * J * top**2)


def test_half_of_what_a_start_takes_heats_the_winding():
    """Of the electrical energy V Q = J w0^2 half is left in the flywheel in the end, whatever the resistance is."""
    for resistance in (0.3, 3.0):
        T = J * resistance / K**2
        result = moved(flywheel(direct(resistance=resistance)), duration=20.0 * T, samples=2001)
        taken = simpson(result.force("motor", "power"), x=result.t)
        heat = simpson(resistance * result.force("motor", "current") ** 2, x=result.t)
        kinetic = 0.5 * J * (V / K) ** 2
        assert (taken, heat) == pytest.approx((2.0 * kinetic, kinetic), rel=1e-6)
        assert result.energy.kinetic[-1] == pytest.approx(kinetic, rel=1e-7)


@ways
def test_a_loaded_motor_turns_as_its_line_says(formulation, integrator):
    """w = V/(n k) - M R/(n k)^2: the straight line from no load to stall."""
    n, load = 4.0, 0.9
    stall = n * K * V / R
    drag = {"drag": forces.Torque(bodies=("ground", "disc"), torque=-load)}
    T = J * R / (n * K) ** 2
    result = moved(flywheel(direct(reduction=n), forces=drag), formulation, integrator, duration=25.0 * T, samples=5)
    assert result.omega("disc")[-1] == pytest.approx(V / (n * K) * (1.0 - load / stall), rel=1e-7)
    assert result.force("motor", "current")[-1] == pytest.approx(load / (n * K), rel=1e-7)


def test_a_motor_on_alternating_voltage_lags_as_its_time_constant_says():
    """The speed is a sine of amplitude V/k/sqrt(1 + (a T)^2), once the start has died away."""
    a = 2.0 * math.pi * 2.0
    T = J * R / K**2
    wave = signals.Sine(amplitude=V, frequency=2.0)
    result = moved(flywheel(direct(voltage=wave)), duration=20.0, samples=801)
    late = result.t > 19.0
    lag = math.atan(a * T)
    exact = V / K * math.cos(lag) * np.sin(a * result.t - lag)
    assert result.omega("disc")[late] == pytest.approx(exact[late], abs=1e-6 * V / K)


@ways
def test_a_motor_lifts_along_a_travel(formulation, integrator):
    """On a spindle with n rad per metre: m x'' = n k i - m g; it settles at the speed that carries the weight."""
    n, m, g = 200.0, 5.0, 9.81
    mechanism = Mechanism(
        name="hoist",
        gravity=(0.0, -g),
        points={"P": (0.0, 0.0)},
        bodies={"cage": Body(points=("P",), com=(0.0, 0.0), mass=m, inertia=0.1)},
        joints={"guide": joints.Prismatic(point="P", bodies=("ground", "cage"), axis=(0.0, 1.0))},
        forces={"motor": direct(joint="guide", reduction=n)},
    )
    T = m * R / (n * K) ** 2
    result = moved(mechanism, formulation, integrator, duration=6.0 * T, samples=31)
    top = V / (n * K) - m * g * R / (n * K) ** 2
    fade = np.exp(-result.t / T)
    assert result.rate("guide") == pytest.approx(top * (1.0 - fade), abs=CLOSE * top)
    assert result.coordinate("guide") == pytest.approx(top * (result.t - T * (1.0 - fade)), abs=CLOSE * top * T)
    current = m * g / (n * K) + (V / R - m * g / (n * K)) * fade
    assert result.force("motor", "current") == pytest.approx(current, abs=CLOSE * V / R)


@ways
def test_a_rotor_on_gears_counts_with_the_square_of_their_ratio(formulation, integrator):
    """A rotor of its own, geared 1 to 5: J + 25 Jr is started, with the reduction of the gears in place of a key."""
    rotor, n, a = 0.0003, 5.0, 0.06
    mechanism = Mechanism(
        name="gearmotor",
        points={"O": (0.0, 0.0), "M": (a, 0.0)},
        bodies={
            "disc": Body(points=("O",), com=(0.0, 0.0), mass=1.0, inertia=J),
            "rotor": Body(points=("M",), com=(a, 0.0), mass=0.2, inertia=rotor),
        },
        joints={
            "O": joints.Revolute(point="O", bodies=("ground", "disc")),
            "M": joints.Revolute(point="M", bodies=("ground", "rotor")),
            "mesh": joints.Gear(bodies=("rotor", "disc"), points=("M", "O"), teeth=(12, 60)),
        },
        forces={"motor": direct(joint="M")},
    )
    T = (J + n**2 * rotor) * R / (n * K) ** 2
    result = moved(mechanism, formulation, integrator, duration=5.0 * T, samples=21)
    exact = -V / (n * K) * (1.0 - np.exp(-result.t / T))
    assert result.omega("disc") == pytest.approx(exact, abs=CLOSE * V / (n * K))


def test_the_columns_and_units_of_a_motor():
    result = moved(flywheel(direct()), duration=0.1, samples=3)
    assert {"motor.effort", "motor.current", "motor.power"} <= set(result.columns())
    m = result.system.mechanism
    found = [columns.unit(m, columns.quantity(m, f"motor.{name}")) for name in ("effort", "current", "power")]
    assert found == ["N m", "A", "W"]
    assert pm.validate(flywheel(direct()), duration=1.0, samples=11).agreed


def test_a_motor_damps_what_it_drives():
    """Short-circuited it is a damper of (n k)^2/R: the damping of a mode on a spring says so."""
    spring = {"spring": forces.Torsion(bodies=("ground", "disc"), stiffness=0.5)}
    found = pm.modes(flywheel(direct(voltage=0.0, reduction=2.0), forces=spring), loads=True)
    w = math.sqrt(0.5 / J)
    assert found.damping == pytest.approx([(2.0 * K) ** 2 / R / (2.0 * J * w)], rel=1e-7)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: direct(resistance=0.0), 'key "resistance": must be above zero, got 0'),
        (lambda: direct(constant=-1.0), 'key "constant": must be above zero, got -1'),
        (
            lambda: direct(reduction=0.0),
            'key "reduction": must not be 0; a motor that turns with the joint itself has 1',
        ),
        (lambda: flywheel(direct(joint="P")), 'force "motor": joint "P" unknown'),
    ],
)
def test_what_no_motor_is_is_said_in_one_line(build, said):
    with pytest.raises(pm.ModelError, match=said) as caught:
        build()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("inductance", [0.0, 0.02])
@pytest.mark.parametrize("kind", ["planar", "spatial"])
@pytest.mark.parametrize("units", ["kg-mm", "slug-inch"])
def test_volts_and_amperes_are_those_of_si_in_all_systems_of_units(units: str, kind: str, inductance: float) -> None:
    """The same motor, its moment per ampere and inertia in other units: the same speeds, currents and watts."""
    third, axis = ("", "") if kind == "planar" else (", 0", ", axis = [0, 0, 1]")

    def started(of: str) -> pm.Result:
        inertia = '"1e-4 kg*m^2"' if kind == "planar" else '["1e-4 kg*m^2", "1e-4 kg*m^2", "1e-4 kg*m^2"]'
        return pm.simulate(
            loads(f"""
kind = "{kind}"
units = "{of}"
points = {{ O = [0, 0{third}] }}
bodies.rotor = {{ points = ["O"], mass = 1, com = [0, 0{third}], inertia = {inertia} }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "rotor"]{axis} }}
[forces.m]
type = "dc_motor"
joint = "O"
voltage = 24
resistance = 0.8
constant = "0.05 N*m"
inductance = {inductance}
[run]
duration = 0.05
samples = 6
""")
        )

    here, there = started("SI"), started(units)
    joules = there.mechanism.unit.joules
    np.testing.assert_allclose(there.rate("O"), here.rate("O"), rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(there.force("m", "current"), here.force("m", "current"), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(there.force("m") * joules, here.force("m"), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(there.force("m", "power") * joules, here.force("m", "power"), rtol=1e-6, atol=1e-4)
