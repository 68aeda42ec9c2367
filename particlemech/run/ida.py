"""System -> samples, with SUNDIALS IDA through scikit-sundae; only this module and adams.py know the wrapper's ways.

The run goes from sample to sample; samples are read off by IDA's own interpolation, so they have no part in its steps.
Every step is seen on the way (IDA calls a function after each, as it does to look for roots), measured (along.py), and
every few steps the run looks whether it still makes headway. At times where a signal jumps or an impulse acts the run
restarts from a consistent state. It also restarts, from where it is, where the pose asks for other settings
(settings.py).
"""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from particlemech.engine.system import Array, Jacobian, Residual, System, counted
from particlemech.errors import ModelError
from particlemech.run import ends
from particlemech.run.along import Along
from particlemech.run.certificate import at_stake
from particlemech.run.events import Event, Watch
from particlemech.run.lobes import Lobes
from particlemech.run.overheard import OVERHEARD
from particlemech.run.settings import MARGIN as MARGIN  # callers know it by this module
from particlemech.run.settings import SOFTER, Settings, yielding
from particlemech.run.start import Start, accelerations, assembled, projected, weights
from particlemech.run.trajectory import Status, Trajectory, stops, struck

OPEN = 100.0  # times rtol and the scale: a row open by more has lost closure
FINEST = 1e-7  # of the scale: below it rows are open by rounding or soft, and no question is asked
HOPELESS = 1e-3  # of the scale: rows open by more end a run, whatever the reason
STEP_LIMIT = 1_000_000
ENOUGH = 50_000  # steps after which it is asked whether more lead anywhere
HOPE = 0.1  # of the way that as many steps as are allowed must lead, where what vibrates is too fast to be followed
STRIDE = 200  # steps that IDA takes on its own
PAUSED = -1  # IDA's word for having done them
SPARSE_FROM = 550  # unknowns from which the sparse solver pays (chains: 1.4 times the time at 529, a quarter at 733)
LOOK = 25  # steps between two looks at headway
BLOCK = 200  # steps that are measured together; energies of many cost little more than that of one
LABOUR = 0.6  # Jacobians per step, over two looks, that show that steps fail (0.04 to 0.1 otherwise, 1.2 in trouble)
STUCK = 8  # looks at failing steps after which it is asked whether a driver is at its limit
CURE = "loosen rtol, or keep away from it"


class _NotFinite(ArithmeticError):
    """The residual is not finite."""

    def __init__(self, t: float) -> None:
        super().__init__(f"not finite at t = {t:g} s")
        self.t = t


class _Restart(Exception):
    """The pose asks for other settings."""


class _Ended(Exception):
    """The run cannot go on, and why."""

    def __init__(self, end: tuple[Status, str]) -> None:
        super().__init__()
        self.end = end


_WARNINGS = threading.Lock()  # the filters of warnings belong to the whole process


def run(
    system: System,
    start: Start,
    times: Array,
    rtol: float,
    linear_solver: str = "auto",
    events: Mapping[str, Event] | None = None,
    progress: Any = None,
    margin: float = MARGIN,
    most: int = STEP_LIMIT,
    watch: Watch | None = None,
) -> Trajectory:
    """Return samples at `times` (the first is the start), in at most `most` steps, each to `margin` of rtol."""
    watch = watch or Watch(system, events or {})
    return _Run(system, rtol, linear_solver, watch, progress, margin, most).go(start, times)


class _Run:
    """One integration, with its counters."""

    def __init__(
        self,
        system: System,
        rtol: float,
        linear_solver: str,
        watch: Watch,
        progress: Any,
        margin: float,
        most: int,
    ) -> None:
        self.system, self.rtol, self.progress, self.most = system, rtol, progress, most
        self.settings = Settings(system, rtol, margin)
        large = system.n >= SPARSE_FROM and not system.dense
        self.sparse = linear_solver == "sparse" or (linear_solver == "auto" and large)
        self.laws = {False: system.callbacks(self.sparse)}  # residual (returns whether it is finite) and Jacobian
        self.stats: dict[str, Any] = {"steps": 0, "residuals": 0, "jacobians": 0, "restarts": 0}
        self.stats |= {"size": system.n, "sparse": self.sparse}
        self.along = Along(system)
        self.block_t, self.block = np.empty(BLOCK), np.empty((2, BLOCK, system.n))  # y and y' of the last steps
        self.loosely = 0  # steps taken with velocities held loosely, away from singular poses
        self.open = FINEST  # what rows may be open, of the scale, before the pose is judged
        self.filled, self.skipped = 0, (math.nan, math.nan)
        self.t = 0.0
        self.latest: tuple[float, Array, Array] = 0.0, np.empty(0), np.empty(0)  # last step seen
        self.ended = False  # by a terminal event
        self.watch, self.lobes = watch, Lobes(system)

    def go(self, start: Start, times: Array) -> Trajectory:
        began = time.perf_counter()
        system, lay = self.system, self.system.layout
        y = np.zeros(system.n)
        y[lay.q], y[lay.v], y[lay.lam], y[lay.x] = start.q, start.v, start.lam, start.x
        samples = [y.copy()]
        status, message = Status.COMPLETED, "completed"
        yp = self._rates(float(times[0]), y, start.a)
        self.times, self.samples = times, samples
        all_stops, self.near = stops(system.breaks, times)
        t = float(times[0])
        self.along.begin(t, y)
        try:
            for stop in all_stops:
                wanted = times[(times > t) & (times <= stop)]
                end = self._leg(t, y, yp, stop, wanted)
                if end is not None:
                    status, message = end
                    break
                t = stop
                if stop < times[-1]:
                    y, yp = self._restarted(t, self.last)
        except KeyboardInterrupt:
            status, message = Status.INTERRUPTED, f"interrupted at t = {self.t:g} s"
        if status is Status.COMPLETED:
            status, message = self._vouched(message)
        self.stats["seconds"] = time.perf_counter() - began
        K = len(samples)
        t_out = times[:K]
        if self.ended:
            t_out = np.append(times[: K - 1], self.t)
        rows, found = np.array(samples), self.watch.found
        self.along.between(t_out, rows)
        measured = self.along.certificate()
        return Trajectory(t_out, rows, status, message, self.stats, found, certificate=measured)

    def _rates(self, t: float, y: Array, a: Array) -> Array:
        lay, yp = self.system.layout, np.zeros(self.system.n)
        yp[lay.q], yp[lay.v] = self.system.kinematics(t, y[lay.q], y[lay.v]), a
        yp[lay.x] = self.system.following(t, y[lay.q], y[lay.v], y[lay.lam], y[lay.x])
        return yp

    def _restarted(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return a consistent state just after a stop."""
        system, lay, y = self.system, self.system.layout, struck(self.system, t, self.near, y).copy()
        y[lay.q] = assembled(counted(system, y), t, y[lay.q])
        y[lay.v] = projected(system, t, y[lay.q], y[lay.v])
        a, y[lay.lam] = accelerations(system, t, y[lay.q], y[lay.v], y[lay.x])
        y[lay.mu] = 0.0
        return y, self._rates(t, y, a)

    # -- what IDA calls ----------------------------------------------------------------------------------------

    def _callbacks(self) -> tuple[Any, Jacobian]:
        """Return what IDA calls up to the next restart: thousands of times, so plain variables and few of them."""
        clamp, stats = self.clamp, self.stats
        residual: Residual
        residual, jacobian = self.laws[self.settings.soft]

        def checked(t: float, y: Array, yp: Array, res: Array) -> None:
            if not residual(min(t, clamp), y, yp, res):
                raise _NotFinite(t)

        def slopes(t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
            stats["jacobians"] += 1
            jacobian(min(t, clamp), y, yp, res, cj, J)

        return checked, slopes

    def _observer(self, begin: float, stop: float) -> Any:
        """Return what IDA calls after every step, as if to look for a root; there is none.

        It calls at the times of samples too, where it stops to give them out: these are no steps.
        """
        stats, times, states, rates = self.stats, self.block_t, self.block[0], self.block[1]
        steps, looks, labour, last, jacobians = 0, 0, 0, begin, stats["jacobians"]

        def seen(t: float, y: Array, yp: Array, roots: Array) -> None:
            nonlocal steps, looks, labour, last, jacobians
            roots[0] = 1.0
            if t <= last or (t in self.skipped and t != stop):
                return
            last = t
            k = self.filled
            times[k], states[k], rates[k] = t, y, yp
            self.filled = k + 1
            stats["steps"] += 1
            if stats["steps"] >= self.most or stats["steps"] % ENOUGH == 0:
                self._ask(t, y)
            if k + 1 == BLOCK:
                self._measure()
            steps += 1
            if steps == LOOK:
                looks, steps = looks + 1, 0
                self.loosely += LOOK if self.settings.loose > 1.0 and not self.settings.soft else 0
                before, labour, jacobians = labour, stats["jacobians"] - jacobians, stats["jacobians"]
                failing = looks > 1 and before + labour > LABOUR * 2 * LOOK
                if t < stop and self.system.n_row:
                    if self.settings.reset(t, states[k], failing, looks):
                        raise _Restart
                    if failing and looks % STUCK == 0:  # because a driver is at its limit?
                        self._over(ends.locked(counted(self.system, states[k]), t, states[k, self.system.layout.q]), t)

        seen.terminal, seen.direction = [True], [0]  # type: ignore[attr-defined]
        return seen

    def _ask(self, t: float, y: Array) -> None:
        """Raise where so many steps were taken that no more are, or none will lead on."""
        steps, gone = self.stats["steps"], (t - self.times[0]) / (self.times[-1] - self.times[0])
        end = ends.barred(self.system, t, np.array(y))
        if end is not None:
            raise _Ended((end.status, end.message))
        hopeless = self.settings.swarms and gone * self.most < HOPE * steps
        if steps >= self.most or hopeless:
            raise _Ended((Status.STEP_LIMIT, ends.tired(self.system, t, np.array(y), steps)))

    def _measure(self) -> None:
        """Take the steps seen since the last look into the certificate; raise where closure is lost."""
        K, self.filled = self.filled, 0
        if not K:
            return
        position, velocity = self.along.block(self.block_t[:K], self.block[0, :K])
        before, t = self.latest, self.block_t[:K]
        self.latest = float(t[-1]), self.block[0, K - 1].copy(), self.block[1, K - 1].copy()
        self._over(ends.jams_between(self.system, before, t, *self.block[:, :K]), math.inf)
        gaps = np.maximum(position, velocity * self.system.scale.time) / self.system.scale.length
        while (open_ := gaps > max(OPEN * self.rtol, self.open)).any():
            self._judge(self.block_t[int(np.argmax(open_))], self.block[0, int(np.argmax(open_))], gaps[open_][0])

    # -- legs --------------------------------------------------------------------------------------------------

    def _solver(self, begin: float, stop: float) -> Any:
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
        if self.settings.soft and True not in self.laws:  # eps is proportional to T
            self.laws[True] = self.system.retimed(SOFTER * self.system.scale.time).callbacks(self.sparse)
        algebraic = np.r_[lay.lam, lay.mu]
        residual, jacobian = self._callbacks()
        options["rtol"], options["atol"] = self.settings.tolerances()
        options["max_order"] = self.settings.order
        options["first_step"] = self.settings.first_step(stop - begin)
        options |= {"eventsfn": self._observer(begin, stop), "num_events": 1}
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the wrapper warns that our own Jacobian replaces its own
            return IDA(residual, jacfn=jacobian, algebraic_idx=algebraic, **options)

    def _leg(self, t: float, y: Array, yp: Array, stop: float, wanted: Array) -> Any:
        """Run from t to stop without a jump; return None, or status and message of an early end."""
        self.t, self.last, samples = t, y, self.samples
        # a signal that jumps at the stop still has its old value there
        self.clamp = math.nextafter(stop, -math.inf) if stop in self.system.breaks else math.inf
        struck = self.watch.begin(t, y)
        if struck is not None:
            if self.times[len(samples) - 1] == t:
                samples.pop()  # the state after the impulse, at which the run ends, takes its place
            samples.append(y.copy())
            self.ended = True
            return Status.COMPLETED, struck[1]
        # samples an ulp after a jump are those of the restart: IDA refuses to go so short a way
        while len(wanted) and wanted[0] - t <= self.near:
            samples.append(y.copy())
            wanted = wanted[1:]
        self.settings.usual()
        self.lobes.begin(t)
        y, yp = yielding(self.system, t, y, yp, 1.0)
        with OVERHEARD as troubles:
            while True:
                eps = self.settings.eps
                self.latest = t, y, yp
                try:
                    end = self._restless(t, y, yp, stop, wanted, troubles)
                    self._measure()
                except _Ended as lost:
                    return lost.end
                if end is not _Restart:
                    return end
                troubles.clear()
                self.stats["restarts"] += 1
                t, y, yp = self.latest if not self.watch else (self.t, self.last, self.rates)
                y, yp = yielding(self.system, t, y, yp, self.settings.eps - eps)
                wanted = self.times[len(samples) :]
                wanted = wanted[wanted <= stop]

    def _restless(self, *stretch: Any) -> tuple[Status, str] | type[_Restart] | None:
        """Run as `_stretch`, and return _Restart where that is raised."""
        try:
            return self._stretch(*stretch)
        except _Restart:
            return _Restart
        except _NotFinite as error:
            return self._not_finite(error.t)

    def _stretch(
        self, t: float, y: Array, yp: Array, stop: float, wanted: Array, troubles: list[str]
    ) -> tuple[Status, str] | type[_Restart] | None:
        """Run from t to stop without a restart; as `_leg`, or _Restart where no step could be made but others may."""
        samples, k, before, idle = self.samples, 0, self.stats["residuals"], 0
        self.rates = yp
        solver = self._solver(t, stop)
        solver.init_step(t, y, yp)
        while self.t < stop:
            limit = min(stop, self._looked_ahead()) if self.lobes else stop
            mode, to = ("onestep", limit) if self.watch else ("normal", min(wanted[k : k + 1], default=stop))
            to = min(to, limit)
            self.skipped = to if to == stop or to < limit else math.nan, self.skipped[0]
            step = solver.step(to, mode, limit)
            self.stats["residuals"] = before + int(step.nfev)
            # steps may become so short that time stands still, and IDA would take them for ever
            idle = 0 if step.t > self.t else idle + (1 if self.watch else STRIDE)
            if step.status == PAUSED and idle < STRIDE:
                troubles.clear()
            elif not step.success or idle >= STRIDE:
                at, y_at, _ = self._last_seen()
                if self.system.n_row and self.settings.relieved(at, y_at):
                    return _Restart
                return self._failed(step, troubles)
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
            self.t, self.last, self.rates = step.t, step.y, step.yp
            if self.progress is not None:
                self.progress(step.t)
        return None

    def _looked_ahead(self) -> float:
        """Return how far steps may go without another look at cams."""
        t = float(self.block_t[self.filled - 1]) if self.filled else self.latest[0]
        return self.lobes.until(t, self.stats["steps"], lambda: self._last_seen()[1])

    def _last_seen(self) -> tuple[float, Array, Array]:
        """Return time, y and y' of the last step."""
        if self.filled:
            k = self.filled - 1
            self.latest = float(self.block_t[k]), self.block[0, k].copy(), self.block[1, k].copy()
        return self.latest

    # -- ends --------------------------------------------------------------------------------------------------

    def _drop(self, t: float) -> None:
        """Drop what comes after a time."""
        while len(self.samples) > 1 and self.times[len(self.samples) - 1] > t:
            self.samples.pop()
        for name, found in self.watch.found.items():
            self.watch.found[name] = [zero for zero in found if zero[0] <= t]
        self.t = t

    def _over(self, end: ends.End | None, t: float) -> None:
        """Raise if the run is over, dropping what comes after its end, or after t."""
        if end is not None:
            self._drop(min(t, end.t))
            raise _Ended((end.status, end.message))

    def _judge(self, t: float, y: Array, gap: float) -> None:
        """Raise if a mechanism with open rows cannot go on, dropping what comes after; else allow for more."""
        system, lay = self.system, self.system.layout
        end = ends.judged(counted(system, y), t, y[lay.q], y[lay.v], CURE)
        if gap < HOPELESS and (end is None or end.status is not Status.LOCKED):
            self.open = 10.0 * gap  # rounding and soft rows: the certificate tells how bad it became
            return
        if end is None:
            at = counted(system, y).levels(t, y[lay.q], y[lay.v])
            rates = system.scale.time * np.abs(at.phi_q @ y[lay.v] + at.phi_t)
            part = lay.rows[int(np.argmax(weights(system) * np.maximum(np.abs(at.phi), rates)))].part
            said = f"{part} lost closure at t = {t:.6g} s; tighten rtol, or check the mechanism there"
            end = ends.End(Status.LOCKED, t, said)
        self._over(end, t)

    def _vouched(self, message: str) -> tuple[Status, str]:
        """Return how a run ends that reached its end: where it was held loosely or softly, energy must vouch for it."""
        found = self.along.certificate()
        if found is not None:
            work = float(self.last[self.system.layout.x.stop - 1] - self.samples[0][self.system.layout.x.stop - 1])
            lost = found.energy_error / at_stake(found, self.system.scale, work)
            doubt = self.settings.doubt(lost, self.loosely / max(1, self.stats["steps"]))
            if doubt is not None:
                return Status.INACCURATE, doubt
        return Status.COMPLETED, message

    def _failed(self, step: Any, said: list[str]) -> tuple[Status, str]:
        """Return status and message of a step that IDA could not make."""
        reason = "; ".join(said) or str(step.message)
        t, y, _ = self._last_seen()
        end = ends.posed(self.system, t, y, CURE, self.system.n_row > 0)
        if end is not None:
            return end.status, end.message
        cure = 'take integrator "auto", or loosen or tighten rtol'
        return Status.STEP_LIMIT, f"no step could be made at t = {t:.6g} s; {cure} (IDA says: {reason})"

    def _not_finite(self, at: float) -> tuple[Status, str]:
        """Return status and message where the residual is not finite; where laws are, a step has run away."""
        t, y, yp = self._last_seen()
        residual, _ = self.laws[self.settings.soft]
        fine = self.system.n_row > 0 and residual(min(at, self.clamp), y, yp, np.empty(self.system.n))
        end = ends.posed(self.system, t, y, CURE, fine)
        if end is not None:
            return end.status, end.message
        said = f"{self.system.not_finite(at, y)} gave a value that is not a number at t = {at:.6g} s"
        return Status.NOT_A_NUMBER, f"{said}; check its numbers there"

    def _event(self, solver: Any, step: Any) -> tuple[float, str, Array] | None:
        """Look for zeros of events within the last step; return time, message and state of a terminal one."""

        def at(t: float) -> Array:
            y: Array = self.last if t <= self.t else step.y if t == step.t else solver.step(t, "normal").y
            return y

        return self.watch.step(self.t, step.t, at)
