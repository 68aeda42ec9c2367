"""Figures: numbers of a motion, or of what else was asked of a mechanism, by names that are written as text.

    figure     =  [ subject "." ]  curve  [ "." reduction ]  [ "[" index "]" ]
    subject    =  run | cycle | modes | equilibrium           of what; where it is left out, of what is asked for
    curve      =  a column: motor.effort, B.x, rod.omega, A.coupler.fx, energy.kinetic, C.transmission, motor.power
               |  the size of a vector, all of whose components are columns: B.v, B.a, A.coupler.f, shaking.f
               |  transmission     the least transmission angle of all outputs, or what it lacks to pi, rad      (1)
               |  energy_error, closure, duration        one number each: largest error of energy beside its scale,
               |                                         widest gap of a joint, time that was reached
               |  frequency, omega, damping              of modes, lowest first
    reduction  =  min | max | range | peak | first | last | mean | rms

`peak` is the largest size, `range` is max - min. Extremes of motions are those between samples too (extremes.py); mean
and rms are averages over time by the trapezoidal rule. Samples at which a curve is not known (NaN) are left out; where
none is known the figure is NaN. Without a reduction the whole curve is kept; [0] is its first entry, [-1] its last. Of
a rest position the first is meant where no index stands.

    motor.effort.max     B.x.range     rod.omega.rms     transmission.min     modes.frequency[0]     equilibrium.A.y

    (1)  min over outputs of min(mu, pi - mu), mu as in analyses/measures/transmission.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import shown
from particlemech.result.extremes import highest

MOTIONS = ("run", "cycle")
SUBJECTS = (*MOTIONS, "modes", "equilibrium")
FORM = re.compile(r"(?P<words>[^\[\]]+?)(?:\[(?P<index>[+-]?\d{1,9})\])?").fullmatch
AXES = ("x", "y", "z")
UNDRIVEN = (
    "no output on the ground that a driver moves; give the model a driver, or ask for a cycle, "
    'what = "cycle" with the option driver (command: --of cycle --driver O)'
)


# -- reductions: of values (N, K), none of them NaN but for extremes, at times (K,) ------------------------------------


def _average(t: Array, x: Array) -> Array:
    """Return means over time by the trapezoidal rule, (N,); of one instant the values there."""
    span = float(t[-1] - t[0])
    return np.sum(0.5 * (x[:, 1:] + x[:, :-1]) * np.diff(t), axis=1) / span if span > 0.0 else x[:, 0]


def _max(t: Array | None, x: Array) -> Array:
    return np.max(x, axis=1) if t is None else highest(t, x)[0]


EXTREMES: dict[str, Callable[[Array | None, Array], Array]] = {  # t is None: of numbers with nothing between them
    "min": lambda t, x: -_max(t, -x),
    "max": _max,
    "range": lambda t, x: _max(t, x) + _max(t, -x),
    "peak": lambda t, x: np.maximum(_max(t, x), _max(t, -x)),
}
AVERAGES: dict[str, Callable[[Array, Array], Array]] = {
    "first": lambda t, x: x[:, 0],
    "last": lambda t, x: x[:, -1],
    "mean": _average,
    "rms": lambda t, x: np.sqrt(_average(t, x**2)),
}


REDUCTIONS = (*EXTREMES, *AVERAGES)


def reduced(reduction: str, t: Array, x: Array, moves: bool = True) -> Array:
    """Return curves (N, K) at times (K,) as one number each, (N,); NaN where nothing of one is known."""
    if reduction in EXTREMES:
        return np.asarray(EXTREMES[reduction](t if moves else None, x))
    known, average = np.isfinite(x), AVERAGES[reduction]
    if known.all():
        return np.asarray(average(t, x))
    parts = [(t[at], row[None, at]) for at, row in zip(known, x, strict=True)]
    return np.array([average(s, part)[0] if len(s) else np.nan for s, part in parts])


# -- numbers of a result that are no curve ---------------------------------------------------------------------------


def energy_error(result: Any) -> float:
    """Return the largest energy error as a fraction of its scale; 0 where there is no energy at all."""
    return astray(result.energy)


def astray(energy: Any) -> float:
    """Return the same of energies."""
    worst = float(np.max(np.abs(energy.error), initial=0.0))
    # where nothing moves the scale is rounding of the potential, and so is the error
    scale = max(energy.scale, 1e-9 * float(np.max(np.abs(energy.potential), initial=0.0)))
    return worst / scale if scale > 0.0 else worst


SCALARS: dict[str, Callable[[Any], float]] = {
    "energy_error": energy_error,
    "closure": lambda result: float(result.closure.position.max(initial=0.0)),
    "duration": lambda result: float(result.t[-1]),
}


# -- figures ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """A figure by name, understood as far as its words go."""

    text: str
    subject: str  # one of SUBJECTS
    curve: str
    reduction: str = ""  # one of REDUCTIONS, or none: the whole curve
    index: int | None = None

    @property
    def single(self) -> bool:
        """Whether it is one number, whatever it is asked of."""
        return bool(self.reduction) or self.index is not None or self.curve in SCALARS

    def of(self, found: Any) -> Any:
        """Return its value: a number, or an array where the whole curve is kept.

        Parameters
        ----------
        found
            What `simulate`, `cycle`, `equilibrium` or `modes` has returned, as `subject` says.
        """
        return self.read(Curves(found))

    def read(self, curves: Curves) -> Any:
        """Return its value as `of` does; who asks for several figures of one result makes its curves once."""
        if self.curve in SCALARS and curves.moves:
            return SCALARS[self.curve](curves.found)
        values = curves[self.curve]
        if self.reduction:
            moves = curves.moves and self.subject in MOTIONS
            t = curves.t if curves.moves else np.arange(float(len(values)))
            return float(reduced(self.reduction, t, values[None], moves)[0])
        if self.index is None:
            return values
        if not -len(values) <= self.index < len(values):
            raise ModelError(f'figure "{self.text}": there are {len(values)} values, counted from 0')
        return float(values[self.index])


def figure(text: Any, usual: str = "run") -> Figure:
    """Return the figure that a text names; `usual` is its subject where it says none.

    Examples
    --------
    >>> figure("motor.effort.max")
    Figure(text='motor.effort.max', subject='run', curve='motor.effort', reduction='max', index=None)
    >>> figure("modes.frequency[0]").subject
    'modes'
    """
    form = FORM(text) if isinstance(text, str) else None
    if form is None:
        raise ModelError(f'a figure is a text such as "motor.effort.max" or "modes.frequency[0]", got {shown(text)}')
    words = form["words"].split(".")
    subject = words.pop(0) if words[0] in SUBJECTS and len(words) > 1 else usual
    reduction = words.pop() if words[-1] in REDUCTIONS and len(words) > 1 else ""
    index = None if form["index"] is None else int(form["index"])
    if index is not None and reduction:
        raise ModelError(f'figure "{text}": "{reduction}" is one number, of which there is no [{index}]; leave one out')
    if "" in words or words[-1] in REDUCTIONS:
        raise ModelError(
            f'figure "{text}": expected a column such as "B.x" or "motor.effort", and after it one of '
            f"{', '.join(REDUCTIONS)} at most"
        )
    name = ".".join(words)
    if subject == "equilibrium" and index is None and not reduction and name not in SCALARS:
        index = 0
    return Figure(text, subject, name, reduction, index)


def figures_of(found: Any, wanted: Iterable[Figure]) -> dict[str, Any]:
    """Return the values of figures by their texts, all of one run or analysis."""
    curves = Curves(found)
    return {one.text: one.read(curves) for one in wanted}


# -- curves ----------------------------------------------------------------------------------------------------------


class Curves:
    """The curves of a result or an analysis by name; tables of all columns are made once, and only if asked for."""

    def __init__(self, found: Any) -> None:
        self.found = found
        self.moves = hasattr(found, "columns")  # else an analysis, whose arrays have names of their own

    @property
    def t(self) -> Array:
        """Times of the samples, s."""
        return np.asarray(self.found.t)

    @cached_property
    def _columns(self) -> Mapping[str, Array]:
        if self.moves:
            return self.found.columns()
        own = {word: value for word, value in vars(self.found).items() if isinstance(value, np.ndarray)}
        return {word: value for word, value in own.items() if value.ndim == 1 and value.dtype.kind == "f"}

    @cached_property
    def _measured(self) -> Mapping[str, Array]:
        return self.found.measures().columns() if self.moves and len(self.t) > 1 else {}

    def __getitem__(self, name: str) -> Array:
        found = self._cheap(name) if self.moves else None
        if found is None and name == "transmission" and self.moves:
            found = _transmission(self.found)
        if found is None:
            found = _in(self._columns, name)
        if found is None:
            found = _in(self._measured, name)
        if found is None:
            if self.moves and name.endswith(".transmission"):
                raise ModelError(f'quantity "{name}" unknown: {UNDRIVEN}')
            if self.moves and (other := _on_other_side(self.found.system.mechanism, name)):
                raise ModelError(f'quantity "{name}" unknown; what a joint does is told on its second body: "{other}"')
            known = [*self._columns, *self._measured, *(SCALARS if self.moves else ())]
            raise ModelError(f'quantity "{name}" unknown{suggestion(name, known)}')
        return found

    def _cheap(self, name: str) -> Array | None:
        """Return what sweeps and optimisations ask for most from the method that gives it alone."""
        result, m = self.found, self.found.system.mechanism
        part, _, what = name.rpartition(".")
        if part in m.drivers and what == "effort":
            return np.asarray(result.effort(part))
        axes = AXES[:2] if m.kind == "planar" else AXES
        if part in m.joints and part not in m.bodies and (found := self._of_joint(part, what)) is not None:
            return found
        if part in m.points and what in axes:
            return np.asarray(result[part][:, axes.index(what)])
        if part in m.points and what[:1] == "v" and what[1:] in axes:
            return np.asarray(result.velocity(part)[:, axes.index(what[1:])])
        if m.kind == "planar" and part in m.bodies and what in ("angle", "omega"):
            return np.asarray(getattr(result, what)(part))
        return None

    def _of_joint(self, joint: str, what: str) -> Array | None:
        name = what.removesuffix("_rate")
        if name not in self.found.system.mechanism.joints[joint].coordinate_names:
            return None
        return np.asarray((self.found.coordinate if name == what else self.found.rate)(joint, name))


def _on_other_side(m: Any, name: str) -> str:
    """Return the name of a force or moment of a joint on its second body, where that on another is named."""
    joint, body, *rest = [*name.split("."), ""]
    bodies: tuple[str, ...] = getattr(m.joints.get(joint), "bodies", ())
    return f"{joint}.{bodies[-1]}.{rest[0]}" if body in bodies[:-1] and rest[0] else ""


def _in(columns: Mapping[str, Array], name: str) -> Array | None:
    """Return a column, or the size of a vector whose components are columns; None where there is neither."""
    if name in columns:
        return np.asarray(columns[name])
    parts = [np.asarray(columns[name + axis]) for axis in AXES if name + axis in columns]
    return np.sqrt(np.sum(np.square(parts), axis=0)) if len(parts) > 1 else None


def _transmission(result: Any) -> Array:
    """Return the worst transmission angle of all outputs at each sample, (K,), rad, from 0 to pi/2; (1)."""
    if not result.system.mechanism.drivers:
        raise ModelError(f'figure "transmission": {UNDRIVEN}')
    measures = result.measures()
    if not measures.outputs:
        raise ModelError(f'figure "transmission": {UNDRIVEN}')
    angles = [measures.transmission(output) for output in measures.outputs]
    if not any(np.isfinite(mu).any() for mu in angles):
        raise ModelError('figure "transmission": joints can share the load in many ways, so that no angle is known')
    return np.fmin.reduce([np.fmin(mu, np.pi - mu) for mu in angles])
