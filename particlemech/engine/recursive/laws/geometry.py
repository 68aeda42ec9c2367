"""Places and pushes on bodies, shared by the laws of forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from particlemech._jit import kernel
from particlemech.engine.system import Array
from particlemech.engine.vector_kernels import Triple, cross, dot, shifted

if TYPE_CHECKING:
    from particlemech.engine.recursive.tables import WorkArrays
    from particlemech.model.signals import SignalSpec


class Where(Protocol):
    """Names to numbers, for the records of forces."""

    mechanism: Any
    body: Callable[[str], int]  # name -> number
    spot: Callable[[Any, str], tuple[int, tuple[float, float, float]]]  # (place, body) -> frame, place from its O
    stages: Callable[[str, str | None], tuple[int, int]]  # (joint, coordinate) -> first and last stage
    ends: Callable[[str], tuple[int, int]]  # joint -> numbers of the frames before and behind it
    signal: Callable[[SignalSpec], int]  # -> number


@kernel
def arm(S: Array, at: Array) -> Triple:
    """Return where a place of a body is from its O, global axes."""
    return shifted(S, at[0], at[1], at[2])


@kernel
def signals_of(sig: Array, number: Array) -> Triple:
    """Return the present values of three signals."""
    return sig[number[0], 0], sig[number[1], 0], sig[number[2], 0]


@kernel
def push(body: int, x: float, y: float, z: float, fx: float, fy: float, fz: float, s: WorkArrays) -> float:
    """Add a force at the arm (x, y, z) from O of a body to its loads; return its power. The ground takes any force."""
    if body == 0:
        return 0.0
    load, v, w = s.load[body], s.v[body], s.omega[body]
    nx, ny, nz = cross(x, y, z, fx, fy, fz)
    load[0] += nx
    load[1] += ny
    load[2] += nz
    load[3] += fx
    load[4] += fy
    load[5] += fz
    return dot(fx, fy, fz, v[0], v[1], v[2]) + dot(nx, ny, nz, w[0], w[1], w[2])
