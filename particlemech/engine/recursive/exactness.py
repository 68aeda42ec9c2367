"""Linkages that move only if they are drawn exactly, such as Bennett's, Bricard's, or a four-bar in space.

Rows that follow from others do so along the whole motion, or only in the pose that is drawn: there the loops close in
any case, and the smallest singular value of G says little. So the linkage is moved a little, along what it is loosest
in, with as many rows held as are independent by far, and the gap of the others is looked at:

    |gap| <= EXACT L        they follow from those held: the linkage moves                                       (1)
    |gap| >  CLEAR L        they do not, and are no near miss: another pose, or a structure                      (2)
    in between              a linkage that is drawn inexactly: it neither moves nor is it stiff                  (3)

(Bricard's mechanism: 2e-15 of its length as it should be, 7e-8 and 7e-6 with one hinge turned by 1e-6 and 1e-4.) A run
of (3) would lose closure or energy, so it is refused, with the hinges that could be turned to cure it: for each alone
the turn u of its axis that takes most of the gap away, by the derivatives of the gap,

    least |gap + (d gap/d u) u|,    u across the axis                                                            (4)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.run.start import weights

FIRM = 1e-2  # of the largest singular value: what rows above hold is held by far
EXACT, CLEAR = 1e-8, 2e-3  # of the mechanism's length
STEPS, STEP = 20, 0.02  # way that is walked: rad, or lengths
SETTLED = 1e-13  # step of Newton's method after which there is nothing to correct
TURNED = 1e-6  # rad, by which axes are turned to differentiate the gap
CURED = 0.1  # part of the gap that a cure may leave


def check_exact(made: TreeSystem, q: Array) -> None:
    """Raise where loops are over-constrained and nearly, but not quite, able to move."""
    if not made.n_row or made.mechanism.bends:
        return
    held = _firm(made, q)
    if not held or len(held) == made.n_row or len(held) >= made.n_v:
        return
    begin = np.linalg.svd(_scaled(made, q)[held])[2][-1]
    gaps = _walked(made, q, held, begin)
    if gaps is None:
        return
    worst = float(np.max(np.abs(gaps)))
    if not EXACT < worst <= CLEAR:
        return
    k, r = np.unravel_index(int(np.argmax(np.abs(gaps))), gaps.shape)
    row = made.layout.rows[int(r)]
    unit = made.mechanism.unit.length
    raise ModelError(
        f"{row.part} closes a loop that is drawn inexactly: moved by {STEP * (k % STEPS + 1):.2g} rad it is open by "
        f"{worst * made.scale.length:.2g} {unit}, so it neither moves nor is it a structure; "
        + _cure(made, q, held, begin, gaps)
    )


def _scaled(made: TreeSystem, q: Array) -> Array:
    G = made.levels(0.0, q, np.zeros(made.n_v)).phi_q
    return np.asarray(weights(made)[:, None] * G * made.size_v / made.scale.length)


def _firm(made: TreeSystem, q: Array) -> list[int]:
    """Return rows that are independent by far, by Gram and Schmidt with pivots."""
    G = _scaled(made, q)
    left, found = G.copy(), list[int]()
    largest = float(np.linalg.norm(G, axis=1).max(initial=0.0))
    while len(found) < min(G.shape):
        sizes = np.linalg.norm(left, axis=1)
        r = int(np.argmax(sizes))
        if sizes[r] <= FIRM * largest:
            break
        found.append(r)
        unit = left[r] / sizes[r]
        left = left - np.outer(left @ unit, unit)
    return found


def _walked(made: TreeSystem, q: Array, held: list[int], begin: Array) -> Array | None:
    """Return the gaps of all rows on a way of small steps, (2 STEPS, n_row), in lengths L; None: it does not move."""
    scale, L, still, every = weights(made), made.scale.length, np.zeros(made.n_v), []
    for side in (1.0, -1.0):
        pose, ahead = q, side * begin
        for _ in range(STEPS):
            free = np.linalg.svd(_scaled(made, pose)[held])[2][len(held) :]
            ahead = free.T @ (free @ ahead)
            size = float(np.max(np.abs(ahead), initial=0.0))
            if size < 1e-6:
                return None
            ahead = ahead / size
            pose = made.moved(pose, STEP * made.size_v * ahead)
            for _ in range(6):
                at = made.levels(0.0, pose, still)
                C = (scale[:, None] * at.phi_q * made.size_v / L)[held]
                step = np.linalg.lstsq(C, -(scale * at.phi / L)[held], rcond=1e-10)[0]
                pose = made.moved(pose, made.size_v * step)
                if np.max(np.abs(step)) < SETTLED:
                    break
            gap = scale * made.levels(0.0, pose, still).phi / L
            if np.max(np.abs(gap[held])) > 0.01 * EXACT:
                return None
            every.append(gap)
    return np.array(every)


def _cure(made: TreeSystem, q: Array, held: list[int], begin: Array, gaps: Array) -> str:
    """Return which hinges could be turned, and to which axes, (4)."""
    m, cures = made.mechanism, list[tuple[float, str]]()
    for name, joint in m.joints.items():
        axis: Any = getattr(joint, "axis", None)
        if axis is None:
            continue
        u = np.array(axis, dtype=float) / np.linalg.norm(axis)
        across = np.linalg.svd(u[None])[2][1:]
        slopes = []
        for e in across:
            turned = m.replaced(joints={name: replace(joint, axis=tuple((u + TURNED * e).tolist()))})  # type: ignore[type-var]
            there = _walked(TreeSystem(tabulate(turned, _like(made, turned))), q, held, begin)
            if there is None:
                break
            slopes.append((there - gaps).ravel() / TURNED)
        if len(slopes) < 2:
            continue
        A = np.array(slopes).T
        way = np.linalg.lstsq(A, -gaps.ravel(), rcond=1e-3)[0]
        if np.linalg.norm(gaps.ravel() + A @ way) < CURED * np.linalg.norm(gaps):
            cured = (u + way @ across) * np.linalg.norm(axis)
            said = f'joint "{name}" the axis [{", ".join(f"{c:.9g}" for c in cured)}]'
            cures.append((float(np.linalg.norm(way)), said))
    if not cures:
        return "draw its points and axes more exactly, or let one of its joints yield"
    return f"give {' or '.join(said for _, said in sorted(cures)[:4])}"


def _like(made: TreeSystem, mechanism: Any) -> Any:
    """Return the frames of a mechanism that differs in an axis."""
    from particlemech.engine.recursive.topology import ordered

    return ordered(mechanism, made.cuts)
