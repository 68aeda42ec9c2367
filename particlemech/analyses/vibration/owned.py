"""States that motors and controllers own, in equations of rest and of small motions.

    r(z, z', z'', w) = 0:     M z'' + C z' + K z + E w = F u,               E = dr/dw                                (1)
    w' = g(z, z', w):         w' = G_z z + G_v z' + G_w w + G_u u           G = dg/d(z, z', w, u)                    (2)
    r(z, w) = 0,  g(z, w) = 0                                               at rest, and with steady rates           (3)

with z of chart.py and w of engine/elements.py, those states only that act: a controller without integral action has an
integral that changes nothing. Rest (3) is found for both at once: g of an integral is the error, and r its value.

Derivatives are by differences of fourth order: of linear laws they are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlemech.analyses.vibration.chart import STEP, slopes
from particlemech.engine.system import Array
from particlemech.errors import ModelError

if TYPE_CHECKING:
    from particlemech.analyses.vibration.chart import Chart, Motion

RANK = 1e-9  # of the largest singular value: what is below it is not determined


class Ties(NamedTuple):
    """How states are tied to the motion, (1) and (2)."""

    E: Array  # (f, n)
    z: Array  # G_z, (n, f)
    v: Array  # G_v, (n, f)
    w: Array  # G_w, (n, n)


def ties(chart: Chart, rates: Array, fine: bool = True) -> Ties:
    """Return the derivatives at home; roughly, by differences of second order, if not `fine`."""
    f, n = chart.f, len(chart.owned.names)
    if not n:
        return Ties(np.zeros((f, 0)), np.zeros((0, f)), np.zeros((0, f)), np.zeros((0, 0)))
    here = chart.motion(chart.home, rates)

    def by_states(w: Array) -> Array:
        at = here._replace(pose=chart.owning(chart.home, chart.own + w))
        return np.concatenate([chart.missing(at), chart.flow(at)])

    def by_places(z: Array) -> Array:
        return chart.flow(chart.motion(chart.pose(z, chart.led(here, z)), rates))

    def by_rates(v: Array) -> Array:
        return chart.flow(chart.motion(chart.home, rates + v))

    whole = slopes(by_states, STEP * chart.owned.sizes, fine)
    G_z = slopes(by_places, STEP * chart.unit, fine).reshape(n, f)
    G_v = slopes(by_rates, STEP * chart.unit / chart.system.scale.time, fine).reshape(n, f)
    return Ties(whole[:f], G_z, G_v, whole[f:])


def bordered(chart: Chart, here: Motion, rates: Array, K: Array, force: Array, free: Array) -> tuple[Array, Array]:
    """Return the matrix and the residual of Newton's method for (3), in sizes of its unknowns.

    K (f, k) of the freedoms `free` (f,) and the force (f,) are in units of the coordinates.
    """
    tied, w, unit = ties(chart, rates, fine=False), chart.owned.sizes, chart.unit
    E = unit[:, None] * tied.E * w
    G = np.hstack([tied.z[:, free] * unit[free], tied.w * w])
    # rows that are as large as those of the forces
    size = max(float(np.abs(K).max(initial=0.0)), float(np.abs(E).max(initial=0.0))) or 1.0
    largest = np.abs(G).max(axis=1, initial=0.0)
    over = size / np.where(largest > 0.0, largest, w / chart.system.scale.time)
    return np.vstack([np.hstack([K, E]), over[:, None] * G]), np.concatenate([force, over * chart.flow(here)])


def check_determined(chart: Chart, rates: Array) -> None:
    """Raise where rest at home leaves the states of elements open."""
    if not chart.owned.names:
        return
    tied = ties(chart, rates)
    columns = np.vstack([chart.unit[:, None] * tied.E, tied.w]) * chart.owned.sizes
    rows = np.abs(columns).max(axis=1, keepdims=True)
    _, s, V = np.linalg.svd(columns / np.where(rows > 0.0, rows, 1.0), full_matrices=True)
    s = np.append(s, np.zeros(len(V) - len(s)))
    if s.min() > RANK * max(s.max(), 1e-300):
        return
    open_ = np.abs(V[int(np.argmin(s))])
    names = [f'"{name}"' for name, size in zip(chart.owned.names, open_, strict=True) if size > 1e-6]
    alone = len(names) == 1
    raise ModelError(
        f"{' and '.join(names)} {'is' if alone else 'are'} not determined by rest: "
        + (
            "it acts on nothing that moves; take its integral away (ki = 0), or let its coordinate move"
            if alone
            else "only together do they balance what acts; leave one of them an integral (ki), and none to the others"
        )
    )


def restless_at(chart: Chart, at: Motion, allowed: float, rates: Array) -> str | None:
    """Return which state does not rest in a motion, in words; `allowed` is a part of what its rate is made of."""
    if not chart.owned.names:
        return None
    tied, T, w = ties(chart, rates), chart.system.scale.time, chart.owned.sizes
    made = np.abs(tied.z) @ chart.unit + np.abs(tied.v) @ chart.unit / T + np.abs(tied.w) @ w
    flow = chart.flow(at)
    for left in (flow, tied.z @ rates * T):
        share = np.abs(left) / np.where(made > 0.0, made, w / T)
        worst = int(np.argmax(share))
        if share[worst] > allowed:
            return f'"{chart.owned.names[worst]}" changes by {left[worst]:.3g} per second'
    return None


def unsettled(restless: str) -> str:
    """Return the error of a state that does not rest."""
    return (
        f'no steady state: {restless}; start where motors and controllers rest, let about = "equilibrium" find it, or '
        "take settle = False for small motions about a moving state"
    )


def eigenvalues(chart: Chart, M: Array, C: Array, K: Array) -> Array:
    """Return the eigenvalues of (1) and (2) times T that are finite, M singular or not, (n,) of complex."""
    from scipy.linalg import eig

    tied, unit, w, T = ties(chart, np.zeros(chart.f)), chart.unit, chart.owned.sizes, chart.system.scale.time
    f, n = chart.f, len(w)
    over = np.outer(unit, unit)
    zero, one = np.zeros((f, f)), np.eye(f)
    A = np.block(
        [
            [zero, one, np.zeros((f, n))],
            [-over * K, -over * C / T, -unit[:, None] * tied.E * w],
            [T * tied.z * unit / w[:, None], tied.v * unit / w[:, None], T * tied.w * w / w[:, None]],
        ]
    )
    B = np.block(
        [[one, zero, np.zeros((f, n))], [zero, over * M / T**2, np.zeros((f, n))], [np.zeros((n, 2 * f)), np.eye(n)]]
    )
    found = eig(A, B, right=False)
    return np.asarray(found[np.isfinite(found)])
