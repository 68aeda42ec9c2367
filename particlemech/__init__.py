"""particlemech: dynamics of linkages, from a drawing to a certified motion."""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech import synthesis
    from particlemech.analyses.interface import assemblies, cycle, impulse, inverse, jacobian, reach, toggles, workspace
    from particlemech.analyses.profiles import profile
    from particlemech.analyses.verbs import check, explain, save, validate
    from particlemech.analyses.verbs_of_design import optimise, pareto, root_locus, sensitivities
    from particlemech.analyses.verbs_of_vibration import equilibrium, linearised, modes, response
    from particlemech.batch.many import simulate_many
    from particlemech.batch.sweeps import sweep
    from particlemech.errors import ModelError, SimulationError
    from particlemech.model import drivers, forces, joints, models, signals, space
    from particlemech.model.actions import Action
    from particlemech.model.impulses import Impulse
    from particlemech.model.mechanism import Body, Initial, Mechanism
    from particlemech.model.readers.urdf import from_urdf, read_urdf
    from particlemech.model.toml import load
    from particlemech.result.base import Result
    from particlemech.run.events import Event
    from particlemech.run.simulate import simulate
    from particlemech.run.trajectory import Status

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Body",
    "Event",
    "Impulse",
    "Initial",
    "Mechanism",
    "ModelError",
    "Result",
    "SimulationError",
    "Status",
    "assemblies",
    "check",
    "cycle",
    "drivers",
    "equilibrium",
    "explain",
    "forces",
    "from_urdf",
    "impulse",
    "inverse",
    "jacobian",
    "joints",
    "linearised",
    "load",
    "models",
    "modes",
    "optimise",
    "pareto",
    "profile",
    "reach",
    "read_result",
    "read_urdf",
    "response",
    "root_locus",
    "save",
    "sensitivities",
    "signals",
    "simulate",
    "simulate_many",
    "space",
    "sweep",
    "synthesis",
    "toggles",
    "validate",
    "workspace",
]

# where each name lives: it is imported when first asked for, so that a script pays only for what it uses
_HOMES = {
    **dict.fromkeys(("drivers", "forces", "joints", "models", "signals", "space"), "model"),
    **dict.fromkeys(("ModelError", "SimulationError"), "errors"),
    "Action": "model.actions",
    "Event": "run.events",
    "Impulse": "model.impulses",
    "Status": "run.trajectory",
    **dict.fromkeys(("Body", "Initial", "Mechanism"), "model.mechanism"),
    "Result": "result.base",
    "simulate": "run.simulate",
    "simulate_many": "batch.many",
    "sweep": "batch.sweeps",
    "load": "model.toml",
    "read_result": "result.saved",
    "profile": "analyses.profiles",
    **dict.fromkeys(("from_urdf", "read_urdf"), "model.readers.urdf"),
    **dict.fromkeys(("check", "explain", "save", "validate"), "analyses.verbs"),
    **dict.fromkeys(
        ("assemblies", "cycle", "impulse", "inverse", "jacobian", "reach", "toggles", "workspace"), "analyses.interface"
    ),
    **dict.fromkeys(("optimise", "pareto", "root_locus", "sensitivities"), "analyses.verbs_of_design"),
    **dict.fromkeys(("equilibrium", "linearised", "modes", "response"), "analyses.verbs_of_vibration"),
}

# packages of before plane and space had one language
_GONE = dict.fromkeys(
    ("tree", "spatial", "flexible"), "parts of space are in particlemech.space, verbs in particlemech"
)

__getattr__, _ = members(__name__, __all__, _HOMES, _GONE)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
