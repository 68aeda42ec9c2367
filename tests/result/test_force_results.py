"""Forces of springs, dampers, motors and loads: closed forms, equilibrium, power, columns, in all families."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import particlemech as pm
from particlemech import forces, models, signals, space
from particlemech.engine.absolute import equations
from particlemech.model.acting import OnLine
from particlemech.model.columns import quantity
from tests.support.problems import FORMULATIONS, pinned, slider
from tests.support.random_loops import random_loop
from tests.support.random_trees import random_mechanism as random_tree
from tests.support.second_opinion import natural

PULL = {"stiffness": 200.0, "damping": 4.0}


def carriage(**more):
    """Return a block at x = 1.5 on a rail along x, on a spring to the origin."""
    spring = forces.Spring(bodies=("ground", "block"), points=("O", "P"), length=1.3, **{**PULL, **more})
    return slider(forces={"strut": spring})


@pytest.fixture(scope="module", params=FORMULATIONS)
def swinging(request):
    """Return 2 s of the carriage by each formulation."""
    return pm.simulate(carriage(), duration=2.0, samples=401, formulation=request.param, rtol=1e-12)


def test_a_spring_tells_force_length_and_rate_of_the_closed_form(swinging):
    # m x'' + c x' + k (x - l0) = 0 from x = 1.5 at rest
    t, m = swinging.t, swinging.system.mechanism.bodies["block"].mass
    D = 4.0 / (2.0 * m)
    w = math.sqrt(200.0 / m - D * D)
    x = 1.3 + 0.2 * np.exp(-D * t) * (np.cos(w * t) + D / w * np.sin(w * t))
    rate = -0.2 * np.exp(-D * t) * (D * D / w + w) * np.sin(w * t)
    assert np.max(np.abs(swinging.force("strut", "length") - x)) < 1e-9
    assert np.max(np.abs(swinging.force("strut", "rate") - rate)) < 2e-8
    assert np.max(np.abs(swinging.force("strut") - (200.0 * (x - 1.3) + 4.0 * rate))) < 2e-7
    # pulled at the start: positive; the block is held back by exactly this force
    assert swinging.force("strut")[0] == pytest.approx(40.0, abs=1e-9)
    assert np.max(np.abs(m * swinging.acceleration("P")[:, 0] + swinging.force("strut"))) < 1e-7


def test_the_energy_that_is_lost_is_the_work_of_the_damper(swinging):
    damper = swinging.force("strut") - 200.0 * (swinging.force("strut", "length") - 1.3)
    power = damper * swinging.force("strut", "rate")
    # Simpson over 400 intervals of 5 ms
    lost = (swinging.t[1] / 3.0) * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    total = swinging.energy.total
    assert total[0] - total[-1] == pytest.approx(lost, rel=1e-5)
    assert lost > 3.9


def applied_wrenches(result, k):
    """Return the wrench of all forces on every body about its centre of mass at sample k, from quantities only."""
    m = result.system.mechanism
    wrench = {b: np.zeros(3) for b in m.bodies}

    def push(body, place, force, moment=0.0):
        if body != "ground":
            arm = place - result.com(body)[k]
            wrench[body] += (*force, arm[0] * force[1] - arm[1] * force[0] + moment)

    def end(body, point, at):
        return at if body == "ground" and at else result[point][k]

    for name, spec in m.forces.items():
        value = result.force(name)[k]
        match spec:
            case forces.Load(body=body):
                push(body, result.force(name, "place")[k], value)
            case forces.Custom(body=body):
                push(body, result.force(name, "place")[k], value, result.force(name, "moment")[k])
            case forces.Torque(bodies=(first, second)):
                push(first, np.zeros(2), (0.0, 0.0), -value)
                push(second, np.zeros(2), (0.0, 0.0), value)
            case forces.Torsion(bodies=(first, second)):
                push(first, np.zeros(2), (0.0, 0.0), value)
                push(second, np.zeros(2), (0.0, 0.0), -value)
            case (
                forces.Spring(bodies=(first, second), points=points)
                | forces.Cylinder(bodies=(first, second), points=points)
            ):
                one, other = (np.array(result[p][k]) for p in points)
                along = (other - one) / np.linalg.norm(other - one)
                push(first, one, (value if spec.elastic else -value) * along)
                push(second, other, (-value if spec.elastic else value) * along)
    return np.concatenate([wrench[b] for b in m.bodies])


def crowded(turned=0.0):
    """Return a double pendulum with a force of every kind; its second rod is drawn away from where it is assembled."""
    return pm.Mechanism(
        gravity=(0.0, -9.81),
        points={"O": (0.0, 0.0), "A": (0.6, 0.2), "B": (1.0, -0.3), "W": (1.5, 0.4)},
        bodies={
            "arm": pm.Body(points=("O", "A"), mass=1.2),
            "rod": pm.Body(points=("A", "B"), mass=0.7, length=math.hypot(0.4, 0.5) * (1.0 + turned)),
        },
        joints=pinned(O=("ground", "arm"), A=("arm", "rod")),
        forces={
            "wind": forces.Load(body="rod", point="B", force=(signals.Sine(amplitude=2.0, frequency=1.5), 1.0)),
            "jet": forces.Load(body="arm", point=(0.3, 0.3), force=(1.0, 0.5), frame="body"),
            "motor": forces.Torque(bodies=("arm", "rod"), torque=signals.Step(time=0.2, before=0.3, after=-0.2)),
            "strut": forces.Spring(bodies=("ground", "rod"), points=("W", "B"), stiffness=9.0, damping=0.4, length=0.3),
            "ram": forces.Cylinder(
                bodies=("arm", "rod"),
                points=("O", "B"),
                area=0.5,
                pressure=signals.Sine(amplitude=3.0, frequency=2.0),
                rod_area=0.2,
                rod_pressure=1.0,
                damping=0.3,
            ),
            "coil": forces.Torsion(bodies=("arm", "rod"), stiffness=3.0, damping=0.1, angle=0.4),
            "post": forces.Torsion(bodies=("ground", "arm"), stiffness=1.0),
            "drag": forces.Custom(
                body="rod", function=lambda t, s: (-0.2 * s.velocity("B"), s["B"], -0.1 * s.omega("rod") + t)
            ),
        },
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_quantities_make_up_what_the_second_formulation_applies_to_every_body(formulation):
    mechanism = crowded()
    result = pm.simulate(mechanism, duration=0.6, samples=7, formulation=formulation, rtol=1e-9)
    absolute = equations.system(mechanism)
    weight = np.array([(0.0, -9.81 * body.mass, 0.0) for body in mechanism.bodies.values()]).ravel()
    for k, t in enumerate(result.t):
        pose = [(*(result.com(b)[k] - absolute._c.origin), result.angle(b)[k]) for b in mechanism.bodies]
        rate = [(*result._motion.com_v[k, i], result.omega(b)[k]) for i, b in enumerate(mechanism.bodies)]
        force, _ = absolute._applied(t, np.ravel(pose), np.ravel(rate), np.zeros(1))
        assert np.max(np.abs(applied_wrenches(result, k) + weight - force)) < 1e-11  # N, N m; of about 12


def test_angles_of_torsion_springs_count_turns_from_the_start():
    disc = pm.Mechanism(
        points={"O": (0.0, 0.0)},
        bodies={"disc": pm.Body(points=("O",), mass=1.0, com=(0.0, 0.0), inertia=0.5)},
        joints=pinned(O=("ground", "disc")),
        forces={"coil": forces.Torsion(bodies=("ground", "disc"), stiffness=2.0, angle=20.0)},
    )
    for formulation in FORMULATIONS:
        result = pm.simulate(disc, duration=3.0, samples=31, formulation=formulation, rtol=1e-10)
        angle = 20.0 - 20.0 * np.cos(2.0 * result.t)  # I a'' = -k (a - 20)
        assert np.max(np.abs(result.force("coil", "angle") - angle)) < 1e-6
        assert np.max(np.abs(result.force("coil") - 2.0 * (angle - 20.0))) < 2e-6
        assert np.array_equal(result.force("coil", "angle"), result.angle("disc"))
        assert np.array_equal(result.force("coil", "rate"), result.omega("disc"))


def test_torsion_springs_of_bodies_that_assembly_turned_count_from_the_assembled_start():
    # the coupler is 2 % longer than drawn, so all bodies turn before the run
    bar = models.load("four_bar")
    name, body = next((n, b) for n, b in bar.bodies.items() if n not in ("crank", "rocker"))
    p, q = (np.array(bar.points[point]) for point in body.points[:2])
    stretched = bar.replaced(
        bodies={name: {"length": 1.02 * float(np.linalg.norm(q - p))}},
        forces={"coil": forces.Torsion(bodies=("ground", name), stiffness=5.0, angle=0.3)},
    )
    for formulation in FORMULATIONS:
        result = pm.simulate(stretched, duration=0.3, samples=4, formulation=formulation)
        assert abs(result.system.turned).max() > 1e-3
        assert result.force("coil", "angle")[0] == pytest.approx(0.0, abs=1e-12)
        assert np.allclose(result.force("coil"), 5.0 * (result.angle(name) - 0.3), atol=1e-12)


def test_a_spring_of_no_length_has_no_rate_and_no_force():
    mechanism = slider(
        forces={"cord": forces.Spring(bodies=("ground", "block"), points=("P", "P"), stiffness=3.0, length=0)}
    )
    result = pm.simulate(mechanism, duration=0.1, samples=3)
    for of in ("force", "length", "rate"):
        assert np.max(np.abs(result.force("cord", of))) == 0.0


def test_columns_of_forces_stand_between_drivers_and_energies():
    result = pm.simulate(crowded(), duration=0.1, samples=3)
    columns = list(result.columns())
    names = [name for name in columns if name.split(".")[0] in crowded().forces]
    assert names == [
        "wind.fx", "wind.fy", "wind.px", "wind.py", "jet.fx", "jet.fy", "jet.px", "jet.py", "motor.moment",
        "strut.force", "strut.length", "strut.rate", "ram.effort", "ram.length", "ram.rate", "ram.flow",
        "coil.moment", "coil.angle", "coil.rate",
        "post.moment", "post.angle", "post.rate", "drag.fx", "drag.fy", "drag.px", "drag.py", "drag.moment",
    ]  # fmt: skip
    assert columns.index("momentum.px") == columns.index("drag.moment") + 1
    assert np.array_equal(result.columns()["strut.length"], result.force("strut", "length"))
    assert result.columns()["wind.py"][0] == pytest.approx(-0.3, abs=1e-12)
    units = {name: quantity(result.system.mechanism, name) for name in names}
    assert units["strut.force"] == units["wind.fx"] == "force"
    assert units["strut.length"] == units["wind.px"] == "position"
    assert units["motor.moment"] == units["coil.moment"] == "moment"
    assert (units["strut.rate"], units["coil.rate"], units["coil.angle"]) == ("velocity", "angular velocity", "angle")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda r: r.force("strutt"), r'force "strutt" unknown \(did you mean "strut"\?\)'),
        (lambda r: r.force("strut", "angle"), 'force "strut" has no angle; it has: force, length, rate'),
    ],
)
def test_what_forces_do_not_have_is_said_in_one_line(swinging, ask, words):
    with pytest.raises(pm.ModelError, match=words):
        ask(swinging)


def test_columns_that_would_be_called_the_same_are_refused_and_others_are_not():
    coil = forces.Torsion(bodies=("ground", "block"), stiffness=1.0)
    with pytest.raises(pm.ModelError, match=r'force "block": a body has the same name, so column "block.angle" would'):
        slider(forces={"block": coil})
    load = forces.Load(body="block", point="P", force=(1.0, 0.0))
    result = pm.simulate(slider(forces={"P": load}), duration=0.1, samples=2)
    assert np.array_equal(result.columns()["P.px"], result.columns()["P.x"])
    arm = models.load("space_manipulator")
    joint = next(name for name, spec in arm.joints.items() if spec.coordinate_names == ("angle",))
    with pytest.raises(pm.ModelError, match=f'force "{joint}": a joint has the same name'):
        arm.replaced(forces={joint: space.forces.Torsion(joint=joint, stiffness=1.0)})


# -- space -------------------------------------------------------------------------------------------------------


def turned(result, body, k):
    """Return the rotation of a body since the drawing."""
    return np.eye(3) if body == "ground" else result.orientation(body)[k]


def unit_effort(result, k, name, coordinate):
    """Return place, force and moment of a unit effort along a coordinate, on the second body.

    Of several angles the one whose rate is w.m has the moment m: they are the dual of the axes as they stand now.
    """
    m, joint = result.mechanism, result.mechanism.joints[name]
    R, second = turned(result, joint.first, k), joint.second
    arm = np.subtract(joint.place(m), m.centre(second) if second != "ground" else (0.0, 0.0, 0.0))
    place = turned(result, second, k) @ arm + (result.com(second)[k] if second != "ground" else 0.0)
    stage = next(stage for stage in joint.stages if stage.name == coordinate)
    if not stage.turn:
        return place, R @ np.array(stage.axis), np.zeros(3)
    carried, axes, names = Rotation.identity(), [], []
    for turn in (stage for stage in joint.stages if stage.turn):
        axes.append(carried.apply(turn.axis))
        names.append(turn.name)
        carried = carried * Rotation.from_rotvec(np.array(turn.axis) * result.coordinate(name, turn.name)[k])
    return place, np.zeros(3), R @ np.linalg.pinv(np.array(axes).T)[names.index(coordinate)]


def space_wrenches(result, k, in_joints):
    """Return force and moment about the centre of mass of all forces on every body at sample k; in joints or not."""
    m, kinds = result.mechanism, space.forces
    wrench = {b: np.zeros(6) for b in m.bodies}

    def push(body, place, force, moment=(0.0, 0.0, 0.0)):
        if body != "ground":
            arm = place - result.com(body)[k]
            wrench[body] += np.concatenate([force, np.cross(arm, force) + moment])

    def twist(bodies, moment):
        push(bodies[0], np.zeros(3), np.zeros(3), -moment)
        push(bodies[1], np.zeros(3), np.zeros(3), moment)

    for name, spec in m.forces.items():
        value, joint = result.force(name)[k], m.joints.get(getattr(spec, "joint", None))
        if isinstance(spec, kinds.Load):
            push(spec.body, result.force(name, "place")[k], value)
        elif isinstance(spec, kinds.Torque):
            twist(spec.bodies, value)
        elif isinstance(spec, OnLine):
            one, other = (result._sight().place_on(*end)[k] for end in spec.ends(m))
            along = (other - one) / np.linalg.norm(other - one)
            push(spec.bodies[0], one, (value if spec.elastic else -value) * along)
            push(spec.bodies[1], other, (-value if spec.elastic else value) * along)
        elif joint is None:  # custom, on a body
            push(spec.body, result.force(name, "place")[k], value, result.force(name, "moment")[k])
        elif not in_joints:
            continue
        elif value.shape:  # about all axes: a motor's in those of the first body
            twist(joint.bodies, turned(result, joint.first, k) @ value if isinstance(spec, kinds.Motor) else value)
        else:
            place, force, moment = unit_effort(result, k, spec.joint, m.coordinate(spec.joint, spec.coordinate))
            effort = -value if isinstance(spec, kinds.Torsion) else value
            for body, sign in zip(joint.bodies, (-effort, effort), strict=True):
                push(body, place, sign * force, sign * moment)
    return np.concatenate([wrench[b] for b in m.bodies])


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_quantities_in_space_make_up_what_is_applied_to_every_body(seed):
    result = natural(random_loop(seed), duration=0.05, samples=4)
    q, v = result._projected
    order = result.system.compiled.coordinates.index
    for k, t in enumerate(result.t):
        force = result.system.full_forces(t, q[k], v[k], result._x[k])[:, None]
        per = np.tile([1.0] * 3 + [result.system.scale.length] * 3, len(order))
        found = result._wrenches(result._full[0][k], force)[:, 0] * per
        gravity = np.array(result.mechanism.gravity)
        for b, name in enumerate(result.mechanism.bodies):
            told = space_wrenches(result, k, True)[6 * b : 6 * b + 6]
            told[:3] += result.mechanism.mass(name) * gravity
            at = 6 * order[name]
            assert np.max(np.abs(told - found[at : at + 6])) < 1e-11, (name, k)


def test_bodies_of_trees_obey_newton_with_the_forces_that_results_tell():
    kinds = set()
    for seed in range(10):
        mechanism = random_tree(np.random.default_rng(seed), 4)
        result = pm.simulate(mechanism, duration=0.05, samples=3)
        kinds |= {type(force) for force in mechanism.forces.values()}
        size = 1.0 + max(float(np.abs(result.com_acceleration(b)).max()) for b in mechanism.bodies)
        for k in range(3):
            for b, name in enumerate(mechanism.bodies):
                force = space_wrenches(result, k, False)[6 * b : 6 * b + 3]
                mass = mechanism.mass(name)
                force += mass * np.array(mechanism.gravity) - mass * result.com_acceleration(name)[k]
                for joint, spec in mechanism.joints.items():
                    if name in spec.bodies:
                        force += result.transmitted(joint, on=name).force[k]
                assert np.max(np.abs(force)) < 1e-9 * size, (seed, name)
        # what springs and motors exert in the joints
        efforts = np.zeros_like(result._sampled.tau[:, :, 0])
        for name, spec in mechanism.forces.items():
            if isinstance(spec, (space.forces.Motor, space.forces.Torsion)):
                stages = result._stages(spec.joint, spec.coordinate)
                value = result.force(name)
                if value.ndim == 2 and isinstance(spec, space.forces.Motor):
                    parent = mechanism.joints[spec.joint].first
                    value = value if parent == "ground" else result._sight().turned(parent, value)
                sign = -1.0 if isinstance(spec, space.forces.Torsion) and value.ndim == 1 else 1.0
                for e in stages if value.ndim == 1 else result._compiled.stages_of[spec.joint][-3:]:
                    axis = result._sampled.axis[:, e]
                    efforts[:, e] += sign * value if value.ndim == 1 else np.sum(value * axis, axis=1)
        assert np.max(np.abs(efforts - result._sampled.tau[:, :, 0]), initial=0.0) < 1e-10
    assert kinds == {kind for kind in space.forces.KINDS if not kind.called} - {space.forces.Distributed}


def test_motors_and_controllers_of_flexible_arms_tell_their_efforts():
    arm = models.load("two_link_flexible")
    joint = next(iter(arm.joints))
    motor = space.forces.Motor(joint=joint, effort=signals.Sine(amplitude=2.0, frequency=3.0))
    hold = space.forces.Custom(joint=joint, function=lambda t, state: -0.3 * state.rate(joint))
    load = space.forces.Load(body="fore", point="tip", force=(1.0, 2.0, signals.Linear(rate=3.0)))
    given = {"motor": motor, "brake": hold, "load": load}
    result = pm.simulate(arm.replaced(forces=given), duration=0.02, samples=5)
    assert np.allclose(result.force("motor"), 2.0 * np.sin(6.0 * math.pi * result.t), atol=1e-12)
    assert np.allclose(result.force("brake"), -0.3 * result.rate(joint), atol=1e-12)
    assert np.allclose(result.columns()["load.fz"], 3.0 * result.t, atol=1e-12)
    assert np.allclose(result.force("load", "place"), result["tip"], atol=1e-15)
    assert {quantity(result.mechanism, name) for name in ("brake.effort", "motor.effort")} == {"moment"}
