"""Rest positions as results: their samples are poses in balance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.result.base import Result
from particlemech.result.plane import PlanarResult
from particlemech.result.recursive import TreeResult
from particlemech.run.phases import Moment

STABLE, NEUTRAL, UNSTABLE = "stable", "neutral", "unstable"
NOTHING = 1e-7  # of the largest stiffness: what counts as none


def kinds() -> Mapping[str, type[Result]]:
    """Return what results of rest are, by engine."""
    return {"particles": PlanarRest, "recursive": SpatialRest}


class Rest(Result):
    """One sample for each rest position that was found.

    Attributes
    ----------
    freedoms : list of tuple of str
        The coordinates by which each position can change.
    stiffness : list of array
        K of each position, (f, f).
    stability : tuple of str
        "stable", "neutral" or "unstable": by the least eigenvalue of K, coordinates in units of their sizes.
    searched : str
        How they were looked for.
    """

    freedoms: list[tuple[str, ...]]
    stiffness: list[Array]
    stability: tuple[str, ...]
    searched: str

    def told(self, charts: list[tuple[tuple[str, ...], Array, Array]], searched: str) -> Any:
        """Return itself with freedoms, their units and K of each position."""
        self.freedoms, self.searched = [names for names, *_ in charts], searched
        self.stiffness = [K for *_, K in charts]
        self.stability = tuple(stability(K * np.outer(unit, unit)) for _, unit, K in charts)
        return self

    _way: tuple[Any, Any, Any] | None = None  # the stand, the chart of the only position, and where it started

    @cached_property
    def swings(self) -> tuple[Any, ...]:
        """The way from the start to the only position, as pages show it with any factor."""
        from particlemech.analyses.vibration.swinging import deflected

        return () if self._way is None else deflected(self, *self._way)

    def sample(self, k: int = 0) -> Moment:
        """Return one of the positions, to start from or to linearise about."""
        phase = self.phases[0]
        return Moment(float(phase.t[k]), phase.y[k], phase.system)

    @property
    def efforts(self) -> dict[str, Array]:
        """What drivers and held joints must give, by name, (K,) each."""
        seen: Any = self
        return {name: seen.effort(name) for name in self.system.mechanism.drivers}

    @property
    def members(self) -> dict[str, Array]:
        """The axial forces in bodies with two points, and in distance joints, positive in tension, (K,) each."""
        return members(self)

    def __str__(self) -> str:
        """Return a table of the positions."""
        lines = [f"{len(self.t)} rest position(s); {self.searched}"]
        seen: Any = self
        for k, said in enumerate(self.stability):
            at = []
            for name, spec in self.system.mechanism.joints.items():
                for of in spec.coordinate_names:
                    at.append(f"{name}.{of} = {float(seen.coordinate(name, of)[k]):.6g}")
            lines.append(f"  {said}: {', '.join(at)}")
        return "\n".join(lines)


class PlanarRest(Rest, PlanarResult):
    """Rest positions in the plane."""


class SpatialRest(Rest, TreeResult):
    """Rest positions in space."""


def stability(K: Array) -> str:
    """Return what a stiffness (f, f) says."""
    if not len(K):
        return STABLE
    values = np.linalg.eigvals(K).real
    size = float(np.abs(K).max())
    least = float(values.min())
    return NEUTRAL if abs(least) <= NOTHING * size or size == 0.0 else UNSTABLE if least < 0.0 else STABLE


def members(seen: Any) -> dict[str, Array]:
    """Return axial forces, (K,) each: in bodies with two points the mean of those at their ends."""
    m, found, places = seen.system.mechanism, {}, seen._sight()
    for name, spec in m.joints.items():
        if hasattr(spec, "points"):  # a massless rod
            one, other = (places.place_on(*spec.seat(body, m)) for body in spec.bodies)
            u = (one - other) / np.linalg.norm(one - other, axis=1)[:, None]
            found[name] = np.sum(u * seen.reaction(name, on=spec.bodies[1]), axis=1)
    for name, body in m.bodies.items():
        if len(body.points) != 2:
            continue
        way = seen[body.points[1]] - seen[body.points[0]]
        u, ends = way / np.linalg.norm(way, axis=1)[:, None], []
        for point in body.points:
            total = np.zeros_like(way)
            for joint, spec in m.joints.items():
                at = dict(zip(spec.bodies, spec.points, strict=True)) if hasattr(spec, "points") else {name: spec.point}
                if name in spec.bodies and at[name] == point:
                    total = total + seen.reaction(joint, on=name)
            for load, force in m.forces.items():
                if getattr(force, "body", None) == name and getattr(force, "point", None) == point:
                    total = total + seen.force(load)
            ends.append(np.sum(total * u, axis=1))
        found[name] = 0.5 * (ends[1] - ends[0])
    return found
