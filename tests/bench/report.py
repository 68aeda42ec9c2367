"""Tables for people: plain text as the benchmark runs, Markdown for the README."""

from tests.bench.climbs import ERRORS, GOAL, best, grouped, growth, sized
from tests.bench.measure import time_at
from tests.bench.tools import OURS


def title(text):
    """Print a title."""
    print(f"\n{text}\n{'-' * len(text)}")


def table(head, rows):
    """Print columns, the first to the left and the others to the right."""
    rows = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    for row in rows:
        first = row[0].ljust(widths[0])
        print("  ".join([first, *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip())


def seconds(value):
    """Return a time with its unit."""
    if value is None:
        return "-"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 0.9995:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.2g} us"


def number(value, form=".3g"):
    """Return a number, or a dash."""
    return "-" if value is None else format(value, form)


def work_precision(rows, peers):
    """Print our runs one by one, each with the ratio to the peers' time at the same error: above 1 we are faster."""
    title("work and precision: CPU time, and how many times longer a peer takes to the same error")
    lines = []
    for row in (r for r in rows if r["tool"] == OURS and "failed" not in r):
        others = [best(rows, row["problem"], peer, row["error"])[0] for peer in peers]
        ratios = [number(other and other / row["solve"], ".2f") for other in others]
        counts = (row["steps"], row["evaluations"])
        said = (row["problem"], row["method"], row["setting"], f"{row['error']:.1e}")
        lines.append([*said, seconds(row["solve"]), seconds(row["build"]), *counts, *ratios])
    table(["problem", "method", "setting", "error m", "CPU", "build", "steps", "evaluations", *peers], lines)
    failures(rows)


def failures(rows):
    """Print what did not work, once for each method and reason."""
    reasons = {(r["problem"], r["tool"], r["method"], r["failed"]): r["setting"] for r in rows if "failed" in r}
    for (problem, tool, method, reason), setting in reasons.items():
        print(f"{problem}, {tool}, {method} {setting}: {reason}")


def trees(rows, growth):
    """Print what an acceleration of a tree costs, beside Pinocchio's, and how both grow."""
    title("one acceleration of a tree in compiled code; Pinocchio's with its call from Python")
    lines = []
    for row in rows:
        other = row["pinocchio"]
        lines.append([row["what"], seconds(row["seconds"]), seconds(row["seconds"] / row["n"]), seconds(other)])
    table(["tree", "ours", "per body", "Pinocchio"], lines)
    print(f"grows as N^{number(growth[0])}, Pinocchio's as N^{number(growth[1])}")


def readings(rows, growth):
    """Print what reading results costs beside the runs that made them."""
    title("reading results: all reactions; with IDA paths and energies too")
    lines = [[row["what"], str(row["n"]), *(seconds(row[key]) for key in ("run", "seconds", "bar"))] for row in rows]
    table(["result", "size", "run", "read", "bar"], lines)
    print(f"reactions of chains grow as N^{number(growth)}")


def spatial(rows, what="closed mechanisms in space, with IDA"):
    """Print what runs of mechanisms in space cost, and how well they keep their energy."""
    title(what)
    lines = []
    for row in rows:
        counts = (f"{row[key]}" for key in ("unknowns", "steps"))
        lines.append([row["what"], f"{row['rtol']:g}", *counts, seconds(row["seconds"]), f"{row['energy']:.1e}"])
    table(["mechanism", "rtol", "unknowns", "steps", "CPU time", "energy error"], lines)


def impacts(rows):
    """Print what an impact costs."""
    title("balls that bounce: CPU time per impact")
    table(["rig", "impacts", "each"], [[row["what"], f"{row['n']}", seconds(row["seconds"])] for row in rows])


def elements(rows):
    """Print what machine elements cost."""
    title("a four-bar with gears and friction in all pins: CPU time of a run of 10 s beside the bare one")
    lines = [[row["what"], seconds(row["bare"]), seconds(row["seconds"]), f"{row['ratio']:.2f}"] for row in rows]
    table(["rig", "bare", "each", "ratio"], lines)


def closed(rows, what="closed mechanisms in space at equal error along the run"):
    """Print the CPU times of runs in space at equal error, ours and those of other tools."""
    title(what)
    times = [key for key in ("explicit", "ida", "call", "mujoco", "pinocchio") if key in rows[0]]
    lines = []
    for row in rows:
        told = [seconds(row[key]) for key in times]
        lines.append([row["what"], f"{row['error']:.0e}", *told, row.get("which", ""), row.get("note", "")])
    table(["problem", "error", *times, "setting", ""], lines)


def ladders(rows):
    """Print what ladders of loops cost."""
    title("ladders of loops in space")
    lines = []
    for row in rows:
        if "failed" in row:
            lines.append([row["what"], f"{row['rtol']:g}", *"----", row["failed"]])
            continue
        counts = (seconds(row["solve"]), seconds(row["call"]), row["steps"], f"{row['energy']:.1e}", row["status"])
        lines.append([row["what"], f"{row['rtol']:g}", *counts])
    table(["ladder", "rtol", "integration", "whole call", "steps", "energy error", ""], lines)


def profiles(found):
    """Print where the time of our runs goes, as far as each profile says."""
    title("where the time goes")
    for problem, profile in found.items():
        print(
            f"{problem}: " + ", ".join(f"{k} {seconds(v) if isinstance(v, float) else v}" for k, v in profile.items())
        )


def equal_error(rows, problems):
    """Print the CPU times of all methods at equal errors."""
    title("CPU time at equal error")
    lines = []
    for problem in problems:
        of_problem = grouped([r for r in rows if r["problem"] == problem], "tool", "method")
        for (tool, method), climb in of_problem.items():
            lines.append([problem, tool, method, *(seconds(time_at(climb, error)) for error in ERRORS)])
    table(["problem", "tool", "method", *(f"{error:.0e} m" for error in ERRORS)], lines)


def sizes(rows, problems):
    """Print the ladder of sizes of a family and how things grow."""
    family = problems[0].partition("-")[0]
    title(f"{family}: growth with N at {GOAL:.0e} m")
    ladders = sized(rows, problems)
    head = ["tool", "method", "N", "CPU", "build", "steps", "evaluations", "of one", "peak MB"]
    lines = [[tool, method, *_size(row)] for (tool, method), ladder in ladders.items() for row in ladder]
    table(head, lines)
    failures(rows)
    print()
    powers = [
        (tool, method, ladder[-1]["size"], *growth(ladder).values()) for (tool, method), ladder in ladders.items()
    ]
    head = ["exponents", "method", "up to N", "CPU", "steps", "evaluations", "of one", "build"]
    table(head, [[*power[:3], *(number(p, ".2f") for p in power[3:])] for power in powers])


def _size(row):
    counts = (number(row[key], ".0f") for key in ("steps", "evaluations"))
    times = (seconds(row["solve"]), seconds(row["build"]))
    return (row["size"], *times, *counts, seconds(row["cost"]), number(row["peak"] and row["peak"] / 2**20, ".0f"))


def starts(rows):
    """Print the starts of new processes."""
    title("new processes")
    lines = []
    for row in rows:
        beside = f"{row['ratio']:.2f} x {row['beside']}, bar {row['bar']}" if "ratio" in row else ""
        limit = f"limit {row['limit']:g} s" if "limit" in row else ""
        lines.append([row["what"], seconds(row["cpu"]), seconds(row["wall"]), beside or limit])
    table(["", "CPU", "wall", "beside"], lines)


def calls(rows, many):
    """Print single calls and the rate of variants."""
    title("single calls and many variants")
    table(["", "CPU"], [[row["what"], seconds(row["seconds"])] for row in rows])
    rate = f"{many['rate']:.0f} " if "rate" in many else ""
    print(f"{rate}{many['what']}: {many['note']}")


def markdown(rows, problems, peers):
    """Print the short table for the README: the best of ours and theirs at equal error."""
    methods = [
        method for method in ("explicit", "ida") if any(r["tool"] == OURS and r["method"] == method for r in rows)
    ]
    head = ["problem", "error, m", *(f"{method}, ms" for method in methods), "best other, ms", "which", "ratio"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for problem in problems:
        for error in ERRORS:
            print("| " + " | ".join(_markdown_row(rows, problem, error, methods, peers)) + " |")


def _markdown_row(rows, problem, error, methods, peers):
    climbs = grouped([r for r in rows if r["problem"] == problem and r["tool"] == OURS], "method")
    ours = [time_at(climbs.get((method,), []), error) for method in methods]
    others = [
        (time, f"{peer}, {method}") for peer in peers for time, method in [best(rows, problem, peer, error)] if time
    ]
    other, which = min(others, default=(None, "-"))
    fastest = min((t for t in ours if t), default=None)
    ratio = number(other / fastest if other and fastest else None, ".1f")
    return [
        problem,
        f"{error:.0e}",
        *(number(t and 1e3 * t) for t in ours),
        number(other and 1e3 * other),
        which,
        ratio,
    ]
