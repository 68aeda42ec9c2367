"""One HTML page of a motion or a mechanism: a single file that plays in any browser, without network or server.

The page is the template and the scripts of `assets/` with the scene as data: a JSON text (names, primitives, tables)
and packed columns (packing.py). Names are data everywhere: no text of a model becomes markup or script; the page's own
policy lets the browser run its one script, known by its hash, and ask nobody for anything. Not used: widget protocols
and libraries for plots (they need a server or a network, and weigh more than the motion).
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model import columns
from particlemech.model.primitives import GROUND, Curve, Hatch, Part, Primitive
from particlemech.result.export import write_text
from particlemech.rotations import continuous, quaternion
from particlemech.view.axis import TIME
from particlemech.view.families import scene as staged
from particlemech.view.packing import FINE as FINEST
from particlemech.view.packing import Packing, reach
from particlemech.view.scene import ACTING, Frame, Quantity, Row, Scene, known_groups
from particlemech.view.swings import posed, swung
from particlemech.view.units import rescaled

SCRIPTS = (
    "numbers",
    "data",
    "axis",
    "swings",
    "motion",
    "camera",
    "looks",
    "stage",
    "charts",
    "panel",
    "hands",
    "page",
)
FINE = 2.0**-18  # of the picture: places are kept to this, a quarter of a pixel when 64 times enlarged
TURN = 2.0 * np.pi * FINE  # angles too, rad
FAR = 8.0  # sizes that a mechanism travels until the camera goes along from the start
SUMMED = "energy"  # quantities that add up: they share one step, so that sums and equals are seen as such
ROUNDING = 1e-13  # of the largest quantity of a kind
NOTEBOOK = 2_000  # samples that a page inside a notebook holds at most
HEIGHT = 600  # of a page inside a notebook, pixels


def page(
    of: Any,
    charts: Sequence[str] | None = None,
    traces: Sequence[str] | None = None,
    witnesses: Mapping[str, str] | None = None,
    arrows: Sequence[str] = ACTING,
    exaggerate: float = 1.0,
    units: Sequence[str] = (),
) -> str:
    """Return the page of a result, or of a mechanism as drawn.

    Parameters
    ----------
    of : Result, Mechanism, Modes, Assemblies, Toggles or Scene
        What to show, of any family; natural motions and a deflected rest position with adjustable amplitude.
    charts : sequence of str, optional
        Quantities whose charts are open at first, as columns of a result file or without their last letter, such as
        "B" for "B.x" and "B.y"; default energies, and what drivers give, what bends most or what turns fastest.
    traces : sequence of str, optional
        Points that leave traces at first; default the one with the longest path.
    witnesses : mapping, optional
        What else is said in the certificate, such as {"second opinion": "agreed to 1e-8"}.
    arrows : sequence of str
        Groups of arrows that are shown at first: "load", "impulse", "velocity", "acceleration", "reaction", "effort".
    exaggerate : float
        Of a result whose bodies bend: how many times as large deflections are drawn.
    units : sequence of str
        Units of charts, numbers and arrows other than those of the model, such as ("mm", "deg").

    Returns
    -------
    str
        A whole HTML document.

    Raises
    ------
    ModelError
        If a quantity, a point or a group of arrows is unknown.
    """
    seen = rescaled(_seen(of, exaggerate), units)
    packing = Packing()
    paper = _paper(seen, packing, _charts(seen, charts), list(seen.followed(traces)))
    paper["shown"] = known_groups(arrows)
    paper["certificate"] = list({**seen.certificate, **(witnesses or {})}.items())
    paper["columns"], packed = packing.packed()
    title = f"{seen.title}: {seen.ended}" if seen.ended else seen.title
    return document("page.html", seen.title, title, asset("page.css"), scripts(SCRIPTS), paper, packed)


def document(
    template: str, heading: str, title: str, style: str, script: str, paper: Mapping[str, Any], packed: str = ""
) -> str:
    """Return a template of `assets/` with its words: one file whose only script is the one that is given."""
    words = {
        "title": html.escape(title),
        "heading": html.escape(heading),
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_hash(script)}'; img-src data:",
        "style": style,
        "scene": json.dumps(paper, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "data": packed,
        "script": script,
    }
    # all places at once, so that a name that looks like one of them stays a name
    return re.sub(r"\{\{(\w+)\}\}", lambda place: words[place[1]], asset(template))


def save(of: Any, path: str | Path, **chosen: Any) -> None:
    """Write the page of a result or a mechanism; `chosen` are the other arguments of `page`.

    Examples
    --------
    >>> import particlemech as pm
    >>> save(pm.models.load("four_bar"), "four_bar.html")  # doctest: +SKIP
    """
    write_text(page(of, **chosen), path)


def framed(of: Any) -> str:
    """Return a frame with the page in it, for notebooks: closed off from what surrounds it, and not too large."""
    seen = _seen(of)
    seen = seen if seen.swings else _thinned(seen, NOTEBOOK)
    looks = f'width="100%" height="{HEIGHT}" style="border:0"'
    closed = f'sandbox="allow-scripts" title="{html.escape(seen.title)}"'
    return f'<iframe {looks} {closed} srcdoc="{html.escape(page(seen))}"></iframe>'


def _seen(of: Any, exaggerate: float = 1.0) -> Scene:
    """Return the scene of a page: what swings does so with any amplitude."""
    return (swung(of) or posed(of) if exaggerate == 1.0 else None) or staged(of, exaggerate)


def _thinned(seen: Scene, most: int) -> Scene:
    """Return a scene with no more than some samples, evenly spaced, its quantities too."""
    if len(seen.t) <= most:
        return seen
    samples = np.linspace(0, len(seen.t) - 1, most).round().astype(int)

    def quantities() -> dict[str, Quantity]:
        return {name: q._replace(values=q.values[samples]) for name, q in seen.quantities.items()}

    return dataclasses.replace(seen.at(samples), _quantities=quantities)


# -- what is chosen at first ---------------------------------------------------------------------------------------


def _charts(seen: Scene, names: Sequence[str] | None) -> list[list[str]]:
    """Return the quantities of every chart that is open at first, one chart for each kind of quantity."""
    known = seen.quantities
    if names is None and (seen.swings or len(seen.t) < 2):
        return []
    if names is None and seen.axis.log:
        names = list(known)
    if names is None:
        first = [f"energy.{part}" for part in ("kinetic", "potential", "total")]
        if seen.axis is not TIME:
            first = _outputs(seen)
        efforts = [name for name in known if name.endswith(".effort")][:3]
        told = efforts or _most(known, ".elastic_", 3) or _most(known, ".omega", 1)
        names = [name for name in (*first, *told) if name in known]
    names = (names,) if isinstance(names, str) else names
    found: dict[tuple[str, str], list[str]] = {}
    for name in columns.chosen(names, known):
        found.setdefault((known[name].what, known[name].unit), []).append(name)
    return list(found.values())


def _outputs(seen: Scene) -> list[str]:
    """Return what a cycle over a driver is asked for: joints on the ground that it moves, and how well."""
    grounded = [row.name for row in seen.table if row.section == "joint" and ("bodies", GROUND) in _firsts(row)]
    own = [name for name in seen.quantities if name.partition(".")[0] in grounded and name != seen.axis.name]
    outputs = [name for name in own if name.endswith((".angle", ".travel"))]
    bent = [name for name in outputs if not _straight(seen.quantities[name].values)]
    return bent[:3] + [name for name in own if name.endswith(".transmission")][:2]


def _firsts(row: Row) -> list[tuple[str, str]]:
    return [(key, value.partition(",")[0]) for key, value in row.keys]


def _straight(values: Array) -> bool:
    """Whether a column is even along the axis, as a driver's own coordinate is."""
    return bool(np.abs(np.diff(values, n=2)).max(initial=0.0) <= 1e-9 * max(float(np.ptp(values)), 1e-300))


def _most(known: Mapping[str, Quantity], mark: str, count: int) -> list[str]:
    """Return the marked quantities that reach furthest, of those that are not zero all the time."""
    reaches = {name: reach(quantity.values) for name, quantity in known.items() if mark in name}
    return sorted((name for name in reaches if reaches[name] > 0.0), key=lambda name: -reaches[name])[:count]


# -- the scene as data ---------------------------------------------------------------------------------------------


def _paper(seen: Scene, packing: Packing, charts: list[list[str]], traces: list[str]) -> dict[str, Any]:
    """Return the scene as the scripts read it; columns go to the packing, their numbers stand here."""
    low, high = seen.box
    step = float(np.max(high - low)) * FINE or FINE

    def path(places: Array) -> list[int]:
        return [packing.add(column, step) for column in places.T]

    quantities = list(seen.quantities)
    order = {name: number for number, name in enumerate(quantities)}
    points = list(seen.points)
    return {
        "title": seen.title,
        "ended": seen.ended,
        "message": seen.message,
        "dimension": seen.dimension,
        "unit": seen.unit,
        "count": len(seen.t),
        "radius": seen.r,
        "bounds": {"low": _solid(low), "high": _solid(high)},
        "t": packing.add(seen.t, float(np.ptp(seen.t)) / 2.0**31),
        "axis": seen.axis._asdict(),
        "marks": [mark._asdict() for mark in seen.marks],
        "swings": list(_swings(seen)),
        "frames": [_frame(name, frame, path, packing) for name, frame in seen.frames.items()],
        "primitives": [_primitive(p, path) | _while(seen, p, packing) for p in seen.primitives],
        "points": [
            {"name": name, "at": path(places), "fixed": name in seen.fixed, "of": _own(seen, order, "point", name)}
            for name, places in seen.points.items()
        ],
        "arrows": list(_arrows(seen, path, packing)),
        "quantities": list(_quantities(seen, packing)),
        "follow": _followed(seen, path),
        "charts": [[order[name] for name in group] for group in charts],
        "traces": [points.index(name) for name in traces],
        "parts": [
            {"section": part.section, "name": part.name, "of": _own(seen, order, *part)}
            for part in dict.fromkeys(p.part for p in seen.primitives)
        ],
        "table": [{"section": row.section, "name": row.name, "kind": row.kind, "keys": row.keys} for row in seen.table],
    }


def _quantities(seen: Scene, packing: Packing) -> Iterable[dict[str, Any]]:
    """Give the quantities; beside the largest of their kind, rounding is nothing."""
    largest: dict[str, float] = {}
    widest: dict[str, float] = {}
    for q in seen.quantities.values():
        largest[q.what] = max(largest.get(q.what, 0.0), float(np.nanmax(np.abs(q.values), initial=0.0)))
        widest[q.what] = max(widest.get(q.what, 0.0), reach(q.values))
    kept: list[Array] = []
    for name, q in seen.quantities.items():
        values, step = q.values, max(reach(q.values) / FINEST, ROUNDING * largest[q.what])
        if q.what == SUMMED:
            step = max(widest[q.what] * FINE, ROUNDING * largest[q.what])
            # one that is another but for rounding is that other
            slack = 1e3 * ROUNDING * largest[q.what]
            values = next((v for v in kept if np.allclose(v, values, rtol=0.0, atol=slack)), values)
            kept.append(values)
        yield {"name": name, "what": q.what, "unit": q.unit, "column": packing.add(values, step)}


def _swings(seen: Scene) -> Iterable[dict[str, Any]]:
    """Give what swings, each with the number of its first sample."""
    home = 0
    for swing in seen.swings:
        yield {**{k: v for k, v in swing._asdict().items() if k != "scene"}, "home": home}
        home += len(swing.scene.t)


def _followed(seen: Scene, path: Any) -> dict[str, Any] | None:
    """Return what a camera can follow: the middle of the bodies of a mechanism that the ground does not hold."""
    held = any(isinstance(p, Hatch) or getattr(p, "frame", "") == GROUND for p in seen.primitives)
    if held or not seen.frames or len(seen.t) < 2:
        return None
    origins = np.array([frame.origin for frame in seen.frames.values()])
    middle = origins.mean(axis=0)
    size = max(float(np.max(np.linalg.norm(origins - middle, axis=-1))), 4.0 * seen.r)
    far = float(np.max(np.ptp(middle, axis=0)))
    return {"at": path(middle), "first": far > FAR * size} if far > size else None


def _own(seen: Scene, order: dict[str, int], section: str, name: str) -> list[int]:
    """Return the numbers of the quantities that belong to a part."""
    return [order[column] for column in seen.columns_of(Part(section, name))]


def _solid(place: Iterable[float]) -> list[float]:
    """Return a place with three coordinates: the plane lies in space."""
    x, y, *z = (float(c) for c in place)
    return [x, y, z[0] if z else 0.0]


def _frame(name: str, frame: Frame, path: Any, packing: Packing) -> dict[str, Any]:
    result = {"name": name, "centre": _solid(frame.centre), "origin": path(frame.origin)}
    if frame.turn.ndim == 1:
        return {**result, "angle": packing.add(frame.turn, TURN)}
    # rows of the quaternion are those of R itself: `rotations` counts the same way
    turns = continuous(quaternion(frame.turn))
    return {**result, "quaternion": [packing.add(column, 2.0 * FINE) for column in turns.T]}


def _primitive(p: Primitive, path: Any) -> dict[str, Any]:
    """Return a primitive by its name and fields."""
    result: dict[str, Any] = {"kind": type(p).__name__.lower(), "section": p.part.section, "name": p.part.name}
    if isinstance(p, Curve):
        return {**result, "points": [path(places) for places in np.moveaxis(np.asarray(p.points), 1, 0)]}
    return {**result, **{f.name: getattr(p, f.name) for f in dataclasses.fields(p) if f.name not in ("part", "rider")}}


def _while(seen: Scene, p: Primitive, packing: Packing) -> dict[str, int]:
    """Return the column that is 1 while a primitive is there, of one that a run takes out."""
    there = seen.shown(p)
    return {} if there is None else {"there": packing.add(there.astype(float), 1.0)}


def _arrows(seen: Scene, path: Any, packing: Packing) -> Iterable[dict[str, Any]]:
    """Give the arrows in groups of one name and unit, so that lengths can be compared."""
    for name in seen.arrows:
        groups: dict[tuple[str, bool], list[dict[str, Any]]] = {}
        for own, (at, vector, unit, turning) in seen.arrows[name].items():
            entry = {"name": own, "at": path(at), "vector": [packing.add(column) for column in vector.T]}
            groups.setdefault((unit, turning), []).append(entry)
        for (unit, turning), of in groups.items():
            yield {"name": name, "unit": unit, "turning": turning, "of": of}


# -- assets --------------------------------------------------------------------------------------------------------


@cache
def asset(name: str) -> str:
    """Return the text of a file of `assets/`."""
    return (resources.files("particlemech.view") / "assets" / name).read_text(encoding="utf-8")


@cache
def scripts(names: tuple[str, ...]) -> str:
    """Return some scripts of `assets/` as one, in a scope of their own."""
    parts = "\n".join(asset(f"{name}.js") for name in names)
    return f'\n(() => {{\n"use strict";\n{parts}\n}})();\n'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
