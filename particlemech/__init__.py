"""particlemech: dynamics of linkages, from a drawing to a certified motion."""

from particlemech import drivers, forces, joints, models, signals
from particlemech.errors import ModelError, SimulationError
from particlemech.integrate import Event, Status
from particlemech.mechanism import Body, Initial, Mechanism
from particlemech.result import Result
from particlemech.simulate import simulate
from particlemech.toml import load

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Event",
    "Initial",
    "Mechanism",
    "ModelError",
    "Result",
    "SimulationError",
    "Status",
    "drivers",
    "forces",
    "joints",
    "load",
    "models",
    "signals",
    "simulate",
]
