"""Two formulations of mechanisms in space that share no equation, on random loops and on shipped models."""

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, spatial
from particlemech.cli import main
from particlemech.initial import accelerations
from particlemech.spatial import quaternions
from particlemech.spatial.coordinates import axes, centres, turning
from particlemech.spatial.judgement import judged
from particlemech.spatial.start import prepared

LOOPS = 25


def direction(rng):
    u = rng.normal(size=3)
    return tuple(u / np.linalg.norm(u))


def random_loop(rng):
    """Return a closed loop of three to five bodies whose joints leave at least one freedom, in a random drawing."""
    n = int(rng.integers(3, 6))
    corners = [tuple(0.5 * rng.normal(size=3)) for _ in range(n + 1)]
    names = [f"b{k}" for k in range(n)]
    bodies = {}
    for k, name in enumerate(names):
        middle = tuple(0.5 * (np.array(corners[k]) + corners[k + 1]))
        principal = tuple(rng.uniform(0.02, 0.03, size=3))
        bodies[name] = spatial.Body(mass=float(rng.uniform(0.5, 2.0)), com=middle, inertia=principal)
    chain = ["ground", *names, "ground"]
    # two balls and a universal joint leave a loop of four hinges or slides free to move
    kinds = ["spherical", "universal", "spherical", *rng.choice(["revolute", "cylindrical"], size=n - 2)]
    kinds = list(rng.permutation(kinds))
    joints = {}
    for k, kind in enumerate(kinds):
        keys = {"bodies": (chain[k], chain[k + 1]), "point": corners[k]}
        make = {
            "spherical": lambda keys: spatial.joints.Spherical(**keys),
            "universal": lambda keys: spatial.joints.Universal(**keys, axes=(direction(rng), direction(rng))),
            "revolute": lambda keys: spatial.joints.Revolute(**keys, axis=direction(rng)),
            "cylindrical": lambda keys: spatial.joints.Cylindrical(**keys, axis=direction(rng)),
        }
        joints[f"j{k}"] = make[kind](keys)
    line = {"bodies": ("ground", names[1]), "points": ((0.1, 0.2, 0.3), corners[1])}
    forces = {
        "spring": spatial.forces.Spring(**line, stiffness=20.0, damping=0.5, length=0.2),
        "load": spatial.forces.Load(body=names[0], point=corners[1], force=(1.0, -2.0, 0.5), frame="body"),
        "torque": spatial.forces.Torque(bodies=("ground", names[-1]), torque=(0.1, 0.2, -0.1)),
    }
    omega = {names[0]: tuple(rng.normal(size=3))} if kinds[0] == "spherical" else {}
    return spatial.Mechanism(
        bodies=bodies, joints=joints, forces=forces, gravity=(0.3, -0.5, -9.81), initial={"omega": omega}
    )


def state(system, q, v):
    """Return pose and velocities of all bodies."""
    centre = centres(q[None])[0] + np.array(system.compiled.coordinates.origin)
    return (centre, axes(q[None])[0]), (centres(v[None])[0], turning(q[None], v[None])[0])


@pytest.fixture(scope="module")
def loops():
    found, seed = [], 0
    while len(found) < LOOPS:
        seed += 1
        try:
            mechanism = random_loop(np.random.default_rng(seed))
            found.append((mechanism, *prepared(mechanism, 1.0)))
        except pm.ModelError:
            continue  # a start that contradicts itself: another drawing
        assert seed < 10 * LOOPS
    return found


def test_the_random_loops_hold_all_their_kinds_of_joints(loops):
    kinds = {type(joint).__name__ for mechanism, *_ in loops for joint in mechanism.joints.values()}
    assert kinds == {"Spherical", "Universal", "Revolute", "Cylindrical"}


def test_accelerations_at_random_states_agree(loops):
    worst = 0.0
    for mechanism, system, begin in loops:
        pose, velocities = state(system, begin.q, begin.v)
        theirs = quaternions.accelerations(mechanism, 0.0, pose, velocities)
        a, _ = accelerations(system, 0.0, begin.q, begin.v, begin.x)
        ours = centres(a[None])[0], turning(begin.q[None], a[None])[0]
        size = max(np.abs(ours[0]).max(), np.abs(ours[1]).max())
        worst = max(worst, np.abs(ours[0] - theirs.a).max() / size, np.abs(ours[1] - theirs.alpha).max() / size)
    assert worst < 1e-9


def test_unique_reactions_agree_and_the_same_ones_are_unique(loops):
    worst = 0.0
    for mechanism, system, _ in loops:
        run = pm.simulate(mechanism, duration=1e-6, samples=2, rtol=1e-8)
        pose, velocities = state(system, run._projected[0][0], run._projected[1][0])
        theirs = quaternions.accelerations(mechanism, 0.0, pose, velocities)
        size = max(np.abs(force).max() for force in theirs.force.values())
        for name, joint in mechanism.joints.items():
            ours = np.concatenate([run.reaction(name, joint.second)[0], run.moment(name, joint.second)[0]])
            found = np.concatenate([theirs.force[name], theirs.moment[name]])
            assert np.array_equal(np.isfinite(ours), theirs.unique[name])
            worst = max(worst, np.nanmax(np.abs(ours - found), initial=0.0) / size)
    assert worst < 1e-9


def test_motions_of_random_loops_agree(loops):
    for mechanism, system, begin in loops[:4]:
        times = np.linspace(0.0, 0.5, 6)
        run = pm.simulate(mechanism, duration=0.5, samples=6, rtol=1e-10)
        pose, velocities = state(system, begin.q, begin.v)
        other = quaternions.simulated(mechanism, pose, velocities, times)
        ours = np.stack([run.com(body) for body in mechanism.bodies], axis=1)
        assert np.abs(ours - other.centre).max() < 1e-6 * system.scale.length


def test_a_torsion_spring_counts_turns_and_swings_at_its_own_pace():
    u = np.array([1.0, 2.0, 2.0]) / 3.0
    disk = spatial.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.2, 0.2, 0.2))
    swing = spatial.Mechanism(
        bodies={"disk": disk},
        joints={"pin": spatial.joints.Revolute(bodies=("ground", "disk"), point=(0.0, 0.0, 0.0), axis=tuple(u))},
        forces={"spring": spatial.forces.Torsion(joint="pin", stiffness=3.0, angle=9.0)},
    )
    run = pm.simulate(swing, duration=3.0, samples=31, rtol=1e-10)
    w = math.sqrt(3.0 / 0.2)
    assert run.omega("disk") @ u == pytest.approx(9.0 * w * np.sin(w * run.t), abs=2e-5)
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale


def test_redundant_joints_of_a_planar_loop_in_space_are_named():
    plane = models.load("four_bar")
    bodies = {
        name: spatial.Body(
            points=body.points, mass=body.mass, com=(*plane.centre(name), 0.0), inertia=(0.6 * i, 0.6 * i, i)
        )
        for name, body in plane.bodies.items()
        for i in [plane.inertia(name)]
    }
    in_space = spatial.Mechanism(
        points={name: (*place, 0.0) for name, place in plane.points.items()},
        bodies=bodies,
        joints={
            name: spatial.joints.Revolute(bodies=joint.bodies, point=joint.point, axis=(0.0, 0.0, 1.0))
            for name, joint in plane.joints.items()
        },
        gravity=(*plane.gravity, 0.0),
        initial={"omega": {name: (0.0, 0.0, w) for name, w in plane.initial.omega.items()}},
    )
    found = judged(in_space)
    assert (found.by_count, found.by_rank, found.redundancy, len(found.redundant)) == (-2, 1, 3, 4)


def test_validate_compares_both_formulations(capsys, tmp_path):
    path = tmp_path / "pendulum.toml"
    path.write_text(
        'kind = "spatial"\ngravity = [0.0, 0.0, -9.81]\n[points]\nO = [0.0, 0.0, 0.0]\nP = [1.0, 0.0, 0.0]\n'
        '[bodies.rod]\npoints = ["O", "P"]\nmass = 1.0\n'
        '[joints.O]\ntype = "revolute"\nbodies = ["ground", "rod"]\npoint = "O"\naxis = [0.0, 1.0, 0.3]\n'
    )
    assert main(["validate", str(path), "--duration", "0.3", "--samples", "4"]) == 0
    said = capsys.readouterr().out
    assert "centre and axes against quaternions" in said and "orientations" in said and "moments" in said
    assert main(["check", str(path)]) == 0
    assert "degrees of freedom by rank   1" in capsys.readouterr().out
