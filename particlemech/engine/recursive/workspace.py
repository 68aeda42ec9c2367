"""Workspace: tables and work arrays, and the argument block by which kernels find them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlemech._jit import ArgumentBlock, fresh
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.laws.custom import GIVEN
from particlemech.engine.recursive.tables import WorkArrays
from particlemech.engine.system import Array
from particlemech.run.compiled_march import CompiledMarch
from particlemech.run.steps import march_state


class Workspace:
    """Work arrays for one run or thread; who holds its address holds the workspace."""

    def __init__(self, compiled: Compiled) -> None:
        m = compiled.tables
        bodies, stages = len(m.body), len(m.stage)
        per_body = ((bodies, 9), *[(bodies, 3)] * 5, (bodies, 6))
        per_stage = ((stages, 3), (stages, 3), (stages, 3), (stages, 2))
        given = (len(m.customs), GIVEN)
        sums = ((bodies, 6), (bodies, 21), (bodies, 6), (bodies, 6))
        n, P, shapes = len(m.row), len(m.place), len(m.delta)
        sizes = (n, 3), (n, 12), (n, 12), (n, 2, 6), (n, stages), (n, n), (n, 3), (n,), (n,)
        rows = (
            *sizes,
            (n, 2),
            (len(m.passing), 2),
            (bodies, 2),
            (4,),
            *[(n + 2,)] * 3,
            (6,),
            (2,),
            (2,),
            (4,),
            (n,),
            (stages,),
            (compiled.n_v,),
        )
        pairs = int(np.sum(m.body["modes"][m.body["link"] >= 0] ** 2))
        bent = *[(P, 3)] * 3, (P, 9), *[(P, 3)] * 2, (shapes, 3), (shapes, 3), (shapes, 6), (pairs,), *[(stages,)] * 2
        F = len(m.friction)
        solved = (F, 3), (F,), (F + 2, F, 9), (F + 1 if F else 0, 2 * stages + n), (F, F + 2)
        rubbed = *solved, (stages if F else 0,), (bodies if F else 0, 6)
        own = (stages, 6), (stages, 4), given
        self.work_arrays = fresh(
            WorkArrays, (len(m.signal), 3), *per_body, *per_stage, *sums, *own, *rows, *bent,
            (2, compiled.elements.n), *rubbed,
        )  # fmt: skip
        self.s: WorkArrays = self.work_arrays.part
        self.s.span[:] = [compiled.scale.length if row.angle else 1.0 for row in compiled.rows]
        self.argument_block = ArgumentBlock(compiled.group, self.work_arrays)
        self.address = self.argument_block.address

    def march(self, of: Any, do: Callable[..., Any], rtol: float, times: Array) -> CompiledMarch:
        """Return a march of a system by the entry `do`, whose argument block begins with tables and work arrays."""
        state = march_state(of.n, of.n, times)
        block = ArgumentBlock(of.compiled.group, self.work_arrays, state)
        made = CompiledMarch(do, block, state.part, rtol * of.units, rtol, of.scale.length)
        made.steep = self.s.steep
        return made
