"""Work and precision: every tool climbs from coarse to fine on every problem, and sizes grow up to a goal."""

from tests.bench import tools
from tests.bench.measure import exponent, time_at
from tests.bench.ours import AUTO, INTEGRATORS

ERRORS = (1e-4, 1e-6, 1e-8)  # m, at which tools are compared
GOAL = 1e-4  # m, of the ladders of sizes


def small(problems, names, quick, say):
    """Return the rows of all tools on the small problems; tools alternate within a problem."""
    rows = []
    for problem in problems:
        for tool in names:
            goal, longest, seconds = (1e-6, 0.3, 30) if quick else (1e-9 if tool == tools.OURS else 1e-8, 1.0, 150)
            say(f"{problem}: {tool}")
            rows += tools.run(tool, tools.request(problem, goal, longest, seconds))
    return rows


def sizes(problems, names, quick, say):
    """Return the rows of all tools on one family; a method that misses the goal is left out at larger sizes."""
    rows, lost = [], set()
    ours = [(tools.OURS, (method,)) for method in (*INTEGRATORS, AUTO)]
    for problem in problems:
        for tool, methods in [pair for name in names for pair in (ours if name == tools.OURS else [(name, ())])]:
            if (tool, methods) in lost:
                continue
            say(f"{problem}: {' '.join((tool, *methods))}")
            limits = (5.0, 30) if quick else (20.0, 90)
            found = tools.run(tool, tools.request(problem, GOAL, *limits, large=True, methods=methods))
            if not any(row.get("error", 1.0) <= GOAL for row in found):
                lost.add((tool, methods))
            rows += found
    return rows


def grouped(rows, *keys):
    """Return rows by the values of some keys, in order of appearance; failed ones are left out."""
    found = {}
    for row in rows:
        if "failed" not in row:
            found.setdefault(tuple(row[k] for k in keys), []).append(row)
    return found


def best(rows, problem, tool, error):
    """Return the least CPU time of a tool's methods at an error and the method's name, or None and ""."""
    methods = grouped([r for r in rows if r["problem"] == problem and r["tool"] == tool], "method")
    times = [(t, method) for (method,), climb in methods.items() if (t := time_at(climb, error)) is not None]
    return min(times, default=(None, ""))


def sized(rows, problems):
    """Return, by tool and method, a row per size with time, counts and cost of an evaluation at the goal."""
    found = {}
    for (tool, method, problem), climb in grouped(rows, "tool", "method", "problem").items():
        seconds = time_at(climb, GOAL)
        if problem not in problems or seconds is None:
            continue
        steps, evaluations = (time_at(climb, GOAL, key) if climb[0].get(key) else None for key in COUNTS)
        met = next(row for row in climb if row["error"] <= GOAL)
        found.setdefault((tool, method), []).append(
            {
                "size": int(problem.partition("-")[2]),
                "solve": seconds,
                "build": met["build"],
                "steps": steps,
                "evaluations": evaluations,
                "cost": seconds / evaluations if evaluations else None,
                "peak": met["peak"],
            }
        )
    return found


COUNTS = ("steps", "evaluations")


def growth(ladder):
    """Return the exponents of time, counts and cost of an evaluation over a ladder of sizes."""
    sizes = [row["size"] for row in ladder]
    return {key: exponent(sizes, [row[key] for row in ladder]) for key in ("solve", *COUNTS, "cost", "build")}
