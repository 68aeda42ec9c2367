"""Where a mechanism locks, where its branches cross, where its outputs stand still, and how far its joints go.

The driver is released and the whole curve of poses followed, to where it closes, or both ways to its ends. Along it

    toggle          the driver is at an extreme: joints keep their rank, joints and driver lose one      tau_s = 0
    change point    the joints alone lose rank, and branches cross
    dead point      a coordinate of a joint is at an extreme, and neither of the two
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.kinematics.cycle import Followed, Led, led, made
from particlemech.analyses.kinematics.driving import bare, coordinates, stiff, world
from particlemech.analyses.kinematics.grashof import Grashof
from particlemech.analyses.text_table import table
from particlemech.engine.system import Array
from particlemech.model.description import Description
from particlemech.result.base import Result
from particlemech.run.curve import FOLD, FORK, LAST, PAUSED, POINT, S
from particlemech.run.trajectory import Status

STEPS = 5000  # after which a curve that does not close is left
FARTHEST = 50.0  # of the mechanism's length: what slides farther does not come back
CLOSES = 1.2  # two ways to the start, beside the step that passes it
ROUNDING = 1e-12  # rad or length
STILL = 1e-7  # beside the largest rate: a coordinate, or a driver, that does not move


class Toggle(NamedTuple):
    """Where the driver turns back."""

    value: float  # of the driver, rad or length since the drawing
    pose: Result  # one sample, at rest


class ChangePoint(NamedTuple):
    """Where branches cross."""

    value: float  # of the driver
    pose: Result
    branches: tuple[Mapping[str, float], ...]  # rates of all coordinates of joints along each, the largest 1


class DeadPoint(NamedTuple):
    """Where a coordinate of a joint is at an extreme while the driver goes on."""

    joint: str  # or "joint.coordinate"
    at: float  # the coordinate
    value: float  # of the driver
    pose: Result


class Toggles(NamedTuple):
    """What the curve of a driver shows; printed it is a table."""

    driver: str
    toggles: tuple[Toggle, ...]  # in the order in which they come
    change_points: tuple[ChangePoint, ...]
    dead_points: tuple[DeadPoint, ...]
    limits: Mapping[str, tuple[float, float] | None]  # of coordinates of joints; None: it goes round
    closed: bool  # whether the curve comes back to where it began
    grashof: Grashof | None  # of a four-bar in the plane

    @property
    def poses(self) -> tuple[tuple[str, Result], ...]:
        """Every pose with what it is, in the order of the driver, as pages and pictures show them."""
        every: list[tuple[str, Any]] = [("toggle", one) for one in self.toggles] + [
            ("change point", one) for one in self.change_points
        ]
        every += [(f"dead point of {one.joint}", one) for one in self.dead_points]
        every.sort(key=lambda of: of[1].value)
        said = [f"{0.0 if abs(one.value) < ROUNDING else one.value:.6g}" for _, one in every]
        return tuple((f"{what}, {self.driver} at {at}", one.pose) for (what, one), at in zip(every, said, strict=True))

    def __str__(self) -> str:
        """Return a table."""
        rows = [("driver", self.driver)]
        if self.grashof is not None:
            rows.append(("four-bar", str(self.grashof)))
        rows += [("toggle", f"{self.driver} at {_clean(one.value)}") for one in self.toggles]
        rows += [("change point", f"{self.driver} at {_clean(one.value)}") for one in self.change_points]
        rows += [
            (f"dead point of {one.joint}", f"{_clean(one.at)}, {self.driver} at {_clean(one.value)}")
            for one in self.dead_points
        ]
        for name, of in self.limits.items():
            rows.append((f"range of {name}", "goes round" if of is None else f"{_clean(of[0])} to {_clean(of[1])}"))
        rows.append(("curve", "closes" if self.closed else "does not close"))
        return "\n".join(table("", ("what", "where"), rows)).lstrip("\n")


@one_thread
def toggles(mechanism: Description, driver: str | None = None) -> Toggles:
    """Return toggles, change points, dead points and limits of a driven mechanism; see interface.py."""
    m = bare(stiff(mechanism, "toggles"))
    way = _Way(led(m, driver, None, "toggles"))
    closed = way.go(1.0)
    if not closed:
        way.go(-1.0)
    found = tuple(way.toggles), tuple(way.forks), tuple(way.dead)
    own: Grashof | None = world(m).grashof(m)
    return Toggles(way.led.of.name, *found, way.limits(closed), closed, own)


class _Way:
    """The curve as it is followed."""

    def __init__(self, of: Led) -> None:
        self.led, self.curve, self.names = of, of.curve, coordinates(of.of.mechanism)
        spec = of.of.mechanism.drivers[of.of.name]
        driven = of.curve.mechanism.known_coordinate(spec.joint, spec.coordinate) if _on_joint(spec) else None
        self.own = [n for n in self.names if driven and n in (spec.joint, f"{spec.joint}.{driven}")]
        self.toggles: list[Toggle] = []
        self.forks: list[ChangePoint] = []
        self.dead: list[DeadPoint] = []
        self.values: list[Array] = []  # of all coordinates, point by point
        self.turned = np.zeros(len(self.names))

    # -- points ----------------------------------------------------------------------------------------------------

    def _seen(self, s: float, q: Array, x: Array, tau: Array) -> tuple[Array, Array]:
        """Return all coordinates of joints and their rates along the curve, (n,) each."""
        v = tau[:-1] * self.curve.system.size_v
        seen = self.led.ground.seen(self.curve.system, s, q[None], v[None], x[None])
        ends = [(name.partition(".")[0], name.partition(".")[2] or None) for name in self.names]
        return tuple(np.array([float(of(*end)[0]) for end in ends]) for of in (seen.coordinate, seen.rate))  # type: ignore[return-value]

    def pose(self, s: float, q: Array, x: Array) -> Any:
        """Return a pose as a result of one sample, the driver at rest."""
        found = Followed(q[None], np.zeros((1, self.curve.system.n_v)), x[None], Status.COMPLETED, s, {})
        moving = self.led.of.moving(s, 0.0, self.led.shift)
        return made(self.led.ground, self.curve, moving, np.zeros(1), found, 0.0, "")

    # -- along it --------------------------------------------------------------------------------------------------

    def go(self, ahead: float) -> bool:
        """Follow the curve one way; return whether it closes."""
        curve = self.curve
        place = curve.begun(np.zeros(0), ahead)
        w, mark = place.w, curve.ground.mark
        first = before = mark(curve.system, w.q, curve.spins)
        value, rate = self._seen(w.now[S], w.q, place.extra(), w.tau)
        start, own = value, [value]
        if abs(w.tau[-1]) < STILL and ahead > 0.0:  # it stands at one
            self.toggles.append(Toggle(float(w.now[S]), self.pose(float(w.now[S]), w.q.copy(), place.extra())))
        for k in range(STEPS):
            ended, _ = curve.march(place, most=1)
            if ended not in (PAUSED, FOLD, FORK):
                break
            now = mark(curve.system, w.q, curve.spins)
            step = float(np.linalg.norm(now - before))
            to_first = float(np.linalg.norm(now - first)), float(np.linalg.norm(before - first))
            if k > 2 and sum(to_first) <= CLOSES * step:
                self.turned = self._seen(w.now[S], w.q, place.extra(), w.tau)[0] - start
                self.values += own
                return True
            at = curve.beside(place) if ended == FORK else None
            if at is not None:
                self._fork(place, at)
                curve.passed(place, at, 0)
                now = mark(curve.system, w.q, curve.spins)
            elif ended == FOLD:
                self.toggles.append(Toggle(float(w.now[S]), self.pose(float(w.now[S]), w.q.copy(), place.extra())))
            after, later = self._seen(w.now[S], w.q, place.extra(), w.tau)
            if at is None:
                own += self._dead_points(place, rate, later)
            own.append(after)
            before, rate = now, later
            if float(np.max(np.abs(now))) > FARTHEST:
                break
        self.values += own
        return False

    def _dead_points(self, place: Any, rate: Array, later: Array) -> list[Array]:
        """Note where coordinates are at an extreme within the last step; return all coordinates there."""
        found, w = [], place.w
        least = STILL * max(float(np.abs(rate).max(initial=0.0)), float(np.abs(later).max(initial=0.0)))
        for j, name in enumerate(self.names):
            if rate[j] * later[j] >= 0.0 or name in self.own or max(abs(rate[j]), abs(later[j])) <= least:
                continue
            a, b, fa, fb = 0.0, float(w.now[LAST]), rate[j], later[j]
            for _ in range(60):
                h = b - fb * (b - a) / (fb - fa)
                s = place.do(POINT, h)
                value, slope = self._seen(s, w.trial, place.extra(), w.null)
                f = slope[j]
                if abs(f) <= 1e-15 * abs(fb - fa) or abs(b - a) <= 1e-15:
                    break
                if (f > 0.0) == (fb > 0.0):
                    m = 1.0 - f / fb
                    fa *= m if m > 0.0 else 0.5
                else:
                    a, fa = b, fb
                b, fb = h, f
            if abs(w.null[-1]) > 1e-6:  # at a toggle of the driver it is none of an output
                found.append(value)
                pose = self.pose(float(s), w.trial.copy(), place.extra())
                self.dead.append(DeadPoint(name, float(value[j]), float(s), pose))
        return found

    def _fork(self, place: Any, at: Any) -> None:
        """Note a change point."""
        of, x = self.curve.fork(place, at), place.extra()
        branches = []
        for tangent in (of.tangent, *of.others):
            rates = self._seen(of.s, of.q, x, tangent)[1]
            most = rates[np.argmax(np.abs(rates))]
            branches.append(dict(zip(self.names, (rates / most).tolist(), strict=True)))
        self.forks.append(ChangePoint(of.s, self.pose(of.s, of.q, x), tuple(branches)))

    def limits(self, closed: bool) -> dict[str, tuple[float, float] | None]:
        """Return how far coordinates go."""
        every, found = np.array(self.values), dict[str, tuple[float, float] | None]()
        for j, name in enumerate(self.names):
            round_ = closed and abs(self.turned[j]) > 1.0
            if name in self.own and self.toggles:
                ends = [one.value for one in self.toggles]
                found[name] = min(ends), max(ends)
            else:
                found[name] = None if round_ else (float(every[:, j].min()), float(every[:, j].max()))
        return found


def _clean(value: float) -> str:
    """Return a value in words, rounding as zero."""
    return f"{0.0 if abs(value) < ROUNDING else value:.10g}"


def _on_joint(spec: Any) -> bool:
    return getattr(spec, "joint", None) is not None
