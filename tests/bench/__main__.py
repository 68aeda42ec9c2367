"""How long things take: `python -m tests.bench` in the root of a checkout; no part of the test suite.

All times are CPU seconds, medians over repetitions. Machines differ, so each is also given in units of a calibration
loop that is timed before and after in the same run; compare those between machines and versions. Two limits are held,
and missing one ends the command with code 1: a start with cached kernels costs less than 2.5 times the import of numba
and scipy.integrate, and the very first run, which compiles, takes less than a minute.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import particlemech as pm
from particlemech._jit import readonly
from particlemech.planar.equations import system as particle_system
from particlemech.simulate import prepared

ROOT = Path(__file__).parents[2]
START_LIMIT = 2.5  # times the import of numba and scipy.integrate
FIRST_LIMIT = 60.0  # s
CHAINS = (10, 20, 50, 100, 200)


def calibration():
    """Return the CPU time of a fixed mix of Python and small numpy work, s."""
    began = time.process_time()
    A, x = np.eye(24) + 0.01, np.ones(24)
    for _ in range(20_000):
        x = A @ x
        x /= x @ x
    return time.process_time() - began


def median(function, seconds=0.3, least=5):
    """Return the median CPU time of a call, s; short calls are timed in batches."""
    function()
    began = time.process_time()
    function()
    batch = max(1, int(2e-3 / max(time.process_time() - began, 1e-7)))
    times = []
    end = time.process_time() + seconds
    while len(times) < least or time.process_time() < end:
        began = time.process_time()
        for _ in range(batch):
            function()
        times.append((time.process_time() - began) / batch)
    return statistics.median(times)


def process(*words, cache=None):
    """Return CPU and wall time of a new process, s."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["PARTICLEMECH_CACHE"] = cache
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=environment, cwd=ROOT)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


class Table:
    """Prints rows as they come, each also in units of the calibration loop."""

    def __init__(self, unit):
        self.unit = unit

    def title(self, text):
        print(f"\n{text}\n{'-' * len(text)}")

    def row(self, what, seconds, note=""):
        shown = f"{seconds * 1e6:10.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:10.2f} ms"
        if seconds >= 1.0:
            shown = f"{seconds:10.3f} s "
        print(f"{what:<44}{shown}{seconds / self.unit:12.3g}  {note}".rstrip(), flush=True)


def starts(table):
    """Time starts of new processes; return the limits that were missed."""
    table.title("new processes")
    run, imports = ("-m", "particlemech", "run", "four_bar"), ("-c", "import numba, scipy.integrate")
    with tempfile.TemporaryDirectory() as cache:
        first, wall = process(*run, cache=cache)
        table.row("first run ever, compiles", first, f"wall {wall:.2f} s, limit {FIRST_LIMIT:g} s")
    process(*run)
    pairs = [(process(*run), process(*imports)) for _ in range(5)]
    ours, theirs = (statistics.median(pair[i][0] for pair in pairs) for i in (0, 1))
    walls = [statistics.median(pair[i][1] for pair in pairs) for i in (0, 1)]
    table.row("particlemech run four_bar, cached", ours, f"wall {walls[0]:.2f} s")
    table.row("import numba, scipy.integrate", theirs, f"wall {walls[1]:.2f} s")
    table.row("import particlemech", statistics.median(process("-c", "import particlemech")[0] for _ in range(3)))
    print(f"cold start: {ours / theirs:.2f} times the imports (limit {START_LIMIT:g})")
    return [
        *([f"cold start ratio {ours / theirs:.2f}"] if ours > START_LIMIT * theirs else []),
        *([f"first run {wall:.1f} s"] if wall > FIRST_LIMIT else []),
    ]


def calls(table, name, mechanism, formulation="planar"):
    """Time residual and Jacobian of a mechanism; return both, s."""
    system, start = prepared(mechanism, formulation)
    lay = system.layout
    y, yp = np.zeros(system.n), np.zeros(system.n)
    y[lay.q], y[lay.v], y[lay.lam], y[lay.x] = start.q, start.v, start.lam, start.x
    yp[lay.q], yp[lay.v] = start.v, start.a
    y, yp, res = readonly(y), readonly(yp), np.zeros(system.n)
    sparse = system.n >= 260
    residual, jacobian = system.callbacks(sparse)
    J = np.zeros(len(system.indices)) if sparse else np.zeros((system.n, system.n))
    times = median(lambda: residual(0.0, y, yp, res)), median(lambda: jacobian(0.0, y, yp, res, 1e3, J))
    note = f"n = {system.n}, {len(system.indices)} entries, {'sparse' if sparse else 'dense'}"
    table.row(f"{name}, residual", times[0], note)
    table.row(f"{name}, Jacobian", times[1])
    return times


def runs(table):
    """Time whole runs."""
    table.title("whole runs, as the models say but for the largest")
    problems = {"andrews_squeezer": pm.models.load("andrews_squeezer")}
    problems["platform_manipulator"] = pm.models.load("platform_manipulator")
    problems["four_bar"] = pm.models.load("four_bar")
    problems |= {f"n_four_bar, N = {n}": pm.models.n_four_bar(n) for n in (2, 10)}
    problems["n_four_bar, N = 40, 0.5 s"] = pm.models.n_four_bar(40).replaced(run={"duration": 0.5, "samples": 21})
    for name, mechanism in problems.items():
        times = []
        for _ in range(1 if len(mechanism.bodies) > 20 else 3):
            began = time.process_time()
            result = pm.simulate(mechanism, throw=False)
            times.append(time.process_time() - began)
        note = f"{result.stats['steps']} steps, n = {result.stats['size']}, {result.status.value}"
        seconds = statistics.median(times)
        table.row(name, seconds, f"{note}, {seconds / max(result.stats['steps'], 1) * 1e6:.0f} us a step")
        short = pm.simulate(mechanism, duration=0.1 * mechanism.run.duration, samples=5, throw=False)
        began = time.process_time()
        short.columns()
        table.row("    all columns, per sample", (time.process_time() - began) / len(short.t))


def growth(table):
    """Time chains of growing length and print how the cost grows."""
    table.title("growth with the number of links")
    found = {"tabulate": [], "residual": [], "Jacobian": [], "run of 0.02 s": []}
    for n in CHAINS:
        mechanism = pm.models.chain(n)
        seconds = median(lambda m=mechanism: particle_system(m).indices, seconds=0.5, least=1)
        table.row(f"chain({n}), tabulate and pattern", seconds)
        found["tabulate"].append(seconds)
        for key, value in zip(("residual", "Jacobian"), calls(table, f"chain({n})", mechanism), strict=True):
            found[key].append(value)
        began = time.process_time()
        result = pm.simulate(mechanism, duration=0.02, samples=3, throw=False)
        found["run of 0.02 s"].append(time.process_time() - began)
        table.row(f"chain({n}), run of 0.02 s", found["run of 0.02 s"][-1], f"{result.stats['steps']} steps")
    for what, times in found.items():
        slope = np.polyfit(np.log(CHAINS[1:]), np.log(times[1:]), 1)[0]
        print(f"{what} grows like N^{slope:.2f} from N = {CHAINS[1]} to {CHAINS[-1]}")


def main():
    """Print all tables; return 1 if a limit was missed."""
    unit = statistics.median(calibration() for _ in range(7))
    table = Table(unit)
    print(f"calibration loop: {unit * 1e3:.1f} ms CPU; the last column is in units of it")
    missed = starts(table)
    table.title("tabulate, residual, Jacobian")
    for name in ("four_bar", "andrews_squeezer", "platform_manipulator"):
        mechanism = pm.models.load(name)
        table.row(f"{name}, read the file", median(lambda n=name: pm.models.load(n), seconds=0.1))
        table.row(f"{name}, tabulate and pattern", median(lambda m=mechanism: particle_system(m).indices))
        table.row(f"{name}, tabulate and start", median(lambda m=mechanism: prepared(m)))
        calls(table, name, mechanism)
        calls(table, f"{name}, absolute", mechanism, "absolute")
    runs(table)
    growth(table)
    again = statistics.median(calibration() for _ in range(7))
    print(f"\ncalibration loop at the end: {again * 1e3:.1f} ms, {again / unit:.2f} of the first")
    for text in missed:
        print(f"LIMIT MISSED: {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
