"""Rest positions as results: their samples are poses in balance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.analyses.vibration.balance import Balance
from particlemech.analyses.vibration.chart import Chart
from particlemech.analyses.vibration.owned import eigenvalues
from particlemech.engine.system import Array
from particlemech.model.columns import unit
from particlemech.result.base import Result
from particlemech.result.plane import PlanarResult
from particlemech.result.recursive import TreeResult
from particlemech.run.phases import Moment

STABLE, NEUTRAL, UNSTABLE, UNDECIDED = "stable", "neutral", "unstable", "undecided"
ZERO = 1e-10  # of the largest eigenvalue: one that is zero
GROWS = 1e-7  # of its size: the real part of an eigenvalue that is more than rounding
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
        "stable", "neutral" or "unstable", while those hold who press: by the least eigenvalue of K, coordinates in
        units of their sizes; where motors and controllers own states, by the eigenvalues of its small motions.
    presses, grazes : tuple of tuple of str
        The stops, contacts and cams that press in each, whose forces are `force(name)`; and those that touch without
        any. Stability is "undecided" where what grazes would decide it.
    own : tuple of bool
        Whether each was come to on the assembly that the search began on, or but from others.
    searched : str
        How they were looked for.
    """

    freedoms: list[tuple[str, ...]]
    stiffness: list[Array]
    stability: tuple[str, ...]
    own: tuple[bool, ...]
    presses: tuple[tuple[str, ...], ...]
    grazes: tuple[tuple[str, ...], ...]
    searched: str

    def told(self, balance: Balance, charts: list[Chart], own: tuple[bool, ...], searched: str) -> Any:
        """Return itself with what charts at home in its positions say."""
        self.freedoms, self.own, self.searched = [of.names for of in charts], own, searched
        self.presses = tuple(balance.pressing(of) for of in charts)
        self.grazes = tuple(balance.grazing(of) for of in charts)
        self.stiffness = [of.stiffness() for of in charts]
        found = []
        for of, K, grazes in zip(charts, self.stiffness, self.grazes, strict=True):
            said = judged(of, K)
            if grazes and said == UNSTABLE:
                held = balance.holding(of)
                said = UNSTABLE if judged(held, held.stiffness()) == UNSTABLE else UNDECIDED
            found.append(said)
        self.stability = tuple(found)
        return self

    _way: tuple[Any, Any, Any] | None = None  # the stand, the chart of the only position, and where it started

    @cached_property
    def swings(self) -> tuple[Any, ...]:
        """The way from the start to the only position, as pages show it with any factor."""
        from particlemech.analyses.vibration.swinging import deflected

        return () if self._way is None else deflected(self, *self._way)

    def sample(self, k: int = 0) -> Moment:
        """Return one of the positions, to start from or to linearise about."""
        every = [(phase, j) for phase in self.phases for j in range(len(phase.t))]
        phase, j = every[k]
        return Moment(float(phase.t[j]), phase.y[j], phase.system)

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
            at += [f"{name} {self._pushes(name, k)}" for name in self.presses[k]]
            at += [f"{name} touches without force" for name in self.grazes[k]]
            lines.append(f"  {said}{'' if self.own[k] else ', on another assembly'}: {', '.join(at)}")
        return "\n".join(lines)

    def _pushes(self, name: str, k: int) -> str:
        """Return with what a stop, contact or cam presses, in words."""
        seen: Any = self
        m = self.system.mechanism
        force = abs(float(seen.force(name)[k]))
        if np.isnan(force):
            return "presses, with what is not determined"
        return (
            f"presses with {force:.6g} {unit(m, m.joints[name].measure(next(iter(m.joints[name].quantities(m))), m))}"
        )


class PlanarRest(Rest, PlanarResult):
    """Rest positions in the plane."""


class SpatialRest(Rest, TreeResult):
    """Rest positions in space."""


def judged(of: Chart, K: Array) -> str:
    """Return the stability of rest at the home of a chart by its stiffness."""
    return governed(of, K) if of.owned.names else stability(K * np.outer(of.unit, of.unit), held_by(of))


def held_by(chart: Chart) -> float:
    """Return the largest force that acts at home: a stiffness that is nothing beside it, in like units, is none."""
    return chart.largest(chart.motion(chart.home))


def stability(K: Array, acting: float) -> str:
    """Return what a stiffness (f, f) in units of the coordinates says, beside the largest force that acts."""
    if not len(K):
        return STABLE
    size = max(float(np.abs(K).max()), acting)
    least = float(np.linalg.eigvals(K).real.min())
    return NEUTRAL if abs(least) <= NOTHING * size else UNSTABLE if least < 0.0 else STABLE


def governed(of: Chart, K: Array) -> str:
    """Return the stability of rest with motors and controllers that own states, by its eigenvalues."""
    lam = eigenvalues(of, of.mass(), of.damping(np.zeros(of.f)), K)
    if not len(lam):
        return STABLE
    largest = np.abs(lam).max()
    if np.any((lam.real > GROWS * np.abs(lam)) & (lam.real > ZERO * largest)):
        return UNSTABLE
    return NEUTRAL if np.abs(lam).min() <= ZERO * largest else STABLE


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
