"""Events that act, in the plane and in space: joints locked, freed and taken out; against closed forms."""

import math
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech.model.toml import dumps, loads

G = 9.81
WAYS = [
    {"integrator": "explicit"},
    {"integrator": "ida"},
    {"integrator": "ida", "formulation": "absolute"},
]
IN_SPACE = [*WAYS[:2], {"integrator": "ida", "formulation": "natural"}]
EVERY = [("plane", way) for way in WAYS] + [("space", way) for way in IN_SPACE]
every = pytest.mark.parametrize(("world", "way"), EVERY, ids=str)


def drawn(text: str, world: str) -> pm.Mechanism:
    """Return a model of the plane as it stands, or drawn in space: places get a z, and hinges their axis."""
    if world == "plane":
        return loads(text)
    text = re.sub(r"\[(-?[\d.]+), (-?[\d.]+)\]", r"[\1, \2, 0]", text)
    text = re.sub(r"inertia = ([\d.]+)", r"inertia = [\1, \1, \1]", text)
    return loads('kind = "spatial"\n' + text.replace('type = "revolute"', 'type = "revolute", axis = [0, 0, 1]'))


def about_z(values: np.ndarray) -> np.ndarray:
    """Return what turns in the plane, of vectors in space their z."""
    return values if values.ndim == 1 else values[:, 2]


ROTOR = """
points = { O = [0, 0], P = [0.5, 0] }
bodies.arm = { points = ["O", "P"], mass = 2, com = [0.2, 0], inertia = 0.3 }
bodies.rotor = { points = ["P"], mass = 1, com = [0.5, 0], inertia = 0.05 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
joints.P = { type = "revolute", point = "P", bodies = ["arm", "rotor"] }
initial = { rate = { O = 1, P = 20 } }
events.brake = { when = "P.angle > 10 rad", do = "lock joint", joint = "P" }
events.let = { when = "t > 1.0 s", do = "free joint", joint = "P" }
run = { duration = 1.5, samples = 31 }
"""


@every
def test_a_rotor_that_is_locked_shares_its_angular_momentum(world: str, way: dict[str, str]) -> None:
    result = pm.simulate(drawn(ROTOR, world), **way)
    lock, free = result.switches
    assert (lock.what, free.what) == ("lock joint", "free joint")
    assert lock.t == pytest.approx(0.5, rel=1e-7) and free.t == pytest.approx(1.0, rel=1e-9)
    arm = 0.3 + 2 * 0.2**2 + 1 * 0.5**2  # with the rotor's mass at P
    common = (arm * 1.0 + 0.05 * 21.0) / (arm + 0.05)
    late = result.t > 0.51
    tolerance = 1e-6 if "natural" in way.values() else 1e-7  # natural coordinates were 1.2e-7 and 2.4e-7 off
    np.testing.assert_allclose(about_z(result.omega("arm"))[late], common, rtol=tolerance)
    np.testing.assert_allclose(about_z(result.omega("rotor"))[late], common, rtol=tolerance)
    lost = 0.5 * (arm * 1.0 + 0.05 * 21.0**2) - 0.5 * (arm + 0.05) * common**2
    assert lock.lost == pytest.approx(lost, rel=tolerance)
    assert result.energy.work[-1] == pytest.approx(-lost, rel=1e-6)
    assert np.max(np.abs(result.energy.error)) < 1e-6 * lost
    momentum = about_z(result.momentum.angular)
    np.testing.assert_allclose(momentum, momentum[0], rtol=tolerance)
    after = result.events["brake.after"]
    assert about_z(after.omega("arm"))[0] == pytest.approx(common, rel=tolerance)
    assert about_z(result.events["brake"].omega("rotor"))[0] == pytest.approx(21.0, rel=tolerance)


@every
def test_a_lock_holds_with_the_moment_of_the_closed_form(world: str, way: dict[str, str]) -> None:
    """A pendulum is locked at 0.3 rad from level: the lock carries m g a cos(phi), and its effort is a result."""
    text = """
gravity = [0, -9.81]
points = { O = [0, 0], B = [1, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
events.latch = { when = "O.angle < -0.3 rad", do = "lock joint", joint = "O" }
run = { duration = 1.0, samples = 11 }
"""
    result = pm.simulate(drawn(text, world), **way)
    assert result.coordinate("O")[-1] == pytest.approx(-0.3, abs=1e-9)
    assert result.force("latch")[-1] == pytest.approx(3.0 * G * 0.5 * math.cos(0.3), rel=1e-7)
    assert result.force("latch")[0] == 0.0
    assert result.switches[0].lost == pytest.approx(3.0 * G * 0.5 * math.sin(0.3), rel=1e-6)


@pytest.mark.parametrize("high", [4.0, 4.9, 4.99])
@every
def test_what_is_true_within_one_step_only_acts(world: str, way: dict[str, str], high: float) -> None:
    """A stone thrown 5 m up is caught on its way; at the ends of steps it is below."""
    text = f"""
gravity = [0, -10]
points = {{ P = [0, 0] }}
bodies.stone = {{ points = ["P"], mass = 1, com = [0, 0], inertia = 0.1 }}
joints.S = {{ type = "prismatic", point = "P", bodies = ["ground", "stone"], axis = [0, 1] }}
initial = {{ rate = {{ S = 10 }} }}
events.catch = {{ when = "P.y > {high}", do = "lock joint", joint = "S" }}
run = {{ duration = 2, samples = 3 }}
"""
    result = pm.simulate(drawn(text, world), **way)
    assert result.events["catch"].t == pytest.approx([1.0 - math.sqrt(1.0 - high / 5.0)], abs=1e-8)
    assert result.coordinate("S")[-1] == pytest.approx(high, abs=1e-8)


@every
def test_what_is_detached_flies_on_a_parabola(world: str, way: dict[str, str]) -> None:
    text = """
gravity = [0, -9.81]
points = { O = [0, 0], B = [1, 0], C = [1.5, 0] }
bodies.rod = { points = ["O", "B"], mass = 3 }
bodies.stone = { points = ["B", "C"], mass = 1, com = [1.25, 0], inertia = 0.02 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
joints.B = { type = "revolute", point = "B", bodies = ["rod", "stone"] }
initial = { rate = { O = 4, B = 0 } }
events.release = { when = "B.y > 0.5", do = "detach", joint = "B" }
run = { duration = 1.0, samples = 101 }
"""
    result = pm.simulate(drawn(text, world), **way)
    after = result.events["release.after"]
    t0, r0, v0 = after.t[0], after.com("stone")[0], after.com_velocity("stone")[0]
    late, fall = result.t > t0, np.eye(len(r0))[1] * -G
    t = result.t[late] - t0
    wanted = r0 + v0 * t[:, None] + 0.5 * fall * t[:, None] ** 2
    np.testing.assert_allclose(result.com("stone")[late], wanted, atol=2e-7)
    np.testing.assert_allclose(about_z(result.omega("stone"))[late], about_z(after.omega("stone"))[0], rtol=1e-7)
    np.testing.assert_allclose(result.reaction("B", "stone")[late], 0.0, atol=1e-12)
    assert np.max(np.abs(result.reaction("B", "stone")[~late])) > 1.0
    np.testing.assert_allclose(result.com_velocity("stone")[late][0], v0 + fall * t[0], atol=1e-6)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    "keys",
    [
        'points = [[0, -0.3], "B"], axis = [1, 0]',
        'points = [[0.2, -0.3], "B"], axis = [1, 0], friction = { mu = 0.2 }',
        'points = [[1, -0.35], "B"], radii = [0.1, 0.0]',
        'points = [[0, -0.3], "B"], axis = [1, 0], stiffness = 1e4, damping = 100',
    ],
    ids=["line", "rubs", "circle", "gives way"],
)
def test_what_rests_on_a_contact_falls_on_from_there_when_that_is_detached(keys: str, way: dict[str, str]) -> None:
    """Its places are points of the drawing, whose centroid is the origin: the rod jumped by how far that moved."""
    model = loads(f"""
gravity = [0, -9.81]
points = {{ O = [0, 0], B = [1, 0] }}
bodies.rod = {{ points = ["O", "B"], mass = 1 }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "rod"] }}
joints.table = {{ type = "contact", bodies = ["ground", "rod"], {keys} }}
events.clear = {{ when = "t > 0.6", do = "detach", joint = "table" }}
run = {{ duration = 0.8, samples = 81 }}
""")
    result = pm.simulate(model, **way)
    assert result.message == "completed"
    after = result.events["clear.after"]
    a, b = after.angle("rod")[0], result.angle("rod")[-1]
    assert a == pytest.approx(result.angle("rod")[59], abs=1e-5)  # it rested until then
    speed = math.sqrt(3.0 * G * (math.sin(a) - math.sin(b)))  # from rest, (1/2)(m l^2/3) omega^2 = m g drop
    assert result.omega("rod")[-1] == pytest.approx(-speed, rel=1e-5)
    np.testing.assert_allclose(result["O"], 0.0, atol=1e-12)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("keys", ["", ", efficiency = 0.9"], ids=["", "loses"])
@pytest.mark.parametrize(
    ("mesh", "joint", "flies"),
    [
        ('type = "gear", bodies = ["one", "other"], points = ["O", "P"], radii = [0.5, 0.5]', "O", "one"),
        ('type = "rack", bodies = ["bar", "one"], points = ["Q", "O"], axis = [0, 1]', "O", "one"),
        ('type = "rack", bodies = ["bar", "one"], points = ["Q", "O"], axis = [0, 1]', "guide", "bar"),
        ('type = "belt", pulleys = ["one", "other"], points = ["O", "P"], radii = [0.2, 0.2]', "P", "other"),
        (
            'type = "belt", pulleys = ["one", "other"], points = ["O", "P"], radii = [0.2, 0.2], pretension = 50',
            "P",
            "other",
        ),
    ],
    ids=["gear", "pinion", "rack", "belt", "pretension"],
)
def test_wheels_whose_centres_nothing_holds_are_in_no_mesh(
    mesh: str, joint: str, flies: str, keys: str, way: dict[str, str]
) -> None:
    """What is taken out falls freely, what is left turns on as it did: no tooth or strand reaches across the gap."""
    model = loads(f"""
gravity = [0, -9.81]
points = {{ O = [0, 0], P = [1, 0], Q = [0.5, 0.5] }}
bodies.one = {{ points = ["O"], mass = 1, com = [0, 0], inertia = 0.1 }}
bodies.other = {{ points = ["P"], mass = 1, com = [1, 0], inertia = 0.1 }}
bodies.bar = {{ points = ["Q"], mass = 1, com = [0.5, 0.5], inertia = 0.1 }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "one"] }}
joints.P = {{ type = "revolute", point = "P", bodies = ["ground", "other"] }}
joints.guide = {{ type = "prismatic", point = "Q", bodies = ["ground", "bar"], axis = [0, 1] }}
joints.mesh = {{ {mesh}{keys} }}
forces.pull = {{ type = "torque", bodies = ["ground", "one"], torque = 0.2 }}
initial.omega = {{ one = 2 }}
events.off = {{ when = "t > 0.2 s", do = "detach", joint = "{joint}" }}
run = {{ duration = 0.5, samples = 51 }}
""")
    result = pm.simulate(model, **way)
    assert result.message == "completed"
    after = result.events["off.after"]
    t, begun = result.t[21:] - 0.2, after.com(flies)[0]
    fallen = begun + after.com_velocity(flies)[0] * t[:, None] + 0.5 * np.array([0.0, -G]) * t[:, None] ** 2
    np.testing.assert_allclose(result.com(flies)[21:], fallen, atol=1e-8)
    np.testing.assert_allclose(result.omega("one")[21:], after.omega("one")[0] + 2.0 * t, atol=1e-7)
    for body in model.joints["mesh"].bodies:
        np.testing.assert_allclose(result.reaction("mesh", body)[21:], 0.0, atol=1e-12)
    meshed = {name: column for name, column in result.columns().items() if name.startswith("mesh.")}
    assert meshed and all(np.all(column[21:] == 0.0) for column in meshed.values())


@every
def test_a_coupling_goes_with_a_joint_that_is_taken_out(world: str, way: dict[str, str]) -> None:
    """1 N m on 0.1 kg m^2, and until then on 0.2 kg m^2 at the ratio -2 besides: the coupling carries 4/9 N m there."""
    text = """
points = { A = [0, 0], B = [1, 0], P = [0.5, 0], Q = [1.5, 0] }
bodies.a = { points = ["A", "P"], mass = 1, com = [0, 0], inertia = 0.1 }
bodies.b = { points = ["B", "Q"], mass = 1, com = [1, 0], inertia = 0.2 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "a"] }
joints.B = { type = "revolute", point = "B", bodies = ["ground", "b"] }
joints.C = { type = "coupling", joints = ["A", "B"], ratio = -2 }
forces.motor = { type = "motor", joint = "A", effort = 1 }
events.off = { when = "t > 0.5 s", do = "detach", joint = "B" }
run = { duration = 1.0, samples = 11 }
"""
    result = pm.simulate(drawn(text, world), **way)
    t = result.t
    np.testing.assert_allclose(result.rate("A"), np.where(t > 0.5, 0.5 / 0.9 + (t - 0.5) / 0.1, t / 0.9), rtol=1e-7)
    np.testing.assert_allclose(result.effort("C")[[2, -1]], [-4 / 9, 0.0], atol=1e-9)
    assert np.max(np.abs(result.energy.error)) < 1e-7


def test_a_run_stops_where_an_event_says() -> None:
    model = loads(ROTOR).replaced(events={"brake": {"do": "stop", "joint": None}, "let": None})
    result = pm.simulate(model)
    assert result.t[-1] == pytest.approx(0.5, rel=1e-8) and 'event "brake" ended the run' in result.message


@pytest.mark.parametrize("world", ["plane", "space"])
def test_a_pin_that_is_locked_may_strike_a_stop_before(world: str) -> None:
    model = drawn(
        ROTOR + 'joints.end = { type = "stop", joint = "P", upper = 8.0, restitution = 0.5 }', world
    ).replaced(
        events={"brake": {"when": "P.angle_rate < 0"}, "let": None},
    )
    result = pm.simulate(model)
    assert [s.what for s in result.switches] == ["impact", "lock joint"]
    assert result.rate("P")[-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("P.angle > 10 rad", "P.angle", "compares nothing"),
        ("P.angle > 10 rad", "P.angle > 10 rad and t > 2", "compares 2 times; write one"),
        ("P.angle > 10 rad", "P.rotor.fx > 10", '"P.rotor.fx" is nothing that it can compare'),
        ("P.angle > 10 rad", "P.angel > 10 rad", "it has angle, angle_rate, x, y, "),
        ("P.angle > 10 rad", "Q.angle > 10 rad", '"Q" unknown'),
        ("P.angle > 10 rad", "P.angle > 10 mm", "angle"),
        ('"lock joint", joint = "P"', '"lock joint"', 'needs the key "joint"'),
        ('"lock joint", joint = "P"', '"lock joint", joint = "R"', 'joint "R" unknown'),
        ('"lock joint"', '"shut joint"', "expected one of lock joint"),
    ],
)
@pytest.mark.parametrize("world", ["plane", "space"])
def test_bad_events_are_told_in_one_line(old: str, new: str, said: str, world: str) -> None:
    with pytest.raises(pm.ModelError, match=said):
        drawn(ROTOR.replace(old, new, 1), world)


@pytest.mark.parametrize("world", ["plane", "space"])
def test_events_are_written_and_read(world: str) -> None:
    model = drawn(ROTOR, world)
    assert loads(dumps(model)) == model


GENEVA = pm.models.load("geneva")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_geneva_wheel_turns_as_the_closed_form_says_over_four_turns(way: dict[str, str]) -> None:
    """With c the angle of the crank from the line of centres, d = r sqrt(2): tan(psi) = sin(c)/(sqrt(2) - cos(c))."""
    result = pm.simulate(GENEVA, **way)
    turned = result.coordinate("O") - np.pi
    entered = np.floor((turned + np.pi / 4) / (2 * np.pi))
    c = np.angle(np.exp(1j * turned))
    psi = np.arctan2(np.sin(c), math.sqrt(2) - np.cos(c))
    inside = np.abs(c) < np.pi / 4
    angle = -np.pi / 2 * (entered + np.where(inside, 0.5, 1.0)) - np.where(inside, psi, 0.0)
    np.testing.assert_allclose(result.angle("wheel"), angle, atol=1e-9)
    w, edge = 2 * np.pi, math.sqrt(2)
    rate = -w * np.where(inside, (edge * np.cos(c) - 1) / (3 - 2 * edge * np.cos(c)), 0.0)
    np.testing.assert_allclose(result.omega("wheel"), rate, atol=1e-7)
    # the pin pushes across its slot, at its distance from the wheel's bearing, and the wheel's inertia answers
    alpha = np.where(inside, w**2 * edge * np.sin(c) / (3 - 2 * edge * np.cos(c)) ** 2, 0.0)
    arm = 0.04 * np.sqrt(3 - 2 * edge * np.cos(c))
    pushed = sum(np.linalg.norm(result.reaction(slot, "wheel"), axis=1) for slot in ("first", "second"))
    np.testing.assert_allclose(pushed, 2e-4 * np.abs(alpha) / arm, atol=1e-6)
    first, second = (np.linalg.norm(result.reaction(slot, "wheel"), axis=1) > 1e-3 for slot in ("first", "second"))
    np.testing.assert_array_equal(np.unique(entered[first]), [0, 2])
    np.testing.assert_array_equal(np.unique(entered[second]), [1, 3])
    assert [s.part for s in result.switches[:4]] == ["release", "enter_first", "hold", "leave_first"]
    assert len(result.switches) == 16


def test_a_slot_is_not_locked_where_the_pin_is_not_in_it() -> None:
    model = GENEVA.replaced(events={"enter_first": {"when": "sin((O.angle - 135 deg) / 2) > 0.1"}})
    result = pm.simulate(model, throw=False)
    assert result.status is pm.Status.LOCKED
    late = 2 * math.asin(0.1)
    c, t = late - math.pi / 4, 0.375 + late / (2 * math.pi)
    gap = 0.04 * abs(math.cos(c) - math.sqrt(2) - math.sin(c)) / math.sqrt(2)  # of the pin from the line at 45 deg
    assert f'joint "first" cannot be locked at t = {t:.6g} s: its gap is {gap:.3g} m there' in result.message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"joints": {"first": {"free": False}}}, '"through" is for a slot with free = true'),
        ({"joints": {"first": {"friction": {"mu": 0.1}}}}, "a slot with free = true has none"),
        ({"events": {"enter_first": None, "leave_first": None}}, '"first": key "free": no event locks it'),
        ({"joints": {"first": {"through": "Z"}}}, '"Z" unknown'),
    ],
)
def test_bad_free_slots_are_told_in_one_line(change: dict, said: str) -> None:
    with pytest.raises(pm.ModelError, match=said):
        GENEVA.replaced(**change)


BEGUN = """
gravity = [0, -9.81]
points = { O = [0, 0], P = [0.5, 0] }
bodies.arm = { points = ["O", "P"], mass = 2 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
events.low = { when = "P.y < 0.1", do = "lock joint", joint = "O" }
events.late = { when = "t > 0", do = "stop" }
events.turned = { when = "O.angle < 0", do = "lock joint", joint = "O" }
events.back = { when = "P.vy < 1", do = "lock joint", joint = "O" }
run = { duration = 0.3, samples = 7 }
"""


@every
def test_a_condition_that_is_true_from_the_start_on_is_told(world: str, way: dict[str, str]) -> None:
    result = pm.simulate(drawn(BEGUN, world), **way)
    assert not result.switches
    said = {line.split('"')[1]: line for line in result.warnings}
    assert {*said} == {"low", "late", "turned", "back"}
    assert said["low"].startswith('event "low": "P.y < 0.1" is true at the start and so never becomes true')
    # where one becomes true later, as it was false in between or at first, there is nothing to tell
    swings = drawn(BEGUN.replace("P.vy < 1", "P.vy > 0").replace("0.3", "1.2"), world)
    swung = pm.simulate(swings, **way)
    assert [one.part for one in swung.switches] == ["back"]
    assert {line.split('"')[1] for line in swung.warnings} == {"low", "late", "turned"}
    assert not pm.simulate(swings, start=result, duration=0.05, **way).warnings  # what goes on has its start behind it
