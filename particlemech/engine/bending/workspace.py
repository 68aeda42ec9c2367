"""Workspace: tables and work arrays, and the argument block by which kernels find them."""

from __future__ import annotations

from particlemech._jit import ArgumentBlock, fresh
from particlemech.engine.bending.compiled import Compiled
from particlemech.engine.bending.tables import WorkArrays


class Workspace:
    """Work arrays for one run or thread; who holds its address holds the workspace."""

    def __init__(self, compiled: Compiled) -> None:
        m = compiled.tables
        L, P, S, n = len(m.link), len(m.place), len(m.delta), compiled.n_v
        modal = int(m.link["modes"].sum())
        values = (len(m.signal), 3), (L, 3), (L, 3), (modal, 3), (2, 3), (L,), (L, 6)
        frames = (L, 9), (L, 3), (L, 9), *[(L, 3)] * 4, (L, 3, 3)
        places = *[(P, 3)] * 3, (P, 9), (P, 3), (P, 3), (S, 3), (S, 3)
        forces = (L, 6), (modal,), (8,), (L, 6), (modal,), (L, 2), (L, 2), (6,)
        matrix = *[(6, 6)] * 3, (n, 6), (n, n), (3, n)
        self.work_arrays = fresh(WorkArrays, *values, *frames, *places, *forces, (4,), (9,), *matrix)
        self.s: WorkArrays = self.work_arrays.part
        self.argument_block = ArgumentBlock(compiled.group, self.work_arrays)
        self.address = self.argument_block.address
