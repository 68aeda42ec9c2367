"""The numbers of a chain that kernels read, and the work arrays they write.

Links are numbered from 0, the base; joint i carries link i. A *place* is a point of a link with its shapes: stations of
mass, the distal end, where loads act, named points. The shapes of place k are the rows `at` ... `at + m` of delta and
psi, one per modal coordinate of its link, and S is `short[pairs + j m + k]`. Vectors that belong to a link are in its
axes, unless it is said otherwise.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import Records, read, written
from particlemech.engine.signal_tables import SEGMENT, SIGNAL
from particlemech.engine.system import Array

BASE = [
    ("state", "i4"),  # FIXED, TRANSLATES or FLOATS of links.py
    ("place", "f8", (3,)),  # where it is held
    ("turn", "f8", (9,)),
]  # fmt: skip
LINK = [
    ("modes", "i4"),  # m
    ("modal", "i4"),  # its first modal coordinate among all
    ("q", "i4"), ("u", "i4"),  # where that is in q and v
    ("pairs", "i4"),  # where its K and C begin
    ("first", "i4"), ("last", "i4"),  # its stations
    ("end", "i4"),  # the place of its distal end
    ("stiffens", "i4"),  # S is not zero
    ("along", "f8", (3,)),
    ("mass", "f8"), ("moment", "f8", (3,)), ("inertia", "f8", (9,)),  # the rigid remainder
    ("twist", "f8", (9,)),  # Rx(alpha) Rz(theta of the next joint)
    ("drawn", "f8", (9,)),  # turns vectors in axes of the body into link axes
]  # fmt: skip
JOINT = [
    ("slides", "i4"),
    ("q", "i4"), ("u", "i4"),  # of phi; -1: locked or driven
    ("signal", "i4"),  # that drives phi, or -1
    ("dq", "i4"), ("du", "i4"),  # of dphi; -1: none
    ("position", "f8"),  # of a locked phi
    ("stiffness", "f8"), ("damping", "f8"), ("rotor", "f8"),  # of the drive: of dphi; rotor of phi
    ("spring", "f8"), ("pull", "f8"), ("stored", "f8"), ("damper", "f8"),  # of phi: links.JointNumbers
    ("first", "i4"), ("last", "i4"),  # its motors
]  # fmt: skip
PLACE = [
    ("link", "i4"),
    ("at", "i4"), ("pairs", "i4"),
    ("x", "f8", (3,)),
    ("mass", "f8"), ("inertia", "f8", (9,)),  # of stations
]  # fmt: skip
LOAD = [
    ("place", "i4"),
    ("follows", "i4"),
    ("weight", "f8"),
    ("force", "i4", (3,)), ("moment", "i4", (3,)),  # signals
]  # fmt: skip
SPRING = [
    ("place", "i4", (2,)),  # of its ends; -1: in the ground
    ("fixed", "f8", (6,)),  # where, global axes
    ("stiffness", "f8"), ("damping", "f8"), ("length", "f8"),
]  # fmt: skip


class Tables(NamedTuple):
    """A chain as numbers; L links, the base included, P places."""

    base: Annotated[Records, read(BASE)]  # (1,)
    link: Annotated[Records, read(LINK)]  # (L,)
    joint: Annotated[Records, read(JOINT)]  # (L,) the first stands for nothing
    place: Annotated[Records, read(PLACE)]  # (P,) stations, ends, loads, then points
    delta: Annotated[Array, read("f8", 2)]  # (n_shape, 3)
    psi: Annotated[Array, read("f8", 2)]  # (n_shape, 3)
    short: Annotated[Array, read("f8")]
    K: Annotated[Array, read("f8")]  # m m numbers per link
    C: Annotated[Array, read("f8")]
    gravity: Annotated[Array, read("f8")]  # (3,)
    load: Annotated[Records, read(LOAD)]
    spring: Annotated[Records, read(SPRING)]
    motor: Annotated[Array, read("i4")]  # signals
    point: Annotated[Array, read("i4")]  # places of the named points
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]


class WorkArrays(NamedTuple):
    """What kernels work out at one instant."""

    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    x: Annotated[Array, written(2)]  # (L, 3) phi of the joints, its speed and the rate of that
    d: Annotated[Array, written(2)]  # (L, 3) dphi, likewise
    q: Annotated[Array, written(2)]  # (n_modal, 3) modal coordinates, likewise
    base: Annotated[Array, written(2)]  # (2, 3) angular acceleration of the base and acceleration of its origin, global
    given: Annotated[Array, written()]  # (L,) efforts of controllers
    outer: Annotated[Array, written(2)]  # (L, 6) moment about the origin and force of Python functions
    # frames
    R: Annotated[Array, written(2)]  # (L, 9) axes of links, global
    O: Annotated[Array, written(2)]  # (L, 3) their origins, global
    T: Annotated[Array, written(2)]  # (L, 9) axes of the next link in those of this one
    omega: Annotated[Array, written(2)]  # (L, 3)
    v: Annotated[Array, written(2)]  # (L, 3) of the origin
    alpha: Annotated[Array, written(2)]  # (L, 3)
    a: Annotated[Array, written(2)]  # (L, 3) of the origin, minus gravity
    end: Annotated[Array, written(3)]  # (L, 3, 3) of the distal end: omega, alpha, acceleration minus gravity
    # places, relative to their links
    r: Annotated[Array, written(2)]  # (P, 3) from the origin of the link
    r_dot: Annotated[Array, written(2)]  # (P, 3)
    c: Annotated[Array, written(2)]  # (P, 3) what is left of the acceleration when a, alpha and q'' are zero
    E: Annotated[Array, written(2)]  # (P, 9) turn of the section
    w: Annotated[Array, written(2)]  # (P, 3) angular velocity of the section
    b: Annotated[Array, written(2)]  # (P, 3) what is left of its rate when q'' is zero
    shift: Annotated[Array, written(2)]  # (n_shape, 3) dr/dq
    turn: Annotated[Array, written(2)]  # (n_shape, 3) dw/dq'
    # forces
    load: Annotated[Array, written(2)]  # (L, 6) applied moment about the origin and force
    pull: Annotated[Array, written()]  # (n_modal,) of the loads
    line: Annotated[Array, written()]  # (8,) of a spring: from its first end to its second, its rate, length, rate
    p: Annotated[Array, written(2)]  # (L, 6) moment about the origin and force that the joint transmits
    Q: Annotated[Array, written()]  # (n_modal,) what inertia and the links outboard need, minus loads
    need: Annotated[Array, written(2)]  # (L, 2) likewise of phi and of dphi
    tau: Annotated[Array, written(2)]  # (L, 2) motors, springs and dampers on phi and on dphi
    wrench: Annotated[Array, written()]  # (6,) scratch
    # along explicit steps, see samples.py
    energy: Annotated[Array, written()]  # (4,)
    momentum: Annotated[Array, written()]  # (9,)
    # the mass matrix, see composite.py
    I: Annotated[Array, written(2)]  # (6, 6) at the end of a link, then at its origin
    J: Annotated[Array, written(2)]  # (6, 6) of the next link, at its origin
    K: Annotated[Array, written(2)]  # (6, 6) scratch
    W: Annotated[Array, written(2)]  # (n_v, 6)
    A: Annotated[Array, written(2)]  # (n_v, n_v)
    f: Annotated[Array, written(2)]  # (3, n_v) scratch: accelerations, what they need, and those of a sample


class SampledMotion(NamedTuple):
    """What is kept of the work arrays at K samples; N points."""

    t: Annotated[Array, written()]  # (K,)
    y: Annotated[Array, written(2)]  # (K, n) states
    given: Annotated[Array, written(2)]  # (K, L) efforts of controllers
    outer: Annotated[Array, written(3)]  # (K, L, 6) moments and forces of Python functions, link axes
    x: Annotated[Array, written(3)]  # (K, L, 3)
    d: Annotated[Array, written(3)]  # (K, L, 3)
    q: Annotated[Array, written(3)]  # (K, n_modal, 3)
    R: Annotated[Array, written(3)]  # (K, L, 9)
    O: Annotated[Array, written(3)]  # (K, L, 3) origins
    rigid: Annotated[Array, written(3)]  # (K, L, 3) origins with all deflections zero
    omega: Annotated[Array, written(3)]  # (K, L, 3) global axes, as all that follows
    v: Annotated[Array, written(3)]  # (K, L, 3) of the origins
    alpha: Annotated[Array, written(3)]  # (K, L, 3)
    a: Annotated[Array, written(3)]  # (K, L, 3) of the origins
    p: Annotated[Array, written(3)]  # (K, L, 6)
    tau: Annotated[Array, written(3)]  # (K, L, 3) on phi: motors and controllers; spring and damper; driver
    point: Annotated[Array, written(4)]  # (K, N, 4, 3) position, velocity, acceleration, position without deflections
    section: Annotated[Array, written(3)]  # (K, N, 9) axes of the section
    spin: Annotated[Array, written(4)]  # (K, N, 2, 3) angular velocity and acceleration of the section
    energy: Annotated[Array, written(2)]  # (K, 4) kinetic, gravity, strain of links, springs of joints
    momentum: Annotated[Array, written(2)]  # (K, 9) linear, angular about the origin, first moment of mass
