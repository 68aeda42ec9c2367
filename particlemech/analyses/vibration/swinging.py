"""Small motions made large enough to be seen: natural motions that swing, and static deflections from the drawing.

Coordinates of freedoms grow in proportion, and joints are closed at every amplitude, so a linkage stays one:

    z = a Re(s e^(i p))                         of a natural motion with the shape s                                (1)
    z = (1 - c) z_0                             from the drawing (c = 0) over rest (c = 1) on                       (2)

Bodies that bend at rest are drawn as `view` exaggerates deflections.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.analyses.vibration.chart import OPEN, Chart, Pose
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model import columns
from particlemech.view.families import scene
from particlemech.view.swings import Swing, grid, joined

FARTHEST = 0.3  # of the mechanism's size, and half of that in rad: how far anything goes at most
PLAIN = 0.02  # the same: what is seen without being enlarged
SHOWN = 20  # natural motions on one page
LEVELS, PHASES = 4, 24
HALVINGS = 5  # of an amplitude at which loops do not close
LISTED = 10  # coordinates in the table of a shape


def reach(linear: Any, s: Array) -> tuple[float, float]:
    """Return how far a motion s (f,) takes anything: as a part of the mechanism's size (or half of rad), in length."""
    seen: Any = linear._unit
    m = linear.stand.mechanism
    paths = [*(seen[p] for p in m.points), *(seen.com(b) for b in m.bodies)]
    places = np.array([path[0] for path in paths])
    size = float(np.max(np.ptp(places, axis=0))) or linear.chart.scale.length
    rates = [seen.velocity(p) for p in m.points] + [seen.com_velocity(b) for b in m.bodies]
    far = max(float(np.linalg.norm((rate[1:] - rate[0]).T @ s)) for rate in rates)
    turned = [(seen.omega(b)[1:] - seen.omega(b)[0]).T @ s for b in m.bodies]
    return max(far / size, 0.5 * max(float(np.linalg.norm(of)) for of in turned)), far


def swings(modes: Any) -> tuple[Swing, ...]:
    """Return the lowest natural motions as a page shows them."""
    return tuple(_swing(modes, k) for k in range(min(len(modes.omega), SHOWN)))


def _swing(modes: Any, k: int) -> Swing:
    linear, s = modes.linear, modes.reduced[:, k]
    chart = linear.chart
    most = int(np.argmax(np.abs(s) / chart.unit))
    s = s / s[most]
    part, far = reach(linear, s)
    a = FARTHEST / max(part, 1e-300)
    for _ in range(HALVINGS):
        poses = _grid(chart, a * s)
        if poses is not None:
            break
        a *= 0.5
    else:
        poses = [chart.home] * (1 + LEVELS * PHASES)
    states = np.array([linear.stand.put(p.q, np.zeros(chart.system.n_v), p.x).y for p in poses])
    result = linear.stand.moving(np.full(len(states), linear.stand.t), states)
    m, name = linear.stand.mechanism, chart.names[most]
    unit = unit_of(m, name)
    if not unit:  # numbers of shapes say little
        name, unit, a = "", m.unit.length, a * far
    levels = tuple(float(a * n / LEVELS) for n in range(1, LEVELS + 1))
    told = title(modes, k), _facts(modes, k), _shape(modes, k)
    return Swing(*told, PHASES, levels, levels[1], name, unit, scene(result))


def _grid(chart: Chart, s: Array) -> list[Pose] | None:
    """Return home and the poses (1) of all levels and phases, or None where joints do not close."""
    found, before = [chart.home], [chart.home] * PHASES
    real = bool(np.abs(s.imag).max() <= 1e-9 * np.abs(s).max())
    for level in range(1, LEVELS + 1):
        now: list[Pose] = []
        for j, p in enumerate(grid(PHASES)):
            if real and 2 * j > PHASES:  # the way back
                now.append(now[PHASES - j])
                continue
            z = (level / LEVELS * s * np.exp(1j * p)).real
            at = chart.pose(z, before[j] if level > 1 else None)
            if not chart.gap(at) < OPEN:
                return None
            now.append(at)
        found += now
        before = now
    return found


def title(modes: Any, k: int) -> str:
    """Return what a natural motion is called in a list."""
    tau = float(modes.time_constant[k])
    if np.isnan(tau):
        return f"{float(modes.frequency[k]):.4g} Hz"
    return "free" if np.isinf(tau) else f"{'decays' if tau > 0.0 else 'grows'} in {abs(tau):.4g} s"


def _facts(modes: Any, k: int) -> tuple[tuple[str, str], ...]:
    f, zeta, tau = (float(of[k]) for of in (modes.frequency, modes.damping, modes.time_constant))
    if np.isnan(tau):
        found = [("frequency", f"{f:.6g} Hz"), ("period", f"{1.0 / f:.4g} s")]
        found.append(("damping", "none" if zeta == 0.0 else f"{100.0 * zeta:.3g} % of critical"))
    elif np.isinf(tau):
        found = [("motion", "free")]
    else:
        found = [("time constant", f"{abs(tau):.4g} s"), ("eigenvalue", f"{-1.0 / tau:.4g} 1/s")]
    share = modes.participation[:, k]
    for j in np.argsort(-share)[:3]:
        if share[j] > 0.01:
            found.append((f"share of {modes.linear.freedoms[j]}", f"{100.0 * share[j]:.3g} %"))
    if len(modes.omega) > SHOWN:
        found.append(("shown", f"the lowest {SHOWN} of {len(modes.omega)}"))
    return tuple(found)


def _shape(modes: Any, k: int) -> tuple[tuple[str, str, str], ...]:
    """Return the coordinates that move most, as parts of the largest of their kind, with phases."""
    m, s = modes.linear.stand.mechanism, modes.shapes[:, k]
    if not len(s) or not np.abs(s).max() > 0.0:
        return ()
    turn = s[int(np.argmax(np.abs(s)))]
    s = s / (turn / abs(turn))
    rows = []
    for j in np.argsort(-np.abs(s))[:LISTED]:
        size, phase = abs(s[j]), float(np.degrees(np.angle(s[j])))
        if size < 1e-6 * np.abs(s).max():
            break
        unit = unit_of(m, modes.coordinates[j])
        sign = "−" if abs(abs(phase) - 180.0) < 1e-6 else ""
        turned = "" if sign or abs(phase) < 1e-6 else f"{phase:.4g}°"
        rows.append((modes.coordinates[j], f"{sign}{size / np.abs(s).max():.4g} {unit}".rstrip(), turned))
    return tuple(rows)


def unit_of(mechanism: Any, coordinate: str) -> str:
    """Return the unit of a coordinate, as far as it has one."""
    try:
        found = columns.unit(mechanism, columns.quantity(mechanism, coordinate))
    except (KeyError, ModelError):
        return ""
    return "" if found == "1" else found


# -- static ----------------------------------------------------------------------------------------------------------


def deflected(rest: Any, stand: Any, chart: Chart, start: Pose) -> tuple[Swing, ...]:
    """Return how a mechanism goes from its start to rest (2), or how its bodies bend there; nothing if neither."""
    true = scene(rest)
    if getattr(rest.system.mechanism, "bends", False):
        none = scene(rest, 0.0)
        far = _apart(none, true)
        factors = _factors(far)
        return (_static([none, *(scene(rest, c) for c in factors)], factors, far),) if far > 0.0 else ()
    z = chart.system.away(chart.home, start, chart.which) if chart.f else np.zeros(0)
    drawn = _led(chart, z, [1.0 - n / LEVELS for n in range(LEVELS + 1)])
    if not np.any(z) or drawn is None:
        return ()
    far = _apart(_seen(stand, drawn[-1]), true)
    factors = _factors(far)
    beyond = _led(chart, z, list(factors)) if factors[-1] > 1.0 else drawn[-2::-1]
    return (_static([_seen(stand, p) for p in (drawn[-1], *beyond)], factors, far),) if far > 0.0 and beyond else ()


def _led(chart: Chart, z: Array, factors: list[float]) -> list[Pose] | None:
    """Return the poses (2), each from the one before, or None where joints do not close."""
    found = [chart.home]
    for c in factors:
        found.append(chart.pose((1.0 - c) * z, found[-1]))
    return found[1:] if all(chart.gap(p) < OPEN for p in found) else None


def _seen(stand: Any, pose: Pose) -> Any:
    at = stand.put(pose.q, np.zeros(stand.system.n_v), pose.x)
    return scene(at.result(at.y[None]))


def _apart(one: Any, other: Any) -> float:
    """Return how far two scenes are apart, as a part of their size."""
    size = float(np.max(one.box[1] - one.box[0]))
    paths = [(path, other.points[name]) for name, path in one.points.items()]
    paths += [(frame.origin, other.frames[name].origin) for name, frame in one.frames.items()]
    return max(float(np.abs(a - b).max()) for a, b in paths) / size


def _factors(far: float) -> tuple[float, ...]:
    """Return by what a deflection is multiplied: up to what is well seen, the true one among them."""
    most = FARTHEST / max(far, 1e-12)
    if most <= 1.0:
        return tuple((n + 1.0) / LEVELS for n in range(LEVELS))
    step = 10.0 ** np.floor(np.log10(most))
    most = float(max(m for m in (1.0, 2.0, 5.0) if m * step <= most * (1.0 + 1e-9)) * step)
    return (1.0,) if most == 1.0 else (1.0, *(float(f) for f in np.linspace(1.0, most, LEVELS + 1)[1:]))


def _static(scenes: list[Any], factors: tuple[float, ...], far: float) -> Swing:
    first = scenes[0]
    whole = joined(scenes)
    start = 1.0 if far > PLAIN or factors[-1] <= 1.0 else factors[-1]
    facts = (("largest deflection", f"{far * float(np.max(first.box[1] - first.box[0])):.4g} {first.unit}"),)
    return Swing("deflection", facts, (), 1, factors, start, "deflection", "×", whole)
