"""The numbers of a mechanism in space that kernels read, and the work arrays they write."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import Records, read, written
from particlemech.engine.natural.laws import all_round, load, motor, spring, torque, torsion
from particlemech.engine.natural.laws.freedom import FREEDOM
from particlemech.engine.natural.screw_kernels import THREAD
from particlemech.engine.signal_tables import SEGMENT, SIGNAL
from particlemech.engine.system import Array
from particlemech.engine.terms import CELL, COORD, ENTRY, TERM

ROW = [("eps_v", "f8"), ("eps_p", "f8")]
MASS = [("i", "i4"), ("j", "i4"), ("c", "f8")]  # of M_q, shared.py (4)
SCATTER = [("slot", "i4"), ("source", "i4"), ("c", "f8")]  # J[slot] += c val[source]
# T by columns, what counts as a unit of each coordinate; landings by q, by v
PERTURBED = [("q", "i4"), ("first", "i4"), ("last", "i4"), ("step", "f8"), ("mid", "i4"), ("end", "i4")]
LANDING = [("slot", "i4"), ("row", "i4")]  # J[slot] -= derivative of force or power


class Rows(NamedTuple):
    """Constraint rows as numbers: in the coordinates that are integrated, or in full ones."""

    n: Annotated[Array, read("i8")]  # rows; cells of rows. Sines and cosines of threads follow both
    term: Annotated[Records, read(TERM)]
    cell: Annotated[Records, read(CELL)]
    thread: Annotated[Records, read(THREAD)]
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]


class RowWorkArrays(NamedTuple):
    """What kernels work out of rows at one instant."""

    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    phi: Annotated[Array, written(2)]  # (3, n_row + ...) phi, phi_t, gamma
    g: Annotated[Array, written()]  # (n_cell + ...,) phi_q
    h: Annotated[Array, written()]  # (n_cell + ...,) d phi_dot/dq


class NaturalTables(NamedTuple):
    """The rest of a mechanism as numbers."""

    n: Annotated[Array, read("i8")]  # n_q, n_force, then the addresses in val: sparsity.NaturalPlaces
    row: Annotated[Records, read(ROW)]  # (n_row,)
    mass: Annotated[Records, read(MASS)]
    weight: Annotated[Array, read("f8")]  # (n_q,) gravity
    coord: Annotated[Records, read(COORD)]  # (12 n_body,) T by rows
    entry: Annotated[Records, read(ENTRY)]
    column: Annotated[Records, read(ENTRY)]  # T by columns of what is perturbed: coordinate of Z, coefficient
    counted: Annotated[Records, read(FREEDOM)]  # (n_theta,) angles of joints whose turns are counted
    loads: Annotated[Records, read(load.TABLE)]
    torques: Annotated[Records, read(torque.TABLE)]
    springs: Annotated[Records, read(spring.TABLE)]
    motors: Annotated[Records, read(motor.TABLE)]
    torsions: Annotated[Records, read(torsion.TABLE)]
    all_round: Annotated[Records, read(all_round.TABLE)]


class NaturalWorkArrays(NamedTuple):
    """What kernels work out besides rows at one instant."""

    z: Annotated[Array, written(2)]  # (4, 12 n_body) Z, its rates, and both a step aside
    f: Annotated[Array, written(2)]  # (2, 12 n_body) applied forces on Z; a step aside to both sides
    out: Annotated[Array, written()]  # (n_q + n_theta + n_z + 1,) forces on q, rates of angles, of z, power; or changes
    custom: Annotated[Array, written()]  # (12 n_body + 1,) forces on Z that the user's functions exert; their power
    w: Annotated[Array, written(2)]  # (2, n_row + ...) mu and lam
    val: Annotated[Array, written()]  # (n_val,) what goes into the Jacobian


class Targets(NamedTuple):
    """Where the Jacobian's values go; see sparsity.py."""

    scatter: Annotated[Records, read(SCATTER)]
    perturbed: Annotated[Records, read(PERTURBED)]  # coordinates by which applied forces change
    landing: Annotated[Records, read(LANDING)]
