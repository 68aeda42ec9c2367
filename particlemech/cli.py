"""The command line: run, check, validate, explain, info. It reads words, calls the library and prints tables.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from particlemech.errors import ModelError, suggestion

if TYPE_CHECKING:
    from particlemech.description import Description

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
FORMULATIONS = ("planar", "absolute")
INTEGRATORS = ("ida", "explicit", "auto")
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
        chosen = _parser().parse_args(arguments)
        return int(chosen.command(chosen))
    except ModelError as error:
        return _say(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return _say("interrupted before there was a result", INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name != "sksundae":
            raise
        return _say(
            "integrator ida is not installed (no scikit-sundae for this platform); say --integrator explicit", BAD_INPUT
        )
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            return _say(f"nothing more can be written: {error.strerror}", FAILED)
        # the reader of a pipe has left: what is still in the buffer goes nowhere, without a complaint at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _say(message: str, code: int) -> int:
    print("particlemech: " + " ".join(message.split()), file=sys.stderr)
    return code


# -- words ---------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Wrong usage is bad input like any other: one line."""

    def error(self, message: str) -> NoReturn:
        raise ModelError(f"{message}; see {self.prog} --help")


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (value > 0.0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f'must be a number above zero, got "{text}"')
    return value


def _time(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (value >= 0.0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f'must be a time from 0 on, got "{text}"')
    return value


def _samples(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 2:
        raise argparse.ArgumentTypeError(f'must be a whole number, at least 2, got "{text}"')
    return value


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="particlemech",
        description="Dynamics of linkages in the plane, of trees and of closed mechanisms in space.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, function: Callable[[argparse.Namespace], int], about: str) -> argparse.ArgumentParser:
        result = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        result.set_defaults(command=function)
        return result

    def with_model(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("model", metavar="MODEL", help="a model file, or the bare name of a shipped model")

    def with_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--duration", type=_positive, metavar="SECONDS", help="default: that of the model")
        parser.add_argument("--samples", type=_samples, metavar="N", help="number of output times")
        parser.add_argument("--rtol", type=_positive, help="relative tolerance of the integrator")

    run = command("run", _run, "simulate a model and print a summary")
    with_model(run)
    run.add_argument("-o", "--output", metavar="FILE", help="write the result: .csv, .npz or .json")
    with_options(run)
    run.add_argument("--formulation", choices=FORMULATIONS, help="in the plane; default: planar")
    run.add_argument("--integrator", choices=INTEGRATORS, help="default: that of the model, mostly ida")

    with_model(command("check", _check, "judge a model without running it"))

    validate = command("validate", _validate, "run a model twice, in different ways, and compare")
    with_model(validate)
    with_options(validate)
    validate.add_argument("--tolerance", type=_positive, help="largest difference, as a fraction of the range")

    explain = command("explain", _explain, "show the equations of a tree by three methods, and whether they agree")
    with_model(explain)
    explain.add_argument("--method", choices=METHODS, help="the table of one method; default: all three in short")
    explain.add_argument("--time", type=_time, default=0.0, metavar="SECONDS", help="default: the start")

    info = command("info", _info, "show versions, shipped models and the kinds of parts with their keys")
    info.add_argument("topic", metavar="TOPIC", nargs="?", help="one of: " + ", ".join(TOPICS))
    return parser


def _read(model: str) -> Description:
    from particlemech import models, toml

    bare = not model.endswith(".toml") and Path(model).name == model and not Path(model).is_file()
    return models.load(model) if bare else toml.load(model)


def _loaded(chosen: argparse.Namespace) -> Any:
    mechanism = _read(chosen.model)
    # options are held to the rules of the model's own [run], before anything costly
    options = {key: getattr(chosen, key, None) for key in ("duration", "samples", "rtol", "integrator")}
    mechanism.run_with({key: value for key, value in options.items() if value is not None})
    return mechanism


def _announce_compilation() -> None:
    """Explain the wait of the first run."""
    from particlemech import _jit

    if not _jit.compiled_before():
        print("compiling the kernels once, about half a minute ...", file=sys.stderr, flush=True)


# -- commands ------------------------------------------------------------------------------------------------


def _run(chosen: argparse.Namespace) -> int:
    from particlemech import export

    mechanism = _loaded(chosen)
    target = export.checked(chosen.output) if chosen.output else None
    from particlemech import report, validation
    from particlemech.simulate import simulate

    _announce_compilation()
    with _Progress(chosen.duration or mechanism.run.duration) as progress:
        result = simulate(
            mechanism,
            duration=chosen.duration,
            samples=chosen.samples,
            rtol=chosen.rtol,
            formulation=chosen.formulation,
            integrator=chosen.integrator,
            throw=False,
            progress=progress,
        )
    status = result.status.value
    if target is not None:
        export.write(result.columns(), result.provenance, target)
    dof = report.degrees_of_freedom(mechanism, result)
    findings = validation.held(mechanism, result, dof) if status == "completed" else ()
    _print_table(report.summary(mechanism, result, dof, validation.energy_error(result)))
    for f in findings:
        print(f"check {f.what}: expected {f.expected}, found {f.found}: {'ok' if f.held else 'FAILED'}")
    if target is not None:
        print(f"written to {target}")
    if status == "interrupted":
        return _say(f"interrupted; {len(result.t)} samples kept", INTERRUPTED)
    if status != "completed":
        return _say(f"the run ended early: {result.message}", FAILED)
    return OK if all(f.held for f in findings) else FAILED


def _check(chosen: argparse.Namespace) -> int:
    mechanism = _loaded(chosen)
    from particlemech import report

    _announce_compilation()
    found = report.judged(mechanism)
    _print_table(found.rows)
    return OK if mechanism.check.dof in (None, found.dof) else FAILED


def _validate(chosen: argparse.Namespace) -> int:
    mechanism = _loaded(chosen)
    from particlemech import validation

    _announce_compilation()
    found = validation.validated(
        mechanism,
        tolerance=chosen.tolerance or validation.TOLERANCE,
        duration=chosen.duration,
        samples=chosen.samples,
        rtol=chosen.rtol,
    )
    print(f"{mechanism.name}: {found.between}, {len(found.first.t)} and {len(found.second.t)} samples")
    rows = [("quantity", "difference", "of range", "condition", "relative", "at")]
    for d in found.differences:
        numbers = (f"{d.largest:.2e}", f"{d.scale:.2e}", f"{d.magnified:.3g}", f"{d.relative:.1e}")
        rows.append((d.quantity, *numbers, f"{d.where}, t = {d.t:g}"))
    _print_table(rows)
    for result in (found.first, found.second):
        if result.status.value == "interrupted":
            return _say("interrupted", INTERRUPTED)
        if result.status.value != "completed":
            print(f"{result.system.formulation}: {result.status.value}, {result.message}")
    complete = found.first.status.value == found.second.status.value == "completed"
    verdict = "agreed" if found.agreed else "NOT AGREED"
    print(f"{verdict} within {found.tolerance:g} of each range" + ("" if complete else ", but not to the end"))
    return OK if found.agreed and complete else FAILED


def _explain(chosen: argparse.Namespace) -> int:
    mechanism = _read(chosen.model)
    from particlemech.simulate import simulate
    from particlemech.tree.explain import explainable, explained

    tree, state = explainable(mechanism), None
    _announce_compilation()
    if chosen.time > 0.0:
        result = simulate(tree, duration=chosen.time, samples=2, integrator="auto", throw=False)
        if result.status.value != "completed":
            return _say(f"t = {chosen.time:g} s is not reached: {result.message}", FAILED)
        _, state = result.state_at()
    found = explained(tree, chosen.method, chosen.time, state)
    print(*found.lines, sep="\n")
    return OK if found.agreed else FAILED


def _info(chosen: argparse.Namespace) -> int:
    topics = [chosen.topic] if chosen.topic else list(TOPICS)
    for topic in topics:
        if topic not in TOPICS:
            raise ModelError(f'info: topic "{topic}" unknown{suggestion(topic, TOPICS)}')
        TOPICS[topic]()
    return OK


def _info_version() -> None:
    import platform
    from importlib import metadata

    rows = [("python", platform.python_version())]
    for name in ("particlemech", "numpy", "scipy", "networkx", "numba", "scikit-sundae"):
        try:
            rows.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            rows.append((name, "not installed"))
    _print_table(sorted(rows, key=lambda row: row[0] != "particlemech"))


def _info_models() -> None:
    from particlemech import models

    print("\nshipped models")
    _print_table([(f"  {name}", models.load(name).about) for name in models.names()])


def _info_kinds() -> None:
    from particlemech import drivers, forces, joints, signals, spatial, tree

    for module in (joints, drivers, forces, signals):
        _print_kinds(module.__name__.rpartition(".")[2][:-1], module.NAMES)
    parts = {"body": tree.Body, "driver": tree.Driver, "impulse": tree.Impulse, "initial": tree.Initial}
    for word, kinds in (("joint", tree.joints.NAMES), ("force", tree.forces.NAMES), ("part", parts)):
        _print_kinds(f"tree {word}", kinds)
    in_space = {"body": spatial.Body, "initial": spatial.Initial}
    words: dict[str, Mapping[str, type]] = {
        "joint": spatial.joints.NAMES,
        "driver": spatial.drivers.NAMES,
        "force": spatial.forces.NAMES,
    }
    for word, every in (words | {"part": in_space}).items():
        _print_kinds(f"spatial {word}", every)


def _print_kinds(word: str, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        only = "" if getattr(kind, "in_file", True) else " (from Python only)"
        print(f"\n{word} {name}{only}: {(kind.__doc__ or '').splitlines()[0]}")
        _print_table(_keys(kind))


def _keys(kind: type) -> list[tuple[str, str, str]]:
    """Return (key, default, explanation) of every key of a kind."""
    rows = []
    for item in dataclasses.fields(kind):
        required = item.default is dataclasses.MISSING
        default = "required" if required else "optional" if item.default is None else f"default {item.default!r}"
        rows.append((f"  {item.name}", default, item.metadata["about"]))
    return rows


TOPICS: dict[str, Callable[[], None]] = {"version": _info_version, "models": _info_models, "kinds": _info_kinds}


# -- looks ---------------------------------------------------------------------------------------------------


def _print_table(rows: Iterable[tuple[str, ...]]) -> None:
    table = list(rows)
    if not table:
        return
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip())


def _at_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Progress:
    """A plain bar on stderr, on a terminal only; gone when the run ends."""

    WIDTH = 40

    def __init__(self, duration: float) -> None:
        self.duration = duration
        self.shown = -1
        self.on = _at_terminal()

    def __enter__(self) -> _Progress:
        return self

    def __call__(self, t: float) -> None:
        done = int(self.WIDTH * min(max(t / self.duration, 0.0), 1.0))
        if not self.on or done == self.shown:
            return
        self.shown = done
        bar = "#" * done + "." * (self.WIDTH - done)
        print(f"\r[{bar}] t = {t:.4g} of {self.duration:g} s ", end="", file=sys.stderr, flush=True)

    def __exit__(self, *error: Any) -> None:
        if self.shown >= 0:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
