"""Rest where stops, contacts and cams press, and small motions about it: closed forms, runs from there on."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.errors import ModelError
from particlemech.model.toml import loads
from particlemech.result.export import read_csv

G, MASS, ARM = 9.81, 3.0, 0.5
LEAN = math.radians(30.0)
PENDULUM = {
    "plane": """
gravity = [0, -9.81]
points = { O = [0, 0], B = [0, -1] }
bodies.rod = { points = ["O", "B"], mass = 3 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "rod"] }
joints.wall = { type = "stop", joint = "O", KEYS }
""",
    "space": """
kind = "spatial"
gravity = [0, 0, -9.81]
bodies.rod = { mass = 3, com = [0, 0, -0.5], inertia = [0.25, 0.25, 0.25] }
joints.O = { type = "revolute", point = [0, 0, 0], axis = [0, 1, 0], bodies = ["ground", "rod"] }
joints.wall = { type = "stop", joint = "O", KEYS }
""",
}
INERTIA = 1.0  # about O, in both
WORLDS = sorted(PENDULUM)


def pendulum(world, keys, upright=False):
    text = PENDULUM[world].replace("KEYS", keys)
    return loads(text.replace("[0, -1]", "[0, 1]").replace("0, -0.5]", "0, 0.5]") if upright else text)


def stays(mechanism, rest, k=0, far=1e-8):
    """Return whether a run from a rest position stays there."""
    run = pm.simulate(mechanism, start=rest.sample(k), duration=1.0, samples=5)
    moved = [abs(run.com(body) - rest.com(body)[k]).max() for body in mechanism.bodies]
    return run.status.value == "completed" and max(moved) < far


@pytest.mark.parametrize("world", WORLDS)
def test_a_pendulum_rests_on_a_stop_with_the_moment_of_its_weight(world):
    wall = pendulum(world, 'lower = "30 deg"')
    rest = pm.equilibrium(wall, near={"O": 0.8})
    assert rest.coordinate("O", "angle")[0] == pytest.approx(LEAN, rel=1e-12)
    assert rest.force("wall")[0] == pytest.approx(MASS * G * ARM * math.sin(LEAN), rel=1e-12)
    assert (rest.presses, rest.grazes, rest.stability) == ((("wall",),), ((),), ("stable",))
    assert "wall presses with 7.3575 N m" in str(rest)
    assert stays(wall, rest)
    with pytest.raises(ModelError, match=r"^modes: nothing moves freely"):
        pm.modes(wall, rest)


@pytest.mark.parametrize("world", WORLDS)
def test_all_rest_positions_are_found_on_both_stops_and_between(world):
    between = pendulum(world, 'lower = "170 deg", upper = "190 deg"')
    rest = pm.equilibrium(between, near={"O": 3.0}, all=True)
    found = sorted(zip(rest.coordinate("O", "angle"), rest.stability, rest.force("wall"), strict=True))
    moment = MASS * G * ARM * math.sin(math.radians(10.0))
    wanted = [("stable", 170.0, moment), ("unstable", 180.0, 0.0), ("stable", 190.0, -moment)]
    assert [said for _, said, _ in found] == [said for said, *_ in wanted]
    assert [at for at, *_ in found] == pytest.approx([math.radians(at) for _, at, _ in wanted], rel=1e-12)
    assert [force for *_, force in found] == pytest.approx([force for *_, force in wanted], abs=1e-11)
    assert all(stays(between, rest, k) for k, said in enumerate(rest.stability) if said == "stable")


@pytest.mark.parametrize("world", WORLDS)
def test_what_leans_on_a_stop_that_gives_way_swings_by_its_stiffness_and_damping(world):
    k, c = 100.0, 1.5
    soft = pendulum(world, f'lower = "30 deg", stiffness = {k}, damping = {c}')
    rest = pm.equilibrium(soft, near={"O": 0.8})
    at = float(rest.coordinate("O", "angle")[0])
    assert k * (LEAN - at) == pytest.approx(MASS * G * ARM * math.sin(at), rel=1e-10)
    assert rest.force("wall")[0] == pytest.approx(MASS * G * ARM * math.sin(at), rel=1e-10)
    assert stays(soft, rest)
    modes = pm.modes(soft, rest)
    omega = math.sqrt((k + MASS * G * ARM * math.cos(at)) / INERTIA)
    assert modes.omega[0] == pytest.approx(omega, rel=1e-9)
    assert modes.damping[0] == pytest.approx(0.5 * c / omega / INERTIA, rel=1e-9)
    lam = modes.lam[0]
    moved = pm.simulate(soft, start=displaced(modes.linear, 1e-6), duration=0.6, samples=40, rtol=1e-11)
    z = moved.coordinate("O", "angle") - at
    both = np.array([lam, lam.conjugate()])
    share = np.linalg.solve(np.array([[1.0, 1.0], both]), np.array([1e-6, 0.0]))
    assert z == pytest.approx((np.exp(np.outer(moved.t - moved.t[0], both)) @ share).real, abs=1e-11)


def displaced(linear, by):
    """Return the moment of what small motions are about, a little way off."""
    from particlemech.run.phases import Moment

    return Moment(linear.stand.t, linear.displaced(np.array([by])), linear.stand.system)


@pytest.mark.parametrize("world", WORLDS)
def test_what_touches_without_force_is_named_and_decides_nothing(world):
    hanging, upright = pendulum(world, "lower = 0"), pendulum(world, "lower = 0", upright=True)
    for free, said in ((hanging, "stable"), (upright, "undecided")):
        rest = pm.equilibrium(free)
        assert (rest.presses, rest.grazes, rest.stability) == (((),), (("wall",),), (said,))
        assert "wall touches without force" in str(rest)
        for settle in (True, False):
            with pytest.raises(
                ModelError, match=r'^joint "wall" \(lower\) touches .* not press \(gap .* rad, force .* N'
            ):
                pm.linearised(free, settle=settle)
    weak = pendulum(world, "lower = 0, stiffness = 1", upright=True)
    assert pm.equilibrium(weak).stability == ("unstable",)  # pressed in or not: m g l/2 = 14.7 N m/rad


TWO = """
gravity = [0, -9.81]
points = { O = [0, 0], A = [0, -1], B = [0, -2] }
bodies.upper = { points = ["O", "A"], mass = 3 }
bodies.lower = { points = ["A", "B"], mass = 2 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "upper"] }
joints.A = { type = "revolute", point = "A", bodies = ["upper", "lower"] }
joints.wall = { type = "stop", joint = "A", lower = "40 deg" }
"""


def test_a_lever_that_a_stop_holds_has_one_freedom_less_and_the_vibrations_of_one_that_is_locked():
    stopped = loads(TWO)
    rest = pm.equilibrium(stopped, near={"A": 1.0})
    assert rest.presses == (("wall",),) and rest.freedoms == [("O.angle",)] and stays(stopped, rest)
    locked = stopped.replaced(joints={"wall": None}, initial={"position": {"A": math.radians(40.0)}})
    other = pm.equilibrium(locked, hold="A")
    assert rest.coordinate("O", "angle") == pytest.approx(other.coordinate("O", "angle"), rel=1e-12)
    assert rest.force("wall") == pytest.approx(other.effort("hold A"), rel=1e-11)
    assert pm.modes(stopped, rest).omega == pytest.approx(pm.modes(locked, other, hold="A").omega, rel=1e-9)
    answer = pm.response(stopped, [0.3, 2.0], about=rest, output="A.x", input=("B", (1.0, 0.0)))
    assert answer == pytest.approx(
        pm.response(locked, [0.3, 2.0], about=other, hold="A", output="A.x", input=("B", (1.0, 0.0))), rel=1e-8
    )


VALLEY = """
gravity = [0, -9.81]
points = { O = [0, 0], C = [0.1, 1.0] }
bodies.disc = { points = ["C"], mass = 2, com = [0.1, 1.0], inertia = 0.04 }
[joints]
left = { type = "contact", bodies = ["ground", "disc"], points = ["O", "C"], axis = [-1, 1], radius = 0.2 KEYS }
right = { type = "contact", bodies = ["ground", "disc"], points = ["O", "C"], axis = [2, 1], radius = 0.2 KEYS }
"""


def test_a_ball_falls_into_a_valley_and_rests_on_both_sides():
    disc = loads(VALLEY.replace("KEYS", ""))
    rest = pm.equilibrium(disc)
    n = np.array([[1.0, 1.0], [-1.0, 2.0]]) / np.sqrt([[2.0], [5.0]])
    force = np.linalg.solve(n.T, [0.0, 2.0 * G])
    assert [rest.force(name)[0] for name in ("left", "right")] == pytest.approx(force, rel=1e-12)
    assert rest["C"][0] == pytest.approx(np.linalg.solve(n, [0.2, 0.2]), rel=1e-12)
    assert rest.presses == (("left", "right"),) and rest.stability == ("neutral",)  # it may turn
    assert stays(disc, rest)
    turning = pm.modes(disc, rest)
    assert turning.linear.freedoms == ("disc.angle",) and turning.said(0) == "free"
    soft = loads(VALLEY.replace("KEYS", ", stiffness = 5000"))
    rest = pm.equilibrium(soft)
    assert [rest.force(name)[0] for name in ("left", "right")] == pytest.approx(force, rel=1e-9)
    omega = np.sqrt(np.linalg.eigvalsh(5000.0 * n.T @ n) / 2.0)
    assert pm.modes(soft, rest).omega[1:] == pytest.approx(omega, rel=1e-9)


BLOCK = """
gravity = [0, -9.81]
points = { O = [0, 0], A = [-0.1, 0], B = [0.1, 0], M = [0, 0], C = [0, 0.1], W = [-2, 0.1] }
bodies.block = { points = ["A", "B", "M", "C"], mass = 2, com = [0, 0.1], inertia = 0.04 }
[joints]
a = { type = "contact", bodies = ["ground", "block"], points = ["O", "A"], axis = [1, 0], ends = [-0.5, 0.5] }
b = { type = "contact", bodies = ["ground", "block"], points = ["O", "B"], axis = [1, 0], ends = [-0.5, 0.5] }
"""
PULL = (
    'forces.pull = { type = "spring", bodies = ["ground", "block"], points = ["W", "C"], stiffness = 200, length = L }'
)


def test_a_block_rests_between_the_ends_of_a_line_and_nothing_holds_it_beyond_them():
    drawn = loads(BLOCK)
    rest = pm.equilibrium(drawn)
    assert rest.force("a") == pytest.approx(G, rel=1e-12) and rest.stability == ("neutral",) and stays(drawn, rest)
    drawn = loads(PULL.replace("L }", "1.7 }") + BLOCK)
    rest = pm.equilibrium(drawn)
    assert rest["C"][0] == pytest.approx([-0.3, 0.1], abs=1e-12) and rest.presses == (("a", "b"),)
    assert pm.modes(drawn, rest).omega == pytest.approx([10.0], rel=1e-9) and stays(drawn, rest)
    fallen = pm.equilibrium(loads(PULL.replace("L }", "1.2 }") + BLOCK))
    assert fallen["C"][0] == pytest.approx([-2.0, 0.1 - 1.2 - 2.0 * G / 200.0], abs=1e-9) and fallen.presses == ((),)


def test_three_contacts_of_one_line_press_with_what_is_not_determined():
    third = 'm = { type = "contact", bodies = ["ground", "block"], points = ["O", "M"], axis = [1, 0] }'
    rest = pm.equilibrium(loads(BLOCK + third))
    assert rest.presses == (("a", "b", "m"),) and np.isnan(rest.force("m")).all()
    assert "presses, with what is not determined" in str(rest)


def test_a_follower_presses_on_its_cam_with_spring_and_weight():
    drawn = pm.models.load("cam_flat_follower")
    for t in (0.0, 0.18):
        rest = pm.equilibrium(drawn, t=t)
        assert rest.force("cam")[0] == pytest.approx(60.0 + 0.4 * G + 8000.0 * (rest["F"][0, 1] - 0.03), rel=1e-9)
        assert rest.presses == (("cam",),)


def test_a_door_rests_on_its_frame_by_the_preload_of_its_closer():
    door = pm.models.load("door_closer")
    rest = pm.equilibrium(door)
    assert rest.force("frame")[0] == pytest.approx(8.0 * math.pi / 3.0, rel=1e-12) and stays(door, rest)


def test_a_contact_with_friction_has_no_part_in_rest_while_it_is_open():
    rough = loads(VALLEY.replace("KEYS", ", friction = { mu = 0.3, velocity = 1e-3 }"))
    with pytest.raises(ModelError, match=r'^joint "left" presses here and has dry friction, whose part at rest noth'):
        pm.equilibrium(rough)
    hung = rough.replaced(
        forces={"s": pm.forces.Spring(bodies=("ground", "disc"), points=((0.1, 3.0), "C"), stiffness=100.0, length=1.5)}
    )
    rest = pm.equilibrium(hung)
    assert rest["C"][0] == pytest.approx([0.1, 1.5 - 2.0 * G / 100.0], abs=1e-9)
    assert pm.modes(hung, rest).omega[-1] == pytest.approx(math.sqrt(50.0), rel=1e-9)


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_small_motions_about_a_sample_of_a_run_hold_who_presses_there(integrator):
    fallen = loads(TWO + 'forces.d = { type = "torsion", joint = "O", damping = 30 }')
    fallen = fallen.replaced(initial={"position": {"A": 1.0}})
    run = pm.simulate(fallen, duration=4.0, samples=5, integrator=integrator)
    moving = pm.linearised(fallen, run, settle=False)
    assert moving.freedoms == ("O.angle",)
    at = moving.result.coordinate("O", "angle")[0]
    locked = fallen.replaced(joints={"wall": None}, initial={"position": {"O": at, "A": math.radians(40.0)}})
    assert moving.K == pytest.approx(pm.linearised(locked, hold="A", settle=False).K, rel=1e-4)


def test_runs_go_on_from_what_is_pressed_in_and_still_refuse_drawings_that_are():
    soft = loads(VALLEY.replace("KEYS", ", stiffness = 5000, damping = 20"))
    run = pm.simulate(soft, duration=1.0, samples=3)
    pressed = [name for name in ("left", "right") if run.force(name)[-1] > 0.0]
    assert pressed
    both = run.joined(pm.simulate(soft, start=run, duration=1.0, samples=3))
    whole = pm.simulate(soft, duration=2.0, samples=5)
    assert both["C"][-1] == pytest.approx(whole["C"][-1], abs=1e-6)
    with pytest.raises(ModelError, match="deep in each other"):
        pm.simulate(soft.replaced(points={"C": (0.0, 0.2)}, bodies={"disc": {"com": (0.0, 0.2)}}))


@pytest.mark.parametrize("world", WORLDS)
def test_rest_positions_in_a_file_are_columns_and_no_run(world, tmp_path):
    rest = pm.equilibrium(pendulum(world, 'lower = "170 deg", upper = "190 deg"'), near={"O": 3.0}, all=True)
    rest.to_csv(tmp_path / "rest.csv")
    assert read_csv(tmp_path / "rest.csv")[0]["wall.effort"] == pytest.approx(rest.force("wall"), rel=1e-12)
    with pytest.raises(ModelError, match=r"holds rest positions or small motions, .* ask for these anew$"):
        pm.read_result(tmp_path / "rest.csv")


def over_a_floor(seed, middle=""):
    """Return three rods with dampers and stops in their pins, whose ends may meet a floor, the middle one as told."""
    rng = np.random.default_rng(seed)
    ways = [0.5 * np.array([math.cos(a), 0.3 * math.sin(a)]) for a in rng.uniform(-0.6, 0.6, 3)]
    ends = np.cumsum([(0.0, 1.0), *ways], axis=0)
    text = ["gravity = [0, -9.81]", f"points.F = [0, {float(ends[:, 1].min() - rng.uniform(0.05, 0.9))}]"]
    text += [f"points.P{k} = {at.tolist()}" for k, at in enumerate(ends)]
    for k, before in enumerate(("ground", "b0", "b1")):
        low, high, mass = rng.uniform((0.3, 0.3, 0.5), (1.2, 1.2, 2.0)).tolist()
        text += [
            f'bodies.b{k} = {{ points = ["P{k}", "P{k + 1}"], mass = {mass} }}',
            f'joints.J{k} = {{ type = "revolute", point = "P{k}", bodies = ["{before}", "b{k}"] }}',
            f'joints.c{k} = {{ type = "contact", bodies = ["ground", "b{k}"], points = ["F", "P{k + 1}"], '
            f"axis = [1, 0]{middle if k == 1 else ''} }}",
            f'forces.d{k} = {{ type = "torsion", joint = "J{k}", damping = 3 }}',
        ]
        text += [f'joints.s{k} = {{ type = "stop", joint = "J{k}", lower = {-low}, upper = {high} }}'] if k else []
    return loads("\n".join(text))


SOFT = ", stiffness = 2000, damping = 50"


@pytest.mark.parametrize(("seed", "middle"), [(8, ""), (0, SOFT)])
def test_a_chain_that_falls_on_a_floor_comes_to_rest_where_runs_do(seed, middle):
    """Those with a soft foot between rigid ones rock on these, ever faster, before they rest."""
    chain = over_a_floor(seed, middle)
    rest, run = pm.equilibrium(chain), pm.simulate(chain, duration=16.0, samples=3)
    for name in ("J0", "J1", "J2"):
        assert run.coordinate(name)[-1] == pytest.approx(rest.coordinate(name)[0], abs=1e-7)
    pressed = [name for name in chain.joints if name[0] in "cs" and abs(run.force(name)[-1]) > 1e-6]
    assert pressed == list(rest.presses[0]) and len(pressed) > 1
    for name in pressed:
        assert run.force(name)[-1] == pytest.approx(rest.force(name)[0], rel=1e-5)


def test_what_presses_where_it_starts_lets_go_where_it_would_pull():
    """A spring that is too short pushes a slider down, until another one has drawn it far enough to the side."""
    slider = loads("""
points = { C = [0.5, 0], D = [0.5, 0], A = [0, 2] }
bodies.cart = { points = ["D"], mass = 1, com = [0.5, 0], inertia = 0.1 }
bodies.slider = { points = ["C"], mass = 1, com = [0.5, 0], inertia = 0.1 }
joints.X = { type = "prismatic", point = "D", bodies = ["ground", "cart"], axis = [1, 0] }
joints.Y = { type = "prismatic", point = [0.5, 0], bodies = ["cart", "slider"], axis = [0, 1] }
joints.floor = { type = "stop", joint = "Y", lower = 0 }
forces.push = { type = "spring", bodies = ["ground", "slider"], points = ["A", "C"], stiffness = 10, length = 3 }
forces.draw = { type = "torsion", joint = "X", stiffness = 100, length = 3.5 }
""")
    assert pm.simulate(slider, duration=0.01, samples=2).force("floor")[0] > 1.0
    rest = pm.equilibrium(slider)
    assert rest["C"][0] == pytest.approx([430.0 / 110.0, 2.0], abs=1e-9)
    assert (rest.presses, rest.stability) == (((),), ("stable",))
