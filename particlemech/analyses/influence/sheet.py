"""What the kernels of influence coefficients work out: one array for each symbol of the report."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import written
from particlemech.engine.system import Array


class Sheet(NamedTuple):
    """What the kernels below fill; n motions, M = 6 + most modal coordinates of a link."""

    S: Annotated[Array, written(2)]  # (n, 3)
    A: Annotated[Array, written(2)]  # (n, 3)
    t: Annotated[Array, written(2)]  # (n, 3)
    turn: Annotated[Array, written(3)]  # (n, most, 3) c of (4): derivative by the modal coordinates of its link
    G: Annotated[Array, written(3)]  # (L, 6, n) angular and linear, global axes
    g: Annotated[Array, written(2)]  # (M, n) of one link, its axes
    h: Annotated[Array, written(3)]  # (n, n, 6) of one link, its axes
    local: Annotated[Array, written(3)]  # (1 + most, M, M) inertia of one link and its derivatives by q
    Y: Annotated[Array, written(2)]  # (M, n)
    I: Annotated[Array, written(2)]  # (n, n)
    dI: Annotated[Array, written(3)]  # (n, n, n)
    tau: Annotated[Array, written()]  # (n,) of loads, motors, dampers and weight
    u: Annotated[Array, written()]  # (n,) speeds
