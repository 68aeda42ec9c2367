"""The inertia tensor of a rigid body in space, as users write it, and what no mass can have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.errors import ModelError
from particlemech.model.spec import Vector3, number, sequence, shown, vector3

Tensor = tuple[float, float, float, float, float, float]  # xx, yy, zz, xy, xz, yz; xy = -sum of m x y

SLACK = 1e-9  # of rounded moments and products, as a fraction of the largest


def inertia(value: Any) -> tuple[float, ...]:
    """Three numbers [xx, yy, zz], six [xx, yy, zz, xy, xz, yz], or the rows of the tensor."""
    entries = sequence(value)
    if len(entries) == 3 and any(hasattr(e, "__iter__") and not isinstance(e, str) for e in entries):
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (vector3(row) for row in entries)
        slack = SLACK * max(abs(e) for e in (xx, yy, zz, xy, xz, yz, yx, zx, zy))
        for entry, one, other in (("xy", xy, yx), ("xz", xz, zx), ("yz", yz, zy)):
            if abs(one - other) > slack:
                raise ModelError(
                    f"entry {entry} is {one:.12g} above the diagonal and {other:.12g} below; make them equal"
                )
        return xx, yy, zz, 0.5 * (xy + yx), 0.5 * (xz + zx), 0.5 * (yz + zy)
    numbers = tuple(number(e) for e in entries)
    if len(numbers) not in (3, 6):
        raise ModelError(
            "expected 3 numbers [xx, yy, zz], 6 [xx, yy, zz, xy, xz, yz] or 3 rows of 3, "
            f"got {len(numbers)}: {shown(value)}"
        )
    return numbers


def tensor(inertia: tuple[float, ...]) -> Tensor:
    """Return all six entries of an inertia of three or six numbers."""
    xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
    return xx, yy, zz, xy, xz, yz


def principal(tensor: Tensor) -> Vector3:
    """Return the principal moments of inertia, smallest first."""
    xx, yy, zz, xy, xz, yz = tensor
    if xy == xz == yz == 0.0:
        least, middle, most = sorted((xx, yy, zz))
    else:
        least, middle, most = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    return least, middle, most


RULES = ("real", "positive")  # what an inertia is held to: that some mass has it, or only that no moment is negative


def check(mass: float, tensor: Tensor, rule: str = RULES[0]) -> None:
    """Check that some mass can have this inertia about its centre, or only that no motion has a negative energy."""
    least, middle, most = principal(tensor)
    shown_moments = f"its principal moments are {least:g}, {middle:g} and {most:g}"
    slack = SLACK * max(abs(least), abs(most))
    if least < -slack:
        raise ModelError(f'key "inertia": {shown_moments}, but none can be negative; check signs and products')
    if rule != RULES[0]:
        return
    if least + middle < most - slack:
        raise ModelError(
            f'key "inertia": {shown_moments}, but no mass has one above the sum of the two others (triangle '
            "inequality); check the numbers, and that they are about the centre of mass"
        )
    if mass == 0.0 and most > 0.0:
        raise ModelError(f'key "inertia": {shown_moments}, but the mass is 0; give it a mass, or no inertia')


def matrix(tensor: Tensor) -> NDArray[np.float64]:
    """Return the tensor as a matrix, (3, 3)."""
    xx, yy, zz, xy, xz, yz = tensor
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
