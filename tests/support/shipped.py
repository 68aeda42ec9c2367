"""Which shipped models a law can be asked of."""

from particlemech.model import models


def rubs(mechanism):
    """Whether joints have friction that depends on their load."""
    frictions = (getattr(joint, "friction", None) for joint in mechanism.joints.values())
    return any(friction is not None and friction.dry for friction in frictions)


# verbs that are about inertia, springs and weights alone refuse the others by name: tests/run/test_friction.py
SMOOTH = [name for name in models.names() if not rubs(models.load(name))]
