"""The examples in docstrings are run as they stand."""

import doctest
import importlib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "particlemech"
WITH_EXAMPLES = sorted(p.stem for p in PACKAGE.glob("*.py") if ">>> " in p.read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module_run_as_printed(module):
    found = doctest.testmod(importlib.import_module(f"particlemech.{module}"))
    assert found.attempted > 0
    assert found.failed == 0


def test_the_one_verb_has_an_example():
    assert "simulate" in WITH_EXAMPLES
