"""The second opinion: derivatives against differences, accelerations and reactions against closed forms."""

from __future__ import annotations

import dataclasses
import math
import warnings

import numpy as np
import pytest

from particlemech import drivers, forces, joints, signals
from particlemech.engine.absolute import equations
from particlemech.engine.absolute.drivers import ROWS as DRIVER_ROWS
from particlemech.engine.absolute.forces import LAWS
from particlemech.engine.absolute.joints import ROWS as JOINT_ROWS
from particlemech.engine.system import EPS, Scale
from particlemech.errors import ModelError
from particlemech.model.mechanism import Body, Mechanism

SINE = signals.Sine(amplitude=0.7, frequency=0.4)


def drag(t, state):
    v = state.velocity("C")
    force = -0.3 * v * math.hypot(*v) + np.array([math.sin(state.angle("b")), t])
    return force, state["C"], -0.2 * state.omega("a") + state["D"][0] ** 2


def contour(centre, through):
    """Return points of a cam about a place, through another."""
    (x, y), size = centre, math.dist(centre, through)
    begin = math.atan2(through[1] - y, through[0] - x)
    around = [(begin + a, size * (1.0 + 0.1 * math.sin(2.0 * a))) for a in np.linspace(0.0, 2.0 * math.pi, 24, False)]
    return tuple((x + r * math.cos(a), y + r * math.sin(a)) for a, r in around)


def zoo() -> Mechanism:
    """Return a mechanism of no use, with every kind of joint, driver and force between ground and moving bodies."""
    box = {"mass": 0.7, "inertia": 0.05}
    made = Mechanism(
        gravity=(0.4, -9.81),
        points={
            **{"O": (3.0, 2.0), "A": (3.4, 2.1), "B": (3.9, 1.7), "C": (4.1, 2.4), "D": (3.5, 2.9)},
            **{"E": (4.4, 2.9), "F": (2.7, 2.6), "G": (3.1, 3.1), "H": (3.0, 2.9)},
        },
        bodies={
            "a": Body(points=("O", "A"), mass=0.8),
            "b": Body(points=("A", "B", "C"), com=(3.7, 2.2), **box),
            "c": Body(points=("A", "D"), mass=0.4, length=0.9),
            "d": Body(points=("E",), com=(4.3, 2.7), **box),
            "e": Body(points=("F", "G"), mass=0.3, inertia=0.01),
            "f": Body(points=("G",), com=(3.2, 3.0), **box),
            "g": Body(points=("H",), com=(3.1, 2.8), **box),
        },
        joints={
            "O": joints.Revolute(point="O", bodies=("ground", "a")),
            "A": joints.Revolute(point="A", bodies=("a", "b", "c")),
            "slide": joints.Prismatic(point="E", bodies=("b", "d"), axis=(1.0, 0.5)),
            "rail": joints.Prismatic(point="F", bodies=("ground", "e"), axis=(-1.0, 2.0)),
            "slot": joints.Slot(point="D", bodies=("d", "c"), axis=(0.3, -1.0)),
            "back": joints.Slot(point="F", bodies=("a", "e"), axis=(0.3, -1.0)),
            "weld": joints.Weld(bodies=("e", "f")),
            "fast": joints.Weld(bodies=("f", "c", "ground"), point="G"),
            "rod": joints.Distance(bodies=("d", "f"), points=("E", "G")),
            "gear": joints.Coupling(joints=("O", "A"), coordinates=("angle", "angle.b"), ratio=-1.5),
            "rack": joints.Coupling(joints=("back", "slide"), coordinates=("angle", "travel"), ratio=0.3),
            "worm": joints.Coupling(joints=("slot", "slide"), coordinates=("travel", "travel"), ratio=0.7),
            "stay": joints.Distance(bodies=("b", "ground"), points=("B", "O"), length=0.8),
            "H": joints.Revolute(point="H", bodies=("ground", "g")),
            "mesh": joints.Gear(bodies=("a", "g"), points=("O", "H"), radii=(0.6, 1.5), internal=True),
            "teeth": joints.Rack(bodies=("e", "g"), points=("F", "H"), axis=(-1.0, 2.0)),
            "belt": joints.Belt(pulleys=("a", "d", "ground"), points=("O", "E", (4.0, 1.0)), radii=(0.1, 0.2, 0.3)),
            "rim": joints.Rolling(bodies=("g", "d"), points=("H", "E"), radii=(0.4, 1.0)),
            "track": joints.Rolling(bodies=("g", "b"), points=("H", "B"), axis=(1.0, 0.2)),
            "cam": joints.Cam(
                bodies=("b", "d"), points=("C", "E"), follower="knife", curve=contour((4.1, 2.4), (4.4, 2.9))
            ),
            "stop": joints.Stop(joint="slide", upper=0.4),
            "touch": joints.Contact(bodies=("g", "c"), points=("H", "D"), radii=(0.3, 0.2)),
        },
        drivers={
            "turn": drivers.Rotation(bodies=("a", "b"), motion=SINE),
            "spin": drivers.Rotation(bodies=("ground", "d"), motion=signals.Cycloid(end=1.0, duration=0.5)),
            "push": drivers.Coordinate(joint="slide", motion=SINE),
            "draw": drivers.Coordinate(joint="slot", coordinate="travel", motion=signals.Linear(rate=2.0)),
            "swing": drivers.Coordinate(joint="A", coordinate="angle.c", motion=SINE),
            "jack": drivers.Distance(points=("B", "G"), bodies=("b", "f"), motion=SINE),
            "x": drivers.Position(point="C", axis="x", motion=SINE),
            "y": drivers.Position(
                point="A",
                body="c",
                axis="y",
                motion=signals.Table(t=(0, 1, 2, 3, 5), value=(0, 1, 0, 2, 1), interpolation="smooth"),
            ),
        },
        forces={
            "wind": forces.Load(body="b", point="C", force=(SINE, 2.0)),
            "jet": forces.Load(body="c", point=(3.3, 2.2), force=(1.0, SINE), frame="body"),
            "motor": forces.Torque(bodies=("a", "c"), torque=signals.Step(time=0.7, before=1.0, after=3.0)),
            "brake": forces.Torque(bodies=("ground", "b"), torque=2.0),
            "coil": forces.Spring(bodies=("a", "d"), points=("A", "E"), stiffness=30.0, damping=2.0, length=0.5),
            "cord": forces.Spring(
                bodies=("ground", "b"), points=((3.0, 3.0), (3.9, 2.0)), stiffness=7.0, damping=0.3, length=0.0
            ),
            "pump": forces.Cylinder(
                bodies=("a", "d"),
                points=("O", "E"),
                area=0.3,
                pressure=SINE,
                rod_area=0.1,
                rod_pressure=0.5,
                damping=1.0,
            ),
            "dash": forces.Spring(bodies=("e", "f"), points=("F", "G"), damping=2.0, length=0.1),
            "leaf": forces.Torsion(bodies=("a", "b"), stiffness=3.0, damping=0.4, angle=0.2),
            "post": forces.Torsion(bodies=("ground", "c"), stiffness=3.0),
            "screw": forces.Torsion(joint="slide", stiffness=5.0, damping=0.2, length=0.1),
            "bend": forces.Torsion(joint="A", coordinate="angle.c", stiffness=2.0, damping=0.1, angle=0.3),
            "ram": forces.Motor(joint="slide", effort=SINE),
            "servo": forces.DcMotor(joint="slide", voltage=SINE, resistance=0.7, constant=0.3, reduction=-2.0),
            "drag": forces.Custom(body="b", function=drag),
            "anchor": forces.Load(body="ground", point=(0.0, 0.0), force=(1.0, 1.0)),
        },
    )
    return made.in_mode([(name, side.name) for name, side in made.switching], True)  # all that hold for a while do


@pytest.fixture(scope="module")
def system():
    return equations.system(zoo(), scale=Scale(1.1, 3.0, 0.3))


def state(system, seed=1):
    rng = np.random.default_rng(seed)
    y, yp = 0.8 * rng.normal(size=(2, system.n))
    y[system.layout.q] += system.drawing
    return y, yp, rng


def frozen(array):
    array = np.array(array, float)
    array.setflags(write=False)
    return array


def central(function, z, step=1e-5):
    """Return the derivative of a vector function by central differences of fourth order."""
    columns = []
    for j in range(len(z)):
        h = np.zeros(len(z))
        h[j] = step
        near, far = function(z + h) - function(z - h), function(z + 2 * h) - function(z - 2 * h)
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.stack(columns, axis=-1)


OWNING = {forces.CurveMotor, forces.Pid}  # which are called, and stand in test_control.py


def test_every_kind_is_in_the_zoo():
    mechanism = zoo()
    for kinds, specs, used in (
        (JOINT_ROWS, joints.KINDS, mechanism.joints),
        (DRIVER_ROWS, drivers.KINDS, mechanism.drivers),
        (LAWS, forces.KINDS, mechanism.forces),
    ):
        assert set(kinds) == set(specs) == {type(spec) for spec in used.values()} | (OWNING & set(specs))


def test_jacobian_equals_differences_of_the_residual(system):
    y, yp, _ = state(system)
    residual, jacobian = system.callbacks(sparse=False)
    cj, t = 13.0, 0.3

    def shifted(change):
        res = np.empty(system.n)
        residual(t, frozen(y + change), frozen(yp + cj * change), res)
        return res

    J = np.full((system.n, system.n), np.nan)
    jacobian(t, frozen(y), frozen(yp), frozen(yp), cj, J)
    expected = central(shifted, np.zeros(system.n), 1e-4)
    print("largest difference", np.abs(J - expected).max())
    assert np.abs(J - expected).max() < 1e-7 * np.abs(J).max() ** 0.5


def test_sparse_and_dense_jacobian_agree(system):
    y, yp, _ = state(system, 2)
    dense, data = np.empty((system.n, system.n)), np.empty(len(system.indices))
    system.callbacks(False)[1](0.9, frozen(y), frozen(yp), frozen(yp), 3.0, dense)
    system.callbacks(True)[1](0.9, frozen(y), frozen(yp), frozen(yp), 3.0, data)
    column = np.repeat(np.arange(system.n), np.diff(system.indptr))
    unfolded = np.zeros_like(dense)
    unfolded[system.indices, column] = data
    assert np.array_equal(unfolded, dense)
    keys = column.astype(int) * system.n + system.indices
    assert np.all(np.diff(keys) > 0)
    assert len(keys) < 0.2 * system.n**2


def test_rows_have_the_derivatives_they_claim(system):
    y, _, rng = state(system, 3)
    q, v, t = y[system.layout.q], y[system.layout.v], 0.2
    a = rng.normal(size=system.n_q)
    assert np.allclose(system.rows_q(t, q), central(lambda z: system.rows(t, z), q, 1e-3), atol=1e-9)
    assert np.allclose(system.rows_t(t, q), central(lambda z: system.rows(z[0], q), np.array([t]), 1e-3)[:, 0])

    def phi_dot(s):
        q1, v1 = q + s[0] * v + s[0] ** 2 * a / 2, v + s[0] * a
        return system.rows_q(t + s[0], q1) @ v1 + system.rows_t(t + s[0], q1)

    expected = central(phi_dot, np.zeros(1), 1e-3)[:, 0] - system.rows_q(t, q) @ a
    assert np.allclose(system.gamma(t, q, v), expected, atol=1e-7)


def test_residual_is_made_of_rows_and_dynamics(system):
    y, yp, _ = state(system, 4)
    lay, n_q, n_row, t = system.layout, system.n_q, system.n_row, 0.8
    q, v, lam, mu, x = (y[s] for s in (lay.q, lay.v, lay.lam, lay.mu, lay.x))
    res = np.empty(system.n)
    system.callbacks(False)[0](t, frozen(y), frozen(yp), res)
    A, b = system.dynamics(t, q, v, x)
    phi_q = system.rows_q(t, q)
    scale, angle = system.scale, np.array([row.angle for row in lay.rows])
    eps_p = EPS * scale.time / np.where(angle, scale.length**2, 1.0)
    assert [row.lam for row in lay.rows] == list(range(n_row))
    expected = [
        A[:n_q] @ np.concatenate([yp[lay.v], lam]) - b[:n_q],
        phi_q @ v + system.rows_t(t, q) + eps_p / scale.mass * lam,
        yp[lay.q] - v + phi_q.T @ mu,
        system.rows(t, q) - eps_p * mu,
        yp[lay.x] - system.following(t, q, v, lam, x),
    ]
    assert np.allclose(res, np.concatenate(expected), rtol=1e-12, atol=1e-12)
    assert np.allclose(A[n_q:, :n_q], phi_q) and np.allclose(b[n_q:], -system.gamma(t, q, v))


def test_conservative_forces_are_the_gradient_of_the_potential():
    mechanism = zoo()
    drop = {name: None for name in ("wind", "jet", "motor", "brake", "drag", "dash", "pump", "anchor")}
    system = equations.system(mechanism.replaced(forces=drop))
    y, _, _ = state(system, 5)
    q, rest, x = y[system.layout.q], np.zeros(system.n_q), np.zeros(1)
    slope = central(lambda z: system.energy(z[None], rest[None], x[None])[1], q, 1e-3)[0]
    assert np.allclose(system.dynamics(0.0, q, rest, x)[1][: system.n_q], -slope, atol=1e-8)


def test_power_closes_the_energy_balance_along_any_admissible_motion():
    # one instant: power of all applied forces = - d(potential)/dt + what `following` says without drivers
    system = equations.system(zoo())
    y, _, _ = state(system, 6)
    q, v, x, t = y[system.layout.q], y[system.layout.v], np.zeros(1), 0.4
    power = system.dynamics(t, q, v, x)[1][: system.n_q] @ v
    rate = central(lambda s: system.energy((q + s[0] * v)[None], v[None], x[None])[1], np.zeros(1), 1e-3)[0, 0]
    work = system.following(t, q, v, np.zeros(system.n_lam), x)[0]
    assert math.isclose(power, work - rate, rel_tol=1e-9)


def test_points_and_angles_have_the_rates_they_claim(system):
    y, _, rng = state(system, 7)
    q, v, a, x = y[system.layout.q], y[system.layout.v], rng.normal(size=system.n_q), np.zeros((1, 1))

    def at(s):
        return system.motion((q + s * v + s * s * a / 2)[None], (v + s * a)[None], a[None], x)

    now = at(0.0)
    for quantity, rate in (
        *(("point", "point_v"), ("point_v", "point_a"), ("com", "com_v")),
        *(("com_v", "com_a"), ("angle", "omega"), ("omega", "alpha")),
    ):
        slope = central(lambda s, name=quantity: getattr(at(s[0]), name)[0].ravel(), np.zeros(1), 1e-3)[:, 0]
        assert np.allclose(slope, getattr(now, rate)[0].ravel(), atol=1e-8), quantity
    assert np.allclose(system.point_q(q) @ v, now.point_v[0])
    assert np.allclose(system.omega_q(q) @ v, now.omega[0])
    drawn = system.motion(system.drawing[None], v[None], a[None], x)
    mechanism, carriers = zoo(), zip(system.layout.points, system.layout.point_body, strict=True)
    expected = [mechanism.place(p, b) for p, b in carriers]
    assert np.allclose(drawn.point[0], expected)


def test_displacement_is_a_gradient_that_vanishes_in_the_drawing(system):
    y, _, _ = state(system, 8)
    m = np.diag(system.mass(system.drawing)).reshape(-1, 3)

    def half_square(q):
        change = (q - system.drawing).reshape(-1, 3)
        return np.array([(m[:, :2] * change[:, :2] ** 2).sum() / 2 + (m[:, 2] * (1 - np.cos(change[:, 2]))).sum()])

    q = y[system.layout.q]
    assert np.allclose(system.displacement(q), central(half_square, q, 1e-3)[0], atol=1e-9)
    assert not system.displacement(system.drawing).any()


def test_reported_reactions_keep_every_joint_in_balance(system):
    """Action equals reaction: forces sum to zero, and so do moments once all are taken about one place."""
    y, _, rng = state(system, 9)
    q, v, x = y[system.layout.q], y[system.layout.v], np.zeros(1)
    balance = system.balance(0.1, q, v, np.zeros(system.n_q), x)
    joint_columns = np.array(balance.joint_columns)
    r = rng.normal(size=system.n_row)
    report = balance.report @ r
    for name in system.layout.joints:
        own = [k for k, (joint, _) in enumerate(system.layout.reactions) if joint == name]
        assert np.allclose(report[own].sum(axis=0), 0.0, atol=1e-12), name
        others = joint_columns != name
        assert not balance.report[own][:, :, others].any()
    assert list(joint_columns) == [row.part.split('"')[1] for row in system.layout.rows]


def test_reported_reactions_are_the_whole_wrench_of_the_joints(system):
    """Moved from the joint's place to the centres of mass, they give the wrench the equations use.

    Gears and what rolls act where they touch, which is one place only where rows are closed: test_kinds.py has them.
    """
    y, _, rng = state(system, 10)
    mechanism, lay = zoo(), system.layout
    q, x = y[lay.q], np.zeros(1)
    pose = dict(zip(lay.bodies, q.reshape(-1, 3), strict=True))
    balance = system.balance(0.1, q, y[lay.v], np.zeros(system.n_q), x)
    told = [
        name in mechanism.joints and name not in lay.drivers and not mechanism.joints[name].pushes(mechanism)
        for name in balance.joint_columns
    ]
    r = rng.normal(size=system.n_row) * told

    def moved(place, body):
        """Return a place of the drawing, fixed on a body, now; from the centroid as q is."""
        if body == "ground":
            return np.array(place) - system._c.origin
        X, Y, th = pose[body]
        sx, sy = np.array(place) - mechanism.centre(body)
        return np.array([X + math.cos(th) * sx - math.sin(th) * sy, Y + math.sin(th) * sx + math.cos(th) * sy])

    def reported_at(name, body):
        joint = mechanism.joints[name]
        if joint.axis is not None:
            return moved(mechanism.place(joint.point, joint.bodies[1]), joint.bodies[1])
        if hasattr(joint, "points"):
            return moved(mechanism.place(joint.points[joint.bodies.index(body)], body), body)
        if joint.point is None:
            return moved(mechanism.centre(joint.bodies[1]), body)
        return moved(mechanism.place(joint.point, body), body)

    total = {b: np.zeros(3) for b in lay.bodies}
    for (name, body), (fx, fy, moment) in zip(lay.reactions, balance.report @ r, strict=True):
        if body != "ground":
            ax, ay = reported_at(name, body) - pose[body][:2]
            total[body] += fx, fy, (moment + ax * fy - ay * fx) / system.scale.length
    assert np.allclose(np.concatenate([total[b] for b in lay.bodies]), balance.wrench @ r, atol=1e-12)


def test_times_at_which_signals_jump_and_end(system):
    assert system.breaks == (0.5, 0.7)
    assert system.until == 5.0


def test_a_rod_of_no_length_is_refused():
    with pytest.raises(ModelError, match=r'joint "rod".*one place'):
        zoo().replaced(points={"E": (3.1, 3.1)})


# -- closed forms ----------------------------------------------------------------------------------------------


def pendulum(length=0.6, mass=1.3, angle=0.4):
    end = (5.0 + length * math.sin(angle), 7.0 - length * math.cos(angle))
    return Mechanism(
        gravity=(0.0, -9.81),
        points={"O": (5.0, 7.0), "P": end},
        bodies={"bar": Body(points=("O", "P"), mass=mass)},
        joints={"O": joints.Revolute(point="O", bodies=("ground", "bar"))},
    )


def test_pendulum_acceleration_and_reaction():
    length, mass, angle, omega = 0.6, 1.3, 0.4, 2.0
    system = equations.system(pendulum(length, mass, angle))
    e = np.array([math.sin(angle), -math.cos(angle)])
    across = np.array([math.cos(angle), math.sin(angle)])
    v = np.array([*(omega * length / 2 * across), omega])
    A, b = system.dynamics(0.0, system.drawing, v, np.zeros(1))
    a = np.linalg.solve(A, b)
    alpha = -1.5 * 9.81 / length * math.sin(angle)
    expected = mass * (length / 2 * (alpha * across - omega**2 * e) + np.array([0.0, 9.81]))
    assert np.allclose(a[2], alpha, rtol=1e-13)
    assert np.allclose(a[3:], expected, rtol=1e-13)
    balance = system.balance(0.0, system.drawing, v, a[:3], np.zeros(1))
    r = np.linalg.lstsq(balance.wrench, balance.missing, rcond=None)[0]
    ground, bar = balance.report @ r
    assert system.layout.reactions == (("O", "ground"), ("O", "bar"))
    assert np.allclose(bar, [*expected, 0.0], atol=1e-12) and np.allclose(ground, -bar)


def slider_crank(angle):
    """Return the slider-crank of the table below, drawn at a crank angle."""
    l1, l2 = 0.1, 0.3
    B = (l1 * math.cos(angle), l1 * math.sin(angle))
    C = (B[0] + math.sqrt(l2**2 - B[1] ** 2), 0.0)
    return Mechanism(
        points={"A": (0.0, 0.0), "B": B, "C": C},
        bodies={
            "crank": Body(points=("A", "B"), mass=0.2),
            "rod": Body(points=("B", "C"), mass=0.2),
            "slider": Body(points=("C",), com=C, mass=0.4, inertia=1e-4),
        },
        joints={
            "A": joints.Revolute(point="A", bodies=("ground", "crank")),
            "B": joints.Revolute(point="B", bodies=("rod", "crank")),
            "C": joints.Revolute(point="C", bodies=("slider", "rod")),
            "guide": joints.Prismatic(point="C", bodies=("ground", "slider"), axis=(1.0, 0.0)),
        },
        forces={"torque": forces.Torque(bodies=("ground", "crank"), torque=0.1)},
    )


# t, crank angle, rate, acceleration; forces on crank at A, on crank at B, on rod at C, on slider from its guide (y):
# one-freedom reduction at tolerance 3e-14 against another body-coordinate program, 8 digits or more
SLIDER_CRANK = [
    (0.0, 0.0, 0.0, 75.0, -0.0, 1.25, 0.0, -0.5, 0.0, 0.25, 0.25),
    (
        0.1,
        0.3296338709271,
        5.38465294555,
        9.772014322,
        -2.58128005,
        0.20823278,
        2.27531386,
        -0.209627979,
        1.57547814,
        -0.211023177,
        -0.211023177,
    ),
    (
        0.5,
        4.073130130354,
        15.1119722832,
        -122.5232924,
        4.6987132,
        5.32903668,
        -4.31954192,
        -2.76529166,
        -3.15229652,
        -0.201546652,
        -0.201546652,
    ),
    (
        1.25,
        21.931253507,
        57.1624063684,
        441.8686394,
        172.805207,
        -12.839912,
        -140.452892,
        6.47322332,
        -86.4804619,
        0.106534612,
        0.106534612,
    ),
    (
        2.0,
        55.07244379565,
        39.7955770411,
        -273.0438384,
        -2.49923717,
        27.2994111,
        -1.71449932,
        -11.7911401,
        -4.74258865,
        3.71713099,
        3.71713099,
    ),
    (
        2.5,
        85.43171057807,
        86.4782997933,
        -5133.385949,
        217.718862,
        171.38844,
        -185.719405,
        -86.5121147,
        -122.975958,
        -1.6357893,
        -1.6357893,
    ),
    (
        3.0,
        121.8862775082,
        101.365645114,
        7201.977185,
        281.721514,
        -239.016721,
        -241.820392,
        120.053289,
        -161.535416,
        1.08985713,
        1.08985713,
    ),
]


@pytest.mark.parametrize("row", SLIDER_CRANK, ids=lambda row: f"t={row[0]}")
def test_slider_crank_matches_an_independent_reduction(row):
    _, angle, omega, alpha, *forces_expected = row
    system = equations.system(slider_crank(angle))
    q = system.drawing
    # the motion with the given crank rate
    G = np.vstack([system.rows_q(0.0, q), system.omega_q(q)[:1]])
    v = np.linalg.lstsq(G, np.append(np.zeros(system.n_row), omega), rcond=None)[0]
    A, b = system.dynamics(0.0, q, v, np.zeros(1))
    a = np.linalg.lstsq(A, b, rcond=None)[0]
    assert math.isclose(a[2], alpha, rel_tol=1e-7, abs_tol=1e-6)
    balance = system.balance(0.0, q, v, a[: system.n_q], np.zeros(1))
    report = balance.report @ np.linalg.lstsq(balance.wrench, balance.missing, rcond=None)[0]
    found = dict(zip(system.layout.reactions, report, strict=True))
    seen = [*found["A", "crank"][:2], *found["B", "crank"][:2], *found["C", "rod"][:2], found["guide", "slider"][1]]
    assert np.allclose(seen, forces_expected, rtol=1e-6, atol=1e-6)


def andrews():
    """Return Andrews' squeezing mechanism at its start; angles and data of the IVP test set."""
    be, ga, de = -0.0617138900142764496, 0.455279819163070380, 0.487364979543842550
    ph, om, ep, th = 0.222668390165885885, -0.222668390165885885, 1.23054744454982119, 0.0
    c, s = math.cos, math.sin
    xa, ya, xb, yb = -0.06934, -0.00227, -0.03635, 0.03273
    points = {
        **{"O": (0.0, 0.0), "A": (xa, ya), "B": (xb, yb), "C": (0.014, 0.072)},
        "F": (0.007 * c(be), 0.007 * s(be)),
        "E": (0.007 * c(be) - 0.028 * c(be + th), 0.007 * s(be) - 0.028 * s(be + th)),
        "G": (xa + 0.04 * c(de), ya + 0.04 * s(de)),
        "H": (xa + 0.04 * s(ep), ya - 0.04 * c(ep)),
        "D": (0.02 * c(ga) + 0.018 * s(ga) + xb, 0.02 * s(ga) - 0.018 * c(ga) + yb),
    }
    e, f = 0.02 - 0.01421, 0.02 - 0.01421
    data = {
        "K1": ("OF", 0.04325, 2.194e-6, (0.00092 * c(be), 0.00092 * s(be))),
        "K2": ("FE", 0.00365, 4.41e-7, (0.007 * c(be) - 0.0115 * c(be + th), 0.007 * s(be) - 0.0115 * s(be + th))),
        "K3": (
            *("BED", 0.02373, 5.255e-6),
            (xb + 0.01874 * s(ga) + 0.01043 * c(ga), yb - 0.01874 * c(ga) + 0.01043 * s(ga)),
        ),
        "K4": ("GE", 0.00706, 5.667e-7, (points["G"][0] + e * s(ph + de), points["G"][1] - e * c(ph + de))),
        "K5": (
            *("AG", 0.0705, 1.169e-5),
            (xa + 0.02308 * c(de) - 0.00916 * s(de), ya + 0.02308 * s(de) + 0.00916 * c(de)),
        ),
        "K6": ("HE", 0.00706, 5.667e-7, (points["H"][0] + f * c(om + ep), points["H"][1] + f * s(om + ep))),
        "K7": (
            *("AH", 0.05498, 1.912e-5),
            (xa + 0.01228 * s(ep) - 0.00449 * c(ep), ya - 0.01228 * c(ep) - 0.00449 * s(ep)),
        ),
    }
    pins = {"O": "K1", "F": "K1 K2", "E": "K2 K3 K4 K6", "B": "K3", "G": "K4 K5", "H": "K6 K7", "A": "K5 K7"}
    return Mechanism(
        points=points,
        bodies={b: Body(points=tuple(p), mass=m, inertia=i, com=g) for b, (p, m, i, g) in data.items()},
        joints={
            p: joints.Revolute(point=p, bodies=(("ground",) if p in "OAB" else ()) + tuple(on.split()))
            for p, on in pins.items()
        },
        forces={
            "drive": forces.Torque(bodies=("ground", "K1"), torque=0.033),
            "spring": forces.Spring(bodies=("K3", "ground"), points=("D", "C"), stiffness=4530.0, length=0.07785),
        },
    )


def test_andrews_acceleration_at_the_start_is_the_published_one():
    system = equations.system(andrews())
    assert np.abs(system.rows(0.0, system.drawing)).max() < 1e-16
    A, b = system.dynamics(0.0, system.drawing, np.zeros(system.n_q), np.zeros(1))
    a = np.linalg.solve(A, b)
    assert math.isclose(a[2], 14222.4439199541138, rel_tol=1e-11)  # beta'' of the IVP test set
    assert math.isclose(a[5] - a[2], -10666.8329399655854, rel_tol=1e-11)  # theta''


def consistent(system, v=None):
    """Return y, yp at the drawing."""
    lay = system.layout
    y, yp = np.zeros(system.n), np.zeros(system.n)
    y[lay.q] = system.drawing
    yp[lay.q] = y[lay.v] = np.zeros(system.n_q) if v is None else v
    A, b = system.dynamics(0.0, system.drawing, y[lay.v], np.zeros(1))
    a = np.linalg.lstsq(A, b, rcond=None)[0]
    yp[lay.v], y[lay.lam] = a[: system.n_q], a[system.n_q :]
    yp[lay.x] = system.following(0.0, system.drawing, y[lay.v], y[lay.lam], y[lay.x])
    return y, yp


def integrated(system, t, rtol, sparse=False, v=None):
    from sksundae.ida import IDA

    y, yp = consistent(system, v)
    lay = system.layout
    atol = np.full(system.n, 1e20)
    atol[lay.q] = rtol * system.scale.length
    atol[lay.v] = rtol * system.scale.length / system.scale.time
    atol[lay.x] = rtol * system.scale.mass * (system.scale.length / system.scale.time) ** 2
    residual, jacobian = system.callbacks(sparse)
    options = {"linsolver": "dense"}
    if sparse:
        from scipy.sparse import csc_matrix

        pattern = csc_matrix((np.ones(len(system.indices)), system.indices, system.indptr), (system.n, system.n))
        options = {"linsolver": "sparse", "sparsity": pattern}
    algebraic = np.arange(lay.lam.start, lay.mu.stop)
    with warnings.catch_warnings():  # a pattern next to a Jacobian is meant
        warnings.simplefilter("ignore", UserWarning)
        solver = IDA(
            residual, jacfn=jacobian, rtol=rtol, atol=atol, algebraic_idx=algebraic, max_num_steps=100_000, **options
        )
    return solver.solve(np.asarray(t, float), y, yp)


def test_pendulum_through_ida_has_the_exact_period():
    from scipy.special import ellipk

    length, angle = 0.6, 0.4
    period = 4.0 * math.sqrt(length / (1.5 * 9.81)) * ellipk(math.sin(angle / 2) ** 2)
    system = equations.system(pendulum(length, 1.3, angle), scale=Scale(0.3, 1.3, 0.2))
    run = integrated(system, [0.0, period / 4, period / 2, period], 1e-9)
    assert run.success
    theta = run.y[:, 2]
    assert np.allclose(theta[1:], [-angle, -2.0 * angle, 0.0], atol=1e-6)
    kinetic, potential = system.energy(run.y[:, :3], run.y[:, 3:6], run.y[:, -1:])
    assert np.ptp(kinetic + potential) < 1e-6
    assert max(np.abs(system.rows(0.0, y[:3])).max() for y in run.y) < 1e-11


def test_driven_slider_crank_does_the_work_it_reports():
    mechanism = slider_crank(0.3).replaced(
        drivers={"motor": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Cycloid(end=5.0, duration=1.0))},
        forces={"damper": forces.Torsion(bodies=("rod", "crank"), damping=0.01)},
    )
    mechanism = dataclasses.replace(mechanism, gravity=(0.0, -9.81))
    system = equations.system(mechanism, scale=Scale(0.15, 0.8, 0.1))
    runs = [integrated(system, np.linspace(0.0, 0.9, 5), 1e-9, sparse) for sparse in (False, True)]
    for run in runs:
        assert run.success
        lay = system.layout
        kinetic, potential = system.energy(run.y[:, lay.q], run.y[:, lay.v], run.y[:, lay.x])
        change = kinetic + potential - kinetic[0] - potential[0] - run.y[:, -1]
        print("energy error", np.abs(change).max(), "of", kinetic.max())
        assert np.abs(change).max() < 1e-6
        assert np.allclose(run.y[:, 2], [signals.values(mechanism.drivers["motor"].motion, t)[0] for t in run.t])
    assert np.allclose(runs[0].y[:, lay.q], runs[1].y[:, lay.q], atol=1e-7)
