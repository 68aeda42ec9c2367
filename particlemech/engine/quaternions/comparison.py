"""A run in space against the second opinion: its own motion from the same start, then all else at the run's states.

    motion        of the second opinion, stepped by itself                                                  (1)
    accelerations, reactions, efforts, energies   at the samples of the run                                 (2)
    work          what the motion (1) gains in energy, against what the run books for its forces            (3)

(2) would not notice a motion that is wrong, nor (1) a reaction; (3) holds laws of forces against their powers. Turns of
joints, which poses do not tell, are those of (1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.quaternions.equations import Accelerations, accelerations, energies
from particlemech.engine.quaternions.instant import label
from particlemech.engine.quaternions.motion import Motion, simulated
from particlemech.engine.system import Array


class Pair(NamedTuple):
    """One quantity, twice."""

    quantity: str
    ours: Array  # (K, n, ...) of the run; nan where the mechanism does not determine it
    theirs: Array  # the same of the second opinion
    range: float  # how far it ranges
    names: list[str]  # (n,) of bodies, joints, drivers
    compared: str = ""  # how much of it, where not all


def compared(result: Any) -> list[Pair]:
    """Return all that both know of a run, the result of a mechanism in space."""
    m, bodies = result.mechanism, list(result.mechanism.bodies)

    def of_all(what: Callable[[str], Array]) -> Array:
        return np.stack([what(body) for body in bodies], axis=1)

    states = [of_all(what) for what in (result.com, result.orientation, result.com_velocity, result.omega)]
    x, R, v, omega = states
    motion = simulated(m, (x[0], R[0]), (v[0], omega[0]), result.t, near=_angles(result))
    run = Motion(result.t, x, R, v, omega, motion.angle)
    found = [accelerations(m, float(t), *run.at(k), run.near(k)) for k, t in enumerate(result.t)]
    a, alpha = of_all(result.com_acceleration), of_all(result.alpha)
    pairs = [
        Pair("points", x, motion.centre, float(np.ptp(x)), bodies),
        Pair("orientations", R, motion.rotation, 1.0, bodies),
        Pair("velocities", v, motion.velocity, _largest(v), bodies),
        Pair("angular velocities", omega, motion.omega, _largest(omega), bodies),
        Pair("accelerations", a, np.array([f.a for f in found]), _largest(a), bodies),
        Pair("angular accelerations", alpha, np.array([f.alpha for f in found]), _largest(alpha), bodies),
    ]
    return pairs + _reactions(result, found) + _energies(result, run, motion)


def _angles(result: Any) -> dict[str, float]:
    """Return the angles of joints at the first sample by label: full turns, which a pose does not tell."""
    joints = result.mechanism.joints.items()
    ends = [(name, x) for name, joint in joints for x in joint.coordinate_names if x.startswith("angle")]
    return {label(*end): float(result.coordinate(*end)[0]) for end in ends}


def _reactions(result: Any, found: list[Accelerations]) -> list[Pair]:
    """Return reactions and efforts, and which of them are unique, unless rounding tells."""
    m = result.mechanism
    joints = [name for name, joint in m.joints.items() if joint.bodies]
    couplings = [name for name, joint in m.joints.items() if not joint.bodies]
    pairs = []
    if joints:
        force = np.stack([result.reaction(j, m.joints[j].second) for j in joints], axis=1)
        moment = np.stack([result.moment(j, m.joints[j].second) for j in joints], axis=1)
        forces, moments, unique, doubtful = (
            np.array([[part[j] for j in joints] for part in parts])
            for parts in zip(*((f.force, f.moment, f.unique, f.doubtful) for f in found), strict=True)
        )
        wide = max(_largest(moment), _largest(force) * result.system.scale.length)
        known = np.isfinite(np.concatenate([force, moment], axis=2)).astype(float)
        pairs += [
            Pair("reactions", force, forces, _largest(force), joints, _unique(force)),
            Pair("moments", moment, moments, wide, joints, _unique(moment)),
            Pair("which are unique", known, np.where(doubtful, np.nan, unique), 1.0, joints),
        ]
    for driver in [*couplings, *m.drivers]:
        effort = result.effort(driver)[:, None]
        theirs = np.array([[f.effort[driver]] for f in found])
        pairs.append(
            Pair("effort", effort, theirs, _largest(effort), [driver], "" if _all(effort) else _unique(effort))
        )
    return pairs


def _energies(result: Any, run: Motion, motion: Motion) -> list[Pair]:
    """Return energies (2), and what is gained (3)."""
    m, own = result.mechanism, result.energy
    ours = np.stack([own.kinetic, own.potential], axis=1)
    theirs, gained = (
        np.array([energies(m, float(t), *of.at(k), of.near(k)) for k, t in enumerate(result.t)]) for of in (run, motion)
    )
    total = gained.sum(axis=1)
    return [
        Pair("energy", ours, theirs, own.scale, ["kinetic", "potential"]),
        Pair("work", own.work[:, None], (total - total[0])[:, None], own.scale, ["all forces"]),
    ]


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def _all(values: Array) -> bool:
    return bool(np.isfinite(values).all())


def _unique(values: Array) -> str:
    """Return how many of the components of all parts are compared at all samples."""
    known = np.isfinite(values).all(axis=0)
    return f"{int(known.sum())} of {known.size}"
