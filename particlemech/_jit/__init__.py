"""The one place for numba: what is compiled, how, where it is kept, and who is told.

Kernels live at module level and are cached on disk: numba cannot cache closures. Its cache does not notice
an edit in another module (a cached caller keeps the old callee), so the cache directory is keyed by a hash
of the sources of all packages and modules that hold kernels, or numbers that these have compiled in.

    places      directories: the root of the cache, and the part of it that belongs to these sources and this numba
    telling     who waits for the compiler is told
    lean        parts of numba that are not public and make the start three times faster
    terse       how kernels find the elements of arrays, for LLVM; part of the same
    probe       whether this numba still has them, found out once, in processes of its own
    kernels     the decorators; with `lean`, or with nothing but what numba promises: slower to start, same numbers
    argument_blocks   many arrays behind one integer
    eights, wide   rows of eight numbers in one go: to kernels and Python, to LLVM
"""

from particlemech._jit.argument_blocks import (
    EIGHT,
    ArgumentBlock,
    ArgumentGroup,
    Member,
    Records,
    attachment,
    described,
    fresh,
    members,
    read,
    readonly,
    table,
    written,
)
from particlemech._jit.eights import Eight, added, bumped, eight, first, inner, only, put, scaled, size
from particlemech._jit.kernels import CACHE, ENTRIES, LEAN, entry, kernel, noinline, released
from particlemech._jit.telling import tell_always

__all__ = [
    "CACHE",
    "EIGHT",
    "ENTRIES",
    "LEAN",
    "ArgumentBlock",
    "ArgumentGroup",
    "Eight",
    "Member",
    "Records",
    "added",
    "attachment",
    "bumped",
    "described",
    "eight",
    "entry",
    "first",
    "fresh",
    "inner",
    "kernel",
    "members",
    "noinline",
    "only",
    "put",
    "read",
    "readonly",
    "released",
    "scaled",
    "size",
    "table",
    "tell_always",
    "written",
]
