"""What a synthesis leaves behind: candidates, ranked, each a mechanism, and what was rejected, counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError
from particlemech.synthesis.asked import LENGTHS, Limits
from particlemech.synthesis.defects import FINE, LENGTH, MISSED, REASONS
from particlemech.synthesis.evaluating import refined
from particlemech.synthesis.fitting import Task, work_arrays
from particlemech.synthesis.frames import Frame
from particlemech.synthesis.linkage import CX, CY, DELTA, OX, OY, PSI0, SIZE, THETA0, A, B, C, E, U, V
from particlemech.synthesis.models import Linkage
from particlemech.synthesis.ripple import levelled
from particlemech.synthesis.search import ERROR, LEAST, SIDE, WAY

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

EXACT, SURE = 1e-9, 1e-12  # of the size: smaller errors are none, and those that need no last fit
ALIKE, NEAR = 0.05, 0.1  # of the size: linkages that differ by less in all places and lengths are one; inexact ones
ROUNDS = 400  # steps of the last fit
MORE = 4  # times as many as are kept are fitted to the end
DEGREES = 180.0 / np.pi


class Wanted(NamedTuple):
    """The task as it was said."""

    kind: str  # "path", "motion" or "function"
    points: Array | None  # (N,) complex
    angles: Array | None  # (N,) of the coupler
    crank: Array | None  # (N,)
    output: Array | None  # (N,)
    ripple: bool = False  # of functions: whether the largest error is made least


@dataclass(frozen=True, eq=False)
class Candidate:
    """A linkage that meets its task without defects.

    Attributes
    ----------
    linkage : Linkage
        Its numbers: `lengths`, `turns`, `arc`, and where it is at any crank angle, `at(theta)`.
    crank : array, shape (N,)
        Crank angles at which the places of the task are reached, rad, from the axis x, one after the other.
    error : float
        Largest miss: length; of a function of an angle, rad.
    transmission : float
        Least angle of transmission, rad, at most a quarter turn, over what `path` says.
    way : float
        How far the crank turns from the first place to the last, rad; negative: clockwise.
    """

    linkage: Linkage
    crank: Array
    error: float
    transmission: float
    way: float
    wanted: Wanted
    number: int
    limits: Limits

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {value:.4g}" for name, value in self.lengths.items())
        angle = f"{self.transmission * DEGREES:.1f}°"
        return f"<Candidate {self.number}: {sizes}; error {self.error:.2e}, transmission {angle}>"

    @property
    def lengths(self) -> dict[str, float]:
        """Lengths of its links by name."""
        return self.linkage.lengths

    @property
    def reached(self) -> Array:
        """The coupler point at the places of the task, (N, 2)."""
        return self.linkage.at(self.crank)["P"]

    @property
    def output(self) -> Array:
        """The output at the places of the task, counted as there, (N,); of functions."""
        value = self.linkage.at(self.crank)["output"] + self.linkage.x[PSI0]
        target = self.wanted.output
        if self.linkage.slider or target is None:
            return value
        return np.asarray(target + np.remainder(value - target + np.pi, 2.0 * np.pi) - np.pi)

    @property
    def turned(self) -> Array:
        """The angle of the coupler at the places of the task, counted as there, (N,), rad; of motions."""
        value, target = self.linkage.at(self.crank)["angle"] + self.linkage.x[11], self.wanted.angles
        if target is None:
            return value
        return np.asarray(target + np.remainder(value - target + np.pi, 2.0 * np.pi) - np.pi)

    def curve(self, samples: int = 361) -> Array:
        """Return the curve of the coupler point over all the crank can reach on this assembly, (samples, 2)."""
        first, last = self.linkage.arc
        inset = 0.0 if self.linkage.turns else 1e-9
        return self.linkage.at(np.linspace(first + inset, last - inset, samples))["P"]

    @cached_property
    def mechanism(self) -> Mechanism:
        """The linkage as a mechanism, drawn at the first place, with a motor that turns the crank.

        Points O and A of the crank, A, B and P of the coupler, B and C of the rocker; bodies crank, coupler, and rocker
        or slider; joints by their points, and the guide of a slider; the driver is called motor.
        """
        w = self.wanted
        kind = "Slider-crank" if self.linkage.slider else "Four-bar"
        count = len(self.crank)
        what = {"path": f"through {count} points", "motion": f"through {count} poses", "function": "for a function"}
        about = f"Candidate {self.number} of a synthesis with seed {self.limits.seed}; largest error {self.error:.3g}."
        theta, options = float(self.crank[0]), {"density": self.limits.density, "units": self.limits.units}
        options["point"] = w.kind != "function"
        return self.linkage.mechanism(f"{kind} {what[w.kind]}", theta, self.way, about, **options)


@dataclass(frozen=True, eq=False)
class Candidates(Sequence[Candidate]):
    """Candidates, best first, and what became of the others.

    Attributes
    ----------
    wanted : Wanted
        The task.
    starts : int
        How many starts were tried.
    rejected : dict of str to int
        Linkages that were not kept, by what was wrong with each first; "no closed form" counts starts.
    fine : int
        Linkages without defects; those that were alike, or ranked behind, are not among the candidates.
    """

    found: tuple[Candidate, ...]
    wanted: Wanted
    starts: int
    rejected: dict[str, int]
    fine: int
    limits: Limits

    def __getitem__(self, k: Any) -> Any:
        """Return candidate k, 0 the best, or some of them."""
        if not self.found:
            raise SimulationError(self.said, self)
        return self.found[k]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.found)

    def __iter__(self) -> Iterator[Candidate]:
        """Give one after the other, the best first."""
        return iter(self.found)

    @property
    def best(self) -> Candidate:
        """The first; where there is none, a SimulationError says why."""
        found: Candidate = self[0]
        return found

    @property
    def said(self) -> str:
        """What came out, in one line."""
        total = self.fine + sum(n for why, n in self.rejected.items() if why != REASONS[1])
        why = ", ".join(f"{n} {reason}" for reason, n in sorted(self.rejected.items(), key=lambda r: -r[1]))
        why = f" ({why})" if why else ""
        if not self.found:
            most = max(self.rejected, key=self.rejected.__getitem__, default="")
            low, high = self.limits.lengths or (f"{LENGTHS[0]:g}", f"{LENGTHS[1]:g} of the task's size")
            lengths = (
                f"; allow other lengths=(shortest, longest) than {low} to {high}, ask for less, or try more starts"
            )
            cure = lengths if most == REASONS[LENGTH] else "; ask for less, or try more starts"
            return f"no candidate without defects among {self.starts} starts, {total} linkages{why}{cure}"
        return (
            f"{len(self)} candidates of {self.fine} without defects among {self.starts} starts, {total} linkages{why}"
        )

    def __str__(self) -> str:
        """Return a table of all, and what was rejected."""
        lines = [f"{'':4}{'error':>10}{'transmission':>14}{'crank turns':>13}  {'lengths'}"]
        for c in self.found:
            sizes = ", ".join(f"{name} {value:.4g}" for name, value in c.lengths.items())
            turn = "round" if c.linkage.turns else f"{abs(c.way) * DEGREES:.0f}°"
            lines.append(f"{c.number:<4}{c.error:>10.2e}{c.transmission * DEGREES:>13.1f}°{turn:>13}  {sizes}")
        return "\n".join([*(lines if self.found else []), self.said])

    def save(self, folder: str | PathLike[str]) -> list[Path]:
        """Write each candidate as a model into a folder, candidate_1.toml and so on; return the files.

        Parameters
        ----------
        folder
            It is made if it is not there.

        Returns
        -------
        list of Path
            The files, best first.

        Raises
        ------
        ModelError
            If the folder cannot be written to.
        """
        from particlemech.model import toml
        from particlemech.result import export

        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelError(f'cannot write to folder "{place}": {error.strerror}') from None
        width = len(str(len(self)))
        files = []
        for c in self.found:
            target = export.checked(place / f"candidate_{c.number:0{width}}.toml", (".toml",))
            export.write_text(toml.dumps(c.mechanism), target)
            files.append(target)
        return files


# -- ranking -----------------------------------------------------------------------------------------------------------


def _places(x: Array, slider: bool) -> Array:
    """Return numbers by which linkages are told apart, in sizes of the task."""
    if slider:
        turn = x[DELTA]  # a line has two directions
        line = [-x[E] * np.sin(turn), x[E] * np.cos(turn), np.cos(2.0 * turn), np.sin(2.0 * turn)]
        return np.concatenate([x[[OX, OY, A, B, U, V]], line])
    return np.asarray(x[[OX, OY, CX, CY, A, B, C, U, V]])


def _order(rows: Array) -> Any:
    """Return the ranks: by error, and where that is none by transmission; both to the digits that are sure."""
    error = np.where(rows[:, ERROR] < EXACT, 0.0, rows[:, ERROR])
    return np.lexsort((-rows[:, LEAST].round(9), error.round(12)))


def _best(rows: Array, angles: Array, slider: bool, most: int) -> tuple[Array, Array]:
    """Return the best rows that are not alike, in their ranks."""
    order = _order(rows)
    rows, angles = rows[order], angles[order]
    kept: list[int] = []
    places: list[Array] = []
    for k, row in enumerate(rows):
        at = _places(row[:SIZE], slider)
        if all(np.max(np.abs(at - other)) > (ALIKE if row[ERROR] < EXACT else NEAR) for other in places):
            kept.append(k)
            places.append(at)
            if len(kept) == most:
                break
    return rows[kept], angles[kept]


def ranked(
    rows: Array, angles: Array, counts: Any, task: Task, limits: Limits, frame: Frame, wanted: Wanted
) -> Candidates:
    """Return candidates from what a search found, in the frame."""
    fine = int(counts[FINE])
    rejected = {why: int(n) for why, n in zip(REASONS[1:], counts[1:], strict=True) if n}
    rows, angles = _best(rows, angles, task.slider, MORE * limits.keep)
    lost = 0
    for level in (False, True) if wanted.ripple else (False,):
        before = len(rows)
        rows, angles = _finished(rows, angles, task, limits, frame, level)
        lost += before - len(rows)
        rows, angles = _best(rows, angles, task.slider, limits.keep)
    if lost:  # only the last fit showed that these are worse than asked for
        rejected[REASONS[MISSED]] = rejected.get(REASONS[MISSED], 0) + lost
        fine -= lost
    found = []
    for number, k in enumerate(range(len(rows)), 1):
        linkage = Linkage(
            frame.linkage(rows[k, :SIZE], task.slider), task.slider, frame.side(float(rows[k, SIDE]), task.slider)
        )
        crank = _course(frame.hand * angles[k] + frame.turn, frame.hand * rows[k, WAY])
        # the output of a four-bar is an angle
        scale = 1.0 if wanted.kind == "function" and not task.slider else frame.size
        error, least, way = rows[k, ERROR] * scale, rows[k, LEAST], frame.hand * rows[k, WAY]
        found.append(Candidate(linkage, crank, float(error), float(least), float(way), wanted, number, limits))
    return Candidates(tuple(found), wanted, limits.starts, rejected, fine, limits)


def _course(theta: Array, way: float) -> Array:
    """Return crank angles without jumps, in the sense in which the crank turns."""
    if way >= 0.0:
        steps = np.remainder(np.diff(theta) + 1e-9, 2.0 * np.pi) - 1e-9
    else:
        steps = -(np.remainder(-np.diff(theta) + 1e-9, 2.0 * np.pi) - 1e-9)
    one_way = np.concatenate([theta[:1], theta[0] + np.cumsum(steps)])
    if abs(abs(one_way[-1] - one_way[0]) - abs(way)) < 1e-6:
        return np.asarray(one_way)
    return np.asarray(np.unwrap(theta))  # to and fro


def _finished(rows: Array, angles: Array, task: Task, limits: Limits, frame: Frame, level: bool) -> tuple[Array, Array]:
    """Fit what is not exact to the end, or level its errors, and judge it once more; return what stands."""
    count = len(task.P)
    work, sides, out = work_arrays(count), np.zeros(count), np.zeros(3)
    numbers, kept, cranks = limits.numbers(frame.size), [], []
    for row, own in zip(rows, angles, strict=True):
        row, x, side = row.copy(), row[:SIZE].copy(), float(row[SIDE])
        own = x[THETA0] + task.phi if task.timed else own.copy()
        rounds = ROUNDS if row[ERROR] > SURE else 0
        if level and rounds:
            levelled(task, x, side)
            rounds = 0
        fault = refined(task, x, own, side, rounds, numbers, sides, work, out)
        if fault == FINE:
            row[:SIZE], row[ERROR], row[WAY], row[LEAST] = x, *out
            kept.append(row)
            cranks.append(own)
    return np.array(kept).reshape(-1, rows.shape[1]), np.array(cranks).reshape(-1, count)
