"""Efforts and reactions of variants of one structure: the kernels of single runs, on tables filled from the tape.

    samples of a variant  --accelerations (samples.py)-->  a  --equilibrium (equilibrium.py)-->  reactions, efforts

The numbers are those of single runs to the last bit. A variant for which a kernel is not sure, because rows depend on
each other or reactions are not determined, is left to a single run.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from particlemech._jit import ArgumentBlock, described
from particlemech.batch.laid import Laid
from particlemech.engine.particles import equilibrium as eq
from particlemech.engine.particles import samples
from particlemech.engine.particles.accelerations import work_arrays
from particlemech.engine.particles.reactions import Equilibrium
from particlemech.engine.particles.sampled import none
from particlemech.engine.particles.stresses import plan
from particlemech.engine.particles.variants import LENGTH
from particlemech.engine.system import Array
from particlemech.run.start import ROUNDING, SOFT

Found = tuple[Array, Array]  # (K, n_report, 3) of joints on bodies, (K, n_driver) of drivers


ENDINGS = ("effort", "f", "fx", "fy")  # of the curves that are offered


def offered(structure: Any) -> bool:
    """Return whether efforts follow from the motion alone: no joint presses as others are pressed."""
    m = structure.system.mechanism
    return not any(part in m.joints for part, _ in structure.system.layout.efforts)


def prepared(structure: Any) -> tuple[Equilibrium, Laid]:
    """Return the equilibrium of a structure and its tables, which are on its tape from now on."""
    system = structure.system
    balance = structure.kept("equilibrium", lambda: Equilibrium(system.compiled, system.observed))
    return balance, structure.kept("joints", lambda: Laid(balance.joints))


class Efforts:
    """Efforts and reactions of the variants of a batch, one variant at a time."""

    def __init__(self, found: Any) -> None:
        self.found, structure = found, found.structure
        system, (balance, laid) = structure.system, prepared(structure)
        self.lay, count, n_body = system.layout, len(found.samples), len(system.compiled.body)
        self.joint_tables = laid.tables(found.nodes, count)
        self.explicit, m = structure.laid.work_arrays()
        self.joint_words, joints = laid.work_arrays()
        n_q, work = len(m.weight), work_arrays(m)
        K, n_report, n_driver = found.samples.shape[1], len(balance.places), len(self.lay.efforts)
        self.in_order, self.limits = np.zeros(len(m.strength)), np.zeros(2)
        self.q, self.v, self.a = np.zeros((3, K, n_q))
        self.theta, self.sure, self.balanced = np.zeros((K, n_body)), np.zeros(K), np.zeros(K)
        self.value, self.effort = np.zeros((K, n_report, 3)), np.zeros((K, n_driver))
        times, extra = np.array(found.times), none(n_body)
        batch = samples.Batch(
            times, self.theta, extra, self.in_order, self.limits, self.q, self.v, self.a, self.sure, np.zeros((K, 0))
        )
        of = plan(n_body, balance.meet, len(balance.pairs), ())
        nothing = np.zeros((0, 0, 3)), np.zeros((0, n_report, 3)), np.zeros((0, n_driver))
        reported = eq.Reported(
            times, self.q, self.v, self.a, self.theta, extra, nothing[0], self.value, nothing[1], self.effort,
            nothing[2], self.balanced,
        )  # fmt: skip
        self.accelerating = ArgumentBlock(described(m), work, batch)
        self.balancing = ArgumentBlock(described(joints), balance.sheet(), reported, of, balance.bench(of))
        self.variant = lru_cache(maxsize=1)(self._variant)

    def _variant(self, i: int) -> Found | None:
        """Return what acts in variant i at all samples; None: a single run tells."""
        found, structure, L = self.found, self.found.structure, float(self.found.given[i, LENGTH])
        self.explicit[:], self.joint_words[:] = found.table[i], self.joint_tables[i]
        self.in_order[:] = 0.0
        self.in_order[structure.lam] = np.where(structure.angle, L, 1.0)
        self.limits[:] = SOFT, ROUNDING * L
        y = found.samples[i]
        self.q[:], self.v[:], self.theta[:] = y[:, self.lay.q], y[:, self.lay.v], y[:, self.lay.x][:, :-1]
        samples.sampled(samples.ACCELERATE, self.accelerating.address)
        if not self.sure.all():
            return None
        eq.balance(eq.REACTIONS, self.balancing.address)
        return (self.value.copy(), self.effort.copy()) if (self.balanced > 0.0).all() else None

    def reader(self, name: str) -> Any:
        """Return what gives a curve of variant i by name, (K,) or None; None where there is no such curve."""
        part, _, what = name.rpartition(".")
        if what == "effort" and part in self.lay.drivers:
            k = self.lay.drivers.index(part)
            return lambda i: None if (of := self.variant(i)) is None else of[1][:, k]
        joint, _, body = part.partition(".")
        if (joint, body) not in self.lay.reactions or what not in ENDINGS:
            return None
        r = self.lay.reactions.index((joint, body))

        def force(i: int) -> Array | None:
            of = self.variant(i)
            if of is None:
                return None
            x, y = of[0][:, r, 0], of[0][:, r, 1]
            return np.sqrt(np.sum(np.square([x, y]), axis=0)) if what == "f" else (x if what == "fx" else y)

        return force
