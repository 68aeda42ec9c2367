"""Results kept as files, and what got slower since the last one.

Machines differ and change speed, so times are compared in units of a calibration loop that ran beside them.
"""

import datetime
import json
import os
import platform
import statistics
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FOLDER = Path(__file__).parent / "results"
SLOWER = 1.3
PACKAGES = ("numpy", "scipy", "numba", "scikit-sundae", "networkx", "exudyn", "mujoco", "pin", "sympy")


def machine():
    """Return what identifies the machine and its software."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _cpu_model():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def save(result):
    """Write a result, named by date and machine; return the file."""
    FOLDER.mkdir(exist_ok=True)
    words = "".join(c if c.isalnum() else " " for c in result["machine"]["cpu"].lower()).split()
    file = FOLDER / f"{datetime.datetime.now():%Y-%m-%d-%H%M}-{'-'.join(words[:4])}.json"
    file.write_text("{\n" + ",\n".join(f"{json.dumps(key)}: {_lines(part)}" for key, part in result.items()) + "\n}\n")
    return file


def _lines(part):
    """Return JSON with one row on a line, so that results can be compared by eye."""
    return "[\n" + ",\n".join(map(json.dumps, part)) + "\n]" if isinstance(part, list) else json.dumps(part)


def last():
    """Return the name and content of the newest saved result, or None."""
    files = sorted(FOLDER.glob("*.json"))
    return (files[-1].name, json.loads(files[-1].read_text())) if files else None


def _times(result):
    """Return our own times in units of the calibration loop, by what was timed and by setting."""
    unit, found = result["calibration"], {}
    for row in (*result["rows"], *result["sizes"]):
        if row["tool"] == "particlemech" and "solve" in row:
            found.setdefault(f"{row['problem']}, {row['method']}", {})[row["setting"]] = row["solve"] / row["unit"]
    cold = {row["what"]: {"": row["cpu"] / unit} for row in result["starts"] if "limit" not in row}
    return found | cold | {row["what"]: {"": row["seconds"] / unit} for row in result["calls"]}


def slower(before, now):
    """Return a line for each method, start or call that got slower; of a method the median over its tolerances."""
    old, lines = _times(before), []
    for what, times in _times(now).items():
        known = old.get(what, {})
        ratios = [seconds / known[setting] for setting, seconds in times.items() if setting in known]
        if ratios and statistics.median(ratios) > SLOWER:
            lines.append(f"{what}: {statistics.median(ratios):.2f} times slower")
    return lines
