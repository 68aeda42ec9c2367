"""Workspace: tables and work arrays, and the argument block by which kernels find them."""

from __future__ import annotations

from particlemech._jit import ArgumentBlock, fresh
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.laws.custom import GIVEN
from particlemech.engine.recursive.tables import WorkArrays


class Workspace:
    """Work arrays for one run or thread; who holds its address holds the workspace."""

    def __init__(self, compiled: Compiled) -> None:
        m = compiled.tables
        bodies, stages = len(m.body), len(m.stage)
        per_body = ((bodies, 9), *[(bodies, 3)] * 5, (bodies, 6))
        per_stage = ((stages, 3), (stages, 3), (stages, 3), (stages, 2))
        given = (len(m.customs), GIVEN)
        sums = ((bodies, 6), (bodies, 21), (bodies, 6), (bodies, 6))
        self.work_arrays = fresh(
            WorkArrays, (len(m.signal), 3), *per_body, *per_stage, *sums, (stages, 6), (stages, 2), given
        )
        self.s: WorkArrays = self.work_arrays.part
        self.argument_block = ArgumentBlock(compiled.group, self.work_arrays)
        self.address = self.argument_block.address
