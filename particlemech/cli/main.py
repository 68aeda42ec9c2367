"""The command line: it reads words, calls the library and prints tables.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from particlemech import __version__
from particlemech.cli import designing, questions, rest, sweep, synthesis, topics, view
from particlemech.cli.terminal import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    OK,
    announce_compilation,
    loaded,
    numbers,
    positive,
    read,
    samples,
    say,
    simulated,
    time,
    warnings_in_one_line,
    words,
)
from particlemech.cli.topics import print_table
from particlemech.cli.view import PAGE
from particlemech.errors import ModelError, SimulationError, printable
from particlemech.model.description import Description
from particlemech.run.options import KNOWN

INTEGRATORS = ("ida", "explicit", "auto")
NUMBERS = re.compile(r"-[\d.][\d.,eE+-]*")
METHODS = ("newton-euler", "motion-law", "kane")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed or ended early, 2 bad input, 130 interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name; default those of the process.

    Returns
    -------
    int
        The exit code.

    Examples
    --------
    >>> main(["info", "version"])  # doctest: +ELLIPSIS
    particlemech ...
    0
    """
    try:
        chosen = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
        with warnings_in_one_line():
            return int(chosen.command(chosen))
    except ModelError as error:
        return say(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return say("interrupted before there was a result", INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name != "sksundae":
            raise
        return say(
            "integrator ida is not installed (no scikit-sundae for this platform); say --integrator explicit", BAD_INPUT
        )
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            return say(f"nothing more can be written: {error.strerror}", FAILED)
        # the reader of a pipe has left: what is still in the buffer goes nowhere, without a complaint at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


# -- words ---------------------------------------------------------------------------------------------------


def _joined(given: Sequence[str]) -> list[str]:
    """Return the words with numbers that begin with a minus joined to their option: --range -1,1 is --range=-1,1."""
    found: list[str] = []
    for word in given:
        if found and NUMBERS.fullmatch(word) and found[-1].startswith("--") and "=" not in found[-1]:
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


class _Parser(argparse.ArgumentParser):
    """Wrong usage is bad input like any other: one line. Options may stand between the words of a command."""

    mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return what is known and what is not; a command with its words in any order among the options."""
        if self._subparsers is not None or self.mixing:
            return super().parse_known_args(args, namespace)
        self.mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.mixing = False

    def error(self, message: str) -> NoReturn:
        raise ModelError(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="particlemech",
        description="Dynamics of linkages in the plane, of trees and closed mechanisms in space, of flexible arms.",
    )
    parser.add_argument("--version", action="version", version=f"particlemech {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, function: Callable[[argparse.Namespace], int], about: str) -> argparse.ArgumentParser:
        result = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        result.set_defaults(command=function)
        return result

    def with_model(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help="a model file, a robot (.urdf), or a shipped model's name")
        parser.add_argument(
            "--set", action="append", metavar="NAME=VALUE", help="another value of a parameter, such as crank=60mm"
        )

    def with_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--duration", type=positive, metavar="SECONDS", help="default: that of the model")
        parser.add_argument("--samples", type=samples, metavar="N", help="number of output times")
        parser.add_argument("--rtol", type=positive, help="relative tolerance of the integrator")

    def with_ways(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--formulation",
            metavar=f"{{{','.join(KNOWN)}}}",
            help="how equations are written; default: that of the mechanism",
        )
        parser.add_argument("--integrator", choices=INTEGRATORS, help="default: that of the model, mostly ida")

    run = command("run", _run, "simulate a model and print a summary")
    with_model(run)
    run.add_argument("-o", "--output", metavar="FILE", help="write the result: .csv, .npz or .json; .html is a page")
    run.add_argument("--units", metavar="UNITS", help="of the file, such as mm,deg; default: those of the model")
    with_options(run)
    with_ways(run)

    measures = command("measures", _measures, "simulate a model and print the numbers of the trade")
    with_model(measures)
    measures.add_argument(
        "-o", "--output", metavar="FILE", help="write the result with their columns, as run does; .html is a page"
    )
    measures.add_argument("--driver", metavar="NAME", help="what moves the others, driver or joint")
    measures.add_argument("--cycle", metavar="NAME", help="an angle whose turns are cycles, a period, or START,END")
    measures.add_argument("--about", metavar="POINT", help="of shaking moments: a point, or X,Y; default: the origin")
    with_options(measures)
    with_ways(measures)

    questions.add(command, with_model)
    rest.add(command, with_model)
    designing.add(command, with_model)
    synthesis.add(command)
    sweep.add(command, with_model)
    view.add(command, with_model, with_options, with_ways)
    with_model(command("check", _check, "judge a model without running it"))

    validate = command("validate", _validate, "run a model twice, in different ways, and compare")
    with_model(validate)
    with_options(validate)
    validate.add_argument("--tolerance", type=positive, help="largest difference, as a fraction of the range")

    explain = command("explain", _explain, "show the equations of a model at one instant, with all numbers")
    with_model(explain)
    explain.add_argument(
        "-o", "--output", metavar="FILE", help="in the plane: draw particles and chains, .png .svg .pdf"
    )
    explain.add_argument("--method", choices=METHODS, help="of a tree: the table of one; default: all three in short")
    explain.add_argument("--time", type=time, default=0.0, metavar="SECONDS", help="default: the start")

    info = command("info", _info, "show versions, shipped models and the kinds of parts with their keys")
    info.add_argument("topic", metavar="TOPIC", nargs="?", help=f"{', '.join(topics.TOPICS)}, or any kind of part")
    command("compile", _compile, "compile all kernels now: for those who install for others")
    return parser


# -- commands ------------------------------------------------------------------------------------------------


def _run(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    mechanism = loaded(chosen)
    target = export.checked(chosen.output, (*export.WRITERS, PAGE)) if chosen.output else None
    from particlemech.analyses import report, validation
    from particlemech.result.figures import energy_error
    from particlemech.view.units import Wanted

    units = words(chosen.units) or ()
    if units and target is None:
        raise ModelError("--units are those of a file; name it with -o, or leave them out")
    Wanted(units)
    result = simulated(mechanism, chosen)
    status = result.status.value
    kept = target if target is not None and status == "interrupted" and target.exists() else None
    if kept is not None:  # a file that stands there may be that of a run to the end
        target = kept.with_name(f"{kept.stem}.interrupted{kept.suffix}")
    if target is not None and target.suffix.lower() == PAGE:
        from particlemech.view import page

        page.save(result, target, units=units)
    elif target is not None:
        other = result.to(*units)
        export.write(other.columns(), {**result.record, "units": other.units()}, target)
    dof = report.degrees_of_freedom(mechanism, result)
    findings = validation.held(mechanism, result, dof) if status == "completed" else ()
    rows = report.summary(mechanism, result, dof, energy_error(result))
    print_table(rows)
    # reactions have kernels of their own: whoever waits for these has the motion to read
    print_table(report.peaks(mechanism, result), max(len(label) for label, _ in rows))
    for f in findings:
        print(f"check {f.what}: expected {f.expected}, found {f.found}: {'ok' if f.held else 'FAILED'}")
    if target is not None:
        print(printable(f"written to {target}" + (f"; {kept} is as it was" if kept is not None else "")))
    if status == "interrupted":
        return say(f"interrupted; {len(result.t)} samples kept", INTERRUPTED)
    if status != "completed":
        return say(f"the run ended early: {result.message}", FAILED)
    return OK if all(f.held for f in findings) else FAILED


def _measures(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    mechanism = loaded(chosen)
    target = export.checked(chosen.output, (*export.WRITERS, PAGE)) if chosen.output else None
    from particlemech.analyses import report
    from particlemech.result.figures import energy_error

    result = simulated(mechanism, chosen)
    dof = report.degrees_of_freedom(mechanism, result)
    print_table(report.summary(mechanism, result, dof, energy_error(result)))
    found = result.measures(driver=chosen.driver, cycle=numbers(chosen.cycle), about=numbers(chosen.about))
    print(f"\n{found}")
    if target is not None and target.suffix.lower() == PAGE:
        from particlemech.view import page

        page.save(result, target)
    elif target is not None:
        columns = {**result.columns(), **found.columns()}
        export.write(columns, {**result.record, "units": result.units(columns)}, target)
    return view.shown(result, target)


def _check(chosen: argparse.Namespace) -> int:
    mechanism = loaded(chosen)
    from particlemech.analyses import report

    announce_compilation()
    found = report.judged(mechanism)
    print_table(found.rows)
    return OK if mechanism.check.dof in (None, found.dof) else FAILED


def _validate(chosen: argparse.Namespace) -> int:
    mechanism = loaded(chosen)
    from particlemech.analyses import validation

    announce_compilation()
    found = validation.validated(
        mechanism,
        tolerance=chosen.tolerance or validation.TOLERANCE,
        duration=chosen.duration,
        samples=chosen.samples,
        rtol=chosen.rtol,
    )
    print(f"{printable(mechanism.name)}: {found.between}, {len(found.first.t)} and {len(found.second.t)} samples")
    rows = [("quantity", "difference", "of range", "condition", "relative", "at")]
    for d in found.differences:
        numbers = (f"{d.largest:.2e}", f"{d.scale:.2e}", f"{d.magnified:.3g}", f"{d.relative:.1e}")
        rows.append((d.quantity, *numbers, f"{d.where}, t = {d.t:g}"))
    print_table(rows)
    for result in (found.first, found.second):
        if result.status.value == "interrupted":
            return say("interrupted", INTERRUPTED)
        if result.status.value != "completed":
            print(f"{result.system.formulation}: {result.status.value}, {result.message}")
    if found.remark:
        print(found.remark)
    for said in found.warnings:
        print(f"warning: {said}")
    print(found.verdict)
    return OK if found.agreed and found.complete else FAILED


def _explain(chosen: argparse.Namespace) -> int:
    mechanism = read(chosen)
    if mechanism.kind == "planar":
        return _explain_in_plane(mechanism, chosen)
    from particlemech.model.space.engines import no_tree

    if chosen.output:
        raise ModelError(
            f'"{mechanism.name}" is of kind "{mechanism.kind}": explain draws mechanisms in the plane only; leave '
            "-o out, or draw it with plot"
        )
    in_space: Any = mechanism
    if no_tree(in_space) is not None:
        from particlemech.analyses.explain import natural

        print(*natural.explained(mechanism, chosen.method, chosen.time), sep="\n")
        return OK
    from particlemech.analyses.explain.recursive import explainable
    from particlemech.analyses.offered import explained_tree

    explainable(mechanism)
    announce_compilation()
    try:
        found = explained_tree(mechanism, chosen.method, chosen.time)
    except SimulationError as error:
        return say(str(error), FAILED)
    print(*found.lines, sep="\n")
    return OK if found.agreed else FAILED


def _explain_in_plane(mechanism: Description, chosen: argparse.Namespace) -> int:
    if chosen.method:
        raise ModelError(
            f'"{mechanism.name}" is of kind "{mechanism.kind}": there explain shows one method, that of equivalent '
            "particles; leave --method out"
        )
    from particlemech.analyses.explain import plane as explanation
    from particlemech.result import export

    target = export.checked(chosen.output, view.FIGURES) if chosen.output else None
    explanation.explainable(mechanism)
    if target is not None:
        from particlemech.view import plot

        plot.check_screen(target)
    announce_compilation()
    try:
        found = explanation.explained(mechanism, chosen.time)
    except SimulationError as error:
        return say(str(error), FAILED)
    print(*found.lines, sep="\n")
    if target is not None:
        plot.display(explanation.figure(found), target)
        print(printable(f"written to {target}"))
    return OK if found.agreed else FAILED


def _info(chosen: argparse.Namespace) -> int:
    for topic in [chosen.topic] if chosen.topic else ("version", "models", "kinds"):
        topics.show(topic)
    return OK


def _compile(chosen: argparse.Namespace) -> int:
    from particlemech.cli import warm_up

    announce_compilation()
    total = 0.0
    for what, count, seconds in warm_up.compiled():
        total += seconds
        print(f"{what}: {count} kernels, {seconds:.1f} s", flush=True)
    print(f"{warm_up.kind()} kernels in {warm_up.directory()}, {total:.1f} s")
    return OK
