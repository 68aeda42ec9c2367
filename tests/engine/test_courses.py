"""Rows in space along the elimination: which of them meet, and that what comes out is what a dense solver finds."""

from __future__ import annotations

import numpy as np
import pytest

from particlemech import models
from particlemech.engine.recursive.courses import Way, way
from particlemech.engine.recursive.forms import SPAN
from particlemech.engine.recursive.start import prepared
from particlemech.engine.recursive.ties.base import Tie
from particlemech.run.start import accelerations
from tests.bench.linkages import ladder, sprung_platform

AGREED = 1e-10  # of the largest acceleration; observed 4e-14


def started(mechanism):
    return prepared(mechanism, 1.0, None)


def pairs(mechanism):
    """Return how many pairs of rows meet, and how many rows there are."""
    system, _ = started(mechanism)
    return len(system.compiled.tables.pair), system.n_row


def test_every_further_loop_of_a_ladder_meets_as_many_others_as_the_one_before():
    few, more, many = (pairs(ladder(n)) for n in (4, 8, 12))
    assert (many[1], many[0] - more[0]) == (3 * few[1], more[0] - few[0])
    assert many[0] < 0.3 * many[1] * (many[1] + 1) / 2  # of all pairs


def test_the_legs_of_a_platform_are_eliminated_before_it():
    system, _ = started(sprung_platform())
    m = system.compiled.tables
    early = [entry for entry in m.closing if entry["early"]]
    assert {int(entry["row"]) for entry in early} == set(range(system.n_row))
    place = {int(of["nth"]): k for k, of in enumerate(m.course[:-1])}
    (end,) = {k for k, of in enumerate(m.course) for c in m.closing[of["closing"] : of["closed"]] if c["early"]}
    for row in m.row:
        leg = int(row["first"]) if row["second"] == end else int(row["second"])
        while leg:
            assert place[leg] < place[end]
            leg = int(m.body[leg]["parent"])


@pytest.mark.parametrize(
    "mechanism",
    [ladder(3), sprung_platform(), *map(models.load, ("bricard", "rssr", "flyball_governor", "flexible_slider_crank"))],
    ids=lambda m: m.name,
)
def test_rows_eliminated_one_loop_at_a_time_give_the_accelerations_of_a_dense_solver(mechanism):
    system, begin = started(mechanism)
    y = np.concatenate([begin.q, begin.v, begin.x])
    found = system.explicit.slopes(0.0, y)[1][system.n_q : -1]
    wanted = accelerations(system.explicit, 0.0, begin.q, begin.v, begin.x)[0]
    assert found == pytest.approx(wanted, abs=AGREED * max(1.0, float(np.abs(wanted).max())))


def test_a_row_passes_a_frame_once():
    """A driver between two bodies that hang on one another acts on neither side farther in."""
    tie = Tie(SPAN, 1, 2, signal=0)
    assert way(tie, (0, 0, 1), ()) == Way(([], [2]), 1)
