"""Which options of a run apply to which kind of mechanism: one that does not apply is refused, never ignored.

`duration`, `samples`, `rtol`, `max_steps`, `events`, `start`, `progress` and `throw` apply to all. The others:

    option           plane                                  space               tree, flexible
    formulation      "planar" or "absolute"                 refused             refused
    cut              by IDA, of formulation "planar"        applies             refused: there is no loop
    linear_solver    by IDA                                 refused             refused
    integrator       all; of "absolute" not "explicit"      not yet "explicit"  all
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlemech.description import KINDS
from particlemech.errors import ModelError, suggestion

FORMULATIONS = ("planar", "absolute")  # of mechanisms in the plane
SOLVERS = ("auto", "dense", "sparse")  # of the linear equations in IDA's steps
WITHOUT_LOOPS = ("tree", "flexible")


def check_options(
    kind: str, given: Mapping[str, Any], integrator: str, formulation: str | None, linear_solver: str = "auto"
) -> None:
    """Raise where an option was given that this kind of mechanism, or this way to run it, does not use.

    Parameters
    ----------
    kind
        Of the mechanism: "planar", "tree", "spatial" or "flexible".
    given
        Keys of [run] that the caller has given; None counts as not given.
    integrator
        "auto", "explicit" or "ida": the one that the run takes.
    formulation
        Of a mechanism in the plane; None is the default of each kind.
    linear_solver
        "auto", "dense" or "sparse".

    Examples
    --------
    >>> check_options("spatial", {"cut": ("A",)}, "ida", None)
    >>> check_options("tree", {"cut": ("A",)}, "ida", None)
    Traceback (most recent call last):
    particlemech.errors.ModelError: cut: a tree has no loop to cut; leave cut out
    """
    check_formulation(kind, formulation)
    if formulation == "absolute" and integrator == "explicit":
        raise ModelError('integrator "explicit" belongs to formulation "planar", not "absolute"; use "auto" or "ida"')
    if given.get("cut"):
        _check_cut(kind, integrator, formulation)
    if linear_solver not in SOLVERS:
        raise ModelError(f"linear_solver must be auto, dense or sparse, got {linear_solver!r}")
    if linear_solver != "auto" and kind != "planar":
        raise ModelError(
            f'linear_solver "{linear_solver}" is for mechanisms in the plane; {KINDS[kind]} has one way to solve its '
            "equations; leave linear_solver out"
        )
    if linear_solver != "auto" and integrator == "explicit":
        raise ModelError(
            f'linear_solver "{linear_solver}" is for IDA, and integrator "explicit" solves no such equations; leave '
            'linear_solver out, or use integrator "auto" or "ida"'
        )


def check_formulation(kind: str, formulation: str | None) -> None:
    """Raise where a kind of mechanism has no such formulation; None is the default of each kind."""
    if formulation is None or formulation == kind:
        return
    if kind != "planar":
        raise ModelError(
            f'formulation "{formulation}" is for mechanisms in the plane; this is of kind "{kind}", which has one '
            "only; leave formulation out"
        )
    if formulation not in FORMULATIONS:
        raise ModelError(f'formulation "{formulation}" unknown{suggestion(formulation, FORMULATIONS)}')


def _check_cut(kind: str, integrator: str, formulation: str | None) -> None:
    """Raise where joints are to be cut that nobody cuts."""
    if kind in WITHOUT_LOOPS:
        raise ModelError(f"cut: {KINDS[kind]} has no loop to cut; leave cut out")
    if kind == "planar" and formulation == "absolute":
        raise ModelError(
            'cut: formulation "absolute" writes equations for every joint and cuts none; leave cut out, or use '
            'formulation "planar"'
        )
    if kind == "planar" and integrator == "explicit":
        raise ModelError(
            'cut: integrator "explicit" shares the pins of loops and cuts none; leave cut out, or use integrator '
            '"auto" or "ida"'
        )
