"""What a completed run does not say: coordinates beyond their limits, events that could not act."""

from __future__ import annotations

from typing import Any


def warned(result: Any) -> list[str]:
    """Return one line for each limit that was left, and each event whose condition was true from the start on."""
    return [
        *(
            f'joint "{e.joint}": {e.coordinate} leaves its limit {e.limit:g} at t = {e.first:.4g} s and reaches '
            f"{e.value:.6g} at t = {e.t:.4g} s"
            for e in result.exceeded
        ),
        *(_idle(name, event) for name, event in result.mechanism.events.items() if _held(result, name, event)),
    ]


def _held(result: Any, name: str, event: Any) -> bool:
    """Whether an event never acted because its condition was true at the start, or at once after it.

    A run that goes on from another has the events of that one behind it.
    """
    phase = next((phase for phase in result.phases if len(phase.t)), None)
    acted = any(len(of.events.get(name, ())) for of in result.phases) or any(s.part == name for s in result.switches)
    if phase is None or phase.t[0] != 0.0 or acted:  # files keep switches alone
        return False
    value = event.function(result.mechanism)
    values = [event.direction * value(t, phase.system.state(t, y)) for t, y in zip(phase.t[:2], phase.y, strict=False)]
    return values[0] > 0.0 or values[0] == 0.0 < values[-1]


def _idle(name: str, event: Any) -> str:
    return (
        f'event "{name}": "{event.when}" is true at the start and so never becomes true; it acts where it does: begin '
        "with what it makes, or write a condition that is false at first"
    )
