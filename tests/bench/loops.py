"""Closed mechanisms in space at equal error along the run, beside MuJoCo; ladders of loops; trees beside Pinocchio.

`python -m tests.bench.loops` measures and prints these alone. Errors are the largest of all points at all samples. The
time of our runs is that of the integration, as the run says itself; `call` is the CPU time of the whole call, with
tabulation, start and result.
"""

import multiprocessing
import statistics
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import particlemech as pm
from particlemech.errors import ModelError
from tests.bench.linkages import DURATIONS, SAMPLES, linkage, places, reference
from tests.bench.measure import REPEATS, cpu, time_at
from tests.bench.peers import mujoco_space
from tests.bench.trees import chain

ERRORS = (1e-6, 1e-8)  # m
TOLERANCES = tuple(10.0**-k for k in range(4, 13))
SHORT = 0.1  # s: runs below are repeated
LONGEST = 1.5  # s of CPU time: a finer setting is not tried after such a run
LADDERS = (10, 50, 200)
LIMIT = 100.0  # s of wall time for a ladder
CHAINS = (10, 30, 100)


def timed(mechanism, options):
    """Return a run, the CPU time of its integration and that of the whole call, s.

    A run tells the wall time of its integration; on a machine that others use too, its share counts.
    """
    began, wall = time.process_time(), time.perf_counter()
    run = pm.simulate(mechanism, **options, throw=False)
    call = time.process_time() - began
    return run, min(1.0, call / (time.perf_counter() - wall)) * run.stats["seconds"], call


def ours(mechanism, duration, wanted, integrator, formulation=None, tolerances=TOLERANCES):
    """Return rows {setting, error, solve, call, steps}, from coarse to fine; raises where the integrator is refused."""
    options = {"duration": duration, "samples": wanted.shape[1], "integrator": integrator, "formulation": formulation}
    pm.simulate(mechanism, **options, rtol=1e-5, throw=False)  # compiled kernels are read from the disk
    rows = []
    for rtol in tolerances:
        run, *first = timed(mechanism, options | {"rtol": rtol})
        found = places(run)
        if found.shape != wanted.shape:
            rows.append({"setting": f"rtol={rtol:g}", "failed": run.message})
            continue
        repeats = range(REPEATS - 1 if first[1] < SHORT else 0)
        times = [first, *(timed(mechanism, options | {"rtol": rtol})[1:] for _ in repeats)]
        solve, call = (statistics.median(of) for of in zip(*times, strict=True))
        error = float(np.linalg.norm(found - wanted, axis=2).max())
        energy = float(np.abs(run.energy.error).max() / run.energy.scale)
        row = {"setting": f"rtol={rtol:g}", "error": error, "solve": solve, "call": call, "steps": run.stats["steps"]}
        rows.append(row | {"energy": energy, "status": str(run.status)})
        if call > LONGEST:
            break
    return rows


def mujoco(mechanism, duration, wanted):
    """Return rows {road, setting, error, solve} of MuJoCo, from coarse to fine within each road."""
    begin = pm.simulate(mechanism, duration=1e-6, samples=2, formulation="natural")
    omega, velocity = ({b: of(b)[0] for b in mechanism.bodies} for of in (begin.omega, begin.com_velocity))
    rows, samples = [], wanted.shape[1]
    for constant, ratio in mujoco_space.COMBINATIONS:
        for steps in (2**k for k in range(1, 13)):
            step = duration / (samples - 1) / steps
            model = mujoco_space.Model(mechanism, omega, velocity, step, constant, ratio)
            seen, first = cpu(lambda model=model, steps=steps: model.run(steps, samples))
            row = {"road": f"RK4, {constant:g} steps, {ratio:g}", "setting": f"{steps * (samples - 1)} steps"}
            if seen is None:
                rows.append(row | {"failed": "unstable"})
                continue
            repeats = range(REPEATS - 1 if first < SHORT else 0)
            times = [first, *(cpu(lambda model=model, steps=steps: model.run(steps, samples))[1] for _ in repeats)]
            error = float(np.linalg.norm(model.places(seen) - wanted, axis=2).max())
            rows.append(row | {"error": error, "solve": statistics.median(times)})
            if error < 0.3 * min(ERRORS) or first > LONGEST:
                break
    return rows


def best(rows, error):
    """Return the least time of all roads at an error and the road, or None and ""."""
    roads = {}
    for row in rows:
        if "failed" not in row:
            roads.setdefault(row["road"], []).append(row)
    times = [(t, road) for road, climb in roads.items() if (t := time_at(climb, error)) is not None]
    return min(times, default=(None, ""))


def closed(names=tuple(DURATIONS), say=print):
    """Return rows {what, error, explicit, ida, call, mujoco, which, note} of the linkages, one for each error."""
    found = []
    for name in names:
        (mechanism, duration), wanted, note = linkage(name), reference(name), ""
        try:
            explicit = ours(mechanism, duration, wanted, "explicit")
        except ModelError as refused:
            explicit, note = [], f"explicit refused: {refused}"
        ida = ours(mechanism, duration, wanted, "ida")
        other = mujoco(mechanism, duration, wanted) if mujoco_space.installed() else []
        for row in (*explicit, *ida):
            say(f"{name}: {row}")
        for error in ERRORS:
            t, which = best(other, error)
            fast = [r for r in explicit or ida if "failed" not in r]
            found.append(
                {
                    "what": f"{name}, {duration:g} s",
                    "error": error,
                    "explicit": time_at([r for r in explicit if "failed" not in r], error),
                    "ida": time_at([r for r in ida if "failed" not in r], error),
                    "call": time_at(fast, error, "call"),
                    "mujoco": t,
                    "which": which,
                    "note": note,
                }
            )
    return found


def _climb(n, integrator, formulation, rtol, out):
    mechanism, duration = linkage(f"ladder-{n}")
    options = {"duration": duration, "samples": 11, "rtol": rtol}
    try:
        pm.simulate(linkage("ladder-2")[0], **options, throw=False, integrator=integrator, formulation=formulation)
        run, solve, call = timed(mechanism, options | {"integrator": integrator, "formulation": formulation})
    except ModelError as refused:
        out.send({"failed": str(refused)})
        return
    energy = float(np.abs(run.energy.error).max() / run.energy.scale)
    row = {"solve": solve, "call": call, "steps": run.stats["steps"], "size": run.stats["size"]}
    out.send(row | {"energy": energy, "status": str(run.status)})


def ladders(sizes=LADDERS, rtol=1e-6, limit=LIMIT):
    """Return rows of ladders of loops: explicit steps, IDA, and natural coordinates, each in a process of its own."""
    rows = []
    for n in sizes:
        for what, integrator, formulation in (
            ("explicit", "explicit", None),
            ("ida", "ida", None),
            ("natural", "ida", "natural"),
        ):
            row = {"what": f"ladder of {n}, {what}", "n": n, "rtol": rtol}
            here, there = multiprocessing.Pipe()
            work = multiprocessing.get_context("spawn").Process(
                target=_climb, args=(n, integrator, formulation, rtol, there)
            )
            work.start()
            row |= here.recv() if here.poll(limit) else {"failed": f"stopped after {limit:g} s"}
            work.terminate()
            work.join()
            rows.append(row)
    return rows


def pinocchio_run(n, duration, times, rtol):
    """Return the joint angles (n, samples) of the chain of `trees` by Pinocchio and DOP853, and the CPU time."""
    import pinocchio as pin

    from tests.bench.trees import pinocchio_chain

    model = pinocchio_chain(n)
    data, effort = model.createData(), np.zeros(n)

    def rates(_, y):
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], effort)])

    began = time.process_time()
    run = solve_ivp(rates, (0.0, duration), np.zeros(2 * n), "DOP853", times, rtol=rtol, atol=rtol)
    return run.y[:n], time.process_time() - began


def trees(sizes=CHAINS, duration=1.0):
    """Return rows {what, error, explicit, pinocchio} of chains on hinges let go, errors of joint angles in rad."""
    found, times = [], np.linspace(0.0, duration, SAMPLES)
    for n in sizes:
        mechanism, wanted = chain(n), pinocchio_run(n, duration, times, 1e-12)[0]
        rows, other = [], []
        options = {"duration": duration, "samples": SAMPLES, "integrator": "explicit"}
        pm.simulate(mechanism, **options, throw=False)
        for rtol in TOLERANCES[1:-1]:
            run, solve, _ = timed(mechanism, options | {"rtol": rtol})
            angles = np.stack([run.coordinate(f"pin{k}") for k in range(n)])
            rows.append({"error": float(np.abs(angles - wanted).max()), "solve": solve})
            angles, seconds = pinocchio_run(n, duration, times, rtol)
            other.append({"error": float(np.abs(angles - wanted).max()), "solve": seconds})
        for error in ERRORS:
            times_at = {"explicit": time_at(rows, error), "pinocchio": time_at(other, error)}
            found.append({"what": f"chain of {n}, {duration:g} s", "error": error, **times_at})
    return found


def main():
    """Measure and print."""
    from tests.bench.report import closed as table_of_closed
    from tests.bench.report import ladders as table_of_ladders

    asked = sys.argv[1:] or ["closed", "ladders", "trees"]
    if "closed" in asked:
        table_of_closed(closed(say=lambda text: print(text, file=sys.stderr, flush=True)))
    if "trees" in asked:
        table_of_closed(trees(), "chains on hinges in space, error of angles in rad, beside Pinocchio with DOP853")
    if "ladders" in asked:
        table_of_ladders(ladders())


if __name__ == "__main__":
    main()
