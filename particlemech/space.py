"""The parts of mechanisms in space, as `pm.Mechanism`, `pm.Body`, `pm.joints`, ... are those of the plane."""

from particlemech.model.spatial import drivers, forces, joints
from particlemech.model.spatial.mechanism import Mechanism
from particlemech.model.spatial.parts import Bending, Body, Impulse, Initial, Lump, Mode

__all__ = ["Bending", "Body", "Impulse", "Initial", "Lump", "Mechanism", "Mode", "drivers", "forces", "joints"]
