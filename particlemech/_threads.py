"""Dense algebra of small matrices in one thread.

Results solve hundreds of systems of some tens of unknowns, sample by sample. BLAS shares each among all processors,
which costs more than it gains: a singular value decomposition of 78 x 90 takes four times as long on two busy
processors as in one thread. Large matrices are not met here, so one thread it is; what the caller has set comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _pools() -> Any:
    """Return the pools of threads of the libraries that are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread(work: Callable[P, R]) -> Callable[P, R]:
    """Return a function that does its dense algebra in one thread."""

    @wraps(work)
    def alone(*args: P.args, **kwargs: P.kwargs) -> R:
        with _pools().limit(limits=1, user_api="blas"):
            return work(*args, **kwargs)

    return alone
