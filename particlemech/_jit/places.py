"""Where kernels are kept: a root for this user or machine, and in it a directory per state of the sources."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from pathlib import Path

_MARKS = (b"\n@kernel", b"\n@noinline", b"\n@entry", b"\n@released")
_IMPORT = re.compile(r"^from particlemech\.([\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_WORDS_ONLY = ("model/", "errors.py")  # descriptions: nothing of them is compiled in
_COMPILED = ("model/tapes.py", "model/control_laws.py")  # but for these: laws that results and kernels share

PACKAGE = Path(__file__).parent.parent


def source_hash(package: Path = PACKAGE) -> str:
    """Return a key of all that is compiled into kernels: modules that hold some, and what these import.

    Numbers and layouts of tables come from other modules, which may take them from further ones. Only descriptions are
    left out: kernels know no names.
    """
    sources = {}
    for folder, _, names in os.walk(package):
        inside = "".join(f"{part}/" for part in Path(folder).relative_to(package).parts)
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as file:
                    sources[inside + name] = file.read()
    ahead = [name for name in sources if name.startswith("_jit/") or any(mark in sources[name] for mark in _MARKS)]
    found: set[str] = set()
    while ahead:
        name = ahead.pop()
        described = name.startswith(_WORDS_ONLY) and name not in _COMPILED
        if name in sources and name not in found and not described:
            found.add(name)
            ahead += _imported(sources[name])
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(sources[name])
    return digest.hexdigest()[:16]


def _imported(source: bytes) -> list[str]:
    """Return the files that may be meant by what a module imports of this package when it is loaded."""
    found = []
    for module, names in _IMPORT.findall(source.decode()):
        home = module.replace(".", "/")
        for part in (home, *(f"{home}/{name}" for name in _WORD.findall(names))):
            found += [f"{part}.py", f"{part}/__init__.py"]
    return found


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
