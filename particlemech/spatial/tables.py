"""The numbers of a mechanism in space that kernels read, and the desk they write on."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import Records, read, written
from particlemech.signal_tables import SEGMENT, SIGNAL
from particlemech.spatial.laws import load, motor, spring, torque, torsion
from particlemech.system import Array
from particlemech.terms import CELL, TERM

BODY = [("block", "f8", (4, 4))]  # m and E, coordinates.py (3)
ROW = [("eps_v", "f8"), ("eps_p", "f8")]


class Tables(NamedTuple):
    """A mechanism as numbers."""

    body: Annotated[Records, read(BODY)]  # (n_body,)
    term: Annotated[Records, read(TERM)]
    cell: Annotated[Records, read(CELL)]
    row: Annotated[Records, read(ROW)]  # (n_row,)
    felt: Annotated[Array, read("i8")]  # coordinates by which applied forces change
    gravity: Annotated[Array, read("f8")]  # (3,)
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]
    loads: Annotated[Records, read(load.TABLE)]
    torques: Annotated[Records, read(torque.TABLE)]
    springs: Annotated[Records, read(spring.TABLE)]
    motors: Annotated[Records, read(motor.TABLE)]
    torsions: Annotated[Records, read(torsion.TABLE)]


class Desk(NamedTuple):
    """What kernels work out at one instant."""

    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    phi: Annotated[Array, written(2)]  # (3, n_row) phi, phi_t, gamma
    g: Annotated[Array, written()]  # (n_cell,) phi_q
    h: Annotated[Array, written()]  # (n_cell,) d phi_dot/dq
    f: Annotated[Array, written(2)]  # (3, n_q) applied forces; and those beside, for differences
    z: Annotated[Array, written(2)]  # (2, n_q) coordinates and speeds beside
