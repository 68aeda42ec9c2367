"""Reactions of mechanisms in the plane: the least that balance, and which of their components are determined.

Reactions are one least-norm solution over all joints at each instant, so they do not depend on how the mechanism was
cut:

    wrench r = missing,   r least in units of force (moments divided by L)                          (1)
    a component c.r is determined if and only if c is orthogonal to every self-stress (null space of wrench)  (2)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from particlemech.engine.plane import Balance, Reactions
from particlemech.engine.system import Array

RANK = 1e-8  # singular values below this fraction of the largest count as zero


def no_reactions(K: int, n_report: int, n_driver: int) -> Reactions:
    """Return reactions of K samples that are all zero and known, to be filled in."""
    value, effort = np.zeros((K, n_report, 3)), np.zeros((K, n_driver))
    return Reactions(value, np.ones(value.shape, dtype=bool), effort, np.ones(effort.shape, dtype=bool))


def least_norm(balance: Balance) -> tuple[Array, Array, float]:
    """Return least-norm reactions (1), (n_reaction,), a basis of the self-stresses, (n_reaction, k), and a condition.

    The condition number of equilibrium says how much larger an error of the motion appears in the reactions.
    """
    B = balance.wrench * balance.unit
    if not B.size:
        return np.zeros(B.shape[1]), np.eye(B.shape[1]), 1.0
    U, s, Vt = np.linalg.svd(B)
    rank = int(np.sum(s > RANK * s[0])) if s[0] > 0.0 else 0
    r = Vt[:rank].T @ ((U[:, :rank].T @ balance.missing) / s[:rank])
    return balance.unit * r, balance.unit[:, None] * Vt[rank:].T, float(conditions(s))


def conditions(s: Any) -> Array:
    """Return the condition numbers that belong to singular values, largest first, (..., n) -> (...)."""
    if not s.shape[-1]:
        return np.ones(s.shape[:-1])
    rank = np.sum(s > RANK * s[..., :1], axis=-1)
    least = np.take_along_axis(s, np.maximum(rank - 1, 0)[..., None], axis=-1)[..., 0]
    return np.where(rank > 0, s[..., 0] / np.where(rank > 0, least, 1.0), 1.0)


def determined(functional: Array, stresses: Array, unit: Array) -> Array:
    """Return which of the functionals (..., n_reaction) have one value only, (2).

    Each is judged beside the largest of its joint: what a joint cannot carry is rounding, and known to be 0.
    """
    if not stresses.shape[1]:
        return np.ones(functional.shape[:-1], dtype=bool)
    size = np.max(np.linalg.norm(functional * unit, axis=-1), axis=-1, keepdims=True)
    seen = np.linalg.norm(functional @ stresses, axis=-1)
    return np.asarray(seen <= RANK * np.maximum(size, 1e-300))


def effort_places(columns: Sequence[str], efforts: Sequence[tuple[str, int]]) -> list[int]:
    """Return where the effort of each row is among `efforts`, -1 for none; `columns` are the parts of all rows."""
    at, seen, found = {effort: k for k, effort in enumerate(efforts)}, Counter[str](), []
    for name in columns:
        found.append(at.get((name, seen[name]), -1))
        seen[name] += 1
    return found


def decomposed(balances: Balance, efforts: Sequence[tuple[str, int]]) -> Reactions:
    """Return the reactions of K instants by a singular value decomposition of each.

    Parameters
    ----------
    balances
        Equilibrium at K instants: `wrench`, `missing` and `report` have one more axis, the first.
    efforts
        Parts and which of their rows have an effort that is a result, in order.
    """
    unit, report = balances.unit, balances.report
    K, n = len(balances.wrench), len(unit)
    found = no_reactions(K, report.shape[1], len(efforts))
    own = np.zeros((len(efforts), n))
    for r, place in enumerate(effort_places(balances.joint_columns, efforts)):
        if place >= 0:
            own[place, r] = 1.0
    if not K or not n:
        return found
    B = balances.wrench * unit
    U, s, Vt = np.linalg.svd(B)
    kept = s > RANK * s[:, :1]
    along = (np.swapaxes(U, 1, 2) @ balances.missing[..., None])[:, : s.shape[1], 0]
    along = np.where(kept, along / np.where(kept, s, 1.0), 0.0)
    r = unit * (along[:, None] @ Vt[:, : s.shape[1]])[:, 0]
    found.value[:] = np.einsum("kpcr,kr->kpc", report, r)
    found.effort[:] = r @ own.T
    rank = np.sum(kept, axis=1)
    for k in np.flatnonzero(rank < n):
        stresses = unit[:, None] * Vt[k, rank[k] :].T
        found.known[k] = determined(report[k], stresses, unit)
        for i, functional in enumerate(own):
            found.effort_known[k, i] = determined(functional[None], stresses, unit)[0]
    return found


def stacked(balances: Sequence[Balance]) -> Balance:
    """Return equilibria at several instants as one, with an axis for these."""
    first = balances[0]
    wrench, missing, report = (
        np.stack([getattr(b, name) for b in balances]) for name in ("wrench", "missing", "report")
    )
    return Balance(wrench, missing, first.unit, report, first.joint_columns)
