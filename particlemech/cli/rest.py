"""The commands that ask about rest and small motions: equilibrium, modes, response.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from particlemech.cli.questions import SHOWN, TABLE, TABLES, Command, of_result, targeted, told, written
from particlemech.cli.terminal import OK, announce_compilation, positive, read, samples, words
from particlemech.cli.topics import print_table
from particlemech.cli.view import FIGURES, PAGE
from particlemech.errors import ModelError, printable

FILMS = (".gif", ".mp4")
SETTLE = {"deflections": "deflections", "all": "all", "none": False}  # word -> what the library takes
POINTS = 400  # frequencies of a response
AROUND = 10.0  # by what a response reaches beyond the lowest and the highest of the first frequencies
FEW = 6


def add(command: Command, with_model: Any) -> None:
    """Add the commands and their words to a parser."""
    rest = command("equilibrium", _equilibrium, "find where a model rests, whether stably, and what holds it there")
    with_model(rest)
    rest.add_argument("--all", action="store_true", help="all rest positions that a search finds")
    rest.add_argument("--hold", metavar="JOINTS", help="joints that are locked, with commas between")
    rest.add_argument("--release", metavar="DRIVERS", help="drivers that are let go, with commas between")
    rest.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; {SHOWN}")

    modes = command("modes", _modes, "find frequencies, damping and shapes of small vibrations")
    with_model(modes)
    modes.add_argument("--roots", action="store_true", help="a picture shows eigenvalues, not shapes")
    modes.add_argument("--mode", type=int, metavar="K", help="which one a film shows; default: the lowest, 0")
    modes.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; {SHOWN}; a film of one: .gif, .mp4")

    response = command("response", _response, "find how outputs answer to a harmonic input: a Bode plot")
    with_model(response)
    response.add_argument("--input", metavar="NAME", required=True, help="a force, driver or coordinate, or POINT,X,Y")
    response.add_argument("--output-of", metavar="NAMES", required=True, help="a point, or columns such as P.x,A.angle")
    response.add_argument("--from", dest="first", type=positive, metavar="HZ", help="default: below all frequencies")
    response.add_argument("--to", dest="last", type=positive, metavar="HZ", help="default: above the first ones")
    response.add_argument(
        "--samples", type=samples, default=POINTS, metavar="N", help=f"frequencies; default: {POINTS}"
    )
    response.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; {SHOWN}")
    for parser in (modes, response):
        parser.add_argument("--about", metavar="POSE", help="equilibrium, or a result's file: its end; default: start")
        parser.add_argument("--settle", choices=SETTLE, help="what comes into balance first; default: deflections")
        parser.add_argument("--hold", metavar="JOINTS", help="joints that are locked, with commas between")
        parser.add_argument("--release", metavar="DRIVERS", help="drivers that are let go, with commas between")


def _conditions(chosen: argparse.Namespace) -> dict[str, Any]:
    return {"hold": words(chosen.hold), "release": words(chosen.release)}


def _pose(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return what small motions are about, and how."""
    how = _conditions(chosen) | ({"settle": SETTLE[chosen.settle]} if chosen.settle else {})
    if chosen.about in (None, "start", "equilibrium"):
        return how | {"about": "equilibrium" if chosen.about == "equilibrium" else None}
    from particlemech.result.saved import is_result, read_result

    if not is_result(chosen.about):
        raise ModelError(f'--about takes start, equilibrium or what run -o wrote, got "{chosen.about}"')
    return how | {"about": read_result(chosen.about)}


def _equilibrium(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, PAGE, *FIGURES)
    from particlemech.analyses.verbs_of_vibration import equilibrium

    announce_compilation()
    found: Any = equilibrium(mechanism, all=chosen.all, **_conditions(chosen))
    told(found)
    units, m = mechanism.unit, found.system.mechanism
    for name, values in found.efforts.items():
        unit = units.moment if m.drivers[name].turns(m) else units.force
        print(printable(f"  held by {name}: {', '.join(f'{value:.6g}' for value in values)} {unit}"))

    def figure() -> Any:
        from particlemech import view

        return view.poses(found) if len(found.t) > 1 else view.mechanism(found)

    written(target, *of_result(found), lambda: (found, {}), figure)
    return OK


def _modes(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, PAGE, *FIGURES, *FILMS)
    suffix = target.suffix.lower() if target else ""
    if chosen.roots and suffix not in FIGURES:
        raise ModelError("--roots is what a picture shows; write it with -o as .png, .svg or .pdf, or leave it out")
    if chosen.mode is not None and suffix not in FILMS:
        raise ModelError("--mode is what a film shows; write it with -o as .gif or .mp4, or leave it out")
    from particlemech.analyses.verbs_of_vibration import modes

    announce_compilation()
    found: Any = modes(mechanism, **_pose(chosen))
    told(found)
    if suffix in FILMS and target is not None:
        number = chosen.mode or 0
        if not 0 <= number < len(found.frequency):
            raise ModelError(f"--mode: there are {len(found.frequency)} modes, counted from 0, got {number}")
        found.animate(number, target, speed=_speed(float(found.frequency[number])))
        print(printable(f"mode {number} written to {target}"))
        return OK

    def figure() -> Any:
        from particlemech import view

        return view.roots(found) if chosen.roots else view.shapes(found)

    written(target, lambda: _table(found), dict, lambda: (found, {}), figure)
    return OK


def _speed(frequency: float) -> float:
    """Return the speed at which one swing takes about two seconds."""
    return 0.5 / abs(frequency) if frequency else 1.0


def _table(found: Any) -> Mapping[str, Any]:
    """Return frequencies, damping and shapes as columns, one row for each motion."""
    columns = {"frequency": found.frequency, "omega": found.omega, "damping": found.damping}
    columns["time_constant"] = found.time_constant
    for name, row in zip(found.coordinates, found.shapes, strict=True):
        columns |= {f"{name}.real": row.real, f"{name}.imag": row.imag}
    return columns


def _response(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, PAGE, *FIGURES)
    if chosen.first and chosen.last and not chosen.first < chosen.last:
        raise ModelError(f"--from {chosen.first:g} must be below --to {chosen.last:g}, Hz")
    from particlemech.analyses.verbs_of_vibration import response

    announce_compilation()
    how = _pose(chosen)
    frequency = _frequencies(mechanism, how, chosen)
    names, output = _outputs(mechanism, chosen.output_of)
    answer = response(mechanism, frequency, input=_input(mechanism, chosen.input), output=output, **how)
    from particlemech.view import frequencies

    f, every = frequencies.columns_of(frequency, answer, names)
    hertz = f.tolist()
    rows = [("output", "at", "size", "phase")]
    for name, of in zip(names, every.T, strict=True):
        peaks = [k for own, k in frequencies.peaks(names, every) if own == name]
        for k in (0, *peaks, len(f) - 1):
            what = "peak" if k in peaks else ""
            phase = float(_degrees(of[k]))
            rows.append((f"{name} {what}".strip(), f"{f[k]:.5g} Hz", f"{abs(of[k]):.5g}", f"{phase:.4g}°"))
    print_table(rows)

    def columns() -> Mapping[str, Any]:
        import numpy as np

        found = {"frequency": f}
        for n, name in enumerate(names):
            found |= {f"{name}.size": np.abs(every[:, n]), f"{name}.phase": np.angle(every[:, n])}
        return found

    def figure() -> Any:
        from particlemech import view

        return view.bode(hertz, every, names)

    written(target, columns, dict, lambda: (frequencies.spectrum(mechanism, hertz, every, names), {}), figure)
    return OK


def _degrees(value: complex) -> float:
    import math

    return math.degrees(math.atan2(value.imag, value.real))


def _frequencies(mechanism: Any, how: dict[str, Any], chosen: argparse.Namespace) -> Any:
    """Return the frequencies that are asked for, or those around the first natural ones."""
    import numpy as np

    first, last = chosen.first, chosen.last
    if first is None or last is None:
        from particlemech.analyses.verbs_of_vibration import modes

        own = np.abs(modes(mechanism, **how).frequency)
        own = own[own > 1e-6 * max(float(own.max(initial=0.0)), 1e-300)][:FEW]
        low, high = (float(own.min()), float(own.max())) if len(own) else (1.0, 1.0)
        first = first or min(low / AROUND, (last or low) / AROUND)
        last = last or max(high * AROUND, first * AROUND)
    return np.geomspace(first, last, chosen.samples)


def _input(mechanism: Any, text: str) -> Any:
    """Return a name, or a point and a direction."""
    point, *way = (word.strip() for word in text.split(","))
    if not way:
        return point
    try:
        return point, tuple(float(word) for word in way)
    except ValueError:
        raise ModelError(f'--input takes a name, or a point and a direction, as in P,0,1; got "{text}"') from None


def _outputs(mechanism: Any, text: str) -> tuple[list[str], list[str]]:
    """Return the names of what answers, all coordinates of points."""
    found: list[str] = []
    for name in words(text) or []:
        axes = "xyz"[: 2 if mechanism.kind == "planar" else 3]
        found += [f"{name}.{axis}" for axis in axes] if name in mechanism.points else [name]
    if not found:
        raise ModelError("--output-of takes a point, or columns such as P.x,A.angle")
    return found, found
