"""What can be asked of a mechanism, whatever its family: one table of who offers it.

    verb(mechanism, ...)  --OFFERED-->  the function of the mechanism's family  -->  its answer

Nothing of a family is imported before one of its mechanisms asks. Every verb is for every family; an option that its
function does not take is refused in one line. To add a verb, write its function, enter it in OFFERED, and its signature
and docstring into `verbs`, `interface`, `verbs_of_vibration` or `verbs_of_design`.

>>> import particlemech as pm
>>> pm.explain(pm.models.load("four_bar"), method="kane")
Traceback (most recent call last):
particlemech.errors.ModelError: explain: option "method" does not apply to a mechanism in the plane; leave it out
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from particlemech.errors import ModelError, SimulationError, part
from particlemech.model.description import ENGINES, Description
from particlemech.model.spec import Form, number, positive, shown

# verb -> kind of mechanism -> "module:function"
OFFERED: dict[str, dict[str, str]] = {
    "simulate": dict.fromkeys(ENGINES, "run.simulate:simulate"),
    "save": dict.fromkeys(ENGINES, "analyses.verbs:save"),
    "check": dict.fromkeys(ENGINES, "analyses.report:judged"),
    "validate": dict.fromkeys(ENGINES, "analyses.validation:validated"),
    "explain": {
        "particles": "analyses.offered:explained_in_plane",
        "recursive": "analyses.offered:explained_in_space",
    },
    "inverse": dict.fromkeys(ENGINES, "analyses.inverse_dynamics:inverse"),
    "jacobian": dict.fromkeys(ENGINES, "analyses.jacobians:jacobian"),
    "reach": dict.fromkeys(ENGINES, "analyses.reaching:reach"),
    "workspace": dict.fromkeys(ENGINES, "analyses.workspaces:workspace"),
    "impulse": {
        "particles": "analyses.impulses.plane:impulse",
        "recursive": "analyses.impulses.space:impulse",
    },
    "linearised": dict.fromkeys(ENGINES, "analyses.vibration.linear:linearised"),
    "modes": dict.fromkeys(ENGINES, "analyses.vibration.vibrations:modes"),
    "response": dict.fromkeys(ENGINES, "analyses.vibration.vibrations:response"),
    "equilibrium": dict.fromkeys(ENGINES, "analyses.vibration.equilibria:equilibrium"),
    "cycle": dict.fromkeys(ENGINES, "analyses.kinematics.cycle:cycle"),
    "toggles": dict.fromkeys(ENGINES, "analyses.kinematics.toggles:toggles"),
    "assemblies": dict.fromkeys(ENGINES, "analyses.kinematics.assemblies:assemblies"),
    "sensitivities": dict.fromkeys(ENGINES, "design.sensitivities:sensitivities"),
    "root_locus": dict.fromkeys(ENGINES, "design.locus:root_locus"),
    "optimise": dict.fromkeys(ENGINES, "design.optimising:optimise"),
    "pareto": dict.fromkeys(ENGINES, "design.fronts:pareto"),
}

OF_MOTION = (
    "save",
    "check",
    "cycle",
    "toggles",
    "assemblies",
    "jacobian",
    "reach",
    "workspace",
    "equilibrium",
    "sensitivities",
    "optimise",
    "pareto",
)  # verbs that need no masses, or none where nothing weighs, or ask others that do
OF_RESULTS = ("impulse",)  # verbs that take the result of a run too
NUMBERS: dict[str, Form] = {"t": number, "at": number, "tolerance": positive}  # options that are one finite number
# verbs whose answer friction has no part in, and what to ask instead: it is no function of pose and rates alone
NO_LAW = "dry friction has no linear law at rest; take it out, or keep its viscous part (mu = 0); moving, run it"
FRICTIONLESS = {
    "impulse": "take the friction out",
    "linearised": NO_LAW,
    "modes": NO_LAW,
    "response": NO_LAW,
    "root_locus": NO_LAW,
    "equilibrium": "under dry friction a mechanism rests in a whole range of poses; take it out to find their middle",
}
PRESSING = ("equilibrium", "linearised", "modes", "response", "root_locus")  # verbs that see what is open: it rubs not
MANY = ("inverse",)  # verbs that take several of these


def answered(verb: str, mechanism: Any, *args: Any, **options: Any) -> Any:
    """Return what the family of a mechanism answers; options that are None were not given."""
    kind = kind_of(verb, mechanism)
    if verb not in OF_MOTION and isinstance(mechanism, Description):
        mechanism.check_masses(verb)
    _check_friction(verb, getattr(getattr(mechanism, "system", None), "mechanism", mechanism))
    module, _, name = OFFERED[verb][kind].partition(":")
    function = getattr(import_module(f"particlemech.{module}"), name)
    given = {option: value for option, value in options.items() if value is not None}
    known = inspect.signature(function).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known):
        taken = {parameter.name for parameter in known}
        for option in given:
            if option not in taken:
                raise ModelError(f'{verb}: option "{option}" does not apply to {ENGINES[kind]}; leave it out')
    for option, form in NUMBERS.items():
        if option in given and verb not in MANY:
            with part(f"{verb}: {option}"):
                given[option] = form(given[option])
    return function(mechanism, *args, **given)


def _check_friction(verb: str, mechanism: Any) -> None:
    """Refuse what does not know friction that depends on loads."""
    for name, joint in mechanism.joints.items() if verb in FRICTIONLESS else ():
        friction = getattr(joint, "friction", None)
        if friction is not None and friction.dry and not (verb in PRESSING and joint.sides(mechanism)):
            raise ModelError(f'{verb}: joint "{name}" has friction that depends on its load; {FRICTIONLESS[verb]}')


def kind_of(verb: str, mechanism: Any) -> str:
    """Return the family of a mechanism; of that of a result where the verb takes results too."""
    result = getattr(mechanism, "system", None) if verb in OF_RESULTS else None
    described = getattr(result, "mechanism", mechanism)
    if not isinstance(described, Description):
        raise ModelError(f"{verb} takes a Mechanism, got {shown(mechanism)}; read one with load or models.load")
    return described.engine


def explained_in_plane(mechanism: Description, t: float = 0.0) -> Any:
    """Return the page about a mechanism in the plane at a time, s, with whether both formulations agree."""
    from particlemech.analyses.explain.plane import explained

    return explained(mechanism, t)


def explained_in_space(mechanism: Any, method: str | None = None, t: float = 0.0) -> Any:
    """Return the page about a mechanism in space at a time, s: rigid trees by three methods, loops as vectors."""
    from particlemech.model.space.engines import no_tree

    if no_tree(mechanism) is None and not mechanism.bends:
        return explained_tree(mechanism, method, t)
    from particlemech.analyses.explain.natural import explained

    return explained(mechanism, method, t)


def explained_tree(mechanism: Description, method: str | None = None, t: float = 0.0) -> Any:
    """Return the page about a tree at a time, s, with whether its methods agree; arguments as of `explain`."""
    from particlemech.analyses.explain.recursive import explainable, explained
    from particlemech.run.simulate import simulate

    tree = explainable(mechanism)
    if t < 0.0:
        raise ModelError(f"explain: t must be a time from 0 on, s, got {t:g}")
    if t > 0.0:
        result = simulate(tree, duration=t, samples=2, integrator="auto", throw=False)
        if result.status.value != "completed":
            raise SimulationError(f"t = {t:g} s is not reached: {result.message}", result)
        moment = result.at()
        if moment.mode.held or moment.mode.gone:
            raise ModelError(
                f"explain: at t = {t:g} s {moment.mode.said}, which the three methods do not know; take an instant "
                "before that, and look at the result after it"
            )
        return explained(tree.followed(moment.mode.switched), method, t, moment.y)
    return explained(tree, method, t)
