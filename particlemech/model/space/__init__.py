"""The parts of mechanisms in space, in the words of the plane: as `pm.Mechanism`, `pm.Body`, `pm.joints` are there.

>>> from particlemech import space
>>> rod = space.Body(points=("A", "B"), mass=2.0)
>>> pin = space.joints.Revolute(bodies=("ground", "rod"), point="A", axis=(0.0, 0.0, 1.0))
>>> places = {"A": (0.0, 0.0, 0.0), "B": (1.0, 0.0, 0.0)}
>>> space.Mechanism(points=places, bodies={"rod": rod}, joints={"A": pin}).engine
'recursive'
"""

from particlemech.model.space import drivers, forces, joints, sections
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Bending, Body, Impulse, Initial, Lump, Mode

__all__ = [
    "Bending",
    "Body",
    "Impulse",
    "Initial",
    "Lump",
    "Mechanism",
    "Mode",
    "drivers",
    "forces",
    "joints",
    "sections",
]
