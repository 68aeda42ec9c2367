"""Which options of a run apply to which engine: one that does not apply is refused, never ignored.

`duration`, `samples`, `rtol`, `max_steps`, `events`, `start`, `progress` and `throw` apply to all. The others:

    option           plane                            space
    formulation      "particles" or "absolute"        "recursive" or "natural"
    cut              by IDA, not in "absolute"        where there are loops
    linear_solver    by IDA                           refused
    integrator       all; "absolute" not "explicit"   all; "natural" not "explicit"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.model import old_words
from particlemech.model.description import ENGINES

FORMULATIONS = {  # engine -> the formulations that take its mechanisms, its own first
    "particles": ("particles", "absolute"),
    "recursive": ("recursive", "natural"),
}
KNOWN = tuple(dict.fromkeys(name for names in FORMULATIONS.values() for name in names))  # of all engines
SOLVERS = ("auto", "dense", "sparse")  # of the linear equations in IDA's steps


def check_options(
    engine: str,
    given: Mapping[str, Any],
    integrator: str,
    formulation: str | None,
    linear_solver: str = "auto",
    loops: bool = True,
) -> None:
    """Raise where an option was given that this kind of mechanism, or this way to run it, does not use.

    Parameters
    ----------
    engine
        What runs the mechanism: "particles" or "recursive".
    given
        Keys of [run] that the caller has given; None counts as not given.
    integrator
        "auto", "explicit" or "ida": the one that the run takes.
    formulation
        None is the default of each engine.
    linear_solver
        "auto", "dense" or "sparse".
    loops
        Whether the mechanism has any.

    Examples
    --------
    >>> check_options("recursive", {"cut": ("A",)}, "ida", None)
    >>> check_options("recursive", {"cut": ("A",)}, "ida", None, loops=False)
    Traceback (most recent call last):
    particlemech.errors.ModelError: cut: a mechanism in space without loops has none to cut; leave cut out
    """
    check_formulation(engine, formulation)
    if formulation == "natural" and integrator == "explicit":
        raise ModelError('integrator "explicit" belongs to formulation "recursive", not "natural"; use "auto" or "ida"')
    if formulation == "absolute" and integrator == "explicit":
        raise ModelError(
            'integrator "explicit" belongs to formulation "particles", not "absolute"; use "auto" or "ida"'
        )
    if given.get("cut"):
        _check_cut(engine, integrator, formulation, loops)
    if linear_solver not in SOLVERS:
        raise ModelError(f"linear_solver must be auto, dense or sparse, got {linear_solver!r}")
    if linear_solver != "auto" and engine != "particles":
        raise ModelError(
            f'linear_solver "{linear_solver}" is for mechanisms in the plane; {ENGINES[engine]} has one way to '
            "solve its equations; leave linear_solver out"
        )
    if linear_solver != "auto" and integrator == "explicit":
        raise ModelError(
            f'linear_solver "{linear_solver}" is for IDA, and integrator "explicit" solves no such equations; leave '
            'linear_solver out, or use integrator "auto" or "ida"'
        )


def check_formulation(engine: str, formulation: str | None) -> None:
    """Raise where an engine's mechanisms have no such formulation; None is the default of each."""
    known = FORMULATIONS[engine]
    if formulation is None or formulation in known:
        return
    if any(formulation in others for others in FORMULATIONS.values()):
        only = f"use {known[0]!r} or leave formulation out" if len(known) == 1 else f"it has: {', '.join(known)}"
        raise ModelError(f'formulation "{formulation}" does not apply to {ENGINES[engine]}; {only}')
    old = old_words.renamed(old_words.FORMULATIONS, "formulation", formulation, known)
    raise ModelError(old or f'formulation "{formulation}" unknown{suggestion(formulation, known)}')


def _check_cut(engine: str, integrator: str, formulation: str | None, loops: bool) -> None:
    """Raise where joints are to be cut that nobody cuts."""
    if not loops:
        raise ModelError(f"cut: {ENGINES[engine]} without loops has none to cut; leave cut out")
    if engine == "particles" and formulation == "absolute":
        raise ModelError(
            'cut: formulation "absolute" writes equations for every joint and cuts none; leave cut out, or use '
            'formulation "particles"'
        )
    if engine == "particles" and integrator == "explicit":
        raise ModelError(
            'cut: integrator "explicit" shares the pins of loops and cuts none; leave cut out, or use integrator '
            '"auto" or "ida"'
        )
