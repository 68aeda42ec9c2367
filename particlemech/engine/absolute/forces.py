"""Forces: laws of measures, f = s(t) - stiffness (measure - offset) - damping rate.

One function per kind gives its laws; LAWS lists them. What is called, Python functions and what owns states, has none:
see custom.py. Gravity is a field of the mechanism and enters with the masses.
"""

from __future__ import annotations

from typing import Any

from particlemech.engine.absolute.measures import ANGLE, AXES, AXIS, FOLLOW, SPAN, Measure, acting
from particlemech.model import forces
from particlemech.model.acting import OnLine
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism

FRAMES = {"global": AXIS, "body": FOLLOW}


def load(spec: forces.Load, mechanism: Mechanism) -> list[Measure]:
    """Return one law for each component of a force on a place of a body.

        F = s_x(t) e_x + s_y(t) e_y      e fixed in the plane, or turning with the body              (1)

    In the plane each component is an effort along the measure e.Q; with the body it has the same wrench but no such
    function.
    """
    Q = mechanism.place(spec.point, spec.body)
    kind = FRAMES[spec.frame]
    return [Measure(kind, GROUND, spec.body, Q=Q, e=e, signal=s) for e, s in zip(AXES, spec.force, strict=True)]  # (1)


def torque(spec: forces.Torque, mechanism: Mechanism) -> list[Measure]:
    """Return the law of a couple s(t) on body 2, reacted by body 1."""
    first, second = spec.bodies
    return [Measure(ANGLE, first, second, signal=spec.torque)]


def along_line(spec: OnLine, mechanism: Mechanism) -> list[Measure]:
    """Return the law of what acts along the line between two places.

        f = s(t) - stiffness (l - free) - damping l'      on body 2, along d/l, l = |d|, d = Q - P        (1)

    At l = 0 the direction is rounded off (measures.py): the force vanishes there, and its derivatives exist.
    """
    (first, P), (second, Q) = spec.ends(mechanism)
    k, c, free, push = spec.line(mechanism)
    return [Measure(SPAN, first, second, P, Q, offset=free, signal=push, stiffness=k, damping=c)]  # (1)


def on_coordinate(spec: Any, mechanism: Mechanism) -> list[Measure]:
    """Return the law of a motor, or of a torsion spring and damper; that of a motor of direct current is both.

        f = s(t)                                                              effort on body 2       (1)
        f = -stiffness (theta2 - theta1 - angle) - damping (theta2' - theta1')     couple on body 2   (2)

    Angles are coordinates here, so full turns count by themselves.
    """
    return [acting(spec, mechanism)]  # (1), (2)


def called(spec: Any, mechanism: Mechanism) -> list[Measure]:
    """Return no law: it is asked in each state."""
    return []


LAWS: dict[type, Any] = {
    forces.Load: load,
    forces.Torque: torque,
    **dict.fromkeys((forces.Spring, forces.Cylinder), along_line),
    forces.Torsion: on_coordinate,
    forces.Motor: on_coordinate,
    forces.DcMotor: on_coordinate,
    **dict.fromkeys((forces.CurveMotor, forces.Pid, forces.Custom), called),
}
