"""The loop around one tool in a process of its own: build, solve, repeat, write rows.

A tool is a module with

    methods(model, large) -> {name: [setting, ...]}     ways to solve a problem, each from coarse to fine
    build(model, setting) -> built                    the tool's own model
    solve(built, setting) -> outcome                  from start to end; this alone is the time to solve
    ends(built, outcome) -> places, counts            moving points (n, 2) at the end; {"steps": ..., ...}
    clock(outcome, setting) -> seconds or None        if there: the time to solve, where build and solve are one call
    COLD                                              a setting for a single run in a new process

The request comes as JSON on standard input, rows leave as JSON lines on standard output.
"""

import json
import resource
import statistics
import sys
from pathlib import Path

import numpy as np

from tests.bench.measure import LONG, REPEATS, calibration, cpu, median
from tests.bench.peers.planar import Planar

MOST_MEMORY = 8 * 2**30  # bytes


def serve(tool):
    """Answer the request on standard input; the tool's own words go to standard error."""
    request = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    model = Planar(request["problem"])
    if request["once"]:
        tool.solve(tool.build(model, tool.COLD), tool.COLD)
        return
    unit = statistics.median(calibration() for _ in range(3))
    for method, settings in tool.methods(model, request["large"]).items():
        if not request["methods"] or method in request["methods"]:
            for row in climb(tool, model, settings, request):
                print(json.dumps({"problem": model.name, "method": method, "unit": unit, **row}), file=out, flush=True)


def climb(tool, model, settings, request):
    """Yield rows from coarse to fine until two met the goal, or one took too long."""
    met, failed, reference = 0, 0, np.array(request["ends"])
    for setting in settings:
        row = {"setting": " ".join(f"{k}={v:g}" for k, v in setting.items() if k in ("rtol", "steps"))}
        try:
            row |= measured(tool, model, setting, reference)
        except Exception as error:  # a tool that fails is a result too
            row["failed"] = f"{type(error).__name__}: {error}"[:160]
            failed += 1
        yield row
        met += row.get("error", np.inf) <= request["goal"]
        if met >= 2 or failed >= 4 or row.get("solve", 0.0) > request["longest"]:
            return


def measured(tool, model, setting, reference):
    """Return one row: the first run apart, then the median of the repeats."""
    built, build = cpu(lambda: tool.build(model, setting))
    outcome, first = cpu(lambda: tool.solve(built, setting))
    places, counts = tool.ends(built, outcome)
    error = float(np.max(np.hypot(*(places - reference).T)))
    if not np.isfinite(error):
        raise ArithmeticError("the end is not finite")
    long = first > LONG
    solve = first if long else median(lambda: tool.solve(built, setting))
    if hasattr(tool, "clock") and tool.clock(outcome, setting) is not None:
        own = [
            tool.clock(outcome if long else tool.solve(built, setting), setting) for _ in range(1 if long else REPEATS)
        ]
        build, solve = build + max(solve - statistics.median(own), 0.0), statistics.median(own)
    times = {"build": build, "first": first, "solve": solve, "runs": 1 if long else REPEATS}
    return {"error": error, **times, "peak": peak_memory(), **counts}


def peak_memory():
    """Return the most memory this process has held, bytes, or None; getrusage would count the parent's too."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
