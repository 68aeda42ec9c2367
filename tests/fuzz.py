"""Random mechanisms against every integrator: `python -m tests.fuzz 1000` in the root of a checkout.

Those of the plane; with `--space`, those of `fuzz_space.py`, by the same words.

Each mechanism of `fuzz_mechanisms.py` is run by "auto" and by "ida" at rtol 1e-9, every tenth and every one in doubt in
absolute coordinates besides, and must be completed and right, or stopped with a true reason:

    agree       both completed, all points and angles alike to 1e-6 of the size; or both refused it in words; or both
                say that a driver is locked, the same one at the same time, and the joints alone say so too
    said so     "ida" by name says that its own certificate fails or that it can make no step, or "absolute" does, and
                "auto" is right: as the other opinion says, or else finer steps; or "auto" itself says so
    sensitive   completed and 1e-6 to 1e-4 off, and at rtol 1e-11 right: errors of steps that grow along the motion
    differs     the ends differ, or the reason given is not true
    wrong       completed, and more than 1e-6 off
    gave up     "auto" at its step limit, or the time limit of this command

A run lasts as long as it can be predicted: two more runs at rtol 1e-11, one of them with forces of 1e-8 of what would
move each body in the mechanism's own time, say when a disturbance has grown ten thousandfold (1e-12 to 1e-8), and there
the run ends. It ends earlier
where it would take more than STEPS explicit steps, as vibrations do on springs of 1e9 N/m.

`--out DIRECTORY` keeps the model files of all that did not agree; `python -m tests.fuzz --seed 1234` judges one.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import multiprocessing
import re
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import particlemech as pm
from particlemech import forces
from particlemech.analyses.validation import followed
from particlemech.model.mechanism import Mechanism, size
from particlemech.model.toml import dumps
from tests.fuzz_mechanisms import drawn

RTOL, FINE = 1e-9, 1e-11
ALIKE = 1e-6  # of the size
SLIGHT = 10.0 * RTOL  # of the size: joints open by less where a driver has just passed its limit are within tolerance
SENSITIVE = 1e-4  # of the size: what errors of steps may add up to at RTOL where motions magnify them
DISTURBED = 1e-8  # forces on each body, as a fraction of what would move it by its size in the mechanism's own time
GROWN = 1e4  # how far a disturbance may grow
STEPS = 250  # explicit steps at rtol 1e-11; IDA takes twenty times as many at 1e-9, 0.15 s of CPU time
LADDER = 8.0  # by which trial runs get longer
SAMPLES = 21
EVERY = 50  # mechanisms between two words on progress
AT_ONCE = 0.02  # of the duration: two ends this near are one
ORDER = ("agree", "said so", "sensitive", "differs", "wrong", "gave up", "error")
HONEST = ("inaccurate", "step limit")  # ends that an integrator asked for by name may come to where others do not


class OutOfTimeError(Exception):
    """The time limit of one case."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What came of one mechanism."""

    seed: int
    kind: str  # of ORDER
    why: str
    ends: dict[str, str]  # how -> status
    apart: float = 0.0  # of the size
    seconds: float = 0.0  # CPU time
    text: str = ""  # model file


# -- runs ------------------------------------------------------------------------------------------------------------


def run(mechanism: Mechanism, how: str, duration: float, rtol: float = RTOL, samples: int = SAMPLES) -> Any:
    """Return the result of a run, or the words in which it was refused; `how`: an integrator, or "absolute"."""
    given: dict[str, Any] = {"integrator": how}
    if how == "absolute":
        given = {"formulation": "absolute", "integrator": "ida"}
    try:
        return pm.simulate(mechanism, duration=duration, samples=samples, rtol=rtol, throw=False, **given)
    except pm.ModelError as error:
        return str(error)


def end(result: Any) -> str:
    """Return how a run ended, in a word or two."""
    return "refused" if isinstance(result, str) else str(result.status.value)


def motion(result: Any, length: float) -> np.ndarray:
    """Return places of points and centres of mass and angles, (K, n), as lengths."""
    system = result.system.layout
    places = [result[p] for p in system.points] + [result.com(b) for b in system.bodies]
    turns = [length * result.angle(b)[:, None] for b in system.bodies]
    return np.hstack([*places, *turns])


def apart(one: Any, other: Any, length: float) -> np.ndarray:
    """Return how far two motions are apart at the samples both have, (K,), as a fraction of the way they make."""
    a, b = motion(one, length), motion(other, length)
    K = min(len(a), len(b))
    if len(one.t) != len(other.t):  # the last sample of a run that ends early may lie between two of the other
        K = int(np.sum(np.isclose(one.t[:K], other.t[:K], rtol=1e-9, atol=0.0)))
    reach = max(length, float(np.ptp(a, axis=0).max(initial=0.0)))
    return np.asarray(np.max(np.abs(a[:K] - b[:K]), axis=1, initial=0.0) / reach)


def disturbed(mechanism: Mechanism, seed: int, time: float) -> Mechanism:
    """Return the mechanism with small forces and couples on all bodies; `time`: its own, s."""
    rng, L = np.random.default_rng([7, seed]), size(mechanism)
    pushes: dict[str, Any] = {}
    for name, body in mechanism.bodies.items():
        push, turn = rng.normal(size=2), float(rng.normal())
        force = DISTURBED * 2.0 * body.mass * L / time**2 * push / math.hypot(*push)
        couple = DISTURBED * 2.0 * mechanism.inertia(name) / time**2 * math.copysign(1.0, turn)
        pushes[f"push {name}"] = forces.Load(body=name, point=mechanism.centre(name), force=tuple(map(float, force)))
        pushes[f"turn {name}"] = forces.Torque(bodies=("ground", name), torque=couple)
    return mechanism.replaced(forces=pushes)


def predictable(mechanism: Mechanism, seed: int) -> float:
    """Return how long a run can be predicted, s."""
    longest, L, by = mechanism.run.duration, size(mechanism), "explicit"
    T = longest / LADDER**3
    while True:
        first = run(mechanism, by, T, FINE, 41)
        if isinstance(first, str):
            return longest
        if end(first) != "completed" or T == longest or first.stats["steps"] > STEPS:
            break
        T = min(longest, LADDER * T)
    if first.stats["steps"] > STEPS:
        T = float(first.t[-1]) * STEPS / first.stats["steps"]
        first = run(mechanism, by, T, FINE, 41)
    if end(first) in ("stiff", "singular pose"):
        # the implicit integrator has to go on from there: as far again, or a tenth of the whole
        T, by = min(longest, max(2.0 * float(first.t[-1]), 0.1 * T)), "auto"
        first = run(mechanism, by, T, FINE, 41)
    if isinstance(first, str):
        return T
    other = run(disturbed(mechanism, seed, min(T, first.system.scale.time)), by, T, FINE, 41)
    if isinstance(other, str):
        return T
    grown = np.maximum.accumulate(apart(first, other, L)) / DISTURBED
    known = int(np.sum(grown <= GROWN))
    if known < len(grown):
        return float(first.t[max(known - 1, 1)])
    ended = float(first.t[-1])
    return T if end(first) == "completed" else min(T, 1.2 * ended + 0.05 * T)


# -- verdicts --------------------------------------------------------------------------------------------------------


def judged(seed: int) -> Verdict:
    """Return the verdict on the mechanism of a seed."""
    began = time.process_time()
    mechanism = drawn(seed)
    T, L = predictable(mechanism, seed), size(mechanism)
    mechanism = dataclasses.replace(mechanism, run=dataclasses.replace(mechanism.run, duration=T, samples=SAMPLES))
    runs = {how: run(mechanism, how, T) for how in ("auto", "ida")}
    kind, why, far = _compared(mechanism, runs["auto"], runs["ida"], L)
    said = kind == "said so"
    if (kind == "agree" and seed % 10 == 0) or kind in ("differs", "wrong") or said:
        runs["absolute"] = run(mechanism, "absolute", T)
    if kind in ("agree", "said so") and "absolute" in runs:
        kind, other, far = _compared(mechanism, runs["auto"], runs["absolute"], L)
        if kind == "said so" and end(runs["auto"]) == "completed":
            # no other opinion is left: finer steps
            runs["finer"] = run(mechanism, "explicit", T, 1e-12)
            finer, _, far = _compared(mechanism, runs["auto"], runs["finer"], L)
            kind = "said so" if finer == "agree" else finer
        why = why if kind == "agree" else f"{why}; absolute: {other}"
        kind = "said so" if said and kind == "agree" else kind
    if kind == "wrong":
        kind, why = _who(mechanism, runs, L, why)
    ends = {how: end(result) for how, result in runs.items()}
    seconds = time.process_time() - began
    text = dumps(mechanism) if kind != "agree" else ""
    return Verdict(seed, kind, why, ends, far, seconds, text)


def _compared(mechanism: Mechanism, one: Any, other: Any, L: float) -> tuple[str, str, float]:
    """Return verdict, why, and how far two runs are apart; the first is the default, the second the other opinion."""
    a, b = end(one), end(other)
    if a == b == "refused":
        return "agree", "refused", 0.0
    if "refused" in (a, b):
        words = one if a == "refused" else other
        return "differs", f"{a} or {b}: {words}", 0.0
    far = float(np.max(apart(one, other, L), initial=0.0))
    if a == b == "completed":
        return ("agree", "completed", far) if far <= ALIKE else ("wrong", f"completed {far:.1e} apart", far)
    if a == "step limit":
        return "gave up", f"{a} or {b}: {one.message} / {other.message}", far
    if a == b == "locked":
        return _locked(mechanism, one, other, far)
    if a == "completed" and b == "locked" and np.max(one.closure.position) <= SLIGHT * L:
        return "said so", f"a driver is past its limit by less than the tolerance: {other.message}", far
    if b in HONEST or a == "inaccurate":
        return "said so", other.message if b in HONEST else f"auto: {one.message}", far
    return "differs", f"{a} or {b}: {one.message} / {other.message}", far


def _named(message: str) -> tuple[str, float]:
    """Return the driver that a message calls locked, and when."""
    who = re.search(r'driver "([^"]+)"', message)
    when = re.search(r"t = ([-+0-9.e]+) s", message)
    return who[1] if who else "", float(when[1].rstrip(".")) if when else math.nan


def _locked(mechanism: Mechanism, one: Any, other: Any, far: float) -> tuple[str, str, float]:
    (who, t), (who_else, t_else), T = _named(one.message), _named(other.message), mechanism.run.duration
    if not who:
        return "differs", f"locked without the name of a driver: {one.message} / {other.message}", far
    if abs(t - t_else) > AT_ONCE * T:
        return "differs", f"locked at two times: {one.message} / {other.message}", far
    if who != who_else:
        return "differs", f"locked by two names: {one.message} / {other.message}", far
    if far > ALIKE:
        return "wrong", f"locked alike but {far:.1e} apart before: {one.message}", far
    if followed(mechanism, one, min(t, t_else) + AT_ONCE * T):
        return "differs", f"called locked, but the joints can follow: {one.message}", far
    return "agree", "locked", far


def _who(mechanism: Mechanism, runs: dict[str, Any], L: float, why: str) -> tuple[str, str]:
    """Return verdict and words on who is wrong where completed runs are apart: against much finer ones."""
    T = mechanism.run.duration
    truth = run(mechanism, "explicit", T, 1e-12)
    if end(truth) != "completed":
        truth = run(mechanism, "auto", T, FINE)
    if isinstance(truth, str):
        return "wrong", why
    runs = {how: result for how, result in runs.items() if not isinstance(result, str)}
    off = {how: _off(result, truth, L) for how, result in runs.items() if end(result) == "completed"}
    finer = {how: _off(run(mechanism, how, T, FINE), truth, L) for how in off if off[how] > ALIKE}
    said = ", ".join(
        f"{how} {far:.1e}{f' ({finer[how]:.1e} at 1e-11)' if how in finer else ''}" for how, far in off.items()
    )
    # an error that rtol lowers is not a wrong equation
    fair = all(off[how] <= SENSITIVE and finer[how] <= min(ALIKE, 0.1 * off[how]) for how in finer)
    return "sensitive" if fair else "wrong", f"{why}; off a run at 1e-12 ({end(truth)}): {said}"


def _off(result: Any, truth: Any, L: float) -> float:
    """Return how far a run is off another that has the truth, of the size; nothing of it where it was refused."""
    return math.inf if isinstance(result, str) else float(np.max(apart(result, truth, L), initial=0.0))


# -- the command -----------------------------------------------------------------------------------------------------


def limited(seed: int, limit: float, in_space: bool = False) -> Verdict:
    """Return a verdict within a limit of CPU time, s."""
    judge, draw = judged, drawn
    if in_space:
        from tests.fuzz_space import judged_in_space as judge
        from tests.support.random_spatial import drawn_in_space as draw

    def over(*_: object) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return judge(seed)
    except OutOfTimeError:
        return Verdict(seed, "gave up", f"time limit of {limit:g} s", {}, 0.0, limit, dumps(draw(seed)))
    except Exception as error:  # a fuzz test reports whatever comes
        return Verdict(seed, "error", f"{type(error).__name__}: {error}", {}, 0.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _task(task: tuple[int, float, bool]) -> Verdict:
    return limited(*task)


def main() -> int:
    """Judge many mechanisms and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=1, help="how many mechanisms")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--space", action="store_true", help="mechanisms in space")
    parser.add_argument("--time-limit", type=float, default=10.0, help="CPU time of one, s")
    parser.add_argument("--out", type=Path, default=Path("fuzz_failures"), help="where failing models are kept")
    given = parser.parse_args()
    tasks = [(given.seed + k, given.time_limit, given.space) for k in range(given.number)]
    counts, ways, worst, spent = Counter[str](), Counter[str](), 0.0, 0.0
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        for n, verdict in enumerate(pool.imap_unordered(_task, tasks, chunksize=1), 1):
            counts[verdict.kind] += 1
            ways[f"{verdict.kind}: {verdict.why if verdict.kind == 'agree' else _short(verdict)}"] += 1
            spent += verdict.seconds
            if verdict.kind == "agree":
                worst = max(worst, verdict.apart)
            else:
                _kept(given.out, verdict)
            if n % EVERY == 0:
                print(f"... {n}, {time.perf_counter() - began:.0f} s: {_listed(counts)}", file=sys.stderr, flush=True)
    for what, count in sorted(ways.items(), key=lambda item: (ORDER.index(item[0].partition(":")[0]), -item[1])):
        print(f"{count:6d}  {what}")
    each = spent / max(given.number, 1)
    print(
        f"{given.number} mechanisms from seed {given.seed}: {_listed(counts)}; {spent:.0f} s of CPU, {each:.2f} s each"
    )
    measure = "what it may be" if given.space else "the size"
    print(f"largest difference of those that agree: {worst:.1e} of {measure}")
    return int(any(counts[kind] for kind in ("differs", "wrong", "error")))


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[kind]} {kind}" for kind in ORDER if counts[kind])


def _short(verdict: Verdict) -> str:
    """Return the ends of all runs, as one kind of failure."""
    return ", ".join(f"{how} {status}" for how, status in verdict.ends.items()) or verdict.why


def _kept(folder: Path, verdict: Verdict) -> None:
    """Write the model of a verdict, its words above."""
    print(f"{verdict.seed}: {verdict.kind}: {verdict.why} [{_short(verdict)}]", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    text = f"# seed {verdict.seed}: {verdict.kind}: {verdict.why!a}\n{verdict.text}"
    (folder / f"{verdict.kind.replace(' ', '_')}_{verdict.seed}.toml").write_text(text)


if __name__ == "__main__":
    raise SystemExit(main())
