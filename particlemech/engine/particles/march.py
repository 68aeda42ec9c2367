"""What the explicit march asks of a planar mechanism: march.py gives the list and its meaning.

y = (q, v, z, W) is integrated, z the states of motors and controllers. Angles of bodies are carried along: exact at
each step, on the turn that rates predict.
"""

from __future__ import annotations

from particlemech._jit import attachment, kernel, noinline
from particlemech.engine.friction import STAGED
from particlemech.engine.particles import accelerations
from particlemech.engine.particles.accelerations import ExplicitTables, WorkArrays, body_coordinates, gaps, slopes
from particlemech.engine.particles.forces.geometry import spin, turn
from particlemech.engine.particles.forces.motor import stored as stored_in_motors
from particlemech.engine.particles.forces.spring import stored as stored_in_springs
from particlemech.engine.system import Array
from particlemech.run.march import Engine
from particlemech.run.steps import MarchState, T, copy

attached = attachment(ExplicitTables, WorkArrays, MarchState)


@kernel
def predicted_angles(t: float, address: int) -> None:
    """Fill the angles at a time as far as their rates at the last step tell."""
    _, s, w = attached(address)
    dt = t - w.now[T]
    for b in range(s.theta.shape[1]):
        s.theta[0, b] = s.theta[1, b] + dt * s.theta[2, b]


@kernel
def slope(t: float, y: Array, address: int, out: Array) -> float:
    """Fill out with y'; return the least pivot of a multiplier beside its strength."""
    m = attached(address)[0]
    if len(m.motors) or len(m.turn) or len(m.element):
        predicted_angles(t, address)
    return slopes(t, y, STAGED, address, out)


@kernel
def project(t: float, y: Array, rounds: int, address: int) -> tuple[float, float, float]:
    """Move y onto the rows; return the least pivot, and the largest gaps before, m and m/s."""
    m, s, _ = attached(address)
    if len(m.turn):  # rows that count turns are told which
        predicted_angles(t, address)
    least = accelerations.project(t, y, address, rounds)
    gap = s.gap
    return least, gap[0], gap[1]


@kernel
def largest_gap(y: Array, level: int, address: int) -> float:
    """Return the largest |phi| (level 0) or |phi_dot| (1) of a state, as lengths; signals are those met last."""
    m, s, _ = attached(address)
    n_q = len(m.weight)
    for k in range(len(s.x)):
        s.x[k] = 0.0
    gaps(y[:n_q], y[n_q : 2 * n_q], level, address, m, s)
    largest = 0.0
    for k in range(len(s.x)):
        largest = max(largest, s.span[k] * abs(s.x[k]))
    return largest


@kernel
def gap(y: Array, address: int) -> float:
    """Return the largest gap of a state, m."""
    return largest_gap(y, 0, address)


@kernel
def fastest(rtol: float, address: int) -> float:
    """Return the largest speed beside the mechanism's length, 1/s, no less than one in the mechanism's time."""
    m, _, w = attached(address)
    n_q = len(m.weight)
    most = w.atol[n_q]
    for k in range(n_q):
        most = max(most, rtol * abs(w.y[n_q + k]))
    return most / w.atol[0]


@noinline
def angles(dt: float, y: Array, address: int, theta: Array, omega: Array) -> None:
    """Fill angles and angular velocities dt after the last step: exact, and on the turn that the rates predict."""
    m, s, _ = attached(address)
    n_q = len(m.weight)
    for b in range(len(m.body)):
        body_coordinates(b, y[:n_q], True, m, s.z[0])
        body_coordinates(b, y[n_q : 2 * n_q], False, m, s.z[1])
        rate = spin(s.z[0], s.z[1], b, m.body[b].length)
        guess = s.theta[1, b] + 0.5 * dt * (s.theta[2, b] + rate)
        theta[b], omega[b] = turn(s.z[0], b, m.body[b].angle, guess), rate


@kernel
def arrive(h: float, address: int) -> None:
    """Follow the angles to the end of a step; keep those before."""
    _, s, w = attached(address)
    copy(s.theta[1], s.theta[3])
    copy(s.theta[2], s.theta[4])
    angles(h, w.y, address, s.theta[1], s.theta[2])


@kernel
def withdraw(address: int) -> None:
    """Return to the angles before the last step."""
    s = attached(address)[1]
    copy(s.theta[3], s.theta[1])
    copy(s.theta[4], s.theta[2])


@noinline
def energies(address: int) -> tuple[float, float]:
    """Return kinetic and potential energy at y: z and theta[1] have been filled by `arrive`, observed.py (3)."""
    m, s, _ = attached(address)
    z, u = s.z[0], s.z[1]
    kinetic, potential = 0.0, stored_in_springs(m.springs, z)
    if len(m.motors):
        potential += stored_in_motors(m.motors, s.theta[1], z)
    for b in range(len(m.body)):
        p, k = m.body[b], 4 * b
        dx, dy, ux, uy = z[k + 2] - z[k], z[k + 3] - z[k + 1], u[k + 2] - u[k], u[k + 3] - u[k + 1]
        kinetic += 0.5 * p.m * (u[k] * u[k] + u[k + 1] * u[k + 1]) + 0.5 * p.j * (ux * ux + uy * uy)
        kinetic += u[k] * (p.mu * ux - p.ka * uy) + u[k + 1] * (p.mu * uy + p.ka * ux)
        potential -= m.gravity[0] * (p.m * z[k] + p.mu * dx - p.ka * dy)
        potential -= m.gravity[1] * (p.m * z[k + 1] + p.mu * dy + p.ka * dx)
    return kinetic, potential


@kernel
def show(t: float, y: Array, address: int, out: Array) -> None:
    """Fill out with (q, v, theta, z, W) of a state."""
    m, s, w = attached(address)
    n, n_body = 2 * len(m.weight), len(m.body)
    copy(y[:n], out)
    if t == w.now[T]:
        copy(s.theta[1], out[n:])
    else:
        angles(t - w.now[T], y, address, out[n : n + n_body], s.theta[0])
    copy(y[n:], out[n + n_body :])


ENGINE = Engine(slope, project, gap, fastest, arrive, withdraw, energies, show)
