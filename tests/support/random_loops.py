"""Random closed mechanisms in space: all kinds of joints, drivers and forces, and velocities that fit.

A loop of three to five bodies, a body that hangs on it, sometimes by two hinges in line, which hold more than needed,
and sometimes a rod from there to the ground. Every joint that turns has a torsion spring with a damper and a motor,
every one that slides likewise, and balls have springs and motors about all axes. Nothing else is symmetric or aligned.
Loops near a dead centre are not made: there the accelerations themselves, not their computation, lose digits.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from functools import partial

import numpy as np

from particlemech import signals
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import unstruck_state
from particlemech.model.space import Body, Mechanism, drivers, forces, joints
from particlemech.run.start import projected, weights

IN_LOOPS = ("revolute", "prismatic", "cylindrical", "spherical", "universal", "weld")
TRIES = 200  # drawings
HELD = 0.02  # least singular value of the rows, as a part of the largest
REDUNDANT = 1e-12  # those of rows that hold nothing more are below this
MOBILITY = (1, 4)  # least and most


def vector(rng, size=1.0):
    return tuple((size * rng.normal(size=3)).tolist())


def direction(rng):
    u = rng.normal(size=3)
    return tuple((u / np.linalg.norm(u)).tolist())


def wave(rng, size):
    """Return a signal that is not the same at any two instants of a run."""
    return signals.Sine(
        amplitude=float(size * rng.uniform(0.5, 1.0)), frequency=0.6, phase=float(rng.uniform(0.0, 6.0))
    )


def waves(rng, size):
    return tuple(wave(rng, size) for _ in range(3))


def body(rng, name, place):
    """Return a body of six particles about a place, which is its named point G_name."""
    mass = float(np.exp(rng.uniform(-0.7, 0.7)))
    arms = rng.normal(size=(6, 3)) * rng.uniform(0.1, 0.25, size=3)
    arms -= arms.mean(axis=0)
    J = mass / 6.0 * sum(a @ a * np.eye(3) - np.outer(a, a) for a in arms)
    return Body(
        points=(f"G_{name}",),
        mass=mass,
        com=place,
        inertia=tuple(J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()),
    )


def joint(rng, kind, bodies, place):
    """Return a joint of a kind at a place, in any direction."""
    given = {
        "point": place,
        "axis": direction(rng),
        "axes": (direction(rng), direction(rng)),
        "points": (place, vector(rng)),
        "pitch": float(rng.choice([-1.0, 1.0]) * rng.uniform(0.05, 0.2)),
    }
    keys = {field.name for field in fields(joints.NAMES[kind])}
    return joints.NAMES[kind](bodies=bodies, **{key: value for key, value in given.items() if key in keys})


def drag(body, t, state):
    """Return a force against the motion of a centre of mass, where it is, and a couple against the turning."""
    v, omega = state.com_velocity(body), state.omega(body)
    return -0.2 * v * np.linalg.norm(v), state.com(body) + state.orientation(body)[:, 0] * 0.1, -0.05 * omega


def servo(joint, body, t, state):
    """Return the effort of a controller that looks at another body too."""
    x, rate = state.coordinate(joint, "angle"), state.rate(joint, "angle")
    return 0.3 * (math.sin(t) - x) - 0.1 * rate + 0.1 * state.com(body)[2]


def pushes(rng, made, names, corners):
    """Return forces of all kinds: in the joints, along lines, on bodies and between them."""
    found = {
        "load": forces.Load(body=names[0], point=corners[1], force=waves(rng, 2.0), frame="body"),
        "push": forces.Load(body=names[-1], point=vector(rng, 0.5), force=waves(rng, 2.0)),
        "twist": forces.Torque(bodies=(names[1], names[0]), torque=waves(rng, 0.3), frame="body"),
        "turn": forces.Torque(bodies=("ground", names[-1]), torque=waves(rng, 0.3)),
        "spring": forces.Spring(
            bodies=("ground", names[1]), points=(vector(rng), corners[1]), stiffness=20.0, damping=0.5, length=0.2
        ),
        "between": forces.Spring(
            bodies=(names[-1], names[0]), points=(vector(rng), corners[0]), stiffness=9.0, damping=0.3, length=0.3
        ),
    }
    found["ram"] = forces.Cylinder(
        bodies=("ground", names[0]), points=((0.9, -0.7, 0.8), corners[1]), area=0.6, damping=0.2, rod_area=0.2,
        pressure=signals.Sine(amplitude=2.0, frequency=0.7), rod_pressure=0.5,
    )  # fmt: skip
    first, swing = names[0], next(name for name, spec in made.items() if "angle" in spec.coordinate_names)
    found["drag"] = forces.Custom(body=names[-1], function=partial(drag, names[-1]))
    found["servo"] = forces.Custom(joint=swing, coordinate="angle", function=partial(servo, swing, first))
    for name, spec in made.items():
        acted = [x for x in spec.coordinate_names if not (spec.spherical and x.startswith("angle"))]
        for coordinate in acted:
            found[f"{coordinate}_{name}"] = forces.Motor(joint=name, coordinate=coordinate, effort=wave(rng, 0.3))
            soft = {"stiffness": float(rng.uniform(0.1, 0.5)), "damping": float(rng.uniform(0.01, 0.1))}
            rest = {"angle" if coordinate.startswith("angle") else "length": float(rng.uniform(-4.0, 4.0))}
            found[f"spring_{coordinate}_{name}"] = forces.Torsion(joint=name, coordinate=coordinate, **soft, **rest)
        if spec.spherical:
            found[f"moment_{name}"] = forces.Motor(joint=name, moment=waves(rng, 0.3))
        if spec.spherical and spec.dof == 3:
            found[f"ball_{name}"] = forces.Torsion(joint=name, stiffness=float(rng.uniform(0.1, 0.5)), damping=0.05)
    return found


def drawing(rng, screws):
    """Return a mechanism at rest, or None where its joints leave too little or too much."""
    n = int(rng.integers(3, 6))
    names, corners = [f"b{k}" for k in range(n)], [vector(rng, 0.5) for _ in range(n + 1)]
    kinds = list(rng.choice(IN_LOOPS, size=n + 1 - screws)) + ["screw"] * screws
    kinds = [str(kind) for kind in rng.permutation(kinds)]
    rod, driven = bool(rng.random() < 0.3), bool(rng.random() < 0.5)
    turning = [k for k, kind in enumerate(kinds) if "angle" in joints.NAMES[kind].coordinate_names]
    free = sum(joints.NAMES[kind].dof for kind in kinds) - 6 + 1 - rod - driven
    if not turning or kinds.count("weld") > 1 or not MOBILITY[0] <= free <= MOBILITY[1]:
        return None
    chain = ["ground", *names, "ground"]
    made = {f"j{k}": joint(rng, kind, (chain[k], chain[k + 1]), corners[k]) for k, kind in enumerate(kinds)}
    made["hang"] = joint(rng, str(rng.choice(["revolute", "cylindrical"])), ("hung", names[1]), corners[2])
    centres = {name: tuple(np.mean([corners[k], corners[k + 1]], axis=0).tolist()) for k, name in enumerate(names)}
    centres["hung"] = vector(rng, 0.5)
    if rng.random() < 0.3:  # a second hinge in line with the first
        first = joint(rng, "revolute", ("hung", names[1]), corners[2])
        apart = tuple((np.array(corners[2]) + 0.3 * np.array(first.direction)).tolist())
        made |= {"hang": first, "lower": replace(first, point=apart)}
    if rod:
        made["rod"] = joint(rng, "distance", ("hung", "ground"), centres["hung"])
    return Mechanism(
        points={f"G_{name}": place for name, place in centres.items()},
        bodies={name: body(rng, name, place) for name, place in centres.items()},
        joints=made,
        drivers={
            "drive": drivers.Coordinate(joint=f"j{turning[0]}", coordinate="angle", motion=start_of(wave(rng, 0.5)))
        }
        if driven
        else {},
        forces=pushes(rng, made, [*names, "hung"], corners),
        gravity=(0.3, -0.5, -9.81),
    )


def start_of(signal):
    """Return the signal with the offset that makes it 0 at t = 0, as motions of drivers are."""
    return replace(signal, offset=-signals.values(signal, 0.0)[0])


def moving(mechanism, v, omega):
    """Return the mechanism with these velocities of centres G_name and bodies at the start, (n, 3) each."""
    speeds = {f"G_{b}": tuple(v[i].tolist()) for i, b in enumerate(mechanism.bodies)}
    turns = {b: tuple(omega[i].tolist()) for i, b in enumerate(mechanism.bodies)}
    return replace(mechanism, initial={"omega": turns, "velocity": speeds})


def random_loop(seed, screws=0):
    """Return a random mechanism that moves at t = 0 as its joints allow; `screws` joints of the loop are screws."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIES):
        mechanism = drawing(rng, screws)
        if mechanism is None:
            continue
        made = system(mechanism)
        y, lay = unstruck_state(made), made.layout
        y[lay.v] = projected(made, 0.0, y[lay.q], rng.normal(size=made.n_v))
        G = weights(made)[:, None] * made.levels(0.0, y[lay.q], y[lay.v]).phi_q * made.size_v
        sizes = np.linalg.svd(G / made.scale.length, compute_uv=False)
        if np.any((sizes < HELD * sizes.max()) & (sizes > REDUNDANT * sizes.max())):
            continue
        seen = made.observed(np.zeros(1), y[None], np.zeros((1, len(made.compiled.coordinates))), told=False)
        return moving(
            mechanism, *(np.array([of(b)[0] for b in mechanism.bodies]) for of in (seen.com_velocity, seen.omega))
        )
    raise AssertionError(f"no loop in {TRIES} drawings")
