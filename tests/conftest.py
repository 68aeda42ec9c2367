"""What all tests share: a fixed random generator, every shipped model, and counts of what random tests discarded."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from particlemech import models
from tests.support.problems import PLANAR
from tests.support.strategies import TALLY

settings.register_profile(
    "fixed", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("fixed")


@pytest.fixture
def rng():
    """Return a random generator that starts alike in every test."""
    return np.random.default_rng(20000)


@pytest.fixture(scope="session")
def model_names():
    """Return the names of all shipped models."""
    return models.names()


@pytest.fixture(params=models.names())
def model(request):
    """Return each shipped model in turn."""
    return models.load(request.param)


@pytest.fixture(params=PLANAR)
def planar_model(request):
    """Return each shipped model of a planar mechanism in turn."""
    return models.load(request.param)


@pytest.fixture
def tally(request):
    """Return a counter that the summary of the run prints: what a random test kept and what it discarded."""
    return TALLY.setdefault(request.node.name, Counter())


def pytest_terminal_summary(terminalreporter):
    for name, counter in TALLY.items():
        counts = ", ".join(f"{word} {counter[word]}" for word in sorted(counter))
        terminalreporter.write_line(f"{name}: {counts}")
