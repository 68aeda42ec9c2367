"""Equations and unknowns of a vector model: too many, too few, and which; by rank, not by count alone.

With J the slopes of the rows in the unknowns where the model closes, or comes nearest to it:

    freedoms  = unknowns - rank J     right null vectors of J: parameters that are left open                  (1)
    redundant = equations - rank J    left null vectors of J: rows that follow from others                    (2)

In a pose that does not close, the residual f itself is a left null vector, J^T f = 0, and names the rows that
contradict each other. A freedom is one that moves: the model is pushed along it and closed again. If it comes back
instead, the pose is a toggle, where rank is lost in this pose only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from particlemech.analyses.vectors.compiled import VectorNumbers
from particlemech.analyses.vectors.matrices import MOVED, independent
from particlemech.analyses.vectors.model import VectorModel
from particlemech.analyses.vectors.newton import Closing, closing
from particlemech.analyses.vectors.pose import Pose
from particlemech.engine.system import Array

TOLERANCE = 1e-7  # of the largest singular value: a toggle is found to about the root of the rounding error
PUSH = 0.02  # along a freedom, in units of the parameters
BLAMED = 1e-3  # of the largest residual: rows that contradict


@dataclass(frozen=True)
class Verdict:
    """What can be said of a vector model before it is used.

    `kind` is one of "determined", "redundant" (determined, by more rows than it needs), "too few" (equations), "toggle"
    (rank is lost in this pose only), "too many" (equations, which contradict each other) and "does not close".
    """

    kind: str
    equations: int  # all rows: of relations, and one of unit length for each vector
    idle: int  # of these, rows without an unknown
    unknowns: int
    rank: int
    freedoms: int  # (1)
    redundant: int  # (2), idle rows left out
    rows: tuple[str, ...]  # that depend on each other or contradict each other
    parameters: tuple[str, ...]  # that are left open
    vectors: tuple[str, ...]  # behind those rows and parameters
    gap: float  # largest residual, in units of the rows
    text: str  # all this in a sentence

    def __str__(self) -> str:
        """Return the sentence."""
        return self.text


def judged(model: VectorModel, t: float = 0.0) -> Verdict:
    """Return the verdict on a vector model, at a time, near its starting guess."""
    c = VectorNumbers(model)
    return verdict(c, closing(c, c.values(t)[0], t), t)


def verdict(c: VectorNumbers, found: Closing, t: float) -> Verdict:
    """Return the verdict on what Newton's method came to."""
    J = Pose(c, t, found.x, found.gap, found.iterations).equations
    U, sizes, V = np.linalg.svd(J) if J.size else (np.eye(J.shape[0]), np.zeros(0), np.eye(J.shape[1]))
    rank = int(np.sum(sizes > TOLERANCE * sizes.max(initial=0.0)))
    freedoms, redundant = J.shape[1] - rank, J.shape[0] - rank
    dependent = [c.active[k] for k in np.flatnonzero(np.linalg.norm(U[:, rank:], axis=1) > MOVED)]
    loose = c.unknown[np.linalg.norm(V[rank:], axis=0) > MOVED] if freedoms else np.zeros(0, dtype=np.intp)
    if not found.closed:
        rows = [int(k) for k in np.flatnonzero(np.abs(found.f) > BLAMED * found.gap)]
        kind = "too many" if _contradictory(c, rows, J) else "does not close"
        loose = loose[:0]
    elif freedoms:
        kind = "too few" if _moves(c, found, V[rank:], t) else "toggle"
        rows = [int(k) for k in dependent]
    else:
        kind, rows = "redundant" if redundant else "determined", [int(k) for k in dependent]
    parameters = tuple(c.columns[k] for k in loose)
    vectors = _ordered(c, [*(c.tied[k] for k in rows), *(c.owners[k] for k in loose)])
    counts = {
        "equations": len(c.rows),
        "idle": len(c.rows) - len(c.active),
        "unknowns": len(c.unknown),
        "rank": rank,
        "freedoms": freedoms,
        "redundant": redundant,
    }
    names = tuple(c.rows[k] for k in rows)
    moved = f"{listed(parameters)} of vectors {listed(_ordered(c, [c.owners[k] for k in loose]))}"
    said = _sentence(kind, counts, names, moved, vectors, found.gap)
    return Verdict(kind=kind, **counts, rows=names, parameters=parameters, vectors=vectors, gap=found.gap, text=said)


def _contradictory(c: VectorNumbers, rows: list[int], J: Array) -> bool:
    """Return whether the rows that fail would do so whatever the dimensions: they outnumber their unknowns."""
    generic = c.slopes(np.random.default_rng(1984).uniform(0.5, 1.5, c.n))[:, c.unknown]
    touched = np.abs(generic[rows]).max(axis=0, initial=0.0) > 0.0
    # rows that hold count as well if they hold no other unknowns; of those that say the same, one
    met = [k for k in range(len(c.active)) if c.active[k] not in rows]
    needed = [int(c.active[met[k]]) for k in independent(J[met])]
    inside = [k for k in needed if not np.abs(generic[k, ~touched]).any()]
    chosen = sorted({*rows, *inside})
    return int(np.linalg.matrix_rank(generic[chosen])) < len(chosen) if touched.any() else True


def _moves(c: VectorNumbers, found: Closing, null: Array, t: float) -> bool:
    """Return whether the model, pushed along a null vector, closes somewhere else."""
    scale = c.column_units[c.unknown]
    for direction in (*null, *-null):
        x = found.x.copy()
        x[c.unknown] += PUSH * scale * direction
        again = closing(c, x, t, rank=len(c.unknown) - len(null))
        if again.closed and float(np.linalg.norm((again.x - found.x)[c.unknown] / scale)) > 0.5 * PUSH:
            return True
    return False


def _ordered(c: VectorNumbers, owners: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return names of vectors, each once, in the order of the model."""
    named = {v for group in owners for v in group}
    return tuple(v for v in c.index if v in named)


def listed(names: Iterable[str]) -> str:
    """Return names as they stand in a sentence."""
    quoted = [f'"{name}"' for name in names]
    return ", ".join(quoted[:12]) + (", ..." if len(quoted) > 12 else "")


def _sentence(
    kind: str,
    n: dict[str, int],
    rows: tuple[str, ...],
    moved: str,
    vectors: tuple[str, ...],
    gap: float,
) -> str:
    """Return the verdict in a sentence."""
    active = n["equations"] - n["idle"]
    head = f"{active} equations for {n['unknowns']} unknowns, rank {n['rank']}"
    depend = f"rows {listed(rows)} depend on each other"
    told = {
        "determined": f"determined: {head}",
        "redundant": f"redundant: {head}; {depend}, so that {n['redundant']} of them may go",
        "too few": f"too few equations: {head}; {n['freedoms']} freedom(s) remain in {moved}; "
        + (f"{depend}; " if rows else "")
        + "give as many of these parameters, or add relations",
        "toggle": f"toggle: {head}; in this pose only, {moved} are left open and {depend}; start elsewhere",
        "too many": f"too many equations: {head}; rows {listed(rows)} of vectors {listed(vectors)} contradict each "
        f"other by {gap:.3g}; make a parameter of these vectors unknown, or take a row out",
        "does not close": f"does not close: {head}; rows {listed(rows)} of vectors {listed(vectors)} are missed by "
        f"{gap:.3g}; the lengths do not reach, or the guess is far off",
    }
    return told[kind]
