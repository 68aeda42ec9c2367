"""Differences of two results of one mechanism: the largest of each quantity, over all parts and samples.

They are compared with the range of their own quantity, so that a joint force of 1e-9 N beside others of 100 N is not
taken for a disagreement.

Near a singular pose a small difference of the motion is a large one of the reactions: equilibrium magnifies it by its
condition number. Where that number stands out from the rest of the run, it is divided out of their differences (up to
a thousandfold).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from particlemech.engine.system import Array, Scale
from particlemech.result.base import Result

FROM_EQUILIBRIUM = ("reactions", "moments", "effort")
DERIVED = ("accelerations", "angular accelerations", *FROM_EQUILIBRIUM)  # what follows from a state
JUMPING = ("velocities", "angular velocities", "energy")  # what jumps at impacts
MOST = 1e3  # what the condition of equilibrium may explain at most
ZERO = 1e-6  # of its natural size: below this a quantity counts as zero all the time

Excuse = Callable[[str, list[str], Array], Array]  # quantity, columns, their differences (n, K) -> what is left
Quantities = dict[str, tuple[tuple[str, ...], Callable[[Scale], float]]]

# quantity -> (endings of its columns, its natural size)
QUANTITIES: Quantities = {
    "points": (("x", "y"), lambda s: s.length),
    "velocities": (("vx", "vy"), lambda s: s.length / s.time),
    "accelerations": (("ax", "ay"), lambda s: s.length / s.time**2),
    "angles": (("angle",), lambda s: 1.0),
    "angular velocities": (("omega",), lambda s: 1.0 / s.time),
    "angular accelerations": (("alpha",), lambda s: 1.0 / s.time**2),
    "reactions": (("fx", "fy"), lambda s: s.mass * s.length / s.time**2),
    "moments": (("m",), lambda s: s.mass * s.length**2 / s.time**2),
    "effort": (("effort",), lambda s: s.mass * s.length**2 / s.time**2),
    "energy": (("kinetic", "potential", "total", "work"), lambda s: s.mass * s.length**2 / s.time**2),
}
IN_SPACE: Quantities = {
    "points": (("x", "y", "z"), lambda s: s.length),
    "velocities": (("vx", "vy", "vz"), lambda s: s.length / s.time),
    "accelerations": (("ax", "ay", "az"), lambda s: s.length / s.time**2),
    "orientations": (("qw", "qx", "qy", "qz"), lambda s: 1.0),
    "angular velocities": (("omega_x", "omega_y", "omega_z"), lambda s: 1.0 / s.time),
    "angular accelerations": (("alpha_x", "alpha_y", "alpha_z"), lambda s: 1.0 / s.time**2),
    "reactions": (("fx", "fy", "fz"), lambda s: s.mass * s.length / s.time**2),
    "moments": (("mx", "my", "mz"), lambda s: s.mass * s.length**2 / s.time**2),
    "effort": QUANTITIES["effort"],
    "energy": QUANTITIES["energy"],
}


@dataclass(frozen=True)
class Difference:
    """The largest difference of one quantity."""

    quantity: str
    largest: float  # in the unit of the quantity
    scale: float  # its range, in the same unit
    where: str  # column
    t: float  # s
    magnified: float = 1.0  # by the condition of equilibrium

    @property
    def relative(self) -> float:
        """The difference as a fraction of the range, without what the condition of equilibrium explains."""
        return self.largest / self.scale / self.magnified


def differences(first: Any, second: Any, excuses: Excuse | None = None) -> tuple[Difference, ...]:
    """Return the largest difference per quantity over the samples both have.

    Reactions that one of them leaves undetermined are not compared, but whether the other does too is; quantities that
    the mechanism has not are left out. `excuses` returns what it leaves of the differences (n, K) of n columns.
    """
    a, b = first.columns(), second.columns()
    in_space = hasattr(first, "quaternion")  # bodies in the plane turn by an angle
    result: list[Difference] = []
    unique: list[str] = []
    for quantity, (endings, natural) in (IN_SPACE if in_space else QUANTITIES).items():
        names = [n for n in a if n.rpartition(".")[2] in endings and n in b]
        # some drivers exert forces and some torques, so each has a range of its own
        groups = [[n] for n in names] if quantity == "effort" else [names]
        for group in groups:
            magnified = np.ones(len(first.t))
            if not in_space and quantity in FROM_EQUILIBRIUM and group:
                magnified = _magnified(first, second)
            found = _largest(group, a, b, magnified, partial(excuses, quantity, group) if excuses else None)
            if in_space and quantity in FROM_EQUILIBRIUM and group:
                unique += group
            if found is None:
                continue
            largest, values, where, k = found
            scale = max(_range(quantity, values, first), ZERO * natural(first.system.scale))
            if quantity == "moments" and in_space:
                # a moment in space is rarely needed for itself: forces at its length say what is small
                forces = [d.scale for d in result if d.quantity.startswith("reactions")]
                scale = max((scale, *(first.system.scale.length * f for f in forces)))
            name = _how_many(quantity, group, a) if in_space and quantity != "effort" else quantity
            result.append(Difference(name, largest, scale, where, float(first.t[k]), float(magnified[k])))
    return (*result, *_undetermined(unique, a, b))


def _how_many(quantity: str, names: list[str], a: Mapping[str, Array]) -> str:
    """Return the name of a quantity, and how many of its components are known at all samples, if not all are."""
    known = sum(bool(np.isfinite(a[name]).all()) for name in names)
    return quantity if known == len(names) else f"{quantity}, {known} of {len(names)}"


def _undetermined(names: list[str], a: Mapping[str, Array], b: Mapping[str, Array]) -> Iterator[Difference]:
    """Give whether both runs leave the same reactions undetermined, where one of them leaves any."""
    k = min(len(a["t"]), len(b["t"]))
    one, two = (np.array([np.isfinite(run[name][:k]) for name in names]) for run in (a, b))
    if one.all() and two.all():
        return
    i, j = np.unravel_index(int(np.argmax(one != two)), one.shape)
    apart = float((one != two)[i, j])
    yield Difference("which are unique", apart, 1.0, names[i], float(a["t"][j]))


def _magnified(first: Any, second: Any) -> Array:
    """Return by how much the condition of equilibrium stands out, per sample of both runs."""
    k = min(len(first.t), len(second.t))
    condition = np.minimum(first.condition[:k], second.condition[:k])
    return np.clip(condition / np.median(condition), 1.0, MOST)


def _range(quantity: str, values: Array, result: Result) -> float:
    """Return how far a quantity ranges: places from each other, energies as booked, the rest from zero."""
    if quantity == "energy":
        return float(result.energy.scale)
    if quantity == "points":
        return max(float(np.ptp(values)), result.system.scale.length)
    if quantity == "angles":  # as lengths are compared with that of the mechanism, so are angles with 1 rad
        return max(float(np.max(np.abs(values))), 1.0)
    return float(np.max(np.abs(values)))


def _largest(
    names: list[str],
    a: Mapping[str, Array],
    b: Mapping[str, Array],
    magnified: Array,
    left: Callable[[Array], Array] | None = None,
) -> tuple[float, Array, str, int] | None:
    """Return the largest difference, the values that were compared, and the column and sample of the largest."""
    k = min(len(a["t"]), len(b["t"]))
    if not names or not k:
        return None
    one, two = np.array([a[n][:k] for n in names]), np.array([b[n][:k] for n in names])
    both = np.isfinite(one) & np.isfinite(two)
    if not both.any():
        return None
    apart = np.abs(np.where(both, one, 0.0) - np.where(both, two, 0.0))
    apart = apart if left is None else left(apart)
    i, j = np.unravel_index(int(np.argmax(apart / magnified[:k])), apart.shape)
    return float(apart[i, j]), one[both], names[i], int(j)
