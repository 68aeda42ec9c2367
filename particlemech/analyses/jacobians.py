"""How fast points and bodies move per unit speed of the drivers, and where that fails.

    G v = 0,  C v = e_k             v: all speeds while driver k moves with unit rate and the others rest        (1)
    J = P v                         P: rates of what is asked for                                                (2)

(G; C) loses rank where drivers do not hold the mechanism: a *locking* pose for them, a toggle, J grows beyond all
bounds (singularity of the second kind). J loses rank where the point cannot move some way: the limit of its reach
(first kind).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.analyses.kinematics.driving import NO_FREEDOM, stiff
from particlemech.analyses.poses import released
from particlemech.analyses.poses.posing import Posing, ask, joint_coordinates, rows_of
from particlemech.analyses.poses.quantities import Quantity
from particlemech.analyses.text_table import table
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.result.base import Result

LOOSE = 1e-9  # of a motion that drivers leave open: what moves less does not depend on it
NOTHING = 1e-13  # of the largest rate: what is less is rounding, and printed as 0
SINGULAR = 1e-9  # reciprocal condition below which a pose is singular


@dataclass(frozen=True, eq=False)
class Jacobian:
    """Rates of quantities per unit rate of drivers, in one pose.

    Attributes
    ----------
    matrix : array, shape (m, n)
        In the units of the model, rad for angles.
    of, drivers : tuple of str
        Names of its rows and columns.
    kind : str
        "regular", "first kind" (what is asked for cannot move some way), "second kind" (drivers do not hold it).
    locking : float
        Reciprocal condition number of (1), angles counting the mechanism's length: 0 where drivers do not hold it.
    """

    matrix: Array
    of: tuple[str, ...]
    drivers: tuple[str, ...]
    kind: str
    locking: float

    @property
    def manipulability(self) -> float:
        """The product of its singular values, the volume of what unit rates reach: |det J| of a square one."""
        return float(np.prod(np.linalg.svd(self.matrix, compute_uv=False)))

    @property
    def dexterity(self) -> float:
        """Smallest over largest singular value: 1 where all ways are alike, 0 where one is shut."""
        s = np.linalg.svd(self.matrix, compute_uv=False)
        return float(s[-1] / s[0]) if len(s) and s[0] > 0.0 else 0.0

    def forces(self, efforts: Sequence[float]) -> Array:
        """Return the forces along the rows that efforts of the drivers hold at rest, (m,): J^T f = efforts."""
        return np.asarray(np.linalg.lstsq(self.matrix.T, np.asarray(efforts, float), rcond=None)[0])

    def __str__(self) -> str:
        """Return a table: rows are what moves, columns the drivers."""
        none = NOTHING * np.abs(self.matrix).max(initial=0.0)
        clean = np.where(np.abs(self.matrix) <= none, 0.0, self.matrix)
        rows = [(name, *(f"{x:.6g}" for x in row)) for name, row in zip(self.of, clean, strict=True)]
        return "\n".join(table(f"{self.kind}, rates per unit rate of the drivers", ("", *self.drivers), rows)).lstrip()


def jacobian(
    mechanism: Any, point: str | Sequence[str], drivers: Sequence[str] | None = None, about: Result | None = None
) -> Jacobian:
    """Return rates of points and bodies per unit rate of drivers; see `particlemech.jacobian`."""
    posing, wanted = driven(mechanism, drivers, [point] if isinstance(point, str) else list(point))
    if about is not None:
        posing.start_from(posing.of.of_result(about)[0][-1])
    return at(posing, wanted)


def driven(mechanism: Any, drivers: Sequence[str] | None, wanted: Sequence[str]) -> tuple[Posing, list[Quantity]]:
    """Return poses by what drivers drive, those of the model, or coordinates of joints by name; and what is wanted.

    Raises
    ------
    ModelError
        If they do not say where all is that is wanted; what else moves by itself, as a rod spins between two balls,
        does not matter.
    """
    of = released(stiff(mechanism, "jacobian"))
    if isinstance(drivers, str):
        drivers = [drivers]
    names = list(of.driven.drivers) if drivers is None else list(drivers)
    if not names:
        every = [c.name for c in joint_coordinates(of)]
        if not every:
            raise ModelError("nothing drives it, and no joint of it has a coordinate that could be driven")
        if not Posing(of, []).freedoms:
            raise ModelError(NO_FREEDOM)
        more = ", ..." if len(every) > 6 else ""
        raise ModelError(f"nothing drives it; say what does, drivers=[...] of {', '.join(every[:6])}{more}")
    posing = Posing(of, ask(of, names, joints=True))
    asked, free = ask(of, wanted, joints=False), posing.freedoms
    if free > len(posing.quantities):
        posing.open = free - len(posing.quantities)
        unit = np.array([posing.length if c.turn else 1.0 for c in asked])[:, None]
        if np.abs(unit * rows_of(of, posing.q, asked) @ posing.loose_ways()).max(initial=0.0) > LOOSE * posing.length:
            said = ", ".join(c.name for c in posing.quantities)
            raise ModelError(f"driven by {said} it keeps {posing.open_freedom(posing.q)}; name more drivers")
    if free < len(posing.quantities):
        raise ModelError(
            f"{len(posing.quantities)} drivers for {free} freedom{'s' if free != 1 else ''}; name {free} of "
            f"{', '.join(c.name for c in posing.quantities)}"
        )
    return posing, asked


def at(posing: Posing, of: Sequence[Quantity]) -> Jacobian:
    """Return the Jacobian of quantities in the present pose."""
    locking = posing.condition()
    n = len(posing.quantities)
    v = np.stack([posing.speeds(unit) for unit in np.eye(n)], axis=1) if n else np.zeros((posing.of.system.n_v, 0))
    J = rows_of(posing.of, posing.q, of) @ v
    kind = "second kind" if locking < SINGULAR else "regular"
    if kind == "regular" and len(J) and n:
        unit = np.array([posing.length if c.turn else 1.0 for c in of])[:, None]
        s = np.linalg.svd(unit * J / np.array([posing.length if c.turn else 1.0 for c in posing.quantities]))[1]
        if s[-1] < SINGULAR * max(1.0, s[0]):
            kind = "first kind"
    return Jacobian(J, tuple(c.name for c in of), tuple(c.name for c in posing.quantities), kind, locking)
