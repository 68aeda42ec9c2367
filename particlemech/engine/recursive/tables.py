"""The numbers of a tree that kernels read, and the work arrays they write.

Bodies are numbered from 1, parents before children; number 0 is the inertial frame. A *stage* is one scalar motion of
a joint: a translation along or a rotation about an axis that is fixed in the frame which the stages before it have
produced. All axes of a joint pass through its point O on the child, because translations come first. The three stages
of a quaternion share one frame, that of the parent, and their speeds are the components of the relative angular
velocity there.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import Records, read, written
from particlemech.engine.recursive.laws import custom, load, motor, spring, torque, torsion
from particlemech.engine.signal_tables import SEGMENT, SIGNAL
from particlemech.engine.system import Array

TRAVEL, TURN, SPIN = range(3)  # what a stage does: translate, rotate, rotate as one of three within a quaternion

BODY = [
    ("parent", "i4"),
    ("first", "i4"), ("last", "i4"),  # its stages
    ("quaternion", "i4"),  # where its four numbers are in q, or -1
    ("mass", "f8"),
    ("xi", "f8", (3,)),  # from the parent's O to this O in parent axes, all coordinates zero
    ("r", "f8", (3,)),  # from O to the centre of mass G, body axes
    ("inertia", "f8", (6,)),  # about G, body axes: xx, yy, zz, xy, xz, yz
]  # fmt: skip
STAGE = [
    ("body", "i4"),
    ("does", "i4"),
    ("q", "i4"),  # its coordinate in q; -1: driven, or within a quaternion
    ("u", "i4"),  # its speed in v; -1: driven
    ("signal", "i4"),  # that drives it, or -1
    ("axis", "f8", (3,)),
]  # fmt: skip


class Tables(NamedTuple):
    """A tree as numbers."""

    body: Annotated[Records, read(BODY)]  # (n_body + 1,)
    stage: Annotated[Records, read(STAGE)]  # (n_stage,)
    gravity: Annotated[Array, read("f8")]  # (3,)
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]
    loads: Annotated[Records, read(load.TABLE)]
    torques: Annotated[Records, read(torque.TABLE)]
    springs: Annotated[Records, read(spring.TABLE)]
    torsions: Annotated[Records, read(torsion.TABLE)]
    motors: Annotated[Records, read(motor.TABLE)]
    customs: Annotated[Records, read(custom.TABLE)]


class WorkArrays(NamedTuple):
    """What kernels work out at one instant; all vectors in global axes, row 0 of bodies is the inertial frame."""

    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    S: Annotated[Array, written(2)]  # (n_body + 1, 9) shifters SOK, row by row
    O: Annotated[Array, written(2)]  # (n_body + 1, 3) points of the joints
    d: Annotated[Array, written(2)]  # (n_body + 1, 3) from the parent's O to this O
    r: Annotated[Array, written(2)]  # (n_body + 1, 3) from O to G
    omega: Annotated[Array, written(2)]  # (n_body + 1, 3)
    v: Annotated[Array, written(2)]  # (n_body + 1, 3) of O
    c: Annotated[Array, written(2)]  # (n_body + 1, 6) velocity products in the acceleration relative to the parent
    axis: Annotated[Array, written(2)]  # (n_stage, 3)
    axis_dot: Annotated[Array, written(2)]  # (n_stage, 3)
    x: Annotated[Array, written(2)]  # (n_stage, 3) coordinate, speed and its rate
    tau: Annotated[Array, written(2)]  # (n_stage, 2) effort of springs, dampers and motors; then of drivers
    load: Annotated[Array, written(2)]  # (n_body + 1, 6) applied moment about O and force
    inertia: Annotated[Array, written(2)]  # (n_body + 1, 21) articulated: J 6, H 9, M 6
    p: Annotated[Array, written(2)]  # (n_body + 1, 6) moment about O and force that the joint must transmit
    a: Annotated[Array, written(2)]  # (n_body + 1, 6) angular acceleration, acceleration of O minus gravity
    U: Annotated[Array, written(2)]  # (n_stage, 6) articulated inertia times the stage's direction
    D: Annotated[Array, written(2)]  # (n_stage, 2) that along the direction, and the bias along it
    given: Annotated[Array, written(2)]  # (n_custom, 9) what Python functions give, see laws/custom.py


class Paths(NamedTuple):
    """The stages from ground to each body, one path after the other, and what Kane's equations have there."""

    path_at: Annotated[Array, read("i8")]  # (n_body + 2,) where the path of each body starts
    path: Annotated[Array, read("i8")]  # (n_slot,)
    slot: Annotated[Array, written(3)]  # (n_slot, 6, 3), see partials.py
    A: Annotated[Array, written(2)]  # (n_stage, n_stage)
    f: Annotated[Array, written()]  # (n_stage,)
    F: Annotated[Array, written()]  # (n_stage,)


class SampledMotion(NamedTuple):
    """What is kept of the work arrays at K samples."""

    t: Annotated[Array, written()]  # (K,)
    y: Annotated[Array, written(2)]  # (K, n) states
    S: Annotated[Array, written(3)]  # (K, n_body + 1, 9)
    O: Annotated[Array, written(3)]  # (K, n_body + 1, 3)
    omega: Annotated[Array, written(3)]  # (K, n_body + 1, 3)
    v: Annotated[Array, written(3)]  # (K, n_body + 1, 3)
    a: Annotated[Array, written(3)]  # (K, n_body + 1, 6)
    p: Annotated[Array, written(3)]  # (K, n_body + 1, 6)
    x: Annotated[Array, written(3)]  # (K, n_stage, 3)
    tau: Annotated[Array, written(3)]  # (K, n_stage, 2)
    axis: Annotated[Array, written(3)]  # (K, n_stage, 3)
    energy: Annotated[Array, written(2)]  # (K, 2) kinetic, potential
    given: Annotated[Array, written(3)]  # (K, n_custom, 9) what Python functions give
