"""Mechanism in space -> Result, by explicit steps, by IDA, or by both in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.equations import system as tabulated
from particlemech.engine.recursive.start import prepared
from particlemech.errors import ModelError
from particlemech.model.description import Run
from particlemech.model.modes import Mode
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.complementarity import judged
from particlemech.result.parted import result as made_result
from particlemech.result.recursive import TreeResult
from particlemech.run import eventful, phases
from particlemech.run.events import Event
from particlemech.run.march import NO_INERTIA
from particlemech.run.modes import Build
from particlemech.run.start import Start

# vibrations of what deflects, in a whole run, that explicit steps shall not follow: IDA passes over them (settings.py).
# Handing over to and fro stirs them up: a rod that vibrates 5e5 times ended as inaccurate, alone IDA took 8000 steps
FOLLOWED = 1e5
RESULT = made_result  # what a run here returns


def made(mechanism: Mechanism, options: Run) -> tuple[TreeSystem, Start]:
    """Return the system of a run and its start."""
    return prepared(mechanism, options.duration, options.cut)


def run(
    mechanism: Mechanism,
    options: Run,
    events: Mapping[str, Event],
    progress: Callable[[float], None] | None,
    provenance: Callable[[], Mapping[str, Any]],
    plan: phases.Plan,
) -> TreeResult:
    """Return the motion of a mechanism in space; `plan` gives times and start, or refuses them."""
    whole, mechanism = mechanism, mechanism.unchanged
    system, begin = made(mechanism, options)
    _check_inertia(system, begin)
    begin, times = plan(system, begin)
    custom = next((name for name, force in mechanism.forces.items() if not force.in_file), None)
    if custom is not None and options.integrator == "explicit":
        raise ModelError(
            f'integrator "explicit" cannot run this: force "{custom}" is a Python function, which compiled steps '
            'cannot call; use "auto" or "ida"'
        )
    if begin.forks and options.integrator == "explicit":
        raise ModelError(
            'integrator "explicit" cannot run this: the start is a change point, where branches of motion meet, and '
            f'rows of {begin.forks} depend on each other there; take "auto" or "ida"'
        )
    if begin.forks and custom is not None:  # IDA takes 1e5 small steps away from it, each with calls of Python
        raise ModelError(
            f'force "{custom}" is a Python function, and the start is a change point, where rows of {begin.forks} '
            "depend on each other: draw the mechanism a little beside this pose"
        )
    how = phases.Options(options.rtol, options.max_steps, events, progress, "dense")
    if whole.switching or whole.events or whole.sticking:
        worlds, system = changing(whole, options, system, begin)
        system, begin, course = eventful.run(worlds, begin, times, how, system)
    elif options.integrator == "ida" or (options.integrator == "auto" and not _stepped(mechanism, system)):
        system = system.with_multipliers
        course = phases.implicitly(system, begin, times, how)
    elif options.integrator == "explicit":
        course = phases.explicitly(system, begin, times, how)
    else:
        course = phases.automatically(system, begin, times, how, lambda: system.with_multipliers)
    result = made_result(system, begin, course, provenance).judged()
    return judged(result, how.rtol) if whole.switching else result


def changing(mechanism: Mechanism, options: Run, first: TreeSystem, begin: Start) -> tuple[eventful.Worlds, TreeSystem]:
    """Return the systems of a mechanism as it changes, and that in which all is open."""

    def explicit(m: Mechanism) -> TreeSystem:
        return tabulated(m, options.cut).rescaled(first.scale)

    builds: dict[bool, Build] = {False: explicit, True: lambda m: explicit(m).with_multipliers}
    if options.integrator == "explicit":
        del builds[True]
    elif options.integrator == "ida" or not _stepped(mechanism, first) or begin.forks:
        del builds[False]
    return eventful.Worlds(mechanism, builds), first if False in builds else first.with_multipliers


def _stepped(mechanism: Mechanism, system: TreeSystem) -> bool:
    """Whether "auto" takes explicit steps: no Python function stands against it, nor what vibrates too often."""
    return system.scale.vibrations <= FOLLOWED and all(force.in_file for force in mechanism.forces.values())


def closed(mechanism: Mechanism) -> list[str]:
    """Return which stops press from the start on; one that is violated there is an error."""
    first, begin = made(mechanism.unchanged, mechanism.run)
    worlds, _ = changing(mechanism, mechanism.run, first, begin)
    return next(iter(worlds(Mode()).values())).pressing(begin, first)


def by_adams(first: TreeResult, max_steps: int) -> TreeResult:
    """Return a run anew, from its first sample to its last, by a third integrator: Adams' method."""
    system, rtol = first.system.explicit, float(first.provenance["rtol"])
    how = phases.Options(rtol, max_steps)
    course = phases.by_adams(system, first.start, first.t, how)
    return TreeResult(system, first.start, course, lambda: {**first.provenance, "integrator": "adams"}).judged()


def _check_inertia(system: TreeSystem, begin: Start) -> None:
    """Raise where a free motion meets no inertia, in this pose and in others."""
    y = np.concatenate([begin.q, begin.v, begin.x])
    least, _ = system.slopes(0.0, y)
    if least > NO_INERTIA:
        return
    locked = system.locked(0.0, y)
    if locked is not None:
        raise ModelError(f"the start cannot be left: {locked}; take those, or start elsewhere")
    _, vectors = np.linalg.eigh(system.mass(begin.q) * np.outer(system.size_v, system.size_v))
    topology, largest = system.compiled.topology, np.abs(vectors[:, 0])
    every = [system.compiled.coordinates[e] for e in system.compiled.free]
    # modes that go with it are not the cause: one without inertia of its own is refused before
    lost = every[int(np.argmax(np.where([c.joint in topology.carried for c in every], largest, 0.0)))]
    child = topology.frames[topology.carried[lost.joint] - 1].body
    if lost.joint not in system.mechanism.joints:  # that of a bending body which is held away from its first point
        raise ModelError(
            f'body "{child}": nothing resists its turning about its line where it is held away from its first point; '
            'give it "rotary" inertia, or begin its points where it is held'
        )
    raise ModelError(
        f'joint "{lost.joint}": nothing resists its {lost.name}, for body "{child}" and all that hangs on it '
        "have no inertia there; give them some, or take a joint without this freedom"
    )
