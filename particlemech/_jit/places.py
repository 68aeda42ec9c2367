"""Where kernels are kept: a root for this user or machine, and in it a directory per state of the sources."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

_MARKS = (b"@kernel", b"@noinline", b"@entry", b"@released")

PACKAGE = Path(__file__).parent.parent


def source_hash(package: Path = PACKAGE) -> str:
    """Return a key of everything that is compiled into kernels: folders and modules that hold some."""
    digest = hashlib.sha256()
    parts = [sorted(p.rglob("*.py")) for p in sorted(package.iterdir()) if p.is_dir()]
    for part in [*parts, *([p] for p in sorted(package.glob("*.py")))]:
        sources = [path.read_bytes() for path in part]
        if any(mark in source for mark in _MARKS for source in sources) or part == [package / "_dop853.py"]:
            for source in sources:
                digest.update(source)
    return digest.hexdigest()[:16]


def root() -> Path:
    """Return the root of the cache: PARTICLEMECH_CACHE, or where this system keeps such things."""
    if "PARTICLEMECH_CACHE" in os.environ:
        return Path(os.environ["PARTICLEMECH_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "particlemech"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "particlemech"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "particlemech"


def directory(name: str) -> Path:
    """Return a directory of this name for kernels: in the root, or a temporary one where nothing can be written.

    One that was filled for all and may only be read will do, if it was named: `particlemech compile` fills it.
    """
    wanted = root() / name
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        if os.access(wanted, os.W_OK):
            return wanted
    except OSError:
        pass
    if "PARTICLEMECH_CACHE" in os.environ and wanted.is_dir() and os.access(wanted, os.R_OK | os.X_OK):
        return wanted
    # a fresh directory of our own: kernels are unpickled, so a shared place that others can fill will not do
    return Path(tempfile.mkdtemp(prefix="particlemech-"))
