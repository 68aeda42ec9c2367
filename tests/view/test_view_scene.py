"""Scenes carry what a result says to renderers: frames where bodies are, primitives of every kind, arrows, numbers."""

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, forces, joints, space
from particlemech.model import columns, primitives
from particlemech.model.primitives import Part
from particlemech.model.signals import course, values
from particlemech.model.toml import from_dict, loads
from particlemech.view import flat, solid
from particlemech.view.families import scene
from tests.model.test_signals import CASES, T

REGISTRIES = (
    joints, drivers, forces, space.joints, space.drivers, space.forces,
)  # fmt: skip
EVERY = [pytest.param(kind, id=f"{r.__name__}.{kind.__name__}") for r in REGISTRIES for kind in r.KINDS]
LOOKS = {
    value for value in vars(primitives).values() if isinstance(value, type) and issubclass(value, primitives.Primitive)
}
IN_SCENE = LOOKS - {primitives.Primitive, primitives.Push, primitives.Turn}  # these become arrows


@pytest.fixture(scope="module")
def turning():
    return pm.simulate(pm.models.load("quick_return"), duration=1.0, samples=41, rtol=1e-6)


@pytest.fixture(scope="module")
def bending():
    return pm.simulate(pm.models.load("cantilever"), duration=0.2, samples=5)


def shown(seen, kind):
    return [p for p in seen.primitives if isinstance(p, kind)]


@pytest.mark.parametrize("kind", EVERY)
def test_every_kind_says_itself_what_it_looks_like(kind):
    root = next(base for base in reversed(kind.__mro__) if "look" in vars(base))
    assert kind.look is not root.look  # which says that it does not know


@pytest.mark.parametrize("renderer", [flat, solid])
def test_renderers_know_every_primitive(renderer):
    assert set(renderer._PAINTERS) >= IN_SCENE


@pytest.mark.parametrize("name", pm.models.names())
def test_every_model_is_a_still_of_known_primitives(name):
    m = pm.models.load(name)
    seen = scene(m)
    assert {type(p) for p in seen.primitives} <= IN_SCENE
    assert len(seen.t) == 1 and np.isfinite(seen.box).all()
    assert {p.part.name for p in seen.primitives if p.part.section == "body"} <= set(m.bodies)
    assert all(p.towards is not None for p in shown(seen, primitives.Hatch))
    assert {row.name for row in seen.table} >= {*m.bodies, *m.joints, *m.forces, *m.drivers}


@pytest.mark.parametrize("name", ["quick_return", "gyroscope", "bennett"])
def test_places_of_bodies_move_as_the_result_says(name):
    result = pm.simulate(pm.models.load(name), duration=0.5, samples=6)
    m, seen = result.system.mechanism, scene(result)
    size = float(np.max(seen.box[1] - seen.box[0]))
    for body, spec in m.bodies.items():
        for p in spec.points:
            assert seen.place(body, m.points[p]) == pytest.approx(result[p], abs=1e-7 * size)


def test_a_body_that_the_assembly_turned_is_drawn_where_it_is():
    m = pm.models.load("four_bar").replaced(bodies={"coupler": {"length": 0.34}})
    result = pm.simulate(m, duration=0.01, samples=3)
    seen = scene(result)
    for body in ("coupler", "rocker"):
        assert seen.place(body, m.place("B", body)) == pytest.approx(result["B"], abs=1e-8)


def test_a_slot_reaches_as_far_as_its_rider_travels(turning):
    (slot,) = shown(scene(turning), primitives.Slot)
    foot = scene(turning).place("lever", slot.a)
    ways = np.hypot(*(turning["A"] - foot).T)
    assert ways.min() == pytest.approx(0.0, abs=1e-9)
    assert ways.max() == pytest.approx(np.hypot(*np.subtract(slot.b, slot.a)))


def test_a_rail_without_travel_can_still_be_seen():
    m = pm.models.load("slider_crank").replaced(gravity=(0.0, 0.0), forces={"motor": None})
    seen = scene(pm.simulate(m.replaced(initial={"omega": {}}), duration=0.1, samples=3))
    (rail,) = shown(seen, primitives.Rail)
    assert np.hypot(*np.subtract(rail.b, rail.a)) >= 2.0 * seen.r * (1.0 - 1e-9)


def test_springs_end_where_they_are_fixed_and_the_ground_holds_them():
    m = pm.models.load("andrews_squeezer")
    seen = scene(m)
    (spring,) = shown(seen, primitives.Spring)
    assert [tuple(seen.place(*end)[0]) for end in spring.ends] == [pytest.approx(m.points[p]) for p in "CD"]
    assert {p.at for p in shown(seen, primitives.Hatch)} == {m.points[p] for p in "OABC"}


@pytest.mark.parametrize("frame", ["global", "body"])
def test_loads_are_arrows_that_stay_or_turn_with_their_body(frame):
    load = pm.forces.Load(body="rod", point="P", force=(0.0, 2.0), frame=frame)
    m = pm.models.load("pendulum").replaced(forces={"pull": load})
    result = pm.simulate(m, duration=0.3, samples=4)
    arrow = scene(result).arrows["load"]["pull"]
    turned = result.angle("rod") if frame == "body" else np.zeros(4)
    assert arrow.at == pytest.approx(result["P"], abs=1e-9) and arrow.unit == "N"
    assert arrow.vector == pytest.approx(2.0 * np.column_stack([-np.sin(turned), np.cos(turned)]), abs=1e-9)


@pytest.mark.parametrize("frame", ["global", "body"])
def test_impulses_in_the_plane_are_arrows_at_their_time(frame):
    hit = pm.Impulse(body="rod", point="P", time=0.4, impulse=(0.0, 2.0), moment=-0.5, frame=frame)
    result = pm.simulate(pm.models.load("pendulum").replaced(impulses={"hit": hit}), duration=1.0, samples=101)
    arrows = scene(result).arrows["impulse"]
    push, turn = arrows["hit"], arrows["hit.moment"]
    there = (result.t >= 0.4) & (result.t <= 0.45)
    turned = result.angle("rod")[there] if frame == "body" else np.zeros(there.sum())
    assert push.at == pytest.approx(result["P"], abs=1e-9) and (push.unit, turn.unit) == ("kg m/s", "kg m²/s")
    assert push.vector[there] == pytest.approx(2.0 * np.column_stack([-np.sin(turned), np.cos(turned)]), abs=1e-9)
    assert turn.turning and not push.turning
    assert turn.vector[there] == pytest.approx(-0.5)
    assert np.isnan(push.vector[~there]).all() and np.isnan(turn.vector[~there]).all()


@pytest.mark.parametrize("frame", ["global", "body"])
@pytest.mark.parametrize("name", ["gyroscope", "rssr"])
def test_impulses_in_space_are_arrows_at_their_time(name, frame):
    m = pm.models.load(name)
    body = next(iter(m.bodies))
    hit = space.Impulse(body=body, time=0.05, impulse=(0.0, 0.0, 1e-3), moment=(1e-4, 0.0, 0.0), frame=frame)
    result = pm.simulate(m.replaced(impulses={"hit": hit}), duration=0.1, samples=11)
    push, turn = (scene(result).arrows["impulse"][name] for name in ("hit", "hit.moment"))
    assert np.isfinite(push.vector).all(axis=1).nonzero()[0].tolist() == [5, 6]
    k = 5
    turned = result.orientation(body)[k] if frame == "body" else np.eye(3)
    assert push.at == pytest.approx(result.com(body), abs=1e-9)
    assert push.vector[k] == pytest.approx(1e-3 * turned[:, 2], abs=1e-12)
    assert turn.vector[k] == pytest.approx(1e-4 * turned[:, 0], abs=1e-12) and turn.turning


def test_a_still_shows_all_impulses_and_a_motion_those_that_act():
    m, hits = pm.models.load("pendulum"), {}
    for name, time in (("first", 0.0), ("later", 0.3), ("last", 1.0), ("never", 2.0)):
        hits[name] = pm.Impulse(body="rod", point="P", time=time, impulse=(0.1, 0.0))
    m = m.replaced(impulses=hits | {"nothing": pm.Impulse(body="rod")})
    assert list(scene(m).arrows["impulse"]) == list(hits)
    assert list(scene(pm.simulate(m, duration=1.0, samples=6)).arrows["impulse"]) == ["first", "later"]


KEYS = {
    "point": (0.0, 0.0, 0.0), "axis": (0.0, 0.0, 2.0), "axes": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)), "pitch": 0.1,
    "coordinates": "angles",
}  # fmt: skip


@pytest.mark.parametrize("kind", [kind for kind in space.joints.KINDS if kind.coordinate_names])
def test_an_effort_on_a_coordinate_of_any_joint_in_space_is_an_arrow(kind):
    made = kind(bodies=("ground", "nut"), **{k: v for k, v in KEYS.items() if k in kind.__dataclass_fields__})
    nut = space.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    m, first = space.Mechanism(bodies={"nut": nut}, joints={"J": made}), kind.coordinate_names[0]
    motor = space.forces.Motor(joint="J", coordinate=first, effort=3.0)
    arrow = scene(m.replaced(forces={"motor": motor})).arrows["load"]["motor"]
    assert np.linalg.norm(arrow.vector[0]) == pytest.approx(3.0)
    assert arrow.turning == first.startswith("angle")


def test_efforts_and_reactions_are_those_of_the_result(turning):
    arrows = scene(turning).arrows
    assert arrows["effort"]["motor"].vector[:, 0] == pytest.approx(turning.effort("motor"))
    assert arrows["effort"]["motor"].turning
    assert np.array_equal(arrows["reaction"]["slot.crank"].vector, turning.reaction("slot", "crank"))
    assert np.array_equal(arrows["velocity"]["A"].vector, turning.velocity("A"))
    assert "L" not in arrows["velocity"]  # it does not move


def test_columns_belong_to_parts(turning):
    seen = scene(turning)
    assert seen.columns_of(Part("body", "crank"))[0] == "crank.angle"
    assert seen.columns_of(Part("joint", "O")) == ["O.crank.fx", "O.crank.fy"]
    assert seen.columns_of(Part("driver", "motor")) == ["motor.effort", "motor.power"]
    assert seen.columns_of(Part("point", "A"))[:2] == ["A.x", "A.y"]


@pytest.mark.parametrize("name", ["quick_return", "space_manipulator", "rssr", "two_link_flexible"])
def test_every_column_of_every_family_has_a_quantity_and_a_unit(name):
    result = pm.simulate(pm.models.load(name), duration=0.05, samples=3)
    seen = scene(result)
    own = set(result.columns()) - {"t"}
    measured = {name.rpartition(".")[2] for name in set(seen.quantities) - own if not name.startswith("shaking.")}
    assert own <= set(seen.quantities) and measured <= {"transmission", "power"}
    assert all(q.unit and columns.unit(result.system.mechanism, q.what) == q.unit for q in seen.quantities.values())
    assert {"run", "formulation", "closure"} <= set(seen.certificate)


def test_samples_of_a_scene_are_taken_together(turning):
    whole = scene(turning)
    some = whole.at([3, 30])
    assert np.array_equal(some.points["A"], turning["A"][[3, 30]])
    assert np.array_equal(some.arrows["velocity"]["A"].vector, turning.velocity("A")[[3, 30]])
    assert some.place("crank", (0.0, 0.35)) == pytest.approx(whole.place("crank", (0.0, 0.35))[[3, 30]])
    assert len(whole.thinned(10).t) == 10 and whole.thinned(100) is whole


@pytest.mark.parametrize("kind", CASES)
def test_courses_of_signals_are_their_values(kind):
    spec, _ = CASES[kind]
    assert course((spec,), T)[:, 0] == pytest.approx([values(spec, t)[0] for t in T], abs=1e-14)


def test_a_link_that_bends_is_a_curve_through_its_points(bending):
    seen = scene(bending)
    (curve,) = shown(seen, primitives.Curve)
    assert curve.points.shape[::2] == (5, 3)
    assert curve.points[:, -1] == pytest.approx(bending["tip"], abs=1e-12)
    # it bends: its middle leaves the line between its ends
    chord = 0.5 * (curve.points[:, 0] + curve.points[:, -1])
    middle = curve.points[:, curve.points.shape[1] // 2]
    assert np.max(np.linalg.norm(middle - chord, axis=1)) > 1e-4


def test_what_is_fixed_on_a_link_that_bends_goes_with_its_section(bending):
    (name,) = scene(bending).arrows["load"]
    assert scene(bending).arrows["load"][name].at == pytest.approx(bending["tip"], abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        ({"type": "revolute", "point": "A"}, [("arm", (0.0, 0.0))]),
        ({"type": "prismatic", "point": "A", "axis": (1.0, 0.0)}, [("arm", (0.0, 0.0))]),
        ({"type": "distance", "points": ("G", "A")}, [("ground", (0.0, -1.0)), ("arm", (0.0, 0.0))]),
    ],
    ids=["pin", "guide", "rod"],
)
def test_joints_that_rub_carry_the_letter_of_friction(kind, at):
    def drawn(**more):
        return from_dict(
            {
                "points": {"A": (0.0, 0.0), "B": (1.0, 0.0), "G": (0.0, -1.0)},
                "bodies": {"arm": {"points": ("A", "B"), "mass": 1.0}},
                "joints": {"J": {"bodies": ("ground", "arm")} | kind | more},
            }
        )

    size = {} if kind["type"] == "prismatic" else {"radius": 0.02}
    marks = shown(scene(drawn(friction={"mu": 0.1} | size)), primitives.Rough)
    assert [(p.frame, p.at) for p in marks] == at
    assert not shown(scene(drawn()), primitives.Rough)


def test_losses_of_wheels_have_no_mark():
    m = pm.models.load("planetary_gear")
    wheels = {name: {"efficiency": 0.98} for name, joint in m.joints.items() if hasattr(joint, "efficiency")}
    assert wheels
    assert not shown(scene(m.replaced(joints=wheels)), primitives.Rough)


def test_the_table_says_what_is_given_and_nothing_of_what_is_not():
    m = pm.models.load("pendulum").replaced(joints={"O": {"friction": {"mu": 0.1, "radius": 0.02}}})
    words = {row.name: dict(row.keys) for row in scene(m).table}["O"]["friction"]
    assert words == "(mu 0.1, radius 0.02, viscous 0, sticking False)"


CONTROLLED = """
gravity = [0, -9.81]
points = { O = [0, 0], E = [1, 0] }
bodies.arm = { points = ["O", "E"], mass = 1 }
joints.O = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
forces.hold = { type = "pid", joint = "O", sensor = "O.angle", setpoint = 0.6, kp = 30, kd = 4, limits = [-12, 15] }
forces.turn = { type = "dc_motor", joint = "O", voltage = 12, resistance = 2, constant = 0.5 }
forces.push = { type = "motor", joint = "O", effort = "sin(3 * t)" }
run = { duration = 1.0, samples = 21 }
"""


def test_arrows_of_motors_and_controllers_are_what_they_give():
    """A still has the moment of a stalled motor, and what the setpoint asks for."""
    result = pm.simulate(loads(CONTROLLED))
    arrows, still = scene(result).arrows["load"], scene(result.mechanism).arrows["load"]
    for name in ("hold", "turn", "push"):
        assert np.array_equal(arrows[name].vector[:, 0], result.force(name, "effort"))
    assert np.ptp(result.force("turn", "effort")) > 0.1 and result.force("hold").max() <= 15.0
    assert still["turn"].vector[0, 0] == pytest.approx(0.5 * 12 / 2)
    assert still["hold"].vector[0, 0] == pytest.approx(30 * 0.6)
