"""Design: how results change with the numbers of a mechanism, and which numbers are best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from particlemech.analyses.offered import answered
from particlemech.model.description import Description

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from particlemech.design.fronts import Front
    from particlemech.design.locus import RootLocus
    from particlemech.design.optimising import Optimum
    from particlemech.design.sensitivities import Sensitivities


def sensitivities(
    mechanism: Description, quantities: Any, parameters: str | Sequence[str], *, what: str = "run",
    options: Mapping[str, Any] | None = None, order: int | None = None,
) -> Sensitivities:  # fmt: skip
    """Return derivatives of results by numbers of the mechanism: of motions, efforts, reactions, cycles, eigenvalues.

    Parameters
    ----------
    mechanism
        Of any kind.
    quantities
        Figures by name, such as "B.x", "motor.effort.max", "A.coupler.fx[-1]", "transmission.min", or functions of
        the answer; several, or a mapping of names to them. Without a reduction a figure is a curve over all samples.
    parameters
        Names of [parameters], or paths to any number, such as "bodies.crank.mass" or "points.A.x".
    what
        Whose figures they are, where they do not say: "run", "cycle", "modes" or "equilibrium".
    options
        Keywords of its verb: `simulate`, `cycle`, `modes` or `equilibrium`. Runs have rtol = 1e-10, for order 4 1e-11.
    order
        2 takes two variants per parameter and gives seven digits or more, 4 takes four and gives nine or more; both say
        what they may be off by. Default: 2, but 4 where steps of runs cannot be frozen.

    Returns
    -------
    Sensitivities
        `found["motor.effort.max", "crank"]` is a number, or (K,) along a curve; `error(...)` what it may be off by,
        `relative(...)` per parts of both, `values`, `matrix`, and `held`: by parameter, what follows it by
        expressions, and what is held. Printed it is a table, in other units by `told(["mm", "deg"])`.

    Raises
    ------
    ModelError
        If a name is unknown, or the mechanism cannot be changed a little.

    Examples
    --------
    The rocker of a four-bar turns as its crank does; how far it swings grows with the crank:

    >>> import particlemech as pm
    >>> linkage = pm.models.load("four_bar")
    >>> turn = {"driver": "O", "samples": 73}
    >>> found = pm.sensitivities(linkage, "C.angle.range", "crank", what="cycle", options=turn)
    >>> round(found["C.angle.range", "crank"], 4)
    8.9012
    """
    given: dict[str, Any] = {"what": what, "order": order, "options": options}
    found: Sensitivities = answered("sensitivities", mechanism, quantities, parameters, **given)
    return found


def root_locus(
    mechanism: Description,
    parameter: str,
    values: ArrayLike | None = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> RootLocus:
    """Return how the eigenvalues of small motions wander while a number of the mechanism grows; `view.locus` draws it.

    Parameters
    ----------
    mechanism
        Of any kind.
    parameter
        The name of a parameter, or a path such as "forces.damper.damping".
    values
        Of the parameter, growing or falling, (N,); default 41 between its bounds.
    options
        Keywords of `modes`.

    Returns
    -------
    RootLocus
        `eigenvalues`, (N, n), rad/s, each column one of them on its course; `frequency`, Hz, and `damping`; `crossings`
        of the imaginary axis, where stability is won or lost. Printed it is a table.

    Examples
    --------
    A rod of 1 kg and 1 m stands on its pin, held upright by a spring that must be stiffer than m g L/2:

    >>> import particlemech as pm
    >>> upright = pm.models.load("pendulum").replaced(
    ...     points={"P": (0.0, 1.0)},
    ...     forces={"spring": pm.forces.Torsion(bodies=("ground", "rod"), stiffness=8.0, damping=0.3)},
    ... )
    >>> found = pm.root_locus(upright, "forces.spring.stiffness", [2.0, 4.0, 6.0, 8.0])
    >>> round(found.crossings[0].value, 6)
    4.905
    """
    found: RootLocus = answered("root_locus", mechanism, parameter, values=values, options=options)
    return found


def optimise(
    mechanism: Description, parameters: str | Sequence[str] | Mapping[str, Any], *, minimise: Any = None,
    maximise: Any = None, subject_to: Any = (), method: str = "auto", what: str = "run",
    options: Mapping[str, Any] | None = None, starts: int = 1, seed: int = 0,
    tolerance: float = 1e-8, most: int = 2000, progress: Callable[[Any], None] | None = None,
) -> Optimum:  # fmt: skip
    """Return the best variant of a mechanism; `view.history` draws how it was found.

    Parameters
    ----------
    mechanism
        Of any kind: what the search begins with.
    parameters
        What may change: names as of `sensitivities`, with bounds from the file; or a mapping of names to (low, high),
        numbers or texts such as "30 mm".
    minimise, maximise
        The aim, one of both: a figure such as "motor.effort.peak" of a run or an analysis, an expression of parameters,
        or a function of the answer.
    subject_to
        Conditions: texts such as "transmission.min >= 40 deg", "B.x.range = 0.2 m", "crank + ground <= rocker + rod" or
        "grashof" (the crank of a four-bar turns round); or (figure or function, low, high). A figure without a
        reduction must hold at every sample. Plain numbers are in the units of the model, angles in rad.
    method
        "slsqp" or "trust-constr" with derivatives, "cobyla", "nelder-mead", "powell" or "differential-evolution"
        without; "auto" is slsqp, repeated.
    what, options
        As of `sensitivities`. A cycle over `range=(0, 6.2832)` fails where the crank cannot turn or its branch ends.
    starts, seed
        How many searches, the first from the mechanism as it is, others spread between the bounds.
    tolerance
        Of the aim, as a fraction of the first.
    most
        Variants that are looked at, those of derivatives left out.
    progress
        Called with each entry of the history.

    Returns
    -------
    Optimum
        `mechanism`, `parameters`, `value`, `conditions` and what is left of them, `history`; `save(path)` writes the
        best as a model. Variants that cannot be assembled or fail on their way are in the history with the reason;
        the method sees finite numbers for them, worse than all before.

    Examples
    --------
    Which rocker has the best transmission angle at its worst? With the coupler b that of sqrt(b^2 - (d - a)^2):

    >>> import particlemech as pm
    >>> linkage = pm.models.load("four_bar").with_parameters(coupler=0.4)
    >>> rocker, turn = {"rocker": (0.2, 0.5)}, {"driver": "O", "samples": 49}
    >>> found = pm.optimise(linkage, rocker, maximise="transmission.min", what="cycle", options=turn)
    >>> round(found.parameters["rocker"], 4), round((0.4**2 - 0.2**2) ** 0.5, 4)
    (0.3464, 0.3464)
    """
    given: dict[str, Any] = {"minimise": minimise, "maximise": maximise, "subject_to": subject_to, "method": method}
    given |= {"starts": starts, "seed": seed, "tolerance": tolerance, "most": most, "progress": progress}
    found: Optimum = answered("optimise", mechanism, parameters, what=what, options=options, **given)
    return found


def pareto(
    mechanism: Description, parameters: str | Sequence[str] | Mapping[str, Any], *, minimise: Any = (),
    maximise: Any = (), points: int = 11, subject_to: Any = (), method: str = "auto", what: str = "run",
    options: Mapping[str, Any] | None = None,
) -> Front:  # fmt: skip
    """Return the front of two aims: variants of which none is better in one without being worse in the other.

    Parameters
    ----------
    mechanism, parameters, subject_to, method, what, options
        As of `optimise`.
    minimise, maximise
        Two aims together: one figure each, or two of one of them.
    points
        How many variants: the ends, and others with the second aim evenly spaced between.

    Returns
    -------
    Front
        `values`, (N, 2), `parameters` and `mechanisms` of each; `view.front` draws it. Printed it is a table.

    Examples
    --------
    A longer crank lets the rocker swing farther, for a worse angle of transmission:

    >>> import particlemech as pm
    >>> linkage = pm.models.load("four_bar")
    >>> aims = ("C.angle.range", "transmission.min")
    >>> crank, turn = {"crank": (0.05, 0.12)}, {"driver": "O", "samples": 49}
    >>> found = pm.pareto(linkage, crank, maximise=aims, points=3, what="cycle", options=turn)
    >>> len(found), [round(float(x), 3) for x in found.values[0]]
    (3, [1.033, 0.521])
    """
    given: dict[str, Any] = {"minimise": minimise, "maximise": maximise, "points": points, "subject_to": subject_to}
    found: Front = answered("pareto", mechanism, parameters, what=what, options=options, method=method, **given)
    return found
