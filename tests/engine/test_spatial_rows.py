"""Rows of joints and drivers in space, and the mass of bodies: what they hold and leave free, and how they change."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from particlemech import signals
from particlemech._jit import described
from particlemech.engine import signal_tables
from particlemech.engine.natural import drivers as of_drivers
from particlemech.engine.natural import joints as of_joints
from particlemech.engine.natural.compiled import row_tables
from particlemech.engine.natural.coordinates import Coordinates, axes, centres, kinetic_energy, own_rows, turning
from particlemech.engine.natural.equations import RowPlace
from particlemech.engine.natural.frames import triad
from particlemech.engine.natural.views import NaturalView
from particlemech.model.space import Body, Mechanism, drivers, joints
from particlemech.model.space.joints.clamp import Clamp
from particlemech.model.spec import kind_name
from tests.support.oracles import along, central

PAIRS = (("ground", "one"), ("one", "two"), ("two", "one"), ("one", "ground"))
KINDS = [kind_name(kind) for kind in joints.KINDS if kind not in (joints.Coupling, joints.Stop)]  # which join no bodies
ANGLES = [name for name in KINDS if "angle" in joints.NAMES[name].coordinate_names]
TRAVELS = [name for name in KINDS if "travel" in joints.NAMES[name].coordinate_names]
MOTION = signals.Sine(amplitude=0.7, frequency=0.4)
T = 0.3  # s
S = 0.7 * math.sin(2.0 * math.pi * 0.4 * T)  # the motion then

# largest errors observed; the bound is ten times that
HELD = 1.8e-15
GRADIENT = 4.2e-13
CURVE = 2.8e-10
SLOPE = 1.3e-15
ENERGY = 2.2e-16
TURNING = 4.4e-16
TRIAD = 4.4e-16

numbers = st.floats(-1.0, 1.0)
directions = st.one_of(
    st.sampled_from([(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (1e-9, 0.0, -2.0), (1.0, 1.0, 1.0)]),
    st.tuples(numbers, numbers, numbers).filter(lambda u: math.hypot(*u) > 0.1),
)
angles = st.floats(-math.pi, math.pi)
randoms = st.integers(0, 2**16).map(np.random.default_rng)


def small(error, bound):
    """Assert that an error is small, and print how small."""
    largest = float(np.max(np.abs(error), initial=0.0))
    print(f"observed {largest:.1e}, bound {bound:.0e}")
    assert largest <= bound


# -- mechanisms, and how their bodies move ---------------------------------------------------------------------------


def tensor(rng):
    """Return the inertia of a few random masses about their centre."""
    xi = rng.standard_normal((4, 3))
    xi -= xi.mean(axis=0)
    J = np.sum(xi**2) * np.eye(3) - xi.T @ xi
    return (*np.diag(J), J[0, 1], J[0, 2], J[1, 2])


def mechanism(rng, joint=None, driver=None):
    """Return two random bodies with at most one joint and one driver, away from the global origin."""
    places = rng.uniform(2.0, 3.0, (3, 3)).tolist()
    one, two = (Body(points=p, mass=rng.uniform(0.5, 2.0), com=c, inertia=tensor(rng)) for p, c in
                zip(((), ("C",)), places, strict=False))  # fmt: skip
    return Mechanism(
        points={"C": places[2]},
        bodies={"one": one, "two": two},
        joints={} if joint is None else {"it": joint},
        drivers={} if driver is None else {"motor": driver},
    )


def sample(kind, pair, axis, rng):
    """Return a random joint of a kind."""
    place, other = rng.uniform(2.0, 3.0, (2, 3)).tolist()
    across = np.cross(axis, rng.standard_normal(3)) + rng.uniform(-1.0, 1.0) * np.array(axis)
    given = {"point": place, "axis": axis, "axes": (axis, across.tolist()), "points": (place, other), "pitch": 0.1}
    keys = {field.name for field in dataclasses.fields(joints.NAMES[kind])}
    return joints.NAMES[kind](bodies=pair, **{key: value for key, value in given.items() if key in keys})


def rotation(u, angle):
    """Return the matrix of a turn by the right hand about a unit vector."""
    K = np.cross(u, np.eye(3)).T
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def random_rotation(rng):
    u = rng.standard_normal(3)
    return rotation(u / np.linalg.norm(u), rng.uniform(-3.0, 3.0))


@dataclasses.dataclass
class Motion:
    """x -> R x + c, of places relative to the computing origin."""

    R: np.ndarray
    c: np.ndarray

    def after(self, other):
        """Return this motion after another one."""
        return Motion(self.R @ other.R, self.R @ other.c + self.c)


def about(place, R, shift=0.0):
    """Return the turn about a place, and then a shift."""
    return Motion(R, np.asarray(place) - R @ place + shift)


REST = Motion(np.eye(3), np.zeros(3))


def random_motion(rng):
    return Motion(random_rotation(rng), rng.uniform(-1.0, 1.0, 3))


class Rig:
    """A mechanism with its rows, and the kernels that evaluate them."""

    def __init__(self, model):
        self.model = model
        self.coordinates = Coordinates(model)
        self.signals = signal_tables.Signals()
        self.view = NaturalView(self.coordinates, self.signals)
        self.rows = [row for name in model.joints for row in self.view.joint_rows(name)]
        self.rows += [row for name in model.drivers for row in self.view.driver_rows(name)]

    def relative(self, place):
        return np.subtract(place, self.coordinates.origin)

    def z(self, motions):
        """Return Z with bodies moved from where they are drawn."""
        result = []
        for frame, name in zip(self.coordinates.frames, self.coordinates.order, strict=True):
            motion = motions.get(name, REST)
            result += [*(motion.R @ frame.centre + motion.c), *motion.R.T.ravel()]
        return np.array(result)

    def rates(self, z, twists):
        """Return Z' for velocities v + omega x place of some bodies, (v, omega) by name."""
        result = np.zeros_like(z)
        for name, (v, omega) in twists.items():
            b = self.coordinates.index.get(name)
            if b is not None:
                d = z[12 * b : 12 * b + 12].reshape(4, 3)
                result[12 * b : 12 * b + 12] = np.cross(omega, d).ravel()
                result[12 * b : 12 * b + 3] += v
        return result

    def levels(self, t, z, v):
        """Return phi, phi_t, gamma (n_row,), and phi_q (n_row, 12 n_body), by the kernels."""
        return RowPlace(described(row_tables(self.rows, self.signals))).levels(t, z, v)

    def phi(self, t, z):
        return self.levels(t, z, np.zeros_like(z))[0]

    def slopes(self, t, z):
        """Return how rows change with the six velocities of the second body (the first, if that is the ground)."""
        joint = self.model.joints["it"]
        moving, sign = (joint.second, 1.0) if joint.second != "ground" else (joint.first, -1.0)
        twists = [(np.eye(6)[k, :3], np.eye(6)[k, 3:]) for k in range(6)]
        v = np.array([self.rates(z, {moving: twist}) for twist in twists])
        return sign * self.levels(t, z, v[0])[3] @ v.T


# -- what each joint allows, in plain words --------------------------------------------------------------------------


def allowed(rig, rng, angle, travel):
    """Return a motion of the second body against the first, both as drawn, that the joint allows."""
    joint = rig.model.joints["it"]
    place = rig.relative(joint.place(rig.model))
    u = getattr(joint, "direction", None)
    match kind_name(type(joint)):
        case "revolute":
            return about(place, rotation(u, angle))
        case "prismatic":
            return Motion(np.eye(3), travel * np.array(u))
        case "cylindrical":
            return about(place, rotation(u, angle), travel * np.array(u))
        case "screw":
            return about(place, rotation(u, angle), joint.pitch * angle * np.array(u))
        case "spherical":
            return about(place, random_rotation(rng))
        case "slot":
            return about(place, random_rotation(rng), travel * np.array(u))
        case "universal":
            a, b = joint.directions
            return about(place, rotation(a, angle) @ rotation(b, rng.uniform(-3.0, 3.0)))
        case "free":
            return random_motion(rng)
        case "weld":
            return REST
        case "distance":
            start, end = (rig.relative(p) for p in joint.points)
            swung = start + random_rotation(rng) @ (end - start)
            return about(end, random_rotation(rng), swung - end)
    raise LookupError(joint)


def moved(rig, rng, angle=0.4, travel=0.3):
    """Return Z after a random motion of the whole, and an allowed one of the second body against the first."""
    first, second = rig.model.joints["it"].bodies
    own = allowed(rig, rng, angle, travel)
    if "ground" in (first, second):
        inverse = Motion(own.R.T, -own.R.T @ own.c)
        return rig.z({second: own} if first == "ground" else {first: inverse})
    whole = random_motion(rng)
    return rig.z({first: whole, second: whole.after(own)})


every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
every_kind = pytest.mark.parametrize("kind", KINDS)


# -- registries ------------------------------------------------------------------------------------------------------


def test_every_kind_has_its_rows():
    assert set(of_joints.BY_SPEC) == {*joints.KINDS, Clamp}  # of which events make locks
    assert set(of_drivers.BY_SPEC) == set(drivers.KINDS)


# -- joints ----------------------------------------------------------------------------------------------------------


@every_pair
@every_kind
def test_rows_vanish_as_drawn_and_leave_the_freedoms_of_the_joint(kind, pair, rng):
    rig = Rig(mechanism(rng, sample(kind, pair, (0.3, -0.5, 0.8), rng)))
    small(rig.phi(0.0, rig.coordinates.drawing), 10.0 * HELD)
    assert len(rig.rows) == 6 - joints.NAMES[kind].dof


@every_pair
@every_kind
@settings(max_examples=20)
@given(axis=directions, angle=angles, travel=st.floats(-2.0, 2.0), rng=randoms)
def test_rows_vanish_for_motions_that_a_joint_allows_and_for_no_others(kind, pair, axis, angle, travel, rng):
    rig = Rig(mechanism(rng, sample(kind, pair, axis, rng)))
    z = moved(rig, rng, angle, travel)
    small(rig.phi(0.0, z), 10.0 * HELD)
    sizes = np.linalg.svd(rig.slopes(0.0, z), compute_uv=False)
    assert sizes.min(initial=1.0) > 1e-2  # all rows are independent: no more than `dof` velocities are left


@every_kind
@settings(max_examples=20)
@given(axis=directions, rng=randoms)
def test_every_row_is_a_length_or_an_angle_to_first_order(kind, axis, rng):
    rig = Rig(mechanism(rng, sample(kind, ("one", "two"), axis, rng)))
    slopes = rig.slopes(0.0, moved(rig, rng))
    for row, slope in zip(rig.rows, slopes, strict=True):
        small(np.linalg.norm(slope[3:] if row.angle else slope[:3]) - 1.0, 10.0 * SLOPE)
        assert not (row.angle and slope[:3].any())


@every_kind
def test_forces_act_on_the_second_body_at_the_present_place_of_the_joint(kind, rng):
    driver = drivers.Coordinate(joint="it", coordinate="travel", motion=MOTION) if kind in TRAVELS else None
    rig = Rig(mechanism(rng, sample(kind, ("one", "two"), (0.3, -0.5, 0.8), rng), driver))
    z = moved(rig, rng)
    r, R = centres(z[None])[0, 1], axes(z[None])[0, 1]
    joint = rig.model.joints["it"]
    place = r + R @ (np.array(joint.place(rig.model)) - rig.model.centre("two"))
    for row, slope in zip(rig.rows, rig.slopes(T, z), strict=True):
        if not row.angle:
            thread = -sum(turn.pitch for turn in row.turns) * slope[:3]
            small(slope[3:] - np.cross(place, slope[:3]) - thread, 10.0 * SLOPE)  # its moment about the origin


@pytest.mark.parametrize("kind", ["revolute", "spherical", "universal", "weld"])
def test_rows_of_a_pin_are_its_place_on_the_second_body_less_that_on_the_first(kind, rng):
    rig = Rig(mechanism(rng, sample(kind, ("one", "two"), (0.3, -0.5, 0.8), rng)))
    shift = np.array([0.1, -0.2, 0.3])
    small(rig.phi(0.0, rig.z({"two": Motion(np.eye(3), shift)}))[:3] - shift, 10.0 * HELD)


def test_a_rod_that_is_too_long_by_a_little_has_that_as_its_row(rng):
    joint = sample("distance", ("one", "two"), (0.3, -0.5, 0.8), rng)
    rig = Rig(mechanism(rng, dataclasses.replace(joint, length=math.dist(*joint.points) - 1e-6)))
    small(rig.phi(0.0, rig.coordinates.drawing)[0] - 1e-6, 1e-11)


# -- derivatives -----------------------------------------------------------------------------------------------------


def cases():
    """Return a rig per kind of joint and driver, one of the rows of the bodies themselves, each with its own numbers.

    So a kind that is added changes no number of another.
    """
    pair, axis = ("one", "two"), (0.3, -0.5, 0.8)
    for kind in KINDS:
        rng = named(kind)
        yield Rig(mechanism(rng, sample(kind, pair, axis, rng))), rng
    rng = named("drivers")
    sleeve = sample("cylindrical", pair, axis, rng)
    for driver in (
        drivers.Coordinate(joint="it", coordinate="angle", motion=MOTION),
        drivers.Coordinate(joint="it", coordinate="travel", motion=MOTION),
        drivers.Position(point="C", axis="y", motion=MOTION),
        drivers.Distance(bodies=pair, points=([1.0, 2.0, 3.0], [4.0, 3.0, 1.0]), motion=MOTION),
    ):
        yield Rig(mechanism(rng, sleeve, driver)), rng
    for kind in ("universal", "spherical", "free"):
        joint = sample(kind, pair, axis, rng)
        for name in joint.coordinate_names:
            yield Rig(mechanism(rng, joint, drivers.Coordinate(joint="it", coordinate=name, motion=MOTION))), rng
    bodies = Rig(mechanism(rng))
    bodies.rows = [row for frame in bodies.coordinates.frames for row in own_rows(*frame.now)]
    yield bodies, rng


def named(case):
    """Return a random generator that starts alike for every case of a name."""
    return np.random.default_rng(list(case.encode()))


def anywhere(rig, rng):
    """Return Z in a random pose; near the motions of a thread, for its angle is that of vectors which may get short."""
    if not any(row.turns for row in rig.rows):
        return rig.z({"one": random_motion(rng), "two": random_motion(rng)})
    z = moved(rig, rng)
    return z + 0.05 * rng.standard_normal(len(z))


def test_gradients_of_rows_equal_differences_in_random_poses():
    for rig, rng in cases():
        z = anywhere(rig, rng)
        phi_q = rig.levels(T, z, np.zeros_like(z))[3]
        assert np.abs(phi_q).max(axis=1).min(initial=1.0) > 0.1
        small(phi_q - central(lambda z, rig=rig: rig.phi(T, z), z, 1e-3), 10.0 * GRADIENT)


def test_rates_of_rows_equal_differences_along_a_curve():
    for rig, rng in cases():
        z = anywhere(rig, rng)
        v, a = rng.standard_normal((2, len(z)))
        first, second = along(lambda h, rig=rig, z=z, v=v, a=a: rig.phi(T + h, z + h * v + 0.5 * h * h * a), 1.5e-3)
        _, phi_t, gamma, phi_q = rig.levels(T, z, v)
        small(first - (phi_q @ v + phi_t), 10.0 * CURVE)
        small(second - (phi_q @ a + gamma), 10.0 * CURVE)


# -- drivers ---------------------------------------------------------------------------------------------------------


def driven(kind, pair, axis, rng, driver):
    """Return a rig with the row of its driver only."""
    rig = Rig(mechanism(rng, sample(kind, pair, axis, rng), driver))
    rig.rows = rig.rows[-1:]
    return rig


@every_pair
@pytest.mark.parametrize("kind", ANGLES)
@settings(max_examples=20)
@given(axis=directions, angle=angles, rng=randoms)
def test_the_row_of_a_rotation_is_the_sine_of_the_error_and_has_slope_one(kind, pair, axis, angle, rng):
    rig = driven(kind, pair, axis, rng, drivers.Coordinate(joint="it", coordinate="angle", motion=MOTION))
    small(rig.phi(0.0, rig.coordinates.drawing), 10.0 * HELD)
    small(rig.phi(T, moved(rig, rng, angle)) - math.sin(angle - S), 10.0 * HELD)
    step = 1e-3
    wanted = [rig.phi(T, moved(rig, np.random.default_rng(1), S + h))[0] for h in (-step, 0.0, step)]
    small(wanted[1], 10.0 * HELD)
    assert wanted[2] - wanted[0] == pytest.approx(2.0 * math.sin(step), abs=1e-13)


@every_pair
@pytest.mark.parametrize("kind", TRAVELS)
@settings(max_examples=20)
@given(axis=directions, angle=angles, travel=st.floats(-2.0, 2.0), rng=randoms)
def test_the_row_of_a_translation_is_the_error_of_the_travel(kind, pair, axis, angle, travel, rng):
    rig = driven(kind, pair, axis, rng, drivers.Coordinate(joint="it", coordinate="travel", motion=MOTION))
    small(rig.phi(0.0, rig.coordinates.drawing), 10.0 * HELD)
    small(rig.phi(T, moved(rig, rng, angle, travel)) - (travel - S), 10.0 * HELD)


@pytest.mark.parametrize("axis", "xyz")
def test_the_row_of_a_position_is_the_error_of_that_coordinate(axis, rng):
    rig = Rig(mechanism(rng, None, drivers.Position(point="C", axis=axis, motion=MOTION)))
    small(rig.phi(0.0, rig.coordinates.drawing), 10.0 * HELD)
    motion, place = random_motion(rng), rig.relative(rig.model.points["C"])
    way = (motion.R @ place + motion.c - place)["xyz".index(axis)]
    small(rig.phi(T, rig.z({"two": motion})) - (way - S), 10.0 * HELD)


@pytest.mark.parametrize("kind", ANGLES)
def test_drivers_act_between_the_bodies_of_their_joint_and_at_its_place(kind, rng):
    model = mechanism(
        rng,
        sample(kind, ("one", "two"), (0.0, 0.6, 0.8), rng),
        drivers.Coordinate(joint="it", coordinate="angle", motion=0.0),
    )
    view = Rig(model).view
    assert view.driver_edge("motor") == view.joint_edge("it")
    assert view.joint_edge("it")[:3] == ("one", "two", model.joints["it"].point)


# -- bodies ----------------------------------------------------------------------------------------------------------


def test_rows_of_a_body_hold_in_rigid_motion_and_leave_six_freedoms(rng):
    rig = Rig(mechanism(rng))
    rig.rows = own_rows(*rig.coordinates.frames[1].now)
    z = rig.z({"one": random_motion(rng), "two": random_motion(rng)})
    small(rig.phi(0.0, z), 10.0 * HELD)
    phi_q = rig.levels(0.0, z, np.zeros_like(z))[3]
    assert not phi_q[:, :12].any()
    assert np.linalg.matrix_rank(phi_q) == 6
    velocity = rig.rates(z, {"two": rng.standard_normal((2, 3))})
    small(phi_q @ velocity, 10.0 * HELD)
    assert all(row.angle for row in rig.rows)


def flight(rng, model=None):
    """Return a rig, Z, its rates and the velocities and angular velocities of its bodies, (2, 3) each."""
    rig = Rig(mechanism(rng) if model is None else model)
    z = rig.z({name: random_motion(rng) for name in rig.coordinates.order})
    omega = {name: rng.standard_normal(3) for name in rig.coordinates.order}
    rates = rig.rates(z, {name: (rng.standard_normal(3), w) for name, w in omega.items()})
    return rig, z[None], rates[None], centres(rates[None])[0], np.array(list(omega.values()))


def test_the_constant_mass_gives_the_kinetic_energy_of_rigid_bodies(rng):
    rod = Body(points=("A", "B"), mass=0.7)
    points = {"A": (1.0, 2.0, 0.5), "B": (1.5, 1.0, 0.2)}
    for model in (mechanism(rng), Mechanism(points=points, bodies={"rod": rod})):
        rig, z, rates, v, omega = flight(rng, model)
        expected = 0.0
        for b, name in enumerate(rig.coordinates.order):
            xx, yy, zz, xy, xz, yz = model.inertia(name)
            in_body = axes(z)[0, b].T @ omega[b]
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            expected += 0.5 * model.bodies[name].mass * v[b] @ v[b] + 0.5 * in_body @ J @ in_body
        small(kinetic_energy(rig.coordinates.blocks, rates) / expected - 1.0, 10.0 * ENERGY)
        small(0.5 * rates[0] @ rig.coordinates.mass @ rates[0] / expected - 1.0, 10.0 * ENERGY)


def test_the_mass_of_a_rod_is_that_of_its_length_only(rng):
    model = Mechanism(
        points={"A": (0.0, 0.0, 0.0), "B": (0.0, 2.0, 0.0)}, bodies={"rod": Body(points=("A", "B"), mass=3.0)}
    )
    assert Coordinates(model).blocks[0] == pytest.approx(np.diag([3.0, 0.0, 1.0, 0.0]), abs=1e-15)


def test_angular_velocity_and_acceleration_follow_from_the_axes(rng):
    _, z, rates, _, omega = flight(rng)
    small(turning(z, rates)[0] - omega, 10.0 * TURNING)
    alpha = rng.standard_normal((2, 3))
    d = np.swapaxes(axes(z)[0], 1, 2)  # one axis per row
    second = [np.cross(a, e) + np.cross(w, np.cross(w, e)) for a, w, e in zip(alpha, omega, d, strict=True)]
    second = np.concatenate([np.zeros((2, 1, 3)), second], axis=1).reshape(1, -1)
    small(turning(z, second)[0] - alpha, 10.0 * TURNING)


def test_a_drawing_has_its_bodies_at_their_centres_with_global_axes(rng):
    rig = Rig(mechanism(rng))
    z = rig.coordinates.drawing[None]
    assert axes(z)[0] == pytest.approx(np.array([np.eye(3)] * 2))
    for b, name in enumerate(rig.model.bodies):
        assert centres(z)[0, b] + rig.coordinates.origin == pytest.approx(rig.model.centre(name))


@given(direction=directions)
def test_triads_are_right_handed_and_of_unit_vectors(direction):
    u = np.array(direction) / np.linalg.norm(direction)
    m, n, last = np.array(triad(tuple(u.tolist())))
    small(np.array([m, n, last]) @ np.array([m, n, last]).T - np.eye(3), 10.0 * TRIAD)
    small(np.cross(m, n) - u, 10.0 * TRIAD)
    assert np.array_equal(last, u)


def test_the_triad_of_the_third_axis_is_the_global_one():
    assert np.array_equal(triad((0.0, 0.0, 1.0)), np.eye(3))
