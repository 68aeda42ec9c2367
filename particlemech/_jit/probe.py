"""Whether this numba still has what lean.py leans on: found out once, in processes of their own.

A process compiles a few kernels into an empty cache, a second one loads them from there, and both must arrive at the
right numbers; one that crashes has not. The verdict is kept in the root of the cache, per version of Python, numba,
llvmlite and our own tricks. PARTICLEMECH_KERNELS = lean | ordinary decides without a trial.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from multiprocessing import spawn
from pathlib import Path
from typing import Any

from particlemech._jit import places

SWITCH = "PARTICLEMECH_KERNELS"
PATIENCE = 300.0  # s for each process; a trial takes 2 s on an idle machine

CODE = "from particlemech._jit import trial; trial.main()"
EXPECTED = [7.5, -4.25, 36.0]  # of trial.py, by hand


def lean() -> bool:
    """Return whether the tricks of lean.py are used; where that is not known yet, try them."""
    choice = os.environ.get(SWITCH)
    if choice not in (None, "lean", "ordinary"):
        raise ValueError(f"{SWITCH} must be lean or ordinary, got {choice!r}")
    return choice == "lean" if choice else verdict() == "lean"


def verdict() -> str:
    """Return "lean", or why not; from the file that remembers it, or after a trial."""
    path = places.root() / f"{key()}.verdict"
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        pass
    found = tried()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            file.write(found)
        os.replace(file.name, path)
    except OSError:
        pass  # tried again at the next start, which compiles everything again anyway
    return found


def key() -> str:
    """Return what a verdict holds for: versions, and the sources of this package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    versions = [f"{name}-{metadata.version(name)}" for name in ("numba", "llvmlite")]
    return "-".join([*versions, f"python-{platform.python_version()}", digest.hexdigest()[:8]])


def tried() -> str:
    """Return "lean" if two processes, one that compiles and one that loads, find the right numbers; or what failed."""
    if getattr(sys, "frozen", False):
        return "not tried: a frozen program starts no other Python"
    with tempfile.TemporaryDirectory(prefix="particlemech-") as cache:
        for name, loads in (("compiling", 0), ("loading", 1)):
            found = _answer(cache)
            if found != {"numbers": EXPECTED, "loaded": loads}:
                return f"{name} failed: {found}"
    return "lean"


def _answer(cache: str) -> Any:
    """Return what a new process of trial.py says, or how it ended."""
    code = f"import sys; sys.path[:] = {sys.path!r}; {CODE}"
    environment = os.environ | {SWITCH: "lean", "PARTICLEMECH_CACHE": cache}
    command = [os.fsdecode(spawn.get_executable()), "-c", code]
    try:
        run = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, text=True
        )
        return json.loads(run.stdout) if run.returncode == 0 else f"process ended with code {run.returncode}"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return f"{type(error).__name__}: {error}"
