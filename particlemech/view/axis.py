"""What the samples of a result are shown against: time, a driver that was led over its range, or one after the other.

    value(t) = first + rate t,   or ten to the power of that                                                        (1)

Renderers keep the t of the samples, which is even along the axis, and show (1) in its place. Marks are places on the
axis that people look for: where a driver turns back, where branches cross, where something stands still.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from particlemech.errors import ModelError
from particlemech.model import columns

DEGREES = 180.0 / np.pi
NEAR = 1e-6  # rad, or of the range of a coordinate: a pose of a cycle is nearer to a sample than two steps and this


class Axis(NamedTuple):
    """An axis, with value (1)."""

    name: str  # "time", or a driver
    symbol: str  # for short
    unit: str
    first: float = 0.0
    rate: float = 1.0
    log: bool = False  # ten to the power of
    words: tuple[str, ...] = ()  # what each sample is, where there is nothing between them

    @property
    def label(self) -> str:
        """Name and unit, for charts."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def value(self, t: Any) -> Any:
        """Return (1) of times."""
        found = self.first + self.rate * np.asarray(t, dtype=float)
        return 10.0**found if self.log else found

    def said(self, t: float, digits: int = 4) -> str:
        """Return where on the axis a time is, in words."""
        if self.words:
            return f"{self.words[min(max(round(t), 0), len(self.words) - 1)]}, {round(t) + 1} of {len(self.words)}"
        value = float(self.value(t))
        shown = f"{0.0 if abs(value) < 1e-12 * abs(self.rate or 1.0) else value:.{digits}g}"
        if self is TIME:
            return f"{shown} {self.unit}"
        return f"{self.name} {shown}{'' if self.unit == '°' else ' '}{self.unit}"


class Mark(NamedTuple):
    """A place on an axis."""

    t: float
    name: str  # such as "toggle"


TIME = Axis("time", "t", "s")


def axis_of(result: Any) -> Axis:
    """Return the axis of a result."""
    words = getattr(result, "stability", ())
    if words:
        return Axis("position", "", "", words=words)
    over = result.stats.get("over")
    if over is None:
        return TIME
    name, turns = over["said"], over["turns"]
    scale = DEGREES if turns else 1.0
    unit = "°" if turns else columns.unit(result.system.mechanism, "position")
    return Axis(name, name, unit, scale * over["first"], scale * over["rate"])


def marks_of(result: Any) -> tuple[Mark, ...]:
    """Return the marks of a cycle over the range of a driver, in order: those of the branch that it follows."""
    over = result.stats.get("over")
    if over is None or len(result.t) < 2:
        return ()
    # by name: analyses stand above what shows them
    toggles = import_module("particlemech.analyses.kinematics.toggles").toggles
    try:
        found = toggles(result.system.mechanism, over["driver"])
    except ModelError:
        return ()
    every = [("toggle", "", one) for one in found.toggles]
    every += [("change point", "", one) for one in found.change_points]
    every += [("dead point", one.joint, one) for one in found.dead_points]
    marks: dict[tuple[float, str], list[str]] = {}
    for kind, joint, one in every:
        for t in _times(result, over, one.value, kind == "toggle"):
            if _on(result, one.pose, t):
                own = marks.setdefault((float(f"{t:.9g}"), kind), [])
                own += [joint] if joint and joint not in own else []
    return tuple(Mark(t, f"{kind} of {', '.join(of)}" if of else kind) for (t, kind), of in sorted(marks.items()))


def _times(result: Any, over: Any, value: float, toggle: bool) -> list[float]:
    """Return the times at which a driver is at a value, turns on included; a toggle lies a little beyond a cycle."""
    low, high = float(result.t[0]), float(result.t[-1])
    turn = 2.0 * np.pi if over["turns"] else np.inf
    slack = (1.01 if toggle else 1e-9) * (high - low) / (len(result.t) - 1)
    found = []
    for k in range(-20, 21) if over["turns"] else (0,):
        t = (value + (k * turn if k else 0.0) - over["first"]) / over["rate"]
        if low - slack <= t <= high + slack:
            found.append(t)
    return found


def _on(result: Any, pose: Any, t: float) -> bool:
    """Return whether a pose is one of a motion at a time, and not another of the same driver's, by all joints."""
    k = int(np.clip(np.searchsorted(result.t, t), 1, len(result.t) - 1))
    for name, joint in result.system.mechanism.joints.items():
        for of in () if getattr(joint, "spherical", False) else joint.coordinate_names:
            path, at = result.coordinate(name, of), float(pose.coordinate(name, of)[0])
            gaps = path[k - 1 : k + 1] - at
            if of.startswith("angle"):
                gaps = np.remainder(gaps + np.pi, 2.0 * np.pi) - np.pi
            apart = abs(float(path[k] - path[k - 1]))
            if np.abs(gaps).min() > 2.0 * apart + NEAR * max(
                float(np.ptp(path)), 1.0 if of.startswith("angle") else 0.0
            ):
                return False
    return True
