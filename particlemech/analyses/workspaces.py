"""Where a point can be while drivers range: a map over one or two of them, its limits, and its singular poses.

Poses are followed from the start along the lines of a grid of driver values, run/curve.py, so all are on one assembly.

    second kind     a driver turns back, joint and driver rows together lose rank: where the map ends              (1)
    first kind      det J = 0, the point cannot move some way: inner and outer limits of what it reaches           (2)

(1) is where lines of the grid fold; (2) is found on these lines by the method of false position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.jacobians import driven
from particlemech.analyses.kinematics.curves import Curve as Line
from particlemech.analyses.kinematics.cycle import marched
from particlemech.analyses.kinematics.driving import bare, drive, led_by, stiff, world
from particlemech.analyses.kinematics.masses import placed
from particlemech.analyses.poses.posing import Posing, ask
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.spec import shown
from particlemech.run.curve import S
from particlemech.run.trajectory import Status

SAMPLES = 31  # values of each driver
MOST = 2  # drivers that range
NONE = 1e-9  # of the largest determinant: less is none
FINE = 1e-12  # of a step of the grid: how near (2) is found
ROUNDS = 60  # of the search for it
RANK = 1e-9  # of the largest singular value: smaller ones are none


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
    mechanism = stiff(mechanism, "workspace")
    posing, asked = driven(mechanism, drivers, [point])
    if not all(c.name.startswith(f"{point}.") for c in asked) or point not in posing.of.mechanism.points:
        raise ModelError(f"workspace: of a point of the model, got {shown(point)}")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise ModelError(f"workspace: samples must be a whole number of at least 2, got {shown(samples)}")
    which, axes = _ranging(posing, ranges, samples)
    return _Map(_Lines(mechanism, posing), point, which, axes).filled(progress)


def _ranging(
    posing: Posing, ranges: Mapping[str, Sequence[float]] | None, samples: int
) -> tuple[list[int], list[Array]]:
    """Return which drivers range, and their values."""
    names = [c.name for c in posing.quantities]
    joints = posing.of.mechanism.joints
    now = posing.values(posing.q)
    given: dict[str, Any] = {}
    for said, both in (ranges or {}).items():
        found = ask(posing.of, [said], joints=True)[0]
        one = next(
            (c.name for c in posing.quantities if c.name == found.name or (c.joint and c.joint == found.joint)), ""
        )
        if not one:
            raise ModelError(f'ranges: "{said}" is none of the drivers {", ".join(names)}')
        given[one] = both
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


class _At(NamedTuple):
    """A pose, and what its drivers are at."""

    values: Array  # (drivers,)
    q: Array
    x: Array


class _Lines:
    """A mechanism all of whose poses are told by drivers, one of which leads while the others rest."""

    def __init__(self, mechanism: Any, posing: Posing) -> None:
        self.mechanism, self.names = mechanism, [c.name for c in posing.quantities]
        m = placed(bare(mechanism))
        union, drives = m, []
        for name in self.names:
            drives.append(drive(union, name, "workspace"))
            union = drives[-1].mechanism
        self._ground = world(m).Ground.of(m, union)
        self._all = union.replaced(drivers=dict.fromkeys(set(union.drivers) - {of.name for of in drives}))
        self._shift = [self._ground.offset(union, *c.joint) if c.joint else 0.0 for c in posing.quantities]
        self._own, self._kept = [of.name for of in drives], dict[tuple[Any, ...], Line]()
        self._unit = [1.0 if of.turns else posing.length for of in drives]
        values = posing.values(posing.q)
        still = led_by(self._all, dict(zip(self._own, values + self._shift, strict=True)))
        self.start = _At(values, *self._ground.seat(self._ground.led(still)))

    def line(self, k: int, at: _At) -> Line:
        """Return the curve of driver k through a pose."""
        others = tuple(np.delete(at.values, k).tolist())
        if (k, others) not in self._kept:
            motions = dict(zip(self._own, at.values + self._shift, strict=True))
            moving = led_by(self._all, motions, self._own[k], self._shift[k])
            seat = at.q.copy(), at.x.copy()
            self._kept[k, others] = Line(self._ground, moving, seat, float(at.values[k]), self._unit[k], "workspace")
        return self._kept[k, others]

    def along(self, k: int, at: _At, wanted: Array) -> tuple[list[_At], _At | None]:
        """Return the poses at values of driver k, in order, as far as it goes; and that in which it turns back."""
        line = self.line(k, at)
        line.s = float(at.values[k])
        place, status = marched(line, wanted, np.sign(wanted[-1] - at.values[k]), True, (at.q, at.x))
        w, n_q, n = place.w, line.system.n_q, line.system.n_v
        end, values = float(w.now[S]), np.repeat(at.values[None], len(wanted) + 1, axis=0)
        done = (
            int(np.sum((wanted - end) * np.sign(wanted[-1] - at.values[k]) <= 0.0))
            if status is not Status.COMPLETED
            else len(wanted)
        )
        values[:-1, k], values[-1, k] = wanted, end
        found = [_At(values[i], w.found[i, :n_q].copy(), w.found[i, n_q + n :].copy()) for i in range(done)]
        return found, _At(values[-1], w.q.copy(), place.extra()) if done < len(wanted) else None

    def seen(self, every: Sequence[_At], point: str, which: Sequence[int]) -> tuple[Array, Array]:
        """Return where a point is in all poses, (K, dim), and its rates by those of some drivers, (K, dim, n)."""
        system = self.line(which[0], every[0]).system
        G, still = np.zeros((len(every), system.n_row, system.n_v)), np.zeros(system.n_v)
        right = np.zeros((len(every), system.n_row, len(which)))
        for i, at in enumerate(every):
            for j, k in enumerate(which):
                levels = self.line(k, at).system.levels(float(at.values[k]), at.q, still)
                right[i, :, j] = -levels.phi_t
            G[i] = levels.phi_q * system.size_v
        v = system.size_v[:, None] * _solved(G, right)  # (K, n_v, n)
        q, x = (np.repeat(np.array([getattr(at, of) for at in every]), len(which), axis=0) for of in "qx")
        seen = self._ground.seen(system, 0.0, q, v.swapaxes(1, 2).reshape(len(q), -1), x)
        rates = seen.velocity(point).reshape(len(every), len(which), -1)
        return seen[point][:: len(which)], rates.swapaxes(1, 2)


def _solved(G: Array, right: Array) -> Array:
    """Return solutions of G v = right, (K, n, m), of least norm where rows are redundant."""
    if G.shape[1] == G.shape[2]:
        try:
            return np.asarray(np.linalg.solve(G, right), dtype=float)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.pinv(G, rcond=RANK) @ right, dtype=float)


Node = tuple[int, ...]


class _Map:
    """A grid that is being filled from the start outwards."""

    def __init__(self, lines: _Lines, point: str, which: list[int], axes: list[Array]) -> None:
        self.lines, self.point, self.which, self.axes = lines, point, which, axes
        self.at: dict[Node, _At] = {}
        self.ends: dict[tuple[Node, int, int], _At] = {}  # by the last node before, the line and the way along it

    def _node(self, node: Node) -> Array:
        return np.array([axis[k] for axis, k in zip(self.axes, node, strict=True)])

    def filled(self, progress: Callable[[float], None] | None) -> WorkspaceMap:
        """Return the map."""
        begun = self._begin()
        waiting, total = [begun], int(np.prod([len(axis) for axis in self.axes]))
        while waiting:
            node = waiting.pop()
            for axis, step in product(range(len(node)), (-1, 1)):
                waiting += self._followed(node, axis, step)
            if progress is not None:
                progress(len(self.at) / total)
        return self._map()

    def _begin(self) -> Node:
        """Go to the node next to the start, one driver after the other."""
        at = self.lines.start
        node = tuple(int(np.argmin(np.abs(a - at.values[k]))) for a, k in zip(self.axes, self.which, strict=True))
        for k, value in zip(self.which, self._node(node), strict=True):
            if abs(value - at.values[k]) <= FINE:
                continue
            found, end = self.lines.along(k, at, np.array([value]))
            if end is not None:
                names = ", ".join(self.lines.names[k] for k in self.which)
                raise ModelError(f"workspace: the ranges of {names} are out of reach from the start; begin nearer")
            at = found[0]
        self.at[node] = at
        return node

    def _followed(self, node: Node, axis: int, step: int) -> list[Node]:
        """Go from a node along a line of the grid to where that ends or is known; return the nodes that are new."""
        stop = len(self.axes[axis]) if step > 0 else -1
        ahead = [(*node[:axis], k, *node[axis + 1 :]) for k in range(node[axis] + step, stop, step)]
        known = next((i for i, other in enumerate(ahead) if other in self.at), len(ahead))
        if not known or (node, axis, step) in self.ends:
            return []
        wanted = np.array([self.axes[axis][other[axis]] for other in ahead[:known]])
        found, end = self.lines.along(self.which[axis], self.at[node], wanted)
        if end is not None:
            self.ends[([node, *ahead][len(found)], axis, step)] = end
        self.at.update(zip(ahead, found, strict=False))
        return ahead[: len(found)]

    def _map(self) -> WorkspaceMap:
        nodes, lines = list(self.at), self.lines
        place, J = lines.seen([*self.at.values(), *self.ends.values()], self.point, self.which)
        shape, n = tuple(len(axis) for axis in self.axes), len(nodes)
        places, swept = np.full((*shape, place.shape[1]), np.nan), np.full(shape, np.nan)
        for node, of, sizes in zip(nodes, place, np.linalg.svd(J[:n], compute_uv=False), strict=False):
            places[node], swept[node] = of, float(np.prod(sizes))
        ends = Curve(np.array([at.values[self.which] for at in self.ends.values()]).reshape(-1, len(shape)), place[n:])
        first_kind = self._singular(nodes, place, J[:n])
        drivers = tuple(lines.names[k] for k in self.which)
        return WorkspaceMap(lines.mechanism, self.point, drivers, tuple(self.axes), places, swept, ends, first_kind)

    def _singular(self, nodes: list[Node], place: Array, J: Array) -> Curve:
        """Return (2) on all lines of the grid between nodes where the determinant changes its sign."""
        if J.shape[1] != J.shape[2]:
            return Curve(np.zeros((0, len(self.which))), np.zeros((0, J.shape[1])))
        det = dict(zip(nodes, np.linalg.det(J).tolist(), strict=True))
        size = NONE * max(map(abs, det.values()))
        on = [(self._node(node), place[i]) for i, node in enumerate(nodes) if abs(det[node]) <= size]
        between = []
        for node, axis in product(nodes, range(len(self.which))):
            other = (*node[:axis], node[axis] + 1, *node[axis + 1 :])
            if other in det and min(abs(det[node]), abs(det[other])) > size and det[node] * det[other] < 0.0:
                between.append((node, axis, other))
        on += self._crossed(between)
        return Curve(
            np.array([values for values, _ in on]).reshape(-1, len(self.which)),
            np.array([at for _, at in on]).reshape(-1, J.shape[1]),
        )

    def _crossed(self, between: list[tuple[Node, int, Node]]) -> list[tuple[Array, Array]]:
        """Return values of the drivers and places of the point where the determinant is zero, by false position."""
        lines, found = self.lines, list[tuple[Array, Array]]()

        def at(which: list[int], s: Array) -> tuple[list[_At], Array, Array]:
            every = []
            for i, part in zip(which, s.tolist(), strict=True):
                node, axis, other = between[i]
                k, here = self.which[axis], self.at[node]
                value = here.values[k] + part * (self._node(other)[axis] - self._node(node)[axis])
                poses, end = lines.along(k, here, np.array([value])) if part else ([here], None)
                every += poses or [end or here]
            place, J = lines.seen(every, self.point, self.which)
            return every, place, np.linalg.det(J)

        if not between:
            return found
        every = list(range(len(between)))
        low, high = np.zeros(len(every)), np.ones(len(every))
        f_low, f_high = (at(every, ends)[2] for ends in (low, high))
        # where a node was come to round an end of the drivers, it is on another assembly
        left = [i for i in every if f_low[i] * f_high[i] < 0.0]
        for _ in range(ROUNDS):
            if not left:
                break
            s = (low * f_high - high * f_low)[left] / (f_high - f_low)[left]
            poses, place, f = at(left, s)
            going = []
            for i, part, pose, of, value in zip(left, s, poses, place, f, strict=True):
                if abs(part - high[i]) <= FINE or value == 0.0:
                    found.append((pose.values[self.which], of))
                    continue
                going.append(i)
                m = 1.0  # Pegasus: the end that stays counts less
                if value * f_high[i] < 0.0:
                    low[i], f_low[i], high[i], f_high[i] = high[i], f_high[i], part, value
                else:
                    m = f_high[i] / (f_high[i] + value)
                    f_low[i] *= m
                    high[i], f_high[i] = part, value
            left = going
        return found
