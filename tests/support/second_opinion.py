"""Mechanisms in space by joint coordinates, as users run them, and by natural ones, which share no equation."""

from __future__ import annotations

from functools import partial

import pytest

import particlemech as pm
from particlemech.analyses.differences import differences
from particlemech.analyses.loops.equilibrium import Known, bodies_of

natural = partial(pm.simulate, formulation="natural")
# tests that state physics run by joint coordinates and by natural ones
BOTH = pytest.mark.parametrize("simulate", [pm.simulate, natural], ids=["recursive", "natural"])

ACCURATE = 1e-9  # of the range of a quantity, at one instant
SAME_MOTION = 1e-6  # of the range of places and energies, after a run


class Again(Known):
    """The states of a run, whose forces, accelerations and reactions natural coordinates work out anew."""

    def __init__(self, run):
        own = run._x[:, -1 - run.system.elements.n : -1]
        super().__init__(run.mechanism, run.t, bodies_of(run), own=own)

    def columns(self):
        """Return all columns but what forces have done before."""
        lost = ("energy.work", "energy.total", "energy.error")
        return {name: column for name, column in super().columns().items() if name not in lost}


def apart(run, other):
    """Return the largest differences of two runs by quantity, as parts of the range."""
    found = {}
    for d in differences(run, other):
        quantity = d.quantity.partition(",")[0]
        found[quantity] = max(d.relative, found.get(quantity, 0.0))
    assert run.status.value == other.status.value == "completed"
    print({quantity: f"{worst:.0e}" for quantity, worst in found.items()})
    return found


def agree(run, motion=SAME_MOTION, bound=ACCURATE):
    """Assert that natural coordinates find the same at every sample of a run, and, unless None, the same motion."""
    assert run.system.formulation == "recursive"
    found = apart(run, Again(run))
    assert {"points", "accelerations", "energy"} <= set(found)
    assert max(found.values()) < bound, found
    if motion is not None:
        other = natural(run.mechanism, duration=float(run.t[-1]), samples=len(run.t), rtol=1e-10)
        found = apart(run, other)
        assert max(found[quantity] for quantity in ("points", "orientations", "energy")) < motion, found
        assert found.get("which are unique", 0.0) == 0.0
    return found
