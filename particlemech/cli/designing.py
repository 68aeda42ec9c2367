"""The commands about the numbers of a model: sensitivities and optimise.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from particlemech.cli.questions import targeted, told, written
from particlemech.cli.terminal import (
    FAILED,
    OK,
    announce_compilation,
    at_terminal,
    numbers,
    positive,
    read,
    samples,
    words,
)
from particlemech.cli.view import FIGURES
from particlemech.errors import ModelError, printable

Parser = argparse.ArgumentParser
Command = Callable[[str, Callable[[argparse.Namespace], int], str], Parser]
MODEL, TABLE = ".toml", ".csv"
SUBJECTS = ("run", "cycle", "modes", "equilibrium")


def add(command: Command, with_model: Any) -> None:
    """Add the commands and their words to a parser."""
    slopes = command("sensitivities", _sensitivities, "print how results change with parameters of a model")
    with_model(slopes)
    slopes.add_argument("quantities", metavar="FIGURE", nargs="+", help="such as motor.effort.max or B.x[-1]")
    slopes.add_argument("--by", metavar="NAMES", required=True, help="parameters, or paths, with commas between")
    slopes.add_argument("--order", type=int, help="2: seven digits (default), 4: nine, in twice the time")
    _with_question(slopes)

    best = command("optimise", _optimise, "find the best variant of a model")
    with_model(best)
    best.add_argument(
        "parameters", metavar="NAME[=LOW:HIGH]", nargs="+", help="what may change, such as crank=30mm:80mm"
    )
    best.add_argument("--minimise", metavar="FIGURE", help="what is to be small, such as motor.effort.peak")
    best.add_argument("--maximise", metavar="FIGURE", help="what is to be large, such as transmission.min")
    best.add_argument(
        "--subject-to",
        metavar="CONDITION",
        action="append",
        default=[],
        help='such as "B.x.range >= 200 mm" (info conditions); several',
    )
    best.add_argument("--method", default="auto", help="auto (default), slsqp, trust-constr, cobyla, nelder-mead, ...")
    best.add_argument("--starts", type=int, default=1, metavar="N", help="how many searches, spread between the bounds")
    best.add_argument(
        "-o", "--output", metavar="FILE", help="write the best model: .toml; the history: .csv, .png, .svg or .pdf"
    )
    _with_question(best)


def _with_question(parser: Parser) -> None:
    """Add what figures are asked of."""
    parser.add_argument("--of", choices=SUBJECTS, default="run", help="whose figures they are; default: run")
    parser.add_argument("--driver", metavar="NAME", help="of a cycle: a driver, or a joint that is driven")
    parser.add_argument("--range", metavar="FIRST,LAST", help="of a cycle: of the driver, rad or length")
    parser.add_argument("--duration", type=positive, metavar="SECONDS", help="of a run; default: that of the model")
    parser.add_argument("--samples", type=samples, metavar="N", help="of a run or a cycle")
    parser.add_argument("--units", metavar="UNITS", help="of what is printed, such as mm,deg; default: of the model")


def _asked(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return what figures are asked of, with its options."""
    given = {"driver": chosen.driver, "range": numbers(chosen.range), "duration": chosen.duration}
    options = {name: value for name, value in (given | {"samples": chosen.samples}).items() if value is not None}
    return {"what": chosen.of, "options": options}


def _units(chosen: argparse.Namespace) -> list[str]:
    """Return the units that are asked for, before anything long begins."""
    from particlemech.view.units import Wanted

    units = words(chosen.units) or []
    Wanted(units)
    return units


def _sensitivities(chosen: argparse.Namespace) -> int:
    mechanism = read(chosen)
    from particlemech.analyses.verbs_of_design import sensitivities

    announce_compilation()
    names = [word.strip() for word in chosen.by.split(",")]
    units = _units(chosen)
    told(sensitivities(mechanism, chosen.quantities, names, order=chosen.order, **_asked(chosen)).told(units))
    return OK


def _bounds(text: str) -> tuple[str, tuple[str, str] | None]:
    """Return a name and its bounds, of NAME or NAME=LOW:HIGH."""
    name, sign, limits = text.partition("=")
    if not sign:
        return name, None
    low, colon, high = limits.partition(":")
    if not colon or ":" in high:
        raise ModelError(f'"{text}": bounds are LOW:HIGH, such as crank=30mm:80mm')
    return name, (low, high)


def _optimise(chosen: argparse.Namespace) -> int:
    mechanism, target, units = read(chosen), targeted(chosen, MODEL, TABLE, *FIGURES), _units(chosen)
    from particlemech.analyses.verbs_of_design import optimise

    announce_compilation()
    found = optimise(
        mechanism,
        dict(_bounds(text) for text in chosen.parameters),
        minimise=chosen.minimise,
        maximise=chosen.maximise,
        subject_to=chosen.subject_to,
        method=chosen.method,
        starts=chosen.starts,
        progress=_shown if at_terminal() else None,
        **_asked(chosen),
    )
    told(found.told(units))
    if target is not None and target.suffix.lower() == MODEL:
        found.save(target)
        print(printable(f"written to {target}"))
    else:
        record = {"units": found.units(units)}
        written(target, lambda: found.columns(units), lambda: record, None, lambda: _picture(found))
    return OK if found.fulfilled else FAILED


def _shown(entry: Any) -> None:
    """Print a variant as it is looked at."""
    numbers_ = ", ".join(f"{name} = {value:.6g}" for name, value in entry.parameters.items())
    print(printable(f"{entry.number}: {entry.said or f'{entry.aim:.6g}'} ({numbers_})"))


def _picture(found: Any) -> Any:
    from particlemech import view

    return view.history(found)
