"""The commands that ask for answers, not motions: cycle, equilibrium, modes, inverse.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from particlemech.cli.terminal import (
    FAILED,
    OK,
    announce_compilation,
    numbers,
    read,
    samples,
    say,
)
from particlemech.cli.topics import print_table
from particlemech.cli.view import PAGE
from particlemech.errors import ModelError, SimulationError, printable

Parser = argparse.ArgumentParser
Command = Callable[[str, Callable[[argparse.Namespace], int], str], Parser]
FILMS = (".gif", ".mp4", PAGE)


def add(command: Command, with_model: Any) -> None:
    """Add the commands and their words to a parser."""
    cycle = command("cycle", _cycle, "follow a driven model without integration, over time or the range of a driver")
    with_model(cycle)
    cycle.add_argument("--driver", metavar="NAME", help="a driver, or a joint that is driven; default: all, over time")
    cycle.add_argument("--range", metavar="FIRST,LAST", help="of the driver, rad or length; default: all it can reach")
    cycle.add_argument("--samples", type=samples, metavar="N", help="number of poses")
    cycle.add_argument("--through", action="store_true", help="go on through change points on the same branch")
    cycle.add_argument("-o", "--output", metavar="FILE", help="write the poses: .csv, .npz or .json; .html is a page")

    rest = command("equilibrium", _equilibrium, "find where a model rests, whether stably, and what holds it there")
    with_model(rest)
    rest.add_argument("--all", action="store_true", help="all rest positions that a search finds")
    rest.add_argument("--hold", metavar="JOINTS", help="joints that are locked, with commas between")
    rest.add_argument("-o", "--output", metavar="FILE", help="write them: .csv, .npz or .json; .html is a page")

    modes = command("modes", _modes, "find frequencies, damping and shapes of small vibrations")
    with_model(modes)
    modes.add_argument("--about", choices=("start", "equilibrium"), default="start", help="default: the start")
    modes.add_argument("--release", metavar="DRIVERS", help="drivers that are let go, with commas between")
    modes.add_argument("--mode", type=int, default=0, metavar="K", help="which one -o shows; default: the lowest, 0")
    modes.add_argument("-o", "--output", metavar="FILE", help="let it swing: .gif, .mp4, or a page, .html")

    inverse = command("inverse", _inverse, "find the efforts that make a given motion")
    with_model(inverse)
    inverse.add_argument("motion", metavar="MOTION", help="a .csv file with columns t and, say, P.x, A.angle")
    inverse.add_argument("--actuators", metavar="NAMES", help="joints or drivers that make it, with commas between")
    inverse.add_argument("-o", "--output", metavar="FILE", help="write the efforts: .csv, .npz or .json")


def _targeted(chosen: argparse.Namespace, suffixes: tuple[str, ...] | None = None) -> Path | None:
    """Return the file to be written, after a check that it can be."""
    from particlemech.result import export

    if not chosen.output:
        return None
    found: Path = export.checked(chosen.output, suffixes or (*export.WRITERS, PAGE))
    return found


def _told(found: Any) -> None:
    """Print what was found, line by line."""
    for line in str(found).splitlines():
        print(printable(line))


def _words(text: str | None) -> list[str] | None:
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def _written(result: Any, target: Path | None) -> None:
    """Write a result, or its page, and say so."""
    from particlemech.result import export

    if target is None:
        return
    if target.suffix.lower() == PAGE:
        from particlemech.view import page

        page.save(result, target)
    else:
        columns = result.columns()
        export.write(columns, {**result.record, "units": result.units(columns)}, target)
    print(printable(f"written to {target}"))


def _cycle(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen.model), _targeted(chosen)
    bounds = numbers(chosen.range)
    if bounds is not None and not (isinstance(bounds, tuple) and len(bounds) == 2):
        raise ModelError(f'--range takes two numbers, as in 0,6.28, got "{chosen.range}"')
    from particlemech.analyses.interface import cycle
    from particlemech.analyses.report import travelled

    announce_compilation()
    found: Any
    try:
        found = cycle(mechanism, chosen.driver, bounds, samples=chosen.samples, through=chosen.through)
        failed = ""
    except SimulationError as error:
        found, failed = error.result, str(error)
        if found is None or not len(found.t):
            return say(failed, FAILED)
    print_table([("cycle of", mechanism.name), ("poses", str(len(found.t))), *travelled(found)])
    _written(found, target)
    return say(f"the cycle ends early: {failed}", FAILED) if failed else OK


def _equilibrium(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen.model), _targeted(chosen)
    from particlemech.analyses.verbs_of_vibration import equilibrium

    announce_compilation()
    found = equilibrium(mechanism, hold=_words(chosen.hold), all=chosen.all)
    _told(found)
    _written(found, target)
    return OK


def _modes(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen.model), _targeted(chosen, FILMS)
    from particlemech.analyses.verbs_of_vibration import modes

    announce_compilation()
    about = None if chosen.about == "start" else chosen.about
    found = modes(mechanism, about, release=_words(chosen.release))
    _told(found)
    if target is None:
        return OK
    if not 0 <= chosen.mode < len(found.frequency):
        raise ModelError(f"--mode: there are {len(found.frequency)} modes, counted from 0, got {chosen.mode}")
    found.animate(chosen.mode, target)
    print(printable(f"mode {chosen.mode} written to {target}"))
    return OK


def _inverse(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    mechanism, target = read(chosen.model), _targeted(chosen, tuple(export.WRITERS))
    from particlemech.analyses.interface import inverse
    from particlemech.analyses.inverse_dynamics import read_motion

    t, motion = read_motion(chosen.motion)
    announce_compilation()
    found = inverse(mechanism, motion, t=t, actuators=_words(chosen.actuators))
    _told(found)
    if target is not None:
        columns = {"t": found.t, **{f"{name}.effort": values for name, values in found.efforts.items()}}
        export.write(columns, {"units": found.units}, target)
        print(printable(f"written to {target}"))
    return OK
