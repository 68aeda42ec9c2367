"""From mechanisms and results of any family to scenes.

Each family has one file, named as the engine that runs its models, that offers `dimension`, `radius(m)`, `drawn(m)` and
`moving(result)` (frames and points of the drawing and of a motion). One whose bodies deform adds
`bent(m, result, frames, looks)`, one with reactions of another form `reactions(seen, m, result)`; the rest is the same
for all.
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

from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.model.primitives import Looks, Part, Push, Turn
from particlemech.model.spec import kind_name
from particlemech.result.base import Result
from particlemech.run.trajectory import Status
from particlemech.view import columns
from particlemech.view.scene import Arrow, Lazy, Quantity, Row, Scene, arrow, settled

STILL = 1e-6  # of r: how far a point that does not move may do so


def scene(of: Any) -> Scene:
    """Return the scene of a result, or a still of a mechanism as drawn.

    Parameters
    ----------
    of : Mechanism or Result
        Of any family.

    Returns
    -------
    Scene

    Raises
    ------
    ModelError
        If it is neither.
    """
    if isinstance(of, Scene):
        return of
    if isinstance(of, Description):
        return _staged(of, None)
    if isinstance(of, Result):
        return _staged(of.system.mechanism, of)
    raise ModelError(f"a mechanism or a result is drawn, not a {type(of).__name__}; read one with load, or simulate it")


def _staged(m: Any, result: Any | None) -> Scene:
    """Return the scene of a mechanism of any family; nothing of the other families is imported."""
    family: Any = import_module(f"{__name__}.{m.engine}")
    r = family.radius(m)
    looks: Looks = tuple(
        p
        for section, how in m.sections.items()
        for name, spec in getattr(m, section).items()
        if hasattr(spec, "look")
        for p in spec.look(Part(how.part, name), m, r)
    )
    frames, points = family.drawn(m) if result is None else family.moving(result)
    if hasattr(family, "bent"):
        frames, looks = family.bent(m, result, frames, looks)
    bare = Scene(
        dimension=family.dimension,
        title=m.name,
        unit=columns.unit(m, "position"),
        t=np.zeros(1) if result is None else result.t,
        frames=frames,
        primitives=looks,
        points=points,
        fixed=tuple(p for p, path in points.items() if np.ptp(path, axis=0).max() <= STILL * r),
        r=r,
        arrows={},
        table=_table(m),
    )
    makers: dict[str, Callable[[], Mapping[str, Arrow]]] = {"load": partial(_loads, bare, m)}
    if result is None:
        return settled(replace(bare, arrows=Lazy(makers)))
    makers |= {
        "velocity": partial(_rates, bare, m, result, "velocity"),
        "acceleration": partial(_rates, bare, m, result, "acceleration"),
        "reaction": partial(getattr(family, "reactions", _reactions), bare, m, result),
        "effort": partial(_efforts, bare, m, result),
    }
    return settled(
        replace(
            bare,
            arrows=Lazy(makers),
            ended=ended(result),
            message="" if result.status is Status.COMPLETED else result.message,
            _quantities=partial(_quantities, m, result),
            _certificate=partial(certificate, m, result),
        )
    )


# -- arrows --------------------------------------------------------------------------------------------------------


def _loads(seen: Scene, m: Any) -> dict[str, Arrow]:
    """Return what acts from outside, by force."""
    loads = [p for p in seen.primitives if isinstance(p, Push | Turn) and p.part.section == "force"]
    return {p.part.name: arrow(seen, p, None, _unit(m, p)) for p in loads}


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
        if name not in seen.fixed:
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
    for name, values in result.columns().items():
        if name != "t":
            what = columns.quantity(m, name)
            found[name] = Quantity(values, what, columns.unit(m, what))
    return found


def ended(result: Result) -> str:
    """Return how a run that did not complete ended, in a few words; nothing of one that did."""
    if result.status is Status.COMPLETED:
        return ""
    return f"{result.status.value}, shown to {result.t[-1]:.4g} s" if len(result.t) else result.status.value


def certificate(m: Any, result: Result) -> dict[str, str]:
    """Return what a run says of itself, in words."""
    gap = float(result.closure.position.max())
    said = {
        "status": result.status.value,
        "run": f"{len(result.t)} samples to {result.t[-1]:.6g} s",
        "formulation": str(result.system.formulation),
        "closure": f"{gap:.1e} {columns.unit(m, 'position')}" if gap > 0.0 else "exact",
    }
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
                rows.append(
                    Row(how.part, name, kind, tuple((k, _said(v)) for k, v in keys if v is not None and v != ()))
                )
    return tuple(rows)


def _said(value: Any) -> str:
    """Return a value of a key as text."""
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else str(value)
    if isinstance(value, tuple):
        return ", ".join(_said(v) for v in value)
    if dataclasses.is_dataclass(value):
        keys = [f"{f.name} {_said(getattr(value, f.name))}" for f in dataclasses.fields(value)]
        name = kind_name(type(value))
        return keys[0].removeprefix("value ") if len(keys) == 1 else f"{name} ({', '.join(keys)})"
    return getattr(value, "__name__", None) or str(value)
