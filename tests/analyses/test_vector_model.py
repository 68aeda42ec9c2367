"""Vector models: closed forms, finite differences, power, both ways through the dynamics, and verdicts."""

from __future__ import annotations

import math
import tomllib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from particlemech import signals
from particlemech.analyses.vectors import (
    Connection,
    Cross,
    Dot,
    Element,
    Given,
    Loop,
    Unknown,
    Vector,
    VectorModel,
    accelerations,
    assembled,
    assemblies,
    driven,
    dynamics,
    judged,
    kinetics,
    piston_crank,
    rssr,
    turned,
    velocities,
)
from particlemech.analyses.vectors.matrices import C
from particlemech.analyses.vectors.relations import At
from particlemech.errors import ModelError, SimulationError
from particlemech.model.signals import Linear, Sine
from tests.support.vector_problems import CASES, RIGHT, X, Y, Z, figure_2_square, four_bar, parallel_cranks, unknown

RATE = 20.0  # rad/s
C6, S6 = math.cos(0.6), math.sin(0.6)
PERIOD = 2.0 * math.pi / RATE
CRANK, ROD = 0.1, 0.35
WAVE = Sine(amplitude=0.9, frequency=1.0 / PERIOD, phase=0.4)  # a drive that accelerates


def quadratic(angle, rate, acceleration):
    """Return a signal with a given value, rate and acceleration at t = 0."""
    size, phase = math.hypot(rate, acceleration), math.atan2(-acceleration, rate)
    offset = angle - size * math.sin(phase)
    return Sine(amplitude=size, frequency=0.5 / math.pi, phase=phase, offset=offset)


def slider(angle, rate, acceleration, sign=1.0):
    """Return place, rate and acceleration of the slider of a piston-crank, closed form."""
    c, s = np.cos(angle), np.sin(angle)
    q = np.sqrt(ROD**2 - (CRANK * s) ** 2)
    first = -CRANK * s - sign * CRANK**2 * s * c / q  # dx/dangle
    second = -CRANK * c - sign * (CRANK**2 * (c * c - s * s) / q + (CRANK**2 * s * c) ** 2 / q**3)
    return np.array([CRANK * c + sign * q, first * rate, second * rate**2 + first * acceleration])


def derivative(values):
    """Return the time derivative of samples of one period, axis 0, by Fourier series."""
    k = np.fft.rfftfreq(len(values), 1.0 / len(values))
    k[-1] = 0.0
    factor = (1j * k * RATE).reshape(-1, *[1] * (values.ndim - 1))
    return np.fft.irfft(factor * np.fft.rfft(values, axis=0), len(values), axis=0)


def relative(found, exact):
    """Return the largest difference beside the largest value."""
    return float(np.abs(found - exact).max() / np.abs(exact).max())


# -- piston-crank ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [piston_crank, figure_2_square], ids=["driven", "square"])
def test_the_piston_crank_has_the_reference_numbers_to_all_digits(model):
    v = velocities(assembled(model(quadratic(math.radians(40.0), 20.0, 50.0))))
    a = accelerations(v)
    assert v.pose.direction("R1") == pytest.approx([0.766044443119, 0.642787609687, 0.0], abs=5e-13)
    assert v.pose.direction("R2") == pytest.approx([0.982991024471, -0.183653602768, 0.0], abs=5e-13)
    assert v.pose.length("R3") == pytest.approx(0.4206513028767, abs=5e-14)
    assert v.length_dot("R3") == pytest.approx(-1.571817551921, abs=5e-13)
    assert a.length_ddot("R3") == pytest.approx(-36.82836120332, abs=5e-12)
    assert v.omega("R2") == pytest.approx([0.0, 0.0, -4.453140170002], abs=5e-13)
    assert a.omega_dot("R2") == pytest.approx([0.0, 0.0, 59.89476267391], abs=5e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("drive", [Linear(rate=RATE), WAVE], ids=["steady", "wave"])
def test_the_slider_follows_the_closed_form_over_a_full_turn(drive, side):
    t = np.linspace(0.0, PERIOD, 121)
    cycle = driven(piston_crank(drive, CRANK, ROD, side=side), t)
    exact = slider(*np.array([signals.values(drive, time) for time in t]).T, sign=side).T
    found = cycle.length("R3")
    errors = [relative(found[:, k], exact[:, k]) for k in range(3)]
    print(errors)
    assert max(errors) < 1e-12
    assert cycle.condition.max() < 10.0


def test_the_offset_slider_has_its_own_closed_form():
    angle, offset = 1.1, 0.07
    found = assembled(piston_crank(angle, CRANK, ROD, offset=offset))
    exact = CRANK * math.cos(angle) + math.sqrt(ROD**2 - (CRANK * math.sin(angle) - offset) ** 2)
    assert found.length("R3") == pytest.approx(exact, rel=1e-14)


def test_the_piston_crank_has_two_assemblies_told_apart_by_signs():
    one, other = assemblies(piston_crank(0.7, CRANK, ROD))
    assert one.length("R3") == pytest.approx(slider(0.7, 0.0, 0.0)[0], rel=1e-13)
    assert other.length("R3") == pytest.approx(slider(0.7, 0.0, 0.0, sign=-1.0)[0], rel=1e-13)
    assert one.signature.orientation == -other.signature.orientation != 0
    assert (one.signature.signs["R2 . R3"], other.signature.signs["R2 . R3"]) == (1, -1)
    assert "orientation +" in str(one.signature)


# -- derivatives of the relations --------------------------------------------------------------------------------------

number = st.floats(-1.0, 1.0)
direction = st.tuples(number, number, number).filter(lambda v: 0.3 < math.hypot(*v))


class Turning:
    """A unit vector that turns about an axis and a length that changes, both not steadily."""

    def __init__(self, start, axis, rates, lengths):
        self.parameters = turned(start, axis, quadratic(0.0, *rates))
        self.axis = np.array(axis) / np.linalg.norm(axis)
        self.rates, self.lengths = rates, lengths

    def x(self, t):
        a, b, c = self.lengths
        return [*(p.values(t)[0] for p in self.parameters), a + b * t + 0.5 * c * t * t]

    @property
    def w(self):
        return [*(self.axis * self.rates[0]), self.lengths[1]]

    @property
    def w_dot(self):
        return [*(self.axis * self.rates[1]), self.lengths[2]]


turning = st.builds(
    Turning, direction, direction, st.tuples(number, number), st.tuples(st.floats(0.5, 2.0), number, number)
)
RELATIONS = [
    Loop(vectors=["a", "-b", "c"]),
    Dot(vectors=["a", "b"], cosine=0.2),
    Cross(vectors=["a", "b"], result="c"),
]


def differences(f, h=2e-3):
    """Return first and second derivative at 0, by differences extrapolated twice."""

    def table(quotient):
        first = [quotient(h / 2**k) for k in range(3)]
        second = [(4.0 * b - a) / 3.0 for a, b in pairwise(first)]
        return (16.0 * second[1] - second[0]) / 15.0

    return (
        table(lambda h: (f(h) - f(-h)) / (2.0 * h)),
        table(lambda h: (f(h) - 2.0 * f(0.0) + f(-h)) / h**2),
    )


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: type(r).__name__)
@given(vectors=st.tuples(turning, turning, turning))
def test_rows_of_velocity_and_acceleration_are_derivatives_of_the_relations(relation, vectors):
    index = {"a": 0, "b": 1, "c": 2}

    def x(t):
        return np.concatenate([v.x(t) for v in vectors])

    def at(values):
        return At(index, values)

    P = x(0.0).reshape(-1, 4)[:, :3]
    w, w_dot = (np.array([getattr(v, name) for v in vectors]) for name in ("w", "w_dot"))
    x_dot, x_ddot = w.copy(), w_dot.copy()
    for n in range(3):
        x_dot[n, :3] = C(P[n]) @ w[n, :3]
        x_ddot[n, :3] = C(P[n]) @ w_dot[n, :3] + C(x_dot[n, :3]) @ w[n, :3]
    now, slopes = at(x(0.0)), relation.slopes(at(x(0.0)))
    first, second = differences(lambda t: relation.residual(at(x(t))))
    assert slopes @ x_dot.ravel() == pytest.approx(first, abs=1e-10)
    assert slopes @ x_ddot.ravel() + relation.products(now, at(x_dot.ravel())) == pytest.approx(second, abs=1e-7)


def test_the_cross_product_as_printed_has_the_other_sign():
    model = VectorModel(
        vectors={
            "n": Vector(direction=X),
            "m": Vector(direction=(0.6, 0.8, 0.0)),
            "h": Vector(direction=unknown(z=1.0)),
        },
        relations={"normal": Cross(vectors=["n", "m"], result="h")},
    )
    model = model.replaced(vectors={"h": Vector(direction=unknown(z=1.0), length=Unknown(guess=1.0))})
    found = assembled(model).vector("h")
    assert found == pytest.approx([0.0, 0.0, 0.8])
    assert C(np.array(X)) @ [0.6, 0.8, 0.0] == pytest.approx(-found)


def test_the_second_dot_product_of_the_printed_velocities_is_wrong_in_space():
    P1, P2, P4 = np.array([0.8, 0.6, 0.0]), np.array([0.6, -0.8, 0.0]), np.array(Z)
    W2, W4 = np.array([0.5, -0.3, 0.7]), np.array([0.2, 0.4, -0.6])
    true = np.cross(W2, P2) @ P4 + np.cross(W4, P4) @ P2
    printed = np.cross(W2, P1) @ P4 + np.cross(W4, P4) @ P2
    now = At({"2": 0, "4": 1}, np.concatenate([P2, [1.0], P4, [1.0]]))
    row = Dot(vectors=["2", "4"], cosine=RIGHT).slopes(now)[0]
    assert row @ np.concatenate([C(P2) @ W2, [0.0], C(P4) @ W4, [0.0]]) == pytest.approx(true, abs=1e-15)
    assert abs(printed - true) > 0.1


# -- RSSR --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def turn():
    """Return a full turn of the RSSR at a steady rate, without its last sample."""
    return driven(rssr(Linear(rate=RATE)), np.linspace(0.0, PERIOD, 257)[:-1])


def test_the_rssr_keeps_the_length_of_its_coupler_and_its_rocker_on_its_axis(turn):
    gaps = []
    for pose in turn.poses:
        B, D = pose.vector("R1"), pose.vector("R0") + pose.vector("R3")
        gaps += [np.linalg.norm(D - B) / 0.45 - 1.0, np.linalg.norm(pose.vector("R3")) / 0.3 - 1.0]
        gaps += [pose.direction("R3") @ pose.direction("A3"), pose.gap]
    print(np.abs(gaps).max())
    assert np.abs(gaps).max() < 1e-12


@pytest.mark.parametrize("name", ["R1", "R2", "R3", "N3"])
def test_rates_and_accelerations_of_the_rssr_are_derivatives_of_its_places(turn, name):
    R = turn.vector(name)
    errors = [relative(R[:, k + 1], derivative(R[:, k])) for k in (0, 1)]
    print(errors)
    assert max(errors) < 1e-9
    alpha = turn.omega(name)
    assert np.abs(alpha[:, 1] - derivative(alpha[:, 0])).max() < 1e-9 * RATE * np.abs(alpha[:, 0]).max()


def test_rates_of_the_rssr_equal_finite_differences_on_an_unsteady_drive():
    model, t0, h = rssr(WAVE), 0.11, 1e-3
    times = t0 + h * np.array([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])
    cycle = driven(model, times)
    R = {round((t - t0) / h, 2): row for t, row in zip(times, cycle.vector("R3")[:, 0], strict=True)}
    first, second = differences(lambda t: R[round(t / h, 2)], h)
    found = cycle.vector("R3")[3]
    print(relative(found[1], first), relative(found[2], second))
    assert relative(found[1], first) < 1e-7
    assert relative(found[2], second) < 1e-7


def test_both_assemblies_of_the_rssr_are_found_and_told_apart():
    model = rssr(0.7)
    poses = assemblies(model)
    assert len(poses) == 2
    assert [p.signature.orientation for p in poses] == [1, -1] or [p.signature.orientation for p in poses] == [-1, 1]
    assert poses[0].signature.signs["R2 x R3 . A3"] == -poses[1].signature.signs["R2 x R3 . A3"] != 0
    # the closure in the angle of the rocker, a cos + b sin = c, has the same two
    base, A = poses[0].vector("R0") - poses[0].vector("R1"), poses[0].direction("A3")
    e = np.cross(A, X) / np.linalg.norm(np.cross(A, X))
    f = np.cross(A, e)
    a, b, c = 2 * 0.3 * base @ e, 2 * 0.3 * base @ f, 0.45**2 - 0.3**2 - base @ base
    exact = np.arctan2(b, a) + np.array([1.0, -1.0]) * math.acos(c / math.hypot(a, b))
    found = [math.atan2(p.direction("R3") @ f, p.direction("R3") @ e) for p in poses]
    assert np.sort(np.cos(found)) == pytest.approx(np.sort(np.cos(exact)), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_random_rssrs_have_as_many_assemblies_as_their_closure_has_roots(seed):
    rng = np.random.default_rng([1984, seed])
    lengths, base = rng.uniform(0.1, 1.0, 3), 0.6 * rng.normal(size=3)
    axes, guess = rng.normal(size=(2, 3)), rng.normal(size=3)
    model = rssr(1.0, lengths=lengths, base=base, crank_axis=axes[0], rocker_axis=axes[1], rocker=guess)
    gap = base - lengths[0] * np.array([p.values(0.0)[0] for p in model.vectors["R1"].direction])
    across = gap - axes[1] * (axes[1] @ gap) / (axes[1] @ axes[1])
    cosine = (lengths[1] ** 2 - lengths[2] ** 2 - gap @ gap) / (2.0 * lengths[2] * np.linalg.norm(across))
    if abs(cosine) > 1.0:
        assert judged(model).kind == "does not close"
        with pytest.raises(ModelError, match="no assembly from 21 starts"):
            assemblies(model, starts=20)
    else:
        one, other = assemblies(model, starts=20)
        assert one.signature.orientation == -other.signature.orientation != 0


def test_a_guess_chooses_the_assembly_and_the_drive_stays_on_it():
    first, second = assemblies(rssr(Linear(rate=RATE)))
    for start in (first, second):
        cycle = driven(rssr(Linear(rate=RATE)), np.linspace(0.0, PERIOD, 30), start)
        assert {p.signature.orientation for p in cycle.poses} == {start.signature.orientation}
        assert cycle.vector("R3")[-1, 0] == pytest.approx(start.vector("R3"), abs=1e-12)


# -- dynamics ----------------------------------------------------------------------------------------------------------


def energy(model, v):
    """Return kinetic and potential energy."""
    total = 0.0
    for name, element in model.elements.items():
        now = kinetics.placed(v, name)
        total += 0.5 * element.mass * now.com_dot @ now.com_dot + 0.5 * now.omega @ now.I @ now.omega
        total -= element.mass * np.array(model.gravity) @ now.com
    return total


def torques(cycle):
    """Return the torque of the drive over a cycle."""
    return np.array([d.moment("crank")[2] for d in cycle.dynamics])


def unbalanced(cycle):
    """Return the power that the drive of a steady turn misses, beside the largest."""
    power = derivative(np.array([energy(cycle.model, v) for v in cycle.velocities]))
    return relative(torques(cycle) * RATE, power)


def test_the_torque_of_the_drive_is_that_of_the_power_balance(turn):
    print(unbalanced(turn))
    assert {d.form for d in turn.dynamics} == {"uncoupled"}
    assert all(d.undetermined == () for d in turn.dynamics)
    assert unbalanced(turn) < 1e-9


def test_moments_with_the_printed_sign_give_a_wrong_torque_without_a_sign_of_it(turn, monkeypatch):
    monkeypatch.setattr(kinetics, "lever", C)
    wrong = driven(turn.model, turn.t)
    assert unbalanced(wrong) > 0.1


@pytest.mark.parametrize("element", ["crank", "coupler", "rocker"])
def test_rates_of_momentum_are_derivatives_of_momentum(turn, element):
    mass = turn.model.elements[element].mass
    seen = [kinetics.placed(v, element) for v in turn.velocities]
    momentum = np.array([[*(mass * s.com_dot), *(s.I @ s.omega)] for s in seen])
    rows = [kinetics._inertia(v, element) for v in turn.velocities]
    rates = np.array([M @ a.w + rest for (M, rest), a in zip(rows, turn.accelerations, strict=True)])
    for part in (slice(0, 3), slice(3, 6)):
        error = np.abs(rates[:, part] - derivative(momentum[:, part])).max()
        assert error < 1e-9 * RATE * np.abs(momentum[:, part]).max()


def test_forward_dynamics_invert_inverse_dynamics():
    errors = []
    for t in np.linspace(0.0, PERIOD, 9):
        drive = quadratic(0.3 + RATE * t, RATE, 70.0)
        inverse = dynamics(velocities(assembled(rssr(drive))))
        model = rssr(drive, until="rate", torque=float(inverse.moment("crank")[2]), coupler_spin=Unknown())
        forward = dynamics(velocities(assembled(model)))
        assert (inverse.form, forward.form) == ("uncoupled", "coupled")
        for name in ("R1", "R2", "R3"):
            exact = inverse.accelerations.omega_dot(name)
            errors.append(relative(forward.accelerations.omega_dot(name), exact))
        for name in inverse.connections:
            errors.append(relative(forward.connections[name], inverse.connections[name]))
    print(max(errors))
    assert max(errors) < 1e-9


def test_the_coupled_and_the_uncoupled_form_find_the_same(turn):
    for v, one in zip(turn.velocities[::32], turn.dynamics[::32], strict=True):
        other = dynamics(v, "coupled")
        assert other.form == "coupled"
        assert other.size > one.size
        assert other.accelerations.w == pytest.approx(one.accelerations.w, rel=1e-9, abs=1e-9)
        for name in one.connections:
            assert other.connections[name] == pytest.approx(one.connections[name], rel=1e-9, abs=1e-9)


def flat_coupler(spin):
    """Return an RSSR whose coupler is a flat bar that may spin, and its place about itself."""
    model = rssr(quadratic(0.7, RATE, 30.0), coupler_spin=spin)
    coupler = model.elements["coupler"]
    bar = Element(
        principal="R2",
        plane="B2",
        mass=coupler.mass,
        inertia=(6e-4, 0.0189, 0.0193),
        path=coupler.path,
        reaches="end",
        nodes=coupler.nodes,
    )
    side = Vector(direction=(Given(motion=0.3, until="place"), Unknown(guess=0.5), Unknown(guess=-0.8)))
    return model.replaced(
        vectors={"B2": side},
        relations={"square": Dot(vectors=["R2", "B2"], cosine=RIGHT)},
        elements={"coupler": bar},
    )


def test_moments_decide_the_spin_of_a_flat_coupler():
    v = velocities(assembled(flat_coupler(Unknown(guess=3.0))))
    found = dynamics(v)
    assert found.form == "coupled"
    P, Omega, alpha = v.pose.direction("R2"), v.omega("R2"), found.accelerations.omega_dot("R2")
    I = kinetics.placed(v, "coupler").I
    assert v.omega("B2") == pytest.approx(Omega, abs=1e-12)
    assert P @ Omega == pytest.approx(3.0, abs=1e-13)
    # balls carry no moment along the coupler, by Euler's equation
    assert P @ (I @ alpha + np.cross(Omega, I @ Omega)) == pytest.approx(0.0, abs=1e-12)
    assert abs(P @ alpha) > 1.0
    # and the power of the drive is that of all inertia and weight
    power = 0.0
    for name, element in v.pose.of.model.elements.items():
        now = kinetics.placed(v, name)
        M, rest = kinetics._inertia(v, name)
        W_dot = M @ found.accelerations.w + rest
        power += (W_dot[:3] - element.mass * np.array([0.0, 0.0, -9.81])) @ now.com_dot + W_dot[3:] @ now.omega
    assert found.moment("crank")[2] * RATE == pytest.approx(power, rel=1e-10)


def test_a_spin_that_moments_cannot_hold_is_refused():
    v = velocities(assembled(flat_coupler(0.0)))
    with pytest.raises(ModelError, match=r'no forces balance element\(s\) "coupler"; .* the spin of the principal'):
        dynamics(v)


def pendulum(angle, until="rate", torque=0.0):
    """Return a rod that hangs from an axis along 2."""
    rod = Element(
        principal="R",
        mass=2.0,
        inertia=(0.0, 2.0 * 0.6**2 / 12.0, 2.0 * 0.6**2 / 12.0),
        path=["R"],
        reaches="end",
        nodes={"pin": (-0.3, 0.0, 0.0), "end": (0.3, 0.0, 0.0)},
    )
    pin = Connection(nodes=["ground", "rod.pin"], force="unknown", moment=["unknown", torque, "unknown"])
    return VectorModel(
        gravity=(0.0, 0.0, -9.81),
        vectors={
            "R": Vector(direction=turned((0.0, 0.0, -1.0), Y, angle, until), length=0.6),
            "A": Vector(direction=Y),
        },
        relations={"pin": Dot(vectors=["R", "A"], cosine=RIGHT)},
        elements={"rod": rod},
        connections={"pin": pin},
    )


def test_a_pendulum_swings_as_it_should():
    angle, rate = 0.5, 1.3
    found = dynamics(velocities(assembled(pendulum(Linear(offset=angle, rate=rate)))))
    alpha = -1.5 * 9.81 / 0.6 * math.sin(angle)
    assert found.form == "coupled"
    assert found.accelerations.omega_dot("R") == pytest.approx([0.0, alpha, 0.0], abs=1e-12)
    out = np.array([-math.sin(angle), 0.0, -math.cos(angle)])
    across = np.cross(Y, out)
    pull = 2.0 * (0.3 * alpha * across - 0.3 * rate**2 * out) + [0.0, 0.0, 2.0 * 9.81]
    assert found.force("pin") == pytest.approx(pull, abs=1e-12)
    held = dynamics(velocities(assembled(pendulum(angle, "acceleration", "unknown"))))
    assert held.form == "uncoupled"
    assert held.moment("pin")[1] == pytest.approx(2.0 * 9.81 * 0.3 * math.sin(angle), rel=1e-13)


def test_a_point_mass_on_a_telescope_needs_the_force_of_polar_coordinates():
    angle, length = quadratic(0.6, 3.0, -4.0), quadratic(0.5, 1.7, 2.5)
    model = VectorModel(
        vectors={"R": Vector(direction=turned(X, Z, angle), length=length)},
        elements={
            "m": Element(principal="R", mass=2.0, inertia=(0.0, 0.0, 0.0), path=["R"], nodes={"hook": (0.0, 0.0, 0.0)})
        },
        connections={"hand": Connection(nodes=["ground", "m.hook"], force="unknown", axes=["R", (-S6, C6, 0.0), Z])},
    )
    found = dynamics(velocities(assembled(model)))
    radial, across = 2.5 - 0.5 * 3.0**2, 0.5 * -4.0 + 2.0 * 1.7 * 3.0
    assert found.force("hand") == pytest.approx([2.0 * radial, 2.0 * across, 0.0], abs=1e-12)


def test_a_body_with_products_of_inertia_needs_the_moment_of_euler():
    axis, rate, acceleration = np.array([0.6, 0.0, 0.8]), 3.0, -2.0
    tensor = np.array([[0.5, 0.05, -0.1], [0.05, 0.7, 0.08], [-0.1, 0.08, 0.6]])
    motion = quadratic(0.9, rate, acceleration)
    start = np.array([[0.8, 0.6, 0.0], [0.0, 0.6, 0.8]])  # principal and plane vector
    model = VectorModel(
        vectors={name: Vector(direction=turned(s, axis, motion)) for name, s in zip("ab", start, strict=True)},
        elements={"top": Element(principal="a", plane="b", mass=1.0, inertia=tensor, nodes={"G": (0.0, 0.0, 0.0)})},
        connections={"hold": Connection(nodes=["ground", "top.G"], force="unknown", moment="unknown")},
    )
    found = dynamics(velocities(assembled(model)))
    turn = Rotation.from_rotvec(0.9 * axis)
    e1, side = turn.apply(start)
    e3 = np.cross(e1, side) / np.linalg.norm(np.cross(e1, side))
    A = np.array([e1, np.cross(e3, e1), e3]).T
    I, omega = A @ tensor @ A.T, rate * axis
    assert found.moment("hold") == pytest.approx(I @ (acceleration * axis) + np.cross(omega, I @ omega), abs=1e-12)
    assert found.force("hold") == pytest.approx(np.zeros(3), abs=1e-12)


def test_forces_that_equilibrium_leaves_open_are_named():
    model = pendulum(0.2, "acceleration", "unknown").replaced(
        connections={"second": Connection(nodes=["ground", "rod.end"], force=["unknown", 0.0, 0.0])}
    )
    found = dynamics(velocities(assembled(model)))
    assert {"second.force 1", "pin.force 1", "pin.moment 2"} <= set(found.undetermined)
    assert found.condition == math.inf


def test_what_is_left_open_by_kinematics_and_moments_is_named():
    v = velocities(assembled(rssr(0.7, coupler_spin=Unknown(), radius=1e-9)))
    with pytest.raises(ModelError, match='accelerations of vectors "R2" are left open'):
        dynamics(v)


# -- spins and rigid pairs ---------------------------------------------------------------------------------------------


def test_a_prescribed_spin_changes_nothing_but_itself():
    plain, spun = piston_crank(WAVE, CRANK, ROD), piston_crank(WAVE, CRANK, ROD)
    spin = Sine(amplitude=4.0, frequency=3.0, phase=0.2)
    rod = spun.vectors["R2"]
    spun = spun.replaced(vectors={"R2": Vector(direction=rod.direction, length=rod.length, spin=spin)})
    t = 0.07
    one, other = (accelerations(velocities(assembled(m, t))) for m in (plain, spun))
    P = one.pose.direction("R2")
    sigma, sigma_dot, _ = signals.values(spin, t)
    P_dot = np.cross(one.velocities.omega("R2"), P)
    assert P @ one.velocities.omega("R2") == pytest.approx(0.0, abs=1e-13)
    assert other.velocities.omega("R2") - one.velocities.omega("R2") == pytest.approx(sigma * P, abs=1e-12)
    change = other.omega_dot("R2") - one.omega_dot("R2")
    assert change == pytest.approx(sigma_dot * P + sigma * P_dot, abs=1e-11)
    assert other.vector_ddot("R2") == pytest.approx(one.vector_ddot("R2"), abs=1e-11)
    assert other.length_ddot("R3") == pytest.approx(one.length_ddot("R3"), rel=1e-12)


@pytest.mark.parametrize("axis", [X, Y, Z, (0.3, -0.5, 0.8)])
def test_vectors_of_a_rigid_element_turn_alike_in_all_components(axis):
    """A vector askew to its axis spins about itself; two components alone would not do for axes along 1 and 2."""
    A = np.array(axis) / np.linalg.norm(axis)
    start = A + 0.7 * np.cross(A, (0.2, 0.5, -0.4))
    model = VectorModel(
        vectors={
            "R": Vector(direction=turned(start, axis, quadratic(0.4, 2.0, -3.0)), length=2.0),
            "A": Vector(direction=A),
        },
        rigid=[("R", "A")],
    )
    found = accelerations(velocities(assembled(model)))
    assert found.velocities.omega("R") == pytest.approx(2.0 * A, abs=1e-13)
    assert found.velocities.omega("A") == pytest.approx(2.0 * A, abs=1e-13)
    assert found.omega_dot("R") == pytest.approx(-3.0 * A, abs=1e-12)


def test_a_rigid_pair_whose_angle_changes_is_refused():
    model = VectorModel(
        vectors={"R": Vector(direction=turned(X, Z, Linear(rate=1.0))), "A": Vector(direction=Y)},
        rigid=[("R", "A")],
    )
    with pytest.raises(ModelError, match=r'rows .*"A turns with R along 3".* contradict each other by'):
        velocities(assembled(model))


def test_an_angle_that_is_asked_for_has_its_rate():
    drive = Linear(rate=RATE, offset=0.4)
    model = piston_crank(drive, CRANK, ROD).replaced(relations={"tilt": Dot(vectors=["R2", "R3"])})
    v = velocities(assembled(model))
    assert v.pose.angle("tilt") == pytest.approx(math.asin(CRANK / ROD * math.sin(0.4)), rel=1e-13)
    assert v.angle_dot("tilt") == pytest.approx(-v.omega("R2")[2], rel=1e-12)


# -- verdicts ----------------------------------------------------------------------------------------------------------


def test_there_are_at_least_twenty_verdicts_of_every_kind():
    assert len(CASES) >= 20
    kinds = {"determined", "redundant", "too few", "toggle", "too many", "does not close"}
    assert {case.kind for case in CASES} == kinds


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict_names_rows_parameters_and_vectors(case):
    found = judged(case.model)
    print(found)
    equations, unknowns, rank = case.counts
    assert found.kind == case.kind
    assert (found.equations - found.idle, found.unknowns) == (equations, unknowns)
    assert rank in (found.rank, None)
    assert set(found.rows) == case.rows
    assert set(found.parameters) == case.parameters
    assert set(found.vectors) == case.vectors
    assert all(f'"{name}"' in str(found) for name in (*list(found.rows)[:12], *list(found.parameters)[:12]))


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.kind in ("too few", "too many", "does not close")], ids=lambda c: c.name
)
def test_a_model_with_such_a_verdict_is_not_assembled(case):
    with pytest.raises(ModelError, match=case.kind):
        assembled(case.model)


def test_velocities_in_a_toggle_are_refused_by_name():
    toggle = next(case for case in CASES if case.kind == "toggle")
    with pytest.raises(
        ModelError, match='velocities at t = 0: singular, rank 15 of 16: vectors "R1", "R2" are left open'
    ):
        velocities(assembled(toggle.model))


# -- toggles over a cycle ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_driven_four_bar_stops_where_its_coupler_and_rocker_are_stretched(side):
    crank, coupler, rocker, base = 0.6, 0.4, 0.5, 1.0
    angle = math.acos((crank**2 + base**2 - (coupler + rocker) ** 2) / (2.0 * crank * base))
    model = four_bar(Linear(rate=2.0, offset=0.5), crank, coupler, rocker, base, side)
    with pytest.raises(SimulationError) as caught:
        driven(model, np.linspace(0.0, 1.0, 41))
    message = str(caught.value)
    print(message)
    time = float(message.partition("t = ")[2].partition(":")[0])
    assert time == pytest.approx((angle - 0.5) / 2.0, abs=2e-9)
    assert 'vectors "R2", "R3" cannot follow' in message
    before = caught.value.result
    assert 0 < len(before.t) < 41
    assert before.t[-1] <= time < before.t[-1] + 1.0 / 40.0 + 1e-9
    assert {np.sign(np.cross(p.direction("R2"), p.direction("R3"))[2]) for p in before.poses} == {side}


def test_a_coarse_cycle_never_jumps_to_the_other_assembly():
    """The toggle lies between two samples that both exist on the other side of it as well."""
    crank, coupler, rocker, base = 0.6, 0.4, 0.5, 1.0
    model = four_bar(Linear(rate=2.0, offset=0.5), crank, coupler, rocker, base)
    with pytest.raises(SimulationError, match="stopped at a toggle"):
        driven(model, [0.0, math.pi - 0.5])


def test_a_parallelogram_stops_at_its_change_point():
    model = four_bar(Linear(rate=2.0, offset=0.5), 0.4, 1.0, 0.4, 1.0)
    with pytest.raises(SimulationError, match=r"stopped at a change point, .* at t = 1\.3207963"):
        driven(model, np.linspace(0.0, 2.0, 21))


def test_a_third_parallel_crank_follows_the_others():
    cycle = driven(parallel_cranks(Linear(rate=1.0, offset=0.4)), np.linspace(0.0, 2.6, 27))
    for pose in cycle.poses:
        assert pose.direction("R3") == pytest.approx(pose.direction("R1"), abs=1e-12)
    assert cycle.omega("R3")[:, 0, 2] == pytest.approx(np.ones(27), abs=1e-11)


def test_a_toggle_that_a_redundant_row_carries_over_is_none():
    """Rod and crank are equal: the slider follows 2 r cos, and a given tilt of the rod leads it past the middle."""
    angle, twice = Linear(rate=1.0, offset=0.5), Linear(rate=2.0, offset=1.0)
    plain = piston_crank(angle, 0.2, 0.2)
    between, tilt = Dot(vectors=["R1", "R2"], angle=twice), Dot(vectors=["R2", "R3"], angle=angle)
    vectors, t = dict(plain.vectors), np.linspace(0.0, 2.0, 11)
    vectors["R2"] = Vector(direction=unknown(0.9, -0.5), length=0.2)
    vectors["R3"] = Vector(direction=X, length=Unknown(guess=0.35))
    led = VectorModel(vectors=vectors, relations={"between": between, "loop": plain.relations["loop"], "tilt": tilt})
    cycle = driven(led, t)
    assert cycle.length("R3")[:, 0] == pytest.approx(0.4 * np.cos(t + 0.5), abs=1e-12)
    # its first independent rows lose rank in the middle, though all rows together do not
    assert {p.signature.orientation for p in cycle.poses} == {1, -1}
    with pytest.raises(SimulationError, match=r"at t = 1\.0707963"):
        driven(led.replaced(relations={"tilt": None}), t)


def test_a_crank_rocker_turns_fully_on_both_assemblies():
    for side in (1.0, -1.0):
        cycle = driven(four_bar(Linear(rate=RATE), side=side), np.linspace(0.0, PERIOD, 5))
        assert cycle.vector("R3")[-1, 0] == pytest.approx(cycle.vector("R3")[0, 0], abs=1e-12)
        assert len({p.signature.orientation for p in cycle.poses}) == 1


# -- descriptions ------------------------------------------------------------------------------------------------------

TEXT = """
name = "piston-crank"
[vectors]
R1 = { direction = [{ type = "circular", cosine = 1.0, angle = { type = "linear", rate = 20.0 } },
                    { type = "circular", sine = 1.0, angle = { type = "linear", rate = 20.0 } }, 0.0], length = 0.1 }
R2 = { direction = [{ type = "unknown", guess = 1.0 }, { type = "unknown" }, { type = "unknown" }], length = 0.35 }
R3 = { direction = [1.0, 0.0, 0.0], length = { type = "unknown", guess = 0.35 } }
R4 = { direction = [0.0, 0.0, 1.0] }
[relations]
loop = { type = "loop", vectors = ["R1", "R2", "-R3"] }
crank = { type = "dot", vectors = ["R1", "R4"], cosine = 0.0 }
rod = { type = "dot", vectors = ["R2", "R4"], cosine = 0.0 }
"""


def test_a_model_may_be_tables_as_a_file_holds_them():
    model = VectorModel(**tomllib.loads(TEXT))
    t = 0.013
    assert assembled(model, t).x == pytest.approx(assembled(piston_crank(Linear(rate=20.0)), t).x, abs=1e-15)
    assert model == VectorModel(**tomllib.loads(TEXT))
    assert hash(model) == hash(VectorModel(**tomllib.loads(TEXT)))


GOOD = tomllib.loads(TEXT)
FAULTS = [
    ({"vectors": {}}, "needs at least one vector"),
    ({"relations": {"loop": {"type": "lop", "vectors": ["R1", "R2"]}}}, r"did you mean \"loop\""),
    ({"relations": {"loop": {"type": "loop", "vectors": ["R1", "-R9"]}}}, r'relation "loop": vector "R9" unknown'),
    ({"relations": {"loop": {"type": "loop", "vectors": ["R1"]}}}, "at least 2 vectors, got 1"),
    ({"relations": {"loop": {"type": "loop", "vectors": ["R1", "-R1"]}}}, '"R1" stands there twice'),
    ({"relations": {"d": {"type": "dot", "vectors": ["R1", "R1"]}}}, "no angle to itself"),
    ({"relations": {"d": {"type": "dot", "vectors": ["R1", "R2"], "cosine": 1.5}}}, "between -1 and 1, got 1.5"),
    ({"relations": {"d": {"type": "dot", "vectors": ["R1", "R2"], "cosine": 1, "angle": 0}}}, "say the same"),
    ({"relations": {"d": {"type": "dot", "vectors": ["R1", "R2"], "cosin": 1}}}, 'did you mean "cosine"'),
    ({"relations": {"c": {"type": "cross", "vectors": ["R1", "R2"]}}}, 'key "result" is missing; add it'),
    ({"relations": {"c": {"type": "cross", "vectors": ["R1", "R2"], "result": "R1"}}}, "three different vectors"),
    ({"vectors": {"R1": {"direction": [1, 0]}}}, "expected three parameters, got 2"),
    ({"vectors": {"R1": {"direction": [1, 0, {"type": "step", "time": 0, "after": 1}]}}}, "a step jumps"),
    ({"vectors": {"-R1": {"direction": [1, 0, 0]}}, "relations": {}}, "rename it"),
    ({"rigid": [["R1", "R7"]]}, 'key "rigid": vector "R7" unknown'),
    (
        {"elements": {"e": {"principal": "R1", "mass": 1.0, "inertia": [1, 1, 1], "reaches": "tip"}}},
        'no node "tip"',
    ),
    ({"elements": {"e": {"principal": "R1", "mass": 1.0, "inertia": [1, 1.5, 2]}}}, 'key "plane" is missing'),
    (
        {"elements": {"e": {"principal": "R1", "plane": "R1", "mass": 1.0, "inertia": [1, 1, 1]}}},
        "is the principal vector",
    ),
    ({"connections": {"c": {"nodes": ["ground", "e.tip"]}}}, 'element "e" unknown'),
    ({"connections": {"c": {"nodes": ["e.tip", "ground"]}}}, "the ground stands second"),
]


@pytest.mark.parametrize(("change", "words"), FAULTS, ids=[words for _, words in FAULTS])
def test_a_fault_is_told_in_one_line(change, words):
    with pytest.raises(ModelError, match=words) as caught:
        VectorModel(**{**GOOD, **change})
    assert str(caught.value).isprintable()


def test_names_that_are_unknown_are_told_with_those_that_are_not():
    v = velocities(assembled(rssr(0.7)))
    found = dynamics(v)
    for ask in (v.pose.direction, v.omega, found.force, v.pose.angle, lambda name: kinetics.placed(v, name)):
        with pytest.raises(ModelError, match='"Q7"'):
            ask("Q7")
    with pytest.raises(ModelError, match='form "copled" unknown'):
        dynamics(v, "copled")
    with pytest.raises(ModelError, match="times of a cycle must increase"):
        driven(rssr(0.7), [1.0, 0.0])
