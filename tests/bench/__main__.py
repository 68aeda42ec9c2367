"""The benchmark of the project: `python -m tests.bench` in the root of a checkout; no part of the test suite.

It runs the library and, where they are installed, other tools on the same problems, each in a process of its own on one
thread, and compares CPU time at equal error. Times of one run can be compared with each other; across runs and machines
only in units of the calibration loop. `--save` keeps a result, and the next run names what got slower since.
"""

import argparse
import importlib.util
import statistics
import sys

from tests.bench import (
    chains,
    climbs,
    elements,
    impacts,
    kernels,
    loops,
    readings,
    report,
    saved,
    spatial,
    tools,
    trees,
)
from tests.bench import starts as processes
from tests.bench.measure import calibration
from tests.bench.problems import CHAINS, FOUR_BARS, SMALL, problem

PARTS = (
    "starts",
    "calls",
    "results",
    "trees",
    "spatial",
    "loops",
    "chains",
    "impacts",
    "elements",
    "profile",
    "small",
    "sizes",
)
PROFILED = 1e-6  # rtol
DEFAULT_TOOLS = ("exudyn", "mujoco", "pinocchio")  # SymPy derives for minutes: only on demand


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.partition("\n")[0])
    parser.add_argument("--tools", default=",".join(DEFAULT_TOOLS), help=f"other tools, of {', '.join(tools.PEERS)}")
    parser.add_argument("--problems", default=",".join((*SMALL, *CHAINS, *FOUR_BARS)), help="such as andrews,chain-30")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="coarser, with shorter limits: does it all still run")
    parser.add_argument("--save", action="store_true", help="keep the result in tests/bench/results")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bar was missed or something got slower")
    parser.add_argument("--markdown", action="store_true", help="end with the short table for the README")
    return parser.parse_args()


def say(text):
    """Tell what is being measured."""
    print(f"... {text}", file=sys.stderr, flush=True)


def measured(given, peers):
    """Measure and print all parts; return the result as it is saved."""
    parts, wanted = given.parts.split(","), given.problems.split(",")
    everyone, unit = (tools.OURS, *peers), statistics.median(calibration() for _ in range(7))
    print(f"calibration loop: {unit * 1e3:.1f} ms of CPU time")
    result = {"machine": saved.machine(), "calibration": unit, "starts": [], "calls": [], "many": {}}
    result |= {
        "rows": [],
        "sizes": [],
        "trees": [],
        "spatial": [],
        "chains": [],
        "results": [],
        "loops": [],
        "ladders": [],
        "impacts": [],
        "elements": [],
    }
    if "starts" in parts:
        result["starts"] = processes.starts(peers, given.quick)
        report.starts(result["starts"])
    if "calls" in parts:
        result["calls"], result["many"] = kernels.calls(), kernels.variants()
        report.calls(result["calls"], result["many"])
    if "results" in parts:
        result["results"] = readings.results(given.quick)
        report.readings(result["results"], readings.growth(result["results"]))
    if "trees" in parts:
        result["trees"] = trees.trees(given.quick)
        report.trees(result["trees"], trees.growth(result["trees"]))
    if "spatial" in parts:
        result["spatial"] = spatial.spatial(given.quick)
        report.spatial(result["spatial"])
    if "loops" in parts:
        result["loops"] = loops.closed(("rssr",) if given.quick else tuple(loops.DURATIONS), say)
        report.closed(result["loops"])
        if importlib.util.find_spec("pinocchio"):
            found = loops.trees(loops.CHAINS[:1] if given.quick else loops.CHAINS)
            report.closed(found, "chains on hinges in space, error of angles in rad, beside Pinocchio with DOP853")
        result["ladders"] = loops.ladders(loops.LADDERS[:1] if given.quick else loops.LADDERS)
        report.ladders(result["ladders"])
    if "chains" in parts:
        result["chains"] = chains.chains(given.quick)
        report.spatial(result["chains"], "flexible manipulators")
    if "elements" in parts:
        result["elements"] = elements.elements(given.quick)
        report.elements(result["elements"])
    if "impacts" in parts:
        result["impacts"] = impacts.impacts(given.quick)
        report.impacts(result["impacts"])
    small = [p for p in SMALL if p in wanted]
    if "profile" in parts and importlib.util.find_spec("tests.bench.profile"):
        profile = importlib.import_module("tests.bench.profile").profile
        result["profiles"] = {name: profile(problem(name).mechanism, PROFILED) for name in small}
        report.profiles(result["profiles"])
    if "small" in parts and small:
        result["rows"] += climbs.small(small, everyone, given.quick, say)
        report.work_precision(result["rows"], peers)
        report.equal_error(result["rows"], small)
    for family in (CHAINS, FOUR_BARS) if "sizes" in parts else ():
        problems = [p for p in family if p in wanted]
        if problems:
            rows = climbs.sizes(problems, everyone, given.quick, say)
            report.sizes(rows, problems)
            result["sizes"] += rows
    if given.markdown and small:
        print()
        report.markdown(result["rows"], small, peers)
    return result


def main():
    """Run the benchmark; return 1 if asked to check and something is wrong."""
    given = arguments()
    asked = [name for name in given.tools.split(",") if name]
    for name in asked:
        if tools.version(name) is None:
            print(f"{name} is not installed and left out")
    before = saved.last()
    result = measured(given, [name for name in asked if tools.version(name)])
    wrong = processes.missed(result["starts"]) + (trees.missed(result["trees"]) if result["trees"] else [])
    wrong += spatial.missed(result["spatial"]) + chains.missed(result["chains"])
    wrong += readings.missed(result["results"]) + impacts.missed(result["impacts"])
    wrong += elements.missed(result["elements"])
    if before:
        print(f"\ncompared with {before[0]}")
        wrong += saved.slower(before[1], result)
    for line in wrong:
        print(f"WRONG: {line}")
    if given.save:
        print(f"saved as {saved.save(result)}")
    return 1 if given.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
