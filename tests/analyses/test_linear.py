"""Rest, small motions and their response in the plane and in space: closed forms, high-precision potentials, runs."""

import math
import sys
import types

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.signal import StateSpace

import particlemech as pm
from particlemech import Body, Mechanism, forces, joints, models
from particlemech.analyses.vibration.balance import Balance, stood
from particlemech.analyses.vibration.conditions import held
from particlemech.errors import ModelError
from particlemech.model.drivers import Coordinate
from particlemech.model.signals import Linear
from particlemech.model.toml import loads
from tests.analyses import test_loop_modes as spatial
from tests.support.shipped import SMOOTH

G = 9.81


def plane(**keys):
    """Return a mechanism in the plane, with weight."""
    return Mechanism(**({"gravity": (0.0, -G)} | keys))


# -- a four-bar on springs: the same as in space, against its potential in one angle ---------------------------------


def four_bar(**changes):
    """Return the four-bar of test_loop_modes in the plane, drawn with the crank at DRAWN."""
    A, B = spatial.pose(spatial.DRAWN)
    at = {"O": spatial.O, "A": A, "B": B, "C": spatial.C}
    ends = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "C")}
    pins = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    return plane(
        points={p: (float(x), float(y)) for p, (x, y) in at.items()},
        bodies={b: Body(points=two, mass=spatial.MASS[b]) for b, two in ends.items()},
        joints={p: joints.Revolute(bodies=two, point=p) for p, two in pins.items()},
        forces={
            "coil": forces.Torsion(joint="O", stiffness=spatial.STIFFNESS, angle=spatial.WOUND),
            "pull": forces.Spring(
                bodies=("ground", "rocker"), points=(tuple(spatial.ANCHOR.tolist()), "B"), stiffness=spatial.PULL,
                length=spatial.FREE,
            ),
        }
        | changes,
    )  # fmt: skip


def slope(angle):
    return spatial.derivative(spatial.potential, angle)


def curvature(angle):
    return spatial.derivative(slope, angle)


@pytest.fixture(scope="module")
def balanced():
    return brentq(slope, spatial.DRAWN, spatial.DRAWN + 2.5, xtol=1e-14)


def test_a_four_bar_rests_where_its_potential_is_least_and_swings_as_its_energies_say(balanced):
    found = pm.equilibrium(four_bar())
    assert isinstance(found, pm.Result) and found.stability == ("stable",)
    assert found.coordinate("O")[0] == pytest.approx(balanced - spatial.DRAWN, abs=1e-9)
    assert found["B"][0] == pytest.approx(spatial.pose(balanced)[1], abs=1e-9)
    omega = math.sqrt(curvature(balanced) / spatial.inertia(balanced))
    modes = pm.modes(four_bar(), "equilibrium")
    assert modes.omega == pytest.approx([omega], rel=1e-7)
    assert np.sort_complex(modes.eigenvalues) == pytest.approx([-1j * omega, 1j * omega], rel=1e-7)


def bistable():
    """Return the four-bar on a weak coil: it rests on both sides of an upright that is unstable."""
    weak = forces.Torsion(joint="O", stiffness=0.2, angle=0.0)
    return four_bar(coil=weak, pull=forces.Spring(bodies=("ground", "rocker"), points=((0.7, 0.4), "B"), stiffness=1.0))


def test_stable_and_unstable_rest_and_the_eigenvalues_there(monkeypatch):
    m = bistable()
    drawn = float(np.linalg.norm(spatial.pose(spatial.DRAWN)[1] - spatial.ANCHOR))
    for name, value in {"STIFFNESS": 0.2, "WOUND": 0.0, "PULL": 1.0, "FREE": drawn}.items():
        monkeypatch.setattr(spatial, name, value)
    # a crank-rocker: its crank turns fully, and all rest positions are zeros of the slope over a turn
    grid = spatial.DRAWN + np.linspace(-math.pi, math.pi, 400)
    wound = [slope(x) for x in grid]
    exact = [
        brentq(slope, a, b, xtol=1e-13)
        for a, b, f, g in zip(grid[:-1], grid[1:], wound[:-1], wound[1:], strict=True)
        if f * g < 0.0
    ]
    found = pm.equilibrium(m, all=True)
    assert "on any assembly" in found.searched and "hits" in found.searched
    within = [k for k, z in enumerate(found.coordinate("O")) if abs(z) < math.pi and found.own[k]]
    at = found.coordinate("O")[within] + spatial.DRAWN
    assert np.sort(at) == pytest.approx(exact, abs=1e-8)
    signs = {"stable": 1.0, "unstable": -1.0}
    assert {found.stability[k] for k in within} == {"stable", "unstable"}
    for k, angle in zip(within, at, strict=True):
        assert np.sign(curvature(angle)) == signs[found.stability[k]]
        square = curvature(angle) / spatial.inertia(angle)
        lam = pm.modes(m, found.sample(k)).eigenvalues
        assert lam**2 == pytest.approx([-square, -square], rel=1e-6)


def test_rest_is_found_on_the_other_assembly_too_where_the_energy_of_its_cycle_is_extreme():
    m = bistable()
    other = pm.assemblies(m, driver="O")[1]
    turn = pm.cycle(m, "O", range=(-2.0, 2.0), samples=4001, start=other)
    slopes = np.diff(turn.energy.potential)
    extremes = turn.coordinate("O")[1:-1][slopes[:-1] * slopes[1:] < 0.0]
    found = pm.equilibrium(m, all=True)
    at = [z for z, own in zip(found.coordinate("O"), found.own, strict=True) if not own and abs(z) < 2.0]
    assert len(extremes) and np.sort(at) == pytest.approx(extremes, abs=2e-3)
    assert "on another assembly" in str(found)


def test_a_chain_of_three_links_rests_in_all_its_eight_ways():
    """Each link hangs or stands; only one way is stable."""
    found = pm.equilibrium(pm.models.chain(3), all=True)
    angles = np.array([found.angle(f"link{k}") for k in range(1, 4)]).T
    ways = {tuple(np.round(np.sin(angle), 9)) for angle in angles}
    assert len(found.t) == 8 == len(ways) and found.stability.count("stable") == 1


def test_what_nothing_holds_rests_anywhere_and_is_one_answer():
    found = pm.equilibrium(pm.models.load("rms_arm"), all=True)
    assert found.stability == ("neutral",)


# -- a pendulum on parallel arms -------------------------------------------------------------------------------------


def parallelogram(arms=2, damping=0.03):
    """Return a plate of 2 kg on rods of 0.5 m and 0.3 kg, which hang at 0, 0.2, 0.4 m."""
    x = [0.2 * k for k in range(arms)]
    points = {f"O{k}": (x[k], 0.0) for k in range(arms)} | {f"A{k}": (x[k], -0.5) for k in range(arms)}
    rods = {f"rod{k}": Body(points=(f"O{k}", f"A{k}"), mass=0.3 if k < 2 else 1e-9) for k in range(arms)}
    plate = Body(points=tuple(f"A{k}" for k in range(arms)), mass=2.0, com=(0.1, -0.6), inertia=0.05)
    pins = {f"O{k}": joints.Revolute(point=f"O{k}", bodies=("ground", f"rod{k}")) for k in range(arms)}
    pins |= {f"A{k}": joints.Revolute(point=f"A{k}", bodies=(f"rod{k}", "plate")) for k in range(arms)}
    damper = forces.Torsion(joint="O0", damping=damping)
    return plane(points=points, bodies=rods | {"plate": plate}, joints=pins, forces={"damper": damper})


@pytest.mark.parametrize("arms", [2, 3])
def test_a_plate_on_parallel_arms_swings_as_a_damped_pendulum_with_a_redundant_arm_too(arms):
    c, L = 0.03, 0.5
    I = 2.0 * L**2 + 2.0 * 0.3 * L**2 / 3.0
    k = 2.0 * G * L + 2.0 * 0.3 * G * L / 2.0
    found = pm.modes(parallelogram(arms, c))
    exact = np.roots([I, c, k])
    assert len(found.eigenvalues) == 2
    assert np.sort_complex(found.eigenvalues) == pytest.approx(np.sort_complex(exact), rel=1e-7)
    assert found.damping == pytest.approx([c / (2.0 * math.sqrt(I * k))], rel=1e-7)


# -- a cart and its pendulum -----------------------------------------------------------------------------------------

CART, BOB, ARM = 2.0, 0.5, 0.8


def cart(world, up=1.0):
    """Return a cart on a rail along x with a point mass on an arm, drawn upright."""
    bob, z = (0.0, up * ARM), (0.0, 0.0, 1.0)
    if world == "plane":
        return plane(
            points={"P": (0.0, 0.0), "B": bob},
            bodies={
                "cart": Body(points=("P",), mass=CART, com=(0.0, 0.0), inertia=0.1),
                "arm": Body(points=("P", "B"), mass=BOB, com=bob, inertia=0.0),
            },
            joints={
                "rail": joints.Prismatic(bodies=("ground", "cart"), point="P", axis=(1.0, 0.0)),
                "pin": joints.Revolute(bodies=("cart", "arm"), point="P"),
            },
        )
    return pm.space.Mechanism(
        gravity=(0.0, -G, 0.0),
        points={"P": (0.0, 0.0, 0.0), "B": (*bob, 0.0)},
        bodies={
            "cart": pm.space.Body(points=("P",), mass=CART, com=(0.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1)),
            "arm": pm.space.Body(points=("P", "B"), mass=BOB, com=(*bob, 0.0), inertia=(0.0, 0.0, 0.0)),
        },
        joints={
            "rail": pm.space.joints.Prismatic(bodies=("ground", "cart"), point="P", axis=(1.0, 0.0, 0.0)),
            "pin": pm.space.joints.Revolute(bodies=("cart", "arm"), point="P", axis=z),
        },
    )


@pytest.mark.parametrize("world", ["plane", "space"])
def test_a_cart_and_its_pendulum_are_the_state_space_of_the_textbook(world):
    push = ("P", (1.0, 0.0) if world == "plane" else (1.0, 0.0, 0.0))
    outputs = ["rail.travel", "pin.angle", "P.ax"]
    found = pm.linearised(cart(world), inputs={"force": push, "motor": "pin"}, outputs=outputs)
    # upright: (M + m) x'' - m l phi'' = F,  -m l x'' + m l^2 phi'' - m g l phi = T
    M = np.array([[CART + BOB, -BOB * ARM], [-BOB * ARM, BOB * ARM**2]])
    K = np.diag([0.0, -BOB * G * ARM])
    assert found.freedoms == ("rail.travel", "pin.angle")
    assert found.M == pytest.approx(M, rel=1e-9) and found.K == pytest.approx(K, rel=1e-7, abs=1e-9)
    assert np.abs(found.C).max() < 1e-9
    A, B, C, D = found.matrices
    inverse = np.linalg.inv(M)
    assert A[2:, :2] == pytest.approx(-inverse @ K, rel=1e-7, abs=1e-8)
    assert B[2:] == pytest.approx(inverse, rel=1e-8)
    assert C[:2] == pytest.approx(np.eye(4)[:2], abs=1e-9) and np.abs(D[:2]).max() < 1e-12
    # the acceleration of the cart: its row of the equations
    assert C[2] == pytest.approx(A[2], rel=1e-6, abs=1e-7) and D[2] == pytest.approx(B[2], rel=1e-9)
    made = found.state_space()
    assert isinstance(made, StateSpace)
    one = math.sqrt((CART + BOB) * G / (CART * ARM))
    assert np.sort(np.linalg.eigvals(made.A).real) == pytest.approx([-one, 0.0, 0.0, one], rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("world", ["plane", "space"])
def test_a_motor_that_is_let_go_becomes_an_input(world):
    m = cart(world, up=-1.0)
    kind = Coordinate if world == "plane" else pm.space.drivers.Coordinate
    driven = m.replaced(drivers={"motor": kind(joint="rail", motion=Linear(rate=0.0))})
    assert pm.linearised(driven).freedoms == ("pin.angle",)
    assert [*pm.linearised(driven, inputs="motor").inputs] == ["motor", "motor_rate", "motor_acceleration"]
    free = pm.linearised(driven, inputs="motor", release="motor")
    assert free.freedoms == ("rail.travel", "pin.angle")
    assert free.F[:, 0] == pytest.approx([1.0, 0.0], abs=1e-10)
    # held by the motor the pendulum swings alone
    assert pm.modes(driven).omega == pytest.approx([math.sqrt(G / ARM)], rel=1e-8)
    assert pm.modes(m).omega == pytest.approx([0.0, math.sqrt((CART + BOB) * G / (CART * ARM))], rel=1e-7, abs=1e-4)
    assert pm.modes(m, hold="rail").omega == pytest.approx([math.sqrt(G / ARM)], rel=1e-8)


# -- steady rotation -------------------------------------------------------------------------------------------------


def turntable(rate, slides=1, k=300.0, c=0.0, released=False):
    """Return a mass of 2 kg that springs hold 0.3 m from the axis of a turntable, along one slide or two across."""
    here = (0.0, 0.0)
    bodies = {
        "table": Body(points=("O",), mass=5.0, com=here, inertia=0.4),
        "mass": Body(points=("P",), mass=2.0, com=here, inertia=1e-3),
    }
    ties = {"O": joints.Revolute(point="O", bodies=("ground", "table"))}
    springs = {"radial": forces.Torsion(joint="slide", stiffness=k, damping=c)}
    inner = "mass"
    if slides == 2:
        inner, bodies["frame"] = "frame", Body(points=(), mass=1e-12, com=here, inertia=1e-12)
        ties["across"] = joints.Prismatic(bodies=("frame", "mass"), point=here, axis=(0.0, 1.0))
        springs["tangential"] = forces.Torsion(joint="across", stiffness=k, damping=c)
    ties["slide"] = joints.Prismatic(bodies=("table", inner), point=here, axis=(1.0, 0.0))
    at = {"O": here, "P": here}
    motor = {} if released else {"motor": Coordinate(joint="O", motion=Linear(rate=rate))}
    initial = {"rate": {"O": rate}} if released else {}
    return plane(
        gravity=(0.0, 0.0), points=at, bodies=bodies, joints=ties, forces=springs, drivers=motor, initial=initial
    )


def test_a_mass_on_a_radial_spring_of_a_turntable_loses_the_square_of_the_speed():
    for rate in (0.0, 5.0, 11.0):
        assert pm.modes(turntable(rate)).omega == pytest.approx([math.sqrt(150.0 - rate**2)], rel=1e-8)
    beyond = pm.modes(turntable(13.0)).omega  # faster than the spring can bear
    assert beyond == pytest.approx([-math.sqrt(169.0 - 150.0)], rel=1e-7)


def test_a_mass_on_two_springs_of_a_turntable_goes_round_with_coriolis():
    """In axes at rest it circles with omega_0 both ways; on the table that is omega_0 -+ Omega."""
    rate, still = 5.0, math.sqrt(150.0)
    found = pm.modes(turntable(rate, slides=2))
    assert found.omega == pytest.approx([still - rate, still + rate], rel=1e-7)
    assert found.linear.C == pytest.approx(-found.linear.C.T, abs=1e-9)
    assert np.abs(found.linear.C[0, 1]) == pytest.approx(2.0 * 2.0 * rate, rel=1e-8)


def test_a_turntable_that_nothing_drives_keeps_its_angular_momentum():
    """k/m - Omega^2, and what the table answers to the mass going out: 4 m r^2 Omega^2/(J + m r^2); it turns on."""
    rate, k, m, J = 4.0, 200.0, 2.0, 0.7
    steady = m * rate**2 * 0.5 / (k - m * rate**2)
    bead = plane(
        gravity=(0.0, 0.0),
        points={"O": (0.0, 0.0), "P": (0.5, 0.0)},
        bodies={
            "table": Body(points=("O",), mass=5.0, com=(0.0, 0.0), inertia=J - 1e-3),
            "bead": Body(points=("P",), mass=m, com=(0.5, 0.0), inertia=1e-3),
        },
        joints={
            "O": joints.Revolute(point="O", bodies=("ground", "table")),
            "slide": joints.Prismatic(bodies=("table", "bead"), point="P", axis=(1.0, 0.0)),
        },
        forces={"spring": forces.Torsion(joint="slide", stiffness=k)},
        initial={"position": {"slide": steady}, "rate": {"O": rate, "slide": 0.0}},
    )
    r2 = (0.5 + steady) ** 2
    wanted = math.sqrt(k / m - rate**2 + 4.0 * m * r2 * rate**2 / (J + m * r2))
    assert pm.modes(bead).omega == pytest.approx([0.0, wanted], rel=1e-8, abs=1e-4)
    with pytest.raises(ModelError, match=r'no steady state: .* acts on "slide\.travel"'):
        pm.modes(bead.replaced(initial={"position": {"slide": 0.0}}))


@pytest.mark.parametrize("precession", [3.0, -8.0])
def test_a_top_nods_about_its_steady_precession_as_its_effective_potential_says(precession):
    """U = (p_z - p_s cos)^2/(2 A sin^2) + m g l cos, with the momenta of both turns, which nothing drives."""
    A, C, m, arm, tilt = 0.06, 0.01, 1.2, 0.2, 0.7  # A and C about the pivot
    spin = (A * precession**2 * math.cos(tilt) + m * G * arm) / (C * precession)
    gimbal = pm.space.Body(points=("O",), mass=1e-9, com=(0.0, 0.0, 0.0), inertia=(1e-12, 1e-12, 1e-12))
    across = A - m * arm**2
    disk = pm.space.Body(points=("O",), mass=m, com=(0.0, 0.0, arm), inertia=(across, across, C))
    axes = {"turn": (0.0, 0.0, 1.0), "nod": (1.0, 0.0, 0.0), "spin": (0.0, 0.0, 1.0)}
    ends = ("ground", "fork"), ("fork", "ring"), ("ring", "disk")
    ties = {
        name: pm.space.joints.Revolute(bodies=on, point="O", axis=axis)
        for (name, axis), on in zip(axes.items(), ends, strict=True)
    }
    rates = {"turn": precession, "nod": 0.0, "spin": spin - precession * math.cos(tilt)}
    top = pm.space.Mechanism(
        points={"O": (0.0, 0.0, 0.0)},
        bodies={"fork": gimbal, "ring": gimbal, "disk": disk},
        joints=ties,
        gravity=(0.0, 0.0, -G),
        initial={"position": {"nod": tilt}, "rate": rates},
    )
    s, c, p_s = math.sin(tilt), math.cos(tilt), C * spin
    p_z = A * precession * s**2 + p_s * c
    u = p_z - p_s * c
    curvature = (p_s**2 - 3.0 * p_s * u * c / s**2 + u**2 * (1.0 + 2.0 * c**2) / s**4) / A - m * G * arm * c
    found = pm.modes(top)
    assert found.omega[-1] == pytest.approx(math.sqrt(curvature / A), rel=1e-7)
    assert np.abs(found.omega[:-1]).max() < 1e-5


def governor(rate):
    """Return the exact square of the frequency of the shipped governor, from energies on the turning frame."""
    m = models.load("flyball_governor").replaced(drivers={"motor": {"motion": Linear(rate=rate)}})
    held_at = pm.equilibrium(m)
    return m, held_at


def test_a_governor_swings_in_its_turning_frame_as_its_effective_potential_says():
    """V - Omega^2 J/2 is least where it balances; V and J of poses that are held, by statics and momentum alone."""
    rate = 14.0
    m, rest = governor(rate)
    found = pm.modes(m, "equilibrium")
    at, still = float(rest.coordinate("slide")[0]), Linear(rate=0.0)

    def effective(x):
        posed = m.replaced(
            drivers={"motor": {"motion": still}}, initial={"position": {"slide": x}, "rate": {}, "omega": {}}
        )
        potential = pm.simulate(posed, duration=1e-9, samples=2).energy.potential[0]
        turned = posed.replaced(drivers={"motor": {"motion": Linear(rate=1.0)}}, initial={"rate": {"slide": 0.0}})
        J = 2.0 * pm.simulate(turned, duration=1e-9, samples=2).energy.kinetic[0]
        return potential - 0.5 * rate**2 * J

    h = 2e-3
    v = [effective(at + k * h) for k in (-2, -1, 0, 1, 2)]
    force = (8.0 * (v[3] - v[1]) - (v[4] - v[0])) / (12.0 * h)
    stiffness = (16.0 * (v[3] + v[1]) - (v[4] + v[0]) - 30.0 * v[2]) / (12.0 * h * h)
    assert abs(force) < 1e-4 * stiffness * 0.1
    moving = m.replaced(
        drivers={"motor": {"motion": still}}, initial={"position": {"slide": at}, "rate": {"slide": 1.0}}
    )
    inertia = 2.0 * pm.simulate(moving, duration=1e-9, samples=2).energy.kinetic[0]
    assert found.omega == pytest.approx([math.sqrt(stiffness / inertia)], rel=1e-5)


# -- modes, spectra, responses ---------------------------------------------------------------------------------------


def test_a_double_pendulum_of_rods_swings_as_two_angles_say():
    m = models.load("double_pendulum")
    found = pm.modes(m, "equilibrium")
    upper, lower = m.bodies["upper"], m.bodies["lower"]
    L = [math.dist(*(m.points[p] for p in body.points)) for body in (upper, lower)]
    (m1, m2), (I1, I2) = (upper.mass, lower.mass), (m.inertia("upper"), m.inertia("lower"))
    # absolute angles from the vertical
    M = np.array([[I1 + m1 * L[0] ** 2 / 4 + m2 * L[0] ** 2, m2 * L[0] * L[1] / 2], [0.0, I2 + m2 * L[1] ** 2 / 4]])
    M[1, 0] = M[0, 1]
    K = G * np.diag([m1 * L[0] / 2 + m2 * L[0], m2 * L[1] / 2])
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    assert found.omega == pytest.approx(exact, rel=1e-8)
    assert found.participation.sum(axis=0) == pytest.approx([1.0, 1.0])
    # shapes by name: the first point swings by its angle, and along x only
    assert found.shape("A")[0] == pytest.approx(L[0] * found.shape("O.angle"), rel=1e-9)
    assert found.shape("upper") == pytest.approx(found.shape("O.angle"), rel=1e-9)
    assert np.abs(found.shape("A")[1]).max() < 1e-9


@pytest.mark.parametrize("k", [0, 1])
def test_what_is_let_go_in_a_shape_swings_with_its_frequency_alone(k):
    m = models.load("double_pendulum")
    found = pm.modes(m, "equilibrium")
    swing = found.motion(k, amplitude=1e-3)
    assert swing.t[-1] == pytest.approx(1.0 / found.frequency[k])
    begin = {joint: float(swing.coordinate(joint)[0]) for joint in ("O", "A")}
    run = pm.simulate(
        m.replaced(initial={"position": begin}), duration=8.3 / found.frequency[k], samples=801, rtol=1e-11
    )
    x = run.coordinate("O") - float(np.mean(swing.coordinate("O")[:-1]))
    assert spatial.frequency(run, x) == pytest.approx(found.frequency[k], rel=1e-5)
    # and the linear motion is that of the run, but for what is of the second order
    linear = np.interp(run.t[:97] % swing.t[-1], swing.t, swing.coordinate("O"))
    assert run.coordinate("O")[:97] == pytest.approx(linear, abs=3e-3 * 1e-3 + 1e-5)


def test_a_damped_run_ends_where_the_equilibrium_is(balanced):
    damped = four_bar(damper=forces.Torsion(joint="O", damping=0.4))
    end = pm.simulate(damped, duration=40.0, samples=3, rtol=1e-9)
    found = pm.equilibrium(damped)
    assert end.coordinate("O")[-1] == pytest.approx(float(found.coordinate("O")[0]), abs=1e-7)
    assert end.reaction("C", on="rocker")[-1] == pytest.approx(found.reaction("C", on="rocker")[0], abs=1e-5)


def test_rest_is_found_from_a_run_in_which_a_ball_carries_a_body_that_else_closes_a_loop():
    m = models.load("piston_crank").replaced(drivers={"motor": {"motion": 0.3}})
    loss = pm.space.forces.Torsion(joint="B", damping=0.1)
    run = pm.simulate(m.replaced(forces={"loss": loss}), duration=0.1, samples=3)
    other = pm.simulate(m, duration=0.1, samples=3)
    assert "B" in run.system.compiled.stages_of and "B" not in other.system.compiled.stages_of
    found = pm.equilibrium(m, near=run)
    assert found["B"][0] == pytest.approx(run["B"][-1], abs=1e-12)


def test_a_driven_joint_that_is_held_stands_still_where_it_is():
    crank = models.load("flexible_slider_crank")
    with pytest.raises(ModelError, match=r"the start moves: .* hold what is driven, hold = \['O'\]"):
        pm.modes(crank)
    held = pm.modes(crank, hold="O")
    stopped = pm.modes(crank.replaced(drivers={"motor": {"motion": 0.0}}))
    assert held.omega == pytest.approx(stopped.omega, rel=1e-12)
    later = pm.modes(crank, pm.simulate(crank, duration=0.004, samples=2), hold="O", settle=False)
    assert float(later.linear.result.coordinate("O")[0]) == pytest.approx(150.0 * 0.004, rel=1e-12)


def oscillator(m=2.0, c=3.0, k=800.0):
    """Return a mass on a spring and a damper along x, with a load that may push it."""
    body = Body(points=("P",), mass=m, com=(0.0, 0.0), inertia=1.0)
    rail = joints.Prismatic(bodies=("ground", "mass"), point="P", axis=(1.0, 0.0))
    spring = forces.Torsion(joint="rail", stiffness=k, damping=c)
    push = forces.Load(body="mass", point="P", force=(5.0, 0.0))
    return plane(
        points={"P": (0.0, 0.0)}, bodies={"mass": body}, joints={"rail": rail}, forces={"spring": spring, "push": push}
    )


def test_a_platform_far_from_rest_falls_to_where_a_damped_run_ends():
    """No balance is near: the way down leads through poses in which its links fold."""
    platform = pm.models.load("platform_manipulator")
    rest = pm.equilibrium(platform)
    dampers = {f"loss {j}": pm.forces.Torsion(joint=j, damping=3.0) for j in platform.joints}
    run = pm.simulate(platform.replaced(forces=dampers), duration=60.0, samples=2)
    assert rest.stability == ("stable",)
    for joint in platform.joints:
        assert rest.coordinate(joint)[0] == pytest.approx(run.coordinate(joint)[-1], abs=1e-7)


@pytest.mark.parametrize("about", [None, "equilibrium"])
def test_the_response_of_an_oscillator_is_that_of_the_textbook(about):
    m, c, k = 2.0, 3.0, 800.0
    f = np.array([0.0, 1.0, 3.0, 3.2, 10.0, 50.0])
    w = 2.0 * math.pi * f
    exact = 1.0 / (k + 1j * c * w - m * w**2)
    every = {"input": "push.fx", "output": "P.x"}, {"input": "rail", "output": "rail.travel"}
    for asked in (*every, {"input": ("P", (1.0, 0.0)), "output": "P.x"}):
        assert pm.response(oscillator(), f, about=about, **asked) == pytest.approx(exact, rel=1e-8)
    several = pm.response(oscillator(), f, input="push.fx", output=["P.vx", "P.ax", "spring.force"], about=about)
    assert several[:, 0] == pytest.approx(1j * w * exact, rel=1e-7, abs=1e-12)
    assert several[:, 1] == pytest.approx(-(w**2) * exact, rel=1e-7, abs=1e-9)  # its direct part included
    found = pm.response(oscillator(), f, point="P", force=("P", (1.0, 0.0)), about=about)
    assert found[:, 0] == pytest.approx(exact, rel=1e-8) and np.abs(found[:, 1]).max() < 1e-15


# -- structures ------------------------------------------------------------------------------------------------------


def truss(bars):
    """Return a bracket of two bars, one level and one at 45 degrees below, with 1000 N at its tip."""
    points = {"A": (0.0, 0.0), "B": (0.0, -1.0), "C": (1.0, 0.0)}
    pull = (0.0, -1000.0)
    if bars == "bodies":
        bodies = {"tie": Body(points=("A", "C"), mass=1.0), "strut": Body(points=("B", "C"), mass=1.0)}
        ties = {
            "A": joints.Revolute(point="A", bodies=("ground", "tie")),
            "B": joints.Revolute(point="B", bodies=("ground", "strut")),
            "C": joints.Revolute(point="C", bodies=("tie", "strut")),
        }
        load = forces.Load(body="strut", point="C", force=pull)
    else:
        bodies = {"pin": Body(points=("C",), mass=1.0, com=(1.0, 0.0), inertia=1.0)}
        ties = {
            "tie": joints.Distance(bodies=("ground", "pin"), points=("A", "C")),
            "strut": joints.Distance(bodies=("ground", "pin"), points=("B", "C")),
        }
        load = forces.Load(body="pin", point="C", force=pull)
    return Mechanism(points=points, bodies=bodies, joints=ties, forces={"load": load})


@pytest.mark.parametrize("bars", ["bodies", "distances"])
def test_the_bars_of_a_bracket_carry_what_the_method_of_joints_says(bars):
    found = pm.equilibrium(truss(bars))
    assert found.members["tie"] == pytest.approx([1000.0], rel=1e-9)
    assert found.members["strut"] == pytest.approx([-1000.0 * math.sqrt(2.0)], rel=1e-9)
    if bars == "bodies":
        assert found.reaction("A", on="tie")[0] == pytest.approx([-1000.0, 0.0], abs=1e-6)
        assert found.stability == ("stable",) and found.freedoms == [()]


def test_a_warren_truss_carries_its_load_as_sections_say():
    """Three equal triangles of 2 m bars; 900 N hang from the joint in the middle; pin at the left, roller at right."""
    h = math.sqrt(3.0)
    points = {"A": (0.0, 0.0), "B": (2.0, 0.0), "C": (4.0, 0.0), "D": (1.0, h), "E": (3.0, h)}
    bars = ["AB", "BC", "AD", "DB", "BE", "EC", "DE"]
    bodies = {bar: Body(points=(bar[0], bar[1]), mass=1.0) for bar in bars}
    bodies["roller"] = Body(points=("C",), mass=1.0, com=(4.0, 0.0), inertia=1.0)
    meets = {p: tuple(bar for bar in bars if p in bar) for p in points}
    ties = {p: joints.Revolute(point=p, bodies=on) for p, on in meets.items() if p not in "AC"}
    ties["A"] = joints.Revolute(point="A", bodies=("ground", *meets["A"]))
    ties["C"] = joints.Revolute(point="C", bodies=("roller", *meets["C"]))
    ties["rail"] = joints.Prismatic(bodies=("ground", "roller"), point="C", axis=(1.0, 0.0))
    load = forces.Load(body="AB", point="B", force=(0.0, -900.0))
    found = pm.equilibrium(Mechanism(points=points, bodies=bodies, joints=ties, forces={"load": load}))
    side = 450.0 / math.sin(math.pi / 3.0)
    exact = {"AD": -side, "DB": side, "BE": side, "EC": -side, "DE": -side, "AB": side / 2.0, "BC": side / 2.0}
    assert {bar: float(found.members[bar][0]) for bar in bars} == pytest.approx(exact, rel=1e-9)


def test_a_truss_that_weighs_nothing_needs_no_masses():
    """A triangle on a pin and a roller, 100 N down on its top: 50 N in its tie, 50 sqrt 2 in its legs."""
    bars = {"tie": ("A", "B"), "right": ("B", "C"), "left": ("C", "A")}
    pin = joints.Revolute
    truss = plane(
        gravity=(0.0, 0.0),
        points={"A": (0.0, 0.0), "B": (2.0, 0.0), "C": (1.0, 1.0)},
        bodies={name: Body(points=ends) for name, ends in bars.items()},
        joints={
            "A": pin(point="A", bodies=("ground", "tie", "left")),
            "B": pin(point="B", bodies=("tie", "right")),
            "C": pin(point="C", bodies=("right", "left")),
            "roller": joints.Slot(point="B", bodies=("ground", "tie"), axis=(1.0, 0.0)),
        },
        forces={"load": forces.Load(body="right", point="C", force=(0.0, -100.0))},
    )
    leg = -50.0 * math.sqrt(2.0)
    found = {name: float(force[0]) for name, force in pm.equilibrium(truss).members.items()}
    assert found == pytest.approx({"tie": 50.0, "right": leg, "left": leg}, rel=1e-12)
    with pytest.raises(ModelError, match='equilibrium needs masses: give bodies "tie", "right", "left" masses'):
        pm.equilibrium(truss.replaced(gravity=(0.0, -9.81)))


def test_what_holds_a_joint_is_its_effort():
    found = pm.equilibrium(models.load("pendulum"), hold="O")
    m = models.load("pendulum")
    body = next(iter(m.bodies))
    arm = m.centre(body)[0] - m.points["O"][0]
    assert found.efforts["hold O"] == pytest.approx([m.bodies[body].mass * G * arm], rel=1e-9)
    hanging = pm.equilibrium(m)
    assert hanging.stability == ("stable",) and hanging[m.bodies[body].points[-1]][0, 0] == pytest.approx(0.0, abs=1e-9)
    again = pm.equilibrium(m, near={"O": math.pi / 2.0 + 0.1})
    assert again.stability == ("unstable",)


# -- what holds on one side only ---------------------------------------------------------------------------------------

BEFORE_A_WALL = {
    "plane": """
gravity = [0, -9.81]
points = { O = [0, 0], B = [0, -1] }
bodies.rod = { points = ["O", "B"], mass = 3 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
""",
    "space": """
kind = "spatial"
gravity = [0, 0, -9.81]
bodies.rod = { mass = 3, com = [0, 0, -0.5], inertia = [0.25, 0.25, 0.25] }
joints.O = { type = "revolute", point = [0, 0, 0], axis = [0, 1, 0], bodies = ["ground", "rod"] }
""",
}


@pytest.mark.parametrize("world", BEFORE_A_WALL)
def test_a_pendulum_swings_clear_of_a_stop(world):
    text = BEFORE_A_WALL[world] + 'joints.wall = { type = "stop", joint = "O", lower = "LOWER deg" }'
    clear = pm.modes(loads(text.replace("LOWER", "-10")))
    inertia = 3.0 / 3.0 if world == "plane" else 0.25 + 0.75
    assert clear.omega[0] == pytest.approx(math.sqrt(3.0 * 9.81 * 0.5 / inertia), rel=1e-9)


# -- every shipped model ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMOOTH)
def test_every_shipped_model_rests_or_is_told_why_not(name):
    """At rest nothing moves on: a run from there stays; what it takes to hold it balances all weights and loads."""
    m = models.load(name)
    try:
        found = pm.equilibrium(m)
    except ModelError as error:
        assert "finds no balance" in str(error)
        assert "\n" not in str(error)
        return
    assert set(found.stability) <= {"stable", "neutral", "unstable"} and len(found.t) == 1
    assert found.energy.kinetic[0] >= 0.0 and "rest position" in str(found)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_stiffness_of_every_shipped_model_is_that_of_its_forward_dynamics(name):
    """K is the derivative of -M(z) z'' of what is let go at z; and there are twice as many eigenvalues as freedoms."""
    m = models.load(name)
    chart = Balance(stood(held(m, "test"))).chart
    if not chart.f:
        with pytest.raises(ModelError, match=r"nothing moves freely; free a joint, .* equilibrium"):
            pm.modes(m, settle=False)
        return
    modes = pm.modes(m, loads=True, settle=False)
    linear, h = modes.linear, 1e-4
    system, chart, lay = linear.stand.system, linear.chart, linear.stand.system.layout
    assert len(modes.eigenvalues) == 2 * chart.f == 2 * len(linear.freedoms)

    def force(z):
        y = linear.displaced(z)
        A, b = system.dynamics(linear.stand.t, y[lay.q], y[lay.v], y[lay.x])
        a = np.linalg.lstsq(A, b, rcond=1e-13)[0][: system.n_v]
        B, second = system.along(y[lay.q], y[lay.v], y[lay.x], chart.which)
        return -chart.rehomed(chart.pose(z)).mass() @ (B @ a + second)

    for k in range(min(chart.f, 3)):
        z = np.eye(chart.f)[k] * h * chart.unit[k]
        found = chart.unit * (force(z) - force(-z)) / (2.0 * h)
        exact = chart.unit * linear.K[:, k] * chart.unit[k]
        scale = np.abs(exact).max() + np.abs(chart.unit * force(0.0 * z)).max()
        assert np.abs(found - exact).max() <= 1e-6 * scale


# -- odd input -------------------------------------------------------------------------------------------------------


ODD = {
    "no freedom": (lambda: pm.modes(models.load("quick_return")), "nothing moves freely; free a joint"),
    "not at rest": (
        lambda: pm.modes(models.load("pendulum")),
        'acts on "O.angle"; start where all forces balance, let about = "equilibrium" find it',
    ),
    "a pose that is none": (lambda: pm.modes(models.load("pendulum"), "rest"), 'about: expected "equilibrium"'),
    "an input that is none": (lambda: pm.linearised(oscillator(), inputs="pull"), 'joint "pull" is not free'),
    "an output that is none": (
        lambda: pm.linearised(oscillator(), "equilibrium", outputs="P.z").matrices, 'output "P.z" is no column'
    ),
    "a driver that is none": (lambda: pm.modes(oscillator(), release="motor"), 'release: driver "motor" unknown'),
    "a joint that is none": (lambda: pm.equilibrium(oscillator(), hold="rial"), 'joint "rial" unknown'),
    "a motion that is none": (lambda: pm.modes(oscillator(), "equilibrium").motion(3), "there is no motion 3"),
    "two inputs": (
        lambda: pm.response(oscillator(), [1.0], input="rail", torque="rail", point="P"), "give either a force"
    ),
    "no output": (lambda: pm.response(oscillator(), [1.0], input="rail"), "give a point whose displacement"),
    "a point on the ground": (
        lambda: pm.linearised(spatial.four_bar(), "equilibrium", inputs=[("anchor", (1.0, 0.0, 0.0))]),
        "is fixed to ground",
    ),
    "no bound": (
        lambda: pm.response(oscillator().replaced(forces={"spring": None}), [0.0], input="rail", output="P.x"),
        "the answer has no bound",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_odd_input_is_answered_in_one_line(what):
    work, said = ODD[what]
    with pytest.raises(ModelError) as caught:
        work()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_the_package_control_is_given_names_that_it_allows(monkeypatch):
    """It allows no dot in them."""
    given = {}
    package = types.SimpleNamespace(ss=lambda *matrices, **names: given.update(names, matrices=matrices))
    monkeypatch.setitem(sys.modules, "control", package)
    found = pm.linearised(pm.models.load("pendulum"), "equilibrium", inputs="O", outputs="P.x")
    found.control()
    assert given["states"] == ["O_angle", "O_angle_rate"] and given["inputs"] == ["O"] and given["outputs"] == ["P_x"]
    assert all(np.array_equal(own, theirs) for own, theirs in zip(found.matrices, given["matrices"], strict=True))


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "control", None)
    with pytest.raises(ModelError, match="needs the package control; install it with"):
        pm.linearised(oscillator(), "equilibrium").control()


# -- pictures --------------------------------------------------------------------------------------------------------


def test_modes_swing_in_a_film_and_responses_are_drawn(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    from particlemech import view

    m = models.load("double_pendulum")
    path = pm.modes(m, "equilibrium").animate(1, tmp_path / "mode.gif", speed=0.2, fps=10.0, dpi=30.0)
    assert path.stat().st_size > 1000
    f = np.linspace(0.1, 3.0, 50)
    figure = view.bode(f, pm.response(m, f, input="O", output=["O.angle", "A.x"], about="equilibrium"), ["angle", "A"])
    above, below = figure.axes
    size = above.lines[0].get_ydata()
    assert f[int(np.argmax(size))] == pytest.approx(0.6365, abs=0.06)  # the first frequency
    assert below.get_xlabel() == "frequency [Hz]"
    with pytest.raises(ModelError, match="give one name for each column"):
        view.bode(f, np.ones((50, 2)))
