"""The certificate of a run: what was measured along all its steps, and whether the numbers hold.

A run that reaches its end is `completed` only if, L, M, T being the mechanism's own length, mass and time,

    position error of all joints         <= 100 rtol L                                                              (1)
    velocity error of all joints         <= 100 rtol (L/T or the root mean square speed, the larger)                (2)
    energy error                         <= 1000 rtol E max(1, duration/(1000 T))                                   (3)

    E = largest kinetic energy + range of the potential + |work of drivers, loads and dampers|, at least M (L/T)^2/1000

with errors of rounding allowed for. The last factor of (3) is the allowance for long runs: errors of steps add up, on a
swinging four-bar 2.5, 8 and 76 rtol after 1, 10 and 100 s. The least E is for mechanisms at rest, whose energies are
nothing but errors. Otherwise the run is `inaccurate`. A step that an event cuts short counts up
to there. Where rounding keeps IDA, all by itself, from steps as good as it would take, the 1000 of (3) is 300.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from particlemech.engine.system import Scale
from particlemech.model.units import SYSTEMS, Units
from particlemech.run.trajectory import Certificate

OPEN = 100.0  # times rtol
LOST = 1000.0  # times rtol
# the same for IDA below its finest steps: places are up to nine times as far off, and what it loses is no longer a
# matter of rtol (four-bars, 2 s, rtol 1e-12: 150 where places are right to 1200 rtol, 850 where they are 7000 rtol off)
FLOORED = 300.0
LEAST = 1e-3  # of M (L/T)^2: integrators hold the work to rtol of that
LONG = 1000.0  # times T: how long a run is before errors of steps that add up are allowed for
# relative tolerance below which the limits shrink no more: rounding of positions, of order 1e-16, comes back magnified
# by the condition of the pose and by the number of steps
FINEST = 1e-12
ROUNDING = 1e-12  # of the largest energies: their sums are no better


def merged(parts: Sequence[Certificate | None]) -> Certificate | None:
    """Return the certificate of several phases one after the other, or None where one has none.

    Each phase measures its energy error from its own beginning, so these add up.
    """
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    position, velocity = max(known, key=lambda c: c.position), max(known, key=lambda c: c.velocity)
    return Certificate(
        position.position,
        velocity.velocity,
        sum(c.energy_error for c in known),
        max(c.kinetic for c in known),
        min(c.potential_low for c in known),
        max(c.potential_high for c in known),
        position.position_at,
        velocity.velocity_at,
        max(known, key=lambda c: c.energy_error).energy_at,
        *max((c.slope, c.slope_at) for c in known),
    )


def energy_scale(found: Certificate) -> float:
    """Return the energy in play: the largest kinetic energy and the range of the potential, J."""
    return found.kinetic + found.potential_high - found.potential_low


def at_stake(found: Certificate, scale: Scale, work: float) -> float:
    """Return E, J: what errors of energy are judged by; `work` as in `fault`."""
    return max(energy_scale(found) + abs(work), LEAST * scale.energy)


def fault(
    found: Certificate,
    scale: Scale,
    rtol: float,
    duration: float,
    work: float,
    allowed: float = LOST,
    units: Units = SYSTEMS["SI"],
) -> str | None:
    """Return what is wrong with a run, in words, or None.

    Parameters
    ----------
    found
        What was measured.
    scale
        The mechanism's own units.
    rtol, duration
        Relative tolerance and length of the run, s.
    work
        Done by drivers, loads and dampers up to the end, J.
    allowed
        Energy error, times rtol E.
    units
        Of the model, for the words.
    """
    fine = max(rtol, FINEST)
    speed = max(scale.length / scale.time, math.sqrt(2.0 * max(found.kinetic, 0.0) / scale.mass))
    energy = at_stake(found, scale, work)
    largest = max(found.kinetic, abs(found.potential_low), abs(found.potential_high), abs(work))
    long = max(1.0, duration / (LONG * scale.time))
    lost = allowed * fine * long * energy + ROUNDING * largest
    limits = [
        ("the joints were open by", found.position, OPEN * fine * scale.length, units.length, found.position_at),
        ("the joints were opening with", found.velocity, OPEN * fine * speed, f"{units.length}/s", found.velocity_at),
        ("the energy error was", found.energy_error, lost, units.energy, found.energy_at),
    ]
    for what, seen, limit, unit, at in limits:
        if not seen <= limit:
            when = f" at t = {at:.6g} s" if math.isfinite(at) else ""
            return f"{what} {seen:.3g} {unit}{when}, more than the {limit:.3g} {unit} that rtol = {rtol:g} allows"
    return None
