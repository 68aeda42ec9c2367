"""Validation: one motion computed twice, and what a model file says must come out.

Two formulations share no equation, so where they agree both are likely right. Differences are compared with
the range of their own quantity over all parts and samples, so that a joint force of 1e-9 N beside others of
100 N is not taken for a disagreement.

Near a singular pose a small difference of the motion is a large one of the reactions: equilibrium magnifies it by its
condition number. Where that number stands out from the rest of the run, it is divided out of their differences (up to
a thousandfold).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.mechanism import Mechanism
from particlemech.result import Result
from particlemech.simulate import simulate
from particlemech.system import Array, Scale

TOLERANCE = 1e-5  # of the range of a quantity

# quantity -> (endings of its columns, its natural size)
QUANTITIES: dict[str, tuple[tuple[str, ...], Callable[[Scale], float]]] = {
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
FROM_EQUILIBRIUM = ("reactions", "moments", "effort")
MOST = 1e3  # what the condition of equilibrium may explain at most
ZERO = 1e-6  # of its natural size: below this a quantity counts as zero all the time


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


@dataclass(frozen=True)
class Validation:
    """Two runs of one mechanism and their differences."""

    first: Result
    second: Result
    differences: tuple[Difference, ...]
    tolerance: float

    @property
    def agreed(self) -> bool:
        """Whether both runs have the same end and all differences are within the tolerance."""
        together = self.first.status == self.second.status and len(self.first.t) == len(self.second.t)
        return together and all(d.relative <= self.tolerance for d in self.differences)


def validated(mechanism: Mechanism, tolerance: float = TOLERANCE, **options: Any) -> Validation:
    """Run a mechanism with the particle and the absolute-coordinate formulation and compare.

    Parameters
    ----------
    mechanism : Mechanism
        What to run.
    tolerance : float
        Largest difference, as a fraction of the range of each quantity.
    **options
        As of `simulate`, for both runs.

    Returns
    -------
    Validation
        Both results and the largest difference per quantity.
    """
    first = simulate(mechanism, formulation="planar", throw=False, **options)
    second = simulate(mechanism, formulation="absolute", throw=False, **options)
    return Validation(first, second, differences(first, second), tolerance)


def differences(first: Result, second: Result) -> tuple[Difference, ...]:
    """Return the largest difference per quantity over the samples both have.

    What one of them leaves undetermined is not compared; quantities that the mechanism has not are left out.
    """
    a, b = first.columns(), second.columns()
    result = []
    for quantity, (endings, natural) in QUANTITIES.items():
        names = [n for n in a if n.rpartition(".")[2] in endings and n in b]
        # some drivers exert forces and some torques, so each has a range of its own
        groups = [[n] for n in names] if quantity == "effort" else [names]
        for group in groups:
            magnified = _magnified(first, second) if quantity in FROM_EQUILIBRIUM and group else np.ones(len(first.t))
            found = _largest(group, a, b, magnified)
            if found is None:
                continue
            largest, values, where, k = found
            scale = max(_range(quantity, values, first), ZERO * natural(first.system.scale))
            result.append(Difference(quantity, largest, scale, where, float(first.t[k]), float(magnified[k])))
    return tuple(result)


def _magnified(first: Result, second: Result) -> Array:
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
    return float(np.max(np.abs(values)))


def _largest(
    names: list[str], a: Mapping[str, Array], b: Mapping[str, Array], magnified: Array
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
    i, j = np.unravel_index(int(np.argmax(apart / magnified[:k])), apart.shape)
    return float(apart[i, j]), one[both], names[i], int(j)


@dataclass(frozen=True)
class Finding:
    """One line of a model's [check]."""

    what: str
    expected: str
    found: str
    held: bool


def held(mechanism: Mechanism, result: Result, dof: int) -> tuple[Finding, ...]:
    """Return what the [check] of a model says, against a result."""
    wanted = mechanism.check
    findings = []
    if wanted.dof is not None:
        findings.append(Finding("dof", f"{wanted.dof}", f"{dof}", dof == wanted.dof))
    if wanted.energy is not None:
        loss = energy_error(result)
        findings.append(Finding("energy", f"<= {wanted.energy:g}", f"{loss:.3g}", loss <= wanted.energy))
    columns = result.columns() if wanted.end else {}
    for name, value in wanted.end.items():
        if name not in columns or not len(columns[name]):
            findings.append(Finding(name, f"{value:.10g}", "no such column", False))
            continue
        last = float(columns[name][-1])
        findings.append(Finding(name, f"{value:.10g}", f"{last:.10g}", abs(last - value) <= wanted.tolerance))
    return tuple(findings)


def energy_error(result: Result) -> float:
    """Return the largest energy error as a fraction of its scale; 0 where there is no energy at all."""
    energy = result.energy
    worst = float(np.max(np.abs(energy.error), initial=0.0))
    # where nothing moves the scale is rounding of the potential, and so is the error
    scale = max(energy.scale, 1e-9 * float(np.max(np.abs(energy.potential), initial=0.0)))
    return worst / scale if scale > 0.0 else worst
