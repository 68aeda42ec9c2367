"""The command that makes linkages: synthesis.

Heavy imports are inside the command, after the table is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from particlemech.cli.terminal import FAILED, OK, Progress, announce_compilation, at_terminal, numbers, positive, say
from particlemech.errors import ModelError, printable

Command = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]

# columns of the table -> what is made of them
TASKS = {
    ("x", "y"): "path",
    ("x", "y", "crank"): "path",
    ("x", "y", "angle"): "motion",
    ("crank", "output"): "function",
}
SHEET = "candidates.png"


def add(command: Command) -> None:
    """Add the command and its words to a parser."""
    made = command("synthesis", _synthesis, "find linkages that go through points or poses, or make a function")
    made.add_argument(
        "table",
        metavar="TABLE",
        help="a .csv file: columns x,y are points of a path, x,y,crank with timing; x,y,angle poses of the coupler; "
        "crank,output pairs of a function; rad",
    )
    made.add_argument(
        "-o", "--output", metavar="FOLDER", help=f"write the candidates as models, and their sheet, {SHEET}"
    )
    made.add_argument("--linkage", metavar="KIND", default="four-bar", help="four-bar (default) or slider-crank")
    made.add_argument("--starts", type=int, metavar="N", help="how many starts are tried")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers; default 0")
    made.add_argument("--keep", type=int, metavar="N", help="how many candidates; default 12")
    made.add_argument("--tolerance", type=positive, help="largest miss, length or rad; default 5 %% of the task's size")
    made.add_argument("--transmission", type=float, metavar="RAD", help="least angle of transmission")
    made.add_argument("--turning", action="store_true", help="the crank must turn round")
    made.add_argument("--any-order", action="store_true", help="points may be passed in any order")
    made.add_argument("--lengths", metavar="SHORTEST,LONGEST", help="of all links")
    made.add_argument("--region", metavar="LEFT,LOW,RIGHT,HIGH", help="where fixed pivots must be")
    made.add_argument("--pivots", metavar="X,Y,X,Y", help="where those of a four-bar's crank and rocker must be")
    made.add_argument("--density", type=positive, help="mass per length of the links; default: masses unknown")


def _several(text: str | None, count: int, option: str) -> tuple[float, ...] | None:
    """Return so many numbers, or None where nothing is said."""
    found = numbers(text)
    if found is None or (isinstance(found, tuple) and len(found) == count):
        return found
    raise ModelError(f'{option} takes {count} numbers with commas between, got "{text}"')


def _options(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a synthesis that were said."""
    said: dict[str, Any] = {
        name: getattr(chosen, name) for name in ("starts", "keep", "tolerance", "transmission", "density")
    }
    said["lengths"] = _several(chosen.lengths, 2, "--lengths")
    box, pivots = _several(chosen.region, 4, "--region"), _several(chosen.pivots, 4, "--pivots")
    said["region"] = None if box is None else (box[:2], box[2:])
    said["pivots"] = None if pivots is None else (pivots[:2], pivots[2:])
    said = {name: value for name, value in said.items() if value is not None}
    return {
        **said,
        "linkage": chosen.linkage,
        "seed": chosen.seed,
        "turning": chosen.turning,
        "ordered": not chosen.any_order,
    }


def _synthesis(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    options = _options(chosen)
    table = export.read_table(chosen.table, "table")
    task = TASKS.get(tuple(table))
    if task is None:
        known = "; ".join(",".join(names) for names in TASKS)
        raise ModelError(f'the table "{chosen.table}" has columns {",".join(table) or "none"}; needs one of {known}')
    from particlemech.synthesis import generation

    announce_compilation()
    columns = list(table.values())
    with Progress(1.0, "starts") as progress:
        options["progress"] = progress
        if task == "function":
            found = generation.function(_pairs(columns), **options)
        elif task == "motion":
            found = generation.motion(_pairs(columns[:2]), columns[2], **options)
        else:
            found = generation.path(_pairs(columns[:2]), table.get("crank"), **options)
    if not len(found):
        return say(found.said, FAILED)
    for line in str(found).splitlines():
        print(printable(line))
    if chosen.output:
        _written(found, Path(chosen.output))
    elif at_terminal():
        print("to keep them as models, and see them: -o FOLDER")
    return OK


def _pairs(columns: list[Any]) -> list[Any]:
    return list(zip(*columns, strict=True))


def _written(found: Any, folder: Path) -> None:
    """Write models and, where matplotlib is there, their sheet."""
    files = found.save(folder)
    print(printable(f"{len(files)} models written to {folder}"))
    from particlemech.view import candidates, plot

    try:
        figure = candidates(found)
    except ModelError as error:
        say(f"no sheet: {error}", OK)
        return
    plot.display(figure, folder / SHEET)
    print(printable(f"sheet written to {folder / SHEET}"))
