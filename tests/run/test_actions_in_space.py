"""Events in space that lock, free and take out joints: closed forms, the plane, natural coordinates, momentum."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import view
from particlemech.analyses.validation import validated
from particlemech.model.toml import dumps, loads
from particlemech.rotations import exponential
from particlemech.run.trajectory import Status
from particlemech.view.families.recursive import moving

G = 9.81
WAYS = [{"integrator": "explicit"}, {"integrator": "ida"}, {"formulation": "natural"}]
ways = pytest.mark.parametrize("way", WAYS, ids=str)


def sharp(way: dict[str, str]) -> dict[str, object]:
    """Return a way to run at a fine tolerance."""
    return {**way, "rtol": 1e-11 if way == WAYS[0] else 1e-10}


# -- closed forms ------------------------------------------------------------------------------------------------------

DOUBLE = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], A = [1, 0, 0], B = [1.8, 0, 0] }
bodies.one = { points = ["O", "A"], mass = 3, com = [0.5, 0, 0], inertia = [0.3, 0.3, 0.3] }
bodies.two = { points = ["A", "B"], mass = 2, com = [1.5, 0, 0], inertia = [0.2, 0.2, 0.2] }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "one"], axis = [0, 1, 0] }
joints.A = { KIND, point = "A", bodies = ["one", "two"] }
initial = { rate = { A = RATE } }
events.latch = { when = "t > 0.3 s", do = "lock joint", joint = "A" }
run = { duration = 1.0, samples = 41 }
"""
HINGES = {
    "revolute": ('type = "revolute", axis = [0, 1, 0]', "4"),
    "universal": ('type = "universal", axes = [[0, 1, 0], [0, 0, 1]]', "[4, 0]"),
    "spherical": ('type = "spherical"', "[0, 4, 0]"),
    "ball of angles": ('type = "spherical", coordinates = "angles"', "[0, 4, 0]"),
}


@ways
@pytest.mark.parametrize("kind", HINGES)
def test_a_double_pendulum_locked_in_motion_is_a_compound_one_from_then_on(kind: str, way: dict[str, str]) -> None:
    """The blow at A is internal: h about O is kept, w+ = h/I, and then I w^2/2 - h's weight is kept."""
    words, rate = HINGES[kind]
    result = pm.simulate(loads(DOUBLE.replace("KIND", words).replace("RATE", rate)), **sharp(way))
    (latch,) = result.switches
    before, after = result.events["latch"], result.events["latch.after"]
    assert after.momentum.angular[0, 1] == pytest.approx(before.momentum.angular[0, 1], rel=1e-8)
    r1, r2 = (after.com(body)[0] for body in ("one", "two"))
    inertia = 0.3 + 0.2 + 3 * r1 @ r1 + 2 * r2 @ r2
    w = float(after.omega("one")[0, 1])
    assert w == pytest.approx(before.momentum.angular[0, 1] / inertia, rel=1e-8)
    assert latch.lost == pytest.approx(before.energy.kinetic[0] - 0.5 * inertia * w * w, rel=1e-8)
    late = result.t > 0.3
    np.testing.assert_allclose(result.omega("two")[late], result.omega("one")[late], atol=1e-9)
    height = (3 * result.com("one")[late, 2] + 2 * result.com("two")[late, 2]) * G
    energy = 0.5 * inertia * result.omega("one")[late, 1] ** 2 + height
    np.testing.assert_allclose(
        energy, 0.5 * inertia * w * w + G * (3 * r1[2] + 2 * r2[2]), atol=5e-9 * result.energy.scale
    )
    assert np.max(np.abs(result.energy.error)) < 5e-9 * result.energy.scale


@ways
def test_the_lock_of_a_ball_carries_the_moment_of_the_closed_form(way: dict[str, str]) -> None:
    """Held at rest with the centre of mass at r from the ball: m r x g, along the axes of the first body."""
    model = loads("""
kind = "spatial"
gravity = [0.3, -1.2, -9.81]
bodies.bob = { mass = 2, com = [0.4, 0.3, -0.2], inertia = [0.1, 0.2, 0.3] }
joints.O = { type = "spherical", point = [0, 0, 0], bodies = ["ground", "bob"] }
initial = { position = { O = [0.5, -0.4, 2.0] }, rate = { O = [1, 2, 3] } }
events.latch = { when = "t > 0.2 s", do = "lock joint", joint = "O" }
run = { duration = 0.4, samples = 5 }
""")
    result = pm.simulate(model, **way)
    moment = -np.cross(result.com("bob")[-1], 2 * np.array([0.3, -1.2, -9.81]))
    held = [result.force(f"latch angle{k}")[-1] for k in (1, 2, 3)]
    np.testing.assert_allclose(held, moment, rtol=1e-7)
    assert [result.force(f"latch angle{k}")[0] for k in (1, 2, 3)] == [0.0, 0.0, 0.0]
    assert np.max(np.abs(result.omega("bob")[-1])) < 1e-12


THROWN = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], B = [1, 0, 0] }
bodies.rod = { points = ["O", "B"], mass = 3, com = [0.5, 0, 0], inertia = [0.1, 0.2, 0.3] }
bodies.ball = { points = ["B"], mass = 1, com = [1.1, 0.05, 0.02], inertia = [0.04, 0.04, 0.04] }
joints.O = { type = "universal", point = "O", bodies = ["ground", "rod"], axes = [[0, 1, 0], [0, 0, 1]] }
joints.B = { KIND, point = "B", bodies = ["rod", "ball"] }
initial = { rate = { O = [-4, 1], B = RATE } }
events.release = { when = "B.z > 0.3", do = "detach", joint = "B" }
run = { duration = 0.6, samples = 31 }
"""


@ways
@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_ball_that_is_let_go_flies_a_parabola_with_its_spin(kind: str, way: dict[str, str]) -> None:
    words, rate = {"revolute": ('type = "revolute", axis = [1, 0, 1]', "7"), "spherical": HINGES["spherical"]}[kind]
    result = pm.simulate(loads(THROWN.replace("KIND", words).replace("RATE", rate)), **sharp(way))
    after = result.events["release.after"]
    t0, late = after.t[0], result.t > after.t[0]
    t = (result.t[late] - t0)[:, None]
    path = after.com("ball") + after.com_velocity("ball") * t + np.array([0.0, 0.0, -0.5 * G]) * t**2
    np.testing.assert_allclose(result.com("ball")[late], path, atol=1e-9)
    spin = after.omega("ball")
    np.testing.assert_allclose(result.omega("ball")[late], np.repeat(spin, len(t), axis=0), atol=1e-9)
    turned = exponential(spin * t) @ after.orientation("ball")[0]
    np.testing.assert_allclose(result.orientation("ball")[late], turned, atol=1e-9)
    # nothing jumps, nothing holds it, and it has no coordinate any more
    before = result.events["release"]
    for of in ("com", "com_velocity", "omega"):
        np.testing.assert_allclose(getattr(after, of)("ball"), getattr(before, of)("ball"), atol=1e-9)
    assert not result.reaction("B", "ball")[late].any() and not result.moment("B", "rod")[late].any()
    assert np.isnan(result.coordinate("B")[late]).all() and np.isfinite(result.coordinate("B")[~late]).all()
    assert result.switches[0].lost == pytest.approx(0.0, abs=1e-12)
    assert np.max(np.abs(result.energy.error)) < 2e-8 * result.energy.scale


SATELLITE = """
kind = "spatial"
bodies.hub = { mass = 5, com = [0, 0, 0], inertia = [1, 2, 3] }
bodies.arm = { mass = 2, com = [1, 0.5, 0.2], inertia = [0.1, 0.3, 0.2] }
joints.J = { KIND, point = [0.5, 0.2, 0], bodies = ["hub", "arm"] }
initial = { omega = { hub = [0.1, 0.2, 0.3] }, velocity = {}, rate = { J = RATE } }
events.brake = { when = "t > 0.5 s", do = "lock joint", joint = "J" }
events.let = { when = "t > 1 s", do = "free joint", joint = "J" }
run = { duration = 1.3, samples = 27 }
"""
SPINS = {
    "revolute": ('type = "revolute", axis = [0, 1, 2]', "5"),
    "spherical": ('type = "spherical"', "[3, 2, 1]"),
    "cylindrical": ('type = "cylindrical", axis = [0, 1, 2]', "{ travel = 0.4, angle = 5 }"),
    "screw": ('type = "screw", axis = [0, 1, 2], pitch = 0.1', "5"),
    "free": ('type = "free"', "{ x = 0.3, y = -0.2, z = 0.1, angle1 = 3, angle2 = 2, angle3 = 1 }"),
    "prismatic": ('type = "prismatic", axis = [0, 1, 2]', "1.5"),
}


@ways
@pytest.mark.parametrize("kind", SPINS)
def test_the_arm_of_a_satellite_is_locked_and_freed_with_all_its_momentum(kind: str, way: dict[str, str]) -> None:
    """As one body it turns with w = I^-1 h about its centre of mass; freed, its parts go on together."""
    words, rate = SPINS[kind]
    result = pm.simulate(loads(SATELLITE.replace("KIND", words).replace("RATE", rate)), **sharp(way))
    momentum = result.momentum
    np.testing.assert_allclose(momentum.linear, momentum.linear[:1].repeat(len(result.t), axis=0), atol=1e-8)
    np.testing.assert_allclose(momentum.angular, momentum.angular[:1].repeat(len(result.t), axis=0), atol=2e-8)
    after = result.events["brake.after"]
    centre, inertia = (5 * after.com("hub")[0] + 2 * after.com("arm")[0]) / 7, np.zeros((3, 3))
    for body, mass, own in (("hub", 5, [1, 2, 3]), ("arm", 2, [0.1, 0.3, 0.2])):
        S, r = after.orientation(body)[0], after.com(body)[0] - centre
        inertia += S @ np.diag(own) @ S.T + mass * (r @ r * np.eye(3) - np.outer(r, r))
    spin = np.linalg.solve(inertia, momentum.angular[0] - np.cross(centre, momentum.linear[0]))
    np.testing.assert_allclose(after.omega("hub")[0], spin, atol=1e-8)
    np.testing.assert_allclose(after.omega("arm")[0], spin, atol=1e-8)
    locked = (result.t > 0.5) & (result.t <= 1.0)
    held = np.ptp(result.coordinate("J")[locked], axis=0)
    assert np.max(held) < 1e-8
    assert [s.what for s in result.switches] == ["lock joint", "free joint"]
    assert result.switches[0].lost > 0.01 and result.switches[1].lost == 0.0
    assert np.max(np.abs(result.energy.error)) < 1e-7 * result.energy.scale


# -- against the plane, and natural coordinates ------------------------------------------------------------------------


def four_bar(space: bool, event: str) -> pm.Mechanism:
    """Return a four-bar in the plane, or drawn in space."""
    text = f"""
gravity = [0, -9.81 ZERO]
points = {{ O = [0, 0 ZERO], A = [0, 1 ZERO], B = [2, 1.6 ZERO], C = [2.5, 0 ZERO] }}
bodies.crank = {{ points = ["O", "A"], mass = 1, com = [0, 0.5 ZERO], inertia = [0.4, 0.4, 0.4] }}
bodies.rod = {{ points = ["A", "B"], mass = 2, com = [1, 1.3 ZERO], inertia = [0.4, 0.4, 0.4] }}
bodies.rocker = {{ points = ["C", "B"], mass = 2, com = [2.25, 0.8 ZERO], inertia = [0.4, 0.4, 0.4] }}
joints.O = {{ type = "revolute", point = "O", bodies = ["ground", "crank"], axis = [0, 0, 1] }}
joints.A = {{ type = "revolute", point = "A", bodies = ["crank", "rod"], axis = [0, 0, 1] }}
joints.B = {{ type = "revolute", point = "B", bodies = ["rod", "rocker"], axis = [0, 0, 1] }}
joints.C = {{ type = "revolute", point = "C", bodies = ["ground", "rocker"], axis = [0, 0, 1] }}
forces.spring = {{ type = "torsion", joint = "B", stiffness = 3, damping = 0.1 }}
events.first = {{ when = "t > 0.4 s", {event} }}
run = {{ duration = 0.8, samples = 33 }}
"""
    if space:
        return loads('kind = "spatial"\n' + text.replace(" ZERO", ", 0"))
    return loads(text.replace(" ZERO", "").replace(", axis = [0, 0, 1]", "").replace("[0.4, 0.4, 0.4]", "0.4"))


@pytest.mark.parametrize(("do", "joint"), [*(("detach", joint) for joint in "OABC"), ("lock joint", "B")])
def test_a_loop_is_opened_or_locked_as_in_the_plane(do: str, joint: str) -> None:
    event = f'do = "{do}", joint = "{joint}"'
    plane = pm.simulate(four_bar(False, event), rtol=1e-11)
    here = plane.columns()
    for way in WAYS[::2]:
        space = pm.simulate(four_bar(True, event), **sharp(way))
        assert space.switches[0].lost == pytest.approx(plane.switches[0].lost, abs=1e-8)
        there = space.columns()
        names = [f"{p}.{of}" for p in "OABC" for of in ("x", "y", "vx", "vy", "ax", "ay")]
        names += ["energy.kinetic", "energy.work", "spring.moment"]
        names += [f"{j}.{of}" for j in "OABC" for of in ("angle", "angle_rate") if j != joint or do != "detach"]
        for name in names:
            largest = max(1.0, float(np.max(np.abs(here[name]))))
            np.testing.assert_allclose(there[name], here[name], atol=1e-8 * largest, err_msg=name)


FLOATING = """
kind = "spatial"
gravity = [0.5, -1, -9.81]
bodies.a = { mass = 1, com = [0, 0, 0.3], inertia = [0.2, 0.3, 0.4] }
bodies.b = { mass = 2, com = [1, 0.3, 0], inertia = [0.1, 0.3, 0.2] }
joints.S = { type = "cylindrical", bodies = ["ground", "a"], point = [0, 0, 0], axis = [0, 1, 4] }
joints.J = { KIND, bodies = ["a", "b"], point = [0.5, 0, 0] }
initial = { rate = { S = { travel = 0.5, angle = 2 } } }
events.latch = { when = "t > 0.1 s", do = "lock joint", joint = "J" }
events.let = { when = "t > 0.2 s", do = "free joint", joint = "J" }
events.off = { when = "t > 0.3 s", do = "detach", joint = "J" }
run = { duration = 0.4, samples = 17 }
"""
KINDS = {
    "revolute": 'type = "revolute", axis = [0, 1, 1]',
    "prismatic": 'type = "prismatic", axis = [1, 0.5, 0.3]',
    "cylindrical": 'type = "cylindrical", axis = [1, 0.5, 0.3]',
    "screw": 'type = "screw", axis = [1, 0, 1], pitch = 0.1',
    "slot": 'type = "slot", axis = [1, 0, -1]',
    "universal": 'type = "universal", axes = [[1, 0, 0], [0, 1, 0]]',
    "spherical": 'type = "spherical"',
    "ball of angles": 'type = "spherical", coordinates = "angles"',
    "free": 'type = "free"',
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_joint_is_locked_freed_and_taken_out_and_natural_coordinates_agree(kind: str) -> None:
    model = loads(FLOATING.replace("KIND", KINDS[kind]))
    assert loads(dumps(model)) == model
    runs = [pm.simulate(model, **sharp(way)) for way in WAYS]
    first, held = runs[0], (runs[0].t > 0.1) & (runs[0].t <= 0.2)
    assert np.max(np.ptp(first.coordinate("J")[held], axis=0)) < 1e-8
    assert np.min(np.ptp(first.coordinate("J")[first.t <= 0.1], axis=0)) > 1e-5  # it moved before
    alike(runs)


def alike(runs: list[pm.Result]) -> None:
    """Hold runs to the first: what events did, all columns, and the certificate of energy."""
    tables = [run.columns() for run in runs]
    for table, run in zip(tables[1:], runs[1:], strict=True):
        for one, other in zip(runs[0].switches, run.switches, strict=True):
            assert one.part == other.part and one.lost == pytest.approx(other.lost, abs=1e-8)
        assert list(table) == list(tables[0])
        for name, values in tables[0].items():
            if not name.startswith("closure"):
                size = max(1.0, float(np.nanmax(np.abs(np.append(values, 0.0)))))
                np.testing.assert_allclose(table[name], values, atol=1e-6 * size, err_msg=name)  # 6e-8 of efforts
    for run in runs:
        assert np.max(np.abs(run.energy.error)) < 1e-7 * run.energy.scale


RSSR = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], A = [0, 0.4, 0.3], B = [1.2, 0.2, 0.8], C = [1.2, 0, 0] }
bodies.crank = { points = ["O", "A"], mass = 1, com = [0, 0.2, 0.15], inertia = [0.02, 0.02, 0.02] }
bodies.rod = { points = ["A", "B"], mass = 2, com = [0.6, 0.3, 0.55], inertia = [0.1, 0.2, 0.2] }
bodies.rocker = { points = ["C", "B"], mass = 2, com = [1.2, 0.1, 0.4], inertia = [0.1, 0.1, 0.1] }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "crank"], axis = [1, 0, 0] }
joints.A = { type = "universal", point = "A", bodies = ["crank", "rod"], axes = [[1, 0, 0], [0, 1, 0]] }
joints.B = { type = "spherical", point = "B", bodies = ["rod", "rocker"] }
joints.C = { type = "revolute", point = "C", bodies = ["ground", "rocker"], axis = [0, 1, 0] }
initial = { rate = { C = 1.0 } }
run = { duration = 0.4, samples = 9 }
"""


@pytest.mark.parametrize("joint", "OABC")
def test_what_a_loop_carried_hangs_on_its_other_joints_when_one_is_taken_out(joint: str) -> None:
    """The ball closes the loop by rows; then it carries a body, whose parent turns."""
    model = loads(f'{RSSR}events.off = {{ when = "t > 0.25 s", do = "detach", joint = "{joint}" }}')
    alike([pm.simulate(model, **sharp(way)) for way in WAYS[::2]])


# -- what goes with a joint, and when ----------------------------------------------------------------------------------

LADEN = THROWN.replace("KIND", 'type = "revolute", axis = [0, 1, 0]').replace("RATE", "3").replace(
    "run = {", """forces.spring = { type = "torsion", joint = "B", stiffness = 2, damping = 0.1 }
forces.motor = { type = "dc_motor", joint = "B", voltage = 12, resistance = 1, constant = 0.1, inductance = 0.01 }
joints.end = { type = "stop", joint = "B", upper = 0.2, restitution = 0.5 }
run = {"""
)  # fmt: skip


@ways
def test_springs_motors_and_stops_go_with_their_joint(way: dict[str, str]) -> None:
    result = pm.simulate(loads(LADEN), **sharp(way))
    assert {"impact", "detach"} == {s.what for s in result.switches}
    turned = float(result.events["release"].coordinate("B")[0])
    assert result.switches[-1].lost == pytest.approx(0.5 * 2 * turned**2, rel=1e-7)
    late = result.t > result.switches[-1].t
    for name in ("spring", "motor"):
        assert not result.force(name)[late].any() and result.force(name)[~late].any()
    assert not result.force("end")[late].any()
    assert not result.force("motor", "current")[late].any()
    assert np.max(np.abs(result.energy.error)) < 1e-7 * result.energy.scale
    assert result.complementarity.wrong is None


@ways
def test_a_driver_goes_with_its_joint(way: dict[str, str]) -> None:
    """The ball leaves with the speed that the driver gave it."""
    text = THROWN.replace("KIND", 'type = "revolute", axis = [1, 0, 1]').replace(", B = RATE", "")
    driver = 'drivers.spin = { joint = "B", motion = { type = "sine", amplitude = 0.5, frequency = 2 } }\n'
    result = pm.simulate(loads(text.replace("run = {", driver + "run = {")), **sharp(way))
    before, after = result.events["release"], result.events["release.after"]
    assert abs(before.rate("B")[0]) > 1.0
    np.testing.assert_allclose(after.omega("ball"), before.omega("ball"), atol=1e-9)
    late = result.t > after.t[0]
    np.testing.assert_allclose(result.omega("ball")[late], after.omega("ball").repeat(late.sum(), axis=0), atol=1e-9)
    assert not result.effort("spin")[late].any() and result.effort("spin")[~late].any()
    assert np.max(np.abs(result.energy.error)) < 1e-7 * result.energy.scale


@ways
def test_actions_at_one_instant_act_together_in_the_order_of_the_file(way: dict[str, str]) -> None:
    both = 'events.{} = {{ when = "t > 0.1 s", do = "{}", joint = "B" }}\n'
    text = THROWN.replace("KIND", HINGES["spherical"][0]).replace("RATE", HINGES["spherical"][1])
    text = text[: text.index("events.release")]
    latch, let = both.format("latch", "lock joint"), both.format("let", "free joint")
    ended = "run = { duration = 0.2, samples = 9 }"
    one, other = (pm.simulate(loads(text + order + ended), **way) for order in (latch + let, let + latch))
    assert [s.part for s in one.switches] == ["latch", "let"] and [s.part for s in other.switches] == ["let", "latch"]
    assert sum(s.lost for s in one.switches) == pytest.approx(0.0, abs=1e-9)  # locked and freed at once: nothing stops
    assert np.max(np.abs(one.rate("B")[-1])) > 1.0
    assert other.switches[1].lost > 0.1 and np.max(np.abs(other.omega("ball")[-1] - other.omega("rod")[-1])) < 1e-9
    off = latch + 'events.off = { when = "t > 0.1 s", do = "detach", joint = "O" }\n'
    flown = pm.simulate(loads(text + off + ended), **way)
    assert [s.what for s in flown.switches] == ["lock joint", "detach"]
    after = flown.momentum.linear[flown.t > 0.1]
    np.testing.assert_allclose(np.diff(after[:, 2]), -4 * G * np.diff(flown.t[flown.t > 0.1]), atol=1e-7)


def test_a_run_hands_over_to_ida_and_back_where_a_stiff_damper_is_taken_out() -> None:
    text = THROWN.replace("KIND", 'type = "revolute", axis = [0, 1, 0]').replace("RATE", "0")
    text = text.replace("B.z > 0.3", "t > 0.3 s").replace("[-4, 1]", "[-1, 1]")
    stiff = 'forces.drag = { type = "torsion", joint = "B", damping = 1e5 }\nrun = {'
    result = pm.simulate(loads(text.replace("run = {", stiff)))
    integrators = [phase.integrator for phase in result.phases]
    assert "ida" in integrators and integrators[-1] == "explicit"
    after = result.events["release.after"]
    t = (result.t[result.t > 0.3] - 0.3)[:, None]
    path = after.com("ball") + after.com_velocity("ball") * t + np.array([0.0, 0.0, -0.5 * G]) * t**2
    np.testing.assert_allclose(result.com("ball")[result.t > 0.3], path, atol=1e-9)


BENT = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], B = [1, 0, 0], C = [1.6, 0.2, 0] }
bodies.stone = { points = ["B", "C"], mass = 0.5, com = [1.2, 0.1, 0.05], inertia = [0.02, 0.05, 0.04] }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"], axis = [0, 1, 0] }
joints.B = { type = "spherical", point = "B", bodies = ["rod", "stone"] }
initial = { rate = { O = -2 } }
run = { duration = 0.2, samples = 11 }
[bodies.rod]
points = ["O", "B"]
density = 1.6
EI = 300.0
modes = [{ along = "y", shape = [0.0, 0.0, 1.0] }, { along = "z", shape = [0.0, 0.0, 1.0] }]
[events.act]
when = "t > 0.1 s"
"""


@pytest.mark.parametrize("do", ["lock joint", "detach"])
def test_what_hangs_on_a_rod_that_bends_is_locked_or_let_go(do: str) -> None:
    """Deflections go on as they are; the blow of a lock at B leaves the momentum about the pivot."""
    model = loads(BENT + f'do = "{do}"\njoint = "B"')
    found = validated(model)
    assert found.agreed and found.complete
    result = found.first
    before, after = result.events["act"], result.events["act.after"]
    assert after.momentum.angular[0, 1] == pytest.approx(before.momentum.angular[0, 1], rel=1e-9)
    np.testing.assert_allclose(after.modal("rod"), before.modal("rod"), atol=1e-12)
    np.testing.assert_allclose(after["C"], before["C"], atol=1e-12)
    assert np.max(np.abs(result.energy.error)) < 1e-8 * result.energy.scale
    assert result.internal("rod", 5).moment.shape == (11, 5, 3)
    late = result.t > 0.1
    if do == "detach":
        np.testing.assert_allclose(result.com_acceleration("stone")[late], [[0, 0, -G]] * late.sum(), atol=1e-9)
    else:
        assert max(np.max(np.abs(result.force(f"act angle{k}")[late])) for k in (1, 2, 3)) > 0.1


# -- what a user meets -------------------------------------------------------------------------------------------------


def test_what_a_user_meets_after_a_joint_is_taken_out() -> None:
    """Validation, check, going on, joining, and what is refused by name."""
    model = loads(THROWN.replace("KIND", HINGES["spherical"][0]).replace("RATE", HINGES["spherical"][1]))
    assert validated(model).agreed
    said = dict(pm.check(model).rows)
    assert said["by count without B"] == "8, 0 driven"
    result = pm.simulate(model)
    with pytest.raises(pm.ModelError, match='joint "B" is taken out, which a run from there on does not know'):
        pm.simulate(model, start=result)
    lines = [line for line in THROWN.replace(", B = RATE", "").splitlines() if not line.startswith(("joints.B", "eve"))]
    free = loads("\n".join(lines).replace('bodies.ball = { points = ["B"]', "bodies.ball = { points = []"))
    onward = pm.simulate(free, start=result, duration=0.2, samples=5)
    whole = result.joined(onward)
    fall = whole.com_acceleration("ball")[-5:]
    np.testing.assert_allclose(fall, [[0.0, 0.0, -G]] * 5, atol=1e-9)
    np.testing.assert_allclose(whole.com("ball")[31], whole.com("ball")[30] + 0.05 * whole.com_velocity("ball")[30]
                               + [0.0, 0.0, -0.5 * G * 0.05**2], atol=1e-7)  # fmt: skip
    frames, points = moving(result)
    np.testing.assert_array_equal(frames["ball"].origin, result.com("ball"))
    np.testing.assert_array_equal(points["B"], result["B"])
    assert len(view.mechanism(result, t=0.5).axes) == 1
    with pytest.raises(pm.ModelError, match='joint "B" is taken out in this run, and bodies have other coordinates'):
        _ = result._sampled


def test_what_is_left_without_inertia_is_told_where_its_joint_is_taken_out() -> None:
    """A rod has none about its own line."""
    for way in WAYS:
        model = loads(THROWN.replace("KIND", 'type = "revolute", axis = [0, 1, 0]').replace("RATE", "0"))
        rod = {"points": ["B", "C"], "com": None, "inertia": None}
        result = pm.simulate(model.replaced(points={"C": [1.5, 0, 0]}, bodies={"ball": rod}), throw=False, **way)
        assert result.status is Status.LOCKED
        assert 'joint "B" is taken out, at t = 0.0' in result.message and "such as a rod" in result.message


BAD = {
    "driven": (
        'drivers.m = { joint = "B", motion = 0 }', "lock joint", "B", 'joint "B" is driven by "m", which would move on'
    ),
    "unknown": ("", "detach", "Q", 'joint "Q" unknown'),
    "no coordinate": (
        'joints.D = { type = "distance", bodies = ["ground", "ball"], points = ["P", "B"] }',
        "lock joint", "D", 'joint "D" has no coordinate that could be locked',
    ),
    "not locked": ("", "free joint", "B", 'joint "B" is locked by no event'),
    "free": (
        'joints.D = { type = "slot", bodies = ["ground", "ball"], point = "B", axis = [1, 0, 0], free = true }',
        "detach", "B", 'only a "slot" of the plane begins free',
    ),
    "measured": (
        'forces.h = { type = "pid", joint = "O", coordinate = "angle1", sensor = "B.angle", setpoint = 1, kp = 2 }',
        "detach", "B", 'force "h" measures joint "B", which has no coordinate once it is taken out',
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [*BAD, "drive"])
def test_bad_actions_are_told_in_one_line(case: str) -> None:
    kind = 'type = "revolute", axis = [0, 1, 0]' + (", drive = { rotor = 0.1 }" if case == "drive" else "")
    more, do, joint, said = BAD.get(case, ("", "detach", "B", 'joint "B" has a "drive", which would be left hanging'))
    text = (
        THROWN.replace("KIND", kind).replace(", B = RATE", "").replace("B = [1, 0, 0]", "B = [1, 0, 0], P = [0, 0, 2]")
    )
    text = text.replace('do = "detach", joint = "B"', f'do = "{do}", joint = "{joint}"') + more
    with pytest.raises(pm.ModelError, match=said):
        pm.simulate(loads(text))


def test_variants_are_run_through_locks_and_what_is_taken_out() -> None:
    model = loads(THROWN.replace("KIND", HINGES["spherical"][0]).replace("RATE", HINGES["spherical"][1]))
    masses = [1.0, 2.0]
    found = pm.simulate_many([model.replaced(bodies={"ball": {"mass": m}}) for m in masses], workers=1)
    for k, m in enumerate(masses):
        alone = pm.simulate(model.replaced(bodies={"ball": {"mass": m}}))
        np.testing.assert_array_equal(found.position[k].values[:, 1], alone["B"])
    assert math.isfinite(float(found.velocity.sum()))


PRESSED = """
kind = "spatial"
gravity = [0, 0, -9.81]
bodies.arm = { mass = 2, com = [0.5, 0, 0], inertia = [0.001, 0.2, 0.2] }
bodies.block = { mass = 1, com = [0, 1, 0], inertia = [0.01, 0.01, 0.01] }
joints.O = { type = "revolute", point = [0, 0, 0], bodies = ["ground", "arm"], axis = [0, 1, 0] }
joints.B = { type = "prismatic", point = [0, 1, 0], bodies = ["ground", "block"], axis = [1, 0, 0] }
joints.end = { type = "stop", joint = "B", upper = 0.5 }
initial = { rate = { O = 0, B = 1 } }
events.release = { when = "t > 0.7", do = "detach", joint = "O" }
run = { duration = 1.0, samples = 11 }
"""


@ways
def test_what_happens_at_once_with_a_release_is_told_of_the_mechanism_before_it(way: dict[str, str]) -> None:
    """A block that lies on its stop without a force leaves it there: the state before has the joint still."""
    result = pm.simulate(loads(PRESSED), **way)
    assert [(one.part, one.what) for one in result.switches] == [
        ("end", "closes"), ("release", "detach"), ("end", "opens"),
    ]  # fmt: skip
    before = result.events["end"]
    np.testing.assert_allclose(before.t, [0.5, 0.7], atol=1e-9)
    np.testing.assert_allclose(before.coordinate("B"), 0.5, atol=1e-9)
    assert np.isfinite(before.coordinate("O")).all()
