"""What a curve of poses asks of a mechanism in the plane: curve.py of `run` gives the list and its meaning."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from particlemech._jit import ArgumentBlock, Records, attachment, fresh, kernel, noinline, read, released, written
from particlemech.engine.particles.chain import BODY
from particlemech.engine.particles.forces.geometry import turn
from particlemech.engine.particles.instant import ParticleInstant
from particlemech.engine.particles.turns import ARM, SPOT, TURN, turned_gradient, turned_rows
from particlemech.engine.signal_tables import SEGMENT, SIGNAL, signals
from particlemech.engine.system import Array
from particlemech.engine.terms import CELL, COORD, ENTRY, TERM, gradient, spread
from particlemech.run.curve import CurveState, Engine, curve_state, perform


class CurveTables(NamedTuple):
    """What the kernels read."""

    coord: Annotated[Records, read(COORD)]
    entry: Annotated[Records, read(ENTRY)]
    term: Annotated[Records, read(TERM)]
    cell: Annotated[Records, read(CELL)]
    turn: Annotated[Records, read(TURN)]
    arm: Annotated[Records, read(ARM)]
    spot: Annotated[Records, read(SPOT)]
    body: Annotated[Records, read(BODY)]
    segment: Annotated[Records, read(SEGMENT)]
    signal: Annotated[Records, read(SIGNAL)]


class CurveWork(NamedTuple):
    """What they write."""

    sig: Annotated[Array, written(2)]  # (n_signal, 3)
    z: Annotated[Array, written()]  # (4 n_body,)
    g: Annotated[Array, written()]  # (n_cell,)
    phi_t: Annotated[Array, written()]  # (n_row,)
    theta: Annotated[Array, written()]  # (n_body,) angles at the last point that counts


attached = attachment(CurveTables, CurveWork, CurveState)


@noinline
def rows(t: float, q: Array, address: int, phi: Array, C: Array) -> None:
    """Fill values and derivatives of all rows."""
    m, s, _ = attached(address)
    signals(t, m.segment, m.signal, s.sig)
    spread(m.coord, m.entry, q, True, s.z)
    gradient(m.term, s.sig, s.z, phi, s.phi_t, s.g)
    if len(m.turn):
        turned_rows(m.turn, m.arm, m.segment, s.theta, s.z, phi)
        turned_gradient(m.turn, m.arm, m.spot, m.segment, s.z, s.g)
    last = C.shape[1] - 1
    for r in range(len(phi)):
        for k in range(last):
            C[r, k] = 0.0
        C[r, last] = s.phi_t[r]
    for e in range(len(m.cell)):
        c = m.coord[m.cell[e].z]
        for k in range(c.first, c.last):
            C[m.cell[e].row, m.entry[k].q] += m.entry[k].c * s.g[e]


@kernel
def move(q: Array, step: Array, address: int) -> None:
    """Move coordinates a step along the speeds, which are their rates."""
    for k in range(len(q)):
        q[k] += step[k]


@kernel
def carry(q: Array, address: int) -> None:
    """Bring the angles of bodies up to date."""
    show(q, address, attached(address)[1].theta)


@noinline
def show(q: Array, address: int, out: Array) -> None:
    """Fill out with the angles of bodies, on the turns nearest to those at the last point."""
    m, s, _ = attached(address)
    spread(m.coord, m.entry, q, True, s.z)
    for b in range(len(m.body)):
        out[b] = turn(s.z, b, m.body[b].angle, s.theta[b])


ENGINE = Engine(rows, move, carry, show)


@released
def do(task: int, x: float, most: int, done: int, address: int) -> float:
    """Do a task of a curve; see curve.perform."""
    return perform(ENGINE, task, x, most, done, attached(address)[2], address)


class Place:
    """Tables, work arrays and state of one curve, and what does its tasks."""

    def __init__(self, system: ParticleInstant, q: Array, x: Array, wanted: Array) -> None:
        c = system.compiled
        tables = CurveTables(c.coord, c.entry, c.term, c.cell, *c.turning, c.body, c.segment, c.signal)
        work = fresh(CurveWork, (len(c.signal), 3), (len(c.coord),), (len(c.cell),), (system.n_row,), (len(c.body),))
        state = curve_state(system.n_q, system.n_q, len(system.start_x), system.n_row, wanted)
        self.w: CurveState = state.part
        self.w.q[:], work.part.theta[:] = q, x[: len(c.body)]
        self.theta: Array = work.part.theta
        self.elements = system.elements
        self.block = ArgumentBlock(tables, work, state)

    def do(self, task: int, x: float = 0.0, most: int = 0, done: int = 0) -> float:
        """Do a task."""
        return float(do(task, x, most, done, self.block.address))

    def extra(self) -> Array:
        """Return the extra states at the last point that counts, (n_x,)."""
        return self.elements.extra(self.theta)
