"""Which tools there are, and how one is run: in a process of its own, on one thread."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench import references
from tests.bench.problems import plain, problem

ROOT = Path(__file__).parents[2]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
OURS = "particlemech"
PEERS = {"exudyn": "exudyn", "mujoco": "mujoco", "pinocchio": "pin", "sympy": "sympy"}  # name here -> distribution
MODULES = {OURS: "tests.bench.ours"} | {name: f"tests.bench.peers.{name}" for name in PEERS}


def version(tool):
    """Return the installed version of a tool, or None."""
    try:
        return importlib.metadata.version(PEERS[tool])
    except importlib.metadata.PackageNotFoundError:
        return None


def environment(threads="1", **more):
    """Return the environment of a measured process."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(THREADS, threads), **more}


def request(name, goal, longest, seconds, large=False, methods=(), once=False):
    """Return what a tool is asked: climb until the goal (m) is met or a run takes longer than `longest` (s)."""
    asked = {"goal": goal, "longest": longest, "seconds": seconds, "large": large, "methods": list(methods)}
    asked["once"] = once
    return {"problem": plain(problem(name)), "ends": references.ends(name).tolist(), **asked}


def run(tool, asked):
    """Return the rows of a tool, from coarse to fine within each method; the last one says if it was stopped.

    The limit is on wall time: one on CPU time would make the kernel read CPU clocks off its slow ticks.
    """
    words = [sys.executable, "-m", MODULES[tool]]
    options = {"input": json.dumps(asked).encode(), "capture_output": True, "env": environment(), "cwd": ROOT}
    try:
        done = subprocess.run(words, check=False, timeout=asked["seconds"], **options)
        why = _complaint(done)
        out = done.stdout
    except subprocess.TimeoutExpired as late:
        why, out = f"stopped after {asked['seconds']:g} s", late.stdout or b""
    rows = [json.loads(line) for line in out.decode().splitlines() if line.startswith("{")]
    if why:
        method = rows[-1]["method"] if rows else "-"
        rows.append({"problem": asked["problem"]["name"], "method": method, "setting": "", "failed": why})
    return [{"tool": tool, **row} for row in rows]


def _complaint(done):
    """Return what a process said last before it failed, or nothing if it did not."""
    said = done.stderr.decode().strip().splitlines() or [f"exit code {done.returncode}"]
    return said[-1][:160] if done.returncode else ""
