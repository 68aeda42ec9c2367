"""The one place for numba's settings.

Kernels live at module level and are cached on disk: numba cannot cache closures. Its cache does not notice
an edit in another module (a cached caller keeps the old callee), so the cache directory is keyed by a hash
of the sources of all packages that hold kernels.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

Records = Any  # a structured array: one record per element of a kind

Function = TypeVar("Function", bound=Callable[..., Any])


def _source_hash() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for part in sorted(p for p in package.iterdir() if p.is_dir()):
        sources = [path.read_bytes() for path in sorted(part.rglob("*.py"))]
        if any(b"@kernel" in source or b"@released" in source for source in sources):
            for source in sources:
                digest.update(source)
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    if "PARTICLEMECH_CACHE" in os.environ:
        return Path(os.environ["PARTICLEMECH_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "particlemech"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "particlemech"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "particlemech"


def _cache_directory() -> Path:
    directory = _cache_root() / _source_hash()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    # a fresh directory of our own: kernels are unpickled, so a shared place that others can fill will not do
    return Path(tempfile.mkdtemp(prefix="particlemech-"))


CACHE = _cache_directory()


def compiled_before() -> bool:
    """Return whether kernels of just these sources are on the disk already."""
    return any(CACHE.rglob("*.nbc")) or numba.config.DISABLE_JIT


def kernel(function: Function) -> Function:
    """Compile a module-level function, cached in our own directory."""
    return _compiled(function, nogil=False)


def released(function: Function) -> Function:
    """Compile a module-level function that lets other threads run meanwhile: for whole runs, not for short calls."""
    return _compiled(function, nogil=True)


def _compiled(function: Function, nogil: bool) -> Function:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        return numba.njit(cache=True, error_model="numpy", nogil=nogil, _nrt=False)(function)
    finally:
        numba.config.CACHE_DIR = before


def table(rows: list[tuple[Any, ...]], fields: list[tuple[str, str]]) -> Records:
    """Return a read-only structured array; a recarray where numba is switched off."""
    result = np.array([tuple(row) for row in rows], dtype=fields)
    if numba.config.DISABLE_JIT:
        result = result.view(np.recarray)
    result.setflags(write=False)
    return result


def readonly(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: IDA passes such arrays, and a second kind would be a second compilation."""
    view = array.view()
    view.setflags(write=False)
    return view
