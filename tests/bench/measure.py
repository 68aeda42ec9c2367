"""Times, and what is made of them: CPU clocks, the time at equal error, growth with size."""

import math
import statistics
import time

import numpy as np

REPEATS = 5
LONG = 1.0  # s: a longer run is not repeated


def cpu(function):
    """Return what a call returns and its CPU time, s."""
    began = time.process_time()
    result = function()
    return result, time.process_time() - began


def calibration():
    """Return the CPU time of a fixed mix of Python and small numpy work, s: how fast the machine is now."""
    began = time.process_time()
    A, x = np.eye(24) + 0.01, np.ones(24)
    for _ in range(20_000):
        x = A @ x
        x /= x @ x
    return time.process_time() - began


def median(function, repeats=REPEATS):
    """Return the median CPU time of a call, s; short calls are timed in batches of at least 5 ms."""
    function()
    batch = max(1, int(5e-3 / max(cpu(function)[1], 1e-7)))
    return statistics.median(cpu(lambda: [function() for _ in range(batch)])[1] / batch for _ in range(repeats))


def time_at(rows, error, key="solve"):
    """Return the CPU time at which a method reaches an error, s, or None; rows go from coarse to fine.

    The first row that meets the error and after which every finer one stays below three times it (a lucky coarse run
    does not count), interpolated on logarithms to the row before.
    """
    errors = [row.get("error", math.inf) for row in rows]
    first = None
    for k in reversed(range(len(rows))):
        if not errors[k] <= 3.0 * error:
            break
        if errors[k] <= error:
            first = k
    if first is None:
        return None
    fine = rows[first][key]
    if first == 0 or not error < errors[first - 1] < 1e3 * error or rows[first - 1][key] >= fine:
        return fine
    coarse = rows[first - 1][key]
    share = math.log(errors[first - 1] / error) / math.log(errors[first - 1] / max(errors[first], 1e-16))
    return coarse * (fine / coarse) ** share


def exponent(sizes, values):
    """Return the p of the best fit values ~ sizes^p, or None for fewer than two values."""
    pairs = [(n, v) for n, v in zip(sizes, values, strict=True) if v and v > 0.0]
    if len(pairs) < 2:
        return None
    return float(np.polyfit(*np.log(np.array(pairs)).T, 1)[0])
