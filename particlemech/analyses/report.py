"""What the command line says of a model and of a run, as rows of words."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.analyses.kinematics.cycle import turning_back
from particlemech.analyses.kinematics.driving import stiff, world
from particlemech.analyses.kinematics.masses import placed
from particlemech.errors import ModelError
from particlemech.model.mechanism import Mechanism
from particlemech.result.mobility import Mobility, changing, plane
from particlemech.result.plane import PlanarResult

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism as Spatial
    from particlemech.result.natural import LoopResult
    from particlemech.result.recursive import TreeResult

Rows = list[tuple[str, str]]

MOBILITY = {"particles": "plane", "recursive": "space"}  # who tells it
SWITCHED = {"particles": "switched", "recursive": "recursive"}  # who tells what is closed
CAUSES = {
    "none": "none",
    "pose": "this pose; it vanishes in another one",
    "design": "the design; it stays in another pose",
    "cannot tell": "pose or design: no second pose, cannot tell",
}


class Verdict(NamedTuple):
    """What was found without running; printed, it is a table."""

    rows: Rows  # what, and what was found, in words
    dof: int  # degrees of freedom in this pose, driven ones included
    found: Mobility  # the same in numbers

    def __str__(self) -> str:
        width = max(len(what) for what, _ in self.rows)
        return "\n".join(f"{what.ljust(width)}  {said}" for what, said in self.rows)


def judged(mechanism: Mechanism | Spatial) -> Verdict:
    """Return what can be said of a model without running it."""
    said, mechanism = mechanism, placed(mechanism)
    found: Mobility = import_module(f"particlemech.result.mobility.{MOBILITY[mechanism.engine]}").judged(mechanism)
    unit = mechanism.unit
    rows = [
        ("mechanism", mechanism.name),
        ("units", f"{unit.name}: {unit.length}, {unit.mass}, {unit.time}; force in {unit.force}"),
        ("bodies", f"{len(mechanism.bodies)}"),
        ("degrees of freedom by count", f"{found.by_count}"),
        ("degrees of freedom by rank", f"{found.by_rank}"),
        ("drivers", f"{found.drivers}"),
    ]
    if found.modal:
        rows.append(("modal coordinates", f"{found.modal}"))
    if found.deflecting:
        rows.append(("joints whose drive deflects", f"{found.deflecting}"))
    if found.cuts is not None:
        rows += [
            ("cut joints", ", ".join(found.cuts) or "none"),
            ("redundant joints", ", ".join(found.redundant) or "none"),
        ]
    if found.redundancy:
        rows.append(("redundancy", f"{found.redundancy}, due to {CAUSES[found.cause]}"))
        if found.elsewhere and found.elsewhere != found.redundancy:
            rows.append(("redundancy in another pose", f"{found.elsewhere}"))
    if found.condition is not None and not said.massless:
        rows.append(("condition of the mass matrix", f"{found.condition:.3g}"))
        rows.append(("speeds not determined in this pose", ", ".join(found.loose) or "none, all meet inertia"))
    rows.append(("reactions not determined in this pose", ", ".join(found.undetermined) or "none, all are unique"))
    rows += _changes(mechanism, found.by_count)
    rows += _kinematics(said)
    rows += _limits(mechanism)
    if mechanism.switching and not said.massless:
        closed = import_module(f"particlemech.run.{SWITCHED[mechanism.engine]}").closed
        rows.append(("closed at the start", ", ".join(closed(mechanism)) or "nothing"))
    expected = mechanism.check.dof
    if expected is not None:
        rows.append(("check dof", f"expected {expected}: {'ok' if expected == found.dof else 'FAILED'}"))
    return Verdict(rows, found.dof, found)


def _changes(mechanism: Any, by_count: int) -> Rows:
    """Return what moves at the start, and what is left to move after events, where these change the joints."""
    changes = changing(mechanism, by_count)
    counts = [(f"by count {when}", f"{dof}, {driven} driven") for when, (dof, driven) in changes.items()]
    if mechanism.engine != "particles" or not changes or mechanism.massless:
        return counts
    drivers = {
        f"{d.joint}.{mechanism.coordinate(d.joint, d.coordinate).name}" for d in mechanism.drivers.values() if d.joint
    }
    said = []
    for of, freely in plane.moving(mechanism).items():
        why = "driven" if of in drivers else "free" if freely else "follows"
        said.append(f"{of} ({why})")
    free = [name for name, joint in mechanism.joints.items() if joint.free]
    opened = f"; {', '.join(free)} {'hold' if len(free) > 1 else 'holds'} nothing yet" if free else ""
    return [("moves at the start", (", ".join(said) or "nothing") + opened), *counts]


def _kinematics(mechanism: Any) -> Rows:
    """Return the class of a four-bar, and where the only driver turns back within a turn."""
    rows, kind = Rows(), world(mechanism).grashof(mechanism)
    if kind is not None:
        rows.append(("four-bar", str(kind)))
    if len(mechanism.drivers) == 1:
        try:
            ends = turning_back(stiff(mechanism, "check"))
        except ModelError:  # not driven in all its freedoms, or at a change point
            return rows
        rows.append(("toggles within a turn", ", ".join(f"{end:.10g}" for end in ends) or "none"))
    return rows


def _limits(mechanism: Any) -> Rows:
    """Return the limits of coordinates of joints."""
    from particlemech.model import columns

    rows = Rows()
    for name, joint in mechanism.joints.items():
        for coordinate, (lower, upper) in joint.bounds.items():
            unit = columns.unit(mechanism, columns.quantity(mechanism, f"{name}.{coordinate}"))
            rows.append((f"limits of {name}.{coordinate}", f"{lower:g} to {upper:g} {unit}"))
    return rows


def degrees_of_freedom(mechanism: Any, result: Any) -> int:
    """Return the degrees of freedom in the start of a run, as if nothing were driven.

    By rank where there may be loops, else by count. The system of the run answers: it is not built again.
    """
    if mechanism.engine == "particles":
        return plane.degrees_of_freedom(mechanism, result.system, result.start)
    from particlemech.result.mobility import space

    return space.degrees_of_freedom(mechanism, result)


def _moving(mechanism: Any) -> tuple[str, str]:
    """Return how many bodies there are."""
    return "bodies", f"{len(mechanism.bodies)}"


def _gravity(mechanism: Any) -> str:
    """Return the field of gravity in words."""
    from particlemech.model import columns

    if not any(mechanism.gravity):
        return "none"
    return f"[{', '.join(f'{g:g}' for g in mechanism.gravity)}] {columns.unit(mechanism, 'acceleration')}"


def travelled(result: Any) -> Rows:
    """Return how far every coordinate of a joint goes, and the peaks of what that takes."""
    from particlemech.model import columns

    rows, mechanism = Rows(), result.system.mechanism
    for name, joint in mechanism.joints.items():
        for coordinate in joint.coordinate_names:
            values = result.coordinate(name, coordinate)
            unit = columns.unit(mechanism, columns.quantity(mechanism, f"{name}.{coordinate}"))
            rows.append((f"{name}.{coordinate}", f"{values.min():.6g} to {values.max():.6g} {unit}"))
    return rows + peaks(mechanism, result)


def peaks(mechanism: Any, result: Any) -> Rows:
    """Return the largest effort of every driver and the largest force of any joint at the samples, with their times."""
    from particlemech.model import columns
    from particlemech.view.axis import axis_of

    if not len(result.t):
        return []
    found, rows = result.columns(), Rows()
    for name in [name for name in (*mechanism.drivers, *mechanism.joints) if f"{name}.effort" in found]:
        effort = found.get(f"{name}.effort")
        if effort is not None and np.isfinite(effort).any():
            k = int(np.nanargmax(np.abs(effort)))
            unit = columns.unit(mechanism, columns.quantity(mechanism, f"{name}.effort"))
            rows.append((f"peak effort of {name}", f"{effort[k]:.4g} {unit} at {axis_of(result).said(result.t[k])}"))
    sizes = {}
    for name in found:
        part, _, field = name.rpartition(".")
        if field == "fx" and part.partition(".")[0] in mechanism.joints and part not in mechanism.forces:
            force = [found[f"{part}.f{axis}"] for axis in "xyz" if f"{part}.f{axis}" in found]
            if np.isfinite(size := np.linalg.norm(force, axis=0)).any():
                sizes[part] = size
    if sizes:
        peaks = {name: float(np.nanmax(size)) for name, size in sizes.items()}
        worst = max(peaks, key=lambda name: peaks[name])
        k, (joint, _, body) = int(np.nanargmax(sizes[worst])), worst.partition(".")
        where = f"joint {joint}" + (f" on {body}" if body else "")
        said = f"{peaks[worst]:.4g} {columns.unit(mechanism, 'force')} at {axis_of(result).said(result.t[k])}"
        rows.append(("peak reaction", f"{said}, {where}"))
    return rows + _internal_peaks(mechanism, result, found)


def _internal_peaks(mechanism: Any, result: Any, found: dict[str, Any]) -> Rows:
    """Return the largest bending moment, and the largest stress, of every bending body, with their times."""
    from particlemech.model import columns
    from particlemech.view.axis import axis_of

    rows = Rows()
    for body in mechanism.bodies:
        for field, said in (("moment_max", "bending moment in"), ("stress_max", "normal stress in")):
            values = found.get(f"{body}.{field}")
            if values is not None and np.isfinite(values).any():
                k = int(np.nanargmax(values))
                unit = columns.unit(mechanism, columns.quantity(mechanism, f"{body}.{field}"))
                rows.append((f"peak {said} {body}", f"{values[k]:.4g} {unit} at {axis_of(result).said(result.t[k])}"))
    return rows


def summary(
    mechanism: Mechanism | Spatial,
    result: PlanarResult | TreeResult | LoopResult,
    dof: int,
    energy_error: float,
) -> Rows:
    """Return what is worth knowing of a run."""
    end = float(result.t[-1]) if len(result.t) else 0.0
    length, energy = mechanism.unit.length, mechanism.unit.energy
    closure = [
        ("closure, position", f"{max(result.closure.position, default=0.0):.2g} {length}"),
        ("closure, velocity", f"{max(result.closure.velocity, default=0.0):.2g} {length}/s"),
    ]
    rows = [
        ("mechanism", mechanism.name),
        _moving(mechanism),
        ("joints", f"{len(mechanism.joints)}"),
        *([("cut joints", ", ".join(result.system.cuts) or "none")] if isinstance(mechanism, Mechanism) else []),
        ("degrees of freedom", f"{dof}" + (f", {len(mechanism.drivers)} driven" if mechanism.drivers else "")),
        ("gravity", _gravity(mechanism)),
        ("time", f"{end:g} s in {len(result.t)} samples"),
        ("steps", f"{result.stats['steps']}"),
        *((counted, f"{result.stats[counted]}") for counted in ("residuals", "evaluations") if counted in result.stats),
        ("computed in", f"{result.stats['seconds']:.3g} s"),
        *(closure if result.system.n_row else []),
        ("energy error", f"{energy_error:.2g} of {result.energy.scale:.3g} {energy}"),
        *([("gaps and forces off by", f"{result.complementarity}")] if result.complementarity else []),
        ("status", result.status.value),
    ]
    rows += [("warning", said) for said in result.warnings]
    moves = [(body, way) for body, way in result.start.moved.items() if way > 1e-9 * result.system.scale.length]
    rows += [(f"assembly moved {body}", f"{way:.4g} {length}") for body, way in moves]
    return rows
