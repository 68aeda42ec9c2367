"""What is called: Python functions, and motors and controllers that own states, give F, place p and couple C on a body.

    wrench about the centre of mass r:   (F, cross(p - r, F) + C)                         (1)

It counts as work. Its derivatives are central difference quotients by all coordinates and velocities:

    f_z = (f(z + h) - f(z - h))/(2 h),   h = eps^(1/3) max(|z|, unit of z)                (2)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlemech.engine.absolute.measures import Place
from particlemech.engine.plane import State, custom_wrench
from particlemech.engine.system import Array

STEP = 6e-6  # eps^(1/3)


def wrench(
    system: Any, name: str, shape: Callable[..., Any], origin: Place, at: int, t: float, z: Array, x: Array
) -> Array:
    """Return the generalised force (1) on the body at coordinate `at`, (3,); z = (q, v), places from the origin."""
    q, v = z[: system.n_q], z[system.n_q :]
    state = State(system, t, q, v, x)
    fx, fy, px, py, couple = custom_wrench(shape(system.elements.answer(name, t, state, x)[0], state), name)
    rx, ry = px - origin[0] - q[at], py - origin[1] - q[at + 1]
    return np.array([fx, fy, rx * fy - ry * fx + couple])


def derivatives(
    system: Any,
    name: str,
    shape: Callable[..., Any],
    origin: Place,
    at: int,
    t: float,
    z: Array,
    x: Array,
    unit: Array,
) -> Array:
    """Return (2) by z = (q, v), (3, 2 n_q); unit (2 n_q,) is the size of each."""
    result = np.empty((3, len(z)))
    for j in range(len(z)):
        step = STEP * max(abs(z[j]), unit[j])
        ahead, behind = z.copy(), z.copy()
        ahead[j] += step
        behind[j] -= step
        after = wrench(system, name, shape, origin, at, t, ahead, x)
        before = wrench(system, name, shape, origin, at, t, behind, x)
        result[:, j] = (after - before) / (ahead[j] - behind[j])
    return result
