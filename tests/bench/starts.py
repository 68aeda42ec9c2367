"""How long it takes from nothing to a result: new processes, each beside the imports that it cannot do without."""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from tests.bench import tools
from tests.bench.ours import INTEGRATORS

RUN = "import particlemech as pm; print(pm.simulate(pm.models.load('four_bar'){}).status)"
# what is started, beside which imports, and the bar for the ratio
PAIRS = {
    "import": ("import particlemech", "import numpy", 1.5),
    "ida": (RUN.format(", integrator='ida'"), "import numba, sksundae.ida, networkx", 1.4),
    "explicit": (RUN.format(", integrator='explicit'"), "import numba, numpy", 1.5),
}
FIRST_LIMIT = 60.0  # s, of the first run ever


def process(*words, said=None, **environment):
    """Return CPU and wall time of a new Python process, s."""
    options = {"env": tools.environment(**environment), "cwd": tools.ROOT, "input": said, "capture_output": True}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, **options)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def starts(peers, quick):
    """Return rows {what, cpu, wall, beside, ratio, bar}; the two of a pair alternate."""
    rows = [_first(name) for name in INTEGRATORS]
    for name, (ours, theirs, bar) in PAIRS.items():
        process("-c", ours)
        pairs = [(process("-c", ours), process("-c", theirs)) for _ in range(3 if quick else 9)]
        (cpu, wall), (beside, _) = ([statistics.median(pair[i][k] for pair in pairs) for k in (0, 1)] for i in (0, 1))
        what = "import particlemech" if name == "import" else f"cold four-bar, {name}"
        rows.append({"what": what, "cpu": cpu, "wall": wall, "beside": theirs, "ratio": cpu / beside, "bar": bar})
    if "exudyn" in peers:
        rows.append(_exudyn(quick))
    return rows


def _first(integrator):
    """Return the row of a run with nothing compiled before."""
    with tempfile.TemporaryDirectory() as cache:
        cpu, wall = process("-c", PAIRS[integrator][0], PARTICLEMECH_CACHE=cache)
    return {"what": f"first run ever, {integrator}", "cpu": cpu, "wall": wall, "limit": FIRST_LIMIT}


def _exudyn(quick):
    """Return the row of Exudyn's four-bar, N-four-bar of one loop, 8000 steps for 1e-4 m."""
    asked = tools.request("n_four_bar-1", 1.0, 0.0, 60, once=True)
    found = [process("-m", tools.MODULES["exudyn"], said=json.dumps(asked).encode()) for _ in range(3 if quick else 5)]
    cpu, wall = (statistics.median(pair[k] for pair in found) for k in (0, 1))
    return {"what": "cold four-bar of exudyn", "cpu": cpu, "wall": wall}


def missed(rows):
    """Return a line for each bar that was missed."""
    slow = [f"{r['what']}: {r['ratio']:.2f} times {r['beside']}, bar {r['bar']}" for r in rows if _above(r)]
    late = [r for r in rows if r["wall"] > r.get("limit", float("inf"))]
    return slow + [f"{r['what']}: {r['wall']:.0f} s, limit {r['limit']:g} s" for r in late]


def _above(row):
    return "ratio" in row and row["ratio"] > row["bar"]
