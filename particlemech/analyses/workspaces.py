"""Where a point can be while drivers range: a map over one or two of them, its limits, and its singular poses.

Poses are followed from the start to the neighbours of each on a grid of driver values, so all are on one assembly.

    second kind     a driver comes to its limit, joint and driver rows together lose rank: where the map ends      (1)
    first kind      det J = 0, the point cannot move some way: inner and outer limits of what it reaches           (2)

(1) is approached to 2^-12 of a step of the grid from inside; (2) is found on the lines of the grid by Brent's method.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import brentq

from particlemech._threads import one_thread
from particlemech.analyses.jacobians import at, driven
from particlemech.analyses.poses.posing import Posing, Unreached, ask, read
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import shown

SAMPLES = 31  # values of each driver
MOST = 2  # drivers that range
NONE = 1e-9  # of the largest determinant: less is none
FINE = 1e-12  # of a step of the grid: how near (2) is found


@dataclass(frozen=True, eq=False)
class WorkspaceMap:
    """A map of a point over the values of one or two drivers.

    Attributes
    ----------
    point : str
    drivers : tuple of str
        Those that range.
    values : tuple of array
        The values of each on the grid, rad or the length of the model, since the drawing, (n1,), (n2,).
    place : array, shape (n1, dim) or (n1, n2, dim)
        Where the point is; NaN where the mechanism does not go on this assembly.
    manipulability : array, shape (n1,) or (n1, n2)
        sqrt(det J^T J) of the drivers that range: what area, or length, unit rates of them sweep per s^2, or s.
    ends, first_kind : Curve
        Singular poses of the second and the first kind: where drivers come to their limits, and where the point does.
    """

    mechanism: Any
    point: str
    drivers: tuple[str, ...]
    values: tuple[Array, ...]
    place: Array
    manipulability: Array
    ends: Curve
    first_kind: Curve

    @property
    def reached(self) -> Any:
        """Which values of the drivers can be had, as `manipulability`."""
        return np.isfinite(self.manipulability)

    def __str__(self) -> str:
        """Return what it comes to in three lines."""
        inside, unit = self.place[self.reached], self.mechanism.unit.length
        axes = "xyz"[: inside.shape[1]]
        ways = (f"{self.point}.{a} {c.min():.6g} to {c.max():.6g} {unit}" for a, c in zip(axes, inside.T, strict=True))
        grid = " x ".join(str(len(v)) for v in self.values)
        return "\n".join(
            [
                f"{', '.join(self.drivers)}: {int(self.reached.sum())} of {grid} poses on this assembly",
                ", ".join(ways),
                f"singular: {len(self.ends.place)} ends of drivers, {len(self.first_kind.place)} limits of the point",
            ]
        )


@dataclass(eq=False)
class Curve:
    """Points of a singular curve: `values` of the drivers, (n, drivers), and the `place` of the point, (n, dim)."""

    values: Any = field(default_factory=list)
    place: Any = field(default_factory=list)

    def add(self, values: Array, place: Array) -> None:
        """Add a point."""
        self.values.append(values)
        self.place.append(place)

    def closed(self, n: int, dim: int) -> Curve:
        """Return it as arrays."""
        return Curve(np.array(self.values).reshape(-1, n), np.array(self.place).reshape(-1, dim))


@one_thread
def workspace(
    mechanism: Any,
    point: str,
    drivers: Sequence[str] | None = None,
    ranges: Mapping[str, Sequence[float]] | None = None,
    samples: int = SAMPLES,
    progress: Callable[[float], None] | None = None,
) -> WorkspaceMap:
    """Return a map of where a point can be; see `particlemech.workspace`."""
    posing = driven(mechanism, drivers)
    asked = ask(posing.of, [point], joints=False)
    if not all(c.name.startswith(f"{point}.") for c in asked) or point not in posing.of.mechanism.points:
        raise ModelError(f"workspace: of a point of the model, got {shown(point)}")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise ModelError(f"workspace: samples must be a whole number of at least 2, got {shown(samples)}")
    which, axes = _ranging(posing, ranges, samples)
    return _Map(posing, asked, which, axes, mechanism, point).filled(progress)


def _ranging(
    posing: Posing, ranges: Mapping[str, Sequence[float]] | None, samples: int
) -> tuple[list[int], list[Array]]:
    """Return which drivers range, and their values."""
    names = [c.name for c in posing.quantities]
    joints = posing.of.mechanism.joints
    now = posing.values(posing.q)
    given: dict[str, Any] = dict(ranges or {})
    for name in list(given):
        found = ask(posing.of, [name], joints=True)[0].name
        if found not in names:
            raise ModelError(f'ranges: "{name}" is none of the drivers {", ".join(names)}')
        given[found] = given.pop(name)
    chosen = [k for k, name in enumerate(names) if name in given] or list(range(len(names)))
    if len(chosen) > MOST:
        raise ModelError(
            f"workspace: {len(chosen)} drivers would range, and a map has {MOST}; give the ranges of {MOST} of "
            f"{', '.join(names)}, the others rest"
        )
    values = []
    for k in chosen:
        c = posing.quantities[k]
        bounds = getattr(joints[c.joint[0]], "bounds", {}).get(c.joint[1]) if c.joint else None
        wide = np.pi if c.turn else posing.length
        first, last = given.get(c.name, bounds or (now[k] - wide, now[k] + wide))
        try:
            low, high = float(first), float(last)
        except (TypeError, ValueError):
            raise ModelError(f'ranges: "{c.name}" needs two numbers, got {shown(given.get(c.name))}') from None
        if not low < high:
            raise ModelError(f'ranges: "{c.name}" needs two increasing numbers, got {low:g} and {high:g}')
        values.append(np.linspace(low, high, samples))
    return chosen, values


class _Map:
    """A grid that is being filled from the start outwards."""

    def __init__(
        self, posing: Posing, asked: list[Any], which: list[int], axes: list[Array], mechanism: Any, point: str
    ) -> None:
        self.posing, self.asked, self.which, self.axes = posing, asked, which, axes
        self.mechanism, self.point = mechanism, point
        self.rest = posing.values(posing.q)
        shape = tuple(len(axis) for axis in axes)
        self.q: dict[tuple[int, ...], Array] = {}
        self.place = np.full((*shape, len(asked)), np.nan)
        self.swept, self.det = np.full(shape, np.nan), np.full(shape, np.nan)
        self.ends, self.first_kind = Curve(), Curve()

    def wanted(self, values: Array) -> Array:
        """Return the values of all drivers."""
        every = self.rest.copy()
        every[self.which] = values
        return every

    def _values(self, node: tuple[int, ...]) -> Array:
        return np.array([axis[k] for axis, k in zip(self.axes, node, strict=True)])

    def _seen(self) -> tuple[Array, Array]:
        """Return where the point is in the present pose, and J of the drivers that range."""
        still = np.zeros((1, self.posing.of.system.n_v))
        place = read(self.posing.of.seen(np.zeros(1), self.posing.q[None], still, still), self.asked, 0)[0]
        return place, at(self.posing, self.asked).matrix[:, self.which]

    def _visit(self, node: tuple[int, ...]) -> None:
        """Keep the present pose as that of a node."""
        place, J = self._seen()
        self.q[node], self.place[node] = self.posing.q, place
        self.swept[node] = float(np.prod(np.linalg.svd(J, compute_uv=False)))
        if J.shape[0] == J.shape[1]:
            self.det[node] = np.linalg.det(J)

    def filled(self, progress: Callable[[float], None] | None) -> WorkspaceMap:
        """Return the map."""
        begun = tuple(int(np.argmin(np.abs(a - self.rest[k]))) for a, k in zip(self.axes, self.which, strict=True))
        try:
            self.posing.at(self.wanted(self._values(begun)))
        except Unreached:
            names = ", ".join(self.posing.quantities[k].name for k in self.which)
            raise ModelError(
                f"workspace: the ranges of {names} are out of reach from the start; begin nearer"
            ) from None
        self._visit(begun)
        waiting, total = deque([begun]), self.swept.size
        while waiting:
            node = waiting.popleft()
            for other in self._beside(node):
                if other not in self.q and self._followed(node, other):
                    self._visit(other)
                    waiting.append(other)
            if progress is not None:
                progress(len(self.q) / total)
        self._singular()
        n, dim = len(self.which), len(self.asked)
        drivers = tuple(self.posing.quantities[k].name for k in self.which)
        curves = self.ends.closed(n, dim), self.first_kind.closed(n, dim)
        return WorkspaceMap(self.mechanism, self.point, drivers, tuple(self.axes), self.place, self.swept, *curves)

    def _beside(self, node: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the neighbours of a node."""
        found = []
        for axis, step in product(range(len(node)), (-1, 1)):
            k = node[axis] + step
            if 0 <= k < len(self.axes[axis]):
                found.append((*node[:axis], k, *node[axis + 1 :]))
        return found

    def _followed(self, node: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Go from a node to a neighbour; where that ends before, keep (1) and return False."""
        self.posing.start_from(self.q[node])
        try:
            self.posing.at(self.wanted(self._values(other)))
        except Unreached as error:
            if error.part > 0.0:
                self.posing.at(error.values)
            self.ends.add(self.posing.values(self.posing.q)[self.which], self._seen()[0])
            return False
        return True

    def _singular(self) -> None:
        """Find (2) on all lines of the grid between nodes where the determinant changes its sign."""
        size = float(np.max([abs(self.det[node]) for node in self.q]))
        for node, q in self.q.items():
            if abs(self.det[node]) <= NONE * size:
                self.first_kind.add(self._values(node), self.place[node])
                continue
            for other in self._beside(node):
                if (
                    abs(self.det[other]) > NONE * size
                    and other > node
                    and other in self.q
                    and self.det[node] * self.det[other] < 0.0
                ):
                    self.posing.start_from(q)
                    self._crossed(self._values(node), self._values(other))

    def _crossed(self, one: Array, other: Array) -> None:
        """Keep the pose between two values of the drivers where the determinant is zero."""

        def determinant(s: float) -> float:
            self.posing.at(self.wanted(one + s * (other - one)))
            return float(np.linalg.det(self._seen()[1]))

        try:
            if determinant(0.0) * determinant(1.0) >= 0.0:
                return  # the other was come to round an end of the drivers, and is on another assembly
            s = brentq(determinant, 0.0, 1.0, xtol=FINE)
            determinant(s)
        except Unreached:
            return
        self.first_kind.add(one + s * (other - one), self._seen()[0])
