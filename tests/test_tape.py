"""Tapes: what arithmetic did to some numbers, replayed with others, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlemech import _tape
from particlemech._tape import Tape, Untraceable, filled, marks


def formula(x, y, z):
    root = _tape.sqrt(x * x + 2.0 * abs(y))
    return (root - y / z) ** 2 + 3 * _tape.atan2(y, -x) - _tape.dist((x, y), (z, 1.0)) / _tape.hypot(1.0, z)


def test_a_replay_gives_each_variant_the_digits_of_its_own_arithmetic():
    tape = Tape([1.0, 2.0, 3.0])
    result = formula(*tape.numbers)
    columns = np.random.default_rng(0).uniform(0.1, 5.0, (3, 200))
    nodes, fits = tape.replayed(list(columns), 200)
    assert fits.all()
    assert nodes[result.at].tolist() == [formula(*each) for each in columns.T.tolist()]


def test_a_replay_finds_those_for_whom_a_comparison_comes_out_otherwise():
    tape = Tape([1.0, 2.0])
    x, y = tape.numbers
    assert max(x, y) is y and x < 1.5 and bool(x - y)
    _, fits = tape.replayed([np.array([1.0, 3.0, 1.6, 1.2]), np.array([2.0, 2.0, 2.0, 1.2])], 4)
    assert fits.tolist() == [True, False, False, False]


def test_numbers_in_arrays_are_marks_that_say_where_they_come_from():
    tape = Tape([4.0])
    array = filled([1.0, tape.numbers[0] * 2.0, tape.numbers[0]])
    where, nodes = marks(array)
    assert where.tolist() == [1, 2] and nodes.tolist() == [1, 0] and array[0] == 1.0


@pytest.mark.parametrize("use", [math.sin, float, lambda x: x**3, lambda x: x + "a"])
def test_what_leaves_no_trace_is_refused(use):
    with pytest.raises((Untraceable, TypeError)):
        use(Tape([1.0]).numbers[0])
