"""The commands that show a motion: plot, animate, view.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from particlemech.cli.terminal import (
    FAILED,
    INTERRUPTED,
    OK,
    Progress,
    announce_compilation,
    loaded,
    positive,
    say,
    simulated,
    time,
    words,
)
from particlemech.errors import ModelError

PAGE = ".html"  # the suffix of pages for browsers
ARROWS = ("velocity", "acceleration", "reaction", "load", "impulse", "effort")
FIGURES, FILMS = (".png", ".svg", ".pdf"), (".gif", ".mp4", PAGE)

Parser = argparse.ArgumentParser
Command = Callable[[str, Callable[[argparse.Namespace], int], str], Parser]


def add(command: Command, with_model: Any, with_options: Any, with_ways: Any) -> None:
    """Add the commands and their words to a parser."""
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
        help="columns such as crank.omega, diagrams along a body such as boom.moment (axial, shear, torsion, moment, "
        "stress), or one of: energy, reactions, hodograph, transmission, centrodes, bearings, shaking, turning_moment; "
        "none: a picture of the motion",
    )
    plot.add_argument("-o", "--output", metavar="FILE", help="write the figure: .png, .svg or .pdf; default: a window")
    plot.add_argument("--at", type=time, metavar="SECONDS", help="draw the mechanism, or a diagram, at one instant")
    plot.add_argument("--degrees", action="store_true", help="show angles in degrees")
    animate = command("animate", _animate, "simulate a model and write its motion as a GIF, a video or a page")
    with_model(animate)
    animate.add_argument("-o", "--output", metavar="FILE", required=True, help=".gif, .mp4 or .html")
    animate.add_argument("--speed", type=positive, default=1.0, help="1: real time, 0.1: slow motion")
    animate.add_argument("--fps", type=positive, metavar="N", help="frames per second; default: 25, of a video 50")
    for parser_of in (view, plot, animate):
        parser_of.add_argument(
            "--exaggerate", type=positive, default=1.0, metavar="FACTOR", help="draw deflections so many times as large"
        )
    for parser_of in (view, plot):
        parser_of.add_argument("--units", metavar="UNITS", help="of charts and numbers, such as mm,deg")
    for parser_of in (plot, animate):
        parser_of.add_argument("--trace", action="append", metavar="POINT", help="draw its path; default: the longest")
        parser_of.add_argument("--arrows", action="append", choices=ARROWS, help="show them; may be repeated")
        with_options(parser_of)
        with_ways(parser_of)


def _plot(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    mechanism = loaded(chosen)
    target = export.checked(chosen.output, FIGURES) if chosen.output else None
    from particlemech.view import plot

    plot.check_screen(target)
    result = simulated(mechanism, chosen)
    options = {"at": chosen.at, "points": chosen.trace, "arrows": chosen.arrows, "degrees": chosen.degrees}
    options["exaggerate"], options["units"] = chosen.exaggerate, words(chosen.units) or ()
    plot.display(plot.chosen(result, chosen.quantities, **options), target)
    return shown(result, target)


def _animate(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    mechanism = loaded(chosen)
    target = export.checked(chosen.output, FILMS)
    if target.suffix.lower() == PAGE:
        return _paged(mechanism, chosen, target)
    from particlemech.view import film

    film.check(target, chosen.duration or mechanism.run.duration, chosen.speed, chosen.fps)
    result = simulated(mechanism, chosen)
    with Progress(1.0, "frames") as progress:
        options = {"speed": chosen.speed, "fps": chosen.fps, "points": chosen.trace, "arrows": chosen.arrows or ()}
        film.animate(result, target, progress=progress, exaggerate=chosen.exaggerate, **options)
    return shown(result, target)


def _paged(mechanism: Any, chosen: argparse.Namespace, target: Path) -> int:
    """Write a page where a film was asked for; its speed is chosen there."""
    if chosen.fps or chosen.speed != 1.0:
        raise ModelError("whoever reads a page chooses its speed there; leave --fps and --speed out, or write a .gif")
    from particlemech.view import page

    result = simulated(mechanism, chosen)
    marked = {"arrows": chosen.arrows} if chosen.arrows else {}
    page.save(result, target, traces=chosen.trace, exaggerate=chosen.exaggerate, **marked)
    return shown(result, target)


def shown(result: Any, target: Path | None) -> int:
    """Return the exit code after a picture of a result was made."""
    if target is not None:
        print(f"written to {target}")
    if result.status.value == "completed":
        return OK
    if result.status.value == "interrupted":
        return say(f"interrupted; {len(result.t)} samples kept", INTERRUPTED)
    return say(f"the run ended early: {result.message}", FAILED)


def _view(chosen: argparse.Namespace) -> int:
    from particlemech.result import export

    mechanism = loaded(chosen)
    if chosen.still:
        _check_still(chosen)
    target = export.checked(chosen.output, (PAGE,)) if chosen.output else _page_aside(mechanism.name)
    from particlemech.view import page

    seen, said = (mechanism, {}) if chosen.still else _witnessed(mechanism, chosen)
    drawn = {"traces": chosen.trace, "exaggerate": chosen.exaggerate, "units": words(chosen.units) or ()}
    page.save(seen, target, charts=chosen.quantities or None, witnesses=said, **drawn)
    print(f"written to {target}")
    if not chosen.output:
        import webbrowser

        if not webbrowser.open(target.as_uri()):
            return say(f"no browser was found; open {target} in one", FAILED)
    return OK if chosen.still else shown(seen, None)


def _check_still(chosen: argparse.Namespace) -> None:
    """Raise where a run is described though none was asked for."""
    for option in ("duration", "samples", "rtol", "formulation", "integrator", "validate"):
        if getattr(chosen, option):
            raise ModelError(f"--still shows the mechanism as drawn, without a run; leave out --{option} or --still")


def _witnessed(mechanism: Any, chosen: argparse.Namespace) -> tuple[Any, dict[str, str]]:
    """Return the result of a run and, if a second one is wanted, how far they agree."""
    if not chosen.validate:
        return simulated(mechanism, chosen), {}
    if chosen.formulation or chosen.integrator:
        raise ModelError("--validate chooses both ways to run itself; leave --formulation and --integrator out")
    from particlemech.analyses import validation

    announce_compilation()
    found = validation.validated(mechanism, duration=chosen.duration, samples=chosen.samples, rtol=chosen.rtol)
    worst = max((d.relative for d in found.differences), default=0.0)
    return found.first, {"second opinion": f"{found.verdict}; {worst:.1e} of each range, {found.between}"}


def _page_aside(name: str) -> Path:
    """Return where a page is put that was only asked to be seen; browsers read it after this program has ended."""
    import tempfile

    plain = "".join(letter if letter.isalnum() else "_" for letter in name)[:60] or "mechanism"
    return Path(tempfile.mkdtemp(prefix="particlemech-")) / f"{plain}{PAGE}"
