"""The method of equivalent particles [A00] on a mechanism in the plane at one instant: on a page, and drawn.

    >>> import particlemech as pm
    >>> from particlemech.analyses.explain import plane as explanation
    >>> found = explanation.explained(pm.models.load("four_bar"))
    >>> found.agreed
    True

`found.lines` is the page, `found.breakdown` has its numbers, and `explanation.figure(found)` draws it. Trees and closed
mechanisms in space have pages of their own, `pm.explain` finds them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.explain.plane.breakdown import Breakdown, broken_down
from particlemech.analyses.explain.plane.figure import figure
from particlemech.analyses.explain.plane.opinion import AGREED, Opinion, second_opinion
from particlemech.analyses.explain.plane.page import page
from particlemech.engine.particles.equations import ParticleSystem
from particlemech.engine.particles.equations import system as particle_system
from particlemech.engine.particles.instant import ParticleInstant
from particlemech.errors import ModelError, SimulationError
from particlemech.model.description import Description
from particlemech.model.mechanism import Mechanism
from particlemech.model.spec import shown
from particlemech.run.phases import Moment
from particlemech.run.preparing import prepared
from particlemech.run.simulate import simulate
from particlemech.run.trajectory import Status

__all__ = ["Breakdown", "Explanation", "Opinion", "explainable", "explained", "figure"]

LARGEST = 200  # bodies


class Explanation(NamedTuple):
    """A page of text, its numbers, and whether they hold."""

    lines: tuple[str, ...]
    agreed: bool  # the chains are balanced, and absolute coordinates find the same accelerations
    breakdown: Breakdown
    opinion: Opinion


def explainable(mechanism: Description) -> Mechanism:
    """Return a mechanism in the plane that can be explained, or say why this one cannot."""
    if not isinstance(mechanism, Mechanism):
        what = f'"{mechanism.name}" is of kind "{mechanism.kind}"' if isinstance(mechanism, Description) else None
        raise ModelError(
            f'{what or f"got {shown(mechanism)}"}; this page is for kind "planar", mechanisms in the plane; see '
            "pm.explain for those in space"
        )
    if len(mechanism.bodies) > LARGEST:
        raise ModelError(
            f'"{mechanism.name}" has {len(mechanism.bodies)} bodies; explain is for at most {LARGEST}, as it '
            "solves all equations at once; take a shorter one"
        )
    return mechanism


def explained(mechanism: Description, at: float | Moment = 0.0) -> Explanation:
    """Return a page about a mechanism in the plane at one instant, with all its numbers.

    Parameters
    ----------
    mechanism
        In the plane, of at most 200 bodies.
    at
        A time from 0 on, s: the mechanism is simulated up to there; or an instant of a result, `result.at(t)`.

    Returns
    -------
    Explanation
        Lines of text, whether both formulations agree, and the numbers.

    Raises
    ------
    ModelError
        If this is no such mechanism, or no such instant.
    SimulationError
        If the mechanism does not reach the time.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = explained(pm.models.load("pendulum"))
    >>> found.lines[1]
    '1 body, 1 joint, 0 drivers; 1 chain, 0 cuts; units SI; t = 0 s'
    """
    made = explainable(mechanism)
    moment = at if isinstance(at, Moment) else _reached(made, at)
    system, begin = prepared(made)
    if not isinstance(system, ParticleSystem):
        raise AssertionError  # what is prepared is of particles unless told otherwise
    found = broken_down(system, 0.0, begin.q, begin.v, begin.x) if moment is None else _at_moment(system, moment)
    opinion = second_opinion(found)
    agreed = opinion.agreed and found.unbalanced <= AGREED
    return Explanation(tuple(page(found, opinion)), agreed, found, opinion)


def _reached(mechanism: Mechanism, at: Any) -> Moment | None:
    """Return the instant after a run of some time; None for the start."""
    if isinstance(at, bool) or not isinstance(at, int | float | np.number) or not 0.0 <= at < math.inf:
        raise ModelError(f"at: must be a time from 0 on, s, or an instant such as result.at(0.5), got {shown(at)}")
    if at == 0.0:
        return None
    result = simulate(mechanism, duration=float(at), samples=2, integrator="auto", throw=False)
    if result.status is not Status.COMPLETED:
        raise SimulationError(f"t = {at:g} s is not reached: {result.message}", result)
    return result.at()


def _at_moment(begun: ParticleSystem, moment: Moment) -> Breakdown:
    """Return the numbers at an instant of a run; its state is first moved onto the rows, as samples of results are.

    They are of what the run had then made of the mechanism: of what is locked, rests, touches or is taken out.
    """
    if not isinstance(moment.system, ParticleInstant):
        raise ModelError(
            f'at: this instant is of formulation "{getattr(moment.system, "formulation", "?")}"; explain needs one of '
            'formulation "particles", the default of simulate'
        )
    whole: Any = moment.system  # systems are ParticleInstants with all members of system.Instant
    begun.adopted(whole, moment.y)  # or say that it is of other bodies
    now = whole.mechanism.slipping(moment.mode.slips)
    system = particle_system(now, now.run.cut).retimed(begun.scale.time, begun.home)
    y, lay = system.adopted(whole, moment.y), system.layout
    q, v = system.projected_of(np.array([moment.t]), y[None, lay.q], y[None, lay.v], y[None, lay.x])
    return broken_down(system, moment.t, q[0], v[0], y[lay.x])
