"""The commands that ask where a mechanism can be: cycle, toggles, assemblies, workspace, jacobian, inverse, profile.

Heavy imports are inside the commands, after the model is read, so that help and bad input answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from particlemech.cli.terminal import (
    FAILED,
    OK,
    Progress,
    announce_compilation,
    numbers,
    positive,
    read,
    samples,
    say,
    words,
)
from particlemech.cli.topics import print_table
from particlemech.cli.view import FIGURES, PAGE
from particlemech.errors import ModelError, SimulationError, printable

Parser = argparse.ArgumentParser
Command = Callable[[str, Callable[[argparse.Namespace], int], str], Parser]
TABLES = (".csv", ".npz", ".json")
TABLE, SHOWN = "a table: .csv, .npz or .json", ".html is a page, .png, .svg or .pdf a picture"


def add(command: Command, with_model: Any) -> None:
    """Add the commands and their words to a parser."""
    cycle = command("cycle", _cycle, "follow a driven model without integration, over time or the range of a driver")
    with_model(cycle)
    cycle.add_argument("quantities", metavar="QUANTITY", nargs="*", help="what a page or a picture shows, as of plot")
    cycle.add_argument("--driver", metavar="NAME", help="a driver, or a joint that is driven; default: all, over time")
    cycle.add_argument("--range", metavar="FIRST,LAST", help="of the driver, rad or length; default: all it can reach")
    cycle.add_argument("--duration", type=positive, metavar="SECONDS", help="of a cycle over time")
    cycle.add_argument("--samples", type=samples, metavar="N", help="number of poses")
    cycle.add_argument("--through", action="store_true", help="go on through change points on the same branch")
    cycle.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; {SHOWN}")

    toggles = command("toggles", _toggles, "find where a driven model locks, branches, or has dead points")
    with_model(toggles)
    toggles.add_argument("--driver", metavar="NAME", help="a driver, or a joint that is driven; default: the only one")
    toggles.add_argument("-o", "--output", metavar="FILE", help=f"show the poses: {SHOWN}")

    ways = command("assemblies", _assemblies, "find the ways in which a model fits together")
    with_model(ways)
    ways.add_argument("--driver", metavar="NAME", help="a driver, or a joint that is driven, for --at")
    ways.add_argument("--at", type=float, metavar="VALUE", help="of the driver, rad or length; default: the start")
    ways.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; {SHOWN}")

    space = command("workspace", _workspace, "map where a point can be while one or two drivers range")
    with_model(space)
    space.add_argument("point", metavar="POINT", help="the point, by name")
    space.add_argument("--drivers", metavar="NAMES", help="drivers or joints that range, with commas between")
    space.add_argument("--samples", type=samples, metavar="N", help="values of each driver")
    space.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; .png, .svg or .pdf is a picture")

    jacobian = command("jacobian", _jacobian, "print how fast points and bodies move per unit rate of drivers")
    with_model(jacobian)
    jacobian.add_argument("of", metavar="QUANTITY", nargs="+", help="a point P, or P.x, platform.angle, A.angle")
    jacobian.add_argument("--drivers", metavar="NAMES", help="drivers or joints, with commas between; default: drivers")

    inverse = command("inverse", _inverse, "find the efforts that make a given motion")
    with_model(inverse)
    inverse.add_argument("motion", metavar="MOTION", help="a .csv with columns t and, say, P.x; or what run -o wrote")
    inverse.add_argument("--actuators", metavar="NAMES", help="joints or drivers that make it, with commas between")
    inverse.add_argument("-o", "--output", metavar="FILE", help=f"write {TABLE}; .png, .svg or .pdf is a picture")

    profile = command("profile", _profile, "print what the profile of a cam is like, and write it to be made")
    with_model(profile)
    profile.add_argument("--cam", metavar="NAME", help="the joint; default: the only cam")
    profile.add_argument("--samples", type=samples, metavar="N", default=720, help="places round the cam")
    profile.add_argument(
        "-o", "--output", metavar="FILE", help="write a drawing, .dxf, or a table: .csv, .npz or .json"
    )


# -- what the commands share -------------------------------------------------------------------------------------------


def targeted(chosen: argparse.Namespace, *suffixes: str) -> Path | None:
    """Return the file to be written, after a check that it can be."""
    from particlemech.result import export

    return export.checked(chosen.output, suffixes) if chosen.output else None


def told(found: Any) -> None:
    """Print what was found, line by line."""
    for line in str(found).splitlines():
        print(printable(line))


def written(target: Path | None, columns: Callable[[], Mapping[str, Any]], record: Any, page: Any, figure: Any) -> None:
    """Write a table, a page or a picture, as the suffix asks, and say so; each is made only if it is asked for."""
    from particlemech.result import export

    if target is None:
        return
    suffix = target.suffix.lower()
    if suffix == PAGE:
        from particlemech.view import page as pages

        seen, options = page()
        pages.save(seen, target, **options)
    elif suffix in FIGURES:
        from particlemech.view import plot

        plot.display(figure(), target)
    else:
        export.write(columns(), record(), target)
    print(printable(f"written to {target}"))


def of_result(result: Any) -> tuple[Any, Any]:
    """Return what makes the columns and the record of a result."""
    columns = result.columns()
    return lambda: columns, lambda: {**result.record, "units": result.units(columns)}


# -- commands ----------------------------------------------------------------------------------------------------------


def _cycle(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, PAGE, *FIGURES)
    bounds = numbers(chosen.range)
    if bounds is not None and not (isinstance(bounds, tuple) and len(bounds) == 2):
        raise ModelError(f'--range takes two numbers, as in 0,6.28, got "{chosen.range}"')
    if chosen.quantities and (target is None or target.suffix.lower() in TABLES):
        raise ModelError(
            "quantities are what a page or a picture shows; say -o with an .html or .png, or leave them out"
        )
    if chosen.duration:
        if chosen.driver or bounds:
            raise ModelError("--duration is that of a cycle over time; leave it out, or --driver and --range")
        mechanism = mechanism.replaced(run={"duration": chosen.duration})
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
    from particlemech.view.axis import axis_of

    axis = axis_of(found)
    span = f"{len(found.t)}, {axis.said(found.t[0], 6)} to {axis.said(found.t[-1], 6)}"
    left = [("shown without", found.stats["open"])] if "open" in found.stats else []
    print_table([("cycle of", mechanism.name), ("poses", span), *left, *travelled(found)])
    written(
        target,
        *of_result(found),
        lambda: (found, {"charts": chosen.quantities or None}),
        lambda: _drawn(found, chosen.quantities),
    )
    return say(f"the cycle ends early: {failed}", FAILED) if failed else OK


def _drawn(result: Any, quantities: list[str]) -> Any:
    from particlemech.view import plot

    return plot.chosen(result, quantities)


def _toggles(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, PAGE, *FIGURES)
    from particlemech.analyses.interface import toggles

    announce_compilation()
    found = toggles(mechanism, chosen.driver)
    told(found)
    if target is not None and not found.poses:
        print("nothing to show: it goes round without a toggle, a change point or a dead point")
        return OK
    return _posed(found, target)


def _posed(found: Any, target: Path | None, columns: Any = None, record: Any = None) -> int:
    from particlemech import view

    written(target, columns, record, lambda: (found, {}), lambda: view.poses(found))
    return OK


def _assemblies(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, PAGE, *FIGURES)
    from particlemech.analyses.interface import assemblies

    announce_compilation()
    found = assemblies(mechanism, at=chosen.at, driver=chosen.driver)
    told(found)

    def columns() -> Mapping[str, Any]:
        import numpy as np

        every = [way.columns() for way in found]
        return {name: np.concatenate([of[name] for of in every]) for name in every[0]}

    return _posed(found, target, columns, lambda: {"units": found[0].units()})


def _workspace(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, *FIGURES)
    from particlemech.analyses.interface import workspace

    announce_compilation()
    with Progress(1.0, "workspace") as progress:
        found = workspace(mechanism, chosen.point, words(chosen.drivers), samples=chosen.samples, progress=progress)
    told(found)

    def columns() -> Mapping[str, Any]:
        import numpy as np

        grid = np.meshgrid(*found.values, indexing="ij")
        place = found.place.reshape(-1, found.place.shape[-1])
        named = {name: of.ravel() for name, of in zip(found.drivers, grid, strict=True)}
        named |= {f"{found.point}.{axis}": of for axis, of in zip("xyz", place.T, strict=False)}
        return named | {"manipulability": found.manipulability.ravel()}

    def figure() -> Any:
        from particlemech import view

        return view.workspace(found)

    written(target, columns, dict, None, figure)
    return OK


def _profile(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, ".dxf", *TABLES)
    from particlemech.analyses.profiles import profile

    found = profile(mechanism, chosen.cam, chosen.samples)
    told(found)
    if target is not None:
        print(printable(f"written to {found.write(target)}"))
    return OK


def _jacobian(chosen: argparse.Namespace) -> int:
    mechanism = read(chosen)
    from particlemech.analyses.interface import jacobian

    announce_compilation()
    found = jacobian(mechanism, chosen.of, words(chosen.drivers))
    told(found)
    print_table([("manipulability", f"{found.manipulability:.6g}"), ("dexterity", f"{found.dexterity:.6g}")])
    return OK


def _inverse(chosen: argparse.Namespace) -> int:
    mechanism, target = read(chosen), targeted(chosen, *TABLES, *FIGURES)
    from particlemech.analyses.interface import inverse
    from particlemech.analyses.inverse_dynamics import read_motion

    t, motion = read_motion(chosen.motion)
    announce_compilation()
    found = inverse(mechanism, motion, t=t, actuators=words(chosen.actuators))
    told(found)

    def columns() -> Mapping[str, Any]:
        return {"t": found.t, **{f"{name}.effort": values for name, values in found.efforts.items()}}

    def figure() -> Any:
        from particlemech.view import charts

        return charts.efforts(mechanism.name, found.t, found.efforts, found.units)

    written(target, columns, lambda: {"units": ["s", *found.units.values()]}, None, figure)
    return OK
