"""Workplace: tables and a desk, and the book by which kernels find them."""

from __future__ import annotations

from particlemech._jit import Book, fresh
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.laws.custom import GIVEN
from particlemech.engine.recursive.tables import Desk


class Workplace:
    """A desk for one run or thread; who holds its address holds the workplace."""

    def __init__(self, compiled: Compiled) -> None:
        m = compiled.tables
        bodies, stages = len(m.body), len(m.stage)
        per_body = ((bodies, 9), *[(bodies, 3)] * 5, (bodies, 6))
        per_stage = ((stages, 3), (stages, 3), (stages, 3), (stages, 2))
        given = (len(m.customs), GIVEN)
        sums = ((bodies, 6), (bodies, 21), (bodies, 6), (bodies, 6))
        self.desk = fresh(Desk, (len(m.signal), 3), *per_body, *per_stage, *sums, (stages, 6), (stages, 2), given)
        self.s: Desk = self.desk.part
        self.book = Book(compiled.page, self.desk)
        self.address = self.book.address
