"""What friction of joints needs of a mechanism in space: loads that it determines."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.recursive.entry_points import LEVELS, ask
from particlemech.engine.recursive.forms import TIED
from particlemech.engine.recursive.tables import Tables
from particlemech.engine.recursive.workspace import Workspace
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.friction import Rubbing, rubbing
from particlemech.run.start import rank, speed_scales, weights

RANK = 1e-8  # singular values below this fraction of the largest count as zero


def stressed(W: Array, O: Array, tables: Tables, w: Array) -> Array:
    """Return what multipliers w (n_row, n) alone do in the joint that carries each frame, (n_body + 1, 6, n).

    W (n_row, 12) are the wrenches of rows, O (n_body + 1, 3) places; carried inward along the tree.
    """
    row, parent = tables.row, tables.body["parent"]
    f = np.zeros((len(tables.body), 6, w.shape[1]))
    for r in np.flatnonzero(row["form"] != TIED):
        f[row["first"][r]] -= np.outer(W[r, :6], w[r])
        f[row["second"][r]] -= np.outer(W[r, 6:], w[r])
    for i in range(len(f) - 1, 0, -1):
        inner = parent[i]
        f[inner, 3:] += f[i, 3:]
        f[inner, :3] += f[i, :3] + np.cross(O[i] - O[inner], f[i, 3:], axis=0)
    return f


def check_loads(made: Any, y: Array) -> None:
    """Refuse friction whose load the mechanism does not determine at its start, or which jams there."""
    m, every = made.compiled.tables, [rub for rub in rubbing(made.mechanism) if rub.dry]
    if not every:
        return
    if made.n_row:
        scale, place, G = weights(made), Workspace(made.compiled), np.zeros((made.n_row, made.n_v))
        ask(LEVELS, 0.0, y[made.layout.q].copy(), y[made.layout.v].copy(), G.reshape(-1), place.address)
        U, s, _ = np.linalg.svd(scale[:, None] * G * speed_scales(made))
        w = scale[:, None] * U[:, rank(s, RANK) :]
        f = stressed(place.s.W, place.s.O, m, w)
        for p, rub in zip(m.friction, every, strict=True):
            load = w[p["row"]] if rub.surface.form == "thread" else _carried(p, rub, f[p["child"]], place.s.axis)
            if np.max(np.abs(load), initial=0.0) > RANK * np.max(np.abs(f), initial=0.0):
                raise ModelError(
                    f'joint "{rub.joint}": its load is not determined, as joints of its loop hold each other, so its '
                    "friction is not; take it out, or free what is redundant, as a spherical or cylindrical joint does"
                )
    lay = made.layout
    if made.jams_at(np.zeros(1), y[None, lay.q], y[None, lay.v], y[None, lay.x])[0]:
        raise ModelError(str(made.jammed(0.0, y)))


def _carried(p: Any, rub: Rubbing, f: Array, axis: Array) -> Array:
    """Return what of wrenches f (6, n) a surface carries."""
    if rub.surface.form == "ball":
        return f[3:]
    a = axis[p["axis"]]
    along = a @ f[3:]
    parts = [f[3:] - np.outer(a, along), rub.ends * along[None]]
    if rub.over_length > 0.0:
        parts.append(rub.over_length * (f[:3] - np.outer(a, a @ f[:3])))
    return np.concatenate(parts)
