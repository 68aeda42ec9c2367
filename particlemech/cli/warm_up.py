"""All kernels compiled at once, by running shipped models of every family for an instant and asking for everything."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from particlemech import _jit
from particlemech.errors import ModelError
from particlemech.model import models

INSTANT = 1e-3  # s: long enough for a step, a sample and a Jacobian

# what is compiled, and the models that need it between them
FAMILIES = {
    "plane": ("four_bar", "platform_manipulator", "slider_crank", "planetary_gear", "quick_return_friction"),
    "trees": ("space_manipulator", "human_fall"),
    "space": ("rssr", "stewart_platform", "flyball_governor"),
    "flexible arms": ("two_link_flexible", "cantilever"),
}


def _synthesis() -> None:
    """Look for a few linkages of every task, and for the points of Burmester."""
    made = import_module("particlemech.synthesis")
    places = [(0.0, 0.0), (1.0, 1.0), (2.0, 1.0), (3.0, 0.0), (4.0, -2.0)]
    for count in (4, 5):
        made.pairs(places[:count], [0.1 * k * k for k in range(count)])
    made.path(places, starts=20)
    found = made.function(places, starts=20, tolerance=1.0)
    for one in found:
        one.linkage.at(0.0)
    made.function([*places, (5.0, -5.0)], starts=20, tolerance=1.0)


def directory() -> Path:
    """Return where the kernels are."""
    return _jit.CACHE


def kind() -> str:
    """Return "lean" kernels, or "ordinary" ones of a numba that does not allow those."""
    return "lean" if _jit.LEAN else "ordinary"


def compiled() -> Iterator[tuple[str, int, float]]:
    """Compile all kernels; yield each family, how many kernels that were, and how long it took, s."""
    for family, names in FAMILIES.items():
        begun, before = time.perf_counter(), _signatures()
        for name in names:
            _everything(models.load(name))
        yield family, _signatures() - before, time.perf_counter() - begun
    begun, before = time.perf_counter(), _signatures()
    _synthesis()
    yield "synthesis", _signatures() - before, time.perf_counter() - begun


def missing() -> list[str]:
    """Return the kernels of modules imported so far that have not been compiled."""
    return [f"{e.py_func.__module__}.{e.py_func.__name__}" for e in _jit.ENTRIES if not e.signatures]


def _swept(mechanism: Any) -> None:
    """Sweep as many variants as go together, where sweeps take the family and xarray is there."""
    many: Any = import_module("particlemech.batch.many")
    few: int = import_module("particlemech.batch.together").FEW
    many.simulate_many([mechanism] * (few + 1), duration=INSTANT, samples=3, workers=1)


def _signatures() -> int:
    return sum(len(entry.signatures) for entry in _jit.ENTRIES)


def _everything(mechanism: Any) -> None:
    """Ask a model all that has kernels of its own; what it cannot answer others do."""
    simulate: Callable[..., Any] = import_module("particlemech.run.simulate").simulate
    validation, report = (
        import_module("particlemech.analyses.validation"),
        import_module("particlemech.analyses.report"),
    )
    short = {"duration": INSTANT, "samples": 3}

    def run(**options: Any) -> None:
        result = simulate(mechanism, throw=False, **short, **options)
        result.columns()
        _ = result.energy

    def cycle() -> None:
        driver = next(iter(import_module("particlemech.analyses.kinematics.driving").coordinates(mechanism)), None)
        follow: Any = import_module("particlemech.analyses.kinematics.cycle").cycle
        follow(mechanism, driver=driver, samples=3, throw=False)

    asked: list[Callable[[], Any]] = [lambda: report.judged(mechanism), cycle]
    asked += [lambda name=name: run(integrator=name) for name in ("explicit", "ida")]  # type: ignore[misc]
    asked += [lambda: validation.validated(mechanism, **short), lambda: _swept(mechanism)]
    for question in asked:
        try:
            question()
        except (ModelError, ModuleNotFoundError):
            continue  # no explicit steps in this family, or no IDA on this platform
