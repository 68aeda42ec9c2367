"""States that nothing integrated, as what a result is made of: `Result(*stated(phases), provenance)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from particlemech.run.start import Start
from particlemech.run.trajectory import Course, Phase, Status


def stated(
    phases: Phase | Sequence[Phase],
    message: str = "completed",
    stats: dict[str, Any] | None = None,
    status: Status = Status.COMPLETED,
) -> tuple[Any, Start, Course]:
    """Return the system of the first phase, its first sample as a start, and the course of all phases."""
    phases = [phases] if isinstance(phases, Phase) else list(phases)
    first = phases[0]
    system, y, lay = first.system, first.y[0], first.system.layout
    none = np.zeros(system.n_v), np.zeros(system.n_lam)
    home = getattr(system, "home", None)
    begin = Start(y[lay.q], y[lay.v], *none, y[lay.x].copy(), {}, float(first.t[0]), home)
    return system, begin, Course(phases, status, message, stats or {})
