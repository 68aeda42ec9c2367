"""The examples in docstrings are run as they stand."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import particlemech as pm

ROOT = Path(__file__).parents[1]


def name(path):
    """Return the module that a file is, as import names it."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


WITH_EXAMPLES = sorted(
    name(path) for path in (ROOT / "particlemech").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module_run_as_printed(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0
    assert found.failed == 0


def test_modules_of_all_packages_have_examples():
    packages = {module.split(".")[1] for module in WITH_EXAMPLES}
    assert {"model", "engine", "run", "result", "analyses", "batch", "view", "cli"} <= packages


@pytest.mark.parametrize("verb", [v for v in pm.__all__ if inspect.isfunction(getattr(pm, v))])
def test_every_function_of_the_package_says_what_it_takes_and_shows_an_example(verb):
    said = inspect.getdoc(getattr(pm, verb))
    assert "Parameters\n" in said and "Returns\n" in said and ">>> " in said
