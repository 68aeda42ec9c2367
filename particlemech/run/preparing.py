"""Mechanisms in the plane to their systems, and these to their starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from particlemech.engine.plane import Assembled, PlanarInstant, PlanarSystem, Pose, standing
from particlemech.engine.system import Row
from particlemech.errors import ModelError, suggestion
from particlemech.model.actions import to_come
from particlemech.model.mechanism import Mechanism
from particlemech.run.assembly import followed
from particlemech.run.jumps import struck_start
from particlemech.run.options import check_formulation
from particlemech.run.start import Start, check_loads
from particlemech.run.start import start as started

if TYPE_CHECKING:
    from particlemech.engine.particles.explicit import SharedSystem

Done = TypeVar("Done")
# work that pauses between its stages: many variants are worked on in step, stage by stage, which is half the time of
# one after the other, because the processor finds the code of a stage in its caches
Staged = Generator[None, None, Done]


def _particles(mechanism: Mechanism, cut: tuple[str, ...]) -> PlanarSystem:
    from particlemech.engine.particles.equations import system

    return system(mechanism, cut)


def _absolute(mechanism: Mechanism, cut: tuple[str, ...]) -> PlanarSystem:
    from particlemech.engine.absolute.equations import system

    return system(mechanism, cut)


PARTICLES = "particles"  # the engine of the plane, and the formulation that is its own
FORMULATIONS: dict[str, Callable[[Mechanism, tuple[str, ...]], PlanarSystem]] = {
    "particles": _particles,
    "absolute": _absolute,
}


def prepared(
    mechanism: Mechanism,
    formulation: str = "particles",
    cut: tuple[str, ...] | None = None,
    duration: float | None = None,
) -> tuple[PlanarSystem, Start]:
    """Return the system of a mechanism and its consistent start.

    Parameters
    ----------
    mechanism
        What the user said.
    formulation
        "particles" (after [A00]) or "absolute" (x, y, angle per body).
    cut
        Joints to cut, by name; default those of the model's [run].
    duration
        Of the run to come, s: the mechanism's own time is never longer.
    """
    check_formulation(PARTICLES, formulation)
    cut = mechanism.run.cut if cut is None else tuple(cut)
    check_cut(mechanism, cut)
    build = FORMULATIONS[formulation]
    system = build(mechanism, cut)
    begin = started(system, mechanism, followed)
    home = begin.home
    if home is not None:
        found = _assembled(system, begin, home)
        system = build(counted_from(mechanism, home), cut)
        begin = started(system, mechanism, lambda _: found)
    check_loads(system, mechanism, begin)
    begin = struck_start(system, begin)
    return system.retimed(time_scale(system, begin, duration or mechanism.run.duration), home), begin


def counted_from(mechanism: Mechanism, home: Pose) -> Mechanism:
    """Return the mechanism with free values of springs counted from its points, not from the drawing as assembled."""
    drawn = standing(mechanism, home)
    changes: Any = {"forces": {name: force.counted(drawn) for name, force in mechanism.forces.items()}}
    if mechanism.switching:
        changes["joints"] = {name: joint.counted(drawn) for name, joint in mechanism.joints.items()}
    return mechanism.replaced(**changes)


def _assembled(system: PlanarInstant, begin: Start, home: Pose) -> Assembled:
    """Return the drawing as assembled, and where bodies are at the start of a system that counts from its points."""
    at = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    return Assembled(home, Pose(at.com[0], at.angle[0]))


def check_cut(mechanism: Mechanism, cut: tuple[str, ...]) -> None:
    """Raise where a joint to cut does not exist."""
    for name in cut:
        if name not in mechanism.joints:
            raise ModelError(f'cut: joint "{name}" unknown{suggestion(name, mechanism.joints)}')


def time_scale(system: PlanarInstant, begin: Start, duration: float) -> float:
    """Return T of a system, s, from the motion at its start."""
    motion = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    rates = (motion.point_v, motion.com_v), (motion.point_a, motion.com_a)
    v, a = (max(float(np.abs(of).max(initial=0.0)) for of in pair) for pair in rates)
    return _time_scale(system, begin, v, a, duration)


def prepared_explicit(mechanism: Mechanism, duration: float | None = None) -> tuple[SharedSystem, Start]:
    """Return the explicit system of a mechanism and its consistent start; arguments as in `prepared`."""
    return finished(preparing(mechanism, duration))


def preparing(mechanism: Mechanism, duration: float | None) -> Staged[tuple[SharedSystem, Start]]:
    """Return the same in stages."""
    from particlemech.engine.particles.explicit import system as explicit_system

    system = explicit_system(mechanism)
    yield
    system.explicit_tables  # noqa: B018  # made here, a stage of its own
    yield
    begin = system.start(followed)
    yield
    home = begin.home
    if home is not None:
        found = _assembled(system, begin, home)
        system = explicit_system(counted_from(mechanism, home))
        begin = system.start(lambda _: found)
    if not system.determined:
        check_loads(system, mechanism, begin)
    begin = struck_start(system, begin)
    v, a = system.largest(np.stack([begin.v, begin.a]))
    return system.retimed(_time_scale(system, begin, v, a, duration or mechanism.run.duration), home), begin


def finished(work: Staged[Done]) -> Done:
    """Return what work in stages comes to."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            done: Done = end.value
            return done


def refused(mechanism: Mechanism, formulation: str) -> str | None:
    """Return why a mechanism cannot take explicit steps, or None."""
    if formulation != "particles":
        return f'it belongs to formulation "particles", not "{formulation}"'
    for name, force in mechanism.forces.items():
        if not force.in_file:
            return f'force "{name}" is a Python function, which compiled steps cannot call'
    for name in mechanism.bodies:
        if mechanism.inertia(name) == 0.0:
            return f'body "{name}" has no inertia, and accelerations are solved body by body'
    return None


def _time_scale(system: PlanarInstant, begin: Start, v: float, a: float, duration: float) -> float:
    """Return T = min(sqrt(L/a), L/v), v and a the largest at the start, never longer than the run; s.

    Where nothing moves yet, forces say how fast it would: those in the joints at the start and the largest that signals
    prescribe take part with the acceleration they would give to all mass.
    """
    L = system.scale.length
    forces = [abs(lam) / (L if row.angle else 1.0) for row, lam in _held(system, begin)]
    forces += [force.largest(duration, L) for force in to_come(system.mechanism, "forces")]
    a = max(a, max(forces, default=0.0) / system.scale.mass)
    candidates = [duration]
    if v > 0.0:
        candidates.append(L / v)
    if a > 0.0:
        candidates.append(math.sqrt(L / a))
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)


def _held(system: PlanarInstant, begin: Start) -> list[tuple[Row, float]]:
    """Return the rows with a multiplier, and its value at the start."""
    return [(row, float(begin.lam[row.lam])) for row in system.layout.rows if row.lam >= 0]
