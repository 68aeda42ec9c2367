"""System -> samples, with SUNDIALS IDA through scikit-sundae; the only place that knows the wrapper's ways.

The run goes from sample to sample, and pauses every few internal steps to watch closure; where events are looked for
it goes step by step. Samples are read off by IDA's own interpolation. At times where a signal jumps or an impulse
acts the run restarts from a consistent state.
"""

from __future__ import annotations

import math
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.events import Event, Watch
from particlemech.initial import Start, accelerations, assembled, least_step, projected, weights
from particlemech.system import Array, Jacobian, Residual, System, regularisation
from particlemech.trajectory import Status, Trajectory, stops, struck

MARGIN = 0.1  # of rtol: IDA holds the error of one step, and these add up along a run
NOISE = 3e-10  # below it no margin: near singular poses a step is no better, but costs (seen: 6 times the residuals)
UNCONTROLLED = 1e40  # absolute tolerance of what takes no part in error control
OPEN = 100.0  # times rtol and the scale: a row open by more has lost closure
FINEST = 1e-9  # rtol below which that limit shrinks no more: near singular poses regularised rows give way this much
STEP_LIMIT = 1_000_000
STRIDE = 25  # steps that IDA takes on its own between two looks at closure
PAUSED = -1  # IDA's word for having done them
SPARSE_FROM = 550  # unknowns from which the sparse solver pays (chains: 1.4 times the time at 529, a quarter at 733)


class _NotFinite(ArithmeticError):
    """The residual is not finite."""

    def __init__(self, t: float) -> None:
        super().__init__(f"not finite at t = {t:g} s")
        self.t = t


class _Overheard:
    """Stands in for stdout while runs go on: keeps what SUNDIALS prints by itself, passes on what user functions print.

    Runs in several threads share it; each hears its own troubles. The last one to leave puts stdout back.
    """

    def __init__(self) -> None:
        self.lock, self.runs, self.out = threading.Lock(), 0, sys.stdout
        self.troubles: dict[int, list[str]] = {}
        self.dropping: set[int] = set()

    def __enter__(self) -> list[str]:
        with self.lock:
            if not self.runs:
                self.out, sys.stdout = sys.stdout, self
            self.runs += 1
            return self.troubles.setdefault(threading.get_ident(), [])

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.runs -= 1
            self.troubles.pop(threading.get_ident(), None)
            if not self.runs and sys.stdout is self:
                sys.stdout = self.out

    def write(self, text: str) -> int:
        """Keep a line of SUNDIALS, or pass the text on."""
        me = threading.get_ident()
        if text.startswith("\n[") and ", Error: " in text:
            self.troubles.setdefault(me, []).append(" ".join(text.split()))
            self.dropping.add(me)
        elif me in self.dropping and text == "\n":
            self.dropping.discard(me)
        else:
            self.out.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.out, name)


_OVERHEARD = _Overheard()
_WARNINGS = threading.Lock()  # the filters of warnings belong to the whole process


def run(
    system: System,
    start: Start,
    times: Array,
    rtol: float,
    linear_solver: str = "auto",
    events: Mapping[str, Event] | None = None,
    progress: Callable[[float], None] | None = None,
    margin: float = MARGIN,
    most: int = STEP_LIMIT,
) -> Trajectory:
    """Return the samples of a motion at `times` (the first is the start), in at most `most` steps.

    `margin` of rtol is IDA's tolerance for one step.
    """
    return _Run(system, rtol, linear_solver, dict(events or {}), progress, margin, most).go(start, times)


class _Run:
    """One integration, with its counters."""

    def __init__(
        self,
        system: System,
        rtol: float,
        linear_solver: str,
        events: dict[str, Event],
        progress: Any,
        margin: float,
        most: int,
    ) -> None:
        self.system, self.rtol, self.progress, self.most = system, rtol, progress, most
        large = system.n >= SPARSE_FROM and not system.dense
        self.sparse = linear_solver == "sparse" or (linear_solver == "auto" and large)
        lay, scale = system.layout, system.scale
        # the error norm averages over all unknowns; only q, v and the work are controlled, so weigh as if there were
        # no others. Without the work a fully driven mechanism is too easy: its motion is known, its efforts are not
        # (seen: an energy error of 6e-4 of its scale at rtol 1e-8). A tenth, because its errors add up along the run.
        share = math.sqrt((system.n_q + system.n_v + 1) / system.n)
        atol = np.full(system.n, UNCONTROLLED)
        step = share * max(margin * rtol, min(rtol, NOISE))
        atol[lay.q] = step * system.size_q
        atol[lay.v] = step * system.size_v / scale.time
        atol[lay.x.stop - 1] = 0.1 * step * scale.mass * (scale.length / scale.time) ** 2
        self.tolerances = {"rtol": step, "atol": atol}
        eps_v, eps_p = regularisation(scale, lay.rows)
        as_length = weights(system)
        # multipliers (lam, mu) of a state -> how far their rows are open, in units of L and L/T
        held = [k for k, row in enumerate(lay.rows) if row.lam >= 0]
        self.gap_row = np.array([*held, *range(system.n_row)], dtype=int)
        self.gaps = np.r_[(eps_v * as_length)[held] * scale.time, eps_p * as_length] / scale.length
        residual, self.jacobian = system.callbacks(self.sparse)
        self.residual: Residual = residual  # returns whether it is finite
        self.stats: dict[str, Any] = {"steps": 0, "residuals": 0, "jacobians": 0}
        self.stats |= {"size": system.n, "sparse": self.sparse}
        self.t = 0.0
        self.ended = False  # by a terminal event
        self.watch = Watch(system, events)

    def go(self, start: Start, times: Array) -> Trajectory:
        began = time.perf_counter()
        system, lay = self.system, self.system.layout
        y = np.zeros(system.n)
        y[lay.q], y[lay.v], y[lay.lam], y[lay.x] = start.q, start.v, start.lam, start.x
        samples = [y.copy()]
        status, message = Status.COMPLETED, "completed"
        yp = self._rates(float(times[0]), y, start.a)
        self.times = times
        all_stops, self.near = stops(system.breaks, times)
        t = float(times[0])
        try:
            for stop in all_stops:
                wanted = times[(times > t) & (times <= stop)]
                end = self._leg(t, y, yp, stop, wanted, samples)
                if end is not None:
                    status, message = end
                    break
                t = stop
                if stop < times[-1]:
                    y, yp = self._restarted(t, self.last)
        except KeyboardInterrupt:
            status, message = Status.INTERRUPTED, f"interrupted at t = {self.t:g} s"
        except _NotFinite as error:
            status, message = Status.NOT_A_NUMBER, self._not_finite(error)
        self.stats["seconds"] = time.perf_counter() - began
        K = len(samples)
        t_out = times[:K]
        if self.ended:
            t_out = np.append(times[: K - 1], self.t)
        return Trajectory(t_out, np.array(samples), status, message, self.stats, self.watch.found)

    def _rates(self, t: float, y: Array, a: Array) -> Array:
        lay, yp = self.system.layout, np.zeros(self.system.n)
        yp[lay.q], yp[lay.v] = self.system.kinematics(t, y[lay.q], y[lay.v]), a
        yp[lay.x] = self.system.following(t, y[lay.q], y[lay.v], y[lay.lam], y[lay.x])
        return yp

    def _restarted(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return a consistent state just after a stop."""
        system, lay, y = self.system, self.system.layout, struck(self.system, t, self.near, y).copy()
        y[lay.q] = assembled(system, t, y[lay.q])
        y[lay.v] = projected(system, t, y[lay.q], y[lay.v])
        a, y[lay.lam] = accelerations(system, t, y[lay.q], y[lay.v], y[lay.x])
        y[lay.mu] = 0.0
        return y, self._rates(t, y, a)

    def _yielding(self, t: float, y: Array, yp: Array) -> tuple[Array, Array]:
        """Return the state with loaded rows giving way, phi_q v = -eps_v lam, so that a run starts in balance."""
        lay, y, yp = self.system.layout, y.copy(), yp.copy()
        eps_v, _ = regularisation(self.system.scale, lay.rows)
        lam = np.array([y[lay.lam][row.lam] if row.lam >= 0 else 0.0 for row in lay.rows])
        y[lay.v] -= least_step(self.system, t, y[lay.q], eps_v * lam)
        yp[lay.q] = self.system.kinematics(t, y[lay.q], y[lay.v])
        return y, yp

    def _callbacks(self) -> tuple[Any, Jacobian]:
        """Return what IDA calls up to the next jump: thousands of times, so plain variables and few of them."""
        tried, clamp, stats, residual, jacobian = self.t, self.clamp, self.stats, self.residual, self.jacobian

        def checked(t: float, y: Array, yp: Array, res: Array) -> None:
            nonlocal tried
            if t != tried:
                t = min(t, clamp)
                if t > tried:  # a rejected step is tried again at an earlier time, and counts once
                    stats["steps"] += 1
                tried = t
            if not residual(t, y, yp, res):
                raise _NotFinite(t)

        def slopes(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            jacobian(min(t, clamp), y, yp, res, cj, J)

        return checked, slopes

    def _solver(self) -> Any:
        try:
            from sksundae.ida import IDA
        except ImportError as error:
            raise ModelError(
                f'integrator "ida" needs the package scikit-sundae, which is not installed here ({error}); '
                'use integrator "explicit", which does without'
            ) from None
        lay, n = self.system.layout, self.system.n
        options: dict[str, Any] = {"linsolver": "dense", "max_num_steps": STRIDE}
        if self.sparse:
            from scipy.sparse import csc_matrix

            ones = np.ones(len(self.system.indices))
            pattern = csc_matrix((ones, self.system.indices, self.system.indptr), shape=(n, n))
            options |= {"linsolver": "sparse", "sparsity": pattern}
        algebraic = np.r_[lay.lam, lay.mu]
        residual, jacobian = self._callbacks()
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the wrapper warns that our own Jacobian replaces its own
            return IDA(residual, jacfn=jacobian, algebraic_idx=algebraic, **self.tolerances, **options)

    def _leg(self, t: float, y: Array, yp: Array, stop: float, wanted: Array, samples: list[Array]) -> Any:
        """Run from t to stop without a jump; return None, or status and message of an early end."""
        self.t, self.last, k = t, y, 0
        # a signal that jumps at the stop still has its old value there
        self.clamp = math.nextafter(stop, -math.inf) if stop in self.system.breaks else math.inf
        struck = self.watch.begin(t, y)
        if struck is not None:
            if self.times[len(samples) - 1] == t:
                samples.pop()  # the state after the blow, at which the run ends, takes its place
            samples.append(y.copy())
            self.ended = True
            return Status.COMPLETED, struck[1]
        solver = self._solver()
        counted = (self.stats["residuals"], self.stats["jacobians"])
        # samples an ulp after a jump are those of the restart: IDA refuses to go so short a way
        while k < len(wanted) and wanted[k] - t <= self.near:
            samples.append(y.copy())
            k += 1
        with _OVERHEARD as troubles:
            solver.init_step(t, *self._yielding(t, y, yp))
            while self.t < stop:
                mode, to = ("onestep", stop) if self.watch else ("normal", wanted[k] if k < len(wanted) else stop)
                step = solver.step(to, mode, stop)
                self.stats["residuals"] = counted[0] + int(step.nfev)
                self.stats["jacobians"] = counted[1] + int(step.njev)
                if step.status == PAUSED:
                    troubles.clear()
                elif not step.success:
                    return self._failed(step, troubles)
                lost = self._open(step.y)
                if lost is not None:
                    return Status.LOCKED, self._locked(step.t, lost)
                end = self._event(solver, step) if self.watch else None
                reached = end[0] if end is not None else step.t
                while k < len(wanted) and wanted[k] <= reached and (end is None or wanted[k] < reached):
                    at = wanted[k]
                    samples.append(step.y if at == step.t else solver.step(at, "normal").y)
                    k += 1
                if end is not None:
                    self.t, self.ended = end[0], True
                    samples.append(end[2])
                    return Status.COMPLETED, end[1]
                self.t, self.last = step.t, step.y
                if self.progress is not None:
                    self.progress(step.t)
                if self.stats["steps"] >= self.most:
                    said = f"{self.stats['steps']} steps at t = {self.t:g} s"
                    return Status.STEP_LIMIT, f"{said}; loosen rtol, shorten the run or raise max_steps"
        return None

    # -- closure -----------------------------------------------------------------------------------------------

    def _open(self, y: Array) -> Array | None:
        """Return how far each row is open if one has lost closure; in the stabilised form phi = eps_p mu."""
        lay = self.system.layout
        gaps = np.abs(self.gaps * y[lay.lam.start : lay.mu.stop])
        if gaps.max(initial=0.0) <= OPEN * max(self.rtol, FINEST):
            return None
        worst = np.zeros(self.system.n_row)
        np.maximum.at(worst, self.gap_row, gaps)
        return worst

    def _locked(self, t: float, gaps: Array) -> str:
        rows, order = self.system.layout.rows, np.argsort(-gaps)
        taking_part = [k for k in order if gaps[k] > 1e-3 * gaps.max()]
        driver = next((rows[k].part for k in taking_part if rows[k].part.startswith("driver")), None)
        joint = next((rows[k].part for k in order if not rows[k].part.startswith("driver")), None)
        if driver is not None:
            opened = next((rows[k].part for k in taking_part if rows[k].part.startswith("joint")), joint)
            would = "open" if opened and opened.startswith("joint") else "lose its shape"
            where = f"; {opened} would {would}" if opened else ""
            return (
                f"{driver} is locked at t = {t:.6g} s: the joints cannot follow its motion any further{where}. "
                "Stop before, or change the motion or the lengths"
            )
        return f"{joint} lost closure at t = {t:.6g} s; tighten rtol, or check the mechanism there"

    def _failed(self, step: Any, said: list[str]) -> tuple[Status, str]:
        """Return status and message of a step that IDA could not make."""
        t = float(step.t)
        reason = "; ".join(said) or str(step.message)
        q, v = self.last[self.system.layout.q], self.last[self.system.layout.v]
        phi_q = weights(self.system)[:, None] * self.system.levels(t, q, v).phi_q
        if len(phi_q):
            U, singular, _ = np.linalg.svd(phi_q)
            # who takes part in the row combination that is nearly lost
            part = np.abs(U[:, len(singular) - 1])
            rows = self.system.layout.rows
            drivers = [k for k in np.argsort(-part) if rows[k].part.startswith("driver") and part[k] > 1e-3]
            if drivers and singular[-1] < 1e-3 * singular[0]:
                return (
                    Status.LOCKED,
                    f"{rows[drivers[0]].part} is locked at t = {t:.6g} s: the mechanism has reached a pose that its "
                    "motion cannot leave; stop before, or change the motion or the lengths",
                )
        return Status.STEP_LIMIT, f"no step could be made at t = {t:.6g} s; loosen or tighten rtol (IDA says: {reason})"

    def _not_finite(self, error: _NotFinite) -> str:
        culprit = self.system.not_finite(error.t, self.last)
        return f"{culprit} gave a value that is not a number at t = {error.t:.6g} s; check its numbers there"

    def _event(self, solver: Any, step: Any) -> tuple[float, str, Array] | None:
        """Look for zeros of events within the last step; return time, message and state of a terminal one."""

        def at(t: float) -> Array:
            y: Array = self.last if t <= self.t else step.y if t == step.t else solver.step(t, "normal").y
            return y

        return self.watch.step(self.t, step.t, at)
