"""Motions that a page shows with any amplitude: natural motions, and static deflections, which do not swing; poses.

Poses are computed on a grid, as large as they are ever shown, because large motions of joints are not in proportion:

    sample home                                    at rest, or as drawn
    sample home + 1 + (l - 1) n + j                level l of 1 ... L, phase j of n (n = 1: it does not swing)      (1)

The page takes straight lines between them. Arrows and quantities are those of the true pose, at all levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.primitives import Curve
from particlemech.view.axis import Axis
from particlemech.view.families import scene
from particlemech.view.scene import Arrow, Frame, Lazy, Quantity, Scene

SECONDS = 2.0  # that one swing takes on a page


class Swing(NamedTuple):
    """One motion on the grid (1)."""

    name: str
    facts: tuple[tuple[str, str], ...]  # frequency, damping, ...
    shape: tuple[tuple[str, str, str], ...]  # coordinate, how far it goes, at which phase
    phases: int  # n
    levels: tuple[float, ...]  # amplitudes or factors, increasing
    start: float  # what is shown first
    of: str  # the coordinate whose amplitude it is, such as "O.angle"; empty: the largest displacement
    unit: str
    scene: Scene  # with 1 + L n samples


def swung(of: Any) -> Scene | None:
    """Return the scene of what swings: of natural motions, or of a deflection at rest; None of what does not."""
    swings = getattr(of, "swings", ())
    if not swings:
        return None
    true = scene(getattr(of, "result", of))
    whole, static = joined([swing.scene for swing in swings]), swings[0].phases == 1
    K = len(whole.t)

    def arrows(group: str) -> dict[str, Arrow]:
        now = whole.arrows[group]
        return {
            name: arrow._replace(at=now[name].at, vector=np.repeat(arrow.vector[:1], K, axis=0))
            for name, arrow in true.arrows[group].items()
        }

    def quantities() -> dict[str, Quantity]:
        return {name: q._replace(values=np.repeat(q.values[:1], K)) for name, q in true.quantities.items()}

    return replace(
        whole,
        title=true.title,
        arrows={group: arrows(group) for group in ("load", "reaction", "effort") if static and group in true.arrows},
        axis=Axis("phase", "phase", "°", 0.0, 360.0 / SECONDS),
        swings=tuple(swings),
        _quantities=quantities if static else dict,
        _certificate=true._certificate if static else dict,
    )


def posed(of: Any) -> Scene | None:
    """Return the scene of answers that are poses, one after the other: assemblies, toggles; None of what is none."""
    every = getattr(of, "poses", ())
    if not every:
        return None
    words, results = zip(*every, strict=True)
    seen = joined([scene(result) for result in results])
    return replace(seen, axis=Axis("pose", "", "", words=tuple(words)), _quantities=partial(_listed, results))


def _listed(results: Sequence[Any]) -> dict[str, Quantity]:
    """Return the quantities that all results of one sample have, as they follow each other."""
    every = [scene(result).quantities for result in results]
    common = [name for name in every[0] if all(name in of for of in every)]
    return {
        name: every[0][name]._replace(values=np.array([float(of[name].values[0]) for of in every])) for name in common
    }


def joined(parts: Sequence[Scene]) -> Scene:
    """Return the samples of scenes of one mechanism as one scene, one after the other."""
    first = parts[0]

    def frame(name: str) -> Frame:
        every = [part.frames[name] for part in parts]
        return Frame(
            every[0].centre, np.concatenate([f.origin for f in every]), np.concatenate([f.turn for f in every])
        )

    def primitive(k: int) -> Any:
        p = first.primitives[k]
        if not isinstance(p, Curve):
            return p
        every: list[Any] = [part.primitives[k] for part in parts]
        return replace(p, points=np.concatenate([of.points for of in every]))

    def arrows(group: str) -> dict[str, Arrow]:
        every = [part.arrows[group] for part in parts]
        return {
            name: a._replace(
                at=np.concatenate([of[name].at for of in every]),
                vector=np.concatenate([of[name].vector for of in every]),
            )
            for name, a in every[0].items()
        }

    return replace(
        first,
        t=np.arange(float(sum(len(part.t) for part in parts))),
        frames={name: frame(name) for name in first.frames},
        points={name: np.concatenate([part.points[name] for part in parts]) for name in first.points},
        primitives=tuple(primitive(k) for k in range(len(first.primitives))),
        arrows=Lazy({group: partial(arrows, group) for group in first.arrows}),
        _quantities=dict,
        _certificate=dict,
        _marks=tuple,
    )


def grid(n: int) -> Array:
    """Return the phases of a swing, (n,), rad."""
    return 2.0 * np.pi * np.arange(n) / n
