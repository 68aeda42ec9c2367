"""Random mechanisms in space with loops: every opinion and every way to cut agree; `tests.fuzz --space` draws more."""

from __future__ import annotations

import pytest

from particlemech.model.space import drivers, joints
from tests.fuzz_space import judged_in_space
from tests.support.random_spatial import IN_LOOPS, drawn_in_space

SEEDS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 25, 28, 40, 142, 168, 174, 195)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_opinions_on_a_random_mechanism_in_space_agree_however_it_is_cut(seed):
    verdict = judged_in_space(seed)
    assert verdict.kind == "agree", verdict.why


def test_random_mechanisms_hold_every_kind_of_joint_and_driver_and_a_third_of_them_bends():
    some = [drawn_in_space(seed) for seed in range(36)]
    assert set(IN_LOOPS) | {joints.Coupling} == set(joints.KINDS) - {joints.Stop}
    assert {type(j) for m in some for j in m.joints.values()} == set(joints.KINDS) - {joints.Stop}
    assert {type(d) for m in some for d in m.drivers.values()} == set(drivers.KINDS)
    assert sum(m.bends for m in some) == 12
    assert any(m.impulses for m in some)


def test_a_seed_draws_one_mechanism_in_space():
    assert drawn_in_space(7) == drawn_in_space(7) != drawn_in_space(8)
