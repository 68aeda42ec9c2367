"""The command line: run, check, validate, explain, view, info. It reads words, calls the library and prints tables.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from particlemech import topics
from particlemech.errors import ModelError, suggestion
from particlemech.topics import print_table

if TYPE_CHECKING:
    from particlemech.description import Description

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
FORMULATIONS = ("planar", "absolute")
INTEGRATORS = ("ida", "explicit", "auto")
PAGE = ".html"  # the suffix of pages for browsers
ARROWS = ("velocity", "acceleration", "reaction", "load", "effort")
FIGURES, FILMS = (".png", ".svg", ".pdf"), (".gif", ".mp4")
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

    def with_ways(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--formulation", choices=FORMULATIONS, help="in the plane; default: planar")
        parser.add_argument("--integrator", choices=INTEGRATORS, help="default: that of the model, mostly ida")

    run = command("run", _run, "simulate a model and print a summary")
    with_model(run)
    run.add_argument("-o", "--output", metavar="FILE", help="write the result: .csv, .npz or .json; .html is a page")
    with_options(run)
    with_ways(run)

    view = command("view", _view, "simulate a model and show it in the browser, as one page")
    with_model(view)
    view.add_argument("quantities", metavar="QUANTITY", nargs="*", help="charts to open, such as crank.omega")
    view.add_argument("-o", "--output", metavar="FILE", help="write the page, .html, instead of opening it")
    view.add_argument("--trace", action="append", metavar="POINT", help="leave a trace; default: the longest")
    view.add_argument("--validate", action="store_true", help="run it twice, as validate does, and show the verdict")
    view.add_argument("--still", action="store_true", help="show the mechanism as drawn, without a run")
    with_options(view)
    with_ways(view)

    plot = command("plot", _plot, "simulate a model and draw its motion, or quantities against time")
    with_model(plot)
    plot.add_argument(
        "quantities",
        metavar="QUANTITY",
        nargs="*",
        help="columns such as crank.omega, or one of: energy, reactions, hodograph; none: a picture of the motion",
    )
    plot.add_argument("-o", "--output", metavar="FILE", help="write the figure: .png, .svg or .pdf; default: a window")
    plot.add_argument("--at", type=_time, metavar="SECONDS", help="draw the mechanism at one instant")
    plot.add_argument("--degrees", action="store_true", help="show angles in degrees")
    animate = command("animate", _animate, "simulate a model and write its motion as a GIF or a video")
    with_model(animate)
    animate.add_argument("-o", "--output", metavar="FILE", required=True, help=".gif or .mp4")
    animate.add_argument("--speed", type=_positive, default=1.0, help="1: real time, 0.1: slow motion")
    animate.add_argument("--fps", type=_positive, metavar="N", help="frames per second; default: 25, of a video 50")
    for parser_of in (plot, animate):
        parser_of.add_argument("--trace", action="append", metavar="POINT", help="draw its path; default: the longest")
        parser_of.add_argument("--arrows", action="append", choices=ARROWS, help="show them; may be repeated")
        with_options(parser_of)
        with_ways(parser_of)

    with_model(command("check", _check, "judge a model without running it"))

    validate = command("validate", _validate, "run a model twice, in different ways, and compare")
    with_model(validate)
    with_options(validate)
    validate.add_argument("--tolerance", type=_positive, help="largest difference, as a fraction of the range")

    explain = command("explain", _explain, "show the equations of a tree by three methods, or the loops in space")
    with_model(explain)
    explain.add_argument("--method", choices=METHODS, help="the table of one method; default: all three in short")
    explain.add_argument("--time", type=_time, default=0.0, metavar="SECONDS", help="default: the start")

    info = command("info", _info, "show versions, shipped models and the kinds of parts with their keys")
    info.add_argument("topic", metavar="TOPIC", nargs="?", help="one of: " + ", ".join(topics.TOPICS))
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
    target = export.checked(chosen.output, (*export.WRITERS, PAGE)) if chosen.output else None
    from particlemech import report, validation

    result = _simulated(mechanism, chosen)
    status = result.status.value
    if target is not None and target.suffix.lower() == PAGE:
        from particlemech.view import page

        page.save(result, target)
    elif target is not None:
        export.write(result.columns(), result.provenance, target)
    dof = report.degrees_of_freedom(mechanism, result)
    findings = validation.held(mechanism, result, dof) if status == "completed" else ()
    print_table(report.summary(mechanism, result, dof, validation.energy_error(result)))
    for f in findings:
        print(f"check {f.what}: expected {f.expected}, found {f.found}: {'ok' if f.held else 'FAILED'}")
    if target is not None:
        print(f"written to {target}")
    if status == "interrupted":
        return _say(f"interrupted; {len(result.t)} samples kept", INTERRUPTED)
    if status != "completed":
        return _say(f"the run ended early: {result.message}", FAILED)
    return OK if all(f.held for f in findings) else FAILED


def _simulated(mechanism: Any, chosen: argparse.Namespace) -> Any:
    """Return the result of a run as its options say, with a progress bar."""
    from particlemech.simulate import simulate

    _announce_compilation()
    with _Progress(chosen.duration or mechanism.run.duration) as progress:
        return simulate(
            mechanism,
            duration=chosen.duration,
            samples=chosen.samples,
            rtol=chosen.rtol,
            formulation=chosen.formulation,
            integrator=chosen.integrator,
            throw=False,
            progress=progress,
        )


def _plot(chosen: argparse.Namespace) -> int:
    from particlemech import export

    mechanism = _loaded(chosen)
    target = export.checked(chosen.output, FIGURES) if chosen.output else None
    from particlemech.view import plot

    plot.check_screen(target)
    result = _simulated(mechanism, chosen)
    options = {"at": chosen.at, "points": chosen.trace, "arrows": chosen.arrows, "degrees": chosen.degrees}
    plot.display(plot.chosen(result, chosen.quantities, **options), target)
    return _shown(result, target)


def _animate(chosen: argparse.Namespace) -> int:
    from particlemech import export

    mechanism = _loaded(chosen)
    target = export.checked(chosen.output, FILMS)
    from particlemech.view import film

    film.check(target, chosen.duration or mechanism.run.duration, chosen.speed, chosen.fps)
    result = _simulated(mechanism, chosen)
    with _Progress(1.0, "frames") as progress:
        options = {"speed": chosen.speed, "fps": chosen.fps, "points": chosen.trace, "arrows": chosen.arrows or ()}
        film.animate(result, target, progress=progress, **options)
    return _shown(result, target)


def _shown(result: Any, target: Path | None) -> int:
    """Return the exit code after a picture of a result was made."""
    if target is not None:
        print(f"written to {target}")
    if result.status.value == "completed":
        return OK
    if result.status.value == "interrupted":
        return _say(f"interrupted; {len(result.t)} samples kept", INTERRUPTED)
    return _say(f"the run ended early: {result.message}", FAILED)


def _view(chosen: argparse.Namespace) -> int:
    from particlemech import export

    mechanism = _loaded(chosen)
    target = export.checked(chosen.output, (PAGE,)) if chosen.output else _page_aside(mechanism.name)
    from particlemech.view import page

    shown, said = (mechanism, {}) if chosen.still else _witnessed(mechanism, chosen)
    page.save(shown, target, charts=chosen.quantities or None, traces=chosen.trace, witnesses=said)
    print(f"written to {target}")
    if not chosen.output:
        import webbrowser

        if not webbrowser.open(target.as_uri()):
            return _say(f"no browser was found; open {target} in one", FAILED)
    return OK if chosen.still else _shown(shown, None)


def _witnessed(mechanism: Any, chosen: argparse.Namespace) -> tuple[Any, dict[str, str]]:
    """Return the result of a run and, if a second one is wanted, how far they agree."""
    if not chosen.validate:
        return _simulated(mechanism, chosen), {}
    if chosen.formulation or chosen.integrator:
        raise ModelError("--validate chooses both ways to run itself; leave --formulation and --integrator out")
    from particlemech import validation

    _announce_compilation()
    found = validation.validated(mechanism, duration=chosen.duration, samples=chosen.samples, rtol=chosen.rtol)
    worst = max((d.relative for d in found.differences), default=0.0)
    verdict = "agreed" if found.agreed else "NOT AGREED"
    return found.first, {"second opinion": f"{verdict}, {worst:.1e} of each range, {found.between}"}


def _page_aside(name: str) -> Path:
    """Return where a page is put that was only asked to be seen; browsers read it after this program has ended."""
    import tempfile

    plain = "".join(letter if letter.isalnum() else "_" for letter in name)[:60] or "mechanism"
    return Path(tempfile.mkdtemp(prefix="particlemech-")) / f"{plain}{PAGE}"


def _check(chosen: argparse.Namespace) -> int:
    mechanism = _loaded(chosen)
    from particlemech import report

    _announce_compilation()
    found = report.judged(mechanism)
    print_table(found.rows)
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
    print_table(rows)
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
    if mechanism.kind == "spatial":
        from particlemech.spatial import explain

        print(*explain.explained(mechanism, chosen.method, chosen.time), sep="\n")
        return OK
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
    for topic in [chosen.topic] if chosen.topic else topics.TOPICS:
        if topic not in topics.TOPICS:
            raise ModelError(f'info: topic "{topic}" unknown{suggestion(topic, topics.TOPICS)}')
        topics.TOPICS[topic]()
    return OK


# -- looks ---------------------------------------------------------------------------------------------------


def _at_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Progress:
    """A plain bar on stderr, on a terminal only; gone when the run ends."""

    WIDTH = 40

    def __init__(self, duration: float, what: str = "") -> None:
        self.duration, self.what = duration, what
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
        said = f"{t:.0%} of the {self.what}" if self.what else f"t = {t:.4g} of {self.duration:g} s"
        print(f"\r[{bar}] {said} ", end="", file=sys.stderr, flush=True)

    def __exit__(self, *error: Any) -> None:
        if self.shown >= 0:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
