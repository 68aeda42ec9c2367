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
from particlemech.engine.recursive.forms import CLOSING, COURSE, FRICTION, PAIR, PASSING, ROW, SOFT
from particlemech.engine.recursive.laws import custom, elastic, governed, load, motor, spring, torque, torsion
from particlemech.engine.signal_tables import SEGMENT, SIGNAL
from particlemech.engine.system import Array

TRAVEL, TURN, SPIN, MODE = range(
    4
)  # what a stage does: translate, rotate, rotate as one of three of a quaternion, bend

BODY = [
    ("parent", "i4"),
    ("first", "i4"), ("last", "i4"),  # its stages
    ("quaternion", "i4"),  # where its four numbers are in q, or -1
    ("mass", "f8"),
    ("xi", "f8", (3,)),  # from the parent's O to this O in parent axes, all coordinates zero
    ("r", "f8", (3,)),  # from O to the centre of mass G, body axes
    ("inertia", "f8", (6,)),  # about G, body axes: xx, yy, zz, xy, xz, yz
    ("rests", "i4"),  # it is a copy of the ground, and its weight is nothing
    ("place", "i4"),  # of a section on its parent, or -1
    ("link", "i4"),  # of a part of a bending body, or -1
    ("mode", "i4"), ("modes", "i4"),  # its first modal stage, and how many; of a section those of its parent
]  # fmt: skip
STAGE = [
    ("body", "i4"),
    ("does", "i4"),
    ("q", "i4"),  # its coordinate in q; -1: driven, or within a quaternion
    ("u", "i4"),  # its speed in v; -1: driven
    ("signal", "i4"),  # that drives it, or -1
    ("axis", "f8", (3,)),
    ("size", "f8"),  # what counts as a unit of it: 1 for an angle, the mechanism's length for a travel
]  # fmt: skip


LINK = [
    ("pairs", "i4"),  # where its modal inertia begins
    ("first", "i4"), ("last", "i4"),  # its stations
    ("stiffens", "i4"),  # S is not zero
    ("along", "f8", (3,)),
    ("mass", "f8"), ("moment", "f8", (3,)), ("inertia", "f8", (9,)),  # the rigid remainder, about O
]  # fmt: skip
PLACE = [
    ("body", "i4"),  # the part that it is on
    ("at", "i4"), ("pairs", "i4"),  # where its shapes and its S begin
    ("x", "f8", (3,)),
    ("mass", "f8"), ("inertia", "f8", (9,)),  # of stations
]  # fmt: skip


class Tables(NamedTuple):
    """A mechanism as numbers."""

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
    elastics: Annotated[Records, read(elastic.TABLE)]
    row: Annotated[Records, read(ROW)]
    soft: Annotated[Records, read(SOFT)]  # of the rows, for IDA
    course: Annotated[Records, read(COURSE)]  # (n_body + 1,)
    passing: Annotated[Records, read(PASSING)]
    closing: Annotated[Records, read(CLOSING)]
    pair: Annotated[Records, read(PAIR)]
    link: Annotated[Records, read(LINK)]
    place: Annotated[Records, read(PLACE)]  # (P,) stations of mass, then sections
    delta: Annotated[Array, read("f8", 2)]  # (n_shape, 3)
    psi: Annotated[Array, read("f8", 2)]  # (n_shape, 3)
    short: Annotated[Array, read("f8")]
    element: Annotated[Records, read(governed.TABLE)]
    numbers: Annotated[Array, read("f8")]  # of the laws of elements
    friction: Annotated[Records, read(FRICTION)]


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
    D: Annotated[Array, written(2)]  # (n_stage, 4) that along it, the bias along it; scratch; effort of rows
    given: Annotated[Array, written(2)]  # (n_custom, 9) what Python functions give, see laws/custom.py
    # rows, see rows.py
    phi: Annotated[Array, written(2)]  # (n_row, 3) value, rate, second rate
    W: Annotated[Array, written(2)]  # (n_row, 12) wrenches of a unit multiplier about O of both frames
    arms: Annotated[Array, written(2)]  # (n_row, 12) from O to P1 and P2, P2 - P1 and its rate
    f: Annotated[Array, written(3)]  # (n_row, 2, 6) wrenches as far inward as they have come; at the end [0] is the sum
    effort: Annotated[Array, written(2)]  # (n_row, n_stage) efforts of unit multipliers on the stages that rows pass
    A: Annotated[Array, written(2)]  # (n_row, n_row) what multipliers do to rows, pairs q <= r; above them scratch
    size: Annotated[Array, written(2)]  # (n_row, 3) diagonal of A had nothing been eliminated; largest share; lever
    gamma: Annotated[Array, written()]  # (n_row,) what a row asks for besides
    lam: Annotated[Array, written()]  # (n_row,) multipliers
    act: Annotated[Array, written(2, "i8")]  # (n_row, 2) scratch: rows that meet where a loop closes, and their sides
    going: Annotated[
        Array, written(2, "i8")
    ]  # (n_passing, 2) rows that pass frames, and their sides: of each the first
    many: Annotated[Array, written(2, "i8")]  # (n_body + 1, 2) so many
    tally: Annotated[
        Array, written()
    ]  # (4,) least pivot of rows; 1 while they are chosen; largest pivot left out; 1: legs wait
    kept: Annotated[Array, written()]  # (n_row + 2,) how many rows are independent; 0, LATE, EARLY by row; most so far
    ahead: Annotated[Array, written()]  # (n_row + 2,) the same for the steps that follow
    before: Annotated[Array, written()]  # (n_row + 2,) scratch
    wrench: Annotated[Array, written()]  # (6,) scratch
    gap: Annotated[Array, written()]  # (2,) largest gaps before the last projection: length, length/s
    steep: Annotated[Array, written()]  # (2,) largest slope of a part of a bending body at any step, rad; when, s
    pivot: Annotated[Array, written()]  # (4,) least at the last step; time of projection; 1: use `ahead`; least now
    span: Annotated[Array, written()]  # (n_row,) what turns the gap of a row into a length
    share: Annotated[Array, written()]  # (n_stage,) scratch
    speed: Annotated[Array, written()]  # (n_v,) scratch
    # bending, see bending.py; vectors in axes of the part
    at: Annotated[Array, written(2)]  # (P, 3) places from O
    at_dot: Annotated[Array, written(2)]  # (P, 3)
    left: Annotated[Array, written(2)]  # (P, 3) what is left of the acceleration where a and all x_ddot are zero
    E: Annotated[Array, written(2)]  # (P, 9) turn of a section
    w: Annotated[Array, written(2)]  # (P, 3) its angular velocity
    w_left: Annotated[Array, written(2)]  # (P, 3) what is left of the rate of that where all x_ddot are zero
    shift: Annotated[Array, written(2)]  # (n_shape, 3) velocity of a place per modal speed
    spin: Annotated[Array, written(2)]  # (n_shape, 3) angular velocity of a section per modal speed
    twist: Annotated[Array, written(2)]  # (n_shape, 6) both of sections, global axes
    coupling: Annotated[Array, written()]  # modal inertia, modes^2 numbers per part
    need: Annotated[Array, written()]  # (n_stage,) what modal stages need
    held: Annotated[Array, written()]  # (n_stage,) inertia added to modes, where they shall hardly move
    own: Annotated[Array, written(2)]  # (2, n_z) states of motors and controllers, and their rates
    # friction of F joints, see friction.py; without any all have no size
    drag: Annotated[Array, written(2)]  # (F, 3) d of their stages
    loads: Annotated[Array, written()]  # (F,) P
    press: Annotated[Array, written(3)]  # (F + 2, F, 9) h without friction, by a unit of each P, now
    answer: Annotated[Array, written(2)]  # (F + 1, 2 n_stage + n_row) x_ddot, efforts of drivers and lam, likewise
    newton: Annotated[Array, written(2)]  # (F, F + 2)
    tau_before: Annotated[Array, written()]  # (n_stage,) scratch
    steady: Annotated[Array, written(2)]  # (n_body + 1, 6) scratch


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
    energy: Annotated[Array, written(2)]  # (K, 4) kinetic; potential of gravity, of deflections, of springs
    given: Annotated[Array, written(3)]  # (K, n_custom, 9) what Python functions give
    lam: Annotated[Array, written(2)]  # (K, n_row) multipliers
    W: Annotated[Array, written(3)]  # (K, n_row, 12)
    loads: Annotated[Array, written(2)]  # (K, F) of what rubs
