"""The smallest engine with rows: a pendulum of mass 1 in two coordinates, held on its circle; for test_march.py.

    y = (x, z, x', z', W),   x'' = -c x' - lam x/l,   z'' = -g - c z' - lam z/l,   phi = (x^2 + z^2 - l^2)/(2 l)

Its angle from the lowest point is carried along, so turns are counted. It notes how the march keeps its promises.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from particlemech._jit import ArgumentBlock, attachment, kernel, read, released, written
from particlemech.run.compiled_march import CompiledMarch
from particlemech.run.march import Engine, perform, unconstrained
from particlemech.run.steps import LEAST_INERTIA, MarchState, T, copy, march_state

G, LENGTH, DAMPING, INERTIA, PIVOT, WHEN, WIDTH = range(7)  # of `number`
ANGLE, ANGLE_BEFORE, ARRIVED, LATEST, ELSEWHERE, PROJECTED = range(6)  # of `noted`


class Tables(NamedTuple):
    number: Annotated[Any, read("f8")]  # (7,)


class Work(NamedTuple):
    noted: Annotated[Any, written()]  # (6,)
    last: Annotated[Any, written()]  # (5,) where `slope` was last


attached = attachment(Tables, Work, MarchState)


@kernel
def slope(t, y, address, out):
    m, s, w = attached(address)
    copy(y, s.last)
    s.noted[LATEST] = max(s.noted[LATEST], t)
    l, c = m.number[LENGTH], m.number[DAMPING]
    lam = (
        (y[2] * y[2] + y[3] * y[3] - m.number[G] * y[1] - c * (y[0] * y[2] + y[1] * y[3])) * l / (y[0] ** 2 + y[1] ** 2)
    )
    out[0], out[1] = y[2], y[3]
    out[2], out[3] = -c * y[2] - lam * y[0] / l, -m.number[G] - c * y[3] - lam * y[1] / l
    out[4] = -c * (y[2] * y[2] + y[3] * y[3])
    w.now[LEAST_INERTIA] = min(w.now[LEAST_INERTIA], m.number[INERTIA])
    return pivot_at(t, m)


@kernel
def pivot_at(t, m):
    """Return the least pivot: small within a width of a time."""
    return m.number[PIVOT] if abs(t - m.number[WHEN]) <= m.number[WIDTH] else 1.0


@kernel
def gap(y, address):
    l = attached(address)[0].number[LENGTH]
    return abs(y[0] * y[0] + y[1] * y[1] - l * l) / (2.0 * l)


@kernel
def project(t, y, rounds, address):
    m, s, _ = attached(address)
    l = m.number[LENGTH]
    s.noted[PROJECTED] += 1
    opened, opening = gap(y, address), abs(y[0] * y[2] + y[1] * y[3]) / l
    for _ in range(rounds):
        share = 0.5 * (y[0] * y[0] + y[1] * y[1] - l * l) / (l * l)
        y[0], y[1] = y[0] - share * y[0], y[1] - share * y[1]
    along = (y[0] * y[2] + y[1] * y[3]) / (l * l)
    y[2], y[3] = y[2] - along * y[0], y[3] - along * y[1]
    return pivot_at(t, m), opened, opening


@kernel
def fastest(rtol, address):
    m, _, w = attached(address)
    return max(1.0, math.sqrt(w.y[2] ** 2 + w.y[3] ** 2) / m.number[LENGTH])


@kernel
def turned(y, near):
    """Return the angle of a state, on the turn that is nearest to another angle."""
    angle = math.atan2(y[0], -y[1])
    return angle + 2.0 * math.pi * round((near - angle) / (2.0 * math.pi))


@kernel
def arrive(h, address):
    _, s, w = attached(address)
    s.noted[ARRIVED] += 1
    s.noted[ANGLE_BEFORE] = s.noted[ANGLE]
    s.noted[ANGLE] = turned(w.y, s.noted[ANGLE])


@kernel
def withdraw(address):
    s = attached(address)[1]
    s.noted[ARRIVED] -= 1
    s.noted[ANGLE] = s.noted[ANGLE_BEFORE]


@kernel
def energies(address):
    m, s, w = attached(address)
    for k in range(5):
        if s.last[k] != w.y[k]:
            s.noted[ELSEWHERE] += 1
    return 0.5 * (w.y[2] ** 2 + w.y[3] ** 2), m.number[G] * w.y[1]


@kernel
def show(t, y, address, out):
    _, s, w = attached(address)
    copy(y[:4], out)
    out[4] = s.noted[ANGLE] if t == w.now[T] else turned(y, s.noted[ANGLE])
    out[5] = y[4]


PENDULUM = Engine(slope, project, gap, fastest, arrive, withdraw, energies, show)
ADRIFT = Engine(slope, unconstrained, gap, fastest, arrive, withdraw, energies, show)  # on no rows


@released
def swing(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    return perform(PENDULUM, task, t, stop, clamp, rtol, most, done, attached(address)[2], address)


@released
def drift(task: int, t: float, stop: float, clamp: float, rtol: float, most: int, done: int, address: int) -> float:
    return perform(ADRIFT, task, t, stop, clamp, rtol, most, done, attached(address)[2], address)


class Pendulum(CompiledMarch):
    """A march of the pendulum, which begins at an angle with an angular velocity."""

    def __init__(
        self, times, angle, omega, rtol=1e-9, do=swing, damping=0.0, inertia=1.0, pivot=1.0, when=0.0, width=math.inf
    ):
        g, length = 9.81, 0.7
        state = march_state(5, 6, np.asarray(times, dtype=float))
        self.work = Work(np.zeros(6), np.zeros(5))
        tables = Tables(np.array([g, length, damping, inertia, pivot, when, width]))
        super().__init__(do, ArgumentBlock(tables, self.work, state), state.part, np.full(5, rtol), rtol, length)
        c, s = math.cos(angle), math.sin(angle)
        self.put(np.array([length * s, -length * c, length * omega * c, length * omega * s, angle, 0.0]))

    def put(self, y):
        self.w.y[:4], self.work.noted[ANGLE], self.w.y[4] = y[:4], y[4], y[5]
