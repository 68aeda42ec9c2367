"""The command that tries many values of parameters: sweep.

Heavy imports are inside the command, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from typing import Any

from particlemech.cli.questions import Command
from particlemech.cli.terminal import FAILED, OK, announce_compilation, positive, read, samples, say, words
from particlemech.cli.topics import print_table
from particlemech.errors import ModelError, SimulationError, printable

SUBJECTS = ("run", "cycle", "modes", "equilibrium")
OF_RUNS = ("duration", "samples", "rtol", "integrator")
OF_OTHERS = {"driver": ("cycle",), "about": ("modes",), "hold": ("modes", "equilibrium")}


def add(command: Command, with_model: Any) -> None:
    """Add the command and its words to a parser."""
    made = command("sweep", _sweep, "run or analyse many variants of a model, and tabulate figures of each")
    with_model(made)
    made.add_argument(
        "words",
        metavar="WORD",
        nargs="+",
        help="parameters with their values, crank=30mm:80mm:50 or crank=30mm,50mm, of a sample crank=30mm:80mm or "
        "crank alone; and figures, such as motor.effort.max (info figures)",
    )
    made.add_argument("-o", "--output", metavar="FILE", help="write .nc (all), .csv or .parquet (a row each), .html")
    made.add_argument("--of", choices=SUBJECTS, default="run", help="whose figures they are; default: run")
    made.add_argument("--together", action="store_true", help="the first values of all, the second of all, ...")
    made.add_argument("--latin", type=int, metavar="N", help="N cases between bounds: a Latin hypercube")
    made.add_argument("--sobol", type=int, metavar="N", help="N cases between bounds, a power of two: Sobol's sequence")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers; default: 0")
    made.add_argument("--store", metavar="FOLDER", help="keep what is found; a killed sweep goes on from there")
    made.add_argument("--units", metavar="UNITS", help="of the table, such as mm,deg; default: those of the model")
    made.add_argument("--workers", type=int, metavar="N", help="processes or threads; default: as many as processors")
    made.add_argument("--duration", type=positive, metavar="SECONDS", help="of runs; default: that of the model")
    made.add_argument("--samples", type=samples, metavar="N", help="of runs and cycles")
    made.add_argument("--rtol", type=positive, help="of runs: relative tolerance of the integrator")
    made.add_argument("--integrator", choices=("ida", "explicit", "auto"), help="of runs; default: that of the model")
    made.add_argument("--driver", metavar="NAME", help="of cycles: a driver, or a joint that is driven")
    made.add_argument("--about", choices=("start", "equilibrium"), help="of modes; default: the start")
    made.add_argument("--hold", metavar="JOINTS", help="of modes and rest: joints that are locked")


def _options(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of the verb; what it does not take is refused."""
    found: dict[str, Any] = {}
    for name in (*OF_RUNS, *OF_OTHERS):
        given = getattr(chosen, name)
        takers = ("run", "cycle") if name == "samples" else OF_OTHERS.get(name, ("run",))
        if given is not None and chosen.of not in takers:
            raise ModelError(f"--{name} does not apply to --of {chosen.of}; it is of {' and '.join(takers)}")
        if given is not None and not (name == "about" and given == "start"):
            found[name] = words(given) if name == "hold" else given
    return found


def _sampling(chosen: argparse.Namespace) -> dict[str, Any]:
    said = {"together": chosen.together or None, "latin": chosen.latin, "sobol": chosen.sobol}
    given = [name for name, value in said.items() if value is not None]
    if len(given) > 1:
        raise ModelError(f"--{given[0]} and --{given[1]} are two ways to choose the cases; say one of them")
    count = chosen.sobol if chosen.latin is None else chosen.latin
    return {"sampling": given[0] if given else "grid", "count": count, "seed": chosen.seed}


def _parted(mechanism: Any, given: list[str], sampled: bool) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters with their values as written, and the figures."""
    over: dict[str, Any] = {}
    figures: list[str] = []
    for word in given:
        name, mark, values = (part.strip() for part in word.partition("="))
        if mark and name in over:
            raise ModelError(f'parameter "{name}" is given twice')
        if mark:
            over[name] = values
        elif sampled and word in mechanism.parameters:
            over[word] = None
        else:
            figures.append(word)
    return over, figures


def _check_figures(figures: list[str], of: str, target: Any) -> None:
    """Raise where a file has no room for a curve, before anything costly."""
    from particlemech.batch.tables import curve_in_a_row
    from particlemech.result.figures import figure

    if target is not None and target.suffix.lower() in (".csv", ".parquet"):
        for text in figures:
            if not figure(text, of).single:
                raise curve_in_a_row(text)


def _sweep(chosen: argparse.Namespace) -> int:
    mechanism: Any = read(chosen)
    from particlemech.batch import pages, tables
    from particlemech.batch.sweeps import sweep
    from particlemech.result import export

    target = export.checked(chosen.output, (*tables.WRITERS, pages.PAGE)) if chosen.output else None
    how = _sampling(chosen)
    over, figures = _parted(mechanism, chosen.words, how["sampling"] in ("latin", "sobol"))
    options = _options(chosen)
    _check_figures(figures, chosen.of, target)
    announce_compilation()
    stopped = ""
    try:
        data = sweep(
            mechanism, over, quantities=figures, what=chosen.of, options=options, workers=chosen.workers,
            store=chosen.store, units=words(chosen.units) or (), progress=True, **how,
        )  # fmt: skip
    except SimulationError as error:
        data, stopped = error.result, str(error)
    _told(data)
    if target is not None:
        if target.suffix.lower() == pages.PAGE:
            pages.save(mechanism, data, target)
        else:
            tables.write(data, target)
        print(printable(f"written to {target}"))
    if stopped:
        return say(stopped + (f"; {chosen.store} goes on from there" if chosen.store else ""), FAILED)
    failed = int((data.status != "completed").sum())
    if failed:
        bad = data.message.values.ravel()[(data.status != "completed").values.ravel()]
        return say(f"{failed} of {data.status.size} cases did not complete; the first: {bad[0]}", FAILED)
    return OK


def _told(data: Any) -> None:
    """Print what each figure ranges over, and where its ends are."""
    import numpy as np

    from particlemech.batch import tables

    single = data.drop_vars([name for name, of in data.data_vars.items() if of.dims != data.status.dims])
    table = tables.columns(single)
    names = [name for name in table if name in data.coords and name != "case"]
    print(f"{data.status.size} cases, {int((data.status == 'completed').sum())} completed")
    rows = [("figure", "", *(f"at {name}" for name in names))]
    for name in single.data_vars:
        column = table[str(name)]
        if name in ("status", "message") or column.dtype.kind not in "biuf" or not np.isfinite(column).any():
            continue
        unit = data[name].attrs.get("units", "")
        for what, k in (("least", int(np.nanargmin(column))), ("largest", int(np.nanargmax(column)))):
            said = f"{what} {column[k]:.6g} {unit}".strip()
            rows.append(
                (str(name), said, *(f"{table[own][k]:.6g} {data[own].attrs.get('units', '')}" for own in names))
            )
    if len(rows) > 1:
        print_table(rows)
