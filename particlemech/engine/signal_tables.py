"""Signals as tables, for the kernels of every formulation: one formula for all kinds, signals.py (1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import Records, kernel
from particlemech.model.segments import Segment, SignalSpec
from particlemech.model.tapes import CONSTANT as CONSTANT
from particlemech.model.tapes import NUMBER, combined, jet
from particlemech.model.tapes import PIECES as PIECES
from particlemech.model.tapes import TIME as TIME

SEGMENT = [(name, "f8") for name in ("start", "c0", "c1", "c2", "c3", "a", "w", "phase")]  # signals.py (1)
SIGNAL = [("first", "i4"), ("last", "i4"), ("form", "i4")]
FORMS = ("value", "cos", "sin", "reciprocal", "square")  # of a signal, by their number
STEP = 100  # the form of a step of a tape is this and its operation; first and last are its operands, signals before it
LINE = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # the time itself
FORM_STEPS = {1: (9, False), 2: (8, False), 3: (6, True), 4: (5, False)}  # FORMS as operations; whether 1 is divided

step = kernel(jet)


@dataclass
class Signals:
    """Collects the signals; index 0 is the constant 1."""

    segments: list[tuple[float, ...]] = field(default_factory=lambda: [(0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
    signals: list[tuple[int, int, int]] = field(default_factory=lambda: [(0, 1, 0)])
    known: dict[tuple[SignalSpec, int, float], int] = field(default_factory=dict)
    steps: dict[tuple[Any, ...], int] = field(default_factory=dict)
    curves: dict[tuple[Segment, ...], int] = field(default_factory=dict)

    def add(self, spec: SignalSpec, form: int = 0, offset: float = 0.0) -> int:
        """Return the index of a signal plus an offset in one of the FORMS."""
        if (spec, form, offset) not in self.known and spec.tape() is not None:
            self.known[spec, form, offset] = self._taped(spec, form, offset)
        if (spec, form, offset) not in self.known:
            first = len(self.segments)
            own = spec.segments()
            if offset != 0.0:
                self.segments += [(start, c0 + offset, *rest) for start, c0, *rest in own]
            else:
                self.segments += own
            self.signals.append((first, len(self.segments), form))
            self.known[spec, form, offset] = len(self.signals) - 1
        return self.known[spec, form, offset]

    def curve(self, segments: tuple[Segment, ...]) -> tuple[int, int]:
        """Return the first of some segments that are no function of time, as the lift of a cam, and where they end."""
        if segments not in self.curves:
            self.curves[segments] = len(self.segments)
            self.segments += segments
        return self.curves[segments], self.curves[segments] + len(segments)

    def _taped(self, spec: SignalSpec, form: int, offset: float) -> int:
        """Return the index of the last step of a tape, after an offset and in one of the FORMS."""
        at: list[int] = []
        for op, i, j, c in spec.tape() or ():
            if op == CONSTANT:
                at.append(self._pieces((0.0, c, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
            elif op == TIME:
                at.append(self._pieces(LINE))
            elif op == PIECES:
                at.append(self._pieces(*c))
            else:
                at.append(self._step(op, at[i], at[j]))
        last = at[-1]
        if offset != 0.0:
            last = self._step(NUMBER["add"], last, self._pieces((0.0, offset, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
        if form:
            op, divided = FORM_STEPS[form]
            last = self._step(op, 0 if divided else last, last)  # signal 0 is the constant 1
        return last

    def _pieces(self, *segments: tuple[float, ...]) -> int:
        if segments not in self.steps:
            self.segments += segments
            self.signals.append((len(self.segments) - len(segments), len(self.segments), 0))
            self.steps[segments] = len(self.signals) - 1
        return self.steps[segments]

    def _step(self, op: int, i: int, j: int) -> int:
        if (op, i, j) not in self.steps:
            self.signals.append((i, j, STEP + op))
            self.steps[op, i, j] = len(self.signals) - 1
        return self.steps[op, i, j]


@kernel
def signals(t: float, segment: Records, signal: Records, sig: NDArray[np.float64]) -> None:
    """Fill sig (n_signal, 3) with value, first and second derivative of every signal."""
    for k in range(len(signal)):
        if signal[k].form >= STEP:
            i, j, op = signal[k].first, signal[k].last, signal[k].form - STEP
            sig[k, 0], sig[k, 1], sig[k, 2] = step(op, sig[i, 0], sig[i, 1], sig[i, 2], sig[j, 0], sig[j, 1], sig[j, 2])
            continue
        e, last = signal[k].first, signal[k].last - 1
        while e < last:  # the last segment that has begun, by halving: tables may have thousands
            middle = (e + last + 1) // 2
            if segment[middle].start <= t:
                e = middle
            else:
                last = middle - 1
        p = segment[e]
        tau = t - p.start if p.start > -1e300 else 0.0
        sn, cs = 0.0, 0.0
        if p.a != 0.0:
            sn, cs = math.sin(p.w * tau + p.phase), math.cos(p.w * tau + p.phase)
        s = p.c0 + tau * (p.c1 + tau * (p.c2 + tau * p.c3)) + p.a * sn
        s_dot = p.c1 + tau * (2.0 * p.c2 + tau * 3.0 * p.c3) + p.a * p.w * cs
        s_ddot = 2.0 * p.c2 + 6.0 * p.c3 * tau - p.a * p.w * p.w * sn
        if signal[k].form == 1:
            cs, sn = math.cos(s), math.sin(s)
            s, s_dot, s_ddot = cs, -sn * s_dot, -cs * s_dot * s_dot - sn * s_ddot
        elif signal[k].form == 2:
            cs, sn = math.cos(s), math.sin(s)
            s, s_dot, s_ddot = sn, cs * s_dot, -sn * s_dot * s_dot + cs * s_ddot
        elif signal[k].form == 3:
            s = 1.0 / s
            s_dot, s_ddot = -s * s * s_dot, s * s * (2.0 * s * s_dot * s_dot - s_ddot)
        elif signal[k].form == 4:
            s, s_dot, s_ddot = s * s, 2.0 * s * s_dot, 2.0 * (s_dot * s_dot + s * s_ddot)
        sig[k, 0], sig[k, 1], sig[k, 2] = s, s_dot, s_ddot


def sampled(t: NDArray[np.float64], segment: Records, signal: Records) -> NDArray[np.float64]:
    """Return what `signals` fills in at K times at once, (K, n_signal, 3)."""
    result = np.empty((len(t), len(signal), 3))
    for k in range(len(signal)):
        first, last, form = (int(signal[k][name]) for name in ("first", "last", "form"))
        if form >= STEP:
            for row in result:
                row[k] = combined(form - STEP, tuple(row[first].tolist()), tuple(row[last].tolist()))
            continue
        own = segment[first:last]
        p = own[np.searchsorted(own["start"][1:], t, side="right")]
        tau = np.where(p["start"] > -1e300, t - np.maximum(p["start"], -1e300), 0.0)
        angle = p["w"] * tau + p["phase"]
        sn, cs = p["a"] * np.sin(angle), p["a"] * p["w"] * np.cos(angle)
        s = p["c0"] + tau * (p["c1"] + tau * (p["c2"] + tau * p["c3"])) + sn
        s_dot = p["c1"] + tau * (2.0 * p["c2"] + tau * 3.0 * p["c3"]) + cs
        s_ddot = 2.0 * p["c2"] + 6.0 * p["c3"] * tau - p["w"] ** 2 * sn
        if form == 1:
            cs, sn = np.cos(s), np.sin(s)
            s, s_dot, s_ddot = cs, -sn * s_dot, -cs * s_dot * s_dot - sn * s_ddot
        elif form == 2:
            cs, sn = np.cos(s), np.sin(s)
            s, s_dot, s_ddot = sn, cs * s_dot, -sn * s_dot * s_dot + cs * s_ddot
        elif form == 3:
            s = 1.0 / s
            s_dot, s_ddot = -s * s * s_dot, s * s * (2.0 * s * s_dot * s_dot - s_ddot)
        elif form == 4:
            s, s_dot, s_ddot = s * s, 2.0 * s * s_dot, 2.0 * (s_dot * s_dot + s * s_ddot)
        result[:, k, 0], result[:, k, 1], result[:, k, 2] = s, s_dot, s_ddot
    return result
