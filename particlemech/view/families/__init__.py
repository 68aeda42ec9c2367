"""From mechanisms and results of any family to scenes.

Each family has one file, named as the engine that runs its models, that offers `dimension`, `radius(m)`, `drawn(m)` and
`moving(result)` (frames and points of the drawing and of a motion). One whose bodies deform adds
`bent(m, result, frames, looks)` and `exaggerated(result, factor)`, the motion as it is drawn then; one with reactions
of another form `reactions(seen, m, result)`; the rest is the same for all.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model import columns
from particlemech.model.description import Description
from particlemech.model.primitives import Looks, Part, Push, Turn, moving, roughened
from particlemech.model.spec import kind_name
from particlemech.result.base import Result
from particlemech.run.trajectory import Status
from particlemech.view.axis import TIME, axis_of, marks_of
from particlemech.view.scene import Arrow, Lazy, Quantity, Row, Scene, arrow, settled

SHOWN = 0.05  # of a run: how long an impulse, which takes no time, is seen
CURVES = ("transmission", "power")  # of measures, over a motion
POSED = ("kinematics", "none")  # samples that nothing integrated
STILL = 1e-6  # of r: how far a point that does not move may do so


def scene(of: Any, exaggerate: float = 1.0) -> Scene:
    """Return the scene of a result, or a still of a mechanism as drawn.

    Parameters
    ----------
    of : Mechanism or Result
        Of any family.
    exaggerate : float
        Of a result: by what deflections of bending bodies are multiplied where they are drawn.

    Returns
    -------
    Scene

    Raises
    ------
    ModelError
        If it is neither, or nothing bends that could be exaggerated.
    """
    if exaggerate != 1.0 and not isinstance(of, Result):
        raise ModelError("deflections are those of a motion; simulate the mechanism, and exaggerate its result")
    if isinstance(of, Scene):
        return of
    if isinstance(of, Description):
        return _staged(of, None)
    if isinstance(of, Result):
        return _staged(of.system.mechanism, of, exaggerate)
    raise ModelError(f"a mechanism or a result is drawn, not a {type(of).__name__}; read one with load, or simulate it")


def _look(spec: Any, part: Part, m: Any, r: float) -> Looks:
    """Return what a part looks like, with a mark where a joint rubs; losses of wheels are no mark."""
    looks: Looks = spec.look(part, m, r)
    if getattr(spec, "friction", None) is None or hasattr(spec, "efficiency"):
        return looks
    return roughened(looks, spec.seat(moving(spec.bodies[::-1]), m))


def _staged(m: Any, result: Any | None, exaggerate: float = 1.0) -> Scene:
    """Return the scene of a mechanism of any family; nothing of the other families is imported."""
    family: Any = import_module(f"{__name__}.{m.engine}")
    r = family.radius(m)
    looks: Looks = tuple(
        p
        for section, how in m.sections.items()
        for name, spec in getattr(m, section).items()
        if hasattr(spec, "look")
        for p in _look(spec, Part(how.part, name), m, r)
    )
    shown, title = result, m.name
    if exaggerate != 1.0:
        if not (math.isfinite(exaggerate) and exaggerate >= 0.0):
            raise ModelError(f"exaggerate: expected a factor that is not negative, got {exaggerate:g}")
        if not getattr(m, "bends", False):
            raise ModelError(f'exaggerate: no body of "{m.name}" bends; leave it out')
        shown, title = family.exaggerated(result, exaggerate), f"{m.name}, deflections x {exaggerate:g}"
    frames, points = family.drawn(m) if result is None else family.moving(shown)
    if hasattr(family, "bent"):
        frames, looks = family.bent(m, shown, frames, looks)
    bare = Scene(
        dimension=family.dimension,
        title=title,
        unit=columns.unit(m, "position"),
        t=np.zeros(1) if result is None else result.t,
        frames=frames,
        primitives=looks,
        points=points,
        fixed=tuple(p for p, path in points.items() if np.ptp(path, axis=0).max() <= STILL * r),
        r=r,
        arrows={},
        table=_table(m),
        there={} if result is None else _there(result),
    )
    makers: dict[str, Callable[[], Mapping[str, Arrow]]] = {
        "load": partial(_loads, bare, m, result),
        "impulse": partial(_impulses, bare, m),
    }
    if result is None:
        return settled(replace(bare, arrows=Lazy(makers)))
    makers |= {what: partial(_rates, bare, m, result, what) for what in ("velocity", "acceleration")}
    if not m.massless:  # motion needs no masses, forces do
        makers["reaction"] = partial(getattr(family, "reactions", _reactions), bare, m, result)
        makers["effort"] = partial(_efforts, bare, m, result)
    axis = axis_of(result)
    return settled(
        replace(
            bare,
            t=np.arange(float(len(result.t))) if axis.words else result.t,
            axis=axis,
            arrows=Lazy(makers),
            ended=ended(result),
            message="" if result.status is Status.COMPLETED else result.message,
            _quantities=partial(_quantities, m, result),
            _certificate=partial(certificate, m, result),
            _marks=partial(marks_of, result),
        )
    )


def _there(result: Any) -> dict[Part, Array]:
    """Return whether parts that events take out are there, at every sample, (K,)."""
    found: dict[Part, Array] = {}
    k = 0
    for phase in result.phases:
        now, until = phase.system.mechanism, k + len(phase.t)
        for section, how in now.sections.items() if now.whole is not None else ():
            for name in set(getattr(now.whole, section)) - set(getattr(now, section)):
                found.setdefault(Part(how.part, name), np.ones(len(result.t), dtype=bool))[k:until] = False
        k = until
    return found


# -- arrows --------------------------------------------------------------------------------------------------------


def _loads(seen: Scene, m: Any, result: Any | None) -> dict[str, Arrow]:
    """Return what acts from outside, by force; what motors and controllers give is a result, where there is one."""
    found = {}
    for p in seen.primitives:
        if isinstance(p, Push | Turn) and p.part.section == "force":
            name, effort = p.part.name, None
            if result is not None and "effort" in m.forces[name].quantities(m):
                p, effort = replace(p, value=None), result.force(name, "effort")
            found[name] = arrow(seen, p, effort, _unit(m, p))
    return found


def _impulses(seen: Scene, m: Any) -> dict[str, Arrow]:
    """Return impulses and their moments, by impulse: in a still all, in a motion those that act, for a moment each."""
    found = {}
    for p in seen.primitives:
        if isinstance(p, Push | Turn) and p.part.section == "impulse":
            turning = isinstance(p, Turn)
            a = arrow(seen, p, None, columns.unit(m, "angular momentum" if turning else "momentum"))
            there = _seen_at(seen.t, m.impulses[p.part.name].time)
            if there.any():
                vector = np.where(there[:, None], a.vector, np.nan)
                found[f"{p.part.name}.moment" if turning else p.part.name] = a._replace(vector=vector)
    return found


def _seen_at(t: Array, time: float) -> Array:
    """Return at which samples (K,) an impulse is seen: for SHOWN of the run after its time, at least at two samples."""
    if len(t) == 1:
        return np.ones(1, dtype=bool)
    until = max(time + SHOWN * (t[-1] - t[0]), t[min(int(np.searchsorted(t, time)) + 1, len(t) - 1)])
    return (t[0] <= time < t[-1]) & (time <= t) & (t <= until)


def _efforts(seen: Scene, m: Any, result: Any) -> dict[str, Arrow]:
    """Return what drivers give, by driver."""
    drives = [p for p in seen.primitives if isinstance(p, Push | Turn) and p.part.section == "driver"]
    return {p.part.name: arrow(seen, p, result.effort(p.part.name), _unit(m, p)) for p in drives}


def _unit(m: Any, p: Push | Turn) -> str:
    return columns.unit(m, "moment" if isinstance(p, Turn) else "force")


def _rates(seen: Scene, m: Any, result: Any, what: str) -> dict[str, Arrow]:
    """Return velocities or accelerations of the points that move, and of the centres of bodies without points."""
    found = {}
    for name in seen.points:
        if name not in seen.fixed and name not in m.massless:
            rate = getattr(result, what if name in m.points else f"com_{what}")
            found[name] = Arrow(seen.points[name], rate(name), columns.unit(m, what))
    return found


def _reactions(seen: Scene, m: Any, result: Any) -> dict[str, Arrow]:
    """Return the forces that joints exert, by "joint.body", as in the files of a result."""
    unit, found = columns.unit(m, "force"), {}
    for name, joint in m.joints.items():
        for body in joint.bodies[1:]:
            found[f"{name}.{body}"] = Arrow(seen.place(*joint.seat(body, m)), result.reaction(name, body), unit)
    return found


# -- words ---------------------------------------------------------------------------------------------------------


def _quantities(m: Any, result: Any) -> dict[str, Quantity]:
    found = {}
    for name, values in {**result.columns(), **_measured(m, result)}.items():
        if name != "t":
            what = columns.quantity(m, name)
            found[name] = Quantity(values, what, columns.unit(m, what))
    return found


def _measured(m: Any, result: Any) -> dict[str, Array]:
    """Return the columns of measures that are curves over a motion: those of places and with poles are pictures."""
    if m.massless or len(result.t) < 3 or np.ptp(result.t) <= 0.0:
        return {}
    try:
        every = result.measures().columns()
    except ModelError:
        return {}
    known = {name: of for name, of in every.items() if name.rpartition(".")[2] in CURVES or name.startswith("shaking.")}
    return {name: of for name, of in known.items() if np.isfinite(of).any()}


def ended(result: Result) -> str:
    """Return how a run that did not complete ended, in a few words; nothing of one that did."""
    if result.status is Status.COMPLETED:
        return ""
    return (
        f"{result.status.value}, shown to {axis_of(result).said(result.t[-1])}"
        if len(result.t)
        else result.status.value
    )


def certificate(m: Any, result: Result) -> dict[str, str]:
    """Return what a run says of itself, in words."""
    gap, axis = float(result.closure.position.max()), axis_of(result)
    one, last = axis.said(result.t[0], 6), axis.said(result.t[-1], 6)
    said = {
        "status": result.status.value,
        "run": f"{len(result.t)} samples to {last}" if axis is TIME else f"{len(result.t)} poses, {one} to {last}",
        "formulation": str(result.system.formulation),
        "closure": f"{gap:.1e} {columns.unit(m, 'position')}" if gap > 0.0 else "exact",
    }
    if result.complementarity is not None:
        said["gaps and forces off by"] = str(result.complementarity)
    if result.warnings:
        said["warning"] = "; ".join(result.warnings)
    if any(phase.integrator in POSED for phase in result.phases):
        return said  # poses one by one: their energies are no check
    energy = result.energy
    if energy.scale > 0.0:
        said["energy error"] = f"{np.abs(energy.error).max() / energy.scale:.1e} of its range"
    return said


def _table(m: Any) -> tuple[Row, ...]:
    """Return all parts of a model, with their keys in words."""
    places = m.points if m.sections["points"].form else {}  # those that have keys come with the other sections
    rows = [Row("point", name, "", (("at", _said(place)),)) for name, place in places.items()]
    for section, how in m.sections.items():
        for name, spec in getattr(m, section).items():
            if how.form is None:
                keys = [(f.name, getattr(spec, f.name)) for f in dataclasses.fields(spec)]
                kind = kind_name(type(spec)) if how.kinds else ""
                words = tuple((k, _said(v).removeprefix(f"{k} ")) for k, v in keys if v is not None and v != ())
                rows.append(Row(how.part, name, kind, words))
    return tuple(rows)


def _said(value: Any) -> str:
    """Return a value of a key as text."""
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else str(value)
    if isinstance(value, tuple):
        return ", ".join(_said(v) for v in value)
    if dataclasses.is_dataclass(value):
        known = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
        keys = [f"{name} {_said(of)}" for name, of in known if of is not None]
        name = kind_name(type(value))
        return keys[0].removeprefix("value ") if len(known) == 1 else f"{name} ({', '.join(keys)})"
    return getattr(value, "__name__", None) or str(value)
