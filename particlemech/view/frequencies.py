"""Answers to harmonic inputs against the frequency, as a scene: pages show them as charts beside the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.primitives import Curve
from particlemech.view.axis import Axis, Mark
from particlemech.view.families import scene
from particlemech.view.scene import Frame, Quantity, Scene

ROUNDING = 1e-9  # of the largest answer: what is nowhere more does not answer (1.6e-12 seen)
PEAK = 3.0  # dB above both neighbours' valleys: what counts as a peak


def decibels(answer: Array) -> Array:
    """Return the sizes of answers in decibels of their own unit."""
    return np.asarray(20.0 * np.log10(np.maximum(np.abs(answer), 1e-300)))


def columns_of(frequency: Sequence[float], answer: Any, names: Sequence[str]) -> tuple[Array, Array]:
    """Return frequencies (F,) and answers (F, n), or say why they do not fit."""
    f, every = np.asarray(frequency, dtype=float), np.asarray(answer)
    every = every.reshape(len(every), -1)
    if len(f) != len(every) or len(names) != every.shape[1]:
        raise ModelError(
            f"bode: {len(f)} frequencies and {len(names)} name(s) do not fit answers of the form {every.shape}; "
            "give one name for each column"
        )
    return f, every


def spectrum(of: Any, frequency: Sequence[float], answer: Any, names: Sequence[str] = ("response",)) -> Scene:
    """Return what `pm.response` gives as a scene whose axis is the frequency, for `view.page.save`.

    Parameters
    ----------
    of : Mechanism or Result
        What answers; of a result, the first sample is shown.
    frequency, answer, names
        As of `view.bode`; frequencies grow and are above zero.

    Returns
    -------
    Scene
        Quantities are the size of each answer, in decibels of its own unit, and its phase, in degrees.

    Raises
    ------
    ModelError
        If numbers and names do not fit.
    """
    f, every = columns_of(frequency, answer, names)
    if not (len(f) > 1 and f[0] > 0.0 and np.all(np.diff(f) > 0.0)):
        raise ModelError("spectrum: frequencies must grow and be above zero, Hz")
    still, K = scene(of).at([0]), len(f)
    frames = {
        name: Frame(frame.centre, np.repeat(frame.origin, K, axis=0), np.repeat(frame.turn, K, axis=0))
        for name, frame in still.frames.items()
    }
    known: dict[str, Quantity] = {}
    for name, curve in zip(names, every.T, strict=True):
        known[f"size of {name}"] = Quantity(decibels(curve), "size", "dB")
        known[f"phase of {name}"] = Quantity(np.degrees(np.unwrap(np.angle(curve))), "phase", "°")
    t = np.log10(f / f[0])
    curves = [
        replace(p, points=np.repeat(p.points, K, axis=0)) if isinstance(p, Curve) else p for p in still.primitives
    ]
    return replace(
        still,
        t=t,
        frames=frames,
        points={name: np.repeat(path, K, axis=0) for name, path in still.points.items()},
        primitives=tuple(curves),
        arrows={},
        axis=Axis("frequency", "f", "Hz", float(np.log10(f[0])), 1.0, log=True),
        _quantities=partial(dict, known),
        _certificate=dict,
        _marks=lambda: tuple(Mark(float(t[k]), f"peak of {name}") for name, k in peaks(names, every)),
    )


def peaks(names: Sequence[str], every: Array) -> list[tuple[str, int]]:
    """Return where answers (F, n) have peaks, by name, in the order of frequencies."""
    from scipy.signal import find_peaks

    found: list[tuple[str, int]] = []
    least = ROUNDING * np.abs(every).max(initial=0.0)
    for name, of in zip(names, every.T, strict=True):
        if np.abs(of).max(initial=0.0) <= least:
            continue
        found += [(name, int(k)) for k in find_peaks(decibels(of), prominence=PEAK)[0]]
    return sorted(found, key=lambda one: one[1])
