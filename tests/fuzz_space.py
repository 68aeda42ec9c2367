"""Random mechanisms in space against every opinion there is: `python -m tests.fuzz 200 --space`.

Each mechanism of `support/random_spatial.py` is run as a user would, at rtol 1e-11, and then

    energy      is the work of what has no potential, and loops stay closed
    natural     at every sample natural coordinates, without any joint coordinate, find the same accelerations, unique
                reactions and energies; rigid bodies only
    Lagrange    likewise his equations from influence coefficients, bending bodies too
    cut at ...  the same mechanism, cut at other joints, has the same motion, accelerations and reactions
    ida         has the same motion: in natural coordinates, or in joint coordinates where bodies bend

What ends as locked is locked for IDA too, by the same driver at the same time; what bends too far says so. Both are
then judged as long as they go well, for half the time or a quarter or an eighth. Nothing else excuses a run that is not
completed.

Where two motions differ by more than errors of steps may, yet by less than NEARLY, both are made once more with finer
steps, and must then agree and be closer by a tenth at least: equations differ by the same whatever the steps are. Where
they still differ, and forces of 1e-8 of what would move each body grow to 1e-5 and more, the motion cannot be
predicted that long, and is judged for as long as it can be, but no less than an eighth of the time. The verdict says
of each mechanism which of these it needed, and the command counts them.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import particlemech as pm
from particlemech.analyses.differences import differences
from particlemech.analyses.influence.lagrange import compared
from particlemech.engine.recursive.compiled import mass_of
from particlemech.model.space import forces
from particlemech.model.toml import dumps
from tests.fuzz import AT_ONCE, DISTURBED, FINE, Verdict, _named, end
from tests.support.random_spatial import drawn_in_space
from tests.support.second_opinion import Again

DURATION, SHORT = 0.1, 0.02  # s
LEAST = 0.125  # of the duration: what is judged of what ends early
SAMPLES = 6
KEPT = 1e-8  # of energy, and of the size that loops open
SAME = 1e-9  # of the range of a quantity: one instant by two formulations, one motion by two trees
STEPPED = 1e-7  # the same, by steps of another integrator at rtol 1e-10
NEARLY = 1e-5  # what errors of steps may be at first
CLOSER = 0.1  # what finer steps must leave of them
LOOSE, FINER, FINEST = 1e-10, 1e-12, 1e-13  # rtol of IDA, and where errors of its steps or of ours are in doubt
FINE_STEPS = ", by finer steps"
GROWN = 1e2  # how far a disturbance may grow


def tried(mechanism: Any, duration: float = DURATION, rtol: float = FINE, **options: Any) -> Any:
    """Return a run, or the words in which it was refused."""
    try:
        return pm.simulate(mechanism, duration=duration, samples=SAMPLES, rtol=rtol, throw=False, **options)
    except pm.ModelError as error:
        return str(error)


def other_cuts(mechanism: Any, seed: int) -> list[tuple[str, ...]]:
    """Return two other ways to cut: one joint, and some of all; where loops close by more than rods and couplings."""
    if not mechanism.loops:
        return []
    rng = np.random.default_rng([29, seed])
    joints = [str(name) for name in rng.permutation([name for name, j in mechanism.joints.items() if j.bodies])]
    return [tuple(joints[:1]), tuple(joints[: int(rng.integers(1, len(joints) + 1))])]


def worst(found: Any) -> tuple[float, str]:
    """Return the largest of some differences, and of what."""
    return max(((d.relative, f"{d.quantity} at {d.where}") for d in found), default=(0.0, ""))


def other_way(mechanism: Any) -> dict[str, str]:
    """Return the options by which IDA runs a mechanism: in natural coordinates where these can."""
    drives = any(getattr(joint, "drive", None) for joint in mechanism.joints.values())
    return {"integrator": "ida"} if mechanism.bends or drives else {"formulation": "natural"}


def moves(mechanism: Any, first: Any, seed: int, duration: float) -> list[tuple[str, float, float, str]]:
    """Return how far the same motion by other cuts and another integrator is apart, as `findings`."""
    found = [_repeated(mechanism, first, duration, cut) for cut in other_cuts(mechanism, seed)]
    short = min(SHORT, duration)
    way = other_way(mechanism)
    ida = _against("ida", tried(mechanism, short), tried(mechanism, short, LOOSE, **way), STEPPED)
    if STEPPED < ida[1] < NEARLY:
        finer = _against("ida", tried(mechanism, short, FINER), tried(mechanism, short, FINER, **way), STEPPED)
        ida = _closer(ida, finer)
    return [*found, ida]


def _repeated(mechanism: Any, first: Any, duration: float, cut: tuple[str, ...]) -> tuple[str, float, float, str]:
    by = f"cut at {', '.join(cut)}"
    other = _against(by, first, tried(mechanism, duration, cut=cut), SAME)
    if SAME < other[1] < NEARLY:
        one, two = tried(mechanism, duration, FINEST), tried(mechanism, duration, FINEST, cut=cut)
        other = _closer(other, _against(by, one, two, SAME))
    return other


def _closer(before: tuple[str, float, float, str], after: tuple[str, float, float, str]) -> Any:
    """Return what finer steps give, which must be closer."""
    name, off, bound, what = after
    return f"{name}{FINE_STEPS}", off, min(bound, CLOSER * before[1]), what


def findings(mechanism: Any, first: Any) -> list[tuple[str, float, float, str]]:
    """Return what was compared at the samples: by what, how far it is apart, how far it may be, and of what."""
    found = [
        ("energy", float(np.abs(first.energy.error).max() / first.energy.scale), KEPT, "energy"),
        ("closure", float(first.closure.position.max() / first.system.scale.length), KEPT, "closure"),
    ]
    if "formulation" in other_way(mechanism):
        off, what = worst(differences(first, Again(first)))
        found.append(("natural", off, SAME, what))
    of = [(apart / size, f"{what} at {where}") for what, apart, size, where, _ in compared(first, SAMPLES) if size]
    off, what = max(of, default=(0.0, ""))
    return [*found, ("Lagrange", off, SAME, what)]


def predictable(mechanism: Any, first: Any, seed: int) -> float:
    """Return for how long small forces on all bodies grow no further than GROWN, s."""
    rng = np.random.default_rng([31, seed])
    pushes: dict[str, Any] = {}
    for name, body in mechanism.bodies.items():
        mass = mass_of(mechanism, name, first.system.compiled.topology)
        force = rng.normal(size=3) * DISTURBED * 2.0 * mass * first.system.scale.length / float(first.t[-1]) ** 2
        point = body.points[0] if body.bends else None
        pushes[f"push {name}"] = forces.Load(body=name, point=point, force=tuple(map(float, force)))
    other = tried(mechanism.replaced(forces=pushes), float(first.t[-1]))
    if isinstance(other, str) or end(other) != "completed":
        return 0.0
    known = 0
    for k in range(1, SAMPLES):
        ranges = [(np.ptp(a, axis=0).max(), np.abs(a[: k + 1] - b[: k + 1]).max()) for a, b in _ways(first, other)]
        if max(apart / size for size, apart in ranges if size) > GROWN * DISTURBED:
            break
        known = k
    return float(first.t[known])


def _ways(one: Any, other: Any) -> list[tuple[Any, Any]]:
    return [(of.com_velocity(b), to.com_velocity(b)) for of, to in [(one, other)] for b in one.mechanism.bodies] + [
        (one.omega(b), other.omega(b)) for b in one.mechanism.bodies
    ]


def _against(name: str, first: Any, other: Any, bound: float) -> tuple[str, float, float, str]:
    if isinstance(other, str) or end(other) != end(first):
        return name, np.inf, bound, other if isinstance(other, str) else f"{end(other)}: {other.message}"
    off, what = worst(differences(first, other))
    return name, off, bound, what


def locks_alike(mechanism: Any, first: Any) -> str:
    """Return what is wrong with a run that ended as locked: IDA says otherwise; or nothing."""
    other = tried(mechanism, DURATION, LOOSE, **other_way(mechanism))
    (who, t), (who_else, t_else) = _named(first.message), _named("" if isinstance(other, str) else other.message)
    if who and who == who_else and abs(t - t_else) <= AT_ONCE * DURATION:
        return ""
    return f"{first.message} / {other if isinstance(other, str) else other.message}"


def excused(first: Any) -> bool:
    """Return whether a run may be judged for a shorter time: a driver at its limit, or a body bent too far."""
    return end(first) == "locked" or (end(first) == "inaccurate" and "slope" in first.message)


def judged_in_space(seed: int) -> Verdict:
    """Return the verdict on the mechanism of a seed."""
    began = time.process_time()
    mechanism, duration, until = drawn_in_space(seed), DURATION, ""
    first = tried(mechanism)
    wrong = locks_alike(mechanism, first) if end(first) == "locked" else ""
    while excused(first) and not wrong and duration > LEAST * DURATION:
        duration, until = 0.5 * duration, until or f", until {end(first)}"
        first = tried(mechanism, duration)
    if end(first) != "completed" or wrong:
        why = first if isinstance(first, str) else wrong or first.message
        kind = "gave up" if end(first) == "step limit" else "said so" if excused(first) and not wrong else "differs"
        return Verdict(seed, kind, why, {"auto": end(first)}, 0.0, time.process_time() - began, dumps(mechanism))
    found, moved = findings(mechanism, first), moves(mechanism, first, seed, duration)
    if any(not off <= bound for _, off, bound, _ in moved):
        known = predictable(mechanism, first, seed)
        if LEAST * DURATION <= known < duration:
            duration, until = known, ", until unpredictable"
            first = tried(mechanism, duration)
            found, moved = findings(mechanism, first), moves(mechanism, first, seed, duration)
    every = [*found, *moved]
    bad = [f"{name} {off:.1e} > {bound:g} ({what})" for name, off, bound, what in every if not off <= bound]
    far = max(off / bound for _, off, bound, _ in every)
    kind = "wrong" if bad else "agree"
    finer = FINE_STEPS if any(name.endswith(FINE_STEPS) for name, *_ in moved) else ""
    why = "; ".join(bad) or ("bends" if mechanism.bends else "rigid") + until + finer
    ends = {"auto": "completed"} | {name: f"{off:.0e}" for name, off, _, _ in every}
    return Verdict(seed, kind, why, ends, far, time.process_time() - began, dumps(mechanism) if bad else "")
