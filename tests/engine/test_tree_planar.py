"""A tree in the plane x-y is a mechanism in the plane: both find the same accelerations, reactions and motions.

`in_space` draws a planar model without loops as a tree of bodies in space: pins become revolutes about z, slots a
prismatic joint and a revolute with a massless frame between them, loose bodies float on free joints and stay in the
plane by themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, forces, joints, models, space
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import state
from particlemech.model.description import GROUND
from tests.support.strategies import TREE_KINDS, _initial, drawn, motion

Z = (0.0, 0.0, 1.0)
TREES = 60  # random ones


class Seat(NamedTuple):
    """One joint between a parent and a child, drawn in the plane."""

    joint: str  # in the planar model
    parent: str
    child: str
    kind: type | None  # None: a loose body
    point: tuple[float, float]
    axis: tuple[float, float]  # along which the child travels
    turned: bool  # the child carries the line of a slide or slot

    @property
    def name(self):
        return f"{self.joint} {self.child}"


def spatial(place):
    return float(place[0]), float(place[1]), 0.0


def reached_from(inner, model):
    """Return the seats of one joint that leads from known bodies to others; none where there is none."""
    for name, joint in model.joints.items():
        parent = next((b for b in joint.bodies if b in inner), None)
        children = [b for b in joint.bodies if b not in inner]
        if parent is None or not children:
            continue
        second = joint.bodies[1] if joint.bodies[1] != GROUND else joint.bodies[0]
        point = model.place(joint.point, second)
        way = np.array(joint.axis or (1.0, 0.0))
        way /= np.hypot(*way)
        turned = {child: child != joint.bodies[1] for child in children}
        return [
            Seat(name, parent, b, type(joint), point, tuple(-way if turned[b] else way), turned[b]) for b in children
        ]
    return []


def seats(model):
    """Return the joints of a planar model from the ground outward."""
    inner, made = {GROUND}, []
    while len(made) < len(model.bodies):
        found = reached_from(inner, model)
        if not found:
            loose = next(b for b in model.bodies if b not in inner)
            found = [Seat("loose", GROUND, loose, None, model.centre(loose), (1.0, 0.0), False)]
        made += found
        inner |= {seat.child for seat in found}
    return made


def joined(seat):
    """Return the joints, and bodies without mass, that leave the child what its seat leaves."""
    ends = {"bodies": (seat.parent, seat.child), "point": spatial(seat.point)}
    if seat.kind is joints.Revolute:
        return {seat.name: space.joints.Revolute(axis=Z, **ends)}, {}
    if seat.kind is joints.Prismatic:
        return {seat.name: space.joints.Prismatic(axis=spatial(seat.axis), **ends)}, {}
    if seat.kind is joints.Weld:
        return {seat.name: space.joints.Weld(**ends)}, {}
    if seat.kind is None:
        return {seat.name: space.joints.Free(**ends)}, {}
    frame = f"{seat.name} frame"
    pairs = ((seat.parent, frame), (frame, seat.child))
    slide, turn = reversed(pairs) if seat.turned else pairs
    made = {
        f"{seat.name} slide": space.joints.Prismatic(bodies=slide, point=ends["point"], axis=spatial(seat.axis)),
        f"{seat.name} turn": space.joints.Revolute(bodies=turn, point=ends["point"], axis=Z),
    }
    return made, {frame: space.Body(mass=0.0, com=ends["point"], inertia=(0.0, 0.0, 0.0))}


def acting(model, force, revolutes):
    """Return a force in space."""
    match force:
        case forces.Load(body=body, point=point):
            place = spatial(model.place(point, body))
            return space.forces.Load(body=body, point=place, force=(*force.force, 0.0), frame=force.frame)
        case forces.Torque(bodies=pair, torque=torque):
            return space.forces.Torque(bodies=pair, torque=(0.0, 0.0, torque))
        case forces.Spring(bodies=pair):
            ends = [spatial(p) for _, p in force.ends(model)]
            law = {"stiffness": force.stiffness, "damping": force.damping, "length": force.length}
            return space.forces.Spring(bodies=pair, points=ends, **law)
        case forces.Torsion(bodies=pair):
            law = {"stiffness": force.stiffness, "damping": force.damping, "angle": force.angle}
            return space.forces.Torsion(joint=revolutes[pair], **law)
    raise LookupError(f"no way into space for {force}")


def in_space(model):
    """Return a planar model without loops as a tree; out of the plane its bodies have some inertia of their own."""
    hung, bodies, driven = {}, {}, {}
    for name, body in model.bodies.items():
        I = model.inertia(name)
        bodies[name] = space.Body(mass=body.mass, com=spatial(model.centre(name)), inertia=(0.7 * I, 0.6 * I, I))
    every = seats(model)
    for seat in every:
        made, frames = joined(seat)
        hung |= made
        bodies |= frames
    revolutes = {(s.parent, s.child): s.name for s in every if s.kind is joints.Revolute}
    sliders = {s.joint: s.name for s in every if s.kind is joints.Prismatic}
    for name, driver in model.drivers.items():
        joint = sliders[driver.joint] if isinstance(driver, drivers.Coordinate) else revolutes[driver.bodies]
        driven[name] = space.drivers.Coordinate(joint=joint, motion=driver.motion)
    return space.Mechanism(
        gravity=spatial(model.gravity),
        bodies=bodies,
        joints=hung,
        drivers=driven,
        forces={name: acting(model, force, revolutes) for name, force in model.forces.items()},
        run=model.run,
    )


class Pose:
    """Sample k of a planar run: where places of bodies are and how fast, the ground included."""

    def __init__(self, run, k):
        self.model, self.names, m = run.system.mechanism, run.system.layout.bodies, run._motion
        self.com, self.com_v = m.com[k], m.com_v[k]
        self.angle, self.omega = (dict(zip(self.names, of[k], strict=True)) for of in (m.angle, m.omega))
        self.angle[GROUND] = self.omega[GROUND] = 0.0

    def turned(self, body, vector):
        c, s = np.cos(self.angle[body]), np.sin(self.angle[body])
        return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])

    def at(self, body, place):
        """Return place and velocity of a place that was drawn on a body."""
        if body == GROUND:
            return np.array(place), np.zeros(2)
        arm = self.turned(body, np.subtract(place, self.model.centre(body)))
        i = self.names.index(body)
        return self.com[i] + arm, self.com_v[i] + self.omega[body] * np.array([-arm[1], arm[0]])

    def coordinates(self, seat):
        """Return (turn, its rate), (travel, its rate) and (displacement, its rate) of a seat."""
        (x, v), (X, V) = (self.at(b, seat.point) for b in (seat.child, seat.parent))
        line = seat.child if seat.turned else seat.parent
        n = self.turned(line, seat.axis)
        turning = self.omega[line] * np.array([-n[1], n[0]])
        turn = tuple(of[seat.child] - of[seat.parent] for of in (self.angle, self.omega))
        return turn, ((x - X) @ n, (v - V) @ n + (x - X) @ turning), (x - X, v - V)


def given(model, run, k):
    """Return coordinates and rates of all joints of the tree at a sample of the planar run."""
    pose, made = Pose(run, k), {}
    for seat in seats(model):
        turn, travel, shift = pose.coordinates(seat)
        if seat.kind is joints.Revolute:
            made[seat.name] = [(x,) for x in turn]
        elif seat.kind is joints.Prismatic:
            made[seat.name] = [(x,) for x in travel]
        elif seat.kind is joints.Slot:
            made[f"{seat.name} turn"], made[f"{seat.name} slide"] = [(x,) for x in turn], [(x,) for x in travel]
        elif seat.kind is joints.Weld:
            made[seat.name] = [(), ()]
        else:
            made[seat.name] = [(*s, 0.0, 0.0, 0.0, x) for s, x in zip(shift, turn, strict=True)]
    return made


def placed(model, run, k):
    """Return the tree in the state of a planar run."""
    made = system(in_space(model))
    y = state(made, given(model, run, k))
    return made.observed(run.t[k : k + 1], y[None])


def released(model, run):
    """Return the tree with the speeds at which the planar run begins."""
    rate = {name: rates for name, (_, rates) in given(model, run, 0).items()}
    return in_space(model).replaced(initial={"rate": rate})


# -- models ----------------------------------------------------------------------------------------------------------


def random_planar_tree(seed):
    """Return a planar mechanism without loops: all joints that a tree takes, forces, springs in pins, drivers."""
    rng = np.random.default_rng([2026, seed])
    kinds = [joints.Revolute, joints.Revolute, *TREE_KINDS, None]
    bones = [(int(rng.integers(0, i + 1)), kinds[rng.integers(len(kinds))]) for i in range(rng.integers(1, 7))]
    acting = [(forces.Load, forces.Torque, forces.Spring)[rng.integers(3)] for _ in range(rng.integers(0, 4))]
    model = drawn(rng, bones, [], acting, [], gravity=bool(rng.random() < 0.8), moving=False)
    more, driven = {}, {}
    for seat in seats(model):
        if seat.kind is joints.Revolute and rng.random() < 0.5:
            stiffness, damping, angle = rng.uniform(0.1, 5.0), rng.uniform(0.0, 0.5), rng.uniform(-1.0, 1.0)
            law = {"stiffness": float(stiffness), "damping": float(damping), "angle": float(angle)}
            more[f"{seat.name} spring"] = forces.Torsion(bodies=(seat.parent, seat.child), **law)
        if rng.random() < 0.2:
            name = f"{seat.name} drive"
            if seat.kind is joints.Revolute:
                driven[name] = drivers.Rotation(bodies=(seat.parent, seat.child), motion=motion(rng))
            elif seat.kind is joints.Prismatic:
                driven[name] = drivers.Coordinate(joint=seat.joint, motion=motion(rng))
    return _initial(model.replaced(forces=more, drivers=driven), rng)


NAMED = {
    "pendulum": lambda: models.load("pendulum"),
    "double pendulum": lambda: models.load("double_pendulum"),
    "chain of 4": lambda: models.chain(4),
    "chain of 12": lambda: models.chain(12),
}


@pytest.fixture(scope="module")
def planar_runs():
    """Return random planar trees with their motions over one second."""
    made = [random_planar_tree(seed) for seed in range(TREES)]
    return [(model, pm.simulate(model, duration=1.0, samples=5, rtol=1e-12, integrator="auto")) for model in made]


@pytest.fixture(scope="module", params=NAMED)
def named(request):
    """Return each open chain with its motion."""
    model = NAMED[request.param]()
    return model, pm.simulate(model, duration=1.0, samples=5, rtol=1e-12, integrator="auto")


# -- one instant -----------------------------------------------------------------------------------------------------


def missed_accelerations(model, run, k, seen):
    """Return the largest difference of accelerations, as a fraction of the largest; out of the plane they vanish."""
    L, m = run.system.scale.length, run._full_motion
    flat, solid = [], []
    for i, b in enumerate(run.system.layout.bodies):
        flat.append([*m.com_a[k, i], 0.0, 0.0, 0.0, L * m.alpha[k, i]])
        solid.append([*seen.com_acceleration(b)[0], *(L * seen.alpha(b)[0])])
    flat, solid = np.array(flat), np.array(solid)
    return np.abs(flat - solid).max() / max(np.abs(flat).max(), 1e-3 * L)


def reactions(model, run, k, seen):
    """Return reactions of both, (n, 3) each: force and moment over L, on the children, and efforts of drivers."""
    L, flat, solid = run.system.scale.length, [], []
    for seat in seats(model):
        if seat.kind is None:
            continue
        joint = model.joints[seat.joint]
        name = seat.name if seat.kind is not joints.Slot else f"{seat.name} {'slide' if seat.turned else 'turn'}"
        # a slot's frame is free of mass, so that what passes one of its joints passes the other
        force, moment = seen.reaction(name, on=seat.child)[0], seen.moment(name, on=seat.child)[0]
        place = Pose(run, k).at(seat.parent if seat.turned else seat.child, seat.point)[0]
        moment = moment + np.cross(seen.place(name)[0] - spatial(place), force)  # about the point of the second body
        told = run.moment(seat.joint, on=seat.child)[k] if joint.moment else 0.0
        flat.append([*run.reaction(seat.joint, on=seat.child)[k], 0.0, 0.0, 0.0, told / L])
        solid.append([*force, *moment / L])
    for name in model.drivers:
        flat.append([run.effort(name)[k] / L] + [0.0] * 5)
        solid.append([seen.effort(name)[0] / L] + [0.0] * 5)
    return np.array(flat).reshape(-1, 6), np.array(solid).reshape(-1, 6)


def missed_reactions(model, run, k, seen):
    """Return the largest difference of reactions and efforts, as a fraction of the largest."""
    flat, solid = reactions(model, run, k, seen)
    weight = run.system.scale.mass * np.abs(run._full_motion.com_a[k]).max()
    return np.abs(flat - solid).max(initial=0.0) / max(np.abs(flat).max(initial=0.0), weight, 1e-3)


def test_open_chains_accelerate_and_react_as_in_the_plane(named):
    model, run = named
    for k in range(5):
        seen = placed(model, run, k)
        assert missed_accelerations(model, run, k, seen) < 1e-12
        assert missed_reactions(model, run, k, seen) < 1e-12


def test_random_trees_accelerate_as_in_the_plane(planar_runs):
    found = [
        (missed_accelerations(model, run, k, placed(model, run, k)), seed, k)
        for seed, (model, run) in enumerate(planar_runs)
        for k in (0, 2, 4)
    ]
    assert max(found)[0] < 1e-11, max(found)


def test_random_trees_react_as_in_the_plane(planar_runs, tally):
    found = []
    for seed, (model, run) in enumerate(planar_runs):
        found += [(missed_reactions(model, run, k, placed(model, run, k)), seed, k) for k in (0, 2, 4)]
        for seat in seats(model):
            tally[seat.kind.__name__ if seat.kind else "loose"] += 1
        tally["driver"] += len(model.drivers)
        tally["force"] += len(model.forces)
    assert max(found)[0] < 1e-11, max(found)
    assert all(tally[kind.__name__] > 10 for kind in TREE_KINDS)
    assert tally["driver"] > 10
    assert tally["force"] > 50


# -- motions ---------------------------------------------------------------------------------------------------------


def apart(run, solid):
    """Return how far bodies of both motions are apart, turns times L, in lengths of the mechanism."""
    far, L = 0.0, run.system.scale.length
    for i, b in enumerate(run.system.layout.bodies):
        flat = np.column_stack([run._motion.com[:, i], np.zeros(len(run.t))])
        c, s = np.cos(run.angle(b)), np.sin(run.angle(b))
        S = solid.orientation(b)
        far = max(far, np.abs(solid.com(b) - flat).max() / L, np.abs(S[:, 0, 0] - c).max())
        far = max(far, np.abs(S[:, 1, 0] - s).max(), np.abs(S[:, 2, 2] - 1.0).max())
    return float(far)


@pytest.mark.parametrize(("integrator", "bar"), [("explicit", 1e-8), ("ida", 5e-7)])
def test_open_chains_move_as_in_the_plane(named, integrator, bar):
    model, run = named
    solid = pm.simulate(released(model, run), duration=1.0, samples=5, rtol=1e-10, integrator=integrator)
    assert apart(run, solid) < bar
    assert np.abs(solid.kinetic - run.energy.kinetic).max() < bar * run.energy.scale
    assert np.ptp(solid.potential - run.energy.potential) < bar * run.energy.scale


@pytest.mark.parametrize(("integrator", "bar"), [("explicit", 2e-7), ("ida", 1e-6)])
def test_random_trees_move_as_in_the_plane(planar_runs, integrator, bar):
    found = []
    for seed, (model, run) in enumerate(planar_runs):
        solid = pm.simulate(released(model, run), duration=1.0, samples=5, rtol=1e-10, integrator=integrator)
        found.append((apart(run, solid), seed))
    assert max(found)[0] < bar, max(found)
