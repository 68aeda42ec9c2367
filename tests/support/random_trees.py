"""Random trees of rigid bodies: all kinds of joints and forces, any branching, drivers, and a state to look at them in.

Nothing here is symmetric, aligned or of the same size, but everything stays away from gimbal lock and from axes that
nearly coincide, where the accelerations themselves, not their computation, lose digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlemech import signals
from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.model.space import Body, Initial, Mechanism, forces, joints
from particlemech.model.space.drivers import Coordinate

DRIVEN = 0.15  # part of the coordinates that is driven
TURNED = 0.3  # part of the joints whose second body is the parent
# the turns of a slot have no names, and a screw ties its two stages by a row: methods for trees take neither
NO_TREE = (joints.Slot, joints.Screw)
JOINTS = tuple(k for k in joints.KINDS if k.stages is not joints.JointSpec.stages and k not in NO_TREE)
FORCES = (forces.Load, forces.Torque, forces.Spring, forces.Torsion, forces.Motor, forces.Cylinder)
TILT = 1.0  # rad; the second of three angles stays within


class RandomTree(NamedTuple):
    """A tree in some state."""

    mechanism: Mechanism
    system: TreeSystem
    t: float
    q: np.ndarray  # (n_q,)
    v: np.ndarray  # (n_v,)

    @property
    def y(self) -> np.ndarray:
        """Return the state (n,), no work done yet."""
        return np.concatenate([self.q, self.v, [0.0]])


def vector(rng, size=1.0):
    return tuple((size * rng.normal(size=3)).tolist())


def direction(rng):
    v = rng.normal(size=3)
    return tuple((v / np.linalg.norm(v)).tolist())


def body(rng, joint):
    """Return a body made of six particles around its centre of mass, not far from the point of its joint."""
    mass = float(np.exp(rng.uniform(-1.0, 1.0)))
    places = rng.normal(size=(6, 3)) * rng.uniform(0.1, 0.5, size=3)
    places -= places.mean(axis=0)
    tensor = mass / 6.0 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in places)
    tensor = 0.5 * (tensor + tensor.T)
    com = np.array(joint) + rng.normal(size=3) * 0.4
    return Body(mass=mass, com=tuple(com.tolist()), inertia=tensor.tolist())


def joint(rng, parent, child, point):
    """Return a joint of any kind."""
    ends = {"bodies": (parent, child), "point": point}
    kind = JOINTS[rng.integers(len(JOINTS))]
    if not kind.spherical and rng.random() < TURNED:
        ends["bodies"] = ends["bodies"][::-1]
    if kind in (joints.Revolute, joints.Prismatic, joints.Cylindrical):
        return kind(**ends, axis=direction(rng))
    if kind is joints.Universal:
        first = np.array(direction(rng))
        across = np.cross(first, direction(rng))
        across /= np.linalg.norm(across)
        angle = rng.uniform(0.7, 2.4)
        second = np.cos(angle) * first + np.sin(angle) * across
        return kind(**ends, axes=(tuple(first.tolist()), tuple(second.tolist())))
    if kind is joints.Weld:
        return kind(**ends)
    return kind(**ends, coordinates=("quaternion", "angles")[rng.integers(2)])


def signal(rng, size=1.0):
    """Return a smooth signal that stays within `size`."""
    kind = rng.integers(3)
    if kind == 0:
        return signals.Constant(value=float(rng.uniform(-size, size)))
    if kind == 1:
        start, end = rng.uniform(-size, size, 2).tolist()
        return signals.Cycloid(start=start, end=end, duration=float(rng.uniform(1.0, 3.0)))
    amplitude, offset = rng.uniform(-0.5 * size, 0.5 * size, 2).tolist()
    return signals.Sine(amplitude=amplitude, frequency=float(rng.uniform(0.1, 0.7)), offset=offset)


def drivers(rng, made):
    """Return drivers of some coordinates."""
    found = {}
    for name, spec in made.items():
        for coordinate in spec.coordinate_names:
            if rng.random() < DRIVEN:
                found[f"drive {name} {coordinate}"] = Coordinate(
                    joint=name, coordinate=coordinate, motion=signal(rng, TILT)
                )
    return found


def force(rng, names, bodies, made, driven):
    """Return a force of any kind, or None where the kind that was drawn finds nothing to act on."""
    kind = FORCES[rng.integers(len(FORCES))]
    second = names[rng.integers(1, len(names))]
    first = rng.choice([name for name in names if name != second])
    frame = ("global", "body")[rng.integers(2)]
    three = [signal(rng, 5.0) for _ in range(3)]
    if kind is forces.Load:
        return kind(body=second, point=vector(rng), force=three, frame=frame)
    if kind is forces.Torque:
        return kind(bodies=(str(first), second), torque=three, frame=frame)
    law = {"stiffness": float(rng.uniform(0.0, 10.0)), "damping": float(rng.uniform(0.0, 1.0))}
    if kind is forces.Spring:
        ends = (vector(rng, 2.0), vector(rng, 2.0))
        return kind(bodies=(str(first), second), points=ends, length=float(rng.uniform(0.0, 2.0)), **law)
    if kind is forces.Cylinder:
        ends, pressures = (vector(rng, 2.0), vector(rng, 2.0)), {"pressure": three[0], "rod_pressure": three[1]}
        return kind(bodies=(str(first), second), points=ends, area=1.0, rod_area=0.3, damping=0.2, **pressures)
    name = list(made)[rng.integers(len(made))]
    spec = made[name]
    quaternion = spec.quaternion and not any(d.joint == name and "angle" in d.coordinate for d in driven.values())
    known = spec.coordinate_names[: spec.dof - 3] if quaternion else spec.coordinate_names
    whole = spec.spherical and (not known or rng.random() < 0.5)
    if kind is forces.Motor and whole:
        return kind(joint=name, moment=three)
    if kind is forces.Torsion and whole and spec.dof == 3:
        return kind(joint=name, **law)
    if not known:
        return None
    coordinate = str(rng.choice(known))
    if kind is forces.Motor:
        return kind(joint=name, coordinate=coordinate, effort=three[0])
    free = {"angle" if coordinate.startswith("angle") else "length": float(rng.uniform(-1.0, 1.0))}
    return kind(joint=name, coordinate=coordinate, **free, **law)


def initial(rng, made, driven):
    """Return a start that agrees with the drivers."""
    motions = {(d.joint, d.coordinate): d.motion for d in driven.values()}
    position, rate = {}, {}
    for name, spec in made.items():
        if spec.dof and rng.random() < 0.7:
            said = [
                signals.values(motions[name, c], 0.0) if (name, c) in motions else None for c in spec.coordinate_names
            ]
            places = rng.uniform(-TILT, TILT, spec.dof).tolist()
            rates = rng.normal(size=spec.dof).tolist()
            position[name] = tuple(s[0] if s else x for s, x in zip(said, places, strict=True))
            rate[name] = tuple(s[1] if s else x for s, x in zip(said, rates, strict=True))
    return Initial(position=position, rate=rate)


def random_mechanism(rng, n_bodies):
    """Return a tree of n bodies; bodies and joints stand in the model in any order."""
    names = ["ground", *(f"b{i}" for i in range(1, n_bodies + 1))]
    bodies, made = {}, {}
    for i, name in enumerate(names[1:], start=1):
        point = vector(rng)
        bodies[name] = body(rng, point)
        # half of the trees are rather chains, the others rather bushes
        parent = names[i - 1 if rng.random() < 0.5 else rng.integers(i)]
        made[f"j{i}"] = joint(rng, parent, name, point)
    driven = drivers(rng, made)
    acting = [force(rng, names, bodies, made, driven) for _ in range(rng.integers(0, 2 * n_bodies + 1))]
    return Mechanism(
        gravity=vector(rng, 5.0) if rng.random() < 0.8 else (0.0, 0.0, 0.0),
        bodies={name: bodies[name] for name in rng.permutation(list(bodies)).tolist()},
        joints={name: made[name] for name in rng.permutation(list(made)).tolist()},
        drivers=driven,
        forces={f"f{k}": spec for k, spec in enumerate(acting) if spec is not None},
        initial=initial(rng, made, driven),
    )


def random_state(rng, made):
    """Return time, coordinates and speeds of a system: quaternions of length 1, second angles within TILT."""
    q, v = rng.uniform(-2.0, 2.0, made.n_q), rng.normal(size=made.n_v) * rng.choice([0.0, 1.0, 3.0], p=[0.1, 0.6, 0.3])
    c = made.compiled
    for coordinate, stage in zip(c.coordinates, c.tables.stage, strict=True):
        if stage["q"] >= 0 and coordinate.name == "angle2":
            q[stage["q"]] = rng.uniform(-TILT, TILT)
    for at in c.quaternions.values():
        quaternion = rng.normal(size=4)
        q[at : at + 4] = quaternion / np.linalg.norm(quaternion)
    return float(rng.uniform(0.0, 2.0)), q, v


def random_tree(rng, n_bodies):
    """Return a random tree of n bodies in a random state."""
    mechanism = random_mechanism(rng, n_bodies)
    made = system(mechanism)
    return RandomTree(mechanism, made, *random_state(rng, made))
