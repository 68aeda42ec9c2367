"""Random mechanisms with machine elements agree in all ways; `python -m tests.fuzz_elements` draws more."""

from __future__ import annotations

import pytest

from tests.fuzz_elements import drawn, judged

SEEDS = (3, 5, 7, 29, 32, 37, 48, 83, 223, 240)  # all elements among them


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_mechanism_with_elements_agrees_in_all_ways_or_says_why_not(seed):
    found = judged(seed)
    assert found.kind in ("agree", "refused"), found.why


def test_the_seeds_draw_every_element():
    drew = {kind for seed in SEEDS for kind in drawn(seed)[1]}
    assert drew == {
        "gear", "rack", "belt", "cam", "friction", "stop", "contact", "motor", "pid", "cylinder", "load", "event",
    }  # fmt: skip
